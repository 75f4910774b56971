//! What one package taught, tried on others of its language.
//!
//! In: projects with the faults that were planted in them, and what came of those. Out: a third of the
//! packages of each language heals its faults with the scripted models and remembers that; the faults of the
//! others are healed without a model by a copy of that memory. Never a fault whose own heal is in the memory,
//! and never a figure without the one of the same faults with an empty memory.

use super::case::{Bench, Planted};
use super::plant::Class;
use super::table::{self, Case};
use super::{Plan, in_pairs, made, note, tiers};
use crate::corpus::Random;
use anyhow::Result;
use salve_types::Language;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;

/// A project and what came of its faults.
pub(crate) struct Tried {
    pub(crate) bench: Bench,
    pub(crate) cases: Vec<Case>,
}

/// The packages of one language, as indices: those that teach and the others.
#[derive(Debug)]
struct School {
    language: Language,
    teachers: Vec<usize>,
    others: Vec<usize>,
}

/// What was taught.
#[derive(Debug, Default)]
pub(crate) struct Taught {
    packages: usize,
    teachers: Vec<String>,
    asked: usize,
    healed: usize,
    classes: BTreeSet<(Language, Class)>,
}

/// Teaches with a third of the packages, and heals the faults of the others; the cases hold the results.
pub(crate) fn run(
    tried: &mut [Tried],
    salve: &Path,
    plan: &Plan,
    until: Instant,
    notes: &Mutex<Vec<String>>,
) -> Result<Taught> {
    let schools = schools(tried, &Random::new(plan.seed).for_name("schools"));
    let total = Mutex::new(Taught { packages: tried.len(), ..Taught::default() });
    let healed = Mutex::new(Vec::new());
    let seen: &[Tried] = tried;
    // A language at a time: what it was taught does not hang on who was faster.
    in_pairs(&schools, |school| {
        let memory = tempfile::tempdir()?;
        let memory = memory.path().join("data");
        let now = Instant::now();
        // At most half of what is left is for teaching.
        let half = now + until.saturating_duration_since(now) / 2;
        if !teach(seen, school, salve, plan, (&memory, half), &total)? {
            let language = school.language.name();
            note(notes, format!("{language}: the time for teaching is over"));
        }
        for (project, number) in order(seen, &school.others, plan) {
            if Instant::now() > until {
                note(notes, format!("{}: the time is over", school.language.name()));
                break;
            }
            let Some(case) = seen.get(project).and_then(|one| one.cases.get(number)) else {
                continue;
            };
            let Some(bench) = seen.get(project).map(|one| &one.bench) else { continue };
            let result = bench.heal_taught(&case.planted.fault, &memory)?;
            if plan.show {
                let Planted { fault, .. } = &case.planted;
                println!(
                    "taught {} {} {}@{}: {}; without {}",
                    case.project,
                    fault.class.name(),
                    fault.path,
                    fault.at,
                    made(&result),
                    case.free.outcome
                );
            }
            if let Ok(mut healed) = healed.lock() {
                healed.push((project, number, result));
            }
        }
        Ok(())
    })?;
    for (project, number, result) in healed.into_inner().unwrap_or_default() {
        if let Some(case) = tried.get_mut(project).and_then(|one| one.cases.get_mut(number)) {
            case.taught = Some(result);
        }
    }
    Ok(total.into_inner().unwrap_or_default())
}

// A third of each language's packages, one at least, where there are others left.
fn schools(tried: &[Tried], random: &Random) -> Vec<School> {
    let languages: BTreeSet<Language> =
        tried.iter().map(|one| one.bench.project.language).collect();
    let school = |language: Language| {
        let own = |(index, one): (usize, &Tried)| {
            (one.bench.project.language == language && !one.cases.is_empty()).then_some(index)
        };
        let mut own: Vec<usize> = tried.iter().enumerate().filter_map(own).collect();
        random.for_name(language.name()).shuffle(&mut own);
        let others = own.split_off((own.len() / 3).max(1).min(own.len()));
        (!others.is_empty()).then_some(School { language, teachers: own, others })
    };
    let mut schools: Vec<School> = languages.into_iter().filter_map(school).collect();
    // The longest first: two at a time end sooner.
    schools.sort_by_key(|school| std::cmp::Reverse(school.others.len()));
    schools
}

