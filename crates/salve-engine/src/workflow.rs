//! Workflows: a pipeline that a team writes as a file, run block by block.
//!
//! In: a manifest (`workflows.json`), a request. Out: what each block made of the payload, and how it ended. The
//! machine decides and does no I/O; [`work`] does what a block says; the flow `Flow@1` makes each block a step that
//! survives a crash. Never a write that did not pass the transaction, and none that is left behind by a flow
//! that did not succeed.

pub mod graph;
mod input;
pub mod machine;
pub mod manifest;
mod payload;
mod prompt;
mod target;
mod trace;
pub mod work;

pub use input::{FlowInput, FlowReport, StepLine};
pub use manifest::{
    BUILT_IN, Broken, DEFAULT_MANIFEST, FlowBlock, FlowManifest, Problem, ProblemCode, Transition,
    Worker, load,
};
pub use payload::{MergeRule, merged};
pub use prompt::{CodePrompt, code_prompt};
pub use target::{TargetError, target_path};
pub use trace::{BlockRun, Removed};
