//! `cargo xtask growth`: what a command costs on hostile text, as the text grows.
//!
//! In: the built `salve`, generators of hostile texts, sizes a factor of ten apart. Out: one table of
//! seconds of the processor and peak memory per command and generator. Fails where a step of ten costs
//! more than twelve times the time, or memory passes 64 bytes per byte of input and 16 MiB above what
//! the same command takes for a text of one line. Never measures by the clock on the wall: a busy
//! machine would fail it.
//!
//! The peak is the one the kernel keeps for the process, so that nothing between two looks is missed;
//! it counts the touched pages of the program's own file, such as a grammar's tables. That is why each
//! command has a start of its own: with one start for all, `inspect --lang cpp` was charged for the
//! tables of its grammar. What is left after the last look, a few milliseconds, is not seen; of several
//! starts the largest counts, so that the start is not taken too low.

mod generators;

use crate::product;
use anyhow::{Context, Result, bail};
use generators::{GENERATORS, Generator};
use serde_json::json;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use xtask::{Flags, Outcome};

const SIZES: &[usize] = &[100_000, 1_000_000, 10_000_000];
const SHORT_SIZES: &[usize] = &[20_000, 200_000];
// In the short form each command meets every eighth generator.
const SHARE: usize = 8;
const STARTS: usize = 8;
const BYTES_PER_BYTE: usize = 64;
const BASE: usize = 16 * 1024 * 1024;
const FACTOR: f64 = 12.0;
const LONGEST: Duration = Duration::from_secs(240);

/// How a text reaches a command.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Feed {
    /// As the file that the arguments name.
    File,
    /// As one line of a batch, under this field.
    Line(&'static str),
    /// As the edit of a line of `apply --batch`, with a file of equal lines.
    Edit,
}

/// A command that reads a text.
struct Subject {
    name: &'static str,
    arguments: &'static [&'static str],
    feed: Feed,
}

#[rustfmt::skip]
const SUBJECTS: &[Subject] = &[
    Subject { name: "parse text", arguments: &["parse", "--mode", "text", "FILE"], feed: Feed::File },
    Subject { name: "parse llm", arguments: &["parse", "--mode", "llm", "FILE"], feed: Feed::File },
    Subject { name: "parse json", arguments: &["parse", "--format", "json", "FILE"], feed: Feed::File },
    Subject { name: "clean", arguments: &["clean", "FILE"], feed: Feed::File },
    Subject { name: "clean json", arguments: &["clean", "--explain", "--format", "json", "FILE"], feed: Feed::File },
    Subject { name: "inspect", arguments: &["inspect", "FILE"], feed: Feed::File },
    Subject { name: "inspect ts", arguments: &["inspect", "--lang", "typescript", "--format", "json", "FILE"], feed: Feed::File },
    Subject { name: "inspect c++", arguments: &["inspect", "--lang", "cpp", "FILE"], feed: Feed::File },
    Subject { name: "stitch", arguments: &["resume", "stitch", "--partial", "FILE", "--continuation", "FILE"], feed: Feed::File },
    Subject { name: "prompt", arguments: &["resume", "prompt", "FILE"], feed: Feed::File },
    Subject { name: "inspect sarif", arguments: &["inspect", "--format", "sarif", "FILE"], feed: Feed::File },
    Subject { name: "inspect github", arguments: &["inspect", "--format", "github", "FILE"], feed: Feed::File },
    Subject { name: "schema any", arguments: &["parse", "--schema", "ANY", "--format", "json", "FILE"], feed: Feed::File },
    Subject { name: "schema list", arguments: &["parse", "--schema", "LIST", "--format", "json", "FILE"], feed: Feed::File },
    Subject { name: "parse batch", arguments: &["parse", "--batch"], feed: Feed::Line("input") },
    Subject { name: "inspect batch", arguments: &["inspect", "--batch"], feed: Feed::Line("text") },
    Subject { name: "clean batch", arguments: &["clean", "--batch"], feed: Feed::Line("text") },
    Subject { name: "apply batch", arguments: &["apply", "--batch"], feed: Feed::Edit },
    Subject { name: "signature", arguments: &["signature", "FILE"], feed: Feed::File },
];

