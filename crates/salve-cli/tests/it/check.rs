//! `salve check` and the machine's part of `salve doctor`: formats, exit codes, words.
//!
//! In: small folders whose toolchains every machine with these tests has, or a search path of our
//! own. Out: what a person and a program see. The toolchains themselves are tested in salve-check.

use crate::run::{Ended, folder, git, salve_in, write};
use serde_json::Value;
use std::path::Path;

// The search path for programs of the system, without what the user installed.
const SYSTEM: (&str, &str) = ("PATH", "/usr/local/bin:/usr/bin:/bin");

fn check(place: &Path, arguments: &[&str]) -> Ended {
    salve_in(&[&["check"], arguments].concat(), "", place, &[SYSTEM])
}

// A program on a search path of its own, which the runner finds like any other.
#[expect(clippy::unwrap_used, reason = "a failure here is a failed test")]
fn with_fake_compiler(place: &Path, script: &str) {
    write(&place.join("node_modules/.bin/tsc"), script);
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(place.join("node_modules/.bin/tsc"), mode).unwrap();
    write(&place.join("tsconfig.json"), "{}");
}

#[test]
fn a_green_folder_is_exit_code_0_and_a_red_one_1_with_the_place_drawn() {
    let place = folder("check-human");
    write(&place.join("a.sh"), "echo fine\n");
    let green = check(&place, &[]);
    assert_eq!(green.code, Some(0), "{green:?}");
    assert!(green.out.contains("bash") && green.out.contains("green"), "{}", green.out);
    write(&place.join("a.sh"), "echo fine\nif true; done\n");
    let red = check(&place, &[]);
    assert_eq!(red.code, Some(1), "{red:?}");
    for expected in ["a.sh:2", "if true; done", "error", "said by bash", "red"] {
        assert!(red.out.contains(expected), "{expected}: {}", red.out);
    }
}

#[test]
fn the_formats_for_programs_hold_the_same_findings() {
    let place = folder("check-formats");
    write(&place.join("a.sh"), "fi\n");
    let json = check(&place, &["--format", "json"]);
    assert_eq!(json.code, Some(1), "{json:?}");
    let report = json.json();
    assert_eq!(report["verdict"], "red");
    let run = &report["runs"][0];
    assert_eq!(run["target_id"], "bash");
    assert_eq!(run["diagnostics"][0]["spans"][0]["path"], "a.sh");
    assert_eq!(run["records"][0]["gate"], "toolchain");
    let lines = check(&place, &["--format", "jsonl"]).lines();
    assert_eq!(lines[0]["target_id"], "bash");
    assert_eq!(lines.last().unwrap()["verdict"], "red");
    let sarif = check(&place, &["--format", "sarif"]).json();
    assert_eq!(sarif["version"], "2.1.0");
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "a.sh");
    assert!(result["partialFingerprints"]["salve/exact/v1"].is_string(), "{result}");
    let github = check(&place, &["--format", "github"]);
    assert!(github.out.starts_with("::error file=a.sh,line=1"), "{}", github.out);
}

#[test]
fn r23_a_toolchain_asked_for_by_name_that_is_not_installed_is_exit_code_2_with_its_hint() {
    let place = folder("check-missing");
    write(&place.join("tsconfig.json"), "{}");
    let empty = ("PATH", place.to_str().unwrap());
    let named = salve_in(&["check", "--target", "tsc"], "", &place, &[empty]);
    assert_eq!(named.code, Some(2), "{named:?}");
    assert!(named.err.contains("npm install --save-dev typescript"), "{}", named.err);
    let alone = salve_in(&["check"], "", &place, &[empty]);
    assert_eq!(alone.code, Some(2), "nothing ran, which is not green: {alone:?}");
    assert!(alone.err.contains("npm install --save-dev typescript"), "{}", alone.err);
    let unknown = check(&place, &["--target", "nothing"]);
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.err.contains("cargo-check"), "{}", unknown.err);
}

