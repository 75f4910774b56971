//! What one look at an answer says.
//!
//! In: a table of answers. Out: the verdict of each, in one word. Never asks anyone.

use crate::asking::{call, compiled, counted, text, wants_person, wants_tools};
use FinishReason::{Disconnect, Length, Stop, ToolCalls};
use salve_engine::answer::{AnswerVerdict, Part, StreamJudge, Wanted, judge};
use salve_model::{ModelReply, ToolCall};
use salve_types::{FinishReason, Language};

fn word(verdict: &AnswerVerdict) -> String {
    match verdict {
        AnswerVerdict::Whole(answer) => match (&answer.wrong_finish, &answer.clean) {
            (Some(wrong), _) => format!("whole, {}", wrong.proven.name()),
            (None, Some(_)) => "whole, cleaned".into(),
            (None, None) => "whole".into(),
        },
        AnswerVerdict::Cut(cut) => match (cut.part, cut.proven) {
            (Part::Text, true) => "cut".into(),
            (Part::Text, false) => "perhaps cut".into(),
            (Part::Tool(index), _) => format!("cut in {index}"),
        },
        AnswerVerdict::Malformed(fault) => format!("wrong at {}", fault.path),
        AnswerVerdict::ThinkingOnly => "thinking".into(),
        AnswerVerdict::AtOwnLimit => "own limit".into(),
        AnswerVerdict::Refused => "refused".into(),
        _ => "?".into(),
    }
}

#[track_caller]
fn check(wanted: &Wanted, cases: &[(ModelReply, &str)]) {
    for (reply, expected) in cases {
        assert_eq!(word(&judge(reply, wanted)), *expected, "{reply:?}");
    }
}

const FENCED: &str =
    "Here you are:\n\n```rust\nfn main() {\n    println!(\"hi\");\n}\n```\n\nThat is all.\n";

#[test]
fn free_text_is_cut_where_a_fence_is_open_or_the_provider_says_so() {
    let open = &FENCED[..FENCED.find("\");").unwrap()];
    let between = &FENCED[..FENCED.rfind("```").unwrap()];
    let odd = |word: &str| FinishReason::Other(word.into());
    check(
        &Wanted::default(),
        &[
            (text(FENCED, Stop), "whole"),
            (text(FENCED, Length), "perhaps cut"),
            (text(open, Stop), "cut"),
            (text(open, Length), "cut"),
            (text(open, Disconnect), "cut"),
            (text(between, Stop), "perhaps cut"),
            (text(between, Length), "cut"),
            (text("Here you are:\n\n`", Stop), "perhaps cut"),
            (text("Here you are:\n\n``", Stop), "perhaps cut"),
            (text("It is called\n`main`", Stop), "whole"),
            (text("The fox ran and", Stop), "whole"),
            (text("The fox ran and", Length), "perhaps cut"),
            (text("The fox ran and", Disconnect), "perhaps cut"),
            (text("don't say \"yes (", Stop), "whole"),
            (text("A list: [1, 2 and <b> it's {open", Stop), "whole"),
            (text("fn main() {\n    let x = 1;\n    let y = [", Stop), "perhaps cut"),
            (text("fn main() {\n    let x = 1;\n    let y = [", Length), "cut"),
            (text("{\"a\": [1, 2", Stop), "cut"),
            (text("fn main() {}\n", Stop), "whole"),
            (text("", Stop), "whole"),
            (text("fine", odd("pause_turn")), "whole"),
            (ModelReply { text: "All done.".into(), ..ModelReply::default() }, "whole, stop"),
            (text("no", FinishReason::ContentFilter), "refused"),
        ],
    );
}

#[test]
fn a_text_that_ends_where_it_was_told_to_is_whole_whatever_is_open() {
    let wanted = Wanted { stop: vec!["\n\n".into(), "END".into()], ..Wanted::default() };
    let cases = [
        (text("```rust\nfn main() {", Stop), "whole"),
        (text("```rust\nfn main() {END", Length), "whole, stop"),
        (text("```rust\nfn main() {", Length), "cut"),
    ];
    check(&wanted, &cases);
}

#[test]
fn the_askers_own_limit_is_a_wish_for_prose_and_a_cut_for_code() {
    let wanted = Wanted { output_limit: Some(8), ..Wanted::default() };
    let cases = [
        (counted(text("The fox ran and", Length), 8), "own limit"),
        (text("The fox ran and", Length), "own limit"),
        (counted(text("The fox ran and", Length), 5), "perhaps cut"),
        (counted(text("```rust\nfn main() {", Length), 8), "cut"),
        (counted(text("The fox ran and", Disconnect), 8), "perhaps cut"),
    ];
    check(&wanted, &cases);
}

