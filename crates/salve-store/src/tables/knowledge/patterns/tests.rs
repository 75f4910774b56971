//! What is known of errors: counted once, found in order, redacted, demoted when it fails.

use super::*;
use crate::Store;
use crate::tables::Conforming;
use crate::testing::{options, redacted};
use salve_types::Timestamp;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

pub(super) const ROWS: &str =
    "INSERT INTO knowledge_patterns (exact, workspace, scope, shape, class, error_type, error, hits,
                                     first_seen, last_seen)
     VALUES ('e', 'w', 'private', 's', 'c', 'type', 'm', 1, 1000, 1000);
     INSERT INTO knowledge_fixes (exact, workspace, fix, scope, shape, class, kind, description, body,
                                  source, made_by, origin, successes, failures, demoted, disabled,
                                  works, first_seen, last_seen)
     VALUES ('e', 'w', 'f', 'private', 's', 'c', 'patch', 'd', '{}', 'model', 'm', 'h', 1, 0, 0, 0, 1,
             1000, 1000);
     INSERT INTO knowledge_outcomes (heal, subject, at) VALUES ('h', 'x', 1000);";

fn outcome(heal: &str, workspace: &str, key: [&str; 3], fix: &str, success: bool) -> NewFixOutcome {
    let [exact, shape, class] = key.map(str::to_owned);
    NewFixOutcome {
        heal: heal.to_owned(),
        workspace: workspace.to_owned(),
        scope: KnowledgeScope::Private,
        key: PatternKey { exact, shape, class },
        error_type: "type".to_owned(),
        error: "what was said".to_owned(),
        fix: KeptFix {
            fix: fix.to_owned(),
            kind: FixKind::Patch,
            description: format!("does {fix}"),
            body: format!("{{\"fix\":\"{fix}\"}}"),
            source: "model".to_owned(),
            made_by: "m".to_owned(),
        },
        success,
    }
}

fn key(exact: &str, shape: &str, class: &str) -> PatternKey {
    PatternKey { exact: exact.to_owned(), shape: shape.to_owned(), class: class.to_owned() }
}

pub(super) fn conforms<'a>(store: &'a Store, text: &'a str) -> Conforming<'a> {
    Box::pin(async move {
        let own = || text.to_owned();
        let kept = redacted(text);
        let fix = KeptFix {
            fix: own(),
            kind: FixKind::Command,
            description: own(),
            body: serde_json::json!({ text: [text] }).to_string(),
            source: own(),
            made_by: own(),
        };
        let mut told = outcome(text, text, [text; 3], text, true);
        (told.error_type, told.error, told.fix) = (own(), own(), fix.clone());
        assert!(store.record_fix_outcome(told.clone()).await.expect("kept"));
        assert!(!store.record_fix_outcome(told.clone()).await.expect("kept"), "told before");
        told.fix.body = "no document ".to_owned() + text;
        (told.fix.fix, told.success) = (format!("{text}2"), false);
        assert!(store.record_fix_outcome(told).await.expect("kept"));

        let known = store.known_fixes(&key(text, text, text), text, 9).await.expect("found");
        let [one] = &known.successful[..] else { panic!("{known:?}") };
        assert_eq!((one.found_by, one.from.as_ref()), (FixRung::Exact, None));
        assert_eq!(one.body, serde_json::json!({ &kept: [kept] }).to_string());
        assert_eq!((&one.error, &one.error_type, &one.made_by), (&kept, &kept, &kept));
        let [one] = &known.failed[..] else { panic!("{known:?}") };
        assert_eq!(one.body, format!("no document {kept}"));

        let imported = ImportedPattern {
            key: key(&format!("{text} imported"), text, text),
            error_type: own(),
            error: own(),
            workspace: own(),
            scope: KnowledgeScope::Shared,
            first_seen: Timestamp(5),
            last_seen: Timestamp(9),
            fixes: vec![
                ImportedFix { fix: KeptFix { fix: "a".into(), ..fix.clone() }, success: false },
                ImportedFix { fix: KeptFix { fix: "b".into(), ..fix }, success: true },
            ],
        };
        assert_eq!(store.import_pattern(imported.clone()).await.expect("kept"), 2);
        assert_eq!(store.import_pattern(imported).await.expect("kept"), 0, "the same again");
        let filter = PatternFilter {
            workspace: Some(own()),
            signature: Some(format!("{text} imported")),
            error_type: Some(own()),
        };
        let listed = store.patterns(&filter, 9).await.expect("listed");
        let [one] = &listed[..] else { panic!("{listed:?}") };
        assert_eq!((one.first_seen.0, one.last_seen.0, one.hits), (5, 9, 0));
        let tried: Vec<_> = one.fixes.iter().map(|one| (&*one.fix, one.last_seen.0)).collect();
        assert_eq!(tried, [("b", 9), ("a", 8)]);
        assert_eq!(one.successful_fix().map(|fix| &*fix.fix), Some("b"));
        assert_eq!(store.disable_pattern(None, text, true).await.expect("disabled"), 2);
        let known = store.known_fixes(&key(text, "", ""), text, 9).await.expect("found");
        assert_eq!(known, KnownFixes::default());
        assert_eq!(store.disable_pattern(Some(text), text, false).await.expect("enabled"), 2);
        let known = store.known_fixes(&key(text, "", ""), text, 9).await.expect("found");
        assert_eq!((known.successful.len(), known.failed.len()), (1, 1));
        assert!(!store.forget_pattern(text, "other").await.expect("forgotten"));
        assert_eq!(store.patterns(&PatternFilter::default(), 9).await.expect("listed").len(), 2);
    })
}

