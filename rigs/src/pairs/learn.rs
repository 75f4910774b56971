//! `cargo xtask pairs --learn`: rules learned from one half of the pairs, healing the other half.
//!
//! In: the pairs of one set. Out: over random splits how many programs of the half that was not learned
//! from the tool passes within the limit of tries, and how many of those are the human's fix but for
//! white space; with `--curve` the same when only a part of the half is learned from; with the fixers
//! alone for comparison. Learning and recall are the product's own, with a store, and so is the order: what
//! fixers propose, then what rules do. What the tool says of a text is kept, so that a text is checked once.
//! Never shows the learner anything of the half that is healed.

use super::tool::{Place, Tool};
use super::{Checked, Files, Pair, plain};
use salve_engine::facts::TextRedactor;
use salve_engine::heal::fixers::propose;
use salve_engine::heal::{Fix, FixSource, Patch};
use salve_engine::knowledge::{FixExample, Remembering, recall};
use salve_store::{KnowledgeScope, Store, StoreOptions};
use salve_types::{Diagnostic, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio::runtime::Runtime;

/// What is asked of a run.
pub(crate) struct Learning {
    pub(crate) splits: usize,
    pub(crate) seed: u64,
    pub(crate) curve: bool,
    pub(crate) tries: usize,
    pub(crate) jobs: usize,
    pub(crate) show: bool,
    pub(crate) cache: Option<PathBuf>,
    pub(crate) tools: Option<PathBuf>,
}

/// A pair that this machine's tool judges like the set does.
struct Ready<'a> {
    pair: &'a Pair,
    place: Place,
    example: FixExample,
    broken: Checked,
    proposed: Vec<Fix>,
}

/// How the programs of one half ended.
#[derive(Debug, Default, Clone, Copy)]
struct Rates {
    measured: usize,
    healed: usize,
    equal: usize,
    worse: usize,
    tried: usize,
    // At which place of the first list the human's fix is: first, among the first five, anywhere.
    first: usize,
    few: usize,
    listed: usize,
}

impl Rates {
    fn add(&mut self, other: Self) {
        self.measured += other.measured;
        self.healed += other.healed;
        self.equal += other.equal;
        self.worse += other.worse;
        self.tried += other.tried;
        self.first += other.first;
        self.few += other.few;
        self.listed += other.listed;
    }

    fn share(self, part: usize) -> f64 {
        100.0 * part as f64 / self.measured.max(1) as f64
    }
}

/// What a tool said of texts, kept for the run and, where a file is named, for the next.
struct Cache {
    known: Mutex<HashMap<String, (bool, Vec<Diagnostic>)>>,
    file: Option<Mutex<std::fs::File>>,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    key: String,
    passed: bool,
    diagnostics: Vec<Diagnostic>,
}

impl Cache {
    fn open(path: Option<&PathBuf>) -> anyhow::Result<Self> {
        let mut known = HashMap::new();
        let mut file = None;
        if let Some(path) = path {
            for line in std::fs::read_to_string(path).unwrap_or_default().lines() {
                if let Ok(entry) = serde_json::from_str::<Entry>(line) {
                    known.insert(entry.key, (entry.passed, entry.diagnostics));
                }
            }
            let opened = std::fs::OpenOptions::new().create(true).append(true).open(path)?;
            file = Some(Mutex::new(opened));
        }
        Ok(Self { known: Mutex::new(known), file })
    }

    fn check(&self, tool: Tool, ready: &Place, id: &str, text: &str) -> anyhow::Result<Checked> {
        let key = format!("{id}\0{text}");
        let key = blake3::hash(key.as_bytes()).to_hex().to_string();
        let known =
            self.known.lock().map_err(|_| anyhow::anyhow!("a worker panicked"))?.get(&key).cloned();
        let (passed, diagnostics) = match known {
            Some(known) => known,
            None => {
                let (passed, diagnostics) = ready.check(&ready.files(text))?;
                let entry = Entry { key: key.clone(), passed, diagnostics: diagnostics.clone() };
                if let Some(file) = &self.file
                    && let Ok(mut file) = file.lock()
                {
                    writeln!(file, "{}", serde_json::to_string(&entry)?)?;
                }
                if let Ok(mut known) = self.known.lock() {
                    known.insert(key, (passed, diagnostics.clone()));
                }
                (passed, diagnostics)
            }
        };
        let errors = diagnostics.iter().filter(|one| tool.counts(one.severity)).count();
        // Errors first: they are what is fixed.
        let mut sorted = diagnostics;
        sorted.sort_by_key(|one| !tool.counts(one.severity));
        Ok(Checked { passed: passed && errors == 0, errors, diagnostics: sorted })
    }
}

