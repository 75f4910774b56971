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

pub use glob::{ListFolder, MAX_MATCHES, expand_pattern};
pub use input::{MAX_LINE_BYTES, is_invisible};
pub use line::{CommandLine, Pipeline, Redirect, ShellWord, SimpleCommand, WordTarget};
pub use pattern::{Pattern, PatternError};
pub use refusal::{ShellRefusal, ShellRule};

/// Parses one line (rules P0 to P3 of the command policy, and the form of redirections).
///
/// # Errors
///
/// Returns the first reason why the line is outside the subset; the answer to that is to ask.
pub fn parse_command_line(line: &str) -> Result<CommandLine, ShellRefusal> {
    input::check(line)?;
    parser::parse(line)
}
