//! A command in a subfolder of a project works on the project.

use crate::run::{folder, salve_in, write};
use serde_json::Value;
use std::path::Path;

fn edit(path: &str, old: &str, new: &str) -> String {
    format!("{path}\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("it works here")
}

#[test]
fn every_command_in_a_subfolder_works_on_the_same_workspace() {
    let root = folder("place_subfolder");
    for (path, text) in [
        ("top.txt", "top\n"),
        ("both.txt", "of the root\n"),
        ("crates/b/src/lib.txt", "one\ntwo\n"),
        ("crates/b/both.txt", "of b\n"),
    ] {
        write(&root.join(path), text);
    }
    let b = root.join("crates/b");
    let source = b.join("src/lib.txt");
    // Seen from the root, and from the current folder.
    let apply = |input: &str| salve_in(&["apply", "--format", "json"], input, &b, &[]);
    assert_eq!(apply(&edit("crates/b/src/lib.txt", "one", "ONE")).code, Some(0));
    assert_eq!(apply(&edit("src/lib.txt", "two", "TWO")).code, Some(0));
    assert_eq!(read(&source), "ONE\nTWO\n");
    // Two files of that name.
    let refused = apply(&edit("both.txt", "of b", "x"));
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.out.contains("ambiguous_path"), "{refused:?}");
    // One history, wherever it is asked for.
    let src = b.join("src");
    let history = salve_in(&["history", "--format", "json"], "", &root, &[]).json();
    let changes = history["changeHistory"]["history"].as_array();
    assert_eq!(changes.map(Vec::len), Some(2), "{history}");
    assert_eq!(salve_in(&["undo"], "", &src, &[]).code, Some(0));
    assert_eq!(read(&source), "ONE\ntwo\n");
    assert!(root.join(".salve").is_dir() && !b.join(".salve").exists());
    // A run starts where it was asked for and sees the whole.
    let run = salve_in(&["run", "--", "cat", "../../top.txt", "src/lib.txt"], "", &b, &[]);
    assert_eq!((run.code, run.out.as_str()), (Some(0), "top\nONE\ntwo\n"), "{run:?}");
    let runs = salve_in(&["runs", "--format", "json"], "", &root, &[]).json();
    assert_eq!(runs[0]["cwd"], Value::from(b.canonicalize().unwrap().to_str().unwrap()));
    // `-C` is as if started there, `--root` says otherwise.
    let judged = salve_in(&["policy", "path", "-C", "crates/b", "../x"], "", &root, &[]);
    assert_eq!(judged.code, Some(0), "{judged:?}");
    let judged = salve_in(&["policy", "path", "--root", ".", "../x"], "", &b, &[]);
    assert_eq!(judged.code, Some(1), "{judged:?}");
}

#[test]
fn a_home_is_no_workspace_and_doctor_says_what_is() {
    let root = folder("place_home");
    let text = root.to_str().unwrap().to_owned();
    let home = [("HOME", text.as_str())];
    write(&root.join("project/src/.salve/x"), "");
    write(&root.join("project/.salve/x"), "");
    let refused = salve_in(&["history"], "", &root, &home);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.err.contains("home") && refused.err.contains("--root"), "{refused:?}");
    assert_eq!(salve_in(&["history", "--root", "."], "", &root, &home).code, Some(0));
    let doctor = salve_in(&["doctor", "--format", "json"], "", &root.join("project"), &home).json();
    let detail = |name: &str| {
        let row = doctor.as_array().unwrap().iter().find(|row| row["name"] == name);
        row.map(|row| row["detail"].as_str().unwrap().to_owned()).unwrap_or_default()
    };
    assert!(detail("workspace").contains("project (the nearest folder with a .salve)"));
    assert!(detail("workspace").contains("home folder"), "{}", detail("workspace"));
    assert!(detail("nested .salve").contains("src/.salve"), "{}", detail("nested .salve"));
}
