//! The runner's word while a plan is executed.
//!
//! In: bytes on the socket. Out: TERM or KILL to every process, and the knowledge that nothing may
//! be started any more. Never waits for anything but the socket.

use super::family::Family;
use crate::RunLimit;
use rustix::process::Signal;
use std::io::Read;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The runner asks all processes to end.
pub(crate) const TERMINATE: u8 = b'T';
/// The runner ends all processes.
pub(crate) const KILL: u8 = b'K';

/// How far the runner has gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum Word {
    /// Go on.
    #[default]
    GoOn,
    /// All processes were asked to end.
    Terminate,
    /// All processes were ended.
    Kill,
}

/// Shared between the thread that executes and the one that listens.
#[derive(Debug, Clone, Default)]
pub(super) struct Control {
    word: Arc<Mutex<Word>>,
    exceeded: Arc<Mutex<Option<RunLimit>>>,
}

impl Control {
    /// Listens until the other side of the socket is gone, and ends the launcher then.
    pub(super) fn listen(&self, mut socket: &UnixStream, family: Family) -> ! {
        let mut byte = [0];
        while socket.read_exact(&mut byte).is_ok() {
            let (word, signal) = match byte {
                [TERMINATE] => (Word::Terminate, Signal::TERM),
                _ => (Word::Kill, Signal::KILL),
            };
            // The lock is held over the signal: nothing is started between the two.
            let mut current = self.lock();
            *current = (*current).max(word);
            family.signal(signal);
        }
        let _held = self.lock();
        family.end(std::time::Duration::ZERO, || true);
        std::process::exit(i32::from(super::UNHEARD));
    }

    /// Ends all processes because of a limit, unless the runner was first.
    pub(super) fn exceed(&self, limit: RunLimit, family: Family) {
        let mut current = self.lock();
        if *current == Word::GoOn {
            *self.exceeded.lock().unwrap_or_else(PoisonError::into_inner) = Some(limit);
        }
        *current = Word::Kill;
        family.signal(Signal::KILL);
    }

    /// Returns the limit that ended the run.
    pub(super) fn exceeded(&self) -> Option<RunLimit> {
        *self.exceeded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the last word.
    pub(super) fn word(&self) -> Word {
        *self.lock()
    }

    /// Does something that must not overlap with a signal to all processes, unless it is too late.
    pub(super) fn unless_ended<T>(&self, act: impl FnOnce() -> T) -> Option<T> {
        let word = self.lock();
        (*word == Word::GoOn).then(act)
    }

    fn lock(&self) -> MutexGuard<'_, Word> {
        self.word.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
