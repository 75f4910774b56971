//! What can be read of a body that broke off.
//!
//! In: the bytes that arrived. Out: the answer as far as it came, as one that was disconnected, and
//! the envelope around it. Never takes a value that was closed for it as whole: the answer says that
//! the connection broke, and arguments stay the text that arrived.

use salve_model::ModelReply;
use salve_model::wire::{Dialect, read_reply};
use salve_text::{NodeId, NodeState, ParseMode, ParseOptions, Tree, parse_json};
use salve_types::FinishReason;
use serde_json::Value;

/// Reads as much of a reply as arrived; none when not even an answer had begun.
pub(super) fn salvage(dialect: Dialect, body: &[u8]) -> Option<(Value, Vec<ModelReply>)> {
    let text = arrived_text(body);
    let options = ParseOptions { mode: ParseMode::Text, ..ParseOptions::default() };
    let parsed = parse_json(text, &options);
    if !breaks_in_the_answer(&parsed.incomplete_paths()) {
        return None;
    }
    let envelope = parsed.value();
    let mut replies = read_reply(dialect, &envelope).ok()?;
    if dialect == Dialect::Messages {
        let open = open_input(&parsed.tree)?;
        let call = replies.first_mut().and_then(|reply| reply.tool_calls.last_mut());
        if let (Some(start), Some(call)) = (open, call) {
            call.arguments = text.get(start..).unwrap_or_default().to_owned();
        }
    }
    // A call of which nothing but the name arrived looks like one without arguments.
    let nothing_of = |reply: &ModelReply| {
        reply.tool_calls.last().is_some_and(|call| call.arguments.trim().is_empty())
    };
    if replies.iter().any(nothing_of) {
        return None;
    }
    for reply in &mut replies {
        reply.finish = Some(FinishReason::Disconnect);
        reply.usage = None;
    }
    let something = |reply: &ModelReply| {
        !(reply.text.is_empty() && reply.tool_calls.is_empty() && reply.thinking.is_empty())
    };
    replies.iter().any(something).then_some((envelope, replies))
}

// The innermost place that is not complete comes last. Anywhere but in the answer's own text, half an
// item may stand in the envelope that nobody can go on from.
fn breaks_in_the_answer(incomplete: &[String]) -> bool {
    incomplete.last().is_some_and(|path| {
        let ends = [".content", ".text", ".arguments", ".input"];
        ends.iter().any(|end| path.ends_with(end)) || path.contains(".input.")
    })
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

/// Where the input of the last block begins, if the body ends inside it. None at all when the blocks
/// cannot be found.
fn open_input(tree: &Tree) -> Option<Option<usize>> {
    let content = entry(tree, tree.root()?, "content")?;
    let last = tree.items(content).last()?;
    let Some(input) = entry(tree, last, "input") else { return Some(None) };
    Some((tree.state(input) != NodeState::Complete).then(|| tree.span(input).start))
}

fn entry(tree: &Tree, object: NodeId, name: &str) -> Option<NodeId> {
    tree.entries(object).find(|(key, _)| tree.text(*key) == name).map(|(_, value)| value)
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
    fn half_a_character_and_no_answer_are_no_trouble() {
        let mut bytes = CHAT.as_bytes().to_vec();
        bytes.extend_from_slice(&[0xe2, 0x82]);
        assert!(salvage(Dialect::Chat, &bytes).is_some());
        assert!(salvage(Dialect::Chat, b"{\"id\":").is_none());
        assert!(salvage(Dialect::Messages, b"\xff\xfe").is_none());
    }
}
