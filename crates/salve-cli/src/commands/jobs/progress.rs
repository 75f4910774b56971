//! What is known of a job from its events: its steps, and what it waits for.
//!
//! In: events in order. Out: a line of plain text for each that a person wants to hear of, and the
//! state to draw. Does no I/O: the same events give the same lines.

use salve_engine::jobs::{CONTINUE_SIGNAL, RESUME_SIGNAL, RETRY_SIGNAL};
use salve_jobs::{CallKey, Happened, JobEvent, JobState};
use salve_types::Timestamp;

/// A wait of fewer milliseconds is not worth a word.
const MOMENT: i64 = 100;

/// A job as its events tell it.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// Its steps and children, in the order in which they began.
    pub(super) lines: Vec<Line>,
    /// What its flow last said.
    pub(super) stage: Option<String>,
    /// What its flow wants shown for a moment.
    pub(super) toast: Option<String>,
    /// How it ended.
    pub(super) ended: Option<JobState>,
    job: String,
    waits: Option<Wait>,
    // Paid calls that workers which died had begun.
    lost_calls: u64,
    began: Option<Timestamp>,
}

/// One attempt at a step, or one child.
#[derive(Debug, PartialEq)]
pub(super) struct Line {
    /// Its name.
    pub(super) name: String,
    /// Its position in its flow; `None` for a child.
    position: Option<u32>,
    /// Which attempt.
    pub(super) attempt: u32,
    /// When it began.
    pub(super) began: Timestamp,
    /// When it ended, and what was wrong, if something was.
    pub(super) ended: Option<(Timestamp, Option<String>)>,
    /// By what its paid call is known.
    key: Option<String>,
}

#[derive(Debug)]
enum Wait {
    Signal(String),
    Until(Timestamp),
}

impl Progress {
    /// Takes the next event, and returns what to say about it.
    pub(super) fn take(&mut self, event: &JobEvent) -> Option<String> {
        let began = *self.began.get_or_insert_with(|| {
            self.job = event.job.to_string();
            event.at
        });
        let words = self.words(event)?;
        let after = (event.at.0 - began.0).max(0);
        Some(format!("{:>4}.{}s  {words}", after / 1000, after % 1000 / 100))
    }

    fn words(&mut self, event: &JobEvent) -> Option<String> {
        Some(match &event.what {
            Happened::Started { flow } => format!("started {flow}"),
            Happened::Stage { stage } => {
                let known = self.stage.replace(stage.name.clone());
                let toast = stage.detail["toast"].as_str().map(str::to_owned);
                let old = std::mem::replace(&mut self.toast, toast);
                let lost = stage.detail["lost_calls"].as_u64().unwrap_or_default();
                let more = lost.saturating_sub(std::mem::replace(&mut self.lost_calls, lost));
                if let Some(words) = lost_words(u32::try_from(more).unwrap_or(u32::MAX)) {
                    return Some(format!("{}: {words}", stage.name));
                }
                match &self.toast {
                    Some(toast) if old.as_ref() != Some(toast) => {
                        format!("{}: {toast}", stage.name)
                    }
                    // The same stage with other counts is nothing new.
                    _ if known.as_ref() == Some(&stage.name) => return None,
                    _ => stage.name.clone(),
                }
            }
            Happened::StepScheduled { step, position, attempt, key } => {
                self.waits = None;
                self.lines.push(Line {
                    name: step.clone(),
                    position: Some(*position),
                    attempt: *attempt,
                    began: event.at,
                    ended: None,
                    key: Some(key.to_string()),
                });
                format!("{} begins", named(step, *attempt))
            }
            Happened::StepDone { step, position, attempt } => {
                self.end(event.at, step, Some(*position), *attempt, None);
                format!("{} is done", named(step, *attempt))
            }
            Happened::StepFailed { step, position, attempt, error } => {
                self.end(event.at, step, Some(*position), *attempt, Some(error.clone()));
                format!("{} failed: {error}", named(step, *attempt))
            }
            Happened::ChildStarted { child } => {
                let (name, began) = (child.to_string(), event.at);
                let words = format!("child {name} begins");
                let (position, attempt, ended, key) = (None, 1, None, None);
                self.lines.push(Line { name, position, attempt, began, ended, key });
                words
            }
            Happened::ChildEnded { child, error } => {
                self.end(event.at, child.as_str(), None, 1, error.clone());
                match error {
                    None => format!("child {child} is done"),
                    Some(error) => format!("child {child} failed: {error}"),
                }
            }
            // Whether someone wants it to pause is looked at in passing.
            Happened::Waiting { signal } if !only_a_person_sends(signal) => return None,
            Happened::Waiting { signal } => {
                let told = self.waits_for_person().is_some();
                self.waits = Some(Wait::Signal(signal.clone()));
                let words = format!("waits for {}", self.waiting_on(event.at)?);
                // Two events may end the same wait; it is reported once.
                return (!told).then_some(words);
            }
            Happened::Sleeping { until } if until.0 - event.at.0 < MOMENT => return None,
            Happened::Sleeping { until } => {
                self.waits = Some(Wait::Until(*until));
                format!("waits for {}", self.waiting_on(event.at)?)
            }
            Happened::Signalled { signal } => {
                self.waits = None;
                format!("was told: {signal}")
            }
            Happened::Woke => {
                self.waits = None;
                return None;
            }
            Happened::CancelRequested { reason } => format!("is to stop: {reason}"),
            Happened::Restarted => "begins again with another input".to_owned(),
            Happened::Ended { state } => {
                self.waits = None;
                self.ended = Some(state.clone());
                ending(state)
            }
            // The engine's own bookkeeping, and what a later version may add.
            _ => return None,
        })
    }

