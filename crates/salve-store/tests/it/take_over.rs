//! Calls that change hands: in doubt, taken over, settled late, decided about.
#![expect(clippy::panic, reason = "a failure here is a failed test")]

use crate::place::Place;
use crate::support::*;
use proptest::prelude::*;
use salve_store::{
    Budgets, CallKey, CallOutcome, DoubtFilter, NewCall, OpenCall, Reservation, Resolution,
    Settled, Spend, SpendLimit, Store, StoreOptions,
};
use salve_types::Usage;
use serde_json::json;
use std::sync::Arc;

fn whole(text: &str, tokens: u64) -> Settled {
    Settled {
        outcome: CallOutcome::Whole,
        usage: Some(Usage { output_tokens: tokens, ..Usage::default() }),
        micro_dollars: Some(tokens),
        text: Some(text.to_owned()),
        note: Some(json!({ "finish": "stop" })),
        ..Settled::default()
    }
}

/// Two processes on the same tables.
async fn two(place: &Place, clock: &Arc<HandClock>) -> (Store, Store) {
    let first = place.open(options(clock.clone())).await;
    let second = place.open(options(clock.clone())).await;
    (first, second)
}

async fn take(store: &Store, key: &CallKey) -> OpenCall {
    match store.take_over(key, call()).await.expect("an answer") {
        Reservation::Fresh(open) => open,
        other => panic!("not taken over: {other:?}"),
    }
}

async fn a_call_of_the_dead_is_taken_over_and_its_owner_settles_late(place: Place) {
    let clock = HandClock::new();
    let (zombie, peer) = two(&place, &clock).await;
    let key = CallKey::new("job:1:1:aa");
    let mut old = fresh_with(&zombie, &key, call()).await;
    assert_eq!((old.epoch(), old.partial()), (1, ""));
    old.append("half an ");
    old.save().await.expect("saved");

    // As long as it is seen, it keeps its call.
    let seen = peer.take_over(&key, call()).await.expect("an answer");
    assert!(matches!(seen, Reservation::InDoubt { alive: true, .. }), "{seen:?}");
    assert_eq!(peer.in_doubt(&DoubtFilter::default()).await.expect("listed"), []);
    clock.advance(21_000);
    let doubt = peer.reserve(&key, call()).await.expect("an answer");
    assert!(
        matches!(&doubt, Reservation::InDoubt { alive: false, partial, .. } if partial == "half an "),
        "{doubt:?}"
    );
    let listed =
        peer.in_doubt(&DoubtFilter { key_prefix: Some("job:".to_owned()), limit: 9 }).await;
    let [listed] = &listed.expect("listed")[..] else { panic!("one is in doubt") };
    assert_eq!((listed.key.as_str(), listed.epoch, listed.since.0), ("job:1:1:aa", 1, START));
    assert_eq!((listed.partial_bytes, listed.worst.tokens), (8, 1100));
    let others = DoubtFilter { key_prefix: Some("other".to_owned()), limit: 9 };
    assert_eq!(peer.in_doubt(&others).await.expect("listed"), []);

    let mut new = take(&peer, &key).await;
    assert_eq!((new.epoch(), new.partial(), new.id()), (2, "half an ", old.id()));
    // The first try counts as spent at its worst, the second is held at its own.
    let day = peer.day_spending().await.expect("read");
    assert_eq!((day.held.tokens, day.spent.tokens), (1100, 1100));
    assert_eq!(peer.in_doubt(&DoubtFilter::default()).await.expect("listed"), []);

    // The zombie wakes up: what it adds and how it ends is not the call's any more.
    old.append("answer of the zombie");
    old.save().await.expect("saved");
    new.append("an answer");
    let receipt = old.settle(whole("zombie", 30)).await.expect("written down");
    assert!(receipt.late, "{receipt:?}");
    let day = peer.day_spending().await.expect("read");
    assert_eq!((day.held.tokens, day.spent.tokens), (1100, 30));
    let receipt = new.settle(whole("an answer", 50)).await.expect("settled");
    assert!(!receipt.late, "{receipt:?}");

    let done = zombie.reserve(&key, call()).await.expect("an answer");
    let Reservation::Done(done) = done else { panic!("{done:?}") };
    assert_eq!(
        (done.texts.raw.as_str(), done.texts.result.as_deref()),
        ("an answer", Some("an answer"))
    );
    assert_eq!((done.call.epoch, done.call.note), (2, Some(json!({ "finish": "stop" }))));
    let [late] = done.tries.as_slice() else { panic!("{:?}", done.tries) };
    assert_eq!((late.epoch, late.text.as_str(), late.counted.tokens), (1, "zombie", 30));
    let end = late.late.as_ref().expect("late");
    assert_eq!((end.outcome, end.usage.output_tokens), (Some(CallOutcome::Whole), 30));
    let day = peer.day_spending().await.expect("read");
    assert_eq!((day.held, day.spent.tokens), (Spend::default(), 80));
    assert_eq!(peer.check_integrity().await.expect("checked"), [""; 0]);
}

