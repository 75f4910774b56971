//! Files that a program made, to be written where nothing is.
//!
//! In: paths and bytes of any kind, and a tree to read. Out: a sealed plan of new files, or why there is none. Never
//! a plan that replaces a file: where one is, it is refused, and one that comes in the meantime is a conflict.

use crate::{FileContent, FileView, MAX_FILE_BYTES, PlannedFile, VerifiedEdits, ViewError};
use std::collections::BTreeSet;

/// The permission bits of a new file.
const MODE: u32 = 0o644;

/// Why new files cannot be planned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NewFileRefusal {
    /// The path or what is there cannot be used.
    #[error(transparent)]
    View(#[from] ViewError),
    /// There is a file.
    #[error("{path:?} is there already")]
    Exists {
        /// The path.
        path: String,
    },
    /// It is larger than a file of a workspace may be.
    #[error("{path:?} would have {bytes} bytes, and a file may have {MAX_FILE_BYTES}")]
    TooLarge {
        /// The path.
        path: String,
        /// Its size.
        bytes: usize,
    },
}

/// Plans new files. A path twice is refused like one that is there.
///
/// # Errors
/// When one of them cannot be written; then none is.
pub fn new_files(
    files: Vec<(String, Vec<u8>)>,
    view: &dyn FileView,
) -> Result<VerifiedEdits, NewFileRefusal> {
    let (mut planned, mut known) = (Vec::new(), BTreeSet::new());
    for (written, bytes) in files {
        let path = view.admit(&written)?;
        if bytes.len() as u64 > MAX_FILE_BYTES {
            return Err(NewFileRefusal::TooLarge { path: written, bytes: bytes.len() });
        }
        if view.read(&path)?.is_some() || !known.insert(path.clone()) {
            return Err(NewFileRefusal::Exists { path: written });
        }
        let after = Some(FileContent { bytes, mode: MODE });
        planned.push(PlannedFile { path, before: None, after, moved_from: None });
    }
    Ok(VerifiedEdits::seal(planned))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AdmitOptions, MemoryView};

    fn view() -> MemoryView {
        MemoryView::new([("art/image-001.png", "old")], AdmitOptions::default())
    }

    fn plan(files: &[(&str, &[u8])]) -> Result<VerifiedEdits, NewFileRefusal> {
        let files = files.iter().map(|(path, bytes)| ((*path).to_owned(), bytes.to_vec()));
        new_files(files.collect(), &view())
    }

    #[test]
    fn c238_bytes_of_any_kind_become_new_files() {
        let plan = plan(&[("art/image-002.png", b"\x89PNG\0\xff")]).unwrap();
        let file = &plan.files()[0];
        assert_eq!((file.path.as_str(), &file.before), ("art/image-002.png", &None));
        assert_eq!(file.after.as_ref().unwrap().bytes, b"\x89PNG\0\xff");
    }

    #[test]
    fn c238_nothing_is_overwritten_and_nothing_is_written_outside() {
        let taken = plan(&[("art/image-001.png", b"new")]);
        assert_eq!(taken, Err(NewFileRefusal::Exists { path: "art/image-001.png".to_owned() }));
        let twice = plan(&[("a.png", b"1"), ("./a.png", b"2")]);
        assert!(matches!(twice, Err(NewFileRefusal::Exists { .. })));
        for path in ["../a.png", ".git/a.png", ".salve/a.png"] {
            assert!(matches!(plan(&[(path, b"x")]), Err(NewFileRefusal::View(_))), "{path}");
        }
    }
}
