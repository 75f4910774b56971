//! What is shown of edits that wait, and what a choice leaves of them.

use super::*;
use salve_text::{EditOptions, parse_edits};
use salve_tree::{AdmitOptions, MemoryView, Verification, VerifyOptions, verify};
use std::collections::BTreeMap;

const BEFORE: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
const AFTER: &str = "1\nb\n3\n4\n5\n6\n7\nh\n9\n";

fn edits() -> VerifiedEdits {
    let files = BTreeMap::from([("a.txt".to_owned(), BEFORE.to_owned())]);
    let reply = serde_json::json!({ "fileChanges": [
        { "path": "a.txt", "content": AFTER }, { "path": "new.txt", "content": "n\n" },
    ]});
    let set = parse_edits(&reply.to_string(), &EditOptions::default());
    let view = MemoryView::new(files, AdmitOptions::default());
    match verify(&set, &view, &VerifyOptions::default()) {
        Verification::Verified { edits, .. } => edits,
        Verification::Refused(refusal) => panic!("{refusal:?}"),
    }
}

fn taken(choice: &HunkChoice) -> BTreeMap<String, String> {
    match take_chosen(edits(), choice) {
        Chosen::Some(edits) => edits
            .files()
            .iter()
            .map(|file| {
                let bytes = &file.after.as_ref().unwrap().bytes;
                (file.path.as_str().to_owned(), String::from_utf8(bytes.clone()).unwrap())
            })
            .collect(),
        Chosen::None => BTreeMap::new(),
        Chosen::Unknown(_) => panic!("unknown"),
    }
}

fn choice(files: &[(&str, FileChoice)]) -> HunkChoice {
    HunkChoice {
        files: files.iter().map(|(path, choice)| ((*path).to_owned(), choice.clone())).collect(),
    }
}

fn hunks(ids: &[&str]) -> FileChoice {
    FileChoice::Hunks(ids.iter().map(|id| (*id).to_owned()).collect())
}

#[test]
fn each_change_of_a_file_is_shown_by_itself_and_a_new_file_is_one() {
    let held = held_hunks(&edits());
    let shown: Vec<(&str, &str, usize, HeldKind)> = held
        .iter()
        .map(|hunk| (hunk.path.as_str(), hunk.text.as_str(), hunk.old_first_line, hunk.kind))
        .collect();
    assert_eq!(
        shown,
        [
            ("a.txt", " 1\n-2\n+b\n 3\n 4\n 5\n", 1, HeldKind::Change),
            ("a.txt", " 5\n 6\n 7\n-8\n+h\n 9\n", 5, HeldKind::Change),
            ("new.txt", "+n\n", 0, HeldKind::Create),
        ]
    );
    let written = serde_json::to_value(&held[0]).unwrap();
    assert_eq!(serde_json::from_value::<HeldHunk>(written).unwrap(), held[0]);
}

#[test]
fn what_is_named_is_taken_and_nothing_else() {
    let held = held_hunks(&edits());
    let (first, second) = (held[0].id.as_str(), held[1].id.as_str());
    let (a, new) =
        (("a.txt".to_owned(), AFTER.to_owned()), ("new.txt".to_owned(), "n\n".to_owned()));
    let half = AFTER.replace('h', "8");
    let all = [("a.txt", FileChoice::Keep), ("new.txt", FileChoice::Keep)];
    assert_eq!(taken(&choice(&all)), BTreeMap::from([a.clone(), new.clone()]));
    assert_eq!(taken(&choice(&[("new.txt", FileChoice::Keep)])), BTreeMap::from([new.clone()]));
    assert_eq!(taken(&choice(&[("new.txt", hunks(&[WHOLE_FILE]))])), BTreeMap::from([new]));
    let one = choice(&[("a.txt", hunks(&[first])), ("new.txt", FileChoice::Reject)]);
    assert_eq!(taken(&one), BTreeMap::from([("a.txt".to_owned(), half)]));
    assert_eq!(taken(&choice(&[("a.txt", hunks(&[first, second]))])), BTreeMap::from([a]));
    assert_eq!(taken(&HunkChoice::default()), BTreeMap::new());
    assert_eq!(taken(&choice(&[("a.txt", hunks(&[]))])), BTreeMap::new());
}

#[test]
fn a_choice_about_other_lines_takes_nothing() {
    let first = held_hunks(&edits())[0].id.clone();
    for strange in [
        choice(&[("a.txt", hunks(&[&first, "0123456789ab"]))]),
        choice(&[("a.txt", FileChoice::Keep), ("gone.txt", FileChoice::Keep)]),
        choice(&[("new.txt", hunks(&[&first]))]),
    ] {
        assert!(matches!(take_chosen(edits(), &strange), Chosen::Unknown(_)), "{strange:?}");
    }
}

#[test]
fn every_hunk_of_a_file_is_the_file() {
    let held = held_hunks(&edits());
    let ids = ids_of(&held);
    let named = choice(&[("a.txt", hunks(&[&held[0].id, &held[1].id])), ("new.txt", hunks(&[]))]);
    let settled = named.settled(&ids);
    assert!(settled.keeps_all_of("a.txt"));
    assert_eq!(settled.files["new.txt"], FileChoice::Reject);
    let part = choice(&[("a.txt", hunks(&[&held[0].id]))]).settled(&ids);
    assert!(!part.keeps_all_of("a.txt"));
}
