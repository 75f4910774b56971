//! The same store on a Postgres server, for many machines.
//!
//! In: the address of a database, a password if the address has none. Out: a store like any other.
//! Never guided by the environment: what the address does not say has a fixed default, apart from
//! certificates and extra options, which the driver itself takes from `PGSSL…` and `PGOPTIONS`.

use crate::migrations;
use crate::sql::{Connection, Link, Pool};
use crate::{DatabaseError, Store, StoreError, StoreOptions};
use percent_encoding::percent_decode_str;
use sqlx::ConnectOptions;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions, PgSslMode};
use std::borrow::Cow;
use std::fmt;
use std::time::Duration;
use url::Url;

/// The port of a server whose address names none.
const PORT: u16 = 5432;

/// Connections that only read.
const READERS: u32 = 4;
/// How long a reader waits for a connection.
const PATIENCE: Duration = Duration::from_secs(5);

/// What the server is asked to see to. A client that is cut off while it holds the ledger would keep
/// everybody from writing until the network notices, which takes hours.
const SESSION: &[(&str, &str)] = &[
    ("idle_in_transaction_session_timeout", "5s"),
    ("lock_timeout", "10s"),
    ("statement_timeout", "14s"),
    ("tcp_keepalives_idle", "5"),
    ("tcp_keepalives_interval", "2"),
    ("tcp_keepalives_count", "3"),
    ("tcp_user_timeout", "10000"),
];
/// While tables are made others wait for longer, and so may the server.
const MIGRATING: &[(&str, &str)] = &[("lock_timeout", "60s")];

/// Where a Postgres database is.
#[derive(Clone)]
pub struct PostgresOptions {
    url: String,
    password: Option<String>,
    schema: String,
}

impl PostgresOptions {
    /// Takes an address such as `postgres://user@host:5432/database?sslmode=require`.
    pub fn new(url: impl Into<String>) -> Self {
        Self { url: url.into(), password: None, schema: "salve".to_owned() }
    }

    /// Sets the password. It counts more than one in the address.
    #[must_use]
    pub fn password(mut self, password: impl Into<String>) -> Self {
        self.password = Some(password.into());
        self
    }

    /// Sets the schema the tables are in; without it, `salve`.
    #[must_use]
    pub fn schema(mut self, schema: impl Into<String>) -> Self {
        self.schema = schema.into();
        self
    }

    /// Returns the schema the tables are in.
    pub fn schema_name(&self) -> &str {
        &self.schema
    }

    /// Returns the address without its password and its settings. One that cannot be read is not
    /// repeated, since no part of it is known not to be a password.
    pub fn shown(&self) -> String {
        let Ok(mut url) = parsed(&self.url) else { return "postgres://…".to_owned() };
        // An address without a host has no room for a password either.
        let _ = url.set_password(None);
        url.set_query(None);
        url.set_fragment(None);
        url.into()
    }

    pub(crate) fn connect_options(&self) -> Result<PgConnectOptions, StoreError> {
        let wrong = |problem: &str| StoreError::Address {
            given: self.shown(),
            problem: problem.to_owned(),
        };
        let word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if self.schema.is_empty() || !self.schema.chars().all(word) {
            return Err(wrong("a schema is named with small letters, digits and `_`"));
        }
        let address = Address::parse(&self.url).map_err(|problem| wrong(&problem))?;
        let password = self.password.as_deref().or(address.password.as_deref());
        // Everything is set, since what is not set comes from the environment.
        let mut options = PgConnectOptions::new_without_pgpass()
            .port(address.port)
            .username(&address.user)
            .password(password.unwrap_or_default())
            .database(&address.database)
            .ssl_mode(PgSslMode::Prefer)
            .application_name("salve");
        options = if address.host.starts_with('/') {
            options.socket(&address.host)
        } else {
            options.host(&address.host)
        };
        for (name, value) in &address.settings {
            options = match name.as_str() {
                "sslmode" => {
                    options.ssl_mode(value.parse().map_err(|_| wrong("its sslmode is not known"))?)
                }
                "sslrootcert" => options.ssl_root_cert(value),
                "sslcert" => options.ssl_client_cert(value),
                "sslkey" => options.ssl_client_key(value),
                "application_name" => options.application_name(value),
                other => return Err(wrong(&format!("`{other}` cannot be set in it"))),
            };
        }
        Ok(options.options([("search_path", &self.schema)]).disable_statement_logging())
    }
}

impl From<&str> for PostgresOptions {
    fn from(url: &str) -> Self {
        Self::new(url)
    }
}

impl From<&Self> for PostgresOptions {
    fn from(server: &Self) -> Self {
        server.clone()
    }
}

impl fmt::Debug for PostgresOptions {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("PostgresOptions")
            .field("url", &self.shown())
            .field("schema", &self.schema)
            .finish_non_exhaustive()
    }
}

impl Store {
    /// Opens the tables in a Postgres database, makes them if there are none, and brings them to the
    /// newest version. Any number of processes on any number of machines may have them open.
    ///
    /// # Errors
    /// When the address cannot be understood, the server cannot be reached, or the tables were made
    /// by a newer Salve.
    pub async fn postgres(
        server: impl Into<PostgresOptions> + Send,
        options: StoreOptions,
    ) -> Result<Self, StoreError> {
        let server = server.into();
        let settings = server.connect_options()?;
        let place = server.shown();
        let unreachable = |error: sqlx::Error| StoreError::Unreachable {
            place: place.clone(),
            source: DatabaseError::from(error),
        };
        let migrating = settings.clone().options(MIGRATING.iter().copied());
        let mut connection = migrating.connect().await.map_err(&unreachable)?;
        let now = options.clock.now();
        let newest = migrations::newest();
        migrations::migrate_postgres(&mut connection, &server.schema, &place, now, newest).await?;
        drop(connection);
        let settings = settings.options(SESSION.iter().copied());
        let writer = Connection::Postgres(Box::new(Link::new(settings.clone())));
        let readers = PgPoolOptions::new()
            .max_connections(READERS)
            .acquire_timeout(PATIENCE)
            .connect_lazy_with(settings);
        Self::start(writer, Pool::Postgres(readers), options).await.map_err(unreachable)
    }
}

