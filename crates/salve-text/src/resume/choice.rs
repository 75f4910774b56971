//! The choice between the ways to join two texts.
//!
//! In: readings with what speaks for each, and a grammar. Out: the best reading and its strongest
//! rival. Never asks the grammar about more than a handful of readings.

use super::candidate::Candidate;
use super::stitch::DropReason;
use super::weights;
use salve_types::GrammarOpinion;

/// One way to join, with the text it makes.
#[derive(Debug, Clone)]
pub(crate) struct Reading {
    /// Which of the places where the partial text may end.
    pub(crate) side: usize,
    /// How it joins.
    pub(crate) candidate: Candidate,
    /// The joined text.
    pub(crate) text: String,
    /// How much speaks for it.
    pub(crate) bits: f32,
    /// What the grammar says about the text.
    pub(crate) opinion: GrammarOpinion,
}

/// The best reading, and those that make another text.
pub(crate) struct Choice {
    pub(crate) best: Reading,
    others: Vec<Reading>,
}

// How many different texts the grammar is asked about.
const ASKED: usize = 8;

impl Reading {
    /// Makes a reading about which no grammar was asked.
    pub(crate) fn new(side: usize, candidate: Candidate, text: String, bits: f32) -> Self {
        Self { side, candidate, text, bits, opinion: GrammarOpinion::Silent }
    }
}

/// Chooses among readings; nothing without any.
pub(crate) fn choose(
    mut readings: Vec<Reading>,
    grammar: impl Fn(&str) -> GrammarOpinion,
) -> Option<Choice> {
    sort(&mut readings);
    let reach = readings.first()?.bits - weights::WITHIN_REACH;
    let mut asked: Vec<Reading> = Vec::new();
    for mut reading in readings {
        // Nothing can change for readings this unlikely; the first two decide without a grammar.
        if asked.len() >= ASKED || (asked.len() > 1 && reading.bits < reach) {
            break;
        }
        if asked.iter().any(|known| known.text == reading.text) {
            continue;
        }
        let is_silent = asked.first().is_some_and(|first| first.opinion == GrammarOpinion::Silent);
        if !is_silent {
            reading.opinion = grammar(&reading.text);
        }
        reading.bits += match reading.opinion {
            GrammarOpinion::Accepts => weights::GRAMMAR_ACCEPTS,
            GrammarOpinion::AcceptsStart => weights::GRAMMAR_ACCEPTS_START,
            GrammarOpinion::Rejects | GrammarOpinion::Silent => 0.0,
        };
        asked.push(reading);
    }
    sort(&mut asked);
    let best = asked.iter().position(|reading| !reading.candidate.faint)?;
    Some(Choice { best: asked.remove(best), others: asked })
}

impl Choice {
    /// Returns the rival that is too close to choose the best. Whether a line break was added is no
    /// reason to join nothing: the text is the same but for that break.
    pub(crate) fn undecided(&self) -> Option<&Reading> {
        let is_rival = |other: &&Reading| !other.candidate.faint && other.side == self.best.side;
        let rival = self.others.iter().find(is_rival)?;
        let (one, other) = (&self.best.candidate, &rival.candidate);
        // Two readings that differ only in how far lines were moved are told apart by many lines at
        // once, so less is enough.
        let only_moved = one.drop == other.drop
            && one.insert == other.insert
            && one.restarts_line == other.restarts_line;
        let margin = if only_moved { weights::MARGIN_OF_MOVES } else { weights::MARGIN };
        (self.best.bits - rival.bits < margin).then_some(rival)
    }

    /// Returns whether no other text is about as likely; `in_words` says that the cut may be inside a
    /// comment or a string, of which a grammar accepts any.
    pub(crate) fn is_certain(&self, in_words: bool) -> bool {
        // Where a line break may have been added, a line that begins as the cut one may be the next one.
        let is_next = self.best.side > 0 && self.best.candidate.begins_alike;
        if self.best.candidate.part_of_word || is_next {
            return false;
        }
        // What is dropped from the middle of a line, or has no letters, is the weakest of echoes.
        let weak = match self.best.candidate.reason {
            Some(DropReason::RepeatedText) => true,
            Some(DropReason::RepeatedHalfLine) => self.best.candidate.told < weights::DECLARATION,
            _ => false,
        };
        self.others.iter().all(|other| {
            // One word is said again by chance as well, where the grammar has nothing against it.
            let by_chance = self.best.candidate.one_word
                && other.candidate.drop == 0
                && other.opinion == self.best.opinion;
            let undecidable = (in_words && other.side != self.best.side)
                || differ_in_blank_lines(&self.best.text, &other.text);
            let margin =
                if weak || undecidable { weights::CERTAIN_IN_DOUBT } else { weights::CERTAIN };
            !by_chance && self.best.bits - other.bits >= margin
        })
    }
}

// Whether two texts are the same but for empty lines, in comments too, of which no grammar and few
// habits tell how many there are.
fn differ_in_blank_lines(one: &str, other: &str) -> bool {
    let written = |text| str::lines(text).filter(|line| !is_blank(line));
    written(one).eq(written(other))
}

// Nothing, or the sign of a comment and nothing after it.
fn is_blank(line: &str) -> bool {
    matches!(
        line.trim(),
        "" | "*" | "**" | "//" | "///" | "//!" | "#" | "##" | "--" | ";" | ";;" | "%"
    )
}

// Stable: of readings that are as likely, the one that leaves the partial text alone comes first.
fn sort(readings: &mut [Reading]) {
    readings.sort_by(|one, other| other.bits.total_cmp(&one.bits));
}
