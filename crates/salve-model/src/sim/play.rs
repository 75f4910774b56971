//! Which rule answers, and with what.
//!
//! In: a script and what was heard. Out: one performance: words, waiting, and what goes wrong.
//! Never knows how any of it is spelt on the wire.

use super::answer::{self, Piece, Place};
use super::calls::RuleCalls;
use super::continuer::{Asks, asks};
use super::heard::{Heard, tokens};
use super::script::{
    Chatty, Chunk, CutAt, Delay, Finish, Garbage, Reply, Script, ScriptRule, Told, When,
};
use crate::reply::ModelReply;
use memchr::memmem;
use salve_types::{FinishReason, Usage};
use serde_json::Value;
use std::sync::atomic::{AtomicU64, Ordering};

/// A script that is being played.
#[derive(Debug)]
pub(super) struct Player {
    pub(super) rules: Vec<Playing>,
    pub(super) unmatched: AtomicU64,
}

/// A rule and how often it fitted and answered.
#[derive(Debug)]
pub(super) struct Playing {
    pub(super) rule: ScriptRule,
    pub(super) matched: AtomicU64,
    pub(super) answered: AtomicU64,
}

/// What one request gets.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Performance {
    /// Which rule, from 0.
    pub(super) rule: usize,
    pub(super) delay: Delay,
    pub(super) act: Act,
}

/// An answer, or none.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Act {
    /// A status in place of an answer.
    Refuse { status: u16, body: Option<Value>, retry_after: Option<u64> },
    /// Words.
    Speak(Speech),
}

/// The words of an answer and how they travel.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Speech {
    /// One for each answer that was asked for. The first one tells the usage of all.
    pub(super) replies: Vec<ModelReply>,
    /// What it really took.
    pub(super) paid: Usage,
    pub(super) chunk: Chunk,
    pub(super) faults: Faults,
    /// Whether the same request gets the same words every time.
    pub(super) is_fixed: bool,
}

/// What goes wrong on the way.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Faults {
    pub(super) disconnect: Option<Disconnect>,
    pub(super) garbage: Option<Garbage>,
    /// Milliseconds of silence, and the frame before which they fall.
    pub(super) hang: Option<(u64, usize)>,
}

/// Where the connection breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Disconnect {
    /// At a byte of the body.
    Byte(usize),
    /// After the last word; no end is announced.
    AfterWords,
}

impl Player {
    pub(super) fn new(script: Script) -> Self {
        let playing =
            |rule| Playing { rule, matched: AtomicU64::new(0), answered: AtomicU64::new(0) };
        let rules = script.rules.into_iter().map(playing).collect();
        Self { rules, unmatched: AtomicU64::new(0) }
    }

    /// Answers a request; nothing when no rule applies, which is counted.
    pub(super) fn play(&self, heard: &Heard) -> Option<Performance> {
        for (at, playing) in self.rules.iter().enumerate() {
            let Some(asked) = playing.asked(heard) else { continue };
            if playing.takes() {
                let reply = &playing.rule.reply;
                let delay = reply.delay_ms;
                return Some(Performance { rule: at, delay, act: act(reply, heard, asked) });
            }
        }
        self.unmatched.fetch_add(1, Ordering::Relaxed);
        None
    }

    /// Counts what every rule did.
    pub(super) fn counts(&self) -> Vec<RuleCalls> {
        let count = |playing: &Playing| RuleCalls {
            line: playing.rule.line,
            matched: playing.matched.load(Ordering::Relaxed),
            answered: playing.answered.load(Ordering::Relaxed),
        };
        self.rules.iter().map(count).collect()
    }

    /// Says why no rule applied.
    pub(super) fn reason(&self, heard: &Heard) -> String {
        let spent = self.rules.iter().filter(|playing| playing.is_spent()).count();
        format!(
            "no rule of the script applies ({} rules, {spent} used up): model `{}`, last user turn: {:?}",
            self.rules.len(),
            heard.model,
            shortened(heard.last_user())
        )
    }
}

impl Playing {
    // What the request asks of this rule, if the rule is for it.
    fn asked(&self, heard: &Heard) -> Option<Asks> {
        let when = &self.rule.when;
        let reply = &self.rule.reply;
        if !fits(when, heard) {
            return None;
        }
        let asked = if reply.continues { asks(reply, heard) } else { Asks::First };
        let says = |text: &String| says(text, heard, reply.continues, asked);
        when.contains.as_ref().is_none_or(says).then_some(asked)
    }

    // Counts the request, and whether it is one of those the rule is for.
    fn takes(&self) -> bool {
        let number = self.matched.fetch_add(1, Ordering::Relaxed) + 1;
        let when = &self.rule.when;
        if when.nth.as_ref().is_some_and(|nth| !nth.0.contains(&number)) {
            return false;
        }
        let most = self.rule.times.unwrap_or(u64::MAX);
        let next = |answered: u64| (answered < most).then_some(answered + 1);
        self.answered.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).is_ok()
    }

    fn is_spent(&self) -> bool {
        self.rule.times.is_some_and(|times| self.answered.load(Ordering::Relaxed) >= times)
    }
}

// Everything but the words, which can be long: a script may have a thousand rules.
fn fits(when: &When, heard: &Heard) -> bool {
    let has = |name: &String, value: &String| {
        let name = name.to_ascii_lowercase();
        heard.headers.iter().any(|(known, said)| *known == name && said == value)
    };
    when.draws == heard.draws
        && when.dialect.is_none_or(|dialect| heard.dialect == Some(dialect))
        && when.model.as_ref().is_none_or(|model| *model == heard.model)
        && when.stream.is_none_or(|stream| stream == heard.stream)
        && when.images.is_none_or(|images| images == heard.images)
        && when.files.is_none_or(|files| files == heard.files.len())
        && when.header.iter().all(|(name, value)| has(name, value))
}

