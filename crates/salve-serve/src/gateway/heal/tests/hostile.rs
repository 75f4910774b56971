//! Streams that are cut at any byte, and upstreams that answer follow-ups in every wrong way.
//!
//! Whatever happens, the client reads a legal stream to its end, what flowed stays true, and no call
//! reaches it that nobody wrote.

use super::canned::{Canned, Ending};
use super::fake::{Answer, Request};
use super::harness::{Ask, Outcome, Setup};
use crate::gateway::heal::HealVerdict;
use proptest::prelude::*;
use salve_engine::answer::AskError;
use salve_model::wire::Dialect;
use serde_json::Value;

const ARGUMENTS: &str = r#"{"path": "a.rs", "text": "fn a() {\n  b(\"x\");\n}", "mode": 7}"#;
const OTHER: &str = r#"{"path": "other.rs", "text": "whole"}"#;
const SHORT: &str = r#"{"path": "a.rs"}"#;
const PEOPLE: &str = r#"{"people": [{"name": "Ada", "age": 36}, {"name": "Bob", "age": 7}]}"#;
const CODE: &str = "See:\n\n```python\ndef main():\n    print({\"a\": [1, 2, (3)]})\n```\nDone.\n";

fn first(kind: usize) -> (Ask, Canned) {
    match kind {
        0 => (Ask::Text, Canned::text(CODE)),
        1 => (Ask::Tools, Canned::call("write", ARGUMENTS)),
        2 => (Ask::Tools, Canned::text(CODE).thinking("So.").with_call("write", ARGUMENTS)),
        3 => (Ask::Tools, Canned::call("write", ARGUMENTS).with_call("write", OTHER)),
        _ => (Ask::Schema, Canned::text(PEOPLE)),
    }
}

