//! `cargo xtask speed`: the gateway's speed beside a direct call and beside a peer, in one run.
//!
//! In: a released `salve`, and the peer from the package registry. Out: a table of requests a
//! second, latencies and memory, and one goal line for each promise. The client, the gateway and the
//! upstream share the machine's cores, for every one of the three alike.

use super::client::Client;
use super::servers::{self, Server};
use anyhow::{Context, bail};
use bytes::Bytes;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};
use xtask::{Flags, process, workspace};

const PEER: &str = "suture-repair";
const PEER_VERSION: &str = "0.1.2";
const CELL: Duration = Duration::from_secs(3);
/// Rounds of direct, peer and ours one after the other; the median of each is taken, because the
/// machine is never quite the same.
const ROUNDS: usize = 3;
const PATH: &str = "/v1/chat/completions";

/// What one target did in one cell.
#[derive(Debug, Clone, Default)]
struct Cell {
    rate: f64,
    p50: f64,
    p99: f64,
    first_byte: f64,
}

/// Measures everything and prints the goal lines last.
pub(crate) fn run(flags: &mut Flags) -> anyhow::Result<()> {
    flags.finish()?;
    for goal in measure()? {
        println!("{goal}");
    }
    Ok(())
}

fn measure() -> anyhow::Result<Vec<String>> {
    let salve = servers::salve(true)?;
    let peer = install_peer()?;
    let folder = tempfile::tempdir()?;
    let script = folder.path().join("speed.jsonl");
    std::fs::write(&script, script_text())?;
    let sim = servers::sim(&salve, &script)?;
    let ours = servers::gateway(&salve, sim.address, folder.path(), &[])?;
    let peer = start_peer(&peer, sim.address)?;
    let targets = [("direct", &sim), (PEER, &peer), ("salve", &ours)];
    let runtime = super::runtime()?;
    let mut goals = Vec::new();
    println!("target         mode    conns     req/s   p50 ms   p99 ms  first byte ms");
    for stream in [false, true] {
        for connections in [1, 32] {
            let cells = runtime.block_on(rounds(&targets, stream, connections))?;
            goals.extend(goals_of(&cells, stream, connections));
        }
    }
    goals.push(runtime.block_on(memory(&ours))?);
    goals.extend(runtime.block_on(flatness(&targets))?);
    Ok(goals)
}

fn script_text() -> String {
    let text =
        "The quick brown fox jumps over the lazy dog, and the dog does not mind. ".repeat(14);
    let rule = |when: &str, text: &str, more: Value| {
        let mut reply = json!({ "text": text });
        if let (Some(reply), Some(more)) = (reply.as_object_mut(), more.as_object()) {
            reply.extend(more.clone());
        }
        json!({ "when": { "model": when }, "reply": reply }).to_string()
    };
    let mut lines = vec![
        rule("speed", &text, json!({ "chunk": 32 })),
        rule("slow", &text.repeat(8), json!({ "chunk": 32, "delay_ms": { "between": 20 } })),
    ];
    for size in [1_000, 1_000_000] {
        let long = text.repeat(size / text.len() + 1);
        lines.push(rule(&format!("long{size}"), &long[..size], json!({ "chunk": 250 })));
    }
    lines.join("\n") + "\n"
}

fn install_peer() -> anyhow::Result<PathBuf> {
    let root = workspace::target_dir()?.join("tools").join("peer");
    let program = root.join("bin").join("suture");
    if !program.exists() {
        let root = root.to_string_lossy().into_owned();
        let version = format!("={PEER_VERSION}");
        let arguments =
            ["install", "--quiet", "--locked", PEER, "--version", &version, "--root", &root];
        process::run(&mut process::cargo(&arguments)).context("the peer could not be built")?;
    }
    Ok(program)
}

