//! What models can do and what they cost.
//!
//! In: the built-in table, entries of the user on top of it, and a model's name. Out: what is known
//! of it, or careful defaults that say that nothing is. Never asks a provider.

use crate::cost::Price;
use serde::Deserialize;
use std::collections::BTreeMap;

/// What is known of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capability {
    /// Tokens of prompt and answer together.
    pub context_tokens: u64,
    /// Tokens of one answer.
    pub output_tokens: u32,
    /// Whether the provider can be told to keep to a JSON schema.
    pub structured_outputs: bool,
    /// Whether it goes on from the beginning of an answer that is given to it.
    pub prefill: bool,
    /// Whether it may be handed files and run tools on its own (the documents' "agentic").
    pub agentic: bool,
    /// Whether it reads images.
    pub vision: bool,
    /// Whether it makes images.
    pub image: bool,
    /// What its tokens cost.
    pub price: Option<Price>,
    /// Whether any entry fits its name.
    pub known: bool,
    /// Where that is from.
    pub source: String,
    /// How old it is, as year and month.
    pub as_of: String,
}

impl Default for Capability {
    /// Returns what is safe to assume of a model without a description.
    fn default() -> Self {
        Self {
            context_tokens: 8_192,
            output_tokens: 4_096,
            structured_outputs: false,
            prefill: false,
            agentic: false,
            vision: false,
            image: false,
            price: None,
            known: false,
            source: "assumed".to_owned(),
            as_of: String::new(),
        }
    }
}

/// One `[[model]]` of a settings file: what is said counts, what is not said stays.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModelEntry {
    /// How the names of the models begin.
    pub names: Vec<String>,
    /// Tokens of prompt and answer together.
    pub context: Option<u64>,
    /// Tokens of one answer.
    pub output: Option<u32>,
    /// Whether the provider can be told to keep to a JSON schema.
    pub structured_outputs: Option<bool>,
    /// Whether it goes on from the beginning of an answer.
    pub prefill: Option<bool>,
    /// Whether it may be handed files and run tools on its own.
    pub agentic: Option<bool>,
    /// Whether it reads images.
    pub vision: Option<bool>,
    /// Whether it makes images.
    pub image: Option<bool>,
    /// What its tokens cost.
    pub price: Option<Price>,
    /// Where that is from.
    pub source: Option<String>,
    /// How old it is.
    pub as_of: Option<String>,
}

/// The entries in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capabilities {
    // Low to high: a later entry speaks over an earlier one of the same length.
    entries: Vec<ModelEntry>,
    aliases: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TableFile {
    #[serde(default)]
    alias: BTreeMap<String, String>,
    #[serde(default)]
    model: Vec<ModelEntry>,
}

const BUILT_IN: &str = include_str!("models.toml");

impl Capabilities {
    /// Returns the table that comes with Salve.
    pub fn built_in() -> Self {
        // The table is part of the program and a test reads it; were it broken, every model would
        // be an unknown one.
        toml::from_str(BUILT_IN).map_or_else(
            |_| Self { entries: Vec::new(), aliases: BTreeMap::new() },
            |file: TableFile| Self { entries: file.model, aliases: file.alias },
        )
    }

    /// Adds entries of the user; where they fit, what they say counts.
    #[must_use]
    pub fn with(mut self, entries: impl IntoIterator<Item = ModelEntry>) -> Self {
        self.entries.extend(entries);
        self
    }

    /// Returns the provider's name of a model that is called by a short one, like `haiku`.
    pub fn full_name<'a>(&'a self, name: &'a str) -> &'a str {
        self.aliases.get(name).map_or(name, String::as_str)
    }

    /// Lists the models that read images, each by its first name.
    pub fn seeing(&self) -> Vec<&str> {
        let seeing = self.entries.iter().filter(|entry| entry.vision == Some(true));
        seeing.filter_map(|entry| entry.names.first()).map(String::as_str).collect()
    }

    /// Lists the models that make images, each by its first name.
    pub fn drawing(&self) -> Vec<&str> {
        let drawing = self.entries.iter().filter(|entry| entry.image == Some(true));
        drawing.filter_map(|entry| entry.names.first()).map(String::as_str).collect()
    }

    /// Returns what is known of a model.
    pub fn of(&self, name: &str) -> Capability {
        let name = self.full_name(name).to_lowercase();
        let mut capability = Capability::default();
        let mut fitting: Vec<(usize, &ModelEntry)> = self
            .entries
            .iter()
            .filter_map(|entry| Some((fit(&name, &entry.names)?, entry)))
            .collect();
        // A general entry first, the most special one last. The sort keeps the order of equals, so
        // that the user's entry comes after the built-in one of the same name.
        fitting.sort_by_key(|(length, _)| *length);
        // Only entries of the best name count: what `grok-2` cannot do says nothing of `grok-4`.
        let Some(&(best, _)) = fitting.last() else { return capability };
        for (_, entry) in fitting.iter().filter(|(length, _)| *length == best) {
            capability.take(entry);
        }
        capability
    }
}

impl Default for Capabilities {
    fn default() -> Self {
        Self::built_in()
    }
}

