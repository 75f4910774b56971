//! The rigs: measuring programs that need the product, in a binary of their own.
//!
//! In: a name and its flags. Out: the rig built, started, and its result. Never runs a rig inside this
//! program: `rigs` sees every crate, this one none.

use crate::{Flags, Outcome, process, workspace};
use anyhow::Context;
use std::process::Command;

/// A rig's name, and what it measures with which flags.
pub struct Rig {
    /// The command: `cargo xtask NAME`.
    pub name: &'static str,
    /// One line for the list of commands.
    pub about: &'static str,
}

/// Every rig, as the list of commands shows it.
#[rustfmt::skip]
pub const RIGS: &[Rig] = &[
    Rig { name: "cuts", about: "real files cut with a fixed seed, every verdict against the grammar's tree; --whole 20000: whole files of the packages at hand" },
    Rig { name: "stitch", about: "generated continuations of cut files, joined and compared; --n, --seed, --lang, --show; --breaks: files that end in added line breaks" },
    Rig { name: "landed", about: "diffs of real small models: how many land, on which rung, and compile; --show, --no-compile" },
    Rig { name: "race", about: "a directory swapped for a symlink while paths are used; --rounds 100000, --applies 2000" },
    Rig { name: "crash", about: "transactions that end at any instant; --full on a disk; --workload NAME [--faults F]" },
    Rig { name: "ambiguity", about: "hunks on files full of copies and on stale files, 0 in the wrong place; --n, --seed, --show" },
    Rig { name: "edits", about: "edits of real files in every format, possible and impossible, 0 as they were not meant; --n, --seed, --show, --refused" },
    Rig { name: "mutate", about: "input nobody wrote down, from generators, the goals beside the figures and peers in the same run; --only json|edits|joins, --n, --seed, --show CLASS, --shown N, --no-peers, --format json" },
    Rig { name: "growth", about: "time and memory of the text commands on hostile texts of 0.1 to 10 MB; --only, --generator, --largest, --all" },
    Rig { name: "heal-bench", about: "real projects with planted faults, healed with and without scripted models, and killed; --seed, --faults 220, --cases 300, --runs 1000 (with kills), --minutes 72, --only projects|tiers|kills, --project NAME[,NAME…], --show" },
    Rig { name: "chat-bench", about: "conversations that are killed and gone on with, answers cut at every byte, tasks in three real packages, and random walks; --runs 200 kills or 500 walks, --cuts 1, --seed, --only kills|cuts|packages|walks" },
    Rig { name: "plan-bench", about: "plans of random graphs, plans and workflows that are killed, what they take, and the graphs on three stores; --runs 500 graphs or 200 kills, --seed, --only graphs|kills|speed|fleet" },
    Rig { name: "browser", about: "the workbench in a real browser, by role and text; --only PART|TEST, --speed, --show" },
    Rig { name: "pairs", about: "broken programs healed by the fixers alone, verified by the real tools; --set, --tools FOLDER of node_modules, --n, --only, --jobs, --show; with --learn by rules learned from one half on the other: --splits, --seed, --curve, --tries, --cache FILE" },
    Rig { name: "redact", about: "secrets of an independent list in pieces, and false alarms on sources; --n, --seed, --show, --files" },
    Rig { name: "matrix", about: "answers cut everywhere in every dialect, through the gateway; --positions 200, --show" },
    Rig { name: "garble", about: "streams with damaged frames in every dialect, through the gateway; --n 100000, --seed, --show" },
    Rig { name: "clients", about: "the official SDKs with and without the gateway; --agent adds a real coding agent" },
    Rig { name: "load", about: "many streams, faults and a SIGKILL; --streams 200, --seconds 300, --faults 10" },
    Rig { name: "real-model", about: "a small real model, cut at 64 tokens, through the gateway; also `test --real-model`" },
    Rig { name: "speed", about: "the gateway beside a direct call and a peer; also `bench --only gateway`" },
    Rig { name: "fleet", about: "jobs on both stores under kills, and a fleet with a cut link; --only NAME; --postgres only starts one" },
];

/// Builds the rigs and runs one of them.
pub fn run(name: &str, flags: &mut Flags) -> anyhow::Result<()> {
    process::run(built(name)?.args(flags.rest()))
}

/// Runs the short form of a rig, as a step of `cargo xtask test`.
pub fn short(name: &str) -> anyhow::Result<Outcome> {
    process::build_as_tested()?;
    let outcome = workspace::target_dir()?.join("rig-outcome.json");
    // What an earlier run left would otherwise speak for a rig that ended without a word.
    let _ = std::fs::remove_file(&outcome);
    process::run(program(name)?.args(["--short", "--outcome"]).arg(&outcome))?;
    Outcome::read(&outcome).with_context(|| format!("the rig {name} said nothing"))
}

/// Builds the rigs and the product, and returns the invocation of a rig.
///
/// The whole workspace is selected, so that dependencies have the features they have in the tests.
pub fn built(name: &str) -> anyhow::Result<Command> {
    let arguments = ["build", "--workspace", "--bin", "rigs", "--bin", "salve"];
    process::run(&mut process::cargo(&arguments))?;
    program(name)
}

fn program(name: &str) -> anyhow::Result<Command> {
    let mut command = Command::new(workspace::target_dir()?.join("debug").join("rigs"));
    command.arg(name).current_dir(workspace::root());
    Ok(command)
}
