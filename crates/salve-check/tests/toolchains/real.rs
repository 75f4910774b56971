//! The real programs, in the real sandbox, on a broken and a fixed folder each.
//!
//! In: `data/TARGET[.CASE].txt`. Out: exactly the expected errors on the broken folder, by file, line,
//! code and class, and green on the fixed one. `*` stands for whatever the program says.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a failure here is a failed test, and a skip is said aloud"
)]

use crate::archive::Archive;
use crate::machine;
use salve_check::{
    BuildProfile, CheckOptions, CheckReport, CheckRun, CheckVerdict, Registry, RunEnding,
    ToolchainError, check, sarif_log,
};
use salve_types::{Diagnostic, ErrorClass, Severity};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

#[test]
fn h04_cargo_check() {
    holds("cargo-check");
}

#[test]
fn h16_cargo_check_build() {
    holds("cargo-check.build");
}

#[test]
fn h16_cargo_check_import() {
    holds("cargo-check.import");
}

#[test]
fn h03_cargo_clippy() {
    holds("cargo-clippy");
}

#[test]
fn h01_cargo_test() {
    holds("cargo-test");
}

#[test]
fn h16_cargo_test_runtime() {
    holds("cargo-test.runtime");
}

#[test]
fn h04_rustc() {
    holds("rustc");
}

#[test]
fn h16_rustc_syntax() {
    holds("rustc.syntax");
}

#[test]
fn h02_tsc() {
    holds("tsc");
}

#[test]
fn h02_tsc_files() {
    holds("tsc-files");
}

#[test]
fn h16_tsc_files_syntax() {
    holds("tsc-files.syntax");
}

#[test]
fn h03_eslint() {
    holds("eslint");
}

#[test]
fn h16_node() {
    holds("node");
}

#[test]
fn h16_python() {
    holds("python");
}

#[test]
fn h03_ruff() {
    holds("ruff");
}

#[test]
fn h02_mypy() {
    holds("mypy");
}

#[test]
fn h02_pyright() {
    holds("pyright");
}

#[test]
fn h01_pytest() {
    holds("pytest");
}

#[test]
fn h01_pytest_deep() {
    holds("pytest.deep");
}

#[test]
fn h01_unittest() {
    holds("unittest");
}

#[test]
fn h04_go_build() {
    holds("go-build");
}

#[test]
fn h16_go_build_import() {
    holds("go-build.import");
}

#[test]
fn h03_go_vet() {
    holds("go-vet");
}

#[test]
fn h01_go_test() {
    holds("go-test");
}

#[test]
fn h01_go_test_panic() {
    holds("go-test.panic");
}

#[test]
fn h04_gcc() {
    holds("gcc");
}

#[test]
fn h16_gcc_import() {
    holds("gcc.import");
}

#[test]
fn h04_clang() {
    holds("clang");
}

#[test]
fn h04_javac() {
    holds("javac");
}

#[test]
fn h04_javac_twins() {
    holds("javac.twins");
}

#[test]
fn h16_bash() {
    holds("bash");
}

#[test]
fn h16_json_schema() {
    holds("json-schema");
}

#[test]
fn h01_npm_test() {
    holds("npm-test");
}

#[test]
fn h01_pnpm_test() {
    holds("pnpm-test");
}

#[test]
fn h01_yarn_test() {
    holds("yarn-test");
}

#[test]
fn h01_make_test() {
    holds("make-test");
}

#[test]
fn h01_make_check() {
    holds("make-check");
}

#[test]
fn h01_ctest() {
    holds("ctest");
}

#[test]
fn h01_maven_test() {
    if !machine::home().join(".m2/repository").is_dir() {
        eprintln!(
            "SKIPPED maven-test: there is no `.m2/repository` in the home, and Maven needs one"
        );
        return;
    }
    holds("maven-test");
}

#[test]
fn h01_gradle_test() {
    holds("gradle-test");
}

