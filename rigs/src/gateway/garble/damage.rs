//! What happens to frames on their way.
//!
//! In: the frames of a stream and how many of them may be damaged. Out: the bytes that arrive, and
//! what was done. Never more than it was told, and repeatable by its seed.

use super::super::reading::Dialect;
use super::frames;
use fastrand::Rng;

/// What is still to be damaged in the streams of one exchange, and what was.
pub(super) struct Damage {
    rng: Rng,
    dialect: Dialect,
    left: usize,
    pub(super) done: Vec<String>,
    /// Whether no reader can tell.
    pub(super) unseen: bool,
}

impl Damage {
    /// Begins an exchange.
    pub(super) fn new(rng: Rng, dialect: Dialect, left: usize) -> Self {
        Self { rng, dialect, left, done: Vec::new(), unseen: false }
    }

    /// Writes the stream of a text.
    pub(super) fn stream(&mut self, text: &str) -> Vec<u8> {
        let frames = frames::of(self.dialect, text, self.rng.usize(1..40));
        let mut raw: Vec<Vec<u8>> = frames.iter().map(|frame| frame.clone().into_bytes()).collect();
        let mine = self.rng.usize(0..=self.left);
        for _ in 0..mine {
            let at = self.rng.usize(0..raw.len());
            if raw[at] != frames[at].as_bytes() {
                continue;
            }
            let damaged = damaged(&mut self.rng, &raw[at]);
            self.unseen |= is_unseen(self.dialect, &frames[at], &damaged);
            self.done.push(format!("frame {at}: {:?}", String::from_utf8_lossy(&damaged)));
            raw[at] = damaged;
        }
        self.left -= mine;
        raw.concat()
    }
}

fn damaged(rng: &mut Rng, frame: &[u8]) -> Vec<u8> {
    let mut bytes = frame.to_vec();
    match rng.usize(0..8) {
        0 => {
            for _ in 0..rng.usize(1..5) {
                let at = rng.usize(0..bytes.len());
                bytes[at] ^= rng.u8(1..);
            }
        }
        1 => {
            let start = rng.usize(0..bytes.len());
            let end = bytes.len().min(start + rng.usize(1..12));
            bytes.drain(start..end);
        }
        2 => {
            let at = rng.usize(0..=bytes.len());
            let more: Vec<u8> = (0..rng.usize(1..9)).map(|_| rng.u8(..)).collect();
            bytes.splice(at..at, more);
        }
        3 => bytes.clear(),
        4 => bytes.truncate(rng.usize(0..bytes.len())),
        5 => {
            bytes.truncate(rng.usize(1..bytes.len()));
            bytes.extend_from_slice(b"\n\n");
        }
        6 => {
            let junk: Vec<u8> = (0..rng.usize(1..80)).map(|_| rng.u8(b' '..b'~')).collect();
            bytes = [b"data: ", junk.as_slice(), b"\n\n"].concat();
        }
        _ => bytes = rng.choice(OTHERS).copied().unwrap_or_default().as_bytes().to_vec(),
    }
    bytes
}

// Events of other kinds, and of no kind, in the place of one.
const OTHERS: &[&str] = &[
    "data: {}\n\n",
    "data: null\n\n",
    "data: {\"type\":\"mystery\"}\n\n",
    "event: mystery\ndata: {\"type\":\"mystery\",\"index\":0}\n\n",
    "data: {\"choices\":[{\"index\":0}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":{\"a\":1}}}]}\n\n",
    "data: {\"choices\":[{\"index\":3,\"delta\":{\"content\":\"x\"}}]}\n\n",
    "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{}}\n\n",
    "data: {\"type\":\"content_block_delta\",\"index\":7,\"delta\":{\"type\":\"text_delta\",\"text\":\"\"}}\n\n",
    "data: {\"type\":\"response.output_text.delta\",\"delta\":null}\n\n",
];

/// Whether no reader can tell: the frame is gone without a trace, or is the same with other words.
fn is_unseen(dialect: Dialect, frame: &str, damaged: &[u8]) -> bool {
    let Some(words) = frames::words(frame).filter(|_| dialect != Dialect::Responses) else {
        return false;
    };
    if damaged.iter().all(|byte| b"\r\n".contains(byte)) {
        return true;
    }
    let damaged = String::from_utf8_lossy(damaged);
    if frames::words(&damaged).is_some_and(|read| read != words) {
        return true;
    }
    // A step without a word in it is what some servers send in between.
    let data = frames::data(&damaged).unwrap_or_default();
    let step = data.pointer("/choices/0/delta").and_then(|step| step.as_object());
    step.is_some_and(serde_json::Map::is_empty)
}
