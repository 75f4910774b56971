//! How fast the ledger takes calls, beside what one insert through the same driver takes.
//!
//! In: a database in a temporary folder. Out: one table, each line with the figure asked for and PASS
//! or BELOW. Never measures without writing: every figure is of committed rows.
#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

#[path = "unredacted/as_it_is.rs"]
mod unredacted;

use salve_store::{
    CallOutcome, NewCall, NewKey, Reservation, Settled, Spend, Store, StoreOptions, WorstCase,
};
use salve_types::{Timestamp, Usage};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions, SqliteConnection};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use unredacted::AsItIs;

const ALONE: usize = 3000;
const CONNECTIONS: usize = 32;
const TOGETHER: usize = 20_000;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    // Spawned, as in a server: what runs in `block_on` itself is woken more slowly.
    runtime.block_on(async { tokio::spawn(measure()).await.expect("measured") });
}

async fn measure() {
    let folder = tempfile::tempdir().expect("a folder");
    let options =
        StoreOptions::new(Arc::new(|| Timestamp(1_700_000_000_000)), Arc::new(AsItIs), "bench");
    println!("{:<56} {:>12} {:>12}  verdict", "what", "measured", "limit");

    let bare = bare_inserts(&folder.path().join("bare.db")).await;
    println!("{:<56} {:>12}", "one bare insert, p50", micros(median(bare)));

    let store = Store::open(&folder.path().join("salve.db"), options).await.expect("opened");
    let key = store
        .add_key(NewKey { name: "bench".to_owned(), ..NewKey::default() })
        .await
        .expect("a key");
    let new = new_call(key.key.id);
    pairs(&store, &new, 500, "").await;

    let (reserves, settles) = pairs(&store, &new, ALONE, "").await;
    let reserve = median(reserves);
    goal("1 connection: p50 of a reservation", reserve, Duration::from_micros(100));
    println!("{:<56} {:>12}", "1 connection: p50 of a settlement", micros(median(settles)));

    let started = Instant::now();
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..CONNECTIONS {
        let (store, new) = (store.clone(), new.clone());
        tasks.spawn(async move { pairs(&store, &new, TOGETHER / CONNECTIONS, "").await });
    }
    tasks.join_all().await;
    rate("32 connections: reserved and settled pairs a second", started, TOGETHER, 8000.0);

    let answer = "A line of an answer as it arrives, some eighty bytes long, more or less so.\n";
    let started = Instant::now();
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..CONNECTIONS {
        let (store, new) = (store.clone(), new.clone());
        tasks.spawn(async move { pairs(&store, &new, 200, answer).await });
    }
    tasks.join_all().await;
    rate("the same with 1.2 KB of text each", started, 200 * CONNECTIONS, 4000.0);

    lookup(&store, &key.secret);
    assert!(store.check_integrity().await.expect("checked").is_empty(), "the books add up");
    store.close().await;
}

/// Inserts small rows one by one, each its own transaction: what the driver and the disk allow.
async fn bare_inserts(path: &Path) -> Vec<Duration> {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Normal);
    let mut connection: SqliteConnection = options.connect().await.expect("a connection");
    sqlx::query("CREATE TABLE rows (id INTEGER PRIMARY KEY, name TEXT, count BIGINT)")
        .execute(&mut connection)
        .await
        .expect("a table");
    let mut times = Vec::with_capacity(ALONE);
    for number in 0..ALONE {
        let started = Instant::now();
        sqlx::query("INSERT INTO rows (name, count) VALUES ($1, $2)")
            .bind("a name")
            .bind(number as i64)
            .execute(&mut connection)
            .await
            .expect("inserted");
        times.push(started.elapsed());
    }
    times
}

fn new_call(key: salve_store::KeyId) -> NewCall {
    NewCall {
        purpose: "first".to_owned(),
        dialect: "chat".to_owned(),
        provider: "upstream".to_owned(),
        model: "some-model-large".to_owned(),
        key_id: Some(key),
        worst: WorstCase {
            prompt: Spend { tokens: 100, micro_dollars: 100 },
            answer: Spend { tokens: 1000, micro_dollars: 10_000 },
        },
        prompt_hash: Some("0123456789abcdef0123456789abcdef".to_owned()),
        ..NewCall::default()
    }
}

/// Reserves and settles one call after the other; returns how long each took.
async fn pairs(
    store: &Store,
    new: &NewCall,
    count: usize,
    line: &str,
) -> (Vec<Duration>, Vec<Duration>) {
    let (mut reserves, mut settles) = (Vec::with_capacity(count), Vec::with_capacity(count));
    for _ in 0..count {
        let new = new.clone();
        let started = Instant::now();
        let reserved = store.reserve_unkeyed(new).await.expect("reserved");
        reserves.push(started.elapsed());
        let Reservation::Fresh(mut open) = reserved else { continue };
        if !line.is_empty() {
            for _ in 0..16 {
                open.append(line);
            }
        }
        let settled = Settled {
            outcome: CallOutcome::Whole,
            usage: Some(Usage { input_tokens: 90, output_tokens: 20, ..Usage::default() }),
            micro_dollars: Some(290),
            finish: Some("stop".to_owned()),
            status: Some(200),
            ..Settled::default()
        };
        let started = Instant::now();
        open.settle(settled).await.expect("settled");
        settles.push(started.elapsed());
    }
    (reserves, settles)
}

fn lookup(store: &Store, secret: &str) {
    let rounds = 100_000;
    let started = Instant::now();
    for _ in 0..rounds {
        std::hint::black_box(store.find_key(std::hint::black_box(secret)));
    }
    goal("a gateway key is found", started.elapsed() / rounds, Duration::from_micros(2));
}

fn rate(what: &str, started: Instant, count: usize, limit: f64) {
    let rate = count as f64 / started.elapsed().as_secs_f64();
    let verdict = if rate >= limit { "PASS" } else { "BELOW" };
    println!(
        "{what:<56} {:>12} {:>12}  {verdict}",
        format!("{rate:.0}/s"),
        format!("{limit:.0}/s")
    );
}

fn goal(what: &str, figure: Duration, limit: Duration) {
    let verdict = if figure <= limit { "PASS" } else { "BELOW" };
    println!("{what:<56} {:>12} {:>12}  {verdict}", micros(figure), micros(limit));
}

fn micros(time: Duration) -> String {
    format!("{:.1} us", time.as_secs_f64() * 1e6)
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
