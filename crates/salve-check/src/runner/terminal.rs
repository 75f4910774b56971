//! The terminal of the caller, while a run has one of its own.
//!
//! In: what is typed, and the other end of the run's terminal. Out: keys passed on as they are, Ctrl-C among
//! them, which the run's terminal makes a signal for its programs; the size passed on when it changes; what
//! programs write, filtered. Never leaves the caller's terminal in another mode than it was found in.

use super::escapes::{Escapes, Shown};
use crate::launcher::LaunchTerminal;
use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::termios::{OptionalActions, Termios, Winsize};
use std::io::{IsTerminal, Result};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

/// How often the size is looked at: no signal has to be waited for.
pub(super) const LOOK: Duration = Duration::from_millis(100);
/// How much may be typed that the programs have not read.
const TYPED: usize = 64 << 10;

/// Returns the shape of the caller's terminal; nothing when it has none, or is in the background of it.
pub(super) fn shape() -> Option<LaunchTerminal> {
    let input = std::io::stdin();
    if !input.is_terminal() || !std::io::stdout().is_terminal() {
        return None;
    }
    // A terminal that is not the controlling one knows no background.
    let foreground =
        rustix::termios::tcgetpgrp(&input).unwrap_or_else(|_| rustix::process::getpgrp());
    if foreground != rustix::process::getpgrp() {
        return None;
    }
    let size = rustix::termios::tcgetwinsize(&input).ok()?;
    let errors = std::io::stderr().is_terminal();
    Some(LaunchTerminal { rows: size.ws_row, columns: size.ws_col, errors })
}

/// Joins the caller's terminal with that of a run; dropped, it puts the caller's back.
#[derive(Debug)]
pub(super) struct Joined {
    caller: OwnedFd,
    before: Termios,
    run: OwnedFd,
    size: (u16, u16),
    typed: Vec<u8>,
    is_gone: bool,
    escapes: Escapes,
}

impl Joined {
    /// Takes the caller's terminal: every key is the run's from now on.
    pub(super) fn take(run: &OwnedFd) -> Result<Self> {
        let caller = std::io::stdin().as_fd().try_clone_to_owned()?;
        let run = run.try_clone()?;
        let flags = rustix::fs::fcntl_getfl(&run)?;
        rustix::fs::fcntl_setfl(&run, flags | OFlags::NONBLOCK)?;
        let before = rustix::termios::tcgetattr(&caller)?;
        let mut raw = before.clone();
        raw.make_raw();
        rustix::termios::tcsetattr(&caller, OptionalActions::Now, &raw)?;
        let (size, typed, escapes) = ((0, 0), Vec::new(), Escapes::default());
        Ok(Self { caller, before, run, size, typed, is_gone: false, escapes })
    }

    /// Returns where keys come from, while there is room for them.
    pub(super) fn keys(&self) -> Option<BorrowedFd<'_>> {
        (!self.is_gone && self.typed.len() < TYPED).then(|| self.caller.as_fd())
    }

    /// Returns whether keys wait for the run to read them.
    pub(super) fn has_typed(&self) -> bool {
        !self.typed.is_empty()
    }

    /// Reads keys that are there.
    pub(super) fn hear(&mut self) {
        let mut keys = [0_u8; 4096];
        match rustix::io::read(&self.caller, &mut keys) {
            Ok(0) => self.is_gone = true,
            Ok(count) => self.typed.extend_from_slice(keys.get(..count).unwrap_or_default()),
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(_) => self.is_gone = true,
        }
    }

    /// Passes keys on as far as the run's terminal takes them, and the size when it has changed.
    pub(super) fn pass_on(&mut self) {
        if !self.typed.is_empty() {
            match rustix::io::write(&self.run, &self.typed) {
                Ok(count) => drop(self.typed.drain(..count)),
                Err(Errno::INTR | Errno::AGAIN) => {}
                Err(_) => self.typed.clear(),
            }
        }
        let Ok(now) = rustix::termios::tcgetwinsize(&self.caller) else { return };
        let size = (now.ws_row, now.ws_col);
        if size != self.size {
            self.size = size;
            let size = Winsize { ws_xpixel: 0, ws_ypixel: 0, ..now };
            let _ = rustix::termios::tcsetwinsize(&self.run, size);
        }
    }

    /// Filters what the run wrote.
    pub(super) fn filter(&mut self, bytes: &[u8]) -> Shown {
        self.escapes.push(bytes)
    }

    /// Returns what undoes the changes the run made to the screen.
    pub(super) fn undo(&mut self) -> Vec<u8> {
        self.escapes.finish()
    }
}

impl Drop for Joined {
    fn drop(&mut self) {
        // What was typed and not read is for what reads next, as after any program.
        let _ = rustix::termios::tcsetattr(&self.caller, OptionalActions::Now, &self.before);
    }
}
