//! Pairs of edits over real files: what is apart is merged as if one came after the other, what overlaps is told.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

const FILE: &str = include_str!("../merge.rs");

fn result(task: &str, files: &[(&str, Option<&str>, Option<&str>)]) -> TaskResult {
    let own = |text: Option<&str>| text.map(str::to_owned);
    TaskResult {
        task: task.to_owned(),
        files: files.iter().map(|(path, _, wanted)| ((*path).to_owned(), own(*wanted))).collect(),
        seen: files.iter().map(|(path, seen, _)| ((*path).to_owned(), own(*seen))).collect(),
        moves: BTreeMap::new(),
    }
}

fn on(base: &str) -> impl Fn(&str) -> Option<String> {
    let base = base.to_owned();
    move |path| (path == "f").then(|| base.clone())
}

#[test]
fn c208_two_edits_of_one_place_are_a_conflict_with_both_sides() {
    let (base, a, b) = ("1\n2\n3\n", "1\nA\n3\n", "1\nB\n3\n");
    let results =
        [result("a", &[("f", Some(base), Some(a))]), result("b", &[("f", Some(base), Some(b))])];
    let merged = merge_results(&results, &on(base));
    let sides =
        vec![SideOfConflict { present: "A\n".into(), base: "2\n".into(), wanted: "B\n".into() }];
    let conflict =
        SubTaskConflict { path: "f".into(), task: "b".into(), with: vec!["a".into()], sides };
    assert_eq!(merged.conflicts, [conflict]);
    assert_eq!(merged.files["f"].as_deref(), Some(a), "the first result is as it was");
}

#[test]
fn c207_edits_of_different_places_are_both_there() {
    let (base, a, b) = ("1\n2\n3\n4\n5\n", "A\n2\n3\n4\n5\n", "1\n2\n3\n4\nB\n");
    let results =
        [result("a", &[("f", Some(base), Some(a))]), result("b", &[("f", Some(base), Some(b))])];
    let merged = merge_results(&results, &on(base));
    assert_eq!(merged.conflicts, []);
    assert_eq!(merged.files["f"].as_deref(), Some("A\n2\n3\n4\nB\n"));
    assert_eq!(merged.owners["f"], ["a", "b"]);
}

#[test]
fn c207_a_file_that_moved_takes_the_other_edits_with_it() {
    let (base, edited) = ("1\n2\n3\n4\n5\n", "1\n2\n3\n4\nB\n");
    let mut moving = result("a", &[("f", Some(base), None), ("g", None, Some("A\n2\n3\n4\n5\n"))]);
    moving.moves.insert("g".to_owned(), "f".to_owned());
    let editing = result("b", &[("f", Some(base), Some(edited))]);
    for results in [[moving.clone(), editing.clone()], [editing, moving]] {
        let merged = merge_results(&results, &on(base));
        assert_eq!(merged.conflicts, []);
        assert_eq!(merged.files["f"], None);
        assert_eq!(merged.files["g"].as_deref(), Some("A\n2\n3\n4\nB\n"));
    }
}

#[test]
fn c208_what_cannot_be_merged_is_told() {
    let (base, edited) = ("1\n2\n", "1\nB\n");
    let deleted = result("a", &[("f", Some(base), None)]);
    let changed = result("b", &[("f", Some(base), Some(edited))]);
    for results in [[deleted.clone(), changed.clone()], [changed.clone(), deleted]] {
        assert_eq!(merge_results(&results, &on(base)).conflicts.len(), 1, "deleted and edited");
    }
    let (one, two) =
        (result("a", &[("n", None, Some("x\n"))]), result("b", &[("n", None, Some("y\n"))]));
    assert_eq!(merge_results(&[one.clone(), two], &on(base)).conflicts.len(), 1, "made twice");
    let same = TaskResult { task: "b".to_owned(), ..one.clone() };
    assert_eq!(merge_results(&[one, same], &on(base)).conflicts, [], "made twice alike");
    let (less, more) = ("1\n", "0\n1\n");
    let results = [
        result("a", &[("f", Some(base), Some(less))]),
        result("b", &[("f", Some(base), Some(more))]),
    ];
    let merged = merge_results(&results, &on(base));
    assert_eq!(merged.conflicts, [], "both delete one line");
    assert_eq!(merged.files["f"].as_deref(), Some(more));
    // One overlap keeps the whole task out.
    let both = result("c", &[("f", Some(base), Some("1\nC\n")), ("n", None, Some("new\n"))]);
    let merged = merge_results(&[changed.clone(), both], &on(base));
    assert_eq!(merged.tasks_in_conflict(), ["c"]);
    assert_eq!(merged.files.keys().collect::<Vec<_>>(), ["f"]);
    // What the user did meanwhile is a side like any other.
    let user = merge_results(&[changed], &on("1\nuser\n"));
    assert_eq!((user.conflicts.len(), user.conflicts[0].with.len()), (1, 0));
}

/// A change of some lines of a text: where, how many go, how many come.
#[derive(Debug, Clone)]
struct Edit {
    at: usize,
    out: usize,
    into: usize,
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let edit = (0usize..200, 0usize..4, 0usize..4).prop_map(|(at, out, into)| Edit {
        at,
        out,
        into: if out == 0 { into.max(1) } else { into },
    });
    prop::collection::vec(edit, 1..4)
}

/// The places of the base that go, and what comes there.
type Change = (std::ops::Range<usize>, String);

