//! `cargo xtask landed`: unified diffs that real small models wrote, applied to their files.
//!
//! In: `real-diffs.jsonl` of the cases folder, the debug binary, the compilers of this machine.
//! Out: how many landed on which rung, how many of those compile, and every landed diff whose
//! removed lines were not in the file. Never counts a landing as right: that is what the compiler
//! is asked for.

mod compile;

use crate::product;
use anyhow::{Context, bail};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};
use std::io::Write;
use std::process::{Command, Stdio};
use xtask::{Flags, Outcome, workspace};

/// One diff with the file it was written for.
#[derive(Debug, Deserialize)]
struct Case {
    instance_id: String,
    file: String,
    before: String,
    patch: String,
}

/// The outcome of one diff.
struct Landing<'a> {
    case: &'a Case,
    after: String,
    rungs: Vec<String>,
}

/// The outcome of all of them.
struct Landed<'a> {
    landings: Vec<Landing<'a>>,
    /// Diffs that were read and need no change: they say nothing new, or it is there already.
    no_change: usize,
}

/// Applies every diff, once by proof alone and once with the scored rung, and compiles the landed.
pub(crate) fn run(flags: &mut Flags) -> anyhow::Result<()> {
    let show = flags.switch("--show");
    let compile = !flags.switch("--no-compile");
    flags.finish()?;
    let Some(cases) = read_cases()? else {
        println!("skipped: no cases folder: neither SALVE_CASES nor ../shared/cases");
        return Ok(());
    };
    let proven = apply_all(&cases, &[], show)?;
    let scored = apply_all(&cases, &["--scored"], false)?;
    let blind = blind(&proven.landings);
    println!("\n{:<34} {:>6} {:>7}", "real diffs", "count", "share");
    line("all", cases.len(), cases.len());
    line("landed, every rung but the scored", proven.landings.len(), cases.len());
    line("landed, scored rung allowed", scored.landings.len(), cases.len());
    line("read, no change needed", proven.no_change, cases.len());
    line("taken in all, without the scored", proven.landings.len() + proven.no_change, cases.len());
    line("removed lines not in the file", blind.len(), cases.len());
    line("the same, scored rung allowed", self::blind(&scored.landings).len(), cases.len());
    println!("\nlowest rung of each landed diff");
    for (rung, count) in lowest_rungs(&scored.landings) {
        println!("  {rung:<32} {count:>6}");
    }
    if compile {
        compile::report(&proven.landings)?;
    }
    if !blind.is_empty() {
        bail!("landed although removed lines are not in the file: {}", blind.join(", "));
    }
    Ok(())
}

/// The part CI checks: nothing lands whose removed lines are not in the file.
pub(crate) fn check() -> anyhow::Result<Outcome> {
    let Some(cases) = read_cases()? else {
        return Ok(Outcome::Skipped("no cases folder".to_owned()));
    };
    let landed = apply_all(&cases, &[], false)?.landings;
    let blind = blind(&landed);
    if !blind.is_empty() {
        bail!("landed although removed lines are not in the file: {}", blind.join(", "));
    }
    Ok(Outcome::Passed(format!("{} of {} real diffs landed, 0 blind", landed.len(), cases.len())))
}

fn read_cases() -> anyhow::Result<Option<Vec<Case>>> {
    let Some(folder) = workspace::cases() else { return Ok(None) };
    let path = folder.join("real-diffs.jsonl");
    let text = std::fs::read_to_string(&path).context("could not read real-diffs.jsonl")?;
    let cases: Result<Vec<Case>, _> = text.lines().map(serde_json::from_str).collect();
    Ok(Some(cases.context("could not read real-diffs.jsonl")?))
}

fn apply_all<'a>(cases: &'a [Case], flags: &[&str], show: bool) -> anyhow::Result<Landed<'a>> {
    let mut child = Command::new(product::salve()?)
        .args(["apply", "--batch", "--allow", "syntax"])
        .args(flags)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("could not start salve")?;
    let mut input = child.stdin.take().context("no standard input")?;
    let lines: Vec<String> = cases.iter().map(request).collect();
    let writer =
        std::thread::spawn(move || lines.iter().try_for_each(|line| writeln!(input, "{line}")));
    let output = child.wait_with_output().context("salve did not end")?;
    writer.join().map_err(|_| anyhow::anyhow!("the writer failed"))?.context("salve hung up")?;
    let text = String::from_utf8(output.stdout).context("salve printed other than UTF-8")?;
    let (mut landings, mut no_change) = (Vec::new(), 0);
    for (case, line) in cases.iter().zip(text.lines()) {
        let answer: Value = serde_json::from_str(line).context("an answer is not JSON")?;
        let after = answer["files"][&case.file].as_str().unwrap_or_default();
        let landed = answer["ok"] == true && after != case.before;
        no_change += usize::from(answer["ok"] == true && !landed);
        if show && !landed {
            let why = answer["error"].as_str().unwrap_or("no effect");
            println!("{}: {}", case.instance_id, why.lines().next().unwrap_or_default());
        }
        if landed {
            landings.push(Landing { case, after: after.to_owned(), rungs: rungs(&answer) });
        }
    }
    Ok(Landed { landings, no_change })
}

