//! What a grammar says about a finished text.
//!
//! In: a text and its language. Out: a report with the places the grammar rejects and the tokens it
//! misses. Never claims that a text is clean when it was not read to its end.

use crate::grammar::table;
use crate::parse::{Unread, parse};
use salve_types::{Finding, FindingCode, Language, Position, Span};
use tree_sitter::{Node, Tree};

// A text of noise has a problem on every line; the first ones are what anybody reads.
const LISTED: usize = 64;
const QUOTED: usize = 40;
const EXPECTED: usize = 6;
// A cut breaks the item it falls into. A longer error means that the grammar lost its way, which it
// does in whole files full of macros; then the error often begins with the text.
const LONGEST_ITEM: usize = 4_000;
const LONGEST_FIRST_ITEM: usize = 1_000;

/// A grammar's opinion on one text.
#[must_use]
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SyntaxReport {
    /// The language it was read as.
    pub language: Language,
    /// The first problems in reading order, at most 64 of them.
    pub problems: Vec<SyntaxProblem>,
    /// How many places the grammar rejects in all.
    pub errors: usize,
    /// How many tokens it misses in all.
    pub missing: usize,
    /// Whether all is well up to the last item and the problem is there: the mark of a text that
    /// was cut, as opposed to one with a mistake (or an unknown macro) somewhere inside.
    pub broken_at_end: bool,
    /// Why there is no opinion, when the text was not read to its end.
    pub unread: Option<Unread>,
}

/// One place the grammar objects to.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SyntaxProblem {
    /// Whether something is there that should not, or the other way round.
    pub kind: ProblemKind,
    /// Where, in bytes. A missing token has an empty span.
    pub span: Span,
    /// Where, as people count.
    pub position: Position,
    /// The rule that was being read around the place, such as `function_item`.
    pub within: String,
    /// The missing token, or what could have stood in the place of the first error.
    pub expected: Vec<String>,
    /// The problem in one sentence.
    pub message: String,
}

/// The two ways in which a text fails a grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ProblemKind {
    /// The grammar does not accept what is here.
    Unexpected,
    /// The grammar needs a token that is not here.
    Missing,
}

impl SyntaxReport {
    /// Tells whether the grammar read the whole text and had nothing to object to.
    pub const fn is_clean(&self) -> bool {
        self.unread.is_none() && self.errors == 0 && self.missing == 0
    }

    /// Returns the first problem, which is the one that explains most of the others.
    pub fn first(&self) -> Option<&SyntaxProblem> {
        self.problems.first()
    }

    /// Returns the listed problems as findings.
    pub fn findings(&self) -> Vec<Finding> {
        let finding = |problem: &SyntaxProblem| Finding {
            code: match problem.kind {
                ProblemKind::Unexpected => FindingCode::SyntaxError,
                ProblemKind::Missing => FindingCode::SyntaxMissing,
            },
            message: problem.message.clone(),
            span: problem.span,
        };
        self.problems.iter().map(finding).collect()
    }
}

/// Asks the grammar of `language` about `text`; nothing when no grammar is built in.
pub fn check_syntax(text: &str, language: Language) -> Option<SyntaxReport> {
    let mut report = SyntaxReport {
        language,
        problems: Vec::new(),
        errors: 0,
        missing: 0,
        broken_at_end: false,
        unread: None,
    };
    match parse(text, language)? {
        Ok(tree) => collect(text, &tree, &mut report),
        Err(unread) => report.unread = Some(unread),
    }
    Some(report)
}

