//! Knowledge and decisions as people look into them: lists, pins, files, figures.
//!
//! In: a data folder of the test's own, with rows a heal could have written. Out: what each command prints.
//! Never the user's own store.
#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use crate::ledger::AsItIs;
use crate::run::{Ended, folder, salve_in, write};
use salve_store::{
    DecisionType, FixKind, KeptFix, NewDecision, NewFixOutcome, NewHealCost, NewRule, PatternKey,
    Spend, Store, StoreOptions,
};
use salve_types::Timestamp;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

fn at(place: &Path, arguments: &[&str], input: &str) -> Ended {
    let data = place.join("data");
    let variables = [("SALVE_DATA", data.to_str().unwrap()), ("USER", "ann")];
    salve_in(arguments, input, place, &variables)
}

fn json_at(place: &Path, arguments: &[&str]) -> Value {
    let ended = at(place, &[arguments, &["--format", "json"]].concat(), "");
    assert_eq!(ended.code, Some(0), "{ended:?}");
    ended.json()
}

fn outcome(heal: &str, workspace: &str, fix: &str, success: bool) -> NewFixOutcome {
    NewFixOutcome {
        heal: heal.to_owned(),
        workspace: workspace.to_owned(),
        key: PatternKey {
            exact: "0123456789abcdef".to_owned(),
            shape: "s".to_owned(),
            class: "c".to_owned(),
        },
        error_type: "import_error".to_owned(),
        error: "cannot find `foo`".to_owned(),
        fix: KeptFix {
            fix: fix.to_owned(),
            kind: FixKind::Patch,
            description: format!("adds {fix}"),
            body: "{\"files\":[]}".to_owned(),
            source: "model".to_owned(),
            made_by: "some-model".to_owned(),
        },
        success,
        ..NewFixOutcome::default()
    }
}

/// Writes what heals could have written, in this workspace and in another.
fn fill(place: &Path) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let here = place.to_str().unwrap().to_owned();
    runtime.block_on(async {
        let clock = Arc::new(|| Timestamp(1_700_000_000_000));
        let options = StoreOptions::new(clock, Arc::new(AsItIs), "heal");
        let store = Store::open(&place.join("data/salve.db"), options).await.unwrap();
        for (heal, workspace, fix, success) in [
            ("1", &*here, "bad", false),
            ("1", &here, "good", true),
            ("2", "/elsewhere", "theirs", true),
        ] {
            store.record_fix_outcome(outcome(heal, workspace, fix, success)).await.unwrap();
        }
        for (id, losses) in [("sure", 0), ("poor", 2)] {
            let rule = NewRule {
                id: id.to_owned(),
                class: "c".to_owned(),
                tool: "rustc".to_owned(),
                language: "rust".to_owned(),
                body: "{}".to_owned(),
                wins: 1,
                workspace: here.clone(),
                ..NewRule::default()
            };
            store.add_rule(rule).await.unwrap();
            for heal in 0..losses {
                store.rule_outcome(&format!("{heal}"), id, false).await.unwrap();
            }
        }
        let cost = |heal: &str, model_calls, tokens, saved| NewHealCost {
            heal: heal.to_owned(),
            workspace: here.clone(),
            healed: true,
            model_calls,
            spent: Spend { tokens, micro_dollars: tokens },
            saved: Spend { tokens: saved, micro_dollars: saved },
            ..NewHealCost::default()
        };
        store.record_heal_cost(cost("1", 2, 500, 0)).await.unwrap();
        store.record_heal_cost(cost("2", 0, 0, 500)).await.unwrap();
        for (key, job, choice) in [("k", "1", "a"), ("k", "2", "b"), ("l", "2", "c")] {
            let decision = NewDecision {
                key: key.to_owned(),
                job: job.to_owned(),
                workspace: here.clone(),
                decision_type: if key == "l" {
                    DecisionType::RuleApplied
                } else {
                    DecisionType::Repair
                },
                choice: choice.to_owned(),
                model_id: "deterministic".to_owned(),
                ..NewDecision::default()
            };
            store.add_decision(decision).await.unwrap();
        }
        store.close().await;
    });
}

