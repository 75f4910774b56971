//! A terminal of its own for the programs of a launch.
//!
//! In: the shape of the caller's terminal. Out: a pseudo-terminal of the run's own instance, whose other end
//! the runner holds, and which is the controlling terminal of everything started from here. Never the
//! caller's: what is typed there goes through the runner.
//!
//! The programs are in the group of this process, which is in the foreground from the start; what the
//! terminal sends to the group means nothing to the first process of a namespace.

use super::{LaunchTerminal, LauncherReport, write_frame_with};
use rustix::pty::OpenptFlags;
use rustix::termios::Winsize;
use std::io::Result;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;

/// Opens it, makes it our output, and returns it as what programs read.
pub(super) fn open(shape: LaunchTerminal, runner: &UnixStream) -> Result<OwnedFd> {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let theirs = rustix::pty::openpt(flags)?;
    rustix::pty::unlockpt(&theirs)?;
    let ours = rustix::pty::ioctl_tiocgptpeer(&theirs, flags)?;
    let LaunchTerminal { rows, columns, errors } = shape;
    let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    rustix::termios::tcsetwinsize(&ours, size)?;
    rustix::process::setsid()?;
    rustix::process::ioctl_tiocsctty(&ours)?;
    write_frame_with(runner, &LauncherReport::Terminal, theirs.as_fd())?;
    rustix::stdio::dup2_stdout(&ours)?;
    if errors {
        rustix::stdio::dup2_stderr(&ours)?;
    }
    Ok(ours)
}
