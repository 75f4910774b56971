//! Clean: separates the content of a reply from everything around it.
//!
//! In: a model's text, whole or in pieces, and what is known about the wanted content. Out: the
//! content, and a list of every byte that was set aside with its place in the raw text and the
//! reason. Never fails, never loses a byte unseen, never empties a reply that is all talk, and
//! changes nothing when it is called again on its own result.
//!
//! The work is a list of small stages (`STAGES`), each of which looks at the text and names cuts.
//! They run until none of them has anything to cut; the result is therefore a fixed point, which is
//! what makes cleaning twice the same as cleaning once. A text that still changes after
//! `MAX_ROUNDS` is left as it came: no one can say safely what its content is.

mod chat;
mod choose;
mod document;
mod draft;
mod escape;
mod fence;
mod label;
mod numbering;
mod reply;
mod tags;
mod thinking;
mod tokens;

pub(crate) use choose::{Labelled, label_blocks};
pub(crate) use fence::{find_blocks, is_fence_line};
pub(crate) use label::{label_name, path_label, read_info};
pub(crate) use numbering::numbered_lines;
pub use reply::{Aside, AsideReason, Block, CleanReply};
pub(crate) use thinking::blank_thinking;

use crate::sentinel::{DEFAULT_MARK, ending_sentinel};
use draft::{Cut, Draft};
use salve_types::{FinishReason, Language, RawReply, Span};

// Wrappers nest a few deep in practice, and a JSON string inside a JSON string doubles its
// backslashes each time, so a real reply is still after two or three rounds.
const MAX_ROUNDS: usize = 8;

/// What is known about the content that a reply should hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CleanOptions {
    /// The language of the wanted content; decides which block is taken.
    pub language: Option<Language>,
    /// The file the content is meant for; a block with this label is taken first.
    pub path: Option<String>,
    /// The marker text of the completion sentinel; empty for none.
    pub sentinel_mark: String,
    /// When a JSON object that carries code in a `code` field is opened.
    pub carrier: Carrier,
}

impl Default for CleanOptions {
    fn default() -> Self {
        Self {
            language: None,
            path: None,
            sentinel_mark: DEFAULT_MARK.to_owned(),
            carrier: Carrier::default(),
        }
    }
}

/// When a JSON object that carries the code in one of its fields is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Carrier {
    /// When the wanted language is known and is not JSON.
    #[default]
    Auto,
    /// Whenever the reply is such an object.
    Open,
    /// Never: the object is the content.
    Keep,
}

/// Separates the content of a reply from the talk around it.
pub fn clean(raw: &RawReply, options: &CleanOptions) -> CleanReply {
    let mut options = options.clone();
    options.language = options.language.or(raw.language);
    options.path = options.path.or_else(|| raw.path.clone());
    let mut cleaner = Cleaner::new(&options);
    cleaner.push(&raw.text);
    cleaner.stopped(raw.finish_reason.clone());
    cleaner.finish()
}

/// Returns the code of a chatty text alone (known elsewhere as `extractCodeBlock`).
///
/// A block of the wanted language wins, then the largest one; a JSON carrier gives its `code`. A
/// text without a fence is its own code, less the recognisable chat.
pub fn extract_code_block(content: &str, language: Option<Language>) -> CleanReply {
    let options = CleanOptions { language, carrier: Carrier::Open, ..CleanOptions::default() };
    let mut cleaner = Cleaner::new(&options);
    cleaner.target = Target::Code(language);
    cleaner.push(content);
    cleaner.finish()
}

/// Returns a document without the chat before it (known elsewhere as `cleanPreamble`).
///
/// The document begins at its first heading or front matter. Without such a mark only sentences
/// that are known from chats are dropped, and a text is never emptied.
pub fn clean_preamble(content: &str) -> CleanReply {
    let options = CleanOptions { language: Some(Language::Markdown), ..CleanOptions::default() };
    let mut cleaner = Cleaner::new(&options);
    cleaner.target = Target::Document;
    cleaner.push(content);
    cleaner.finish()
}

/// Cleans a reply that arrives in pieces.
///
/// Which part of a reply is the content can only be said at its end (a later block may be the one
/// that was asked for), so `push` collects and `finish` decides.
#[derive(Debug, Clone)]
pub struct Cleaner {
    raw: String,
    target: Target,
    path: Option<String>,
    mark: String,
    open_carrier: bool,
    finish_reason: Option<FinishReason>,
    language: Option<Language>,
}

