//! Opens the browser, where there is one.
//!
//! In: an address. Out: the program that the system has for addresses is asked to open it. Never waits for it, and
//! never tells a failure but by a word: the address is printed, too.

use crate::{environment, output};
use salve_check::run_own_command;
use std::time::Duration;

/// How long the program may run: some stay for as long as the browser does.
const PATIENCE: Duration = Duration::from_secs(24 * 3600);
/// The most it may print.
const MOST_BYTES: u64 = 1 << 20;

/// Opens an address in the background.
pub(super) fn open(address: &str) {
    let Some(program) = program() else { return };
    let address = address.to_owned();
    // It is left to itself: nothing of this process waits for it.
    std::thread::spawn(move || {
        if run_own_command(&[program, &address], PATIENCE, MOST_BYTES).is_err() {
            output::story("The browser could not be opened; open the address yourself.\n");
        }
    });
}

fn program() -> Option<&'static str> {
    if cfg!(target_os = "macos") {
        return Some("open");
    }
    let display =
        ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| environment::value(name).is_some());
    display.then_some("xdg-open")
}
