//! The ladder as tables: what lands, on which rung, and what is refused for which reason.
//!
//! In: files and hunks written for these tests. Out: the new text or the reason. Never: a case from
//! elsewhere.

mod growth;
mod meant;

use super::pattern::hunk_lines;
use super::*;
use salve_types::{HunkBody, LineOperation, LineOperationKind, Occurrence, Span};

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
    let lines = |text: &str| -> Vec<String> { text.lines().map(str::to_owned).collect() };
    hunk(HunkBody::Block { old: lines(old), new: lines(new) })
}

fn text(old: &str, new: &str) -> Hunk {
    hunk(HunkBody::Text { old: old.to_owned(), new: new.to_owned() })
}

fn hinted(hunk: Hunk, hint: u32) -> Hunk {
    Hunk { hint: Some(hint), ..hunk }
}

fn anchored(hunk: Hunk, anchors: &[&str]) -> Hunk {
    Hunk { anchors: anchors.iter().map(|&anchor| anchor.to_owned()).collect(), ..hunk }
}

const STRICT: MatchOptions =
    MatchOptions { scored: false, base_known: false, numbers_given: false, whole_lines: false };
const KNOWN: MatchOptions = MatchOptions { base_known: true, ..STRICT };
const WHOLE_LINES: MatchOptions = MatchOptions { whole_lines: true, ..STRICT };
const SCORED: MatchOptions = MatchOptions { scored: true, ..STRICT };

fn run(file: &str, hunks: &[Hunk], options: MatchOptions) -> Matched {
    match_hunks(&FileText::plain(file.to_owned()), hunks, &options)
}

/// The outcome in short: the rung and the new text, or the reason.
fn said(file: &str, hunks: &[Hunk], options: MatchOptions) -> String {
    let matched = run(file, hunks, options);
    let outcomes: Vec<_> = matched
        .outcomes
        .iter()
        .map(|outcome| match outcome {
            HunkOutcome::Placed { rung, in_result: false, .. } => format!("{rung:?}"),
            HunkOutcome::Placed { rung, .. } => format!("{rung:?} in result"),
            HunkOutcome::AlreadyApplied { .. } => "applied".to_owned(),
            HunkOutcome::Declined { .. } => "declined".to_owned(),
            HunkOutcome::Refused(refusal) => format!("{:?}", refusal.reason),
        })
        .collect();
    format!("{} {:?}", outcomes.join(", "), matched.text.unwrap_or_default())
}

#[track_caller]
fn table(options: MatchOptions, rows: Vec<(&str, Vec<Hunk>, &str)>) {
    for (file, hunks, expected) in rows {
        assert_eq!(said(file, &hunks, options), expected, "{file:?}\n{hunks:#?}");
    }
}

