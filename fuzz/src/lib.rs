//! Fuzz targets of the text stages: properties that hold for any bytes.
//!
//! In: bytes from a fuzzer. Out: nothing, or a panic that names the broken property. Never looks at
//! whether an answer is good: that is what tests and scorers are for.

mod drive;
mod input;
mod mutate;
mod targets;

pub use drive::{Failure, Plan, Summary, drive};
pub use targets::{TARGETS, Target};
