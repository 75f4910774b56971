//! One file of the workspace, read as text.
//!
//! In: an open workspace and a path. Out: the text with its hashes, or why it was not read. Walks as every
//! reader of the workspace does: through open folders, following no symlink out of it. Never opens what holds
//! secrets by its name, and never reads more than it was told.

use super::{LoadedFile, OmitCode};
use crate::facts::CommandPaths;
use rustix::fs::{FileType, Mode, OFlags, fstat};
use salve_check::{PathConcern, PathFacts, PathJudgement, PathUse};
use salve_tree::{
    ContentHash, FileText, PathRule, Root, TreePath, Unreadable, ViewError, md5_label,
};
use salve_types::Language;
use std::fs::File;
use std::io::Read as _;

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::session) struct ReadText {
    /// The path of the file itself, symlinks followed.
    pub(crate) real: String,
    pub(crate) text: String,
    pub(crate) hash: ContentHash,
    pub(crate) md5: String,
    pub(crate) size: u64,
}

/// Reads a file, or says why not, with its size where it is known.
pub(in crate::session) fn read_text(
    root: &Root,
    path: &str,
    most: u64,
) -> Result<ReadText, (OmitCode, u64)> {
    let judged = CommandPaths::new(root).judge(path, PathUse::Read);
    if let PathJudgement::Ask { concern, .. } = judged {
        let code = match concern {
            PathConcern::Secret => OmitCode::Secret,
            PathConcern::Outside => OmitCode::Outside,
            PathConcern::Protected | PathConcern::Unknown | PathConcern::Form => OmitCode::Name,
        };
        return Err((code, 0));
    }
    let inside = root.admit_to_read(path).map_err(|error| (refusal(&error), 0))?;
    let bytes = read_bytes(root, &inside, most)?;
    let size = bytes.len() as u64;
    let text = FileText::read(&bytes).map_err(|error| match error {
        Unreadable::Binary { .. } => (OmitCode::Binary, size),
        _ => (OmitCode::Encoding, size),
    })?;
    Ok(ReadText {
        real: inside.as_str().to_owned(),
        text: text.text().to_owned(),
        hash: ContentHash::of(&bytes),
        md5: md5_label(&bytes),
        size,
    })
}

/// Reads the bytes of a file that paths may lead to, whatever they are; nothing where they cannot be read.
pub(in crate::session) fn read_known(root: &Root, path: &str, most: u64) -> Option<Vec<u8>> {
    let inside = root.admit_to_read(path).ok()?;
    read_bytes(root, &inside, most).ok()
}

fn read_bytes(root: &Root, inside: &TreePath, most: u64) -> Result<Vec<u8>, (OmitCode, u64)> {
    let unreadable = (OmitCode::Unreadable, 0);
    // Without O_NONBLOCK a pipe in the place of the file would hold the reader for ever.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
    let opened = root.open_beneath(inside, flags, Mode::empty()).map_err(|_| unreadable)?;
    let status = fstat(&opened).map_err(|_| unreadable)?;
    if FileType::from_raw_mode(status.st_mode) != FileType::RegularFile {
        return Err(unreadable);
    }
    let size = u64::try_from(status.st_size).unwrap_or(0);
    let mut bytes = Vec::new();
    if size <= most {
        let mut file = File::from(opened).take(most.saturating_add(1));
        file.read_to_end(&mut bytes).map_err(|_| unreadable)?;
    }
    let size = size.max(bytes.len() as u64);
    if size > most {
        return Err((OmitCode::TooLarge, size));
    }
    Ok(bytes)
}

fn refusal(error: &ViewError) -> OmitCode {
    match error {
        ViewError::Refused { rule, .. } => match rule {
            PathRule::SymlinkOut | PathRule::OutsideWorkspace | PathRule::Repository => {
                OmitCode::Outside
            }
            _ => OmitCode::Name,
        },
        ViewError::Unreadable { .. } => OmitCode::Unreadable,
    }
}

impl ReadText {
    /// Returns the file as it is shown: at most this many bytes of it.
    pub(super) fn into_loaded(self, path: &str, most: usize) -> LoadedFile {
        let shown = beginning(&self.text, most).len();
        let cut = shown < self.text.len();
        let mut text = self.text;
        text.truncate(shown);
        LoadedFile {
            path: path.to_owned(),
            hash: self.hash.hex(),
            md5: self.md5,
            size: self.size,
            language: Language::from_path(path).unwrap_or_default(),
            text,
            cut,
        }
    }
}

/// Returns the beginning of a text: whole lines, as many as fit; of a first line that is too long, a part.
pub(in crate::session) fn beginning(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let mut end = most;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let part = text.get(..end).unwrap_or_default();
    part.rfind('\n').map_or(part, |at| part.get(..=at).unwrap_or(part))
}
