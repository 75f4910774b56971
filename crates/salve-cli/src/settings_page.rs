//! Compares `docs/settings.md` with the code, field by field.
//!
//! In: the page, and what the readers of the files say they expect. Out: nothing but passed tests.

use crate::chat_settings::{ChatSettings, UploadsTable};
use crate::gateway_settings::GatewaySettings;
use crate::settings::ConfigFile;
use crate::trust::Trusted;
use crate::unguarded::Agreement;
use crate::workspace_config::ProfileFile;
use salve_check::{ArgsSince, Registry, RuleSource, UserRules};
use salve_engine::heal::AgentSettings;
use salve_engine::knowledge::KnowledgeSettings;
use salve_model::{
    BudgetLimits, BudgetSettings, LongPrice, ModelEntry, Price, ProviderSettings, RoleSettings,
};
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

// What the reader of a rule or of a toolchain expects in place of what is not there.
fn keys_of_rule(text: &str) -> BTreeSet<String> {
    let refused = UserRules::load(&format!("[[rule]]\n{text}"), RuleSource::User).err();
    named_in(&refused.map(|error| error.to_string()).unwrap_or_default())
}

fn keys_of_toolchain(text: &str) -> BTreeSet<String> {
    let text = format!("[[toolchain]]\ntarget_id = 'x'\n{text}");
    let refused = Registry::built_in().register_toml(&text).err();
    named_in(&refused.map(|error| error.to_string()).unwrap_or_default())
}

fn section(heading: &str) -> &'static str {
    let mut sections = PAGE.split("\n## ");
    sections.find(|section| section.lines().next() == Some(heading)).unwrap_or_default()
}

fn rows(heading: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = section(heading).lines().filter_map(|line| line.strip_prefix("| `"));
    lines.filter_map(|row| row.split_once('`'))
}

fn documented(heading: &str) -> BTreeSet<String> {
    rows(heading).map(|(key, _)| key.to_owned()).collect()
}

#[test]
fn the_page_documents_every_setting_every_rule_field_and_every_toolchain_field() {
    let unknown = "no_such_key = 1";
    for (heading, keys) in [
        ("Settings", keys_of::<ConfigFile>()),
        ("Gateway", keys_of::<GatewaySettings>()),
        ("Chat", keys_of::<ChatSettings>()),
        ("Uploads", keys_of::<UploadsTable>()),
        ("Provider", keys_of::<ProviderSettings>()),
        ("Roles", keys_of::<RoleSettings>()),
        ("Model", keys_of::<ModelEntry>()),
        ("Price", keys_of::<Price>()),
        ("Price of a long prompt", keys_of::<LongPrice>()),
        ("Budget", keys_of::<BudgetSettings>()),
        ("Limits of a budget", keys_of::<BudgetLimits>()),
        ("Agents", keys_of::<AgentSettings>()),
        ("Knowledge", keys_of::<KnowledgeSettings>()),
        ("Rules", keys_of_rule(unknown)),
        ("Toolchains", keys_of_toolchain(unknown)),
        ("Markers", keys_of_toolchain("markers = [{ no_such_key = 1 }]")),
        ("Declares", keys_of_toolchain("markers = [{ file = 'x', declares = [{ no = 'x' }] }]")),
        ("Since", keys_of::<ArgsSince>()),
        ("Trust", keys_of::<Trusted>()),
        ("Unguarded", keys_of::<Agreement>()),
        ("Profiles", keys_of::<ProfileFile>()),
    ] {
        assert!(!keys.is_empty(), "{heading}: the reader names no keys");
        assert_eq!(documented(heading), keys, "the section `{heading}` of docs/settings.md");
    }
}

#[test]
fn the_page_documents_every_value_of_a_field_that_has_few() {
    let rule = |field: &str| {
        let rest = if field == "decision" { "" } else { "decision = 'allow'\n" };
        keys_of_rule(&format!("prefix = ['x']\n{rest}{field} = 'no_such_value'"))
    };
    let toolchain = |field: &str| keys_of_toolchain(&format!("{field} = 'no_such_value'"));
    let setting = |field: &str| {
        let refused = toml::from_str::<ConfigFile>(&format!("{field} = 'no_such_value'")).err();
        named_in(&refused.map(|error| error.to_string()).unwrap_or_default())
    };
    let knowledge = |field: &str| {
        let text = format!("{field} = 'no_such_value'");
        let refused = toml::from_str::<KnowledgeSettings>(&text).err();
        named_in(&refused.map(|error| error.to_string()).unwrap_or_default())
    };
    for (heading, field, values) in [
        ("Knowledge", "share", knowledge("share")),
        ("Settings", "sentinel", setting("sentinel")),
        ("Settings", "strictness", setting("strictness")),
        ("Rules", "decision", rule("decision")),
        ("Rules", "risk", rule("risk")),
        ("Toolchains", "parser", toolchain("parser")),
        ("Toolchains", "phase", toolchain("phase")),
        ("Toolchains", "unit", toolchain("unit")),
        ("Toolchains", "fail_on", toolchain("fail_on")),
    ] {
        assert!(values.len() > 1, "{field}: the reader names no values");
        let (_, row) = rows(heading).find(|(key, _)| *key == field).unwrap_or_default();
        let said: BTreeSet<String> = row.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        assert_eq!(said, values, "`{field}` of docs/settings.md");
    }
}

#[test]
fn every_file_that_is_read_or_written_is_on_the_page() {
    let first = PAGE.split("\n## ").next().unwrap_or_default();
    for file in [
        "config.toml",
        "rules.toml",
        "profiles.toml",
        "approvals.toml",
        "trust.toml",
        "unguarded.toml",
        "salve.toml",
        "salve-rules.toml",
        "salve.rules",
    ] {
        assert!(first.contains(&format!("`{file}`")), "{file}");
    }
}
