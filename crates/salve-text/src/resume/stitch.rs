//! Joins a cut text and its continuation.
//!
//! In: both texts. Out: the joined text with everything that was dropped from the continuation, or
//! a refusal with its reason; and the verdict on the result. Never changes the partial text, which
//! is always the start of the joined one, and never joins when two readings are about as likely.

use super::candidate::{Candidate, assemble, propose};
use super::related;
use super::seam::Vocabulary;
use super::shape::shape_of;
use super::weights;
use super::wrapper::{Unwrapped, unwrap};
use crate::DEFAULT_MARK;
use crate::detect::{LanguageHints, detect_language};
use crate::inspect::{Inside, InspectOptions, inspect_text, outline};
use crate::lines::{indent_of, last_line_start, width};
use salve_types::{FinishReason, Language, Span, Verdict};
use serde::{Deserialize, Serialize};

/// What is known about the two texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StitchOptions {
    /// The language of the text; found out from the partial text when absent.
    pub language: Option<Language>,
    /// The marker text of the sentinel, which is set aside when it ends the continuation.
    pub sentinel_mark: String,
    /// Why the continuation ended, if the provider said so; evidence for the verdict.
    pub finish_reason: Option<FinishReason>,
}

impl Default for StitchOptions {
    fn default() -> Self {
        Self { language: None, sentinel_mark: DEFAULT_MARK.to_owned(), finish_reason: None }
    }
}

/// The outcome of joining two texts.
#[must_use]
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Stitch {
    /// The joined text, or why there is none.
    pub outcome: StitchOutcome,
    /// What was dropped from the continuation, in order.
    pub dropped: Vec<Dropped>,
    /// How the lines of the continuation were moved, if they were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reindented: Option<Reindented>,
    /// Text that was put between the two, when the continuation left out a line break.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub inserted: String,
    /// The verdict on the joined text, or on the partial text after a refusal.
    pub verdict: Verdict,
}

/// Whether two texts were joined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StitchOutcome {
    /// The join is safe.
    Joined {
        /// The joined text; it starts with the partial text.
        text: String,
    },
    /// No join is safe.
    Refused {
        /// The reason as a code.
        why: RefusalReason,
        /// The reason in words.
        message: String,
    },
}

/// Why two texts were not joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RefusalReason {
    /// The continuation holds nothing.
    Empty,
    /// The continuation only repeats the end of the partial text.
    OnlyEcho,
    /// The continuation is talk about the text: an apology, a refusal, a question.
    Talk,
    /// The continuation is the start of another text.
    Unrelated,
    /// The continuation starts over from the beginning, and not in the same words.
    RestartedFromBeginning,
    /// The continuation starts with what the partial ends with, and it may be meant.
    AmbiguousRepetition,
    /// More than one way to join the two is about as likely.
    AmbiguousSeam,
}

impl RefusalReason {
    /// Returns the reason as it is on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::OnlyEcho => "only_echo",
            Self::Talk => "talk",
            Self::Unrelated => "unrelated",
            Self::RestartedFromBeginning => "restarted_from_beginning",
            Self::AmbiguousRepetition => "ambiguous_repetition",
            Self::AmbiguousSeam => "ambiguous_seam",
        }
    }
}

/// A part of the continuation that is not in the joined text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Dropped {
    /// Where, in bytes of the continuation.
    pub span: Span,
    /// What it was taken for.
    pub reason: DropReason,
    /// The text itself.
    pub text: String,
}

/// Why a part of a continuation was dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DropReason {
    /// The whole partial text again.
    PrefillEcho,
    /// The last lines of the partial text again.
    RepeatedLines,
    /// The line that was cut, from its beginning.
    RepeatedHalfLine,
    /// The last characters of the partial text again.
    RepeatedText,
    /// The block that was cut, again from its header.
    RestartedBlock,
    /// A code fence.
    Fence,
    /// Talk before the content.
    Preamble,
    /// Talk after the content.
    Trailer,
    /// The completion sentinel.
    Sentinel,
    /// The header of the resume prompt.
    PromptEcho,
    /// A line break that only the reply needed.
    LineBreak,
}

/// How the lines of a continuation were moved to the indentation of the partial text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Reindented {
    /// Columns by which the lines stood too deep; negative when they stood too shallow.
    pub columns: i32,
    /// How many lines were moved.
    pub lines: usize,
}