async fn a_silence_can_be_short(place: Place) {
    let clock = HandClock::new();
    let silence = std::time::Duration::from_secs(2);
    let short = StoreOptions { silence, ..options(clock.clone()) };
    let first = place.open(short.clone()).await;
    let second = place.open(short).await;
    let key = CallKey::new("k");
    let _old = fresh_with(&first, &key, call()).await;
    clock.advance(2100);
    // It still lives, and says so by itself.
    eventually(async || {
        let doubt = second.reserve(&key, call()).await.expect("an answer");
        matches!(doubt, Reservation::InDoubt { alive: true, .. })
    })
    .await;
    std::mem::forget(first);
}

async fn a_taken_over_call_must_fit_the_budget(place: Place) {
    let clock = HandClock::new();
    let day = SpendLimit { tokens: Some(2000), micro_dollars: None };
    let budgets = Budgets { day, ..Budgets::default() };
    let tight = StoreOptions { budgets, ..options(clock.clone()) };
    let first = place.open(tight.clone()).await;
    let second = place.open(tight).await;
    let key = CallKey::new("k");
    let _old = fresh_with(&first, &key, call()).await;
    clock.advance(21_000);
    let over = second.take_over(&key, call()).await.expect("an answer");
    assert!(matches!(&over, Reservation::OverBudget(over) if over.left == 900), "{over:?}");
    // Nothing was changed by asking.
    let day = second.day_spending().await.expect("read");
    assert_eq!((day.held.tokens, day.spent.tokens), (1100, 0));
    clock.next_day();
    assert_eq!(take(&second, &key).await.epoch(), 2);
    assert_eq!(second.check_integrity().await.expect("checked"), [""; 0]);
}

