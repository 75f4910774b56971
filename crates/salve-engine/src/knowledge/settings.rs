//! What a user decides about what is learned.
//!
//! In: the user's own settings. Out: who else may see what is learned here, and whose pins count beside one's
//! own. Never from a workspace: a clone shares nothing and trusts nobody.

use salve_store::KnowledgeScope;
use serde::Deserialize;

/// The `[knowledge]` table of a user's settings.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct KnowledgeSettings {
    /// Who else may see what is learned, where the store has several users.
    pub share: KnowledgeScope,
    /// Roles of the database whose pins make a rule act here.
    pub trusted_authors: Vec<String>,
}
