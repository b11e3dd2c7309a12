//! Go's `sort.Sort`: a pattern-defeating quicksort. kubectl's output reveals how it orders equal elements.
//!
//! Every choice follows Go's library, because each affects the order of equal elements. The order is deterministic:
//! the generator in `scatter` is seeded with the length.

/// The maximum length for an insertion sort.
const FEW: usize = 12;

/// The number of out-of-order pairs to repair before a slice counts as unsorted.
const REPAIRS: usize = 5;

/// Shorter slices are not repaired, and choose their pivot among three elements rather than nine.
const LONG: usize = 50;

/// The number of swaps in choosing a pivot that indicates a descending slice.
const ALL_SWAPPED: usize = 4 * 3;

/// Returns the sorted order of the elements 0 to `length`.
pub(crate) fn order(length: usize, less: &mut dyn FnMut(usize, usize) -> bool) -> Vec<usize> {
    let mut sort = Sort {
        items: (0..length).collect(),
        less,
    };
    sort.quick(0, length, bits(length));
    sort.items
}

/// Sorts values by a key, and those with equal keys in the order of Go's `sort.Sort`.
pub fn by_key<T, K: PartialOrd>(values: Vec<T>, key: impl Fn(&T) -> K) -> Vec<T> {
    let keys: Vec<K> = values.iter().map(key).collect();
    let order = order(keys.len(), &mut |a, b| keys[a] < keys[b]);
    let mut values: Vec<Option<T>> = values.into_iter().map(Some).collect();
    let sorted = order.into_iter().filter_map(|at| values[at].take());
    sorted.collect()
}

/// Returns the number of bits of a length.
fn bits(length: usize) -> u32 {
    usize::BITS - length.leading_zeros()
}

struct Sort<'a> {
    items: Vec<usize>,
    less: &'a mut dyn FnMut(usize, usize) -> bool,
}

/// The order of a slice, as choosing its pivot suggests.
#[derive(PartialEq)]
enum Hint {
    Unknown,
    Increasing,
    Decreasing,
}

