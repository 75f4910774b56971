//! `salve check`: what the real toolchains say about a folder.
//!
//! In: a folder and which toolchains. Out: diagnostics in the asked format, a table of what ran, and
//! exit code 0 (green), 1 (findings) or 2 (a toolchain asked for is not installed, or nothing here
//! can be checked). Never runs where a guarantee of the sandbox does not hold, unless a person agreed.

mod changed;
mod draw;

use crate::arguments::{CheckArguments, FormatChoice};
use crate::failure::{CommandResult, Ending, Failure};
use crate::settings::Settings;
use crate::{host, output, run_environment, unguarded, workspace, workspace_config};
use salve_check::{
    BuildProfile, CheckOptions, CheckProgress, CheckReport, CheckVerdict, Keep, Reach, Registry,
    Shadow, ShadowOptions, StartedBy, check_watched, github_commands, sarif_log, sign,
};
use salve_engine::host::Place;
use salve_types::Diagnostic;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Runs `salve check`.
pub(crate) fn run(arguments: &CheckArguments, format: FormatChoice) -> CommandResult {
    let place = workspace::place(&arguments.place)?;
    let folder = place.root.clone();
    let configured = workspace_config::open(&folder)?;
    configured.say_what_is_passed_over();
    let registry = &configured.workspace.toolchains;
    let runner = configured.workspace.runner(Keep::RECORDS)?;
    if !unguarded::may_run_with(&runner, &folder, arguments.yes)? {
        return Ok(Ending::NeedsApproval);
    }
    let settings = Settings::load_for(Some(&place.folder()))?;
    let environment = run_environment::chosen(&settings, &arguments.variables)?.values;
    let profile = if arguments.release { BuildProfile::Release } else { BuildProfile::Development };
    let scope = match arguments.changed {
        true => changed::files(&place, &configured.workspace, &runner)?,
        false => scope(arguments, &place)?,
    };
    if arguments.changed && scope.is_empty() {
        output::story("nothing has changed; nothing was checked\n");
        return Ok(Ending::Clean);
    }
    let options = CheckOptions {
        targets: arguments.targets.clone(),
        scope,
        // What depends on a change is meant too.
        reach: if arguments.changed { Reach::Outermost } else { Reach::Nearest },
        profile,
        fail_on: arguments.fail_on.into(),
        by: StartedBy::User,
        environment,
    };
    let mut watch = |progress: CheckProgress<'_>| {
        if format == FormatChoice::Human {
            output::story(&draw::progress(&progress));
        }
    };
    let report = check_watched(&folder, &options, registry, &runner, &mut watch)?;
    if report.verdict() == CheckVerdict::Nothing {
        return Err(nothing_ran(&place.folder(), &report, registry));
    }
    show(&report, &folder, format)?;
    Ok(match report.verdict() {
        CheckVerdict::Red => Ending::Findings,
        _ => Ending::Clean,
    })
}

