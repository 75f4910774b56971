//! Undo, redo and rewind: any position, any time, and back.

use crate::testing::{Desk, Picture, Wish, at, moved};
use crate::{
    ApplyOutcome, ChangeMeta, NotApplied, OnChanged, RewindOutcome, ThreeWay, apply,
    record_unapplied,
};
use crate::{redo, rewind, undo};
use proptest::prelude::*;

#[test]
fn c121_undo_removes_what_was_created_and_restores_what_was_deleted_with_its_mode() {
    let desk = Desk::new(&[("keep", "k"), ("gone", "g")]);
    desk.chmod("gone", 0o751);
    let before = desk.picture();
    desk.apply(&[("new/deep/file", Some("n")), ("gone", None)]);
    let after = desk.picture();
    let undone = desk.undo();
    assert_eq!(undone.files, ["gone", "new/deep/file"]);
    assert_eq!(desk.picture(), before);
    desk.redo();
    assert_eq!(desk.picture(), after);
}

#[test]
fn c117_rewind_works_after_every_restart() {
    let desk = Desk::new(&[("a", "0")]);
    let ids: Vec<String> = (1..5).map(|n| desk.apply(&[("a", Some(&n.to_string()))]).id).collect();
    desk.rewind(Some(&ids[0]));
    assert_eq!(desk.text("a"), "1");
    desk.rewind(None);
    assert_eq!(desk.text("a"), "0");
    desk.rewind(Some(&ids[3]));
    assert_eq!(desk.text("a"), "4");
}

#[test]
fn c119_rewind_two_redo_one_and_a_new_change_keeps_the_tail() {
    let desk = Desk::new(&[("a", "0")]);
    let ids: Vec<String> = (1..4).map(|n| desk.apply(&[("a", Some(&n.to_string()))]).id).collect();
    desk.rewind(Some(&ids[0]));
    desk.redo();
    assert_eq!(desk.text("a"), "2");
    let branch = desk.apply(&[("a", Some("branch")), ("b", Some("b"))]).id;
    let history = desk.history();
    assert_eq!(history.position().unwrap().parent.as_ref(), Some(&ids[1]));
    assert_eq!(history.changes().len(), 4);
    assert!(history.next().is_none());
    assert!(!history.is_in_effect(&ids[2]) && history.is_in_effect(&ids[0]));
    desk.rewind(Some(&ids[2]));
    assert_eq!((desk.text("a"), desk.read("b")), ("3".into(), None));
    desk.rewind(Some(&branch));
    assert_eq!((desk.text("a"), desk.text("b")), ("branch".into(), "b".into()));
}

#[test]
fn c122_a_file_edited_since_stops_the_undo_and_says_how_to_go_on() {
    let desk = Desk::new(&[("a", "1\n2\n3\n4\n5\n6\n7\n"), ("b", "b")]);
    desk.apply(&[("a", Some("1\nTWO\n3\n4\n5\n6\n7\n")), ("b", Some("B"))]);
    desk.write("a", b"1\nTWO\n3\n4\n5\n6\nmine\n");
    let before = desk.picture();
    let outcome = undo(&desk.open(), OnChanged::Refuse, &at(9)).unwrap();
    let RewindOutcome::Changed(files) = outcome else { panic!("{outcome:?}") };
    assert_eq!(files.len(), 1);
    assert_eq!((files[0].path.as_str(), &files[0].merge), ("a", &ThreeWay::Clean));
    assert_eq!(desk.picture(), before);

    let merged = moved(undo(&desk.open(), OnChanged::Merge, &at(10)).unwrap());
    assert_eq!((desk.text("a"), desk.text("b")), ("1\n2\n3\n4\n5\n6\nmine\n".into(), "b".into()));
    desk.rewind(merged.recorded.as_deref());
    assert_eq!(desk.picture(), before);
}

