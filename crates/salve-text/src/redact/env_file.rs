//! Secrets of `.env` files and environments, as values with names.
//!
//! In: the text of a `.env` file, or the name of a variable. Out: the values that are secret. Never
//! reads a file or the environment: the caller gives what it read.

use super::ExactSecret;

/// Parts of variables' names that promise a secret.
const WORDS: &[&str] = &[
    "SECRET",
    "TOKEN",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "PWD",
    "CREDENTIAL",
    "API_KEY",
    "APIKEY",
    "ACCESS_KEY",
    "PRIVATE_KEY",
    "AUTH",
    "SIGNING_KEY",
    "ENCRYPTION_KEY",
    "MASTER_KEY",
    "DATABASE_URL",
    "CONNECTION_STRING",
    "DSN",
    "WEBHOOK",
    "COOKIE",
    "SALT",
    "LICENSE_KEY",
    "SERVICE_KEY",
    "_PASS",
    "_KEY",
];

/// Variables of every system whose names only look that way.
const HARMLESS: &[&str] = &["PWD", "OLDPWD", "SSH_AUTH_SOCK", "XAUTHORITY", "GPG_AGENT_INFO"];

/// Returns whether a variable of this name holds a secret.
pub fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_uppercase().replace('-', "_");
    !HARMLESS.contains(&name.as_str()) && WORDS.iter().any(|word| name.contains(word))
}

/// Reads the values of a `.env` file whose names promise a secret.
///
/// Comments, `export`, quotes, escapes in double quotes and values over several lines in quotes are
/// read as the usual loaders do; references to other variables stay as they are written.
pub fn read_env_file(text: &str) -> Vec<ExactSecret> {
    let mut secrets = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let line_end = rest.find('\n').unwrap_or(rest.len());
        let line = rest.get(..line_end).unwrap_or_default();
        let mut next = rest.get(line_end..).unwrap_or_default();
        next = next.strip_prefix('\n').unwrap_or(next);
        if let Some((name, after)) = name_of(line) {
            let at = line.len() - after.len();
            let (value, used) = value_of(rest.get(at..).unwrap_or_default());
            let end = rest.get(at + used..).unwrap_or_default();
            if used > after.len() {
                next = end.find('\n').and_then(|at| end.get(at + 1..)).unwrap_or_default();
            }
            if is_secret_name(name) && !value.is_empty() {
                secrets.push(ExactSecret { name: name.to_ascii_lowercase(), value });
            }
        }
        rest = next;
    }
    secrets
}

// The name before the equals sign, and what follows it.
fn name_of(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start();
    let line = line.strip_prefix("export ").unwrap_or(line);
    if line.starts_with('#') {
        return None;
    }
    let (name, value) = line.split_once('=')?;
    let name = name.trim();
    let fits =
        |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-' | '.');
    (!name.is_empty() && name.chars().all(fits)).then(|| (name, value.trim_start()))
}

// The value, and how many bytes it takes; a quoted one may go over several lines.
fn value_of(text: &str) -> (String, usize) {
    let Some(mark) = text.chars().next().filter(|mark| matches!(mark, '"' | '\'' | '`')) else {
        return bare(text);
    };
    let mut value = String::new();
    let mut characters = text.char_indices().skip(1);
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' if mark == '"' => match characters.next() {
                Some((_, 'n')) => value.push('\n'),
                Some((_, 'r')) => value.push('\r'),
                Some((_, 't')) => value.push('\t'),
                Some((_, other)) => value.push(other),
                None => {}
            },
            _ if character == mark => return (value, at + 1),
            _ => value.push(character),
        }
    }
    // A quotation mark that never closes belongs to the line.
    bare(text)
}

fn bare(text: &str) -> (String, usize) {
    let line = text.lines().next().unwrap_or_default();
    let value = line.split_once(" #").map_or(line, |(value, _)| value);
    (value.trim().to_owned(), line.len())
}
