//! Credentials in HTTP headers and in addresses.
//!
//! In: a place where `authorization`, `bearer` or `://` was seen. Out: the span of the credential or
//! of the password alone. Never touches the scheme, the user name or the host.

use super::assignment::Assigned;
use super::shape::{Class, Fit};
use super::values::{self, JUDGED};
use super::view::View;

// How long the name of a scheme may be: `Bearer`, `SSWS`, `Zoho-oauthtoken`.
const LONGEST_SCHEME: usize = 20;

/// Reads the credential after the name `authorization`, which ends at `at`.
pub(super) fn authorization(view: &View<'_>, at: usize) -> Option<Assigned> {
    let colon = blanks(view, at);
    if !matches!(view.byte(colon)?, b':' | b'=' | b',' | b'>') {
        return None;
    }
    let start = blanks(view, colon + 1);
    let scheme = run(view, start, SCHEME, LONGEST_SCHEME);
    if scheme > start && matches!(view.byte(scheme), Some(b' ' | b'\t')) {
        let found = credential(view, blanks(view, scheme), 8)?;
        // What looks drawn at random is no name of a scheme, but the first part of the credential.
        let is_part = values::is_strong(view.slice(start, scheme));
        Some(if is_part { Assigned { start, ..found } } else { found })
    } else {
        credential(view, start, 20)
    }
}

/// Reads the cookies after the name `cookie`, which ends at `at`: all of the line, when one of the
/// first holds a credential.
pub(super) fn cookies(view: &View<'_>, at: usize) -> Option<Assigned> {
    let colon = blanks(view, at);
    if view.byte(colon)? != b':' {
        return None;
    }
    let start = blanks(view, colon + 1);
    let end = run(view, start, COOKIES, JUDGED);
    let value = view.slice(start, end);
    let holds = value.split(|byte| *byte == b';').any(|cookie| {
        let mut parts = cookie.splitn(2, |byte| *byte == b'=');
        parts.next();
        parts.next().is_some_and(|value| value.len() >= 8 && values::is_credential(value))
    });
    let open = (end - start == JUDGED).then_some(COOKIES);
    holds.then_some(Assigned { start, fit: Fit { end, open } })
}

/// Reads the password of `-u name:password`; the option and its blank end at `at`.
pub(super) fn user_option(view: &View<'_>, at: usize) -> Option<Assigned> {
    let user = run(view, blanks(view, at), USER, JUDGED);
    if view.byte(user) != Some(b':') {
        return None;
    }
    let start = user + 1;
    let end = run(view, start, PASSWORD, JUDGED);
    let value = view.slice(start, end);
    let known = values::is_password(value) || values::is_random_value(value);
    known.then_some(Assigned { start, fit: Fit { end, open: None } })
}

/// Reads a phrase of twelve words or more after its name, which ends at `at`.
pub(super) fn phrase(view: &View<'_>, at: usize) -> Option<Assigned> {
    let sign = blanks(view, at);
    if !matches!(view.byte(sign)?, b':' | b'=') {
        return None;
    }
    let start = blanks(view, sign + 1);
    let (mut end, mut words) = (start, 0);
    while words < 24 {
        let word = run(view, end, LETTERS, 9);
        if !(3..=8).contains(&(word - end)) {
            break;
        }
        words += 1;
        end = word;
        if view.byte(word) != Some(b' ') {
            break;
        }
        end += 1;
    }
    let end = if view.before(end, 1) == b' ' { end - 1 } else { end };
    (words >= 12).then_some(Assigned { start, fit: Fit { end, open: None } })
}

const SCHEME: Class = Class::ALNUM.with(b"-");
const USER: Class = Class::TOKEN.with(b".@%+");
const LETTERS: Class = Class::of(b"abcdefghijklmnopqrstuvwxyz");
const COOKIES: Class = Class::CREDENTIAL.with(b";, !@#$&*()|{}");

/// Reads the credential after the name of a scheme, which ends at `at`.
pub(super) fn scheme(view: &View<'_>, at: usize) -> Option<Assigned> {
    if !matches!(view.byte(at)?, b' ' | b'\t') {
        return None;
    }
    credential(view, blanks(view, at), 16)
}

/// Reads the password of an address after `://`, which ends at `at`.
pub(super) fn address(view: &View<'_>, at: usize) -> Option<Assigned> {
    let user_end = run(view, at, PASSWORD, JUDGED);
    if view.byte(user_end) != Some(b':') {
        return None;
    }
    let mut start = user_end + 1;
    let mut end = run(view, start, PASSWORD, JUDGED);
    // Some write a realm before the password; it is hidden with it.
    for _ in 0..2 {
        if view.byte(end) != Some(b':') {
            break;
        }
        end = run(view, end + 1, PASSWORD, JUDGED);
    }
    if view.byte(end) != Some(b'@') {
        return None;
    }
    // A template's hole is no password.
    if matches!(view.byte(start), Some(b'$' | b'%')) && view.slice(start, end).len() < 8 {
        start = end;
    }
    let host = view.byte(end + 1)?;
    let value = view.slice(start, end);
    let secret = (host.is_ascii_alphanumeric() || matches!(host, b'[' | b'$' | b'_' | b'-' | b'%'))
        && value.len() >= 4
        && is_address_password(value);
    secret.then_some(Assigned { start, fit: Fit { end, open: None } })
}

// People write `user:pass@host` when they explain addresses.
fn is_address_password(value: &[u8]) -> bool {
    const SHOWN: &[&str] = &[
        "pass", "password", "passwd", "pwd", "secret", "token", "user", "pw", "key", "auth", "test",
    ];
    let plain = SHOWN.iter().any(|word| value.eq_ignore_ascii_case(word.as_bytes()));
    let varied = value.iter().any(|byte| !byte.is_ascii_lowercase()) || value.len() >= 12;
    !plain && varied && values::may_be_password(value)
}

fn credential(view: &View<'_>, start: usize, least: usize) -> Option<Assigned> {
    let end = run(view, start, Class::CREDENTIAL, JUDGED);
    let code = matches!(view.byte(end), Some(b'(' | b'[' | b'{' | b'<' | b'$'));
    let value = view.slice(start, end);
    let open = (value.len() == JUDGED).then_some(Class::CREDENTIAL);
    (!code && value.len() >= least && values::is_credential(value))
        .then_some(Assigned { start, fit: Fit { end, open } })
}

/// What an address may have before its host, but for the colon.
const PASSWORD: Class = Class::TOKEN.with(b".~%+!$&*=,;#?()");

fn run(view: &View<'_>, at: usize, class: Class, most: usize) -> usize {
    let mut end = at;
    while end - at < most && view.byte(end).is_some_and(|byte| class.has(byte)) {
        end += 1;
    }
    end
}

// Blanks and quotation marks, with the backslashes before them.
fn blanks(view: &View<'_>, at: usize) -> usize {
    let mut end = at;
    while end - at < 16 {
        match view.byte(end) {
            Some(b' ' | b'\t' | b'"' | b'\'') => end += 1,
            Some(b'\\') if matches!(view.byte(end + 1), Some(b'"' | b'\'')) => end += 2,
            _ => break,
        }
    }
    end
}
