//! The request of a turn with its files, its failed searches and its plan.
//!
//! In: what the user wrote and what was loaded for it. Out: the one message that is sent. Never a fence
//! that a file could close, and no hash for a file of which only the beginning is shown.

use crate::session::one_line::{one_line, quoted};
use salve_text::fence_around;
use salve_types::Language;
use serde_json::Value;
use std::fmt::Write as _;

/// What a model is told when a search found nothing.
pub const SEARCH_FAILED: &str = "⚠️ FILE SEARCH FAILED - DO NOT PRETEND YOU HAVE ACCESS";

/// A file as it is attached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadedText {
    /// The file, relative to the workspace.
    pub path: String,
    /// What its hash is called.
    pub hash_label: String,
    /// The hash of its whole content.
    pub hash: String,
    /// The content, or its beginning.
    pub text: String,
    /// Whether only the beginning is there.
    pub cut: bool,
}

/// Writes the message of a turn.
///
/// `failures` are the patterns for which nothing was found.
#[must_use]
pub fn user_message(
    original: &str,
    files: &[LoadedText],
    failures: &[String],
    plan: Option<&Value>,
) -> String {
    let mut out = original.trim_end().to_owned();
    if let Some(plan) = plan {
        let plan = serde_json::to_string_pretty(plan).unwrap_or_default();
        let fence = fence_around(&plan);
        let _ = write!(out, "\n\n## PLAN\n\n{fence}json\n{plan}\n{fence}");
    }
    if !files.is_empty() {
        out.push_str("\n\n## ATTACHED FILES");
    }
    for file in files {
        let _ = write!(out, "\n\n{}", attached_file(file));
    }
    if !failures.is_empty() {
        let _ = write!(out, "\n\n{SEARCH_FAILED}\nNothing was found for:");
        for pattern in failures {
            let _ = write!(out, "\n- {}", quoted(pattern));
        }
        out.push_str(
            "\nAsk the user to attach the file or to name its path. Send no fileChanges for it.",
        );
    }
    out
}

/// Writes one file with its heading.
#[must_use]
pub fn attached_file(file: &LoadedText) -> String {
    let path = one_line(&file.path);
    let heading = if file.cut {
        let shown = file.text.len();
        format!(
            "[CUT: only the first {shown} bytes are shown; ask for the file before you change it]"
        )
    } else {
        format!("[{}: {}]", file.hash_label, file.hash)
    };
    let fence = fence_around(&file.text);
    let language = Language::from_path(&file.path).map_or("", Language::name);
    let end = if file.text.is_empty() || file.text.ends_with('\n') { "" } else { "\n" };
    format!("### {path} {heading}\n{fence}{language}\n{}{end}{fence}", file.text)
}
