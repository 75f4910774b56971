//! The ways through a manifest: every jump leads somewhere, every block is reached, some way ends well.
//!
//! In: all blocks of a file, with their places. Out: the same with the built-in blocks that are used. Never
//! follows a way: it only looks where ways lead.

use super::blocks::ReadBlock;
use super::names::nearest;
use super::problem::ProblemCode;
use super::read::Reader;
use super::worker::{Worker, WorkerOptions};
use super::{BUILT_IN, END, FlowBlock, HALT, Transition, WRITE};
use crate::workflow::payload::MergeRule;
use salve_types::Signal;
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn add_built_in_and_check_ways(
    reader: &mut Reader<'_>,
    read: &[ReadBlock],
    start: &str,
) -> Vec<FlowBlock> {
    let defined: BTreeSet<String> = read.iter().map(|one| one.block.name.clone()).collect();
    for one in read {
        for (index, (transition, span)) in
            one.block.transitions.iter().zip(&one.actions).enumerate()
        {
            let to = transition.to.as_str();
            if defined.contains(to) || BUILT_IN.contains(&to) {
                continue;
            }
            let known = defined.iter().map(String::as_str).chain(BUILT_IN);
            let message = format!("no block is called `{to}`{}", nearest(to, known));
            let place = format!("Block:{}.transitions[{index}].action", one.block.name);
            reader.say(ProblemCode::UnknownBlock, &place, *span, message);
        }
    }
    let all = with_built_in(read.iter().map(|one| one.block.clone()).collect());
    let reached = reached(&all, start);
    for one in read.iter().filter(|one| !reached.contains(&one.block.name)) {
        let message = format!("no way from `{start}` leads to this block");
        let place = format!("Block:{}", one.block.name);
        reader.say(ProblemCode::UnreachableBlock, &place, one.at, message);
    }
    // Where a name is wrong, a way may be missing only because of it.
    if reader.problems.is_empty() && !reached.contains(END) {
        let at = read.iter().find(|one| one.block.name == start).map(|one| one.at);
        let message = format!(
            "no way from here leads to a good end; let one block jump to `{END}` or `{WRITE}`"
        );
        reader.say(
            ProblemCode::NeverEnds,
            &format!("Block:{start}"),
            at.unwrap_or_default(),
            message,
        );
    }
    all.into_iter().filter(|block| reached.contains(&block.name)).collect()
}

// Signals without a transition fall to the one of a failure, and that to a halt; so the halt is always reached.
fn reached(blocks: &[FlowBlock], start: &str) -> BTreeSet<String> {
    let by_name: BTreeMap<&str, &FlowBlock> =
        blocks.iter().map(|block| (block.name.as_str(), block)).collect();
    let mut reached = BTreeSet::from([start.to_owned(), HALT.to_owned()]);
    let mut open = vec![start.to_owned()];
    while let Some(name) = open.pop() {
        let Some(block) = by_name.get(name.as_str()) else { continue };
        for transition in &block.transitions {
            if reached.insert(transition.to.clone()) {
                open.push(transition.to.clone());
            }
        }
    }
    reached
}

fn with_built_in(mut blocks: Vec<FlowBlock>) -> Vec<FlowBlock> {
    for name in BUILT_IN {
        if !blocks.iter().any(|block| block.name == name) {
            blocks.push(built_in(name));
        }
    }
    blocks
}

fn built_in(name: &str) -> FlowBlock {
    let to = |on_signal, to: &str| Transition { on_signal, to: to.to_owned() };
    let (worker, transitions) = match name {
        WRITE => {
            let ways = vec![to(Signal::Success, END), to(Signal::FailDefault, HALT)];
            (Worker::FileSystemWriter, ways)
        }
        _ => (Worker::Halt, Vec::new()),
    };
    FlowBlock {
        name: name.to_owned(),
        node: None,
        worker,
        options: WorkerOptions::default(),
        schema: None,
        merge: MergeRule::default(),
        transitions,
    }
}
