//! A plan: nodes, what they do, what they wait for.
//!
//! In: data from a person, a program or a model. Out: the same, checked: every name there, no cycle,
//! no size that a history should not hold. Never starts anything.

use super::reference::{BadReference, references};
use super::schedule::Schedule;
use salve_jobs::{FlowName, Flows, JobId, Json, Retry, StepName, Steps};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

const MOST_NODES: usize = 500;
const MOST_EDGES: usize = 10_000;
const MOST_PARALLEL: usize = 64;
const LONGEST_ID: usize = 60;

/// A graph of work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GraphPlan {
    /// What is to be done.
    pub nodes: Vec<GraphNode>,
    /// What waits for what, beside what the nodes say themselves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edges: Vec<Edge>,
    /// How many nodes run at once.
    #[serde(default = "usual_parallel")]
    pub parallel: usize,
    /// What a failed node means for the others.
    #[serde(default)]
    pub on_fail: OnFail,
    /// What the result is; it may refer to the outputs of nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Json>,
}

/// One piece of work. In its input, `{"$from": "node"}` stands for the output of a node it waits for,
/// and `{"$from": "node", "at": "/a/0"}` for a part of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GraphNode {
    /// Its name, different from all others.
    pub id: String,
    /// What is done.
    #[serde(flatten)]
    pub work: Work,
    /// What it is given.
    #[serde(default)]
    pub input: Json,
    /// The nodes it waits for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<String>,
    /// Whether it waits for all of them.
    #[serde(default)]
    pub join: Join,
    /// Of the nodes that are ready, the one with the highest goes first.
    #[serde(default)]
    pub priority: i32,
    /// How often a step is tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<NodeRetry>,
    /// What its failure means, if something else than the plan says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_fail: Option<OnFail>,
}

/// What a node does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// A step.
    Step(StepName),
    /// A flow, as a child.
    Flow(FlowName),
}

/// One node waits for another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edge {
    /// The one that goes first.
    pub from: String,
    /// The one that waits.
    pub to: String,
}

/// How many dependencies must be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Join {
    /// All of them.
    #[default]
    All,
    /// One of them.
    Any,
}

/// What a failed node means for the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnFail {
    /// Nothing more is started, what runs is waited for, and the graph fails.
    #[default]
    Stop,
    /// Those that depend on it are blocked; all others go on.
    Continue,
}

/// How often a step is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeRetry {
    /// At most this many attempts.
    pub attempts: u32,
    /// The wait after the first, in milliseconds; it doubles each time.
    #[serde(default = "usual_wait")]
    pub wait_ms: u64,
}

impl NodeRetry {
    pub(super) fn into_retry(self) -> Retry {
        let first_wait = Duration::from_millis(self.wait_ms);
        Retry { attempts: self.attempts.max(1), first_wait, ..Retry::default() }
    }
}

/// The names a plan may use.
#[derive(Debug, Clone, Default)]
pub struct KnownNames {
    /// Steps.
    pub steps: BTreeSet<StepName>,
    /// Flows.
    pub flows: BTreeSet<FlowName>,
}

impl KnownNames {
    /// Takes the names of what a runner has.
    pub fn of(flows: &Flows, steps: &Steps) -> Self {
        Self {
            steps: steps.iter().map(|(name, _)| name.clone()).collect(),
            flows: flows.iter().map(|(name, _)| name.clone()).collect(),
        }
    }
}

/// Why a plan cannot be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// There is nothing in it, or too much.
    #[error("the plan has {found} {what}; it needs {least} to {most}")]
    Size {
        /// What is counted.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there must be.
        least: usize,
        /// How many there may be.
        most: usize,
    },
    /// A node has a name that cannot be used.
    #[error(
        "`{0}` cannot name a node: use 1 to {LONGEST_ID} letters, digits, `.`, `_` or `-`, once each"
    )]
    BadId(String),
    /// Two nodes have one name.
    #[error("there are two nodes `{0}`: give each its own id")]
    SameId(String),
    /// A node waits for one that is not there.
    #[error("node `{node}` waits for `{missing}`, which is not in the plan")]
    NoSuchNode {
        /// The one that waits.
        node: String,
        /// The one that is not there.
        missing: String,
    },
    /// A node uses the output of one it does not wait for.
    #[error(
        "node `{node}` uses the output of `{other}` and does not wait for it: add it to `depends_on`"
    )]
    NotBefore {
        /// The one that uses it.
        node: String,
        /// The other.
        other: String,
    },
    /// A reference has another shape than it may have.
    #[error("{place}: {error}")]
    BadReference {
        /// The place in the graph.
        place: String,
        /// What is wrong with it.
        error: BadReference,
    },
    /// Nodes wait for each other.
    #[error("these nodes wait for each other: {}", .0.join(", "))]
    Cycle(Vec<String>),
    /// No worker here can do what a node says.
    #[error("node `{node}` needs the {kind} `{name}`, which is not here; there is {known}")]
    UnknownName {
        /// The node.
        node: String,
        /// Step or flow.
        kind: &'static str,
        /// Its name.
        name: String,
        /// What there is.
        known: String,
    },
}

