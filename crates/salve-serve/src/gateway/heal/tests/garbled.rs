//! Frames that were garbled on their way, in every dialect and at any depth of asking again.
//!
//! In: a true text or up to three true calls with a text before them, how they are cut into frames and
//! how a server writes those, and up to three frames that are damaged by chance, in the first stream or
//! in those that follow it; an upstream that continues truthfully. Out: a failure when an answer that
//! is called whole or healed lacks a byte of the truth, when bytes are doubled too often, when too few
//! are healed, or when an untouched stream is marked.
//!
//! What no reader can see is counted apart: a frame of Chat or Messages that is gone as if it had
//! never been, and one that still reads as the same event with another text.

mod damage;
mod got;
mod style;

use super::canned::Canned;
use super::fake::{Answer, Request};
use super::harness::{Ask, Setup, collect};
use crate::gateway::heal::HealVerdict;
use bytes::Bytes;
use damage::garble;
use fastrand::Rng;
use got::Got;
use salve_model::Purpose;
use salve_model::wire::Dialect;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use style::Style;

const STREAMS: u64 = 700;

#[derive(Debug, Default)]
struct Tally {
    untouched: usize,
    untouched_marked: Vec<String>,
    unseen: usize,
    once: usize,
    once_exact: usize,
    seen: usize,
    exact: usize,
    marked: usize,
    too_many: usize,
    lacking: Vec<String>,
}

/// What happens to the frames of all streams of one exchange.
struct Garbler {
    rng: Rng,
    dialect: Dialect,
    style: Style,
    left: usize,
    done: Vec<String>,
    unseen: bool,
}

impl Garbler {
    /// Writes a stream, with some of what is left to garble in it.
    fn stream(&mut self, answer: Canned) -> Bytes {
        let piece = self.rng.usize(1..40);
        let canned = Canned { piece, include_usage: true, ..answer };
        let frames = canned.frames(self.dialect);
        let frames: Vec<String> = frames.iter().map(|frame| self.style.write(frame)).collect();
        let mut raw: Vec<Vec<u8>> = frames.iter().map(|frame| frame.clone().into_bytes()).collect();
        let mine = self.rng.usize(0..=self.left);
        for _ in 0..mine {
            let at = self.rng.usize(0..raw.len());
            if raw[at] != frames[at].as_bytes() {
                continue;
            }
            let (how, garbled) = garble(&mut self.rng, &raw[at]);
            let proven = self.dialect == Dialect::Responses && !self.style.unnumbered;
            self.unseen |= !proven && is_unseen(&frames[at], &garbled);
            let shown = String::from_utf8_lossy(&garbled).into_owned();
            self.done.push(format!("{how} frame {at} of {}: {shown:?}", raw.len()));
            raw[at] = garbled;
        }
        self.left -= mine;
        Bytes::from(raw.concat())
    }
}

/// Whether no reader can tell: the frame is gone without a trace, or is the same with other words.
fn is_unseen(frame: &str, garbled: &[u8]) -> bool {
    let bare = |bytes: &[u8]| bytes.iter().all(|byte| b"\r\n".contains(byte));
    let Some(words) = words(frame) else { return false };
    if bare(garbled) {
        return true;
    }
    let garbled = String::from_utf8_lossy(garbled);
    self::words(&garbled).is_some_and(|read| read != words) || empties_step(&garbled)
}

/// The words of a frame, if it is one that has some.
fn words(frame: &str) -> Option<String> {
    let data = frame.lines().find_map(|line| line.strip_prefix("data:"))?;
    let value: Value = serde_json::from_str(data).ok()?;
    let places = [
        "/choices/0/delta/content",
        "/choices/0/delta/content/0/text",
        "/choices/0/delta/tool_calls/0/function/arguments",
        "/delta/text",
        "/delta/partial_json",
        "/delta",
    ];
    places.iter().find_map(|place| value.pointer(place)?.as_str().map(str::to_owned))
}

// A step without a word in it is what some servers send in between.
fn empties_step(frame: &str) -> bool {
    let data = frame.lines().find_map(|line| line.strip_prefix("data:")).unwrap_or_default();
    let value: Value = serde_json::from_str(data).unwrap_or_default();
    let step = value.pointer("/choices/0/delta");
    step.is_some_and(|step| step.as_object().is_some_and(serde_json::Map::is_empty))
        || value["choices"].as_array().is_some_and(Vec::is_empty)
}

fn truth(rng: &mut Rng) -> String {
    const PARTS: &[&str] = &[
        "The answer is NOT safe, because the lock is taken twice. ",
        "First we read the file, then we write it back.\n\n",
        "- one item of a list\n- another item, `with code`\n",
        "Überraschung: größer → kleiner, 日本語 too. ",
        "```python\ndef main(path):\n    with open(path) as handle:\n        return [line.strip() for line in handle]\n```\n\n",
        "```rust\nfn main() {\n    let list = vec![1, 2, 3];\n    println!(\"{list:?}\");\n}\n```\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n\n",
        "It is important that you do not skip this step. ",
        "## Heading\n\nSome words below it. ",
        "See https://example.org/a?b=c for more (or do not). ",
    ];
    let mut text = String::new();
    for _ in 0..rng.usize(1..7) {
        let part = rng.choice(PARTS).copied().unwrap_or_default();
        // What has a line of its own begins one.
        if part.starts_with(['`', '|', '#', '-']) && !text.is_empty() {
            text.push_str("\n\n");
        }
        text.push_str(part);
        if rng.bool() {
            text.push_str(&format!("Number {} is {}. ", rng.u32(..), rng.u8(..)));
        }
    }
    let end = ["Done.", "That is all.\n", "So be it!", "Is that clear?", "the end"];
    text.push_str(rng.choice(end).unwrap_or_default());
    text
}

