//! How fast redaction is, against merely copying the text.
//!
//! In: real sources found on the machine, joined to at least 8 MB; a path argument adds a folder to
//! look in. Out: one table, each line with the figure asked for and PASS or BELOW. Times are the best
//! of several rounds in processor time where the system tells it.
#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use salve_text::{ExactSecret, RedactOptions, Redactor};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const WANTED: usize = 8 << 20;
const ROUNDS: usize = 7;
const RATE: f64 = 200.0;

fn main() {
    let text = sources();
    println!("peer: one pass of memchr for a byte that is not there, then a copy");
    println!("{:<52} {:>11} {:>11} {:>9}  verdict", "what", "ours", "peer", "figure");
    let usual = Redactor::default();
    let exact = (0..20).map(|number| ExactSecret {
        name: "value".into(),
        value: format!("{number:02}Kf9-planted-value-{number}"),
    });
    let with_values =
        Redactor::new(&RedactOptions { exact: exact.collect(), ..RedactOptions::default() });
    speed("whole text", &text, || drop(black_box(usual.redact(&text))));
    speed("whole text, 20 exact values", &text, || drop(black_box(with_values.redact(&text))));
    for size in [64 * 1024, 1024, 64] {
        speed(&format!("pieces of {size} bytes"), &text, || in_pieces(&usual, &text, size));
    }
    for (name, unit) in HOSTILE {
        // Smaller texts stay in the processor's caches, and their double does not.
        linear(&usual, name, &unit.repeat((4 << 20) / unit.len()));
    }
    linear(&usual, "sources", text.get(..boundary(&text, 4 << 20)).unwrap_or(&text));
    held(&usual);
}

/// Texts made to be looked at closely everywhere.
const HOSTILE: &[(&str, &str)] = &[
    ("password=", "password="),
    ("sk-", "sk-"),
    ("eyJ-", "eyJ-"),
    ("-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----"),
    ("://a:", "://a:"),
    ("[redacted:", "[redacted:"),
];

fn speed(what: &str, text: &str, work: impl FnMut()) {
    let ours = best(ROUNDS, work);
    let peer = best(ROUNDS, || {
        black_box(memchr::memchr(0, text.as_bytes()));
        drop(black_box(text.to_owned()));
    });
    let rate = text.len() as f64 / ours.as_secs_f64() / 1e6;
    let verdict = if rate >= RATE { "PASS" } else { "BELOW" };
    println!(
        "{:<52} {ours:>11.2?} {peer:>11.2?} {rate:>9.0}  {verdict}",
        format!("{what}, >= {RATE} MB/s")
    );
}

// Twice the text must cost about twice as much, however it was made.
fn linear(redactor: &Redactor, name: &str, text: &str) {
    let double = text.repeat(2);
    let (mut one, mut two) = (Duration::MAX, Duration::MAX);
    for _ in 0..ROUNDS {
        one = one.min(best(1, || in_pieces(redactor, text, 4096)));
        two = two.min(best(1, || in_pieces(redactor, &double, 4096)));
    }
    let growth = two.as_secs_f64() / one.as_secs_f64().max(1e-9);
    let verdict = if growth <= 2.2 { "PASS" } else { "BELOW" };
    println!(
        "{:<52} {two:>11.2?} {one:>11.2?} {growth:>8.2}x  {verdict}",
        format!("twice {name}, <= 2.2x")
    );
}

// What a stream keeps back, on texts made to make it keep much.
fn held(redactor: &Redactor) {
    for (name, unit) in HOSTILE {
        let mut stream = redactor.stream();
        let mut most = 0;
        for _ in 0..20_000 {
            let _ = black_box(stream.push(unit));
            most = most.max(stream.held());
        }
        let verdict = if most <= 4096 { "PASS" } else { "BELOW" };
        println!(
            "{:<52} {most:>11} {:>11} {:>9}  {verdict}",
            format!("kept back: {name}, <= 4096 bytes"),
            4096,
            ""
        );
    }
}

fn in_pieces(redactor: &Redactor, text: &str, size: usize) {
    let mut stream = redactor.stream();
    let mut from = 0;
    while from < text.len() {
        let to = boundary(text, from + size);
        drop(black_box(stream.push(text.get(from..to).unwrap_or_default())));
        from = to;
    }
    drop(black_box(stream.finish()));
}

fn best(rounds: usize, mut work: impl FnMut()) -> Duration {
    let times = (0..rounds).map(|_| {
        let (start, begun) = (Instant::now(), busy());
        let mut count = 0;
        while count == 0 || start.elapsed() < Duration::from_millis(40) {
            work();
            count += 1;
        }
        let spent = match (begun, busy()) {
            (Some(begun), Some(now)) => now.saturating_sub(begun),
            _ => start.elapsed(),
        };
        spent / count
    });
    times.min().unwrap_or_default()
}

// The time this thread really ran, where the system tells it: others may use the machine too.
fn busy() -> Option<Duration> {
    let line = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    line.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

fn boundary(text: &str, at: usize) -> usize {
    (at.min(text.len())..=text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len())
}

#[expect(clippy::disallowed_methods, reason = "a benchmark looks for sources on its machine")]
fn sources() -> String {
    let mut folders: Vec<PathBuf> =
        std::env::args().skip(1).filter(|word| !word.starts_with('-')).map(PathBuf::from).collect();
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let cargo = std::env::var_os("CARGO_HOME").map_or_else(|| home.join(".cargo"), PathBuf::from);
    folders.push(cargo.join("registry/src"));
    folders.push("/usr/lib/python3".into());
    let mut text = String::new();
    for folder in &folders {
        collect(folder, &mut text, 0);
    }
    if text.is_empty() {
        println!("skipped: no sources on this machine, generated ones instead");
        text.push_str("fn token(password: &str) -> Result<Key, Error> { read(password)? }\n");
    }
    while text.len() < WANTED {
        text = text.repeat(2);
    }
    text
}

fn collect(folder: &Path, text: &mut String, depth: usize) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    entries.sort();
    for path in entries {
        if text.len() >= WANTED {
            return;
        }
        let source = path
            .extension()
            .is_some_and(|ending| ending == "rs" || ending == "py" || ending == "md");
        if path.is_dir() && depth < 8 {
            collect(&path, text, depth + 1);
        } else if source && let Ok(content) = std::fs::read_to_string(&path) {
            text.push_str(&content);
        }
    }
}
