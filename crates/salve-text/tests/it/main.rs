//! Integration tests of the text stages, one module per stage.

mod clean;
mod clean_corpus;
mod clean_hostile;
mod inspect;
mod inspect_chunks;
mod inspect_negatives;
mod redact;
mod redact_context;
