//! Asks a person for one key.
//!
//! In: the terminal, also when standard input is something else. Out: the key that was pressed.
//! Never leaves the terminal in another mode than it was found in.

use crate::failure::Failure;
use std::io::{IsTerminal, Read};

/// Where the answers come from: the terminal, also when the reply came by standard input.
pub(crate) struct Keys {
    terminal: std::fs::File,
    before: Option<rustix::termios::Termios>,
}

impl Keys {
    /// Opens the terminal, and reads single keys from it until this is dropped.
    pub(crate) fn open() -> Result<Self, Failure> {
        let terminal = std::fs::File::open("/dev/tty")
            .map_err(|error| Failure::new(format!("asking needs a terminal: {error}")))?;
        let before = if terminal.is_terminal() {
            let before = rustix::termios::tcgetattr(&terminal).map_err(std::io::Error::from)?;
            let mut single = before.clone();
            single
                .local_modes
                .remove(rustix::termios::LocalModes::ICANON | rustix::termios::LocalModes::ECHO);
            rustix::termios::tcsetattr(&terminal, rustix::termios::OptionalActions::Now, &single)
                .map_err(std::io::Error::from)?;
            Some(before)
        } else {
            None
        };
        Ok(Self { terminal, before })
    }

    /// Opens the terminal if a person sits at this command: its input is the terminal.
    pub(crate) fn of_person() -> Option<Self> {
        if !std::io::stdin().is_terminal() {
            return None;
        }
        Self::open().ok()
    }

    /// Waits for the next key; `None` when the terminal is gone.
    pub(crate) fn next(&self) -> Result<Option<char>, Failure> {
        let mut byte = [0];
        loop {
            let count = (&self.terminal).read(&mut byte)?;
            match byte[0] {
                _ if count == 0 => return Ok(None),
                b'\n' | b'\r' => {}
                key => return Ok(Some(char::from(key))),
            }
        }
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            let now = rustix::termios::OptionalActions::Now;
            let _ = rustix::termios::tcsetattr(&self.terminal, now, before);
        }
    }
}
