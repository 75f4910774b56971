//! What a chat reply puts around a continuation: talk, fences, the sentinel.
//!
//! In: the continuation and where the partial text stopped. Out: the span of the content and every
//! span that was set aside, with its reason. Never removes from the middle of the content.

use super::stitch::{DropReason, Place};
use crate::inspect::{Inside, outline};
use crate::lines::{Line, last_line_start, lines};
use crate::markdown::{Fence, Lead, ends_inside_fence};
use crate::prose::{self, Talk};
use salve_types::{Language, Span};

/// The content of a continuation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unwrapped {
    /// Where the content is.
    pub(crate) content: Span,
    /// What was set aside, in order.
    pub(crate) dropped: Vec<(Span, DropReason)>,
    /// Whether line breaks between an announcement and the content were set aside: then no one
    /// knows whether one of them was content.
    pub(crate) loose_start: bool,
    /// The language the opening fence named, if it named one.
    pub(crate) label: Option<Language>,
}

/// Finds the content of `continuation`.
pub(crate) fn unwrap(
    continuation: &str,
    partial: &str,
    place: Place,
    language: Language,
    mark: &str,
) -> Unwrapped {
    let mut found = Unwrapped {
        content: Span::new(0, continuation.len()),
        dropped: Vec::new(),
        loose_start: false,
        label: None,
    };
    let wrapper = Wrapper { text: continuation, partial, place, language };
    let fence = wrapper.drop_start(&mut found);
    wrapper.drop_end(&mut found, fence);
    wrapper.drop_sentinel(&mut found, mark);
    found.dropped.sort_by_key(|(span, _)| span.start);
    found
}

struct Wrapper<'a> {
    text: &'a str,
    partial: &'a str,
    place: Place,
    language: Language,
}

