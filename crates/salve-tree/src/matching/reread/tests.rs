//! Results that are not what was asked for, one for each way in which that can be.

use super::*;
use crate::matching::pattern::hunk_lines;
use crate::matching::resolve::Settled;
use crate::splice::{self, Change};
use salve_types::{HunkBody, Occurrence, Span};

const FILE: &str =
    "def f():\n    one()\n    two()\n    three()\n\ndef g():\n    one()\n    four()\n";

fn hunk(body: HunkBody) -> Hunk {
    Hunk {
        body,
        hint: None,
        anchors: vec![],
        occurrence: Occurrence::One,
        at_end: false,
        span: Span { start: 0, end: 0 },
    }
}

fn diff(lines: &str) -> Hunk {
    hunk(HunkBody::Lines(hunk_lines(lines)))
}

fn block(old: &str, new: &str) -> Hunk {
    let lines = |text: &str| text.lines().map(str::to_owned).collect();
    hunk(HunkBody::Block { old: lines(old), new: lines(new) })
}

fn text(old: &str, new: &str) -> Hunk {
    hunk(HunkBody::Text { old: old.to_owned(), new: new.to_owned() })
}

fn settled<'h>(rung: Rung, first: Option<usize>, change: Change) -> State<'h> {
    State::Settled(Settled { rung, score: 1.0, first, changes: vec![change] })
}

fn lines(first: usize, removed: usize, new: &[&str]) -> Change {
    let new = new.iter().map(|&line| line.to_owned()).collect();
    Change::Lines { first, removed, new, final_newline: None }
}

fn bytes(old: &str, new: &str) -> Change {
    let start = FILE.find(old).expect("it is there");
    Change::Bytes { range: start..start + old.len(), new: new.to_owned() }
}

