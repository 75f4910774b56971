//! What cannot be healed is marked or withheld, and what was never wrong is left alone.

use super::canned::{Canned, Ending, chat_choices};
use super::fake::{Answer, Request};
use super::harness::{Ask, Setup, continuer, cut, done, nobody};
use crate::gateway::heal::HealVerdict;
use bytes::Bytes;
use salve_engine::answer::AskError;
use salve_model::Purpose;
use salve_model::wire::Dialect;
use serde_json::{Value, json};

const OPEN_CODE: &str = "Here:\n\n```rust\nfn main() {\n    let list = vec![1, 2,";
const HALF_ARGUMENTS: &str = r#"{"path": "src/main.rs", "text": "fn main() {"#;
const HALF_PEOPLE: &str = r#"{"people": [{"name": "Ada", "age": 36}, {"na"#;

type Rule = fn(&Request, usize) -> Answer;

fn no_budget(_: &Request, _: usize) -> Answer {
    Answer::Refused(AskError::OverBudget("the key has 0 tokens left".to_owned()))
}

fn overloaded(_: &Request, _: usize) -> Answer {
    Answer::Status(529, r#"{"error": {"message": "overloaded"}}"#)
}

// Calls and texts that were closed by another process: strict JSON, and not what was asked for.
fn closes_brackets(request: &Request, _: usize) -> Answer {
    let wrong = r#"{"path": 7, "people": 7}"#;
    let has_tools = request.body.get("tools").is_some();
    Answer::Reply(if has_tools { Canned::call("write", wrong) } else { Canned::text(wrong) })
}

fn talks(_: &Request, _: usize) -> Answer {
    Answer::Reply(Canned::text("I am sorry, I cannot do that."))
}

#[test]
fn a_cut_text_that_cannot_be_healed_is_marked_as_cut() {
    for dialect in Dialect::ALL {
        for stream in [true, false] {
            let endings = [Ending::Stop, Ending::Length, Ending::Missing, Ending::Disconnect];
            for ending in endings.into_iter().take(if stream { 4 } else { 3 }) {
                for rule in [no_budget, overloaded] {
                    let first = Canned::text(OPEN_CODE).ending(ending);
                    let outcome = Setup::new(dialect, Ask::Text, stream, rule).run(&first);
                    let got = &outcome.received.answers[0];
                    assert_eq!(got.text, OPEN_CODE);
                    assert_eq!(got.finish.as_deref(), Some(cut(dialect)), "{dialect:?} {ending:?}");
                    assert_eq!(outcome.report.verdict, HealVerdict::Incomplete);
                    assert_eq!(outcome.status, 200);
                    assert!(outcome.received.ended);
                }
            }
        }
    }
}

#[test]
fn calls_and_bound_texts_that_cannot_be_proven_are_not_passed_on() {
    let calls = Canned::call("write", HALF_ARGUMENTS);
    let people = Canned::text(HALF_PEOPLE);
    for dialect in Dialect::ALL {
        // Words in place of a call are an answer of their own; in place of JSON they are none.
        let closed: [Rule; 3] = [no_budget, overloaded, closes_brackets];
        let talked: [Rule; 3] = [no_budget, overloaded, talks];
        for (ask, first, rules) in [
            (Ask::Tools, &calls, closed),
            (Ask::Schema, &people, closed),
            (Ask::Schema, &people, talked),
        ] {
            for ending in [Ending::Stop, Ending::Length, Ending::Missing, Ending::Disconnect] {
                for rule in rules {
                    let first = first.clone().ending(ending);
                    let outcome = Setup::new(dialect, ask, true, rule).run(&first);
                    let Some(error) = outcome.received.error.as_ref() else {
                        panic!("{dialect:?} {ask:?} {ending:?}: {:?}", outcome.received);
                    };
                    assert!(error.to_string().contains("salve_incomplete"), "{error}");
                    assert_eq!(outcome.report.verdict, HealVerdict::Incomplete);
                    for answer in &outcome.received.answers {
                        assert_eq!((answer.text.as_str(), answer.calls.len()), ("", 0));
                        assert_eq!(answer.finish, None);
                    }
                }
            }
        }
    }
}

#[test]
fn whole_replies_that_cannot_be_proven_are_an_error_of_their_dialect() {
    for dialect in Dialect::ALL {
        let first = Canned::text(HALF_PEOPLE).ending(Ending::Stop);
        let outcome = Setup::new(dialect, Ask::Schema, false, no_budget).run(&first);
        assert_eq!(outcome.status, 502);
        let body: Value = serde_json::from_slice(&outcome.bytes).unwrap();
        assert_eq!(body["error"]["code"], "salve_incomplete");
        assert_eq!(body["salve"]["partial"], HALF_PEOPLE);
        assert_eq!(body["salve"]["tried"]["resumes"], 1);
        assert!(body["error"]["message"].as_str().unwrap().contains("budget"), "{body}");
        if dialect == Dialect::Messages {
            assert_eq!(body["type"], "error");
        }
    }
}

#[test]
fn calls_that_were_proven_are_not_held_for_those_behind_them() {
    let whole = r#"{"path":"a","text":"b"}"#;
    for dialect in Dialect::ALL {
        let first = Canned::text("Two files.").with_call("write", whole);
        let first = first.with_call("write", HALF_ARGUMENTS).ending(Ending::Disconnect);
        let outcome = Setup::new(dialect, Ask::Tools, true, no_budget).run(&first);
        let got = &outcome.received.answers[0];
        assert_eq!(got.text, "Two files.");
        assert_eq!(got.calls, [("write".to_owned(), whole.to_owned())], "{dialect:?}");
        assert!(outcome.received.error.is_some());

        let rest = Canned::text(&format!("{}\"}}", "}"));
        let outcome =
            Setup::new(dialect, Ask::Tools, true, continuer(rest.clone(), rest)).run(&first);
        let got = &outcome.received.answers[0];
        assert_eq!(got.calls.len(), 2);
        assert_eq!(got.calls[1].1, format!("{HALF_ARGUMENTS}}}\"}}"));
        assert_eq!(got.finish.as_deref(), Some(done(dialect, true)));
    }
}

#[test]
fn malformed_arguments_are_asked_for_again() {
    let right = r#"{"path":"a","text":"b"}"#;
    let wrong = [
        r#"{"path": "a"}"#,
        r#"{"path": "a", "text": 7}"#,
        r#"{'path': 'a', 'text': 'b'}"#,
        r#"{"path": "a", "text": "b"}}"#,
        r#"{"path":"a","text":"b"}{"path":"a","text":"b"}"#,
        r#"["a", "b"]"#,
        "",
    ];
    for dialect in Dialect::ALL {
        for stream in [true, false] {
            for arguments in wrong {
                // A whole body of Messages has read arguments; what is no JSON cannot be in it.
                if dialect == Dialect::Messages
                    && !stream
                    && !arguments.starts_with(r#"{"path": "a""#)
                {
                    continue;
                }
                let first = Canned::call("write", arguments);
                let again = |_: &Request, _: usize| Answer::Reply(Canned::call("write", right));
                let outcome = Setup::new(dialect, Ask::Tools, stream, again).run(&first);
                let got = &outcome.received.answers[0];
                let value: Value = serde_json::from_str(&got.calls[0].1).unwrap();
                assert_eq!(value, json!({"path": "a", "text": "b"}), "{dialect:?} {arguments}");
                assert_eq!(got.calls.len(), 1);
                assert_eq!(outcome.report.reworks, 1);
                assert_eq!(outcome.report.verdict, HealVerdict::Healed);
            }
        }
    }
}

#[test]
fn a_text_that_breaks_its_schema_is_reworked_before_the_client_sees_any_of_it() {
    let wrong = r#"{"people": [{"name": "Ada", "age": "thirty-six"}]}"#;
    let right = r#"{"people": [{"name": "Ada", "age": 36}]}"#;
    for dialect in Dialect::ALL {
        for stream in [true, false] {
            let again = |_: &Request, _: usize| Answer::Reply(Canned::text(right));
            let outcome = Setup::new(dialect, Ask::Schema, stream, again).run(&Canned::text(wrong));
            assert_eq!(outcome.received.answers[0].text, right);
            assert_eq!(outcome.report.reworks, 1);
            assert_eq!(outcome.asked[0].purpose, Purpose::Rework);
            assert_eq!(outcome.asked[0].stream, stream, "asked as the client asked");
            assert!(outcome.asked[0].body.to_string().contains("age"), "the note names the place");
        }
    }
}

#[test]
fn c259_a_wrong_or_missing_reason_is_corrected_from_the_bytes() {
    let text = "```rust\nfn main() {}\n```\n\nThat is all.\n";
    let arguments = r#"{"path":"a","text":"b"}"#;
    for dialect in Dialect::ALL {
        for stream in [true, false] {
            for ending in [Ending::Length, Ending::Missing] {
                let first = Canned::call("write", arguments).ending(ending);
                // An object that the provider closed proves nothing; see below.
                if dialect == Dialect::Messages && !stream && ending == Ending::Length {
                    continue;
                }
                let outcome = Setup::new(dialect, Ask::Tools, stream, nobody).run(&first);
                let got = &outcome.received.answers[0];
                assert_eq!(got.finish.as_deref(), Some(done(dialect, true)), "{dialect:?}");
                assert_eq!(got.calls[0].1.replace(' ', ""), arguments);
                assert_eq!(outcome.received.error, None);
            }
            // A stream of Responses without its last event has broken off.
            if stream && dialect == Dialect::Responses {
                continue;
            }
            let first = Canned::text(text).ending(Ending::Missing);
            let outcome = Setup::new(dialect, Ask::Text, stream, nobody).run(&first);
            let got = &outcome.received.answers[0];
            assert_eq!(
                (got.text.as_str(), got.finish.as_deref()),
                (text, Some(done(dialect, false)))
            );
        }
    }
}

#[test]
fn a_call_that_the_provider_closed_at_its_limit_is_asked_for_again() {
    let right = r#"{"path":"a","text":"b and the rest"}"#;
    let first = Canned::call("write", r#"{"path":"a","text":"b"}"#).ending(Ending::Length);
    let again = |_: &Request, _: usize| Answer::Reply(Canned::call("write", right));
    let outcome = Setup::new(Dialect::Messages, Ask::Tools, false, again).run(&first);
    assert_eq!(outcome.report.reworks, 1);
    let got = &outcome.received.answers[0];
    let value: Value = serde_json::from_str(&got.calls[0].1).unwrap();
    assert_eq!(value["text"], "b and the rest");
}

#[test]
fn plain_text_at_the_clients_own_limit_passes_as_it_came() {
    let text = "The history of the city begins in the early years of the twelfth century, when the";
    for dialect in Dialect::ALL {
        for stream in [true, false] {
            let mut setup = Setup::new(dialect, Ask::Text, stream, nobody);
            let key = match dialect {
                Dialect::Responses => "max_output_tokens",
                _ => "max_tokens",
            };
            setup.request[key] = json!(20);
            let mut first = Canned::text(text).ending(Ending::Length);
            first.usage = Some((10, 20));
            first.include_usage = true;
            let outcome = setup.run(&first);
            let got = &outcome.received.answers[0];
            assert_eq!((got.text.as_str(), got.finish.as_deref()), (text, Some(cut(dialect))));
            assert_eq!(outcome.report.verdict, HealVerdict::Whole);
        }
    }
}

#[test]
fn code_cut_by_the_clients_own_limit_is_continued_and_the_header_says_so() {
    let rest = " 3];\n    println!(\"{list:?}\");\n}\n```\n";
    for dialect in Dialect::ALL {
        let answer = Canned { usage: Some((10, 15)), include_usage: true, ..Canned::text(rest) };
        let mut setup = Setup::new(dialect, Ask::Text, false, continuer(answer.clone(), answer));
        let key = if dialect == Dialect::Responses { "max_output_tokens" } else { "max_tokens" };
        setup.request[key] = json!(20);
        let mut first = Canned::text(OPEN_CODE).ending(Ending::Length);
        first.usage = Some((10, 20));
        let outcome = setup.run(&first);
        assert_eq!(outcome.received.answers[0].text, format!("{OPEN_CODE}{rest}"));
        assert_eq!(outcome.received.usage, Some((20, 35)));
        let headers = outcome.report.headers();
        let limit = headers.iter().find(|(name, _)| name == "x-salve-limit").unwrap();
        assert_eq!(limit.1, "client 20, continued to 35");
    }
}

#[test]
fn a_stop_sequence_ends_an_answer_on_purpose() {
    for dialect in [Dialect::Chat, Dialect::Messages] {
        for stream in [true, false] {
            let mut setup = Setup::new(dialect, Ask::Text, stream, nobody);
            let key = if dialect == Dialect::Chat { "stop" } else { "stop_sequences" };
            setup.request[key] = json!(["}"]);
            let outcome = setup.run(&Canned::text(OPEN_CODE));
            assert_eq!(outcome.received.answers[0].text, OPEN_CODE);
            assert_eq!(outcome.report.verdict, HealVerdict::Whole);
        }
    }
}

#[test]
fn every_answer_of_several_is_healed_on_its_own() {
    let rest = " 3];\n}\n```\n";
    let cut = Canned::text(OPEN_CODE).ending(Ending::Length);
    let whole = Canned::text("Nothing is missing here.");
    let bytes = chat_choices(&[&whole, &cut, &whole]);
    let rule = continuer(Canned::text(rest), Canned::text(rest));
    let mut setup = Setup::new(Dialect::Chat, Ask::Text, false, rule);
    setup.request["n"] = json!(3);
    let outcome = setup.run_bytes(&bytes, usize::MAX);
    let texts: Vec<&str> =
        outcome.received.answers.iter().map(|answer| answer.text.as_str()).collect();
    let healed = format!("{OPEN_CODE}{rest}");
    assert_eq!(texts, ["Nothing is missing here.", &healed, "Nothing is missing here."]);
    assert_eq!(outcome.asked.len(), 1);
    assert_eq!(outcome.asked[0].body.get("n"), None, "a follow-up asks for one answer");
    let (input, first) = (10, 2 * whole.tokens().1 + cut.tokens().1);
    let more = Canned::text(rest).tokens();
    assert_eq!(outcome.received.usage, Some((input + more.0, first + more.1)));
    // What belongs to the other answers is as it came.
    let body: Value = serde_json::from_slice(&outcome.bytes).unwrap();
    assert_eq!(body["choices"][2]["x_vendor"], json!([2]));
    assert_eq!(body["x_unknown"], json!({"kept": true}));
}

#[test]
fn several_streamed_answers_are_healed_on_their_own() {
    let chunk = |index: usize, delta: Value, finish: Value| {
        let value = json!({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m",
            "choices": [{"index": index, "delta": delta, "finish_reason": finish}]});
        format!("data: {value}\n\n")
    };
    let text = |index, text: &str| chunk(index, json!({"content": text}), Value::Null);
    let rest = " 3];\n}\n```\n";
    let stream = [
        text(0, "Nothing is "),
        text(1, &OPEN_CODE[..20]),
        text(0, "missing here."),
        chunk(0, json!({}), json!("stop")),
        text(1, &OPEN_CODE[20..]),
        chunk(1, json!({}), json!("length")),
        "data: [DONE]\n\n".to_owned(),
    ]
    .concat();
    let rule = continuer(Canned::text(rest), Canned::text(rest));
    let mut setup = Setup::new(Dialect::Chat, Ask::Text, true, rule);
    setup.request["n"] = json!(2);
    let outcome = setup.run_bytes(&stream.into(), 50);
    let answers = &outcome.received.answers;
    assert_eq!(answers[0].text, "Nothing is missing here.");
    assert_eq!(answers[1].text, format!("{OPEN_CODE}{rest}"));
    assert_eq!(answers[0].finish.as_deref(), Some("stop"));
    assert_eq!(answers[1].finish.as_deref(), Some("stop"));
    assert_eq!(outcome.asked.len(), 1);
}

#[test]
fn a_continued_answer_has_no_probabilities_of_tokens() {
    let rest = " 3];\n}\n```\n";
    let cut = Canned::text(OPEN_CODE).ending(Ending::Length);
    let mut body: Value =
        serde_json::from_slice(&chat_choices(&[&cut, &Canned::text("Fine.")])).unwrap();
    for choice in 0..2 {
        body["choices"][choice]["logprobs"] = json!({"content": [{"token": "H", "logprob": -0.1}]});
    }
    let rule = continuer(Canned::text(rest), Canned::text(rest));
    let mut setup = Setup::new(Dialect::Chat, Ask::Text, false, rule);
    setup.request["n"] = json!(2);
    setup.request["logprobs"] = json!(true);
    let outcome = setup.run_bytes(&body.to_string().into(), usize::MAX);
    let healed: Value = serde_json::from_slice(&outcome.bytes).unwrap();
    assert_eq!(healed["choices"][0]["logprobs"], Value::Null);
    assert_eq!(healed["choices"][1]["logprobs"], body["choices"][1]["logprobs"]);
    assert_eq!(outcome.asked[0].body.get("logprobs"), None);
}

#[test]
fn usage_is_told_where_it_was_asked_for() {
    let rest = " 3];\n}\n```\n";
    let answer = Canned { include_usage: true, ..Canned::text(rest) };
    for asked in [true, false] {
        let rule = continuer(answer.clone(), answer.clone());
        let mut setup = Setup::new(Dialect::Chat, Ask::Text, true, rule);
        setup.request["stream_options"] = json!({"include_usage": asked});
        let mut first = Canned::text(OPEN_CODE).ending(Ending::Length);
        first.include_usage = asked;
        let outcome = setup.run(&first);
        let (one, two) = (first.tokens(), answer.tokens());
        let sum = (one.0 + two.0, one.1 + two.1);
        assert_eq!(outcome.received.usage, asked.then_some(sum));
    }
}

#[test]
fn reasoning_and_the_reply_before_stay_with_a_continued_response() {
    let rest = " 3];\n}\n```\n";
    for dialect in Dialect::ALL {
        for stream in [true, false] {
            let first = Canned::text(OPEN_CODE).thinking("First a list.").ending(Ending::Length);
            let rule = continuer(Canned::text(rest), Canned::text(rest));
            let outcome = Setup::new(dialect, Ask::Text, stream, rule).run(&first);
            let got = &outcome.received.answers[0];
            assert_eq!(got.text, format!("{OPEN_CODE}{rest}"));
            if stream || dialect != Dialect::Chat {
                assert_eq!(got.thinking, "First a list.", "{dialect:?}");
            }
            if dialect == Dialect::Responses {
                assert_eq!(outcome.asked[0].body["previous_response_id"], "resp_0");
                let text = String::from_utf8_lossy(&outcome.bytes);
                assert!(text.contains("\"previous_response_id\":\"resp_0\""), "{text}");
                assert!(text.contains("encrypted_content"), "reasoning items stay as they came");
            }
        }
    }
}

#[test]
fn a_body_that_cannot_be_read_is_asked_for_again() {
    for dialect in Dialect::ALL {
        // So little of it that no answer had begun.
        let bytes = Bytes::from_static(b"{\"id\":\"x\",\"cho");
        let again = move |_: &Request, _: usize| Answer::Reply(Canned::text("All of it."));
        let setup = Setup::new(dialect, Ask::Text, false, again);
        let outcome = setup.run_bytes(&bytes, usize::MAX);
        assert_eq!(outcome.status, 200);
        assert_eq!(outcome.received.answers[0].text, "All of it.");
        assert_eq!(outcome.report.retries, 1);
        let setup = Setup::new(dialect, Ask::Text, false, no_budget);
        let outcome = setup.run_bytes(&bytes, usize::MAX);
        assert_eq!(outcome.status, 502);
    }
}

#[test]
fn a_frame_that_is_no_json_never_reaches_the_client() {
    let rest = " 3];\n}\n```\n";
    for dialect in Dialect::ALL {
        let mut frames = Canned::text(OPEN_CODE).ending(Ending::Disconnect).frames(dialect);
        frames.push("data: {\"id\": \"chatcmpl-1\", \"cho\u{0}\n\n".to_owned());
        frames.push("data: <html>502 Bad Gateway</html>\n\n".to_owned());
        let rule = continuer(Canned::text(rest), Canned::text(rest));
        let setup = Setup::new(dialect, Ask::Text, true, rule);
        let outcome = setup.run_bytes(&frames.concat().into(), 33);
        assert_eq!(outcome.received.answers[0].text, format!("{OPEN_CODE}{rest}"));
        assert_eq!(outcome.report.verdict, HealVerdict::Healed);
    }
}

#[test]
fn an_upstream_that_says_nothing_is_asked_again_and_its_silence_is_told() {
    for dialect in Dialect::ALL {
        let again = |_: &Request, _: usize| Answer::Reply(Canned::text("Here I am."));
        let outcome = Setup::new(dialect, Ask::Text, true, again).run_bytes(&"".into(), 1);
        assert_eq!(outcome.received.answers[0].text, "Here I am.", "{dialect:?}");
        let outcome = Setup::new(dialect, Ask::Text, true, overloaded).run_bytes(&"".into(), 1);
        let error = outcome.received.error.expect("an error event").to_string();
        assert!(error.contains("overloaded"), "{error}");
    }
}

#[test]
fn an_error_told_with_the_status_of_a_success_is_asked_again_and_otherwise_passes() {
    let bytes = bytes::Bytes::from_static(br#"{"error": {"message": "no capacity", "code": 503}}"#);
    for dialect in Dialect::ALL {
        let again = |_: &Request, _: usize| Answer::Reply(Canned::text("All of it."));
        let setup = Setup::new(dialect, Ask::Text, false, again);
        let outcome = setup.run_bytes(&bytes, usize::MAX);
        assert_eq!(outcome.received.answers[0].text, "All of it.");
        let setup = Setup::new(dialect, Ask::Text, false, overloaded);
        let outcome = setup.run_bytes(&bytes, usize::MAX);
        assert_eq!(outcome.bytes, bytes);
        assert_eq!(outcome.report.verdict, HealVerdict::Incomplete);
    }
}

#[test]
fn json_that_is_no_reply_passes_as_it_came() {
    let bytes = bytes::Bytes::from_static(br#"{"object": "something.new", "data": [1, 2]}"#);
    for dialect in Dialect::ALL {
        let exchange = Setup::new(dialect, Ask::Text, false, nobody).exchange();
        let healing = crate::gateway::heal::heal_whole(&exchange, bytes.clone(), None);
        let outcome = super::harness::runtime().block_on(healing);
        assert_eq!((outcome.status.as_u16(), outcome.body), (200, bytes.clone()));
        assert_eq!(outcome.report.verdict, HealVerdict::Observed);
    }
}
