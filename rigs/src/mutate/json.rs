//! Broken JSON: every class of faults in every style, read by us and by the peers.
//!
//! In: a number of cases and a seed. Out: the tables, or the cases of a class that went wrong. Never a
//! parser of ours in the generator: documents, styles and faults know the value before the text.

use super::document::document;
use super::fault::{Case, FAULTS, Fault, break_with, weight};
use super::peers::{self, Peer};
use super::score::{Answer, Tally, invented, judge};
use super::style::{STYLES, write};
use super::table::Board;
use crate::corpus::Random;
use anyhow::{Result, bail};
use salve_text::{Kind, NodeId, NodeState, ParseOptions, Tree, parse_json};
use serde_json::Value;

pub(super) const OURS: &str = "ours";
const TRUTH: &str = "stand-in";
const TRIES: usize = 60;

/// What to measure and to print.
pub(super) struct Options {
    pub count: usize,
    pub seed: u64,
    /// A class or a style of which wrong cases are printed.
    pub show: Option<String>,
    pub shown: usize,
    pub peers: bool,
    pub document: bool,
}

/// Where a case comes from.
pub(super) struct Drawn {
    pub number: usize,
    pub kind: &'static str,
    pub style: &'static str,
    pub fault: &'static str,
    pub case: Case,
}

/// Returns the case of a number; every class comes up as often as its weight says.
pub(super) fn draw(number: usize, seed: u64) -> Option<Drawn> {
    let classes: Vec<&Fault> =
        FAULTS.iter().flat_map(|fault| std::iter::repeat_n(fault, weight(fault))).collect();
    let fault = classes[number % classes.len()];
    let mut random =
        Random::new(seed.wrapping_mul(1_000_003).wrapping_add(number as u64)).for_name(fault.name);
    let style =
        STYLES[(number / classes.len()).wrapping_add(random.below(STYLES.len())) % STYLES.len()].0;
    for _ in 0..TRIES {
        let (kind, value) = document(&mut random);
        let Some(written) = write(&value, style, &mut random) else { continue };
        if let Some(case) = break_with(written, fault, &mut random) {
            return Some(Drawn { number, kind, style, fault: fault.name, case });
        }
    }
    None
}

/// What the product reads, as `salve parse` does.
pub(super) fn ours(text: &str) -> Option<Answer> {
    std::panic::catch_unwind(|| {
        let parsed = parse_json(text, &ParseOptions::default());
        let value = parsed.value();
        let inferred = parsed.tree.root().is_some_and(|root| any_inferred(&parsed.tree, root));
        Answer { value: Some(value), complete: parsed.complete, inferred }
    })
    .ok()
}

/// Measures, prints, and fails when a string was invented or the parser panicked.
pub(super) fn run(options: &Options) -> Result<()> {
    let (mut peers, missing) = if options.peers {
        peers::all()
    } else {
        (Vec::new(), vec!["all: not asked for".to_owned()])
    };
    for peer in &missing {
        eprintln!("MISSING peer {peer}");
    }
    let mut board = Board::default();
    board.programs.push(OURS);
    board.programs.extend(peers.iter().map(|peer| peer.name));
    let (mut shown, mut panics) = (0, 0);
    for number in 0..options.count {
        let Some(drawn) = draw(number, options.seed) else { continue };
        let place = (drawn.fault, drawn.style);
        let answer = ours(&drawn.case.text);
        panics += usize::from(answer.is_none());
        let answer = answer.unwrap_or_default();
        let tally = judge(&drawn.case, &answer);
        board.add(OURS, place, &tally);
        board.add(TRUTH, place, &stand_in(&drawn.case));
        let right = ask(&mut peers, &drawn, &mut board)?;
        if shown < options.shown && wanted(options, &drawn, &tally) {
            shown += 1;
            tell(&drawn, &answer, &right);
        }
    }
    let truth = board.total(TRUTH);
    if truth.right != truth.cases || truth.lost + truth.invented > 0 {
        bail!("the stand-in that knows the truth has {} of {} right", truth.right, truth.cases);
    }
    if options.document {
        println!("{}", serde_json::to_string_pretty(&board.document(options.seed))?);
    } else {
        println!(
            "{} cases, seed {}; a stand-in that answers from the truth: 100 %",
            truth.cases, options.seed
        );
        board.print();
    }
    let ours = board.total(OURS);
    if panics + ours.invented > 0 {
        bail!("{} strings invented, {panics} panics", ours.invented);
    }
    Ok(())
}

/// Runs our side alone: the cases, and what went so wrong that a check must fail.
pub(super) fn sample(count: usize, seed: u64) -> (Tally, Vec<String>) {
    let (mut all, mut faults) = (Tally::default(), Vec::new());
    for number in 0..count {
        let Some(drawn) = draw(number, seed) else { continue };
        let Some(answer) = ours(&drawn.case.text) else {
            faults.push(format!("case {number}: the parser panicked on {:?}", drawn.case.text));
            continue;
        };
        all.add(&judge(&drawn.case, &answer));
        for text in answer.value.iter().flat_map(|value| invented(&drawn.case, value)) {
            faults.push(format!(
                "case {number} ({}, {}): {text:?} was invented from {:?}",
                drawn.fault, drawn.style, drawn.case.text
            ));
        }
    }
    (all, faults)
}

fn any_inferred(tree: &Tree, node: NodeId) -> bool {
    if tree.state(node) == NodeState::Inferred {
        return true;
    }
    match tree.kind(node) {
        Kind::Array => tree.items(node).any(|item| any_inferred(tree, item)),
        Kind::Object => tree.entries(node).any(|(_, item)| any_inferred(tree, item)),
        _ => false,
    }
}

fn stand_in(case: &Case) -> Tally {
    let value = case.truths.first().cloned();
    judge(case, &Answer { value, complete: true, inferred: false })
}

// Returns the peers that have it right.
fn ask(peers: &mut [Peer], drawn: &Drawn, board: &mut Board) -> Result<Vec<&'static str>> {
    let mut right = Vec::new();
    for peer in peers {
        let tally = judge(&drawn.case, &peer.ask(&drawn.case.text)?);
        board.add(peer.name, (drawn.fault, drawn.style), &tally);
        if tally.right == 1 {
            right.push(peer.name);
        }
    }
    Ok(right)
}

fn wanted(options: &Options, drawn: &Drawn, tally: &Tally) -> bool {
    let Some(show) = options.show.as_deref() else { return false };
    let named = show == "all" || show == drawn.fault || show == drawn.style || show == drawn.kind;
    match show {
        "invented" => tally.invented > 0,
        "lost" => tally.lost > 0,
        "complete" => tally.wrong_complete > 0,
        _ => named && tally.right == 0,
    }
}

fn tell(drawn: &Drawn, answer: &Answer, right: &[&str]) {
    let truth = drawn.case.truths.first().unwrap_or(&Value::Null);
    let found = answer.value.as_ref().unwrap_or(&Value::Null);
    println!("=== case {}: {}, {}, {}", drawn.number, drawn.fault, drawn.style, drawn.kind);
    println!("{}", drawn.case.text);
    println!("--- truth  {truth}");
    println!("--- ours   {found}");
    println!(
        "--- complete {}, inferred {}, invented {:?}; right: {}\n",
        answer.complete,
        answer.inferred,
        invented(&drawn.case, found),
        right.join(", ")
    );
}
