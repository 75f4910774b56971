//! Reads what a command works on.
//!
//! In: a path, or standard input. Out: text. Never fails on bytes that are not UTF-8: they are
//! replaced, and the story says so.

use crate::failure::Failure;
use crate::output;
use std::io::{IsTerminal, Read};
use std::path::Path;

/// Reads a file, or standard input when the path is absent or `-`.
pub(crate) fn text(path: Option<&Path>) -> Result<String, Failure> {
    let named = path.filter(|path| *path != Path::new("-"));
    let bytes = match named {
        Some(path) => std::fs::read(path)
            .map_err(|error| Failure::new(format!("cannot read `{}`: {error}", path.display())))?,
        None => standard_input()?,
    };
    Ok(decode(bytes))
}

fn standard_input() -> Result<Vec<u8>, Failure> {
    let mut stdin = std::io::stdin();
    if stdin.is_terminal() {
        output::story("Reading from the terminal; end with Ctrl-D.\n");
    }
    let mut bytes = Vec::new();
    stdin.read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn decode(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| {
        let at = error.utf8_error().valid_up_to();
        output::story(&format!(
            "warning: byte {at} is not UTF-8; such bytes were replaced by U+FFFD.\n"
        ));
        String::from_utf8_lossy(error.as_bytes()).into_owned()
    })
}
