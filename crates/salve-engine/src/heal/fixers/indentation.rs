//! Wrong indentation in Python.
//!
//! In: a diagnostic that a line is too deep, not deep enough, or at a depth that no block has. Out: drafts
//! that move the line, or the block it begins, to a depth that is in use there. Only white space changes.

use super::draft::{Draft, Likelihood};
use super::view::{SourceFile, View};
use crate::heal::TextChange;
use salve_types::{Diagnostic, ErrorClass, Hint, IndentationFault, Language, Span};

const AUTHOR: &str = "indentation";
// The most lines of a block that is moved as a whole.
const BLOCK: u32 = 400;

/// Drafts other depths for the line a diagnostic points at.
pub(super) fn fix(diagnostic: &Diagnostic, view: &View<'_>) -> Vec<Draft> {
    let Some(span) = diagnostic.primary() else { return Vec::new() };
    let Some(file) = view.file(&span.path).filter(|file| file.language() == Language::Python)
    else {
        return Vec::new();
    };
    let Some(line) = span.start.map(|start| start.line) else { return Vec::new() };
    let fault = diagnostic.hints.iter().find_map(|hint| match hint {
        Hint::WrongIndentation { kind } => Some(*kind),
        _ => None,
    });
    match fault {
        Some(IndentationFault::Mixed) => without_tabs(&file),
        Some(fault) => moved(&file, line, fault),
        // A line that lost its depth is often told as bad syntax: an `else` without its `if`.
        None if diagnostic.class == ErrorClass::Syntax => displaced(&file, line),
        None => Vec::new(),
    }
}

fn depth(file: &SourceFile, line: u32) -> Option<usize> {
    let text = text(file, line)?;
    let depth = text.len() - text.trim_start().len();
    (!text.trim().is_empty()).then_some(depth)
}

fn text(file: &SourceFile, line: u32) -> Option<&str> {
    file.text().get(file.line(line)?.range())
}

fn above(file: &SourceFile, line: u32) -> Option<u32> {
    (1..line).rev().find(|&other| depth(file, other).is_some())
}

fn moved(file: &SourceFile, line: u32, fault: IndentationFault) -> Vec<Draft> {
    let (Some(now), Some(before)) = (depth(file, line), above(file, line)) else {
        // Nothing is above: the text begins at the margin.
        return depths(file, line, &[(String::new(), Likelihood::Strong)]);
    };
    let unit = unit(file);
    let indent = |line: u32| {
        text(file, line)
            .map_or(String::new(), |text| text[..text.len() - text.trim_start().len()].to_owned())
    };
    let mut wanted: Vec<(String, Likelihood)> = Vec::new();
    match fault {
        IndentationFault::ExpectedBlock => {
            wanted.push((format!("{}{unit}", indent(before)), Likelihood::Strong));
        }
        _ => {
            wanted.push((indent(before), Likelihood::Strong));
            if text(file, before).is_some_and(|text| text.trim_end().ends_with(':')) {
                wanted.insert(0, (format!("{}{unit}", indent(before)), Likelihood::Strong));
            }
            // The depths in use above, the nearest first.
            let mut levels: Vec<String> = Vec::new();
            let mut limit = usize::MAX;
            for other in (line.saturating_sub(200).max(1)..line).rev() {
                if let Some(depth) = depth(file, other).filter(|&depth| depth < limit) {
                    limit = depth;
                    levels.push(indent(other));
                }
            }
            levels.sort_by_key(|level| level.len().abs_diff(now));
            wanted.extend(levels.into_iter().take(4).map(|level| (level, Likelihood::Fair)));
        }
    }
    depths(file, line, &wanted)
}

// The line alone, and the block that begins with it, at each depth.
fn depths(file: &SourceFile, line: u32, wanted: &[(String, Likelihood)]) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for (indent, likelihood) in wanted {
        let alone = reindented(file, line..line + 1, indent);
        let block = reindented(file, line..block_end(file, line), indent);
        let what = |lines: &str| format!("indent {lines} by {}", indent.chars().count());
        let one = Draft::derived(AUTHOR, *likelihood, what(&format!("line {line}")), alone);
        let all = Draft::derived(
            AUTHOR,
            *likelihood,
            what(&format!("the block from line {line}")),
            block,
        );
        drafts.extend([one, all]);
    }
    drafts
}

// Past the last line that is as deep as this one or deeper.
fn block_end(file: &SourceFile, line: u32) -> u32 {
    let Some(first) = depth(file, line) else { return line + 1 };
    let mut end = line + 1;
    for other in line + 1..line.saturating_add(BLOCK) {
        if file.line(other).is_none() {
            break;
        }
        match depth(file, other) {
            None => {}
            Some(depth) if depth >= first => end = other + 1,
            Some(_) => break,
        }
    }
    end
}