impl Wrapper<'_> {
    // Sets aside talk and an opening fence; returns the fence.
    fn drop_start(&self, found: &mut Unwrapped) -> Option<Fence> {
        let mut at = self.skip_thoughts(found);
        let mut announced = false;
        let mut to_fence = false;
        let base = at;
        for line in lines(&self.text[base..]).map(|line| moved(line, base)).take(16) {
            let words = line.of(self.text);
            if words.trim().is_empty() {
                continue;
            }
            if let Some(fence) = fence_of(words)
                && self.is_wrapping_fence(line, announced)
            {
                push(found, at, line.start, DropReason::Preamble, self.text);
                found.dropped.push((Span::new(line.start, line.next), DropReason::Fence));
                found.content.start = line.next;
                found.loose_start = false;
                let name = fence.info(words).split([' ', ',', '{']).next();
                found.label = name.and_then(Language::from_name);
                return Some(fence);
            }
            if is_prompt_header(words) {
                found.dropped.push((Span::new(at, line.next), DropReason::PromptEcho));
                at = line.next;
                found.content.start = at;
            } else if self.is_talk(words, announced) {
                announced = true;
                push(found, at, line.next, DropReason::Preamble, self.text);
                at = line.next;
                found.content.start = at;
            } else if to_fence || self.talk_before_fence(line) {
                to_fence = true;
            } else {
                break;
            }
        }
        if announced && found.content.start > 0 {
            self.drop_separator(found);
        }
        None
    }

    // One empty line parts an announcement from what it announces.
    fn drop_separator(&self, found: &mut Unwrapped) {
        let rest = &self.text[found.content.start..];
        let blank = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n'));
        if let Some(after) = blank {
            let end = self.text.len() - after.len();
            found.dropped.push((Span::new(found.content.start, end), DropReason::Preamble));
            found.content.start = end;
        }
        found.loose_start = true;
    }

    fn skip_thoughts(&self, found: &mut Unwrapped) -> usize {
        let lead = self.text.len() - self.text.trim_start().len();
        for tag in ["think", "thinking", "reasoning"] {
            let Some(body) = self.text[lead..].strip_prefix(&format!("<{tag}>")) else { continue };
            let Some(at) = body.find(&format!("</{tag}>")) else { continue };
            let close = self.text.len() - body.len() + at + tag.len() + 3;
            let blank = self.text[close..].len()
                - self.text[close..].trim_start_matches(['\n', '\r']).len();
            found.dropped.push((Span::new(0, close + blank), DropReason::Preamble));
            found.content.start = close + blank;
            return close + blank;
        }
        0
    }

    fn is_talk(&self, line: &str, announced: bool) -> bool {
        // What starts with the line that was cut is that line.
        let half = self.partial[last_line_start(self.partial)..].trim();
        if half.len() > 2 && line.trim_start().starts_with(half) {
            return false;
        }
        match self.place {
            Place::Code => {
                prose::announcement(line) != Talk::No
                    || (announced
                        && line.starts_with(|sign: char| sign.is_uppercase() || sign == '*')
                        && is_prose(line)
                        && line.trim_end().ends_with([':', '.', '!']))
            }
            // Sentences are content here; only what speaks about continuing is not, or what would
            // start a sentence in the middle of a word.
            Place::Words => {
                let inside_word = self.partial.ends_with(|sign: char| sign.is_alphanumeric());
                let starts_sentence = inside_word && line.starts_with(char::is_uppercase);
                let enough = if starts_sentence { Talk::Perhaps } else { Talk::Surely };
                prose::announcement(line) >= enough
            }
        }
    }

    // Whether everything from here to a fence in sight is sentences.
    fn talk_before_fence(&self, from: Line) -> bool {
        // Where sentences are content, only an announcement right above the fence is none.
        let words = self.place == Place::Words;
        let announces = prose::announcement(from.of(self.text)) != Talk::No;
        if words && !(announces && super::seam::is_mid_line(self.partial)) {
            return false;
        }
        for line in lines(&self.text[from.start..]).take(if words { 3 } else { 8 }) {
            let words = line.of(&self.text[from.start..]);
            if fence_of(words).is_some() {
                return true;
            }
            // "Continuation:" announces with one word.
            let is_announcement = announces && line.start == 0;
            if !words.trim().is_empty() && !is_announcement && !is_prose(words) {
                return false;
            }
        }
        false
    }

    // A fence that starts a continuation is a wrapper in code. Where the cut text holds fences of
    // its own it is one only if it closes at the very end, or never.
    fn is_wrapping_fence(&self, opener: Line, announced: bool) -> bool {
        // After a line that has begun, a fence would not even start a line.
        let inside_line = super::seam::is_mid_line(self.partial);
        let half = self.partial[last_line_start(self.partial)..].trim();
        if inside_line && !half.starts_with(['`', '~']) {
            return true;
        }
        if self.place == Place::Words && self.has_fence_of_its_own(opener.of(self.text)) {
            return false;
        }
        if inside_line || (self.place == Place::Code && self.language != Language::Markdown) {
            return true;
        }
        let Some(fence) = fence_of(opener.of(self.text)) else { return false };
        let labelled = !is_bare_fence(opener.of(self.text));
        let rest = &self.text[opener.next..];
        let closers = lines(rest).filter(|line| closes(line.of(rest), fence)).count();
        let last = lines(rest).filter(|line| closes(line.of(rest), fence)).last();
        let ends_closed = last.is_some_and(|line| self.only_talk(&rest[line.next..]));
        let odd = (ends_closed && closers % 2 == 1) || closers == 0;
        odd && (labelled || announced || self.language != Language::Markdown)
    }

    // Whether the partial text has an open fence that this one would close, or shows the very line
    // near its end, so that it is an echo.
    fn has_fence_of_its_own(&self, opener: &str) -> bool {
        let opener = opener.trim();
        let mut last = self.partial.lines().rev().take(8).map(str::trim);
        let echoed = last.any(|line| line.len() >= 3 && opener.starts_with(line));
        echoed || (is_bare_fence(opener) && ends_inside_fence(self.partial.lines(), Lead::Blanks))
    }

    // Sets aside the closing fence and the talk after it.
    fn drop_end(&self, found: &mut Unwrapped, fence: Option<Fence>) {
        let content = &self.text[found.content.range()];
        let base = found.content.start;
        let closers: Vec<Line> = lines(content)
            .filter(|line| match fence {
                Some(fence) => closes(line.of(content), fence),
                None => is_bare_fence(line.of(content)),
            })
            .map(|line| moved(line, base))
            .collect();
        let chosen = match (fence, self.language) {
            (Some(_), Language::Markdown) => closers.last(),
            (Some(_), _) => closers
                .iter()
                .find(|line| self.only_talk(&self.text[line.next..]))
                .or(closers.last()),
            (None, _) => closers
                .last()
                .filter(|line| self.is_stray_fence(&self.text[base..line.start]))
                .filter(|line| self.only_talk(&self.text[line.next..])),
        };
        if let Some(line) = chosen.copied() {
            found.dropped.push((Span::new(line.start, line.next), DropReason::Fence));
            push(found, line.next, self.text.len(), DropReason::Trailer, self.text);
            found.content.end = line.start;
        } else if self.place == Place::Code && self.language != Language::Markdown {
            self.drop_farewell(found);
        }
    }

    // Without an opening fence, a closing one is a leftover unless the texts need it themselves.
    fn is_stray_fence(&self, content: &str) -> bool {
        !ends_inside_fence(self.partial.lines().chain(content.lines()), Lead::Margin)
    }

    fn only_talk(&self, after: &str) -> bool {
        after.lines().all(|line| {
            let line = line.trim();
            line.is_empty() || is_prose(line) || prose::is_farewell(line)
        })
    }

    // Talk at the end without any fence: a last paragraph of sentences that says goodbye.
    fn drop_farewell(&self, found: &mut Unwrapped) {
        let content = &self.text[found.content.range()];
        let trimmed = content.trim_end();
        let Some(gap) = trimmed.rfind("\n\n") else { return };
        let last = &trimmed[gap + 2..];
        let all_prose = last.lines().all(is_prose) && !last.starts_with([' ', '\t']);
        // Inside a comment or a string the sentences are content.
        let before = format!("{}{}", self.partial, &content[..gap + 2]);
        if outline(&before, self.language).end.inside == Inside::Words {
            return;
        }
        if last.lines().next().is_some_and(prose::is_farewell) && all_prose {
            let start = found.content.start + gap + 1;
            found.dropped.push((Span::new(start, found.content.end), DropReason::Trailer));
            found.content.end = start;
        }
    }

    fn drop_sentinel(&self, found: &mut Unwrapped, mark: &str) {
        let content = &self.text[found.content.range()];
        let Some(span) = crate::sentinel::ending_sentinel(content, mark) else { return };
        let base = found.content.start;
        found.dropped.push((Span::new(base + span.start, found.content.end), DropReason::Sentinel));
        found.content.end = base + span.start;
    }
}

