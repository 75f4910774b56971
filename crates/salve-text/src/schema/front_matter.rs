//! The front matter of a document: `key: value` lines between two lines of dashes.
//!
//! In: a document. Out: the fields, or nothing where no front matter is at its head. Never a
//! YAML reader: scalars, quoted texts, flat lists and block texts are read, anything nested is kept
//! as the text it was written as.

use crate::markdown::{Fence, Lead};
use serde_json::{Map, Value};

/// Reads the front matter at the head of a document.
///
/// The fence that models like to put around a document, a byte order mark and blank lines may stand
/// before it. Without a closing line of dashes there is no front matter: the document was cut.
#[must_use]
pub fn read_front_matter(text: &str) -> Option<Map<String, Value>> {
    let mut lines = text.trim_start_matches('\u{feff}').lines().skip_while(|line| {
        let line = line.trim();
        line.is_empty() || Fence::read(line, Lead::Blanks).is_some()
    });
    if !is_rule(lines.next()?) {
        return None;
    }
    let mut body = Vec::new();
    for line in lines {
        if is_rule(line) {
            return Some(read_fields(&body));
        }
        body.push(line);
    }
    None
}

fn is_rule(line: &str) -> bool {
    line.trim_end() == "---"
}

fn read_fields(lines: &[&str]) -> Map<String, Value> {
    let mut fields = Map::new();
    let mut rest = lines;
    while let Some((line, after)) = rest.split_first() {
        rest = after;
        let Some((key, value)) = field(line) else { continue };
        let below = rest.iter().take_while(|line| is_below(line)).count();
        let (block, after) = rest.split_at(below);
        rest = after;
        fields.insert(key.to_owned(), value_of(value, block));
    }
    fields
}

/// Splits `key: value`; indented lines, comments and lines without a colon are no fields.
fn field(line: &str) -> Option<(&str, &str)> {
    if line.starts_with([' ', '\t', '#', '-']) {
        return None;
    }
    let (key, value) = line.split_once(':')?;
    let key = key.trim().trim_matches(['"', '\'']);
    let spaced = value.is_empty() || value.starts_with([' ', '\t']);
    (!key.is_empty() && spaced).then(|| (key, value.trim()))
}

/// Lines that belong to the field above them: indented ones, list items and blanks.
fn is_below(line: &str) -> bool {
    line.trim().is_empty() || line.starts_with([' ', '\t']) || line.starts_with("- ")
}

fn value_of(value: &str, block: &[&str]) -> Value {
    let block: Vec<&str> = block.iter().copied().filter(|line| !line.trim().is_empty()).collect();
    if block.is_empty() {
        return scalar_or_list(value);
    }
    let items: Option<Vec<Value>> =
        block.iter().map(|line| line.trim().strip_prefix("- ").map(scalar)).collect();
    match (value, items) {
        ("", Some(items)) => Value::Array(items),
        ("" | "|" | "|-", None) => joined(&block, "\n"),
        (">" | ">-", None) => joined(&block, " "),
        (first, _) => {
            let mut all = vec![first];
            all.extend(block);
            joined(&all, " ")
        }
    }
}

fn joined(lines: &[&str], separator: &str) -> Value {
    let lines: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
    Value::String(lines.join(separator))
}

fn scalar_or_list(value: &str) -> Value {
    let inner = value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    match inner {
        Some(inner) if inner.trim().is_empty() => Value::Array(Vec::new()),
        // A comma inside quotes would split wrongly, so such a list stays a text.
        Some(inner) if !inner.contains(['"', '\'', '[', '{']) => {
            Value::Array(inner.split(',').map(|item| scalar(item.trim())).collect())
        }
        _ => scalar(value),
    }
}

fn scalar(value: &str) -> Value {
    let value = value.trim();
    for quote in ['"', '\''] {
        if let Some(inner) = value.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) {
            return Value::String(inner.to_owned());
        }
    }
    let value = value.split(" #").next().unwrap_or(value).trim_end();
    match value {
        "" | "~" | "null" => Value::Null,
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ => match serde_json::from_str(value) {
            Ok(Value::Number(number)) => Value::Number(number),
            _ => Value::String(value.to_owned()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn o29_front_matter_is_read_from_the_head_of_a_document() {
        let cases = [
            (
                "---\ntitle: A walk\ntags: [a, b]\ndraft: true\n---\n# Text",
                Some(json!({ "title": "A walk", "tags": ["a", "b"], "draft": true })),
            ),
            (
                "\u{feff}\n```markdown\n---\ntitle: \"Say: hi\" \n---\n",
                Some(json!({ "title": "Say: hi" })),
            ),
            (
                "---\ntitle: T # why\nlist:\n  - 1\n  - two\nabout: |\n  one\n  two\n---",
                Some(json!({ "title": "T", "list": [1, "two"], "about": "one\ntwo" })),
            ),
            (
                "---\nurl: http://a.b/c\nempty:\n---",
                Some(json!({ "url": "http://a.b/c", "empty": null })),
            ),
            ("---\ntitle: cut off\n", None),
            ("# No front matter\n---\ntitle: x\n---", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(read_front_matter(text).map(Value::Object), expected, "{text:?}");
        }
    }
}
