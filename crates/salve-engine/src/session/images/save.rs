//! Images written into the workspace, as one change set that can be taken back.
//!
//! In: bytes, and a folder of the workspace. Out: files `image-001.png`, `image-002.png` and so on, numbered behind those
//! that are there, each called by what its bytes are. Never overwrites anything, and never writes outside.

use crate::host::OpenWorkspace;
use salve_model::ImageType;
use salve_tree::{
    AdmitOptions, ApplyOutcome, ChangeMeta, NewFileRefusal, Origin, TreeError, WorkspaceOptions,
    apply, new_files,
};
use std::collections::BTreeSet;
use std::path::Path;

/// How often it is tried again when another program takes the same name in the meantime.
const TRIES: usize = 4;

/// An image to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageFile {
    /// Its name in the session.
    pub id: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Images that were written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedImages {
    /// The change set.
    pub change: String,
    /// The paths in the workspace, in the order of the images.
    pub files: Vec<String>,
}

/// Why images were not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SaveError {
    /// There is nothing to write.
    #[error("no image is chosen")]
    Nothing,
    /// The bytes are no image.
    #[error("{id} is no PNG, JPEG, GIF or WebP image")]
    NotAnImage {
        /// Its name.
        id: String,
    },
    /// A path cannot be used.
    #[error(transparent)]
    Refused(#[from] NewFileRefusal),
    /// Another program writes into the same folder.
    #[error("{0}: another program writes there; try again")]
    Conflict(String),
    /// The workspace cannot be written.
    #[error(transparent)]
    Tree(#[from] TreeError),
}

/// Writes images into a folder of the workspace.
///
/// # Errors
/// When one of them cannot be written; then none is.
pub fn save_images(
    root: &Path,
    folder: &str,
    images: &[ImageFile],
    session: &str,
    now: u64,
) -> Result<SavedImages, SaveError> {
    if images.is_empty() {
        return Err(SaveError::Nothing);
    }
    let options =
        WorkspaceOptions { holder: "salve images".to_owned(), ..WorkspaceOptions::default() };
    let workspace = OpenWorkspace::open(root, options)?;
    let folder = folder.trim().trim_end_matches('/');
    let folder = folder.strip_prefix("./").unwrap_or(folder);
    let folder = if folder == "." { "" } else { folder };
    let meta = ChangeMeta {
        now,
        origin: Origin::User,
        session: Some(session.to_owned()),
        label: Some(format!("images saved: {}", images.len())),
        ..ChangeMeta::default()
    };
    let mut lost = String::new();
    for _ in 0..TRIES {
        let named = named(&taken(&root.join(folder)), folder, images)?;
        let files: Vec<String> = named.iter().map(|(path, _)| path.clone()).collect();
        let plan = new_files(named, &workspace.view(AdmitOptions::default()))?;
        match apply(&workspace.tree, plan, &meta)? {
            ApplyOutcome::Applied(change) => {
                return Ok(SavedImages { change: change.id().to_owned(), files });
            }
            ApplyOutcome::Conflict(conflict) => lost = conflict.path,
            ApplyOutcome::NothingToDo => return Err(SaveError::Nothing),
        }
    }
    Err(SaveError::Conflict(lost))
}

// The numbers that are used in a folder, whatever the files are.
fn taken(folder: &Path) -> BTreeSet<u32> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let number = |name: &str| {
        let (stem, _) = name.strip_prefix("image-")?.split_once('.')?;
        stem.parse().ok()
    };
    entries.filter_map(|entry| number(entry.file_name().to_str()?)).collect()
}

fn named(
    taken: &BTreeSet<u32>,
    folder: &str,
    images: &[ImageFile],
) -> Result<Vec<(String, Vec<u8>)>, SaveError> {
    let first = taken.last().map_or(1, |last| last.saturating_add(1));
    let mut named = Vec::new();
    for (number, image) in (first..).zip(images) {
        let kind = ImageType::of(&image.bytes);
        let kind = kind.ok_or_else(|| SaveError::NotAnImage { id: image.id.clone() })?;
        let name = format!("image-{number:03}.{}", kind.extension());
        let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
        named.push((path, image.bytes.clone()));
    }
    Ok(named)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "a test's own scratch folder")]

    use super::*;
    use salve_tree::{History, OnChanged, undo};

    fn image(id: &str, bytes: &[u8]) -> ImageFile {
        ImageFile { id: id.to_owned(), bytes: bytes.to_vec() }
    }

    #[test]
    fn c238_images_are_numbered_called_by_their_bytes_and_taken_back() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("art")).unwrap();
        std::fs::write(root.join("art/image-001.jpg"), "mine").unwrap();
        let images = [image("a", b"\x89PNG\r\n\x1a\n1"), image("b", b"\xff\xd8\xff\xe02")];
        let saved = save_images(&root, "art/", &images, "s", 1).unwrap();
        assert_eq!(saved.files, ["art/image-002.png", "art/image-003.jpg"]);
        assert_eq!(std::fs::read(root.join("art/image-003.jpg")).unwrap(), images[1].bytes);
        assert_eq!(std::fs::read(root.join("art/image-001.jpg")).unwrap(), b"mine");
        let again = save_images(&root, "art", &images[..1], "s", 2).unwrap();
        assert_eq!(again.files, ["art/image-004.png"]);
        let workspace = OpenWorkspace::open(&root, WorkspaceOptions::default()).unwrap();
        assert_eq!(History::load(&workspace.tree).unwrap().changes().len(), 2);
        let meta = ChangeMeta { now: 3, ..ChangeMeta::default() };
        let _undone = undo(&workspace.tree, OnChanged::Refuse, &meta).unwrap();
        assert!(
            !root.join("art/image-004.png").exists() && root.join("art/image-003.jpg").exists()
        );
    }

    #[test]
    fn c238_nothing_is_saved_outside_or_under_a_false_name() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let png = [image("a", b"\x89PNG\r\n\x1a\n1")];
        for path in ["../elsewhere", "/tmp", ".git", ".salve"] {
            let refused = save_images(&root, path, &png, "s", 1);
            assert!(matches!(refused, Err(SaveError::Refused(_))), "{path}: {refused:?}");
        }
        let text = save_images(&root, "art", &[image("a", b"<svg/>")], "s", 1);
        assert!(matches!(text, Err(SaveError::NotAnImage { .. })));
        assert!(matches!(save_images(&root, "art", &[], "s", 1), Err(SaveError::Nothing)));
        assert!(!root.join("art").exists());
    }
}