fn says(text: &str, heard: &Heard, continues: bool, asked: Asks) -> bool {
    let holds = |user: &String| memmem::find(user.as_bytes(), text.as_bytes()).is_some();
    // A follow-up ends with a prompt of its own; the question is before it, unless the provider
    // is thought to remember it.
    heard.users.last().is_some_and(holds)
        || (continues && heard.users.iter().any(holds))
        || matches!(asked, Asks::Rest(place) if heard.users.len() < 2 && place.byte >= 12)
}

fn act(reply: &Reply, heard: &Heard, asked: Asks) -> Act {
    // What goes wrong with a continued answer goes wrong the first time.
    let is_first = asked == Asks::First;
    if let Some(status) = reply.status.filter(|_| is_first) {
        return Act::Refuse { status, body: reply.body.clone(), retry_after: reply.retry_after };
    }
    let others = (1..heard.choices).map(|at| {
        let other = reply.others.get(at - 1).or(reply.others.last()).unwrap_or(reply);
        words(other, heard, Asks::First)
    });
    let mut replies: Vec<ModelReply> =
        std::iter::once(words(reply, heard, asked)).chain(others).collect();
    let thinking: usize = replies.iter().map(|reply| reply.thinking.len()).sum();
    let paid = Usage {
        input_tokens: heard.input_tokens(),
        output_tokens: tokens(replies.iter().map(answer::bytes).sum()),
        cached_tokens: 0,
        reasoning_tokens: tokens(thinking),
        search_calls: 0,
    };
    replies[0].usage = match reply.usage {
        Told::Counted => Some(paid),
        Told::Said(usage) => Some(usage),
        Told::Never => None,
    };
    let is_fixed = is_first && !reply.limit_tokens;
    let faults = if is_first { faults(reply) } else { Faults::default() };
    Act::Speak(Speech { replies, paid, chunk: reply.chunk.clone(), faults, is_fixed })
}

fn faults(reply: &Reply) -> Faults {
    let disconnect = reply.disconnect_at.map(|at| match at {
        CutAt::Last(byte) => Disconnect::Byte(byte),
        _ => Disconnect::AfterWords,
    });
    let hang = (reply.hang_ms > 0).then_some((reply.hang_ms, reply.hang_at));
    Faults { disconnect, garbage: reply.garbage.clone(), hang }
}

// What is said of an answer this time.
fn words(reply: &Reply, heard: &Heard, asked: Asks) -> ModelReply {
    let mut piece = match asked {
        Asks::First => answer::from_the_start(reply, first_end(reply)),
        Asks::Again => {
            let mut whole = answer::from_the_start(reply, None);
            whole.reply.thinking.clear();
            if heard.has_tools && !whole.reply.tool_calls.is_empty() {
                whole.reply.text.clear();
            }
            whole
        }
        Asks::Rest(start) => {
            let end = reply.cuts.iter().map(|&cut| answer::place(reply, cut));
            let end = end.filter(|&end| end > start).min();
            let mut piece = answer::rest(reply, start, end, heard.has_tools);
            dress(&mut piece, reply, start);
            piece
        }
    };
    if let Some(most) = heard.max_output_tokens.filter(|_| reply.limit_tokens) {
        answer::limit(&mut piece, usize::try_from(most).unwrap_or(usize::MAX).saturating_mul(4));
    }
    piece.reply.finish = finish(reply, &piece, asked);
    piece.reply.model = Some(heard.model.clone()).filter(|model| !model.is_empty());
    piece.reply
}

fn first_end(reply: &Reply) -> Option<Place> {
    let cuts = reply.cut_at.iter().chain(&reply.cuts);
    let words = reply.disconnect_at.filter(|at| !matches!(at, CutAt::Last(_)));
    cuts.copied().chain(words).map(|cut| answer::place(reply, cut)).min()
}

// Repeats what was already said, and wraps the rest in talk.
fn dress(piece: &mut Piece, reply: &Reply, start: Place) {
    let said = &answer::content(reply, start.part)[..start.byte];
    let from = answer::floor_boundary(said, said.len().saturating_sub(reply.echo));
    piece.reply.text.insert_str(0, &said[from..]);
    if let Some(Chatty { before, after }) = &reply.chatty {
        piece.reply.text.insert_str(0, before);
        if !piece.is_cut {
            piece.reply.text.push_str(after);
        }
    }
}

fn finish(reply: &Reply, piece: &Piece, asked: Asks) -> Option<FinishReason> {
    let honest = match piece {
        Piece { is_cut: true, .. } => FinishReason::Length,
        Piece { reply, .. } if !reply.tool_calls.is_empty() => FinishReason::ToolCalls,
        _ => FinishReason::Stop,
    };
    // A lie is about a cut, or about the one answer there is; the end of a continued answer is the
    // truth, or nothing could ever be proven whole.
    let may_lie = piece.is_cut || (asked == Asks::First && !reply.continues);
    match &reply.finish {
        Finish::Said(word) if may_lie => Some(FinishReason::from_name(word)),
        Finish::Never if may_lie => None,
        _ => Some(honest),
    }
}

fn shortened(text: &str) -> &str {
    &text[..answer::floor_boundary(text, 80)]
}
