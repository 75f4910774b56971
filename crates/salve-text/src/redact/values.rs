//! Whether a text is a secret, or only in a place where one would be.
//!
//! In: the bytes of a value. Out: yes or no. Never looks at what is around the value: names and
//! prefixes have been read by then, and only the value can tell a key from `<your-key>`.

use aho_corasick::{AhoCorasick, MatchKind};
use std::sync::LazyLock;

/// Statistics are taken over this many bytes at most, so that a longer value costs no more.
pub(super) const JUDGED: usize = 96;

/// Words that no issued token has, but every page that explains one.
const FILLERS: &[&str] = &[
    "example",
    "xxxx",
    "your",
    "changeme",
    "change_me",
    "change-me",
    "placeholder",
    "redacted",
    "****",
    "....",
    "dummy",
    "replace",
    "00000000",
    "11111111",
    "abcdefgh",
    "0123456789",
];

/// Words that name a secret instead of being one.
const NAMES: &[&str] = &[
    "password", "passwd", "secret", "token", "apikey", "api_key", "api-key", "access", "sample",
    "insert", "fixme", "foobar", "123456", "qwerty", "test", "default", "mykey", "my_key", "mock",
    "user", "admin", "none", "null", "true", "false", "key_", "_key", "-key", "auth", "hidden",
    "://", "value", "invalid", "http", "fake", "not-a-", "env.", "process.", "config", "setting",
    "private", "public", "::",
];

static IN_TOKENS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| words(FILLERS));
static IN_VALUES: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| words(&[FILLERS, NAMES].concat()));

/// Returns whether the body of a token with a known prefix may be a real one.
pub(super) fn may_be_token(body: &[u8]) -> bool {
    let body = judged(body);
    distinct(body) >= 5 && !has_word(&IN_TOKENS, body)
}

/// Returns whether the body of a token looks drawn at random rather than written by a person.
pub(super) fn is_random_token(body: &[u8]) -> bool {
    may_be_token(body) && is_random(judged(body))
}

/// Returns whether the value after a header's scheme is a credential.
pub(super) fn is_credential(value: &[u8]) -> bool {
    let value = judged(value);
    distinct(value) >= 6 && changes(value) >= 2 && !has_word(&IN_TOKENS, value) && !is_words(value)
}

/// Returns whether the password of an address is more than a filler.
pub(super) fn may_be_password(value: &[u8]) -> bool {
    distinct(value) >= 3 && !has_word(&IN_TOKENS, value)
}

/// Returns whether the value of a key or token is a secret, by the value alone.
pub(super) fn is_random_value(value: &[u8]) -> bool {
    let value = judged(value);
    is_uuid(value)
        || value.len() >= 12
        && distinct(value) >= 8
        && is_random(value)
        // Long names in mixed case change as often; they seldom have digits.
        && (value.len() >= 40 || value.iter().any(u8::is_ascii_digit))
        && !has_word(&IN_VALUES, value)
        && !is_path_or_name(value)
}

/// Returns whether the value of a password is one that someone uses.
pub(super) fn is_password(value: &[u8]) -> bool {
    let value = judged(value);
    let (mut letters, mut digits, mut symbols) = (0, 0, 0);
    for byte in value {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => letters += 1,
            b'0'..=b'9' => digits += 1,
            b'_' | b'-' | b'.' | b'/' | b':' | b',' => {}
            _ => symbols += 1,
        }
    }
    value.len() >= 8
        && letters > 0
        && digits + symbols > 0
        && distinct(value) >= 5
        && !has_word(&IN_VALUES, value)
        && !is_path_or_name(value)
        && (symbols > 0 || changes(value) >= 2)
}

/// Returns whether a value is a secret even where people write ordinary words: of several kinds of
/// characters, and changing between them all the time.
pub(super) fn is_strong(value: &[u8]) -> bool {
    let value = judged(value);
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    let upper = value.iter().filter(|byte| byte.is_ascii_uppercase()).count();
    let lower = value.iter().filter(|byte| byte.is_ascii_lowercase()).count();
    let symbols = value.iter().filter(|byte| b"!#$%&*+=?@^~".contains(byte)).count();
    let is_hex = value.len() >= 32 && value.iter().all(u8::is_ascii_hexdigit);
    let kinds = [digits, upper, lower, symbols].iter().filter(|&&count| count > 0).count();
    let is_varied = value.len() >= 8 && digits >= 2 && kinds >= 3 && changes(value) >= 3;
    is_hex || is_varied
}

