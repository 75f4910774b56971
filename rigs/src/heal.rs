//! `cargo xtask heal-bench`: real projects broken by a seeded program, and what a heal makes of them.
//!
//! In: packages of the registries, a seed. Out: one table of what was planted, healed, equal to the truth,
//! left red, weakened and undone; scripted models of three tiers; heals that are killed. Never fails for a
//! rate: it fails for a tree changed and red, a weakened check, an undo that is not exact, a lost byte.

pub(crate) mod case;
pub(crate) mod folder;
mod kills;
mod plant;
pub(crate) mod programs;
pub(crate) mod projects;
mod rename;
mod table;
mod taught;
mod tiers;
mod tiny;
mod tokens;

use crate::corpus::Random;
use crate::product;
use anyhow::{Context, Result, bail};
use case::{Bench, Planted, Renamed, Sources};
use kills::Kills;
use plant::Class;
use projects::Project;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use table::Case;
use taught::Tried;
use tiers::Asked;
use xtask::{Flags, Outcome, workspace};

/// What a run is to do.
#[derive(Debug, Clone)]
struct Plan {
    seed: u64,
    faults: usize,
    /// Cases for the models alone.
    cases: usize,
    kills: usize,
    minutes: u64,
    /// Whether one part has all of the time.
    is_part: bool,
    show: bool,
}

impl Plan {
    /// Returns when a part that begins now is to end: its share of the time, in hundredths.
    fn until(&self, share: u64) -> Instant {
        let share = if self.is_part { 100 } else { share };
        Instant::now() + Duration::from_secs(self.minutes * 60 * share / 100)
    }

    /// The same for the faults of the projects, of which what is learned elsewhere has the rest.
    fn until_faults(&self, share: u64) -> Instant {
        let now = Instant::now();
        now + self.until(share).duration_since(now) * 7 / 10
    }
}

/// Runs the full form.
pub(crate) fn run(flags: &mut Flags) -> Result<()> {
    let minutes: u64 = flags.value("--minutes")?.unwrap_or(72);
    let only: Option<String> = flags.value("--only")?;
    let plan = Plan {
        seed: flags.value("--seed")?.unwrap_or(1),
        faults: flags.value("--faults")?.unwrap_or(220),
        cases: flags.value("--cases")?.unwrap_or(300),
        kills: flags.value("--runs")?.or(flags.value("--kills")?).unwrap_or(1_000),
        minutes,
        is_part: only.is_some(),
        show: flags.switch("--show"),
    };
    let project: Option<String> = flags.value("--project")?;
    flags.finish()?;
    let wanted = |part: &str| only.as_deref().is_none_or(|only| only == part);
    let salve = product::salve()?;
    let mut wrong = Vec::new();
    if wanted("projects") {
        let root = workspace::target_dir()?.join("heal-bench");
        std::fs::create_dir_all(&root)?;
        let (mut projects, notes) = projects::fetch_all(&root);
        notes.iter().for_each(|note| println!("{note}"));
        projects.retain(|one| {
            let named = |names: &String| names.split(',').any(|name| name == one.name);
            project.as_ref().is_none_or(named)
        });
        wrong.extend(on_projects(&projects, &salve, &plan)?);
    }
    let root = tempfile::tempdir()?;
    let tiny = tiny::all(root.path())?;
    if wanted("tiers") {
        wrong.extend(on_models(&tiny, &salve, &plan)?);
    }
    if wanted("kills") {
        let kills = on_kills(&tiny, &salve, &plan)?;
        println!("{}", in_words(kills));
    }
    wrong.iter().for_each(|line| println!("WRONG {line}"));
    if wrong.is_empty() { Ok(()) } else { bail!("{} things that must never happen", wrong.len()) }
}

/// Runs the form that is a step of the tests: two small projects, a few faults, forty kills.
pub(crate) fn short() -> Result<Outcome> {
    let salve = product::salve()?;
    let plan =
        Plan { seed: 1, faults: 10, cases: 6, kills: 40, minutes: 10, is_part: false, show: true };
    let root = tempfile::tempdir()?;
    let tiny = tiny::two(root.path())?;
    let mut wrong = on_projects(&tiny, &salve, &plan)?;
    wrong.extend(on_models(&tiny, &salve, &plan)?);
    let kills = on_kills(&tiny, &salve, &plan)?;
    match wrong.first() {
        Some(first) => bail!("{first}"),
        None => Ok(Outcome::Passed(in_words(kills))),
    }
}

fn in_words(kills: Kills) -> String {
    format!(
        "{} heals: {} killed, {} with edits by the user, {} without room, {} refused by the disk, {} healed; \
         0 bytes lost; {} learned from, each from a change in the history",
        kills.runs,
        kills.killed,
        kills.edited,
        kills.starved,
        kills.refused,
        kills.healed,
        kills.learned
    )
}

