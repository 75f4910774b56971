//! Home, from counts of the store.
//!
//! In: the workspace. Out: figures, days and the newest decisions. Never reads a table row by row: the store counts.

use super::super::answer::Answer;
use super::super::state::WorkbenchState;
use super::super::view::parts::utc;
use super::super::view::screens::home::{CutView, DayView, HomeView, RecentView, home_screen};
use super::chosen::drawn;
use super::shell;
use axum::extract::State;
use axum::response::Response;
use salve_store::{CountedCut, DaySpending, DecisionFilter, DecisionRecord};
use salve_types::{ChangeState, Timestamp, TurnStatus};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How many days are looked back.
const DAYS: u32 = 30;
/// How many lines lists have.
const SHOWN: u32 = 12;
/// How many sessions are asked whether something waits in them.
const ASKED: u32 = 5;
const DAY: i64 = 86_400_000;

/// Answers `GET /`.
pub(super) async fn home(State(state): State<Arc<WorkbenchState>>) -> Answer<Response> {
    let view = read(&state).await?;
    drawn(shell(&state, "Home"), move || home_screen(&view)).await
}

async fn read(state: &WorkbenchState) -> Answer<HomeView> {
    let (store, root) = (state.store(), state.root().display().to_string());
    let now = state.config.host.now();
    let since = Some(Timestamp(now.0 - i64::from(DAYS - 1) * DAY));
    let answers = store.stats(since).await?.total;
    let known = store.knowledge_stats(Some(&root), DAYS).await?;
    let changes: BTreeMap<&str, u64> = store
        .change_counts(&root)
        .await?
        .into_iter()
        .map(|(state, count)| (state.name(), count))
        .collect();
    let count = |state: ChangeState| changes.get(state.name()).copied().unwrap_or_default();
    let filter = DecisionFilter { workspace: Some(root.clone()), ..DecisionFilter::default() };
    let decisions = store.decisions(&filter, SHOWN).await?;
    Ok(HomeView {
        practice: state.config.label.practice,
        days: DAYS,
        answers_healed: answers.healed,
        answers_incomplete: answers.incomplete,
        heals: (known.total.heals, known.total.healed, known.total.without_model),
        blocked: count(ChangeState::Blocked),
        taken_back: count(ChangeState::Reverted),
        applied: count(ChangeState::Applied),
        rules: known.active_rules,
        patterns: known.patterns,
        saved_tokens: known.total.saved.tokens,
        spent: every_day(now, &store.spending_by_day(DAYS).await?),
        cuts: store.cuts_by_model(since, SHOWN).await?.into_iter().map(cut).collect(),
        recent: decisions.into_iter().map(recent).collect(),
        waiting: waiting(state).await?,
    })
}

// A plot over time has a bar for the days without a call, too.
fn every_day(now: Timestamp, spent: &[DaySpending]) -> Vec<DayView> {
    let found: BTreeMap<i64, &DaySpending> = spent.iter().map(|day| (day.day, day)).collect();
    let last = now.day();
    let first = last - i64::from(DAYS) + 1;
    let view = |day: i64| {
        let spent = found.get(&day).map(|found| found.spent).unwrap_or_default();
        let date = utc(day * DAY).chars().take(10).collect();
        DayView { day: date, tokens: spent.tokens, micro_dollars: spent.micro_dollars }
    };
    (first..=last).map(view).collect()
}

fn cut(cut: CountedCut) -> CutView {
    CutView { model: cut.model, kind: cut.kind, cut: cut.cut, healed: cut.healed }
}

fn recent(decision: DecisionRecord) -> RecentView {
    RecentView {
        what: decision.decision_type.name().to_owned(),
        choice: decision.choice,
        about: decision.job,
        at: decision.timestamp.0,
    }
}

async fn waiting(state: &WorkbenchState) -> Answer<Vec<(String, String)>> {
    let mut found = Vec::new();
    for session in state.conversation().sessions(state.root(), ASKED).await? {
        let last = state.store().turn(&session.id, session.turns).await?;
        if last.is_some_and(|turn| turn.status == TurnStatus::Waiting && !turn.rewound) {
            found.push((session.id.to_string(), session.title));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use salve_store::Spend;

    #[test]
    fn every_day_is_there_once() {
        let now = Timestamp(20_000 * DAY + 5);
        let spent = Spend { tokens: 7, ..Spend::default() };
        let days = every_day(now, &[DaySpending { day: 19_999, spent }]);
        assert_eq!(days.len(), 30);
        let last: Vec<(&str, u64)> =
            days[28..].iter().map(|day| (day.day.as_str(), day.tokens)).collect();
        assert_eq!(last, [("2024-10-03", 7), ("2024-10-04", 0)]);
    }
}
