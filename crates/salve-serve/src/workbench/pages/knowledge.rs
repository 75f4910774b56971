//! Knowledge, from the rules and patterns of the store.
//!
//! In: perhaps a rule by its id. Out: the best rules, the errors seen last, a rule with its examples. Never more than a
//! page of each.

use super::super::answer::{Answer, Fault};
use super::super::state::WorkbenchState;
use super::super::view::diff::hunks_between;
use super::super::view::screens::FileDiff;
use super::super::view::screens::knowledge::{
    FixView, KnowledgeView, PatternView, RuleDetail, RuleView, knowledge_screen,
};
use super::chosen::{drawn, shown};
use super::shell;
use axum::extract::{Query, State};
use axum::response::Response;
use salve_engine::knowledge::{FixExample, FixRule, read_rule, rule_text};
use salve_store::{FixRecord, PatternFilter, PatternRecord, RuleFilter, StoredRule};
use serde::Deserialize;
use std::sync::Arc;

/// How many rules and patterns are listed.
const SHOWN: u32 = 50;
/// How many days are counted.
const DAYS: u32 = 365;
/// How many examples are looked through, and how many are shown.
const EXAMPLES: (u32, usize) = (32, 3);
/// How many bytes of a text are shown.
const MOST_BYTES: usize = 32 * 1024;

/// What is wanted.
#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct Wanted {
    /// A rule in full.
    rule: Option<String>,
}

/// Answers `GET /knowledge`.
pub(super) async fn knowledge(
    State(state): State<Arc<WorkbenchState>>,
    Query(wanted): Query<Wanted>,
) -> Answer<Response> {
    let store = state.store();
    let root = state.root().display().to_string();
    let stats = store.knowledge_stats(Some(&root), DAYS).await?;
    let filter = PatternFilter { workspace: Some(root), ..PatternFilter::default() };
    let patterns = store.patterns(&filter, SHOWN).await?;
    let rules = store.rules(&RuleFilter::default(), SHOWN).await?;
    let chosen = match &wanted.rule {
        Some(id) => Some(detail(&state, id).await?),
        None => None,
    };
    let view = KnowledgeView {
        rule_counts: [
            stats.active_rules,
            stats.quarantined_rules,
            stats.disabled_rules,
            stats.pinned_rules,
        ],
        pattern_counts: [stats.patterns, stats.working_fixes, stats.failed_fixes],
        heals: (stats.total.heals, stats.total.healed, stats.total.without_model),
        saved_tokens: stats.total.saved.tokens,
        chosen,
        rules: rules.iter().map(rule_view).collect(),
        patterns: patterns.into_iter().map(pattern_view).collect(),
    };
    drawn(shell(&state, "Knowledge"), move || knowledge_screen(&view)).await
}

fn rule_view(rule: &StoredRule) -> RuleView {
    let read = serde_json::from_str::<FixRule>(&rule.body).ok();
    let code = rule.code.as_deref().map(|code| format!(" {code}")).unwrap_or_default();
    RuleView {
        id: rule.id.clone(),
        description: read.map_or_else(|| format!("rule {}", rule.id), |read| read.description),
        language: rule.language.clone(),
        error: format!("{}{code}", rule.tool),
        level: rule.level,
        state: rule.state.name().to_owned(),
        pinned: rule.pin.as_ref().map(|pin| (pin.by.clone(), pin.reason.clone())),
        counts: (rule.wins, rule.losses),
        confidence: rule.confidence(),
        replays: rule.replays,
        origin: rule.origin.clone(),
        workspace: rule.workspace.clone(),
        author: rule.author.clone(),
        created: rule.created.0,
        last_used: rule.last_used.map(|used| used.0),
    }
}

async fn detail(state: &WorkbenchState, id: &str) -> Answer<RuleDetail> {
    let rule = state.store().rule(id).await?;
    let rule = rule.ok_or_else(|| Fault::missing("no_such_rule", "there is no such rule"))?;
    let stored = state.store().examples(&rule.language, &rule.class, EXAMPLES.0).await?;
    let mut view = RuleDetail { rule: rule_view(&rule), ..RuleDetail::default() };
    let Ok(read) = serde_json::from_str::<FixRule>(&rule.body) else {
        view.text = shown(&rule.body, MOST_BYTES);
        return Ok(view);
    };
    let examples =
        stored.iter().filter_map(|one| serde_json::from_str::<FixExample>(&one.body).ok());
    // Other rules were learned from the same class of errors.
    let holds = |one: &FixExample| read_rule(&rule_text(&read, std::slice::from_ref(one))).is_ok();
    let examples: Vec<FixExample> = examples.filter(holds).take(EXAMPLES.1).collect();
    view.text = shown(&rule_text(&read, &[]), MOST_BYTES);
    view.examples = examples.iter().map(example_diff).collect();
    Ok(view)
}

fn example_diff(example: &FixExample) -> FileDiff {
    let said = example.diagnostics.first().map(|diagnostic| diagnostic.message.clone());
    FileDiff {
        path: example.path.clone(),
        hunks: hunks_between(&example.before, &example.after),
        note: said,
    }
}

fn pattern_view(pattern: PatternRecord) -> PatternView {
    PatternView {
        disabled: !pattern.fixes.is_empty() && pattern.fixes.iter().all(|fix| fix.disabled),
        signature: pattern.error_signature,
        error_type: pattern.error_type,
        error: pattern.normalized_error,
        hits: pattern.hits,
        fixes: pattern.fixes.into_iter().map(fix_view).collect(),
        last_seen: pattern.last_seen.0,
    }
}

fn fix_view(fix: FixRecord) -> FixView {
    FixView {
        description: fix.description,
        source: fix.source,
        origin: fix.origin,
        counts: (fix.successes, fix.failures),
        used: !fix.disabled && !fix.demoted,
    }
}
