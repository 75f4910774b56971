//! What a heal leaves to later ones: its fix under the names of its errors, rules, and what came of those used.
//!
//! In: a heal whose change is in the tree. Out: rows of the store, and what was learned, for people. Writing
//! them again, after a crash, changes nothing. Never learns from what was rolled back, refused or only shown.

use super::merge::merge_on;
use super::recall::{LARGEST_FIX, pattern_key};
use super::replay::KnownFixes;
use super::{FixExample, FixRule, Lesson, RULE, known_fix, learn, rule_classes};
use crate::heal::machine::{Attempt, ErrorSeen, Loop};
use crate::heal::{FixSource, HealReport};
use salve_check::{for_model, sign};
use salve_store::{
    DecisionType, FixKind, KeptFix, KnowledgeScope, NewDecision, NewExample, NewFixOutcome,
    NewHealCost, NewRule, PatternKey, Store, StoreError,
};
use salve_types::{Diagnostic, ErrorClass, Spend};

/// Of this many errors of a step, the fix is remembered.
const MOST_ERRORS: usize = 8;
/// How much of an error's words is kept.
const ERROR_BYTES: usize = 2 << 10;
/// This many earlier fixes of a class a new rule is tried on.
const REPLAYED: u32 = 16;
/// This many known rules of its key a new one is merged with, and this many merged ones are kept.
const MERGED_WITH: usize = 64;
const MERGED: usize = 4;
/// Texts larger than this are no examples.
const EXAMPLE_BYTES: usize = 256 << 10;

/// What is remembered with.
pub struct Remembering<'a> {
    /// Where.
    pub store: &'a Store,
    /// The heal's job.
    pub heal: &'a str,
    /// The workspace.
    pub workspace: &'a str,
    /// Who else may see it, where the store has several users.
    pub scope: KnowledgeScope,
}

/// What a heal taught.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Taught {
    /// Rules that are new.
    pub rules: Vec<FixRule>,
    /// What was not spent because the fix was known.
    pub saved: Spend,
}

