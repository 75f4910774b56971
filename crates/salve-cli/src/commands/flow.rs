//! `salve flow`: a pipeline that a team writes as a file, run, checked or drawn.
//!
//! In: a manifest, a request. Out: block and signal of each step and how it ended; exit code 0 (completed), 1
//! (halted, or a broken manifest), 3 (halted, and what was written is taken back), 4 (a person must allow something), 5
//! (a limit). The flow is a durable job that this process runs; killed, it goes on when it is started again. Never
//! leaves a file behind of a flow that did not succeed.

mod bars;
mod draw;
mod follow;
mod settings;

use crate::arguments::{
    FlowArguments, FlowCommand, FlowGraphArguments, FlowRunArguments, Format, ManifestArguments,
    PlaceArguments,
};
use crate::failure::{CommandResult, Ending, Failure};
use crate::heal_host::CommandHost;
use crate::job_place::{self, OpenJobs};
use crate::settings::Settings;
use crate::{input, output, run_environment, unguarded, workspace, workspace_config};
use salve_check::Keep;
use salve_engine::workflow::{
    BlockRun, Broken, DEFAULT_MANIFEST, FlowManifest, FlowReport, Worker, graph, load,
};
use serde_json::json;
use std::sync::Arc;

/// Runs `salve flow`.
pub(crate) fn run(arguments: &FlowArguments, format: Format) -> CommandResult {
    match &arguments.command {
        FlowCommand::Run(options) => run_flow(options, format),
        FlowCommand::Check(options) => check(options, format),
        FlowCommand::Graph(options) => draw_graph(options, format),
    }
}

fn run_flow(arguments: &FlowRunArguments, format: Format) -> CommandResult {
    let manifest = loaded(&arguments.manifest)?.map_err(|broken| refused(&broken, arguments))?;
    let request = settings::request(arguments)?;
    let place = workspace::place(&arguments.place)?;
    let configured = workspace_config::open(&place.root)?;
    configured.say_what_is_passed_over();
    let runs_programs = |block: &salve_engine::workflow::FlowBlock| {
        matches!(block.worker, Worker::Check | Worker::Heal | Worker::Command)
    };
    if manifest.blocks.iter().any(runs_programs) {
        let runner = configured.workspace.runner(Keep::RECORDS)?;
        if !unguarded::may_run_with(&runner, &place.root, arguments.yes)? {
            return Ok(Ending::NeedsApproval);
        }
    }
    let settings = Settings::load_for(Some(&place.folder()))?;
    let environment = run_environment::chosen(&settings, &[])?.values;
    let input = settings::input(arguments, &settings, &place, manifest, &request)?;
    let host = Arc::new(CommandHost { environment });
    let (report, trace) =
        job_place::with(&PlaceArguments::default(), "flow", async |open: &OpenJobs<'_>| {
            follow::run_and_follow(open, host, input, &request, arguments.watch, format).await
        })?;
    if arguments.explain {
        output::story(&draw::removed(&trace));
    }
    show(&report, &trace, arguments.watch, format)?;
    Ok(ending(&report))
}

fn show(
    report: &FlowReport,
    trace: &[BlockRun],
    watched: bool,
    format: Format,
) -> Result<(), Failure> {
    match format {
        Format::Human => output::result(&draw::report(report, watched)),
        _ => output::value(format, &draw::document(report, trace)),
    }
}

const fn ending(report: &FlowReport) -> Ending {
    match report.end.code {
        None => Ending::Clean,
        Some(_) if report.needs_approval => Ending::NeedsApproval,
        Some(_) if !report.taken_back.is_empty() => Ending::RolledBack,
        Some(code) if code.is_limit() => Ending::LimitReached,
        Some(_) => Ending::Findings,
    }
}

fn check(arguments: &ManifestArguments, format: Format) -> CommandResult {
    let loaded = loaded(arguments)?;
    let name = name_of(arguments);
    let ending = if loaded.is_ok() { Ending::Clean } else { Ending::Findings };
    match (format, &loaded) {
        (Format::Human, Ok(manifest)) => output::result(&draw::checked(&name, manifest))?,
        (Format::Human, Err(broken)) => output::result(&draw::broken(&name, broken))?,
        (_, Ok(manifest)) => {
            let blocks: Vec<_> = manifest.blocks.iter().map(|block| &block.name).collect();
            output::value(
                format,
                &json!({ "ok": true, "file": name, "start": manifest.start, "blocks": blocks,
                         "limits": manifest.limits, "notes": manifest.notes(), "problems": [] }),
            )?;
        }
        (_, Err(broken)) => output::value(
            format,
            &json!({ "ok": false, "file": name, "problems": broken.problems }),
        )?,
    }
    Ok(ending)
}

fn draw_graph(arguments: &FlowGraphArguments, format: Format) -> CommandResult {
    let manifest = match loaded(&arguments.manifest)? {
        Ok(manifest) => manifest,
        Err(broken) => {
            output::story(&draw::broken(&name_of(&arguments.manifest), &broken));
            return Ok(Ending::Findings);
        }
    };
    let drawn = if arguments.svg { graph::svg(&manifest) } else { graph::text(&manifest) };
    match format {
        Format::Human => output::content(&drawn)?,
        _ if arguments.svg => output::value(format, &json!({ "svg": drawn }))?,
        _ => output::value(format, &manifest)?,
    }
    Ok(Ending::Clean)
}

fn loaded(arguments: &ManifestArguments) -> Result<Result<FlowManifest, Broken>, Failure> {
    let text = match &arguments.manifest {
        Some(file) => input::text(Some(file))?,
        None => DEFAULT_MANIFEST.to_owned(),
    };
    Ok(load(&text))
}

fn name_of(arguments: &ManifestArguments) -> String {
    match &arguments.manifest {
        Some(file) => file.display().to_string(),
        None => "the manifest that Salve ships".to_owned(),
    }
}

fn refused(broken: &Broken, arguments: &FlowRunArguments) -> Failure {
    let name = name_of(&arguments.manifest);
    Failure::new(draw::broken(&name, broken).trim_end())
        .hint("`salve flow check` shows the same without running anything.")
}