#[test]
fn every_built_in_toolchain_has_a_case_and_every_case_a_test() {
    let cases = cases();
    for spec in Registry::built_in().specs() {
        let covered = cases.iter().any(|case| target_of(case) == spec.target_id);
        assert!(covered, "no case for {}", spec.target_id);
    }
    for case in cases {
        let test = format!("holds(\"{case}\")");
        assert!(include_str!("real.rs").contains(&test), "no test for {case}");
    }
}

#[test]
fn h16_every_class_is_found_by_a_real_toolchain() {
    let mut of_class: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for case in cases() {
        for line in archive(&case).text("expected").unwrap().lines() {
            let class = line.rsplit(' ').next().unwrap().to_owned();
            of_class.entry(class).or_default().insert(target_of(&case).to_owned());
        }
    }
    let classes: Vec<&str> = ErrorClass::ALL.iter().map(|class| class.name()).collect();
    for class in &classes {
        assert!(of_class.contains_key(*class), "no case expects the class {class}");
    }
    assert!(of_class.keys().all(|class| class == "*" || classes.contains(&class.as_str())));
    assert!(of_class.values().flatten().collect::<BTreeSet<_>>().len() >= 6);
}

const HANGING: &str = r#"
[[toolchain]]
target_id = "hanging"
display_name = "Hanging compiler"
binary_name = "sleep"
version_args = ["--version"]
compile_command = "sleep"
compile_args = ["600"]
install_hint = "part of every system"
timeout_seconds = 1
"#;

#[test]
fn x16_a_compiler_that_hangs_is_ended_and_the_check_is_red() {
    let place = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let mut registry = Registry::empty();
    registry.register_toml(HANGING).unwrap();
    let options = CheckOptions { targets: vec!["hanging".to_owned()], ..CheckOptions::default() };
    let runner = machine::runner(place.path());
    let start = Instant::now();
    let report = check(place.path(), &options, &registry, &runner).unwrap();
    assert_eq!(report.verdict(), CheckVerdict::Red);
    assert_eq!(report.runs[0].ending(), &RunEnding::DeadlinePassed);
    assert!(start.elapsed() < Duration::from_secs(300), "far from the 600 it would have taken");
}

#[test]
fn r22_a_compiler_that_is_not_on_the_machine_is_an_error_with_its_hint() {
    let place = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let mut registry = Registry::empty();
    registry.register_toml(&HANGING.replace("\"sleep\"", "\"sleep-renamed\"")).unwrap();
    let runner = machine::runner(place.path());
    let invoked = registry.invoke("hanging", place.path(), BuildProfile::Development, &runner);
    let error = invoked.map(|_| ()).unwrap_err();
    assert!(matches!(error, ToolchainError::Missing { .. }), "{error:?}");
    assert!(error.to_string().contains("part of every system"), "{error}");
}

fn cases() -> Vec<String> {
    let files = std::fs::read_dir(data()).unwrap().flatten();
    let names = files.map(|file| file.file_name().into_string().unwrap());
    let mut cases: Vec<String> =
        names.map(|name| name.strip_suffix(".txt").unwrap().to_owned()).collect();
    cases.sort();
    cases
}

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/toolchains/data")
}

fn archive(case: &str) -> Archive {
    Archive::read(&std::fs::read_to_string(data().join(format!("{case}.txt"))).unwrap())
}

/// Returns the toolchain that a case is about.
fn target_of(case: &str) -> &str {
    case.split('.').next().unwrap()
}

/// Runs a case's toolchain on one of its folders; `None`, said aloud, when it is not installed.
fn check_case(case: &str, archive: &Archive, folder: &str) -> Option<CheckReport> {
    let place = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    archive.write(folder, place.path());
    let target = target_of(case).to_owned();
    let options = CheckOptions { targets: vec![target], ..CheckOptions::default() };
    let runner = machine::runner(place.path());
    let before = files_of(place.path());
    match check(place.path(), &options, &Registry::built_in(), &runner) {
        Ok(report) => {
            for record in report.runs.iter().flat_map(CheckRun::records) {
                assert!(record.missing_layers.is_empty(), "{case}: {:?}", record.missing_layers);
            }
            let left: Vec<_> = files_of(place.path()).difference(&before).cloned().collect();
            assert!(left.is_empty(), "{case} left {left:?} in the tree");
            Some(report)
        }
        Err(error @ ToolchainError::Missing { .. }) => {
            eprintln!("SKIPPED {case}: {error}");
            None
        }
        Err(error) => panic!("{case}: {error}"),
    }
}

