//! What tools print, read into diagnostics.
//!
//! In: the two streams of a run that has ended, which tool's format they are in, and the folder it
//! ran in. Out: one [`Diagnostic`] for each thing the tool said. Never starts a tool, never reads a
//! file by itself, never fails: what cannot be read is left out, and the caller still has the text.

mod bash;
mod c_text;
mod cargo_text;
mod class;
mod eslint;
mod gcc;
mod go;
mod go_test;
mod hints;
mod javac;
mod json;
mod json_schema;
mod libtest;
mod node;
mod phase;
mod places;
mod pytest;
mod python;
mod python_types;
mod ruff;
mod rustc;
mod sarif;
mod test_runner;
mod traceback;
mod tsc;

pub use class::classify;
pub use hints::add as add_hints;
pub use phase::{ToolPhase, phase_of};

use crate::console::parse_console;
use crate::signature::plain;
use places::Places;
use salve_types::{Diagnostic, Severity};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The format a tool was asked to print in. Each reads both streams of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum OutputParser {
    /// `cargo check|clippy|build --message-format=json`, `rustc --error-format=json`.
    CargoJson,
    /// `cargo test --message-format=json --no-fail-fast`: compile errors and failed tests.
    CargoTest,
    /// `tsc --noEmit --pretty false`.
    Tsc,
    /// `eslint --format json`.
    EslintJson,
    /// `ruff check --output-format json`.
    RuffJson,
    /// `mypy --output json`.
    MypyJson,
    /// `pyright --outputjson`.
    PyrightJson,
    /// `pytest -q --tb=short -rfE -p no:cacheprovider --color=no`.
    Pytest,
    /// `python -m unittest`.
    Unittest,
    /// `python -m py_compile FILE…` and tracebacks of Python itself.
    PythonCompile,
    /// `node --check FILE` and uncaught errors of Node itself.
    NodeCheck,
    /// `go build -json` (1.24 and later) or its text.
    GoBuild,
    /// `go vet -json` or its text.
    GoVet,
    /// `go test -json`, with build failures in either form.
    GoTest,
    /// `gcc -fdiagnostics-format=json`, `sarif-stderr` or text.
    Gcc,
    /// `clang -fno-color-diagnostics -fdiagnostics-parseable-fixits`, or `sarif`.
    Clang,
    /// `javac -XDrawDiagnostics` or its text.
    Javac,
    /// `bash -n FILE`.
    BashN,
    /// SARIF 2.1.0 of any tool.
    Sarif,
    /// The output of JSON Schema validators: the standard's basic form, ajv, check-jsonschema.
    JsonSchema,
    /// Test runners that print for people: jest, vitest, mocha, node, ctest, Maven, Gradle.
    TestRunner,
    /// Text for people, of no known tool.
    Console,
}

impl OutputParser {
    /// Lists every parser.
    pub const ALL: &[Self] = &[
        Self::CargoJson,
        Self::CargoTest,
        Self::Tsc,
        Self::EslintJson,
        Self::RuffJson,
        Self::MypyJson,
        Self::PyrightJson,
        Self::Pytest,
        Self::Unittest,
        Self::PythonCompile,
        Self::NodeCheck,
        Self::GoBuild,
        Self::GoVet,
        Self::GoTest,
        Self::Gcc,
        Self::Clang,
        Self::Javac,
        Self::BashN,
        Self::Sarif,
        Self::JsonSchema,
        Self::TestRunner,
        Self::Console,
    ];
}

/// Where a tool ran, and how to see the files it speaks of.
#[derive(Clone, Copy)]
pub struct CheckedFolder<'a> {
    /// The folder; paths below it are written relative to it.
    pub path: &'a Path,
    /// Gives the text of a file by its path relative to the folder. Tools count columns in bytes,
    /// UTF-16 units or characters; with the text they all become characters.
    pub source: &'a dyn Fn(&str) -> Option<String>,
}

impl<'a> CheckedFolder<'a> {
    /// A folder whose files are not looked at: columns stay as the tool counted them.
    pub fn unread(path: &'a Path) -> Self {
        Self { path, source: &|_| None }
    }
}

/// Reads what a tool printed. The order is the tool's own; what it said twice is there once.
#[must_use]
pub fn parse_output(
    parser: OutputParser,
    stdout: &str,
    stderr: &str,
    folder: CheckedFolder<'_>,
) -> Vec<Diagnostic> {
    let places = &Places::new(folder);
    let read = match parser {
        OutputParser::CargoJson => rustc::parse,
        OutputParser::CargoTest => libtest::parse,
        OutputParser::Tsc => tsc::parse,
        OutputParser::EslintJson => eslint::parse,
        OutputParser::RuffJson => ruff::parse,
        OutputParser::MypyJson => python_types::mypy,
        OutputParser::PyrightJson => python_types::pyright,
        OutputParser::Pytest => pytest::parse,
        OutputParser::Unittest => python::unittest,
        OutputParser::PythonCompile => python::compile,
        OutputParser::NodeCheck => node::parse,
        OutputParser::GoBuild => go::build,
        OutputParser::GoVet => go::vet,
        OutputParser::GoTest => go_test::parse,
        OutputParser::Gcc => gcc::parse,
        OutputParser::Clang => c_text::clang,
        OutputParser::Javac => javac::parse,
        OutputParser::BashN => bash::parse,
        OutputParser::Sarif => sarif::parse,
        OutputParser::JsonSchema => json_schema::parse,
        OutputParser::TestRunner => test_runner::parse,
        OutputParser::Console => console,
    };
    // Some tools colour and redraw their lines even when no terminal is there.
    let mut found = read(&plain(stdout), &plain(stderr), places);
    for diagnostic in found.iter_mut().filter(|one| one.raw.trim().is_empty()) {
        diagnostic.raw = concise(diagnostic);
    }
    found.iter_mut().for_each(hints::add);
    found
}

// Each stream by itself: a line of one says nothing about the next line of the other.
fn console(stdout: &str, stderr: &str, places: &Places<'_>) -> Vec<Diagnostic> {
    let mut found = parse_console(None, stderr);
    found.extend(parse_console(None, stdout));
    for diagnostic in &mut found {
        let noted = diagnostic.notes.iter_mut().flat_map(|note| &mut note.spans);
        for span in diagnostic.spans.iter_mut().chain(noted) {
            span.path = places.path(&span.path);
            for place in span.start.iter_mut().chain(&mut span.end) {
                (place.line, place.column) = (place.line.max(1), place.column.max(1));
            }
        }
    }
    found
}

// A diagnostic of a tool that prints JSON only, in one line as compilers write it.
fn concise(diagnostic: &Diagnostic) -> String {
    let place = diagnostic.primary().map_or(String::new(), |span| match span.start {
        Some(start) => format!("{}:{}:{}: ", span.path, start.line, start.column),
        None => format!("{}: ", span.path),
    });
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let code = diagnostic.code.as_ref().map_or(String::new(), |code| format!(" [{code}]"));
    format!("{place}{severity}: {}{code}", diagnostic.message)
}
