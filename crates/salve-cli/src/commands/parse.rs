//! `salve parse`: the JSON in a reply, held to a schema where one is given.
//!
//! In: a reply. Out: its value; with `--format json` also what was repaired, coerced, incomplete or
//! in violation of the schema. Never completes what a cut left unfinished.

use crate::arguments::{Format, ParseArguments};
use crate::failure::{CommandResult, Ending};
use crate::schemas::Schema;
use crate::{batch, input, output, render};
use salve_text::{
    Arrival, ParseMode, ParseOptions, Parsed, RecoveredChat, Repair, RepairMode, SchemaOptions,
    SchemaOutcome, ValueView, parse_json,
};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

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
    let Some(schema) = schema else {
        let parsed = parse_json(&text, &options);
        drop(text);
        return report_plain(&parsed, format);
    };
    let outcome = schema.read(&text, &options, &SchemaOptions::default())?;
    report(&outcome, schema.chat(&text).as_ref(), format)
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

impl<'a> Plain<'a> {
    fn of(parsed: &'a Parsed, repairs: &'a [Repair], more: usize, paths: &'a [String]) -> Self {
        Self {
            value: parsed.view(),
            complete: parsed.complete,
            repairs,
            repairs_left_off: (more > 0).then_some(more),
            coercions: [],
            violations: [],
            incomplete_paths: paths,
        }
    }
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
        _ => output::value(format, &Plain::of(parsed, &repairs, more, &paths))?,
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
        _ => output::value(format, &Document { outcome, chat })?,
    }
    let good = outcome.complete && outcome.violations.is_empty();
    Ok(if good { Ending::Clean } else { Ending::Findings })
}

// What a text says by a schema. A chat reply is also told field by field, as far as it is certain.
#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    outcome: &'a SchemaOutcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    chat: Option<&'a RecoveredChat>,
}

// The answer to one line of a batch.
enum Answer {
    Plain(Box<Parsed>),
    BySchema(Box<(SchemaOutcome, Option<RecoveredChat>)>),
}

impl Serialize for Answer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Plain(parsed) => {
                let (repairs, more) = parsed.first_repairs();
                let paths = parsed.incomplete_paths();
                Plain::of(parsed, &repairs, more, &paths).serialize(serializer)
            }
            Self::BySchema(both) => {
                let (outcome, chat) = both.as_ref();
                Document { outcome, chat: chat.as_ref() }.serialize(serializer)
            }
        }
    }
}

fn answer(line: &Line, schema: Option<&Schema>, options: &ParseOptions) -> Result<Answer, String> {
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
    let Some(schema) = named.as_ref().or(schema) else {
        return Ok(Answer::Plain(Box::new(parse_json(&line.input, &options))));
    };
    let outcome = schema
        .read(&line.input, &options, &schema_options)
        .map_err(|error| batch::failure_text(&error))?;
    Ok(Answer::BySchema(Box::new((outcome, schema.chat(&line.input)))))
}

// How many repairs and paths a person is shown; `--format json` lists more of them.
const TOLD: usize = 40;

fn story(outcome: &SchemaOutcome) -> String {
    let dim = anstyle::Style::new().dimmed();
    let red = anstyle::AnsiColor::Red.on_default();
    let mut text = String::new();
    tell_repairs(&mut text, &outcome.repairs, outcome.repairs_left_off);
    for coercion in outcome.coercions.iter().take(TOLD) {
        text.push_str(&format!("{dim}coerced {}: {}{dim:#}\n", coercion.path, json!(coercion)));
    }
    tell_untold(&mut text, outcome.coercions.len() + outcome.coercions_left_off, "coercions");
    for violation in outcome.violations.iter().take(TOLD) {
        text.push_str(&format!("{red}invalid{red:#} {}: {}\n", violation.path, violation.message));
    }
    tell_untold(&mut text, outcome.violations.len(), "violations");
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
    tell_untold(text, repairs.len() + more, "repairs");
}

fn tell_untold(text: &mut String, all: usize, things: &str) {
    let dim = anstyle::Style::new().dimmed();
    let untold = all.saturating_sub(TOLD);
    if untold > 0 {
        text.push_str(&format!("{dim}and {untold} more {things}{dim:#}\n"));
    }
}

fn tell_incomplete(text: &mut String, paths: &[String]) {
    let red = anstyle::AnsiColor::Red.on_default();
    let told: Vec<&str> = paths.iter().take(TOLD).map(String::as_str).collect();
    let untold = paths.len() - told.len();
    let more = if untold > 0 { format!(", and {untold} more") } else { String::new() };
    text.push_str(&format!("{red}incomplete{red:#}: {}{more}\n", told.join(", ")));
}
