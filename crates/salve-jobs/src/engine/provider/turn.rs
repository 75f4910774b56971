//! One turn of a flow: from the row that was claimed to what the engine replays, and back.
//!
//! In: a claimed turn, then what the engine made of it. Out: one commit, with what it means for the
//! job index. Never loses a history or a message it cannot read: the engine is told, and ends the job
//! after a few tries.

use super::OpenTurn;
use super::convert::{self, event, events};
use crate::engine::history::{News, news};
use crate::engine::storage::TurnNews;
use crate::engine::wakeups::Wakeups;
use crate::{CallKey, Happened, JobId, JobUpdate};
use duroxide::providers::{ExecutionMetadata, KvEntry, OrchestrationItem, ProviderError, WorkItem};
use duroxide::{Event, EventKind};
use salve_types::{
    ClaimedTurn, ExecutionEnd, FlowValue, NewFlow, Timestamp, TurnCommit, ValueChange,
};

const OPERATION: &str = "ack_orchestration_item";
const UNKNOWN: &str = "unknown";

/// Makes the engine's item of a claimed turn.
pub(super) fn item(claimed: ClaimedTurn) -> OrchestrationItem {
    let (messages, unreadable) = messages(&claimed.messages);
    let (history, history_error) = match events("fetch_orchestration_item", &claimed.history) {
        Ok(history) => (history, None),
        Err(error) => (Vec::new(), Some(error.message)),
    };
    let (orchestration_name, version, execution_id) = match claimed.run {
        Some(run) => (run.flow, run.version, run.execution),
        None => begun(&history, &messages),
    };
    // The engine knows no other way to be told: it gives such a turn back without a commit, which
    // would delete the message with the ones that were read.
    let history_error = history_error.or(unreadable);
    let is_readable = history_error.is_none();
    let values = claimed.values.into_iter().filter(|_| is_readable);
    let kv_snapshot = values.map(|FlowValue { key, value, set_at }| {
        let last_updated_at_ms = u64::try_from(set_at.0).unwrap_or_default();
        (key, KvEntry { value, last_updated_at_ms })
    });
    OrchestrationItem {
        instance: claimed.instance,
        orchestration_name,
        execution_id,
        version: version.unwrap_or_else(|| UNKNOWN.to_owned()),
        history,
        messages,
        history_error,
        kv_snapshot: kv_snapshot.collect(),
    }
}

/// Returns the messages that can be read, and what is wrong with the first that cannot.
fn messages(bodies: &[String]) -> (Vec<WorkItem>, Option<String>) {
    let mut unreadable = None;
    let mut read = Vec::with_capacity(bodies.len());
    for body in bodies {
        match serde_json::from_str(body) {
            Ok(message) => read.push(message),
            Err(error) => {
                unreadable
                    .get_or_insert_with(|| format!("a message to the flow is unreadable: {error}"));
            }
        }
    }
    (read, unreadable)
}

/// Returns the flow of an instance without a row: from its history, or from the message that starts
/// it.
fn begun(history: &[Event], messages: &[WorkItem]) -> (String, Option<String>, u64) {
    let recorded = history.iter().find_map(|event| match &event.kind {
        EventKind::OrchestrationStarted { name, version, .. } => {
            Some((name.clone(), Some(version.clone())))
        }
        _ => None,
    });
    let asked = || {
        messages.iter().find_map(|item| match item {
            WorkItem::StartOrchestration { orchestration, version, .. }
            | WorkItem::ContinueAsNew { orchestration, version, .. } => {
                Some((orchestration.clone(), version.clone()))
            }
            _ => None,
        })
    };
    let (name, version) = recorded.or_else(asked).unwrap_or_else(|| (UNKNOWN.to_owned(), None));
    (name, version, 1)
}

/// Makes a commit of what the engine made of a turn; steps and messages are added by the caller.
pub(super) fn commit(
    token: &str,
    execution: u64,
    now: Timestamp,
    delta: &[Event],
    metadata: ExecutionMetadata,
) -> Result<TurnCommit, ProviderError> {
    let ExecutionMetadata { status, output, .. } = metadata;
    let flow = metadata.orchestration_name.zip(metadata.orchestration_version);
    let parent = metadata.parent_instance_id;
    let pinned = metadata.pinned_duroxide_version;
    Ok(TurnCommit {
        now,
        token: token.to_owned(),
        execution,
        flow: flow.map(|(flow, version)| NewFlow { flow, version, parent }),
        engine_version: pinned.map(|it| convert::packed(it.major, it.minor, it.patch)),
        events: delta.iter().map(|it| event(OPERATION, it)).collect::<Result<_, _>>()?,
        end: status.map(|status| {
            let is_final = matches!(&*status, "Completed" | "ContinuedAsNew" | "Failed");
            ExecutionEnd { status, output, is_final }
        }),
        stage: delta.iter().rev().find_map(|event| match &event.kind {
            EventKind::CustomStatusUpdated { status } => Some(status.clone()),
            _ => None,
        }),
        values: delta.iter().filter_map(value_change).collect(),
        steps: Vec::new(),
        cancelled: Vec::new(),
        messages: Vec::new(),
    })
}

fn value_change(event: &Event) -> Option<ValueChange> {
    match &event.kind {
        EventKind::KeyValueSet { key, value, last_updated_at_ms } => {
            let set_at = Timestamp(i64::try_from(*last_updated_at_ms).unwrap_or(i64::MAX));
            Some(ValueChange::Set(FlowValue { key: key.clone(), value: value.clone(), set_at }))
        }
        EventKind::KeyValueCleared { key } => Some(ValueChange::Clear(key.clone())),
        EventKind::KeyValuesCleared => Some(ValueChange::ClearAll),
        _ => None,
    }
}

/// What a turn means outside the engine.
pub(super) struct Projected {
    /// For the job index.
    pub(super) news: TurnNews,
    cancelled: Vec<CallKey>,
}

/// Returns what a turn means for the job index, if that can be said from this execution alone: the
/// first turn of a later one goes on from where the one before ended, and is left to the projector.
pub(super) fn projected(open: OpenTurn, execution: u64, delta: &[Event]) -> Option<Projected> {
    let id = JobId::new(&open.instance).ok()?;
    let last = open.history.last().map(|event| event.event_id);
    let from = match last {
        Some(last) => (execution, last),
        None if execution == 1 => (0, 0),
        None => return None,
    };
    let mut all = open.history;
    all.extend_from_slice(delta);
    let News { last, happened, children, cancelled } = news(&all, from.1);
    let report = JobUpdate { id, from, to: (execution, last), happened };
    Some(Projected { news: TurnNews { children, report }, cancelled })
}

impl Projected {
    /// Stops the steps here that are not wanted any more.
    pub(super) fn tell(&self, wakeups: &Wakeups) {
        self.cancelled.iter().for_each(|key| wakeups.running.cancel_call(key));
        let report = &self.news.report;
        if matches!(report.happened.last(), Some(Happened::Ended { .. })) {
            wakeups.running.cancel(&report.id);
        }
    }
}
