//! What is written is read again, and hostile files are refused by name.

use super::*;
use crate::testing::options;
use crate::{PatternFilter, Store};
use serde_json::json;

fn one(pattern: &Value) -> String {
    json!({ "patterns": [pattern] }).to_string()
}

/// A file in the documents' own words.
fn documented() -> Value {
    json!({
        "error_signature": "a1b2c3d4e5f60718",
        "error_type": "import_error",
        "normalized_error": "ModuleNotFoundError: No module named 'foo'",
        "fixes_attempted": [
            { "description": "pip install foo", "result": "failed" },
            { "description": "pip install foo-lib", "result": "success" },
        ],
        "successful_fix": "pip install foo-lib",
        "first_seen": "2026-01-27T10:00:00",
        "last_seen": "2026-01-28T10:00:00Z",
    })
}

async fn through_a_store(text: &str) -> Vec<PatternRecord> {
    let store = Store::memory(options()).await.expect("opened");
    for pattern in read_pattern_file(text).expect("read") {
        let pattern = ImportedPattern { workspace: "w".to_owned(), ..pattern };
        store.import_pattern(pattern).await.expect("kept");
    }
    store.patterns(&PatternFilter::default(), 99).await.expect("listed")
}

#[tokio::test]
async fn h14_a_file_of_the_documents_goes_through_the_store_unchanged() {
    let kept = through_a_store(&one(&documented())).await;
    let written = pattern_file(&kept, false);
    let mut expected = documented();
    expected["first_seen"] = json!("2026-01-27T10:00:00.000Z");
    expected["last_seen"] = json!("2026-01-28T10:00:00.000Z");
    let found: Value = serde_json::from_str(&written).expect("JSON");
    assert_eq!(found, json!({ "patterns": [expected] }));
    let again = through_a_store(&written).await;
    assert_eq!(pattern_file(&again, false), written);
    // It is words, whatever it says.
    assert!(kept[0].fixes.iter().all(|fix| fix.kind == FixKind::Hint && fix.body.is_empty()));
}

#[tokio::test]
async fn h14_a_full_file_keeps_patches_applicable_and_turns_commands_into_words() {
    let mut pattern = documented();
    pattern["shape"] = json!("s");
    pattern["class"] = json!("c");
    let patch = json!({ "path": "src/a.rs", "hunks": [["x", "y"]] });
    pattern["fixes_attempted"] = json!([
        { "description": "run it", "result": "success", "kind": "command", "fix": "f1",
          "body": { "argv": ["rm", "-rf", "/"] } },
        { "description": "change it", "result": "success", "kind": "patch", "fix": "f2", "body": patch },
    ]);
    pattern["successful_fix"] = json!("change it");
    let kept = through_a_store(&one(&pattern)).await;
    let fixes: Vec<_> = kept[0].fixes.iter().map(|fix| (fix.kind, fix.body.as_str())).collect();
    assert_eq!(fixes, [(FixKind::Patch, &*patch.to_string()), (FixKind::Hint, "")]);
    assert_eq!((kept[0].shape.as_str(), kept[0].class.as_str()), ("s", "c"));
    let again = through_a_store(&pattern_file(&kept, true)).await;
    assert_eq!(again[0].fixes[0].fix, "f2");
    assert_eq!(pattern_file(&again, true), pattern_file(&kept, true));
}

#[test]
fn h14_a_hostile_file_is_refused_by_name() {
    let with = |change: &dyn Fn(&mut Value)| {
        let mut pattern = documented();
        change(&mut pattern);
        one(&pattern)
    };
    let path = |path: &str| {
        with(&|pattern| {
            pattern["fixes_attempted"][0]["kind"] = json!("patch");
            pattern["fixes_attempted"][0]["body"] = json!({ "files": [{ "path": path }] });
        })
    };
    let cases = [
        ("x".repeat(MOST_BYTES + 1), "bytes, and may have"),
        (format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000)), "more than 64 deep"),
        ("[1]".to_owned(), "not of the form"),
        ("{\"patterns\": 1}".to_owned(), "not of the form"),
        ("not JSON".to_owned(), "not of the form"),
        (with(&|pattern| pattern["error_signature"] = json!("")), "error_signature"),
        (with(&|pattern| pattern["error_signature"] = json!("a\u{1b}[2J")), "error_signature"),
        (with(&|pattern| pattern["last_seen"] = json!("soon")), "its last_seen `soon` is no time"),
        (with(&|pattern| pattern["normalized_error"] = json!("x".repeat(1 << 20))), "words of"),
        (with(&|pattern| pattern["fixes_attempted"][0]["result"] = json!("maybe")), "form"),
        (
            with(&|pattern| {
                let fix = pattern["fixes_attempted"][0].clone();
                pattern["fixes_attempted"] = json!(vec![fix; MOST_FIXES + 1]);
            }),
            "fixes, and may have",
        ),
        (
            with(&|pattern| {
                let body = json!({ "files": [], "commands": [{ "argv": ["sh"], "folder": "" }] });
                pattern["fixes_attempted"][0]["kind"] = json!("patch");
                pattern["fixes_attempted"][0]["body"] = body;
            }),
            "`commands`: a patch from a file runs no command",
        ),
        (path("/etc/passwd"), "`/etc/passwd` is not a path inside of the workspace"),
        (path("../x"), "`../x` is not a path"),
        (path("src/../../x"), "is not a path"),
        (path("C:\\x"), "is not a path"),
        (path("~/.ssh/id"), "is not a path"),
        (path("a\u{0}b"), "is not a path"),
    ];
    for (text, words) in cases {
        let shown: String = text.chars().take(120).collect();
        let refused = read_pattern_file(&text).expect_err(&shown).to_string();
        assert!(refused.contains(words), "{shown}: {refused}");
        assert!(refused.len() < 400 && !refused.contains('\u{1b}'), "{refused}");
    }
    assert!(read_pattern_file(&path("src/a..b.rs")).is_ok());
    assert_eq!(read_pattern_file("{\"patterns\": []}"), Ok(Vec::new()));
}
