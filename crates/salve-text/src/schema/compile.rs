//! From a JSON Schema to the arena of types the coercer walks.
//!
//! In: a schema as a JSON value, with `$ref` into itself. Out: a `CompiledSchema` that can coerce
//! and validate, or the reason why the validator refuses the schema. Never follows a reference out
//! of the document, never loops on references in circles.

use super::model::{
    ArrayShape, Choice, Extra, ObjectShape, PatternRule, Property, Shape, StreamRule, Type, TypeId,
};
use serde_json::{Map, Value};
use std::collections::HashMap;

// A schema nested deeper than this is not a schema anyone wrote.
const DEPTH_LIMIT: usize = 200;
// Following `Same` further than this is a circle of references.
const CHAIN_LIMIT: usize = 64;

/// A schema made ready for coercion and validation.
#[derive(Debug, Clone)]
pub struct CompiledSchema {
    source: Value,
    types: Vec<Type>,
    root: TypeId,
    validator: jsonschema::Validator,
}

/// Why a schema cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaError {
    message: String,
}

impl std::fmt::Display for SchemaError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "the schema is not usable: {}", self.message)
    }
}

impl std::error::Error for SchemaError {}

impl CompiledSchema {
    /// Compiles a JSON Schema.
    ///
    /// # Errors
    /// When the validator refuses the schema: a wrong keyword value or a reference to nothing.
    pub fn new(source: Value) -> Result<Self, SchemaError> {
        let validator = jsonschema::validator_for(&source)
            .map_err(|error| SchemaError { message: error.to_string() })?;
        let mut compiler = Compiler {
            root: &source,
            types: Vec::new(),
            seen: HashMap::new(),
            pending: Vec::new(),
        };
        let root = compiler.compile(&source, 0);
        compiler.compile_pending();
        let types = compiler.types;
        Ok(Self { source, types, root, validator })
    }

    /// Returns the schema as it was given.
    pub fn source(&self) -> &Value {
        &self.source
    }

    pub(super) fn validator(&self) -> &jsonschema::Validator {
        &self.validator
    }

    pub(super) fn root(&self) -> TypeId {
        self.resolve(self.root)
    }

    /// Follows references to the type that says something.
    pub(super) fn resolve(&self, mut id: TypeId) -> TypeId {
        for _ in 0..CHAIN_LIMIT {
            match self.types.get(id).map(|found| &found.shape) {
                Some(Shape::Same(next)) => id = *next,
                _ => return id,
            }
        }
        id
    }

    pub(super) fn shape(&self, id: TypeId) -> &Shape {
        self.types.get(self.resolve(id)).map_or(&Shape::Any, |found| &found.shape)
    }

    pub(super) fn title(&self, id: TypeId) -> Option<&str> {
        self.types.get(self.resolve(id)).and_then(|found| found.title.as_deref())
    }

    pub(super) fn stream(&self, id: TypeId) -> StreamRule {
        self.types.get(self.resolve(id)).map_or(StreamRule::default(), |found| found.stream)
    }

    pub(super) fn accepts_null(&self, id: TypeId) -> bool {
        self.accepts_null_within(id, CHAIN_LIMIT)
    }

    fn accepts_null_within(&self, id: TypeId, fuel: usize) -> bool {
        match self.shape(id) {
            Shape::Null | Shape::Any => true,
            Shape::Choice(choices) => choices.iter().any(|choice| choice.value.is_null()),
            Shape::Union(members) if fuel > 0 => {
                members.iter().any(|&member| self.accepts_null_within(member, fuel / 2))
            }
            _ => false,
        }
    }
}

struct Compiler<'s> {
    root: &'s Value,
    types: Vec<Type>,
    // References already met, by their text.
    seen: HashMap<String, TypeId>,
    // Slots of references whose targets wait to be compiled.
    pending: Vec<(TypeId, &'s Value)>,
}

impl<'s> Compiler<'s> {
    fn add(&mut self, shape: Shape, schema: &Map<String, Value>) -> TypeId {
        let title = schema.get("title").and_then(Value::as_str).map(str::to_owned);
        self.types.push(Type { shape, title, stream: stream_rule(schema) });
        self.types.len() - 1
    }

    fn any(&mut self) -> TypeId {
        self.add(Shape::Any, &Map::new())
    }

