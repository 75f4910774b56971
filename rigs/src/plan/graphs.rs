//! Random graphs, run by the product: in order, within their limits, each part at its end.
//!
//! In: how many. Out: how many of which kind. A cycle is refused and named; a part is asked after those it depends on;
//! what all calls took is within the limit; what failed and what depends on it is not written, and everything else is,
//! once. Never a run without these questions.

use super::graph::Graph;
use super::stage::{Model, Stage};
use crate::corpus::Random;
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// How often a person decides before the rig gives up.
const MOST_STOPS: usize = 20;
/// A limit that no graph meets.
const ENOUGH: &str = "10000000";

/// What was seen over all graphs.
#[derive(Default)]
struct Seen {
    cycles: usize,
    completed: usize,
    partial: usize,
    cancelled: usize,
    limits: usize,
    parts: usize,
}

/// Runs graphs in the temporary folder.
pub(super) fn run(salve: &Path, runs: usize, random: &Random) -> Result<String> {
    run_in(salve, runs, random, &std::env::temp_dir(), &[]).map(|(said, _)| said)
}

/// Runs graphs in a folder, with variables that say where the jobs are. Returns how each ended, too.
pub(super) fn run_in(
    salve: &Path,
    runs: usize,
    random: &Random,
    above: &Path,
    variables: &[(String, String)],
) -> Result<(String, Vec<Value>)> {
    let (mut seen, mut ends) = (Seen::default(), Vec::new());
    for number in 0..runs {
        let graph = Graph::draw(&mut random.for_name(&format!("graph {number}")));
        let model = Model::new(&graph.rules())?;
        let stage = Stage::new(salve, model.port(), above, variables)?;
        stage.reset(&graph.files())?;
        let end = run_one(&stage, &model, &graph, &mut seen)
            .with_context(|| format!("graph {number}: {graph:?}"))?;
        ends.push(end);
    }
    let Seen { cycles, completed, partial, cancelled, limits, parts } = seen;
    let said = format!(
        "{runs} graphs of {parts} parts: {completed} completed, {partial} in part, {cancelled} given up, {cycles} cycles \
         refused, {limits} stopped at a limit first; all in order and within their limits"
    );
    Ok((said, ends))
}

fn run_one(stage: &Stage, model: &Model, graph: &Graph, seen: &mut Seen) -> Result<Value> {
    let tasks = stage.beside("tasks.json", &graph.document())?;
    let made = stage.run(&["plan", "make", "-p", "values", "--import", &tasks])?;
    if graph.is_cyclic {
        seen.cycles += 1;
        ensure!(made.code == Some(2), "a cycle was taken: {:?} {}", made.code, made.printed);
        let named = graph.tasks.iter().filter(|task| made.told.contains(&task.id)).count();
        ensure!(named > 0, "the cycle is not named: {}", made.told);
        return Ok(Value::from("cycle"));
    }
    ensure!(made.code == Some(0), "make: {:?} {}", made.code, made.told);
    seen.parts += graph.tasks.len();
    let report = decided(stage, graph, seen)?;
    in_order(&model.asked(), graph)?;
    ended_well(stage, graph, &report, seen)
}

// Runs the plan, and decides whenever a person is asked.
fn decided(stage: &Stage, graph: &Graph, seen: &mut Seen) -> Result<Value> {
    let (parallel, attempts) = (graph.parallel.to_string(), graph.attempts.to_string());
    let run = ["plan", "run", "last", "--yes"];
    let how = ["--strategy", graph.order, "--parallel", &parallel, "--attempts", &attempts];
    let limit = graph.tokens.map(|tokens| tokens.to_string());
    let limit: Vec<&str> = limit.iter().flat_map(|limit| ["--max-tokens", limit]).collect();
    let mut words = [&run[..], &how, &limit].concat();
    for _ in 0..MOST_STOPS {
        let (code, report) = stage.json(&words)?;
        let spent = report["tokens"].as_u64().unwrap_or_default();
        let is_limited = !words.contains(&ENOUGH);
        if let Some(limit) = graph.tokens.filter(|_| is_limited) {
            ensure!(spent <= limit, "{spent} tokens of {limit}");
        }
        match (report["outcome"].as_str(), report["code"].as_str(), code) {
            (Some("completed"), _, Some(0))
            | (Some("completed_partial" | "cancelled"), _, Some(1)) => return Ok(report),
            (Some("needs_attention"), Some("budget"), Some(5)) => {
                ensure!(is_limited, "stopped at a limit that was raised: {report}");
                seen.limits += 1;
                words = [&run[..], &["--max-tokens", ENOUGH]].concat();
            }
            (Some("needs_attention"), Some("failed"), Some(4)) => {
                let failed = graph.failing();
                ensure!(!failed.is_empty(), "nothing fails: {report}");
                let skip = failed.iter().flat_map(|at| ["--skip", graph.tasks[*at].id.as_str()]);
                words = match graph.gives_up {
                    true => [&run[..], &["--cancel"]].concat(),
                    false => run.into_iter().chain(skip).collect(),
                };
                words.extend(["--max-tokens", ENOUGH]);
            }
            _ => anyhow::bail!("ended with {code:?}: {report}"),
        }
    }
    anyhow::bail!("the plan stops for ever")
}

