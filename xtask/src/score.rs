//! `cargo xtask score`: the scorers of the acceptance cases against `floors.toml`.
//!
//! In: the cases folder, python3, the debug binary and the floors. Out: one table with figure, floor
//! and target. Never lowers a floor: a figure below its floor is an error, one below its target is
//! printed.

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use xtask::{Flags, Outcome, process, workspace};

/// What a figure must reach (`floor`) and what it should (`target`).
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Bound {
    floor: f64,
    target: f64,
    /// Whether a smaller figure is the better one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    lower_is_better: bool,
}

type Floors = BTreeMap<String, BTreeMap<String, Bound>>;
type Figures = BTreeMap<(String, String), f64>;

/// Scores, compares and, with `--raise`, writes better figures as new floors.
pub(crate) fn run(flags: &mut Flags) -> anyhow::Result<()> {
    let raise = flags.switch("--raise");
    flags.finish()?;
    if !raise {
        if let Outcome::Skipped(reason) = check()? {
            println!("skipped: {reason}");
        }
        return Ok(());
    }
    let Measured::Figures(figures) = measure()? else { bail!("nothing was measured") };
    let mut floors = read_floors()?;
    for ((group, name), figure) in &figures {
        let Some(bound) = floors.get_mut(group).and_then(|group| group.get_mut(name)) else {
            continue;
        };
        if is_better(*figure, bound) {
            println!("{group}.{name}: floor {} becomes {figure}", bound.floor);
            bound.floor = *figure;
        }
    }
    let text = format!("{HEADER}\n{}", toml::to_string(&floors).context("could not write floors")?);
    std::fs::write(workspace::root().join("floors.toml"), text).context("could not write floors")
}

/// Scores and fails when a figure is below its floor.
pub(crate) fn check() -> anyhow::Result<Outcome> {
    let figures = match measure()? {
        Measured::Figures(figures) => figures,
        Measured::Nothing(reason) => return Ok(Outcome::Skipped(reason)),
    };
    let floors = read_floors()?;
    let mut below = Vec::new();
    println!("\n{:<20} {:>8} {:>8} {:>8}", "figure", "measured", "floor", "target");
    for (group, bounds) in &floors {
        for (name, bound) in bounds {
            let key = format!("{group}.{name}");
            let figure = figures.get(&(group.clone(), name.clone()));
            let figure = *figure.with_context(|| format!("no scorer measures {key}"))?;
            let word = judge(figure, bound);
            println!("{key:<20} {figure:>8.2} {:>8.2} {:>8.2}  {word}", bound.floor, bound.target);
            if word == BELOW_FLOOR {
                below.push(key);
            }
        }
    }
    if !below.is_empty() {
        bail!("below the floor: {}", below.join(", "));
    }
    Ok(Outcome::Passed(format!("{} figures", figures.len())))
}

const BELOW_FLOOR: &str = "BELOW ITS FLOOR";

const HEADER: &str = "\
# Figures of the scorers: `floor` is the best reached so far and is lowered only with a written
# reason in the commit; `target` is where it should be. `cargo xtask score --raise` raises floors.
";

fn judge(figure: f64, bound: &Bound) -> &'static str {
    let reaches =
        |limit: f64| if bound.lower_is_better { figure <= limit } else { figure >= limit };
    match (reaches(bound.floor), reaches(bound.target)) {
        (false, _) => BELOW_FLOOR,
        (true, false) => "below its target",
        (true, true) => "ok",
    }
}

fn is_better(figure: f64, bound: &Bound) -> bool {
    if bound.lower_is_better { figure < bound.floor } else { figure > bound.floor }
}

enum Measured {
    Figures(Figures),
    Nothing(String),
}

