//! What can be read of a body that broke off.
//!
//! In: the bytes that arrived, which are the beginning of a JSON document. Out: the answer as far as
//! it came, as one that was disconnected, and the envelope around it. A body is read that broke
//! inside the answer's own text or arguments, or after all that can belong to the answer; anywhere
//! else, half an item would be lost or would be in the envelope. Never takes what it closed as whole:
//! the answer says that the connection broke, and open arguments stay the text that arrived.

use salve_model::ModelReply;
use salve_model::wire::{Asked, Dialect, read_reply};
use salve_text::{
    Kind, NodeId, NodeState, ParseMode, ParseOptions, Parsed, Repair, RepairCode, Tree, parse_json,
};
use salve_types::FinishReason;
use serde_json::Value;

/// Reads as much of a reply as arrived; `None` when it broke where nothing can be made of it.
pub(super) fn salvage(asked: &Asked, body: &[u8]) -> Option<(Value, Vec<ModelReply>)> {
    let text = arrived_text(body);
    let places = Places::of(asked.dialect);
    let parsed = parsed(text);
    // Brackets that are missing before the end were never there.
    let fits = |repair: &Repair| match repair.code {
        RepairCode::MissingCloser => repair.span.end == text.len(),
        code => !matches!(code, RepairCode::MismatchedCloser | RepairCode::ExtraCloser),
    };
    if !parsed.repairs().iter().all(fits) {
        return None;
    }
    let open = open_path(&parsed.tree);
    let mut open_arguments = None;
    let envelope = match open.last() {
        Some(last) if parsed.tree.kind(last.node) == Kind::String && places.holds(&open) => {
            closed(&parsed)?
        }
        _ => match open_input(&parsed.tree, &open, asked.dialect) {
            Some(start) => {
                open_arguments = Some(text.get(start..)?);
                closed(&self::parsed(&format!("{}{{}}", text.get(..start)?)))?
            }
            None => {
                let end = answer_end(&parsed.tree, &places, asked.tools.is_empty())?;
                closed(&self::parsed(text.get(..end)?))?
            }
        },
    };
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
type Path = &'static [&'static str];

const ITEM: &str = "*";

/// Where a dialect has the parts of an answer.
struct Places {
    /// The value that holds all of an answer.
    all: Path,
    texts: &'static [Path],
    /// Texts that are the arguments of a call.
    arguments: &'static [Path],
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

    /// Returns whether a text of the answer, or of its arguments, is at the end of the way.
    fn holds(&self, open: &[Open]) -> bool {
        self.texts.iter().chain(self.arguments).any(|path| is_path(open, path))
    }
}

// A character may be cut in two; what comes before it is text.
fn arrived_text(body: &[u8]) -> &str {
    match std::str::from_utf8(body) {
        Ok(text) => text,
        Err(error) => body
            .get(..error.valid_up_to())
            .and_then(|bytes| std::str::from_utf8(bytes).ok())
            .unwrap_or_default(),
    }
}

fn parsed(text: &str) -> Parsed {
    parse_json(text, &ParseOptions { mode: ParseMode::Text, ..ParseOptions::default() })
}

/// Returns the value of a document of which nothing but the end is missing.
fn closed(parsed: &Parsed) -> Option<Value> {
    use RepairCode::{DuplicateKey, MissingCloser, MissingQuote, TruncatedString};
    let end = parsed.tree.source().len();
    let is_end = |repair: &Repair| match repair.code {
        MissingCloser | MissingQuote | TruncatedString => repair.span.end == end,
        code => code == DuplicateKey,
    };
    parsed.tree.root()?;
    parsed.repairs().iter().all(is_end).then(|| parsed.value())
}

/// A value that the text ends in, and its name in the one around it.
struct Open {
    node: NodeId,
    name: String,
}

