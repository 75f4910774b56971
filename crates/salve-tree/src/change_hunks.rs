//! A planned file as hunks: what a person looks at, and takes or leaves.
//!
//! In: the content before and after. Out: the changed places with a few lines around them, and the
//! content in which only the chosen ones are changed. Never decides which to take, never splits a
//! file that comes or goes: that is one decision.

use crate::hash::ContentHash;
use crate::plan::{FileContent, PlannedFile, VerifiedEdits};
use similar::{Algorithm, ChangeTag, DiffOp, capture_diff_slices, group_diff_ops};

// As in `git diff`.
const LINES_AROUND: usize = 3;
/// How long the name of a hunk is.
const ID_LETTERS: usize = 12;

/// One changed place of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeHunk {
    /// 1-based first line shown of the old content; 0 when the old content is empty.
    pub old_first_line: usize,
    /// How many old lines are shown.
    pub old_lines: usize,
    /// 1-based first line shown of the new content; 0 when the new content is empty.
    pub new_first_line: usize,
    /// How many new lines are shown.
    pub new_lines: usize,
    /// The lines with what happens to each, terminators included.
    pub lines: Vec<(ShownAs, Vec<u8>)>,
    changes: Vec<DiffOp>,
}

impl ChangeHunk {
    /// Returns a name that a person's choice can be given by: the same for the same lines at the same place,
    /// and another one when the file or the change is not what was shown.
    pub fn id(&self) -> String {
        let mut bytes = format!("{} {}", self.old_first_line, self.old_lines).into_bytes();
        for (kind, line) in &self.lines {
            bytes.extend_from_slice(match kind {
                ShownAs::Context => b"\0 ",
                ShownAs::Removed => b"\0-",
                ShownAs::Added => b"\0+",
            });
            bytes.extend_from_slice(line);
        }
        let mut id = ContentHash::of(&bytes).hex();
        id.truncate(ID_LETTERS);
        id
    }

    /// Returns the 1-based old lines that change; an insertion is at the line it comes before.
    pub(crate) fn changed_lines(&self) -> std::ops::Range<usize> {
        let start = self.changes.first().map_or(0, |op| op.old_range().start);
        let end = self.changes.last().map_or(0, |op| op.old_range().end);
        start + 1..end.max(start + 1)
    }
}

/// What happens to a shown line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownAs {
    /// Stays.
    Context,
    /// Goes.
    Removed,
    /// Comes.
    Added,
}

/// Lists the changed places between two contents.
pub fn change_hunks(before: &[u8], after: &[u8]) -> Vec<ChangeHunk> {
    let (old, new) = (split_lines(before), split_lines(after));
    let ops = capture_diff_slices(Algorithm::Myers, &old, &new);
    group_diff_ops(ops, LINES_AROUND).iter().map(|group| hunk(group, &old, &new)).collect()
}

/// Lists every single change between two contents, however near it is to the next one.
pub fn single_changes(before: &[u8], after: &[u8]) -> Vec<ChangeHunk> {
    let (old, new) = (split_lines(before), split_lines(after));
    let ops = capture_diff_slices(Algorithm::Myers, &old, &new);
    let is_equal = |op: &DiffOp| op.tag() == similar::DiffTag::Equal;
    let mut hunks = Vec::new();
    let mut at = 0;
    while at < ops.len() {
        let count = ops[at..].iter().take_while(|op| !is_equal(op)).count();
        if count > 0 {
            let above = at.checked_sub(1).map(|above| trimmed(&ops[above], true));
            let below = ops.get(at + count).map(|op| trimmed(op, false));
            let changes = ops[at..at + count].iter().copied();
            let group: Vec<DiffOp> = above.into_iter().chain(changes).chain(below).collect();
            hunks.push(hunk(&group, &old, &new));
        }
        at += count.max(1);
    }
    hunks
}

// The lines of an equal part that are nearest to a change.
fn trimmed(op: &DiffOp, last: bool) -> DiffOp {
    let (old, new) = (op.old_range(), op.new_range());
    let len = old.len().min(LINES_AROUND);
    let skipped = if last { old.len() - len } else { 0 };
    DiffOp::Equal { old_index: old.start + skipped, new_index: new.start + skipped, len }
}

impl VerifiedEdits {
    /// Keeps what `choose` takes; it is asked once for a file that comes, goes or only changes its
    /// mode, with no hunk, and else for every single change.
    pub fn keep(self, mut choose: impl FnMut(&PlannedFile, Option<&ChangeHunk>) -> bool) -> Self {
        let files = self.into_files().into_iter();
        Self::seal(files.filter_map(|file| keep_in_file(file, &mut choose)).collect())
    }
}

impl PlannedFile {
    /// Lists the single changes that [`VerifiedEdits::keep`] asks about; none where the file is one decision.
    pub fn single_changes(&self) -> Vec<ChangeHunk> {
        match (&self.before, &self.after) {
            (Some(before), Some(after)) => single_changes(&before.bytes, &after.bytes),
            _ => Vec::new(),
        }
    }
}

fn keep_in_file(
    file: PlannedFile,
    choose: &mut impl FnMut(&PlannedFile, Option<&ChangeHunk>) -> bool,
) -> Option<PlannedFile> {
    let hunks = file.single_changes();
    if hunks.is_empty() {
        return choose(&file, None).then_some(file);
    }
    let taken: Vec<bool> = hunks.iter().map(|hunk| choose(&file, Some(hunk))).collect();
    if taken.iter().all(|taken| *taken) {
        return Some(file);
    }
    if !taken.contains(&true) {
        return None;
    }
    let (before, after) = file.before.as_ref().zip(file.after.as_ref())?;
    let chosen = hunks.iter().zip(&taken).filter_map(|(hunk, taken)| taken.then_some(hunk));
    let bytes = spliced(&before.bytes, &after.bytes, chosen);
    let after = Some(FileContent { bytes, mode: after.mode });
    Some(PlannedFile { after, ..file })
}

