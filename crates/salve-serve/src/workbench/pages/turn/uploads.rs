//! What an event says of uploads, in words.
//!
//! In: the payload of `filesUploaded`. Out: plain data for the view. Each code has its words; one that a later version
//! writes is shown as it is. Never decides anything.

use super::{text, texts};
use crate::workbench::view::chat::{UploadView, UploadsView};
use serde_json::Value;

/// Reads an event about uploads.
pub(super) fn uploads_view(payload: &Value) -> UploadsView {
    let files = |key: &str| payload[key].as_array().into_iter().flatten().map(upload);
    let skipped = payload["skipped"].as_array().into_iter().flatten();
    let deleted = texts(payload, "deleted").len();
    let mut words = text(payload, "text");
    if deleted > 0 {
        words.push_str(&format!("; deleted {deleted} whose time was over"));
    }
    UploadsView {
        words,
        refused: payload["refused"].as_str().map(|code| refusal(code).to_owned()),
        files: files("uploaded").chain(files("reused")).collect(),
        skipped: skipped.map(|file| (text(file, "path"), reason(file))).collect(),
    }
}

fn upload(file: &Value) -> UploadView {
    let state = match file["code"].as_str() {
        Some("uploaded") => "Uploaded",
        Some("reused") => "Re-used",
        Some("rehydrated") => "Uploaded again",
        Some("changed") => "Changed, uploaded again",
        other => other.unwrap_or_default(),
    };
    UploadView {
        path: text(file, "path"),
        id: text(file, "fileId"),
        state: state.to_owned(),
        reused: file["code"] == "reused",
        expires_at: file["expiresAtMs"].as_i64(),
    }
}

fn refusal(code: &str) -> &str {
    match code {
        "model_not_agentic" => "The model cannot search in files; their texts are in the message.",
        "provider_has_no_files" => "The provider keeps no files; their texts are in the message.",
        "no_model" => "No model can be asked.",
        other => other,
    }
}

fn reason(file: &Value) -> String {
    let code = &file["code"];
    match code.as_str().or_else(|| code["omitted"].as_str()) {
        Some("too_large") => format!("{} bytes are more than may be uploaded", file["size"]),
        Some("secret") => "holds secrets by its name".to_owned(),
        Some("binary" | "encoding") => "is no text".to_owned(),
        Some("file_limit") => "there were enough files".to_owned(),
        Some("provider_failed") => text(file, "why"),
        Some(other) => other.replace('_', " "),
        None => String::new(),
    }
}
