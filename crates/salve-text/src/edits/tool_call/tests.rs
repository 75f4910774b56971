//! Tool calls under every name, and what is not whole enough to use.

use super::read;
use crate::edits::EditOptions;
use crate::edits::blocks::shown::shown;
use proptest::prelude::*;
use salve_types::{EditEnd, EditFormat, FileChange, HunkBody};
use serde_json::json;

fn parsed(text: &str) -> String {
    shown(read(text, &EditOptions::default()).as_ref())
}

#[test]
fn every_tool_s_names_are_known() {
    let names = [
        ("path", "old_string", "new_string"),
        ("filePath", "oldString", "newString"),
        ("file_path", "old_str", "new_str"),
        ("file", "old_text", "new_text"),
        ("filename", "old", "new"),
        ("path", "before", "after"),
        ("path", "search", "replace"),
        ("path", "find", "replace"),
    ];
    for (path, old, new) in names {
        let call = json!({path: "a.py", old: "x\n", new: "y"});
        assert_eq!(parsed(&call.to_string()), "json_tool\na.py: \"x\\n\" -> \"y\"", "{call}");
    }
}

#[test]
fn calls_are_found_in_what_providers_wrap_around_them() {
    let edit = json!({"path": "a.py", "old_str": "x", "new_str": "y"});
    let cases = [
        json!({"name": "edit", "arguments": edit}).to_string(),
        json!({"name": "edit", "arguments": edit.to_string()}).to_string(),
        json!({"type": "tool_use", "id": "1", "name": "edit", "input": edit}).to_string(),
        json!({"type": "function", "function": {"name": "edit", "arguments": edit.to_string()}})
            .to_string(),
        json!({"choices": [{"message": {"content": null, "tool_calls": [
            {"id": "1", "function": {"name": "edit", "arguments": edit.to_string()}}]}}]})
        .to_string(),
        json!({"role": "assistant", "content": [{"type": "text", "text": "Sure."},
            {"type": "tool_use", "name": "edit", "input": edit}]})
        .to_string(),
        json!([edit]).to_string(),
        format!("Sure, here it is:\n\n```json\n{edit}\n```\nDone."),
        format!("Sure:\n\n{edit}\n\nThis changes x."),
        format!("<tool_call>\n{edit}\n</tool_call>"),
        format!("<tool_call>{edit}</tool_call>"),
        serde_json::to_string_pretty(&edit).expect("it serialises"),
        format!("\u{feff}{edit}"),
    ];
    for text in cases {
        assert_eq!(parsed(&text), "json_tool\na.py: \"x\" -> \"y\"", "{text}");
    }
}