/// What the text around the cut is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Code.
    Code,
    /// A comment, a string, or a language of sentences.
    Words,
}

/// Joins `partial` and `continuation`.
pub fn stitch(partial: &str, continuation: &str, options: &StitchOptions) -> Stitch {
    let language =
        options.language.unwrap_or_else(|| detect_language(partial, &LanguageHints::default()));
    let place = place_of(partial, language);
    let unwrapped = unwrap(continuation, partial, place, language, &options.sentinel_mark);
    let stitcher = Stitcher { partial, continuation, language, place, unwrapped, options };
    stitcher.run()
}

struct Stitcher<'a> {
    partial: &'a str,
    continuation: &'a str,
    language: Language,
    place: Place,
    unwrapped: Unwrapped,
    options: &'a StitchOptions,
}

// A candidate with its text and how much speaks for it.
struct Reading {
    candidate: Candidate,
    text: String,
    bits: f32,
}

impl Stitcher<'_> {
    fn run(self) -> Stitch {
        let content = &self.continuation[self.unwrapped.content.range()];
        if content.trim().is_empty() {
            return self.refuse(RefusalReason::Empty, "the continuation holds nothing to add");
        }
        if let Some((why, message)) = related::refusal(content, self.place) {
            return self.refuse(why, message);
        }
        let mut readings = self.read(content);
        readings.sort_by(|one, other| other.bits.total_cmp(&one.bits));
        let mut readings = readings.into_iter();
        let Some(best) = readings.next() else {
            return self.refuse(RefusalReason::AmbiguousSeam, "no way to join the texts was found");
        };
        let rival = readings.find(|other| other.text != best.text);
        if let Some(rival) = rival.filter(|rival| is_close(&best, rival)) {
            return self.refuse_between(&best.candidate, &rival.candidate);
        }
        if content[best.candidate.drop..].trim().is_empty() {
            return self.refuse(
                RefusalReason::OnlyEcho,
                "the continuation only repeats the end of the partial text",
            );
        }
        let join = related::Join {
            partial: self.partial,
            content,
            joined: &best.text,
            candidate: &best.candidate,
            place: self.place,
            language: self.language,
            label: self.unwrapped.label,
        };
        if let Some((why, message)) = related::refusal_after(&join) {
            return self.refuse(why, message);
        }
        self.join(best)
    }

    // Every candidate with its text, weighed; a shift that the lines themselves suggest is tried
    // for each of them.
    fn read(&self, content: &str) -> Vec<Reading> {
        let vocabulary = Vocabulary::new(self.partial, content);
        let mut readings: Vec<Reading> = Vec::new();
        let loose = self.unwrapped.loose_start;
        for candidate in propose(self.partial, content, self.place, loose, &vocabulary) {
            let Some(text) = assemble(self.partial, content, &candidate) else { continue };
            let shape = shape_of(&text, self.partial.len(), self.language);
            let may_move = candidate.shift == 0 && !candidate.unmoved;
            let shifts = if may_move { shape.suggested_shifts() } else { Vec::new() };
            readings.push(Reading {
                bits: candidate.bits + shape.bits(),
                text,
                candidate: candidate.clone(),
            });
            for shift in shifts {
                let shifted =
                    Candidate { shift, bits: candidate.bits - weights::MOVE, ..candidate.clone() };
                let Some(text) = assemble(self.partial, content, &shifted) else { continue };
                let bits = shifted.bits + shape_of(&text, self.partial.len(), self.language).bits();
                readings.push(Reading { bits, text, candidate: shifted });
            }
        }
        readings
    }

    fn join(self, best: Reading) -> Stitch {
        let start = self.unwrapped.content.start;
        // A line that is begun again starts with what the partial has of it, which is not kept
        // twice.
        let begun = self.partial.len() - last_line_start(self.partial);
        let again = best.candidate.restarts_line && best.candidate.shift == 0;
        let begun = if again { begun } else { 0 };
        let echo = Span::new(start, start + best.candidate.drop + begun);
        let half_line = (begun > 0).then_some(DropReason::RepeatedHalfLine);
        let reason = best.candidate.reason.or(half_line);
        let mut spans = self.unwrapped.dropped.clone();
        if let Some(mut reason) = reason.filter(|_| !echo.is_empty()) {
            if reason == DropReason::RepeatedLines && self.restarts_block(echo) {
                reason = DropReason::RestartedBlock;
            }
            spans.push((echo, reason));
        }
        let moved = self.continuation[echo.end..self.unwrapped.content.end].lines().count();
        let reindented = (best.candidate.shift != 0)
            .then_some(Reindented { columns: best.candidate.shift, lines: moved });
        let verdict = self.inspect(&best.text, &self.sentinel_text());
        Stitch {
            dropped: self.dropped(spans),
            reindented,
            inserted: best.candidate.insert.to_owned(),
            verdict,
            outcome: StitchOutcome::Joined { text: best.text },
        }
    }

    // Whether the repeated lines start with the header of a block that is open at the cut: every
    // line after it is inside of it.
    fn restarts_block(&self, echo: Span) -> bool {
        let again = self.continuation[echo.range()].matches('\n').count();
        let whole = self.partial.matches('\n').count();
        let Some(header) = whole.checked_sub(again).filter(|_| again > 0) else { return false };
        let mut lines = self.partial.lines().skip(header);
        if self.language == Language::Python {
            let Some(first) = lines.next() else { return false };
            let column = width(indent_of(first));
            let mut inner = lines.filter(|line| !line.trim().is_empty());
            return first.trim_end().ends_with(':')
                && inner.all(|line| width(indent_of(line)) > column);
        }
        let outline = outline(self.partial, self.language);
        let mut states = outline.lines.iter().skip(header).chain([&outline.end]);
        let Some(outer) = states.next() else { return false };
        states.all(|state| state.depth > outer.depth)
    }

    fn refuse_between(&self, best: &Candidate, rival: &Candidate) -> Stitch {
        let repetition = best.drop != rival.drop;
        if repetition {
            self.refuse(
                RefusalReason::AmbiguousRepetition,
                "the continuation starts with what the partial text ends with, and it may be meant",
            )
        } else {
            self.refuse(
                RefusalReason::AmbiguousSeam,
                "the texts can be joined in more than one way, and nothing decides between them",
            )
        }
    }

    fn refuse(&self, why: RefusalReason, message: &str) -> Stitch {
        Stitch {
            outcome: StitchOutcome::Refused { why, message: message.to_owned() },
            dropped: Vec::new(),
            reindented: None,
            inserted: String::new(),
            verdict: self.inspect(self.partial, ""),
        }
    }

    // A sentinel that was set aside still proves that the model was done.
    fn sentinel_text(&self) -> String {
        let spans = self.unwrapped.dropped.iter();
        let mark = spans.filter(|(_, reason)| *reason == DropReason::Sentinel);
        mark.map(|(span, _)| &self.continuation[span.range()]).collect()
    }

    fn dropped(&self, mut spans: Vec<(Span, DropReason)>) -> Vec<Dropped> {
        spans.sort_by_key(|(span, _)| span.start);
        spans
            .into_iter()
            .map(|(span, reason)| Dropped {
                span,
                reason,
                text: self.continuation[span.range()].to_owned(),
            })
            .collect()
    }

    fn inspect(&self, text: &str, sentinel: &str) -> Verdict {
        let options = InspectOptions {
            language: Some(self.language),
            sentinel_mark: self.options.sentinel_mark.clone(),
            finish_reason: self.options.finish_reason.clone(),
            ..InspectOptions::default()
        };
        inspect_text(&format!("{text}{sentinel}"), &options)
    }
}

// Two readings that differ only in how far lines were moved are told apart by many lines at once,
// so less is enough.
fn is_close(best: &Reading, rival: &Reading) -> bool {
    let only_moved = best.candidate.drop == rival.candidate.drop
        && best.candidate.insert == rival.candidate.insert
        && best.candidate.restarts_line == rival.candidate.restarts_line;
    best.bits - rival.bits < if only_moved { weights::MARGIN_OF_MOVES } else { weights::MARGIN }
}

fn place_of(partial: &str, language: Language) -> Place {
    let words = matches!(language, Language::Markdown | Language::Text)
        || outline(partial, language).end.inside == Inside::Words;
    if words { Place::Words } else { Place::Code }
}

#[cfg(test)]
mod tests;
