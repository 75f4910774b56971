//! Weighs everything that was observed and says whether the text is whole.
//!
//! In: the machine at the end, the sentinel, the provider's reason for stopping. Out: the verdict
//! with all its evidence. Never lets a weak observation decide alone, and never hides one.

use super::closing::{Ending, broken_string, ending};
use super::half::End;
use super::reader::Read;
use super::ruby::ends_at_margin;
use super::tail::{Unfinished, unfinished};
use super::{InspectOptions, SentinelRule, weights};
use crate::sentinel::{ending_sentinel, sentinel_line};
use salve_types::{
    ErrorType, Evidence, EvidenceSource, FinishReason, Language, OpenConstruct, OpenKind, Position,
    Span, TruncationKind, Verdict,
};

const MISSING_SENTINEL: &str = "AI output missing completion sentinel - likely truncated";
/// How near the end an open string must start for the short message.
const WINDOW: u32 = 5;

/// Whether a stage before the inspector saw the sentinel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    /// No stage before looked for it.
    Unknown,
    /// The cleaner saw it at the end and took it away.
    Removed,
}

/// Concludes from what was read.
pub(super) fn conclude(read: &Read<'_>, options: &InspectOptions, seen: Seen) -> Verdict {
    let mut case = Case::collect(read, options, seen);
    case.decide(read, options);
    case.verdict
}

/// Turns a verdict into a cut, because the reply ended before its answer began.
pub(super) fn fail_in_thinking(verdict: &mut Verdict, raw: &str) {
    verdict.is_valid = false;
    verdict.error_type = Some(ErrorType::TruncationDetected);
    verdict.kind = Some(TruncationKind::GeneralTruncation);
    verdict.error_message = Some("The reply ends inside its thinking; no answer began".to_owned());
    verdict.truncation_line = Some(u32::try_from(raw.trim().lines().count()).unwrap_or(u32::MAX));
    verdict.confidence = weights::IN_THINKING;
}

// Everything known before the decision.
struct Case {
    verdict: Verdict,
    sentinel: bool,
    sentinel_demanded: bool,
    proven_whole: bool,
    unfinished: Option<Unfinished>,
    crossed: bool,
}

impl Case {
    fn collect(read: &Read<'_>, options: &InspectOptions, seen: Seen) -> Self {
        let language = read.machine.rules.language;
        let tail = readable(read.tail);
        let mark =
            (options.sentinel != SentinelRule::None).then_some(options.sentinel_mark.as_str());
        let sentinel = mark.and_then(|mark| match seen {
            Seen::Removed => Some(Span::new(tail.len(), tail.len())),
            Seen::Unknown => ending_sentinel(tail, mark),
        });
        let body_end = sentinel.map_or(tail.len(), |span| span.start);
        let Ending { mut open, mut closing } =
            ending(&read.machine, End { tail: read.tail, len: read.len });
        if language == Language::Ruby && ends_at_margin(read, &tail[..body_end], &open) {
            open.clear();
            closing.clear();
        }
        let proof = sentinel.is_some() || options.finish_reason == Some(FinishReason::Stop);
        let lone = if language == Language::Text && !proof {
            weak_quote(read, &tail[..body_end])
        } else {
            broken_near_end(read, &tail[..body_end], &open)
        };
        if let Some(construct) = lone {
            closing.insert_str(0, &construct.closer);
            open.push(construct);
        }
        let mut unfinished = if open.is_empty() || only_tries(read, sentinel, &open) {
            unfinished(read, body_end)
        } else {
            None
        };
        // The sentinel says that the model ended here: then the head of a block is not a cut.
        let block = unfinished.as_mut().and_then(|found| found.block.take());
        if let Some(block) = block.filter(|_| sentinel.is_none()) {
            push_block(block, &mut open, &mut closing);
        }
        let json_root =
            language == Language::Json && open.is_empty() && unfinished.is_none() && read.lines > 0;
        let mut case = Self {
            verdict: Verdict {
                is_valid: true,
                error_type: None,
                error_message: None,
                truncation_line: None,
                kind: None,
                opened_at_line: None,
                open,
                closing,
                confidence: weights::WHOLE,
                evidence: Vec::new(),
                language,
            },
            sentinel: sentinel.is_some(),
            sentinel_demanded: options.sentinel == SentinelRule::Required
                && sentinel_line(language, &options.sentinel_mark).is_some(),
            proven_whole: sentinel.is_some() || json_root,
            unfinished,
            crossed: read.machine.rules.strict && read.machine.crossed.is_some(),
        };
        case.note_sentinel(read, sentinel, options);
        case.note_lexer(read, json_root);
        case.note_finish_reason(options);
        case
    }