// The kernel counts in hundredths of a second: below this, a factor says nothing.
const TICKS: f64 = 0.03;

/// What one run cost.
#[derive(Clone, Copy, Default)]
struct Cost {
    /// Of the processor.
    seconds: f64,
    peak: usize,
}

/// One line of the table.
struct Row {
    text: String,
    is_good: bool,
    /// The worst factor between two sizes.
    growth: f64,
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
    let mut bench = Bench::new(SIZES.iter().copied().filter(|&size| size <= largest).collect())?;
    let chosen = |subject: &Subject, source: &Generator| {
        only.as_deref().is_none_or(|name| subject.name == name)
            && generator.as_deref().is_none_or(|name| source.name == name)
    };
    let (rows, worst) = bench.measure_all(|subject, _, source| chosen(subject, source), all)?;
    println!("{rows} rows; the worst step of ten {worst}");
    Ok(())
}

/// Runs a share of the rows at small sizes, for the checks of every day.
pub(crate) fn short() -> Result<Outcome> {
    let mut bench = Bench::new(SHORT_SIZES.to_vec())?;
    let place = |source: &Generator| GENERATORS.iter().position(|it| it.name == source.name);
    let (rows, worst) = bench.measure_all(
        |_, number, source| place(source).is_some_and(|it| it % SHARE == number % SHARE),
        false,
    )?;
    Ok(Outcome::Passed(format!("{rows} rows, worst step {worst}")))
}

/// The program, a folder for the texts, and what a text of one line costs each command.
struct Bench {
    salve: PathBuf,
    folder: tempfile::TempDir,
    sizes: Vec<usize>,
    starts: BTreeMap<&'static str, Cost>,
}

