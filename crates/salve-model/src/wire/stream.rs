//! Reads the frames of a stream, whatever its dialect.
//!
//! In: frames in the order they came. Out: the steps each of them stands for, and the replies they
//! add up to. Never fails: a frame that cannot be read is a step that says so, takes nothing, and can
//! still be passed on.

mod chat;
mod messages;
mod responses;
mod sound;

use super::asked::MOST_CHOICES;
use super::words::{Counts, unless_refused};
use super::{Asked, Delta, Dialect, SseFrame, StreamTail};
use crate::reply::{ModelReply, ToolCall};
use salve_types::FinishReason;
use sound::{Habit, NOT_JSON, WRONG_LINES, Why};

/// More calls than this in one answer are not followed.
const MOST_CALLS: usize = 1024;

/// Follows one stream.
#[derive(Debug)]
pub struct StreamReader {
    dialect: Dialect,
    answers: Vec<Answer>,
    counts: Counts,
    model: Option<String>,
    // Blocks and items that have begun and not ended.
    open: Vec<Open>,
    // How many answers were asked for.
    choices: usize,
    // Blocks of Messages that have begun.
    begun: u64,
    numbers: responses::Numbers,
    // Whether events say their kind, and to which call, block or item they belong.
    says_kind: Habit,
    says_place: Habit,
    // Fields of Chat that are not known and came before the answer.
    strange_keys: Vec<String>,
    // Whether what is read is passed on to a client that joins it itself.
    for_client: bool,
    tail: StreamTail,
}

// An answer that is being read.
#[derive(Debug, Default)]
struct Answer {
    reply: ModelReply,
    // What the provider calls each tool call, in their order.
    keys: Vec<u64>,
    refused: bool,
}

// A block (Messages) or an item (Responses) that has begun.
#[derive(Debug)]
struct Open {
    index: u64,
    kind: Block,
}

#[derive(Debug)]
enum Block {
    // Text, and where it begins in the answer's text.
    Text { start: usize },
    // A call, and the arguments that came with its beginning.
    Call { call: usize, given: String },
    Other,
}

impl StreamReader {
    /// Starts to read a stream.
    pub fn new(dialect: Dialect) -> Self {
        Self {
            dialect,
            answers: Vec::new(),
            counts: Counts::default(),
            model: None,
            open: Vec::new(),
            choices: MOST_CHOICES,
            begun: 0,
            numbers: responses::Numbers::default(),
            says_kind: Habit::default(),
            says_place: Habit::default(),
            strange_keys: Vec::new(),
            for_client: false,
            tail: StreamTail::new(dialect),
        }
    }

    /// Starts to read the stream that answers a client's request.
    pub fn for_client(asked: &Asked) -> Self {
        let mut reader = Self::new(asked.dialect);
        reader.for_client = true;
        reader.tail.include_usage(asked.include_usage);
        reader.expect(usize::try_from(asked.choices).unwrap_or(MOST_CHOICES));
        reader
    }

    /// Says how many answers were asked for: an answer of another number is none of them.
    pub fn expect(&mut self, choices: usize) {
        self.choices = choices.clamp(1, MOST_CHOICES);
    }

    /// Returns the steps that a frame stands for. One that cannot be read is [`Delta::Lost`] alone.
    pub fn read(&mut self, frame: &SseFrame) -> Vec<Delta> {
        if !frame.is_sound() {
            return vec![Delta::Lost { why: WRONG_LINES }];
        }
        if frame.data.is_empty() {
            return Vec::new();
        }
        // A string that nobody looks at may hold bytes that are no text, and clients look at all of them.
        if std::str::from_utf8(&frame.data).is_err() {
            return vec![Delta::Lost { why: NOT_JSON }];
        }
        let read = match self.dialect {
            Dialect::Chat => chat::read(self, frame),
            Dialect::Responses => responses::read(self, frame),
            Dialect::Messages => messages::read(self, frame),
        };
        read.unwrap_or_else(|why| vec![Delta::Lost { why }])
    }

    /// Returns what the frames so far add up to, one reply for each answer. What was counted is in
    /// the first one, because it was counted for all of them.
    pub fn replies(&self) -> Vec<ModelReply> {
        let replies = self.answers.iter().map(|answer| answer.reply.clone());
        self.with_usage(replies.collect())
    }

    /// Ends the reading and returns what [`Self::replies`] does.
    pub fn into_replies(mut self) -> Vec<ModelReply> {
        let answers = std::mem::take(&mut self.answers);
        self.with_usage(answers.into_iter().map(|answer| answer.reply).collect())
    }

