//! Errors that were seen, and what was tried on them with which result.
//!
//! In: outcomes of fixes, and patterns from a file. Out: the fixes known for an error, and patterns as people
//! see them. What worked and what failed are two views of the same rows. Never a fix whose outcome nobody
//! checked.

mod import;
mod lookup;
mod read;
mod record;
#[cfg(test)]
mod tests;

pub use import::{ImportedFix, ImportedPattern};
pub use lookup::{FixRung, KnownFix, KnownFixes};
pub use read::{FixRecord, PatternFilter, PatternRecord};

use super::KnowledgeScope;
use crate::migrations::Migration;
use crate::redacted::Redactor;
use crate::tables::Table;
use serde::{Deserialize, Serialize};

/// The signatures of an error.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PatternKey {
    /// With its names.
    pub exact: String,
    /// With its names numbered; empty where it is not known.
    pub shape: String,
    /// Its tool, code and message template; empty where it is not known.
    pub class: String,
}

/// What a fix is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FixKind {
    /// Changes of files.
    Patch,
    /// A command that is run.
    Command,
    /// Words only.
    #[default]
    Hint,
}

impl FixKind {
    /// Lists them all.
    pub const ALL: [Self; 3] = [Self::Patch, Self::Command, Self::Hint];

    /// Returns its name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Patch => "patch",
            Self::Command => "command",
            Self::Hint => "hint",
        }
    }

    fn from_name(name: &str) -> Result<Self, sqlx::Error> {
        let found = Self::ALL.into_iter().find(|one| one.name() == name);
        found.ok_or_else(|| sqlx::Error::Decode(format!("no kind of fix `{name}`").into()))
    }
}

/// What came of a fix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FixResult {
    /// It healed.
    Success,
    /// It did not.
    Failed,
}

/// What a fix does.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KeptFix {
    /// The hash that tells it from others.
    pub fix: String,
    /// What it is made of.
    pub kind: FixKind,
    /// What it does, in words.
    pub description: String,
    /// The same for programs: a JSON document, or nothing.
    pub body: String,
    /// Where it came from: a name such as `model` or `rule`.
    pub source: String,
    /// Who made it: a fixer, a rule, an agent or a model.
    pub made_by: String,
}

/// What came of a fix of an error, as a check verified.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewFixOutcome {
    /// The heal that tried it: its job. It tells each outcome once.
    pub heal: String,
    /// Where.
    pub workspace: String,
    /// Who else may see it.
    pub scope: KnowledgeScope,
    /// The error.
    pub key: PatternKey,
    /// Its class, such as `import_error`.
    pub error_type: String,
    /// What the tools said, without places.
    pub error: String,
    /// The fix.
    pub fix: KeptFix,
    /// Whether it healed.
    pub success: bool,
}

impl PatternKey {
    fn redacted(&self, redactor: &Redactor) -> Self {
        let name = |text: &str| redactor.name(text);
        Self { exact: name(&self.exact), shape: name(&self.shape), class: name(&self.class) }
    }
}

impl KeptFix {
    fn redacted(&self, redactor: &Redactor) -> Self {
        let name = |text: &str| redactor.name(text);
        Self {
            fix: name(&self.fix),
            kind: self.kind,
            description: name(&self.description),
            body: super::body(redactor, &self.body),
            source: name(&self.source),
            made_by: name(&self.made_by),
        }
    }
}

/// Patterns, their fixes, and which outcomes were told.
pub(in crate::tables) const TABLE: Table = Table {
    names: &["knowledge_patterns", "knowledge_fixes", "knowledge_outcomes"],
    migrations: &[Migration {
        version: 10,
        name: "0010_knowledge_patterns",
        sql: MIGRATION,
        #[cfg(test)]
        rows: tests::ROWS,
    }],
    #[cfg(test)]
    conforms: tests::conforms,
};

