//! The steps of a heal that helped, kept for what is learned from them.
//!
//! In: the state before and after a candidate that was kept. Out: one [`Lesson`] for each part of it that
//! stands by itself, in the heal's own state on this disk; what the check does not need of a model's change is
//! left out. Never of a step that was rolled back: what goes back forgets them.

use super::machine::{Candidate, HealState};
use super::work::name_of;
use super::{FixSource, HealWork, Patch, SavedHeal};
use crate::knowledge::{FileParts, Lesson, LessonFile};
use salve_types::Diagnostic;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// A change of more places than this is learned from as a whole.
const MOST_PARTS: usize = 8;
/// For this long a heal looks at which parts of a change matter.
const PATIENCE: Duration = Duration::from_secs(5);

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
    let lesson = Lesson {
        source: candidate.source,
        author: candidate.author.clone(),
        description: candidate.description.clone(),
        hash: candidate.hash(),
        diagnostics: ended.cloned().collect(),
        files,
        commands: candidate.commands.clone(),
    };
    let by_model = matches!(candidate.source, FixSource::Model | FixSource::Proposal);
    if !by_model || !lesson.commands.is_empty() {
        saved.lessons.push(lesson);
        return;
    }
    let end = Instant::now() + PATIENCE;
    let flaky = saved.flaky.clone();
    let mut look = |files: &[LessonFile]| {
        if Instant::now() > end {
            return None;
        }
        let mut state = HealState { patch: candidate.patch.clone(), ..HealState::default() };
        for file in files {
            state.patch.files.insert(file.path.clone(), Some(file.after.clone()));
        }
        let seen = work.look_at(&state, &flaky).ok()?;
        // Red without a word of why is no answer.
        let answers = seen.is_green() || !seen.diagnostics.is_empty();
        answers.then_some(seen.diagnostics)
    };
    saved.lessons.extend(taken_apart(lesson, after, &mut look));
}

/// Leaves out what a check does not need of a change, and takes what is left apart where each place ends
/// errors of its own. `look` tells what is wrong with other texts of the files; where it does not, nothing
/// more is left out.
fn taken_apart(
    lesson: Lesson,
    after: &[Diagnostic],
    look: &mut dyn FnMut(&[LessonFile]) -> Option<Vec<Diagnostic>>,
) -> Vec<Lesson> {
    let files = lesson.files.clone();
    let parts: Vec<FileParts<'_>> =
        files.iter().map(|file| FileParts::of(&file.before, &file.after)).collect();
    let all: Vec<(usize, usize)> = parts
        .iter()
        .enumerate()
        .flat_map(|(file, parts)| (0..parts.len()).map(move |part| (file, part)))
        .collect();
    if all.len() < 2 || all.len() > MOST_PARTS {
        return vec![lesson];
    }
    let texts = |kept: &BTreeSet<(usize, usize)>| -> Vec<LessonFile> {
        let made = parts.iter().zip(&files).enumerate().map(|(number, (parts, file))| LessonFile {
            after: parts.with(|part| kept.contains(&(number, part))),
            ..file.clone()
        });
        made.collect()
    };
    let changed = |kept: &BTreeSet<(usize, usize)>| -> Vec<LessonFile> {
        texts(kept).into_iter().filter(|file| file.before != file.after).collect()
    };
    let left = counted(after);
    let mut kept: BTreeSet<(usize, usize)> = all.iter().copied().collect();
    let mut ends: BTreeMap<(usize, usize), BTreeSet<String>> = BTreeMap::new();
    for part in all {
        let without: BTreeSet<_> = kept.iter().copied().filter(|one| *one != part).collect();
        let Some(seen) = look(&texts(&without)) else {
            return vec![Lesson { files: changed(&kept), ..lesson }];
        };
        let seen = counted(&seen);
        let is_more = |name: &&String| seen.get(*name) > left.get(*name);
        let back: BTreeSet<String> = seen.keys().filter(is_more).cloned().collect();
        if back.is_empty() && !without.is_empty() {
            kept = without;
        } else {
            ends.insert(part, back);
        }
    }
    let known: BTreeSet<String> = lesson.diagnostics.iter().map(name_of).collect();
    let told: usize = ends.values().map(BTreeSet::len).sum();
    let union: BTreeSet<&String> = ends.values().flatten().collect();
    let stands_alone =
        ends.len() > 1 && told == union.len() && union.iter().all(|name| known.contains(*name));
    if !stands_alone {
        return vec![Lesson { files: changed(&kept), ..lesson }];
    }
    let one = |(part, names): (&(usize, usize), &BTreeSet<String>)| Lesson {
        files: changed(&BTreeSet::from([*part])),
        diagnostics: lesson
            .diagnostics
            .iter()
            .filter(|one| names.contains(&name_of(one)))
            .cloned()
            .collect(),
        ..lesson.clone()
    };
    ends.iter().map(one).collect()
}

fn counted(diagnostics: &[Diagnostic]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for one in diagnostics {
        *counts.entry(name_of(one)).or_default() += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use salve_types::{ErrorClass, Severity};

    fn wrong(message: &str) -> Diagnostic {
        Diagnostic::new("cc", Severity::Error, ErrorClass::Type, message)
    }

    fn lesson(before: &str, after: &str, errors: &[&str]) -> Lesson {
        Lesson {
            source: FixSource::Model,
            author: "fast".into(),
            description: String::new(),
            hash: String::new(),
            diagnostics: errors.iter().map(|message| wrong(message)).collect(),
            files: vec![LessonFile {
                path: "a.c".into(),
                before: before.into(),
                after: after.into(),
            }],
            commands: Vec::new(),
        }
    }

    // A line with a number is wrong; what `needs` a line is wrong without it.
    fn look(files: &[LessonFile]) -> Option<Vec<Diagnostic>> {
        let text = files.iter().map(|file| file.after.as_str()).collect::<String>();
        let mut found: Vec<Diagnostic> = text
            .lines()
            .filter(|line| line.starts_with(|one: char| one.is_ascii_digit()))
            .map(wrong)
            .collect();
        if text.contains("uses") && !text.contains("has") {
            found.push(wrong("uses what there is not"));
        }
        Some(found)
    }

    fn made(lessons: &[Lesson]) -> Vec<(String, usize)> {
        let text = |one: &Lesson| one.files.iter().map(|file| file.after.clone()).collect();
        lessons.iter().map(|one| (text(one), one.diagnostics.len())).collect()
    }

    #[test]
    fn what_the_check_does_not_need_is_not_learned_from() {
        let whole = lesson("1\nx\ny\n", "one\nx\nyes\n", &["1"]);
        let made = made(&taken_apart(whole, &[], &mut look));
        assert_eq!(made, [("one\nx\ny\n".to_owned(), 1)]);
    }

    #[test]
    fn places_that_end_errors_of_their_own_are_learned_apart() {
        let whole = lesson("1\nx\n2\n", "one\nx\ntwo\n", &["1", "2"]);
        let made = made(&taken_apart(whole, &[], &mut look));
        assert_eq!(made, [("one\nx\n2\n".to_owned(), 1), ("1\nx\ntwo\n".to_owned(), 1)]);
    }

    #[test]
    fn places_that_need_each_other_stay_together() {
        let whole = lesson("x\ny\n1\n", "has\nx\ny\nuses\n", &["1"]);
        let made = made(&taken_apart(whole.clone(), &[], &mut look));
        assert_eq!(made, [("has\nx\ny\nuses\n".to_owned(), 1)]);
        // What cannot be looked at is learned from as it is.
        assert_eq!(taken_apart(whole.clone(), &[], &mut |_| None), [whole]);
    }
}
