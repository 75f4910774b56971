//! `salve run`: judges a command, asks where it must, runs it in the sandbox, says how it ended.
//!
//! In: a program with its arguments, or a line. Out: its output as it comes, its record, an exit
//! code: 0 succeeded, 1 failed, 4 no person agreed, 5 a limit ended it. Never runs other words than
//! those that were judged and shown.

mod decide;
mod live;
mod show;

use crate::arguments::{Format, RunArguments};
use crate::failure::{CommandResult, Ending, Failure};
use crate::settings::Settings;
use crate::{output, unguarded, workspace, workspace_config};
pub(super) use show::{line, sign};

use decide::Decision;
use live::Live;
use salve_check::{
    Attendance, CommandVerdict, FinishedRun, Gate, Keep, Limits, ListEntry, Plan, PolicyRules,
    RiskClass, RunClass, RunEnding, RunError, RunRequest, Runner, StartedBy, entries_to_add,
    judge_command, quote_for_display,
};
use salve_engine::facts::{CommandPaths, RepositoryFacts};
use salve_engine::host::Place;
use salve_tree::Root;
use std::time::Duration;

/// Runs `salve run`.
pub(crate) fn run(options: &RunArguments, format: Format) -> CommandResult {
    let place = workspace::place(&options.place)?;
    let configured = workspace_config::open(&place.root)?;
    configured.report_ignored_rules();
    let proposal = Proposal::of(options, &place, &configured.workspace.policy)?;
    let Some(plan) = proposal.plan.clone() else {
        output::story(&show::refused(&proposal.verdict));
        return Ok(Ending::NeedsApproval);
    };
    let settings = Settings::load_for(Some(&place.folder()))?;
    let gate = match decide::decide(&proposal, &plan, &settings, options)? {
        Decision::Run(gate) => gate,
        Decision::AddAndRun => {
            workspace_config::approve(&place.root, proposal.addable.clone())?;
            Gate::Approved
        }
        Decision::Skip => return Ok(Ending::NeedsApproval),
    };
    let runner = configured.workspace.runner(Keep::RECORDS)?;
    let mut request = request(options, &place, &proposal.verdict, plan, gate);
    match start(&runner, &request, format) {
        Err(RunError::MissingLayers { open, .. }) => {
            let attendance = match (options.yes, options.no_input) {
                (true, _) => Attendance::Agreed,
                (false, true) => Attendance::Unattended,
                (false, false) => Attendance::Interactive,
            };
            if !unguarded::may_run(&place.root, &open, attendance)? {
                return Ok(Ending::NeedsApproval);
            }
            request.gate = Gate::Approved;
            end(&start(&runner, &request, format)?, format)
        }
        other => end(&other?, format),
    }
}

/// What was proposed, and what the policy says about it.
struct Proposal {
    verdict: CommandVerdict,
    /// What would run; absent when that cannot be told.
    plan: Option<Plan>,
    /// What a person can add to the list so that it runs unasked; nothing when no entry may.
    addable: Vec<ListEntry>,
}

impl Proposal {
    fn of(options: &RunArguments, place: &Place, rules: &PolicyRules) -> Result<Self, Failure> {
        let root = Root::open(&place.root)?;
        let paths = CommandPaths::from_here(&root, &place.here);
        let repository = RepositoryFacts::of(&place.folder());
        // Quoted, words go through the same function as a line; it must read the same words again.
        let (line, words) = match &options.line {
            Some(line) => (line.clone(), None),
            None => (quote_for_display(&options.command), Some(&options.command)),
        };
        let mut verdict = judge_command(&line, rules, &paths, &repository);
        let words = words.map(|words| Plan::of_argv(words.iter().cloned()));
        let same = words.is_none() || words == verdict.plan;
        // The network is asked for beside the words, so that the words alone do not decide.
        verdict.allow &= same && !options.network;
        // What a person agrees to without saying more writes files and has no network.
        let agreed = if options.network { RiskClass::Network } else { RiskClass::Write };
        let entries = entries_to_add(&line, agreed, rules, &paths, &repository);
        let addable = if same { entries.unwrap_or_default() } else { Vec::new() };
        let plan = words.or_else(|| verdict.plan.clone());
        Ok(Self { verdict, plan, addable })
    }
}

fn request(
    options: &RunArguments,
    place: &Place,
    verdict: &CommandVerdict,
    plan: Plan,
    gate: Gate,
) -> RunRequest {
    // What could not be taken apart counts as the worst to the policy; it gets no network for that.
    let understood = if verdict.plan.is_some() { verdict.risk } else { RiskClass::Write };
    let risk =
        if options.network && gate == Gate::Approved { RiskClass::Network } else { understood };
    let deadline = Duration::from_secs(options.timeout);
    let cpu_seconds = 2 * options.timeout;
    RunRequest {
        plan,
        cwd: place.folder(),
        class: RunClass::Proposed,
        risk,
        gate,
        by: StartedBy::User,
        limits: Limits { deadline, cpu_seconds, ..Limits::of(RunClass::Proposed) },
        environment: Vec::new(),
    }
}

fn start(runner: &Runner, request: &RunRequest, format: Format) -> Result<FinishedRun, RunError> {
    if format != Format::Human {
        return runner.run_watched(request, &mut |_, _| {});
    }
    let mut live = Live::new();
    runner.run_watched(request, &mut |stream, bytes| live.write(stream, bytes))
}

fn end(run: &FinishedRun, format: Format) -> CommandResult {
    match format {
        Format::Human => output::story(&show::ended(run)),
        _ => output::value(format, &show::document(run))?,
    }
    Ok(match run.record.ending {
        RunEnding::Exited { code: 0 } => Ending::Clean,
        RunEnding::DeadlinePassed | RunEnding::TooMuchOutput | RunEnding::LimitExceeded { .. } => {
            Ending::LimitReached
        }
        _ => Ending::Findings,
    })
}
