//! Finding the cheapest way to read a node as a type.
//!
//! In: the forest of readings and a compiled schema. Out: a plan per (node, type), made once and
//! shared, so the work is bounded by nodes × types however unions and recursion are nested. Never
//! changes a value without a note; what fits nowhere is kept as it is at the price of a
//! violation.

mod array;
mod implied;
mod object;
mod scalar;

use super::compile::CompiledSchema;
use super::cost::{ABSENT, CoercionCode, MISFIT, VIOLATION};
use super::forest::{Forest, Mark, NodeId, NodeKind};
use super::model::{Shape, TypeId};
use super::readings::read_broken;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::HashMap;

// Nesting of nodes, unions and wrappers together.
const DEPTH_LIMIT: usize = 640;
// A reading that leads back to itself.
const IMPOSSIBLE: u32 = 1_000_000_000;

/// The place of a plan in the planner.
///
/// A value that is taken as it is needs no plan of its own: its id is the node with the highest bit
/// set, so that a long list of such values costs nothing.
pub(super) type PlanId = u32;

const KEPT: PlanId = 1 << 31;

/// How one node becomes a value of one type.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) node: NodeId,
    pub(super) cost: u32,
    pub(super) notes: Vec<Note>,
    pub(super) action: Action,
}

/// What a plan does.
#[derive(Debug)]
pub(super) enum Action {
    /// Takes the node's value as it is.
    Keep,
    /// Takes this value, which the node says in other words.
    Make(Box<Value>),
    /// Takes the node's text as it was written.
    Words,
    /// Takes this value, which nothing in the text says.
    Fill(Box<Value>),
    Array(Vec<PlanId>),
    Object(Vec<Slot>),
    /// Takes what another plan gives.
    Same(PlanId),
}

/// One property of a planned object.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) key: String,
    pub(super) value: SlotValue,
}

/// Where a property's value comes from.
#[derive(Debug)]
pub(super) enum SlotValue {
    Planned(PlanId),
    /// A value the text does not say.
    Filled(Box<Value>),
    /// What the schema says of an absent value: its default, or the null it allows.
    Granted(Box<Value>),
}

/// A change, relative to the place of its plan.
#[derive(Debug, Clone)]
pub(super) struct Note {
    pub(super) code: CoercionCode,
    pub(super) key: Option<String>,
    pub(super) from: String,
    pub(super) to: String,
    pub(super) cost: u32,
}

/// What the caller allows.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Rules {
    /// More is coming: absent is not missing, and unfinished values may be withheld.
    pub(super) partial: bool,
    /// Broken JSON inside strings and lists in place of objects are read too.
    pub(super) salvage: bool,
}

/// The planner and everything it has found.
pub(super) struct Planner<'s, 't> {
    pub(super) schema: &'s CompiledSchema,
    pub(super) forest: Forest<'t>,
    pub(super) rules: Rules,
    plans: Vec<Plan>,
    // What every id with the bit `KEPT` stands for, but for the node.
    kept: Plan,
    memo: HashMap<(NodeId, TypeId), Option<PlanId>>,
    inside: HashMap<NodeId, Option<NodeId>>,
    depth: usize,
    /// How many implied objects are being tried around the current node.
    implied: usize,
}

impl<'s, 't> Planner<'s, 't> {
    pub(super) fn new(schema: &'s CompiledSchema, forest: Forest<'t>, rules: Rules) -> Self {
        Self {
            schema,
            forest,
            rules,
            plans: Vec::new(),
            kept: keep(0),
            memo: HashMap::new(),
            inside: HashMap::new(),
            depth: 0,
            implied: 0,
        }
    }

    pub(super) fn get(&self, id: PlanId) -> &Plan {
        if id & KEPT == 0 { &self.plans[id as usize] } else { &self.kept }
    }

    /// Returns the node that a plan is for.
    pub(super) fn node_of(&self, id: PlanId) -> NodeId {
        if id & KEPT == 0 { self.plans[id as usize].node } else { id & !KEPT }
    }

    pub(super) fn cost(&self, id: PlanId) -> u32 {
        self.get(id).cost
    }

