//! Fitting what a model wrote to the schema it was asked for.
//!
//! In: a reply's text and a schema. Out: the value that fits with the fewest changes, every change,
//! every unfinished place and every violation that remains. Never invents content: what was filled
//! in is listed, and a value nothing fits is given as it is.

mod build;
mod chat;
mod compile;
mod cost;
mod fold;
mod forest;
mod front_matter;
mod model;
mod named;
mod number;
mod outcome;
mod path;
mod plan;
mod readings;
#[cfg(test)]
mod tests;
mod validate;

pub use chat::{ChatStage, RecoveredChat, chat_truncation_hints, recover_chat};
pub use compile::{CompiledSchema, SchemaError};
pub use cost::{Coercion, CoercionCode};
pub use front_matter::read_front_matter;
pub use named::{EMPTY_CODE, EMPTY_EXPLANATION, SchemaCarrier, SchemaName, UnknownSchema};
pub use outcome::{
    Arrival, Coerced, RepairMode, SchemaOptions, SchemaOutcome, coerce, parse_named,
    parse_with_schema,
};
pub use validate::{Violation, validate};
