//! A disk on which the process is killed half-way.
//!
//! In: how many files may be swapped in. Out: the real disk until then, and SIGKILL at the next
//! one. Never used outside the demo: it is how a crash is shown without waiting for one.

use salve_tree::{At, Disk, RealDisk, RenameHow};
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The real disk with a bound on the files that are swapped in.
#[derive(Debug)]
pub(super) struct DyingDisk {
    swaps_left: AtomicUsize,
}

impl DyingDisk {
    /// Lets this many files be swapped in before the process is killed.
    pub(super) fn after_swaps(count: usize) -> Self {
        Self { swaps_left: AtomicUsize::new(count) }
    }
}

/// Ends this process as `kill -9` does: nothing unwinds, nothing is cleaned up.
fn die() {
    let own = rustix::process::getpid();
    let _ = rustix::process::kill_process(own, rustix::process::Signal::KILL);
}

impl Disk for DyingDisk {
    fn rename(&self, from: At<'_>, to: At<'_>, how: RenameHow) -> io::Result<()> {
        if how == RenameHow::Exchange {
            let spent = self
                .swaps_left
                .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
            if spent.is_err() {
                die();
            }
        }
        RealDisk.rename(from, to, how)
    }
}