#[test]
fn exact_lines_land_where_they_are_unique() {
    table(
        STRICT,
        vec![
            ("a\nb\nc\n", vec![diff("-b\n+B")], r#"Exact "a\nB\nc\n""#),
            ("a\nb\nc\n", vec![hinted(diff(" a\n-b\n+B"), 1)], r#"AtHint "a\nB\nc\n""#),
            ("a\nb\nc\n", vec![hinted(diff("-b\n+B"), 99)], r#"Ambiguous """#),
            (
                "a\nb\nc\nd\n",
                vec![hinted(diff(" a\n-b\n+B\n c\n d"), 99)],
                r#"Exact "a\nB\nc\nd\n""#,
            ),
            ("a\nb\nc\n", vec![block("b", "B")], r#"Exact "a\nB\nc\n""#),
            ("a\nb\nc\n", vec![text("b\nc", "B\nC")], r#"Exact "a\nB\nC\n""#),
            ("a\nb\nc\n", vec![block("b", "")], r#"Exact "a\nc\n""#),
            ("a\nb\na\n", vec![block("a", "x")], r#"Ambiguous """#),
            ("a\nb\na\n", vec![text("a", "x")], r#"Ambiguous """#),
            ("ab", vec![text("b", "B")], r#"Exact "aB""#),
            ("a\nb\n", vec![block("z", "x")], r#"NotFound """#),
            ("a b c", vec![text("b", "$1 \\0 $&")], r#"Exact "a $1 \\0 $& c""#),
        ],
    );
}

#[test]
fn a_format_of_whole_lines_ends_the_last_line_it_replaces() {
    let edits = || vec![diff(" a\n-b\n+B")];
    table(STRICT, vec![("a\nb", edits(), r#"Exact "a\nB""#)]);
    table(
        WHOLE_LINES,
        vec![
            ("a\nb", edits(), r#"Exact "a\nB\n""#),
            ("a\r\nb", edits(), r#"Exact "a\r\nB\r\n""#),
            ("a\nb\nc", edits(), r#"Exact "a\nB\nc""#),
        ],
    );
}

#[test]
fn trailing_space_and_line_ends_are_forgiven_and_kept() {
    table(
        STRICT,
        vec![
            (
                "one  \ntwo\t\nthree\n",
                vec![diff(" one\n-two\n+2\n three")],
                r#"TrailingSpace "one  \n2\nthree\n""#,
            ),
            (
                "a\r\nb\r\nc\r\n",
                vec![diff(" a\n-b\n+B\n+C\n c")],
                r#"Exact "a\r\nB\r\nC\r\nc\r\n""#,
            ),
            ("a\nb\r\nc\n", vec![block("b", "B\nC")], r#"Exact "a\nB\r\nC\r\nc\n""#),
            ("a\r\nb\r\n", vec![text("a\nb", "a\nB")], r#"TrailingSpace "a\r\nB\r\n""#),
            ("a\nb", vec![block("b", "c")], r#"Exact "a\nc""#),
            ("a\nb", vec![diff("-b\n\\ No newline\n+c")], r#"Exact "a\nc\n""#),
            ("a\nb\n", vec![diff("-b\n+c\n\\ No newline")], r#"Exact "a\nc""#),
            ("a\nb\n", vec![diff(" a\n-b\n+b\n\\ No newline")], r#"Exact "a\nb""#),
            ("x \nx\t\n", vec![block("x", "y")], r#"Ambiguous """#),
        ],
    );
}

#[test]
fn one_shift_of_the_indentation_is_applied_to_new_lines() {
    table(
        STRICT,
        vec![
            (
                "\tfn f() {\n\t\ttrue\n\t}",
                vec![block("fn f() {\n\ttrue\n}", "fn f() {\n\t// why\n\tfalse\n}")],
                r#"Reindent "\tfn f() {\n\t\t// why\n\t\tfalse\n\t}""#,
            ),
            (
                "if a:\n    b()\n",
                vec![block("    if a:\n        b()", "    if a:\n        c()\n        d()")],
                r#"Reindent "if a:\n    c()\n    d()\n""#,
            ),
            (
                "{\n\tif (a) {\n\t\tb();\n\t}\n}\n",
                vec![block(
                    "    if (a) {\n        b();\n    }",
                    "    if (a) {\n        c();\n        if (d) {\n            e();\n        }\n    }",
                )],
                r#"Reindent "{\n\tif (a) {\n\t\tc();\n\t\tif (d) {\n\t\t\te();\n\t\t}\n\t}\n}\n""#,
            ),
            ("  - a\n  - b\n", vec![text("- a\n- b", "- a\n- c")], r#"Reindent "  - a\n  - c\n""#),
            ("  x\n    x\n", vec![block("\tx", "\ty")], r#"Ambiguous """#),
        ],
    );
}

#[test]
fn what_transport_changed_is_read_as_it_was_meant() {
    table(
        STRICT,
        vec![
            (
                "if a < b && c {\n",
                vec![block("if a &lt; b &amp;&amp; c {", "if a &gt; b {")],
                r#"Fold "if a > b {\n""#,
            ),
            (
                "s = \"&amp;\"\nt\n",
                vec![block("s = \"&amp;\"", "s = \"&lt;\"")],
                r#"Exact "s = \"&lt;\"\nt\n""#,
            ),
            (
                "print(\"a\")\n",
                vec![block(r#"print(\"a\")"#, r#"print(\"b\")"#)],
                r#"Fold "print(\"b\")\n""#,
            ),
            ("say(“a”)\nend\n", vec![diff(" say(\"a\")\n-end\n+END")], r#"Fold "say(“a”)\nEND\n""#),
            ("say('a')\n", vec![block("say(‘a’)", "say(‘b’)")], r#"Fold "say('b')\n""#),
            (
                "1\n2\nf(x)\n  g\n",
                vec![block("3 | f(x)\n4 |   g", "3 | f(y)\n4 |   g")],
                r#"Fold "1\n2\nf(y)\n  g\n""#,
            ),
            ("f(x)\n", vec![block("1 | f(x)", "f(y)")], r#"Fold "f(y)\n""#),
            ("a\nb\n", vec![block(r"a\nb", r"a\nc")], r#"Fold "a\nc\n""#),
            (
                "fn sum(a, b) {\n    a\n}",
                vec![block("fn   sum(a,   b)    {\n    a", "fn sum(a, b) {\n    b")],
                r#"Fold "fn sum(a, b) {\n    b\n}""#,
            ),
            ("say(“a”)\nsay(\"a\")\nx\n", vec![block("say(‘a’)", "b")], r#"NotFound """#),
        ],
    );
}

#[test]
fn context_goes_from_the_outside_only_where_the_base_is_known() {
    let file = "use a;\n\nfn f() {\n    let x = compute(1);\n    x\n}\n";
    let invented =
        diff(" fn g() {\n-    let x = compute(1);\n+    let x = compute(2);\n     x\n }");
    let blank =
        diff(" \n \n fn f() {\n-    let x = compute(1);\n+    let x = compute(2);\n     x\n }\n ");
    let gone = diff(" fn f() {\n-    let y = compute(1);\n+    let y = compute(2);\n     x");
    let done = "use a;\\n\\nfn f() {\\n    let x = compute(2);\\n    x\\n}\\n";
    table(
        KNOWN,
        vec![
            (file, vec![invented.clone()], &format!("ContextTrimmed \"{done}\"")),
            (file, vec![blank.clone()], &format!("ContextTrimmed \"{done}\"")),
            (file, vec![gone.clone()], "NotFound \"\""),
            (file, vec![diff(" invented\n+    new();\n also invented")], "NotFound \"\""),
            ("a1\n}\nb1\n}\n", vec![diff(" zz\n-}\n+]\n yy")], "NotFound \"\""),
        ],
    );
    table(
        STRICT,
        vec![
            (file, vec![invented], "NotFound \"\""),
            (file, vec![blank], &format!("ContextTrimmed \"{done}\"")),
            (file, vec![gone], "NotFound \"\""),
        ],
    );
}

#[test]
fn elided_lines_are_kept_and_never_removed() {
    let file = "fn a() {\n    1\n    2\n    3\n}\nfn b() {\n    4\n}\n";
    table(
        STRICT,
        vec![
            (
                file,
                vec![block("fn a() {\n...\n    3\n}", "fn a(x) {\n...\n    33\n}")],
                r#"Elided "fn a(x) {\n    1\n    2\n    33\n}\nfn b() {\n    4\n}\n""#,
            ),
            (
                file,
                vec![diff("-fn a() {\n+fn a(x) {\n ...\n fn b() {\n-    4\n+    44")],
                r#"Elided "fn a(x) {\n    1\n    2\n    3\n}\nfn b() {\n    44\n}\n""#,
            ),
            (file, vec![block("fn a() {\n...\n    3", "fn a() {\n    3")], r#"NotFound """#),
            (file, vec![block("fn a() {\n...\n}", "fn a() {\n...\n}\n// end")], r#"NotFound """#),
            ("x\n1\nx\n2\n", vec![block("x\n...\n2", "y\n...\n2")], r#"NotFound """#),
        ],
    );
}

#[test]
fn the_scored_rung_is_asked_for_and_keeps_its_distance() {
    let file = "fn get() {\n    let results = fetch();\n    results.filter()\n}\n";
    let near = block(
        "fn get() {\n    let result = fetch();\n    results.filter()\n}",
        "fn get() {\n    let data = fetch();\n    data.filter()\n}",
    );
    let other = block("fn get() {\n    log(\"wrong\")\n}", "fn get() {\n    log(\"new\")\n}");
    let hello = "fn get() {\n    log(\"hello\")\n}\n";
    table(
        SCORED,
        vec![
            (
                file,
                vec![near.clone()],
                r#"Scored "fn get() {\n    let data = fetch();\n    data.filter()\n}\n""#,
            ),
            (&file.repeat(2), vec![near.clone()], r#"NotFound """#),
            (hello, vec![other], r#"NotFound """#),
        ],
    );
    table(STRICT, vec![(file, vec![near], r#"NotFound """#)]);
}

// opencode once replaced 2,337 lines for a change of one, because first and last line matched.
#[test]
fn a_place_is_never_larger_than_what_was_asked_for() {
    let body: String = (0..200).map(|line| format!("  keep{line}()\n")).collect();
    let file = format!("function configure() {{\n{body}}}\n");
    let asked = "function configure() {\n  const enabled = true\n}";
    let wanted = "function configure() {\n  const enabled = false\n}";
    for options in [STRICT, KNOWN, SCORED] {
        for hunk in [block(asked, wanted), text(asked, wanted)] {
            assert_eq!(said(&file, &[hunk], options), "NotFound \"\"");
        }
    }
}

#[test]
fn equal_places_are_decided_by_evidence_or_refused_with_all_of_them() {
    let file = "def f():\n    x = 1\n\ndef g():\n    x = 1\n\ndef h():\n    x = 1\n";
    let change = || diff("-    x = 1\n+    x = 2");
    table(
        STRICT,
        vec![
            (file, vec![change()], "Ambiguous \"\""),
            (file, vec![hinted(change(), 5)], "Ambiguous \"\""),
            (
                file,
                vec![anchored(change(), &["def g():"])],
                r#"Exact "def f():\n    x = 1\n\ndef g():\n    x = 2\n\ndef h():\n    x = 1\n""#,
            ),
            (
                file,
                vec![Hunk { at_end: true, ..change() }],
                r#"Exact "def f():\n    x = 1\n\ndef g():\n    x = 1\n\ndef h():\n    x = 2\n""#,
            ),
            (
                file,
                vec![diff("-def g():\n+def G():"), anchored(change(), &["def f():"])],
                "Ambiguous, Ambiguous \"\"",
            ),
            // One certain hunk does not show that the others are in order.
            (file, vec![diff("-def h():\n+def H():"), change()], "Exact, Ambiguous \"\""),
            (
                file,
                vec![diff("-def f():\n+def F():"), change(), diff("-def g():\n+def G():")],
                r#"Exact, Exact, Exact "def F():\n    x = 2\n\ndef G():\n    x = 1\n\ndef h():\n    x = 1\n""#,
            ),
            (
                file,
                vec![change(), change(), change()],
                r#"Exact, Exact, Exact "def f():\n    x = 2\n\ndef g():\n    x = 2\n\ndef h():\n    x = 2\n""#,
            ),
            (
                file,
                vec![
                    hinted(diff("-def f():\n+def F():"), 1),
                    hinted(change(), 5),
                    hinted(diff("-def h():\n+def H():"), 7),
                ],
                "AtHint, Ambiguous, AtHint \"\"",
            ),
        ],
    );
    table(
        KNOWN,
        vec![
            // The number of a diff is believed where another hunk shows that they were counted.
            (file, vec![hinted(change(), 5)], "Ambiguous \"\""),
            (file, vec![hinted(change(), 4)], "Ambiguous \"\""),
            (
                file,
                vec![hinted(diff("-def f():\n+def F():"), 1), hinted(change(), 5)],
                r#"AtHint, AtHint "def F():\n    x = 1\n\ndef g():\n    x = 2\n\ndef h():\n    x = 1\n""#,
            ),
            (
                file,
                vec![hinted(diff("-def f():\n+def F():"), 3), hinted(change(), 5)],
                "Exact, Ambiguous \"\"",
            ),
            (
                file,
                vec![hinted(text("x = 1", "x = 2"), 5)],
                r#"Exact "def f():\n    x = 1\n\ndef g():\n    x = 2\n\ndef h():\n    x = 1\n""#,
            ),
            (file, vec![hinted(change(), 40)], "Ambiguous \"\""),
        ],
    );
    table(
        MatchOptions { numbers_given: true, ..KNOWN },
        vec![(
            file,
            vec![hinted(change(), 5)],
            r#"AtHint "def f():\n    x = 1\n\ndef g():\n    x = 2\n\ndef h():\n    x = 1\n""#,
        )],
    );
    let HunkOutcome::Refused(refusal) = &run(file, &[change()], STRICT).outcomes[0] else {
        panic!("refused");
    };
    let lines: Vec<_> = refusal.candidates.iter().map(|it| (it.first_line, it.last_line)).collect();
    assert_eq!(lines, [(2, 2), (5, 5), (8, 8)]);
    assert_eq!((refusal.total, refusal.candidates[0].text.as_str()), (3, "    x = 1"));
    insta::assert_snapshot!(refusal.message, @"the lines sought are not unique; 3 places fit equally well: lines 2, 5, 8; add lines around the right one until only it fits");
}

#[test]
fn a_single_place_is_doubted_where_the_hunk_names_another() {
    // The model saw two equal functions and meant the second, which was edited since.
    let file = "def f():\n    a = load()\n    b = parse(a)\n    return b\n\ndef f():\n    a = load(1)\n    b = parse(a)\n    return b\n";
    let change = diff("     a = load()\n-    b = parse(a)\n+    b = read(a)\n     return b");
    assert_eq!(said(file, &[hinted(change.clone(), 7)], STRICT), "Ambiguous \"\"");
    assert!(said(file, &[hinted(change.clone(), 2)], STRICT).starts_with("AtHint"));
    assert_eq!(said(file, &[hinted(change.clone(), 300)], STRICT), "Ambiguous \"\"");
    assert!(said(file, &[hinted(change.clone(), 300)], KNOWN).starts_with("Exact"));
    assert!(said(file, std::slice::from_ref(&change), STRICT).starts_with("Exact"));
    let named = "def f():\n    return 1\n\ndef g():\n    return 2\n";
    let one = anchored(diff("-    return 1\n+    return 3"), &["def g():"]);
    assert_eq!(said(named, &[one], STRICT), "Ambiguous \"\"");
}

#[test]
fn insertions_need_something_that_locates_them() {
    table(
        STRICT,
        vec![
            ("a\nb\n", vec![diff("+x")], "NoContext \"\""),
            ("a\nb\n", vec![hinted(diff("+x"), 1)], "NoContext \"\""),
            ("a\n\nb\n", vec![hinted(diff(" \n+x"), 2)], "NoContext \"\""),
            ("a\nb\n", vec![Hunk { at_end: true, ..diff("+x") }], r#"Exact "a\nb\nx\n""#),
            ("a\nb", vec![Hunk { at_end: true, ..diff("+x") }], r#"Exact "a\nb\nx""#),
            (
                "def f():\n    a\n",
                vec![anchored(diff("+    x"), &["def f():"])],
                r#"Exact "def f():\n    x\n    a\n""#,
            ),
            ("", vec![diff("+x")], r#"Exact "x\n""#),
            ("", vec![block("", "x")], r#"Exact "x\n""#),
            ("", vec![text("", "x")], r#"Exact "x""#),
            ("a\n", vec![text("", "x")], "NoContext \"\""),
            ("a\n", vec![block("", "x")], "NoContext \"\""),
            ("a\nb\n", vec![diff(" a\n+x")], r#"Exact "a\nx\nb\n""#),
            ("a\nb\n", vec![diff("+x\n a")], r#"Exact "x\na\nb\n""#),
        ],
    );
}

#[test]
fn c191_what_is_there_already_needs_no_change() {
    table(
        STRICT,
        vec![
            ("a\nB\nc\n", vec![diff(" a\n-b\n+B\n c")], r#"applied "a\nB\nc\n""#),
            ("a\nc\n", vec![diff(" a\n-b\n c")], r#"applied "a\nc\n""#),
            (
                "a\nnew_call();\nb\n",
                vec![diff(" a\n+new_call();\n b")],
                r#"applied "a\nnew_call();\nb\n""#,
            ),
            (
                "a\nnew_call();\nb\n",
                vec![diff(" a\n+new_call();")],
                r#"applied "a\nnew_call();\nb\n""#,
            ),
            ("a\n}\nb\n", vec![diff(" a\n+}")], r#"Exact "a\n}\n}\nb\n""#),
            ("B\n", vec![text("b", "B")], r#"applied "B\n""#),
            ("foobar\n", vec![text("foo", "foobar")], r#"applied "foobar\n""#),
            ("a\n", vec![diff("-a\n+a")], r#"applied "a\n""#),
            ("a\n", vec![text("a", "a")], r#"applied "a\n""#),
            ("B\nB\n", vec![block("b", "B")], "NotFound \"\""),
            ("a\n", vec![block("b", "")], "NotFound \"\""),
            ("x\ny\n", vec![diff("-b\n x")], "NotFound \"\""),
        ],
    );
}

#[test]
fn all_hunks_speak_of_one_base_and_none_of_the_same_lines() {
    table(
        STRICT,
        vec![
            (
                "a\nb\nc\nd\n",
                vec![block("c", "C"), block("a", "A")],
                r#"Exact, Exact "A\nb\nC\nd\n""#,
            ),
            ("a\nb\nc\n", vec![block("a\nb", "x"), block("b\nc", "y")], r#"Exact, Overlap """#),
            ("a\nb\nc\n", vec![block("b", "x"), block("b", "x")], r#"Exact, applied "a\nx\nc\n""#),
            ("a\nb\nc\n", vec![block("b", "x"), block("b", "y")], r#"Exact, Overlap """#),
            (
                "a\nb\nc\n",
                vec![diff(" a\n-b\n+B\n c"), diff(" b\n-c\n+C")],
                r#"Exact, Exact "a\nB\nC\n""#,
            ),
            ("a\nb\n", vec![block("a", "A"), block("z", "Z")], r#"Exact, NotFound """#),
        ],
    );
}

#[test]
fn a_block_may_seek_what_an_earlier_one_put_in() {
    table(
        STRICT,
        vec![
            (
                "a\nb\n",
                vec![block("b", "c\nd"), block("c", "C")],
                r#"Exact, Exact in result "a\nC\nd\n""#,
            ),
            (
                "a\nb\n",
                vec![text("b", "c"), text("c", "d"), text("d", "e")],
                r#"Exact, Exact in result, Exact in result "a\ne\n""#,
            ),
            ("a\nb\n", vec![block("c", "C"), block("b", "c\nd")], r#"NotFound, Exact """#),
            ("a\nb\n", vec![diff("-b\n+c"), diff("-c\n+d")], r#"Exact, NotFound """#),
        ],
    );
}

#[test]
fn every_occurrence_is_replaced_when_all_are_meant() {
    let all = |hunk: Hunk| Hunk { occurrence: Occurrence::All, ..hunk };
    table(
        STRICT,
        vec![
            ("foo bar foo", vec![all(text("foo", "x"))], r#"Exact "x bar x""#),
            ("aaa", vec![all(text("aa", "b"))], r#"Exact "ba""#),
            (
                "a\r\nb\r\na\r\nb\r\n",
                vec![all(text("a\nb", "a\nc"))],
                r#"TrailingSpace "a\r\nc\r\na\r\nc\r\n""#,
            ),
            ("x\ny\nx\n", vec![all(block("x", "z"))], r#"Exact "z\ny\nz\n""#),
            ("x\n", vec![all(block("q", "z"))], "NotFound \"\""),
        ],
    );
}

#[test]
fn c088_c032_a_line_operation_needs_its_lines_and_what_they_say() {
    let at = |kind, start, end, expected: Option<&str>, text: &str| {
        hunk(HunkBody::At(LineOperation {
            kind,
            start,
            end,
            expected: expected.map(str::to_owned),
            text: text.to_owned(),
        }))
    };
    use LineOperationKind::{Delete, Insert, Replace};
    let file = "one\ntwo  \nthree";
    table(
        STRICT,
        vec![
            (file, vec![at(Replace, 2, 2, Some("two"), "2")], r#"Line "one\n2\nthree""#),
            (file, vec![at(Replace, 2, 2, Some("too"), "2")], "ExpectedDiffers \"\""),
            (file, vec![at(Replace, 1, 2, Some("one"), "x")], "ExpectedDiffers \"\""),
            (file, vec![at(Replace, 1, 2, None, "x\ny\nz")], r#"Line "x\ny\nz\nthree""#),
            (file, vec![at(Insert, 1, 1, None, "zero")], r#"Line "zero\none\ntwo  \nthree""#),
            (file, vec![at(Insert, 4, 4, None, "four")], r#"Line "one\ntwo  \nthree\nfour""#),
            (file, vec![at(Insert, 2, 2, Some("two"), "x\n")], r#"Line "one\nx\n\ntwo  \nthree""#),
            (file, vec![at(Insert, 0, 0, None, "x")], "OutOfRange \"\""),
            (file, vec![at(Insert, 5, 5, None, "x")], "OutOfRange \"\""),
            (file, vec![at(Delete, 3, 3, None, "")], r#"Line "one\ntwo  ""#),
            (file, vec![at(Delete, 3, 4, None, "")], "OutOfRange \"\""),
            (file, vec![at(Delete, 3, 2, None, "")], "OutOfRange \"\""),
            (
                file,
                vec![at(Delete, 1, 1, None, ""), at(Replace, 3, 3, None, "3")],
                r#"Line, Line "two  \n3""#,
            ),
            ("", vec![at(Insert, 1, 1, None, "x")], r#"Line "x\n""#),
        ],
    );
}

#[test]
fn c190_a_merged_line_is_two_only_where_the_file_says_so() {
    table(
        STRICT,
        vec![
            (
                "def f(n):\n    pass\n",
                vec![diff("-def f(n):+def f(n: int):\n     pass")],
                r#"Exact "def f(n: int):\n    pass\n""#,
            ),
            (
                "def f(n):\n    pass\n",
                vec![diff("-def f(nn+def f(n: int):\n     pass")],
                "NotFound \"\"",
            ),
            (
                "xxxx = a+xxxx = b\nxxxx = a\n",
                vec![diff("-xxxx = a+xxxx = b")],
                r#"Exact "xxxx = a\n""#,
            ),
            ("xxxx = 1\ny\nxxxx = 1\n", vec![diff("-xxxx = 1+xxxx = 2")], "NotFound \"\""),
            ("x = a+b\n", vec![diff("-x = a+b\n+x = a")], r#"Exact "x = a\n""#),
        ],
    );
}

#[test]
fn repeats_and_odd_text_are_refused_in_bounded_work() {
    let same = "x = 1;\n".repeat(50_000);
    let hunks: Vec<_> = (0..40).map(|_| block("x = 1;\nx = 1;", "y")).collect();
    let matched = run(&same, &hunks, STRICT);
    assert!(matched.text.is_none());
    let HunkOutcome::Refused(refusal) = &matched.outcomes[0] else { panic!("refused") };
    assert_eq!((refusal.total, refusal.candidates.len()), (49_999, 8));
    for odd in
        ["\u{FEFF}é\u{0301}\u{200B}\n", "\r\r\n\r", "…\n...\n", "\\\\\\n\n", "&&amp;&\n", "1 | \n"]
    {
        for hunk in [block(odd, "x"), text(odd, "x"), diff(odd)] {
            for options in [STRICT, KNOWN, SCORED] {
                let _ = run("plain é\n  text…\n", std::slice::from_ref(&hunk), options);
                let _ = run(odd, std::slice::from_ref(&hunk), options);
            }
        }
    }
    let long = "é".repeat(200_000);
    let _ = run(&long, &[block(&format!("{long}x"), "y")], SCORED);
}

#[test]
fn a_copy_edited_since_is_a_rival_wherever_it_is() {
    let file = "fn a() {\n    check(item);\n    log(\"started\");\n    cache.insert(key, total);\n}\n\nfn b() {\n    check(item);\n    let edited_26 = other(26);\n    cache.insert(key, total);\n}\n";
    let change =
        diff("-    log(\"started\");\n+    let fresh = 1;\n     cache.insert(key, total);\n }");
    assert_eq!(said(file, &[hinted(change, 9)], STRICT), "Ambiguous \"\"");
}
