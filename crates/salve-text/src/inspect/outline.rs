//! The structure of a text line by line, as the lexical machine sees it.
//!
//! In: a text and its language. Out: for each line how deep it starts and inside of what. Never
//! more than one pass over the text.

use super::machine::{Machine, View};
use super::stack::Kind;
use memchr::memchr_iter;
use salve_types::Language;

/// What a place in a text is inside of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Inside {
    /// Code or markup, at any depth.
    Code,
    /// A string, a comment, or another literal of free text.
    Words,
}

/// The state in which a line starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LineState {
    /// How many constructs are open.
    pub(crate) depth: usize,
    /// What the innermost one makes of the text.
    pub(crate) inside: Inside,
    /// Offset of the innermost opener, if something is open.
    pub(crate) opener: Option<usize>,
}

/// A text's structure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Outline {
    /// One state per line; none for an empty line after the last line break.
    pub(crate) lines: Vec<LineState>,
    /// The state at the end.
    pub(crate) end: LineState,
    /// The first closer without an opener.
    pub(crate) crossed: Option<usize>,
}

/// Reads the structure of a text.
pub(crate) fn outline(text: &str, language: Language) -> Outline {
    let mut machine = Machine::new(language);
    let mut lines = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    if !bytes.is_empty() {
        lines.push(state(&machine));
    }
    for next in memchr_iter(b'\n', bytes).map(|end| end + 1).chain([bytes.len()]) {
        // A construct that was read in one go may have passed the end of this line.
        if at < next {
            at = machine.run(&View { bytes, base: 0, limit: next, last: true }, at);
        }
        if next < bytes.len() {
            lines.push(state(&machine));
        }
    }
    Outline { lines, end: state(&machine), crossed: machine.crossed }
}

fn state(machine: &Machine) -> LineState {
    let deep: usize = machine.stack.runs().iter().map(|run| run.1 as usize).sum();
    let inside = match machine.stack.top() {
        Kind::Text
        | Kind::Delimited
        | Kind::LineComment
        | Kind::StarComment
        | Kind::MarkupComment
        | Kind::Regex
        | Kind::Opaque
        | Kind::Fence => Inside::Words,
        _ => Inside::Code,
    };
    LineState {
        depth: machine.stack.len() + deep,
        inside,
        opener: machine.stack.last().map(|frame| frame.offset),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t27_outline_tells_depth_and_place_of_each_line() {
        let text = "fn f() {\n    let a = \"x\n    y\";\n    g(\n        1,\n    );\n}\n";
        let outline = outline(text, Language::Rust);
        let depths: Vec<usize> = outline.lines.iter().map(|line| line.depth).collect();
        assert_eq!(depths, [0, 1, 2, 1, 2, 2, 1]);
        assert_eq!(outline.lines[2].inside, Inside::Words);
        assert_eq!(outline.lines[4].opener, text.find("(\n"));
        assert_eq!((outline.end.depth, outline.crossed), (0, None));
        assert_eq!(super::outline("}", Language::Rust).crossed, Some(0));
        assert_eq!(super::outline("", Language::Rust).lines.len(), 0);
    }
}
