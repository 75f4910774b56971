//! The shell subset that Salve reads: simple commands joined with `&&`, `||`, `;` and `|`.
//!
//! In: one line of text. Out: the commands with every quote and escape resolved, or the one reason
//! why the line is outside the subset. Never expands, never executes, never guesses: what `bash`
//! would still have to compute is refused, and so is what a person could not see.

mod glob;
mod input;
mod lexer;
mod line;
mod parser;
mod pattern;
mod refusal;
mod render;
mod second_opinion;

pub use glob::{ListFolder, ListingBudget, MAX_MATCHES, expand_pattern};
pub use input::{MAX_LINE_BYTES, is_invisible};
pub use line::{CommandLine, Pipeline, Redirect, ShellWord, SimpleCommand, WordTarget};
pub use pattern::{Pattern, PatternError};
pub use refusal::{ShellRefusal, ShellRule};
pub use render::{quote_for_display, render_command_line};

/// Parses one line (rules P0 to P3 of the command policy, and the form of redirections).
///
/// # Errors
///
/// Returns the first reason why the line is outside the subset; the answer to that is to ask.
pub fn parse_command_line(line: &str) -> Result<CommandLine, ShellRefusal> {
    input::check(line)?;
    let parsed = parser::parse(line)?;
    second_opinion::check(line, &parsed)?;
    Ok(parsed)
}

/// Parses one line of bytes; what is not UTF-8 is refused as input (rule P0).
///
/// # Errors
///
/// Returns the first reason why the line is outside the subset.
pub fn parse_command_bytes(line: &[u8]) -> Result<CommandLine, ShellRefusal> {
    match std::str::from_utf8(line) {
        Ok(line) => parse_command_line(line),
        Err(error) => {
            let start = error.valid_up_to();
            let end = error.error_len().map_or(line.len(), |length| start + length);
            let span = salve_types::Span::new(start, end);
            let why = "the line is not UTF-8";
            Err(ShellRefusal::new(ShellRule::P0, "invalid text", span, why))
        }
    }
}

#[cfg(test)]
mod tests;
