//! `cargo xtask growth`: what a command costs on hostile text, as the text grows.
//!
//! In: the built `salve`, generators of hostile texts, sizes a factor of ten apart. Out: one table of
//! seconds of the processor and peak memory per command and generator. Fails where a step of ten costs
//! more than twelve times the time, or memory passes 64 bytes per byte of input and 16 MiB above what
//! the program takes for an empty text. Never measures by the clock on the wall: a busy machine would
//! fail it.

mod generators;

use crate::product;
use anyhow::{Context, Result, bail};
use generators::{GENERATORS, Generator};
use serde_json::json;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use xtask::{Flags, Outcome};

const SIZES: &[usize] = &[100_000, 1_000_000, 10_000_000];
const SHORT_SIZES: &[usize] = &[20_000, 200_000];
// In the short form each command meets every eighth generator.
const SHARE: usize = 8;
const STARTS: usize = 20;
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
    let bench = Bench::new(SIZES.iter().copied().filter(|&size| size <= largest).collect())?;
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
    let bench = Bench::new(SHORT_SIZES.to_vec())?;
    let place = |source: &Generator| GENERATORS.iter().position(|it| it.name == source.name);
    let (rows, worst) = bench.measure_all(
        |_, number, source| place(source).is_some_and(|it| it % SHARE == number % SHARE),
        false,
    )?;
    Ok(Outcome::Passed(format!("{rows} rows, worst step {worst}")))
}

/// The program, a folder for the texts, and what a text of nothing costs.
struct Bench {
    salve: PathBuf,
    folder: tempfile::TempDir,
    sizes: Vec<usize>,
    start: Cost,
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
        let mut bench = Self { salve, folder, sizes, start: Cost::default() };
        bench.feed(&SUBJECTS[0], "1\n")?;
        // A short run may end between two looks at it, so the largest of several counts.
        for _ in 0..STARTS {
            let cost = bench.cost_of(&SUBJECTS[0])?.context("salve does not end")?;
            bench.start.peak = bench.start.peak.max(cost.peak);
            bench.start.seconds = bench.start.seconds.max(cost.seconds);
        }
        let (seconds, peak) = (bench.start.seconds, bench.start.peak / 1_000_000);
        println!("an empty text takes {seconds:.2} s, {peak} MB");
        Ok(bench)
    }

    // Gives the number of rows and the worst growth; fails after the last row.
    fn measure_all(
        &self,
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

    fn measure(&self, subject: &Subject, source: &Generator) -> Result<Row> {
        let (mut seconds, mut ratios) = (String::new(), String::new());
        let (mut is_good, mut growth) = (true, 0.0_f64);
        let mut before: Option<Cost> = None;
        for &size in &self.sizes {
            let input = self.feed(subject, &(source.make)(size))?;
            let Some(cost) = self.cost_of(subject)? else {
                seconds.push_str("  never");
                is_good = false;
                break;
            };
            let base = self.start.peak + BASE;
            if let Some(before) = before {
                let own = (cost.seconds - self.start.seconds).max(0.0);
                growth = growth.max(own / before.seconds.max(self.start.seconds * 2.0).max(TICKS));
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

    // The peak is read while the process runs, without the pages of the program's own file, of which a
    // build with debug information has many.
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
            cost.peak = cost.peak.max(own_memory(&process).unwrap_or(0));
            cost.seconds = cost.seconds.max(own_seconds(&process).unwrap_or(0.0));
            if child.try_wait()?.is_some() {
                return Ok(Some(cost));
            }
            if began.elapsed() > LONGEST {
                child.kill()?;
                child.wait()?;
                return Ok(None);
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

fn own_memory(process: &str) -> Option<usize> {
    let text = std::fs::read_to_string(format!("{process}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<usize>().ok().map(|it| it * 1024)
}

// What the process used of the processors, in user and system mode.
fn own_seconds(process: &str) -> Option<f64> {
    let text = std::fs::read_to_string(format!("{process}/stat")).ok()?;
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |index: usize| fields.get(index).and_then(|it| it.parse::<u32>().ok());
    Some(f64::from(ticks(11)? + ticks(12)?) / 100.0)
}
