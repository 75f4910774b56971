//! Rules on the syntax tree, for files that parse.
//!
//! In: an accepted fix, or such a rule and a diagnostic. Out: rules that rewrite one node, and their edits.
//! A pattern is code in which `$A` stands for one node; it is compared with the tokens and nodes of the
//! file, so a pattern needs no grammar of its own. Bounded in nodes and steps, never recursive.

use super::context::{Case, keys};
use super::edit::RuleEdit;
use super::near::near;
use super::rule::{FixExample, FixRule, HoleSource, NamedHole, RuleBody, StructureRule, WordKind};
use super::tokens::Tokens;
use crate::heal::fixers::is_language_word;
use salve_syntax::{NodeTree, parse_nodes};
use salve_types::{Diagnostic, Language, Span};
use std::collections::BTreeMap;

// The longest node that is learned, the nodes a rule is compared with, and the steps of one comparison.
const LONGEST: usize = 600;
const NODES: usize = 64;
const STEPS: usize = 2_000;
// How many enclosing nodes are tried for one that the fixed text has as well.
const CLIMBED: usize = 5;

/// Learns rules from a fix of a file that parses before and after.
pub(super) fn learn(example: &FixExample, diagnostic: &Diagnostic) -> Vec<FixRule> {
    let language = example.language();
    let [narrow, wide, _] = keys(diagnostic);
    let Some(lesson) = Lesson::of(example, diagnostic, language) else { return Vec::new() };
    let mut rules = Vec::new();
    for (level, leaves, key) in [(1, true, &narrow), (2, false, &narrow), (3, false, &wide)] {
        let body = lesson.rule(leaves);
        if let Some(body) = body.filter(|body| lesson.holds(body)) {
            rules.push(FixRule::new(key.clone(), language, level, RuleBody::Structure(body)));
        }
    }
    rules
}

struct Lesson<'a> {
    case: Case<'a>,
    after: &'a str,
    /// The same diagnostic in the fixed text.
    fixed: Option<Case<'a>>,
    tree: NodeTree,
    /// The node that is rewritten, and what differs in it in either text.
    node: usize,
    old: Span,
    new: Span,
}

impl<'a> Lesson<'a> {
    fn of(example: &'a FixExample, diagnostic: &'a Diagnostic, language: Language) -> Option<Self> {
        let (before, after) = (example.before.as_str(), example.after.as_str());
        let case = Case::of(diagnostic, before, language)?;
        let tree = parse_nodes(before, language).filter(|tree| !tree.has_error())?;
        let fixed = parse_nodes(after, language).filter(|tree| !tree.has_error())?;
        let fixed_tokens = Tokens::of(after, language)?;
        let (old, new) = differing(&case.tokens, &fixed_tokens)?;
        let covers =
            |span: Span| span.start <= old.start && old.end <= span.end && span.start < span.end;
        let nodes = tree.nodes();
        let smallest = (0..nodes.len())
            .filter(|&at| nodes[at].is_named && covers(nodes[at].span))
            .min_by_key(|&at| (nodes[at].span.len(), at))?;
        let grown = |span: Span| Span::new(span.start, span.end - old.end + new.end);
        let mut at = smallest;
        for _ in 0..CLIMBED {
            let span = nodes[at].span;
            let touches = span.start < old.start || old.end < span.end || !old.is_empty();
            let kept = fixed.nodes().iter().any(|node| node.is_named && node.span == grown(span));
            if kept && touches && span.len() <= LONGEST && nodes[at].parent.is_some() {
                let fixed = case.moved_to(fixed_tokens);
                return Some(Self { case, after, fixed, tree, node: at, old, new });
            }
            at = nodes[at].parent?;
        }
        None
    }

    // `leaves`: only names are left open; else every node that the fix does not touch.
    fn rule(&self, leaves: bool) -> Option<StructureRule> {
        let nodes = self.tree.nodes();
        let node = nodes.get(self.node)?;
        let mut open: Vec<Span> = Vec::new();
        let mut at = self.node + 1;
        while at < node.end_index {
            let inner = nodes.get(at)?;
            let apart = inner.span.end <= self.old.start || self.old.end <= inner.span.start;
            let text = self.case.tokens.text.get(inner.span.range())?;
            let is_leaf = inner.end_index == at + 1;
            let is_word = is_language_word(self.case.tokens.language, text);
            if inner.is_named && apart && !inner.span.is_empty() && !is_word && (is_leaf || !leaves)
            {
                open.push(inner.span);
                at = inner.end_index;
            } else {
                at += 1;
            }
        }
        self.written(node.span, &open)
    }

