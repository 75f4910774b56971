//! What can be read of a body that broke off.
//!
//! In: the bytes that arrived, which are the beginning of a JSON document. Out: the answer as far as
//! it came, as one that was disconnected, and the envelope around it. A body is read that broke
//! inside the answer's own text or arguments, or behind all that can belong to the answer; anywhere
//! else, half an item would be lost or stand in the envelope. Never takes what it closed as whole:
//! the answer says that the connection broke, and open arguments stay the text that arrived.

use salve_model::ModelReply;
use salve_model::wire::{Asked, Dialect, read_reply};
use salve_types::FinishReason;
use serde_json::Value;

/// Reads as much of a reply as arrived; none when it broke where nothing can be made of it.
pub(super) fn salvage(asked: &Asked, body: &[u8]) -> Option<(Value, Vec<ModelReply>)> {
    let text = arrived_text(body);
    let places = Places::of(asked.dialect);
    let mut answer_end = None;
    let broken = Broken::walk(text, |path, end| {
        // Behind a text calls may follow, where there are tools to call.
        let is_end = *path == places.all || asked.tools.is_empty() && places.is_text(path);
        if is_end {
            answer_end = Some(end);
        }
    })?;
    let mut open_arguments = None;
    let envelope = match broken.open_string {
        Some(end) if places.is_open_part(&broken.path()) => broken.closed(text.get(..end)?, "\""),
        _ => match broken.open_input(asked.dialect) {
            Some((level, start)) => {
                open_arguments = Some(text.get(start..)?);
                let levels = broken.levels.get(..level)?;
                Broken { levels: levels.to_vec(), open_string: None }
                    .closed(text.get(..start)?, "{}")
            }
            None => {
                let arrived = text.get(..answer_end?)?;
                Broken::walk(arrived, |_, _| {})?.closed(arrived, "")
            }
        },
    };
    let envelope: Value = serde_json::from_str(&envelope).ok()?;
    let mut replies = read_reply(asked.dialect, &envelope).ok()?;
    if let Some(arguments) = open_arguments {
        let call = replies.first_mut().and_then(|reply| reply.tool_calls.last_mut())?;
        arguments.clone_into(&mut call.arguments);
    }
    // A call of which nothing but the name arrived looks like one without arguments.
    let has_bare_call = |reply: &ModelReply| {
        reply.tool_calls.last().is_some_and(|call| call.arguments.trim().is_empty())
    };
    let is_empty = |reply: &ModelReply| reply.text.is_empty() && reply.tool_calls.is_empty();
    let choices = usize::try_from(asked.choices).unwrap_or(usize::MAX);
    if replies.len() != choices || replies.iter().any(has_bare_call) || replies.iter().all(is_empty)
    {
        return None;
    }
    for reply in &mut replies {
        reply.finish = Some(FinishReason::Disconnect);
        reply.usage = None;
    }
    Some((envelope, replies))
}

/// The names on the way to a value; the place in a list is [`ITEM`].
type Path<'t> = Vec<&'t str>;

const ITEM: &str = "*";

/// Where a dialect has the parts of an answer.
struct Places {
    /// The value that holds all of an answer.
    all: &'static [&'static str],
    texts: &'static [&'static [&'static str]],
    /// Texts that are the arguments of a call.
    arguments: &'static [&'static [&'static str]],
}

impl Places {
    const fn of(dialect: Dialect) -> Self {
        match dialect {
            Dialect::Chat => Self {
                all: &["choices", ITEM, "message"],
                texts: &[
                    &["choices", ITEM, "message", "content"],
                    &["choices", ITEM, "message", "content", ITEM, "text"],
                ],
                arguments: &[
                    &["choices", ITEM, "message", "tool_calls", ITEM, "function", "arguments"],
                    &["choices", ITEM, "message", "function_call", "arguments"],
                ],
            },
            Dialect::Responses => Self {
                all: &["output"],
                texts: &[&["output", ITEM, "content", ITEM, "text"]],
                arguments: &[&["output", ITEM, "arguments"]],
            },
            Dialect::Messages => {
                Self { all: &["content"], texts: &[&["content", ITEM, "text"]], arguments: &[] }
            }
        }
    }

    fn is_text(&self, path: &Path<'_>) -> bool {
        self.texts.iter().any(|text| path == text)
    }

    fn is_open_part(&self, path: &Path<'_>) -> bool {
        self.is_text(path) || self.arguments.iter().any(|text| path == text)
    }
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

/// Where a document broke off.
struct Broken<'t> {
    /// The brackets that are open, outermost first.
    levels: Vec<Level<'t>>,
    /// Where the text of an open string ends: before an escape that is not all there.
    open_string: Option<usize>,
}

#[derive(Clone)]
struct Level<'t> {
    at: usize,
    closer: char,
    /// The name of the member whose value is being read; none before it is known.
    key: Option<&'t str>,
    /// Whether the next string is a name.
    names: bool,
}

