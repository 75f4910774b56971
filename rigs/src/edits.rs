//! `cargo xtask edits`: edits of real files, printed in every format and with every habit of models.
//!
//! In: a generator that makes the truth first (the files before and after) and then prints it as a
//! reply; impossible edits too (text that is not there, or there twice; a reply that was cut; one of
//! two files that does not fit; an anchor that names nothing). Out: one table of what landed right,
//! was refused or landed wrong, and a failure when anything landed wrong. Never: a case whose truth is
//! in question.

mod files;
mod print;
mod truth;

use crate::corpus::Random;
use anyhow::{Result, bail};
use files::Source;
pub(crate) use print::Range;
use print::{Reply, Trap};
use salve_engine::facts::GrammarProbe;
use salve_engine::pipeline::{PipelineOptions, read_edits_of};
use salve_text::EditOptions;
use salve_tree::{
    AdmitOptions, Allow, MatchOptions, MemoryView, Verification, VerifyOptions, verify,
};
use salve_types::RawReply;
use std::collections::BTreeMap;
use xtask::{Flags, Outcome};

const CASES: usize = 20_000;
const SHORT: usize = 1_500;
const SEED: u64 = 20_261_116;

type Files = BTreeMap<String, String>;

/// Runs the measurement. Flags: `--n N` cases, `--seed N`, `--show N` wrong cases, `--refused N`
/// possible cases that were refused.
pub(crate) fn run(flags: &mut Flags) -> Result<()> {
    let count = flags.value("--n")?.unwrap_or(CASES);
    let seed = flags.value("--seed")?.unwrap_or(SEED);
    let show = Show {
        wrong: flags.value("--show")?.unwrap_or(5),
        refused: flags.value("--refused")?.unwrap_or(0),
    };
    flags.finish()?;
    println!("{}", measure(count, seed, show)?);
    Ok(())
}

/// Runs fewer cases, for the checks of every day.
pub(crate) fn short() -> Result<Outcome> {
    Ok(Outcome::Passed(measure(SHORT, SEED, Show { wrong: 5, refused: 0 })?))
}

/// How many cases are printed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Show {
    pub wrong: usize,
    /// Of those that are possible.
    pub refused: usize,
}

/// What became of the cases of one format, trap or habit.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Tally {
    pub right: usize,
    pub refused: usize,
    pub wrong: usize,
}

impl Tally {
    /// Adds the cases of another one.
    pub(crate) fn add(&mut self, other: Self) {
        self.right += other.right;
        self.refused += other.refused;
        self.wrong += other.wrong;
    }

    /// Returns the number of cases.
    pub(crate) const fn cases(&self) -> usize {
        self.right + self.refused + self.wrong
    }
}

/// The cases of a run, by what they were.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    /// By format, of those that can be made.
    pub possible: BTreeMap<&'static str, Tally>,
    /// By trap, of those that cannot.
    pub impossible: BTreeMap<&'static str, Tally>,
    /// By format and habit.
    pub habits: BTreeMap<(&'static str, &'static str), Tally>,
    /// What could not be had for the run, in words.
    pub notes: Vec<String>,
}

/// What became of a case.
#[derive(Debug)]
enum Mark {
    Right,
    Refused(String),
    Wrong(Files),
}

fn measure(count: usize, seed: u64, show: Show) -> Result<String> {
    conclude(&figures(&files::collect()?, count, seed, show, Range::Usual))
}

/// Runs cases of every language and habit, also those that no fixed seed has.
///
/// With `offline` only files of this repository and of the machine's Python are edited.
pub(crate) fn further(count: usize, seed: u64, show: Show, offline: bool) -> Result<Figures> {
    let (files, notes) = match offline {
        true => (files::collect()?, Vec::new()),
        false => files::further(seed)?,
    };
    Ok(Figures { notes, ..figures(&files, count, seed, show, Range::Further) })
}

fn figures(files: &[Source], count: usize, seed: u64, mut show: Show, range: Range) -> Figures {
    let mut figures = Figures::default();
    for number in 0..count {
        let mut random = Random::new(seed.wrapping_mul(1_000_003).wrapping_add(number as u64));
        let Some(case) = print::case(files, range, &mut random) else { continue };
        // A fault of the file is one that the reply does not know of.
        let base_known = random.below(2) == 0 && !case.trap.is_some_and(Trap::is_of_the_file);
        let mut tally = Tally::default();
        match judge(&case, base_known) {
            Mark::Right => tally.right = 1,
            Mark::Refused(why) => {
                tally.refused = 1;
                if case.trap.is_none() && show.refused > 0 {
                    show.refused -= 1;
                    println!("=== case {number} refused: {why}");
                    tell(&case, None);
                }
            }
            Mark::Wrong(found) => {
                tally.wrong = 1;
                if show.wrong > 0 {
                    show.wrong -= 1;
                    println!("=== case {number} wrong");
                    tell(&case, Some(&found));
                }
            }
        }
        let format = case.format.name();
        match case.trap {
            None => {
                figures.possible.entry(format).or_default().add(tally);
                figures.habits.entry((format, case.habit)).or_default().add(tally);
            }
            Some(trap) => figures.impossible.entry(trap.name()).or_default().add(tally),
        }
    }
    figures
}

