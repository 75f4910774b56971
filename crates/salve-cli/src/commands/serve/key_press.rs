//! The keys that a person presses while a command serves.
//!
//! In: the terminal, where a person sits at one. Out: a word for each key. Never keeps the command from ending: its
//! thread ends with the process.

use crate::keys::Keys;
use tokio::sync::mpsc;

/// Keys as they are pressed.
pub(super) struct KeyPresses(mpsc::Receiver<()>);

impl KeyPresses {
    /// Begins to listen; where no person sits at a terminal, nothing ever comes.
    pub(super) fn watch() -> Self {
        let (pressed, presses) = mpsc::channel(1);
        if let Some(keys) = Keys::of_person() {
            std::thread::spawn(move || {
                while let Ok(Some(_)) = keys.next() {
                    // Keys that are pressed faster than addresses are printed count once.
                    if let Err(mpsc::error::TrySendError::Closed(())) = pressed.try_send(()) {
                        return;
                    }
                }
            });
        }
        Self(presses)
    }

    /// Waits for the next key; for ever where none can come.
    pub(super) async fn next(&mut self) {
        if self.0.recv().await.is_none() {
            std::future::pending::<()>().await;
        }
    }
}
