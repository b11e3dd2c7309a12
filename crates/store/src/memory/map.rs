//! A sorted map whose copies share unchanged parts.
//!
//! Two levels: a list of blocks, each a sorted list of entries. A copy costs one reference count; the first write to a
//! copy duplicates the list of blocks (one pointer each) and the one block that it changes.

use std::sync::Arc;

/// The most entries of a block. Small, because a write to a shared block copies it; the list of blocks has one pointer
/// per this many entries.
const BLOCK: usize = 64;

type Block<K, V> = Arc<Vec<(K, V)>>;

/// A sorted map with cheap copies.
#[derive(Clone, Debug)]
pub(crate) struct SharedMap<K, V> {
    blocks: Arc<Vec<Block<K, V>>>,
}

impl<K, V> Default for SharedMap<K, V> {
    fn default() -> Self {
        Self {
            blocks: Arc::default(),
        }
    }
}

impl<K: Ord + Clone, V: Clone> SharedMap<K, V> {
    /// Returns the block in which a key is, or belongs.
    fn block_of(&self, is_before: impl Fn(&K) -> bool) -> usize {
        // No block is empty, so each has a first key. The key is in the block before the first one that starts after
        // it.
        let behind = self
            .blocks
            .partition_point(|block| block.first().is_some_and(|(first, _)| is_before(first)));
        behind.saturating_sub(1)
    }

    /// Returns the value of a key.
    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        let block = self.blocks.get(self.block_of(|first| first <= key))?;
        let at = block.binary_search_by(|(k, _)| k.cmp(key)).ok()?;
        Some(&block[at].1)
    }

    /// Sets the value of a key; returns the previous one.
    pub(crate) fn insert(&mut self, key: K, value: V) -> Option<V> {
        let at = self.block_of(|first| *first <= key);
        let blocks = Arc::make_mut(&mut self.blocks);
        let last = blocks.len().saturating_sub(1);
        let Some(shared) = blocks.get_mut(at) else {
            blocks.push(Arc::new(vec![(key, value)]));
            return None;
        };
        let block = Arc::make_mut(shared);
        match block.binary_search_by(|(k, _)| k.cmp(&key)) {
            Ok(found) => Some(std::mem::replace(&mut block[found].1, value)),
            Err(place) => {
                block.insert(place, (key, value));
                if block.len() > BLOCK {
                    // A map that grows at its end, as a log does, leaves full blocks behind.
                    let appends = at == last && place + 1 == block.len();
                    let middle = if appends { BLOCK } else { BLOCK / 2 };
                    let rest = block.split_off(middle);
                    blocks.insert(at + 1, Arc::new(rest));
                }
                self.assert_order(at);
                None
            }
        }
    }

    /// Removes a key; returns its value.
    pub(crate) fn remove(&mut self, key: &K) -> Option<V> {
        let at = self.block_of(|first| first <= key);
        let found = self.blocks.get(at)?;
        // Searched before anything is copied, because the key may be missing.
        let place = found.binary_search_by(|(k, _)| k.cmp(key)).ok()?;
        let blocks = Arc::make_mut(&mut self.blocks);
        let block = Arc::make_mut(&mut blocks[at]);
        let (_, value) = block.remove(place);
        if block.is_empty() {
            blocks.remove(at);
        }
        Some(value)
    }

    /// Panics if the entries around a changed block are out of order: a search would then miss objects that exist.
    fn assert_order(&self, at: usize) {
        let around = &self.blocks[at.saturating_sub(1)..self.blocks.len().min(at + 3)];
        let ends = |pair: &[Block<K, V>]| {
            let (last, first) = (pair[0].last(), pair[1].first());
            last.map(|(key, _)| key) < first.map(|(key, _)| key)
        };
        debug_assert!(
            around.iter().all(|block| !block.is_empty()) && around.windows(2).all(ends),
            "block {at} is empty or out of order"
        );
    }

    /// Returns the entries from the first key that is not before, in order.
    pub(crate) fn from<'m>(
        &'m self,
        is_before: impl Fn(&K) -> bool + 'm,
    ) -> impl Iterator<Item = (&'m K, &'m V)> + 'm {
        let first = self.block_of(&is_before);
        let rest = self.blocks.get(first..).unwrap_or_default();
        let entries = rest.iter().flat_map(|block| block.iter());
        entries
            .skip_while(move |(key, _)| is_before(key))
            .map(|(key, value)| (key, value))
    }

    /// Returns the entry with the lowest key.
    pub(crate) fn first(&self) -> Option<(&K, &V)> {
        let (key, value) = self.blocks.first()?.first()?;
        Some((key, value))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::sys::sim_fs::Dice;

    fn entries(map: &SharedMap<usize, usize>) -> Vec<(usize, usize)> {
        map.from(|_| false).map(|(k, v)| (*k, *v)).collect()
    }

    #[test]
    fn shared_map_matches_btreemap_and_copies_are_immutable() {
        let mut dice = Dice(5);
        let mut map = SharedMap::default();
        let mut model = BTreeMap::new();
        let mut copies = Vec::new();
        for n in 0..20_000 {
            let key = dice.roll(3_000);
            if dice.roll(3) == 0 {
                assert_eq!(map.remove(&key), model.remove(&key));
            } else {
                assert_eq!(map.insert(key, n), model.insert(key, n));
            }
            assert_eq!(map.get(&key), model.get(&key));
            if n % 2_000 == 0 {
                copies.push((map.clone(), model.clone()));
            }
        }
        copies.push((map, model));
        for (map, model) in &copies {
            let all: Vec<_> = model.iter().map(|(k, v)| (*k, *v)).collect();
            assert_eq!(entries(map), all);
            let first = map.first().map(|(k, v)| (*k, *v));
            assert_eq!(first, all.first().copied());
            for from in [0, 1, 700, 2_999, 5_000] {
                let found: Vec<_> = map.from(|k| *k < from).map(|(k, _)| *k).collect();
                let wanted: Vec<_> = model.range(from..).map(|(k, _)| *k).collect();
                assert_eq!(found, wanted);
            }
        }
    }

    #[test]
    fn a_copy_shares_all_but_the_blocks_it_changes() {
        let mut map = SharedMap::default();
        for n in 0..1_000 {
            map.insert(n, n);
        }
        let mut copy = map.clone();
        copy.insert(500, 0);
        let pairs = map.blocks.iter().zip(copy.blocks.iter());
        let shared = pairs.filter(|(a, b)| Arc::ptr_eq(a, b)).count();
        assert_eq!(shared, map.blocks.len() - 1);
    }
}
