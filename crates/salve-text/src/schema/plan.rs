//! Finding the cheapest way to read a node as a type.
//!
//! In: the forest of readings and a compiled schema. Out: a plan per (node, type), made once and
//! shared, so the work is bounded by nodes × types however unions and recursion are nested. Never
//! changes a value without a note; what fits nowhere is kept as it is at the price of a
//! violation. The plans that a hostile text can ask for by the million take no room of their own.

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

/// A plan. The common ones say all in their id, so that a long list of such values costs nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PlanId {
    /// Its place in the planner.
    Made(u32),
    /// Takes the node's value as it is.
    Kept(NodeId),
    /// The same, though it does not fit.
    Unfit(NodeId),
    /// The same, though it is not even of the wanted kind.
    Misfit(NodeId),
    /// Takes the node's text as it was written.
    Words(NodeId),
}

// Of so many changes the words are kept; of the others only how many there are. A reading that is
// given up needs notes too, so this is more than are listed in the end.
const WORDED: usize = 10_000;

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
    pub(super) cost: u32,
    /// Nothing where there are too many changes to tell them all.
    pub(super) words: Option<Box<NoteWords>>,
}

/// A change in words.
#[derive(Debug, Clone)]
pub(super) struct NoteWords {
    pub(super) key: Option<String>,
    pub(super) from: String,
    pub(super) to: String,
}

impl Note {
    /// The same change, of the value under a key.
    fn at(mut self, key: &str) -> Self {
        if let Some(words) = &mut self.words {
            words.key = Some(key.to_owned());
        }
        self
    }
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
    // What the ids stand for that are no place, but for the node.
    common: Common,
    worded: usize,
    memo: HashMap<(NodeId, TypeId), Option<PlanId>>,
    inside: HashMap<NodeId, Option<NodeId>>,
    // The node without children that is being planned, and what is remembered only for so long.
    childless: Option<NodeId>,
    passing: Vec<(NodeId, TypeId)>,
    depth: usize,
    /// How many implied objects are being tried around the current node.
    implied: usize,
}

// The plans that need no place; what they say of the node is left out.
struct Common {
    kept: Plan,
    unfit: Plan,
    misfit: Plan,
    scalar_words: Plan,
    json_words: Plan,
}

impl<'s, 't> Planner<'s, 't> {
    pub(super) fn new(schema: &'s CompiledSchema, forest: Forest<'t>, rules: Rules) -> Self {
        Self {
            schema,
            forest,
            rules,
            plans: Vec::new(),
            common: Common {
                kept: keep(0),
                unfit: violation(0),
                misfit: misfit(0),
                scalar_words: words(0, CoercionCode::ScalarToString),
                json_words: words(0, CoercionCode::JsonToString),
            },
            worded: 0,
            memo: HashMap::new(),
            inside: HashMap::new(),
            childless: None,
            passing: Vec::new(),
            depth: 0,
            implied: 0,
        }
    }

    pub(super) fn get(&self, id: PlanId) -> &Plan {
        match id {
            PlanId::Made(place) => &self.plans[place as usize],
            PlanId::Kept(_) => &self.common.kept,
            PlanId::Unfit(_) => &self.common.unfit,
            PlanId::Misfit(_) => &self.common.misfit,
            PlanId::Words(node) if self.forest.is_scalar(node) => &self.common.scalar_words,
            PlanId::Words(_) => &self.common.json_words,
        }
    }

    /// Returns the node that a plan is for.
    pub(super) fn node_of(&self, id: PlanId) -> NodeId {
        match id {
            PlanId::Made(place) => self.plans[place as usize].node,
            PlanId::Kept(node)
            | PlanId::Unfit(node)
            | PlanId::Misfit(node)
            | PlanId::Words(node) => node,
        }
    }

    pub(super) fn cost(&self, id: PlanId) -> u32 {
        self.get(id).cost
    }

