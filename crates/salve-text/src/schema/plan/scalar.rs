//! Reading a node as null, a truth value, a number, a text or one of several choices.
//!
//! In: a node. Out: the cheapest plan. Never takes one of several numbers or choices that a text
//! names alike.

use super::{
    ABSENT, Action, CoercionCode, Mark, NodeId, NodeKind, Plan, PlanId, Planner, TypeId, VIOLATION,
    Value, keep, made, note, violation, withheld, words,
};
use crate::schema::fold::{self, Fit};
use crate::schema::forest::number_of;
use crate::schema::model::Choice;
use crate::schema::number;
use serde_json::Number;

impl Planner<'_, '_> {
    pub(super) fn plan_null(&mut self, node: NodeId) -> Plan {
        match self.forest.kind(node) {
            NodeKind::Null => keep(node),
            NodeKind::Text(text) if says_nothing(&text) => {
                made(node, Value::Null, CoercionCode::StringToNull, &self.excerpt(node))
            }
            _ => violation(node),
        }
    }

    pub(super) fn plan_boolean(&mut self, node: NodeId, type_id: TypeId) -> Plan {
        let found = match self.forest.kind(node) {
            NodeKind::Bool(_) if self.rules.partial && self.is_cut(node) => return withheld(node),
            NodeKind::Bool(_) => return keep(node),
            NodeKind::Null => return self.unreadable_null(node),
            NodeKind::Array | NodeKind::Object => return self.plan_taken_out(node, type_id),
            NodeKind::Text(text) => read_boolean(&text),
            NodeKind::Number(digits) => match number_of(&digits).and_then(|it| it.as_f64()) {
                Some(1.0) => Some((true, 0)),
                Some(0.0) => Some((false, 0)),
                _ => None,
            },
        };
        let Some((flag, stretch)) = found else { return violation(node) };
        let mut plan = made(node, Value::Bool(flag), CoercionCode::ToBoolean, &self.excerpt(node));
        plan.cost += stretch;
        plan
    }

    pub(super) fn plan_number(&mut self, node: NodeId, type_id: TypeId, whole: bool) -> Plan {
        let (value, mut plan) = match self.forest.kind(node) {
            NodeKind::Number(digits) => {
                if self.rules.partial && !self.forest.is_ended(node) {
                    return withheld(node);
                }
                let Some(value) = number_of(&digits) else { return violation(node) };
                (value, keep(node))
            }
            NodeKind::Text(text) => {
                let Some(found) = number::read(&text) else { return violation(node) };
                let code = if found.in_text {
                    CoercionCode::NumberInText
                } else {
                    CoercionCode::StringToNumber
                };
                let value = Value::Number(found.value.clone());
                (found.value, made(node, value, code, &self.excerpt(node)))
            }
            NodeKind::Null => return self.unreadable_null(node),
            NodeKind::Array | NodeKind::Object => return self.plan_taken_out(node, type_id),
            NodeKind::Bool(_) => return violation(node),
        };
        if !whole {
            return plan;
        }
        let Some((integer, lossy)) = number::to_integer(&value) else { return violation(node) };
        if integer != value {
            let from = &value.to_string();
            let to = &integer.to_string();
            let mut rounding = note(CoercionCode::NumberRounded, from, to);
            rounding.cost -= u32::from(!lossy);
            plan.cost += rounding.cost;
            plan.notes.push(rounding);
            plan.action = Action::Make(Box::new(Value::Number(integer)));
        }
        plan
    }

    pub(super) fn plan_string(&mut self, node: NodeId) -> Plan {
        let code = match self.forest.kind(node) {
            NodeKind::Text(_) => return keep(node),
            NodeKind::Null => return self.unreadable_null(node),
            NodeKind::Number(_) | NodeKind::Bool(_) => CoercionCode::ScalarToString,
            NodeKind::Array | NodeKind::Object => CoercionCode::JsonToString,
        };
        if self.forest.is_gathered(node) || self.forest.raw(node).is_empty() {
            return violation(node);
        }
        // A list of one text is that text, not its brackets.
        match self.only_text(node) {
            Some(item) => {
                let inner = self.plan_string_id(item);
                let taken =
                    note(CoercionCode::ArrayToSingle, &self.excerpt(node), &self.excerpt(item));
                self.through(node, inner, taken)
            }
            None => words(node, code),
        }
    }

    fn is_cut(&self, node: NodeId) -> bool {
        self.forest.mark(node) == Mark::Truncated
    }

    fn only_text(&self, node: NodeId) -> Option<NodeId> {
        let mut items = self.forest.items(node);
        let item = items.next()?;
        let is_text = matches!(self.forest.kind(item), NodeKind::Text(_));
        (is_text && items.next().is_none()).then_some(item)
    }

    fn plan_string_id(&mut self, node: NodeId) -> PlanId {
        let plan = self.plan_string(node);
        self.push(plan)
    }

