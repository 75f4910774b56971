//! `salve policy`: what a model would be allowed to do.
//!
//! In: a path as a model writes it. Out: allowed or not, the rule that decides, and why. Never does
//! what it is asked about.

use crate::arguments::{Format, PolicyCommand};
use crate::failure::{CommandResult, Ending, Failure};
use crate::workspace::folder;
use crate::{batch, output};
use salve_tree::{AdmitOptions, PathVerdict, Root};
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
struct Line {
    path: String,
}

/// Runs `salve policy`.
pub(crate) fn run(command: &PolicyCommand, format: Format) -> CommandResult {
    let PolicyCommand::Path { paths, directory, batch } = command;
    let folder = folder(directory.as_deref())?;
    let root = Root::open(&folder)
        .map_err(|error| Failure::new(format!("cannot open `{}`: {error}", folder.display())))?;
    let judge = |path: &str| root.judge(path, &AdmitOptions::default());
    if *batch {
        return batch::run(|line: Line| batch::object(&judge(&line.path)));
    }
    let verdicts: Vec<(&String, PathVerdict)> =
        paths.iter().map(|path| (path, judge(path))).collect();
    let document = |(path, verdict): &(&String, PathVerdict)| json!({ "path": path, "allow": verdict.allow, "rule": verdict.rule, "why": verdict.why });
    match format {
        Format::Human => output::result(&human(&verdicts))?,
        Format::Json => output::json(&verdicts.iter().map(document).collect::<Vec<_>>())?,
        Format::Jsonl => {
            for verdict in &verdicts {
                output::json_line(&document(verdict))?;
            }
        }
        Format::Sarif | Format::Github => {
            return Err(crate::no_such_format("policy path", format, "human, json, jsonl"));
        }
    }
    let all_allowed = verdicts.iter().all(|(_, verdict)| verdict.allow);
    Ok(if all_allowed { Ending::Clean } else { Ending::Findings })
}

fn human(verdicts: &[(&String, PathVerdict)]) -> String {
    let green = anstyle::AnsiColor::Green.on_default().bold();
    let red = anstyle::AnsiColor::Red.on_default().bold();
    verdicts
        .iter()
        .map(|(path, verdict)| {
            let shown = crate::change::visible(path);
            let (style, word) = if verdict.allow { (green, "allowed") } else { (red, "refused") };
            format!("{style}{word}{style:#}  {shown}  {}: {}\n", verdict.rule, verdict.why)
        })
        .collect()
}
