//! Promises of the reader of edits, whatever the format.

use super::sketch::sketch;
use super::{EditOptions, EditReader, parse_edits};
use proptest::prelude::*;
use salve_types::{EditEnd, EditFormat, FileChange, HunkBody, HunkLine, LineKind};

const DIFF: &str = "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n";
const ENVELOPE: &str = "*** Begin Patch\n*** Update File: y.py\n@@\n-c\n+d\n*** End Patch\n";

fn options(target: Option<&str>, hints: &[u32]) -> EditOptions {
    EditOptions {
        target: target.map(str::to_owned),
        hints: hints.to_vec(),
        ..EditOptions::default()
    }
}

fn in_pieces(text: &str, size: usize) -> String {
    let mut reader = EditReader::new(&EditOptions::default());
    let letters: Vec<char> = text.chars().collect();
    for piece in letters.chunks(size.max(1)) {
        reader.push(&piece.iter().collect::<String>());
    }
    sketch(&reader.finish())
}

#[test]
fn c033_carriers_of_one_file_are_all_kept() {
    let envelope = ENVELOPE.replace("y.py", "x.py");
    let set = parse_edits(&format!("{DIFF}\nor\n\n{envelope}"), &EditOptions::default());
    let paths: Vec<_> = set.files.iter().map(|file| file.path.as_deref()).collect();
    assert_eq!(paths, [Some("x.py"), Some("x.py")]);
    assert_eq!(set.end, EditEnd::Complete);
}

#[test]
fn a_cut_carrier_cuts_the_whole_reply() {
    let cut = ENVELOPE.replace("*** End Patch\n", "");
    let set = parse_edits(&format!("{DIFF}\n{cut}"), &EditOptions::default());
    assert!(matches!(set.end, EditEnd::Truncated { .. }), "{set:?}");
}

#[test]
fn what_a_carrier_holds_inside_is_its_content() {
    // A diff of a text about envelopes, and an envelope whose chunk looks like a diff's hunk.
    let about = "--- d.md\n+++ d.md\n@@ -1,6 +1,6 @@\n *** Begin Patch\n *** Update File: q\n @@\n \
                 -x\n-+y\n++z\n *** End Patch\n";
    let set = parse_edits(about, &EditOptions::default());
    assert_eq!((set.format, set.files.len()), (EditFormat::UnifiedDiff, 1));
    assert_eq!(set.end, EditEnd::Complete);
    let set = parse_edits(ENVELOPE, &EditOptions::default());
    assert_eq!((set.format, set.files.len()), (EditFormat::ApplyPatch, 1));
    let broken = ENVELOPE.replace("+d", "d");
    let set = parse_edits(&broken, &EditOptions::default());
    assert!(matches!(set.end, EditEnd::Malformed { .. }), "{set:?}");
}

#[test]
fn the_label_is_only_a_hint() {
    let labelled = |label| EditOptions { format: Some(label), ..EditOptions::default() };
    let right = parse_edits(DIFF, &labelled(EditFormat::UnifiedDiff));
    assert!(right.notes.is_empty());
    let wrong = parse_edits(DIFF, &labelled(EditFormat::WholeFile));
    assert!(sketch(&wrong).ends_with("complete\nFORMAT_MISMATCH\n"));
    assert_eq!(wrong.files, right.files);
}

#[test]
fn the_target_is_meant_where_one_other_file_or_none_is_named() {
    let path = |text: &str, target| {
        let set = parse_edits(text, &options(target, &[]));
        set.files.iter().map(|file| file.path.clone().unwrap_or_default()).collect::<Vec<_>>()
    };
    let bare = "@@ -1 +1 @@\n-a\n+b\n";
    assert_eq!(path(bare, Some("t")), ["t"]);
    assert_eq!(path(bare, None), [""]);
    assert_eq!(path(DIFF, Some("t")), ["t"]);
    assert_eq!(path(&format!("{DIFF}{ENVELOPE}"), Some("t")), ["x.py", "y.py"]);
    assert_eq!(path("--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+a\n", Some("t")), ["n"]);
    assert_eq!(path("--- n\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", Some("t")), ["n", "n"]);
    assert_eq!(path(&format!("```\n{DIFF}```\n```\n{bare}```\n"), None), ["x.py", "x.py"]);
}

#[test]
fn hints_reach_the_hunks_that_have_none() {
    let text = "--- x\n+++ x\n@@\n-a\n+b\n@@ -7 +7 @@\n-c\n+d\n@@\n-e\n+f\n";
    let hints = |given: &[u32]| {
        let set = parse_edits(text, &options(None, given));
        let FileChange::Patch(hunks) = &set.files[0].change else { panic!("no patch") };
        hunks.iter().map(|hunk| hunk.hint).collect::<Vec<_>>()
    };
    assert_eq!(hints(&[]), [None, Some(7), None]);
    assert_eq!(hints(&[3]), [Some(3), Some(7), Some(3)]);
    assert_eq!(hints(&[3, 4, 5]), [Some(3), Some(7), Some(5)]);
}

#[test]
fn talk_without_an_edit_is_not_recognised() {
    for text in ["", "\n", "I would change nothing here.", "---\n+++\n@@@\n***\n"] {
        let set = parse_edits(text, &EditOptions::default());
        assert_eq!(set.format, EditFormat::Unknown, "{text}");
        assert!(set.files.is_empty() && matches!(set.end, EditEnd::Malformed { .. }));
    }
}

