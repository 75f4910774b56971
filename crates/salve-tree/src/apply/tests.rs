//! Applying: all of a plan or nothing of it.

use crate::testing::{Desk, Hooked, at};
use crate::{ApplyOutcome, ContentHash, History, TreeError, Workspace, WorkspaceOptions, apply};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

#[test]
fn c123_many_files_change_together() {
    let desk =
        Desk::new(&[("a.txt", "one\r\ntwo\n"), ("old/b.txt", "b"), ("run.sh", "#!/bin/sh\n")]);
    let wishes = [
        ("a.txt", Some((b"one\r\nTWO\n".as_slice(), 0o644))),
        ("old/b.txt", None),
        ("new/deep/c.txt", Some((b"\xef\xbb\xbfc".as_slice(), 0o600))),
        ("run.sh", Some((b"#!/bin/sh\n".as_slice(), 0o755))),
    ];
    let outcome = apply(&desk.open(), desk.plan(&wishes), &at(7)).unwrap();
    let ApplyOutcome::Applied(change) = outcome else { panic!("{outcome:?}") };
    assert_eq!((change.number(), change.change().made_dirs.len()), (1, 2));
    assert!(change.id().starts_with("cs-7-"), "{}", change.id());
    assert_eq!(desk.read("a.txt").unwrap(), b"one\r\nTWO\n");
    assert_eq!(desk.read("old/b.txt"), None);
    assert_eq!(desk.read("new/deep/c.txt").unwrap(), b"\xef\xbb\xbfc");
    assert_eq!((desk.mode("new/deep/c.txt"), desk.mode("run.sh")), (0o600, 0o755));
    assert_eq!(desk.leftovers(), Vec::<String>::new());
}

#[test]
fn c115_a_change_keeps_both_contents_byte_for_byte() {
    let desk = Desk::new(&[("a", "")]);
    desk.write("a", b"caf\xe9\r\nmixed\n\x00end");
    let wish =
        [("a", Some((b"new\xff\n".as_slice(), 0o644))), ("gone/b", Some((b"".as_slice(), 0o644)))];
    let outcome = apply(&desk.open(), desk.plan(&wish), &at(1)).unwrap();
    let ApplyOutcome::Applied(change) = outcome else { panic!("{outcome:?}") };
    let exported = desk.history().export(&desk.open(), change.id()).unwrap();
    let contents: Vec<_> = exported
        .contents
        .iter()
        .map(|file| {
            (file.file_path.as_str(), file.old_content.as_deref(), file.new_content.as_deref())
        })
        .collect();
    assert_eq!(
        contents,
        [
            ("a", Some(b"caf\xe9\r\nmixed\n\x00end".as_slice()), Some(b"new\xff\n".as_slice())),
            ("gone/b", None, Some(b"".as_slice())),
        ]
    );
}

#[test]
fn a_plan_that_changes_nothing_makes_no_transaction() {
    let desk = Desk::new(&[("a", "same")]);
    let outcome =
        apply(&desk.open(), desk.texts(&[("a", Some("same")), ("b", None)]), &at(1)).unwrap();
    assert_eq!(outcome, ApplyOutcome::NothingToDo);
    assert!(!desk.root().join(".salve").exists());
}

#[test]
fn a_file_that_changed_after_verification_is_a_conflict_and_nothing_moves() {
    for (path, change) in [("b", Some("theirs")), ("b", None), ("c", Some("theirs"))] {
        let desk = Desk::new(&[("a", "a"), ("b", "b")]);
        let plan = desk.texts(&[("a", Some("A")), ("b", Some("B")), ("c", Some("C"))]);
        match change {
            Some(text) => desk.write(path, text.as_bytes()),
            None => desk.remove(path),
        }
        let before = desk.picture();
        let outcome = apply(&desk.open(), plan, &at(1)).unwrap();
        assert!(matches!(&outcome, ApplyOutcome::Conflict(c) if c.path == path), "{outcome:?}");
        assert_eq!(desk.picture(), before);
        assert!(desk.history().changes().is_empty());
    }
}

#[test]
fn a_path_that_is_not_the_trees_or_comes_twice_is_no_plan() {
    let desk = Desk::new(&[]);
    for path in ["../x", ".git/config", "a/.GIT/hooks/x", ".salve/lock", "a//b", "/etc/x", "a/./b"]
    {
        let plan = desk.texts(&[(path, Some("x"))]);
        let error = apply(&desk.open(), plan, &at(1)).unwrap_err();
        assert!(matches!(error, TreeError::BadPlan { .. }), "{path}: {error}");
    }
    let plan = desk.texts(&[("a", Some("x")), ("a", Some("y"))]);
    assert!(matches!(apply(&desk.open(), plan, &at(1)), Err(TreeError::BadPlan { .. })));
}

