//! What can be read of a body that broke off.
//!
//! In: the bytes that arrived, which are the beginning of a JSON document. Out: the answer as far as
//! it came, as one that was disconnected, and the envelope around it. Only a body that broke inside
//! the answer's own text or arguments is read: anywhere else, half an item would stand in the
//! envelope. Never takes what it closed as whole: the answer says that the connection broke, and
//! arguments stay the text that arrived.

use salve_model::ModelReply;
use salve_model::wire::{Dialect, read_reply};
use salve_types::FinishReason;
use serde_json::Value;

/// Reads as much of a reply as arrived; none when it did not break inside an answer.
pub(super) fn salvage(dialect: Dialect, body: &[u8]) -> Option<(Value, Vec<ModelReply>)> {
    let text = arrived_text(body);
    let open = OpenString::at_the_end_of(text)?;
    let envelope: Value = serde_json::from_str(&open.closed(text)).ok()?;
    let last = last_keys(&envelope);
    let is_input = dialect == Dialect::Messages && last.get(..2) == Some(&["content", "input"]);
    if !is_input && !matches!(last.last(), Some(&("content" | "text" | "arguments"))) {
        return None;
    }
    let mut replies = read_reply(dialect, &envelope).ok()?;
    if is_input {
        // Body, blocks, block, input: the fourth bracket is where the arguments begin.
        let start = open.brackets.get(3)?.at;
        let call = replies.first_mut().and_then(|reply| reply.tool_calls.last_mut())?;
        call.arguments = text.get(start..)?.to_owned();
    }
    // A call of which nothing but the name arrived looks like one without arguments.
    let has_bare_call = |reply: &ModelReply| {
        reply.tool_calls.last().is_some_and(|call| call.arguments.trim().is_empty())
    };
    let is_empty = |reply: &ModelReply| reply.text.is_empty() && reply.tool_calls.is_empty();
    if replies.iter().any(has_bare_call) || replies.iter().all(is_empty) {
        return None;
    }
    for reply in &mut replies {
        reply.finish = Some(FinishReason::Disconnect);
        reply.usage = None;
    }
    Some((envelope, replies))
}

// A character may be cut in two; what stands before it is text.
fn arrived_text(body: &[u8]) -> &str {
    match std::str::from_utf8(body) {
        Ok(text) => text,
        Err(error) => body
            .get(..error.valid_up_to())
            .and_then(|bytes| std::str::from_utf8(bytes).ok())
            .unwrap_or_default(),
    }
}

/// The string a document broke off in.
struct OpenString {
    /// The brackets around it, outermost first.
    brackets: Vec<Bracket>,
    /// Where an escape begins that is not all there, or the end.
    end: usize,
}

struct Bracket {
    at: usize,
    closer: char,
}

impl OpenString {
    fn at_the_end_of(text: &str) -> Option<Self> {
        let mut brackets = Vec::new();
        let mut bytes = text.bytes().enumerate();
        while let Some((at, byte)) = bytes.next() {
            match byte {
                b'{' => brackets.push(Bracket { at, closer: '}' }),
                b'[' => brackets.push(Bracket { at, closer: ']' }),
                b'}' | b']' => {
                    brackets.pop()?;
                }
                b'"' => loop {
                    match bytes.next() {
                        None => return Some(Self { brackets, end: text.len() }),
                        Some((_, b'"')) => break,
                        Some((at, b'\\')) => {
                            let skip =
                                if bytes.next().is_some_and(|it| it.1 == b'u') { 4 } else { 0 };
                            let end = at + 2 + skip;
                            if end > text.len() {
                                return Some(Self { brackets, end: at });
                            }
                            bytes.by_ref().take(skip).for_each(drop);
                        }
                        Some(_) => {}
                    }
                },
                _ => {}
            }
        }
        None
    }

    fn closed(&self, text: &str) -> String {
        let mut closed = text.get(..self.end).unwrap_or_default().to_owned();
        closed.push('"');
        closed.extend(self.brackets.iter().rev().map(|bracket| bracket.closer));
        closed
    }
}

/// The names on the way to the last value of a document; lists have none.
fn last_keys(envelope: &Value) -> Vec<&str> {
    let mut keys = Vec::new();
    let mut at = envelope;
    loop {
        let next = match at {
            Value::Object(entries) => entries.iter().next_back().map(|(key, value)| {
                keys.push(key.as_str());
                value
            }),
            Value::Array(items) => items.last(),
            _ => None,
        };
        match next {
            Some(value) => at = value,
            None => return keys,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(dialect: Dialect, body: &str, at: &str) -> ModelReply {
        let end = body.find(at).unwrap() + at.len();
        let (_, replies) = salvage(dialect, &body.as_bytes()[..end]).unwrap();
        replies.into_iter().next().unwrap()
    }

    const CHAT: &str =
        r#"{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"Hello, wor"#;
    const MESSAGES: &str = r#"{"id":"m","type":"message","content":[{"type":"text","text":"See:"},{"type":"tool_use","id":"t","name":"write","input":{"path":"a.rs","content":"fn ma"#;

    #[test]
    fn a_text_that_broke_off_is_kept_as_far_as_it_came() {
        let reply = cut(Dialect::Chat, CHAT, "wor");
        assert_eq!(reply.text, "Hello, wor");
        assert_eq!(reply.finish, Some(FinishReason::Disconnect));
    }

    #[test]
    fn open_arguments_stay_the_text_that_arrived() {
        let reply = cut(Dialect::Messages, MESSAGES, "fn ma");
        assert_eq!(reply.text, "See:");
        assert_eq!(reply.tool_calls[0].arguments, r#"{"path":"a.rs","content":"fn ma"#);
    }

    #[test]
    fn only_a_break_inside_an_answer_is_read() {
        let calls = r#"{"choices":[{"message":{"content":"Whole.","tool_calls":[{"id":"c"#;
        assert!(salvage(Dialect::Chat, calls.as_bytes()).is_none());
        assert!(
            salvage(Dialect::Chat, br#"{"choices":[{"message":{"content":"Whole."}}"#).is_none()
        );
        let quoted = r#"{"choices":[{"message":{"content":"{\"a\": [\"b\\n"#;
        let (_, replies) = salvage(Dialect::Chat, quoted.as_bytes()).unwrap();
        assert_eq!(replies[0].text, "{\"a\": [\"b\\n");
    }

    #[test]
    fn half_an_escape_is_left_out() {
        for half in ["\\", "\\u", "\\u00e"] {
            let body = format!("{CHAT}{half}");
            let (_, replies) = salvage(Dialect::Chat, body.as_bytes()).unwrap();
            assert_eq!(replies[0].text, "Hello, wor", "{half}");
        }
    }

    #[test]
    fn half_a_character_and_no_answer_are_no_trouble() {
        let mut bytes = CHAT.as_bytes().to_vec();
        bytes.extend_from_slice(&[0xe2, 0x82]);
        assert!(salvage(Dialect::Chat, &bytes).is_some());
        assert!(salvage(Dialect::Chat, b"{\"id\":").is_none());
        assert!(salvage(Dialect::Messages, b"\xff\xfe").is_none());
    }
}
