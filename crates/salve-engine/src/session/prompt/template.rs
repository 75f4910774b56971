//! The sections of the system prompt, and a file that replaces some of them.
//!
//! In: JSON with a key for each section. Out: the sections in their order. Never a section of a name that
//! is not known: a misspelt key would silently change nothing.

use serde_json::Value;
use std::collections::BTreeMap;

const BUILT_IN: &str = include_str!("system-prompt.json");

/// The sections of a system prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptTemplate {
    sections: Vec<(String, String)>,
}

/// Why a file is no template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TemplateFault {
    /// It is not JSON.
    #[error("it is not JSON: {0}")]
    NotJson(String),
    /// It is no object.
    #[error("it must be an object with a key for each section")]
    NotAnObject,
    /// A key that no section has.
    #[error("no section is called `{key}`; there are {known}")]
    UnknownSection {
        /// The key.
        key: String,
        /// The keys there are.
        known: String,
    },
    /// A value that is no text.
    #[error("`{0}` must be a text, a list of lines, or null to leave the section out")]
    NotText(String),
}

/// The key of what is added after the other sections.
const EXTRA: &str = "extra";

impl Default for PromptTemplate {
    fn default() -> Self {
        // The file is a part of the program; its test holds that it is a template.
        let sections = read(BUILT_IN).unwrap_or_default();
        let text = |(key, text): (String, Option<String>)| (key, text.unwrap_or_default());
        Self { sections: sections.into_iter().map(text).collect() }
    }
}

impl PromptTemplate {
    /// Reads a file that replaces sections of the built-in template. A section that it does not name stays
    /// as it is, `null` leaves one out, and `extra` is added at the end.
    ///
    /// # Errors
    /// It is not such a file.
    pub fn overridden(text: &str) -> Result<Self, TemplateFault> {
        let mut template = Self::default();
        let mut replaced: BTreeMap<String, Option<String>> = read(text)?.into_iter().collect();
        for (key, section) in &mut template.sections {
            if let Some(text) = replaced.remove(key) {
                *section = text.unwrap_or_default();
            }
        }
        if let Some(extra) = replaced.remove(EXTRA) {
            template.sections.push((EXTRA.to_owned(), extra.unwrap_or_default()));
        }
        match replaced.into_keys().next() {
            None => Ok(template),
            Some(key) => Err(TemplateFault::UnknownSection { key, known: template.known() }),
        }
    }

    /// Returns the built-in template as its file has it, to begin one's own from.
    #[must_use]
    pub const fn built_in() -> &'static str {
        BUILT_IN
    }

    /// Lists the keys of the sections in their order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.sections.iter().map(|(key, _)| key.as_str())
    }

    pub(super) fn sections(&self) -> impl Iterator<Item = &str> {
        self.sections.iter().map(|(_, text)| text.as_str())
    }

    fn known(&self) -> String {
        let keys = self.keys().filter(|key| *key != EXTRA).chain([EXTRA]);
        keys.collect::<Vec<&str>>().join(", ")
    }
}

fn read(text: &str) -> Result<Vec<(String, Option<String>)>, TemplateFault> {
    let value: Value =
        serde_json::from_str(text).map_err(|error| TemplateFault::NotJson(error.to_string()))?;
    let Value::Object(fields) = value else { return Err(TemplateFault::NotAnObject) };
    let section = |(key, value): (String, Value)| {
        let text = match &value {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            Value::Array(lines) => {
                let lines: Option<Vec<&str>> = lines.iter().map(Value::as_str).collect();
                Some(lines.ok_or_else(|| TemplateFault::NotText(key.clone()))?.join("\n"))
            }
            _ => return Err(TemplateFault::NotText(key)),
        };
        Ok((key, text))
    };
    fields.into_iter().map(section).collect()
}
