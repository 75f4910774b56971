//! One module per command: reads its input, calls the stage, prints.
//!
//! In: checked arguments. Out: an ending or a failure. Never decides what a stage decides.

pub(crate) mod apply;
pub(crate) mod cache;
pub(crate) mod calls;
pub(crate) mod chat;
pub(crate) mod check;
pub(crate) mod checkpoint;
pub(crate) mod clean;
pub(crate) mod config;
pub(crate) mod decisions;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod files;
pub(crate) mod flow;
pub(crate) mod gateway;
pub(crate) mod gateway_keys;
pub(crate) mod heal;
pub(crate) mod history;
pub(crate) mod inspect;
pub(crate) mod jobs;
pub(crate) mod knowledge;
pub(crate) mod manual;
pub(crate) mod parse;
pub(crate) mod plan;
pub(crate) mod policy;
pub(crate) mod recover;
pub(crate) mod report;
pub(crate) mod resume;
pub(crate) mod run;
pub(crate) mod runs;
pub(crate) mod schema;
pub(crate) mod serve;
pub(crate) mod sessions;
pub(crate) mod setup;
pub(crate) mod signature;
pub(crate) mod sim;
pub(crate) mod stats;
pub(crate) mod todos;
pub(crate) mod trust;
pub(crate) mod undo;
pub(crate) mod worker;
