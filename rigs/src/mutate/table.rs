//! The tables of `cargo xtask mutate --only json`.
//!
//! In: a tally of every program, class and style. Out: text for people, or one JSON document. Never
//! decides anything but whether a goal is reached.

use super::fault::FAULTS;
use super::score::Tally;
use super::style::STYLES;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The goals, as the notes have them.
const RIGHT: f64 = 72.0;
const LOST: f64 = 0.5;
const WRONG_COMPLETE: f64 = 2.0;

/// Tallies by program, class and style.
#[derive(Default)]
pub(super) struct Board {
    /// Our own first, then the peers.
    pub programs: Vec<&'static str>,
    cells: BTreeMap<(&'static str, &'static str, &'static str), Tally>,
}

/// What is left out of a row: a class, a style, or neither.
type Cell = (&'static str, &'static str);

impl Board {
    pub(super) fn add(&mut self, program: &'static str, (class, style): Cell, tally: &Tally) {
        self.cells.entry((program, class, style)).or_default().add(tally);
    }

    fn sum(&self, program: &str, fits: impl Fn(&str, &str) -> bool) -> Tally {
        let mut sum = Tally::default();
        for ((name, class, style), tally) in &self.cells {
            if *name == program && fits(class, style) {
                sum.add(tally);
            }
        }
        sum
    }

    /// All cases of a program.
    pub(super) fn total(&self, program: &str) -> Tally {
        self.sum(program, |_, _| true)
    }

    fn rows(&self) -> Vec<(String, Vec<Tally>)> {
        let row = |name: String, fits: &dyn Fn(&str, &str) -> bool| {
            (name, self.programs.iter().map(|program| self.sum(program, fits)).collect::<Vec<_>>())
        };
        let noted = |class: &str, style: &str| {
            FAULTS.iter().any(|fault| fault.name == class && fault.noted)
                && STYLES.iter().any(|(name, noted)| *name == style && *noted)
        };
        let mut rows = Vec::new();
        for fault in FAULTS {
            let mark = if fault.noted { "" } else { " +" };
            rows.push(row(format!("{}{mark}", fault.name), &|class, _| class == fault.name));
        }
        rows.push(row("all, classes and styles of the notes".to_owned(), &noted));
        rows.push(row("all further ones".to_owned(), &|class, style| !noted(class, style)));
        rows.push(row("all".to_owned(), &|_, _| true));
        rows.retain(|(_, tallies)| tallies.first().is_some_and(|tally| tally.cases > 0));
        rows
    }

    fn style_rows(&self) -> Vec<(String, Vec<Tally>)> {
        let of = |style: &str| {
            self.programs.iter().map(|program| self.sum(program, |_, name| name == style)).collect()
        };
        let rows = STYLES.iter().map(|(style, noted)| {
            (format!("{style}{}", if *noted { "" } else { " +" }), of(style))
        });
        rows.filter(|(_, tallies): &(String, Vec<Tally>)| {
            tallies.first().is_some_and(|tally| tally.cases > 0)
        })
        .collect()
    }

    /// Prints everything; `+` marks classes and styles beyond those of the notes.
    pub(super) fn print(&self) {
        self.print_rows("% right by fault (+: beyond the notes)", &self.rows());
        self.print_rows("% right by style", &self.style_rows());
        println!("\n{:<38} {:>6}{}", "all cases", "", self.heads());
        let line = |name: &str, show: &dyn Fn(&Tally) -> String| {
            let cells: String = self
                .programs
                .iter()
                .map(|program| format!("{:>14}", show(&self.total(program))))
                .collect();
            println!("{name:<38} {:>6}{cells}", "");
        };
        line("right", &|tally| format!("{:.1} %", tally.percent(tally.right)));
        line("right, or one mark away as the truth", &|tally| {
            format!("{:.1} %", tally.percent(tally.right + tally.near))
        });
        line("scalars lost", &|tally| format!("{:.2} %", tally.percent_of_scalars(tally.lost)));
        line("  of them: nowhere in the answer", &|tally| {
            format!("{:.2} %", tally.percent_of_scalars(tally.gone))
        });
        line("strings invented", &|tally| tally.invented.to_string());
        line("no answer", &|tally| format!("{:.1} %", tally.percent(tally.none)));
        let ours = self.total(self.programs.first().copied().unwrap_or_default());
        println!(
            "wrong but called complete: {:.2} % ({} of {}); and nothing in it marked as inferred: {:.2} %",
            ours.percent(ours.wrong_complete),
            ours.wrong_complete,
            ours.cases,
            ours.percent(ours.wrong_sure)
        );
        self.print_goals(&ours);
    }

