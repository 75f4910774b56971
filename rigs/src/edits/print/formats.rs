//! The formats and the habits of those who write them.
//!
//! In: pieces of files. Out: the text of a reply and the name of its habit. Never: a habit that takes
//! away what tells the place.

use super::{Piece, Printed};
use crate::corpus::Random;
use serde_json::json;

/// A format of edits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::edits) enum Format {
    Diff,
    Aider,
    Cline,
    Roo,
    Envelope,
    Tool,
    Lines,
    Lazy,
    Whole,
}

type Told = Option<(String, &'static str)>;

impl Format {
    pub(in crate::edits) const ALL: &[Self] = &[
        Self::Diff,
        Self::Aider,
        Self::Cline,
        Self::Roo,
        Self::Envelope,
        Self::Tool,
        Self::Lines,
        Self::Lazy,
        Self::Whole,
    ];

    pub(in crate::edits) const fn name(self) -> &'static str {
        match self {
            Self::Diff => "unified diff",
            Self::Aider => "SEARCH/REPLACE, aider",
            Self::Cline => "SEARCH/REPLACE, Cline",
            Self::Roo => "SEARCH/REPLACE, Roo",
            Self::Envelope => "apply_patch",
            Self::Tool => "JSON tool",
            Self::Lines => "line operations",
            Self::Lazy => "lazy",
            Self::Whole => "whole file",
        }
    }

    /// Prints what is meant.
    pub(super) fn print(self, files: &[Printed], random: &mut Random) -> Told {
        match self {
            Self::Diff => diff(files, random),
            Self::Aider | Self::Cline | Self::Roo => blocks(self, files, random),
            Self::Envelope => envelope(files, random),
            Self::Tool => tool(files, random),
            Self::Lines => Some(line_operations(files, random)),
            Self::Lazy => lazy(files, random),
            Self::Whole => Some(whole(files)),
        }
    }
}

fn all(lines: &[String], mark: &str) -> String {
    lines.iter().map(|line| format!("{mark}{line}\n")).collect()
}

fn diff(files: &[Printed], random: &mut Random) -> Told {
    let habit = [
        "as git writes it",
        "bare @@",
        "wrong line numbers",
        "wrong counts",
        "in a fence with talk",
        "blank context without its blank",
        "one prefix only",
        "file named above a headerless block",
        "hunks out of order",
        "context without trailing space",
        "the right heading",
    ][random.below(11)];
    let mut text = String::new();
    for Printed { truth, pieces } in files {
        let path = &truth.path;
        let fenced =
            matches!(habit, "in a fence with talk" | "file named above a headerless block");
        if fenced {
            text.push_str("Here is the change.\n\n");
        }
        if habit == "file named above a headerless block" {
            let names = [
                format!("`{path}`:"),
                format!("{path}:"),
                format!("**{path}**"),
                format!("### {path}"),
                format!("In `{path}`, change:"),
                format!("File: {path}"),
            ];
            text.push_str(&format!("{}\n\n```diff\n", names[random.below(names.len())]));
        } else {
            if fenced {
                text.push_str("```diff\n");
            }
            let (old, new) = match habit {
                "one prefix only" if random.below(2) == 0 => ("a/", ""),
                "one prefix only" => ("", "b/"),
                _ => ("a/", "b/"),
            };
            text.push_str(&format!("--- {old}{path}\n+++ {new}{path}\n"));
        }
        let mut grown = 0_isize;
        let mut hunks: Vec<String> = Vec::new();
        for piece in pieces {
            hunks.push(hunk(truth.before.as_slice(), piece, grown, habit, random));
            grown += piece.new.len() as isize - piece.removed.len() as isize;
        }
        if habit == "hunks out of order" {
            hunks.reverse();
        }
        text.push_str(&hunks.concat());
        if fenced {
            text.push_str("```\n");
        }
    }
    Some((text, habit))
}

fn hunk(file: &[String], piece: &Piece, grown: isize, habit: &str, random: &mut Random) -> String {
    let (old, new) = (piece.old().len(), piece.fresh().len());
    let mut first = piece.start + 1;
    let (mut old_count, mut new_count) = (old, new);
    match habit {
        "wrong line numbers" => first = (first + random.below(60)).saturating_sub(30).max(1),
        "wrong counts" => {
            old_count += random.below(3);
            new_count = (new_count + random.below(3)).saturating_sub(1);
        }
        _ => {}
    }
    let second = (first as isize + grown).max(1);
    let heading = (0..piece.start)
        .rev()
        .map(|at| file[at].as_str())
        .find(|line| line.starts_with(|first: char| first.is_alphabetic()))
        .filter(|_| habit == "the right heading")
        .map_or_else(String::new, |line| format!(" {line}"));
    let header = match habit {
        "bare @@" | "hunks out of order" => "@@\n".to_owned(),
        _ => format!("@@ -{first},{old_count} +{second},{new_count} @@{heading}\n"),
    };
    let context = |lines: &[String]| -> String {
        let blank = habit == "blank context without its blank";
        let bare = habit == "context without trailing space";
        lines
            .iter()
            .map(|line| match line.is_empty() && blank {
                true => "\n".to_owned(),
                false if bare => format!(" {}\n", line.trim_end()),
                false => format!(" {line}\n"),
            })
            .collect()
    };
    header
        + &context(&piece.above)
        + &all(&piece.removed, "-")
        + &all(&piece.new, "+")
        + &context(&piece.below)
}

