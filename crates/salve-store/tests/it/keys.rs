//! Gateway keys: shown once, found fast, revoked everywhere.

use crate::place::Place;
use crate::support::*;
use salve_store::{KEY_PREFIX, NewKey, SpendLimit, StoreError};

fn named(name: &str) -> NewKey {
    NewKey {
        name: name.to_owned(),
        per_day: SpendLimit { tokens: Some(10), micro_dollars: None },
        requests_per_minute: Some(60),
    }
}

async fn a_key_is_found_until_it_is_revoked(place: Place) {
    let store = place.open(options(HandClock::new())).await;
    let made = store.add_key(named("ci")).await.expect("a key");
    assert!(made.secret.starts_with(KEY_PREFIX));
    assert_eq!(made.secret.len(), KEY_PREFIX.len() + 64);
    assert!(made.secret.starts_with(&made.key.prefix) && made.key.prefix.len() == 12);
    assert!(!format!("{made:?}").contains(&made.secret), "the key is not in debug output");

    let found = store.find_key(&made.secret).expect("found");
    assert_eq!(*found, made.key);
    for wrong in ["", KEY_PREFIX, &made.secret[..made.secret.len() - 1], &made.key.prefix] {
        assert!(store.find_key(wrong).is_none(), "{wrong}");
    }
    let taken = store.add_key(named("ci")).await;
    assert!(matches!(&taken, Err(StoreError::KeyNameTaken(name)) if name == "ci"), "{taken:?}");
    let other = store.add_key(named("laptop")).await.expect("a key");
    assert_ne!(other.secret, made.secret);

    let revoked = store.revoke_key("ci").await.expect("revoked");
    assert!(revoked.revoked_at.is_some());
    assert!(store.find_key(&made.secret).is_none());
    assert!(store.find_key(&other.secret).is_some());
    let again = store.revoke_key("ci").await;
    assert!(matches!(&again, Err(StoreError::NoKeyNamed(name)) if name == "ci"), "{again:?}");
    // A key can be replaced under its name.
    let replaced = store.add_key(named("ci")).await.expect("a key");
    assert!(store.find_key(&made.secret).is_none() && store.find_key(&replaced.secret).is_some());
    let listed = store.list_keys().await.expect("listed");
    assert_eq!(listed, [revoked, other.key, replaced.key]);
}

async fn other_processes_learn_of_keys_within_a_moment(place: Place) {
    let clock = HandClock::new();
    let gateway = place.open(options(clock.clone())).await;
    let command = place.open(options(clock)).await;
    let made = command.add_key(named("ci")).await.expect("a key");
    // The first request with it finds it; without one it is known a moment later.
    assert!(gateway.look_up_key(&made.secret).await.is_some(), "made by another process");
    assert!(gateway.look_up_key("salve_no_such_key").await.is_none());
    eventually(async || gateway.find_key(&made.secret).is_some()).await;
    // A reservation knows at once, without waiting for that moment.
    command.revoke_key("ci").await.expect("revoked");
    let of_key = salve_store::NewCall { key_id: Some(made.key.id), ..call() };
    let refused = gateway.reserve_unkeyed(of_key).await;
    assert!(matches!(refused, Err(StoreError::NoSuchKey(_))), "{refused:?}");
    assert!(gateway.find_key(&made.secret).is_none());
}

crate::place::every_store!(
    a_key_is_found_until_it_is_revoked
    ; shared
    other_processes_learn_of_keys_within_a_moment
);