    /// Returns whether a plan keeps the words of the reply for want of anything that fits.
    pub(super) fn is_unread_text(&self, id: PlanId) -> bool {
        let node = self.forest.node(self.node_of(id));
        self.cost(id) >= VIOLATION && node.gathered && matches!(node.kind, NodeKind::Text(_))
    }

    /// Returns whether a plan takes the text a list or object was written as.
    pub(super) fn gives_words(&self, id: PlanId) -> bool {
        match self.get(id).action {
            Action::Words => true,
            Action::Same(inner) => self.gives_words(inner),
            _ => false,
        }
    }

    /// Returns whether a plan puts the node into a list or object that is not written.
    pub(super) fn wraps(&self, id: PlanId) -> bool {
        match self.get(id).action {
            Action::Array(_) | Action::Object(_) => true,
            Action::Same(inner) => self.wraps(inner),
            _ => false,
        }
    }

    /// Plans a node as a type, once.
    pub(super) fn plan(&mut self, node: NodeId, type_id: TypeId) -> PlanId {
        let type_id = self.schema.resolve(type_id);
        if self.is_leaf(node, type_id) {
            let plan = self.fresh(node, type_id);
            return self.push(plan);
        }
        match self.memo.get(&(node, type_id)) {
            Some(Some(plan)) => return *plan,
            Some(None) => return self.push(Plan { cost: IMPOSSIBLE, ..violation(node) }),
            None => {}
        }
        if self.depth >= DEPTH_LIMIT {
            return self.push(violation(node));
        }
        self.memo.insert((node, type_id), None);
        self.depth += 1;
        let plan = self.fresh(node, type_id);
        self.depth -= 1;
        let id = self.push(plan);
        self.memo.insert((node, type_id), Some(id));
        id
    }

    // A scalar read as a scalar leads to no other plan, so that it is not worth remembering.
    fn is_leaf(&self, node: NodeId, type_id: TypeId) -> bool {
        let shape = self.schema.shape(type_id);
        let compound =
            matches!(shape, Shape::Array(_) | Shape::Object(_) | Shape::Union(_) | Shape::Same(_));
        !compound && self.is_scalar(node)
    }

    fn fresh(&mut self, node: NodeId, type_id: TypeId) -> Plan {
        let schema = self.schema;
        let unfinished = self.forest.node(node).mark != Mark::Complete;
        if self.rules.partial && unfinished && schema.stream(type_id).done {
            return withheld(node);
        }
        if self.forest.is_missing(node)
            && let Some(plan) = self.plan_missing(node, type_id)
        {
            return plan;
        }
        match schema.shape(type_id) {
            Shape::Any | Shape::Same(_) => keep(node),
            Shape::Null => self.plan_null(node),
            Shape::Boolean => self.plan_boolean(node, type_id),
            Shape::Integer => self.plan_number(node, type_id, true),
            Shape::Number => self.plan_number(node, type_id, false),
            Shape::String => self.plan_string(node),
            Shape::Choice(choices) => self.plan_choice(node, type_id, choices),
            Shape::Array(shape) => self.plan_array(node, type_id, shape),
            Shape::Object(shape) => self.plan_object(node, type_id, shape),
            Shape::Union(members) => self.plan_union(node, members),
        }
    }

    /// A key is without its value, and more text follows: the empty value of the type, or null.
    fn plan_missing(&self, node: NodeId, type_id: TypeId) -> Option<Plan> {
        let null = self.is_null(node);
        let empty = match self.schema.shape(type_id) {
            Shape::Array(_) => Value::Array(Vec::new()),
            Shape::Object(shape) if shape.properties.is_empty() => Value::Object(Map::new()),
            Shape::Null => Value::Null,
            Shape::Boolean if !null => Value::Bool(false),
            Shape::Integer | Shape::Number if !null => Value::from(0),
            Shape::String if !null => Value::String(String::new()),
            Shape::Choice(choices) => match choices.as_slice() {
                [only] => only.value.clone(),
                _ => return None,
            },
            Shape::Any => {
                return Some(Plan { cost: CoercionCode::MissingValue.cost(), ..keep(node) });
            }
            _ => return None,
        };
        Some(filled(node, empty, CoercionCode::MissingValue))
    }

