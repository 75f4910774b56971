//! The table of a run.
//!
//! In: rows. Out: text, and whether everything is as it must be. Never a row that is always good:
//! those without a safety must show what it was there for.

use super::check::Kind;
use super::grid::Tally;
use anyhow::bail;

/// One row.
#[derive(Debug)]
pub(crate) struct Row {
    /// What was done.
    pub(crate) name: String,
    /// The outcome.
    pub(crate) tally: Tally,
    /// What must come of it.
    pub(crate) expected: Expected,
}

/// What must come of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expected {
    /// Nothing is wrong anywhere.
    Clean,
    /// Something of this kind is wrong somewhere: a safety was taken away.
    Some(Kind),
    /// It could not be run here.
    Skipped(&'static str),
}

impl Row {
    /// Makes a row that must be clean.
    pub(crate) fn clean(name: impl Into<String>, tally: Tally) -> Self {
        Self { name: name.into(), tally, expected: Expected::Clean }
    }

    fn is_good(&self) -> bool {
        match self.expected {
            Expected::Clean => self.tally.is_clean() && self.tally.points > 0,
            Expected::Some(kind) => self.tally.of(kind) > 0,
            Expected::Skipped(_) => true,
        }
    }

    fn result(&self) -> String {
        match self.expected {
            Expected::Skipped(why) => format!("SKIPPED: {why}"),
            Expected::Clean if self.is_good() => "ok".to_owned(),
            Expected::Clean => "FAILED".to_owned(),
            Expected::Some(_) if self.is_good() => "ok: fails, as it must".to_owned(),
            Expected::Some(kind) => format!("FAILED: the harness is blind to {kind:?}"),
        }
    }
}

/// Prints the rows and fails when one is not as it must be. Returns how many points were clean
/// ones.
pub(crate) fn print(rows: &[Row]) -> anyhow::Result<usize> {
    println!(
        "\n{:<36} {:>6} {:>6} {:>6} {:>9} {:>6} {:>8}  result",
        "workload", "points", "torn", "lost", "leftovers", "other", "seconds"
    );
    for row in rows {
        line(&row.name, &row.tally, &row.result());
    }
    let mut total = Tally::default();
    for row in rows.iter().filter(|row| row.expected == Expected::Clean) {
        total.points += row.tally.points;
        total.time += row.tally.time;
        for (kind, count) in &row.tally.wrong {
            *total.wrong.entry(*kind).or_default() += count;
        }
    }
    line("total of those that must be clean", &total, "");
    let bad: Vec<&Row> = rows.iter().filter(|row| !row.is_good()).collect();
    for row in &bad {
        println!("\n{}:", row.name);
        for failure in &row.tally.failures {
            println!("{failure}");
        }
    }
    if !bad.is_empty() {
        let names: Vec<&str> = bad.iter().map(|row| row.name.as_str()).collect();
        bail!("not as it must be: {}", names.join("; "));
    }
    Ok(total.points)
}

fn line(name: &str, tally: &Tally, result: &str) {
    let text = format!(
        "{name:<36} {:>6} {:>6} {:>6} {:>9} {:>6} {:>8.1}  {result}",
        tally.points,
        tally.of(Kind::Torn),
        tally.of(Kind::Lost),
        tally.of(Kind::Leftover),
        tally.of(Kind::Broken),
        tally.time.as_secs_f64(),
    );
    println!("{}", text.trim_end());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crash::check::Violation;

    fn tally(violations: &[&[Violation]]) -> Tally {
        let mut tally = Tally::default();
        violations.iter().for_each(|point| tally.count("again", point));
        tally
    }

    #[test]
    fn a_row_without_points_and_a_sabotage_without_damage_fail() {
        let torn = [Violation::new(Kind::Torn, "half"), Violation::new(Kind::Torn, "more")];
        assert!(print(&[Row::clean("nothing ran", tally(&[]))]).is_err());
        assert_eq!(print(&[Row::clean("clean", tally(&[&[], &[]]))]).unwrap(), 2);
        assert!(print(&[Row::clean("torn", tally(&[&[], &torn]))]).is_err());
        let sabotaged =
            |tally| Row { name: "s".into(), tally, expected: Expected::Some(Kind::Torn) };
        assert_eq!(print(&[sabotaged(tally(&[&torn]))]).unwrap(), 0);
        assert!(print(&[sabotaged(tally(&[&[]]))]).is_err());
    }

    #[test]
    fn a_point_counts_once_for_each_kind() {
        let point = [
            Violation::new(Kind::Torn, "a"),
            Violation::new(Kind::Torn, "b"),
            Violation::new(Kind::Lost, "c"),
        ];
        let tally = tally(&[&point, &[]]);
        assert_eq!((tally.points, tally.of(Kind::Torn), tally.of(Kind::Lost)), (2, 1, 1));
        assert_eq!(tally.of(Kind::Leftover), 0);
    }
}
