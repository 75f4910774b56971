//! `cargo xtask garble`: streams whose frames are damaged on their way, through the gateway.
//!
//! In: `--n 100000`, `--seed`, `--show`. Out: one table by dialect, and a failure when an answer that
//! is called whole or healed lacks a byte of the truth, when more than 2 % have bytes too many, when
//! fewer than 60 % of the streams damaged once end healed and exact, or when an untouched stream is
//! marked. The upstream here continues truthfully, in streams that may be damaged as well.
//!
//! Nearly half of the answers make up to three calls, of the same tool or of others, with texts before
//! and between them; servers differ in how they write the same answer. What no reader can see is counted
//! apart and not judged: a frame of Chat or Messages that is gone without a trace, one that still reads
//! as the same event with other words, and a text that goes on with all that it began with, as an echo
//! would. Responses counts its events and repeats its text, so there the first is judged always, and
//! the second where nothing else is damaged.

mod accident;
mod answers;
mod damage;
mod frames;
mod style;
mod upstream;

use super::client::Client;
use super::reading::Dialect;
use super::servers;
use answers::Got;
use anyhow::{Context, bail};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use upstream::Truths;
use xtask::{Flags, Outcome};

const STREAMS: u64 = 100_000;
const SHORT: u64 = 600;
const WORKERS: u64 = 8;

/// What the streams gave of one dialect.
#[derive(Debug, Default)]
struct Tally {
    all: usize,
    untouched: usize,
    untouched_marked: usize,
    unseen: usize,
    once: usize,
    once_exact: usize,
    exact: usize,
    marked: usize,
    too_many: usize,
    lacking: Vec<String>,
}

/// Runs all of them.
pub(crate) fn run(flags: &mut Flags) -> anyhow::Result<()> {
    let count = flags.value("--n")?.unwrap_or(STREAMS);
    let seed = flags.value("--seed")?.unwrap_or(1);
    let show = flags.value("--show")?.unwrap_or(5);
    flags.finish()?;
    judge(&measure(seed, count)?, show).map(|line| println!("{line}"))
}

/// Runs a few, as part of the tests.
pub(crate) fn short() -> anyhow::Result<Outcome> {
    judge(&measure(1, SHORT)?, 5).map(Outcome::Passed)
}

fn measure(seed: u64, count: u64) -> anyhow::Result<BTreeMap<&'static str, Tally>> {
    let salve = servers::salve(false)?;
    let folder = tempfile::tempdir()?;
    let runtime = super::runtime()?;
    let truths = Arc::new(Truths::default());
    let address = runtime.block_on(upstream::start(Arc::clone(&truths)))?;
    let gateway = servers::gateway(&salve, address, folder.path(), &[])?;
    runtime.block_on(ask_all(gateway.address, &truths, seed, count))
}

async fn ask_all(
    gateway: SocketAddr,
    truths: &Arc<Truths>,
    seed: u64,
    count: u64,
) -> anyhow::Result<BTreeMap<&'static str, Tally>> {
    let mut tasks = Vec::new();
    for worker in 0..WORKERS {
        let truths = Arc::clone(truths);
        tasks.push(tokio::spawn(async move {
            let mut table = BTreeMap::new();
            let mut client = Client::connect(gateway).await?;
            for number in (worker..count).step_by(WORKERS as usize) {
                let case = truths.begin(seed.wrapping_mul(1 << 32).wrapping_add(number));
                let asked = request(&case);
                let reply = client.post(case.dialect.path(), &[], &asked).await?;
                count_one(
                    table.entry(name(case.dialect)).or_default(),
                    &truths,
                    &case,
                    &reply.body,
                );
            }
            anyhow::Ok(table)
        }));
    }
    let mut all: BTreeMap<&'static str, Tally> = BTreeMap::new();
    for task in tasks {
        for (dialect, tally) in task.await.context("a worker was lost")?? {
            all.entry(dialect).or_default().add(tally);
        }
    }
    Ok(all)
}