    fn end(
        &mut self,
        at: Timestamp,
        name: &str,
        position: Option<u32>,
        attempt: u32,
        wrong: Option<String>,
    ) {
        let same = |line: &&mut Line| {
            line.name == name
                && line.position == position
                && line.attempt == attempt
                && line.ended.is_none()
        };
        if let Some(line) = self.lines.iter_mut().rev().find(same) {
            line.ended = Some((at, wrong));
        }
    }

    /// Returns what it waits for, in words; `None` when it has ended.
    pub(super) fn waiting_on(&self, now: Timestamp) -> Option<String> {
        if self.ended.is_some() {
            return None;
        }
        let running: Vec<String> = self
            .lines
            .iter()
            .filter(|line| line.ended.is_none())
            .map(|line| named(&line.name, line.attempt))
            .collect();
        Some(match &self.waits {
            Some(Wait::Signal(signal)) => person(signal, &self.job, self.in_doubt().as_deref()),
            Some(Wait::Until(until)) => {
                let seconds = (until.0 - now.0).max(0).div_euclid(1000);
                format!("its next attempt, in {seconds} s")
            }
            None if !running.is_empty() => running.join(", "),
            None if self.began.is_none() => "a worker".to_owned(),
            None => "its flow".to_owned(),
        })
    }

    /// Returns the signal that only a person sends, if it waits for one.
    pub(super) fn waits_for_person(&self) -> Option<&str> {
        match &self.waits {
            Some(Wait::Signal(signal)) if self.ended.is_none() => Some(signal),
            _ => None,
        }
    }

    // A step in doubt has failed with its key; the flow waits for a word about it.
    fn in_doubt(&self) -> Option<String> {
        let failed = |line: &&Line| line.ended.as_ref().is_some_and(|(_, wrong)| wrong.is_some());
        self.lines.iter().rev().find(failed).and_then(|line| line.key.clone())
    }
}

fn person(signal: &str, job: &str, key: Option<&str>) -> String {
    match (CallKey::is_resolve_signal(signal), key) {
        (true, Some(key)) => format!("a decision: salve jobs resolve {key} retry|fail|use FILE"),
        (true, None) => "a decision: see `salve jobs list --in-doubt`".to_owned(),
        _ if signal == RESUME_SIGNAL => format!("a person: salve jobs resume {job}"),
        _ => format!("a person: salve jobs retry {job}, or with --accept-partial"),
    }
}

/// Returns whether a signal comes from a person alone.
pub(super) fn only_a_person_sends(signal: &str) -> bool {
    CallKey::is_resolve_signal(signal)
        || [RETRY_SIGNAL, CONTINUE_SIGNAL, RESUME_SIGNAL].contains(&signal)
}

/// Says what became of paid calls whose worker died.
pub(super) fn lost_words(calls: u32) -> Option<String> {
    match calls {
        0 => None,
        1 => Some("1 paid call was begun by a worker that died, and may have been charged".into()),
        more => Some(format!(
            "{more} paid calls were begun by workers that died, and may have been charged"
        )),
    }
}