impl Bench {
    fn new(sizes: Vec<usize>) -> Result<Self> {
        let salve = product::salve()?;
        let folder = tempfile::tempdir().context("making a folder for the texts")?;
        let write = |name: &str, text: &str| {
            std::fs::write(folder.path().join(name), text).context("writing a text")
        };
        write("any", "{}")?;
        write("list", r#"{"type": "array", "items": {"type": ["integer", "string", "object"]}}"#)?;
        Ok(Self { salve, folder, sizes, starts: BTreeMap::new() })
    }

    // What a command costs before it has read anything, measured once.
    fn start_of(&mut self, subject: &Subject) -> Result<Cost> {
        if let Some(start) = self.starts.get(subject.name) {
            return Ok(*start);
        }
        self.feed(subject, "1\n")?;
        let mut start = Cost::default();
        for _ in 0..STARTS {
            let cost = self.cost_of(subject)?.context("salve does not end")?;
            start.peak = start.peak.max(cost.peak);
            start.seconds = start.seconds.max(cost.seconds);
        }
        println!(
            "{:<14} starts with {:.2} s, {} MB",
            subject.name,
            start.seconds,
            start.peak / 1_000_000
        );
        self.starts.insert(subject.name, start);
        Ok(start)
    }

    // Gives the number of rows and the worst growth; fails after the last row.
    fn measure_all(
        &mut self,
        is_chosen: impl Fn(&Subject, usize, &Generator) -> bool,
        all: bool,
    ) -> Result<(usize, f64)> {
        let (mut rows, mut failures, mut worst) = (0, 0, 0.0_f64);
        println!(
            "{:<14} {:<22} {:>22} {:>26}",
            "command", "generator", "seconds", "bytes per byte"
        );
        for (number, subject) in SUBJECTS.iter().enumerate() {
            for source in GENERATORS.iter().filter(|source| is_chosen(subject, number, source)) {
                let row = self.measure(subject, source)?;
                rows += 1;
                failures += usize::from(!row.is_good);
                worst = worst.max(row.growth);
                if all || !row.is_good {
                    println!("{}", row.text);
                }
            }
        }
        if failures > 0 {
            bail!("{failures} of {rows} rows are beyond the limits");
        }
        Ok((rows, (worst * 10.0).round() / 10.0))
    }

    fn measure(&mut self, subject: &Subject, source: &Generator) -> Result<Row> {
        let start = self.start_of(subject)?;
        let (mut seconds, mut ratios) = (String::new(), String::new());
        let (mut is_good, mut growth) = (true, 0.0_f64);
        let mut before: Option<Cost> = None;
        for size in self.sizes.clone() {
            let input = self.feed(subject, &(source.make)(size))?;
            let Some(cost) = self.cost_of(subject)? else {
                seconds.push_str("  never");
                is_good = false;
                break;
            };
            let base = start.peak + BASE;
            if let Some(before) = before {
                let own = (cost.seconds - start.seconds).max(0.0);
                growth = growth.max(own / before.seconds.max(start.seconds * 2.0).max(TICKS));
            }
            is_good &= cost.peak <= base + BYTES_PER_BYTE * input && growth <= FACTOR;
            seconds.push_str(&format!(" {:>6.2}", cost.seconds));
            ratios.push_str(&format!(" {:>6}", cost.peak.saturating_sub(base) / input.max(1)));
            before = Some(cost);
        }
        let mark = if is_good { "" } else { "  BEYOND" };
        let names = format!("{:<14} {:<22}", subject.name, source.name);
        Ok(Row { text: format!("{names} {seconds:>22} {ratios:>26}{mark}"), is_good, growth })
    }

    // Writes a text where the command will read it; gives how many bytes that are.
    fn feed(&self, subject: &Subject, text: &str) -> Result<usize> {
        let input = match subject.feed {
            Feed::File => text.to_owned(),
            Feed::Line(field) => format!("{}\n", json!({ "id": 1, field: text })),
            Feed::Edit => {
                let lines = "a();\n".repeat(text.len() / 50 + 1);
                format!("{}\n", json!({ "id": 1, "files": { "a.py": lines }, "edit": text }))
            }
        };
        std::fs::write(self.folder.path().join("text"), &input).context("writing a text")?;
        let times = subject.arguments.iter().filter(|argument| **argument == "FILE").count();
        Ok(input.len() * times.max(1))
    }

    fn cost_of(&self, subject: &Subject) -> Result<Option<Cost>> {
        let place = |name: &str| self.folder.path().join(name).into_os_string();
        let arguments = subject.arguments.iter().map(|it| match *it {
            "FILE" => place("text"),
            "ANY" => place("any"),
            "LIST" => place("list"),
            other => OsString::from(other),
        });
        let stdin = match subject.feed {
            Feed::File => Stdio::null(),
            Feed::Line(_) | Feed::Edit => std::fs::File::open(place("text"))?.into(),
        };
        let began = Instant::now();
        let mut child = Command::new(&self.salve)
            .args(arguments)
            .stdin(stdin)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .context("starting salve")?;
        let process = format!("/proc/{}", child.id());
        let mut cost = Cost::default();
        loop {
            cost.peak = cost.peak.max(peak_memory(&process).unwrap_or(0));
            cost.seconds = cost.seconds.max(own_seconds(&process).unwrap_or(0.0));
            if child.try_wait()?.is_some() {
                return Ok(Some(cost));
            }
            if began.elapsed() > LONGEST {
                child.kill()?;
                child.wait()?;
                return Ok(None);
            }
            // The shortest runs are over in a few milliseconds, and are what the others are held to.
            let is_young = began.elapsed() < Duration::from_millis(100);
            std::thread::sleep(Duration::from_micros(if is_young { 50 } else { 1_000 }));
        }
    }
}

// The most that was ever resident since the program was started.
fn peak_memory(process: &str) -> Option<usize> {
    let text = std::fs::read_to_string(format!("{process}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<usize>().ok().map(|it| it * 1024)
}

// What the process used of the processors, in user and system mode.
fn own_seconds(process: &str) -> Option<f64> {
    let text = std::fs::read_to_string(format!("{process}/stat")).ok()?;
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |index: usize| fields.get(index).and_then(|it| it.parse::<u32>().ok());
    Some(f64::from(ticks(11)? + ticks(12)?) / 100.0)
}
