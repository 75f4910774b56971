//! Diagnostics, told to others: machines, a workflow's log, a model.
//!
//! In: diagnostics. Out: text in the form that its reader expects. Never prints, never leaves a
//! diagnostic out in silence, never cuts inside a character. Drawing into the source is the command
//! line's own work.

mod for_model;
mod github;
mod sarif;

pub use for_model::{failure_text, for_model};
pub use github::github_commands;
pub use sarif::sarif_log;

use salve_types::{Diagnostic, Severity};

const fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

// The headline with what was added to it, one line for each.
fn message_with_notes(diagnostic: &Diagnostic) -> String {
    let mut text = diagnostic.message.clone();
    for note in &diagnostic.notes {
        text.push('\n');
        text.push_str(&note.kind);
        text.push_str(": ");
        text.push_str(&note.message);
    }
    text
}
