//! `cargo xtask growth`: what a command costs on hostile text, as the text grows.
//!
//! In: the built `salve`, generators of hostile texts, sizes a factor of ten apart. Out: one table of
//! seconds and peak memory per command and generator. Fails where a step of ten costs more than
//! twelve times the time, or memory passes 64 bytes per byte of input and 16 MiB above what the
//! program takes for an empty text.

mod generators;

use crate::product;
use anyhow::{Context, Result, bail};
use generators::{GENERATORS, Generator};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use xtask::Flags;

const SIZES: &[usize] = &[100_000, 1_000_000, 10_000_000];
const BYTES_PER_BYTE: usize = 64;
const BASE: usize = 16 * 1024 * 1024;
const FACTOR: f64 = 12.0;
const LONGEST: Duration = Duration::from_secs(240);

/// A command that reads a file.
struct Subject {
    name: &'static str,
    arguments: &'static [&'static str],
}

#[rustfmt::skip]
const SUBJECTS: &[Subject] = &[
    Subject { name: "parse text", arguments: &["parse", "--mode", "text", "FILE"] },
    Subject { name: "parse llm", arguments: &["parse", "--mode", "llm", "FILE"] },
    Subject { name: "parse json", arguments: &["parse", "--format", "json", "FILE"] },
    Subject { name: "clean", arguments: &["clean", "FILE"] },
    Subject { name: "clean json", arguments: &["clean", "--explain", "--format", "json", "FILE"] },
    Subject { name: "inspect", arguments: &["inspect", "FILE"] },
    Subject { name: "inspect ts", arguments: &["inspect", "--lang", "typescript", "--format", "json", "FILE"] },
    Subject { name: "inspect c++", arguments: &["inspect", "--lang", "cpp", "FILE"] },
    Subject { name: "stitch", arguments: &["resume", "stitch", "--partial", "FILE", "--continuation", "FILE"] },
    Subject { name: "signature", arguments: &["signature", "FILE"] },
];

/// What one run cost.
#[derive(Clone, Copy)]
struct Cost {
    time: Duration,
    peak: usize,
}

/// Runs the measurement.
///
/// Flags: `--only NAME` (of a command), `--generator NAME`, `--largest BYTES`, `--all` prints every row.
pub(crate) fn run(flags: &mut Flags) -> Result<()> {
    let only = flags.value::<String>("--only")?;
    let generator = flags.value::<String>("--generator")?;
    let largest = flags.value("--largest")?.unwrap_or(usize::MAX);
    let all = flags.switch("--all");
    flags.finish()?;
    let salve = product::salve()?;
    let folder = tempfile::tempdir().context("making a folder for the texts")?;
    let nothing = folder.path().join("nothing");
    std::fs::write(&nothing, "1\n").context("writing a text")?;
    let start = cost_of(&salve, &SUBJECTS[0], &nothing)?.context("salve does not end")?;
    println!(
        "an empty text takes {:.2} s, {} MB",
        start.time.as_secs_f64(),
        start.peak / 1_000_000
    );
    let mut failures = 0;
    println!("{:<12} {:<22} {:>22} {:>26}", "command", "generator", "seconds", "bytes per byte");
    for subject in SUBJECTS.iter().filter(|it| only.as_deref().is_none_or(|name| it.name == name)) {
        for source in GENERATORS {
            if generator.as_deref().is_some_and(|name| source.name != name) {
                continue;
            }
            let (row, is_good) = measure(&salve, start, subject, source, largest, folder.path())?;
            failures += usize::from(!is_good);
            if all || !is_good {
                println!("{row}");
            }
        }
    }
    println!("{} commands, {} generators", SUBJECTS.len(), GENERATORS.len());
    if failures == 0 { Ok(()) } else { bail!("{failures} rows are beyond the limits") }
}

fn measure(
    salve: &Path,
    start: Cost,
    subject: &Subject,
    source: &Generator,
    largest: usize,
    folder: &Path,
) -> Result<(String, bool)> {
    let (mut seconds, mut ratios, mut is_good) = (String::new(), String::new(), true);
    let mut before: Option<Cost> = None;
    for &size in SIZES.iter().filter(|&&size| size <= largest) {
        let file = folder.join("text");
        std::fs::write(&file, (source.make)(size)).context("writing a text")?;
        let Some(cost) = cost_of(salve, subject, &file)? else {
            seconds.push_str("  never");
            is_good = false;
            break;
        };
        let base = start.peak + BASE;
        let allowed = base + BYTES_PER_BYTE * size * inputs(subject);
        let grows = before.is_some_and(|before| {
            cost.time.saturating_sub(start.time).as_secs_f64()
                > FACTOR * before.time.max(start.time * 2).as_secs_f64()
        });
        is_good &= cost.peak <= allowed && !grows;
        seconds.push_str(&format!(" {:>6.2}", cost.time.as_secs_f64()));
        let above = cost.peak.saturating_sub(base) / (size * inputs(subject));
        ratios.push_str(&format!(" {above:>6}"));
        before = Some(cost);
    }
    let mark = if is_good { "" } else { "  BEYOND" };
    Ok((
        format!("{:<12} {:<22} {seconds:>22} {ratios:>26}{mark}", subject.name, source.name),
        is_good,
    ))
}

fn inputs(subject: &Subject) -> usize {
    subject.arguments.iter().filter(|argument| **argument == "FILE").count()
}

// The peak is read while the process runs, without the pages of the program's own file, of which a
// build with debug information has many.
fn cost_of(salve: &Path, subject: &Subject, file: &Path) -> Result<Option<Cost>> {
    let file = file.to_str().context("the folder's name is no text")?;
    let arguments = subject.arguments.iter().map(|it| if *it == "FILE" { file } else { it });
    let began = Instant::now();
    let mut child = Command::new(salve)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .context("starting salve")?;
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        peak = peak.max(own_memory(&status).unwrap_or(0));
        if child.try_wait()?.is_some() {
            return Ok(Some(Cost { time: began.elapsed(), peak }));
        }
        if began.elapsed() > LONGEST {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn own_memory(status: &str) -> Option<usize> {
    let text = std::fs::read_to_string(status).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<usize>().ok().map(|it| it * 1024)
}
