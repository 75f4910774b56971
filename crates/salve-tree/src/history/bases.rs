//! Former contents by the hash a reply names: what a stale edit was made on.
//!
//! In: a path and a hash as written. Out: the content the history keeps under it. Never: a content
//! of another path.

use super::History;
use crate::blobs::Blobs;
use crate::verify::BaseSource;
use crate::{ContentHash, TreeError, TreePath, Workspace};

const MD5_DIGITS: usize = 32;

/// The former contents that a workspace keeps.
pub struct Bases<'a> {
    history: History,
    blobs: Option<Blobs<'a>>,
}

impl Workspace {
    /// Opens the former contents of this workspace's files.
    pub fn bases(&self) -> Result<Bases<'_>, TreeError> {
        Ok(Bases { history: History::load(self)?, blobs: self.blobs()? })
    }
}

impl BaseSource for Bases<'_> {
    fn base(&self, path: &TreePath, written: &str) -> Option<Vec<u8>> {
        let blobs = self.blobs.as_ref()?;
        let files = self.history.changes().iter().rev().flat_map(|change| &change.files);
        let versions = files
            .filter(|file| file.file_path == path.as_str())
            .flat_map(|file| [file.new, file.old])
            .flatten();
        let digits = written.rsplit(':').next().unwrap_or_default().trim().to_ascii_lowercase();
        let mut tried: Vec<ContentHash> = Vec::new();
        for version in versions {
            // Our own hash is known by its digits; an MD5 is known only by the content.
            let may_be = digits.len() == MD5_DIGITS || version.hash.hex().starts_with(&digits);
            if !may_be || tried.contains(&version.hash) {
                continue;
            }
            tried.push(version.hash);
            // A content that was collected or damaged is as good as unknown: the edit is then
            // refused as made on a version that no one has.
            if let Ok(Some(bytes)) = blobs.get(version.hash)
                && ContentHash::names(written, &bytes)
            {
                return Some(bytes);
            }
        }
        None
    }
}

impl std::fmt::Debug for Bases<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Bases").field("history", &self.history).finish_non_exhaustive()
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
        let former = workspace.bases().unwrap();
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
