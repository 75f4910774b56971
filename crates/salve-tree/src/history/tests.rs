//! The history: its records, its counts, its size.

use super::stats::{count, is_binary};
use crate::testing::{Desk, Hooked, at};
use crate::{
    ApplyOutcome, BaseSource as _, ChangeMeta, ContentHash, Cost, History, OnChanged, Origin,
    TreeError, TreePath, Workspace, WorkspaceOptions, apply, rewind,
};
use std::collections::BTreeMap;

#[test]
fn c118_a_change_set_has_the_fields_of_the_wire() {
    let desk = Desk::new(&[("src/a.rs", "one\ntwo\n")]);
    let meta = ChangeMeta {
        now: 1_700_000_000_123,
        origin: Origin::SubTask,
        session: Some("s1".to_owned()),
        cost: Some(Cost { tokens_in: 10, tokens_out: 20, micro_dollars: 30 }),
        label: Some("a label".to_owned()),
        remains: Vec::new(),
    };
    let plan = desk.texts(&[("src/a.rs", Some("one\n2\nthree\n")), ("b", Some("b\n"))]);
    let outcome = apply(&desk.open(), plan, &meta).unwrap();
    let ApplyOutcome::Applied(change) = outcome else { panic!("{outcome:?}") };
    let mut json = serde_json::to_value(change.change()).unwrap();
    assert!(json["id"].as_str().unwrap().starts_with("cs-1700000000123-"));
    json["id"] = "ID".into();
    let hash = |text: &str| ContentHash::of(text.as_bytes()).hex();
    let expected = serde_json::json!({
        "id": "ID", "number": 1, "sessionId": "s1", "timestamp": 1_700_000_000_123_u64,
        "files": [
            {
                "filePath": "src/a.rs", "fileName": "a.rs",
                "old": {"hash": hash("one\ntwo\n"), "mode": 0o644},
                "new": {"hash": hash("one\n2\nthree\n"), "mode": 0o644},
                "isNewFile": false, "binary": false,
                "stats": {"added": 2, "removed": 1, "modified": 1},
            },
            {
                "filePath": "b", "fileName": "b", "old": null,
                "new": {"hash": hash("b\n"), "mode": 0o644},
                "isNewFile": true, "binary": false,
                "stats": {"added": 1, "removed": 0, "modified": 0},
            },
        ],
        "totalStats": {"added": 3, "removed": 1, "modified": 1},
        "applied": true, "origin": "sub-task",
        "cost": {"tokensIn": 10, "tokensOut": 20, "microDollars": 30},
        "parent": null, "label": "a label", "holder": "test",
    });
    assert_eq!(json, expected);
    assert_eq!(&desk.history().changes()[0], change.change());
    let exported = desk.history().export(&desk.open(), change.id()).unwrap();
    let exported = serde_json::to_value(exported).unwrap();
    assert_eq!(exported["contents"][0]["oldContent"], "one\ntwo\n");
    assert_eq!(exported["contents"][1]["oldContent"], serde_json::Value::Null);
}

#[test]
fn c118_two_changes_in_one_millisecond_have_two_ids() {
    let desk = Desk::new(&[]);
    let first = desk.apply(&[("a", Some("1"))]);
    let second = desk.apply(&[("a", Some("2"))]);
    assert_eq!(first.timestamp, second.timestamp);
    assert_ne!(first.id, second.id);
    assert_eq!(second.parent, Some(first.id));
}

/// A small generator of its own, so that the pairs are the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn lines(&mut self) -> Vec<String> {
        let ends = ["\n", "\n", "\n", "\r\n"];
        let most = if self.below(10) == 0 { 900 } else { 60 };
        (0..self.below(most))
            .map(|_| {
                format!("{}{}", "abcdefgh".chars().nth(self.below(8)).unwrap(), ends[self.below(4)])
            })
            .collect()
    }

    /// The lines with some of them removed, doubled or replaced, and the last end perhaps gone.
    fn changed(&mut self, lines: &[String]) -> Vec<String> {
        let mut changed = Vec::new();
        for line in lines {
            match self.below(8) {
                0 => {}
                1 => changed.push(format!("new {}\n", self.below(4))),
                2 => changed.extend([line.clone(), line.clone()]),
                _ => changed.push(line.clone()),
            }
        }
        changed
    }

    fn bytes(&mut self, lines: &[String]) -> Vec<u8> {
        let mut text = lines.concat();
        if self.below(3) == 0 {
            text.truncate(text.trim_end().len());
        }
        text.into_bytes()
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "git is the judge of the counts")]
fn c118_the_counts_are_those_of_git() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random(7);
    let mut ours = BTreeMap::new();
    for side in ["a", "b"] {
        std::fs::create_dir(folder.path().join(side)).unwrap();
    }
    for number in 0..600 {
        let lines = random.lines();
        let changed = random.changed(&lines);
        let (old, new) = (random.bytes(&lines), random.bytes(&changed));
        std::fs::write(folder.path().join(format!("a/{number}")), &old).unwrap();
        std::fs::write(folder.path().join(format!("b/{number}")), &new).unwrap();
        let stats = count(&old, &new);
        if old != new {
            ours.insert(number.to_string(), (stats.added, stats.removed));
        }
    }
    let output = std::process::Command::new("git")
        .args([
            "-c",
            "diff.algorithm=myers",
            "diff",
            "--no-index",
            "--no-renames",
            "--numstat",
            "a",
            "b",
        ])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let listed = String::from_utf8(output.stdout).unwrap();
    let theirs: BTreeMap<String, (u64, u64)> = listed
        .lines()
        .map(|line| {
            let mut fields = line.split('\t');
            let mut number = || fields.next().unwrap().parse().unwrap();
            let (added, removed) = (number(), number());
            // The path is written as `{a => b}/7`.
            (fields.next().unwrap().rsplit('/').next().unwrap().to_owned(), (added, removed))
        })
        .collect();
    let different: Vec<_> = ours
        .iter()
        .map(|(name, stats)| (name, stats, theirs.get(name)))
        .filter(|(_, our, their)| *their != Some(our))
        .collect();
    assert!(
        theirs.len() > 500 && different.is_empty(),
        "{} of {}: {different:?}",
        different.len(),
        theirs.len()
    );
}

