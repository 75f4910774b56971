//! One full answer of a script, and the pieces it can be sent in.
//!
//! In: what a rule says, a place to begin and places to end. Out: the piece between them, and
//! whether something is missing after it. Never splits a character.

use super::script::{CutAt, Reply};
use crate::reply::{ModelReply, ToolCall};

/// A place in an answer: the part, and the byte in it. Parts are ordered as they are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) part: Part,
    pub(super) byte: usize,
}

/// The parts of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    Thinking,
    Text,
    Call(usize),
}

/// A piece of an answer, and whether the answer goes on after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) reply: ModelReply,
    pub(super) is_cut: bool,
}

/// Finds where a cut of the script falls.
pub(super) fn place(reply: &Reply, cut: CutAt) -> Place {
    let last = reply.tool_calls.len().checked_sub(1).map(Part::Call);
    let last =
        last.or((reply.text.is_empty() && !reply.thinking.is_empty()).then_some(Part::Thinking));
    match cut {
        CutAt::Thinking(byte) => snapped(reply, Part::Thinking, byte),
        CutAt::Text(byte) => snapped(reply, Part::Text, byte),
        CutAt::Arguments(byte) | CutAt::Last(byte) => {
            snapped(reply, last.unwrap_or(Part::Text), byte)
        }
        CutAt::Answer(byte) => in_answer(reply, byte),
    }
}

fn in_answer(reply: &Reply, byte: usize) -> Place {
    let calls = (0..reply.tool_calls.len()).map(Part::Call);
    let mut left = byte;
    let mut end = Place { part: Part::Text, byte: reply.text.len() };
    for part in [Part::Thinking, Part::Text].into_iter().chain(calls) {
        let length = content(reply, part).len();
        if left < length {
            return snapped(reply, part, left);
        }
        left -= length;
        end = Place { part, byte: length };
    }
    end
}

fn snapped(reply: &Reply, part: Part, byte: usize) -> Place {
    Place { part, byte: floor_boundary(content(reply, part), byte) }
}

/// Returns the text of a part.
pub(super) fn content(reply: &Reply, part: Part) -> &str {
    match part {
        Part::Thinking => &reply.thinking,
        Part::Text => &reply.text,
        Part::Call(at) => reply.tool_calls.get(at).map_or("", |call| call.arguments.as_str()),
    }
}

/// Returns the answer from its beginning up to a place.
pub(super) fn from_the_start(reply: &Reply, end: Option<Place>) -> Piece {
    let mut piece = ModelReply {
        text: reply.text.clone(),
        thinking: reply.thinking.clone(),
        tool_calls: reply.tool_calls.iter().map(called).collect(),
        ..ModelReply::default()
    };
    let Some(end) = end.filter(|&end| is_before_the_end(reply, end)) else {
        return Piece { reply: piece, is_cut: false };
    };
    match end.part {
        Part::Thinking => {
            piece.thinking.truncate(end.byte);
            piece.text.clear();
            piece.tool_calls.clear();
        }
        Part::Text => {
            piece.text.truncate(end.byte);
            piece.tool_calls.clear();
        }
        Part::Call(at) => {
            piece.tool_calls.truncate(at + 1);
            if let Some(call) = piece.tool_calls.last_mut() {
                call.arguments.truncate(end.byte);
            }
        }
    }
    Piece { reply: piece, is_cut: true }
}

/// Returns the rest of the answer from a place on, up to another. The rest of half-written arguments
/// is plain text; the rest of a text brings its tool calls along where `calls` allows them.
pub(super) fn rest(reply: &Reply, start: Place, end: Option<Place>, calls: bool) -> Piece {
    let part = content(reply, start.part);
    let stop = end.filter(|end| end.part == start.part && end.byte < part.len());
    let until = stop.map_or(part.len(), |stop| stop.byte.max(start.byte));
    let mut piece =
        ModelReply { text: part[start.byte..until].to_owned(), ..ModelReply::default() };
    if start.part == Part::Text && stop.is_none() && calls {
        let whole = from_the_start(reply, end.filter(|end| end.part > Part::Text));
        piece.tool_calls = whole.reply.tool_calls;
        return Piece { reply: piece, is_cut: whole.is_cut };
    }
    Piece { reply: piece, is_cut: stop.is_some() }
}

/// Cuts a piece to this many bytes.
pub(super) fn limit(piece: &mut Piece, bytes: usize) {
    let mut left = bytes;
    piece.is_cut |= shorten(&mut piece.reply.thinking, &mut left);
    piece.is_cut |= shorten(&mut piece.reply.text, &mut left);
    let mut kept = 0;
    for call in &mut piece.reply.tool_calls {
        if left == 0 {
            break;
        }
        piece.is_cut |= shorten(&mut call.arguments, &mut left);
        kept += 1;
    }
    piece.is_cut |= kept < piece.reply.tool_calls.len();
    piece.reply.tool_calls.truncate(kept);
}

fn shorten(text: &mut String, left: &mut usize) -> bool {
    let at = floor_boundary(text, *left);
    let is_cut = at < text.len();
    text.truncate(at);
    *left = if is_cut { 0 } else { *left - at };
    is_cut
}

/// Counts the bytes that a reply is made of.
pub(super) fn bytes(reply: &ModelReply) -> usize {
    let calls = reply.tool_calls.iter().map(|call| call.name.len() + call.arguments.len());
    reply.thinking.len() + reply.text.len() + calls.sum::<usize>()
}

/// Returns the last place at or before `byte` where a character begins.
pub(super) fn floor_boundary(text: &str, byte: usize) -> usize {
    let byte = byte.min(text.len());
    (0..=byte).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

// A cut at or after the last byte of the last part takes nothing away.
fn is_before_the_end(reply: &Reply, end: Place) -> bool {
    let last = match reply.tool_calls.len() {
        0 if reply.text.is_empty() => Part::Thinking,
        0 => Part::Text,
        calls => Part::Call(calls - 1),
    };
    end.part < last || end.byte < content(reply, end.part).len()
}

fn called(call: &super::script::ScriptedCall) -> ToolCall {
    ToolCall {
        id: call.id.clone().unwrap_or_default(),
        name: call.name.clone(),
        arguments: call.arguments.clone(),
    }
}
