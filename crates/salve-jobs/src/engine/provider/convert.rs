//! The engine's values as rows of ours, and its errors.
//!
//! In: work items, events, filters. Out: rows with the engine's text in them. Never reads a text:
//! it is only put away and taken out.

use crate::engine::storage::StorageError;
use duroxide::Event;
use duroxide::providers::{
    DispatcherCapabilityFilter, ProviderError, ScheduledActivityIdentifier, TagFilter, WorkItem,
};
use salve_types::{
    EngineRefusal, FlowMessage, HistoryEvent, MessageKind, QueuedStep, StepId, TagChoice, Timestamp,
};
use std::error::Error;
use std::ops::RangeInclusive;

/// Says what storage said as the engine wants to hear it: what was refused is permanent.
pub(super) fn failed(operation: &'static str) -> impl FnOnce(StorageError) -> ProviderError {
    move |error| match error {
        // Words of duroxide: its client and its suite read these out of messages.
        StorageError::Refused(EngineRefusal::LeaseLost) => {
            ProviderError::permanent(operation, "Invalid lock token: the lease is gone")
        }
        StorageError::Refused(refusal) => ProviderError::permanent(operation, refusal.to_string()),
        StorageError::Unavailable { .. } => ProviderError::retryable(operation, chain(&error)),
    }
}

fn chain(error: &dyn Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {}", chain(source)),
        None => error.to_string(),
    }
}

pub(super) fn unreadable(
    operation: &'static str,
) -> impl FnOnce(serde_json::Error) -> ProviderError {
    move |error| {
        ProviderError::permanent(operation, format!("a stored text is unreadable: {error}"))
    }
}

fn text(operation: &'static str, value: &impl serde::Serialize) -> Result<String, ProviderError> {
    serde_json::to_string(value)
        .map_err(|error| ProviderError::permanent(operation, format!("not serialisable: {error}")))
}

pub(super) fn event(operation: &'static str, event: &Event) -> Result<HistoryEvent, ProviderError> {
    if event.event_id == 0 {
        return Err(ProviderError::permanent(operation, "an event has no number"));
    }
    Ok(HistoryEvent { id: event.event_id, body: text(operation, event)? })
}

pub(super) fn events(
    operation: &'static str,
    history: &[String],
) -> Result<Vec<Event>, ProviderError> {
    history.iter().map(|body| serde_json::from_str(body).map_err(unreadable(operation))).collect()
}

/// Makes a row of a message to a flow.
pub(super) fn message(
    operation: &'static str,
    item: &WorkItem,
    now: Timestamp,
) -> Result<FlowMessage, ProviderError> {
    let (instance, kind) = match item {
        WorkItem::StartOrchestration { instance, .. }
        | WorkItem::ContinueAsNew { instance, .. } => (instance, MessageKind::Start),
        WorkItem::QueueMessage { instance, .. } => (instance, MessageKind::Signal),
        WorkItem::ActivityCompleted { instance, .. }
        | WorkItem::ActivityFailed { instance, .. }
        | WorkItem::TimerFired { instance, .. }
        | WorkItem::ExternalRaised { instance, .. }
        | WorkItem::CancelInstance { instance, .. } => (instance, MessageKind::Other),
        WorkItem::SubOrchCompleted { parent_instance, .. }
        | WorkItem::SubOrchFailed { parent_instance, .. } => (parent_instance, MessageKind::Other),
        WorkItem::ActivityExecute { .. } => {
            return Err(ProviderError::permanent(operation, "a step is no message to a flow"));
        }
    };
    let due = match item {
        WorkItem::TimerFired { fire_at_ms, .. } => {
            Timestamp(i64::try_from(*fire_at_ms).unwrap_or(i64::MAX))
        }
        _ => now,
    };
    Ok(FlowMessage { instance: instance.clone(), kind, body: text(operation, item)?, due })
}

/// Makes a row of the outcome of a step.
pub(super) fn step_completion(
    item: &WorkItem,
    now: Timestamp,
) -> Result<FlowMessage, ProviderError> {
    let operation = "ack_work_item";
    match item {
        WorkItem::ActivityCompleted { .. } | WorkItem::ActivityFailed { .. } => {
            message(operation, item, now)
        }
        _ => Err(ProviderError::permanent(operation, "this does not complete a step")),
    }
}

/// Makes a row of a step.
pub(super) fn step(item: &WorkItem) -> Result<QueuedStep, ProviderError> {
    let body = text("enqueue_for_worker", item)?;
    Ok(match item {
        WorkItem::ActivityExecute { instance, execution_id, id, session_id, tag, .. } => {
            let id = StepId { instance: instance.clone(), execution: *execution_id, event: *id };
            QueuedStep { id: Some(id), session: session_id.clone(), tag: tag.clone(), body }
        }
        _ => QueuedStep { id: None, session: None, tag: None, body },
    })
}

pub(super) fn step_id(activity: ScheduledActivityIdentifier) -> StepId {
    let ScheduledActivityIdentifier { instance, execution_id, activity_id } = activity;
    StepId { instance, execution: execution_id, event: activity_id }
}

/// Returns the tags that are wanted; `None` when no step is.
pub(super) fn tags(filter: &TagFilter) -> Option<TagChoice> {
    let (untagged, tags) = match filter {
        TagFilter::None => return None,
        TagFilter::Any => return Some(TagChoice::Any),
        TagFilter::DefaultOnly => (true, Vec::new()),
        TagFilter::Tags(tags) => (false, tags.iter().cloned().collect()),
        TagFilter::DefaultAnd(tags) => (true, tags.iter().cloned().collect()),
    };
    Some(TagChoice::Some { untagged, tags })
}

/// No version can be replayed.
pub(super) struct NoVersion;

/// Returns the versions of the engine that can be replayed; `None` is all.
pub(super) fn versions(
    filter: Option<&DispatcherCapabilityFilter>,
) -> Result<Option<RangeInclusive<u64>>, NoVersion> {
    let Some(filter) = filter else { return Ok(None) };
    // The engine has one range so far, and says so.
    let range = filter.supported_duroxide_versions.first().ok_or(NoVersion)?;
    let packed = |version: &semver::Version| packed(version.major, version.minor, version.patch);
    Ok(Some(packed(&range.min)..=packed(&range.max)))
}

/// Makes one number of a version, in the same order.
pub(super) const fn packed(major: u64, minor: u64, patch: u64) -> u64 {
    (major * 1_000_000).saturating_add(minor * 1_000).saturating_add(patch)
}

pub(super) fn size(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}
