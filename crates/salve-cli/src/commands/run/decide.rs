//! Whether a command is run: by the policy, by a flag, or by the person at the terminal.
//!
//! In: the verdict, the words, the flags. Out: run with the gate it passed, or skip. Never takes
//! silence for a yes.

use super::{Proposal, show};
use crate::arguments::RunArguments;
use crate::failure::Failure;
use crate::keys::Keys;
use crate::output;
use anstyle::AnsiColor;
use salve_check::{Choice, Gate, Plan, show_entries};

/// What happens.
pub(super) enum Decision {
    Run(Gate),
    AddAndRun,
    Skip,
}

/// A person's answer.
pub(super) enum Asked {
    Yes,
    No,
}

/// Decides about a command whose words are known.
pub(super) fn decide(
    proposal: &Proposal,
    plan: &Plan,
    options: &RunArguments,
) -> Result<Decision, Failure> {
    let verdict = &proposal.verdict;
    if options.yes {
        return Ok(Decision::Run(Gate::Approved));
    }
    // The network was asked for beside the words, so that the words alone do not decide.
    if verdict.allow && !options.network {
        return Ok(Decision::Run(Gate::Policy { rule: output::word(&verdict.rule) }));
    }
    output::story(&show::question(verdict, plan));
    let Some(keys) = person(options) else {
        output::story("skipped: approval was not asked for; `--yes` runs it as it is\n");
        return Ok(Decision::Skip);
    };
    let addable = !proposal.addable.is_empty();
    if addable {
        let entries = crate::change::visible(&show_entries(&proposal.addable));
        output::story(&format!(
            "  {} would add for this workspace: {entries}\n",
            Choice::AddAndRun.label()
        ));
    }
    Ok(match choose(&keys, addable)? {
        Choice::RunOnce => Decision::Run(Gate::Approved),
        Choice::AddAndRun => Decision::AddAndRun,
        _ => Decision::Skip,
    })
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
        output::story("skipped: approval was not asked for; `--yes` runs it without them\n");
        return Ok(Asked::No);
    };
    Ok(if choose(&keys, false)? == Choice::RunOnce { Asked::Yes } else { Asked::No })
}

/// Waits for an answer; a terminal that goes away says no.
fn choose(keys: &Keys, addable: bool) -> Result<Choice, Failure> {
    let bold = anstyle::Style::new().bold();
    let mut offered = vec![('r', Choice::RunOnce), ('s', Choice::Skip)];
    if addable {
        offered.insert(1, ('a', Choice::AddAndRun));
    }
    let shown: Vec<String> = offered
        .iter()
        .map(|(key, choice)| format!("{bold}[{key}]{bold:#} {}", choice.label()))
        .collect();
    output::story(&format!("{}\n", shown.join("   ")));
    while let Some(key) = keys.next()? {
        let pressed = key.to_ascii_lowercase();
        if let Some((_, choice)) = offered.iter().find(|(key, _)| *key == pressed) {
            return Ok(*choice);
        }
    }
    output::story("skipped\n");
    Ok(Choice::Skip)
}

fn person(options: &RunArguments) -> Option<Keys> {
    if options.no_input { None } else { Keys::of_person() }
}
