//! Draws what was given to the provider, for people.
//!
//! In: the payload of `filesUploaded`. Out: lines of the story: what was uploaded, re-used, left out and why. Never
//! shows a control character of a foreign text as one.

use super::{list, text};
use crate::change::visible;
use serde_json::Value;

/// Draws the event.
pub(super) fn line(payload: &Value) -> String {
    let mut shown = format!("{}\n", text(payload, "text"));
    match payload["refused"].as_str() {
        Some("model_not_agentic") => {
            let model = visible(&text(payload, "model"));
            shown.push_str(&format!(
                "  {model} cannot search in files by itself (model_not_agentic)\n"
            ));
        }
        Some("provider_has_no_files") => {
            let model = visible(&text(payload, "model"));
            shown.push_str(&format!(
                "  the provider of {model} keeps no files (provider_has_no_files)\n"
            ));
        }
        Some(code) => shown.push_str(&format!("  {}\n", visible(code))),
        None => {}
    }
    for key in ["uploaded", "reused"] {
        for file in payload[key].as_array().into_iter().flatten() {
            let (path, id) = (visible(&text(file, "path")), visible(&text(file, "fileId")));
            let end = match file["expiresAt"].as_str() {
                Some(end) => format!("until {}", visible(end)),
                None => "until it is deleted".to_owned(),
            };
            shown.push_str(&format!("  {path} {id} ({}, {end})\n", text(file, "code")));
        }
    }
    for file in payload["skipped"].as_array().into_iter().flatten() {
        let code = file["code"].as_str().or_else(|| file["code"]["omitted"].as_str());
        let (path, code) = (visible(&text(file, "path")), code.unwrap_or_default());
        let why = file["why"].as_str().map(|why| format!(": {}", visible(why)));
        let size = file["size"].as_u64().filter(|size| *size > 0);
        let size = size.map(|size| format!(", {size} bytes")).unwrap_or_default();
        let why = why.unwrap_or_default();
        shown.push_str(&format!("  {path} was not uploaded ({code}{size}){why}\n"));
    }
    for path in list(payload, "deleted") {
        shown.push_str(&format!("  {} was deleted there: its time is over\n", visible(&path)));
    }
    shown
}
