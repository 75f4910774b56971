//! `cargo xtask pairs`: broken programs and the fixers alone, verified by the real tools.
//!
//! In: the `pairs-*.jsonl` of the cases folder and the compilers of this machine (`--tools FOLDER` names
//! the folder whose `node_modules` has tsc and eslint). Out: for each set how many the tool passes
//! afterwards, how many of those are the human's fix but for white space, and how many fixes were tried.
//! With `--learn` the same with rules learned from one half of a set, on the other half.
//! Never counts a program whose own fix the tool of this machine does not pass.

mod learn;
mod tool;

use anyhow::{Context, bail};
use salve_engine::heal::fixers::propose;
use salve_engine::heal::{Patch, Sources};
use salve_types::{Diagnostic, Severity};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use tool::Tool;
use xtask::{Flags, workspace};

// The most fixes that are tried for one state of a program, and the most states that are gone through.
const TRIED: usize = 40;
const STATES: usize = 8;

/// One broken program.
#[derive(Debug, Deserialize)]
pub(crate) struct Pair {
    pub(crate) id: String,
    pub(crate) broken: String,
    pub(crate) fixed: String,
    #[serde(flatten)]
    pub(crate) more: BTreeMap<String, Value>,
}

struct Files(BTreeMap<String, String>);

impl Sources for Files {
    fn read(&self, path: &str) -> Option<String> {
        self.0.get(path).cloned()
    }

    fn list(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }
}

#[derive(Default, Clone, Copy)]
struct Counts {
    measured: usize,
    unusable: usize,
    healed: usize,
    equal: usize,
    worse: usize,
    tried: usize,
}

struct Settings {
    tools: Option<PathBuf>,
    show: bool,
    n: usize,
    only: Option<String>,
}

/// Heals every pair of every set with the fixers alone.
pub(crate) fn run(flags: &mut Flags) -> anyhow::Result<()> {
    let set: Option<String> = flags.value("--set")?;
    let settings = Settings {
        tools: flags.value("--tools")?,
        show: flags.switch("--show"),
        n: flags.value("--n")?.unwrap_or(usize::MAX),
        only: flags.value("--only")?,
    };
    let jobs: usize = flags.value("--jobs")?.unwrap_or(2);
    let learns = flags.switch("--learn");
    let learning = learn::Learning {
        splits: flags.value("--splits")?.unwrap_or(10),
        seed: flags.value("--seed")?.unwrap_or(1),
        curve: flags.switch("--curve"),
        tries: flags.value("--tries")?.unwrap_or(5),
        cache: flags.value("--cache")?,
        jobs,
        show: settings.show,
        tools: settings.tools.clone(),
    };
    flags.finish()?;
    let Some(folder) = workspace::cases() else {
        println!("skipped: no cases folder: neither SALVE_CASES nor ../shared/cases");
        return Ok(());
    };
    if learns {
        let mut worse = 0;
        for tool in
            Tool::ALL.into_iter().filter(|tool| set.as_deref().is_none_or(|set| set == tool.set()))
        {
            let pairs = read(&folder, tool)?;
            worse += learn::run(tool, &spread(pairs, settings.n), &learning)?;
        }
        if worse > 0 {
            bail!("{worse} programs were left worse");
        }
        return Ok(());
    }
    println!(
        "{:<12} {:>8} {:>8} {:>7} {:>7} {:>6} {:>7}",
        "set", "measured", "healed", "share", "equal", "worse", "tried"
    );
    let mut worse = 0;
    for tool in
        Tool::ALL.into_iter().filter(|tool| set.as_deref().is_none_or(|set| set == tool.set()))
    {
        let pairs = read(&folder, tool)?;
        let counts = measure(tool, &pairs, &settings, jobs)?;
        let share = |part: usize| 100.0 * part as f64 / counts.measured.max(1) as f64;
        println!(
            "{:<12} {:>8} {:>8} {:>6.1}% {:>6.1}% {:>6} {:>7}",
            tool.set(),
            counts.measured,
            counts.healed,
            share(counts.healed),
            share(counts.equal),
            counts.worse,
            counts.tried
        );
        if counts.unusable > 0 {
            println!(
                "{:<12} {} left out: this machine's tool does not pass their fix, or passes the broken text",
                "", counts.unusable
            );
        }
        worse += counts.worse;
    }
    if worse > 0 {
        bail!("{worse} programs were left worse");
    }
    Ok(())
}

// So many pairs from all over the set: neighbours are often of one kind.
fn spread(pairs: Vec<Pair>, wanted: usize) -> Vec<Pair> {
    let count = pairs.len();
    let is_taken = |at: usize| at * wanted.min(count) % count < wanted.min(count);
    pairs.into_iter().enumerate().filter(|(at, _)| is_taken(*at)).map(|(_, pair)| pair).collect()
}

