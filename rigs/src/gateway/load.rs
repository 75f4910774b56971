//! `cargo xtask load`: many streams at once for minutes, some of them faulty, and a SIGKILL in the
//! middle.
//!
//! In: `--streams 200`, `--seconds 300`, `--faults 10` (percent), `--as-tested` for the binary of the
//! tests in place of a released one. Out: counts of what clients saw,
//! the gateway's memory over time, and whether the ledger and the budget survived. Fails on a
//! malformed stream, on an answer that is wrong and not marked, on a row that was acknowledged and
//! is gone, on tokens that were used and not counted, and on memory that keeps growing.

use super::client::{Client, Reply};
use super::reading::{self, Dialect};
use super::servers::{self, Server};
use super::{answers, request};
use anyhow::{Context, bail, ensure};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use xtask::{Flags, Outcome, process};

/// How much is asked for.
#[derive(Debug, Clone, Copy)]
struct Plan {
    streams: usize,
    time: Duration,
    faults: u32,
}

/// What the clients saw.
#[derive(Debug, Default)]
struct Seen {
    whole: usize,
    marked: usize,
    refused: usize,
    lost_at_kill: usize,
    wrong: Vec<String>,
    calls: Vec<String>,
    tokens: u64,
}

/// Spoils a reply of the script at this byte.
type Spoil = fn(&mut Value, usize);

/// What a faulty upstream does, as the script says it.
const FAULTS: &[(&str, Spoil)] = &[
    ("cut", |reply, half| reply["cuts"] = json!([half])),
    ("drops", |reply, half| reply["disconnect_at"] = json!({ "answer": half })),
    ("mute", |reply, half| {
        reply["cuts"] = json!([half]);
        reply["finish"] = Value::Null;
    }),
    ("broken", |reply, _| *reply = json!({ "status": 500 })),
    ("busy", |reply, _| *reply = json!({ "status": 429 })),
];

/// Runs the long form.
pub(crate) fn run(flags: &mut Flags) -> anyhow::Result<()> {
    let plan = Plan {
        streams: flags.value("--streams")?.unwrap_or(200),
        time: Duration::from_secs(flags.value("--seconds")?.unwrap_or(300)),
        faults: flags.value("--faults")?.unwrap_or(10),
    };
    let release = !flags.switch("--as-tested");
    flags.finish()?;
    println!("{}", measure(plan, release)?);
    Ok(())
}

/// Fifty streams for fifteen seconds, as part of the tests.
pub(crate) fn short() -> anyhow::Result<Outcome> {
    let plan = Plan { streams: 50, time: Duration::from_secs(15), faults: 10 };
    measure(plan, false).map(Outcome::Passed)
}

fn measure(plan: Plan, release: bool) -> anyhow::Result<String> {
    let salve = servers::salve(release)?;
    let folder = tempfile::tempdir()?;
    let script = folder.path().join("load.jsonl");
    std::fs::write(&script, script_text())?;
    let sim = servers::sim(&salve, &script)?;
    let key = servers::new_key(&salve, folder.path(), "load")?;
    let port = servers::free_port()?;
    let start = || servers::keyed_gateway(&salve, sim.address, folder.path(), port);
    let gateway = start()?;
    let runtime = super::runtime()?;
    let killing = Arc::new(AtomicBool::new(false));
    let workers = runtime.spawn(ask_all(gateway.address, plan, key, killing.clone()));
    let mut memory = Vec::new();
    watch(&gateway, plan.time / 2, &mut memory);
    killing.store(true, Ordering::SeqCst);
    gateway.kill()?;
    let gateway = start()?;
    // Connections that were open at the kill are noticed within a moment of it.
    std::thread::sleep(Duration::from_secs(1));
    killing.store(false, Ordering::SeqCst);
    let mut after = Vec::new();
    watch(&gateway, plan.time / 2, &mut after);
    let seen = runtime.block_on(workers).context("the clients were lost")??;
    drop(gateway);
    report(&seen, &memory, &after, &Books::read(&salve, folder.path())?)
}

fn watch(gateway: &Server, time: Duration, memory: &mut Vec<f64>) {
    let begin = Instant::now();
    while begin.elapsed() < time {
        std::thread::sleep(Duration::from_millis(500));
        memory.push(gateway.memory().0);
    }
}

