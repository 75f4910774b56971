//! The judgement whether a text is whole.
//!
//! In: what the inspector saw. Out: the verdict with the wire names other programs rely on. Never
//! hides a reason: every observation that counted is listed as evidence.

use crate::{Language, Span};
use serde::{Deserialize, Serialize};

/// Whether a text is whole and, if not, where and how it was cut.
#[must_use]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Verdict {
    /// True when nothing proves the text incomplete.
    pub is_valid: bool,
    /// The outer code of the failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_type: Option<ErrorType>,
    /// The failure in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    /// The number of lines of the trimmed text: where the cut is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncation_line: Option<u32>,
    /// The most specific kind of cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<TruncationKind>,
    /// The line on which the construct that names the kind was opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opened_at_line: Option<u32>,
    /// Everything open at the end, outermost first.
    pub open: Vec<OpenConstruct>,
    /// The exact minimal text that would close what is open.
    pub closing: String,
    /// How sure the verdict is, from 0 to 1.
    pub confidence: f64,
    /// Every observation that counted, for and against.
    pub evidence: Vec<Evidence>,
    /// The language the text was read as.
    pub language: Language,
}

/// The two outer codes of a failed verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[non_exhaustive]
pub enum ErrorType {
    /// The text ends before its end.
    TruncationDetected,
    /// The text has an end, but its structure is broken.
    SyntaxError,
    /// Two parts were joined, and another join is about as likely.
    UnsureSeam,
}

/// What a grammar says about a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GrammarOpinion {
    /// It accepts all of it.
    Accepts,
    /// It accepts all but the end, as in a text that was cut.
    AcceptsStart,
    /// It does not accept it.
    Rejects,
    /// There is no grammar, or the text is too costly for it.
    Silent,
}

/// How a text was cut. The first six names are a contract; the others were added to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[non_exhaustive]
pub enum TruncationKind {
    /// Inside `"…`, of any flavour (raw, byte, triple).
    OpenDoubleQuote,
    /// Inside `'…`, of any flavour.
    OpenSingleQuote,
    /// Inside a backtick template or raw string.
    OpenTemplateLiteral,
    /// Inside `<tag …` before its `>`.
    OpenJsxTag,
    /// Brackets of code are open.
    UnbalancedBraces,
    /// Cut, and nothing more specific is known.
    GeneralTruncation,
    /// Inside a comment that needs a closer.
    OpenComment,
    /// A Markdown fence is open.
    OpenFence,
    /// A JSON array or object is open.
    OpenJson,
    /// Inside a here-document.
    OpenHeredoc,
    /// Inside a regular expression literal.
    OpenRegex,
    /// An element was opened and its end tag is absent.
    OpenElement,
    /// A block was announced (`def f():`, `if x then`) and its body or end is absent.
    OpenBlock,
}

/// Families of kinds that call for the same treatment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[non_exhaustive]
pub enum TruncationFamily {
    /// The cut is inside a string: its first continuation characters must close it.
    OpenString,
    /// The cut is inside a tag.
    OpenTag,
    /// Anything else.
    Structure,
}

/// Something open at the end of the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenConstruct {
    /// What it is.
    pub kind: OpenKind,
    /// Line of its opener, from 1.
    pub line: u32,
    /// Column of its opener in characters, from 1.
    pub column: u32,
    /// Byte offset of its opener.
    pub offset: usize,
    /// The text that would close it.
    pub closer: String,
}

/// What can be open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OpenKind {
    /// `"…`
    DoubleQuote,
    /// `'…`
    SingleQuote,
    /// A backtick string.
    Template,
    /// A here-document.
    Heredoc,
    /// A regular expression literal.
    Regex,
    /// A comment with a closer.
    Comment,
    /// A tag before its `>`.
    Tag,
    /// An element before its end tag.
    Element,
    /// `{`
    Brace,
    /// `(`
    Paren,
    /// `[`
    Bracket,
    /// A block of keywords or indentation.
    Block,
    /// A Markdown fence.
    Fence,
}

/// One observation that counted in a verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// Who observed it.
    pub source: EvidenceSource,
    /// A stable name of the observation, in `snake_case`.
    pub code: String,
    /// The observation in words.
    pub message: String,
    /// Whether it speaks for a cut (`true`) or for a whole text (`false`).
    pub cut: bool,
    /// Its weight from 0 to 1; weak observations never decide alone.
    pub weight: f64,
    /// Where, in bytes of the inspected text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
}

/// Where an observation comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EvidenceSource {
    /// The completion marker.
    Sentinel,
    /// The lexical machine.
    Lexer,
    /// A grammar or the JSON parser.
    Parser,
    /// The provider's reason for stopping.
    FinishReason,
    /// The cleaner, such as an unclosed fence.
    Clean,
    /// A rule of thumb.
    Heuristic,
}

impl TruncationKind {
    /// Lists every kind.
    pub const ALL: &[Self] = &[
        Self::OpenDoubleQuote,
        Self::OpenSingleQuote,
        Self::OpenTemplateLiteral,
        Self::OpenJsxTag,
        Self::UnbalancedBraces,
        Self::GeneralTruncation,
        Self::OpenComment,
        Self::OpenFence,
        Self::OpenJson,
        Self::OpenHeredoc,
        Self::OpenRegex,
        Self::OpenElement,
        Self::OpenBlock,
    ];

    /// Returns the kind as it is on the wire and in prompts.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenDoubleQuote => "OPEN_DOUBLE_QUOTE",
            Self::OpenSingleQuote => "OPEN_SINGLE_QUOTE",
            Self::OpenTemplateLiteral => "OPEN_TEMPLATE_LITERAL",
            Self::OpenJsxTag => "OPEN_JSX_TAG",
            Self::UnbalancedBraces => "UNBALANCED_BRACES",
            Self::GeneralTruncation => "GENERAL_TRUNCATION",
            Self::OpenComment => "OPEN_COMMENT",
            Self::OpenFence => "OPEN_FENCE",
            Self::OpenJson => "OPEN_JSON",
            Self::OpenHeredoc => "OPEN_HEREDOC",
            Self::OpenRegex => "OPEN_REGEX",
            Self::OpenElement => "OPEN_ELEMENT",
            Self::OpenBlock => "OPEN_BLOCK",
        }
    }

    /// Returns the family, which decides what a continuation must do first.
    pub const fn family(self) -> TruncationFamily {
        match self {
            Self::OpenDoubleQuote
            | Self::OpenSingleQuote
            | Self::OpenTemplateLiteral
            | Self::OpenHeredoc => TruncationFamily::OpenString,
            Self::OpenJsxTag => TruncationFamily::OpenTag,
            _ => TruncationFamily::Structure,
        }
    }
}

impl ErrorType {
    /// Returns the code as it is on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::TruncationDetected => "TRUNCATION_DETECTED",
            Self::SyntaxError => "SYNTAX_ERROR",
            Self::UnsureSeam => "UNSURE_SEAM",
        }
    }
}
