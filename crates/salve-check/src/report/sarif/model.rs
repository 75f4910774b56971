//! The part of SARIF 2.1.0 that is written.
//!
//! In: values. Out: JSON by serde, fields in the order of the alphabet. Never reads: what is absent
//! here cannot be lost. The tests hold every log against the standard's schema.

use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// What the standard has no word for.
pub(super) type Properties = BTreeMap<&'static str, Value>;

#[derive(Serialize)]
pub(super) struct Log {
    #[serde(rename = "$schema")]
    pub(super) schema: &'static str,
    pub(super) runs: Vec<Run>,
    pub(super) version: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Run {
    pub(super) column_kind: &'static str,
    pub(super) results: Vec<Finding>,
    pub(super) tool: Tool,
}

#[derive(Serialize)]
pub(super) struct Tool {
    pub(super) driver: ToolComponent,
}

#[derive(Serialize)]
pub(super) struct ToolComponent {
    pub(super) name: String,
    pub(super) rules: Vec<Rule>,
}

/// A `reportingDescriptor`.
#[derive(Serialize)]
pub(super) struct Rule {
    pub(super) id: String,
}

/// A `result`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Finding {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) fixes: Vec<Fix>,
    pub(super) level: &'static str,
    pub(super) locations: Vec<Location>,
    pub(super) message: Text,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) partial_fingerprints: BTreeMap<String, String>,
    pub(super) properties: Properties,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) related_locations: Vec<Location>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rule_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rule_index: Option<usize>,
}

/// A `message`, or an `artifactContent`.
#[derive(Serialize)]
pub(super) struct Text {
    pub(super) text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<Text>,
    pub(super) physical_location: PhysicalLocation,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PhysicalLocation {
    pub(super) artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) region: Option<Region>,
}

#[derive(Serialize)]
pub(super) struct ArtifactLocation {
    pub(super) uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Region {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) byte_length: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) byte_offset: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) end_column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) end_line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) snippet: Option<Text>,
    pub(super) start_column: u32,
    pub(super) start_line: u32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Fix {
    pub(super) artifact_changes: Vec<ArtifactChange>,
    pub(super) description: Text,
    pub(super) properties: Properties,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ArtifactChange {
    pub(super) artifact_location: ArtifactLocation,
    pub(super) replacements: Vec<Replacement>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Replacement {
    pub(super) deleted_region: Region,
    pub(super) inserted_content: Text,
}
