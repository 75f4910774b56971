//! `salve chat`: a change is asked for in words, and planned, written, checked and tracked.
//!
//! In: words from `-p`, standard input or a terminal, and a workspace. Out: the answer, and what happened, event
//! by event; exit code 0 (done), 1 (blocked, cut or red), 4 (edits or commands wait), 5 (a budget). Each turn is a
//! durable job that this process runs: killed, it is gone on with by `salve sessions resume`. Never applies what
//! was not verified, never runs a command that is not on the list without a person.

mod ask_person;
mod attachments;
mod draw;
mod follow;
mod lines;
pub(crate) mod practice;
mod settings;
mod slash;
mod typed;

pub(super) use follow::Chat;
pub(crate) use settings::TurnSettings;

use crate::arguments::{ChatArguments, Format, PlaceArguments, SessionsResumeArguments};
use crate::commands::sessions::find;
use crate::failure::{CommandResult, Ending, Failure};
use crate::job_place::{self, OpenJobs};
use crate::settings::Settings;
use crate::{host, input, output, runtime, workspace};
use salve_engine::host::{HostError, Place};
use salve_engine::session::machine::TurnEnding;
use salve_engine::session::{
    Advance, AutoContinue, CONTINUE_INPUT, FileChoice, HunkChoice, TurnDecision, TurnReport,
    TurnResume, WaitReason, accept_recovered, advance, steering,
};
use salve_store::{SessionRecord, TurnRecord};
use salve_types::TurnStatus;
use std::collections::BTreeSet;
use std::io::IsTerminal;

/// Runs `salve chat`.
pub(crate) fn run(arguments: &ChatArguments, format: Format) -> CommandResult {
    let place = match &arguments.practice {
        Some(folder) => practice::project(folder)?,
        None => workspace::place(&arguments.place)?,
    };
    let interactive = arguments.prompt.is_none() && std::io::stdin().is_terminal();
    let prompt = match &arguments.prompt {
        Some(prompt) => Some(prompt.clone()),
        None if interactive => None,
        None => Some(input::text(None)?),
    };
    if prompt.as_deref().is_some_and(|prompt| prompt.trim().is_empty()) {
        return Err(Failure::new("nothing is asked for")
            .hint("`salve chat -p 'add a test for parse'`, or a text on standard input."));
    }
    if arguments.practice.is_none() && Settings::load()?.models.settings.provider.is_empty() {
        return Err(Failure::from(HostError::NoModels)
            .hint("Add a `[[provider]]` and `[roles]` to your own config.toml; see docs/models.md.")
            .hint("`salve chat --practice DIR` needs none."));
    }
    let mut settings = TurnSettings::of(&arguments.turn, arguments.model.as_deref(), &place)?;
    if arguments.practice.is_some() {
        settings.for_practice();
    }
    settings.help.output =
        arguments.output_schema.as_deref().map(attachments::schema).transpose()?;
    let (settings, images) = (settings, attachments::images(&arguments.image)?);
    let talk = async |open: &OpenJobs<'_>| {
        let session = match &arguments.session {
            Some(named) => Some(find(open.store(), &arguments.place, Some(named)).await?),
            None => None,
        };
        if let Some(session) = &session {
            same_workspace(session, &place)?;
        }
        let mut chat = Chat::new(open, &place, &settings, format)?;
        chat.session = session;
        for image in images {
            chat.images.push(open.store().put_image(image).await?);
        }
        match prompt {
            Some(prompt) => once(&mut chat, arguments, &prompt).await,
            None => lines::run(&mut chat, arguments).await,
        }
    };
    match arguments.practice {
        Some(_) => {
            let data = host::data_folder()?;
            let talk = async |open: &OpenJobs<'_>, _: &str| talk(open).await;
            runtime::run(practice::with_model(&data, "chat", talk))?
        }
        None => job_place::with(&PlaceArguments::default(), "chat", talk),
    }
}

fn same_workspace(session: &SessionRecord, place: &Place) -> Result<(), Failure> {
    if session.workspace == place.root.display().to_string() {
        return Ok(());
    }
    Err(Failure::new(format!("session {} is about {}", session.id, session.workspace))
        .hint("`-C` works in that folder; without `--session` a new one begins here."))
}

async fn once(chat: &mut Chat<'_>, arguments: &ChatArguments, prompt: &str) -> CommandResult {
    let report = turns(chat, arguments, prompt).await?;
    chat.show_end(&report)?;
    Ok(ending(&report))
}

