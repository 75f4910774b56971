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
            RunEnding::LimitExceeded { limit } => Some(limit.in_words().to_owned()),
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
            Self::LimitExceeded { limit } => limit.in_words().to_owned(),
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

#[cfg(test)]
mod tests {
    use super::super::collect::Collector;
    use super::*;
    use crate::{Gate, Plan, RiskClass, RunClass, RunRecord, StartedBy};
    use proptest::prelude::*;

    fn capture(bytes: &[u8]) -> Capture {
        let mut collector = Collector::default();
        bytes.chunks(50_000).for_each(|chunk| collector.push(chunk));
        collector.finish().0
    }

    fn run(out: &[u8], err: &[u8], ending: RunEnding) -> FinishedRun {
        let record = RunRecord {
            id: String::new(),
            started_at: 0,
            plan: Plan::of_argv(["x"]),
            cwd: "/".into(),
            class: RunClass::Proposed,
            risk: RiskClass::Read,
            gate: Gate::Approved,
            by: StartedBy::User,
            ending,
            duration_ms: 0,
            output_bytes: 0,
            output_hash: String::new(),
            output_file: None,
            orphans: 0,
            missing_layers: Vec::new(),
            missing_guarantees: Vec::new(),
            ports: Vec::new(),
        };
        FinishedRun { record, stdout: capture(out), stderr: capture(err), events: Vec::new() }
    }

    #[test]
    fn c065_short_output_is_shown_whole() {
        assert_eq!(capture(b"a\nb").for_model(), "a\nb");
        let exact = "x".repeat(3072);
        assert_eq!(capture(exact.as_bytes()).for_model(), exact);
    }

    #[test]
    fn c065_long_output_keeps_head_diagnostics_and_tail() {
        let mut text = String::from("first line\n");
        for number in 0..30_000 {
            if number == 15_000 {
                text.push_str("src/a.rs:1:1: error[E0425]: cannot find value\n");
            }
            text.push_str(&format!("noise {number}\n"));
        }
        text.push_str("last line\n");
        for (shown, limit) in [
            (capture(text.as_bytes()).for_model(), 3072),
            (capture(text.as_bytes()).for_display(), 5120),
        ] {
            assert!(shown.len() <= limit && shown.len() > limit * 9 / 10, "{}", shown.len());
            assert!(shown.starts_with("first line\nnoise 0\n") && shown.ends_with("\nlast line\n"));
            assert!(shown.contains("error[E0425]: cannot find value\n"), "{shown}");
            assert!(shown.contains(" bytes cut …\n"));
        }
    }

    #[test]
    fn c065_the_number_of_cut_bytes_is_right() {
        let text = "abcdefg\n".repeat(100_000);
        let shown = capture(text.as_bytes()).for_model();
        let (start, rest) = shown.split_once("\n… ").unwrap();
        let (number, end) = rest.split_once(" bytes cut …\n").unwrap();
        assert_eq!(start.len() + number.parse::<usize>().unwrap() + end.len(), text.len());
    }

    #[test]
    fn c061_two_long_streams_share_the_room() {
        let both =
            run(&b"out\n".repeat(5000), &b"err\n".repeat(5000), RunEnding::Exited { code: 1 });
        let shown = both.for_model();
        assert!(shown.len() <= 3072 && shown.len() > 2700, "{}", shown.len());
        assert_eq!(shown.matches(" bytes cut ").count(), 2);
        let little =
            run(&b"out\n".repeat(5000), b"err\n", RunEnding::Exited { code: 1 }).for_model();
        assert!(little.ends_with("stderr:\nerr\n") && little.len() > 2700, "{}", little.len());
    }

    #[test]
    fn r26_endings_of_ours_are_signals() {
        for (ending, text) in [
            (RunEnding::DeadlinePassed, "exit signal: deadline passed\nerr\nout"),
            (RunEnding::TooMuchOutput, "exit signal: too much output\nerr\nout"),
            (RunEnding::Signalled { signal: 11 }, "exit signal: err\nout"),
            (RunEnding::Exited { code: 101 }, "exit 101: err\nout"),
        ] {
            assert_eq!(run(b"out\n", b"err\n", ending).error_text(), text);
        }
    }

    #[test]
    fn c061_the_full_stream_can_be_read_up_to_a_limit() {
        assert_eq!(capture(b"abcdef").read_full(4).unwrap(), b"abcd");
        assert!(capture(&vec![b'x'; 100_000]).read_full(4).is_err());
    }

    fn hostile_bytes() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..40),
            Just("é’漢😀".as_bytes().to_vec()),
            Just(b"\n".to_vec()),
            Just(b"error: x\n".to_vec()),
            Just(b"\x1b[31m\xff\x00\r".to_vec()),
        ];
        (proptest::collection::vec(piece, 0..12), 1_usize..3000)
            .prop_map(|(pieces, times)| pieces.concat().repeat(times))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn c065_no_form_is_ever_above_its_limit(out in hostile_bytes(), err in hostile_bytes()) {
            let run = run(&out, &err, RunEnding::Exited { code: 0 });
            for capture in [&run.stdout, &run.stderr] {
                prop_assert!(capture.for_model().len() <= 3072);
                prop_assert!(capture.for_display().len() <= 5120);
            }
            prop_assert!(run.for_model().len() <= 3072);
            prop_assert!(run.for_display().len() <= 5120);
            prop_assert!(run.error_text().len() <= 33 << 10);
        }
    }
}
