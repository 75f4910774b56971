//! Providers, roles and budgets in the settings, and their keys.
//!
//! In: configuration files of a user and of a workspace. Out: what is shown of them. Never a key,
//! and never a call to anybody.

use crate::run::{folder, salve_in, write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const USER: &str = r#"
[[provider]]
name = "xai"

[[provider]]
name = "mine"
dialect = "chat"
base_url = "http://127.0.0.1:9/v1"
key = { file = "KEYFILE" }

[roles]
preset = "grok"
deep = "mine/big"

[budget.day]
money = "2.50"
tokens = 100000
"#;

fn place(name: &str, mode: u32) -> std::path::PathBuf {
    let place = folder(name);
    let key = place.join("key");
    write(&key, "sk-planted-in-a-file\n");
    let mode = std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(&key, mode).expect("it is ours");
    let text = USER.replace("KEYFILE", &key.display().to_string());
    write(&place.join("salve/config.toml"), &text);
    place
}

fn doctor(place: &Path, variables: &[(&str, &str)]) -> Vec<String> {
    let ended = salve_in(&["doctor", "--format", "jsonl"], "", place, variables);
    assert!(!ended.out.contains("planted") && !ended.err.contains("planted"), "a key is shown");
    ended
        .lines()
        .iter()
        .map(|row| {
            let word = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
            format!("{} {}: {}", word("state"), word("name"), word("detail"))
        })
        .filter(|row| row.contains("provider") || row.contains("role "))
        .collect()
}

#[test]
fn the_users_models_are_shown_with_their_origin_and_without_keys() {
    let place = place("models_shown", 0o600);
    let shown =
        salve_in(&["config", "show", "--origin", "--format", "json"], "", &place, &[]).json();
    let value = |key: &str| shown[key]["value"].as_str().unwrap_or_default().to_owned();
    assert_eq!(value("provider.xai"), "chat at https://api.x.ai/v1, key from variable XAI_API_KEY");
    assert_eq!(value("roles.preset"), "grok");
    assert_eq!(value("roles.deep"), "mine/big");
    assert_eq!(value("budget.day.money"), "$2.50");
    assert!(shown["budget.day.money"]["origin"].as_str().unwrap().starts_with("user file"));
    assert!(!shown.to_string().contains("planted"));
}

#[test]
fn the_doctor_tells_which_keys_are_there_and_calls_nobody() {
    let here = place("models_doctor", 0o600);
    let rows = doctor(&here, &[("XAI_API_KEY", "sk-planted-in-a-variable")]);
    let found = "ok provider xai: chat at https://api.x.ai/v1; key found in variable XAI_API_KEY";
    assert!(rows.iter().any(|row| row == found), "{rows:?}");
    assert!(rows.iter().any(|row| row.starts_with("ok provider mine: ")), "{rows:?}");
    assert!(rows.contains(&"ok role fast: grok-3-mini at xai".to_owned()), "{rows:?}");
    assert!(rows.iter().any(|row| row.starts_with("ok role deep: big at mine")), "{rows:?}");

    let rows = doctor(&here, &[("XAI_API_KEY", "")]);
    assert!(rows.iter().any(|row| row.contains("the variable XAI_API_KEY is not set")), "{rows:?}");

    let open = place("models_open_key", 0o644);
    let rows = doctor(&open, &[]);
    let missing = "missing provider mine: ";
    let row = rows.iter().find(|row| row.starts_with(missing)).unwrap();
    assert!(row.contains("chmod 600"), "{row}");
}

#[test]
fn a_workspace_has_no_say_in_models_keys_and_budgets() {
    let place = folder("models_workspace");
    let text = USER.replace("KEYFILE", "/etc/passwd");
    write(&place.join("salve.toml"), &text);
    let shown = salve_in(&["config", "show", "--format", "json"], "", &place, &[]);
    for table in ["provider", "roles", "budget"] {
        assert!(shown.err.contains(&format!("`{table}` in the workspace file")), "{}", shown.err);
    }
    assert!(!shown.out.contains("provider.") && !shown.out.contains("budget."), "{}", shown.out);
    let rows = doctor(&place, &[]);
    assert!(rows.iter().all(|row| !row.contains("mine")), "{rows:?}");
}

#[test]
fn a_key_written_into_the_settings_is_refused_and_not_repeated() {
    let place = folder("models_key_inline");
    let text = "[[provider]]\nname = 'xai'\nkey = 'sk-planted'\n";
    write(&place.join("salve/config.toml"), text);
    let ended = salve_in(&["config", "show"], "", &place, &[]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.err.contains("environment"), "{}", ended.err);
    assert!(!ended.err.contains("planted"), "{}", ended.err);
}