    fn decide(&mut self, read: &Read<'_>, options: &InspectOptions) {
        let innermost = innermost(&self.verdict.open).cloned();
        let ended =
            if self.sentinel { ErrorType::SyntaxError } else { ErrorType::TruncationDetected };
        let stopped = options.finish_reason.as_ref().is_some_and(FinishReason::is_early);
        if let Some(construct) = innermost {
            let kind = kind_of(construct.kind, self.verdict.language);
            let (words, sure) = match self.unfinished.take() {
                Some(found) => (found.message, found.weight),
                None => (message_of(&construct, read.last_line), weights::OPEN_CONSTRUCT),
            };
            self.fail(read, ended, kind, words, sure);
            self.verdict.opened_at_line = Some(construct.line);
        } else if self.crossed {
            let words = "A closing bracket does not fit the bracket that is open".to_owned();
            self.fail(
                read,
                ErrorType::SyntaxError,
                TruncationKind::UnbalancedBraces,
                words,
                weights::BROKEN_STRUCTURE,
            );
        } else if let Some(found) = self.unfinished.take().filter(|_| !self.sentinel) {
            self.fail(read, ended, found.kind, found.message, found.weight);
        } else if self.verdict.language == Language::Json && read.lines == 0 {
            let words = "The text ends before its JSON value begins".to_owned();
            let outer = ErrorType::TruncationDetected;
            self.fail(
                read,
                outer,
                TruncationKind::GeneralTruncation,
                words,
                weights::BROKEN_STRUCTURE,
            );
        } else if stopped && !self.proven_whole {
            let words = "The provider stopped the output before the model ended it".to_owned();
            let outer = ErrorType::TruncationDetected;
            self.fail(read, outer, TruncationKind::GeneralTruncation, words, weights::SAYS_CUT);
        }
        if self.sentinel_demanded && !self.sentinel {
            let kind = self.verdict.kind.unwrap_or(TruncationKind::GeneralTruncation);
            let outer = ErrorType::TruncationDetected;
            self.fail(read, outer, kind, MISSING_SENTINEL.to_owned(), weights::SENTINEL);
        }
        if self.verdict.is_valid {
            self.verdict.confidence = self.trust(options);
        }
    }

    fn fail(
        &mut self,
        read: &Read<'_>,
        outer: ErrorType,
        kind: TruncationKind,
        words: String,
        sure: f64,
    ) {
        self.verdict.is_valid = false;
        self.verdict.error_type = Some(outer);
        self.verdict.error_message = Some(words);
        self.verdict.kind = Some(kind);
        self.verdict.truncation_line = Some(read.lines);
        self.verdict.confidence = if self.verdict.language == Language::Text {
            sure.min(weights::MOST_IN_WORDS)
        } else {
            sure
        };
    }

    // How far a text without faults may be believed.
    fn trust(&self, options: &InspectOptions) -> f64 {
        if self.proven_whole {
            weights::PROVEN_WHOLE
        } else if options.finish_reason == Some(FinishReason::Stop) {
            weights::WHOLE_AND_ENDED
        } else if self.verdict.language == Language::Text {
            weights::WHOLE_WORDS
        } else {
            weights::WHOLE
        }
    }

    fn note(
        &mut self,
        source: EvidenceSource,
        code: &str,
        message: &str,
        cut: bool,
        weight: f64,
    ) -> &mut Evidence {
        let (code, message) = (code.to_owned(), message.to_owned());
        self.verdict.evidence.push(Evidence { source, code, message, cut, weight, span: None });
        let last = self.verdict.evidence.len() - 1;
        &mut self.verdict.evidence[last]
    }

    fn note_sentinel(&mut self, read: &Read<'_>, found: Option<Span>, options: &InspectOptions) {
        let source = EvidenceSource::Sentinel;
        match (found, options.sentinel) {
            (Some(span), _) => {
                let start = read.len - read.tail.len();
                let words = "The completion sentinel is the last line";
                let evidence =
                    self.note(source, "sentinel_present", words, false, weights::SENTINEL);
                evidence.span = Some(Span::new(start + span.start, start + span.end));
            }
            (None, SentinelRule::None) => {}
            (None, _) if self.verdict.language == Language::Json => {}
            (None, SentinelRule::Required) => {
                self.note(source, "sentinel_missing", MISSING_SENTINEL, true, weights::SENTINEL);
            }
            (None, SentinelRule::Optional) => {
                let words = "The text does not end with the completion sentinel";
                self.note(source, "sentinel_missing", words, true, weights::NO_OPTIONAL_SENTINEL);
            }
        }
    }

