//! Diagnostics as SARIF 2.1.0.
//!
//! In: diagnostics, and for each what identifies it from run to run. Out: a log with one run for
//! each tool: its rules, its results with places, fixes and fingerprints. The class and how far a
//! tool vouches for a fix stand in the properties, since SARIF has no word for them.

mod model;

use super::{message_with_notes, word};
use model::{
    ArtifactChange, ArtifactLocation, Finding, Fix, Location, Log, PhysicalLocation, Region,
    Replacement, Rule, Run, Text, Tool, ToolComponent,
};
use salve_types::{Diagnostic, SourceSpan, Suggestion};
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Writes a SARIF log. `fingerprints` names what a diagnostic is known by from run to run, such as
/// its signatures; it may give none.
///
/// # Errors
///
/// Fails only when memory does.
pub fn sarif_log(
    diagnostics: &[Diagnostic],
    fingerprints: &dyn Fn(&Diagnostic) -> Vec<(String, String)>,
) -> serde_json::Result<String> {
    let mut tools: Vec<ToolRun> = Vec::new();
    let mut by_name: BTreeMap<&str, usize> = BTreeMap::new();
    for diagnostic in diagnostics {
        let index = *by_name.entry(&diagnostic.tool).or_insert_with(|| {
            tools.push(ToolRun::default());
            tools.len() - 1
        });
        tools[index].add(diagnostic, fingerprints(diagnostic));
    }
    let mut named: Vec<(usize, &str)> = by_name.into_iter().map(|(name, at)| (at, name)).collect();
    named.sort_unstable();
    let runs: Vec<Run> =
        tools.into_iter().zip(named).map(|(run, (_, name))| run.finish(name)).collect();
    serde_json::to_string_pretty(&Log { schema: SCHEMA, runs, version: "2.1.0" })
}

#[derive(Default)]
struct ToolRun {
    rules: Vec<Rule>,
    by_code: BTreeMap<String, usize>,
    results: Vec<Finding>,
}

impl ToolRun {
    fn add(&mut self, diagnostic: &Diagnostic, fingerprints: Vec<(String, String)>) {
        let (primary, others): (Vec<_>, Vec<_>) =
            diagnostic.spans.iter().partition(|span| span.primary);
        let explained = diagnostic.notes.iter().flat_map(|note| {
            note.spans
                .iter()
                .map(|span| location(span, span.label.as_ref().or(Some(&note.message))))
        });
        let related: Vec<Location> = others
            .iter()
            .map(|span| location(span, span.label.as_ref()))
            .chain(explained)
            .collect();
        let fixes: Vec<Fix> = diagnostic.suggestions.iter().filter_map(fix).collect();
        let rule_index = diagnostic.code.as_ref().map(|code| self.rule(code));
        self.results.push(Finding {
            fixes: each_once(fixes),
            level: word(diagnostic.severity),
            locations: primary.iter().map(|span| location(span, span.label.as_ref())).collect(),
            message: text(&message_with_notes(diagnostic)),
            partial_fingerprints: fingerprints.into_iter().collect(),
            properties: [("class", Value::from(diagnostic.class.name()))].into(),
            related_locations: each_once(related),
            rule_id: diagnostic.code.clone(),
            rule_index,
        });
    }

    fn rule(&mut self, code: &str) -> usize {
        let next = self.rules.len();
        let index = *self.by_code.entry(code.to_owned()).or_insert(next);
        if index == next {
            self.rules.push(Rule { id: code.to_owned() });
        }
        index
    }

    fn finish(self, name: &str) -> Run {
        let driver = ToolComponent { name: name.to_owned(), rules: self.rules };
        Run { column_kind: "unicodeCodePoints", results: self.results, tool: Tool { driver } }
    }
}

// The standard wants lists of unequal things.
fn each_once<T: Serialize>(mut all: Vec<T>) -> Vec<T> {
    let mut seen = HashSet::new();
    all.retain(|one| serde_json::to_string(one).is_ok_and(|text| seen.insert(text)));
    all
}

fn location(span: &SourceSpan, label: Option<&String>) -> Location {
    let physical_location =
        PhysicalLocation { artifact_location: artifact(&span.path), region: region(span) };
    Location { message: label.map(|label| text(label)), physical_location }
}

fn region(span: &SourceSpan) -> Option<Region> {
    let start = span.start?;
    Some(Region {
        byte_length: span.bytes.map(salve_types::Span::len),
        byte_offset: span.bytes.map(|bytes| bytes.start),
        end_column: span.end.map(|end| end.column),
        end_line: span.end.map(|end| end.line),
        snippet: span.line_text.as_ref().map(|line| text(line)),
        start_column: start.column,
        start_line: start.line,
    })
}

// All of a suggestion or none of it: an edit without a place would replace the whole file.
fn fix(suggestion: &Suggestion) -> Option<Fix> {
    let mut changes: Vec<ArtifactChange> = Vec::new();
    let mut by_path: BTreeMap<&str, usize> = BTreeMap::new();
    for edit in &suggestion.edits {
        let mut deleted = region(&edit.span)?;
        deleted.snippet = None;
        let replacement =
            Replacement { deleted_region: deleted, inserted_content: text(&edit.replacement) };
        let index = *by_path.entry(&edit.span.path).or_insert_with(|| {
            let artifact_location = artifact(&edit.span.path);
            changes.push(ArtifactChange { artifact_location, replacements: Vec::new() });
            changes.len() - 1
        });
        changes[index].replacements.push(replacement);
    }
    let applicability = serde_json::to_value(suggestion.applicability).unwrap_or(Value::Null);
    let whole = !changes.is_empty();
    whole.then(|| Fix {
        artifact_changes: changes,
        description: text(&suggestion.message),
        properties: [("applicability", applicability)].into(),
    })
}

fn artifact(path: &str) -> ArtifactLocation {
    ArtifactLocation { uri: uri(path) }
}

// A path as a URI: relative ones stay relative, `C:\x` and `/x` become `file:` ones.
fn uri(path: &str) -> String {
    let slashes = path.replace('\\', "/");
    let drive = slashes.as_bytes().get(1) == Some(&b':');
    let start = match (slashes.starts_with('/'), drive) {
        (true, _) => "file://",
        (false, true) => "file:///",
        (false, false) => "",
    };
    let mut uri = start.to_owned();
    for &byte in slashes.as_bytes() {
        let plain = byte.is_ascii_alphanumeric() || b"-._~/!$&'()*+,;=@".contains(&byte);
        if plain || (byte == b':' && drive) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}

fn text(text: &str) -> Text {
    Text { text: text.to_owned() }
}