// A part is asked for after those it depends on; alone, the one that is to go first goes first.
fn in_order(asked: &[String], graph: &Graph) -> Result<()> {
    let first = |id: &str| asked.iter().position(|one| one == id);
    let last = |id: &str| asked.iter().rposition(|one| one == id);
    if graph.order == "c" {
        return Ok(());
    }
    for task in &graph.tasks {
        let Some(at) = first(&task.id) else { continue };
        for before in task.before.iter().map(|before| &graph.tasks[*before].id) {
            let done = last(before).with_context(|| format!("{before} was never asked"))?;
            ensure!(done < at, "{} before {before}: {asked:?}", task.id);
        }
    }
    let alone = (graph.parallel == 1 || graph.order == "b") && graph.tokens.is_none();
    if alone && graph.failing().is_empty() {
        let mut expected = Vec::new();
        let mut open: BTreeSet<usize> = (0..graph.tasks.len()).collect();
        while !open.is_empty() {
            let is_ready =
                |at: &&usize| graph.tasks[**at].before.iter().all(|before| !open.contains(before));
            let next = open.iter().filter(is_ready).min_by_key(|at| graph.tasks[**at].priority);
            let next = *next.context("a cycle that is none")?;
            open.remove(&next);
            expected.push(graph.tasks[next].id.clone());
        }
        let mut order: Vec<&String> = asked.iter().collect();
        order.dedup();
        ensure!(order.iter().copied().eq(&expected), "{order:?} is not {expected:?}");
    }
    Ok(())
}

fn ended_well(stage: &Stage, graph: &Graph, report: &Value, seen: &mut Seen) -> Result<Value> {
    let failed = graph.failing();
    let all: BTreeSet<usize> = (0..graph.tasks.len()).collect();
    let left_out = graph.with_dependents(&failed);
    let outcome = report["outcome"].as_str().unwrap_or_default();
    let gave_up = graph.gives_up && !failed.is_empty();
    let (wanted, done): (_, BTreeSet<usize>) = match () {
        () if gave_up || left_out == all => ("cancelled", BTreeSet::new()),
        () if left_out.is_empty() => ("completed", all.clone()),
        () => ("completed_partial", all.difference(&left_out).copied().collect()),
    };
    ensure!(outcome == wanted, "{outcome} in place of {wanted}: {report}");
    let states: BTreeMap<&str, &str> = report["tasks"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|task| Some((task["id"].as_str()?, task["status"].as_str()?)))
        .collect();
    for (at, task) in graph.tasks.iter().enumerate() {
        let state = states.get(task.id.as_str()).copied().unwrap_or("(none)");
        let is_terminal = matches!(state, "completed" | "cancelled" | "failed");
        ensure!(is_terminal, "{} is {state}: {report}", task.id);
        ensure!(!done.contains(&at) || state == "completed", "{} is {state}", task.id);
    }
    ensure!(stage.files()? == graph.files_with(&done), "{report}: {:?}", stage.files()?);
    let changes = stage.changes()?;
    ensure!(changes == usize::from(!done.is_empty()), "{changes} changes: {report}");
    if !done.is_empty() {
        let undone = stage.run(&["undo"])?;
        ensure!(undone.code == Some(0), "undo: {}", undone.told);
        ensure!(stage.files()? == graph.files(), "undone: {:?}", stage.files()?);
    }
    match wanted {
        "completed" => seen.completed += 1,
        "completed_partial" => seen.partial += 1,
        _ => seen.cancelled += 1,
    }
    Ok(serde_json::json!({ "outcome": outcome, "states": states, "files": report["files"] }))
}
