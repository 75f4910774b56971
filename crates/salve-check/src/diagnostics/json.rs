//! JSON inside what a tool printed.
//!
//! In: text with JSON in it, among progress lines and notices, and possibly cut at the end. Out: the
//! values that are whole. Never fails and never recurses: what is cut is closed at the last item
//! that was whole.

use serde_json::Value;

// How many places may turn out not to start a document before the rest counts as having none.
const TRIED_STARTS: usize = 64;

/// Returns the first JSON array or object that starts a line and is followed all the way, or, when
/// the text is cut inside it, its items up to the cut. `item_depth` counts the brackets around the
/// inside of one item: 2 for the objects of a top-level array.
pub(super) fn document(text: &str, item_depth: usize) -> Option<Value> {
    documents(text, item_depth).into_iter().next()
}

/// Returns every such document, in order.
pub(super) fn documents(text: &str, item_depth: usize) -> Vec<Value> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut cut_start = None;
    let mut failures = 0;
    while let Some(start) = next_start(text, at).filter(|_| failures < TRIED_STARTS) {
        let rest = &text[start..];
        let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        match stream.next() {
            Some(Ok(value)) => {
                at = start + stream.byte_offset();
                found.push(value);
            }
            Some(Err(error)) if error.is_eof() => {
                cut_start.get_or_insert(start);
                failures += 1;
                at = start + 1;
            }
            _ => {
                failures += 1;
                at = start + 1;
            }
        }
    }
    // Only when nothing whole was found is a cut document worth closing.
    if found.is_empty() {
        found.extend(cut_start.and_then(|start| closed(&text[start..], item_depth)));
    }
    found
}

/// Returns the JSON object of a line, if the line ends with one; text of a program may stand before
/// it when that program did not end its line.
pub(super) fn object_line(line: &str, opening: &str) -> Option<Value> {
    let start = if line.trim_start().starts_with('{') { 0 } else { line.find(opening)? };
    serde_json::from_str::<Value>(&line[start..]).ok().filter(Value::is_object)
}

/// Returns the text of a field, empty when there is none.
pub(super) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// Returns the text of a field that is there and not empty.
pub(super) fn some_text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    Some(text(value, key)).filter(|text| !text.is_empty())
}

/// Returns the number in a field.
pub(super) fn number(value: &Value, key: &str) -> Option<u32> {
    value.get(key)?.as_u64().map(|number| u32::try_from(number).unwrap_or(u32::MAX - 1))
}

/// Returns the offset in a field.
pub(super) fn offset(value: &Value, key: &str) -> Option<usize> {
    usize::try_from(value.get(key)?.as_u64()?).ok()
}

/// Returns the items of a field that is an array.
pub(super) fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).map(items).unwrap_or_default()
}

/// Returns the items of an array.
pub(super) fn items(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

// The next bracket that is the first thing of its line.
fn next_start(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = from;
    let mut line_is_empty = from == 0 || bytes.get(from.wrapping_sub(1)) == Some(&b'\n');
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\n' => line_is_empty = true,
            b' ' | b'\t' | b'\r' => {}
            b'[' | b'{' if line_is_empty => return Some(at),
            _ => {
                line_is_empty = false;
                at += memchr::memchr(b'\n', &bytes[at..])?;
                continue;
            }
        }
        at += 1;
    }
    None
}

// Cuts after the last object that was whole at the wanted depth, and closes what is open there.
fn closed(text: &str, item_depth: usize) -> Option<Value> {
    let mut open: Vec<u8> = Vec::new();
    let mut keep = None;
    let (mut in_string, mut escaped) = (false, false);
    for (at, &byte) in text.as_bytes().iter().enumerate() {
        if in_string {
            in_string = escaped || byte != b'"';
            escaped = !escaped && byte == b'\\';
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'{' => open.push(b'}'),
            b'[' => open.push(b']'),
            b'}' | b']' => {
                if open.pop() != Some(byte) {
                    break;
                }
                if byte == b'}' && open.len() < item_depth {
                    keep = Some((at + 1, open.clone()));
                }
            }
            _ => {}
        }
    }
    let (end, open) = keep?;
    let mut whole = text.get(..end)?.as_bytes().to_vec();
    whole.extend(open.iter().rev());
    serde_json::from_slice(&whole).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_document_is_found_among_notices_and_whole_up_to_a_cut() {
        let found = json!([{"a": [1, {"b": "}]"}]}, {"c": 2}]);
        for text in [
            "npm notice\n [{\"a\":[1,{\"b\":\"}]\"}]},{\"c\":2}]\nDone in 2s\n",
            "[{\"a\":[1,{\"b\":\"}]\"}]},{\"c\":2},{\"d\": {\"e\": 1}, \"f",
            "[not json]\n[{\"a\":[1,{\"b\":\"}]\"}]},{\"c\":2}, {\"g\": [{\"h\":1}",
        ] {
            assert_eq!(document(text, 2), Some(found.clone()), "{text}");
        }
        assert_eq!(document("", 2), None);
        assert_eq!(document("nothing {here}\n]\n", 2), None);
    }

    #[test]
    fn hostile_documents_end() {
        for text in ["[".repeat(200_000), "[\n".repeat(100_000), "{\"a\":".repeat(100_000)] {
            assert_eq!(document(&text, 2), None);
        }
        let many = "{}\n".repeat(10_000);
        assert_eq!(documents(&many, 1).len(), 10_000);
    }
}
