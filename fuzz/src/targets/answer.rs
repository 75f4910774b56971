//! The ladder of one answer: what is called whole was written, and no cap is passed.
//!
//! In: a byte that chooses what is wanted and how the answer is said to end, the answer, and after
//! each separator `0x1E` what the model answers when it is asked again. Out: a panic when a stream is
//! judged otherwise than the whole text, when text that was sent changed, when a letter appears that
//! the model did not write, or when arguments are passed on that are not JSON.

use crate::input;
use salve_engine::answer::{
    AlreadySent, AskError, Caps, Completed, Completion, Ladder, LadderAction, StreamJudge, Wanted,
    judge,
};
use salve_model::{ModelReply, ToolCall};
use salve_types::FinishReason;

const SEPARATOR: char = '\u{1e}';

pub(super) fn check(bytes: &[u8]) {
    let (choice, rest) = bytes.split_first().map_or((0, bytes), |(first, rest)| (*first, rest));
    let text = input::text(rest);
    let mut pieces = text.split(SEPARATOR);
    let first = pieces.next().unwrap_or_default();
    let wanted = Wanted { json: choice & 3 == 1, ..Wanted::default() };
    let calls = choice & 3 == 2;
    let first = reply(first, choice, calls);
    judge_streamed(&first, &wanted);
    let sent = if choice & 3 == 0 { first.text.len() } else { 0 };
    let mut script = Script { pieces: pieces.collect(), asked: 0, choice, calls };
    let completed = completed(first.clone(), wanted, sent, &mut script);
    check_completed(&first, sent, &completed, &text, script.asked);
}

fn check_completed(
    first: &ModelReply,
    sent: usize,
    completed: &Completed,
    text: &str,
    asked: usize,
) {
    assert!(asked <= 7, "asked beyond every cap");
    assert!(completed.reply.text.starts_with(&first.text[..sent]), "what was sent was changed");
    if completed.state == Completion::Whole {
        assert!(is_written(&completed.reply.text, text), "a letter that nobody wrote");
    }
    for call in &completed.reply.tool_calls {
        let read: Result<serde_json::Value, _> = serde_json::from_str(&call.arguments);
        assert!(read.is_ok(), "arguments that are not JSON were passed on");
        let empty = call.arguments == "{}";
        assert!(empty || is_written(&call.arguments, text), "arguments that nobody wrote");
    }
}

fn judge_streamed(reply: &ModelReply, wanted: &Wanted) {
    let batch = judge(reply, wanted);
    for pieces in input::chunkings(&reply.text) {
        let mut stream = StreamJudge::new(wanted);
        for piece in pieces {
            stream.push_text(piece);
        }
        assert_eq!(stream.finish(reply, wanted), batch, "a stream is judged otherwise");
    }
}

fn reply(text: &str, choice: u8, call: bool) -> ModelReply {
    let finish = match (choice >> 2) & 3 {
        0 => FinishReason::Stop,
        1 => FinishReason::Length,
        2 => FinishReason::Disconnect,
        _ => FinishReason::ToolCalls,
    };
    let mut reply = ModelReply { finish: Some(finish), ..ModelReply::default() };
    if call {
        let (id, name) = ("1".to_owned(), "tool".to_owned());
        reply.tool_calls.push(ToolCall { id, name, arguments: text.to_owned() });
    } else {
        text.clone_into(&mut reply.text);
    }
    reply
}

struct Script<'t> {
    pieces: Vec<&'t str>,
    asked: usize,
    choice: u8,
    calls: bool,
}

impl Script<'_> {
    fn ask(&mut self) -> Result<ModelReply, AskError> {
        let piece = self.pieces.get(self.asked).copied();
        self.asked += 1;
        let piece = piece.ok_or_else(|| AskError::Failed("no more pieces".to_owned()))?;
        // Every second reply is a call, where calls are what is being completed.
        Ok(reply(piece, self.choice, self.calls && self.asked.is_multiple_of(2)))
    }
}

fn completed(first: ModelReply, wanted: Wanted, sent: usize, script: &mut Script<'_>) -> Completed {
    let sent = AlreadySent { text: sent, tool_calls: 0 };
    let mut ladder = Ladder::new(first, wanted, Caps::default(), sent);
    loop {
        match ladder.next() {
            LadderAction::Ask(_) => ladder.take(script.ask()),
            LadderAction::Done(completed) => return *completed,
        }
    }
}

fn is_written(answer: &str, written: &str) -> bool {
    let mut letters = written.chars().filter(|letter| !letter.is_whitespace());
    answer.chars().filter(|it| !it.is_whitespace()).all(|it| letters.any(|other| other == it))
}
