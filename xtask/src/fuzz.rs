//! `cargo xtask fuzz`: the fuzz targets, long under libFuzzer or short on stable.
//!
//! In: the targets and seeds of `fuzz/`. Out: one row per target. Never needs a nightly toolchain or
//! cargo-fuzz: the flags that cargo-fuzz would set are set here, and `RUSTC_BOOTSTRAP` lets the
//! stable compiler take them.

use anyhow::{Context, bail};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use xtask::{Flags, Outcome, process, workspace};

const SHORT_MUTATIONS: u64 = 20_000;
/// How many generated lines are compared with a real shell in the long form.
const DIFFERENTIAL_LINES: &str = "10000";
const SEED: u64 = 1;

/// Runs the long form, or the short one with `--short`.
pub(crate) fn run(flags: &mut Flags) -> anyhow::Result<()> {
    let only: Option<String> = flags.value("--target")?;
    let seconds: u64 = flags.value("--seconds")?.unwrap_or(3600);
    let executions: u64 = flags.value("--executions")?.unwrap_or(1_000_000);
    let is_short = flags.switch("--short");
    flags.finish()?;
    if is_short {
        return drive(only.as_deref(), SHORT_MUTATIONS);
    }
    long(only.as_deref(), executions, seconds)
}

/// Runs seeds and 20,000 mutations of every target.
pub(crate) fn short() -> anyhow::Result<Outcome> {
    drive(None, SHORT_MUTATIONS)?;
    Ok(Outcome::Passed(format!("{SHORT_MUTATIONS} mutations per target")))
}

fn drive(only: Option<&str>, mutations: u64) -> anyhow::Result<()> {
    let target_dir = workspace::target_dir()?;
    process::build_as_tested()?;
    let names = only.map_or_else(target_names, |name| Ok(vec![name.to_owned()]))?;
    let waiting = Mutex::new(names);
    let at_once = std::thread::available_parallelism().map_or(1, usize::from);
    println!(
        "{:<10} {:>11} {:>9} {:>12} {:>8}",
        "target", "executions", "seconds", "slowest ms", "bytes"
    );
    let take = || waiting.lock().ok()?.pop();
    let work = || {
        let mut broken = Vec::new();
        while let Some(name) = take() {
            broken.extend(drive_one(&target_dir, &name, mutations).err());
        }
        broken
    };
    let broken = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..at_once).map(|_| scope.spawn(work)).collect();
        let ended = threads.into_iter().map(|thread| {
            thread
                .join()
                .unwrap_or_else(|_| vec![anyhow::anyhow!("a thread of this program broke")])
        });
        ended.flatten().collect::<Vec<_>>()
    });
    broken.into_iter().next().map_or(Ok(()), Err)
}

// One target in a process of its own.
fn drive_one(target_dir: &Path, name: &str, mutations: u64) -> anyhow::Result<()> {
    let crashes = target_dir.join("fuzz-crashes");
    let mut command = Command::new(target_dir.join("debug/salve-fuzz"));
    command.arg("--mutations").arg(mutations.to_string()).arg("--seed").arg(SEED.to_string());
    command.arg("--corpus").arg(workspace::root().join("fuzz/corpus"));
    command.arg("--crashes").arg(&crashes).args(["--target", name]);
    process::run(&mut command)
        .with_context(|| format!("a property is broken; inputs are kept in {}", crashes.display()))
}

/// What one target did under libFuzzer.
struct Row {
    target: String,
    executions: u64,
    time: Duration,
    word: String,
}

fn long(only: Option<&str>, executions: u64, seconds: u64) -> anyhow::Result<()> {
    let target_dir = workspace::target_dir()?.join("libfuzzer");
    let binary = build(&target_dir)?;
    let mut rows = Vec::new();
    for target in target_names()? {
        if only.is_none_or(|name| name == target) {
            println!("\n=== {target} ===");
            rows.push(run_target(&binary, &target, executions, seconds)?);
        }
    }
    println!("\n{:<10} {:>11} {:>9}  result", "target", "executions", "seconds");
    for row in &rows {
        println!(
            "{:<10} {:>11} {:>9.1}  {}",
            row.target,
            row.executions,
            row.time.as_secs_f64(),
            row.word
        );
    }
    if only.is_none_or(|name| name == "shell") {
        against_bash()?;
    }
    let failed = rows.iter().filter(|row| row.word != "ok").count();
    if rows.is_empty() || failed > 0 {
        bail!("{failed} of {} targets did not reach {executions} executions", rows.len());
    }
    Ok(())
}

