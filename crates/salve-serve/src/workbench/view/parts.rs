//! The small parts that every screen is made of.
//!
//! In: texts and what they mean. Out: headings, cards, badges, tables, notices, empty states. Never a style or a
//! script inside an element, and never a colour alone: each tone has its word or sign.

use maud::{Markup, Render, html};

/// What a badge or a notice means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tone {
    /// Nothing in particular.
    #[default]
    Plain,
    /// It went well.
    Good,
    /// Something waits.
    Wait,
    /// Something went wrong.
    Bad,
    /// For the reader's information.
    Info,
}

impl Tone {
    /// Returns its class.
    pub const fn class(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Good => "good",
            Self::Wait => "wait",
            Self::Bad => "bad",
            Self::Info => "info",
        }
    }
}

/// A word in a small frame.
pub fn badge(tone: Tone, words: &str) -> Markup {
    html! { span class={ "badge " (tone.class()) } { (words) } }
}

/// The head of a screen: its name, a line about it, and what can be done.
pub fn screen_head(title: &str, about: &str, actions: &Markup) -> Markup {
    html! {
        header.screen-head {
            div { h1 { (title) } @if !about.is_empty() { p.dim { (about) } } }
            @if !actions.0.is_empty() { div.actions { (actions) } }
        }
    }
}

/// A card with a heading.
pub fn card(title: &str, body: &Markup) -> Markup {
    html! { section.card { h2 { (title) } (body) } }
}

/// A number with what it is of.
pub fn stat(label: &str, value: &str, tone: Tone, note: &str) -> Markup {
    html! {
        div class={ "stat " (tone.class()) } {
            span.value { (value) }
            span.label { (label) }
            @if !note.is_empty() { span.note { (note) } }
        }
    }
}

/// What a screen says while it has nothing to show: what would be here, and how it gets here.
pub fn empty(icon: &str, title: &str, words: &str, steps: &[&str]) -> Markup {
    html! {
        div.empty {
            span.picture aria-hidden="true" { (icon) }
            h2 { (title) }
            p { (words) }
            @if !steps.is_empty() { ol { @for step in steps { li { (step) } } } }
        }
    }
}

/// A notice across the screen. `role` is `alert` for what must be seen at once.
pub fn notice(tone: Tone, title: &str, body: &Markup) -> Markup {
    let role = matches!(tone, Tone::Bad | Tone::Wait).then_some("alert");
    html! {
        div class={ "notice " (tone.class()) } role=[role] {
            @if !title.is_empty() { p.title { (title) } }
            (body)
        }
    }
}

/// What is said when a screen could not be read.
pub fn failure(what: &str, why: &str, next: &str) -> Markup {
    notice(Tone::Bad, what, &html! { p { (why) } @if !next.is_empty() { p.dim { (next) } } })
}

/// A table that scrolls sideways where it is too wide.
pub fn table<Cell: Render>(name: &str, heads: &[&str], rows: &[Vec<Cell>]) -> Markup {
    html! {
        div.table-wrap tabindex="0" role="region" aria-label=(name) {
            table {
                thead { tr { @for head in heads { th scope="col" { (head) } } } }
                tbody { @for row in rows { tr { @for cell in row { td { (cell) } } } } }
            }
        }
    }
}

/// A moment; the page writes how long ago it was.
pub fn moment(milliseconds: i64) -> Markup {
    let shown = utc(milliseconds);
    html! { time datetime=(shown) data-at=(milliseconds) { (shown) } }
}

/// Writes a moment in UTC, as `2026-11-18T01:57:30Z`.
pub fn utc(milliseconds: i64) -> String {
    let seconds = milliseconds.div_euclid(1_000);
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = date_of(days);
    let (hour, minute) = (second / 3_600, second % 3_600 / 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{:02}Z", second % 60)
}

// The civil date of a count of days since 1970, by eras of 400 years.
const fn date_of(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_part = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_part + 2) / 5 + 1;
    let month = if month_part < 10 { month_part + 3 } else { month_part - 9 };
    let year = year_of_era + era * 400 + (month <= 2) as i64;
    (year, month, day)
}

/// A text cut to a number of letters, with a mark where it was cut.
pub fn short(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= most {
        return line;
    }
    let cut: String = line.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", cut.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_of_the_calendar() {
        for (milliseconds, shown) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400_000, "2000-02-29T00:00:00Z"),
            (1_795_053_450_123, "2026-11-19T01:57:30Z"),
            (-1_000, "1969-12-31T23:59:59Z"),
        ] {
            assert_eq!(utc(milliseconds), shown);
        }
    }

    #[test]
    fn texts_are_escaped_everywhere() {
        let bad = "<img src=x onerror=alert(1)>";
        let drawn = [
            badge(Tone::Good, bad),
            screen_head(bad, bad, &html! {}),
            card(bad, &html! { (bad) }),
            stat(bad, bad, Tone::Bad, bad),
            empty(bad, bad, bad, &[bad]),
            failure(bad, bad, bad),
            table(bad, &[bad], &[vec![bad]]),
        ];
        for drawn in drawn {
            assert!(!drawn.into_string().contains("<img"));
        }
    }

    #[test]
    fn c047_long_words_are_cut() {
        assert_eq!(short("one two  three", 8), "one two…");
        assert_eq!(short(" a\nb ", 8), "a b");
    }
}
