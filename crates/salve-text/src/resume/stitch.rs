//! Joins a cut text and its continuation.
//!
//! In: both texts. Out: the joined text with everything that was dropped from the continuation, or
//! a refusal with its reason; and the verdict on the result. Never changes the partial text, which
//! is always the start of the joined one but for line breaks that may have been added after the cut,
//! and never joins when two readings are about as likely.

mod doubts;

use super::breaks::{FinalBreak, Habits, kept, with_own_break};
use super::candidate::{Candidate, assemble, faint_echoes, propose};
use super::choice::{Choice, Reading, choose};
use super::related;
use super::seam::Vocabulary;
use super::shape::shape_of;
use super::weights;
use super::wrapper::{Unwrapped, unwrap};
use crate::DEFAULT_MARK;
use crate::detect::{LanguageHints, detect_language};
use crate::inspect::{Inside, InspectOptions, inspect_text, outline};
use crate::lines::{indent_of, last_line_start, width};
use salve_types::{
    ErrorType, Evidence, EvidenceSource, FinishReason, GrammarOpinion, Language, Span,
    TruncationKind, Verdict,
};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// What is known about the two texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StitchOptions {
    /// The language of the text; found out from the partial text when absent.
    pub language: Option<Language>,
    /// The marker text of the sentinel, which is set aside when it ends the continuation.
    pub sentinel_mark: String,
    /// Why the continuation ended, if the provider said so; evidence for the verdict.
    pub finish_reason: Option<FinishReason>,
    /// Where the line breaks at the end of the partial text come from.
    pub final_break: FinalBreak,
}

impl Default for StitchOptions {
    fn default() -> Self {
        Self {
            language: None,
            sentinel_mark: DEFAULT_MARK.to_owned(),
            finish_reason: None,
            final_break: FinalBreak::Sent,
        }
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
    /// Line breaks at the end of the partial text that were taken off: they came after the cut.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub taken_off: String,
    /// The verdict on the joined text, or on the partial text after a refusal.
    pub verdict: Verdict,
}

/// Whether two texts were joined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StitchOutcome {
    /// The join is safe.
    Joined {
        /// The joined text; it starts with the partial text, less what was taken off.
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
    let partial = with_own_break(partial, continuation, options.final_break);
    stitcher(&partial, continuation, options, None).run()
}

/// Joins `partial` and `continuation`; among joins that are about as likely, one that `grammar`
/// accepts is taken, and a join that it does not accept is not called whole.
pub fn stitch_with(
    partial: &str,
    continuation: &str,
    options: &StitchOptions,
    grammar: Grammar<'_>,
) -> Stitch {
    let partial = with_own_break(partial, continuation, options.final_break);
    let mut stitcher = stitcher(&partial, continuation, options, Some(grammar));
    stitcher.has_foreign_break = matches!(partial, Cow::Owned(_));
    stitcher.run()
}

type Grammar<'a> = &'a dyn Fn(&str, Language) -> GrammarOpinion;

fn stitcher<'a>(
    partial: &'a str,
    continuation: &'a str,
    options: &'a StitchOptions,
    grammar: Option<Grammar<'a>>,
) -> Stitcher<'a> {
    let language =
        options.language.unwrap_or_else(|| detect_language(partial, &LanguageHints::default()));
    let sides = kept(partial, options.final_break)
        .into_iter()
        .map(|end| {
            let partial = &partial[..end];
            let place = place_of(partial, language);
            let unwrapped = unwrap(continuation, partial, place, language, &options.sentinel_mark);
            Side { end, place, unwrapped }
        })
        .collect();
    let has_foreign_break = false;
    Stitcher { partial, continuation, language, sides, options, grammar, has_foreign_break }
}

struct Stitcher<'a> {
    partial: &'a str,
    continuation: &'a str,
    language: Language,
    // As it was sent first, then without the line breaks at its end; never empty.
    sides: Vec<Side>,
    options: &'a StitchOptions,
    grammar: Option<Grammar<'a>>,
    // The partial text ended in a break of a kind that it has nowhere else.
    has_foreign_break: bool,
}

// The partial text up to one of the places where the cut may be.
struct Side {
    end: usize,
    place: Place,
    unwrapped: Unwrapped,
}

