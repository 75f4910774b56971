//! A machine that refuses namespaces: what AppArmor and container engines do, done by a filter.

use crate::workplace::Workplace;
use salve_check::{Gate, Plan, RunPrograms, StartedBy};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule,
};
use std::collections::BTreeMap;

/// Runs something where this thread, and what it starts, cannot have namespaces.
fn where_namespaces_are_denied(act: impl FnOnce() + Send) {
    let filter = |rules: Vec<(i64, Vec<SeccompRule>)>, errno: i32| -> BpfProgram {
        let action = SeccompAction::Errno(errno.unsigned_abs());
        let machine = std::env::consts::ARCH.try_into().unwrap();
        let rules: BTreeMap<_, _> = rules.into_iter().collect();
        SeccompFilter::new(rules, SeccompAction::Allow, action, machine)
            .unwrap()
            .try_into()
            .unwrap()
    };
    let new_user = u64::from(libc::CLONE_NEWUSER.unsigned_abs());
    let with_flag = SeccompCondition::new(
        0,
        SeccompCmpArgLen::Qword,
        SeccompCmpOp::MaskedEq(new_user),
        new_user,
    );
    let clone = SeccompRule::new(vec![with_flag.unwrap()]).unwrap();
    let denied =
        filter(vec![(libc::SYS_unshare, vec![]), (libc::SYS_clone, vec![clone])], libc::EPERM);
    let unknown = filter(vec![(libc::SYS_clone3, vec![])], libc::ENOSYS);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for program in [&denied, &unknown] {
                seccompiler::apply_filter(program).unwrap();
            }
            act();
        });
    });
}

#[test]
fn c061_every_guarantee_holds_where_namespaces_are_denied() {
    where_namespaces_are_denied(|| {
        let place = Workplace::new();
        let missing: Vec<_> =
            place.runner.guarantees().unwrap().into_iter().filter(|one| !one.held).collect();
        assert!(missing.is_empty(), "{missing:?}");
        let layers = place.runner.layers().unwrap();
        assert!(layers.iter().any(|report| !report.available), "the filter does nothing");
    });
}

#[test]
fn c061_a_run_starts_unasked_where_namespaces_are_denied() {
    where_namespaces_are_denied(|| {
        let place = Workplace::new();
        for name in [".git", "src"] {
            std::fs::create_dir(place.work().join(name)).unwrap();
        }
        let script = "echo x > src/made; echo x > .git/made; echo x > ../made; cat /etc/hostname";
        let mut request = place.request(Plan::of_argv(["sh", "-c", script]));
        request.gate = Gate::Policy { rule: "sh".to_owned() };
        request.by = StartedBy::Model;
        let run = place.runner.run(&request).unwrap();
        assert!(run.succeeded(), "{}", run.for_model());
        assert!(run.record.missing_guarantees.is_empty());
        assert!(run.record.missing_layers.contains(&"user-namespace".to_owned()));
        assert!(place.work().join("src/made").is_file());
        assert!(!place.work().join(".git/made").exists());
        assert_eq!(std::fs::read_dir(place.temporary()).unwrap().count(), 0);
    });
}
