//! Turns that show what each result leads to.

use super::*;

pub(super) fn spent(tokens: u64) -> Spend {
    Spend { tokens, micro_dollars: 0 }
}

fn answered() -> TurnResult {
    TurnResult::Answered { whole: true, spent: spent(10) }
}

fn read(edits: bool, commands: u32) -> TurnResult {
    TurnResult::ReadAnswer(AnswerFacts {
        readable: true,
        edits,
        commands,
        ..AnswerFacts::default()
    })
}

fn applied(change: &str, todo: &str) -> TurnResult {
    TurnResult::Applied(WrittenChange { change: change.to_owned(), todos: vec![todo.to_owned()] })
}

fn checked(end: CheckEnd) -> TurnResult {
    TurnResult::Checked(end)
}

// The only command, or the last one.
fn ran(ok: bool) -> TurnResult {
    ran_then(ok, BatchNext::Over)
}

fn ran_then(ok: bool, next: BatchNext) -> TurnResult {
    TurnResult::Command { end: CommandEnd::Ran { ok }, next }
}

fn supervised(next: BatchNext) -> TurnResult {
    TurnResult::Supervised { next, spent: spent(2) }
}

fn healed(green: bool) -> TurnResult {
    TurnResult::Healed { green, spent: spent(5) }
}

// A turn that was asked, and given these results after its files were loaded.
fn after(options: TurnOptions, results: impl IntoIterator<Item = TurnResult>) -> TurnMachine {
    let mut machine = TurnMachine::new(options);
    for result in [TurnResult::Planned, TurnResult::Loaded].into_iter().chain(results) {
        let step = machine.next();
        assert!(machine.take(result.clone()).is_ok(), "{result:?} is none of {step:?}");
    }
    machine
}

fn end(machine: &TurnMachine) -> TurnEnding {
    match machine.next() {
        TurnStep::Done(ending) => ending,
        other => panic!("it goes on with {other:?}"),
    }
}

fn todos(machine: &TurnMachine) -> Vec<&str> {
    machine.ticked().iter().map(|tick| tick.todo.as_str()).collect()
}

#[test]
fn an_answer_without_edits_and_commands_completes_the_turn() {
    let machine = after(TurnOptions::default(), [answered(), read(false, 0)]);
    assert_eq!(end(&machine), TurnEnding::Completed);
    assert_eq!(machine.spent(), spent(10));
}

#[test]
fn a_task_is_ticked_by_a_change_that_passed_its_check() {
    for (end, expected) in [
        (CheckEnd::Green, vec!["t"]),
        (CheckEnd::Nothing, vec!["t"]),
        (CheckEnd::NotRun, Vec::new()),
        (CheckEnd::Red, Vec::new()),
    ] {
        let machine = after(
            TurnOptions::default(),
            [answered(), read(true, 0), applied("c", "t"), checked(end)],
        );
        assert_eq!(todos(&machine), expected, "{end:?}");
    }
    let red = [answered(), read(true, 0), applied("c", "t"), checked(CheckEnd::Red)];
    let healed = |green| red.clone().into_iter().chain([healed(green)]);
    let green = after(TurnOptions::default(), healed(true));
    assert_eq!((todos(&green), end(&green)), (vec!["t"], TurnEnding::Completed));
    let red = after(TurnOptions::default(), healed(false));
    assert_eq!(todos(&red), Vec::<&str>::new());
    assert_eq!(end(&red), TurnEnding::NeedsAttention(AttentionCode::Red));
}

#[test]
fn c087_edits_that_do_not_fit_are_asked_for_once_more_with_the_files_of_now() {
    let refused = || TurnResult::Refused { answerable: true };
    let once = [answered(), read(true, 0), refused()];
    let machine = after(TurnOptions::default(), once.clone());
    assert_eq!(machine.next(), TurnStep::Load(LoadWhy::Again));
    let again = [TurnResult::Loaded, answered(), read(true, 0)];
    let twice: Vec<TurnResult> = once.into_iter().chain(again).collect();
    let machine = after(TurnOptions::default(), twice.clone());
    assert_eq!(machine.next(), TurnStep::Apply);
    let machine = after(TurnOptions::default(), twice.into_iter().chain([refused()]));
    assert_eq!(end(&machine), TurnEnding::NeedsAttention(AttentionCode::Refused));
    let never = [answered(), read(true, 0), TurnResult::Refused { answerable: false }];
    let machine = after(TurnOptions::default(), never);
    assert_eq!(end(&machine), TurnEnding::NeedsAttention(AttentionCode::Refused));
}