/// One request, and the steps that go on from it by themselves.
pub(super) async fn turns(
    chat: &mut Chat<'_>,
    arguments: &ChatArguments,
    prompt: &str,
) -> Result<TurnReport, Failure> {
    begin(chat, arguments.audit, prompt).await?;
    let mut going_on = AutoContinue {
        on: arguments.auto_continue > 0,
        most_rounds: arguments.auto_continue,
        ..AutoContinue::default()
    };
    let mut report = chat.turn(prompt).await?;
    loop {
        let (answer, todos) = chat.known(&report).await?;
        if arguments.prompt.is_none() {
            typed::hear(chat.open.store(), chat.session()?).await?;
        }
        going_on.paused = steering(chat.open.store(), chat.session()?).await?.paused;
        let breaker = report.ending == TurnEnding::OverBudget;
        match advance(&going_on, report.status, &answer, &todos, breaker) {
            Advance::Send => {
                going_on.rounds += 1;
                report = chat.turn(CONTINUE_INPUT).await?;
            }
            Advance::Wait(WaitReason::Paused) => {
                output::story("paused; `continue` goes on with the next step\n");
                return Ok(report);
            }
            Advance::Wait(_) | Advance::Finished => return Ok(report),
        }
    }
}

async fn begin(chat: &mut Chat<'_>, audit: bool, prompt: &str) -> Result<(), Failure> {
    if chat.session.is_some() {
        return Ok(());
    }
    let session = chat.talk.begin(&chat.place.root, prompt, audit).await?;
    if chat.format == Format::Human {
        output::story(&format!("session {}\n", session.id));
    }
    chat.session = Some(session);
    Ok(())
}

/// Runs `salve sessions resume`: finishes the turn that was interrupted, that waits, or that failed.
pub(crate) fn resume(
    arguments: &SessionsResumeArguments,
    folder: &crate::arguments::FolderArguments,
    format: Format,
) -> CommandResult {
    let place = workspace::place(folder)?;
    let settings = TurnSettings::of(&arguments.turn, None, &place)?;
    job_place::with(&PlaceArguments::default(), "chat", async |open: &OpenJobs<'_>| {
        let session = find(open.store(), folder, Some(&arguments.id)).await?;
        same_workspace(&session, &place)?;
        let turns = open.store().turns(&session.id).await?;
        let mut chat = Chat::new(open, &place, &settings, format)?;
        chat.session = Some(session);
        let Some(turn) = turns.into_iter().rev().find(|turn| !turn.rewound) else {
            return Err(
                Failure::new("the session has no turn").hint("`salve chat --session ID` asks.")
            );
        };
        if turn.status == TurnStatus::Completed {
            output::story(&format!("turn {} is over: {}\n", turn.index, turn.status.name()));
            return Ok(Ending::Clean);
        }
        if arguments.accept {
            return accept(open, &turn).await;
        }
        let decision = match (arguments.turn.yes, arguments.decline) {
            (true, _) => Some(TurnDecision::Yes),
            (_, true) => Some(TurnDecision::No),
            _ if !arguments.keep.is_empty() => Some(TurnDecision::Hunks(kept(&arguments.keep))),
            _ => None,
        };
        let told = TurnResume {
            budget: settings.has_budget().then(|| settings.budget()),
            decision,
            attended: settings.attended,
        };
        let report = chat.go_on(&turn, told).await?;
        chat.show_end(&report)?;
        Ok(ending(&report))
    })
}

// `PATH` is all of a file, `PATH#ID` one hunk of it.
fn kept(named: &[String]) -> HunkChoice {
    let mut choice = HunkChoice::default();
    for named in named {
        match named.rsplit_once('#') {
            None => drop(choice.files.insert(named.clone(), FileChoice::Keep)),
            Some((path, id)) => {
                let file = choice.files.entry(path.to_owned());
                let file = file.or_insert(FileChoice::Hunks(BTreeSet::new()));
                if let FileChoice::Hunks(ids) = file {
                    ids.insert(id.to_owned());
                }
            }
        }
    }
    choice
}

// What was recovered is taken as it is shown.
async fn accept(open: &OpenJobs<'_>, turn: &TurnRecord) -> CommandResult {
    let todos = open.store().todos(&turn.session).await?;
    let Some(write) = accept_recovered(turn, &todos) else {
        let status = turn.status.name();
        return Err(Failure::new(format!("turn {} is {status}, and not in part", turn.index))
            .hint("`--accept` is for a turn of which only parts could be read."));
    };
    open.store().write_session(write).await?;
    output::story(&format!(
        "turn {} is taken as it was shown; nothing of it was applied or run\n",
        turn.index
    ));
    Ok(Ending::Clean)
}

/// Returns the exit code of a turn.
pub(super) fn ending(report: &TurnReport) -> Ending {
    match report.ending {
        TurnEnding::Completed => Ending::Clean,
        TurnEnding::Waiting | TurnEnding::Paused => Ending::NeedsApproval,
        TurnEnding::OverBudget => Ending::LimitReached,
        TurnEnding::NeedsAttention(_) | TurnEnding::Failed | TurnEnding::Cancelled => {
            Ending::Findings
        }
    }
}
