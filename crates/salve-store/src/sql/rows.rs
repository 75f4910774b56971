//! Many rows as one parameter: a JSON array of arrays.
//!
//! In: cells. Out: the text a statement unfolds with `json_each`. Never holds NUL: names are rid of it
//! before, and texts travel as bytes beside the rows.

use std::fmt::Write;

/// One value of a row.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Cell<'a> {
    Int(i64),
    MaybeInt(Option<i64>),
    Text(&'a str),
    MaybeText(Option<&'a str>),
}

/// Rows of one kind.
#[derive(Debug, Default)]
pub(crate) struct Rows(String);

impl Rows {
    pub(crate) fn push(&mut self, cells: &[Cell<'_>]) {
        self.0.push(if self.0.is_empty() { '[' } else { ',' });
        for (at, cell) in cells.iter().enumerate() {
            self.0.push(if at == 0 { '[' } else { ',' });
            match cell {
                Cell::Int(number) | Cell::MaybeInt(Some(number)) => {
                    // Writing to a string cannot fail.
                    let _ = write!(self.0, "{number}");
                }
                Cell::Text(text) | Cell::MaybeText(Some(text)) => quote(&mut self.0, text),
                Cell::MaybeInt(None) | Cell::MaybeText(None) => self.0.push_str("null"),
            }
        }
        self.0.push(']');
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Closes the list and returns its text.
    pub(crate) fn finish(mut self) -> String {
        self.0.push_str(if self.0.is_empty() { "[]" } else { "]" });
        self.0
    }
}

fn quote(out: &mut String, text: &str) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\0' => out.push('\u{fffd}'),
            control if control < ' ' => {
                let _ = write!(out, "\\u{:04x}", u32::from(control));
            }
            other => out.push(other),
        }
    }
    out.push('"');
}

/// Returns a count as the database keeps it.
pub(crate) fn int(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_json() {
        let mut rows = Rows::default();
        rows.push(&[Cell::Int(1), Cell::Text("a\"b\\c\n\0é"), Cell::MaybeInt(None)]);
        rows.push(&[Cell::MaybeText(Some("")), Cell::MaybeText(None), Cell::MaybeInt(Some(-2))]);
        let text = rows.finish();
        let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(value, serde_json::json!([[1, "a\"b\\c\n\u{fffd}é", null], ["", null, -2]]));
        assert_eq!(Rows::default().finish(), "[]");
    }
}
