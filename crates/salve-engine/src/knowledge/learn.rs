//! From one accepted fix to a ladder of rules.
//!
//! In: a file before and after, and what the check said. Out: rules from specific to general. Each was
//! tried on its own example: it makes the fixed text of the broken one, and does nothing to the fixed one.
//! What cannot be said in general is learned as it is, and nothing is learned from what is too large.

mod holes;

use super::context::{Case, keys};
use super::fit::fittings;
use super::rule::{
    Anchor, FixExample, FixRule, Insertion, Piece, RuleBody, RuleKey, TokenRule, WordKind,
};
use super::structure;
use super::tokens::Tokens;
use holes::Holes;
use salve_types::Diagnostic;
use std::collections::HashSet;

// The largest edit that is learned, in tokens removed and written.
const LARGEST: usize = 48;
// Lines between the diagnostic and the edit up to which their distance says something.
const NEAR_LINES: i64 = 2;

/// Learns rules from an accepted fix, the most specific first.
pub fn learn(example: &FixExample) -> Vec<FixRule> {
    let Some(diagnostic) = example.diagnostics.first() else { return Vec::new() };
    let mut rules = Lesson::of(example, diagnostic).map_or_else(Vec::new, |lesson| lesson.rules());
    rules.extend(structure::learn(example, diagnostic));
    let mut seen = HashSet::new();
    rules.retain(|rule| seen.insert(rule.id.clone()));
    rules.sort_by_key(|rule| rule.level);
    rules
}

/// An example cut into tokens, with the place where its texts differ.
pub(super) struct Lesson<'a> {
    diagnostic: &'a Diagnostic,
    before: Case<'a>,
    after: Tokens<'a>,
    /// The same diagnostic in the fixed text.
    fixed: Option<Case<'a>>,
    /// The first token that differs.
    from: usize,
    removed: usize,
    written: usize,
    before_next: bool,
}

/// How much of an example a rule keeps.
#[derive(Debug, Clone, Copy)]
struct Rung {
    level: u8,
    /// Which of the diagnostic's keys: the narrow one, the wide one, any.
    key: usize,
    left: usize,
    right: usize,
    head: bool,
    at: bool,
    /// Only exactly there.
    exactly: bool,
}

const fn rung(level: u8, key: usize, left: usize, right: usize) -> Rung {
    Rung { level, key, left, right, head: false, at: true, exactly: false }
}

const LADDER: &[Rung] = &[
    Rung { at: false, ..rung(0, 0, 3, 3) },
    Rung { head: true, ..rung(1, 0, 2, 2) },
    rung(2, 0, 1, 1),
    rung(2, 0, 1, 0),
    rung(2, 0, 0, 1),
    Rung { head: true, ..rung(2, 1, 2, 2) },
    Rung { exactly: true, ..rung(3, 0, 0, 0) },
    rung(3, 1, 1, 1),
    Rung { exactly: true, ..rung(3, 1, 0, 0) },
    Rung { head: true, at: false, ..rung(3, 2, 2, 2) },
    Rung { at: false, ..rung(3, 2, 1, 1) },
];

impl<'a> Lesson<'a> {
    pub(super) fn of(example: &'a FixExample, diagnostic: &'a Diagnostic) -> Option<Self> {
        let language = example.language();
        let before = Case::of(diagnostic, &example.before, language)?;
        let after = Tokens::of(&example.after, language)?;
        let (old, new) = (before.tokens.all.len(), after.all.len());
        let shorter = old.min(new);
        let same = |one: usize, other: usize| before.tokens.word(one) == after.word(other);
        let from = (0..shorter).take_while(|&at| same(at, at)).count();
        let left = shorter - from;
        let tail = (0..left).take_while(|&at| same(old - 1 - at, new - 1 - at)).count();
        let (removed, written) = (old - tail - from, new - tail - from);
        if removed + written == 0 || removed + written > LARGEST {
            return None;
        }
        // What is first in its line, with something after it there, belongs to that.
        let next = from + written;
        let before_next = removed == 0
            && from > 0
            && after.starts_line(from)
            && after.all.get(next).is_some()
            && !after.starts_line(next);
        let fixed = before.moved_to(after.clone());
        Some(Self { diagnostic, before, after, fixed, from, removed, written, before_next })
    }

    fn rules(&self) -> Vec<FixRule> {
        let keys = keys(self.diagnostic);
        let language = self.before.tokens.language;
        let mut rules = Vec::new();
        for rung in LADDER {
            for anchor in self.anchors(rung) {
                let Some(body) = self.body(rung, anchor) else { continue };
                if self.holds(&body) {
                    let key: RuleKey = keys[rung.key].clone();
                    rules.push(FixRule::new(key, language, rung.level, RuleBody::Token(body)));
                }
            }
        }
        rules
    }

    // The line of the edit; an insertion after a token is in that token's line.
    fn line(&self) -> u32 {
        let after_last = self.removed == 0 && !self.before_next;
        let at = if after_last { self.from.saturating_sub(1) } else { self.from };
        self.before.tokens.all.get(at).map_or(1, |token| token.line)
    }

