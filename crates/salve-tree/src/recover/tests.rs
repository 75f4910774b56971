//! Recovery: every interrupted change ends wholly old or wholly new.

use crate::testing::{Desk, Hooked, Picture, Wish, at};
use crate::{
    ApplyOutcome, ContentHash, FileSync, History, Manifest, OnChanged, TreeError, Workspace,
    WorkspaceOptions, apply, recover, undo,
};
use proptest::prelude::*;
use std::sync::Arc;

const WISHES: &[Wish<'static>] = &[
    ("a", Some((b"a new text that is long enough to be written in two steps\n", 0o644))),
    ("gone", None),
    ("new/deep/b", Some((b"b\r\n", 0o600))),
    ("run", Some((b"#!/bin/sh\n", 0o755))),
    ("same", Some((b"other\n", 0o640))),
];

fn desk() -> Desk {
    Desk::new(&[("a", "one\ntwo\n"), ("gone", "g"), ("run", "#!/bin/sh\n"), ("same", "s\n")])
}

/// Opens as the next process would, and checks that there is nothing left to do after it.
fn restart(desk: &Desk) -> crate::Recovery {
    let (workspace, recovery) = Workspace::open(desk.root(), desk.options()).unwrap();
    assert!(recover(&workspace).unwrap().is_clean());
    assert_eq!(desk.leftovers(), Vec::<String>::new());
    recovery
}

#[test]
fn c123_the_end_at_any_step_leaves_all_old_or_all_new() {
    let mut ends = [0, 0];
    for step in 1.. {
        let desk = desk();
        let old = desk.picture();
        let desk = desk.on(Hooked::dying(step));
        let outcome = Workspace::open(desk.root(), desk.options())
            .and_then(|(workspace, _)| apply(&workspace, desk.plan(WISHES), &at(1)));
        let desk = desk.on_real_disk();
        let _ = restart(&desk);
        let applied = desk.history().changes().len();
        let expected = if applied == 1 { new_picture() } else { old };
        assert_eq!(desk.picture(), expected, "step {step}");
        ends[applied] += 1;
        if outcome.is_ok() && step > 100 {
            break;
        }
    }
    assert!(ends[0] > 30 && ends[1] > 3, "{ends:?}");
}

#[test]
fn c123_an_error_at_any_step_leaves_all_old_or_all_new() {
    for step in 1..200 {
        let desk = desk();
        let old = desk.picture();
        let desk = desk.on(Hooked::failing(step));
        let outcome = Workspace::open(desk.root(), desk.options())
            .and_then(|(workspace, _)| apply(&workspace, desk.plan(WISHES), &at(1)));
        let expected = match &outcome {
            Ok(ApplyOutcome::Applied(_)) => new_picture(),
            Err(TreeError::NotUndone { .. }) => {
                let desk = desk.on_real_disk();
                let _ = restart(&desk);
                assert_eq!(desk.picture(), old, "step {step}");
                continue;
            }
            Err(_) => old,
            Ok(other) => panic!("step {step}: {other:?}"),
        };
        assert_eq!(desk.picture(), expected, "step {step}: {outcome:?}");
        let desk = desk.on_real_disk();
        let _ = restart(&desk);
        assert_eq!(desk.picture(), expected, "step {step}");
    }
}

#[test]
fn c123_recovery_itself_may_be_interrupted_anywhere() {
    for step in (1..130).step_by(3) {
        for again in 1..14 {
            let desk = desk();
            let old = desk.picture();
            let desk = desk.on(Hooked::dying(step));
            let _ = Workspace::open(desk.root(), desk.options())
                .and_then(|(workspace, _)| apply(&workspace, desk.plan(WISHES), &at(1)));
            let desk = desk.on(Hooked::dying(again));
            let _ = Workspace::open(desk.root(), desk.options());
            let desk = desk.on_real_disk();
            let _ = restart(&desk);
            let applied = desk.history().changes().len();
            let expected = if applied == 1 { new_picture() } else { old };
            assert_eq!(desk.picture(), expected, "step {step}, then {again}");
        }
    }
}

