//! Models: what is asked, what comes back, what it may cost, and how providers spell it.
//!
//! In: requests, keys and limits as values. Out: replies as they came, with usage and cost. Never
//! judges a reply, never reads the environment, never makes a call that its budget does not hold.

mod model;
mod reply;
mod request;
pub mod sim;
pub mod wire;

pub use model::{Model, ModelError, Watch};
pub use reply::{ModelReply, ToolCall};
pub use request::{FollowUp, ModelRequest, Purpose, SchemaAsk, Speaker, ToolSpec, Turn};
