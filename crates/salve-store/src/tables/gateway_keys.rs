//! Keys the gateway hands out, with their limits.
//!
//! In: a name and limits. Out: the key itself once, at the moment it is made; afterwards only what
//! is known about it. Never kept: of a key, its BLAKE3 hash and its first characters are stored.

use super::Table;
use crate::commit::{Rollback, Transaction};
use crate::migrations::Migration;
use crate::sql::{Asked, query};
use crate::{Durability, SpendLimit, Store, StoreError};
use salve_types::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

/// How every gateway key begins.
pub const KEY_PREFIX: &str = "salve_";
/// How many characters of a key are shown in lists, the common beginning included.
const SHOWN: usize = KEY_PREFIX.len() + 6;

/// The number of a gateway key.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Default,
)]
#[serde(transparent)]
pub struct KeyId(pub i64);

impl fmt::Display for KeyId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

/// A key that is to be made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewKey {
    /// What people call it.
    pub name: String,
    /// What it may spend in a day.
    pub per_day: SpendLimit,
    /// How many requests it may make in a minute.
    pub requests_per_minute: Option<u32>,
}

/// A key that was just made. Its text is shown once and kept nowhere.
#[derive(Clone)]
pub struct MadeKey {
    /// What is known about it from now on.
    pub key: GatewayKey,
    /// The key itself.
    pub secret: String,
}

impl fmt::Debug for MadeKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("MadeKey").field("key", &self.key).finish_non_exhaustive()
    }
}

/// What is known about a key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GatewayKey {
    /// Its number.
    pub id: KeyId,
    /// What people call it.
    pub name: String,
    /// Its first characters.
    pub prefix: String,
    /// Tokens it may spend in a day.
    pub tokens_per_day: Option<u64>,
    /// Millionths of a dollar it may spend in a day.
    pub micro_dollars_per_day: Option<u64>,
    /// Requests it may make in a minute.
    pub requests_per_minute: Option<u32>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
}

impl GatewayKey {
    /// Returns what it may spend in a day.
    pub const fn per_day(&self) -> SpendLimit {
        SpendLimit { tokens: self.tokens_per_day, micro_dollars: self.micro_dollars_per_day }
    }
}

impl Store {
    /// Makes a gateway key. The key itself is in the answer, and nowhere else.
    ///
    /// # Errors
    /// When the name is taken, or the database refuses.
    pub async fn add_key(&self, key: NewKey) -> Result<MadeKey, StoreError> {
        let key = NewKey { name: self.redactor().name(&key.name), ..key };
        let ring = Arc::clone(self.key_ring());
        self.write(Durability::Full, "keep a gateway key", |tx| Box::pin(add(tx, key, ring))).await
    }

    /// Revokes the gateway key of this name, in every process within a moment.
    ///
    /// # Errors
    /// When there is no such key in force, or the database refuses.
    pub async fn revoke_key(&self, name: &str) -> Result<GatewayKey, StoreError> {
        let name = self.redactor().name(name);
        let ring = Arc::clone(self.key_ring());
        self.write(Durability::Full, "revoke a gateway key", |tx| Box::pin(revoke(tx, name, ring)))
            .await
    }

    /// Returns the gateway key in force with this text. From memory: fast enough for every request.
    pub fn find_key(&self, secret: &str) -> Option<Arc<GatewayKey>> {
        self.key_ring().find(secret)
    }

    /// The same, for a key that this process may not know yet: another one may have just made it.
    pub async fn look_up_key(&self, secret: &str) -> Option<Arc<GatewayKey>> {
        if let Some(known) = self.find_key(secret) {
            return Some(known);
        }
        // A database that does not answer now is one that knows no such key.
        refresh(self.key_ring(), self.readers()).await.ok()?;
        self.find_key(secret)
    }

    /// Returns all gateway keys, oldest first, those that were revoked included.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn list_keys(&self) -> Result<Vec<GatewayKey>, StoreError> {
        let keys = load(self.readers()).await;
        Ok(keys.map_err(StoreError::database("list the gateway keys"))?.in_order())
    }
}

