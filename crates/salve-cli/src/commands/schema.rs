//! `salve schema`: the schemas a reply can be held to.
//!
//! In: a name, or a text to check. Out: a list, a JSON Schema, or an outcome. Never skips an unknown
//! name in silence.

use crate::arguments::{Format, SchemaCommand};
use crate::failure::{CommandResult, Ending, Failure};
use crate::schemas::Schema;
use crate::{input, output};
use salve_text::{ParseOptions, SchemaName, SchemaOptions};
use serde_json::{Value, json};

/// Runs `salve schema …`.
pub(crate) fn run(command: &SchemaCommand, format: Format) -> CommandResult {
    match command {
        SchemaCommand::List => list(format),
        SchemaCommand::Show { name } => {
            let name: SchemaName = name.parse().map_err(Failure::new)?;
            output::json(&name.schema())?;
            Ok(Ending::Clean)
        }
        SchemaCommand::Check { schema, file } => {
            let schema = Schema::find(schema)?;
            let text = input::text(file.as_deref())?;
            let outcome =
                schema.read(&text, &ParseOptions::default(), &SchemaOptions::default())?;
            super::parse::report(&outcome, schema.chat(&text).as_ref(), format)
        }
    }
}

fn list(format: Format) -> CommandResult {
    let rows: Vec<Value> = SchemaName::ALL
        .iter()
        .map(|name| json!({ "name": name.name(), "carrier": name.carrier(), "summary": name.summary() }))
        .collect();
    match format {
        Format::Human => {
            let width = SchemaName::ALL.iter().map(|name| name.name().len()).max().unwrap_or(0);
            for name in SchemaName::ALL {
                output::result(&format!("{:width$}  {}\n", name.name(), name.summary()))?;
            }
        }
        _ => output::values(format, &rows)?,
    }
    Ok(Ending::Clean)
}
