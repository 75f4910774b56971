//! What a fix makes of the files.
//!
//! In: replacements of places in texts. Out: the whole texts of the files that differ from the user's
//! tree, so that two fixes are the same exactly when their patches are. Never touches a file itself.

use super::Sources;
use salve_tree::{ShownAs, change_hunks};
use salve_types::Span;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A replacement in one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextChange {
    /// The file, relative to the workspace, with `/`.
    pub path: String,
    /// The bytes that are replaced; empty for an insertion.
    pub span: Span,
    /// What is written there.
    pub replacement: String,
}

/// Files as they shall be, against the user's tree: a whole text for each, nothing for a deleted one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Patch {
    /// The files that differ.
    pub files: BTreeMap<String, Option<String>>,
}

/// Why changes do not make a patch.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    /// A file is not there, or is no text.
    #[error("`{0}` cannot be read as a text")]
    Unreadable(String),
    /// A place is outside the file, inside a character, or two places overlap.
    #[error("a change of `{0}` does not fit its text")]
    Misfit(String),
}

impl Patch {
    /// Returns whether nothing differs.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns the hash that tells two patches apart.
    pub fn hash(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for (path, text) in &self.files {
            for part in [Some(path), text.as_ref()] {
                let part = part.map_or(&b""[..], |text| text.as_bytes());
                hasher.update(&u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes());
                hasher.update(part);
            }
            hasher.update(&[u8::from(text.is_some())]);
        }
        hasher.finalize().to_hex().to_string()
    }

    /// Returns this patch with changes made on top of it. `sources` is the state that this patch leads
    /// to, and the places of the changes are places in it.
    ///
    /// # Errors
    /// When a file cannot be read, or a change does not fit.
    pub fn with(&self, changes: &[TextChange], sources: &dyn Sources) -> Result<Self, PatchError> {
        let mut made = self.clone();
        let mut by_file: BTreeMap<&str, Vec<&TextChange>> = BTreeMap::new();
        changes.iter().for_each(|one| by_file.entry(&one.path).or_default().push(one));
        for (path, changes) in by_file {
            let text = sources.read(path).ok_or_else(|| PatchError::Unreadable(path.to_owned()))?;
            let text =
                changed(&text, changes).ok_or_else(|| PatchError::Misfit(path.to_owned()))?;
            made.files.insert(path.to_owned(), Some(text));
        }
        Ok(made)
    }
}

// Nothing when a place is not in the text, or two overlap. Insertions at one place keep their order.
fn changed(text: &str, mut changes: Vec<&TextChange>) -> Option<String> {
    changes.sort_by_key(|change| (change.span.start, change.span.end));
    let mut made = String::with_capacity(text.len());
    let mut at = 0;
    for change in changes {
        made.push_str(text.get(at..change.span.start)?);
        text.get(change.span.start..change.span.end)?;
        made.push_str(&change.replacement);
        at = change.span.end;
    }
    made.push_str(text.get(at..)?);
    Some(made)
}

/// Counts the lines by which a patch differs from another one; a line that replaces one is one line.
/// `sources` is the state that the other one leads to.
pub fn changed_lines(before: &Patch, after: &Patch, sources: &dyn Sources) -> u32 {
    let changed = after.files.iter().filter(|(path, text)| before.files.get(*path) != Some(*text));
    let lines = changed.map(|(path, text)| {
        let old = sources.read(path).unwrap_or_default();
        let new = text.as_deref().unwrap_or_default();
        let hunks = change_hunks(old.as_bytes(), new.as_bytes());
        let runs =
            hunks.iter().flat_map(|hunk| hunk.lines.split(|(kind, _)| *kind == ShownAs::Context));
        let count =
            |run: &[_], wanted: ShownAs| run.iter().filter(|(kind, _)| *kind == wanted).count();
        runs.map(|run| count(run, ShownAs::Removed).max(count(run, ShownAs::Added))).sum::<usize>()
    });
    u32::try_from(lines.sum::<usize>()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heal::testing::Files;

    fn change(start: usize, end: usize, replacement: &str) -> TextChange {
        let span = Span::new(start, end);
        TextChange { path: "a".to_owned(), span, replacement: replacement.to_owned() }
    }

    #[test]
    fn changes_are_made_together_or_not_at_all() {
        let files = Files::of([("a", "let é = 1;")]);
        let made = |changes: &[TextChange]| {
            let made = Patch::default().with(changes, &files);
            made.ok().and_then(|patch| patch.files["a"].clone())
        };
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(made(&[change(9, 10, "2"), change(4, 6, "x")]), text("let x = 2;"));
        assert_eq!(made(&[change(4, 4, "a"), change(4, 4, "b")]), text("let abé = 1;"));
        assert_eq!(made(&[change(5, 6, "x")]), None, "inside a character");
        assert_eq!(made(&[change(0, 5, "x")]), None, "inside a character");
        assert_eq!(made(&[change(0, 4, "x"), change(3, 8, "y")]), None, "overlap");
        assert_eq!(made(&[change(9, 99, "x")]), None, "past the end");
        let absent = TextChange { path: "b".to_owned(), ..change(0, 0, "") };
        assert_eq!(
            Patch::default().with(&[absent], &files),
            Err(PatchError::Unreadable("b".to_owned()))
        );
    }

    #[test]
    fn patches_that_differ_have_different_hashes() {
        let patch = |files: &[(&str, Option<&str>)]| {
            let own =
                |(path, text): &(&str, Option<&str>)| ((*path).to_owned(), text.map(str::to_owned));
            Patch { files: files.iter().map(own).collect() }.hash()
        };
        let all = [
            patch(&[]),
            patch(&[("a", None)]),
            patch(&[("a", Some(""))]),
            patch(&[("a", Some("b"))]),
            patch(&[("ab", Some(""))]),
            patch(&[("a", Some("")), ("b", Some(""))]),
        ];
        let different: std::collections::BTreeSet<_> = all.iter().collect();
        assert_eq!(different.len(), all.len());
    }
}
