//! The tasks of a session, kept while a model sends its list again and again.
//!
//! In: the list as it is, and the list of an answer. Out: one list. A task that is sent again keeps its
//! name and what is known of it, whatever its place; a task that is left out stays. Never marks a task as
//! done because a model says so: an applied change does that, and its rewind takes it back.

use super::reply::ClaimedTodo;
use salve_types::TodoItem;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A change names a task that there is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("todoIndex {index} is out of range: there are {count} todo(s)")]
pub struct OutOfRange {
    /// The place that was named, from 0.
    pub index: u64,
    /// How many tasks there are.
    pub count: usize,
}

/// How much of a list is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TodoProgress {
    /// Tasks that are done.
    pub done: usize,
    /// Tasks.
    pub total: usize,
}

impl TodoProgress {
    /// Counts a list.
    pub fn of(list: &[TodoItem]) -> Self {
        let done = list.iter().filter(|item| item.completed).count();
        Self { done, total: list.len() }
    }
}

impl fmt::Display for TodoProgress {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}", self.done, self.total)
    }
}

/// Merges the list of an answer into the list of the session.
///
/// The tasks of the answer come in its order and its words; a task that it leaves out stays after the one
/// that it followed. Nothing is lost and nothing becomes done.
pub fn merge_todos(
    old: &[TodoItem],
    claimed: &[ClaimedTodo],
    turn: u32,
    mut new_id: impl FnMut() -> String,
) -> Vec<TodoItem> {
    let claimed: Vec<&ClaimedTodo> =
        claimed.iter().filter(|todo| !key_of(&todo.text).is_empty()).collect();
    let found = same_tasks(old, &claimed);
    let mut merged: Vec<TodoItem> = Vec::with_capacity(old.len() + claimed.len());
    for (todo, found) in claimed.iter().zip(&found) {
        let item = found.and_then(|at| old.get(at)).cloned().unwrap_or_else(|| TodoItem {
            id: new_id(),
            text: String::new(),
            completed: false,
            completed_by: None,
            claimed: false,
            origin_turn: turn,
        });
        merged.push(TodoItem {
            text: todo.text.trim().to_owned(),
            claimed: todo.completed,
            ..item
        });
    }
    let taken: BTreeSet<usize> = found.into_iter().flatten().collect();
    let resent: BTreeSet<String> = claimed.iter().map(|todo| key_of(&todo.text)).collect();
    for (at, item) in old.iter().enumerate().filter(|(at, _)| !taken.contains(at)) {
        // What has the words of a task that was sent is after it, so that it is not taken for it.
        let place = match at.checked_sub(1).and_then(|before| old.get(before)) {
            _ if resent.contains(&key_of(&item.text)) => merged.len(),
            None => 0,
            Some(before) => merged
                .iter()
                .position(|one| one.id == before.id)
                .map_or(merged.len(), |place| place + 1),
        };
        merged.insert(place, item.clone());
    }
    merged
}

/// Returns the name of the task that a change of an answer is for.
///
/// The place counts in the list of the answer; without one, in the list of the session.
///
/// # Errors
/// There is no such task.
pub fn linked(
    todos_of_answer: &[ClaimedTodo],
    list: &[TodoItem],
    todo_index: u64,
) -> Result<String, OutOfRange> {
    let at = usize::try_from(todo_index).unwrap_or(usize::MAX);
    if todos_of_answer.is_empty() {
        let out_of_range = OutOfRange { index: todo_index, count: list.len() };
        return list.get(at).map(|item| item.id.clone()).ok_or(out_of_range);
    }
    let out_of_range = OutOfRange { index: todo_index, count: todos_of_answer.len() };
    let key = key_of(&todos_of_answer.get(at).ok_or(out_of_range)?.text);
    let earlier = todos_of_answer.iter().take(at).filter(|todo| key_of(&todo.text) == key).count();
    let named = list.iter().filter(|item| key_of(&item.text) == key).nth(earlier);
    named.map(|item| item.id.clone()).ok_or(out_of_range)
}

