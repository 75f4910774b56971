//! `cargo xtask matrix`: every kind of answer cut at every place, in every dialect, through the
//! gateway.
//!
//! In: `--positions 200`, `--show`. Out: one table: how many answers arrived whole, marked as
//! incomplete, or wrong. An upstream that answers the continuation is scripted; it says honestly
//! why it stopped, or claims to be done. Wrong is a failure: a text that is not the answer and is
//! not marked, a tool call whose arguments are not the model's, a malformed stream, usage that does
//! not add up.

use super::client::{Client, Reply};
use super::reading::{self, Dialect, Seen};
use super::{answers, servers};
use anyhow::{Context, bail};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use xtask::{Flags, Outcome};

const WORKERS: usize = 8;
const FLOOR: f64 = 99.0;

/// One answer that is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Text,
    Tool,
    Json,
}

/// One request of the matrix.
#[derive(Debug, Clone, Copy)]
struct Case {
    dialect: Dialect,
    stream: bool,
    kind: Kind,
    cut: usize,
    honest: bool,
}

/// The outcome of one cell of the table.
#[derive(Debug, Default, Clone)]
struct Tally {
    all: usize,
    whole: usize,
    marked: usize,
    /// Cut in plain prose while the upstream claims to be done: no byte says otherwise.
    unknowable: usize,
    wrong: Vec<String>,
}

/// Runs the whole matrix.
pub(crate) fn run(flags: &mut Flags) -> anyhow::Result<()> {
    let positions = flags.value("--positions")?.unwrap_or(200);
    let show = flags.switch("--show");
    flags.finish()?;
    judge(&measure(positions)?, show).map(|line| println!("{line}"))
}

/// Runs a small one, as part of the tests.
pub(crate) fn short() -> anyhow::Result<Outcome> {
    judge(&measure(12)?, true).map(Outcome::Passed)
}

fn measure(positions: usize) -> anyhow::Result<BTreeMap<String, Tally>> {
    let salve = servers::salve(false)?;
    let folder = tempfile::tempdir()?;
    let script = folder.path().join("matrix.jsonl");
    std::fs::write(&script, script_text(positions))?;
    let sim = servers::sim(&salve, &script)?;
    let gateway = servers::gateway(&salve, sim.address, folder.path(), &[])?;
    let mut cases = Vec::new();
    for dialect in Dialect::ALL {
        for kind in [Kind::Text, Kind::Tool, Kind::Json] {
            for cut in cuts(kind, positions) {
                for stream in [false, true] {
                    for honest in [true, false] {
                        cases.push(Case { dialect, stream, kind, cut, honest });
                    }
                }
            }
        }
    }
    super::runtime()?.block_on(ask_all(gateway.address, cases))
}

async fn ask_all(address: SocketAddr, cases: Vec<Case>) -> anyhow::Result<BTreeMap<String, Tally>> {
    let mut tasks = Vec::new();
    for worker in 0..WORKERS {
        let mine: Vec<Case> = cases.iter().skip(worker).step_by(WORKERS).copied().collect();
        tasks.push(tokio::spawn(async move {
            let mut seen = Vec::new();
            let mut client = Client::connect(address).await?;
            for case in mine {
                let reply = match client.post(case.dialect.path(), KEYS, &request(case)).await {
                    Ok(reply) => reply,
                    Err(error) => {
                        client = Client::connect(address).await?;
                        seen.push((case, Err(error)));
                        continue;
                    }
                };
                seen.push((case, Ok(reply)));
            }
            anyhow::Ok(seen)
        }));
    }
    let mut table: BTreeMap<String, Tally> = BTreeMap::new();
    for task in tasks {
        for (case, reply) in task.await.context("a worker was lost")?? {
            let tally = table.entry(cell_of(case)).or_default();
            tally.all += 1;
            if let Err(error) = reply.and_then(|reply| count(tally, case, &reply)) {
                tally.wrong.push(format!("cut at {}: {error:#}", case.cut));
            }
        }
    }
    Ok(table)
}

