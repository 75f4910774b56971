//! The flows: work that is made of steps, survives a crash and is paid for once.
//!
//! In: what is wanted, as small values and ids of texts. Out: flows and steps for a runner, and the
//! status of a job in the words people use. Never a text in a history: texts are in the store.

mod generate;
mod graph;
mod heal;
mod image;
mod plan;
mod status;
mod turn;
mod workflow;

pub use generate::{
    AUTO_HEALING, CONTINUE_SIGNAL, GenerateCaps, GenerateInput, GenerateOutput, GenerateSteps,
    Generation, GenerationFacts, ModelSource, NoModel, PAUSE_SIGNAL, Progress, RESUME_SIGNAL,
    RETRY_SIGNAL, SaidBefore, ShownIn, StopCode, ValidationError, WhichModel, is_over_budget,
};
pub use graph::{
    Edge, GraphNode, GraphNodeState, GraphPlan, GraphResult, Join, KnownNames, NodeRetry, OnFail,
    PlanError, Work, node_states,
};
pub use heal::{HEAL_STAGE, HealHost, HealResume, HealSteps};
pub use image::{ImageInput, ImageOutput, ImagePlace, ImageSteps, StoredImage};
pub use plan::{PLAN_STAGE, PlanSteps};
pub use status::JobStatus;
pub use turn::{TURN_STAGE, TurnSteps};
pub use workflow::{FLOW_STAGE, FlowSteps};

use salve_jobs::{BadName, FlowName, Flows, Steps};
use salve_store::Store;
use salve_types::Clock;
use std::path::PathBuf;
use std::sync::Arc;

/// The flow that makes one answer and heals it.
pub const GENERATE_FLOW: &str = "Generate@1";

/// The flow that runs a graph of steps and flows.
pub const GRAPH_FLOW: &str = "Graph@1";

/// The flow that heals a workspace.
pub const HEAL_FLOW: &str = "Heal@1";

/// The flow that makes images.
pub const IMAGE_FLOW: &str = "Image@1";

/// The flow that answers a turn of a session.
pub const TURN_FLOW: &str = "Turn@1";

/// The flow that runs a plan of sub-tasks.
pub const PLAN_FLOW: &str = "Plan@1";

/// Where results of sub-tasks are kept, below the user's data folder.
pub const PLAN_FOLDER: &str = "plans";

/// The flow that runs a workflow.
pub const WORKFLOW_FLOW: &str = "Flow@1";

/// Where states of workflows are kept, below the user's data folder.
pub const WORKFLOW_FOLDER: &str = "flows";

/// Where states of turns are kept, below the user's data folder.
pub const TURN_FOLDER: &str = "turns";

/// Where states and layers of heals are kept, below the user's data folder.
pub const HEAL_FOLDER: &str = "heal";

/// Returns every flow there is.
///
/// # Errors
/// Never, as long as the names above are good ones.
pub fn all_flows() -> Result<Flows, BadName> {
    let named = |name: &str| FlowName::try_from(name.to_owned());
    Ok(Flows::default()
        .with(named(GENERATE_FLOW)?, generate::run_generate)
        .with(named(GRAPH_FLOW)?, graph::run_graph)
        .with(named(HEAL_FLOW)?, heal::run_heal)
        .with(named(IMAGE_FLOW)?, image::run_image)
        .with(named(PLAN_FLOW)?, plan::run_plan)
        .with(named(TURN_FLOW)?, turn::run_turn)
        .with(named(WORKFLOW_FLOW)?, workflow::run_flow))
}

/// What the steps of all flows need.
pub struct StepParts {
    /// What is remembered.
    pub store: Store,
    /// Who can be asked.
    pub models: Arc<dyn ModelSource>,
    /// Opens workspaces.
    pub hosts: Arc<dyn HealHost>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// The user's data folder: states of turns and heals are kept below it.
    pub folder: PathBuf,
}

/// Returns the steps of every flow there is.
///
/// # Errors
/// Never, as long as the names of the steps are good ones.
pub fn all_steps(parts: StepParts) -> Result<Steps, BadName> {
    let StepParts { store, models, hosts, clock, folder } = parts;
    let images = ImageSteps::new(store.clone(), Arc::clone(&models), Arc::clone(&clock));
    let generate = GenerateSteps::new(store.clone(), Arc::clone(&models));
    let steps = images.add_to(generate.add_to(Steps::default())?)?;
    let turns = folder.join(TURN_FOLDER);
    let turns = TurnSteps::new(store.clone(), Arc::clone(&hosts), Arc::clone(&clock), turns);
    let steps = turns.with_models(models).add_to(steps)?;
    let plans = folder.join(PLAN_FOLDER);
    let plans = PlanSteps::new(store.clone(), Arc::clone(&hosts), Arc::clone(&clock), plans);
    let steps = plans.add_to(steps)?;
    let flows = folder.join(WORKFLOW_FOLDER);
    let flows = FlowSteps::new(store.clone(), Arc::clone(&hosts), Arc::clone(&clock), flows);
    let steps = flows.add_to(steps)?;
    HealSteps::new(store, hosts, clock, folder.join(HEAL_FOLDER)).add_to(steps)
}
