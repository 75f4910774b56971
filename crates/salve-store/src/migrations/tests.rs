//! Every earlier version, with rows of its time, is brought to the newest and read through the API.

use super::{Place, migrate, newest, steps, version};
use crate::testing::options;
use crate::{
    CallId, CallKey, CallOutcome, CallState, JobId, NewCall, Reservation, Settled, Store,
    StoreError,
};
use salve_types::Timestamp;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection};
use std::path::{Path, PathBuf};

async fn connection(path: &Path) -> SqliteConnection {
    let options = SqliteConnectOptions::new().filename(path).create_if_missing(true);
    options.connect().await.expect("a connection")
}

/// Makes a database as an earlier Salve left it.
async fn of_version(path: &Path, wanted: i64) {
    let mut connection = connection(path).await;
    let place = Place { path: None, backups: 0, now: Timestamp(1000) };
    for step in steps().into_iter().take(usize::try_from(wanted).expect("a count")) {
        migrate(&mut connection, &place, step.version).await.expect("migrated");
        sqlx::raw_sql(step.rows).execute(&mut connection).await.expect("rows of their time");
    }
    assert_eq!(version(&mut connection).await.expect("a version"), wanted);
    connection.close().await.expect("closed");
}

fn backups(path: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(path.parent().expect("a folder"))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.to_string_lossy().contains(".backup-"))
        .collect();
    found.sort();
    found
}

#[test]
fn steps_are_numbered_without_a_gap_and_each_has_rows() {
    let numbers: Vec<i64> = steps().iter().map(|step| step.version).collect();
    assert_eq!(numbers, (1..=newest()).collect::<Vec<_>>());
    for step in steps() {
        assert!(step.name.starts_with(&format!("{:04}_", step.version)), "{}", step.name);
        assert!(!step.rows.is_empty(), "{} needs rows of its time", step.name);
    }
}

#[tokio::test]
async fn every_earlier_version_is_brought_to_the_newest_with_its_rows() {
    for from in 0..=newest() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("salve.db");
        of_version(&path, from).await;
        let store = Store::open(&path, options()).await.expect("opened");
        check(&store, from).await;
        // New rows go on where the old ones ended.
        let reserved = store.reserve_unkeyed(NewCall::default()).await;
        let Ok(Reservation::Fresh(open)) = reserved else { panic!("{reserved:?}") };
        assert_eq!(open.id(), CallId(if from > 0 { 3 } else { 1 }));
        open.settle(Settled::default()).await.expect("settled");
        assert_eq!(store.check_integrity().await.expect("checked"), [""; 0], "from version {from}");
        store.close().await;

        let kept = backups(&path);
        let needed = usize::from(from > 0 && from < newest());
        assert_eq!(kept.len(), needed, "from version {from}: {kept:?}");
        if let Some(backup) = kept.first() {
            let mut copy = connection(backup).await;
            assert_eq!(version(&mut copy).await.expect("a version"), from);
        }
    }
}

async fn check(store: &Store, from: i64) {
    if from >= 1 {
        let first = store.call(CallId(1)).await.expect("read").expect("there");
        assert_eq!(first.call.outcome, Some(CallOutcome::Whole));
        assert_eq!(
            (first.texts.raw.as_str(), first.texts.result.as_deref()),
            ("text", Some("text"))
        );
        let second = store.call(CallId(2)).await.expect("read").expect("there");
        assert_eq!((second.call.state, second.texts.raw.as_str()), (CallState::Unknown, "par"));
        let session = store.session_spending("s").await.expect("read");
        let spent = if from >= 5 { 21 } else { 17 };
        assert_eq!((session.held.tokens, session.spent.tokens), (30, spent));
        let doubt = store.reserve(&CallKey::new("old/2"), NewCall::default()).await;
        assert!(matches!(doubt, Ok(Reservation::InDoubt { .. })), "{doubt:?}");
    }
    let keys = store.list_keys().await.expect("read");
    assert_eq!(keys.len(), usize::from(from >= 2));
    let events = store.events_after(0, 9).await.expect("read");
    assert_eq!(events.len(), usize::from(from >= 3));
    let healed = store.stats(None).await.expect("read").total.healed;
    assert_eq!(healed, if from >= 4 { 3 } else { 0 });
    let job = store.job(&JobId::new("j/c").expect("a name")).await.expect("read");
    assert_eq!(job.map(|job| job.reported), (from >= 5).then_some((1, 2)));
    assert_eq!(store.text("t").await.expect("read").is_some(), from >= 5);
}

