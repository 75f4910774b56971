//! The work of the blocks that ask no model: files written, documents judged, checks and commands run.
//!
//! In: the parts that work on a folder, and a block with its payload. Out: what the block came to. A writer never
//! trusts its segment: it extracts, inspects and verifies, and writes through the transaction alone. Never does
//! anything twice when a process died in between.

mod commands;
mod files;

use super::input::FlowInput;
use super::machine::BlockDone;
use super::manifest::{FlowBlock, FlowManifest, Worker};
use super::target::target_path;
use super::trace::Removed;
use crate::answer::Caps;
use crate::heal::{HealParts, HealReport, Outcome, RepairError};
use crate::plan::machine::{AttentionCode, PlanOutcome};
use crate::plan::{PlanReport, SubTaskConflict, SubTaskStatus};
use crate::segments::check_output;
use salve_text::{CompiledSchema, SchemaCarrier, SchemaName, extract_code_block};
use salve_tree::{AdmitOptions, FileView};
use salve_types::{Clock, Segment, SegmentKind, Signal, Spend, Timestamp, WorkerResult};
use std::path::Path;

/// A workspace while a flow works on it.
pub struct FlowWork {
    parts: HealParts,
    input: FlowInput,
    job: String,
}

/// What a block is given.
#[derive(Clone, Copy)]
pub struct Given<'a> {
    /// The block.
    pub block: &'a FlowBlock,
    /// The payload.
    pub payload: &'a [Segment],
    /// The words of the request.
    pub request: &'a str,
    /// Which run of the flow it is, from 1.
    pub number: u32,
    /// Which correction of the output it would be, from 1.
    pub rework: u32,
    /// The target file as it was when a model was asked, by its hash.
    pub base: Option<&'a str>,
    /// Whether the block was begun before by a process that died.
    pub begun: bool,
    /// This moment.
    pub now: u64,
}

/// What a block came to, and whether a person would have to allow something.
pub struct Performed {
    /// For the machine.
    pub done: BlockDone,
    /// Whether a person is needed.
    pub needs_approval: bool,
}

impl FlowWork {
    /// Takes the parts of a workspace for one flow.
    pub fn new(parts: HealParts, input: FlowInput, job: &str) -> Self {
        Self { parts, input, job: job.to_owned() }
    }

    /// Returns what the flow was started with.
    pub const fn input(&self) -> &FlowInput {
        &self.input
    }

    /// Returns the root of the workspace.
    pub fn root(&self) -> &Path {
        &self.parts.workspace.folder
    }

    /// Does the work of a block that asks no model.
    ///
    /// # Errors
    /// When the workspace cannot be read or written.
    pub fn perform(&self, given: Given<'_>) -> Result<Performed, RepairError> {
        match given.block.worker {
            Worker::FileSystemWriter => self.write_code(given),
            Worker::DocumentationWriter => self.write_document(given),
            Worker::PreambleValidator => self.judge_preamble(given),
            Worker::Check => self.check(given),
            Worker::Command => self.command(given),
            other => Err(RepairError::Io(format!("{} does no work of its own", other.name()))),
        }
    }

    /// Returns the target file, and its hash and content where it is there.
    ///
    /// # Errors
    /// When the path is refused, or the file cannot be read; in words.
    pub fn target(&self, request: &str) -> Result<Target, String> {
        let workspace = self.open().map_err(|error| error.to_string())?;
        let view = workspace.view(AdmitOptions::default());
        let exists = |path: &str| {
            let admitted = view.admit(path);
            admitted.is_ok_and(|path| matches!(view.read(&path), Ok(Some(_))))
        };
        let path = target_path(self.input.path.as_deref(), request, exists);
        let path = path.map_err(|error| error.to_string())?;
        let admitted = view.admit(&path).map_err(|error| error.to_string())?;
        let state = view.read(&admitted).map_err(|error| error.to_string())?;
        let path = admitted.as_str().to_owned();
        Ok(match state {
            None => Target { path, hash: None, text: None },
            Some(state) => Target {
                path,
                hash: Some(state.hash.hex()),
                text: Some(String::from_utf8_lossy(&state.bytes).into_owned()),
            },
        })
    }
}

