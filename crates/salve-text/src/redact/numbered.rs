//! Tokens that begin with a number in base64: Discord's bots and Atlassian's servers.
//!
//! In: a place where such a number may begin. Out: the token. Never asks for more than its three
//! parts, or its one length.

use super::shape::{Class, Fit, Part, at_least, exactly, fit};
use super::values;
use super::view::View;

// Three digits in base64 are four characters, each from a few: `MTIz`, `Nzg5`.
const FIRST: &[u8] = b"MNO";
const SECOND: &[u8] = b"ADQTgjwz";
const THIRD: &[u8] = b"AEIMQUYcgk";
const FOURTH: Class = Class::of(b"012345wxyz");

const DISCORD: &[Part] = &[
    Part::Run(Class::TOKEN, 20, 26),
    Part::Text("."),
    exactly(Class::TOKEN, 6),
    Part::Text("."),
    at_least(Class::TOKEN, 27),
];
const ATLASSIAN: &[Part] = &[exactly(Class::TOKEN, 40)];

/// Returns the beginnings to look for.
pub(super) fn leads() -> impl Iterator<Item = String> {
    FIRST.iter().flat_map(|first| {
        SECOND.iter().flat_map(move |second| {
            THIRD
                .iter()
                .map(move |third| [*first, *second, *third].map(char::from).iter().collect())
        })
    })
}

/// Reads the token that begins at `at`.
pub(super) fn read(view: &View<'_>, at: usize) -> Option<(Fit, &'static str)> {
    let alone = view.token_may_start(at)
        && (!Class::BASE64.with(b"_-").has(view.before(at, 1)) || view.follows_escape(at));
    if !alone || !view.byte(at + 3).is_some_and(|byte| FOURTH.has(byte)) {
        return None;
    }
    let body = at + 4;
    let (found, kind) = match fit(view, body, DISCORD) {
        Some(found) => (found, "discord-token"),
        None => (fit(view, body, ATLASSIAN)?, "atlassian-token"),
    };
    values::is_random_token(view.slice(at, found.end)).then_some((found, kind))
}
