//! One module per command: reads its input, calls the stage, prints.
//!
//! In: checked arguments. Out: an ending or a failure. Never decides what a stage decides.

pub(crate) mod clean;
pub(crate) mod config;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod inspect;
pub(crate) mod manual;
pub(crate) mod parse;
pub(crate) mod resume;
pub(crate) mod schema;
