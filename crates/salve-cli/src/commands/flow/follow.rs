//! Runs the job of a workflow in this process and shows it.
//!
//! In: open jobs and what is to be run. Out: the report and the trace. A flow of the same workspace, manifest and
//! request that was killed is gone on with. Never runs while another process heals the workspace.

use super::bars::Bars;
use super::draw;
use super::settings::Request;
use crate::arguments::Format;
use crate::commands::jobs::history;
use crate::commands::worker::Busy;
use crate::failure::Failure;
use crate::job_place::OpenJobs;
use crate::{output, runtime};
use futures_util::StreamExt;
use salve_engine::heal::{HealLock, Locking, RepairError};
use salve_engine::jobs::{FLOW_STAGE, HealHost, WORKFLOW_FLOW};
use salve_engine::workflow::{BlockRun, FlowInput, FlowReport, StepLine};
use salve_jobs::{
    EventId, FlowName, Happened, JobFilter, JobId, JobSnapshot, JobState, Needs, Page,
    StartOptions, WorkerOptions, fresh_job_id,
};
use salve_tree::ContentHash;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

const GRACE: Duration = Duration::from_secs(30);
/// How many flows that have not ended are looked through.
const MOST_UNFINISHED: u32 = 500;

/// Runs a workflow, and shows what happens.
pub(super) async fn run_and_follow(
    open: &OpenJobs<'_>,
    host: Arc<dyn HealHost>,
    mut input: FlowInput,
    request: &Request,
    watch: bool,
    format: Format,
) -> Result<(FlowReport, Vec<BlockRun>), Failure> {
    let _lock = match HealLock::take(&input.root)? {
        Locking::Taken(lock) => lock,
        Locking::Held { process } => {
            return Err(Failure::new(RepairError::Busy { process }.to_string())
                .hint("Start it again when that one is over; `salve jobs list` shows it."));
        }
    };
    let flow = FlowName::try_from(WORKFLOW_FLOW.to_owned())?;
    let root = input.root.display().to_string();
    let name = name_of(&input, &request.request);
    let before = unfinished(open, &name).await?;
    input.request = open.keep_text(&request.request).await?;
    let id = match &before {
        Some(job) => job.id.clone(),
        None => JobId::new(&format!("{name}-{}", fresh_job_id()))?,
    };
    let options = WorkerOptions {
        worker: open.worker(),
        only: Some(id.clone()),
        steps_at_once: 4,
        flows_at_once: 2,
        roots: [root.clone()].into(),
        ..WorkerOptions::default()
    };
    let busy = Busy::default();
    let runner = open.run_healing(host, options, &busy).await?;
    if before.as_ref().is_none_or(|job| matches!(job.state, JobState::Queued)) {
        let needs = Needs { root: Some(root), ..Needs::default() };
        let input = serde_json::to_value(&input)?;
        let _known = open.jobs.start(&flow, id.clone(), input, StartOptions { needs }).await?;
    }
    let seen = match &before {
        Some(job) => {
            output::story(&format!("going on with {}, which was interrupted\n", job.id));
            history(&*open.jobs, &job.id).await?.last().map_or(EventId(0), |event| event.id)
        }
        None => EventId(0),
    };
    let mut shown = Shown { bars: if watch { Bars::new() } else { None }, watch, format };
    let ended = follow(open, &id, seen, &mut shown).await;
    if let Some(bars) = shown.bars.take() {
        bars.finish();
    }
    tokio::select! {
        _ = runner.drain(GRACE) => {}
        interrupted = runtime::interrupted() => interrupted?,
    }
    let report = ended?;
    let trace = open.store().text(&report.trace).await?.unwrap_or_default();
    Ok((report, serde_json::from_str(&trace).unwrap_or_default()))
}

// The same for every flow of one workspace that does the same, so that one which was interrupted is found.
fn name_of(input: &FlowInput, request: &str) -> String {
    let what = json!([input.root, input.here, input.manifest, request, input.path, input.model]);
    let hash = ContentHash::of(what.to_string().as_bytes()).hex();
    format!("flow-{}", hash.get(..12).unwrap_or(&hash))
}

async fn unfinished(open: &OpenJobs<'_>, name: &str) -> Result<Option<JobSnapshot>, Failure> {
    let flow = WORKFLOW_FLOW.split('@').next().map(str::to_owned);
    let filter = JobFilter { flow, ended: Some(false), roots_only: true, ..JobFilter::default() };
    let jobs = open.jobs.list(filter, Page { after: None, limit: MOST_UNFINISHED }).await?;
    let own = |job: &JobSnapshot| job.id.as_str().starts_with(name) && !job.state.is_terminal();
    Ok(jobs.into_iter().find(own))
}

struct Shown {
    bars: Option<Bars>,
    watch: bool,
    format: Format,
}

async fn follow(
    open: &OpenJobs<'_>,
    id: &JobId,
    after: EventId,
    shown: &mut Shown,
) -> Result<FlowReport, Failure> {
    let mut events = open.jobs.watch(id, after);
    let interrupted = runtime::interrupted();
    tokio::pin!(interrupted);
    loop {
        tokio::select! {
            event = events.next() => {
                let Some(event) = event.transpose()? else { break };
                let Happened::Stage { stage } = event.what else { continue };
                if stage.name == FLOW_STAGE {
                    shown.take(&stage.detail)?;
                }
            }
            ended = &mut interrupted => {
                ended?;
                output::story("Interrupted; the same command goes on with it.\n");
                return Err(Failure::new("interrupted"));
            }
        }
    }
    let job = open.jobs.state(id).await?;
    let job = job.ok_or_else(|| Failure::new(format!("job {id} is gone")))?;
    match job.state {
        JobState::Done { output } => Ok(serde_json::from_value(output)?),
        JobState::Failed { error } => Err(Failure::new(error)),
        JobState::Cancelled { reason } => Err(Failure::new(format!("cancelled: {reason}"))),
        other => Err(Failure::new(format!("the flow is {}", other.name()))),
    }
}

impl Shown {
    fn take(&mut self, events: &Value) -> Result<(), Failure> {
        for event in events.as_array().into_iter().flatten() {
            let begins = &event["begins"];
            if let (Some(bars), Some(block)) = (&mut self.bars, begins["block"].as_str()) {
                let worker = begins["worker"].as_str().unwrap_or_default();
                bars.begins(block, worker, begins["run"].as_u64().unwrap_or(1));
            }
            let Ok(line) = serde_json::from_value::<StepLine>(event["ended"].clone()) else {
                if self.format == Format::Jsonl {
                    output::json_line(event)?;
                }
                continue;
            };
            match (&mut self.bars, self.format) {
                (_, Format::Jsonl) => output::json_line(event)?,
                (Some(bars), _) => bars.ended(&line),
                // Where nothing moves, what is asked to be watched is a line on standard error.
                (None, Format::Human) if self.watch => output::story(&draw::step(&line)),
                (None, Format::Human) => output::result(&draw::step(&line))?,
                (None, _) => {}
            }
        }
        Ok(())
    }
}