    fn anchors(&self, rung: &Rung) -> Vec<Anchor> {
        let delta = i64::from(self.line()) - i64::from(self.before.line);
        let difference =
            |one: usize, other: usize| Some(i64::try_from(one).ok()? - i64::try_from(other).ok()?);
        let offset = difference(self.from, self.before.place).and_then(|it| i32::try_from(it).ok());
        let (Ok(delta), Some(offset)) = (i32::try_from(delta), offset) else { return Vec::new() };
        let is_near = i64::from(delta).abs() <= NEAR_LINES;
        match (rung.exactly, is_near) {
            (true, true) => vec![Anchor::Token { offset }],
            (true, false) => Vec::new(),
            // A declaration above what it declares may be any number of lines above it.
            (false, true) if delta < 0 => {
                vec![Anchor::Line { delta, offset }, Anchor::Above, Anchor::First]
            }
            (false, true) => vec![Anchor::Line { delta, offset }],
            (false, false) if delta < 0 => vec![Anchor::Above, Anchor::First],
            (false, false) => vec![Anchor::Line { delta, offset }],
        }
    }

    fn body(&self, rung: &Rung, anchor: Anchor) -> Option<TokenRule> {
        let is_far = matches!(anchor, Anchor::Above | Anchor::First);
        let (left, right) = (self.left(rung.left), self.right(rung.right));
        let removed: Vec<usize> = (self.from..self.from + self.removed).collect();
        let written: Vec<usize> = (self.from..self.from + self.written).collect();
        let at = (rung.at && !is_far).then_some(self.before.place);
        let head = (rung.head || is_far).then(|| self.before.tokens.line(self.line()).start);
        let context: Vec<usize> =
            left.iter().chain(&right).flatten().copied().chain(head).chain(at).collect();
        let mut holes = Holes::new(self, rung.level == 0, rung.key > 0);
        holes.bind(&written, &removed, &context)?;
        let piece = |at: &Option<usize>, edge: Piece| match at {
            Some(at) => holes.piece(*at),
            None => edge,
        };
        let insert: Option<Vec<Insertion>> = written
            .iter()
            .map(|&at| Some(Insertion { gap: gap(&self.after, at), piece: holes.written(at)? }))
            .collect();
        let spaced = self.after.gap(self.from + self.written);
        Some(TokenRule {
            anchor,
            at: at.map(|at| {
                if at < self.before.tokens.all.len() { holes.piece(at) } else { Piece::End }
            }),
            head: head.map(|at| holes.piece(at)),
            left: left.iter().map(|at| piece(at, Piece::Start)).collect(),
            remove: removed.iter().map(|&at| holes.piece(at)).collect(),
            insert: insert?,
            right: right.iter().map(|at| piece(at, Piece::End)).collect(),
            needs: holes.needs(&written),
            holes: holes.all,
            before_next: self.before_next,
            spaced_after: self.before_next && !spaced.is_empty() && !spaced.contains('\n'),
        })
    }

    // The tokens before the edit in its line; nothing stands for the beginning of the line.
    fn left(&self, count: usize) -> Vec<Option<usize>> {
        let mut found = Vec::new();
        let mut next = self.from;
        while found.len() < count {
            // A pure insertion after the last token of a line has nothing of that line after it.
            let edge = next == 0
                || (self.before.tokens.starts_line(next)
                    && !(next == self.from && self.removed == 0 && !self.before_next));
            if edge {
                found.push(None);
                break;
            }
            next -= 1;
            found.push(Some(next));
        }
        found.reverse();
        found
    }

    // The tokens after it; nothing stands for the end of the line.
    fn right(&self, count: usize) -> Vec<Option<usize>> {
        let mut found = Vec::new();
        let mut next = self.from + self.removed;
        while found.len() < count {
            let first = next == self.from + self.removed;
            let edge = next >= self.before.tokens.all.len()
                || (self.before.tokens.starts_line(next) && !(first && self.before_next));
            if edge {
                found.push(None);
                break;
            }
            found.push(Some(next));
            next += 1;
        }
        found
    }

    // Whether a rule makes the fix of its own example, and nothing of the fixed text.
    fn holds(&self, body: &TokenRule) -> bool {
        let tokens = &self.before.tokens;
        // Written down, tokens that stand side by side may be others: a quote and a text.
        let is_written = |fitting: &super::edit::Fitting| {
            let text = fitting.edit(body, tokens).applied(tokens.text);
            text.is_some_and(|text| self.after.is_same(&text))
        };
        let makes = |fitting: &super::edit::Fitting| {
            fitting.makes(tokens, &self.after) && is_written(fitting)
        };
        if !fittings(body, &self.before).iter().any(makes) {
            return false;
        }
        self.fixed.as_ref().is_none_or(|fixed| fittings(body, fixed).is_empty())
    }
}

// The blanks before a token, without the comments among them.
fn gap(tokens: &Tokens<'_>, at: usize) -> String {
    let gap = tokens.gap(at);
    if gap.contains('\n') {
        "\n".to_owned()
    } else if gap.is_empty() {
        String::new()
    } else {
        " ".to_owned()
    }
}

/// The kind of a token of either text.
fn kind(tokens: &Tokens<'_>, at: usize) -> WordKind {
    tokens.all.get(at).map_or(WordKind::Mark, |token| token.kind)
}

#[cfg(test)]
mod tests;