async fn what_is_decided_about_a_call_in_doubt_is_done(place: Place) {
    let clock = HandClock::new();
    let (dead, store) = two(&place, &clock).await;
    let keys = ["retry", "result", "fail"].map(CallKey::new);
    let mut lost = Vec::new();
    for key in &keys {
        lost.push(fresh_with(&dead, key, call()).await);
    }
    let resolve =
        async |key: &CallKey, decision| store.resolve_key(key, decision).await.expect("answer");
    assert!(!resolve(&keys[0], Resolution::Retry).await, "its owner is alive");
    assert!(!resolve(&CallKey::new("none"), Resolution::Retry).await);
    clock.advance(21_000);
    assert!(resolve(&keys[0], Resolution::Retry).await);
    assert!(resolve(&keys[0], Resolution::Retry).await, "twice is once");
    assert!(resolve(&keys[1], Resolution::UseResult(format!("from a person {SECRET}"))).await);
    assert!(!resolve(&keys[1], Resolution::Retry).await, "it is settled");
    assert!(resolve(&keys[2], Resolution::Fail("too dear".to_owned())).await);
    assert_eq!(store.in_doubt(&DoubtFilter::default()).await.expect("listed"), []);

    let again = store.reserve(&keys[0], call()).await.expect("an answer");
    let Reservation::Fresh(again) = again else { panic!("{again:?}") };
    assert_eq!(again.epoch(), 2);
    // Said again, it is not taken from its new owner.
    assert!(resolve(&keys[0], Resolution::Retry).await, "it was decided so before");
    let kept = dead.reserve(&keys[0], call()).await.expect("an answer");
    assert!(matches!(kept, Reservation::InDoubt { alive: true, .. }), "{kept:?}");
    let done = store.reserve(&keys[1], call()).await.expect("an answer");
    let Reservation::Done(done) = done else { panic!("{done:?}") };
    let result = format!("from a person {REMOVED}");
    assert_eq!(done.texts.result.as_deref(), Some(result.as_str()));
    let refused = store.reserve(&keys[2], call()).await.expect("an answer");
    assert!(matches!(&refused, Reservation::Refused(why) if why == "too dear"), "{refused:?}");
    let refused = store.take_over(&keys[2], call()).await.expect("an answer");
    assert!(matches!(refused, Reservation::Refused(_)), "{refused:?}");

    let day = store.day_spending().await.expect("read");
    assert_eq!((day.held.tokens, day.spent.tokens), (1100, 3300));
    assert_eq!(store.check_integrity().await.expect("checked"), [""; 0]);
    // What each took is known once its owner comes back.
    for (open, tokens) in lost.into_iter().zip([1, 20, 300]) {
        assert!(open.settle(whole("late", tokens)).await.expect("written down").late);
    }
    again.settle(whole("new", 4000)).await.expect("settled");
    let day = store.day_spending().await.expect("read");
    assert_eq!((day.held, day.spent.tokens), (Spend::default(), 4321));
    let done = store.reserve(&keys[1], call()).await.expect("an answer");
    assert!(
        matches!(&done, Reservation::Done(done) if done.texts.result == Some(result)),
        "{done:?}"
    );
    assert_eq!(store.check_integrity().await.expect("checked"), [""; 0]);
}

async fn an_owner_that_was_restarted_settles_by_key(place: Place) {
    let clock = HandClock::new();
    let (before, after) = two(&place, &clock).await;
    let (kept, taken) = (CallKey::new("kept"), CallKey::new("taken"));
    for key in [&kept, &taken] {
        std::mem::forget(fresh_with(&before, key, call()).await);
    }
    std::mem::forget(before);
    let settle = async |key: &CallKey, epoch, text: &str| {
        after.settle_key(key, epoch, whole(text, 7)).await.expect("an answer")
    };
    assert_eq!(settle(&CallKey::new("none"), 1, "x").await, None);
    assert_eq!(settle(&kept, 2, "x").await, None);
    assert!(!settle(&kept, 1, "spooled").await.expect("settled").late);
    assert!(!settle(&kept, 1, "spooled").await.expect("a second time").late);
    let done = after.reserve(&kept, call()).await.expect("an answer");
    assert!(
        matches!(&done, Reservation::Done(done) if done.texts.result.as_deref() == Some("spooled") && done.tries.is_empty()),
        "{done:?}"
    );

    clock.advance(21_000);
    let new = take(&after, &taken).await;
    assert!(settle(&taken, 1, "spooled").await.expect("written down").late);
    assert!(settle(&taken, 1, "spooled").await.expect("a second time").late);
    new.settle(whole("new", 10)).await.expect("settled");
    let done = after.reserve(&taken, call()).await.expect("an answer");
    assert!(
        matches!(&done, Reservation::Done(done) if done.texts.result.as_deref() == Some("new") && done.tries.len() == 1),
        "{done:?}"
    );
    let day = after.day_spending().await.expect("read");
    assert_eq!((day.held, day.spent.tokens), (Spend::default(), 7 + 7 + 10));
    assert_eq!(after.check_integrity().await.expect("checked"), [""; 0]);
}

