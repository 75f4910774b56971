//! Which variables programs are given: the everyday ones, those of the setting, those of the flags.
//!
//! In: the user's variables, the setting `run_environment`, the flags `--env`. Out: names with values,
//! and a line on standard error for each secret that the setting does not pass. Never passes a secret
//! that no flag names.

use crate::failure::Failure;
use crate::settings::Settings;
use crate::{change, environment, output};
use salve_engine::host::{RunVariables, VariableError, run_variables};

/// Chooses the variables of a run or a check.
pub(crate) fn chosen(
    settings: &Settings,
    flags: &[(String, Option<String>)],
) -> Result<RunVariables, Failure> {
    let setting = &settings.run_environment.value;
    let chosen = run_variables(&environment::all(), setting, flags).map_err(|error| {
        let hint = match &error {
            VariableError::NotSet { name } => format!("Give it a value: `--env {name}=VALUE`"),
            _ => "Use `--env NAME` or `--env NAME=VALUE`.".to_owned(),
        };
        Failure::from(error).hint(hint)
    })?;
    for name in &chosen.withheld {
        output::story(&format!(
            "note: `{}` looks like a secret and is not passed by a setting; `--env {0}` passes it\n",
            change::visible(name)
        ));
    }
    Ok(chosen)
}