const MIGRATION: &str = "
-- Errors that were seen.
CREATE TABLE knowledge_patterns (
    exact TEXT NOT NULL,
    workspace TEXT NOT NULL,
    -- Whose it is: in Postgres the role that wrote it, which a trigger sets.
    author TEXT NOT NULL DEFAULT '',
    scope TEXT NOT NULL,
    shape TEXT NOT NULL,
    class TEXT NOT NULL,
    error_type TEXT NOT NULL,
    error TEXT NOT NULL,
    hits BIGINT NOT NULL,
    first_seen BIGINT NOT NULL,
    last_seen BIGINT NOT NULL,
    PRIMARY KEY (exact, workspace, author)
);
CREATE INDEX knowledge_patterns_by_age ON knowledge_patterns (last_seen);
-- What was tried on them.
CREATE TABLE knowledge_fixes (
    exact TEXT NOT NULL,
    workspace TEXT NOT NULL,
    author TEXT NOT NULL DEFAULT '',
    fix TEXT NOT NULL,
    scope TEXT NOT NULL,
    shape TEXT NOT NULL,
    class TEXT NOT NULL,
    kind TEXT NOT NULL,
    description TEXT NOT NULL,
    body TEXT NOT NULL,
    source TEXT NOT NULL,
    made_by TEXT NOT NULL,
    origin TEXT NOT NULL,
    successes BIGINT NOT NULL,
    failures BIGINT NOT NULL,
    -- It healed before, and failed when it was last tried.
    demoted BIGINT NOT NULL,
    disabled BIGINT NOT NULL,
    -- It healed when it was last tried, and is not disabled; then it was last seen when it healed.
    works BIGINT NOT NULL,
    first_seen BIGINT NOT NULL,
    last_seen BIGINT NOT NULL,
    PRIMARY KEY (exact, workspace, author, fix)
);
CREATE INDEX knowledge_fixes_by_exact ON knowledge_fixes (exact, works, last_seen);
CREATE INDEX knowledge_fixes_by_shape ON knowledge_fixes (shape, works, last_seen);
CREATE INDEX knowledge_fixes_by_class ON knowledge_fixes (class, works, last_seen);
CREATE INDEX knowledge_fixes_by_own_shape ON knowledge_fixes (workspace, shape, works, last_seen);
CREATE INDEX knowledge_fixes_by_own_class ON knowledge_fixes (workspace, class, works, last_seen);
-- What heals told already.
CREATE TABLE knowledge_outcomes (
    heal TEXT NOT NULL,
    subject TEXT NOT NULL,
    author TEXT NOT NULL DEFAULT '',
    at BIGINT NOT NULL,
    PRIMARY KEY (heal, subject, author)
);
CREATE INDEX knowledge_outcomes_by_age ON knowledge_outcomes (at);
--postgres CREATE FUNCTION knowledge_author() RETURNS trigger LANGUAGE plpgsql AS
--postgres     'BEGIN IF TG_OP = ''INSERT'' THEN NEW.author := current_user;
--postgres      ELSE NEW.author := OLD.author; END IF; RETURN NEW; END';
--postgres CREATE TRIGGER author BEFORE INSERT OR UPDATE ON knowledge_patterns
--postgres     FOR EACH ROW EXECUTE FUNCTION knowledge_author();
--postgres CREATE TRIGGER author BEFORE INSERT OR UPDATE ON knowledge_fixes
--postgres     FOR EACH ROW EXECUTE FUNCTION knowledge_author();
--postgres CREATE TRIGGER author BEFORE INSERT OR UPDATE ON knowledge_outcomes
--postgres     FOR EACH ROW EXECUTE FUNCTION knowledge_author();
--postgres ALTER TABLE knowledge_patterns ENABLE ROW LEVEL SECURITY;
--postgres CREATE POLICY seen ON knowledge_patterns FOR SELECT
--postgres     USING (author = current_user OR scope = 'shared');
--postgres CREATE POLICY own ON knowledge_patterns USING (author = current_user);
--postgres ALTER TABLE knowledge_fixes ENABLE ROW LEVEL SECURITY;
--postgres CREATE POLICY seen ON knowledge_fixes FOR SELECT
--postgres     USING (author = current_user OR scope = 'shared');
--postgres CREATE POLICY own ON knowledge_fixes USING (author = current_user);
--postgres ALTER TABLE knowledge_outcomes ENABLE ROW LEVEL SECURITY;
--postgres CREATE POLICY own ON knowledge_outcomes USING (author = current_user);
";
