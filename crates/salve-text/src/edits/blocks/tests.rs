//! Blocks in every dialect, and what is none.

use super::read;
use super::shown::shown;
use crate::edits::EditOptions;
use proptest::prelude::*;
use salve_types::{EditEnd, FileChange, HunkBody};

fn parsed(text: &str) -> String {
    shown(read(text, &EditOptions::default()).as_ref())
}

#[test]
fn every_dialect_gives_the_same_block() {
    let cases = [
        "a.py\n```python\n<<<<<<< SEARCH\none\n=======\ntwo\n>>>>>>> REPLACE\n```\n",
        "```python\na.py\n<<<<<<< SEARCH\none\n=======\ntwo\n>>>>>>> REPLACE\n```\n",
        "```a.py\n<<<<<<< SEARCH\none\n=======\ntwo\n>>>>>>> REPLACE\n```\n",
        "a.py\r\n<<<<<<< SEARCH\r\none\r\n=======\r\ntwo\r\n>>>>>>> REPLACE\r\n",
        "**a.py**\n<<<<< SEARCH\none\n=====\ntwo\n>>>>> REPLACE",
        "# a.py:\n<<<<<<<<<<< SEARCH\none\n===========\ntwo\n>>>>>>>>>>> REPLACE\n",
        "`a.py`\n------- SEARCH\none\n=======\ntwo\n+++++++ REPLACE\n",
        "a.py\n------- SEARCH>\none\n=======\ntwo\n+++++++ REPLACE>\n",
        "<replace_in_file>\n<path>a.py</path>\n<diff>\n------- SEARCH\none\n=======\ntwo\n\
         +++++++ REPLACE\n</diff>\n</replace_in_file>\n",
        "<apply_diff><path>a.py</path>\n<diff>\n<<<<<<< SEARCH\n-------\none\n=======\ntwo\n\
         >>>>>>> REPLACE\n</diff></apply_diff>",
    ];
    for text in cases {
        let shown = parsed(text).replace("\nnote LOOSE_MARKER", "");
        assert_eq!(shown, "search_replace\na.py: [\"one\"] => [\"two\"]", "{text}");
    }
}

