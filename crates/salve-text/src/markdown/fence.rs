//! Recognises a Markdown fence; no other file does.
//!
//! In: a line, as text or bytes. Out: the fence it is, with sign, length, indentation and info
//! string, by CommonMark's rules: three signs at least, no backtick after backticks, closed only by
//! the same sign, at least as often, with nothing after it. [`Fences`] follows the fences of a text
//! that arrives line by line. Never looks past the line, and never decides what a fence is for: the
//! same line may wrap an answer, show an example of a document or be part of a string.

use salve_types::Span;

/// Three backticks, for readers that meet a fence before its line is there: the JSON parser, which
/// accepts one between any two tokens.
pub(crate) const TICKS: &str = "```";

const SHORTEST: usize = TICKS.len();

/// What may come before a fence on its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lead {
    /// Up to three spaces, as CommonMark has it.
    Margin,
    /// Any blanks: models indent a fence like the list around it, with the list sign left out.
    Blanks,
    /// Blanks and the signs of quotes and lists, for documents.
    Containers,
}

impl Lead {
    fn length(self, line: &[u8]) -> Option<usize> {
        let signs: &[u8] = match self {
            Self::Margin => b" ",
            Self::Blanks => b" \t",
            Self::Containers => b" >*-+",
        };
        let length = line.iter().take_while(|byte| signs.contains(byte)).count();
        (self != Self::Margin || length <= 3).then_some(length)
    }
}

/// A line that is a fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fence {
    /// How many bytes come before its signs.
    pub(crate) indent: usize,
    /// A backtick or a tilde.
    pub(crate) sign: u8,
    /// How many signs it has.
    pub(crate) length: usize,
    /// Where its info string is in the line, without the blanks around it.
    pub(crate) info: Span,
}

impl Fence {
    /// Reads a line; what follows a line break in it is not looked at.
    pub(crate) fn read(line: impl AsRef<[u8]>, lead: Lead) -> Option<Self> {
        let line = line.as_ref();
        let indent = lead.length(line)?;
        let sign = *line.get(indent).filter(|byte| matches!(byte, b'`' | b'~'))?;
        let length = line[indent..].iter().take_while(|&&byte| byte == sign).count();
        if length < SHORTEST {
            return None;
        }
        let rest = &line[indent + length..];
        let rest = &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())];
        // Backticks after backticks are code within a line: ```` ```x``` ````.
        if sign == b'`' && rest.contains(&b'`') {
            return None;
        }
        let start = indent + length + (rest.len() - rest.trim_ascii_start().len());
        Some(Self { indent, sign, length, info: Span::new(start, start + rest.trim_ascii().len()) })
    }

    /// Returns whether nothing follows the signs, so that the fence may close another.
    pub(crate) const fn is_bare(&self) -> bool {
        self.info.is_empty()
    }

    /// Returns the info string; `line` is the line the fence was read from.
    pub(crate) fn info<'t>(&self, line: &'t str) -> &'t str {
        line.get(self.info.range()).unwrap_or_default()
    }

    /// Returns whether this fence closes `opener`.
    pub(crate) const fn closes(&self, opener: &Self) -> bool {
        self.sign == opener.sign && self.length >= opener.length && self.is_bare()
    }

    /// Returns whether the line closes this fence, however far it is indented.
    pub(crate) fn is_closed_by(&self, line: &str) -> bool {
        Self::read(line, Lead::Blanks).is_some_and(|fence| fence.closes(self))
    }

    /// Returns a line of the content without the spaces that only indent the fence.
    pub(crate) fn content<'t>(&self, line: &'t str) -> &'t str {
        let spaces = line.bytes().take(self.indent).take_while(|byte| *byte == b' ').count();
        line.get(spaces..).unwrap_or(line)
    }
}

/// Reads one or two signs at the very end of a text: the beginning of a fence, because a line of
/// nothing else means nothing. Returns how many bytes come before them, the sign and their number.
pub(crate) fn half_fence(line: &[u8]) -> Option<(usize, u8, usize)> {
    let indent = Lead::Containers.length(line)?;
    let signs = line.get(indent..)?;
    let sign = *signs.first().filter(|byte| matches!(byte, b'`' | b'~'))?;
    let is_half = signs.len() < SHORTEST && signs.iter().all(|&byte| byte == sign);
    is_half.then_some((indent, sign, signs.len()))
}

