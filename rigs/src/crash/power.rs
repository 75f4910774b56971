//! Power losses: after each operation, every state that its syncs allow.
//!
//! In: a prepared workload. Out: rows of the table: how many states were rebuilt and recovered, and
//! whether each single sync is needed. Never a state that was judged already.

mod model;
mod record;

use super::check::{self, Known, Violation};
use super::child;
use super::grid::{self, Effort, Tally};
use super::listing::{self, Listing, Node, Scratch};
use super::point::{Bench, Prepared};
use super::report::{Expected, Row};
use super::workload::{Beside, Stage};
use crate::corpus::Random;
use anyhow::bail;
use model::{Kind, Left, Memory, Op};
use record::RecordingDisk;
use salve_tree::{FileSync, Workspace, WorkspaceOptions};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

/// What a workload did, as the model tells it.
struct Story {
    begin: Memory,
    ops: Vec<Op>,
    stages: Vec<Stage>,
    first: Listing,
    name: &'static str,
}

/// One state: the operations up to an instant, and what is left of those that were not synced.
#[derive(Debug, Clone)]
struct State {
    cut: usize,
    left: Vec<(usize, Left)>,
}

/// Returns the rows of power losses.
pub(crate) fn rows(
    prepared: &[Prepared],
    effort: Effort,
    bench: &Bench,
) -> anyhow::Result<Vec<Row>> {
    let mut rows = Vec::new();
    let mut stories = Vec::new();
    let fit = |one: &&Prepared| one.workload.beside == Beside::Nothing && !one.workload.is_slow;
    for one in prepared.iter().filter(fit) {
        let story = Story::record(one, bench)?;
        let tally = story.judge(effort.power, None, bench)?;
        rows.push(super::told(Row::clean(format!("power loss: {}", one.workload.name), tally)));
        stories.push(story);
    }
    if let Some(story) = stories.iter().find(|story| story.name == "nested creates") {
        rows.push(super::told(without_syncs(story, effort, bench)?));
    }
    Ok(rows)
}

/// Leaves out one sync after the other: each must be missed.
fn without_syncs(story: &Story, effort: Effort, bench: &Bench) -> anyhow::Result<Row> {
    let mut all = Tally::default();
    let mut unneeded = Vec::new();
    for (at, _) in story.syncs() {
        let tally = story.judge(effort.power, Some(at), bench)?;
        all.points += tally.points;
        all.time += tally.time;
        if tally.is_clean() {
            unneeded.push(at);
        }
        for (kind, count) in tally.wrong {
            *all.wrong.entry(kind).or_default() += count;
        }
    }
    let count = story.syncs().count();
    let noticed = count - unneeded.len();
    for at in unneeded {
        println!("the sync at operation {at} of {} was not missed", story.name);
    }
    let name = format!("without one sync ({noticed} of {count} missed)");
    Ok(Row { name, tally: all, expected: Expected::Some(check::Kind::Torn) })
}

impl Story {
    fn record(one: &Prepared, bench: &Bench) -> anyhow::Result<Self> {
        let copy = Scratch::copy_of(one.template.path(), &bench.base)?;
        let (begin, numbers) = Memory::read(copy.path())?;
        let disk = Arc::new(RecordingDisk::new(&begin, numbers));
        let options = WorkspaceOptions {
            disk: Arc::clone(&disk) as Arc<dyn salve_tree::Disk>,
            ..WorkspaceOptions::default()
        };
        let (workspace, _) = Workspace::open(copy.path(), options)?;
        for (number, act) in (one.workload.acts)().iter().enumerate() {
            if !child::is_done(&workspace, act, number)? {
                bail!("{}: does not work even without faults", one.workload.name);
            }
            disk.ack();
        }
        let plain = |tree: &Listing| without_notes(tree);
        let stages = one.stages.iter();
        Ok(Self {
            begin,
            ops: disk.ops(),
            stages: stages
                .map(|stage| Stage { tree: plain(&stage.tree), in_effect: stage.in_effect })
                .collect(),
            first: plain(&one.begin),
            name: one.workload.name,
        })
    }

    fn syncs(&self) -> impl Iterator<Item = (usize, &Op)> {
        self.ops.iter().enumerate().filter(|(_, op)| matches!(op, Op::Sync(_)))
    }

    /// Judges states until there are no more or enough.
    fn judge(&self, most: usize, missing: Option<usize>, bench: &Bench) -> anyhow::Result<Tally> {
        let mut seen = HashSet::new();
        let states: Vec<State> = self
            .states(most, missing)
            .into_iter()
            .filter(|state| seen.insert(self.fingerprint(state)))
            .collect();
        grid::run(&states, |state| {
            let again = format!("power loss in {} after operation {}", self.name, state.cut);
            Ok((format!("{again}: {:?}", self.lost(state)), self.check(state, bench)?))
        })
    }

