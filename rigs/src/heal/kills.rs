//! Heals that are killed, disturbed by their user, or on a disk that fails.
//!
//! In: a small project, faults, a seed. Out: how many runs, and every file that is not what it was, what
//! it was meant to be, or what the user wrote. Half of the heals ask a model, so that rules are learned. Never a
//! run without a check of every byte, and of what was learned: only from changes that are in the history.

use super::case::{Bench, Planted};
use super::folder::{self, Files};
use super::plant::Fault;
use super::programs;
use super::tiers::{self, Played};
use crate::corpus::Random;
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// What a series of runs came to.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Kills {
    pub(crate) runs: usize,
    /// Runs that were killed before they ended.
    pub(crate) killed: usize,
    /// Runs in which the user wrote a file meanwhile.
    pub(crate) edited: usize,
    /// Runs in which files could not grow: writes were short, and then refused.
    pub(crate) starved: usize,
    /// Runs in which calls to the disk failed.
    pub(crate) refused: usize,
    /// Runs after which the project was healed.
    pub(crate) healed: usize,
    /// Runs after which something was known that was not before.
    pub(crate) learned: usize,
}

impl Kills {
    /// Adds another series.
    pub(crate) fn add(&mut self, other: Self) {
        self.runs += other.runs;
        self.killed += other.killed;
        self.edited += other.edited;
        self.starved += other.starved;
        self.refused += other.refused;
        self.healed += other.healed;
        self.learned += other.learned;
    }
}

const PATIENCE: Duration = Duration::from_secs(120);
const HEAL: [&str; 5] = ["heal", "--no-model", "--format", "json", "--yes"];
const HEAL_BY_MODEL: [&str; 6] = ["heal", "--sources", "model", "--format", "json", "--yes"];

/// Runs a number of heals, each on one of the faults, until the time is over.
pub(crate) fn run(
    bench: &Bench,
    salve: &Path,
    faults: &[Planted],
    count: usize,
    until: Instant,
    random: &mut Random,
) -> Result<Kills> {
    let mut kills = Kills::default();
    let faults = faults.iter().map(|planted| undisturbed(bench, salve, planted));
    let faults = faults.collect::<Result<Vec<Undisturbed>>>()?;
    for _ in 0..count {
        if Instant::now() > until {
            break;
        }
        let chosen = faults.get(random.below(faults.len())).context("a fault")?;
        once(bench, chosen, random, &mut kills)
            .with_context(|| format!("run {} on {:?}", kills.runs, chosen.fault))?;
    }
    bench.reset()?;
    Ok(kills)
}

// A heal that nobody disturbs: what it takes, and what it makes.
struct Undisturbed {
    fault: Fault,
    healed: Files,
    took: Duration,
    /// A model that knows the truth.
    model: Played,
}

fn undisturbed(bench: &Bench, salve: &Path, planted: &Planted) -> Result<Undisturbed> {
    bench.reset()?;
    folder::restore(&bench.folder, &bench.with(&planted.fault)?)?;
    let took = bench.salve(&HEAL, None)?.took;
    let (fault, healed) = (planted.fault.clone(), folder::read(&bench.folder)?);
    let model = tiers::play_right(bench, salve, &fault)?;
    Ok(Undisturbed { fault, healed, took, model })
}

// A line that the user adds, and the files as they were with it.
struct Edit {
    path: String,
    text: Vec<u8>,
}

fn once(bench: &Bench, chosen: &Undisturbed, random: &mut Random, kills: &mut Kills) -> Result<()> {
    bench.reset()?;
    let before = bench.with(&chosen.fault)?;
    folder::restore(&bench.folder, &before)?;
    kills.runs += 1;
    let disk = if random.below(2) == 0 { Disk::chosen(random) } else { Disk::Sound };
    let settings = (random.below(2) == 0).then(|| chosen.model.settings());
    let mut command = disk.command(bench, settings.as_deref());
    kills.starved += usize::from(matches!(disk, Disk::Small { .. }));
    kills.refused += usize::from(matches!(disk, Disk::Refusing { .. }));
    let mut running = programs::start(&mut command)?;
    let moment = |random: &mut Random| chosen.took.mul_f64(random.below(1_100) as f64 / 1_000.0);
    let mut edit = None;
    if random.below(3) == 0 {
        std::thread::sleep(moment(random) / 2);
        edit = Some(write_as_user(bench, &before, random)?);
        kills.edited += 1;
    }
    // On a disk that fails, how it ends by itself is worth as much as how it is killed.
    if disk == Disk::Sound || random.below(2) == 0 {
        std::thread::sleep(moment(random));
        running.crash();
    }
    let ended = running.wait(PATIENCE)?;
    kills.killed += usize::from(ended.code.is_none());
    let how = |error: anyhow::Error| error.context(format!("{disk:?}"));
    check(bench, chosen, &before, edit.as_ref(), "right after").map_err(how)?;
    let again = if random.below(2) == 0 {
        bench.salve(&HEAL, None)?
    } else {
        bench.salve(&["recover"], None)?
    };
    if again.hung || again.code == Some(101) {
        bail!("{disk:?}: the next command ended with {:?}: {}", again.code, again.told);
    }
    check(bench, chosen, &before, edit.as_ref(), "after the next command").map_err(how)?;
    kills.learned += usize::from(learned(bench).map_err(how)?);
    let after = folder::read(&bench.folder)?;
    kills.healed += usize::from(after.get(&chosen.fault.path) != before.get(&chosen.fault.path));
    Ok(())
}

