//! Whether a command is run: by the policy and the settings, by a flag, or by the person at the
//! terminal.
//!
//! In: the verdict, the settings, the flags. Out: run with the gate it passed, or skip. Never decides
//! by itself: `next_step` does, and silence is no yes.

use super::{Proposal, show};
use crate::arguments::RunArguments;
use crate::failure::Failure;
use crate::keys::{Keys, Offer};
use crate::output;
use crate::settings::Settings;
use salve_check::{
    Attendance, AutoRunMode, Choice, Gate, NextStep, Plan, ProposedCommand, Rule, next_step,
    show_entries,
};

/// What happens.
pub(super) enum Decision {
    Run(Gate),
    AddAndRun,
    Skip,
}

/// Decides about a command whose words are known.
pub(super) fn decide(
    proposal: &Proposal,
    plan: &Plan,
    settings: &Settings,
    options: &RunArguments,
) -> Result<Decision, Failure> {
    let (step, keys) = step(proposal, settings, options);
    let verdict = &proposal.verdict;
    if step == NextStep::Run {
        let rule = output::word(&verdict.rule);
        let gate = if options.yes { Gate::Approved } else { Gate::Policy { rule } };
        return Ok(Decision::Run(gate));
    }
    if verdict.rule == Rule::Denied {
        output::story(&show::denied(verdict, plan));
        return Ok(Decision::Skip);
    }
    let held = verdict.allow.then(|| settings.holds_command());
    output::story(&show::question(verdict, plan, held.as_deref()));
    if let NextStep::Prompt([Choice::RunOnce, Choice::AddAndRun, ..]) = step {
        let entries = crate::change::visible(&show_entries(&proposal.addable));
        output::story(&format!(
            "  {} would add for this workspace: {entries}\n",
            Choice::AddAndRun.label()
        ));
    }
    answer(step, keys, "`--yes` runs it as it is")
}

fn step(
    proposal: &Proposal,
    settings: &Settings,
    options: &RunArguments,
) -> (NextStep, Option<Keys>) {
    let keys = if options.yes || options.no_input { None } else { Keys::of_person() };
    let attendance = match &keys {
        _ if options.yes => Attendance::Agreed,
        Some(_) => Attendance::Interactive,
        None => Attendance::Unattended,
    };
    let step = next_step(ProposedCommand {
        verdict: &proposal.verdict,
        addable: !proposal.addable.is_empty(),
        layers_complete: true,
        mode: settings.auto_apply().command_mode(AutoRunMode::Listed),
        attendance,
    });
    (step, keys)
}

fn answer(step: NextStep, keys: Option<Keys>, hint: &str) -> Result<Decision, Failure> {
    let offered = match step {
        NextStep::Run => return Ok(Decision::Run(Gate::Approved)),
        NextStep::RunButton => &[Choice::RunOnce, Choice::Skip],
        NextStep::Prompt(choices) => choices,
        NextStep::Skip => {
            output::story(&format!("skipped: approval was not asked for; {hint}\n"));
            return Ok(Decision::Skip);
        }
    };
    let Some(keys) = keys else { return Ok(Decision::Skip) };
    Ok(match choose(&keys, offered)? {
        Choice::RunOnce => Decision::Run(Gate::Approved),
        Choice::AddAndRun => Decision::AddAndRun,
        _ => Decision::Skip,
    })
}

/// Waits for an answer; a terminal that is closed says no.
fn choose(keys: &Keys, offered: &[Choice]) -> Result<Choice, Failure> {
    let bold = anstyle::Style::new().bold();
    let key_of = |choice: Choice| match choice {
        Choice::RunOnce => 'r',
        Choice::AddAndRun => 'a',
        _ => 's',
    };
    let shown: Vec<String> = offered
        .iter()
        .map(|choice| format!("{bold}[{}]{bold:#} {}", key_of(*choice), choice.label()))
        .collect();
    output::story(&format!("{}   {bold}[?]{bold:#} Help\n", shown.join("   ")));
    let offers: Vec<Offer> = offered
        .iter()
        .filter_map(|choice| match choice {
            Choice::RunOnce => Some(Offer { key: 'r', words: "run it once", lasts: false }),
            Choice::AddAndRun => Some(Offer {
                key: 'a',
                words: "add it for this workspace, and run it",
                lasts: true,
            }),
            _ => None,
        })
        .collect();
    let taken = keys.ask(&offers)?;
    let choice = offered.iter().find(|choice| taken == Some(key_of(**choice)));
    Ok(choice.copied().unwrap_or(Choice::Skip))
}
