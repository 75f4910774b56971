//! A change set with its contents.
//!
//! In: a change set. Out: the same with the old and the new bytes of every file. Never: a byte
//! that differs from the file's.

use super::{ChangeSet, ChangedFile, History};
use crate::blobs::Blobs;
use crate::journal::Version;
use crate::{TreeError, Workspace};
use serde::Serialize;

/// A change set with its contents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExportedChange {
    /// The change set.
    #[serde(flatten)]
    pub change: ChangeSet,
    /// The contents, in the order of its files.
    pub contents: Vec<ExportedFile>,
}

/// The contents of one file before and after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExportedFile {
    /// The path in the workspace.
    pub file_path: String,
    /// The bytes before; `None`: there was no file.
    #[serde(serialize_with = "as_text_or_hex")]
    pub old_content: Option<Vec<u8>>,
    /// The bytes after; `None`: there is no file.
    #[serde(serialize_with = "as_text_or_hex")]
    pub new_content: Option<Vec<u8>>,
}

impl History {
    /// Returns a change set with the old and new bytes of every file.
    pub fn export(&self, workspace: &Workspace, id: &str) -> Result<ExportedChange, TreeError> {
        let unknown = || TreeError::Unknown { what: format!("change set {id}") };
        let change = self.get(id).ok_or_else(unknown)?;
        let blobs = workspace.blobs()?.ok_or_else(unknown)?;
        let contents = change.files.iter().map(|file| export_file(&blobs, file));
        Ok(ExportedChange { change: change.clone(), contents: contents.collect::<Result<_, _>>()? })
    }
}

fn export_file(blobs: &Blobs<'_>, file: &ChangedFile) -> Result<ExportedFile, TreeError> {
    let bytes =
        |version: Option<Version>| version.map(|version| blobs.need(version.hash)).transpose();
    Ok(ExportedFile {
        file_path: file.file_path.clone(),
        old_content: bytes(file.old)?,
        new_content: bytes(file.new)?,
    })
}

/// JSON has no bytes: what is no text is written as `{"hex": …}`.
fn as_text_or_hex<S: serde::Serializer>(
    bytes: &Option<Vec<u8>>,
    out: S,
) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Hex {
        hex: String,
    }
    match bytes.as_deref().map(|bytes| (bytes, std::str::from_utf8(bytes))) {
        None => out.serialize_none(),
        Some((_, Ok(text))) => out.serialize_str(text),
        Some((bytes, Err(_))) => {
            Hex { hex: bytes.iter().map(|byte| format!("{byte:02x}")).collect() }.serialize(out)
        }
    }
}