fn blocks(format: Format, files: &[Printed], random: &mut Random) -> Told {
    let habit = [
        "as written",
        "without indentation",
        "without blank lines",
        "a leading blank line",
        "trailing space",
        "in a fence",
        "tabs for blanks",
        "deeper indentation",
    ][random.below(8)];
    let mut text = String::new();
    for Printed { truth, pieces } in files {
        for piece in pieces {
            let (old, new) = sides(piece, habit)?;
            // What is somewhere else byte for byte is meant there, as far as anyone can tell.
            let at = |first: usize| truth.before[first..].starts_with(&old);
            if (0..truth.before.len()).any(|first| first != piece.start && at(first)) {
                return None;
            }
            text.push_str(&format!("{}\n", truth.path));
            if habit == "in a fence" {
                text.push_str("```\n");
            }
            let (open, close) = match format {
                Format::Cline => ("------- SEARCH\n", "+++++++ REPLACE\n"),
                _ => ("<<<<<<< SEARCH\n", ">>>>>>> REPLACE\n"),
            };
            text.push_str(open);
            if format == Format::Roo {
                text.push_str(&format!(":start_line:{}\n-------\n", piece.start + 1));
            }
            text.push_str(&(all(&old, "") + "=======\n" + &all(&new, "") + close));
            if habit == "in a fence" {
                text.push_str("```\n");
            }
            text.push('\n');
        }
    }
    Some((text, habit))
}

// Both sides of a block with a habit; nothing where the habit would change what is meant.
fn sides(piece: &Piece, habit: &str) -> Option<(Vec<String>, Vec<String>)> {
    let (old, new) = (piece.old(), piece.fresh());
    let both = |change: &dyn Fn(&String) -> String| {
        Some((old.iter().map(change).collect(), new.iter().map(change).collect()))
    };
    let margin = |line: &str| line.len() - line.trim_start().len();
    match habit {
        "without indentation" => {
            let said = old.iter().chain(&new).filter(|line| !line.trim().is_empty());
            let least = said.map(|line| margin(line)).min()?;
            both(&|line| line.get(least..).unwrap_or_default().to_owned())
        }
        "deeper indentation" => both(&|line| match line.is_empty() {
            true => String::new(),
            false => format!("    {line}"),
        }),
        "without blank lines" => {
            // Only those that stay and are not beside the change, so that nothing is left open.
            let thin = |lines: &[String], beside: usize| -> Vec<String> {
                let kept = lines.iter().enumerate();
                kept.filter(|(at, line)| !line.trim().is_empty() || *at == beside)
                    .map(|(_, line)| line.clone())
                    .collect()
            };
            let above = thin(&piece.above, piece.above.len().wrapping_sub(1));
            let below = thin(&piece.below, 0);
            let whole = |middle: &[String]| [&above[..], middle, &below].concat();
            Some((whole(&piece.removed), whole(&piece.new)))
        }
        "a leading blank line" => {
            let lead = |lines: &[String]| [&[String::new()], lines].concat();
            (!old.first()?.trim().is_empty()).then(|| (lead(&old), lead(&new)))
        }
        "trailing space" => {
            let stays = |line: &String| format!("{line} ");
            let above: Vec<_> = piece.above.iter().map(stays).collect();
            let below: Vec<_> = piece.below.iter().map(stays).collect();
            let whole = |middle: &[String]| [&above[..], middle, &below].concat();
            Some((whole(&piece.removed), whole(&piece.new)))
        }
        "tabs for blanks" => {
            let lines = old.iter().chain(&new);
            let even = lines.clone().all(|line| margin(line) % 4 == 0 && !line.starts_with('\t'));
            let deep = old.iter().any(|line| margin(line) > 0 && !line.trim().is_empty());
            if !even || !deep {
                return None;
            }
            both(&|line| "\t".repeat(margin(line) / 4) + line.trim_start())
        }
        _ => Some((old, new)),
    }
}

fn envelope(files: &[Printed], random: &mut Random) -> Told {
    let habit = ["bare @@", "an anchor", "without the envelope", "in a fence"][random.below(4)];
    let mut text = String::new();
    if habit == "in a fence" {
        text.push_str("Done:\n\n```\n");
    }
    if habit != "without the envelope" {
        text.push_str("*** Begin Patch\n");
    }
    for Printed { truth, pieces } in files {
        text.push_str(&format!("*** Update File: {}\n", truth.path));
        for piece in pieces {
            let anchor = anchor(&truth.before, piece).filter(|_| habit == "an anchor");
            text.push_str(&anchor.map_or("@@\n".to_owned(), |line| format!("@@ {line}\n")));
            text.push_str(&all(&piece.above, " "));
            text.push_str(&(all(&piece.removed, "-") + &all(&piece.new, "+")));
            text.push_str(&all(&piece.below, " "));
        }
    }
    if habit != "without the envelope" {
        text.push_str("*** End Patch\n");
    }
    if habit == "in a fence" {
        text.push_str("```\n");
    }
    Some((text, habit))
}