#[test]
fn c122_an_edit_of_the_same_lines_is_shown_with_both_sides() {
    let desk = Desk::new(&[("a", "one\n")]);
    desk.apply(&[("a", Some("two\n"))]);
    desk.write("a", b"three\n");
    for how in [OnChanged::Refuse, OnChanged::Merge] {
        let outcome = undo(&desk.open(), how, &at(9)).unwrap();
        let RewindOutcome::Changed(files) = outcome else { panic!("{outcome:?}") };
        let ThreeWay::Overlap(text) = &files[0].merge else { panic!("{files:?}") };
        assert!(text.contains("three") && text.contains("one"), "{text}");
        assert_eq!(desk.text("a"), "three\n");
    }
}

#[test]
fn c122_force_keeps_what_it_overwrites_within_reach() {
    let desk = Desk::new(&[("a", "one\n")]);
    desk.apply(&[("a", Some("two\n")), ("b", Some("b"))]);
    desk.write("a", b"mine\n");
    desk.remove("b");
    let forced = moved(undo(&desk.open(), OnChanged::Force, &at(9)).unwrap());
    assert_eq!((desk.text("a"), desk.read("b")), ("one\n".into(), None));
    desk.rewind(forced.recorded.as_deref());
    assert_eq!((desk.text("a"), desk.read("b")), ("mine\n".into(), None));
}

#[test]
fn c122_a_link_in_the_place_of_a_file_is_never_forced() {
    let desk = Desk::new(&[("a", "one\n"), ("b", "b")]);
    desk.apply(&[("a", Some("two\n"))]);
    desk.remove("a");
    std::os::unix::fs::symlink("b", desk.root().join("a")).unwrap();
    let outcome = undo(&desk.open(), OnChanged::Force, &at(9)).unwrap();
    assert!(matches!(outcome, RewindOutcome::Changed(_)), "{outcome:?}");
    assert_eq!(desk.text("b"), "b");
}

#[test]
fn c122_a_file_that_is_already_as_it_was_is_left_alone() {
    let desk = Desk::new(&[("a", "one\n"), ("b", "b")]);
    desk.apply(&[("a", Some("two\n")), ("b", Some("B"))]);
    desk.write("a", b"one\n");
    assert_eq!(desk.undo().files, ["b"]);
    assert_eq!((desk.text("a"), desk.text("b")), ("one\n".into(), "b".into()));
}

#[test]
fn c120_changes_that_never_applied_are_counted_and_not_rolled_back() {
    let desk = Desk::new(&[("a", "one\n")]);
    desk.apply(&[("a", Some("two\n"))]);
    for why in [NotApplied::Blocked, NotApplied::Blocked, NotApplied::NoChangeNeeded] {
        record_unapplied(&desk.open(), &["a".to_owned()], why, &at(5)).unwrap();
    }
    let undone = desk.undo();
    assert_eq!(desk.text("a"), "one\n");
    assert_eq!(
        undone.messages,
        [
            "⚠️ 2 change(s) failed to apply originally (AI hallucinated file content). These cannot be rolled back.",
            "1 change(s) found the files as intended and changed nothing; there is nothing to roll back.",
        ]
    );
    assert_eq!(desk.redo().messages, Vec::<String>::new());
}

#[test]
fn what_a_change_installed_is_said_to_remain() {
    let desk = Desk::new(&[("a", "one\n")]);
    let meta = ChangeMeta { remains: vec!["npm install x".to_owned()], ..at(3) };
    let applied = apply(&desk.open(), desk.texts(&[("a", Some("two\n"))]), &meta).unwrap();
    assert!(matches!(applied, ApplyOutcome::Applied(_)), "{applied:?}");
    desk.apply(&[("a", Some("three\n"))]);
    assert_eq!(desk.undo().messages, [""; 0]);
    assert_eq!(desk.undo().messages, ["What `npm install x` installed remains."]);
    assert_eq!(desk.redo().messages, [""; 0]);
}

#[test]
fn x03_three_failed_attempts_leave_the_tree_as_it_was() {
    let desk = Desk::new(&[("a", "one\n"), ("keep/b", "b\n")]);
    let before = desk.picture();
    for text in ["first\n", "second\n", "third\n"] {
        desk.apply(&[("a", Some(text)), ("made/c", Some(text)), ("keep/b", None)]);
        desk.undo();
        assert_eq!(desk.picture(), before);
    }
    desk.apply(&[("a", Some("x\n"))]);
    desk.apply(&[("a", Some("y\n")), ("made/c", Some("c\n"))]);
    desk.rewind(None);
    assert_eq!(desk.picture(), before);
    assert_eq!(desk.history().changes().len(), 5);
}

