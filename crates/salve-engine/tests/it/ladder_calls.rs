//! Answers that make several calls: none is lost, none takes the place of another.
//!
//! In: scripted askers that make one call, the rest of them, or all of them again. Out: the calls of
//! the answer, or an honest end. Never a model.

use crate::asking::{Script, complete_sent, text, wants_tools};
use FinishReason::{Disconnect, Length, Stop, ToolCalls};
use salve_engine::answer::{AlreadySent, Completed, Completion, Wanted};
use salve_model::{ModelReply, Purpose, ToolCall};
use salve_types::FinishReason;

const A: &str = r#"{"path": "a", "content": "first"}"#;
const B: &str = r#"{"path": "b", "content": "second"}"#;
const C: &str = r#"{"path": "c", "content": "third"}"#;

fn calls(list: &[(&str, &str)], finish: FinishReason) -> ModelReply {
    let call = |(at, (name, arguments)): (usize, &(&str, &str))| ToolCall {
        id: format!("call_{at}"),
        name: (*name).to_owned(),
        arguments: (*arguments).to_owned(),
    };
    let tool_calls = list.iter().enumerate().map(call).collect();
    ModelReply { tool_calls, finish: Some(finish), ..ModelReply::default() }
}

fn writes(list: &[&str]) -> ModelReply {
    let list: Vec<_> = list.iter().map(|arguments| ("write_file", *arguments)).collect();
    calls(&list, ToolCalls)
}

fn lost(reply: ModelReply) -> ModelReply {
    ModelReply { finish: Some(Disconnect), lost: true, ..reply }
}

fn said(words: &str, reply: ModelReply) -> ModelReply {
    ModelReply { text: words.to_owned(), ..reply }
}

fn heal(first: ModelReply, sent: (usize, usize), replies: &[ModelReply]) -> (Completed, Script) {
    let mut asker = Script::of(replies.iter().cloned());
    let sent = AlreadySent { text: sent.0, tool_calls: sent.1 };
    (complete_sent(first, &wants_tools(), &mut asker, sent), asker)
}

fn arguments(completed: &Completed) -> Vec<&str> {
    completed.reply.tool_calls.iter().map(|call| call.arguments.as_str()).collect()
}

#[test]
fn calls_after_a_frame_that_was_lost_are_asked_for_and_none_is_left_out() {
    let all = writes(&[A, B, C]);
    let half = &B[..12];
    // What came, how many calls of it were passed on, and what the model answers.
    let cases = [
        (lost(writes(&[half])), 0, vec![writes(&[B, C])], vec![B, C]),
        (lost(writes(&[A])), 0, vec![all.clone()], vec![A, B, C]),
        (lost(writes(&[A])), 1, vec![all.clone()], vec![A, B, C]),
        (lost(writes(&[A, half])), 1, vec![all.clone()], vec![A, B, C]),
        (lost(writes(&[A, half])), 1, vec![writes(&[B, C])], vec![A, B, C]),
        (lost(writes(&[A, half])), 0, vec![all.clone()], vec![A, B, C]),
        (lost(writes(&[A, B, "{\"pa"])), 1, vec![writes(&[B, C])], vec![A, B, C]),
        (lost(writes(&[A])), 1, vec![text("NONE", Stop)], vec![A]),
        (lost(writes(&[A])), 1, vec![text("`None.`", Stop)], vec![A]),
        (lost(writes(&[A])), 1, vec![writes(&[A])], vec![A]),
        // The reply is damaged as well, and the one after it is not.
        (lost(writes(&[A])), 1, vec![lost(writes(&[A, half])), all.clone()], vec![A, B, C]),
        // The same call twice is two calls.
        (lost(writes(&[A, &A[..16]])), 1, vec![writes(&[A, A, B])], vec![A, A, B]),
        (lost(writes(&[A, &A[..16]])), 1, vec![writes(&[A, B])], vec![A, A, B]),
        (lost(writes(&[A, half])), 2, vec![], vec![A, half]),
    ];
    for (first, sent, replies, expected) in cases {
        let (completed, asker) = heal(first.clone(), (0, sent), &replies);
        assert_eq!(arguments(&completed), expected, "{first:?} {replies:?}");
        let whole = completed.state == Completion::Whole;
        assert_eq!(whole, !replies.is_empty(), "{first:?} {:?}", completed.state);
        if whole {
            assert_eq!(completed.reply.finish, Some(ToolCalls));
            assert!(asker.purposes().iter().all(|purpose| *purpose == Purpose::Resume));
            assert!(asker.asked.iter().all(|asked| asked.keep_tools));
        }
    }
}

#[test]
fn what_may_not_be_all_is_never_called_whole() {
    let half = &B[..12];
    let other = r#"{"path": "a", "content": "other words"}"#;
    let cases = [
        // Other calls than those that were passed on.
        (lost(writes(&[A])), 1, writes(&[other, B])),
        (lost(writes(&[A])), 1, writes(&[B])),
        // No calls where one had begun, and words that say nothing.
        (lost(writes(&[A, half])), 1, text("NONE", Stop)),
        (lost(writes(&[A])), 1, text("All calls were made.", Stop)),
        (lost(writes(&[A])), 1, lost(writes(&[A, B, C]))),
        (lost(writes(&[A])), 0, lost(writes(&[A]))),
    ];
    for (first, sent, reply) in cases {
        let replies = vec![reply.clone(); 9];
        let (completed, asker) = heal(first.clone(), (0, sent), &replies);
        assert_ne!(completed.state, Completion::Whole, "{first:?} {reply:?}");
        assert!(asker.asked.len() <= 4);
        assert!(arguments(&completed).len() <= 1 + sent, "{:?}", completed.reply);
    }
}

