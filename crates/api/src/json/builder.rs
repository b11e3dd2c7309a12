//! Builds maps from members in any order.

use std::collections::HashMap;

use super::map::Map;
use super::text::Text;
use super::value::Value;

/// Collects the members of an object in the order in which a text lists them.
///
/// Guarantees: [`put`](Self::put) takes constant time, apart from the lookup of the name, for any number and order of
/// members.
///
/// ```
/// use ctl_api::json::{MapBuilder, Value};
///
/// let mut members = MapBuilder::default();
/// assert!(!members.put("b".into(), Value::from(1)));
/// assert!(!members.put("a".into(), Value::from(2)));
/// assert!(members.put("b".into(), Value::from(3)), "`b` was there");
/// assert_eq!(members.finish()["b"], 3);
/// ```
#[derive(Debug, Default)]
pub struct MapBuilder {
    /// Members that arrived in order, and early ones that arrived out of order.
    map: Map,
    /// Later members that arrived out of order. Inserting each one into a large map would take quadratic time.
    late: Vec<(Text, Value)>,
    /// The indexes of the late members by name.
    late_at: HashMap<Text, usize>,
}

impl MapBuilder {
    /// Returns true if the object has a member with this name.
    pub fn contains_key(&self, name: &str) -> bool {
        self.map.contains_key(name) || self.late_at.contains_key(name)
    }

    /// Sets a member; returns true if the name was already present.
    pub fn put(&mut self, name: Text, value: Value) -> bool {
        if let Some(&at) = self.late_at.get(&name) {
            self.late[at].1 = value;
            return true;
        }
        // A member that arrives in order, or while the map is small, goes to its final place at once.
        match self.map.put_early(name, value) {
            Ok(known) => known,
            Err((name, value)) => {
                self.late_at.insert(name.clone(), self.late.len());
                self.late.push((name, value));
                false
            }
        }
    }

    /// Returns the object.
    pub fn finish(mut self) -> Map {
        self.map.extend(self.late);
        self.map
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn expected(members: &[(String, i64)]) -> Vec<(String, i64)> {
        let last: BTreeMap<_, _> = members.iter().cloned().collect();
        last.into_iter().collect()
    }

    fn of(map: &Map) -> Vec<(String, i64)> {
        let member = |(name, value): (&Text, &Value)| (name.to_string(), value.as_i64().unwrap());
        map.iter().map(member).collect()
    }

    proptest! {
        #[test]
        fn last_value_of_a_duplicate_key_wins(
            members in prop::collection::vec(("[a-e]{0,3}", any::<i64>()), 0..200),
            known in prop::collection::vec(("[a-e]{0,3}", any::<i64>()), 0..100),
        ) {
            let mut builder = MapBuilder::default();
            for (at, (name, value)) in members.iter().enumerate() {
                let before = members[..at].iter().any(|(other, _)| other == name);
                prop_assert_eq!(builder.contains_key(name), before);
                prop_assert_eq!(builder.put(Text::from(name.as_str()), Value::from(*value)), before);
            }
            prop_assert_eq!(of(&builder.finish()), expected(&members));
            let values = |list: &[(String, i64)]| -> Vec<(String, Value)> {
                list.iter().map(|(name, value)| (name.clone(), Value::from(*value))).collect()
            };
            let mut map: Map = values(&known).into_iter().collect();
            map.extend(values(&members));
            prop_assert_eq!(of(&map), expected(&[known, members].concat()));
        }
    }
}
