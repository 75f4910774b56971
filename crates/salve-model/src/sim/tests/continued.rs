//! Answers that are cut again and again glue to the whole, however the rest is asked for.

use super::client::{ask, question, start};
use crate::model::Model;
use crate::request::{ModelRequest, ToolSpec, Turn};
use crate::sim::{Script, ScriptedModel};
use crate::wire::Dialect;
use proptest::prelude::*;
use salve_types::FinishReason;
use serde_json::{Value, json};

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

fn asked(turns: Vec<Turn>) -> ModelRequest {
    ModelRequest { model: "m".to_owned(), turns, max_output_tokens: 9, ..ModelRequest::default() }
}

fn tool() -> ToolSpec {
    ToolSpec { name: "write".to_owned(), description: String::new(), parameters: json!({}) }
}

// What a resume prompt looks like: a word about the cut, and the last characters between fences.
fn prompt(partial: &str) -> String {
    let tail: Vec<char> = partial.chars().rev().take(400).collect();
    let tail: String = tail.into_iter().rev().collect();
    format!("Your response was cut off. It ends with:\n````\n{tail}\n````\nContinue from there.")
}

#[expect(clippy::needless_pass_by_value, reason = "made where it is passed")]
fn script(reply: Value) -> Script {
    Script::parse(&json!({ "reply": reply }).to_string()).unwrap()
}

// Asks for the rest until the model says that it is done.
fn glued(model: &ScriptedModel, follow: impl Fn(&str) -> Vec<Turn>) -> String {
    let mut text = run(model.call(&asked(vec![Turn::user("go")]), &mut ())).unwrap().text;
    for _ in 0..50 {
        let reply = run(model.call(&asked(follow(&text)), &mut ())).unwrap();
        text.push_str(&reply.text);
        if reply.finish != Some(FinishReason::Length) {
            break;
        }
    }
    text
}

proptest! {
    #[test]
    fn pieces_glue_to_the_whole(
        text in "[a-c \\n\"{}`ü]{1,120}",
        mut cuts in proptest::collection::vec(1_usize..120, 1..5),
        quoted in any::<bool>(),
    ) {
        cuts.sort_unstable();
        let model = ScriptedModel::new(script(json!({ "text": text, "continues": true, "cuts": cuts })));
        let joined = glued(&model, |so_far| {
            let mut turns = vec![Turn::user("go"), Turn::assistant(so_far)];
            if quoted {
                turns.push(Turn::user(prompt(so_far)));
            }
            turns
        });
        prop_assert_eq!(joined, text);
    }

    #[test]
    fn half_written_arguments_are_continued_as_text(
        value in "[a-c \\n\"{}\\\\ü]{0,80}",
        cut in 1_usize..60,
        form in 0_usize..3,
    ) {
        let arguments = json!({ "path": "src/main.rs", "content": value }).to_string();
        let call = json!([{ "name": "write", "arguments": arguments }]);
        let reply = json!({ "tool_calls": call, "continues": true, "cuts": [cut, cut + 15] });
        let model = ScriptedModel::new(script(reply));
        let first = ModelRequest { tools: vec![tool()], ..asked(vec![Turn::user("go")]) };
        let mut so_far = run(model.call(&first, &mut ())).unwrap().tool_calls[0].arguments.clone();
        while so_far.len() < arguments.len() {
            let quote = if form == 0 { json!(so_far).to_string() } else { so_far.clone() };
            let ask = format!("The arguments so far:\n````json\n{quote}\n````\nSend only the rest.");
            let turns = match form {
                2 => vec![Turn::user("go"), Turn::assistant(so_far.as_str()), Turn::user(prompt(&so_far))],
                _ => vec![Turn::user("go"), Turn::user(ask)],
            };
            let reply = run(model.call(&asked(turns), &mut ()));
            let more = reply.unwrap().text;
            prop_assert!(!more.is_empty());
            so_far.push_str(&more);
        }
        prop_assert_eq!(so_far, arguments);
    }

    #[test]
    fn no_request_and_no_place_can_break_a_continuer(
        text in "\\PC{0,40}", said in "\\PC{0,40}", user in "\\PC{0,60}", cut in 0_usize..50,
    ) {
        let call = json!([{ "name": "write", "arguments": said }]);
        let reply = json!({ "text": text, "tool_calls": call, "continues": true, "cuts": [cut], "echo": cut, "chatty": true });
        let model = ScriptedModel::new(script(reply));
        let user = format!("{user} continue ```\n{said}\n```");
        let turns = vec![Turn::user("go"), Turn::assistant(said), Turn::user(user)];
        prop_assert!(run(model.call(&asked(turns), &mut ())).is_ok());
    }
}