/// Learns from one half, heals the other, and prints the rates.
pub(crate) fn run(tool: Tool, pairs: &[Pair], learning: &Learning) -> anyhow::Result<usize> {
    let cache = Cache::open(learning.cache.as_ref())?;
    let ready = prepare(tool, pairs, learning, &cache)?;
    println!("{}: {} pairs, {} left out", tool.set(), ready.len(), pairs.len() - ready.len());
    println!(
        "{:<26} {:>7} {:>15} {:>15} {:>6} {:>6}  place of the human's fix: 1st, 1-5, listed",
        "learned from", "healed", "mean (min-max)", "equal", "worse", "tries"
    );
    let parts: &[f64] = if learning.curve { &[0.1, 0.5, 1.0] } else { &[1.0] };
    let mut worse = 0;
    worse += measured("nothing: fixers alone", tool, &ready, learning, &cache, None)?;
    for part in parts {
        let name = format!("{:.0} % of a half", part * 100.0);
        worse += measured(&name, tool, &ready, learning, &cache, Some(*part))?;
    }
    Ok(worse)
}

fn prepare<'a>(
    tool: Tool,
    pairs: &'a [Pair],
    learning: &Learning,
    cache: &Cache,
) -> anyhow::Result<Vec<Ready<'a>>> {
    let found = Mutex::new(BTreeMap::new());
    in_parallel(learning.jobs, pairs.len(), |at| {
        let pair = &pairs[at];
        let place = tool.place(pair, learning.tools.as_deref())?;
        let fixed = cache.check(tool, &place, &pair.id, &pair.fixed)?;
        let broken = cache.check(tool, &place, &pair.id, &pair.broken)?;
        if !fixed.passed || broken.passed {
            return Ok(());
        }
        let proposed = propose(&broken.diagnostics, &Files(place.files(&pair.broken)));
        let example = FixExample {
            language: None,
            path: place.file().to_owned(),
            before: pair.broken.clone(),
            after: pair.fixed.clone(),
            diagnostics: broken.diagnostics.clone(),
        };
        if let Ok(mut found) = found.lock() {
            found.insert(at, Ready { pair, place, example, broken, proposed });
        }
        Ok(())
    })?;
    let found = found.into_inner().map_err(|_| anyhow::anyhow!("a worker panicked"))?;
    Ok(found.into_values().collect())
}

fn in_parallel(
    jobs: usize,
    count: usize,
    work: impl Fn(usize) -> anyhow::Result<()> + Sync,
) -> anyhow::Result<()> {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs.max(1))
            .map(|_| {
                scope.spawn(|| -> anyhow::Result<()> {
                    loop {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        if at >= count {
                            return Ok(());
                        }
                        work(at)?;
                    }
                })
            })
            .collect();
        for worker in workers {
            worker.join().map_err(|_| anyhow::anyhow!("a worker panicked"))??;
        }
        Ok(())
    })
}

