//! What is healthy passes as it came, byte for byte, in any pieces.

use super::canned::{Canned, Ending, chat_choices};
use super::harness::{Ask, Setup, nobody};
use crate::gateway::heal::HealVerdict;
use bytes::Bytes;
use proptest::prelude::*;
use salve_model::wire::Dialect;

const ARGUMENTS: &str = r#"{"path":"a","text":"b"}"#;

fn healthy() -> Vec<(Ask, Canned)> {
    let text = Canned::text("All good — nothing is missing here. Bye.\n");
    let people = r#"{"people":[{"name":"Ada","age":36}]}"#;
    vec![
        (Ask::Text, text.clone()),
        (Ask::Text, text.clone().thinking("Let me see.")),
        (Ask::Tools, text.clone()),
        (Ask::Tools, Canned::call("write", ARGUMENTS)),
        (Ask::Tools, text.clone().thinking("Hm.").with_call("write", ARGUMENTS)),
        (Ask::Tools, text.with_call("write", ARGUMENTS).with_call("write", ARGUMENTS)),
        (Ask::Schema, Canned::text(people)),
        (Ask::Schema, Canned::text(people).thinking("What people?")),
    ]
}

// Takes the report out, which is all that may have been added.
fn without_report(bytes: &Bytes) -> String {
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    let start = text.find(": salve ").expect("a report");
    let end = start + text[start..].find("\n\n").unwrap() + 2;
    format!("{}{}", &text[..start], &text[end..])
}

#[test]
fn healthy_streams_pass_byte_for_byte() {
    for dialect in Dialect::ALL {
        for (ask, canned) in healthy() {
            let canned = Canned { include_usage: true, ..canned };
            let bytes = canned.stream(dialect);
            for piece in [1, 3, 64, usize::MAX] {
                let outcome = Setup::new(dialect, ask, true, nobody).run_bytes(&bytes, piece);
                assert_eq!(outcome.report.verdict, HealVerdict::Whole, "{:?}", outcome.report);
                assert_eq!(without_report(&outcome.bytes), bytes, "{dialect:?} {ask:?}");
                assert!(outcome.received.ended);
            }
        }
    }
}

#[test]
fn healthy_replies_pass_byte_for_byte_without_a_copy() {
    for dialect in Dialect::ALL {
        for (ask, canned) in healthy() {
            let bytes = canned.whole(dialect);
            let outcome = Setup::new(dialect, ask, false, nobody).run_bytes(&bytes, usize::MAX);
            assert_eq!(outcome.bytes, bytes, "{dialect:?} {ask:?}");
            assert_eq!(outcome.bytes.as_ptr(), bytes.as_ptr());
            assert_eq!(outcome.report.verdict, HealVerdict::Whole);
            let (input, output) = canned.tokens();
            let usage = outcome.report.usage.unwrap();
            assert_eq!((usage.input_tokens, usage.output_tokens), (input, output));
        }
    }
}

#[test]
fn observed_replies_pass_as_they_came_and_are_judged() {
    for dialect in Dialect::ALL {
        for ending in [Ending::Stop, Ending::Length, Ending::Disconnect, Ending::Error] {
            let canned = Canned::call("write", r#"{"path":"a","te"#).ending(ending);
            let bytes = canned.stream(dialect);
            let setup = Setup::new(dialect, Ask::Tools, true, nobody).observing();
            let outcome = setup.run_bytes(&bytes, 5);
            assert_eq!(without_report(&outcome.bytes), bytes);
            assert_eq!(outcome.report.verdict, HealVerdict::Observed);
            assert!(outcome.report.why.is_some(), "what was wrong is said");
        }
        let canned = Canned::text("```rust\nfn main() {").ending(Ending::Length);
        let bytes = canned.whole(dialect);
        let setup = Setup::new(dialect, Ask::Text, false, nobody).observing();
        let outcome = setup.run_bytes(&bytes, 5);
        assert_eq!(outcome.bytes, bytes);
        assert!(outcome.report.why.is_some());
    }
}

#[test]
fn t11_the_verdict_on_a_stream_is_the_verdict_on_the_same_text_at_once() {
    let code = "Here:\n\n```rust\nfn main() {\n    let list = vec![1, 2, 3];\n}\n```\nDone.\n";
    for dialect in Dialect::ALL {
        for at in (1..code.len()).step_by(3) {
            for ending in [Ending::Stop, Ending::Length] {
                let canned = Canned::text(&code[..at]).ending(ending);
                let verdict = |stream: bool, bytes: &Bytes| {
                    let setup = Setup::new(dialect, Ask::Text, stream, nobody).observing();
                    setup.run_bytes(bytes, 7).report.why
                };
                let streamed = verdict(true, &canned.stream(dialect));
                assert_eq!(streamed, verdict(false, &canned.whole(dialect)), "cut at {at}");
            }
        }
    }
}

#[test]
fn a_whole_answer_gets_the_last_frame_that_never_came() {
    for dialect in [Dialect::Chat, Dialect::Messages] {
        let mut frames = Canned::text("All of it is here.").frames(dialect);
        frames.pop();
        let bytes = Bytes::from(frames.concat());
        let outcome = Setup::new(dialect, Ask::Text, true, nobody).run_bytes(&bytes, 9);
        assert!(outcome.received.ended, "{dialect:?}");
        assert_eq!(outcome.report.verdict, HealVerdict::Whole);
    }
}

#[test]
fn several_answers_pass_as_they_came() {
    let answers = [&Canned::text("One."), &Canned::text("Two.")];
    let bytes = chat_choices(&answers);
    let mut setup = Setup::new(Dialect::Chat, Ask::Text, false, nobody);
    setup.request["n"] = 2.into();
    let outcome = setup.run_bytes(&bytes, usize::MAX);
    assert_eq!(outcome.bytes, bytes);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    // T-11: the same bytes in other pieces give the same bytes for the client, healthy or not.
    #[test]
    fn t11_any_pieces_give_the_same_bytes(
        which in 0usize..8,
        dialect in 0usize..3,
        ending in 0usize..5,
        cut in any::<prop::sample::Index>(),
        sizes in prop::collection::vec(1usize..200, 1..40),
    ) {
        let (ask, mut canned) = healthy().swap_remove(which);
        let dialect = Dialect::ALL[dialect];
        canned.ending = [Ending::Stop, Ending::Length, Ending::Missing, Ending::Disconnect,
            Ending::Error][ending];
        let stream = canned.stream(dialect);
        let stream = stream.slice(..cut.index(stream.len() + 1));
        let refuse = |_: &super::fake::Request, _: usize| {
            super::fake::Answer::Refused(salve_engine::answer::AskError::OverBudget("spent".to_owned()))
        };
        let whole = Setup::new(dialect, ask, true, refuse).run_bytes(&stream, usize::MAX);
        let mut pieces = Vec::new();
        let mut at = 0;
        for size in sizes.iter().cycle() {
            if at >= stream.len() { break; }
            let end = (at + size).min(stream.len());
            pieces.push(Ok(stream.slice(at..end)));
            at = end;
        }
        let exchange = Setup::new(dialect, ask, true, refuse).exchange();
        let (bytes, report) =
            super::harness::runtime().block_on(super::harness::collect(exchange, pieces));
        prop_assert_eq!(bytes, whole.bytes);
        prop_assert_eq!(report, whole.report);
    }
}
