//! Reading a node as an object: named properties and maps.
//!
//! In: a node. Out: the cheapest plan. Never gives a required property a value the text does not
//! say, except the empty list or map, the null a type allows, and the schema's own default.

use super::array::cheaper;
use super::{
    ABSENT, Action, CoercionCode, Cow, Mark, NodeId, NodeKind, Plan, PlanId, Planner, Slot,
    SlotValue, TypeId, VIOLATION, Value, filled, keep, misfit, note, withheld,
};
use crate::schema::cost::STRANGER;
use crate::schema::fold::fold;
use crate::schema::model::{Extra, ObjectShape, Property, Shape};
use std::collections::HashMap;

// Keys left out are counted in full and listed up to this many.
const LISTED: usize = 50;

// What it costs to write null for an absent value that may be null.
const NULL: u32 = 10;
type Entries<'t> = [(Cow<'t, str>, NodeId)];

impl<'t> Planner<'_, 't> {
    pub(super) fn plan_object(
        &mut self,
        node: NodeId,
        type_id: TypeId,
        shape: &ObjectShape,
    ) -> Plan {
        match self.forest.kind(node) {
            NodeKind::Object => {
                let entries: Vec<_> = self.forest.entries(node).collect();
                self.plan_entries(node, type_id, shape, &entries)
            }
            NodeKind::Array => {
                let items: Vec<_> = self.forest.items(node).collect();
                self.plan_from_array(node, type_id, shape, &items)
            }
            NodeKind::Null => self.plan_from_null(node, shape),
            NodeKind::Text(_) => {
                let implied = self.plan_implied(node, shape);
                match self.inside(node) {
                    Some(inner) if self.forest.is_object(inner) => {
                        let parsed = self.plan(inner, type_id);
                        let from = &self.excerpt(node);
                        let to = &self.excerpt(inner);
                        let read = note(CoercionCode::StringParsed, from, to);
                        cheaper(self.through(node, parsed, read), implied)
                    }
                    _ => implied,
                }
            }
            NodeKind::Bool(_) | NodeKind::Number(_) => self.plan_implied(node, shape),
        }
    }

    fn plan_entries(
        &mut self,
        node: NodeId,
        type_id: TypeId,
        shape: &ObjectShape,
        entries: &Entries<'t>,
    ) -> Plan {
        let owners = match_keys(shape, entries);
        let recognised = owners.iter().any(Option::is_some);
        let mut plan = self.plan_matched(node, shape, entries, &owners);
        if shape.properties.is_empty() || recognised || entries.is_empty() {
            return plan;
        }
        plan.cost = plan.cost.saturating_add(STRANGER);
        plan = cheaper(plan, self.plan_implied(node, shape));
        match entries {
            [(key, value)] if !self.forest.is_scalar(*value) => {
                let inner = self.plan(*value, type_id);
                let named =
                    self.schema.title(type_id).is_some_and(|title| fold(title) == fold(key));
                let from = &self.excerpt(node);
                let mut taken = note(CoercionCode::Unwrapped, from, &self.excerpt(*value));
                taken.cost -= u32::from(named);
                cheaper(plan, self.through(node, inner, taken))
            }
            _ => plan,
        }
    }

    /// Plans an object whose keys were given to properties.
    fn plan_matched(
        &mut self,
        node: NodeId,
        shape: &ObjectShape,
        entries: &Entries<'t>,
        owners: &[Option<usize>],
    ) -> Plan {
        let mut plan = keep(node);
        let mut slots: Vec<Slot> = Vec::with_capacity(shape.properties.len());
        // The last of repeated keys counts, as it does for every JSON reader.
        let mut given: HashMap<usize, usize> = HashMap::new();
        for (at, owner) in owners.iter().enumerate() {
            if let Some(property) = owner {
                given.insert(*property, at);
            }
        }
        for (index, property) in shape.properties.iter().enumerate() {
            let value = match given.get(&index) {
                Some(&at) => {
                    note_renamed_key(&mut plan, property, &entries[at].0);
                    Some(self.plan_property(&mut plan, entries[at].1, property))
                }
                None => self.absent_property(&mut plan, property),
            };
            let Some(value) = value else { continue };
            if self.must_wait(property, &value) {
                return withheld(node);
            }
            if let SlotValue::Planned(inner) = value {
                plan.cost = plan.cost.saturating_add(self.cost(inner));
            }
            slots.push(Slot { key: property.name.clone(), value });
        }
        for (at, (key, value)) in entries.iter().enumerate() {
            if owners[at].is_none() {
                self.plan_extra(&mut plan, &mut slots, shape, (key.as_ref(), *value));
            }
        }
        let is_as_written = plan.cost == 0
            && plan.notes.is_empty()
            && slots.len() == entries.len()
            && slots.iter().zip(entries).all(|(slot, (key, value))| slot.takes(key, *value));
        if !is_as_written {
            plan.action = Action::Object(slots);
        }
        plan
    }

    fn plan_property(&mut self, plan: &mut Plan, node: NodeId, property: &Property) -> SlotValue {
        let unfinished = self.forest.mark(node) != Mark::Complete;
        if self.rules.partial && property.stream.done && unfinished {
            let value = self.empty_value(property.type_id).unwrap_or(Value::Null);
            return fill(plan, property, value, CoercionCode::Withheld);
        }
        match &property.default {
            Some(default) if self.forest.is_missing(node) => {
                fill(plan, property, default.clone(), CoercionCode::DefaultUsed)
            }
            _ => SlotValue::Planned(self.plan(node, property.type_id)),
        }
    }

    /// Returns whether the object may not be shown before this property has a value.
    fn must_wait(&self, property: &Property, value: &SlotValue) -> bool {
        let rule = property.stream.and(self.schema.stream(property.type_id));
        if !self.rules.partial || !rule.not_null {
            return false;
        }
        match value {
            SlotValue::Filled(value) | SlotValue::Granted(value) => value.is_null(),
            SlotValue::Planned(plan) => self.gives_null(*plan),
        }
    }

    fn gives_null(&self, plan: PlanId) -> bool {
        match &self.get(plan).action {
            Action::Keep => self.is_null(self.node_of(plan)),
            Action::Make(value) | Action::Fill(value) => value.is_null(),
            Action::Same(inner) => self.gives_null(*inner),
            Action::Words | Action::Array(_) | Action::Object(_) => false,
        }
    }

    fn absent_property(&self, plan: &mut Plan, property: &Property) -> Option<SlotValue> {
        let empty = self.empty_value(property.type_id);
        if let Some(default) = &property.default {
            return Some(fill(plan, property, default.clone(), CoercionCode::DefaultUsed));
        }
        if self.rules.partial {
            let value = empty.filter(|_| property.required).unwrap_or(Value::Null);
            return Some(fill(plan, property, value, CoercionCode::Withheld));
        }
        if !property.required {
            plan.cost = plan.cost.saturating_add(ABSENT);
            return None;
        }
        let null = self.schema.accepts_null(property.type_id).then_some(Value::Null);
        let value = null.or(empty);
        if value.is_none() {
            plan.cost = plan.cost.saturating_add(VIOLATION);
        }
        value.map(|value| fill(plan, property, value, CoercionCode::AbsentAsEmpty))
    }

    /// Returns the empty list or map, for types that have one.
    fn empty_value(&self, type_id: TypeId) -> Option<Value> {
        match self.schema.shape(type_id) {
            Shape::Array(shape) if shape.prefix.is_empty() => Some(Value::Array(Vec::new())),
            Shape::Object(shape) if shape.properties.is_empty() => {
                Some(Value::Object(serde_json::Map::new()))
            }
            _ => None,
        }
    }

    fn plan_extra(
        &mut self,
        plan: &mut Plan,
        slots: &mut Vec<Slot>,
        shape: &ObjectShape,
        (key, value): (&str, NodeId),
    ) {
        let pattern = shape
            .patterns
            .iter()
            .find(|rule| rule.matcher.is_valid(&Value::String(key.to_owned())));
        let type_id = match (pattern, &shape.extra) {
            (Some(rule), _) => Some(rule.type_id),
            (None, Extra::Typed(type_id)) => Some(*type_id),
            (None, Extra::Unsaid) => {
                // The schema allows it, but another reading may have expected it.
                plan.cost = plan.cost.saturating_add(CoercionCode::ExtraKey.cost());
                None
            }
            (None, Extra::Forbidden) => {
                plan.cost = plan.cost.saturating_add(CoercionCode::ExtraKey.cost());
                if plan.notes.len() < LISTED {
                    let from = &self.excerpt(value);
                    plan.notes.push(note(CoercionCode::ExtraKey, from, "").at(key));
                }
                return;
            }
        };
        let inner = match type_id {
            Some(type_id) => self.plan(value, type_id),
            None => self.push(keep(value)),
        };
        plan.cost = plan.cost.saturating_add(self.cost(inner));
        let key = self.map_key(plan, shape, key);
        match slots.iter_mut().rev().take(LISTED).find(|slot| slot.key == key) {
            Some(slot) => slot.value = SlotValue::Planned(inner),
            None => slots.push(Slot { key, value: SlotValue::Planned(inner) }),
        }
    }

    /// Reads the key of a map as one of the names the schema allows.
    fn map_key(&self, plan: &mut Plan, shape: &ObjectShape, key: &str) -> String {
        let Some(type_id) = shape.keys else { return key.to_owned() };
        let Some(choices) = self.choices_of(type_id) else { return key.to_owned() };
        let table: Vec<Vec<&str>> = choices.iter().map(|choice| choice.1.clone()).collect();
        match crate::schema::fold::choose(key, &table) {
            Some((index, fit)) => {
                if fit > crate::schema::fold::Fit::Exact {
                    push_key_note(plan, CoercionCode::KeyFolded, key, choices[index].0);
                }
                choices[index].0.to_owned()
            }
            None => {
                plan.cost = plan.cost.saturating_add(VIOLATION);
                key.to_owned()
            }
        }
    }

    /// Lists the choices of a type that are texts, with the words that mean them.
    fn choices_of(&self, type_id: TypeId) -> Option<Vec<(&str, Vec<&str>)>> {
        match self.schema.shape(type_id) {
            Shape::Choice(choices) => Some(
                choices
                    .iter()
                    .filter_map(|choice| {
                        let words = choice.words.iter().map(String::as_str).collect();
                        choice.value.as_str().map(|name| (name, words))
                    })
                    .collect(),
            ),
            Shape::Union(members) => {
                let mut all = Vec::new();
                for &member in members {
                    if let Shape::Choice(_) = self.schema.shape(member) {
                        all.extend(self.choices_of(member)?);
                    }
                }
                (!all.is_empty()).then_some(all)
            }
            _ => None,
        }
    }

    fn plan_from_null(&self, node: NodeId, shape: &ObjectShape) -> Plan {
        let empty = Value::Object(serde_json::Map::new());
        if self.rules.partial {
            return if shape.properties.is_empty() {
                filled(node, empty, CoercionCode::Withheld)
            } else {
                Plan { cost: ABSENT, ..keep(node) }
            };
        }
        if shape.properties.is_empty() {
            filled(node, empty, CoercionCode::NullAsEmpty)
        } else {
            misfit(node)
        }
    }
}

