//! The changes of a workload in the two forms that Salve takes them in.
//!
//! In: changes. Out: an edit set as a parser would return it, or a diff as a model would write it.
//! Never asks the code under test.

use super::{Change, Contents, Given, contents_of};
use salve_types::{
    EditEnd, EditFormat, EditSet, FileChange, FileEdit, Hunk, HunkBody, Occurrence, Span,
};

/// Writes changes as an edit set.
pub(crate) fn as_edits(changes: &[Change]) -> EditSet {
    EditSet {
        format: EditFormat::JsonTool,
        files: changes.iter().map(as_edit).collect(),
        end: EditEnd::Complete,
        notes: Vec::new(),
        hashes: None,
    }
}

fn as_edit(change: &Change) -> FileEdit {
    let (path, to) = change.paths();
    let (body, mode) = match change {
        Change::Replace(_, old, new) => (FileChange::Patch(vec![hunk(old, new)]), None),
        Change::Create(_, text) => (FileChange::Create(text.clone()), None),
        Change::Delete(_) => (FileChange::Delete, None),
        Change::Rename(..) => (FileChange::Keep, None),
        Change::Mode(_, mode) => (FileChange::Keep, Some(*mode)),
    };
    FileEdit {
        path: Some(path.to_owned()),
        change: body,
        rename_to: to.map(str::to_owned),
        mode,
        span: Span { start: 0, end: 0 },
    }
}

fn hunk(old: &str, new: &str) -> Hunk {
    Hunk {
        body: HunkBody::Text { old: old.to_owned(), new: new.to_owned() },
        hint: None,
        anchors: Vec::new(),
        occurrence: Occurrence::One,
        at_end: false,
        span: Span { start: 0, end: 0 },
    }
}

/// Writes changes as a diff with git's headers.
pub(crate) fn as_diff(files: Vec<Given>, changes: &[Change]) -> String {
    let mut files: Contents = contents_of(files);
    let mut diff = String::new();
    for change in changes {
        let before = files.clone();
        change.do_to(&mut files);
        let (path, to) = change.paths();
        let old = before.get(path);
        let new = files.get(to.unwrap_or(path));
        diff.push_str(&format!("diff --git a/{path} b/{}\n", to.unwrap_or(path)));
        match (change, old, new) {
            (Change::Mode(..), Some((_, old)), Some((_, new))) => {
                diff.push_str(&format!("old mode 100{old:o}\nnew mode 100{new:o}\n"));
            }
            (Change::Rename(from, to), ..) => {
                let lines = format!("similarity index 100%\nrename from {from}\nrename to {to}\n");
                diff.push_str(&lines);
            }
            (_, old, new) => {
                let (old, new) = (old.map(|(bytes, _)| bytes), new.map(|(bytes, _)| bytes));
                diff.push_str(&whole_hunk(path, old, new));
            }
        }
    }
    diff
}

/// One hunk that takes every line of a file away and puts every line of the new one in its place.
fn whole_hunk(path: &str, old: Option<&Vec<u8>>, new: Option<&Vec<u8>>) -> String {
    let mode = match (old, new) {
        (None, _) => "new file mode 100644\n",
        (_, None) => "deleted file mode 100644\n",
        _ => "",
    };
    let name = |side: &str, there: bool| {
        if there { format!("{side}/{path}") } else { "/dev/null".to_owned() }
    };
    let (minus, removed) = side('-', old);
    let (plus, added) = side('+', new);
    format!(
        "{mode}--- {}\n+++ {}\n@@ -{},{minus} +{},{plus} @@\n{removed}{added}",
        name("a", old.is_some()),
        name("b", new.is_some()),
        usize::from(minus > 0),
        usize::from(plus > 0),
    )
}

fn side(mark: char, bytes: Option<&Vec<u8>>) -> (usize, String) {
    let text = String::from_utf8_lossy(bytes.map_or(&[][..], Vec::as_slice)).into_owned();
    let mut lines = String::new();
    for line in text.split_inclusive('\n') {
        lines.push(mark);
        lines.push_str(line);
        if !line.ends_with('\n') {
            lines.push_str("\n\\ No newline at end of file\n");
        }
    }
    (text.split_inclusive('\n').count(), lines)
}