// Faults of a project: the classes in turn, from another one in each project, so that a small number has
// many of them.
fn quotas(count: usize, random: &Random) -> Vec<(Class, usize)> {
    let classes = Class::ALL.len();
    let first = random.for_name("classes").below(classes);
    let shares = Class::ALL.into_iter().cycle().skip(first).take(classes).enumerate();
    shares
        .map(|(place, class)| (class, count / classes + usize::from(place < count % classes)))
        .collect()
}

// Two at a time, as there are cores on the machine that this is measured on.
fn in_pairs<T: Sync>(items: &[T], work: impl Fn(&T) -> Result<()> + Sync) -> Result<()> {
    let next = Mutex::new(items.iter());
    let failed = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let item = next.lock().ok().and_then(|mut next| next.next());
                    let Some(item) = item else { break };
                    if let (Err(error), Ok(mut slot)) = (work(item), failed.lock()) {
                        *slot = Some(error);
                    }
                }
            });
        }
    });
    failed.into_inner().ok().flatten().map_or(Ok(()), Err)
}

/// The share of the projects in the time of a run.
const PROJECTS: u64 = 68;

fn on_projects(projects: &[Project], salve: &Path, plan: &Plan) -> Result<Vec<String>> {
    let (until, end) = (plan.until_faults(PROJECTS), plan.until(PROJECTS));
    let tried = Mutex::new(Vec::new());
    let notes = Mutex::new(Vec::new());
    // A language has fewer classes than there are, and some places are seen by no test.
    let each = (plan.faults * 5 / 4).div_ceil(projects.len().max(1));
    in_pairs(projects, |project| {
        let bench = match Bench::open(project, salve, tempfile::tempdir()?) {
            Ok(bench) => bench,
            Err(error) => {
                note(&notes, format!("skipped: {}: {error:#}", project.name));
                return Ok(());
            }
        };
        let cases = on_project(&bench, salve, plan, each, until, &notes)?;
        if let Ok(mut tried) = tried.lock() {
            tried.push(Tried { bench, cases });
        }
        Ok(())
    })?;
    let mut tried: Vec<Tried> = tried.into_inner().unwrap_or_default();
    tried.sort_by(|one, other| one.bench.project.name.cmp(&other.bench.project.name));
    let taught = taught::run(&mut tried, salve, plan, end, &notes)?;
    let cases: Vec<Case> = tried.into_iter().flat_map(|one| one.cases).collect();
    notes.into_inner().unwrap_or_default().iter().for_each(|note| println!("{note}"));
    let used: BTreeSet<&str> = cases.iter().map(|case| case.project.as_str()).collect();
    println!("{} faults in {} projects, seed {}", cases.len(), used.len(), plan.seed);
    table::print(&cases);
    taught::print(&taught, &cases);
    Ok(cases.iter().flat_map(Case::wrong).collect())
}

fn on_project(
    bench: &Bench,
    salve: &Path,
    plan: &Plan,
    each: usize,
    until: Instant,
    notes: &Mutex<Vec<String>>,
) -> Result<Vec<Case>> {
    let random = Random::new(plan.seed).for_name(&bench.project.name);
    let mut cases = Vec::new();
    for (class, count) in quotas(each, &random) {
        for planted in bench.faults(class, count, &random)? {
            if Instant::now() > until {
                note(notes, format!("{}: the time is over", bench.project.name));
                return Ok(cases);
            }
            let case = one_case(bench, salve, planted, &random)?;
            show(&case, plan);
            cases.push(case);
        }
    }
    Ok(cases)
}

fn note(notes: &Mutex<Vec<String>>, words: String) {
    if let Ok(mut notes) = notes.lock() {
        notes.push(words);
    }
}

fn one_case(bench: &Bench, salve: &Path, planted: Planted, random: &Random) -> Result<Case> {
    let free = bench.heal(&planted.fault, Sources::Free)?;
    let (tiers, again) = match free.green {
        true => (None, None),
        false => {
            let seed = random.for_name(&format!("{}{}", planted.fault.path, planted.fault.at));
            let played = tiers::play(bench, salve, &planted.fault, &seed)?;
            // Half of them among other names too: each such name is proved by a check of its own.
            let renames = seed.for_name("names").below(2) == 0;
            let settings = played.settings();
            let (healed, again) = bench.heal_again(&planted.fault, &settings, renames)?;
            (Some((healed, played.asked()?)), again)
        }
    };
    let (project, language) = (bench.project.name.clone(), bench.project.language);
    Ok(Case { project, language, planted, free, tiers, again, taught: None })
}

