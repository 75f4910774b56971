//! What people are told about an answer that is not whole.
//!
//! In: the answer. Out: the documented texts with their counts. Never speaks of success where nothing
//! was recovered.

use super::ChatAnswer;

/// The button that asks the original request again.
pub const RETRY_LABEL: &str = "🔄 Retry";
/// The button that accepts what was recovered.
pub const CONTINUE_LABEL: &str = "✓ Continue";

/// Returns the text above an answer of which only parts could be read; nothing for a whole one, and for
/// one of which nothing is left: there only trying again helps.
#[must_use]
pub fn recovery_banner(answer: &ChatAnswer) -> Option<String> {
    if !answer.recovered || answer.is_empty() {
        return None;
    }
    let counts = [
        (answer.todos.len(), "todo(s)"),
        (answer.next_steps.len(), "next step(s)"),
        (answer.commands.len(), "command(s)"),
        (answer.file_changes.len(), "file change(s)"),
        (answer.sections.len(), "section(s)"),
    ];
    let counted: Vec<String> = counts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    let recovered = if counted.is_empty() { "the summary".to_owned() } else { counted.join(", ") };
    Some(format!(
        "⚠️ AI response had errors - Recovery succeeded!\n\
         Recovered: {recovered}.\n\
         The content below may be incomplete."
    ))
}

/// Returns the text about the changes of an answer that was cut.
#[must_use]
pub fn blocked_banner(changes: usize) -> String {
    format!(
        "🚫 BLOCKED: {changes} file change(s) from truncated response.\n\
         The response was cut off mid-stream. NO changes have been applied."
    )
}