// The line that opens what the piece is in: the nearest one above that is less deep.
fn anchor(file: &[String], piece: &Piece) -> Option<String> {
    let margin = |line: &str| line.len() - line.trim_start().len();
    let own = piece.old().iter().find(|line| !line.trim().is_empty()).map(|line| margin(line))?;
    let above = file[..piece.start].iter().rev();
    let found = above.filter(|line| line.trim().len() > 6).find(|line| margin(line) < own)?;
    Some(found.trim().to_owned())
}

fn tool(files: &[Printed], random: &mut Random) -> Told {
    let habit = ["lines", "lines with their break", "from inside the first line", "in a fence"]
        [random.below(4)];
    let mut calls = Vec::new();
    for Printed { truth, pieces } in files {
        for piece in pieces {
            let (mut old, mut new) = (piece.old().join("\n"), piece.fresh().join("\n"));
            let both = |text: &str| format!("{text}\n");
            match habit {
                "lines with their break" => (old, new) = (both(&old), both(&new)),
                "from inside the first line" => {
                    // The change alone, its first line without the indentation.
                    let first = piece.removed.first()?;
                    if piece.removed.iter().all(|line| line.trim().is_empty()) {
                        return None;
                    }
                    let cut = first.len() - first.trim_start().len();
                    old = both(&piece.removed.join("\n"))[cut..].to_owned();
                    new = match piece.new.first() {
                        None => String::new(),
                        Some(line) if line.get(..cut)? == &first[..cut] => {
                            both(&piece.new.join("\n"))[cut..].to_owned()
                        }
                        Some(_) => return None,
                    };
                }
                _ => {}
            }
            calls.push(json!({ "path": truth.path, "old_string": old, "new_string": new }));
        }
    }
    let text = serde_json::to_string_pretty(&json!({ "edits": calls })).ok()?;
    let text = if habit == "in a fence" { format!("```json\n{text}\n```\n") } else { text };
    Some((text, habit))
}

fn line_operations(files: &[Printed], random: &mut Random) -> (String, &'static str) {
    let habit = ["with the old text", "by number alone"][random.below(2)];
    let mut changes = Vec::new();
    for Printed { truth, .. } in files {
        let mut operations = Vec::new();
        for op in &truth.ops {
            let (first, last) = (op.at + 1, op.at + op.removed);
            let kind = match (op.removed, op.new.is_empty()) {
                (0, _) => "insert",
                (_, true) => "delete",
                _ => "replace",
            };
            let mut operation = json!({ "op": kind, "start": first });
            if op.removed > 0 {
                operation["end"] = json!(last);
                if habit == "with the old text" {
                    operation["expected"] = json!(truth.before[op.at..last].join("\n") + "\n");
                }
            }
            if !op.new.is_empty() {
                operation["text"] = json!(op.new.join("\n") + "\n");
            }
            operations.push(operation);
        }
        changes.push(json!({ "path": truth.path, "lineOperations": operations }));
    }
    (json!({ "fileChanges": changes }).to_string(), habit)
}

fn lazy(files: &[Printed], random: &mut Random) -> Told {
    let around = 3 + random.below(4);
    let mut text = String::new();
    for Printed { truth, .. } in files {
        let comment = match truth.path.rsplit('.').next()? {
            "rs" => "// ... existing code ...",
            "py" => "# ... existing code ...",
            _ => return None,
        };
        text.push_str(&format!("{}\n```\n", truth.path));
        let mut from = 0;
        let lines = &truth.before;
        let margin = |line: &str| line[..line.len() - line.trim_start().len()].to_owned();
        for (index, op) in truth.ops.iter().enumerate() {
            let above = op.at.saturating_sub(around).max(from);
            if above > from + 2 {
                text.push_str(&format!("{}{comment}\n", margin(&lines[above])));
                text.push_str(&all(&lines[above..op.at], ""));
            } else {
                text.push_str(&all(&lines[from..op.at], ""));
            }
            text.push_str(&all(&op.new, ""));
            let end = op.at + op.removed;
            let next = truth.ops.get(index + 1).map_or(lines.len(), |next| next.at);
            from = (end + around).min(next);
            text.push_str(&all(&lines[end..from], ""));
        }
        if from + 2 < lines.len() {
            text.push_str(&format!("{}{comment}\n", margin(&lines[from])));
        } else {
            text.push_str(&all(&lines[from..], ""));
        }
        text.push_str("```\n");
    }
    Some((text, "existing code"))
}

fn whole(files: &[Printed]) -> (String, &'static str) {
    let mut text = String::new();
    for Printed { truth, .. } in files {
        text.push_str(&format!("{}\n```\n{}```\n", truth.path, truth.after()));
    }
    (text, "in a fence")
}