impl Remembering<'_> {
    /// Keeps what a heal taught.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn remember(
        &self,
        machine: &Loop,
        lessons: &[Lesson],
        report: &HealReport,
        spent: Spend,
    ) -> Result<Taught, StoreError> {
        let mut taught = Taught::default();
        self.outcomes(machine).await?;
        if report.change.is_some() {
            for lesson in lessons {
                self.patterns(lesson).await?;
                taught.rules.extend(self.rules(lesson).await?);
            }
        }
        let healed = report.change.is_some() && report.ending.is_success();
        let by_knowledge = report.source.is_some_and(super::is_known_source);
        if healed && by_knowledge && report.model_calls == 0 {
            taught.saved = self.store.usual_heal_cost().await?.spent;
        }
        let source = report.source.map(|source| source.name().to_owned()).unwrap_or_default();
        let cost = NewHealCost {
            heal: self.heal.to_owned(),
            workspace: self.workspace.to_owned(),
            healed,
            source,
            model_calls: report.model_calls,
            spent,
            saved: taught.saved,
        };
        self.store.record_heal_cost(cost).await?;
        Ok(taught)
    }

    // What came of the rules and the known fixes that were tried.
    async fn outcomes(&self, machine: &Loop) -> Result<(), StoreError> {
        for attempt in machine.attempts().iter().filter(|attempt| attempt.result.was_checked()) {
            let won = attempt.result.helped();
            if let Some(rule) = attempt.author.strip_prefix(RULE) {
                self.store.rule_outcome(self.heal, rule, won).await?;
                if won {
                    self.rule_applied(attempt, rule).await?;
                }
            }
            let Some((fix, exact)) = known_fix(&attempt.author).filter(|_| !won) else { continue };
            // An error that showed only after another was fixed is recorded by later heals.
            if let Some(error) = machine.baseline().errors.iter().find(|one| one.exact == exact) {
                self.fix_failed(attempt, fix, error).await?;
            }
        }
        Ok(())
    }

    async fn fix_failed(
        &self,
        attempt: &Attempt,
        fix: &str,
        error: &ErrorSeen,
    ) -> Result<(), StoreError> {
        let key = PatternKey {
            exact: error.exact.clone(),
            shape: error.shape.clone(),
            class: error.class.clone(),
        };
        let fix = KeptFix {
            fix: fix.to_owned(),
            kind: FixKind::Patch,
            description: attempt.description.clone(),
            body: String::new(),
            source: attempt.source.name().to_owned(),
            made_by: attempt.author.clone(),
        };
        let type_name = error_type(error.error_class);
        self.outcome(key, type_name, error.message.clone(), fix, false).await
    }

    async fn rule_applied(&self, attempt: &Attempt, rule: &str) -> Result<(), StoreError> {
        let record = self.store.rule(rule).await?;
        let pin = record.and_then(|record| record.pin).map(|pin| salve_store::DecisionPin {
            reason: pin.reason,
            by: pin.by,
            at: pin.at,
        });
        let decision = NewDecision {
            key: format!("rule-{rule}-{}", attempt.hash),
            job: self.heal.to_owned(),
            workspace: self.workspace.to_owned(),
            decision_type: DecisionType::RuleApplied,
            choice: format!("rule {rule} applied: {}", attempt.description),
            model_id: "deterministic".to_owned(),
            pin,
            ..NewDecision::default()
        };
        self.store.add_decision(decision).await.map(drop)
    }

    // The fix under the names of each error it ended.
    async fn patterns(&self, lesson: &Lesson) -> Result<(), StoreError> {
        for diagnostic in lesson.diagnostics.iter().take(MOST_ERRORS) {
            let Some(stored) = lesson.stored(diagnostic) else { continue };
            let Ok(body) = serde_json::to_string(&stored) else { continue };
            if body.len() > LARGEST_FIX {
                continue;
            }
            let kind = if stored.files.is_empty() { FixKind::Command } else { FixKind::Patch };
            let fix = KeptFix {
                // The same change of the same lines is the same fix, wherever it was made.
                fix: blake3::hash(body.as_bytes()).to_hex().chars().take(16).collect(),
                kind,
                description: lesson.description.clone(),
                body,
                source: lesson.source.name().to_owned(),
                made_by: lesson.author.clone(),
            };
            let known = known_fix(&lesson.author).map(|(known, _)| known.to_owned());
            let fix = KeptFix { fix: known.unwrap_or(fix.fix), ..fix };
            let type_name = error_type(diagnostic.class);
            let words = for_model(std::slice::from_ref(diagnostic), ERROR_BYTES);
            self.outcome(pattern_key(&sign(diagnostic)), type_name, words, fix, true).await?;
        }
        Ok(())
    }

    async fn outcome(
        &self,
        key: PatternKey,
        error_type: String,
        error: String,
        fix: KeptFix,
        success: bool,
    ) -> Result<(), StoreError> {
        let outcome = NewFixOutcome {
            heal: self.heal.to_owned(),
            workspace: self.workspace.to_owned(),
            scope: self.scope,
            key,
            error_type,
            error,
            fix,
            success,
        };
        self.store.record_fix_outcome(outcome).await.map(drop)
    }

    // What fixers do for nothing, and what a rule did, is learned already.
    async fn rules(&self, lesson: &Lesson) -> Result<Vec<FixRule>, StoreError> {
        let teaches = matches!(
            lesson.source,
            FixSource::Model | FixSource::Proposal | FixSource::Pattern | FixSource::Memory
        );
        let mut new = Vec::new();
        for example in examples(lesson).filter(|_| teaches) {
            new.extend(self.learn_from(&example).await?);
        }
        if let Some(first) = new.first() {
            self.rule_learned(first, new.len()).await?;
        }
        Ok(new)
    }

    /// Learns rules from an accepted fix and keeps them with it; returns those that are new.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn learn_from(&self, example: &FixExample) -> Result<Vec<FixRule>, StoreError> {
        let mut new = Vec::new();
        let known = self.examples_like(example).await?;
        let mut rules = learn(example);
        let like = self.rules_like(example, !known.is_empty()).await?;
        let mut replays = Vec::new();
        {
            let all: Vec<FixExample> = known.iter().chain([example]).cloned().collect();
            let all = KnownFixes::of(&all);
            rules.extend(merged(&rules, &like, &all));
            let known = KnownFixes::of(&known);
            replays.extend(rules.iter().map(|rule| known.replay(rule).right));
        }
        for (rule, right) in rules.into_iter().zip(replays) {
            if self.keep_rule(&rule, right.saturating_add(1)).await? {
                new.push(rule);
            }
        }
        self.keep_example(example).await?;
        Ok(new)
    }

    // The rules in use for the same class of errors.
    async fn rules_like(
        &self,
        example: &FixExample,
        wanted: bool,
    ) -> Result<Vec<FixRule>, StoreError> {
        let first = example.diagnostics.first().filter(|_| wanted);
        let Some(class) = first.and_then(|first| rule_classes(first).into_iter().next()) else {
            return Ok(Vec::new());
        };
        let kept = self.store.rules_for(example.language().name(), &[class]).await?;
        let kept = kept.iter().filter_map(|one| serde_json::from_str::<FixRule>(&one.body).ok());
        Ok(kept.take(MERGED_WITH).collect())
    }

    // Earlier accepted fixes of the same class of errors, but for this one.
    async fn examples_like(&self, example: &FixExample) -> Result<Vec<FixExample>, StoreError> {
        let first = example.diagnostics.first();
        let Some(class) = first.and_then(|first| rule_classes(first).into_iter().next()) else {
            return Ok(Vec::new());
        };
        let kept = self.store.examples(example.language().name(), &class, REPLAYED).await?;
        let read = |record: salve_store::ExampleRecord| serde_json::from_str(&record.body).ok();
        let kept = kept.into_iter().filter_map(read);
        Ok(kept.filter(|one: &FixExample| one.before != example.before).collect())
    }

    async fn keep_rule(&self, rule: &FixRule, replays: u32) -> Result<bool, StoreError> {
        let Ok(body) = serde_json::to_string(rule) else { return Ok(false) };
        let new = NewRule {
            id: rule.id.clone(),
            class: rule.key.class.clone(),
            tool: rule.key.tool.clone(),
            code: rule.key.code.clone(),
            language: rule.language.name().to_owned(),
            level: rule.level,
            priority: i64::from(rule.priority),
            body,
            replays,
            // It reproduces the fix that the check accepted.
            wins: 1,
            origin: self.heal.to_owned(),
            workspace: self.workspace.to_owned(),
            scope: self.scope,
        };
        self.store.add_rule(new).await
    }

    async fn keep_example(&self, example: &FixExample) -> Result<(), StoreError> {
        let Some(first) = example.diagnostics.first() else { return Ok(()) };
        let (Ok(body), Some(class)) =
            (serde_json::to_string(example), rule_classes(first).into_iter().next())
        else {
            return Ok(());
        };
        if body.len() > EXAMPLE_BYTES {
            return Ok(());
        }
        let new = NewExample {
            class,
            language: example.language().name().to_owned(),
            body,
            origin: self.heal.to_owned(),
            workspace: self.workspace.to_owned(),
            scope: self.scope,
        };
        self.store.add_example(new).await.map(drop)
    }

    async fn rule_learned(&self, rule: &FixRule, count: usize) -> Result<(), StoreError> {
        let decision = NewDecision {
            key: format!("learned-{}", rule.id),
            job: self.heal.to_owned(),
            workspace: self.workspace.to_owned(),
            decision_type: DecisionType::RuleLearned,
            choice: format!("rule {}: {}", rule.id, rule.description),
            reasoning: Some(format!(
                "learned from an accepted fix, {count} rules from specific to general"
            )),
            model_id: "deterministic".to_owned(),
            ..NewDecision::default()
        };
        self.store.add_decision(decision).await.map(drop)
    }
}

