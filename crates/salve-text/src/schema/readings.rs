//! The ways a reply can be read: each value found in it, all of them together, or its very words.
//!
//! In: a text and what the tolerant parser found in it. Out: the forest and a list of readings, each
//! with what it costs to believe it. Never reads a scalar out of the middle of prose: there the
//! words themselves are the reading.

use super::forest::{Forest, NodeId};
use crate::lines::floor_boundary;
use crate::markdown::TICKS;
use crate::parse::{self, Kind, ParseOptions, Parsed, Repair};
use salve_types::Span;
use serde_json::Value;

// A fence announces the answer; JSON in the middle of prose may be an example.
const FENCED: u32 = 1;
const IN_PROSE: u32 = 2;
const GATHERED: u32 = 3;
// What a model writes while it thinks is a draft.
const IN_THOUGHT: u32 = 8;
// The words of a reply are what it says only where no JSON says it.
const WORDS: u32 = 12;
pub(super) const WORDS_BESIDE_JSON: u32 = 200;

/// Where readings are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// Only in what the parser takes for the answer.
    Answer,
    /// In everything it found.
    Everything,
}

/// One way to read a reply.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) node: NodeId,
    pub(super) cost: u32,
    /// The bytes the reading rests on.
    pub(super) span: Span,
    /// Whether the reading leaves no word of the reply out.
    pub(super) whole: bool,
}

/// Lists the readings of a text, likely ones first.
pub(super) fn readings<'t>(
    text: &'t str,
    parsed: &'t Parsed,
    scope: Scope,
) -> (Forest<'t>, Vec<Reading>) {
    let mut forest = Forest::new(&parsed.tree);
    let mut found = Vec::new();
    if scope == Scope::Answer {
        if let Some(root) = parsed.tree.root() {
            let node = forest.add_tree(root);
            let span = parsed.tree.span(root);
            found.push(Reading { node, cost: 0, span, whole: true });
        }
        return (forest, found);
    }
    let body = trimmed_span(text);
    let thoughts = thoughts(text);
    let mut containers = Vec::new();
    for candidate in parsed.candidates() {
        let node = forest.add_tree(candidate.node);
        let whole = candidate.span.start <= body.start && body.end <= candidate.span.end;
        let mut cost = match (whole, candidate.fenced) {
            (true, _) => 0,
            (false, true) if !is_in_code(text, candidate.span.start) => FENCED,
            (false, _) => IN_PROSE,
        };
        let before = thoughts.partition_point(|thought| thought.start <= candidate.span.start);
        if thoughts[..before].last().is_some_and(|last| candidate.span.start < last.end) {
            cost += IN_THOUGHT;
        }
        if !forest.is_scalar(node) {
            containers.push(node);
        }
        found.push(Reading { node, cost, span: candidate.span, whole });
    }
    found.sort_by_key(|reading| reading.cost);
    let words = if containers.is_empty() { WORDS } else { WORDS_BESIDE_JSON };
    if containers.len() > 1 {
        let node = forest.gather(containers);
        found.push(Reading { node, cost: GATHERED, span: body, whole: false });
    }
    if body.is_empty() {
        return (forest, found);
    }
    let node = forest.add_text(text);
    found.push(Reading { node, cost: words, span: body, whole: true });
    (forest, found)
}

/// Lists the first repairs inside a reading, and says how many more there are.
///
/// The parser lists those of its own answer. For a value that it found and did not choose, the value
/// is parsed by itself.
pub(super) fn repairs_of(text: &str, parsed: &Parsed, span: Span) -> (Vec<Repair>, usize) {
    if parsed
        .answer_span()
        .is_some_and(|answer| answer.start <= span.start && span.end <= answer.end)
    {
        return parsed.first_repairs();
    }
    let Some(part) = text.get(span.range()) else { return (Vec::new(), 0) };
    let (mut repairs, more) = parse::parse_json(part, &ParseOptions::default()).first_repairs();
    for repair in &mut repairs {
        repair.span = Span::new(repair.span.start + span.start, repair.span.end + span.start);
    }
    (repairs, more)
}

/// Reads JSON that is broken, if it is an object or a list.
pub(super) fn read_broken(text: &str) -> Option<Value> {
    let parsed = parse::parse_json(text, &ParseOptions::default());
    let root = parsed.tree.root()?;
    let container = matches!(parsed.tree.kind(root), Kind::Array | Kind::Object);
    container.then(|| parsed.tree.to_value(root))
}

/// Finds what is between thinking tags that are closed.
fn thoughts(text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    for tag in ["think", "thinking", "thought", "reasoning", "reflection", "scratchpad"] {
        let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
        let mut from = 0;
        while let Some(start) = text[from..].find(&open).map(|at| from + at)
            && let Some(end) = text[start..].find(&close).map(|at| start + at + close.len())
        {
            found.push(Span::new(start, end));
            from = end;
        }
    }
    // Tags inside tags become one stretch, so that looking a place up is one step.
    found.sort_unstable();
    let mut joined: Vec<Span> = Vec::with_capacity(found.len());
    for span in found {
        match joined.last_mut() {
            Some(last) if span.start < last.end => last.end = last.end.max(span.end),
            _ => joined.push(span),
        }
    }
    joined
}

/// Returns whether the fence that opens shortly before `at` holds a language other than JSON.
fn is_in_code(text: &str, at: usize) -> bool {
    const NEAR: usize = 256;
    let from = floor_boundary(text, at.saturating_sub(NEAR));
    let Some((_, after)) = text.get(from..at).and_then(|before| before.rsplit_once(TICKS)) else {
        return false;
    };
    let label = after.lines().next().unwrap_or("").trim().to_ascii_lowercase();
    !(label.is_empty() || label.starts_with("json") || label.starts_with(['{', '[', '"']))
}

fn trimmed_span(text: &str) -> Span {
    let start = text.len() - text.trim_start().len();
    Span::new(start, start + text.trim().len())
}
