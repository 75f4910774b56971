//! The template form of the documents: a pattern and a template with `{{ slots }}`.
//!
//! In: such a rule and a diagnostic. Out: edits at its place. A slot takes the shortest run of tokens with
//! its brackets closed that lets the next token of the pattern follow: one pass, no backtracking. A slot
//! of the template that the pattern does not bind means no edit.

use super::context::Case;
use super::edit::RuleEdit;
use super::rule::TemplateRule;
use super::tokens::Tokens;
use salve_types::{Language, Span};
use std::collections::BTreeMap;

const NODES: usize = 64;
// The most tokens a slot takes.
const TAKEN: usize = 2_000;

/// Lists what a template rule would write for a diagnostic.
pub(super) fn edits(rule: &TemplateRule, case: &Case<'_>) -> Vec<RuleEdit> {
    let Some(pattern) = parts(&rule.pattern, case.tokens.language) else { return Vec::new() };
    let spans = match &rule.node_kind {
        Some(kind) => nodes(kind, case),
        None if pattern.is_empty() => Vec::new(),
        None => {
            let line = case.tokens.line(case.line);
            let mut starts: Vec<usize> = line.collect();
            starts.sort_by_key(|at| at.abs_diff(case.place));
            starts.into_iter().map(|at| (at, None)).collect()
        }
    };
    let edit = |(from, to): &(usize, Option<usize>)| {
        let mut bound = BTreeMap::new();
        let end = match to {
            Some(to) if pattern.is_empty() => *to,
            _ => compared(&pattern, case, *from, *to, &mut bound)?,
        };
        if to.is_some_and(|to| to != end) || end == *from {
            return None;
        }
        let replacement = filled(&rule.template, &bound)?;
        let first = case.tokens.all.get(*from)?.span.start;
        let span = Span::new(first, case.tokens.all.get(end - 1)?.span.end);
        (case.tokens.text.get(span.range()) != Some(&replacement))
            .then_some(RuleEdit { span, replacement })
    };
    spans.iter().filter_map(edit).take(super::fit::PLACES).collect()
}

// The nodes of a kind at the diagnostic's line as ranges of tokens, the smallest at its place first.
fn nodes(kind: &str, case: &Case<'_>) -> Vec<(usize, Option<usize>)> {
    let Some(tree) = case.tree() else { return Vec::new() };
    let line = case.tokens.line(case.line);
    let mut found: Vec<(bool, usize, usize, usize)> = tree
        .nodes()
        .iter()
        .filter(|node| tree.kind(node) == kind && !node.span.is_empty())
        .map(|node| (case.tokens.at(node.span.start), case.tokens.at(node.span.end - 1) + 1))
        .filter(|(from, to)| *from < line.end && line.start < *to)
        .map(|(from, to)| (!(from <= case.place && case.place < to), to - from, from, to))
        .collect();
    found.sort_unstable();
    found.into_iter().take(NODES).map(|(_, _, from, to)| (from, Some(to))).collect()
}

/// A part of a pattern.
enum Part {
    Word(String),
    Slot(String),
}

// Nothing when a slot is not closed or has no name.
fn parts(pattern: &str, language: Language) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    let mut rest = pattern;
    loop {
        let (code, after) = match rest.split_once("{{") {
            Some((code, after)) => (code, Some(after)),
            None => (rest, None),
        };
        let tokens = Tokens::of(code, language)?;
        parts.extend((0..tokens.all.len()).map(|at| Part::Word(tokens.word(at).to_owned())));
        let Some(after) = after else { return Some(parts) };
        let (name, next) = after.split_once("}}")?;
        parts.push(Part::Slot(slot_name(name)?.to_owned()));
        rest = next;
    }
}

fn slot_name(text: &str) -> Option<&str> {
    let name = text.trim();
    let is_name = !name.is_empty() && name.chars().all(|one| one.is_alphanumeric() || one == '_');
    is_name.then_some(name)
}

// Returns where the match ends.
fn compared<'p, 'a>(
    pattern: &'p [Part],
    case: &Case<'a>,
    from: usize,
    to: Option<usize>,
    bound: &mut BTreeMap<&'p str, &'a str>,
) -> Option<usize> {
    let limit = to.unwrap_or(case.tokens.all.len());
    let mut at = from;
    for (order, part) in pattern.iter().enumerate() {
        match part {
            Part::Word(word) => {
                if at >= limit || case.tokens.word(at) != word {
                    return None;
                }
                at += 1;
            }
            Part::Slot(name) => {
                let next = pattern.get(order + 1).and_then(|part| match part {
                    Part::Word(word) => Some(word.as_str()),
                    Part::Slot(_) => None,
                });
                let end = taken(case, at, limit, next, to.is_some())?;
                let text = text_of(case, at, end)?;
                if *bound.entry(name).or_insert(text) != text {
                    return None;
                }
                at = end;
            }
        }
    }
    Some(at)
}

fn taken(
    case: &Case<'_>,
    from: usize,
    limit: usize,
    next: Option<&str>,
    is_node: bool,
) -> Option<usize> {
    let mut depth = 0_usize;
    for at in from..limit.min(from + TAKEN) {
        let word = case.tokens.word(at);
        if depth == 0 && at > from && (next == Some(word) || (next.is_none() && !is_node)) {
            return Some(at);
        }
        match word {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    (next.is_none() && depth == 0 && limit > from && limit - from <= TAKEN).then_some(limit)
}

fn text_of<'a>(case: &Case<'a>, from: usize, to: usize) -> Option<&'a str> {
    let first = case.tokens.all.get(from)?.span.start;
    case.tokens.text.get(first..case.tokens.all.get(to.checked_sub(1)?)?.span.end)
}

fn filled(template: &str, bound: &BTreeMap<&str, &str>) -> Option<String> {
    let mut made = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((code, after)) = rest.split_once("{{") {
        let (name, next) = after.split_once("}}")?;
        made.push_str(code);
        made.push_str(bound.get(slot_name(name)?)?);
        rest = next;
    }
    made.push_str(rest);
    Some(made)
}
