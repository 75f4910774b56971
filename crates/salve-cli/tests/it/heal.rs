//! `salve heal` and `salve report` as other programs see them: killed and started again, as a patch, by an
//! agent's word.
//!
//! In: small projects. Out: what they are afterwards. How heals end is in `scenarios.rs`.
#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use crate::run::{Ended, folder, git, salve_in, toolchain_variables, write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const GOOD: &str = "def total(numbers):\n    result = 0\n    for number in numbers:\n        result += number\n    return result\n";

pub(crate) fn variables(settings: &Path) -> Vec<(&'static str, String)> {
    let mut variables = toolchain_variables();
    variables.push(("XDG_CONFIG_HOME", settings.display().to_string()));
    variables.push(("SALVE_DATA", settings.join("data").display().to_string()));
    variables
}

pub(crate) fn salve(arguments: &[&str], input: &str, place: &Path, settings: &Path) -> Ended {
    salve_with(arguments, input, place, &variables(settings))
}

pub(crate) fn salve_with(
    arguments: &[&str],
    input: &str,
    place: &Path,
    variables: &[(&'static str, String)],
) -> Ended {
    let variables: Vec<(&str, &str)> =
        variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
    salve_in(arguments, input, place, &variables)
}

// A file whose function has lost its colon.
fn project(name: &str) -> (PathBuf, PathBuf) {
    let (place, settings) = (folder(name), folder(&format!("{name}-user")));
    write(&place.join("total.py"), &GOOD.replace("(numbers):", "(numbers)"));
    (place, settings)
}

fn text(place: &Path) -> String {
    std::fs::read_to_string(place.join("total.py")).unwrap()
}

#[expect(clippy::disallowed_methods, reason = "the tests end the binary they are about")]
fn spawned(arguments: &[&str], place: &Path, settings: &Path) -> Child {
    Command::new(env!("CARGO_BIN_EXE_salve"))
        .args(arguments)
        .current_dir(place)
        .env_clear()
        .envs(variables(settings))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn a_heal_that_was_killed_leaves_the_tree_and_goes_on_when_it_is_started_again() {
    let (place, settings) = project("heal-killed");
    let broken = text(&place);
    for moment in [50, 150, 300, 600] {
        let mut child = spawned(&["heal", "--no-model"], &place, &settings);
        std::thread::sleep(Duration::from_millis(moment));
        let _ = child.kill();
        child.wait().unwrap();
        let now = text(&place);
        assert!(now == broken || now == GOOD, "{now}");
    }
    let ended = salve(&["heal", "--no-model"], "", &place, &settings);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(text(&place), GOOD);
    let left = std::fs::read_dir(settings.join("data/heal")).unwrap().count();
    assert_eq!(left, 0, "states of heals that are over are removed");
}

#[test]
fn a_patch_is_written_instead_of_the_tree() {
    let (place, settings) = project("heal-patch");
    let broken = text(&place);
    let ended = salve(&["heal", "--no-model", "--patch", "fix.patch"], "", &place, &settings);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(text(&place), broken);
    let patch = std::fs::read_to_string(place.join("fix.patch")).unwrap();
    for line in ["--- a/total.py", "+++ b/total.py", "-def total(numbers)", "+def total(numbers):"]
    {
        assert!(patch.lines().any(|found| found == line), "{line}: {patch}");
    }
}

#[test]
fn h05_h48_a_report_is_kept_and_its_edit_heals_where_it_asks_for_that() {
    let (place, settings) = project("heal-report");
    // No free fix knows what the value should be.
    write(
        &place.join("Makefile"),
        "check:\n\t@python3 -c 'import limit; assert limit.LIMIT == 7'\n",
    );
    write(&place.join("total.py"), GOOD);
    write(&place.join("limit.py"), "LIMIT = 5\nassert LIMIT == 7\n");
    let report = |auto_fix: bool| {
        let edit = "limit.py\n<<<<<<< SEARCH\nLIMIT = 5\n=======\nLIMIT = 7\n>>>>>>> REPLACE\n";
        let (from, kind, text) = ("reviewer", "proposal", "the limit is wrong\nmake check fails");
        serde_json::json!({
            "from": from, "kind": kind, "text": text, "edit": edit, "auto_fix": auto_fix,
        })
        .to_string()
    };
    let run = |auto_fix| {
        let arguments = ["--format", "json", "report", "--no-model"];
        salve(&arguments, &report(auto_fix), &place, &settings)
    };
    let kept = run(false);
    assert_eq!(kept.code, Some(0), "{kept:?}");
    assert!(kept.json()["heal"].is_null(), "{kept:?}");
    let limit = || std::fs::read_to_string(place.join("limit.py")).unwrap();
    assert_eq!(limit(), "LIMIT = 5\nassert LIMIT == 7\n");
    let healed = run(true);
    assert!(healed.json()["heal"].is_string(), "{healed:?}");
    assert_eq!(limit(), "LIMIT = 7\nassert LIMIT == 7\n", "{healed:?}");
    let decisions = std::fs::read_to_string(place.join(".salve/decisions.log")).unwrap();
    assert!(decisions.contains("of reviewer: the limit is wrong\n"), "{decisions}");
    let wrong = salve(&["report"], "{\"from\": 1}", &place, &settings);
    assert_eq!(wrong.code, Some(2), "{wrong:?}");
}

#[test]
fn r61_a_fix_is_kept_where_it_cannot_be_written_down() {
    let (place, settings) = project("heal-unwritable");
    std::fs::create_dir_all(place.join(".salve/decisions.log")).unwrap();
    let ended = salve(&["heal", "--no-model", "--format", "json"], "", &place, &settings);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(text(&place), GOOD);
    let report = ended.json();
    assert_eq!(report["outcome"], "Repaired", "{report}");
    assert!(report["warnings"][0].as_str().unwrap().starts_with("manifest error: "), "{report}");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test's own files")]
fn h29_h31_a_heal_that_fails_leaves_tree_index_and_stash_as_they_were() {
    let (place, settings) = project("heal-git");
    write(&place.join("total.py"), GOOD);
    write(&place.join("limit.py"), "LIMIT = 5\nassert LIMIT == 7\n");
    write(&place.join("test_limit.py"), "import limit\n");
    write(&place.join("Makefile"), "check:\n\t@python3 -c 'import limit'\n");
    std::fs::remove_file(place.join(".git")).unwrap();
    let git = |arguments: &[&str]| git(&place, arguments);
    git(&["init", "--quiet"]);
    git(&["add", "--all"]);
    git(&["commit", "--quiet", "--message", "first"]);
    write(&place.join("total.py"), &format!("{GOOD}# put away\n"));
    git(&["stash", "--quiet"]);
    write(&place.join("total.py"), &format!("{GOOD}# staged\n"));
    git(&["add", "total.py"]);
    write(&place.join("total.py"), &format!("{GOOD}# staged\n# and not\n"));
    let state = || {
        let status = git(&["status", "--porcelain=v2", "--", "total.py", "limit.py", "Makefile"]);
        (status, git(&["stash", "list", "--format=%H"]), git(&["diff"]), git(&["diff", "--cached"]))
    };
    let before = state();
    let ended = salve(&["heal", "--no-model", "--format", "json"], "", &place, &settings);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert_eq!(state(), before, "{ended:?}");
}

#[test]
fn h27_every_attempt_has_its_five_steps_in_the_log() {
    let (place, settings) = project("heal-steps");
    let ended = salve(&["heal", "--no-model", "--format", "jsonl"], "", &place, &settings);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let events: Vec<serde_json::Value> =
        ended.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |number: &serde_json::Value| -> Vec<&str> {
        let own = events.iter().filter(|event| event["attempt"] == *number);
        own.filter_map(|event| event["step"].as_str()).collect()
    };
    let attempts: Vec<_> = events.iter().filter(|event| event["event"] == "attempt").collect();
    assert!(!attempts.is_empty(), "{events:?}");
    for attempt in attempts {
        let steps = of(&attempt["number"]);
        assert_eq!(steps, ["context", "fix", "apply", "test", "record"], "{events:?}");
    }
}

#[test]
fn h35_h40_r19_the_status_shows_what_heals_did_and_the_caller_may_go_on() {
    let (place, settings) = project("heal-status");
    let status = || -> serde_json::Value {
        let ended = salve(&["heal", "status", "--format", "json"], "", &place, &settings);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        serde_json::from_str(&ended.out).unwrap()
    };
    let before = status();
    assert_eq!(before["heal_attempts"], 0, "{before}");
    let ended = salve(&["checkpoint", "create", "start", "total.py"], "", &place, &settings);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let ended = salve(&["heal", "--no-model", "--yes", "--format", "json"], "", &place, &settings);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let healed = status();
    assert!(healed["heal_attempts"].as_u64() > Some(0), "{healed}");
    assert_eq!(healed["checkpoints"], serde_json::json!(["start"]));
    assert_eq!(healed["tokens_used"], 0);
    assert_eq!(healed["file_modifications"], serde_json::json!({ "total.py": 1 }));
    assert_eq!(healed["error_counts"], serde_json::json!({}));

    write(&place.join("limit.py"), "LIMIT = 5\nassert LIMIT == 7\n");
    write(&place.join("Makefile"), "check:\n\t@python3 -c 'import limit'\n");
    for (flag, code) in [(None, 1), (Some("--keep-going"), 0)] {
        let arguments = ["heal", "--no-model"].into_iter().chain(flag).collect::<Vec<_>>();
        let ended = salve(&arguments, "", &place, &settings);
        assert_eq!(ended.code, Some(code), "{ended:?}");
    }
    let unhealed = status();
    // No model was asked: a heal that tried so little says nothing against the error.
    assert_eq!(unhealed["error_counts"], serde_json::json!({}), "{unhealed}");
}

#[test]
fn a_worker_heals_what_was_left_for_it() {
    let (place, settings) = project("heal-worker");
    let root = place.canonicalize().unwrap().display().to_string();
    let input = serde_json::json!({ "root": root }).to_string();
    let start = ["jobs", "start", "--flow", "Heal", "--id", "left", "--root", &root, "--detach"];
    let started = salve(&start, &input, &place, &settings);
    assert_eq!(started.code, Some(0), "{started:?}");
    let mut worker = spawned(&["worker", "--root", &root], &place, &settings);
    let show = || salve(&["--format", "json", "jobs", "show", "left"], "", &place, &settings);
    let mut shown = show();
    for _ in 0..120 {
        if shown.json()["status"] != "pending" && shown.json()["status"] != "running" {
            break;
        }
        std::thread::sleep(Duration::from_millis(250));
        shown = show();
    }
    let _ = worker.kill();
    worker.wait().unwrap();
    assert_eq!(shown.json()["status"], "completed", "{shown:?}");
    assert_eq!(text(&place), GOOD, "{shown:?}");
}
