//! What came of the faults, as one table.
//!
//! In: cases. Out: a row for each language and class, the totals, and what was wrong. Never a verdict of
//! its own on rates: what must be zero is told apart from what should be high.

use super::case::{Again, Healed, Planted, Renamed};
use super::plant::Class;
use super::programs::Verdict;
use super::tiers::Asked;
use salve_types::Language;
use std::collections::BTreeMap;

/// One fault and everything that was tried on it.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) project: String,
    pub(crate) language: Language,
    pub(crate) planted: Planted,
    pub(crate) free: Healed,
    /// The same fault with models, where the fixers were not enough.
    pub(crate) tiers: Option<(Healed, Asked)>,
    /// The same fault met again without a model, where models had healed it.
    pub(crate) again: Option<Again>,
    /// The same fault without a model, with what was learned in other packages.
    pub(crate) taught: Option<Healed>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Row {
    planted: usize,
    compile: usize,
    free: usize,
    free_compile: usize,
    equal: usize,
    all: usize,
    red: usize,
    weakened: usize,
    changed: usize,
    undone: usize,
    seconds: f64,
}

impl Row {
    fn add(&mut self, case: &Case) {
        let compile = case.is_compile_time();
        self.planted += 1;
        self.compile += usize::from(compile);
        self.free += usize::from(case.free.green);
        self.free_compile += usize::from(case.free.green && compile);
        self.equal += usize::from(case.free.green && case.free.equal);
        self.all += usize::from(case.is_healed());
        for healed in case.heals() {
            self.red += usize::from(healed.red);
            self.weakened += usize::from(healed.weakened);
            self.changed += usize::from(healed.undone.is_some());
            self.undone += usize::from(healed.undone == Some(true));
            self.seconds += healed.took.as_secs_f64();
        }
    }

    fn text(&self) -> String {
        format!(
            "{:>7} {:>7} {:>6} {:>6} {:>7} {:>5} {:>5} {:>4} {:>5}/{:<5} {:>7.1}",
            self.planted,
            self.compile,
            self.free,
            self.equal,
            self.all,
            percent(self.all, self.planted),
            self.red,
            self.weakened,
            self.undone,
            self.changed,
            self.seconds / self.planted.max(1) as f64,
        )
    }
}

impl Case {
    fn heals(&self) -> impl Iterator<Item = &Healed> {
        let with_tiers = self.tiers.as_ref().map(|(healed, _)| healed);
        let moved = self.again.as_ref().map(|again| &again.moved);
        let all = [&self.free].into_iter().chain(with_tiers).chain(moved);
        all.chain(self.renamed()).chain(&self.taught)
    }

    fn renamed(&self) -> Option<&Healed> {
        match &self.again.as_ref()?.renamed {
            Renamed::Healed(healed) => Some(healed),
            Renamed::NotTried | Renamed::NoName => None,
        }
    }

    /// Returns whether it was healed, with or without models.
    pub(crate) fn is_healed(&self) -> bool {
        self.free.green || self.tiers.as_ref().is_some_and(|(healed, _)| healed.green)
    }

    /// Returns whether it does not compile.
    pub(crate) fn is_compile_time(&self) -> bool {
        self.planted.verdict == Verdict::Compile
    }

    /// Returns what must never happen, in words.
    pub(crate) fn wrong(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        for healed in self.heals() {
            let mut note = |what: &str| {
                let fault = &self.planted.fault;
                wrong.push(format!(
                    "{what}: {} {} at {} ({}): {:?} for {:?}; {}",
                    self.project,
                    fault.path,
                    fault.at,
                    fault.kind,
                    fault.new,
                    fault.old,
                    healed.outcome
                ));
            };
            if healed.red {
                note("changed and red");
            }
            if healed.weakened {
                note("weakened");
            }
            if healed.undone == Some(false) {
                note("not undone");
            }
        }
        wrong
    }
}

