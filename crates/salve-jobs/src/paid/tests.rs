//! One step, done again and again in every kind of trouble.

use super::*;
use crate::{Decision, JobId, MemoryLedger, step_key};
use salve_types::Timestamp;
use salve_types::{Spend, WorstCase};
use std::sync::atomic::{AtomicU32, Ordering};
use tokio_util::sync::CancellationToken;

struct StepOf {
    ledger: MemoryLedger,
    job: JobId,
    key: CallKey,
    cancel: CancellationToken,
}

impl StepOf {
    fn new(ledger: MemoryLedger) -> Self {
        let job = JobId::new("a").unwrap();
        let key = step_key(&job, 1, 1, "x");
        Self { ledger, job, key, cancel: CancellationToken::new() }
    }
}

impl StepCtx for StepOf {
    fn job(&self) -> &JobId {
        &self.job
    }
    fn key(&self) -> &CallKey {
        &self.key
    }
    fn attempt(&self) -> u32 {
        1
    }
    fn cancelled(&self) -> CancellationToken {
        self.cancel.clone()
    }
    fn ledger(&self) -> Arc<dyn CallLedger> {
        Arc::new(self.ledger.clone())
    }
}

fn worker(name: &str) -> StepOf {
    StepOf::new(MemoryLedger::new(Arc::new(|| Timestamp(7)), name))
}

fn said(text: &str) -> CallResult {
    CallResult { answered: true, text: text.to_owned(), ..CallResult::default() }
}

/// Pays once more, and answers.
async fn pay(
    step: &StepOf,
    policy: DoubtPolicy,
    paid: &AtomicU32,
) -> Result<CallResult, StepError> {
    let prompt = Spend { tokens: 0, micro_dollars: 100 };
    let worst = WorstCase { prompt, ..WorstCase::default() };
    let call = StepCall { worst, ..StepCall::default() };
    paid_once(step, &call, policy, async |call: PaidCall| {
        paid.fetch_add(1, Ordering::Relaxed);
        call.append("an").await;
        Ok(said(&format!("{}answer", call.partial())))
    })
    .await
}

#[tokio::test]
async fn a_call_is_paid_once_however_often_the_step_is_done() {
    let (step, paid) = (worker("first"), AtomicU32::new(0));
    for _ in 0..3 {
        assert_eq!(pay(&step, DoubtPolicy::Retry, &paid).await, Ok(said("answer")));
    }
    assert_eq!(paid.into_inner(), 1);
}

#[tokio::test]
async fn a_call_in_doubt_is_decided_by_its_policy() {
    let ask =
        |error: &Result<CallResult, StepError>| matches!(error, Err(StepError::InDoubt { .. }));
    let fatal =
        |error: &Result<CallResult, StepError>| matches!(error, Err(StepError::Fatal { .. }));
    let again = |error: &Result<CallResult, StepError>| *error == Ok(said("halfanswer"));
    type Expected = fn(&Result<CallResult, StepError>) -> bool;
    let table: [(DoubtPolicy, Expected, u32); 5] = [
        (DoubtPolicy::Retry, again, 1),
        (DoubtPolicy::Ask, ask, 0),
        (DoubtPolicy::Fail, fatal, 0),
        (DoubtPolicy::AskAbove(100), again, 1),
        (DoubtPolicy::AskAbove(99), ask, 0),
    ];
    for (policy, expected, times) in table {
        let (dead, paid) = (worker("dead"), AtomicU32::new(0));
        let _ = dead.ledger.reserve(&dead.key, &StepCall::default()).await.unwrap();
        dead.ledger.append(&dead.key, 1, "half").await.unwrap();
        dead.ledger.declare_gone("dead");
        let peer = StepOf::new(dead.ledger.of_worker("peer"));
        let told = pay(&peer, policy, &paid).await;
        assert!(expected(&told), "{policy:?}: {told:?}");
        assert_eq!(paid.into_inner(), times, "{policy:?}");
    }
}

