//! Whether a run gets a terminal, and the end of Salve while it has one.
//!
//! In: the format, our streams. Out: what a run reads; and when this process is told to end, the terminal in
//! the mode it was found in. Never waits for a run: it ends when its runner does.

use crate::arguments::Format;
use rustix::termios::{OptionalActions, Termios};
use salve_check::RunInput;
use std::io::IsTerminal;
use tokio::signal::unix::{SignalKind, signal};

/// Returns what a run reads. At a terminal, its mode is watched over from now on.
pub(super) fn input(format: Format) -> RunInput {
    let input = std::io::stdin();
    let at_terminal = input.is_terminal() && std::io::stdout().is_terminal();
    if !at_terminal || format != Format::Human {
        return RunInput::Caller;
    }
    match rustix::termios::tcgetattr(&input) {
        Ok(before) => {
            // Without the thread only an end by a signal leaves the mode changed.
            let watch = std::thread::Builder::new().name("signals".to_owned());
            let _ = watch.spawn(move || watch_over(&before));
            RunInput::Terminal
        }
        Err(_) => RunInput::Caller,
    }
}

// The runner puts the terminal back on every way out but a signal.
fn watch_over(before: &Termios) {
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
        return;
    };
    let number = runtime.block_on(async {
        let [mut hangup, mut interrupt, mut terminate] =
            [SignalKind::hangup(), SignalKind::interrupt(), SignalKind::terminate()]
                .map(|kind| signal(kind).ok());
        let (Some(hangup), Some(interrupt), Some(terminate)) =
            (&mut hangup, &mut interrupt, &mut terminate)
        else {
            return None;
        };
        Some(tokio::select! {
            _ = hangup.recv() => 1,
            _ = interrupt.recv() => 2,
            _ = terminate.recv() => 15,
        })
    });
    if let Some(number) = number {
        let _ = rustix::termios::tcsetattr(std::io::stdin(), OptionalActions::Now, before);
        // As shells say it. What was started ends with its runner.
        std::process::exit(128 + number);
    }
}
