//! The ladder as a machine: any answer, any caps, any replies, cuts and failures.
//!
//! In: random firsts and random scripts of replies. Out: it ends, it never asks beyond its caps, it
//! gives the same result when it is written down and read back at every step, and it never calls an
//! answer whole that is cut. Never waits: nothing here is asynchronous.

use crate::asking::{call, text, wants_person, wants_tools};
use FinishReason::{ContentFilter, Disconnect, Length, Stop, ToolCalls};
use proptest::prelude::*;
use salve_engine::answer::{
    AlreadySent, AnswerVerdict, AskError, Caps, Completed, Completion, Ladder, LadderAction,
    Wanted, judge,
};
use salve_model::{FollowUp, ModelReply, Purpose};
use salve_types::{FinishReason, Language, Usage};

/// One exchange: how the answer begins, what is wanted, and what comes when it is asked for again.
#[derive(Debug, Clone)]
struct Case {
    first: ModelReply,
    wanted: Wanted,
    caps: Caps,
    sent: AlreadySent,
    replies: Vec<Result<ModelReply, AskError>>,
}

impl Case {
    fn ladder(&self) -> Ladder {
        Ladder::new(self.first.clone(), self.wanted.clone(), self.caps, self.sent)
    }

    fn most_calls(&self) -> usize {
        (self.caps.resumes + self.caps.reworks + self.caps.retries) as usize
    }

    fn reply(&self, at: usize) -> Result<ModelReply, AskError> {
        self.replies[at % self.replies.len()].clone()
    }
}

fn finishes() -> impl Strategy<Value = Option<FinishReason>> {
    prop_oneof![
        4 => Just(Some(Stop)),
        4 => Just(Some(Length)),
        2 => Just(Some(Disconnect)),
        2 => Just(Some(ToolCalls)),
        1 => Just(Some(ContentFilter)),
        1 => Just(None),
    ]
}

// Stretches of what answers are made of, so that cuts fall into all of them.
fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-zA-Zäß日]{1,9}( [a-z]{1,9}){0,8}[.:\n]{1,2}",
        Just("```rust\n".to_owned()),
        Just("```\n".to_owned()),
        Just("fn main() {\n    let x = \"a\";\n}\n".to_owned()),
        Just("{\"name\": \"Ada\", \"age\": 36}".to_owned()),
        Just("{\"name\": \"Ada".to_owned()),
        Just("\", \"age\": 36}".to_owned()),
        Just("{\"path\": \"a\", \"content\": \"b\"}".to_owned()),
        Just("Sure! Here is the rest of the answer:\n".to_owned()),
        "[ -~\n]{0,20}",
    ];
    prop::collection::vec(piece, 0..5).prop_map(|pieces| pieces.concat())
}

fn replies() -> impl Strategy<Value = ModelReply> {
    let usage = prop::option::of(0_u64..200);
    (texts(), finishes(), 0_u8..5, usage, any::<bool>()).prop_map(
        |(words, finish, kind, tokens, thought)| {
            let mut reply = match kind {
                0 => call("write_file", &words, ToolCalls),
                1 => call("nothing", &words, ToolCalls),
                _ => text(&words, Stop),
            };
            reply.finish = finish;
            reply.usage = tokens.map(|output_tokens| Usage { output_tokens, ..Usage::default() });
            reply.thinking = if thought { "hm".to_owned() } else { String::new() };
            reply
        },
    )
}

fn answers() -> impl Strategy<Value = Result<ModelReply, AskError>> {
    prop_oneof![
        8 => replies().prop_map(Ok),
        1 => Just(Err(AskError::Failed("503".to_owned()))),
        1 => Just(Err(AskError::OverBudget("12 tokens left".to_owned()))),
    ]
}

fn wanted() -> impl Strategy<Value = Wanted> {
    let kind = prop_oneof![
        Just(Wanted::default()),
        Just(Wanted { language: Some(Language::Rust), ..Wanted::default() }),
        Just(Wanted { json: true, ..Wanted::default() }),
        Just(Wanted { stop: vec!["END".to_owned()], ..Wanted::default() }),
        Just(wants_person()),
        Just(wants_tools()),
        Just(Wanted { closed_calls: true, ..wants_tools() }),
    ];
    (kind, prop::option::of(1_u64..100))
        .prop_map(|(wanted, output_limit)| Wanted { output_limit, ..wanted })
}

fn caps() -> impl Strategy<Value = Caps> {
    (0_u32..4, 0_u32..4, 0_u32..3, 0.5_f64..5.0).prop_map(
        |(resumes, reworks, retries, continue_factor)| Caps {
            resumes,
            reworks,
            retries,
            continue_factor,
        },
    )
}