fn push(found: &mut Unwrapped, start: usize, end: usize, reason: DropReason, text: &str) {
    if !text[start..end].trim().is_empty() {
        found.dropped.push((Span::new(start, end), reason));
    } else if start < end {
        found.dropped.push((Span::new(start, end), DropReason::LineBreak));
    }
}

fn moved(line: Line, by: usize) -> Line {
    Line { start: line.start + by, end: line.end + by, next: line.next + by }
}

// Whether a line repeats a header of the resume prompt.
fn is_prompt_header(line: &str) -> bool {
    let line = line.trim().trim_matches(['*', '`', '#', ' ']);
    line.starts_with("[HEALER_MODE") || line.starts_with("[CONTINUATION_MODE")
}

fn is_prose(line: &str) -> bool {
    prose::by_looks(line) != Talk::No
}

fn fence_of(line: &str) -> Option<Fence> {
    Fence::read(line, Lead::Margin)
}

fn is_bare_fence(line: &str) -> bool {
    fence_of(line).is_some_and(|fence| fence.is_bare())
}

fn closes(line: &str, fence: Fence) -> bool {
    fence_of(line).is_some_and(|found| found.closes(&fence))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(text: &str) -> &str {
        let found = unwrap(text, "fn f() {\n", Place::Code, Language::Rust, crate::DEFAULT_MARK);
        let covered: usize = found.dropped.iter().map(|(span, _)| span.len()).sum();
        assert_eq!(
            covered + found.content.len(),
            text.len(),
            "every byte is accounted for: {found:?}"
        );
        &text[found.content.range()]
    }

    #[test]
    fn t27_fences_talk_and_sentinels_are_set_aside() {
        for (text, expected) in [
            ("    a();\n}\n", "    a();\n}\n"),
            ("```rust\n    a();\n}\n```\n", "    a();\n}\n"),
            ("```\n    a();\n}\n```", "    a();\n}\n"),
            ("Sure, continuing:\n\n```rust\n    a();\n}\n```\n\nLet me know!\n", "    a();\n}\n"),
            ("Sure, continuing:\n\n    a();\n}\n", "    a();\n}\n"),
            ("Here is the rest:\n    a();\n}\n", "    a();\n}\n"),
            ("[HEALER_MODE: AUTO_RESUME]\n    a();\n}\n", "    a();\n}\n"),
            ("    a();\n}\n```\n", "    a();\n}\n"),
            ("    a();\n}\n\nThis completes the function.\n", "    a();\n}\n"),
            ("    a();\n}\n// --- VIBECODER_COMPLETE ---\n", "    a();\n}\n"),
            ("```rust\n    a();\n}\n// --- VIBECODER_COMPLETE ---\n```\n", "    a();\n}\n"),
            ("<think>where was I</think>\n    a();\n}\n", "    a();\n}\n"),
            ("The function body goes on like this\n\n~~~rust\n    a();\n}\n~~~\n", "    a();\n}\n"),
            ("", ""),
            ("```", ""),
        ] {
            assert_eq!(content(text), expected, "{text:?}");
        }
    }
}