fn spliced<'a>(
    before: &[u8],
    after: &[u8],
    chosen: impl Iterator<Item = &'a ChangeHunk>,
) -> Vec<u8> {
    let (old, new) = (split_lines(before), split_lines(after));
    let mut bytes = Vec::with_capacity(before.len().max(after.len()));
    let mut next = 0;
    for op in chosen.flat_map(|hunk| &hunk.changes) {
        bytes.extend(old[next..op.old_range().start].iter().copied().flatten());
        bytes.extend(new[op.new_range()].iter().copied().flatten());
        next = op.old_range().end;
    }
    bytes.extend(old[next..].iter().copied().flatten());
    bytes
}

fn hunk(group: &[DiffOp], old: &[&[u8]], new: &[&[u8]]) -> ChangeHunk {
    let ends = group.first().zip(group.last());
    let old_range = ends.map_or(0..0, |(a, b)| a.old_range().start..b.old_range().end);
    let new_range = ends.map_or(0..0, |(a, b)| a.new_range().start..b.new_range().end);
    let first = |range: &std::ops::Range<usize>| range.start + usize::from(!range.is_empty());
    let shown = group.iter().flat_map(|op| op.iter_changes(old, new)).map(|change| {
        let kind = match change.tag() {
            ChangeTag::Equal => ShownAs::Context,
            ChangeTag::Delete => ShownAs::Removed,
            ChangeTag::Insert => ShownAs::Added,
        };
        (kind, change.value().to_vec())
    });
    ChangeHunk {
        old_first_line: first(&old_range),
        old_lines: old_range.len(),
        new_first_line: first(&new_range),
        new_lines: new_range.len(),
        lines: shown.collect(),
        changes: group.iter().filter(|op| op.tag() != similar::DiffTag::Equal).copied().collect(),
    }
}

fn split_lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|&byte| byte == b'\n').collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{FileState, TreePath};

    fn planned(before: &str, after: &str) -> VerifiedEdits {
        VerifiedEdits::seal(vec![PlannedFile {
            path: TreePath::admitted("a.txt".to_owned()),
            before: Some(FileState::new(before.into(), 0o644)),
            after: Some(FileContent { bytes: after.into(), mode: 0o644 }),
            moved_from: None,
        }])
    }

    fn numbered(changed: &[usize]) -> String {
        let line = |n: usize| format!("{n}{}\n", if changed.contains(&n) { " new" } else { "" });
        (1..=30).map(line).collect()
    }

    #[test]
    fn only_the_chosen_hunks_change() {
        let (before, after) = (numbered(&[]), numbered(&[2, 15, 29]));
        for (takes, expected) in [
            ([true, true, true], numbered(&[2, 15, 29])),
            ([true, false, true], numbered(&[2, 29])),
            ([false, true, false], numbered(&[15])),
        ] {
            let mut answers = takes.iter();
            let kept = planned(&before, &after).keep(|_, _| *answers.next().unwrap());
            let bytes = &kept.files()[0].after.as_ref().unwrap().bytes;
            assert_eq!(String::from_utf8_lossy(bytes), expected);
        }
        assert!(planned(&before, &after).keep(|_, _| false).files().is_empty());
    }

    #[test]
    fn a_hunk_is_known_by_its_lines_and_their_place() {
        let ids = |before: &str, after: &str| -> Vec<String> {
            single_changes(before.as_bytes(), after.as_bytes()).iter().map(ChangeHunk::id).collect()
        };
        let (before, after) = (numbered(&[]), numbered(&[2, 15]));
        let shown = ids(&before, &after);
        assert_eq!((shown.len(), shown[0].len()), (2, ID_LETTERS));
        assert_eq!(shown, ids(&before, &after));
        assert_ne!(shown[0], shown[1]);
        let moved = ids(&format!("0\n{before}"), &format!("0\n{after}"));
        assert!(moved.iter().all(|id| !shown.contains(id)), "{moved:?} {shown:?}");
    }

    #[test]
    fn line_ends_and_a_missing_last_one_are_kept_as_they_are() {
        let before = "a\r\nb\nc\r\nd\ne\nf\ng\nh\ni\nj\nk";
        let after = "A\r\nb\nc\r\nd\ne\nf\ng\nh\ni\nj\nK";
        let mut first = true;
        let kept = planned(before, after).keep(|_, _| std::mem::take(&mut first));
        let bytes = &kept.files()[0].after.as_ref().unwrap().bytes;
        assert_eq!(String::from_utf8_lossy(bytes), "A\r\nb\nc\r\nd\ne\nf\ng\nh\ni\nj\nk");
    }

    #[test]
    fn changes_that_are_near_each_other_are_taken_one_by_one() {
        let before = b"1\n2\n3\n4\n5\n";
        let after = b"1\nb\n3\nd\n5\n";
        assert_eq!(
            (change_hunks(before, after).len(), single_changes(before, after).len()),
            (1, 2)
        );
        let one = |taken: usize| {
            let changes = single_changes(before, after);
            String::from_utf8(spliced(before, after, changes.iter().skip(taken).take(1))).unwrap()
        };
        assert_eq!((one(0).as_str(), one(1).as_str()), ("1\nb\n3\n4\n5\n", "1\n2\n3\nd\n5\n"));
    }
}
