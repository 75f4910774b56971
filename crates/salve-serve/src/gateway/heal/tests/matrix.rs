//! The cut matrix in small: dialects, whole and streamed, kinds of answers, places and endings.

use super::canned::{Canned, Ending};
use super::harness::{Ask, Outcome, Setup, continuer, done};
use crate::gateway::heal::HealVerdict;
use salve_model::wire::Dialect;

const CODE: &str = "Here is the program:\n\n```rust\nuse std::collections::HashMap;\n\n/// Counts \
words.\nfn count(text: &str) -> HashMap<String, usize> {\n    let mut counts = HashMap::new();\n    \
for word in text.split_whitespace() {\n        *counts.entry(word.to_lowercase()).or_insert(0) += \
1;\n    }\n    counts\n}\n\nfn main() {\n    let counts = count(\"the cat and the dog\");\n    \
assert_eq!(counts.get(\"the\"), Some(&2));\n}\n```\n\nIt finds two.\n";

const ARGUMENTS: &str = r#"{"path": "src/main.rs", "mode": 420, "text": "fn main() {\n    greet(\"hello, \\\"world\\\" — {}\", 42);\n}\n"}"#;

const PEOPLE: &str = r#"{"people": [{"name": "Ada Lovelace", "age": 36}, {"name": "Grace \"Amazing\" Hopper", "age": 85}, {"name": "Édouard", "age": 7}]}"#;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Code,
    Tool,
    Json,
}

fn answer(kind: Kind, text: &str) -> Canned {
    match kind {
        Kind::Code | Kind::Json => Canned::text(text),
        Kind::Tool => Canned::call("write", text),
    }
}

fn places(text: &str, most: usize) -> Vec<usize> {
    let step = text.len().div_ceil(most).max(1);
    let mut places: Vec<usize> = (1..text.len()).step_by(step).collect();
    places.retain(|at| text.is_char_boundary(*at));
    places
}

struct Cell {
    dialect: Dialect,
    stream: bool,
    kind: Kind,
    ending: Ending,
}

impl Cell {
    fn cuts(&self) -> Vec<usize> {
        let text = self.whole_text();
        let mut cuts = places(text, 40);
        // Prose that is cut and said to be whole looks like prose that is whole.
        if self.kind == Kind::Code && matches!(self.ending, Ending::Stop | Ending::Missing) {
            let code = text.find("use std").unwrap()..text.rfind("```").unwrap();
            cuts.retain(|at| code.contains(at));
        }
        cuts
    }

    fn whole_text(&self) -> &'static str {
        match self.kind {
            Kind::Code => CODE,
            Kind::Tool => ARGUMENTS,
            Kind::Json => PEOPLE,
        }
    }

    fn run(&self, at: usize) -> Outcome {
        let text = self.whole_text();
        let (start, rest) = text.split_at(at);
        let ask = match self.kind {
            Kind::Code => Ask::Text,
            Kind::Tool => Ask::Tools,
            Kind::Json => Ask::Schema,
        };
        let all = answer(self.kind, text);
        let mut first = answer(self.kind, start).ending(self.ending);
        first.include_usage = true;
        // Arguments go on as plain text.
        let rest = Canned { include_usage: true, ..Canned::text(rest) };
        let all = Canned { include_usage: true, ..all };
        Setup::new(self.dialect, ask, self.stream, continuer(rest, all)).run(&first)
    }

    fn check(&self, at: usize, outcome: &Outcome) -> Result<(), String> {
        let text = self.whole_text();
        let Some(got) = outcome.received.answers.first() else {
            return Err(format!("nothing but {:?}", outcome.received.error));
        };
        let shown = match self.kind {
            Kind::Tool => got.calls.first().map_or("", |call| call.1.as_str()),
            Kind::Code | Kind::Json => got.text.as_str(),
        };
        if got.finish.as_deref() != Some(done(self.dialect, self.kind == Kind::Tool)) {
            return Err(format!("finish {:?}", got.finish));
        }
        if self.kind == Kind::Code && shown == text {
            return Ok(());
        }
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
        if self.kind != Kind::Code && value(shown).is_some() && value(shown) == value(text) {
            return Ok(());
        }
        Err(format!("cut after {:?}: got {shown:?}", &text[at.saturating_sub(20)..at]))
    }
}

