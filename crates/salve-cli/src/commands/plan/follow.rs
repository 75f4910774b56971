//! `salve plan run`: a plan is run in this process and shown.
//!
//! In: an approved plan, or decisions about one that waits. Out: what it came to. Interrupted, it is left as it is and
//! gone on with by the same command. Never starts without a yes.

use super::{draw, failure, find, with_plans};
use crate::arguments::{FolderArguments, Format, PlanRunArguments};
use crate::failure::{CommandResult, Ending, Failure};
use crate::keys::{Keys, Offer};
use crate::{output, runtime, unguarded, workspace, workspace_config};
use salve_check::Keep;
use salve_engine::plan::machine::{AttentionCode, PlanLimits};
use salve_engine::plan::{PlanReport, PlanResume, RunningPlan};
use salve_store::PlanRecord;
use salve_types::SpendLimit;
use serde_json::{Value, json};
use std::time::Duration;

const GRACE: Duration = Duration::from_secs(10);

/// Runs `salve plan run`.
pub(super) fn run(
    options: &PlanRunArguments,
    folder: &FolderArguments,
    format: Format,
) -> CommandResult {
    let place = workspace::place(folder)?;
    let configured = workspace_config::open(&place.root)?;
    let runner = configured.workspace.runner(Keep::RECORDS)?;
    if !unguarded::may_run_with(&runner, &place.root, options.yes)? {
        return Ok(Ending::NeedsApproval);
    }
    let budget = budget(options)?;
    with_plans(&place, async |plans, _| {
        let (kept, plan) = find(plans, &place, &options.id).await?;
        if kept.status == "draft" && !options.yes {
            output::story(&draw::plan(&kept, &plan));
            if !agreed()? {
                output::story("Nothing was started. `--yes` starts it.\n");
                return Ok(Ending::NeedsApproval);
            }
        }
        let _lock = RunningPlan::lock(&place.root).map_err(failure)?;
        let limits = PlanLimits {
            order: options.strategy.map_or(plan.execution_order, Into::into),
            parallel: usize::try_from(options.parallel).unwrap_or(1),
            attempts: options.attempts,
            budget,
        };
        let limited = budget.tokens.is_some() || budget.micro_dollars.is_some();
        let told = PlanResume {
            retry: options.retry.clone(),
            skip: options.skip.clone(),
            budget: limited.then_some(budget),
            cancel: options.cancel,
        };
        let started = plans.execute_sub_tasks(&kept.id, limits, options.answer_tokens, told).await;
        let mut running = started.map_err(failure)?;
        let show = |detail: &Value| {
            if format == Format::Jsonl {
                // The result is what must not be lost; a reader that went away is told then.
                let _ = output::json_line(&json!({ "event": "plan", "detail": detail }));
            } else {
                output::transient(&draw::progress(detail));
            }
        };
        let ended = tokio::select! {
            ended = running.stopped(show) => Some(ended.map_err(failure)),
            interrupted = runtime::interrupted() => { interrupted?; None }
        };
        output::transient("");
        running.finish(GRACE).await;
        let Some(report) = ended else {
            let id = &kept.id;
            output::story(&format!(
                "Interrupted; nothing was written. `salve plan run {id} --yes` goes on with it.\n"
            ));
            return Err(Failure::new("interrupted"));
        };
        let report = report?;
        let (kept, _) = plans.plan(&kept.id).await.map_err(failure)?;
        show_report(&kept, &report, format)?;
        Ok(ending(&report))
    })
}

// A person at a terminal; nobody else's silence is a yes.
fn agreed() -> Result<bool, Failure> {
    let Some(keys) = Keys::of_person() else { return Ok(false) };
    let bold = anstyle::Style::new().bold();
    output::story(&format!("{bold}[s]{bold:#} Start   any other key: not now\n"));
    let offers = [Offer { key: 's', words: "start it", lasts: false }];
    Ok(keys.ask(&offers)? == Some('s'))
}

fn budget(options: &PlanRunArguments) -> Result<SpendLimit, Failure> {
    let micro_dollars = match options.max_cost {
        None => None,
        Some(dollars) if dollars.is_finite() && dollars >= 0.0 => Some((dollars * 1e6) as u64),
        Some(dollars) => return Err(Failure::new(format!("`--max-cost {dollars}` is no price"))),
    };
    Ok(SpendLimit { tokens: options.max_tokens, micro_dollars })
}

fn show_report(kept: &PlanRecord, report: &PlanReport, format: Format) -> Result<(), Failure> {
    if format == Format::Human {
        return output::result(&draw::report(kept, report));
    }
    let field = |name: &str| kept.estimate.get(name).cloned().unwrap_or_default();
    let mut document = serde_json::to_value(report)?;
    document["id"] = json!(kept.id);
    document["estimated"] = json!({
        "cost": field("estimatedCost"), "timeMs": field("estimatedTimeMs"), "basis": field("basis"),
    });
    document["actual"] = json!({ "cost": report.cost, "timeMs": kept.took.ms });
    output::value(format, &document)
}

fn ending(report: &PlanReport) -> Ending {
    match (report.outcome.as_str(), report.code) {
        ("completed", _) => Ending::Clean,
        (_, Some(AttentionCode::Budget)) => Ending::LimitReached,
        ("needs_attention" | "paused", _) => Ending::NeedsApproval,
        _ => Ending::Findings,
    }
}
