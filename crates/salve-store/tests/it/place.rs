//! Where the store of a test is: in memory, in a file, or on a Postgres server.
//!
//! Every behaviour is tested in every place. The server is named by the variable below; without it,
//! tests on Postgres say that they are skipped.

use salve_store::{Store, StoreOptions};

/// The address of the server that tests may use. Each test has a schema of its own.
#[cfg(feature = "fleet")]
pub(crate) const SERVER: &str = "SALVE_TEST_POSTGRES";

/// Where the store of a test is.
pub(crate) enum Place {
    /// It can be opened once.
    Memory,
    File(tempfile::TempDir),
    #[cfg(feature = "fleet")]
    Postgres(salve_store::PostgresOptions),
}

impl Place {
    pub(crate) fn file() -> Self {
        Self::File(tempfile::tempdir().expect("a folder"))
    }

    /// Opens the store, as another process would.
    pub(crate) async fn open(&self, options: StoreOptions) -> Store {
        match self {
            Self::Memory => Store::memory(options).await,
            Self::File(folder) => Store::open(&folder.path().join("salve.db"), options).await,
            #[cfg(feature = "fleet")]
            Self::Postgres(server) => Store::postgres(server, options).await,
        }
        .expect("a store")
    }
}

#[cfg(feature = "fleet")]
pub(crate) use server::{connection, place, server};

#[cfg(feature = "fleet")]
mod server {
    use super::{Place, SERVER};
    use salve_store::PostgresOptions;
    use sqlx::{Connection, PgConnection};

    /// Returns the address of the server for tests.
    #[expect(clippy::disallowed_methods, reason = "tests are told by the environment")]
    #[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
    pub(crate) fn server() -> Option<String> {
        let server = std::env::var(SERVER).ok();
        if server.is_none() {
            eprintln!("skipped: {SERVER} names no server");
        }
        server
    }

    pub(crate) async fn connection() -> Option<PgConnection> {
        Some(PgConnection::connect(&server()?).await.expect("a connection"))
    }

    /// Returns a new schema on the server for tests.
    pub(crate) async fn place() -> Option<Place> {
        let mut connection = connection().await?;
        // A worker is taken for dead only if the server was there to see it.
        let up = "SELECT extract(epoch FROM clock_timestamp() - pg_postmaster_start_time()) > 21";
        while !sqlx::query_scalar::<_, bool>(up).fetch_one(&mut connection).await.expect("up") {
            tokio::time::sleep(std::time::Duration::from_millis(500)).await;
        }
        let schema = format!("test_{}", uuid::Uuid::new_v4().simple());
        Some(Place::Postgres(PostgresOptions::new(server()?).schema(schema)))
    }
}

/// Makes tests of functions that take a place: in memory, in a file, and on Postgres. Those behind
/// `shared` open the store more than once, as several processes would, and are not for memory.
macro_rules! every_store {
    ($($name:ident),* $(,)? $(; shared $($shared:ident),* $(,)?)?) => {
        mod in_memory {$(
            #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
            async fn $name() {
                super::$name(crate::place::Place::Memory).await;
            }
        )*}
        mod in_a_file {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
            async fn $name() {
                super::$name(crate::place::Place::file()).await;
            })*
            $($(#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
            async fn $shared() {
                super::$shared(crate::place::Place::file()).await;
            })*)?
        }
        #[cfg(feature = "fleet")]
        mod on_postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
            async fn $name() {
                if let Some(place) = crate::place::place().await {
                    super::$name(place).await;
                }
            })*
            $($(#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
            async fn $shared() {
                if let Some(place) = crate::place::place().await {
                    super::$shared(place).await;
                }
            })*)?
        }
    };
}
pub(crate) use every_store;
