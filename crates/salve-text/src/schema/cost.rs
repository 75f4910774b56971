//! What every stretch of a value costs, and the record that is kept of it.
//!
//! In: nothing. Out: the table of codes and costs; the least sum decides between readings. Never
//! zero for a stretch: what costs nothing is the value as it was written, or as the schema's own
//! aliases name it.

use serde::Serialize;

/// One change made to fit a value to its schema.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Coercion {
    /// Where in the result, such as `$.files[2].path`.
    pub path: String,
    /// Which coercion it was.
    pub code: CoercionCode,
    /// What stood there, shortened.
    pub from: String,
    /// What is there now, shortened.
    pub to: String,
    /// Its cost; the reading with the least sum of costs is taken.
    pub cost: u32,
}

/// The kinds of changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CoercionCode {
    /// A key or choice went by the alias that the schema gives it.
    Alias,
    /// A key was recognised without case, accents or punctuation.
    KeyFolded,
    /// A key the schema forbids was left out.
    ExtraKey,
    /// The schema's own default was used for an absent value.
    DefaultUsed,
    /// An absent list or map was read as empty, or an absent optional value as null.
    AbsentAsEmpty,
    /// A key stood without a value and got the empty value of its type.
    MissingValue,
    /// A written null was read as the empty list or map.
    NullAsEmpty,
    /// A text was read as the number it holds.
    StringToNumber,
    /// A text was read as the only number in it.
    NumberInText,
    /// A number with a fraction was rounded.
    NumberRounded,
    /// A text or number was read as true or false.
    ToBoolean,
    /// A text was read as null.
    StringToNull,
    /// A number or truth value was taken as the text it was written as.
    ScalarToString,
    /// An array or object was taken as the text it was written as.
    JsonToString,
    /// A choice was recognised without case, accents or punctuation.
    ChoiceFolded,
    /// A choice was found within a longer text.
    ChoiceInText,
    /// A single value was put into a list.
    SingleToArray,
    /// One element was taken out of a list.
    ArrayToSingle,
    /// A list was read as the properties in their order.
    ArrayToObject,
    /// An object without values was read as the list of its keys.
    ObjectToArray,
    /// A value was put under the only property there is.
    ImpliedKey,
    /// A value was taken out of the object around it.
    Unwrapped,
    /// A text that holds JSON was read.
    StringParsed,
    /// An element that does not fit was left out.
    ItemDropped,
    /// An unfinished value is not shown yet.
    Withheld,
}

impl CoercionCode {
    /// Returns what the change costs.
    pub const fn cost(self) -> u32 {
        match self {
            Self::Alias => 0,
            Self::KeyFolded
            | Self::ExtraKey
            | Self::DefaultUsed
            | Self::StringToNumber
            | Self::ChoiceFolded
            | Self::ToBoolean
            | Self::Withheld => 1,
            Self::StringToNull | Self::NumberRounded | Self::ScalarToString => 2,
            Self::ChoiceInText | Self::ArrayToSingle | Self::StringParsed => 3,
            Self::NumberInText | Self::JsonToString => 4,
            Self::ImpliedKey | Self::Unwrapped => 5,
            Self::SingleToArray => 6,
            Self::ArrayToObject | Self::ObjectToArray => 8,
            Self::MissingValue => 20,
            Self::ItemDropped => 30,
            Self::AbsentAsEmpty => 40,
            Self::NullAsEmpty => 60,
        }
    }
}

/// The cost of a value that does not fit at all and stays as it is.
pub(super) const VIOLATION: u32 = 1_000;

/// The cost of a value that is not even of the wanted kind.
pub(super) const MISFIT: u32 = 20_000;

/// The cost of an optional property that is absent: it speaks against a reading, but is no change.
pub(super) const ABSENT: u32 = 1;

/// The cost of an object none of whose keys the schema knows.
pub(super) const STRANGER: u32 = 20;