fn count(tally: &mut Tally, case: Case, reply: &Reply) -> anyhow::Result<()> {
    if reply.broken {
        bail!("the reply broke off");
    }
    let seen = if case.stream && reply.status == 200 {
        reading::streamed(case.dialect, &reply.body)?
    } else {
        reading::whole(case.dialect, &reply.body)?
    };
    if seen.error.is_some() || reply.status != 200 || is_marked(&seen) {
        if seen.tools.iter().any(|(_, arguments)| !same_json(arguments, answers::of("tool"))) {
            bail!("marked, and yet a tool call was passed on: {:?}", seen.tools);
        }
        tally.marked += 1;
        return Ok(());
    }
    let right = match case.kind {
        Kind::Text => seen.text == case.kind.answer(),
        Kind::Json => same_json(&seen.text, case.kind.answer()),
        Kind::Tool => {
            matches!(&seen.tools[..], [(name, arguments)] if name == "write_file" && same_json(arguments, answers::of("tool")))
        }
    };
    if !right {
        if !case.honest
            && case.kind == Kind::Text
            && answers::ends_in_prose(case.cut)
            && seen.text == case.kind.answer()[..case.cut]
        {
            tally.unknowable += 1;
            return Ok(());
        }
        bail!("passed on as whole and is not the answer: {}", excerpt(&seen));
    }
    let wanted = pieces(case);
    if resumed_once(reply) && seen.output_tokens != wanted {
        bail!("usage says {} tokens, the pieces were {wanted}", seen.output_tokens);
    }
    tally.whole += 1;
    Ok(())
}

/// Whether one continuation healed it, as the headers say, or the last comment of a stream.
fn resumed_once(reply: &Reply) -> bool {
    let said = String::from_utf8_lossy(&reply.body);
    let comment = said.lines().rev().find_map(|line| line.strip_prefix(": salve "));
    let comment: Value = serde_json::from_str(comment.unwrap_or("{}")).unwrap_or_default();
    let alone = comment["reworks"] == 0 && comment["retries"] == 0;
    reply.header("x-salve-resumes") == "1" || (comment["resumes"] == 1 && alone)
}

fn judge(table: &BTreeMap<String, Tally>, show: bool) -> anyhow::Result<String> {
    println!(
        "{:<34} {:>6} {:>7} {:>7} {:>11} {:>6}",
        "dialect, mode, kind, finish", "all", "whole", "marked", "unknowable", "wrong"
    );
    let mut sum = Tally::default();
    for (cell, tally) in table {
        println!(
            "{cell:<34} {:>6} {:>7} {:>7} {:>11} {:>6}",
            tally.all,
            tally.whole,
            tally.marked,
            tally.unknowable,
            tally.wrong.len()
        );
        sum.all += tally.all;
        sum.whole += tally.whole;
        sum.marked += tally.marked;
        sum.unknowable += tally.unknowable;
        sum.wrong.extend(tally.wrong.iter().map(|wrong| format!("{cell}: {wrong}")));
    }
    if show {
        sum.wrong.iter().take(40).for_each(|wrong| println!("{wrong}"));
    }
    let share = 100.0 * sum.whole as f64 / sum.all.max(1) as f64;
    let line = format!(
        "{} answers: {share:.2} % whole, {} marked, {} unknowable, {} wrong",
        sum.all,
        sum.marked,
        sum.unknowable,
        sum.wrong.len()
    );
    if !sum.wrong.is_empty() || sum.all == 0 {
        bail!("{line}; first: {}", sum.wrong.first().map_or("nothing ran", String::as_str));
    }
    let knowable = 100.0 * sum.whole as f64 / (sum.all - sum.unknowable).max(1) as f64;
    if knowable < FLOOR {
        bail!("{line}; the floor is {FLOOR} %");
    }
    Ok(line)
}

const KEYS: &[(&str, &str)] = &[
    ("authorization", "Bearer sk-not-a-key"),
    ("x-api-key", "sk-not-a-key"),
    ("anthropic-version", "2023-06-01"),
];

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Tool => "tool",
            Self::Json => "json",
        }
    }

    fn answer(self) -> &'static str {
        answers::of(self.name())
    }
}

