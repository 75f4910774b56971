//! What holds for rules: two losses in a row end their use, pins are a person's, counts are of heals.

use super::*;
use crate::NewExample;
use crate::tables::Conforming;
use crate::testing::{options, redacted};

pub(super) const ROWS: &str =
    "INSERT INTO knowledge_rules (id, scope, class, tool, code, language, level, priority, body, state,
                                  wins, losses, straight_losses, replays, origin, workspace, created)
     VALUES ('r', 'private', 'c', 'rustc', 'E1', 'rust', 1, 0, '{}', 'active', 1, 0, 0, 0, 'h', 'w',
             1000);";

fn rule(id: &str, class: &str, priority: i64) -> NewRule {
    NewRule {
        id: id.to_owned(),
        class: class.to_owned(),
        tool: "rustc".to_owned(),
        language: "rust".to_owned(),
        priority,
        body: "{}".to_owned(),
        ..NewRule::default()
    }
}

pub(super) fn conforms<'a>(store: &'a Store, text: &'a str) -> Conforming<'a> {
    Box::pin(async move {
        let own = || text.to_owned();
        let new = NewRule {
            id: own(),
            class: own(),
            tool: own(),
            code: Some(own()),
            language: own(),
            level: 2,
            priority: -3,
            body: serde_json::json!({ "a": text, "b": 1.5 }).to_string(),
            replays: 4,
            wins: 1,
            origin: own(),
            workspace: own(),
            scope: KnowledgeScope::Private,
        };
        assert!(store.add_rule(new.clone()).await.expect("kept"));
        assert!(!store.add_rule(NewRule { replays: 9, ..new }).await.expect("kept"), "known");
        assert!(store.pin_rule(text, text, text).await.expect("pinned"));
        let found = store.rules_for(text, &[own(), "other".to_owned()]).await.expect("found");
        let [one] = &found[..] else { panic!("{found:?}") };
        let kept = redacted(text);
        assert_eq!((&one.id, &one.class, one.level, one.priority), (&kept, &kept, 2, -3));
        assert_eq!(one.body, serde_json::json!({ "a": kept, "b": 1.5 }).to_string());
        assert_eq!((one.replays, one.wins, one.author.as_ref()), (9, 1, None));
        let pin = one.pin.as_ref().expect("pinned");
        assert_eq!((&pin.by, &pin.reason, pin.at.0), (&kept, &kept, 5 * 86_400_000));
        assert_eq!(store.rules_for("other", &[own()]).await.expect("found"), []);
        assert_eq!(store.rules_for(text, &[]).await.expect("found"), []);

        let example = NewExample {
            class: own(),
            language: own(),
            body: serde_json::json!({ "before": text }).to_string(),
            origin: own(),
            workspace: own(),
            scope: KnowledgeScope::Shared,
        };
        assert!(store.add_example(example.clone()).await.expect("kept"));
        assert!(!store.add_example(example.clone()).await.expect("kept"), "known");
        for number in 0..40 {
            let body = format!("{{\"number\":{number}}}");
            store.add_example(NewExample { body, ..example.clone() }).await.expect("kept");
        }
        let examples = store.examples(text, text, 99).await.expect("found");
        assert_eq!(examples.len(), 32, "the oldest go");
        let again = store.add_example(NewExample { class: "d".to_owned(), ..example });
        assert!(again.await.expect("kept"));
        assert_eq!(store.examples(text, "d", 99).await.expect("found").len(), 1);
    })
}

