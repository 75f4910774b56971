//! Numbers as people write them: `12,111`, `$1,234.50`, `1/5`, `about 40 %`.
//!
//! In: a text. Out: the number as JSON writes it, and whether more than the number stood there.
//! Never picks one of several numbers.

use serde_json::{Number, Value};

/// A number found in a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    pub(super) value: Number,
    /// Whether other words stood around the number.
    pub(super) in_text: bool,
}

/// Reads the one number that a text holds.
pub(super) fn read(text: &str) -> Option<Found> {
    let text = text.trim();
    let bare = text.trim_end_matches([',', ';']).trim_end();
    if let Some(value) = plain(bare) {
        return Some(Found { value, in_text: false });
    }
    if let Some(value) = fraction(bare) {
        return Some(Found { value, in_text: false });
    }
    let (token, around) = only_number_token(text)?;
    let value = plain(&grouped(token)?)?;
    // Currency signs, units of one sign and final punctuation are how a number is written.
    let in_text = around.chars().any(char::is_alphanumeric);
    Some(Found { value, in_text })
}

/// Reads a number whose value is whole, as an integer.
pub(super) fn to_integer(number: &Number) -> Option<(Number, bool)> {
    if number.as_i64().is_some() || number.as_u64().is_some() {
        return Some((number.clone(), false));
    }
    let text = number.to_string();
    if text.bytes().all(|b| b.is_ascii_digit() || b == b'-') {
        return Some((number.clone(), false));
    }
    let float = number.as_f64().filter(|float| float.is_finite() && float.abs() < 9.0e15)?;
    #[expect(clippy::cast_possible_truncation, reason = "the range was checked above")]
    let rounded = float.round() as i64;
    #[expect(clippy::cast_precision_loss, reason = "the range was checked above")]
    let lossy = rounded as f64 != float;
    Some((Number::from(rounded), lossy))
}

/// Reads what is a JSON number but for a leading plus, missing digits around the dot, or grouping
/// underscores.
fn plain(text: &str) -> Option<Number> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    if !digits.bytes().any(|b| b.is_ascii_digit()) || digits.len() > 4096 {
        return None;
    }
    let digits = digits.replace('_', "");
    let (mantissa, exponent) = match digits.find(['e', 'E']) {
        Some(at) => (&digits[..at], &digits[at..]),
        None => (digits.as_str(), ""),
    };
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let dot = if part.is_empty() { "" } else { "." };
    match serde_json::from_str(&format!("{sign}{whole}{dot}{part}{exponent}")) {
        Ok(Value::Number(number)) => Some(number),
        _ => None,
    }
}

fn fraction(text: &str) -> Option<Number> {
    let (top, bottom) = text.split_once('/')?;
    let (top, bottom) = (plain(top.trim())?.as_f64()?, plain(bottom.trim())?.as_f64()?);
    if bottom == 0.0 { None } else { Number::from_f64(top / bottom) }
}

/// Finds the only run of digits, dots and commas, and what is around it.
fn only_number_token(text: &str) -> Option<(&str, String)> {
    let bytes = text.as_bytes();
    let mut found: Option<(usize, usize)> = None;
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        if found.is_some() {
            return None;
        }
        let start = start_of_number(bytes, at);
        let mut end = at;
        while end < bytes.len()
            && (bytes[end].is_ascii_digit() || matches!(bytes[end], b'.' | b','))
        {
            end += 1;
        }
        end = end_of_exponent(bytes, end);
        found = Some((start, end));
        at = end;
    }
    let (start, end) = found?;
    let token = text.get(start..end)?.trim_end_matches(['.', ',']);
    // A digit that belongs to a word (`F1040`) is part of a name.
    let glued = |c: Option<char>| c.is_some_and(|c| c.is_alphabetic() || c == '_');
    let (before, after) = (text.get(..start)?, text.get(start + token.len()..)?);
    if glued(before.chars().next_back()) {
        return None;
    }
    Some((token, format!("{before} {after}")))
}

fn start_of_number(bytes: &[u8], digit: usize) -> usize {
    let mut start = digit;
    if start > 0 && bytes[start - 1] == b'.' {
        start -= 1;
    }
    // `-$5` and `$-5` both happen; the sign counts only where no word is before it.
    let sign = if start > 0 && bytes[start - 1] == b'$' { start - 1 } else { start };
    let lone = |at: usize| at < 2 || !bytes[at - 2].is_ascii_alphanumeric();
    if sign > 0 && matches!(bytes[sign - 1], b'-' | b'+') && lone(sign) {
        return sign - 1;
    }
    start
}

fn end_of_exponent(bytes: &[u8], end: usize) -> usize {
    if !matches!(bytes.get(end), Some(b'e' | b'E')) {
        return end;
    }
    let mut at = end + 1;
    if matches!(bytes.get(at), Some(b'-' | b'+')) {
        at += 1;
    }
    let digits =
        bytes.get(at..).map_or(0, |rest| rest.iter().take_while(|b| b.is_ascii_digit()).count());
    if digits == 0 { end } else { at + digits }
}

/// Takes grouping marks out: the last kind of mark is the decimal point unless it repeats or is
/// before exactly three digits as a comma.
fn grouped(token: &str) -> Option<String> {
    let token = token.replace('$', "");
    let (dots, commas) = (token.matches('.').count(), token.matches(',').count());
    let point = match (token.rfind('.'), token.rfind(',')) {
        (Some(dot), Some(comma)) if comma > dot && commas == 1 => ',',
        (Some(_), None) if dots > 1 => return None,
        (Some(_), _) if dots > 1 => return None,
        _ => '.',
    };
    let group = if point == '.' { ',' } else { '.' };
    Some(token.replace(group, "").replace(point, "."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_people_write_them() {
        let cases: &[(&str, Option<(&str, bool)>)] = &[
            ("12", Some(("12", false))),
            ("-3.50", Some(("-3.50", false))),
            ("7,", Some(("7", false))),
            ("44,901", Some(("44901", false))),
            ("-2,000.00", Some(("-2000.00", false))),
            ("1.234.567", None),
            ("1.234,56", Some(("1234.56", false))),
            ("$1,299.99", Some(("1299.99", false))),
            ("-$5", Some(("-5", false))),
            ("9.5.", Some(("9.5", false))),
            ("3/4", Some(("0.75", false))),
            ("3/0", None),
            ("about 40 %", Some(("40", true))),
            ("50%", Some(("50", false))),
            ("3 of 5", None),
            ("F1040", None),
            ("1e3", Some(("1e3", false))),
            ("007", Some(("7", false))),
            ("none", None),
            ("", None),
            ("é", None),
        ];
        for (text, expected) in cases {
            let found = read(text).map(|found| (found.value.to_string(), found.in_text));
            let expected = expected.map(|(value, in_text)| (value.to_owned(), in_text));
            // Fractions are computed, so they are compared as numbers.
            let same = match (&found, &expected) {
                (Some(a), Some(b)) => {
                    a.1 == b.1 && a.0.parse::<f64>().ok() == b.0.parse::<f64>().ok()
                }
                (a, b) => a == b,
            };
            assert!(same, "{text:?}: {found:?} instead of {expected:?}");
        }
    }
}
