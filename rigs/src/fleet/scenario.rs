//! A fleet that is mistreated: one worker cut off, one killed, the database crashed.
//!
//! In: three workers, forty jobs whose answers are cut twice. Out: how each job ended, what the model
//! was paid for, what watchers saw. Fails when a job does not complete with the exact text, when
//! something was paid twice that no fault explains, or when an event is missed or seen twice.

use super::desk::Desk;
use super::guard::Guard;
use super::report::Row;
use super::watcher::Watcher;
use anyhow::{Context, bail, ensure};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};
use xtask::process;

const JOBS: usize = 40;
const CUTS: usize = 2;
const WATCHED: usize = 4;
const CUT_OFF: Duration = Duration::from_secs(30);
const PATIENCE: Duration = Duration::from_secs(240);

/// Runs it.
pub(crate) fn run(salve: &Path) -> anyhow::Result<Vec<Row>> {
    let mut desk = Desk::new(salve, 3, &script())?;
    if let Some(why) = &desk.without_namespaces {
        println!("NO NETWORK NAMESPACES HERE ({why}): links are cut by forwarders instead.");
    }
    for number in 0..JOBS {
        let more = ["--lang", "rust", "--in-doubt", "retry"];
        desk.submit(&name(number), &prompt(number), &more)?;
    }
    let begin = Instant::now();
    let mut watchers: Vec<Watcher> =
        (0..WATCHED).map(|number| Watcher::new(name(number * 7))).collect();
    let faults = mistreat(&mut desk, &mut watchers)?;
    wait_for_all(&mut desk, &mut watchers, begin)?;
    let took = begin.elapsed();
    for (machine, worker) in faults.survivors {
        end(worker).with_context(|| format!("worker {machine} said:\n{}", desk.said(machine)))?;
    }
    ensure!(desk.model_is_there(), "the model ended");
    let mut rows =
        vec![Row::new("fleet", "jobs that ended completed", format!("{JOBS} of {JOBS}"))];
    rows.push(Row::new("fleet", "from the first fault to the last job", format!("{took:.1?}")));
    rows.push(exact_results(&desk)?);
    rows.extend(payments(&desk)?);
    rows.push(events(&desk, &mut watchers)?);
    rows.push(Row::new("fleet", "machines", machines(&desk)));
    Ok(rows)
}

struct Faults {
    survivors: Vec<(usize, Guard)>,
}

// The first worker is cut off and comes back, the second dies, the third sees it all.
fn mistreat(desk: &mut Desk, watchers: &mut [Watcher]) -> anyhow::Result<Faults> {
    let start = |desk: &Desk, machine| desk.worker(machine, &["--steps", "4", "--lease", "4"]);
    let (first, second, third) = (start(desk, 0)?, start(desk, 1)?, start(desk, 2)?);
    pass(desk, watchers, Duration::from_secs(5))?;
    println!("worker 0 is cut off for {CUT_OFF:?}");
    desk.set_cut(0, true)?;
    let cut = Instant::now();
    pass(desk, watchers, Duration::from_secs(4))?;
    println!("worker 1 is killed");
    second.signal(Signal::KILL)?;
    drop(second);
    pass(desk, watchers, Duration::from_secs(6))?;
    println!("the database crashes and is down for 3 s");
    for watcher in &mut *watchers {
        watcher.stop();
    }
    desk.postgres.crash_and_restart(Duration::from_secs(3))?;
    while cut.elapsed() < CUT_OFF {
        pass(desk, watchers, Duration::from_secs(1))?;
    }
    desk.set_cut(0, false)?;
    println!("worker 0 is back");
    Ok(Faults { survivors: vec![(0, first), (2, third)] })
}

// Time passes; watchers watch, and leave and come back in between.
fn pass(desk: &Desk, watchers: &mut [Watcher], time: Duration) -> anyhow::Result<()> {
    let begin = Instant::now();
    while begin.elapsed() < time {
        for watcher in &mut *watchers {
            watcher.go_on(desk)?;
        }
        std::thread::sleep(Duration::from_millis(700));
        for watcher in watchers.iter_mut().filter(|_| fastrand::u8(..8) == 0) {
            watcher.stop();
        }
    }
    Ok(())
}

fn wait_for_all(desk: &mut Desk, watchers: &mut [Watcher], begin: Instant) -> anyhow::Result<()> {
    loop {
        pass(desk, watchers, Duration::from_secs(2))?;
        let jobs = desk.json(&["jobs", "list", "--limit", "1000"])?;
        let jobs = jobs.as_array().context("no list of jobs")?;
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for job in jobs {
            *counts.entry(job["status"].as_str().unwrap_or("?")).or_default() += 1;
        }
        println!("{:>5.1} s  {counts:?}", begin.elapsed().as_secs_f64());
        if counts.get("completed") == Some(&JOBS) {
            return Ok(());
        }
        let open = |job: &&Value| job["status"] != "completed";
        if begin.elapsed() > PATIENCE {
            let left: Vec<&Value> = jobs.iter().filter(open).take(3).collect();
            for machine in 0..3 {
                println!("--- worker {machine} said ---\n{}", desk.said(machine));
            }
            bail!("not all jobs completed: {counts:?}, such as {left:?}");
        }
        let failed = |job: &&Value| job["status"] == "failed" || job["status"] == "needs_attention";
        if let Some(job) = jobs.iter().find(failed) {
            bail!("a job did not complete: {job}");
        }
    }
}

