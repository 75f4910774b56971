//! `salve knowledge learn`: rules from fixes that people bring along.
//!
//! In: lines, each a text that a command refuses and one that it accepts. Out: for each line the rules that are
//! new, or why it teaches nothing. The commands are the user's own; they run in the sandbox, each in a folder
//! of its own that is deleted. Never keeps a rule from a pair that the command does not confirm.

use super::root;
use crate::arguments::{FolderArguments, Format, PlaceArguments};
use crate::change::visible;
use crate::failure::{CommandResult, Ending};
use crate::settings::Settings;
use crate::{host, input, job_place, output, run_environment, unguarded, workspace_config};
use salve_check::{Keep, Runner};
use salve_engine::knowledge::{FixExample, FixRule, LearnPair, Remembering, example_of};
use serde::Serialize;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What became of a line.
#[derive(Debug, Serialize)]
struct Learned {
    id: String,
    /// The rules that are new, from specific to general.
    rules: Vec<FixRule>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// Learns from every line of a file.
pub(super) fn run(
    store: &PlaceArguments,
    place: &FolderArguments,
    file: &Path,
    yes: bool,
    format: Format,
) -> CommandResult {
    let lines = lines(&input::text(Some(file))?);
    let folder = host::private_folder("salve-learn-")?;
    let runner = workspace_config::open(folder.path())?.workspace.runner(Keep::Nothing)?;
    if !unguarded::may_run_with(&runner, folder.path(), yes)? {
        return Ok(Ending::NeedsApproval);
    }
    let settings = Settings::load()?;
    let environment = run_environment::chosen(&settings, &[])?.values;
    let examples = examples(&lines, folder.path(), &environment, &runner);
    let workspace = root(place)?;
    let learned = job_place::with(store, "learn", async |open| {
        let remembering = Remembering {
            store: open.store(),
            heal: "learn",
            workspace: &workspace,
            scope: settings.knowledge.value.share,
        };
        let mut learned = Vec::new();
        for (id, example) in examples {
            learned.push(match example {
                Ok(example) => {
                    Learned { id, rules: remembering.learn_from(&example).await?, error: None }
                }
                Err(error) => Learned { id, rules: Vec::new(), error: Some(error) },
            });
        }
        Ok(learned)
    })?;
    let failed = learned.iter().any(|one| one.error.is_some());
    match format {
        Format::Human => output::result(&drawn(&learned))?,
        _ => output::values(format, &learned)?,
    }
    Ok(if failed { Ending::Findings } else { Ending::Clean })
}

// A line that is no pair is answered like one that teaches nothing.
fn lines(text: &str) -> Vec<(String, Result<LearnPair, String>)> {
    let read = |(number, line): (usize, &str)| match serde_json::from_str::<LearnPair>(line) {
        Ok(pair) => (pair.id.clone(), Ok(pair)),
        Err(error) => {
            let named = serde_json::from_str::<serde_json::Value>(line).ok();
            let id = named.and_then(|line| line.get("id")?.as_str().map(str::to_owned));
            let why = format!("line {} is no pair: {error}", number + 1);
            (id.unwrap_or_else(|| format!("line {}", number + 1)), Err(why))
        }
    };
    text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).map(read).collect()
}

type Examples = Vec<(String, Result<FixExample, String>)>;

// As many at a time as there are cores; in the order of the lines.
fn examples(
    lines: &[(String, Result<LearnPair, String>)],
    folder: &Path,
    environment: &[(String, String)],
    runner: &Runner,
) -> Examples {
    let next = AtomicUsize::new(0);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let one = |number: usize, pair: &LearnPair| -> Result<FixExample, String> {
        let folder = folder.join(number.to_string());
        std::fs::create_dir(&folder).map_err(|error| error.to_string())?;
        example_of(pair, &folder, environment, runner).map_err(|error| error.to_string())
    };
    let work = || {
        let mut made = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some((id, pair)) = lines.get(number) else { return made };
            let example = pair.as_ref().map_err(Clone::clone).and_then(|pair| one(number, pair));
            made.push((number, id.clone(), example));
        }
    };
    let mut made: Vec<_> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..cores.min(lines.len())).map(|_| scope.spawn(work)).collect();
        running.into_iter().flat_map(|one| one.join().unwrap_or_default()).collect()
    });
    made.sort_by_key(|(number, ..)| *number);
    made.into_iter().map(|(_, id, example)| (id, example)).collect()
}

fn drawn(learned: &[Learned]) -> String {
    let mut text = String::new();
    for one in learned {
        if let Some(error) = &one.error {
            text.push_str(&format!("{}: nothing learned: {}\n", visible(&one.id), visible(error)));
        }
    }
    let rules: usize = learned.iter().map(|one| one.rules.len()).sum();
    let taught = learned.iter().filter(|one| !one.rules.is_empty()).count();
    text.push_str(&format!(
        "{} new from {taught} of {}; `salve knowledge list` shows them\n",
        output::counted(rules, "rule"),
        output::counted(learned.len(), "pair")
    ));
    text
}
