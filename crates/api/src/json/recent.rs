//! The JSON of large parts that many objects share in memory.
//!
//! The Pods of one template share most of their trees, and a Pod shares most of its tree with its previous version.
//! Their JSON is copied instead of written again.

use super::value::Value;

/// The number of slots. Each part has one, by its address.
const SLOTS: usize = 256;
/// The least size of a part that is kept. Smaller ones are written as fast as they are found.
const LEAST: usize = 128;
/// The maximum size of a part that is kept. Larger ones could fill the memory.
const MOST: usize = 8192;

/// A part with its JSON. The copy keeps the address of the part from being used again and its content from changing.
struct Part {
    value: Value,
    json: Box<[u8]>,
}

/// The JSON of parts that were written at least twice.
pub(super) struct Recent {
    parts: [Option<Part>; SLOTS],
    /// The address of each slot's part; zero if the slot is empty.
    kept: [usize; SLOTS],
    /// The address of the last part of each slot that was written. It may be in use by another part by now.
    seen: [usize; SLOTS],
}

impl Recent {
    pub(super) const fn new() -> Self {
        Self {
            parts: [const { None }; SLOTS],
            kept: [0; SLOTS],
            seen: [0; SLOTS],
        }
    }

    /// Returns the JSON of a list or an object.
    pub(super) fn find(&self, value: &Value) -> Option<&[u8]> {
        let address = value.address();
        let slot = slot(address);
        // The address alone rules out most parts, which belong to a single object.
        if self.kept[slot] != address {
            return None;
        }
        let part = self.parts[slot].as_ref()?;
        part.value.is(value).then_some(&*part.json)
    }

    /// Notes that a list or an object was written as `json`.
    pub(super) fn note(&mut self, value: &Value, json: &[u8]) {
        if !(LEAST..=MOST).contains(&json.len()) {
            return;
        }
        let address = value.address();
        let slot = slot(address);
        // Kept only when written for the second time. Otherwise, the parts of single objects would displace the others.
        if std::mem::replace(&mut self.seen[slot], address) != address {
            return;
        }
        self.kept[slot] = address;
        self.parts[slot] = Some(Part {
            value: value.clone(),
            json: json.into(),
        });
    }
}

fn slot(address: usize) -> usize {
    // Multiplied by the golden ratio, because the lowest bits of addresses of one size are equal.
    let mixed = u64::try_from(address).unwrap_or_default();
    let mixed = mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    usize::try_from(mixed).unwrap_or_default() % SLOTS
}

#[cfg(test)]
mod tests {
    use crate::json::{Value, json, to_bytes};

    #[track_caller]
    fn check(tree: &Value) {
        assert_eq!(to_bytes(tree, &[]), serde_json::to_vec(tree).unwrap());
    }

    #[test]
    fn shared_parts_are_written_as_new_ones_are() {
        let mut part = json!({"text": "x".repeat(100), "items": [{"name": "y".repeat(150)}, 1]});
        for round in 0..20 {
            let tree = json!({"round": round, "list": [part, part], "part": part});
            // Written again, so that all the parts are kept.
            for _ in 0..3 {
                check(&tree);
                check(&part);
            }
            // The kept copy must not see changes of the part.
            part["items"][0]["name"] = json!(format!("{}{round}", "z".repeat(150)));
            check(&json!({"part": part, "list": tree["list"]}));
        }
    }

    #[test]
    fn the_memory_of_a_former_part_is_not_taken_for_it() {
        for round in 0..2000 {
            // A new part often gets the memory of the part before it.
            let part = json!([round, "x".repeat(200 + round % 3)]);
            check(&part);
            check(&json!({"a": part, "metadata": {"managedFields": part}}));
            let whole = json!({"a": part, "metadata": {"managedFields": part, "name": "a"}});
            let without = to_bytes(&whole, &["metadata", "managedFields"]);
            let expected = json!({"a": part, "metadata": {"name": "a"}});
            assert_eq!(without, serde_json::to_vec(&expected).unwrap());
        }
    }
}