    fn compile(&mut self, schema: &'s Value, depth: usize) -> TypeId {
        let Value::Object(schema) = schema else { return self.any() };
        if depth > DEPTH_LIMIT {
            return self.any();
        }
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            return self.compile_reference(reference);
        }
        let shape = self.shape_of(schema, depth);
        let id = self.add(shape, schema);
        if schema.get("nullable") == Some(&Value::Bool(true)) {
            let null = self.add(Shape::Null, &Map::new());
            return self.add(Shape::Union(vec![id, null]), schema);
        }
        id
    }

    /// Gives a reference its slot; the target is compiled later, so that chains of references cost
    /// no depth.
    fn compile_reference(&mut self, reference: &str) -> TypeId {
        if let Some(&id) = self.seen.get(reference) {
            return id;
        }
        let slot = self.any();
        self.seen.insert(reference.to_owned(), slot);
        if let Some(target) = self.lookup(reference) {
            self.pending.push((slot, target));
        }
        slot
    }

    fn compile_pending(&mut self) {
        while let Some((slot, target)) = self.pending.pop() {
            let id = self.compile(target, 0);
            self.types[slot].shape = if id == slot { Shape::Any } else { Shape::Same(id) };
        }
    }

    fn lookup(&self, reference: &str) -> Option<&'s Value> {
        let pointer = reference.strip_prefix('#')?;
        self.root.pointer(pointer).or_else(|| {
            let decoded = pointer.replace("%20", " ").replace("%24", "$").replace("%25", "%");
            self.root.pointer(&decoded)
        })
    }

    fn shape_of(&mut self, schema: &'s Map<String, Value>, depth: usize) -> Shape {
        if let Some(value) = schema.get("const") {
            return Shape::Choice(vec![choice(value, schema)]);
        }
        if let Some(Value::Array(values)) = schema.get("enum") {
            return Shape::Choice(values.iter().map(|value| choice(value, schema)).collect());
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(Value::Array(members)) = schema.get(keyword) {
                let members = members.iter().map(|member| self.compile(member, depth + 1));
                return Shape::Union(members.collect());
            }
        }
        if let Some(Value::Array(parts)) = schema.get("allOf") {
            return self.all_of(parts, schema, depth);
        }
        match schema.get("type") {
            Some(Value::String(name)) => self.named_shape(name, schema, depth),
            Some(Value::Array(names)) => {
                let mut members = Vec::new();
                for name in names.iter().filter_map(Value::as_str) {
                    let shape = self.named_shape(name, schema, depth);
                    members.push(self.add(shape, &Map::new()));
                }
                Shape::Union(members)
            }
            _ if is_object_schema(schema) => Shape::Object(self.object(schema, depth)),
            _ if schema.contains_key("items") || schema.contains_key("prefixItems") => {
                Shape::Array(self.array(schema, depth))
            }
            _ => Shape::Any,
        }
    }

    fn named_shape(&mut self, name: &str, schema: &'s Map<String, Value>, depth: usize) -> Shape {
        match name {
            "null" => Shape::Null,
            "boolean" => Shape::Boolean,
            "integer" => Shape::Integer,
            "number" => Shape::Number,
            "string" => Shape::String,
            "array" => Shape::Array(self.array(schema, depth)),
            "object" => Shape::Object(self.object(schema, depth)),
            _ => Shape::Any,
        }
    }

    fn array(&mut self, schema: &'s Map<String, Value>, depth: usize) -> ArrayShape {
        // Older drafts write tuples as a list under `items`.
        let (prefix, rest) = match (schema.get("prefixItems"), schema.get("items")) {
            (Some(Value::Array(prefix)), rest) => (prefix.as_slice(), rest),
            (_, Some(Value::Array(prefix))) => (prefix.as_slice(), schema.get("additionalItems")),
            (_, rest) => (&[][..], rest),
        };
        let prefix = prefix.iter().map(|item| self.compile(item, depth + 1)).collect();
        let items = match rest {
            Some(item) => self.compile(item, depth + 1),
            None => self.any(),
        };
        ArrayShape { prefix, items }
    }

    fn object(&mut self, schema: &'s Map<String, Value>, depth: usize) -> ObjectShape {
        let required: Vec<&str> = match schema.get("required") {
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        let mut shape = ObjectShape::default();
        if let Some(Value::Object(properties)) = schema.get("properties") {
            for (name, property) in properties {
                let type_id = self.compile(property, depth + 1);
                shape.properties.push(property_of(name, property, type_id, &required));
            }
        }
        if let Some(Value::Object(patterns)) = schema.get("patternProperties") {
            for (pattern, property) in patterns {
                let type_id = self.compile(property, depth + 1);
                let rule = serde_json::json!({ "pattern": pattern });
                if let Ok(matcher) = jsonschema::validator_for(&rule) {
                    shape.patterns.push(PatternRule { matcher, type_id });
                }
            }
        }
        shape.keys = schema.get("propertyNames").map(|keys| self.compile(keys, depth + 1));
        shape.extra = match schema.get("additionalProperties") {
            Some(Value::Bool(false)) => Extra::Forbidden,
            Some(rest) => Extra::Typed(self.compile(rest, depth + 1)),
            None if shape.properties.is_empty() => Extra::Typed(self.any()),
            None => Extra::Unsaid,
        };
        shape
    }

    /// Joins the parts of `allOf`: objects add up, otherwise the part that says most counts.
    fn all_of(
        &mut self,
        parts: &'s [Value],
        schema: &'s Map<String, Value>,
        depth: usize,
    ) -> Shape {
        let mut ids: Vec<TypeId> = Vec::with_capacity(parts.len() + 1);
        for part in parts {
            // What is joined must be known now, so references are followed in place.
            let target = part.get("$ref").and_then(Value::as_str).and_then(|to| self.lookup(to));
            ids.push(self.compile(target.unwrap_or(part), depth + 1));
        }
        if is_object_schema(schema) {
            let own = Shape::Object(self.object(schema, depth));
            ids.push(self.add(own, &Map::new()));
        }
        let mut joined: Option<ObjectShape> = None;
        let mut other: Option<TypeId> = None;
        for id in ids {
            match self.resolved_shape(id) {
                Shape::Object(part) => joined = Some(join_objects(joined, part)),
                Shape::Any => {}
                _ => other = other.or(Some(id)),
            }
        }
        match (joined, other) {
            (Some(object), _) => Shape::Object(object),
            (None, Some(id)) => Shape::Same(id),
            (None, None) => Shape::Any,
        }
    }

    fn resolved_shape(&self, mut id: TypeId) -> Shape {
        for _ in 0..CHAIN_LIMIT {
            match &self.types[id].shape {
                Shape::Same(next) => id = *next,
                shape => return shape.clone(),
            }
        }
        Shape::Any
    }
}

