//! `salve history`, `undo`, `redo`, `rewind`, `diff`, `checkpoint`, `recover`.
//!
//! In: a small tree and changes to it. Out: that each command does what it says across processes.

use crate::run::{Ended, folder, salve_in, write};
use std::path::{Path, PathBuf};

fn run(place: &Path, arguments: &[&str], input: &str) -> Ended {
    salve_in(arguments, input, place, &[])
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| format!("({error})"))
}

fn change(place: &Path, from: &str, to: &str) {
    let reply = format!("a.txt\n<<<<<<< SEARCH\n{from}\n=======\n{to}\n>>>>>>> REPLACE\n");
    let ended = run(place, &["apply"], &reply);
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

fn three_changes(name: &str) -> PathBuf {
    let place = folder(name);
    write(&place.join("a.txt"), "zero\n");
    change(&place, "zero", "one");
    change(&place, "one", "two");
    change(&place, "two", "three");
    place
}

#[test]
fn c117_undo_and_redo_work_in_new_processes() {
    let place = three_changes("c117");
    let file = place.join("a.txt");
    for (command, expected) in [
        ("undo", "two\n"),
        ("undo", "one\n"),
        ("redo", "two\n"),
        ("undo", "one\n"),
        ("undo", "zero\n"),
    ] {
        let ended = run(&place, &[command], "");
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert_eq!(read(&file), expected);
    }
    assert!(run(&place, &["undo"], "").out.contains("nothing to undo"));
}

#[test]
fn c116_the_list_shows_number_files_lines_and_age() {
    let place = three_changes("c116");
    assert_eq!(run(&place, &["undo"], "").code, Some(0));
    let list = run(&place, &["history"], "").out;
    // Below each change are the names of its files.
    let lines: Vec<&str> = list.lines().filter(|line| !line.starts_with("    ")).collect();
    assert!(lines[0].starts_with("○ Change #3 - 1 file (+1 -1) - "), "{list}");
    assert!(lines[0].ends_with("s ago (taken back)"), "{list}");
    assert!(lines[1].starts_with("● Change #2 - 1 file (+1 -1) - "), "{list}");
    assert!(lines[2].starts_with("○ Change #1 - 1 file (+1 -1) - "), "{list}");
    assert!(lines[3].contains("3 changes"), "{list}");
}

#[test]
fn c119_a_change_after_a_rewind_branches_and_keeps_the_tail() {
    let place = three_changes("c119");
    assert_eq!(run(&place, &["rewind", "1"], "").code, Some(0));
    assert_eq!(read(&place.join("a.txt")), "one\n");
    change(&place, "one", "other");
    assert_eq!(run(&place, &["rewind", "#3"], "").code, Some(0));
    assert_eq!(read(&place.join("a.txt")), "three\n");
    assert_eq!(run(&place, &["rewind", "4"], "").code, Some(0));
    assert_eq!(read(&place.join("a.txt")), "other\n");
    assert_eq!(run(&place, &["rewind", "0"], "").code, Some(0));
    assert_eq!(read(&place.join("a.txt")), "zero\n");
    assert_eq!(run(&place, &["rewind", "99"], "").code, Some(2));
}

#[test]
fn c122_what_the_user_changed_since_is_not_overwritten_unless_forced() {
    let place = three_changes("c122");
    let file = place.join("a.txt");
    write(&file, "three and mine\n");
    let refused = run(&place, &["undo"], "");
    assert_eq!(refused.code, Some(4), "{refused:?}");
    assert!(refused.out.contains("--force"), "{}", refused.out);
    assert_eq!(read(&file), "three and mine\n");
    assert_eq!(run(&place, &["undo", "--force"], "").code, Some(0));
    assert_eq!(read(&file), "two\n");
}

#[test]
fn c121_a_created_file_goes_and_a_deleted_one_comes_back() {
    let place = folder("c121");
    write(&place.join("old.txt"), "old\n");
    let reply = "*** Begin Patch\n*** Add File: deep/er/new.txt\n+new\n*** Delete File: old.txt\n*** End Patch\n";
    assert_eq!(run(&place, &["apply"], reply).code, Some(0));
    assert_eq!(read(&place.join("deep/er/new.txt")), "new\n");
    assert!(!place.join("old.txt").exists());
    assert_eq!(run(&place, &["undo"], "").code, Some(0));
    assert!(!place.join("deep").exists());
    assert_eq!(read(&place.join("old.txt")), "old\n");
}

#[test]
fn a_diff_shows_the_last_change_and_export_both_contents() {
    let place = three_changes("diff");
    let diff = run(&place, &["diff"], "").out;
    assert!(diff.contains("-two\n+three\n"), "{diff}");
    assert!(run(&place, &["diff", "1"], "").out.contains("-zero\n+one\n"));
    let export = run(&place, &["history", "export", "2"], "").json();
    assert_eq!(export["contents"][0]["oldContent"], "one\n");
    assert_eq!(export["contents"][0]["newContent"], "two\n");
}

#[test]
fn h37_checkpoints_are_listed_with_their_validity_and_restored() {
    let place = three_changes("h37");
    assert_eq!(run(&place, &["checkpoint", "create", "green"], "").code, Some(0));
    change(&place, "three", "four");
    let list = run(&place, &["checkpoint", "list"], "").out;
    assert!(list.contains("green") && list.contains("valid"), "{list}");
    let restored = run(&place, &["checkpoint", "restore", "green"], "");
    assert_eq!(restored.code, Some(0), "{restored:?}");
    assert_eq!(read(&place.join("a.txt")), "three\n");
    assert_eq!(run(&place, &["undo"], "").code, Some(0));
    assert_eq!(read(&place.join("a.txt")), "four\n");
}

#[test]
fn x11_git_sees_only_the_files_that_were_edited() {
    let place = three_changes("x11");
    assert_eq!(read(&place.join(".git")), "", "the repository's own file is as it was");
    assert_eq!(read(&place.join(".salve/.gitignore")).trim(), "*");
}

#[test]
fn recover_says_that_there_is_nothing_to_do_and_makes_nothing() {
    let place = folder("recover");
    let ended = run(&place, &["recover"], "");
    assert_eq!((ended.code, ended.out.as_str()), (Some(0), "nothing to recover\n"));
    assert!(!place.join(".salve").exists());
}

#[test]
fn the_list_names_the_files_of_every_change() {
    let place = three_changes("names");
    run(&place, &["apply"], "new/file.txt\n```\nfresh\n```\n");
    let listed = run(&place, &["history"], "").out;
    assert!(listed.contains("new/file.txt (new)"), "{listed}");
    assert_eq!(listed.matches("\n    ").count(), 4, "{listed}");
}

#[test]
fn several_changes_and_single_files_are_taken_back() {
    let place = three_changes("several");
    let before = run(&place, &["undo", "2"], "");
    assert_eq!(before.code, Some(0), "{before:?}");
    let left = run(&place, &["history"], "").out;
    assert_eq!(left.matches("(taken back)").count(), 2, "{left}");
    assert_eq!(run(&place, &["undo", "9"], "").code, Some(2));
    assert_eq!(run(&place, &["undo", "0"], "").code, Some(2));
    assert_eq!(run(&place, &["redo"], "").code, Some(0));
}