#[test]
fn c189_what_was_recovered_or_not_whole_is_neither_applied_nor_run() {
    let facts = AnswerFacts { readable: true, edits: true, commands: 2, ..AnswerFacts::default() };
    let cut = TurnResult::Answered { whole: false, spent: spent(1) };
    let machine = after(TurnOptions::default(), [cut, TurnResult::ReadAnswer(facts)]);
    assert_eq!(end(&machine), TurnEnding::NeedsAttention(AttentionCode::Recovered));
    let recovered = TurnResult::ReadAnswer(AnswerFacts { recovered: true, ..facts });
    let machine = after(TurnOptions::default(), [answered(), recovered]);
    assert_eq!(end(&machine), TurnEnding::NeedsAttention(AttentionCode::Recovered));
    let nothing = TurnResult::ReadAnswer(AnswerFacts { readable: false, ..facts });
    let machine = after(TurnOptions::default(), [answered(), nothing]);
    assert_eq!(end(&machine), TurnEnding::NeedsAttention(AttentionCode::Unreadable));
}

#[test]
fn an_answer_that_lost_a_secret_is_asked_for_once_more() {
    let facts = AnswerFacts { readable: true, edits: true, redacted: true, ..Default::default() };
    let redacted = || TurnResult::ReadAnswer(facts);
    let machine = after(TurnOptions::default(), [answered(), redacted()]);
    assert_eq!(machine.next(), TurnStep::Ask(AskTurn { number: 2, why: AskWhy::Redacted }));
    let machine = after(TurnOptions::default(), [answered(), redacted(), answered(), redacted()]);
    assert_eq!(end(&machine), TurnEnding::NeedsAttention(AttentionCode::Redacted));
}

#[test]
fn c063_the_output_of_commands_goes_to_the_model_for_some_rounds() {
    let options = TurnOptions { rounds: 2, ..TurnOptions::default() };
    let round = [answered(), read(false, 1), ran(false)];
    let machine = after(options, round.clone().into_iter().chain([TurnResult::Loaded]));
    assert_eq!(machine.next(), TurnStep::Ask(AskTurn { number: 2, why: AskWhy::Feedback }));
    let told = || round.clone().into_iter().chain([TurnResult::Loaded]);
    let rounds = || told().chain(told()).chain(round.clone());
    let machine = after(options, rounds());
    assert_eq!(end(&machine), TurnEnding::NeedsAttention(AttentionCode::CommandFailed));
    let green = told().chain([answered(), read(true, 1)]).chain([
        applied("c", "t"),
        checked(CheckEnd::Green),
        ran(true),
        TurnResult::Loaded,
        answered(),
        read(false, 0),
    ]);
    let machine = after(options, green);
    assert_eq!((end(&machine), machine.asked()), (TurnEnding::Completed, 3));
}

#[test]
fn c056_commands_wait_where_a_person_is_asked_and_are_passed_over_where_none_is() {
    let start = [answered(), read(false, 3)];
    let begun = || start.clone().into_iter().chain([ran_then(true, BatchNext::Command)]);
    let machine = after(TurnOptions::default(), begun());
    assert_eq!(machine.next(), TurnStep::Command(1));
    let over = |end, last| TurnResult::Command {
        end,
        next: if last { BatchNext::Over } else { BatchNext::Command },
    };
    let all = start.clone().into_iter().chain([
        over(CommandEnd::Skipped, false),
        over(CommandEnd::Skipped, false),
        over(CommandEnd::Denied, true),
    ]);
    let machine = after(TurnOptions::default(), all);
    assert_eq!((end(&machine), machine.can_resume()), (TurnEnding::Waiting, false));
    let waits = TurnResult::Command { end: CommandEnd::Waits, next: BatchNext::Paused };
    let mut machine = after(TurnOptions::default(), begun().chain([waits]));
    assert_eq!(end(&machine), TurnEnding::Waiting);
    assert!(machine.resume(SpendLimit::default()));
    assert_eq!(machine.next(), TurnStep::Command(1));
}

