//! An index that finds one of a few hundred names, mostly with a single comparison.

/// The positions of names in a list, hashed by their first and last four bytes and their length.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// The slots, a power of two: each holds the index of a name plus one, or 0 if it is free.
    slots: Box<[u16]>,
}

impl Names {
    /// Creates the index of `names`, of which there are fewer than 65,535.
    pub(crate) fn new<'n>(names: impl ExactSizeIterator<Item = &'n str>) -> Self {
        // At most half of the slots are used, so probe sequences are short and every search ends at a free slot.
        let mut slots = vec![0_u16; (names.len() * 2).next_power_of_two().max(2)];
        for (name, place) in names.zip(1..) {
            let mut at = slot(name, slots.len());
            while slots[at] != 0 {
                at = (at + 1) % slots.len();
            }
            slots[at] = place;
        }
        Self {
            slots: slots.into(),
        }
    }

    /// Returns the first candidate index for `name` that `is` accepts.
    pub(crate) fn find(&self, name: &str, is: impl Fn(usize) -> bool) -> Option<usize> {
        if self.slots.is_empty() {
            return None;
        }
        let mut at = slot(name, self.slots.len());
        loop {
            let place = usize::from(*self.slots.get(at)?).checked_sub(1)?;
            if is(place) {
                return Some(place);
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }
}

/// Returns the slot at which the search for a name begins; `slots` is a power of two.
fn slot(name: &str, slots: usize) -> usize {
    let bytes = name.as_bytes();
    let ends = match (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        (Some(first), Some(last)) => {
            u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << 32
        }
        // Shorter names fit into the 64 bits as a whole.
        _ => bytes
            .iter()
            .fold(0, |sum, byte| sum << 8 | u64::from(*byte)),
    };
    let mixed = (ends ^ (bytes.len() as u64) << 17).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    usize::try_from(mixed >> 40).unwrap_or(0) & (slots - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_index_finds_only_its_names() {
        let names = [
            "",
            "a",
            "ab",
            "abc",
            "env",
            "envFrom",
            "image",
            "imagePullPolicy",
            "name",
        ];
        let index = Names::new(names.iter().copied());
        let find = |name: &str| index.find(name, |place| names[place] == name);
        for (place, name) in names.iter().enumerate() {
            assert_eq!(find(name), Some(place), "{name}");
        }
        for other in ["b", "nam", "names", "imagePullPolice", "\u{e4}"] {
            assert_eq!(find(other), None, "{other}");
        }
        assert_eq!(Names::default().find("a", |_| true), None);
        assert_eq!(Names::new([].into_iter()).find("a", |_| true), None);
    }
}
