//! Runs the binary for a test.
//!
//! In: arguments and standard input. Out: both streams and the exit code. Never inherits settings of
//! the machine: configuration and `SALVE_*` are kept away from the child.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a failure here is a failed test")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ended {
    /// Reads standard output as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Reads standard output as JSON lines.
    pub(crate) fn lines(&self) -> Vec<serde_json::Value> {
        self.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// Runs `salve` with these arguments and this standard input.
pub(crate) fn salve(arguments: &[&str], input: &str) -> Ended {
    salve_in(arguments, input, &empty_folder(), &[])
}

/// Runs `salve` in a folder with these variables set.
#[expect(clippy::disallowed_methods, reason = "the test starts the binary it is about")]
pub(crate) fn salve_in(
    arguments: &[&str],
    input: &str,
    folder: &Path,
    variables: &[(&str, &str)],
) -> Ended {
    let mut child = Command::new(env!("CARGO_BIN_EXE_salve"))
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .env("XDG_CONFIG_HOME", folder)
        .envs(variables.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that does not read its input may have ended already.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    Ended {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Returns the variables by which programs find the toolchains of this machine.
#[expect(clippy::disallowed_methods, reason = "the toolchains of the machine that runs the test")]
pub(crate) fn toolchain_variables() -> Vec<(&'static str, String)> {
    let own = |name| std::env::var(name).ok().map(|value| (name, value));
    ["PATH", "HOME", "CARGO_HOME", "RUSTUP_HOME"].into_iter().filter_map(own).collect()
}

/// Makes a folder for one test, below the build folder, empty each time.
#[expect(clippy::disallowed_methods, reason = "a test's own scratch folder")]
pub(crate) fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    // A repository's root ends the search for a workspace.
    std::fs::write(path.join(".git"), "").unwrap();
    path
}

/// Writes a file for a test.
#[expect(clippy::disallowed_methods, reason = "a test's own scratch folder")]
pub(crate) fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

#[expect(clippy::disallowed_methods, reason = "a test's own scratch folder")]
fn empty_folder() -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("empty");
    std::fs::create_dir_all(&path).unwrap();
    std::fs::write(path.join(".git"), "").unwrap();
    path
}

/// Runs git in a repository, and returns what it writes.
#[expect(clippy::disallowed_methods, reason = "tests make and read repositories of their own")]
pub(crate) fn git(place: &Path, arguments: &[&str]) -> String {
    let identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
    let mut command = std::process::Command::new("git");
    let command = command.args(identity).args(arguments).current_dir(place);
    let ended = command.env("GIT_CONFIG_GLOBAL", "/dev/null").output().expect("it works here");
    assert!(ended.status.success(), "{ended:?}");
    String::from_utf8(ended.stdout).expect("git writes text")
}
