//! The engine's history as events and states of ours.
//!
//! In: the events of one execution. Out: what happened, in order, and the state of the job. Never
//! reads or writes anything, so every worker that looks makes the same of it.

use super::envelope::{FlowInput, StepInput, Told, child_error, flow_name, step_error};
use crate::{CallKey, Happened, JobError, JobId, JobState, Json, NewJob, Stage};
use duroxide::{AppErrorKind, ErrorDetails, Event, EventKind, PoisonMessageType};
use salve_types::Timestamp;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// What happened after an event of one execution.
#[derive(Debug, Default)]
pub(super) struct News {
    /// The last event there is.
    pub(super) last: u64,
    /// What happened, in order; an end is last.
    pub(super) happened: Vec<Happened>,
    /// The children that were started.
    pub(super) children: Vec<NewJob>,
    /// The attempts whose results are not wanted any more.
    pub(super) cancelled: Vec<CallKey>,
}

/// Returns what happened after the event `after`.
pub(super) fn news(events: &[Event], after: u64) -> News {
    let by_id: BTreeMap<u64, &Event> = events.iter().map(|event| (event.event_id, event)).collect();
    let mut news = News { last: after, ..News::default() };
    let mut ended = None;
    let mut signals = BTreeSet::new();
    for event in events {
        let first = match &event.kind {
            EventKind::QueueEventDelivered { name, data } => {
                signals.insert((name, signal_id(data)))
            }
            _ => true,
        };
        if event.event_id <= after {
            continue;
        }
        news.last = news.last.max(event.event_id);
        let source = event.source_event_id.and_then(|id| by_id.get(&id)).copied();
        match &event.kind {
            EventKind::OrchestrationCompleted { .. } | EventKind::OrchestrationFailed { .. } => {
                ended = end_of(events);
            }
            EventKind::SubOrchestrationScheduled { instance, input, .. } => {
                news.children.extend(child(instance, input));
                news.happened
                    .extend(JobId::new(instance).map(|child| Happened::ChildStarted { child }));
            }
            EventKind::QueueEventDelivered { .. } if !first => {}
            EventKind::ActivityCancelRequested { .. } => {
                news.cancelled.extend(source.and_then(step_of).map(|(_, given)| given.key));
                news.happened.extend(happened(event, source));
            }
            _ => news.happened.extend(happened(event, source)),
        }
    }
    news.happened.extend(ended.map(|state| Happened::Ended { state }));
    news
}

fn signal_id(data: &str) -> String {
    serde_json::from_str::<Told>(data).map_or_else(|_| data.to_owned(), |told| told.id)
}

fn child(instance: &str, input: &str) -> Option<NewJob> {
    let given: FlowInput = serde_json::from_str(input).ok()?;
    let input_hash = super::envelope::input_hash(&given.input);
    Some(NewJob {
        id: JobId::new(instance).ok()?,
        flow: given.flow?,
        input_hash,
        needs: given.needs,
    })
}

fn happened(event: &Event, source: Option<&Event>) -> Option<Happened> {
    Some(match &event.kind {
        EventKind::OrchestrationStarted { name, version, .. } if event.execution_id == 1 => {
            let flow = flow_name(name, version)
                .map_or_else(|| format!("{name}@{version}"), |flow| flow.to_string());
            Happened::Started { flow }
        }
        EventKind::OrchestrationStarted { .. } => Happened::Restarted,
        EventKind::CustomStatusUpdated { status } => {
            let stage: Stage = serde_json::from_str(status.as_deref()?).ok()?;
            Happened::Stage { stage }
        }
        EventKind::ActivityScheduled { .. } => {
            let (step, given) = step_of(event)?;
            let (position, attempt, key) = (given.position, given.attempt, given.key);
            Happened::StepScheduled { step, position, attempt, key }
        }
        EventKind::ActivityCompleted { .. } => {
            let (step, given) = step_of(source?)?;
            Happened::StepDone { step, position: given.position, attempt: given.attempt }
        }
        EventKind::ActivityFailed { details } => {
            let (step, given) = step_of(source?)?;
            let (position, attempt) = (given.position, given.attempt);
            Happened::StepFailed { step, position, attempt, error: step_failure(details) }
        }
        EventKind::ActivityCancelRequested { .. } => {
            let (step, given) = step_of(source?)?;
            let detail = json!({ "step": step, "position": given.position });
            Happened::Other { kind: "step_cancelled".to_owned(), detail }
        }
        EventKind::SubOrchestrationCompleted { .. } => {
            Happened::ChildEnded { child: child_of(source?)?, error: None }
        }
        EventKind::SubOrchestrationFailed { details } => {
            let error = child_error(&details.display_message()).to_string();
            Happened::ChildEnded { child: child_of(source?)?, error: Some(error) }
        }
        EventKind::TimerCreated { fire_at_ms } => {
            Happened::Sleeping { until: Timestamp(i64::try_from(*fire_at_ms).unwrap_or(i64::MAX)) }
        }
        EventKind::TimerFired { .. } => Happened::Woke,
        EventKind::QueueSubscribed { name } => Happened::Waiting { signal: name.clone() },
        EventKind::QueueEventDelivered { name, .. } => Happened::Signalled { signal: name.clone() },
        EventKind::OrchestrationCancelRequested { reason } => {
            Happened::CancelRequested { reason: reason.clone() }
        }
        _ => return None,
    })
}

