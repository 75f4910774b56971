//! Brackets that the indentation says are lost.
//!
//! In: the tokens of a file. Out: edits that close a bracket where its block ends by its indentation, open
//! one where a deeper line follows without, and drop a closer that closes nothing. A text that is not
//! indented gives nothing of use, and the grammar refuses it.

use super::super::view::SourceFile;
use super::edits::{Edit, closer};
use super::tokens::Token;
use salve_types::{Language, Span};

// The most edits of each kind that are proposed.
const EACH: usize = 8;

/// Lists edits of brackets anywhere in the file.
pub(super) fn edits(file: &SourceFile, tokens: &[Token]) -> Vec<Edit> {
    let brackets = Brackets::read(file, tokens);
    let mut edits = Vec::new();
    // Where the indentation and the brackets disagree first is where one was lost.
    for (order, open) in brackets.overrun.iter().take(EACH).enumerate() {
        edits.extend(closed(file, tokens, open, order * 2));
    }
    for (order, open) in brackets.unclosed.iter().rev().take(EACH).enumerate() {
        edits.extend(closed(file, tokens, open, 4 + order * 2));
    }
    for &extra in brackets.extra.iter().take(EACH) {
        let text = file.text().get(extra.range()).unwrap_or_default();
        edits.push(edit(extra, String::new(), text, format!("delete `{text}`"), 6));
    }
    if !brackets.extra.is_empty() && file.language() != Language::Python {
        edits.extend(opened(file, tokens));
    }
    edits
}

struct Open {
    token: &'static str,
    span: Span,
    indent: usize,
    line: u32,
}

struct Brackets {
    /// Open at the end of the text, or when a closer of another kind came.
    unclosed: Vec<Open>,
    /// Still open at a line that is indented no deeper than theirs and does not close them.
    overrun: Vec<Open>,
    /// Closers that close nothing.
    extra: Vec<Span>,
}

impl Brackets {
    fn read(file: &SourceFile, tokens: &[Token]) -> Self {
        let mut found = Self { unclosed: Vec::new(), overrun: Vec::new(), extra: Vec::new() };
        let mut open: Vec<(Open, bool)> = Vec::new();
        let mut last_line = 0;
        for token in tokens.iter().filter(|token| !token.is_comment) {
            let text = file.text().get(token.span.range()).unwrap_or_default();
            let line = file.line_of(token.span.start);
            let indent = indentation(file, line);
            if line != last_line {
                last_line = line;
                // The first token of a line: whatever is open from a line as deep or deeper has ended.
                let is_closer = matches!(text, ")" | "]" | "}");
                for (one, told) in open.iter_mut().rev() {
                    let ends = indent < one.indent || (indent == one.indent && !is_closer);
                    if ends && !*told && line > one.line {
                        *told = true;
                        found.overrun.push(one.copy());
                    }
                }
            }
            match text {
                "(" => open.push((Open { token: "(", span: token.span, indent, line }, false)),
                "[" => open.push((Open { token: "[", span: token.span, indent, line }, false)),
                "{" => open.push((Open { token: "{", span: token.span, indent, line }, false)),
                ")" | "]" | "}" => {
                    let matching = |(one, _): &(Open, bool)| closer(one.token) == Some(text);
                    match open.iter().rposition(matching) {
                        Some(at) => {
                            let skipped = open.split_off(at + 1);
                            found.unclosed.extend(skipped.into_iter().map(|(one, _)| one));
                            open.pop();
                        }
                        None => found.extra.push(token.span),
                    }
                }
                _ => {}
            }
        }
        found.unclosed.extend(open.into_iter().map(|(one, _)| one));
        found
    }
}

impl Open {
    fn copy(&self) -> Self {
        Self { token: self.token, span: self.span, indent: self.indent, line: self.line }
    }
}

// Where a bracket may have been closed: at the end of its line, and where its block ends.
fn closed(file: &SourceFile, tokens: &[Token], open: &Open, rank: usize) -> Vec<Edit> {
    let Some(closer) = closer(open.token) else { return Vec::new() };
    let what = format!("close the `{}` of line {}", open.token, open.line);
    let mut edits = Vec::new();
    let mut insert = |at: usize, replacement: String, more: usize, is_hinted: bool| {
        let one = edit(Span::new(at, at), replacement, closer, what.clone(), rank + more);
        edits.push(Edit { is_hinted, ..one });
    };
    let on_line = |token: &&Token| {
        token.span.start > open.span.start
            && file.line_of(token.span.start) == open.line
            && !token.is_comment
    };
    let after: Vec<&Token> = tokens.iter().filter(on_line).collect();
    // A bracket that ends its line opens a block, which ends in a line of its own; any other ends in its
    // line, before the signs that end the statement.
    let is_block = after.is_empty();
    let is_end = |token: &&&Token| {
        let text = file.text().get(token.span.range()).unwrap_or_default();
        matches!(text, ";" | "," | "{" | ":")
    };
    let ending = after.iter().rev().take_while(is_end).count();
    for (order, token) in after.iter().rev().take(6).enumerate() {
        insert(token.span.end, closer.to_owned(), order.abs_diff(ending) * 3, order == ending);
    }
    if let Some(end) = block_end(file, tokens, open) {
        let line = file.line(open.line).and_then(|line| file.text().get(line.range()));
        let indent: String =
            line.unwrap_or_default().chars().take_while(|one| one.is_whitespace()).collect();
        let more = if is_block { 0 } else { 12 };
        insert(end, format!("\n{indent}{closer}"), more, is_block);
        if file.language() != Language::Python {
            insert(end, format!("\n{indent}{closer};"), more + 1, is_block);
        }
        insert(end, format!("\n{indent}{closer},"), more + 2, is_block);
        insert(end, closer.to_owned(), 8, false);
    }
    edits
}

// The end of the last token before the text is indented no deeper than the line of the bracket.
fn block_end(file: &SourceFile, tokens: &[Token], open: &Open) -> Option<usize> {
    let after = tokens.partition_point(|token| token.span.start <= open.span.start);
    let mut end = None;
    for token in tokens.get(after..)? {
        let line = file.line_of(token.span.start);
        if line > open.line && indentation(file, line) <= open.indent {
            return end;
        }
        end = Some(token.span.end);
    }
    end
}

// Lines that a deeper one follows although they open nothing.
fn opened(file: &SourceFile, tokens: &[Token]) -> Vec<Edit> {
    let mut edits = Vec::new();
    for pair in tokens.windows(2) {
        let [before, after] = pair else { continue };
        let (line, next) = (file.line_of(before.span.start), file.line_of(after.span.start));
        let text = file.text().get(before.span.range()).unwrap_or_default();
        let is_head = !matches!(text, "{" | "(" | "[" | "," | ";") && !before.is_comment;
        if next > line && is_head && indentation(file, next) > indentation(file, line) {
            let at = Span::new(before.span.end, before.span.end);
            edits.push(edit(at, " {".to_owned(), "{", "insert `{`".to_owned(), 7));
        }
        if edits.len() >= EACH * 4 {
            break;
        }
    }
    edits
}

fn indentation(file: &SourceFile, line: u32) -> usize {
    let text = file.line(line).and_then(|line| file.text().get(line.range())).unwrap_or_default();
    text.chars()
        .take_while(|one| one.is_whitespace())
        .map(|one| if one == '\t' { 4 } else { 1 })
        .sum()
}

fn edit(span: Span, replacement: String, token: &str, what: String, rank: usize) -> Edit {
    Edit {
        span,
        replacement,
        token: token.to_owned(),
        what,
        rank,
        is_hinted: false,
        is_here: false,
    }
}
