//! A fix taken apart into its changed places.
//!
//! In: the text of a file before and after. Out: its places in order, and the text with some of them alone.
//! Taking all of them gives the text after, taking none the text before. Never runs a check: which of the
//! places matter is for the caller to find out.

use salve_tree::{ChangeHunk, ShownAs, single_changes};

/// A changed file in places.
#[derive(Debug)]
pub struct FileParts<'a> {
    before: &'a str,
    after: &'a str,
    hunks: Vec<ChangeHunk>,
}

impl<'a> FileParts<'a> {
    /// Compares two texts.
    pub fn of(before: &'a str, after: &'a str) -> Self {
        Self { before, after, hunks: single_changes(before.as_bytes(), after.as_bytes()) }
    }

    /// Returns how many places differ.
    pub const fn len(&self) -> usize {
        self.hunks.len()
    }

    /// Returns whether nothing differs.
    pub const fn is_empty(&self) -> bool {
        self.hunks.is_empty()
    }

    /// Returns the text with the places that are taken, by their number.
    pub fn with(&self, taken: impl Fn(usize) -> bool) -> String {
        if (0..self.hunks.len()).all(&taken) {
            return self.after.to_owned();
        }
        let old: Vec<&str> = self.before.split_inclusive('\n').collect();
        let mut made = String::with_capacity(self.before.len().max(self.after.len()));
        let mut at = 0;
        for (_, hunk) in self.hunks.iter().enumerate().filter(|(number, _)| taken(*number)) {
            // The lines above a change are shown with it.
            let above = hunk.lines.iter().take_while(|(shown, _)| *shown == ShownAs::Context);
            let first = hunk.old_first_line.max(1) - 1 + above.count();
            made.extend(old.get(at..first).unwrap_or_default().iter().copied());
            let mut gone = 0;
            for (shown, line) in &hunk.lines {
                match shown {
                    ShownAs::Added => made.push_str(&String::from_utf8_lossy(line)),
                    ShownAs::Removed => gone += 1,
                    ShownAs::Context => {}
                }
            }
            at = first + gone;
        }
        made.extend(old.get(at..).unwrap_or_default().iter().copied());
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn places_are_taken_one_by_one() {
        let (before, after) = ("a\nb\nc\nd\n", "x\na\nb\nC\n");
        let parts = FileParts::of(before, after);
        assert_eq!(parts.len(), 2);
        assert_eq!(parts.with(|number| number == 0), "x\na\nb\nc\nd\n");
        assert_eq!(parts.with(|number| number == 1), "a\nb\nC\n");
    }

    proptest! {
        #[test]
        fn all_places_make_the_one_text_and_none_the_other(
            before in "([ab]{0,2}\n){0,6}[ab]{0,2}",
            after in "([ab]{0,2}\n){0,6}[ab]{0,2}",
        ) {
            let parts = FileParts::of(&before, &after);
            prop_assert_eq!(parts.with(|_| true), after.clone());
            prop_assert_eq!(parts.with(|_| false), before.clone());
            // One after the other comes to the same as all at once.
            let mut text = before.clone();
            for number in 0..parts.len() {
                text = parts.with(|other| other <= number);
            }
            if !parts.is_empty() {
                prop_assert_eq!(text, after);
            }
        }
    }
}
