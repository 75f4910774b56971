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
    CheckOptions, CheckReport, CheckRun, CheckVerdict, Registry, ToolchainError, check,
};
use salve_types::{Diagnostic, ErrorClass, Severity};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

macro_rules! real_toolchains {
    ($($name:ident: $file:literal,)*) => {
        $(#[test]
        fn $name() {
            holds($file, include_str!(concat!("data/", $file, ".txt")));
        })*

        const CASES: &[(&str, &str)] =
            &[$(($file, include_str!(concat!("data/", $file, ".txt")))),*];
    };
}

real_toolchains! {
    h04_cargo_check: "cargo-check",
    h16_cargo_check_build: "cargo-check.build",
    h16_cargo_check_import: "cargo-check.import",
    h03_cargo_clippy: "cargo-clippy",
    h01_cargo_test: "cargo-test",
    h04_rustc: "rustc",
    h16_rustc_syntax: "rustc.syntax",
    h02_tsc: "tsc",
    h02_tsc_files: "tsc-files",
    h16_tsc_files_syntax: "tsc-files.syntax",
    h03_eslint: "eslint",
    h16_node: "node",
    h16_python: "python",
    h03_ruff: "ruff",
    h02_mypy: "mypy",
    h02_pyright: "pyright",
    h01_pytest: "pytest",
    h16_pytest_runtime: "pytest.runtime",
    h01_unittest: "unittest",
    h04_go_build: "go-build",
    h16_go_build_import: "go-build.import",
    h03_go_vet: "go-vet",
    h01_go_test: "go-test",
    h04_gcc: "gcc",
    h16_gcc_import: "gcc.import",
    h04_clang: "clang",
    h04_javac: "javac",
    h04_javac_twins: "javac.twins",
    h16_bash: "bash",
    h16_json_schema: "json-schema",
}

#[test]
fn every_built_in_toolchain_has_a_case() {
    let covered: BTreeSet<&str> = CASES.iter().map(|(case, _)| target_of(case)).collect();
    for spec in Registry::built_in().specs() {
        assert!(covered.contains(spec.target_id.as_str()), "no case for {}", spec.target_id);
    }
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/toolchains/data");
    assert_eq!(std::fs::read_dir(data).unwrap().count(), CASES.len());
}

#[test]
fn h16_every_class_is_found_by_a_real_toolchain() {
    let mut of_class: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (case, text) in CASES {
        let start = text.find("-- expected --").unwrap();
        for line in text[start..].lines().skip(1) {
            of_class.entry(line.rsplit(' ').next().unwrap()).or_default().insert(target_of(case));
        }
    }
    let classes: Vec<&str> = ErrorClass::ALL.iter().map(|class| class.name()).collect();
    for class in &classes {
        assert!(of_class.contains_key(class), "no case expects the class {class}");
    }
    let toolchains: BTreeSet<&&str> = of_class.values().flatten().collect();
    assert!(toolchains.len() >= 6);
    assert!(of_class.keys().all(|class| *class == "*" || classes.contains(class)));
}

/// Returns the toolchain that a case is about.
pub(crate) fn target_of(case: &str) -> &str {
    case.split('.').next().unwrap()
}

/// Runs a case's toolchain on one of its folders; `None`, said aloud, when it is not installed.
pub(crate) fn check_case(case: &str, archive: &Archive, folder: &str) -> Option<CheckReport> {
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

fn holds(case: &str, text: &str) {
    let archive = Archive::read(text);
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
    let Some(fixed) = check_case(case, &archive, "fixed") else { return };
    let run = &fixed.runs[0];
    let story = format!("{}\n{}\n{:#?}", run.stdout(), run.stderr(), run.diagnostics());
    assert_eq!(fixed.verdict(), CheckVerdict::Green, "{case}, fixed: {story}");
}

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

// What was in the folder, without what belongs to Salve and to cargo.
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
            if ![".salve", "target", "Cargo.lock"].contains(&name.as_str()) {
                found.insert(
                    entry.path().strip_prefix(folder).unwrap().to_str().unwrap().to_owned(),
                );
            }
        }
    }
    found
}
