//! Reading a reply by a schema: all readings planned, the cheapest built and validated.
//!
//! In: a text, a compiled schema, what is known about the arrival. Out: a `SchemaOutcome`. Never an
//! error on input: a text that fits nowhere gives the nearest value and its violations.

use super::build::build;
use super::compile::CompiledSchema;
use super::cost::Coercion;
use super::forest::Forest;
use super::front_matter::read_front_matter;
use super::model::Shape;
use super::named::{SchemaCarrier, SchemaName};
use super::plan::{PlanId, Planner, Rules};
use super::readings::{Reading, Scope, WORDS_BESIDE_JSON, readings, repairs_of};
use super::validate::{Violation, validate};
use crate::parse::{ParseMode, ParseOptions, Repair, Tree, parse_json};
use serde::Serialize;
use serde_json::Value;

const WORDS_OF_A_PART: u32 = 300;
const NO_SUBSTITUTE: u32 = 100_000;

/// Whether more of the reply is still to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Arrival {
    /// The text is all there is.
    #[default]
    Whole,
    /// The text is the beginning of a stream: absent values are null or empty, and values that the
    /// schema wants finished are withheld.
    Partial,
}

/// How far a value is stretched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum RepairMode {
    /// JSON inside strings must be valid to be read.
    #[default]
    Standard,
    /// Broken JSON in strings and lists in place of objects are read too.
    Salvage,
}

/// What is known about a reply that is read by a schema.
#[derive(Debug, Clone, Copy, Default)]
pub struct SchemaOptions {
    /// Whether more is coming.
    pub arrival: Arrival,
    /// How far to go.
    pub mode: RepairMode,
}

/// What a reply says in the terms of a schema.
#[derive(Debug, Clone, Serialize)]
#[must_use]
pub struct SchemaOutcome {
    /// The value.
    pub value: Value,
    /// Whether everything in it was written out in the text.
    pub complete: bool,
    /// What the tolerant parser repaired in the text the value was read from, at most a thousand.
    pub repairs: Vec<Repair>,
    /// How many repairs are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub repairs_left_off: usize,
    /// What was changed to fit the schema, at most a thousand.
    pub coercions: Vec<Coercion>,
    /// How many coercions are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub coercions_left_off: usize,
    /// Where the value still breaks the schema.
    pub violations: Vec<Violation>,
    /// Places whose value was cut, inferred or filled in.
    pub incomplete_paths: Vec<String>,
}

/// Reads a text by a schema.
pub fn parse_with_schema(
    text: &str,
    parse_options: &ParseOptions,
    schema: &CompiledSchema,
    options: &SchemaOptions,
) -> SchemaOutcome {
    let parsed = parse_json(text, parse_options);
    let scope = match (parse_options.mode, schema.shape(schema.root())) {
        // A schema that says nothing leaves the choice to the parser.
        (ParseMode::Text, _) | (_, Shape::Any) => Scope::Answer,
        (ParseMode::Llm, _) => Scope::Everything,
    };
    let (forest, found) = readings(text, &parsed, scope);
    let rules = rules(options);
    let mut planner = Planner::new(schema, forest, rules);
    let best = cheapest(&mut planner, found);
    // Words that are no answer yet may be the talk before one.
    let early = |&(_, plan): &(Reading, PlanId)| !(rules.partial && planner.is_unread_text(plan));
    let Some((reading, plan)) = best.filter(early) else {
        let incomplete = vec!["$".to_owned()];
        return outcome(Value::Null, (Vec::new(), 0), (Vec::new(), 0), incomplete, schema);
    };
    planner.forget();
    let built = build(&planner, plan);
    // The value and the readings of a long text are large: not both while it is judged.
    drop(planner);
    let repairs = repairs_of(text, &parsed, reading.span);
    let mut incomplete = built.incomplete;
    if incomplete.is_empty() && parsed.has_lost_values() {
        incomplete = parsed.incomplete_paths();
    }
    drop(parsed);
    outcome(built.value, repairs, (built.coercions, built.left_off), incomplete, schema)
}

