//! Edits that cannot be meant as they stand.
//!
//! In: an edit that would fit. Out: the same with a fault that leaves no place for it, or on a file
//! that has it already. Never: a fault that leaves the edit readable as another one.

use super::{Format, Printed, Reply};
use crate::corpus::Random;
use crate::edits::Files;
use crate::edits::truth::altered;

/// A fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::edits) enum Trap {
    /// A line that goes, or every line around an insertion, is not in the file.
    Absent,
    /// The lines sought are there twice.
    Twice,
    /// The reply stops inside an edit.
    Cut,
    /// One of two files does not have what is sought.
    OneOfTwoMisfits,
    /// The anchor names no line of the file.
    AnchorAbsent,
    /// The file has the change already.
    Applied,
    /// The reply names a file that does not exist.
    PathAbsent,
}

impl Trap {
    pub(in crate::edits) const ALL: &[Self] = &[
        Self::Absent,
        Self::Twice,
        Self::Cut,
        Self::OneOfTwoMisfits,
        Self::AnchorAbsent,
        Self::Applied,
    ];

    /// The usual ones and more.
    pub(in crate::edits) const FURTHER: &[Self] = &[
        Self::Absent,
        Self::Twice,
        Self::Cut,
        Self::OneOfTwoMisfits,
        Self::AnchorAbsent,
        Self::Applied,
        Self::PathAbsent,
    ];

    pub(in crate::edits) const fn name(self) -> &'static str {
        match self {
            Self::Absent => "text absent",
            Self::Twice => "text there twice",
            Self::Cut => "cut off",
            Self::OneOfTwoMisfits => "one of two files misfits",
            Self::AnchorAbsent => "anchor absent",
            Self::Applied => "already applied",
            Self::PathAbsent => "file absent",
        }
    }
}

impl Trap {
    /// Tells whether the file is another one than the reply was written for.
    pub(in crate::edits) const fn is_of_the_file(self) -> bool {
        matches!(self, Self::Twice | Self::Applied)
    }
}

/// Sets a trap; nothing where the format cannot fall into it.
pub(super) fn set(
    trap: Trap,
    format: Format,
    mut printed: Vec<Printed>,
    (mut before, after): (Files, Files),
    random: &mut Random,
) -> Option<Reply> {
    let seeks = !matches!(format, Format::Lines | Format::Lazy | Format::Whole);
    let mut expected = None;
    let (reply, habit) = match trap {
        Trap::Absent | Trap::OneOfTwoMisfits => {
            if !seeks {
                return None;
            }
            let at = random.below(printed.len());
            misfit(&mut printed[at], random)?;
            format.print(&printed, random)?
        }
        Trap::Twice => {
            // Several hunks tell their order, and with it which copy is meant.
            if !seeks || format == Format::Roo || printed[0].pieces.len() > 1 {
                return None;
            }
            twice(&printed[0], &mut before)?;
            let (reply, habit) = format.print(&printed, random)?;
            // A number or a heading may tell the copies apart, and then rightly.
            let told = reply.contains("@@ ");
            if told {
                return None;
            }
            (reply, habit)
        }
        Trap::Cut => {
            let (reply, habit) = format.print(&printed, random)?;
            let counts = matches!(habit, "wrong counts" | "bare @@" | "hunks out of order");
            if format == Format::Diff && counts {
                return None;
            }
            // What is lost may be blank, and then nothing is.
            expected = Some(after);
            (cut(&reply, format, random)?, habit)
        }
        Trap::AnchorAbsent => {
            if format != Format::Envelope {
                return None;
            }
            let (reply, habit) = format.print(&printed, random)?;
            let absent = ["def nowhere_at_all():", "fn nowhere_at_all() {", "class NowhereAtAll:"];
            let anchor = format!("@@ {}\n", absent[random.below(absent.len())]);
            (reply.replacen("@@\n", &anchor, 1), habit).into_changed(&anchor)?
        }
        Trap::PathAbsent => {
            // A whole file makes the file.
            if !seeks {
                return None;
            }
            for printed in &mut printed {
                printed.truth.path = format!("nowhere/salved{}.txt", random.below(1_000_000));
            }
            format.print(&printed, random)?
        }
        Trap::Applied => {
            if matches!(format, Format::Lines | Format::Lazy) {
                return None;
            }
            let (reply, habit) = format.print(&printed, random)?;
            // What is in the file twice and told by no number is refused before it is applied. Once it
            // is, the other copy is the only one, and nothing in the world says that it is not meant.
            if !reply.contains("@@ -") && !printed.iter().all(|it| is_alone(it, format)) {
                return None;
            }
            before = after.clone();
            expected = Some(after);
            (reply, habit)
        }
    };
    Some(Reply { format, habit, trap: Some(trap), text: reply, before, after: expected })
}

