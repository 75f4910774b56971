//! What is planned: operations, carriers, guards, all or nothing.

use super::*;

#[test]
fn c042_create_update_delete_rename_and_mode_are_planned() {
    let files = [("a", "x\n"), ("b", "y\n"), ("c", "z\n"), ("d", "w\n")];
    let edits = set(vec![
        edit("new", FileChange::Create("n\n".into())),
        replace("a", "x", "xx"),
        edit("b", FileChange::Delete),
        FileEdit { rename_to: Some("moved/c".into()), ..replace("c", "z", "zz") },
        FileEdit { mode: Some(0o100_755), ..edit("d", FileChange::Keep) },
    ]);
    let Verification::Verified { edits: plan, report } = check(&edits, &files) else {
        panic!("refused")
    };
    let planned: Vec<String> = plan
        .files()
        .iter()
        .map(|file| {
            let after = file.after.as_ref();
            let text = after.map(|after| String::from_utf8_lossy(&after.bytes).into_owned());
            let mode = after.map(|after| format!("{:o}", after.mode));
            let from = file.moved_from.as_ref().map(ToString::to_string);
            format!("{} {:?} {:?} from {from:?}", file.path, text, mode)
        })
        .collect();
    insta::assert_snapshot!(planned.join("\n"), @r#"
    new Some("n\n") Some("644") from None
    a Some("xx\n") Some("644") from None
    b None None from None
    c None None from None
    moved/c Some("zz\n") Some("644") from Some("c")
    d Some("w\n") Some("755") from None
    "#);
    let operations: Vec<Operation> = report.files.iter().map(|file| file.operation).collect();
    use Operation::{Create, Delete, Rename, Update};
    assert_eq!(operations, [Create, Update, Delete, Rename, Update]);
}

#[test]
fn c042_moves_and_deletions_that_do_not_fit_are_refused() {
    let files = [("a", "x\n"), ("b", "y\n"), ("d/e", "z\n")];
    let move_to = |from: &str, to: &str| FileEdit {
        rename_to: Some(to.into()),
        ..edit(from, FileChange::Keep)
    };
    for (edits, expected) in [
        (vec![move_to("a", "b")], RefusalCode::PathsCollide),
        (vec![move_to("a", "n"), move_to("b", "n")], RefusalCode::PathsCollide),
        (vec![move_to("gone", "n")], RefusalCode::MissingFile),
        (vec![move_to("a", "../n")], RefusalCode::Path),
        (vec![edit("d", FileChange::Delete)], RefusalCode::Path),
        (vec![edit("gone", FileChange::Delete)], RefusalCode::MissingFile),
        (vec![replace("gone", "x", "y")], RefusalCode::MissingFile),
        (vec![write("n", ""), write("n/m", "")], RefusalCode::PathsCollide),
        (vec![write("N", ""), write("n", "")], RefusalCode::PathsCollide),
        (vec![write(".git/config", "")], RefusalCode::Path),
    ] {
        assert_eq!(outcome(check(&set(edits.clone()), &files)), Err(expected), "{edits:?}");
    }
    let swap = check(&set(vec![move_to("a", "b"), move_to("b", "a")]), &files);
    let mut swapped = outcome(swap).unwrap();
    swapped.sort();
    let expected =
        [("a", "y\n"), ("b", "x\n")].map(|(path, text)| (path.into(), Some(text.into())));
    assert_eq!(swapped, expected);
}

#[test]
fn c042_an_envelope_may_move_over_a_file_that_the_model_saw() {
    let files = [("a", "x\n"), ("b", "y\n")];
    let moved = FileEdit { rename_to: Some("b".into()), ..replace("a", "x", "xx") };
    let envelope = |hashes: Option<&[(&str, String)]>| EditSet {
        format: EditFormat::ApplyPatch,
        ..hashes.map_or_else(|| set(vec![moved.clone()]), |h| with_hashes(vec![moved.clone()], h))
    };
    let verified = check(&envelope(None), &files);
    assert!(verified.report().files[0].notes[0].contains("replaces b"));
    let expected = vec![("a".to_owned(), None), ("b".to_owned(), Some("xx\n".to_owned()))];
    assert_eq!(outcome(verified), Ok(expected));
    let only_one = [("a", hash("x\n"))];
    let refused = outcome(check(&envelope(Some(&only_one)), &files));
    assert_eq!(refused, Err(RefusalCode::NoHashProvided));
}

#[test]
fn c085_a_diff_that_deletes_a_file_must_show_its_lines() {
    let delete = |shown: &str| {
        let gone = FileEdit { change: FileChange::Delete, ..replace("a", "x", "") };
        set(vec![replace("a", shown, ""), gone])
    };
    let files = [("a", "one\ntwo\n")];
    let deleted = outcome(check(&delete("one\ntwo\n"), &files));
    assert_eq!(deleted, Ok(vec![("a".to_owned(), None)]));
    for stale in ["one", "one\nother", "three"] {
        assert_eq!(
            outcome(check(&delete(stale), &files)),
            Err(RefusalCode::HunkRefused),
            "{stale}"
        );
    }
}

#[test]
fn c033_several_carriers_of_one_file_must_agree() {
    let files = [("a", "one\ntwo\n")];
    let whole = || write("./a", "one\nzwei\n");
    let same =
        set(vec![whole(), replace("a", "two", "zwei"), line_operation("a", 2, "two", "zwei")]);
    assert_eq!(outcome(check(&same, &files)), Ok(changed("a", "one\nzwei\n")));
    let other = set(vec![edit("a", FileChange::Delete), replace("a", "two", "zwei")]);
    assert_eq!(outcome(check(&other, &files)), Err(RefusalCode::CarriersDisagree));
    let contradicting = set(vec![replace("a", "two", "deux"), whole()]);
    assert_eq!(outcome(check(&contradicting, &files)), Err(RefusalCode::CarriersDisagree));
    let patches = set(vec![replace("a", "one", "eins"), replace("a", "two", "zwei")]);
    assert_eq!(outcome(check(&patches, &files)), Ok(changed("a", "eins\nzwei\n")));
}

/// Counts how often a text is read for comments that stand for code.
struct Counting(std::cell::Cell<usize>);

impl SyntaxProbe for Counting {
    fn errors(&self, _path: &str, _text: &str) -> Option<usize> {
        None
    }

    fn nodes(&self, _path: &str, _text: &str) -> Option<Vec<ProbeNode>> {
        None
    }

    fn omissions(&self, _path: &str, _text: &str) -> Vec<OmissionLine> {
        self.0.set(self.0.get() + 1);
        Vec::new()
    }
}

#[test]
fn a_carrier_sent_again_is_carried_out_once() {
    let files = [("a", "one\ntwo\n")];
    let read_for = |edits: Vec<FileEdit>| {
        let probe = Counting(std::cell::Cell::new(0));
        let options = VerifyOptions { probe: &probe, ..VerifyOptions::default() };
        (outcome(verify(&set(edits), &tree(&files), &options)), probe.0.get())
    };
    let repeated = |count: usize| (0..count).map(|_| write("a", "one\nzwei\n")).collect();
    let twice = read_for(repeated(2));
    assert_eq!(twice.0, Ok(changed("a", "one\nzwei\n")));
    assert_eq!(read_for(repeated(500)), twice);
    let different = |count: usize| (0..count).map(|at| write("a", &format!("{at}\n"))).collect();
    let (refused, read) = read_for(different(500));
    assert_eq!(refused, Err(RefusalCode::CarriersDisagree));
    assert!(read <= twice.1, "{read} texts were read");
}

#[test]
fn a_file_deleted_and_created_again_is_replaced() {
    let edits =
        set(vec![edit("a", FileChange::Delete), edit("a", FileChange::Create("y\n".into()))]);
    assert_eq!(outcome(check(&edits, &[("a", "x\n")])), Ok(changed("a", "y\n")));
}

#[test]
fn c110_all_or_nothing_unless_partial_is_asked_for() {
    let files = [("a", "x\n"), ("b", "y\n")];
    let edits = set(vec![replace("a", "x", "xx"), replace("b", "nowhere", "z")]);
    assert_eq!(outcome(check(&edits, &files)), Err(RefusalCode::HunkRefused));
    let options = VerifyOptions { partial: true, ..VerifyOptions::default() };
    let partly = verify(&edits, &tree(&files), &options);
    assert!(partly.report().files[1].outcome.is_refused());
    assert_eq!(outcome(partly), Ok(changed("a", "xx\n")));
    let none = set(vec![replace("b", "nowhere", "z")]);
    assert!(outcome(verify(&none, &tree(&files), &options)).is_err());
}

#[test]
fn c191_no_changes_needed_is_no_error_and_no_hallucination() {
    let files = [("a", "fn new_name() {}\nrest\n")];
    for edits in [
        vec![replace("a", "fn old_name() {}", "fn new_name() {}")],
        vec![write("a", "fn new_name() {}\nrest\n")],
        vec![edit("a", FileChange::Create("fn new_name() {}\nrest\n".into()))],
    ] {
        let verified = check(&set(edits.clone()), &files);
        let report = &verified.report().files[0];
        assert_eq!(report.outcome, FileOutcome::NoChange, "{edits:?}");
        assert_eq!(report.notes, ["no changes needed"]);
        assert_eq!(outcome(verified), Ok(Vec::new()));
    }
    let invented = set(vec![replace("a", "fn invented() {}", "fn other() {}")]);
    assert_eq!(outcome(check(&invented, &files)), Err(RefusalCode::HunkRefused));
}

#[test]
fn c086_an_edit_of_a_file_that_is_not_there_asks_for_the_file() {
    let refused = refusal(check(&set(vec![replace("gone.py", "x", "y")]), &[]));
    assert!(refused.detail.contains("ask the user to attach it"), "{}", refused.detail);
}

#[test]
fn the_target_is_meant_where_the_edit_names_no_file() {
    let edits = set(vec![FileEdit { path: None, ..replace("", "x", "y") }]);
    assert_eq!(outcome(check(&edits, &[("a", "x\n")])), Err(RefusalCode::NoPath));
    let options = VerifyOptions { target: Some("a"), ..VerifyOptions::default() };
    let verified = verify(&edits, &tree(&[("a", "x\n")]), &options);
    assert_eq!(outcome(verified), Ok(changed("a", "y\n")));
}

#[test]
fn guards_hold_back_until_somebody_allows() {
    let long: String = (0..60).map(|n| format!("line {n}\n")).collect();
    let files = [("a.rs", "ok\n"), ("long.txt", long.as_str())];
    let allow = |change: fn(&mut Allow)| {
        let mut allow = Allow::default();
        change(&mut allow);
        VerifyOptions { probe: &Marks, allow, ..VerifyOptions::default() }
    };
    type Change = fn(&mut Allow);
    let cases: [(FileEdit, RefusalCode, Change); 4] = [
        (replace("a.rs", "ok", "ok\n// rest"), RefusalCode::Omission, |a| a.omissions = true),
        (edit("n.rs", FileChange::Create("// rest\n".into())), RefusalCode::Omission, |a| {
            a.omissions = true;
        }),
        (write("long.txt", "line 0\n"), RefusalCode::Shrink, |a| a.shrink = true),
        (replace("a.rs", "ok", "<error>"), RefusalCode::SyntaxErrors, |a| a.syntax = true),
    ];
    for (change, code, permit) in cases {
        let edits = set(vec![change]);
        let held = verify(&edits, &tree(&files), &allow(|_| {}));
        assert_eq!(outcome(held), Err(code));
        assert!(outcome(verify(&edits, &tree(&files), &allow(permit))).is_ok(), "{code:?}");
    }
    let old_marker = [("a.rs", "x\n// rest\n<error>\n")];
    let edits = set(vec![replace("a.rs", "x\n", "y\n")]);
    assert!(outcome(verify(&edits, &tree(&old_marker), &allow(|_| {}))).is_ok());
}

#[test]
fn bytes_that_are_not_touched_stay() {
    for (old, new, expected) in [
        ("a\r\nb\r\nc", "A\nb\nc", "A\r\nb\r\nc"),
        ("\u{feff}a\nb\n", "a\nB\n", "\u{feff}a\nB\n"),
        ("a\r\nb\nc\r\n", "a\nb\nC\n", "a\r\nb\nC\r\n"),
    ] {
        let verified = check(&set(vec![write("x", new)]), &[("x", old)]);
        assert_eq!(outcome(verified), Ok(changed("x", expected)), "{old:?}");
    }
    let mut view = tree(&[]);
    view.insert("run.sh", FileState::new(b"old\n".to_vec(), 0o4755));
    let edits = set(vec![FileEdit { mode: Some(0o100_644), ..replace("run.sh", "old", "new") }]);
    let Verification::Verified { edits, .. } = verify(&edits, &view, &VerifyOptions::default())
    else {
        panic!("refused")
    };
    assert_eq!(edits.files()[0].after.as_ref().unwrap().mode, 0o4644);
}

#[test]
fn binary_files_are_refused() {
    let mut view = tree(&[]);
    view.insert("x.bin", FileState::new(vec![0, 159, 146, 150, 0], 0o644));
    for change in [replace("x.bin", "a", "b"), write("x.bin", "text")] {
        let verified = verify(&set(vec![change]), &view, &VerifyOptions::default());
        assert_eq!(outcome(verified), Err(RefusalCode::Unreadable));
    }
}

#[test]
fn what_a_person_declines_is_not_reported_as_done() {
    let files = [("a", "1\n2\n3\n4\n5\n6\n7\n8\n9\n"), ("b", "x\n")];
    let two = |old: &str, new: &str| {
        let body = HunkBody::Text { old: old.to_owned(), new: new.to_owned() };
        hunk(body)
    };
    let both = FileChange::Patch(vec![two("2", "two"), two("8", "eight")]);
    let edits = set(vec![edit("a", both), replace("b", "x", "y")]);
    for (declined, expected) in [
        ("b", "a Planned [Placed, Placed]; b Declined [Declined]"),
        ("eight", "a Planned [Placed, Declined]; b Planned [Placed]"),
        ("a", "a Declined [Declined, Declined]; b Planned [Placed]"),
    ] {
        let Verification::Verified { edits: plan, mut report } = check(&edits, &files) else {
            panic!("refused")
        };
        let chosen = plan.keep(|file, hunk| {
            let lines = hunk.map(|hunk| hunk.lines.as_slice()).unwrap_or_default();
            let word =
                |(_, line): &(crate::ShownAs, Vec<u8>)| line.starts_with(declined.as_bytes());
            file.path.as_str() != declined && !lines.iter().any(word)
        });
        report.note_choice(&chosen);
        let said = report.files.iter().map(|file| {
            let hunks: Vec<_> = file.hunks.iter().map(kind).collect();
            let outcome =
                if file.outcome == crate::FileOutcome::Planned { "Planned" } else { "Declined" };
            format!("{} {outcome} [{}]", file.path, hunks.join(", "))
        });
        assert_eq!(said.collect::<Vec<_>>().join("; "), expected, "{declined}");
    }
}

fn kind(hunk: &crate::HunkOutcome) -> &'static str {
    match hunk {
        crate::HunkOutcome::Placed { .. } => "Placed",
        crate::HunkOutcome::AlreadyApplied { .. } => "AlreadyApplied",
        crate::HunkOutcome::Declined { .. } => "Declined",
        crate::HunkOutcome::Refused(_) => "Refused",
    }
}
