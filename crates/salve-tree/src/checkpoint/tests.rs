//! Checkpoints: named, checked, restored, and never without a trace.

use crate::testing::{Desk, Hooked, at};
use crate::{
    ContentHash, OnChanged, RestoreOutcome, RestoreRequest, Restored, TreeError, TreePath,
    Workspace, create_checkpoint, list_checkpoints, restore_checkpoint, validate_checkpoint,
};
use serde_json::{Value, json};

fn checkpoint(desk: &Desk, name: &str) {
    create_checkpoint(&desk.open(), name, &[], None, 5).unwrap();
}

fn restore(desk: &Desk, name: Option<&str>) -> RestoreOutcome {
    let state = json!({"attempt": 3});
    let request =
        RestoreRequest { name, error: "E0308", state: Some(&state), ..Default::default() };
    restore_checkpoint(&desk.open(), &request, &at(1_794_789_912_123)).unwrap()
}

fn restored(outcome: RestoreOutcome) -> Restored {
    match outcome {
        RestoreOutcome::Restored(restored) => *restored,
        other => panic!("not restored: {other:?}"),
    }
}

fn damage(desk: &Desk, text: &str) {
    desk.write(&format!(".salve/blobs/{}", ContentHash::of(text.as_bytes()).hex()), b"damaged");
}

fn three_states() -> Desk {
    let desk = Desk::new(&[("a", "zero\n"), ("b", "b\n")]);
    for (text, name) in [("one\n", "first"), ("two\n", "second")] {
        desk.apply(&[("a", Some(text)), ("new", Some(text))]);
        checkpoint(&desk, name);
    }
    desk.apply(&[("a", Some("broken\n")), ("new", None), ("c", Some("c\n"))]);
    desk
}

#[test]
fn h34_the_last_checkpoint_is_restored_and_the_restore_can_be_undone() {
    let desk = three_states();
    let broken = desk.picture();
    let done = restored(restore(&desk, None));
    assert_eq!(done.checkpoint.name, "second");
    assert_eq!((desk.text("a"), desk.text("new")), ("two\n".into(), "two\n".into()));
    desk.undo();
    assert_eq!(desk.picture(), broken);
    assert_eq!(restored(restore(&desk, Some("first"))).checkpoint.name, "first");
    assert_eq!(desk.text("a"), "one\n");
}

#[test]
fn h34_a_damaged_checkpoint_is_passed_over_for_the_one_before() {
    let desk = three_states();
    damage(&desk, "two\n");
    assert_eq!(restored(restore(&desk, None)).checkpoint.name, "first");
    assert_eq!(desk.text("a"), "one\n");

    let desk = three_states();
    desk.write(".salve/checkpoints/000002.json", b"salve-checkpoint 1 00\n{}");
    assert_eq!(restored(restore(&desk, None)).checkpoint.name, "first");
}

#[test]
fn h34_without_a_whole_checkpoint_nothing_is_touched_and_the_report_stays() {
    let desk = three_states();
    damage(&desk, "one\n");
    damage(&desk, "two\n");
    let before = desk.picture();
    let outcome = restore(&desk, None);
    let RestoreOutcome::NoneValid { report } = outcome else { panic!("{outcome:?}") };
    assert_eq!(desk.picture(), before);
    assert_eq!(desk.history().changes().len(), 3);
    assert!(desk.read(&report).is_some());
    let unknown = restore_checkpoint(
        &desk.open(),
        &RestoreRequest { name: Some("third"), ..Default::default() },
        &at(1),
    );
    assert!(matches!(unknown, Err(TreeError::Unknown { .. })));
}

#[test]
fn h37_the_list_tells_which_checkpoints_are_whole() {
    let desk = three_states();
    let valid = |desk: &Desk| -> Vec<bool> {
        list_checkpoints(&desk.open()).unwrap().iter().map(|listed| listed.valid).collect()
    };
    assert_eq!(valid(&desk), [true, true]);
    damage(&desk, "one\n");
    assert_eq!(valid(&desk), [false, true]);
    let first = validate_checkpoint(&desk.open(), "first").unwrap();
    assert!(first.why.unwrap().starts_with("a: the kept content"));
    desk.write(".salve/checkpoints/000002.json", b"");
    assert_eq!(valid(&desk), [false, false]);
    assert!(validate_checkpoint(&desk.open(), "second").is_err());
}