async fn ask_all(
    address: SocketAddr,
    plan: Plan,
    key: String,
    killing: Arc<AtomicBool>,
) -> anyhow::Result<Seen> {
    let end = Instant::now() + plan.time;
    let mut tasks = Vec::new();
    for worker in 0..plan.streams {
        let (key, killing) = (key.clone(), killing.clone());
        let random = fastrand::Rng::with_seed(worker as u64);
        tasks.push(tokio::spawn(ask(address, plan, key, killing, random, end)));
    }
    let mut sum = Seen::default();
    for task in tasks {
        let seen = task.await.context("a client was lost")?;
        sum.whole += seen.whole;
        sum.marked += seen.marked;
        sum.refused += seen.refused;
        sum.lost_at_kill += seen.lost_at_kill;
        sum.wrong.extend(seen.wrong);
        sum.calls.extend(seen.calls);
        sum.tokens += seen.tokens;
    }
    Ok(sum)
}

async fn ask(
    address: SocketAddr,
    plan: Plan,
    key: String,
    killing: Arc<AtomicBool>,
    mut random: fastrand::Rng,
    end: Instant,
) -> Seen {
    let mut seen = Seen::default();
    let bearer = format!("Bearer {key}");
    let mut client = None;
    while Instant::now() < end {
        let dialect = Dialect::ALL[random.usize(..3)];
        let kind = ["text", "tool", "json"][random.usize(..3)];
        let fault = match random.u32(..100) < plan.faults {
            true => FAULTS[random.usize(..FAULTS.len())].0,
            false => "fine",
        };
        let body = request(dialect, kind, &format!("{kind}-{fault}"), true);
        let was_killing = killing.load(Ordering::SeqCst);
        let connection = match client.take() {
            Some(client) => Ok(client),
            None => Client::connect(address).await,
        };
        let reply = match connection {
            Ok(mut connection) => {
                let headers =
                    [("authorization", bearer.as_str()), ("anthropic-version", "2023-06-01")];
                let reply = connection.post(dialect.path(), &headers, &body).await;
                if reply.as_ref().is_ok_and(|reply| !reply.broken) {
                    client = Some(connection);
                }
                reply
            }
            Err(error) => Err(error),
        };
        let kill = was_killing || killing.load(Ordering::SeqCst);
        let result = match reply {
            Ok(reply) if reply.broken => Err(anyhow::anyhow!("broken off")),
            Ok(reply) => count(&mut seen, dialect, kind, &reply),
            Err(error) => Err(error),
        };
        match result {
            Ok(()) => {}
            Err(_) if kill => {
                seen.lost_at_kill += 1;
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            Err(error) => seen.wrong.push(format!("{dialect:?} {kind}-{fault}: {error:#}")),
        }
    }
    seen
}

fn count(seen: &mut Seen, dialect: Dialect, kind: &str, reply: &Reply) -> anyhow::Result<()> {
    if !reply.header("x-salve-call").is_empty() {
        seen.calls.push(reply.header("x-salve-call").to_owned());
    }
    if reply.status != 200 {
        let error = reading::whole(dialect, &reply.body)?.error;
        ensure!(error.is_some(), "status {} without an error", reply.status);
        seen.refused += 1;
        return Ok(());
    }
    let answer = reading::streamed(dialect, &reply.body)?;
    seen.tokens += answer.output_tokens;
    if answer.error.is_some()
        || matches!(answer.finish.as_str(), "length" | "max_tokens" | "incomplete")
    {
        ensure!(answer.tools.is_empty(), "a marked reply with a tool call");
        seen.marked += 1;
        return Ok(());
    }
    let right = match kind {
        "tool" => {
            matches!(&answer.tools[..], [(_, arguments)] if same_json(arguments, answers::of(kind)))
        }
        "json" => same_json(&answer.text, answers::of(kind)),
        _ => answer.text == answers::of(kind),
    };
    if !right {
        bail!("not the answer, and not marked");
    }
    seen.whole += 1;
    Ok(())
}

fn same_json(left: &str, right: &str) -> bool {
    let read = |text: &str| serde_json::from_str::<Value>(text).ok();
    matches!((read(left), read(right)), (Some(left), Some(right)) if left == right)
}

/// What the ledger says afterwards.
struct Books {
    calls: HashSet<String>,
    unknown: usize,
    counted: u64,
    row_sum: u64,
}

impl Books {
    fn read(salve: &Path, data: &Path) -> anyhow::Result<Self> {
        let run = |arguments: &[&str]| -> anyhow::Result<Vec<Value>> {
            let mut command = Command::new(salve);
            command.args(arguments).args(["--format", "jsonl"]).env("SALVE_DATA", data);
            let text = process::output(&mut command)?;
            Ok(text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
        };
        let calls = run(&["calls", "list", "--limit", "10000000"])?;
        let keys = run(&["keys", "list"])?;
        let number = |value: &Value| value.as_u64().unwrap_or_default();
        // A call that was never settled counts as the most it could take.
        let charged = |call: &Value| match &call["usage"] {
            Value::Null => number(&call["worst"]["tokens"]),
            usage => number(&usage["input_tokens"]) + number(&usage["output_tokens"]),
        };
        let of_today = |key: &Value| {
            let today = &key["today"];
            number(&today["spent"]["tokens"]) + number(&today["held"]["tokens"])
        };
        Ok(Self {
            unknown: calls.iter().filter(|call| call["state"] == "unknown").count(),
            row_sum: calls.iter().map(charged).sum(),
            counted: keys.iter().map(of_today).sum(),
            calls: calls.iter().map(|call| call["id"].to_string()).collect(),
        })
    }
}

fn report(seen: &Seen, before: &[f64], after: &[f64], books: &Books) -> anyhow::Result<String> {
    let most = |part: &[f64]| part.iter().copied().fold(0.0, f64::max);
    let lost = seen.calls.iter().filter(|call| !books.calls.contains(*call)).count();
    println!("whole            {:>8}", seen.whole);
    println!("marked           {:>8}", seen.marked);
    println!("refused, clearly {:>8}", seen.refused);
    println!("lost at the kill {:>8}", seen.lost_at_kill);
    println!("wrong            {:>8}", seen.wrong.len());
    println!("acked calls      {:>8}, of them not in the ledger {lost}", seen.calls.len());
    println!("ledger rows      {:>8}, of them unknown {}", books.calls.len(), books.unknown);
    println!(
        "tokens           {:>8} by the key's budget, {} by the rows, {} seen by clients",
        books.counted, books.row_sum, seen.tokens
    );
    println!(
        "memory           {:>8.1} MiB before the kill, {:.1} MiB after it",
        most(before),
        most(after)
    );
    seen.wrong.iter().take(20).for_each(|wrong| println!("wrong: {wrong}"));
    let line = format!(
        "{} whole, {} marked, {} refused, {} wrong, {lost} rows lost, {:.0} MiB",
        seen.whole,
        seen.marked,
        seen.refused,
        seen.wrong.len(),
        most(before).max(most(after))
    );
    ensure!(seen.wrong.is_empty() && lost == 0 && seen.whole > 0, "{line}");
    ensure!(books.counted == books.row_sum, "{line}; the budget and the rows do not agree");
    ensure!(books.counted >= seen.tokens, "{line}; tokens were used and not counted");
    for part in [before, after] {
        let third = part.len() / 3;
        if third > 20 {
            let (early, late) = (most(&part[third..2 * third]), most(&part[2 * third..]));
            ensure!(
                late < early * 1.15 + 4.0,
                "{line}; memory grows from {early:.1} to {late:.1} MiB"
            );
        }
    }
    Ok(line)
}

fn script_text() -> String {
    let mut lines = String::new();
    for kind in ["text", "tool", "json"] {
        let mut rule = |fault: &str, spoil: &dyn Fn(&mut Value)| {
            let mut reply = answers::reply(kind);
            reply["continues"] = json!(true);
            reply["chunk"] = json!(24);
            reply["delay_ms"] = json!({ "between": 30 });
            spoil(&mut reply);
            let rule = json!({ "when": { "model": format!("{kind}-{fault}") }, "reply": reply });
            lines += &format!("{rule}\n");
        };
        rule("fine", &|_| {});
        for (fault, spoil) in FAULTS {
            rule(fault, &|reply| spoil(reply, answers::of(kind).len() / 2));
        }
    }
    lines
}
