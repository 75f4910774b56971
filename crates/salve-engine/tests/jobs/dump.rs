//! Histories of the engine as text: written once for each release, read by every later one.
//!
//! In: the engine's tables. Out: statements that fill them again. Only for the engine's own tables;
//! what the store keeps is made anew from the history.

use crate::world::{Store, World};
use std::io::Write;
use std::path::Path;

/// Writes a file of the repository.
pub(crate) fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::File::create(path).unwrap().write_all(text.as_bytes()).unwrap();
}

/// Returns the rows of the engine's tables as statements.
pub(crate) async fn rows(world: &World) -> String {
    match world.store {
        #[cfg(feature = "fleet")]
        Store::Postgres => postgres::rows(world.address.as_deref().unwrap()).await,
        _ => sqlite::rows(&world.path().join("salve.db")).await,
    }
}

/// Makes a world in which the engine's tables were filled before it was opened, or are filled now
/// where they are made by opening.
pub(crate) async fn world(store: Store, test: &str, fixture: &Path) -> World {
    let statements = std::fs::read_to_string(fixture).unwrap();
    if fixture.ends_with("history-0.1-sqlite.sql") {
        let folder = tempfile::tempdir().unwrap();
        let schema = fixture.with_file_name("jobs-0.1-schema.sql");
        let old = folder.path().join("jobs.db");
        write(&old, "");
        sqlite::load(&old, &std::fs::read_to_string(schema).unwrap()).await;
        sqlite::load(&old, &statements).await;
        let world = World::in_folder(store, test, folder).await.unwrap();
        assert!(!old.exists(), "the old file was imported, and has another name now");
        assert!(world.path().join("jobs.db.imported").exists());
        return world;
    }
    let world = World::new(store, test).await.unwrap();
    match world.store {
        #[cfg(feature = "fleet")]
        Store::Postgres => postgres::load(world.address.as_deref().unwrap(), &statements).await,
        _ => sqlite::load(&world.path().join("salve.db"), &statements).await,
    }
    world
}

mod sqlite {
    use sqlx::{Connection, Executor, Row, SqliteConnection};
    use std::path::Path;

    async fn open(path: &Path) -> SqliteConnection {
        SqliteConnection::connect(&format!("sqlite:{}", path.display())).await.unwrap()
    }

    pub(super) async fn rows(path: &Path) -> String {
        let mut database = open(path).await;
        let tables = "SELECT name FROM sqlite_master WHERE type = 'table'
                       AND name LIKE 'engine\\_%' ESCAPE '\\' ORDER BY name";
        let mut text = String::new();
        for table in database.fetch_all(tables).await.unwrap() {
            let table: String = table.get(0);
            let columns = format!("SELECT name FROM pragma_table_info('{table}')");
            let columns: Vec<String> =
                database.fetch_all(&*columns).await.unwrap().iter().map(|row| row.get(0)).collect();
            let quoted = columns.iter().map(|name| format!("quote({name})")).collect::<Vec<_>>();
            let select =
                format!("SELECT {} FROM {table} ORDER BY rowid", quoted.join(" || ', ' || "));
            for row in database.fetch_all(&*select).await.unwrap() {
                let values: String = row.get(0);
                let names = columns.join(", ");
                text += &format!("INSERT INTO {table} ({names}) VALUES ({values});\n");
            }
        }
        text
    }

    pub(super) async fn load(path: &Path, statements: &str) {
        open(path).await.execute(sqlx::raw_sql(statements)).await.unwrap();
    }
}

#[cfg(feature = "fleet")]
mod postgres {
    use salve_jobs::ENGINE_SCHEMA;
    use sqlx::{Connection, Executor, PgConnection, Row};

    pub(super) async fn rows(address: &str) -> String {
        let mut database = PgConnection::connect(address).await.unwrap();
        let tables = format!(
            "SELECT table_name::text FROM information_schema.tables
              WHERE table_schema = '{ENGINE_SCHEMA}' AND table_name NOT LIKE '\\_%'
              ORDER BY table_name"
        );
        let mut text = String::new();
        for table in database.fetch_all(&*tables).await.unwrap() {
            let table: String = table.get(0);
            let columns = format!(
                "SELECT column_name::text FROM information_schema.columns
                  WHERE table_schema = '{ENGINE_SCHEMA}' AND table_name = '{table}'
                    AND is_generated = 'NEVER' ORDER BY ordinal_position"
            );
            let columns: Vec<String> =
                database.fetch_all(&*columns).await.unwrap().iter().map(|row| row.get(0)).collect();
            let quoted =
                columns.iter().map(|name| format!("quote_nullable({name})")).collect::<Vec<_>>();
            let select = format!(
                "SELECT {} FROM {ENGINE_SCHEMA}.{table} ORDER BY 1",
                quoted.join(" || ', ' || ")
            );
            for row in database.fetch_all(&*select).await.unwrap() {
                let values: String = row.get(0);
                let names = columns.join(", ");
                text +=
                    &format!("INSERT INTO {ENGINE_SCHEMA}.{table} ({names}) VALUES ({values});\n");
            }
        }
        // Numbers that the database gives out go on after those that were put in.
        let counted = format!(
            "SELECT table_name::text, column_name::text FROM information_schema.columns
              WHERE table_schema = '{ENGINE_SCHEMA}' AND column_default LIKE 'nextval%'
              ORDER BY table_name"
        );
        for row in database.fetch_all(&*counted).await.unwrap() {
            let (table, column): (String, String) = (row.get(0), row.get(1));
            let table = format!("{ENGINE_SCHEMA}.{table}");
            text += &format!(
                "SELECT setval(pg_get_serial_sequence('{table}', '{column}'), \
                 coalesce(max({column}), 1)) FROM {table};\n"
            );
        }
        text
    }

    pub(super) async fn load(address: &str, statements: &str) {
        let mut database = PgConnection::connect(address).await.unwrap();
        database.execute(sqlx::raw_sql(statements)).await.unwrap();
    }
}
