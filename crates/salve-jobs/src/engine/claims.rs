//! What a runner takes from the engine's queues, and what it still holds.
//!
//! In: the flows and steps it knows. Out: which work is its own, and what must be given back when
//! it stops. Never takes work that it does not know: that is for a peer with another version.

use super::wakeups::locked;
use crate::{FlowName, JobId, JobIndex};
use duroxide::providers::WorkItem;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{MutexGuard, Notify, RwLock, RwLockReadGuard};
use tokio_util::sync::CancellationToken;

// The engine's own steps, such as the one that reads the clock, begin with this.
const ENGINES_OWN: &str = "__duroxide_syscall:";
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(4);
// How many strangers are remembered; forgetting one only makes its next pause short again.
const STRANGERS: usize = 10_000;
// A step whose worker died this often less one is tried alone.
const ALONE_FROM: u32 = 3;

/// What one runner takes.
pub(super) struct Claims {
    index: Arc<dyn JobIndex>,
    flows: BTreeSet<FlowName>,
    steps: BTreeSet<String>,
    poll: Duration,
    only: Option<JobId>,
    closed: CancellationToken,
    // The caller that looks holds it for reading, so that closing can wait for them.
    looking: RwLock<()>,
    // Those who look stand in line, and only the first of them asks the store.
    flow_gate: tokio::sync::Mutex<()>,
    step_gate: tokio::sync::Mutex<()>,
    held: Mutex<Held>,
    given: Notify,
    strangers: Mutex<BTreeMap<String, u32>>,
}

#[derive(Default)]
struct Held {
    flows: BTreeSet<String>,
    steps: BTreeMap<String, (String, u64)>,
    // A step that may be what kills workers.
    alone: Option<String>,
}

impl Claims {
    /// Makes a taker of this work, which looks for it this often at least.
    pub(super) fn new(
        index: Arc<dyn JobIndex>,
        flows: BTreeSet<FlowName>,
        steps: BTreeSet<String>,
        poll: Duration,
        only: Option<JobId>,
    ) -> Self {
        Self {
            index,
            flows,
            steps,
            poll,
            only,
            closed: CancellationToken::new(),
            looking: RwLock::default(),
            flow_gate: tokio::sync::Mutex::default(),
            step_gate: tokio::sync::Mutex::default(),
            held: Mutex::default(),
            given: Notify::new(),
            strangers: Mutex::default(),
        }
    }