impl Capability {
    fn take(&mut self, entry: &ModelEntry) {
        let set = |slot: &mut bool, said: Option<bool>| *slot = said.unwrap_or(*slot);
        self.known = true;
        self.context_tokens = entry.context.unwrap_or(self.context_tokens);
        self.output_tokens = entry.output.unwrap_or(self.output_tokens);
        set(&mut self.structured_outputs, entry.structured_outputs);
        set(&mut self.prefill, entry.prefill);
        set(&mut self.agentic, entry.agentic);
        set(&mut self.vision, entry.vision);
        set(&mut self.image, entry.image);
        self.price = entry.price.or(self.price);
        self.source = entry.source.clone().unwrap_or_else(|| "settings".to_owned());
        self.as_of = entry.as_of.clone().unwrap_or_default();
    }
}

// The length of the longest of these names that the model's name begins with. A router's or a
// folder's name in front (`openrouter/x-ai/grok-4`, `models/grok-4`) is passed over.
fn fit(model: &str, names: &[String]) -> Option<usize> {
    let starts = std::iter::once(0).chain(model.match_indices('/').map(|(at, _)| at + 1));
    let tails: Vec<&str> = starts.filter_map(|at| model.get(at..)).collect();
    let fits = |name: &&String| {
        let name = name.to_lowercase();
        !name.is_empty() && tails.iter().any(|tail| begins(tail, &name))
    };
    names.iter().filter(fits).map(String::len).max()
}

// `grok-4-0709` begins with `grok-4`, `grok-40` and `grok-4.3` do not.
fn begins(model: &str, name: &str) -> bool {
    model
        .strip_prefix(name)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', ':', '@', '/']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::MicroDollars;

    #[test]
    fn the_built_in_table_is_read_and_every_entry_has_a_source() {
        let file: TableFile = toml::from_str(BUILT_IN).unwrap();
        assert!(file.model.len() > 30);
        for entry in &file.model {
            let names = &entry.names;
            assert!(!names.is_empty());
            assert!(entry.source.as_ref().is_some_and(|source| source.starts_with("http")));
            assert!(entry.as_of.as_ref().is_some_and(|month| month.len() == 7), "{names:?}");
        }
        let table = Capabilities::built_in();
        for full in file.alias.values() {
            assert!(table.of(full).known && table.of(full).price.is_some(), "{full}");
        }
    }

    #[test]
    fn the_longest_beginning_counts() {
        let table = Capabilities::built_in();
        let context = |name: &str| table.of(name).context_tokens;
        let cases = [
            ("grok-4", 256_000),
            ("grok-4-0709", 256_000),
            ("GROK-4-latest", 256_000),
            ("grok-4-fast-reasoning", 2_000_000),
            ("grok-4.3", 1_000_000),
            ("openrouter/x-ai/grok-4", 256_000),
            ("x-ai/grok-4:free", 256_000),
            ("models/gpt-4o-2024-08-06", 128_000),
            ("gpt-4.1-mini-2025-04-14", 1_047_576),
            ("claude-haiku-4-5-20251001", 200_000),
            ("haiku", 200_000),
            ("gpt-40", 8_192),
            ("smollm2:135m", 8_192),
            ("", 8_192),
            ("///", 8_192),
        ];
        for (name, tokens) in cases {
            assert_eq!(context(name), tokens, "{name}");
        }
        assert!(!table.of("smollm2:135m").known);
        assert!(!table.of("gpt-4").known, "a longer name does not describe a shorter one");
    }

    #[test]
    fn c136_only_agentic_models_take_files() {
        let table = Capabilities::built_in();
        for (name, agentic) in [
            ("grok-4", true),
            ("grok-4-fast", true),
            ("grok-3-mini", false),
            ("a-model-nobody-knows", false),
        ] {
            assert_eq!(table.of(name).agentic, agentic, "{name}");
        }
    }

    #[test]
    fn c149_structured_outputs_from_grok_2_1212_on() {
        let table = Capabilities::built_in();
        for (name, structured) in [
            ("grok-4", true),
            ("grok-4-fast", true),
            ("grok-3", true),
            ("grok-3-mini", true),
            ("grok-2-1212", true),
            ("grok-2-latest", true),
            ("grok-5", true),
            ("grok-2", false),
            ("grok-2-mini", false),
            ("grok-beta", false),
        ] {
            assert_eq!(table.of(name).structured_outputs, structured, "{name}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_name_is_looked_up(name in "\\PC{0,60}", front in "[a-z/.:-]{0,20}") {
            let table = Capabilities::built_in();
            let _ = table.of(&name);
            let known = table.of(&format!("{front}/grok-4"));
            proptest::prop_assert_eq!(known.context_tokens, 256_000);
        }
    }

    #[test]
    fn what_the_user_says_counts_and_the_rest_stays() {
        let price = Price {
            input: MicroDollars(1),
            cached: None,
            output: MicroDollars(2),
            long: None,
            image: None,
            searches: None,
        };
        let entry =
            |name: &str| ModelEntry { names: vec![name.to_owned()], ..ModelEntry::default() };
        let table = Capabilities::built_in().with([
            ModelEntry { output: Some(100), price: Some(price), ..entry("grok-4") },
            ModelEntry { prefill: Some(true), ..entry("smollm2") },
        ]);
        let grok = table.of("xai/grok-4-0709");
        assert_eq!((grok.output_tokens, grok.price), (100, Some(price)));
        assert!(grok.vision, "not said, so it stays");
        let local = table.of("smollm2:135m");
        assert!(local.known && local.prefill && !local.structured_outputs);
    }
}