/// The same on a server, if there is one for tests.
#[cfg(feature = "fleet")]
#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "tests are told by the environment")]
async fn every_earlier_version_is_brought_to_the_newest_on_postgres() {
    use super::postgres::{migrate_postgres, translated};
    let Ok(server) = std::env::var("SALVE_TEST_POSTGRES") else {
        eprintln!("skipped: SALVE_TEST_POSTGRES names no server");
        return;
    };
    for from in 0..=newest() {
        let schema = format!("test_{}", uuid::Uuid::new_v4().simple());
        let server = crate::PostgresOptions::new(&*server).schema(&*schema);
        let settings = server.connect_options().expect("an address");
        let mut connection = settings.connect().await.expect("a connection");
        for step in steps().into_iter().take(usize::try_from(from).expect("a count")) {
            migrate_postgres(&mut connection, &schema, "here", Timestamp(1000), step.version)
                .await
                .expect("migrated");
            sqlx::raw_sql(&translated(step.rows)).execute(&mut connection).await.expect("rows");
        }
        let store = Store::postgres(&server, options()).await.expect("opened");
        check(&store, from).await;
        let reserved = store.reserve_unkeyed(NewCall::default()).await;
        let Ok(Reservation::Fresh(open)) = reserved else { panic!("{reserved:?}") };
        assert_eq!(open.id(), CallId(if from > 0 { 3 } else { 1 }));
        open.settle(Settled::default()).await.expect("settled");
        assert_eq!(store.check_integrity().await.expect("checked"), [""; 0], "from version {from}");
        store.close().await;
    }
}

#[tokio::test]
async fn only_so_many_backups_are_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("salve.db");
    of_version(&path, 1).await;
    let mut database = connection(&path).await;
    for moment in [10, 20, 20, 30, 1_700_000_000_000] {
        crate::backup::make(&mut database, &path, 1, Timestamp(moment), 3).await.expect("a backup");
    }
    let names: Vec<String> = backups(&path)
        .iter()
        .map(|path| path.file_name().expect("a name").to_string_lossy().into_owned())
        .collect();
    assert_eq!(
        names,
        [
            "salve.db.backup-000000000000020-v1-1",
            "salve.db.backup-000000000000030-v1",
            "salve.db.backup-001700000000000-v1"
        ]
    );
    assert_eq!(crate::backup::newest(&path), backups(&path).pop());
}

#[tokio::test]
async fn a_step_that_fails_leaves_the_version_before() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("salve.db");
    of_version(&path, 1).await;
    let mut database = connection(&path).await;
    // Something of the name the next step wants to make.
    sqlx::raw_sql("CREATE TABLE events (mine TEXT)").execute(&mut database).await.expect("made");
    database.close().await.expect("closed");
    let error = Store::open(&path, options()).await.expect_err("in the way");
    assert!(matches!(&error, StoreError::Migration { to: 3, backup: Some(_), .. }), "{error:?}");
    let mut database = connection(&path).await;
    assert_eq!(version(&mut database).await.expect("a version"), 2);
    // The version before is whole: with the obstacle gone, the next opening goes on.
    sqlx::raw_sql("DROP TABLE events").execute(&mut database).await.expect("dropped");
    database.close().await.expect("closed");
    let store = Store::open(&path, options()).await.expect("opened");
    check(&store, 1).await;
}