#[test]
fn a_binary_file_has_no_counts() {
    assert!(is_binary(b"a\0b") && !is_binary(b"") && !is_binary(&[b'x'; 9000]));
    let desk = Desk::new(&[("a", "x\0")]);
    let change = desk.apply(&[("a", Some("y\0\n"))]);
    assert!(change.files[0].binary);
    assert_eq!(change.total_stats, crate::Stats::default());
}

#[test]
fn gc_forgets_the_oldest_contents_and_says_so() {
    let desk = Desk::new(&[("a", "0")]);
    let ids: Vec<String> =
        (1..8).map(|number| desk.apply(&[("a", Some(&noise(number, 2_000)))]).id).collect();
    let before = History::size(&desk.open()).unwrap();
    let options = WorkspaceOptions { history_cap: before.bytes / 2, ..desk.options() };
    let (workspace, _) = Workspace::open(desk.root(), options).unwrap();
    let report = History::gc(&workspace).unwrap();
    assert!(report.kept.bytes <= before.bytes / 2 && report.kept.bytes > 0, "{report:?}");
    assert_eq!(report.freed + report.kept.bytes, before.bytes);
    let history = desk.history();
    let reachable = history.rewindable(&workspace).unwrap();
    assert!(reachable.contains(ids[6].as_str()) && !reachable.contains(ids[0].as_str()));
    assert_eq!(history.changes().len(), 7);

    let picture = desk.picture();
    let gone = rewind(&workspace, Some(&ids[0]), OnChanged::Refuse, &at(1)).unwrap_err();
    assert!(matches!(gone, TreeError::BlobMissing { .. }), "{gone}");
    assert_eq!(desk.picture(), picture);
    desk.undo();
    assert_eq!(desk.text("a"), noise(6, 2_000));
}

/// Text that does not compress away.
fn noise(seed: u64, length: usize) -> String {
    let mut random = Random(seed);
    (0..length).map(|_| char::from(b'!' + u8::try_from(random.below(90)).unwrap())).collect()
}

#[test]
fn a_damaged_content_is_never_handed_out() {
    let desk = Desk::new(&[("a", "old")]);
    desk.apply(&[("a", Some("new"))]);
    let name = format!(".salve/blobs/{}", ContentHash::of(b"old").hex());
    for damage in [
        &b"torn"[..],
        b"",
        &desk.read(&format!(".salve/blobs/{}", ContentHash::of(b"new").hex())).unwrap(),
    ] {
        desk.write(&name, damage);
        let error = crate::undo(&desk.open(), OnChanged::Refuse, &at(1)).unwrap_err();
        assert!(matches!(error, TreeError::BlobDamaged { .. }), "{error}");
        assert_eq!(desk.text("a"), "new");
    }
    // The next time the same content is kept, it is written anew.
    desk.write("b", b"old");
    desk.apply(&[("b", Some("x"))]);
    desk.rewind(None);
    assert_eq!(desk.text("a"), "old");
}

#[test]
fn the_way_of_one_edit_to_disk_is_short() {
    let desk = Desk::new(&[("a", "old")]);
    desk.apply(&[("a", Some("new"))]);
    let synced = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let count = synced.clone();
    let disk = Hooked::new(move |step| {
        count.fetch_add(usize::from(step == "sync"), std::sync::atomic::Ordering::Relaxed);
        Ok(())
    });
    let options = WorkspaceOptions { disk, durability: crate::FileSync::Full, ..desk.options() };
    let (workspace, _) = Workspace::open(desk.root(), options).unwrap();
    let _ = apply(&workspace, desk.texts(&[("a", Some("newer"))]), &at(1)).unwrap();
    assert!(synced.load(std::sync::atomic::Ordering::Relaxed) <= 5);
}

#[test]
fn x08_a_former_content_is_found_by_its_path_and_any_of_its_hashes() {
    let desk = Desk::new(&[("a", "one\n"), ("b", "b\n")]);
    desk.apply(&[("a", Some("two\n"))]);
    desk.apply(&[("a", Some("three\n"))]);
    let workspace = desk.open();
    let bases = workspace.bases().unwrap();
    let path = |text: &str| TreePath::admitted(text.to_owned());
    let full = ContentHash::of(b"one\n").hex();
    assert_eq!(bases.base(&path("a"), &full).as_deref(), Some(&b"one\n"[..]));
    assert_eq!(bases.base(&path("a"), &full[..12]).as_deref(), Some(&b"one\n"[..]));
    let md5 = "md5:c193497a1a06b2c72230e6146ff47080";
    assert_eq!(bases.base(&path("a"), md5).as_deref(), Some(&b"two\n"[..]));
    assert_eq!(bases.base(&path("b"), &full), None);
    assert_eq!(bases.base(&path("a"), &ContentHash::of(b"never\n").hex()), None);
}
