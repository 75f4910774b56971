//! Facts that one crate needs and another one knows: the adapters between siblings.
//!
//! In: the traits of salve-check, salve-tree and salve-store. Out: their answers from the crate that
//! has them. Never decides anything.

mod command_paths;
mod enter_folder;
mod grammar_probe;
mod redaction;
mod repository;

pub use command_paths::CommandPaths;
pub(crate) use command_paths::is_secret_name;
pub use enter_folder::{JudgedLine, judge_line};
pub use grammar_probe::GrammarProbe;
pub use redaction::TextRedactor;
pub use repository::RepositoryFacts;