    /// Returns whether a plan keeps the words of the reply for want of anything that fits.
    pub(super) fn is_unread_text(&self, id: PlanId) -> bool {
        let node = self.node_of(id);
        self.cost(id) >= VIOLATION
            && self.forest.is_gathered(node)
            && matches!(self.forest.kind(node), NodeKind::Text(_))
    }

    /// Returns whether a plan takes the text a list or object was written as.
    pub(super) fn gives_words(&self, id: PlanId) -> bool {
        match self.get(id).action {
            Action::Words => true,
            Action::Same(inner) => self.gives_words(inner),
            _ => false,
        }
    }

    /// Returns whether a plan gives a list or object that fits, or puts the node into one.
    pub(super) fn wraps(&self, id: PlanId) -> bool {
        match (id, &self.get(id).action) {
            (PlanId::Kept(node), _) => !self.forest.is_scalar(node),
            (_, Action::Array(_) | Action::Object(_)) => true,
            (_, Action::Same(inner)) => self.wraps(*inner),
            _ => false,
        }
    }

    /// Lets go of what only further planning would need.
    pub(super) fn forget(&mut self) {
        self.memo = HashMap::new();
        self.inside = HashMap::new();
        self.passing = Vec::new();
    }

    #[cfg(test)]
    pub(super) fn made(&self) -> usize {
        self.plans.len()
    }

    /// Plans a node as a type, once.
    pub(super) fn plan(&mut self, node: NodeId, type_id: TypeId) -> PlanId {
        let type_id = self.schema.resolve(type_id);
        if self.is_leaf(node, type_id) {
            return self.fresh(node, type_id);
        }
        match self.memo.get(&(node, type_id)) {
            Some(Some(plan)) => return *plan,
            Some(None) => return self.push(Plan { cost: IMPOSSIBLE, ..violation(node) }),
            None => {}
        }
        if self.depth >= DEPTH_LIMIT {
            return PlanId::Unfit(node);
        }
        if !self.forest.is_childless(node) {
            return self.remembered(node, type_id);
        }
        // A node without children is quickly planned again, and there may be millions of them.
        let (outer, first) = (self.childless.replace(node), self.passing.len());
        self.passing.push((node, type_id));
        let id = self.remembered(node, type_id);
        if outer != Some(node) {
            for passed in self.passing.drain(first..) {
                self.memo.remove(&passed);
            }
        }
        self.childless = outer;
        id
    }

    fn remembered(&mut self, node: NodeId, type_id: TypeId) -> PlanId {
        self.memo.insert((node, type_id), None);
        self.depth += 1;
        let id = self.fresh(node, type_id);
        self.depth -= 1;
        self.memo.insert((node, type_id), Some(id));
        id
    }

    // A scalar read as a scalar leads to no other plan, so that it is not worth remembering.
    fn is_leaf(&self, node: NodeId, type_id: TypeId) -> bool {
        let shape = self.schema.shape(type_id);
        let compound =
            matches!(shape, Shape::Array(_) | Shape::Object(_) | Shape::Union(_) | Shape::Same(_));
        !compound && self.forest.is_scalar(node)
    }

