//! Random walks through conversations: turns, decisions, rewinds, forks, handoffs, edits by hand, in any order.
//!
//! In: how many, and a seed. Out: how many steps of each kind there were. After every step, and after the store was
//! opened again, everything is what the walk believes: the files, the position of the history, the tasks, the
//! registry, the turns that count. Never a step that is not held to that.

mod belief;
mod desk;
mod hold;
mod moves;
mod turns;

use crate::corpus::Random;
use anyhow::{Context, Result};
use belief::{Belief, Talk};
use desk::{Desk, Hosts, MARK, Mouth};
use salve_engine::session::TurnInput;
use salve_store::NewSession;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use turns::Held;

/// The files that are there at the beginning, and those that turns may make.
const FILES: [&str; 4] = ["ash.txt", "birch.txt", "cedar.txt", "elm.txt"];
const MORE: [&str; 2] = ["fir.txt", "hazel.txt"];
/// How many steps a walk has, at most.
const STEPS: usize = 14;

/// Walks.
pub(super) fn run(salve: &Path, runs: usize, random: &mut Random) -> Result<String> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let mut tally = BTreeMap::new();
    for number in 0..runs {
        let seed = random.next();
        let walked = runtime.block_on(walk(salve, seed, &mut tally));
        walked.with_context(|| format!("walk {number} of {runs}, begun with {seed}"))?;
    }
    let steps: usize = tally.values().sum();
    let kinds: Vec<String> = tally.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    Ok(format!("chat: {runs} walks of {steps} steps, all as believed ({})", kinds.join(", ")))
}

/// One walk, begun with a seed of its own.
async fn walk(salve: &Path, seed: u64, tally: &mut BTreeMap<&'static str, usize>) -> Result<()> {
    let folder = tempfile::Builder::new().prefix("salve-walk-").tempdir()?;
    let (root, data) = (folder.path().join("project"), folder.path().join("data"));
    for path in [&root, &data] {
        std::fs::create_dir(path)?;
    }
    let root = root.canonicalize()?;
    let mut random = Random::new(seed);
    let mut belief = Belief { checked: random.below(3) > 0, ..Belief::default() };
    if belief.checked {
        std::fs::write(root.join(MARK), "")?;
    }
    for name in FILES {
        let text = format!("{name} 0\nsecond line\nthird line\n");
        std::fs::write(root.join(name), &text)?;
        belief.files.insert(name.to_owned(), text);
    }
    let (mouth, hosts) = (Arc::new(Mouth::default()), Arc::new(Hosts::new(salve, folder.path())));
    let desk = Desk::open(&data, Arc::clone(&mouth), Arc::clone(&hosts)).await?;
    let mut walk =
        Walk { desk, mouth, root, belief, random, held: Vec::new(), count: 0, did: Vec::new() };
    walk.begin().await?;
    let walked = walk.steps(tally).await;
    let did = walk.did.join("\n  ");
    walked.with_context(|| format!("after\n  {did}\n"))?;
    let Walk { desk, belief, root, mouth, .. } = walk;
    desk.close().await;
    let desk = Desk::open(&data, mouth, hosts).await?;
    let held = hold::all(&belief, desk.store(), &root, &Known::default()).await;
    desk.close().await;
    held.with_context(|| format!("opened again after\n  {did}\n"))
}

/// Which session knows which files as they are now; all of them where none is named.
#[derive(Debug, Default)]
struct Known {
    talk: Option<usize>,
    files: Option<BTreeSet<String>>,
}

/// A walk that is under way.
struct Walk {
    desk: Desk,
    mouth: Arc<Mouth>,
    root: PathBuf,
    belief: Belief,
    random: Random,
    /// Turns that wait for a word.
    held: Vec<Held>,
    /// Makes every content another one.
    count: usize,
    did: Vec<String>,
}

impl Walk {
    async fn begin(&mut self) -> Result<()> {
        let workspace = self.root.display().to_string();
        let new = NewSession { workspace, title: "walk".to_owned(), ..NewSession::default() };
        let session = self.desk.store().new_session(new).await?;
        self.belief.talks.push(Talk::new(session.id));
        Ok(())
    }

    async fn steps(&mut self, tally: &mut BTreeMap<&'static str, usize>) -> Result<()> {
        for _ in 0..(STEPS / 2 + self.random.below(STEPS / 2)) {
            let (kind, known) = self.step().await?;
            *tally.entry(kind).or_default() += 1;
            let (store, root) = (self.desk.store(), &self.root);
            hold::all(&self.belief, store, root, &known).await.with_context(|| kind)?;
        }
        Ok(())
    }

    async fn step(&mut self) -> Result<(&'static str, Known)> {
        let talk = self.random.below(self.belief.talks.len());
        match self.random.below(21) {
            0..9 => self.turn(talk).await,
            9 | 10 if !self.held.is_empty() => self.decide().await,
            11 | 12 => self.edit(),
            13..16 => self.rewind(talk).await,
            16 => self.undo_rewind(talk).await,
            17 => self.fork(talk).await,
            18 => self.undo().await,
            19 => self.redo().await,
            20 => self.hand_over(talk).await,
            _ => self.edit(),
        }
    }

    /// A file is changed by hand.
    fn edit(&mut self) -> Result<(&'static str, Known)> {
        let name = self.name();
        let path = self.root.join(&name);
        if self.random.below(5) == 0 && self.belief.files.remove(&name).is_some() {
            std::fs::remove_file(path)?;
            self.did.push(format!("by hand: {name} goes"));
        } else {
            let text = self.text(&name, "by hand");
            std::fs::write(path, &text)?;
            self.did.push(format!("by hand: {name} is {text:?}"));
            self.belief.files.insert(name, text);
        }
        Ok(("edits by hand", Known::default()))
    }

    fn name(&mut self) -> String {
        let all: Vec<&str> = FILES.into_iter().chain(MORE).collect();
        all[self.random.below(all.len())].to_owned()
    }

    fn text(&mut self, name: &str, by: &str) -> String {
        self.count += 1;
        format!("{name} {} {by}\nsecond line\nthird line\n", self.count)
    }

    fn input(&self, talk: usize, turn: u32, apply: bool, attempt: u32) -> Result<TurnInput> {
        let session = &self.belief.talks[talk].session;
        // By its names, so that what a turn can be told beside this stays as it is by default.
        Ok(serde_json::from_value(serde_json::json!({
            "root": self.root, "session": session, "turn": turn, "apply": apply,
            "attempt": attempt, "options": { "heal": false },
            "commands": { "mode": "listed", "agreed": false },
        }))?)
    }
}
