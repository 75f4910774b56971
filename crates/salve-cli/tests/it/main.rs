//! The command line as other programs see it: arguments in, streams and exit code out.
//!
//! In: the built binary. Out: one test per promise. Never tests a stage again: only the wiring.

mod apply;
mod batch;
mod cache;
mod chat;
mod check;
mod config;
mod gateway;
mod heal;
mod heal_agents;
mod heal_commands;
mod history;
mod inspect;
mod jobs;
mod knowledge;
mod ledger;
mod models;
mod no_namespaces;
mod parse;
mod place;
mod plan;
mod policy;
mod resume;
mod run;
mod run_command;
mod scenarios;
mod secrets;
mod serve;
mod sessions;
mod setup;
mod signature;
mod sim;
mod surface;
mod terminal;
mod trust;
