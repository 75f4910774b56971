//! The heal loop: from a failing check to a change that passes it, or to nothing changed.
//!
//! In: a workspace whose check fails. Out: an [`Outcome`], and where it is a success the files that the
//! fix changed. Free fixers come first, models last; every fix is verified by the real toolchain in a
//! shadow of the workspace before a byte of it reaches the tree. Never leaves a tree that is neither
//! healed nor byte-equal to the one it began with.

pub mod breakers;
mod fix;
pub mod fixers;
pub mod gates;
pub mod machine;
mod outcome;
mod patch;
mod sources;

pub use fix::{Fix, FixCommand, FixOrigin, FixSource};
pub use outcome::{HaltReason, Outcome, RepairError};
pub use patch::{Patch, PatchError, TextChange};
pub use sources::Sources;
