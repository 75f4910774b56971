//! The steps of a heal that helped, kept for what is learned from them.
//!
//! In: the state before and after a candidate that was kept. Out: one [`Lesson`] for it, in the heal's own
//! state on this disk. Never of a step that was rolled back: what goes back forgets them.

use super::machine::Candidate;
use super::work::name_of;
use super::{HealWork, Patch, SavedHeal};
use crate::knowledge::Lesson;
use salve_types::Diagnostic;
use std::collections::BTreeSet;

/// Keeps the step from a state to the one that a candidate led to; `after` is what is still wrong there.
pub(super) fn keep_lesson(
    work: &HealWork,
    saved: &mut SavedHeal,
    candidate: &Candidate,
    before: (&Patch, &[Diagnostic]),
    after: &[Diagnostic],
) {
    let (patch, diagnostics) = before;
    let left: BTreeSet<String> = after.iter().map(name_of).collect();
    let ended = diagnostics.iter().filter(|one| !left.contains(&name_of(one)));
    let changed =
        candidate.patch.files.iter().filter(|(path, text)| patch.files.get(*path) != Some(*text));
    // A fix that makes or deletes files is no fix that could be made again elsewhere.
    let Some(files) = Lesson::files_between(changed, &work.sources(patch)) else { return };
    saved.lessons.push(Lesson {
        source: candidate.source,
        author: candidate.author.clone(),
        description: candidate.description.clone(),
        hash: candidate.hash(),
        diagnostics: ended.cloned().collect(),
        files,
        commands: candidate.commands.clone(),
    });
}
