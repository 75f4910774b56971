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

pub use resume::{
    CHECK_SOURCE, CONTINUATION_SOURCE, PromptOptions, Template, TemplateError, context_tail,
    resume_prompt,
};
pub use sentinel::{DEFAULT_MARK, sentinel_line};
