//! The free fixers: what can be tried without asking anybody.
//!
//! In: the diagnostics of a check, and the files they speak of. Out: fixes, the most probable first: what
//! the tools themselves propose, then what follows from their hints and the code. Never a claim that a fix
//! holds, never a silencing, never a rewrite: the toolchain says what holds, and the gates what is allowed.

mod declarations;
mod dependencies;
mod draft;
mod imports;
mod indentation;
mod names;
mod python_two;
mod spelling;
mod suggestions;
mod syntax;
mod unused;
mod view;

use super::{Fix, Sources};
use draft::{Draft, Likelihood, merged};
pub(crate) use names::{is_language_word, language_words};
use salve_types::{Diagnostic, Hint, Severity};
pub(crate) use spelling::slips;
use std::collections::HashSet;
use view::View;

/// How many fixes one call proposes at most.
const PROPOSED: usize = 64;
/// How many of them answer one diagnostic.
const PER_DIAGNOSTIC: usize = 12;
/// How many diagnostics are looked at. The first ones are the cause of most others.
const LOOKED_AT: usize = 32;

/// What a fixer is: from one diagnostic to the drafts it has for it.
type Fixer = fn(&Diagnostic, &View<'_>) -> Vec<Draft>;

/// The fixers of one diagnostic. Their drafts are sorted by how probable they are; among equals the
/// order here decides.
const FIXERS: &[Fixer] = &[
    suggestions::each,
    unused::fix,
    imports::fix,
    names::fix,
    declarations::fix,
    indentation::fix,
    python_two::fix,
    syntax::fix,
    dependencies::fix,
];

/// Proposes fixes for what a check said, best first: what explains many diagnostics at once, a batch of
/// everything the tools vouch for, a batch of the best for each diagnostic, and then each by itself.
pub fn propose(diagnostics: &[Diagnostic], sources: &dyn Sources) -> Vec<Fix> {
    let view = View::new(sources);
    let looked_at = failing(diagnostics);
    let singles: Vec<(usize, Vec<Draft>)> = looked_at
        .iter()
        .take(LOOKED_AT)
        .map(|&index| (index, drafts(&diagnostics[index], &view)))
        .collect();
    let mut proposed = Proposed::default();
    for (index, drafts) in &singles {
        for draft in drafts.iter().filter(|draft| draft.likelihood == Likelihood::Cause) {
            proposed.add(draft.clone().answering(vec![*index]));
        }
    }
    for batch in suggestions::batches(diagnostics, &looked_at, &view) {
        proposed.add(batch);
    }
    let best = singles.iter().filter_map(|(index, drafts)| Some((*index, drafts.first()?)));
    proposed.add(merged(best));
    for place in 0..PER_DIAGNOSTIC {
        for (index, drafts) in &singles {
            if let Some(draft) = drafts.get(place) {
                proposed.add(draft.clone().answering(vec![*index]));
            }
        }
    }
    proposed.fixes
}

// A check fails by its errors; one that has none fails by its warnings. A name that a compiler only warns
// of is what a linker fails by.
fn failing(diagnostics: &[Diagnostic]) -> Vec<usize> {
    let of = |fails: &dyn Fn(&Diagnostic) -> bool| -> Vec<usize> {
        let is = |(_, one): &(usize, &Diagnostic)| fails(one);
        diagnostics.iter().enumerate().filter(is).map(|(index, _)| index).collect()
    };
    let is_error = |one: &Diagnostic| one.severity == Severity::Error;
    let unknown = |one: &Diagnostic| -> Vec<String> {
        let name = |hint: &Hint| match hint {
            Hint::UnknownName { name, .. } => Some(name.clone()),
            _ => None,
        };
        one.hints.iter().filter_map(name).collect()
    };
    let errors = of(&is_error);
    if errors.is_empty() {
        return of(&|one| one.severity == Severity::Warning);
    }
    let not_linked: Vec<String> = errors
        .iter()
        .map(|&index| &diagnostics[index])
        .filter(|one| one.tool == "ld")
        .flat_map(unknown)
        .collect();
    let warned =
        of(&|one| !is_error(one) && unknown(one).iter().any(|name| not_linked.contains(name)));
    // The warning has a place.
    warned.into_iter().chain(errors).collect()
}

fn drafts(diagnostic: &Diagnostic, view: &View<'_>) -> Vec<Draft> {
    let mut drafts: Vec<Draft> = FIXERS.iter().flat_map(|fixer| fixer(diagnostic, view)).collect();
    drafts.sort_by_key(|draft| draft.likelihood);
    let mut seen = HashSet::new();
    drafts.retain(|draft| draft.changes_something(view) && seen.insert(draft.key()));
    drafts.truncate(PER_DIAGNOSTIC);
    drafts
}

#[derive(Default)]
struct Proposed {
    fixes: Vec<Fix>,
    seen: HashSet<String>,
}

impl Proposed {
    fn add(&mut self, fix: impl Into<Option<(Draft, Vec<usize>)>>) {
        if let Some((draft, answers)) = fix.into()
            && self.fixes.len() < PROPOSED
            && self.seen.insert(draft.key())
        {
            self.fixes.push(draft.into_fix(answers));
        }
    }
}

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
