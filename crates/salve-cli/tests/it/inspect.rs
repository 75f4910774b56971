//! `salve inspect`: verdict, formats, settings, exit codes.
//!
//! In: small texts. Out: the contract of the command. Never judges the judge.

use crate::run::{folder, salve, salve_in};
use serde_json::json;

const CUT: &str = "fn main() {\n    let s = \"abc";

#[test]
fn t01_a_cut_text_is_judged_before_anything_else() {
    let ended = salve(&["inspect", "--lang", "rust", "--format", "json"], CUT);
    assert_eq!(ended.code, Some(1));
    assert_eq!(ended.json()["isValid"], false);
}

#[test]
fn t02_the_four_names_stand_on_the_wire() {
    let verdict = salve(&["inspect", "--lang", "rust", "--format", "json"], CUT).json();
    assert_eq!(verdict["errorType"], "TRUNCATION_DETECTED");
    assert_eq!(verdict["kind"], "OPEN_DOUBLE_QUOTE");
    assert_eq!(verdict["truncationLine"], 2);
    assert!(verdict["errorMessage"].is_string());
    let whole = salve(&["inspect", "--lang", "rust", "--format", "json"], "fn main() {}\n").json();
    assert_eq!(whole["isValid"], true);
    for key in ["errorType", "errorMessage", "truncationLine", "kind"] {
        assert!(whole.get(key).is_none(), "{key} stands on a whole text");
    }
}

#[test]
fn t09_failures_have_structured_codes() {
    for text in [CUT, "fn f() { (", "let x = [1, 2"] {
        let verdict = salve(&["inspect", "--lang", "rust", "--format", "json"], text).json();
        let code = verdict["errorType"].as_str().unwrap();
        assert!(["TRUNCATION_DETECTED", "SYNTAX_ERROR"].contains(&code), "{code}");
    }
}

#[test]
fn t36_observe_gives_the_same_verdict_and_exit_code_0() {
    let enforce = salve(&["inspect", "--lang", "rust", "--format", "json"], CUT);
    let observe =
        salve(&["inspect", "--lang", "rust", "--format", "json", "--enforcement", "observe"], CUT);
    assert_eq!((enforce.code, observe.code), (Some(1), Some(0)));
    assert_eq!(enforce.json(), observe.json());
}

#[test]
fn t37_enforce_is_the_default_and_fails() {
    assert_eq!(salve(&["inspect", "--lang", "rust"], CUT).code, Some(1));
    assert_eq!(salve(&["inspect", "--lang", "rust"], "fn main() {}\n").code, Some(0));
}

#[test]
fn t41_the_sentinel_rule_comes_from_settings() {
    let place = folder("t41");
    let whole = "fn main() {}\n";
    let arguments = ["inspect", "--lang", "rust", "--format", "json", "--finish-reason", "stop"];
    let optional = salve_in(&arguments, whole, &place, &[]);
    assert_eq!(optional.code, Some(0));
    assert!(optional.out.contains("sentinel_missing"));
    let required = salve_in(&arguments, whole, &place, &[("SALVE_SENTINEL", "required")]);
    assert_eq!(required.code, Some(1));
    assert_eq!(
        required.json()["errorMessage"],
        "AI output missing completion sentinel - likely truncated"
    );
    let none = salve_in(&arguments, whole, &place, &[("SALVE_SENTINEL", "none")]);
    assert!(!none.out.contains("sentinel_missing"));
}

#[test]
fn t03_the_marker_text_is_configurable() {
    let arguments =
        ["inspect", "--lang", "python", "--sentinel", "ALL DONE", "--sentinel-rule", "required"];
    assert_eq!(salve(&arguments, "x = 1\n# ALL DONE\n").code, Some(0));
    assert_eq!(salve(&arguments, "x = 1\n").code, Some(1));
    assert_eq!(salve(&arguments, "s = '# ALL DONE'\nx = 1\n").code, Some(1));
}

#[test]
fn c259_length_on_whole_json_is_evidence_not_a_cut() {
    let arguments = ["inspect", "--lang", "json", "--finish-reason", "length", "--format", "json"];
    let whole = salve(&arguments, "{\"a\": 1}");
    assert_eq!(whole.code, Some(0));
    assert!(whole.out.contains("finish_reason"));
    assert_eq!(salve(&arguments, "{\"a\": 1").code, Some(1));
}

#[test]
fn positions_are_those_of_the_text_that_was_given() {
    let text = "Sure, here it is:\n\n```rust\nfn main() {\n    let s = \"abc";
    let verdict = salve(&["inspect", "--format", "json"], text).json();
    assert_eq!(verdict["truncationLine"], 5);
    assert_eq!(verdict["openedAtLine"], 5);
    assert_eq!(verdict["language"], "rust");
}

#[test]
fn omissions_are_findings() {
    let text = "fn a() {}\n// ... rest of the code unchanged\n";
    let ended = salve(&["inspect", "--lang", "rust", "--format", "json"], text);
    assert_eq!(ended.code, Some(1));
    assert_eq!(ended.json()["findings"][0]["code"], "OMISSION_MARKER");
}

#[test]
fn sarif_and_github_name_the_place() {
    let sarif = salve(&["inspect", "--lang", "rust", "--format", "sarif"], CUT).json();
    assert_eq!(sarif["version"], "2.1.0");
    let region = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"];
    assert_eq!(*region, json!({ "startLine": 2, "startColumn": 17 }));
    let github = salve(&["inspect", "--lang", "rust", "--format", "github"], CUT).out;
    assert!(github.starts_with("::error file=(standard input),line=2,"), "{github}");
}

#[test]
fn an_empty_standard_input_is_not_called_whole() {
    let ended = salve(&["inspect"], "");
    assert_eq!(ended.code, Some(1), "{}", ended.out);
    assert!(ended.out.contains("empty"), "{}", ended.out);
}

#[test]
fn an_absent_marker_is_told_only_to_those_who_asked_for_one() {
    let whole = "fn main() {}\n";
    let plain = salve(&["inspect", "--lang", "rust"], whole).out;
    assert!(plain.contains("whole") && !plain.contains("sentinel_missing"), "{plain}");
    let asked = salve(&["inspect", "--lang", "rust", "--sentinel", "--- DONE ---"], whole).out;
    assert!(asked.contains("sentinel_missing"), "{asked}");
}
