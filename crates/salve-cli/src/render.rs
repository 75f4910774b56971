//! Draws a verdict into the text it is about.
//!
//! In: the text and its verdict. Out: a diagnostic as compilers draw it, with the cut and the place
//! where the open construct began. Never shows more of a huge line than a screen can hold.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use salve_types::{Finding, OpenConstruct, TruncationKind, Verdict};

// Beyond this the opener is named in words instead of drawn.
const DRAWN_BYTES: usize = 4096;
const DRAWN_LINE: usize = 200;

/// Draws a failed verdict; `name` is how the text is called.
pub(crate) fn verdict(text: &str, name: &str, verdict: &Verdict) -> String {
    let title = verdict.error_message.as_deref().unwrap_or("the text is cut");
    let kind = verdict.kind.map_or("SYNTAX_ERROR", TruncationKind::name);
    let end = text.trim_end().len();
    let opener = verdict.open.iter().rev().find(|open| Some(open.line) == verdict.opened_at_line);
    let (start, drawn_opener) = excerpt_start(text, end, opener);
    let first_line = 1 + text[..start].bytes().filter(|&byte| byte == b'\n').count();
    let mut snippet = Snippet::source(&text[start..end]).line_start(first_line).path(name);
    let cut = end - start;
    let last_char = text[start..end].chars().next_back().map_or(0, char::len_utf8);
    snippet = snippet
        .annotation(AnnotationKind::Primary.span(cut - last_char..cut).label(cut_label(verdict)));
    if let Some(open) = drawn_opener {
        let at = open.offset - start;
        let width = text[open.offset..end].chars().next().map_or(0, char::len_utf8);
        if width > 0 && at + width < cut {
            snippet = snippet
                .annotation(AnnotationKind::Context.span(at..at + width).label("opened here"));
        }
    }
    let mut group = Level::ERROR.primary_title(title).id(kind).element(snippet);
    if let (Some(open), None) = (opener, drawn_opener) {
        group = group.element(
            Level::NOTE.message(format!("opened at line {}, column {}", open.line, open.column)),
        );
    }
    if !verdict.closing.is_empty() {
        group =
            group.element(Level::HELP.message(format!(
                "what is open would be closed by: {}",
                shortened(&verdict.closing)
            )));
    }
    let mut drawn = Renderer::styled().decor_style(DecorStyle::Unicode).render(&[group]);
    drawn.push('\n');
    drawn
}

fn cut_label(verdict: &Verdict) -> String {
    let line = verdict.truncation_line.unwrap_or(1);
    format!("the text ends here, at line {line}")
}

// Where the drawn part begins, and the opener if it lies inside it.
fn excerpt_start<'a>(
    text: &str,
    end: usize,
    opener: Option<&'a OpenConstruct>,
) -> (usize, Option<&'a OpenConstruct>) {
    let line_start = text[..end].rfind('\n').map_or(0, |at| at + 1);
    let near = opener.filter(|open| {
        let start = text[..open.offset.min(end)].rfind('\n').map_or(0, |at| at + 1);
        end - start <= DRAWN_BYTES && text[start..end].lines().all(|line| line.len() <= DRAWN_LINE)
    });
    match near {
        Some(open) => {
            (text[..open.offset.min(line_start)].rfind('\n').map_or(0, |at| at + 1), near)
        }
        None if end - line_start <= DRAWN_LINE => (line_start, None),
        None => {
            let mut start = end - DRAWN_LINE;
            while !text.is_char_boundary(start) {
                start += 1;
            }
            (start, None)
        }
    }
}

/// Shows a text on one line, shortened, with its control characters visible.
pub(crate) fn shortened(text: &str) -> String {
    const MOST: usize = 60;
    let shown: String = text.chars().take(MOST).flat_map(visible).collect();
    if text.chars().nth(MOST).is_some() { format!("`{shown}…`") } else { format!("`{shown}`") }
}

fn visible(letter: char) -> Vec<char> {
    match letter {
        '\n' => vec!['↵'],
        '\t' => vec!['→'],
        other if other.is_control() => other.escape_default().collect(),
        other => vec![other],
    }
}

/// Draws a finding at its place.
pub(crate) fn finding(text: &str, name: &str, finding: &Finding) -> String {
    let start = text[..finding.span.start].rfind('\n').map_or(0, |at| at + 1);
    let rest = &text[start..];
    let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
    let first_line = 1 + text[..start].bytes().filter(|&byte| byte == b'\n').count();
    let title = Level::WARNING.primary_title(finding.message.as_str()).id(finding.code.name());
    let group = if line.len() <= DRAWN_LINE {
        let at = finding.span.start - start;
        let end = (finding.span.end - start).min(line.len()).max(at);
        title.element(
            Snippet::source(line)
                .line_start(first_line)
                .path(name)
                .annotation(AnnotationKind::Primary.span(at..end).label("here")),
        )
    } else {
        title.element(Level::NOTE.message(format!("at line {first_line} of {name}")))
    };
    let mut drawn = Renderer::styled().decor_style(DecorStyle::Unicode).render(&[group]);
    drawn.push('\n');
    drawn
}
