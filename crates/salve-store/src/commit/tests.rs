//! Operations share a commit, and nothing else.

use super::{Rollback, Transaction};
use crate::sql::query;
use crate::testing::options;
use crate::{CallId, CallOutcome, Durability, Store, StoreError, StoreOptions};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

async fn put(tx: &mut Transaction<'_>, id: &str) -> Result<(), Rollback> {
    query("INSERT INTO texts (id, content, put_at) VALUES ($1, $2, $3)")
        .bind(id)
        .bind(id.as_bytes().to_vec())
        .bind(tx.now().0)
        .execute(tx)
        .await?;
    Ok(())
}

async fn ids(store: &Store) -> Vec<String> {
    store
        .read("list the texts", async |snapshot| {
            query("SELECT id FROM texts ORDER BY id").fetch_values(snapshot).await
        })
        .await
        .expect("read")
}

#[tokio::test]
async fn one_that_fails_or_is_refused_does_not_fail_the_others() {
    let store = Store::memory(options()).await.expect("a store");
    let hooks = Arc::new(AtomicUsize::new(0));
    let write = |id: &'static str, refused: bool| {
        let (store, hooks) = (store.clone(), Arc::clone(&hooks));
        async move {
            store
                .write(Durability::Normal, "put", move |tx| {
                    Box::pin(async move {
                        tx.after_commit(move || {
                            hooks.fetch_add(1, Ordering::SeqCst);
                        });
                        put(tx, id).await?;
                        if refused {
                            return Err(StoreError::KeyNameTaken(id.to_owned()).into());
                        }
                        Ok(id)
                    })
                })
                .await
        }
    };
    // They wait together, so they are one group.
    let (a, refused, twice, b) =
        tokio::join!(write("a", false), write("no", true), write("a", false), write("b", false));
    assert_eq!((a.expect("written"), b.expect("written")), ("a", "b"));
    assert!(matches!(refused, Err(StoreError::KeyNameTaken(_))), "{refused:?}");
    assert!(matches!(twice, Err(StoreError::Database { doing: "put", .. })), "{twice:?}");
    assert_eq!(ids(&store).await, ["a", "b"]);
    assert_eq!(hooks.load(Ordering::SeqCst), 2);
    // Alone, without a savepoint.
    let alone = write("a", false).await;
    assert!(matches!(alone, Err(StoreError::Database { .. })), "{alone:?}");
    write("c", false).await.expect("written");
    assert_eq!((ids(&store).await.len(), hooks.load(Ordering::SeqCst)), (3, 3));
}

/// Returns how safe the transaction is that this shares with others.
async fn level(store: &Store, durability: Durability) -> i64 {
    let read = store.write(durability, "read the level", |tx| {
        Box::pin(async move { Ok(query("PRAGMA synchronous").fetch_value::<i64>(tx).await?) })
    });
    read.await.expect("read")
}

const NORMAL: i64 = 1;
const FULL: i64 = 2;

#[tokio::test]
async fn a_group_is_as_safe_as_the_safest_of_it_asks() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(&folder.path().join("salve.db"), options()).await.expect("opened");
    assert_eq!(level(&store, Durability::Normal).await, NORMAL);
    assert_eq!(level(&store, Durability::Full).await, FULL);
    assert_eq!(level(&store, Durability::Normal).await, NORMAL);
    let together = tokio::join!(level(&store, Durability::Normal), level(&store, Durability::Full));
    assert_eq!(together, (FULL, FULL));
}

// The gateway judges every call, and waits for none of it: no sync of its own for each.
#[tokio::test]
async fn a_judgement_is_as_safe_as_the_calls_are() {
    for (durability, expected) in [(Durability::Normal, NORMAL), (Durability::Full, FULL)] {
        let folder = tempfile::tempdir().expect("a folder");
        let options = StoreOptions { durability, ..options() };
        let store = Store::open(&folder.path().join("salve.db"), options).await.expect("opened");
        let judged = store.judge_call(CallId(1), CallOutcome::Whole, None);
        let (judged, level) = tokio::join!(judged, level(&store, Durability::Normal));
        judged.expect("judged");
        assert_eq!(level, expected, "{durability:?}");
    }
}

#[tokio::test]
async fn work_is_done_though_its_caller_stopped_waiting() {
    let store = Store::memory(options()).await.expect("a store");
    {
        let asked = store.write(Durability::Normal, "put", |tx| Box::pin(put(tx, "a")));
        let mut asked = std::pin::pin!(asked);
        let waited = tokio::time::timeout(std::time::Duration::ZERO, asked.as_mut()).await;
        assert!(waited.is_err() || waited.is_ok_and(|done| done.is_ok()));
    }
    store.write(Durability::Normal, "put", |tx| Box::pin(put(tx, "b"))).await.expect("written");
    assert_eq!(ids(&store).await, ["a", "b"]);
    store.close().await;
    let closed = store.write(Durability::Normal, "put", |tx| Box::pin(put(tx, "c"))).await;
    assert!(matches!(closed, Err(StoreError::Closed)), "{closed:?}");
}
