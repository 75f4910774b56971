//! The launcher as a program of its own, for the tests of this crate.
//!
//! In: `inner` for the second stage, a socket as standard input. Out: what the launcher does. Never
//! installed: `salve` has the same launcher inside.

use salve_check::{LauncherStage, launcher_main};
use std::process::ExitCode;

fn main() -> ExitCode {
    let inner = std::env::args_os().nth(1).is_some_and(|argument| argument == "inner");
    launcher_main(if inner { LauncherStage::Inner } else { LauncherStage::Outer }, &["inner"])
}