// What new rules and known ones say together, where it holds for every fix of the kind; the specific ones say most.
fn merged(rules: &[FixRule], like: &[FixRule], examples: &KnownFixes<'_>) -> Vec<FixRule> {
    let mut merged: Vec<FixRule> = Vec::new();
    for rule in rules.iter().filter(|rule| rule.level < 2) {
        for other in like.iter().filter(|other| other.level == rule.level) {
            let Some(made) = merge_on(rule, other, examples) else { continue };
            if rules.iter().chain(like).chain(&merged).all(|one| one.id != made.id) {
                merged.push(made);
            }
            if merged.len() == MERGED {
                return merged;
            }
        }
    }
    merged
}

fn error_type(class: ErrorClass) -> String {
    format!("{}_error", class.name())
}

// A step as examples: each file with what was wrong in it.
fn examples(lesson: &Lesson) -> impl Iterator<Item = FixExample> + '_ {
    lesson.files.iter().filter_map(|file| {
        let is_here = |one: &&Diagnostic| one.primary().is_some_and(|span| span.path == file.path);
        let diagnostics: Vec<Diagnostic> =
            lesson.diagnostics.iter().filter(is_here).cloned().collect();
        (!diagnostics.is_empty()).then(|| FixExample {
            language: None,
            path: file.path.clone(),
            before: file.before.clone(),
            after: file.after.clone(),
            diagnostics,
        })
    })
}