fn request(case: &upstream::Case) -> Value {
    let model = format!("garbled-{}", case.number);
    let turns = json!([{ "role": "user", "content": "Say what you know." }]);
    let mut request = match case.dialect {
        Dialect::Responses => json!({ "model": model, "stream": true, "input": turns }),
        _ => json!({ "model": model, "stream": true, "messages": turns, "max_tokens": 100_000 }),
    };
    if !case.truth.calls().is_empty() {
        let tool = |(name, schema): (&str, Value)| match case.dialect {
            Dialect::Chat => json!({ "type": "function",
                "function": { "name": name, "parameters": schema } }),
            Dialect::Responses => json!({ "type": "function", "name": name,
                "parameters": schema }),
            Dialect::Messages => json!({ "name": name, "input_schema": schema }),
        };
        request["tools"] = answers::tools().into_iter().map(tool).collect();
    }
    request
}

const fn name(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Chat => "chat",
        Dialect::Responses => "responses",
        Dialect::Messages => "messages",
    }
}

fn count_one(tally: &mut Tally, truths: &Truths, case: &upstream::Case, body: &[u8]) {
    let Some(damage) = truths.end(case.number) else { return };
    let got = Got::of(case.dialect, body);
    let said = String::from_utf8_lossy(body);
    let comment = said.lines().rev().find_map(|line| line.strip_prefix(": salve "));
    let report: Value = serde_json::from_str(comment.unwrap_or("{}")).unwrap_or_default();
    let good = matches!(report["verdict"].as_str(), Some("whole" | "healed"));
    let exact = good && got.is(&case.truth);
    tally.all += 1;
    if damage.done.is_empty() {
        tally.untouched += 1;
        tally.untouched_marked += usize::from(!(exact && report["verdict"] == "whole"));
        return;
    }
    if damage.unseen {
        tally.unseen += 1;
        return;
    }
    if damage.done.len() == 1 {
        tally.once += 1;
        tally.once_exact += usize::from(exact);
    }
    match good {
        false => tally.marked += 1,
        true if exact => tally.exact += 1,
        true if got.has_all_of(&case.truth) => tally.too_many += 1,
        true => tally.lacking.push(format!(
            "{} {:?}\n  truth {:?}\n  got   {got:?}",
            case.number, damage.done, case.truth
        )),
    }
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.all += other.all;
        self.untouched += other.untouched;
        self.untouched_marked += other.untouched_marked;
        self.unseen += other.unseen;
        self.once += other.once;
        self.once_exact += other.once_exact;
        self.exact += other.exact;
        self.marked += other.marked;
        self.too_many += other.too_many;
        self.lacking.extend(other.lacking);
    }
}

fn judge(table: &BTreeMap<&'static str, Tally>, show: usize) -> anyhow::Result<String> {
    println!(
        "{:<10} {:>7} {:>9} {:>7} {:>7} {:>7} {:>7} {:>8} {:>8} {:>14}",
        "dialect",
        "all",
        "untouched",
        "unseen",
        "exact",
        "marked",
        "more",
        "lacking",
        "once",
        "once exact"
    );
    let mut sum = Tally::default();
    for (dialect, tally) in table {
        println!(
            "{dialect:<10} {:>7} {:>9} {:>7} {:>7} {:>7} {:>7} {:>8} {:>8} {:>14}",
            tally.all,
            tally.untouched,
            tally.unseen,
            tally.exact,
            tally.marked,
            tally.too_many,
            tally.lacking.len(),
            tally.once,
            tally.once_exact
        );
        tally.lacking.iter().take(show).for_each(|lacking| println!("{lacking}"));
    }
    let sums = table.values().fold((0, 0, 0, 0, 0, 0), |sum, tally| {
        let seen = tally.exact + tally.marked + tally.too_many + tally.lacking.len();
        (
            sum.0 + seen,
            sum.1 + tally.too_many,
            sum.2 + tally.once,
            sum.3 + tally.once_exact,
            sum.4 + tally.untouched_marked,
            sum.5 + tally.lacking.len(),
        )
    });
    let (seen, too_many, once, once_exact, untouched_marked, lacking) = sums;
    sum.all = table.values().map(|tally| tally.all).sum();
    let share = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
    let line = format!(
        "{} streams: {lacking} lack bytes, {:.2} % have bytes too many, {:.1} % of those damaged \
         once are exact, {untouched_marked} untouched are marked",
        sum.all,
        share(too_many, seen),
        share(once_exact, once)
    );
    let right = lacking == 0
        && untouched_marked == 0
        && too_many * 50 <= seen
        && once_exact * 100 >= once * 60
        && sum.all > 0;
    if right { Ok(line) } else { bail!("{line}") }
}
