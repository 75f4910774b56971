//! Budgets: the worst case is held before a call, the rest goes back after it, and no order of
//! events spends more than the limit.
#![expect(clippy::panic, reason = "a failure here is a failed test")]

use crate::place::Place;
use crate::support::*;
use proptest::prelude::*;
use salve_store::{
    BudgetScope, BudgetUnit, Budgets, CallOutcome, NewCall, NewKey, Reservation, Settled, Spend,
    SpendLimit, Store, StoreError, StoreOptions, WorstCase,
};
use salve_types::Usage;

fn tokens(limit: u64) -> SpendLimit {
    SpendLimit { tokens: Some(limit), micro_dollars: None }
}

async fn over(store: &Store, call: NewCall) -> salve_store::OverBudget {
    match store.reserve_unkeyed(call).await.expect("an answer") {
        Reservation::OverBudget(over) => over,
        other => panic!("not over budget: {other:?}"),
    }
}

fn took(tokens: u64) -> Settled {
    Settled {
        outcome: CallOutcome::Whole,
        usage: Some(Usage { output_tokens: tokens, ..Usage::default() }),
        micro_dollars: Some(tokens),
        ..Settled::default()
    }
}

async fn each_scope_has_its_own_limit(place: Place) {
    let clock = HandClock::new();
    let budgets = Budgets { day: tokens(5000), session: tokens(2500) };
    let options = StoreOptions { budgets, ..options(clock.clone()) };
    let store = place.open(options).await;
    let new = NewKey { name: "ci".to_owned(), per_day: tokens(1200), ..NewKey::default() };
    let key = store.add_key(new).await.expect("a key").key;

    let of_key = NewCall { key_id: Some(key.id), ..call() };
    let first = fresh(&store, of_key.clone()).await;
    let refused = over(&store, of_key.clone()).await;
    assert_eq!(
        (refused.scope, refused.unit, refused.limit, refused.left, refused.needed),
        (BudgetScope::Key(key.id), BudgetUnit::Tokens, 1200, 100, 1100)
    );
    first.settle(took(50)).await.expect("settled");
    let second = fresh(&store, of_key.clone()).await;

    let of_session = NewCall { session: Some("s".to_owned()), ..call() };
    let third = fresh(&store, of_session.clone()).await;
    let fourth = fresh(&store, of_session.clone()).await;
    assert_eq!(over(&store, of_session.clone()).await.scope, BudgetScope::Session("s".to_owned()));

    let fifth = fresh(&store, call()).await;
    let refused = over(&store, call()).await;
    assert_eq!((refused.scope.clone(), refused.left), (BudgetScope::Day, 5000 - 50 - 4 * 1100));
    assert_eq!(refused.to_string(), "budget of the day: 550 of 5000 tokens left, 1100 needed");

    // A day is over at midnight in UTC; a session is not.
    clock.next_day();
    let _sixth = fresh(&store, of_key).await;
    assert_eq!(over(&store, of_session.clone()).await.scope, BudgetScope::Session("s".to_owned()));
    // What was reserved yesterday is given back to yesterday.
    for open in [second, third, fourth, fifth] {
        open.settle(took(1)).await.expect("settled");
    }
    assert_eq!(store.day_spending().await.expect("read").held.tokens, 1100);
    assert_eq!(store.session_spending("s").await.expect("read").spent.tokens, 2);
    let _seventh = fresh(&store, of_session).await;
}

async fn money_is_counted_as_well(place: Place) {
    let clock = HandClock::new();
    let day = SpendLimit { tokens: None, micro_dollars: Some(15_000) };
    let options = StoreOptions { budgets: Budgets { day, ..Budgets::default() }, ..options(clock) };
    let store = place.open(options).await;
    let _first = fresh(&store, call()).await;
    let refused = over(&store, call()).await;
    assert_eq!((refused.unit, refused.left), (BudgetUnit::MicroDollars, 4900));
    assert_eq!(refused.to_string(), "budget of the day: $0.0049 of $0.0150 left, $0.0101 needed");
}

