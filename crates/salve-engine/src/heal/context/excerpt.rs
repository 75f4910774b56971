//! Pieces of source files for a prompt.
//!
//! In: diagnostics and files. Out: for each place that a diagnostic points at the item around it, or the
//! whole file where that is small, most telling first, none twice. Never a line number in the text: a
//! model copies what it sees into its answer.

use crate::heal::Sources;
use salve_syntax::parse_nodes;
use salve_types::{Diagnostic, Language, Severity, SourceSpan, Span};
use std::collections::BTreeMap;

/// Lines around a place where no grammar tells what belongs to it.
const AROUND: usize = 20;

/// A piece of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Excerpt {
    pub(super) path: String,
    /// The first line, from 1; the whole file when nothing.
    pub(super) from_line: Option<usize>,
    pub(super) text: String,
    /// The name that it defines, where that is what it is for.
    pub(super) defines: Option<String>,
}

impl Excerpt {
    /// Returns whether another piece is within this one.
    pub(super) fn covers(&self, other: &Self) -> bool {
        let lines = |one: &Self| {
            let first = one.from_line.unwrap_or(1);
            (first, first + one.text.lines().count())
        };
        let ((from, to), (other_from, other_to)) = (lines(self), lines(other));
        self.path == other.path && from <= other_from && other_to <= to
    }

    /// Writes it as a prompt shows it.
    pub(super) fn written(&self) -> String {
        let Self { path, text, .. } = self;
        let language = Language::from_path(path).map_or("", Language::name);
        // A fence inside the text would end the one around it.
        let fence = if text.contains("```") { "~~~~" } else { "```" };
        let end = if text.ends_with('\n') { "" } else { "\n" };
        let what = match (self.from_line, &self.defines) {
            (Some(line), Some(name)) => {
                format!("\nWhere `{name}` is defined, in {path} from its line {line}:\n")
            }
            (None, _) => format!("\nThe whole of {path}:\n"),
            (Some(line), None) => format!("\nA part of {path}, from its line {line}:\n"),
        };
        format!("{what}{fence}{language}\n{text}{end}{fence}\n")
    }
}

/// Cuts out what the diagnostics point at: errors before warnings, primary places before others.
pub(super) fn places(
    diagnostics: &[Diagnostic],
    sources: &dyn Sources,
    room: usize,
) -> Vec<Excerpt> {
    let mut found: Vec<(usize, String, Span)> = Vec::new();
    let mut texts: BTreeMap<String, Option<String>> = BTreeMap::new();
    for (rank, span) in ranked(diagnostics) {
        let read = || sources.read(&span.path);
        let Some(text) = texts.entry(span.path.clone()).or_insert_with(read) else { continue };
        let wanted = piece(text, span, room);
        let covered = found.iter().any(|(_, path, seen)| {
            *path == span.path && seen.start <= wanted.start && wanted.end <= seen.end
        });
        if !covered {
            found.retain(|(_, path, seen)| {
                *path != span.path || !(wanted.start <= seen.start && seen.end <= wanted.end)
            });
            found.push((rank, span.path.clone(), wanted));
        }
    }
    found.sort_by_key(|(rank, ..)| *rank);
    let cut = |(_, path, span): (usize, String, Span)| {
        let text = texts.get(&path)?.as_deref()?;
        let whole = span.start == 0 && span.end == text.len();
        let from_line = text.get(..span.start)?.matches('\n').count() + 1;
        let text = text.get(span.start..span.end)?.to_owned();
        Some(Excerpt { path, from_line: (!whole).then_some(from_line), text, defines: None })
    };
    found.into_iter().filter_map(cut).collect()
}

// Every place with its rank.
fn ranked(diagnostics: &[Diagnostic]) -> impl Iterator<Item = (usize, &SourceSpan)> {
    diagnostics.iter().flat_map(|diagnostic| {
        let mild = usize::from(diagnostic.severity != Severity::Error) * 4;
        let own =
            diagnostic.spans.iter().map(move |span| (mild + usize::from(!span.primary), span));
        let notes = diagnostic.notes.iter().flat_map(|note| &note.spans);
        own.chain(notes.map(move |span| (mild + 2, span)))
    })
}

// A small file whole, else the item around the place, else some lines.
fn piece(text: &str, span: &SourceSpan, room: usize) -> Span {
    let whole = Span::new(0, text.len());
    if text.len() <= room / 2 {
        return whole;
    }
    let Some(at) = offset(text, span) else { return head(text, room / 4) };
    let language = Language::from_path(&span.path).unwrap_or_default();
    let item = parse_nodes(text, language).and_then(|tree| {
        let mut best: Option<Span> = None;
        for node in tree.nodes().iter().filter(|node| node.is_named && node.parent.is_some()) {
            let holds = node.span.start <= at && at <= node.span.end;
            let fits = node.span.end - node.span.start <= room / 3;
            let many_lines =
                text.get(node.span.start..node.span.end).is_some_and(|part| part.contains('\n'));
            let larger = |old: Span| node.span.end - node.span.start > old.end - old.start;
            if holds && fits && many_lines && best.is_none_or(larger) {
                best = Some(node.span);
            }
        }
        best
    });
    let item = item.unwrap_or(Span::new(at, at));
    let lines = whole_lines(text, item);
    let around = widened(text, Span::new(at, at), AROUND);
    let wide = Span::new(lines.start.min(around.start), lines.end.max(around.end));
    if wide.end - wide.start <= room / 2 { wide } else { lines }
}

fn offset(text: &str, span: &SourceSpan) -> Option<usize> {
    if let Some(bytes) = span.bytes {
        return text.is_char_boundary(bytes.start).then_some(bytes.start);
    }
    let line = usize::try_from(span.start?.line).ok()?;
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    Some(before.min(text.len()))
}

fn head(text: &str, bytes: usize) -> Span {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    whole_lines(text, Span::new(0, end))
}

/// Returns the whole lines that a place is in.
pub(super) fn whole_lines(text: &str, span: Span) -> Span {
    let before = text.get(..span.start).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let after = text.get(span.end..).unwrap_or_default();
    let end = after.find('\n').map_or(text.len(), |at| span.end + at + 1);
    Span::new(start, end)
}

fn widened(text: &str, span: Span, lines: usize) -> Span {
    let span = whole_lines(text, span);
    let before = text.get(..span.start).unwrap_or_default();
    let above: usize = before.split_inclusive('\n').rev().take(lines).map(str::len).sum();
    let after = text.get(span.end..).unwrap_or_default();
    let below: usize = after.split_inclusive('\n').take(lines).map(str::len).sum();
    Span::new(span.start - above, span.end + below)
}
