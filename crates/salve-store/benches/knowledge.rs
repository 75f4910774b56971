//! How fast what is known of an error is found, among a thousand patterns and among a million.
//!
//! In: databases in a temporary folder, filled by plain SQL in one transaction. Out: one table, each goal line
//! with PASS or BELOW. Never measures one kind of question: errors known by their own signature, by shape, by
//! class, and unknown ones take turns.
#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

#[path = "unredacted/as_it_is.rs"]
mod unredacted;

use salve_store::{PatternKey, Store, StoreOptions};
use salve_types::Timestamp;
use sqlx::sqlite::{SqliteConnectOptions, SqliteSynchronous};
use sqlx::{ConnectOptions, Row, SqliteConnection};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use unredacted::AsItIs;

const SIZES: [i64; 4] = [1000, 10_000, 100_000, 1_000_000];
const LOOKUPS: i64 = 4000;
const LIMIT: Duration = Duration::from_millis(1);
/// Among a million, a lookup takes at most this many times as long as among a thousand.
const FLAT: f64 = 3.0;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    println!("{:<56} {:>12} {:>12}  verdict", "what", "measured", "limit");
    let mut medians = Vec::new();
    for size in SIZES {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("salve.db");
        runtime.block_on(async {
            open(path.clone()).await.close().await;
            fill(&path, size).await;
        });
        // Spawned, as in a server: what runs in `block_on` itself is woken more slowly.
        let looked = async { tokio::spawn(lookups(path, size)).await.expect("looked") };
        let mut times = runtime.block_on(looked);
        times.sort_unstable();
        let (median, p99) = (times[times.len() / 2], times[times.len() * 99 / 100]);
        medians.push(median.as_secs_f64());
        println!("{:<56} {:>12}", format!("{size} patterns: p50 of a lookup"), micros(median));
        let verdict = if p99 <= LIMIT { "PASS" } else { "BELOW" };
        let what = format!("{size} patterns: p99 of a lookup");
        println!("{what:<56} {:>12} {:>12}  {verdict}", micros(p99), micros(LIMIT));
    }
    let ratio = medians.last().unwrap_or(&0.0) / medians.first().unwrap_or(&1.0);
    let verdict = if ratio <= FLAT { "PASS" } else { "BELOW" };
    let (ratio, limit) = (format!("{ratio:.2} x"), format!("{FLAT:.2} x"));
    println!(
        "{:<56} {ratio:>12} {limit:>12}  {verdict}",
        "a million against a thousand: p50 of a lookup"
    );
}

async fn open(path: PathBuf) -> Store {
    let options =
        StoreOptions::new(Arc::new(|| Timestamp(1_700_000_000_000)), Arc::new(AsItIs), "bench");
    Store::open(&path, options).await.expect("opened")
}

// Numbers spread over the whole range, each once.
const EXACT: &str = "printf('e%015x', (i * 2654435761) & 4294967295)";
const SHAPE: &str = "printf('s%015x', ((i / 4) * 2654435761) & 4294967295)";
const CLASS: &str = "printf('c%015x', i % 300)";
const WORKSPACE: &str = "'/home/user/project-' || (i % 40)";

/// Fills the tables in one transaction, and makes their indexes again afterwards.
async fn fill(path: &Path, size: i64) {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .synchronous(SqliteSynchronous::Off)
        .pragma("cache_size", "-262144")
        .pragma("temp_store", "memory");
    let mut connection: SqliteConnection = options.connect().await.expect("a connection");
    let indexes = sqlx::query(
        "SELECT name, sql FROM sqlite_master
          WHERE type = 'index' AND sql IS NOT NULL AND tbl_name LIKE 'knowledge_%'",
    )
    .fetch_all(&mut connection)
    .await
    .expect("listed");
    let mut sql = String::from("BEGIN;");
    for index in &indexes {
        sql.push_str(&format!("DROP INDEX {};", index.get::<String, _>(0)));
    }
    let numbers = format!(
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {size})"
    );
    sql.push_str(&format!(
        "{numbers} INSERT INTO knowledge_patterns
             (exact, workspace, scope, shape, class, error_type, error, hits, first_seen, last_seen)
         SELECT {EXACT}, {WORKSPACE}, 'private', {SHAPE}, {CLASS}, 'type', 'mismatched types', 1, i, i
           FROM n;
         {numbers} INSERT INTO knowledge_fixes
             (exact, workspace, fix, scope, shape, class, kind, description, body, source, made_by,
              origin, successes, failures, demoted, disabled, works, first_seen, last_seen)
         SELECT {EXACT}, {WORKSPACE}, printf('f%031x', i), 'private', {SHAPE}, {CLASS}, 'patch',
                'puts a call around a value', '{{\"hunks\":[[\"let x = y;\",\"let x = f(y);\"]]}}',
                'model', 'some-model', 'job', 1, 0, 0, 0, i % 7 <> 0, i, i FROM n;"
    ));
    for index in &indexes {
        sql.push_str(&format!("{};", index.get::<String, _>(1)));
    }
    sql.push_str("COMMIT;");
    sqlx::raw_sql(&sql).execute(&mut connection).await.expect("filled");
}

async fn lookups(path: PathBuf, size: i64) -> Vec<Duration> {
    let store = open(path).await;
    let mut times = Vec::new();
    for round in 0..LOOKUPS + 500 {
        // Any of them, in no order.
        let number = (round * 48_271) % size;
        let spread = |number: i64| (number * 2_654_435_761) & 4_294_967_295;
        let known = |yes: bool, text: String| if yes { text } else { format!("x{text}") };
        let kind = round % 4;
        let key = PatternKey {
            exact: known(kind == 0, format!("e{:015x}", spread(number))),
            shape: known(kind <= 1, format!("s{:015x}", spread(number / 4))),
            class: known(kind <= 2, format!("c{:015x}", number % 300)),
        };
        let workspace = format!("/home/user/project-{}", round % 50);
        let started = Instant::now();
        let known = store.known_fixes(&key, &workspace, 5).await.expect("found");
        let took = started.elapsed();
        assert_eq!(known.tried_before(), kind < 3, "{key:?}");
        // The first ones open connections and read the file.
        if round >= 500 {
            times.push(took);
        }
    }
    store.close().await;
    times
}

fn micros(time: Duration) -> String {
    format!("{:.1} us", time.as_secs_f64() * 1e6)
}