/// Places spread evenly over the answer, none of them its end.
fn cuts(kind: Kind, positions: usize) -> Vec<usize> {
    let length = kind.answer().len();
    let mut cuts: Vec<usize> =
        (1..=positions).map(|nth| (nth * length / (positions + 1)).max(1)).collect();
    cuts.retain(|&cut| kind.answer().is_char_boundary(cut));
    cuts.dedup();
    cuts
}

fn script_text(positions: usize) -> String {
    let mut lines = String::new();
    for kind in [Kind::Text, Kind::Tool, Kind::Json] {
        for cut in cuts(kind, positions) {
            for honest in [true, false] {
                let mut reply = answers::reply(kind.name());
                reply["continues"] = json!(true);
                reply["cuts"] = json!([cut]);
                reply["chunk"] = json!(17);
                if !honest {
                    let lie = if kind == Kind::Tool { "tool_calls" } else { "stop" };
                    reply["finish"] = json!(lie);
                }
                lines += &json!({ "when": { "model": model(kind, cut, honest) }, "reply": reply })
                    .to_string();
                lines.push('\n');
            }
        }
    }
    lines
}

fn model(kind: Kind, cut: usize, honest: bool) -> String {
    format!("{}-{cut}-{}", kind.name(), if honest { "honest" } else { "lying" })
}

fn request(case: Case) -> Value {
    let model = model(case.kind, case.cut, case.honest);
    super::request(case.dialect, case.kind.name(), &model, case.stream)
}

/// The tokens of both pieces, as the upstream counts them.
fn pieces(case: Case) -> u64 {
    // A tool's name counts too, with the first piece.
    let name = if case.kind == Kind::Tool { "write_file".len() } else { 0 };
    let length = case.kind.answer().len();
    ((name + case.cut).div_ceil(4) + (length - case.cut).div_ceil(4)) as u64
}

fn is_marked(seen: &Seen) -> bool {
    matches!(seen.finish.as_str(), "length" | "max_tokens" | "incomplete")
}

fn same_json(left: &str, right: &str) -> bool {
    let read = |text: &str| serde_json::from_str::<Value>(text).ok();
    matches!((read(left), read(right)), (Some(left), Some(right)) if left == right)
}

fn cell_of(case: Case) -> String {
    let mode = if case.stream { "stream" } else { "whole" };
    let finish = if case.honest { "honest" } else { "lying" };
    format!("{:?} {mode} {:?} {finish}", case.dialect, case.kind)
}

fn excerpt(seen: &Seen) -> String {
    let text = format!("{seen:?}");
    text.chars().take(300).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_are_inside_the_answer_and_the_tokens_of_both_pieces_add_up() {
        for kind in [Kind::Text, Kind::Tool, Kind::Json] {
            let answer = kind.answer();
            let places = cuts(kind, 200);
            assert!(places.iter().all(|&cut| cut > 0 && cut < answer.len()));
            let name = if kind == Kind::Tool { "write_file".len() } else { 0 };
            for cut in places {
                let case = Case { dialect: Dialect::Chat, stream: false, kind, cut, honest: true };
                let whole = (name + answer.len()).div_ceil(4) as u64;
                assert!((whole..=whole + 1).contains(&pieces(case)), "{kind:?} at {cut}");
            }
        }
    }

    #[test]
    fn one_wrong_answer_fails_and_so_does_an_empty_table() {
        let row = |tally| BTreeMap::from([("cell".to_owned(), tally)]);
        assert!(judge(&BTreeMap::new(), false).is_err());
        let good = Tally { all: 100, whole: 99, marked: 1, ..Tally::default() };
        assert!(judge(&row(good.clone()), false).is_ok());
        assert!(judge(&row(Tally { whole: 98, marked: 2, ..good.clone() }), false).is_err());
        // What cannot be known does not count against the floor.
        assert!(
            judge(&row(Tally { whole: 90, unknowable: 10, marked: 0, ..good.clone() }), false)
                .is_ok()
        );
        assert!(judge(&row(Tally { wrong: vec!["x".to_owned()], ..good }), false).is_err());
    }
}
