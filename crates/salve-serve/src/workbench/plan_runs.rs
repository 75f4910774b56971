//! Plans that a page started, while they run.
//!
//! In: a plan and the order it runs in. Out: the plan runs in this process until it is over, stops for a person or the
//! workbench ends; what is not over then is gone on with when it is started again. Never without the lock of the workspace.

use salve_engine::plan::machine::PlanLimits;
use salve_engine::plan::{Orchestrator, OrchestratorError, PlanResume, RunningPlan};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;

/// How long steps that are being done may go on when the workbench stops.
const GRACE: Duration = Duration::from_secs(5);

/// The plans that run.
#[derive(Debug)]
pub(super) struct PlanRuns {
    // Nothing once it has stopped.
    running: Mutex<Option<JoinSet<()>>>,
    stop: watch::Sender<bool>,
}

impl Default for PlanRuns {
    fn default() -> Self {
        Self { running: Mutex::new(Some(JoinSet::new())), stop: watch::channel(false).0 }
    }
}

impl PlanRuns {
    /// Starts a plan, or goes on with it.
    ///
    /// # Errors
    /// When another plan, turn or process works on the workspace, or the jobs cannot be reached.
    pub(super) async fn start(
        &self,
        plans: &Orchestrator,
        root: &Path,
        id: &str,
        limits: PlanLimits,
    ) -> Result<(), OrchestratorError> {
        let lock = RunningPlan::lock(root)?;
        let mut plan = plans.execute_sub_tasks(id, limits, None, PlanResume::default()).await?;
        let mut stop = self.stop.subscribe();
        let run = async move {
            let _lock = lock;
            tokio::select! {
                ended = plan.stopped(|_| {}) => {
                    if let Err(error) = ended {
                        tracing::warn!(target: "salve::workbench", %error, "a plan ended badly");
                    }
                }
                _ = stop.wait_for(|stop| *stop) => {}
            }
            plan.finish(GRACE).await;
        };
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let running = running.as_mut().ok_or(OrchestratorError::Stopped("stopping"))?;
        // Those that are over are forgotten here.
        while running.try_join_next().is_some() {}
        running.spawn(run);
        Ok(())
    }

    /// Hands back what runs, and waits for it.
    pub(super) async fn stop(&self) {
        let _ = self.stop.send(true);
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(mut running) = running {
            while running.join_next().await.is_some() {}
        }
    }
}
