//! What a model and a person are shown of a run.
//!
//! In: what was kept of both streams. Out: texts that never exceed their limit, in bytes, with both
//! ends, the diagnostics between them and every cut marked. Never cuts a character in two.

use super::visible::visible;
use crate::{Capture, FinishedRun, RunEnding};
use std::io::Read;

/// The most a model is sent of a run.
const FOR_MODEL: usize = 3 << 10;
/// The most that is shown of a run.
const FOR_DISPLAY: usize = 5 << 10;
/// The most an error text carries of each stream.
const FOR_ERRORS: usize = 16 << 10;

impl Capture {
    /// Returns at most 3,072 bytes for a model.
    #[must_use]
    pub fn for_model(&self) -> String {
        fit(self, FOR_MODEL)
    }

    /// Returns at most 5,120 bytes for a person.
    #[must_use]
    pub fn for_display(&self) -> String {
        fit(self, FOR_DISPLAY)
    }

    /// Returns the whole stream, or its first `limit` bytes.
    ///
    /// # Errors
    ///
    /// Fails when the stream is longer than what is kept in memory and its file is gone.
    pub fn read_full(&self, limit: u64) -> std::io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        if self.is_whole() {
            bytes.extend_from_slice(&self.head);
            bytes.extend_from_slice(&self.tail);
            bytes.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
            return Ok(bytes);
        }
        let file = self.file.as_ref().ok_or(std::io::ErrorKind::NotFound)?;
        std::fs::File::open(file)?.take(limit).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Returns whether everything that came is still in memory.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.bytes == (self.head.len() + self.tail.len()) as u64
    }
}

impl FinishedRun {
    /// Returns whether the command succeeded: it ended by itself, with exit code 0.
    #[must_use]
    pub fn succeeded(&self) -> bool {
        self.record.ending == RunEnding::Exited { code: 0 }
    }

    /// Returns both streams with their names and the ending, at most 3,072 bytes.
    #[must_use]
    pub fn for_model(&self) -> String {
        both(self, FOR_MODEL)
    }

    /// Returns both streams with their names and the ending, at most 5,120 bytes.
    #[must_use]
    pub fn for_display(&self) -> String {
        both(self, FOR_DISPLAY)
    }

    /// Returns `exit <code or "signal">: <diagnostics>`, with both streams: what a tool writes to
    /// standard error first, because diagnostics stand there more often.
    #[must_use]
    pub fn error_text(&self) -> String {
        let code = match self.record.ending {
            RunEnding::Exited { code } => code.to_string(),
            _ => "signal".to_owned(),
        };
        let said: Vec<String> = [&self.stderr, &self.stdout]
            .into_iter()
            .map(|capture| fit(capture, FOR_ERRORS).trim().to_owned())
            .filter(|text| !text.is_empty())
            .collect();
        let why = match self.record.ending {
            RunEnding::DeadlinePassed => Some("deadline passed".to_owned()),
            RunEnding::TooMuchOutput => Some("too much output".to_owned()),
            _ => None,
        };
        let said: Vec<String> = why.into_iter().chain(said).collect();
        format!("exit {code}: {}", said.join("\n"))
    }
}

impl RunEnding {
    /// Says the ending in words: `exit 1`, `signal 9`, `deadline passed`, `too much output`.
    #[must_use]
    pub fn in_words(&self) -> String {
        match self {
            Self::Exited { code } => format!("exit {code}"),
            Self::Signalled { signal } => format!("signal {signal}"),
            Self::DeadlinePassed => "deadline passed".to_owned(),
            Self::TooMuchOutput => "too much output".to_owned(),
        }
    }
}

