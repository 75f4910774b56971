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

fn block(path: &str, old: &str, new: &str) -> String {
    format!("{path}\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n")
}

#[test]
fn twenty_edits_of_one_file_at_once_all_land() {
    let place = folder("at-once");
    let many: String = (0..20).map(|line| format!("line number {line}\n")).collect();
    write(&place.join("many.txt"), &many);
    let ended: Vec<Ended> = std::thread::scope(|scope| {
        let apply = |line: usize| {
            let (old, new) = (format!("line number {line}"), format!("LINE NUMBER {line}"));
            apply_in(&place, &["--wait", "120"], &block("many.txt", &old, &new))
        };
        let threads: Vec<_> = (0..20).map(|line| scope.spawn(move || apply(line))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for one in &ended {
        assert_eq!(one.code, Some(0), "{one:?}");
        assert!(!one.err.contains("is writing"), "{}", one.err);
    }
    assert_eq!(read(&place.join("many.txt")), many.replace("line number", "LINE NUMBER"));
}

#[test]
fn a_line_that_names_a_file_is_its_path_whatever_it_looks_like() {
    let place = folder("names");
    for name in ["go.mod", "justfile", "src/config", "my file.txt", "data.dat"] {
        write(&place.join(name), "one\ntwo\n");
        let ended = apply_in(&place, &[], &block(name, "two", "three"));
        assert_eq!((ended.code, read(&place.join(name)).as_str()), (Some(0), "one\nthree\n"));
        let diff = format!("In `{name}`, change:\n\n```diff\n@@\n one\n-three\n+four\n```\n");
        let ended = apply_in(&place, &[], &diff);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert_eq!(read(&place.join(name)), "one\nfour\n");
    }
    write(&place.join("Jenkinsfile"), "a\n");
    for refused in [".git/config", "/etc/hosts", "Jenkinsfile"] {
        let ended = apply_in(&place, &["--format", "json"], &block(refused, "a", "b"));
        let told: Value = serde_json::from_str(&ended.out).unwrap();
        assert_eq!((ended.code, &told["code"]), (Some(1), &json!("path")), "{ended:?}");
    }
}

#[test]
fn the_reply_is_a_file_by_position_and_an_empty_one_is_said_to_be_empty() {
    let place = folder("position");
    write(&place.join("greet.py"), GREET);
    write(&place.join("reply.md"), BLOCK);
    let ended = apply_in(&place, &["reply.md"], "");
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(read(&place.join("greet.py")).contains("good bye"));
    let empty = apply_in(&place, &[], " \n");
    assert!(empty.err.contains("the input is empty") && empty.code == Some(2), "{empty:?}");
}

#[test]
fn the_clipboard_is_read_by_the_program_that_is_there() {
    let place = folder("paste");
    write(&place.join("greet.py"), GREET);
    let programs = place.join("bin");
    write(&programs.join("xclip"), &format!("#!/bin/sh\ncat <<'END'\n{BLOCK}END\n"));
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(programs.join("xclip"), mode).unwrap();
    let path = format!("{}:/usr/bin:/bin", programs.display());
    let ended = salve_in(&["apply", "--paste"], "", &place, &[("PATH", &path)]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(read(&place.join("greet.py")).contains("good bye"));
    let none = salve_in(&["apply", "--paste"], "", &place, &[("PATH", "/nowhere")]);
    assert!(none.err.contains("no program here reads the clipboard"), "{none:?}");
}

#[test]
fn a_paused_workspace_is_not_written_to() {
    let place = folder("paused");
    write(&place.join("greet.py"), GREET);
    write(&place.join(".salve/CONTROL.md"), "PAUSE\n");
    let ended = apply_in(&place, &[], BLOCK);
    assert_eq!(ended.code, Some(4), "{ended:?}");
    assert!(ended.err.contains("paused by `.salve/CONTROL.md`"), "{ended:?}");
    assert_eq!(read(&place.join("greet.py")), GREET);
    assert_eq!(apply_in(&place, &["--dry-run"], BLOCK).code, Some(0));
    write(&place.join(".salve/CONTROL.md"), "PAUSE\nRESUME\n");
    assert_eq!(apply_in(&place, &[], BLOCK).code, Some(0));
}

#[test]
fn a_result_that_does_not_pass_its_check_is_not_applied() {
    let place = folder("checked");
    write(&place.join("greet.py"), GREET);
    let broken = block("greet.py", "    return 'bye'", "    return 'bye");
    let flags = ["--check", "--yes", "--allow", "syntax"];
    let red = apply_in(&place, &flags, &broken);
    assert_eq!(red.code, Some(1), "{red:?}");
    assert!(red.out.contains("the check of the result is red"), "{}", red.out);
    assert_eq!(read(&place.join("greet.py")), GREET);
    let green = apply_in(&place, &flags, BLOCK);
    assert_eq!(green.code, Some(0), "{green:?}");
    assert!(read(&place.join("greet.py")).contains("good bye"));
}
