//! A truth, printed as a model prints it: in some format, with some habit, or as a trap.
//!
//! In: files and choices. Out: the reply with the files before and, where the edit is possible, after.
//! Never: a habit that leaves open what is meant.

mod formats;
mod further;
mod traps;

pub(super) use formats::Format;
pub(super) use traps::Trap;

use super::Files;
use super::files::Source;
use super::truth::{Op, Truth, truth};
use crate::corpus::Random;
use salve_syntax::check_syntax;
use salve_types::Language;

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

/// Which habits and traps are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Range {
    /// Those that fixed seeds are made of.
    Usual,
    /// More of them, beside the usual ones.
    Further,
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

/// Tells whether lines are in a file once, whatever their indentation and blank lines between them.
pub(super) fn is_once(lines: &[String], sought: &[String]) -> bool {
    let said = |lines: &[String]| -> Vec<String> {
        let said = lines.iter().map(|line| line.trim().to_owned());
        said.filter(|line| !line.is_empty()).collect()
    };
    let (lines, sought) = (said(lines), said(sought));
    sought.is_empty() || lines.windows(sought.len()).filter(|there| *there == sought).count() == 1
}

// Tells whether every piece has one place, also where only what goes is shown.
fn is_told(printed: &Printed, format: Format) -> bool {
    let once = |sought: &[String]| is_once(&printed.truth.before, sought);
    let shown_alone = matches!(format, Format::Tool | Format::Aider | Format::Cline | Format::Roo);
    printed.pieces.iter().all(|piece| {
        let says = piece.old().iter().any(|line| !line.trim().is_empty());
        says && once(&piece.old()) && (!shown_alone || once(&piece.removed))
    })
}

// Whether the file was sound for its grammar and would no longer be.
fn breaks(truth: &Truth) -> bool {
    let language = Language::from_path(&truth.path);
    let sound = |text: &str| {
        language.and_then(|language| check_syntax(text, language)).map(|report| report.is_clean())
    };
    sound(&truth.before()) == Some(true) && sound(&truth.after()) != Some(true)
}

/// Makes a case; nothing where the choices do not go together.
pub(super) fn case(files: &[Source], range: Range, random: &mut Random) -> Option<Reply> {
    let format = Format::ALL[random.below(Format::ALL.len())];
    let traps = if range == Range::Further { Trap::FURTHER } else { Trap::ALL };
    let trap = (random.below(5) == 0).then(|| traps[random.below(traps.len())]);
    let two = trap == Some(Trap::OneOfTwoMisfits) || (trap.is_none() && random.below(6) == 0);
    let context = 1 + random.below(3);
    let mut printed: Vec<Printed> = Vec::new();
    while printed.len() < 1 + usize::from(two) {
        let source = &files[random.below(files.len())];
        if printed.iter().any(|it| it.truth.path == source.path) {
            return None;
        }
        let truth = truth(source, random)?;
        // Who breaks a file by what they mean is refused for that, and rightly.
        if range == Range::Further && breaks(&truth) {
            return None;
        }
        let pieces = truth.ops.iter().map(|op| Piece::of(&truth.before, op, context)).collect();
        let printed_file = Printed { truth, pieces };
        // What is there twice and told by no number is an edit of either, and rightly refused.
        if range == Range::Further && !is_told(&printed_file, format) {
            return None;
        }
        printed.push(printed_file);
    }
    let before: Files =
        printed.iter().map(|it| (it.truth.path.clone(), it.truth.before())).collect();
    let after: Files = printed.iter().map(|it| (it.truth.path.clone(), it.truth.after())).collect();
    match trap {
        None => {
            // The usual lazy files begin anywhere; people show whole items.
            let further =
                range == Range::Further && (format == Format::Lazy || random.below(2) == 0);
            let (text, habit) = match further {
                true => further::print(format, &printed, random)?,
                false => format.print(&printed, random)?,
            };
            Some(Reply { format, habit, trap, text, before, after: Some(after) })
        }
        Some(trap) => traps::set(trap, format, printed, (before, after), random),
    }
}