fn measured(
    name: &str,
    tool: Tool,
    ready: &[Ready<'_>],
    learning: &Learning,
    cache: &Cache,
    part: Option<f64>,
) -> anyhow::Result<usize> {
    let mut all: Vec<Rates> = Vec::new();
    for split in 0..learning.splits {
        let mut random = fastrand::Rng::with_seed(learning.seed.wrapping_add(split as u64));
        let mut order: Vec<usize> = (0..ready.len()).collect();
        random.shuffle(&mut order);
        let (learned, healed) = order.split_at(order.len() / 2);
        let memory = match part {
            Some(part) => {
                let learned = &learned[..(learned.len() as f64 * part).round() as usize];
                Some(Memory::taught(ready, learned)?)
            }
            None => None,
        };
        let rates = Mutex::new(Rates::default());
        in_parallel(learning.jobs, healed.len(), |at| {
            let one = heal(tool, &ready[healed[at]], memory.as_ref(), learning, cache)?;
            if let Ok(mut rates) = rates.lock() {
                rates.add(one);
            }
            Ok(())
        })?;
        all.push(rates.into_inner().map_err(|_| anyhow::anyhow!("a worker panicked"))?);
    }
    let mean = |part: fn(&Rates) -> usize| {
        all.iter().map(|one| one.share(part(one))).sum::<f64>() / all.len().max(1) as f64
    };
    let range = |part: fn(&Rates) -> usize| {
        let shares = all.iter().map(|one| one.share(part(one)));
        let (least, most) = shares
            .fold((100.0_f64, 0.0_f64), |(least, most), share| (least.min(share), most.max(share)));
        format!("{:.1} ({least:.1}-{most:.1})", mean(part))
    };
    let worse: usize = all.iter().map(|one| one.worse).sum();
    println!(
        "{name:<26} {:>6.1}% {:>15} {:>15} {worse:>6} {:>6.2}  {:.1} {:.1} {:.1}",
        mean(|one| one.healed),
        range(|one| one.healed),
        range(|one| one.equal),
        mean(|one| one.tried) / 100.0,
        mean(|one| one.first),
        mean(|one| one.few),
        mean(|one| one.listed),
    );
    Ok(worse)
}

/// What was learned, as the product keeps it.
struct Memory {
    runtime: Runtime,
    store: Store,
}

impl Memory {
    fn taught(ready: &[Ready<'_>], learned: &[usize]) -> anyhow::Result<Self> {
        let runtime = Runtime::new()?;
        let redactor = Arc::new(TextRedactor::default());
        let options = StoreOptions::new(Arc::new(|| Timestamp(1_000)), redactor, "pairs");
        let store = runtime.block_on(Store::memory(options))?;
        let (workspace, scope) = ("/pairs", KnowledgeScope::Private);
        let remembering = Remembering { store: &store, heal: "learn", workspace, scope };
        for &at in learned {
            runtime.block_on(remembering.learn_from(&ready[at].example))?;
        }
        Ok(Self { runtime, store })
    }

    fn fixes(&self, diagnostics: &[Diagnostic], files: &Files) -> anyhow::Result<Vec<Fix>> {
        let asked = recall(&self.store, FixSource::Rule, "/pairs", &[], diagnostics);
        Ok(self.runtime.block_on(asked)?.fixes(FixSource::Rule, diagnostics, files))
    }
}

fn heal(
    tool: Tool,
    ready: &Ready<'_>,
    memory: Option<&Memory>,
    learning: &Learning,
    cache: &Cache,
) -> anyhow::Result<Rates> {
    let mut rates = Rates { measured: 1, ..Rates::default() };
    let file = ready.place.file();
    let mut files = Files(ready.place.files(&ready.pair.broken));
    let mut now = Checked {
        passed: false,
        errors: ready.broken.errors,
        diagnostics: ready.broken.diagnostics.clone(),
    };
    let wanted = plain(&ready.pair.fixed);
    let mut seen: HashSet<String> = HashSet::from([ready.pair.broken.clone()]);
    let mut is_first = true;
    let mut story = Vec::new();
    'states: while rates.tried < learning.tries {
        let proposed =
            if is_first { ready.proposed.clone() } else { propose(&now.diagnostics, &files) };
        let mut fixes: Vec<Fix> =
            proposed.into_iter().filter(|fix| fix.commands.is_empty()).collect();
        if let Some(memory) = memory {
            fixes.extend(memory.fixes(&now.diagnostics, &files)?);
        }
        let mut place = 0;
        for fix in fixes {
            let Ok(patch) = Patch::default().with(&fix.changes, &files) else {
                anyhow::bail!("{}: a fix of {} does not fit", ready.pair.id, fix.author);
            };
            let Some(Some(text)) = patch.files.get(file) else { continue };
            if !seen.insert(text.clone()) {
                continue;
            }
            place += 1;
            if is_first && plain(text) == wanted {
                rates.first += usize::from(place == 1);
                rates.few += usize::from(place <= learning.tries);
                rates.listed += 1;
            }
            if rates.tried >= learning.tries {
                continue;
            }
            rates.tried += 1;
            let after = cache.check(tool, &ready.place, &ready.pair.id, text)?;
            story.push(format!("{} [{}]", fix.author, fix.description));
            if after.passed || (after.errors < now.errors && after.errors > 0) {
                files = Files(ready.place.files(text));
                now = after;
                is_first = false;
                if now.passed {
                    break 'states;
                }
                continue 'states;
            }
        }
        break;
    }
    let text = files.0.get(file).map(String::as_str).unwrap_or_default();
    rates.healed = usize::from(now.passed);
    rates.equal = usize::from(now.passed && plain(text) == wanted);
    rates.worse = usize::from(now.errors > ready.broken.errors);
    if learning.show && memory.is_some() && rates.equal == 0 {
        report(ready, text, now.passed, &story);
    }
    Ok(rates)
}

// What a person needs to see of a program that was not healed, or not as the human did it.
fn report(ready: &Ready<'_>, text: &str, healed: bool, story: &[String]) {
    let word = if healed { "differs" } else { "not healed" };
    let said = ready.broken.diagnostics.first();
    let line =
        said.and_then(|one| one.primary()).and_then(|span| span.start).map_or(0, |at| at.line);
    let message = said.map_or("", |one| one.message.as_str());
    let mut out =
        format!("== {word}: {} {} line {line}: {message}\n", ready.pair.id, ready.broken.errors);
    for (broken, fixed) in ready.pair.broken.lines().zip(ready.pair.fixed.lines()) {
        if broken != fixed {
            out += &format!("   - {}\n   + {}\n", broken.trim(), fixed.trim());
            break;
        }
    }
    let ours = text.lines().zip(ready.pair.broken.lines()).find(|(one, other)| one != other);
    out +=
        &format!("   ours {:?}\n   tried {}\n", ours.map(|(one, _)| one.trim()), story.join(" | "));
    print!("{out}");
}
