//! Runs the targets' seeds and a fixed number of mutations.
//!
//! In: `--mutations N`, `--seed N`, `--target NAME`, the folders of seeds and crashes, or the path
//! of one input to run again. Out: one row per target. Never needs more than stable Rust.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command of the repository, not of the product"
)]

use salve_fuzz::{Failure, Plan, TARGETS, drive};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

const USAGE: &str = "usage: salve-fuzz [--mutations N] [--seed N] [--target NAME] [--corpus DIR] \
                     [--crashes DIR] [--replay FILE]";

struct Arguments {
    mutations: u64,
    seed: u64,
    target: Option<String>,
    corpus: PathBuf,
    crashes: PathBuf,
    replay: Option<PathBuf>,
}

fn main() -> ExitCode {
    let Some(arguments) = read_arguments(std::env::args().skip(1)) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let chosen: Vec<_> = TARGETS
        .iter()
        .filter(|target| arguments.target.as_deref().is_none_or(|name| name == target.name))
        .collect();
    if chosen.is_empty() {
        eprintln!("no such target");
        return ExitCode::from(2);
    }
    if let Some(path) = &arguments.replay {
        return replay(path, &chosen);
    }
    let plan = Plan {
        corpus: &arguments.corpus,
        crashes: &arguments.crashes,
        mutations: arguments.mutations,
        seed: arguments.seed,
        limit: Duration::from_secs(10),
    };
    let mut broken = 0;
    if chosen.len() > 1 {
        println!(
            "{:<10} {:>11} {:>9} {:>12} {:>8}",
            "target", "executions", "seconds", "slowest ms", "bytes"
        );
    }
    for target in chosen {
        match drive(target, &plan) {
            Ok(summary) => println!(
                "{:<10} {:>11} {:>9.1} {:>12.2} {:>8}",
                target.name,
                summary.executions,
                summary.total.as_secs_f64(),
                summary.slowest.as_secs_f64() * 1000.0,
                summary.slowest_input.len()
            ),
            Err(failure) => {
                broken += 1;
                println!("{:<10} BROKEN: {}", target.name, explain(&failure));
            }
        }
    }
    if broken == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn replay(path: &PathBuf, chosen: &[&salve_fuzz::Target]) -> ExitCode {
    match std::fs::read(path) {
        Ok(input) => {
            for target in chosen {
                (target.check)(&input);
                println!("{}: holds", target.name);
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("could not read {}: {error}", path.display());
            ExitCode::FAILURE
        }
    }
}

fn explain(failure: &Failure) -> String {
    match failure {
        Failure::Broken(path) => format!("the input is in {}", path.display()),
        Failure::Io(path, error) => format!("{}: {error}", path.display()),
    }
}

fn read_arguments(mut words: impl Iterator<Item = String>) -> Option<Arguments> {
    let mut arguments = Arguments {
        mutations: 20_000,
        seed: 1,
        target: None,
        corpus: PathBuf::from("fuzz/corpus"),
        crashes: PathBuf::from("target/fuzz-crashes"),
        replay: None,
    };
    while let Some(flag) = words.next() {
        let value = words.next()?;
        match flag.as_str() {
            "--mutations" => arguments.mutations = value.parse().ok()?,
            "--seed" => arguments.seed = value.parse().ok()?,
            "--target" => arguments.target = Some(value),
            "--corpus" => arguments.corpus = PathBuf::from(value),
            "--crashes" => arguments.crashes = PathBuf::from(value),
            "--replay" => arguments.replay = Some(PathBuf::from(value)),
            _ => return None,
        }
    }
    Some(arguments)
}
