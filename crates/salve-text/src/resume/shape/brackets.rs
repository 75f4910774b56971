//! Indentation where brackets, tags or words open and close.
//!
//! In: the lines of a joined text with their states. Out: notes in the shape: a line that starts
//! with a closer stands where the line of its opener stands, a statement stands where its sisters
//! in the same bracket do, a comment's stars stand in a column. Never counts lines in the middle of
//! a statement, which people align as they like.

use super::super::lines::{indent_of, lines, width};
use super::{MEASURED, Shape, indent_at, is_behind, step_of};
use crate::inspect::{Inside, LineState};
use salve_types::Language;

// The weight of a closer that stands wrong, of a statement, and of the first line behind the seam.
const CLOSER: f32 = 6.0;
const SISTER: f32 = 2.0;
const FIRST: f32 = 8.0;
// The weight of a line at the margin, and of one that has no sister to compare with.
const MARGIN: f32 = 4.0;
const LOOSE: f32 = 0.5;

/// Measures the lines behind the seam against the ones before it.
pub(super) fn measure(
    joined: &str,
    seam: usize,
    language: Language,
    states: &[LineState],
    shape: &mut Shape,
) {
    let step = step_of(&joined[..seam]);
    let mut ruler =
        Ruler { joined, seam, step, sisters: Vec::new(), stars: None, shallowest: usize::MAX };
    let mut measured = 0;
    let mut ended = true;
    for (line, state) in lines(joined).zip(states) {
        let text = line.of(joined);
        let bare = text.trim();
        if bare.is_empty() {
            continue;
        }
        let behind = is_behind(joined, line, seam);
        measured += usize::from(behind);
        if measured > MEASURED {
            break;
        }
        let first = behind && measured == 1;
        let own = width(indent_of(text));
        if state.inside == Inside::Words {
            ruler.star(shape, bare, own, *state, behind);
            ended = bare.ends_with("*/") || bare.ends_with("-->") || ended;
            continue;
        }
        ruler.code(shape, bare, own, *state, (behind, first, ended));
        ended = ends_statement(bare, language);
    }
}

struct Ruler<'a> {
    joined: &'a str,
    seam: usize,
    step: i32,
    // The indentations of statements seen in each bracket that is open.
    sisters: Vec<Vec<i32>>,
    // The column of the stars in the comment that is open.
    stars: Option<(usize, i32)>,
    // The least depth behind the seam: what is deeper was opened there.
    shallowest: usize,
}

impl Ruler<'_> {
    // The stars of a comment stand below each other, one column behind its opener if no other one
    // shows where.
    fn star(&mut self, shape: &mut Shape, bare: &str, own: i32, state: LineState, behind: bool) {
        let Some(opener) = state.opener.filter(|&at| at < self.seam) else { return };
        if !bare.starts_with('*') || !self.joined[opener..].starts_with("/*") {
            return;
        }
        let known = self.stars.filter(|(at, _)| *at == opener).map(|(_, column)| column);
        if behind {
            let expected = known.unwrap_or_else(|| indent_at(self.joined, opener) + 1);
            shape.note(own - expected, SISTER);
        } else {
            self.stars = Some((opener, own));
        }
    }

    fn code(
        &mut self,
        shape: &mut Shape,
        bare: &str,
        own: i32,
        state: LineState,
        (behind, first, ended): (bool, bool, bool),
    ) {
        let depth = state.depth;
        let opener = state.opener.filter(|&at| at < self.seam);
        if behind {
            self.shallowest = self.shallowest.min(depth);
        }
        self.sisters.truncate(depth + 1);
        if closes(bare, &self.joined[state.opener.unwrap_or(self.joined.len())..]) {
            if behind && let Some(opener) = opener {
                shape.note(own - indent_at(self.joined, opener), CLOSER);
            }
            return;
        }
        if !ended {
            return;
        }
        self.sisters.resize(depth + 1, Vec::new());
        if !behind {
            self.sisters[depth].push(own);
        } else if depth <= self.shallowest && (opener.is_some() || state.opener.is_none()) {
            self.compare(shape, own, depth, opener, first);
        }
    }
}

impl Ruler<'_> {
    // A column that some of the sisters have is neither right nor wrong.
    fn compare(
        &self,
        shape: &mut Shape,
        own: i32,
        depth: usize,
        opener: Option<usize>,
        first: bool,
    ) {
        let sisters = &self.sisters[depth];
        let same = sisters.iter().filter(|&&sister| sister == own).count();
        let Some(&last) = sisters.last() else {
            if let Some(opener) = opener {
                let expected = indent_at(self.joined, opener) + self.step;
                shape.note(own - expected, if first { SISTER } else { LOOSE });
            }
            return;
        };
        let weight = match (first, depth) {
            (true, _) => FIRST,
            // What stands at the margin of a file rarely stands anywhere else.
            (false, 0) if sisters.iter().all(|&sister| sister == last) => MARGIN,
            _ => SISTER,
        };
        if same == 0 {
            shape.note(own - last, weight);
        } else if same * 4 >= sisters.len() {
            shape.note(0, weight);
        }
    }
}

// Whether a line starts with what closes the innermost construct.
fn closes(bare: &str, opened: &str) -> bool {
    if bare.starts_with("</") {
        return opened.starts_with('<');
    }
    if bare.starts_with(['}', ']', ')']) {
        return opened.starts_with(['{', '[', '(']) || opened.starts_with(['$', '#']);
    }
    let word = bare.split(|sign: char| !sign.is_alphanumeric()).next().unwrap_or_default();
    matches!(word, "fi" | "done" | "esac" | "end" | "else" | "elif" | "rescue" | "ensure")
        && opened.starts_with(|sign: char| sign.is_alphabetic())
}

// Whether the next line starts a statement of its own.
fn ends_statement(bare: &str, language: Language) -> bool {
    match language {
        Language::Html => bare.ends_with('>'),
        Language::Bash | Language::Ruby | Language::Yaml | Language::Toml | Language::Go => {
            !bare.ends_with(['\\', '|', '&', '(', '[', '+', '-', '=', '.'])
        }
        Language::Tsx | Language::Jsx => bare.ends_with([';', '{', '}', ',', '>']),
        _ => bare.ends_with([';', '{', '}', ',']) || bare.starts_with("//"),
    }
}
