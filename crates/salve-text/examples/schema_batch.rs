//! Answers JSONL lines by schema, for the scorers.
//!
//! In: lines `{id, input, mode?, schema?, kind?, opts?}`. Out: lines `{id, value, complete,
//! repairs}`. Never stops at a line it cannot read.

use salve_text::{
    Arrival, CompiledSchema, ParseMode, ParseOptions, RepairMode, SchemaOptions, parse_json,
    parse_with_schema,
};
use serde_json::{Value, json};
use std::io::{BufRead, Write};

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let case: Value = serde_json::from_str(&line?).unwrap_or_default();
        writeln!(out, "{}", answer(&case))?;
    }
    Ok(())
}

fn answer(case: &Value) -> Value {
    let text = case["input"].as_str().unwrap_or_default();
    let mode = match case["opts"]["schema_repair_mode"].as_str() {
        Some("salvage") => RepairMode::Salvage,
        _ => RepairMode::Standard,
    };
    let arrival = if case["kind"] == "partial" { Arrival::Partial } else { Arrival::Whole };
    let parse_mode = if case["mode"] == "text" { ParseMode::Text } else { ParseMode::Llm };
    let parse_options = ParseOptions { mode: parse_mode, ..ParseOptions::default() };
    if case.get("schema").is_none() {
        let got = parse_json(text, &parse_options);
        let value = got.tree.root().map(|root| got.tree.to_value(root));
        return json!({
            "id": case["id"], "value": value, "complete": got.complete, "repairs": got.repairs(),
        });
    }
    let schema = CompiledSchema::new(case.get("schema").cloned().unwrap_or(json!({})));
    match schema {
        Ok(schema) => {
            let options = SchemaOptions { arrival, mode };
            let got = parse_with_schema(text, &parse_options, &schema, &options);
            json!({
                "id": case["id"], "value": got.value, "complete": got.complete,
                "repairs": got.repairs, "coercions": got.coercions,
            })
        }
        Err(error) => json!({ "id": case["id"], "error": error.to_string() }),
    }
}
