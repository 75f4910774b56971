//! Answers as they come: whole, broken, cut at every byte, without fields, redacted.

use super::*;
use serde_json::json;

/// A structured answer of about 4 KB that has every field.
fn sample() -> String {
    let body: String = (0..30)
        .map(|line| format!("def step_{line}(x):\n    \"\"\"Naïve – no. {line}\"\"\"\n    return {{\"x\": [x, {line}]}}\n"))
        .collect();
    let todos: Vec<Value> = (0..8)
        .map(|at| json!({"text": format!("Add type hints to function {at}, \"as is\""), "completed": at == 0}))
        .collect();
    let whole = json!({
        "summary": "Added type hints, a docstring and \\ a \"quoted\" word to the factorial function.",
        "sections": [
            {"heading": "Why", "content": "Types {help} [readers].\nAnd `🖥️ mypy src` says so."},
            {"heading": "How", "content": "One function at a time, ✓."},
        ],
        "todos": todos,
        "fileChanges": [
            {"path": "docs/handoff_test.py", "language": "python", "content": body, "todoIndex": 0},
            {"path": "src/a.py", "lineOperations": [{"op": "replace", "start": 1, "end": 2, "text": "x = 1\n"}], "todoIndex": 1},
        ],
        "commands": [{"command": "python docs/handoff_test.py", "description": "runs it", "cwd": "."}, "ls -l"],
        "nextSteps": [{"html": "Continue to next step", "inputText": "continue"}],
        "fileHashes": {"docs/handoff_test.py": "a8827c08d889a8827c08d889a8827c08", "src/a.py": "00ff00ff00ff00ff"},
    });
    serde_json::to_string_pretty(&whole).expect("it serialises")
}

#[test]
fn c013_every_field_is_read_and_keeps_its_names() {
    let answer = read_answer(&sample(), true);
    assert_eq!(answer.stage, AnswerStage::Direct);
    assert!(answer.is_actionable());
    assert_eq!(answer.todos.len(), 8);
    assert!(answer.todos[0].completed, "a claim is kept as one");
    assert_eq!(answer.file_changes.len(), 2);
    let lines: Vec<&str> = answer.commands.iter().map(|it| it.command.as_str()).collect();
    assert_eq!(lines, ["python docs/handoff_test.py", "ls -l", "mypy src"]);
    assert_eq!(answer.commands[0].cwd.as_deref(), Some("."));
    assert_eq!(answer.next_steps[0].input_text, "continue");
    let links: Vec<(String, u64)> =
        answer.todo_links().into_iter().map(|link| (link.path, link.todo_index)).collect();
    assert_eq!(links, [("docs/handoff_test.py".to_owned(), 0), ("src/a.py".to_owned(), 1)]);
    let shown = serde_json::to_value(&answer).expect("it serialises");
    for key in
        ["summary", "sections", "todos", "fileChanges", "commands", "nextSteps", "fileHashes"]
    {
        assert!(shown.get(key).is_some(), "{key}");
    }
    assert_eq!(serde_json::from_value::<ChatAnswer>(shown).expect("it is read back"), answer);
}

#[test]
fn c012_four_stages_are_told_apart() {
    let whole = r#"{"summary": "s", "commands": ["ls"], "fileChanges": [{"path": "a.py", "content": "x = 1\n"}]}"#;
    let broken = r#"{"summary": "s", "commands": ["ls"], "fileChanges": [{"path": "a.py", "content": "x = 1\n"}}"#;
    let repaired = whole.replace("]}", "],}").replace("\"commands\"", "commands");
    let invented = whole.replace("x = 1", "x = 2");
    for (answer, stage, actionable) in [
        (read_answer(whole, true), AnswerStage::Direct, true),
        (read_answer(&repaired, true), AnswerStage::Repaired, true),
        (read_cleaned(broken, whole, true), AnswerStage::ModelCleaned, true),
        (read_answer(broken, true), AnswerStage::Recovered, false),
        (read_cleaned(broken, &invented, true), AnswerStage::Recovered, false),
        (read_cleaned(broken, "I could not do it.", true), AnswerStage::Recovered, false),
        (read_answer(whole, false), AnswerStage::Recovered, false),
    ] {
        assert_eq!(answer.stage, stage, "{answer:?}");
        assert_eq!(answer.is_actionable(), actionable, "{answer:?}");
        assert_eq!(answer.recovered, !actionable, "{answer:?}");
    }
}