fn read(folder: &std::path::Path, tool: Tool) -> anyhow::Result<Vec<Pair>> {
    let path = folder.join(format!("pairs-{}.jsonl", tool.set()));
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("could not read {}", path.display()))?;
    Ok(text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

fn measure(tool: Tool, pairs: &[Pair], settings: &Settings, jobs: usize) -> anyhow::Result<Counts> {
    let next = AtomicUsize::new(0);
    let all = Mutex::new(Counts::default());
    let wanted: Vec<&Pair> = pairs
        .iter()
        .filter(|pair| settings.only.as_deref().is_none_or(|only| pair.id.contains(only)))
        .take(settings.n)
        .collect();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs.max(1))
            .map(|_| {
                scope.spawn(|| -> anyhow::Result<()> {
                    while let Some(pair) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let one = heal(tool, pair, settings)?;
                        if let Ok(mut all) = all.lock() {
                            all.measured += one.measured;
                            all.unusable += one.unusable;
                            all.healed += one.healed;
                            all.equal += one.equal;
                            all.worse += one.worse;
                            all.tried += one.tried;
                        }
                    }
                    Ok(())
                })
            })
            .collect();
        for worker in workers {
            worker.join().map_err(|_| anyhow::anyhow!("a worker panicked"))??;
        }
        anyhow::Ok(())
    })?;
    Ok(*all.lock().map_err(|_| anyhow::anyhow!("a worker panicked"))?)
}

fn heal(tool: Tool, pair: &Pair, settings: &Settings) -> anyhow::Result<Counts> {
    let mut counts = Counts::default();
    let place = tool.place(pair, settings.tools.as_deref())?;
    let fails = |checked: &Checked| checked.errors > 0 || !checked.passed;
    let check = |files: &Files| -> anyhow::Result<Checked> {
        let (passed, diagnostics) = place.check(&files.0)?;
        let errors = diagnostics.iter().filter(|one| tool.counts(one.severity)).count();
        Ok(Checked { passed: passed && errors == 0, errors, diagnostics })
    };
    let file = place.file().to_owned();
    let mut files = Files(place.files(&pair.fixed));
    if fails(&check(&files)?) {
        counts.unusable = 1;
        return Ok(counts);
    }
    files = Files(place.files(&pair.broken));
    let first = check(&files)?;
    if !fails(&first) {
        counts.unusable = 1;
        return Ok(counts);
    }
    counts.measured = 1;
    let mut now = first;
    let began = now.errors;
    let mut seen: HashSet<String> = HashSet::new();
    'states: for _ in 0..STATES {
        for fix in propose(&now.diagnostics, &files).into_iter().take(TRIED) {
            if !fix.commands.is_empty() {
                continue;
            }
            let Ok(patch) = Patch::default().with(&fix.changes, &files) else {
                bail!("{}: a fix of {} does not fit", pair.id, fix.author);
            };
            if !seen.insert(patch.hash()) {
                continue;
            }
            let mut candidate = files.0.clone();
            for (path, text) in patch.files {
                candidate.extend(text.map(|text| (path, text)));
            }
            let candidate = Files(candidate);
            counts.tried += 1;
            let after = check(&candidate)?;
            if !fails(&after) || after.errors < now.errors && after.errors > 0 {
                if settings.show && fails(&after) {
                    println!(
                        "  {}: {} -> {} by {}: {}",
                        pair.id, now.errors, after.errors, fix.author, fix.description
                    );
                }
                (files, now) = (candidate, after);
                if !fails(&now) {
                    counts.healed = 1;
                    if settings.show {
                        println!("  {}: healed by {}: {}", pair.id, fix.author, fix.description);
                    }
                    break 'states;
                }
                continue 'states;
            }
        }
        break;
    }
    let text = files.0.get(&file).cloned().unwrap_or_default();
    counts.equal = usize::from(counts.healed == 1 && plain(&text) == plain(&pair.fixed));
    counts.worse = usize::from(now.errors > began);
    if settings.show && (counts.healed == 0 || counts.equal == 0) {
        report(tool, pair, &text, &now, counts.healed == 1);
    }
    Ok(counts)
}

struct Checked {
    passed: bool,
    errors: usize,
    diagnostics: Vec<Diagnostic>,
}

fn plain(text: &str) -> String {
    text.chars().filter(|one| !one.is_whitespace()).collect()
}

// What a person needs to see of a program that was not healed, or not as the human did it.
fn report(tool: Tool, pair: &Pair, text: &str, now: &Checked, healed: bool) {
    let word = if healed { "differs" } else { "not healed" };
    println!("== {word}: {}", pair.id);
    for one in now.diagnostics.iter().filter(|one| tool.counts(one.severity)).take(2) {
        let place = one.primary().and_then(|span| span.start);
        let place = place.map_or(String::new(), |at| format!("{}:{}", at.line, at.column));
        println!("   {place} {} {:?}", one.message, one.hints);
    }
    let (ours, theirs): (Vec<&str>, Vec<&str>) =
        (text.lines().collect(), pair.fixed.lines().collect());
    let common = ours.iter().zip(&theirs).take_while(|(one, other)| one == other).count();
    for (mark, lines) in [("-", &ours), ("+", &theirs)] {
        lines.iter().skip(common).take(2).for_each(|line| println!("   {mark} {line}"));
    }
}

/// The severities that make a check of this kind fail.
pub(crate) const fn is_error(severity: Severity) -> bool {
    matches!(severity, Severity::Error)
}
