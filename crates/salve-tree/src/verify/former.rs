//! Former versions of files, found in the history.
//!
//! In: a path and a hash as written. Out: the content that the hash names, when Salve once read or
//! wrote it there. Never: a content of another path, a content that the hash does not name.

use super::BaseSource;
use crate::blobs::Blobs;
use crate::{ContentHash, History, TreePath, Workspace};

/// The contents that the history of a workspace keeps.
pub struct FormerVersions<'a> {
    history: &'a History,
    blobs: Option<Blobs<'a>>,
}

impl<'a> FormerVersions<'a> {
    /// Looks at the history of a workspace.
    pub fn new(workspace: &'a Workspace, history: &'a History) -> Self {
        // Without kept contents no base is found, which is what a missing base means anyway.
        Self { history, blobs: workspace.blobs().ok().flatten() }
    }

    /// Lists the hashes of the versions of a path, newest first.
    fn versions(&self, path: &str) -> impl Iterator<Item = ContentHash> {
        self.history
            .changes()
            .iter()
            .rev()
            .flat_map(|change| &change.files)
            .filter(move |file| file.file_path == path)
            .flat_map(|file| [file.new.as_ref(), file.old.as_ref()])
            .flatten()
            .map(|version| version.hash)
    }
}

impl BaseSource for FormerVersions<'_> {
    fn base(&self, path: &TreePath, written: &str) -> Option<Vec<u8>> {
        let blobs = self.blobs.as_ref()?;
        let digits = written.rsplit(':').next().unwrap_or_default().trim().to_ascii_lowercase();
        // A BLAKE3 hash is found by its digits alone; an MD5 only by looking at the contents.
        let by_digits = |hash: &ContentHash| hash.hex().starts_with(&digits);
        let named = self.versions(path.as_str()).filter(by_digits);
        let all = self.versions(path.as_str()).filter(|_| digits.len() == 32);
        named
            .chain(all)
            .filter_map(|hash| blobs.get(hash).ok().flatten())
            .find(|bytes| ContentHash::names(written, bytes))
    }
}

impl std::fmt::Debug for FormerVersions<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("FormerVersions").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Desk;

    #[test]
    fn c083_a_former_version_is_known_by_every_form_of_its_hash() {
        let desk = Desk::new(&[("a", "one\n")]);
        let _ = desk.apply(&[("a", Some("two\n"))]);
        let _ = desk.apply(&[("a", Some("three\n"))]);
        let workspace = desk.open();
        let history = History::load(&workspace).unwrap();
        let former = FormerVersions::new(&workspace, &history);
        let path = TreePath::admitted("a".to_owned());
        let hash = ContentHash::of(b"one\n").hex();
        for (written, expected) in [
            (hash.clone(), Some("one\n")),
            (hash[..12].to_owned(), Some("one\n")),
            (format!("blake3:{}", ContentHash::of(b"two\n").hex()), Some("two\n")),
            ("5bbf5a52328e7439ae6e719dfe712200".to_owned(), Some("one\n")),
            (ContentHash::of(b"never\n").hex(), None),
            (String::new(), None),
        ] {
            let found = former.base(&path, &written);
            assert_eq!(found.as_deref(), expected.map(str::as_bytes), "{written}");
        }
        let other = TreePath::admitted("b".to_owned());
        assert_eq!(former.base(&other, &hash), None);
    }
}
