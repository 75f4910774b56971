//! What tools print for people, read as diagnostics.
//!
//! In: the text of one or several tools, with or without the colours, times and names that logs add,
//! whole or cut. Out: diagnostics in the order of the text; which tool spoke is told by the content.
//! Never fails, never looks at a line more than a bounded number of times, never guesses: text that
//! no reader knows gives nothing.

mod compiler;
mod go;
mod java;
mod lint;
mod location;
mod log;
mod native;
mod node;
mod pytest;
mod python;
mod python_group;
mod rust_panic;
mod rustc;
mod shell;
mod tsc;
mod wrapper;

pub(crate) use log::unwrapped_lines;

use crate::signature::plain;
use log::Log;
use salve_types::Diagnostic;

/// Reads the diagnostics out of a text; `tool` decides where the text alone does not.
#[must_use]
pub fn parse_console(tool: Option<&str>, text: &str) -> Vec<Diagnostic> {
    let text = plain(text);
    parse_log(tool, &Log::new(&text))
}

fn parse_log(tool: Option<&str>, log: &Log<'_>) -> Vec<Diagnostic> {
    let mut found = Found { tool, state: State::default(), diagnostics: Vec::new() };
    let mut at = 0;
    while at < log.len() {
        at = found.read(log, at).max(at + 1);
    }
    found.finish()
}

/// What a reader found at a line: diagnostics, and the line where reading goes on.
pub(crate) struct Reading {
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) next: usize,
}

impl Reading {
    fn one(diagnostic: Diagnostic, next: usize) -> Self {
        Self { diagnostics: vec![diagnostic], next }
    }

    const fn nothing(next: usize) -> Self {
        Self { diagnostics: Vec::new(), next }
    }
}

/// What was said above that belongs to a diagnostic below.
#[derive(Default)]
pub(crate) struct State {
    /// The function a C compiler is in.
    function: Option<String>,
    /// Where code of a header was inlined.
    inlined: Option<(String, u32)>,
    /// The test a runner reports on.
    test: Option<String>,
    /// The line that pytest marks with `>`.
    marked: Option<String>,
    /// The file eslint reports on.
    file: Option<String>,
    /// What pytest repeats in its summary, for when nothing else was found.
    summary: Vec<Diagnostic>,
}

struct Found<'t> {
    tool: Option<&'t str>,
    state: State,
    diagnostics: Vec<Diagnostic>,
}

impl Found<'_> {
    // Returns the line to go on with.
    fn read(&mut self, log: &Log<'_>, at: usize) -> usize {
        let line = log.line(at);
        let Some(first) = line.trim_start().bytes().next() else { return at + 1 };
        let indented = line.starts_with([' ', '\t']);
        let reading = match first {
            b'e' | b'w' => rustc::read(self.tool, log, at),
            b'n' if line.starts_with("npm ") => shell::npm(log, at),
            b'-' if line.starts_with("---- ") => rust_panic::read_returned(log, at),
            b't' if line.starts_with("thread '") => rust_panic::read(log, at, &self.state),
            b'T' | b'F' | b'+' if python::begins(line) => {
                Some(python::read(log, at, &mut self.state))
            }
            b'E' | b'>' | b'_' | b'F' => pytest::read(log, at, &mut self.state),
            b'=' | b'A' | b'W' | b'*' | b'S' if !indented => native::read(log, at),
            _ => None,
        };
        let reading = reading.or_else(|| self.read_anywhere(log, at, line, indented));
        match reading {
            Some(mut reading) => {
                self.diagnostics.append(&mut reading.diagnostics);
                reading.next
            }
            None => at + 1,
        }
    }

    // Readers that cannot be told by the first letter, from the cheapest question to the dearest.
    fn read_anywhere(
        &mut self,
        log: &Log<'_>,
        at: usize,
        line: &str,
        indented: bool,
    ) -> Option<Reading> {
        if indented {
            return compiler::inlined(line, &mut self.state)
                .or_else(|| lint::stylish(log, at, &self.state))
                .or_else(|| go::failed_line(log, at, &self.state));
        }
        if memchr::memchr(b':', line.as_bytes()).is_none() && !line.contains('/') {
            return rustc::lint_header(log, at).or_else(|| native::ended(line, at));
        }
        let bytes = line.as_bytes();
        lint::file_header(log, at, &mut self.state)
            .or_else(|| tsc::read(log, at))
            .or_else(|| compiler::read(self.tool, log, at, &mut self.state, &mut self.diagnostics))
            .or_else(|| node::read(log, at))
            .or_else(|| java::read(log, at))
            .or_else(|| go::read(log, at, &mut self.state))
            .or_else(|| shell::read(self.tool, log, at))
            .or_else(|| native::ended(line, at))
            .filter(|_| !bytes.is_empty())
    }

    fn finish(mut self) -> Vec<Diagnostic> {
        if self.diagnostics.is_empty() {
            self.diagnostics = self.state.summary;
        }
        self.diagnostics
    }
}

#[cfg(test)]
mod tests;
