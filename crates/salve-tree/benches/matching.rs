//! How fast hunks find their places and reach the disk, against GNU `patch` in the same run.
//!
//! In: generated files of 10,000 to 100,000 lines and diffs of them. Out: one table, each line with
//! the figure asked for and PASS or BELOW. Times are the best of several rounds in one run, so that
//! only their ratios matter; the two goals in milliseconds are for the machine it runs on.
#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]
#![expect(clippy::disallowed_methods, reason = "a benchmark starts its peer and gives it files")]

use salve_tree::{
    AdmitOptions, ApplyOutcome, ChangeMeta, DiskView, FileText, MatchOptions, Root, Verification,
    VerifyOptions, Workspace, WorkspaceOptions, apply, match_hunks, verify,
};
use salve_types::{
    EditEnd, EditFormat, EditSet, FileChange, FileEdit, Hunk, HunkBody, HunkLine, LineKind,
    Occurrence, Span,
};
use std::fmt::Write as _;
use std::hint::black_box;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const OPTIONS: MatchOptions =
    MatchOptions { scored: true, base_known: true, numbers_given: false, whole_lines: false };

const MATCH: &str = "match";
const PREPARE: &str = "prepare";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [part, lines] = &arguments[..]
        && (part == MATCH || part == PREPARE)
    {
        return be_counted(part, lines.parse().unwrap_or(0));
    }
    println!("{:<52} {:>11} {:>11} {:>9}  verdict", "what", "ours", "peer", "ratio");
    let file = source(10_000);
    let many = hunks(10_000, 1_000);
    let ours = time(15, &file, &many);
    match patch(&file, &many) {
        Some(peer) => {
            let ratio = peer.as_secs_f64() / ours.as_secs_f64();
            let what = "1,000 edits in 10,000 lines vs patch, >= 5x";
            println!(
                "{what:<52} {ours:>11.2?} {peer:>11.2?} {ratio:>9.1}  {}",
                verdict(ratio >= 5.0)
            );
            match transaction(&file, &many) {
                Some(ours) => {
                    let ratio = ours.as_secs_f64() / peer.as_secs_f64();
                    let what = "the same as one synced transaction vs patch, <= 2x";
                    println!(
                        "{what:<52} {ours:>11.2?} {peer:>11.2?} {ratio:>9.1}  {}",
                        verdict(ratio <= 2.0)
                    );
                }
                None => println!("skipped: the transaction of the benchmark was refused"),
            }
        }
        None => println!("skipped: GNU patch is not on this machine"),
    }
    let one = time(30, &file, &hunks(10_000, 1));
    limit("one exact edit in 10,000 lines, <= 1 ms", one, 1.0);
    let blurred = blurred(5_000);
    let HunkBody::Lines(lines) = &blurred.body else { return };
    let marked = file.replacen(&line(5_000), &lines[0].text, 1);
    let near = time(15, &marked, &[blurred]);
    limit("one scored edit in 10,000 lines, <= 15 ms", near, 15.0);
    let what = "10,000 to 100,000 lines and 10x edits, <= 12x";
    match work(10_000).zip(work(100_000)) {
        Some((small, large)) => {
            let growth = large as f64 / small as f64;
            let (large, small) = (millions(large), millions(small));
            println!(
                "{what:<52} {large:>11} {small:>11} {growth:>8.1}x  {}",
                verdict(growth <= 12.0)
            );
        }
        None => println!("skipped: valgrind, which counts the work, is not on this machine"),
    }
}

fn millions(instructions: u64) -> String {
    format!("{} M ins", instructions / 1_000_000)
}

// Instructions, because the time of large copies is the memory's and not ours. The file and the
// hunks are made in both runs, so that the difference is reading, matching and splicing.
fn work(lines: usize) -> Option<u64> {
    let count = |part: &str| {
        let output = Command::new("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .arg(std::env::current_exe().ok()?)
            .args([part, &lines.to_string()])
            .stdin(Stdio::null())
            .output()
            .ok()?;
        let story = String::from_utf8(output.stderr).ok()?;
        story.split("Collected :").nth(1)?.split_whitespace().next()?.parse::<u64>().ok()
    };
    count(MATCH)?.checked_sub(count(PREPARE)?)
}

// What the copy of this program does whose work is counted.
fn be_counted(part: &str, lines: usize) {
    let (file, hunks) = (source(lines), hunks(lines, lines / 100));
    if part == MATCH {
        black_box(time(1, &file, &hunks));
    }
    black_box((file, hunks));
}

fn limit(what: &str, ours: Duration, milliseconds: f64) {
    let figure = ours.as_secs_f64() * 1e3;
    println!(
        "{what:<52} {ours:>11.2?} {:>11} {figure:>9.2}  {}",
        "",
        verdict(figure <= milliseconds)
    );
}

const fn verdict(reached: bool) -> &'static str {
    if reached { "PASS" } else { "BELOW" }
}

