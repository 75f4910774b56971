//! A block of work: what a worker gives back is checked before anyone else sees it.
//!
//! In: the result of a run, the schema of its output if it has one, and which run it was. Out: the
//! payload with the cleaned output, or the latest rejected output with one note about it. An output
//! that does not fit never leaves the block as a success, so nothing is ever compiled or run
//! because of it. Never runs a worker: the blocks of a workflow do, and this is called after each run.

use crate::answer::{Caps, Fault, FaultKind, Part, fault_of, fault_of_value, note_text};
use crate::pipeline::content_of;
use salve_text::{
    CompiledSchema, SchemaCarrier, clean_preamble, extract_code_block, read_front_matter,
};
use salve_types::{Clock, Language, Segment, SegmentKind, Signal, WorkerResult};
use serde_json::Value;

/// The outcome of a run.
#[must_use]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedOutput {
    /// The payload, and how the block ended. `ValidationFail` asks for another run on this payload.
    pub result: WorkerResult,
    /// The newest output as it came, before it was cleaned.
    pub raw: Option<String>,
}

/// Cleans the newest segment of a successful result and checks it. After as many corrections as
/// every other answer gets, one that still does not fit is a failure; `run` counts from 1. A result
/// that is no success is given back as it is: a worker's own failure is not hidden by a failed
/// validation.
pub fn check_output(
    given: WorkerResult,
    schema: Option<(&CompiledSchema, SchemaCarrier)>,
    run: u32,
    caps: &Caps,
    clock: &dyn Clock,
) -> CheckedOutput {
    let WorkerResult { mut new_payload, signal } = given;
    if signal != Signal::Success {
        return CheckedOutput { result: WorkerResult { new_payload, signal }, raw: None };
    }
    let raw = new_payload.last().map(|segment| segment.content.clone());
    let text = raw.as_deref().map(|raw| cleaned(raw, schema.map(|it| it.1))).unwrap_or_default();
    let fault = schema.and_then(|(schema, carrier)| fault_in(&text, schema, carrier));
    if let Some(last) = new_payload.last_mut() {
        last.content = text;
    }
    forget_rejected(&mut new_payload);
    let Some(fault) = fault else {
        return CheckedOutput { result: WorkerResult { new_payload, signal }, raw };
    };
    new_payload.push(note_segment(&fault, clock));
    let signal = if run <= caps.reworks { Signal::ValidationFail } else { Signal::FailDefault };
    CheckedOutput { result: WorkerResult { new_payload, signal }, raw }
}

// The content of an output, in the form in which it comes. A schema of raw text takes the code of a chatty
// answer, whose value is the text itself.
fn cleaned(raw: &str, carrier: Option<SchemaCarrier>) -> String {
    match carrier {
        None => content_of(raw, None),
        Some(SchemaCarrier::Text) => extract_code_block(raw, None).into_text(),
        Some(SchemaCarrier::FrontMatter) => clean_preamble(raw).into_text(),
        Some(_) => content_of(raw, Some(Language::Json)),
    }
}

/// Returns what is wrong with a cleaned output, in the form in which it comes.
pub fn fault_in(text: &str, schema: &CompiledSchema, carrier: SchemaCarrier) -> Option<Fault> {
    match carrier {
        SchemaCarrier::Text => fault_of_value(&Value::String(text.to_owned()), schema),
        SchemaCarrier::FrontMatter => match read_front_matter(text) {
            Some(fields) => fault_of_value(&Value::Object(fields), schema),
            None => Some(no_front_matter()),
        },
        _ => fault_of(text, schema),
    }
}

fn no_front_matter() -> Fault {
    Fault {
        kind: FaultKind::Misfit,
        part: Part::Text,
        path: "$".to_owned(),
        expected: "front matter between two lines of `---` at the head".to_owned(),
        got: "none".to_owned(),
        message: "the document has no front matter".to_owned(),
    }
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

// Only the latest rejected output and its note are of use to the next run; older ones would fill
// the prompt. A note comes right after the output it is about; the newest segment is never one of
// them.
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
