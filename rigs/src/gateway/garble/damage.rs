//! What happens to frames on their way.
//!
//! In: the frames of a stream and how many of them may be damaged. Out: the bytes that arrive, and
//! what was done. Never more than it was told, and repeatable by its seed.

use super::super::reading::Dialect;
use super::accident::damaged;
use super::answers::Answer;
use super::frames;
use super::style::Style;
use fastrand::Rng;

/// What is still to be damaged in the streams of one exchange, and what was.
pub(super) struct Damage {
    rng: Rng,
    dialect: Dialect,
    style: Style,
    left: usize,
    pub(super) done: Vec<String>,
    /// Whether no reader can tell.
    pub(super) unseen: bool,
}

impl Damage {
    /// Begins an exchange.
    pub(super) fn new(mut rng: Rng, dialect: Dialect, left: usize) -> Self {
        let style = Style::any(&mut rng);
        Self { rng, dialect, style, left, done: Vec::new(), unseen: false }
    }

    /// Decides by chance.
    pub(super) fn flip(&mut self) -> bool {
        self.rng.bool()
    }

    /// Writes the stream of an answer.
    pub(super) fn stream(&mut self, answer: &Answer) -> Vec<u8> {
        let frames = frames::of(self.dialect, answer, self.rng.usize(1..40));
        let frames: Vec<String> = frames.iter().map(|frame| self.style.write(frame)).collect();
        let mut raw: Vec<Vec<u8>> = frames.iter().map(|frame| frame.clone().into_bytes()).collect();
        let mine = self.rng.usize(0..=self.left);
        for _ in 0..mine {
            let at = self.rng.usize(0..raw.len());
            if raw[at] != frames[at].as_bytes() {
                continue;
            }
            let damaged = damaged(&mut self.rng, &raw[at]);
            self.unseen |= self.is_unseen(&frames[at], &damaged);
            self.done.push(format!("frame {at}: {:?}", String::from_utf8_lossy(&damaged)));
            raw[at] = damaged;
        }
        self.left -= mine;
        raw.concat()
    }

    // Whether no reader can tell: the frame is gone without a trace, or is the same with other words.
    // Responses counts its events and repeats its text; but where another frame is damaged too, the
    // text that would prove the words wrong may never come.
    fn is_unseen(&self, frame: &str, damaged: &[u8]) -> bool {
        let counts = self.dialect == Dialect::Responses && !self.style.unnumbered;
        let Some(words) = frames::words(frame) else { return false };
        if damaged.iter().all(|byte| b"\r\n".contains(byte)) {
            return !counts;
        }
        let damaged = String::from_utf8_lossy(damaged);
        if frames::words(&damaged).is_some_and(|read| read != words) {
            return !counts || self.left > 1;
        }
        !counts && is_empty_step(&damaged)
    }
}

// A step without a word in it is what some servers send in between.
fn is_empty_step(frame: &str) -> bool {
    let data = frames::data(frame).unwrap_or_default();
    let step = data.pointer("/choices/0/delta").and_then(|step| step.as_object());
    step.is_some_and(serde_json::Map::is_empty)
        || data["choices"].as_array().is_some_and(Vec::is_empty)
}
