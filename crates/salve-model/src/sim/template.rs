//! Replies that are encoded once and sent many times, and the steps of sending them.
//!
//! In: a speech and its envelope. Out: the steps a body takes: bytes, waiting, a broken connection.
//! Only the ids differ between two sendings; they are put into a copy of the bytes.

use super::play::{Disconnect, Faults, Speech};
use super::write::{Envelope, Frames, write_reply, write_stream};
use crate::wire::Dialect;
use bytes::Bytes;
use memchr::memmem;
use std::time::Duration;

/// One step of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// Sends these bytes at once.
    Send(Bytes),
    /// Waits.
    Wait(Duration),
    /// Breaks the connection.
    Break,
}

/// An encoded reply with holes for its ids.
#[derive(Debug)]
pub(super) struct Template {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    words: usize,
    holes: Vec<usize>,
    stream: bool,
}

const TAG: usize = 16;

impl Template {
    /// Encodes a speech. The envelope's tag is replaced.
    pub(super) fn new(
        dialect: Dialect,
        mut envelope: Envelope,
        speech: &Speech,
        stream: bool,
    ) -> Self {
        envelope.tag = unused_tag(&envelope, speech);
        let Frames { bytes, ends, words } = if stream {
            write_stream(dialect, &envelope, &speech.replies, &speech.chunk)
        } else {
            let bytes = write_reply(dialect, &envelope, &speech.replies);
            Frames { ends: vec![bytes.len()], bytes, words: 1 }
        };
        let holes = memmem::find_iter(&bytes, envelope.tag.as_bytes()).collect();
        Self { bytes, ends, words, holes, stream }
    }

    /// Returns the bytes with the ids of this call, and where the frames end.
    pub(super) fn body(&self, call: u64) -> Bytes {
        let mut bytes = self.bytes.clone();
        let tag = format!("{call:0TAG$x}");
        for &hole in &self.holes {
            bytes[hole..hole + TAG].copy_from_slice(&tag.as_bytes()[..TAG]);
        }
        Bytes::from(bytes)
    }

    /// Returns the steps of this call.
    pub(super) fn steps(&self, call: u64, faults: &Faults, between: Duration) -> Vec<Step> {
        let body = self.body(call);
        if let Some(garbage) = faults.garbage.as_ref().filter(|g| g.frame.is_none() || !self.stream)
        {
            return broken(vec![Step::Send(Bytes::from(garbage.bytes.clone()))], faults);
        }
        let mut steps = Vec::with_capacity(self.ends.len() + 1);
        let mut start = 0;
        for (at, &end) in self.ends.iter().enumerate() {
            if let Some((millis, _)) = faults.hang.filter(|(_, frame)| *frame == at) {
                steps.push(Step::Wait(Duration::from_millis(millis)));
            } else if at > 0 && !between.is_zero() {
                steps.push(Step::Wait(between));
            }
            if faults.disconnect == Some(Disconnect::AfterWords) && at == self.words && self.stream
            {
                steps.push(Step::Break);
                return steps;
            }
            let garbage = faults.garbage.as_ref().filter(|garbage| garbage.frame == Some(at));
            let frame =
                garbage.map_or_else(|| body.slice(start..end), |it| Bytes::from(it.bytes.clone()));
            steps.push(Step::Send(frame));
            start = end;
        }
        broken(steps, faults)
    }

    /// Returns the length of the whole body.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }
}

// Ends the steps at the byte where the connection breaks. A whole body that breaks after its words
// breaks in its middle: there is no frame it could end with.
fn broken(steps: Vec<Step>, faults: &Faults) -> Vec<Step> {
    let length = |step: &Step| if let Step::Send(bytes) = step { bytes.len() } else { 0 };
    let mut left = match faults.disconnect {
        None => return steps,
        Some(Disconnect::Byte(byte)) => byte,
        Some(Disconnect::AfterWords) => steps.iter().map(length).sum::<usize>() / 2,
    };
    let mut kept = Vec::with_capacity(steps.len());
    for step in steps {
        match step {
            Step::Send(bytes) if bytes.len() > left => {
                if left > 0 {
                    kept.push(Step::Send(bytes.slice(..left)));
                }
                break;
            }
            step => {
                left -= length(&step);
                kept.push(step);
            }
        }
    }
    kept.push(Step::Break);
    kept
}

// A tag that occurs nowhere in what is said, so that putting ids in changes nothing else.
fn unused_tag(envelope: &Envelope, speech: &Speech) -> String {
    let request = envelope.request.to_string();
    let mut said: Vec<&str> = vec![&request, &envelope.model];
    for reply in &speech.replies {
        said.extend([reply.text.as_str(), reply.thinking.as_str()]);
        for call in &reply.tool_calls {
            said.extend([call.id.as_str(), call.name.as_str(), call.arguments.as_str()]);
        }
    }
    let is_used = |tag: &String| {
        said.iter().any(|text| memmem::find(text.as_bytes(), tag.as_bytes()).is_some())
    };
    let mut tags = (0_u64..).map(|number| format!("SimTag{number:010}"));
    tags.find(|tag| !is_used(tag)).unwrap_or_default()
}