// The parser of the shell subset has an oracle: the words that bash gives to stub programs.
fn against_bash() -> anyhow::Result<()> {
    println!("\n=== shell: {DIFFERENTIAL_LINES} lines against bash ===");
    let name = "shell_against_bash::generated";
    let arguments = ["test", "-p", "salve-check", "--test", "it", name];
    let mut command = process::cargo(&arguments);
    command.args(["--", "--nocapture"]).env("SALVE_DIFFERENTIAL_LINES", DIFFERENTIAL_LINES);
    process::run(&mut command).context("our parser and bash read a line differently")
}

// One folder of seeds per target.
fn target_names() -> anyhow::Result<Vec<String>> {
    let folder = workspace::root().join("fuzz/corpus");
    let entries = std::fs::read_dir(&folder).context("could not list fuzz/corpus")?;
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.context("could not list fuzz/corpus")?;
        names.push(entry.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

// Coverage counters at every edge and comparison, as cargo-fuzz sets them.
const INSTRUMENT: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
     -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
     -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1 -Cdebug-assertions \
     -Coverflow-checks";

fn build(target_dir: &Path) -> anyhow::Result<std::path::PathBuf> {
    let host = host()?;
    // With `--target` the flags reach the crates but not the build scripts and macros.
    let arguments =
        ["build", "--release", "-p", "salve-fuzz", "--bin", "libfuzzer", "--features", "libfuzzer"];
    let mut command = process::cargo(&arguments);
    command.args(["--target", &host]).arg("--target-dir").arg(target_dir);
    command.env("RUSTC_BOOTSTRAP", "1").env("RUSTFLAGS", INSTRUMENT);
    // Link-time optimisation would run before the counters are placed.
    command.env("CARGO_PROFILE_RELEASE_LTO", "off");
    process::run(&mut command)?;
    Ok(target_dir.join(host).join("release").join("libfuzzer"))
}

fn host() -> anyhow::Result<String> {
    let text = process::output(Command::new("rustc").arg("-vV"))?;
    let line = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(line.context("rustc does not name its host")?.to_owned())
}

fn run_target(binary: &Path, target: &str, executions: u64, seconds: u64) -> anyhow::Result<Row> {
    let root = workspace::root();
    let work = workspace::target_dir()?.join("fuzz-corpus").join(target);
    let crashes = workspace::target_dir()?.join("fuzz-crashes");
    std::fs::create_dir_all(&work).context("could not make the working corpus")?;
    std::fs::create_dir_all(&crashes).context("could not make the folder of crashes")?;
    let start = Instant::now();
    let mut child = Command::new(binary)
        .env("SALVE_FUZZ_TARGET", target)
        .arg(format!("-runs={executions}"))
        .arg(format!("-max_total_time={seconds}"))
        // Short inputs run many times faster, and the short form covers the long ones.
        .args(["-timeout=10", "-max_len=512", "-rss_limit_mb=2048", "-print_final_stats=1"])
        .arg(format!("-seed={SEED}"))
        .arg(format!("-artifact_prefix={}/{target}-", crashes.display()))
        .arg(&work)
        .arg(root.join("fuzz/corpus").join(target))
        .stderr(Stdio::piped())
        .spawn()
        .context("could not start libFuzzer")?;
    let done = follow(child.stderr.take().context("libFuzzer has no output")?)?;
    let status = child.wait().context("libFuzzer was lost")?;
    let word = match (status.success(), done >= executions) {
        (true, true) => "ok".to_owned(),
        (true, false) => format!("time was up after {seconds} s"),
        (false, _) => format!("BROKEN ({status}); the input is in {}", crashes.display()),
    };
    Ok(Row { target: target.to_owned(), executions: done, time: start.elapsed(), word })
}

const NOISE: &[&str] =
    &["\tNEW ", "\tREDUCE ", "\tRELOAD", "recommended dictionary", "WARNING: Failed to find"];

// Shows libFuzzer's lines, without the flood of new units and of its suggested dictionary, and
// returns the count it ends with.
fn follow(output: impl std::io::Read) -> anyhow::Result<u64> {
    use std::io::BufRead;
    let mut executions = 0;
    for line in std::io::BufReader::new(output).lines() {
        let line = line.context("could not read libFuzzer's output")?;
        if let Some(number) = line.strip_prefix("stat::number_of_executed_units:") {
            executions = number.trim().parse().context("libFuzzer counts in words")?;
        }
        let is_flood = line.starts_with('"') || NOISE.iter().any(|mark| line.contains(mark));
        if !is_flood {
            println!("{line}");
        }
    }
    Ok(executions)
}
