//! Uploads as people, models and other tools see them.
//!
//! In: records, and the files that go with a request. Out: the section of the message that names them, and the record
//! as the documents write it. Never a content.

use super::turn::AttachedFile;
use crate::session::one_line::one_line;
use salve_store::UploadRecord;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

/// Writes the section of a message that names the files the provider has.
#[must_use]
pub fn uploaded_section(files: &[AttachedFile], hash_label: &str) -> String {
    if files.is_empty() {
        return String::new();
    }
    let mut out = String::from(
        "\n\n## UPLOADED FILES\n\nThese files are attached by their ids; their text is not in this message. Search in \
         them before you answer, as often as you need. A hash is of the whole file as it is now: what you knew of a \
         file that is marked CHANGED no longer holds.\n",
    );
    for file in files {
        let AttachedFile { path, sent_as, file_id, hash, code, .. } = file;
        let (path, sent_as, id) = (one_line(path), one_line(sent_as), one_line(file_id));
        let changed = if code.is_changed() { " CHANGED" } else { "" };
        let _ =
            write!(out, "\n- {path} [{hash_label}: {hash}]{changed}, attached as {sent_as} ({id})");
    }
    out
}

/// Returns a record as the documents write it.
#[must_use]
pub fn upload_document(record: &UploadRecord) -> Value {
    let filename = Path::new(&record.path).file_name().map(|name| name.to_string_lossy());
    json!({
        "fileId": record.file_id,
        "localPath": Path::new(&record.workspace).join(&record.path),
        "filename": filename,
        "size": record.size,
        "uploadedAt": record.uploaded_at.to_string(),
        "hash": record.hash,
        "expiresAt": record.expires_at.map(|end| end.to_string()),
        "provider": record.provider,
        "state": record.state.name(),
        "ttlHours": record.ttl_hours,
    })
}
