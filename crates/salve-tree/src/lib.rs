//! The files: verify edits against them, apply them as one transaction, undo them.
//!
//! In: an [`salve_types::EditSet`] and a tree. Out: [`VerifiedEdits`], then an applied change with
//! its inverse recorded first. Never: a write outside the journal, a write of what was not
//! verified, a touch of the user's git, a process, the environment, a print.

mod change_hunks;
mod content;
mod hash;
mod matching;
mod plan;
mod probe;
mod splice;

pub use change_hunks::{ChangeHunk, ShownAs, change_hunks};
pub use content::{FileText, Unreadable};
pub use hash::ContentHash;
pub use matching::{
    Candidate, HunkOutcome, HunkRefusal, MatchOptions, Matched, RefusalReason, Rung, match_hunks,
};
pub use plan::{FileContent, FileState, FileView, PlannedFile, TreePath, VerifiedEdits, ViewError};
pub use probe::{NoProbe, ProbeNode, SyntaxProbe};