fn end(mut worker: Guard) -> anyhow::Result<()> {
    worker.signal(Signal::TERM)?;
    let status = worker.wait_at_most(Duration::from_secs(60))?;
    ensure!(status.success(), "a worker that was told to stop ended with {status}");
    Ok(())
}

fn exact_results(desk: &Desk) -> anyhow::Result<Row> {
    for number in 0..JOBS {
        let mut command = desk.salve(&["jobs", "show", &name(number), "--result"]);
        let text = process::output(&mut command)?;
        ensure!(text == answer(number), "{} has another text: {text}", name(number));
    }
    Ok(Row::new("fleet", "results that are the exact text", format!("{JOBS} of {JOBS}")))
}

/// What the ledger knows of one job's calls.
#[derive(Default)]
struct Ledger {
    calls: u64,
    explained: u64,
}

// Each job is one rule of the script, which counts how often it was answered. More than its parts is
// allowed only where the ledger has a call that was open at a fault: taken over, or without an answer.
fn payments(desk: &Desk) -> anyhow::Result<Vec<Row>> {
    let paid = desk.paid()?;
    let rules = paid["rules"].as_array().context("the model counts no rules")?;
    let mut ledgers = ledgers(desk)?;
    let (mut answered, mut extra, mut twice) = (0, 0, Vec::new());
    for (number, rule) in rules.iter().enumerate() {
        let times = rule["answered"].as_u64().context("a rule is not counted")?;
        let wanted = CUTS as u64 + 1;
        let ledger = ledgers.remove(&name(number)).unwrap_or_default();
        ensure!(ledger.calls >= wanted, "{} has {} calls", name(number), ledger.calls);
        ensure!(times >= wanted, "{} was answered {times} times", name(number));
        answered += times;
        extra += times - wanted;
        if times - wanted > ledger.explained {
            twice.push(format!(
                "{}: {times} answers, {} explained",
                name(number),
                ledger.explained
            ));
        }
    }
    ensure!(twice.is_empty(), "paid twice without a fault: {}", twice.join("; "));
    let doubt = desk.json(&["jobs", "list", "--in-doubt"])?;
    let left = doubt.as_array().map_or(0, Vec::len);
    ensure!(left == 0, "{left} calls are still in doubt");
    Ok(vec![
        Row::new("fleet", "answers the model was paid for", format!("{answered}")),
        Row::new("fleet", "of these again, open at a fault", format!("{extra}")),
        Row::new("fleet", "of these again for no reason", "0".to_owned()),
    ])
}

fn ledgers(desk: &Desk) -> anyhow::Result<BTreeMap<String, Ledger>> {
    let question = "SELECT split_part(call_key, ':', 1), count(*), \
                    sum(epoch - 1) + count(*) FILTER (WHERE outcome IS DISTINCT FROM 'answered') \
                    FROM salve.calls WHERE call_key IS NOT NULL GROUP BY 1";
    let rows = desk.postgres.sql("salve", question)?;
    let read = |line: &str| {
        let mut fields = line.split('|');
        let id = fields.next()?.to_owned();
        let (calls, explained) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
        Some((id, Ledger { calls, explained }))
    };
    rows.lines()
        .map(|line| read(line).with_context(|| format!("a row of the ledger: {line}")))
        .collect()
}

fn events(desk: &Desk, watchers: &mut [Watcher]) -> anyhow::Result<Row> {
    let (mut seen, mut left) = (0, 0);
    for watcher in watchers {
        watcher.finish(desk)?;
        seen += watcher.check(desk)?;
        left += watcher.times_it_left;
    }
    let words = format!("{seen}, 0 missed, 0 twice; watchers left {left} times");
    Ok(Row::new("fleet", "events watched", words))
}

fn machines(desk: &Desk) -> String {
    match &desk.without_namespaces {
        None => "3 network namespaces, TLS and a password".to_owned(),
        Some(why) => format!("NO namespaces, forwarders instead: {why}"),
    }
}

fn name(number: usize) -> String {
    format!("fleet-{number:03}")
}

fn prompt(number: usize) -> String {
    format!("Write the module of {}, all of it.\n", name(number))
}

// A model that takes its time, and is cut twice; asked to go on, it goes on.
fn script() -> String {
    let rule = |number: usize| {
        let text = answer(number);
        let cuts = [text.len() / 3, text.len() * 2 / 3];
        let reply = json!({
            "continues": true,
            "text": text,
            "cuts": cuts,
            "delay_ms": { "first": 900, "between": 60 },
        });
        json!({ "when": { "contains": format!("module of {},", name(number)) }, "reply": reply })
    };
    (0..JOBS).map(|number| format!("{}\n", rule(number))).collect()
}

fn answer(number: usize) -> String {
    let mut text = format!("//! The module of {}.\n\n", name(number));
    for function in 0..12 {
        text.push_str(&format!(
            "/// Adds {function} to a number of job {number}.\npub fn add_{function}(to: u64) -> u64 \
             {{\n    let words = \"job {number} adds {function}\";\n    to + {function} + \
             words.len() as u64\n}}\n\n"
        ));
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}
