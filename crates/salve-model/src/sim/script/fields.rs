//! The fields of a script that can be written in more than one way.
//!
//! In: JSON values. Out: one form each. Never accepts a form it does not understand: the message
//! says which forms there are.

use salve_types::Usage;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// A number, or a list of them.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Value")]
pub struct Nth(pub Vec<u64>);

impl TryFrom<Value> for Nth {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        numbers(&value)
            .filter(|list| !list.is_empty() && !list.contains(&0))
            .map(Self)
            .ok_or_else(|| "`nth` is a number from 1, or a list of them".to_owned())
    }
}

/// Why an answer says it ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Finish {
    /// What is true.
    #[default]
    Honest,
    /// This, true or not.
    Said(String),
    /// Nothing.
    Never,
}

impl<'de> Deserialize<'de> for Finish {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Option::<String>::deserialize(from)?.map_or(Self::Never, Self::Said))
    }
}

/// What an answer says it took.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Told {
    /// What it took, at four bytes a token.
    #[default]
    Counted,
    /// This, true or not.
    Said(Usage),
    /// Nothing.
    Never,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
#[derive(Default)]
struct Counts {
    input_tokens: u64,
    output_tokens: u64,
    cached_tokens: u64,
    reasoning_tokens: u64,
    search_calls: u64,
}

impl<'de> Deserialize<'de> for Told {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let counts = Option::<Counts>::deserialize(from)?;
        Ok(counts.map_or(Self::Never, |counts| {
            Self::Said(Usage {
                input_tokens: counts.input_tokens,
                output_tokens: counts.output_tokens,
                cached_tokens: counts.cached_tokens,
                reasoning_tokens: counts.reasoning_tokens,
                search_calls: counts.search_calls,
            })
        }))
    }
}

/// How an answer is taken apart for a stream: sizes in bytes, the last one for the rest.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Value")]
pub struct Chunk(pub Vec<usize>);

impl Default for Chunk {
    fn default() -> Self {
        Self(vec![32])
    }
}

impl TryFrom<Value> for Chunk {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        let sizes = numbers(&value).filter(|list| !list.is_empty() && !list.contains(&0));
        let sizes: Option<Vec<usize>> =
            sizes.map(|list| list.into_iter().map(saturating_usize).collect());
        sizes.map(Self).ok_or_else(|| "`chunk` is a number of bytes, or a list of them".to_owned())
    }
}

impl Chunk {
    /// Takes a text apart; no piece splits a character.
    pub fn pieces<'a>(&self, text: &'a str) -> Vec<&'a str> {
        let mut sizes = self.0.iter().copied();
        let mut size = 32;
        let mut rest = text;
        let mut pieces = Vec::new();
        while !rest.is_empty() {
            size = sizes.next().unwrap_or(size).max(1);
            let at = (size.min(rest.len())..rest.len())
                .find(|&at| rest.is_char_boundary(at))
                .unwrap_or(rest.len());
            let (piece, after) = rest.split_at(at);
            pieces.push(piece);
            rest = after;
        }
        pieces
    }
}

/// Waiting, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(try_from = "Value")]
pub struct Delay {
    /// Before the first byte.
    pub first: u64,
    /// Between two pieces of a stream.
    pub between: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DelayParts {
    #[serde(default)]
    first: u64,
    #[serde(default)]
    between: u64,
}

impl TryFrom<Value> for Delay {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        if let Some(both) = value.as_u64() {
            return Ok(Self { first: both, between: both });
        }
        let parts: DelayParts = serde_json::from_value(value).map_err(|_| {
            "`delay_ms` is a number, or `{\"first\": N, \"between\": N}`".to_owned()
        })?;
        Ok(Self { first: parts.first, between: parts.between })
    }
}

