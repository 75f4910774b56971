//! The repository's own commands: `cargo xtask NAME`.
//!
//! In: a command name and its flags. Out: one table per command and an exit code. Never part of the
//! product: nothing under `crates/` may depend on it.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "housekeeping starts cargo, reads the repository and prints what it finds"
)]

mod bench;
mod fuzz;
mod score;
mod test;
mod tidy;

use std::process::ExitCode;
use xtask::rig::{self, RIGS};
use xtask::{Flags, tools};

/// One command: its name, its flags and purpose, and what it runs.
struct Task {
    name: &'static str,
    about: &'static str,
    run: fn(&mut Flags) -> anyhow::Result<()>,
}

#[rustfmt::skip]
const TASKS: &[Task] = &[
    Task { name: "test", about: "everything CI checks, in order, with the time of each step", run: test::run },
    Task { name: "tools", about: "installs the compilers and linters that the tests run, into target/tools", run: tools::run },
    Task { name: "tidy", about: "crate arrows, sizes, file headers, forbidden calls, the seeds table", run: tidy::run },
    Task { name: "score", about: "the scorers against floors.toml; --raise writes the figures as new floors", run: score::run },
    Task { name: "fuzz", about: "libFuzzer, --executions 1000000 per target; --short as in `test`; --target NAME", run: fuzz::run },
    Task { name: "bench", about: "ratios against peers in one table; --only NAME; --save FILE, --against FILE; --strict fails on a line below its goal", run: bench::run },
];

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(name) = arguments.next() else {
        print_usage();
        return ExitCode::from(2);
    };
    let flags = &mut Flags::new(arguments);
    let task = TASKS.iter().find(|task| task.name == name);
    let result = match (task, RIGS.iter().find(|rig| rig.name == name)) {
        (Some(task), _) => (task.run)(flags),
        (None, Some(rig)) => rig::run(rig.name, flags),
        (None, None) => {
            eprintln!("no such command: {name}");
            print_usage();
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask {name}: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn print_usage() {
    eprintln!("usage: cargo xtask COMMAND [FLAGS]\n");
    let tasks = TASKS.iter().map(|task| (task.name, task.about));
    for (name, about) in tasks.chain(RIGS.iter().map(|rig| (rig.name, rig.about))) {
        eprintln!("  {name:<10} {about}");
    }
}
