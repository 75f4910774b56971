//! Compares `docs/settings.md` with the code, field by field.
//!
//! In: the page, and what the readers of the files say they expect. Out: nothing but passed tests.

use crate::gateway_settings::GatewaySettings;
use crate::settings::ConfigFile;
use salve_check::{Registry, RuleSource, UserRules};
use salve_model::{BudgetSettings, ModelEntry, ProviderSettings, RoleSettings};
use serde::de::DeserializeOwned;
use std::collections::BTreeSet;

const PAGE: &str = include_str!("../../../docs/settings.md");

// A reader that is given a key it does not know names those that it does.
fn named_in(message: &str) -> BTreeSet<String> {
    let expected = message.split_once("expected").map_or("", |(_, expected)| expected);
    expected.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn keys_of<T: DeserializeOwned>() -> BTreeSet<String> {
    let error = toml::from_str::<T>("no_such_key = 1").err().map(|error| error.to_string());
    named_in(&error.unwrap_or_default())
}

fn documented(heading: &str) -> BTreeSet<String> {
    let section = PAGE.split("\n## ").find(|section| section.starts_with(heading));
    let rows = section.unwrap_or_default().lines().filter_map(|line| line.strip_prefix("| `"));
    rows.filter_map(|row| row.split_once('`')).map(|(key, _)| key.to_owned()).collect()
}

#[test]
fn the_page_documents_every_setting_every_rule_field_and_every_toolchain_field() {
    let rule = UserRules::load("[[rule]]\nno_such_key = 1", RuleSource::User)
        .err()
        .map(|error| error.to_string());
    let toolchain = Registry::built_in()
        .register_toml("[[toolchain]]\nno_such_key = 1")
        .err()
        .map(|error| error.to_string());
    for (heading, keys) in [
        ("Settings", keys_of::<ConfigFile>()),
        ("Gateway", keys_of::<GatewaySettings>()),
        ("Provider", keys_of::<ProviderSettings>()),
        ("Roles", keys_of::<RoleSettings>()),
        ("Model", keys_of::<ModelEntry>()),
        ("Budget", keys_of::<BudgetSettings>()),
        ("Rules", named_in(&rule.unwrap_or_default())),
        ("Toolchains", named_in(&toolchain.unwrap_or_default())),
    ] {
        assert!(keys.len() > 1, "{heading}: the reader names no keys");
        assert_eq!(documented(heading), keys, "the section `{heading}` of docs/settings.md");
    }
}
