//! From a plan to the value, with every change and every unfinished place listed.
//!
//! In: the planner and the plan that won. Out: the value, coercions and incomplete paths. Never
//! decides anything: the plan did.

use super::cost::Coercion;
use super::forest::{Mark, NodeId, NodeKind};
use super::path::{push_index, push_key};
use super::plan::{Action, Note, NoteWords, PlanId, Planner, SlotValue};
use serde_json::{Map, Value};

/// The outcome of a plan.
#[derive(Debug, Default)]
pub(super) struct Built {
    pub(super) value: Value,
    /// The first thousand.
    pub(super) coercions: Vec<Coercion>,
    /// How many coercions are not listed.
    pub(super) left_off: usize,
    /// The first thousand.
    pub(super) incomplete: Vec<String>,
}

// Hostile text may need as many coercions as it has bytes.
const MOST: usize = 1_000;

/// Builds the value of a plan.
pub(super) fn build(planner: &Planner<'_, '_>, plan: PlanId) -> Built {
    let mut builder =
        Builder { planner, coercions: Vec::new(), left_off: 0, incomplete: Vec::new() };
    let value = builder.value(plan, &mut String::from("$"));
    let Builder { coercions, left_off, incomplete, .. } = builder;
    Built { value, coercions, left_off, incomplete }
}

struct Builder<'p, 's, 't> {
    planner: &'p Planner<'s, 't>,
    coercions: Vec<Coercion>,
    left_off: usize,
    incomplete: Vec<String>,
}

impl Builder<'_, '_, '_> {
    fn value(&mut self, id: PlanId, path: &mut String) -> Value {
        let plan = self.planner.get(id);
        let node = self.planner.node_of(id);
        for note in &plan.notes {
            self.tell(note, node, &plan.action, path);
        }
        match &plan.action {
            Action::Keep => self.kept(node, path),
            Action::Make(value) => {
                self.mark(node, path);
                Value::clone(value)
            }
            Action::Words => {
                self.mark(node, path);
                Value::String(self.planner.forest.raw(node).trim().to_owned())
            }
            Action::Fill(value) => {
                self.unfinished(path);
                Value::clone(value)
            }
            Action::Same(inner) => self.value(*inner, path),
            Action::Array(items) => {
                self.mark(node, path);
                let mut list = Vec::with_capacity(items.len());
                for (index, &item) in items.iter().enumerate() {
                    let length = path.len();
                    push_index(path, index);
                    list.push(self.value(item, path));
                    path.truncate(length);
                }
                Value::Array(list)
            }
            Action::Object(slots) => {
                self.mark(node, path);
                let mut map = Map::with_capacity(slots.len());
                for slot in slots {
                    let length = path.len();
                    push_key(path, &slot.key);
                    let value = match &slot.value {
                        SlotValue::Planned(inner) => self.value(*inner, path),
                        SlotValue::Granted(value) => Value::clone(value),
                        SlotValue::Filled(value) => {
                            self.unfinished(path);
                            Value::clone(value)
                        }
                    };
                    map.insert(slot.key.clone(), value);
                    path.truncate(length);
                }
                Value::Object(map)
            }
        }
    }

    // Lists a change, or counts it.
    fn tell(&mut self, note: &Note, node: NodeId, action: &Action, path: &str) {
        let words = match (&note.words, action) {
            (Some(words), _) => Some(NoteWords::clone(words)),
            (None, Action::Words) if self.coercions.len() < MOST => {
                let text = self.planner.excerpt(node);
                Some(NoteWords { key: None, from: text.clone(), to: text })
            }
            (None, _) => None,
        };
        let Some(NoteWords { key, from, to }) = words.filter(|_| self.coercions.len() < MOST)
        else {
            self.left_off += 1;
            return;
        };
        let mut path = path.to_owned();
        if let Some(key) = &key {
            push_key(&mut path, key);
        }
        self.coercions.push(Coercion { path, code: note.code, from, to, cost: note.cost });
    }

    /// Copies a node with everything below it.
    fn kept(&mut self, node: NodeId, path: &mut String) -> Value {
        self.mark(node, path);
        let length = path.len();
        let forest = &self.planner.forest;
        match forest.kind(node) {
            NodeKind::Array => {
                // The room is known before: growing would hold the list twice.
                let mut list = Vec::with_capacity(forest.items(node).count());
                for (index, item) in forest.items(node).enumerate() {
                    push_index(path, index);
                    list.push(self.kept(item, path));
                    path.truncate(length);
                }
                Value::Array(list)
            }
            NodeKind::Object => {
                // The same for objects: a growing map takes room for three at first.
                let mut map = Map::with_capacity(forest.entries(node).count());
                for (key, value) in forest.entries(node) {
                    push_key(path, &key);
                    let value = self.kept(value, path);
                    map.insert(key.into_owned(), value);
                    path.truncate(length);
                }
                Value::Object(map)
            }
            _ => forest.value(node),
        }
    }

    fn mark(&mut self, node: NodeId, path: &str) {
        if self.planner.forest.mark(node) != Mark::Complete {
            self.unfinished(path);
        }
    }

    fn unfinished(&mut self, path: &str) {
        if self.incomplete.len() < MOST && self.incomplete.last().is_none_or(|it| it != path) {
            self.incomplete.push(path.to_owned());
        }
    }
}