#[test]
fn c123_an_undo_that_ends_at_any_step_is_all_or_nothing() {
    for step in 1..140 {
        let desk = desk();
        let old = desk.picture();
        let _ = apply(&desk.open(), desk.plan(WISHES), &at(1)).unwrap();
        let desk = desk.on(Hooked::dying(step));
        let _ = Workspace::open(desk.root(), desk.options())
            .and_then(|(workspace, _)| undo(&workspace, OnChanged::Refuse, &at(1)));
        let desk = desk.on_real_disk();
        let _ = restart(&desk);
        let undone = desk.history().position().is_none();
        assert_eq!(desk.picture(), if undone { old } else { new_picture() }, "step {step}");
    }
}

/// The user writes between the end of the process and the next start.
#[test]
fn c123_what_somebody_wrote_meanwhile_is_never_overwritten() {
    let mut kept = 0;
    for step in 1..130 {
        let desk = desk().on(Hooked::dying(step));
        let _ = Workspace::open(desk.root(), desk.options())
            .and_then(|(workspace, _)| apply(&workspace, desk.plan(WISHES), &at(1)));
        let desk = desk.on_real_disk();
        for path in ["a", "gone", "new/deep/b", "same"] {
            desk.write(path, format!("mine {path}").as_bytes());
        }
        desk.remove("run");
        let mine = desk.picture();
        let recovery = restart(&desk);
        for path in ["a", "gone", "new/deep/b", "same", "run"] {
            assert_eq!(desk.picture().get(path), mine.get(path), "step {step}: {path}");
        }
        for foreign in recovery.foreign.iter().filter_map(|foreign| foreign.kept.as_deref()) {
            kept += 1;
            let bytes = desk.read(foreign).unwrap();
            let old = [&b"one\ntwo\n"[..], b"g", b"#!/bin/sh\n", b"s\n"];
            assert!(old.contains(&bytes.as_slice()), "step {step}: {bytes:?}");
        }
    }
    assert!(kept > 10, "{kept}");
}

fn new_picture() -> Picture {
    let desk = desk();
    let _ = apply(&desk.open(), desk.plan(WISHES), &at(1)).unwrap();
    desk.picture()
}

#[test]
fn a_workspace_is_opened_for_reading_without_a_trace() {
    let desk = Desk::new(&[("a", "a")]);
    assert!(desk.history().changes().is_empty());
    assert_eq!(History::size(&desk.open()).unwrap().contents, 0);
    assert!(!desk.root().join(".salve").exists());
}

#[test]
fn x23_a_start_beside_a_living_writer_leaves_its_work_alone() {
    let desk = Desk::new(&[("a", "a")]);
    let writer = desk.open();
    let held = writer.lock().unwrap();
    desk.write(".salve/tmp/.salve-x-0", b"in the making");
    let (_, recovery) = Workspace::open(desk.root(), desk.options()).unwrap();
    assert_eq!(recovery.busy.as_deref(), Some("test"));
    assert_eq!(desk.leftovers().len(), 1);
    drop(held);
    assert!(restart(&desk).busy.is_none());
}

#[test]
fn a_damaged_journal_stops_writing_and_is_never_removed() {
    let desk = Desk::new(&[("a", "a")]);
    desk.apply(&[("a", Some("b"))]);
    desk.write(".salve/journal/cs-1-x.armed", b"salve-journal 1 0000\n{}");
    let (workspace, recovery) = Workspace::open(desk.root(), desk.options()).unwrap();
    assert_eq!(recovery.damaged_journals.len(), 1);
    let error = apply(&workspace, desk.texts(&[("a", Some("c"))]), &at(1)).unwrap_err();
    assert!(matches!(error, TreeError::JournalDamaged { .. }), "{error}");
    assert_eq!((desk.text("a"), desk.leftovers().len()), ("b".into(), 1));
}