async fn add(
    tx: &mut Transaction<'_>,
    new: NewKey,
    ring: Arc<KeyRing>,
) -> Result<MadeKey, Rollback> {
    tx.change_ledger().await?;
    let secret = new_secret();
    let (hash, prefix) = stored_form(&secret);
    let limit = |count: Option<u64>| count.map(|count| i64::try_from(count).unwrap_or(i64::MAX));
    let added = query(
        "INSERT INTO gateway_keys (id, name, hash, prefix, tokens_per_day,
                                   micro_dollars_per_day, requests_per_minute, created_at)
         VALUES ((SELECT coalesce(max(id), 0) + 1 FROM gateway_keys), $1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (name) WHERE revoked_at IS NULL DO NOTHING",
    )
    .bind(&new.name)
    .bind(hash.clone())
    .bind(prefix)
    .bind(limit(new.per_day.tokens))
    .bind(limit(new.per_day.micro_dollars))
    .bind(new.requests_per_minute.map(i64::from))
    .bind(tx.now().0)
    .execute(&mut *tx)
    .await?;
    if added == 0 {
        return Err(StoreError::KeyNameTaken(new.name).into());
    }
    let keys = changed(tx, ring).await?;
    let key = keys.by_hash.get(&hash).ok_or(sqlx::Error::RowNotFound)?;
    Ok(MadeKey { key: (**key).clone(), secret })
}

async fn revoke(
    tx: &mut Transaction<'_>,
    name: String,
    ring: Arc<KeyRing>,
) -> Result<GatewayKey, Rollback> {
    tx.change_ledger().await?;
    let id = query(
        "UPDATE gateway_keys SET revoked_at = $1
          WHERE name = $2 AND revoked_at IS NULL RETURNING id",
    )
    .bind(tx.now().0)
    .bind(&name)
    .fetch_optional(&mut *tx)
    .await?;
    let Some(id) = id else { return Err(StoreError::NoKeyNamed(name).into()) };
    let keys = changed(tx, ring).await?;
    let key = keys.by_id.get(&KeyId(id.try_get(0)?)).ok_or(sqlx::Error::RowNotFound)?;
    Ok((**key).clone())
}

/// Has every process read the keys again; this one has them once they are committed.
async fn changed(tx: &mut Transaction<'_>, ring: Arc<KeyRing>) -> Result<Arc<Keys>, sqlx::Error> {
    query("UPDATE ledger SET keys_version = keys_version + 1").execute(&mut *tx).await?;
    let keys = Arc::new(load(&mut *tx).await?);
    let committed = Arc::clone(&keys);
    tx.after_commit(move || ring.replace(committed));
    Ok(keys)
}

/// Makes a key out of the system's randomness.
fn new_secret() -> String {
    let mut hasher = blake3::Hasher::new();
    // Three times 122 random bits, condensed to 256.
    for _ in 0..3 {
        hasher.update(uuid::Uuid::new_v4().as_bytes());
    }
    format!("{KEY_PREFIX}{}", hasher.finalize().to_hex())
}

/// Returns what is stored of a key: its hash, and its first characters.
fn stored_form(secret: &str) -> (String, String) {
    (hash(secret), secret.chars().take(SHOWN).collect())
}

fn hash(secret: &str) -> String {
    blake3::hash(secret.as_bytes()).to_hex().to_string()
}

/// The copy of all keys in memory.
#[derive(Debug, Default)]
pub(crate) struct KeyRing(RwLock<Arc<Keys>>);

/// All keys at one moment.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    pub(crate) version: i64,
    by_hash: HashMap<String, Arc<GatewayKey>>,
    by_id: HashMap<KeyId, Arc<GatewayKey>>,
}

impl KeyRing {
    /// Returns the key in force with this text.
    pub(crate) fn find(&self, secret: &str) -> Option<Arc<GatewayKey>> {
        let key = self.keys().by_hash.get(&hash(secret)).map(Arc::clone)?;
        key.revoked_at.is_none().then_some(key)
    }

    /// Returns the key in force with this number.
    pub(crate) fn in_force(&self, id: KeyId) -> Option<Arc<GatewayKey>> {
        let key = self.keys().by_id.get(&id).map(Arc::clone)?;
        key.revoked_at.is_none().then_some(key)
    }

    pub(crate) fn version(&self) -> i64 {
        self.keys().version
    }

    pub(crate) fn replace(&self, keys: impl Into<Arc<Keys>>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = keys.into();
    }

