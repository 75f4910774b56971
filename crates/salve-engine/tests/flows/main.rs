//! Flows on the engine and on its double in memory, with models from scripts.
//!
//! In: folders made for a test, answers from scripts. Out: one test per promise. Never a process,
//! never a model.

mod adapters;
mod bench;
mod cut_jobs;
mod graph;
mod graph_properties;
mod healing;
mod interrupted;
mod person;
mod rows;