#[test]
fn a_journal_from_elsewhere_leads_to_no_protected_path() {
    for path in ["../x", ".git/hooks/pre-commit", "/etc/passwd", ".salve/lock", "a\0b", ""] {
        let json = format!(
            r#"{{"txn":"t","files":[{{"path":{path:?},"old":null,"new":{{"hash":"{}","mode":493}},"temp":".salve-t-0","beside":false}}],"dirs":[],"prune":[]}}"#,
            ContentHash::of(b"").hex(),
        )
        .replace("\\0", "\\u0000");
        let bytes = format!("salve-journal 1 {}\n{json}", ContentHash::of(json.as_bytes()).hex());
        let refused = Manifest::decode(bytes.as_bytes()).unwrap_err();
        assert!(refused.contains("path"), "{refused}");
    }
}

#[test]
fn h37_a_torn_last_line_of_the_history_is_cut_off_and_the_chain_goes_on() {
    let desk = Desk::new(&[("a", "0")]);
    desk.apply(&[("a", Some("1"))]);
    let whole = desk.read(".salve/history/changes.jsonl").unwrap();
    for cut in [1, 20, 100, whole.len() - 1] {
        let mut torn = whole.clone();
        torn.extend_from_slice(&whole[..cut]);
        desk.write(".salve/history/changes.jsonl", &torn);
        assert!(restart(&desk).torn_history);
        assert_eq!(desk.read(".salve/history/changes.jsonl").unwrap(), whole);
    }
    desk.apply(&[("a", Some("2"))]);
    assert_eq!(desk.history().changes().len(), 2);
}

#[test]
fn a_history_that_was_tampered_with_is_kept_aside_and_its_good_part_believed() {
    let desk = Desk::new(&[("a", "0")]);
    for text in ["1", "2", "3"] {
        desk.apply(&[("a", Some(text))]);
    }
    let mut bytes = desk.read(".salve/history/changes.jsonl").unwrap();
    let second = bytes.iter().position(|byte| *byte == b'\n').unwrap() + 200;
    bytes[second] ^= 1;
    desk.write(".salve/history/changes.jsonl", &bytes);
    let recovery = restart(&desk);
    let copy = format!(".salve/history/{}", recovery.damaged_history.unwrap());
    assert_eq!(desk.read(&copy).unwrap(), bytes);
    assert_eq!(desk.history().changes().len(), 1);
    assert_eq!(desk.text("a"), "3");
}

#[test]
fn c123_two_hundred_files_come_back() {
    let names: Vec<String> = (0..200).map(|number| format!("d{}/f{number}", number % 20)).collect();
    let desk = Desk::new(&names.iter().map(|name| (name.as_str(), "old\n")).collect::<Vec<_>>());
    let old = desk.picture();
    let desk = desk.on(Hooked::new({
        let renames = std::sync::atomic::AtomicUsize::new(0);
        move |step| {
            let one = usize::from(step == "rename");
            let done = renames.fetch_add(one, std::sync::atomic::Ordering::Relaxed);
            if done > 100 { Err(std::io::Error::other("gone")) } else { Ok(()) }
        }
    }));
    let wishes: Vec<_> = names.iter().map(|name| (name.as_str(), Some("new\n"))).collect();
    let outcome = apply(&desk.open(), desk.texts(&wishes), &at(1));
    assert!(matches!(outcome, Err(TreeError::NotUndone { .. })));
    let desk = desk.on_real_disk();
    assert_ne!(desk.picture(), old);
    assert_eq!(restart(&desk).undone.len(), 1);
    assert_eq!(desk.picture(), old);
}

#[test]
fn full_durability_syncs_and_none_does_not() {
    for (durability, expected) in [(FileSync::Full, true), (FileSync::None, false)] {
        let desk = Desk::new(&[("a", "a")]);
        let syncs = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let count = syncs.clone();
        let disk = Hooked::new(move |step| {
            count.fetch_add(usize::from(step == "sync"), std::sync::atomic::Ordering::Relaxed);
            Ok(())
        });
        let options = WorkspaceOptions { disk, durability, ..desk.options() };
        let (workspace, _) = Workspace::open(desk.root(), options).unwrap();
        let _ = apply(&workspace, desk.texts(&[("a", Some("b"))]), &at(1)).unwrap();
        assert_eq!(syncs.load(std::sync::atomic::Ordering::Relaxed) > 0, expected);
    }
}

proptest! {
    #[test]
    fn a_manifest_is_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(Manifest::decode(&bytes).is_err());
    }
}
