//! The text of the clipboard.
//!
//! In: the programs that people have for it. Out: what the first of them that is there prints. Never
//! takes a program from a workspace: only those on the search path are tried, by their names.

use crate::failure::Failure;
use std::process::{Command, Stdio};

/// The programs, each with what it is asked for.
const PROGRAMS: &[(&str, &[&str])] = &[
    ("wl-paste", &["--no-newline"]),
    ("xclip", &["-selection", "clipboard", "-out"]),
    ("xsel", &["--clipboard", "--output"]),
    ("pbpaste", &[]),
];

/// Reads the clipboard.
pub(super) fn text() -> Result<String, Failure> {
    let mut refused = None;
    for (program, arguments) in PROGRAMS {
        match ask(program, arguments) {
            Ok(Some(text)) => return Ok(text),
            Ok(None) => {}
            Err(why) => refused = refused.or(Some(format!("{program}: {why}"))),
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
#[expect(clippy::disallowed_methods, reason = "the clipboard is read by a program of the system")]
fn ask(program: &str, arguments: &[&str]) -> Result<Option<String>, String> {
    let ended = Command::new(program).args(arguments).stdin(Stdio::null()).output();
    match ended {
        Ok(ended) if ended.status.success() => {
            Ok(Some(String::from_utf8_lossy(&ended.stdout).into_owned()))
        }
        Ok(ended) => {
            let said = String::from_utf8_lossy(&ended.stderr).trim().to_owned();
            Err(said.lines().next().unwrap_or("it failed without a word").to_owned())
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}