fn show(case: &Case, plan: &Plan) {
    if !plan.show {
        return;
    }
    let fault = &case.planted.fault;
    let with = case.tiers.as_ref().map_or_else(String::new, |(healed, asked)| {
        format!("; with tiers {} after {} calls", healed.outcome, asked.calls)
    });
    let again = case.again.as_ref().map_or_else(String::new, |again| {
        let renamed = match &again.renamed {
            Renamed::NotTried => String::new(),
            Renamed::NoName => "; no name to change".to_owned(),
            Renamed::Healed(healed) => format!("; renamed {}", made(healed)),
        };
        format!("; again {}{renamed}", made(&again.moved))
    });
    println!(
        "{} {} {:?} {} ({}) {}@{}: {:?} for {:?}: free {}{}{with}{again} in {:.1} s",
        case.project,
        case.language.name(),
        case.planted.verdict,
        fault.class.name(),
        fault.kind,
        fault.path,
        fault.at,
        fault.new,
        fault.old,
        case.free.outcome,
        if case.free.green && !case.free.equal { ", not the truth" } else { "" },
        case.free.took.as_secs_f64(),
    );
    for healed in [Some(&case.free), case.tiers.as_ref().map(|(healed, _)| healed)] {
        healed.filter(|healed| !healed.green).into_iter().for_each(tell);
    }
}

fn made(healed: &case::Healed) -> String {
    let source = healed.report.get("source").and_then(serde_json::Value::as_str);
    format!("{} by {}", healed.outcome, source.unwrap_or("nothing"))
}

// Why it was not healed, in the product's own words.
fn tell(healed: &case::Healed) {
    let story = healed.report.get("story").and_then(serde_json::Value::as_array);
    for line in story.into_iter().flatten().filter_map(serde_json::Value::as_str).take(6) {
        println!("    {line}");
    }
    if let Some(detail) = healed.report.get("detail").filter(|_| healed.outcome == "Paused") {
        println!("    {detail}");
    }
    if healed.report.is_null() {
        println!("    {}", healed.words.lines().last().unwrap_or_default());
    }
}

fn on_models(tiny: &[Project], salve: &Path, plan: &Plan) -> Result<Vec<String>> {
    let until = plan.until(14);
    let results: Mutex<Vec<(case::Healed, Asked, String)>> = Mutex::default();
    let each = plan.cases.div_ceil(tiny.len().max(1));
    in_pairs(tiny, |project| {
        let bench = Bench::open(project, salve, tempfile::tempdir()?)?;
        let random = Random::new(plan.seed).for_name(&project.name);
        let mut faults = Vec::new();
        for (class, count) in quotas(each, &random) {
            faults.extend(bench.faults(class, count, &random)?);
        }
        for number in 0..each {
            // A fault comes again with other answers where the project has no more places.
            let Some(planted) = faults.get(number % faults.len().max(1)) else { break };
            if Instant::now() > until {
                break;
            }
            let seed = random.for_name(&format!("case {number}"));
            let played = tiers::play(&bench, salve, &planted.fault, &seed)?;
            let healed = bench.heal(&planted.fault, Sources::Models(&played.settings()))?;
            let words = format!("case {number} of {}: {:?}", project.name, planted.fault);
            if plan.show {
                println!("{words}: {} after {:?}", healed.outcome, played.asked()?.by_tier);
                if !healed.green {
                    tell(&healed);
                }
            }
            if let Ok(mut results) = results.lock() {
                results.push((healed, played.asked()?, words));
            }
        }
        Ok(())
    })?;
    let results = results.into_inner().unwrap_or_default();
    let solved = results.iter().filter(|(healed, ..)| healed.green).count();
    let others = results.iter().filter(|(healed, ..)| healed.green && !healed.equal);
    println!(
        "models alone: {solved} of {} solved, {} % (target 98 %)",
        results.len(),
        table::percent(solved, results.len())
    );
    table::cost(&results.iter().map(|(_, asked, _)| *asked).collect::<Vec<_>>());
    let mut wrong: Vec<String> =
        others.map(|(.., words)| format!("another program was accepted: {words}")).collect();
    for (healed, asked, words) in &results {
        if healed.red || healed.weakened || healed.undone == Some(false) {
            wrong.push(format!("red, weakened or not undone: {words}"));
        }
        if asked.tokens > BUDGET {
            wrong.push(format!("{} tokens, more than the budget: {words}", asked.tokens));
        }
    }
    Ok(wrong)
}

/// Tokens of one heal, prompts and answers.
const BUDGET: u64 = 50_000;

fn on_kills(tiny: &[Project], salve: &Path, plan: &Plan) -> Result<Kills> {
    let until = plan.until(18);
    let total = Mutex::new(Kills::default());
    let each = plan.kills.div_ceil(tiny.len().max(1));
    in_pairs(tiny, |project| {
        let bench = Bench::open(project, salve, tempfile::tempdir()?)?;
        let mut random = Random::new(plan.seed).for_name("kills").for_name(&project.name);
        let mut faults = Vec::new();
        for class in [Class::MisspeltName, Class::LostToken, Class::LostImport] {
            faults.extend(bench.faults(class, 3, &random)?);
        }
        let kills = kills::run(&bench, salve, &faults, each, until, &mut random)
            .with_context(|| project.name.clone())?;
        if let Ok(mut total) = total.lock() {
            total.add(kills);
        }
        Ok(())
    })?;
    Ok(total.into_inner().unwrap_or_default())
}
