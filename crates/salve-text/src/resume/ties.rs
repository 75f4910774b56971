//! What ties a continuation to the text before it, and what cannot hold.
//!
//! In: the join that would be made. Out: whether the continuation closes what the partial text left
//! open, or breaks the literal it was cut in. Never guesses by words: only the lexical state counts.

use super::related::Join;
use crate::inspect::{Inside, outline};
use salve_types::Language;
use std::collections::HashSet;

/// Returns whether the continuation closes something that only the partial text opened: a file of
/// its own never does.
pub(crate) fn closes_what_was_open(join: &Join<'_>) -> bool {
    let open = outline(join.partial, join.language).end;
    if open.inside == Inside::Words {
        return closes_comment(join, open.opener);
    }
    let whole = outline(join.joined, join.language);
    let seam = join.partial.len();
    // Only brackets and tags are closed by signs of their own; a directive ends with its line.
    let bracket = open.opener.and_then(|at| join.partial.get(at..)).is_some_and(|opened| {
        opened.starts_with(['(', '[', '{'])
            || (join.language == Language::Html && opened.starts_with('<'))
    });
    if !bracket || whole.crossed.is_some_and(|at| at >= seam) {
        return false;
    }
    let before = join.partial.matches('\n').count();
    let fell = whole.lines.iter().skip(before + 1).chain([&whole.end]);
    fell.take(CLOSED_WITHIN).any(|state| state.depth < open.depth && state.inside == Inside::Code)
}

// How many lines after the seam may pass before the innermost construct is closed. A stray closer
// far down in another file is no tie.
const CLOSED_WITHIN: usize = 400;

// The end of the comment comes before any beginning of one.
fn closes_comment(join: &Join<'_>, opener: Option<usize>) -> bool {
    let Some(opened) = opener.and_then(|at| join.partial.get(at..)) else { return false };
    let pair = [("/*", "*/"), ("<!--", "-->")];
    let Some((open, close)) = pair.into_iter().find(|(open, _)| opened.starts_with(open)) else {
        return false;
    };
    let rest = &join.joined[join.partial.len()..];
    let near: usize = rest.split_inclusive('\n').take(12).map(str::len).sum();
    let rest = &rest[..near];
    let (ends, begins) = (rest.find(close), rest.find(open));
    ends.is_some_and(|end| begins.is_none_or(|begin| end < begin))
}

/// Returns how many in a hundred lines of the continuation begin like a line of the partial text.
pub(crate) fn lines_begin_alike(join: &Join<'_>) -> usize {
    let known: HashSet<&str> = join.partial.lines().filter_map(beginning).collect();
    let mut lines = join.content.lines().skip(1).filter_map(beginning).take(100).peekable();
    if lines.peek().is_none() || known.len() < 3 {
        return 0;
    }
    let (alike, all) = lines
        .fold((0, 0), |(alike, all), start| (alike + usize::from(known.contains(start)), all + 1));
    if all < 4 { 0 } else { alike * 100 / all }
}

// The indentation of a line and the first letters after it.
fn beginning(line: &str) -> Option<&str> {
    let blank = line.len() - line.trim_start().len();
    let end = line[blank..].char_indices().nth(4).map(|(at, _)| blank + at)?;
    Some(&line[..end])
}

/// Returns whether the first line ends the open string of a script only to open another one that
/// runs over its end: the quotes of a command of its own, turned inside out.
pub(crate) fn turns_quotes(join: &Join<'_>) -> bool {
    let seam = join.partial.len();
    let Some(end) = join.joined[seam..].find('\n').map(|at| seam + at) else { return false };
    let quoted = |at: Option<usize>| {
        at.is_some_and(|at| join.joined[at..].starts_with('"')) && join.language == Language::Bash
    };
    let before = outline(join.partial, join.language).end;
    let after = outline(&join.joined[..end], join.language).end;
    quoted(before.opener) && quoted(after.opener) && after.opener >= Some(seam)
}

/// Returns whether the join leaves a string open at the end of a line where none can be.
pub(crate) fn breaks_string(join: &Join<'_>) -> bool {
    use Language as L;
    let one_line = matches!(
        join.language,
        L::Json
            | L::Python
            | L::Java
            | L::CSharp
            | L::Kotlin
            | L::Swift
            | L::Go
            | L::C
            | L::Cpp
            | L::JavaScript
            | L::Jsx
            | L::TypeScript
            | L::Tsx
    );
    let seam = join.partial.len();
    let Some(end) = join.joined[seam..].find('\n').map(|at| seam + at) else { return false };
    if !one_line || join.joined[..end].trim_end().ends_with('\\') {
        return false;
    }
    let state = outline(&join.joined[..end], join.language).end;
    let line = join.joined[..end].rfind('\n').map_or(0, |at| at + 1);
    let Some(opened) = state.opener.filter(|&at| state.inside == Inside::Words && at >= line)
    else {
        return false;
    };
    let opened = &join.joined.as_bytes()[opened..end];
    let Some(quote) = opened.iter().take(3).position(|byte| matches!(byte, b'"' | b'\'')) else {
        return false;
    };
    // Three quotes may run over lines; text between tags may hold an apostrophe.
    let marked = matches!(join.language, L::Jsx | L::Tsx) && opened[quote] == b'\'';
    let prefixed = opened[..quote].iter().all(u8::is_ascii_alphabetic);
    let triple =
        opened[quote..].len() > 2 && opened[quote..].iter().take(3).all(|&it| it == opened[quote]);
    prefixed && !triple && !marked
}
