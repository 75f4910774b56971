//! The ways a reply can be read: each value found in it, all of them together, or its very words.
//!
//! In: a text and what the tolerant parser found in it. Out: the forest and a list of readings, each
//! with what it costs to believe it. Never reads a scalar out of the middle of prose: there the
//! words themselves are the reading.

use super::forest::{Forest, Mark, Node, NodeId, NodeKind, number_of};
use crate::lines::floor_boundary;
use crate::markdown::TICKS;
use crate::parse::{self, Kind, NodeState, ParseOptions, Parsed, Repair, Tree};
use salve_types::Span;
use serde_json::Value;
use std::borrow::Cow;

// A fence announces the answer; JSON in the middle of prose may be an example.
const FENCED: u32 = 1;
const IN_PROSE: u32 = 2;
const GATHERED: u32 = 3;
// What a model writes while it thinks is a draft.
const IN_THOUGHT: u32 = 8;
// The words of a reply are what it says only where no JSON says it.
const WORDS: u32 = 12;
pub(super) const WORDS_BESIDE_JSON: u32 = 200;

// Coercion walks the nodes by recursion, and threads may have small stacks. No reply that a schema
// speaks of is nested deeper.
const DEEPEST: usize = 256;

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
    let mut forest = Forest::default();
    let mut found = Vec::new();
    if scope == Scope::Answer {
        if let Some(root) = parsed.tree.root() {
            let node = add_tree(&mut forest, &parsed.tree, root);
            let span = parsed.tree.span(root);
            found.push(Reading { node, cost: 0, span, whole: true });
        }
        return (forest, found);
    }
    let body = trimmed_span(text);
    let thoughts = thoughts(text);
    let mut containers = Vec::new();
    for candidate in &parsed.candidates {
        let node = add_tree(&mut forest, &parsed.tree, candidate.node);
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
        if matches!(forest.node(node).kind, NodeKind::Array(_) | NodeKind::Object(_)) {
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
    let answer = parsed.tree.root().map(|root| parsed.tree.span(root));
    if answer.is_some_and(|answer| answer.start <= span.start && span.end <= answer.end) {
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

/// Copies a tree's nodes.
pub(super) fn add_tree<'t>(forest: &mut Forest<'t>, tree: &'t Tree, id: parse::NodeId) -> NodeId {
    add_nodes(forest, tree, id, DEEPEST)
}

/// Copies the nodes down to a depth; what is deeper counts as cut off.
fn add_nodes<'t>(
    forest: &mut Forest<'t>,
    tree: &'t Tree,
    id: parse::NodeId,
    depth: usize,
) -> NodeId {
    let span = tree.span(id);
    let raw = tree.source().get(span.range()).unwrap_or_default();
    let kind = match tree.kind(id) {
        Kind::Null => NodeKind::Null,
        Kind::Bool(flag) => NodeKind::Bool(flag),
        Kind::Number => {
            let digits = tree.text(id);
            let is_number = number_of(&digits).is_some();
            if is_number { NodeKind::Number(digits) } else { NodeKind::Text(digits) }
        }
        Kind::String => NodeKind::Text(tree.text(id)),
        Kind::Array | Kind::Object if depth == 0 => NodeKind::Null,
        Kind::Array => {
            let items = tree.items(id);
            NodeKind::Array(items.map(|item| add_nodes(forest, tree, item, depth - 1)).collect())
        }
        Kind::Object => {
            let entries = tree.entries(id);
            NodeKind::Object(
                entries
                    .map(|(key, value)| (tree.text(key), add_nodes(forest, tree, value, depth - 1)))
                    .collect(),
            )
        }
    };
    let too_deep = depth == 0 && matches!(tree.kind(id), Kind::Array | Kind::Object);
    let mark = match tree.state(id) {
        _ if too_deep => Mark::Truncated,
        NodeState::Complete => Mark::Complete,
        NodeState::Inferred => Mark::Inferred,
        NodeState::Truncated => Mark::Truncated,
    };
    let ended = mark != Mark::Truncated && !(is_open_ended(&kind) && ends_text(tree, span));
    forest.add(Node { kind, mark, raw: Cow::Borrowed(raw), ended, gathered: false })
}

/// Returns whether more digits or letters could follow without a sign in between.
fn is_open_ended(kind: &NodeKind<'_>) -> bool {
    matches!(kind, NodeKind::Number(_) | NodeKind::Bool(_) | NodeKind::Null)
}

fn ends_text(tree: &Tree, span: Span) -> bool {
    tree.source().get(span.end..).is_none_or(|rest| rest.trim_start().is_empty())
}
