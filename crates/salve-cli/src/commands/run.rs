//! `salve run`: judges a command, asks where it must, runs it in the sandbox, says how it ended.
//!
//! In: a program with its arguments, or a line, and our standard input. Out: its output as it comes, its
//! record, an exit code: 0 succeeded, 1 failed (or the program's own, 127 where there is none), 4 no
//! person agreed, 5 a limit ended it. Never runs other words than those that were judged and shown.

mod decide;
mod live;
mod ports;
mod show;
mod terminal;

use crate::arguments::{ExitCodeOf, Format, RunArguments};
use crate::failure::{CommandResult, Ending, Failure};
use crate::settings::Settings;
use crate::{environment, output, run_environment, unguarded, workspace, workspace_config};
pub(super) use show::{line, sign};

use decide::Decision;
use live::Live;
use salve_check::{
    Attendance, CommandVerdict, FinishedRun, Gate, InstallPlace, Keep, Limits, ListEntry, Plan,
    PolicyRules, RiskClass, Rule, RunClass, RunEnding, RunError, RunInput, RunRequest, Runner,
    StartedBy, caller_gives_input, entries_to_add, forgotten_install, judge_command,
    quote_for_display,
};
use salve_engine::facts::{CommandPaths, JudgedLine, RepositoryFacts, judge_line};
use salve_engine::host::{Place, RunVariables};
use salve_tree::Root;
use std::path::PathBuf;
use std::time::Duration;

/// Runs `salve run`.
pub(crate) fn run(options: &RunArguments, format: Format) -> CommandResult {
    let mut place = workspace::place(&options.place)?;
    let configured = workspace_config::open(&place.root)?;
    configured.report_ignored_rules();
    let settings = Settings::load_for(Some(&place.folder()))?;
    let variables = run_environment::chosen(&settings, &options.variables)?;
    let ports = ports::named(options, &settings)?;
    let rules = &configured.workspace.policy;
    let entered = entered(options, &place, rules)?;
    let line = entered.map(|entered| {
        place.here = entered.here;
        entered.line
    });
    let proposal = Proposal::of(options, line.as_deref(), &place, rules, &variables)?;
    let Some(plan) = proposal.plan.clone() else {
        output::story(&show::refused(&proposal.verdict));
        return Ok(Ending::NeedsApproval);
    };
    if is_thrown_away(&plan, &place, options.yes) {
        return Ok(Ending::NeedsApproval);
    }
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
    request.environment = variables.values;
    request.ports = ports;
    request.input = terminal::input(format);
    let end = |run: &FinishedRun| end(run, options.exit_code, format);
    let mut started = start(&runner, &request, format);
    if matches!(started, Err(RunError::NoPorts)) && options.ports.is_empty() {
        // The setting is for every run: one that needs no service must not fail because of it.
        let why = RunError::NoPorts;
        output::story(&format!("note: no port of `allow_ports` is reachable: {why}\n"));
        request.ports.clear();
        started = start(&runner, &request, format);
    }
    match started {
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
            end(&start(&runner, &request, format)?)
        }
        // As shells say it.
        Err(error @ RunError::NoSuchProgram { .. }) if options.exit_code == ExitCodeOf::Program => {
            Err(Failure::from(error).in_place_of_program(127))
        }
        other => end(&other?),
    }
}

// Says before it happens that nothing of an installation would be kept; a yes runs it anyway.
fn is_thrown_away(plan: &Plan, place: &Place, yes: bool) -> bool {
    let environment = environment::value("VIRTUAL_ENV").map(PathBuf::from);
    let cwd = place.folder();
    let installs =
        InstallPlace { workspace: &place.root, cwd: &cwd, environment: environment.as_deref() };
    let Some(forgotten) = forgotten_install(plan, installs) else { return false };
    let (word, otherwise) =
        if yes { ("warning", "") } else { ("not run", "\n `--yes` runs it anyway") };
    output::story(&format!("{word}: {forgotten}{otherwise}\n"));
    !yes
}

