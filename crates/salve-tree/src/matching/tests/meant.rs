//! Edits that fit by chance: what is accepted is what was meant, or it is refused.

use super::*;

const THREE: &str = "fn a() {\n    go();\n    end();\n}\n\nfn b() {\n    stay(1);\n    end();\n}\n\nfn c() {\n    run();\n    end();\n}\n";

#[test]
fn a_heading_that_is_nowhere_binds() {
    for options in [STRICT, KNOWN] {
        table(
            options,
            vec![
                (
                    "def f():\n    x = 1\n",
                    vec![anchored(diff("-    x = 1\n+    x = 2"), &["def nowhere():"])],
                    "AnchorAbsent \"\"",
                ),
                (
                    "class A:\n    def f():\n        x = 1\n",
                    vec![anchored(
                        diff("-        x = 1\n+        x = 2"),
                        &["class A:", "def g():"],
                    )],
                    "AnchorAbsent \"\"",
                ),
                (
                    "async def f(a, b):\n    x = 1\n",
                    vec![anchored(diff("-    x = 1\n+    x = 2"), &["def f(a"])],
                    r#"Exact "async def f(a, b):\n    x = 2\n""#,
                ),
            ],
        );
    }
}

#[test]
fn the_neighbours_of_a_removal_do_not_prove_it() {
    let altered = "-fn b() {\n-    stay(2);\n-    end();\n-}\n-\n";
    for options in [STRICT, KNOWN] {
        table(
            options,
            vec![
                (
                    THREE,
                    vec![diff(&format!("     end();\n }}\n \n{altered} fn c() {{"))],
                    "NotFound \"\"",
                ),
                (
                    "keep one\nkeep two\n",
                    vec![diff(" keep one\n-was(here)\n keep two")],
                    r#"applied "keep one\nkeep two\n""#,
                ),
                (
                    "fn a() {\n    open();\n    go(2);\n    close();\n}\n\nfn b() {\n    open();\n    close();\n}\n",
                    vec![diff("     open();\n-    go(1);\n     close();")],
                    "NotFound \"\"",
                ),
                (
                    "fn a() {\n    open();\n    go(2);\n    close();\n}\n\nfn b() {\n    open();\n    close();\n}\n",
                    vec![text(
                        "    open();\n    self.counter += 1;\n    close();\n",
                        "    open();\n    close();\n",
                    )],
                    "NotFound \"\"",
                ),
                (
                    "keep one\nkeep two\nwas(there)\n",
                    vec![diff(" keep one\n-was(here)\n keep two")],
                    "NotFound \"\"",
                ),
            ],
        );
    }
}

#[test]
fn what_was_put_at_an_end_is_not_put_there_again() {
    for options in [STRICT, KNOWN] {
        table(
            options,
            vec![
                (
                    "one\ntwo\nthree = 3\n",
                    vec![diff(" one\n two\n+three = 3")],
                    r#"applied "one\ntwo\nthree = 3\n""#,
                ),
                (
                    "one\ntwo\nx = 1\n",
                    vec![diff(" one\n two\n+x = 1")],
                    r#"applied "one\ntwo\nx = 1\n""#,
                ),
                (
                    "one\ntwo\nthree = 3\n",
                    vec![text("two", "two\nthree = 3")],
                    r#"applied "one\ntwo\nthree = 3\n""#,
                ),
                (
                    "one one\ntwo two\nthree = 3\n",
                    vec![block(
                        "    one one\n    two two",
                        "    one one\n    two two\n    three = 3",
                    )],
                    r#"applied "one one\ntwo two\nthree = 3\n""#,
                ),
            ],
        );
    }
}

