//! What the engine carries for us: inputs, results and signals as text, with what must go with them.
//!
//! In: values of flows and steps. Out: text for the engine's history, and back. Never more than a
//! history should hold: larger ones are refused with their size.

use crate::{CallKey, FlowName, JobError, JobsError, Json, Needs, StepError};
use serde::{Deserialize, Serialize};

/// The most bytes of one input, result or signal.
pub(crate) const MOST_BYTES: usize = 64 * 1024;

/// The input of a job, as the engine keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct FlowInput {
    /// What its steps need of a worker.
    #[serde(default, skip_serializing_if = "Needs::is_nothing")]
    pub(super) needs: Needs,
    /// The flow with its version; written for children, whose parents' histories lack the version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) flow: Option<FlowName>,
    /// The signals that were heard before the job began again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) heard: Vec<String>,
    /// What its flow is given.
    pub(super) input: Json,
}

/// The input of an attempt at a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct StepInput {
    /// By what a paid call of it is known.
    pub(super) key: CallKey,
    /// Which attempt, from 1.
    pub(super) attempt: u32,
    /// Its place in the flow, from 1.
    pub(super) position: u32,
    /// What the step is given.
    pub(super) input: Json,
}

/// A signal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Told {
    /// By what the same signal is known again.
    pub(super) id: String,
    /// What it says.
    pub(super) payload: Json,
}

/// Turns a value into text, if it is small enough.
pub(super) fn text_of(what: &'static str, value: &impl Serialize) -> Result<String, JobsError> {
    let text = serde_json::to_string(value)
        .map_err(|error| JobsError::database("write a value", error))?;
    check_size(what, text.len())?;
    Ok(text)
}

/// Refuses what is too large.
pub(crate) fn check_size(what: &'static str, bytes: usize) -> Result<(), JobsError> {
    if bytes > MOST_BYTES {
        return Err(JobsError::TooLarge { what, bytes, most: MOST_BYTES });
    }
    Ok(())
}

/// Reads what a step's attempt came to.
pub(super) fn step_outcome(outcome: Result<String, String>) -> Result<Json, StepError> {
    match outcome {
        Ok(text) => serde_json::from_str(&text).map_err(|error| {
            StepError::fatal(format!("the step's result cannot be read: {error}"))
        }),
        Err(text) => Err(step_error(&text)),
    }
}

/// Reads a step's error. What is not one of ours comes from the engine, such as a panic.
pub(super) fn step_error(text: &str) -> StepError {
    serde_json::from_str(text).unwrap_or_else(|_| StepError::fatal(text))
}

/// Writes a step's error.
pub(super) fn step_error_text(error: &StepError) -> String {
    serde_json::to_string(error).unwrap_or_else(|_| error.to_string())
}

/// Reads why a child ended without a result, from what its parent was told.
pub(super) fn child_error(text: &str) -> JobError {
    if let Ok(error) = serde_json::from_str(text) {
        return error;
    }
    // Words of duroxide: it tells a parent in this way that a child was cancelled.
    match text.strip_prefix("canceled: ") {
        Some(reason) => JobError::Cancelled { reason: reason.to_owned() },
        None => JobError::Engine { message: text.to_owned() },
    }
}

/// Writes why a flow ended without a result.
pub(super) fn job_error_text(error: &JobError) -> String {
    serde_json::to_string(error).unwrap_or_else(|_| error.to_string())
}

/// Returns the hash by which the same input is known again, whatever the order of its keys.
pub(crate) fn input_hash(input: &Json) -> String {
    let mut hasher = blake3::Hasher::new();
    hash_into(&mut hasher, input);
    hasher.finalize().to_hex().to_string()
}

fn hash_into(hasher: &mut blake3::Hasher, value: &Json) {
    match value {
        Json::Array(items) => {
            hasher.update(b"[");
            for item in items {
                hash_into(hasher, item);
                hasher.update(b",");
            }
            hasher.update(b"]");
        }
        Json::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_by(|one, other| one.0.cmp(other.0));
            hasher.update(b"{");
            for (name, member) in sorted {
                hasher.update(Json::String(name.clone()).to_string().as_bytes());
                hasher.update(b":");
                hash_into(hasher, member);
                hasher.update(b",");
            }
            hasher.update(b"}");
        }
        plain => {
            hasher.update(plain.to_string().as_bytes());
        }
    }
}

/// Returns the engine's word for a version.
pub(super) fn engine_version(flow: &FlowName) -> String {
    format!("{}.0.0", flow.version())
}

/// Returns the flow of the engine's name and version, if it is one of ours.
pub(super) fn flow_name(name: &str, version: &str) -> Option<FlowName> {
    let major = version.strip_suffix(".0.0")?.parse().ok()?;
    FlowName::new(name, major).ok()
}

/// Returns the tag by which the engine finds a worker that has what is needed.
pub(super) fn tag(needs: &Needs) -> Option<String> {
    match (&needs.toolchain, &needs.root) {
        (None, None) => None,
        (Some(toolchain), None) => Some(format!("toolchain={toolchain}")),
        (None, Some(root)) => Some(format!("root={root}")),
        (Some(toolchain), Some(root)) => Some(format!("toolchain={toolchain};root={root}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_hash_of_an_input_does_not_depend_on_the_order_of_its_keys() {
        let one: Json = serde_json::from_str(r#"{"a":1,"b":[{"x":1,"y":2}]}"#).unwrap();
        let same: Json = serde_json::from_str(r#"{"b":[{"y":2,"x":1}],"a":1}"#).unwrap();
        assert_eq!(input_hash(&one), input_hash(&same));
        for other in [json!({"a":1}), json!({"a":1,"b":[{"x":2,"y":1}]}), json!([1]), json!("1")] {
            assert_ne!(input_hash(&one), input_hash(&other));
        }
        assert_ne!(input_hash(&json!([[1], 2])), input_hash(&json!([[1, 2]])));
    }

    #[test]
    fn errors_come_back_as_they_went() {
        let error = StepError::Retryable { message: "busy".into(), after: None };
        assert_eq!(step_error(&step_error_text(&error)), error);
        assert_eq!(step_error("task 1 panicked"), StepError::fatal("task 1 panicked"));
        let error = JobError::Flow { message: "no".into() };
        assert_eq!(child_error(&job_error_text(&error)), error);
        assert_eq!(
            child_error("canceled: enough"),
            JobError::Cancelled { reason: "enough".into() }
        );
    }

    #[test]
    fn versions_go_to_the_engine_and_back() {
        let flow = FlowName::new("Generate", 7).unwrap();
        assert_eq!(flow_name("Generate", &engine_version(&flow)), Some(flow));
        assert_eq!(flow_name("Generate", "1.2.3"), None);
    }
}
