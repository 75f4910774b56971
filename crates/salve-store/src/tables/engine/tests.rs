//! What the engine's tables keep, beyond what the engine's own suite asks for.

use super::*;
use crate::tables::Conforming;
use crate::testing::options;
use crate::{CallKey, NewCall, Reservation, StoreOptions};
use salve_types::{
    ExecutionEnd, JobFilter, JobId, JobState, Lease, MessageKind, NewFlow, Page, StepId, TagChoice,
    ValueChange,
};

pub(super) const ROWS: &str = "
INSERT INTO engine_instances (id, flow, version, execution, created_at, updated_at)
VALUES ('kept', 'Generate', '1.0.0', 1, 1, 1);
INSERT INTO engine_executions (instance, execution, status, started_at)
VALUES ('kept', 1, 'Running', 1);
INSERT INTO engine_history (instance, execution, event, body) VALUES ('kept', 1, 1, '{}');
INSERT INTO engine_messages (id, instance, kind, body, due) VALUES (1, 'kept', 'other', '{}', 1);
INSERT INTO engine_turns (instance, token, owner, until) VALUES ('kept', 'a', 'b', 2);
INSERT INTO engine_steps (id, instance, execution, event, body, due)
VALUES (1, 'kept', 1, 1, '{}', 1);
INSERT INTO engine_sessions (session, owner, until, active_at) VALUES ('s', 'b', 2, 1);
INSERT INTO engine_values (instance, name, settled, value, set_at) VALUES ('kept', 'n', 1, 'v', 1);
";

const NOW: Timestamp = Timestamp(1000);

fn lease(token: &str) -> Lease {
    Lease { token: token.to_owned(), owner: "here".to_owned(), until: Timestamp(2000) }
}

fn start(instance: &str) -> FlowMessage {
    let (instance, body) = (instance.to_owned(), "{}".to_owned());
    FlowMessage { instance, kind: MessageKind::Start, body, due: NOW }
}

fn turn(token: &str) -> TurnCommit {
    let value = FlowValue { key: "k".to_owned(), value: "v".to_owned(), set_at: NOW };
    TurnCommit {
        now: NOW,
        token: token.to_owned(),
        execution: 1,
        flow: Some(NewFlow { flow: "F".to_owned(), version: "1".to_owned(), parent: None }),
        engine_version: None,
        events: vec![HistoryEvent { id: 1, body: "{}".to_owned() }],
        end: None,
        stage: None,
        values: vec![ValueChange::Set(value)],
        steps: Vec::new(),
        cancelled: Vec::new(),
        messages: Vec::new(),
    }
}

async fn claim(tables: &EngineTables, token: &str) -> Option<ClaimedTurn> {
    let claim = TurnClaim { now: NOW, lease: lease(token), versions: None, only: None };
    tables.claim_turn(claim).await.expect("claimed")
}

// What the engine keeps is replayed byte for byte, so it is not redacted: flows pass ids, and texts
// are where ids lead to.
pub(super) fn conforms<'a>(store: &'a Store, _: &'a str) -> Conforming<'a> {
    Box::pin(async move {
        let tables = store.engine();
        for instance in ["a", "b"] {
            tables.send(start(instance)).await.expect("sent");
        }
        assert_eq!(claim(&tables, "one").await.expect("a turn").instance, "a");
        assert_eq!(claim(&tables, "two").await.expect("a turn").instance, "b");
        assert_eq!(claim(&tables, "three").await, None, "both are held");
        let id = StepId { instance: "a".to_owned(), execution: 1, event: 1 };
        let session = Some("s".to_owned());
        let step = QueuedStep { id: Some(id), session, tag: None, body: "{}".to_owned() };
        let commit = TurnCommit { steps: vec![step], messages: vec![start("c")], ..turn("one") };
        tables.commit_turn(commit, Vec::new(), None).await.expect("committed");
        assert_eq!(tables.history("a", None).await.expect("read"), ["{}"]);
        assert_eq!(tables.values("a").await.expect("read").len(), 1);
        let session = Some(("here".to_owned(), Timestamp(2000)));
        let claim =
            StepClaim { now: NOW, lease: lease("four"), session, tags: TagChoice::Any, only: None };
        assert_eq!(tables.claim_step(claim).await.expect("claimed").expect("a step").attempts, 1);
        assert_eq!(tables.lease_owners().await.expect("read"), ["here"]);
    })
}

#[tokio::test]
async fn a_claim_on_one_instance_takes_its_descendants_and_nothing_else() {
    let store = Store::memory(options()).await.expect("opened");
    let tables = store.engine();
    for instance in ["other", "a-b", "a/c", "a"] {
        tables.send(start(instance)).await.expect("sent");
    }
    let take = |token: &str| {
        let only = Some("a".to_owned());
        tables.claim_turn(TurnClaim { now: NOW, lease: lease(token), versions: None, only })
    };
    for (token, instance) in [("one", Some("a/c")), ("two", Some("a")), ("three", None)] {
        let claimed = take(token).await.expect("claimed").map(|turn| turn.instance);
        assert_eq!(claimed.as_deref(), instance);
    }
    let step = |instance: &str| {
        let id = StepId { instance: instance.to_owned(), execution: 1, event: 1 };
        let body = instance.to_owned();
        QueuedStep { id: Some(id), session: None, tag: None, body }
    };
    let steps = ["other", "a-b", "a/c", "a"].map(step).to_vec();
    let commit = TurnCommit { steps, ..turn("one") };
    tables.commit_turn(commit, Vec::new(), None).await.expect("committed");
    for (token, body) in [("one", Some("a/c")), ("two", Some("a")), ("three", None)] {
        let (lease, only) = (lease(token), Some("a".to_owned()));
        let claim = StepClaim { now: NOW, lease, session: None, tags: TagChoice::Any, only };
        let claimed = tables.claim_step(claim).await.expect("claimed").map(|step| step.body);
        assert_eq!(claimed.as_deref(), body);
    }
}

