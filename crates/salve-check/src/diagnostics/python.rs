//! What Python itself and its `unittest` say.
//!
//! In: both streams of `python -m py_compile`, of `python -m unittest`, or of a script. Out: one
//! diagnostic for each exception that was not caught, or for each failed test; a test's name is a
//! note of kind `test`.

use super::places::Places;
use super::traceback;
use salve_types::{Diagnostic, DiagnosticNote, ErrorClass, Severity};

pub(super) fn compile(stdout: &str, stderr: &str, places: &Places<'_>) -> Vec<Diagnostic> {
    let lines: Vec<&str> = stderr.lines().chain(stdout.lines()).collect();
    let mut found = traceback::diagnostics("python", &lines, places);
    found.extend(lines.iter().filter_map(|line| not_opened(line)));
    found
}

// `python: can't open file 'x.py': [Errno 2] No such file or directory`, `[Errno 2] …: 'x.py'`.
fn not_opened(line: &str) -> Option<Diagnostic> {
    let words = match line.split_once(": can't open file ") {
        Some((program, _)) if program.contains("python") => &line[program.len() + 2..],
        _ => line.strip_prefix("[Errno ").map(|_| line)?,
    };
    let mut diagnostic = Diagnostic::new("python", Severity::Error, ErrorClass::Build, words);
    diagnostic.raw = line.to_owned();
    Some(diagnostic)
}

pub(super) fn unittest(stdout: &str, stderr: &str, places: &Places<'_>) -> Vec<Diagnostic> {
    let lines: Vec<&str> = stderr.lines().chain(stdout.lines()).collect();
    let mut found = Vec::new();
    let mut at = 0;
    let mut outside = 0;
    while at < lines.len() {
        let Some(name) = failed_test(&lines, at) else {
            at += 1;
            continue;
        };
        if found.is_empty() {
            outside = at;
        }
        let end = body_end(&lines, at + 3);
        found.push(failure(name, &lines[(at + 3).min(end)..end], places));
        at = end;
    }
    if found.is_empty() {
        outside = lines.len();
    }
    // What went wrong before the first test, such as a module that cannot be imported.
    let mut before = traceback::diagnostics("python", &lines[..outside], places);
    before.extend(found);
    before
}

// `======`, `FAIL: test_add (test_unit.Sums.test_add)`, `------`.
fn failed_test<'a>(lines: &[&'a str], at: usize) -> Option<&'a str> {
    let rule = |line: Option<&&str>, character: u8| {
        line.is_some_and(|line| line.len() >= 20 && line.bytes().all(|byte| byte == character))
    };
    let title = lines.get(at + 1)?;
    let name = title.strip_prefix("FAIL: ").or_else(|| title.strip_prefix("ERROR: "))?;
    let described = lines.get(at + 2).is_some_and(|line| !rule(Some(line), b'-'));
    let ruled = rule(lines.get(at), b'=') && (!described || rule(lines.get(at + 3), b'-'));
    ruled.then_some(name)
}

fn body_end(lines: &[&str], from: usize) -> usize {
    let from = from.min(lines.len());
    let ends = |at: &usize| failed_test(lines, *at).is_some() || lines[*at].starts_with("Ran ");
    (from..lines.len()).find(ends).unwrap_or(lines.len())
}

fn failure(name: &str, body: &[&str], places: &Places<'_>) -> Diagnostic {
    let mut diagnostic =
        traceback::diagnostics("unittest", body, places).pop().unwrap_or_else(|| {
            let words = body.iter().find(|line| !line.trim().is_empty() && !line.starts_with('-'));
            let words = words.copied().unwrap_or("the test failed");
            Diagnostic::new("unittest", Severity::Error, ErrorClass::Test, words)
        });
    let kept = body.iter().rposition(|line| !line.trim().is_empty() && !line.starts_with("-----"));
    diagnostic.raw = body[..kept.map_or(0, |at| at + 1)].join("\n").trim().to_owned();
    let message = name.to_owned();
    diagnostic.notes.push(DiagnosticNote { kind: "test".into(), message, spans: Vec::new() });
    diagnostic
}
