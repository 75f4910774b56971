//! `salve apply`: formats in, files changed or not, report and exit code out.
//!
//! In: small trees and replies. Out: the contract of the command. Never tests the ladder again.

use crate::run::{Ended, folder, salve, salve_in, write};
use serde_json::{Value, json};
use std::path::Path;

const GREET: &str =
    "def greet(name):\n    return 'hello ' + name\n\n\ndef part():\n    return 'bye'\n";

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| format!("({error})"))
}

fn apply_in(place: &Path, flags: &[&str], reply: &str) -> Ended {
    let mut arguments = vec!["apply"];
    arguments.extend(flags);
    salve_in(&arguments, reply, place, &[])
}

const BLOCK: &str = "Sure, here it is:\n\ngreet.py\n```python\n<<<<<<< SEARCH\n    return 'bye'\n=======\n    return 'good bye'\n>>>>>>> REPLACE\n```\n";

#[test]
fn one_change_in_five_formats_gives_the_same_file() {
    let diff = "--- a/greet.py\n+++ b/greet.py\n@@ -5,2 +5,2 @@\n def part():\n-    return 'bye'\n+    return 'good bye'\n";
    let envelope = "*** Begin Patch\n*** Update File: greet.py\n@@ def part():\n-    return 'bye'\n+    return 'good bye'\n*** End Patch\n";
    let tool = json!({ "path": "greet.py", "old_string": "'bye'", "new_string": "'good bye'" });
    let lines = json!({ "fileChanges": [{ "path": "greet.py", "lineOperations": [
        { "op": "replace", "start": 6, "end": 6, "expected": "    return 'bye'", "text": "    return 'good bye'" }
    ] }] });
    let expected = GREET.replace("'bye'", "'good bye'");
    let whole = format!("greet.py\n```python\n{expected}```\n");
    let replies = [BLOCK, diff, envelope, &tool.to_string(), &lines.to_string(), &whole];
    for (number, reply) in replies.into_iter().enumerate() {
        let place = folder(&format!("formats-{number}"));
        write(&place.join("greet.py"), GREET);
        let ended = apply_in(&place, &[], reply);
        assert_eq!(ended.code, Some(0), "{reply}\n{ended:?}");
        assert_eq!(read(&place.join("greet.py")), expected, "{reply}");
    }
}

#[test]
fn a_dry_run_shows_the_change_and_writes_nothing() {
    let place = folder("dry-run");
    write(&place.join("greet.py"), GREET);
    let ended = apply_in(&place, &["--dry-run"], BLOCK);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.out.contains("-    return 'bye'\n+    return 'good bye'"), "{}", ended.out);
    assert_eq!(read(&place.join("greet.py")), GREET);
    assert!(!place.join(".salve").exists(), "a look leaves nothing behind");
}

#[test]
fn c105_a_cut_reply_changes_nothing() {
    let place = folder("c105");
    write(&place.join("greet.py"), GREET);
    let cut = BLOCK.split(">>>>>>>").next().unwrap_or_default();
    let ended = apply_in(&place, &[], cut);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.out.contains("BLOCKED: 1 file change(s) from truncated response."));
    assert!(ended.out.contains("NO changes have been applied"));
    assert_eq!(read(&place.join("greet.py")), GREET);
}

#[test]
fn c105_a_whole_text_that_the_provider_stopped_is_judged_as_inspect_does() {
    let whole = "a.py\n```python\na = 1\nb = 2\n```\n";
    let json = json!({ "path": "a.py", "content": "a = 1\nb = 2\n" }).to_string();
    for (reply, reason) in [
        (whole, "stop"),
        (whole, "length"),
        (whole, "disconnect"),
        (BLOCK, "max_tokens"),
        (&json, "length"),
        (&json, "stop"),
    ] {
        let flags = ["--finish-reason", reason];
        let inspected = salve(&["inspect", "--finish-reason", reason], reply);
        let place = folder("c105-provider");
        write(&place.join("greet.py"), GREET);
        let ended = apply_in(&place, &flags, reply);
        assert_eq!(ended.code, inspected.code, "{reason}: {reply}\n{ended:?}\n{inspected:?}");
        let written = place.join("a.py").exists() || read(&place.join("greet.py")) != GREET;
        assert_eq!(written, ended.code == Some(0), "{reason}: {reply}");
        assert_eq!(written, reason == "stop" || reply == json, "{reason}: {reply}");

        let line =
            json!({ "files": { "greet.py": GREET }, "edit": reply, "finish_reason": reason });
        let batch = salve(&["apply", "--batch"], &format!("{line}\n"));
        let answer: Value = serde_json::from_str(&batch.out).unwrap();
        assert_eq!(answer["ok"], json!(written), "{reason}: {reply}\n{answer}");
    }
}

#[test]
fn c105_one_cut_file_of_three_blocks_all() {
    let place = folder("c105-three");
    let reply = "a.py\n```python\na = 1\n```\n\nb.py\n```python\nb = 2\n```\n\nc.py\n```python\nc = \"\"\"open\n```\n";
    let ended = apply_in(&place, &["--format", "json"], reply);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    for name in ["a.py", "b.py", "c.py"] {
        assert!(!place.join(name).exists(), "{name}");
    }
}

