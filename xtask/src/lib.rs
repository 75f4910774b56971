//! What the repository's own commands and the rigs share.
//!
//! In: the repository. Out: its places and files, its tools, other programs started, the flags of a
//! command and how it ended. Never sees the product: housekeeping builds without it.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "housekeeping starts cargo, reads the repository and prints what it finds"
)]

mod flags;
mod outcome;
pub mod process;
pub mod rig;
pub mod tools;
pub mod workspace;

pub use flags::Flags;
pub use outcome::Outcome;
