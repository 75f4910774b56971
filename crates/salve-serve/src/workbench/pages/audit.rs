//! Audit, from the turns of a session, its kept generations, the decisions and the faults.
//!
//! In: a session, and perhaps a turn. Out: a page of pairs with raw and parsed, decisions, faults. Never all of a
//! session: a page of it.

use super::super::answer::Answer;
use super::super::state::WorkbenchState;
use super::super::view::screens::SessionChoice;
use super::super::view::screens::audit::{
    AuditView, BugView, DecisionView, PairView, audit_screen,
};
use super::chosen::{Chosen, drawn, shown};
use super::shell;
use axum::extract::{Query, State};
use axum::response::Response;
use salve_engine::session::{EventName, bug_label};
use salve_store::{AuditEntry, DecisionFilter, DecisionRecord, SessionRecord, TurnRecord};
use salve_types::{BugReport, SessionEvent};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How many pairs a page has.
const PAIRS: u32 = 8;
/// How many decisions and faults are shown.
const SHOWN: u32 = 50;
/// How many events of refusals are looked through.
const EVENTS: u32 = 200;
/// How many bytes of a text are shown.
const MOST_BYTES: usize = 64 * 1024;

/// What is wanted.
#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct Wanted {
    /// The session.
    session: Option<String>,
    /// The newest turn that is shown.
    turn: Option<u32>,
}

/// Answers `GET /audit`.
pub(super) async fn audit(
    State(state): State<Arc<WorkbenchState>>,
    Query(wanted): Query<Wanted>,
) -> Answer<Response> {
    let chosen = Chosen::find(&state, wanted.session.as_deref()).await?;
    let mut view = AuditView {
        session: chosen.choice(),
        turn: wanted.turn,
        bugs: faults(&state, chosen.session.as_ref()).await?,
        decisions: decisions(&state).await?,
        sessions: chosen.offered,
        ..AuditView::default()
    };
    if let Some(session) = &chosen.session {
        fill(&state, session, &mut view).await?;
    }
    drawn(shell(&state, "Audit"), move || audit_screen(&view)).await
}

async fn fill(state: &WorkbenchState, session: &SessionRecord, view: &mut AuditView) -> Answer<()> {
    let store = state.store();
    let entries = store.audit_entries(&session.id).await?;
    view.audit = session.audit;
    view.entries = (entries.len(), session.audit_trimmed);
    view.created = session.created_at.0;
    // The last generation of a turn is the one that its answer is read from.
    let entries: BTreeMap<u32, AuditEntry> =
        entries.into_iter().map(|entry| (entry.turn, entry)).collect();
    let names = [EventName::EditsBlocked.name(), EventName::TurnFailed.name()];
    let blocked = store.events_named(&session.id, names, EVENTS).await?;
    let newest = view.turn.unwrap_or(session.turns).min(session.turns);
    let oldest = newest.saturating_sub(PAIRS - 1).max(1);
    for index in (oldest..=newest).rev() {
        if let Some(turn) = store.turn(&session.id, index).await? {
            let mut pair = pair(state, turn, entries.get(&index)).await?;
            let of_turn = blocked.iter().filter(|event| event.turn == Some(index));
            pair.blocked = of_turn.filter_map(evidence).collect();
            view.pairs.push(pair);
        }
    }
    let older = format!("/audit?session={}&turn={}", session.id, oldest - 1);
    view.older = (oldest > 1).then_some(older);
    Ok(())
}

// What was refused, by which files, and what the disk said.
fn evidence(event: &SessionEvent) -> Option<String> {
    let word = |name: &str| event.payload[name].as_str().filter(|text| !text.is_empty());
    let code = word("code").unwrap_or(&event.name);
    let files = event.payload["files"].as_array().into_iter().flatten();
    let files: Vec<&str> = files.filter_map(serde_json::Value::as_str).collect();
    let words = [word("message"), word("detail"), word("why"), word("error")];
    let words: Vec<&str> = words.into_iter().flatten().collect();
    if words.is_empty() && files.is_empty() && word("code").is_none() {
        return None;
    }
    Some(format!("{code}: {} {}", words.join(" — "), files.join(", ")).trim().to_owned())
}