#[test]
fn c189_cut_at_every_byte_nothing_is_wrong_and_nothing_is_actionable() {
    let text = sample();
    assert!((4000..6000).contains(&text.len()), "{}", text.len());
    let whole = read_answer(&text, true);
    let mut banners = 0;
    for cut in (0..text.len()).filter(|&cut| text.is_char_boundary(cut)) {
        // Most answers that are cut are known to be; one that nothing proves cut is no less safe.
        let answer = read_answer(&text[..cut], cut % 7 == 0);
        assert!(answer.actionable_changes().is_empty(), "{cut}");
        assert!(answer.actionable_commands().is_empty(), "{cut}");
        assert!(answer.summary.is_none() || answer.summary == whole.summary, "{cut}");
        if let (Some(part), Some(full)) = (&answer.summary_fragment, &whole.summary) {
            assert!(full.starts_with(part.as_str()), "{cut}");
        }
        assert!(whole.sections.starts_with(&answer.sections), "{cut}");
        assert!(whole.todos.starts_with(&answer.todos), "{cut}");
        assert!(whole.file_changes.starts_with(&answer.file_changes), "{cut}");
        assert!(whole.next_steps.starts_with(&answer.next_steps), "{cut}");
        assert!(answer.commands.iter().all(|it| whole.commands.contains(it)), "{cut}");
        for (path, hash) in &answer.file_hashes {
            assert_eq!(whole.file_hashes.get(path), Some(hash), "{cut}");
        }
        if let Some(banner) = recovery_banner(&answer) {
            banners += 1;
            for (count, what) in [
                (answer.todos.len(), "todo(s)"),
                (answer.next_steps.len(), "next step(s)"),
                (answer.commands.len(), "command(s)"),
                (answer.file_changes.len(), "file change(s)"),
                (answer.sections.len(), "section(s)"),
            ] {
                assert_eq!(banner.contains(&format!("{count} {what}")), count > 0, "{banner}");
            }
        }
    }
    assert!(banners > text.len() / 2, "what was recovered is said: {banners}");
}

#[test]
fn c186_the_banner_word_for_word() {
    let answer = ChatAnswer {
        recovered: true,
        todos: vec![ClaimedTodo::default(); 8],
        next_steps: vec![SuggestedStep::default()],
        commands: vec![SuggestedCommand::default()],
        ..ChatAnswer::default()
    };
    assert_eq!(
        recovery_banner(&answer).as_deref(),
        Some(
            "⚠️ AI response had errors - Recovery succeeded!\n\
             Recovered: 8 todo(s), 1 next step(s), 1 command(s).\n\
             The content below may be incomplete."
        )
    );
    assert_eq!((RETRY_LABEL, CONTINUE_LABEL), ("🔄 Retry", "✓ Continue"));
}

#[test]
fn c185_nothing_recovered_is_no_success() {
    for text in ["", "{", "{\"sum", "{\"todos\": [", "I would"] {
        let answer = read_answer(text, false);
        assert!(answer.recovered && answer.is_empty(), "{text}");
        assert_eq!(recovery_banner(&answer), None, "{text}");
    }
    let fragment = read_answer("{\"summary\": \"Added type hi", false);
    assert_eq!(fragment.summary_fragment.as_deref(), Some("Added type hi"));
    assert!(recovery_banner(&fragment).is_some_and(|it| it.contains("Recovered: the summary.")));
}

#[test]
fn c107_the_blocked_text_word_for_word() {
    assert_eq!(
        blocked_banner(3),
        "🚫 BLOCKED: 3 file change(s) from truncated response.\n\
         The response was cut off mid-stream. NO changes have been applied."
    );
}

#[test]
fn an_answer_without_fields_is_its_text() {
    let openapi = "Here is the file:\n\n```json\n{\"openapi\": \"3.1.0\", \"summary\": \"Shop\", \"x\": [\n```\n";
    let example =
        "The format is:\n```json\n{\"summary\": \"text\"}\n```\nand you can change it as you like.";
    let texts =
        ["No, `a.py` is fine as it is.", "Use this:\n```python\nx = {}\n```\n", openapi, example];
    for text in texts {
        let answer = read_answer(text, true);
        assert_eq!(answer.plain_text.as_deref(), Some(text));
        assert!(!answer.recovered && answer.is_actionable());
        assert_eq!(recovery_banner(&answer), None);
    }
}

