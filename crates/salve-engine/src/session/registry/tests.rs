//! The registry against its log.

use super::*;
use proptest::prelude::*;
use salve_types::Timestamp;
use std::collections::BTreeSet;

fn op(turn: u32, op: FileOpKind, path: &str, hash: &str) -> FileOperation {
    FileOperation {
        path: path.to_owned(),
        op,
        hash_before: None,
        hash_after: (op != FileOpKind::Delete).then(|| hash.to_owned()),
        md5: (op != FileOpKind::Delete).then(|| hash.to_owned()),
        size: 10,
        by: FileOpBy::Ai,
        at: Timestamp(0),
        turn,
    }
}

fn fold(ops: &[FileOperation]) -> FileRegistry {
    FileRegistry::fold(ops, &BTreeMap::new())
}

use FileOpKind::{Create, Delete, Read, Update};

#[test]
fn c098_the_file_history_word_for_word() {
    let ops = [
        op(0, Read, "/path/utils.py", "abc123"),
        op(1, Update, "/path/utils.py", "def456"),
        op(2, Read, "/path/utils.py", "def456"),
    ];
    assert_eq!(
        file_history_summary(&ops, 10),
        "## FILE OPERATION HISTORY (Recent)\n\
         These are files you have read or modified. Re-read files before modifying to get current MD5.\n\
         \n\
         Turn 0:\n\
         \x20 📖 read: /path/utils.py (md5: abc123...)\n\
         Turn 1:\n\
         \x20 ✏️ update: /path/utils.py (md5: def456...)\n\
         Turn 2:\n\
         \x20 📖 read: /path/utils.py (md5: def456...)"
    );
    assert_eq!(file_history_summary(&[], 10), "");
    let recent = file_history_summary(&ops, 2);
    assert!(!recent.contains("Turn 0:") && recent.contains("Turn 1:"), "{recent}");
}

#[test]
fn c096_c101_every_operation_is_listed_with_who_did_it() {
    let by = |by, op| FileOperation { by, ..op };
    let ops = [
        op(3, Create, "a.py", "0123456789abcdef0123456789abcdef"),
        by(FileOpBy::User, op(3, Update, "b.py", "ff")),
        by(FileOpBy::External, op(3, Delete, "c\nTurn 9:.py", "")),
    ];
    let shown = file_history_summary(&ops, 1);
    let lines: Vec<&str> = shown.lines().skip(4).collect();
    assert_eq!(
        lines,
        [
            "  🆕 create: a.py (md5: 0123456789ab...)",
            "  ✏️ update: b.py (md5: ff...) by the user",
            "  🗑️ delete: c Turn 9:.py by another program",
        ]
    );
}

#[test]
fn c248_the_known_files_word_for_word() {
    let ops = [
        op(2, Read, "config/settings.json", "def789ghi0123456"),
        op(3, Read, "src/api.py", "000000000000"),
        op(4, Update, "src/api.py", "abc123def4567890"),
        op(5, Read, "src/utils.py", "9a906fd5909d9a90"),
    ];
    let registry = fold(&ops);
    assert_eq!(
        registry.summary(5, 50),
        "## 📂 KNOWN FILES (Session Registry)\n\
         Files you have seen in this conversation. Check \"Modified Since\" before using cached knowledge.\n\
         \n\
         | File | Last Seen | Modified Since | Hash (first 12) |\n\
         |------|-----------|----------------|-----------------|\n\
         | src/utils.py | This turn | No | 9a906fd5909d... |\n\
         | src/api.py | 2 turn(s) ago | ⚠️ Yes (turn 4) | abc123def456... |\n\
         | config/settings.json | 3 turn(s) ago | No | def789ghi012... |\n\
         \n\
         **If \"Modified Since\" shows ⚠️, request re-attachment before making changes.**"
    );
    assert_eq!(fold(&[]).summary(5, 50), "", "no entries, no section");
    let short = registry.summary(5, 1);
    assert_eq!(short.matches("\n| ").count(), 2, "{short}");
    assert!(short.contains("\n2 more file(s) you have seen are not listed.\n"), "{short}");
}

