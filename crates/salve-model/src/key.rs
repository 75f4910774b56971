//! Keys of providers: where they are kept, and how they are held.
//!
//! In: the name of a variable, of a file or of a command, as data; the text of a key. Out: a value
//! that prints as stars. A workspace is no place for a key, so there is no way to say so. Never
//! reads the environment, never starts a command: the command line does, and hands over the text.

use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Where a key is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum KeySource {
    /// A variable of the environment.
    Environment(String),
    /// A file that only its owner can read.
    File(PathBuf),
    /// A command that prints it, like a password manager's.
    Command(Vec<String>),
}

impl fmt::Display for KeySource {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Environment(name) => write!(out, "variable {name}"),
            Self::File(path) => write!(out, "file {}", path.display()),
            Self::Command(words) => {
                write!(out, "command {}", words.first().map_or("", String::as_str))
            }
        }
    }
}

// Written by hand, because a derived one repeats what it did not expect, and what people write here
// by mistake is the key.
impl<'de> Deserialize<'de> for KeySource {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OneSource)
    }
}

struct OneSource;

const FORMS: &str = "a key's place: { environment = \"NAME\" }, { file = \"PATH\" } or \
                     { command = [\"WORD\", …] }; the key itself is never written here";

impl<'de> Visitor<'de> for OneSource {
    type Value = KeySource;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(FORMS)
    }

    fn visit_str<E: serde::de::Error>(self, _: &str) -> Result<KeySource, E> {
        Err(E::custom(format_args!("expected {FORMS}")))
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<KeySource, M::Error> {
        use serde::de::Error;
        let wrong = || M::Error::custom(format_args!("expected {FORMS}"));
        let name: String = map.next_key()?.ok_or_else(wrong)?;
        let source = match name.as_str() {
            "environment" => KeySource::Environment(map.next_value().map_err(|_| wrong())?),
            "file" => KeySource::File(map.next_value().map_err(|_| wrong())?),
            "command" => KeySource::Command(map.next_value().map_err(|_| wrong())?),
            _ => return Err(wrong()),
        };
        if map.next_key::<IgnoredAny>()?.is_some() {
            return Err(wrong());
        }
        Ok(source)
    }
}

/// A text that must not be seen. It prints as `***` and is overwritten when it is dropped.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Takes a key as it was found; the line break at its end is not part of it.
    ///
    /// # Errors
    /// When it is empty, or holds something no HTTP header can carry.
    pub fn new(text: impl Into<String>) -> Result<Self, KeyError> {
        let held = Self(text.into());
        let key = held.0.trim();
        if key.is_empty() {
            return Err(KeyError::Empty);
        }
        if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(KeyError::NotOneWord);
        }
        Ok(Self(key.to_owned()))
    }

    /// Returns the text, for the one place that sends it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("***")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("***")
    }
}

impl Drop for Secret {
    fn drop(&mut self) {
        let mut bytes = std::mem::take(&mut self.0).into_bytes();
        bytes.fill(0);
        // Looked at once more, so that the compiler does not leave the overwriting out.
        std::hint::black_box(&bytes);
    }
}

/// Why a key cannot be had. None of these holds any of its text.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The file cannot be read.
    #[error("cannot read the key file `{path}`")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// Others may read or write it.
    #[error("others can open the key file `{path}` (mode {mode:04o}); run `chmod 600` on it")]
    OpenToOthers {
        /// The file.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// It belongs to someone else.
    #[error("the key file `{path}` belongs to user {owner}, not to you; make a copy of your own")]
    NotYours {
        /// The file.
        path: PathBuf,
        /// Its owner.
        owner: u32,
    },
    /// It is a folder, a device, or far too large.
    #[error("`{path}` is not a key file; it should be a small regular file with the key alone")]
    NotAKeyFile {
        /// The file.
        path: PathBuf,
    },
    /// There is nothing in it.
    #[error("the key is empty")]
    Empty,
    /// It is more than a key.
    #[error("the key is not one word of printable characters; keep nothing else with it")]
    NotOneWord,
}

const LONGEST_KEY_FILE: u64 = 16 * 1024;