#[test]
fn nothing_learned_is_no_failure_and_makes_no_database() {
    let place = folder("knowledge_none");
    for (arguments, words) in [
        (&["knowledge", "list"][..], "nothing was learned yet"),
        (&["knowledge", "stats"], "no heal in this time"),
        (&["decisions", "list"], "no decisions"),
        (&["knowledge", "export"], "\"patterns\": []"),
        (&["knowledge", "check", "--signature", "x"], "not met before"),
    ] {
        let ended = at(&place, arguments, "");
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert!(ended.out.contains(words), "{ended:?}");
    }
    assert!(!place.join("data/salve.db").exists());
    let ended = at(&place, &["knowledge", "show", "x"], "");
    assert_eq!(ended.code, Some(2));
    assert!(ended.err.contains("salve knowledge list"), "{}", ended.err);
}

#[test]
fn r42_r56_rules_are_listed_pinned_and_put_back_into_use() {
    let place = folder("knowledge_rules");
    fill(&place);
    let listed = json_at(&place, &["knowledge", "list", "--only", "rules"]);
    let states: Vec<(&str, &str)> = listed["rules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|rule| (rule["id"].as_str().unwrap(), rule["state"].as_str().unwrap()))
        .collect();
    assert_eq!(states, [("sure", "active"), ("poor", "quarantined")]);
    let human = at(&place, &["knowledge", "list"], "");
    assert!(
        human.out.contains("quarantined") && human.out.contains("0123456789abcdef"),
        "{human:?}"
    );

    let pinned = json_at(&place, &["knowledge", "pin", "sure", "--reason", "reviewed"]);
    assert_eq!(
        (&pinned["pin"]["by"], &pinned["pin"]["reason"]),
        (&json!("ann"), &json!("reviewed"))
    );
    assert!(pinned["pin"]["at"].as_i64().unwrap() > 1_700_000_000_000);
    let only = json_at(&place, &["knowledge", "list", "--pinned"]);
    assert_eq!((only["rules"].as_array().unwrap().len(), &only["patterns"]), (1, &json!([])));
    let unpinned = json_at(&place, &["knowledge", "unpin", "sure"]);
    assert_eq!(unpinned["pin"], Value::Null);
    assert_eq!(json_at(&place, &["knowledge", "enable", "poor"])["state"], "active");
    assert_eq!(json_at(&place, &["knowledge", "disable", "sure"])["state"], "disabled");
    let error = at(&place, &["knowledge", "pin", "0123456789abcdef", "--reason", "r"], "");
    assert_eq!(error.code, Some(2));
    assert!(error.err.contains("is an error, not a rule"), "{}", error.err);
}

#[test]
fn h22_check_says_whether_it_was_tried_and_what_came_of_it() {
    let place = folder("knowledge_check");
    fill(&place);
    let check = ["knowledge", "check", "--signature", "0123456789abcdef"];
    let found = json_at(&place, &check);
    assert_eq!(found["tried_before"], true);
    let results: Vec<(&str, &str, Option<&str>)> = found["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            let text = |name: &str| one[name].as_str().unwrap();
            (text("description"), text("memory"), one["from"].as_str())
        })
        .collect();
    assert_eq!(
        results,
        [
            ("adds good", "successful_workaround", None),
            ("adds theirs", "successful_workaround", Some("/elsewhere")),
            ("adds bad", "failed_approach", None),
        ]
    );
    let human = at(&place, &check, "");
    assert!(human.out.contains("works: adds theirs (by its exact signature, from /elsewhere)"));
    // What is out of use is not told.
    json_at(&place, &["knowledge", "disable", "0123456789abcdef"]);
    assert_eq!(json_at(&place, &check)["tried_before"], false);
    let text = at(&place, &["knowledge", "check"], "");
    assert_eq!(text.code, Some(2), "{text:?}");
    let unseen = "error[E0425]: cannot find value `x` in this scope\n --> src/a.rs:1:1\n";
    let unseen = at(&place, &["knowledge", "check", "--format", "json"], unseen);
    assert_eq!(unseen.json(), json!({ "tried_before": false, "results": [] }));
}

