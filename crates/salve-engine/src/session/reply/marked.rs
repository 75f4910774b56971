//! Commands in the text of an answer, behind the mark of a screen.
//!
//! In: text that is certain. Out: the lines that are marked as commands. Never decides whether one may
//! run: it is proposed like any other.

use super::SuggestedCommand;

const SCREEN: char = '\u{1f5a5}';
const AS_PICTURE: char = '\u{fe0f}';

/// Lists the commands that a text marks: `🖥️ tsc --noEmit`, also inside backticks or before them.
pub(super) fn marked_commands(text: &str) -> Vec<SuggestedCommand> {
    let mut found: Vec<SuggestedCommand> = Vec::new();
    for line in text.lines() {
        let Some((before, after)) = line.split_once(SCREEN) else { continue };
        let after = after.strip_prefix(AS_PICTURE).unwrap_or(after).trim_start();
        let is_inside = before.matches('`').count() % 2 == 1;
        let command = match (is_inside, after.strip_prefix('`')) {
            (true, _) => after.split('`').next(),
            (false, Some(quoted)) => quoted.trim_start_matches('`').split('`').next(),
            (false, None) => Some(after),
        };
        let command = command.unwrap_or_default().trim();
        let command = command.strip_prefix("$ ").unwrap_or(command);
        if !command.is_empty() && found.iter().all(|known| known.command != command) {
            found.push(SuggestedCommand {
                command: command.to_owned(),
                ..SuggestedCommand::default()
            });
        }
    }
    found
}
