//! Events: in order, without a gap, without one twice, across the boundary to what is new.

use crate::place::Place;
use crate::support::*;
use salve_store::{Event, NewEvent, Retention, StoreOptions};
use serde_json::json;
use std::time::Duration;

fn event(number: u64) -> NewEvent {
    NewEvent { kind: "test".to_owned(), subject: number.to_string(), body: json!({ "n": number }) }
}

async fn next(subscription: &mut salve_store::Subscription) -> Event {
    tokio::time::timeout(Duration::from_secs(30), subscription.next())
        .await
        .expect("an event in time")
        .expect("readable")
        .expect("the store is open")
}

async fn events_are_numbered_in_order(place: Place) {
    let store = place.open(options(HandClock::new())).await;
    for number in 1..=5 {
        let id = store.append_event(event(number)).await.expect("kept");
        assert_eq!(id, i64::try_from(number).expect("small"));
    }
    let after = store.events_after(2, 2).await.expect("read");
    assert_eq!(after.iter().map(|event| event.id).collect::<Vec<_>>(), [3, 4]);
    assert_eq!(after[0].body, json!({ "n": 3 }));
    assert_eq!((after[0].kind.as_str(), after[0].at.0), ("test", START));
    assert!(store.events_after(5, 10).await.expect("read").is_empty());
}

async fn a_subscription_misses_nothing_and_repeats_nothing(place: Place) {
    const WRITERS: u64 = 8;
    const EACH: u64 = 60;
    let store = place.open(options(HandClock::new())).await;
    for number in 0..10 {
        store.append_event(event(number)).await.expect("kept");
    }
    let mut tasks = tokio::task::JoinSet::new();
    for writer in 0..WRITERS {
        let store = store.clone();
        tasks.spawn(async move {
            for number in 0..EACH {
                store.append_event(event(writer * 1000 + number)).await.expect("kept");
            }
        });
    }
    // Begun at different numbers, in the middle of the writing.
    let mut readers = tokio::task::JoinSet::new();
    for from in [0, 3, 10, 200] {
        let mut subscription = store.subscribe(from);
        readers.spawn(async move {
            let last = i64::try_from(10 + WRITERS * EACH).expect("small");
            for expected in from + 1..=last {
                assert_eq!(next(&mut subscription).await.id, expected);
            }
        });
    }
    while let Some(task) = tasks.join_next().await {
        task.expect("written");
    }
    while let Some(reader) = readers.join_next().await {
        reader.expect("read in order");
    }
}

async fn events_of_another_process_arrive_too(place: Place) {
    let clock = HandClock::new();
    let here = place.open(options(clock.clone())).await;
    let there = place.open(options(clock)).await;
    let mut subscription = here.subscribe(0);
    for number in 1..=6 {
        let writer = if number % 2 == 0 { &here } else { &there };
        let id = writer.append_event(event(number)).await.expect("kept");
        assert_eq!(id, i64::try_from(number).expect("small"));
        assert_eq!(next(&mut subscription).await.id, id);
    }
    here.close().await;
    assert_eq!(subscription.next().await.expect("ended"), None);
}

async fn giving_up_on_waiting_loses_nothing(place: Place) {
    let store = place.open(options(HandClock::new())).await;
    let mut subscription = store.subscribe(0);
    for number in 1..=20 {
        let waited = tokio::time::timeout(Duration::from_millis(1), subscription.next()).await;
        assert!(waited.is_err(), "nothing is there yet: {waited:?}");
        let id = store.append_event(event(number)).await.expect("kept");
        assert_eq!(next(&mut subscription).await.id, id);
    }
}

async fn numbers_are_not_used_twice_after_events_were_forgotten(place: Place) {
    let clock = HandClock::new();
    let retention = Retention { event_days: 1, events: 3, ..Retention::default() };
    let store = place.open(StoreOptions { retention, ..options(clock.clone()) }).await;
    for number in 1..=5 {
        store.append_event(event(number)).await.expect("kept");
    }
    assert_eq!(store.prune().await.expect("pruned").events, 2);
    clock.next_day();
    clock.next_day();
    assert_eq!(store.prune().await.expect("pruned").events, 3);
    assert_eq!(store.append_event(event(6)).await.expect("kept"), 6);
    let mut subscription = store.subscribe(0);
    assert_eq!(next(&mut subscription).await.id, 6);
}

crate::place::every_store!(
    events_are_numbered_in_order,
    a_subscription_misses_nothing_and_repeats_nothing,
    giving_up_on_waiting_loses_nothing,
    numbers_are_not_used_twice_after_events_were_forgotten
    ; shared
    events_of_another_process_arrive_too
);
