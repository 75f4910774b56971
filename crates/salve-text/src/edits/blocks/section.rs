//! What is between the markers of one block.
//!
//! In: the lines between the opening and the closing marker. Out: the old and the new lines, the
//! line the block names as its place, and what was tolerated. Never chooses between two rows of
//! equals signs that fit equally well.

use super::marker::{FEWEST_SIGNS, Form, Marker, is_rule, read_marker, unescape};
use super::{Line, strip_numbers};
use salve_types::{Hunk, HunkBody, Occurrence, Span};

/// A block's content.
#[derive(Debug)]
pub(super) struct Section {
    pub(super) hunk: Sides,
    /// What was tolerated, one sentence each.
    pub(super) remarks: Vec<String>,
}

/// The two sides of a block and where it claims to stand.
#[derive(Debug)]
pub(super) struct Sides {
    old: Vec<String>,
    new: Vec<String>,
    hint: Option<u32>,
}

/// Why a block cannot be read.
#[derive(Debug)]
pub(super) struct Fault {
    /// The line, counted from the first one of the block's content.
    pub(super) line: usize,
    pub(super) why: String,
}

impl Sides {
    /// Returns whether the block changes nothing.
    pub(super) fn is_without_effect(&self) -> bool {
        self.old == self.new
    }

    /// Makes the hunk.
    pub(super) fn into_hunk(self, span: Span) -> Hunk {
        Hunk {
            body: HunkBody::Block { old: self.old, new: self.new },
            hint: self.hint,
            anchors: Vec::new(),
            occurrence: Occurrence::One,
            at_end: false,
            span,
        }
    }
}

/// Reads the lines between the markers of a block.
pub(super) fn read_section(
    lines: &[Line<'_>],
    open: Form,
    indent: usize,
) -> Result<Section, Fault> {
    let mut remarks = Vec::new();
    let (first, claimed) = read_metadata(lines, open, &mut remarks)?;
    let separator = find_separator(lines, first, open, indent, &mut remarks)?;
    let replacement = &lines[separator + 1..];
    if let Some(at) = replacement.iter().position(|line| is_metadata(line.text)) {
        let why = format!(
            "`{}` is in the new text; a place is named in the old text only, and a line of \
             the file that looks like it gets a backslash before it",
            replacement[at].text.trim()
        );
        return Err(Fault { line: separator + 1 + at, why });
    }
    let plain = |lines: &[Line<'_>]| -> Vec<String> {
        lines.iter().map(|line| unescape(line.text).to_owned()).collect()
    };
    let (mut old, mut new) = (plain(&lines[first..separator]), plain(replacement));
    let listed = strip_numbers(&mut old, &mut new, claimed);
    if listed.is_some() {
        remarks.push("line numbers before the lines were taken away".to_owned());
    }
    if (claimed.is_some() || listed.is_some()) && drop_marker_space(&old, &mut new) {
        remarks.push("a line of spaces after `=======` was left out".to_owned());
    }
    Ok(Section { hunk: Sides { old, new, hint: claimed.or(listed) }, remarks })
}

// The dialect with places and listings counts white space after a marker as part of it. A line of
// nothing but spaces before the new text is such space; an empty line may be meant, and stays.
fn drop_marker_space(old: &[String], new: &mut Vec<String>) -> bool {
    let is_spaces = |line: &String| !line.is_empty() && line.trim().is_empty();
    let drops = new.len() > 1
        && new.first().is_some_and(is_spaces)
        && old.first().is_some_and(|line| !line.trim().is_empty());
    if drops {
        new.remove(0);
    }
    drops
}

// `:start_line:12`, `:end_line:14` and a row of dashes: gives the first line of content and the
// line that is named.
fn read_metadata(
    lines: &[Line<'_>],
    open: Form,
    remarks: &mut Vec<String>,
) -> Result<(usize, Option<u32>), Fault> {
    let mut start = None;
    let mut at = 0;
    while let Some(line) = lines.get(at)
        && let Some((name, value)) = split_metadata(line.text)
    {
        let number = value.trim_start_matches([':', '=', ' ', '\t']).trim().parse().ok();
        if number.is_none() {
            let why = format!("`{}` names no line; write `:{name}:12`", line.text.trim());
            return Err(Fault { line: at, why });
        }
        if !value.starts_with(':') {
            remarks.push(format!("`{}` was read as `:{name}:`", line.text.trim()));
        }
        if name == "start_line" {
            start = number;
        }
        at += 1;
    }
    let ruled = lines.get(at).is_some_and(|line| is_rule(line.text));
    // Without a place, a row of dashes may still end the empty metadata of that dialect.
    let bare = at == 0 && open.sign == b'<' && lines.first().is_some_and(|l| l.text == "-------");
    if ruled && bare {
        remarks.push("a row of dashes before the old text was left out".to_owned());
    }
    // Line 0 is how that dialect says that no line is meant.
    let start = start.filter(|&line| line > 0);
    Ok((if ruled && (at > 0 || bare) { at + 1 } else { at }, start))
}

fn split_metadata(line: &str) -> Option<(&'static str, &str)> {
    let rest = line.trim().strip_prefix(':')?;
    ["start_line", "end_line"].into_iter().find_map(|name| {
        let value = rest.strip_prefix(name)?;
        value.starts_with([':', '=', ' ']).then_some((name, value))
    })
}

fn is_metadata(line: &str) -> bool {
    split_metadata(line).is_some_and(|(_, value)| value.starts_with(':'))
}

fn find_separator(
    lines: &[Line<'_>],
    first: usize,
    open: Form,
    indent: usize,
    remarks: &mut Vec<String>,
) -> Result<usize, Fault> {
    let rows: Vec<(usize, usize)> = lines
        .iter()
        .enumerate()
        .skip(first)
        .filter(|(_, line)| line.indent() <= indent)
        .filter_map(|(at, line)| match read_marker(line.text) {
            Some(Marker::Separator(length)) => Some((at, length)),
            _ => None,
        })
        .collect();
    // A row that is as long as the opening marker is meant before a title's underline is.
    let fits: [&dyn Fn(usize) -> bool; 3] =
        [&|length| length == open.length, &|length| length >= FEWEST_SIGNS, &|_| true];
    for fit in fits {
        let mut fitting = rows.iter().filter(|(_, length)| fit(*length));
        let Some(&(at, length)) = fitting.next() else { continue };
        if let Some(&(second, _)) = fitting.next() {
            let why = "a second row of equals signs is in the block, so that it is not clear \
                       where the new text begins; write a backslash before the row that belongs \
                       to the file";
            return Err(Fault { line: second, why: why.to_owned() });
        }
        if length < FEWEST_SIGNS {
            remarks.push(format!("a row of {length} equals signs was taken for `=======`"));
        }
        return Ok(at);
    }
    let why = "the block has no line `=======` between the old and the new text".to_owned();
    Err(Fault { line: lines.len(), why })
}