/// What a line does to the fences of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FenceStep {
    /// It opens a fence.
    Opens(Fence),
    /// It closes the open one.
    Closes,
    /// It is content of the open one.
    Inside,
    /// No fence is open.
    Outside,
}

/// Follows the fences of a text, line by line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fences {
    lead: Lead,
    open: Option<Fence>,
}

impl Fences {
    /// Starts outside of any fence.
    pub(crate) const fn new(lead: Lead) -> Self {
        Self { lead, open: None }
    }

    /// Takes the next line.
    pub(crate) fn take(&mut self, line: &str) -> FenceStep {
        match (self.open, Fence::read(line, self.lead)) {
            (Some(open), Some(fence)) if fence.closes(&open) => {
                self.open = None;
                FenceStep::Closes
            }
            (Some(_), _) => FenceStep::Inside,
            (None, Some(fence)) => {
                self.open = Some(fence);
                FenceStep::Opens(fence)
            }
            (None, None) => FenceStep::Outside,
        }
    }
}

/// Returns whether the lines end inside a fence.
pub(crate) fn ends_inside_fence<'t>(lines: impl Iterator<Item = &'t str>, lead: Lead) -> bool {
    let mut fences = Fences::new(lead);
    for line in lines {
        fences.take(line);
    }
    fences.open.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_open_and_close_as_markdown_has_them() {
        let line = "  ````diff a.rs ";
        let fence = Fence::read(line, Lead::Margin).unwrap();
        assert_eq!((fence.indent, fence.sign, fence.length), (2, b'`', 4));
        assert_eq!(fence.info(line), "diff a.rs");
        assert!(!fence.is_closed_by("```") && fence.is_closed_by("  `````  "));
        assert!(!fence.is_closed_by("~~~~") && !fence.is_closed_by("```` x"));
        assert_eq!((fence.content("   x"), fence.content("x")), (" x", "x"));
        for line in ["``", "`` `", "```a`b", "text", "", "~~", "    ```"] {
            assert!(Fence::read(line, Lead::Margin).is_none(), "{line}");
        }
        // The info string after tildes may have backticks and tildes.
        assert!(Fence::read("~~~ aa ``` ~~~", Lead::Margin).is_some());
        assert!(Fence::read("```\r\n`x`", Lead::Margin).is_some_and(|fence| fence.is_bare()));
    }

    #[test]
    fn what_may_come_before_a_fence_is_the_callers_choice() {
        for (line, leads) in [
            ("   ```", [true, true, true]),
            ("     ```", [false, true, true]),
            ("\t```", [false, true, false]),
            ("> - ```", [false, false, true]),
        ] {
            let found = [Lead::Margin, Lead::Blanks, Lead::Containers]
                .map(|lead| Fence::read(line, lead).is_some());
            assert_eq!(found, leads, "{line:?}");
        }
    }

    #[test]
    fn the_first_signs_of_a_fence_are_known_at_the_end_of_a_text() {
        assert_eq!(half_fence(b"  ``"), Some((2, b'`', 2)));
        assert_eq!(half_fence(b"~"), Some((0, b'~', 1)));
        for line in ["", "```", "`a", "`~", "x`"] {
            assert_eq!(half_fence(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn a_text_is_followed_through_its_fences() {
        let mut fences = Fences::new(Lead::Blanks);
        let steps: Vec<String> = ["a", "~~~md", "```", "~~~x", "~~~~", "b"]
            .iter()
            .map(|line| format!("{:?}", fences.take(line)).chars().take(6).collect())
            .collect();
        assert_eq!(steps, ["Outsid", "Opens(", "Inside", "Inside", "Closes", "Outsid"]);
        assert!(fences.open.is_none());
        assert!(ends_inside_fence("```\na".lines(), Lead::Margin));
    }
}
