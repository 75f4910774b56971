//! What a run leaves behind: its record, its outputs, PAUSE.

use crate::workplace::Workplace;
use salve_check::{Gate, Plan, RunEvent, RunLog, RunPrograms, StartedBy};
use std::os::unix::fs::PermissionsExt;

#[test]
fn c075_every_run_is_recorded_with_what_who_where_and_how() {
    let place = Workplace::new();
    let failed = place.argv(&["sh", "-c", "echo out; echo err >&2; exit 3"]).unwrap();
    let mut request = place.request(Plan::of_argv(["true"]));
    request.by = StartedBy::Model;
    let _ = place.runner.run(&request).unwrap();
    let log = RunLog::read(&place.work()).unwrap();
    assert_eq!(log.records.len(), 2);
    let record = &log.records[0];
    assert_eq!(record, &failed.record);
    assert_eq!(record.plan.pipelines[0].commands[0].argv[2], "echo out; echo err >&2; exit 3");
    assert_eq!((record.cwd.clone(), record.started_at), (place.work(), 1_800_000_000));
    assert_eq!((record.gate.clone(), record.by), (Gate::Approved, StartedBy::User));
    assert_eq!(record.output_hash, blake3::hash(b"out\nerr\n").to_hex().to_string());
    assert_eq!(log.records[1].by, StartedBy::Model);
    assert_ne!(record.id, log.records[1].id);
}

#[test]
fn c075_a_run_leaves_nothing_but_its_record() {
    let place = Workplace::new();
    for _ in 0..20 {
        let _ = place.argv(&["true"]).unwrap();
        let entries = std::fs::read_dir(place.work()).unwrap();
        let names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, [".salve"]);
    }
}

#[test]
fn c075_the_full_output_is_in_private_files() {
    let place = Workplace::new();
    let run = place.argv(&["sh", "-c", "seq 100000; seq 5 >&2"]).unwrap();
    let named = place.work().join(run.record.output_file.as_ref().unwrap());
    let full = std::fs::read(&named).unwrap();
    assert_eq!(full.len() as u64, run.stdout.bytes);
    assert!(full.starts_with(b"1\n2\n") && full.ends_with(b"\n100000\n"));
    let errors = std::fs::read(named.with_extension("err")).unwrap();
    assert_eq!(errors, b"1\n2\n3\n4\n5\n");
    let whole = blake3::hash(&[full, errors].concat()).to_hex().to_string();
    assert_eq!(run.record.output_hash, whole);
    for path in [&named, &place.work().join(".salve/runs.jsonl")] {
        assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let folder = std::fs::metadata(place.work().join(".salve")).unwrap();
    assert_eq!(folder.permissions().mode() & 0o777, 0o700);
}

#[test]
fn h46_pause_is_honoured_before_the_next_run_and_resume_lifts_it() {
    let place = Workplace::new();
    assert!(place.argv(&["true"]).is_ok());
    let control = place.work().join(".salve/CONTROL.md");
    let write = |text: &str| {
        let mut file = std::fs::File::create(&control).unwrap();
        std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
    };
    write("# my notes\n\nPAUSE\n");
    let error = place.argv(&["touch", "ran"]).unwrap_err();
    assert!(matches!(error, salve_check::RunError::Paused));
    assert!(!place.work().join("ran").exists());
    write("# my notes\n\nPAUSE\nRESUME\n");
    assert!(place.argv(&["true"]).is_ok());
    write("");
    assert!(place.argv(&["true"]).is_ok());
}

#[test]
fn h45_three_orphans_in_one_run_write_pause() {
    let place = Workplace::new();
    let run = place
        .argv(&["sh", "-c", "for i in 1 2 3; do setsid sleep 60 >/dev/null 2>&1 </dev/null & done"])
        .unwrap();
    assert_eq!(run.record.orphans, 3, "{:?}", run.record);
    assert!(matches!(&run.events[..], [RunEvent::BreakerTripped { orphans: 3, .. }]));
    let text = std::fs::read_to_string(place.work().join(".salve/CONTROL.md")).unwrap();
    assert!(salve_check::is_paused(&text), "{text}");
    assert!(matches!(place.argv(&["true"]), Err(salve_check::RunError::Paused)));
}

#[test]
fn h45_orphans_are_summed_over_runs() {
    let place = Workplace::new();
    let leave_one = || place.argv(&["sh", "-c", "sleep 60 >/dev/null 2>&1 &"]).unwrap();
    assert!(leave_one().events.is_empty());
    assert!(place.argv(&["true"]).unwrap().events.is_empty());
    assert!(leave_one().events.is_empty());
    assert_eq!(leave_one().events.len(), 1);
}

#[test]
fn h45_a_process_that_ends_by_itself_in_time_is_no_orphan() {
    let place = Workplace::new();
    let run = place.argv(&["sh", "-c", "for i in 1 2 3 4 5; do sleep 0.01 & done"]).unwrap();
    assert_eq!(run.record.orphans, 0);
}