fn measure() -> anyhow::Result<Measured> {
    let Some(cases) = workspace::cases() else {
        let reason = "no cases folder: neither SALVE_CASES nor ../shared/cases";
        return Ok(Measured::Nothing(reason.to_owned()));
    };
    if !process::answers(Command::new("python3").arg("--version")) {
        return Ok(Measured::Nothing("python3 is not installed".to_owned()));
    }
    process::build_as_tested()?;
    let target = workspace::target_dir()?;
    let binary = target.join("debug").join(format!("salve{}", std::env::consts::EXE_SUFFIX));
    let mut figures = json_figures(&cases, &binary, &target.join("score-json.json"))?;
    figures.extend(outputs_figures(&cases, &binary)?);
    figures.extend(edits_figures(&cases, &binary)?);
    figures.extend(policy_figures(&cases, &binary, "paths")?);
    figures.extend(policy_figures(&cases, &binary, "commands")?);
    figures.extend(signature_figures(&cases, &binary)?);
    Ok(Measured::Figures(figures))
}

fn scorer(cases: &Path, name: &str) -> Command {
    let mut command = Command::new("python3");
    // The cases folder may be read-only; Python would otherwise try to cache its bytecode there.
    command.arg("-B").arg(cases.join("tools").join(name));
    command
}

fn json_figures(cases: &Path, binary: &Path, dump: &Path) -> anyhow::Result<Figures> {
    let mut command = scorer(cases, "score_json.py");
    command.arg("--cases").arg(cases.join("json.jsonl")).arg("--dump").arg(dump);
    command.args(["--name", "salve parse --batch", "--"]).arg(binary).args(["parse", "--batch"]);
    process::run(&mut command)?;
    let text = std::fs::read_to_string(dump).context("could not read the scorer's counts")?;
    let counts: serde_json::Value =
        serde_json::from_str(&text).context("could not read the scorer's counts")?;
    let mut figures = Figures::new();
    for kind in ["must_accept", "repair", "schema", "partial"] {
        let count = |table: &str| counts[table][format!("ALL|{kind}")].as_f64();
        let (right, all) = count("ok").zip(count("tot")).with_context(|| format!("no {kind}"))?;
        figures.insert(("json".to_owned(), kind.to_owned()), percent(right, all));
    }
    Ok(figures)
}

fn outputs_figures(cases: &Path, binary: &Path) -> anyhow::Result<Figures> {
    let mut command = scorer(cases, "score_outputs.py");
    command.arg(cases.join("real-outputs.jsonl")).arg("--").arg(binary).args(["parse", "--batch"]);
    let text = process::output(&mut command)?;
    print!("{text}");
    let line =
        text.lines().find(|line| line.starts_with("outputs: ")).context("no outputs line")?;
    // "outputs: 900/1027 = 87.6% taken, 83.1% hold an object (…), 0 with a string that …"
    let mut figures = Figures::new();
    let names = [("taken", "% taken"), ("objects", "% hold"), ("invented", " with a string")];
    for (name, mark) in names {
        let (before, _) = line.split_once(mark).with_context(|| format!("no figure {name}"))?;
        let number = before.rsplit(' ').next().unwrap_or_default();
        let figure = number.parse().with_context(|| format!("{name} is not a number"))?;
        figures.insert(("outputs".to_owned(), name.to_owned()), figure);
    }
    Ok(figures)
}

// Lazy files need a grammar and are counted apart; so are cases on which the field disagrees.
fn edits_figures(cases: &Path, binary: &Path) -> anyhow::Result<Figures> {
    let mut command = scorer(cases, "score_edits.py");
    command.arg(cases.join("edits.jsonl")).arg("--").arg(binary).args(["apply", "--batch"]);
    let text = process::output(&mut command)?;
    print!("{text}");
    // "json_tool/json_tool   20/  20 100.0%", one line for each syntax.
    let (mut right, mut all, mut lazy) = (0.0, 0.0, 0.0);
    for (key, counts) in text.lines().filter_map(|line| line.split_once(' ')) {
        let Some((passed, rest)) = counts.split_once('/') else { continue };
        let number = |text: &str| text.split_whitespace().next()?.parse::<f64>().ok();
        let (Some(passed), Some(total)) = (number(passed), number(rest)) else { continue };
        match key {
            "ALL" | "policy" => {}
            "whole/lazy_whole" => lazy += passed,
            _ => (right, all) = (right + passed, all + total),
        }
    }
    let mark = "must-fail accepted ";
    let accepted = text.rsplit(mark).next().and_then(|rest| rest.trim().parse().ok());
    let figures = [
        ("applied", percent(right, all)),
        ("lazy", lazy),
        ("must_fail_accepted", accepted.context("no count of accepted must-fail cases")?),
    ];
    Ok(figures.map(|(name, figure)| (("edits".to_owned(), name.to_owned()), figure)).into())
}

