//! The ladder: every rung, every cap, every honest end.
//!
//! In: scripted askers. Out: the outcome of the answer and what was asked. Never a model.

use crate::asking::{
    Perfect, Script, call, complete, complete_capped, complete_sent, counted, text, wants_person,
    wants_tools,
};
use FinishReason::{Disconnect, Length, Stop, ToolCalls};
use salve_engine::answer::{
    AlreadySent, AskError, Caps, Completed, Completion, IncompleteCode, Ladder, NOTE_PREFIX,
    PassedBecause, StepOutcome, TruncationOutcome, Wanted,
};
use salve_model::{ModelReply, Purpose, Speaker, ToolCall};
use salve_text::RefusalReason;
use salve_types::{FinishReason, Signal, TruncationKind};

const CODE: &str = "Here:\n\n```rust\nfn add(left: u64, right: u64) -> u64 {\n    left + right\n}\n\nfn main() {\n    println!(\"{}\", add(1, 2));\n}\n```\n\nThat is it.\n";

fn code_of(completed: &Completed) -> Option<IncompleteCode> {
    match completed.state {
        Completion::Incomplete { code, .. } => Some(code),
        _ => None,
    }
}

fn perfect(whole: ModelReply, piece: usize) -> Perfect {
    Perfect { whole, piece, asked: Vec::new() }
}

#[test]
fn a_whole_answer_costs_no_call_and_does_not_change() {
    let mut nobody = Script::default();
    let completed = complete(text(CODE, Stop), &Wanted::default(), &mut nobody);
    assert_eq!(completed.state, Completion::Whole);
    assert!(!completed.changed && nobody.asked.is_empty());
    assert_eq!(completed.result(), Some(CODE));
}

#[test]
fn t28_a_continuation_may_be_cut_itself_and_the_third_completes_it() {
    let rest = CODE.len() - 60;
    let mut asker = perfect(text(CODE, Stop), rest.div_ceil(3));
    let completed = complete(text(&CODE[..60], Length), &Wanted::default(), &mut asker);
    assert_eq!(completed.state, Completion::Whole, "{:?}", completed.steps);
    assert_eq!(completed.reply.text, CODE);
    assert_eq!(completed.count(Purpose::Resume), 3);
    assert_eq!(completed.raw.len(), 4);
}

#[test]
fn t28_x02_the_fourth_continuation_is_not_asked_for() {
    let mut asker = perfect(text(CODE, Stop), 8);
    let sent = AlreadySent { text: 60, tool_calls: 0 };
    let completed = complete_sent(text(&CODE[..60], Length), &Wanted::default(), &mut asker, sent);
    assert_eq!(code_of(&completed), Some(IncompleteCode::StillCut));
    assert_eq!(asker.asked.len(), 3);
    assert_eq!(completed.reply.text, CODE[..84]);
    assert_eq!(completed.result(), None);
    assert_eq!(completed.partial(), Some(&CODE[..84]));
}

#[test]
fn t28_an_empty_or_echoed_continuation_stops_at_once() {
    let partial = &CODE[..CODE.find("+ right").unwrap()];
    for reply in [text("", Stop), text("    left ", Stop), text(partial, Stop)] {
        let mut asker = Script::of([reply]);
        let sent = AlreadySent { text: 10, tool_calls: 0 };
        let completed = complete_sent(text(partial, Length), &Wanted::default(), &mut asker, sent);
        assert_eq!(code_of(&completed), Some(IncompleteCode::StillCut));
        assert_eq!(asker.purposes(), [Purpose::Resume]);
        assert_eq!(completed.reply.text, partial);
    }
}

#[test]
fn a_model_that_has_nothing_to_add_settles_a_doubt() {
    let forgot = CODE[..CODE.rfind("```").unwrap()].to_owned();
    let mut asker = Script::of([text("", Stop)]);
    let completed = complete(text(&forgot, Stop), &Wanted::default(), &mut asker);
    assert_eq!(completed.state, Completion::Whole);
    assert_eq!(completed.reply.text, forgot);
    assert_eq!(completed.truncations[0].outcome, TruncationOutcome::FalseAlarm);
    let mut asker = Script::of([text("", Stop)]);
    let completed = complete(text("It is done.", Length), &Wanted::default(), &mut asker);
    assert_eq!(completed.state, Completion::Whole);
    assert_eq!(completed.reply.finish, Some(Stop));
    // In the middle of a sentence it settles nothing.
    let mut asker = Script::of([text("", Stop), text("", Length)]);
    let completed = complete(text("It is do", Length), &Wanted::default(), &mut asker);
    assert!(code_of(&completed).is_some());
}

