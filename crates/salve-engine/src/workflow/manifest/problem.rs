//! What is wrong with a manifest, and where.
//!
//! In: a place in a text. Out: a line for people, a code for programs. Never decides what is wrong.

use serde::Serialize;
use std::fmt;

/// Everything that is wrong with a manifest; never empty.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Broken {
    /// In the order of the file.
    pub problems: Vec<Problem>,
}

/// One thing that is wrong with a manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// What kind of thing.
    pub code: ProblemCode,
    /// Where, such as `Block:Write.transitions[0].action`; `$` for the whole.
    pub place: String,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// What is wrong and what would be right, in one sentence.
    pub message: String,
}

/// The kinds of problems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[non_exhaustive]
pub enum ProblemCode {
    /// The text is not JSON with comments.
    NotJson,
    /// A value is of another type than it must be.
    WrongType,
    /// A key is not known there.
    UnknownKey,
    /// A key is absent.
    MissingKey,
    /// A key is there twice.
    DuplicateKey,
    /// A name is empty, too long or has characters that names do not have.
    BadName,
    /// Two blocks have one name.
    DuplicateBlock,
    /// There is no block at all.
    NoBlocks,
    /// No worker has this name.
    UnknownWorker,
    /// No schema has this name.
    UnknownSchema,
    /// A schema cannot be used.
    BadSchema,
    /// No merge strategy has this name.
    UnknownStrategy,
    /// No signal has this name.
    UnknownSignal,
    /// Two transitions of a block are about one signal.
    DuplicateSignal,
    /// An action is not `JUMP:` and a block.
    BadAction,
    /// No block has this name.
    UnknownBlock,
    /// No transition leads to a block.
    UnreachableBlock,
    /// A block says nothing about success.
    MissingTransition,
    /// No way from the start leads to a good end.
    NeverEnds,
    /// A limit is out of range.
    BadLimit,
    /// An option of a worker is not usable.
    BadOption,
}

impl Broken {
    pub(super) fn new(mut problems: Vec<Problem>) -> Self {
        problems.sort_by_key(|problem| (problem.line, problem.column));
        Self { problems }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { place, line, column, message, .. } = self;
        write!(out, "{line}:{column}: at `{place}`: {message}")
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(out, "{separator}{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Broken {}
