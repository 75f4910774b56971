//! Real build tools in a shadow: each candidate is built as what it is, and stands on what the baseline
//! built.

use crate::machine;
use salve_check::{
    CheckOptions, CheckReport, CheckVerdict, Registry, Shadow, ShadowLayer, ShadowOptions, check,
    check_command,
};
use std::collections::BTreeMap;

const MANIFEST: &str = "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";

#[test]
#[expect(clippy::disallowed_methods, reason = "the test's own files")]
fn h03_every_candidate_is_built_as_what_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap().join("small");
    std::fs::create_dir_all(root.join("src")).unwrap();
    std::fs::write(root.join("Cargo.toml"), MANIFEST).unwrap();
    std::fs::write(root.join(".gitignore"), "target\n").unwrap();
    std::fs::write(root.join("src/lib.rs"), "mod a;\npub fn one() -> u8 { a::two() }\n").unwrap();
    std::fs::write(root.join("src/a.rs"), "pub fn one() -> u8 { 1 }\n").unwrap();
    let runner = machine::options(&root);
    let private = folder.path().join("private");
    let shadow = Shadow::open(ShadowOptions { runner, private }).unwrap();
    let registry = Registry::built_in();
    let options =
        CheckOptions { targets: vec!["cargo-check".to_owned()], ..CheckOptions::default() };
    let look = |layer: &ShadowLayer<'_>| check(&root, &options, &registry, layer).unwrap();
    let places = |report: &CheckReport| -> Vec<String> {
        let spans = report.diagnostics().filter_map(|one| one.primary());
        let mut places: Vec<String> = spans
            .map(|span| format!("{}:{}", span.path, span.start.map_or(0, |start| start.line)))
            .collect();
        places.dedup();
        places
    };
    let baseline = look(&shadow.baseline().unwrap());
    assert_eq!(places(&baseline), ["src/lib.rs:2"]);
    let candidate = |files: &[(&str, Option<&str>)]| {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.map(str::to_owned)));
        shadow.candidate(&files.collect::<BTreeMap<_, _>>()).unwrap()
    };
    // As long as the text before, so that nothing but the time tells them apart.
    let green = candidate(&[("src/a.rs", Some("pub fn two() -> u8 { 1 }\n"))]);
    assert_eq!(look(&green).verdict(), CheckVerdict::Green);
    let argv = ["cargo", "test", "--offline", "--quiet"].map(str::to_owned);
    let tests = check_command(&argv, &root, "", &options, &green).unwrap();
    assert_eq!(tests.verdict(), CheckVerdict::Green, "{}", tests.stderr());
    let red = candidate(&[("src/a.rs", Some("\n\npub fn two() -> u8 { '1' }\n"))]);
    assert_eq!(places(&look(&red)), ["src/a.rs:3"]);
    let run = check_command(&argv, &root, "", &options, &red).unwrap();
    let spans = run.diagnostics().iter().filter_map(|one| one.primary());
    let lines: Vec<_> = spans.map(|span| span.line_text.clone().unwrap_or_default()).collect();
    assert!(run.is_red() && lines.iter().any(|line| line.contains("'1'")), "{lines:?}");
    let gone = candidate(&[("src/a.rs", None)]);
    assert_eq!(places(&look(&gone)).first().map(String::as_str), Some("src/lib.rs:1"));
    let entries = std::fs::read_dir(&root).unwrap().flatten();
    let names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
    assert!(!names.iter().any(|name| name == "target" || name == "Cargo.lock"), "{names:?}");
    assert_eq!(green.written().unwrap(), [""; 0]);
    assert_eq!(shadow.baseline().unwrap().written().unwrap(), ["Cargo.lock"]);
    assert_eq!(shadow.tree_changes().unwrap(), [""; 0]);
}