#[test]
fn x01_the_ladder_goes_from_resume_to_retry_and_says_what_it_did() {
    let partial = &CODE[..CODE.find("+ right").unwrap()];
    let mut asker = Script::of([text("", Stop), text(CODE, Stop)]);
    let completed = complete(text(partial, Length), &Wanted::default(), &mut asker);
    assert_eq!(completed.state, Completion::Whole);
    assert_eq!(completed.reply.text, CODE);
    assert_eq!(asker.purposes(), [Purpose::Resume, Purpose::Retry]);
    assert_eq!(completed.steps[0].outcome, StepOutcome::Refused(RefusalReason::Empty));
    assert_eq!(completed.steps[1].outcome, StepOutcome::Replaced);
    assert!(asker.asked[1].turns.is_empty() && asker.asked[1].keep_tools);
}

#[test]
fn a_resume_quotes_the_answer_and_asks_for_the_rest_only() {
    let partial = &CODE[..60];
    let mut asker = perfect(text(CODE, Stop), usize::MAX);
    let _ = complete(text(partial, Disconnect), &Wanted::default(), &mut asker);
    let turns = &asker.asked[0].turns;
    assert_eq!(turns[0].speaker, Speaker::Assistant);
    assert_eq!(turns[0].text, partial);
    assert!(turns[1].text.contains("network connection broke"), "{}", turns[1].text);
    assert!(turns[1].text.contains("Do NOT repeat"));
}

#[test]
fn thinking_only_raises_the_limit_once() {
    let wanted = Wanted { output_limit: Some(100), ..Wanted::default() };
    let thought = counted(text("", Length), 100);
    let mut asker = Script::of([text("Yes.", Stop)]);
    let completed = complete(thought.clone(), &wanted, &mut asker);
    assert_eq!(completed.state, Completion::Whole);
    assert_eq!(completed.reply.text, "Yes.");
    assert_eq!(asker.asked[0].max_output_tokens, Some(200));
    let mut asker = Script::of([thought.clone(), text("never asked for", Stop)]);
    let completed = complete(thought, &wanted, &mut asker);
    assert_eq!(code_of(&completed), Some(IncompleteCode::ThinkingOnly));
    assert_eq!(asker.asked.len(), 1);
}

#[test]
fn blanks_that_were_sent_before_the_reasoning_ended_stay() {
    let sent = AlreadySent { text: 2, tool_calls: 0 };
    let mut asker = Script::of([text("Yes.", Stop)]);
    let completed = complete_sent(text("\n\n", Length), &Wanted::default(), &mut asker, sent);
    assert_eq!(completed.reply.text, "\n\nYes.");
}

#[test]
fn code_is_continued_past_the_askers_own_limit_and_prose_is_not() {
    let wanted = Wanted { output_limit: Some(20), ..Wanted::default() };
    let mut asker = Script::of([
        counted(text(&CODE[60..100], Length), 20),
        counted(text(&CODE[100..], Stop), 20),
    ]);
    let completed = complete(counted(text(&CODE[..60], Length), 20), &wanted, &mut asker);
    assert_eq!(completed.state, Completion::Whole);
    assert_eq!(completed.reply.text, CODE);
    assert_eq!(completed.continued_past_limit, Some((20, 60)));
    assert_eq!(completed.usage.map(|usage| usage.output_tokens), Some(60));
    let completed =
        complete(counted(text("The fox ran and", Length), 20), &wanted, &mut Script::default());
    assert_eq!(completed.state, Completion::Passed(PassedBecause::OwnLimit));
    assert!(!completed.changed);
}

