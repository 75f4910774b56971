//! Why a line is outside the subset.
//!
//! In: nothing. Out: the rule, the construct, its place and a sentence. Never more than the first
//! reason: one is enough to ask.

use salve_types::Span;
use serde::{Deserialize, Serialize};

/// The rule of the command policy that a line breaks before any program is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ShellRule {
    /// The input: size, control and invisible characters, a command name that is not ASCII.
    P0,
    /// The grammar: only simple commands joined with `&&`, `||`, `;` and `|`.
    P1,
    /// The words: nothing that a shell would still have to compute.
    P2,
    /// The command's name and what is before it.
    P3,
    /// The number of commands and words; which programs may run is not asked here.
    P4,
    /// The redirections.
    P5,
}

impl ShellRule {
    /// Returns its name as the policy writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::P0 => "P0",
            Self::P1 => "P1",
            Self::P2 => "P2",
            Self::P3 => "P3",
            Self::P4 => "P4",
            Self::P5 => "P5",
        }
    }
}

/// The first reason why a line is outside the subset.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {construct}: {why}", .rule.name())]
pub struct ShellRefusal {
    /// The rule it breaks.
    pub rule: ShellRule,
    /// What was found, in a few words: `command substitution`, `reserved word`.
    pub construct: &'static str,
    /// Where it is, in bytes of the line, on character boundaries.
    pub span: Span,
    /// Why that is refused and what could be written instead.
    pub why: String,
}

impl ShellRefusal {
    pub(super) fn new(
        rule: ShellRule,
        construct: &'static str,
        span: Span,
        why: impl Into<String>,
    ) -> Self {
        Self { rule, construct, span, why: why.into() }
    }
}
