//! Blocks of work: payloads, signals and notes.
//!
//! In: workers that answer from a list. Out: what leaves the block. Never a toolchain.

use crate::asking::{compiled, person, run};
use salve_engine::{BlockResult, Caps, NOTE_PREFIX, Worker, check_output, run_block};
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

/// Adds an output to the payload it is given.
struct Lines {
    outputs: Vec<&'static str>,
    seen: Vec<Vec<Segment>>,
    signal: Signal,
}

impl Worker for Lines {
    async fn run(&mut self, payload: &[Segment]) -> WorkerResult {
        let output = self.outputs[self.seen.len().min(self.outputs.len() - 1)];
        self.seen.push(payload.to_vec());
        let mut new_payload = payload.to_vec();
        new_payload.push(segment(SegmentKind::CodeOutput, output));
        WorkerResult { new_payload, signal: self.signal }
    }
}

fn block(outputs: &[&'static str], with_schema: bool) -> (BlockResult, Lines) {
    let mut worker = Lines { outputs: outputs.to_vec(), seen: Vec::new(), signal: Signal::Success };
    let schema = with_schema.then(|| compiled(person()));
    let caps = Caps::default();
    let done = run(run_block(&mut worker, request(), schema.as_deref(), &caps, &clock));
    (done, worker)
}

#[test]
fn o06_without_a_schema_nothing_is_validated() {
    let (done, _) = block(&["no JSON at all"], false);
    assert_eq!((done.result.signal, done.runs), (Signal::Success, 1));
    let (done, _) = block(&["no JSON at all"], true);
    assert_eq!(done.result.signal, Signal::FailDefault);
}

#[test]
fn o08_o10_only_the_newest_segment_is_cleaned_and_its_raw_text_is_kept() {
    let chatty = "Here you are:\n```json\n{\"name\": \"Ada\", \"age\": 36}\n```\n";
    let (done, _) = block(&[chatty], true);
    assert_eq!(done.result.signal, Signal::Success);
    let contents: Vec<&str> =
        done.result.new_payload.iter().map(|it| it.content.trim_end()).collect();
    assert_eq!(contents, ["```json\nWho?\n```", GOOD]);
    assert_eq!(done.raw.as_deref(), Some(chatty));
}

#[test]
fn o11_a_workers_own_failure_is_not_overridden() {
    for signal in [Signal::FailDefault, Signal::ValidationFail] {
        let new_payload = vec![segment(SegmentKind::CodeOutput, BAD)];
        let given = WorkerResult { new_payload, signal };
        let (result, raw) = check_output(given.clone(), Some(&compiled(person())), &clock);
        assert_eq!((result, raw), (given, None));
    }
    let given = WorkerResult {
        new_payload: vec![segment(SegmentKind::CodeOutput, BAD)],
        signal: Signal::Success,
    };
    let (result, _) = check_output(given, Some(&compiled(person())), &clock);
    assert_eq!(result.signal, Signal::ValidationFail);
}

#[test]
fn o12_o35_the_note_is_a_segment_with_its_exact_prefix() {
    let given = WorkerResult {
        new_payload: vec![segment(SegmentKind::CodeOutput, BAD)],
        signal: Signal::Success,
    };
    let (result, _) = check_output(given, Some(&compiled(person())), &clock);
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
    let (done, worker) = block(&[BAD, r#"{"name": 7, "age": 1}"#, GOOD], true);
    assert_eq!((done.result.signal, done.runs), (Signal::Success, 3));
    let kinds = |run: usize| worker.seen[run].iter().map(|it| it.kind).collect::<Vec<_>>();
    use SegmentKind::{CodeOutput, Request, ValidationError};
    assert_eq!(kinds(0), [Request]);
    assert_eq!(kinds(1), [Request, CodeOutput, ValidationError]);
    assert_eq!(kinds(2), [Request, CodeOutput, ValidationError]);
    assert!(worker.seen[1][2].content.contains("$.age"));
    assert!(worker.seen[2][2].content.contains("$.name"));
    let left: Vec<SegmentKind> = done.result.new_payload.iter().map(|it| it.kind).collect();
    assert_eq!(left, [Request, CodeOutput]);
}

#[test]
fn o14_an_output_that_does_not_fit_never_reaches_the_toolchain() {
    let mut compiler_runs = 0;
    for outputs in [vec![BAD], vec![BAD, BAD, BAD, BAD, BAD]] {
        let (done, _) = block(&outputs, true);
        if done.result.signal == Signal::Success {
            compiler_runs += 1;
        }
    }
    assert_eq!(compiler_runs, 0);
}

#[test]
fn o22_a_block_that_is_always_bad_ends_in_fail_default() {
    let (done, worker) = block(&[BAD], true);
    assert_eq!(done.result.signal, Signal::FailDefault);
    assert_eq!(worker.seen.len(), 4, "one run and three corrections");
    assert_eq!(done.result.new_payload.last().unwrap().kind, SegmentKind::ValidationError);
}