fn start_peer(program: &PathBuf, upstream: SocketAddr) -> anyhow::Result<Server> {
    let port = servers::free_port()?;
    let mut command = Command::new(program);
    command
        .env("SUTURE_LISTEN", format!("127.0.0.1:{port}"))
        .env("SUTURE_OPENAI_BASE", format!("http://{upstream}"))
        .env("SUTURE_ANTHROPIC_BASE", format!("http://{upstream}"));
    servers::start(&mut command, port)
}

async fn rounds(
    targets: &[(&str, &Server)],
    stream: bool,
    connections: usize,
) -> anyhow::Result<Vec<Cell>> {
    let mut seen: Vec<Vec<Cell>> = vec![Vec::new(); targets.len()];
    for _ in 0..ROUNDS {
        for (cells, (_, server)) in seen.iter_mut().zip(targets) {
            cells.push(cell(server.address, stream, connections).await?);
        }
    }
    let cells: Vec<Cell> = seen.iter().map(|cells| middle(cells)).collect();
    for (cell, (name, _)) in cells.iter().zip(targets) {
        let mode = if stream { "stream" } else { "json" };
        println!(
            "{name:<14} {mode:<7} {connections:>5} {:>9.0} {:>8.3} {:>8.3} {:>14.3}",
            cell.rate, cell.p50, cell.p99, cell.first_byte
        );
    }
    Ok(cells)
}

fn middle(cells: &[Cell]) -> Cell {
    let median = |of: fn(&Cell) -> f64| {
        let mut values: Vec<f64> = cells.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or_default()
    };
    Cell {
        rate: median(|cell| cell.rate),
        p50: median(|cell| cell.p50),
        p99: median(|cell| cell.p99),
        first_byte: median(|cell| cell.first_byte),
    }
}

/// A closed loop: each connection asks, reads to the end and asks again.
async fn cell(address: SocketAddr, stream: bool, connections: usize) -> anyhow::Result<Cell> {
    let body = request("speed", stream)?;
    let begin = Instant::now();
    let mut tasks = Vec::new();
    for _ in 0..connections {
        let body = body.clone();
        tasks.push(tokio::spawn(async move {
            let mut client = Client::connect(address).await?;
            let mut times = Vec::new();
            while begin.elapsed() < CELL {
                let reply = client.post_bytes(PATH, &[KEY], body.clone()).await?;
                if reply.status != 200 || reply.broken {
                    bail!("status {} in a speed run", reply.status);
                }
                times.push((reply.total, reply.first_byte));
            }
            Ok(times)
        }));
    }
    let mut times = Vec::new();
    for task in tasks {
        times.extend(task.await??);
    }
    let seconds = begin.elapsed().as_secs_f64();
    let millis = |of: fn(&(Duration, Duration)) -> Duration| {
        let mut all: Vec<f64> = times.iter().map(|it| of(it).as_secs_f64() * 1e3).collect();
        all.sort_by(f64::total_cmp);
        all
    };
    let (totals, firsts) = (millis(|it| it.0), millis(|it| it.1));
    let at = |all: &[f64], part: f64| all.get((all.len() as f64 * part) as usize).copied();
    Ok(Cell {
        rate: times.len() as f64 / seconds,
        p50: at(&totals, 0.5).context("no request ended")?,
        p99: at(&totals, 0.99).context("no request ended")?,
        first_byte: at(&firsts, 0.5).context("no request ended")?,
    })
}

const KEY: (&str, &str) = ("authorization", "Bearer sk-not-a-key");

fn request(model: &str, stream: bool) -> anyhow::Result<Bytes> {
    let messages = json!([{ "role": "user", "content": "Tell me about the fox." }]);
    let body = json!({ "model": model, "stream": stream, "messages": messages });
    Ok(Bytes::from(serde_json::to_vec(&body)?))
}

