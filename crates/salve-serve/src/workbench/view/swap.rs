//! A page that is brought up to date: what happened becomes a few swaps of elements.
//!
//! In: events of a session, and the screen as it is after them. Out: swaps, each by the id of an element, and only
//! those that change something. A block that was drawn stays; text is added to the open one. Never the same region
//! twice in a row, and nothing that the page did not ask for.

use super::chat::{
    ChatView, Region, TurnView, cli_panel, final_blocks, questions, render_block, session_head,
    stop_button, todo_list, turn_article, turn_regions,
};
use super::live::{AnswerBlock, LiveAnswer, LiveStep, goes_on};
use maud::html;
use salve_engine::jobs::AUTO_HEALING;
use salve_engine::session::EventName;
use salve_types::SessionEvent;
use serde::Serialize;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// What is done to an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SwapOp {
    /// It gives way to the new one.
    Replace,
    /// The new one becomes its last child.
    Append,
    /// It goes.
    Remove,
    /// The text is added to its end.
    Text,
    /// The text is shown as a toast and spoken; it has no target.
    Toast,
}

/// One change of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Swap {
    /// What is done.
    pub op: SwapOp,
    /// The id of the element.
    pub target: String,
    /// The element or the text.
    pub html: String,
}

impl Swap {
    fn new(op: SwapOp, target: impl Into<String>, html: impl Into<String>) -> Self {
        Self { op, target: target.into(), html: html.into() }
    }
}

/// What one page has been sent.
#[derive(Debug, Default)]
pub struct PageStream {
    /// The answer that arrives.
    live: Option<LiveTurn>,
    /// What each region was when it was last sent.
    sent: HashMap<String, u64>,
    /// The turns that the page has.
    turns: Vec<u32>,
}

#[derive(Debug)]
struct LiveTurn {
    turn: u32,
    reply: String,
    answer: LiveAnswer,
    /// The blocks that the page has; the last may be open.
    blocks: Vec<Option<AnswerBlock>>,
}

impl PageStream {
    /// Begins with the turns that the page shows already.
    pub fn new(turns: impl IntoIterator<Item = u32>) -> Self {
        Self { turns: turns.into_iter().collect(), ..Self::default() }
    }

    /// Takes an event that the page shows already.
    pub fn catch_up(&mut self, event: &SessionEvent) {
        if is_chunk(event) {
            let _ = self.chunk(event);
        }
    }

    /// Takes a piece of an answer; nothing for another event.
    pub fn chunk(&mut self, event: &SessionEvent) -> Vec<Swap> {
        let (Some(turn), true) = (event.turn, is_chunk(event)) else { return Vec::new() };
        let text = |name: &str| event.payload[name].as_str().unwrap_or_default();
        let mut swaps = Vec::new();
        let reply = text("reply").to_owned();
        let before = self.live.as_ref().filter(|live| live.turn == turn);
        let (is_known, is_same) =
            (before.is_some(), before.is_some_and(|live| live.reply == reply));
        if is_known && !is_same {
            // Nobody asked for it again: what was cut is gone on with, or answered anew.
            swaps.push(Swap::new(SwapOp::Toast, "toasts", AUTO_HEALING));
        }
        if is_known && !is_same && !goes_on(text("text")) {
            let empty = html! { div.body id={ "t" (turn) "-body" } {} };
            swaps.push(Swap::new(SwapOp::Replace, format!("t{turn}-body"), empty.into_string()));
            self.live = None;
        }
        match self.live.as_mut().filter(|live| live.turn == turn) {
            Some(live) => live.reply = reply,
            None => {
                let (answer, blocks) = (LiveAnswer::default(), Vec::new());
                self.live = Some(LiveTurn { turn, reply, answer, blocks });
            }
        }
        if let Some(live) = &mut self.live {
            live.push(text("text"), &mut swaps);
        }
        swaps
    }

    /// Returns what changes on the page so that it shows `view`. `events` are those that led to it; only the turns
    /// they name are drawn.
    pub fn update(&mut self, events: &[SessionEvent], view: &ChatView) -> Vec<Swap> {
        let mut swaps = Vec::new();
        let touched = |turn: &&TurnView| events.iter().any(|event| event.turn == Some(turn.number));
        // What is not about one turn may be about all of them, as a rewind is.
        let all = events.iter().any(|event| event.turn.is_none());
        for turn in view.turns.iter().filter(|turn| all || touched(turn)) {
            self.turn(turn, &mut swaps);
        }
        for region in [
            Region { id: "session-head".into(), html: session_head(&view.head) },
            Region { id: "todos".into(), html: todo_list(&view.todos) },
            Region { id: "cli-panel".into(), html: cli_panel(view.panel.as_ref()) },
            Region {
                id: "questions".into(),
                html: questions(&view.questions, view.handoff.as_ref()),
            },
            Region { id: "stop".into(), html: stop_button(view.is_running()) },
        ] {
            self.region(region, &mut swaps);
        }
        swaps.extend(events.iter().filter_map(toast));
        let ends = [EventName::TurnFailed, EventName::TurnCancelled].map(EventName::name);
        if events.iter().any(|event| ends.contains(&event.name.as_str())) {
            self.live = None;
        }
        swaps
    }

