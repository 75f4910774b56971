//! `salve parse`: the JSON in a reply, held to a schema where one is given.
//!
//! In: a reply. Out: its value; with `--format json` also what was repaired, coerced, incomplete or
//! in violation of the schema. Never completes what a cut left unfinished.

use crate::arguments::{Format, ParseArguments};
use crate::failure::{CommandResult, Ending, Failure};
use crate::schemas::Schema;
use crate::{batch, input, output, render};
use salve_text::{
    Arrival, ParseMode, ParseOptions, RecoveredChat, RepairMode, SchemaOptions, SchemaOutcome,
    parse_json,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

#[derive(Deserialize)]
struct Line {
    input: String,
    mode: Option<String>,
    schema: Option<Value>,
    kind: Option<String>,
    opts: Option<Options>,
}

#[derive(Deserialize)]
struct Options {
    schema_repair_mode: Option<String>,
}

/// Runs `salve parse`.
pub(crate) fn run(arguments: &ParseArguments, format: Format) -> CommandResult {
    let schema = arguments.schema.as_deref().map(Schema::find).transpose()?;
    let options =
        ParseOptions { mode: arguments.mode.unwrap_or_default(), ..ParseOptions::default() };
    if arguments.batch {
        return batch::run(|line: Line| answer(&line, schema.as_ref(), &options));
    }
    let text = input::text(arguments.file.as_deref())?;
    let outcome = read(&text, &options, schema.as_ref(), &SchemaOptions::default())?;
    let chat = schema.as_ref().and_then(|schema| schema.chat(&text));
    report(&outcome, chat.as_ref(), format)
}

/// Prints an outcome and says how it ended.
pub(crate) fn report(
    outcome: &SchemaOutcome,
    chat: Option<&RecoveredChat>,
    format: Format,
) -> CommandResult {
    match format {
        Format::Human => {
            output::json(&outcome.value)?;
            output::story(&story(outcome));
        }
        _ => output::value(format, &document(outcome, chat)?)?,
    }
    let good = outcome.complete && outcome.violations.is_empty();
    Ok(if good { Ending::Clean } else { Ending::Findings })
}

// A chat reply is also told field by field, as far as it is certain.
fn document(outcome: &SchemaOutcome, chat: Option<&RecoveredChat>) -> Result<Value, Failure> {
    let mut document = serde_json::to_value(outcome)?;
    if let Some(chat) = chat {
        document["chat"] = serde_json::to_value(chat)?;
    }
    Ok(document)
}

/// Reads a text, by a schema if there is one.
pub(crate) fn read(
    text: &str,
    options: &ParseOptions,
    schema: Option<&Schema>,
    schema_options: &SchemaOptions,
) -> Result<SchemaOutcome, Failure> {
    if let Some(schema) = schema {
        return schema.read(text, options, schema_options);
    }
    let parsed = parse_json(text, options);
    Ok(SchemaOutcome {
        value: parsed.value(),
        complete: parsed.complete,
        repairs: parsed.repairs(),
        coercions: Vec::new(),
        violations: Vec::new(),
        incomplete_paths: parsed.incomplete_paths(),
    })
}

fn answer(
    line: &Line,
    schema: Option<&Schema>,
    options: &ParseOptions,
) -> Result<Map<String, Value>, String> {
    let mode = match line.mode.as_deref() {
        None => options.mode,
        Some("llm") => ParseMode::Llm,
        Some("text") => ParseMode::Text,
        Some(other) => return Err(format!("unknown mode `{other}`; use `llm` or `text`")),
    };
    let named = match &line.schema {
        None | Some(Value::Null) => None,
        Some(value) => {
            Some(Schema::from_value(value).map_err(|error| batch::failure_text(&error))?)
        }
    };
    let repair = line.opts.as_ref().and_then(|opts| opts.schema_repair_mode.as_deref());
    let schema_options = SchemaOptions {
        arrival: if line.kind.as_deref() == Some("partial") {
            Arrival::Partial
        } else {
            Arrival::Whole
        },
        mode: match repair {
            Some("salvage") => RepairMode::Salvage,
            _ => RepairMode::Standard,
        },
    };
    let options = ParseOptions { mode, ..options.clone() };
    let schema = named.as_ref().or(schema);
    let outcome = read(&line.input, &options, schema, &schema_options)
        .map_err(|error| batch::failure_text(&error))?;
    let chat = schema.and_then(|schema| schema.chat(&line.input));
    batch::object(&document(&outcome, chat.as_ref()).map_err(|error| batch::failure_text(&error))?)
}

fn story(outcome: &SchemaOutcome) -> String {
    let dim = anstyle::Style::new().dimmed();
    let red = anstyle::AnsiColor::Red.on_default();
    let mut text = String::new();
    for repair in &outcome.repairs {
        let (before, after) = (render::shortened(&repair.before), render::shortened(&repair.after));
        text.push_str(&format!(
            "{dim}repaired {} at byte {}: {before} → {after}{dim:#}\n",
            repair.code.name(),
            repair.span.start,
        ));
    }
    for coercion in &outcome.coercions {
        text.push_str(&format!("{dim}coerced {}: {}{dim:#}\n", coercion.path, json!(coercion)));
    }
    for violation in &outcome.violations {
        text.push_str(&format!("{red}invalid{red:#} {}: {}\n", violation.path, violation.message));
    }
    if !outcome.complete {
        let paths = outcome.incomplete_paths.join(", ");
        text.push_str(&format!("{red}incomplete{red:#}: {paths}\n"));
    }
    text
}
