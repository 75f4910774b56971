//! Several processes and one file: budgets are shared, calls of the dead are in doubt.
#![expect(clippy::panic, reason = "a failure here is a failed test")]

use crate::place::Place;
use crate::support::*;
use salve_store::{
    Budgets, CallKey, CallOutcome, CallState, Reservation, Settled, Spend, SpendLimit, Store,
    StoreOptions,
};
use salve_types::Usage;

async fn two_writers_share_one_budget(place: Place) {
    let day = SpendLimit { tokens: Some(11_000), micro_dollars: None };
    let shared = StoreOptions {
        budgets: Budgets { day, ..Budgets::default() },
        ..options(HandClock::new())
    };
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..3 {
        let store = place.open(shared.clone()).await;
        for _ in 0..20 {
            let store = store.clone();
            tasks.spawn(async move {
                let mut made = 0_u64;
                for _ in 0..10 {
                    let reserved = store.reserve_unkeyed(call()).await.expect("answer");
                    let Reservation::Fresh(open) = reserved else { continue };
                    made += 1;
                    let usage = Usage { output_tokens: 100, ..Usage::default() };
                    let settled = Settled {
                        outcome: CallOutcome::Whole,
                        usage: Some(usage),
                        micro_dollars: Some(1),
                        ..Settled::default()
                    };
                    open.settle(settled).await.expect("settled");
                }
                made
            });
        }
    }
    let mut made = 0;
    while let Some(count) = tasks.join_next().await {
        made += count.expect("no panic");
    }
    let store = place.open(shared).await;
    let spending = store.day_spending().await.expect("read");
    assert_eq!(spending.held, Spend::default());
    assert_eq!(spending.spent.tokens, made * 100);
    assert!(spending.spent.tokens <= 11_000);
    // Ten fit at once, so as many were made at the least.
    assert!(made >= 10, "{spending:?}");
    assert_eq!(store.check_integrity().await.expect("checked"), [""; 0]);
}

async fn a_call_of_the_dead_is_in_doubt_and_its_text_is_there(place: Place) {
    let clock = HandClock::new();
    let before = place.open(options(clock.clone())).await;
    let key = CallKey::new("job/1");
    let mut open = fresh_with(&before, &key, call()).await;
    let id = open.id();
    open.append("half an answ");
    open.save().await.expect("saved");
    // Dead: it never says another word.
    std::mem::forget(open);
    std::mem::forget(before);

    let after = place.open(options(clock.clone())).await;
    let state = async || after.call(id).await.expect("read").expect("there").call.state;
    assert_eq!(state().await, CallState::Open, "it was seen a moment ago");
    clock.advance(60_000);
    assert_eq!(state().await, CallState::Unknown);
    let unknown = salve_store::CallFilter { state: Some(CallState::Unknown), ..Default::default() };
    assert_eq!(after.calls(&unknown).await.expect("list").len(), 1);
    match after.reserve(&key, call()).await.expect("a reservation") {
        Reservation::InDoubt { partial, since, worker, alive, id: doubted } => {
            assert!(!alive);
            assert_eq!((partial.as_str(), since.0, doubted), ("half an answ", START, id));
            assert!(worker.starts_with("test-"));
        }
        other => panic!("{other:?}"),
    }
    // Its budget stays held until a person decides.
    assert_eq!(after.day_spending().await.expect("read").held.tokens, 1100);
    after.resolve(id, salve_store::Resolution::CountWorst).await.expect("resolved");
    let day = after.day_spending().await.expect("read");
    assert_eq!((day.held.tokens, day.spent.tokens), (0, 1100));
    assert!(matches!(after.reserve(&key, call()).await, Ok(Reservation::Done(_))));
}

#[tokio::test]
async fn a_settlement_that_cannot_be_written_is_tried_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("salve.db");
    let store = Store::open(&path, options(HandClock::new())).await.expect("opened");
    let mut open = fresh(&store, call()).await;
    let id = open.id();
    open.append("arrived");
    let mut outside = crate::opening::raw(&path).await;
    let obstacle = "CREATE TRIGGER obstacle BEFORE UPDATE ON calls
                    BEGIN SELECT RAISE(FAIL, 'the disk is full'); END";
    sqlx::query(obstacle).execute(&mut outside).await.expect("made");
    let settling = tokio::spawn(open.settle(Settled {
        outcome: CallOutcome::Whole,
        text: Some("result".to_owned()),
        ..Settled::default()
    }));
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    assert!(!settling.is_finished(), "it is not given up at once");
    assert_eq!(store.day_spending().await.expect("read").held.tokens, 1100);
    sqlx::query("DROP TRIGGER obstacle").execute(&mut outside).await.expect("gone");
    settling.await.expect("no panic").expect("settled");
    let detail = store.call(id).await.expect("read").expect("there");
    assert_eq!(detail.texts.raw, "arrived");
    assert_eq!(detail.texts.result.as_deref(), Some("result"));
    assert_eq!(store.check_integrity().await.expect("checked"), [""; 0]);
}

crate::place::every_store!(
    ; shared
    two_writers_share_one_budget,
    a_call_of_the_dead_is_in_doubt_and_its_text_is_there
);
