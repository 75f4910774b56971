//! Plans, from the store.
//!
//! In: perhaps a plan by its id. Out: the plans of the workspace, and one in full. Never more than a page.

use super::super::answer::{Answer, Fault};
use super::super::state::WorkbenchState;
use super::super::view::screens::plans::{
    BreakdownView, OrderView, PartView, PlanDetail, PlanLine, PlansView, plans_screen,
};
use super::chosen::drawn;
use super::shell;
use axum::extract::{Query, State};
use axum::response::Response;
use salve_engine::plan::{
    Basis, Granularity, StrategyCard, SubTaskPlan, check_graph, truncation_rate,
};
use salve_jobs::CallKey;
use salve_store::{CallFilter, PlanRecord};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How many plans are listed.
const SHOWN: u32 = 50;
/// How many plans the sizes of parts are measured in, and how many of a kind say something.
const MEASURED: u32 = 200;
const ENOUGH: usize = 3;
/// The bytes of an answer that are counted as a token, and how many calls are looked at for what arrived.
const BYTES_PER_TOKEN: u64 = 4;
const CALLS: u32 = 200;

/// What is wanted.
#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct Wanted {
    /// A plan in full.
    plan: Option<String>,
}

/// Answers `GET /plans`.
pub(super) async fn plans(
    State(state): State<Arc<WorkbenchState>>,
    Query(wanted): Query<Wanted>,
) -> Answer<Response> {
    let root = state.root().display().to_string();
    let plans = state.store().plans(Some(&root), SHOWN).await?;
    let chosen = match &wanted.plan {
        Some(id) => {
            let found = plans.iter().find(|plan| plan.id == *id);
            let found = found
                .ok_or_else(|| Fault::missing("no_such_plan", "there is no such plan here"))?;
            Some(detail(&state, found).await?)
        }
        None => None,
    };
    let measured = state.store().plans(None, MEASURED).await?;
    let statistics = state.store().stats(None).await?;
    let view = PlansView {
        plans: plans.iter().map(line).collect(),
        chosen,
        breakdowns: breakdowns(&measured),
        cut_rate: truncation_rate(&statistics),
    };
    drawn(shell(&state, "Plans"), move || plans_screen(&view)).await
}

fn read(plan: &PlanRecord) -> Option<SubTaskPlan> {
    serde_json::from_value(plan.document.clone()).ok()
}

fn line(plan: &PlanRecord) -> PlanLine {
    let document = read(plan);
    PlanLine {
        id: plan.id.clone(),
        request: document.as_ref().map(|one| one.request.clone()).unwrap_or_default(),
        status: plan.status.clone(),
        parts: document.map_or(0, |one| one.tasks.len()),
        took: (plan.took.tokens, plan.took.micro_dollars),
        at: plan.created_at.0,
    }
}

// The three sizes: as plans of each turned out, or as the documents mean them where too few ran.
fn breakdowns(plans: &[PlanRecord]) -> Vec<BreakdownView> {
    let read: Vec<(SubTaskPlan, &PlanRecord)> =
        plans.iter().filter_map(|plan| Some((read(plan)?, plan))).collect();
    let view = |granularity: Granularity| {
        let of_it = |plan: &SubTaskPlan| plan.granularity == granularity;
        let ran: Vec<&(SubTaskPlan, &PlanRecord)> = read
            .iter()
            .filter(|(plan, kept)| of_it(plan) && kept.took.tokens > 0 && kept.took.tasks > 0)
            .collect();
        let tasks: u64 = ran.iter().map(|(_, kept)| kept.took.tasks).sum();
        let tokens: u64 = ran.iter().map(|(_, kept)| kept.took.tokens).sum();
        let (parts, each) = granularity.shape();
        if ran.len() < ENOUGH {
            return BreakdownView { granularity, parts, tokens: each, measured: None };
        }
        let parts = usize::try_from(tasks).unwrap_or(usize::MAX) / ran.len();
        BreakdownView {
            granularity,
            parts: parts.max(1),
            tokens: tokens / tasks.max(1),
            measured: Some(ran.len()),
        }
    };
    [Granularity::Fine, Granularity::Medium, Granularity::Coarse].map(view).to_vec()
}

// How much of its answer has arrived of each part that runs, in hundredths: bytes on the ledger against the tokens that
// an answer of this size is expected to have. What has not ended is never all of it.
async fn arrived(state: &WorkbenchState, plan: &PlanRecord) -> Answer<BTreeMap<String, u64>> {
    let mut shares = BTreeMap::new();
    if plan.status != "running" {
        return Ok(shares);
    }
    let expected = read(plan).map_or(1, |plan| plan.granularity.shape().1).max(1);
    let filter = CallFilter {
        since: Some(plan.updated_at.min(plan.created_at)),
        limit: CALLS,
        ..CallFilter::default()
    };
    let of_plan = format!("plan-{}", plan.id);
    for call in state.store().calls(&filter).await? {
        let key = call.key.clone().map(CallKey::new);
        let job = key.and_then(|key| key.job()).map(|job| job.to_string()).unwrap_or_default();
        let Some(rest) = job.strip_prefix(&of_plan) else { continue };
        let Some((_, rest)) = rest.split_once("task-") else { continue };
        let Some((task, _)) = rest.rsplit_once('-') else { continue };
        let detail = state.store().call(call.id).await?;
        let bytes = detail.map_or(0, |detail| detail.texts.raw.len() as u64);
        let share = (bytes / BYTES_PER_TOKEN * 100 / expected).min(99);
        let known = shares.entry(task.to_owned()).or_insert(0);
        *known = share.max(*known);
    }
    Ok(shares)
}

async fn detail(state: &WorkbenchState, plan: &PlanRecord) -> Answer<PlanDetail> {
    let noted = state.store().sub_tasks(&plan.id).await?;
    let shares = arrived(state, plan).await?;
    let tasks = read(plan).map(|one| one.tasks).unwrap_or_default();
    let document = serde_json::to_string_pretty(&tasks).unwrap_or_default();
    let before = check_graph(&tasks).unwrap_or_else(|_| vec![Vec::new(); tasks.len()]);
    let parts = tasks.into_iter().zip(before).map(|(task, before)| {
        let note = noted.iter().find(|one| one.note.id == task.id).map(|one| &one.note);
        let waits = if before.is_empty() { "pending" } else { "waiting" };
        PartView {
            status: note.map_or_else(|| waits.to_owned(), |note| note.status.clone()),
            summary: note.map(|note| note.summary.clone()).unwrap_or_default(),
            tokens: note.map_or(0, |note| note.tokens),
            percent: match note.map(|note| note.status.as_str()) {
                Some("completed") => 100,
                Some("running") => shares.get(&task.id).copied().unwrap_or(0),
                _ => 0,
            },
            id: task.id,
            instruction: task.instruction,
            before,
        }
    });
    let cards = plan.estimate.get("strategies").cloned().unwrap_or_default();
    let cards: Vec<StrategyCard> = serde_json::from_value(cards).unwrap_or_default();
    let order = |card: StrategyCard| OrderView {
        letter: card.letter,
        name: card.name,
        speed: card.speed,
        micro_dollars: (card.estimate.estimated_cost * 1e6) as u64,
        risk: card.risk,
        text: card.text,
        basis: match card.estimate.basis {
            Basis::Measured => format!("the medians of {} plans", card.estimate.plans),
            Basis::Computed => "computed; no plans were measured".to_owned(),
        },
    };
    Ok(PlanDetail {
        line: line(plan),
        parts: parts.collect(),
        orders: cards.into_iter().map(order).collect(),
        document,
    })
}