// Each fault that fixers do not heal is healed with models, in one memory; returns whether the time was enough.
fn teach(
    tried: &[Tried],
    school: &School,
    salve: &Path,
    plan: &Plan,
    (memory, until): (&Path, Instant),
    total: &Mutex<Taught>,
) -> Result<bool> {
    std::fs::create_dir_all(memory)?;
    let mut enough = true;
    for one in school.teachers.iter().filter_map(|index| tried.get(*index)) {
        let random = Random::new(plan.seed).for_name(&one.bench.project.name).for_name("teaches");
        let (mut asked, mut healed) = (0, 0);
        let mut classes = BTreeSet::new();
        for case in &one.cases {
            let fault = &case.planted.fault;
            if case.free.green {
                classes.insert((school.language, fault.class));
                continue;
            }
            if Instant::now() > until {
                enough = false;
                break;
            }
            let seed = random.for_name(&format!("{}{}", fault.path, fault.at));
            let played = tiers::play(&one.bench, salve, fault, &seed)?;
            asked += 1;
            if one.bench.teach(fault, &played.settings(), memory)? {
                healed += 1;
                classes.insert((school.language, fault.class));
            }
        }
        if let Ok(mut total) = total.lock() {
            total.teachers.push(one.bench.project.name.clone());
            total.asked += asked;
            total.healed += healed;
            total.classes.extend(classes);
        }
    }
    Ok(enough)
}

// Every case of these projects, in an order that makes a sample of what the time allows.
fn order(tried: &[Tried], projects: &[usize], plan: &Plan) -> Vec<(usize, usize)> {
    let cases = |index: &usize| {
        let count = tried.get(*index).map_or(0, |one| one.cases.len());
        (0..count).map(|number| (*index, number)).collect::<Vec<_>>()
    };
    let mut all: Vec<(usize, usize)> = projects.iter().flat_map(cases).collect();
    Random::new(plan.seed).for_name("taught").shuffle(&mut all);
    all
}

/// Says what the teaching was worth.
pub(crate) fn print(taught: &Taught, cases: &[Case]) {
    println!(
        "learned from {} of {} packages ({}): {} of {} faults that fixers do not heal, healed with models",
        taught.teachers.len(),
        taught.packages,
        taught.teachers.join(", "),
        taught.healed,
        taught.asked
    );
    let tried: Vec<&Case> = cases.iter().filter(|case| case.taught.is_some()).collect();
    let compile: Vec<&Case> = tried.iter().copied().filter(|case| case.is_compile_time()).collect();
    let what = "compile-time faults of the other packages, without a model, with what was learned";
    told(what, &compile, 50);
    let alike = |case: &&&Case| taught.classes.contains(&(case.language, case.planted.fault.class));
    let alike: Vec<&Case> = tried.iter().filter(alike).copied().collect();
    let what = "a class of fault healed in one package, without a model in another of its language";
    told(what, &alike, 50);
    let (compile, late): (Vec<&Case>, Vec<&Case>) =
        alike.into_iter().partition(|case| case.is_compile_time());
    told("  of these at compile time", &compile, 50);
    told("  of these in a test", &late, 50);
}

fn told(what: &str, cases: &[&Case], target: usize) {
    let green = |case: &&&Case| case.taught.as_ref().is_some_and(|healed| healed.green);
    let with = cases.iter().filter(green).count();
    let without = cases.iter().filter(|case| case.free.green).count();
    let lost = cases.iter().filter(|case| case.free.green && !green(case)).count();
    table::rate(what, with, cases.len(), target);
    println!("    (by fixers alone {without}; of those, {lost} no more)");
}
