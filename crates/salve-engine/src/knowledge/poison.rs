//! What a store may hold that nobody should obey, and what becomes of each: nothing is proposed, or a gate
//! refuses it by name. Files are refused before they reach a store: see `text` and the pattern file.

use super::recall::pattern_key;
use super::testing::said;
use super::{FixRule, Remembering, StoredFile, StoredFix, StoredHunk, read_rule, recall};
use crate::facts::TextRedactor;
use crate::heal::gates::{GateOptions, GateRule, judge};
use crate::heal::machine::{Candidate, Confidence};
use crate::heal::testing::Files;
use crate::heal::{Fix, FixSource, Patch, changed_lines};
use salve_check::sign;
use salve_store::{FixKind, KeptFix, KnowledgeScope, NewFixOutcome, NewRule, Store, StoreOptions};
use salve_types::{Diagnostic, Timestamp};
use std::sync::Arc;

const PATH: &str = "src/a.c";
const TEXT: &str = "#include <stdio.h>\n\nint one(int count) {\n  return count + 1\n}\n\n\
                    int main(void) {\n  printf(\"%d\\n\", one(2));\n  return 0;\n}\n";

/// What becomes of something hostile.
#[derive(Debug, PartialEq)]
enum Fate {
    Nothing,
    Gate(GateRule),
    /// It would be tried: the check alone decides.
    Tried(Vec<String>),
}

fn error() -> Diagnostic {
    said("gcc", "expected ';' before '}' token", PATH, (4, 19))
}

fn files() -> Files {
    Files::of([
        (PATH, TEXT),
        ("src/b.c", "int two(void) { return 2; }\n"),
        ("tests/suite.c", "int main(void) {\n  assert(one(1) == 2);\n}\n"),
        (".git/hooks/pre-commit", "#!/bin/sh\n"),
        ("salve.rules/a.toml", "format = 'salve-rule/1'\n"),
    ])
}

async fn store() -> Store {
    let clock = Arc::new(|| Timestamp(1_000));
    let options = StoreOptions::new(clock, Arc::new(TextRedactor::default()), "test");
    Store::memory(options).await.expect("a store")
}

async fn fate(store: &Store, source: FixSource) -> Fate {
    let (errors, files) = ([error()], files());
    let recalled = recall(store, source, "/w", &[], &errors).await.expect("read");
    let fixes = recalled.fixes(source, &errors, &files);
    let mut tried = Vec::new();
    let mut refused = None;
    for fix in fixes {
        assert!(fix.commands.is_empty(), "a command: {fix:?}");
        match judge(&candidate(fix.clone(), &files), &files, &errors, GateOptions::default()) {
            Ok(()) => tried.push(fix.description),
            Err(refusal) => refused = refused.or(Some(refusal.rule)),
        }
    }
    match (tried.is_empty(), refused) {
        (false, _) => Fate::Tried(tried),
        (true, Some(rule)) => Fate::Gate(rule),
        (true, None) => Fate::Nothing,
    }
}

fn candidate(fix: Fix, files: &Files) -> Candidate {
    let patch = Patch::default().with(&fix.changes, files).expect("fits");
    Candidate {
        source: fix.source,
        author: fix.author,
        description: fix.description,
        confidence: Confidence::Unstated,
        origin: fix.origin,
        pinned: false,
        changed_lines: changed_lines(&Patch::default(), &patch, files),
        patch,
        commands: fix.commands,
        round: 0,
    }
}

fn rule(body: &str) -> FixRule {
    let head = "format = 'salve-rule/1'\ntarget = 'c'\ntool = 'gcc'\n";
    read_rule(&format!("{head}[rule.template]\n{body}")).expect("a rule").0
}

// As a user of the same database could write it: with the wins and the words that they like.
async fn after_rule(change: impl FnOnce(&mut NewRule), rule: &FixRule) -> Fate {
    let store = store().await;
    let mut new = NewRule {
        id: rule.id.clone(),
        class: rule.key.class.clone(),
        tool: rule.key.tool.clone(),
        code: rule.key.code.clone(),
        language: "c".to_owned(),
        level: rule.level,
        priority: i64::MAX,
        body: serde_json::to_string(rule).expect("plain data"),
        replays: u32::MAX,
        wins: 1_000_000,
        origin: "heal".to_owned(),
        workspace: "/w".to_owned(),
        scope: KnowledgeScope::Shared,
    };
    change(&mut new);
    store.add_rule(new).await.expect("kept");
    fate(&store, FixSource::Rule).await
}

async fn after_fix(body: String) -> Fate {
    let store = store().await;
    let outcome = NewFixOutcome {
        heal: "heal".to_owned(),
        workspace: "/w".to_owned(),
        scope: KnowledgeScope::Shared,
        key: pattern_key(&sign(&error())),
        error_type: "syntax_error".to_owned(),
        error: String::new(),
        fix: KeptFix {
            fix: "f".to_owned(),
            kind: FixKind::Patch,
            description: "hostile".to_owned(),
            body,
            source: "model".to_owned(),
            made_by: "deep".to_owned(),
        },
        success: true,
    };
    store.record_fix_outcome(outcome).await.expect("kept");
    fate(&store, FixSource::Pattern).await
}

fn fix_of(path: &str, diagnosed: bool, old: &[&str], new: &[&str]) -> String {
    let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
    let fix = StoredFix {
        message: error().message,
        line: "  return count + 1".to_owned(),
        files: vec![StoredFile {
            diagnosed,
            path: path.to_owned(),
            hunks: vec![StoredHunk { old: lines(old), new: lines(new), ..StoredHunk::default() }],
        }],
        commands: Vec::new(),
    };
    serde_json::to_string(&fix).expect("plain data")
}

