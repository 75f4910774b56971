//! Reading a node as an array.
//!
//! In: a node. Out: the cheapest plan. Never drops an object or list from a written list: only
//! scalars that cannot be read, and values we gathered ourselves.

use super::{
    Action, CoercionCode, Mark, NodeId, NodeKind, Plan, PlanId, Planner, TypeId, VIOLATION, Value,
    filled, keep, misfit, note,
};
use crate::schema::model::ArrayShape;
use std::borrow::Cow;

// Items left out are counted in full and listed up to this many.
const LISTED: usize = 1_000;

impl<'t> Planner<'_, 't> {
    pub(super) fn plan_array(&mut self, node: NodeId, type_id: TypeId, shape: &ArrayShape) -> Plan {
        match &self.forest.node(node).kind {
            NodeKind::Array(items) => {
                let items = items.clone();
                self.plan_items(node, &items, shape)
            }
            NodeKind::Null => {
                if self.rules.partial {
                    return filled(node, Value::Array(Vec::new()), CoercionCode::Withheld);
                }
                filled(node, Value::Array(Vec::new()), CoercionCode::NullAsEmpty)
            }
            NodeKind::Text(_) => {
                let single = self.plan_single(node, shape);
                match self.inside(node) {
                    Some(inner) if self.is_array(inner) => {
                        let parsed = self.plan(inner, type_id);
                        let from = &self.excerpt(node);
                        let to = &self.excerpt(inner);
                        let read = note(CoercionCode::StringParsed, from, to);
                        cheaper(self.through(node, parsed, read), single)
                    }
                    _ => single,
                }
            }
            NodeKind::Object(entries) => {
                let only = match entries.as_slice() {
                    [(_, value)] => Some(*value),
                    _ => None,
                };
                let single = cheaper(self.plan_single(node, shape), self.plan_set(node, shape));
                match only {
                    Some(value) if self.is_array(value) => {
                        let inner = self.plan(value, type_id);
                        let (from, to) = (self.excerpt(node), self.excerpt(value));
                        let taken = note(CoercionCode::Unwrapped, &from, &to);
                        cheaper(single, self.through(node, inner, taken))
                    }
                    _ => single,
                }
            }
            NodeKind::Bool(_) | NodeKind::Number(_) => self.plan_single(node, shape),
        }
    }

    fn plan_items(&mut self, node: NodeId, items: &[NodeId], shape: &ArrayShape) -> Plan {
        let gathered = self.forest.node(node).gathered;
        let mut plan = keep(node);
        let mut kept: Vec<PlanId> = Vec::with_capacity(items.len());
        for (index, &item) in items.iter().enumerate() {
            let type_id = shape.prefix.get(index).copied().unwrap_or(shape.items);
            let inner = self.plan(item, type_id);
            let Some(dropped) = self.why_drop(item, inner, gathered) else {
                plan.cost = plan.cost.saturating_add(self.cost(inner));
                kept.push(inner);
                continue;
            };
            let from = &self.excerpt(item);
            let mut left_out = note(dropped, from, "");
            if self.forest.node(item).mark != Mark::Complete {
                left_out.cost = 1;
            }
            plan.cost = plan.cost.saturating_add(left_out.cost);
            if plan.notes.len() < LISTED {
                plan.notes.push(left_out);
            }
        }
        // A list of which nothing can be read does not fit.
        if kept.is_empty() && !items.is_empty() && !self.rules.partial {
            return misfit(node);
        }
        plan.action = Action::Array(kept);
        plan
    }

    fn why_drop(&self, item: NodeId, plan: PlanId, gathered: bool) -> Option<CoercionCode> {
        let found = self.forest.node(item);
        let withheld = matches!(&self.get(plan).action, Action::Fill(value) if value.is_null());
        if withheld && self.rules.partial {
            return Some(CoercionCode::Withheld);
        }
        let scalar = !matches!(found.kind, NodeKind::Array(_) | NodeKind::Object(_));
        let unreadable = self.cost(plan) >= VIOLATION;
        (unreadable && (scalar || gathered)).then_some(CoercionCode::ItemDropped)
    }

    /// Reads `{"a", "b"}`, an object without values, as the list of its keys.
    fn plan_set(&mut self, node: NodeId, shape: &ArrayShape) -> Plan {
        let NodeKind::Object(entries) = &self.forest.node(node).kind else {
            return misfit(node);
        };
        let all_keys = entries.iter().all(|(_, value)| self.forest.is_missing(*value));
        if entries.is_empty() || !all_keys {
            return misfit(node);
        }
        let keys: Vec<Cow<'t, str>> = entries.iter().map(|(key, _)| key.clone()).collect();
        let items: Vec<NodeId> = keys.into_iter().map(|key| self.forest.add_key(key)).collect();
        let mut plan = self.plan_items(node, &items, shape);
        let read = note(CoercionCode::ObjectToArray, &self.excerpt(node), "[…]");
        plan.cost = plan.cost.saturating_add(read.cost);
        plan.notes.push(read);
        plan
    }

    fn plan_single(&mut self, node: NodeId, shape: &ArrayShape) -> Plan {
        let type_id = shape.prefix.first().copied().unwrap_or(shape.items);
        let inner = self.plan(node, type_id);
        if self.cost(inner) >= VIOLATION {
            return misfit(node);
        }
        let wrapped = note(
            CoercionCode::SingleToArray,
            &self.excerpt(node),
            &format!("[{}]", self.excerpt(node)),
        );
        let cost = self.cost(inner).saturating_add(wrapped.cost);
        Plan { node, cost, notes: vec![wrapped], action: Action::Array(vec![inner]) }
    }

    fn is_array(&self, node: NodeId) -> bool {
        matches!(self.forest.node(node).kind, NodeKind::Array(_))
    }
}

/// The cheaper of two plans, the first of equals.
pub(super) fn cheaper(first: Plan, second: Plan) -> Plan {
    if second.cost < first.cost { second } else { first }
}
