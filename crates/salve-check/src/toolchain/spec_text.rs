//! Toolchain specs as a person writes them.
//!
//! In: TOML in the form of `built_in.toml`. Out: specs, each complete, or an error that names the
//! entry and the field. An entry whose id is known changes only what it writes. Never guesses: an
//! unknown field is an error.

use super::{Applies, ArgsSince, Declared, Marker, Phase, ToolchainSpec, WorkUnit};
use crate::OutputParser;
use salve_types::Severity;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use std::collections::BTreeMap;
use std::time::Duration;

/// Why a table of toolchains cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// It is not TOML, or a field is unknown or of the wrong type.
    #[error("cannot read the toolchains: {0}")]
    Text(#[from] toml::de::Error),
    /// A new entry lacks a field.
    #[error("toolchain `{target_id}` lacks `{field}`; a new toolchain needs all seven fields")]
    Lacks {
        /// The entry.
        target_id: String,
        /// The field.
        field: &'static str,
    },
    /// A field has a value that means nothing.
    #[error("toolchain `{target_id}`: `{field}` {why}")]
    Bad {
        /// The entry.
        target_id: String,
        /// The field.
        field: &'static str,
        /// What is wrong with it.
        why: &'static str,
    },
}

/// Reads a table; `known` gives the spec that an entry overrides.
pub(super) fn read_specs(
    text: &str,
    known: impl Fn(&str) -> Option<ToolchainSpec>,
) -> Result<Vec<ToolchainSpec>, SpecError> {
    let table: Table = toml::from_str(text)?;
    table
        .toolchain
        .into_iter()
        .map(|entry| {
            let base = known(&entry.target_id);
            entry.into_spec(base)
        })
        .collect()
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[serde(default)]
    toolchain: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    target_id: String,
    display_name: Option<String>,
    binary_name: Option<String>,
    version_args: Option<Vec<String>>,
    compile_command: Option<String>,
    compile_args: Option<Vec<String>>,
    install_hint: Option<String>,
    timeout_seconds: Option<u64>,
    parser: Option<OutputParser>,
    release_args: Option<Vec<String>>,
    since: Option<Vec<ArgsSince>>,
    twin_args: Option<Vec<String>>,
    phase: Option<Phase>,
    unit: Option<WorkUnit>,
    markers: Option<Vec<MarkerText>>,
    files: Option<Vec<String>>,
    beside: Option<Vec<String>>,
    not_beside: Option<Vec<String>>,
    project_files: Option<Vec<String>>,
    unless: Option<Vec<String>>,
    nested: Option<bool>,
    nearest: Option<bool>,
    after: Option<Vec<String>>,
    instead_of: Option<String>,
    local_folders: Option<Vec<String>>,
    environment: Option<BTreeMap<String, String>>,
    success_codes: Option<Vec<i32>>,
    fail_on: Option<Severity>,
    capabilities: Option<Vec<String>>,
    conventions: Option<Vec<String>>,
}

#[derive(Debug)]
enum MarkerText {
    Name(String),
    Content(ContentMarker),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ContentMarker {
    file: String,
    #[serde(default)]
    contains: Vec<String>,
    #[serde(default)]
    declares: Vec<Declared>,
    #[serde(default)]
    at_top: bool,
}

// By hand: a derived one says of a wrong key only that nothing fits, and not which keys there are.
impl<'de> Deserialize<'de> for MarkerText {
    fn deserialize<D: serde::Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_any(MarkerVisitor)
    }
}

struct MarkerVisitor;

impl<'de> Visitor<'de> for MarkerVisitor {
    type Value = MarkerText;

    fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("the name of a file, or a table with its `file`")
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<MarkerText, E> {
        Ok(MarkerText::Name(name.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<MarkerText, A::Error> {
        ContentMarker::deserialize(MapAccessDeserializer::new(map)).map(MarkerText::Content)
    }
}

impl From<MarkerText> for Marker {
    fn from(text: MarkerText) -> Self {
        match text {
            MarkerText::Name(file) => {
                Self { file, contains: Vec::new(), declares: Vec::new(), at_top: false }
            }
            MarkerText::Content(ContentMarker { file, contains, declares, at_top }) => {
                Self { file, contains, declares, at_top }
            }
        }
    }
}

impl Entry {
    fn into_spec(self, base: Option<ToolchainSpec>) -> Result<ToolchainSpec, SpecError> {
        let mut spec = match base {
            Some(base) => base,
            None => self.complete().map(|()| ToolchainSpec::named(&self.target_id))?,
        };
        // The variants of arguments belong to the arguments they replace.
        if self.compile_args.is_some() {
            spec.since.clear();
            spec.twin_args.clear();
        }
        set(&mut spec.display_name, self.display_name);
        set(&mut spec.binary_name, self.binary_name);
        set(&mut spec.version_args, self.version_args);
        set(&mut spec.compile_command, self.compile_command);
        set(&mut spec.compile_args, self.compile_args);
        set(&mut spec.install_hint, self.install_hint);
        set(&mut spec.timeout, self.timeout_seconds.map(Duration::from_secs));
        set(&mut spec.parser, self.parser);
        set(&mut spec.release_args, self.release_args);
        set(&mut spec.since, self.since);
        set(&mut spec.twin_args, self.twin_args);
        set(&mut spec.phase, self.phase);
        set(&mut spec.unit, self.unit);
        set(&mut spec.after, self.after);
        spec.instead_of = self.instead_of.or(spec.instead_of);
        set(&mut spec.local_folders, self.local_folders);
        set(&mut spec.environment, self.environment.map(|table| table.into_iter().collect()));
        set(&mut spec.success_codes, self.success_codes);
        spec.fail_on = self.fail_on.or(spec.fail_on);
        set(&mut spec.capabilities, self.capabilities);
        set(&mut spec.conventions, self.conventions);
        let applies = &mut spec.applies;
        let markers = self.markers.map(|list| list.into_iter().map(Marker::from).collect());
        set(&mut applies.markers, markers);
        set(&mut applies.files, self.files);
        set(&mut applies.beside, self.beside);
        set(&mut applies.not_beside, self.not_beside);
        set(&mut applies.project_files, self.project_files);
        set(&mut applies.unless, self.unless);
        set(&mut applies.nested, self.nested);
        set(&mut applies.nearest, self.nearest);
        sensible(&spec)?;
        Ok(spec)
    }

    fn complete(&self) -> Result<(), SpecError> {
        let seven = [
            ("display_name", self.display_name.is_some()),
            ("binary_name", self.binary_name.is_some()),
            ("version_args", self.version_args.is_some()),
            ("compile_command", self.compile_command.is_some()),
            ("compile_args", self.compile_args.is_some()),
            ("install_hint", self.install_hint.is_some()),
        ];
        match seven.into_iter().find(|(_, there)| !there) {
            Some((field, _)) => Err(SpecError::Lacks { target_id: self.target_id.clone(), field }),
            None => Ok(()),
        }
    }
}

fn set<T>(slot: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *slot = value;
    }
}

fn sensible(spec: &ToolchainSpec) -> Result<(), SpecError> {
    let Applies { files, .. } = &spec.applies;
    let in_process = spec.parser == OutputParser::JsonSchema;
    let checks = [
        ("target_id", spec.target_id.trim().is_empty(), "is empty"),
        ("compile_command", spec.is_in_process() && !in_process, "is empty"),
        ("binary_name", spec.binary_name.is_empty() && !spec.is_in_process(), "is empty"),
        ("timeout_seconds", spec.timeout.is_zero(), "is zero; it would always be ended at once"),
        (
            "files",
            spec.unit != WorkUnit::Folder && files.is_empty(),
            "is empty, but `unit` wants files",
        ),
        ("success_codes", spec.success_codes.is_empty(), "is empty; no run could pass"),
    ];
    match checks.into_iter().find(|(_, wrong, _)| *wrong) {
        Some((field, _, why)) => {
            Err(SpecError::Bad { target_id: spec.target_id.clone(), field, why })
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_built_in_table_reads_and_every_id_is_there_once() {
        let specs = read_specs(include_str!("built_in.toml"), |_| None).unwrap();
        let mut ids: Vec<&str> = specs.iter().map(|spec| spec.target_id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), specs.len());
        let known = |id: &String| ids.contains(&id.as_str());
        for spec in &specs {
            assert!(spec.after.iter().chain(&spec.applies.unless).all(known), "{spec:?}");
            assert!(spec.instead_of.iter().all(known), "{spec:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(\\[\\[toolchain\\]\\]\n|[a-z_]{1,12} = |\"[^\"]{0,9}\"|\\[|\\]|\n|.){0,60}") {
            let _ = read_specs(&text, |_| Some(ToolchainSpec::named("x")));
        }
    }
}
