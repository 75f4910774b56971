//! The uploads of one turn: which files, and what became of each.
//!
//! In: the files that a turn read, those too large to be read, the records of its session. Out: texts to upload, read
//! by the rules of loading; then what goes with the request, and the event that says so. A file that is not uploaded
//! stays in the prompt where it was. Never reads what `load` refuses.

use super::{MOST_UPLOADS, UploadSettings};
use crate::heal::RepairError;
use crate::session::driver::take_result;
use crate::session::event::{EventName, TurnEvent};
use crate::session::load::{OmitCode, read_text};
use crate::session::machine::TurnResult;
use crate::session::state::SavedTurn;
use salve_store::{UploadRecord, UploadState};
use salve_tree::Root;
use salve_types::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::Path;

/// What a turn knows of uploads.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TurnUploads {
    /// Files that fit the plan and are too large for a prompt.
    pub wanted: Vec<String>,
    /// The files that go with the request by their ids.
    pub files: Vec<AttachedFile>,
    /// Those that do not.
    pub skipped: Vec<SkippedFile>,
    /// Why none does.
    pub refused: Option<RefusedUploads>,
    /// How often the provider searched in them in this turn.
    pub searches: u64,
}

/// A file that goes with a request by its id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AttachedFile {
    /// The file, relative to the workspace.
    pub path: String,
    /// The provider's id.
    pub file_id: String,
    /// The name it was sent under.
    pub sent_as: String,
    /// The hash of all of it.
    pub hash: String,
    /// Its size in bytes.
    pub size: u64,
    /// When its time is over.
    pub expires_at: Option<Timestamp>,
    /// What was done about it.
    pub code: UploadCode,
}

/// What was done about a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UploadCode {
    /// It was uploaded for the first time.
    Uploaded,
    /// The provider had it already.
    Reused,
    /// Its time was over, or the provider had lost it: it was uploaded again.
    Rehydrated,
    /// It has changed since it was uploaded: it was uploaded again.
    Changed,
}

impl UploadCode {
    /// Tells whether the file is another one than the model may know.
    #[must_use]
    pub const fn is_changed(self) -> bool {
        matches!(self, Self::Changed)
    }
}

/// Why a file was not uploaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SkipCode {
    /// It is larger than what may be uploaded.
    TooLarge,
    /// It may not be loaded, for this reason.
    Omitted(OmitCode),
    /// There were enough files.
    FileLimit,
    /// The provider refused, or did not answer.
    ProviderFailed,
}

/// A file that was not uploaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedFile {
    /// The file, relative to the workspace.
    pub path: String,
    /// Why.
    pub code: SkipCode,
    /// Its size in bytes, where it is known.
    pub size: u64,
    /// What the provider said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// Why nothing was uploaded: the texts go into the prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusedUploads {
    /// The model cannot search in files by itself.
    ModelNotAgentic,
    /// The provider has no place for files.
    ProviderHasNoFiles,
    /// No model can be asked.
    NoModel,
}

/// What a turn's uploads came to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct UploadOutcome {
    /// The model that was to get them.
    pub model: String,
    /// Why nothing was uploaded.
    pub refused: Option<RefusedUploads>,
    /// The files that go with the request.
    pub attached: Vec<AttachedFile>,
    /// Those that do not.
    pub skipped: Vec<SkippedFile>,
    /// Uploads of any session that were deleted because their time was over.
    pub deleted: Vec<String>,
}

/// A file that may be uploaded, as it is on the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalFile {
    /// The file, relative to the workspace.
    pub path: String,
    /// Its text.
    pub text: String,
    /// The hash of all of it.
    pub hash: String,
    /// Its size in bytes.
    pub size: u64,
}

impl LocalFile {
    /// Returns its name without its folders.
    #[must_use]
    pub fn filename(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }
}

/// The files that may be uploaded, and those that may not.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LocalFiles {
    /// The files.
    pub files: Vec<LocalFile>,
    /// Those that may not.
    pub skipped: Vec<SkippedFile>,
}

/// Reads a file for an upload, by the rules of loading.
///
/// # Errors
/// Why it may not be uploaded.
pub fn local_file(root: &Root, path: &str, most: u64) -> Result<LocalFile, SkippedFile> {
    match read_text(root, path, most) {
        Ok(read) => Ok(LocalFile {
            path: path.to_owned(),
            text: read.text,
            hash: read.hash.hex(),
            size: read.size,
        }),
        Err((code, size)) => {
            let code = match code {
                OmitCode::TooLarge => SkipCode::TooLarge,
                code => SkipCode::Omitted(code),
            };
            Err(SkippedFile { path: path.to_owned(), code, size, why: None })
        }
    }
}