    pub(super) fn plan_choice(
        &mut self,
        node: NodeId,
        type_id: TypeId,
        choices: &[Choice],
    ) -> Plan {
        let value = match self.forest.kind(node) {
            NodeKind::Array | NodeKind::Object => {
                // The value is built only for choices that are of its kind.
                let mut alike =
                    choices.iter().filter(|it| it.value.is_array() || it.value.is_object());
                if let Some(first) = alike.next() {
                    let value = self.forest.value(node);
                    if first.value == value || alike.any(|choice| choice.value == value) {
                        return keep(node);
                    }
                }
                return self.plan_taken_out(node, type_id);
            }
            NodeKind::Null if !choices.iter().any(|choice| choice.value.is_null()) => {
                return self.unreadable_null(node);
            }
            _ => self.forest.value(node),
        };
        if self.rules.partial && self.is_cut(node) && value.is_string() {
            return withheld(node);
        }
        if choices.iter().any(|choice| same_scalar(&choice.value, &value) && is_plain(choice)) {
            return keep(node);
        }
        let raw = self.forest.raw(node);
        let text = match &value {
            Value::String(text) => text.as_str(),
            _ => raw.as_ref(),
        };
        let table: Vec<Vec<&str>> = choices.iter().map(Choice::word_list).collect();
        match fold::choose(text, &table) {
            // A number or truth value is a choice only as a whole.
            Some((_, fit)) if !value.is_string() && fit > Fit::Folded => violation(node),
            Some((index, fit)) => self.chosen(node, &choices[index], fit),
            None => self.number_choice(node, text, choices),
        }
    }

    fn chosen(&self, node: NodeId, choice: &Choice, fit: Fit) -> Plan {
        let value = choice.value.clone();
        match fit {
            Fit::Exact if value.is_string() => {
                made(node, value, CoercionCode::Alias, &self.excerpt(node))
            }
            Fit::Exact => made(node, value, CoercionCode::ChoiceFolded, &self.excerpt(node)),
            Fit::Folded => made(node, value, CoercionCode::ChoiceFolded, &self.excerpt(node)),
            Fit::Within | Fit::FoldedWithin | Fit::PartOfWord => {
                let mut plan = made(node, value, CoercionCode::ChoiceInText, &self.excerpt(node));
                plan.cost += match fit {
                    Fit::FoldedWithin => 1,
                    Fit::PartOfWord => 3,
                    _ => 0,
                };
                plan
            }
        }
    }

    fn number_choice(&self, node: NodeId, text: &str, choices: &[Choice]) -> Plan {
        let Some(found) = number::read(text) else { return violation(node) };
        let value = Value::Number(found.value);
        match choices.iter().find(|choice| same_scalar(&choice.value, &value)) {
            Some(choice) => {
                let value = choice.value.clone();
                made(node, value, CoercionCode::NumberInText, &self.excerpt(node))
            }
            None => violation(node),
        }
    }

    /// Takes a scalar out of a list or an object of one entry.
    fn plan_taken_out(&mut self, node: NodeId, type_id: TypeId) -> Plan {
        if let Some(value) = self.only_value(node) {
            let inner = self.plan(value, type_id);
            if self.cost(inner) >= VIOLATION {
                return violation(node);
            }
            let (from, to) = (self.excerpt(node), self.excerpt(value));
            return self.through(node, inner, note(CoercionCode::Unwrapped, &from, &to));
        }
        for (skipped, child) in self.forest.items(node).enumerate() {
            let inner = self.plan(child, type_id);
            if self.cost(inner) < VIOLATION {
                let from = &self.excerpt(node);
                let mut taken = note(CoercionCode::ArrayToSingle, from, &self.excerpt(child));
                let others = self.forest.items(node).count() - 1 + skipped;
                let others = u32::try_from(others).unwrap_or(u32::MAX);
                taken.cost = taken.cost.saturating_add(others);
                return self.through(node, inner, taken);
            }
        }
        violation(node)
    }

    /// A null where the type has none: a violation, unless more is coming.
    fn unreadable_null(&self, node: NodeId) -> Plan {
        if self.rules.partial { Plan { cost: ABSENT, ..keep(node) } } else { violation(node) }
    }
}

impl Choice {
    fn word_list(&self) -> Vec<&str> {
        self.words.iter().map(String::as_str).collect()
    }
}

/// Returns whether the choice goes by its own name, so that the value itself is the right word.
fn is_plain(choice: &Choice) -> bool {
    match &choice.value {
        Value::String(text) => choice.words.iter().any(|word| word == text),
        _ => true,
    }
}

/// Tells the ways people write that there is no value.
fn says_nothing(text: &str) -> bool {
    let text = text.trim();
    matches!(text, "" | "-" | "n/a" | "N/A")
        || matches!(fold::fold(text).as_str(), "null" | "none" | "nil" | "undefined")
}

fn same_scalar(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => same_number(left, right),
        _ => left == right,
    }
}

fn same_number(left: &Number, right: &Number) -> bool {
    left == right || left.as_f64().zip(right.as_f64()).is_some_and(|(left, right)| left == right)
}

fn read_boolean(text: &str) -> Option<(bool, u32)> {
    match fold::fold(text).as_str() {
        "true" | "yes" | "y" | "on" | "1" => return Some((true, 0)),
        "false" | "no" | "n" | "off" | "0" => return Some((false, 0)),
        _ => {}
    }
    let (index, fit) = fold::choose(text, &[vec!["true"], vec!["false"]])?;
    (fit < Fit::PartOfWord).then_some((index == 0, 3))
}