// The scorer of paths and that of command lines are one, and so is the line they end with.
fn policy_figures(cases: &Path, binary: &Path, kind: &str) -> anyhow::Result<Figures> {
    let mut command = scorer(cases, "score_policy.py");
    command.arg(kind).arg(cases.join(format!("{kind}.jsonl"))).arg("--").arg(binary);
    let subject = kind.trim_end_matches('s');
    let text = process::output(command.args(["policy", subject, "--batch", "-C", "{WS}"]))?;
    print!("{text}");
    // "paths: 0 false allows of 70 hostile, 18/18 benign allowed, 5 not run"
    let start = format!("{kind}: ");
    let line = text.lines().find(|line| line.starts_with(&start)).context("no last line")?;
    let numbers: Vec<f64> = line
        .split(|letter: char| !letter.is_ascii_digit())
        .filter_map(|digits| digits.parse().ok())
        .collect();
    let [allowed, _, passed, benign, ..] = numbers[..] else { bail!("cannot read: {line}") };
    let figures = [
        ("false_allows", allowed),
        ("benign_refused", benign - passed),
        ("benign", percent(passed, benign)),
    ];
    Ok(figures.map(|(name, figure)| ((kind.to_owned(), name.to_owned()), figure)).into())
}

fn signature_figures(cases: &Path, binary: &Path) -> anyhow::Result<Figures> {
    let mut command = scorer(cases, "score_signatures.py");
    command.arg(cases.join("errors.jsonl")).arg("--").arg(binary).args(["signature", "--batch"]);
    let text = process::output(&mut command)?;
    print!("{text}");
    // "signatures: exact/env P 1.000 R 0.994; shape/all P 1.000 R 0.995"
    let line =
        text.lines().find(|line| line.starts_with("signatures: ")).context("no last line")?;
    let numbers: Vec<f64> = line
        .split([' ', ';'])
        .filter(|word| word.starts_with(|letter: char| letter.is_ascii_digit()))
        .filter_map(|word| word.parse().ok())
        .collect();
    let [exact_precision, exact_recall, shape_precision, shape_recall] = numbers[..] else {
        bail!("cannot read: {line}")
    };
    let figures = [
        ("exact_precision", exact_precision),
        ("exact_recall", exact_recall),
        ("shape_precision", shape_precision),
        ("shape_recall", shape_recall),
    ];
    Ok(figures.map(|(name, figure)| (("signatures".to_owned(), name.to_owned()), figure)).into())
}

// Two decimals, rounded down, so that a written floor is never above what was measured.
fn percent(part: f64, whole: f64) -> f64 {
    (part / whole * 10_000.0).floor() / 100.0
}

fn read_floors() -> anyhow::Result<Floors> {
    let text = std::fs::read_to_string(workspace::root().join("floors.toml"))
        .context("could not read floors.toml")?;
    toml::from_str(&text).context("could not read floors.toml")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_judged_against_floor_then_target() {
        let bound = Bound { floor: 80.0, target: 90.0, lower_is_better: false };
        assert_eq!(
            [79.9, 80.0, 90.0].map(|figure| judge(figure, &bound)),
            [BELOW_FLOOR, "below its target", "ok"]
        );
        let bound = Bound { floor: 3.0, target: 0.0, lower_is_better: true };
        assert_eq!(
            [4.0, 3.0, 0.0].map(|figure| judge(figure, &bound)),
            [BELOW_FLOOR, "below its target", "ok"]
        );
    }

    #[test]
    fn a_written_floor_is_never_above_the_measured_figure() {
        assert_eq!(percent(2.0, 3.0), 66.66);
        assert_eq!(percent(60.0, 60.0), 100.0);
    }
}
