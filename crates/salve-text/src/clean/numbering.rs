//! Finds the line numbers of a listing before the code.
//!
//! In: a text. Out: the prefixes of its lines when they are consecutive numbers. Never takes a
//! table, a list or a map with number keys for a listing: there must be lines that only a listing
//! has, empty ones or indented ones after their number.

use super::draft::{Cut, Draft};
use super::reply::AsideReason;
use super::{Context, Notes, Target};
use salve_types::{Language, Span};

/// The stage: removes line numbers when the whole content is a listing.
pub(super) fn cuts(draft: &Draft<'_>, context: &Context<'_>, _: &mut Notes) -> Vec<Cut> {
    if context.target.is_document() || context.target == Target::Json {
        return Vec::new();
    }
    let text = draft.text();
    let Some(run) = numbered_lines(text) else { return Vec::new() };
    let yaml = context.target == Target::Code(Some(Language::Yaml));
    if yaml && run.style == Style::Colon {
        return Vec::new();
    }
    let covers = run.covers(text);
    let prefixes = run.prefixes.into_iter().filter(|span| !span.is_empty());
    if covers {
        prefixes.map(|span| Cut::new(span, AsideReason::LineNumber)).collect()
    } else {
        Vec::new()
    }
}

/// A run of lines with consecutive numbers before them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NumberedRun {
    /// The number of each line with its sign and one space, in bytes of the text.
    pub(crate) prefixes: Vec<Span>,
    style: Style,
    /// From the first numbered line to the end of the last.
    pub(crate) span: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    Pipe,
    Colon,
    Arrow,
    Tab,
}

const FEWEST_LINES: usize = 3;

impl NumberedRun {
    // A listing may have a stray line before or after; a map or table has its own.
    fn covers(&self, text: &str) -> bool {
        let outside = |part: &str| part.lines().filter(|line| !line.trim().is_empty()).count();
        let others = outside(&text[..self.span.start]) + outside(&text[self.span.end..]);
        match self.style {
            Style::Colon | Style::Tab => others == 0,
            Style::Pipe | Style::Arrow => others * 10 <= self.prefixes.len(),
        }
    }
}

/// Returns the longest run of numbered lines that is a listing.
pub(crate) fn numbered_lines(text: &str) -> Option<NumberedRun> {
    let mut best: Option<NumberedRun> = None;
    let mut current = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let numbered = read_number(line);
        if let Some(entry) = numbered {
            let follows = current.last().is_none_or(|(_, last): &(usize, Numbered)| {
                last.style == entry.style && last.number.checked_add(1) == Some(entry.number)
            });
            if !follows {
                keep_longer(text, &mut best, &mut current);
            }
            current.push((at, entry));
        } else if !line.trim().is_empty() {
            keep_longer(text, &mut best, &mut current);
        }
        at += line.len();
    }
    keep_longer(text, &mut best, &mut current);
    best
}

#[derive(Debug, Clone, Copy)]
struct Numbered {
    number: u32,
    style: Style,
    // Up to and with the sign after the number.
    prefix: usize,
    line: usize,
}

fn read_number(line: &str) -> Option<Numbered> {
    let body = line.trim_end_matches(['\n', '\r']);
    let indent = body.len() - body.trim_start_matches(' ').len();
    let rest = &body[indent..];
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 || digits > 7 || indent > 10 {
        return None;
    }
    let number = rest[..digits].parse().ok()?;
    let after = &rest[digits..];
    let spaces = after.len() - after.trim_start_matches(' ').len();
    let sign = &after[spaces..];
    let (style, sign_len) = if sign.starts_with('|') || sign.starts_with('│') {
        (Style::Pipe, sign.chars().next().map_or(0, char::len_utf8))
    } else if sign.starts_with('→') {
        (Style::Arrow, '→'.len_utf8())
    } else if sign.starts_with(':') && spaces == 0 {
        (Style::Colon, 1)
    } else if after.starts_with('\t') {
        (Style::Tab, 1)
    } else {
        return None;
    };
    let prefix = body.len() - sign.len() + sign_len;
    Some(Numbered { number, style, prefix, line: line.len() })
}

fn keep_longer(text: &str, best: &mut Option<NumberedRun>, current: &mut Vec<(usize, Numbered)>) {
    let lines = std::mem::take(current);
    let longest = best.as_ref().map_or(0, |run| run.prefixes.len());
    if lines.len() < FEWEST_LINES || lines.len() <= longest {
        return;
    }
    *best = as_listing(text, &lines).or(best.take());
}

fn as_listing(text: &str, lines: &[(usize, Numbered)]) -> Option<NumberedRun> {
    let content = |(at, line): &(usize, Numbered)| {
        text[at + line.prefix..at + line.line].trim_end_matches(['\n', '\r'])
    };
    let style = lines.first()?.1.style;
    // `12: code` has a space of its own; `12→code` has none.
    let spaced = style != Style::Tab
        && lines.iter().map(content).all(|line| line.is_empty() || line.starts_with(' '));
    // Numbers that are set to the right, or an arrow, are a listing's own.
    let set_right = text[lines.first()?.0..].starts_with(' ') && style == Style::Tab;
    let only_a_listing = set_right
        || style == Style::Arrow
        || lines.iter().map(content).any(|line| {
            let line = if spaced { line.get(1..).unwrap_or("") } else { line };
            line.trim().is_empty() || line.starts_with("  ") || line.starts_with('\t')
        });
    if !only_a_listing {
        return None;
    }
    let prefixes = lines
        .iter()
        .map(|entry| {
            let (at, line) = entry;
            let space = usize::from(spaced && content(entry).starts_with(' '));
            Span::new(*at, at + line.prefix + space)
        })
        .collect();
    let (first, (last, line)) = (lines.first()?.0, lines.last()?);
    Some(NumberedRun { prefixes, style, span: Span::new(first, last + line.line) })
}
