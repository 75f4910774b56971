//! `salve runs`: what was run in a workspace, by whom, and how it ended.
//!
//! In: the list of runs in `.salve`. Out: the last of them, or one with all of its output. Never runs
//! anything.

use super::history::ago;
use super::run::{line, sign};
use crate::arguments::{Format, RunsArguments};
use crate::failure::{CommandResult, Ending, Failure};
use crate::output;
use crate::workspace::{self, now};
use crate::wrap;
use salve_check::{RunLog, RunRecord};
use serde_json::json;
use std::path::Path;

/// Runs `salve runs`.
pub(crate) fn run(options: &RunsArguments, format: Format) -> CommandResult {
    let folder = workspace::place(&options.place)?.root;
    let log = RunLog::read(&folder)
        .map_err(|error| Failure::new(format!("cannot read the list of runs: {error}")))?;
    if log.unreadable > 0 {
        output::story(&format!("{} lines of the list cannot be read\n", log.unreadable));
    }
    if let Some(id) = &options.id {
        let record = log.records.iter().find(|record| record.id == *id).ok_or_else(|| {
            Failure::new(format!("there is no run `{id}`")).hint("`salve runs` lists them.")
        })?;
        return show(record, &folder, format);
    }
    let first = log.records.len().saturating_sub(options.last);
    let last = log.records.get(first..).unwrap_or_default();
    match format {
        Format::Human => output::result(&table(last))?,
        _ => output::values(format, last)?,
    }
    Ok(Ending::Clean)
}

/// How wide a line is where no terminal says it.
const PIPED_WIDTH: usize = 160;
/// How much of a command is shown on the narrowest terminal.
const NARROWEST_LINE: usize = 20;

// One line for each run, whatever it ran: a check may carry a script and many names.
fn table(records: &[RunRecord]) -> String {
    if records.is_empty() {
        return "nothing was run here\n".to_owned();
    }
    let dim = anstyle::Style::new().dimmed();
    let columns = wrap::width_of_result().unwrap_or(PIPED_WIDTH);
    let ids = records.iter().map(|record| record.id.chars().count()).max().unwrap_or(0);
    let endings = records.iter().map(|record| record.ending.in_words().chars().count()).max();
    let width = endings.unwrap_or(0);
    records
        .iter()
        .map(|record| {
            let gap = " ".repeat(width - record.ending.in_words().chars().count());
            let age = ago(now().saturating_sub(record.started_at.saturating_mul(1000)));
            let by = output::word(&record.by);
            let told = format!("  {:>7} ms  {by:<5}  {age:>8}  ", record.duration_ms);
            // A sign and a space stand before the ending.
            let used = ids + 2 + 2 + width + told.chars().count();
            let room = columns.saturating_sub(used).max(NARROWEST_LINE);
            let line = wrap::cut(&line(&record.plan), room);
            let id = format!("{dim}{:ids$}{dim:#}", record.id);
            format!("{id}  {}{gap}{told}{line}\n", sign(record))
        })
        .collect()
}

fn show(record: &RunRecord, folder: &Path, format: Format) -> CommandResult {
    let output_of = |ending: &str| -> Result<String, Failure> {
        let Some(file) = &record.output_file else { return Ok(String::new()) };
        match std::fs::read(folder.join(file).with_extension(ending)) {
            Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            Err(error) => Err(Failure::new(format!("the output is gone: {error}"))
                .hint("Only the last 256 MiB of outputs are kept.")),
        }
    };
    if format == Format::Human {
        output::story(&table(std::slice::from_ref(record)));
        if !record.ports.is_empty() {
            let ports: Vec<String> = record.ports.iter().map(u16::to_string).collect();
            output::story(&format!("  it could reach the ports {}\n", ports.join(", ")));
        }
        output::content(&output_of("out")?)?;
        output::story_as_drawn(&output_of("err")?);
    } else {
        output::json(&json!({
            "record": record,
            "stdout": output_of("out")?,
            "stderr": output_of("err")?,
        }))?;
    }
    Ok(Ending::Clean)
}