fn goals_of(cells: &[Cell], stream: bool, connections: usize) -> Vec<String> {
    let [direct, peer, ours] = cells else { return Vec::new() };
    let mode = if stream { "stream" } else { "json" };
    let what = format!("gateway {mode} at {connections}");
    let mut goals = vec![
        goal(&format!("{what}: req/s over the peer's"), ours.rate / peer.rate, 1.0, true),
        goal(
            &format!("{what}: added p50 over the peer's"),
            (ours.p50 - direct.p50) / (peer.p50 - direct.p50).max(0.001),
            1.0,
            false,
        ),
    ];
    match (stream, connections) {
        (false, 1) => {
            goals.push(goal(&format!("{what}: added p50, ms"), ours.p50 - direct.p50, 0.3, false));
        }
        (false, _) => goals.push(goal(
            &format!("{what}: share of direct"),
            ours.rate / direct.rate,
            0.3,
            true,
        )),
        (true, 1) => goals.push(goal(
            &format!("{what}: first byte later by, ms"),
            ours.first_byte - direct.first_byte,
            1.0,
            false,
        )),
        (true, _) => {}
    }
    goals
}

fn goal(what: &str, seen: f64, bound: f64, at_least: bool) -> String {
    let word = if (seen >= bound) == at_least || seen == bound { "PASS" } else { "BELOW" };
    let sign = if at_least { ">=" } else { "<=" };
    format!("{what:<48} {seen:>9.3}  goal {sign} {bound:<7} {word}")
}

/// Two hundred streams at once, each of them slow.
async fn memory(ours: &Server) -> anyhow::Result<String> {
    let body = request("slow", true)?;
    let mut tasks = Vec::new();
    for _ in 0..200 {
        let (body, address) = (body.clone(), ours.address);
        tasks.push(tokio::spawn(async move {
            let mut client = Client::connect(address).await?;
            let reply = client.post_bytes(PATH, &[KEY], body).await?;
            if reply.status != 200 {
                bail!("status {}", reply.status);
            }
            Ok(())
        }));
    }
    for task in tasks {
        task.await??;
    }
    let (_, most) = ours.memory();
    Ok(goal("gateway memory at 200 streams, MiB", most, 100.0, false))
}

/// What a chunk costs in a short stream and in a long one.
async fn flatness(targets: &[(&str, &Server)]) -> anyhow::Result<Vec<String>> {
    let mut added = Vec::new();
    for (size, times) in [(1_000_usize, 200), (1_000_000, 5)] {
        let mut cost = Vec::new();
        for name in ["direct", "salve"] {
            let (_, server) = targets.iter().find(|it| it.0 == name).context("no such target")?;
            let mut client = Client::connect(server.address).await?;
            let body = request(&format!("long{size}"), true)?;
            let mut all = Vec::new();
            for _ in 0..times {
                let reply = client.post_bytes(PATH, &[KEY], body.clone()).await?;
                all.push((reply.total - reply.first_byte).as_secs_f64());
            }
            all.sort_by(f64::total_cmp);
            cost.push(all.get(all.len() / 2).copied().unwrap_or_default());
        }
        let chunks = (size / 250) as f64;
        added.push((cost[1] - cost[0]).max(0.0) / chunks * 1e6);
        println!("{size:>8} bytes: {:.1} µs added a chunk", added[added.len() - 1]);
    }
    let ratio = added[1] / added[0].max(1.0);
    Ok(vec![goal("gateway: cost of a chunk at 1 MB over 1 KB", ratio, 1.5, false)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_is_reached_at_its_bound() {
        let word = |seen, at_least| {
            let line = goal("x", seen, 1.0, at_least);
            line.rsplit(' ').next().map(str::to_owned).unwrap_or_default()
        };
        assert_eq!([0.9, 1.0, 1.1].map(|seen| word(seen, true)), ["BELOW", "PASS", "PASS"]);
        assert_eq!([0.9, 1.0, 1.1].map(|seen| word(seen, false)), ["PASS", "PASS", "BELOW"]);
    }
}