/// A store whose clock is moved by hand.
async fn store() -> (Store, Arc<AtomicI64>) {
    let moment = Arc::new(AtomicI64::new(1000));
    let tick = Arc::clone(&moment);
    let clock = Arc::new(move || Timestamp(tick.load(Ordering::SeqCst)));
    let options = crate::StoreOptions { clock, ..options() };
    (Store::memory(options).await.expect("opened"), moment)
}

fn told(known: &KnownFixes) -> (String, String) {
    let line = |one: &KnownFix| {
        let from = one.from.as_deref().map(|from| format!("@{from}")).unwrap_or_default();
        format!("{}{from}:{}", one.fix, serde_json::json!(one.found_by).as_str().unwrap_or(""))
    };
    let lines = |list: &[KnownFix]| list.iter().map(line).collect::<Vec<_>>().join(" ");
    (lines(&known.successful), lines(&known.failed))
}

#[tokio::test]
async fn h15_h20_first_seen_stays_last_seen_moves_and_each_heal_counts_once() {
    let (store, moment) = store().await;
    let error = ["e", "s", "c"];
    for (at, heal, fix, success, counted) in [
        (1000, "1", "f", false, true),
        (2000, "1", "g", true, true),
        // The heal goes on after a crash and tells it all again.
        (3000, "1", "f", false, false),
        (3000, "1", "g", true, false),
        (4000, "2", "g", true, true),
    ] {
        moment.store(at, Ordering::SeqCst);
        let told = store.record_fix_outcome(outcome(heal, "w", error, fix, success)).await;
        assert_eq!(told.expect("kept"), counted, "{heal} {fix} at {at}");
    }
    let listed = store.patterns(&PatternFilter::default(), 9).await.expect("listed");
    let [one] = &listed[..] else { panic!("{listed:?}") };
    assert_eq!((one.hits, one.first_seen.0, one.last_seen.0), (2, 1000, 4000));
    let counts: Vec<_> =
        one.fixes.iter().map(|fix| (&*fix.fix, fix.successes, fix.failures)).collect();
    assert_eq!(counts, [("g", 2, 0), ("f", 0, 1)]);
}

#[tokio::test]
async fn h17_h21_known_fixes_come_exact_shape_class_and_this_project_first() {
    let (store, moment) = store().await;
    let rows = [
        ("other", ["e", "s", "c"], "exact-other"),
        ("w", ["e2", "s", "c"], "shape-here"),
        ("other", ["e3", "s", "c"], "shape-other"),
        ("w", ["e4", "s4", "c"], "class-here"),
        ("newer", ["e5", "s5", "c"], "class-newer"),
        ("w", ["e", "s", "c"], "exact-here"),
        ("w", ["e6", "s6", "c6"], "unrelated"),
    ];
    for (at, (workspace, key, fix)) in (0_i64..).zip(rows) {
        moment.store(2000 + at, Ordering::SeqCst);
        store.record_fix_outcome(outcome("h", workspace, key, fix, true)).await.expect("kept");
    }
    let known = async |exact, shape, class, limit| {
        let found = store.known_fixes(&key(exact, shape, class), "w", limit).await;
        told(&found.expect("found")).0
    };
    assert_eq!(
        known("e", "s", "c", 9).await,
        "exact-here:exact exact-other@other:exact shape-here:shape shape-other@other:shape \
         class-here:class class-newer@newer:class"
    );
    assert_eq!(known("e", "s", "c", 2).await, "exact-here:exact exact-other@other:exact");
    assert_eq!(known("x", "s5", "c5", 9).await, "class-newer@newer:shape");
    assert_eq!(known("x", "y", "z", 9).await, "");
    assert_eq!(known("", "", "", 9).await, "", "an unknown signature is no signature");
}

