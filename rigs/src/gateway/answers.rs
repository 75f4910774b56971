//! The answers that scripted models give in the gateway's checks.
//!
//! In: a kind. Out: the text, arguments or object that is right. One place, so that the matrix, the
//! clients and the load speak of the same.

use serde_json::{Value, json};

const TEXT: &str = r#"Here is the module.

```python
import json


def load(path):
    """Reads a list of users."""
    with open(path, encoding="utf-8") as handle:
        users = json.load(handle)
    return [user for user in users if user.get("active", True)]


def greet(user):
    name = user["name"].strip() or 'stranger'
    return f"Hello, {name}! You have {len(user['mail'])} messages."


def main():
    for user in load("users.json"):
        print(greet(user))


if __name__ == "__main__":
    main()
```
"#;

const TOOL: &str = r#"{"path":"src/greeting.rs","content":"//! Greets \"people\".\n\nfn main() {\n    let names = [\"Ada\", \"Grace\", \"Barbara\"];\n    for (index, name) in names.iter().enumerate() {\n        println!(\"{index}: hello, {name}\");\n    }\n}\n","overwrite":true,"tags":["demo","greeting",{"level":3,"ratio":0.25}],"note":"first draft \u2014 see \\docs\\readme.md"}"#;

const JSON: &str = r#"{"title":"Quarterly report","author":{"name":"Ada Lovelace","email":"ada@example.org"},"sections":[{"heading":"Summary","body":"Revenue grew by 12 % \"on paper\".","score":0.87},{"heading":"Risks","body":"Two suppliers are late;\nthe third is not.","score":0.42}],"approved":false,"pages":184}"#;

/// Returns the answer of a kind: `text`, `tool` or `json`.
pub(super) fn of(kind: &str) -> &'static str {
    match kind {
        "tool" => TOOL,
        "json" => JSON,
        _ => TEXT,
    }
}

/// Returns the answer as a reply of the script.
pub(super) fn reply(kind: &str) -> Value {
    match kind {
        "tool" => json!({ "tool_calls": [{ "name": "write_file", "arguments": TOOL }] }),
        _ => json!({ "text": of(kind) }),
    }
}

/// Returns what a client must have in the end, by kind.
pub(super) fn expected() -> Value {
    let object = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
    json!({ "text": TEXT, "tool": object(TOOL), "json": object(JSON) })
}

/// Returns whether a cut at this byte leaves nothing but prose, which no byte tells from a whole one.
pub(super) fn ends_in_prose(cut: usize) -> bool {
    let fence = TEXT.find("```").unwrap_or_default();
    cut <= fence || TEXT[..cut].trim_end().ends_with("\n```")
}

/// The schema of the tool's arguments.
pub(super) fn tool_schema() -> Value {
    json!({
        "type": "object",
        "required": ["path", "content", "overwrite", "tags", "note"],
        "properties": {
            "path": { "type": "string" },
            "content": { "type": "string" },
            "overwrite": { "type": "boolean" },
            "tags": { "type": "array" },
            "note": { "type": "string" }
        }
    })
}

/// The schema of the object.
pub(super) fn json_schema() -> Value {
    json!({
        "type": "object",
        "required": ["title", "author", "sections", "approved", "pages"],
        "properties": {
            "title": { "type": "string" },
            "author": { "type": "object" },
            "sections": { "type": "array" },
            "approved": { "type": "boolean" },
            "pages": { "type": "integer" }
        }
    })
}