fn join_objects(joined: Option<ObjectShape>, part: ObjectShape) -> ObjectShape {
    let Some(mut joined) = joined else { return part };
    for property in part.properties {
        match joined.properties.iter_mut().find(|known| known.name == property.name) {
            Some(known) => known.required |= property.required,
            None => joined.properties.push(property),
        }
    }
    joined.patterns.extend(part.patterns);
    joined.keys = joined.keys.or(part.keys);
    if matches!(joined.extra, Extra::Unsaid) || matches!(part.extra, Extra::Forbidden) {
        joined.extra = part.extra;
    }
    joined
}

fn is_object_schema(schema: &Map<String, Value>) -> bool {
    ["properties", "additionalProperties", "patternProperties", "required"]
        .iter()
        .any(|keyword| schema.contains_key(*keyword))
}

fn property_of(name: &str, schema: &Value, type_id: TypeId, required: &[&str]) -> Property {
    Property {
        name: name.to_owned(),
        aliases: texts(schema.get("x-alias")),
        type_id,
        required: required.contains(&name),
        default: schema.get("default").cloned(),
        stream: schema.as_object().map_or(StreamRule::default(), stream_rule),
    }
}

fn choice(value: &Value, schema: &Map<String, Value>) -> Choice {
    let name = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let meta = schema.get("x-enum-meta").and_then(|meta| meta.get(&name));
    let mut words = texts(meta.and_then(|meta| meta.get("alias")));
    if words.is_empty() {
        words.push(name);
    }
    words.extend(texts(meta.and_then(|meta| meta.get("description"))));
    Choice { value: value.clone(), words }
}

fn texts(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Array(list)) => {
            list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}

/// Reads `x-stream-*` keys and their spelling as block attributes.
fn stream_rule(schema: &Map<String, Value>) -> StreamRule {
    let flag = |key: &str| schema.get(key) == Some(&Value::Bool(true));
    let attributes = texts(schema.get("x-block-attrs"));
    let has = |name: &str| attributes.iter().any(|attribute| attribute.starts_with(name));
    StreamRule {
        not_null: flag("x-stream-not_null") || has("stream.not_null"),
        done: flag("x-stream-done") || has("stream.done"),
    }
}
