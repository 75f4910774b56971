//! The indentation of new lines where a hunk's indentation is not the file's.
//!
//! In: lines of a hunk, the lines of the file they matched, new lines. Out: whether one shift
//! explains all of them, and the new lines shifted alike. Never: a change of lines that stay.

use super::pattern::Pattern;
use crate::FileText;

/// How the file's indentation follows from the hunk's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Shift {
    /// As written.
    None,
    /// The file has this more.
    Deeper(String),
    /// The hunk has this more.
    Shallower(String),
    /// Each indentation of the hunk stands for one of the file, shortest first.
    Mapped(Vec<(String, String)>),
    /// Line by line, as the nearest old line is shifted.
    Nearest,
}

/// Finds the one shift that explains the indentation of every line from `first` on.
pub(crate) fn uniform_shift(pattern: &Pattern<'_>, text: &FileText, first: usize) -> Option<Shift> {
    let lines = pattern.old.iter().enumerate();
    let mut pairs: Vec<(&str, &str)> = lines
        .filter(|(_, line)| !line.text.trim().is_empty())
        .map(|(offset, line)| (indent(&line.text), indent(text.line(first + offset))))
        .collect();
    pairs.sort_unstable_by_key(|(old, _)| old.len());
    pairs.dedup();
    let &(old, file) = pairs.first()?;
    let deeper = file.strip_suffix(old).map(str::to_owned);
    let shallower = old.strip_suffix(file).map(str::to_owned);
    if pairs.iter().all(|(old, file)| old == file) {
        Some(Shift::None)
    } else if let Some(more) = deeper
        && pairs.iter().all(|(old, file)| file.strip_prefix(more.as_str()) == Some(old))
    {
        Some(Shift::Deeper(more))
    } else if let Some(more) = shallower
        && pairs.iter().all(|(old, file)| old.strip_prefix(more.as_str()) == Some(file))
    {
        Some(Shift::Shallower(more))
    } else {
        let grows = |pair: &[(&str, &str)]| {
            width(pair[0].0) < width(pair[1].0) && width(pair[0].1) < width(pair[1].1)
        };
        // Levels of another width, or tabs for blanks; anything else is another shape.
        let wider = |pair: &[(&str, &str)]| {
            width(pair[0].0) * width(pair[1].1) == width(pair[1].0) * width(pair[0].1)
        };
        let tabs = |indent: &str| indent.contains('\t');
        let other =
            pairs.iter().all(|(old, _)| !tabs(old)) != pairs.iter().all(|(_, file)| !tabs(file));
        let mapped = pairs.windows(2).all(grows) && (other || pairs.windows(2).all(wider));
        let owned = |(old, file): &(&str, &str)| ((*old).to_owned(), (*file).to_owned());
        mapped.then(|| Shift::Mapped(pairs.iter().map(owned).collect()))
    }
}

/// Writes new lines with the file's indentation. `near` is the nearest old line of the hunk and the
/// line of the file it matched.
pub(crate) fn shifted(line: &str, shift: &Shift, near: Option<(&str, &str)>) -> String {
    let (own, body) = line.split_at(indent(line).len());
    if body.is_empty() {
        return line.to_owned();
    }
    let indent = match shift {
        // No style indents by a single blank: it is a stray one beside the old line, not a level.
        Shift::Deeper(more) if more == " " => own.to_owned(),
        Shift::None => own.to_owned(),
        Shift::Deeper(more) => format!("{more}{own}"),
        Shift::Shallower(more) => own.strip_prefix(more.as_str()).unwrap_or(own).to_owned(),
        Shift::Mapped(pairs) => mapped(own, pairs),
        Shift::Nearest => near.map_or_else(|| own.to_owned(), |(old, file)| beside(own, old, file)),
    };
    indent + body
}