#[tokio::test]
async fn h11_h19_what_fails_is_demoted_and_told_and_this_project_has_the_last_word() {
    let (store, moment) = store().await;
    let error = ["e", "s", "c"];
    let tell = async |at: i64, workspace: &str, key, fix: &str, success| {
        moment.store(at, Ordering::SeqCst);
        let heal = format!("{at}");
        store.record_fix_outcome(outcome(&heal, workspace, key, fix, success)).await.expect("kept");
    };
    let known = async |workspace: &str| {
        told(&store.known_fixes(&key("e", "s", "c"), workspace, 9).await.expect("found"))
    };
    tell(1, "a", error, "f", true).await;
    assert_eq!(known("b").await, ("f@a:exact".into(), String::new()));
    // It fails in `b`, on the same error: what holds in `a` holds there still.
    tell(2, "b", error, "f", false).await;
    assert_eq!(known("b").await, (String::new(), "f:exact".into()));
    assert_eq!(known("a").await, ("f:exact".into(), String::new()));
    // It fails in `a` too: demoted, until it heals again.
    tell(3, "a", error, "f", false).await;
    assert_eq!(known("a").await, (String::new(), "f:exact".into()));
    let filter = PatternFilter { workspace: Some("a".into()), ..PatternFilter::default() };
    let listed = store.patterns(&filter, 9).await.expect("listed");
    assert!(listed[0].fixes[0].demoted);
    assert_eq!(listed[0].fixes[0].result, FixResult::Success);
    assert_eq!(listed[0].successful_fix(), None);
    tell(4, "a", error, "f", true).await;
    assert_eq!(known("a").await, ("f:exact".into(), String::new()));
    // That a fix failed on another error of the class says nothing of this one.
    tell(5, "a", ["e9", "s", "c"], "f", false).await;
    assert_eq!(known("a").await, ("f:exact".into(), String::new()));
}

#[tokio::test]
async fn a_pattern_is_forgotten_with_its_fixes() {
    let (store, _) = store().await;
    for workspace in ["a", "b"] {
        let told = outcome("h", workspace, ["e", "s", "c"], "f", true);
        store.record_fix_outcome(told).await.expect("kept");
    }
    assert!(store.forget_pattern("a", "e").await.expect("forgotten"));
    assert!(!store.forget_pattern("a", "e").await.expect("forgotten"));
    let known = store.known_fixes(&key("e", "s", "c"), "a", 9).await.expect("found");
    assert_eq!(told(&known).0, "f@b:exact");
}

#[tokio::test]
async fn an_import_does_not_replace_what_was_seen_here() {
    let (store, _) = store().await;
    let seen = outcome("h", "w", ["e", "s", "c"], "f", false);
    store.record_fix_outcome(seen.clone()).await.expect("kept");
    let imported = ImportedPattern {
        key: seen.key.clone(),
        workspace: "w".to_owned(),
        first_seen: Timestamp(1),
        last_seen: Timestamp(2),
        fixes: vec![
            ImportedFix { fix: seen.fix.clone(), success: true },
            ImportedFix { fix: KeptFix { fix: "g".into(), ..seen.fix }, success: true },
        ],
        ..ImportedPattern::default()
    };
    assert_eq!(store.import_pattern(imported).await.expect("kept"), 1);
    let listed = store.patterns(&PatternFilter::default(), 9).await.expect("listed");
    assert_eq!((listed[0].first_seen.0, listed[0].last_seen.0), (1, 1000));
    assert_eq!(listed[0].error_type, "type");
    let known = store.known_fixes(&key("e", "", ""), "w", 9).await.expect("found");
    assert_eq!(told(&known), ("g:exact".into(), "f:exact".into()));
}