impl Slot {
    // Whether the property is this entry of the text as it is.
    fn takes(&self, key: &str, value: NodeId) -> bool {
        self.key == key
            && matches!(self.value, SlotValue::Planned(plan) if plan == PlanId::Kept(value))
    }
}

/// Gives every key to the property it names: by alias, by name, then without case and accents.
fn match_keys(shape: &ObjectShape, entries: &Entries<'_>) -> Vec<Option<usize>> {
    let exact = names_of(shape, str::to_owned);
    let mut owners: Vec<Option<usize>> =
        entries.iter().map(|(key, _)| exact.get(key.as_ref()).copied()).collect();
    if shape.properties.is_empty() || owners.iter().all(Option::is_some) {
        return owners;
    }
    let folded = names_of(shape, fold);
    let mut given: Vec<bool> = vec![false; shape.properties.len()];
    for &owner in owners.iter().flatten() {
        given[owner] = true;
    }
    for (at, (key, _)) in entries.iter().enumerate() {
        if owners[at].is_none()
            && let Some(&index) = folded.get(&fold(key))
            && !std::mem::replace(&mut given[index], true)
        {
            owners[at] = Some(index);
        }
    }
    owners
}

/// Maps names to properties. An alias is what the model was told to write, so it goes before a
/// property's own name; of equals the first counts.
fn names_of(shape: &ObjectShape, view: fn(&str) -> String) -> HashMap<String, usize> {
    let mut names = HashMap::new();
    for (index, property) in shape.properties.iter().enumerate() {
        for alias in &property.aliases {
            names.entry(view(alias)).or_insert(index);
        }
    }
    for (index, property) in shape.properties.iter().enumerate() {
        names.entry(view(&property.name)).or_insert(index);
    }
    names
}

