//! Where the stages meet.
//!
//! In: a model's reply, or plain configuration. Out: what the stages made of it, in order, or the parts
//! of Salve put together ([`host`]). Never a stage of its own; it joins crates that do not know each
//! other.

pub mod answer;
mod command_facts;
mod edits;
mod flows;
mod grammar_probe;
pub mod host;
pub mod jobs;
mod judgement;
mod pipeline;
mod receive;
mod redaction;
mod repository_facts;
mod segments;
mod statistics;

pub use command_facts::CommandPaths;
pub use edits::read_edits;
pub use flows::{
    AUTO_HEALING, CONTINUE_SIGNAL, Edge, GENERATE_FLOW, GRAPH_FLOW, GenerateCaps, GenerateInput,
    GenerateOutput, GenerateSteps, Generation, GenerationFacts, GraphNode, GraphNodeState,
    GraphPlan, GraphResult, JobStatus, Join, KnownNames, ModelSource, NoModel, NodeRetry, OnFail,
    PAUSE_SIGNAL, PlanError, Progress, RESUME_SIGNAL, RETRY_SIGNAL, StopCode, ValidationError,
    WhichModel, Work, all_flows, is_over_budget, node_states,
};
pub use grammar_probe::GrammarProbe;
pub use jobs::{
    JobsPlace, OpenJobs, OpenJobsError, StoreBook, StoreEngine, StoreLedger, open_jobs,
};
pub use judgement::{Judgement, judge_text};
pub use pipeline::{Applied, ApplyEnding, ApplyOptions, Resumed, Review, apply_reply, resume};
pub use receive::{PipelineOptions, Received, receive};
pub use redaction::TextRedactor;
pub use repository_facts::RepositoryFacts;
pub use segments::{CheckedOutput, check_output, note_segment};
pub use statistics::{MALFORMED, inspections, malformed_inspection, uncut_inspection};