#[tokio::test]
async fn r55_no_rule_of_a_store_acts_beyond_the_gates() {
    let good = rule("pattern = 'count + 1'\ntemplate = 'count + 1;'\n");
    let as_is = |_: &mut NewRule| {};
    // That the table can fail: an honest rule is tried.
    assert!(matches!(after_rule(as_is, &good).await, Fate::Tried(_)));
    let deletes = rule("node_kind = 'function_definition'\ntemplate = ''\n");
    assert_eq!(after_rule(as_is, &deletes).await, Fate::Gate(GateRule::LostDefinition));
    let hollow =
        rule("node_kind = 'function_definition'\ntemplate = 'int one(int count) { return 0; }'\n");
    assert!(matches!(after_rule(as_is, &hollow).await, Fate::Gate(_)), "a body is gone");
    let silences = rule(
        "pattern = 'return count'\ntemplate = '''\n#pragma GCC diagnostic ignored \"-Wall\"\nreturn count'''\n",
    );
    assert_eq!(after_rule(as_is, &silences).await, Fate::Gate(GateRule::Silenced));
    // A body that is not what the id was made of.
    let other = serde_json::to_string(&deletes).expect("plain data");
    assert_eq!(after_rule(|new| new.body = other, &good).await, Fate::Nothing, "another body");
    let twice = serde_json::to_string(&deletes).expect("plain data");
    let forged = twice.replace(&deletes.id, &good.id);
    assert_eq!(after_rule(|new| new.body = forged, &good).await, Fate::Nothing, "a forged id");
    let target = serde_json::to_string(&good).expect("plain data").replace("\"c\"", "\"rust\"");
    assert_eq!(after_rule(|new| new.body = target, &good).await, Fate::Nothing, "another target");
    for body in ["", "{", "null", "[[[[[[", "\u{0}", "{\"id\": 1}"] {
        assert_eq!(
            after_rule(|new| new.body = body.to_owned(), &good).await,
            Fate::Nothing,
            "{body:?}"
        );
    }
    // Larger than a file of a rule may be, with an id of its own.
    let mut huge = good.clone();
    huge.description = "x".repeat(1 << 20);
    assert_eq!(after_rule(as_is, &huge).await, Fate::Nothing, "a huge rule");
    // Slots that could be filled in many ways are filled in one.
    let slots: String = (0..60).map(|slot| format!("{{{{ s{slot} }}}} ")).collect();
    let greedy = rule(&format!("pattern = '{slots} ;'\ntemplate = '{{{{ s0 }}}} ;'\n"));
    assert!(!matches!(after_rule(as_is, &greedy).await, Fate::Tried(_)), "many slots");
}

#[tokio::test]
async fn no_fix_of_a_store_acts_beyond_the_gates() {
    let honest = fix_of(PATH, true, &["  return count + 1"], &["  return count + 1;"]);
    assert!(matches!(after_fix(honest.clone()).await, Fate::Tried(_)));
    let hook = ["#!/bin/sh"];
    let cases = [
        (fix_of("../../etc/passwd", false, &["root"], &["evil"]), Fate::Nothing),
        (fix_of("/etc/passwd", false, &["root"], &["evil"]), Fate::Nothing),
        (fix_of("src/../../x", false, &["x"], &["evil"]), Fate::Nothing),
        (fix_of("", false, &["x"], &["evil"]), Fate::Nothing),
        (fix_of("src/absent.c", false, &["x"], &["evil"]), Fate::Nothing),
        (
            fix_of(".git/hooks/pre-commit", false, &hook, &["#!/bin/sh", "evil"]),
            Fate::Gate(GateRule::ProtectedFile),
        ),
        (
            fix_of("salve.rules/a.toml", false, &["format = 'salve-rule/1'"], &["x"]),
            Fate::Gate(GateRule::ProtectedFile),
        ),
        (
            fix_of("tests/suite.c", false, &["  assert(one(1) == 2);"], &["  assert(1);"]),
            Fate::Gate(GateRule::TestFile),
        ),
        (
            fix_of("src/b.c", false, &["int two(void) { return 2; }"], &[]),
            Fate::Gate(GateRule::LostDefinition),
        ),
        (
            honest
                .replace("\"commands\"", "\"ignored\"")
                .replace("count + 1;", &"x".repeat(1 << 20)),
            Fate::Nothing,
        ),
        (String::new(), Fate::Nothing),
        ("{\"files\": 7}".to_owned(), Fate::Nothing),
        (format!("{}{}", "[".repeat(5_000), "]".repeat(5_000)), Fate::Nothing),
        ("\u{feff}\u{0}".to_owned(), Fate::Nothing),
    ];
    for (body, wanted) in cases {
        let shown: String = body.chars().take(160).collect();
        assert_eq!(after_fix(body).await, wanted, "{shown}");
    }
}

#[tokio::test]
async fn a_fix_that_was_not_accepted_teaches_nothing_even_when_it_is_brought_along() {
    let store = store().await;
    let (workspace, scope) = ("/w", KnowledgeScope::Private);
    let remembering = Remembering { store: &store, heal: "h", workspace, scope };
    let empty = super::FixExample {
        language: None,
        path: PATH.to_owned(),
        before: TEXT.to_owned(),
        after: TEXT.to_owned(),
        diagnostics: vec![error()],
    };
    assert_eq!(remembering.learn_from(&empty).await.expect("kept"), []);
}