fn conclude(figures: &Figures) -> Result<String> {
    let (mut possible, mut wrong) = (Tally::default(), 0);
    println!("{:<34} {:>8} {:>8} {:>8}", "format or trap", "right", "refused", "wrong");
    let line = |name: &str, tally: &Tally| {
        println!("{name:<34} {:>8} {:>8} {:>8}", tally.right, tally.refused, tally.wrong);
    };
    for (name, tally) in &figures.possible {
        line(name, tally);
        possible.add(*tally);
        wrong += tally.wrong;
    }
    for (name, tally) in &figures.impossible {
        line(&format!("impossible: {name}"), tally);
        wrong += tally.wrong;
    }
    if wrong > 0 {
        bail!("{wrong} edits landed as they were not meant");
    }
    if possible.right < possible.refused * 4 {
        bail!("only {} possible edits landed: refusing is no answer", possible.right);
    }
    Ok(format!("{} landed right, {} refused, 0 wrong", possible.right, possible.refused))
}

fn judge(reply: &Reply, base_known: bool) -> Mark {
    let raw = RawReply::from_text(reply.text.clone());
    let view = MemoryView::new(reply.before.clone(), AdmitOptions::default());
    let edits = read_edits_of(&raw, &view, &EditOptions::default(), &PipelineOptions::default());
    let options = VerifyOptions {
        probe: &GrammarProbe,
        matching: MatchOptions { base_known, ..MatchOptions::default() },
        // What is wrong shall not be saved by a grammar that happens to notice.
        allow: Allow { syntax: true, shrink: true, omissions: false },
        ..VerifyOptions::default()
    };
    let found = match verify(&edits, &view, &options) {
        Verification::Refused(refusal) => return Mark::Refused(refusal.message_for_model()),
        Verification::Verified { edits, .. } => {
            let mut files = reply.before.clone();
            for file in edits.files() {
                match &file.after {
                    Some(after) => {
                        let text = String::from_utf8_lossy(&after.bytes).into_owned();
                        files.insert(file.path.as_str().to_owned(), text);
                    }
                    None => drop(files.remove(file.path.as_str())),
                }
            }
            files
        }
    };
    match &reply.after {
        Some(after) if *after == found => Mark::Right,
        _ => Mark::Wrong(found),
    }
}

fn tell(reply: &Reply, found: Option<&Files>) {
    println!("{} ({})", reply.format.name(), reply.habit);
    println!("--- reply\n{}", reply.text);
    let Some(found) = found else { return };
    for (path, text) in found {
        let wanted = reply.after.as_ref().and_then(|after| after.get(path));
        let before = reply.before.get(path).map(String::as_str).unwrap_or_default();
        match wanted {
            Some(wanted) if wanted != text => {
                println!("--- {path}: found (-) instead of wanted (+)");
                println!("{}", difference(text, wanted));
            }
            None if text != before => {
                println!("--- {path}: changed (+), though it should be refused");
                println!("{}", difference(before, text));
            }
            _ => {}
        }
    }
}

fn difference(old: &str, new: &str) -> String {
    salve_tree::change_hunks(old.as_bytes(), new.as_bytes())
        .iter()
        .flat_map(|hunk| &hunk.lines)
        .map(|(kind, bytes)| {
            let mark = match kind {
                salve_tree::ShownAs::Context => ' ',
                salve_tree::ShownAs::Removed => '-',
                salve_tree::ShownAs::Added => '+',
            };
            format!("{mark}{}", String::from_utf8_lossy(bytes))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use print::Format;

    #[test]
    fn no_edit_lands_as_it_was_not_meant() {
        let told = measure(400, SEED, Show { wrong: 1, refused: 0 });
        assert!(told.is_ok(), "{told:?}");
    }

    #[test]
    fn every_format_and_every_trap_comes_up() {
        let files = files::collect().expect("files");
        let mut seen = std::collections::BTreeSet::new();
        for number in 0..2_000 {
            if let Some(case) = print::case(&files, Range::Usual, &mut Random::new(number)) {
                seen.insert(case.format.name());
                seen.extend(case.trap.map(Trap::name));
            }
        }
        assert_eq!(seen.len(), Format::ALL.len() + Trap::ALL.len(), "{seen:?}");
    }
}