    fn keys(&self) -> Arc<Keys> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Reads all keys, and the version they are of.
pub(crate) async fn load(asked: impl Into<Asked<'_>>) -> Result<Keys, sqlx::Error> {
    let mut asked = asked.into();
    // The version first: if a key is made in between, the copy is newer than it says, and is read
    // once more than needed.
    let version: i64 = query("SELECT keys_version FROM ledger").fetch_value(asked.again()).await?;
    let rows = query(
        "SELECT id, name, hash, prefix, tokens_per_day, micro_dollars_per_day,
                requests_per_minute, created_at, revoked_at
         FROM gateway_keys ORDER BY id",
    )
    .fetch_all(asked)
    .await?;
    let mut keys = Keys { version, ..Keys::default() };
    for row in rows {
        let count = |value: i64| u64::try_from(value).unwrap_or_default();
        let key = Arc::new(GatewayKey {
            id: KeyId(row.try_get(0)?),
            name: row.try_get(1)?,
            prefix: row.try_get(3)?,
            tokens_per_day: row.try_get::<Option<i64>>(4)?.map(count),
            micro_dollars_per_day: row.try_get::<Option<i64>>(5)?.map(count),
            requests_per_minute: row
                .try_get::<Option<i64>>(6)?
                .map(|value| u32::try_from(value).unwrap_or(u32::MAX)),
            created_at: Timestamp(row.try_get(7)?),
            revoked_at: row.try_get::<Option<i64>>(8)?.map(Timestamp),
        });
        keys.by_hash.insert(row.try_get(2)?, Arc::clone(&key));
        keys.by_id.insert(key.id, key);
    }
    Ok(keys)
}

/// Reads all keys again if they have changed.
pub(crate) async fn refresh(
    ring: &KeyRing,
    asked: impl Into<Asked<'_>>,
) -> Result<(), sqlx::Error> {
    let mut asked = asked.into();
    let version: i64 = query("SELECT keys_version FROM ledger").fetch_value(asked.again()).await?;
    if version != ring.version() {
        ring.replace(load(asked).await?);
    }
    Ok(())
}

impl Keys {
    /// Returns all keys, oldest first.
    pub(crate) fn in_order(&self) -> Vec<GatewayKey> {
        let mut keys: Vec<GatewayKey> = self.by_id.values().map(|key| (**key).clone()).collect();
        keys.sort_unstable_by_key(|key| key.id);
        keys
    }
}

/// Keys of the gateway.
pub(crate) const TABLE: Table = Table {
    names: &["gateway_keys"],
    migrations: &[Migration {
        version: 2,
        name: "0002_gateway_keys",
        sql: MIGRATION,
        #[cfg(test)]
        rows: tests::ROWS,
    }],
    #[cfg(test)]
    conforms: tests::conforms,
};

const MIGRATION: &str = "
-- Keys the gateway hands out: their hashes, never the keys.
CREATE TABLE gateway_keys (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE,
    prefix TEXT NOT NULL,
    tokens_per_day BIGINT,
    micro_dollars_per_day BIGINT,
    requests_per_minute BIGINT,
    created_at BIGINT NOT NULL,
    revoked_at BIGINT
);
-- A name is free again once its key was revoked, so that a key can be replaced under its name.
CREATE UNIQUE INDEX gateway_keys_in_force ON gateway_keys (name) WHERE revoked_at IS NULL;
-- Raised whenever a key is made or revoked, so that copies in memory know that they are old.
ALTER TABLE ledger ADD COLUMN keys_version BIGINT NOT NULL DEFAULT 0;
";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::Conforming;

    pub(super) const ROWS: &str =
        "INSERT INTO gateway_keys (id, name, hash, prefix, tokens_per_day, created_at)
     VALUES (4, 'ci', '0f', 'salve_0f', 100, 1000);
     UPDATE ledger SET keys_version = 1;";

    pub(super) fn conforms<'a>(store: &'a Store, text: &'a str) -> Conforming<'a> {
        Box::pin(async move {
            let new = NewKey { name: text.to_owned(), ..NewKey::default() };
            let made = store.add_key(new).await.expect("a key");
            assert_eq!(store.find_key(&made.secret).as_deref(), Some(&made.key));
            assert_eq!(store.list_keys().await.expect("listed"), [made.key]);
            let revoked = store.revoke_key(text).await.expect("revoked");
            assert!(revoked.revoked_at.is_some() && store.find_key(&made.secret).is_none());
        })
    }
}