    fn written(&self, span: Span, open: &[Span]) -> Option<StructureRule> {
        let text = self.case.tokens.text;
        let mut letters: BTreeMap<&str, char> = BTreeMap::new();
        let mut holes = Vec::new();
        let (mut pattern, mut rewrite) = (String::new(), String::new());
        let (mut from, mut parts) = (span.start, Vec::new());
        for one in open {
            parts.push((Span::new(from, one.start), Some(*one)));
            from = one.end;
        }
        parts.push((Span::new(from, span.end), None));
        let mut is_past = false;
        for (plain, hole) in parts {
            let moved = |at: usize| at - self.old.end + self.new.end;
            let holds = !is_past && plain.start <= self.old.start && self.old.end <= plain.end;
            let start = if is_past { moved(plain.start) } else { plain.start };
            is_past |= holds;
            let end = if is_past { moved(plain.end) } else { plain.end };
            let (old, new) = (text.get(plain.range())?, self.after.get(start..end)?);
            self.write(old, &mut letters, &mut holes, &mut pattern);
            self.write(new, &mut letters, &mut holes, &mut rewrite);
            if let Some(hole) = hole {
                let letter = letter(&mut letters, text.get(hole.range())?)?;
                pattern.extend(['$', letter]);
                rewrite.extend(['$', letter]);
            }
        }
        let kind = self.tree.kind(self.tree.nodes().get(self.node)?).to_owned();
        (pattern != rewrite).then_some(StructureRule { kind, pattern, rewrite, holes })
    }

    // Copies code; a name that the message quotes becomes a hole that it binds.
    fn write(
        &self,
        code: &'a str,
        letters: &mut BTreeMap<&'a str, char>,
        holes: &mut Vec<NamedHole>,
        out: &mut String,
    ) {
        let language = self.case.tokens.language;
        let Some(tokens) = Tokens::of(code, language) else { return };
        let mut from = 0;
        for (at, token) in tokens.all.iter().enumerate() {
            let word = tokens.word(at);
            let quote = self.case.quotes.iter().position(|quote| *quote == word);
            let quote = quote.and_then(|quote| u8::try_from(quote).ok());
            let is_own = token.kind == WordKind::Name && !is_language_word(language, word);
            out.push_str(&escaped(code.get(from..token.span.start).unwrap_or_default()));
            from = token.span.end;
            match (letters.get(word), quote.filter(|_| is_own)) {
                (Some(known), _) => out.extend(['$', *known]),
                (None, Some(quote)) => match letter(letters, word) {
                    Some(name) => {
                        holes.push(NamedHole { name, from: HoleSource::Message(quote) });
                        out.extend(['$', name]);
                    }
                    None => out.push_str(&escaped(word)),
                },
                _ => out.push_str(&escaped(word)),
            }
        }
        out.push_str(&escaped(code.get(from..).unwrap_or_default()));
    }

    fn holds(&self, body: &StructureRule) -> bool {
        let is_made = |edit: &RuleEdit| {
            edit.applied(self.case.tokens.text).is_some_and(|text| text == self.after)
        };
        edits(body, &self.case).iter().any(is_made)
            && self.fixed.as_ref().is_none_or(|fixed| edits(body, fixed).is_empty())
    }
}

fn escaped(code: &str) -> String {
    code.replace('$', "$$")
}

fn letter<'a>(letters: &mut BTreeMap<&'a str, char>, text: &'a str) -> Option<char> {
    if let Some(known) = letters.get(text) {
        return Some(*known);
    }
    let next =
        u8::try_from(letters.len()).ok().filter(|&it| it < 26).map(|it| char::from(b'A' + it))?;
    letters.insert(text, next);
    Some(next)
}

// The bytes in which two texts differ, widened to whole tokens.
fn differing(old: &Tokens<'_>, new: &Tokens<'_>) -> Option<(Span, Span)> {
    let (olds, news) = (old.all.len(), new.all.len());
    let shorter = olds.min(news);
    let from = (0..shorter).take_while(|&at| old.word(at) == new.word(at)).count();
    let tail = (0..shorter - from)
        .take_while(|&at| old.word(olds - 1 - at) == new.word(news - 1 - at))
        .count();
    let start = from.checked_sub(1).and_then(|at| old.all.get(at)).map_or(0, |one| one.span.end);
    let new_start =
        from.checked_sub(1).and_then(|at| new.all.get(at)).map_or(0, |one| one.span.end);
    // Only the texts around must be the same, byte for byte.
    if start != new_start || old.text.get(..start) != new.text.get(..start) {
        return None;
    }
    let old_end = old.all.get(olds - tail).map_or(old.text.len(), |one| one.span.start).max(start);
    let new_end = new.all.get(news - tail).map_or(new.text.len(), |one| one.span.start).max(start);
    (old.text.get(old_end..) == new.text.get(new_end..))
        .then(|| (Span::new(start, old_end), Span::new(start, new_end)))
}

