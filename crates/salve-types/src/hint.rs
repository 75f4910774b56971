//! What a tool says only in words, read once and handed on typed.
//!
//! In: nothing. Out: the hints that the readers of tools' outputs fill and that fixers act on. Never the
//! words themselves: a caller that needs those has the diagnostic's message.

use serde::{Deserialize, Serialize};

/// One fact in the words of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "hint", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Hint {
    /// A name is not known where it is used.
    UnknownName {
        /// The name.
        name: String,
        /// What kind of thing was looked for.
        kind: NameKind,
    },
    /// A value, type or module has no member of this name.
    UnknownMember {
        /// What was asked for it, as the tool names it: a type or a module.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        owner: Option<String>,
        /// The member.
        name: String,
    },
    /// The name that the tool holds for the one that was meant.
    SimilarName {
        /// The name.
        name: String,
    },
    /// A module, package or header is not found.
    UnknownModule {
        /// As it was written: `serde::de`, `./util`, `numpy.linalg`, `stdio.hh`.
        name: String,
    },
    /// A module is there and does not offer this name.
    NotExported {
        /// The module.
        module: String,
        /// The name.
        name: String,
    },
    /// One of these should be at the place, or just before it.
    ExpectedToken {
        /// The tokens as they are written.
        tokens: Vec<String>,
    },
    /// This is at the place and should not be.
    UnexpectedToken {
        /// The token as it is written; absent for the end of the file or line.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        token: Option<String>,
    },
    /// A bracket or quote is opened and never closed.
    Unclosed {
        /// What is open.
        token: String,
        /// The line it was opened in, where the tool says so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        line: Option<u32>,
    },
    /// A name is never used.
    UnusedName {
        /// The name.
        name: String,
    },
    /// The indentation is wrong.
    WrongIndentation {
        /// In which way.
        kind: IndentationFault,
    },
    /// A header or module that the tool names as the one to include.
    Include {
        /// As it is written after `#include` or `import`.
        name: String,
    },
    /// A mode of the tool is needed that the text does not ask for: `await` outside an async function.
    NeedsAsync,
}

/// What kind of thing an unknown name was looked for as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NameKind {
    /// A variable, constant or anything else with a value.
    Value,
    /// A function.
    Function,
    /// A type, trait, class or interface.
    Type,
    /// A module, crate or namespace.
    Module,
    /// A macro.
    Macro,
    /// A named argument or a field in a literal.
    Argument,
    /// The tool does not say.
    Any,
}

/// In which way an indentation is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum IndentationFault {
    /// Deeper than the block it is in.
    Unexpected,
    /// A block should begin and nothing is deeper.
    ExpectedBlock,
    /// At a depth that no outer block has.
    Unmatched,
    /// Tabs and spaces are mixed.
    Mixed,
}
