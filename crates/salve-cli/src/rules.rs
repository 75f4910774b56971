//! The rules that count in a workspace: the built-in list, what people wrote, what they agreed to.
//!
//! In: `rules.toml` and `approvals.toml` in the user's configuration folder, `salve-rules.toml` in
//! the workspace. Out: one set of rules. Never lets a file of the workspace allow anything.

use crate::config_files::{self, read};
use crate::environment;
use crate::failure::Failure;
use salve_check::{Approval, Approvals, ListEntry, PolicyRules, RuleSource, Scope, UserRules};
use serde::{Deserialize, Serialize};
use std::path::Path;

const USER_RULES: &str = "rules.toml";
const USER_APPROVALS: &str = "approvals.toml";
const PROJECT_RULES: &str = "salve-rules.toml";

/// The rules of one workspace.
pub(crate) struct Rules {
    /// What the policy is told.
    pub(crate) policy: PolicyRules,
    /// Rules that do not count, in one sentence each.
    pub(crate) ignored: Vec<String>,
    approvals: Approvals,
    workspace: String,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ApprovalFile {
    #[serde(default, rename = "approval")]
    approvals: Vec<Approval>,
}

impl Rules {
    /// Reads everything that counts in a workspace, whose path has its symbolic links resolved.
    pub(crate) fn load(workspace: &Path) -> Result<Self, Failure> {
        let workspace_name = workspace.to_string_lossy().into_owned();
        let mut rules = Self {
            policy: PolicyRules::default(),
            ignored: Vec::new(),
            approvals: Approvals::default(),
            workspace: workspace_name,
        };
        rules.add_file(&workspace.join(PROJECT_RULES), RuleSource::Project)?;
        if let Some(folder) = environment::user_config_folder() {
            rules.add_file(&folder.join(USER_RULES), RuleSource::User)?;
            let path = folder.join(USER_APPROVALS);
            if let Some(text) = read(&path)? {
                let file: ApprovalFile = toml::from_str(&text).map_err(|error| {
                    Failure::new(format!("cannot use `{}`: {error}", path.display()))
                        .hint("Repair it, or remove it to be asked again.")
                })?;
                rules.approvals = Approvals::restore(file.approvals);
            }
        }
        rules.approvals.apply_to(&rules.workspace, &mut rules.policy);
        Ok(rules)
    }

    /// Remembers entries for this workspace.
    pub(crate) fn approve(&mut self, entries: Vec<ListEntry>) -> Result<(), Failure> {
        self.approvals.approve_entries(Scope::Project, &self.workspace, entries);
        let file = ApprovalFile { approvals: self.approvals.kept().cloned().collect() };
        config_files::replace(USER_APPROVALS, &toml::to_string(&file)?)
    }

    fn add_file(&mut self, path: &Path, source: RuleSource) -> Result<(), Failure> {
        let Some(text) = read(path)? else { return Ok(()) };
        let loaded = UserRules::load(&text, source)
            .map_err(|error| Failure::new(format!("cannot use `{}`: {error}", path.display())))?;
        loaded.rules.apply_to(&mut self.policy);
        let ignored = loaded.ignored.into_iter();
        self.ignored.extend(ignored.map(|why| format!("{}: {why}", path.display())));
        Ok(())
    }
}
