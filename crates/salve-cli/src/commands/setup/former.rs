//! What an agent's configuration was before it was pointed at the gateway.
//!
//! In: the text before and after a change of ours, and the text as it is now. Out: the text with what
//! was there before put back in its place. Kept in the user's data folder, readable by the user alone: a
//! configuration may hold keys. Never undoes what others changed since.

use crate::failure::Failure;
use crate::{config_files, host};
use serde::{Deserialize, Serialize};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// One change of ours.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Former {
    /// The configuration's path.
    pub(super) path: PathBuf,
    /// The gateway it was pointed at.
    pub(super) url: String,
    /// The text before; nothing when there was no file.
    pub(super) before: Option<String>,
    /// The text after.
    pub(super) after: String,
}

impl Former {
    /// Reads what is kept for an agent.
    pub(super) fn load(agent: &str) -> Option<Self> {
        let text = config_files::read(&place(agent).ok()?).ok()??;
        serde_json::from_str(&text).ok()
    }

    /// Keeps it, in place of what was kept for the agent.
    pub(super) fn keep(&self, agent: &str) -> Result<(), Failure> {
        let path = place(agent)?;
        let folder = path.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder)?;
        replace(&path, &serde_json::to_string(self)?, None)
    }

    /// Forgets what is kept for an agent.
    #[expect(
        clippy::disallowed_methods,
        reason = "a file of Salve's own, in the user's data folder"
    )]
    pub(super) fn forget(agent: &str) {
        if let Ok(path) = place(agent) {
            // What cannot be removed is replaced by the next setup.
            let _ = std::fs::remove_file(path);
        }
    }

    /// Returns the text with our change taken back, if it can be found in it.
    pub(super) fn restored(&self, now: &str) -> Option<String> {
        let before: Vec<&str> = self.before.as_deref()?.split_inclusive('\n').collect();
        let after: Vec<&str> = self.after.split_inclusive('\n').collect();
        let start = before.iter().zip(&after).take_while(|(old, new)| old == new).count();
        let room = before.len().min(after.len()) - start;
        let ends = before.iter().rev().zip(after.iter().rev());
        let end = ends.take(room).take_while(|(old, new)| old == new).count();
        let old = before.get(start..before.len() - end)?.concat();
        let new = after.get(start..after.len() - end)?.concat();
        if now == self.after {
            return self.before.clone();
        }
        // Others changed the file since: our lines must still be there, whole and once.
        let mut places = now
            .match_indices(&new)
            .filter(|(at, _)| *at == 0 || now.as_bytes().get(at - 1) == Some(&b'\n'));
        let (at, _) = places.next().filter(|_| !new.is_empty())?;
        let rest = now.get(at + new.len()..)?;
        places.next().is_none().then(|| [now.get(..at).unwrap_or_default(), &old, rest].concat())
    }
}

fn place(agent: &str) -> Result<PathBuf, Failure> {
    Ok(host::data_folder()?.join("setup").join(format!("{agent}.json")))
}

/// Puts a text in the place of a file, all of it or nothing; a link stays a link.
pub(super) fn replace(path: &Path, text: &str, mode: Option<u32>) -> Result<(), Failure> {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = real.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(|error| {
        Failure::new(format!("cannot write to `{}`: {error}", folder.display()))
    })?;
    file.write_all(text.as_bytes())?;
    if let Some(mode) = mode {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
        file.as_file().set_permissions(mode)?;
    }
    file.as_file().sync_all()?;
    file.persist(&real)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn restored(before: Option<&str>, after: &str, now: &str) -> Option<String> {
        let former = Former {
            path: PathBuf::new(),
            url: String::new(),
            before: before.map(str::to_owned),
            after: after.to_owned(),
        };
        former.restored(now)
    }

    #[test]
    fn what_was_there_comes_back_and_what_others_wrote_stays() {
        let (before, after) = ("a: 1\nurl: old\nb: 2\n", "a: 1\nurl: gate\nb: 2\n");
        let cases = [
            (after, Some(before)),
            ("new: 0\na: 1\nurl: gate\nb: 3\n", Some("new: 0\na: 1\nurl: old\nb: 3\n")),
            ("a: 1\nurl: other\nb: 2\n", None),
            ("url: gate\nurl: gate\n", None),
            ("a: 1\nx-url: gate\n", None),
        ];
        for (now, expected) in cases {
            assert_eq!(restored(Some(before), after, now).as_deref(), expected, "{now:?}");
        }
        assert_eq!(restored(Some("a\n"), "a\nurl\n", "z\na\nurl\n").as_deref(), Some("z\na\n"));
        assert_eq!(restored(None, "url\n", "url\n"), None);
    }
}
