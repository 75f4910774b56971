//! Runs flows and steps on the engine.
//!
//! In: flows, steps, and what this machine can serve. Out: a runner, with the tasks around it: events
//! into the index, cancellations into steps. Never abandons a step silently when it is drained.

use super::claims::Claims;
use super::envelope::{engine_version, tag};
use super::notifying::NotifyingProvider;
use super::project::Projector;
use super::provider::StorageProvider;
use super::storage::EngineStorage;
use super::wakeups::Wakeups;
use super::{EngineJobs, flow, step};
use crate::{Flows, Fut, JobRunner, JobsError, Needs, RunningRunner, Steps, WorkerOptions};
use duroxide::Client;
use duroxide::providers::{Provider, TagFilter};
use duroxide::runtime::registry::{ActivityRegistry, OrchestrationRegistry};
use duroxide::runtime::{Runtime, RuntimeOptions};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;

// Turns of one job that follow each other closely are written down together.
const BREATH: Duration = Duration::from_millis(15);
// How long an index that cannot be reached is left alone.
const PAUSE: Duration = Duration::from_secs(1);
const SWEEP: Duration = Duration::from_secs(2);
const CANCEL_POLL: Duration = Duration::from_millis(1000);
const DEATH_POLL: Duration = Duration::from_millis(500);
const ABORT_AFTER_MILLIS: u64 = 250;

impl JobRunner for EngineJobs {
    fn run(
        &self,
        flows: Flows,
        steps: Steps,
        options: WorkerOptions,
    ) -> Fut<'_, Result<Box<dyn RunningRunner>, JobsError>> {
        Box::pin(async move {
            // Without this the engine would install a subscriber of its own, which prints.
            if !tracing::dispatcher::has_been_set() {
                let silent = tracing::subscriber::NoSubscriber::new();
                let _: Result<(), _> = tracing::subscriber::set_global_default(silent);
            }
            self.know(&flows);
            let claims = Arc::new(Claims::new(
                Arc::clone(&self.index),
                flows.iter().map(|(name, _)| name.clone()).collect(),
                steps.iter().map(|(name, _)| name.as_str().to_owned()).collect(),
                options.poll,
                options.only.clone(),
            ));
            let (inner, leases) = self.source(&options);
            let store: Arc<dyn Provider> = Arc::new(NotifyingProvider {
                inner,
                leases,
                wakeups: Arc::clone(&self.engine.wakeups),
                claims: Some(Arc::clone(&claims)),
                backend: self.engine.backend,
            });
            let runtime = Runtime::start_with_options(
                Arc::clone(&store),
                self.steps(&steps),
                orchestrations(&flows),
                runtime_options(&options),
            )
            .await;
            let projector = self.projector();
            let mut tasks = vec![
                tokio::spawn(write_down(projector.clone())),
                tokio::spawn(sweep(projector.clone(), self.client.clone())),
                tokio::spawn(heed_cancels(projector.clone())),
            ];
            if let Some(storage) = &self.storage {
                let wakeups = Arc::clone(&self.engine.wakeups);
                tasks.push(tokio::spawn(release_dead(Arc::clone(storage), wakeups)));
            }
            let running = EngineRunner {
                runtime,
                claims: Arc::clone(&claims),
                store,
                projector,
                tasks: Tasks { tasks, claims },
            };
            Ok(Box::new(running) as Box<dyn RunningRunner>)
        })
    }
}

impl EngineJobs {
    // Where a runner finds its work. Storage of our own looks for one job's work alone; elsewhere what
    // is of another job is given back.
    fn source(&self, options: &WorkerOptions) -> (Arc<dyn Provider>, Arc<dyn Provider>) {
        let (Some(job), Some(storage)) = (&options.only, &self.storage) else {
            return (Arc::clone(&self.engine.inner), Arc::clone(&self.engine.leases));
        };
        let (clock, wakeups) = (Arc::clone(&self.clock), Arc::clone(&self.engine.wakeups));
        let own = StorageProvider::new(Arc::clone(storage), clock, wakeups).only(job);
        let own: Arc<dyn Provider> = Arc::new(own);
        (Arc::clone(&own), own)
    }

    fn steps(&self, steps: &Steps) -> ActivityRegistry {
        let mut registry = ActivityRegistry::builder();
        for (name, code) in steps.iter() {
            let (code, wakeups) = (Arc::clone(code), Arc::clone(&self.engine.wakeups));
            let ledger = Arc::clone(&self.ledger);
            registry = registry.register(name.as_str(), move |context, input| {
                step::run(
                    Arc::clone(&code),
                    Arc::clone(&wakeups),
                    Arc::clone(&ledger),
                    context,
                    input,
                )
            });
        }
        registry.build()
    }
}

fn orchestrations(flows: &Flows) -> OrchestrationRegistry {
    let mut registry = OrchestrationRegistry::builder();
    // They come in the order of name and version, as the engine wants them.
    for (name, code) in flows.iter() {
        let (flow, code) = (name.clone(), Arc::clone(code));
        registry = registry.register_versioned(
            name.name(),
            engine_version(name),
            move |context, input| flow::run(Arc::clone(&code), flow.clone(), context, input),
        );
    }
    registry.build()
}

