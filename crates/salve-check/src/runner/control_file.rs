//! `.salve/CONTROL.md`: where a person stops the loop, and Salve stops itself.
//!
//! In: the text of the file. Out: whether runs are paused; the text with PAUSE added. Never removes
//! a word of the person's, and never lets a symlink stand in for the file.

use super::state::StateFolder;
use std::io::Result;
use std::path::Path;

/// The file in Salve's folder.
pub(super) const CONTROL: &str = "CONTROL.md";
/// More than a person writes; a longer file is read up to here.
const LONGEST: u64 = 1 << 20;

/// Returns whether the text says PAUSE: the word alone on a line, as a heading or an item if you
/// like, in any case. A later RESUME lifts it.
#[must_use]
pub fn is_paused(text: &str) -> bool {
    let mut paused = false;
    for line in text.lines() {
        let word = line.trim_matches(|c: char| c.is_whitespace() || "#*-+>_`.!:[]".contains(c));
        if word.eq_ignore_ascii_case("pause") {
            paused = true;
        } else if word.eq_ignore_ascii_case("resume") {
            paused = false;
        }
    }
    paused
}

/// Returns whether the control file of a workspace says PAUSE.
pub(super) fn is_workspace_paused(state: &StateFolder) -> Result<bool> {
    let bytes = state.read(CONTROL, LONGEST)?.unwrap_or_default();
    Ok(is_paused(&String::from_utf8_lossy(&bytes)))
}

/// Writes PAUSE or RESUME below whatever is in the control file of a workspace, where it says otherwise now.
///
/// # Errors
/// When the file cannot be read or written.
pub fn set_paused(workspace: &Path, paused: bool, reason: &str) -> Result<()> {
    let state = StateFolder::open(workspace)?;
    match (is_workspace_paused(&state)?, paused) {
        (false, true) => pause(&state, reason),
        (true, false) => add(&state, "RESUME", reason),
        _ => Ok(()),
    }
}

/// Adds PAUSE and the reason below whatever is in the control file.
pub(super) fn pause(state: &StateFolder, reason: &str) -> Result<()> {
    add(state, "PAUSE", reason)
}

fn add(state: &StateFolder, word: &str, reason: &str) -> Result<()> {
    let mut text = state.read(CONTROL, LONGEST)?.unwrap_or_default();
    if !text.is_empty() && !text.ends_with(b"\n") {
        text.push(b'\n');
    }
    if !text.is_empty() {
        text.push(b'\n');
    }
    text.extend_from_slice(format!("# {word}\n\n{reason}\n").as_bytes());
    state.replace(CONTROL, &text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn h46_the_word_pause_on_a_line_of_its_own_pauses() {
        for (text, paused) in [
            ("", false),
            ("PAUSE", true),
            ("pause\n", true),
            ("# PAUSE\r\n", true),
            ("notes\n\n  ## Pause:  \nmore", true),
            ("- [PAUSE]\n", true),
            ("**PAUSE**", true),
            ("PAUSE\nRESUME\n", false),
            ("RESUME\nPAUSE\n", true),
            ("PAUSE\nresume\npause", true),
            ("please do not PAUSE here\n", false),
            ("PAUSED\n", false),
            ("PAUSE now\n", false),
            ("we RESUME tomorrow\nPAUSE\nwe RESUME tomorrow", true),
        ] {
            assert_eq!(is_paused(text), paused, "{text:?}");
        }
    }

    #[test]
    fn h46_a_pause_is_lifted_below_what_the_user_wrote() {
        let folder = tempfile::tempdir().unwrap();
        let state = StateFolder::open(folder.path()).unwrap();
        let said = || {
            let bytes = state.read(CONTROL, LONGEST).unwrap().unwrap_or_default();
            String::from_utf8(bytes).unwrap()
        };
        set_paused(folder.path(), false, "why").unwrap();
        assert_eq!(said(), "", "nothing to lift");
        for _ in 0..2 {
            set_paused(folder.path(), true, "why").unwrap();
            assert_eq!(said(), "# PAUSE\n\nwhy\n");
        }
        set_paused(folder.path(), false, "go").unwrap();
        assert_eq!(said(), "# PAUSE\n\nwhy\n\n# RESUME\n\ngo\n");
        assert!(!is_workspace_paused(&state).unwrap());
    }

    #[test]
    fn h45_pausing_keeps_what_the_user_wrote() {
        let folder = tempfile::tempdir().unwrap();
        let state = StateFolder::open(folder.path()).unwrap();
        for (before, expected) in
            [(None, "# PAUSE\n\nwhy\n"), (Some("my notes"), "my notes\n\n# PAUSE\n\nwhy\n")]
        {
            state.remove(CONTROL).unwrap();
            if let Some(text) = before {
                state.replace(CONTROL, text.as_bytes()).unwrap();
            }
            pause(&state, "why").unwrap();
            let text = state.read(CONTROL, LONGEST).unwrap().unwrap();
            assert_eq!(String::from_utf8(text).unwrap(), expected);
            assert!(is_workspace_paused(&state).unwrap());
        }
    }

    #[test]
    fn h46_a_control_file_that_is_a_symlink_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let state = StateFolder::open(folder.path()).unwrap();
        std::os::unix::fs::symlink("/dev/null", state.path_of(CONTROL)).unwrap();
        assert!(is_workspace_paused(&state).is_err());
    }
}