    /// Returns one answer as it is so far, without what was counted.
    pub fn reply(&self, choice: usize) -> Option<&ModelReply> {
        self.answers.get(choice).map(|answer| &answer.reply)
    }

    /// Returns the tail that goes on with this stream for the client that reads it. It must be told
    /// of every frame that is passed on.
    pub const fn tail(&mut self) -> &mut StreamTail {
        &mut self.tail
    }

    /// Ends the reading and keeps the tail that goes on with the stream.
    pub fn into_tail(self) -> StreamTail {
        self.tail
    }

    fn with_usage(&self, mut replies: Vec<ModelReply>) -> Vec<ModelReply> {
        if replies.is_empty() && self.counts != Counts::default() {
            replies.push(ModelReply::default());
        }
        for reply in &mut replies {
            reply.model.clone_from(&self.model);
        }
        if let Some(first) = replies.first_mut() {
            first.usage = self.counts.usage(self.dialect);
        }
        replies
    }

    // Answers are numbered by the provider, so a number alone must not take memory.
    fn answer(&mut self, choice: u64) -> Option<(usize, &mut Answer)> {
        let choice = usize::try_from(choice).ok().filter(|choice| *choice < MOST_CHOICES)?;
        while self.answers.len() <= choice {
            self.answers.push(Answer::default());
        }
        self.answers.get_mut(choice).map(|answer| (choice, answer))
    }

    fn note_model(&mut self, model: Option<&str>) {
        if self.model.is_none() {
            self.model = model.map(str::to_owned);
        }
    }

    fn text(&mut self, choice: u64, text: &str, deltas: &mut Vec<Delta>) {
        if let Some((choice, answer)) = self.answer(choice).filter(|_| !text.is_empty()) {
            answer.reply.text.push_str(text);
            deltas.push(Delta::Text { choice, text: text.to_owned() });
        }
    }

    fn thinking(&mut self, choice: u64, text: &str, deltas: &mut Vec<Delta>) {
        if let Some((choice, answer)) = self.answer(choice).filter(|_| !text.is_empty()) {
            answer.reply.thinking.push_str(text);
            deltas.push(Delta::Thinking { choice, text: text.to_owned() });
        }
    }

    fn refused(&mut self, choice: u64) {
        if let Some((_, answer)) = self.answer(choice) {
            answer.refused = true;
        }
    }

    fn finish(&mut self, choice: u64, reason: FinishReason, deltas: &mut Vec<Delta>) {
        if let Some((choice, answer)) = self.answer(choice) {
            let reason = unless_refused(reason, answer.refused);
            answer.reply.finish = Some(reason.clone());
            deltas.push(Delta::Finish { choice, reason });
        }
    }

    fn count(&mut self, counts: Counts, deltas: &mut Vec<Delta>) {
        if counts != Counts::default() {
            self.counts.update(counts);
            let usage = self.counts.usage(self.dialect);
            deltas.extend(usage.map(Delta::Usage));
            self.tail.counted(usage);
        }
    }

    fn start_call(
        &mut self,
        choice: u64,
        key: u64,
        (id, name): (&str, &str),
        deltas: &mut Vec<Delta>,
    ) -> Option<usize> {
        let (choice, answer) = self.answer(choice)?;
        let call = answer.keys.len();
        if call >= MOST_CALLS {
            return None;
        }
        let (id, name) = (id.to_owned(), name.to_owned());
        answer.keys.push(key);
        let started = ToolCall { id: id.clone(), name: name.clone(), arguments: String::new() };
        answer.reply.tool_calls.push(started);
        deltas.push(Delta::ToolStart { choice, call, id, name });
        Some(call)
    }

    fn arguments(&mut self, choice: u64, call: usize, text: &str, deltas: &mut Vec<Delta>) {
        let Some((choice, answer)) = self.answer(choice).filter(|_| !text.is_empty()) else {
            return;
        };
        if let Some(at) = answer.reply.tool_calls.get_mut(call) {
            at.arguments.push_str(text);
            deltas.push(Delta::ToolArguments { choice, call, text: text.to_owned() });
        }
    }
}

// What a whole text has beyond the part that came piece by piece. A text that was told in part
// only, or not at all, adds nothing; one that contradicts the pieces is an error with the number of
// bytes that both share.
fn beyond<'a>(whole: &'a str, came: &str) -> Result<&'a str, usize> {
    match whole.strip_prefix(came) {
        Some(rest) => Ok(rest),
        None if came.ends_with(whole) => Ok(""),
        None => {
            let pairs = whole.chars().zip(came.chars());
            let same = pairs.take_while(|(one, other)| one == other);
            Err(same.map(|(one, _)| one.len_utf8()).sum())
        }
    }
}

#[cfg(test)]
mod tests;
