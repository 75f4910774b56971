//! How far a tool had got when it reported an error.
//!
//! In: a diagnostic. Out: the phase that found it. A tool that has errors of one phase does not get to the
//! next, so that an error of a later phase may have been there all the time. Never looks at the source.

use salve_types::{Diagnostic, ErrorClass};
use serde::{Deserialize, Serialize};

/// A phase of a tool, the earliest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolPhase {
    /// The text is read.
    Read,
    /// Modules, imports and names are found.
    Resolve,
    /// Types are compared.
    Types,
    /// Bodies that have their types are looked at: matches, ownership, life times, lints.
    Bodies,
    /// Programs are linked, started or tested.
    Run,
}

/// Returns the phase in which a diagnostic was found.
#[must_use]
pub fn phase_of(diagnostic: &Diagnostic) -> ToolPhase {
    let is_rust = matches!(diagnostic.tool.as_str(), "rustc" | "clippy" | "cargo");
    let code = diagnostic.code.as_deref().filter(|_| is_rust).unwrap_or_default();
    match diagnostic.class {
        // The linker comes after every unit was compiled.
        ErrorClass::Build if diagnostic.tool == "ld" => ToolPhase::Run,
        ErrorClass::Syntax => ToolPhase::Read,
        ErrorClass::Import | ErrorClass::Build => ToolPhase::Resolve,
        ErrorClass::Type if RUSTC_NAMES.contains(&code) => ToolPhase::Resolve,
        ErrorClass::Type if RUSTC_BODIES.contains(&code) => ToolPhase::Bodies,
        ErrorClass::Type => ToolPhase::Types,
        ErrorClass::Lint => ToolPhase::Bodies,
        _ => ToolPhase::Run,
    }
}

// Errors of rustc's name resolution: with one of these no type is looked at.
const RUSTC_NAMES: &[&str] = &[
    "E0401", "E0403", "E0404", "E0405", "E0407", "E0408", "E0411", "E0412", "E0415", "E0416",
    "E0422", "E0423", "E0424", "E0425", "E0426", "E0428", "E0429", "E0430", "E0431", "E0434",
    "E0435", "E0437", "E0438", "E0531", "E0532", "E0573", "E0574", "E0575", "E0576",
];

// Errors that rustc finds in bodies whose types fit: patterns that leave something out, then the
// borrow checker's.
const RUSTC_BODIES: &[&str] = &[
    "E0004", "E0005", "E0373", "E0381", "E0382", "E0384", "E0499", "E0501", "E0502", "E0503",
    "E0505", "E0506", "E0507", "E0508", "E0509", "E0510", "E0515", "E0521", "E0594", "E0596",
    "E0597", "E0626", "E0712", "E0713", "E0716",
];

#[cfg(test)]
mod tests {
    use super::*;
    use salve_types::Severity;

    #[test]
    fn a_tool_gets_from_text_to_names_to_types_to_bodies_to_tests() {
        for (tool, code, class, expected) in [
            ("rustc", None, ErrorClass::Syntax, ToolPhase::Read),
            ("rustc", Some("E0432"), ErrorClass::Import, ToolPhase::Resolve),
            ("rustc", Some("E0425"), ErrorClass::Type, ToolPhase::Resolve),
            ("rustc", Some("E0308"), ErrorClass::Type, ToolPhase::Types),
            ("rustc", Some("E0384"), ErrorClass::Type, ToolPhase::Bodies),
            ("rustc", Some("unused_imports"), ErrorClass::Lint, ToolPhase::Bodies),
            ("tsc", Some("TS2322"), ErrorClass::Type, ToolPhase::Types),
            ("tsc", Some("E0384"), ErrorClass::Type, ToolPhase::Types),
            ("ld", None, ErrorClass::Build, ToolPhase::Run),
            ("pytest", None, ErrorClass::Test, ToolPhase::Run),
        ] {
            let mut diagnostic = Diagnostic::new(tool, Severity::Error, class, "wrong");
            diagnostic.code = code.map(str::to_owned);
            assert_eq!(phase_of(&diagnostic), expected, "{tool} {code:?}");
        }
    }
}