impl<'t> Broken<'t> {
    /// Reads to the end; says of each text, list and object where it ends. None when the brackets do
    /// not fit.
    fn walk(text: &'t str, mut ended: impl FnMut(&Path<'t>, usize)) -> Option<Self> {
        let mut broken = Self { levels: Vec::new(), open_string: None };
        let mut at = 0;
        while let Some(byte) = text.as_bytes().get(at) {
            match byte {
                b'{' => broken.open(at, '}'),
                b'[' => broken.open(at, ']'),
                b'}' | b']' => {
                    broken.levels.pop().filter(|level| level.closer == char::from(*byte))?;
                    broken.tell(&mut ended, at + 1);
                }
                b',' | b':' => {
                    let object = broken.levels.last_mut().filter(|level| level.closer == '}');
                    if let Some(level) = object {
                        level.names = *byte == b',';
                        level.key = level.key.filter(|_| *byte == b':');
                    }
                }
                b'"' => {
                    let start = at + 1;
                    match string_end(text, start) {
                        Ok(end) => at = end,
                        Err(end) => {
                            broken.open_string = Some(end);
                            return Some(broken);
                        }
                    }
                    match broken.levels.last_mut().filter(|level| level.names) {
                        Some(level) => level.key = text.get(start..at),
                        None => broken.tell(&mut ended, at + 1),
                    }
                }
                _ => {}
            }
            at += 1;
        }
        Some(broken)
    }

    fn open(&mut self, at: usize, closer: char) {
        let names = closer == '}';
        let key = (!names).then_some(ITEM);
        self.levels.push(Level { at, closer, key, names });
    }

    // No part of an answer lies deeper than this, so that depth costs nothing.
    fn tell(&self, ended: &mut impl FnMut(&Path<'t>, usize), end: usize) {
        if self.levels.len() <= DEEPEST {
            ended(&self.path(), end);
        }
    }

    /// The way to what is being read.
    fn path(&self) -> Path<'t> {
        self.levels.iter().filter_map(|level| level.key).collect()
    }

    /// The arguments that Messages has as an object, if they are open: how deep, and where.
    fn open_input(&self, dialect: Dialect) -> Option<(usize, usize)> {
        let [body, _, block, input, ..] = self.levels.as_slice() else { return None };
        let keys = (dialect, body.key, block.key, input.closer);
        (keys == (Dialect::Messages, Some("content"), Some("input"), '}')).then_some((3, input.at))
    }

    fn closed(&self, arrived: &str, last: &str) -> String {
        let closers: String = self.levels.iter().rev().map(|level| level.closer).collect();
        [arrived, last, &closers].concat()
    }
}

/// Body, choices, choice, message, calls, call, function; one more is for luck.
const DEEPEST: usize = 8;

