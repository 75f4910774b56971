//! The repository's own commands: `cargo xtask NAME`.
//!
//! In: a command name and its flags. Out: one table per command and an exit code. Never part of the
//! product: nothing under `crates/` may depend on it.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "housekeeping prints what it finds")]

mod corpus;
mod cuts;
mod flags;

use flags::Flags;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next();
    let mut flags = Flags::new(arguments);
    let result = match name.as_deref() {
        Some("cuts") => cuts::run(&mut flags),
        _ => Err(anyhow::anyhow!("usage: cargo xtask cuts")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}
