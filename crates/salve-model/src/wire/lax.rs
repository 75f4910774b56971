//! JSON read without faith: what has another type than expected counts as absent.
//!
//! In: JSON of a provider. Out: borrowed text, counts and objects, as far as they are there. Never
//! fails over a field that has the wrong type, and never builds a tree for fields that are not read.

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// A value of the expected type, or nothing.
#[derive(Debug, Clone)]
pub(super) struct Lax<T>(pub(super) Option<T>);

impl<T> Default for Lax<T> {
    fn default() -> Self {
        Self(None)
    }
}

/// Borrowed text, or nothing.
pub(super) type LaxText<'a> = Lax<Cow<'a, str>>;

impl Lax<Cow<'_, str>> {
    /// Returns the text, if there is one.
    pub(super) fn text(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// Returns the text if there is one that is not empty.
    pub(super) fn filled(&self) -> Option<&str> {
        self.text().filter(|text| !text.is_empty())
    }
}

/// Reads JSON bytes into a form made of lax parts; `spare` keeps what the form may borrow from.
///
/// Doubled keys make the typed reading fail; then the last one counts, as it does for most readers.
pub(super) fn parse<'a, T: Shape<'a>>(data: &'a [u8], spare: &'a mut Option<Value>) -> Option<T> {
    if let Ok(Lax(form)) = serde_json::from_slice(data) {
        return form;
    }
    let value = serde_json::from_slice(data).ok()?;
    Lax::deserialize(&*spare.insert(value)).ok()?.0
}

/// What a lax value may be made of.
pub(super) trait Shape<'de>: Sized {
    /// Makes it of a text.
    fn of_text(_: Cow<'de, str>) -> Option<Self> {
        None
    }

    /// Makes it of a count.
    fn of_count(_: u64) -> Option<Self> {
        None
    }

    /// Makes it of an object.
    fn of_map<A: MapAccess<'de>>(mut map: A) -> Result<Option<Self>, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    /// Makes it of a list.
    fn of_list<A: SeqAccess<'de>>(mut list: A) -> Result<Option<Self>, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }
}

impl<'de: 'a, 'a> Shape<'de> for Cow<'a, str> {
    fn of_text(text: Cow<'de, str>) -> Option<Self> {
        Some(text)
    }
}

impl<'de> Shape<'de> for u64 {
    fn of_count(count: u64) -> Option<Self> {
        Some(count)
    }

    // Numbers of any precision come as maps of one entry that only the library itself can read.
    fn of_map<A: MapAccess<'de>>(map: A) -> Result<Option<Self>, A::Error> {
        Ok(count(&Value::deserialize(MapAccessDeserializer::new(map))?))
    }
}

impl<'de, T: Shape<'de>> Shape<'de> for Vec<T> {
    fn of_list<A: SeqAccess<'de>>(mut list: A) -> Result<Option<Self>, A::Error> {
        let mut items = Self::new();
        while let Some(Lax(item)) = list.next_element::<Lax<T>>()? {
            items.extend(item);
        }
        Ok(Some(items))
    }
}

/// Returns the whole number that a value is, if it is one.
pub(super) fn count(value: &Value) -> Option<u64> {
    let whole = |number: f64| number.fract() == 0.0 && (0.0..9e15).contains(&number);
    value.as_u64().or_else(|| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked to be a whole number in the range that floats hold exactly"
        )]
        value.as_f64().filter(|number| whole(*number)).map(|number| number as u64)
    })
}

/// Makes a struct that derives `Deserialize` readable as a lax object.
macro_rules! lax_object {
    ($($name:ident $(<$life:lifetime>)?),+ $(,)?) => {$(
        impl<'de $(: $life, $life)?> $crate::wire::lax::Shape<'de> for $name $(<$life>)? {
            fn of_map<A: serde::de::MapAccess<'de>>(map: A) -> Result<Option<Self>, A::Error> {
                let deserializer = serde::de::value::MapAccessDeserializer::new(map);
                serde::Deserialize::deserialize(deserializer).map(Some)
            }
        }
    )+};
}
pub(super) use lax_object;

impl<'de, T: Shape<'de>> Deserialize<'de> for Lax<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LaxVisitor(PhantomData)).map(Lax)
    }
}

struct LaxVisitor<T>(PhantomData<T>);

impl<'de, T: Shape<'de>> Visitor<'de> for LaxVisitor<T> {
    type Value = Option<T>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("anything")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(T::of_text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(T::of_text(Cow::Owned(text.to_owned())))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(T::of_count(number))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(u64::try_from(number).ok().and_then(T::of_count))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        Ok(count(&Value::from(number)).and_then(T::of_count))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        T::of_map(map)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
        T::of_list(list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Default, serde::Deserialize)]
    #[serde(default)]
    struct Form<'a> {
        #[serde(borrow)]
        name: LaxText<'a>,
        size: Lax<u64>,
        #[serde(borrow)]
        inner: Lax<Vec<Form<'a>>>,
    }
    lax_object!(Form<'a>);

    fn read(json: &str) -> Option<(Option<String>, Option<u64>, usize)> {
        let mut spare = None;
        let form: Form<'_> = parse(json.as_bytes(), &mut spare)?;
        let inner = form.inner.0.map_or(0, |inner| inner.len());
        Some((form.name.0.map(Cow::into_owned), form.size.0, inner))
    }

    #[test]
    fn what_has_the_wrong_type_is_absent() {
        let a = || Some("a".to_owned());
        let cases = [
            (r#"{"name":"a","size":3}"#, Some((a(), Some(3), 0))),
            (r#"{"name":5,"size":"3"}"#, Some((None, None, 0))),
            (r#"{"name":{"x":[1]},"size":[1,{}]}"#, Some((None, None, 0))),
            (r#"{"name":null,"size":-1}"#, Some((None, None, 0))),
            (r#"{"size":3.0,"name":true}"#, Some((None, Some(3), 0))),
            (r#"{"size":1e400}"#, Some((None, None, 0))),
            (r#"{"size":99999999999999999999999}"#, Some((None, None, 0))),
            (r#"{"inner":[{},5,"x",{"name":"a"}]}"#, Some((None, None, 2))),
            (r#"{"inner":{"name":"a"}}"#, Some((None, None, 0))),
            (r#"{"name":"b","name":"a"}"#, Some((a(), None, 0))),
            (r#"{"name":"\u0061"}"#, Some((a(), None, 0))),
            (r#"{"name":"a""#, None),
            ("[]", None),
        ];
        for (json, expected) in cases {
            assert_eq!(read(json), expected, "{json}");
        }
    }

    #[test]
    fn deep_nesting_is_no_stack_overflow() {
        for field in ["x", "name", "size", "inner"] {
            let deep = format!("{{\"{field}\":{}", "[".repeat(1_000_000));
            assert_eq!(read(&deep), None, "{field}");
        }
    }
}
