//! A machine that refuses namespaces, as AppArmor and container engines do: everyday work by rules.
//!
//! In: a filter around this thread that denies them. Out: what `run`, `check` and `doctor` do there.
//! What rules keep a program from is tested in salve-check.

use crate::run::{Ended, folder, salve_in, write};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule,
};
use serde_json::Value;
use std::path::Path;

const SYSTEM: (&str, &str) = ("PATH", "/usr/local/bin:/usr/bin:/bin");

/// Runs something where this thread, and what it starts, cannot have namespaces.
fn where_namespaces_are_denied(act: impl FnOnce() + Send) {
    let filter = |rules: Vec<(i64, Vec<SeccompRule>)>, errno: i32| -> BpfProgram {
        let action = SeccompAction::Errno(errno.unsigned_abs());
        let machine = std::env::consts::ARCH.try_into().expect("it works here");
        SeccompFilter::new(rules.into_iter().collect(), SeccompAction::Allow, action, machine)
            .expect("it works here")
            .try_into()
            .expect("it works here")
    };
    let new_user = u64::from(libc::CLONE_NEWUSER.unsigned_abs());
    let flag = SeccompCmpOp::MaskedEq(new_user);
    let with_flag =
        SeccompCondition::new(0, SeccompCmpArgLen::Qword, flag, new_user).expect("it works here");
    let clone = SeccompRule::new(vec![with_flag]).expect("it works here");
    let denied =
        filter(vec![(libc::SYS_unshare, vec![]), (libc::SYS_clone, vec![clone])], libc::EPERM);
    let unknown = filter(vec![(libc::SYS_clone3, vec![])], libc::ENOSYS);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for program in [&denied, &unknown] {
                seccompiler::apply_filter(program).expect("it works here");
            }
            act();
        });
    });
}

fn run(place: &Path, arguments: &[&str]) -> Ended {
    salve_in(&[&["run"], arguments].concat(), "", place, &[SYSTEM])
}

#[test]
fn c061_a_command_of_the_list_runs_unasked_by_rules() {
    where_namespaces_are_denied(|| {
        let place = folder("denied-run");
        write(&place.join("src/a.txt"), "hello\n");
        let read = run(&place, &["--no-input", "--", "cat", "src/a.txt"]);
        assert_eq!((read.code, read.out.as_str()), (Some(0), "hello\n"), "{read:?}");
        let record = run(&place, &["--no-input", "--format", "json", "--", "ls"]).json();
        let missing = record["record"]["missing_layers"].to_string();
        assert!(missing.contains("user-namespace"), "the filter does nothing: {record}");
    });
}

#[test]
fn what_package_managers_make_can_be_made_by_rules_and_the_rest_has_a_hint() {
    where_namespaces_are_denied(|| {
        let place = folder("denied-make");
        for (file, text) in [("package.json", "{}"), ("go.mod", "module x\n"), ("setup.py", "")] {
            write(&place.join(file), text);
        }
        let sh = |script: &str| run(&place, &["--yes", "--", "sh", "-c", script]);
        let made = "mkdir -p node_modules/x .venv/bin && echo {} > package-lock.json && \
                    echo x > go.sum";
        let ended = sh(made);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        for path in ["node_modules/x", ".venv/bin", "package-lock.json", "go.sum"] {
            assert!(place.join(path).exists(), "{path}");
        }
        assert!(!place.join("dist").exists(), "what is empty is not left");
        for (script, word) in [
            ("touch new", "directly in the workspace's folder"),
            ("echo x > /tmp/salve-test-denied", "`TMPDIR`"),
            ("bash -c 'exec 3<> /dev/tcp/127.0.0.1/9'", "sockets"),
        ] {
            let ended = sh(script);
            assert_ne!(ended.code, Some(0), "{script}: {ended:?}");
            assert!(ended.err.contains("hint") && ended.err.contains(word), "{script}: {ended:?}");
            assert!(ended.err.contains("`salve doctor`"), "{script}: {ended:?}");
        }
    });
}

#[test]
fn a_check_runs_unasked_by_rules() {
    where_namespaces_are_denied(|| {
        let place = folder("denied-check");
        write(&place.join("a.sh"), "echo fine\n");
        let green = salve_in(&["check"], "", &place, &[SYSTEM]);
        assert_eq!(green.code, Some(0), "{green:?}");
        write(&place.join("a.sh"), "fi\n");
        let red = salve_in(&["check"], "", &place, &[SYSTEM]);
        assert_eq!(red.code, Some(1), "{red:?}");
    });
}

#[test]
fn the_doctor_says_which_guarantees_hold_who_denies_namespaces_and_what_to_do() {
    where_namespaces_are_denied(|| {
        let place = folder("denied-doctor");
        let ended = salve_in(&["doctor", "--format", "json"], "", &place, &[SYSTEM]);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        let rows: Vec<Value> = ended.json().as_array().unwrap().clone();
        let row = |name: &str| rows.iter().find(|row| row["name"] == name).unwrap().clone();
        for guarantee in ["no-write-outside", "no-secrets", "no-network", "no-survivor", "limits"] {
            assert_eq!(row(&format!("guarantee {guarantee}"))["state"], "ok", "{rows:?}");
        }
        assert_eq!(row("sandbox user-namespace")["state"], "missing");
        let remedy = row("sandbox remedy");
        let detail = remedy["detail"].as_str().unwrap();
        let (cause, what_to_do) = detail.split_once(" forbids namespaces: ").unwrap();
        assert!(!cause.is_empty() && !what_to_do.is_empty(), "{detail}");
        // Where AppArmor is the cause, the profile for this executable is printed.
        if cause.contains("AppArmor") {
            assert!(what_to_do.contains("apparmor_parser") && what_to_do.contains("userns,"));
        }
    });
}