#[test]
fn repeated_text_is_continued_at_the_right_repetition() {
    let text = "let x = 1;\n".repeat(200);
    for cut in [11, 500, 1100, 2000] {
        let model =
            ScriptedModel::new(script(json!({ "text": text, "continues": true, "cuts": [cut] })));
        let turns = |so_far: &str| {
            vec![Turn::user("go"), Turn::assistant(so_far), Turn::user(prompt(so_far))]
        };
        assert_eq!(glued(&model, turns), text);
        // Some providers refuse blanks at the end of a turn; the prompt still shows them.
        let trimmed = |so_far: &str| {
            vec![Turn::user("go"), Turn::assistant(so_far.trim_end()), Turn::user(prompt(so_far))]
        };
        assert_eq!(glued(&model, trimmed), text);
    }
}

#[test]
fn a_quotation_that_differs_inside_a_character_is_no_place_inside_it() {
    let model = ScriptedModel::new(script(json!({ "text": "twelve bytes é", "continues": true })));
    let turns = vec![Turn::user("continue: twelve bytes è")];
    assert_eq!(run(model.call(&asked(turns), &mut ())).unwrap().text, "é");
}

#[test]
fn a_new_question_after_the_answer_is_a_new_question() {
    let model = ScriptedModel::new(script(json!({ "text": "Yes, it is.", "continues": true })));
    let whole = |turns| run(model.call(&asked(turns), &mut ())).unwrap().text;
    assert_eq!(whole(vec![Turn::user("Is it?")]), "Yes, it is.");
    let again = vec![Turn::user("Is it?"), Turn::assistant("Yes, it is."), Turn::user("Really?")];
    assert_eq!(whole(again), "Yes, it is.");
    // Asked to go on with what is whole, a perfect model has nothing to add.
    let more =
        vec![Turn::user("Is it?"), Turn::assistant("Yes, it is."), Turn::user("Please continue.")];
    assert_eq!(whole(more), "");
}

