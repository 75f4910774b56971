//! How far Salve goes with what it finds.
//!
//! In: the word of a flag, a setting or a header. Out: the mode. Never: what a mode does; that is up
//! to the one who has it.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

/// How far Salve goes with what it finds, loosest first.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Nothing is looked at.
    Off,
    /// It is judged and reported, and nothing is changed.
    Observe,
    /// It is healed, or refused.
    #[default]
    Enforce,
}

impl Mode {
    /// Lists them all, loosest first.
    pub const ALL: [Self; 3] = [Self::Off, Self::Observe, Self::Enforce];

    /// Lists those in which something is judged, for settings that cannot be off.
    pub const JUDGING: [Self; 2] = [Self::Observe, Self::Enforce];

    /// Returns the word of it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Observe => "observe",
            Self::Enforce => "enforce",
        }
    }

    /// Reads the word of it.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }

    /// Reads a setting that cannot be off, for `deserialize_with`.
    ///
    /// # Errors
    /// When it is another word than `observe` or `enforce`.
    pub fn judging<'de, D: Deserializer<'de>, T: From<Self>>(from: D) -> Result<T, D::Error> {
        let name = String::deserialize(from)?;
        let mode = Self::JUDGING.into_iter().find(|mode| mode.name() == name);
        mode.map(T::from).ok_or_else(|| D::Error::unknown_variant(&name, &["observe", "enforce"]))
    }
}
