//! Indentation where brackets, tags or words open and close.
//!
//! In: the lines of a joined text with their states. Out: notes in the shape: a line that starts
//! with a closer is where the line of its opener is; the lines directly inside a bracket
//! are no less deep after the seam than before it, and some are just as deep. Never compares
//! single lines of a statement, which people align as they like.

use super::super::weights;
use super::{MEASURED, Shape, indent_at, is_behind, step_of};
use crate::inspect::{Inside, LineState};
use crate::lines::{indent_of, lines, width};
use salve_types::Language;

/// Measures the lines after the seam against the ones before it.
pub(super) fn measure(
    joined: &str,
    seam: usize,
    language: Language,
    states: &[LineState],
    shape: &mut Shape,
) {
    let step = step_of(joined);
    let line_end = joined[seam..].find('\n').map_or(joined.len(), |at| seam + at);
    // A line of which the partial text has no sign belongs to the continuation alone.
    let mid_line = super::super::seam::is_mid_line(&joined[..seam]);
    let seam_line_end = if mid_line { line_end } else { seam };
    let starts = lines(joined).map(|line| line.start).collect();
    let mut ruler = Ruler {
        joined,
        states,
        starts,
        step,
        levels: Vec::new(),
        own_line_braces_move: false,
        directives: Some(0),
        sister_expected: false,
        closers_fit: true,
        seam_line_end,
        done: Vec::new(),
    };
    ruler.sister_expected = joined[..seam].ends_with('\n') && ruler.is_sister_expected(seam);
    let mut measured = 0;
    let mut continued = false;
    for (line, state) in lines(joined).zip(states) {
        let text = line.of(joined);
        let bare = text.trim();
        let preprocessed = matches!(language, Language::C | Language::Cpp) && bare.starts_with('#');
        let carried = std::mem::replace(&mut continued, bare.ends_with('\\'));
        let behind = is_behind(joined, line, seam);
        if preprocessed && !carried {
            ruler.read_directive(shape, width(indent_of(text)), behind);
        }
        if bare.is_empty() || preprocessed || carried {
            continue;
        }
        measured += usize::from(behind);
        if measured > MEASURED {
            break;
        }
        let own = width(indent_of(text));
        let split = behind && line.start < seam;
        ruler.read(shape, bare, own, *state, behind, split);
    }
    ruler.conclude(shape);
}

// The lines directly inside one open construct, before and after the seam.
#[derive(Clone, Default)]
struct Level {
    depth: usize,
    opener: Option<usize>,
    words: bool,
    before: Vec<i32>,
    behind: Vec<i32>,
}

struct Ruler<'a> {
    joined: &'a str,
    states: &'a [LineState],
    starts: Vec<usize>,
    step: i32,
    levels: Vec<Level>,
    // Whether braces on their own line stand elsewhere than the line before them.
    own_line_braces_move: bool,
    // How many directives stood at the margin before the seam, if all did.
    directives: Option<usize>,
    // Whether the last closer before the seam stood where its opener does.
    closers_fit: bool,
    // Whether the next line after the seam starts a statement beside the last one before it.
    sister_expected: bool,
    // The end of the line that holds the seam.
    seam_line_end: usize,
    // Levels that were closed after the seam.
    done: Vec<Level>,
}

