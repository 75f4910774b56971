//! Plans and workflows that are killed at random moments, and gone on with.
//!
//! In: how many. Out: how many were killed. After each: files are all old or all new; started again it completes, with
//! one change and one undo; no answer was asked for again but those of which the end is not known. Never a run
//! without these questions.

use super::stage::{Model, PATIENCE, Stage, block};
use crate::corpus::Random;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

const PARTS: usize = 6;
const AT_ONCE: usize = 3;

/// Something that is killed: what it starts with, what it ends with, the commands.
struct Play {
    name: &'static str,
    before: BTreeMap<String, String>,
    after: BTreeMap<String, String>,
    rules: Vec<Value>,
    /// Made before it starts.
    make: Vec<String>,
    run: Vec<String>,
    /// Answers of an undisturbed run, and how many are asked for at once.
    answers: u64,
    at_once: u64,
}

/// Runs and kills them, each in turn.
pub(super) fn run(salve: &Path, runs: usize, random: &mut Random) -> Result<String> {
    let plays = [plan(), workflow()];
    let mut said = Vec::new();
    for (number, play) in plays.iter().enumerate() {
        let share = runs / plays.len() + usize::from(number < runs % plays.len());
        let (killed, again) = play_all(salve, play, share, random).context(play.name)?;
        said.push(format!(
            "{killed} of {share} {}s killed, gone on with and written once, {again} answers in doubt asked for again",
            play.name
        ));
    }
    Ok(said.join("; "))
}

fn play_all(salve: &Path, play: &Play, runs: usize, random: &mut Random) -> Result<(usize, u64)> {
    let model = Model::new(&play.rules)?;
    let stage = Stage::new(salve, model.port(), &std::env::temp_dir(), &[])?;
    stage.reset(&play.before)?;
    make(&stage, play)?;
    let began = Instant::now();
    let ended = stage.run(&words(&play.run))?;
    ensure!(ended.code == Some(0), "undisturbed: {:?} {}", ended.code, ended.told);
    ensure!(stage.files()? == play.after, "undisturbed: {:?}", stage.files()?);
    ensure!(model.calls() == play.answers, "undisturbed: {} answers", model.calls());
    let took = began.elapsed();
    let (mut killed, mut again) = (0, 0);
    for number in 0..runs {
        stage.reset(&play.before)?;
        make(&stage, play)?;
        let before = model.calls();
        let mut running = stage.start(&words(&play.run))?;
        let moment = random.below(1_100);
        std::thread::sleep(took.mul_f64(moment as f64 / 1_000.0));
        running.crash();
        killed += usize::from(running.wait(PATIENCE)?.code.is_none());
        let when = || format!("run {number}, killed at {moment} of 1,000");
        again += gone_on_with(&stage, play, &model, before).with_context(when)?;
    }
    Ok((killed, again))
}

fn make(stage: &Stage, play: &Play) -> Result<()> {
    if play.make.is_empty() {
        return Ok(());
    }
    let tasks = stage.beside("tasks.json", &document())?;
    let made = stage.run(&[words(&play.make), vec!["--import", &tasks]].concat())?;
    ensure!(made.code == Some(0), "made: {:?} {}", made.code, made.told);
    Ok(())
}

// How many answers were asked for again.
fn gone_on_with(stage: &Stage, play: &Play, model: &Model, before: u64) -> Result<u64> {
    let files = stage.files()?;
    ensure!(files == play.before || files == play.after, "half of it: {files:?}");
    let ended = stage.run(&words(&play.run))?;
    ensure!(ended.code == Some(0), "gone on with: {:?} {}", ended.code, ended.told);
    ensure!(stage.files()? == play.after, "finished: {:?} {}", stage.files()?, ended.printed);
    ensure!(stage.changes()? == 1, "{} changes", stage.changes()?);
    let calls = model.calls() - before;
    let in_doubt = unknown_calls(stage)?;
    // A workflow that was over before the kill is run anew: its caller asked for it again.
    let answers = play.answers * jobs(stage)?;
    ensure!(calls >= answers, "{calls} answers of {answers}");
    let again = calls - answers;
    ensure!(again <= in_doubt, "{calls} answers asked for, {in_doubt} in doubt");
    ensure!(again <= play.at_once, "{again} asked for again");
    let undone = stage.run(&["undo"])?;
    ensure!(undone.code == Some(0), "undo: {:?} {}", undone.code, undone.told);
    ensure!(stage.files()? == play.before, "one undo takes it back: {:?}", stage.files()?);
    Ok(again)
}

