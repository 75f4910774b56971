//! One reader of file names for every format: the name that a reply writes above an edit.
//!
//! In: the lines of a reply and the names that the caller knows to be files. Out: the path above an
//! edit, or every name above an edit that might be one. Never goes further up than `MOST_LINES`, past
//! another edit or past a paragraph of talk.

use super::EditOptions;
use super::blocks::{Line, split_lines};
use super::carriers::Carrier;
use crate::clean::{is_fence_line, label_name, path_label, read_info};
use crate::markdown::{Fence, Lead};

// A fence, its name, a mangled fence, a tag and blank lines: nothing else is between a path and
// its edit.
const MOST_LINES: usize = 8;
// More names than these are not asked about.
const MOST_NAMES: usize = 64;
const LONGEST_NAME: usize = 200;
const LONGEST_SENTENCE: usize = 300;

/// Looks for the path above the line `at`, not above the line `floor`. `files` are names that are
/// known to be files.
pub(super) fn path_above(
    lines: &[Line<'_>],
    at: usize,
    floor: usize,
    files: &[String],
) -> Option<String> {
    let floor = floor.max(at.saturating_sub(MOST_LINES));
    for above in (floor..at).rev() {
        let line = lines[above].text.trim();
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
        return known_name(line, files)
            .or_else(|| path_label(line))
            .or_else(|| (fenced && above + 1 == at).then(|| any_name(line)).flatten())
            .or_else(|| quoted_path(line));
    }
    None
}

/// Lists the names above edits of a reply that may be those of files, in the order of the reply.
/// The caller that has the files says which are.
pub fn possible_names(text: &str) -> Vec<String> {
    let lines = split_lines(text);
    let mut names: Vec<String> = Vec::new();
    for at in (0..lines.len()).filter(|&at| begins_edit(lines[at].text)) {
        let above = (at.saturating_sub(MOST_LINES)..at).rev().map(|above| lines[above].text.trim());
        let mut above = above.filter(|line| !line.is_empty() && !is_fence_line(line));
        for name in above.next().map(names_in).unwrap_or_default() {
            if names.len() < MOST_NAMES && !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// Gives the diffs of a reply that have no header the name above them.
pub(super) fn from_above(mut carrier: Carrier, text: &str, options: &EditOptions) -> Carrier {
    if carrier.set.files.iter().all(|file| file.path.is_some()) {
        return carrier;
    }
    let lines = split_lines(text);
    let line_at = |offset: usize| lines.partition_point(|line| line.span.end <= offset);
    let mut floor = 0;
    for file in &mut carrier.set.files {
        let at = line_at(file.span.start);
        if file.path.is_none() {
            file.path = path_above(&lines, at, floor, &options.files);
        }
        floor = line_at(file.span.end.max(1) - 1) + 1;
    }
    carrier
}

/// Returns the name on a line, or the one quoted in it, that is known to be a file.
pub(super) fn known_name(line: &str, files: &[String]) -> Option<String> {
    let known = |name: &String| files.contains(name);
    let mut found = names_in(line).into_iter().filter(known);
    let first = found.next()?;
    found.all(|other| other == first).then_some(first)
}

fn names_in(line: &str) -> Vec<String> {
    if line.len() > LONGEST_SENTENCE {
        return Vec::new();
    }
    let quoted = line.split('`').skip(1).step_by(2).map(label_name);
    let names = std::iter::once(label_name(line)).chain(quoted);
    let fits = |name: &&str| {
        !name.is_empty() && name.len() <= LONGEST_NAME && name.chars().any(char::is_alphanumeric)
    };
    names.filter(fits).map(str::to_owned).collect()
}

/// Tells whether a line may be the first one of an edit, or of the fence around it.
pub(super) fn begins_edit(line: &str) -> bool {
    let line = line.trim_start();
    is_fence_line(line) || ["<<<", "---", "@@"].iter().any(|mark| line.starts_with(mark))
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
        && name.len() <= LONGEST_NAME
        && !name.contains(char::is_whitespace)
        && name.chars().any(char::is_alphanumeric)
        && !name.contains(['<', '>', '|', '(', ')', '{', '}', ';', '=', ',']);
    fits.then(|| name.to_owned())
}

/// Finds the one file that a sentence quotes, as in "In `src/a.ts`, change the call:".
///
/// A sentence that quotes two files names none.
pub(super) fn quoted_path(line: &str) -> Option<String> {
    if line.len() > LONGEST_SENTENCE {
        return None;
    }
    let mut paths = line.split('`').skip(1).step_by(2).filter_map(path_label);
    let first = paths.next()?;
    paths.all(|other| other == first).then_some(first)
}

#[cfg(test)]
mod tests {
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
            ("__init__.py\n", Some("__init__.py")),
            ("_private.py\n```\n", Some("_private.py")),
            ("**pkg/__init__.py**\n", Some("pkg/__init__.py")),
            ("_src/a.py_:\n", Some("src/a.py")),
            ("__src/a.py__\n", Some("src/a.py")),
            ("", None),
        ];
        for (text, expected) in cases {
            let lines = split_lines(text);
            assert_eq!(path_above(&lines, lines.len(), 0, &[]).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_line_that_names_a_known_file_is_its_path() {
        let names =
            ["go.mod", "Jenkinsfile", "src/config", "my file.txt", ".git/config", "data.dat"];
        let files: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        for name in names {
            for shape in [
                format!("{name}\n"),
                format!("**{name}**\n```\n"),
                format!("### {name}\n\n```diff\n"),
                format!("File: {name}\n```\n"),
                format!("In `{name}`, change:\n```\n"),
                format!("`{name}`:\n"),
            ] {
                let lines = split_lines(&shape);
                let found = path_above(&lines, lines.len(), 0, &files);
                assert_eq!(found.as_deref(), Some(name), "{shape}");
                let edit = format!("{shape}<<<<<<< SEARCH\na\n");
                assert!(possible_names(&edit).iter().any(|found| found == name), "{shape}");
            }
        }
        let lines = split_lines("`go.mod` is like `data.dat`:\n");
        assert_eq!(path_above(&lines, lines.len(), 0, &files), None);
    }

    #[test]
    fn a_diff_without_a_header_takes_the_name_above_it() {
        let options = EditOptions { files: vec!["go.mod".to_owned()], ..EditOptions::default() };
        for (above, expected) in [
            ("`src/a.py`:\n", "src/a.py"),
            ("src/a.py:\n", "src/a.py"),
            ("**src/a.py**\n", "src/a.py"),
            ("### src/a.py\n", "src/a.py"),
            ("In `src/a.py`, change:\n", "src/a.py"),
            ("File: src/a.py\n", "src/a.py"),
            ("go.mod\n", "go.mod"),
        ] {
            for header in ["@@\n", "@@ -1,3 +1,3 @@\n", ""] {
                let text = format!("{above}\n```diff\n{header} a\n-b\n+c\n d\n```\n");
                let set = super::super::parse_edits(&text, &options);
                let paths: Vec<_> = set.files.iter().map(|file| file.path.as_deref()).collect();
                let expected = if header.is_empty() { paths.clone() } else { vec![Some(expected)] };
                assert_eq!(paths, expected, "{text}");
            }
        }
    }
}
