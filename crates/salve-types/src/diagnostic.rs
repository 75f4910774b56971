//! What a tool said about the code.
//!
//! In: what a compiler, linter or test runner reported. Out: one record for all of them. Never
//! decides anything; parsing and signing it belongs to the crate that runs the tool.

use crate::{Hint, Position, Span};
use serde::{Deserialize, Serialize};

/// One thing a tool reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// The tool that said it: `rustc`, `tsc`, `pytest`, …
    pub tool: String,
    /// How bad it is.
    pub severity: Severity,
    /// What kind of failure it is.
    pub class: ErrorClass,
    /// The tool's own code: `E0425`, `TS2304`, `no-unused-vars`, `-Wunused`, `ModuleNotFoundError`.
    pub code: Option<String>,
    /// The headline, without code, place or severity.
    pub message: String,
    /// Where: the primary places first.
    pub spans: Vec<SourceSpan>,
    /// What was added to the headline, in order.
    pub notes: Vec<DiagnosticNote>,
    /// What the tool proposes to write instead.
    pub suggestions: Vec<Suggestion>,
    /// What the tool says only in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<Hint>,
    /// The tool's own words for this diagnostic, as people see them.
    pub raw: String,
}

impl Diagnostic {
    /// Makes a diagnostic with no place, notes or suggestions yet.
    pub fn new(tool: &str, severity: Severity, class: ErrorClass, message: &str) -> Self {
        Self {
            tool: tool.to_owned(),
            severity,
            class,
            code: None,
            message: message.to_owned(),
            spans: Vec::new(),
            notes: Vec::new(),
            suggestions: Vec::new(),
            hints: Vec::new(),
            raw: String::new(),
        }
    }

    /// Returns the first primary place, else the first place.
    pub fn primary(&self) -> Option<&SourceSpan> {
        self.spans.iter().find(|span| span.primary).or_else(|| self.spans.first())
    }
}

/// How bad a diagnostic is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The check fails.
    Error,
    /// The check may pass.
    Warning,
    /// Said in passing.
    Note,
}

/// What kind of failure a diagnostic is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ErrorClass {
    /// A module, package or header is not found.
    Import,
    /// Names and types do not fit.
    Type,
    /// The text is not of the language.
    Syntax,
    /// A rule of a linter.
    Lint,
    /// A test failed.
    Test,
    /// The build as a whole: linker, manifest, missing file.
    Build,
    /// The program ended badly while it ran.
    Runtime,
}

impl ErrorClass {
    /// Lists every class.
    pub const ALL: &[Self] = &[
        Self::Import,
        Self::Type,
        Self::Syntax,
        Self::Lint,
        Self::Test,
        Self::Build,
        Self::Runtime,
    ];

    /// Returns the class as it is on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Import => "import",
            Self::Type => "type",
            Self::Syntax => "syntax",
            Self::Lint => "lint",
            Self::Test => "test",
            Self::Build => "build",
            Self::Runtime => "runtime",
        }
    }
}

/// A place in a source file, as a tool reported it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceSpan {
    /// The path as the tool wrote it; relative to the checked folder where that could be told.
    pub path: String,
    /// Where it starts; absent when the tool names only the file.
    pub start: Option<Position>,
    /// Just past its end, when the tool says so.
    pub end: Option<Position>,
    /// The same in bytes of the file, when the tool says so.
    pub bytes: Option<Span>,
    /// Whether this is the place that is wrong, and not one that explains it.
    pub primary: bool,
    /// What the tool wrote beside the place.
    pub label: Option<String>,
    /// The source line the place starts in, when the tool shows it.
    pub line_text: Option<String>,
}

/// A sentence added to a diagnostic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiagnosticNote {
    /// `note`, `help`, `caused by`, …: the tool's own word.
    pub kind: String,
    /// The sentence.
    pub message: String,
    /// The places it speaks of.
    pub spans: Vec<SourceSpan>,
}

/// A change that a tool proposes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suggestion {
    /// What it would do.
    pub message: String,
    /// How far the tool vouches for it.
    pub applicability: Applicability,
    /// The replacements; they belong together.
    pub edits: Vec<SuggestedEdit>,
}

/// How far a tool vouches for its suggestion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Applicability {
    /// May be applied without a person.
    MachineApplicable,
    /// May change what the program means.
    MaybeIncorrect,
    /// Holds a blank that a person must fill.
    HasPlaceholders,
    /// The tool does not say.
    Unspecified,
}

/// One replacement of a suggestion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuggestedEdit {
    /// The place that is replaced; empty for an insertion.
    pub span: SourceSpan,
    /// What is written there.
    pub replacement: String,
}