fn request(case: &Case) -> String {
    let mut files = serde_json::Map::new();
    files.insert(case.file.clone(), json!(case.before));
    json!({ "id": case.instance_id, "files": files, "edit": case.patch, "target": case.file })
        .to_string()
}

fn rungs(answer: &Value) -> Vec<String> {
    let files = answer["report"].as_array().into_iter().flatten();
    let hunks = files.flat_map(|file| file["hunks"].as_array().into_iter().flatten());
    hunks.filter_map(|hunk| hunk["rung"].as_str().map(str::to_owned)).collect()
}

// The scored rung, which has to be asked for, takes removed lines that are only like those of the
// file; on every other rung they are the file's own.
fn blind<'a>(landings: &[Landing<'a>]) -> Vec<&'a str> {
    let blind = landings.iter().filter(|landing| removes_what_is_not_there(landing));
    blind.map(|landing| landing.case.instance_id.as_str()).collect()
}

// An independent reading of the diff: a line after one `-` that is not put back after a `+`, and
// whose text, without any whitespace, is nowhere in the file, was never there to be removed.
// Headers and merged lines are no removed lines.
fn removes_what_is_not_there(landing: &Landing<'_>) -> bool {
    let squeezed = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let patch = &landing.case.patch;
    let mut there: HashSet<String> = landing.case.before.lines().map(squeezed).collect();
    there.extend(patch.lines().filter_map(|line| line.strip_prefix('+')).map(squeezed));
    let removed = patch.lines().filter(|line| !line.starts_with("---") && !line.contains('+'));
    removed
        .filter_map(|line| line.strip_prefix('-'))
        .map(squeezed)
        .any(|line| !line.is_empty() && !there.contains(&line))
}

fn lowest_rungs(landings: &[Landing<'_>]) -> BTreeMap<String, usize> {
    const ORDER: &[&str] = &[
        "whole",
        "structure",
        "line",
        "at_hint",
        "exact",
        "trailing_space",
        "reindent",
        "fold",
        "context_trimmed",
        "elided",
        "scored",
    ];
    let rank = |rung: &String| ORDER.iter().position(|name| name == rung).unwrap_or(ORDER.len());
    let mut counts = BTreeMap::new();
    for landing in landings {
        let lowest = landing.rungs.iter().max_by_key(|rung| rank(rung));
        *counts.entry(lowest.cloned().unwrap_or_else(|| "?".to_owned())).or_default() += 1;
    }
    counts
}

fn line(name: &str, count: usize, all: usize) {
    let share = 100.0 * count as f64 / all.max(1) as f64;
    println!("{name:<34} {count:>6} {share:>6.1}%");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(before: &str, patch: &str) -> Case {
        let [instance_id, file] = ["id", "a.py"].map(str::to_owned);
        Case { instance_id, file, before: before.to_owned(), patch: patch.to_owned() }
    }

    fn is_blind(patch: &str) -> bool {
        let case = case("def f():\n    return 1\n", patch);
        let landing = Landing { case: &case, after: String::new(), rungs: Vec::new() };
        removes_what_is_not_there(&landing)
    }

    #[test]
    fn a_removed_line_that_is_not_in_the_file_is_seen() {
        assert!(!is_blind("--- a.py\n+++ a.py\n@@\n-    return 1\n+    return 2\n"));
        assert!(!is_blind("@@\n-return 1\n+return 2\n"), "whitespace is not counted");
        assert!(!is_blind("@@\n-x = 1\n+x = 1\n"), "what is put back is not removed");
        assert!(is_blind("@@\n-    return 7\n+    return 2\n"));
    }

    #[test]
    fn a_diff_counts_for_its_least_certain_rung() {
        let case = case("", "");
        let landing = |rungs: &[&str]| Landing {
            case: &case,
            after: String::new(),
            rungs: rungs.iter().map(|rung| (*rung).to_owned()).collect(),
        };
        let counts =
            lowest_rungs(&[landing(&["exact", "fold"]), landing(&["exact"]), landing(&[])]);
        let expected = [("?", 1), ("exact", 1), ("fold", 1)];
        assert_eq!(counts, expected.map(|(rung, count)| (rung.to_owned(), count)).into());
    }
}
