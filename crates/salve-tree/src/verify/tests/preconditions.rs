//! Hashes, truncation, and edits made on older versions.

use super::*;

/// A history with one former version of every file.
struct Former(&'static str);

impl BaseSource for Former {
    fn base(&self, _path: &TreePath, written: &str) -> Option<Vec<u8>> {
        ContentHash::names(written, self.0.as_bytes()).then(|| self.0.as_bytes().to_vec())
    }
}

#[test]
fn c082_an_edit_applies_to_what_the_model_saw_and_to_nothing_else() {
    let files = [("a.py", "x = 1\n")];
    let edits = || vec![replace("a.py", "x = 1", "x = 2")];
    let seen = with_hashes(edits(), &[("a.py", hash("x = 1\n"))]);
    assert_eq!(outcome(check(&seen, &files)), Ok(changed("a.py", "x = 2\n")));
    let changed_since = with_hashes(edits(), &[("a.py", hash("x = 1 \n"))]);
    assert_eq!(outcome(check(&changed_since, &files)), Err(RefusalCode::HashMismatch));
}

#[test]
fn c083_the_messages_are_exact_and_say_which_it_is() {
    let files = [("a.py", "new\n")];
    let edits = || vec![replace("a.py", "new", "newer")];
    let options = VerifyOptions { history: Some(&Former("old\n")), ..VerifyOptions::default() };
    let run = |hashes: &[(&str, String)]| {
        let refused = refusal(verify(&with_hashes(edits(), hashes), &tree(&files), &options));
        (refused.message.clone(), refused.detail)
    };
    let (message, detail) = run(&[("a.py", hash("something else"))]);
    assert_eq!(message, "Hash mismatch");
    assert!(detail.contains("never seen"), "{detail}");
    let (message, _) = run(&[]);
    assert_eq!(message, "No hash provided");

    let delete = with_hashes(vec![edit("a.py", FileChange::Delete)], &[("a.py", hash("old\n"))]);
    let refused = refusal(verify(&delete, &tree(&files), &options));
    assert_eq!(refused.message, "Hash mismatch");
    assert!(refused.detail.contains("stale"), "{}", refused.detail);
}

#[test]
fn c084_new_files_need_no_hash_and_replace_nothing() {
    let create = || vec![edit("new.py", FileChange::Create("x\n".to_owned()))];
    assert_eq!(outcome(check(&with_hashes(create(), &[]), &[])), Ok(changed("new.py", "x\n")));
    let write_new = with_hashes(vec![write("new.py", "x\n")], &[("new.py", "none".to_owned())]);
    assert_eq!(outcome(check(&write_new, &[])), Ok(changed("new.py", "x\n")));
    let existing = [("new.py", "something\n")];
    assert_eq!(outcome(check(&set(create()), &existing)), Err(RefusalCode::AlreadyExists));
}

#[test]
fn c085_every_carrier_and_every_operation_needs_the_hash() {
    let files = [("a.py", "x = 1\n")];
    let rename = FileEdit { rename_to: Some("b.py".into()), ..edit("a.py", FileChange::Keep) };
    let mode = FileEdit { mode: Some(0o755), ..edit("a.py", FileChange::Keep) };
    for carrier in [
        write("a.py", "x = 2\n"),
        replace("a.py", "x = 1", "x = 2"),
        line_operation("a.py", 1, "x = 1", "x = 2"),
        edit("a.py", FileChange::Lazy("# ... existing code ...\ny\n".into())),
        edit("a.py", FileChange::Delete),
        rename,
        mode,
    ] {
        let wrong = with_hashes(vec![carrier.clone()], &[("a.py", hash("x = 0\n"))]);
        assert_eq!(outcome(check(&wrong, &files)), Err(RefusalCode::HashMismatch), "{carrier:?}");
        let absent = with_hashes(vec![carrier.clone()], &[]);
        assert_eq!(
            outcome(check(&absent, &files)),
            Err(RefusalCode::NoHashProvided),
            "{carrier:?}"
        );
        let right = with_hashes(vec![carrier.clone()], &[("a.py", hash("x = 1\n"))]);
        assert!(outcome(check(&right, &files)).is_ok(), "{carrier:?}");
    }
}

#[test]
fn c081_the_caller_can_say_what_the_model_saw() {
    let files = [("a.py", "x = 1\n")];
    let edits = set(vec![write("a.py", "x = 2\n")]);
    for (base, expected) in [
        (vec![("a.py", hash("x = 1\n"))], Ok(changed("a.py", "x = 2\n"))),
        (vec![("a.py", hash("x = 0\n"))], Err(RefusalCode::HashMismatch)),
        (vec![], Err(RefusalCode::NoHashProvided)),
    ] {
        let bases = base.into_iter().map(|(path, hash)| (path.to_owned(), hash)).collect();
        let options = VerifyOptions { bases: Some(&bases), ..VerifyOptions::default() };
        assert_eq!(outcome(verify(&edits, &tree(&files), &options)), expected);
    }
    assert!(outcome(check(&edits, &files)).is_ok());
}

#[test]
fn x08_md5_and_short_hashes_are_accepted() {
    let files = [("a.py", "x = 1\n")];
    let md5 = "23a1d1cca7df7a9e1a9a4a3c2a5d0a3f";
    for (written, accepted) in [
        (hash("x = 1\n")[..12].to_owned(), true),
        (format!("blake3:{}", hash("x = 1\n")), true),
        (md5_of(b"x = 1\n"), true),
        (format!("md5:{}", md5_of(b"x = 1\n").to_uppercase()), true),
        (md5.to_owned(), false),
        (String::new(), false),
    ] {
        let edits = with_hashes(vec![write("a.py", "x = 2\n")], &[("a.py", written.clone())]);
        assert_eq!(outcome(check(&edits, &files)).is_ok(), accepted, "{written}");
    }
}

fn md5_of(bytes: &[u8]) -> String {
    use md5::{Digest as _, Md5};
    Md5::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn c088_the_right_hash_does_not_prove_the_lines() {
    let files = [("a.py", "one\ntwo\n")];
    let hashes = [("a.py", hash("one\ntwo\n"))];
    let wrong_line = with_hashes(vec![line_operation("a.py", 2, "one", "zwei")], &hashes);
    assert_eq!(outcome(check(&wrong_line, &files)), Err(RefusalCode::HunkRefused));
    let wrong_text = with_hashes(vec![replace("a.py", "three", "drei")], &hashes);
    assert_eq!(outcome(check(&wrong_text, &files)), Err(RefusalCode::HunkRefused));
}

#[test]
fn c089_hashes_are_found_under_any_spelling_of_the_path() {
    let files = [("src/a.py", "x\n")];
    for spelling in ["./src/a.py", "src//a.py", "src/../src/a.py"] {
        let edits = with_hashes(vec![write("src/a.py", "y\n")], &[(spelling, hash("x\n"))]);
        assert!(outcome(check(&edits, &files)).is_ok(), "{spelling}");
        let edits = with_hashes(vec![write(spelling, "y\n")], &[("src/a.py", hash("x\n"))]);
        assert!(outcome(check(&edits, &files)).is_ok(), "{spelling}");
    }
}

#[test]
fn c105_c107_nothing_of_a_truncated_response_is_applied() {
    let edits = |count: usize| EditSet {
        end: EditEnd::Truncated { at: 10, why: "the last block is open".into() },
        ..set((0..count).map(|n| write(&format!("f{n}"), "x")).collect())
    };
    let options = VerifyOptions { partial: true, ..VerifyOptions::default() };
    let refused = refusal(verify(&edits(3), &tree(&[]), &options));
    assert_eq!(refused.code, RefusalCode::Truncated);
    assert_eq!(refused.message, "🚫 BLOCKED: 3 file change(s) from truncated response.");
    let first_line = refused.detail.lines().next().unwrap();
    assert_eq!(first_line, "The response was cut off mid-stream. NO changes have been applied.");
    let one = refusal(check(&edits(1), &[])).message;
    assert_eq!(one, "🚫 BLOCKED: 1 file change(s) from truncated response.");
}

#[test]
fn malformed_and_empty_replies_are_refused() {
    let malformed = EditEnd::Malformed { at: 0, why: "no end marker".into() };
    let edits = EditSet { end: malformed, ..set(vec![write("a", "x")]) };
    assert_eq!(outcome(check(&edits, &[])), Err(RefusalCode::Malformed));
    assert_eq!(outcome(check(&set(Vec::new()), &[])), Err(RefusalCode::NoEdits));
}

#[test]
fn an_edit_of_an_older_version_is_carried_over_when_nothing_overlaps() {
    let base = "a\nb\nc\nd\ne\nf\n";
    let options = VerifyOptions { history: Some(&Former(base)), ..VerifyOptions::default() };
    let files = [("x", "A\nb\nc\nd\ne\nf\n")];
    let edits = with_hashes(vec![replace("x", "f\n", "F\n")], &[("x", hash(base))]);
    let verified = verify(&edits, &tree(&files), &options);
    assert!(verified.report().files[0].rebased);
    assert_eq!(outcome(verified), Ok(changed("x", "A\nb\nc\nd\ne\nF\n")));

    let overlapping = with_hashes(vec![replace("x", "a\n", "aa\n")], &[("x", hash(base))]);
    let refused = refusal(verify(&overlapping, &tree(&files), &options));
    assert_eq!(refused.code, RefusalCode::Conflict);
    let message = refused.message_for_model();
    assert!(message.contains("| A") && message.contains("| aa"), "{message}");
}

#[test]
fn a_file_that_was_removed_since_is_not_written_anew() {
    let options = VerifyOptions { history: Some(&Former("old\n")), ..VerifyOptions::default() };
    let edits = with_hashes(vec![write("x", "new\n")], &[("x", hash("old\n"))]);
    let refused = refusal(verify(&edits, &tree(&[]), &options));
    assert_eq!(
        (refused.code, refused.message.as_str()),
        (RefusalCode::HashMismatch, "Hash mismatch")
    );
}
