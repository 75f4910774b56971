//! What there is to ask: providers, their keys, and who fills which role.
//!
//! In: the user's settings. Out: a row for each. Makes no call and runs nothing: whether a key is
//! right, its provider says at the first call.

use super::{Check, State};
use crate::batch::failure_text;
use crate::change::visible;
use crate::model_keys;
use crate::settings::Settings;
use salve_model::{Capabilities, ProviderSettings, Roles};

/// Lists providers and roles. Settings that cannot be read have a row of their own elsewhere.
pub(super) fn rows() -> Vec<Check> {
    let Ok(Settings { models, .. }) = Settings::load() else { return Vec::new() };
    let settings = models.settings;
    if settings.provider.is_empty() {
        let detail = "none; add a `[[provider]]` to your config.toml to heal with models";
        return vec![row("providers", State::Missing, detail)];
    }
    let mut rows: Vec<Check> = settings.provider.iter().map(provider).collect();
    let names: Vec<String> = settings.provider.iter().map(|one| one.name.clone()).collect();
    match Roles::resolve(&settings.roles, &names) {
        Ok(roles) => rows.extend(role_rows(&roles, settings.model)),
        Err(error) => rows.push(row("roles", State::Fail, &error.to_string())),
    }
    rows
}

fn provider(settings: &ProviderSettings) -> Check {
    let name = format!("provider {}", settings.name);
    let place = match settings.provider(None) {
        Ok(made) => format!("{} at {}", made.dialect.name(), made.base_url),
        Err(unknown) => return row(&name, State::Fail, &unknown.to_string()),
    };
    match settings.key_source().as_ref().map(model_keys::look) {
        None => row(&name, State::Ok, &format!("{place}; no key needed")),
        Some(Ok(found)) => row(&name, State::Ok, &format!("{place}; {found}")),
        Some(Err(failure)) => {
            let why = failure_text(&failure);
            row(&name, State::Missing, &format!("{place}; no key: {why}"))
        }
    }
}

fn role_rows(roles: &Roles, entries: Vec<salve_model::ModelEntry>) -> Vec<Check> {
    let capabilities = Capabilities::built_in().with(entries);
    roles
        .iter()
        .map(|(role, choice)| {
            let model = capabilities.full_name(&choice.model);
            let known = if capabilities.of(model).known { "" } else { "; not in the table" };
            let detail = format!("{model} at {}{known}", choice.provider);
            row(&format!("role {}", role.name()), State::Ok, &detail)
        })
        .collect()
}

fn row(name: &str, state: State, detail: &str) -> Check {
    Check { name: visible(name), state, detail: visible(detail) }
}