fn cells(stream: bool) -> Vec<Cell> {
    let mut cells = Vec::new();
    for dialect in Dialect::ALL {
        for kind in [Kind::Code, Kind::Tool, Kind::Json] {
            // Whole bodies of Messages hold arguments that the provider has read already.
            if !stream && dialect == Dialect::Messages && kind == Kind::Tool {
                continue;
            }
            let mut endings = vec![Ending::Length, Ending::Stop, Ending::Missing];
            if stream {
                endings.extend([Ending::Disconnect, Ending::Error]);
            }
            for ending in endings {
                cells.push(Cell { dialect, stream, kind, ending });
            }
        }
    }
    cells
}

fn run_matrix(stream: bool) {
    let (mut runs, mut failures) = (0, Vec::new());
    for cell in cells(stream) {
        let cuts = cell.cuts();
        assert!(cuts.len() >= 20, "{} cuts", cuts.len());
        for at in cuts {
            runs += 1;
            let outcome = cell.run(at);
            let Cell { dialect, kind, ending, .. } = &cell;
            if let Err(why) = cell.check(at, &outcome) {
                // What is not whole must say so, and must not be a call.
                let marked = outcome.report.verdict == HealVerdict::Incomplete;
                assert!(marked, "{dialect:?} {kind:?} {ending:?} at {at}: {why}");
                failures.push(format!("{dialect:?} {kind:?} {ending:?} at {at}: {why}"));
            }
            check_calls(&outcome);
            check_usage(&cell, at, &outcome);
        }
    }
    assert!(failures.len() * 100 <= runs, "of {runs} are not whole: {failures:#?}");
}

// No call reaches the client whose arguments were not written by the model.
fn check_calls(outcome: &Outcome) {
    for answer in &outcome.received.answers {
        for (name, arguments) in &answer.calls {
            assert_eq!(name, "write");
            let value: serde_json::Value = serde_json::from_str(arguments).expect("strict JSON");
            let whole: serde_json::Value = serde_json::from_str(ARGUMENTS).unwrap();
            assert_eq!(value, whole, "arguments that nobody wrote");
        }
    }
}

// What the client is told adds up to what every call took.
fn check_usage(cell: &Cell, at: usize, outcome: &Outcome) {
    if outcome.received.error.is_some() {
        return;
    }
    let first = answer(cell.kind, &cell.whole_text()[..at]).ending(cell.ending);
    // A stream that died never came to its usage; Messages counts the prompt at the start.
    let died = matches!(cell.ending, Ending::Disconnect | Ending::Error);
    let silent = died || cell.stream && cell.ending == Ending::Missing;
    let (input, output) = first.tokens();
    let mut sum = match cell.dialect {
        _ if !silent => (input, output),
        Dialect::Messages => (input, 1),
        Dialect::Chat if cell.ending == Ending::Missing => (input, output),
        _ => (0, 0),
    };
    for asked in &outcome.asked {
        let rest = Canned::text(&cell.whole_text()[at..]);
        let answer = match asked.purpose {
            salve_model::Purpose::Resume => rest,
            _ => answer(cell.kind, cell.whole_text()),
        };
        sum = (sum.0 + answer.tokens().0, sum.1 + answer.tokens().1);
    }
    let told = outcome.received.usage.unwrap_or_default();
    assert_eq!(told, sum, "{:?} {:?} {:?} at {at}", cell.dialect, cell.kind, cell.ending);
}

#[test]
fn c259_cut_streams_reach_the_client_whole() {
    run_matrix(true);
}

#[test]
fn c259_cut_replies_reach_the_client_whole() {
    run_matrix(false);
}