impl GraphPlan {
    /// Checks a plan by itself: names, sizes, references, cycles.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check(&self) -> Result<(), PlanError> {
        let edges =
            self.edges.len() + self.nodes.iter().map(|it| it.depends_on.len()).sum::<usize>();
        sized("nodes", self.nodes.len(), 1, MOST_NODES)?;
        sized("edges", edges, 0, MOST_EDGES)?;
        sized("nodes at once (`parallel`)", self.parallel, 1, MOST_PARALLEL)?;
        let mut places = BTreeMap::new();
        for (at, node) in self.nodes.iter().enumerate() {
            let usable = node.id.len() <= LONGEST_ID && !node.id.contains('/');
            if !usable || JobId::new(&node.id).is_err() {
                return Err(PlanError::BadId(node.id.chars().take(LONGEST_ID).collect()));
            }
            if places.insert(node.id.as_str(), at).is_some() {
                return Err(PlanError::SameId(node.id.clone()));
            }
        }
        for (node, other) in self.waits() {
            for (name, said_by) in [(other, node), (node, other)] {
                if !places.contains_key(name) {
                    let (node, missing) = (said_by.to_owned(), name.to_owned());
                    return Err(PlanError::NoSuchNode { node, missing });
                }
            }
        }
        let schedule = Schedule::new(self);
        let before = schedule.ancestors().map_err(|left| {
            PlanError::Cycle(left.into_iter().map(|at| self.nodes[at].id.clone()).collect())
        })?;
        self.check_references(&places, &before)
    }

    /// Checks a plan, and that everything it names is here.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check_with(&self, known: &KnownNames) -> Result<(), PlanError> {
        self.check()?;
        for node in &self.nodes {
            let (is_known, kind, name, all) = match &node.work {
                Work::Step(step) => {
                    (known.steps.contains(step), "step", step.to_string(), listed(&known.steps))
                }
                Work::Flow(flow) => {
                    (known.flows.contains(flow), "flow", flow.to_string(), listed(&known.flows))
                }
            };
            if !is_known {
                return Err(PlanError::UnknownName {
                    node: node.id.clone(),
                    kind,
                    name,
                    known: all,
                });
            }
        }
        Ok(())
    }

    /// Returns who waits for whom.
    pub(super) fn waits(&self) -> impl Iterator<Item = (&str, &str)> {
        let own = self.nodes.iter().flat_map(|node| {
            node.depends_on.iter().map(|other| (node.id.as_str(), other.as_str()))
        });
        own.chain(self.edges.iter().map(|edge| (edge.to.as_str(), edge.from.as_str())))
    }

    fn check_references(
        &self,
        places: &BTreeMap<&str, usize>,
        before: &[BTreeSet<usize>],
    ) -> Result<(), PlanError> {
        for (at, node) in self.nodes.iter().enumerate() {
            let place = format!("node `{}`", node.id);
            for other in found(&node.input, place)? {
                let Some(from) = places.get(other.as_str()) else {
                    return Err(PlanError::NoSuchNode { node: node.id.clone(), missing: other });
                };
                if !before[at].contains(from) {
                    return Err(PlanError::NotBefore { node: node.id.clone(), other });
                }
            }
        }
        let wanted = self.output.as_ref().map(|output| found(output, "the output".to_owned()));
        for other in wanted.transpose()?.unwrap_or_default() {
            if !places.contains_key(other.as_str()) {
                let node = "the output".to_owned();
                return Err(PlanError::NoSuchNode { node, missing: other });
            }
        }
        Ok(())
    }
}

fn found(value: &Json, place: String) -> Result<Vec<String>, PlanError> {
    references(value).map_err(|error| PlanError::BadReference { place, error })
}

fn sized(what: &'static str, found: usize, least: usize, most: usize) -> Result<(), PlanError> {
    if (least..=most).contains(&found) {
        return Ok(());
    }
    Err(PlanError::Size { what, found, least, most })
}

fn listed<T: ToString>(names: &BTreeSet<T>) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    names.iter().map(T::to_string).collect::<Vec<_>>().join(", ")
}

const fn usual_parallel() -> usize {
    4
}

const fn usual_wait() -> u64 {
    500
}

#[cfg(test)]
mod tests;