// The edits of one author as changes of the lines of a file, in order.
fn changes(count: usize, edits: &[Edit], by: &str) -> Vec<Change> {
    let mut sorted: Vec<(usize, &Edit)> =
        edits.iter().map(|edit| (edit.at % count, edit)).collect();
    sorted.sort_by_key(|(at, _)| *at);
    let mut next = 0;
    let change = |(number, (at, edit)): (usize, (usize, &Edit))| {
        let at = at.max(next);
        next = (at + edit.out).min(count);
        let new = (0..edit.into).map(|new| format!("{by} {number} {new}\n")).collect();
        (at..next, new)
    };
    sorted.into_iter().enumerate().map(change).collect()
}

fn applied(lines: &[&str], changes: &[Change]) -> String {
    let (mut text, mut next) = (String::new(), 0);
    for (range, new) in changes {
        text.extend(lines[next..range.start].iter().copied());
        text.push_str(new);
        next = range.end;
    }
    text.extend(lines[next..].iter().copied());
    text
}

fn touched(changes: &[Change]) -> BTreeSet<usize> {
    changes.iter().flat_map(|(range, _)| range.start..range.end.max(range.start + 1)).collect()
}

/// Changes that touch are one change, as a reader of the two texts sees them.
fn blocks(changes: &[Change]) -> Vec<Change> {
    let mut blocks: Vec<Change> = Vec::new();
    for (range, new) in changes {
        match blocks.last_mut() {
            Some((last, text)) if last.end == range.start => {
                last.end = range.end;
                text.push_str(new);
            }
            _ => blocks.push((range.clone(), new.clone())),
        }
    }
    blocks
}

/// Both change a line of the base, and not to the same: one line that both delete is no conflict.
fn overlap(one: &[Change], other: &[Change]) -> bool {
    let differs = |(mine, theirs): (&Change, &Change)| {
        mine != theirs && mine.0.start.max(theirs.0.start) < mine.0.end.min(theirs.0.end)
    };
    one.iter().any(|mine| other.iter().any(|theirs| differs((mine, theirs))))
}

fn apart(one: &BTreeSet<usize>, other: &BTreeSet<usize>) -> bool {
    one.iter().all(|line| (line.saturating_sub(1)..=line + 1).all(|near| !other.contains(&near)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn c207_pairs_of_edits_are_merged_whole_or_told(mine in edits(), theirs in edits(), from in 0usize..60) {
        // Lines of a real file; each is told from all others, so that a lost one is seen.
        let lines: Vec<String> =
            FILE.lines().skip(from).take(90).enumerate().map(|(at, line)| format!("{at:03} {line}\n")).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let base = lines.concat();
        let (of_a, of_b) = (changes(lines.len(), &mine, "a"), changes(lines.len(), &theirs, "b"));
        let (a, b) = (applied(&lines, &of_a), applied(&lines, &of_b));
        let (at_a, at_b) = (touched(&of_a), touched(&of_b));
        let results = [
            result("a", &[("f", Some(&base), Some(&a))]), result("b", &[("f", Some(&base), Some(&b))]),
        ];
        let merged = merge_results(&results, &on(&base));
        if apart(&at_a, &at_b) {
            prop_assert_eq!(&merged.conflicts, &[]);
            let mut both: Vec<Change> = of_a.into_iter().chain(of_b).collect();
            both.sort_by_key(|(range, _)| range.start);
            let text = merged.files.get("f").cloned().flatten().unwrap_or_else(|| base.clone());
            prop_assert_eq!(text, applied(&lines, &both), "as one after the other");
        } else if overlap(&blocks(&of_a), &blocks(&of_b)) {
            prop_assert!(!merged.conflicts.is_empty(), "an overlap is told");
        }
        if merged.conflicts.is_empty() {
            let text = merged.files.get("f").cloned().flatten().unwrap_or(base);
            let has: BTreeSet<&str> = text.lines().collect();
            for line in a.lines().filter(|line| line.starts_with('a')).chain(b.lines().filter(|line| line.starts_with('b'))) {
                prop_assert!(has.contains(line), "{line} is lost");
            }
            for line in lines.iter().map(|line| line.trim_end_matches('\n')) {
                let kept = a.lines().any(|one| one == line) && b.lines().any(|one| one == line);
                prop_assert_eq!(has.contains(line), kept, "{}", line);
            }
        }
    }

    #[test]
    fn c207_an_import_that_both_add_is_there_once(place in 0usize..20, mine in 30usize..50, theirs in 60usize..80) {
        let lines: Vec<String> = (0..90).map(|at| format!("line {at}\n")).collect();
        let with = |change: usize, by: &str| {
            let mut lines = lines.clone();
            lines[change] = format!("{by}\n");
            lines.insert(place, "import json\n".to_owned());
            lines.concat()
        };
        let (base, a, b) = (lines.concat(), with(mine, "mine"), with(theirs, "theirs"));
        let results = [
            result("a", &[("f", Some(&base), Some(&a))]), result("b", &[("f", Some(&base), Some(&b))]),
        ];
        let merged = merge_results(&results, &on(&base));
        prop_assert_eq!(&merged.conflicts, &[]);
        let text = merged.files["f"].clone().unwrap_or_default();
        prop_assert_eq!(text.matches("import json").count(), 1);
        prop_assert!(text.contains("mine\n") && text.contains("theirs\n"));
    }
}
