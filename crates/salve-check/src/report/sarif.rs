//! Diagnostics as SARIF 2.1.0.
//!
//! In: diagnostics, and for each what identifies it from run to run. Out: a log with one run for
//! each tool: its rules, its results with places, fixes and fingerprints. The class and how far a
//! tool vouches for a fix stand in the properties, since SARIF has no word for them.

use super::{message_with_notes, word};
use salve_types::{Diagnostic, SourceSpan, Suggestion};
use serde::Serialize;
use serde_json::{Value, json};
use serde_sarif::sarif::{
    ArtifactChange, ArtifactContent, ArtifactLocation, Fix, Location, Message, PhysicalLocation,
    PropertyBag, Region, Replacement, ReportingDescriptor, Result as Finding, Run, Sarif, Tool,
    ToolComponent,
};
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
    let log = Sarif::builder().version(json!("2.1.0")).schema(SCHEMA).runs(runs).build();
    serde_json::to_string_pretty(&log)
}

#[derive(Default)]
struct ToolRun {
    rules: Vec<ReportingDescriptor>,
    by_code: BTreeMap<String, i64>,
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
        let mut result = Finding::builder()
            .message(message(&message_with_notes(diagnostic)))
            .properties(bag("class", json!(diagnostic.class.name())))
            .build();
        result.level = serde_json::from_value(json!(word(diagnostic.severity))).ok();
        result.locations =
            Some(primary.iter().map(|span| location(span, span.label.as_ref())).collect());
        result.related_locations = each_once(related);
        let fixes: Vec<Fix> = diagnostic.suggestions.iter().filter_map(fix).collect();
        result.fixes = each_once(fixes);
        if let Some(code) = &diagnostic.code {
            result.rule_id = Some(code.clone());
            result.rule_index = Some(self.rule(code));
        }
        result.partial_fingerprints =
            (!fingerprints.is_empty()).then(|| fingerprints.into_iter().collect());
        self.results.push(result);
    }

    fn rule(&mut self, code: &str) -> i64 {
        let next = i64::try_from(self.rules.len()).unwrap_or(i64::MAX);
        let index = *self.by_code.entry(code.to_owned()).or_insert(next);
        if index == next {
            self.rules.push(ReportingDescriptor::builder().id(code).build());
        }
        index
    }

    fn finish(self, name: &str) -> Run {
        let driver = ToolComponent::builder().name(name).rules(self.rules).build();
        Run::builder()
            .tool(Tool::builder().driver(driver).build())
            .results(self.results)
            .column_kind(json!("unicodeCodePoints"))
            .build()
    }
}

// The standard wants lists of unequal things, and none rather than an empty one.
fn each_once<T: Serialize>(mut all: Vec<T>) -> Option<Vec<T>> {
    let mut seen = HashSet::new();
    all.retain(|one| serde_json::to_string(one).is_ok_and(|text| seen.insert(text)));
    (!all.is_empty()).then_some(all)
}

fn location(span: &SourceSpan, label: Option<&String>) -> Location {
    let mut physical = PhysicalLocation::builder().artifact_location(artifact(&span.path)).build();
    physical.region = region(span);
    let mut location = Location::builder().physical_location(physical).build();
    location.message = label.map(|label| message(label));
    location
}

fn region(span: &SourceSpan) -> Option<Region> {
    let start = span.start?;
    let mut region = Region::builder().start_line(start.line).start_column(start.column).build();
    if let Some(end) = span.end {
        region.end_line = Some(i64::from(end.line));
        region.end_column = Some(i64::from(end.column));
    }
    if let Some(bytes) = span.bytes {
        region.byte_offset = i64::try_from(bytes.start).ok();
        region.byte_length = i64::try_from(bytes.len()).ok();
    }
    region.snippet = span.line_text.as_ref().map(|text| content(text));
    Some(region)
}

// All of a suggestion or none of it: an edit without a place would replace the whole file.
fn fix(suggestion: &Suggestion) -> Option<Fix> {
    let mut changes: Vec<ArtifactChange> = Vec::new();
    let mut by_path: BTreeMap<&str, usize> = BTreeMap::new();
    for edit in &suggestion.edits {
        let mut deleted = region(&edit.span)?;
        deleted.snippet = None;
        let replacement = Replacement::builder()
            .deleted_region(deleted)
            .inserted_content(content(&edit.replacement))
            .build();
        let index = *by_path.entry(&edit.span.path).or_insert_with(|| {
            let location = artifact(&edit.span.path);
            changes.push(ArtifactChange::builder().artifact_location(location).build());
            changes.len() - 1
        });
        changes[index].replacements.push(replacement);
    }
    let applicability = serde_json::to_value(suggestion.applicability).unwrap_or(Value::Null);
    let whole = !changes.is_empty();
    whole.then(|| {
        Fix::builder()
            .artifact_changes(changes)
            .description(message(&suggestion.message))
            .properties(bag("applicability", applicability))
            .build()
    })
}

fn artifact(path: &str) -> ArtifactLocation {
    ArtifactLocation::builder().uri(uri(path)).build()
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

fn message(text: &str) -> Message {
    Message::builder().text(text).build()
}

fn content(text: &str) -> ArtifactContent {
    ArtifactContent::builder().text(text).build()
}

fn bag(key: &str, value: Value) -> PropertyBag {
    let properties = BTreeMap::from([(key.to_owned(), value)]);
    PropertyBag::builder().additional_properties(properties).build()
}