/// The file that a flow writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Its path, relative to the root.
    pub path: String,
    /// The hash of what is in it; nothing where it does not exist.
    pub hash: Option<String>,
    /// What is in it.
    pub text: Option<String>,
}

/// What a generator made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generated {
    /// The text of a whole answer.
    pub text: Option<String>,
    /// Why there is none.
    pub why: Option<String>,
    /// Whether an answer began and has no end.
    pub cut: bool,
    /// What it took.
    pub spent: Spend,
    /// Whether it did not fit the budget.
    pub over_budget: bool,
}

/// Takes what a generator made: cleaned, and validated by the schema of the block.
///
/// # Errors
/// When a schema that was loaded cannot be used any more.
pub fn take_generated(
    manifest: &FlowManifest,
    given: Given<'_>,
    generated: Generated,
) -> Result<BlockDone, RepairError> {
    let Generated { text, why, cut, spent, over_budget } = generated;
    let mut payload = given.payload.to_vec();
    let mut stages = vec!["execute".to_owned()];
    let Some(text) = text else {
        let signal = if cut { Signal::Truncated } else { Signal::FailDefault };
        let result = WorkerResult { new_payload: payload, signal };
        let (removed, change) = (Vec::new(), None);
        return Ok(BlockDone { result, stages, removed, why, change, spent, over_budget });
    };
    let schema = schema_of(manifest, given.block)?;
    let removed = Removed::of(&extract_code_block(&text, None));
    payload.push(segment(SegmentKind::CodeOutput, text, given.now));
    let given_result = WorkerResult { new_payload: payload, signal: Signal::Success };
    let caps = Caps { reworks: manifest.limits.reworks, ..Caps::default() };
    let clock = Fixed(given.now);
    let schema = schema.as_ref().map(|(schema, carrier)| (schema, *carrier));
    stages.push("clean".to_owned());
    if schema.is_some() {
        stages.push("validate".to_owned());
    }
    let checked = check_output(given_result, schema, given.rework, &caps, &clock);
    let note = checked.result.new_payload.last();
    let note = note.filter(|last| last.kind == SegmentKind::ValidationError);
    let why = note.map(|note| note.content.clone());
    let result = checked.result;
    Ok(BlockDone { result, stages, removed, why, change: None, spent, over_budget })
}

/// Takes what a heal came to.
pub fn take_heal(given: Given<'_>, report: Result<HealReport, String>) -> BlockDone {
    let mut payload = given.payload.to_vec();
    let stages = vec!["execute".to_owned()];
    let report = match report {
        Ok(report) => report,
        Err(why) => {
            let result = WorkerResult { new_payload: payload, signal: Signal::FailDefault };
            let spent = Spend::default();
            let (removed, change) = (Vec::new(), None);
            let why = Some(why);
            return BlockDone { result, stages, removed, why, change, spent, over_budget: false };
        }
    };
    let signal = match &report.ending {
        _ if report.held => Signal::Breaker,
        ending if ending.is_success() => Signal::Success,
        Outcome::Halted { .. } | Outcome::Paused { .. } => Signal::Breaker,
        _ => Signal::CheckFail,
    };
    let words = format!("{}: {}", report.ending.name(), report.remaining.join("\n"));
    let why = (signal != Signal::Success).then(|| words.clone());
    payload.push(segment(SegmentKind::CheckReport, words, given.now));
    let spent = Spend { tokens: report.tokens, micro_dollars: micro_dollars(report.cost) };
    let result = WorkerResult { new_payload: payload, signal };
    let change = report.change.filter(|change| !change.is_empty());
    let removed = Vec::new();
    BlockDone { result, stages, removed, why, change, spent, over_budget: false }
}

