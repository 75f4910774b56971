//! The table at the end.
//!
//! In: rows of the parts. Out: lines that line up, each goal with PASS or BELOW. Never hides a part
//! that did not run.

/// One figure.
pub(crate) struct Row {
    part: &'static str,
    what: String,
    figure: String,
    goal: Option<Goal>,
}

/// What a figure is held to.
struct Goal {
    words: String,
    reached: bool,
}

impl Row {
    /// A figure that is only told.
    pub(crate) fn new(part: &'static str, what: impl Into<String>, figure: String) -> Self {
        Self { part, what: what.into(), figure, goal: None }
    }

    /// A figure that has a goal.
    pub(crate) fn with_goal(mut self, words: impl Into<String>, reached: bool) -> Self {
        self.goal = Some(Goal { words: words.into(), reached });
        self
    }

    /// Returns whether its goal was missed.
    pub(crate) fn is_below(&self) -> bool {
        self.goal.as_ref().is_some_and(|goal| !goal.reached)
    }
}

/// Writes rows as a table.
pub(crate) fn table(rows: &[Row]) -> String {
    let width = |cell: fn(&Row) -> usize| rows.iter().map(cell).max().unwrap_or(0);
    let (what, figure) = (width(|row| row.what.len()), width(|row| row.figure.len()));
    let mut text = String::new();
    for row in rows {
        let goal = row.goal.as_ref().map_or(String::new(), |goal| {
            format!("{}  {}", goal.words, if goal.reached { "PASS" } else { "BELOW" })
        });
        let line = format!("{:<8} {:<what$}  {:>figure$}  {goal}", row.part, row.what, row.figure);
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_a_missed_goal_is_below() {
        let rows = [
            Row::new("suites", "tests", "12".to_owned()),
            Row::new("speed", "jobs a second", "7".to_owned()).with_goal(">= 10", false),
        ];
        assert_eq!(rows.each_ref().map(Row::is_below), [false, true]);
        let lines = "suites   tests          12\nspeed    jobs a second   7  >= 10  BELOW\n";
        assert_eq!(table(&rows), lines);
    }
}
