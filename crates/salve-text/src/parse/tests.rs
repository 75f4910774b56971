//! Tests of the tolerant reader: tables by kind of damage, properties, hostile input.

mod properties;

use super::{ParseMode, ParseOptions, Parsed, parse_json};
use serde_json::Value;

fn parse(text: &str, mode: ParseMode) -> Parsed {
    parse_json(text, &ParseOptions { mode, ..ParseOptions::default() })
}

fn value(parsed: &Parsed) -> Option<Value> {
    parsed.tree.root().map(|root| parsed.tree.to_value(root))
}
