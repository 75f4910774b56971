//! Settings: levels, origins, and what a workspace may not do.
//!
//! In: configuration files and variables. Out: which value is in force. Never the machine's own.

use crate::run::{folder, salve_in, write};

#[test]
fn every_level_overrides_the_one_below_and_says_so() {
    let place = folder("levels");
    write(&place.join("salve/config.toml"), "tail_characters = 200\nsentinel = 'none'\n");
    write(&place.join("salve.toml"), "sentinel = 'required'\n");
    let arguments = ["config", "show", "--origin", "--format", "json"];
    let shown = salve_in(&arguments, "", &place, &[("SALVE_ENFORCEMENT", "observe")]).json();
    assert_eq!(shown["tail_characters"]["value"], "200");
    assert!(shown["tail_characters"]["origin"].as_str().unwrap().starts_with("user file"));
    assert_eq!(shown["sentinel"]["value"], "required");
    assert!(shown["sentinel"]["origin"].as_str().unwrap().starts_with("workspace file"));
    assert_eq!(shown["enforcement"]["value"], "observe");
    assert_eq!(shown["enforcement"]["origin"], "SALVE_ENFORCEMENT");
    assert_eq!(shown["sentinel_mark"]["origin"], "built in");
}

#[test]
fn a_workspace_can_only_tighten() {
    let place = folder("tighten");
    write(&place.join("salve.toml"), "enforcement = 'observe'\nresume_template = 'evil.txt'\n");
    let ended = salve_in(&["inspect", "--lang", "rust"], "fn f() {", &place, &[]);
    assert_eq!(ended.code, Some(1));
    let shown = salve_in(&["config", "show"], "", &place, &[]);
    assert_eq!(shown.err.matches("a workspace can only tighten").count(), 2, "{}", shown.err);
}

#[test]
fn a_bad_file_or_variable_is_exit_code_2_and_named() {
    let place = folder("bad");
    write(&place.join("salve/config.toml"), "sentinal = 'none'\n");
    let ended = salve_in(&["config", "show"], "", &place, &[]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.err.contains("config.toml") && ended.err.contains("sentinal"), "{}", ended.err);
    let other = folder("bad_variable");
    let ended = salve_in(&["config", "show"], "", &other, &[("SALVE_SENTINEL", "maybe")]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.err.contains("optional"), "{}", ended.err);
}
