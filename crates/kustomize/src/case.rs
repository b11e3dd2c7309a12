//! Field names in any case: Go's JSON decoder ignores the case of struct fields.

use serde::de::{
    DeserializeSeed, Deserializer, Error as _, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};
use serde_json::{Error, Map, Value};

/// Decodes a tree. The names of struct fields may differ in case, the keys of maps may not.
pub(super) struct Folded(pub(super) Value);

impl Folded {
    fn visit<'de, V: Visitor<'de>>(
        self,
        visitor: V,
        fields: &'static [&'static str],
    ) -> Result<V::Value, Error> {
        match self.0 {
            Value::Object(map) => visitor.visit_map(Entries {
                rest: cased(map, fields).into_iter(),
                value: Value::Null,
            }),
            Value::Array(items) => visitor.visit_seq(Items(items.into_iter())),
            scalar => scalar.deserialize_any(visitor),
        }
    }
}

/// Returns the entries under the names that the struct's fields have.
fn cased(map: Map<String, Value>, fields: &'static [&'static str]) -> Map<String, Value> {
    // Nearly every file spells the names exactly, so they need no comparison that ignores case.
    if fields.is_empty() || map.keys().all(|key| fields.contains(&key.as_str())) {
        return map;
    }
    let name = |key: String| {
        let field = fields.iter().find(|f| f.eq_ignore_ascii_case(&key));
        field.map_or(key, |field| (*field).to_owned())
    };
    map.into_iter().map(|(k, v)| (name(k), v)).collect()
}

impl<'de> Deserializer<'de> for Folded {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.visit(visitor, &[])
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.visit(visitor, fields)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.0.deserialize_enum(name, variants, visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct seq tuple tuple_struct map identifier ignored_any
    }
}

struct Entries {
    rest: serde_json::map::IntoIter,
    /// The value of the key that was read last.
    value: Value,
}

impl<'de> MapAccess<'de> for Entries {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        let Some((key, value)) = self.rest.next() else {
            return Ok(None);
        };
        self.value = value;
        let key: serde::de::value::StringDeserializer<Error> = key.into_deserializer();
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Error> {
        seed.deserialize(Folded(self.value.take()))
    }
}

struct Items(std::vec::IntoIter<Value>);

impl<'de> SeqAccess<'de> for Items {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Error> {
        let next = self.0.next().map(|item| seed.deserialize(Folded(item)));
        next.transpose()
    }
}

/// Decodes a tree into a struct.
pub(super) fn read<T: serde::de::DeserializeOwned>(
    value: &crate::api::json::Value,
) -> Result<T, Error> {
    let tree = serde_json::to_value(value).map_err(Error::custom)?;
    T::deserialize(Folded(tree))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;

    use super::*;
    use crate::api::json::json;

    #[derive(Debug, Default, Deserialize, PartialEq)]
    #[serde(default, rename_all = "camelCase", deny_unknown_fields)]
    struct Outer {
        new_name: String,
        inner: Vec<Outer>,
        texts: BTreeMap<String, String>,
        count: Option<i64>,
    }

    #[test]
    fn field_names_ignore_case_and_map_keys_keep_it() {
        let tree = json!({"NEWNAME": "a", "Inner": [{"newname": "b"}], "texts": {"NewName": "c"}, "COUNT": 3});
        let read: Outer = read(&tree).unwrap();
        assert_eq!(read.new_name, "a");
        assert_eq!(read.inner[0].new_name, "b");
        assert_eq!(read.texts["NewName"], "c");
        assert_eq!(read.count, Some(3));
        let error = super::read::<Outer>(&json!({"nope": 1})).unwrap_err();
        assert!(
            error.to_string().starts_with("unknown field `nope`"),
            "{error}"
        );
    }
}