impl Cleaner {
    /// Prepares to clean one reply.
    pub fn new(options: &CleanOptions) -> Self {
        let language =
            options.language.or_else(|| options.path.as_deref().and_then(Language::from_path));
        let target = Target::of(language);
        Self {
            raw: String::new(),
            target,
            path: options.path.clone(),
            mark: options.sentinel_mark.clone(),
            open_carrier: match options.carrier {
                Carrier::Auto => matches!(target, Target::Code(_)),
                Carrier::Open => true,
                Carrier::Keep => false,
            },
            finish_reason: None,
            language,
        }
    }

    /// Takes the next piece of the reply.
    pub fn push(&mut self, piece: &str) {
        self.raw.push_str(piece);
    }

    /// Notes why the provider says the model stopped; it travels with the reply.
    pub fn stopped(&mut self, reason: Option<FinishReason>) {
        self.finish_reason = reason;
    }

    /// Decides what the content is.
    pub fn finish(self) -> CleanReply {
        let context = Context {
            target: self.target,
            path: self.path.as_deref(),
            mark: &self.mark,
            open_carrier: self.open_carrier,
        };
        let mut draft = Draft::new(&self.raw);
        let mut notes = Notes::default();
        if !settle(&mut draft, &context, &mut notes) {
            draft = Draft::new(&self.raw);
            notes = Notes::default();
        }
        let (text, aside) = draft.into_parts();
        let path = self.path.or(notes.path);
        let language = self
            .language
            .or(notes.language)
            .or_else(|| path.as_deref().and_then(Language::from_path));
        CleanReply {
            raw: self.raw,
            text,
            aside,
            blocks: notes.blocks,
            language,
            path,
            unclosed_fence: notes.unclosed_fence,
            unclosed_thinking: notes.unclosed_thinking,
            unclosed_wrapper: notes.unclosed_wrapper,
            sentinel_seen: notes.sentinel_seen,
            finish_reason: self.finish_reason,
        }
    }
}

// What the stages may know. It holds nothing that was learned from the text on the way: a second
// cleaning starts without that knowledge and must come to the same result.
struct Context<'a> {
    target: Target,
    path: Option<&'a str>,
    mark: &'a str,
    open_carrier: bool,
}

/// The kind of content that is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    Unknown,
    // Code, of this language if it is known.
    Code(Option<Language>),
    Json,
    Markdown,
    // A Markdown document of which everything before its first heading is talk.
    Document,
}

impl Target {
    const fn of(language: Option<Language>) -> Self {
        match language {
            None | Some(Language::Text) => Self::Unknown,
            Some(Language::Json) => Self::Json,
            Some(Language::Markdown) => Self::Markdown,
            Some(other) => Self::Code(Some(other)),
        }
    }

    const fn language(self) -> Option<Language> {
        match self {
            Self::Unknown => None,
            Self::Code(language) => language,
            Self::Json => Some(Language::Json),
            Self::Markdown | Self::Document => Some(Language::Markdown),
        }
    }

    const fn is_document(self) -> bool {
        matches!(self, Self::Markdown | Self::Document)
    }
}

// What the stages noticed besides their cuts; spans are those of the raw text.
#[derive(Default)]
struct Notes {
    blocks: Vec<Block>,
    language: Option<Language>,
    path: Option<String>,
    unclosed_fence: bool,
    unclosed_thinking: bool,
    unclosed_wrapper: bool,
    sentinel_seen: bool,
}

type Stage = fn(&Draft<'_>, &Context<'_>, &mut Notes) -> Vec<Cut>;

// The order matters where one thing hides another: thinking may hold fences, a wrapper may hold
// thinking's closing tag, and chat after a sentinel hides it.
const STAGES: &[Stage] = &[
    tokens::cuts,
    thinking::cuts,
    tags::cuts,
    choose::cuts,
    document::preamble_cuts,
    chat::cuts,
    chat::json_cuts,
    escape::cuts,
    numbering::cuts,
    sentinel_cuts,
];

// Runs the stages until none cuts; answers whether that point was reached.
fn settle(draft: &mut Draft<'_>, context: &Context<'_>, notes: &mut Notes) -> bool {
    for _ in 0..MAX_ROUNDS {
        let mut changed = false;
        for stage in STAGES {
            let cuts = stage(draft, context, notes);
            if !cuts.is_empty() {
                draft.apply(&cuts);
                changed = true;
            }
        }
        if !changed {
            return true;
        }
    }
    false
}

// The sentinel says that the model is done; it is no part of the content.
fn sentinel_cuts(draft: &Draft<'_>, context: &Context<'_>, notes: &mut Notes) -> Vec<Cut> {
    let text = draft.text();
    let Some(line) = ending_sentinel(text, context.mark) else {
        return Vec::new();
    };
    notes.sentinel_seen = true;
    // What may follow a sentinel is blank lines and a stray closing fence: all of it goes.
    vec![Cut::new(Span::new(line.start, text.len()), AsideReason::Sentinel)]
}