#[test]
fn c067_c077_the_model_is_asked_after_each_command_and_a_failure_alone_ends_nothing() {
    let failed = [answered(), read(false, 3), ran_then(false, BatchNext::Ask)];
    let machine = after(TurnOptions::default(), failed.clone());
    assert_eq!(machine.next(), TurnStep::Supervise(1));
    let said = |next| failed.clone().into_iter().chain([supervised(next)]);
    let machine = after(TurnOptions::default(), said(BatchNext::Command));
    assert_eq!((machine.next(), machine.spent()), (TurnStep::Command(1), spent(12)));
    let machine = after(TurnOptions::default(), said(BatchNext::Over));
    assert_eq!(machine.next(), TurnStep::Load(LoadWhy::Feedback));
    let mut strange = after(TurnOptions::default(), failed);
    assert_eq!(strange.take(supervised(BatchNext::Ask)), Err(WrongTurnResult));
}

#[test]
fn c076_a_row_that_is_paused_goes_on_with_the_next_command() {
    let paused =
        [answered(), read(false, 5), ran_then(true, BatchNext::Ask), supervised(BatchNext::Paused)];
    let mut machine = after(TurnOptions::default(), paused);
    assert_eq!(end(&machine), TurnEnding::Waiting);
    assert!(machine.resume(SpendLimit::default()));
    assert_eq!(machine.next(), TurnStep::Command(1));
}

#[test]
fn c063_a_model_that_stops_after_a_failure_is_asked_for_a_way_out() {
    let stopped =
        [answered(), read(false, 3), ran_then(false, BatchNext::Ask), supervised(BatchNext::Fix)];
    let machine = after(TurnOptions::default(), stopped.clone());
    assert_eq!(machine.next(), TurnStep::Load(LoadWhy::Feedback));
    let told = || stopped.clone().into_iter().chain([TurnResult::Loaded, answered()]);
    let machine = after(TurnOptions::default(), told().chain([read(true, 1)]));
    assert_eq!(machine.next(), TurnStep::Apply);
    let mut machine = after(TurnOptions::default(), told().chain([read(false, 0)]));
    assert_eq!(end(&machine), TurnEnding::Waiting, "what is left still waits");
    assert!(machine.resume(SpendLimit::default()));
    assert_eq!(machine.next(), TurnStep::Command(1));
    let none = TurnOptions { rounds: 0, ..TurnOptions::default() };
    assert_eq!(end(&after(none, stopped)), TurnEnding::Waiting);
}

#[test]
fn a_supervisor_is_not_asked_beyond_the_budget() {
    let budget = SpendLimit { tokens: Some(10), micro_dollars: None };
    let options = TurnOptions { budget, ..TurnOptions::default() };
    let mut machine = after(options, [answered(), read(false, 2), ran_then(true, BatchNext::Ask)]);
    assert_eq!(end(&machine), TurnEnding::OverBudget);
    assert!(machine.resume(SpendLimit::default()));
    assert_eq!(machine.next(), TurnStep::Supervise(1));
    machine.take(TurnResult::NoAnswer { over_budget: true, spent: spent(1) }).unwrap();
    assert_eq!(end(&machine), TurnEnding::OverBudget);
}

#[test]
fn held_edits_hold_their_commands() {
    let mut machine = after(TurnOptions::default(), [answered(), read(true, 2), TurnResult::Held]);
    assert_eq!(end(&machine), TurnEnding::Waiting);
    assert!(machine.resume(SpendLimit::default()));
    assert_eq!(machine.next(), TurnStep::Apply);
    machine.take(TurnResult::Declined).unwrap();
    assert_eq!(end(&machine), TurnEnding::Completed);
}