#[test]
fn blocks_inherit_the_path_above_them() {
    let text = "a.py\n<<<<<<< SEARCH\n1\n=======\n2\n>>>>>>> REPLACE\n\nand\n\n<<<<<<< SEARCH\n3\n\
                =======\n4\n>>>>>>> REPLACE\n\nb.py\n<<<<<<< SEARCH\n=======\nnew\n>>>>>>> REPLACE\n\
                \na.py\n<<<<<<< SEARCH\n5\n=======\n>>>>>>> REPLACE\n";
    insta::assert_snapshot!(parsed(text), @r#"
    search_replace
    a.py: ["1"] => ["2"]; ["3"] => ["4"]; ["5"] => []
    b.py: [] => ["new"]
    "#);
}

#[test]
fn a_place_is_read_from_the_metadata() {
    let block =
        |head: &str| parsed(&format!("<<<<<<< SEARCH\n{head}old\n=======\nnew\n>>>>>>> REPLACE\n"));
    let plain = "search_replace\n?: [\"old\"] => [\"new\"] @18";
    assert_eq!(block(":start_line:18\n-------\n"), plain);
    assert_eq!(block(":start_line: 18\n:end_line:20\n-------\n"), plain);
    assert_eq!(block(":start_line:18\n"), plain);
    assert_eq!(block(":start_line=18\n-------\n"), format!("{plain}\nnote LOOSE_MARKER"));
    assert_eq!(block(":start_line 18\n-------\n"), format!("{plain}\nnote LOOSE_MARKER"));
    let faulty = block(":start_line:x\n-------\n");
    assert!(faulty.contains("malformed at 15: line 2: `:start_line:x` names no line"), "{faulty}");
    let replaced = parsed("<<<<<<< SEARCH\na\n=======\n:start_line:3\nb\n>>>>>>> REPLACE\n");
    assert!(replaced.contains("is in the new text"), "{replaced}");
}

#[test]
fn markers_of_the_file_are_escaped() {
    let text = "<<<<<<< SEARCH\n\\<<<<<<< HEAD\na\n\\=======\nb\n\\>>>>>>> main\n=======\na\n\
                \\-------\n>>>>>>> REPLACE\n";
    insta::assert_snapshot!(parsed(text), @r#"
    search_replace
    ?: ["<<<<<<< HEAD", "a", "=======", "b", ">>>>>>> main"] => ["a", "-------"]
    "#);
}

#[test]
fn a_row_as_long_as_the_marker_goes_before_an_underline() {
    let text = "<<<<<<< SEARCH\nTitle\n=====\n=======\nOther title\n===========\n>>>>>>> REPLACE\n";
    insta::assert_snapshot!(parsed(text), @r#"
    search_replace
    ?: ["Title", "====="] => ["Other title", "==========="]
    "#);
}

#[test]
fn what_stands_further_in_is_content() {
    let text =
        "<<<<<<< SEARCH\n    =======\n    >>>>>>> REPLACE\n=======\n    x\n>>>>>>> REPLACE\n";
    insta::assert_snapshot!(parsed(text), @r#"
    search_replace
    ?: ["    =======", "    >>>>>>> REPLACE"] => ["    x"]
    "#);
}

#[test]
fn elisions_stay_and_numbers_go() {
    let text = "<<<<<<< SEARCH\ndef f():\n    ...\n    return 1\n=======\ndef f():\n    ...\n    \
                return 2\n>>>>>>> REPLACE\n<<<<<<< SEARCH\n7 | a\n8 |   b\n=======\n7 | a\n8 |   c\n\
                >>>>>>> REPLACE\n";
    insta::assert_snapshot!(parsed(text), @r#"
    search_replace
    ?: ["def f():", "    ...", "    return 1"] => ["def f():", "    ...", "    return 2"]; ["a", "  b"] => ["a", "  c"] @7
    note LOOSE_MARKER
    "#);
}

#[test]
fn spaces_behind_a_separator_belong_to_it_in_one_dialect() {
    let block = |head: &str, first: &str| {
        let text = format!("<<<<<<< SEARCH\n{head}a\n=======\n{first}\nb\n>>>>>>> REPLACE\n");
        parsed(&text)
    };
    let place = ":start_line:3\n-------\n";
    let dropped = block(place, "    ");
    assert_eq!(dropped, "search_replace\n?: [\"a\"] => [\"b\"] @3\nnote LOOSE_MARKER");
    assert_eq!(block(place, ""), "search_replace\n?: [\"a\"] => [\"\", \"b\"] @3");
    assert_eq!(block("", "    "), "search_replace\n?: [\"a\"] => [\"    \", \"b\"]");
}

#[test]
fn what_is_broken_is_refused_with_its_reason() {
    let cases = [
        (
            "-- SEARCH\na\n=======\nb\n+++++++ REPLACE\n",
            "malformed at 0: line 1: `-- SEARCH` is no",
        ),
        ("-------SEARCH\na\n=======\nb\n+++++++ REPLACE\n", "is no marker"),
        ("<<<<<<< SEARCH\na\n=======\nb\n>>>>>>>REPLACE\n", "malformed at 27: line 5"),
        ("<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n", "where `=======` was expected"),
        ("<<<<<<< SEARCH\na\n=======\nb\n<<<<<<< SEARCH\n", "where `>>>>>>> REPLACE` was expected"),
        ("<<<<<<< SEARCH\na\n<<<<<<< SEARCH\n", "where `=======` was expected"),
        ("<<<<<<< SEARCH\na\n=======\nb\n=======\nc\n>>>>>>> REPLACE\n", "a second row"),
        ("<<<<<<< SEARCH\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n", "marker of a merge conflict"),
        ("<<<<<<< SEARCH\na\n=======\n>>>>>>> main\nb\n>>>>>>> REPLACE\n", "merge conflict"),
        ("<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n>>>>>>> REPLACE\n", "line 6: found"),
        ("<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n=======\nc\n", "line 6: found `=======`"),
        ("<<<<<<< SEARCH\na\n=======\nb\n", "truncated at 0: line 1: the block is not closed"),
        (
            "a.py\n------- SEARCH\na\n=======\nb\n+++++++ REPLACE\n\na.py\n------- S",
            "truncated at 54: line 9: the reply ends inside the marker",
        ),
        (
            "a.py\n------- SEARCH\na\n=======\nb\n+++++++ REPLACE\n\na.py\n-------",
            "truncated at 54: line 9: the reply ends inside the marker",
        ),
        ("x.py\n<<<<<<< SEARCH\na\n", "truncated at 5: line 2: the block ends before its new text"),
        ("<<<<<<< SEARCH", "truncated at 0"),
    ];
    for (text, expected) in cases {
        let shown = parsed(text);
        assert!(shown.contains(expected), "{text}\n{shown}");
    }
}

#[test]
fn other_texts_are_not_in_blocks() {
    let cases = [
        "",
        "Use the SEARCH/REPLACE format.\n",
        "SELECT 1;\n-- SEARCH\n",
        "Title\n=======\n\ntext\n",
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n <<<<<<< SEARCH\n-a\n+b\n",
        "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main\n",
        "- SEARCH\n- REPLACE\n",
    ];
    for text in cases {
        assert_eq!(parsed(text), "none", "{text}");
    }
}

#[test]
fn notes_tell_what_was_tolerated() {
    let loose = parsed("<<< SEARCH\na\n===\nb\n>>> REPLACE\n");
    assert_eq!(loose.matches("LOOSE_MARKER").count(), 2, "{loose}");
    let mixed = parsed("<<<<<<< SEARCH\na\n=======\nb\n+++++++ REPLACE\n");
    assert!(mixed.contains("LOOSE_MARKER"), "{mixed}");
    let older = parsed("<<<<<<< ORIGINAL\na\n=======\nb\n>>>>>>> UPDATED\n");
    assert!(older.contains("LOOSE_MARKER"), "{older}");
    let same = parsed("<<<<<<< SEARCH\na\n=======\na\n>>>>>>> REPLACE\n");
    assert!(same.contains("NO_EFFECT"), "{same}");
}

#[test]
fn a_cut_reply_is_never_complete_with_half_a_block() {
    let text = "Sure.\n\na.py\n```python\n<<<<<<< SEARCH\nö\n=======\nü\n>>>>>>> REPLACE\n```\n\nb.py\n\
                ```python\n<<<<<<< SEARCH\n1\n=======\n2\n3\n>>>>>>> REPLACE\n```\nDone.\n";
    let whole = read(text, &EditOptions::default()).expect("blocks");
    for cut in (0..text.len()).filter(|&cut| text.is_char_boundary(cut)) {
        let Some(set) = read(&text[..cut], &EditOptions::default()) else { continue };
        if set.end == EditEnd::Complete {
            let whole_changes = whole.files.iter().map(|file| (&file.path, &file.change));
            let changes = set.files.iter().map(|file| (&file.path, &file.change));
            assert!(changes.zip(whole_changes).all(|(one, other)| one == other), "{cut}");
        }
    }
}

#[test]
fn hostile_texts_are_read_in_one_pass() {
    let many = "x.py\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n".repeat(5_000);
    let set = read(&many, &EditOptions::default()).expect("blocks");
    assert!(matches!(&set.files[0].change, FileChange::Patch(hunks) if hunks.len() == 5_000));
    for text in [
        format!("<<<<<<< SEARCH\n{}", "=======\n".repeat(50_000)),
        "<".repeat(1_000_000),
        format!("<<<<<<< SEARCH\n{}\n=======\n>>>>>>> REPLACE", "x".repeat(1_000_000)),
        "\u{0}\u{feff}<<<<<<< SEARCH\n\u{0}\n=======\n\u{2028}\n>>>>>>> REPLACE".to_owned(),
        ":start_line:99999999999999999999\n".repeat(100),
    ] {
        let _ = read(&text, &EditOptions::default());
    }
}

fn is_plain(line: &str) -> bool {
    super::marker::read_marker(line).is_none()
        && !line.starts_with('\\')
        && !line.trim_start().starts_with(":start_line")
        && !line.trim_start().starts_with(":end_line")
        && !super::marker::is_rule(line)
        && !line.contains('|')
}

fn lines() -> impl Strategy<Value = Vec<String>> {
    let line =
        "[ \t]{0,3}[a-zA-Z0-9=<>+\\-#(){}\"'ßé日 ]{0,20}".prop_filter("marker", |l| is_plain(l));
    proptest::collection::vec(line, 0..8)
}

proptest! {
    #[test]
    fn written_blocks_are_read_back(old in lines(), new in lines(), signs in 5usize..12, path: bool) {
        let side = |lines: &[String]| lines.iter().map(|l| format!("{l}\n")).collect::<String>();
        let text = format!(
            "{}{} SEARCH\n{}{}\n{}{} REPLACE\n",
            if path { "src/a.rs\n" } else { "" },
            "<".repeat(signs), side(&old), "=".repeat(signs), side(&new), ">".repeat(signs),
        );
        let set = read(&text, &EditOptions::default()).expect("a block");
        prop_assert_eq!(&set.end, &EditEnd::Complete);
        let FileChange::Patch(hunks) = &set.files[0].change else { panic!("a patch") };
        prop_assert_eq!(&hunks[0].body, &HunkBody::Block { old, new });
        prop_assert_eq!(set.files[0].path.as_deref(), path.then_some("src/a.rs"));
    }

    #[test]
    fn no_text_makes_the_reader_panic(
        parts in proptest::collection::vec(
            prop_oneof![
                Just("<<<<<<< SEARCH".to_owned()), Just("=======".to_owned()),
                Just(">>>>>>> REPLACE".to_owned()), Just("------- SEARCH".to_owned()),
                Just("+++++++ REPLACE".to_owned()), Just(":start_line:3".to_owned()),
                Just("-------".to_owned()), Just("<<<<<<< HEAD".to_owned()), Just("```".to_owned()),
                Just("a.py".to_owned()), Just("1 | a".to_owned()), Just("\\=======".to_owned()),
                "\\PC{0,12}",
            ],
            0..24,
        ),
        end in prop_oneof![Just("\n"), Just("\r\n"), Just("\r"), Just("")],
    ) {
        let text = parts.join(end);
        if let Some(set) = read(&text, &EditOptions::default()) {
            for file in &set.files {
                prop_assert!(text.get(file.span.range()).is_some());
            }
        }
    }
}
