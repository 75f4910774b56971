//! Findings: something noticed about someone's text.
//!
//! In: a code, a span, words. Out: one record that every face can show. Never an error: the stage
//! that reports a finding did its work.

use crate::Span;
use serde::Serialize;

/// Something noticed in a text, with its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What kind of thing it is; `salve explain CODE` tells more.
    pub code: FindingCode,
    /// What was found, in one sentence.
    pub message: String,
    /// Where, in bytes of the text that was looked at.
    pub span: Span,
}

/// The kinds of findings about a finished text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[non_exhaustive]
pub enum FindingCode {
    /// "… rest of the code unchanged": the text stands for more than it says.
    OmissionMarker,
    /// `<<<<<<<`, `=======` or `>>>>>>>` left from a merge.
    ConflictMarker,
    /// Line numbers copied from a listing stand before the code.
    LeakedLineNumbers,
    /// The grammar does not accept this place.
    SyntaxError,
    /// The grammar expects something here that is absent.
    SyntaxMissing,
}

impl FindingCode {
    /// Lists every code.
    pub const ALL: &[Self] = &[
        Self::OmissionMarker,
        Self::ConflictMarker,
        Self::LeakedLineNumbers,
        Self::SyntaxError,
        Self::SyntaxMissing,
    ];

    /// Returns the code as it is on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OmissionMarker => "OMISSION_MARKER",
            Self::ConflictMarker => "CONFLICT_MARKER",
            Self::LeakedLineNumbers => "LEAKED_LINE_NUMBERS",
            Self::SyntaxError => "SYNTAX_ERROR",
            Self::SyntaxMissing => "SYNTAX_MISSING",
        }
    }
}
