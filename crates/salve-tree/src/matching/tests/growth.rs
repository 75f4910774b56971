//! The work of matching grows no faster than the file and the reply together.
//!
//! Work is counted, not timed: the lines a search looks at, the characters a comparison takes.

use super::*;
use crate::matching::index::Index;
use crate::matching::resolve::resolve_in;

type Case = fn(usize) -> (String, Vec<Hunk>);

fn work(case: Case, size: usize, options: &MatchOptions) -> usize {
    let (text, hunks) = case(size);
    let text = FileText::plain(text);
    let index = Index::new(&text);
    let _ = resolve_in(&index, &hunks, options);
    index.work().done() + text.text().len()
}

fn equal_lines_with_anchors(size: usize) -> (String, Vec<Hunk>) {
    let hunk = || anchored(diff(" x = 1\n-x = 1\n+y = 2"), &["def q"]);
    ("def q\nx = 1\nx = 1\n".repeat(size), (0..size).map(|_| hunk()).collect())
}

fn other_anchors(size: usize) -> (String, Vec<Hunk>) {
    let text = (0..size).map(|at| format!("def q{at}(a, b):\n    x = 1\n")).collect();
    let hunk = |at: usize| {
        let anchor = format!("def q{at}");
        anchored(diff("-    x = 1\n+    y = 2"), &[anchor.as_str()])
    };
    (text, (0..size).map(hunk).collect())
}

fn hunks_that_are_nowhere(size: usize) -> (String, Vec<Hunk>) {
    let text = (0..size).map(|at| format!("let value_{at} = compute({at}, other);\n")).collect();
    let hunk = |at: usize| {
        diff(&format!(" let value_{at} = compute({at}, nothing);\n-let gone_{at} = {at};\n+x"))
    };
    (text, (0..size).map(hunk).collect())
}

fn runs_of_common_lines(size: usize) -> (String, Vec<Hunk>) {
    let line = |at: usize| if at * at % 7 < 3 { "a" } else { "b" };
    let text = (0..size).map(|at| format!("{}\n", line(at))).collect();
    let hunk = |at: usize| {
        let sought: String = (0..6).map(|more| format!(" {}\n", line(at + more * 3))).collect();
        diff(&format!("{sought}-a\n+c"))
    };
    (text, (0..size).map(hunk).collect())
}

fn one_hunk_many_times(size: usize) -> (String, Vec<Hunk>) {
    let text = (0..size).map(|at| format!("line {at}\n")).collect();
    (text, (0..size).map(|_| block("line 7\nline 8", "line 7\nline eight")).collect())
}

fn text_that_is_nowhere(size: usize) -> (String, Vec<Hunk>) {
    let body = (0..size).map(|at| format!("call({at});\n")).collect();
    (body, (0..size).map(|at| text(&format!("cal({at})"), "x")).collect())
}

fn removals_that_may_be_done(size: usize) -> (String, Vec<Hunk>) {
    let text = (0..size).map(|at| format!("open({at});\nclose({at});\n")).collect();
    let hunk = |at: usize| diff(&format!(" open({at});\n-between_{at}(x);\n close({at});"));
    (text, (0..size).map(hunk).collect())
}

#[test]
fn work_grows_with_the_size_and_not_with_its_square() {
    let cases: [(&str, Case); 7] = [
        ("equal lines with anchors", equal_lines_with_anchors),
        ("other anchors", other_anchors),
        ("hunks that are nowhere", hunks_that_are_nowhere),
        ("runs of common lines", runs_of_common_lines),
        ("one hunk many times", one_hunk_many_times),
        ("text that is nowhere", text_that_is_nowhere),
        ("removals that may be done", removals_that_may_be_done),
    ];
    for options in [STRICT, MatchOptions { scored: true, ..STRICT }] {
        for (name, case) in cases {
            // Below the bounds that small files are given, work may still grow faster.
            let (small, large) = (work(case, 500, &options), work(case, 2_000, &options));
            assert!(large <= 5 * small + (1 << 21), "{name}: {small} becomes {large}");
        }
    }
}