#[test]
fn text_that_is_a_whole_line_goes_and_comes_as_one() {
    let list = "all = [\n    one,\n    three,\n    four,\n]\n";
    let body = "def f():\n    if x:\n        go()\n    end()\n";
    table(
        STRICT,
        vec![
            (list, vec![text("three,\n", "")], r#"Exact "all = [\n    one,\n    four,\n]\n""#),
            (
                list,
                vec![text("three,\n", "3,")],
                r#"Exact "all = [\n    one,\n    3,\n    four,\n]\n""#,
            ),
            (
                body,
                vec![text("go()\n", "go()\nstay()\n")],
                r#"Reindent "def f():\n    if x:\n        go()\n        stay()\n    end()\n""#,
            ),
            (
                body,
                vec![text("go()\n", "go()\n        stay()\n")],
                r#"Exact "def f():\n    if x:\n        go()\n        stay()\n    end()\n""#,
            ),
        ],
    );
}

#[test]
fn a_part_of_a_line_that_goes_leaves_the_break() {
    let file = "let a = 1; // one\n    let b = 2;\nlet c = 3;\n";
    let every = |hunk: Hunk| Hunk { occurrence: Occurrence::All, ..hunk };
    table(
        STRICT,
        vec![
            (
                file,
                vec![text(" // one\n", "")],
                r#"Exact "let a = 1;\n    let b = 2;\nlet c = 3;\n""#,
            ),
            (
                "a = 1 # x\r\nb = 2\r\n",
                vec![text(" # x\n", "")],
                r#"TrailingSpace "a = 1\r\nb = 2\r\n""#,
            ),
            (
                "go(); x();\n    x();\nx();\nend\n",
                vec![every(text("x();\n", ""))],
                r#"Exact "go(); \nend\n""#,
            ),
            // What is nothing but the break joins two lines, and so does a text that is the same
            // without it.
            ("a = (\n    b)\n", vec![text("(\n    ", "(")], r#"Exact "a = (b)\n""#),
            ("let a =\n    1;\n", vec![text("=\n    1", "= 1")], r#"Exact "let a = 1;\n""#),
            ("one\ntwo\n", vec![text("\ntwo", "two")], r#"Exact "onetwo\n""#),
            // A word that would become a part of the word above.
            ("one\ntwo(1)\n", vec![text("\ntwo(", "three(")], "NotFound \"\""),
            ("one\n.two(1)\n", vec![text("\n.two(", ".three(")], r#"Exact "one.three(1)\n""#),
        ],
    );
}

#[test]
fn tabs_for_blanks_become_blanks_at_every_depth() {
    let file = "class A:\n    def f(self):\n        if x:\n            go()\n";
    let new = "\t\tif x:\n\t\t\tif y:\n\t\t\t\tgo()\n\tend()";
    table(
        STRICT,
        vec![(
            file,
            vec![block("\t\tif x:", new)],
            r#"Reindent "class A:\n    def f(self):\n        if x:\n            if y:\n                go()\n    end()\n            go()\n""#,
        )],
    );
}

#[test]
fn blank_lines_of_the_file_that_a_search_lacks_stay() {
    let file = "import a\n\nimport b\n\n\ndef first():\n    go(1)\n\n    return 1\n";
    table(
        STRICT,
        vec![
            (
                file,
                vec![block(
                    "import b\ndef first():\n    go(1)\n    return 1",
                    "import b\ndef first():\n    go(2)\n    return 1",
                )],
                r#"Fold "import a\n\nimport b\n\n\ndef first():\n    go(2)\n\n    return 1\n""#,
            ),
            // Whether the new line comes above or below the blank one is not said.
            (
                file,
                vec![block("    go(1)\n    return 1", "    go(1)\n    stop()\n    return 1")],
                "NotFound \"\"",
            ),
            (
                file,
                vec![text("import a\nimport b\n", "import b\n")],
                r#"Fold "\nimport b\n\n\ndef first():\n    go(1)\n\n    return 1\n""#,
            ),
        ],
    );
}

#[test]
fn an_exact_place_that_is_the_only_one_outweighs_a_wrong_number() {
    let file = "use a;\n\nfn matches_req(req: &Req, ver: &Version) -> bool {\n    for cmp in &req.comparators {\n        if !matches_impl(cmp, ver) {\n            return false;\n        }\n    }\n    if ver.pre.is_empty() {\n        return true;\n    }\n    other(ver)\n}\n\nfn matches_comparator(cmp: &Comparator, ver: &Version) -> bool {\n    matches_impl(cmp, ver) && (ver.pre.is_empty() || pre_is_compatible(cmp, ver))\n}\n";
    let hunk = diff(
        " fn matches_req(req: &Req, ver: &Version) -> bool {\n     for cmp in &req.comparators {\n-        if !matches_impl(cmp, ver) {\n+        if !matches_all(cmp, ver) {\n             return false;\n         }\n     }",
    );
    for hint in [1, 2, 4, 15, 30] {
        let found =
            match_hunks(&FileText::plain(file.to_owned()), &[hinted(hunk.clone(), hint)], &STRICT);
        assert!(
            found.text.is_some_and(|text| text.contains("matches_all")),
            "{hint}: {:?}",
            found.outcomes
        );
    }
}

#[test]
fn hunks_in_another_order_than_the_file_are_placed_where_each_is_alone() {
    let file: String = (1..40).map(|at| format!("let value_{at} = compute({at});\n")).collect();
    let hunk = |at: usize| {
        diff(&format!(
            " let value_{} = compute({});\n let value_{} = compute({});\n-let value_{at} = compute({at});\n+let value_{at} = 0;\n let value_{} = compute({});",
            at - 2,
            at - 2,
            at - 1,
            at - 1,
            at + 1,
            at + 1
        ))
    };
    let matched = match_hunks(&FileText::plain(file), &[hunk(30), hunk(10), hunk(20)], &STRICT);
    let text = matched.text.expect("all are placed");
    assert_eq!(text.matches(" = 0;").count(), 3);
}

#[test]
fn a_place_that_differs_is_never_called_wholly_alike() {
    let file = "fn a() {\n    let total = items.iter().sum();\n    let rate = total / count;\n    done(rate);\n}\n\nfn b() {\n    let total = items.iter().sum();\n    let rate = total / counts;\n    done(rate);\n}\n";
    let hunk = hinted(
        diff(
            "     let total = items.iter().sum();\n-    let rate = total / count;\n+    let rate = 1;\n     done(rate);",
        ),
        8,
    );
    let matched = match_hunks(&FileText::plain(file.to_owned()), &[hunk], &STRICT);
    let [HunkOutcome::Refused(refusal)] = &matched.outcomes[..] else { panic!("{matched:?}") };
    assert!(
        refusal.candidates.iter().skip(1).all(|candidate| candidate.score < 1.0),
        "{refusal:?}"
    );
}

#[test]
fn a_copy_does_not_take_what_was_applied_elsewhere() {
    let body = |call: &str| {
        format!("    open(file);\n    read(file);\n    {call}\n    close(file);\n}}\n\n")
    };
    let file = format!("fn a() {{\n{}fn b() {{\n{}", body("go(2);"), body("go(1);"));
    let change = "     open(file);\n     read(file);\n-    go(1);\n+    go(2);\n     close(file);";
    let removal = "     open(file);\n     read(file);\n-    go(1);\n     close(file);";
    let without = file.replacen("    go(2);\n", "", 1);
    for (file, hunk) in [
        (&file, diff(change)),
        (&file, hinted(diff(change), 2)),
        (&without, hinted(diff(removal), 2)),
    ] {
        assert_eq!(said(file, std::slice::from_ref(&hunk), STRICT), "Ambiguous \"\"", "{hunk:?}");
    }
    // Where the number names the copy, the copy is meant.
    for (file, hunk) in [(&file, hinted(diff(change), 9)), (&without, hinted(diff(removal), 8))] {
        assert!(said(file, std::slice::from_ref(&hunk), STRICT).starts_with("AtHint"), "{hunk:?}");
    }
}

#[test]
fn a_place_with_all_the_context_is_a_rival_of_an_exact_one() {
    let file = "fn a() {\n    let rate = total / count;\n    if count == 0 {\n    cache.insert(key, total);\n    for item in items {\n}\n\nfn b() {\n    let rate = total / count;\n    if count == 0 {\n    let edited = other(55);\n}\n";
    let hunk = diff(
        "     let rate = total / count;\n     if count == 0 {\n-    cache.insert(key, total);\n-    for item in items {\n+    let fresh = compute(600);",
    );
    assert_eq!(said(file, &[hinted(hunk, 9)], STRICT), "Ambiguous \"\"");
}