/// Gives each stream half of the room, and what the other one does not need.
fn both(run: &FinishedRun, limit: usize) -> String {
    const LABELS: [&str; 2] = ["stdout:\n", "stderr:\n"];
    let first = format!("{}\n", run.record.ending.in_words());
    // Each stream may need a line end after it.
    let fixed = first.len() + LABELS.iter().map(|label| label.len() + 1).sum::<usize>();
    let room = limit.saturating_sub(fixed);
    let out = fit(&run.stdout, room);
    let err = fit(&run.stderr, room);
    let half = room / 2;
    let (out, err) = if out.len() + err.len() <= room {
        (out, err)
    } else if out.len() <= half {
        let err = fit(&run.stderr, room - out.len());
        (out, err)
    } else if err.len() <= half {
        (fit(&run.stdout, room - err.len()), err)
    } else {
        (fit(&run.stdout, half), fit(&run.stderr, half))
    };
    let mut text = first;
    for (label, said) in LABELS.iter().zip([out, err]) {
        if !said.is_empty() {
            text.push_str(label);
            text.push_str(&said);
            if !said.ends_with('\n') {
                text.push('\n');
            }
        }
    }
    if run.stdout.bytes + run.stderr.bytes == 0 {
        text.push_str("(no output)\n");
    }
    text
}

/// Returns what fits: all of it, or head, diagnostics and tail with the cuts marked.
fn fit(capture: &Capture, limit: usize) -> String {
    let missing = capture.bytes.saturating_sub((capture.head.len() + capture.tail.len()) as u64);
    let (head, tail) = if missing == 0 {
        (visible(&[capture.head.as_slice(), &capture.tail].concat()), String::new())
    } else {
        (visible(&capture.head), visible(&capture.tail))
    };
    if missing == 0 && head.len() <= limit {
        return head;
    }
    let notable =
        if missing == 0 { diagnostics_in_the_middle(&head) } else { visible(&capture.notable) };
    let marks = 2 * mark(u64::MAX).len();
    let room = limit.saturating_sub(marks);
    let notable = first_lines(&notable, room / 4);
    let share = room.saturating_sub(notable.len()) / 2;
    let start = take_start(&head, share);
    let (_, unseen) = head.split_at(start.len());
    let end = take_end(if missing == 0 { unseen } else { &tail }, share);
    let known = if missing == 0 { head.len() } else { head.len() + tail.len() };
    let cut = missing + (known - start.len() - end.len()).saturating_sub(notable.len()) as u64;
    let text = match notable {
        "" => format!("{start}{}{end}", mark(cut)),
        lines => format!("{start}{}{lines}{}{end}", mark(cut), mark_of_lines()),
    };
    if text.len() <= limit { text } else { take_start(&text, limit).to_owned() }
}

fn mark(bytes: u64) -> String {
    format!("\n… {bytes} bytes cut …\n")
}

fn mark_of_lines() -> &'static str {
    "… diagnostics from between …\n"
}

/// Lines that look like diagnostics, when the whole text is at hand.
fn diagnostics_in_the_middle(text: &str) -> String {
    let middle = text.get(ceil(text, text.len() / 4)..floor(text, text.len() / 4 * 3));
    let mut notable = super::notable::Notable::default();
    notable.push(middle.unwrap_or_default().as_bytes());
    String::from_utf8_lossy(&notable.finish()).into_owned()
}

fn first_lines(text: &str, room: usize) -> &str {
    let (fitting, _) = text.split_at(floor(text, room.min(text.len())));
    fitting.rfind('\n').and_then(|end| text.get(..=end)).unwrap_or_default()
}

/// The start of a text, ending with a line when one ends in its last quarter.
fn take_start(text: &str, room: usize) -> &str {
    let (start, _) = text.split_at(floor(text, room.min(text.len())));
    match start.rfind('\n') {
        Some(end) if end >= start.len() / 4 * 3 => start.get(..=end).unwrap_or(start),
        _ => start,
    }
}

/// The end of a text, starting with a line when one starts in its first quarter.
fn take_end(text: &str, room: usize) -> &str {
    let (_, end) = text.split_at(ceil(text, text.len().saturating_sub(room)));
    match end.find('\n') {
        Some(start) if start < end.len() / 4 && end.len() < text.len() => {
            end.get(start + 1..).unwrap_or(end)
        }
        _ => end,
    }
}

fn floor(text: &str, index: usize) -> usize {
    (0..=index.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

fn ceil(text: &str, index: usize) -> usize {
    (index..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}