#[test]
fn h33_the_state_left_behind_is_written_down_with_difference_and_error() {
    let desk = three_states();
    let first = restored(restore(&desk, Some("second"))).report.unwrap();
    desk.undo();
    let second = restored(restore(&desk, Some("second"))).report.unwrap();
    assert_eq!(first, ".salve/healing-attempts/corrupted-state-20261116T004512123Z.json");
    assert_eq!(second, ".salve/healing-attempts/corrupted-state-20261116T004512123Z-1.json");
    let report: Value = serde_json::from_slice(&desk.read(&first).unwrap()).unwrap();
    assert_eq!(report["error"], "E0308");
    assert_eq!(report["state"]["heal"]["attempt"], 3);
    assert_eq!(report["state"]["files"][0]["filePath"], "a");
    assert_eq!(report["state"]["files"][0]["content"]["hash"], ContentHash::of(b"broken\n").hex());
    let unified = report["diff"][0]["unified"].as_str().unwrap();
    assert!(unified.contains("-two\n+broken\n"), "{unified}");
}

#[test]
fn h38_the_report_is_on_disk_before_the_tree_changes() {
    for step in 1..120 {
        let desk = three_states();
        let broken = desk.picture();
        let desk = desk.on(Hooked::dying(step));
        let request = RestoreRequest { error: "E", ..Default::default() };
        let _ = Workspace::open(desk.root(), desk.options())
            .and_then(|(workspace, _)| restore_checkpoint(&workspace, &request, &at(7)));
        let changed = desk.picture() != broken;
        let report = desk.read(".salve/healing-attempts/corrupted-state-19700101T000000007Z.json");
        let whole = report.is_some_and(|bytes| serde_json::from_slice::<Value>(&bytes).is_ok());
        assert!(whole || !changed, "step {step}");
    }
}

#[test]
fn c122_a_restore_does_not_overwrite_what_was_changed_beside_salve() {
    let desk = three_states();
    desk.write("a", b"mine\n");
    let before = desk.picture();
    let outcome = restore(&desk, None);
    let RestoreOutcome::Changed { files } = outcome else { panic!("{outcome:?}") };
    assert_eq!(files[0].path, "a");
    assert_eq!(desk.picture(), before);
    assert_eq!(reports(&desk), 0, "a restore that was refused leaves nothing behind");
    let request = RestoreRequest { on_changed: OnChanged::Force, ..Default::default() };
    let done = restored(restore_checkpoint(&desk.open(), &request, &at(1)).unwrap());
    assert!(done.change.is_some());
    assert_eq!(desk.text("a"), "two\n");
    desk.undo();
    assert_eq!(desk.picture(), before);
}

#[test]
fn h37_files_that_salve_never_touched_can_be_named() {
    let desk = three_states();
    let path = TreePath::admitted("b".to_owned());
    let made = create_checkpoint(&desk.open(), "with b", &[path], Some(json!(1)), 9).unwrap();
    assert!(made.tree.contains_key("b") && made.tree["new"].is_none());
    assert_eq!((made.number, made.state), (3, Some(json!(1))));
    assert_eq!(restored(restore(&desk, None)).change, None);
}

#[test]
fn everything_that_salve_changed_since_is_put_back() {
    let desk = Desk::new(&[("run.sh", "1\n"), ("other.txt", "o\n"), ("gone.txt", "g\n")]);
    let pristine = desk.picture();
    checkpoint(&desk, "pristine");
    desk.apply(&[("run.sh", Some("2\n"))]);
    let green = desk.picture();
    checkpoint(&desk, "green");
    desk.apply(&[("other.txt", Some("O\n")), ("new/file.txt", Some("n\n"))]);
    desk.apply(&[("run.sh", Some("3\n")), ("gone.txt", None)]);
    let broken = desk.picture();
    assert!(restored(restore(&desk, Some("green"))).change.is_some());
    assert_eq!(desk.picture(), green);
    desk.undo();
    assert_eq!(desk.picture(), broken);
    // A checkpoint of a tree that Salve had not touched is a state like any other.
    let done = restored(restore(&desk, Some("pristine")));
    assert_eq!(done.checkpoint.tree.len(), 0);
    assert_eq!(desk.picture(), pristine);
    desk.undo();
    assert_eq!(desk.picture(), broken);
}

#[test]
fn a_state_that_is_there_already_leaves_no_report() {
    let desk = three_states();
    checkpoint(&desk, "now");
    let done = restored(restore(&desk, Some("now")));
    assert_eq!((done.change, done.report), (None, None));
    assert_eq!(reports(&desk), 0);
}

fn reports(desk: &Desk) -> usize {
    let folder = desk.root().join(".salve/healing-attempts");
    std::fs::read_dir(folder).map_or(0, Iterator::count)
}

#[test]
fn of_checkpoints_with_one_name_each_can_be_restored_by_its_number() {
    let desk = Desk::new(&[("a", "0\n")]);
    for text in ["1\n", "2\n"] {
        desk.apply(&[("a", Some(text))]);
        checkpoint(&desk, "green");
    }
    assert!(restored(restore(&desk, Some("#1"))).change.is_some());
    assert_eq!(desk.text("a"), "1\n");
    assert!(restored(restore(&desk, Some("green"))).change.is_some());
    assert_eq!(desk.text("a"), "2\n");
}
