//! Private keys in blocks of text: PEM, OpenSSH, PGP, SSH2 and PuTTY.
//!
//! In: a place where such a block may begin, then its body as it comes. Out: which bytes belong to
//! the key. Never waits for the end of a block, and never trusts a heading without a key under it:
//! programs that read keys are full of those headings.

use super::shape::Class;
use super::view::View;

/// How many characters of base64 in a row are key material.
const LINE: usize = 16;
const SOFT: usize = 256;
const HARD: usize = 64;
const HEADING: usize = 48;
const HEADER: usize = 160;

pub(super) const BODY: Class = Class::BASE64;

/// Returns where the heading that starts at `at` ends, when a key follows.
pub(super) fn heading(view: &View<'_>, at: usize) -> Option<usize> {
    let dashes = (at..at + 5).take_while(|&place| view.byte(place) == Some(b'-')).count();
    let words = at + dashes;
    let end = (words..=words + HEADING).find(|&place| !view.byte(place).is_some_and(is_heading))?;
    let title = view.slice(words, end);
    let private = title.windows(11).any(|window| window == b"PRIVATE KEY");
    if !private || view.byte(end) != Some(b'-') {
        return None;
    }
    let end = (end..=end + 5).find(|&place| view.byte(place) != Some(b'-'))?;
    followed_by_key(view, end).then_some(end)
}

/// Returns where the line `Private-Lines: N` at `at` ends, when a key follows.
pub(super) fn putty(view: &View<'_>, at: usize) -> Option<usize> {
    let number = at + "Private-Lines: ".len();
    let end = (number..=number + 4)
        .find(|&place| !view.byte(place).is_some_and(|byte| byte.is_ascii_digit()))?;
    (end > number && followed_by_key(view, end)).then_some(end)
}

fn followed_by_key(view: &View<'_>, at: usize) -> bool {
    let mut place = soft(view, at);
    for _ in 0..4 {
        match header(view, place) {
            Some(end) => place = soft(view, end),
            None => break,
        }
    }
    let place = if is_line(view, place) { place } else { hard(view, place) };
    is_line(view, place)
}

/// What comes next in the body of a key.
pub(super) enum Next {
    /// Bytes up to here and the rest of the line belong to the key.
    Line(usize),
    /// Bytes up to here belong to the key; more may follow.
    Key(usize),
    /// Bytes up to here are between two pieces of the key, and stay.
    Between(usize),
    /// Bytes up to here belong to the key, which ends there.
    End(usize),
}

/// Reads on in the body of a key from `at`; only `first` it may have headers.
pub(super) fn next(view: &View<'_>, at: usize, first: bool) -> Next {
    let place = soft(view, at);
    if is_line(view, place) {
        return Next::Line(place + LINE);
    }
    if let Some(end) = closing(view, place) {
        return Next::End(end);
    }
    if let Some(end) = header(view, place).filter(|_| first || view.starts_with(place, "Private-"))
    {
        return Next::Key(end);
    }
    // The last line is short; without the closing line it is one only at the end of the text.
    let is_body = |&end: &usize| view.byte(end).is_some_and(|byte| BODY.has(byte));
    let short = place + (place..place + LINE).take_while(is_body).count();
    if short > place {
        let after = soft(view, short);
        let padded = view.before(short, 1) == b'=';
        let closes = padded || closing(view, after).is_some() || view.byte(after).is_none();
        return if closes { Next::Key(short) } else { Next::End(at) };
    }
    let between = hard(view, place);
    if between > place && (is_line(view, between) || closing(view, between).is_some()) {
        return Next::Between(between);
    }
    Next::End(at)
}

// White space and escaped white space.
fn soft(view: &View<'_>, at: usize) -> usize {
    let mut end = at;
    while end - at < SOFT {
        match view.byte(end) {
            Some(b' ' | b'\t' | b'\r' | b'\n') => end += 1,
            Some(b'\\') if matches!(view.byte(end + 1), Some(b'n' | b'r' | b't' | b'\n')) => {
                end += 2;
            }
            Some(b'\\')
                if view.byte(end + 1) == Some(b'\\')
                    && matches!(view.byte(end + 2), Some(b'n' | b'r')) =>
            {
                end += 3;
            }
            _ => break,
        }
    }
    end
}

// What separates the lines of a key in a program: quotes, plus signs, commas, comment signs.
fn hard(view: &View<'_>, at: usize) -> usize {
    let mut end = at;
    while end - at < HARD {
        match view.byte(end) {
            Some(byte) if is_hard(byte) => end += 1,
            Some(b'\\')
                if matches!(
                    view.byte(end + 1),
                    Some(b'n' | b'r' | b't' | b'"' | b'\'' | b'\\' | b'\n')
                ) =>
            {
                end += 2;
            }
            _ => break,
        }
    }
    end
}

const fn is_hard(byte: u8) -> bool {
    let blank = matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    blank
        || matches!(
            byte,
            b'"' | b'\''
                | b'`'
                | b'+'
                | b','
                | b'.'
                | b'('
                | b')'
                | b'#'
                | b'*'
                | b'>'
                | b'|'
                | b'/'
        )
}

// `Proc-Type: 4,ENCRYPTED`, `Version: GnuPG v2`, `Private-MAC: …`.
fn header(view: &View<'_>, at: usize) -> Option<usize> {
    let name = (at..=at + 24).find(|&place| {
        !view.byte(place).is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'-')
    })?;
    if name < at + 3 || view.byte(name) != Some(b':') || view.byte(name + 1) != Some(b' ') {
        return None;
    }
    (name..=name + HEADER).find(|&place| {
        view.byte(place).is_none_or(|byte| matches!(byte, b'\n' | b'\r' | b'\\' | b'"' | b'['))
    })
}

fn closing(view: &View<'_>, at: usize) -> Option<usize> {
    let dashes = (at..at + 5).take_while(|&place| view.byte(place) == Some(b'-')).count();
    let words = at + dashes;
    if dashes < 4 || !(view.starts_with(words, "END ") || view.starts_with(words, " END ")) {
        return None;
    }
    let end = (words..=words + HEADING).find(|&place| !view.byte(place).is_some_and(is_heading))?;
    (end..=end + 5).find(|&place| view.byte(place) != Some(b'-'))
}

fn is_line(view: &View<'_>, at: usize) -> bool {
    (at..at + LINE).all(|place| view.byte(place).is_some_and(|byte| BODY.has(byte)))
}

const fn is_heading(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' '
}
