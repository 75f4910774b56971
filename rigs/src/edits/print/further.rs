//! More habits of those who write edits, for measurements with seeds nobody worked on.
//!
//! In: pieces of files. Out: the text of a reply and the name of its habit. Kept apart from the usual
//! habits, so that fixed seeds go on meaning the cases they meant. Never: a habit that takes away
//! what tells the place.

use super::{Format, Piece, Printed};
use crate::corpus::Random;
use serde_json::{Value, json};

type Told = Option<(String, &'static str)>;

/// Prints what is meant with one of the further habits.
pub(super) fn print(format: Format, files: &[Printed], random: &mut Random) -> Told {
    match format {
        Format::Diff => diff(files, random),
        Format::Aider | Format::Cline | Format::Roo => blocks(format, files, random),
        Format::Envelope => envelope(files, random),
        Format::Tool => tool(files, random),
        Format::Lines => None,
        Format::Lazy => lazy(files, random),
        Format::Whole => Some(whole(files, random)),
    }
}

fn all(lines: &[String], mark: &str) -> String {
    lines.iter().map(|line| format!("{mark}{line}\n")).collect()
}

fn diff(files: &[Printed], random: &mut Random) -> Told {
    const HABITS: &[&str] = &[
        "git's own head",
        "times in the head",
        "numbers that are 0",
        "dots for numbers",
        "context without its blank",
        "line ends of Windows",
        "talk between two files",
        "no context below",
    ];
    let habit = HABITS[random.below(HABITS.len())];
    let mut text = String::new();
    for Printed { truth, pieces } in files {
        let path = &truth.path;
        match habit {
            "git's own head" => text.push_str(&format!(
                "diff --git a/{path} b/{path}\nindex 3f2a1c0..9b8d7e6 100644\n--- a/{path}\n+++ b/{path}\n"
            )),
            "times in the head" => text.push_str(&format!(
                "--- {path}\t2026-03-01 10:00:00.000000000 +0000\n+++ {path}\t2026-03-01 10:05:00.000000000 +0000\n"
            )),
            "talk between two files" => text.push_str(&format!(
                "Now `{path}`:\n\n```diff\n--- a/{path}\n+++ b/{path}\n"
            )),
            _ => text.push_str(&format!("--- a/{path}\n+++ b/{path}\n")),
        }
        let mut grown = 0_isize;
        for piece in pieces {
            text.push_str(&hunk(piece, grown, habit)?);
            grown += piece.new.len() as isize - piece.removed.len() as isize;
        }
        if habit == "talk between two files" {
            text.push_str("```\n\nThat is all for this file.\n\n");
        }
    }
    if habit == "line ends of Windows" {
        text = text.replace('\n', "\r\n");
    }
    Some((text, habit))
}

fn hunk(piece: &Piece, grown: isize, habit: &str) -> Option<String> {
    let marked = |line: &String| line.starts_with(['+', '-', '@', '\\', ' ', '\t']);
    let context = |lines: &[String]| match habit {
        "context without its blank" => all(lines, ""),
        _ => all(lines, " "),
    };
    let around = [&piece.above[..], &piece.below].concat();
    // A line that is indented or begins with a mark would be read as another one.
    if habit == "context without its blank" && around.iter().any(marked) {
        return None;
    }
    let below: &[String] = match habit {
        // Two lines above tell the place; at the start of a file there may be none.
        "no context below" if piece.above.len() < 2 || piece.removed.is_empty() => return None,
        "no context below" => &[],
        _ => &piece.below,
    };
    let old = piece.above.len() + piece.removed.len() + below.len();
    let new = piece.above.len() + piece.new.len() + below.len();
    let first = piece.start + 1;
    let second = (first as isize + grown).max(1);
    let header = match habit {
        "numbers that are 0" => "@@ -0,0 +0,0 @@\n".to_owned(),
        "dots for numbers" => "@@ ... @@\n".to_owned(),
        _ => format!("@@ -{first},{old} +{second},{new} @@\n"),
    };
    Some(
        header
            + &context(&piece.above)
            + &all(&piece.removed, "-")
            + &all(&piece.new, "+")
            + &context(below),
    )
}

fn blocks(format: Format, files: &[Printed], random: &mut Random) -> Told {
    const HABITS: &[&str] = &[
        "the path in backticks",
        "the path as a heading",
        "the path in the fence",
        "one path above all blocks",
        "the changed lines alone",
        "line ends of Windows",
        "talk between blocks",
        "longer marks",
    ];
    let habit = HABITS[random.below(HABITS.len())];
    let mut text = String::new();
    for Printed { truth, pieces } in files {
        let path = &truth.path;
        for (at, piece) in pieces.iter().enumerate() {
            let (old, new) = match habit {
                "the changed lines alone" => (piece.removed.clone(), piece.new.clone()),
                _ => (piece.old(), piece.fresh()),
            };
            if old.iter().all(|line| line.trim().is_empty()) {
                return None;
            }
            let places = (0..truth.before.len()).filter(|at| truth.before[*at..].starts_with(&old));
            if places.count() != 1 {
                return None;
            }
            let head = match habit {
                "the path in backticks" => format!("`{path}`\n"),
                "the path as a heading" => format!("### {path}\n\n"),
                "the path in the fence" => format!("```text\n{path}\n"),
                "one path above all blocks" if at > 0 => String::new(),
                "talk between blocks" => format!("Then I change this part.\n\n{path}\n```\n"),
                _ => format!("{path}\n"),
            };
            text.push_str(&head);
            let (open, middle, close) = match (format, habit) {
                (Format::Cline, "longer marks") => {
                    ("---------- SEARCH", "==========", "++++++++++ REPLACE")
                }
                (Format::Cline, _) => ("------- SEARCH", "=======", "+++++++ REPLACE"),
                (_, "longer marks") => ("<<<<<<<<< SEARCH", "=========", ">>>>>>>>> REPLACE"),
                _ => ("<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE"),
            };
            text.push_str(&format!("{open}\n"));
            if format == Format::Roo {
                let start = match habit {
                    "the changed lines alone" => piece.start + piece.above.len(),
                    _ => piece.start,
                };
                text.push_str(&format!(":start_line:{}\n-------\n", start + 1));
            }
            text.push_str(&format!("{}{middle}\n{}{close}\n", all(&old, ""), all(&new, "")));
            if matches!(habit, "the path in the fence" | "talk between blocks") {
                text.push_str("```\n");
            }
            text.push('\n');
        }
    }
    if habit == "line ends of Windows" {
        text = text.replace('\n', "\r\n");
    }
    Some((text, habit))
}

fn envelope(files: &[Printed], random: &mut Random) -> Told {
    const HABITS: &[&str] = &[
        "as a command",
        "end of file told",
        "line ends of Windows",
        "talk around",
        "spaces after the marks",
    ];
    let habit = HABITS[random.below(HABITS.len())];
    let mut text = String::new();
    match habit {
        "as a command" => text.push_str("apply_patch <<'EOF'\n"),
        "talk around" => text.push_str("I'll change it with a patch.\n\n"),
        _ => {}
    }
    let space = if habit == "spaces after the marks" { "  " } else { "" };
    text.push_str(&format!("*** Begin Patch{space}\n"));
    for Printed { truth, pieces } in files {
        text.push_str(&format!("*** Update File: {}{space}\n", truth.path));
        for piece in pieces {
            text.push_str("@@\n");
            text.push_str(&all(&piece.above, " "));
            text.push_str(&(all(&piece.removed, "-") + &all(&piece.new, "+")));
            text.push_str(&all(&piece.below, " "));
            let reaches_end = piece.start + piece.old().len() == truth.before.len();
            if habit == "end of file told" && reaches_end {
                text.push_str("*** End of File\n");
            }
        }
    }
    text.push_str(&format!("*** End Patch{space}\n"));
    match habit {
        "as a command" => text.push_str("EOF\n"),
        "talk around" => text.push_str("\nThe tests should pass now.\n"),
        "line ends of Windows" => text = text.replace('\n', "\r\n"),
        _ => {}
    }
    Some((text, habit))
}

fn tool(files: &[Printed], random: &mut Random) -> Told {
    const HABITS: &[&str] = &[
        "old_str and new_str",
        "search and replace",
        "oldString and newString",
        "one call alone",
        "arguments as text",
        "raw line breaks",
        "a comma too many",
        "keys without quotes",
    ];
    let habit = HABITS[random.below(HABITS.len())];
    let mut calls: Vec<Value> = Vec::new();
    for Printed { truth, pieces } in files {
        for piece in pieces {
            let (old, new) = (piece.old().join("\n"), piece.fresh().join("\n"));
            let path = &truth.path;
            calls.push(match habit {
                "old_str and new_str" => json!({ "command": "str_replace", "path": path, "old_str": old, "new_str": new }),
                "search and replace" => json!({ "path": path, "search": old, "replace": new }),
                "oldString and newString" => json!({ "filePath": path, "oldString": old, "newString": new }),
                _ => json!({ "path": path, "old_string": old, "new_string": new }),
            });
        }
    }
    if habit == "one call alone" {
        let [call] = &calls[..] else { return None };
        return Some((call.to_string(), habit));
    }
    let edits = json!({ "edits": calls });
    let pretty = serde_json::to_string_pretty(&edits).ok()?;
    let text = match habit {
        "arguments as text" => {
            let [call] = &calls[..] else { return None };
            json!({ "name": "edit_file", "arguments": call.to_string() }).to_string()
        }
        // Quotes stay escaped; only the breaks are as they are in the file.
        "raw line breaks" if pretty.contains("\\\\n") => return None,
        "raw line breaks" => pretty.replace("\\n", "\n"),
        "a comma too many" => pretty.replace("\n  ]", ",\n  ]"),
        "keys without quotes" => ["edits", "path", "old_string", "new_string"]
            .iter()
            .fold(pretty, |text, key| text.replace(&format!("\"{key}\": "), &format!("{key}: "))),
        _ => pretty,
    };
    Some((text, habit))
}

// The items that change as a whole, and a mark for everything between them, as models show a place.
fn lazy(files: &[Printed], random: &mut Random) -> Told {
    const HABITS: &[&str] = &[
        "... existing code ...",
        "... rest of the code ...",
        "... (rest unchanged)",
        "rest of the file remains the same",
        "...",
        "[existing code]",
    ];
    let habit = HABITS[random.below(HABITS.len())];
    let mut text = String::new();
    for Printed { truth, .. } in files {
        let (open, close) = match truth.path.rsplit('.').next()? {
            "rs" | "js" | "ts" | "tsx" | "go" | "c" | "cpp" | "java" | "mjs" | "cc" => ("// ", ""),
            "py" | "sh" | "toml" => ("# ", ""),
            "css" => ("/* ", " */"),
            _ => return None,
        };
        let lines = &truth.before;
        let mark = format!("{open}{habit}{close}\n");
        text.push_str(&format!("`{}`\n\n```\n", truth.path));
        let mut shown = 0;
        for op in &truth.ops {
            // What goes with nothing in its place cannot be told from what was left out.
            let (first, last) = item(lines, op.at)?;
            if op.new.is_empty() || first < shown || op.at + op.removed > last {
                return None;
            }
            match first - shown {
                0 => {}
                1 => text.push_str(&all(&lines[shown..first], "")),
                _ => text.push_str(&format!("{mark}\n")),
            }
            text.push_str(&all(&lines[first..op.at], ""));
            text.push_str(&all(&op.new, ""));
            text.push_str(&all(&lines[op.at + op.removed..last], ""));
            shown = last;
        }
        if shown < lines.len() {
            text.push_str(&format!("\n{mark}"));
        }
        text.push_str("```\n");
    }
    Some((text, habit))
}

// The item around a line: from the first line at the margin after a blank one, to the next such blank.
fn item(lines: &[String], at: usize) -> Option<(usize, usize)> {
    const MOST: usize = 60;
    let starts = |line: usize| {
        let begins =
            lines[line].starts_with(|first: char| !first.is_whitespace() && !"})]".contains(first));
        begins && (line == 0 || lines[line - 1].trim().is_empty())
    };
    let first = (0..=at.min(lines.len() - 1)).rev().find(|line| starts(*line))?;
    let next = (first + 1..lines.len()).find(|line| starts(*line)).unwrap_or(lines.len());
    let said = (first..next).rev().find(|line| !lines[*line].trim().is_empty())?;
    (at <= said && said - first < MOST).then_some((first, said + 1))
}

fn whole(files: &[Printed], random: &mut Random) -> (String, &'static str) {
    const HABITS: &[&str] = &[
        "the path as a heading",
        "the path in bold",
        "the path after the language",
        "talk around",
        "`File:` in front",
    ];
    let habit = HABITS[random.below(HABITS.len())];
    let mut text = String::new();
    if habit == "talk around" {
        text.push_str("I've rewritten the file as you asked.\n\n");
    }
    for Printed { truth, .. } in files {
        let path = &truth.path;
        let after = truth.after();
        let block = match habit {
            "the path as a heading" => format!("### `{path}`\n\n```\n{after}```\n\n"),
            "the path in bold" => format!("**{path}**\n\n```text\n{after}```\n\n"),
            "the path after the language" => format!("```text {path}\n{after}```\n\n"),
            "`File:` in front" => format!("File: {path}\n\n```\n{after}```\n\n"),
            _ => format!("{path}\n```\n{after}```\n\nThat is the whole file.\n\n"),
        };
        text.push_str(&block);
    }
    (text, habit)
}