// Whether anything was learned: each rule and each fix that healed is from a heal whose change is in the
// history. The store opens, whatever it went through.
fn learned(bench: &Bench) -> Result<bool> {
    let asked = |words: &[&str]| -> Result<Value> {
        let ended = bench.salve(words, None)?;
        let told = ended.told.lines().last().unwrap_or_default();
        ensure!(ended.code == Some(0), "`salve {}`: {:?} {told}", words.join(" "), ended.code);
        Ok(serde_json::from_str(&ended.printed)?)
    };
    let listed = asked(&["knowledge", "list", "--format", "json"])?;
    let rows = |key: &str, of: &Value| -> Vec<Value> {
        of.get(key).and_then(Value::as_array).cloned().unwrap_or_default()
    };
    let fixes = rows("patterns", &listed).into_iter().flat_map(|one| rows("fixes", &one));
    let healed = fixes.filter(|fix| fix.get("result").is_some_and(|result| result == "success"));
    let all: Vec<Value> = rows("rules", &listed).into_iter().chain(healed).collect();
    if all.is_empty() {
        return Ok(false);
    }
    let history = asked(&["history", "--format", "json"])?.to_string();
    for one in &all {
        let origin = one.get("origin").and_then(Value::as_str).unwrap_or_default();
        let known = !origin.is_empty() && history.contains(&format!("heal {origin}:"));
        ensure!(known, "learned from a heal without a change: {one}");
    }
    Ok(true)
}

/// The disk of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Disk {
    Sound,
    /// Files cannot grow beyond a number of blocks: the write that reaches it is short, those after it
    /// fail, as on a full disk.
    Small {
        blocks: usize,
    },
    /// A call fails: once, or from then on.
    Refusing {
        call: &'static str,
        error: &'static str,
        when: usize,
        stays: bool,
    },
}

/// The calls that change something on a disk.
const CALLS: &[&str] = &[
    "write",
    "pwrite64",
    "fsync",
    "fdatasync",
    "openat",
    "rename",
    "renameat2",
    "unlink",
    "unlinkat",
    "mkdir",
    "ftruncate",
];

impl Disk {
    fn chosen(random: &mut Random) -> Self {
        if random.below(2) == 0 || !has_strace() {
            return Self::Small { blocks: 1 + random.below(400) };
        }
        // The first calls of a kind come often, the late ones seldom.
        let most = [3, 12, 60, 400][random.below(4)];
        Self::Refusing {
            call: CALLS[random.below(CALLS.len())],
            error: ["ENOSPC", "EIO"][random.below(2)],
            when: 1 + random.below(most),
            stays: random.below(2) == 0,
        }
    }

    // The heal on this disk.
    fn command(self, bench: &Bench, settings: Option<&Path>) -> Command {
        let words: &[&str] = if settings.is_some() { &HEAL_BY_MODEL } else { &HEAL };
        let inner = bench.command(words, settings);
        let (program, words) = match self {
            Self::Sound => return inner,
            Self::Small { blocks } => {
                let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
                ("sh", vec!["-c".to_owned(), script, "sh".to_owned()])
            }
            Self::Refusing { call, error, when, stays } => {
                let from = if stays { "+" } else { "" };
                let inject = format!("inject={call}:error={error}:when={when}{from}");
                let trace = format!("trace={call}");
                // What the heal starts is let go: the disk fails for the heal, not for compilers.
                let words = ["-f", "-b", "execve", "-qq", "-o", "/dev/null", "-e", &trace, "-e"];
                let words = words.into_iter().chain([inject.as_str()]);
                ("strace", words.map(str::to_owned).collect())
            }
        };
        let mut outer =
            programs::command(Path::new(program), &bench.folder, &bench.project.programs);
        outer.args(words).arg(inner.get_program()).args(inner.get_args());
        for (name, value) in inner.get_envs() {
            match value {
                Some(value) => outer.env(name, value),
                None => outer.env_remove(name),
            };
        }
        outer
    }
}

fn has_strace() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    *FOUND.get_or_init(|| xtask::process::answers(Command::new("strace").arg("--version")))
}

fn write_as_user(bench: &Bench, before: &Files, random: &mut Random) -> Result<Edit> {
    let sources = bench.sources();
    let source = sources.get(random.below(sources.len())).context("a source")?;
    let mut text = before.get(&source.path).context("its text")?.clone();
    let comment = if source.path.ends_with(".py") { "#" } else { "//" };
    text.extend(format!("{comment} the user was here: {}\n", random.below(1_000_000)).bytes());
    std::fs::write(bench.folder.join(&source.path), &text)?;
    Ok(Edit { path: source.path.clone(), text })
}

// Each file is old, healed, or the user's own; where the user wrote the file that is healed, the line is
// there in any case.
fn check(
    bench: &Bench,
    chosen: &Undisturbed,
    before: &Files,
    edit: Option<&Edit>,
    when: &str,
) -> Result<()> {
    let after = folder::read(&bench.folder)?;
    for path in folder::differences(before, &after) {
        let bytes = after.get(&path).with_context(|| format!("{path} is gone {when}"))?;
        let known = before.get(&path).with_context(|| format!("{path} is new {when}"))?;
        if let Some(edit) = edit.filter(|edit| edit.path == path) {
            let line = edit.text.get(known.len()..).unwrap_or_default();
            if bytes != &edit.text && !bytes.windows(line.len()).any(|part| part == line) {
                bail!("{path} lost what the user wrote, {when}");
            }
            continue;
        }
        if chosen.healed.get(&path) != Some(bytes) && bench.truth.get(&path) != Some(bytes) {
            bail!("{path} is neither old nor healed, {when}");
        }
    }
    match edit {
        Some(edit) if after.get(&edit.path) == before.get(&edit.path) => {
            bail!("{} lost what the user wrote, {when}", edit.path)
        }
        _ => Ok(()),
    }
}