// Reading, matching and splicing together, as an edit of a file costs it.
fn time(rounds: usize, file: &str, hunks: &[Hunk]) -> Duration {
    let run = |_| {
        let start = Instant::now();
        let text = FileText::read(file.as_bytes()).ok();
        let matched = text.map(|text| match_hunks(&text, hunks, &OPTIONS));
        let spent = start.elapsed();
        if black_box(matched).and_then(|matched| matched.text).is_none() {
            println!("skipped: a hunk of the benchmark was refused");
        }
        spent
    };
    (0..rounds).map(run).min().unwrap_or_default()
}

// Reading the file, verifying and applying, everything synced: what `salve apply` does with it.
fn transaction(file: &str, hunks: &[Hunk]) -> Option<Duration> {
    let edits = EditSet {
        format: EditFormat::UnifiedDiff,
        files: vec![FileEdit {
            path: Some("file".to_owned()),
            change: FileChange::Patch(hunks.to_vec()),
            rename_to: None,
            mode: None,
            span: Span { start: 0, end: 0 },
        }],
        end: EditEnd::Complete,
        notes: Vec::new(),
        hashes: None,
    };
    let options = VerifyOptions { matching: OPTIONS, ..VerifyOptions::default() };
    let folder = tempfile::tempdir().ok()?;
    let mut best = None;
    for _ in 0..7 {
        std::fs::write(folder.path().join("file"), file).ok()?;
        let (workspace, _) = Workspace::open(folder.path(), WorkspaceOptions::default()).ok()?;
        let start = Instant::now();
        let root = Root::open(folder.path()).ok()?;
        let view = DiskView::new(&root, AdmitOptions::default());
        let Verification::Verified { edits, .. } = verify(&edits, &view, &options) else {
            return None;
        };
        let outcome = apply(&workspace, edits, &ChangeMeta::default()).ok()?;
        let spent = start.elapsed();
        let ApplyOutcome::Applied(_) = outcome else { return None };
        best = Some(best.map_or(spent, |best: Duration| best.min(spent)));
    }
    best
}

fn patch(file: &str, hunks: &[Hunk]) -> Option<Duration> {
    let folder = tempfile::tempdir().ok()?;
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("diff"), unified(hunks)).ok()?;
    let mut best = None;
    for _ in 0..7 {
        std::fs::write(path("file"), file).ok()?;
        let start = Instant::now();
        let status = Command::new("patch")
            .args(["-s", "-p0", "file", "diff"])
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .status()
            .ok()?;
        let spent = start.elapsed();
        if !status.success() {
            return None;
        }
        best = Some(best.map_or(spent, |best: Duration| best.min(spent)));
    }
    best
}

fn line(number: usize) -> String {
    match number % 5 {
        0 => format!("fn step_{number}(items: &[u32]) -> u32 {{"),
        1 => "    let count = items.len();".to_owned(),
        2 => format!("    let rate = items[{}] / {number};", number % 97),
        3 => "    rate * count".to_owned(),
        _ => "}".to_owned(),
    }
}

fn source(lines: usize) -> String {
    (0..lines).map(|number| line(number) + "\n").collect()
}

fn hunks(lines: usize, count: usize) -> Vec<Hunk> {
    (0..count).map(|at| hunk(at * (lines / count) / 5 * 5 + 2)).collect()
}

fn hunk(changed: usize) -> Hunk {
    let kept = |number| HunkLine { kind: LineKind::Context, text: line(number), no_newline: false };
    let change = |kind, text| HunkLine { kind, text, no_newline: false };
    let mut body = vec![kept(changed - 2), kept(changed - 1)];
    body.push(change(LineKind::Remove, line(changed)));
    body.push(change(LineKind::Add, format!("    let rate = items[0] + {changed};")));
    body.extend([kept(changed + 1), kept(changed + 2)]);
    Hunk {
        body: HunkBody::Lines(body),
        hint: Some(changed as u32 - 1),
        anchors: vec![],
        occurrence: Occurrence::One,
        at_end: false,
        span: Span { start: 0, end: 0 },
    }
}

// A hunk whose removed line is a little wrong, so that only the scored rung finds it.
fn blurred(changed: usize) -> Hunk {
    let mut hunk = hunk(changed / 5 * 5 + 2);
    if let HunkBody::Lines(lines) = &mut hunk.body {
        lines[0].text.push_str(" // the one place that says so, and nothing else in the file does");
        lines[2].text = lines[2].text.replace("rate", "rates");
    }
    hunk
}

fn unified(hunks: &[Hunk]) -> String {
    let mut out = "--- file\n+++ file\n".to_owned();
    for hunk in hunks {
        let HunkBody::Lines(lines) = &hunk.body else { continue };
        let start = hunk.hint.unwrap_or(1);
        let _ = writeln!(out, "@@ -{start},5 +{start},5 @@");
        for line in lines {
            let mark = match line.kind {
                LineKind::Context => ' ',
                LineKind::Remove => '-',
                LineKind::Add => '+',
            };
            let _ = writeln!(out, "{mark}{}", line.text);
        }
    }
    out
}
