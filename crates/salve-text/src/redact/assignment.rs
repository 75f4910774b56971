//! A name that promises a secret, and the value it is given.
//!
//! In: a place where such a name was seen (`password`, `api_key`, a vendor's name). Out: the span of
//! the value, when it is one: quoted or not, after `=`, `:`, `=>` or a long option's space, in code,
//! JSON, YAML, `.env` files, URLs and connection strings. Never touches the name, the quotes or the
//! escapes around the value, so that what was valid stays valid.

use super::shape::{Class, Fit};
use super::values::{self, JUDGED};
use super::view::View;

/// What a name promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Promise {
    /// Chosen by a person: short, but with more than letters.
    Password,
    /// Drawn at random: a key, a token.
    Key,
    /// A service's name: only its keys look drawn at random.
    Vendor,
}

/// The words that are looked for in names, whatever their case.
#[rustfmt::skip]
pub(super) const WORDS: &[(&str, Promise)] = &[
    ("passw", Promise::Password), ("passphrase", Promise::Password), ("pwd", Promise::Password), ("_pass", Promise::Password),
    ("secret", Promise::Key), ("token", Promise::Key), ("credential", Promise::Key),
    ("api_key", Promise::Key), ("apikey", Promise::Key), ("api-key", Promise::Key), ("apiKey", Promise::Key), ("API-Key", Promise::Key), ("Api-Key", Promise::Key), ("appkey", Promise::Key), ("app_key", Promise::Key), ("appKey", Promise::Key),
    ("access_key", Promise::Key), ("accesskey", Promise::Key), ("access-key", Promise::Key), ("accessKey", Promise::Key), ("privateKey", Promise::Key), ("signingKey", Promise::Key), ("encryptionKey", Promise::Key), ("accountKey", Promise::Key), ("authKey", Promise::Key),
    ("auth_key", Promise::Key), ("authkey", Promise::Key), ("private_key", Promise::Key), ("privatekey", Promise::Key),
    ("signing_key", Promise::Key), ("signingkey", Promise::Key), ("encryption_key", Promise::Key), ("encryptionkey", Promise::Key),
    ("master_key", Promise::Key), ("account_key", Promise::Key), ("accountkey", Promise::Key), ("service_key", Promise::Key),
    ("license", Promise::Key), ("auth", Promise::Key), ("sig=", Promise::Key), ("signature", Promise::Key),
    // Any key, whatever it is for: the value must look drawn at random.
    ("_key", Promise::Key), ("-key", Promise::Key), (".key", Promise::Key), ("_sk", Promise::Key),
    ("psk", Promise::Password), ("sess", Promise::Key), ("jwt", Promise::Key), ("hmac", Promise::Key), ("salt", Promise::Key),
    ("encrypt", Promise::Key), ("cookie", Promise::Key), ("webhook", Promise::Key), ("cred", Promise::Key), ("_pat", Promise::Key),
    ("login", Promise::Vendor), ("wandb", Promise::Vendor), ("cohere", Promise::Vendor), ("sentry", Promise::Vendor), ("openai", Promise::Vendor),
    ("heroku", Promise::Vendor), ("cloudflare", Promise::Vendor), ("datadog", Promise::Vendor), ("fastly", Promise::Vendor),
    ("vercel", Promise::Vendor), ("netlify", Promise::Vendor), ("mailgun", Promise::Vendor), ("twilio", Promise::Vendor),
    ("algolia", Promise::Vendor), ("okta", Promise::Vendor), ("codecov", Promise::Vendor), ("travis", Promise::Vendor),
    ("bitbucket", Promise::Vendor), ("asana", Promise::Vendor), ("discord", Promise::Vendor), ("facebook", Promise::Vendor),
    ("twitter", Promise::Vendor), ("linkedin", Promise::Vendor), ("zendesk", Promise::Vendor), ("kraken", Promise::Vendor),
];

/// How far a name may go on after the word that was found in it.
const NAME_REST: usize = 40;
const BLANKS: usize = 16;

/// What may be between quotes; `[` is left out because a marker starts with it.
const QUOTED: Class = Class::of(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$%&()*+,-./:;<=>?@]^_{|}~",
);

/// The value that was found: where it starts, and where it ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Assigned {
    pub(super) start: usize,
    pub(super) fit: Fit,
}

/// Reads what follows a word that starts at `at` and is `length` bytes long.
pub(super) fn read(
    view: &View<'_>,
    at: usize,
    length: usize,
    promise: Promise,
) -> Option<Assigned> {
    // A word that brings its own sign ends the name.
    let brings_sign = view.before(at + length, 1) == b'=';
    let rest = if brings_sign { 0 } else { NAME_REST };
    let name_end = skip(view, at + length, rest, is_name);
    let quoted_name = quote(view, name_end);
    let mut after = quoted_name.map_or(name_end, |(_, end)| end);
    if view.byte(after) == Some(b']') {
        after += 1;
    }
    let Operator { end: start, is_weak } =
        operator(view, at, name_end, after, quoted_name.is_some())?;
    let start = skip(view, start, BLANKS, is_blank);
    // `b"…"`, `r'…'`, `@"…"`: the letter belongs to the literal.
    let literal = view
        .byte(start)
        .is_some_and(|byte| matches!(byte, b'b' | b'r' | b'u' | b'f' | b'@' | b'L'));
    let opened = quote(view, start).or_else(|| literal.then(|| quote(view, start + 1)).flatten());
    let found = match opened {
        Some((mark, start)) => quoted(view, start, mark, promise),
        None => bare(view, start, promise),
    }?;
    let value = view.slice(found.start, found.fit.end);
    (!is_weak || values::is_strong(value)).then_some(found)
}

