//! References to the outputs of other nodes.
//!
//! In: a value that may hold `{"$from": "node"}` or `{"$from": "node", "at": "/a/0"}`. Out: who is
//! referred to, or the value with the outputs in their places. Never runs anything: there are no
//! expressions. An output that is not there is null.

use salve_jobs::Json;
use serde_json::Map;
use std::collections::BTreeMap;

/// A reference that is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadReference {
    /// It has other parts than it may have.
    #[error(
        "`$from` stands with the name of a node and, if only a part is wanted, a JSON pointer in `at`"
    )]
    Shape,
    /// A value is nested deeper than anyone writes.
    #[error("the value is nested more than {MOST_DEPTH} deep")]
    TooDeep,
}

const FROM: &str = "$from";
const AT: &str = "at";
const MOST_DEPTH: usize = 64;

/// Returns the nodes a value refers to.
pub(super) fn references(value: &Json) -> Result<Vec<String>, BadReference> {
    let mut found = Vec::new();
    collect(value, 0, &mut found)?;
    Ok(found)
}

/// Returns a value with the outputs in the places of their references.
pub(super) fn resolved(value: &Json, outputs: &BTreeMap<String, Json>) -> Json {
    match value {
        Json::Object(fields) => match read(fields) {
            Ok(Some((node, at))) => {
                let output = outputs.get(node).and_then(|output| output.pointer(at));
                output.cloned().unwrap_or_default()
            }
            _ => {
                let each = fields.iter();
                each.map(|(name, value)| (name.clone(), resolved(value, outputs))).collect()
            }
        },
        Json::Array(values) => values.iter().map(|value| resolved(value, outputs)).collect(),
        other => other.clone(),
    }
}

fn collect(value: &Json, depth: usize, found: &mut Vec<String>) -> Result<(), BadReference> {
    if depth > MOST_DEPTH {
        return Err(BadReference::TooDeep);
    }
    match value {
        Json::Object(fields) => {
            if let Some((node, _)) = read(fields)? {
                found.push(node.to_owned());
                return Ok(());
            }
            fields.values().try_for_each(|value| collect(value, depth + 1, found))
        }
        Json::Array(values) => values.iter().try_for_each(|value| collect(value, depth + 1, found)),
        _ => Ok(()),
    }
}

fn read(fields: &Map<String, Json>) -> Result<Option<(&str, &str)>, BadReference> {
    let Some(from) = fields.get(FROM) else { return Ok(None) };
    let at = match fields.get(AT) {
        None => Some(""),
        Some(at) => at.as_str().filter(|at| at.is_empty() || at.starts_with('/')),
    };
    let parts = 1 + usize::from(fields.contains_key(AT));
    match (from.as_str(), at) {
        (Some(node), Some(at)) if fields.len() == parts => Ok(Some((node, at))),
        _ => Err(BadReference::Shape),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn outputs_take_the_places_of_their_references() {
        let outputs = BTreeMap::from([("a".to_owned(), json!({"x": [1, {"y": "z"}]}))]);
        let cases = [
            (json!({"$from": "a"}), json!({"x": [1, {"y": "z"}]})),
            (json!([{"$from": "a", "at": "/x/1/y"}, 2]), json!(["z", 2])),
            (json!({"k": {"$from": "a", "at": "/x/7"}}), json!({"k": null})),
            (json!({"$from": "b"}), json!(null)),
            (json!({"at": "/x"}), json!({"at": "/x"})),
        ];
        for (value, expected) in cases {
            assert!(references(&value).is_ok());
            assert_eq!(resolved(&value, &outputs), expected, "{value}");
        }
    }

    #[test]
    fn what_is_no_reference_is_refused() {
        let deep = (0..200).fold(json!(1), |value, _| json!([value]));
        let shape = Err(BadReference::Shape);
        assert_eq!(references(&json!({"$from": 1})), shape);
        assert_eq!(references(&json!({"$from": "a", "at": "x"})), shape);
        assert_eq!(references(&json!({"$from": "a", "more": 1})), shape);
        assert_eq!(references(&deep), Err(BadReference::TooDeep));
    }
}
