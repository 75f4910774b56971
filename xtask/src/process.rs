//! Starting other programs.
//!
//! In: a program and its arguments. Out: success, or an error that names the command line. Never
//! hides what a program prints unless its output is the result.

use crate::workspace;
use anyhow::{Context, bail};
use std::process::{Command, Stdio};

/// Returns a cargo invocation in the repository's root, by the same cargo that started us.
///
/// What cargo told us about our own package is not passed on: build scripts watch these variables,
/// and everything on top of ring would be built again whenever they change.
pub fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(workspace::root());
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    command
}

/// Runs a command whose output is for the reader.
pub fn run(command: &mut Command) -> anyhow::Result<()> {
    let line = line_of(command);
    let status = command.status().with_context(|| format!("could not start: {line}"))?;
    if !status.success() {
        bail!("{line} ended with {status}");
    }
    Ok(())
}

/// Runs a command whose standard output is the result.
pub fn output(command: &mut Command) -> anyhow::Result<String> {
    let line = line_of(command);
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("could not start: {line}"))?;
    if !output.status.success() {
        bail!("{line} ended with {}", output.status);
    }
    String::from_utf8(output.stdout).with_context(|| format!("{line} printed other than UTF-8"))
}

/// Returns whether a program is there and answers.
pub fn answers(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|code| code.success())
}

fn line_of(command: &Command) -> String {
    let program = command.get_program().to_string_lossy();
    let program = program.rsplit('/').next().unwrap_or(&program).to_owned();
    command
        .get_args()
        .fold(program, |line, argument| format!("{line} {}", argument.to_string_lossy()))
}

/// Builds every binary the way the tests do.
///
/// Asking for one package alone would choose other features for its dependencies and build them a
/// second time; the tests of a package bring its binaries along.
pub fn build_as_tested() -> anyhow::Result<()> {
    run(&mut cargo(&["test", "--quiet", "--workspace", "--no-run"]))
}
