//! What waits for what: checked before anything runs.
//!
//! In: sub-tasks. Out: their dependencies by place, or what is wrong: a name twice, one that is missing, or the cycle
//! with every task on it. Never orders anything: the machine does.

use super::SubTask;
use salve_jobs::JobId;
use std::collections::BTreeMap;

/// The longest name of a task.
const LONGEST_ID: usize = 60;

/// Why tasks are no graph that can be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// A task has a name that cannot be used.
    #[error("`{0}` cannot name a sub-task: use 1 to {LONGEST_ID} letters, digits, `.`, `_` or `-`")]
    BadId(String),
    /// Two tasks have one name.
    #[error("there are two sub-tasks `{0}`: give each its own id")]
    SameId(String),
    /// A task waits for one that is not there.
    #[error(
        "sub-task `{task}` depends on `{missing}`, which is not in the plan: add it, or remove the dependency"
    )]
    NoSuchTask {
        /// The one that waits.
        task: String,
        /// The one that is not there.
        missing: String,
    },
    /// Tasks wait for each other.
    #[error("these sub-tasks depend on each other: {}; remove one of these dependencies", .0.join(" → "))]
    Cycle(Vec<String>),
}

/// Checks tasks and returns, for each, the places of those it depends on.
///
/// # Errors
/// The first thing that is wrong. A cycle is given from a task to itself.
pub fn check_graph(tasks: &[SubTask]) -> Result<Vec<Vec<usize>>, GraphError> {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, task) in tasks.iter().enumerate() {
        let usable = task.id.len() <= LONGEST_ID && !task.id.contains('/');
        if !usable || JobId::new(&task.id).is_err() {
            return Err(GraphError::BadId(task.id.chars().take(LONGEST_ID).collect()));
        }
        if places.insert(&task.id, at).is_some() {
            return Err(GraphError::SameId(task.id.clone()));
        }
    }
    let place = |task: &SubTask, name: &String| {
        let missing = || GraphError::NoSuchTask { task: task.id.clone(), missing: name.clone() };
        places.get(name.as_str()).copied().ok_or_else(missing)
    };
    let before =
        tasks.iter().map(|task| task.depends_on.iter().map(|name| place(task, name)).collect());
    let before = before.collect::<Result<Vec<Vec<usize>>, _>>()?;
    match cycle(&before) {
        Some(found) => {
            Err(GraphError::Cycle(found.into_iter().map(|at| tasks[at].id.clone()).collect()))
        }
        None => Ok(before),
    }
}

// The first cycle, from a task to itself; each task is entered once.
fn cycle(before: &[Vec<usize>]) -> Option<Vec<usize>> {
    let mut done = vec![false; before.len()];
    for start in 0..before.len() {
        let mut path: Vec<(usize, usize)> = vec![(start, 0)];
        while let Some(&(at, next)) = path.last() {
            if done[at] || next == before[at].len() {
                done[at] = true;
                path.pop();
                continue;
            }
            if let Some(last) = path.last_mut() {
                last.1 += 1;
            }
            let other = before[at][next];
            if let Some(from) = path.iter().position(|(on, _)| *on == other) {
                let mut found: Vec<usize> = path[from..].iter().map(|(on, _)| *on).collect();
                found.push(other);
                return Some(found);
            }
            path.push((other, 0));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::read_plan_document;
    use serde_json::json;

    fn tasks(waits: &[(&str, &[&str])]) -> Vec<SubTask> {
        let one = |(id, waits): &(&str, &[&str])| json!({"id": id, "instruction": "x", "dependsOn": waits});
        let list: Vec<_> = waits.iter().map(one).collect();
        read_plan_document(&json!(list), "").unwrap().tasks
    }

    #[test]
    fn c202_a_cycle_is_refused_and_named() {
        let error =
            check_graph(&tasks(&[("1", &[]), ("2", &["1", "4"]), ("3", &["2"]), ("4", &["3"])]))
                .unwrap_err();
        assert_eq!(error, GraphError::Cycle(["2", "4", "3", "2"].map(str::to_owned).into()));
        assert!(error.to_string().contains("2 → 4 → 3 → 2"), "{error}");
        let own = check_graph(&tasks(&[("a", &["a"])])).unwrap_err();
        assert_eq!(own, GraphError::Cycle(vec!["a".to_owned(), "a".to_owned()]));
    }

    #[test]
    fn c202_what_is_missing_or_twice_is_named() {
        let missing = check_graph(&tasks(&[("a", &["b"])])).unwrap_err();
        assert!(missing.to_string().starts_with("sub-task `a` depends on `b`"), "{missing}");
        assert_eq!(
            check_graph(&tasks(&[("a", &[]), ("a", &[])])),
            Err(GraphError::SameId("a".to_owned()))
        );
        assert_eq!(check_graph(&tasks(&[("a/b", &[])])), Err(GraphError::BadId("a/b".to_owned())));
        let diamond = tasks(&[("4", &["2", "3"]), ("3", &["1"]), ("2", &["1"]), ("1", &[])]);
        assert_eq!(check_graph(&diamond), Ok(vec![vec![2, 1], vec![3], vec![3], vec![]]));
    }

    #[test]
    fn c202_a_large_graph_is_checked_in_time() {
        let names: Vec<String> = (0..500).map(|at| at.to_string()).collect();
        let list: Vec<_> = names
            .iter()
            .enumerate()
            .map(|(at, id)| json!({"id": id, "instruction": "x", "dependsOn": names[at.saturating_sub(40)..at]}))
            .collect();
        let tasks = read_plan_document(&json!(list), "").unwrap().tasks;
        assert!(check_graph(&tasks).is_ok());
    }
}