#[test]
fn c018_a_part_is_written_and_checked_and_the_rest_waits() {
    let part = |name: &str, todo: &str| {
        let todos = vec![todo.to_owned()];
        TurnResult::AppliedPart(WrittenChange { change: name.to_owned(), todos })
    };
    let held = [answered(), read(true, 1), TurnResult::Held];
    let mut machine = after(TurnOptions::default(), held);
    assert!(machine.resume(SpendLimit::default()));
    machine.take(part("c1", "t1")).unwrap();
    assert_eq!(machine.next(), TurnStep::Check);
    machine.take(TurnResult::Checked(CheckEnd::Green)).unwrap();
    assert_eq!(machine.ticked().len(), 1);
    assert_eq!(machine.next(), TurnStep::Apply, "the rest is shown again");
    assert!(machine.take(part("c2", "t2")).is_err(), "nobody decided about another one");
    machine.take(TurnResult::Held).unwrap();
    assert!(machine.resume(SpendLimit::default()));
    machine.take(part("c2", "t2")).unwrap();
    machine.take(TurnResult::Checked(CheckEnd::Red)).unwrap();
    assert_eq!(machine.next(), TurnStep::Apply, "a part alone is not healed");
    assert_eq!(machine.ticked().len(), 1);
    // The rest is not wanted; what was written is looked at as a whole, and its commands follow.
    machine.take(TurnResult::Declined).unwrap();
    assert_eq!(machine.next(), TurnStep::Check);
    machine.take(TurnResult::Checked(CheckEnd::Green)).unwrap();
    assert_eq!(machine.ticked().len(), 2);
    assert_eq!(machine.next(), TurnStep::Command(0));
}

#[test]
fn c064_a_command_runs_early_and_the_model_gets_its_output() {
    let held = [answered(), read(true, 1), TurnResult::Held];
    let mut machine = after(TurnOptions::default(), held);
    assert!(machine.resume(SpendLimit::default()));
    machine.take(TurnResult::RanEarly { ok: true }).unwrap();
    assert_eq!(end(&machine), TurnEnding::Waiting);
    assert!(machine.resume(SpendLimit::default()));
    assert_eq!(machine.next(), TurnStep::Apply);
    machine.take(TurnResult::NothingToApply).unwrap();
    assert_eq!(machine.next(), TurnStep::Command(0));
    let over = TurnResult::Command { end: CommandEnd::Denied, next: BatchNext::Over };
    machine.take(over).unwrap();
    assert_eq!(machine.next(), TurnStep::Load(LoadWhy::Feedback));
}

#[test]
fn a_budget_ends_the_turn_and_more_of_it_goes_on() {
    let budget = SpendLimit { tokens: Some(10), micro_dollars: None };
    let options = TurnOptions { budget, ..TurnOptions::default() };
    let ran = [answered(), read(false, 1), ran(true), TurnResult::Loaded];
    let mut machine = after(options, ran);
    assert_eq!(end(&machine), TurnEnding::OverBudget);
    assert!(machine.resume(SpendLimit::default()));
    assert_eq!(machine.next(), TurnStep::Ask(AskTurn { number: 2, why: AskWhy::Feedback }));
    let none = TurnResult::NoAnswer { over_budget: true, spent: spent(3) };
    machine.take(none).unwrap();
    assert_eq!(end(&machine), TurnEnding::OverBudget);
    assert!(machine.resume(SpendLimit::default()));
    assert!(matches!(machine.next(), TurnStep::Ask(ask) if ask.number == 2));
}

#[test]
fn a_pause_goes_on_where_it_was_and_a_cancel_does_not() {
    let mut machine = after(TurnOptions::default(), [answered()]);
    machine.take(TurnResult::Interrupted(Interruption::Paused)).unwrap();
    assert_eq!(end(&machine), TurnEnding::Paused);
    assert_eq!(machine.take(TurnResult::Planned), Err(WrongTurnResult));
    assert!(machine.resume(SpendLimit::default()));
    assert_eq!(machine.next(), TurnStep::Read);
    machine.take(TurnResult::Interrupted(Interruption::Cancelled)).unwrap();
    assert!(!machine.resume(SpendLimit::default()));
    assert_eq!(end(&machine), TurnEnding::Cancelled);
}

fn helped() -> TurnResult {
    TurnResult::Helped { spent: spent(3) }
}

fn given(options: TurnOptions, results: impl IntoIterator<Item = TurnResult>) -> TurnMachine {
    let mut machine = TurnMachine::new(options);
    for result in results {
        let step = machine.next();
        assert!(machine.take(result.clone()).is_ok(), "{result:?} is none of {step:?}");
    }
    machine
}

