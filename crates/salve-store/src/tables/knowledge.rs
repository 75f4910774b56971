//! What was learned: patterns with their fixes, rules with their examples, and what that saved.
//!
//! In: outcomes that a check verified. Out: what is known of an error, with where it is from. Never another
//! person's private row, never a row under another person's name: on Postgres a row belongs to the database
//! role that wrote it, which the database sets itself; in a file all rows belong to its one user.

mod examples;
mod heals;
mod outcomes;
mod patterns;
mod rules;

pub use examples::{ExampleRecord, NewExample};
pub use heals::{HealCost, KnowledgeDay, KnowledgeStats, NewHealCost};
pub use patterns::{
    FixKind, FixRecord, FixResult, FixRung, ImportedFix, ImportedPattern, KeptFix, KnownFix,
    KnownFixes, NewFixOutcome, PatternFilter, PatternKey, PatternRecord,
};
pub use rules::{NewRule, RuleFilter, RuleOutcome, RulePin, RuleState, StoredRule, TeamPin};

pub(super) use heals::TABLE as HEALS;
pub(super) use patterns::TABLE as PATTERNS;
pub(super) use rules::TABLE as RULES;

use crate::redacted::Redactor;
use serde::{Deserialize, Serialize};

/// Who else may read a row, where a database has several users.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KnowledgeScope {
    /// Nobody.
    #[default]
    Private,
    /// Everybody who uses the database.
    Shared,
}

impl KnowledgeScope {
    /// Returns its name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Private => "private",
            Self::Shared => "shared",
        }
    }

    fn from_name(name: &str) -> Self {
        if name == Self::Shared.name() { Self::Shared } else { Self::Private }
    }
}

/// Who asks, in the words of the database.
pub(super) const fn me(postgres: bool) -> &'static str {
    if postgres { "CAST(current_user AS TEXT)" } else { "''" }
}

/// Which rows the caller may see.
pub(super) fn visible(postgres: bool) -> String {
    format!("(author = {} OR scope = 'shared')", me(postgres))
}

/// Returns a document without secrets, or the text where it is none.
fn body(redactor: &Redactor, text: &str) -> String {
    match serde_json::from_str(text) {
        Ok(value) => redactor.json(value).to_string(),
        Err(_) => redactor.name(text),
    }
}

fn count(row: &crate::sql::Row, at: usize) -> Result<u64, sqlx::Error> {
    Ok(u64::try_from(row.try_get::<i64>(at)?).unwrap_or_default())
}
