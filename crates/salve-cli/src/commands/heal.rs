//! `salve heal`: from a failing check to a green one, or to nothing changed.
//!
//! In: a workspace, and the command that must pass. Out: the change, why it is believed and how to take
//! it back; exit code 0 (green), 1 (not healed), 4 (a person must allow it), 5 (a budget or limit). The
//! heal is a durable job that this process runs; killed, it goes on when it is started again. Never leaves
//! a tree that is neither healed nor as it was.

mod draw;
mod follow;
mod patch_file;
mod settings;
mod status;

use crate::arguments::{FormatChoice, HealArguments, HealCommand, PlaceArguments};
use crate::automatic::Automatic;
use crate::commands::history::drawn_files;
use crate::failure::{CommandResult, Ending, Failure};
use crate::heal_host::CommandHost;
use crate::job_place::{self, OpenJobs};
use crate::settings::Settings;
use crate::{host, output, run_environment, unguarded, workspace, workspace_config};
use follow::heal_and_follow;
use salve_check::{Attendance, AutoApply, AutoRunMode, Keep, NextStep, next_step_of_edits};
use salve_engine::heal::{CommandConsent, HaltReason, HealInput, HealReport, Outcome, Then};
use salve_engine::host::{OpenWorkspace, Place};
use salve_jobs::JobId;
use salve_tree::{History, WorkspaceOptions};
pub(super) use settings::options_of_turn;
use std::io::IsTerminal;
use std::sync::Arc;

/// Runs `salve heal`.
pub(crate) fn run(arguments: &HealArguments, format: FormatChoice) -> CommandResult {
    if let Some(HealCommand::Status { tree }) = &arguments.what {
        return status::run(tree, format);
    }
    if !matches!(
        format,
        FormatChoice::Human | FormatChoice::Json | FormatChoice::Jsonl | FormatChoice::Github
    ) {
        return Err(Failure::new("`salve heal` has no output in this format")
            .hint("Formats of this command: human, json, jsonl, github"));
    }
    let place = workspace::place(&arguments.tree.place)?;
    let configured = workspace_config::open(&place.root)?;
    configured.say_what_is_passed_over();
    let runner = configured.workspace.runner(Keep::RECORDS)?;
    if !unguarded::may_run_with(&runner, &place.root, arguments.yes)? {
        return Ok(Ending::NeedsApproval);
    }
    if arguments.reset {
        let root = place.root.display().to_string();
        let forgotten =
            host::with_store("heal", async |store| Ok(store.reset_unhealed(&root, None).await?))?;
        output::story(&format!("forgot {forgotten} errors that were not healed\n"));
    }
    if arguments.watch {
        return follow::watch(&place, || once(arguments, &place, format));
    }
    once(arguments, &place, format)
}

fn once(arguments: &HealArguments, place: &Place, format: FormatChoice) -> CommandResult {
    // What a crash had left is put right before anything is looked at.
    drop(workspace::open(&arguments.tree)?);
    let settings = Settings::load_for(Some(&place.folder()))?;
    let environment = run_environment::chosen(&settings, &arguments.variables)?.values;
    let input = input(arguments, place, &settings)?;
    let (_, report) = heal(input, environment, format)?;
    show(&report, arguments, place, format)?;
    Ok(match ending(&report) {
        Ending::Findings if arguments.keep_going => Ending::Clean,
        ending => ending,
    })
}

/// Heals in this process, and shows what happens; returns the job and what it came to.
pub(super) fn heal(
    input: HealInput,
    environment: Vec<(String, String)>,
    format: FormatChoice,
) -> Result<(JobId, HealReport), Failure> {
    job_place::with(&PlaceArguments::default(), "heal", async |open: &OpenJobs<'_>| {
        heal_in(open, input, environment, format).await
    })
}

/// The same with jobs that are open.
pub(super) async fn heal_in(
    open: &OpenJobs<'_>,
    input: HealInput,
    environment: Vec<(String, String)>,
    format: FormatChoice,
) -> Result<(JobId, HealReport), Failure> {
    heal_and_follow(open, Arc::new(CommandHost { environment }), input, format).await
}

/// What is healed, from arguments and settings.
pub(super) fn input(
    arguments: &HealArguments,
    place: &Place,
    settings: &Settings,
) -> Result<HealInput, Failure> {
    let apply = arguments.patch.is_none() && !arguments.dry_run && applies(arguments, settings);
    Ok(HealInput {
        root: place.root.clone(),
        here: place.here.clone(),
        command: arguments.command.clone(),
        targets: arguments.targets.clone(),
        scope: Vec::new(),
        fail_on: arguments.fail_on.into(),
        options: settings::options(arguments, settings)?,
        then: if apply { Then::Apply } else { Then::Show },
        time_limit: arguments.time_limit,
        commands: consent(arguments, settings),
        proposal: None,
    })
}

// A fix proposes a command as a model does: nobody typed it, so the switch must have been turned on.
fn consent(arguments: &HealArguments, settings: &Settings) -> CommandConsent {
    let commands = settings.auto_apply_cli.value == Automatic::On;
    let switches = AutoApply { commands, ..settings.auto_apply() };
    CommandConsent { mode: switches.command_mode(AutoRunMode::Listed), agreed: arguments.commands }
}

// A green change is applied unless the settings say that a person decides.
fn applies(arguments: &HealArguments, settings: &Settings) -> bool {
    let attendance = match arguments.yes {
        true => Attendance::Agreed,
        false if std::io::stdin().is_terminal() => Attendance::Interactive,
        false => Attendance::Unattended,
    };
    next_step_of_edits(settings.auto_apply(), attendance) == NextStep::Run
}

fn show(
    report: &HealReport,
    arguments: &HealArguments,
    place: &Place,
    format: FormatChoice,
) -> Result<(), Failure> {
    if let (Some(file), Some(patch)) = (&arguments.patch, &report.patch) {
        patch_file::write(file, patch, &place.root)?;
        output::story(&format!(
            "The change is in `{}`; nothing was written here.\n",
            file.display()
        ));
    }
    match format {
        FormatChoice::Human => {
            output::result(&draw::report(report, &applied(report, place)?, &place.root))
        }
        FormatChoice::Github => output::content(&draw::github(report)),
        FormatChoice::Jsonl => output::json_line(&draw::ended(report)),
        _ => output::json(&draw::document(report)),
    }
}

// The change that was written, drawn; nothing where none was.
fn applied(report: &HealReport, place: &Place) -> Result<String, Failure> {
    let Some(change) = report.change.as_deref().filter(|change| !change.is_empty()) else {
        return Ok(String::new());
    };
    let opened = OpenWorkspace::open_at(place, WorkspaceOptions::default())?;
    let history = History::load(&opened.tree)?;
    Ok(drawn_files(&history.export(&opened.tree, change)?))
}

fn ending(report: &HealReport) -> Ending {
    let limit = |reason: HaltReason| match reason {
        HaltReason::ControlFile | HaltReason::Orphans => Ending::NeedsApproval,
        _ => Ending::LimitReached,
    };
    match &report.ending {
        _ if report.held => Ending::NeedsApproval,
        Outcome::FirstTrySuccess | Outcome::Repaired { .. } => Ending::Clean,
        Outcome::Halted { reason, .. } | Outcome::Paused { reason } => limit(*reason),
        _ => Ending::Findings,
    }
}
