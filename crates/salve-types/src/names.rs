//! The names of jobs, flows and steps.
//!
//! In: text from people or flows. Out: names that are safe in keys, paths and terminals. Never longer
//! than every store allows.

use serde::{Deserialize, Serialize};
use std::fmt;

const LONGEST: usize = 200;

/// A name that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{name}` cannot name a {what}: use 1 to {LONGEST} letters, digits, `.`, `_`, `-`{}",
    if *.what == "job" { " or `/`" } else { "" }
)]
pub struct BadName {
    name: String,
    what: &'static str,
}

fn checked(what: &'static str, name: &str, slash: bool) -> Result<String, BadName> {
    let fits = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c) || (slash && c == '/');
    if name.is_empty() || name.len() > LONGEST || !name.chars().all(fits) {
        return Err(BadName { name: name.chars().take(40).collect(), what });
    }
    Ok(name.to_owned())
}

/// The name of a job. A child's is its parent's, a slash, and its own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct JobId(String);

impl JobId {
    /// Takes a name.
    ///
    /// # Errors
    /// When it is empty, too long, or has other characters than letters, digits, `.`, `_`, `-`, `/`.
    pub fn new(name: &str) -> Result<Self, BadName> {
        let parts_are_named = name.split('/').all(|part| !part.is_empty());
        if !parts_are_named {
            return Err(BadName { name: name.chars().take(40).collect(), what: "job" });
        }
        checked("job", name, true).map(Self)
    }

    /// Makes the name of a number: its 32 hexadecimal digits, which sort as the numbers do.
    pub fn of_number(number: u128) -> Self {
        Self(format!("{number:032x}"))
    }

    /// Names a child.
    ///
    /// # Errors
    /// When the child's own part cannot be used, or both together are too long.
    pub fn child(&self, name: &str) -> Result<Self, BadName> {
        Self::new(&format!("{}/{name}", self.0))
    }

    /// Returns the parent's name.
    pub fn parent(&self) -> Option<Self> {
        self.0.rsplit_once('/').map(|(parent, _)| Self(parent.to_owned()))
    }

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for JobId {
    type Error = BadName;

    fn try_from(name: String) -> Result<Self, BadName> {
        Self::new(&name)
    }
}

impl From<JobId> for String {
    fn from(id: JobId) -> Self {
        id.0
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(&self.0)
    }
}

/// The name and version of a flow, as in `Generate@1`. A flow that is changed gets a new version:
/// jobs that began under the old one are replayed by the old one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FlowName {
    name: String,
    version: u32,
}

impl FlowName {
    /// Takes a name and a version.
    ///
    /// # Errors
    /// When the name cannot be used.
    pub fn new(name: &str, version: u32) -> Result<Self, BadName> {
        Ok(Self { name: checked("flow", name, false)?, version })
    }

    /// Returns the name without the version.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the version.
    pub const fn version(&self) -> u32 {
        self.version
    }
}

impl TryFrom<String> for FlowName {
    type Error = BadName;

    fn try_from(text: String) -> Result<Self, BadName> {
        let split = text.rsplit_once('@');
        match split.and_then(|(name, version)| Some((name, version.parse().ok()?))) {
            Some((name, version)) => Self::new(name, version),
            None => Err(BadName { name: text.chars().take(40).collect(), what: "flow" }),
        }
    }
}

impl From<FlowName> for String {
    fn from(flow: FlowName) -> Self {
        flow.to_string()
    }
}

impl fmt::Display for FlowName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(&format!("{}@{}", self.name, self.version))
    }
}

/// The name of a step.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct StepName(String);

impl StepName {
    /// Takes a name.
    ///
    /// # Errors
    /// When it cannot be used.
    pub fn new(name: &str) -> Result<Self, BadName> {
        checked("step", name, false).map(Self)
    }

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for StepName {
    type Error = BadName;

    fn try_from(name: String) -> Result<Self, BadName> {
        Self::new(&name)
    }
}

impl From<StepName> for String {
    fn from(step: StepName) -> Self {
        step.0
    }
}

impl fmt::Display for StepName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked() {
        for bad in ["", "a b", "a\n", "é", "a//b", "/a", "a/", &"x".repeat(201), "a:b", "a@1"] {
            assert!(JobId::new(bad).is_err(), "{bad:?}");
        }
        for bad in ["", "a/b", "Generate", "Generate@", "Generate@x", "@1"] {
            assert!(FlowName::try_from(bad.to_owned()).is_err(), "{bad:?}");
        }
        let flow = FlowName::try_from("Generate@2".to_owned()).unwrap();
        assert_eq!(
            (flow.name(), flow.version(), &*flow.to_string()),
            ("Generate", 2, "Generate@2")
        );
    }

    #[test]
    fn a_child_knows_its_parent() {
        let job = JobId::new("a/b").unwrap();
        assert_eq!(job.child("c").unwrap().as_str(), "a/b/c");
        assert_eq!(job.parent(), Some(JobId::new("a").unwrap()));
        assert_eq!(JobId::new("a").unwrap().parent(), None);
    }
}