    fn heads(&self) -> String {
        self.programs.iter().map(|program| format!("{program:>14}")).collect()
    }

    fn print_rows(&self, title: &str, rows: &[(String, Vec<Tally>)]) {
        println!("\n{title:<38} {:>6}{}", "cases", self.heads());
        for (name, tallies) in rows {
            let best = tallies.iter().map(|tally| tally.right).max().unwrap_or_default();
            let cell = |tally: &Tally| {
                let mark = if tally.right == best { "*" } else { " " };
                format!("{:>13.1}{mark}", tally.percent(tally.right))
            };
            let cells: String = tallies.iter().map(cell).collect();
            println!("{name:<38} {:>6}{cells}", tallies.first().map_or(0, |tally| tally.cases));
        }
    }

    fn print_goals(&self, ours: &Tally) {
        let verdict = |good: bool| if good { "PASS" } else { "BELOW" };
        let right = ours.percent(ours.right);
        let lost = ours.percent_of_scalars(ours.lost);
        let complete = ours.percent(ours.wrong_complete);
        println!("\ngoals");
        println!("  right at least {RIGHT} %: {right:.1}  {}", verdict(right >= RIGHT));
        println!("  scalars lost at most {LOST} %: {lost:.2}  {}", verdict(lost <= LOST));
        println!("  strings invented, none: {}  {}", ours.invented, verdict(ours.invented == 0));
        println!(
            "  wrong but called complete at most {WRONG_COMPLETE} %: {complete:.2}  {}",
            verdict(complete <= WRONG_COMPLETE)
        );
        let behind = self.behind();
        println!(
            "  in every class at least the best peer: behind in {}  {}",
            behind.len(),
            verdict(behind.is_empty())
        );
        if !behind.is_empty() {
            println!("    {}", behind.join("; "));
        }
    }

    /// Classes in which a peer has more right than we have.
    fn behind(&self) -> Vec<String> {
        let mut behind = Vec::new();
        for (name, tallies) in self.rows() {
            let Some((ours, peers)) = tallies.split_first() else { continue };
            let Some((at, best)) = peers.iter().enumerate().max_by_key(|(_, peer)| peer.right)
            else {
                continue;
            };
            if best.right > ours.right {
                behind.push(format!(
                    "{name} ({:.1}, {} {:.1})",
                    ours.percent(ours.right),
                    self.programs[at + 1],
                    best.percent(best.right)
                ));
            }
        }
        behind
    }

    /// Everything as one document.
    pub(super) fn document(&self, seed: u64) -> Value {
        let rows = |rows: Vec<(String, Vec<Tally>)>| -> Vec<Value> {
            let row = |(name, tallies): (String, Vec<Tally>)| json!({ "name": name, "programs": tallies.iter().map(|tally| self.cell(tally)).collect::<Vec<_>>() });
            rows.into_iter().map(row).collect()
        };
        json!({
            "seed": seed,
            "programs": self.programs,
            "faults": rows(self.rows()),
            "styles": rows(self.style_rows()),
            "behind": self.behind(),
        })
    }

    fn cell(&self, tally: &Tally) -> Value {
        json!({
            "cases": tally.cases, "right": tally.right, "near": tally.near, "scalars": tally.scalars, "lost": tally.lost,
            "gone": tally.gone, "invented": tally.invented, "wrong_complete": tally.wrong_complete, "none": tally.none,
        })
    }
}
