//! A chat reply with file changes, recovered field by field from whatever arrived.
//!
//! In: the text of a reply, whole, broken or cut anywhere. Out: the fields that are certainly right,
//! and the stage that gave them. Never a value that was cut or closed by a repair: after a cut a
//! field is missing or right. Recovered changes are for showing; nothing here may be applied or run.

use super::build::build;
use super::compile::{CompiledSchema, SchemaError};
use super::forest::{Content, Forest, Mark, NodeId, NodeKind};
use super::model::{Shape, TypeId};
use super::named::SchemaName;
use super::outcome::{SchemaOptions, parse_with_schema};
use super::plan::{Planner, Rules};
use super::readings::{Scope, readings};
use super::validate::validate;
use crate::parse::{ParseOptions, parse_json};
use salve_types::{Evidence, EvidenceSource};
use serde::Serialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

/// How a chat reply was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChatStage {
    /// It was valid as it stood.
    Direct,
    /// It was valid after repairs that touched no content.
    Repaired,
    /// Only parts of it could be read.
    Recovered,
}

/// What is certain in a chat reply.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[must_use]
pub struct RecoveredChat {
    /// How it was read.
    pub stage: ChatStage,
    /// Whether parts may be missing; then nothing of it may be applied or run.
    pub recovered: bool,
    /// The summary, if all of it arrived.
    pub summary: Option<String>,
    /// What there is of a summary whose end is not certain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary_fragment: Option<String>,
    /// The sections of the reply, each with its heading.
    pub sections: Vec<Value>,
    /// The tasks the reply lists.
    pub todos: Vec<Value>,
    /// File changes that arrived to their last byte.
    pub file_changes: Vec<Value>,
    /// Commands the model proposes.
    pub commands: Vec<Value>,
    /// What the user may ask next.
    pub next_steps: Vec<Value>,
    /// Hash per path, as the model echoes it.
    pub file_hashes: Map<String, Value>,
}

/// Reads a chat reply, as much of it as is certain.
///
/// # Errors
/// Never in practice: the built-in schema compiles.
pub fn recover_chat(text: &str) -> Result<RecoveredChat, SchemaError> {
    let schema = SchemaName::ChatResponse.compile()?;
    if let Ok(Value::Object(fields)) = serde_json::from_str::<Value>(text) {
        let value = Value::Object(fields);
        if validate(&value, &schema).is_empty() {
            return Ok(from_value(&value, ChatStage::Direct));
        }
    }
    let parse_options = ParseOptions::default();
    let outcome = parse_with_schema(text, &parse_options, &schema, &SchemaOptions::default());
    if outcome.complete && outcome.violations.is_empty() {
        return Ok(from_value(&outcome.value, ChatStage::Repaired));
    }
    let parsed = parse_json(text, &parse_options);
    let (forest, found) = readings(text, &parsed, Scope::Everything);
    let best =
        found.iter().map(|reading| reading.node).max_by_key(|&node| known_keys(&forest, node));
    Ok(match best {
        Some(node) => from_fields(&schema, forest, node),
        None => from_value(&Value::Null, ChatStage::Recovered),
    })
}

/// Lists what in a chat reply makes people suspect a cut.
///
/// All of it is weak: short edits, summaries that speak of truncation and replies that end in prose
/// are common in whole replies too. No one of these, nor all together, decides.
#[must_use]
pub fn chat_truncation_hints(text: &str, chat: &RecoveredChat) -> Vec<Evidence> {
    const SHORT: usize = 200;
    let summary = chat.summary.as_deref().or(chat.summary_fragment.as_deref()).unwrap_or("");
    let trimmed = text.trim();
    let length = trimmed.chars().count();
    let changes = chat.file_changes.len();
    let hints = [
        (
            summary.to_lowercase().contains("truncated"),
            "summary_says_truncated",
            "the summary contains \"truncated\"".to_owned(),
        ),
        (
            changes > 0 && length < SHORT,
            "short_with_file_changes",
            format!("{length} characters, yet {changes} file change(s)"),
        ),
        (!trimmed.ends_with('}'), "no_closing_brace", "the text does not end with `}`".to_owned()),
    ];
    let evidence = |(_, code, message): (bool, &str, String)| Evidence {
        source: EvidenceSource::Heuristic,
        code: code.to_owned(),
        message,
        cut: true,
        weight: 0.1,
        span: None,
    };
    hints.into_iter().filter(|hint| hint.0).map(evidence).collect()
}

