//! A refusal in words that a model can act on.
//!
//! In: a refusal. Out: at most 60 lines: what failed, the nearest text with line numbers, the hash
//! of the file now, which hunks are fine. Never: control characters of the reply or of the file.

use super::{FileOutcome, FileReport, Refusal, SideOfConflict};
use crate::{HunkOutcome, HunkRefusal, MatchCandidate};
use std::fmt::Write as _;

/// The longest message.
const MAX_LINES: usize = 60;
/// Lines kept free at the end for the sentence about the hunks that are fine.
const TAIL_LINES: usize = 3;
/// The longest line.
const MAX_LINE_CHARS: usize = 160;
/// How much is shown of one place.
const MAX_SHOWN_LINES: usize = 8;
/// How many places are shown of one hunk.
const MAX_CANDIDATES: usize = 3;

/// Lines up to the limit; what does not fit is counted.
struct Lines {
    lines: Vec<String>,
    left_out: usize,
}

impl Lines {
    fn push(&mut self, line: impl AsRef<str>) {
        for line in line.as_ref().split('\n') {
            if self.lines.len() + TAIL_LINES < MAX_LINES {
                self.lines.push(printable(line));
            } else {
                self.left_out += 1;
            }
        }
    }
}

impl Lines {
    /// Puts a sentence in as many lines as it needs; only text of a file is cut.
    fn say(&mut self, indent: &str, sentence: &str) {
        let width = MAX_LINE_CHARS - indent.len();
        for paragraph in sentence.split('\n') {
            let mut line = String::new();
            for word in paragraph.split(' ') {
                let long = line.chars().count() + word.chars().count() + 1 > width;
                if long && !line.is_empty() {
                    self.push(format!("{indent}{line}"));
                    line.clear();
                }
                if !line.is_empty() {
                    line.push(' ');
                }
                line.push_str(word);
            }
            self.push(format!("{indent}{line}"));
        }
    }
}

impl Refusal {
    /// Puts the refusal into at most 60 lines for the model that made the edit.
    pub fn message_for_model(&self) -> String {
        let mut out = Lines { lines: Vec::new(), left_out: 0 };
        if self.report.files.is_empty() {
            out.say("", &self.message);
            out.say("", &self.detail);
            return out.lines.join("\n");
        }
        let refused: Vec<&FileReport> =
            self.report.files.iter().filter(|file| file.outcome.is_refused()).collect();
        out.push(match self.report.files.len() {
            1 => "No file was changed: the file cannot be edited as the reply says.".to_owned(),
            all => format!(
                "No file was changed: {} of {all} files cannot be edited as the reply says.",
                refused.len(),
            ),
        });
        for file in refused {
            describe(file, &mut out);
        }
        let mut lines = out.lines;
        if out.left_out > 0 {
            lines.push(format!("({} more lines are left out)", out.left_out));
        }
        lines.extend(fine_hunks(&self.report.files));
        lines.join("\n")
    }
}

fn describe(file: &FileReport, out: &mut Lines) {
    let FileOutcome::Refused { message, detail, conflicts, .. } = &file.outcome else { return };
    out.push("");
    let hash = file.hash.map(|hash| format!(" (hash now: {})", &hash.hex()[..12]));
    let path = if file.path.is_empty() { "(no file)" } else { &file.path };
    out.say("", &format!("{path}{}: {message}", hash.unwrap_or_default()));
    out.say("  ", detail);
    for conflict in conflicts.iter().take(MAX_CANDIDATES) {
        describe_conflict(conflict, out);
    }
    for (index, hunk) in file.hunks.iter().enumerate() {
        if let HunkOutcome::Refused(refusal) = hunk {
            describe_hunk(index + 1, refusal, out);
        }
    }
}

fn describe_hunk(number: usize, refusal: &HunkRefusal, out: &mut Lines) {
    out.say("  ", &format!("hunk {number}: {}", refusal.message));
    let all = refusal.candidates.len();
    for candidate in refusal.candidates.iter().take(MAX_CANDIDATES) {
        describe_candidate(candidate, out);
    }
    let rest: Vec<String> = refusal
        .candidates
        .iter()
        .skip(MAX_CANDIDATES)
        .take(20)
        .map(|candidate| candidate.first_line.to_string())
        .collect();
    if all > MAX_CANDIDATES {
        out.push(format!("    {all} places in all; the others begin at lines {}", rest.join(", ")));
    }
}

fn describe_candidate(candidate: &MatchCandidate, out: &mut Lines) {
    let MatchCandidate { first_line, last_line, score, text } = candidate;
    // What differs is never wholly alike.
    let alike = if *score < 1.0 { (score * 100.0).floor().min(99.0) } else { 100.0 };
    out.push(format!("    lines {first_line}-{last_line}, {alike:.0} % alike:"));
    for (offset, line) in text.lines().take(MAX_SHOWN_LINES).enumerate() {
        out.push(format!("    {:>5} | {line}", first_line + offset));
    }
}

fn describe_conflict(conflict: &SideOfConflict, out: &mut Lines) {
    let sides = [("the file now", &conflict.present), ("the edit wants", &conflict.wanted)];
    for (name, text) in sides {
        out.push(format!("    {name}:"));
        for line in text.lines().take(MAX_SHOWN_LINES) {
            out.push(format!("          | {line}"));
        }
    }
}

/// Says which hunks need not be sent again.
fn fine_hunks(files: &[FileReport]) -> Option<String> {
    let mut places = String::new();
    let mut count = 0;
    for file in files.iter().filter(|file| file.fine_hunks() > 0) {
        let numbers: Vec<String> = (1..)
            .zip(&file.hunks)
            .filter(|(_, hunk)| !matches!(hunk, HunkOutcome::Refused(_)))
            .map(|(number, _): (usize, _)| number.to_string())
            .collect();
        count += numbers.len();
        let comma = if places.is_empty() { "" } else { "; " };
        // Writing to a string cannot fail.
        let _ = write!(places, "{comma}{} {}", file.path, numbers.join(", "));
    }
    (count > 0).then(|| {
        let fine = match count {
            1 => "One hunk is fine".to_owned(),
            count => format!("{count} hunks are fine"),
        };
        printable(&format!("{fine} ({places}); resend only those that failed."))
    })
}

fn printable(line: &str) -> String {
    let mut characters = line.chars();
    let mut shown: String = characters
        .by_ref()
        .take(MAX_LINE_CHARS)
        .map(|character| if character.is_control() && character != '\t' { '·' } else { character })
        .collect();
    if characters.next().is_some() {
        shown.push('…');
    }
    shown
}
