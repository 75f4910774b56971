//! From a model's reply to structure: clean, inspect, resume, parse.
//!
//! In: text, in any number of pieces. Out: values and findings, with the span of everything that
//! was noticed, set aside or repaired. Never: I/O, a clock, async, or a failure on input.

mod clean;
mod detect;
mod edits;
mod inspect;
mod lines;
mod markdown;
mod omissions;
mod parse;
mod prose;
mod redact;
mod resume;
mod schema;
mod sentinel;

pub use clean::{
    Aside, AsideReason, Block, Carrier as CodeCarrier, CleanOptions, CleanReply, Cleaner, clean,
    clean_preamble, extract_code_block,
};
pub use detect::{LanguageHints, detect_language};
pub use edits::{EditOptions, EditReader, parse_edits, possible_names, reply_summary};
pub use inspect::{
    Cut, FreeText, FreeTextInspector, InspectOptions, Inspection, Inspector, SentinelRule,
    WholeReply, inspect, inspect_free_text, inspect_text,
};
pub use omissions::{Omission, OmissionKind, find_omissions, list_omissions};
pub use parse::{
    Candidate, Entries, Items, JsonParser, Kind, MOST_REPAIRS, NodeId, NodeState, ParseMode,
    ParseOptions, Parsed, ParsedReply, Repair, RepairCode, Tree, ValueView, parse, parse_json,
    replay,
};
pub use prose::{ends_like_an_end, is_sentence};
pub use redact::{
    ExactSecret, ExtraPrefix, RedactOptions, RedactStream, Redacted, Redactor, SecretFound,
    has_redaction, is_secret_name, read_env_file,
};
pub use resume::{
    CHECK_SOURCE, CONTINUATION_SOURCE, DropReason, Dropped, FinalBreak, PromptOptions,
    RefusalReason, Reindented, Stitch, StitchOptions, StitchOutcome, Template, TemplateError,
    context_tail, fence_around, resume_prompt, resume_prompt_for, stitch, stitch_chat, stitch_with,
};
pub use schema::{
    Arrival, ChatStage, Coerced, Coercion, CoercionCode, CompiledSchema, EMPTY_CODE,
    EMPTY_EXPLANATION, RecoveredChat, RepairMode, SchemaCarrier, SchemaError, SchemaName,
    SchemaOptions, SchemaOutcome, UnknownSchema, Violation, chat_truncation_hints, coerce,
    parse_named, parse_with_schema, read_front_matter, recover_chat, validate,
};
pub use sentinel::{DEFAULT_MARK, sentinel_line};