#[test]
fn c005_a_model_is_asked_for_a_plan_first_and_it_is_paid() {
    let options = TurnOptions { plan: true, ..TurnOptions::default() };
    let machine = given(options, []);
    assert_eq!(machine.next(), TurnStep::Help(HelpWhy::Plan));
    let machine = given(options, [helped()]);
    assert_eq!((machine.next(), machine.spent()), (TurnStep::Plan, spent(3)));
    assert_eq!(machine.asked(), 0, "the answer is asked for by its own number");
}

#[test]
fn c012_c027_an_unformed_answer_is_written_again_once_and_only_where_allowed() {
    let unformed = TurnResult::ReadAnswer(AnswerFacts {
        readable: true,
        recovered: true,
        unformed: true,
        ..AnswerFacts::default()
    });
    let to_read = [TurnResult::Planned, TurnResult::Loaded, answered(), unformed.clone()];
    let off = given(TurnOptions::default(), to_read.clone());
    assert_eq!(end(&off), TurnEnding::NeedsAttention(AttentionCode::Recovered));
    let options = TurnOptions { clean: true, ..TurnOptions::default() };
    let asked = given(options, to_read.clone());
    assert_eq!(asked.next(), TurnStep::Help(HelpWhy::Clean));
    let again = to_read.iter().cloned().chain([helped(), unformed]);
    let again = given(options, again);
    assert_eq!(end(&again), TurnEnding::NeedsAttention(AttentionCode::Recovered));
    let mended = given(options, to_read.into_iter().chain([helped(), read(true, 0)]));
    assert_eq!(mended.next(), TurnStep::Apply);
    let cut = TurnResult::Answered { whole: false, spent: spent(1) };
    let cut = [TurnResult::Planned, TurnResult::Loaded, cut];
    let cut = given(
        options,
        cut.into_iter().chain([TurnResult::ReadAnswer(AnswerFacts {
            unformed: true,
            readable: true,
            ..AnswerFacts::default()
        })]),
    );
    assert_eq!(end(&cut), TurnEnding::NeedsAttention(AttentionCode::Recovered), "it was cut");
}

#[test]
fn x22_a_result_is_asked_for_once_more_and_then_it_is_the_callers_to_look() {
    let options = TurnOptions { shape: true, ..TurnOptions::default() };
    let to_end = [TurnResult::Planned, TurnResult::Loaded, answered(), read(false, 0)];
    let with = |more: Vec<TurnResult>| given(options, to_end.iter().cloned().chain(more));
    let shaped = |fits| TurnResult::Shaped { fits };
    assert_eq!(with(vec![]).next(), TurnStep::Shape);
    assert_eq!(end(&with(vec![shaped(true)])), TurnEnding::Completed);
    assert_eq!(with(vec![shaped(false)]).next(), TurnStep::Help(HelpWhy::Shape));
    let fits = with(vec![shaped(false), helped(), shaped(true)]);
    assert_eq!(end(&fits), TurnEnding::Completed);
    let misfits = with(vec![shaped(false), helped(), shaped(false)]);
    assert_eq!(end(&misfits), TurnEnding::NeedsAttention(AttentionCode::Misshapen));
}

#[test]
fn c130_files_are_given_to_the_provider_after_they_were_read_and_only_where_that_is_on() {
    let options = TurnOptions { upload: true, ..TurnOptions::default() };
    let mut machine = TurnMachine::new(options);
    machine.take(TurnResult::Planned).unwrap();
    machine.take(TurnResult::Loaded).unwrap();
    assert_eq!(machine.next(), TurnStep::Upload(AskWhy::Request));
    assert_eq!(machine.take(TurnResult::Loaded), Err(WrongTurnResult));
    machine.take(TurnResult::Uploaded).unwrap();
    let first = AskTurn { number: 1, why: AskWhy::Request };
    assert_eq!(machine.next(), TurnStep::Ask(first.clone()));
    let mut off = TurnMachine::new(TurnOptions::default());
    off.take(TurnResult::Planned).unwrap();
    off.take(TurnResult::Loaded).unwrap();
    assert_eq!(off.next(), TurnStep::Ask(first));
}
