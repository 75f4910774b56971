//! From a model's reply to structure: clean, inspect, resume, parse.
//!
//! In: text, in any number of pieces. Out: values and findings, with the span of everything that
//! was noticed, set aside or repaired. Never: I/O, a clock, async, or a failure on input.

mod clean;
mod detect;
mod inspect;
mod omissions;
mod parse;
mod resume;
mod schema;
mod sentinel;

pub use parse::{
    Candidate, Entries, Items, JsonParser, Kind, NodeId, NodeState, ParseMode, ParseOptions,
    Parsed, Repair, RepairCode, Tree, parse_json, replay,
};
pub use schema::{
    Arrival, Carrier, ChatStage, Coercion, CoercionCode, CompiledSchema, EMPTY_CODE,
    EMPTY_EXPLANATION, RecoveredChat, RepairMode, SchemaError, SchemaName, SchemaOptions,
    SchemaOutcome, UnknownSchema, Violation, chat_truncation_hints, parse_named, parse_with_schema,
    read_front_matter, recover_chat, validate,
};
pub use sentinel::{DEFAULT_MARK, sentinel_line};
