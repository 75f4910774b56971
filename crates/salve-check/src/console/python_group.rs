//! Exception groups of Python: several exceptions in one traceback.
//!
//! In: `+ Exception Group Traceback`, drawn with bars at the left. Out: the exceptions in the group;
//! the group itself only when none of them can be read.

use super::log::Log;
use super::{Reading, State, python};

/// Reads a group.
pub(crate) fn read(log: &Log<'_>, at: usize, state: &mut State) -> Reading {
    let mut end = at;
    while end < log.len() && log.line(end).trim_start().starts_with(['+', '|']) {
        end += 1;
    }
    let inner: Vec<&str> = (at..end).map(|line| without_bar(log.line(line))).collect();
    let inner = Log::of_lines(inner);
    let mut readings = Vec::new();
    let mut line = 1;
    while line < inner.len() {
        if inner.line(line).starts_with("Traceback ") {
            let reading = python::read(&inner, line, state);
            line = reading.next.max(line + 1);
            readings.extend(reading.diagnostics);
        } else {
            line += 1;
        }
    }
    if readings.is_empty() {
        // A member that was never raised has no traceback of its own, only its line.
        readings = members(&inner);
    }
    Reading { diagnostics: readings, next: end.max(at + 1) }
}

fn members(inner: &Log<'_>) -> Vec<salve_types::Diagnostic> {
    let lines: Vec<&str> = (1..inner.len()).map(|at| inner.line(at)).collect();
    let named = |line: &&&str| python::is_exception(line) && !line.contains("Group: ");
    let found: Vec<&&str> = lines.iter().filter(named).collect();
    let shown = if found.is_empty() {
        lines.iter().filter(|line| python::is_exception(line)).collect()
    } else {
        found
    };
    shown.into_iter().map(|line| python::raised("python", line)).collect()
}

// `  | text`, `  +-+---- 1 ----` and `    +-----`: the bar with the blanks before it.
fn without_bar(line: &str) -> &str {
    let bar = line.trim_start().trim_start_matches(['+', '|']);
    if bar.starts_with('-') { "" } else { bar.strip_prefix(' ').unwrap_or(bar) }
}
