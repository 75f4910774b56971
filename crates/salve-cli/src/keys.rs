//! Asks a person for one key, and for a yes.
//!
//! In: the terminal, also when standard input is something else. Out: the key that was pressed after
//! the question was asked: what was typed or pasted before it is thrown away. The same keys mean the
//! same everywhere. Never leaves the terminal in another mode than it was found in.

mod answer;

pub(crate) use answer::Offer;

use crate::failure::Failure;
use crate::output;
use answer::{Answer, Reply};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{OptionalActions, QueueSelector};
use std::io::{IsTerminal, Read};

/// The key that ends a line.
pub(crate) const ENTER: char = '\n';
/// The key that leaves.
pub(crate) const ESCAPE: char = '\u{1b}';

/// How long the terminal must be silent before a question counts as asked, in nanoseconds, and how
/// often that is tried: a paste comes in pieces.
const SILENCE: i64 = 30_000_000;
const PIECES: usize = 64;

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
            rustix::termios::tcsetattr(&terminal, OptionalActions::Flush, &single)
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

    /// Throws away what was typed before the question: it was meant for something else.
    pub(crate) fn forget_typed(&self) {
        for _ in 0..PIECES {
            let _ = rustix::termios::tcflush(&self.terminal, QueueSelector::IFlush);
            if !self.has_more() {
                return;
            }
        }
    }

    fn has_more(&self) -> bool {
        let mut waiting = [PollFd::new(&self.terminal, PollFlags::IN)];
        let silence = Timespec { tv_sec: 0, tv_nsec: SILENCE };
        matches!(poll(&mut waiting, Some(&silence)), Ok(count) if count > 0)
    }

    /// Waits for the next key; `None` when the terminal is gone.
    pub(crate) fn next(&self) -> Result<Option<char>, Failure> {
        let mut byte = [0];
        if (&self.terminal).read(&mut byte)? == 0 {
            return Ok(None);
        }
        Ok(Some(match char::from(byte[0]) {
            '\r' => ENTER,
            // An arrow or a function key begins with this one and goes on.
            ESCAPE => {
                self.forget_typed();
                ESCAPE
            }
            key => key,
        }))
    }

    /// Asks until one of the offers is taken, and returns its key; nothing when it is refused. An
    /// offer that lasts counts only with Enter after it.
    pub(crate) fn ask(&self, offers: &[Offer]) -> Result<Option<char>, Failure> {
        self.forget_typed();
        let mut answer = Answer::new(offers);
        loop {
            match answer.hear(self.next()?) {
                Reply::Taken(key) => {
                    output::story(&format!("{key}\n"));
                    return Ok(Some(key));
                }
                Reply::Refused => {
                    output::story("no\n");
                    return Ok(None);
                }
                Reply::Confirm(key) => {
                    output::story(&format!("{key}: Enter confirms, any other key asks again "));
                }
                Reply::Help(text) => output::story(&format!("\n{text}")),
            }
        }
    }

    /// Asks for a yes that lasts.
    pub(crate) fn said_yes(&self, question: &str) -> Result<bool, Failure> {
        output::story(&format!("{question} [y, n, ?] "));
        let yes = Offer { key: 'y', words: "yes", lasts: true };
        Ok(self.ask(&[yes])?.is_some())
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            let _ = rustix::termios::tcsetattr(&self.terminal, OptionalActions::Flush, before);
        }
    }
}