    /// Lists states: for each instant all that is pending kept, all lost, each alone kept and lost,
    /// and some at random.
    fn states(&self, most: usize, missing: Option<usize>) -> Vec<State> {
        let mut random = Random::new(7).for_name(self.name);
        let each = most.div_ceil(self.ops.len() + 1).max(4);
        let mut states = Vec::new();
        for cut in 0..=self.ops.len() {
            let pending = self.pending(cut, missing);
            let all = |left: Left| pending.iter().map(|at| (*at, left)).collect::<Vec<_>>();
            let mut here = vec![all(Left::All), all(Left::Nothing), all(Left::Half)];
            for at in &pending {
                for (rest, one) in [(Left::All, Left::Nothing), (Left::Nothing, Left::All)] {
                    let but = pending.iter().map(|op| (*op, if op == at { one } else { rest }));
                    here.push(but.collect());
                }
            }
            for _ in 0..each {
                let any = [Left::All, Left::Nothing, Left::Half];
                let pick = pending.iter().map(|at| (*at, any[random.below(3)]));
                here.push(pick.collect());
            }
            random.shuffle(&mut here[3..]);
            here.truncate(each.max(3));
            states.extend(here.into_iter().map(|left| State { cut, left }));
        }
        states
    }

    /// Lists the operations before an instant that no sync has made to last.
    fn pending(&self, cut: usize, missing: Option<usize>) -> Vec<usize> {
        let done = self.ops.get(..cut).unwrap_or(&self.ops);
        let syncs: Vec<(usize, &Vec<usize>)> = done
            .iter()
            .enumerate()
            .filter(|(at, _)| Some(*at) != missing)
            .filter_map(|(at, op)| if let Op::Sync(all) = op { Some((at, all)) } else { None })
            .collect();
        let lasts = |at: usize, op: &Op| {
            op.lasts_by(&[]) || syncs.iter().any(|(sync, all)| *sync > at && op.lasts_by(all))
        };
        let open = done.iter().enumerate().filter(|(at, op)| !lasts(*at, op));
        open.map(|(at, _)| at).collect()
    }

    fn rebuild(&self, state: &State) -> Memory {
        let mut memory = self.begin.clone();
        for op in &self.ops {
            if let Op::Link { inode, .. } = op {
                let empty = if self.is_directory(*inode) {
                    Kind::Dir(std::collections::BTreeMap::new())
                } else {
                    Kind::File { bytes: Vec::new(), mode: 0o600 }
                };
                debug_assert_eq!(memory.nodes.len(), *inode);
                memory.nodes.push(empty);
            }
        }
        let left: std::collections::HashMap<usize, Left> = state.left.iter().copied().collect();
        for (at, op) in self.ops.iter().enumerate().take(state.cut) {
            memory.replay(op, left.get(&at).copied().unwrap_or(Left::All));
        }
        memory
    }

    /// A file is given its permissions when it is made; a directory is not.
    fn is_directory(&self, inode: usize) -> bool {
        !self.ops.iter().any(|op| match op {
            Op::Dress { inode: other, .. }
            | Op::Append { inode: other, .. }
            | Op::Truncate { inode: other, .. } => *other == inode,
            _ => false,
        })
    }

    fn fingerprint(&self, state: &State) -> u64 {
        let mut hasher = DefaultHasher::new();
        let acks = self.acks(state.cut);
        format!("{acks} {:?}", self.rebuild(state).reachable()).hash(&mut hasher);
        hasher.finish()
    }

    fn acks(&self, cut: usize) -> usize {
        self.ops.iter().take(cut).filter(|op| matches!(op, Op::Ack)).count()
    }

    /// Tells what was lost, for a reader.
    fn lost(&self, state: &State) -> Vec<String> {
        let lost = state.left.iter().filter(|(_, left)| *left != Left::All);
        lost.filter_map(|(at, left)| Some(format!("{left:?} of {at} {:?}", self.ops.get(*at)?)))
            .map(|text| text.chars().take(120).collect())
            .collect()
    }

    fn check(&self, state: &State, bench: &Bench) -> anyhow::Result<Vec<Violation>> {
        let place = Scratch::new(&bench.base)?;
        let folder = place.path();
        self.rebuild(state).write(folder)?;
        let still = listing::identities(folder)?;
        let bystanders = still.into_iter().filter(|(path, _)| path.starts_with("keep/")).collect();
        let acks = self.acks(state.cut);
        let known = Known {
            stages: &self.stages,
            allowed: vec![acks, acks + 1],
            meanwhile: None,
            may_keep: false,
            bystanders: &bystanders,
        };
        let options = WorkspaceOptions { durability: FileSync::None, ..Default::default() };
        let mut wrong = Vec::new();
        if let Err(error) = Workspace::open(folder, options) {
            wrong.push(Violation::new(check::Kind::Broken, format!("recovery: {error}")));
        }
        wrong.extend(check::after_recovery(folder, &known)?);
        if wrong.is_empty() && self.name != "undo by force" {
            wrong.extend(check::by_going_back(folder, &self.first)?);
        }
        Ok(wrong)
    }
}

/// The model knows no attributes.
fn without_notes(tree: &Listing) -> Listing {
    let plain = |node: &Node| match node {
        Node::File { hash, mode, .. } => Node::File { hash: *hash, mode: *mode, note: None },
        other => other.clone(),
    };
    tree.iter().map(|(path, node)| (path.clone(), plain(node))).collect()
}
