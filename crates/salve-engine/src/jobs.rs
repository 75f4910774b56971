//! Jobs over the store: the flows, and where the durable engine and what Salve remembers meet.
//!
//! In: a store. Out: flows and steps for a runner, the index and the ledger that jobs need, and
//! everything put together for one machine or for a fleet. Never a text in a history: texts are in the
//! store.

mod engine;
mod flows;
mod index;
mod ledger;
mod open;
mod process;

pub use engine::StoreEngine;
pub use flows::{
    AUTO_HEALING, CONTINUE_SIGNAL, Edge, FLOW_STAGE, FlowSteps, GENERATE_FLOW, GRAPH_FLOW,
    GenerateCaps, GenerateInput, GenerateOutput, GenerateSteps, Generation, GenerationFacts,
    GraphNode, GraphNodeState, GraphPlan, GraphResult, HEAL_FLOW, HEAL_FOLDER, HEAL_STAGE,
    HealHost, HealResume, HealSteps, IMAGE_FLOW, ImageInput, ImageOutput, ImagePlace, ImageSteps,
    JobStatus, Join, KnownNames, ModelSource, NoModel, NodeRetry, OnFail, PAUSE_SIGNAL, PLAN_FLOW,
    PLAN_FOLDER, PLAN_STAGE, PlanError, PlanSteps, Progress, RESUME_SIGNAL, RETRY_SIGNAL,
    SaidBefore, ShownIn, StepParts, StopCode, StoredImage, TURN_FLOW, TURN_FOLDER, TURN_STAGE,
    TurnSteps, ValidationError, WORKFLOW_FLOW, WORKFLOW_FOLDER, WhichModel, Work, all_flows,
    all_steps, is_over_budget, node_states,
};
pub use index::StoreJobIndex;
pub use ledger::StoreLedger;
pub use open::{JobsPlace, OpenJobs, OpenJobsError, open_jobs, open_jobs_in};
pub(crate) use process::this_process;

use salve_jobs::{JobsError, LedgerError};
use salve_store::StoreError;

fn jobs_error(doing: &'static str) -> impl FnOnce(StoreError) -> JobsError {
    move |error| JobsError::database(doing, error)
}

// What the store could not do now it may be able to do later, unless it says that it never will.
fn ledger_error(error: StoreError) -> LedgerError {
    match error {
        StoreError::NoSuchCall(_)
        | StoreError::AlreadySettled(_)
        | StoreError::NotCut(_)
        | StoreError::NoSuchKey(_) => LedgerError::Refused(error.to_string()),
        _ => LedgerError::Unreachable(error.into()),
    }
}
