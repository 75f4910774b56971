//! What the workbench asks of the command line.
//!
//! In: the user's files and environment, read each time, so that a changed setting counts at once. Out: values. Never
//! anything that a file of the workspace could loosen.

use crate::arguments::{ReportArguments, TreeArguments};
use crate::commands::chat::TurnSettings;
use crate::commands::{doctor, report};
use crate::failure::Failure;
use crate::settings::Settings;
use crate::settings_change::{self, SettingChange};
use crate::{batch, environment, workspace_config};
use salve_check::{ListEntry, RiskClass, entries_to_add, show_entries};
use salve_engine::facts::{CommandPaths, RepositoryFacts, judge_line};
use salve_engine::host::Place;
use salve_engine::session::TurnInput;
use salve_serve::workbench::{
    CommandChoice, DoctorRow, HostFault, SettingChanged, SettingRow, WorkbenchHost,
};
use salve_tree::Root;
use salve_types::Timestamp;
use std::sync::{Mutex, PoisonError};

/// What the workbench asks of the command line.
pub(super) struct ServeHost {
    pub(super) place: Place,
    pub(super) practice: bool,
    /// The last change of a setting.
    pub(super) changed: Mutex<Option<SettingChange>>,
}

impl ServeHost {
    // Whether a line is on a list, and the entries that would put it there.
    fn judged(&self, line: &str) -> Result<(bool, Vec<ListEntry>), Failure> {
        let configured = workspace_config::open(&self.place.root)?;
        let root = Root::open(&self.place.root)?;
        let rules = &configured.workspace.policy;
        let judged = judge_line(line, rules, &root, &self.place.here);
        let paths = CommandPaths::from_here(&root, &judged.here);
        let repository = RepositoryFacts::of(&self.place.root.join(&judged.here));
        let entries = entries_to_add(&judged.line, RiskClass::Write, rules, &paths, &repository);
        Ok((judged.verdict.allow, entries.unwrap_or_default()))
    }

    fn settings_here(&self) -> Result<Settings, Failure> {
        Settings::load_for(Some(&self.place.folder()))
    }
}

fn fault(failure: &Failure) -> HostFault {
    HostFault(batch::failure_text(failure))
}

impl WorkbenchHost for ServeHost {
    fn now(&self) -> Timestamp {
        environment::now()
    }

    fn turn(&self) -> Result<TurnInput, HostFault> {
        let settings = self.settings_here().map_err(|failure| fault(&failure))?;
        if !self.practice && settings.models.settings.provider.is_empty() {
            return Err(HostFault(
                "no model is configured: add a `[[provider]]` and `[roles]` to your own config.toml (docs/models.md), \
                 or start `salve serve` without a folder for the practice model"
                    .to_owned(),
            ));
        }
        let mut turn = TurnSettings::attended(&self.place).map_err(|failure| fault(&failure))?;
        if self.practice {
            turn.for_practice();
        }
        Ok(turn.input(&self.place))
    }

    fn settings(&self) -> Result<Vec<SettingRow>, HostFault> {
        let settings = self.settings_here().map_err(|failure| fault(&failure))?;
        let row = |(name, value, origin): (String, String, String)| SettingRow {
            choices: settings_change::choices(&name).iter().map(ToString::to_string).collect(),
            name,
            value,
            origin,
        };
        Ok(settings.rows().into_iter().map(row).collect())
    }

    fn change_setting(&self, name: &str, value: &str) -> Result<(), HostFault> {
        let change = settings_change::change(name, value).map_err(|failure| fault(&failure))?;
        *self.changed.lock().unwrap_or_else(PoisonError::into_inner) = Some(change);
        Ok(())
    }

    fn changed_setting(&self) -> Option<SettingChanged> {
        let changed = self.changed.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
        let SettingChange { name, before, after, path, .. } = changed;
        Some(SettingChanged { name, before, after, file: path.display().to_string() })
    }

    fn undo_setting(&self) -> Result<bool, HostFault> {
        let mut changed = self.changed.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(change) = changed.take() else { return Ok(false) };
        settings_change::undo(&change).map_err(|failure| fault(&failure))?;
        Ok(true)
    }

    fn doctor(&self) -> Vec<DoctorRow> {
        let row = |(name, state, detail)| DoctorRow { name, state, detail, hint: None };
        doctor::facts().into_iter().map(row).collect()
    }

    fn choices(&self, line: &str) -> Result<CommandChoice, HostFault> {
        let (allowed, entries) = self.judged(line).map_err(|failure| fault(&failure))?;
        let entries = (!entries.is_empty()).then(|| show_entries(&entries));
        Ok(CommandChoice { allowed, entries })
    }

    fn allow(&self, line: &str) -> Result<(), HostFault> {
        let (_, entries) = self.judged(line).map_err(|failure| fault(&failure))?;
        if entries.is_empty() {
            return Err(HostFault("no entry of the list would allow this command".to_owned()));
        }
        workspace_config::approve(&self.place.root, entries).map_err(|failure| fault(&failure))
    }

    fn report(&self, text: &str) -> Result<serde_json::Value, HostFault> {
        let mut tree = TreeArguments { place: Default::default(), wait: 10 };
        tree.place.directory = Some(self.place.folder());
        tree.place.root = Some(self.place.root.clone());
        let arguments = ReportArguments { tree, no_model: self.practice };
        report::take(&arguments, text).map_err(|failure| fault(&failure))
    }
}