fn cases() -> impl Strategy<Value = Case> {
    let replies_given = prop::collection::vec(answers(), 1..8);
    (replies(), wanted(), caps(), any::<bool>(), replies_given).prop_map(
        |(first, wanted, caps, sent, replies)| {
            let bound = wanted.json || wanted.schema.is_some();
            let text = if sent && !bound { first.text.len() } else { 0 };
            Case { first, wanted, caps, sent: AlreadySent { text, tool_calls: 0 }, replies }
        },
    )
}

fn read_back(ladder: &Ladder) -> Ladder {
    let written = serde_json::to_string(ladder).expect("a ladder can be written");
    serde_json::from_str(&written).expect("a ladder can be read back")
}

/// Drives a ladder to its end; `between` stands for whatever happens to it while a reply is awaited.
fn drive(case: &Case, between: fn(&Ladder) -> Ladder) -> (Completed, Vec<FollowUp>) {
    let mut ladder = between(&case.ladder());
    let mut asked = Vec::new();
    loop {
        match ladder.next() {
            LadderAction::Ask(follow_up) => {
                assert!(asked.len() < case.most_calls(), "asks beyond all caps together");
                let reply = case.reply(asked.len());
                asked.push(follow_up);
                ladder = between(&ladder);
                ladder.take(reply);
                ladder = between(&ladder);
            }
            LadderAction::Done(completed) => return (*completed, asked),
        }
    }
}

fn within_caps(asked: &[FollowUp], caps: &Caps) -> Result<(), TestCaseError> {
    let count = |purpose| asked.iter().filter(|it| it.purpose == purpose).count() as u32;
    prop_assert!(count(Purpose::Resume) <= caps.resumes);
    prop_assert!(count(Purpose::Rework) <= caps.reworks);
    prop_assert!(count(Purpose::Retry) <= caps.retries);
    prop_assert_eq!(count(Purpose::First), 0);
    Ok(())
}

// What is called whole reads as whole; or nothing proves a cut in it, and the model that was asked
// for the rest said that there is none.
fn is_honest(completed: &Completed, wanted: &Wanted) -> Result<(), TestCaseError> {
    for call in &completed.reply.tool_calls {
        let read: Result<serde_json::Value, _> = serde_json::from_str(&call.arguments);
        let passes = matches!(completed.state, Completion::Passed(_));
        prop_assert!(passes || read.is_ok(), "arguments that are cut: {:?}", completed);
    }
    if completed.state != Completion::Whole {
        return Ok(());
    }
    let bound = wanted.json || wanted.schema.is_some();
    if bound && completed.reply.tool_calls.is_empty() {
        let read: Result<serde_json::Value, _> = serde_json::from_str(completed.reply.text.trim());
        prop_assert!(read.is_ok(), "JSON that is cut: {:?}", completed);
    }
    match judge(&completed.reply, wanted) {
        AnswerVerdict::Whole(_) => {}
        AnswerVerdict::Cut(cut) => {
            let confirmed = completed.steps.last().is_some_and(|it| it.purpose == Purpose::Resume);
            prop_assert!(confirmed && !cut.proven, "a cut: {:?}", completed);
        }
        verdict => prop_assert!(false, "called whole, and is {:?}: {:?}", verdict, completed),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn x02_the_machine_ends_within_its_caps_and_is_honest(case in cases()) {
        let (completed, asked) = drive(&case, Ladder::clone);
        within_caps(&asked, &case.caps)?;
        let purposes: Vec<Purpose> = asked.iter().map(|it| it.purpose).collect();
        let steps: Vec<Purpose> = completed.steps.iter().map(|it| it.purpose).collect();
        prop_assert_eq!(purposes, steps, "every call is a step, and no step was not asked for");
        is_honest(&completed, &case.wanted)?;
        let sent = &case.first.text[..case.sent.text];
        prop_assert!(completed.reply.text.starts_with(sent), "what was sent was changed");
    }

    #[test]
    fn the_machine_is_the_same_after_it_was_written_down_at_every_step(case in cases()) {
        let plain = drive(&case, Ladder::clone);
        let stored = drive(&case, read_back);
        prop_assert_eq!(plain, stored);
    }
}

#[test]
fn a_reply_that_nobody_asked_for_changes_nothing() {
    let mut ladder =
        Ladder::new(text("Yes.", Stop), Wanted::default(), Caps::default(), AlreadySent::default());
    let LadderAction::Done(before) = ladder.next() else { panic!("it is whole") };
    ladder.take(Ok(text("No.", Stop)));
    let LadderAction::Done(after) = ladder.next() else { panic!("it was whole") };
    assert_eq!(before, after);
}

#[test]
fn asking_what_comes_next_changes_nothing() {
    let first = text("Here:\n```rust\nfn main() {\n", Length);
    let ladder = Ladder::new(first, Wanted::default(), Caps::default(), AlreadySent::default());
    let (LadderAction::Ask(one), LadderAction::Ask(other)) = (ladder.next(), ladder.next()) else {
        panic!("it is cut")
    };
    assert_eq!(one, other);
}
