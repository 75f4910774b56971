//! From a plan to the value, with every change and every unfinished place listed.
//!
//! In: the planner and the plan that won. Out: the value, coercions and incomplete paths. Never
//! decides anything: the plan did.

use super::cost::Coercion;
use super::forest::{Mark, NodeId, NodeKind};
use super::path::{push_index, push_key};
use super::plan::{Action, PlanId, Planner, SlotValue};
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
            if self.coercions.len() >= MOST {
                self.left_off += 1;
                continue;
            }
            let mut path = path.clone();
            if let Some(key) = &note.key {
                push_key(&mut path, key);
            }
            let (from, to) = (note.from.clone(), note.to.clone());
            self.coercions.push(Coercion { path, code: note.code, from, to, cost: note.cost });
        }
        match &plan.action {
            Action::Keep => self.kept(node, path),
            Action::Make(value) => {
                self.mark(node, path);
                Value::clone(value)
            }
            Action::Words => {
                self.mark(node, path);
                Value::String(self.planner.forest.node(node).raw.trim().to_owned())
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

    /// Copies a node with everything below it.
    fn kept(&mut self, node: NodeId, path: &mut String) -> Value {
        self.mark(node, path);
        let length = path.len();
        match &self.planner.forest.node(node).kind {
            NodeKind::Array(items) => {
                let mut list = Vec::with_capacity(items.len());
                for (index, &item) in items.iter().enumerate() {
                    push_index(path, index);
                    list.push(self.kept(item, path));
                    path.truncate(length);
                }
                Value::Array(list)
            }
            NodeKind::Object(entries) => {
                let mut map = Map::with_capacity(entries.len());
                for (key, value) in entries {
                    push_key(path, key);
                    map.insert(key.clone().into_owned(), self.kept(*value, path));
                    path.truncate(length);
                }
                Value::Object(map)
            }
            _ => self.planner.forest.value(node),
        }
    }

    fn mark(&mut self, node: NodeId, path: &str) {
        if self.planner.forest.node(node).mark != Mark::Complete {
            self.unfinished(path);
        }
    }

    fn unfinished(&mut self, path: &str) {
        if self.incomplete.len() < MOST && self.incomplete.last().is_none_or(|it| it != path) {
            self.incomplete.push(path.to_owned());
        }
    }
}