/// Returns the blanks a line begins with.
pub(crate) fn indent(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

fn mapped(own: &str, pairs: &[(String, String)]) -> String {
    let below = pairs.iter().rev().find(|(old, _)| own.starts_with(old.as_str()));
    let Some((old, file)) = below else {
        // Less deep than everything that is known: as much less, where the signs allow it.
        let least = pairs.first();
        return least
            .and_then(|(old, file)| scaled(own, old, file))
            .unwrap_or_else(|| least.map_or_else(|| own.to_owned(), |(_, file)| file.clone()));
    };
    let Some(rest) = own.strip_prefix(old.as_str()).filter(|rest| !rest.is_empty()) else {
        return file.clone();
    };
    // The step from one level to the next tells what one deeper level is in the file.
    let step = pairs.windows(2).find_map(|pair| {
        let old = pair[1].0.strip_prefix(pair[0].0.as_str())?;
        let file = pair[1].1.strip_prefix(pair[0].1.as_str())?;
        scaled(rest, old, file)
    });
    // One level alone tells it too: how many blanks a tab stands for, or the reverse.
    let step = step.or_else(|| scaled(rest, old, file));
    format!("{file}{}", step.unwrap_or_else(|| rest.to_owned()))
}

// Blanks of the hunk become tabs of the file in the ratio of the two, or the reverse; nothing where they
// mix or do not come out even.
fn scaled(own: &str, old: &str, file: &str) -> Option<String> {
    let sign = |indent: &str| {
        let first = indent.chars().next()?;
        indent.chars().all(|other| other == first).then_some(first)
    };
    let (from, to) = (sign(old)?, sign(file)?);
    let even = own.chars().all(|other| other == from)
        && (own.len() * file.len()).is_multiple_of(old.len());
    even.then(|| to.to_string().repeat(own.len() * file.len() / old.len()))
}

// As much deeper or shallower than the file's line as the new line is than the old one.
fn beside(own: &str, old: &str, file: &str) -> String {
    let (old, file) = (indent(old), indent(file));
    let other_sign = old.contains('\t') != file.contains('\t');
    if let Some(scaled) = scaled(own, old, file).filter(|_| other_sign) {
        return scaled;
    }
    if let Some(deeper) = own.strip_prefix(old) {
        return format!("{file}{deeper}");
    }
    match old.strip_prefix(own).and_then(|less| file.strip_suffix(less)) {
        Some(shallower) => shallower.to_owned(),
        None => own.to_owned(),
    }
}

fn width(indent: &str) -> usize {
    indent.chars().map(|character| if character == '\t' { 8 } else { 1 }).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::pattern::{Pattern, hunk_lines};

    #[test]
    fn one_shift_explains_every_line_or_there_is_none() {
        let cases = [
            (" a\n   b", "  a\n    b\n", Some(Shift::Deeper("  ".into()))),
            ("     a\n       b", "a\n  b\n", Some(Shift::Shallower("    ".into()))),
            (" a\n b", "a\nb\n", Some(Shift::None)),
            (" a\n   b\n a", "a\n    b\n  a\n", None),
            (
                "     a\n         b",
                "\ta\n\t\tb\n",
                Some(Shift::Mapped(vec![
                    ("    ".into(), "\t".into()),
                    ("        ".into(), "\t\t".into()),
                ])),
            ),
            (" a\n \tb", "\ta\n\t\tb\n", Some(Shift::Deeper("\t".into()))),
        ];
        for (hunk, file, expected) in cases {
            let lines = hunk_lines(hunk);
            let text = FileText::plain(file.to_owned());
            assert_eq!(uniform_shift(&Pattern::of_lines(&lines), &text, 0), expected, "{hunk}");
        }
    }

    #[test]
    fn new_lines_are_shifted_as_the_old_ones_are() {
        let tabs = Shift::Mapped(vec![("    ".into(), "\t".into())]);
        let wide = Shift::Mapped(vec![("".into(), "".into()), ("  ".into(), "    ".into())]);
        let near = Some(("  old", "      file"));
        let two_tabs = Shift::Mapped(vec![("\t\t".into(), "        ".into())]);
        for (line, shift, expected) in [
            ("x", Shift::Deeper("\t".into()), "\tx"),
            ("  x", Shift::Deeper(" ".into()), "  x"),
            ("    x", Shift::Shallower("  ".into()), "  x"),
            ("x", Shift::Shallower("  ".into()), "x"),
            ("        x", tabs, "\t\tx"),
            ("    x", wide, "        x"),
            ("    x", Shift::Nearest, "        x"),
            ("x", Shift::Nearest, "    x"),
            ("\t\t\tx", two_tabs.clone(), "            x"),
            ("\tx", two_tabs.clone(), "    x"),
            ("x", two_tabs, "x"),
            ("", Shift::Deeper("    ".into()), ""),
        ] {
            assert_eq!(shifted(line, &shift, near), expected, "{line:?} {shift:?}");
        }
    }
}
