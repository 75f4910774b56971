//! What is known of an error: the same error first, then its shape, then its class; this project first, then
//! others.
//!
//! In: signatures and a workspace. Out: fixes that work and fixes that failed, best first, each with where it
//! is from. Never more than asked for, and never slower for what else is kept: each step reads the first rows
//! of an index.

use super::super::count;
use super::super::{me, visible};
use super::{FixKind, PatternKey};
use crate::sql::{Row, query};
use crate::{Store, StoreError};
use salve_types::Timestamp;
use serde::Serialize;
use std::collections::HashSet;
use std::fmt::Write;

/// By which signature a fix was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FixRung {
    /// The same error.
    Exact,
    /// The same error with other names.
    Shape,
    /// An error of the same kind.
    Class,
}

/// A fix that is known for an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KnownFix {
    /// By which signature it was found.
    pub found_by: FixRung,
    /// The other workspace it is from; nothing for this one.
    pub from: Option<String>,
    /// Whose it is, where it is another user's: a role of the database.
    pub author: Option<String>,
    /// The exact signature of the error it was tried on.
    pub error_signature: String,
    /// What that error was.
    pub error: String,
    /// Its class.
    pub error_type: String,
    /// The hash that tells the fix from others.
    pub fix: String,
    /// What it is made of.
    pub kind: FixKind,
    /// What it does, in words.
    pub description: String,
    /// The same for programs; may be empty.
    pub body: String,
    /// Where it came from.
    pub source: String,
    /// Who made it.
    pub made_by: String,
    /// The heal that tried it first.
    pub origin: String,
    /// Whether it healed when it was last tried.
    pub works: bool,
    /// How often it healed.
    pub successes: u64,
    /// How often it failed.
    pub failures: u64,
    /// When it was first tried.
    pub first_seen: Timestamp,
    /// When it was last tried.
    pub last_seen: Timestamp,
}

/// The fixes that are known for an error.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct KnownFixes {
    /// Those that work, best first.
    pub successful: Vec<KnownFix>,
    /// Those that failed on this very error, newest first.
    pub failed: Vec<KnownFix>,
}

impl KnownFixes {
    /// Returns whether anything was tried before.
    pub const fn tried_before(&self) -> bool {
        !self.successful.is_empty() || !self.failed.is_empty()
    }
}

const COLUMNS: &str = "exact, workspace, author, fix, kind, description, body, source, made_by, origin, \
                       works, successes, failures, first_seen, last_seen";

impl Store {
    /// Returns the fixes that are known for an error, at most `limit` of those that work and of those that
    /// failed. What this project knows of a fix counts more than what others do.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn known_fixes(
        &self,
        key: &PatternKey,
        workspace: &str,
        limit: u32,
    ) -> Result<KnownFixes, StoreError> {
        let doing = "look for what is known of an error";
        let key = key.redacted(self.redactor());
        let workspace = self.redactor().name(workspace);
        let rows = query(&statement(self.readers().is_postgres()))
            .bind(&key.exact)
            .bind(&key.shape)
            .bind(&key.class)
            .bind(&workspace)
            .bind(i64::from(limit))
            .fetch_all(self.readers())
            .await
            .map_err(StoreError::database(doing))?;
        let found: Result<Vec<KnownFix>, _> =
            rows.iter().map(|row| read(row, &workspace)).collect();
        let found = found.map_err(StoreError::database(doing))?;
        Ok(judged(found, usize::try_from(limit).unwrap_or(usize::MAX)))
    }
}

/// One statement: the first rows by each signature, of this project and of all.
fn statement(postgres: bool) -> String {
    let (me, visible) = (me(postgres), visible(postgres));
    let own = format!("workspace = $4 AND author = {me}");
    let mine = format!("CASE WHEN author = {me} THEN 1 ELSE 0 END");
    let mut sql =
        String::from("SELECT u.*, coalesce(p.error, ''), coalesce(p.error_type, '') FROM (");
    let mut part = |rung: usize, works: i64, signature: &str, number: usize, whose: &str| {
        let union = if rung == 0 { "" } else { " UNION ALL " };
        // Writing to a string cannot fail.
        let _ = write!(
            sql,
            "{union}SELECT * FROM (
               SELECT CAST({rung} AS BIGINT) AS rung, CAST({mine} AS BIGINT) AS mine, {COLUMNS}
                 FROM knowledge_fixes
                WHERE {signature} = ${number} AND ${number} <> '' AND works = {works}
                  AND disabled = 0 AND {whose}
                ORDER BY last_seen DESC LIMIT $5) s{rung}"
        );
    };
    for (at, (signature, number)) in
        [("exact", 1), ("shape", 2), ("class", 3)].into_iter().enumerate()
    {
        part(2 * at, 1, signature, number, &own);
        // Own ones too: leaving them out would have to read all of them.
        part(2 * at + 1, 1, signature, number, &visible);
    }
    part(6, 0, "exact", 1, &own);
    part(7, 0, "exact", 1, &visible);
    sql.push_str(
        ") u LEFT JOIN knowledge_patterns p
             ON p.exact = u.exact AND p.workspace = u.workspace AND p.author = u.author",
    );
    sql
}

/// Puts them in order and keeps one word on each fix: this project's before that of others, a success before
/// a failure, the newest before those before it. A fix that failed on this very error here is not among those
/// that work because it healed a similar one.
fn judged(mut found: Vec<KnownFix>, limit: usize) -> KnownFixes {
    found.sort_by_cached_key(order);
    let here = found.iter().filter(|one| !one.works && one.from.is_none());
    let failed_here: HashSet<String> = here.map(|one| one.fix.clone()).collect();
    let mut known = KnownFixes::default();
    for one in found {
        let told = |list: &[KnownFix]| list.iter().any(|other| other.fix == one.fix);
        if told(&known.successful) || told(&known.failed) {
            continue;
        }
        if one.works && failed_here.contains(&one.fix) {
            continue;
        }
        let list = if one.works { &mut known.successful } else { &mut known.failed };
        if list.len() < limit {
            list.push(one);
        }
    }
    known
}

fn order(one: &KnownFix) -> impl Ord + use<> {
    let newest = std::cmp::Reverse(one.last_seen);
    (!one.works, one.found_by, one.from.is_some(), newest, one.fix.clone())
}

fn read(row: &Row, workspace: &str) -> Result<KnownFix, sqlx::Error> {
    let rung: i64 = row.try_get(0)?;
    let mine = row.try_get::<i64>(1)? != 0;
    let from: String = row.try_get(3)?;
    let author: String = row.try_get(4)?;
    Ok(KnownFix {
        found_by: match rung {
            2 | 3 => FixRung::Shape,
            4 | 5 => FixRung::Class,
            _ => FixRung::Exact,
        },
        from: (from != workspace || !mine).then_some(from),
        author: (!mine).then_some(author),
        error_signature: row.try_get(2)?,
        fix: row.try_get(5)?,
        kind: FixKind::from_name(&row.try_get::<String>(6)?)?,
        description: row.try_get(7)?,
        body: row.try_get(8)?,
        source: row.try_get(9)?,
        made_by: row.try_get(10)?,
        origin: row.try_get(11)?,
        works: row.try_get::<i64>(12)? != 0,
        successes: count(row, 13)?,
        failures: count(row, 14)?,
        first_seen: Timestamp(row.try_get(15)?),
        last_seen: Timestamp(row.try_get(16)?),
        error: row.try_get(17)?,
        error_type: row.try_get(18)?,
    })
}
