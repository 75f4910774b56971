//! Opening: private files, clear words about what cannot be used, many at once.

use crate::support::*;
use salve_store::{Durability, Store, StoreError, StoreOptions};
use sqlx::Connection;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use std::path::Path;

pub(crate) async fn raw(path: &Path) -> SqliteConnection {
    SqliteConnection::connect_with(&SqliteConnectOptions::new().filename(path))
        .await
        .expect("a connection")
}

#[cfg(unix)]
#[tokio::test]
async fn files_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("deep").join("er").join("salve.db");
    let store = Store::open(&path, options(HandClock::new())).await.expect("opened");
    fresh(&store, call()).await.settle(salve_store::Settled::default()).await.expect("settled");
    let mode = |path: &Path| std::fs::metadata(path).expect("there").permissions().mode() & 0o777;
    assert_eq!(mode(path.parent().expect("a folder")), 0o700);
    for entry in std::fs::read_dir(path.parent().expect("a folder")).expect("a folder") {
        let path = entry.expect("an entry").path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
    store.close().await;
    // A file someone opened up is closed again.
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).expect("changed");
    Store::open(&path, options(HandClock::new())).await.expect("opened").close().await;
    assert_eq!(mode(&path), 0o600);
}

#[tokio::test]
async fn a_newer_database_is_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("salve.db");
    Store::open(&path, options(HandClock::new())).await.expect("opened").close().await;
    let mut connection = raw(&path).await;
    sqlx::query("INSERT INTO salve_schema (version, name, applied_at) VALUES (99, 'later', 0)")
        .execute(&mut connection)
        .await
        .expect("written");
    connection.close().await.expect("closed");
    let error = Store::open(&path, options(HandClock::new())).await.expect_err("too new");
    let StoreError::TooNew { found: 99, known, .. } = &error else { panic!("{error:?}") };
    let message = error.to_string();
    assert!(message.contains("is of version 99"), "{message}");
    assert!(message.contains(&format!("up to {known}")), "{message}");
}

#[tokio::test]
async fn a_damaged_database_is_named_with_its_backup() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("salve.db");
    Store::open(&path, options(HandClock::new())).await.expect("opened").close().await;
    let backup = folder.path().join("salve.db.backup-001700000000000-v1");
    std::fs::copy(&path, &backup).expect("copied");
    for damage in
        [&b"this is not a database at all, and long enough to be read as one"[..], &[0xff; 5000]]
    {
        let mut bytes = std::fs::read(&path).expect("readable");
        let length = damage.len().min(bytes.len());
        bytes[..length].copy_from_slice(&damage[..length]);
        let damaged = folder.path().join("damaged").join("salve.db");
        std::fs::create_dir_all(damaged.parent().expect("a folder")).expect("a folder");
        put(&damaged, &bytes);
        let without = Store::open(&damaged, options(HandClock::new())).await.expect_err("damaged");
        assert!(matches!(&without, StoreError::Corrupt { backup: None, .. }), "{without:?}");
        assert!(without.to_string().contains("there is no backup"), "{without}");
        put(&path, &bytes);
        let error = Store::open(&path, options(HandClock::new())).await.expect_err("damaged");
        assert!(
            matches!(&error, StoreError::Corrupt { backup: Some(found), .. } if *found == backup),
            "{error:?}"
        );
        assert!(error.to_string().contains("the newest backup is"), "{error}");
    }
}

fn put(path: &Path, bytes: &[u8]) {
    use std::io::Write;
    let mut file = std::fs::File::create(path).expect("a file");
    file.write_all(bytes).expect("written");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_open_a_new_database_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("salve.db");
    let clock = HandClock::new();
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let (path, options) = (path.clone(), options(clock.clone()));
        tasks.spawn(async move { Store::open(&path, options).await.expect("opened") });
    }
    let mut stores = Vec::new();
    while let Some(store) = tasks.join_next().await {
        stores.push(store.expect("no panic"));
    }
    for store in &stores {
        fresh(store, call()).await.settle(salve_store::Settled::default()).await.expect("settled");
    }
    assert_eq!(stores[0].calls(&Default::default()).await.expect("list").len(), 8);
    assert_eq!(stores[0].check_integrity().await.expect("checked"), [""; 0]);
}

#[tokio::test]
async fn full_durability_does_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("salve.db");
    let options = StoreOptions { durability: Durability::Full, ..options(HandClock::new()) };
    let store = Store::open(&path, options.clone()).await.expect("opened");
    let open = fresh(&store, call()).await;
    open.settle(salve_store::Settled::default()).await.expect("settled");
    store.close().await;
    let store = Store::open(&path, options).await.expect("opened again");
    assert_eq!(store.calls(&Default::default()).await.expect("list").len(), 1);
}