/// Returns the values that the text ends in, outermost first.
fn open_path(tree: &Tree) -> Vec<Open> {
    let mut path = Vec::new();
    let mut next = tree.root().map(|node| (String::new(), node));
    while let Some((name, node)) = next.filter(|(_, node)| tree.state(*node) != NodeState::Complete)
    {
        path.push(Open { node, name });
        next = match tree.kind(node) {
            Kind::Object => {
                tree.entries(node).last().map(|(key, value)| (tree.text(key).into_owned(), value))
            }
            Kind::Array => tree.items(node).last().map(|item| (ITEM.to_owned(), item)),
            _ => None,
        };
    }
    path
}

fn is_path(open: &[Open], path: &[&str]) -> bool {
    open.iter().skip(1).map(|open| open.name.as_str()).eq(path.iter().copied())
}

/// Returns where the arguments begin that Messages has as an object, if they are open.
fn open_input(tree: &Tree, open: &[Open], dialect: Dialect) -> Option<usize> {
    let input = open.get(..4)?;
    let is_input = dialect == Dialect::Messages && is_path(input, &["content", ITEM, "input"]);
    let node = input.last()?.node;
    (is_input && tree.kind(node) == Kind::Object).then(|| tree.span(node).start)
}

/// Returns where the last part ends after which nothing of the answer can come.
fn answer_end(tree: &Tree, places: &Places, without_tools: bool) -> Option<usize> {
    // After a text calls may follow, where there are tools to call.
    let texts = if without_tools { places.texts } else { &[] };
    let mut ends = Vec::new();
    for path in std::iter::once(&places.all).chain(texts) {
        ends_at(tree, tree.root()?, path, &mut ends);
    }
    ends.into_iter().max()
}

fn ends_at(tree: &Tree, node: NodeId, path: &[&str], ends: &mut Vec<usize>) {
    let Some((name, rest)) = path.split_first() else {
        let has_end = matches!(tree.kind(node), Kind::String | Kind::Array | Kind::Object);
        if has_end && tree.state(node) == NodeState::Complete {
            ends.push(tree.span(node).end);
        }
        return;
    };
    for item in tree.items(node).filter(|_| *name == ITEM) {
        ends_at(tree, item, rest, ends);
    }
    for (key, value) in tree.entries(node) {
        if tree.text(key) == *name {
            ends_at(tree, value, rest, ends);
        }
    }
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

    // A body that broke after the answer has all of it; whether that is whole is for the judge.
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

    // After a text a call may come, but only where there are tools to call.
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

    // The parser mends far more than a broken connection leaves behind; none of that may pass here.
    #[test]
    fn what_is_not_the_beginning_of_json_is_not_read() {
        let deep = format!("{}{}", r#"{"x":"#, "[".repeat(100_000));
        for body in [
            r#"{'choices':[{'message':{'content':'Hello"#,
            r#"{"choices":[{"message":{"content" "Hello"#,
            r#"{"choices":[{"message":{"content":"Hello"]"#,
            r#"{choices:[{"message":{"content":"Hello"#,
            r#"Sure! {"choices":[{"message":{"content":"Hello"#,
            r#"{"choices":[{/* x */"message":{"content":"Hello"#,
            r#"{"choices":[{"message":{"content":"Hel
lo"#,
            &deep,
        ] {
            assert!(read(Dialect::Chat, body.as_bytes()).is_none(), "{body:.40}");
        }
    }

    // Whatever arrived is kept: at every byte of a reply the text that is read is a part of the whole
    // one, and it never becomes shorter.
    #[test]
    fn a_body_cut_at_any_byte_gives_the_text_up_to_there() {
        let whole = r#"{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"Say \"hi\", {\u00e9} [\ud83d\ude00], ok: \\ é"},"finish_reason":"stop"}],"usage":{"total_tokens":3}}"#;
        let said = "Say \"hi\", {é} [😀], ok: \\ é";
        let mut longest = 0;
        for end in 0..whole.len() {
            let Some((_, replies)) = read(Dialect::Chat, &whole.as_bytes()[..end]) else {
                continue;
            };
            let text = &replies[0].text;
            assert!(said.starts_with(text.as_str()), "{end}: {text:?}");
            assert!(text.len() >= longest, "{end}: {text:?}");
            longest = text.len();
        }
        assert_eq!(longest, said.len());
    }
}