/// Marks these tasks as done by a change; returns those that were not done before.
pub fn tick(list: &mut [TodoItem], ids: &[String], change: &str) -> Vec<usize> {
    let mut done = Vec::new();
    for (at, item) in list.iter_mut().enumerate() {
        if !item.completed && ids.contains(&item.id) {
            item.completed = true;
            item.completed_by = Some(change.to_owned());
            done.push(at);
        }
    }
    done
}

/// Takes back what a change marked as done; returns which tasks are open again.
pub fn untick(list: &mut [TodoItem], change: &str) -> Vec<usize> {
    let mut open = Vec::new();
    for (at, item) in list.iter_mut().enumerate() {
        if item.completed && item.completed_by.as_deref() == Some(change) {
            item.completed = false;
            item.completed_by = None;
            open.push(at);
        }
    }
    open
}

/// Finds the task of the list that each claimed one is.
fn same_tasks(old: &[TodoItem], claimed: &[&ClaimedTodo]) -> Vec<Option<usize>> {
    let mut places: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, item) in old.iter().enumerate() {
        places.entry(key_of(&item.text)).or_default().push(at);
    }
    let mut sent: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, todo) in claimed.iter().enumerate() {
        sent.entry(key_of(&todo.text)).or_default().push(at);
    }
    let mut found = vec![None; claimed.len()];
    for (key, sent) in sent {
        let Some(mut same) = places.remove(&key) else { continue };
        // Where fewer are sent than there are, those that are still open are meant.
        same.sort_by_key(|&at| (old.get(at).is_some_and(|item| item.completed), at));
        same.truncate(sent.len());
        same.sort_unstable();
        for (place, at) in sent.into_iter().zip(same) {
            if let Some(found) = found.get_mut(place) {
                *found = Some(at);
            }
        }
    }
    find_reworded(old, claimed, &mut found);
    found
}

/// Lists longer than this are compared by their very words only.
const MOST_REWORDED: usize = 200;

// An open task that is said in more or fewer words, where no other can be meant. What is done stays what
// it was: other words may be another task.
fn find_reworded(old: &[TodoItem], claimed: &[&ClaimedTodo], found: &mut [Option<usize>]) {
    let open: Vec<(usize, BTreeSet<String>)> = old
        .iter()
        .enumerate()
        .filter(|(at, item)| !item.completed && !found.contains(&Some(*at)))
        .map(|(at, item)| (at, words_of(&item.text)))
        .collect();
    let new: Vec<(usize, BTreeSet<String>)> = claimed
        .iter()
        .enumerate()
        .filter(|(at, _)| found.get(*at) == Some(&None))
        .map(|(at, todo)| (at, words_of(&todo.text)))
        .collect();
    if open.len().max(new.len()) > MOST_REWORDED {
        return;
    }
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for (new_at, new_words) in &new {
        let alike = open.iter().filter(|(_, words)| is_reworded(words, new_words));
        pairs.extend(alike.map(|(old_at, _)| (*new_at, *old_at)));
    }
    for &(new_at, old_at) in &pairs {
        let is_only = pairs.iter().filter(|pair| pair.0 == new_at || pair.1 == old_at).count() == 1;
        if let Some(found) = found.get_mut(new_at).filter(|_| is_only) {
            *found = Some(old_at);
        }
    }
}

fn is_reworded(one: &BTreeSet<String>, other: &BTreeSet<String>) -> bool {
    one.len().min(other.len()) >= 2 && (one.is_subset(other) || other.is_subset(one))
}

/// The words of a task, without what only dresses them: case, marks, numbers of a list, spaces.
fn key_of(text: &str) -> String {
    let text = text.trim();
    let text = text.strip_prefix("[ ]").or_else(|| text.strip_prefix("[x]")).unwrap_or(text);
    let text = match text.trim_start().split_once(['.', ')']) {
        Some((number, rest))
            if !number.is_empty() && is_number(number) && rest.starts_with(' ') =>
        {
            rest
        }
        _ => text,
    };
    let dressed = |letter: char| matches!(letter, '`' | '*' | '_' | '-' | ':' | '.' | '!' | '…');
    let words = text.split_whitespace().map(|word| word.trim_matches(dressed).to_lowercase());
    words.filter(|word| !word.is_empty()).collect::<Vec<String>>().join(" ")
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn words_of(text: &str) -> BTreeSet<String> {
    key_of(text).split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests;
