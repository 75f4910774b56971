//! Changes of real files, written lazily: what is resolved is what was meant.
//!
//! In: the sources of this crate and changes whose result is known. Out: a failure where a lazy text is
//! resolved to another result. Never: a change without a line of the file beside each marker, for then
//! nothing tells its place.

use super::resolve;
use std::path::Path;

/// How many changes are made; enough to meet files that repeat themselves.
const CHANGES: u64 = 3_000;

/// Choices that are the same in every run.
struct Draw(u64);

impl Draw {
    // Numbers that follow each other begin far apart.
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % end.max(1) as u64) as usize
    }
}

/// Lines in the place of lines.
struct Op {
    at: usize,
    removed: usize,
    new: Vec<String>,
}

#[test]
fn a_lazy_text_of_a_real_file_is_resolved_as_meant_or_refused() {
    let files = sources(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")));
    let (mut right, mut refused, mut wrong) = (0, 0, Vec::new());
    for seed in 0..CHANGES {
        let mut draw = Draw::new(seed);
        let lines = &files[draw.below(files.len())];
        let Some(ops) = ops(lines, &mut draw) else { continue };
        let (old, new) = (text(lines), text(&changed(lines, &ops)));
        let lazy = lazily(lines, &ops, 3 + draw.below(4));
        match resolve("a.rs", &old, &lazy) {
            Ok(found) if found == new => right += 1,
            Ok(found) => wrong.push(format!("=== {seed}\n{lazy}--- found\n{}", told(&found, &new))),
            Err(_) => refused += 1,
        }
    }
    assert!(
        wrong.is_empty(),
        "{right} right, {refused} refused, {} wrong\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(right * 20 > refused, "{right} resolved, {refused} refused");
}

// The first lines at which two texts part.
fn told(found: &str, wanted: &str) -> String {
    let same = found.lines().zip(wanted.lines()).take_while(|(a, b)| a == b).count();
    let part = |text: &str, sign: &str| -> String {
        let lines = text.lines().skip(same.saturating_sub(2)).take(8);
        lines.map(|line| format!("{sign}{line}\n")).collect()
    };
    format!("line {same}\n{}{}", part(found, "found  "), part(wanted, "wanted "))
}

fn sources(folder: &Path) -> Vec<Vec<String>> {
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let (folders, files): (Vec<_>, Vec<_>) = paths.into_iter().partition(|path| path.is_dir());
    let mut read: Vec<Vec<String>> = files
        .iter()
        .map(|path| std::fs::read_to_string(path).unwrap())
        // What looks like a marker is another question.
        .filter(|text| !text.contains("...") && text.lines().count() > 30)
        .map(|text| text.lines().map(str::to_owned).collect())
        .collect();
    read.extend(folders.iter().flat_map(|folder| sources(folder)));
    read
}

fn text(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn changed(lines: &[String], ops: &[Op]) -> Vec<String> {
    let mut new = Vec::new();
    let mut from = 0;
    for op in ops {
        new.extend_from_slice(&lines[from..op.at]);
        new.extend_from_slice(&op.new);
        from = op.at + op.removed;
    }
    new.extend_from_slice(&lines[from..]);
    new
}

fn ops(lines: &[String], draw: &mut Draw) -> Option<Vec<Op>> {
    let mut ops = Vec::new();
    for _ in 0..1 + draw.below(2) {
        ops.push(op(lines, draw)?);
    }
    ops.sort_by_key(|op| op.at);
    ops.windows(2).all(|pair| pair[0].at + pair[0].removed + 8 < pair[1].at).then_some(ops)
}

fn op(lines: &[String], draw: &mut Draw) -> Option<Op> {
    let said = |line: &String| line.chars().filter(|it| it.is_alphanumeric()).count() >= 6;
    let at = 1 + draw.below(lines.len() - 2);
    let word = draw.below(1_000_000);
    let altered = |line: &String| match line.rfind(char::is_alphanumeric) {
        Some(end) if line.is_char_boundary(end + 1) => {
            format!("{}_other{word}{}", &line[..=end], &line[end + 1..])
        }
        _ => format!("{line} other{word}"),
    };
    let blank = |at: usize| lines.get(at).is_some_and(|line| line.trim().is_empty());
    match draw.below(6) {
        0 | 1 => said(&lines[at]).then(|| Op { at, removed: 1, new: vec![altered(&lines[at])] }),
        2 => said(&lines[at]).then(|| Op {
            at: at + 1,
            removed: 0,
            new: (0..1 + draw.below(3)).map(|_| altered(&lines[at])).collect(),
        }),
        3 => said(&lines[at]).then(|| {
            let removed = (1 + draw.below(4)).min(lines.len() - at - 1);
            Op { at, removed, new: Vec::new() }
        }),
        // A paragraph with the blank line after it goes, or another one comes before it.
        4 => {
            let start = (at..lines.len()).find(|&at| blank(at - 1) && !blank(at))?;
            let length = (start..lines.len()).take_while(|&at| !blank(at)).count();
            (blank(start + length) && length < 25).then(|| Op {
                at: start,
                removed: length + 1,
                new: Vec::new(),
            })
        }
        _ => {
            let start = (at..lines.len()).find(|&at| blank(at - 1) && !blank(at))?;
            let from = draw.below(lines.len() - 6);
            let new: Vec<String> = lines[from..from + 5].to_vec();
            Some(Op { at: start, removed: 0, new: [&new[..], &[String::new()]].concat() })
        }
    }
}

fn lazily(lines: &[String], ops: &[Op], around: usize) -> String {
    let margin = |line: &String| line[..line.len() - line.trim_start().len()].to_owned();
    let marker = |at: usize| format!("{}// ... existing code ...", margin(&lines[at]));
    let mut lazy: Vec<String> = Vec::new();
    let mut from = 0;
    for (index, op) in ops.iter().enumerate() {
        let above = op.at.saturating_sub(around).max(from);
        if above > from + 2 {
            lazy.push(marker(above));
            lazy.extend_from_slice(&lines[above..op.at]);
        } else {
            lazy.extend_from_slice(&lines[from..op.at]);
        }
        lazy.extend_from_slice(&op.new);
        let end = op.at + op.removed;
        from = (end + around).min(ops.get(index + 1).map_or(lines.len(), |next| next.at));
        lazy.extend_from_slice(&lines[end..from]);
    }
    if from + 2 < lines.len() {
        lazy.push(marker(from));
    } else {
        lazy.extend_from_slice(&lines[from..]);
    }
    text(&lazy)
}