// Walks only where the tree says that an error is below, and not into errors themselves: what was
// skipped there is one problem, however many pieces it has.
fn collect(text: &str, tree: &Tree, report: &mut SyntaxReport) {
    if !tree.root_node().has_error() {
        return;
    }
    let end = last_item(text, tree);
    let mut cursor = tree.walk();
    // The runtime finds a parent by recursion from the root, so the way down is remembered here.
    let mut path: Vec<&str> = Vec::new();
    loop {
        let node = cursor.node();
        let within = path.last().copied().unwrap_or("text");
        if (node.is_missing() || node.is_error()) && report.errors + report.missing == 0 {
            let before = text.get(..node.start_byte()).unwrap_or_default();
            let is_first = before.trim_start().is_empty();
            let longest = if is_first { LONGEST_FIRST_ITEM } else { LONGEST_ITEM };
            let is_small = node.end_byte() - node.start_byte() <= longest;
            report.broken_at_end = is_small && node.end_byte() >= end && !is_closer(text, &node);
        }
        if node.is_missing() {
            report.missing += 1;
            list(text, &node, within, ProblemKind::Missing, report);
        } else if node.is_error() {
            report.errors += 1;
            list(text, &node, within, ProblemKind::Unexpected, report);
        } else if node.has_error() && cursor.goto_first_child() {
            path.push(node.kind());
            continue;
        }
        while !cursor.goto_next_sibling() {
            path.pop();
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

// Returns the offset that a problem of the last item must reach: the end of the last token, or of
// the one before when the last is a word. A word may stand alone: in `export functi` the grammar
// rejects `export` and takes `functi` for a statement. Comments do not count.
fn last_item(text: &str, tree: &Tree) -> usize {
    let mut cursor = tree.walk();
    let mut has_word = false;
    loop {
        let node = cursor.node();
        let is_comment = node.is_extra() && !node.is_error();
        if !is_comment && cursor.goto_last_child() {
            continue;
        }
        if !is_comment && !node.byte_range().is_empty() {
            let token = text.get(node.byte_range()).unwrap_or_default();
            if has_word || !token.starts_with(|it: char| it.is_alphanumeric() || it == '_') {
                return node.end_byte();
            }
            has_word = true;
        }
        while !cursor.goto_previous_sibling() {
            if !cursor.goto_parent() {
                return 0;
            }
        }
    }
}

// One closing bracket too many is a mistake, not a cut.
fn is_closer(text: &str, node: &Node<'_>) -> bool {
    let skipped = text.get(node.byte_range()).unwrap_or_default().trim();
    !skipped.is_empty() && skipped.bytes().all(|byte| matches!(byte, b')' | b']' | b'}'))
}

fn list(text: &str, node: &Node<'_>, within: &str, kind: ProblemKind, report: &mut SyntaxReport) {
    if report.problems.len() >= LISTED {
        return;
    }
    let span = Span::from(node.byte_range());
    let within = within.to_owned();
    let expected = match kind {
        ProblemKind::Missing => vec![node.kind().to_owned()],
        ProblemKind::Unexpected if report.problems.is_empty() => acceptable(node, report.language),
        ProblemKind::Unexpected => Vec::new(),
    };
    let message = match kind {
        ProblemKind::Missing => format!("missing `{}` in {}", node.kind(), in_words(&within)),
        ProblemKind::Unexpected => {
            let mut message = format!("unexpected `{}`", excerpt(text, span));
            if !expected.is_empty() {
                message.push_str(&format!(", expected {}", alternatives(&expected)));
            }
            message
        }
    };
    let position = Position::of(text, span.start);
    report.problems.push(SyntaxProblem { kind, span, position, within, expected, message });
}

// The parse state of the first leaf of an error tells which tokens would have been accepted there.
// Rules are left out: `identifier` helps a reader, `_expression_except_range` does not.
fn acceptable(node: &Node<'_>, language: Language) -> Vec<String> {
    let mut leaf = *node;
    while let Some(child) = leaf.child(0) {
        leaf = child;
    }
    let Some(mut symbols) =
        table(language).and_then(|table| table.lookahead_iterator(leaf.parse_state()))
    else {
        return Vec::new();
    };
    let mut names: Vec<String> = symbols
        .iter_names()
        .filter(|name| !name.starts_with('_') && *name != "end" && *name != "ERROR")
        .map(str::to_owned)
        .collect();
    names.retain(|name| !name.contains("comment"));
    // A state that accepts nearly everything says nothing; nor does one that accepts what is
    // there, which happens when recovery gave up a token to save the rest.
    if names.len() > EXPECTED || names.iter().any(|name| name == leaf.kind()) {
        names.clear();
    }
    names.sort();
    names.dedup();
    names
}

fn alternatives(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(" or ")
}

fn in_words(kind: &str) -> String {
    kind.replace('_', " ")
}

fn excerpt(text: &str, span: Span) -> String {
    let line = text.get(span.range()).unwrap_or_default().lines().next().unwrap_or_default().trim();
    if line.is_empty() {
        return "end of text".to_owned();
    }
    let mut shown: String = line.chars().take(QUOTED).collect();
    if shown.len() < line.len() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests;