const FIELDS: [&str; 7] =
    ["summary", "sections", "todos", "fileChanges", "commands", "nextSteps", "fileHashes"];

fn known_keys(forest: &Forest<'_>, node: NodeId) -> usize {
    forest.entries(node).filter(|(key, _)| FIELDS.contains(&key.as_ref())).count()
}

fn from_value(value: &Value, stage: ChatStage) -> RecoveredChat {
    let list = |key: &str| value.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    RecoveredChat {
        stage,
        recovered: stage == ChatStage::Recovered,
        summary: value.get("summary").and_then(Value::as_str).map(str::to_owned),
        summary_fragment: None,
        sections: list("sections"),
        todos: list("todos"),
        file_changes: list("fileChanges"),
        commands: list("commands"),
        next_steps: list("nextSteps"),
        file_hashes: value
            .get("fileHashes")
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_default(),
    }
}

/// Takes the fields whose every part was written out, each read as the whole reply reads it.
fn from_fields(schema: &CompiledSchema, mut forest: Forest<'_>, root: NodeId) -> RecoveredChat {
    let (fields, fragment) = certain_fields(&mut forest, root);
    let mut planner = Planner::new(schema, forest, Rules::default());
    let mut whole = Map::new();
    for (name, node) in fields {
        let Some(type_id) = property_type(schema, name) else { continue };
        let plan = planner.plan(node, type_id);
        let as_written = planner.forest.value(node);
        // A list of which nothing can be read is kept as it is by the plan: it is no list.
        let fits = name == "summary" || planner.wraps(plan);
        let read = if fits { build(&planner, plan).value } else { Value::Null };
        whole.insert(name.to_owned(), agreed(schema, name, as_written, read));
    }
    RecoveredChat {
        summary_fragment: fragment,
        ..from_value(&Value::Object(whole), ChatStage::Recovered)
    }
}

