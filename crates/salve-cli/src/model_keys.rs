//! Finds the keys of providers where the user's settings say they are kept.
//!
//! In: the name of a variable, of a file or of a command. Out: the key, or why there is none. Never
//! prints any of it.

use crate::environment;
use crate::failure::Failure;
use salve_model::{KeySource, Secret, read_key_file};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a password manager may take, the person's typing included.
const PATIENCE: Duration = Duration::from_secs(120);

/// Fetches a key.
pub(crate) fn fetch(source: &KeySource) -> Result<Secret, Failure> {
    match source {
        KeySource::Environment(name) => {
            let text = environment::value(name)
                .ok_or_else(|| Failure::new(format!("the variable {name} is not set")))?;
            Ok(Secret::new(text)?)
        }
        KeySource::File(path) => Ok(read_key_file(&at_home(path))?),
        KeySource::Command(words) => {
            Ok(Secret::new(salve_check::run_key_command(words, PATIENCE)?)?)
        }
        other => Err(Failure::new(format!("a key cannot be fetched from the {other}"))),
    }
}

/// Looks whether a key is there, without running anything.
pub(crate) fn look(source: &KeySource) -> Result<String, Failure> {
    if matches!(source, KeySource::Command(_)) {
        return Ok(format!("key from {source}, which is not run for this"));
    }
    fetch(source).map(|_| format!("key found in {source}"))
}

// `~/` is what people write in settings, and no shell is there to read it.
fn at_home(path: &Path) -> PathBuf {
    match (path.strip_prefix("~"), environment::value("HOME")) {
        (Ok(rest), Some(home)) => PathBuf::from(home).join(rest),
        _ => path.to_owned(),
    }
}
