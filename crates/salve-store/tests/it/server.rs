//! What only a server can do to a store: go away, come back, be shared by many, tell on a secret.

use crate::place::{Place, connection, place};
use crate::support::*;
use salve_store::{
    CallKey, CallOutcome, JobId, NewEvent, NewJob, PostgresOptions, Registered, Reservation,
    Settled, Store, StoreError,
};
use salve_types::{FlowName, Needs};
use serde_json::json;
use std::time::Duration;

async fn new_place() -> Option<(Place, PostgresOptions)> {
    match place().await? {
        Place::Postgres(server) => Some((Place::Postgres(server.clone()), server)),
        _ => None,
    }
}

/// Cuts connections, as a restart of the server does.
struct Cutter {
    admin: sqlx::PgConnection,
    named: PostgresOptions,
}

impl Cutter {
    /// Opens a store whose connections can be told from others.
    async fn new(server: &PostgresOptions) -> (Self, Store) {
        let address = crate::place::server().expect("a server");
        let address = format!("{address}?application_name={}", server.schema_name());
        let named = PostgresOptions::new(address).schema(server.schema_name());
        let store = Store::postgres(&named, options(HandClock::new())).await.expect("opened");
        (Self { admin: connection().await.expect("a server"), named }, store)
    }

    /// Cuts all connections of the store, and returns how many there were.
    async fn cut(&mut self) -> i64 {
        sqlx::query_scalar(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
              WHERE application_name = $1",
        )
        .bind(self.named.schema_name())
        .fetch_one(&mut self.admin)
        .await
        .expect("cut")
    }
}

// A trigger at the end of the transaction sees what its commit will wait for.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_call_of_a_job_waits_for_the_disk_in_one_statement() {
    const WATCH: &str = "
        CREATE TABLE commits (level TEXT, call_key TEXT);
        CREATE FUNCTION watch() RETURNS trigger LANGUAGE plpgsql AS
            'BEGIN INSERT INTO commits VALUES (current_setting(''synchronous_commit''), NEW.call_key);
             RETURN NULL; END';
        CREATE CONSTRAINT TRIGGER watch AFTER INSERT ON calls DEFERRABLE INITIALLY DEFERRED
            FOR EACH ROW EXECUTE FUNCTION watch();";
    let Some((place, server)) = new_place().await else { return };
    place.open(options(HandClock::new())).await.close().await;
    let mut admin = connection().await.expect("a server");
    let schema = server.schema_name();
    let watch = format!("SET search_path = {schema}; {WATCH}");
    sqlx::raw_sql(&watch).execute(&mut admin).await.expect("watched");
    // What this server does when it is not asked for more.
    let quick = "DO 'BEGIN EXECUTE format(''ALTER DATABASE %I SET synchronous_commit = %s'',
        current_database(), ''off''); END'";
    sqlx::raw_sql(quick).execute(&mut admin).await.expect("set");
    let (_, store) = Cutter::new(&server).await;
    for round in 0..3 {
        fresh(&store, call()).await.settle(Settled::default()).await.expect("settled");
        let key = CallKey::new(format!("job/{round}"));
        let open = fresh_with(&store, &key, call()).await;
        let last: Vec<String> = sqlx::query_scalar(
            "SELECT query FROM pg_stat_activity
              WHERE application_name = $1 AND query LIKE '%set_config%'",
        )
        .bind(schema)
        .fetch_all(&mut admin)
        .await
        .expect("read");
        assert!(last.iter().any(|sql| sql.starts_with("WITH raised")), "{last:?}");
        open.settle(Settled::default()).await.expect("settled");
    }
    let usual = quick.replace("''off''", "''on''");
    sqlx::raw_sql(&usual).execute(&mut admin).await.expect("set");
    let levels: Vec<(String, bool)> =
        sqlx::query_as("SELECT DISTINCT level, call_key IS NOT NULL FROM commits ORDER BY level")
            .fetch_all(&mut admin)
            .await
            .expect("read");
    assert_eq!(levels, [("off".to_owned(), false), ("on".to_owned(), true)]);
}