#[derive(Debug, Clone)]
enum Step {
    Reserve { key: usize, session: bool },
    TakeOver { key: usize },
    Settle { which: usize, tokens: u64 },
    Drop { which: usize },
    Decide { key: usize, decision: Resolution },
    Silence,
    NextDay,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let decision = prop_oneof![
        Just(Resolution::Retry),
        Just(Resolution::UseResult("text".to_owned())),
        Just(Resolution::Fail("no".to_owned())),
    ];
    let step = prop_oneof![
        3 => (0..4_usize, any::<bool>()).prop_map(|(key, session)| Step::Reserve { key, session }),
        4 => (0..4_usize).prop_map(|key| Step::TakeOver { key }),
        3 => (any::<usize>(), 0..1100_u64).prop_map(|(which, tokens)| Step::Settle { which, tokens }),
        1 => any::<usize>().prop_map(|which| Step::Drop { which }),
        2 => (0..4_usize, decision).prop_map(|(key, decision)| Step::Decide { key, decision }),
        3 => Just(Step::Silence),
        1 => Just(Step::NextDay),
    ];
    prop::collection::vec(step, 1..30)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    /// Whatever changes hands in whatever order: the books add up after every step, and once all owners
    /// have said how they ended, exactly what they took is spent and nothing is held.
    #[test]
    fn no_order_of_hands_loses_or_invents_money(steps in steps()) {
        runtime().block_on(change_hands(steps, Place::file()));
    }
}

#[cfg(feature = "fleet")]
proptest! {
    #![proptest_config(ProptestConfig { cases: 6, ..ProptestConfig::default() })]

    #[test]
    fn no_order_of_hands_loses_or_invents_money_on_postgres(steps in steps()) {
        runtime().block_on(async {
            if let Some(place) = crate::place::place().await {
                change_hands(steps, place).await;
            }
        });
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("an answer")
}

async fn change_hands(steps: Vec<Step>, place: Place) {
    let clock = HandClock::new();
    let (first, second) = two(&place, &clock).await;
    let keys = ["a", "b", "c", "d"].map(CallKey::new);
    let mut open: Vec<OpenCall> = Vec::new();
    let mut took = 0;
    for (at, step) in steps.into_iter().enumerate() {
        let store = if at % 2 == 0 { &first } else { &second };
        match step {
            Step::Reserve { key, session } => {
                let session = session.then(|| "s".to_owned());
                let reserved = store.reserve(&keys[key], NewCall { session, ..call() }).await;
                if let Reservation::Fresh(call) = reserved.expect("an answer") {
                    open.push(call);
                }
            }
            Step::TakeOver { key } => {
                let taken = store.take_over(&keys[key], call()).await.expect("an answer");
                if let Reservation::Fresh(call) = taken {
                    open.push(call);
                }
            }
            Step::Settle { which, tokens } if !open.is_empty() => {
                let call = open.swap_remove(which % open.len());
                call.settle(whole("x", tokens)).await.expect("an answer");
                took += tokens;
            }
            Step::Drop { which } if !open.is_empty() => {
                // Nothing arrived, so it counts as its whole prompt.
                drop(open.swap_remove(which % open.len()));
                took += 100;
            }
            Step::Decide { key, decision } => {
                store.resolve_key(&keys[key], decision).await.expect("an answer");
            }
            Step::Silence => clock.advance(30_000),
            Step::NextDay => clock.next_day(),
            Step::Settle { .. } | Step::Drop { .. } => {}
        }
        // Rare requests come after what was asked before them.
        first.prune().await.expect("an answer");
        second.prune().await.expect("an answer");
        assert_eq!(first.check_integrity().await.expect("an answer"), Vec::<String>::new());
    }
    for call in open {
        call.settle(whole("x", 1)).await.expect("an answer");
        took += 1;
    }
    let mut spent = 0;
    for call in first.calls(&Default::default()).await.expect("an answer") {
        let call = first.call(call.id).await.expect("an answer").expect("an answer");
        spent += call.call.usage.expect("an answer").total();
        spent += call.tries.iter().map(|lost| lost.counted.tokens).sum::<u64>();
    }
    assert_eq!(spent, took);
    assert_eq!(first.check_integrity().await.expect("an answer"), Vec::<String>::new());
}

crate::place::every_store!(
    ; shared
    a_call_of_the_dead_is_taken_over_and_its_owner_settles_late,
    a_silence_can_be_short,
    a_taken_over_call_must_fit_the_budget,
    what_is_decided_about_a_call_in_doubt_is_done,
    an_owner_that_was_restarted_settles_by_key
);
