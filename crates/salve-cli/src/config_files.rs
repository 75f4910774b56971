//! Reads configuration files and replaces the user's own.
//!
//! In: a path, or a name in the user's configuration folder. Out: the text, or nothing where there is
//! no file. Never leaves a half-written file, and never writes outside the user's folder.

use crate::environment;
use crate::failure::Failure;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Reads a file that need not exist.
pub(crate) fn read(path: &Path) -> Result<Option<String>, Failure> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::new(format!("cannot read `{}`: {error}", path.display()))),
    }
}

/// Says what is wrong with a file's text, and in which line. The line itself is not shown: what is
/// wrong with it may be that it holds a key.
pub(crate) fn unusable(path: &Path, text: &str, error: &toml::de::Error) -> Failure {
    let before = error.span().and_then(|span| text.get(..span.start));
    let line = before.map_or(1, |before| before.matches('\n').count() + 1);
    Failure::new(format!("cannot use `{}`, line {line}: {}", path.display(), error.message()))
}

/// Returns the path of a file in the user's configuration folder.
pub(crate) fn of_user(name: &str) -> Result<PathBuf, Failure> {
    let folder = environment::user_config_folder().ok_or_else(|| {
        Failure::new("there is no folder for your configuration")
            .hint("Set HOME or XDG_CONFIG_HOME.")
    })?;
    Ok(folder.join(name))
}

/// Replaces a file of the user's configuration folder.
pub(crate) fn replace(name: &str, text: &str) -> Result<(), Failure> {
    let path = of_user(name)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    // A new file of mode 0600 takes the old one's place, so that a reader sees one or the other.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(&path)?;
    Ok(())
}
