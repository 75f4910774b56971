//! One stream on its way from the upstream to the client.
//!
//! In: the upstream's bytes in any pieces. Out: the bytes that may be sent now, frames as they came.
//! The same bytes come out whatever the pieces were. Never holds more than what waits for its proof,
//! the answer that a continuation would need, and the state of the judges.

use super::HealPolicy;
use super::hold::{Hold, HoldRule, text_bytes};
use bytes::{Bytes, BytesMut};
use salve_engine::answer::{AlreadySent, AnswerVerdict, StreamJudge, Wanted, judge};
use salve_model::wire::{Asked, Delta, Dialect, SseFrame, SseSplitter, StreamReader, StreamTail};
use salve_model::{ModelReply, ToolCall};
use salve_types::{FinishReason, Mode};
use serde::de::IgnoredAny;

/// One stream that is being read.
pub(super) struct Session {
    dialect: Dialect,
    mode: Mode,
    choices: usize,
    wanted: Wanted,
    splitter: SseSplitter,
    reader: StreamReader,
    hold: Hold,
    judges: Vec<StreamJudge>,
    arrived: usize,
    most: usize,
    // Bytes of all texts that came.
    text: usize,
    // It was longer than any answer.
    too_long: bool,
    // A frame could not be read, so that nothing after it counts.
    lost: bool,
    end: Option<StreamEnd>,
}

/// How a stream ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum StreamEnd {
    /// Its last frame came.
    Ended,
    /// The connection ended without one.
    Closed,
    /// It broke, or the upstream gave up.
    Broken(String),
}

/// A stream that is over: what arrived, and what of it waits.
pub(super) struct Arrived {
    pub(super) dialect: Dialect,
    pub(super) wanted: Wanted,
    pub(super) answers: Vec<ArrivedAnswer>,
    pub(super) hold: Hold,
    pub(super) tail: StreamTail,
    pub(super) end: StreamEnd,
    /// Whether it was longer than any answer: it is not judged, and not asked for again.
    pub(super) too_long: bool,
    /// Bytes of all its texts.
    pub(super) text: usize,
}

/// One answer of a stream that is over.
pub(super) struct ArrivedAnswer {
    pub(super) reply: ModelReply,
    pub(super) verdict: AnswerVerdict,
    pub(super) sent: AlreadySent,
}

impl Session {
    pub(super) fn new(asked: &Asked, wanted: Wanted, policy: &HealPolicy) -> Self {
        let bound = wanted.is_json();
        let rule = match policy.mode {
            Mode::Off | Mode::Observe => HoldRule::TheEnd,
            Mode::Enforce if bound => HoldRule::EndsAndText,
            Mode::Enforce => HoldRule::Ends,
        };
        Self {
            dialect: asked.dialect,
            mode: policy.mode,
            choices: usize::try_from(asked.choices).unwrap_or(1).max(1),
            wanted,
            splitter: SseSplitter::default(),
            reader: StreamReader::for_client(asked),
            hold: Hold::new(rule, asked.dialect),
            judges: Vec::new(),
            arrived: 0,
            most: policy.most_bytes,
            text: 0,
            too_long: false,
            lost: false,
            end: None,
        }
    }

    /// Takes bytes of the upstream and returns those that may be sent now; perhaps no bytes.
    pub(super) fn feed(&mut self, chunk: &Bytes) -> Bytes {
        self.arrived = self.arrived.saturating_add(chunk.len());
        let mut out = Out::default();
        self.splitter.push(chunk.clone());
        // Frames after the last one are held with it: they are for the client as well.
        while !matches!(self.end, Some(StreamEnd::Broken(_))) {
            match self.splitter.next_frame() {
                Ok(Some(frame)) => self.take(frame, &mut out),
                Ok(None) => break,
                Err(error) => {
                    self.lose(error.message);
                    break;
                }
            }
        }
        // A text that grows has room for as much again.
        let held = self.hold.bytes().saturating_add(self.text.saturating_mul(2));
        if self.arrived.max(held) > self.most && self.end.is_none() {
            self.too_long = true;
            let why = format!("the stream is longer than {} bytes", self.most);
            self.end = Some(StreamEnd::Broken(why));
        }
        out.joined(chunk)
    }

