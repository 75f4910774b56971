//! What the registry and the check promise, on a machine of fake programs.
#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use crate::archive::Archive;
use crate::counting::{FakeMachine, FakeProgram};
use salve_check::{
    BuildProfile, CheckOptions, CheckVerdict, Gate, OutputParser, Registry, RunClass, RunEnding,
    ToolchainError, ToolchainSpec, add_typescript_fixes, check, probe_versions,
};
use salve_types::Severity;
use std::time::Duration;
use tempfile::TempDir;

const FAKE: &str = r#"
[[toolchain]]
target_id = "fake"
display_name = "Fake compiler"
binary_name = "fakec"
version_args = ["--version"]
compile_command = "fakec"
compile_args = ["--strict"]
install_hint = "get fakec from its shop"
"#;

fn folder(archive: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    Archive::read(archive).write("both", folder.path());
    folder
}

fn with_fake(extra: &str) -> Registry {
    let mut registry = Registry::empty();
    registry.register_toml(&format!("{FAKE}{extra}")).unwrap();
    registry
}

fn by_name(target: &str) -> CheckOptions {
    CheckOptions { targets: vec![target.to_owned()], ..CheckOptions::default() }
}

#[test]
fn r20_a_toolchain_of_seven_fields_in_a_file_is_used() {
    let place = folder("-- both/a.fk --\n");
    let machine = FakeMachine::with(vec![FakeProgram::exits("fakec", 0, "", "")]);
    let report = check(place.path(), &by_name("fake"), &with_fake(""), &machine).unwrap();
    assert_eq!(report.verdict(), CheckVerdict::Green);
    assert_eq!(machine.lines(), ["fakec --strict"]);
    let request = machine.requests.lock().unwrap()[0].clone();
    assert_eq!(request.cwd, place.path());
    assert_eq!(request.gate, Gate::Toolchain { target: "fake".to_owned() });
}

#[test]
fn r20_a_toolchain_with_files_is_found_by_them_and_given_them() {
    let place = folder("-- both/a.fk --\n-- both/sub/b.fk --\n-- both/-c.fk --\n");
    let registry = with_fake("unit = \"files\"\nfiles = [\"*.fk\"]\n");
    let machine = FakeMachine::with(vec![FakeProgram::exits("fakec", 0, "", "")]);
    let report = check(place.path(), &CheckOptions::default(), &registry, &machine).unwrap();
    assert_eq!(report.runs[0].files(), 3);
    assert_eq!(machine.lines(), ["fakec --strict ./-c.fk a.fk sub/b.fk"]);
}

