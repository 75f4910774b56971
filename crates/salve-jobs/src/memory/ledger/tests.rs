//! What every ledger must do, told by the one in memory.

use super::*;
use crate::{JobId, step_key};

fn two_workers() -> (MemoryLedger, MemoryLedger) {
    let first = MemoryLedger::new(Arc::new(|| Timestamp(7)), "first");
    let second = first.of_worker("second");
    (first, second)
}

fn key() -> CallKey {
    step_key(&JobId::new("a/b").unwrap(), 1, 1, "x")
}

fn said(text: &str) -> CallResult {
    CallResult { answered: true, text: text.to_owned(), ..CallResult::default() }
}

const FRESH: Reserve = Reserve::Fresh { epoch: 1, partial: String::new() };

#[tokio::test]
async fn a_call_is_made_once() {
    let ((first, second), key, call) = (two_workers(), key(), StepCall::default());
    assert_eq!(first.reserve(&key, &call).await, Ok(FRESH));
    let busy = second.take_over(&key, &call).await.unwrap();
    assert!(matches!(busy, Reserve::InDoubt { alive: true, .. }), "{busy:?}");
    assert_eq!(first.settle(&key, 1, said("one")).await, Ok(Settlement::Counted));
    assert_eq!(first.settle(&key, 1, said("one")).await, Ok(Settlement::Counted));
    assert_eq!(second.reserve(&key, &call).await, Ok(Reserve::Done(said("one"))));
    assert_eq!(second.settle(&key, 1, said("two")).await, Ok(Settlement::Late));
    assert_eq!(second.late(), [(key, said("two"))]);
}

#[tokio::test]
async fn whoever_was_taken_over_is_late() {
    let ((first, second), key, call) = (two_workers(), key(), StepCall::default());
    let _ = first.reserve(&key, &call).await.unwrap();
    first.append(&key, 1, "half").await.unwrap();
    assert_eq!(second.in_doubt(&JobFilter::default()).await.unwrap(), []);
    first.declare_gone("first");
    assert_eq!(second.in_doubt(&JobFilter::default()).await.unwrap()[0].partial_bytes, 4);
    let elsewhere = JobFilter { within: JobId::new("b").ok(), ..JobFilter::default() };
    assert_eq!(second.in_doubt(&elsewhere).await.unwrap(), []);
    let taken = Reserve::Fresh { epoch: 2, partial: "half".to_owned() };
    assert_eq!(second.take_over(&key, &call).await, Ok(taken));
    assert!(first.append(&key, 1, "more").await.is_err());
    assert_eq!(first.settle(&key, 1, said("zombie")).await, Ok(Settlement::Late));
    assert_eq!(second.settle(&key, 2, said("two")).await, Ok(Settlement::Counted));
    assert_eq!(first.reserve(&key, &call).await, Ok(Reserve::Done(said("two"))));
}

#[tokio::test]
async fn a_decision_counts_once() {
    let refused = |reserve: &Reserve| matches!(reserve, Reserve::Refused(_));
    let done = |reserve: &Reserve| *reserve == Reserve::Done(said("mine"));
    let again = |reserve: &Reserve| matches!(reserve, Reserve::Fresh { epoch: 2, .. });
    type Expected = fn(&Reserve) -> bool;
    let table: [(Decision, Expected); 3] = [
        (Decision::Fail, refused),
        (Decision::UseResult("mine".to_owned()), done),
        (Decision::Retry, again),
    ];
    for (decision, expected) in table {
        let ((first, second), key, call) = (two_workers(), key(), StepCall::default());
        assert_eq!(first.resolve(&key, decision.clone()).await, Ok(false), "nothing in doubt");
        let _ = first.reserve(&key, &call).await.unwrap();
        assert_eq!(first.resolve(&key, decision.clone()).await, Ok(false), "still alive");
        first.declare_gone("first");
        assert_eq!(second.resolve(&key, decision.clone()).await, Ok(true));
        assert_eq!(second.resolve(&key, decision.clone()).await, Ok(true), "said twice");
        assert_eq!(second.in_doubt(&JobFilter::default()).await.unwrap(), []);
        let reserve = second.reserve(&key, &call).await.unwrap();
        assert!(expected(&reserve), "{decision:?}: {reserve:?}");
        assert_eq!(first.settle(&key, 1, said("zombie")).await, Ok(Settlement::Late));
    }
}

#[tokio::test]
async fn a_ledger_that_is_cut_off_says_so() {
    let ((first, _), key, call) = (two_workers(), key(), StepCall::default());
    first.cut_off(true);
    let refused = first.reserve(&key, &call).await;
    assert!(matches!(refused, Err(LedgerError::Unreachable(_))));
    first.cut_off(false);
    assert_eq!(first.reserve(&key, &call).await, Ok(FRESH));
}
