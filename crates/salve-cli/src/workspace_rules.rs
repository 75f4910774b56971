//! The rules of a workspace that its user trusts.
//!
//! In: a workspace. Out: the rules of `salve.rules/`, and for each file that cannot be used, which and why. A
//! file that is broken is passed over by name, the others count. Never reads one before `salve trust` bound it
//! by its content.

use crate::failure::Failure;
use crate::trust::{RULE_FOLDER, Standing, TrustList, rule_files};
use salve_engine::knowledge::{FixRule, read_rule};
use std::path::Path;

/// The rules of a workspace, and what a person should know of them.
#[derive(Debug, Default)]
pub(crate) struct WorkspaceRules {
    pub(crate) rules: Vec<FixRule>,
    /// Files that do not count, and why.
    pub(crate) warnings: Vec<String>,
}

/// Reads the rules that count in a workspace.
pub(crate) fn trusted_rules(workspace: &Path) -> Result<WorkspaceRules, Failure> {
    let files = rule_files(workspace)?;
    if files.is_empty() {
        return Ok(WorkspaceRules::default());
    }
    let why = match TrustList::load()?.standing(workspace)? {
        Standing::Trusted => None,
        Standing::Unknown => Some("this workspace is not trusted"),
        Standing::Changed(_) => Some("they changed since they were trusted"),
    };
    let mut found = WorkspaceRules::default();
    if let Some(why) = why {
        found.warnings.push(format!(
            "the rules of `{RULE_FOLDER}` do not count: {why}; `salve trust add` shows them and asks"
        ));
        return Ok(found);
    }
    for name in files {
        let read =
            std::fs::read_to_string(workspace.join(&name)).map_err(|error| error.to_string());
        match read.and_then(|text| read_rule(&text).map_err(|error| error.to_string())) {
            Ok((rule, _)) => found.rules.push(rule),
            Err(why) => {
                found.warnings.push(format!("`{name}` is no rule and does not count: {why}"));
            }
        }
    }
    Ok(found)
}