/// Carries out what was placed and reads it again.
fn judged(hunks: &[Hunk], states: &[State<'_>]) -> Vec<usize> {
    let file = FileText::plain(FILE.to_owned());
    let mut wanted = Vec::new();
    for (hunk, state) in states.iter().enumerate() {
        let State::Settled(settled) = state else { continue };
        let changes = settled.changes.iter().cloned();
        wanted.extend(changes.map(|change| Wanted { hunk, change }));
    }
    splice::sort(&file, &mut wanted);
    let result = splice::splice(&file, &wanted);
    not_as_meant(&file, hunks, states, &wanted, &result)
}

#[test]
fn what_was_placed_as_it_was_written_is_as_meant() {
    let rows = [
        (
            diff("     one()\n-    two()\n+    2()\n     three()"),
            settled(Rung::Exact, Some(1), lines(2, 1, &["    2()"])),
        ),
        (
            block("two()\nthree()", "two()\nif x:\n    three()"),
            settled(Rung::Reindent, Some(2), lines(3, 1, &["    if x:", "        three()"])),
        ),
        (text("two", "2"), settled(Rung::Exact, None, bytes("two", "2"))),
        (text("two()\n", ""), settled(Rung::Exact, None, bytes("    two()\n", ""))),
        (text("two()\n    three", "2"), settled(Rung::Exact, None, bytes("two()\n    three", "2"))),
        (
            diff("-    “two”()\n+    2()"),
            settled(Rung::ContextTrimmed, Some(2), lines(2, 0, &["    2()"])),
        ),
    ];
    for (hunk, state) in rows {
        assert_eq!(judged(std::slice::from_ref(&hunk), &[state]), [0_usize; 0], "{hunk:?}");
    }
}

#[test]
fn a_wrong_place_or_a_wrong_line_is_seen() {
    let change = "     one()\n-    two()\n+    2()\n     three()";
    let wrapped = ("two()\nthree()", "two()\nif x:\n    three()");
    let rows = [
        ("another line goes", diff(change), Rung::Exact, Some(1), lines(3, 1, &["    2()"])),
        ("more lines go", diff(change), Rung::Exact, Some(1), lines(2, 2, &["    2()"])),
        ("nothing goes", diff(change), Rung::Exact, Some(1), lines(2, 0, &["    2()"])),
        (
            "it comes twice",
            diff(change),
            Rung::Exact,
            Some(1),
            lines(2, 1, &["    2()", "    2()"]),
        ),
        ("it does not come", diff(change), Rung::Exact, Some(1), lines(2, 1, &[])),
        ("otherwise indented", diff(change), Rung::Exact, Some(1), lines(2, 1, &["  2()"])),
        (
            "the shape is lost",
            block(wrapped.0, wrapped.1),
            Rung::Reindent,
            Some(2),
            lines(3, 1, &["    if x:", "    three()"]),
        ),
        (
            "in another order",
            block("    two()", "    2()\n    3()"),
            Rung::Exact,
            Some(2),
            lines(2, 1, &["    3()", "    2()"]),
        ),
        (
            "a line that is not shown goes",
            diff(change),
            Rung::Fold,
            Some(1),
            lines(3, 1, &["    2()"]),
        ),
        (
            "a line that is not shown comes",
            diff(change),
            Rung::ContextTrimmed,
            Some(1),
            lines(2, 1, &["    3()"]),
        ),
        ("other text goes", text("two", "2"), Rung::Exact, None, bytes("three", "2")),
        ("other text comes", text("two", "2"), Rung::Exact, None, bytes("two", "3")),
        ("more text goes", text("two", "2"), Rung::Exact, None, bytes("two()", "2")),
        (
            "a line break is lost",
            text("two()\n", "2()\n"),
            Rung::Exact,
            None,
            bytes("two()\n", "2()"),
        ),
    ];
    for (what, hunk, rung, first, change) in rows {
        let state = settled(rung, first, change);
        assert_eq!(judged(&[hunk], &[state]), [0], "{what}");
    }
}

#[test]
fn a_result_that_differs_anywhere_is_seen() {
    let file = FileText::plain(FILE.to_owned());
    let hunks = [diff("     one()\n-    two()\n+    2()\n     three()"), text("four", "4")];
    let states = [
        settled(Rung::Exact, Some(1), lines(2, 1, &["    2()"])),
        settled(Rung::Exact, None, bytes("four", "4")),
    ];
    let mut wanted: Vec<_> = [lines(2, 1, &["    2()"]), bytes("four", "4")]
        .into_iter()
        .enumerate()
        .map(|(hunk, change)| Wanted { hunk, change })
        .collect();
    splice::sort(&file, &mut wanted);
    let result = splice::splice(&file, &wanted);
    let judge = |result: &str| not_as_meant(&file, &hunks, &states, &wanted, result);
    assert_eq!(judge(&result), [0_usize; 0]);
    let whole: Vec<&str> = result.lines().collect();
    for at in 0..whole.len() {
        let mut without = whole.clone();
        without.remove(at);
        let mut twice = whole.clone();
        twice.insert(at, whole[at]);
        let mut deeper = whole.clone();
        let shifted = format!(" {}", whole[at]);
        deeper[at] = &shifted;
        let mut swapped = whole.clone();
        swapped.swap(at, (at + 1) % whole.len());
        for (what, lines) in
            [("without", without), ("twice", twice), ("deeper", deeper), ("swapped", swapped)]
        {
            let changed = lines.join("\n") + "\n";
            if changed != result {
                assert!(!judge(&changed).is_empty(), "line {at} {what}");
            }
        }
    }
    assert!(!judge(&result.replace("def g():\n", "def g():\r\n")).is_empty(), "a line break");
}

#[test]
fn hunks_that_reach_into_each_other_are_read_as_they_were_placed() {
    let hunks = [
        block("    one()\n    two()\n    three()", "    1()\n    two()\n    3()"),
        block("    two()\n    three()", "    2()\n    three()"),
    ];
    let changes = [lines(1, 1, &["    1()"]), lines(3, 1, &["    3()"])].to_vec();
    let both = State::Settled(Settled { rung: Rung::Exact, score: 1.0, first: Some(1), changes });
    let states = [both, settled(Rung::Exact, Some(2), lines(2, 1, &["    2()"]))];
    assert_eq!(judged(&hunks, &states), [0_usize; 0]);
}