#[test]
fn hostile_texts_are_read_in_time() {
    let long = "x ".repeat(200_000);
    for text in [
        format!("diff --git {long}\nindex 1..2\n"),
        format!("--- {long}\n+++ {long}\n@@\n-a\n+b\n"),
        "@@\n".repeat(50_000),
        "@@ -1 +1 @@\n-a\n+b\n\n".repeat(20_000),
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n".repeat(10_000),
        (0..10_000).map(|n| format!("--- a/{n}\n+++ b/{n}\n@@\n-a\n+b\n")).collect(),
        "```\n".repeat(50_000),
        "*** Begin Patch\n".repeat(30_000),
        "*** Begin Patch\n*** Delete File: a\n*** End Patch\n".repeat(10_000),
        format!("--- x\n+++ x\n@@\n{}", "\n".repeat(100_000)),
        format!("--- x\n+++ x\n@@\n-{}\n", "a+a+".repeat(100_000)),
        "--- \0\n+++ \0\n@@ -1 +1 @@\n-\u{feff}\0\n+\u{2028}\u{85}\n".to_owned(),
        "@@ -4294967295,18446744073709551615 +1,18446744073709551616 @@\n-a\n+b\n".to_owned(),
        "--- é\n+++ é\n@@é\n é\n-é\n+ü\né".to_owned(),
    ] {
        let set = parse_edits(&text, &EditOptions::default());
        for file in &set.files {
            assert!(text.get(file.span.range()).is_some());
        }
    }
}

// Lines from few letters, so that texts share lines and hold what looks like headers.
fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[ab]{0,2}",
        1 => Just("-- a".to_owned()),
        1 => Just("++ b".to_owned()),
        1 => Just("- ".to_owned()),
        1 => Just("@@ -1 +1 @@".to_owned()),
        1 => Just("\\ x".to_owned()),
        1 => Just("x = 1+x = 2".to_owned()),
    ]
}

fn text() -> impl Strategy<Value = String> {
    (prop::collection::vec(line(), 0..12), any::<bool>()).prop_map(|(lines, ended)| {
        let mut text = lines.join("\n");
        if ended && !text.is_empty() {
            text.push('\n');
        }
        text
    })
}

// The diff of two texts as one hunk: all of the old lines, then all of the new ones, with the lines
// both begin and end with as context.
fn diff_of(old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) =
        (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = (old.len() - head).min(new.len() - head);
    let tail =
        old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let mut diff = format!("--- a/f\n+++ b/f\n@@ -1,{} +1,{} @@\n", old.len(), new.len());
    let mut put = |mark: char, line: &str| {
        diff.push(mark);
        diff.push_str(line);
        if !line.ends_with('\n') {
            diff.push_str("\n\\ No newline at end of file\n");
        }
    };
    old[..head].iter().for_each(|line| put(' ', line));
    old[head..old.len() - tail].iter().for_each(|line| put('-', line));
    new[head..new.len() - tail].iter().for_each(|line| put('+', line));
    old[old.len() - tail..].iter().for_each(|line| put(' ', line));
    diff
}

fn side(lines: &[HunkLine], without: LineKind) -> String {
    let kept = lines.iter().filter(|line| line.kind != without);
    kept.map(|line| format!("{}{}", line.text, if line.no_newline { "" } else { "\n" })).collect()
}

proptest! {
    #[test]
    fn a_diff_of_two_texts_gives_both_back(old in text(), new in text()) {
        prop_assume!(old != new && !old.is_empty());
        let diff = diff_of(&old, &new);
        let set = parse_edits(&diff, &EditOptions::default());
        prop_assert_eq!(&set.end, &EditEnd::Complete, "{}\n{}", diff, sketch(&set));
        prop_assert_eq!(set.files.len(), 1, "{}\n{}", diff, sketch(&set));
        let FileChange::Patch(hunks) = &set.files[0].change else { panic!("{}", sketch(&set)) };
        let HunkBody::Lines(lines) = &hunks[0].body else { panic!("{}", sketch(&set)) };
        prop_assert_eq!(hunks.len(), 1);
        prop_assert_eq!(side(lines, LineKind::Add), old, "{}\n{}", diff, sketch(&set));
        prop_assert_eq!(side(lines, LineKind::Remove), new, "{}\n{}", diff, sketch(&set));
    }

    #[test]
    fn any_text_in_any_pieces_is_read_alike(
        pieces in prop::collection::vec(prop_oneof![
            Just("--- a/x\n"), Just("+++ b/x\n"), Just("@@ -1,2 +1,2 @@\n"), Just("@@\n"),
            Just(" a\n"), Just("-b\n"), Just("+c\n"), Just("\n"), Just("bare\n"), Just("-- \n"),
            Just("```diff\n"), Just("```\n"), Just("diff --git a/x b/x\n"),
            Just("new file mode 100644\n"), Just("rename from x\n"), Just("rename to y\n"),
            Just("*** Begin Patch\n"), Just("*** End Patch\n"), Just("*** Update File: x\n"),
            Just("*** Add File: y\n"), Just("*** End of File\n"), Just("\\ No newline\n"),
            Just("\r\n"), Just("é"), Just("--- /dev/null\n"), Just("{\"path\": \"a\"}\n"),
            Just("<<<<<<< SEARCH\n"), Just("=======\n"), Just(">>>>>>> REPLACE\n"),
        ], 0..24),
        size in 1usize..9,
    ) {
        let text = pieces.concat();
        let whole = sketch(&parse_edits(&text, &EditOptions::default()));
        prop_assert_eq!(in_pieces(&text, size), whole);
    }

    #[test]
    fn no_text_panics(text in "\\PC{0,80}", size in 1usize..9) {
        in_pieces(&text, size);
    }
}
