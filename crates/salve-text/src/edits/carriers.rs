//! Several carriers in one reply: a diff and a whole file, two envelopes, a call with a diff in it.
//!
//! In: what each reader made of the same text. Out: one set in which nothing is twice because
//! two readers saw it. Never: a choice between two carriers of one file; both stay in the set, and
//! the process that has the file refuses them unless they come to the same.

use salve_types::{EditEnd, EditFormat, EditSet, FileChange, FileEdit, Span};
use std::collections::HashMap;

/// What one reader made of a reply, and the places it speaks for.
#[derive(Debug)]
pub(super) struct Carrier {
    pub(super) set: EditSet,
    /// Where its edits stand, those that could not be read included; in the order of the reply.
    pub(super) claims: Vec<Span>,
}

impl Carrier {
    /// Takes a set whose edits speak for themselves alone.
    pub(super) fn of(set: EditSet) -> Self {
        let mut claims: Vec<Span> = set.files.iter().map(|file| file.span).collect();
        claims.sort();
        Self { set, claims }
    }
}

// The longest of some claims, in their order, that shares something with the span.
fn claim_on(claims: &[Span], span: Span) -> usize {
    let end = claims.partition_point(|claim| claim.start < span.end.max(span.start + 1));
    let before = claims.get(..end).unwrap_or_default().iter().rev();
    let touching = before.take_while(|claim| claim.end > span.start);
    touching.map(|claim| claim.len()).max().unwrap_or(0)
}

/// Combines what the readers made of one reply; `shaped` are the weaker ones, asked last.
pub(super) fn combine<S>(marked: Vec<Carrier>, shaped: impl FnOnce() -> S) -> Option<EditSet>
where
    S: Iterator<Item = EditSet>,
{
    let mut sets = without_inner(marked);
    if sets.is_empty() {
        return shaped().next();
    }
    let mut taken: Vec<Span> = sets.iter().flat_map(spans_of).collect();
    taken.sort();
    if !taken.is_empty() {
        sets.extend(shaped().filter_map(|set| beside(set, &taken)));
    }
    // A reader that understood something names the format; one that only failed adds its failure.
    sets.sort_by_key(|set| set.files.is_empty());
    sets.into_iter().reduce(join)
}

// What one carrier holds inside is its content, not an edit of its own: where two readers speak for
// the same place, the one that speaks for more of the text is right.
fn without_inner(carriers: Vec<Carrier>) -> Vec<EditSet> {
    let is_content = |own: usize, span: Span| {
        let ours = carriers.get(own).map_or(0, |carrier| claim_on(&carrier.claims, span));
        let ours = ours.max(span.len());
        carriers.iter().enumerate().any(|(other, carrier)| {
            let theirs = claim_on(&carrier.claims, span);
            other != own && theirs > 0 && (theirs > ours || (theirs == ours && other < own))
        })
    };
    let kept: Vec<(Vec<bool>, bool)> = carriers
        .iter()
        .enumerate()
        .map(|(own, carrier)| {
            let files = carrier.set.files.iter().map(|file| !is_content(own, file.span)).collect();
            let end = place(&carrier.set.end).is_some_and(|at| !is_content(own, Span::new(at, at)));
            (files, end)
        })
        .collect();
    let mut sets = Vec::new();
    for (Carrier { mut set, .. }, (files, end)) in carriers.into_iter().zip(kept) {
        let mut files = files.into_iter();
        set.files.retain(|_| files.next().unwrap_or(false));
        if !end {
            set.end = EditEnd::Complete;
        }
        if end || !set.files.is_empty() {
            sets.push(merge_same_files(set));
        }
    }
    sets
}

// Of the whole files and prose blocks beside marked carriers, those that name their file and stand
// in a place of their own.
fn beside(mut set: EditSet, taken: &[Span]) -> Option<EditSet> {
    set.files.retain(|file| file.path.is_some() && claim_on(taken, file.span) == 0);
    (!set.files.is_empty()).then_some(set)
}

fn place(end: &EditEnd) -> Option<usize> {
    match end {
        EditEnd::Complete => None,
        EditEnd::Truncated { at, .. } | EditEnd::Malformed { at, .. } => Some(*at),
    }
}

fn spans_of(set: &EditSet) -> Vec<Span> {
    set.files.iter().map(|file| file.span).collect()
}

// The set with more to say keeps its name; a cut counts more than a fault, a fault more than none.
fn join(mut set: EditSet, other: EditSet) -> EditSet {
    set.files.extend(other.files);
    set.files.sort_by_key(|file| file.span.start);
    set.notes.extend(other.notes);
    if severity(&other.end) > severity(&set.end) {
        set.end = other.end;
    }
    match (&mut set.hashes, other.hashes) {
        (Some(hashes), Some(others)) => hashes.extend(others),
        (None, others) => set.hashes = others,
        (Some(_), None) => {}
    }
    set
}

fn severity(end: &EditEnd) -> u8 {
    match end {
        EditEnd::Complete => 0,
        EditEnd::Malformed { .. } => 1,
        EditEnd::Truncated { .. } => 2,
    }
}

// Two diffs of one file are one diff of it, and a file that is deleted and then added is written.
// Other pairs of one format stay two carriers.
fn merge_same_files(mut set: EditSet) -> EditSet {
    if !matches!(set.format, EditFormat::UnifiedDiff | EditFormat::ApplyPatch) {
        return set;
    }
    let mut merged: Vec<FileEdit> = Vec::with_capacity(set.files.len());
    let mut places = HashMap::new();
    for file in set.files {
        let place = places.get(&file.path).copied();
        match place.and_then(|at: usize| merged.get_mut(at)) {
            Some(earlier) if is_one_edit(earlier, &file) => absorb(earlier, file),
            _ => {
                places.insert(file.path.clone(), merged.len());
                merged.push(file);
            }
        }
    }
    set.files = merged;
    set
}

fn is_one_edit(earlier: &FileEdit, later: &FileEdit) -> bool {
    let plain = |file: &FileEdit| file.rename_to.is_none() && file.mode.is_none();
    let fits = matches!(
        (&earlier.change, &later.change),
        (FileChange::Patch(_), FileChange::Patch(_)) | (FileChange::Delete, FileChange::Write(_))
    );
    plain(earlier) && plain(later) && fits
}

fn absorb(earlier: &mut FileEdit, later: FileEdit) {
    earlier.span.end = later.span.end;
    match (&mut earlier.change, later.change) {
        (FileChange::Patch(hunks), FileChange::Patch(more)) => hunks.extend(more),
        (change, later) => *change = later,
    }
}