impl Ruler<'_> {
    fn read(
        &mut self,
        shape: &mut Shape,
        bare: &str,
        own: i32,
        state: LineState,
        behind: bool,
        split: bool,
    ) {
        let depth = state.depth;
        self.close_to(depth, state.opener, behind);
        // What was opened on the line of the seam belongs to the text before it.
        let known = state.opener.is_some_and(|at| at < self.seam_line_end);
        let words = state.inside == Inside::Words;
        if !words && closes(bare, &self.joined[state.opener.unwrap_or(self.joined.len())..]) {
            if let Some(opener) = state.opener.filter(|_| known) {
                let distance = own - self.statement_indent(opener, depth);
                if !behind {
                    self.closers_fit = distance == 0;
                } else if self.closers_fit {
                    shape.note(distance, weights::CLOSER);
                } else {
                    shape.note(distance, weights::UNSURE);
                }
            }
            return;
        }
        let first = behind && std::mem::take(&mut self.sister_expected);
        self.levels.resize_with(depth.max(self.levels.len().min(depth)) + 1, Level::default);
        let level = &mut self.levels[depth];
        level.depth = depth;
        level.opener = state.opener;
        level.words = words;
        if !behind {
            let moved = level.before.last().is_some_and(|&header| header != own);
            self.own_line_braces_move |= bare == "{" && moved;
            level.before.push(own);
        } else if known || depth == 0 {
            if bare == "{" && level.behind.is_empty() && !self.own_line_braces_move {
                // A brace on its own line is below the line it belongs to.
                if let Some(header) = level.before.last() {
                    shape.note(own - header, weights::CLOSER);
                }
            }
            if split {
                note_split(shape, level, own);
            } else if let Some(&sister) = level.before.last()
                && first
                && !words
                && own > sister
            {
                shape.note(own - sister, weights::SISTER);
            }
            level.behind.push(own);
        }
    }

    // Who has written every directive at the margin goes on to.
    fn read_directive(&mut self, shape: &mut Shape, own: i32, behind: bool) {
        if !behind {
            self.directives = self.directives.filter(|_| own == 0).map(|count| count + 1);
        } else if self.directives.is_some_and(|count| count > 2) {
            shape.note(own, weights::FRESH);
        }
    }

    // Whether the last line before the seam ends a statement, or is above one.
    fn is_sister_expected(&self, seam: usize) -> bool {
        let before = self.joined[..seam].trim_end();
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let last = before[start..].trim_start();
        last.ends_with([';', '}', '>']) || last.ends_with("*/") || last.starts_with("#[")
    }

    // Leaves the levels that ended before this line.
    fn close_to(&mut self, depth: usize, opener: Option<usize>, behind: bool) {
        let ended = |level: &Level| level.opener != opener;
        let stale = self.levels.len() == depth + 1 && self.levels.last().is_some_and(ended);
        let keep = if stale { depth } else { depth + 1 };
        while self.levels.len() > keep {
            if let Some(level) = self.levels.pop().filter(|_| behind) {
                self.done.push(level);
            }
        }
    }

    fn conclude(mut self, shape: &mut Shape) {
        self.done.append(&mut self.levels);
        for level in self.done.iter().filter(|level| !level.behind.is_empty()) {
            if level.before.is_empty() {
                self.note_fresh(shape, level);
            } else {
                note_level(shape, level);
            }
        }
    }

    // The indentation of the statement whose bracket opens at a byte: its line may have begun
    // inside an inner bracket, such as a list of parameters, and is then not the first of the
    // statement.
    fn statement_indent(&self, opener: usize, depth: usize) -> i32 {
        let mut at = opener;
        for _ in 0..8 {
            let line = self.starts.partition_point(|&start| start <= at).saturating_sub(1);
            let inner = self.states.get(line).filter(|state| state.depth >= depth);
            match inner.and_then(|state| state.opener).filter(|&outer| outer < at) {
                Some(outer) => at = outer,
                None => break,
            }
        }
        indent_at(self.joined, at)
    }

    // Whether everybody indents what is in the bracket at a byte: a class or a function.
    fn is_indented_inside(&self, opener: usize) -> bool {
        let start = self.joined[..opener].rfind('\n').map_or(0, |at| at + 1);
        let header = &self.joined[start..opener];
        let loose = ["namespace", "extern", "switch", "case", "define", "module"];
        self.joined[opener..].starts_with('{')
            && !header.trim().is_empty()
            && !loose.iter().any(|word| header.contains(word))
    }

    // A level that was empty before the seam is one step deeper than the line that opened it;
    // the outermost level of a file is at its margin.
    fn note_fresh(&self, shape: &mut Shape, level: &Level) {
        let least = level.behind.iter().copied().min().unwrap_or_default();
        match level.opener {
            _ if level.words => {}
            Some(at) => {
                let outer = self.statement_indent(at, level.depth);
                // Some people do not indent what a namespace or a document holds.
                if least != outer {
                    shape.note(least - outer - self.step, weights::FRESH);
                } else if self.is_indented_inside(at) && level.behind.len() > 2 {
                    shape.note(-self.step, weights::MOST_OF_LEVEL);
                }
            }
            None => shape.note(
                least,
                (weights::FRESH_LINE * level.behind.len() as f32).min(weights::MOST_OF_LEVEL),
            ),
        }
    }
}

// Compares the lines of one level. If nothing was moved, every line after the seam had its chance
// to be as little deep as lines before it do, and each that does not makes a move likelier.
fn note_level(shape: &mut Shape, level: &Level) {
    let (before, behind) = (&level.before, &level.behind);
    let least = behind.iter().copied().min().unwrap_or_default();
    let margin = before.iter().copied().min().unwrap_or_default();
    // Nearly every file has its outermost lines at the margin, even if few of them are known yet.
    let few = before.len() < 6
        && level.depth == 0
        && margin == 0
        && !level.words
        && !before.contains(&least);
    let presumed = if few { weights::PRESUMED_AT_MARGIN } else { 0.0 };
    let known = before.len() as f32 + 1.0 + presumed;
    let shallower = before.iter().filter(|&&own| own < least).count() as f32
        + if least > 0 { presumed } else { 0.0 };
    let doubt = if level.words { weights::SHARE_OF_WORDS } else { 1.0 };
    let bits = -(behind.len() as f32) * (1.0 - shallower / known).log2() * doubt;
    let below = behind.iter().filter(|&&own| own < margin).count();
    match usual(behind).filter(|&usual| usual < margin) {
        Some(usual) => shape
            .note(usual - margin, (below as f32 * known.log2() / 2.0).min(weights::MOST_OF_LEVEL)),
        None if bits >= weights::LEAST_OF_LEVEL => {
            shape.note(least - margin, bits.min(weights::MOST_OF_LEVEL));
        }
        None => shape.note(0, (behind.len() as f32).min(weights::MOST_OF_LEVEL) * doubt),
    }
}

// A line whose indentation began before the seam is like one of its sisters.
fn note_split(shape: &mut Shape, level: &Level, own: i32) {
    let Some(&last) = level.before.last() else { return };
    let known = level.before.contains(&own);
    shape.note(if known { 0 } else { own - last }, weights::SPLIT);
}

// The column that most of the lines have.
fn usual(columns: &[i32]) -> Option<i32> {
    let count = |column: &&i32| columns.iter().filter(|other| other == column).count();
    columns.iter().max_by_key(count).copied()
}

// Whether a line starts with what closes the innermost construct.
fn closes(bare: &str, opened: &str) -> bool {
    if bare.starts_with("</") || bare.starts_with('>') || bare.starts_with("/>") {
        return opened.starts_with('<');
    }
    if bare.starts_with(['}', ']', ')']) {
        return opened.starts_with(['{', '[', '(', '$', '#']);
    }
    let word = bare.split(|sign: char| !sign.is_alphanumeric()).next().unwrap_or_default();
    matches!(word, "fi" | "done" | "esac" | "end" | "else" | "elif" | "rescue" | "ensure")
        && opened.starts_with(|sign: char| sign.is_alphabetic())
}
