//! Moments as other programs write them.
//!
//! In: a text such as `2026-01-31T12:00:00Z`. Out: the moment. Never a guess: what is not a moment is nothing.

use salve_types::Timestamp;

const DAY: i64 = 86_400_000;

/// Reads a moment in ISO 8601, with or without parts of a second; without a zone it is UTC.
pub(super) fn moment(text: &str) -> Option<Timestamp> {
    let (date, time) = text.trim().split_once(['T', 't', ' '])?;
    let [year, month, day] = numbers(date, '-', [4, 2, 2])?;
    let (time, offset) = zone(time)?;
    let (time, fraction) = time.split_once(['.', ',']).unwrap_or((time, ""));
    let [hours, minutes, seconds] = numbers(time, ':', [2, 2, 2])?;
    let fits = (1..=12).contains(&month)
        && (1..=days_of(year, month)).contains(&day)
        && hours < 24
        && minutes < 60
        && seconds <= 60;
    if !fits || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let millis: i64 = format!("{fraction:0<3}").get(..3)?.parse().ok()?;
    let of_day = ((hours * 60 + minutes) * 60 + seconds) * 1000 + millis;
    Some(Timestamp(days_since_1970(year, month, day) * DAY + of_day - offset))
}

/// Takes the zone off a time, and returns it in milliseconds.
fn zone(time: &str) -> Option<(&str, i64)> {
    if let Some(time) = time.strip_suffix(['Z', 'z']) {
        return Some((time, 0));
    }
    let Some(at) = time.rfind(['+', '-']) else { return Some((time, 0)) };
    let (time, zone) = time.split_at_checked(at)?;
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    let digits: String = zone.get(1..)?.chars().filter(|c| *c != ':').collect();
    let minutes = match digits.len() {
        2 => 60 * digits.parse::<i64>().ok()?,
        4 => 60 * digits.get(..2)?.parse::<i64>().ok()? + digits.get(2..)?.parse::<i64>().ok()?,
        _ => return None,
    };
    Some((time, sign * minutes * 60_000))
}

fn numbers(text: &str, between: char, lengths: [usize; 3]) -> Option<[i64; 3]> {
    let mut numbers = [0; 3];
    let mut parts = text.split(between);
    for (number, length) in numbers.iter_mut().zip(lengths) {
        let part = parts.next()?;
        if part.len() != length || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        *number = part.parse().ok()?;
    }
    parts.next().is_none().then_some(numbers)
}

fn days_of(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

// A date to days after Howard Hinnant's days-from-civil.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn h14_times_are_read_with_and_without_a_zone() {
        for (text, millis) in [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("2000-02-29T00:00:00.000Z", Some(951_782_400_000)),
            ("2023-11-14T22:13:20.123Z", Some(1_700_000_000_123)),
            ("2023-11-14T22:13:20", Some(1_700_000_000_000)),
            ("2023-11-14 22:13:20.5", Some(1_700_000_000_500)),
            ("2023-11-15T00:13:20.123456+02:00", Some(1_700_000_000_123)),
            ("2023-11-14T17:13:20-0500", Some(1_700_000_000_000)),
            ("1969-12-31T23:59:59.999Z", Some(-1)),
            ("2023-02-29T00:00:00Z", None),
            ("2023-13-01T00:00:00Z", None),
            ("2023-11-14T24:00:00Z", None),
            ("2023-11-14", None),
            ("yesterday", None),
            ("2023-11-14T22:13:20+é", None),
            ("", None),
        ] {
            assert_eq!(moment(text), millis.map(Timestamp), "{text}");
        }
    }

    #[test]
    fn h14_what_is_written_is_read() {
        for day in (-200_000..400_000).step_by(977) {
            let moment_of = Timestamp(day * DAY + 45_296_789);
            assert_eq!(moment(&moment_of.to_string()), Some(moment_of), "{moment_of}");
        }
    }
}
