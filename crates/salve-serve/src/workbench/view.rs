//! What the workbench looks like: plain data becomes HTML.
//!
//! In: plain data. Out: markup for a whole page, or for one region of it. Never reads a store, a file or a clock, and
//! never takes a text of a model, a file or a command for HTML.

pub mod blocks;
pub mod chart;
pub mod chat;
pub mod code;
pub mod diff;
pub mod entrance;
pub mod icons;
pub mod live;
pub mod markdown;
pub mod parts;
pub(crate) mod screens;
pub mod shell;
pub mod swap;
