//! The runner as the command line makes it: this executable is its own launcher.
//!
//! In: a workspace folder. Out: a runner with the values of this machine. Never starts anything
//! itself.

use crate::environment;
use crate::failure::Failure;
use crate::workspace::now;
use salve_check::{Keep, Launcher, LauncherStage, Runner, RunnerOptions, launcher_main};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The first argument that makes this executable the launcher.
const LAUNCH: &str = "__launch";
/// The second argument of the inner stage.
const INNER: &str = "inner";

/// Runs as the launcher when this process was started as one.
pub(crate) fn as_launcher() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next()? != LAUNCH {
        return None;
    }
    let inner = arguments.next().is_some_and(|argument| argument == INNER);
    let stage = if inner { LauncherStage::Inner } else { LauncherStage::Outer };
    Some(launcher_main(stage, &[LAUNCH, INNER]))
}

/// Makes the runner of a workspace.
pub(crate) fn runner(workspace: &Path, keep: Keep) -> Result<Runner, Failure> {
    Ok(Runner::new(RunnerOptions {
        launcher: Launcher { program: own_executable()?, arguments: vec![LAUNCH.to_owned()] },
        workspace: workspace.to_owned(),
        inherited: environment::all(),
        temporary: std::env::temp_dir(),
        clock: || now() / 1000,
        keep,
        without: Vec::new(),
    })?)
}

/// The link leads to this executable even when its file was replaced meanwhile.
fn own_executable() -> Result<PathBuf, Failure> {
    if cfg!(target_os = "linux") {
        return Ok(PathBuf::from("/proc/self/exe"));
    }
    Ok(std::env::current_exe()?)
}