    fn fresh(&mut self, node: NodeId, type_id: TypeId) -> PlanId {
        let schema = self.schema;
        let unfinished = self.forest.mark(node) != Mark::Complete;
        if self.rules.partial && unfinished && schema.stream(type_id).done {
            return self.push(withheld(node));
        }
        if self.forest.is_missing(node)
            && let Some(plan) = self.plan_missing(node, type_id)
        {
            return self.push(plan);
        }
        let plan = match schema.shape(type_id) {
            Shape::Any | Shape::Same(_) => keep(node),
            Shape::Null => self.plan_null(node),
            Shape::Boolean => self.plan_boolean(node, type_id),
            Shape::Integer => self.plan_number(node, type_id, true),
            Shape::Number => self.plan_number(node, type_id, false),
            Shape::String => self.plan_string(node),
            Shape::Choice(choices) => self.plan_choice(node, type_id, choices),
            Shape::Array(shape) => self.plan_array(node, type_id, shape),
            Shape::Object(shape) => self.plan_object(node, type_id, shape),
            Shape::Union(members) => return self.plan_union(node, members),
        };
        self.push(plan)
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
    fn plan_union(&mut self, node: NodeId, members: &[TypeId]) -> PlanId {
        // Nothing is cheaper than what fits as it is, and only its own kind can: a text is not first
        // read as every number and list it could be.
        for &member in members {
            if self.may_fit(node, member) {
                let plan = self.plan(node, member);
                if self.cost(plan) == 0 {
                    return plan;
                }
            }
        }
        let mut best: Option<PlanId> = None;
        for &member in members {
            let plan = self.plan(node, member);
            if best.is_none_or(|best| self.cost(plan) < self.cost(best)) {
                best = Some(plan);
            }
        }
        match best {
            Some(best) if self.cost(best) < VIOLATION => best,
            _ if self.rules.partial && self.is_null(node) => {
                self.push(Plan { cost: ABSENT, ..keep(node) })
            }
            Some(best) => best,
            None => PlanId::Unfit(node),
        }
    }

    // Whether a type could take a node as it is, as far as the kinds say.
    fn may_fit(&self, node: NodeId, type_id: TypeId) -> bool {
        let kind = self.forest.kind(node);
        match self.schema.shape(type_id) {
            Shape::Any | Shape::Choice(_) | Shape::Union(_) | Shape::Same(_) => true,
            Shape::Null => matches!(kind, NodeKind::Null),
            Shape::Boolean => matches!(kind, NodeKind::Bool(_)),
            Shape::Integer | Shape::Number => matches!(kind, NodeKind::Number(_)),
            Shape::String => matches!(kind, NodeKind::Text(_)),
            Shape::Array(_) => matches!(kind, NodeKind::Array),
            Shape::Object(_) => matches!(kind, NodeKind::Object),
        }
    }

    fn push(&mut self, mut plan: Plan) -> PlanId {
        match (&plan.action, plan.cost) {
            (Action::Words, _) => return PlanId::Words(plan.node),
            (Action::Keep, 0) if plan.notes.is_empty() => return PlanId::Kept(plan.node),
            (Action::Keep, VIOLATION) if plan.notes.is_empty() => return PlanId::Unfit(plan.node),
            (Action::Keep, MISFIT) if plan.notes.is_empty() => return PlanId::Misfit(plan.node),
            _ => {}
        }
        self.worded += plan.notes.len();
        if self.worded > WORDED {
            plan.notes.iter_mut().for_each(|note| note.words = None);
        }
        self.plans.push(plan);
        PlanId::Made(u32::try_from(self.plans.len() - 1).unwrap_or(u32::MAX))
    }

    fn is_null(&self, node: NodeId) -> bool {
        matches!(self.forest.kind(node), NodeKind::Null)
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
        let NodeKind::Text(text) = self.forest.kind(node) else { return None };
        if !text.trim_start().starts_with(['{', '[']) {
            return None;
        }
        let value = read_json(text.trim(), self.rules.salvage);
        let found = value.map(|value| self.forest.add_value(value));
        self.inside.insert(node, found);
        found
    }

    pub(super) fn excerpt(&self, node: NodeId) -> String {
        shorten(&self.forest.raw(node))
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

/// A plan that takes a node as it was written; the words of its note are those of the node.
fn words(node: NodeId, code: CoercionCode) -> Plan {
    let note = Note { code, cost: code.cost(), words: None };
    Plan { node, cost: note.cost, notes: vec![note], action: Action::Words }
}

fn withheld(node: NodeId) -> Plan {
    let note = note(CoercionCode::Withheld, "", "null");
    Plan { node, cost: note.cost, notes: vec![note], action: Action::Fill(Box::new(Value::Null)) }
}

fn note(code: CoercionCode, from: &str, to: &str) -> Note {
    let words = NoteWords { key: None, from: shorten(from), to: shorten(to) };
    Note { code, cost: code.cost(), words: Some(Box::new(words)) }
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