fn reindented(file: &SourceFile, lines: std::ops::Range<u32>, indent: &str) -> Vec<TextChange> {
    let Some(first) = depth(file, lines.start) else { return Vec::new() };
    let change = |line: u32| {
        let depth = depth(file, line)?;
        let span = file.line(line)?;
        let kept = first.min(depth);
        Some(file.change(Span::new(span.start, span.start + kept), indent))
    };
    lines.filter_map(change).collect()
}

// A line among others that may have lost its depth: at that of the line above, one deeper, one less deep.
fn displaced(file: &SourceFile, line: u32) -> Vec<Draft> {
    let (Some(now), Some(before)) = (depth(file, line), above(file, line)) else {
        return Vec::new();
    };
    let unit = unit(file);
    let Some(before) = depth(file, before) else { return Vec::new() };
    let one = unit.len().max(1);
    let mut wanted: Vec<usize> =
        vec![before, before + one, before.saturating_sub(one), now + one, now.saturating_sub(one)];
    wanted.retain(|&depth| depth != now);
    let mut seen = Vec::new();
    wanted.retain(|&depth| {
        let is_new = !seen.contains(&depth);
        seen.push(depth);
        is_new
    });
    let blank = if unit.starts_with('\t') { "\t" } else { " " };
    let wanted: Vec<(String, Likelihood)> =
        wanted.iter().take(3).map(|&depth| (blank.repeat(depth), Likelihood::Weak)).collect();
    depths(file, line, &wanted)
}

// What one level is in this file: the smallest step that it takes.
fn unit(file: &SourceFile) -> String {
    let mut smallest: Option<&str> = None;
    for text in file.text().lines().take(2_000).filter(|line| !line.trim().is_empty()) {
        let indent = &text[..text.len() - text.trim_start().len()];
        if !indent.is_empty()
            && smallest.is_none_or(|known| indent.len() < known.len())
            && indent.len() > 1
            || indent == "\t"
        {
            smallest = Some(indent);
        }
    }
    match smallest {
        Some(indent) if indent.starts_with('\t') => "\t".to_owned(),
        Some(indent) if matches!(indent.len(), 2 | 3 | 4 | 8) => indent.to_owned(),
        _ => "    ".to_owned(),
    }
}

fn without_tabs(file: &SourceFile) -> Vec<Draft> {
    let expanded = |width: usize| -> Vec<TextChange> {
        let mut changes = Vec::new();
        for line in 1..=file.line_of(file.text().len()) {
            let (Some(span), Some(text)) = (file.line(line), text(file, line)) else { continue };
            let indent = &text[..text.len() - text.trim_start().len()];
            if indent.contains('\t') && !text.trim().is_empty() {
                let mut columns = 0;
                for one in indent.chars() {
                    columns = if one == '\t' { (columns / width + 1) * width } else { columns + 1 };
                }
                changes.push(file.change(
                    Span::new(span.start, span.start + indent.len()),
                    &" ".repeat(columns),
                ));
            }
        }
        changes
    };
    [4, 8]
        .into_iter()
        .map(|width| {
            let what = format!("write tabs as {width} spaces");
            Draft::derived(AUTHOR, Likelihood::Strong, what, expanded(width))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::heal::fixers::testing::{Files, proposals, said_of};
    use salve_types::ErrorClass;

    #[test]
    fn a_line_is_moved_to_a_depth_in_use() {
        for (broken, message, line, whole) in [
            (
                "def f():\nreturn 1\n",
                "expected an indented block after function definition on line 1",
                2,
                "def f():\n    return 1\n",
            ),
            ("x = 1\n  y = 2\n", "unexpected indent", 2, "x = 1\ny = 2\n"),
            (
                "def f():\n    x = 1\n  return x\n",
                "unindent does not match any outer indentation level",
                3,
                "def f():\n    x = 1\n    return x\n",
            ),
            (
                "def f(a):\n    for x in a:\n    print(x)\n    print(a)\n    return a\n",
                "expected an indented block after 'for' statement on line 2",
                3,
                "def f(a):\n    for x in a:\n        print(x)\n    print(a)\n    return a\n",
            ),
            (
                "def f():\n\tx = 1\n        return x\n",
                "inconsistent use of tabs and spaces in indentation",
                3,
                "def f():\n        x = 1\n        return x\n",
            ),
        ] {
            let files = Files::new(&[("a.py", broken)]);
            let diagnostic = said_of(ErrorClass::Syntax, "python", message, "a.py", (line, 1));
            let made = proposals(&[diagnostic], &files, "a.py");
            let at = made.iter().position(|text| text == whole);
            assert!(at.is_some_and(|at| at < 4), "{message}: {made:#?}");
        }
    }
}
