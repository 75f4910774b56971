//! What `go test -json` says.
//!
//! In: one event for each line, among the text of failed builds. Out: a diagnostic for each failed
//! test at the last place it complained from, and those of the build. The test's name is a note of
//! kind `test`; a test that failed only because an inner one did is not told twice.

use super::go;
use super::json::{self, text};
use super::places::{Columns, Places};
use salve_types::{Diagnostic, DiagnosticNote, ErrorClass, Severity, SourceSpan};
use std::collections::{HashMap, HashSet};

pub(super) fn parse(stdout: &str, stderr: &str, places: &Places<'_>) -> Vec<Diagnostic> {
    let mut outputs: HashMap<(String, String), String> = HashMap::new();
    let mut failed: Vec<(String, String)> = Vec::new();
    let mut known: HashSet<(String, String)> = HashSet::new();
    let mut build = String::new();
    for line in stdout.lines().chain(stderr.lines()) {
        let Some(event) = json::object_line(line, "{\"Time\":") else {
            build.push_str(line);
            build.push('\n');
            continue;
        };
        let key = (text(&event, "Package").to_owned(), text(&event, "Test").to_owned());
        match text(&event, "Action") {
            "output" => outputs.entry(key).or_default().push_str(text(&event, "Output")),
            "build-output" => build.push_str(text(&event, "Output")),
            "fail" if known.insert(key.clone()) => failed.push(key),
            _ => {}
        }
    }
    let mut found = go::complaints("go", &build, places);
    let parents = parents(&failed);
    let mut told: HashSet<&str> = HashSet::new();
    for key in failed.iter().filter(|(_, test)| !test.is_empty()) {
        let output = outputs.get(key).map_or("", String::as_str);
        let failure = failure(key, output, places);
        if failure.spans.is_empty() && parents.contains(key) {
            continue;
        }
        told.insert(&key.0);
        found.push(failure);
    }
    for key in failed.iter().filter(|(_, test)| test.is_empty()) {
        let output = outputs.get(key).map_or("", String::as_str);
        let built = !output.contains("[build failed]") && !output.contains("[setup failed]");
        if (built || found.is_empty()) && !told.contains(key.0.as_str()) {
            found.push(failure(key, output, places));
        }
    }
    found
}

// Each failed test's outer tests.
fn parents(failed: &[(String, String)]) -> HashSet<(String, String)> {
    let outer = |(package, test): &(String, String)| {
        test.rsplit_once('/').map(|(outer, _)| (package.clone(), outer.to_owned()))
    };
    failed.iter().filter_map(outer).collect()
}

fn failure((package, test): &(String, String), output: &str, places: &Places<'_>) -> Diagnostic {
    let mut message = None;
    let mut span = None;
    let mut more: Vec<&str> = Vec::new();
    for line in output.lines() {
        let spoken = line.trim_start();
        if let Some(panic) = spoken.strip_prefix("panic: ") {
            let words = panic.split(" [recovered").next().unwrap_or(panic);
            message.get_or_insert(("panic: ", words));
        } else if matches!(message, Some(("panic: ", _))) {
            let frame =
                || go::place(spoken.split(" +0x").next()?).filter(|_| line.starts_with('\t'));
            if span.is_none()
                && let Some(place) = frame()
            {
                let path = places.path(place.path);
                span =
                    Places::is_inside(&path).then(|| places.point(&path, place.at, Columns::Bytes));
            }
        } else if let Some((place, words)) = complaint(line) {
            message = Some(("", words));
            span = Some(located(package, &place, places));
            more.clear();
        } else if line.starts_with("        ") && message.is_some() {
            more.push(spoken);
        }
    }
    let words =
        message.map_or("the test failed".to_owned(), |(kind, words)| format!("{kind}{words}"));
    let mut diagnostic = Diagnostic::new("go-test", Severity::Error, ErrorClass::Test, &words);
    diagnostic.spans.extend(span);
    if !more.is_empty() {
        diagnostic.notes.push(note("note", &more.join("\n")));
    }
    let name = if test.is_empty() { package.clone() } else { format!("{package}.{test}") };
    diagnostic.notes.push(note("test", &name));
    diagnostic.raw = output.trim().to_owned();
    diagnostic
}

// `    sum_test.go:8: got 2, want 3`.
fn complaint(line: &str) -> Option<(go::GoPlace<'_>, &str)> {
    let spoken = line.trim_start();
    if spoken.len() == line.len() {
        return None;
    }
    let after = spoken.find(".go:")?;
    let colon = spoken[after + 4..].find(": ")? + after + 4;
    let path_is_plain = !spoken[..after].contains(' ');
    go::place(&spoken[..colon]).filter(|_| path_is_plain).map(|at| (at, &spoken[colon + 2..]))
}

// Tests name their file without its folder; the package's path ends in that folder.
fn located(package: &str, place: &go::GoPlace<'_>, places: &Places<'_>) -> SourceSpan {
    let bare = !place.path.contains('/');
    let package = package.strip_suffix("_test").unwrap_or(package);
    let tails = std::iter::once(package)
        .chain(package.match_indices('/').map(|(at, _)| &package[at + 1..]));
    let candidates = tails.take(64).map(|tail| format!("{tail}/{}", place.path));
    let found = bare.then(|| candidates.into_iter().find(|path| places.text(path).is_some()));
    let path = found.flatten().unwrap_or_else(|| place.path.to_owned());
    places.point(&path, place.at, Columns::Bytes)
}

fn note(kind: &str, message: &str) -> DiagnosticNote {
    DiagnosticNote { kind: kind.to_owned(), message: message.to_owned(), spans: Vec::new() }
}
