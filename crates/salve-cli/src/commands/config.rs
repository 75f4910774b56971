//! `salve config show`: every setting in force and, with `--origin`, who said so.
//!
//! In: the settings of all levels. Out: a table or JSON. Never writes a configuration file.

use crate::arguments::{ConfigCommand, Format};
use crate::failure::{CommandResult, Ending};
use crate::output;
use crate::settings::Settings;
use serde_json::{Map, Value, json};

/// Runs `salve config …`.
pub(crate) fn run(command: &ConfigCommand, format: Format) -> CommandResult {
    let ConfigCommand::Show { origin } = command;
    let settings = Settings::load()?;
    match format {
        Format::Human => output::result(&table(&settings, *origin))?,
        _ => output::value(format, &document(&settings, *origin))?,
    }
    for line in &settings.ignored {
        output::story(&format!("ignored: {line}\n"));
    }
    Ok(Ending::Clean)
}

fn table(settings: &Settings, origin: bool) -> String {
    let rows = settings.rows();
    let width =
        |column: fn(&(String, String, String)) -> usize| rows.iter().map(column).max().unwrap_or(0);
    let (keys, values) = (width(|row| row.0.len()), width(|row| row.1.chars().count()));
    let dim = anstyle::Style::new().dimmed();
    rows.iter()
        .map(|(key, value, from)| {
            if origin {
                format!("{key:keys$}  {value:values$}  {dim}{from}{dim:#}\n")
            } else {
                format!("{key:keys$}  {value}\n")
            }
        })
        .collect()
}

fn document(settings: &Settings, origin: bool) -> Value {
    let rows = settings.rows().into_iter().map(|(key, value, from)| {
        let shown = if origin { json!({ "value": value, "origin": from }) } else { json!(value) };
        (key, shown)
    });
    Value::Object(rows.collect::<Map<_, _>>())
}