/// Where a workspace is checked as it would be with some edits.
pub(crate) enum Aside<'a> {
    /// In a shadow of it, with these files.
    Shadow(&'a BTreeMap<String, Option<String>>),
    /// In a copy.
    Copy(&'a Path),
}

/// Checks a workspace as it would be, by what counts in the workspace itself; nothing when a guarantee of
/// the sandbox does not hold and nobody agreed to run all the same.
pub(crate) fn aside(
    folder: &Path,
    place: &Aside<'_>,
    yes: bool,
) -> Result<Option<CheckReport>, Failure> {
    let configured = workspace_config::open(folder)?;
    let workspace = &configured.workspace;
    let runner = match place {
        Aside::Shadow(_) => workspace.runner(Keep::Nothing)?,
        Aside::Copy(copy) => workspace.runner_in(copy, Keep::Nothing)?,
    };
    if !unguarded::may_run_with(&runner, folder, yes)? {
        return Ok(None);
    }
    let settings = Settings::load_for(Some(folder))?;
    let environment = run_environment::chosen(&settings, &[])?.values;
    let options = CheckOptions { by: StartedBy::User, environment, ..CheckOptions::default() };
    let registry = &workspace.toolchains;
    let mut watch = |progress: CheckProgress<'_>| output::story(&draw::progress(&progress));
    let report = match place {
        Aside::Copy(copy) => check_watched(copy, &options, registry, &runner, &mut watch)?,
        Aside::Shadow(files) => {
            let private = host::private_folder("salve-check-")?;
            let shadow = Shadow::open(ShadowOptions {
                runner: workspace.runner_options(Keep::Nothing),
                private: private.path().to_owned(),
            })?;
            let layer = shadow.candidate(files)?;
            check_watched(folder, &options, registry, &layer, &mut watch)?
        }
    };
    if report.verdict() == CheckVerdict::Nothing {
        return Err(nothing_ran(folder, &report, registry));
    }
    Ok(Some(report))
}

/// Draws a report for people.
pub(crate) fn drawn(report: &CheckReport, folder: &Path) -> String {
    draw::report(report, folder)
}

// The paths named, or the folder this was started in, relative to the root.
fn scope(arguments: &CheckArguments, place: &Place) -> Result<Vec<String>, Failure> {
    if arguments.paths.is_empty() {
        return Ok(Some(place.here.clone()).filter(|here| !here.is_empty()).into_iter().collect());
    }
    let relative = |path: &PathBuf| {
        let full = place.folder().join(path);
        let real = full
            .canonicalize()
            .map_err(|error| Failure::new(format!("cannot check `{}`: {error}", path.display())))?;
        let inside = real.strip_prefix(&place.root).ok().and_then(Path::to_str);
        inside.map(str::to_owned).ok_or_else(|| {
            Failure::new(format!("`{}` is outside the workspace", path.display())).hint(format!(
                "The workspace is `{}`; `-C` works in another one.",
                place.root.display()
            ))
        })
    };
    let scope: Vec<String> = arguments.paths.iter().map(relative).collect::<Result<_, _>>()?;
    // The root itself is everything.
    Ok(if scope.iter().any(String::is_empty) { Vec::new() } else { scope })
}

fn nothing_ran(folder: &Path, report: &CheckReport, registry: &Registry) -> Failure {
    if !report.missing.is_empty() {
        let names: Vec<&str> = report.missing.iter().map(|one| one.target_id.as_str()).collect();
        let mut failure = Failure::new(format!(
            "nothing was checked: none of the toolchains for this folder is installed ({})",
            names.join(", ")
        ));
        for one in &report.missing {
            failure = failure.hint(format!("{}: {}", one.target_id, one.install_hint));
        }
        return failure;
    }
    let names: BTreeSet<&str> = registry
        .specs()
        .flat_map(|spec| {
            let markers = spec.applies.markers.iter().map(|marker| marker.file.as_str());
            markers.chain(spec.applies.files.iter().map(String::as_str))
        })
        .collect();
    let names: Vec<&str> = names.into_iter().collect();
    Failure::new(format!("nothing in `{}` can be checked", folder.display()))
        .hint(format!("Looked for: {}", names.join(", ")))
        .hint("`--target` runs a toolchain by name.")
}

fn show(report: &CheckReport, folder: &Path, format: FormatChoice) -> Result<(), Failure> {
    let diagnostics = || report.diagnostics().cloned().collect::<Vec<Diagnostic>>();
    match format {
        FormatChoice::Human => output::result(&draw::report(report, folder)),
        FormatChoice::Json => {
            let mut document = serde_json::to_value(report)?;
            document["verdict"] = json!(report.verdict());
            output::json(&document)
        }
        FormatChoice::Jsonl => lines(report),
        FormatChoice::Sarif => {
            let log = sarif_log(&diagnostics(), &fingerprints)?;
            output::content(&format!("{log}\n"))
        }
        FormatChoice::Github => output::content(&github_commands(&diagnostics())),
    }
}

// One line for each diagnostic, then one for the whole.
fn lines(report: &CheckReport) -> Result<(), Failure> {
    for run in &report.runs {
        for diagnostic in run.diagnostics() {
            let mut line = serde_json::to_value(diagnostic)?;
            line["target_id"] = json!(run.target_id());
            output::json_line(&line)?;
        }
    }
    let ran: Vec<Value> = report
        .runs
        .iter()
        .map(|run| json!({ "target_id": run.target_id(), "verdict": run.verdict() }))
        .collect();
    output::json_line(
        &json!({ "verdict": report.verdict(), "runs": ran, "missing": report.missing }),
    )
}

fn fingerprints(diagnostic: &Diagnostic) -> Vec<(String, String)> {
    let signature = sign(diagnostic);
    [("exact", signature.exact), ("shape", signature.shape), ("class", signature.class)]
        .into_iter()
        .map(|(name, digest)| (format!("salve/{name}/v1"), digest.wire()))
        .collect()
}
