//! Where to cut.
//!
//! In: files and a seed. Out: cuts, at least the wanted number for every language and kind of place
//! that has that many, each with what the tree says is open there. Never cuts inside a character,
//! nor where the tree has no truth.

use super::truth::{OpenAt, Truth, What, truth_of};
use crate::corpus::{Random, SourceFile};
use salve_types::Language;
use std::collections::{BTreeMap, BTreeSet};

/// The kinds of places, which are the columns of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Place {
    String,
    Template,
    Heredoc,
    Regex,
    Comment,
    Tag,
    Element,
    Bracket,
    Top,
}

/// One cut: the text of the file before byte `at`.
pub(crate) struct Cut<'a> {
    pub file: &'a SourceFile,
    pub at: usize,
    pub place: Place,
    pub open: OpenAt,
}

impl Cut<'_> {
    /// Returns what is left of the file.
    pub(crate) fn prefix(&self) -> &str {
        &self.file.text[..self.at]
    }
}

/// Cuts `files` so that every language and kind of place gets `per_cell` cuts where it has them.
pub(crate) fn sample(files: &[SourceFile], per_cell: usize, seed: u64) -> Vec<Cut<'_>> {
    let mut cells: BTreeMap<(Language, Place), Vec<Stretches<'_>>> = BTreeMap::new();
    for file in files {
        let Some(truth) = truth_of(file) else { continue };
        for stretches in stretches_of(file, &truth) {
            cells.entry((file.language, stretches.place)).or_default().push(stretches);
        }
    }
    let mut cuts = Vec::new();
    for ((language, place), places) in &cells {
        let mut random = Random::new(seed).for_name(&format!("{}{place:?}", language.name()));
        cuts.extend(sample_cell(places, per_cell, &mut random));
    }
    cuts
}

// All cuts of one file that fall in one kind of place, as runs of neighbouring offsets.
struct Stretches<'a> {
    file: &'a SourceFile,
    place: Place,
    runs: Vec<Vec<(usize, OpenAt)>>,
    total: usize,
}

fn stretches_of<'a>(file: &'a SourceFile, truth: &Truth) -> Vec<Stretches<'a>> {
    let mut by_place: BTreeMap<Place, Stretches<'a>> = BTreeMap::new();
    let mut last: Option<(Place, usize)> = None;
    let mut sweep = truth.sweep();
    for (at, _) in file.text.char_indices().skip(1) {
        let Some(open) = sweep.at(at) else {
            last = None;
            continue;
        };
        let place = open.innermost.map_or(Place::Top, |it| Place::of(it.what));
        let opener = open.innermost.map_or(usize::MAX, |it| it.opener.start);
        let stretches = by_place.entry(place).or_insert_with(|| Stretches {
            file,
            place,
            runs: Vec::new(),
            total: 0,
        });
        if last != Some((place, opener)) {
            stretches.runs.push(Vec::new());
        }
        if let Some(run) = stretches.runs.last_mut() {
            run.push((at, open));
        }
        stretches.total += 1;
        last = Some((place, opener));
    }
    by_place.into_values().collect()
}

// Half of the cuts are spread over the bytes and half over the constructs, so that neither long
// comments nor short strings make up a cell alone. Files take turns at random.
fn sample_cell<'a>(places: &[Stretches<'a>], per_cell: usize, random: &mut Random) -> Vec<Cut<'a>> {
    let available: usize = places.iter().map(|it| it.total).sum();
    let mut seen = BTreeSet::new();
    let mut cuts = Vec::new();
    let mut tries = 0;
    while cuts.len() < per_cell.min(available) && tries < per_cell * 200 {
        tries += 1;
        let chosen = random.below(places.len());
        let stretches = &places[chosen];
        let run = if random.below(2) == 0 {
            let mut skip = random.below(stretches.total);
            let found = stretches.runs.iter().find(|run| {
                let is_here = skip < run.len();
                skip = skip.saturating_sub(if is_here { 0 } else { run.len() });
                is_here
            });
            found.unwrap_or(&stretches.runs[0])
        } else {
            &stretches.runs[random.below(stretches.runs.len())]
        };
        let (at, open) = run[random.below(run.len())];
        if seen.insert((chosen, at)) {
            cuts.push(Cut { file: stretches.file, at, place: stretches.place, open });
        }
    }
    cuts
}

impl Place {
    /// Returns the kind of place that the inside of a construct is.
    pub(crate) const fn of(what: What) -> Self {
        match what {
            What::DoubleQuote | What::SingleQuote => Self::String,
            What::Template => Self::Template,
            What::Heredoc => Self::Heredoc,
            What::Regex => Self::Regex,
            What::Comment => Self::Comment,
            What::Tag => Self::Tag,
            What::Element => Self::Element,
            What::Bracket | What::Backquote | What::Block => Self::Bracket,
        }
    }

    /// Returns the word used in the table.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Template => "template",
            Self::Heredoc => "heredoc",
            Self::Regex => "regex",
            Self::Comment => "comment",
            Self::Tag => "tag",
            Self::Element => "element",
            Self::Bracket => "bracket",
            Self::Top => "top level",
        }
    }
}