    /// The upstream sends no more. Returns the bytes that may be sent now.
    pub(super) fn close(&mut self, broken: Option<String>) -> Bytes {
        let mut out = Out::default();
        let left = std::mem::take(&mut self.splitter).finish();
        if let Some(frame) = left.filter(|_| self.end.is_none()) {
            self.take_unended(frame, &mut out);
        }
        self.end.get_or_insert(broken.map_or(StreamEnd::Closed, StreamEnd::Broken));
        out.joined(&Bytes::new())
    }

    /// Returns the text of the first answer from this byte on.
    pub(super) fn text_since(&self, from: usize) -> &str {
        self.reader.reply(0).and_then(|reply| reply.text.get(from..)).unwrap_or_default()
    }

    /// Returns whether the stream is over, so that nothing more need be read.
    pub(super) fn is_over(&self) -> bool {
        self.end.is_some()
    }

    /// Returns whether anything waits while the client hears nothing.
    pub(super) fn is_holding(&self) -> bool {
        !self.hold.is_empty()
    }

    /// Returns the bytes of state besides the answer and what waits.
    #[cfg(test)]
    pub(super) fn state_bytes(&self) -> usize {
        size_of::<Self>() + self.judges.iter().map(StreamJudge::state_bytes).sum::<usize>()
    }

    /// Returns the bytes of the texts that came and of what waits.
    #[cfg(test)]
    pub(super) fn held_bytes(&self) -> usize {
        self.hold.bytes() + 2 * self.text
    }

    /// Ends the reading and judges what arrived.
    pub(super) fn into_arrived(mut self) -> Arrived {
        let end = self.end.unwrap_or(StreamEnd::Closed);
        let tail = std::mem::replace(self.reader.tail(), StreamTail::new(self.dialect));
        let mut replies = self.reader.into_replies();
        let unfinished = replies.iter().any(|reply| reply.finish.is_none());
        let broken = end != StreamEnd::Ended || replies.is_empty();
        // An answer of which nothing arrived was wanted all the same.
        if broken && (unfinished || replies.is_empty()) {
            replies.resize_with(self.choices.max(replies.len()), ModelReply::default);
        }
        if self.too_long {
            // What the client has of it is all it gets; the rest only takes memory.
            self.hold.clear();
            self.judges.clear();
            replies.iter_mut().for_each(forget);
        }
        let mut judges = self.judges.into_iter();
        let mut answers = Vec::new();
        for (choice, mut reply) in replies.into_iter().enumerate() {
            if broken && reply.finish.is_none() {
                reply.finish = Some(FinishReason::Disconnect);
                reply.lost = self.lost;
            }
            let verdict = match judges.next().filter(|_| !self.lost) {
                Some(judge) => judge.finish(&reply, &self.wanted),
                None => judge(&reply, &self.wanted),
            };
            answers.push(ArrivedAnswer { reply, verdict, sent: self.hold.sent(choice) });
        }
        let Self { dialect, wanted, hold, too_long, text, .. } = self;
        Arrived { dialect, wanted, answers, hold, tail, end, too_long, text }
    }

    fn take(&mut self, frame: SseFrame, out: &mut Out) {
        let deltas = self.reader.read(&frame);
        if let ([Delta::Lost { why }], Mode::Enforce) = (&deltas[..], self.mode) {
            // What it would have said is lost, and the client would stumble over it.
            return self.lose((*why).to_owned());
        }
        self.text += deltas.iter().map(text_bytes).sum::<usize>();
        for delta in &deltas {
            match delta {
                Delta::Text { choice, text } => self.judge(*choice).push_text(text),
                Delta::End => {
                    self.end.get_or_insert(StreamEnd::Ended);
                }
                Delta::Error { message } if self.mode == Mode::Enforce => {
                    self.end.get_or_insert_with(|| StreamEnd::Broken(message.clone()));
                }
                _ => {}
            }
        }
        let begun = deltas.iter().find_map(|delta| match delta {
            Delta::ToolStart { choice, call, .. } => Some((*choice, *call)),
            _ => None,
        });
        let ended = deltas.iter().find_map(|delta| match delta {
            Delta::BlockEnd { choice, call: Some(call) } => Some((*choice, call + 1)),
            _ => None,
        });
        if let Some((choice, calls)) = begun {
            self.release_calls(choice, calls, out);
        }
        let tail = self.reader.tail();
        self.hold.take(frame, deltas, &mut |frame, deltas| out.push(tail.forward(frame, deltas)));
        if let Some((choice, calls)) = ended {
            self.release_calls(choice, calls, out);
        }
    }

