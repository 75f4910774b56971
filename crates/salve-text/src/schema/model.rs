//! The shapes a schema asks for, as the coercer sees them.
//!
//! In: what `compile` read from a JSON Schema. Out: an arena of types that may point at each other
//! in circles. Never judges a value: the validator does that with the schema itself.

use serde_json::Value;

/// The place of a type in the arena.
pub(super) type TypeId = usize;

/// One type of the arena.
#[derive(Debug, Clone)]
pub(super) struct Type {
    pub(super) shape: Shape,
    pub(super) title: Option<String>,
    pub(super) stream: StreamRule,
}

/// What a value must look like.
#[derive(Debug, Clone)]
pub(super) enum Shape {
    /// Everything is welcome as it is.
    Any,
    Null,
    Boolean,
    Integer,
    Number,
    String,
    /// `const` and `enum`.
    Choice(Vec<Choice>),
    Array(ArrayShape),
    Object(ObjectShape),
    /// `anyOf`, `oneOf`, lists of types.
    Union(Vec<TypeId>),
    /// A reference, or a shape with the type that holds the details.
    Same(TypeId),
}

/// One value of an enumeration and the words that mean it.
#[derive(Debug, Clone)]
pub(super) struct Choice {
    pub(super) value: Value,
    /// The alias if there is one, otherwise the value's own text; then its description.
    pub(super) words: Vec<String>,
}

/// The shape of an array.
#[derive(Debug, Clone)]
pub(super) struct ArrayShape {
    pub(super) prefix: Vec<TypeId>,
    pub(super) items: TypeId,
}

/// The shape of an object.
#[derive(Debug, Clone, Default)]
pub(super) struct ObjectShape {
    pub(super) properties: Vec<Property>,
    pub(super) patterns: Vec<PatternRule>,
    pub(super) extra: Extra,
    /// The type of the keys of a map, where the schema restricts them.
    pub(super) keys: Option<TypeId>,
}

/// One named property.
#[derive(Debug, Clone)]
pub(super) struct Property {
    pub(super) name: String,
    /// Names the model was told to use instead.
    pub(super) aliases: Vec<String>,
    pub(super) type_id: TypeId,
    pub(super) required: bool,
    pub(super) default: Option<Value>,
    pub(super) stream: StreamRule,
}

/// Properties by pattern of their key.
#[derive(Debug, Clone)]
pub(super) struct PatternRule {
    /// A validator of `{"pattern": …}`, so that patterns mean what they mean to the validator.
    pub(super) matcher: jsonschema::Validator,
    pub(super) type_id: TypeId,
}

/// What happens to keys the schema does not name.
#[derive(Debug, Clone, Default)]
pub(super) enum Extra {
    /// The schema names properties and says nothing of others.
    #[default]
    Unsaid,
    /// They are welcome and have this type.
    Typed(TypeId),
    /// They are forbidden.
    Forbidden,
}

/// What may be shown while a value is still arriving.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct StreamRule {
    /// The parent is shown only once this has a value.
    pub(super) not_null: bool,
    /// This is shown only once it is complete.
    pub(super) done: bool,
}

impl StreamRule {
    /// Joins two rules; what either demands is demanded.
    pub(super) const fn and(self, other: Self) -> Self {
        Self { not_null: self.not_null || other.not_null, done: self.done || other.done }
    }
}
