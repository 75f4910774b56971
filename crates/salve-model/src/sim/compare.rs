//! Requests compared: a form that does not depend on the order of members, and the nearest of many.
//!
//! In: JSON values. Out: one text for equal values; words about what differs. Never longer than a
//! message may be.

use super::answer::floor_boundary;
use serde_json::Value;

/// Writes a value with the members of objects in order of their names.
pub(super) fn canonical(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let mut names: Vec<&String> = members.keys().collect();
            names.sort();
            let members = names.into_iter().map(|name| {
                format!("{}:{}", Value::from(name.as_str()), canonical(&members[name.as_str()]))
            });
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(canonical).collect();
            format!("[{}]", items.join(","))
        }
        scalar => scalar.to_string(),
    }
}

/// Says which known value is nearest to the one asked for, and the first places where they differ.
pub(super) fn nearest(asked: &Value, known: &[Value]) -> String {
    let differing = known.iter().enumerate().map(|(at, known)| {
        let mut differences = Vec::new();
        differ(asked, known, &mut String::new(), &mut differences);
        (at, differences)
    });
    let Some((at, differences)) = differing.min_by_key(|(_, differences)| differences.len()) else {
        return "the recording is empty".to_owned();
    };
    let shown: Vec<&str> = differences.iter().take(3).map(String::as_str).collect();
    let more = differences.len().saturating_sub(shown.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("the nearest is number {}, which differs in {}{more}", at + 1, shown.join(", "))
}

fn differ(asked: &Value, known: &Value, path: &mut String, found: &mut Vec<String>) {
    let length = path.len();
    match (asked, known) {
        (Value::Object(one), Value::Object(other)) => {
            let added = other.keys().filter(|name| !one.contains_key(name.as_str()));
            for name in one.keys().chain(added) {
                path.push_str(&format!(".{name}"));
                let of = |members: &serde_json::Map<String, Value>| {
                    members.get(name.as_str()).cloned().unwrap_or_default()
                };
                differ(&of(one), &of(other), path, found);
                path.truncate(length);
            }
        }
        (Value::Array(one), Value::Array(other)) => {
            for at in 0..one.len().max(other.len()) {
                path.push_str(&format!("[{at}]"));
                let of = |items: &[Value]| items.get(at).cloned().unwrap_or_default();
                differ(&of(one), &of(other), path, found);
                path.truncate(length);
            }
        }
        _ if asked == known => {}
        _ => {
            let name = path.trim_start_matches('.');
            found.push(format!("`{name}` (asked {}, recorded {})", short(asked), short(known)));
        }
    }
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    let at = floor_boundary(&text, 40);
    if at < text.len() { format!("{}…", &text[..at]) } else { text }
}