/// The parts of an address.
#[derive(Debug, PartialEq, Eq)]
struct Address {
    user: String,
    password: Option<String>,
    host: String,
    port: u16,
    database: String,
    settings: Vec<(String, String)>,
}

impl Address {
    fn parse(url: &str) -> Result<Self, String> {
        let url = parsed(url)?;
        let host = url.host_str().unwrap_or_default();
        let host = decoded(host.trim_start_matches('[').trim_end_matches(']'))?;
        let mut address = Self {
            user: or(decoded(url.username())?, "postgres"),
            password: url.password().map(decoded).transpose()?,
            host: or(host, "localhost"),
            port: url.port().unwrap_or(PORT),
            database: decoded(url.path().trim_start_matches('/'))?,
            settings: Vec::new(),
        };
        for (name, value) in url.query_pairs() {
            let value = value.into_owned();
            match &*name {
                "host" => address.host = value,
                "port" => address.port = value.parse().map_err(|_| "its port is not a number")?,
                "user" => address.user = value,
                "password" => address.password = Some(value),
                "dbname" => address.database = value,
                _ => address.settings.push((name.into_owned(), value)),
            }
        }
        address.database = or(address.database, &address.user);
        Ok(address)
    }
}

fn parsed(url: &str) -> Result<Url, String> {
    if !(url.starts_with("postgres://") || url.starts_with("postgresql://")) {
        return Err("it does not begin with postgres://".to_owned());
    }
    Url::parse(url).map_err(|error| error.to_string())
}

fn or(text: String, otherwise: &str) -> String {
    if text.is_empty() { otherwise.to_owned() } else { text }
}

fn decoded(text: &str) -> Result<String, String> {
    let text = percent_decode_str(text).decode_utf8();
    text.map(Cow::into_owned).map_err(|_| "it is not text once its `%` are resolved".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_taken_apart() {
        let whole = Address::parse(
            "postgresql://me%40x:p%3Aw@[::1]:5433/db?sslmode=verify-full&application_name=a",
        );
        assert_eq!(
            whole,
            Ok(Address {
                user: "me@x".to_owned(),
                password: Some("p:w".to_owned()),
                host: "::1".to_owned(),
                port: 5433,
                database: "db".to_owned(),
                settings: vec![
                    ("sslmode".to_owned(), "verify-full".to_owned()),
                    ("application_name".to_owned(), "a".to_owned())
                ],
            })
        );
        let socket = Address::parse("postgres://me@%2Frun%2Fpg/x").expect("parsed");
        assert_eq!((socket.host.as_str(), socket.database.as_str()), ("/run/pg", "x"));
        let socket = Address::parse("postgres:///x?host=/run/pg&port=1&user=me").expect("parsed");
        assert_eq!((&*socket.host, socket.port, &*socket.user), ("/run/pg", 1, "me"));
        let least = Address::parse("postgres://").expect("parsed");
        assert_eq!(
            (&*least.user, &*least.host, &*least.database),
            ("postgres", "localhost", "postgres")
        );
        for wrong in [
            "",
            "mysql://x",
            "postgres://h:x/",
            "postgres://h:99999/",
            "postgres://me@/x",
            "postgres://h/x?port=y",
            "postgres://%ff/",
        ] {
            assert!(Address::parse(wrong).is_err(), "{wrong}");
        }
    }

    // The command line writes addresses, and the engine's own driver reads them, by the same rule: a `+`
    // is a space after the `?`, and itself before it.
    #[test]
    fn a_plus_is_a_space_only_among_the_settings() {
        let password = |url: &str| Address::parse(url).expect("parsed").password;
        for (url, expected) in [
            ("postgres:///jobs?host=/run/pg&password=a+b%26c", "a b&c"),
            ("postgres:///jobs?host=/run/pg&password=a%2Bb", "a+b"),
            ("postgres://me:a+b@h/jobs", "a+b"),
            ("postgres://me:a%20b@h/jobs", "a b"),
        ] {
            assert_eq!(password(url).as_deref(), Some(expected), "{url}");
        }
    }

    #[test]
    fn a_password_is_never_shown() {
        for url in [
            "postgres://me:s3cret@host:1/db?password=s3cret",
            "postgres://me:s3c@s3cret@host/db",
            "postgres://me:s3cret@host:port/db",
            "s3cret",
        ] {
            let options = PostgresOptions::new(url).password("s3cret");
            let wrong = PostgresOptions::new(url).schema("Not so").connect_options();
            let shown =
                format!("{options:?} {:?} {}", wrong, wrong.as_ref().expect_err("a schema"));
            assert!(!shown.contains("s3cret"), "{shown}");
        }
        let shown = PostgresOptions::new("postgres://me:s3cret@host:1/db?sslmode=require").shown();
        assert_eq!(shown, "postgres://me@host:1/db");
        let unknown = PostgresOptions::new("postgres://h/d?what=1").connect_options();
        assert!(unknown.expect_err("unknown").to_string().contains("`what` cannot be set"));
    }
}
