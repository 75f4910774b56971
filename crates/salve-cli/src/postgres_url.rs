//! The address of a fleet's database: what is taken from it, and what is demanded of it.
//!
//! In: a URL, and a password from elsewhere. Out: the URL with the password, and with a certificate
//! demanded wherever the words would leave this machine. Never sends a password or a text in the clear
//! to another machine unless the URL says so itself.

use crate::failure::Failure;
use std::net::IpAddr;
use url::Url;

/// Completes a URL. A password may be in the URL itself only where no other user can read it: not on
/// a command line.
pub(crate) fn complete(
    url: &str,
    password: Option<&str>,
    on_command_line: bool,
) -> Result<String, Failure> {
    let mut url = parsed(url)?;
    let has_own = url.password().is_some() || parameter(&url, "password").is_some();
    if has_own && on_command_line {
        return Err(Failure::new(
            "a password on the command line can be read by every user of this machine",
        )
        .hint("Leave it out of the URL, and set SALVE_JOBS_PASSWORD or --jobs-password-file."));
    }
    // Without a host before the path there is no room for a password there.
    if let Some(password) = password
        && url.set_password(Some(password)).is_err()
    {
        url.query_pairs_mut().append_pair("password", password);
    }
    let says_mode = parameter(&url, "sslmode").is_some_and(|mode| !mode.is_empty());
    if !says_mode && !is_this_machine(&url) {
        url.query_pairs_mut().append_pair("sslmode", "verify-full");
    }
    Ok(url.into())
}

/// Returns the address without its password, to show.
pub(crate) fn shown(url: &str) -> String {
    let Ok(url) = parsed(url) else { return "?".to_owned() };
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}{port}{}", url.host_str().unwrap_or_default(), url.path())
}

fn parsed(url: &str) -> Result<Url, Failure> {
    let rest = url.strip_prefix("postgres://").or_else(|| url.strip_prefix("postgresql://"));
    let url = rest.and_then(|rest| Url::parse(&format!("postgres://{rest}")).ok());
    // The text may hold a password: it is not repeated.
    let url = url.ok_or_else(|| {
        Failure::new("this is not the address of a database that jobs can be in")
            .hint("It looks like postgres://USER@HOST/DATABASE.")
            .hint("Without --jobs, jobs are in files in your data folder.")
    })?;
    if url.path().len() < 2 {
        return Err(Failure::new("the address of the jobs names no database")
            .hint("It looks like postgres://USER@HOST/DATABASE."));
    }
    Ok(url)
}

fn parameter(url: &Url, name: &str) -> Option<String> {
    url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
}

// A host in the query wins over the one before the path, as it does for libpq.
fn is_this_machine(url: &Url) -> bool {
    let named = parameter(url, "hostaddr").or_else(|| parameter(url, "host"));
    let host = named.unwrap_or_else(|| {
        url.host_str().unwrap_or_default().replace("%2F", "/").replace("%2f", "/")
    });
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host.starts_with('/')
        || bare == "localhost"
        || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
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

    #[test]
    fn hosts_and_passwords_in_odd_places_are_seen() {
        let made = |url: &str| complete(url, None, false).unwrap();
        for (url, is_local) in [
            ("postgres://u@%2Frun%2Fpg/j", true),
            ("postgres://u@127.0.0.1@db.example/j", false),
            ("postgres://u@db.example/j?host=127.0.0.1", true),
            ("postgres://u@127.0.0.1/j?hostaddr=10.0.0.7", false),
            ("postgres://u@db/j?sslmode=", false),
            ("postgres://u@db/j?x=sslmode=disable", false),
            ("postgres://u@db/j#sslmode=disable", false),
            ("postgres://u@127.0.0.1.evil.example/j", false),
        ] {
            let demanded = made(url).contains("sslmode=verify-full");
            assert_eq!(demanded, !is_local, "{url}: {}", made(url));
        }
        let socket = complete("postgres:///jobs?host=/run/pg", Some("a b&c"), true).unwrap();
        assert_eq!(socket, "postgres:///jobs?host=/run/pg&password=a+b%26c");
        let refused = complete("postgres://u@h/j?password=hunter2", None, true).unwrap_err();
        assert!(!refused.render().contains("hunter2"), "{}", refused.render());
        for bad in ["postgres://u@h:port/j", "postgres://u@h:99999/j", "postgres://[::1/j"] {
            assert!(complete(bad, None, true).is_err(), "{bad}");
        }
    }
}