fn unknown_calls(stage: &Stage) -> Result<u64> {
    let (code, calls) = stage.json(&["calls", "list", "--limit", "1000"])?;
    ensure!(code == Some(0), "calls: {code:?} {calls}");
    let rows = calls.as_array().or_else(|| calls["calls"].as_array());
    let rows = rows.with_context(|| format!("no calls: {calls}"))?;
    let is_unknown = |row: &&Value| row["state"].as_str() == Some("unknown");
    Ok(rows.iter().filter(is_unknown).count() as u64)
}

// How many plans or workflows there are, without their children.
fn jobs(stage: &Stage) -> Result<u64> {
    let (code, jobs) = stage.json(&["jobs", "list"])?;
    ensure!(code == Some(0), "jobs: {code:?} {jobs}");
    let rows = jobs.as_array().or_else(|| jobs["jobs"].as_array());
    let rows = rows.with_context(|| format!("no jobs: {jobs}"))?;
    Ok(rows.len() as u64)
}

fn words(text: &[String]) -> Vec<&str> {
    text.iter().map(String::as_str).collect()
}

fn of(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

fn part(at: usize) -> String {
    format!("part_{at}.py")
}

fn document() -> String {
    let task = |at: usize| {
        let before: Vec<String> =
            (at > AT_ONCE).then(|| (at - AT_ONCE).to_string()).into_iter().collect();
        json!({ "id": at.to_string(), "instruction": "Set the value.", "contextFiles": [part(at)],
                "dependsOn": before })
    };
    json!((1..=PARTS).map(task).collect::<Vec<_>>()).to_string()
}

// The model is slow enough to be killed while it answers.
fn plan() -> Play {
    let old = "value = 1\n".to_owned();
    let new = |at: usize| format!("value = {}\n", at * 10);
    let rule = |at: usize| {
        let text = format!("{}Summary: done.\n", block(&part(at), &old, &new(at)));
        json!({ "when": { "contains": format!("Your part ({at}):") },
                "reply": { "text": text, "chunk": 8, "delay_ms": 5, "continues": true } })
    };
    Play {
        name: "plan",
        before: (1..=PARTS).map(|at| (part(at), old.clone())).collect(),
        after: (1..=PARTS).map(|at| (part(at), new(at))).collect(),
        rules: (1..=PARTS).map(rule).collect(),
        make: of("plan make -p values"),
        run: [of("plan run last --yes --parallel"), vec![AT_ONCE.to_string()]].concat(),
        answers: PARTS as u64,
        at_once: AT_ONCE as u64,
    }
}

// A generated file, then a document about it, each written by its own block.
fn workflow() -> Play {
    let code = "LIMIT = 7\n\n\ndef allowed(count):\n    return count <= LIMIT\n";
    let manifest = json!({
        "Block:Make": {
            "worker": "Worker:CodeGenerator",
            "transitions": [{ "on_signal": "SIGNAL:SUCCESS", "action": "JUMP:Write" }]
        },
        "Block:Write": {
            "worker": "Internal:FileSystemWriter",
            "transitions": [{ "on_signal": "SIGNAL:SUCCESS", "action": "JUMP:Look" }]
        },
        "Block:Look": {
            "worker": "Internal:Check",
            "transitions": [{ "on_signal": "SIGNAL:SUCCESS", "action": "JUMP:Core_Halt__Success" }]
        }
    });
    let before: BTreeMap<String, String> =
        [("workflows.json".to_owned(), manifest.to_string())].into_iter().collect();
    let mut after = before.clone();
    after.insert("limit.py".to_owned(), code.to_owned());
    let text = format!("```python\n{code}```\n");
    Play {
        name: "workflow",
        before,
        after,
        rules: vec![
            json!({ "reply": { "text": text, "chunk": 6, "delay_ms": 8, "continues": true } }),
        ],
        make: Vec::new(),
        run: [of("flow run workflows.json --yes -p"), vec!["write limit.py".to_owned()]].concat(),
        answers: 1,
        at_once: 1,
    }
}
