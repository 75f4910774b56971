//! Grammars: an independent second opinion on finished text.
//!
//! In: a text and its language. Out: what the grammar does not accept and what it misses, or the
//! nodes of the tree. Never: I/O, an opinion on a language without a grammar, recursion on the
//! input, or unbounded work: a text that costs too much is given up and the report says so.

mod check;
mod grammar;
mod nodes;
mod opinion;
mod parse;
mod symbols;

pub use check::{ProblemKind, SyntaxProblem, SyntaxReport, check_syntax};
pub use grammar::{Grammar, grammars, has_grammar};
pub use nodes::{NodeTree, SyntaxNode, parse_nodes};
pub use opinion::{grammar_opinion, second_opinion};
pub use parse::{MAX_BYTES, Unread};
pub use symbols::{FileSymbols, Symbol, SymbolKind, file_symbols, has_symbols};