// What is between a name and its value.
struct Operator {
    end: usize,
    // Whether it is what people write between any two words.
    is_weak: bool,
}

// Returns where the value's side begins.
fn operator(
    view: &View<'_>,
    word: usize,
    name_end: usize,
    after: usize,
    quoted: bool,
) -> Option<Operator> {
    let sign = |end| Some(Operator { end, is_weak: false });
    let blanks_end = skip(view, after, BLANKS, is_blank);
    // `sig=` brings its own.
    if name_end == after && view.before(after, 1) == b'=' {
        return sign(after);
    }
    let first = view.byte(blanks_end)?;
    match first {
        b'=' | b':' | b'>' | b'?' => {
            let is_sign = |byte| matches!(byte, b'=' | b':' | b'>' | b'?');
            let end = skip(view, blanks_end, 3, is_sign);
            // Two colons are a path in code.
            if view.slice(blanks_end, end) == b"::" { None } else { sign(end) }
        }
        b',' if quoted => sign(blanks_end + 1),
        _ if blanks_end > after && !quoted && is_option(view, word) => sign(blanks_end),
        // `password X` in a .netrc, `tool login X`, "the password is X".
        _ if blanks_end > after && !quoted => {
            let verb = ["is ", "was "].into_iter().find(|verb| view.starts_with(blanks_end, verb));
            Some(Operator { end: blanks_end + verb.map_or(0, str::len), is_weak: true })
        }
        _ => None,
    }
}

// Whether the name that the word is in began with a dash.
fn is_option(view: &View<'_>, word: usize) -> bool {
    let begin = (1..=24).find(|&back| !is_name(view.before(word, back))).unwrap_or(24);
    begin > 1 && view.before(word, begin - 1) == b'-'
}

fn quoted(view: &View<'_>, start: usize, mark: u8, promise: Promise) -> Option<Assigned> {
    let end = skip(view, start, JUDGED, |byte| QUOTED.has(byte) || other_quote(byte, mark));
    let open = (end - start == JUDGED).then_some(QUOTED);
    let closed = match view.byte(end) {
        Some(byte) if byte == mark => true,
        // An escaped quote ends the value too; what else is escaped is no part of a key.
        Some(b'\\') => quote(view, end).is_some_and(|(byte, _)| byte == mark),
        _ => false,
    };
    let value = view.slice(start, end);
    (open.is_some() || closed)
        .then(|| is_secret(value, promise, Quoting::Quoted))?
        .then_some(Assigned { start, fit: Fit { end, open } })
}

// An apostrophe inside of double quotes is a character like any other.
const fn other_quote(byte: u8, mark: u8) -> bool {
    mark == b'"' && byte == b'\''
}

fn bare(view: &View<'_>, start: usize, promise: Promise) -> Option<Assigned> {
    let class = BARE;
    let end = skip(view, start, JUDGED, |byte| class.has(byte));
    let open = (end - start == JUDGED).then_some(class);
    // What is called, indexed or opened is code, not a value.
    let code = matches!(view.byte(end), Some(b'(' | b'[' | b'{' | b'<' | b'`'));
    let value = view.slice(start, end);
    (!code && is_secret(value, promise, Quoting::Bare))
        .then_some(Assigned { start, fit: Fit { end, open } })
}

const BARE: Class =
    Class::of(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.~+/=:%!@#$^*");

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quoting {
    Quoted,
    Bare,
}

fn is_secret(value: &[u8], promise: Promise, quoting: Quoting) -> bool {
    match (promise, quoting) {
        (Promise::Password, Quoting::Quoted) => values::is_password(value),
        (Promise::Password, Quoting::Bare) => {
            values::is_password(value) && value.iter().any(u8::is_ascii_digit)
        }
        (Promise::Key, _) => values::is_random_value(value),
        (Promise::Vendor, _) => value.len() >= 16 && values::is_random_value(value),
    }
}

// A quotation mark, with the backslash of a text inside of a text; returns where it ends.
fn quote(view: &View<'_>, at: usize) -> Option<(u8, usize)> {
    let mark = skip(view, at, 3, |byte| byte == b'\\');
    let byte = view.byte(mark)?;
    matches!(byte, b'"' | b'\'' | b'`').then_some((byte, mark + 1))
}

fn skip(view: &View<'_>, at: usize, most: usize, wanted: impl Fn(u8) -> bool) -> usize {
    let mut end = at;
    while end - at < most && view.byte(end).is_some_and(&wanted) {
        end += 1;
    }
    end
}

const fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}
