//! The failures of Rust's test harness.
//!
//! In: what `cargo test --message-format=json` prints: JSON of the compiler, then the harness's
//! text. Out: the compiler's diagnostics, and one for each failed test with the place it panicked
//! at. The name of the test is a note of kind `test`.

use super::cargo_text;
use super::places::{Columns, Places};
use super::rustc::Compiled;
use salve_types::{Diagnostic, DiagnosticNote, ErrorClass, Severity, SourceSpan};
use std::collections::HashSet;

pub(super) fn parse(stdout: &str, stderr: &str, places: &Places<'_>) -> Vec<Diagnostic> {
    let mut compiled = Compiled::default();
    let mut for_people = |stream: &'_ str| {
        let lines = stream.lines().filter(|line| !compiled.take(line, places));
        lines.map(str::to_owned).collect::<Vec<String>>()
    };
    let streams = [for_people(stdout), for_people(stderr)];
    let mut diagnostics = compiled.diagnostics;
    let left = streams.each_ref().map(|lines| {
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let (found, left) = failures(&lines, places);
        diagnostics.extend(found);
        left.join("\n")
    });
    // The tests write to standard output, and may write anything; cargo writes to standard error.
    // Only where the two were joined or swapped is the other one listened to.
    let cargo = left.iter().rev().find(|text| cargo_text::is_heard(text));
    if let Some(cargo) = cargo {
        cargo_text::add(cargo, places, &mut diagnostics);
    }
    diagnostics
}

// Every failure is told in a section `---- NAME stdout ----`; a harness that was cut or told not to
// capture has panics or verdicts only. The lines that are part of none are given back.
fn failures<'a>(lines: &[&'a str], places: &Places<'_>) -> (Vec<Diagnostic>, Vec<&'a str>) {
    let mut found = Vec::new();
    let mut told = HashSet::new();
    let mut failed = Vec::new();
    let mut left = Vec::new();
    let mut at = 0;
    while let Some(&line) = lines.get(at) {
        let section = section_name(line);
        let thread = || panicking_thread(line).filter(|name| *name != "main");
        if let Some(name) = section.or_else(thread) {
            let body = at + usize::from(section.is_some());
            let end = section_end(lines, at + 1);
            if told.insert(name) {
                found.push(failure(name, &lines[body..end], places));
            }
            at = end;
            continue;
        }
        let verdict = line.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... FAILED"));
        failed.extend(verdict.map(|name| name.trim_end_matches(" - should panic")));
        left.push(line);
        at += 1;
    }
    let untold = failed.into_iter().filter(|name| told.insert(name));
    found.extend(untold.map(|name| named(name, Severity::Error, "the test failed")));
    (found, left)
}

fn section_name(line: &str) -> Option<&str> {
    line.strip_prefix("---- ")?.strip_suffix(" stdout ----")
}

fn section_end(lines: &[&str], from: usize) -> usize {
    let ends = |line: &&str| {
        section_name(line).is_some()
            || *line == "failures:"
            || *line == "successes:"
            || line.starts_with("test result: ")
            || (line.starts_with("test ") && line.contains(" ... "))
    };
    lines[from..].iter().position(ends).map_or(lines.len(), |at| from + at)
}

fn failure(name: &str, body: &[&str], places: &Places<'_>) -> Diagnostic {
    let mut diagnostic = if let Some(at) = body.iter().position(|line| panicked_at(line).is_some())
    {
        panic(name, &body[at..], places)
    } else if let Some(at) = body.iter().position(|line| cargo_text::headline(line).is_some()) {
        doctest_error(name, &body[at..], places)
    } else if let Some(place) = body.iter().find_map(|line| expected_panic(line)) {
        let mut diagnostic = named(name, Severity::Error, "test did not panic as expected");
        diagnostic.spans.extend(place.and_then(|place| place_of(place, places)));
        diagnostic
    } else {
        let told = body.iter().rev().find(|line| line.starts_with("Error: "));
        named(name, Severity::Error, told.map_or("the test failed", |line| line.trim()))
    };
    diagnostic.raw = body.join("\n").trim().to_owned();
    diagnostic
}

// `thread 'NAME' (PID) panicked at FILE:L:C:` with the message below it, or, before Rust 1.73, the
// message in quotes on the same line.
fn panic(name: &str, body: &[&str], places: &Places<'_>) -> Diagnostic {
    let after = body.first().and_then(|line| panicked_at(line)).unwrap_or_default();
    let old = after.strip_prefix('\'').and_then(|rest| rest.rsplit_once("', "));
    let (message, place, rest) = match old {
        Some((message, place)) => (message, place, &body[1..]),
        None => (body.get(1).copied().unwrap_or_default(), after, body.get(2..).unwrap_or(&[])),
    };
    let mut diagnostic = named(name, Severity::Error, message.trim());
    diagnostic.spans.extend(place_of(place, places));
    let ends = |line: &&&str| !line.starts_with("stack backtrace:") && !line.starts_with("note: ");
    let more: Vec<&str> = rest.iter().take_while(ends).copied().collect();
    let more = more.join("\n");
    if !more.trim().is_empty() {
        let message = more.trim_matches('\n').trim_end().to_owned();
        diagnostic.notes.push(DiagnosticNote { kind: "note".into(), message, spans: Vec::new() });
    }
    diagnostic
}

fn doctest_error(name: &str, body: &[&str], places: &Places<'_>) -> Diagnostic {
    let next = |line: &&str| {
        cargo_text::headline(line).is_some()
            || line.starts_with("For more information")
            || line.starts_with("Couldn't compile")
    };
    let end = body[1..].iter().position(next).map_or(body.len(), |at| at + 1);
    let mut diagnostic = cargo_text::complaint("rustc", &body[..end].join("\n"), places);
    diagnostic.notes.push(test_note(name));
    diagnostic
}

fn named(name: &str, severity: Severity, message: &str) -> Diagnostic {
    let mut diagnostic = Diagnostic::new("rust-test", severity, ErrorClass::Test, message);
    diagnostic.notes.push(test_note(name));
    diagnostic
}

fn test_note(name: &str) -> DiagnosticNote {
    DiagnosticNote { kind: "test".into(), message: name.to_owned(), spans: Vec::new() }
}

fn panicking_thread(line: &str) -> Option<&str> {
    panicked_at(line)?;
    line.strip_prefix("thread '")?.split_once('\'').map(|(name, _)| name)
}

fn panicked_at(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("thread '")?;
    rest.split_once(" panicked at ").map(|(_, place)| place)
}

fn expected_panic(line: &str) -> Option<Option<&str>> {
    let rest = line.strip_prefix("note: test did not panic as expected")?;
    Some(rest.strip_prefix(" at "))
}

fn place_of(place: &str, places: &Places<'_>) -> Option<SourceSpan> {
    let mut parts = place.trim_end_matches(':').rsplitn(3, ':');
    let column = parts.next()?.trim().parse().ok()?;
    let line = parts.next()?.parse().ok()?;
    Some(places.point(parts.next()?, Some((line, column)), Columns::Characters))
}
