//! Plans from the page: made, edited, started.
//!
//! In: a request, a plan by its id. Out: what became of it. A plan runs in this process, one at a time, while the page
//! is told how far it is. Never a plan of another workspace, and never one that was not shown.

use super::super::answer::{Answer, Fault};
use super::super::state::WorkbenchState;
use super::actions::Done;
use salve_engine::heal::RepairError;
use salve_engine::plan::machine::PlanLimits;
use salve_engine::plan::{
    ExecutionOrder, Granularity, OrchestratorError, PlanRequest, SubTaskPlan, read_plan_document,
};
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

/// The order that a plan is started in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Strategy {
    /// Each part as soon as those it depends on are done.
    A,
    /// One after the other.
    B,
    /// All at once.
    C,
}

/// How finely a request is split unless someone says otherwise.
pub(super) fn usual() -> String {
    Granularity::Auto.name().to_owned()
}

/// Splits a request.
pub(super) async fn make(state: &WorkbenchState, request: &str, granularity: &str) -> Answer<Done> {
    let granularity = Granularity::from_name(granularity)
        .ok_or_else(|| Fault::invalid("granularity is fine, medium, coarse or auto"))?;
    let wanted = PlanRequest {
        root: state.root().to_owned(),
        request: request.to_owned(),
        granularity,
        ..PlanRequest::default()
    };
    let made = state.conversation().plans().plan_sub_tasks(wanted).await.map_err(fault)?;
    Ok(Done { outcome: "done", turn: None, detail: json!({ "plan": made.id }) })
}

/// Changes a plan that has not begun.
pub(super) async fn edit(state: &WorkbenchState, id: &str, document: &str) -> Answer<Done> {
    let plan = of_workspace(state, id).await?;
    let value: Value = serde_json::from_str(document)
        .map_err(|error| Fault::invalid(format!("the parts are no JSON: {error}")))?;
    let value = if value.is_array() { json!({ "tasks": value }) } else { value };
    let read = read_plan_document(&value, &plan.request)
        .map_err(|error| Fault::invalid(error.to_string()))?;
    let plan = SubTaskPlan { tasks: read.tasks, ..plan };
    state.conversation().plans().edit(id, plan).await.map_err(fault)?;
    Ok(Done::of("done", None))
}

/// Starts a plan.
pub(super) async fn start(state: &WorkbenchState, id: &str, strategy: Strategy) -> Answer<Done> {
    of_workspace(state, id).await?;
    let order = match strategy {
        Strategy::A => ExecutionOrder::DependencyGraph,
        Strategy::B => ExecutionOrder::Sequential,
        Strategy::C => ExecutionOrder::Parallel,
    };
    let limits = PlanLimits { order, ..PlanLimits::default() };
    let plans = state.conversation().plans();
    state.plans.start(&plans, state.root(), id, limits).await.map_err(fault)?;
    Ok(Done::of("queued", None))
}

async fn of_workspace(state: &WorkbenchState, id: &str) -> Answer<SubTaskPlan> {
    let (kept, plan) = state.conversation().plans().plan(id).await.map_err(fault)?;
    if kept.workspace != state.root().display().to_string() {
        return Err(Fault::missing("no_such_plan", "there is no such plan here"));
    }
    Ok(plan)
}

fn fault(error: OrchestratorError) -> Fault {
    match error {
        OrchestratorError::NoSuchPlan(_) => {
            Fault::missing("no_such_plan", "there is no such plan here")
        }
        OrchestratorError::Repair(RepairError::Busy { .. }) => {
            Fault::conflict("busy", error.to_string())
        }
        OrchestratorError::HasBegun(_) => Fault::conflict("has_begun", error.to_string()),
        OrchestratorError::Document(_) | OrchestratorError::Graph(_) => {
            Fault::invalid(error.to_string())
        }
        OrchestratorError::NoPlan(_) | OrchestratorError::OverBudget(_) => {
            Fault::conflict("no_plan", error.to_string())
        }
        error => Fault::broken(&error),
    }
}