#[test]
fn the_limit_and_its_factor_are_never_passed() {
    let wanted = Wanted { output_limit: Some(10), ..Wanted::default() };
    let caps = Caps { resumes: 9, continue_factor: 2.5, ..Caps::default() };
    let pieces =
        [(60, 70), (70, 80), (80, 90)].map(|(from, to)| counted(text(&CODE[from..to], Length), 10));
    let mut asker = Script::of(pieces);
    let first = counted(text(&CODE[..60], Length), 10);
    let completed = complete_capped(first, &wanted, &mut asker, AlreadySent::default(), caps);
    assert_eq!(code_of(&completed), Some(IncompleteCode::LimitReached));
    let limits: Vec<_> = asker.asked.iter().map(|asked| asked.max_output_tokens).collect();
    assert_eq!(limits, [None, Some(5)]);
}

#[test]
fn o12_o13_o15_a_misfit_is_reworked_with_one_live_note() {
    let bad = r#"{"name": "Ada", "age": "old"}"#;
    let worse = r#"{"name": 7, "age": 36}"#;
    let good = r#"{"name": "Ada", "age": 36}"#;
    let mut asker = Script::of([text(worse, Stop), text(good, Stop)]);
    let completed = complete(text(bad, Stop), &wants_person(), &mut asker);
    assert_eq!(completed.state, Completion::Whole);
    assert_eq!(completed.reply.text, good);
    assert_eq!(asker.purposes(), [Purpose::Rework, Purpose::Rework]);
    let notes: Vec<&str> = asker.asked.iter().map(|asked| asked.turns[1].text.as_str()).collect();
    assert!(notes[0].starts_with(NOTE_PREFIX) && notes[1].starts_with(NOTE_PREFIX));
    assert!(notes[0].contains("at $.age: expected integer, got \"old\""), "{}", notes[0]);
    assert!(notes[1].contains("$.name") && !notes[1].contains("$.age"), "{}", notes[1]);
    assert_eq!(asker.asked[1].turns[0].text, worse);
    assert_eq!(asker.asked[1].turns.len(), 2);
}