/// Where a string ends: at its quote, or without one before an escape that is not all there.
fn string_end(text: &str, start: usize) -> Result<usize, usize> {
    let bytes = text.as_bytes();
    let mut at = start;
    // Where the first half of an escaped pair begins, if nothing stands behind it.
    let mut half_pair = None;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return Ok(at),
            b'\\' => {
                let length = if bytes.get(at + 1) == Some(&b'u') { 6 } else { 2 };
                let Some(escape) = bytes.get(at..at + length) else {
                    return Err(half_pair.unwrap_or(at));
                };
                let is_first = matches!(
                    escape,
                    [_, _, b'd' | b'D', b'8' | b'9' | b'a' | b'A' | b'b' | b'B', ..]
                );
                half_pair = is_first.then_some(at);
                at += length;
            }
            _ => {
                half_pair = None;
                at += 1;
            }
        }
    }
    Err(half_pair.unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(dialect: Dialect, body: &[u8]) -> Option<(Value, Vec<ModelReply>)> {
        salvage(&Asked::new(dialect, "m"), body)
    }

    fn with_tools(dialect: Dialect) -> Asked {
        let name = "write".to_owned();
        let tool =
            salve_model::ToolSpec { name, description: String::new(), parameters: Value::Null };
        Asked { tools: vec![tool], ..Asked::new(dialect, "m") }
    }

    fn cut(dialect: Dialect, body: &str, at: &str) -> ModelReply {
        let end = body.find(at).unwrap() + at.len();
        let (_, replies) = read(dialect, &body.as_bytes()[..end]).unwrap();
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
    fn arguments_that_break_between_two_texts_stay_as_well() {
        for end in ["", ",", ",\"n\":", ",\"n\":1", ",\"list\":[1,{\"a\":2", ",\"na"] {
            let body = format!("{MESSAGES}in() {{}}\"{end}");
            let (_, replies) = read(Dialect::Messages, body.as_bytes()).unwrap();
            let arguments = &replies[0].tool_calls[0].arguments;
            assert!(body.ends_with(arguments) && arguments.starts_with('{'), "{arguments}");
        }
    }

    #[test]
    fn quotes_and_brackets_inside_a_text_are_text() {
        let quoted = r#"{"choices":[{"message":{"content":"{\"a\": [\"b\\n"#;
        let (_, replies) = read(Dialect::Chat, quoted.as_bytes()).unwrap();
        assert_eq!(replies[0].text, "{\"a\": [\"b\\n");
    }

    // A body that broke behind the answer has all of it; whether that is whole is for the judge.
    #[test]
    fn what_broke_behind_the_answer_is_read() {
        use Dialect::{Chat, Messages, Responses};
        let call = r#"{"output":[{"type":"function_call","call_id":"c","name":"write","arguments":"{\"a\":1"}]"#;
        let cases = [
            (Chat, r#"{"choices":[{"index":0,"message":{"content":"Whole."},"finish_re"#),
            (Chat, r#"{"choices":[{"index":0,"message":{"content":"Whole."}"#),
            (
                Responses,
                r#"{"output":[{"type":"message","content":[{"type":"output_text","text":"Whole."}]}],"tools":[{"a"#,
            ),
            (Responses, call),
            (Messages, r#"{"content":[{"type":"text","text":"Whole."}],"stop_reaso"#),
        ];
        for (dialect, body) in cases {
            let (_, replies) = salvage(&with_tools(dialect), body.as_bytes()).expect(body);
            assert_eq!(replies[0].finish, Some(FinishReason::Disconnect), "{body}");
            assert!(replies[0].text == "Whole." || !replies[0].tool_calls.is_empty(), "{body}");
        }
    }

    // Behind a text a call may come, but only where there are tools to call.
    #[test]
    fn a_text_is_all_there_is_without_tools() {
        let bodies = [
            (Dialect::Chat, r#"{"choices":[{"message":{"content":"Whole.","annotations":[{"a"#),
            (
                Dialect::Responses,
                r#"{"output":[{"type":"message","content":[{"type":"output_text","text":"Whole.","logprobs":["#,
            ),
            (Dialect::Messages, r#"{"content":[{"type":"text","text":"Whole."},"#),
        ];
        for (dialect, body) in bodies {
            let (envelope, replies) = read(dialect, body.as_bytes()).expect(body);
            assert_eq!(replies[0].text, "Whole.", "{body}");
            assert!(!envelope.to_string().contains("annotations"), "half an item: {envelope}");
            assert!(salvage(&with_tools(dialect), body.as_bytes()).is_none(), "{body}");
        }
    }

    #[test]
    fn an_answer_that_lacks_an_item_is_not_read() {
        let calls = r#"{"choices":[{"message":{"content":"Whole.","tool_calls":[{"id":"c"#;
        assert!(salvage(&with_tools(Dialect::Chat), calls.as_bytes()).is_none());
        let blocks = r#"{"content":[{"type":"text","text":"So."},{"type":"tool_use","name":"wr"#;
        assert!(salvage(&with_tools(Dialect::Messages), blocks.as_bytes()).is_none());
        let one_of_two = r#"{"choices":[{"index":0,"message":{"content":"Whole."}},{"index":1,"me"#;
        let two = Asked { choices: 2, ..Asked::new(Dialect::Chat, "m") };
        assert!(salvage(&two, one_of_two.as_bytes()).is_none());
    }

    #[test]
    fn half_an_escape_is_left_out() {
        for half in ["\\", "\\u", "\\u00e", "\\ud83d", "\\uD83D\\", "\\ud83d\\ude0"] {
            let body = format!("{CHAT}{half}");
            let (_, replies) = read(Dialect::Chat, body.as_bytes()).unwrap();
            assert_eq!(replies[0].text, "Hello, wor", "{half}");
        }
    }

    #[test]
    fn half_a_character_and_no_answer_are_no_trouble() {
        let mut bytes = CHAT.as_bytes().to_vec();
        bytes.extend_from_slice(&[0xe2, 0x82]);
        assert!(read(Dialect::Chat, &bytes).is_some());
        assert!(read(Dialect::Chat, b"{\"id\":").is_none());
        assert!(read(Dialect::Messages, b"\xff\xfe").is_none());
    }
}