/// Gives a property a value that the text does not say, with a note of it.
fn fill(plan: &mut Plan, property: &Property, value: Value, code: CoercionCode) -> SlotValue {
    let mut filled = note(code, "", &value.to_string()).at(&property.name);
    // The null that a type allows says no more than the absence did.
    if value.is_null() {
        filled.cost = filled.cost.min(NULL);
    }
    plan.cost = plan.cost.saturating_add(filled.cost);
    plan.notes.push(filled);
    let granted = match code {
        CoercionCode::DefaultUsed => true,
        CoercionCode::AbsentAsEmpty => value.is_null(),
        _ => false,
    };
    let value = Box::new(value);
    if granted { SlotValue::Granted(value) } else { SlotValue::Filled(value) }
}

fn note_renamed_key(plan: &mut Plan, property: &Property, key: &str) {
    if property.aliases.iter().any(|alias| alias == key) {
        push_key_note(plan, CoercionCode::Alias, key, &property.name);
    } else if key != property.name {
        push_key_note(plan, CoercionCode::KeyFolded, key, &property.name);
    }
}

fn push_key_note(plan: &mut Plan, code: CoercionCode, key: &str, name: &str) {
    let renamed = note(code, key, name).at(name);
    plan.cost = plan.cost.saturating_add(renamed.cost);
    plan.notes.push(renamed);
}
