//! `salve explain CODE`: what a code means and what to do about it.
//!
//! In: a code in any case. Out: its section of the code book. Never has an opinion of its own: the
//! code book (`codes.md`) is the one place.

use crate::arguments::Format;
use crate::failure::{CommandResult, Ending, Failure};
use crate::output;
use serde_json::json;

const CODE_BOOK: &str = include_str!("../codes.md");

/// One code and its explanation.
struct Entry {
    group: &'static str,
    code: &'static str,
    text: &'static str,
}

/// Runs `salve explain`.
pub(crate) fn run(code: Option<&str>, format: Format) -> CommandResult {
    let entries = entries();
    let chosen: Vec<Entry> = match code {
        None => entries,
        Some(code) => {
            let wanted = code.trim().to_ascii_uppercase().replace(['-', ' '], "_");
            let found: Vec<Entry> = entries
                .into_iter()
                .filter(|entry| entry.code.to_ascii_uppercase() == wanted)
                .collect();
            if found.is_empty() {
                return Err(unknown(&wanted));
            }
            found
        }
    };
    match format {
        Format::Human if code.is_some() => output::result(&section(&chosen))?,
        Format::Human => output::result(&list(&chosen))?,
        _ => output::values(format, &documents(&chosen))?,
    }
    Ok(Ending::Clean)
}

fn unknown(code: &str) -> Failure {
    let stem: String = code.chars().take_while(|&letter| letter != '_').collect();
    let near: Vec<&str> = entries()
        .iter()
        .map(|entry| entry.code)
        .filter(|known| known.to_ascii_uppercase().contains(&stem))
        .take(5)
        .collect();
    let failure = Failure::new(format!("no such code: `{code}`"));
    let failure = if near.is_empty() {
        failure
    } else {
        failure.hint(format!("Codes like it: {}", near.join(", ")))
    };
    failure.hint("`salve explain` lists all codes.")
}

fn section(entries: &[Entry]) -> String {
    let bold = anstyle::Style::new().bold();
    entries
        .iter()
        .map(|entry| format!("{bold}{}{bold:#}  ({})\n\n{}\n", entry.code, entry.group, entry.text))
        .collect()
}

fn list(entries: &[Entry]) -> String {
    let bold = anstyle::Style::new().bold();
    let width = entries.iter().map(|entry| entry.code.len()).max().unwrap_or(0);
    let mut text = String::new();
    let mut group = "";
    for entry in entries {
        if entry.group != group {
            group = entry.group;
            text.push_str(&format!("\n{bold}{group}{bold:#}\n"));
        }
        let first = entry.text.lines().next().unwrap_or_default();
        text.push_str(&format!("  {:width$}  {first}\n", entry.code));
    }
    text.trim_start_matches('\n').to_owned()
}

fn documents(entries: &[Entry]) -> Vec<serde_json::Value> {
    entries
        .iter()
        .map(|entry| json!({ "code": entry.code, "group": entry.group, "text": entry.text }))
        .collect()
}

// The book is Markdown: `#` names a group, `##` a code, the text up to the next heading explains.
fn entries() -> Vec<Entry> {
    let mut entries = Vec::new();
    for group in CODE_BOOK.split("\n# ").skip(1) {
        let (name, body) = group.split_once('\n').unwrap_or((group, ""));
        for part in body.split("\n## ").skip(1) {
            let (code, text) = part.split_once('\n').unwrap_or((part, ""));
            entries.push(Entry { group: name.trim(), code: code.trim(), text: text.trim() });
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;
    use salve_text::RepairCode;
    use salve_tree::RefusalCode;
    use salve_types::{EditNoteCode, FindingCode, TruncationKind};

    #[test]
    fn every_repair_kind_and_finding_is_in_the_book() {
        let known: Vec<&str> = entries().iter().map(|entry| entry.code).collect();
        let repairs = RepairCode::ALL.iter().map(|code| code.name());
        let kinds = TruncationKind::ALL.iter().map(|kind| kind.name());
        let findings = FindingCode::ALL.iter().map(|code| code.name());
        let notes = EditNoteCode::ALL.iter().map(|code| code.name());
        for code in repairs.chain(kinds).chain(findings).chain(notes) {
            assert!(known.contains(&code), "`{code}` is missing from codes.md");
        }
        for rule in salve_check::Rule::ALL {
            assert!(known.contains(&rule.name()), "`{}` is missing from codes.md", rule.name());
        }
        for code in RefusalCode::ALL {
            let code = crate::output::word(code);
            assert!(known.contains(&code.as_str()), "`{code}` is missing from codes.md");
        }
    }

    #[test]
    fn every_entry_says_something_and_codes_are_unique_in_their_group() {
        let mut seen = std::collections::HashSet::new();
        for entry in entries() {
            assert!(entry.text.len() > 10, "{}", entry.code);
            assert!(seen.insert((entry.group, entry.code)), "{} twice", entry.code);
        }
    }
}