async fn pair(
    state: &WorkbenchState,
    turn: TurnRecord,
    entry: Option<&AuditEntry>,
) -> Answer<PairView> {
    let raw_hash = entry.map(|entry| entry.full_generation.clone()).or(turn.raw);
    let prompt_hash = entry.map(|entry| entry.system_prompt.clone());
    let parsed = turn.result.as_ref().and_then(|result| serde_json::to_string_pretty(result).ok());
    Ok(PairView {
        turn: turn.index,
        message: shown(&turn.text, MOST_BYTES),
        model: entry.map(|entry| entry.model.clone()).or(turn.model).unwrap_or_default(),
        finish: entry.and_then(|entry| entry.finish_reason.clone()).or(turn.finish_reason),
        status: turn.status.name().to_owned(),
        tokens: entry
            .map_or((turn.tokens_in, turn.tokens_out), |entry| (entry.tokens_in, entry.tokens_out)),
        raw: text(state, raw_hash.as_deref()).await?,
        raw_hash,
        parsed: parsed.map(|parsed| shown(&parsed, MOST_BYTES)),
        prompt: text(state, prompt_hash.as_deref()).await?,
        prompt_hash,
        partial: turn.partial,
        blocked: Vec::new(),
        at: turn.created_at.0,
    })
}

async fn text(state: &WorkbenchState, id: Option<&str>) -> Answer<Option<String>> {
    let Some(id) = id else { return Ok(None) };
    let found = state.store().text(id).await?;
    Ok(found.map(|text| shown(&text, MOST_BYTES)))
}

async fn decisions(state: &WorkbenchState) -> Answer<Vec<DecisionView>> {
    let workspace = Some(state.root().display().to_string());
    let filter = DecisionFilter { workspace, ..DecisionFilter::default() };
    Ok(state.store().decisions(&filter, SHOWN).await?.into_iter().map(decision).collect())
}

fn decision(one: DecisionRecord) -> DecisionView {
    let pinned = one.pinned.then(|| {
        let by = one.pinned_by.unwrap_or_default();
        format!("{} ({by})", one.pin_reason.unwrap_or_default())
    });
    DecisionView {
        id: one.id,
        what: one.decision_type.name().to_owned(),
        choice: one.choice,
        alternatives: one.alternatives,
        reasoning: one.reasoning,
        by: one.model_id,
        confidence: one.confidence,
        module: one.module,
        job: one.job,
        pinned,
        superseded_by: one.superseded_by,
        at: one.timestamp.0,
    }
}

// Those of the chosen session, or of the newest ones.
async fn faults(state: &WorkbenchState, chosen: Option<&SessionRecord>) -> Answer<Vec<BugView>> {
    const SESSIONS: u32 = 20;
    let mut sessions = state.conversation().sessions(state.root(), SESSIONS).await?;
    if let Some(chosen) = chosen.filter(|chosen| sessions.iter().all(|one| one.id != chosen.id)) {
        sessions.push(chosen.clone());
    }
    let mut found = Vec::new();
    for session in sessions {
        let place = SessionChoice { id: session.id.to_string(), title: session.title };
        let bugs = state.store().bugs(&session.id).await?;
        found.extend(bugs.into_iter().map(|bug| fault(&place, bug)));
    }
    found.sort_by_key(|bug| std::cmp::Reverse(bug.at));
    found.truncate(usize::try_from(SHOWN).unwrap_or(usize::MAX));
    Ok(found)
}

fn fault(session: &SessionChoice, bug: BugReport) -> BugView {
    BugView {
        session: session.clone(),
        kind: bug_label(bug.kind).to_owned(),
        by: bug.by.name().to_owned(),
        description: bug.description,
        turn: bug.turn,
        at: bug.at.0,
    }
}