#[tokio::test]
async fn a_decision_ends_the_doubt() {
    let (dead, paid) = (worker("dead"), AtomicU32::new(0));
    let _ = dead.ledger.reserve(&dead.key, &StepCall::default()).await.unwrap();
    dead.ledger.declare_gone("dead");
    let peer = StepOf::new(dead.ledger.of_worker("peer"));
    assert!(matches!(pay(&peer, DoubtPolicy::Ask, &paid).await, Err(StepError::InDoubt { .. })));
    assert!(peer.ledger.resolve(&peer.key, Decision::Retry).await.unwrap());
    assert_eq!(pay(&peer, DoubtPolicy::Ask, &paid).await, Ok(said("answer")));
    assert_eq!(paid.into_inner(), 1);
}

#[tokio::test]
async fn nobody_pays_while_the_owner_is_seen() {
    let (slow, paid) = (worker("slow"), AtomicU32::new(0));
    let _ = slow.ledger.reserve(&slow.key, &StepCall::default()).await.unwrap();
    let peer = StepOf::new(slow.ledger.of_worker("peer"));
    let settle = async {
        sleep(Duration::from_millis(200)).await;
        let _ = slow.ledger.settle(&slow.key, 1, said("slow")).await.unwrap();
    };
    let (told, ()) = tokio::join!(pay(&peer, DoubtPolicy::Retry, &paid), settle);
    assert_eq!(told, Ok(said("slow")));
    assert_eq!(paid.into_inner(), 0);
}

#[tokio::test]
async fn whoever_was_taken_over_uses_what_the_other_got() {
    let (zombie, call) = (worker("zombie"), StepCall::default());
    let peer = StepOf::new(zombie.ledger.of_worker("peer"));
    let told = paid_once(&zombie, &call, DoubtPolicy::Retry, async |_| {
        // It was stopped; meanwhile the peer takes over and is done.
        zombie.ledger.declare_gone("zombie");
        let paid = AtomicU32::new(0);
        assert_eq!(pay(&peer, DoubtPolicy::Retry, &paid).await, Ok(said("answer")));
        Ok(said("zombie"))
    });
    assert_eq!(told.await, Ok(said("answer")));
    assert_eq!(zombie.ledger.late(), [(zombie.key.clone(), said("zombie"))]);
}

#[tokio::test]
async fn a_call_that_failed_fails_the_same_way_again() {
    let (step, paid, call) = (worker("first"), AtomicU32::new(0), StepCall::default());
    for _ in 0..2 {
        let told = paid_once(&step, &call, DoubtPolicy::Retry, async |_| {
            paid.fetch_add(1, Ordering::Relaxed);
            Err(StepError::retryable("overloaded"))
        });
        assert_eq!(told.await, Err(StepError::retryable("overloaded")));
    }
    assert_eq!(paid.into_inner(), 1);
}

#[tokio::test]
async fn a_cancelled_call_is_dropped_and_settled() {
    let (step, call) = (worker("first"), StepCall::default());
    let cancel = step.cancel.clone();
    let told = paid_once(&step, &call, DoubtPolicy::Retry, async |_| {
        cancel.cancel();
        std::future::pending().await
    });
    assert_eq!(told.await, Err(StepError::Cancelled));
    let known = step.ledger.reserve(&step.key, &StepCall::default()).await.unwrap();
    assert!(matches!(known, Reserve::Done(CallResult { answered: false, .. })), "{known:?}");
}

#[tokio::test]
async fn a_ledger_that_is_away_for_a_while_is_waited_for() {
    let (step, paid) = (worker("first"), AtomicU32::new(0));
    step.ledger.cut_off(true);
    let comes_back = async {
        sleep(Duration::from_millis(200)).await;
        step.ledger.cut_off(false);
    };
    let (told, ()) = tokio::join!(pay(&step, DoubtPolicy::Retry, &paid), comes_back);
    assert_eq!(told, Ok(said("answer")));
    assert_eq!(paid.into_inner(), 1);
    step.ledger.cut_off(true);
    let call = StepCall::default();
    let told =
        reachable(Duration::from_millis(100), || step.ledger.reserve(&step.key, &call)).await;
    let told = told.map_err(unreserved);
    assert!(matches!(told, Err(StepError::Retryable { .. })), "{told:?}");
}