#[test]
fn x11_undo_and_redo_have_an_end() {
    let desk = Desk::new(&[("a", "one\n")]);
    let nothing = RewindOutcome::NothingToDo;
    assert_eq!(undo(&desk.open(), OnChanged::Refuse, &at(1)).unwrap(), nothing);
    assert_eq!(redo(&desk.open(), OnChanged::Refuse, &at(1)).unwrap(), nothing);
    desk.apply(&[("a", Some("two\n"))]);
    desk.undo();
    assert_eq!(undo(&desk.open(), OnChanged::Refuse, &at(1)).unwrap(), nothing);
    assert!(rewind(&desk.open(), Some("cs-0-none"), OnChanged::Refuse, &at(1)).is_err());
}

#[test]
fn x11_the_users_git_is_not_touched() {
    let desk = Desk::new(&[("a", "one\n"), (".git/HEAD", "ref: x\n"), (".git/index", "i")]);
    let git = |desk: &Desk| -> Picture {
        desk.picture().into_iter().filter(|(path, _)| path.starts_with(".git")).collect()
    };
    let before = git(&desk);
    desk.apply(&[("a", Some("two\n"))]);
    desk.undo();
    assert_eq!(git(&desk), before);
    assert_eq!(desk.text(".salve/.gitignore"), "*\n");
    assert_eq!(desk.mode(".salve"), 0o700);
}

/// Contents with line ends of every kind, with and without a final one.
fn content() -> impl Strategy<Value = Vec<u8>> {
    let line = ("[a-c]{0,3}", prop_oneof![Just("\n"), Just("\r\n"), Just("\r")])
        .prop_map(|(text, end)| format!("{text}{end}"));
    (prop::collection::vec(line, 0..6), "[x-z]{0,2}", prop::bool::weighted(0.1)).prop_map(
        |(lines, tail, odd)| {
            let mut bytes = lines.concat().into_bytes();
            bytes.extend_from_slice(tail.as_bytes());
            if odd {
                bytes.extend_from_slice(b"\x00\xff");
            }
            bytes
        },
    )
}

const PATHS: &[&str] = &["a", "b", "d/a", "d/b", "d/e/a", "f/g/h/a", "a b", "ü"];

type Side = Option<(Vec<u8>, u32)>;

fn side() -> impl Strategy<Value = Side> {
    let mode = prop_oneof![Just(0o644u32), Just(0o755), Just(0o600), Just(0o664)];
    prop::option::weighted(0.7, (content(), mode))
}

fn cases() -> ProptestConfig {
    let usual = ProptestConfig::default();
    // The number can be set from outside, by PROPTEST_CASES; the library's own default is 256.
    let cases = if usual.cases == 256 { 1_000 } else { usual.cases };
    ProptestConfig { cases, failure_persistence: None, ..usual }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn c123_apply_then_undo_is_identity_and_redo_its_inverse(
        tree in prop::collection::vec(side(), PATHS.len()),
        edits in prop::collection::vec(prop::collection::vec((0..PATHS.len(), side()), 1..6), 1..4),
    ) {
        let desk = Desk::new(&[]);
        for (path, side) in PATHS.iter().zip(&tree) {
            if let Some((bytes, mode)) = side {
                desk.write(path, bytes);
                desk.chmod(path, *mode);
            }
        }
        let mut pictures = vec![desk.picture()];
        for edit in &edits {
            let mut wishes: Vec<Wish<'_>> = Vec::new();
            for (path, side) in edit {
                if wishes.iter().all(|(known, _)| known != &PATHS[*path]) {
                    let side = side.as_ref().map(|(bytes, mode)| (bytes.as_slice(), *mode));
                    wishes.push((PATHS[*path], side));
                }
            }
            match apply(&desk.open(), desk.plan(&wishes), &at(1)).unwrap() {
                ApplyOutcome::Applied(_) => pictures.push(desk.picture()),
                ApplyOutcome::NothingToDo => {}
                ApplyOutcome::Conflict(conflict) => prop_assert!(false, "{conflict:?}"),
            }
        }
        for expected in pictures.iter().rev().skip(1) {
            desk.undo();
            prop_assert_eq!(&desk.picture(), expected);
        }
        for expected in pictures.iter().skip(1) {
            desk.redo();
            prop_assert_eq!(&desk.picture(), expected);
        }
        prop_assert_eq!(desk.leftovers(), Vec::<String>::new());
    }
}

