//! What holds for decisions: the newest of a key holds, or the one a person pinned; nothing is lost.

use super::*;
use crate::tables::Conforming;
use crate::tables::decisions::change::{DecisionChange, NewChoice};
use crate::testing::{options, redacted};

pub(super) const ROWS: &str =
    "INSERT INTO decisions VALUES (1, 'k', 'k', 'j', 'w', '', NULL, 'repair', 'c', '[\"a\"]', NULL,
                                   'm', 750000, NULL, NULL, NULL, NULL, 1000);";

fn decision(key: &str, job: &str, choice: &str) -> NewDecision {
    NewDecision {
        key: key.to_owned(),
        job: job.to_owned(),
        workspace: "w".to_owned(),
        choice: choice.to_owned(),
        model_id: "deterministic".to_owned(),
        confidence: None,
        ..NewDecision::default()
    }
}

pub(super) fn conforms<'a>(store: &'a Store, text: &'a str) -> Conforming<'a> {
    Box::pin(async move {
        let own = || text.to_owned();
        for decision_type in DecisionType::ALL {
            let new = NewDecision {
                key: own(),
                job: own(),
                workspace: own(),
                module: own(),
                target: Some(own()),
                scope: DecisionScope::Runtime,
                decision_type,
                choice: own(),
                alternatives: vec![own(), own()],
                reasoning: Some(own()),
                model_id: own(),
                confidence: Some(0.25),
                pin: Some(DecisionPin { reason: own(), by: own(), at: Timestamp(5) }),
            };
            store.add_decision(new).await.expect("kept");
        }
        let filter = DecisionFilter { workspace: Some(own()), ..DecisionFilter::default() };
        let kept = store.decisions(&filter, 9).await.expect("listed");
        let first = kept.last().expect("one");
        let own = own();
        let text = redacted(text);
        assert_eq!(kept.len(), DecisionType::ALL.len());
        assert_eq!(first.alternatives, [text.clone(), text.clone()]);
        assert_eq!(first.confidence, Some(0.25));
        assert_eq!(first.superseded_by, Some(format!("{text}-2")));
        assert_eq!((first.pinned, first.pinned_by.as_ref()), (true, Some(&text)));
        assert_eq!(first.scope, DecisionScope::Runtime);
        let newest = &kept[0].id;
        store.unpin_decision(newest, &own, &own).await.expect("unpinned");
        store.pin_decision(newest, &own, &own).await.expect("pinned");
        let new = NewChoice { choice: own.clone(), by: own.clone(), reason: own.clone() };
        store.supersede_decision(newest, new).await.expect("replaced");
        let changes = store.decision_changes(Some(newest), 9).await.expect("listed");
        assert_eq!((changes.len(), &changes[0].by, &changes[0].reason), (3, &text, &text));
    })
}

#[tokio::test]
async fn r43_a_second_decision_takes_the_place_of_the_first() {
    let store = Store::memory(options()).await.expect("opened");
    let add = async |new| store.add_decision(new).await.expect("kept");
    assert_eq!(add(decision("k", "1", "a")).await, "k");
    assert_eq!(add(decision("k", "1", "a")).await, "k", "the same again");
    assert_eq!(add(decision("k", "2", "a")).await, "k-2");
    assert_eq!(add(decision("k", "2", "b")).await, "k-3");
    assert_eq!(add(decision("l", "2", "b")).await, "l");
    let by = async |id| store.decision(id).await.expect("read").expect("kept").superseded_by;
    assert_eq!(by("k").await.as_deref(), Some("k-2"));
    assert_eq!(by("k-2").await.as_deref(), Some("k-3"));
    assert_eq!(by("k-3").await, None);
    let ids: Vec<String> = store
        .decisions(&DecisionFilter::default(), 9)
        .await
        .expect("listed")
        .into_iter()
        .map(|one| one.id)
        .collect();
    assert_eq!(ids, ["l", "k-3", "k-2", "k"]);
    assert_eq!(store.decision("m").await.expect("read"), None);
}