    fn note_lexer(&mut self, read: &Read<'_>, json_root: bool) {
        let source = EvidenceSource::Lexer;
        for construct in self.verdict.open.clone().iter().rev().take(16) {
            let code = format!("open_{}", name_of(construct.kind));
            let message = message_of(construct, read.last_line);
            let evidence = self.note(source, &code, &message, true, weights::OPEN_CONSTRUCT);
            evidence.span = Some(Span::new(construct.offset, read.len));
        }
        if json_root {
            self.note(
                source,
                "root_closed",
                "The root value has its end",
                false,
                weights::ROOT_CLOSED,
            );
        } else if self.verdict.open.is_empty() && self.verdict.language != Language::Text {
            self.note(
                source,
                "nothing_open",
                "Every construct that was opened is closed",
                false,
                weights::NOTHING_OPEN,
            );
        }
        if let Some(offset) = read.machine.crossed {
            let weight =
                if self.crossed { weights::BROKEN_STRUCTURE } else { weights::CROSSED_LOOSELY };
            let words = "A closing bracket does not fit the bracket that is open";
            let evidence = self.note(source, "crossed_brackets", words, true, weight);
            evidence.span = Some(Span::new(offset, offset + 1));
        }
        if let Some((frame, end)) = &read.machine.broken {
            let words = "A string that ends with its line has no closing quote";
            let evidence = self.note(source, "broken_string", words, true, weights::BROKEN_STRING);
            evidence.span = Some(Span::new(frame.offset, *end));
        }
        if read.machine.stack.overflowed {
            let words = "Nesting is deeper than is kept: the closing text is not complete";
            self.note(source, "depth_limit", words, true, weights::BROKEN_STRUCTURE);
        }
        if let Some(found) = &self.unfinished {
            let (message, weight, span) = (found.message.clone(), found.weight, found.span);
            let source = EvidenceSource::Heuristic;
            let evidence = self.note(source, "unfinished_statement", &message, true, weight);
            evidence.span = Some(span);
        }
    }

    fn note_finish_reason(&mut self, options: &InspectOptions) {
        let Some(reason) = &options.finish_reason else { return };
        let (cut, weight, words) = match reason {
            FinishReason::Stop => {
                (false, weights::SAYS_ENDED, "The provider says that the model ended its answer")
            }
            FinishReason::ToolCalls => {
                (false, weights::SAYS_TOOL, "The provider says that the model asked for a tool")
            }
            FinishReason::Length => {
                (true, weights::SAYS_CUT, "The provider says that the output limit was reached")
            }
            FinishReason::Disconnect => {
                (true, weights::SAYS_CUT, "The connection broke before an end was announced")
            }
            FinishReason::ContentFilter => {
                (true, weights::SAYS_FILTERED, "The provider says that a filter ended the answer")
            }
            _ => (true, weights::SAYS_UNKNOWN, "The provider gave a reason that is not known"),
        };
        let code = format!(
            "finish_reason_{}",
            reason.name().to_ascii_lowercase().replace([' ', '-'], "_")
        );
        self.note(EvidenceSource::FinishReason, &code, words, cut, weight);
    }
}

/// Returns the tail as text; it begins and ends with whole characters.
pub(super) fn readable(tail: &[u8]) -> &str {
    std::str::from_utf8(tail).unwrap_or_default()
}

// A one-line string that its line end broke is open when nothing but blank lines follows it, and
// an error when it is in the last lines of a text in which nothing else is open.
fn broken_near_end(read: &Read<'_>, body: &str, open: &[OpenConstruct]) -> Option<OpenConstruct> {
    let (frame, end) = read.machine.broken.as_ref()?;
    let tail_start = read.len - read.tail.len();
    let rest = end.checked_sub(tail_start).and_then(|at| body.get(at..));
    let last = rest.is_some_and(|rest| rest.trim().is_empty());
    let near = read.last_line.saturating_sub(frame.line) < WINDOW && open.is_empty();
    (last || near).then(|| broken_string(&read.machine, frame))
}

