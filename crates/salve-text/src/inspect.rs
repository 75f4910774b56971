//! Inspect: is this text whole, and if not, what is open where?
//!
//! In: text in any number of pieces, with the language, the sentinel rule and the provider's reason
//! for stopping where they are known. Out: one [`Verdict`] with all its evidence. Never fails, never
//! needs more than 64 KiB per stream, and gives the same verdict however the text is cut in pieces.

mod arms;
mod closing;
mod free_text;
mod habits;
mod half;
mod heredoc;
mod lines;
mod machine;
mod markup;
mod opaque;
mod outline;
mod preprocessor;
mod python;
mod reader;
mod reply;
mod ruby;
mod rules;
mod script;
mod shell;
mod stack;
mod strings;
mod tail;
mod verdict;
mod weak;
mod weights;
mod words;

pub(crate) use free_text::{ChatFence, open_fence, options as free_text_options};
pub use free_text::{FreeText, FreeTextInspector, inspect_free_text};
pub(crate) use outline::{Inside, LineState, outline};

use crate::detect::{LanguageHints, detect_language};
use crate::sentinel::DEFAULT_MARK;
use reader::Reader;
pub use reply::{Cut, Inspection, WholeReply, inspect};
use salve_types::{FinishReason, Language, Verdict};

/// What is known about a text before it is inspected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InspectOptions {
    /// The language, if it is known.
    pub language: Option<Language>,
    /// The file the text is meant for; its ending tells the language, and the first bytes of the text
    /// which of its relatives it is.
    pub path: Option<String>,
    /// Whether the text must end with the sentinel.
    pub sentinel: SentinelRule,
    /// The marker text of the sentinel, with or without comment signs.
    pub sentinel_mark: String,
    /// Why the provider says the model stopped.
    pub finish_reason: Option<FinishReason>,
}

impl Default for InspectOptions {
    fn default() -> Self {
        Self {
            language: None,
            path: None,
            sentinel: SentinelRule::default(),
            sentinel_mark: DEFAULT_MARK.to_owned(),
            finish_reason: None,
        }
    }
}

/// What a missing sentinel means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum SentinelRule {
    /// Its absence is a warning.
    #[default]
    Optional,
    /// Its absence proves a cut.
    Required,
    /// It is not looked for.
    None,
}

/// Inspects a text that arrives in pieces.
#[derive(Debug)]
pub struct Inspector {
    options: InspectOptions,
    reader: Reader,
}

impl Inspector {
    /// Starts an inspection.
    pub fn new(options: &InspectOptions) -> Self {
        let reader = Reader::new(options.language, options.path.clone());
        Self { options: options.clone(), reader }
    }

    /// Takes the next piece of the text.
    pub fn push(&mut self, piece: &str) {
        self.reader.push(piece);
    }

    /// Notes why the provider says the model stopped, which is known only at the end of a stream.
    pub fn stopped(&mut self, reason: Option<FinishReason>) {
        self.options.finish_reason = reason;
    }

    /// Returns how many bytes this inspection holds at the moment, which is at most 64 KiB.
    pub fn state_bytes(&self) -> usize {
        let options = self.options.path.as_ref().map_or(0, String::capacity)
            + self.options.sentinel_mark.capacity();
        size_of::<Self>() + options + self.reader.heap_bytes()
    }

    /// Ends the text and judges it.
    pub fn finish(self) -> Verdict {
        let Self { options, reader } = self;
        reader.finish(|read| verdict::conclude(&read, &options, verdict::Seen::Unknown))
    }
}

/// Inspects a text that is there as a whole.
pub fn inspect_text(text: &str, options: &InspectOptions) -> Verdict {
    judge(text, options, verdict::Seen::Unknown)
}

fn judge(text: &str, options: &InspectOptions, seen: verdict::Seen) -> Verdict {
    let hints = LanguageHints { path: options.path.as_deref(), ..LanguageHints::default() };
    let language = options.language.unwrap_or_else(|| detect_language(text, &hints));
    verdict::conclude(&reader::read_whole(text, language), options, seen)
}
