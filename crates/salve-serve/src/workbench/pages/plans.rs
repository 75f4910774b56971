//! Plans, from the store.
//!
//! In: perhaps a plan by its id. Out: the plans of the workspace, and one in full. Never more than a page.

use super::super::answer::{Answer, Fault};
use super::super::state::WorkbenchState;
use super::super::view::screens::plans::{
    OrderView, PartView, PlanDetail, PlanLine, PlansView, plans_screen,
};
use super::chosen::drawn;
use super::shell;
use axum::extract::{Query, State};
use axum::response::Response;
use salve_engine::plan::{Basis, StrategyCard, SubTaskPlan, check_graph};
use salve_store::PlanRecord;
use serde::Deserialize;
use std::sync::Arc;

/// How many plans are listed.
const SHOWN: u32 = 50;

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
    let view = PlansView { plans: plans.iter().map(line).collect(), chosen };
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

async fn detail(state: &WorkbenchState, plan: &PlanRecord) -> Answer<PlanDetail> {
    let noted = state.store().sub_tasks(&plan.id).await?;
    let tasks = read(plan).map(|one| one.tasks).unwrap_or_default();
    let before = check_graph(&tasks).unwrap_or_else(|_| vec![Vec::new(); tasks.len()]);
    let parts = tasks.into_iter().zip(before).map(|(task, before)| {
        let note = noted.iter().find(|one| one.note.id == task.id).map(|one| &one.note);
        let waits = if before.is_empty() { "pending" } else { "waiting" };
        PartView {
            status: note.map_or_else(|| waits.to_owned(), |note| note.status.clone()),
            summary: note.map(|note| note.summary.clone()).unwrap_or_default(),
            tokens: note.map_or(0, |note| note.tokens),
            id: task.id,
            instruction: task.instruction,
            before,
        }
    });
    let cards = plan.estimate.get("strategies").cloned().unwrap_or_default();
    let cards: Vec<StrategyCard> = serde_json::from_value(cards).unwrap_or_default();
    let order = |card: StrategyCard| OrderView {
        name: format!("{}) {}", card.letter, card.name),
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
    })
}
