//! A fix while it is being thought of.
//!
//! In: changes, and how probable a fixer holds them to be. Out: a [`Fix`]. Never two changes that overlap
//! in one draft: what cannot be together is left out of a batch.

use super::super::{Fix, FixCommand, FixOrigin, FixSource, TextChange};
use super::view::View;
use salve_types::Span;

/// How probable a draft is, the most probable first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Likelihood {
    /// One change that explains what many diagnostics say.
    Cause,
    /// The tool vouches for it.
    Vouched,
    /// The tool proposes it, or names it.
    Named,
    /// It follows from the code.
    Strong,
    /// One of several that fit.
    Fair,
    /// Worth a try when nothing else is.
    Weak,
}

/// A fix for one diagnostic, or for several when it is a batch.
#[derive(Debug, Clone)]
pub(super) struct Draft {
    pub(super) author: &'static str,
    pub(super) description: String,
    pub(super) origin: FixOrigin,
    pub(super) likelihood: Likelihood,
    pub(super) changes: Vec<TextChange>,
    pub(super) commands: Vec<FixCommand>,
}

impl Draft {
    /// A draft of changes that follow from the code.
    pub(super) fn derived(
        author: &'static str,
        likelihood: Likelihood,
        description: String,
        changes: Vec<TextChange>,
    ) -> Self {
        let origin = FixOrigin::Derived;
        Self { author, description, origin, likelihood, changes, commands: Vec::new() }
    }

    /// A draft that runs a command.
    pub(super) fn command(author: &'static str, folder: &str, argv: &[&str]) -> Self {
        let argv: Vec<String> = argv.iter().map(|&word| word.to_owned()).collect();
        let description = format!("run `{}`", argv.join(" "));
        let command = FixCommand { argv, folder: folder.to_owned() };
        let draft = Self::derived(author, Likelihood::Weak, description, Vec::new());
        Self { commands: vec![command], ..draft }
    }

    /// What tells two drafts apart.
    pub(super) fn key(&self) -> String {
        let mut parts: Vec<String> = self
            .changes
            .iter()
            .map(|one| format!("{}\0{:?}\0{}", one.path, one.span, one.replacement))
            .collect();
        parts.sort();
        parts.extend(self.commands.iter().map(|one| format!("{one:?}")));
        parts.join("\u{1}")
    }

    /// Whether it is more than writing what is there already.
    pub(super) fn changes_something(&self, view: &View<'_>) -> bool {
        let differs = |change: &TextChange| {
            view.file(&change.path)
                .and_then(|file| file.text().get(change.span.range()).map(str::to_owned))
                .is_some_and(|before| before != change.replacement)
        };
        !self.commands.is_empty() || self.changes.iter().any(differs)
    }

    pub(super) fn answering(self, answers: Vec<usize>) -> (Self, Vec<usize>) {
        (self, answers)
    }

    pub(super) fn into_fix(self, answers: Vec<usize>) -> Fix {
        Fix {
            source: FixSource::Fixer,
            author: self.author.to_owned(),
            description: self.description,
            origin: self.origin,
            changes: self.changes,
            commands: self.commands,
            answers,
        }
    }
}

/// Puts drafts for different diagnostics into one; those that overlap an earlier one are left out. Nothing
/// when fewer than two go together.
pub(super) fn merged<'a>(
    drafts: impl Iterator<Item = (usize, &'a Draft)>,
) -> Option<(Draft, Vec<usize>)> {
    let mut all: Option<Draft> = None;
    let mut answers = Vec::new();
    let mut parts = 0;
    for (index, draft) in drafts.filter(|(_, draft)| draft.commands.is_empty()) {
        let Some(all) = &mut all else {
            all = Some(draft.clone());
            answers.push(index);
            parts = 1;
            continue;
        };
        let fresh: Vec<&TextChange> =
            draft.changes.iter().filter(|one| !all.changes.contains(one)).collect();
        if fresh.iter().any(|one| all.changes.iter().any(|other| collide(one, other))) {
            continue;
        }
        answers.push(index);
        parts += usize::from(!fresh.is_empty());
        all.changes.extend(fresh.into_iter().cloned());
        if draft.origin == FixOrigin::Derived {
            all.origin = FixOrigin::Derived;
        }
        if all.author != draft.author {
            all.author = "batch";
        }
    }
    let mut all = all.filter(|_| parts > 1)?;
    all.description = format!("{parts} fixes together, the first: {}", all.description);
    Some((all, answers))
}

/// Whether two changes cannot be made together.
pub(super) fn collide(one: &TextChange, other: &TextChange) -> bool {
    if one.path != other.path {
        return false;
    }
    let (one, other) = (one.span, other.span);
    let inside = |at: usize, span: Span| span.start < at && at < span.end;
    match (one.is_empty(), other.is_empty()) {
        (true, true) => one == other,
        (true, false) => inside(one.start, other),
        (false, true) => inside(other.start, one),
        (false, false) => one.start < other.end && other.start < one.end,
    }
}
