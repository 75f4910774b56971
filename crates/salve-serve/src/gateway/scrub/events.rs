//! A key that the events of a failure tell in pieces.
//!
//! In: the events of a failure, all of them. Out: the same bytes, unless the texts that a client joins
//! spell a key; then those texts without it. Never another event, and never another field.

use super::{Forms, Scrub};
use bytes::{Bytes, BytesMut};
use salve_model::wire::{SseFrame, SseSplitter};
use serde_json::Value;
use std::collections::BTreeMap;

// An event, and what its data says: JSON, or a text as it is.
pub(super) struct Event {
    pub(super) frame: SseFrame,
    pub(super) said: Value,
    is_json: bool,
    pub(super) is_changed: bool,
}

impl Scrub {
    /// Cleans the events of a failure. Clients join the texts at the same place of all events, so that
    /// a key may be spread over them.
    pub(crate) fn events(&self, bytes: Bytes) -> Bytes {
        let bytes = self.bytes(bytes);
        let Some(forms) = &self.0 else { return bytes };
        let mut events = read(&bytes);
        let mut joined: BTreeMap<String, String> = BTreeMap::new();
        for event in &mut events {
            each_text(&mut event.said, &mut String::new(), &mut |place, text| {
                joined.entry(unnumbered(place)).or_default().push_str(text);
            });
        }
        joined.retain(|_, text| forms.finder.is_match(text.as_bytes()));
        if joined.is_empty() {
            return bytes;
        }
        joined.values_mut().for_each(|text| *text = clean(forms, text));
        // The first text of a place gets all of it, and the others nothing.
        let mut out = BytesMut::with_capacity(bytes.len());
        for mut event in events {
            let is_changed = &mut event.is_changed;
            each_text(&mut event.said, &mut String::new(), &mut |place, text| {
                if let Some(all) = joined.get_mut(&unnumbered(place)) {
                    *text = std::mem::take(all);
                    *is_changed = true;
                }
            });
            out.extend_from_slice(&event.written());
        }
        out.freeze()
    }
}

impl Event {
    pub(super) fn of(frame: SseFrame) -> Self {
        // A comment says nothing, and a number alone may be a part of a text.
        let empty = frame.data.is_empty().then_some(Value::Null);
        let json = empty.or_else(|| {
            serde_json::from_slice(&frame.data).ok().filter(|it: &Value| !it.is_number())
        });
        let is_json = json.is_some();
        let text = || Value::from(String::from_utf8_lossy(&frame.data));
        Self { said: json.unwrap_or_else(text), frame, is_json, is_changed: false }
    }

    pub(super) fn written(self) -> Bytes {
        let name = self.frame.event_name().unwrap_or_default();
        match &self.said {
            _ if !self.is_changed => self.frame.raw,
            Value::String(text) if !self.is_json => {
                SseFrame::of(name, &text.replace(['\r', '\n'], " ")).raw
            }
            said => SseFrame::of(name, &said.to_string()).raw,
        }
    }
}

fn read(bytes: &Bytes) -> Vec<Event> {
    let mut splitter = SseSplitter::with_limit(bytes.len());
    splitter.push(bytes.clone());
    let mut events = Vec::new();
    while let Ok(Some(frame)) = splitter.next_frame() {
        events.push(Event::of(frame));
    }
    events.extend(splitter.finish().map(Event::of));
    events
}

fn clean(forms: &Forms, text: &str) -> String {
    let clean = forms.finder.replace_all_bytes(text.as_bytes(), &forms.stars());
    String::from_utf8_lossy(&clean).into_owned()
}

// By these, clients tell answers and blocks apart.
const NUMBERS: [&str; 3] = ["index", "output_index", "content_index"];

/// Visits every text of an event with its place, the numbers of its answer and block included. The
/// parser has bounded how deep this goes.
pub(super) fn each_text(
    value: &mut Value,
    place: &mut String,
    visit: &mut dyn FnMut(&str, &mut String),
) {
    let length = place.len();
    match value {
        Value::String(text) => visit(place, text),
        Value::Array(items) => {
            for (at, item) in items.iter_mut().enumerate() {
                place.push_str(&format!("/{at}"));
                each_text(item, place, visit);
                place.truncate(length);
            }
        }
        Value::Object(fields) => {
            for number in NUMBERS.iter().filter_map(|key| fields.get(*key)?.as_u64()) {
                place.push_str(&format!("{NUMBERED}{number}"));
            }
            let numbered = place.len();
            for (key, field) in fields.iter_mut() {
                place.push('/');
                place.push_str(key);
                each_text(field, place, visit);
                place.truncate(numbered);
            }
            place.truncate(length);
        }
        _ => {}
    }
}

// No field has it in its name.
const NUMBERED: char = '\u{1}';

// A failure may count its events, so that numbers tell nothing apart.
fn unnumbered(place: &str) -> String {
    let mut parts = place.split(NUMBERED);
    let first = parts.next().unwrap_or_default();
    let rest = parts.map(|part| part.trim_start_matches(|it: char| it.is_ascii_digit()));
    std::iter::once(first).chain(rest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleaned(text: &str) -> String {
        let clean = Scrub::of(Some("sk-held-0123456789")).events(Bytes::from(text.to_owned()));
        String::from_utf8(clean.to_vec()).unwrap()
    }

    #[test]
    fn a_key_in_the_texts_of_several_events_is_taken_out() {
        let cases = [
            (
                "data: {\"delta\":{\"content\":\"key sk-he\"}}\n\ndata: {\"delta\":{\"content\":\"ld-0123456789!\"}}\n\n",
                "data: {\"delta\":{\"content\":\"key ***!\"}}\n\ndata: {\"delta\":{\"content\":\"\"}}\n\n",
            ),
            (
                "event: a\ndata: {\"l\":[\"sk-held\"]}\n\n: x\n\ndata: {\"l\":[\"-0123\"]}\n\ndata: {\"l\":[\"456789\"]}",
                "event: a\ndata: {\"l\":[\"***\"]}\n\n: x\n\ndata: {\"l\":[\"\"]}\n\ndata: {\"l\":[\"\"]}\n\n",
            ),
            (
                "data: {\"index\":0,\"a\":\"sk-held-\"}\n\ndata: {\"index\":1,\"a\":\"0123456789\"}\n\n",
                "data: {\"index\":0,\"a\":\"***\"}\n\ndata: {\"index\":1,\"a\":\"\"}\n\n",
            ),
            ("data: sk-held-01\n\n: x\n\ndata: 23456789\n\n", "data: ***\n\n: x\n\ndata: \n\n"),
        ];
        for (told, expected) in cases {
            assert_eq!(cleaned(told), expected);
        }
    }

    #[test]
    fn events_without_a_key_are_not_touched() {
        let told = "data: { \"a\":\"sk-held\" }\n\n: x\r\n\r\ndata: {\"b\":\"-0123456789\"}\n\nid: 7\ndata: odd";
        assert_eq!(cleaned(told), told);
        assert_eq!(cleaned(""), "");
    }
}