fn event(number: i64) -> NewEvent {
    NewEvent { kind: "test".to_owned(), subject: String::new(), body: json!(number) }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_goes_on_after_its_connections_were_cut() {
    let Some((_, server)) = new_place().await else { return };
    let (mut cutter, store) = Cutter::new(&server).await;
    let mut kept = 0;
    for round in 1..=5_i64 {
        let key = CallKey::new(format!("call {round}"));
        let mut open = fresh_with(&store, &key, call()).await;
        open.append("some text");
        assert!(cutter.cut().await > 0, "there was something to cut");
        // What was paid is written down however often that has to be tried.
        let settled = Settled {
            outcome: CallOutcome::Whole,
            text: Some("result".to_owned()),
            ..Settled::default()
        };
        let receipt = open.settle(settled).await.expect("settled");
        assert!(!receipt.late, "{receipt:?}");
        cutter.cut().await;
        // Anything else fails once with words that say what to do, and works the next time.
        let mut tries = 0;
        let id = loop {
            tries += 1;
            match store.append_event(event(round)).await {
                Ok(id) => break id,
                Err(error) => assert!(error.is_unreachable() && tries < 3, "{error:?}"),
            }
        };
        assert!(id > kept, "numbers rise");
        kept = id;
        cutter.cut().await;
        let detail = loop {
            match store.reserve(&key, call()).await {
                Ok(Reservation::Done(detail)) => break detail,
                Ok(other) => panic!("{other:?}"),
                Err(error) => assert!(error.is_unreachable(), "{error:?}"),
            }
        };
        assert_eq!(
            (detail.texts.raw.as_str(), detail.texts.result.as_deref()),
            ("some text", Some("result"))
        );
    }
    eventually(async || store.day_spending().await.is_ok_and(|day| day.held.tokens == 0)).await;
    assert_eq!(store.check_integrity().await.expect("checked"), [""; 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reservation_nobody_was_told_of_is_taken_back() {
    let Some((_, server)) = new_place().await else { return };
    let (mut cutter, store) = Cutter::new(&server).await;
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let stopped = std::sync::Arc::clone(&stop);
    let cutting = tokio::spawn(async move {
        while !stopped.load(std::sync::atomic::Ordering::Relaxed) {
            cutter.cut().await;
            tokio::time::sleep(Duration::from_millis(7)).await;
        }
    });
    let mut refused = 0;
    for round in 0..400 {
        let key = CallKey::new(format!("call {round}"));
        // Whether or not it was written: the caller that asks the next time may make the call.
        let open = loop {
            match store.reserve(&key, call()).await {
                Ok(Reservation::Fresh(open)) => break open,
                Ok(other) => panic!("{other:?}"),
                Err(error) => assert!(error.is_unreachable(), "{error:?}"),
            }
            refused += 1;
        };
        let settled = Settled { micro_dollars: Some(1), ..Settled::default() };
        assert!(!open.settle(settled).await.expect("settled").late);
        if refused > 20 {
            break;
        }
    }
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    cutting.await.expect("no panic");
    assert!(refused > 0, "no reservation was cut off");
    eventually(async || store.day_spending().await.is_ok_and(|day| day.held.tokens == 0)).await;
    assert_eq!(store.check_integrity().await.expect("checked"), [""; 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn events_of_many_processes_are_one_sequence_without_a_gap() {
    const PROCESSES: i64 = 4;
    const EACH: i64 = 60;
    let Some((place, _)) = new_place().await else { return };
    let reader = place.open(options(HandClock::new())).await;
    let mut subscription = reader.subscribe(0);
    let mut tasks = tokio::task::JoinSet::new();
    for process in 0..PROCESSES {
        let store = place.open(options(HandClock::new())).await;
        for task in 0..2 {
            let store = store.clone();
            tasks.spawn(async move {
                for number in 0..EACH / 2 {
                    let number = process * 1000 + task * 100 + number;
                    store.append_event(event(number)).await.expect("kept");
                }
            });
        }
    }
    // Read while they are written: the caller that sees a number has seen all before it.
    for expected in 1..=PROCESSES * EACH {
        let next = tokio::time::timeout(Duration::from_secs(60), subscription.next()).await;
        let next = next.expect("in time").expect("readable").expect("open");
        assert_eq!(next.id, expected);
    }
    tasks.join_all().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_make_the_tables_at_once() {
    let Some((_, server)) = new_place().await else { return };
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let server = server.clone();
        tasks.spawn(async move { Store::postgres(&server, options(HandClock::new())).await });
    }
    for store in tasks.join_all().await {
        let store = store.expect("opened");
        fresh(&store, call()).await.settle(Settled::default()).await.expect("settled");
    }
}

#[tokio::test]
async fn what_cannot_be_reached_or_read_is_named_without_its_password() {
    let away = PostgresOptions::new("postgres://me:s3cret@127.0.0.1:1/db");
    let error = Store::postgres(&away, options(HandClock::new())).await.expect_err("nobody there");
    assert!(error.is_unreachable(), "{error:?}");
    assert_eq!(error.to_string(), "cannot reach the database at postgres://me@127.0.0.1:1/db");
    let wrong = PostgresOptions::new("postgres://me:s3cret@h/db?sslmode=perhaps");
    let error = Store::postgres(&wrong, options(HandClock::new())).await.expect_err("unknown");
    assert!(matches!(&error, StoreError::Address { .. }) && !error.is_unreachable(), "{error:?}");
    assert!(!error.to_string().contains("s3cret"), "{error}");

    let Some((place, server)) = new_place().await else { return };
    place.open(options(HandClock::new())).await.close().await;
    let mut admin = connection().await.expect("a server");
    let newer =
        format!("INSERT INTO {}.salve_schema VALUES (99, 'later', 0)", server.schema_name());
    sqlx::query(&newer).execute(&mut admin).await.expect("written");
    let error = Store::postgres(&server, options(HandClock::new())).await.expect_err("too new");
    assert!(matches!(error, StoreError::TooNew { found: 99, .. }), "{error:?}");
}

#[tokio::test]
async fn x24_a_planted_key_is_in_no_table() {
    let Some((place, server)) = new_place().await else { return };
    let store = place.open(options(HandClock::new())).await;
    let with = |text: &str| format!("{text} {SECRET} {text}");
    let key = CallKey::new(with("key"));
    let mut open =
        fresh_with(&store, &key, salve_store::NewCall { model: with("m"), ..call() }).await;
    open.append(&with("raw"));
    let settled = Settled {
        outcome: CallOutcome::Whole,
        text: Some(with("text")),
        note: Some(json!({ with("name"): with("value") })),
        ..Settled::default()
    };
    open.settle(settled).await.expect("settled");
    store.put_text(&with("text")).await.expect("put");
    store.append_event(NewEvent { body: json!(with("body")), ..event(1) }).await.expect("kept");
    let id = JobId::new(&format!("id/{SECRET}/x")).expect("a name");
    let job = NewJob {
        id: id.clone(),
        flow: FlowName::new(&format!("flow-{SECRET}"), 1).expect("a name"),
        input_hash: with("hash"),
        needs: Needs { toolchain: Some(with("needs")), root: None },
    };
    assert_eq!(store.register_job(job).await.expect("new"), Registered::New);
    assert!(store.request_cancel(&id, &with("why")).await.expect("noted"));

    let mut admin = connection().await.expect("a server");
    let tables: Vec<String> =
        sqlx::query_scalar("SELECT tablename::text FROM pg_tables WHERE schemaname = $1")
            .bind(server.schema_name())
            .fetch_all(&mut admin)
            .await
            .expect("tables");
    assert!(tables.len() > 10, "{tables:?}");
    let mut rows = 0;
    for table in tables {
        // Bytes are shown as hexadecimal digits.
        let sql = format!("SELECT t::text FROM {}.{table} t", server.schema_name());
        let shown: Vec<String> =
            sqlx::query_scalar(&sql).fetch_all(&mut admin).await.expect("rows");
        rows += shown.len();
        let hex: String = SECRET.bytes().map(|byte| format!("{byte:02x}")).collect();
        for row in shown {
            assert!(!row.contains(SECRET) && !row.contains(&hex), "{table}: {row}");
        }
    }
    assert!(rows > 10, "only {rows} rows");
}
