//! What a heal may do: strictness, tiers of models, and limits.
//!
//! In: settings, and what earlier heals left behind. Out: plain data that the loop obeys. Never read
//! from the environment.

use crate::heal::breakers::BreakerLimits;
use salve_model::{Role, Strategy};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// How much is allowed to act. Where two settings meet, the greater one holds.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Strictness {
    /// Fixes of which a model is not sure are tried too; they are proposed, not applied.
    Sketch,
    /// Everything that passes the gates acts.
    #[default]
    Development,
    /// Only what a person pinned acts.
    Production,
}

impl Strictness {
    /// Lists them all, the most lenient first.
    pub const ALL: [Self; 3] = [Self::Sketch, Self::Development, Self::Production];

    /// Returns its name in settings.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sketch => "sketch",
            Self::Development => "development",
            Self::Production => "production",
        }
    }
}

/// One rung of the ladder of models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TierPlan {
    /// Which model.
    pub role: Role,
    /// How it is asked.
    pub strategy: Strategy,
    /// How often.
    pub attempts: u32,
    /// Tokens of one attempt: prompt and answer together.
    pub tokens: u64,
}

impl TierPlan {
    /// Returns the ladder of three models: two attempts of the fast one, two of the medium one, one of
    /// the deep one.
    pub fn ladder() -> [Self; 3] {
        let tier = |role, strategy, attempts, tokens| Self { role, strategy, attempts, tokens };
        [
            tier(Role::Fast, Strategy::Simple, 2, 5_000),
            tier(Role::Medium, Strategy::ContextAware, 2, 10_000),
            tier(Role::Deep, Strategy::Deep, 1, 20_000),
        ]
    }

    /// Returns the plan where one model fills every role: two attempts.
    pub const fn single(role: Role) -> [Self; 1] {
        [Self { role, strategy: Strategy::ContextAware, attempts: 2, tokens: 20_000 }]
    }
}

/// What a heal may do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HealOptions {
    /// What may act.
    pub strictness: Strictness,
    /// Whether the free fixers are asked.
    pub fixers: bool,
    /// The models; empty when there is none.
    pub tiers: Vec<TierPlan>,
    /// A model that is less sure of its answer than this is not believed.
    pub confidence: f64,
    /// All tokens of one heal.
    pub tokens: u64,
    /// Candidates that are tried at the same time, at most.
    pub parallel: usize,
    /// How many waves of registered agents are asked, at most; none where there are no agents.
    #[serde(default)]
    pub consults: u32,
    /// Free candidates (not of a model) that are tried in one heal, at most.
    pub free_tries: u32,
    /// How often the free sources are asked, at most: once, and again after each progress.
    pub free_rounds: u32,
    /// Whether the groups of errors that went green are kept when others remain.
    pub partial: bool,
    /// Failures in a row after which everything is rolled back, once.
    pub catastrophic_after: u32,
    /// How often the user's files may change meanwhile.
    pub tree_changes: u32,
    /// When breakers trip.
    pub breakers: BreakerLimits,
    /// Heals of an error that ended unhealed in this workspace, by its exact signature.
    pub unhealed: BTreeMap<String, u32>,
    /// Hashes of candidates that failed in earlier heals.
    pub do_not_try: BTreeSet<String>,
}

impl Default for HealOptions {
    fn default() -> Self {
        Self {
            strictness: Strictness::default(),
            fixers: true,
            tiers: Vec::new(),
            confidence: 0.75,
            tokens: 50_000,
            parallel: 1,
            consults: 0,
            free_tries: 60,
            free_rounds: 20,
            partial: false,
            catastrophic_after: 3,
            tree_changes: 3,
            breakers: BreakerLimits::default(),
            unhealed: BTreeMap::new(),
            do_not_try: BTreeSet::new(),
        }
    }
}