/// Reads a key from a file of its owner alone.
///
/// # Errors
/// When the file cannot be read, belongs to someone else, is open to others, or holds no key.
pub fn read_key_file(path: &Path) -> Result<Secret, KeyError> {
    let at = || path.to_owned();
    let unreadable = |source| KeyError::Unreadable { path: at(), source };
    // A named pipe would wait for a writer, so what it is is asked before it is opened, and what was
    // opened is asked again.
    let regular =
        |metadata: &std::fs::Metadata| metadata.is_file() && metadata.len() <= LONGEST_KEY_FILE;
    if !regular(&std::fs::metadata(path).map_err(unreadable)?) {
        return Err(KeyError::NotAKeyFile { path: at() });
    }
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let metadata = file.metadata().map_err(unreadable)?;
    if !regular(&metadata) {
        return Err(KeyError::NotAKeyFile { path: at() });
    }
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(KeyError::NotYours { path: at(), owner: metadata.uid() });
    }
    let mode = metadata.mode() & 0o7777;
    if mode & 0o077 != 0 {
        return Err(KeyError::OpenToOthers { path: at(), mode });
    }
    let mut text = String::new();
    file.take(LONGEST_KEY_FILE).read_to_string(&mut text).map_err(unreadable)?;
    Secret::new(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::unix::fs::PermissionsExt;

    fn key_file(text: &[u8], mode: u32) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text).unwrap();
        file.as_file().set_permissions(std::fs::Permissions::from_mode(mode)).unwrap();
        file
    }

    #[test]
    fn a_key_file_is_read_when_it_is_its_owners_alone() {
        let read = |text: &[u8], mode| read_key_file(key_file(text, mode).path());
        assert_eq!(read(b"sk-abc\n", 0o600).unwrap().expose(), "sk-abc");
        assert_eq!(read(b"sk-abc", 0o400).unwrap().expose(), "sk-abc");
        for mode in [0o644, 0o640, 0o604, 0o660, 0o620] {
            let error = read(b"sk-abc", mode).unwrap_err();
            assert!(matches!(error, KeyError::OpenToOthers { .. }), "{mode:o}: {error}");
        }
        assert!(matches!(read(b" \n", 0o600), Err(KeyError::Empty)));
        assert!(matches!(read(b"a\nb", 0o600), Err(KeyError::NotOneWord)));
        assert!(matches!(read(b"a\0b", 0o600), Err(KeyError::NotOneWord)));
        assert!(matches!(read(b"\xff\xfe", 0o600), Err(KeyError::Unreadable { .. })));
        assert!(matches!(read(&[b'x'; 20_000], 0o600), Err(KeyError::NotAKeyFile { .. })));
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(read_key_file(folder.path()), Err(KeyError::NotAKeyFile { .. })));
        let missing = read_key_file(&folder.path().join("no")).unwrap_err();
        assert!(matches!(missing, KeyError::Unreadable { .. }));
    }

    #[test]
    fn a_secret_prints_as_stars_everywhere() {
        let secret = Secret::new("sk-planted-value").unwrap();
        let shown = format!("{secret} {secret:?} {:?} {:#?}", Some(&secret), vec![&secret]);
        assert!(!shown.contains("planted") && shown.contains("***"), "{shown}");
        let error = Secret::new("sk planted").unwrap_err();
        assert!(!format!("{error} {error:?}").contains("planted"));
    }

    #[test]
    fn a_key_source_is_a_variable_a_file_or_a_command() {
        #[derive(Deserialize)]
        struct Holder {
            key: KeySource,
        }
        let read = |text: &str| toml::from_str::<Holder>(text).map(|holder| holder.key);
        let variable = KeySource::Environment("XAI_API_KEY".to_owned());
        assert_eq!(read("key = { environment = 'XAI_API_KEY' }").unwrap(), variable);
        assert!(matches!(read("key = { file = '/k' }"), Ok(KeySource::File(_))));
        assert!(matches!(read("key = { command = ['pass', 'xai'] }"), Ok(KeySource::Command(_))));
        for refused in ["key = 'sk-abc'", "key = { value = 'sk-abc' }", "key = { workspace = 'k' }"]
        {
            assert!(read(refused).is_err(), "{refused}");
        }
    }
}
