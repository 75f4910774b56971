//! What the tolerant reader changed, and how to do it again.
//!
//! In: edits noted by the machine. Out: `Repair`s with byte spans, and their replay on the input.
//! Never reorders or merges: the repairs of one parse are sorted and do not overlap.

use salve_types::Span;
use serde::Serialize;

/// One change that turns the text as written into strict JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Repair {
    /// What was wrong, as a code.
    pub code: RepairCode,
    /// Which bytes of the input are replaced; empty where something was only inserted.
    pub span: Span,
    /// The bytes as they stood.
    pub before: String,
    /// What is there instead.
    pub after: String,
}

macro_rules! repair_codes {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// The kinds of repairs.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
        #[non_exhaustive]
        pub enum RepairCode {
            $($(#[$doc])* #[serde(rename = $name)] $variant,)*
        }

        impl RepairCode {
            /// Lists every code, in the order of the enumeration.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Returns the code as it is on the wire.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

repair_codes! {
    /// Two members stood without a comma between them.
    MissingComma = "MISSING_COMMA",
    /// A comma stood before a closing bracket.
    TrailingComma = "TRAILING_COMMA",
    /// A comma stood where no member had come before.
    ExtraComma = "EXTRA_COMMA",
    /// A key and its value stood without a colon between them.
    MissingColon = "MISSING_COLON",
    /// A sign other than a colon stood between key and value.
    WrongColon = "WRONG_COLON",
    /// A colon stood where none belongs.
    ExtraColon = "EXTRA_COLON",
    /// A string was quoted with apostrophes or backticks.
    SingleQuotes = "SINGLE_QUOTES",
    /// A string was quoted with typographic quotes.
    SpecialQuotes = "SPECIAL_QUOTES",
    /// A string was quoted with escaped quotes.
    EscapedQuotes = "ESCAPED_QUOTES",
    /// A quote was written twice.
    DoubledQuote = "DOUBLED_QUOTE",
    /// The quote that opens or closes a string was absent.
    MissingQuote = "MISSING_QUOTE",
    /// A key had no quotes.
    UnquotedKey = "UNQUOTED_KEY",
    /// A string value had no quotes.
    UnquotedString = "UNQUOTED_STRING",
    /// A comment was dropped.
    Comment = "COMMENT",
    /// A literal of Python or JavaScript, or one in other letters, was translated.
    PythonLiteral = "PYTHON_LITERAL",
    /// A quote inside a string was not escaped.
    UnescapedQuote = "UNESCAPED_QUOTE",
    /// A control character inside a string was not escaped.
    UnescapedControl = "UNESCAPED_CONTROL",
    /// A raw line break before the closing quote was layout, not content.
    TrailingNewline = "TRAILING_NEWLINE",
    /// An escape that JSON does not know.
    InvalidEscape = "INVALID_ESCAPE",
    /// White space that JSON does not know.
    SpecialWhitespace = "SPECIAL_WHITESPACE",
    /// A bracket was never closed.
    MissingCloser = "MISSING_CLOSER",
    /// A closing bracket of the wrong kind.
    MismatchedCloser = "MISMATCHED_CLOSER",
    /// A closing bracket that closes nothing.
    ExtraCloser = "EXTRA_CLOSER",
    /// An opening bracket where a key was expected.
    ExtraOpener = "EXTRA_OPENER",
    /// A key and value stood in a list without braces of their own.
    MissingBraces = "MISSING_BRACES",
    /// Parentheses stood for a list or a group.
    Parentheses = "PARENTHESES",
    /// A key had no value.
    MissingValue = "MISSING_VALUE",
    /// The text ended inside a key, which was dropped.
    TruncatedKey = "TRUNCATED_KEY",
    /// The text ended inside a string.
    TruncatedString = "TRUNCATED_STRING",
    /// The text ended inside a number.
    TruncatedNumber = "TRUNCATED_NUMBER",
    /// The text ended inside `true`, `false` or `null`.
    TruncatedLiteral = "TRUNCATED_LITERAL",
    /// Words around or between the values were dropped.
    TalkDropped = "TALK_DROPPED",
    /// A code fence was dropped.
    FenceDropped = "FENCE_DROPPED",
    /// A call such as `callback(…)` or `ObjectId(…)` around a value.
    CallWrapper = "CALL_WRAPPER",
    /// Strings were joined with a plus sign.
    StringConcatenation = "STRING_CONCATENATION",
    /// Several values stood one after the other; they became a list.
    NewlineDelimited = "NEWLINE_DELIMITED",
    /// An ellipsis stood for members that were left out.
    Ellipsis = "ELLIPSIS",
    /// A key came twice in one object; the last one counts.
    DuplicateKey = "DUPLICATE_KEY",
    /// Brackets were nested deeper than the limit.
    DepthLimit = "DEPTH_LIMIT",
    /// A number with zeros in front is kept as a string.
    LeadingZero = "LEADING_ZERO",
    /// A number in a form that JSON does not know.
    NumberFormat = "NUMBER_FORMAT",
    /// The input was longer than 4 GiB; the rest was not read.
    InputLimit = "INPUT_LIMIT",
}

/// Applies repairs to the text they were made for.
///
/// The result is strict JSON with the value of the tree that came with the repairs. A repair whose
/// span does not fit `text` is passed over.
pub fn replay(text: &str, repairs: &[Repair]) -> String {
    let mut out = String::with_capacity(text.len() + repairs.len() * 2);
    let mut done = 0;
    for repair in repairs {
        let Some(kept) = text.get(done..repair.span.start) else { continue };
        if text.get(repair.span.range()).is_none() {
            continue;
        }
        out.push_str(kept);
        out.push_str(&repair.after);
        done = repair.span.end;
    }
    out.push_str(text.get(done..).unwrap_or_default());
    out
}

/// A change as the machine notes it: small, and without a copy of what stood there.
#[derive(Debug, Clone)]
pub(super) struct Edit {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) after: &'static str,
    pub(super) code: RepairCode,
    /// Whether this is the last edit inside its string or number.
    pub(super) ends_token: bool,
}

/// Applies the edits of one token to the bytes of that token.
pub(super) fn replay_token(source: &str, start: usize, end: usize, edits: &[Edit]) -> String {
    let mut out = String::with_capacity(end - start + 8);
    let mut done = start;
    for edit in edits {
        out.push_str(source.get(done..edit.start as usize).unwrap_or_default());
        out.push_str(edit.after);
        done = edit.end as usize;
        if edit.ends_token {
            break;
        }
    }
    out.push_str(source.get(done..end).unwrap_or_default());
    out
}