/// What a tree says in the terms of a schema.
#[derive(Debug, Clone, Serialize)]
#[must_use]
pub struct Coerced {
    /// The value.
    pub value: Value,
    /// What was changed to fit the schema.
    pub coercions: Vec<Coercion>,
    /// Places whose value was cut, inferred or filled in.
    pub incomplete_paths: Vec<String>,
}

/// Fits the answer of a tree to a schema, such as a snapshot of a parser that is still reading.
pub fn coerce(tree: &Tree, schema: &CompiledSchema, options: &SchemaOptions) -> Coerced {
    let mut forest = Forest::new(tree);
    let Some(root) = tree.root().map(|root| forest.add_tree(root)) else {
        let incomplete_paths = vec!["$".to_owned()];
        return Coerced { value: Value::Null, coercions: Vec::new(), incomplete_paths };
    };
    let mut planner = Planner::new(schema, forest, rules(options));
    let plan = planner.plan(root, schema.root());
    let built = build(&planner, plan);
    Coerced { value: built.value, coercions: built.coercions, incomplete_paths: built.incomplete }
}

fn rules(options: &SchemaOptions) -> Rules {
    Rules {
        partial: options.arrival == Arrival::Partial,
        salvage: options.mode == RepairMode::Salvage,
    }
}

/// Reads a text by a built-in schema, in the form that schema's replies come in.
///
/// # Errors
/// Never in practice: the built-in schemas compile.
pub fn parse_named(
    text: &str,
    parse_options: &ParseOptions,
    name: SchemaName,
) -> Result<SchemaOutcome, super::compile::SchemaError> {
    let schema = name.compile()?;
    Ok(match name.carrier() {
        SchemaCarrier::Json => {
            parse_with_schema(text, parse_options, &schema, &SchemaOptions::default())
        }
        SchemaCarrier::Text => {
            let value = Value::String(text.to_owned());
            outcome(value, (Vec::new(), 0), (Vec::new(), 0), Vec::new(), &schema)
        }
        SchemaCarrier::FrontMatter => {
            let fields = read_front_matter(text);
            let missing = if fields.is_none() { vec!["$".to_owned()] } else { Vec::new() };
            let value = Value::Object(fields.unwrap_or_default());
            outcome(value, (Vec::new(), 0), (Vec::new(), 0), missing, &schema)
        }
    })
}

fn cheapest<'t>(planner: &mut Planner<'_, 't>, found: Vec<Reading>) -> Option<(Reading, PlanId)> {
    let mut best: Option<(Reading, PlanId, u32)> = None;
    for reading in found {
        // No plan is cheaper than its reading.
        if best.as_ref().is_some_and(|best| reading.cost >= best.2) {
            continue;
        }
        let plan = planner.plan(reading.node, planner.schema.root());
        let mut cost = planner.cost(plan).saturating_add(reading.cost);
        // Where a text is wanted, the words of the reply are that text, not the JSON among them.
        if !reading.whole && planner.gives_words(plan) {
            cost = cost.saturating_add(WORDS_OF_A_PART);
        }
        // Where JSON is wanted and some was written, the words around it are no substitute.
        if reading.cost >= WORDS_BESIDE_JSON && planner.wraps(plan) {
            cost = cost.saturating_add(NO_SUBSTITUTE);
        }
        if best.as_ref().is_none_or(|best| cost < best.2) {
            best = Some((reading, plan, cost));
        }
    }
    best.map(|(reading, plan, _)| (reading, plan))
}

fn outcome(
    value: Value,
    (repairs, repairs_left_off): (Vec<Repair>, usize),
    (coercions, coercions_left_off): (Vec<Coercion>, usize),
    incomplete_paths: Vec<String>,
    schema: &CompiledSchema,
) -> SchemaOutcome {
    let violations = validate(&value, schema);
    let complete = incomplete_paths.is_empty();
    SchemaOutcome {
        value,
        complete,
        repairs,
        repairs_left_off,
        coercions,
        coercions_left_off,
        violations,
        incomplete_paths,
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}