#[test]
fn the_other_carriers_are_known() {
    let cases = [
        (json!({"path": "a", "content": "x\n"}), "json_tool\na: write \"x\\n\""),
        (json!({"command": "create", "path": "a", "file_text": "x"}), "json_tool\na: create \"x\""),
        (
            json!({"command": "str_replace", "path": "a", "old_str": "x"}),
            "json_tool\na: \"x\" -> \"\"",
        ),
        // This tool inserts after a line, so that 0 is the top of the file.
        (
            json!({"command": "insert", "path": "a", "insert_line": 0, "new_str": "x\n"}),
            "line_operations\na: Insert 1-1 \"x\"",
        ),
        (
            json!({"command": "insert", "path": "a", "insert_line": 4, "insert_text": "x"}),
            "line_operations\na: Insert 5-5 \"x\"",
        ),
        // Without a command, text goes before the line.
        (
            json!({"path": "a", "insert_line": 4, "new_text": "x"}),
            "line_operations\na: Insert 4-4 \"x\"",
        ),
        (
            json!({"path": "a", "start_line": 2, "end_line": 3, "new_content": "x"}),
            "line_operations\na: Replace 2-3 \"x\"",
        ),
        (json!({"path": "a", "new_text": "x"}), "json_tool\na: create \"x\""),
        (
            json!({"path": "a", "old": "x", "new": "y", "replaceAll": true}),
            "json_tool\na: \"x\" -> \"y\" all",
        ),
        (
            json!({"path": "a", "old": "x", "new": "y", "expected_replacements": 1}),
            "json_tool\na: \"x\" -> \"y\"",
        ),
        (
            json!({"path": "a", "old": "x", "new": "x"}),
            "json_tool\na: \"x\" -> \"x\"\nnote NO_EFFECT",
        ),
        (
            json!({"path": "a", "edits": [{"old": "1", "new": "2"}, {"old": "3", "new": "4"}]}),
            "json_tool\na: \"1\" -> \"2\"; \"3\" -> \"4\"",
        ),
        (json!({"name": "delete_file", "arguments": {"path": "a"}}), "json_tool\na: delete"),
        (
            json!({"path": "a.rs", "content": "fn a() {}\n// ... existing code ...\n"}),
            "json_tool\na.rs: lazy \"fn a() {}\\n// ... existing code ...\\n\"",
        ),
        (
            json!({"target_file": "a.rs", "code_edit": "fn a() {}"}),
            "json_tool\na.rs: lazy \"fn a() {}\"",
        ),
        (
            json!({"TargetFile": "a", "ReplacementChunks": [
                {"TargetContent": "x", "ReplacementContent": "y", "AllowMultiple": false}]}),
            "json_tool\na: \"x\" -> \"y\"",
        ),
        (
            json!({"type": "apply_patch_call", "operation":
                {"type": "create_file", "path": "a", "diff": "+x\n+y\n"}}),
            "json_tool\na: create \"x\\ny\\n\"",
        ),
        (
            json!({"type": "apply_patch_call", "operation": {"type": "delete_file", "path": "a"}}),
            "json_tool\na: delete",
        ),
        (
            json!({"path": "a", "diff": "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE"}),
            "json_tool\na: [\"x\"] => [\"y\"]",
        ),
    ];
    for (call, expected) in cases {
        assert_eq!(parsed(&call.to_string()), expected, "{call}");
    }
}