    /// The cheapest member wins, the first of equals.
    fn plan_union(&mut self, node: NodeId, members: &[TypeId]) -> Plan {
        let mut best: Option<PlanId> = None;
        for &member in members {
            let plan = self.plan(node, member);
            if best.is_none_or(|best| self.cost(plan) < self.cost(best)) {
                best = Some(plan);
            }
        }
        match best {
            Some(best) if self.cost(best) < VIOLATION => same(node, self.cost(best), best),
            _ if self.rules.partial && self.is_null(node) => Plan { cost: ABSENT, ..keep(node) },
            Some(best) => same(node, self.cost(best), best),
            None => violation(node),
        }
    }

    fn push(&mut self, plan: Plan) -> PlanId {
        let is_kept =
            plan.cost == 0 && plan.notes.is_empty() && matches!(plan.action, Action::Keep);
        if is_kept && plan.node < KEPT {
            return KEPT | plan.node;
        }
        self.plans.push(plan);
        u32::try_from(self.plans.len() - 1).unwrap_or(KEPT - 1)
    }

    fn is_null(&self, node: NodeId) -> bool {
        matches!(self.forest.node(node).kind, NodeKind::Null)
    }

    /// Takes another plan's value, with one note of why.
    fn through(&self, node: NodeId, inner: PlanId, note: Note) -> Plan {
        let cost = self.cost(inner).saturating_add(note.cost);
        Plan { node, cost, notes: vec![note], action: Action::Same(inner) }
    }

    /// Reads the JSON that a text holds, once.
    fn inside(&mut self, node: NodeId) -> Option<NodeId> {
        if let Some(known) = self.inside.get(&node) {
            return *known;
        }
        match &self.forest.node(node).kind {
            NodeKind::Text(text) if text.trim_start().starts_with(['{', '[']) => {}
            _ => return None,
        }
        let found = match &self.forest.node(node).kind {
            NodeKind::Text(text) => {
                let value = read_json(text.trim(), self.rules.salvage);
                value.map(|value| self.forest.add_value(&value))
            }
            _ => None,
        };
        self.inside.insert(node, found);
        found
    }

    fn excerpt(&self, node: NodeId) -> String {
        shorten(&self.forest.node(node).raw)
    }
}

/// Shortens a text for a note, on a character boundary.
pub(super) fn shorten(text: &str) -> String {
    const LONGEST: usize = 80;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn read_json(text: &str, salvage: bool) -> Option<Value> {
    match serde_json::from_str(text) {
        Ok(value) => Some(value),
        Err(_) if salvage => read_broken(text),
        Err(_) => None,
    }
}

fn keep(node: NodeId) -> Plan {
    Plan { node, cost: 0, notes: Vec::new(), action: Action::Keep }
}

fn violation(node: NodeId) -> Plan {
    Plan { cost: VIOLATION, ..keep(node) }
}

/// A plan for a node that is nothing like the list or object wanted. It costs more than an object
/// that lacks a few properties: half an answer is nearer than none.
fn misfit(node: NodeId) -> Plan {
    Plan { cost: MISFIT, ..keep(node) }
}

fn same(node: NodeId, cost: u32, inner: PlanId) -> Plan {
    Plan { node, cost, notes: Vec::new(), action: Action::Same(inner) }
}

fn withheld(node: NodeId) -> Plan {
    let note = note(CoercionCode::Withheld, "", "null");
    Plan { node, cost: note.cost, notes: vec![note], action: Action::Fill(Box::new(Value::Null)) }
}

fn note(code: CoercionCode, from: &str, to: &str) -> Note {
    Note { code, key: None, from: shorten(from), to: shorten(to), cost: code.cost() }
}

/// A plan that says the node's value in other words.
fn made(node: NodeId, value: Value, code: CoercionCode, from: &str) -> Plan {
    let to = &value.to_string();
    let note = note(code, from, to);
    Plan { node, cost: note.cost, notes: vec![note], action: Action::Make(Box::new(value)) }
}

/// A plan that fills in a value the text does not say.
fn filled(node: NodeId, value: Value, code: CoercionCode) -> Plan {
    let note = note(code, "", &value.to_string());
    Plan { node, cost: note.cost, notes: vec![note], action: Action::Fill(Box::new(value)) }
}
