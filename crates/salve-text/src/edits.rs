//! Edits: a reply in any edit format becomes one [`EditSet`].
//!
//! In: a reply's text, whole or in pieces. Out: what it wants changed, whether it ended where an
//! edit may end, and what was repaired on the way. Never: a look at a file, a guess at what a cut
//! reply would have said, trust in a label: the content says which format it is.

mod apply_patch;
mod blocks;
mod carriers;
mod lines;
mod names;
mod original_changed;
#[cfg(test)]
mod sketch;
mod summary;
mod target;
mod tool_call;
mod unified;
mod whole;

use crate::clean::blank_thinking;
use apply_patch::EnvelopeReader;
use carriers::Carrier;
use lines::{Line, LineFeed};
use salve_types::{EditEnd, EditFormat, EditNote, EditNoteCode, EditSet, Span};
use std::borrow::Cow;
use unified::DiffReader;

pub use names::possible_names;
pub use summary::reply_summary;

/// What the caller knows about the edit.
#[derive(Debug, Clone, Default)]
pub struct EditOptions {
    /// The format the caller says it is; a hint, the content decides.
    pub format: Option<EditFormat>,
    /// The file that is meant where the reply names none, or exactly one other.
    pub target: Option<String>,
    /// 1-based lines where the hunks are thought to begin, one per hunk or one for all.
    pub hints: Vec<u32>,
    /// Names, as the reply writes them, that the caller knows to be files: what does not look like
    /// a path is one all the same (see [`possible_names`]).
    pub files: Vec<String>,
}

/// Reads one format: `None` when the text is not in it at all.
type Reader = fn(&str, &EditOptions) -> Option<EditSet>;

/// Formats with marks that prose does not have, beside the two that are read line by line.
const MARKED: &[Reader] = &[blocks::read, tool_call::read];

/// Formats that are told by their shape alone.
const SHAPED: &[Reader] = &[original_changed::read, whole::read];

/// Reads the edits of a reply in whatever format they are written.
pub fn parse_edits(text: &str, options: &EditOptions) -> EditSet {
    let mut reader = EditReader::new(options);
    reader.push(text);
    reader.finish()
}

/// Reads a reply that arrives in pieces.
///
/// Envelopes and diffs are read line by line as they come. The text itself is kept until the end:
/// blocks, tool calls and whole files can be told from talk only when the reply is whole.
#[derive(Debug)]
pub struct EditReader {
    options: EditOptions,
    text: String,
    feed: LineFeed,
    // The lines that wait for the two after them.
    window: [Option<Line>; 2],
    envelopes: EnvelopeReader,
    diffs: DiffReader,
}

impl EditReader {
    /// Starts a reply.
    pub fn new(options: &EditOptions) -> Self {
        Self {
            options: options.clone(),
            text: String::new(),
            feed: LineFeed::default(),
            window: [None, None],
            envelopes: EnvelopeReader::default(),
            diffs: DiffReader::default(),
        }
    }

    /// Takes the next piece of the reply.
    pub fn push(&mut self, piece: &str) {
        self.text.push_str(piece);
        while let Some(line) = self.feed.next_whole(&self.text) {
            self.shift(Some(line));
        }
    }

    /// Ends the reply and returns what it wants changed.
    ///
    /// What the model only thought of is no edit; a reply with thinking in it is read again
    /// without.
    pub fn finish(self) -> EditSet {
        if let Cow::Owned(said) = blank_thinking(&self.text) {
            let mut again = Self::new(&self.options);
            again.push(&said);
            return again.conclude(Some(&self.text));
        }
        self.conclude(None)
    }

    // The readers of shapes see the reply as it came: they know thinking, and what is left of it
    // in a text would be content to them.
    fn conclude(mut self, raw: Option<&str>) -> EditSet {
        if let Some(line) = self.feed.rest(&self.text) {
            self.shift(Some(line));
        }
        self.shift(None);
        self.shift(None);
        let Self { options, text, envelopes, diffs, .. } = self;
        let diffs = diffs.finish().map(|carrier| names::from_above(carrier, &text, &options));
        let by_line = [envelopes.finish(text.len()), diffs];
        let marked = MARKED.iter().map(|read| read(&text, &options).map(Carrier::of));
        let marked: Vec<Carrier> = by_line.into_iter().chain(marked).flatten().collect();
        let shaped = || SHAPED.iter().filter_map(|read| read(raw.unwrap_or(&text), &options));
        let mut set = carriers::combine(marked, shaped).unwrap_or_else(unrecognised);
        target::fill_in(&mut set, &options);
        note_mismatch(&mut set, &options, text.len());
        set
    }

    // Hands the oldest waiting line on, together with the two after it.
    fn shift(&mut self, line: Option<Line>) {
        let [first, second] = self.window;
        if let Some(first) = first {
            self.envelopes.line(&self.text, first);
            self.diffs.line(&self.text, first, [second, line]);
        }
        self.window = [second, line];
    }
}

fn unrecognised() -> EditSet {
    EditSet {
        format: EditFormat::Unknown,
        files: Vec::new(),
        end: EditEnd::Malformed { at: 0, why: "no edit format was recognised".to_owned() },
        notes: Vec::new(),
        hashes: None,
    }
}

fn note_mismatch(set: &mut EditSet, options: &EditOptions, length: usize) {
    let Some(label) = options.format else { return };
    if set.format == EditFormat::Unknown || set.format == label {
        return;
    }
    let message = format!("labelled {}, reads as {}", label.name(), set.format.name());
    let (code, span) = (EditNoteCode::FormatMismatch, Span::new(0, length));
    set.notes.push(EditNote { code, message, span });
}

#[cfg(test)]
mod tests;
