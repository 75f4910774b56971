//! Workspaces as heals open them in this process.
//!
//! In: the root that a heal names. Out: the parts that work there, by the configuration of this user. A
//! command holds the workspace's lock itself; a worker takes it with each workspace it opens. Never opens
//! one that another process heals.

use crate::failure::Failure;
use crate::settings::Settings;
use crate::workspace_rules::trusted_rules;
use crate::{host, output, run_environment, workspace_config};
use salve_engine::heal::{AgentSettings, HealLock, HealParts, Locking, RepairError};
use salve_engine::jobs::HealHost;
use salve_engine::knowledge::FixRule;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Opens the workspace of one command, which holds its lock.
pub(crate) struct CommandHost {
    /// Variables the programs of a check get.
    pub(crate) environment: Vec<(String, String)>,
}

impl HealHost for CommandHost {
    fn open(&self, root: &Path) -> Result<HealParts, RepairError> {
        let configured = workspace_config::open(root).map_err(|failure| unusable(&failure))?;
        let settings = Settings::load_for(Some(root)).map_err(|failure| unusable(&failure))?;
        Ok(HealParts {
            workspace: configured.workspace,
            environment: self.environment.clone(),
            lock: None,
            knowledge: settings.knowledge.value.clone(),
            agents: agents(settings),
            redact: Arc::new(host::redactor()),
            rules: rules(root).map_err(|failure| unusable(&failure))?,
        })
    }
}

/// Opens the workspaces of a worker.
pub(crate) struct WorkerHost {
    /// Where the roots with a name are.
    pub(crate) roots: BTreeMap<String, PathBuf>,
}

impl HealHost for WorkerHost {
    fn open(&self, root: &Path) -> Result<HealParts, RepairError> {
        let named = root.to_str().and_then(|name| self.roots.get(name));
        let root = named.map_or(root, PathBuf::as_path).canonicalize()?;
        let lock = match HealLock::take(&root)? {
            Locking::Taken(lock) => lock,
            Locking::Held { process } => return Err(RepairError::Busy { process }),
        };
        let opened = || -> Result<HealParts, Failure> {
            let settings = Settings::load_for(Some(&root))?;
            let environment = run_environment::chosen(&settings, &[])?.values;
            let workspace = workspace_config::open(&root)?.workspace;
            Ok(HealParts {
                workspace,
                environment,
                lock: Some(lock),
                knowledge: settings.knowledge.value.clone(),
                agents: agents(settings),
                redact: Arc::new(host::redactor()),
                rules: rules(&root)?,
            })
        };
        opened().map_err(|failure| unusable(&failure))
    }
}

// What does not count is said, and does not keep the rest from it.
fn rules(root: &Path) -> Result<Vec<FixRule>, Failure> {
    let found = trusted_rules(root)?;
    found.warnings.iter().for_each(|warning| output::story(&format!("note: {warning}\n")));
    Ok(found.rules)
}

fn agents(settings: Settings) -> Vec<AgentSettings> {
    settings.agents.into_iter().map(|agent| agent.value).collect()
}

fn unusable(failure: &Failure) -> RepairError {
    RepairError::Io(failure.message())
}
