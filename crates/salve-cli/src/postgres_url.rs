//! The address of a fleet's database: what is taken from it, and what is demanded of it.
//!
//! In: a URL, and a password from elsewhere. Out: the URL with the password, and with a certificate
//! demanded wherever the words would leave this machine. Never sends a password or a text in the clear
//! to another machine unless the URL says so itself.

use crate::failure::Failure;
use std::net::IpAddr;

/// Completes a URL. A password may be in the URL itself only where nobody else can read it: not on a
/// command line.
pub(crate) fn complete(
    url: &str,
    password: Option<&str>,
    on_command_line: bool,
) -> Result<String, Failure> {
    let parts = Parts::of(url)?;
    let (user, own) = match parts.user.split_once(':') {
        Some((user, own)) => (user, Some(own)),
        None => (parts.user, None),
    };
    if own.is_some() && on_command_line {
        return Err(Failure::new(
            "a password on the command line can be read by everybody on this machine",
        )
        .hint("Leave it out of the URL, and set SALVE_JOBS_PASSWORD or --jobs-password-file."));
    }
    let password = password.map(encoded).or_else(|| own.map(str::to_owned));
    let mut made = format!("postgres://{user}");
    if let Some(password) = password {
        made.push_str(&format!(":{password}"));
    }
    if !user.is_empty() {
        made.push('@');
    }
    made.push_str(parts.host);
    made.push_str(parts.path);
    let mut query = parts.query.to_owned();
    if !parts.said("sslmode") && !parts.is_this_machine() {
        query.push_str(if query.is_empty() { "" } else { "&" });
        query.push_str("sslmode=verify-full");
    }
    if !query.is_empty() {
        made.push_str(&format!("?{query}"));
    }
    Ok(made)
}

/// Returns the address without its password, to show.
pub(crate) fn shown(url: &str) -> String {
    match Parts::of(url) {
        Ok(parts) => format!("{}{}", parts.host, parts.path),
        Err(_) => "?".to_owned(),
    }
}

struct Parts<'a> {
    user: &'a str,
    host: &'a str,
    path: &'a str,
    query: &'a str,
}

impl<'a> Parts<'a> {
    fn of(url: &'a str) -> Result<Self, Failure> {
        let rest = url.strip_prefix("postgres://").or_else(|| url.strip_prefix("postgresql://"));
        // The text may hold a password: it is not repeated.
        let rest = rest.ok_or_else(|| {
            Failure::new("this is not the address of a database that jobs can be in")
                .hint("It looks like postgres://USER@HOST/DATABASE.")
                .hint("Without --jobs, jobs are in files in your data folder.")
        })?;
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
        let parts = Self { user, host, path, query };
        if parts.path.len() < 2 {
            return Err(Failure::new("the address of the jobs names no database")
                .hint("It looks like postgres://USER@HOST/DATABASE."));
        }
        Ok(parts)
    }

    fn parameter(&self, name: &str) -> Option<&'a str> {
        let mut pairs = self.query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.find(|(key, _)| *key == name).map(|(_, value)| value)
    }

    fn said(&self, name: &str) -> bool {
        self.parameter(name).is_some_and(|value| !value.is_empty())
    }

    // A host in the query wins over the one before the path, as it does for libpq.
    fn is_this_machine(&self) -> bool {
        let named = self.parameter("hostaddr").or_else(|| self.parameter("host"));
        let host = named.unwrap_or_else(|| without_port(self.host));
        let host = host.replace("%2F", "/").replace("%2f", "/");
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        host.starts_with('/')
            || bare == "localhost"
            || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    }
}

fn without_port(host: &str) -> &str {
    if let Some(end) = host.rfind(']') {
        return &host[..=end];
    }
    host.split_once(':').map_or(host, |(host, _)| host)
}

fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let mut out = String::new();
    for byte in text.bytes() {
        if plain(byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_machine_must_show_its_certificate_unless_the_url_says_otherwise() {
        let made = |url: &str| complete(url, None, true).unwrap();
        for (url, expected) in [
            ("postgres://u@db.example/jobs", "postgres://u@db.example/jobs?sslmode=verify-full"),
            ("postgresql://u@10.0.0.7:5/x", "postgres://u@10.0.0.7:5/x?sslmode=verify-full"),
            (
                "postgres://u@db/jobs?sslrootcert=/ca.pem",
                "postgres://u@db/jobs?sslrootcert=/ca.pem&sslmode=verify-full",
            ),
            ("postgres://u@db/jobs?sslmode=disable", "postgres://u@db/jobs?sslmode=disable"),
            ("postgres://u@127.0.0.1:5432/jobs", "postgres://u@127.0.0.1:5432/jobs"),
            ("postgres://u@localhost/jobs", "postgres://u@localhost/jobs"),
            ("postgres://u@[::1]:5432/jobs", "postgres://u@[::1]:5432/jobs"),
            ("postgres:///jobs?host=/run/postgresql", "postgres:///jobs?host=/run/postgresql"),
            ("postgres:///jobs?host=%2Frun%2Fpg", "postgres:///jobs?host=%2Frun%2Fpg"),
            // What looks like this machine before the path is not, when the query names another.
            (
                "postgres://u@localhost/jobs?host=db",
                "postgres://u@localhost/jobs?host=db&sslmode=verify-full",
            ),
            (
                "postgres://u@localhost.evil.example/j",
                "postgres://u@localhost.evil.example/j?sslmode=verify-full",
            ),
        ] {
            assert_eq!(made(url), expected);
        }
    }

    #[test]
    fn a_password_is_put_in_encoded_and_never_taken_from_the_command_line() {
        let made = complete("postgres://u@127.0.0.1/j", Some("a@b/c?d:é"), true).unwrap();
        assert_eq!(made, "postgres://u:a%40b%2Fc%3Fd%3A%C3%A9@127.0.0.1/j");
        let refused = complete("postgres://u:hunter2@127.0.0.1/j", None, true).unwrap_err();
        assert!(!refused.render().contains("hunter2"), "{}", refused.render());
        let own = complete("postgres://u:hunter2@127.0.0.1/j", None, false).unwrap();
        assert_eq!(own, "postgres://u:hunter2@127.0.0.1/j");
        let other = complete("postgres://u:hunter2@127.0.0.1/j", Some("x"), false).unwrap();
        assert_eq!(other, "postgres://u:x@127.0.0.1/j");
        assert_eq!(shown(&own), "127.0.0.1/j");
    }

    #[test]
    fn what_is_no_address_is_refused_without_repeating_it() {
        for bad in ["mysql://u:secret@h/d", "jobs.db", "", "postgres://u:secret@h", "postgres://h/"]
        {
            let refused = complete(bad, None, true).unwrap_err().render();
            assert!(refused.contains("postgres://USER@HOST/DATABASE"), "{refused}");
            assert!(!refused.contains("secret"), "{refused}");
        }
    }
}
