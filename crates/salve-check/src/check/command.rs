//! A check by a command of the user's own.
//!
//! In: its words, and where it runs. Out: one [`CheckRun`], with what it said read by the tool that it
//! starts. Its exit code decides: a command that ends with 0 is green whatever it printed. Never gives
//! it the network, and never runs it twice.

use super::{CheckOptions, CheckRun};
use crate::toolchain::{ToolchainError, ToolchainSpec, Work, read_command, run_words};
use crate::{RunPrograms, quote_for_display};
use std::path::Path;

/// The id that such a run has.
const TARGET: &str = "command";

/// Checks a folder with a command. `folder` is where it runs, relative to `root`; empty at the top.
///
/// # Errors
///
/// Fails when there is no such program, or the runner refuses.
pub fn check_command(
    argv: &[String],
    root: &Path,
    folder: &str,
    options: &CheckOptions,
    runner: &dyn RunPrograms,
) -> Result<CheckRun, ToolchainError> {
    let command = read_command(argv);
    let spec = ToolchainSpec {
        display_name: quote_for_display(argv),
        binary_name: argv.first().cloned().unwrap_or_default(),
        install_hint: "install it, or put it on the search path".to_owned(),
        parser: command.parser,
        phase: command.phase,
        ..ToolchainSpec::named(TARGET)
    };
    let work = Work {
        spec: &spec,
        root,
        folder,
        files: &[],
        headers: &[],
        profile: options.profile,
        by: options.by,
        environment: &options.environment,
        fail_on: None,
    };
    run_words(&work, command.words, runner)
}
