//! `salve parse`: the JSON in a reply, held to a schema where one is given.
//!
//! In: a reply. Out: its value; with `--format json` also what was repaired, coerced, incomplete or
//! in violation of the schema. Never completes what a cut left unfinished.

use crate::arguments::{Format, ParseArguments};
use crate::failure::{CommandResult, Ending, Failure};
use crate::schemas::Schema;
use crate::{batch, input, output, render};
use salve_text::{
    Arrival, ParseMode, ParseOptions, Parsed, RecoveredChat, Repair, RepairMode, SchemaOptions,
    SchemaOutcome, ValueView, parse_json,
};
use serde::{Deserialize, Serialize};
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
    if schema.is_none() {
        let parsed = parse_json(&text, &options);
        drop(text);
        return report_plain(&parsed, format);
    }
    let outcome = read(&text, &options, schema.as_ref(), &SchemaOptions::default())?;
    let chat = schema.as_ref().and_then(|schema| schema.chat(&text));
    report(&outcome, chat.as_ref(), format)
}

// What a text says without a schema. It is written as it is made: a built value and a list of all
// repairs of a hostile text would be many times its size.
#[derive(Serialize)]
struct Plain<'a> {
    value: ValueView<'a>,
    complete: bool,
    repairs: &'a [Repair],
    #[serde(skip_serializing_if = "Option::is_none")]
    repairs_left_off: Option<usize>,
    coercions: [(); 0],
    violations: [(); 0],
    incomplete_paths: &'a [String],
}

fn report_plain(parsed: &Parsed, format: Format) -> CommandResult {
    let (repairs, more) = parsed.first_repairs();
    let paths = parsed.incomplete_paths();
    match format {
        Format::Human => {
            output::json(&parsed.view())?;
            let mut text = String::new();
            tell_repairs(&mut text, &repairs, more);
            if !parsed.complete {
                tell_incomplete(&mut text, &paths);
            }
            output::story(&text);
        }
        _ => output::value(
            format,
            &Plain {
                value: parsed.view(),
                complete: parsed.complete,
                repairs: &repairs,
                repairs_left_off: (more > 0).then_some(more),
                coercions: [],
                violations: [],
                incomplete_paths: &paths,
            },
        )?,
    }
    Ok(if parsed.complete { Ending::Clean } else { Ending::Findings })
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
    let (repairs, repairs_left_off) = parsed.first_repairs();
    Ok(SchemaOutcome {
        value: parsed.value(),
        complete: parsed.complete,
        repairs,
        repairs_left_off,
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

// How many repairs and paths are told to a person; `--format json` lists more of them.
const TOLD: usize = 40;

fn story(outcome: &SchemaOutcome) -> String {
    let dim = anstyle::Style::new().dimmed();
    let red = anstyle::AnsiColor::Red.on_default();
    let mut text = String::new();
    tell_repairs(&mut text, &outcome.repairs, outcome.repairs_left_off);
    for coercion in &outcome.coercions {
        text.push_str(&format!("{dim}coerced {}: {}{dim:#}\n", coercion.path, json!(coercion)));
    }
    for violation in &outcome.violations {
        text.push_str(&format!("{red}invalid{red:#} {}: {}\n", violation.path, violation.message));
    }
    if !outcome.complete {
        tell_incomplete(&mut text, &outcome.incomplete_paths);
    }
    text
}

fn tell_repairs(text: &mut String, repairs: &[Repair], more: usize) {
    let dim = anstyle::Style::new().dimmed();
    for repair in repairs.iter().take(TOLD) {
        let (before, after) = (render::shortened(&repair.before), render::shortened(&repair.after));
        text.push_str(&format!(
            "{dim}repaired {} at byte {}: {before} → {after}{dim:#}\n",
            repair.code.name(),
            repair.span.start,
        ));
    }
    let untold = repairs.len().saturating_sub(TOLD) + more;
    if untold > 0 {
        text.push_str(&format!("{dim}and {untold} more repairs{dim:#}\n"));
    }
}

fn tell_incomplete(text: &mut String, paths: &[String]) {
    let red = anstyle::AnsiColor::Red.on_default();
    let told: Vec<&str> = paths.iter().take(TOLD).map(String::as_str).collect();
    let untold = paths.len() - told.len();
    let more = if untold > 0 { format!(", and {untold} more") } else { String::new() };
    text.push_str(&format!("{red}incomplete{red:#}: {}{more}\n", told.join(", ")));
}
