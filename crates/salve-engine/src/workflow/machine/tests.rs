//! The machine with workers that answer from a list.

use super::super::manifest::load;
use super::*;
use proptest::prelude::*;
use salve_types::SegmentKind;

const CYCLE: &str = r#"
"Block:Make": { "worker": "Worker:CodeGenerator", "transitions": [
    { "on_signal": "SIGNAL:SUCCESS", "action": "JUMP:Test" },
    { "on_signal": "SIGNAL:VALIDATION_FAIL", "action": "JUMP:Make" },
    { "on_signal": "SIGNAL:FAIL_DEFAULT", "action": "JUMP:Core_Halt__UnhandledError" }] },
"Block:Test": { "worker": "Internal:Check", "transitions": [
    { "on_signal": "SIGNAL:SUCCESS", "action": "JUMP:Core_Halt__Success" },
    { "on_signal": "SIGNAL:CHECK_FAIL", "action": "JUMP:Make" }] },
"limits": { "runsPerBlock": 3, "runs": 8, "tokens": 100 }
"#;

fn done(signal: Signal, tokens: u64) -> BlockDone {
    let (id, timestamp) = (String::new(), String::new());
    let content = signal.name().to_owned();
    let segment = Segment { id, kind: SegmentKind::CodeOutput, content, timestamp };
    BlockDone {
        result: WorkerResult { new_payload: vec![segment], signal },
        stages: Vec::new(),
        removed: Vec::new(),
        why: None,
        change: None,
        spent: Spend { tokens, micro_dollars: 0 },
        over_budget: false,
    }
}

// Plays signals until the flow is over; returns the blocks that ran and how it ended.
fn play(signals: &[(Signal, u64)]) -> (Vec<String>, FlowEnd) {
    let mut machine = FlowMachine::new(load(CYCLE).unwrap(), Vec::new());
    let mut signals = signals.iter().cycle();
    let mut ran = Vec::new();
    loop {
        // Written down and read back between any two steps, it is the same.
        let text = serde_json::to_string(&machine).unwrap();
        assert_eq!(serde_json::from_str::<FlowMachine>(&text).unwrap(), machine);
        match machine.next() {
            FlowStep::Done(end) => return (ran, end.clone()),
            FlowStep::Run(block) => ran.push(block.name.clone()),
        }
        let (signal, tokens) = signals.next().unwrap();
        machine.take(done(*signal, *tokens));
    }
}

#[test]
fn o18_o21_signals_lead_where_the_manifest_says() {
    use Signal::{FailDefault, Success, ValidationFail};
    let (ran, end) = play(&[(ValidationFail, 1), (Success, 1), (Success, 1)]);
    assert_eq!((ran.join(" "), end.code), ("Make Make Test".to_owned(), None));
    let (ran, end) = play(&[(FailDefault, 1)]);
    assert_eq!((ran.join(" "), end.code), ("Make".to_owned(), Some(HaltCode::UnhandledError)));
}

#[test]
fn o24_a_signal_without_a_transition_falls_to_the_failure_and_else_halts_by_name() {
    use Signal::{Success, Truncated};
    let (ran, end) = play(&[(Truncated, 1)]);
    assert_eq!((ran.join(" "), end.code), ("Make".to_owned(), Some(HaltCode::UnhandledError)));
    let (ran, end) = play(&[(Success, 1), (Truncated, 1)]);
    assert_eq!(ran.join(" "), "Make Test");
    let why = "`Test` has no transition for SIGNAL:TRUNCATED".to_owned();
    let code = Some(HaltCode::UnhandledSignal);
    assert_eq!(end, FlowEnd { code, block: "Test".to_owned(), signal: Truncated, why: Some(why) });
}

#[test]
fn o22_a_loop_ends_at_its_cap_by_the_way_of_the_failure() {
    use Signal::{CheckFail, Success, ValidationFail};
    let (ran, end) = play(&[(ValidationFail, 1)]);
    assert_eq!((ran.len(), end.code), (3, Some(HaltCode::UnhandledError)));
    // The block that would go round once more has no way of a failure.
    let (ran, end) = play(&[(Success, 1), (CheckFail, 1)]);
    assert_eq!(
        (ran.join(" ").as_str(), end.code),
        ("Make Test Make Test Make Test", Some(HaltCode::BlockRuns))
    );
}

#[test]
fn x02_the_budget_ends_a_flow_before_a_model_is_asked() {
    let (ran, end) = play(&[(Signal::ValidationFail, 60)]);
    assert_eq!((ran.len(), end.code), (2, Some(HaltCode::OverBudget)));
}

proptest! {
    #[test]
    fn any_signals_end_within_the_limits(
        signals in prop::collection::vec((prop::sample::select(Signal::ALL.to_vec()), 0_u64..40), 1..12),
    ) {
        let (ran, end) = play(&signals);
        prop_assert!(ran.len() <= 8, "{ran:?}");
        for name in ["Make", "Test"] {
            prop_assert!(ran.iter().filter(|one| *one == name).count() <= 3);
        }
        prop_assert_eq!(end.code.is_none(), end.signal == Signal::Success && end.block == "Test");
    }
}
