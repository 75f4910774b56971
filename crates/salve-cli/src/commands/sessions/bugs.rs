//! `salve sessions bugs`: the faults that were reported.
//!
//! In: one session, or all of a workspace. Out: a list; a new report where asked. Never takes one back.

use super::{dated, draw, find, looked};
use crate::arguments::{FolderArguments, Format, PlaceArguments, SessionsBugsArguments};
use crate::commands::knowledge::{look, root};
use crate::failure::{CommandResult, Ending, Failure};
use crate::output;
use crate::table::{Align, table};
use salve_engine::session::filed_by_user;
use salve_store::{SessionFilter, SessionRecord, Store};
use salve_types::{BugReport, Timestamp};
use serde_json::{Value, json};

/// How many sessions are looked through.
const SESSIONS: u32 = 1000;

/// Runs `salve sessions bugs`.
pub(super) fn run(
    store: &PlaceArguments,
    place: &FolderArguments,
    options: &SessionsBugsArguments,
    format: Format,
) -> CommandResult {
    if let (Some(id), Some(text)) = (&options.id, &options.add) {
        return add(store, place, id, text, options.turn, format);
    }
    let workspace = options.id.is_none().then(|| root(place)).transpose()?;
    let found = look(store, async |store| {
        let sessions = match &options.id {
            Some(id) => vec![find(store, place, Some(id)).await?],
            None => {
                let filter =
                    SessionFilter { workspace, limit: SESSIONS, ..SessionFilter::default() };
                store.sessions(&filter).await?
            }
        };
        let mut found = Vec::new();
        for session in sessions {
            let bugs = store.bugs(&session.id).await?;
            found.extend(bugs.into_iter().map(|bug| (session.clone(), bug)));
        }
        Ok(found)
    })?;
    let bugs = match (found, &options.id) {
        (Some(bugs), _) => bugs,
        (None, None) => Vec::new(),
        (None, Some(_)) => return Err(super::none()),
    };
    match format {
        Format::Human if bugs.is_empty() => output::result("no faults\n")?,
        Format::Human => output::result(&drawn(&bugs))?,
        _ => {
            let bugs: Vec<Value> = bugs.iter().map(|(session, bug)| value(session, bug)).collect();
            output::values(format, &bugs)?;
        }
    }
    Ok(Ending::Clean)
}

fn value(session: &SessionRecord, bug: &BugReport) -> Value {
    let mut value = json!(bug);
    if let Some(fields) = value.as_object_mut() {
        fields.insert("session".to_owned(), json!(session.id));
    }
    dated(value)
}

fn drawn(bugs: &[(SessionRecord, BugReport)]) -> String {
    let columns = [
        ("session", Align::Left),
        ("turn", Align::Right),
        ("when", Align::Right),
        ("type", Align::Left),
        ("by", Align::Left),
        ("what happened", Align::Left),
    ];
    let rows: Vec<Vec<String>> = bugs
        .iter()
        .map(|(session, bug)| {
            vec![
                session.id.to_string(),
                bug.turn.to_string(),
                draw::age(bug.at),
                bug.kind.name().to_owned(),
                bug.by.name().to_owned(),
                draw::first_line(&bug.description),
            ]
        })
        .collect();
    table(&columns, &rows)
}

fn add(
    store: &PlaceArguments,
    place: &FolderArguments,
    id: &str,
    text: &str,
    turn: Option<u32>,
    format: Format,
) -> CommandResult {
    if text.trim().is_empty() {
        return Err(Failure::new("the report is empty").hint("Say what happened."));
    }
    let (session, bug) = looked(store, async |store| {
        let session = find(store, place, Some(id)).await?;
        let bug = file(store, &session, text, turn).await?;
        Ok((session, bug))
    })?;
    match format {
        Format::Human => {
            output::result(&format!("reported for turn {} of {}\n", bug.turn, session.id))?;
        }
        _ => output::value(format, &value(&session, &bug))?,
    }
    Ok(Ending::Clean)
}

async fn file(
    store: &Store,
    session: &SessionRecord,
    text: &str,
    turn: Option<u32>,
) -> Result<BugReport, Failure> {
    let turn = turn.unwrap_or(session.turns);
    if turn > session.turns {
        return Err(Failure::new(format!("the session has no turn {turn}"))
            .hint(format!("It has {}.", output::counted(session.turns as usize, "turn"))));
    }
    let at = Timestamp(i64::try_from(crate::workspace::now()).unwrap_or(i64::MAX));
    // Every report is one of its own.
    let key = format!("bug/{}-{}", at.0, std::process::id());
    let write = filed_by_user(&session.id, turn, text, at, key);
    let bug = write.bugs.first().cloned();
    store.write_session(write).await?;
    bug.ok_or_else(|| Failure::new("the report was not kept"))
}