    fn turn(&mut self, turn: &TurnView, swaps: &mut Vec<Swap>) {
        if !self.turns.contains(&turn.number) {
            self.turns.push(turn.number);
            // What arrives comes with the pieces, so that nothing is there twice.
            let arrived = turn.arrived.clone().filter(|_| !turn.is_running());
            let turn = &TurnView { arrived, ..turn.clone() };
            swaps.push(Swap::new(SwapOp::Remove, "welcome", ""));
            swaps.push(Swap::new(SwapOp::Append, "log", turn_article(turn).into_string()));
            for region in turn_regions(turn) {
                self.note(&region);
            }
            return;
        }
        for region in turn_regions(turn) {
            if region.id.ends_with("-body") {
                self.body(turn, region, swaps);
            } else {
                self.region(region, swaps);
            }
        }
    }

    // The blocks that the page has stay; what differs is swapped, what is missing is added.
    fn body(&mut self, turn: &TurnView, region: Region, swaps: &mut Vec<Swap>) {
        if turn.answer.is_none() {
            // What arrives is sent piece by piece.
            let has_live = self.live.as_ref().is_some_and(|live| live.turn == turn.number);
            if !has_live && (turn.arrived.is_none() || !turn.is_running()) {
                self.region(region, swaps);
            }
            return;
        }
        let Some(live) = self.live.take_if(|live| live.turn == turn.number) else {
            return self.region(region, swaps);
        };
        self.note(&region);
        let blocks = final_blocks(turn);
        for (at, block) in blocks.iter().enumerate() {
            let drawn = || render_block(turn.number, at, block, false).into_string();
            match live.blocks.get(at) {
                Some(known) if known.as_ref() == Some(block) => {}
                Some(_) => swaps.push(Swap::new(SwapOp::Replace, live.id(at), drawn())),
                None => {
                    swaps.push(Swap::new(
                        SwapOp::Append,
                        format!("t{}-body", turn.number),
                        drawn(),
                    ));
                }
            }
        }
        for at in blocks.len()..live.blocks.len() {
            swaps.push(Swap::new(SwapOp::Remove, live.id(at), ""));
        }
    }

    fn region(&mut self, region: Region, swaps: &mut Vec<Swap>) {
        if self.note(&region) {
            swaps.push(Swap::new(SwapOp::Replace, region.id, region.html.into_string()));
        }
    }

    // Returns whether it is not what was sent last.
    fn note(&mut self, region: &Region) -> bool {
        let mut hasher = DefaultHasher::new();
        region.html.0.hash(&mut hasher);
        let hash = hasher.finish();
        self.sent.insert(region.id.clone(), hash) != Some(hash)
    }
}

impl LiveTurn {
    fn id(&self, at: usize) -> String {
        format!("t{}-b{at}", self.turn)
    }

    fn push(&mut self, piece: &str, swaps: &mut Vec<Swap>) {
        for step in self.answer.push(piece) {
            match step {
                LiveStep::Open(block) => {
                    let drawn = render_block(self.turn, self.blocks.len(), &block, true);
                    self.blocks.push(None);
                    let body = format!("t{}-body", self.turn);
                    swaps.push(Swap::new(SwapOp::Append, body, drawn.into_string()));
                }
                LiveStep::Text(text) => {
                    let target = format!("{}-text", self.id(self.blocks.len().saturating_sub(1)));
                    swaps.push(Swap::new(SwapOp::Text, target, text));
                }
                LiveStep::Close(block) => self.close(block, swaps),
            }
        }
    }

    fn close(&mut self, block: AnswerBlock, swaps: &mut Vec<Swap>) {
        let at = self.blocks.len().saturating_sub(1);
        let (open, closed) = (
            render_block(self.turn, at, &block, true).into_string(),
            render_block(self.turn, at, &block, false).into_string(),
        );
        let target = self.id(at);
        // What began and ended in the same piece was never seen open.
        let began = swaps.iter().rposition(|swap| {
            swap.op == SwapOp::Append && swap.html.contains(&format!("id=\"{target}\""))
        });
        if let Some(began) = began {
            swaps.truncate(began);
            swaps.push(Swap::new(SwapOp::Append, format!("t{}-body", self.turn), closed));
        } else if open != closed {
            let text = format!("{target}-text");
            swaps.retain(|swap| !(swap.op == SwapOp::Text && swap.target == text));
            swaps.push(Swap::new(SwapOp::Replace, target, closed));
        }
        if let Some(last) = self.blocks.last_mut() {
            *last = Some(block);
        }
    }
}

fn is_chunk(event: &SessionEvent) -> bool {
    event.name == EventName::UpdateResponseChunk.name()
}

// What is told in passing.
fn toast(event: &SessionEvent) -> Option<Swap> {
    let words = event.payload["toast"].as_str()?;
    Some(Swap::new(SwapOp::Toast, "toasts", words))
}

#[cfg(test)]
mod tests;