impl Stitcher<'_> {
    fn run(self) -> Stitch {
        let content = self.content(0);
        if content.trim().is_empty() {
            return self.refuse(RefusalReason::Empty, "the continuation holds nothing to add");
        }
        if let Some((why, message)) = related::refusal(content, self.sides[0].place) {
            return self.refuse(why, message);
        }
        let opinion = |text: &str| {
            self.grammar.map_or(GrammarOpinion::Silent, |grammar| grammar(text, self.language))
        };
        let Some(choice) = choose(self.read(), opinion) else {
            return self.refuse(RefusalReason::AmbiguousSeam, "no way to join the texts was found");
        };
        let best = &choice.best;
        if let Some(rival) = choice.undecided() {
            return self.refuse_between(&best.candidate, &rival.candidate);
        }
        let content = self.content(best.side);
        if content[best.candidate.drop..].trim().is_empty() {
            return self.refuse(
                RefusalReason::OnlyEcho,
                "the continuation only repeats the end of the partial text",
            );
        }
        let side = &self.sides[best.side];
        let join = related::Join {
            partial: &self.partial[..side.end],
            content,
            joined: &best.text,
            candidate: &best.candidate,
            place: side.place,
            language: self.language,
            label: side.unwrapped.label,
        };
        if let Some((why, message)) = related::refusal_after(&join) {
            return self.refuse(why, message);
        }
        self.join(choice)
    }

    fn content(&self, side: usize) -> &str {
        &self.continuation[self.sides[side].unwrapped.content.range()]
    }

    // Every candidate of every side with its text, weighed.
    fn read(&self) -> Vec<Reading> {
        let mut readings = Vec::new();
        if self.grammar.is_none() && self.sides.len() == 1 {
            self.read_side(0, None, &mut readings);
            return readings;
        }
        let habits = Habits::of(self.partial, self.continuation);
        for (index, side) in self.sides.iter().enumerate() {
            let start = readings.len();
            self.read_side(index, Some(&habits), &mut readings);
            for reading in &mut readings[start..] {
                // A break that is put where some were taken off is the first of them.
                let again = reading.candidate.insert;
                let is_one = !again.is_empty() && self.partial[side.end..].starts_with(again);
                let end = side.end + if is_one { again.len() } else { 0 };
                reading.bits += habits.bits(self.partial, end, &reading.text);
            }
        }
        readings
    }

    // A shift that the lines themselves suggest is tried for each candidate.
    fn read_side(&self, index: usize, habits: Option<&Habits>, readings: &mut Vec<Reading>) {
        let side = &self.sides[index];
        let (partial, content) = (&self.partial[..side.end], self.content(index));
        let vocabulary = Vocabulary::new(partial, content);
        let loose = side.unwrapped.loose_start;
        let mut candidates = propose(partial, content, side.place, loose, &vocabulary);
        if let Some(habits) = habits {
            candidates.extend(faint_echoes(partial, content, side.place, habits, &vocabulary));
        }
        // A whole line that comes again is no half line, and a break that is put where one was taken
        // off is that one: the side with its line break judges both.
        let takes_one = self.partial[side.end..].matches('\n').count() == 1;
        let is_own = |candidate: &Candidate| {
            let rest = content[candidate.drop..].trim_start_matches('\r');
            let is_half = partial.ends_with('\n') || candidate.drop == 0 || !rest.starts_with('\n');
            is_half && (candidate.insert.is_empty() || !takes_one)
        };
        candidates.retain(|candidate| index == 0 || is_own(candidate));
        for candidate in candidates {
            let Some(text) = assemble(partial, content, &candidate) else { continue };
            let shape = shape_of(&text, partial.len(), self.language);
            let may_move = candidate.shift == 0 && !candidate.unmoved;
            let shifts = if may_move { shape.suggested_shifts() } else { Vec::new() };
            let bits = candidate.bits + shape.bits();
            readings.push(Reading::new(index, candidate.clone(), text, bits));
            for shift in shifts {
                let shifted =
                    Candidate { shift, bits: candidate.bits - weights::MOVE, ..candidate.clone() };
                let Some(text) = assemble(partial, content, &shifted) else { continue };
                let bits = shifted.bits + shape_of(&text, partial.len(), self.language).bits();
                readings.push(Reading::new(index, shifted, text, bits));
            }
        }
    }

    fn join(self, choice: Choice) -> Stitch {
        let in_words = self.sides.iter().any(|side| side.place == Place::Words);
        let is_certain = choice.is_certain(in_words) && !self.is_doubtful(&choice.best);
        let best = choice.best;
        let side = &self.sides[best.side];
        let (partial, taken_off) = self.partial.split_at(side.end);
        let start = side.unwrapped.content.start;
        // A line that is begun again starts with what the partial has of it, which is not kept twice.
        let begun = partial.len() - last_line_start(partial);
        let again = best.candidate.restarts_line && best.candidate.shift == 0;
        let begun = if again { begun } else { 0 };
        let echo = Span::new(start, start + best.candidate.drop + begun);
        let half_line = (begun > 0).then_some(DropReason::RepeatedHalfLine);
        let reason = best.candidate.reason.or(half_line);
        let mut spans = side.unwrapped.dropped.clone();
        if let Some(mut reason) = reason.filter(|_| !echo.is_empty()) {
            if reason == DropReason::RepeatedLines && self.restarts_block(partial, echo) {
                reason = DropReason::RestartedBlock;
            }
            spans.push((echo, reason));
        }
        let moved = self.continuation[echo.end..side.unwrapped.content.end].lines().count();
        let reindented = (best.candidate.shift != 0)
            .then_some(Reindented { columns: best.candidate.shift, lines: moved });
        let mut verdict = self.inspect(&best.text, &self.sentinel_text(side));
        if verdict.is_valid {
            note_doubt(&mut verdict, best.opinion, is_certain, side.end);
        }
        Stitch {
            dropped: self.dropped(spans),
            reindented,
            inserted: best.candidate.insert.to_owned(),
            taken_off: taken_off.to_owned(),
            verdict,
            outcome: StitchOutcome::Joined { text: best.text },
        }
    }

    // Whether the repeated lines start with the header of a block that is open at the cut: every
    // line after it is inside of it.
    fn restarts_block(&self, partial: &str, echo: Span) -> bool {
        let again = self.continuation[echo.range()].matches('\n').count();
        let whole = partial.matches('\n').count();
        let Some(header) = whole.checked_sub(again).filter(|_| again > 0) else { return false };
        let mut lines = partial.lines().skip(header);
        if self.language == Language::Python {
            let Some(first) = lines.next() else { return false };
            let column = width(indent_of(first));
            let mut inner = lines.filter(|line| !line.trim().is_empty());
            return first.trim_end().ends_with(':')
                && inner.all(|line| width(indent_of(line)) > column);
        }
        let outline = outline(partial, self.language);
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
            taken_off: String::new(),
            verdict: self.inspect(self.partial, ""),
        }
    }

    // A sentinel that was set aside still proves that the model was done.
    fn sentinel_text(&self, side: &Side) -> String {
        let spans = side.unwrapped.dropped.iter();
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

// What is joined is whole only when the grammar of its language says so, and when no other join is
// about as likely.
fn note_doubt(verdict: &mut Verdict, opinion: GrammarOpinion, is_certain: bool, seam: usize) {
    let (error_type, kind, source, code, message) = match opinion {
        GrammarOpinion::AcceptsStart => (
            ErrorType::TruncationDetected,
            Some(TruncationKind::GeneralTruncation),
            EvidenceSource::Parser,
            "grammar_broken_at_end",
            "The grammar accepts all but the end of the joined text",
        ),
        GrammarOpinion::Rejects => (
            ErrorType::SyntaxError,
            None,
            EvidenceSource::Parser,
            "grammar_error",
            "The grammar does not accept the joined text",
        ),
        GrammarOpinion::Accepts | GrammarOpinion::Silent if is_certain => return,
        GrammarOpinion::Accepts | GrammarOpinion::Silent => (
            ErrorType::UnsureSeam,
            None,
            EvidenceSource::Heuristic,
            "unsure_seam",
            "The parts can be joined in another way that is about as likely",
        ),
    };
    verdict.is_valid = false;
    verdict.error_type = Some(error_type);
    verdict.kind = kind;
    verdict.error_message = Some(message.to_owned());
    verdict.confidence = weights::DOUBTED;
    let span = Some(Span::new(seam, seam));
    let (code, message) = (code.to_owned(), message.to_owned());
    let weight = weights::DOUBTED;
    verdict.evidence.push(Evidence { source, code, message, cut: true, weight, span });
}

fn place_of(partial: &str, language: Language) -> Place {
    let words = matches!(language, Language::Markdown | Language::Text)
        || outline(partial, language).end.inside == Inside::Words;
    if words { Place::Words } else { Place::Code }
}

#[cfg(test)]
mod tests;