/// Up to three calls, perhaps after a text.
fn calls(rng: &mut Rng) -> Canned {
    let mut answer = Canned::text("");
    if rng.bool() {
        answer.text = truth(rng);
    }
    for _ in 0..rng.usize(1..4) {
        let path = format!("a/{}.rs", rng.lowercase());
        answer = answer.with_call("write", &json!({"path": path, "text": truth(rng)}).to_string());
    }
    answer
}

/// The answer so far, as the request has it.
fn said(body: &Value) -> Option<String> {
    let turns = body["messages"].as_array().or_else(|| body["input"].as_array())?;
    let turn = turns.iter().rfind(|turn| turn["role"] == "assistant")?;
    match &turn["content"] {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            Some(parts.iter().filter_map(|part| part["text"].as_str()).collect())
        }
        _ => None,
    }
}

fn run(seed: u64, tally: &mut Tally, runtime: &tokio::runtime::Runtime) {
    let mut rng = Rng::with_seed(seed);
    let dialect = Dialect::ALL[rng.usize(0..3)];
    let style = Style::any(&mut rng);
    let with_calls = rng.u8(..) < 80;
    let answer = if with_calls { calls(&mut rng) } else { Canned::text(&truth(&mut rng)) };
    let left = rng.usize(0..4);
    let garbler =
        Garbler { rng: rng.fork(), dialect, style, left, done: Vec::new(), unseen: false };
    let garbler = Arc::new(Mutex::new(garbler));
    let first = garbler.lock().unwrap().stream(answer.clone());
    let truth = answer.clone();
    let (shared, size) = (Arc::clone(&garbler), rng.usize(1..300));
    let rule = move |request: &Request, _: usize| {
        let mut garbler = shared.lock().unwrap();
        let begun = said(&request.body).filter(|_| request.purpose == Purpose::Resume);
        // A text is continued; calls are all made again, whatever of them was asked for.
        let begun = begun.unwrap_or_default();
        let rest = answer.text.strip_prefix(&begun);
        let rest = rest.or_else(|| answer.text.strip_prefix(begun.trim_end()));
        let rest = if with_calls { rest.unwrap_or(&answer.text) } else { rest.unwrap_or_default() };
        let rest = Canned { text: rest.to_owned(), ..answer.clone() };
        Answer::Stream(garbler.stream(rest), size)
    };
    let ask = if with_calls { Ask::Tools } else { Ask::Text };
    let exchange = Setup::new(dialect, ask, true, rule).exchange();
    let pieces = super::fake::pieces(&first, rng.usize(1..300));
    let (bytes, report) = runtime.block_on(collect(exchange, pieces));
    let garbler = garbler.lock().unwrap();
    let got = Got::of(dialect, &bytes);
    let exact = got.is(&truth);
    let good = matches!(report.verdict, HealVerdict::Whole | HealVerdict::Healed);
    if garbler.done.is_empty() {
        tally.untouched += 1;
        let untouched = report.verdict == HealVerdict::Whole && exact;
        if !untouched {
            tally
                .untouched_marked
                .push(format!("seed {seed} {dialect:?} {report:?}\n truth {truth:?}"));
        }
        return;
    }
    if garbler.unseen {
        tally.unseen += 1;
        return;
    }
    tally.seen += 1;
    if garbler.done.len() == 1 {
        tally.once += 1;
        tally.once_exact += usize::from(good && exact);
    }
    match good {
        false => tally.marked += 1,
        true if exact => tally.exact += 1,
        true if got.has_all_of(&truth) => tally.too_many += 1,
        true => tally.lacking.push(format!(
            "seed {seed} {dialect:?} {style:?} {:?}: {:#?}\n truth {truth:?}\n got   {got:?}",
            report.verdict, garbler.done
        )),
    }
}

#[test]
fn garbled_frames_never_shorten_an_answer_in_silence() {
    let runtime = super::harness::runtime();
    let mut tally = Tally::default();
    for seed in 0..STREAMS {
        run(seed, &mut tally, &runtime);
    }
    let first = |all: &[String]| all.iter().take(8).cloned().collect::<Vec<_>>().join("\n");
    let (lacking, marked) = (tally.lacking.len(), tally.untouched_marked.len());
    assert_eq!(lacking, 0, "lacking:\n{}", first(&tally.lacking));
    assert_eq!(marked, 0, "untouched and marked:\n{}", first(&tally.untouched_marked));
    assert!(tally.too_many * 50 <= tally.seen, "{tally:?}");
    assert!(tally.once_exact * 100 >= tally.once * 60, "{tally:?}");
    // Everything that was to happen has happened, or the figures above say nothing.
    assert!(tally.exact > 100 && tally.marked > 10 && tally.unseen > 10, "{tally:?}");
}