#[test]
fn several_changes_are_taken_back_at_once_and_made_again_one_by_one() {
    let desk = Desk::new(&[("a", "0\n")]);
    for text in ["1\n", "2\n", "3\n"] {
        desk.apply(&[("a", Some(text))]);
    }
    let moved = |outcome| matches!(outcome, RewindOutcome::Moved(_));
    assert!(moved(crate::undo_many(&desk.open(), 2, OnChanged::Refuse, &at(9)).unwrap()));
    assert_eq!(desk.text("a"), "1\n");
    assert!(crate::undo_many(&desk.open(), 2, OnChanged::Refuse, &at(9)).is_err());
    assert_eq!(desk.text("a"), "1\n");
    assert!(moved(crate::redo(&desk.open(), OnChanged::Refuse, &at(10)).unwrap()));
    assert_eq!(desk.text("a"), "2\n");
}

#[test]
fn what_a_merge_took_back_can_be_made_again() {
    let desk = Desk::new(&[("a", "1\n2\n3\n4\n5\n6\n7\n8\n")]);
    desk.apply(&[("a", Some("one\n2\n3\n4\n5\n6\n7\n8\n"))]);
    desk.write("a", b"one\n2\n3\n4\n5\n6\n7\nmine\n");
    let moved = |outcome| matches!(outcome, RewindOutcome::Moved(_));
    assert!(moved(crate::undo(&desk.open(), OnChanged::Merge, &at(9)).unwrap()));
    assert_eq!(desk.text("a"), "1\n2\n3\n4\n5\n6\n7\nmine\n");
    assert!(moved(crate::redo(&desk.open(), OnChanged::Refuse, &at(10)).unwrap()));
    assert_eq!(desk.text("a"), "one\n2\n3\n4\n5\n6\n7\nmine\n");
    assert!(moved(crate::undo(&desk.open(), OnChanged::Merge, &at(11)).unwrap()));
}

#[test]
fn one_file_is_taken_back_step_by_step_and_the_others_stay() {
    let desk = Desk::new(&[("a", "0\n"), ("b", "0\n")]);
    desk.apply(&[("a", Some("1\n")), ("b", Some("1\n"))]);
    desk.apply(&[("a", Some("2\n"))]);
    desk.apply(&[("b", Some("2\n"))]);
    let path = crate::TreePath::admitted("a".to_owned());
    let back = |desk: &Desk, how| crate::undo_file(&desk.open(), &path, how, &at(9)).unwrap();
    assert!(matches!(back(&desk, OnChanged::Refuse), RewindOutcome::Moved(_)));
    assert_eq!((desk.text("a"), desk.text("b")), ("1\n".into(), "2\n".into()));
    assert!(matches!(back(&desk, OnChanged::Refuse), RewindOutcome::Moved(_)));
    assert_eq!((desk.text("a"), desk.text("b")), ("0\n".into(), "2\n".into()));
    assert_eq!(back(&desk, OnChanged::Refuse), RewindOutcome::NothingToDo);
    desk.undo();
    assert_eq!(desk.text("a"), "1\n");
    desk.write("a", b"mine\n");
    assert!(matches!(back(&desk, OnChanged::Refuse), RewindOutcome::Changed(_)));
    assert!(matches!(back(&desk, OnChanged::Force), RewindOutcome::Moved(_)));
    assert_eq!((desk.text("a"), desk.text("b")), ("0\n".into(), "2\n".into()));
}
