//! The machine of a workflow: which block is next, and when it is over.
//!
//! In: a manifest, what each block came to. Out: the next block, or how the flow ended. A plain value: written
//! down after every block, and read back by another process. Never does I/O, and never runs for ever: each block, all
//! blocks and all calls together have a limit.

#[cfg(test)]
mod tests;

use super::manifest::{END, FlowBlock, FlowManifest, HALT, Worker};
use super::payload::merged;
use super::trace::{BlockRun, Removed};
use salve_types::{Segment, Signal, Spend, SpendLimit, WorkerResult};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A workflow while it runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FlowMachine {
    manifest: FlowManifest,
    at: String,
    payload: Vec<Segment>,
    runs: BTreeMap<String, u32>,
    reworks: BTreeMap<String, u32>,
    trace: Vec<BlockRun>,
    spent: Spend,
    end: Option<FlowEnd>,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq)]
pub enum FlowStep<'a> {
    /// This block runs.
    Run(&'a FlowBlock),
    /// It is over.
    Done(&'a FlowEnd),
}

/// What a block came to, its output cleaned and validated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BlockDone {
    /// The payload and the signal.
    pub result: WorkerResult,
    /// What was done, in order.
    pub stages: Vec<String>,
    /// What was set aside.
    pub removed: Vec<Removed>,
    /// Why it did not succeed.
    pub why: Option<String>,
    /// The change that was written.
    pub change: Option<String>,
    /// What models took.
    pub spent: Spend,
    /// Whether a call did not fit the budget.
    #[serde(default)]
    pub over_budget: bool,
}

/// How a flow ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowEnd {
    /// Why it was halted; nothing where it completed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<HaltCode>,
    /// The block that was the last.
    pub block: String,
    /// Its signal.
    pub signal: Signal,
    /// Why it was halted, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// Why a flow was halted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[non_exhaustive]
pub enum HaltCode {
    /// A transition led to the block that ends with an error.
    UnhandledError,
    /// A block ended with a signal that it has no transition for, nor one for failures.
    UnhandledSignal,
    /// A block was to run more often than it may.
    BlockRuns,
    /// More blocks were to run than may.
    Runs,
    /// The budget is used up.
    OverBudget,
}

impl HaltCode {
    /// Returns the code of the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::UnhandledError => "UNHANDLED_ERROR",
            Self::UnhandledSignal => "UNHANDLED_SIGNAL",
            Self::BlockRuns => "BLOCK_RUNS",
            Self::Runs => "RUNS",
            Self::OverBudget => "OVER_BUDGET",
        }
    }

    /// Returns whether a limit ended it.
    pub const fn is_limit(self) -> bool {
        matches!(self, Self::BlockRuns | Self::Runs | Self::OverBudget)
    }
}

impl FlowMachine {
    /// Begins a workflow with a payload.
    pub fn new(manifest: FlowManifest, payload: Vec<Segment>) -> Self {
        Self {
            at: manifest.start.clone(),
            manifest,
            payload,
            runs: BTreeMap::new(),
            reworks: BTreeMap::new(),
            trace: Vec::new(),
            spent: Spend::default(),
            end: None,
        }
    }