#[test]
fn a_directory_that_became_a_link_leads_nowhere() {
    let desk = Desk::new(&[("dir/a", "a")]);
    let outside = tempfile::tempdir().unwrap();
    let plan = desk.texts(&[("dir/a", Some("A")), ("dir/new", Some("N"))]);
    desk.remove("dir/a");
    std::fs::remove_dir(desk.root().join("dir")).unwrap();
    std::os::unix::fs::symlink(outside.path(), desk.root().join("dir")).unwrap();
    assert!(matches!(apply(&desk.open(), plan, &at(1)), Err(TreeError::Io { .. })));
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
}

#[test]
fn x23_a_second_writer_is_told_who_has_the_workspace() {
    let desk = Desk::new(&[("a", "a")]);
    let (first, second) = (desk.open(), desk.open());
    let held = first.lock().unwrap();
    let error = apply(&second, desk.texts(&[("a", Some("A"))]), &at(1)).unwrap_err();
    assert!(matches!(&error, TreeError::Locked { holder } if holder == "test"), "{error}");
    drop(held);
    assert!(matches!(
        apply(&second, desk.texts(&[("a", Some("A"))]), &at(1)),
        Ok(ApplyOutcome::Applied(_))
    ));
}

#[test]
fn x23_writers_in_many_threads_each_win_or_conflict() {
    let desk = Desk::new(&[("a", "0")]);
    let wait = std::time::Duration::from_secs(60);
    let options = WorkspaceOptions { wait, ..desk.options() };
    let applied = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for number in 0..8 {
            let (desk, options, applied) = (&desk, options.clone(), &applied);
            scope.spawn(move || {
                let (workspace, _) = Workspace::open(desk.root(), options).unwrap();
                let text = format!("{number}\n");
                let own = format!("own/{number}");
                let plan = desk.texts(&[("a", Some(&text)), (&own, Some(&text))]);
                match apply(&workspace, plan, &at(number)).unwrap() {
                    ApplyOutcome::Applied(_) => applied.fetch_add(1, Ordering::Relaxed),
                    ApplyOutcome::Conflict(conflict) => {
                        assert_eq!(conflict.path, "a");
                        assert_eq!(desk.read(&own), None);
                        0
                    }
                    ApplyOutcome::NothingToDo => panic!("there was something to do"),
                };
            });
        }
    });
    let history = History::load(&desk.open()).unwrap();
    assert_eq!(history.changes().len(), applied.load(Ordering::Relaxed));
    assert!(!history.changes().is_empty());
    let numbers: Vec<u64> = history.changes().iter().map(|change| change.number).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
}

#[test]
#[expect(clippy::disallowed_methods, reason = "plays the user who edits in the worst moment")]
fn a_change_in_the_instant_of_the_swap_is_not_lost() {
    for before in 1..5 {
        let desk = Desk::new(&[("a", "a"), ("b", "b"), ("c", "c")]);
        let path = desk.root().join("b");
        let renames = Arc::new(AtomicUsize::new(0));
        let count = renames.clone();
        let desk = desk.on(Hooked::new(move |step| {
            if step == "rename" && count.fetch_add(1, Ordering::Relaxed) + 1 == before {
                std::fs::write(&path, "theirs")?;
            }
            Ok(())
        }));
        let plan = desk.texts(&[("a", Some("A")), ("b", Some("B")), ("c", None)]);
        let outcome = apply(&desk.open(), plan, &at(1)).unwrap();
        assert!(renames.load(Ordering::Relaxed) >= before);
        match outcome {
            ApplyOutcome::Conflict(conflict) => {
                assert_eq!(conflict.path, "b");
                assert_eq!(desk.text("a") + &desk.text("b") + &desk.text("c"), "atheirsc");
            }
            // After the swap of ours: an edit of our new file.
            ApplyOutcome::Applied(_) => assert_eq!(desk.text("b"), "theirs"),
            ApplyOutcome::NothingToDo => panic!("there was something to do"),
        }
        assert_eq!(desk.leftovers(), Vec::<String>::new(), "{before}");
    }
}

#[test]
fn a_content_is_kept_once() {
    let desk = Desk::new(&[("a", "x")]);
    desk.apply(&[("a", Some("same")), ("b", Some("same"))]);
    assert_eq!(History::size(&desk.open()).unwrap().contents, 2);
    assert!(desk.root().join(".salve/blobs").join(ContentHash::of(b"same").hex()).exists());
}
