//! Who answers in tests: from a script, perfectly, or badly.
//!
//! In: what was asked. Out: a reply, and a record of every call. Never anything but data.

use salve_engine::answer::{
    AlreadySent, AskError, Caps, Completed, Ladder, LadderAction, Wanted, WantedTool,
};
use salve_model::{FollowUp, ModelReply, Purpose, Speaker, ToolCall};
use salve_text::CompiledSchema;
use salve_types::{FinishReason, Usage};
use serde_json::Value;
use std::collections::VecDeque;
use std::future::Future;
use std::sync::Arc;

pub(crate) fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().expect("a runtime").block_on(work)
}

pub(crate) fn text(words: &str, finish: FinishReason) -> ModelReply {
    ModelReply { text: words.to_owned(), finish: Some(finish), ..ModelReply::default() }
}

pub(crate) fn call(name: &str, arguments: &str, finish: FinishReason) -> ModelReply {
    let call = ToolCall { id: "call_1".into(), name: name.into(), arguments: arguments.into() };
    ModelReply { tool_calls: vec![call], finish: Some(finish), ..ModelReply::default() }
}

pub(crate) fn counted(mut reply: ModelReply, output_tokens: u64) -> ModelReply {
    reply.usage = Some(Usage { input_tokens: 10, output_tokens, ..Usage::default() });
    reply
}

pub(crate) fn compiled(schema: Value) -> Arc<CompiledSchema> {
    Arc::new(CompiledSchema::new(schema).expect("the schema of a test"))
}

pub(crate) fn wants_person() -> Wanted {
    Wanted { schema: Some(compiled(person())), ..Wanted::default() }
}

pub(crate) fn person() -> Value {
    serde_json::json!({
        "type": "object",
        "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
        "required": ["name", "age"],
        "additionalProperties": false
    })
}

pub(crate) fn wants_tools() -> Wanted {
    let write = serde_json::json!({
        "type": "object",
        "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
        "required": ["path", "content"]
    });
    let list = serde_json::json!({"type": "object", "properties": {"all": {"type": "boolean"}}});
    let tool =
        |name: &str, schema| WantedTool { name: name.into(), schema: Some(compiled(schema)) };
    Wanted { tools: vec![tool("write_file", write), tool("list", list)], ..Wanted::default() }
}

/// Stands for the model.
pub(crate) trait Asker {
    fn ask(&mut self, follow_up: &FollowUp) -> Result<ModelReply, AskError>;
}

/// Answers from a list; when it is used up, fails.
#[derive(Debug, Default)]
pub(crate) struct Script {
    pub(crate) replies: VecDeque<Result<ModelReply, AskError>>,
    pub(crate) asked: Vec<FollowUp>,
}

impl Script {
    pub(crate) fn of(replies: impl IntoIterator<Item = ModelReply>) -> Self {
        Self { replies: replies.into_iter().map(Ok).collect(), asked: Vec::new() }
    }

    pub(crate) fn purposes(&self) -> Vec<Purpose> {
        self.asked.iter().map(|asked| asked.purpose).collect()
    }
}

impl Asker for Script {
    fn ask(&mut self, follow_up: &FollowUp) -> Result<ModelReply, AskError> {
        self.asked.push(follow_up.clone());
        let none = || Err(AskError::Failed("the script has ended".into()));
        self.replies.pop_front().unwrap_or_else(none)
    }
}

/// Knows the whole answer and gives the rest of it, a piece at a time.
#[derive(Debug)]
pub(crate) struct Perfect {
    pub(crate) whole: ModelReply,
    pub(crate) piece: usize,
    pub(crate) asked: Vec<FollowUp>,
}

impl Asker for Perfect {
    fn ask(&mut self, follow_up: &FollowUp) -> Result<ModelReply, AskError> {
        self.asked.push(follow_up.clone());
        if follow_up.purpose != Purpose::Resume {
            return Ok(self.whole.clone());
        }
        let spoken = |turn: &&salve_model::Turn| turn.speaker == Speaker::Assistant;
        let Some(so_far) = follow_up.turns.iter().rfind(spoken) else {
            return Ok(self.whole.clone());
        };
        let arguments = self.whole.tool_calls.last().map(|call| call.arguments.as_str());
        let known = [Some(self.whole.text.as_str()), arguments];
        let rest = known.into_iter().flatten().find_map(|whole| whole.strip_prefix(&so_far.text));
        let Some(rest) = rest else { return Ok(self.whole.clone()) };
        let mut end = self.piece.min(rest.len());
        while !rest.is_char_boundary(end) {
            end += 1;
        }
        let finish = if end < rest.len() { FinishReason::Length } else { FinishReason::Stop };
        Ok(text(&rest[..end], finish))
    }
}

pub(crate) fn complete<A: Asker>(first: ModelReply, wanted: &Wanted, asker: &mut A) -> Completed {
    complete_sent(first, wanted, asker, AlreadySent::default())
}

pub(crate) fn complete_sent<A: Asker>(
    first: ModelReply,
    wanted: &Wanted,
    asker: &mut A,
    sent: AlreadySent,
) -> Completed {
    complete_capped(first, wanted, asker, sent, Caps::default())
}

pub(crate) fn complete_capped<A: Asker>(
    first: ModelReply,
    wanted: &Wanted,
    asker: &mut A,
    sent: AlreadySent,
    caps: Caps,
) -> Completed {
    let mut ladder = Ladder::new(first, wanted.clone(), caps, sent);
    loop {
        match ladder.next() {
            LadderAction::Ask(follow_up) => ladder.take(asker.ask(&follow_up)),
            LadderAction::Done(completed) => return *completed,
        }
    }
}
