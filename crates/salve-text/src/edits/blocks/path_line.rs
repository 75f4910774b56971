//! The file that an edit in prose or in a fence names above itself.
//!
//! In: the lines of a reply and the line where an edit begins. Out: the path that is in the
//! lines above it, if one does. Never goes further up than `MOST_LINES`, past another edit or past
//! a paragraph of talk.

use super::Line;
use crate::clean::{is_fence_line, path_label, read_info};
use crate::markdown::{Fence, Lead};

// A fence, its name, a mangled fence, a tag and blank lines: nothing else is between a path and
// its edit.
const MOST_LINES: usize = 8;

/// Looks for the path above the line `at`, not above the line `floor`.
pub(in crate::edits) fn path_above(lines: &[Line<'_>], at: usize, floor: usize) -> Option<String> {
    let floor = floor.max(at.saturating_sub(MOST_LINES));
    for above in (floor..at).rev() {
        let text = lines[above].text;
        let line = text.trim();
        if line.is_empty() {
            continue;
        }
        if is_fence_line(line) {
            let fence = Fence::read(line, Lead::Blanks);
            if let Some(path) = fence.and_then(|fence| read_info(fence.info(line)).path) {
                return Some(path);
            }
            continue;
        }
        if let Some(path) = tagged_path(line) {
            return Some(path);
        }
        if is_tag(line) {
            continue;
        }
        let fenced = above > floor && is_fence_line(lines[above - 1].text.trim());
        return path_label(line)
            .or_else(|| (fenced && above + 1 == at).then(|| any_name(line)).flatten())
            .or_else(|| quoted_path(line));
    }
    None
}

// `<path>src/a.ts</path>`, as tools that wrap their calls in tags write it.
fn tagged_path(line: &str) -> Option<String> {
    ["path", "file_path", "filePath"].iter().find_map(|name| {
        let from = line.find(&format!("<{name}>"))? + name.len() + 2;
        let rest = line.get(from..)?;
        let path = rest.get(..rest.find(&format!("</{name}>"))?)?.trim();
        (!path.is_empty()).then(|| path.to_owned())
    })
}

fn is_tag(line: &str) -> bool {
    line.starts_with('<') && line.ends_with(['>', '['])
}

// Directly between a fence and a marker is a name and nothing else, whatever it looks like.
fn any_name(line: &str) -> Option<String> {
    let name = line.trim_matches(['#', '*', '`', ' ', '"', '\'']).trim_end_matches(':').trim();
    let fits = !name.is_empty()
        && name.len() <= 200
        && !name.contains(char::is_whitespace)
        && name.chars().any(char::is_alphanumeric)
        && !name.contains(['<', '>', '|', '(', ')', '{', '}', ';', '=', ',']);
    fits.then(|| name.to_owned())
}

/// Finds the one file that a sentence quotes, as in "In `src/a.ts`, change the call:".
///
/// A sentence that quotes two files names none.
pub(in crate::edits) fn quoted_path(line: &str) -> Option<String> {
    const LONGEST: usize = 300;
    if line.len() > LONGEST {
        return None;
    }
    let mut paths = line.split('`').skip(1).step_by(2).filter_map(path_label);
    let first = paths.next()?;
    paths.all(|other| other == first).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::super::split_lines;
    use super::*;

    #[test]
    fn the_path_is_found_where_models_write_it() {
        let cases = [
            ("src/a.py\n", Some("src/a.py")),
            ("src/a.py\n```python\n", Some("src/a.py")),
            ("```python\nsrc/a.py\n", Some("src/a.py")),
            ("```python src/a.py\n", Some("src/a.py")),
            ("```python\nsrc/a.py\n```\n```python\n", Some("src/a.py")),
            ("**src/a.py**\n\n```\n", Some("src/a.py")),
            ("### `src/a.py`:\n```\n", Some("src/a.py")),
            ("```\nbin/run\n", Some("bin/run")),
            ("```\nJustfile\n", Some("Justfile")),
            ("In `src/a.py`, change the call:\n```\n", Some("src/a.py")),
            ("`src/a.py` is like `src/b.py`:\n```\n", None),
            ("<path>src/a.py</path>\n<diff>\n", Some("src/a.py")),
            ("<file_path>bin/run</file_path>\n<diff>\n<![CDATA[\n", Some("bin/run")),
            ("Changes:\n", None),
            ("Here is the change.\n\n```python\n", None),
            ("src/a.py\nsome talk\n", None),
            ("", None),
        ];
        for (text, expected) in cases {
            let lines = split_lines(text);
            assert_eq!(path_above(&lines, lines.len(), 0).as_deref(), expected, "{text}");
        }
    }
}
