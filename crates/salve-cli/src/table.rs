//! Columns that line up.
//!
//! In: rows of cells, the first of them the names of the columns. Out: text, numbers to the right.
//! Never cuts a cell.

use crate::change::visible;

/// How a column is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// Writes rows under their names. Cells may hold foreign text and are shown escaped.
pub(crate) fn table(columns: &[(&str, Align)], rows: &[Vec<String>]) -> String {
    let dim = anstyle::Style::new().dimmed();
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| visible(cell)).collect()).collect();
    let widths: Vec<usize> = columns
        .iter()
        .enumerate()
        .map(|(at, (name, _))| {
            let cells = rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.chars().count());
            cells.chain([name.chars().count()]).max().unwrap_or(0)
        })
        .collect();
    let line = |cells: &[&str]| -> String {
        let mut text = String::new();
        for ((cell, width), (_, align)) in cells.iter().zip(&widths).zip(columns) {
            let gap = " ".repeat(width - cell.chars().count());
            match align {
                Align::Left => text.push_str(&format!("{cell}{gap}  ")),
                Align::Right => text.push_str(&format!("{gap}{cell}  ")),
            }
        }
        text.truncate(text.trim_end().len());
        text
    };
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    let mut text = format!("{dim}{}{dim:#}\n", line(&names));
    for row in &rows {
        let cells: Vec<&str> = row.iter().map(String::as_str).collect();
        text.push_str(&line(&cells));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_cells_are_escaped() {
        let rows = [
            vec!["é".to_owned(), "1".to_owned()],
            vec!["long\u{1b}[31m".to_owned(), "1234".to_owned()],
        ];
        let text = table(&[("name", Align::Left), ("count", Align::Right)], &rows);
        let plain = anstream::adapter::strip_str(&text).to_string();
        insta::assert_snapshot!(plain, @r"
        name            count
        é                   1
        long\u{1b}[31m   1234
        ");
    }
}