fn runtime_options(options: &WorkerOptions) -> RuntimeOptions {
    RuntimeOptions {
        dispatcher_min_poll_interval: options.poll,
        orchestration_concurrency: options.flows_at_once.max(1),
        worker_concurrency: options.steps_at_once.max(1),
        orchestrator_lock_timeout: options.flow_lease,
        worker_lock_timeout: options.step_lease,
        max_attempts: options.most_deaths.max(1),
        worker_node_id: Some(options.worker.clone()),
        // We have no sessions, but the engine insists that they outlive a step's lease.
        session_idle_timeout: options.step_lease + Duration::from_secs(300),
        worker_tag_filter: served(options),
        ..RuntimeOptions::default()
    }
}

/// Returns the filter for every combination of what this worker can serve, and for work that needs
/// nothing.
fn served(options: &WorkerOptions) -> TagFilter {
    let some = |names: &std::collections::BTreeSet<String>| -> Vec<Option<String>> {
        std::iter::once(None).chain(names.iter().cloned().map(Some)).collect()
    };
    let mut tags = HashSet::new();
    for toolchain in some(&options.toolchains) {
        for root in some(&options.roots) {
            tags.extend(tag(&Needs { toolchain: toolchain.clone(), root }));
        }
    }
    if tags.is_empty() { TagFilter::DefaultOnly } else { TagFilter::DefaultAnd(tags) }
}

async fn write_down(projector: Projector) {
    loop {
        projector.wakeups.touch.notified().await;
        tokio::time::sleep(BREATH).await;
        if !projector.project_touched().await {
            tokio::time::sleep(PAUSE).await;
        }
    }
}

async fn sweep(projector: Projector, client: Client) {
    let mut after = None;
    loop {
        match projector.sweep(after.take()).await {
            Ok(swept) => {
                after = swept.next;
                for (id, reason) in swept.to_cancel {
                    let asked = client.cancel_instance(id.as_str(), reason).await;
                    if let Err(error) = asked {
                        tracing::warn!(job = %id, %error, "a job could not be cancelled yet");
                    }
                }
            }
            Err(error) => tracing::warn!(%error, "open jobs could not be looked at"),
        }
        tokio::time::sleep(SWEEP).await;
    }
}

async fn heed_cancels(projector: Projector) {
    loop {
        tokio::time::sleep(CANCEL_POLL).await;
        let jobs = projector.wakeups.running.jobs();
        if jobs.is_empty() {
            continue;
        }
        match projector.index.cancel_requested(&jobs).await {
            Ok(stopped) => {
                stopped.iter().for_each(|(job, _)| projector.wakeups.running.cancel(job));
            }
            Err(error) => tracing::warn!(%error, "it could not be seen which jobs are to stop"),
        }
    }
}

// The dead are seen by their process number, long before their leases run out.
async fn release_dead(storage: Arc<dyn EngineStorage>, wakeups: Arc<Wakeups>) {
    loop {
        match storage.release_dead().await {
            Ok(0) => {}
            Ok(leases) => {
                tracing::info!(leases, "a worker has died; its work is taken over");
                wakeups.flow_work.notify_one();
                wakeups.step_work.notify_one();
            }
            Err(error) => tracing::warn!(%error, "dead workers could not be looked for"),
        }
        tokio::time::sleep(DEATH_POLL).await;
    }
}

struct EngineRunner {
    runtime: Arc<Runtime>,
    claims: Arc<Claims>,
    store: Arc<dyn Provider>,
    projector: Projector,
    tasks: Tasks,
}

struct Tasks {
    tasks: Vec<JoinHandle<()>>,
    claims: Arc<Claims>,
}

impl Drop for Tasks {
    fn drop(&mut self) {
        // A runner that is dropped without being drained takes nothing more either.
        self.claims.stop();
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

impl RunningRunner for EngineRunner {
    fn drain(self: Box<Self>, grace: Duration) -> Fut<'static, usize> {
        Box::pin(async move {
            self.claims.close().await;
            self.claims.emptied(grace).await;
            self.runtime.shutdown(Some(ABORT_AFTER_MILLIS)).await;
            // What was cut off goes back now, and not when its lease has run out; that it was begun
            // does not count against it.
            let (flows, steps) = self.claims.held();
            for token in &flows {
                let _: Result<(), _> =
                    self.store.abandon_orchestration_item(token, None, true).await;
            }
            for token in &steps {
                let _: Result<(), _> = self.store.abandon_work_item(token, None, true).await;
            }
            drop(self.tasks);
            self.projector.project_touched().await;
            steps.len()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_serves_every_combination_of_what_it_has() {
        let mut options = WorkerOptions::default();
        assert_eq!(served(&options), TagFilter::DefaultOnly);
        options.toolchains = ["rust".to_owned(), "go".to_owned()].into();
        options.roots = ["web".to_owned()].into();
        let filter = served(&options);
        let needs = |toolchain: Option<&str>, root: Option<&str>| Needs {
            toolchain: toolchain.map(str::to_owned),
            root: root.map(str::to_owned),
        };
        let cases = [
            (needs(None, None), true),
            (needs(Some("rust"), None), true),
            (needs(Some("go"), Some("web")), true),
            (needs(None, Some("web")), true),
            (needs(Some("java"), None), false),
            (needs(Some("rust"), Some("app")), false),
        ];
        for (needs, expected) in cases {
            assert_eq!(filter.matches(tag(&needs).as_deref()), expected, "{needs:?}");
        }
    }
}