async fn a_revoked_key_reserves_nothing(place: Place) {
    let store = place.open(options(HandClock::new())).await;
    let new = NewKey { name: "ci".to_owned(), ..NewKey::default() };
    let key = store.add_key(new).await.expect("a key").key;
    let of_key = NewCall { key_id: Some(key.id), ..call() };
    let open = fresh(&store, of_key.clone()).await;
    store.revoke_key("ci").await.expect("revoked");
    let refused = store.reserve_unkeyed(of_key).await;
    assert!(matches!(refused, Err(StoreError::NoSuchKey(id)) if id == key.id), "{refused:?}");
    // What had begun is settled in peace.
    open.settle(took(3)).await.expect("settled");
    assert_eq!(store.key_spending(key.id).await.expect("read").spent.tokens, 3);
}

async fn many_at_once_never_pass_the_limit(place: Place) {
    let budgets = Budgets { day: tokens(11_000), ..Budgets::default() };
    let options = StoreOptions { budgets, ..options(HandClock::new()) };
    let store = place.open(options).await;
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..100 {
        let store = store.clone();
        tasks.spawn(async move { store.reserve_unkeyed(call()).await.expect("answer") });
    }
    let mut open = Vec::new();
    while let Some(reservation) = tasks.join_next().await {
        if let Reservation::Fresh(call) = reservation.expect("no panic") {
            open.push(call);
        }
    }
    assert_eq!(open.len(), 10);
    assert_eq!(store.day_spending().await.expect("read").held.tokens, 11_000);
}

#[derive(Debug, Clone)]
enum Step {
    Reserve { prompt: u64, answer: u64 },
    Settle { which: usize, tokens: u64 },
    Drop { which: usize },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        (0..200_u64, 0..900_u64).prop_map(|(prompt, answer)| Step::Reserve { prompt, answer }),
        (any::<usize>(), 0..1100_u64).prop_map(|(which, tokens)| Step::Settle { which, tokens }),
        any::<usize>().prop_map(|which| Step::Drop { which }),
    ];
    prop::collection::vec(step, 1..40)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Whatever happens in whatever order: what is held and spent never passes the limit as long as
    /// no call takes more than it said, and nothing is held once nothing is open.
    #[test]
    fn no_order_of_events_overruns(steps in steps()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            const LIMIT: u64 = 3000;
            let budgets = Budgets { day: tokens(LIMIT), ..Budgets::default() };
            let options = StoreOptions { budgets, ..options(HandClock::new()) };
            let store = Store::memory(options).await.unwrap();
            let mut open = Vec::new();
            for step in steps {
                match step {
                    Step::Reserve { prompt, answer } => {
                        let spend = |tokens| Spend { tokens, micro_dollars: tokens };
                        let worst = WorstCase { prompt: spend(prompt), answer: spend(answer) };
                        let new = NewCall { worst, ..call() };
                        if let Reservation::Fresh(call) =
                            store.reserve_unkeyed(new).await.unwrap()
                        {
                            open.push((call, prompt + answer));
                        }
                    }
                    Step::Settle { which, tokens } if !open.is_empty() => {
                        let (call, most) = open.swap_remove(which % open.len());
                        call.settle(took(tokens.min(most))).await.unwrap();
                    }
                    Step::Drop { which } if !open.is_empty() => {
                        drop(open.swap_remove(which % open.len()));
                    }
                    Step::Settle { .. } | Step::Drop { .. } => {}
                }
                let day = store.day_spending().await.unwrap();
                assert!(day.held.tokens + day.spent.tokens <= LIMIT, "{day:?}");
            }
            drop(open);
            // Whatever was dropped is settled before this one, which waits.
            store.prune().await.unwrap();
            assert_eq!(store.day_spending().await.unwrap().held, Spend::default());
            assert_eq!(store.check_integrity().await.unwrap(), Vec::<String>::new());
        });
    }
}

crate::place::every_store!(
    each_scope_has_its_own_limit,
    money_is_counted_as_well,
    a_revoked_key_reserves_nothing,
    many_at_once_never_pass_the_limit
);