fn holds(case: &str) {
    let archive = archive(case);
    let expected = archive.text("expected").unwrap();
    let Some(broken) = check_case(case, &archive, "broken") else { return };
    let errors: Vec<String> = broken
        .diagnostics()
        .filter(|diagnostic| diagnostic.severity == Severity::Error)
        .map(line)
        .collect();
    let run = &broken.runs[0];
    let story = format!("{:?}\n{}\n{}\n{errors:#?}", run.ending(), run.stdout(), run.stderr());
    assert_eq!(broken.verdict(), CheckVerdict::Red, "{case}: {story}");
    for wanted in expected.lines() {
        assert!(errors.iter().any(|error| fits(wanted, error)), "{case}: no {wanted}\n{story}");
    }
    for error in &errors {
        let known = expected.lines().any(|wanted| fits(wanted, error));
        assert!(known, "{case}: not expected: {error}\n{story}");
    }
    is_valid_sarif(case, &broken);
    let Some(fixed) = check_case(case, &archive, "fixed") else { return };
    let run = &fixed.runs[0];
    let story = format!("{}\n{}\n{:#?}", run.stdout(), run.stderr(), run.diagnostics());
    assert_eq!(fixed.verdict(), CheckVerdict::Green, "{case}, fixed: {story}");
}

fn is_valid_sarif(case: &str, report: &CheckReport) {
    let said: Vec<Diagnostic> = report.diagnostics().cloned().collect();
    let log = serde_json::from_str(&sarif_log(&said, &|_| Vec::new()).unwrap()).unwrap();
    let errors: Vec<String> = SARIF
        .iter_errors(&log)
        .map(|error| format!("{error} at {}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{case}: {errors:#?}");
}

static SARIF: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
    // The pattern of a language code has a bracket that strict dialects refuse.
    let schema = include_str!("../data/sarif/sarif-schema-2.1.0.json").replace("]?$", "\\\\]?$");
    let schema = serde_json::from_str(&schema).unwrap();
    jsonschema::options().should_validate_formats(true).build(&schema).unwrap()
});

// The form of the expected lines: `file:line code class`.
fn line(diagnostic: &Diagnostic) -> String {
    let place = diagnostic.primary().map_or_else(
        || "?:?".to_owned(),
        |span| format!("{}:{}", span.path, span.start.map_or(0, |start| start.line)),
    );
    format!("{place} {} {}", diagnostic.code.as_deref().unwrap_or("-"), diagnostic.class.name())
}

fn fits(wanted: &str, error: &str) -> bool {
    let parts = |text: &str| text.split([' ', ':']).map(str::to_owned).collect::<Vec<_>>();
    // A code may itself hold colons: the place is before it, the class after.
    let (wanted, error) = (parts(wanted), parts(error));
    wanted.len() == error.len()
        && wanted.iter().zip(&error).all(|(wanted, error)| wanted == "*" || wanted == error)
}

// What is in the folder, without what belongs to cargo, to Salve, and to its sandbox, which holds the
// place of a missing `.git` until a moment after the run.
fn files_of(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut left = vec![folder.to_owned()];
    while let Some(next) = left.pop() {
        for entry in std::fs::read_dir(next).unwrap().flatten() {
            let name = entry.file_name().to_str().unwrap().to_owned();
            if entry.file_type().unwrap().is_dir() && ![".salve", "target"].contains(&name.as_str())
            {
                left.push(entry.path());
            }
            if ![".git", ".salve", "target", "Cargo.lock"].contains(&name.as_str()) {
                found.insert(
                    entry.path().strip_prefix(folder).unwrap().to_str().unwrap().to_owned(),
                );
            }
        }
    }
    found
}
