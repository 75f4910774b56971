//! Statistics: counted by kind, model and language, with heal rates and false alarms.

use crate::place::Place;
use crate::support::*;
use salve_store::{AnswerOutcome, AnswerStat, CallOutcome, Counts, Settled, StoreError};
use salve_types::Timestamp;

fn judged(kind: &str, model: &str, outcome: AnswerOutcome) -> AnswerStat {
    AnswerStat {
        kind: (!kind.is_empty()).then(|| kind.to_owned()),
        model: model.to_owned(),
        language: "json".to_owned(),
        outcome,
    }
}

async fn t38_counts_by_kind_model_and_language_with_heal_rate(place: Place) {
    use AnswerOutcome::{Healed, Incomplete, Whole};
    let store = place.open(options(HandClock::new())).await;
    for _ in 0..5 {
        store.count_answer(judged("", "a", Whole));
    }
    for _ in 0..3 {
        store.count_answer(judged("OPEN_JSON", "a", Healed));
    }
    store.count_answer(judged("OPEN_JSON", "b", Incomplete));
    store.count_answer(judged("OPEN_FENCE", "b", Healed));
    // A rare request comes after what was asked before it.
    store.prune().await.expect("pruned");
    let statistics = store.stats(None).await.expect("read");
    assert_eq!(statistics.total, Counts { whole: 5, healed: 4, incomplete: 1, false_alarms: 0 });
    assert_eq!(statistics.total.heal_rate(), Some(0.8));
    let names = |lines: &[salve_store::CountedName]| -> Vec<(String, u64)> {
        lines.iter().map(|line| (line.name.clone(), line.counts.judged())).collect()
    };
    let expected = [("OPEN_JSON".to_owned(), 4), ("OPEN_FENCE".to_owned(), 1)];
    assert_eq!(names(&statistics.by_kind), expected);
    assert_eq!(names(&statistics.by_model), [("a".to_owned(), 8), ("b".to_owned(), 2)]);
    assert_eq!(names(&statistics.by_language), [("json".to_owned(), 10)]);
    assert_eq!(Counts { whole: 2, ..Counts::default() }.heal_rate(), None);
}

async fn t38_a_call_is_counted_with_its_settlement_and_marked_once(place: Place) {
    let clock = HandClock::new();
    let store = place.open(options(clock.clone())).await;
    let open = fresh(&store, call()).await;
    let id = open.id();
    let stat = Some(judged("OPEN_BLOCK", "model-a", AnswerOutcome::Incomplete));
    let settled = Settled { outcome: CallOutcome::Incomplete, stat, ..Settled::default() };
    open.settle(settled).await.expect("settled");
    let whole = fresh(&store, call()).await;
    let whole_id = whole.id();
    let stat = Some(judged("", "model-a", AnswerOutcome::Whole));
    let settled = Settled { outcome: CallOutcome::Whole, stat, ..Settled::default() };
    whole.settle(settled).await.expect("settled");

    for _ in 0..2 {
        store.mark_false_positive(id).await.expect("marked");
    }
    let expected = Counts { whole: 1, healed: 0, incomplete: 1, false_alarms: 1 };
    assert_eq!(store.stats(None).await.expect("read").total, expected);
    assert!(store.call(id).await.expect("read").expect("there").call.false_alarm);
    let refused = store.mark_false_positive(whole_id).await;
    assert!(matches!(refused, Err(StoreError::NotCut(id)) if id == whole_id), "{refused:?}");

    // Another day is counted apart.
    clock.next_day();
    store.count_answer(judged("", "model-a", AnswerOutcome::Whole));
    store.prune().await.expect("pruned");
    let tomorrow = Timestamp(START + 86_400_000);
    let since = store.stats(Some(tomorrow)).await.expect("read").total;
    assert_eq!(since, Counts { whole: 1, ..Counts::default() });
}

crate::place::every_store!(
    t38_counts_by_kind_model_and_language_with_heal_rate,
    t38_a_call_is_counted_with_its_settlement_and_marked_once
);