fn follow_up(how: usize, ending: Ending) -> Answer {
    Answer::Reply(
        match how {
            0 => Canned::default(),
            1 => Canned::text("\"}"),
            2 => Canned::text("\"}]}"),
            3 => Canned::text("Sure, here is the rest:\n\n```\n}\n```\n"),
            4 => Canned::text(CODE),
            5 => Canned::text(ARGUMENTS),
            6 => Canned::text(PEOPLE),
            7 => Canned::call("write", OTHER),
            8 => Canned::call("write", SHORT),
            9 => Canned::call("write", r#"{"path": "a.rs", "te"#),
            10 => Canned::call("erase", "{}"),
            11 => Canned::default().thinking("Hm, what now?"),
            12 => return Answer::Status(500, "<html>"),
            13 => return Answer::Status(200, "not JSON at all"),
            14 => return Answer::Refused(AskError::Failed("connection refused".to_owned())),
            _ => return Answer::Refused(AskError::OverBudget("spent".to_owned())),
        }
        .ending(ending),
    )
}

fn endings() -> impl Strategy<Value = Ending> {
    prop::sample::select(vec![
        Ending::Stop,
        Ending::Length,
        Ending::Missing,
        Ending::Disconnect,
        Ending::Error,
    ])
}

fn check(outcome: &Outcome, ask: Ask) {
    let received = &outcome.received;
    let incomplete = outcome.report.verdict == HealVerdict::Incomplete;
    assert!(received.ended || received.error.is_some(), "no end: {received:?}");
    assert!(received.error.is_none() || incomplete, "{:?}", outcome.report);
    assert!(received.report.is_some());
    for answer in &received.answers {
        for (name, arguments) in &answer.calls {
            let value: Value = serde_json::from_str(arguments).expect("strict JSON");
            // Where no tools were offered, no schema binds a call.
            if ask == Ask::Tools {
                assert_eq!(name, "write");
                assert!(value["path"].is_string() && value["text"].is_string(), "{value}");
            }
            // Every character was written by the upstream: as a call, or as a start and its rest.
            let authored = arguments == ARGUMENTS || arguments == OTHER;
            // Messages has its arguments as an object, so that its blanks are the reader's own.
            let compact = [ARGUMENTS, OTHER, SHORT].map(without_blanks);
            let shared = |with: &str| {
                arguments.bytes().zip(with.bytes()).take_while(|(a, b)| a == b).count()
            };
            let rest = &arguments[shared(ARGUMENTS).max(shared(&compact[0]))..];
            let texts = [ARGUMENTS, OTHER, PEOPLE, CODE, "\"}", "\"}]}", "}\n```\n", SHORT, "{}"];
            let texts: Vec<&str> =
                texts.into_iter().chain(compact.iter().map(String::as_str)).collect();
            // What arrived first is a piece too.
            let joined = pieces(rest, &texts) <= outcome.asked.len() + 1;
            assert!(authored || joined, "invented: {arguments}");
        }
        if ask == Ask::Schema && !incomplete && answer.calls.is_empty() {
            let value: Value = serde_json::from_str(&answer.text).expect("strict JSON");
            assert!(value["people"].is_array());
        }
        assert!(answer.finish.is_some() || received.error.is_some());
    }
}

fn without_blanks(arguments: &str) -> String {
    serde_json::from_str::<Value>(arguments).expect("JSON").to_string()
}

// In how few pieces of what the upstream said a text can be written.
fn pieces(text: &str, told: &[&str]) -> usize {
    let mut rest = text;
    let mut pieces = 0;
    while !rest.is_empty() {
        let is_told = |end: &usize| {
            rest.get(..*end).is_some_and(|start| told.iter().any(|text| text.contains(start)))
        };
        let Some(end) = (1..=rest.len()).rev().find(is_told) else { return usize::MAX };
        rest = &rest[end..];
        pieces += 1;
    }
    pieces
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn streams_cut_at_any_byte_reach_the_client_legal_and_marked(
        kind in 0usize..5,
        dialect in 0usize..3,
        ending in endings(),
        cut in any::<prop::sample::Index>(),
        cut_at_all in any::<bool>(),
        answers in prop::collection::vec((0usize..16, endings()), 1..4),
    ) {
        let dialect = Dialect::ALL[dialect];
        let (ask, canned) = first(kind);
        let bytes = canned.ending(ending).stream(dialect);
        let end = if cut_at_all { cut.index(bytes.len() + 1) } else { bytes.len() };
        let rule = move |_: &Request, number: usize| {
            let (how, ending) = answers[(number - 1) % answers.len()];
            follow_up(how, ending)
        };
        let outcome = Setup::new(dialect, ask, true, rule).run_bytes(&bytes.slice(..end), 19);
        check(&outcome, ask);
        prop_assert!(outcome.asked.len() <= 8, "{} calls", outcome.asked.len());
    }

    #[test]
    fn replies_that_break_in_any_way_reach_the_client_legal_and_marked(
        kind in 0usize..5,
        dialect in 0usize..3,
        ending in endings(),
        cut in any::<prop::sample::Index>(),
        cut_at_all in any::<bool>(),
        answers in prop::collection::vec((0usize..16, endings()), 1..4),
    ) {
        let dialect = Dialect::ALL[dialect];
        let (ask, canned) = first(kind);
        let bytes = canned.ending(ending).whole(dialect);
        let end = if cut_at_all { cut.index(bytes.len() + 1) } else { bytes.len() };
        let rule = move |_: &Request, number: usize| {
            let (how, ending) = answers[(number - 1) % answers.len()];
            follow_up(how, ending)
        };
        let mut outcome =
            Setup::new(dialect, ask, false, rule).run_bytes(&bytes.slice(..end), usize::MAX);
        outcome.received.report = Some(Value::Null);
        if dialect == Dialect::Messages {
            // Its arguments are objects, written out by the reader in its own way.
            for answer in &mut outcome.received.answers {
                for call in &mut answer.calls {
                    let same = |text: &&str| {
                        serde_json::from_str::<Value>(text).ok()
                            == serde_json::from_str(&call.1).ok()
                    };
                    if let Some(text) = [ARGUMENTS, OTHER, SHORT].iter().find(|text| same(text)) {
                        call.1 = (*text).to_owned();
                    }
                }
            }
        }
        check(&outcome, ask);
    }
}