/// Lists the fields with nodes that hold only their certain parts, and the beginning of a summary.
fn certain_fields(
    forest: &mut Forest<'_>,
    root: NodeId,
) -> (Vec<(&'static str, NodeId)>, Option<String>) {
    let mut fields = Vec::new();
    let mut fragment = None;
    for (key, node) in forest.entries(root) {
        let Some(&name) = FIELDS.iter().find(|name| **name == key) else { continue };
        let certain = |node: &NodeId| is_certain(forest, *node);
        let content = match (name, forest.kind(node)) {
            ("summary", NodeKind::Text(text)) if certain(&node) => Content::Text(text),
            ("summary", NodeKind::Text(text)) => {
                fragment = Some(text.into_owned());
                continue;
            }
            ("summary", _) => continue,
            ("fileHashes", NodeKind::Object) => {
                Content::Object(forest.entries(node).filter(|(_, hash)| certain(hash)).collect())
            }
            (_, NodeKind::Array) if name != "fileHashes" => {
                Content::Array(forest.items(node).filter(certain).collect())
            }
            _ => continue,
        };
        fields.push((name, forest.add_part(node, content)));
    }
    (fields, fragment)
}

fn property_type(schema: &CompiledSchema, name: &str) -> Option<TypeId> {
    match schema.shape(schema.root()) {
        Shape::Object(shape) => {
            let found = shape.properties.iter().find(|property| property.name == name);
            found.map(|property| property.type_id)
        }
        _ => None,
    }
}

/// Returns what of a field is the same whether or not the rest of the reply fits the schema.
///
/// A reply that fits is taken as it was written, any other is fitted; which of the two the whole
/// reply would have been is not known after a cut.
fn agreed(schema: &CompiledSchema, name: &str, as_written: Value, read: Value) -> Value {
    let mut reply = Map::from_iter([("summary".to_owned(), Value::String(String::new()))]);
    reply.insert(name.to_owned(), as_written.clone());
    if as_written == read || !validate(&Value::Object(reply), schema).is_empty() {
        return read;
    }
    match (as_written, read) {
        (Value::Array(written), Value::Array(read)) => {
            let pairs = written.into_iter().zip(read);
            Value::Array(pairs.map_while(|(one, other)| (one == other).then_some(one)).collect())
        }
        (Value::Object(written), Value::Object(mut read)) => {
            read.retain(|key, value| written.get(key) == Some(value));
            Value::Object(read)
        }
        _ => Value::Null,
    }
}

/// Returns whether a node was written out to its last byte, as strict JSON.
///
/// In a reply that was cut, a repair inside a value is a guess that later text might have refuted:
/// a quote that seems to end a string may be the last thing before the cut.
fn is_certain(forest: &Forest<'_>, node: NodeId) -> bool {
    forest.mark(node) == Mark::Complete
        && forest.is_ended(node)
        && serde_json::from_str::<IgnoredAny>(&forest.raw(node)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const SAMPLE: &str = r#"{
  "summary": "Adds a greeting, \"hello\", and its test.",
  "sections": [{"heading": "Why", "content": "People like {braces} and [lists], too."}],
  "todos": [{"text": "Greet", "completed": false}, {"text": "Test – naïve", "completed": false}],
  "fileChanges": [
    {"path": "src/greet.py", "language": "python", "content": "def greet():\n    return \"hi\"\n", "todoIndex": 0},
    {"path": "tests/test_greet.py", "lineRange": {"start": 10, "end": 12}, "content": "", "todoIndex": 1}
  ],
  "commands": [{"command": "pytest -q", "description": "runs \u2713"}, "ls"],
  "nextSteps": [{"html": "<b>Go on</b>", "inputText": "continue"}],
  "fileHashes": {"src/greet.py": "abc123", "a b": "def456"}
}"#;

    fn recovered(text: &str) -> RecoveredChat {
        recover_chat(text).expect("the schema compiles")
    }

    fn starts(part: &[Value], whole: &[Value]) -> bool {
        whole.starts_with(part)
    }

    #[test]
    fn c013_every_field_of_a_whole_reply_is_there() {
        let chat = recovered(SAMPLE);
        let sample: Value = serde_json::from_str(SAMPLE).expect("the sample is JSON");
        assert_eq!(chat.stage, ChatStage::Direct);
        let mut shown = serde_json::to_value(&chat).expect("it serialises");
        for key in ["stage", "recovered"] {
            shown.as_object_mut().expect("an object").remove(key);
        }
        assert_eq!(shown, sample);
    }

    #[test]
    fn c012_the_stage_is_named() {
        let fenced =
            format!("Sure, here it is:\n```json\n{}\n```\nDone.", SAMPLE.replace("]\n}", "],\n}"));
        let cases = [
            (SAMPLE.to_owned(), ChatStage::Direct),
            (fenced, ChatStage::Repaired),
            (SAMPLE[..400].to_owned(), ChatStage::Recovered),
            ("I cannot help with that.".to_owned(), ChatStage::Recovered),
        ];
        for (text, stage) in cases {
            assert_eq!(recovered(&text).stage, stage, "{text}");
        }
    }

    #[test]
    fn c150_every_class_of_fault_is_read_without_loss() {
        let faults = [
            ("quotes absent", r#"{summary: "s", commands: ["a", b]}"#, ChatStage::Repaired),
            (
                "quotes of another kind",
                "{'summary': 's', 'commands': ['a', 'b']}",
                ChatStage::Repaired,
            ),
            (
                "comma absent",
                "{\"summary\": \"s\"\n\"commands\": [\"a\",\n\"b\"]}",
                ChatStage::Repaired,
            ),
            (
                "comma too many",
                r#"{"summary": "s", "commands": ["a", "b",],}"#,
                ChatStage::Repaired,
            ),
            (
                "comment",
                "{\"summary\": \"s\", // why\n\"commands\": [\"a\", \"b\"]}",
                ChatStage::Repaired,
            ),
            (
                "fields run together",
                r#"{"summary": "s""commands": ["a", "b"]}"#,
                ChatStage::Repaired,
            ),
            ("bracket absent", r#"{"summary": "s", "commands": ["a", "b"}"#, ChatStage::Recovered),
            ("cut", r#"{"summary": "s", "commands": ["a", "b", "c"#, ChatStage::Recovered),
        ];
        for (fault, text, stage) in faults {
            let chat = recovered(text);
            assert_eq!(chat.stage, stage, "{fault}");
            assert_eq!(chat.summary.as_deref(), Some("s"), "{fault}");
            assert_eq!(chat.commands, [json!("a"), json!("b")], "{fault}");
        }
        let chat = recovered(r#"{"summary": "in C:\dev, 100\%"}"#);
        assert_eq!(chat.summary.as_deref(), Some(r"in C:\dev, 100\%"), "an escape JSON lacks");
    }

    #[test]
    fn c189_cut_at_every_byte_a_field_is_missing_or_right() {
        let whole = recovered(SAMPLE);
        for prefix in ["", "Here is the reply:\n\n```json\n"] {
            for cut in (0..SAMPLE.len()).filter(|&cut| SAMPLE.is_char_boundary(cut)) {
                let text = format!("{prefix}{}", &SAMPLE[..cut]);
                let chat = recovered(&text);
                assert_eq!(chat.stage, ChatStage::Recovered, "{text}");
                assert!(chat.summary.is_none() || chat.summary == whole.summary, "{text}");
                if let (Some(part), Some(full)) = (&chat.summary_fragment, &whole.summary) {
                    assert!(full.starts_with(part.as_str()), "{text}");
                }
                assert!(starts(&chat.sections, &whole.sections), "{text}");
                assert!(starts(&chat.todos, &whole.todos), "{text}");
                assert!(starts(&chat.file_changes, &whole.file_changes), "{text}");
                assert!(starts(&chat.commands, &whole.commands), "{text}");
                assert!(starts(&chat.next_steps, &whole.next_steps), "{text}");
                for (path, hash) in &chat.file_hashes {
                    assert_eq!(whole.file_hashes.get(path), Some(hash), "{text}");
                }
            }
        }
    }

    #[test]
    fn c189_a_guess_before_the_cut_is_no_change() {
        // The quotes in the content are not escaped, so the cut makes the change look whole.
        let text = r#"{"summary": "s", "fileChanges": [{"path": "a.js", "content": "if (x == "a"}"#;
        let chat = recovered(text);
        assert_eq!(chat.file_changes, [] as [Value; 0]);
        assert_eq!(chat.summary.as_deref(), Some("s"));
    }

    #[test]
    fn c189_items_that_need_fitting_are_the_same_before_and_after_the_cut() {
        let text = r#"{"summary": "s", "todos": [1, {"text": 7, "completed": "true"}, {"Text": "b"}],
            "fileChanges": [{"path": "a", "todoIndex": "1", "lineRange": {"start": "2", "end": 3.0}}],
            "commands": [12, {"command": "ls"}], "fileHashes": {"a": 12, "b": "c"}}"#;
        let whole = recovered(text);
        assert_eq!(whole.stage, ChatStage::Repaired);
        assert_eq!(whole.todos[0], json!({"text": "7", "completed": true}));
        let mut items = 0;
        for cut in 0..text.len() {
            let chat = recovered(&text[..cut]);
            assert!(starts(&chat.todos, &whole.todos), "{}", &text[..cut]);
            assert!(starts(&chat.file_changes, &whole.file_changes), "{}", &text[..cut]);
            assert!(starts(&chat.commands, &whole.commands), "{}", &text[..cut]);
            for (path, hash) in &chat.file_hashes {
                assert_eq!(whole.file_hashes.get(path), Some(hash), "{}", &text[..cut]);
            }
            items = items.max(chat.todos.len() + chat.file_changes.len() + chat.commands.len());
        }
        assert_eq!(items, 5, "complete items are there");
    }

    #[test]
    fn c189_complete_changes_before_the_cut_are_there() {
        let cut = SAMPLE.find("tests/test_greet").expect("it is in the sample");
        let chat = recovered(&SAMPLE[..cut]);
        assert_eq!(chat.file_changes.len(), 1);
        assert_eq!(chat.todos.len(), 2);
        assert!(chat.recovered);
    }

    #[test]
    fn c106_signs_of_a_cut_are_weak_evidence() {
        let short = r#"{"summary": "Fixes the typo.", "fileChanges": [{"path": "a.md", "content": "fixed"}]}"#;
        let hints = chat_truncation_hints(short, &recovered(short));
        let codes: Vec<&str> = hints.iter().map(|hint| hint.code.as_str()).collect();
        assert_eq!(codes, ["short_with_file_changes"]);
        let cut = r#"{"summary": "The output was truncated", "fileChanges": [{"path": "a", "content": ""}], "#;
        let hints = chat_truncation_hints(cut, &recovered(cut));
        assert_eq!(hints.len(), 3);
        assert!(hints.iter().all(|hint| hint.cut && hint.weight < 0.2));
        assert!(hints.iter().map(|hint| hint.weight).sum::<f64>() < 0.5);
    }
}
