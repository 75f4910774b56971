//! What the parts of one process tell each other about jobs, so that none has to wait for a poll.
//!
//! In: that something happened. Out: the caller that waits for it wakes up. Never the truth: that
//! is in the engine's history, and everything here may be lost.

use crate::{CallKey, JobId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// The wakeups of one process to one engine.
#[derive(Default)]
pub(super) struct Wakeups {
    /// A flow has something to do.
    pub(super) flow_work: Notify,
    /// A step is to be done.
    pub(super) step_work: Notify,
    /// A job is in `touched`.
    pub(super) touch: Notify,
    /// The steps that are being done here.
    pub(super) running: Running,
    touched: Mutex<BTreeSet<JobId>>,
}

impl Wakeups {
    /// Notes that a job's history has grown.
    pub(super) fn touched(&self, job: JobId) {
        locked(&self.touched).insert(job);
        self.touch.notify_one();
    }

    /// The same, from what was added to it.
    pub(super) fn grown(&self, delta: &[duroxide::Event]) {
        // A turn is of one job; one event is enough to know which.
        if let Some(id) = delta.first().and_then(|event| JobId::new(&event.instance_id).ok()) {
            self.touched(id);
        }
    }

    /// Returns the jobs whose histories have grown since it was asked last.
    pub(super) fn take_touched(&self) -> BTreeSet<JobId> {
        std::mem::take(&mut *locked(&self.touched))
    }
}

/// The steps that are being done in this process, with what stops them.
#[derive(Default)]
pub(super) struct Running {
    steps: Mutex<Numbered>,
}

/// Steps by a number that is never used again.
#[derive(Default)]
struct Numbered {
    last: u64,
    steps: BTreeMap<u64, (JobId, CallKey, CancellationToken)>,
}

impl Running {
    /// Notes a step until what is returned is dropped.
    pub(super) fn enter(
        wakeups: &Arc<Wakeups>,
        job: &JobId,
        key: &CallKey,
        token: CancellationToken,
    ) -> InStep {
        let mut steps = locked(&wakeups.running.steps);
        steps.last += 1;
        let number = steps.last;
        steps.steps.insert(number, (job.clone(), key.clone(), token));
        InStep { wakeups: Arc::clone(wakeups), number }
    }

    /// Returns the jobs of these steps, each once.
    pub(super) fn jobs(&self) -> Vec<JobId> {
        let steps = locked(&self.steps);
        let jobs: BTreeSet<_> = steps.steps.values().map(|(job, ..)| job.clone()).collect();
        jobs.into_iter().collect()
    }

    /// Stops the steps of a job and of its children.
    pub(super) fn cancel(&self, job: &JobId) {
        for (of, _, token) in locked(&self.steps).steps.values() {
            let rest = of.as_str().strip_prefix(job.as_str());
            if rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/')) {
                token.cancel();
            }
        }
    }

    /// Stops one attempt at a step.
    pub(super) fn cancel_call(&self, call: &CallKey) {
        for (_, key, token) in locked(&self.steps).steps.values() {
            if key == call {
                token.cancel();
            }
        }
    }
}

/// A step that is being done.
pub(super) struct InStep {
    wakeups: Arc<Wakeups>,
    number: u64,
}

impl Drop for InStep {
    fn drop(&mut self) {
        locked(&self.wakeups.running.steps).steps.remove(&self.number);
    }
}

/// Locks, also after someone panicked while holding it: everything here is whole at every moment.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cancelling_a_job_stops_its_own_steps_and_those_of_its_children() {
        let wakeups = Arc::new(Wakeups::default());
        let token = |name: &str| {
            let token = CancellationToken::new();
            let (job, key) = (JobId::new(name).unwrap(), CallKey::new(name));
            (Running::enter(&wakeups, &job, &key, token.clone()), token)
        };
        let (a, child, sibling) = (token("a"), token("a/b"), token("ab"));
        wakeups.running.cancel(&JobId::new("a").unwrap());
        let stopped = [&a.1, &child.1, &sibling.1].map(CancellationToken::is_cancelled);
        assert_eq!(stopped, [true, true, false]);
        drop((a, child));
        assert_eq!(wakeups.running.jobs(), [JobId::new("ab").unwrap()]);
        wakeups.running.cancel_call(&CallKey::new("ab"));
        assert!(sibling.1.is_cancelled());
    }
}