// The line in the folder that it enters first, where the rules let it.
fn entered(
    options: &RunArguments,
    place: &Place,
    rules: &PolicyRules,
) -> Result<Option<JudgedLine>, Failure> {
    let Some(line) = &options.line else { return Ok(None) };
    Ok(Some(judge_line(line, rules, &Root::open(&place.root)?, &place.here)))
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
    fn of(
        options: &RunArguments,
        line: Option<&str>,
        place: &Place,
        rules: &PolicyRules,
        variables: &RunVariables,
    ) -> Result<Self, Failure> {
        let root = Root::open(&place.root)?;
        let paths = CommandPaths::from_here(&root, &place.here);
        let repository = RepositoryFacts::of(&place.folder());
        // Quoted, words go through the same function as a line; it must read the same words again.
        let (line, words) = match line {
            Some(line) => (line.to_owned(), None),
            None => (quote_for_display(&options.command), Some(&options.command)),
        };
        let judge = |line: &str| judge_command(line, rules, &paths, &repository);
        let mut verdict = judge(&line);
        // What the caller gives on standard input feeds the first command as a pipe would.
        if verdict.rule == Rule::WaitsForInput && caller_gives_input() {
            verdict = fed(judge(&format!("echo | {line}")), verdict);
        }
        let words = words.map(|words| Plan::of_argv(words.iter().cloned()));
        let same = words.is_none() || words == verdict.plan;
        // The network is asked for beside the words, so that the words alone do not decide.
        verdict.allow &= same && !options.network;
        // A variable may make a program that only reads execute something. What builds or tests runs
        // the project's own code anyway.
        let changes = !variables.unusual.is_empty() && verdict.risk != RiskClass::Build;
        if verdict.allow && changes {
            verdict.allow = false;
            let names = variables.unusual.join(", ");
            verdict.why = format!("`--env` passes {names}, which can change what it executes");
        }
        // What a person agrees to without saying more writes files and has no network.
        let agreed = if options.network { RiskClass::Network } else { RiskClass::Write };
        let entries = entries_to_add(&line, agreed, rules, &paths, &repository);
        let addable = if same && !changes { entries.unwrap_or_default() } else { Vec::new() };
        let plan = words.or_else(|| verdict.plan.clone());
        Ok(Self { verdict, plan, addable })
    }
}

// The verdict on a line that was judged behind a command that feeds it, without that command.
fn fed(behind: CommandVerdict, alone: CommandVerdict) -> CommandVerdict {
    let Some(mut plan) = behind.plan.clone().filter(|_| behind.allow) else { return alone };
    if let Some(first) = plan.pipelines.first_mut() {
        first.commands.remove(0);
    }
    CommandVerdict { plan: Some(plan), ..behind }
}

fn request(
    options: &RunArguments,
    place: &Place,
    verdict: &CommandVerdict,
    plan: Plan,
    gate: Gate,
) -> RunRequest {
    // What could not be taken apart, or is no program that the policy knows, counts as the worst to it;
    // a yes gives it no network for that: `--network` does.
    let is_strange =
        matches!(verdict.rule, Rule::Never | Rule::NotListed | Rule::Name | Rule::Denied);
    let is_understood = verdict.plan.is_some() && (verdict.allow || !is_strange);
    let understood = if is_understood { verdict.risk } else { RiskClass::Write };
    let risk =
        if options.network && gate == Gate::Approved { RiskClass::Network } else { understood };
    RunRequest {
        plan,
        cwd: place.folder(),
        class: RunClass::Proposed,
        risk,
        gate,
        by: StartedBy::User,
        limits: Limits::of_proposed(risk, options.timeout.map(Duration::from_secs)),
        environment: Vec::new(),
        input: RunInput::Caller,
        protected: if options.allow_protected {
            salve_check::ProtectedFileUse::Allowed
        } else {
            salve_check::ProtectedFileUse::Kept
        },
        ports: Vec::new(),
    }
}

fn start(runner: &Runner, request: &RunRequest, format: Format) -> Result<FinishedRun, RunError> {
    if format != Format::Human {
        return runner.run_watched(request, &mut |_, _| {});
    }
    let mut live = Live::new();
    runner.run_watched(request, &mut |stream, bytes| live.write(stream, bytes))
}

fn end(run: &FinishedRun, code_of: ExitCodeOf, format: Format) -> CommandResult {
    match format {
        Format::Human => output::story(&show::ended(run)),
        _ => output::value(format, &show::document(run))?,
    }
    Ok(match (&run.record.ending, code_of) {
        (RunEnding::Exited { code: 0 }, _) => Ending::Clean,
        (
            RunEnding::DeadlinePassed | RunEnding::TooMuchOutput | RunEnding::LimitExceeded { .. },
            _,
        ) => Ending::LimitReached,
        (RunEnding::Exited { code }, ExitCodeOf::Program) => {
            Ending::Program(u8::try_from(*code).unwrap_or(1))
        }
        // As shells say it.
        (RunEnding::Signalled { signal }, ExitCodeOf::Program) => {
            Ending::Program(u8::try_from(128 + *signal).unwrap_or(1))
        }
        _ => Ending::Findings,
    })
}
