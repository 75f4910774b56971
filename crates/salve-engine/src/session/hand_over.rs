//! A session hands over to a fresh one, is extended, or goes on.
//!
//! In: a session in the store, and what a person chose. Out: the child with its context, its tasks and the changes of
//! its parent, or the session with a larger window. Never two children of one choice, and never the whole
//! conversation.

use super::handoff::{
    HandoffChoice, HandoffFacts, ModifiedFile, RECENT_EXCHANGES, handoff_input, handoff_text,
};
use super::log::matching;
use super::{ChatAnswer, EventName};
use salve_store::{
    HANDED_OVER, NewHandoff, NewSessionEvent, SessionRecord, SessionUpdate, SessionWrite, Store,
    StoreError, TurnRecord,
};
use salve_types::{ChangeState, FileOpKind, SessionChange, SessionId};
use serde::Serialize;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// How many tokens of earlier exchanges a model gets, unless a person says otherwise.
pub const WINDOW_TOKENS: u64 = 24_000;

/// How many sessions a line of handoffs is followed back.
const GENERATIONS: usize = 64;

/// What a choice came to.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "choice")]
pub enum HandoffDone {
    /// A child goes on.
    Handoff {
        /// The child.
        child: Box<SessionRecord>,
        /// What its input begins with.
        input: String,
    },
    /// The session goes on with a larger window.
    Extend {
        /// The session.
        session: Box<SessionRecord>,
    },
    /// The session goes on as it is, and is not asked about it again.
    Cancel {
        /// The session.
        session: Box<SessionRecord>,
    },
}

/// Does what a person chose. Repeated after a crash it does the same once.
///
/// # Errors
/// When there is no such session, or the database refuses.
pub async fn decide_handoff(
    store: &Store,
    session: &SessionId,
    choice: HandoffChoice,
) -> Result<HandoffDone, StoreError> {
    let missing = || StoreError::NoSuchSession(session.to_string());
    let record = store.session(session).await?.ok_or_else(missing)?;
    match choice {
        HandoffChoice::Handoff => hand_over(store, &record).await,
        HandoffChoice::Extend => {
            let limit = record.extended_limit.unwrap_or(WINDOW_TOKENS).saturating_mul(2);
            // It is offered again when the larger window is nearly full.
            let update = SessionUpdate {
                extended_limit: Some(limit),
                handoff_offered: Some(false),
                ..SessionUpdate::default()
            };
            let session = Box::new(store.update_session(session, update).await?);
            say(store, &record, choice, limit).await?;
            Ok(HandoffDone::Extend { session })
        }
        HandoffChoice::Cancel => {
            let update = SessionUpdate { handoff_offered: Some(true), ..SessionUpdate::default() };
            let session = Box::new(store.update_session(session, update).await?);
            say(store, &record, choice, record.extended_limit.unwrap_or(WINDOW_TOKENS)).await?;
            Ok(HandoffDone::Cancel { session })
        }
    }
}

async fn say(
    store: &Store,
    session: &SessionRecord,
    choice: HandoffChoice,
    limit: u64,
) -> Result<(), StoreError> {
    let event = NewSessionEvent {
        turn: None,
        name: EventName::HandoffDecided.name().to_owned(),
        payload: json!({ "choice": choice.label(), "limit": limit }),
    };
    let key = format!("handoff-decided/{}-{limit}-{}", session.turns, choice.label());
    let write = SessionWrite { events: vec![event], ..SessionWrite::new(session.id.clone(), key) };
    store.write_session(write).await.map(drop)
}

async fn hand_over(store: &Store, parent: &SessionRecord) -> Result<HandoffDone, StoreError> {
    let facts = facts_of(store, parent).await?;
    let input = handoff_input(&facts.todos);
    let new = NewHandoff {
        key: format!("handoff/{}", parent.turns),
        context: store.put_text(&handoff_text(&facts)).await?,
        input: input.clone(),
        modified: facts.modified.iter().map(|file| file.path.clone()).collect(),
    };
    let child = Box::new(store.hand_over_session(&parent.id, new).await?);
    Ok(HandoffDone::Handoff { child, input })
}

/// What a session got from the one before it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Inherited {
    /// The text about it.
    pub context: String,
    /// What the input begins with.
    pub input: String,
    /// Files that its first turn gets.
    pub modified: Vec<String>,
    /// The last turn of the one before.
    pub last_turn: u32,
}