/// Prints every row and the totals.
pub(crate) fn print(cases: &[Case]) {
    let mut rows: BTreeMap<(&str, Class), Row> = BTreeMap::new();
    let mut languages: BTreeMap<&str, Row> = BTreeMap::new();
    let mut classes: BTreeMap<Class, Row> = BTreeMap::new();
    let mut total = Row::default();
    for case in cases {
        let (language, class) = (case.language.name(), case.planted.fault.class);
        rows.entry((language, class)).or_default().add(case);
        languages.entry(language).or_default().add(case);
        classes.entry(class).or_default().add(case);
        total.add(case);
    }
    println!(
        "\n{:<12} {:<23} {:>7} {:>7} {:>6} {:>6} {:>7} {:>5} {:>5} {:>4} {:>11} {:>7}",
        "language",
        "fault",
        "planted",
        "compile",
        "free",
        "equal",
        "w.tiers",
        "%",
        "red",
        "weak",
        "undone",
        "s/fault"
    );
    let line =
        |first: &str, second: &str, row: &Row| println!("{first:<12} {second:<23} {}", row.text());
    for ((language, class), row) in &rows {
        line(language, class.name(), row);
    }
    for (class, row) in &classes {
        line("all", class.name(), row);
    }
    for (language, row) in &languages {
        line(language, "all", row);
    }
    line("all", "all", &total);
    rates(&total, cases);
}

fn rates(total: &Row, cases: &[Case]) {
    rate("compile-time faults healed without a model", total.free_compile, total.compile, 40);
    rate("free heals equal to the truth", total.equal, total.free, 70);
    rate("healed with the scripted tiers", total.all, total.planted, 95);
    let again: Vec<&Again> = cases.iter().filter_map(|case| case.again.as_ref()).collect();
    let green = |healed: &[&Healed]| healed.iter().filter(|healed| healed.green).count();
    let moved: Vec<&Healed> = again.iter().map(|again| &again.moved).collect();
    rate("met again on another line, healed without a model", green(&moved), moved.len(), 95);
    let renamed: Vec<&Healed> = cases.iter().filter_map(Case::renamed).collect();
    let what = "met again among other names, healed without a model";
    rate(what, green(&renamed), renamed.len(), 80);
    let no_name = again.iter().filter(|again| matches!(again.renamed, Renamed::NoName)).count();
    let sampled = again.iter().filter(|again| !matches!(again.renamed, Renamed::NotTried)).count();
    println!(
        "  (a sample of {sampled} of the {} met again; {no_name} of it without a name to change)",
        again.len()
    );
    let asked: Vec<Asked> = cases.iter().filter_map(|case| Some(case.tiers.as_ref()?.1)).collect();
    cost(&asked);
}

/// Says a rate beside what it should be.
pub(crate) fn rate(what: &str, part: usize, whole: usize, target: usize) {
    println!("{what}: {part} of {whole}, {} % (target {target} %)", percent(part, whole));
}

/// Says what the tiers cost, beside asking the deep one alone.
pub(crate) fn cost(asked: &[Asked]) {
    let calls: u64 = asked.iter().map(|asked| asked.calls).sum();
    if calls == 0 {
        return;
    }
    let tokens: u64 = asked.iter().map(|asked| asked.tokens).sum();
    let weighted: u64 = asked.iter().map(|asked| asked.weighted).sum();
    let [fast, medium, deep] = super::tiers::TIERS;
    let call = tokens as f64 / calls as f64;
    // A tier that is right nine times in ten is asked 1.11 times.
    let alone = asked.len() as f64 * call * f64::from(deep.price) * 100.0 / deep.right as f64;
    println!(
        "models: {} cases, {calls} calls, {tokens} tokens; price-weighted ({}:{}:{}) {:.0} % of {} alone (target 40 %)",
        asked.len(),
        fast.price,
        medium.price,
        deep.price,
        100.0 * weighted as f64 / alone,
        deep.name,
    );
}

/// Returns a share in whole percent, rounded down.
pub(crate) fn percent(part: usize, whole: usize) -> usize {
    (part * 100).checked_div(whole).unwrap_or(0)
}