/// The documented fields, and no other.
fn schema() -> Value {
    json!({
        "type": "object",
        "required": ["patterns"],
        "additionalProperties": false,
        "properties": { "patterns": { "type": "array", "items": {
            "type": "object",
            "additionalProperties": false,
            "required": ["error_signature", "error_type", "normalized_error", "fixes_attempted",
                         "successful_fix", "first_seen", "last_seen"],
            "properties": {
                "error_signature": { "type": "string" },
                "error_type": { "type": "string" },
                "normalized_error": { "type": "string" },
                "fixes_attempted": { "type": "array", "items": {
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["description", "result"],
                    "properties": {
                        "description": { "type": "string" },
                        "result": { "enum": ["failed", "success"] },
                    },
                } },
                "successful_fix": { "type": ["string", "null"] },
                "first_seen": { "type": "string", "pattern": "^\\d{4}-\\d\\d-\\d\\dT.*Z$" },
                "last_seen": { "type": "string", "pattern": "^\\d{4}-\\d\\d-\\d\\dT.*Z$" },
            },
        } } },
    })
}

#[test]
fn h14_h52_patterns_are_exported_by_name_valid_and_go_round() {
    let place = folder("knowledge_files");
    fill(&place);
    write(&place.join("out/x"), "");
    let ended = at(&place, &["knowledge", "export", "out"], "");
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let file = place.join("out/healing-patterns.json");
    let text = std::fs::read_to_string(&file).unwrap();
    let document: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["patterns"].as_array().unwrap().len(), 1, "{text}");
    assert_eq!(document["patterns"][0]["successful_fix"], "adds good");
    assert_eq!(document["patterns"][0]["first_seen"], "2023-11-14T22:13:20.000Z");
    write(&place.join("schema.json"), &schema().to_string());
    let valid = at(&place, &["schema", "check", "schema.json", "out/healing-patterns.json"], "");
    assert_eq!(valid.code, Some(0), "{valid:?}");

    let other = folder("knowledge_files_other");
    let imported = at(&other, &["knowledge", "import", "-", "--format", "json"], &text);
    assert_eq!(imported.json(), json!({ "patterns": 1, "new_fixes": 2 }), "{imported:?}");
    let again = at(&other, &["knowledge", "import", "-", "--format", "json"], &text);
    assert_eq!(again.json(), json!({ "patterns": 1, "new_fixes": 0 }));
    assert_eq!(at(&other, &["knowledge", "export"], "").out, text);
    let full = json_of(&at(&place, &["knowledge", "export", "--full", "--all"], "").out);
    assert_eq!(full["patterns"].as_array().unwrap().len(), 2);
    assert_eq!(full["patterns"][0]["class"], "c");

    let hostile = text.replace(
        "\"result\": \"failed\"",
        "\"result\": \"failed\", \"kind\": \"patch\", \"body\": {\"path\": \"../../etc/passwd\"}",
    );
    let refused = at(&other, &["knowledge", "import", "-"], &hostile);
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("pattern 1 (0123456789abcdef): `../../etc/passwd` is not a path"));
    assert!(refused.err.contains("Nothing of it was taken over."), "{}", refused.err);
}

fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn rules_are_taken_over_as_text_and_written_again() {
    let place = folder("knowledge_rule_files");
    let rule = "format = \"salve-rule/1\"\ntarget = \"rust\"\ntool = \"rustc\"\ncode = \"E0425\"\n\
                class = \"c\"\n\n[rule.template]\npattern = \"foo({{ x }})\"\ntemplate = \"bar({{ x }})\"\n";
    write(&place.join("salve.rules/one.toml"), rule);
    write(&place.join("salve.rules/README.md"), "not a rule");
    let imported = at(&place, &["knowledge", "import", "salve.rules", "--format", "json"], "");
    assert_eq!(imported.json(), json!({ "rules": 1, "new_rules": 1 }), "{imported:?}");
    let listed = json_at(&place, &["knowledge", "list"]);
    let found = &listed["rules"][0];
    assert_eq!((&found["wins"], &found["language"]), (&json!(0), &json!("rust")));
    let id = found["id"].as_str().unwrap();
    let shown = at(&place, &["knowledge", "show", id], "");
    assert!(shown.out.contains("foo({{ x }})"), "{}", shown.out);
    let exported = at(&place, &["knowledge", "export", "--rules", "written"], "");
    assert_eq!(exported.code, Some(0), "{exported:?}");
    assert!(place.join(format!("written/{id}.toml")).is_file());
    let again = at(&place, &["knowledge", "import", "written", "--format", "json"], "");
    assert_eq!(again.json(), json!({ "rules": 1, "new_rules": 0 }), "{again:?}");
    write(&place.join("salve.rules/evil.toml"), &format!("command = [\"sh\"]\n{rule}"));
    let refused = at(&place, &["knowledge", "import", "salve.rules"], "");
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.err.contains("evil.toml") && refused.err.contains("runs no command"));
}