/// Takes what work in parts came to; `split` is what it took to split it.
pub fn take_plan(given: Given<'_>, report: Result<PlanReport, String>, split: Spend) -> BlockDone {
    let mut payload = given.payload.to_vec();
    let (signal, why, spent, change, over_budget) = match report {
        Err(why) => (Signal::FailDefault, Some(why), Spend::default(), None, false),
        Ok(report) => {
            let spent = Spend { tokens: report.tokens, micro_dollars: micro_dollars(report.cost) };
            let signal = match (report.outcome == PlanOutcome::Completed.name(), report.code) {
                (true, _) => Signal::Success,
                (false, Some(AttentionCode::Red)) => Signal::CheckFail,
                (false, Some(AttentionCode::Budget)) => Signal::Breaker,
                (false, _) => Signal::FailDefault,
            };
            let words = words_of(&report);
            let why = (signal != Signal::Success).then(|| words.clone());
            let kind = match signal {
                Signal::Success => SegmentKind::FileWritten,
                _ => SegmentKind::CheckReport,
            };
            payload.push(segment(kind, words, given.now));
            (signal, why, spent, report.change, report.code == Some(AttentionCode::Budget))
        }
    };
    BlockDone {
        result: WorkerResult { new_payload: payload, signal },
        stages: vec!["execute".to_owned()],
        removed: Vec::new(),
        why,
        change,
        spent: spent.plus(split),
        over_budget,
    }
}

// What a plan wrote, or what is in its way.
fn words_of(report: &PlanReport) -> String {
    let mut lines = vec![match report.code {
        Some(code) => format!("{}: {}", report.outcome, code.name()),
        None => report.outcome.clone(),
    }];
    lines.extend(report.files.iter().cloned());
    lines.extend(report.findings.iter().cloned());
    let both = |one: &SubTaskConflict| format!("`{}` overlaps in {}", one.task, one.path);
    lines.extend(report.conflicts.iter().map(both));
    let failed = report.tasks.iter().filter(|task| task.status == SubTaskStatus::Failed);
    lines.extend(failed.map(|task| format!("`{}`: {}", task.id, task.summary)));
    lines.join("\n")
}

/// Returns the schema of a block, and the form in which its outputs come.
///
/// # Errors
/// When it cannot be used.
pub fn schema_of(
    manifest: &FlowManifest,
    block: &FlowBlock,
) -> Result<Option<(CompiledSchema, SchemaCarrier)>, RepairError> {
    let unusable = |error: salve_text::SchemaError| RepairError::Io(error.to_string());
    let Some(name) = &block.schema else { return Ok(None) };
    if let Ok(named) = name.parse::<SchemaName>() {
        return Ok(Some((named.compile().map_err(unusable)?, named.carrier())));
    }
    let source = manifest.schemas.get(name).cloned();
    let source = source.ok_or_else(|| RepairError::Io(format!("no schema is called `{name}`")))?;
    Ok(Some((CompiledSchema::new(source).map_err(unusable)?, SchemaCarrier::Json)))
}

/// Makes a segment.
pub fn segment(kind: SegmentKind, content: String, now: u64) -> Segment {
    let timestamp = Fixed(now).now().to_string();
    Segment { id: uuid::Uuid::new_v4().to_string(), kind, content, timestamp }
}

struct Fixed(u64);

impl Clock for Fixed {
    fn now(&self) -> Timestamp {
        Timestamp(i64::try_from(self.0).unwrap_or(i64::MAX))
    }
}

// A block that did its work, or did not: the payload with one segment more.
fn ended(given: Given<'_>, signal: Signal, kind: SegmentKind, words: String) -> BlockDone {
    let mut payload = given.payload.to_vec();
    let why = (signal != Signal::Success).then(|| words.clone());
    payload.push(segment(kind, words, given.now));
    BlockDone {
        result: WorkerResult { new_payload: payload, signal },
        stages: vec!["execute".to_owned()],
        removed: Vec::new(),
        why,
        change: None,
        spent: Spend::default(),
        over_budget: false,
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a price is above zero and far below the end"
)]
fn micro_dollars(dollars: f64) -> u64 {
    (dollars * 1e6).round().max(0.0) as u64
}

fn without_approval(done: BlockDone) -> Performed {
    Performed { done, needs_approval: false }
}

fn io(error: &dyn std::fmt::Display) -> RepairError {
    RepairError::Io(error.to_string())
}
