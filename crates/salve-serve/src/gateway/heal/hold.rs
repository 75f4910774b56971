//! What may flow on to the client, and what is held back.
//!
//! In: frames of a stream with the steps they stand for. Out: the frames that may be sent now, as
//! they came and in their order. Free text and reasoning flow; arguments of tools, bound text and
//! every end are held, because what was sent cannot be taken back. Never changes a frame.

use salve_engine::answer::AlreadySent;
use salve_model::wire::{Delta, Dialect, SseFrame};

/// What of a stream is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HoldRule {
    /// The last frame alone, so that a report can come before it.
    TheEnd,
    /// Ends, and the arguments of tools.
    Ends,
    /// These, and the text, which must be proven first.
    EndsAndText,
}

/// The frames of one stream that wait.
#[derive(Debug)]
pub(super) struct Hold {
    rule: HoldRule,
    dialect: Dialect,
    waiting: Vec<Waiting>,
    // The memory that what waits takes.
    bytes: usize,
    sent: Vec<AlreadySent>,
}

#[derive(Debug)]
struct Waiting {
    frame: SseFrame,
    deltas: Vec<Delta>,
    touched: Touched,
    until: Until,
}

impl Waiting {
    // The frame, its steps, and the texts in them.
    fn bytes(&self) -> usize {
        let steps = self.deltas.iter().map(|delta| size_of::<Delta>() + text_bytes(delta));
        size_of::<Self>() + self.frame.raw.len() + steps.sum::<usize>()
    }
}

/// Returns how long the text of a step is.
pub(super) const fn text_bytes(delta: &Delta) -> usize {
    match delta {
        Delta::Text { text, .. }
        | Delta::Thinking { text, .. }
        | Delta::ToolArguments { text, .. } => text.len(),
        _ => 0,
    }
}

// What a frame waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Until {
    // Nothing: it may go as soon as nothing is before it.
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
    pub(super) fn new(rule: HoldRule, dialect: Dialect) -> Self {
        Self { rule, dialect, waiting: Vec::new(), bytes: 0, sent: Vec::new() }
    }

    /// Takes the next frame. What may be sent now goes to `flow`.
    pub(super) fn take(
        &mut self,
        frame: SseFrame,
        deltas: Vec<Delta>,
        flow: &mut impl FnMut(&SseFrame, &[Delta]),
    ) {
        // Comments and pings belong to no answer, and clients skip them anywhere.
        if frame.data.is_empty() || frame.event_name() == Some("ping") {
            return flow(&frame, &deltas);
        }
        let goes_on = goes_on(&frame, &deltas);
        let waiting =
            Waiting { until: self.until(&deltas), touched: touched(&deltas), deltas, frame };
        if waiting.until == Until::Free && !self.blocks(&waiting.touched, goes_on) {
            self.release(&waiting.touched, flow);
            self.send(&waiting, flow);
        } else {
            self.bytes += waiting.bytes();
            self.waiting.push(waiting);
        }
    }

    /// Returns how much memory what waits takes.
    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Throws away what waits.
    pub(super) fn clear(&mut self) {
        self.waiting = Vec::new();
        self.bytes = 0;
    }

    /// Returns whether text waits that must be proven first.
    pub(super) fn holds_text(&self) -> bool {
        let is_text = |delta: &Delta| matches!(delta, Delta::Text { .. });
        self.waiting.iter().any(|waiting| waiting.deltas.iter().any(is_text))
    }

    /// Lets go, in their order, what waits before the first frame for which `stop` holds.
    pub(super) fn let_go_until(
        &mut self,
        stop: impl Fn(&Delta) -> bool,
        flow: &mut impl FnMut(&SseFrame, &[Delta]),
    ) {
        let stays = |waiting: &Waiting| waiting.deltas.iter().any(&stop);
        let first = self.waiting.iter().position(stays).unwrap_or(self.waiting.len());
        let rest = self.waiting.split_off(first);
        for waiting in std::mem::take(&mut self.waiting) {
            self.bytes = self.bytes.saturating_sub(waiting.bytes());
            self.send(&waiting, flow);
        }
        self.waiting = rest;
    }

    /// Returns what the client has of each answer.
    pub(super) fn sent(&self, choice: usize) -> AlreadySent {
        self.sent.get(choice).copied().unwrap_or_default()
    }

    /// Returns whether anything waits.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    fn until(&self, deltas: &[Delta]) -> Until {
        let of = |delta: &Delta| match delta {
            Delta::End => Until::Proven,
            _ if self.rule == HoldRule::TheEnd => Until::Free,
            Delta::Text { text, .. } if text.is_empty() => Until::Free,
            Delta::Text { .. } if self.rule == HoldRule::EndsAndText => Until::Proven,
            Delta::Text { .. } | Delta::Thinking { .. } | Delta::Usage(_) => Until::Free,
            Delta::BlockEnd { call: None, .. } => Until::MoreFollows,
            _ => Until::Proven,
        };
        // Chat counts in a frame of its own, once and at the end.
        if self.dialect == Dialect::Chat && matches!(deltas, [Delta::Usage(_)]) {
            return Until::MoreFollows;
        }
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
    fn release(&mut self, touched: &Touched, flow: &mut impl FnMut(&SseFrame, &[Delta])) {
        if self.waiting.is_empty() {
            return;
        }
        for waiting in std::mem::take(&mut self.waiting) {
            if waiting.touched.meets(touched) {
                self.bytes = self.bytes.saturating_sub(waiting.bytes());
                self.send(&waiting, flow);
            } else {
                self.waiting.push(waiting);
            }
        }
    }

    fn send(&mut self, waiting: &Waiting, flow: &mut impl FnMut(&SseFrame, &[Delta])) {
        for delta in &waiting.deltas {
            match delta {
                Delta::Text { choice, text } => self.sent_of(*choice).text += text.len(),
                Delta::ToolStart { choice, call, .. } => {
                    let sent = self.sent_of(*choice);
                    sent.tool_calls = sent.tool_calls.max(call + 1);
                }
                _ => {}
            }
        }
        flow(&waiting.frame, &waiting.deltas);
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