/// Lists what a rule would write for a diagnostic, the smallest node at its place first.
pub(super) fn edits(rule: &StructureRule, case: &Case<'_>) -> Vec<RuleEdit> {
    let Some(tree) = case.tree() else { return Vec::new() };
    let Some(pattern) = Tokens::of(&rule.pattern, case.tokens.language) else { return Vec::new() };
    let mut bound: BTreeMap<char, &str> = BTreeMap::new();
    for hole in &rule.holes {
        match hole.from {
            HoleSource::Message(quote) => {
                let Some(word) = case.quotes.get(usize::from(quote)) else { return Vec::new() };
                bound.insert(hole.name, word);
            }
            HoleSource::Near(quote) => {
                let word = case.quotes.get(usize::from(quote));
                let meant = word.and_then(|word| near(case, word).first().copied());
                let Some(meant) = meant else { return Vec::new() };
                bound.insert(hole.name, meant);
            }
            HoleSource::Code => {}
        }
    }
    let lines = case.tokens.line(case.line);
    let first = case.tokens.all.get(lines.start).map(|token| token.span.start);
    let last = lines.end.checked_sub(1).and_then(|at| case.tokens.all.get(at));
    let (Some(first), Some(last)) = (first, last.map(|token| token.span.end)) else {
        return Vec::new();
    };
    let place = case.tokens.all.get(case.place).map_or(case.tokens.text.len(), |it| it.span.start);
    let nodes = tree.nodes();
    let mut near: Vec<usize> = (0..nodes.len())
        .filter(|&at| {
            let span = nodes[at].span;
            span.start <= last && first <= span.end && tree.kind(&nodes[at]) == rule.kind
        })
        .collect();
    let holds = |span: Span| span.start <= place && place < span.end.max(span.start + 1);
    near.sort_by_key(|&at| (!holds(nodes[at].span), nodes[at].span.len(), at));
    near.into_iter()
        .take(NODES)
        .filter_map(|at| {
            let bound = compared(&pattern, case, tree, at, bound.clone())?;
            let replacement = filled(&rule.rewrite, &bound)?;
            let span = nodes[at].span;
            (case.tokens.text.get(span.range()) != Some(&replacement))
                .then_some(RuleEdit { span, replacement })
        })
        .take(super::fit::PLACES)
        .collect()
}

// What a word of a pattern is: a hole, or the token it stands for.
fn hole(word: &str) -> Option<char> {
    let mut letters = word.strip_prefix('$')?.chars();
    letters.next().filter(|it| it.is_ascii_uppercase() && letters.next().is_none())
}

// Compares a pattern with a node, token by token; a hole takes the largest node that lets the rest fit.
fn compared<'a>(
    pattern: &Tokens<'_>,
    case: &Case<'a>,
    tree: &NodeTree,
    node: usize,
    bound: BTreeMap<char, &'a str>,
) -> Option<BTreeMap<char, &'a str>> {
    let nodes = tree.nodes();
    let span = nodes.get(node)?.span;
    let (from, to) = (case.tokens.at(span.start), case.tokens.at(span.end.checked_sub(1)?) + 1);
    // Where the comparison goes on: in the pattern, in the file, with what is bound.
    let mut open = vec![(0, from, bound)];
    for _ in 0..STEPS {
        let (at, token, bound) = open.pop()?;
        if at == pattern.all.len() {
            if token == to {
                return Some(bound);
            }
            continue;
        }
        if token >= to {
            continue;
        }
        let word = pattern.word(at);
        let Some(name) = hole(word) else {
            if word.replace("$$", "$") == case.tokens.word(token) {
                open.push((at + 1, token + 1, bound));
            }
            continue;
        };
        let start = case.tokens.all.get(token)?.span.start;
        let first = nodes.partition_point(|one| one.span.start < start);
        // Larger nodes come first in reading order, so the stack has the smallest on top last.
        let mut ways: Vec<usize> = (first..nodes.len())
            .take_while(|&one| nodes[one].span.start == start)
            .filter(|&one| one > node && nodes[one].is_named && nodes[one].span.end <= span.end)
            .map(|one| nodes[one].span.end)
            .collect();
        ways.dedup();
        for end in ways.into_iter().rev() {
            let text = case.tokens.text.get(start..end)?;
            let mut bound = bound.clone();
            if *bound.entry(name).or_insert(text) == text && end > start {
                open.push((at + 1, case.tokens.at(end - 1) + 1, bound));
            }
        }
    }
    None
}

/// Writes a template with its holes filled; nothing when one is not bound.
fn filled(template: &str, bound: &BTreeMap<char, &str>) -> Option<String> {
    let mut made = String::with_capacity(template.len() + 32);
    let mut letters = template.chars().peekable();
    while let Some(one) = letters.next() {
        if one != '$' {
            made.push(one);
            continue;
        }
        match letters.next()? {
            '$' => made.push('$'),
            name if name.is_ascii_uppercase() => made.push_str(bound.get(&name)?),
            _ => return None,
        }
    }
    Some(made)
}

#[cfg(test)]
mod tests;