#[test]
fn c246_c247_loads_and_changes_move_the_turns() {
    let mut registry = fold(&[op(2, Read, "a", "1"), op(3, Update, "a", "2")]);
    let entry = registry.get("a").expect("it was read");
    assert_eq!((entry.last_seen_turn, entry.last_modified_turn), (2, Some(3)));
    assert_eq!(entry.hash.as_deref(), Some("2"));
    assert!(registry.is_stale("a", Some("2")));
    registry.update(&op(4, Read, "a", "2"), Some(LoadedBy::AiAdhoc));
    assert!(!registry.is_stale("a", Some("2")));
    assert_eq!(registry.get("a").map(|entry| entry.loaded_by), Some(LoadedBy::AiAdhoc));
    assert!(registry.is_stale("a", Some("3")), "another program changed it");
    assert!(registry.is_stale("a", None), "it is gone");
    assert!(registry.is_stale("b", Some("1")), "it was never seen");
    registry.update(&op(4, Update, "a", "3"), None);
    assert!(registry.is_stale("a", Some("3")), "changed in the turn in which it was seen");
    registry.update(&op(5, Delete, "a", ""), None);
    assert!(registry.get("a").is_none());
    registry.update(&op(5, Create, "new", "9"), None);
    assert!(!registry.is_stale("new", Some("9")), "the model wrote all of it");
    let foreign = FileOperation { by: FileOpBy::External, ..op(6, Update, "never-shown", "1") };
    registry.update(&foreign, None);
    assert!(registry.get("never-shown").is_none());
}

#[test]
fn c252_a_budget_takes_what_matters_and_lists_the_rest() {
    let sized = |size, op| FileOperation { size, ..op };
    let registry = fold(&[
        sized(400, op(1, Read, "old", "1")),
        sized(300, op(2, Read, "large", "1")),
        sized(50, op(2, Read, "small", "1")),
        sized(100, op(1, Read, "changed", "1")),
        sized(100, op(2, Update, "changed", "2")),
    ]);
    let names = |entries: Vec<&RegistryEntry>| -> Vec<String> {
        entries.into_iter().map(|entry| entry.path.clone()).collect()
    };
    let (taken, left) = registry.within(200);
    assert_eq!(names(taken), ["changed", "small"]);
    assert_eq!(names(left), ["large", "old"]);
}

fn any_op() -> impl Strategy<Value = FileOperation> {
    (0_u32..6, 0_usize..4, 0_u8..3, 0_u8..4, 0_u8..3).prop_map(|(turn, kind, path, hash, by)| {
        FileOperation {
            by: [FileOpBy::Ai, FileOpBy::User, FileOpBy::External][usize::from(by)],
            ..op(turn, FileOpKind::ALL[kind], &format!("f{path}"), &format!("{hash}"))
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn c250_the_registry_is_a_fold_of_the_log(ops in prop::collection::vec(any_op(), 0..30)) {
        let mut ops = ops;
        ops.sort_by_key(|op| op.turn);
        let whole = fold(&ops);
        // One by one it is the same, and each file depends on its own operations only.
        let mut by_one = FileRegistry::default();
        for op in &ops {
            by_one.update(op, None);
        }
        prop_assert_eq!(&by_one, &whole);
        let paths: BTreeSet<&str> = ops.iter().map(|op| op.path.as_str()).collect();
        for path in paths {
            let own: Vec<FileOperation> =
                ops.iter().filter(|op| op.path == path).cloned().collect();
            let alone = fold(&own);
            prop_assert_eq!(alone.get(path), whole.get(path));
            let Some(entry) = whole.get(path) else { continue };
            let last = own.last().expect("there is one");
            prop_assert_eq!(&entry.hash, &last.hash_after, "the hash is that of the newest version");
            // By the documents' rule: later than seen is stale. Ours adds the same turn.
            if entry.last_modified_turn.is_some_and(|turn| turn > entry.last_seen_turn) {
                prop_assert!(entry.changed_since_seen);
            }
            if last.op == Read {
                prop_assert!(!entry.changed_since_seen);
            }
            let fresh = whole.is_stale(path, entry.hash.as_deref());
            prop_assert_eq!(fresh, entry.changed_since_seen);
        }
    }
}
