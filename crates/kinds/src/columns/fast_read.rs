//! Reads only the parts of stored objects that columns and selectors need. A table of ten thousand Pods needs a fifth
//! of the stored data (design note 4).

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::omit::{NOTHING, OmittedFields};
use crate::api::json::{Map, Value};
use crate::kind::Kind;

/// The parts to skip in kinds without a list of their own.
const OWNERS: OmittedFields = OmittedFields {
    within: &[(
        "metadata",
        OmittedFields {
            fields: &["managedFields"],
            ..NOTHING
        },
    )],
    ..NOTHING
};

/// Reads the parts of an object's JSON that [`super::cells`], labels and field selectors use.
///
/// # Errors
/// Returns an error for invalid JSON.
pub fn read_fields(kind: &Kind, json: &[u8]) -> serde_json::Result<Value> {
    // The columns of a custom kind are paths to any field.
    if kind.custom.is_some() {
        return serde_json::from_slice(json);
    }
    let without = kind.hooks.omitted_fields.unwrap_or(&OWNERS);
    let mut reader = serde_json::Deserializer::from_slice(json);
    let value = without.deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

impl OmittedFields {
    fn within(&'static self, name: &str) -> &'static Self {
        let found = self.within.iter().find(|(field, _)| *field == name);
        found.map_or(&NOTHING, |(_, without)| without)
    }

    fn leaves_out(&self, name: &str) -> bool {
        self.all || self.fields.contains(&name)
    }

    fn is_nothing(&self) -> bool {
        !self.all && self.fields.is_empty() && self.within.is_empty()
    }
}

// Borrowed if possible, so that the names of skipped fields need no allocation.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de> DeserializeSeed<'de> for &'static OmittedFields {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        match self.is_nothing() {
            true => Value::deserialize(reader),
            false => reader.deserialize_any(self),
        }
    }
}

impl<'de> Visitor<'de> for &'static OmittedFields {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(Name(name)) = fields.next_key()? {
            if self.leaves_out(&name) {
                // Skip the value without building it.
                fields.next_value::<IgnoredAny>()?;
            } else {
                let value = fields.next_value_seed(self.within(&name))?;
                map.insert(name.into_owned(), value);
            }
        }
        Ok(Value::Object(map))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            list.push(item);
        }
        Ok(Value::Array(list.into()))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::find;

    #[test]
    fn skim_keeps_only_pod_fields_used_by_columns() {
        let pod = json!({
            "metadata": {"name": "a", "labels": {"a\n": "b"}, "managedFields": [{}], "annotations": {"a": "b"}},
            "spec": {"containers": [{"name": "c", "ports": []}, {}], "nodeName": "n", "volumes": [{}],
                "initContainers": [{"name": "i"}], "priority": -1, "x": 1.5, "y": null, "z": true},
            "status": {"conditions": [{"type": "Ready"}]},
        });
        let json = serde_json::to_vec(&pod).unwrap();
        let read = read_fields(find("", "v1", "Pod").unwrap(), &json).unwrap();
        assert_eq!(
            read,
            json!({
                "metadata": {"name": "a", "labels": {"a\n": "b"}},
                "spec": {"containers": [{}, {}], "nodeName": "n", "initContainers": [{"name": "i"}],
                    "priority": -1, "x": 1.5, "y": null, "z": true},
                "status": {"conditions": [{"type": "Ready"}]},
            })
        );
    }

    #[test]
    fn skim_drops_only_managed_fields_of_other_kinds() {
        let map =
            json!({"data": {"managedFields": "1"}, "metadata": {"managedFields": [], "name": "a"}});
        let read = |json: &[u8]| read_fields(find("", "v1", "ConfigMap").unwrap(), json);
        let expected = json!({"data": {"managedFields": "1"}, "metadata": {"name": "a"}});
        assert_eq!(read(&serde_json::to_vec(&map).unwrap()).unwrap(), expected);
        for odd in [&b"{"[..], b"{} x", b"{\"metadata\":{\"managedFields\":[}}"] {
            assert!(read(odd).is_err());
        }
        for other in ["[1]", "1", "\"a\"", "null"] {
            let value: Value = serde_json::from_str(other).unwrap();
            assert_eq!(read(other.as_bytes()).unwrap(), value);
        }
    }
}
