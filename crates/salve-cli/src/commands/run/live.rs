//! Shows a program's output while it runs.
//!
//! In: chunks of its two streams, or of a terminal of its own, which the runner has filtered. Out: the same
//! bytes on ours; on a terminal without the escape codes of a stream, which could rewrite what a person
//! has read. Never ends the run because a reader went away.

use anstream::StripStream;
use salve_check::OutputStream;
use std::io::{IsTerminal, Write};

/// Both of our streams.
pub(super) struct Live {
    out: Box<dyn Write>,
    err: Box<dyn Write>,
    terminal: Box<dyn Write>,
}

impl Live {
    /// Looks where our streams go.
    pub(super) fn new() -> Self {
        let (out, err) = (std::io::stdout(), std::io::stderr());
        Self {
            terminal: Box::new(std::io::stdout()),
            out: if out.is_terminal() { Box::new(StripStream::new(out)) } else { Box::new(out) },
            err: if err.is_terminal() { Box::new(StripStream::new(err)) } else { Box::new(err) },
        }
    }

    /// Passes a chunk on.
    pub(super) fn write(&mut self, stream: OutputStream, bytes: &[u8]) {
        let target = match stream {
            OutputStream::Out => &mut self.out,
            OutputStream::Err => &mut self.err,
            OutputStream::Terminal => &mut self.terminal,
        };
        // A reader that went away misses the rest; the run and its record go on.
        let _ = target.write_all(bytes).and_then(|()| target.flush());
    }
}