#[test]
fn c032_line_operations_count_from_one_and_carry_the_expected_text() {
    let change = json!({"fileChanges": [{"path": "a.py", "language": "python", "content": "",
    "todoIndex": 0, "lineOperations": [
        {"op": "insert", "line": 1, "text": "import os\n"},
        {"type": "replace", "startLine": 3, "endLine": 4, "expectedText": "x\ny\n", "newText": "z"},
        {"op": "delete", "start": 9, "expected": "gone"},
        {"op": "insert_after", "line": 9, "text": "w"},
    ]}]});
    insta::assert_snapshot!(parsed(&change.to_string()), @r#"
    line_operations
    a.py: Insert 1-1 "import os"; Replace 3-4 "z" if "x\ny"; Delete 9-9 "" if "gone"; Insert 10-10 "w"
    "#);
    let faults = [
        (json!({"op": "insert", "line": 0, "text": "x"}), "line 0 does not exist"),
        (json!({"op": "replace", "start": 5, "end": 4, "text": "x"}), "cannot end at line 4"),
        (json!({"op": "replace", "start": 5}), "needs `text`"),
        (json!({"op": "swap", "start": 5}), "`swap` is no line operation"),
        (json!({"op": "insert", "line": -1, "text": "x"}), "whole number from 1"),
        (json!({"op": "insert", "line": 1.5, "text": "x"}), "whole number from 1"),
        (json!({"op": "insert", "text": "x"}), "needs `start`"),
        (json!({"line": 1, "text": "x"}), "needs `op`"),
        (json!({"op": "insert_after", "line": u32::MAX, "text": "x"}), "no file has a line after"),
    ];
    for (operation, expected) in faults {
        let call = json!({"path": "a", "lineOperations": [operation]}).to_string();
        let shown = parsed(&call);
        assert!(shown.contains("malformed") && shown.contains(expected), "{call}\n{shown}");
    }
}

#[test]
fn c033_every_carrier_of_a_change_is_kept() {
    let diff = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y\n";
    let change = json!({"fileChanges": [
        {"path": "a.py", "content": "y\n", "lineOperations": [{"op": "replace", "line": 1, "text": "y"}]},
        {"path": "b.py", "content": "z", "lineRange": {"start": 2, "end": 3}},
        {"path": "c.py", "content": "", "lineRange": {"start": 2, "end": 3}},
        {"path": "d.py", "content": "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n", "isDiff": true},
        {"path": "e.py", "content": "whole\n"},
    ]});
    insta::assert_snapshot!(parsed(&change.to_string()), @r#"
    json_tool
    a.py: Replace 1-1 "y"
    a.py: write "y\n"
    b.py: Replace 2-3 "z"
    c.py: Delete 2-3 ""
    d.py: ["x"] => ["y"]
    e.py: write "whole\n"
    "#);
    let unified = json!({"fileChanges": [{"path": "a.py", "content": diff, "isDiff": true}]});
    let shown = parsed(&unified.to_string());
    assert_eq!(shown, "json_tool\na.py: 2 lines @1", "the diff is read as one");
    let wrong = json!({"fileChanges": [{"path": "a.py", "content": "x = 1\n", "isDiff": true}]});
    assert!(parsed(&wrong.to_string()).contains("malformed"), "text that should be a diff");
}

#[test]
fn c042_files_are_created_deleted_and_renamed() {
    let change = json!({"fileChanges": [
        {"path": "a", "content": "x", "operation": "create"},
        {"path": "b", "content": "y", "operation": "update"},
        {"path": "c", "content": "", "operation": "delete"},
        {"path": "d", "operation": "rename", "newPath": "e"},
        {"path": "f", "content": "z", "operation": "rename", "to": "g"},
    ]});
    insta::assert_snapshot!(parsed(&change.to_string()), @r#"
    json_tool
    a: create "x"
    b: write "y"
    c: delete
    d: keep -> e
    f: write "z" -> g
    "#);
    for (change, expected) in [
        (json!({"path": "d", "operation": "rename"}), "a rename needs `newPath`"),
        (json!({"path": "d", "operation": "create"}), "a new file needs `content`"),
    ] {
        let shown = parsed(&json!({"fileChanges": [change]}).to_string());
        assert!(shown.contains(expected), "{shown}");
    }
}

#[test]
fn c081_the_hashes_of_the_carrier_are_kept() {
    let reply = json!({"summary": "s", "fileChanges": [{"path": "a.py", "content": "x"}],
        "fileHashes": {"a.py": "abc", "b.py": 7}});
    insta::assert_snapshot!(parsed(&reply.to_string()), @r#"
    json_tool
    a.py: write "x"
    hashes {"a.py": "abc"}
    "#);
    let without = json!({"fileChanges": [{"path": "a.py", "content": "x"}]}).to_string();
    let set = read(&without, &EditOptions::default()).expect("an edit");
    assert_eq!(set.hashes, None, "a missing field is not an empty one");
    let empty = json!({"fileChanges": [{"path": "a", "content": "x"}], "fileHashes": {}});
    let set = read(&empty.to_string(), &EditOptions::default()).expect("an edit");
    assert_eq!(set.hashes.map(|hashes| hashes.len()), Some(0));
}

#[test]
fn c089_paths_of_changes_and_hashes_stay_as_they_were_written() {
    let reply = json!({"fileChanges": [{"path": "./a.py", "content": "x"}],
        "fileHashes": {"a.py": "abc"}});
    insta::assert_snapshot!(parsed(&reply.to_string()), @r#"
    json_tool
    ./a.py: write "x"
    hashes {"a.py": "abc"}
    "#);
}

#[test]
fn repairs_that_touch_no_value_are_noted() {
    let cases = [
        "{'path': 'a', 'old': 'x', 'new': 'y'}",
        "{\"path\": \"a\", \"old\": \"x\", \"new\": \"y\",}",
        "{path: \"a\", old: \"x\", new: \"y\"}",
        "{\"path\": \"a\", // the file\n\"old\": \"x\", \"new\": \"y\"}",
        "{\"path\": \"a\" \"old\": \"x\", \"new\": \"y\"}",
    ];
    for text in cases {
        let shown = parsed(text);
        assert!(shown.starts_with("json_tool\na: \"x\" -> \"y\"\nnote JSON_REPAIRED"), "{shown}");
        assert!(!shown.contains("malformed") && !shown.contains("truncated"), "{text}\n{shown}");
    }
    let raw = parsed("{\"path\": \"a\", \"content\": \"x\ny\n\"}");
    assert!(raw.contains("JSON_REPAIRED"), "{raw}");
}

#[test]
fn repairs_that_guess_make_the_set_unusable() {
    let cases = [
        r#"{"path": "a", "old": "x", "new": "y"#,
        r#"{"path": "a", "old": "x", "new": "y""#,
        r#"{"path": "a", "old": "x", "new": }"#,
        r#"{"path": "a", "content": "say "hi" now"}"#,
        r#"{"path": "a", "content": unquoted text}"#,
        r#"{"path": "a", "content": "x", "content": "y"}"#,
        r#"{"path": "a", "content": "tail", ...}"#,
        r#"[{"path": "a", "content": "x"}, {"path": "b", "con"#,
        r#"{"path": "a", "edits": [{"old": "x", "new": "y"}"#,
        r#"{"name": "edit", "arguments": "{\"path\": \"a\", \"old\": \"x\", \"new\": \"y"}"#,
        r#"{"path": "a.py""#,
        r#"{"fileChanges": ["#,
    ];
    for text in cases {
        let set = read(text, &EditOptions::default());
        assert!(set.is_some_and(|set| set.end != EditEnd::Complete), "{text}\n{}", parsed(text));
    }
}

#[test]
fn other_json_is_no_call() {
    let cases = [
        "",
        "no json",
        r#"{"name": "app", "version": "1.0.0", "files": ["dist"], "dependencies": {"a": "1"}}"#,
        r#"{"summary": "s", "fileChanges": []}"#,
        r#"{"path": "a"}"#,
        r#"{"command": "view", "path": "a"}"#,
        r#"{"path": ".", "search": "needle"}"#,
        r#"{"name": "read_file", "arguments": {"path": "a"}}"#,
        "[1, 2, 3]",
        "```js\nwrite({\"path\": \"a\", \"content\": \"x\"})\n```\n",
        "fn main() {\n    let x = 1;\n}\n",
    ];
    for text in cases {
        assert_eq!(parsed(text), "none", "{text}");
    }
    let translations = r#"{"search": "Suche", "replace": "Ersetzen"}"#;
    let whole = EditOptions { format: Some(EditFormat::WholeFile), ..EditOptions::default() };
    assert_eq!(shown(read(translations, &whole).as_ref()), "none");
}

#[test]
fn hostile_json_is_survived() {
    let deep = format!("{}{}", r#"{"input":"#.repeat(10_000), "1");
    let nested = format!(r#"{{"path":"a","edits":{}{}}}"#, "[".repeat(5_000), "]".repeat(5_000));
    let many = format!("[{}]", r#"{"path":"a","old":"x","new":"y"},"#.repeat(5_000));
    for text in [
        deep,
        nested,
        "{\"path\":".repeat(5_000),
        "[{".repeat(20_000),
        "{\"path\": \"\u{0}\", \"content\": \"\u{0}\"}".to_owned(),
    ] {
        let _ = read(&text, &EditOptions::default());
    }
    let set = read(&many, &EditOptions::default()).expect("edits");
    assert!(matches!(&set.files[0].change, FileChange::Patch(hunks) if hunks.len() == 5_000));
}

proptest! {
    #[test]
    fn written_calls_are_read_back_and_cut_ones_refused(
        old in "\\PC{0,30}", new in "(\\PC|\n|\t|\"|\\\\){0,30}", cut in 0.0f64..1.0,
    ) {
        let call = json!({"path": "src/a.rs", "old_string": old, "new_string": new}).to_string();
        let set = read(&call, &EditOptions::default()).expect("a call");
        prop_assert_eq!(&set.end, &EditEnd::Complete);
        let FileChange::Patch(hunks) = &set.files[0].change else { panic!("a patch") };
        prop_assert_eq!(&hunks[0].body, &HunkBody::Text { old, new });
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a test's cut")]
        #[expect(clippy::cast_precision_loss, reason = "a test's cut")]
        let mut at = (call.len() as f64 * cut) as usize;
        while !call.is_char_boundary(at) {
            at -= 1;
        }
        if let Some(set) = read(&call[..at], &EditOptions::default()) {
            prop_assert_ne!(set.end, EditEnd::Complete);
        }
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "([{}\\[\\]\":,\\\\'`\n]|path|old|new|content|a|é|0){0,60}") {
        let _ = read(&text, &EditOptions::default());
    }
}
