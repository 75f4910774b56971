//! Work in parts: a task that is too big for one answer is split, run side by side and merged.
//!
//! In: a request, or a plan of sub-tasks. Out: one change set that was checked as a whole, or what a person has to
//! decide. Each sub-task sees its own files, works in a patch of its own and holds its files while it works; the
//! results are merged three ways. Never a choice between two sides of a conflict, never a part of a merged result in
//! the tree before the whole of it was checked.

mod document;
mod estimate;
mod granularity;
mod graph;
pub mod machine;
mod make;
mod merge;
mod orchestrator;
mod prompt;
mod result;
mod work;

pub use document::{
    Difficulty, DocumentError, ExecutionOrder, SubTask, SubTaskPlan, SubTaskStatus,
    read_plan_document, sub_task_document,
};
pub use estimate::{
    Basis, Estimate, Figures, StrategyCard, TaskSize, estimate_plan, strategy_cards,
};
pub use granularity::{Granularity, GranularityFacts, choose_granularity, truncation_rate};
pub use graph::{GraphError, check_graph};
pub(crate) use make::plan_schema;
pub use make::{MAP_LIMIT, map_plan, matching_files, plan_question, read_tasks};
pub use merge::{MergedFiles, SubTaskConflict, TaskResult, merge_results};
pub use orchestrator::{Orchestrator, OrchestratorError, PlanRequest, RunningPlan};
pub use prompt::{SeenFile, StepOutput, read_outputs, sub_task_prompt};
pub use result::{PlanInput, PlanReport, PlanResume, TaskReport};
pub use work::{MergeEnd, MergedPlan, PartUndone, PlanWork, ResultFolder, SavedResult, undo_part};
