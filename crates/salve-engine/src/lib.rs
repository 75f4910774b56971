//! Where the stages meet.
//!
//! In: a model's reply, or plain configuration. Out: what the stages made of it, in order, or the parts
//! of Salve put together ([`host`]). Never a stage of its own; it joins crates that do not know each
//! other.

pub mod answer;
pub mod facts;
pub mod heal;
pub mod host;
pub mod jobs;
pub mod knowledge;
pub mod pipeline;
pub mod plan;
pub mod segments;
pub mod session;
pub mod statistics;
pub mod workflow;

pub use host::{Host, HostConfig};
