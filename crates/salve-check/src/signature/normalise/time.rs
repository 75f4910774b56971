//! Times and durations in the forms that logs use.
//!
//! In: a run of characters, or the rest of a line. Out: whether it is a time, or how much of the line
//! is one. Never reads a clock.

/// Tells whether a run is an ISO date, an ISO time, a clock time or an epoch number.
pub(crate) fn is_time(core: &str) -> bool {
    let bytes = core.as_bytes();
    if !bytes.first().is_some_and(u8::is_ascii_digit) {
        return false;
    }
    is_epoch(core) || is_iso(core) || is_clock(core)
}

/// Tells whether a run is a duration such as `0.05s`, `12ms` or `1m02.5s`.
pub(crate) fn is_duration(core: &str) -> bool {
    const UNITS: &[&str] =
        &["ns", "us", "µs", "μs", "ms", "s", "sec", "secs", "seconds", "m", "min", "mins", "h"];
    let mut rest = core;
    let mut parts = 0;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
        if digits == 0 || rest.starts_with('.') || parts == 3 {
            return false;
        }
        rest = &rest[digits..];
        let letters = rest
            .find(|letter: char| letter.is_ascii_digit() || letter == '.')
            .unwrap_or(rest.len());
        if !UNITS.contains(&&rest[..letters]) {
            return false;
        }
        rest = &rest[letters..];
        parts += 1;
    }
    parts > 0
}

/// Measures a time or a duration that is written with words at the beginning of a line's rest.
///
/// `Nov 16 03:31:02`, `Mon, 16 Nov 2026 03:31:02 +0000`, `Mon Nov 16 03:31:02 UTC 2026`,
/// `0.05 seconds`.
pub(crate) fn spelled(rest: &str) -> Option<(usize, &'static str)> {
    if rest.as_bytes().first()?.is_ascii_digit() {
        return spelled_duration(rest).map(|length| (length, "<DURATION>"));
    }
    calendar(rest).map(|length| (length, "<TIME>"))
}

fn calendar(rest: &str) -> Option<usize> {
    let first = rest.as_bytes().first()?;
    if !first.is_ascii_uppercase() || !(is_name(rest, DAYS) || is_name(rest, MONTHS)) {
        return None;
    }
    // The parts of a calendar time in any order; it is one when a month and a clock are among them.
    let (mut end, mut month, mut clock) = (0, false, false);
    let mut at = 0;
    for _ in 0..7 {
        let word = &rest[at..at + rest[at..].find([' ', ',', ']', ')']).unwrap_or(rest.len() - at)];
        let number =
            !word.is_empty() && word.len() <= 4 && word.bytes().all(|byte| byte.is_ascii_digit());
        if MONTHS.contains(&word) {
            month = true;
        } else if is_clock(word) {
            clock = true;
        } else if !(DAYS.contains(&word) || number || is_zone(word)) {
            break;
        }
        end = at + word.len();
        let gap = rest[end..].bytes().take_while(|byte| matches!(byte, b' ' | b',')).count();
        if gap == 0 || gap > 2 {
            break;
        }
        at = end + gap;
    }
    (month && clock).then_some(end)
}

const DAYS: &[&str] = &["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const MONTHS: &[&str] =
    &["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

fn is_name(rest: &str, names: &[&str]) -> bool {
    rest.get(..3).is_some_and(|start| names.contains(&start))
        && rest.as_bytes().get(3).is_some_and(|byte| matches!(byte, b' ' | b','))
}

fn is_zone(word: &str) -> bool {
    matches!(word, "UTC" | "GMT" | "CET" | "CEST" | "EST" | "EDT" | "PST" | "PDT")
        || (word.len() == 5
            && word.starts_with(['+', '-'])
            && word[1..].bytes().all(|byte| byte.is_ascii_digit()))
}

// `1.5 seconds`: the unit is a word of its own.
fn spelled_duration(rest: &str) -> Option<usize> {
    let digits = rest.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
    let after = rest.get(digits..)?.strip_prefix(' ')?;
    let letters = after.bytes().take_while(u8::is_ascii_alphabetic).count();
    let unit = matches!(
        &after[..letters],
        "seconds" | "second" | "secs" | "sec" | "ms" | "milliseconds" | "minutes" | "min"
    );
    let ends =
        !after[letters..].starts_with(|letter: char| letter.is_alphanumeric() || letter == '_');
    (unit && ends).then_some(digits + 1 + letters)
}

// Seconds, milliseconds, microseconds or nanoseconds since 1970, in this century.
fn is_epoch(core: &str) -> bool {
    let (whole, fraction) = core.split_once('.').unwrap_or((core, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits(whole)
        && digits(fraction)
        && matches!(whole.len(), 10 | 13 | 16 | 19)
        && whole.starts_with('1')
}

// `2026-03-16`, `2026-03-16T04:33:57.740Z`, `2026/03/16`, `2026-03-16_04-33`.
fn is_iso(core: &str) -> bool {
    let bytes = core.as_bytes();
    let pattern = bytes.len() >= 10
        && bytes.iter().take(10).enumerate().all(|(at, byte)| match at {
            4 | 7 => matches!(byte, b'-' | b'/'),
            _ => byte.is_ascii_digit(),
        });
    pattern
        && core[10..].bytes().all(|byte| {
            byte.is_ascii_digit()
                || matches!(byte, b'T' | b't' | b'Z' | b':' | b'.' | b'+' | b'-' | b'_')
        })
}

// `04:33`, `4:33:57`, `04:33:57,740`, `04:33:57.740Z`, `04:33:57+02:00`.
fn is_clock(core: &str) -> bool {
    let bytes = core.as_bytes();
    let first = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if !(1..=2).contains(&first) || bytes.get(first) != Some(&b':') {
        return false;
    }
    let Some(rest) = bytes.get(first + 1..) else { return false };
    let pair = |rest: &[u8]| rest.len() >= 2 && rest[..2].iter().all(u8::is_ascii_digit);
    if !pair(rest) {
        return false;
    }
    match rest.get(2..) {
        Some([]) => first == 2,
        Some([b':', seconds @ ..]) => {
            pair(seconds)
                && seconds[2..].iter().all(|byte| {
                    byte.is_ascii_digit() || matches!(byte, b'.' | b',' | b'Z' | b'+' | b'-' | b':')
                })
        }
        _ => false,
    }
}
