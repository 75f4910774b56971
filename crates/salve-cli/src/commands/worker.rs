//! `salve worker`: takes jobs and does them, until it is told to stop.
//!
//! In: where the jobs are and what this machine can serve. Out: a log. The first request to stop lets
//! running steps end and says which, the second ends at once. Never takes a job whose toolchain or root
//! it does not have.

mod busy;

pub(crate) use busy::Busy;

use crate::arguments::{Format, LogFormat, WorkerArguments};
use crate::failure::{CommandResult, Ending, Failure};
use crate::job_place::{self, OpenJobs};
use crate::{log, output, runtime};
use salve_jobs::{RunningRunner, WorkerOptions};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

const SAY_EVERY: Duration = Duration::from_secs(5);

/// Runs `salve worker`.
pub(crate) fn run(arguments: &WorkerArguments, format: Format) -> CommandResult {
    let log_format = if format == Format::Human { LogFormat::Human } else { LogFormat::Json };
    let roots = roots(&arguments.roots)?;
    log::start(log_format, false);
    let name = arguments.name.as_deref().unwrap_or("worker");
    let lease = Duration::from_secs(arguments.lease);
    job_place::with(&arguments.place, name, async |open| {
        let options = WorkerOptions {
            worker: open.worker(),
            steps_at_once: usize::from(arguments.steps),
            step_lease: lease,
            flow_lease: Duration::from_secs(arguments.lease.div_ceil(2)),
            toolchains: arguments.toolchains.iter().cloned().collect(),
            roots: roots.keys().cloned().collect::<BTreeSet<_>>(),
            ..WorkerOptions::default()
        };
        announce(open, &options, format)?;
        let busy = Busy::default();
        let runner = open.run_watched(options, roots, &busy).await?;
        runtime::interrupted().await?;
        drain(runner, &busy, Duration::from_secs(arguments.drain_seconds)).await
    })
}

// A root that is not there would fail each job that was promised one.
fn roots(said: &[String]) -> Result<BTreeMap<String, PathBuf>, Failure> {
    let mut roots = BTreeMap::new();
    for pair in said {
        let (name, path) = pair.split_once('=').unwrap_or((pair, pair));
        let path = std::fs::canonicalize(path).map_err(|error| {
            Failure::new(format!("the root `{name}` is not there: {error}"))
                .hint("It looks like --root PATH, or --root NAME=PATH.")
        })?;
        // A heal that was begun in a folder of this machine knows it by its path.
        let name = if name == pair { path.display().to_string() } else { name.to_owned() };
        roots.insert(name, path);
    }
    Ok(roots)
}

fn announce(open: &OpenJobs<'_>, options: &WorkerOptions, format: Format) -> Result<(), Failure> {
    if format != Format::Human {
        return output::json_line(&json!({
            "worker": options.worker,
            "jobs": open.place(),
            "toolchains": options.toolchains,
            "roots": options.roots,
            "steps": options.steps_at_once,
        }));
    }
    output::result(&format!("{} takes jobs from {}\n", options.worker, open.place()))?;
    let list = |names: &BTreeSet<String>| names.iter().cloned().collect::<Vec<_>>().join(", ");
    if !options.toolchains.is_empty() {
        output::story(&format!("Toolchains: {}\n", list(&options.toolchains)));
    }
    if !options.roots.is_empty() {
        output::story(&format!("Roots: {}\n", list(&options.roots)));
    }
    output::story("Ctrl-C lets running steps end; a second one ends at once.\n");
    Ok(())
}

async fn drain(runner: Box<dyn RunningRunner>, busy: &Busy, grace: Duration) -> CommandResult {
    output::story(&format!("No new jobs are taken; {}.\n", busy.words()));
    let mut drained = runner.drain(grace);
    let again = runtime::interrupted();
    tokio::pin!(again);
    loop {
        tokio::select! {
            handed_back = &mut drained => {
                if handed_back > 0 {
                    output::story(&format!("{handed_back} steps went back to the queue.\n"));
                    return Ok(Ending::LimitReached);
                }
                return Ok(Ending::Clean);
            }
            ended = &mut again => {
                ended?;
                let left = busy.running().len();
                output::story(&format!(
                    "Ended at once; {left} running steps go to another worker when their leases expire.\n"
                ));
                return Ok(Ending::LimitReached);
            }
            () = tokio::time::sleep(SAY_EVERY) => {
                output::story(&format!("Still {}.\n", busy.words()));
            }
        }
    }
}