trait Changed: Sized {
    fn into_changed(self, with: &str) -> Option<Self>;
}

impl Changed for (String, &'static str) {
    fn into_changed(self, with: &str) -> Option<Self> {
        self.0.contains(with).then_some(self)
    }
}

// Tells whether every piece is in the file once, and what goes for it where a format may show nothing
// else.
fn is_alone(printed: &Printed, format: Format) -> bool {
    let once = |sought: &[String]| super::is_once(&printed.truth.before, sought);
    let alone = |piece: &super::Piece| format != Format::Tool || once(&piece.removed);
    printed.pieces.iter().all(|piece| once(&piece.old()) && alone(piece))
}

// Makes one piece seek what is not there.
fn misfit(printed: &mut Printed, random: &mut Random) -> Option<()> {
    let piece = random.below(printed.pieces.len());
    let piece = printed.pieces.get_mut(piece)?;
    let said: Vec<usize> = (0..piece.removed.len())
        .filter(|&at| piece.removed[at].chars().filter(|c| c.is_alphanumeric()).count() > 3)
        .collect();
    match said.get(random.below(said.len())) {
        Some(&at) => piece.removed[at] = altered(&piece.removed[at], random),
        None => {
            for line in piece.above.iter_mut().chain(&mut piece.below) {
                *line = altered(line, random);
            }
            if piece.above.is_empty() && piece.below.is_empty() {
                return None;
            }
        }
    }
    Some(())
}

// Puts a copy of everything that one piece sees at the end of the file.
fn twice(printed: &Printed, before: &mut Files) -> Option<()> {
    let piece = printed.pieces.first()?;
    let from = piece.start.saturating_sub(3);
    let lines = &printed.truth.before;
    let to = (piece.start + piece.old().len() + 3).min(lines.len());
    let copy = [&lines[..], &[String::new()], &lines[from..to]].concat();
    // What is at the end of the file is told by the end.
    let inside = piece.start + piece.old().len() < lines.len() && !piece.removed.is_empty();
    // What begins the file has nothing above it, and a blank line that a reply puts there tells the copy.
    let inside = inside && piece.start > 0;
    inside.then(|| before.insert(printed.truth.path.clone(), printed.truth.text(&copy))).map(drop)
}

// Cuts where something is lost: not at the end, and not where what is left is whole.
fn cut(reply: &str, format: Format, random: &mut Random) -> Option<String> {
    let body = reply.trim_end();
    let fenced = reply.contains("```");
    let end = match (format, fenced) {
        (Format::Diff, false) => {
            // Inside the lines of the last hunk, whose counts are right. A last line that is only
            // shorter is a line all the same.
            let header = body.rfind("\n@@ ")? + 1;
            let first = header + body[header..].find('\n')? + 1;
            first + random.below(body.rfind('\n')?.checked_sub(first)?)
        }
        (Format::Whole | Format::Lazy, _) => {
            let first = body.find("```")? + 4;
            first + random.below(body.rfind("```")?.checked_sub(first)?)
        }
        (Format::Aider | Format::Cline | Format::Roo, _) => {
            let open = body.rfind(" SEARCH\n")?;
            let close = body.rfind(" REPLACE")?;
            open + random.below(close.checked_sub(open + 2)?)
        }
        (Format::Envelope, _) => {
            let close = body.rfind("*** End Patch")?;
            let open = body.find("*** Update")?;
            open + random.below(close.checked_sub(open)?)
        }
        (Format::Tool | Format::Lines | Format::Diff, _) => {
            let close = body.rfind(['}', '`'])?;
            let open = body.find('{').or_else(|| body.find("@@"))?;
            open + random.below(close.checked_sub(open + 2)?)
        }
    };
    let end = (0..=end).rev().find(|&at| body.is_char_boundary(at))?;
    Some(body[..end].to_owned())
}
