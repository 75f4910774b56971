//! Calls: reserved once, settled once, their texts kept apart.
#![expect(clippy::panic, reason = "a failure here is a failed test")]

use crate::place::Place;
use crate::support::*;
use salve_store::{
    CallFilter, CallId, CallKey, CallOutcome, CallState, NewCall, Reservation, Resolution,
    Retention, Settled, Spend, StoreError,
};
use salve_types::Usage;

fn whole(text: &str) -> Settled {
    Settled {
        outcome: CallOutcome::Whole,
        usage: Some(Usage { input_tokens: 90, output_tokens: 10, ..Usage::default() }),
        micro_dollars: Some(190),
        finish: Some("stop".to_owned()),
        status: Some(200),
        text: Some(text.to_owned()),
        ..Settled::default()
    }
}

async fn a_call_is_made_once_and_remembered(place: Place) {
    let store = place.open(options(HandClock::new())).await;
    let key = CallKey::new("job-1/step-2/0/abc");
    let mut open = fresh_with(&store, &key, call()).await;
    open.append("hello ");
    open.append("world");
    let id = open.id();

    match store.reserve(&key, call()).await.expect("a reservation") {
        Reservation::InDoubt { id: doubted, worker, since, .. } => {
            assert_eq!(doubted, id);
            assert!(worker.starts_with("test-"), "{worker}");
            assert_eq!(since.0, START);
        }
        other => panic!("{other:?}"),
    }

    let receipt = open.settle(whole("hello world")).await.expect("settled");
    assert_eq!(
        (receipt.usage.total(), receipt.micro_dollars, receipt.estimated),
        (100, 190, false)
    );

    match store.reserve(&key, call()).await.expect("a reservation") {
        Reservation::Done(detail) => {
            assert_eq!(detail.call.id, id);
            assert_eq!(detail.call.outcome, Some(CallOutcome::Whole));
            assert_eq!(detail.texts.result.as_deref(), Some("hello world"));
        }
        other => panic!("{other:?}"),
    }
}

async fn c011_what_arrived_is_there_before_anything_is_made_of_it(place: Place) {
    let store = place.open(options(HandClock::new())).await;
    let mut open = fresh(&store, call()).await;
    open.append("{\"half\": [1, 2");
    open.save().await.expect("saved");
    // Nothing parsed it, nothing settled it, and it can be read.
    let detail = store.call(open.id()).await.expect("read").expect("there");
    assert_eq!(detail.texts.raw, "{\"half\": [1, 2");
    assert_eq!((detail.texts.partial, detail.texts.result), (None, None));
    assert_eq!(detail.call.state, CallState::Open);
}

async fn c011_what_arrived_is_written_soon_without_being_asked_for(place: Place) {
    let store = place.open(options(HandClock::new())).await;
    let mut open = fresh(&store, call()).await;
    open.append("quiet");
    let id = open.id();
    eventually(async || store.call(id).await.expect("read").expect("there").texts.raw == "quiet")
        .await;
    // A large piece does not wait for the clock.
    let large = "x".repeat(40 << 10);
    open.append(&large);
    eventually(async || {
        store.call(id).await.expect("read").expect("there").texts.raw.len() == 5 + (40 << 10)
    })
    .await;
}

async fn x05_three_slots_and_only_whole_text_is_a_result(place: Place) {
    let store = place.open(options(HandClock::new())).await;
    for outcome in [
        CallOutcome::Whole,
        CallOutcome::Healed,
        CallOutcome::Incomplete,
        CallOutcome::Failed,
        CallOutcome::Abandoned,
    ] {
        let mut open = fresh(&store, call()).await;
        open.append("as it came");
        let id = open.id();
        let settled = Settled { outcome, text: Some("made of it".to_owned()), ..whole("") };
        open.settle(settled).await.expect("settled");
        let texts = store.call(id).await.expect("read").expect("there").texts;
        assert_eq!(texts.raw, "as it came");
        let made = Some("made of it".to_owned());
        let expected = if outcome.is_whole() { (None, made) } else { (made, None) };
        assert_eq!((texts.partial, texts.result), expected, "{outcome:?}");
    }
    // No text is none, and an empty one is one.
    for text in [None, Some(String::new())] {
        let open = fresh(&store, call()).await;
        let id = open.id();
        open.settle(Settled { text: text.clone(), ..whole("") }).await.expect("settled");
        assert_eq!(store.call(id).await.expect("read").expect("there").texts.result, text);
    }
}