// Python's `try` blocks are around the last statement; nothing else that is open is.
fn only_tries(read: &Read<'_>, sentinel: Option<Span>, open: &[OpenConstruct]) -> bool {
    let tries = read.machine.habits.tries.len();
    sentinel.is_none() && tries > 0 && tries == open.len()
}

// A block without a body is the innermost; a `try` that is the head itself is one block, not two.
fn push_block(mut block: OpenConstruct, open: &mut Vec<OpenConstruct>, closing: &mut String) {
    if !open.is_empty() {
        block.closer.push('\n');
    }
    closing.insert_str(0, &block.closer);
    match open.last_mut().filter(|last| last.offset == block.offset) {
        Some(head) => head.closer.insert_str(0, &block.closer),
        None => open.push(block),
    }
}

// In no known language only a lone quote is a sign, and it does not count against another proof.
fn weak_quote(read: &Read<'_>, body: &str) -> Option<OpenConstruct> {
    let (at, kind) = super::weak::lone_quote(body)?;
    let place = Position::of(body, at);
    let below = Position::of(body, body.trim_end().len()).line - place.line;
    Some(OpenConstruct {
        kind,
        line: read.last_line.saturating_sub(below),
        column: place.column,
        offset: read.len - read.tail.len() + at,
        closer: if kind == OpenKind::DoubleQuote { "\"" } else { "'" }.to_owned(),
    })
}

// Preprocessor blocks surround whole files: what is open besides them says more.
fn innermost(open: &[OpenConstruct]) -> Option<&OpenConstruct> {
    open.iter().rev().find(|one| !one.closer.contains("#endif")).or_else(|| open.last())
}

fn kind_of(kind: OpenKind, language: Language) -> TruncationKind {
    match kind {
        OpenKind::DoubleQuote => TruncationKind::OpenDoubleQuote,
        OpenKind::SingleQuote => TruncationKind::OpenSingleQuote,
        OpenKind::Template => TruncationKind::OpenTemplateLiteral,
        OpenKind::Heredoc => TruncationKind::OpenHeredoc,
        OpenKind::Regex => TruncationKind::OpenRegex,
        OpenKind::Comment => TruncationKind::OpenComment,
        OpenKind::Tag => TruncationKind::OpenJsxTag,
        OpenKind::Element => TruncationKind::OpenElement,
        OpenKind::Block => TruncationKind::OpenBlock,
        OpenKind::Fence => TruncationKind::OpenFence,
        _ if language == Language::Json => TruncationKind::OpenJson,
        _ => TruncationKind::UnbalancedBraces,
    }
}

const fn name_of(kind: OpenKind) -> &'static str {
    match kind {
        OpenKind::DoubleQuote => "double_quote",
        OpenKind::SingleQuote => "single_quote",
        OpenKind::Template => "template",
        OpenKind::Heredoc => "heredoc",
        OpenKind::Regex => "regex",
        OpenKind::Comment => "comment",
        OpenKind::Tag => "tag",
        OpenKind::Element => "element",
        OpenKind::Brace => "brace",
        OpenKind::Paren => "paren",
        OpenKind::Bracket => "bracket",
        OpenKind::Block => "block",
        _ => "fence",
    }
}

fn message_of(construct: &OpenConstruct, last_line: u32) -> String {
    let near = last_line.saturating_sub(construct.line) < WINDOW;
    let line = construct.line;
    match construct.kind {
        OpenKind::DoubleQuote if near => {
            "Unterminated double-quote string in last 5 lines".to_owned()
        }
        OpenKind::SingleQuote if near => {
            "Unterminated single-quote string in last 5 lines".to_owned()
        }
        OpenKind::DoubleQuote => format!("Unterminated double-quote string from line {line}"),
        OpenKind::SingleQuote => format!("Unterminated single-quote string from line {line}"),
        OpenKind::Template => format!("Unterminated template or raw string from line {line}"),
        OpenKind::Heredoc => format!("Unterminated here-document from line {line}"),
        OpenKind::Regex => format!("Unterminated regular expression from line {line}"),
        OpenKind::Comment => format!("Unterminated comment from line {line}"),
        OpenKind::Tag => format!("Unterminated tag from line {line}"),
        OpenKind::Element => format!("Element from line {line} has no end tag"),
        OpenKind::Block => format!("Block from line {line} has no end"),
        OpenKind::Fence => format!("Code fence from line {line} is not closed"),
        _ => format!("Unbalanced brackets: the one opened on line {line} is not closed"),
    }
}
