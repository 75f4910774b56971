//! Reads JSONL `{id, input, mode}` and answers JSONL `{id, value, complete, repairs}`.
use salve_text::{ParseMode, ParseOptions, parse_json};
use serde_json::{Value, json};
use std::io::{BufRead, Write};

fn main() -> std::io::Result<()> {
    let mut out = std::io::BufWriter::new(std::io::stdout());
    for line in std::io::stdin().lock().lines() {
        let Ok(case) = serde_json::from_str::<Value>(&line?) else { continue };
        let mode = if case["mode"] == "text" { ParseMode::Text } else { ParseMode::Llm };
        let input = case["input"].as_str().unwrap_or_default();
        let parsed = parse_json(input, &ParseOptions { mode, ..ParseOptions::default() });
        let value = parsed.tree.root().map(|root| parsed.tree.to_value(root));
        let answer = json!({"id": case["id"], "value": value, "complete": parsed.complete, "repairs": parsed.repairs()});
        writeln!(out, "{answer}")?;
    }
    out.flush()
}