    /// Returns what is to be done.
    pub fn next(&self) -> FlowStep<'_> {
        match (&self.end, self.manifest.block(&self.at)) {
            (Some(end), _) => FlowStep::Done(end),
            (None, Some(block)) => FlowStep::Run(block),
            // A manifest that was loaded has every block that a transition names.
            (None, None) => FlowStep::Done(&LOST),
        }
    }

    /// Takes what the block came to that was to run.
    pub fn take(&mut self, done: BlockDone) {
        let Some(block) = self.manifest.block(&self.at).cloned() else { return };
        let BlockDone { result, stages, removed, why, change, spent, over_budget } = done;
        let signal = result.signal;
        let runs = self.runs.entry(block.name.clone()).or_default();
        *runs += 1;
        let run = *runs;
        let reworks = self.reworks.entry(block.name.clone()).or_default();
        *reworks = if signal == Signal::ValidationFail { *reworks + 1 } else { 0 };
        self.spent = self.spent.plus(spent);
        let after = merged(result.new_payload, &block.merge, signal);
        let before = std::mem::replace(&mut self.payload, after.clone());
        let (way, by_way_of) = match over_budget {
            true => (Err((HaltCode::OverBudget, "the budget is used up".to_owned())), None),
            false => self.way(&block, signal),
        };
        let next = way.as_ref().ok().cloned();
        self.trace.push(BlockRun {
            number: u32::try_from(self.trace.len()).unwrap_or(u32::MAX).saturating_add(1),
            block: block.name.clone(),
            node: block.node.clone(),
            worker: block.worker.name().to_owned(),
            run,
            stages,
            signal,
            by_way_of,
            next,
            why: why.clone(),
            removed,
            change,
            spent,
            before,
            after,
        });
        match way {
            Ok(next) => self.enter(next, &block.name, signal, why),
            Err((code, words)) => {
                let why = Some(why.map_or(words.clone(), |why| format!("{words}: {why}")));
                self.end = Some(FlowEnd { code: Some(code), block: block.name, signal, why });
            }
        }
    }

    // Where a signal leads: its own transition, else that of a failure. One to a block that may run no more counts
    // as none.
    fn way(
        &self,
        block: &FlowBlock,
        signal: Signal,
    ) -> (Result<String, (HaltCode, String)>, Option<Signal>) {
        let ways = [Some(signal), (signal != Signal::FailDefault).then_some(Signal::FailDefault)];
        let mut refused = None;
        for way in ways.into_iter().flatten() {
            let Some(to) = block.target(way) else { continue };
            if self.may_run(to) {
                return (Ok(to.to_owned()), (way != signal).then_some(way));
            }
            let most = self.manifest.limits.runs_per_block;
            refused.get_or_insert((
                HaltCode::BlockRuns,
                format!("`{to}` has run {most} times, which is the most"),
            ));
        }
        let none = || {
            let words = format!("`{}` has no transition for {}", block.name, signal.name());
            (HaltCode::UnhandledSignal, words)
        };
        (Err(refused.unwrap_or_else(none)), None)
    }

    fn may_run(&self, name: &str) -> bool {
        let runs = self.runs.get(name).copied().unwrap_or_default();
        let halts = self.manifest.block(name).is_some_and(|block| block.worker == Worker::Halt);
        halts || runs < self.manifest.limits.runs_per_block
    }

    fn enter(&mut self, next: String, from: &str, signal: Signal, why: Option<String>) {
        let block = self.manifest.block(&next);
        let limits = &self.manifest.limits;
        let runs = u32::try_from(self.trace.len()).unwrap_or(u32::MAX);
        let (code, words) = match block.map(|block| (block.name.as_str(), block.worker)) {
            Some((END, _)) => (None, None),
            Some((HALT, _)) | None => (Some(HaltCode::UnhandledError), why),
            Some(_) if runs >= limits.runs => {
                let words = format!("{} blocks have run, which is the most", limits.runs);
                (Some(HaltCode::Runs), Some(words))
            }
            Some((_, worker)) if worker.asks_model() && self.is_over_budget() => {
                let words = format!("the budget is used up: {} tokens", self.spent.tokens);
                (Some(HaltCode::OverBudget), Some(words))
            }
            Some(_) => {
                self.at = next;
                return;
            }
        };
        self.at = next;
        self.end = Some(FlowEnd { code, block: from.to_owned(), signal, why: words });
    }

    fn is_over_budget(&self) -> bool {
        let left = self.left();
        left.tokens == Some(0) || left.micro_dollars == Some(0)
    }

    /// Returns what models may still take.
    pub fn left(&self) -> SpendLimit {
        self.manifest.limits.budget.less(self.spent)
    }

    /// Returns which correction of its output a block would be given next, from 1.
    pub fn rework(&self, block: &str) -> u32 {
        self.reworks.get(block).copied().unwrap_or_default() + 1
    }

    /// Returns which run of a block would be next, from 1.
    pub fn run_of(&self, block: &str) -> u32 {
        self.runs.get(block).copied().unwrap_or_default() + 1
    }

    /// Returns the manifest.
    pub const fn manifest(&self) -> &FlowManifest {
        &self.manifest
    }

    /// Returns the payload as it is now.
    pub fn payload(&self) -> &[Segment] {
        &self.payload
    }

    /// Returns what happened so far.
    pub fn trace(&self) -> &[BlockRun] {
        &self.trace
    }

    /// Returns what models took.
    pub const fn spent(&self) -> Spend {
        self.spent
    }
}

static LOST: FlowEnd = FlowEnd {
    code: Some(HaltCode::UnhandledError),
    block: String::new(),
    signal: Signal::FailDefault,
    why: None,
};
