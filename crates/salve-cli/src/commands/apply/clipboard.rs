//! The text of the clipboard.
//!
//! In: the programs that people have for it. Out: what the first of them that is there prints. Never
//! takes a program from a workspace: only those on the search path are tried, by their names.

use crate::failure::Failure;
use salve_check::{OwnCommandError, run_own_command};
use std::io::ErrorKind;
use std::time::Duration;

/// The programs, each with what it is asked for.
const PROGRAMS: &[&[&str]] = &[
    &["wl-paste", "--no-newline"],
    &["xclip", "-selection", "clipboard", "-out"],
    &["xsel", "--clipboard", "--output"],
    &["pbpaste"],
];
/// How long a program may take: the owner of a selection that hangs would hang it too.
const PATIENCE: Duration = Duration::from_secs(5);
/// The longest text that is taken.
const MOST_BYTES: u64 = 16 << 20;

/// Reads the clipboard.
pub(super) fn text() -> Result<String, Failure> {
    let mut refused = None;
    for words in PROGRAMS {
        match ask(words) {
            Ok(Some(text)) => return Ok(text),
            Ok(None) => {}
            Err(why) => {
                let program = words.first().copied().unwrap_or_default();
                refused = refused.or(Some(format!("{program}: {why}")));
            }
        }
    }
    Err(match refused {
        Some(why) => Failure::new(format!("the clipboard cannot be read: {why}"))
            .hint("`salve apply reply.md` reads a file; without one, standard input is read."),
        None => Failure::new("no program here reads the clipboard")
            .hint("Install wl-clipboard (Wayland), xclip or xsel (X11); macOS has pbpaste.")
            .hint("`salve apply reply.md` reads a file; without one, standard input is read."),
    })
}

// Nothing where the program is not there; the first line of its complaint where it fails.
fn ask(words: &[&str]) -> Result<Option<String>, String> {
    match run_own_command(words, PATIENCE, MOST_BYTES) {
        Ok(printed) => Ok(Some(String::from_utf8_lossy(&printed).into_owned())),
        Err(OwnCommandError::NotStarted { source, .. }) if source.kind() == ErrorKind::NotFound => {
            Ok(None)
        }
        Err(OwnCommandError::NotStarted { source, .. }) => Err(source.to_string()),
        Err(OwnCommandError::Failed { complaint: Some(complaint), .. }) => Err(complaint),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_not_there_is_passed_over_and_one_that_fails_says_why() {
        for (words, expected) in [
            (&["no-such-clipboard-anywhere"][..], Ok(None)),
            (&["printf", "a\\303"], Ok(Some("a\u{fffd}".to_owned()))),
            (&["sh", "-c", "echo no display >&2; exit 1"], Err("no display".to_owned())),
            (&["sh", "-c", "exit 1"], Err("`sh` failed: exit status: 1".to_owned())),
            (&["yes"], Err("`yes` printed more than 16777216 bytes".to_owned())),
        ] {
            assert_eq!(ask(words), expected, "{words:?}");
        }
    }
}