    /// Waits until one is the first of those who look for a flow.
    pub(super) async fn flow_gate(&self) -> MutexGuard<'_, ()> {
        self.flow_gate.lock().await
    }

    /// The same for a step. While one is tried alone, no other is claimed: what kills a worker
    /// would take the others with it each time, until they seem to be what kills.
    pub(super) async fn step_gate(&self) -> MutexGuard<'_, ()> {
        loop {
            let given = self.given.notified();
            let held = self.step_gate.lock().await;
            if locked(&self.held).alone.is_none() {
                return held;
            }
            drop(held);
            given.await;
        }
    }

    /// Asks for leave to look for work now; it never comes, once closed.
    pub(super) async fn permit(&self) -> RwLockReadGuard<'_, ()> {
        let leave = self.looking.read().await;
        if self.closed.is_cancelled() {
            drop(leave);
            return std::future::pending().await;
        }
        leave
    }

    /// Waits until there may be work.
    pub(super) async fn wait(&self, news: &Notify) {
        tokio::select! {
            () = news.notified() => {}
            () = self.closed.cancelled() => {}
            () = tokio::time::sleep(self.poll) => {}
        }
    }

    /// Takes nothing more.
    pub(super) fn stop(&self) {
        self.closed.cancel();
    }

    /// Takes nothing more; returns when no claim is under way.
    pub(super) async fn close(&self) {
        self.stop();
        drop(self.looking.write().await);
    }

    /// Waits until nothing is held, or this long.
    pub(super) async fn emptied(&self, longest: Duration) {
        let empty = async {
            loop {
                let given = self.given.notified();
                if self.is_empty() {
                    return;
                }
                given.await;
            }
        };
        let _: Result<(), _> = tokio::time::timeout(longest, empty).await;
    }

    fn is_empty(&self) -> bool {
        let held = locked(&self.held);
        held.flows.is_empty() && held.steps.is_empty()
    }

    /// Returns whether work of this job is taken here.
    pub(super) fn serves(&self, instance: &str) -> bool {
        self.only.as_ref().is_none_or(|job| {
            let rest = instance.strip_prefix(job.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }

    /// Returns whether this flow is known here. The engine itself deals with what has no name.
    pub(super) fn knows_flow(&self, flow: Option<&FlowName>) -> bool {
        flow.is_none_or(|flow| self.flows.contains(flow))
    }

    /// Returns why a job that is about to begin is to stop, if it is.
    pub(super) async fn is_cancelled(&self, instance: &str) -> Option<String> {
        let id = [JobId::new(instance).ok()?];
        match self.index.cancel_requested(&id).await {
            Ok(stopped) => stopped.into_iter().next().map(|(_, reason)| reason),
            Err(error) => {
                // A sweep stops it later.
                tracing::warn!(job = instance, %error, "it could not be seen whether a job is to stop");
                None
            }
        }
    }

    /// Returns whether this step is known here.
    pub(super) fn knows_step(&self, item: &WorkItem) -> bool {
        match item {
            WorkItem::ActivityExecute { instance, name, .. } => {
                self.serves(instance)
                    && (name.starts_with(ENGINES_OWN) || self.steps.contains(name))
            }
            _ => true,
        }
    }

    /// Returns how long work of others is left alone; longer each time it was met.
    pub(super) fn pause_for_others(&self, whose: &str) -> Duration {
        let mut strangers = locked(&self.strangers);
        if strangers.len() >= STRANGERS {
            strangers.clear();
        }
        let met = strangers.entry(whose.to_owned()).or_default();
        *met = (*met + 1).min(8);
        FIRST_PAUSE.saturating_mul(1 << (*met - 1)).min(LONGEST_PAUSE)
    }

    /// The same for a step.
    pub(super) fn pause_for_other_step(&self, item: &WorkItem) -> Duration {
        match item {
            WorkItem::ActivityExecute { instance, id, .. } => {
                self.pause_for_others(&format!("{instance}:{id}"))
            }
            _ => FIRST_PAUSE,
        }
    }

    /// Notes a flow's turn that was taken.
    pub(super) fn hold_turn(&self, token: &str) {
        locked(&self.held).flows.insert(token.to_owned());
    }

    /// Notes that a flow's turn was given back.
    pub(super) fn release_turn(&self, token: &str) {
        locked(&self.held).flows.remove(token);
        self.given.notify_waiters();
    }

    /// Notes a step that was taken, and how often it was by now.
    pub(super) fn hold_step(&self, token: &str, item: &WorkItem, attempts: u32) {
        if let WorkItem::ActivityExecute { instance, id, .. } = item {
            let mut held = locked(&self.held);
            held.steps.insert(token.to_owned(), (instance.clone(), *id));
            if attempts >= ALONE_FROM {
                held.alone = Some(token.to_owned());
            }
        }
    }

    /// Notes that a step was given back.
    pub(super) fn release_step(&self, token: &str) {
        let mut held = locked(&self.held);
        held.steps.remove(token);
        held.alone.take_if(|alone| alone == token);
        drop(held);
        self.given.notify_waiters();
    }

    /// Returns the job and the event of a step that is held.
    pub(super) fn step(&self, token: &str) -> Option<(String, u64)> {
        locked(&self.held).steps.get(token).cloned()
    }

    /// Returns what is still held: the tokens of flows and of steps.
    pub(super) fn held(&self) -> (Vec<String>, Vec<String>) {
        let held = locked(&self.held);
        (held.flows.iter().cloned().collect(), held.steps.keys().cloned().collect())
    }
}