#[test]
fn r20_a_spec_that_lacks_a_field_or_has_an_unknown_one_is_refused_with_its_name() {
    for (text, expected) in [
        ("[[toolchain]]\ntarget_id = \"x\"\n", "lacks `display_name`"),
        (&format!("{FAKE}colour = \"red\"\n"), "colour"),
        (&format!("{FAKE}timeout_seconds = 0\n"), "`timeout_seconds` is zero"),
        (&format!("{FAKE}unit = \"files\"\n"), "`files` is empty"),
        (&format!("{FAKE}success_codes = []\n"), "`success_codes` is empty"),
        (&FAKE.replace("compile_command = \"fakec\"", "compile_command = \" \""), "is empty"),
        ("toolchain = 3", "toolchain"),
    ] {
        let error = Registry::empty().register_toml(text).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn r21_a_user_spec_overrides_the_built_in_one_and_keeps_what_it_does_not_name() {
    let mut registry = Registry::built_in();
    let before = registry.get("ruff").unwrap().clone();
    registry
        .register_toml("[[toolchain]]\ntarget_id = \"ruff\"\ncompile_command = \"myruff lint\"\n")
        .unwrap();
    let after = registry.get("ruff").unwrap();
    assert_eq!(after.compile_command, "myruff lint");
    assert_eq!(after.compile_args, before.compile_args);
    assert_eq!(after.parser, OutputParser::RuffJson);
    registry.register(ToolchainSpec::named("ruff"));
    assert_eq!(registry.get("ruff").unwrap().parser, OutputParser::Console);
    assert_eq!(registry.specs().filter(|spec| spec.target_id == "ruff").count(), 1);
    registry.register(ToolchainSpec::named("new"));
    assert!(registry.get("new").is_some());
}

#[test]
fn r22_a_compile_failure_is_a_result_with_both_streams_and_the_exit_code() {
    let place = folder("-- both/a.fk --\n");
    let machine = FakeMachine::with(vec![FakeProgram::exits("fakec", 3, "on out", "on err")]);
    let run =
        with_fake("").invoke("fake", place.path(), BuildProfile::Development, &machine).unwrap();
    assert!(run.is_red());
    assert_eq!((run.stdout(), run.stderr()), ("on out", "on err"));
    assert_eq!(run.ending(), &RunEnding::Exited { code: 3 });
    assert!(!run.diagnostics().is_empty(), "a failure is never without a diagnostic");
}

#[test]
fn r22_a_file_is_given_to_the_compiler_or_leads_to_its_project() {
    let place = folder("-- both/a.fk --\n-- both/Cargo.toml --\n-- both/src/lib.rs --\n");
    let programs = ["fakec", "cargo"].map(|name| FakeProgram::exits(name, 0, "", ""));
    let machine = FakeMachine::with(programs.into());
    let mut registry = Registry::built_in();
    registry.register_toml(FAKE).unwrap();
    for (target, file) in [("fake", "a.fk"), ("cargo-check", "src/lib.rs")] {
        let file = place.path().join(file);
        let _run = registry.invoke(target, &file, BuildProfile::Development, &machine).unwrap();
    }
    let requests = machine.requests.lock().unwrap().clone();
    assert_eq!(crate::counting::words(&requests[0]), ["fakec", "--strict", "a.fk"]);
    assert!(!crate::counting::words(&requests[1]).contains(&"src/lib.rs".to_owned()));
    assert!(requests.iter().all(|request| request.cwd == place.path()));
}

#[test]
fn r22_the_release_switch_adds_its_arguments() {
    let place = folder("-- both/Cargo.toml --\n");
    let machine = FakeMachine::with(vec![FakeProgram::exits("cargo", 0, "", "")]);
    let registry = Registry::built_in();
    for profile in [BuildProfile::Development, BuildProfile::Release] {
        let _run = registry.invoke("cargo-check", place.path(), profile, &machine).unwrap();
    }
    let lines = machine.lines();
    assert!(!lines[0].contains("--release") && lines[1].contains("--release"), "{lines:?}");
}

#[test]
fn r23_a_missing_program_is_an_error_with_its_install_hint_never_a_result() {
    let place = folder("-- both/a.fk --\n");
    let machine = FakeMachine::with(Vec::new());
    let registry = with_fake("");
    let invoked = registry.invoke("fake", place.path(), BuildProfile::Development, &machine);
    let checked = check(place.path(), &by_name("fake"), &registry, &machine).map(|_| ());
    for error in [invoked.map(|_| ()).unwrap_err(), checked.unwrap_err()] {
        assert!(matches!(error, ToolchainError::Missing { .. }), "{error:?}");
        assert!(error.to_string().contains("get fakec from its shop"), "{error}");
    }
    let unknown = check(place.path(), &by_name("nothing"), &registry, &machine).unwrap_err();
    assert!(unknown.to_string().contains("known are: fake"), "{unknown}");
}

#[test]
fn r23_a_missing_program_that_nobody_named_is_reported_beside_the_others() {
    let place = folder("-- both/a.py --\n-- both/ruff.toml --\n");
    let machine = FakeMachine::with(vec![FakeProgram::exits("python3", 0, "", "")]);
    let report =
        check(place.path(), &CheckOptions::default(), &Registry::built_in(), &machine).unwrap();
    assert_eq!(report.runs.len(), 1);
    assert_eq!(report.missing[0].target_id, "ruff");
    assert!(report.missing[0].install_hint.contains("pip install ruff"));
}

#[test]
fn r24_every_target_has_a_profile_for_repair_requests() {
    let registry = Registry::built_in();
    for spec in registry.specs() {
        let profile = registry.profile(&spec.target_id).unwrap();
        assert_eq!(profile.id, spec.target_id);
        assert!(!profile.display_name.is_empty() && !profile.conventions.is_empty(), "{profile:?}");
        let fields = serde_json::to_value(&profile).unwrap();
        for field in ["id", "display_name", "capabilities", "conventions"] {
            assert!(fields.get(field).is_some(), "{field}");
        }
    }
}

#[test]
fn r25_each_program_is_asked_once_for_its_version_and_a_missing_one_has_its_hint() {
    let place = folder("");
    let machine = FakeMachine::with(vec![
        FakeProgram::exits("cargo", 0, "cargo 1.95.0 (f2d3ce0bd 2026-03-21)\n", ""),
        FakeProgram::exits("go", 0, "go version go1.27.3 linux/amd64\n", ""),
        FakeProgram::exits("cargo-clippy", 1, "", "error: 'cargo-clippy' is not installed"),
    ]);
    let registry = Registry::built_in();
    let reports = probe_versions(&registry, place.path(), &machine);
    let found = |id: &str| {
        let report = reports.iter().find(|report| report.target_id == id).unwrap();
        (report.found.as_deref(), report.install_hint.as_str())
    };
    assert_eq!(found("cargo-check").0, Some("1.95.0"));
    assert_eq!(found("cargo-test").0, Some("1.95.0"));
    assert_eq!(found("go-vet").0, Some("1.27.3"));
    assert_eq!(found("tsc"), (None, "`npm install --save-dev typescript`"));
    assert_eq!(found("cargo-clippy").0, None, "a proxy without its component is not there");
    assert_eq!(reports.len(), registry.specs().count());
    assert_eq!(machine.lines().iter().filter(|line| line.starts_with("cargo ")).count(), 1);
    let requests = machine.requests.lock().unwrap();
    assert!(requests.iter().all(|request| request.class == RunClass::Probe));
}

#[test]
fn r28_one_broken_build_is_exactly_one_run_and_its_output_is_reported() {
    let place = folder("-- both/a.fk --\n");
    let registry = with_fake("markers = [\"a.fk\"]\n");
    let failing = || FakeProgram::exits("fakec", 1, "", "error: broken\n");
    let machine = FakeMachine::with(vec![failing()]);
    let report = check(place.path(), &CheckOptions::default(), &registry, &machine).unwrap();
    assert_eq!(report.verdict(), CheckVerdict::Red);
    assert_eq!(machine.lines().len(), 1);
    assert!(report.diagnostics().any(|one| one.message.contains("broken")));
    let machine = FakeMachine::with(vec![failing()]);
    let _run = registry.invoke("fake", place.path(), BuildProfile::Development, &machine).unwrap();
    assert_eq!(machine.lines().len(), 1);
}

#[test]
fn h01_h02_h04_a_failed_test_type_check_or_build_is_red_and_a_passing_one_is_not() {
    for (files, program) in [
        ("-- both/Cargo.toml --\n", "cargo"),
        ("-- both/test_a.py --\nimport pytest\n", "pytest"),
        ("-- both/tsconfig.json --\n", "tsc"),
        ("-- both/go.mod --\n", "go"),
        ("-- both/a.c --\n", "gcc"),
    ] {
        let place = folder(files);
        for (code, verdict) in [(0, CheckVerdict::Green), (1, CheckVerdict::Red)] {
            let others =
                ["python3", "cargo-clippy"].map(|name| FakeProgram::exits(name, 0, "", ""));
            let mut programs = vec![FakeProgram::exits(program, code, "", "it broke\n")];
            programs.extend(others);
            let machine = FakeMachine::with(programs);
            let options = CheckOptions::default();
            let report = check(place.path(), &options, &Registry::built_in(), &machine).unwrap();
            assert_eq!(report.verdict(), verdict, "{program} {code}");
        }
    }
}

const WARNING: &str = r#"[{"filePath":"a.js","messages":[{"ruleId":"eqeqeq","severity":1,"message":"m","line":1,"column":1}]}]"#;

#[test]
fn h03_whether_a_warning_of_a_linter_counts_is_configurable() {
    let place = folder("-- both/eslint.config.js --\n");
    let machine = FakeMachine::with(vec![FakeProgram::exits("eslint", 0, WARNING, "")]);
    let mut registry = Registry::built_in();
    let verdict = |registry: &Registry, fail_on| {
        let options = CheckOptions { fail_on, ..by_name("eslint") };
        check(place.path(), &options, registry, &machine).unwrap().verdict()
    };
    assert_eq!(verdict(&registry, Severity::Error), CheckVerdict::Green);
    assert_eq!(verdict(&registry, Severity::Warning), CheckVerdict::Red);
    registry
        .register_toml("[[toolchain]]\ntarget_id = \"eslint\"\nfail_on = \"warning\"\n")
        .unwrap();
    assert_eq!(verdict(&registry, Severity::Error), CheckVerdict::Red);
}

#[test]
fn x16_a_toolchain_has_300_seconds_unless_its_spec_says_otherwise_and_is_red_when_ended() {
    let place = folder("-- both/a.fk --\n");
    for (extra, seconds) in [("", 300), ("timeout_seconds = 7\n", 7)] {
        let hanging = FakeProgram {
            ending: RunEnding::DeadlinePassed,
            ..FakeProgram::exits("fakec", 0, "", "")
        };
        let machine = FakeMachine::with(vec![hanging]);
        let report = check(place.path(), &by_name("fake"), &with_fake(extra), &machine).unwrap();
        let request = machine.requests.lock().unwrap()[0].clone();
        assert_eq!(request.limits.deadline, Duration::from_secs(seconds));
        assert_eq!(request.class, RunClass::Toolchain);
        assert_eq!(report.verdict(), CheckVerdict::Red);
        let said = &report.runs[0].diagnostics()[0].message;
        assert!(said.contains(&format!("ended after {seconds} seconds")), "{said}");
    }
}

#[test]
fn a_package_that_the_project_names_is_installed_with_the_others() {
    for (files, expected) in [
        ("-- both/tsconfig.json --\n", "`npm install --save-dev typescript`"),
        (
            "-- both/tsconfig.json --\n-- both/package.json --\n{\"devDependencies\": {\"jest\": \"1\"}}\n",
            "`npm install --save-dev typescript`",
        ),
        (
            "-- both/tsconfig.json --\n-- both/package.json --\n{\"devDependencies\": {\"typescript\": \"5\"}}\n",
            "`npm install`: package.json names typescript, and it is not installed",
        ),
        (
            "-- both/web/tsconfig.json --\n-- both/package.json --\n{\"dependencies\": {\"typescript\": \"5\"}}\n",
            "`npm install`: package.json names typescript, and it is not installed",
        ),
        (
            "-- both/tsconfig.json --\n-- both/package.json --\n{",
            "`npm install --save-dev typescript`",
        ),
    ] {
        let place = folder(files);
        let machine = FakeMachine::with(Vec::new());
        let options = CheckOptions::default();
        let report = check(place.path(), &options, &Registry::built_in(), &machine).unwrap();
        assert_eq!(report.missing[0].install_hint, expected, "{files}");
    }
}

#[test]
fn a_program_gets_the_callers_variables_and_those_of_its_toolchain_win() {
    let place = folder("-- both/a.fk --\n");
    let registry = with_fake("environment = { OWN = 'spec' }\n");
    let machine = FakeMachine::with(vec![FakeProgram::exits("fakec", 0, "", "")]);
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let environment = vec![pair("OWN", "caller"), pair("URL", "here")];
    let options = CheckOptions { environment, ..by_name("fake") };
    let _report = check(place.path(), &options, &registry, &machine).unwrap();
    let given = machine.requests.lock().unwrap()[0].environment.clone();
    assert_eq!(given, [pair("URL", "here"), pair("OWN", "spec")]);
}

#[test]
fn what_is_red_in_one_project_does_not_hold_back_another() {
    let place = folder("-- both/a/go.mod --\n-- both/b/go.mod --\n");
    let machine = FakeMachine::with(vec![FakeProgram::exits("go", 1, "", "broken\n")]);
    let options = CheckOptions { scope: vec!["a".to_owned()], ..CheckOptions::default() };
    let report = check(place.path(), &options, &Registry::built_in(), &machine).unwrap();
    let held = |report: &salve_check::CheckReport| {
        report.held_back.iter().map(|one| one.folder.clone()).collect::<Vec<_>>()
    };
    assert_eq!(held(&report), ["a", "a"]);
    let mut registry = with_fake("markers = [\"go.mod\"]\nunit = \"folder\"\nphase = \"tests\"\n");
    let marked = "markers = ['red.mark']\nphase = 'syntax'\n";
    let red = FAKE.replace("\"fake\"", "\"first\"").replace("fakec", "redc");
    registry.register_toml(&format!("{red}{marked}")).unwrap();
    registry.register_toml("[[toolchain]]\ntarget_id = 'fake'\nafter = ['first']\n").unwrap();
    let place = folder("-- both/a/go.mod --\n-- both/a/red.mark --\n-- both/b/go.mod --\n");
    let machine = FakeMachine::with(vec![
        FakeProgram::exits("redc", 1, "", "broken\n"),
        FakeProgram::exits("fakec", 0, "", ""),
    ]);
    let report = check(place.path(), &CheckOptions::default(), &registry, &machine).unwrap();
    assert_eq!(held(&report), ["a"]);
    assert!(report.runs.iter().any(|run| run.folder() == "b" && !run.is_red()));
}

#[test]
fn a_stand_in_runs_only_where_the_first_choice_is_missing() {
    let place = folder("-- both/a.c --\n");
    let run = |programs: &[&'static str]| {
        let programs = programs.iter().map(|name| FakeProgram::exits(name, 0, "", "")).collect();
        let machine = FakeMachine::with(programs);
        let options = CheckOptions::default();
        let report = check(place.path(), &options, &Registry::built_in(), &machine).unwrap();
        report.runs.iter().map(|run| run.target_id().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(run(&["gcc", "clang"]), ["gcc"]);
    assert_eq!(run(&["clang"]), ["clang"]);
}

#[test]
fn what_builds_on_a_red_toolchain_is_held_back_and_says_so() {
    let place = folder("-- both/Cargo.toml --\n");
    let machine = FakeMachine::with(vec![
        FakeProgram::exits("cargo", 101, "", "error: no\n"),
        FakeProgram::exits("cargo-clippy", 0, "", ""),
    ]);
    let options = CheckOptions::default();
    let report = check(place.path(), &options, &Registry::built_in(), &machine).unwrap();
    assert_eq!(report.runs.len(), 1);
    let held: Vec<_> = report.held_back.iter().map(|one| one.target_id.as_str()).collect();
    assert_eq!(held, ["cargo-clippy", "cargo-test"]);
}

#[test]
fn arguments_follow_the_version_where_a_program_changed_its_format() {
    let place = folder("-- both/a.c --\n-- both/include/a.h --\n");
    for (version, expected) in [
        ("8.3.0", "-fdiagnostics-color=never -Iinclude a.c"),
        ("12.2.0", "-fdiagnostics-format=json -Iinclude a.c"),
        ("15.1.0", "-fdiagnostics-format=sarif-stderr -Iinclude a.c"),
    ] {
        let machine = FakeMachine::with(vec![FakeProgram::exits("gcc", 0, version, "")]);
        let _report =
            check(place.path(), &by_name("gcc"), &Registry::built_in(), &machine).unwrap();
        assert!(machine.lines()[1].ends_with(expected), "{:?}", machine.lines());
    }
}

#[test]
fn a_folder_in_which_nothing_applies_has_no_verdict_of_its_own() {
    let place = folder("-- both/notes.txt --\n");
    let machine = FakeMachine::with(Vec::new());
    let options = CheckOptions::default();
    let report = check(place.path(), &options, &Registry::built_in(), &machine).unwrap();
    assert_eq!(report.verdict(), CheckVerdict::Nothing);
    let error = check(place.path(), &by_name("gcc"), &Registry::built_in(), &machine).unwrap_err();
    assert!(error.to_string().contains("*.c"), "{error}");
}

#[test]
fn a_program_of_the_project_is_preferred_to_the_one_on_the_search_path() {
    let place = folder("-- both/web/tsconfig.json --\n-- both/node_modules/.bin/tsc --\n");
    let machine = FakeMachine::with(Vec::new());
    let _missing = check(place.path(), &CheckOptions::default(), &Registry::built_in(), &machine);
    let local = place.path().join("node_modules/.bin/tsc");
    assert!(machine.lines()[0].starts_with(local.to_str().unwrap()), "{:?}", machine.lines());
}

#[test]
fn code_fixes_of_a_project_are_added_and_a_service_that_fails_is_told() {
    let place = folder("-- both/web/tsconfig.json --\n-- both/web/a.ts --\nlet a = b;\n");
    let tsc = "web/a.ts(1,9): error TS2304: Cannot find name 'b'.\n";
    let said = salve_check::CheckedFolder::unread(place.path());
    let read = || salve_check::parse_output(OutputParser::Tsc, tsc, "", said);
    let answered = |stdout, stderr| {
        let machine = FakeMachine::with(vec![FakeProgram::exits("node", 0, stdout, stderr)]);
        let mut diagnostics = read();
        let options = CheckOptions::default();
        let told = add_typescript_fixes(&mut diagnostics, place.path(), &options, &machine);
        let fixes = diagnostics.remove(0).suggestions;
        let edits = fixes.into_iter().flat_map(|fix| fix.edits);
        let edits: Vec<_> = edits.map(|edit| (edit.span.path, edit.replacement)).collect();
        (edits, told)
    };
    let own =
        r#"[[{"message":"m","edits":[{"path":"a.ts","start":0,"end":0,"text":"import b"}]}]]"#;
    let edit = ("web/a.ts".to_owned(), "import b".to_owned());
    assert_eq!(answered(own, ""), (vec![edit], Vec::new()));
    // What lies outside the project is a library's.
    for path in ["../lib.d.ts", "node_modules/x/a.d.ts"] {
        let foreign: &'static str = Box::leak(own.replace("a.ts", path).into_boxed_str());
        assert_eq!(answered(foreign, ""), (Vec::new(), Vec::new()));
    }
    let why = "no code fixes of TypeScript: there is no package";
    assert_eq!(answered("", "there is no package\n"), (Vec::new(), vec![why.to_owned()]));
    let machine = FakeMachine::with(Vec::new());
    let told = add_typescript_fixes(&mut read(), place.path(), &CheckOptions::default(), &machine);
    assert_eq!(told, ["no code fixes of TypeScript: there is no program `node` on this machine"]);
}
