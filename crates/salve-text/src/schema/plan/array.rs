//! Reading a node as an array.
//!
//! In: a node. Out: the cheapest plan. Never drops an object or list from a written list: only
//! scalars that cannot be read, and values we gathered ourselves.

use super::{
    Action, CoercionCode, Mark, NodeId, NodeKind, Plan, PlanId, Planner, TypeId, VIOLATION, Value,
    filled, keep, misfit, note,
};
use crate::schema::model::{ArrayShape, Shape};

// Items left out are counted in full and listed up to this many.
const LISTED: usize = 1_000;

impl Planner<'_, '_> {
    pub(super) fn plan_array(&mut self, node: NodeId, type_id: TypeId, shape: &ArrayShape) -> Plan {
        match self.forest.kind(node) {
            NodeKind::Array => self.plan_items(node, self.forest.items(node), shape),
            NodeKind::Null => {
                if self.rules.partial {
                    return filled(node, Value::Array(Vec::new()), CoercionCode::Withheld);
                }
                filled(node, Value::Array(Vec::new()), CoercionCode::NullAsEmpty)
            }
            NodeKind::Text(_) => {
                let single = self.plan_single(node, shape);
                match self.inside(node) {
                    Some(inner) if self.forest.is_array(inner) => {
                        let parsed = self.plan(inner, type_id);
                        let from = &self.excerpt(node);
                        let to = &self.excerpt(inner);
                        let read = note(CoercionCode::StringParsed, from, to);
                        cheaper(self.through(node, parsed, read), single)
                    }
                    _ => single,
                }
            }
            NodeKind::Object => {
                let only = self.only_value(node);
                let single = cheaper(self.plan_single(node, shape), self.plan_set(node, shape));
                match only {
                    Some(value) if self.forest.is_array(value) => {
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

    fn plan_items(
        &mut self,
        node: NodeId,
        items: impl Iterator<Item = NodeId>,
        shape: &ArrayShape,
    ) -> Plan {
        let gathered = self.forest.is_gathered(node);
        let mut plan = keep(node);
        let mut kept: Vec<PlanId> = Vec::new();
        let (mut is_empty, mut is_as_written) = (true, self.forest.is_array(node));
        for (index, item) in items.enumerate() {
            is_empty = false;
            let type_id = shape.prefix.get(index).copied().unwrap_or(shape.items);
            let inner = self.plan(item, type_id);
            let dropped = self.why_drop(item, inner, type_id, gathered);
            // Of a list that is taken as it is, no items are listed.
            if is_as_written && (dropped.is_some() || inner != PlanId::Kept(item)) {
                kept.extend(self.forest.items(node).take(index).map(PlanId::Kept));
                is_as_written = false;
            }
            let Some(dropped) = dropped else {
                plan.cost = plan.cost.saturating_add(self.cost(inner));
                if !is_as_written {
                    kept.push(inner);
                }
                continue;
            };
            let from = &self.excerpt(item);
            let mut left_out = note(dropped, from, "");
            if self.forest.mark(item) != Mark::Complete {
                left_out.cost = 1;
            }
            plan.cost = plan.cost.saturating_add(left_out.cost);
            if plan.notes.len() < LISTED {
                plan.notes.push(left_out);
            }
        }
        // A list of which nothing can be read does not fit.
        if kept.is_empty() && !is_empty && !is_as_written && !self.rules.partial {
            return misfit(node);
        }
        if is_as_written {
            return plan;
        }
        plan.action = Action::Array(kept);
        plan
    }

    fn why_drop(
        &self,
        item: NodeId,
        plan: PlanId,
        type_id: TypeId,
        gathered: bool,
    ) -> Option<CoercionCode> {
        let withheld = matches!(&self.get(plan).action, Action::Fill(value) if value.is_null());
        // Where one of several types is wanted, the null says that something is coming.
        let is_chosen = matches!(self.schema.shape(type_id), Shape::Union(_));
        if withheld && self.rules.partial && !is_chosen {
            return Some(CoercionCode::Withheld);
        }
        let unreadable = self.cost(plan) >= VIOLATION;
        (unreadable && (gathered || self.forest.is_scalar(item)))
            .then_some(CoercionCode::ItemDropped)
    }

    /// Reads `{"a", "b"}`, an object without values, as the list of its keys.
    fn plan_set(&mut self, node: NodeId, shape: &ArrayShape) -> Plan {
        let mut entries = self.forest.entries(node);
        if self.forest.is_childless(node)
            || !entries.all(|(_, value)| self.forest.is_missing(value))
        {
            return misfit(node);
        }
        let keys = self.forest.entries(node);
        let items: Vec<NodeId> = keys.map(|(key, _)| self.forest.add_key(key)).collect();
        let mut plan = self.plan_items(node, items.into_iter(), shape);
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

    /// Returns the value of an object of one entry.
    pub(super) fn only_value(&self, node: NodeId) -> Option<NodeId> {
        let mut entries = self.forest.entries(node);
        let (_, value) = entries.next()?;
        entries.next().is_none().then_some(value)
    }
}

/// The cheaper of two plans, the first of equals.
pub(super) fn cheaper(first: Plan, second: Plan) -> Plan {
    if second.cost < first.cost { second } else { first }
}
