//! How a scene of the demo is shown.
//!
//! In: what arrived and what the stages made of it. Out: aligned text. Never decides whether a scene
//! is healed.

use anstyle::{AnsiColor, Style};

/// A scene after it was played.
pub(crate) struct Shown {
    /// Whether the real code healed it.
    pub(crate) healed: bool,
    /// What to print.
    pub(crate) text: String,
}

/// Collects the lines of a scene.
#[derive(Default)]
pub(crate) struct Stage {
    text: String,
}

impl Stage {
    /// Shows what arrived.
    pub(crate) fn received(&mut self, text: &str) {
        self.framed("received", text, AnsiColor::Yellow.on_default());
    }

    /// Shows what the continuation brought.
    pub(crate) fn continued(&mut self, text: &str) {
        self.framed("continued", text, AnsiColor::Yellow.on_default());
    }

    /// Shows what comes out.
    pub(crate) fn result(&mut self, text: &str) {
        self.framed("result", text, AnsiColor::Green.on_default());
    }

    /// Says one thing about the scene.
    pub(crate) fn says(&mut self, who: &str, words: &str) {
        let cyan = AnsiColor::Cyan.on_default();
        self.text.push_str(&format!("   {cyan}{who:>9}{cyan:#}  {words}\n"));
    }

    /// Ends the scene.
    pub(crate) fn end(self, healed: bool) -> Shown {
        Shown { healed, text: self.text }
    }

    fn framed(&mut self, name: &str, text: &str, style: Style) {
        for (index, line) in text.trim_end().lines().enumerate() {
            let label = if index == 0 { name } else { "" };
            self.text.push_str(&format!("   {label:>9}  {style}│{style:#} {line}\n"));
        }
    }
}