#[test]
fn a_folder_in_which_nothing_applies_says_what_was_looked_for() {
    let place = folder("check-nothing");
    write(&place.join("notes.txt"), "hello\n");
    let ended = check(&place, &[]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    for expected in ["nothing in", "Cargo.toml", "tsconfig.json", "*.py"] {
        assert!(ended.err.contains(expected), "{expected}: {}", ended.err);
    }
}

#[test]
fn h03_warnings_count_when_they_are_asked_to() {
    let place = folder("check-warnings");
    with_fake_compiler(&place, "#!/bin/sh\necho 'a.ts(1,1): warning TS1: mild'\n");
    assert_eq!(check(&place, &["--target", "tsc"]).code, Some(0));
    assert_eq!(check(&place, &["--target", "tsc", "--fail-on", "warning"]).code, Some(1));
}

#[test]
fn r21_the_user_overrides_a_toolchain_and_a_workspace_only_after_trust() {
    let place = folder("check-override");
    write(&place.join("a.sh"), "fi\n");
    let lenient = "[[toolchain]]\ntarget_id = \"bash\"\ncompile_command = \"true\"\n";
    write(&place.join("salve.toml"), lenient);
    let untrusted = check(&place, &[]);
    assert_eq!(untrusted.code, Some(1), "{untrusted:?}");
    assert!(untrusted.err.contains("not trusted"), "{}", untrusted.err);
    let trust = salve_in(&["trust", "add", "--yes"], "", &place, &[SYSTEM]);
    assert_eq!(trust.code, Some(0), "{trust:?}");
    assert_eq!(check(&place, &[]).code, Some(0));
    let place = folder("check-override-user");
    write(&place.join("a.sh"), "fi\n");
    write(&place.join("salve/config.toml"), lenient);
    assert_eq!(check(&place, &[]).code, Some(0), "the user's own file needs no trust");
}

#[test]
fn r25_the_doctor_lists_layers_and_toolchains_with_version_or_hint_and_no_values() {
    let place = folder("check-doctor");
    let secret = ("GITHUB_TOKEN", "not-for-anyone");
    let ended = salve_in(&["doctor", "--format", "json"], "", &place, &[SYSTEM, secret]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(!ended.out.contains("not-for-anyone") && !ended.out.contains("/usr/local/bin"));
    let rows: Vec<Value> = ended.json().as_array().unwrap().clone();
    let row = |name: &str| rows.iter().find(|row| row["name"] == name).unwrap().clone();
    assert_eq!(row("toolchain bash")["state"], "ok");
    assert!(row("toolchain bash")["detail"].as_str().unwrap().contains('.'));
    assert!(row("sandbox landlock")["detail"].is_string());
    for row in rows.iter().filter(|row| row["state"] == "missing") {
        assert!(!row["detail"].as_str().unwrap().is_empty(), "{row}");
    }
    let left = std::fs::read_dir(&place).unwrap().flatten().map(|entry| entry.file_name());
    assert_eq!(left.collect::<Vec<_>>(), [".git"], "the doctor changes nothing");
}

#[test]
fn the_tests_of_a_package_are_run_and_failures_come_with_their_output() {
    let place = folder("check-npm");
    let package = |script: &str| format!(r#"{{"name": "x", "scripts": {{"test": "{script}"}}}}"#);
    write(&place.join("package.json"), &package("node --test"));
    write(
        &place.join("sum.test.js"),
        "const test = require('node:test');\ntest('adds', () => { throw new Error('three') });\n",
    );
    let red = check(&place, &["--target", "npm-test"]);
    assert_eq!(red.code, Some(1), "{red:?}");
    assert!(red.out.contains("test failed: adds") && red.out.contains("three"), "{}", red.out);
    assert!(red.err.contains("[1/1] npm-test"), "{}", red.err);
    write(&place.join("sum.test.js"), "require('node:test').test('adds', () => {});\n");
    let green = check(&place, &[]);
    assert_eq!(green.code, Some(0), "{green:?}");
    assert!(green.out.contains("npm-test"), "{}", green.out);
    let placeholder = "echo \\\"Error: no test specified\\\" && exit 1";
    write(&place.join("package.json"), &package(placeholder));
    let none = check(&place, &[]);
    assert!(none.code == Some(0) && !none.out.contains("npm-test"), "{none:?}");
}

#[test]
fn make_runs_a_target_of_tests_and_never_the_default_one() {
    let place = folder("check-make");
    write(&place.join("Makefile"), "all:\n\ttouch ran\n\ncheck:\n\techo broken-thing; exit 3\n");
    let red = check(&place, &[]);
    assert_eq!(red.code, Some(1), "{red:?}");
    assert!(red.out.contains("make-check") && red.out.contains("broken-thing"), "{}", red.out);
    write(&place.join("Makefile"), "all:\n\ttouch ran\n");
    assert_eq!(check(&place, &[]).code, Some(2));
    assert!(!place.join("ran").exists());
}

#[test]
fn only_what_is_named_or_has_changed_is_checked() {
    let place = folder("check-scope");
    for (path, text) in [("a/good.sh", "echo a\n"), ("b/bad.sh", "fi\n")] {
        write(&place.join(path), text);
    }
    assert_eq!(check(&place, &[]).code, Some(1));
    assert_eq!(check(&place, &["a"]).code, Some(0));
    assert_eq!(check(&place.join("a"), &[]).code, Some(0));
    assert_eq!(check(&place.join("a"), &["../b/bad.sh"]).code, Some(1));
    let outside = check(&place, &["/etc/hosts"]);
    assert!(outside.code == Some(2) && outside.err.contains("outside"), "{outside:?}");
    let nothing = check(&place, &["--changed"]);
    assert!(nothing.code == Some(0) && nothing.err.contains("nothing has changed"), "{nothing:?}");
    let edit = "a/good.sh\n<<<<<<< SEARCH\necho a\n=======\necho b\n>>>>>>> REPLACE\n";
    assert_eq!(salve_in(&["apply"], edit, &place, &[SYSTEM]).code, Some(0));
    let changed = check(&place, &["--changed"]);
    assert!(changed.code == Some(0) && changed.out.contains("bash"), "{changed:?}");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test's own files")]
fn what_git_says_has_changed_is_checked() {
    let place = folder("check-git");
    std::fs::remove_file(place.join(".git")).unwrap();
    for (path, text) in [("a/good.sh", "echo a\n"), ("b/bad.sh", "fi\n"), ("c/old.sh", "fi\n")] {
        write(&place.join(path), text);
    }
    git(&place, &["init", "--quiet"]);
    git(&place, &["add", "."]);
    git(&place, &["commit", "--quiet", "--message", "all"]);
    let nothing = check(&place, &["--changed"]);
    assert!(nothing.code == Some(0) && nothing.err.contains("nothing has changed"), "{nothing:?}");
    write(&place.join("a/good.sh"), "echo changed\n");
    let good = check(&place, &["--changed", "--format", "json"]);
    assert_eq!(good.code, Some(0), "{good:?}");
    assert_eq!(good.json()["runs"][0]["files"], 1, "{good:?}");
    let below = check(&place.join("c"), &["--changed"]);
    assert_eq!(below.code, Some(0), "from a subfolder too: {below:?}");
    write(&place.join("d/new file.sh"), "fi\n");
    let new = check(&place, &["--changed"]);
    assert!(new.code == Some(1) && new.out.contains("d/new file.sh"), "{new:?}");
    std::fs::remove_file(place.join("d/new file.sh")).unwrap();
    git(&place, &["mv", "c/old.sh", "c/renamed.sh"]);
    let renamed = check(&place, &["--changed"]);
    assert!(renamed.code == Some(1) && renamed.out.contains("c/renamed.sh"), "{renamed:?}");
    assert!(!renamed.out.contains("bad.sh"), "{renamed:?}");
}

// A toolchain that runs a script of the shell where there is a file `run.mark`.
fn with_script(place: &Path, script: &str, more: &str) {
    let toolchain = format!(
        "[[toolchain]]\ntarget_id = 'script'\ndisplay_name = 'script'\nbinary_name = 'sh'\n\
         version_args = []\ncompile_command = 'sh'\ncompile_args = ['-c', '{script}']\n\
         install_hint = 'sh'\nmarkers = ['run.mark']\n{more}\n"
    );
    write(&place.join("salve/config.toml"), &toolchain);
    write(&place.join("run.mark"), "");
}

#[test]
fn what_the_sandbox_stops_in_a_check_comes_with_a_hint() {
    let place = folder("check-hints");
    with_script(&place, "sleep 60", "timeout_seconds = 1");
    let late = check(&place, &[]);
    assert_eq!(late.code, Some(1), "{late:?}");
    for word in ["hint", "`timeout_seconds`", "config.toml", "\"script\""] {
        assert!(late.out.contains(word), "{word}: {}", late.out);
    }
    with_script(
        &place,
        "curl -s https://example.invalid || echo Could not resolve host; exit 1",
        "",
    );
    let offline = check(&place, &[]);
    assert!(offline.out.contains("hint") && offline.out.contains("no network"), "{offline:?}");
    write(&place.join(".vscode/settings.json"), "{}");
    with_script(&place, "echo x > .vscode/settings.json", "");
    let protected = check(&place, &[]);
    assert_eq!(protected.code, Some(1), "{protected:?}");
    assert!(protected.out.contains("--allow-protected"), "{}", protected.out);
    assert_eq!(std::fs::read_to_string(place.join(".vscode/settings.json")).unwrap(), "{}");
}

#[test]
fn a_check_gets_the_variables_that_a_run_gets() {
    let place = folder("check-env");
    let user = [SYSTEM, ("MY_URL", "here"), ("DB_PASSWORD", "hush")];
    let check = |arguments: &[&str]| {
        let all = [&["check", "--target", "script"], arguments].concat();
        salve_in(&all, "", &place, &user)
    };
    with_script(&place, "test \"$MY_URL\" = here", "");
    assert_eq!(check(&[]).code, Some(1));
    assert_eq!(check(&["--env", "MY_URL"]).code, Some(0));
    assert_eq!(check(&["--env", "MY_URL=here"]).code, Some(0));
    let missing = check(&["--env", "NOT_SET_HERE"]);
    assert!(missing.code == Some(2) && missing.err.contains("NOT_SET_HERE=VALUE"), "{missing:?}");
    let config = std::fs::read_to_string(place.join("salve/config.toml")).unwrap();
    let names = "run_environment = ['MY_URL', 'DB_PASSWORD']\n";
    write(&place.join("salve/config.toml"), &format!("{names}{config}"));
    let by_setting = check(&[]);
    assert_eq!(by_setting.code, Some(0), "{by_setting:?}");
    assert!(by_setting.err.contains("`--env DB_PASSWORD` passes it"), "{by_setting:?}");
}

#[test]
fn rows_of_what_did_not_run_name_their_folder() {
    let place = folder("check-folders");
    let toolchain = |id: &str, program: &str, more: &str| {
        format!(
            "[[toolchain]]\ntarget_id = '{id}'\ndisplay_name = '{id}'\nbinary_name = '{program}'\n\
             version_args = []\ncompile_command = '{program}'\ncompile_args = []\n\
             install_hint = 'install {program}'\nphase = 'tests'\nunit = 'folder'\n\
             markers = ['late.mark']\nnested = true\n{more}\n"
        )
    };
    let late = toolchain("late", "true", "after = ['bash']");
    let absent = toolchain("absent", "no-such-program", "");
    write(&place.join("salve/config.toml"), &format!("{late}{absent}"));
    for folder in ["one", "two"] {
        write(&place.join(folder).join("late.mark"), "");
        write(&place.join(folder).join("a.sh"), "if true; done\n");
    }
    let ended = check(&place, &[]);
    for row in [
        "late in one",
        "late in two",
        "not run: bash is red",
        "absent in one",
        "absent in two",
        "not installed: install no-such-program",
    ] {
        assert!(ended.out.contains(row), "{row}: {}", ended.out);
    }
}
