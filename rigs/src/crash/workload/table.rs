//! The workloads.
//!
//! In: nothing. Out: the table. Never a file that only one tool could write: line ends, a missing
//! last newline, permissions and folders vary as they do in real trees.

use super::{Act, Beside, Change, Given, Workload};

/// Every workload, in the order of the report.
#[rustfmt::skip]
pub(crate) const WORKLOADS: &[Workload] = &[
    plain("one edit", five_files, || vec![Act::Apply(edits(1))]),
    plain("five edits", five_files, || vec![Act::Apply(edits(5))]),
    plain("nested creates", five_files, || vec![Act::Apply(creates())]),
    plain("delete", five_files, || vec![Act::Apply(deletes())]),
    plain("rename", five_files, || vec![Act::Apply(renames())]),
    plain("mode", five_files, || vec![Act::Apply(modes())]),
    Workload { is_slow: true, ..plain("10 MiB file", big_file, || vec![Act::Apply(vec![replace("big.txt", "needle", "thread")])]) },
    Workload { most: 150, is_slow: true, ..plain("200 files", many_files, || vec![Act::Apply(many_edits())]) },
    Workload { prior: || vec![Act::Apply(mixed())], ..plain("undo", five_files, || vec![Act::Undo]) },
    Workload { prior: forced_prior, ..plain("undo by force", five_files, || vec![Act::UndoByForce]) },
    plain("three attempts, rollback", five_files, attempts),
    Workload { beside: Beside::User(USERS), ..plain("user edits meanwhile", five_files, || vec![Act::Apply(mixed())]) },
    Workload { beside: Beside::Process, ..plain("two processes", five_files, || vec![Act::Apply(edits(5))]) },
];

/// The files that the user changes meanwhile: one that is edited, created, deleted and moved.
const USERS: &[&str] = &["src/b.txt", "new/one/f.txt", "e.txt", "src/deep/c.sh"];

/// Finds a workload by its name, or by its name with `-` for the spaces.
pub(crate) fn named(name: &str) -> Option<&'static Workload> {
    WORKLOADS.iter().find(|workload| slug(workload.name) == slug(name))
}

fn slug(name: &str) -> String {
    name.replace([' ', ','], "-").replace("--", "-")
}

const fn plain(name: &'static str, files: fn() -> Vec<Given>, acts: fn() -> Vec<Act>) -> Workload {
    Workload {
        name,
        files,
        prior: Vec::new,
        acts,
        most: usize::MAX,
        is_slow: false,
        beside: Beside::Nothing,
    }
}

/// The change of the second process, which fits before and after the first one's.
pub(crate) fn second_process() -> Vec<Change> {
    vec![
        replace("src/b.txt", "last line of b", "last line of b, by the second"),
        create("second.txt", "made by the second process\n"),
    ]
}

fn replace(path: &str, old: &'static str, new: &'static str) -> Change {
    Change::Replace(path.to_owned(), old, new)
}

fn create(path: &str, text: &str) -> Change {
    Change::Create(path.to_owned(), text.to_owned())
}

fn file(path: &str, text: &str, mode: u32) -> Given {
    Given { path: path.to_owned(), bytes: text.as_bytes().to_vec(), mode }
}

fn five_files() -> Vec<Given> {
    vec![
        file("a.txt", "first\nsecond of a\nthird\n", 0o644),
        file("src/b.txt", "first\r\nsecond of b\r\nlast line of b\r\n", 0o640),
        file("src/deep/c.sh", "#!/bin/sh\necho second of c\n", 0o755),
        file("src/deep/d.txt", "\u{feff}first\nsecond of d\nno newline at the end", 0o600),
        file("e.txt", "second of e\n", 0o664),
    ]
}

fn edits(count: usize) -> Vec<Change> {
    let mut all = vec![
        replace("a.txt", "second of a", "changed in a,\nwith a line more"),
        replace("src/b.txt", "second of b", "changed in b"),
        replace("src/deep/c.sh", "echo second of c", "echo changed in c"),
        replace("src/deep/d.txt", "second of d", "changed in d"),
        replace("e.txt", "second of e", "changed in e"),
    ];
    all.truncate(count);
    all
}

fn creates() -> Vec<Change> {
    vec![
        create("new/one/two/three/f.txt", "new f\n"),
        create("new/one/g.txt", "new g\n"),
        create("src/deep/h.txt", "new h\n"),
        replace("a.txt", "second of a", "beside new files"),
    ]
}

fn deletes() -> Vec<Change> {
    vec![
        Change::Delete("src/b.txt".to_owned()),
        Change::Delete("e.txt".to_owned()),
        replace("a.txt", "second of a", "beside deleted files"),
    ]
}

fn renames() -> Vec<Change> {
    vec![
        Change::Rename("src/deep/c.sh".to_owned(), "bin/c.sh".to_owned()),
        Change::Rename("e.txt".to_owned(), "src/e.txt".to_owned()),
    ]
}

fn modes() -> Vec<Change> {
    vec![Change::Mode("a.txt".to_owned(), 0o755), Change::Mode("src/deep/c.sh".to_owned(), 0o644)]
}

/// A bit of everything.
fn mixed() -> Vec<Change> {
    vec![
        replace("a.txt", "second of a", "changed in a"),
        replace("src/b.txt", "second of b", "changed in b"),
        create("new/one/f.txt", "new f\n"),
        Change::Delete("e.txt".to_owned()),
        Change::Rename("src/deep/c.sh".to_owned(), "bin/c.sh".to_owned()),
    ]
}

fn forced_prior() -> Vec<Act> {
    vec![Act::Apply(mixed()), Act::UserWrites("a.txt", "the user went on\n")]
}

fn attempts() -> Vec<Act> {
    vec![
        Act::Apply(edits(2)),
        Act::Apply(vec![
            replace("a.txt", "changed in a", "tried again in a"),
            create("new/try.txt", "second attempt\n"),
        ]),
        Act::Apply(vec![
            replace("new/try.txt", "second", "third"),
            Change::Delete("e.txt".to_owned()),
        ]),
        Act::RewindToStart,
    ]
}

fn big_file() -> Vec<Given> {
    let line = "one of very many lines, each of them sixty-four bytes in length\n";
    let mut text = line.repeat(10 * 1024 * 1024 / line.len());
    let middle = text.len() / 2 / line.len() * line.len();
    text.insert_str(middle, "here is the needle\n");
    vec![Given { path: "big.txt".to_owned(), bytes: text.into_bytes(), mode: 0o644 }]
}

fn many_files() -> Vec<Given> {
    (0..200)
        .map(|n| file(&format!("part{}/f{n}.txt", n % 10), &format!("before\nfile {n}\n"), 0o644))
        .collect()
}

fn many_edits() -> Vec<Change> {
    (0..200).map(|n| replace(&format!("part{}/f{n}.txt", n % 10), "before", "after")).collect()
}
