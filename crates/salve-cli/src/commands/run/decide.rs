//! Whether a command is run: by the policy, by a flag, or by the person at the terminal.
//!
//! In: the verdict, the words, the flags. Out: run with the gate it passed, or skip. Never takes
//! silence for a yes.

use super::show;
use crate::arguments::RunArguments;
use crate::failure::Failure;
use crate::keys::Keys;
use crate::output;
use anstyle::AnsiColor;
use salve_check::{CommandVerdict, Gate, Plan};

/// What happens.
pub(super) enum Decision {
    Run(Gate),
    Skip,
}

/// A person's answer.
pub(super) enum Asked {
    Yes,
    No,
}

/// Decides about a command whose words are known.
pub(super) fn decide(
    verdict: &CommandVerdict,
    plan: &Plan,
    options: &RunArguments,
) -> Result<Decision, Failure> {
    if options.yes {
        return Ok(Decision::Run(Gate::Approved));
    }
    // The network was asked for beside the words, so that the words alone do not decide.
    if verdict.allow && !options.network {
        return Ok(Decision::Run(Gate::Policy { rule: output::word(&verdict.rule) }));
    }
    output::story(&show::question(verdict, plan));
    let Some(keys) = person(options) else {
        output::story("skipped: nobody was asked; `--yes` runs it as it is\n");
        return Ok(Decision::Skip);
    };
    output::story(&choices(&[("r", "Run Once"), ("s", "Skip")]));
    while let Some(key) = keys.next()? {
        match key.to_ascii_lowercase() {
            'r' | 'o' | 'y' => return Ok(Decision::Run(Gate::Approved)),
            's' | 'n' | 'q' => break,
            _ => {}
        }
    }
    output::story("skipped\n");
    Ok(Decision::Skip)
}

/// Asks whether to run without a part of the sandbox.
pub(super) fn ask_without_layers(
    missing: &[String],
    options: &RunArguments,
) -> Result<Asked, Failure> {
    let warn = AnsiColor::Yellow.on_default().bold();
    output::story(&format!(
        "{warn}warning{warn:#}: the sandbox lacks {} on this machine\n",
        missing.join(", ")
    ));
    let Some(keys) = person(options) else {
        output::story("skipped: nobody was asked; `--yes` runs it without them\n");
        return Ok(Asked::No);
    };
    output::story(&choices(&[("r", "Run Once"), ("s", "Skip")]));
    while let Some(key) = keys.next()? {
        match key.to_ascii_lowercase() {
            'r' | 'o' | 'y' => return Ok(Asked::Yes),
            's' | 'n' | 'q' => break,
            _ => {}
        }
    }
    output::story("skipped\n");
    Ok(Asked::No)
}

fn person(options: &RunArguments) -> Option<Keys> {
    if options.no_input { None } else { Keys::of_person() }
}

fn choices(known: &[(&str, &str)]) -> String {
    let bold = anstyle::Style::new().bold();
    let known: Vec<String> =
        known.iter().map(|(key, label)| format!("{bold}[{key}]{bold:#} {label}")).collect();
    format!("{}\n", known.join("   "))
}