async fn odd_texts_come_back_as_they_were(place: Place) {
    let store = place.open(options(HandClock::new())).await;
    let odd = "nul \0 in, \u{feff}bom, \u{202e}rtl, 漢字, 👩‍👩‍👧, \"quote\\ \n\r\t \u{1b}[0m end";
    let mut open = fresh(
        &store,
        NewCall { model: format!("m{odd}"), session: Some(odd.to_owned()), ..call() },
    )
    .await;
    let id = open.id();
    for character in odd.chars() {
        open.append(&character.to_string());
    }
    open.settle(Settled { error: Some(odd.to_owned()), ..whole(odd) }).await.expect("settled");
    let detail = store.call(id).await.expect("read").expect("there");
    assert_eq!(detail.texts.raw, odd);
    assert_eq!(detail.texts.result.as_deref(), Some(odd));
    // Names cannot hold NUL.
    let name = odd.replace('\0', "\u{fffd}");
    assert_eq!(detail.call.model, format!("m{name}"));
    assert_eq!(detail.call.session.as_deref(), Some(name.as_str()));
    assert_eq!(detail.call.error.as_deref(), Some(name.as_str()));
}

async fn an_owner_that_goes_away_leaves_an_abandoned_call(place: Place) {
    let store = place.open(options(HandClock::new())).await;
    let mut open = fresh(&store, call()).await;
    open.append("twenty bytes arrived");
    let id = open.id();
    drop(open);
    eventually(async || {
        store.call(id).await.expect("read").expect("there").call.state == CallState::Settled
    })
    .await;
    let detail = store.call(id).await.expect("read").expect("there");
    assert_eq!(detail.call.outcome, Some(CallOutcome::Abandoned));
    assert_eq!(detail.texts.raw, "twenty bytes arrived");
    // The whole prompt, and two bytes a token of the answer.
    let usage = detail.call.usage.expect("estimated");
    assert_eq!((usage.input_tokens, usage.output_tokens), (100, 10));
    assert_eq!(detail.call.micro_dollars, Some(100 + 100));
    assert!(detail.call.estimated);
    let day = store.day_spending().await.expect("read");
    assert_eq!(day.held, Spend::default());
    assert_eq!(day.spent, Spend { tokens: 110, micro_dollars: 200 });
}

async fn a_caller_that_gives_up_while_reserving_costs_nothing(place: Place) {
    let store = place.open(options(HandClock::new())).await;
    for _ in 0..20 {
        let reserving = store.reserve_unkeyed(call());
        // Polled once, so that it is asked for, and dropped before the answer can be taken.
        tokio::select! {
            biased;
            // On a busy machine the answer may be there at once; then it is not given up.
            answer = reserving => {
                let Ok(Reservation::Fresh(open)) = answer else { panic!("{answer:?}") };
                open.settle(Settled::failed(None, "not made")).await.expect("settled");
            }
            () = std::future::ready(()) => {}
        }
    }
    eventually(async || {
        let calls = store.calls(&CallFilter::default()).await.expect("list");
        calls.len() == 20 && calls.iter().all(|call| call.state == CallState::Settled)
    })
    .await;
    let day = store.day_spending().await.expect("read");
    assert_eq!((day.held, day.spent), (Spend::default(), Spend::default()));
}

async fn a_settled_call_stays_settled_when_its_waiter_goes_away(place: Place) {
    let store = place.open(options(HandClock::new())).await;
    let open = fresh(&store, call()).await;
    let id = open.id();
    tokio::select! {
        biased;
        _ = open.settle(whole("all of it")) => {}
        () = std::future::ready(()) => {}
    }
    eventually(async || {
        let call = store.call(id).await.expect("read").expect("there");
        call.call.outcome == Some(CallOutcome::Whole) && call.texts.result.is_some()
    })
    .await;
}

async fn a_person_decides_about_a_call_and_a_late_owner_is_told(place: Place) {
    let store = place.open(options(HandClock::new())).await;
    let decisions = [
        (Resolution::NeverMade, Spend::default()),
        (Resolution::CountWorst, Spend { tokens: 1100, micro_dollars: 10_100 }),
        (
            Resolution::Took(Spend { tokens: 7, micro_dollars: 8 }),
            Spend { tokens: 7, micro_dollars: 8 },
        ),
    ];
    let mut spent = Spend::default();
    for (decision, took) in decisions {
        let open = fresh(&store, call()).await;
        let id = open.id();
        store.resolve(id, decision.clone()).await.expect("resolved");
        spent = spent.plus(took);
        let day = store.day_spending().await.expect("read");
        assert_eq!((day.held, day.spent), (Spend::default(), spent));
        let late = open.settle(whole("late")).await.expect("written down");
        assert!(late.late && late.id == id, "{late:?}");
        let tries = store.call(id).await.expect("read").expect("there").tries;
        let [late] = tries.as_slice() else { panic!("{tries:?}") };
        assert_eq!((late.text.as_str(), late.counted), ("late", Spend::default()));
        assert_eq!(late.late.as_ref().expect("known").micro_dollars, 190);
        assert_eq!(store.day_spending().await.expect("read").spent, spent);
        let again = store.resolve(id, decision).await;
        assert!(matches!(again, Err(StoreError::AlreadySettled(_))), "{again:?}");
    }
    let none = store.resolve(CallId(999), Resolution::NeverMade).await;
    assert!(matches!(none, Err(StoreError::NoSuchCall(CallId(999)))), "{none:?}");
}