#[test]
fn a_call_that_is_asked_for_again_comes_whole() {
    let call = json!([{ "name": "write", "arguments": { "path": "a.rs" } }]);
    let reply = json!({ "text": "Sure.", "tool_calls": call, "continues": true, "cuts": [4] });
    let model = ScriptedModel::new(script(reply));
    let first = ModelRequest { tools: vec![tool()], ..asked(vec![Turn::user("go")]) };
    let cut = run(model.call(&first, &mut ())).unwrap();
    assert_eq!((cut.text.as_str(), cut.tool_calls[0].arguments.as_str()), ("Sure.", "{\"pa"));
    let mut again = first.clone();
    again.turns.push(Turn::user("The arguments were broken. Send the complete tool call again."));
    let whole = run(model.call(&again, &mut ())).unwrap();
    assert_eq!(whole.tool_calls[0].arguments, r#"{"path":"a.rs"}"#);
    assert_eq!((whole.text.as_str(), whole.finish), ("", Some(FinishReason::ToolCalls)));
    let model_of_text =
        ScriptedModel::new(script(json!({ "text": "{\"a\":1}", "continues": true, "cuts": [4] })));
    let order =
        "Output failed validation: the rest is missing. Answer again with the whole answer.";
    let turns = vec![Turn::user("go"), Turn::assistant("{\"a\""), Turn::user(order)];
    assert_eq!(run(model_of_text.call(&asked(turns), &mut ())).unwrap().text, "{\"a\":1}");
    // A text that was cut before its calls brings them along.
    let cut_early = json!({ "text": "Sure, I write it.", "tool_calls": [{ "name": "write" }], "continues": true, "cuts": [{ "text": 4 }] });
    let model = ScriptedModel::new(script(cut_early));
    assert!(run(model.call(&first, &mut ())).unwrap().tool_calls.is_empty());
    let mut rest = first;
    rest.turns.extend([Turn::assistant("Sure"), Turn::user(prompt("Sure"))]);
    let rest = run(model.call(&rest, &mut ())).unwrap();
    assert_eq!((rest.text.as_str(), rest.tool_calls.len()), (", I write it.", 1));
}

#[test]
fn continuations_echo_and_chat_as_the_script_says() {
    let text = "one two three four five six";
    let reply = json!({ "text": text, "continues": true, "cuts": [13], "echo": 6, "chatty": true });
    let model = ScriptedModel::new(script(reply));
    let turns = vec![
        Turn::user("go"),
        Turn::assistant("one two three"),
        Turn::user(prompt("one two three")),
    ];
    let reply = run(model.call(&asked(turns), &mut ())).unwrap();
    assert_eq!(reply.text, "Sure, here is the rest:\n\n```\n three four five six\n```\n");
}

#[tokio::test]
async fn the_requests_own_limit_cuts_and_the_rest_follows_in_every_dialect() {
    let text = "A sentence of some length that no small limit can hold, with ünïcode.";
    let sim = start(
        &json!({ "reply": { "text": text, "continues": true, "limit_tokens": true } }).to_string(),
    )
    .await;
    for dialect in Dialect::ALL {
        let mut so_far = String::new();
        for _ in 0..20 {
            let mut body = question(dialect, "go", false);
            let (turns, limit) = match dialect {
                Dialect::Chat => ("messages", "max_completion_tokens"),
                Dialect::Responses => ("input", "max_output_tokens"),
                Dialect::Messages => ("messages", "max_tokens"),
            };
            body[limit] = json!(5);
            if !so_far.is_empty() {
                let added = [
                    json!({ "role": "assistant", "content": so_far }),
                    json!({ "role": "user", "content": prompt(&so_far) }),
                ];
                body[turns].as_array_mut().unwrap().extend(added);
            }
            let answer = ask(&sim, dialect, &body).await.json();
            let (pointer, finish, length) = match dialect {
                Dialect::Chat => {
                    ("/choices/0/message/content", "/choices/0/finish_reason", "length")
                }
                Dialect::Responses => ("/output/0/content/0/text", "/status", "incomplete"),
                Dialect::Messages => ("/content/0/text", "/stop_reason", "max_tokens"),
            };
            let piece = answer.pointer(pointer).unwrap().as_str().unwrap();
            assert!(piece.len() <= 20, "{piece}");
            so_far.push_str(piece);
            if answer.pointer(finish).unwrap() != length {
                break;
            }
        }
        assert_eq!(so_far, text, "{dialect:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_conversations_at_once_are_kept_apart() {
    let text = "The whole fox jumps over the complete dog, again and again. It does. ".repeat(5);
    let rule = json!({ "reply": { "text": text, "continues": true, "cuts": [40, 90, 200] } });
    let sim = std::sync::Arc::new(start(&rule.to_string()).await);
    let mut talks = tokio::task::JoinSet::new();
    for _ in 0..100 {
        let (sim, text) = (std::sync::Arc::clone(&sim), text.clone());
        talks.spawn(async move {
            let mut so_far = String::new();
            while so_far.len() < text.len() {
                let mut body = question(Dialect::Chat, "go", false);
                if !so_far.is_empty() {
                    let turns = body["messages"].as_array_mut().unwrap();
                    turns.push(json!({ "role": "assistant", "content": so_far }));
                    turns.push(json!({ "role": "user", "content": prompt(&so_far) }));
                }
                let answer = ask(&sim, Dialect::Chat, &body).await.json();
                so_far += answer["choices"][0]["message"]["content"].as_str().unwrap();
            }
            assert_eq!(so_far, text);
        });
    }
    talks.join_all().await;
    assert_eq!(sim.calls().calls, 400, "four pieces each");
}
