//! What holds for every table, in every database: it is there, what is written is read, and no secret
//! is in it.

use super::{TABLES, Table};
use crate::sql::query;
use crate::testing::{SECRET, options};
use crate::{Store, migrations};

async fn conforms(store: &Store, table: &Table) {
    (table.conforms)(store, &format!("a text with {SECRET} in it")).await;
    for name in table.names {
        let rows: i64 = query(&format!("SELECT count(*) FROM {name}"))
            .fetch_value(store.readers())
            .await
            .expect("counted");
        assert!(rows > 0, "nothing was written to {name}");
        assert_eq!(leaks(store, name).await, [""; 0], "{name} holds a secret");
    }
    assert_eq!(store.check_integrity().await.expect("checked"), [""; 0]);
}

/// Returns the columns that hold the secret.
async fn leaks(store: &Store, table: &str) -> Vec<String> {
    let postgres = store.readers().is_postgres();
    let columns = if postgres {
        "SELECT CAST(column_name AS TEXT) FROM information_schema.columns
          WHERE table_schema = current_schema() AND table_name = $1"
    } else {
        "SELECT name FROM pragma_table_info($1)"
    };
    let columns: Vec<String> =
        query(columns).bind(table).fetch_values(store.readers()).await.expect("columns");
    assert!(!columns.is_empty(), "there is no table {table}");
    // Postgres shows bytes as hexadecimal digits.
    let hex: String = SECRET.bytes().map(|byte| format!("{byte:02x}")).collect();
    let mut found = Vec::new();
    for column in columns {
        let holds = if postgres {
            format!(
                "position($1 IN CAST({column} AS TEXT)) > 0
                 OR position($2 IN CAST({column} AS TEXT)) > 0"
            )
        } else {
            format!("instr(CAST({column} AS TEXT), $1) > 0 OR instr({column}, $2) > 0")
        };
        let rows: i64 = query(&format!("SELECT count(*) FROM {table} WHERE {holds}"))
            .bind(SECRET)
            .bind(&hex)
            .fetch_value(store.readers())
            .await
            .expect("searched");
        if rows > 0 {
            found.push(column);
        }
    }
    found
}

#[tokio::test]
async fn every_table_conforms_in_memory() {
    for table in TABLES {
        conforms(&Store::memory(options()).await.expect("opened"), table).await;
    }
}

#[tokio::test]
async fn every_table_conforms_in_a_file() {
    for table in TABLES {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("salve.db");
        let store = Store::open(&path, options()).await.expect("opened");
        conforms(&store, table).await;
        store.close().await;
        Store::open(&path, options()).await.expect("opened again").close().await;
    }
}

#[cfg(feature = "fleet")]
#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "tests are told by the environment")]
async fn every_table_conforms_on_postgres() {
    let Ok(server) = std::env::var("SALVE_TEST_POSTGRES") else {
        eprintln!("skipped: SALVE_TEST_POSTGRES names no server");
        return;
    };
    for table in TABLES {
        let schema = format!("test_{}", uuid::Uuid::new_v4().simple());
        let server = crate::PostgresOptions::new(&*server).schema(schema);
        conforms(&Store::postgres(&server, options()).await.expect("opened"), table).await;
    }
}

#[tokio::test]
async fn every_table_of_the_database_is_declared() {
    let store = Store::memory(options()).await.expect("opened");
    let made: Vec<String> =
        query("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
            .fetch_values(store.readers())
            .await
            .expect("listed");
    let mut declared: Vec<&str> = TABLES.iter().flat_map(|table| table.names).copied().collect();
    // That one says which steps were made.
    declared.push("salve_schema");
    declared.sort_unstable();
    assert_eq!(made, declared);
    assert!(migrations::newest() > 0);
}