#[test]
fn o22_x02_an_answer_that_is_always_bad_ends_after_all_caps() {
    let bad = || text(r#"{"name": "Ada"}"#, Stop);
    let mut asker = Script::of((0..20).map(|_| bad()));
    let completed = complete(bad(), &wants_person(), &mut asker);
    assert_eq!(code_of(&completed), Some(IncompleteCode::StillWrong));
    assert_eq!(completed.signal(), Signal::FailDefault);
    use Purpose::{Retry, Rework};
    assert_eq!(asker.purposes(), [Rework, Rework, Rework, Retry]);
    assert_eq!(completed.result(), None);
}

#[test]
fn cut_json_is_resumed_as_plain_text_and_stitched() {
    let whole = r#"{"name": "Ada Lovelace", "age": 36}"#;
    let mut asker = perfect(text(whole, Stop), usize::MAX);
    let completed = complete(text(&whole[..15], Stop), &wants_person(), &mut asker);
    assert_eq!(completed.reply.text, whole);
    assert!(!asker.asked[0].keep_tools, "a provider that enforces a schema cannot go on");
    // A model that begins again has answered.
    let mut asker = Script::of([text(r#"{"name": "Grace", "age": 85}"#, Stop)]);
    let completed = complete(text(&whole[..15], Stop), &wants_person(), &mut asker);
    assert_eq!(completed.reply.text, r#"{"name": "Grace", "age": 85}"#);
    assert_eq!(completed.steps[0].outcome, StepOutcome::Replaced);
}

const ARGUMENTS: &str =
    r#"{"path": "src/main.rs", "content": "fn main() {\n    println!(\"hi\");\n}\n"}"#;

#[test]
fn cut_arguments_are_continued_as_text() {
    let whole = call("write_file", ARGUMENTS, ToolCalls);
    for at in 1..ARGUMENTS.len() {
        let mut asker = perfect(whole.clone(), 30);
        let completed =
            complete(call("write_file", &ARGUMENTS[..at], Length), &wants_tools(), &mut asker);
        assert_eq!(completed.state, Completion::Whole, "{at}: {:?}", completed.steps);
        assert_eq!(completed.reply.tool_calls, whole.tool_calls, "{at}");
        assert_eq!(completed.reply.finish, Some(ToolCalls));
        assert!(
            !asker.asked[0].keep_tools && asker.asked[0].turns[1].text.contains("`write_file`")
        );
    }
}

#[test]
fn a_model_that_calls_again_instead_is_taken_at_its_word() {
    let whole = call("write_file", ARGUMENTS, ToolCalls);
    let mut asker = Script::of([whole.clone()]);
    let completed =
        complete(call("write_file", &ARGUMENTS[..40], Length), &wants_tools(), &mut asker);
    assert_eq!(completed.reply.tool_calls, whole.tool_calls);
    // Talk cannot be joined: the call is asked for again, with its tools.
    let talk = text("Sorry, I cannot continue that.", Stop);
    let mut asker = Script::of([talk, whole.clone()]);
    let completed =
        complete(call("write_file", &ARGUMENTS[..40], Length), &wants_tools(), &mut asker);
    assert_eq!(completed.reply.tool_calls, whole.tool_calls);
    assert_eq!(asker.purposes(), [Purpose::Resume, Purpose::Rework]);
    assert!(asker.asked[1].keep_tools);
}

// Where no correction is left, the reason is that of the arguments: they are cut, not wrong.
#[test]
fn cut_arguments_that_may_not_be_asked_for_again_end_as_cut() {
    let caps = Caps { reworks: 0, retries: 0, ..Caps::default() };
    let mut asker = Script::of([text("Sorry, I cannot continue that.", Stop)]);
    let first = call("write_file", &ARGUMENTS[..40], Length);
    let sent = AlreadySent::default();
    let completed = complete_capped(first, &wants_tools(), &mut asker, sent, caps);
    assert_eq!(code_of(&completed), Some(IncompleteCode::StillCut));
    assert_eq!(asker.purposes(), [Purpose::Resume]);
}

#[test]
fn only_the_broken_call_of_several_is_asked_for_again() {
    let mut first = call("list", "{}", ToolCalls);
    let broken = ToolCall {
        id: "call_2".into(),
        name: "write_file".into(),
        arguments: "{\"path\": 1}".into(),
    };
    first.tool_calls.push(broken);
    let mut asker = Script::of([call("write_file", ARGUMENTS, ToolCalls)]);
    let completed = complete(first, &wants_tools(), &mut asker);
    assert_eq!(completed.state, Completion::Whole);
    let calls = &completed.reply.tool_calls;
    assert_eq!((calls[0].name.as_str(), calls[1].arguments.as_str()), ("list", ARGUMENTS));
    assert_eq!(calls[1].id, "call_2");
}

#[test]
fn arguments_that_stay_broken_are_not_passed_on() {
    let bad = || call("write_file", "{\"path\": 1}", ToolCalls);
    let mut asker = Script::of((0..20).map(|_| bad()));
    let completed = complete(bad(), &wants_tools(), &mut asker);
    assert_eq!(code_of(&completed), Some(IncompleteCode::StillWrong));
    assert!(completed.reply.tool_calls.is_empty());
    assert_eq!(completed.reply.finish, Some(Length));
    assert_eq!(asker.asked.len(), 4);
}

#[test]
fn empty_arguments_of_a_tool_that_needs_none_become_an_object() {
    let completed = complete(call("list", "", ToolCalls), &wants_tools(), &mut Script::default());
    assert_eq!(completed.state, Completion::Whole);
    assert_eq!(completed.reply.tool_calls[0].arguments, "{}");
    assert!(completed.changed);
}

#[test]
fn what_was_sent_is_never_taken_back() {
    let sent = AlreadySent { text: 30, tool_calls: 0 };
    let mut asker = Script::of([
        text("Entirely other words, no code.", Stop),
        text("", Stop),
        text(CODE, Stop),
    ]);
    let completed = complete_sent(text(&CODE[..60], Length), &Wanted::default(), &mut asker, sent);
    assert!(completed.reply.text.starts_with(&CODE[..60]));
    assert!(!asker.purposes().contains(&Purpose::Retry));
    let bad = text(r#"{"name": "Ada"}"#, Stop);
    let completed = complete_sent(bad, &wants_person(), &mut Script::default(), sent);
    assert_eq!(code_of(&completed), Some(IncompleteCode::AlreadySent));
}

#[test]
fn x02_budget_failure_and_absence_end_the_ladder_by_name() {
    let over = || AskError::OverBudget("12 tokens left, 400 needed".into());
    let failed = || AskError::Failed("503".into());
    let cases = [
        (vec![over()], IncompleteCode::OverBudget, 1),
        (vec![failed(), failed(), failed()], IncompleteCode::AskerFailed, 2),
        (vec![failed(), over()], IncompleteCode::OverBudget, 2),
    ];
    for (errors, code, calls) in cases {
        let replies = errors.into_iter().map(Err).collect();
        let mut asker = Script { replies, ..Script::default() };
        let completed = complete(text(&CODE[..60], Length), &Wanted::default(), &mut asker);
        assert_eq!((code_of(&completed), asker.asked.len()), (Some(code), calls));
        assert_eq!(completed.partial(), Some(&CODE[..60]));
    }
}

#[test]
fn one_failure_does_not_end_it() {
    let mut asker = Script::of([text(&CODE[60..], Stop)]);
    asker.replies.push_front(Err(AskError::Failed("503".into())));
    let completed = complete(text(&CODE[..60], Length), &Wanted::default(), &mut asker);
    assert_eq!(completed.reply.text, CODE);
}

#[test]
fn finish_reasons_are_put_right_from_the_bytes() {
    let completed = complete(call("list", "{}", Stop), &wants_tools(), &mut Script::default());
    assert_eq!(completed.reply.finish, Some(ToolCalls));
    assert_eq!(completed.wrong_finish.map(|wrong| wrong.said), Some(Some(Stop)));
    let json = text(r#"{"name": "Ada", "age": 1}"#, Length);
    let completed = complete(json, &wants_person(), &mut Script::default());
    assert_eq!((completed.reply.finish, completed.state), (Some(Stop), Completion::Whole));
}

#[test]
fn t38_every_cut_is_counted_with_its_kind_and_outcome() {
    let mut first = text(&CODE[..CODE.find("{}").unwrap()], Length);
    first.model = Some("small".into());
    let completed =
        complete(first.clone(), &Wanted::default(), &mut perfect(text(CODE, Stop), usize::MAX));
    let cut = &completed.truncations[0];
    assert_eq!(cut.kind, TruncationKind::OpenDoubleQuote);
    assert_eq!(cut.language.name(), "rust");
    assert_eq!((cut.model.as_deref(), cut.outcome), (Some("small"), TruncationOutcome::Healed));
    let completed = complete(first, &Wanted::default(), &mut Script::default());
    assert_eq!(completed.truncations.len(), 1, "attempts that came to nothing are no cuts");
    assert_eq!(completed.truncations[0].outcome, TruncationOutcome::Incomplete);
}

#[test]
fn x05_raw_partial_and_result_are_three_slots() {
    let mut asker = perfect(text(CODE, Stop), 50);
    let wanted = Wanted::default();
    let completed = complete(text(&CODE[..60], Length), &wanted, &mut asker);
    assert_eq!(completed.raw, [&CODE[..60], &CODE[60..110], &CODE[110..]]);
    assert_eq!((completed.result(), completed.partial()), (Some(CODE), None));
    // An answer that stays cut has no result.
    let none = Caps { resumes: 0, retries: 0, ..Caps::default() };
    let (first, sent) = (text(&CODE[..60], Length), AlreadySent::default());
    let completed = complete_capped(first, &wanted, &mut asker, sent, none);
    assert_eq!((completed.result(), completed.partial()), (None, Some(&CODE[..60])));
    // While the rest is awaited, what there is may be shown.
    let ladder = Ladder::new(text(&CODE[..60], Length), wanted, Caps::default(), sent);
    assert_eq!(ladder.answer().text, CODE[..60]);
}

#[test]
fn the_raw_text_of_a_cut_answer_is_as_it_came_with_its_talk() {
    let first = "Sure:\n```json\n{\"name\": \"Ada";
    let mut asker = Script::of([text("\", \"age\": 36}", Stop)]);
    let completed = complete(text(first, Length), &wants_person(), &mut asker);
    assert_eq!(completed.result(), Some(r#"{"name": "Ada", "age": 36}"#));
    assert_eq!(completed.raw[0], first);
}