async fn calls_are_listed_newest_first_and_filtered(place: Place) {
    let clock = HandClock::new();
    let store = place.open(options(clock.clone())).await;
    for (model, session) in [("a", None), ("b", Some("s")), ("a", Some("s")), ("b", None)] {
        clock.advance(1000);
        let new =
            NewCall { model: model.to_owned(), session: session.map(str::to_owned), ..call() };
        fresh(&store, new).await.settle(whole("x")).await.expect("settled");
    }
    let ids = async |filter: CallFilter| -> Vec<i64> {
        store.calls(&filter).await.expect("list").iter().map(|call| call.id.0).collect()
    };
    let all = CallFilter::default;
    assert_eq!(ids(all()).await, [4, 3, 2, 1]);
    assert_eq!(ids(CallFilter { limit: 2, ..all() }).await, [4, 3]);
    assert_eq!(ids(CallFilter { before: Some(CallId(3)), ..all() }).await, [2, 1]);
    assert_eq!(ids(CallFilter { model: Some("a".to_owned()), ..all() }).await, [3, 1]);
    assert_eq!(ids(CallFilter { session: Some("s".to_owned()), ..all() }).await, [3, 2]);
    let since = Some(salve_types::Timestamp(START + 3000));
    assert_eq!(ids(CallFilter { since, ..all() }).await, [4, 3]);
    assert_eq!(ids(CallFilter { state: Some(CallState::Unknown), ..all() }).await, [0; 0]);
    assert_eq!(ids(CallFilter { state: Some(CallState::Settled), ..all() }).await.len(), 4);
}

async fn x20_limits_are_retention_settings(place: Place) {
    let clock = HandClock::new();
    let retention = Retention { call_days: 2, text_days: 1, raw_bytes: 10, ..Retention::default() };
    let options = salve_store::StoreOptions { retention, ..options(clock.clone()) };
    let store = place.open(options).await;
    let mut open = fresh(&store, call()).await;
    open.append("0123456é89abcdef");
    let id = open.id();
    open.settle(whole("text")).await.expect("settled");
    let kept_open = fresh(&store, call()).await;
    let detail = store.call(id).await.expect("read").expect("there");
    assert_eq!(detail.texts.raw, "0123456é8");
    assert_eq!(detail.call.raw_bytes, Some(17));

    assert_eq!(store.prune().await.expect("pruned"), salve_store::Pruned::default());
    clock.next_day();
    clock.next_day();
    let pruned = store.prune().await.expect("pruned");
    assert_eq!((pruned.calls, pruned.texts), (0, 2));
    clock.next_day();
    let pruned = store.prune().await.expect("pruned");
    assert_eq!((pruned.calls, pruned.texts), (1, 0));
    assert!(store.call(id).await.expect("read").is_none());
    // What is not settled is never forgotten.
    assert!(store.call(kept_open.id()).await.expect("read").is_some());
}

async fn a_closed_store_says_so(place: Place) {
    let store = place.open(options(HandClock::new())).await;
    let open = fresh(&store, call()).await;
    store.close().await;
    store.close().await;
    let refused = store.reserve_unkeyed(call()).await;
    assert!(matches!(refused, Err(StoreError::Closed)), "{refused:?}");
    let settled = open.settle(whole("late")).await;
    assert!(matches!(settled, Err(StoreError::Closed)), "{settled:?}");
}

crate::place::every_store!(
    a_call_is_made_once_and_remembered,
    c011_what_arrived_is_there_before_anything_is_made_of_it,
    c011_what_arrived_is_written_soon_without_being_asked_for,
    x05_three_slots_and_only_whole_text_is_a_result,
    odd_texts_come_back_as_they_were,
    an_owner_that_goes_away_leaves_an_abandoned_call,
    a_caller_that_gives_up_while_reserving_costs_nothing,
    a_settled_call_stays_settled_when_its_waiter_goes_away,
    a_person_decides_about_a_call_and_a_late_owner_is_told,
    calls_are_listed_newest_first_and_filtered,
    x20_limits_are_retention_settings,
    a_closed_store_says_so
);
