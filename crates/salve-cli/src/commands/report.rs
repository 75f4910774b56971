//! `salve report`: what an agent says is wrong, and perhaps how to mend it.
//!
//! In: one JSON object on standard input. Out: `{id, heal}`, where `heal` is the job that was run, or null.
//! The report is kept; a heal is started where it asks for one, by the workspace's own checks alone. Its
//! edit passes the same gates as any fix. Never runs a command that a report names, and never more than
//! a few heals an hour for reports.

use super::heal;
use crate::arguments::{Format, FormatChoice, HealArguments, ReportArguments};
use crate::failure::{CommandResult, Ending, Failure};
use crate::settings::Settings;
use crate::{input, output, run_environment, workspace};
use salve_engine::heal::{HealFiles, HealLock, Locking, RepairError};
use salve_jobs::fresh_job_id;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::time::{Duration, UNIX_EPOCH};

/// How many reports an hour may start a heal.
const MOST_AN_HOUR: usize = 20;
/// The folder of the reports, beside those of heals.
const REPORTS: &str = "reports";

/// What an agent says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AgentReport {
    /// Who says it.
    from: String,
    /// An error, a proposal or a diagnosis.
    kind: ReportKind,
    /// In words.
    text: String,
    /// The files it is about.
    #[serde(default)]
    files: Vec<String>,
    /// A fix, in any edit format.
    #[serde(default)]
    edit: Option<String>,
    /// Whether a heal shall start.
    #[serde(default)]
    auto_fix: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ReportKind {
    Error,
    Proposal,
    Diagnosis,
}

/// Runs `salve report`.
pub(crate) fn run(arguments: &ReportArguments, format: Format) -> CommandResult {
    let done = take(arguments, &input::text(None)?)?;
    match format {
        Format::Human => {
            let (id, heal) = (done["id"].as_str().unwrap_or_default(), done["heal"].as_str());
            let heal = heal.map(|job| format!(", healed by {job}")).unwrap_or_default();
            output::result(&format!("report {id}{heal}\n"))?;
        }
        _ => output::json(&done)?,
    }
    Ok(Ending::Clean)
}

/// Keeps a report and heals where it asks for that; returns `{id, heal}`.
pub(crate) fn take(arguments: &ReportArguments, text: &str) -> Result<Value, Failure> {
    let report: AgentReport = serde_json::from_str(text).map_err(|error| {
        Failure::new(format!("the report cannot be read: {error}"))
            .hint("It looks like {\"from\": \"reviewer\", \"kind\": \"error\", \"text\": \"…\", \"auto_fix\": true}.")
    })?;
    let place = workspace::place(&arguments.tree.place)?;
    drop(workspace::open(&arguments.tree)?);
    let files = HealFiles::new(&place.root, REPORTS);
    let id = fresh_job_id().to_string();
    let now = workspace::now();
    let hour_ago =
        UNIX_EPOCH + Duration::from_millis(now).saturating_sub(Duration::from_secs(3600));
    let before = files.written_since(hour_ago);
    files.report(&id, &serde_json::to_value(&report)?)?;
    let first = report.text.lines().next().unwrap_or_default();
    files.decision(now, &format!("report {id} of {}: {first}", report.from))?;
    let heals = report.auto_fix && before < MOST_AN_HOUR;
    if report.auto_fix && !heals {
        output::story("too many reports in an hour: this one is kept, and starts no heal\n");
    }
    let job = if heals { started(arguments, report)? } else { None };
    Ok(json!({ "id": id, "heal": job }))
}

// Nothing where the workspace is being healed already: its check is red, and that heal is about it.
fn started(arguments: &ReportArguments, report: AgentReport) -> Result<Option<String>, Failure> {
    let place = workspace::place(&arguments.tree.place)?;
    if let Locking::Held { process } = HealLock::take(&place.root)? {
        let busy = RepairError::Busy { process };
        output::story(&format!("{busy}: this report is kept, and starts none\n"));
        return Ok(None);
    }
    let settings = Settings::load_for(Some(&place.folder()))?;
    let environment = run_environment::chosen(&settings, &[])?.values;
    let mut input = heal::input(&HealArguments::reported(arguments), &place, &settings)?;
    input.proposal = report.edit.map(|edit| (report.from, edit));
    let (job, healed) = heal::heal(input, environment, FormatChoice::Human)?;
    output::story(&format!("the heal ended: {}\n", healed.outcome));
    Ok(Some(job.to_string()))
}
