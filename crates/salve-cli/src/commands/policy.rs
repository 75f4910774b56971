//! `salve policy`: what a model would be allowed to do, and what a person has allowed.
//!
//! In: a path or a command line as a model writes it. Out: allowed or not, the rule that decides, and
//! why; profiles and approvals. Never does what it is asked about.

mod approvals;
mod command;
mod profile;

use crate::arguments::{Format, PolicyCommand};
use crate::failure::{CommandResult, Ending, Failure};
use crate::{batch, output, workspace};
use salve_engine::host::Place;
use salve_tree::{AdmitOptions, DiskView, FileView as _, PathVerdict, Root};
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
struct Line {
    path: String,
}

/// Runs `salve policy`.
pub(crate) fn run(command: &PolicyCommand, format: Format) -> CommandResult {
    match command {
        PolicyCommand::Path { paths, place, batch } => {
            let place = workspace::place(place)?;
            judge_paths(paths, &open(&place)?, &place.here, *batch, format)
        }
        PolicyCommand::Command { lines, place, batch } => {
            let place = workspace::place(place)?;
            command::run(lines, &open(&place)?, &place, *batch, format)
        }
        PolicyCommand::Profile(arguments) => profile::run(arguments, format),
        PolicyCommand::Approvals { command } => approvals::run(command.as_ref(), format),
    }
}

fn open(place: &Place) -> Result<Root, Failure> {
    Root::open(&place.root)
        .map_err(|error| Failure::new(format!("cannot open `{}`: {error}", place.root.display())))
}

fn judge_paths(
    paths: &[String],
    root: &Root,
    here: &str,
    in_batch: bool,
    format: Format,
) -> CommandResult {
    let view = DiskView::new(root, AdmitOptions::default()).from_here(here);
    let judge = |path: &str| PathVerdict::of(&view.admit(path));
    if in_batch {
        return batch::run(|line: Line| batch::object(&judge(&line.path)));
    }
    let verdicts: Vec<(&String, PathVerdict)> =
        paths.iter().map(|path| (path, judge(path))).collect();
    let document = |(path, verdict): &(&String, PathVerdict)| json!({ "path": path, "allow": verdict.allow, "rule": verdict.rule, "why": verdict.why });
    match format {
        Format::Human => output::result(&human(&verdicts))?,
        _ => output::values(format, &verdicts.iter().map(document).collect::<Vec<_>>())?,
    }
    let all_allowed = verdicts.iter().all(|(_, verdict)| verdict.allow);
    Ok(if all_allowed { Ending::Clean } else { Ending::Findings })
}

fn human(verdicts: &[(&String, PathVerdict)]) -> String {
    let green = anstyle::AnsiColor::Green.on_default().bold();
    let red = anstyle::AnsiColor::Red.on_default().bold();
    let shown: Vec<String> =
        verdicts.iter().map(|(path, _)| crate::change::visible(path)).collect();
    let width = shown.iter().map(|path| path.chars().count()).max().unwrap_or(0);
    let rows = shown.iter().zip(verdicts);
    rows.map(|(shown, (_, verdict))| {
        let (style, word) = if verdict.allow { (green, "allowed") } else { (red, "refused") };
        format!("{style}{word}{style:#}  {shown:width$}  {}: {}\n", verdict.rule, verdict.why)
    })
    .collect()
}