/// Returns whether the body of a token with an unknown prefix is one: drawn from all letters and
/// digits, which neither names nor sums are, or a sum as long as keys are.
pub(super) fn is_drawn(body: &[u8]) -> bool {
    let body = judged(body);
    let count = |wanted: fn(&u8) -> bool| body.iter().filter(|byte| wanted(byte)).count();
    let (digits, upper) = (count(u8::is_ascii_digit), count(u8::is_ascii_uppercase));
    let lower = count(u8::is_ascii_lowercase);
    let is_mixed = digits >= 2 && upper >= 3 && lower >= 3 && changes(body) * 5 >= body.len() * 2;
    let is_hex = matches!(body.len(), 32 | 40 | 48 | 64)
        && body.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        && changes(body) * 4 >= body.len();
    (is_mixed || is_hex) && distinct(body) >= 10 && !has_word(&IN_TOKENS, body)
}

fn judged(value: &[u8]) -> &[u8] {
    value.get(..JUDGED).unwrap_or(value)
}

// Letters of a name keep their case for a while; random characters change it all the time.
fn is_random(value: &[u8]) -> bool {
    let changes = changes(value);
    changes >= 3 && changes * 8 >= value.len().min(64)
}

// Identifiers of that form under a key's name are keys; only those that count up are made up.
fn is_uuid(value: &[u8]) -> bool {
    let dashes = [8, 13, 18, 23];
    let fits = |(place, byte): (usize, &u8)| {
        if dashes.contains(&place) { *byte == b'-' } else { byte.is_ascii_hexdigit() }
    };
    value.len() == 36
        && value.iter().enumerate().all(fits)
        && distinct(value) >= 8
        && !has_word(&IN_TOKENS, value)
        && !value.starts_with(b"12345678")
        && !value.starts_with(b"01234567")
}

// How often neighbours are of different kinds: lower case, upper case, digit. An upper-case letter
// that starts a word is how names are written, and is not counted twice.
fn changes(value: &[u8]) -> usize {
    value
        .windows(2)
        .filter(|pair| matches!((kind(pair[0]), kind(pair[1])), (Some(a), Some(b)) if a != b))
        .count()
}

const fn kind(byte: u8) -> Option<u8> {
    match byte {
        b'a'..=b'z' => Some(0),
        b'A'..=b'Z' => Some(1),
        b'0'..=b'9' => Some(2),
        _ => None,
    }
}

fn distinct(value: &[u8]) -> u32 {
    let (low, high) = value.iter().fold((0_u128, 0_u128), |(low, high), &byte| {
        let bit = 1 << (byte & 127);
        if byte < 128 { (low | bit, high) } else { (low, high | bit) }
    });
    low.count_ones() + high.count_ones()
}

// `src/a.rs`, `user.name2`, `some-long-id-3`, `SOME_NAME_2`, `{{ x }}`, `%(x)s`, `$X`, `f(x)`.
fn is_path_or_name(value: &[u8]) -> bool {
    let template = value.iter().any(|byte| matches!(byte, b'{' | b'}' | b'(' | b')' | b'<' | b'>'));
    let variable = matches!(value.first(), Some(b'$' | b'%' | b'@' | b'/' | b'.' | b'#'));
    template || variable || is_words(value)
}

// Words and numbers joined by separators: no part mixes letters with digits inside.
fn is_words(value: &[u8]) -> bool {
    let mut parts = value.split(|byte| matches!(byte, b'_' | b'-' | b'.' | b'/' | b':' | b','));
    parts.all(|part| {
        let letters = part.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        part.iter().skip(letters).all(u8::is_ascii_digit)
            && changes(part.get(..letters).unwrap_or_default()) <= letters / 3
    })
}

fn words(list: &[&str]) -> Option<AhoCorasick> {
    let mut builder = AhoCorasick::builder();
    builder.ascii_case_insensitive(true).match_kind(MatchKind::Standard).build(list).ok()
}

fn has_word(words: &LazyLock<Option<AhoCorasick>>, value: &[u8]) -> bool {
    words.as_ref().is_some_and(|words| words.is_match(value))
}