/// Names an attempt at a step.
pub(super) fn named(step: &str, attempt: u32) -> String {
    match attempt {
        0 | 1 => step.to_owned(),
        more => format!("{step} (attempt {more})"),
    }
}

/// Returns how a job ended, in words.
pub(super) fn ending(state: &JobState) -> String {
    match state {
        JobState::Done { .. } => "ended".to_owned(),
        JobState::Failed { error } => format!("failed: {error}"),
        JobState::Cancelled { reason } => format!("cancelled: {reason}"),
        JobState::Stuck { step, attempts } => {
            format!("stuck: step {step} killed its worker {attempts} times")
        }
        other => other.name().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use salve_jobs::{EventId, JobId, Stage, step_key};
    use serde_json::json;

    fn told(progress: &mut Progress, events: Vec<(i64, Happened)>) -> String {
        let events = events.into_iter().enumerate().map(|(at, (millis, what))| JobEvent {
            id: EventId(i64::try_from(at).unwrap_or_default()),
            job: JobId::new("a").unwrap(),
            at: Timestamp(1_000_000 + millis),
            what,
        });
        events.filter_map(|event| progress.take(&event)).map(|line| line + "\n").collect()
    }

    fn stage(name: &str, detail: serde_json::Value) -> Happened {
        Happened::Stage { stage: Stage { name: name.to_owned(), detail } }
    }

    fn scheduled(attempt: u32) -> Happened {
        let job = JobId::new("a").unwrap();
        let key = step_key(&job, 1, attempt, "x");
        Happened::StepScheduled { step: "answer".to_owned(), position: 1, attempt, key }
    }

    #[test]
    fn events_become_lines_and_what_is_waited_for() {
        let mut progress = Progress::default();
        let now = Timestamp(1_004_500);
        assert_eq!(progress.waiting_on(now).as_deref(), Some("a worker"));
        let failed = Happened::StepFailed {
            step: "answer".to_owned(),
            position: 1,
            attempt: 1,
            error: "503".to_owned(),
        };
        let lines = told(
            &mut progress,
            vec![
                (0, Happened::Started { flow: "Generate@1".to_owned() }),
                (40, stage("running", json!(null))),
                (60, scheduled(1)),
                (2_070, failed),
                (2_080, Happened::Sleeping { until: Timestamp(1_006_500) }),
            ],
        );
        insta::assert_snapshot!(lines, @r"
           0.0s  started Generate@1
           0.0s  running
           0.0s  answer begins
           2.0s  answer failed: 503
           2.0s  waits for its next attempt, in 4 s
        ");
        let lines = told(
            &mut progress,
            vec![
                (6_500, Happened::Woke),
                (6_510, scheduled(2)),
                (6_520, stage("needs_continuation", json!({"toast": "Auto-healing code..."}))),
            ],
        );
        insta::assert_snapshot!(lines, @r"
           6.5s  answer (attempt 2) begins
           6.5s  needs_continuation: Auto-healing code...
        ");
        assert_eq!(progress.waiting_on(now).as_deref(), Some("answer (attempt 2)"));
        assert_eq!(progress.toast.as_deref(), Some("Auto-healing code..."));
    }

    #[test]
    fn a_person_is_told_what_to_type() {
        let mut progress = Progress::default();
        let lost = Happened::StepFailed {
            step: "answer".to_owned(),
            position: 1,
            attempt: 1,
            error: "nobody knows".to_owned(),
        };
        told(
            &mut progress,
            vec![
                (0, scheduled(1)),
                (5, lost),
                (6, Happened::Waiting { signal: "resolve.0a".to_owned() }),
            ],
        );
        let words = progress.waiting_on(Timestamp(0)).unwrap();
        assert!(words.starts_with("a decision: salve jobs resolve a:1:1:"), "{words}");
        assert_eq!(progress.waits_for_person(), Some("resolve.0a"));
        let reason = "enough".to_owned();
        let end = Happened::Ended { state: JobState::Cancelled { reason } };
        let lines = told(&mut progress, vec![(9_900, end)]);
        assert_eq!(lines, "   9.9s  cancelled: enough\n");
        assert_eq!((progress.waiting_on(Timestamp(0)), progress.waits_for_person()), (None, None));
    }
}
