//! Clean, inspect, and the grammar's second opinion: the one way from a text to a verdict.
//!
//! In: a reply as received, or a content alone. Out: a whole text that may be parsed, or a cut that
//! can be resumed. What the engine cleans, and what it asks a grammar about, comes through here.
//! Never decides anything itself: each step is a stage's function.

use salve_syntax::second_opinion;
use salve_text::{
    CleanOptions, CleanReply, Cut, InspectOptions, Inspection, WholeReply, clean, inspect,
    inspect_text,
};
use salve_types::{Language, RawReply, Verdict};

/// What the stages need to know beyond the reply itself.
#[derive(Debug, Clone, Default)]
pub struct PipelineOptions {
    /// For the cleaner.
    pub clean: CleanOptions,
    /// For the inspector.
    pub inspect: InspectOptions,
}

/// The outcome of a reply: the types carry the order of the stages.
#[must_use]
#[derive(Debug)]
pub enum Received {
    /// Nothing proves the text incomplete; it may be parsed.
    Whole(WholeReply),
    /// The text is cut; it may be resumed or shown, never written.
    Cut(Cut),
}

/// Cleans and inspects a reply.
pub fn receive(raw: &RawReply, options: &PipelineOptions) -> Received {
    admit(cleaned(raw, options), &inspect_options(raw, options))
}

impl Received {
    /// Returns the cleaned text.
    pub fn text(&self) -> &str {
        match self {
            Self::Whole(whole) => whole.text(),
            Self::Cut(cut) => cut.text(),
        }
    }

    /// Returns the verdict, the second opinion included.
    pub fn verdict(&self) -> &Verdict {
        match self {
            Self::Whole(whole) => whole.verdict(),
            Self::Cut(cut) => cut.verdict(),
        }
    }
}

/// Inspects a cleaned reply and lets the grammar have its say.
pub(crate) fn admit(cleaned: CleanReply, options: &InspectOptions) -> Received {
    match inspect(cleaned, options) {
        Inspection::Cut(cut) => Received::Cut(cut),
        Inspection::Whole(whole) => {
            let verdict = second_opinion(whole.verdict().clone(), whole.text());
            match whole.reconsider(verdict) {
                Inspection::Whole(whole) => Received::Whole(whole),
                Inspection::Cut(cut) => Received::Cut(cut),
            }
        }
    }
}

/// Cleans a reply. What the caller knows about it goes before what the options say in general.
pub(crate) fn cleaned(raw: &RawReply, options: &PipelineOptions) -> CleanReply {
    let mut options = options.clean.clone();
    options.language = raw.language.or(options.language);
    options.path = raw.path.clone().or(options.path);
    clean(raw, &options)
}

/// Returns the content of a text alone, without the talk and the fence around it.
pub(crate) fn content_of(text: &str, language: Option<Language>) -> String {
    let raw = RawReply { language, ..RawReply::from_text(text) };
    cleaned(&raw, &PipelineOptions::default()).into_text()
}

/// Inspects a content that needs no cleaning, and lets the grammar have its say.
pub(crate) fn inspected(content: &str, options: &InspectOptions) -> Verdict {
    second_opinion(inspect_text(content, options), content)
}

/// Returns what the inspector is told about a reply: what the caller knows of it goes first.
pub(crate) fn inspect_options(raw: &RawReply, options: &PipelineOptions) -> InspectOptions {
    let mut inspect = options.inspect.clone();
    inspect.language = raw.language.or(inspect.language);
    inspect.path = raw.path.clone().or(inspect.path);
    inspect.finish_reason = raw.finish_reason.clone().or(inspect.finish_reason);
    inspect
}
