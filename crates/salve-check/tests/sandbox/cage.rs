//! Starts the launcher as the runner does, with a launch of the test's own making.
//!
//! In: a launch, a user. Out: what the programs printed and what the launcher reported. Never waits
//! longer than its bound.

use salve_check::{Launch, LauncherReport};
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::Duration;

/// The two users that every attempt is made as.
pub(crate) const ROOT: u32 = 0;
pub(crate) const NOBODY: u32 = 65534;

/// Returns the users that this test can act as.
pub(crate) fn users() -> Vec<u32> {
    if rustix::process::geteuid().is_root() {
        vec![ROOT, NOBODY]
    } else {
        println!("NOT RUN AS ROOT: attempts are made as one user only");
        vec![rustix::process::geteuid().as_raw()]
    }
}

/// Makes a command run as a user, with no other groups.
pub(crate) fn act_as(command: &mut Command, user: u32) {
    if rustix::process::geteuid().is_root() {
        command.uid(user).gid(user);
    }
}

/// What a launch gave.
pub(crate) struct Outcome {
    pub(crate) output: String,
    pub(crate) report: Option<LauncherReport>,
}

impl Outcome {
    /// Returns whether the plan was executed to its end.
    pub(crate) fn is_executed(&self) -> bool {
        matches!(self.report, Some(LauncherReport::Executed { .. }))
    }
}

/// Runs a launch as a user, bounded by two minutes.
pub(crate) fn run(launch: &Launch, user: u32) -> Outcome {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let (mut reader, writer) = std::io::pipe().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_salve-launcher"));
    command.env_clear().env("LAUNCHER_SECRET", "launcher-secret");
    command.stdin(Stdio::from(OwnedFd::from(theirs)));
    command.stdout(writer.try_clone().unwrap()).stderr(writer);
    act_as(&mut command, user);
    let mut child = command.spawn().unwrap();
    drop(command);
    let body = serde_json::to_vec(launch).unwrap();
    let mut frame = u32::try_from(body.len()).unwrap().to_le_bytes().to_vec();
    frame.extend(body);
    // Once for each stage; one that is refused a layer ends before it has read the second.
    let _ = (&ours).write_all(&frame.repeat(2));
    let output = std::thread::spawn(move || {
        let mut output = Vec::new();
        let _ = reader.read_to_end(&mut output);
        String::from_utf8_lossy(&output).into_owned()
    });
    ours.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
    let mut answer = Vec::new();
    // A socket whose other end was killed before it read everything answers with an error.
    let _ = (&ours).read_to_end(&mut answer);
    // The outer stage still has to tidy up.
    for _ in 0..1000 {
        if child.try_wait().unwrap().is_some() {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let _ = child.kill();
    child.wait().unwrap();
    let report = answer.get(4..).and_then(|body| serde_json::from_slice(body).ok());
    Outcome { output: output.join().unwrap(), report }
}
