//! What happens without asking: the three switches as `salve apply` and `salve run` obey them.
//!
//! In: the settings. Out: the switches for the decision, and the words that say which of them holds
//! something back. Never decides: that is `salve_check::next_step`.

use crate::settings::{Origin, Settings, Sourced};
use salve_check::AutoApply;
use serde::Deserialize;
use std::fmt;

/// Whether something happens without asking, written as `true` or `false`; asking is stricter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(from = "bool")]
pub(crate) enum Automatic {
    /// Without asking.
    On,
    /// A person is asked.
    Off,
}

impl From<bool> for Automatic {
    fn from(on: bool) -> Self {
        if on { Self::On } else { Self::Off }
    }
}

impl fmt::Display for Automatic {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", *self == Self::On)
    }
}

impl Settings {
    /// Returns the switches for a command whose words the caller gave itself.
    ///
    /// `auto_apply_cli` is off unless a file says otherwise, which is about commands that a model
    /// proposes: they wait for a button, and `salve run` is that button. A file that says `false`
    /// says it of `salve run` too.
    pub(crate) fn auto_apply(&self) -> AutoApply {
        let on = |switch: &Sourced<Automatic>| switch.value == Automatic::On;
        AutoApply {
            all: on(&self.auto_apply),
            files: on(&self.auto_apply_files),
            commands: on(&self.auto_apply_cli) || self.auto_apply_cli.origin == Origin::BuiltIn,
        }
    }

    /// Says which switch holds edits back.
    pub(crate) fn holds_edits(&self) -> String {
        self.holds("auto_apply_files", &self.auto_apply_files)
    }

    /// Says which switch holds an allowed command back.
    pub(crate) fn holds_command(&self) -> String {
        self.holds("auto_apply_cli", &self.auto_apply_cli)
    }

    fn holds(&self, name: &'static str, own: &Sourced<Automatic>) -> String {
        let (name, switch) = match self.auto_apply.value {
            Automatic::Off => ("auto_apply", &self.auto_apply),
            Automatic::On => (name, own),
        };
        format!("`{name}` is {} ({})", switch.value, switch.origin)
    }
}
