//! The adapters between crates on real files, and the ladder of one answer.
//!
//! In: folders made for a test, replies from scripts. Out: one test per promise. Never starts a
//! process, never asks a model.

mod asking;
mod blocks;
mod command_facts;
mod generating;
mod judging;
mod ladder;
mod ladder_calls;
mod ladder_caps;
mod ladder_machine;
mod ladder_properties;
mod lines;
mod repository_facts;
