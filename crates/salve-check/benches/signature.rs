//! How fast an output is signed, against a scan for line ends in the same run.
//!
//! In: generated logs: a long one with few errors, one of errors only, one of no known tool, and
//! hostile ones. Out: one table; each line with a goal ends in PASS or BELOW. Times are those on the
//! processor, the best of several rounds, so that a busy machine disturbs little.
#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use salve_check::{normalise, sign_text};
use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Bytes of the smaller log of each kind.
const SIZE: usize = 4_000_000;
const ROUNDS: usize = 5;
const SCANS: u32 = 50;
const MEGABYTES: f64 = 50.0;
const GROWTH: f64 = 2.2;

type Make = fn(usize) -> String;

fn main() {
    println!("{:<44} {:>9} {:>12} {:>8}  verdict", "what", "MB/s", "scan / ours", "growth");
    let kinds: &[(&str, Make)] = &[
        ("long log with few errors", quiet_log),
        ("errors only: gcc, rustc, python, tsc", dense_errors),
        ("no known tool, few failures", unknown_tool),
        ("no known tool, the same 500 failures", unknown_failures),
    ];
    for (name, make) in kinds {
        goal(name, *make, |text| {
            let _ = black_box(sign_text(None, text));
        });
    }
    goal("normalise alone", quiet_log, |text| {
        black_box(normalise(text));
    });
    for (name, piece) in HOSTILE {
        let (small, large) = (repeated(piece, SIZE / 2), repeated(piece, SIZE));
        let ratio = growth(&small, &large, |text| {
            let _ = black_box(sign_text(None, text));
        });
        let verdict = verdict(ratio <= GROWTH);
        println!("{name:<44} {:>9} {:>12} {ratio:>7.2}x  {verdict}", "", "");
    }
}

fn goal(name: &str, make: Make, work: impl Fn(&str)) {
    let (small, large) = (make(SIZE), make(SIZE * 2));
    let ours = best(&small, &work);
    // One scan is too short for the kernel's count.
    let scan = best(&small, |text| {
        for _ in 0..SCANS {
            black_box(memchr::memchr_iter(b'\n', black_box(text).as_bytes()).count());
        }
    }) / SCANS;
    let speed = small.len() as f64 / 1e6 / ours.as_secs_f64();
    let ratio = ours.as_secs_f64() / scan.as_secs_f64();
    let growth = growth(&small, &large, work);
    let reached = verdict(speed >= MEGABYTES && growth <= GROWTH);
    println!("{name:<44} {speed:>9.0} {ratio:>11.0}x {growth:>7.2}x  {reached}");
}

// Both sizes in turns, so that a slow moment of the machine meets both.
fn growth(small: &str, large: &str, work: impl Fn(&str)) -> f64 {
    let mut best = [Duration::MAX; 2];
    for _ in 0..ROUNDS {
        for (slot, text) in best.iter_mut().zip([small, large]) {
            *slot = spent(|| work(text)).min(*slot);
        }
    }
    best[1].as_secs_f64() / best[0].as_secs_f64()
}

fn best(text: &str, work: impl Fn(&str)) -> Duration {
    (0..ROUNDS).map(|_| spent(|| work(text))).min().unwrap_or_default()
}

// The kernel counts what this thread ran; where it does not say, the clock has to do.
fn spent(work: impl FnOnce()) -> Duration {
    let (before, start) = (on_processor(), Instant::now());
    work();
    let elapsed = start.elapsed();
    before.zip(on_processor()).map_or(elapsed, |(before, after)| after.saturating_sub(before))
}

fn on_processor() -> Option<Duration> {
    let counted = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    counted.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

const fn verdict(reached: bool) -> &'static str {
    if reached { "PASS" } else { "BELOW" }
}