/// Lists the files of a turn that may be uploaded: those it read, those too large for a prompt, and those that were
/// uploaded before. Where nothing is uploaded by itself, only the last.
#[must_use]
pub fn wanted_paths(
    saved: &SavedTurn,
    records: &[UploadRecord],
    settings: &UploadSettings,
    now: Timestamp,
) -> Vec<String> {
    let read = saved.files.iter().map(|file| &file.path).chain(&saved.uploads.wanted);
    let read = read.filter(|_| settings.auto);
    let mut paths: Vec<String> = Vec::new();
    let kept = records.iter().filter(|record| is_kept(record, now)).map(|record| &record.path);
    for path in read.chain(kept) {
        if !paths.contains(path) {
            paths.push(path.clone());
        }
    }
    paths
}

// What a person deleted stays so; what was deleted because its time was over comes back with its session.
fn is_kept(record: &UploadRecord, now: Timestamp) -> bool {
    let is_over = record.ttl_hours == 0 || record.expires_at.is_some_and(|end| end <= now);
    record.state != UploadState::Deleted || is_over
}

/// Reads files for an upload.
///
/// # Errors
/// When the workspace cannot be opened.
pub fn local_files(
    root: &Path,
    paths: &[String],
    settings: &UploadSettings,
) -> Result<LocalFiles, RepairError> {
    let root = Root::open(root).map_err(|error| RepairError::Io(error.to_string()))?;
    let most = settings.max_bytes.min(salve_model::MOST_FILE_BYTES);
    let mut local = LocalFiles::default();
    for path in paths {
        if local.files.len() >= MOST_UPLOADS {
            let code = SkipCode::FileLimit;
            local.skipped.push(SkippedFile { path: path.clone(), code, size: 0, why: None });
            continue;
        }
        match local_file(&root, path, most) {
            Ok(file) => local.files.push(file),
            Err(skipped) => local.skipped.push(skipped),
        }
    }
    Ok(local)
}

/// Takes what the uploads of a turn came to.
///
/// # Errors
/// Never, while the turn uploads.
pub fn take_uploads(saved: &mut SavedTurn, outcome: UploadOutcome) -> Result<(), RepairError> {
    // What was said before in this turn is not said again.
    let ids = |files: &[AttachedFile]| -> Vec<String> {
        files.iter().map(|file| file.file_id.clone()).collect()
    };
    let before = &saved.uploads;
    let is_new = ids(&outcome.attached) != ids(&before.files)
        || outcome.skipped != before.skipped
        || outcome.refused != before.refused;
    if is_new || !outcome.deleted.is_empty() {
        saved.effects.say(told(&outcome));
    }
    for file in &outcome.attached {
        // The model can read all of it, so that it may change it.
        saved.bases.insert(file.path.clone(), file.hash.clone());
        let named = format!("{} (", file.path);
        saved.omitted.retain(|omitted| !omitted.starts_with(&named));
    }
    saved.uploads.files = outcome.attached;
    (saved.uploads.skipped, saved.uploads.refused) = (outcome.skipped, outcome.refused);
    take_result(&mut saved.machine, TurnResult::Uploaded)
}

fn told(outcome: &UploadOutcome) -> TurnEvent {
    let of = |reused: bool| -> Vec<Value> {
        let is_meant = |file: &&AttachedFile| (file.code == UploadCode::Reused) == reused;
        outcome.attached.iter().filter(is_meant).map(shown).collect()
    };
    let (uploaded, reused) = (of(false), of(true));
    let text = match outcome.refused {
        Some(_) => "📤 Nothing uploaded: the files are in the message".to_owned(),
        None => format!(
            "📤 Uploaded {}, re-used {}, skipped {}",
            uploaded.len(),
            reused.len(),
            outcome.skipped.len()
        ),
    };
    let payload = json!({
        "text": text, "model": outcome.model, "refused": outcome.refused, "uploaded": uploaded,
        "reused": reused, "skipped": outcome.skipped, "deleted": outcome.deleted,
    });
    TurnEvent::new(EventName::FilesUploaded, payload)
}

fn shown(file: &AttachedFile) -> Value {
    json!({
        "path": file.path, "fileId": file.file_id, "size": file.size, "hash": file.hash,
        "expiresAt": file.expires_at.map(|end| end.to_string()),
        "expiresAtMs": file.expires_at.map(|end| end.0), "code": file.code,
    })
}