#[test]
fn an_ambiguous_edit_is_refused_with_its_candidates() {
    let place = folder("ambiguous");
    let text = "fn a() {\n    let x = 1;\n}\n\nfn b() {\n    let x = 1;\n}\n";
    write(&place.join("lib.rs"), text);
    let reply =
        "lib.rs\n<<<<<<< SEARCH\n    let x = 1;\n=======\n    let x = 2;\n>>>>>>> REPLACE\n";
    let ended = apply_in(&place, &["--format", "json"], reply);
    assert_eq!(ended.code, Some(1));
    let candidates = &ended.json()["files"][0]["hunks"][0]["candidates"];
    let lines: Vec<&Value> =
        candidates.as_array().into_iter().flatten().map(|one| &one["first_line"]).collect();
    assert_eq!(lines, [&json!(2), &json!(6)], "{}", ended.out);
    assert_eq!(read(&place.join("lib.rs")), text);
}

#[test]
fn a_guard_holds_back_until_it_is_allowed() {
    let place = folder("guard");
    let long: String = (0..80).map(|n| format!("value_{n} = {n}\n")).collect();
    write(&place.join("values.py"), &long);
    let reply = "values.py\n```python\nvalue_0 = 0\n```\n";
    let held = apply_in(&place, &[], reply);
    assert_eq!(held.code, Some(4), "{held:?}");
    assert_eq!(read(&place.join("values.py")), long);
    assert_eq!(apply_in(&place, &["--allow", "shrink"], reply).code, Some(0));
    assert_eq!(read(&place.join("values.py")), "value_0 = 0\n");
}

#[test]
fn c082_a_stale_base_is_blocked_and_the_words_say_so() {
    let place = folder("c082");
    write(&place.join("greet.py"), GREET);
    let ended = apply_in(&place, &["--base", "greet.py=0123456789abcdef"], BLOCK);
    assert_eq!(ended.code, Some(1));
    assert!(ended.out.contains("Hash mismatch"), "{}", ended.out);
    assert_eq!(read(&place.join("greet.py")), GREET);
}

#[test]
fn a_batch_answers_every_line_in_memory() {
    let good = json!({ "id": 1, "files": { "greet.py": GREET }, "edit": BLOCK });
    let bad = json!({ "id": 2, "files": { "greet.py": "nothing alike\n" }, "edit": BLOCK });
    let broken = json!({ "id": 3 });
    let answers = salve(&["apply", "--batch"], &format!("{good}\n{bad}\n{broken}\n")).lines();
    assert_eq!(answers[0]["ok"], true);
    assert_eq!(answers[0]["files"]["greet.py"], GREET.replace("'bye'", "'good bye'"));
    assert_eq!(
        (&answers[1]["ok"], &answers[1]["files"]["greet.py"]),
        (&json!(false), &json!("nothing alike\n"))
    );
    assert!(answers[1]["error"].is_string());
    assert!(answers[2]["error"].is_string());
}

#[test]
fn c191_an_edit_that_is_there_already_needs_no_change() {
    let place = folder("c191");
    write(&place.join("greet.py"), GREET);
    assert_eq!(apply_in(&place, &[], BLOCK).code, Some(0));
    let again = apply_in(&place, &[], BLOCK);
    assert_eq!(again.code, Some(0), "{again:?}");
    assert!(again.out.contains("no changes needed"), "{}", again.out);
}

#[test]
fn c055_edits_are_held_when_a_switch_is_off() {
    for (text, named) in [
        ("auto_apply = false", "`auto_apply` is false (workspace file"),
        ("auto_apply_files = false", "`auto_apply_files` is false (workspace file"),
    ] {
        let place = folder(&format!("c055-{}", text.len()));
        write(&place.join("salve.toml"), text);
        write(&place.join("greet.py"), GREET);
        let held = apply_in(&place, &[], BLOCK);
        assert_eq!(held.code, Some(4), "{held:?}");
        assert!(held.out.starts_with("held  nothing was changed") && held.out.contains(named));
        assert!(held.out.contains("+    return 'good bye'"), "what is held is shown: {held:?}");
        let document = apply_in(&place, &["--format", "json"], BLOCK).json();
        assert_eq!((&document["ok"], &document["change"]), (&json!(false), &Value::Null));
        assert!(document["held"].as_str().is_some_and(|why| why.starts_with(named)));
        assert_eq!(read(&place.join("greet.py")), GREET);

        let elsewhere = folder("c055-elsewhere");
        let named = place.display().to_string();
        assert_eq!(apply_in(&elsewhere, &["-C", &named], BLOCK).code, Some(4));
        assert_eq!(apply_in(&place, &["--yes"], BLOCK).code, Some(0));
        assert_ne!(read(&place.join("greet.py")), GREET);
    }
}
