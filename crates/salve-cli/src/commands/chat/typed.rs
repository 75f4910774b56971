//! What was typed while steps ran.
//!
//! In: lines that wait at the terminal. Out: guidance for the next step, or a pause. Never waits for a line.

use crate::commands::sessions::key;
use crate::failure::Failure;
use crate::output;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use salve_engine::session::{guide, pause_steps};
use salve_store::Store;
use salve_types::SessionId;
use std::io::IsTerminal;

/// How many lines are taken at once.
const LINES: usize = 100;

/// What a typed line means between two steps.
#[derive(Debug, PartialEq, Eq)]
enum Heard<'a> {
    /// The steps are held.
    Pause,
    /// It enters the next request.
    Guidance(&'a str),
    /// Nothing was said.
    Nothing,
}

/// Takes the lines that were typed since the last step.
pub(super) async fn hear(store: &Store, session: &SessionId) -> Result<(), Failure> {
    for number in 0..LINES {
        let Some(line) = waiting_line()? else { return Ok(()) };
        let key = format!("{}-{number}", key());
        match meant(&line) {
            Heard::Pause => pause_steps(store, session, &key).await?,
            Heard::Guidance(text) => {
                guide(store, session, text, &key).await?;
                output::story("it enters the next request\n");
            }
            Heard::Nothing => {}
        }
    }
    Ok(())
}

fn meant(line: &str) -> Heard<'_> {
    let line = line.trim();
    match line.strip_prefix("/guide") {
        _ if line.is_empty() => Heard::Nothing,
        _ if matches!(line, "/pause" | "/stop" | "/quit" | "/exit") => Heard::Pause,
        Some(text) => Heard::Guidance(text.trim()),
        None => Heard::Guidance(line),
    }
}

// A terminal gives one line at a time, so that none is kept back by a buffer.
fn waiting_line() -> Result<Option<String>, Failure> {
    let input = std::io::stdin();
    if !input.is_terminal() {
        return Ok(None);
    }
    let mut waiting = [PollFd::new(&input, PollFlags::IN)];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    if !matches!(poll(&mut waiting, Some(&now)), Ok(count) if count > 0) {
        return Ok(None);
    }
    let mut line = String::new();
    Ok((input.read_line(&mut line)? > 0).then_some(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c022_a_line_between_steps_is_guidance_unless_it_holds_them() {
        for (line, expected) in [
            ("use tabs\n", Heard::Guidance("use tabs")),
            ("/guide use tabs", Heard::Guidance("use tabs")),
            (" /pause \n", Heard::Pause),
            ("/stop", Heard::Pause),
            ("\n", Heard::Nothing),
        ] {
            assert_eq!(meant(line), expected, "{line:?}");
        }
    }
}
