//! Random graphs of sub-tasks, and what must become of each.
//!
//! In: a seed. Out: tasks with dependencies, priorities, shared files and models that fail; the files before and after;
//! which parts may have a result. Never asks the product.

use super::stage::block;
use crate::corpus::Random;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const SHARED: &str = "shared.txt";

/// What the model does when it is asked for a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Skill {
    Good,
    /// The first answer is of no use.
    SecondTry,
    Useless,
}

/// A part.
#[derive(Debug, Clone)]
pub(super) struct Task {
    pub(super) id: String,
    pub(super) before: Vec<usize>,
    pub(super) priority: i64,
    pub(super) skill: Skill,
    /// Whether it also changes a line of a file that others change too.
    pub(super) shares: bool,
}

/// A graph and how it is run.
#[derive(Debug, Clone)]
pub(super) struct Graph {
    pub(super) tasks: Vec<Task>,
    /// `a`, `b` or `c`.
    pub(super) order: &'static str,
    pub(super) parallel: usize,
    pub(super) attempts: usize,
    /// The parts of a cycle, where there is one.
    pub(super) is_cyclic: bool,
    /// A limit that is likely to be met.
    pub(super) tokens: Option<u64>,
    /// What a person says about parts that failed.
    pub(super) gives_up: bool,
}

impl Graph {
    /// Draws one.
    pub(super) fn draw(random: &mut Random) -> Self {
        let count = 1 + random.below(9);
        let mut tasks: Vec<Task> = (0..count)
            .map(|at| {
                let before: BTreeSet<usize> =
                    (0..random.below(3)).filter(|_| at > 0).map(|_| random.below(at)).collect();
                Task {
                    id: format!("t{at}"),
                    before: before.into_iter().collect(),
                    priority: 1 + random.below(4) as i64,
                    skill: match random.below(8) {
                        0 => Skill::Useless,
                        1 => Skill::SecondTry,
                        _ => Skill::Good,
                    },
                    shares: random.below(3) == 0,
                }
            })
            .collect();
        // Written in another order than they depend on each other.
        let is_cyclic = count > 1 && random.below(10) == 0;
        if is_cyclic {
            let last = 1 + random.below(count - 1);
            let first = random.below(last);
            tasks[first].before.push(last);
            if !reaches(&tasks, last, first) {
                tasks[last].before.push(first);
            }
        }
        Self {
            tasks,
            order: ["a", "a", "b", "c"][random.below(4)],
            parallel: 1 + random.below(4),
            attempts: 1 + random.below(2),
            is_cyclic,
            tokens: (random.below(5) == 0).then(|| 400 + random.below(4_000) as u64),
            gives_up: random.below(4) == 0,
        }
    }

    /// Returns the files of the project.
    pub(super) fn files(&self) -> BTreeMap<String, String> {
        self.files_with(&BTreeSet::new())
    }

    /// Returns them with the results of these parts.
    pub(super) fn files_with(&self, done: &BTreeSet<usize>) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        let mut shared = String::new();
        for (at, task) in self.tasks.iter().enumerate() {
            let is_done = done.contains(&at);
            files.insert(file(at), if is_done { new_text(at) } else { OLD.to_owned() });
            let line = if is_done && task.shares { new_line(at) } else { old_line(at) };
            // Apart from its neighbours, so that two changes do not touch.
            shared.push_str(&format!("{line}# {at}\n# ---\n# {at}\n"));
        }
        files.insert(SHARED.to_owned(), shared);
        files
    }

    /// Returns the parts as a document.
    pub(super) fn document(&self) -> String {
        let task = |(at, task): (usize, &Task)| {
            let mut files = vec![file(at)];
            files.extend(task.shares.then(|| SHARED.to_owned()));
            let before: Vec<&String> =
                task.before.iter().map(|before| &self.tasks[*before].id).collect();
            json!({ "id": task.id, "instruction": "Set the value.", "contextFiles": files,
                    "dependsOn": before, "priority": task.priority })
        };
        json!(self.tasks.iter().enumerate().map(task).collect::<Vec<_>>()).to_string()
    }

    /// Returns the rules of its model.
    pub(super) fn rules(&self) -> Vec<Value> {
        let mut rules = Vec::new();
        for (at, task) in self.tasks.iter().enumerate() {
            let when = json!({ "contains": format!("Your part ({}):", task.id) });
            let useless = json!({ "text": "I do not know.\n" });
            match task.skill {
                Skill::Good => {}
                Skill::SecondTry => {
                    rules.push(json!({ "when": when, "times": 1, "reply": useless }));
                }
                Skill::Useless => {
                    rules.push(json!({ "when": when, "reply": useless }));
                    continue;
                }
            }
            let mut text = block(&file(at), OLD, &new_text(at));
            if task.shares {
                text.push_str(&block(SHARED, &old_line(at), &new_line(at)));
            }
            text.push_str("Summary: done.\n");
            rules.push(json!({ "when": when, "reply": { "text": text } }));
        }
        rules
    }

    /// Returns the parts that have no result, however often they are tried.
    pub(super) fn failing(&self) -> BTreeSet<usize> {
        let fails = |task: &Task| match task.skill {
            Skill::Good => false,
            Skill::SecondTry => self.attempts < 2,
            Skill::Useless => true,
        };
        (0..self.tasks.len()).filter(|at| fails(&self.tasks[*at])).collect()
    }

    /// Returns these parts and what depends on them, which is left out with them.
    pub(super) fn with_dependents(&self, of: &BTreeSet<usize>) -> BTreeSet<usize> {
        if self.order == "c" {
            return of.clone();
        }
        let depends = |at: usize| of.iter().any(|one| reaches(&self.tasks, at, *one));
        (0..self.tasks.len()).filter(|at| of.contains(at) || depends(*at)).collect()
    }
}

/// Returns whether `from` depends on `to`, over any number of others.
pub(super) fn reaches(tasks: &[Task], from: usize, to: usize) -> bool {
    let (mut seen, mut next) = (BTreeSet::new(), vec![from]);
    while let Some(at) = next.pop() {
        for before in &tasks[at].before {
            if *before == to {
                return true;
            }
            if seen.insert(*before) {
                next.push(*before);
            }
        }
    }
    false
}

const OLD: &str = "value = 1\n";

fn file(at: usize) -> String {
    format!("part_{at}.py")
}

fn new_text(at: usize) -> String {
    format!("value = {}\n", (at + 1) * 10)
}

fn old_line(at: usize) -> String {
    format!("line {at} = old\n")
}

fn new_line(at: usize) -> String {
    format!("line {at} = new\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graphs_are_what_they_say() {
        let (mut cyclic, mut failing, mut shared) = (0, 0, 0);
        for seed in 0..400 {
            let graph = Graph::draw(&mut Random::new(seed));
            let on_itself = (0..graph.tasks.len()).any(|at| reaches(&graph.tasks, at, at));
            assert_eq!(on_itself, graph.is_cyclic, "{graph:?}");
            cyclic += usize::from(graph.is_cyclic);
            failing += usize::from(!graph.failing().is_empty());
            shared += usize::from(graph.tasks.iter().filter(|task| task.shares).count() > 1);
            assert!(graph.with_dependents(&graph.failing()).is_superset(&graph.failing()));
            assert_eq!(graph.files(), graph.files_with(&BTreeSet::new()));
        }
        assert!(cyclic > 10 && failing > 100 && shared > 50, "{cyclic} {failing} {shared}");
    }
}