// The engine has steps of its own, such as the one that reads the clock: they have no envelope.
fn step_of(event: &Event) -> Option<(String, StepInput)> {
    let EventKind::ActivityScheduled { name, input, .. } = &event.kind else { return None };
    Some((name.clone(), serde_json::from_str(input).ok()?))
}

fn child_of(event: &Event) -> Option<JobId> {
    let EventKind::SubOrchestrationScheduled { instance, .. } = &event.kind else { return None };
    JobId::new(instance).ok()
}

fn step_failure(details: &ErrorDetails) -> String {
    match details {
        ErrorDetails::Application { message, .. } => step_error(message).to_string(),
        ErrorDetails::Poison { attempt_count, .. } => deaths(*attempt_count).to_string(),
        other => other.display_message(),
    }
}

fn deaths(attempt_count: u32) -> crate::StepError {
    crate::StepError::Poison { attempts: attempt_count.saturating_sub(1) }
}

/// Returns how the job ended, if its last execution did.
pub(super) fn end_of(events: &[Event]) -> Option<JobState> {
    events.iter().rev().find_map(|event| match &event.kind {
        EventKind::OrchestrationCompleted { output } => {
            let output =
                serde_json::from_str(output).unwrap_or_else(|_| Json::String(output.clone()));
            Some(JobState::Done { output })
        }
        EventKind::OrchestrationFailed { details } => Some(failure(events, details)),
        _ => None,
    })
}

fn failure(events: &[Event], details: &ErrorDetails) -> JobState {
    let error = match details {
        ErrorDetails::Poison { attempt_count, message_type, .. } => {
            // The last time it was only counted, not tried.
            let attempts = attempt_count.saturating_sub(1);
            let step = match message_type {
                PoisonMessageType::Activity { activity_name, .. } => activity_name.clone(),
                _ => "flow".to_owned(),
            };
            return JobState::Stuck { step, attempts };
        }
        ErrorDetails::Application { kind: AppErrorKind::Cancelled { reason }, .. } => {
            return JobState::Cancelled { reason: reason.clone() };
        }
        ErrorDetails::Application { kind: AppErrorKind::Panicked, message, .. } => {
            JobError::Flow { message: format!("the flow panicked: {message}") }
        }
        ErrorDetails::Application { message, .. } => serde_json::from_str(message)
            .unwrap_or_else(|_| JobError::Flow { message: message.clone() }),
        ErrorDetails::Configuration { message, .. } => JobError::FlowChanged {
            flow: changed_flow(events, details),
            detail: message.clone().unwrap_or_else(|| "its history does not fit".to_owned()),
        },
        ErrorDetails::Infrastructure { .. } => {
            JobError::Engine { message: details.display_message() }
        }
    };
    JobState::Failed { error }
}

// A parent fails with what its child failed with, so the flow to blame may be the child's.
fn changed_flow(events: &[Event], details: &ErrorDetails) -> String {
    let of_child = events.iter().find_map(|event| match &event.kind {
        EventKind::SubOrchestrationFailed { details: why } if why == details => {
            let source = event.source_event_id?;
            let started = events.iter().find(|event| event.event_id == source)?;
            let EventKind::SubOrchestrationScheduled { instance, input, .. } = &started.kind else {
                return None;
            };
            child(instance, input).map(|child| child.flow.to_string())
        }
        _ => None,
    });
    let own = || {
        events.iter().find_map(|event| match &event.kind {
            EventKind::OrchestrationStarted { name, version, .. } => {
                Some(flow_name(name, version).map_or_else(|| name.clone(), |flow| flow.to_string()))
            }
            _ => None,
        })
    };
    of_child.or_else(own).unwrap_or_default()
}

/// Returns the state of a job that was not cancelled.
pub(super) fn standing(events: &[Event]) -> JobState {
    if events.is_empty() {
        return JobState::Queued;
    }
    if let Some(state) = end_of(events) {
        return state;
    }
    let mut works = BTreeSet::new();
    let mut waits: BTreeMap<u64, &str> = BTreeMap::new();
    let mut told: BTreeMap<&str, usize> = BTreeMap::new();
    for event in events {
        match (&event.kind, event.source_event_id) {
            (EventKind::ActivityScheduled { .. }, _)
            | (EventKind::SubOrchestrationScheduled { .. }, _) => {
                works.insert(event.event_id);
            }
            (EventKind::QueueSubscribed { name }, _) => {
                waits.insert(event.event_id, name);
            }
            (EventKind::QueueEventDelivered { name, .. }, _) => {
                *told.entry(name).or_default() += 1;
            }
            (_, Some(source)) => {
                works.remove(&source);
                waits.remove(&source);
            }
            _ => {}
        }
    }
    // What was told is taken by the waits for it in their order.
    waits.retain(|_, name| match told.get_mut(name) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    });
    match waits.values().next() {
        Some(signal) if works.is_empty() => JobState::Waiting { signal: (*signal).to_owned() },
        _ => JobState::Running,
    }
}

#[cfg(test)]
mod tests;