#[test]
fn c259_x06_json_is_judged_by_its_bytes_and_needs_no_sentinel() {
    let good = r#"{"name": "Ada", "age": 36}"#;
    let fenced = format!("Here it is:\n```json\n{good}\n```\nDone.");
    check(
        &wants_person(),
        &[
            (text(good, Stop), "whole"),
            (text(good, Length), "whole, stop"),
            (text(&format!("\n {good} \n"), Stop), "whole"),
            (text(&fenced, Stop), "whole, cleaned"),
            (text(&good[..20], Stop), "cut"),
            (text(&fenced[..40], Length), "cut"),
            (text(r#"{"name": "Ada", "age": "x"}"#, Stop), "wrong at $.age"),
            (text(r#"{"name": "Ada"}"#, Length), "wrong at $.age"),
            (text(r#"{"name": "Ada",, "age": 3}"#, Stop), "wrong at line 1, column 16"),
            (text("I cannot say.", Stop), "wrong at line 1, column 1"),
            (text("", Stop), "wrong at $"),
            (text(r#"{"name": "Ada", "age": 36}}"#, Stop), "wrong at line 1, column 27"),
        ],
    );
    let any = Wanted { json: true, ..Wanted::default() };
    check(
        &any,
        &[
            (text("12", Length), "cut"),
            (text("12", Stop), "whole"),
            (text("[1, 2]", Disconnect), "whole, stop"),
            (text("tru", Stop), "cut"),
        ],
    );
}

#[test]
fn x19_a_structured_answer_that_is_cut_or_does_not_fit_is_caught() {
    let schema = compiled(serde_json::json!({"type": "object", "required": ["ok"]}));
    let wanted = Wanted { schema: Some(schema), ..Wanted::default() };
    check(
        &wanted,
        &[
            (text("{\"ok\": tr", Stop), "cut"),
            (text("{}", Stop), "wrong at $.ok"),
            (text("{\"ok\": true}", Stop), "whole"),
        ],
    );
}

#[test]
fn tool_calls_are_whole_only_as_strict_json_that_fits() {
    let good = r#"{"path": "a", "content": "b"}"#;
    let cases = [
        (call("write_file", good, ToolCalls), "whole"),
        (call("write_file", good, Stop), "whole, tool_calls"),
        (call("write_file", good, Length), "whole, tool_calls"),
        (call("write_file", &good[..20], ToolCalls), "cut in 0"),
        (call("write_file", &good[..20], Length), "cut in 0"),
        (call("write_file", r#"{"path": "a"}"#, ToolCalls), "wrong at $.content"),
        (call("write_file", r#"{"path": ["a"}"#, ToolCalls), "wrong at line 1, column 14"),
        (call("write_file", "", ToolCalls), "wrong at $.path"),
        (call("write_file", "", Length), "cut in 0"),
        (call("list", "", ToolCalls), "whole"),
        (call("list", "{}", ToolCalls), "whole"),
        (call("list", "\"{}\"", ToolCalls), "wrong at $"),
        (call("remove", "{}", ToolCalls), "wrong at the name of the tool"),
    ];
    check(&wants_tools(), &cases);
    let mut two = call("write_file", &good[..10], ToolCalls);
    two.tool_calls.push(ToolCall { name: "list".into(), ..ToolCall::default() });
    check(&wants_tools(), &[(two, "wrong at $")]);
}

#[test]
fn an_answer_that_is_only_thinking_is_named() {
    let thought = |finish| ModelReply {
        thinking: "Let me see".into(),
        finish: Some(finish),
        ..ModelReply::default()
    };
    check(
        &Wanted::default(),
        &[
            (thought(Length), "thinking"),
            (thought(Stop), "whole"),
            (thought(Disconnect), "cut"),
            (text("", Length), "thinking"),
        ],
    );
}

#[test]
fn o08_the_content_of_a_known_language_is_the_answer() {
    let wanted = Wanted { language: Some(Language::Rust), ..Wanted::default() };
    let AnswerVerdict::Whole(answer) = judge(&text(FENCED, Stop), &wanted) else {
        panic!("not whole");
    };
    assert_eq!(answer.clean.as_deref(), Some("fn main() {\n    println!(\"hi\");\n}\n"));
    check(&wanted, &[(text("```rust\nfn main() {\n    let x = (1,\n```\n", Stop), "cut")]);
}

#[test]
fn hostile_answers_are_judged_and_nothing_breaks() {
    let deep = "[".repeat(200_000);
    let texts = [
        deep.clone(),
        "\u{0}\u{feff}".to_owned(),
        "```".repeat(50_000),
        "é".repeat(8191) + "```\nfn",
        "{\"a\":".repeat(10_000),
        "\\\"".repeat(40_000),
        "~~~\n".repeat(999),
    ];
    for wanted in [Wanted::default(), wants_person(), wants_tools()] {
        for words in &texts {
            for finish in [Stop, Length] {
                let _ = judge(&text(words, finish.clone()), &wanted);
                let _ = judge(&call("write_file", words, finish), &wanted);
            }
        }
    }
}

#[test]
fn t11_a_streams_verdict_is_the_batchs_at_any_chunking() {
    let long = FENCED.repeat(400);
    let code = "fn f() {\n    let x = 1;\n}\n".repeat(900) + "fn g() {";
    for whole in [FENCED, &long, &code, "Plain words, no more.", "{\"a\": [1,"] {
        for end in [whole.len(), whole.len() * 9 / 10, whole.len() / 3] {
            for finish in [Stop, Length] {
                let reply = text(&whole[..end], finish);
                let batch = judge(&reply, &Wanted::default());
                for size in [1, 7, 4096, 1 << 20] {
                    let mut judge = StreamJudge::new(&Wanted::default());
                    for piece in reply.text.as_bytes().chunks(size) {
                        judge.push_text(std::str::from_utf8(piece).unwrap());
                        assert!(judge.state_bytes() <= 256 * 1024);
                    }
                    assert_eq!(judge.finish(&reply, &Wanted::default()), batch);
                }
            }
        }
    }
}

// A provider that sends arguments as an object closes what its limit cut.
#[test]
fn arguments_that_the_provider_closed_prove_nothing_by_their_end() {
    let all = |reason| call("list", r#"{"all": true}"#, reason);
    let by_bytes = [(all(Length), "whole, tool_calls"), (all(Disconnect), "whole, tool_calls")];
    check(&wants_tools(), &by_bytes);
    let wanted = Wanted { closed_calls: true, ..wants_tools() };
    let cases = [
        (all(ToolCalls), "whole"),
        (all(Stop), "whole, tool_calls"),
        (all(Length), "wrong at $"),
        (all(Disconnect), "wrong at $"),
    ];
    check(&wanted, &cases);
}
