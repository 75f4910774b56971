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
    pub(super) coercions: Vec<Coercion>,
    pub(super) incomplete: Vec<String>,
}

/// Builds the value of a plan.
pub(super) fn build(planner: &Planner<'_, '_>, plan: PlanId) -> Built {
    let mut builder = Builder { planner, coercions: Vec::new(), incomplete: Vec::new() };
    let value = builder.value(plan, &mut String::from("$"));
    let Builder { coercions, mut incomplete, .. } = builder;
    incomplete.dedup();
    Built { value, coercions, incomplete }
}

struct Builder<'p, 's, 't> {
    planner: &'p Planner<'s, 't>,
    coercions: Vec<Coercion>,
    incomplete: Vec<String>,
}

impl Builder<'_, '_, '_> {
    fn value(&mut self, id: PlanId, path: &mut String) -> Value {
        let plan = self.planner.get(id);
        for note in &plan.notes {
            let mut path = path.clone();
            if let Some(key) = &note.key {
                push_key(&mut path, key);
            }
            let (from, to) = (note.from.clone(), note.to.clone());
            self.coercions.push(Coercion { path, code: note.code, from, to, cost: note.cost });
        }
        match &plan.action {
            Action::Keep => self.kept(plan.node, path),
            Action::Make(value) => {
                self.mark(plan.node, path);
                value.clone()
            }
            Action::Words => {
                self.mark(plan.node, path);
                Value::String(self.planner.forest.node(plan.node).raw.trim().to_owned())
            }
            Action::Fill(value) => {
                self.incomplete.push(path.clone());
                value.clone()
            }
            Action::Same(inner) => self.value(*inner, path),
            Action::Array(items) => {
                self.mark(plan.node, path);
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
                self.mark(plan.node, path);
                let mut map = Map::new();
                for slot in slots {
                    let length = path.len();
                    push_key(path, &slot.key);
                    let value = match &slot.value {
                        SlotValue::Planned(inner) => self.value(*inner, path),
                        SlotValue::Granted(value) => value.clone(),
                        SlotValue::Filled(value) => {
                            self.incomplete.push(path.clone());
                            value.clone()
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
                let mut map = Map::new();
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
            self.incomplete.push(path.to_owned());
        }
    }
}