#[test]
fn c012_an_answer_in_any_wrapping_is_read() {
    let full = r#"{"summary": "Did it.", "todos": [{"text": "A", "completed": false}], "fileChanges": [{"path": "a.py", "content": "x = 1\n", "todoIndex": 0}], "commands": ["ls"]}"#;
    let with = |from: &str, to: &str| {
        assert!(full.contains(from), "{from}");
        full.replace(from, to)
    };
    let index = "\"todoIndex\": 0";
    for (what, text) in [
        ("talk and a fence", format!("Sure!\n```json\n{full}\n```\nLet me know.")),
        ("a list of one", format!("[{full}]")),
        ("wrapped", format!("{{\"response\": {full}}}")),
        ("thinking", format!("<think>{{\"summary\": \"no\"}}?</think>\n{full}")),
        ("a mark of order", format!("\u{feff}{full}")),
        ("null for a place", with(index, "\"todoIndex\": null")),
        ("a negative place", with(index, "\"todoIndex\": -1")),
        (
            "null for parts",
            with(index, "\"lineRange\": null, \"isDiff\": null, \"language\": null"),
        ),
        (
            "null for lists",
            with(
                "\"commands\"",
                "\"nextSteps\": null, \"sections\": null, \"fileHashes\": null, \"commands\"",
            ),
        ),
        (
            "null in a fence",
            format!(
                "Sure\n```json\n{}\n```",
                with("\"commands\"", "\"sections\": null, \"commands\"")
            ),
        ),
        ("null for a hash", with("\"commands\"", "\"fileHashes\": {\"a.py\": null}, \"commands\"")),
        ("null for completed", with("false", "null")),
        ("a string for a task", with(r#"{"text": "A", "completed": false}"#, "\"A\"")),
        ("a string for a section", with("\"commands\"", "\"sections\": [\"S\"], \"commands\"")),
    ] {
        let answer = read_answer(&text, true);
        assert_eq!(answer.stage, AnswerStage::Repaired, "{what}");
        assert!(answer.is_actionable(), "{what}");
        assert_eq!(answer.summary.as_deref(), Some("Did it."), "{what}");
        assert_eq!(
            answer.todos,
            [ClaimedTodo { text: "A".to_owned(), completed: false }],
            "{what}"
        );
        assert_eq!(answer.file_changes[0]["content"], "x = 1\n", "{what}");
        assert_eq!(answer.commands[0].command, "ls", "{what}");
        let cut = read_answer(&text, false);
        assert!(cut.recovered && cut.actionable_changes().is_empty(), "{what}");
    }
}

#[test]
fn c074_commands_are_found_in_the_text_and_in_the_list() {
    for (text, expected) in [
        ("Suggests fix, then `🖥️ tsc --noEmit` command", vec!["tsc --noEmit"]),
        ("🖥️ npm run build\n- 🖥 `cargo test` first", vec!["npm run build", "cargo test"]),
        ("🖥️ $ ls -l\n🖥️ ls -l", vec!["ls -l"]),
        ("🖥️\n🖥️ ``\nnothing", vec![]),
    ] {
        let lines: Vec<String> = marked_commands(text).into_iter().map(|it| it.command).collect();
        assert_eq!(lines, expected, "{text}");
        assert_eq!(read_answer(text, true).commands.len(), expected.len(), "{text}");
        assert!(read_answer(text, false).commands.is_empty(), "{text}");
    }
}

#[test]
fn c174_c175_next_steps_are_objects_and_once_were_strings() {
    let text = r#"{"summary": "s", "nextSteps": [{"html": "<b>Go</b> 🚀", "inputText": "go"}, "run tests", {"html": "Look"}, ""]}"#;
    let steps = read_answer(text, true).next_steps;
    let shown: Vec<(&str, &str, bool)> = steps
        .iter()
        .map(|step| (step.html.as_str(), step.input_text.as_str(), step.legacy))
        .collect();
    assert_eq!(
        shown,
        [("<b>Go</b> 🚀", "go", false), ("run tests", "run tests", true), ("Look", "Look", false),]
    );
}

#[test]
fn x24_what_lost_a_secret_is_not_done() {
    let mark = "[redacted:aws-key]";
    for (text, redacted) in [
        (format!(r#"{{"summary": "{mark}", "commands": ["ls"]}}"#), false),
        (format!(r#"{{"summary": "s", "commands": ["curl -H {mark} x"]}}"#), true),
        (
            format!(r#"{{"summary": "s", "commands": [{{"command": "ls", "cwd": "{mark}"}}]}}"#),
            true,
        ),
        (
            format!(
                r#"{{"summary": "s", "fileChanges": [{{"path": "a", "lineOperations": [{{"text": "k={mark}"}}]}}]}}"#
            ),
            true,
        ),
        (format!("Use this:\n```\nkey = \"{mark}\"\n```\n"), true),
    ] {
        let answer = read_answer(&text, true);
        assert_eq!(answer.redacted_in_action, redacted, "{text}");
        assert_eq!(answer.is_actionable(), !redacted, "{text}");
    }
}
