//! Applies many changes to one object at once.

use std::collections::HashSet;

use super::map::Map;
use super::text::{Name, Text};
use super::value::Value;

/// The maximum number of members that are removed one by one.
const FEW: usize = 8;

/// Members to set or remove together. Each separate change would move all members behind it, which takes quadratic
/// time in total.
///
/// ```
/// use ctl_api::json::{Edits, json};
///
/// let mut data = json!({"a": 1, "b": 2});
/// let mut edits = Edits::default();
/// edits.remove("a");
/// edits.set("c", json!(3));
/// edits.make(data.as_object_mut().unwrap());
/// assert_eq!(data, json!({"b": 2, "c": 3}));
/// ```
#[derive(Debug, Default)]
pub struct Edits {
    set: Vec<(Text, Value)>,
    removed: HashSet<Text>,
}

impl Edits {
    /// Sets a member.
    pub fn set(&mut self, name: impl Name, value: Value) {
        self.set.push((name.into_text(), value));
    }

    /// Removes a member if it exists.
    pub fn remove(&mut self, name: impl Name) {
        self.removed.insert(name.into_text());
    }

    /// Applies the changes. A member that is both removed and set ends up set.
    pub fn make(self, map: &mut Map) {
        // A few removals are cheaper than a pass over the whole map.
        if self.removed.len() <= FEW {
            self.removed.iter().for_each(|name| drop(map.remove(name)));
        } else {
            map.retain(|name, _| !self.removed.contains(name));
        }
        map.extend(self.set);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batched_edits_equal_single_edits() {
        for count in [1, FEW, FEW + 1, 500] {
            let key = |n: usize| Text::from(format!("key-{}", (n * 7919) % 10_007));
            let mut expected: Map = (0..count).map(|n| (key(n), Value::from(n))).collect();
            let mut map = expected.clone();
            let mut edits = Edits::default();
            for n in (0..count).step_by(2) {
                expected.remove(&key(n));
                edits.remove(key(n));
            }
            for n in (count / 2..2 * count).step_by(3) {
                expected.insert(key(n), Value::Null);
                edits.set(key(n), Value::Null);
            }
            edits.make(&mut map);
            assert_eq!(map, expected, "{count}");
        }
    }
}
