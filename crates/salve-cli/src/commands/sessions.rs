//! `salve sessions`: conversations, for people to look into, to go back in and to go on from.
//!
//! In: the store. Out: lists, a session in full, documents; a rewind, a fork, a report where asked. Never calls a
//! model: `salve chat` does.

mod audit;
mod bugs;
mod draw;
mod export;
mod images;
mod rewind;
mod steer;

use crate::arguments::{
    FolderArguments, Format, PlaceArguments, SessionsArguments, SessionsCommand,
    SessionsListArguments, SessionsShowArguments,
};
use crate::change::visible;
use crate::commands::knowledge::{look, root};
use crate::failure::{CommandResult, Ending, Failure};
use crate::output;
use salve_store::{SessionFilter, SessionRecord, Store};
use salve_types::SessionId;
use serde_json::{Value, json};

pub(super) use draw::{dated, progress, tasks};
pub(super) use steer::{handed_over, key};

/// The session used last in this workspace.
const LAST: &str = "last";
/// How many sessions are searched for the beginning of a name.
const SEARCHED: u32 = 100_000;

/// Runs `salve sessions`.
pub(crate) fn run(arguments: &SessionsArguments, format: Format) -> CommandResult {
    let (store, place) = (&arguments.store, &arguments.place);
    match &arguments.command {
        None => list(store, place, &SessionsListArguments::default(), format),
        Some(SessionsCommand::List(options)) => list(store, place, options, format),
        Some(SessionsCommand::Show(options)) if options.events => {
            events(store, place, options, format)
        }
        Some(SessionsCommand::Show(options)) => show(store, place, &options.id, format),
        Some(SessionsCommand::Export(options)) => export::run(store, place, options),
        Some(SessionsCommand::Resume(options)) => {
            crate::commands::chat::resume(options, place, format)
        }
        Some(SessionsCommand::Rewind(options)) => rewind::run(store, place, options, format),
        Some(SessionsCommand::Fork { id, turn }) => fork(store, place, id, *turn, format),
        Some(SessionsCommand::Handoff(options)) => steer::handoff(store, place, options, format),
        Some(SessionsCommand::Guide { id, text }) => {
            steer::guidance(store, place, id, text, format)
        }
        Some(SessionsCommand::Pause { id }) => steer::pause(store, place, id, format),
        Some(SessionsCommand::Audit(options)) => audit::run(store, place, options, format),
        Some(SessionsCommand::Bugs(options)) => bugs::run(store, place, options, format),
        Some(SessionsCommand::Images(options)) => images::run(store, place, options, format),
    }
}

fn none() -> Failure {
    Failure::new("there is no session yet").hint("`salve chat` begins one.")
}

/// Looks into the store; a failure where nothing was ever kept.
pub(super) fn looked<T>(
    store: &PlaceArguments,
    act: impl AsyncFnOnce(&Store) -> Result<T, Failure>,
) -> Result<T, Failure> {
    look(store, act)?.ok_or_else(none)
}

/// Finds the session that a name means: its id, the beginning of one, or the last of this workspace.
pub(super) async fn find(
    store: &Store,
    place: &FolderArguments,
    named: Option<&str>,
) -> Result<SessionRecord, Failure> {
    let named = named.unwrap_or(LAST);
    if named == LAST {
        let workspace = Some(root(place)?);
        let filter = SessionFilter { workspace, limit: 1, ..SessionFilter::default() };
        let newest = store.sessions(&filter).await?.into_iter().next();
        return newest.ok_or_else(|| {
            Failure::new("there is no session of this workspace yet").hint(
                "`salve chat` begins one; `salve sessions list` shows those of other workspaces.",
            )
        });
    }
    if let Some(found) = store.session(&SessionId(named.to_owned())).await? {
        return Ok(found);
    }
    let all = SessionFilter { limit: SEARCHED, ..SessionFilter::default() };
    let mut meant = store.sessions(&all).await?;
    meant.retain(|session| !named.is_empty() && session.id.as_str().starts_with(named));
    let many = meant.len();
    match (meant.pop(), many) {
        (Some(found), 1) => Ok(found),
        (None, _) => Err(Failure::new(format!("there is no session {}", visible(named)))
            .hint("`salve sessions list` shows those there are.")),
        _ => Err(Failure::new(format!("{} is the beginning of {many} sessions", visible(named)))
            .hint("Name more of it; `salve sessions list` shows the ids.")),
    }
}

fn list(
    store: &PlaceArguments,
    place: &FolderArguments,
    options: &SessionsListArguments,
    format: Format,
) -> CommandResult {
    let workspace = options.here.then(|| root(place)).transpose()?;
    let filter = SessionFilter { workspace, limit: options.limit, ..SessionFilter::default() };
    let found = look(store, async |store| Ok(store.sessions(&filter).await?))?;
    let sessions = found.unwrap_or_default();
    match format {
        Format::Human if sessions.is_empty() => {
            output::result("no sessions\n")?;
            output::story("`salve chat` begins one.\n");
        }
        Format::Human => output::result(&draw::list(&sessions))?,
        _ => {
            let sessions: Vec<Value> = sessions.iter().map(|one| dated(json!(one))).collect();
            output::values(format, &sessions)?;
        }
    }
    Ok(Ending::Clean)
}

fn show(
    store: &PlaceArguments,
    place: &FolderArguments,
    id: &str,
    format: Format,
) -> CommandResult {
    let shown = looked(store, async |store| {
        let session = find(store, place, Some(id)).await?;
        let id = session.id.clone();
        Ok(draw::Shown {
            turns: store.turns(&id).await?,
            todos: store.todos(&id).await?,
            changes: store.session_changes(&id).await?,
            commands: store.command_results(&id).await?,
            bugs: store.bugs(&id).await?,
            session,
        })
    })?;
    match format {
        Format::Human => output::result(&draw::session(&shown))?,
        _ => output::value(format, &draw::document(&shown))?,
    }
    Ok(Ending::Clean)
}

fn events(
    store: &PlaceArguments,
    place: &FolderArguments,
    options: &SessionsShowArguments,
    format: Format,
) -> CommandResult {
    let events = looked(store, async |store| {
        let session = find(store, place, Some(&options.id)).await?;
        Ok(store.session_events(&session.id, options.after, options.limit).await?)
    })?;
    match format {
        Format::Human => output::result(&draw::events(&events))?,
        _ => {
            let events: Vec<Value> = events.iter().map(|event| dated(json!(event))).collect();
            output::values(format, &events)?;
        }
    }
    Ok(Ending::Clean)
}

fn fork(
    store: &PlaceArguments,
    place: &FolderArguments,
    id: &str,
    turn: Option<u32>,
    format: Format,
) -> CommandResult {
    let made = looked(store, async |store| {
        let session = find(store, place, Some(id)).await?;
        Ok(store.fork_session(&session.id, turn).await?)
    })?;
    match format {
        Format::Human => {
            output::result(&format!("{}\n", made.id))?;
            let turns = output::counted(made.turns as usize, "turn");
            output::story(&format!(
                "It begins with {turns}; `salve chat --session {}` goes on.\n",
                made.id
            ));
        }
        _ => output::value(format, &dated(json!(made)))?,
    }
    Ok(Ending::Clean)
}