#[tokio::test]
async fn r56_two_losses_in_a_row_quarantine_a_rule_and_each_heal_counts_once() {
    let store = Store::memory(options()).await.expect("opened");
    store.add_rule(rule("r", "c", 0)).await.expect("kept");
    let tell = async |heal: &str, won| {
        let told = store.rule_outcome(heal, "r", won).await.expect("kept").expect("a rule");
        (told.counted, told.state, told.wins, told.losses)
    };
    let (active, quarantined) = (RuleState::Active, RuleState::Quarantined);
    assert_eq!(tell("1", true).await, (true, active, 1, 0));
    assert_eq!(tell("2", false).await, (true, active, 1, 1));
    assert_eq!(tell("2", false).await, (false, active, 1, 1), "the same heal again");
    assert_eq!(tell("2", true).await, (true, active, 2, 1), "at another place");
    assert_eq!(tell("2", false).await, (false, active, 2, 1), "told again after a crash");
    assert_eq!(tell("4", false).await, (true, active, 2, 2));
    assert_eq!(tell("5", false).await, (true, quarantined, 2, 3));
    let in_use = async || store.rules_for("rust", &["c".to_owned()]).await.expect("found").len();
    assert_eq!(in_use().await, 0);
    let filter = RuleFilter { state: Some(quarantined), ..RuleFilter::default() };
    assert_eq!(store.rules(&filter, 9).await.expect("listed").len(), 1, "it is listed");
    // Learned again, it stays where it is; a person may give it another chance.
    assert!(!store.add_rule(rule("r", "c", 0)).await.expect("kept"));
    assert_eq!(in_use().await, 0);
    assert!(store.set_rule_state("r", active).await.expect("set"));
    assert_eq!(in_use().await, 1);
    assert_eq!(tell("6", false).await, (true, active, 2, 4));
    assert_eq!(tell("7", false).await, (true, quarantined, 2, 5));
    assert_eq!(store.rule_outcome("1", "none", true).await.expect("kept"), None);
    assert!(!store.set_rule_state("none", active).await.expect("set"));
    assert!(store.forget_rule("r").await.expect("forgotten"));
    assert_eq!(store.rule("r").await.expect("read"), None);
}

#[tokio::test]
async fn r50_the_highest_priority_first_then_pinned_then_confidence() {
    let store = Store::memory(options()).await.expect("opened");
    for (id, priority) in [("low", 1), ("high", 5), ("pinned", 1), ("sure", 1), ("other", 1)] {
        let class = if id == "other" { "d" } else { "c" };
        store.add_rule(rule(id, class, priority)).await.expect("kept");
    }
    store.pin_rule("pinned", "ann", "why").await.expect("pinned");
    store.rule_outcome("h", "sure", true).await.expect("kept");
    let ids = async || {
        let found = store.rules_for("rust", &["c".to_owned()]).await.expect("found");
        found.into_iter().map(|rule| rule.id).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(ids().await, "high pinned sure low");
    store.unpin_rule("pinned").await.expect("unpinned");
    assert_eq!(ids().await, "high sure low pinned");
    store.set_rule_state("high", RuleState::Disabled).await.expect("set");
    assert_eq!(ids().await, "sure low pinned");
    assert!(!store.pin_rule("none", "ann", "why").await.expect("pinned"));
}

#[test]
fn confidence_is_the_lower_end_of_the_rate_of_wins() {
    let mut record = StoredRule {
        id: String::new(),
        class: String::new(),
        tool: String::new(),
        code: None,
        language: String::new(),
        level: 0,
        priority: 0,
        body: String::new(),
        state: RuleState::Active,
        wins: 0,
        losses: 0,
        straight_losses: 0,
        replays: 0,
        pin: None,
        origin: String::new(),
        workspace: String::new(),
        author: None,
        scope: KnowledgeScope::Private,
        created: Timestamp(0),
        last_used: None,
        team_wins: 0,
        team_losses: 0,
        team_pins: Vec::new(),
    };
    for (wins, losses, confidence) in
        [(0, 0, 0.0), (1, 0, 0.21), (4, 0, 0.51), (35, 0, 0.90), (1, 1, 0.09), (0, 3, 0.0)]
    {
        (record.wins, record.losses) = (wins, losses);
        let found = record.confidence();
        assert!((found - confidence).abs() < 0.006, "{wins} of {losses}: {found}");
    }
    // A colleague's pin counts if they are named, an own one always.
    let pin = |by: &str| RulePin { by: by.to_owned(), reason: String::new(), at: Timestamp(0) };
    record.team_pins.push(TeamPin { author: "bob".to_owned(), pin: pin("Bob") });
    assert_eq!(record.pin_of(&[]), None);
    assert_eq!(record.pin_of(&["eve".to_owned()]), None);
    assert_eq!(record.pin_of(&["bob".to_owned()]), Some(&pin("Bob")));
    record.pin = Some(pin("me"));
    assert_eq!(record.pin_of(&[]), Some(&pin("me")));
}