#[test]
fn words_before_and_between_lost_calls_are_kept() {
    let (before, between) = ("First this. ", "And then that.");
    let all = said(&format!("{before}{between}"), writes(&[A, B]));
    let cases = [
        // Lost in the text between, which was passed on in part.
        (said("First this. And", writes(&[A])), (15, 1), all.clone()),
        (said(before, writes(&[A])), (12, 0), all.clone()),
        (said(before, writes(&[A, &B[..5]])), (12, 1), all.clone()),
        (said(before, writes(&[A, &B[..5]])), (12, 1), said(between, writes(&[B]))),
    ];
    for (first, sent, reply) in cases {
        let (completed, _) = heal(lost(first), sent, &[reply]);
        assert_eq!(completed.state, Completion::Whole);
        assert_eq!((&completed.reply.text, arguments(&completed)), (&all.text, vec![A, B]));
    }
    // Other words than those that were passed on are another answer.
    let other = said("Something else.", writes(&[A, B]));
    let first = lost(said(before, writes(&[A])));
    let (completed, _) = heal(first, (12, 1), &vec![other; 9]);
    assert_ne!(completed.state, Completion::Whole);
}

#[test]
fn the_end_of_a_text_before_calls_and_words_said_again_are_kept() {
    let first = ModelReply { lost: true, ..text("That is all.", Disconnect) };
    let (completed, _) = heal(first, (12, 0), &[said("\n", writes(&[A, B]))]);
    assert_eq!(
        (completed.reply.text.as_str(), arguments(&completed)),
        ("That is all.\n", vec![A, B])
    );
    let step = "It is important that you do not skip this step. ";
    let begun = format!("{step}Number 15 is 59. {step}");
    let rest = format!("{step}Number 28 is 65. So be it!");
    let first = ModelReply { lost: true, ..text(&begun, Disconnect) };
    let (completed, _) = heal(first, (begun.len(), 0), &[text(&rest, Stop)]);
    assert_eq!(completed.reply.text, format!("{begun}{rest}"));
    // Said once, it is the echo of the end, unless a frame was lost there; and a sentence that was cut
    // and is begun again is an echo always.
    let end = "Number 28 is 65. So be it!";
    let whole = format!("Number 15 is 59. {step}");
    let half = &whole[..whole.len() - 10];
    let third = format!("{whole}{}", &step[..6]);
    let cases = [
        (whole.as_str(), true, rest.clone(), format!("{whole}{rest}")),
        (&whole, false, rest.clone(), format!("{whole}{end}")),
        (half, true, rest.clone(), format!("{whole}{end}")),
        (half, false, rest.clone(), format!("{whole}{end}")),
        (&third, true, format!("{}{rest}", &step[6..]), format!("{whole}{step}{rest}")),
    ];
    for (begun, lost, rest, expected) in cases {
        let first = ModelReply { lost, ..text(begun, Disconnect) };
        let (completed, _) = heal(first, (begun.len(), 0), &[text(&rest, Stop)]);
        assert_eq!(completed.reply.text, expected, "{lost} {begun}");
    }
}

#[test]
fn a_call_made_again_takes_its_own_place() {
    let bad = r#"{"path": 1}"#;
    let unknown = calls(&[("write_file", A), ("wqite_file", B), ("list", "{}")], ToolCalls);
    let first = |list: &[&str]| writes(list);
    let cases = [
        (first(&[A, bad, C]), writes(&[B]), vec![A, B, C]),
        (first(&[A, bad, C]), writes(&[A, B, C]), vec![A, B, C]),
        (first(&[A, bad]), writes(&[A, B]), vec![A, B]),
        (first(&[bad, B]), writes(&[A, B]), vec![A, B]),
        (first(&[A, bad, C]), writes(&[B, C]), vec![A, B, C]),
        (unknown.clone(), writes(&[B]), vec![A, B, "{}"]),
        (
            unknown,
            calls(&[("write_file", A), ("write_file", B), ("list", "{}")], ToolCalls),
            vec![A, B, "{}"],
        ),
        // A call that was cut, and those that were to follow it.
        (
            calls(&[("write_file", A), ("write_file", "")], Length),
            writes(&[A, B, C]),
            vec![A, B, C],
        ),
    ];
    for (first, reply, expected) in cases {
        let (completed, _) = heal(first.clone(), (0, 0), std::slice::from_ref(&reply));
        assert_eq!(completed.state, Completion::Whole, "{first:?} {reply:?}");
        assert_eq!(arguments(&completed), expected, "{first:?} {reply:?}");
    }
}

#[test]
fn another_call_is_not_taken_for_the_one_that_was_asked_for() {
    let bad = r#"{"path": 1}"#;
    for reply in [writes(&[A]), writes(&[A, C]), lost(writes(&[A, &B[..9]])), writes(&[C, A])] {
        let (completed, _) = heal(writes(&[A, bad, C]), (0, 1), &vec![reply.clone(); 9]);
        assert_ne!(completed.state, Completion::Whole, "{reply:?}");
        assert_eq!(arguments(&completed), [A, C], "{reply:?}");
    }
}

#[test]
fn an_answer_without_tools_is_judged_as_before() {
    let first = ModelReply { lost: true, ..text("It is done.", Disconnect) };
    let mut asker = Script::of([text("", Stop)]);
    let completed = complete_sent(first, &Wanted::default(), &mut asker, AlreadySent::default());
    assert_eq!(completed.state, Completion::Whole);
}