    // Nothing after this counts. What came after the last frame of a stream is no part of an answer.
    fn lose(&mut self, why: String) {
        self.lost |= self.end.is_none();
        self.end.get_or_insert(StreamEnd::Broken(why));
    }

    // The first calls of an answer are over: if they are proven, they need not wait for the rest.
    fn release_calls(&mut self, choice: usize, calls: usize, out: &mut Out) {
        let bound = self.wanted.is_json();
        if calls == 0 || self.choices > 1 || self.hold.is_empty() || bound && self.hold.holds_text()
        {
            return;
        }
        let sent = self.hold.sent(choice).tool_calls;
        let Some(reply) = self.reader.reply(choice) else { return };
        let proven = |call: &ToolCall| is_proven(call, &self.wanted);
        let over = reply.tool_calls.get(sent.min(calls)..calls);
        if !over.is_some_and(|calls| calls.iter().all(proven)) {
            return;
        }
        let tail = self.reader.tail();
        let ends = |delta: &Delta| {
            matches!(delta, Delta::Finish { .. } | Delta::End | Delta::Error { .. })
        };
        self.hold.let_go_until(ends, &mut |frame, deltas| out.push(tail.forward(frame, deltas)));
    }

    // A last frame may lack the blank line that would have ended it.
    fn take_unended(&mut self, frame: SseFrame, out: &mut Out) {
        if self.mode != Mode::Enforce {
            let deltas = self.reader.read(&frame);
            self.hold.take(frame, deltas, &mut |frame, _| out.push(frame.raw.clone()));
        } else if !frame.data.is_empty() && is_readable(&frame) {
            let mut raw = BytesMut::from(&frame.raw[..]);
            raw.extend_from_slice(if frame.raw.ends_with(b"\n") { b"\n" } else { b"\n\n" });
            self.take(SseFrame::read(raw.freeze()), out);
        }
    }

    fn judge(&mut self, choice: usize) -> &mut StreamJudge {
        while self.judges.len() <= choice {
            self.judges.push(StreamJudge::new(&self.wanted));
        }
        &mut self.judges[choice]
    }
}

fn forget(reply: &mut ModelReply) {
    reply.text = String::new();
    reply.thinking = String::new();
    for call in &mut reply.tool_calls {
        call.arguments = String::new();
    }
}

fn is_readable(frame: &SseFrame) -> bool {
    frame.data.is_empty()
        || frame.data.trim_ascii() == b"[DONE]"
        || serde_json::from_slice::<IgnoredAny>(&frame.data).is_ok()
}

// Whether a call that is over needs nothing: strict JSON that fits its tool, every byte as it came.
fn is_proven(call: &ToolCall, wanted: &Wanted) -> bool {
    let alone = ModelReply {
        tool_calls: vec![call.clone()],
        finish: Some(FinishReason::ToolCalls),
        ..ModelReply::default()
    };
    match judge(&alone, wanted) {
        AnswerVerdict::Whole(answer) => answer.without_arguments.is_empty(),
        _ => false,
    }
}

// Frames that may be sent now.
#[derive(Default)]
struct Out {
    frames: Vec<Bytes>,
}

impl Out {
    fn push(&mut self, bytes: Bytes) {
        if !bytes.is_empty() {
            self.frames.push(bytes);
        }
    }

    // Joins them. A chunk of which every byte flows is passed on without a copy.
    fn joined(mut self, chunk: &Bytes) -> Bytes {
        let bytes = self.frames.iter().map(Bytes::len).sum();
        match self.frames.len() {
            0 => return Bytes::new(),
            1 => return self.frames.swap_remove(0),
            _ => {}
        }
        let same = |frame: &Bytes, at: usize| frame.as_ptr() == chunk[at..].as_ptr();
        let mut at = 0;
        let flows = bytes == chunk.len()
            && self.frames.iter().all(|frame| {
                let same = same(frame, at);
                at += frame.len();
                same
            });
        if flows {
            return chunk.clone();
        }
        let mut joined = BytesMut::with_capacity(bytes);
        for frame in &self.frames {
            joined.extend_from_slice(frame);
        }
        joined.freeze()
    }
}
