//! The same store on a Postgres server, for many machines.
//!
//! In: the address of a database, a password if the address has none. Out: a store like any other.
//! Never guided by the environment: what the address does not say has a fixed default, apart from
//! certificates and extra options, which the driver itself takes from `PGSSL…` and `PGOPTIONS`.

use crate::migrations;
use crate::sql::{Connection, Link, Pool};
use crate::{DatabaseError, Store, StoreError, StoreOptions};
use sqlx::ConnectOptions;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions, PgSslMode};
use std::fmt;
use std::time::Duration;

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

    /// Returns the address without its password.
    pub fn shown(&self) -> String {
        match self.url.split_once("://") {
            Some((scheme, rest)) => match rest.rsplit_once('@') {
                Some((user, rest)) => {
                    let user = user.split_once(':').map_or(user, |(user, _)| user);
                    format!("{scheme}://{user}@{}", without_query(rest))
                }
                None => format!("{scheme}://{}", without_query(rest)),
            },
            None => without_query(&self.url).to_owned(),
        }
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
        let address = Address::parse(&self.url).map_err(wrong)?;
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
    fn parse(url: &str) -> Result<Self, &'static str> {
        let rest = url
            .strip_prefix("postgres://")
            .or_else(|| url.strip_prefix("postgresql://"))
            .ok_or("it does not begin with postgres://")?;
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (place, database) = rest.split_once('/').unwrap_or((rest, ""));
        let (login, place) = place.rsplit_once('@').unwrap_or(("", place));
        let (user, password) = match login.split_once(':') {
            Some((user, password)) => (user, Some(decoded(password)?)),
            None => (login, None),
        };
        // A host of numbers and colons is in brackets.
        let (host, port) = match place.rsplit_once(':') {
            Some((host, port)) if !port.contains(']') => (host, port),
            _ => (place, ""),
        };
        let host = decoded(host.trim_start_matches('[').trim_end_matches(']'))?;
        let port = if port.is_empty() { Ok(5432) } else { port.parse() };
        let mut address = Self {
            user: or(decoded(user)?, "postgres"),
            password,
            host: or(host, "localhost"),
            port: port.map_err(|_| "its port is not a number")?,
            database: decoded(database)?,
            settings: Vec::new(),
        };
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (name, value) = (decoded(name)?, decoded(value)?);
            match name.as_str() {
                "host" => address.host = value,
                "port" => address.port = value.parse().map_err(|_| "its port is not a number")?,
                "user" => address.user = value,
                "password" => address.password = Some(value),
                "dbname" => address.database = value,
                _ => address.settings.push((name, value)),
            }
        }
        address.database = or(address.database, &address.user);
        Ok(address)
    }
}

fn or(text: String, otherwise: &str) -> String {
    if text.is_empty() { otherwise.to_owned() } else { text }
}

fn without_query(text: &str) -> &str {
    text.split_once('?').map_or(text, |(before, _)| before)
}

fn decoded(text: &str) -> Result<String, &'static str> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || {
            let digit = rest.next().map(char::from).and_then(|digit| digit.to_digit(16));
            digit
                .and_then(|digit| u8::try_from(digit).ok())
                .ok_or("a `%` in it is not followed by two digits")
        };
        let (high, low) = (digit()?, digit()?);
        bytes.push(high << 4 | low);
    }
    String::from_utf8(bytes).map_err(|_| "it is not text once its `%` are resolved")
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
        let socket = Address::parse("postgres://me@/x?host=/run/pg&port=1").expect("parsed");
        assert_eq!((socket.host.as_str(), socket.port), ("/run/pg", 1));
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
            "postgres://%",
            "postgres://%ff/",
        ] {
            assert!(Address::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_password_is_never_shown() {
        for url in [
            "postgres://me:s3cret@host:1/db?password=s3cret",
            "postgres://me:s3c@s3cret@host/db",
            "s3cret",
        ] {
            let options = PostgresOptions::new(url).password("s3cret");
            let wrong = PostgresOptions::new(url).schema("Not so").connect_options();
            let shown =
                format!("{options:?} {:?} {}", wrong, wrong.as_ref().expect_err("a schema"));
            assert!(!shown.contains("s3cret") || url == "s3cret", "{shown}");
        }
        let unknown = PostgresOptions::new("postgres://h/d?what=1").connect_options();
        assert!(unknown.expect_err("unknown").to_string().contains("`what` cannot be set"));
    }
}
