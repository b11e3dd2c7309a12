//! A hash map for keys that are looked up on every reconcile. The standard hasher protects against chosen collisions,
//! which would only slow down this process. No code depends on the order of the maps.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map with a fast hasher.
pub(super) type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<FastHasher>>;

const FACTOR: u128 = 0x9e37_79b9_7f4a_7c15;

/// Hashes eight bytes with one multiplication.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FastHasher(u64);

impl FastHasher {
    #[inline]
    fn take(&mut self, word: u64) {
        let product = u128::from(self.0 ^ word) * FACTOR;
        let (low, high) = (product & u128::from(u64::MAX), product >> 64);
        self.0 = u64::try_from(low ^ high).unwrap_or_default();
    }
}

impl Hasher for FastHasher {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|w| self.take(u64::from_le_bytes(*w)));
        let ends = (rest.first_chunk::<4>(), rest.last_chunk::<4>());
        // The last word overlaps the one before it, so that no part of it is copied.
        let last = match (bytes.last_chunk::<8>(), ends) {
            (Some(last), _) => u64::from_le_bytes(*last),
            (None, (Some(first), Some(last))) => {
                u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last))
            }
            _ => rest
                .iter()
                .fold(0, |word, byte| word << 8 | u64::from(*byte)),
        };
        self.take(last ^ (bytes.len() as u64) << 56);
    }

    fn write_u8(&mut self, _: u8) {
        // The terminator of a text: its length is hashed already.
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::hash::BuildHasher as _;

    use super::*;

    #[test]
    fn similar_names_have_evenly_distributed_hashes() {
        let map: FastMap<String, ()> = FastMap::default();
        let hash = |n: u32| {
            map.hasher()
                .hash_one(format!("default/web-68cff5bfd7-{n:05}"))
        };
        let hashes: Vec<u64> = (0..10_000).map(hash).collect();
        let differ = |part: fn(&u64) -> u64| hashes.iter().map(part).collect::<HashSet<_>>().len();
        assert_eq!(differ(|h| *h), 10_000);
        // As many as of random numbers.
        assert!(differ(|h| h & 0xffff) > 9_000, "{}", differ(|h| h & 0xffff));
        assert_eq!(differ(|h| h >> 57), 128);
    }

    #[test]
    fn string_pairs_hash_with_their_boundary() {
        let map: FastMap<(&str, &str), ()> = FastMap::default();
        let hash = |pair| map.hasher().hash_one(pair);
        assert_ne!(hash(("ab", "c")), hash(("a", "bc")));
        assert_ne!(hash(("", "a")), hash(("a", "")));
    }
}
