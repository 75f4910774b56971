//! Every weight of the verdict, with what set it.
//!
//! Weights of evidence and confidences are from 0 to 1. The bytes outweigh what the provider says:
//! the first decide, the second only does where the bytes prove nothing. `cargo xtask cuts` measures
//! the decisions; the numbers themselves are what callers see beside each piece of evidence. In and
//! out: constants. Never a rule.

// What the bytes prove.

/// A construct is open at the end; `cargo xtask cuts` knows no whole file with one.
pub(super) const OPEN_CONSTRUCT: f64 = 0.99;
/// A sentinel or the end of a JSON value proves the text whole.
pub(super) const PROVEN_WHOLE: f64 = 0.98;
/// The root value of JSON is closed, and only blanks could follow.
pub(super) const ROOT_CLOSED: f64 = 0.95;
/// The head of a block has no body (`def f():` and the end).
pub(super) const BLOCK_WITHOUT_BODY: f64 = 0.95;
/// The reply ends inside its thinking, so that no answer began.
pub(super) const IN_THINKING: f64 = 0.95;
/// A closing bracket of another kind, in a language whose brackets must fit; also JSON that never
/// begins, and nesting deeper than is kept.
pub(super) const BROKEN_STRUCTURE: f64 = 0.9;
/// The sentinel is the last line, or was demanded and is not.
pub(super) const SENTINEL: f64 = 0.9;
/// A statement stops in its middle, by the grammar of its last line alone.
pub(super) const OPEN_STATEMENT: f64 = 0.85;

// What only hints.

/// Nothing is open: the rule of every whole text, and of half the cuts between statements.
pub(super) const NOTHING_OPEN: f64 = 0.5;
/// A string that ends with its line; people write apostrophes.
pub(super) const BROKEN_STRING: f64 = 0.3;
/// A fence or tag around the content is open: many models forget the last one of a whole answer.
pub(super) const UNCLOSED_WRAPPER: f64 = 0.3;
/// An optional sentinel is missing: most models never write one.
pub(super) const NO_OPTIONAL_SENTINEL: f64 = 0.2;
/// Crossed brackets where they mean little (a dialect, a template).
pub(super) const CROSSED_LOOSELY: f64 = 0.1;

// What the provider says, in both directions.

/// The output limit or a broken connection ended the text.
pub(super) const SAYS_CUT: f64 = 0.7;
/// A filter ended the text.
pub(super) const SAYS_FILTERED: f64 = 0.6;
/// The model ended its answer; providers say so of cut answers too.
pub(super) const SAYS_ENDED: f64 = 0.3;
/// The model asked for a tool.
pub(super) const SAYS_TOOL: f64 = 0.2;
/// A word that is not known.
pub(super) const SAYS_UNKNOWN: f64 = 0.05;

// How far a verdict may be believed.

/// A whole text of which the provider says that it ended.
pub(super) const WHOLE_AND_ENDED: f64 = 0.9;
/// A whole text without any proof.
pub(super) const WHOLE: f64 = 0.75;
/// A whole text of no known language, in which nothing can be open.
pub(super) const WHOLE_WORDS: f64 = 0.5;
/// The most for a cut in such a text.
pub(super) const MOST_IN_WORDS: f64 = 0.6;
