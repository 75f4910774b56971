//! Tests of the tolerant reader: tables by kind of damage, properties, hostile input.

mod cuts;
mod damage;
mod hostile;
mod properties;
mod prose;
mod reports;
mod vanish;

use super::{ParseMode, ParseOptions, Parsed, parse_json};
use serde_json::Value;

fn parse(text: &str, mode: ParseMode) -> Parsed {
    parse_json(text, &ParseOptions { mode, ..ParseOptions::default() })
}

fn value(parsed: &Parsed) -> Option<Value> {
    parsed.tree.root().map(|root| parsed.tree.to_value(root))
}

// Each row: what was written, and what it must be read as.
fn check_table(mode: ParseMode, rows: &[(&str, &str)]) {
    for (text, want) in rows {
        let want: Value = serde_json::from_str(want).expect("the table holds strict JSON");
        assert_eq!(value(&parse(text, mode)), Some(want), "{mode:?} {text}");
    }
}

fn check_both(rows: &[(&str, &str)]) {
    check_table(ParseMode::Llm, rows);
    check_table(ParseMode::Text, rows);
}
