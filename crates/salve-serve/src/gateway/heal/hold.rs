//! What may flow on to the client, and what is held back.
//!
//! In: frames of a stream with the steps they stand for. Out: the frames that may be sent now, as
//! they came and in their order. Free text and reasoning flow; arguments of tools, bound text and
//! every end are held, because what was sent cannot be taken back. Never changes a frame.

use bytes::Bytes;
use salve_engine::AlreadySent;
use salve_model::wire::{Delta, SseFrame};

/// Which text may flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextRule {
    /// Text is free.
    Flows,
    /// Text must be proven first.
    IsBound,
}

/// The frames of one stream that wait.
#[derive(Debug)]
pub(super) struct Hold {
    rule: TextRule,
    waiting: Vec<Waiting>,
    waiting_bytes: usize,
    sent: Vec<AlreadySent>,
}

#[derive(Debug)]
struct Waiting {
    frame: SseFrame,
    touched: Touched,
    until: Until,
    // Bytes of text in it, by answer.
    text: Vec<(usize, usize)>,
}

// What a frame waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Until {
    // Nothing: it may go as soon as nothing stands before it.
    Free,
    // The next frame that flows shows that what it closes had its end.
    MoreFollows,
    // A verdict.
    Proven,
}

// The answers a frame is about.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Touched {
    All,
    Some(Vec<usize>),
}

impl Touched {
    fn meets(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Some(ours), Self::Some(theirs)) => ours.iter().any(|one| theirs.contains(one)),
            _ => true,
        }
    }
}

impl Hold {
    pub(super) fn new(rule: TextRule) -> Self {
        Self { rule, waiting: Vec::new(), waiting_bytes: 0, sent: Vec::new() }
    }

    /// Takes the next frame. What may be sent now goes to `flow`.
    pub(super) fn take(
        &mut self,
        frame: SseFrame,
        deltas: &[Delta],
        flow: &mut impl FnMut(SseFrame),
    ) {
        // Comments and pings belong to no answer, and clients skip them anywhere.
        if frame.data.is_empty() || frame.event_name() == Some("ping") {
            return flow(frame);
        }
        let goes_on = goes_on(&frame, deltas);
        let waiting = Waiting {
            until: self.until(deltas),
            touched: touched(deltas),
            text: text_of(deltas),
            frame,
        };
        if waiting.until == Until::Free && !self.blocks(&waiting.touched, goes_on) {
            self.release(&waiting.touched, flow);
            self.send(waiting, flow);
        } else {
            self.waiting_bytes += waiting.frame.raw.len();
            self.waiting.push(waiting);
        }
    }

    /// Lets everything go that waits, in its order; the first calls of the answer are proven.
    pub(super) fn prove_calls(
        &mut self,
        choice: usize,
        calls: usize,
        flow: &mut impl FnMut(SseFrame),
    ) {
        for waiting in self.take_all() {
            self.send(waiting, flow);
        }
        let sent = self.sent_of(choice);
        sent.tool_calls = sent.tool_calls.max(calls);
    }

    /// Returns whether text waits that must be proven first.
    pub(super) fn holds_text(&self) -> bool {
        self.waiting.iter().any(|waiting| waiting.until == Until::Proven && !waiting.text.is_empty())
    }

    /// Returns what waits, as it came, and forgets it.
    pub(super) fn into_frames(self) -> (Vec<Bytes>, Vec<AlreadySent>) {
        (self.waiting.into_iter().map(|waiting| waiting.frame.raw).collect(), self.sent)
    }

    /// Returns whether anything waits.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Returns the bytes that wait.
    pub(super) fn bytes(&self) -> usize {
        self.waiting_bytes
    }

    fn until(&self, deltas: &[Delta]) -> Until {
        let of = |delta: &Delta| match delta {
            Delta::Text { text, .. } if text.is_empty() => Until::Free,
            Delta::Text { .. } if self.rule == TextRule::IsBound => Until::Proven,
            Delta::Text { .. } | Delta::Thinking { .. } | Delta::Usage(_) => Until::Free,
            Delta::BlockEnd { call: None, .. } => Until::MoreFollows,
            _ => Until::Proven,
        };
        let mut until = Until::Free;
        for delta in deltas {
            match of(delta) {
                Until::Proven => return Until::Proven,
                Until::MoreFollows => until = Until::MoreFollows,
                Until::Free => {}
            }
        }
        until
    }

    // Whether something waits that a frame about these answers must not overtake.
    fn blocks(&self, touched: &Touched, goes_on: bool) -> bool {
        let stays = |waiting: &&Waiting| waiting.until == Until::Proven || !goes_on;
        self.waiting.iter().filter(stays).any(|waiting| waiting.touched.meets(touched))
    }

    // Something about these answers flows, so what was closed before it had its end.
    fn release(&mut self, touched: &Touched, flow: &mut impl FnMut(SseFrame)) {
        if self.waiting.is_empty() {
            return;
        }
        for waiting in self.take_all() {
            if waiting.touched.meets(touched) {
                self.send(waiting, flow);
            } else {
                self.waiting_bytes += waiting.frame.raw.len();
                self.waiting.push(waiting);
            }
        }
    }

    fn take_all(&mut self) -> Vec<Waiting> {
        self.waiting_bytes = 0;
        std::mem::take(&mut self.waiting)
    }

    fn send(&mut self, waiting: Waiting, flow: &mut impl FnMut(SseFrame)) {
        for (choice, bytes) in waiting.text {
            self.sent_of(choice).text += bytes;
        }
        flow(waiting.frame);
    }

    fn sent_of(&mut self, choice: usize) -> &mut AlreadySent {
        if self.sent.len() <= choice {
            self.sent.resize(choice + 1, AlreadySent::default());
        }
        &mut self.sent[choice]
    }
}

// Whether a frame shows that the block before it had its end: something else begins.
fn goes_on(frame: &SseFrame, deltas: &[Delta]) -> bool {
    let more = |delta: &Delta| matches!(delta, Delta::Text { .. } | Delta::Thinking { .. });
    let begins = ["content_block_start", "response.output_item.added"];
    deltas.iter().any(more) || frame.event_name().is_some_and(|name| begins.contains(&name))
}

fn touched(deltas: &[Delta]) -> Touched {
    let mut choices = Vec::new();
    for delta in deltas {
        let choice = match delta {
            Delta::Text { choice, .. }
            | Delta::Thinking { choice, .. }
            | Delta::ToolStart { choice, .. }
            | Delta::ToolArguments { choice, .. }
            | Delta::BlockEnd { choice, .. }
            | Delta::Finish { choice, .. } => *choice,
            // Counts often ride along with the text of one answer.
            Delta::Usage(_) => continue,
            _ => return Touched::All,
        };
        if !choices.contains(&choice) {
            choices.push(choice);
        }
    }
    if choices.is_empty() { Touched::All } else { Touched::Some(choices) }
}

fn text_of(deltas: &[Delta]) -> Vec<(usize, usize)> {
    let of = |delta: &Delta| match delta {
        Delta::Text { choice, text } if !text.is_empty() => Some((*choice, text.len())),
        _ => None,
    };
    deltas.iter().filter_map(of).collect()
}
