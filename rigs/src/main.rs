//! The measuring programs: `cargo xtask NAME` builds this binary and starts it with the name.
//!
//! In: a rig's name and its flags, or `--short` for the form that `cargo xtask test` runs. Out: one
//! table per rig and an exit code. Never part of the product: nothing may depend on it.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a rig starts programs, breaks folders and prints what it finds"
)]

mod ambiguity;
mod browser;
mod chat;
mod corpus;
mod crash;
mod cuts;
mod edits;
mod fleet;
mod gateway;
mod growth;
mod heal;
mod landed;
mod mutate;
mod pairs;
mod plan;
mod product;
mod race;
mod redact;
mod stitch;

use anyhow::{Context, bail};
use std::path::PathBuf;
use std::process::ExitCode;
use xtask::{Flags, Outcome};

/// One rig: what runs it, and its short form where it is a step of the tests.
struct Task {
    name: &'static str,
    run: fn(&mut Flags) -> anyhow::Result<()>,
    short: Option<fn() -> anyhow::Result<Outcome>>,
}

#[rustfmt::skip]
const TASKS: &[Task] = &[
    Task { name: "cuts", run: cuts::run, short: None },
    Task { name: "stitch", run: stitch::run, short: None },
    Task { name: "landed", run: landed::run, short: Some(landed::check) },
    Task { name: "race", run: race::run, short: None },
    Task { name: "crash", run: crash::run, short: Some(crash::check) },
    // Started by `crash`, not by people.
    Task { name: "crash-child", run: crash::run_child, short: None },
    Task { name: "ambiguity", run: ambiguity::run, short: Some(ambiguity::short) },
    Task { name: "edits", run: edits::run, short: Some(edits::short) },
    Task { name: "mutate", run: mutate::run, short: Some(mutate::short) },
    // Started by `mutate`, not by people.
    Task { name: "mutate-peer", run: mutate::run_child, short: None },
    Task { name: "growth", run: growth::run, short: Some(growth::short) },
    Task { name: "heal-bench", run: heal::run, short: Some(heal::short) },
    Task { name: "chat-bench", run: chat::run, short: Some(chat::short) },
    Task { name: "plan-bench", run: plan::run, short: Some(plan::short) },
    Task { name: "browser", run: browser::run, short: Some(browser::short) },
    Task { name: "pairs", run: pairs::run, short: None },
    Task { name: "redact", run: redact::run, short: None },
    Task { name: "matrix", run: gateway::matrix, short: Some(gateway::matrix_short) },
    Task { name: "garble", run: gateway::garble, short: Some(gateway::garble_short) },
    Task { name: "clients", run: gateway::clients, short: Some(gateway::clients_short) },
    Task { name: "load", run: gateway::load, short: Some(gateway::load_short) },
    Task { name: "real-model", run: gateway::real_model_alone, short: Some(gateway::real_model) },
    Task { name: "speed", run: gateway::speed, short: None },
    Task { name: "fleet", run: fleet::run, short: None },
];

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_default();
    let Some(task) = TASKS.iter().find(|task| task.name == name) else {
        eprintln!("no such rig: {name}; `cargo xtask` lists them");
        return ExitCode::from(2);
    };
    match run(task, &mut Flags::new(arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{name}: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: &Task, flags: &mut Flags) -> anyhow::Result<()> {
    if !flags.switch("--short") {
        return (task.run)(flags);
    }
    let told: Option<PathBuf> = flags.value("--outcome")?;
    flags.finish()?;
    let short = task.short.with_context(|| format!("{} has no short form", task.name))?;
    let outcome = short()?;
    match (told, &outcome) {
        (Some(path), _) => outcome.write(&path),
        (None, Outcome::Passed(note)) => {
            println!("{note}");
            Ok(())
        }
        (None, Outcome::Skipped(reason)) => bail!("skipped: {reason}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_rig_of_the_list_is_here() {
        let listed: BTreeSet<&str> = xtask::rig::RIGS.iter().map(|rig| rig.name).collect();
        let mut here: BTreeSet<&str> = TASKS.iter().map(|task| task.name).collect();
        assert!(here.remove("crash-child"));
        assert!(here.remove("mutate-peer"));
        assert_eq!(listed, here);
    }
}
