//! A truth, printed as a model prints it: in some format, with some habit, or as a trap.
//!
//! In: files and choices. Out: the reply with the files before and, where the edit is possible, after.
//! Never: a habit that leaves open what is meant.

mod formats;
mod traps;

pub(super) use formats::Format;
pub(super) use traps::Trap;

use super::Files;
use super::files::Source;
use super::truth::{Op, Truth, truth};
use crate::corpus::Random;

/// A reply, the files it is about, and what they shall become.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) format: Format,
    pub(super) habit: &'static str,
    pub(super) trap: Option<Trap>,
    pub(super) text: String,
    pub(super) before: Files,
    /// `None`: it must be refused.
    pub(super) after: Option<Files>,
}

/// One change with the lines around it.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    /// The first old line, from 0.
    pub(super) start: usize,
    pub(super) above: Vec<String>,
    pub(super) removed: Vec<String>,
    pub(super) new: Vec<String>,
    pub(super) below: Vec<String>,
}

/// One file with its pieces.
#[derive(Debug, Clone)]
pub(super) struct Printed {
    pub(super) truth: Truth,
    pub(super) pieces: Vec<Piece>,
}

impl Piece {
    pub(super) fn old(&self) -> Vec<String> {
        [&self.above[..], &self.removed, &self.below].concat()
    }

    pub(super) fn fresh(&self) -> Vec<String> {
        [&self.above[..], &self.new, &self.below].concat()
    }

    fn of(lines: &[String], op: &Op, context: usize) -> Self {
        let end = op.at + op.removed;
        let start = op.at.saturating_sub(context);
        let below = (end + context).min(lines.len());
        Self {
            start,
            above: lines[start..op.at].to_vec(),
            removed: lines[op.at..end].to_vec(),
            new: op.new.clone(),
            below: lines[end..below].to_vec(),
        }
    }
}

/// Makes a case; nothing where the choices do not go together.
pub(super) fn case(files: &[Source], random: &mut Random) -> Option<Reply> {
    let format = Format::ALL[random.below(Format::ALL.len())];
    let trap = (random.below(5) == 0).then(|| Trap::ALL[random.below(Trap::ALL.len())]);
    let two = trap == Some(Trap::OneOfTwoMisfits) || (trap.is_none() && random.below(6) == 0);
    let context = 1 + random.below(3);
    let mut printed: Vec<Printed> = Vec::new();
    while printed.len() < 1 + usize::from(two) {
        let source = &files[random.below(files.len())];
        if printed.iter().any(|it| it.truth.path == source.path) {
            return None;
        }
        let truth = truth(source, random)?;
        let pieces = truth.ops.iter().map(|op| Piece::of(&truth.before, op, context)).collect();
        printed.push(Printed { truth, pieces });
    }
    let before: Files =
        printed.iter().map(|it| (it.truth.path.clone(), it.truth.before())).collect();
    let after: Files = printed.iter().map(|it| (it.truth.path.clone(), it.truth.after())).collect();
    match trap {
        None => {
            let (text, habit) = format.print(&printed, random)?;
            Some(Reply { format, habit, trap, text, before, after: Some(after) })
        }
        Some(trap) => traps::set(trap, format, printed, (before, after), random),
    }
}
