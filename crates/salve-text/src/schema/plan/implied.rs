//! Objects that the model left implied: a value without its only key, a list in place of an object.
//!
//! In: a node that is no object, or one none of whose keys is known. Out: the cheapest plan. Never
//! takes the text of a list or an object as the value of a property that was left out.

use super::array::cheaper;
use super::{
    Action, CoercionCode, NodeId, Plan, Planner, Slot, SlotValue, TypeId, VIOLATION, keep, misfit,
    note,
};
use crate::schema::model::{ObjectShape, Shape};

// An object implied inside an object implied inside an object is nothing anyone left out.
const IMPLIED: usize = 3;

impl Planner<'_, '_> {
    /// Puts a value under the only property there is.
    pub(super) fn plan_implied(&mut self, node: NodeId, shape: &ObjectShape) -> Plan {
        let [property] = shape.properties.as_slice() else { return misfit(node) };
        if self.implied >= IMPLIED {
            return misfit(node);
        }
        self.implied += 1;
        let inner = self.plan(node, property.type_id);
        self.implied -= 1;
        // A value taken from under another key and put under ours would rename that key. One of several
        // types was chosen for what it costs already.
        let is_chosen = matches!(self.schema.shape(property.type_id), Shape::Union(_));
        let stretched = !is_chosen
            && self.get(inner).notes.iter().any(|note| {
                matches!(
                    note.code,
                    CoercionCode::JsonToString | CoercionCode::ImpliedKey | CoercionCode::Unwrapped
                )
            });
        if self.cost(inner) >= VIOLATION || stretched {
            return misfit(node);
        }
        let implied = note(
            CoercionCode::ImpliedKey,
            &self.excerpt(node),
            &format!("{{\"{}\": {}}}", property.name, self.excerpt(node)),
        );
        let cost = self.cost(inner).saturating_add(implied.cost);
        let slot = Slot { key: property.name.clone(), value: SlotValue::Planned(inner) };
        Plan { node, cost, notes: vec![implied], action: Action::Object(vec![slot]) }
    }

    pub(super) fn plan_from_array(
        &mut self,
        node: NodeId,
        type_id: TypeId,
        shape: &ObjectShape,
        items: &[NodeId],
    ) -> Plan {
        let mut best = self.plan_implied(node, shape);
        for (skipped, &item) in items.iter().enumerate() {
            if self.forest.is_scalar(item) {
                continue;
            }
            let inner = self.plan(item, type_id);
            let from = &self.excerpt(node);
            let mut taken = note(CoercionCode::ArrayToSingle, from, &self.excerpt(item));
            let others = u32::try_from(items.len() - 1 + skipped).unwrap_or(u32::MAX);
            taken.cost = taken.cost.saturating_add(others);
            if self.cost(inner) < VIOLATION || items.len() == 1 {
                best = cheaper(best, self.through(node, inner, taken));
            }
        }
        if self.rules.salvage {
            best = cheaper(best, self.plan_positional(node, shape, items));
        }
        best
    }

    /// Reads a list as the properties in their order.
    fn plan_positional(&mut self, node: NodeId, shape: &ObjectShape, items: &[NodeId]) -> Plan {
        let required = shape.properties.iter().filter(|property| property.required).count();
        if items.is_empty() || items.len() < required || items.len() > shape.properties.len() {
            return misfit(node);
        }
        let from = &self.excerpt(node);
        let mapped = note(CoercionCode::ArrayToObject, from, "{…}");
        let mut plan = Plan { cost: mapped.cost, notes: vec![mapped], ..keep(node) };
        let mut slots = Vec::with_capacity(items.len());
        for (&item, property) in items.iter().zip(&shape.properties) {
            let inner = self.plan(item, property.type_id);
            plan.cost = plan.cost.saturating_add(self.cost(inner));
            slots.push(Slot { key: property.name.clone(), value: SlotValue::Planned(inner) });
        }
        plan.action = Action::Object(slots);
        plan
    }
}