/// A place in an answer, counted in bytes and moved back to where a character begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CutAt {
    /// Of the last tool call's arguments, or of the text when there is none. For `disconnect_at`:
    /// of the body as it travels.
    Last(usize),
    /// Of the reasoning; nothing after it comes.
    Thinking(usize),
    /// Of the text; no tool call comes.
    Text(usize),
    /// Of the last tool call's arguments.
    Arguments(usize),
    /// Of reasoning, text and arguments together, in this order.
    Answer(usize),
}

impl<'de> Deserialize<'de> for CutAt {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(from)?;
        Self::read(&value).ok_or_else(|| {
            serde::de::Error::custom(
                "a place is a number of bytes, or one of `{\"text\": N}`, `{\"arguments\": N}`, \
                 `{\"thinking\": N}`, `{\"answer\": N}`",
            )
        })
    }
}

impl CutAt {
    fn read(value: &Value) -> Option<Self> {
        if let Some(bytes) = value.as_u64() {
            return Some(Self::Last(saturating_usize(bytes)));
        }
        let object = value.as_object().filter(|object| object.len() == 1)?;
        let (part, bytes) = object.iter().next()?;
        let bytes = saturating_usize(bytes.as_u64()?);
        match part.as_str() {
            "thinking" => Some(Self::Thinking(bytes)),
            "text" => Some(Self::Text(bytes)),
            "arguments" => Some(Self::Arguments(bytes)),
            "answer" => Some(Self::Answer(bytes)),
            _ => None,
        }
    }
}

/// The talk around a continuation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chatty {
    /// What is before it.
    pub before: String,
    /// What is after it, unless it is cut.
    pub after: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChattyParts {
    #[serde(default)]
    before: String,
    #[serde(default)]
    after: String,
}

impl<'de> Deserialize<'de> for Chatty {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        match Value::deserialize(from)? {
            Value::Bool(true) => Ok(Self {
                before: "Sure, here is the rest:\n\n```\n".to_owned(),
                after: "\n```\n".to_owned(),
            }),
            value => {
                let parts: ChattyParts = serde_json::from_value(value).map_err(|_| {
                    serde::de::Error::custom(
                        "`chatty` is true, or `{\"before\": \"…\", \"after\": \"…\"}`",
                    )
                })?;
                Ok(Self { before: parts.before, after: parts.after })
            }
        }
    }
}

/// Bytes that are no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Garbage {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The frame of a stream they replace, from 0; none replaces the whole body.
    pub frame: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GarbageParts {
    #[serde(default)]
    text: String,
    #[serde(default)]
    hex: String,
    #[serde(default)]
    frame: Option<usize>,
}

impl<'de> Deserialize<'de> for Garbage {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let parts = match Value::deserialize(from)? {
            Value::String(text) => GarbageParts { text, hex: String::new(), frame: None },
            value => serde_json::from_value(value).map_err(|_| forms_of_garbage())?,
        };
        let mut bytes = parts.text.into_bytes();
        bytes.extend(from_hex(&parts.hex).ok_or_else(forms_of_garbage)?);
        Ok(Self { bytes, frame: parts.frame })
    }
}

fn forms_of_garbage<E: serde::de::Error>() -> E {
    E::custom("`garbage` is a text, or `{\"text\": \"…\", \"hex\": \"ff00\", \"frame\": N}`")
}

/// Reads pairs of hexadecimal digits.
pub(crate) fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = text
        .chars()
        .map(|digit| digit.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
        .collect();
    let digits = digits.filter(|digits| digits.len().is_multiple_of(2))?;
    Some(digits.chunks_exact(2).map(|pair| pair[0] * 16 + pair[1]).collect())
}

pub(super) fn arguments<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    Ok(match Value::deserialize(from)? {
        Value::String(text) => text,
        value => value.to_string(),
    })
}

fn numbers(value: &Value) -> Option<Vec<u64>> {
    match value {
        Value::Array(items) => items.iter().map(Value::as_u64).collect(),
        one => one.as_u64().map(|one| vec![one]),
    }
}

fn saturating_usize(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
