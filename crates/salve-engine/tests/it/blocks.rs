//! Blocks of work: payloads, signals and notes.
//!
//! In: workers that answer from a list. Out: what leaves the block. Never a toolchain.

use crate::asking::{compiled, person};
use salve_engine::answer::{Caps, NOTE_PREFIX};
use salve_engine::segments::{CheckedOutput, check_output};
use salve_text::{CompiledSchema, SchemaCarrier};
use salve_types::{Segment, SegmentKind, Signal, Timestamp, WorkerResult};

const GOOD: &str = r#"{"name": "Ada", "age": 36}"#;
const BAD: &str = r#"{"name": "Ada", "age": "old"}"#;

fn clock() -> Timestamp {
    Timestamp(1_700_000_000_123)
}

fn segment(kind: SegmentKind, content: &str) -> Segment {
    let (id, timestamp) = ("1".to_owned(), "2023-01-01T00:00:00.000Z".to_owned());
    Segment { id, kind, content: content.to_owned(), timestamp }
}

fn request() -> Vec<Segment> {
    vec![segment(SegmentKind::Request, "```json\nWho?\n```")]
}

/// What a block of work does with a worker: runs it for as long as its output is sent back.
struct Block {
    checked: CheckedOutput,
    runs: u32,
    /// The payload of each run.
    seen: Vec<Vec<Segment>>,
}

fn block(outputs: &[&'static str], with_schema: bool) -> Block {
    let schema = with_schema.then(|| compiled(person()));
    let (mut payload, mut seen, mut runs) = (request(), Vec::new(), 0);
    loop {
        seen.push(payload.clone());
        let output = outputs[(runs as usize).min(outputs.len() - 1)];
        payload.push(segment(SegmentKind::CodeOutput, output));
        runs += 1;
        let given = WorkerResult { new_payload: payload, signal: Signal::Success };
        let checked =
            check_output(given, schema.as_deref().map(json), runs, &Caps::default(), &clock);
        if checked.result.signal != Signal::ValidationFail {
            return Block { checked, runs, seen };
        }
        payload = checked.result.new_payload;
    }
}

fn json(schema: &CompiledSchema) -> (&CompiledSchema, SchemaCarrier) {
    (schema, SchemaCarrier::Json)
}

fn checked_once(given: WorkerResult) -> CheckedOutput {
    check_output(given, Some(json(&compiled(person()))), 1, &Caps::default(), &clock)
}

#[test]
fn o06_without_a_schema_nothing_is_validated() {
    let done = block(&["no JSON at all"], false);
    assert_eq!((done.checked.result.signal, done.runs), (Signal::Success, 1));
    let done = block(&["no JSON at all"], true);
    assert_eq!(done.checked.result.signal, Signal::FailDefault);
}

#[test]
fn o08_o10_only_the_newest_segment_is_cleaned_and_its_raw_text_is_kept() {
    let chatty = "Here you are:\n```json\n{\"name\": \"Ada\", \"age\": 36}\n```\n";
    let done = block(&[chatty], true);
    assert_eq!(done.checked.result.signal, Signal::Success);
    let contents: Vec<&str> =
        done.checked.result.new_payload.iter().map(|it| it.content.trim_end()).collect();
    assert_eq!(contents, ["```json\nWho?\n```", GOOD]);
    assert_eq!(done.checked.raw.as_deref(), Some(chatty));
}

#[test]
fn o11_a_workers_own_failure_is_not_overridden() {
    for signal in [Signal::FailDefault, Signal::ValidationFail] {
        let new_payload = vec![segment(SegmentKind::CodeOutput, BAD)];
        let given = WorkerResult { new_payload, signal };
        let checked = checked_once(given.clone());
        assert_eq!((checked.result, checked.raw), (given, None));
    }
    let given = WorkerResult {
        new_payload: vec![segment(SegmentKind::CodeOutput, BAD)],
        signal: Signal::Success,
    };
    let result = checked_once(given).result;
    assert_eq!(result.signal, Signal::ValidationFail);
}

#[test]
fn o12_o35_the_note_is_a_segment_with_its_exact_prefix() {
    let given = WorkerResult {
        new_payload: vec![segment(SegmentKind::CodeOutput, BAD)],
        signal: Signal::Success,
    };
    let result = checked_once(given).result;
    let note = &result.new_payload[1];
    assert!(note.content.starts_with(NOTE_PREFIX));
    assert!(note.content.contains("at $.age: expected integer, got \"old\""), "{}", note.content);
    let exported = serde_json::to_value(&result).unwrap();
    assert_eq!(exported["signal"], "SIGNAL:VALIDATION_FAIL");
    let note = &exported["newPayload"][1];
    assert_eq!(note["type"], "VALIDATION_ERROR");
    assert_eq!(note["timestamp"], "2023-11-14T22:13:20.123Z");
    assert_eq!(note["id"].as_str().map(str::len), Some(36));
    assert_eq!(exported["newPayload"][0]["type"], "CODE_OUTPUT");
}

#[test]
fn o13_the_next_run_sees_the_latest_note_and_no_older_one() {
    let done = block(&[BAD, r#"{"name": 7, "age": 1}"#, GOOD], true);
    assert_eq!((done.checked.result.signal, done.runs), (Signal::Success, 3));
    let kinds = |run: usize| done.seen[run].iter().map(|it| it.kind).collect::<Vec<_>>();
    use SegmentKind::{CodeOutput, Request, ValidationError};
    assert_eq!(kinds(0), [Request]);
    assert_eq!(kinds(1), [Request, CodeOutput, ValidationError]);
    assert_eq!(kinds(2), [Request, CodeOutput, ValidationError]);
    assert!(done.seen[1][2].content.contains("$.age"));
    assert!(done.seen[2][2].content.contains("$.name"));
    let left: Vec<SegmentKind> = done.checked.result.new_payload.iter().map(|it| it.kind).collect();
    assert_eq!(left, [Request, CodeOutput]);
}

#[test]
fn o14_an_output_that_does_not_fit_never_reaches_the_toolchain() {
    let mut compiler_runs = 0;
    for outputs in [vec![BAD], vec![BAD, BAD, BAD, BAD, BAD]] {
        let done = block(&outputs, true);
        if done.checked.result.signal == Signal::Success {
            compiler_runs += 1;
        }
    }
    assert_eq!(compiler_runs, 0);
}

#[test]
fn o22_a_block_that_is_always_bad_ends_in_fail_default() {
    let done = block(&[BAD], true);
    assert_eq!(done.checked.result.signal, Signal::FailDefault);
    assert_eq!(done.seen.len(), 4, "one run and three corrections");
    assert_eq!(done.checked.result.new_payload.last().unwrap().kind, SegmentKind::ValidationError);
}
