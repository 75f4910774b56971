//! A block of work: what a worker gives back is checked before anyone else sees it.
//!
//! In: a worker, the schema of its output if it has one, and how often it may try. Out: the payload
//! with the cleaned output, or the latest rejected output with one note about it. An output that does
//! not fit never leaves the block as a success, so nothing is ever compiled or run because of it.

use crate::answer::{Caps, Fault, fault_of, note_text};
use salve_text::{CleanOptions, CompiledSchema, clean};
use salve_types::{Clock, Language, RawReply, Segment, SegmentKind, Signal, WorkerResult};
use std::future::Future;

/// Does one piece of work.
pub trait Worker: Send {
    /// Works on a payload; the note of an earlier run is its last segment.
    fn run(&mut self, payload: &[Segment]) -> impl Future<Output = WorkerResult> + Send;
}

/// What a block gives back.
#[must_use]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockResult {
    /// The payload and how the block ended.
    pub result: WorkerResult,
    /// The newest output as it came, before it was cleaned.
    pub raw: Option<String>,
    /// How often the worker ran.
    pub runs: u32,
}

/// Runs a worker until its output fits, or the cap is reached. The caps are those of every other
/// answer: as many corrections, and then an honest end.
pub async fn run_block<W: Worker>(
    worker: &mut W,
    payload: Vec<Segment>,
    schema: Option<&CompiledSchema>,
    caps: &Caps,
    clock: &dyn Clock,
) -> BlockResult {
    let mut payload = payload;
    let mut runs = 0;
    loop {
        let given = worker.run(&payload).await;
        runs += 1;
        let (mut result, raw) = check_output(given, schema, clock);
        if result.signal == Signal::ValidationFail {
            if runs <= caps.reworks {
                payload = result.new_payload;
                continue;
            }
            result.signal = Signal::FailDefault;
        }
        return BlockResult { result, raw, runs };
    }
}

/// Cleans the newest segment of a successful result and checks it. A result that is no success is
/// given back as it is: a worker's own failure is not hidden behind a failed validation.
pub fn check_output(
    given: WorkerResult,
    schema: Option<&CompiledSchema>,
    clock: &dyn Clock,
) -> (WorkerResult, Option<String>) {
    let WorkerResult { mut new_payload, signal } = given;
    if signal != Signal::Success {
        return (WorkerResult { new_payload, signal }, None);
    }
    let raw = new_payload.last().map(|segment| segment.content.clone());
    let language = schema.map(|_| Language::Json);
    let text = raw.as_deref().map(|raw| cleaned(raw, language)).unwrap_or_default();
    let fault = schema.and_then(|schema| fault_of(&text, schema));
    if let Some(last) = new_payload.last_mut() {
        last.content = text;
    }
    forget_rejected(&mut new_payload);
    let Some(fault) = fault else {
        return (WorkerResult { new_payload, signal }, raw);
    };
    new_payload.push(note_segment(&fault, clock));
    (WorkerResult { new_payload, signal: Signal::ValidationFail }, raw)
}

/// Makes the note that the next run of a block sees.
pub fn note_segment(fault: &Fault, clock: &dyn Clock) -> Segment {
    Segment {
        id: uuid::Uuid::new_v4().to_string(),
        kind: SegmentKind::ValidationError,
        content: note_text(fault),
        timestamp: clock.now().to_string(),
    }
}

fn cleaned(raw: &str, language: Option<Language>) -> String {
    let options = CleanOptions { language, ..CleanOptions::default() };
    clean(&RawReply::from_text(raw), &options).into_text()
}

// Only the latest rejected output and its note are of use to the next run; older ones would fill the
// prompt. A note stands right behind the output it is about; the newest segment is never one of them.
fn forget_rejected(payload: &mut Vec<Segment>) {
    let newest = payload.len().saturating_sub(1);
    let is_note =
        |at: usize| payload.get(at).map(|it| it.kind) == Some(SegmentKind::ValidationError);
    let is_output = |at: usize| payload.get(at).map(|it| it.kind) == Some(SegmentKind::CodeOutput);
    let keep: Vec<bool> = (0..payload.len())
        .map(|at| at == newest || !(is_note(at) || (is_output(at) && is_note(at + 1))))
        .collect();
    let mut keep = keep.into_iter();
    payload.retain(|_| keep.next().unwrap_or(true));
}