impl Sort<'_> {
    fn less(&mut self, a: usize, b: usize) -> bool {
        (self.less)(self.items[a], self.items[b])
    }

    fn quick(&mut self, mut from: usize, mut to: usize, mut limit: u32) {
        let (mut was_balanced, mut was_partitioned) = (true, true);
        loop {
            let length = to - from;
            if length <= FEW {
                return self.insert(from, to);
            }
            // There were too many bad pivots.
            if limit == 0 {
                return self.heap(from, to);
            }
            if !was_balanced {
                self.scatter(from, to);
                limit -= 1;
            }
            let (mut pivot, mut hint) = self.pivot(from, to);
            if hint == Hint::Decreasing {
                // Cheaper than partitioning, where the first pass would move every element.
                self.items[from..to].reverse();
                pivot = to - 1 - (pivot - from);
                hint = Hint::Increasing;
            }
            let is_likely_sorted = was_balanced && was_partitioned && hint == Hint::Increasing;
            if is_likely_sorted && self.repair(from, to) {
                return;
            }
            // No element is less than the one before the slice. If the pivot equals that one, the elements equal to it
            // come first.
            if from > 0 && !self.less(from - 1, pivot) {
                from = self.split_equal(from, to, pivot);
                continue;
            }
            let (middle, already) = self.split(from, to, pivot);
            was_partitioned = already;
            let (left, right) = (middle - from, to - middle);
            was_balanced = left.min(right) >= length / 8;
            // The shorter side is sorted by recursion, the longer one by the loop.
            if left < right {
                self.quick(from, middle, limit);
                from = middle + 1;
            } else {
                self.quick(middle + 1, to, limit);
                to = middle;
            }
        }
    }

    fn insert(&mut self, from: usize, to: usize) {
        for end in from + 1..to {
            let mut at = end;
            while at > from && self.less(at, at - 1) {
                self.items.swap(at, at - 1);
                at -= 1;
            }
        }
    }

    fn heap(&mut self, first: usize, to: usize) {
        let length = to - first;
        for root in (0..=(length - 1) / 2).rev() {
            self.sift(root, length, first);
        }
        for end in (0..length).rev() {
            self.items.swap(first, first + end);
            self.sift(0, end, first);
        }
    }

    fn sift(&mut self, mut root: usize, end: usize, first: usize) {
        loop {
            let mut child = 2 * root + 1;
            if child >= end {
                return;
            }
            if child + 1 < end && self.less(first + child, first + child + 1) {
                child += 1;
            }
            if !self.less(first + root, first + child) {
                return;
            }
            self.items.swap(first + root, first + child);
            root = child;
        }
    }

    /// Moves the elements that are less than the pivot before it. Returns the pivot's position, and true if nothing
    /// had to move.
    fn split(&mut self, from: usize, to: usize, pivot: usize) -> (usize, bool) {
        self.items.swap(from, pivot);
        let (mut low, mut high) = (from + 1, to - 1);
        let mut already = true;
        loop {
            while low <= high && self.less(low, from) {
                low += 1;
            }
            while low <= high && !self.less(high, from) {
                high -= 1;
            }
            if low > high {
                self.items.swap(high, from);
                return (high, already);
            }
            self.items.swap(low, high);
            already = false;
            low += 1;
            high -= 1;
        }
    }

    /// Moves the elements that equal the pivot to the front. Returns the position after them.
    fn split_equal(&mut self, from: usize, to: usize, pivot: usize) -> usize {
        self.items.swap(from, pivot);
        let (mut low, mut high) = (from + 1, to - 1);
        loop {
            while low <= high && !self.less(from, low) {
                low += 1;
            }
            while low <= high && self.less(from, high) {
                high -= 1;
            }
            if low > high {
                return low;
            }
            self.items.swap(low, high);
            low += 1;
            high -= 1;
        }
    }

    /// Sorts a slice that is nearly sorted. Returns false if it is not.
    fn repair(&mut self, from: usize, to: usize) -> bool {
        let mut at = from + 1;
        for _ in 0..REPAIRS {
            while at < to && !self.less(at, at - 1) {
                at += 1;
            }
            if at == to {
                return true;
            }
            if to - from < LONG {
                return false;
            }
            self.items.swap(at, at - 1);
            // The lesser element moves on to the left, the greater one to the right.
            if at - from >= 2 {
                let mut left = at - 1;
                while left >= 1 && self.less(left, left - 1) {
                    self.items.swap(left, left - 1);
                    left -= 1;
                }
            }
            if to - at >= 2 {
                let mut right = at + 1;
                while right < to && self.less(right, right - 1) {
                    self.items.swap(right, right - 1);
                    right += 1;
                }
            }
        }
        false
    }

    /// Breaks up patterns that lead to bad pivots.
    fn scatter(&mut self, from: usize, to: usize) {
        let length = to - from;
        let mut random = length as u64;
        let mask = (1u64 << bits(length)) - 1;
        let middle = from + (length / 4) * 2;
        for step in 0..3 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            // At most twice the length minus one.
            let mut other = usize::try_from(random & mask).unwrap_or_default();
            if other >= length {
                other -= length;
            }
            self.items.swap(middle - 1 + step, from + other);
        }
    }

    fn pivot(&mut self, from: usize, to: usize) -> (usize, Hint) {
        let length = to - from;
        let mut swaps = 0;
        let [mut low, mut middle, mut high] = [1, 2, 3].map(|part| from + length / 4 * part);
        if length >= LONG {
            for at in [&mut low, &mut middle, &mut high] {
                *at = self.median([*at - 1, *at, *at + 1], &mut swaps);
            }
        }
        // Three or nine elements at fixed positions: Go's order is the same in each run.
        middle = self.median([low, middle, high], &mut swaps);
        let hint = match swaps {
            0 => Hint::Increasing,
            ALL_SWAPPED => Hint::Decreasing,
            _ => Hint::Unknown,
        };
        (middle, hint)
    }

    fn median(&mut self, places: [usize; 3], swaps: &mut usize) -> usize {
        let mut places = places;
        for at in [0, 1, 0] {
            if self.less(places[at + 1], places[at]) {
                *swaps += 1;
                places.swap(at, at + 1);
            }
        }
        places[1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_elements_have_the_order_of_go() {
        let few = order(20, &mut |a, b| a % 3 < b % 3);
        // Recorded from `kubectl get --sort-by` 1.36.3, as are the checksums below, which stand for longer orders.
        let recorded = [
            9, 18, 15, 3, 12, 0, 6, 10, 7, 4, 13, 16, 1, 19, 8, 5, 11, 14, 2, 17,
        ];
        assert_eq!(few, recorded);
        type Value = fn(usize) -> usize;
        let all: [(usize, Value, u64); 7] = [
            (13, |_| 1, 27_130_606_997_161_158),
            (60, |n| n * 7 % 5, 11_513_299_093_342_297_704),
            (
                100,
                |n| if n < 90 { n / 2 % 2 } else { 9 - n % 10 },
                4_968_372_543_574_534_418,
            ),
            (120, |n| 100 - n / 4, 13_094_158_149_112_226_788),
            (150, |n| n * n % 11, 8_007_402_523_140_437_813),
            (160, |n| n * 37 % 160 * (n % 2), 13_815_685_322_034_238_480),
            (
                176,
                |n| match n {
                    0..16 => n % 2,
                    16..116 => 1,
                    _ => 0,
                },
                6_040_241_643_212_723_248,
            ),
        ];
        for (length, value, recorded) in all {
            let order = order(length, &mut |a, b| value(a) < value(b));
            let number = order.iter().fold(0_u64, |number, item| {
                let item = u64::try_from(*item).unwrap();
                number.wrapping_mul(31).wrapping_add(item)
            });
            assert_eq!(number, recorded, "{length}: {order:?}");
        }
    }

    #[test]
    fn values_are_sorted_by_their_keys() {
        let sorted = by_key(vec![(2, 'a'), (1, 'b'), (2, 'c'), (1, 'd')], |pair| pair.0);
        assert_eq!(sorted, [(1, 'b'), (1, 'd'), (2, 'a'), (2, 'c')]);
    }

    #[test]
    fn any_comparison_ends_with_all_elements() {
        // To kubectl, missing values are less than each other, which no order allows.
        for length in 0..300 {
            for modulus in [1, 2, 7] {
                let mut sorted = order(length, &mut |a, b| a % modulus <= b % modulus);
                sorted.sort_unstable();
                assert_eq!(sorted, (0..length).collect::<Vec<_>>());
            }
        }
    }
}