#[tokio::test]
async fn a_turn_is_not_blamed_for_a_process_that_died_with_a_step() {
    let store = Store::memory(options()).await.expect("opened");
    let tables = store.engine();
    tables.send(start("a")).await.expect("sent");
    assert_eq!(claim(&tables, "one").await.expect("a turn").attempts, 1);
    tables.release_leases(vec!["here".to_owned()]).await.expect("released");
    assert_eq!(
        claim(&tables, "two").await.expect("a turn").attempts,
        2,
        "it may have been the turn"
    );
    let id = StepId { instance: "a".to_owned(), execution: 1, event: 1 };
    let step = QueuedStep { id: Some(id), session: None, tag: None, body: "{}".to_owned() };
    let commit = TurnCommit { steps: vec![step], messages: vec![start("b")], ..turn("two") };
    tables.commit_turn(commit, Vec::new(), None).await.expect("committed");
    for death in 1..=3 {
        assert_eq!(claim(&tables, &format!("turn {death}")).await.expect("a turn").attempts, 1);
        let lease = lease(&format!("step {death}"));
        let claim = StepClaim { now: NOW, lease, session: None, tags: TagChoice::Any, only: None };
        let step = tables.claim_step(claim).await.expect("claimed").expect("a step");
        assert_eq!(step.attempts, death);
        tables.release_leases(vec!["here".to_owned()]).await.expect("released");
    }
}

#[tokio::test]
async fn a_turn_and_what_it_means_for_the_index_are_one_transaction() {
    let store = Store::memory(options()).await.expect("opened");
    let tables = store.engine();
    let id = JobId::new("a").expect("a name");
    let new = |id: &JobId| NewJob {
        id: id.clone(),
        flow: "F@1".to_owned().try_into().expect("a name"),
        input_hash: "h".to_owned(),
        needs: salve_types::Needs::default(),
    };
    let _ = store.register_job(new(&id)).await.expect("registered");
    tables.send(start("a")).await.expect("sent");
    claim(&tables, "one").await.expect("a turn");
    let child = id.child("b").expect("a name");
    let ended = Some(JobState::Cancelled { reason: "enough".to_owned() });
    let report = JobReport { id: id.clone(), from: (0, 0), to: (1, 1), events: Vec::new(), ended };
    // Without the lease nothing is written, neither the turn nor the index.
    let refused = tables.commit_turn(turn("none"), vec![new(&child)], Some(report.clone())).await;
    assert!(matches!(refused, Err(StoreError::Engine(EngineRefusal::LeaseLost))), "{refused:?}");
    assert_eq!(store.job(&child).await.expect("read"), None);
    let end = ExecutionEnd { status: "Failed".to_owned(), output: None, is_final: true };
    let commit = TurnCommit { end: Some(end), ..turn("one") };
    let reported = tables.commit_turn(commit, vec![new(&child)], Some(report)).await;
    assert!(reported.expect("committed"), "the index was where the report begins");
    let row = store.job(&id).await.expect("read").expect("the job");
    assert_eq!(row.reported, (1, 1));
    assert!(row.ended.is_some());
    let rows = store.jobs(&JobFilter::default(), &Page::default()).await.expect("listed");
    assert_eq!(rows.len(), 2, "the child is known");
}

#[tokio::test]
async fn what_comes_before_a_start_waits_and_is_in_nobodys_way() {
    let store = Store::memory(options()).await.expect("opened");
    let tables = store.engine();
    let cancel = FlowMessage { kind: MessageKind::Other, ..start("early") };
    tables.send(cancel).await.expect("sent");
    tables.send(start("other")).await.expect("sent");
    assert_eq!(claim(&tables, "one").await.expect("a turn").instance, "other");
    assert_eq!(claim(&tables, "two").await, None);
    tables.send(start("early")).await.expect("sent");
    assert_eq!(claim(&tables, "three").await.expect("a turn").messages.len(), 2);
}

#[tokio::test]
async fn an_open_call_of_a_dead_process_is_in_doubt_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("salve.db");
    let of = |process: &str| StoreOptions { process: process.to_owned(), ..options() };
    let key = CallKey::new("job/ask");
    let dead = Store::open(&path, of("p:1")).await.expect("opened");
    let Ok(Reservation::Fresh(_open)) = dead.reserve(&key, NewCall::default()).await else {
        panic!("not fresh");
    };
    let store = Store::open(&path, of("p:2")).await.expect("opened");
    let next = store.reserve(&key, NewCall::default()).await;
    assert!(matches!(next, Ok(Reservation::InDoubt { alive: true, .. })), "{next:?}");
    let tables = store.engine();
    assert!(tables.lease_owners().await.expect("read").contains(&"p:1".to_owned()));
    tables.release_leases(vec!["p:1".to_owned()]).await.expect("released");
    let next = store.reserve(&key, NewCall::default()).await;
    assert!(matches!(next, Ok(Reservation::InDoubt { alive: false, .. })), "{next:?}");
}
