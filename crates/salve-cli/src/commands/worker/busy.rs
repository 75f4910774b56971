//! Which steps a worker is doing now.
//!
//! In: steps, wrapped. Out: the same steps, and a list of those that run. Never changes what a step
//! does.

use salve_jobs::{JobId, Steps};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// The steps that run now.
#[derive(Debug, Clone, Default)]
pub(crate) struct Busy(Arc<Mutex<Running>>);

#[derive(Debug, Default)]
struct Running {
    next: u64,
    steps: BTreeMap<u64, Step>,
}

/// A step that runs.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    job: JobId,
    name: String,
    since: Instant,
}

impl Busy {
    /// Returns the same steps, which say here when they begin and end.
    pub(crate) fn watching(&self, steps: &Steps) -> Steps {
        let mut watched = Steps::default();
        for (name, step) in steps.iter() {
            let (busy, step, word) = (self.clone(), Arc::clone(step), name.to_string());
            watched = watched.with(name.clone(), move |context, input| {
                let doing = busy.begin(context.job().clone(), word.clone());
                let work = step(context, input);
                async move {
                    let done = work.await;
                    drop(doing);
                    done
                }
            });
        }
        watched
    }

    /// Returns the steps that run, the oldest first.
    pub(crate) fn running(&self) -> Vec<Step> {
        let mut running: Vec<Step> = self.lock(|running| running.steps.values().cloned().collect());
        running.sort_by_key(|step| step.since);
        running
    }

    /// Says what is waited for.
    pub(crate) fn words(&self) -> String {
        let running = self.running();
        let shown = running.iter().take(3).map(|step| {
            format!("{} of {} ({} s)", step.name, step.job, step.since.elapsed().as_secs())
        });
        let shown: Vec<String> = shown.collect();
        match running.len() {
            0 => "no step is running".to_owned(),
            1 => format!("waiting for {}", shown.join("")),
            more if more > 3 => format!("waiting for {}, and {} more", shown.join(", "), more - 3),
            _ => format!("waiting for {}", shown.join(", ")),
        }
    }

    fn begin(&self, job: JobId, name: String) -> Doing {
        // Seen where a log was started, which is a worker's.
        tracing::info!(target: "salve::worker", %job, step = name, "step begins");
        let number = self.lock(|running| {
            running.next += 1;
            running.steps.insert(running.next, Step { job, name, since: Instant::now() });
            running.next
        });
        Doing { busy: self.clone(), number }
    }

    fn lock<T>(&self, act: impl FnOnce(&mut Running) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Ends a step also when its future is dropped.
struct Doing {
    busy: Busy,
    number: u64,
}

impl Drop for Doing {
    fn drop(&mut self) {
        let ended = self.busy.lock(|running| running.steps.remove(&self.number));
        if let Some(Step { job, name, since }) = ended {
            let took_ms = u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX);
            tracing::info!(target: "salve::worker", %job, step = name, took_ms, "step ended");
        }
    }
}
