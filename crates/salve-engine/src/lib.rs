//! Where the stages meet.
//!
//! In: a model's reply. Out: what the stages made of it, in order. Never: a stage of its own; it
//! joins crates that do not know each other.

mod answer;
mod command_facts;
mod edits;
mod grammar_probe;
mod judgement;
mod pipeline;
mod repository_facts;

pub use answer::{AlreadySent, AskError, Asker, Caps, Wanted, WantedTool};
pub use command_facts::CommandPaths;
pub use edits::read_edits;
pub use grammar_probe::GrammarProbe;
pub use judgement::{Judgement, judge_text};
pub use pipeline::{PipelineOptions, Received, Resumed, receive, resume};
pub use repository_facts::RepositoryFacts;