/// Returns what a session got from the one before it; nothing where it began by itself.
///
/// # Errors
/// When the database refuses.
pub async fn inherited(
    store: &Store,
    session: &SessionRecord,
) -> Result<Option<Inherited>, StoreError> {
    if session.parent.is_none() {
        return Ok(None);
    }
    // It is how the child begins.
    let first = store.session_events(&session.id, 0, 1).await?.into_iter().next();
    let Some(event) = first.filter(|event| event.name == HANDED_OVER) else { return Ok(None) };
    let text = |key: &str| event.payload[key].as_str().unwrap_or_default().to_owned();
    let context = store.text(&text("context")).await?.unwrap_or_default();
    let modified = event.payload["modified"].as_array().into_iter().flatten();
    Ok(Some(Inherited {
        context,
        input: text("input"),
        modified: modified.filter_map(|path| path.as_str().map(str::to_owned)).collect(),
        last_turn: event.payload["turn"]
            .as_u64()
            .and_then(|turn| u32::try_from(turn).ok())
            .unwrap_or(0),
    }))
}

/// Gathers what a session hands over.
///
/// # Errors
/// When the database refuses.
pub async fn facts_of(store: &Store, session: &SessionRecord) -> Result<HandoffFacts, StoreError> {
    let id = &session.id;
    let turns: Vec<TurnRecord> =
        store.turns(id).await?.into_iter().filter(|turn| !turn.rewound).collect();
    let said: Vec<(String, String)> =
        turns.iter().map(|turn| (turn.text.clone(), answer_of(turn))).collect();
    let changes = store.session_changes(id).await?;
    let modified = modified_files(store, session, &changes).await?;
    let is_modified: BTreeSet<&str> = modified.iter().map(|file| file.path.as_str()).collect();
    let mut referenced = Vec::new();
    for operation in store.file_operations(id).await? {
        let path = operation.path;
        if operation.op == FileOpKind::Read
            && !is_modified.contains(&*path)
            && !referenced.contains(&path)
        {
            referenced.push(path);
        }
    }
    let project = session.workspace.rsplit('/').find(|part| !part.is_empty());
    Ok(HandoffFacts {
        parent_session: id.to_string(),
        project: project.unwrap_or_default().to_owned(),
        exchanges: turns.len(),
        tokens_in: session.tokens_in,
        tokens_out: session.tokens_out,
        summary: summary_of(&session.title, &said),
        modified,
        referenced,
        todos: store.todos(id).await?,
        conversation: said,
        bugs: store.bugs(id).await?,
        commands: store.command_results(id).await?,
    })
}

// What was asked for first, and what was answered before the exchanges that are handed over as they are.
fn summary_of(title: &str, said: &[(String, String)]) -> String {
    let earlier = said.len().saturating_sub(RECENT_EXCHANGES);
    let lines = said.iter().take(earlier).filter(|(_, answer)| !answer.is_empty());
    let lines = lines.map(|(_, answer)| format!("- {}", super::one_line::short_line(answer, 200)));
    std::iter::once(title.trim().to_owned()).chain(lines).collect::<Vec<String>>().join("\n")
}

fn answer_of(turn: &TurnRecord) -> String {
    let answer = turn.result.clone().and_then(|answer| serde_json::from_value(answer).ok());
    let answer: ChatAnswer = answer.unwrap_or_default();
    answer.summary.or(answer.plain_text).or(answer.summary_fragment).unwrap_or_default()
}

// The lines that changes in force brought, by file, changed last first. A change of a session before is told there.
async fn modified_files(
    store: &Store,
    session: &SessionRecord,
    changes: &[SessionChange],
) -> Result<Vec<ModifiedFile>, StoreError> {
    let in_force: BTreeSet<&str> = changes
        .iter()
        .filter(|change| change.state == ChangeState::Applied)
        .map(|change| change.change_id.as_str())
        .collect();
    let mut lines: BTreeMap<String, (u64, ModifiedFile)> = BTreeMap::new();
    let mut at = Some(session.clone());
    for _ in 0..GENERATIONS {
        let Some(session) = at.take() else { break };
        let applied = EventName::EditsApplied.name();
        for event in matching(store, &session.id, |event| event.name == applied).await? {
            let is_known = event.payload["change"].as_str().is_some_and(|id| in_force.contains(id));
            for file in event.payload["files"].as_array().into_iter().flatten().filter(|_| is_known)
            {
                let path = file["path"].as_str().unwrap_or_default().to_owned();
                let new = || (0, ModifiedFile { path: path.clone(), added: 0, removed: 0 });
                let (last, sum) = lines.entry(path.clone()).or_insert_with(new);
                *last = event.id.max(*last);
                sum.added += file["added"].as_u64().unwrap_or_default();
                sum.removed += file["removed"].as_u64().unwrap_or_default();
            }
        }
        at = match &session.parent {
            Some(parent) => store.session(parent).await?,
            None => None,
        };
    }
    let mut files: Vec<(u64, ModifiedFile)> = lines.into_values().collect();
    files.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    Ok(files.into_iter().map(|(_, file)| file).collect())
}

#[cfg(test)]
mod tests;