#[tokio::test]
async fn r45_a_pin_holds_until_a_person_replaces_it() {
    let store = Store::memory(options()).await.expect("opened");
    let add = async |new| store.add_decision(new).await.expect("kept");
    let read = async |id| store.decision(id).await.expect("read").expect("kept");
    add(decision("k", "1", "a")).await;
    let pinned = store.pin_decision("k", "ann", "reviewed").await.expect("pinned");
    assert!(pinned.pinned);
    assert_eq!(pinned.pin_reason.as_deref(), Some("reviewed"));
    assert_eq!(pinned.pinned_by.as_deref(), Some("ann"));
    assert_eq!(pinned.pinned_at, Some(Timestamp(5 * 86_400_000)));
    // Another heal decides otherwise: kept, but it does not hold.
    assert_eq!(add(decision("k", "2", "b")).await, "k-2");
    assert_eq!(add(decision("k", "2", "b")).await, "k-2", "the same again");
    assert_eq!(read("k-2").await.superseded_by.as_deref(), Some("k"));
    assert_eq!(read("k").await.superseded_by, None);
    // A person does replace it.
    let new = NewChoice { choice: "c".into(), by: "bob".into(), reason: "better".into() };
    assert_eq!(store.supersede_decision("k", new.clone()).await.expect("replaced"), "k-3");
    let now = read("k-3").await;
    assert_eq!((now.choice.as_str(), now.alternatives), ("c", vec!["a".to_owned()]));
    assert_eq!(read("k").await.superseded_by.as_deref(), Some("k-3"));
    // What was replaced can be changed no more.
    let refused = store.pin_decision("k", "ann", "again").await.expect_err("replaced");
    assert_eq!(refused.to_string(), "decision k was replaced by k-3; name that one");
    let refused = store.supersede_decision("m", new).await.expect_err("none");
    assert!(refused.to_string().starts_with("there is no decision m;"), "{refused}");
    let done = store.decision_changes(Some("k"), 9).await.expect("listed");
    let done: Vec<_> = done.iter().map(|one| (one.change, one.by.as_str())).collect();
    assert_eq!(done, [(DecisionChange::Supersede, "bob"), (DecisionChange::Pin, "ann")]);
}

#[tokio::test]
async fn r45_an_unpinned_decision_is_replaced_as_before() {
    let store = Store::memory(options()).await.expect("opened");
    store.add_decision(decision("k", "1", "a")).await.expect("kept");
    store.pin_decision("k", "ann", "why").await.expect("pinned");
    let unpinned = store.unpin_decision("k", "bob", "not any more").await.expect("unpinned");
    assert_eq!((unpinned.pinned, unpinned.pinned_by, unpinned.pin_reason), (false, None, None));
    assert_eq!(store.add_decision(decision("k", "2", "b")).await.expect("kept"), "k-2");
    let first = store.decision("k").await.expect("read").expect("kept");
    assert_eq!(first.superseded_by.as_deref(), Some("k-2"));
}

#[tokio::test]
async fn r43_a_key_that_is_spelt_like_a_numbered_one_has_an_id_of_its_own() {
    let store = Store::memory(options()).await.expect("opened");
    let add = async |key: &str, job: &str| {
        store.add_decision(decision(key, job, "a")).await.expect("kept")
    };
    assert_eq!(add("k-2", "1").await, "k-2");
    assert_eq!(add("k", "1").await, "k");
    assert_eq!(add("k", "2").await, "k-3");
    assert_eq!(add("k", "3").await, "k-4");
}

#[tokio::test]
async fn r57_decisions_are_found_by_scope_type_pin_and_workspace() {
    let store = Store::memory(options()).await.expect("opened");
    for (key, scope, decision_type) in [
        ("a", DecisionScope::Build, DecisionType::Repair),
        ("b", DecisionScope::Runtime, DecisionType::BreakerTrip),
        ("c", DecisionScope::Build, DecisionType::RuleApplied),
    ] {
        let new = NewDecision { scope, decision_type, ..decision(key, "1", "x") };
        store.add_decision(new).await.expect("kept");
    }
    store.pin_decision("c", "ann", "why").await.expect("pinned");
    store.add_decision(decision("a", "2", "y")).await.expect("kept");
    let ids = async |filter: DecisionFilter| {
        let listed = store.decisions(&filter, 9).await.expect("listed");
        listed.into_iter().map(|one| one.id).collect::<Vec<_>>().join(" ")
    };
    let all = DecisionFilter::default;
    assert_eq!(ids(all()).await, "a-2 c b a");
    assert_eq!(ids(DecisionFilter { held: true, ..all() }).await, "a-2 c b");
    assert_eq!(ids(DecisionFilter { pinned: Some(true), ..all() }).await, "c");
    assert_eq!(ids(DecisionFilter { pinned: Some(false), ..all() }).await, "a-2 b a");
    for (scope, found) in [(DecisionScope::Build, "a-2 c a"), (DecisionScope::Runtime, "b")] {
        assert_eq!(ids(DecisionFilter { scope: Some(scope), ..all() }).await, found);
    }
    let tripped = Some(DecisionType::BreakerTrip);
    assert_eq!(ids(DecisionFilter { decision_type: tripped, ..all() }).await, "b");
    let elsewhere = Some("v".to_owned());
    assert_eq!(ids(DecisionFilter { workspace: elsewhere, ..all() }).await, "");
}