#[test]
fn what_was_saved_is_drawn() {
    let place = folder("knowledge_stats");
    fill(&place);
    let stats = json_at(&place, &["knowledge", "stats", "--days", "3650"]);
    assert_eq!(stats["total"]["without_model"], 1);
    assert_eq!(stats["total"]["saved"], json!({ "tokens": 500, "micro_dollars": 500 }));
    assert_eq!(stats["days"][0]["date"], "2023-11-14");
    assert_eq!(
        (&stats["best"][0]["id"], &stats["worst"][0]["id"]),
        (&json!("sure"), &json!("poor"))
    );
    let human = at(&place, &["knowledge", "stats", "--here", "--days", "3650"], "");
    assert!(human.out.contains("2023-11-14  #+  2"), "{}", human.out);
    assert_eq!(json_at(&place, &["knowledge", "stats"])["total"]["heals"], 0);
}

#[test]
fn r37_r45_r57_decisions_are_shown_pinned_replaced_and_exported() {
    let place = folder("decisions");
    fill(&place);
    let ids = |arguments: &[&str]| -> Vec<String> {
        let listed = json_at(&place, &[&["decisions", "list"], arguments].concat());
        let ids =
            listed.as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned());
        ids.collect()
    };
    assert_eq!(ids(&[]), ["l", "k-2", "k"]);
    assert_eq!(ids(&["--held", "--here"]), ["l", "k-2"]);
    assert_eq!(ids(&["--type", "rule_applied"]), ["l"]);
    assert_eq!(ids(&["--scope", "runtime"]), [""; 0]);
    let pinned = json_at(&place, &["decisions", "pin", "k-2", "--reason", "reviewed"]);
    assert_eq!(
        (&pinned["pinned"], &pinned["pinned_by"], &pinned["pin_reason"]),
        (&json!(true), &json!("ann"), &json!("reviewed"))
    );
    assert!(pinned["pinned_at"].as_str().unwrap().ends_with('Z'));
    let word = ["--reason", "better", "--by", "bob"];
    let new =
        json_at(&place, &[&["decisions", "supersede", "k-2", "--choice", "d"], &word[..]].concat());
    assert_eq!((&new["id"], &new["alternatives"]), (&json!("k-3"), &json!(["b"])));
    let old = json_at(&place, &["decisions", "show", "k-2"]);
    assert_eq!(old["superseded_by"], "k-3");
    assert_eq!(old["changes"].as_array().unwrap().len(), 2);
    let refused = at(&place, &["decisions", "unpin", "k-2", "--reason", "r"], "");
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("was replaced by k-3"), "{}", refused.err);
    let unknown = at(&place, &["decisions", "list", "--type", "guess"], "");
    assert!(unknown.err.contains("rule_applied"), "{}", unknown.err);
    // The log of the workspace has a line for each word.
    let log = std::fs::read_to_string(place.join(".salve/decisions.log")).unwrap();
    assert_eq!(log.lines().count(), 2, "{log}");
    assert!(log.contains("ann: reviewed") && log.contains("bob: better"), "{log}");

    let manifest = json_of(&at(&place, &["decisions", "export"], "").out);
    let decisions = manifest["decisions"].as_array().unwrap();
    assert_eq!(decisions.len(), 4);
    for decision in decisions {
        for field in [
            "id",
            "module",
            "target",
            "decision_type",
            "choice",
            "alternatives",
            "reasoning",
            "model_id",
            "confidence",
            "pinned",
            "pin_reason",
            "pinned_at",
            "pinned_by",
            "superseded_by",
            "timestamp",
        ] {
            assert!(decision.get(field).is_some(), "{field}: {decision}");
        }
    }
}
