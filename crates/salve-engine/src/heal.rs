//! The heal loop: from a failing check to a change that passes it, or to nothing changed.
//!
//! In: a workspace whose check fails. Out: an [`Outcome`], and where it is a success the files that the
//! fix changed. Free fixers come first, models last; every fix is verified by the real toolchain in a
//! shadow of the workspace before a byte of it reaches the tree. Never leaves a tree that is neither
//! healed nor byte-equal to the one it began with.

mod agents;
pub mod breakers;
mod context;
mod driver;
mod finish;
mod fix;
pub mod fixers;
pub mod gates;
mod input;
mod journal_files;
mod lessons;
mod lock;
pub mod machine;
mod outcome;
mod patch;
mod record;
mod reply;
mod sources;
mod state;
#[cfg(test)]
pub(crate) mod testing;
mod work;

pub use agents::{AgentCode, AgentMeans, AgentSettings, AgentTurn, AgentWave};
pub use context::{Context, FailedAttempt, HealPrompt, heal_prompt};
pub(crate) use driver::{heed_the_tree, take};
pub use driver::{make_prompt, perform, take_answer};
pub(crate) use finish::verified;
pub use finish::{Finished, HealReport, finish};
pub use fix::{Fix, FixCommand, FixOrigin, FixSource};
pub use input::{HealInput, Then};
pub use journal_files::HealFiles;
pub use lock::{HealLock, Locking};
pub use outcome::{HaltReason, Outcome, RepairError};
pub use patch::{Patch, PatchError, TextChange, changed_lines};
pub use record::record;
pub(crate) use reply::edited_files;
pub use reply::{AnsweredFix, UnusableAnswer, read_answer};
pub use sources::Sources;
pub use state::{SavedHeal, StateFolder, StateId};
pub(crate) use work::sources_of;
pub use work::{CheckFindings, CommandConsent, HealParts, HealWork, ToolsUsed, Trial};