const HOSTILE: &[(&str, &str)] = &[
    ("hostile: tracebacks without an end", "Traceback (most recent call last):\n"),
    ("hostile: frames without an exception", "  File \"a\", line 1\n"),
    ("hostile: headers without an arrow", "error[E0001]: x\n"),
    ("hostile: quotes that never close", "‘a 'b `c \"d "),
    ("hostile: one line of slashes and colons", "/a:1:2: b@/c "),
    ("hostile: escape codes", "\u{1b}[31m\u{1b}]x"),
];

fn repeated(piece: &str, size: usize) -> String {
    piece.repeat(size / piece.len())
}

// What a service and a build print all day, with an error every two thousand lines.
fn quiet_log(size: usize) -> String {
    let mut log = String::with_capacity(size + 512);
    let mut number = 0u64;
    while log.len() < size {
        number += 1;
        let (minute, second) = (number / 60 % 60, number % 60);
        let _ = match number % 5 {
            0 => writeln!(
                log,
                "2026-11-16T03:{minute:02}:{second:02}.{:03}Z [{number}] INFO request {number:08x} served in {}ms from 10.0.0.{}",
                number % 1000,
                number % 97,
                number % 250
            ),
            1 => writeln!(
                log,
                "   Compiling some-crate v0.{}.{} (/srv/build/crates/some-crate)",
                number % 9,
                number % 7
            ),
            2 => writeln!(
                log,
                "[{number}/99999] Building CXX object src/CMakeFiles/app.dir/part_{number}.cpp.o"
            ),
            3 => writeln!(log, "test module::part_{number}::works ... ok"),
            _ => writeln!(
                log,
                "npm timing reifyNode:node_modules/some-package-{number} Completed in {}ms",
                number % 500
            ),
        };
        if number.is_multiple_of(2000) {
            log.push_str(&error(number));
        }
    }
    log
}

fn dense_errors(size: usize) -> String {
    let mut log = String::with_capacity(size + 512);
    let mut number = 0;
    while log.len() < size {
        number += 1;
        log.push_str(&error(number));
    }
    log
}

fn error(number: u64) -> String {
    match number % 4 {
        0 => format!(
            "src/part_{number}.c: In function ‘work_{number}’:\nsrc/part_{number}.c:{number}:9: error: ‘count_{number}’ undeclared (first use in this function)\n{number:>5} |         count_{number} = total + 1;\n      |         ^~~~~~~\n"
        ),
        1 => format!(
            "error[E0308]: mismatched types\n  --> src/part_{number}.rs:{number}:18\n   |\n{number} |     let value_{number}: u32 = name;\n   |            ---   ^^^ expected `u32`, found `&str`\n\n"
        ),
        2 => format!(
            "Traceback (most recent call last):\n  File \"/srv/app/main.py\", line {number}, in <module>\n    load_{number}(config)\n  File \"/srv/app/part.py\", line 7, in load_{number}\n    return config['key_{number}']\nKeyError: 'key_{number}'\n\n"
        ),
        _ => format!(
            "src/part_{number}.ts({number},7): error TS2322: Type 'Part{number}' is not assignable to type 'number'.\n"
        ),
    }
}

fn unknown_tool(size: usize) -> String {
    let mut log = String::with_capacity(size + 256);
    let mut number = 0u64;
    while log.len() < size {
        number += 1;
        let _ = writeln!(
            log,
            "frob[{number}] stage {} reads /var/lib/frob/part-{number}.db at 0x7ffd{number:08x} took 0.{}s",
            number % 7,
            number % 100
        );
        if number.is_multiple_of(1000) {
            let _ = writeln!(
                log,
                "frob[{number}] cannot merge part {number} into /var/lib/frob/store.db"
            );
        }
    }
    log
}

fn unknown_failures(size: usize) -> String {
    let mut log = String::with_capacity(size + 256);
    let mut number = 0u64;
    while log.len() < size {
        number += 1;
        let _ = writeln!(
            log,
            "frob[{number}] failed to merge table_{} of /var/lib/{number}/part.db at 0x7ffd{number:08x} after 0.{}s",
            number % 500,
            number % 100
        );
    }
    log
}
