//! `salve run` at a terminal: the program has one of its own, and ours is as before when it ends.
//!
//! In: a pseudo-terminal that the test holds the other end of. Out: what a person would see and could do.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a failure here is a failed test")]

use crate::run::{folder, salve_in};
use rustix::pty::OpenptFlags;
use rustix::termios::{LocalModes, Termios, Winsize};
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(60);

/// A terminal with `salve run` at it.
struct Seat {
    child: Child,
    terminal: OwnedFd,
    keyboard: File,
    screen: Receiver<Vec<u8>>,
    seen: String,
    before: Termios,
}

fn size(rows: u16, columns: u16) -> Winsize {
    Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }
}

impl Seat {
    #[expect(clippy::disallowed_methods, reason = "the test starts the binary it is about")]
    fn at(folder: &Path, flags: &[&str], script: &str) -> Self {
        let how = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let ours = rustix::pty::openpt(how).unwrap();
        rustix::pty::unlockpt(&ours).unwrap();
        let terminal = rustix::pty::ioctl_tiocgptpeer(&ours, how).unwrap();
        rustix::termios::tcsetwinsize(&terminal, size(33, 101)).unwrap();
        let before = rustix::termios::tcgetattr(&terminal).unwrap();
        let stream = || terminal.try_clone().unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_salve"))
            .args(["run", "--yes", "--exit-code", "program"])
            .args(flags)
            .args(["--", "bash", "-c", script])
            .current_dir(folder)
            .env_clear()
            .env("XDG_CONFIG_HOME", folder)
            .env("TERM", "xterm-256color")
            .stdin(stream())
            .stdout(stream())
            .stderr(stream())
            .spawn()
            .unwrap();
        let mut reader = File::from(ours.try_clone().unwrap());
        let (send, screen) = channel();
        // Ends when the last holder of the terminal is gone, this test included.
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut bytes) {
                if send.send(bytes[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self { child, terminal, keyboard: File::from(ours), screen, seen: String::new(), before }
    }

    fn wait_for(&mut self, text: &str) {
        let until = Instant::now() + PATIENCE;
        while !self.seen.contains(text) {
            let left = until.saturating_duration_since(Instant::now());
            let bytes = self.screen.recv_timeout(left);
            let bytes = bytes.unwrap_or_else(|_| panic!("no `{text}` in {:?}", self.seen));
            self.seen.push_str(&String::from_utf8_lossy(&bytes));
        }
    }

    fn type_keys(&mut self, keys: &[u8]) {
        self.keyboard.write_all(keys).unwrap();
    }

    /// Waits for the end; returns the exit code and all that was on the screen.
    fn end(mut self) -> (Option<i32>, String) {
        let until = Instant::now() + PATIENCE;
        let status = loop {
            match self.child.try_wait().unwrap() {
                Some(status) => break status,
                None if Instant::now() > until => {
                    let _ = self.child.kill();
                    panic!("it does not end: {:?}", self.seen);
                }
                None => std::thread::sleep(Duration::from_millis(10)),
            }
        };
        while let Ok(bytes) = self.screen.recv_timeout(Duration::from_millis(200)) {
            self.seen.push_str(&String::from_utf8_lossy(&bytes));
        }
        let after = rustix::termios::tcgetattr(&self.terminal).unwrap();
        assert!(
            after.local_modes.contains(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG)
        );
        assert_eq!(after.local_modes, self.before.local_modes);
        assert_eq!(after.input_modes, self.before.input_modes);
        assert_eq!(after.output_modes, self.before.output_modes);
        (status.code(), self.seen)
    }
}

fn seat(name: &str, flags: &[&str], script: &str) -> (Seat, PathBuf) {
    let folder = folder(name);
    (Seat::at(&folder, flags, script), folder)
}

#[test]
fn a_program_at_a_terminal_has_one() {
    let script = "[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && echo is-one; stty size; tty; \
                  echo to-tty > /dev/tty; exit 7";
    let (code, screen) = seat("terminal-0", &[], script).0.end();
    assert_eq!(code, Some(7), "{screen:?}");
    for line in ["is-one\r\n", "33 101\r\n", "/dev/pts/", "to-tty\r\n"] {
        assert!(screen.contains(line), "{line:?}: {screen:?}");
    }
}

#[test]
fn keys_and_the_size_of_the_window_reach_the_program() {
    let script = "trap 'echo heard' WINCH; echo ready; read line; echo \"got $line\"; \
                  until [ \"$(stty size)\" = '40 120' ]; do sleep 0.05; done; echo resized";
    let (mut seat, _) = seat("terminal-1", &[], script);
    seat.wait_for("ready");
    seat.type_keys(b"word\r");
    seat.wait_for("got word");
    rustix::termios::tcsetwinsize(&seat.terminal, size(40, 120)).unwrap();
    seat.wait_for("heard");
    seat.wait_for("resized");
    assert_eq!(seat.end().0, Some(0));
}

#[test]
fn control_c_ends_the_program_and_not_salve() {
    let (mut seat, _) = seat("terminal-2", &[], "echo ready; exec sleep 60");
    seat.wait_for("ready");
    seat.type_keys(b"\x03");
    let (code, screen) = seat.end();
    assert_eq!(code, Some(130), "{screen:?}");
    assert!(screen.contains("signal 2"), "{screen:?}");
}

#[test]
fn the_terminal_is_as_before_after_a_deadline_and_after_a_signal() {
    let script = "echo ready; printf '\\033[?1049h\\033[?25l\\033[31m'; exec sleep 60";
    let (code, screen) = seat("terminal-3", &["--timeout", "4"], script).0.end();
    assert_eq!(code, Some(5), "{screen:?}");
    for back in ["\x1b[?1049l", "\x1b[?25h", "\x1b[0m"] {
        assert!(screen.contains(back), "{back:?}: {screen:?}");
    }
    let (mut ended, _) = seat("terminal-4", &[], script);
    ended.wait_for("ready");
    let id = i32::try_from(ended.child.id()).unwrap();
    let pid = rustix::process::Pid::from_raw(id).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    assert_eq!(ended.end().0, Some(143));
}

#[test]
fn colours_pass_and_what_attacks_does_not() {
    let script =
        "printf '\\033]52;c;ZXZpbA==\\007\\033]0;title\\007\\033[6n\\033[31mred\\033[0m\\n'";
    let (seat, folder) = seat("terminal-5", &[], script);
    let (code, screen) = seat.end();
    assert!(screen.contains("\x1b[31mred\x1b[0m\r\n"), "{screen:?}");
    for attack in ["ZXZpbA==", "title", "\x1b[6n", "\x1b]"] {
        assert!(!screen.contains(attack), "{attack:?}: {screen:?}");
    }
    assert_eq!(code, Some(0));
    let records = salve_in(&["runs", "--format", "json"], "", &folder, &[]).json();
    let id = records[0]["id"].as_str().unwrap().to_owned();
    assert_eq!(salve_in(&["runs", &id], "", &folder, &[]).out, "red\n");
}

#[test]
fn nothing_can_be_typed_for_the_caller() {
    let script = "python3 -c 'import fcntl; fcntl.ioctl(0, 0x5412, b\"x\")' 2>&1 | tail -n 1";
    let (_, screen) = seat("terminal-6", &[], script).0.end();
    assert!(screen.contains("PermissionError"), "{screen:?}");
}

#[test]
fn a_stream_that_leads_elsewhere_still_does() {
    let folder = folder("terminal-7");
    let arguments = ["run", "--yes", "--", "bash", "-c", "[ -t 0 ] || [ -t 1 ] || echo none"];
    assert_eq!(salve_in(&arguments, "", &folder, &[]).out, "none\n");
}
