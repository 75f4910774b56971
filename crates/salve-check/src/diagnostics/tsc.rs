//! What `tsc --pretty false` says.
//!
//! In: lines `FILE(LINE,COLUMN): error TSnnnn: MESSAGE`, with the reasons indented below. Out: one
//! diagnostic for each, with a note for each reason. Lines of npm and the like are passed over.

use super::classify;
use super::places::{Columns, Places};
use salve_types::{Diagnostic, DiagnosticNote, Severity};

pub(super) fn parse(stdout: &str, stderr: &str, places: &Places<'_>) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    let mut open = false;
    for line in stdout.lines().chain(stderr.lines()) {
        if let Some(diagnostic) = headline(line, places) {
            found.push(diagnostic);
            open = true;
        } else if let Some(last) = found.last_mut().filter(|_| open && line.starts_with("  ")) {
            last.raw.push('\n');
            last.raw.push_str(line);
            let message = line.trim().to_owned();
            last.notes.push(DiagnosticNote { kind: "because".into(), message, spans: Vec::new() });
        } else {
            open = false;
        }
    }
    found
}

fn headline(line: &str, places: &Places<'_>) -> Option<Diagnostic> {
    // The code is looked for first: paths may hold anything, brackets and colons included.
    const SEVERITIES: [(&str, Severity); 3] = [
        ("error TS", Severity::Error),
        ("warning TS", Severity::Warning),
        ("message TS", Severity::Note),
    ];
    let (at, severity, word) = SEVERITIES
        .iter()
        .filter_map(|&(word, severity)| Some((line.find(word)?, severity, word)))
        .min_by_key(|&(at, ..)| at)?;
    let after = &line[at + word.len()..];
    let digits = after.bytes().take_while(u8::is_ascii_digit).count();
    let message = after.get(digits..)?.strip_prefix(": ").filter(|_| digits > 0)?;
    let code = format!("TS{}", &after[..digits]);
    let mut diagnostic =
        Diagnostic::new("tsc", severity, classify("tsc", Some(&code), message), message.trim_end());
    diagnostic.code = Some(code);
    diagnostic.raw = line.to_owned();
    let before = line[..at].trim_end_matches([' ', ':', '-']);
    if !before.is_empty() {
        let (path, line, column) = bracketed(before).or_else(|| with_colons(before))?;
        diagnostic.spans.push(places.point(path, Some((line, column)), Columns::Utf16));
    }
    Some(diagnostic)
}

fn bracketed(place: &str) -> Option<(&str, u32, u32)> {
    let (path, numbers) = place.strip_suffix(')')?.rsplit_once('(')?;
    let (line, column) = numbers.split_once(',')?;
    Some((path, line.parse().ok()?, column.parse().ok()?))
}

// What `--pretty` writes: `FILE:LINE:COLUMN - error …`.
fn with_colons(place: &str) -> Option<(&str, u32, u32)> {
    let mut parts = place.rsplitn(3, ':');
    let column = parts.next()?.parse().ok()?;
    let line = parts.next()?.parse().ok()?;
    Some((parts.next()?, line, column))
}
