//! Trust: said once, bound to the bytes, taken back.
//!
//! In: a workspace that defines a command. Out: when it counts and when it asks again. Never the
//! user's own list.

use crate::run::{folder, salve_in, write};

const DEFINES: &str =
    "[[toolchain]]\ntarget_id = 'mine'\ncompile_command = 'make'\ncompile_args = ['check']\n";

#[test]
fn trust_is_bound_to_the_files_as_they_were() {
    let place = folder("trust_bound");
    write(&place.join("salve.toml"), DEFINES);
    let added = salve_in(&["trust", "add", "--yes"], "", &place, &[]);
    assert_eq!(added.code, Some(0), "{}", added.err);
    assert!(added.err.contains(r#"defines the check mine: "make" "check""#), "{}", added.err);
    let again = salve_in(&["trust", "add"], "", &place, &[]);
    assert_eq!((again.code, again.err.contains("already trusted")), (Some(0), true));
    write(&place.join("salve.toml"), &DEFINES.replace("make", "curl"));
    let listed = salve_in(&["trust", "list", "--format", "json"], "", &place, &[]).json();
    assert_eq!(listed[0]["changed"], serde_json::json!(["salve.toml"]));
    let asked = salve_in(&["trust", "add"], "", &place, &[]);
    assert_eq!(asked.code, Some(4), "{}", asked.err);
    assert!(asked.err.contains("changed since it was trusted: salve.toml"), "{}", asked.err);
}

#[test]
fn x22_without_a_yes_nothing_is_trusted() {
    let place = folder("trust_unasked");
    write(&place.join("salve.toml"), DEFINES);
    let ended = salve_in(&["trust", "add"], "", &place, &[]);
    assert_eq!(ended.code, Some(4), "{}", ended.err);
    assert_eq!(salve_in(&["trust", "list"], "", &place, &[]).out, "nothing is trusted\n");
}

#[test]
fn trust_can_be_taken_back() {
    let place = folder("trust_revoked");
    let _ = salve_in(&["trust", "add", "--yes"], "", &place, &[]);
    assert_eq!(salve_in(&["trust", "revoke"], "", &place, &[]).code, Some(0));
    let twice = salve_in(&["trust", "revoke"], "", &place, &[]);
    assert_eq!((twice.code, twice.err.contains("is not trusted")), (Some(2), true));
}

#[test]
fn the_words_of_a_workspace_are_shown_escaped() {
    let place = folder("trust_escaped");
    write(
        &place.join("salve.toml"),
        "[[toolchain]]\ntarget_id = \"a\\u001b[2Kb\"\ncompile_command = \"x\\u202ey\"\n",
    );
    let ended = salve_in(&["trust", "add"], "", &place, &[]);
    assert!(!ended.err.contains('\u{1b}') && !ended.err.contains('\u{202e}'), "{:?}", ended.err);
}

#[test]
fn an_entry_with_a_wrong_field_is_named_before_it_is_trusted() {
    let place = folder("trust_wrong");
    write(&place.join("salve.toml"), "[[toolchain]]\nname = 'mine'\ncommand = 'make'\n");
    let ended = salve_in(&["trust", "add", "--yes"], "", &place, &[]);
    assert_eq!(ended.code, Some(2), "{}", ended.err);
    assert!(ended.err.contains("name") && ended.err.contains("target_id"), "{}", ended.err);
    assert_eq!(salve_in(&["trust", "list"], "", &place, &[]).out, "nothing is trusted\n");
}
