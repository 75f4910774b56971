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

mod ambiguity;
mod bench;
mod corpus;
mod crash;
mod cuts;
mod flags;
mod fleet;
mod fuzz;
mod gateway;
mod landed;
mod process;
mod race;
mod redact;
mod score;
mod stitch;
mod test;
mod tidy;
mod tools;
mod workspace;

use flags::Flags;
use std::process::ExitCode;

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
    Task { name: "cuts", about: "real files cut with a fixed seed, every verdict against the grammar's tree", run: cuts::run },
    Task { name: "stitch", about: "generated continuations of cut files, joined and compared; --n, --seed, --lang, --show", run: stitch::run },
    Task { name: "landed", about: "diffs of real small models: how many land, on which rung, and compile; --show, --no-compile", run: landed::run },
    Task { name: "race", about: "a directory swapped for a symlink while paths are used; --rounds 100000, --applies 2000", run: race::run },
    Task { name: "crash", about: "transactions that end at any instant; --full on a disk; --workload NAME [--faults F]", run: crash::run },
    Task { name: "ambiguity", about: "hunks on files full of copies and on stale files, 0 in the wrong place; --n, --seed, --show", run: ambiguity::run },
    Task { name: "redact", about: "secrets of an independent list in pieces, and false alarms on sources; --n, --seed, --show, --files", run: redact::run },
    Task { name: "matrix", about: "answers cut everywhere in every dialect, through the gateway; --positions 200, --show", run: gateway::matrix },
    Task { name: "clients", about: "the official SDKs with and without the gateway; --agent adds a real coding agent", run: gateway::clients },
    Task { name: "load", about: "many streams, faults and a SIGKILL; --streams 200, --seconds 300, --faults 10", run: gateway::load },
    Task { name: "real-model", about: "a small real model, cut at 64 tokens, through the gateway; also `test --real-model`", run: gateway::real_model_alone },
    Task { name: "fleet", about: "jobs on both stores under kills, and a fleet with a cut link; --only NAME; --postgres only starts one", run: fleet::run },
    Task { name: "bench", about: "ratios against peers in one table; --only NAME; --strict fails on a line below its goal", run: bench::run },
];

/// What the commands start this program with, not people.
#[rustfmt::skip]
const CHILDREN: &[Task] = &[
    Task { name: "crash-child", about: "works on a folder while things go wrong", run: crash::run_child },
];

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(name) = arguments.next() else {
        print_usage();
        return ExitCode::from(2);
    };
    let Some(task) = TASKS.iter().chain(CHILDREN).find(|task| task.name == name) else {
        eprintln!("no such command: {name}");
        print_usage();
        return ExitCode::from(2);
    };
    match (task.run)(&mut Flags::new(arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask {name}: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn print_usage() {
    eprintln!("usage: cargo xtask COMMAND [FLAGS]\n");
    for task in TASKS {
        eprintln!("  {:<8} {}", task.name, task.about);
    }
}
