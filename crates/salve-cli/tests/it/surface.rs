//! The rest of the surface: demo, doctor, explain, completions, man, errors.
//!
//! In: commands as a new user types them. Out: that they work and say what to do next.

use crate::run::salve;

#[test]
fn the_demo_heals_every_scene_and_says_what_to_try_next() {
    let ended = salve(&["demo"], "");
    assert_eq!(ended.code, Some(0), "{}", ended.out);
    assert!(ended.out.contains("12 of 12 healed or held back"));
    assert!(ended.out.contains("Try next"));
    assert!(!ended.out.contains('\u{1b}'), "colours on a pipe");
}

#[test]
fn the_doctor_finds_everything_working() {
    let ended = salve(&["doctor"], "");
    assert_eq!(ended.code, Some(0), "{}", ended.out);
    assert!(ended.out.contains("grammars"));
}

#[test]
fn explain_knows_codes_in_any_case_and_helps_with_unknown_ones() {
    let ended = salve(&["explain", "open-double-quote"], "");
    assert!(ended.out.contains("double quote"), "{}", ended.out);
    let unknown = salve(&["explain", "OPEN_NOTHING"], "");
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.err.contains("OPEN_"), "{}", unknown.err);
    assert!(salve(&["explain"], "").out.lines().count() > 20);
}

#[test]
fn completions_and_manual_pages_are_generated() {
    for shell in ["bash", "zsh", "fish"] {
        assert!(salve(&["completions", shell], "").out.contains("inspect"));
    }
    assert!(salve(&["man"], "").out.contains(".TH"));
    assert!(salve(&["man", "inspect"], "").out.contains("sentinel"));
    assert_eq!(salve(&["man", "nothing"], "").code, Some(2));
}

#[test]
fn bad_usage_is_exit_code_2_with_a_way_out() {
    let missing = salve(&["inspect", "no-such-file.rs"], "");
    assert_eq!(missing.code, Some(2));
    assert!(missing.err.contains("no-such-file.rs"));
    let language = salve(&["inspect", "--lang", "klingon"], "");
    assert_eq!(language.code, Some(2));
    assert!(language.err.contains("rust"));
    let format = salve(&["clean", "--format", "sarif"], "x");
    assert_eq!(format.code, Some(2));
}

#[test]
fn schemas_are_listed_shown_and_used() {
    let list = salve(&["schema", "list"], "").out;
    for name in ["CodeAndExplanation", "CodeOnly", "Preamble", "ChatResponse"] {
        assert!(list.contains(name), "{name}: {list}");
    }
    let shown = salve(&["schema", "show", "ChatResponse"], "").json();
    assert_eq!(shown["required"], serde_json::json!(["summary"]));
    let unknown = salve(&["schema", "show", "Nothing"], "");
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.err.contains("CodeOnly"), "{}", unknown.err);
}
