//! Finds the lines to remove and to add to turn one text into another.
//!
//! Guarantees: memory is linear in the number of lines. Time is linear, too, with a constant that shrinks as texts
//! grow. Up to about a thousand changes, their number is minimal.
//!
//! The algorithm is that of Myers, "An O(ND) difference algorithm and its variations" (1986), section 4b: a search from
//! both ends at once, which finds a point in the middle of a shortest path without storing the paths.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::unified::CONTEXT;

/// The work of comparing two whole texts: the more lines they have, the less effort each search makes, within `EFFORT`.
const WORK: usize = 50_000_000;

/// The bounds on the number of changes up to which each search insists on the shortest path.
const EFFORT: Range<usize> = 256..2048;

/// The lines of two texts. An entry is true if the other text lacks the line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Changes {
    pub(super) removed: Vec<bool>,
    pub(super) added: Vec<bool>,
}

/// Compares two texts line by line.
pub(super) fn changes(a: &[&str], b: &[&str]) -> Changes {
    let (a, b) = numbered(a, b);
    let mut changes = Changes {
        removed: vec![false; a.len()],
        added: vec![false; b.len()],
    };
    // Some of the equal lines at the ends are searched, too, as in `diff -u`: they decide between equally short
    // results.
    let start = alike(&a, &b).0.saturating_sub(CONTEXT);
    let ends = a[start..].iter().rev().zip(b[start..].iter().rev());
    let end = ends.take_while(|(a, b)| a == b).count();
    let end = end.saturating_sub(CONTEXT);
    let (inner_a, inner_b) = (start..a.len() - end, start..b.len() - end);
    // Lines that only one side has cannot be kept. Without them, most searches are short.
    let kept_a = common(
        &a,
        inner_a.clone(),
        &b[inner_b.clone()],
        &mut changes.removed,
    );
    let kept_b = common(&b, inner_b.clone(), &a[inner_a.clone()], &mut changes.added);
    let pick =
        |from: &[u32], kept: &[usize]| -> Vec<u32> { kept.iter().map(|at| from[*at]).collect() };
    let (lines_a, lines_b) = (pick(&a, &kept_a), pick(&b, &kept_b));
    let mut search = Search::new(lines_a.len() + lines_b.len());
    let mut boxes = vec![(0..lines_a.len(), 0..lines_b.len())];
    while let Some((x, y)) = boxes.pop() {
        // Equal ends are cut off again in each box: only then does `middle` find a point that makes both parts smaller.
        let (start, end) = alike(&lines_a[x.clone()], &lines_b[y.clone()]);
        let (x, y) = (x.start + start..x.end - end, y.start + start..y.end - end);
        if x.is_empty() || y.is_empty() {
            kept_a[x].iter().for_each(|at| changes.removed[*at] = true);
            kept_b[y].iter().for_each(|at| changes.added[*at] = true);
            continue;
        }
        let (at_x, at_y) = search.middle(&lines_a[x.clone()], &lines_b[y.clone()]);
        let (at_x, at_y) = (x.start + at_x, y.start + at_y);
        // A stack replaces recursion, whose depth could reach the number of lines after bad splits.
        boxes.push((x.start..at_x, y.start..at_y));
        boxes.push((at_x..x.end, at_y..y.end));
    }
    // A run of changes never leaves the searched range.
    let [removed, added] = [
        &mut changes.removed[inner_a.clone()],
        &mut changes.added[inner_b.clone()],
    ];
    slide(&a[inner_a], removed, added);
    slide(&b[inner_b], added, removed);
    changes
}

/// Returns for each line of the second text its position in the first one, if the line was kept.
pub(in crate::cli::commands) fn kept_lines(a: &[&str], b: &[&str]) -> Vec<Option<usize>> {
    let changes = changes(a, b);
    let mut kept = (0..a.len()).filter(|at| !changes.removed[*at]);
    let place = |is_added: &bool| if *is_added { None } else { kept.next() };
    changes.added.iter().map(place).collect()
}

/// Replaces lines by numbers: equal lines have equal numbers.
fn numbered<'t>(a: &[&'t str], b: &[&'t str]) -> (Vec<u32>, Vec<u32>) {
    let mut known: HashMap<&'t str, u32> = HashMap::new();
    let mut number = |line: &&'t str| {
        // Each line is compared many times, and comparing numbers is faster than comparing strings.
        let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
        *known.entry(*line).or_insert(next)
    };
    (
        a.iter().map(&mut number).collect(),
        b.iter().map(&mut number).collect(),
    )
}

/// Returns the number of equal lines at the beginning and, among the remaining ones, at the end.
fn alike(a: &[u32], b: &[u32]) -> (usize, usize) {
    let start = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let ends = a[start..].iter().rev().zip(b[start..].iter().rev());
    (start, ends.take_while(|(a, b)| a == b).count())
}

/// Returns the positions of the lines that the other side has, too. Marks the others as changed.
fn common(own: &[u32], range: Range<usize>, other: &[u32], changed: &mut [bool]) -> Vec<usize> {
    let there: HashSet<u32> = other.iter().copied().collect();
    let (kept, gone): (Vec<usize>, Vec<usize>) = range.partition(|at| there.contains(&own[*at]));
    gone.iter().for_each(|at| changed[*at] = true);
    kept
}

/// The search for a point that a shortest path from one text to the other crosses.
///
/// A path leads through a grid with the lines of the first text along `x` and those of the second along `y`. A diagonal
/// is identified by `x - y`.
struct Search {
    ahead: Front,
    back: Front,
    /// The number of changes from either end after which the search settles for the best point so far.
    effort: usize,
}

/// The furthest points of paths from one corner of the grid after a number of changes. In the front from the end, `x`
/// and `y` count backwards.
#[derive(Default)]
struct Front {
    /// The largest `x` on each diagonal.
    reach: Vec<isize>,
    /// The range of diagonals reached; only every other one is in use.
    diagonals: (isize, isize),
    zero: isize,
}

impl Search {
    fn new(lines: usize) -> Self {
        let front = || Front {
            // One entry per diagonal and one at each end, so that `advance` needs no bounds checks.
            reach: vec![0; lines + 3],
            ..Front::default()
        };
        Self {
            ahead: front(),
            back: front(),
            effort: (WORK / lines.max(1)).clamp(EFFORT.start, EFFORT.end),
        }
    }

    /// Returns a point in the middle of two texts that differ at both ends.
    fn middle(&mut self, a: &[u32], b: &[u32]) -> (usize, usize) {
        let (width, height) = (a.len() as isize, b.len() as isize);
        let last = width - height;
        self.ahead.start(height);
        self.back.start(height);
        let mut spent = 0;
        let (x, y) = loop {
            spent += 1;
            let equal = |x: usize, y: usize| a[x] == b[y];
            // If the total number of changes is odd, the fronts meet while the forward one advances.
            let other = (last % 2 != 0).then_some(&self.back);
            if let Some(met) = self.ahead.advance(width, height, true, other, equal) {
                break met;
            }
            let equal = |x: usize, y: usize| a[a.len() - 1 - x] == b[b.len() - 1 - y];
            let other = (last % 2 == 0).then_some(&self.ahead);
            if let Some((x, y)) = self.back.advance(width, height, false, other, equal) {
                break (width - x, height - y);
            }
            // Two texts without a common line would take quadratic time, so the search gives up early: a longer diff is
            // better than a hang.
            if spent >= self.effort {
                let (ahead, back) = (
                    self.ahead.furthest(width, height),
                    self.back.furthest(width, height),
                );
                break match ahead.0 + ahead.1 > back.0 + back.1 {
                    true => ahead,
                    false => (width - back.0, height - back.1),
                };
            }
        };
        // The point must lie within the texts.
        (x.clamp(0, width) as usize, y.clamp(0, height) as usize)
    }
}

impl Front {
    /// Returns to the corner of a grid of this height.
    fn start(&mut self, height: isize) {
        self.zero = height + 1;
        self.diagonals = (0, 0);
        let at = self.at(0);
        self.reach[at] = 0;
    }

    fn at(&self, diagonal: isize) -> usize {
        usize::try_from(diagonal + self.zero).unwrap_or(0)
    }

    /// Allows one more change. Returns the point at which a path meets one of the opposite front.
    fn advance(
        &mut self,
        width: isize,
        height: isize,
        downwards: bool,
        other: Option<&Self>,
        equal: impl Fn(usize, usize) -> bool,
    ) -> Option<(isize, isize)> {
        self.widen(width, height);
        let (low, high) = self.diagonals;
        for step in (0..=high - low).step_by(2) {
            // The order decides between equally short paths; this one matches GNU diff.
            let diagonal = if downwards { high - step } else { low + step };
            let (below, above) = (
                self.reach[self.at(diagonal - 1)],
                self.reach[self.at(diagonal + 1)],
            );
            let mut x = above.max(below + 1);
            let mut y = x - diagonal;
            while x < width && y < height && equal(x as usize, y as usize) {
                (x, y) = (x + 1, y + 1);
            }
            let at = self.at(diagonal);
            self.reach[at] = x;
            let there = other.and_then(|other| other.on(width - height - diagonal));
            if there.is_some_and(|there| there + x >= width) {
                return Some((x, y));
            }
        }
        None
    }

    /// Adds the diagonals next to those that were reached, within the grid.
    fn widen(&mut self, width: isize, height: isize) {
        let (low, high) = self.diagonals;
        let low = match low > -height {
            true => {
                let outside = self.at(low - 2);
                self.reach[outside] = -1;
                low - 1
            }
            false => low + 1,
        };
        let high = match high < width {
            true => {
                let outside = self.at(high + 2);
                self.reach[outside] = -1;
                high + 1
            }
            false => high - 1,
        };
        self.diagonals = (low, high);
    }

    /// Returns the furthest `x` on a diagonal.
    fn on(&self, diagonal: isize) -> Option<isize> {
        let (low, high) = self.diagonals;
        ((low..=high).contains(&diagonal)).then(|| self.reach[self.at(diagonal)])
    }

    /// Returns the point that covers the most lines.
    fn furthest(&self, width: isize, height: isize) -> (isize, isize) {
        let (low, high) = self.diagonals;
        let points = (low..=high).step_by(2).map(|diagonal| {
            let x = self.reach[self.at(diagonal)]
                .min(width)
                .min(height + diagonal);
            (x, x - diagonal)
        });
        points.max_by_key(|(x, y)| x + y).unwrap_or_default()
    }
}

/// Moves each run of changes in one text to where readers expect it: down as far as equal lines allow, or next to
/// changes of the other text that it passes. Adjacent runs merge.
fn slide(lines: &[u32], own: &mut [bool], other: &[bool]) {
    let mut run = Run::default();
    while run.find(own, other) {
        // A merge makes the run longer, which may allow another move.
        let aligned = loop {
            let length = run.end - run.start;
            while run.start > 0 && lines[run.start - 1] == lines[run.end - 1] {
                run.up(own, other);
            }
            let mut aligned = run.is_aligned(other).then_some(run.end);
            while run.end < own.len() && lines[run.start] == lines[run.end] {
                run.down(own, other);
                if run.is_aligned(other) {
                    aligned = Some(run.end);
                }
            }
            if length == run.end - run.start {
                break aligned;
            }
        };
        while aligned.is_some_and(|end| end < run.end) {
            run.up(own, other);
        }
    }
}

/// A run of changed lines.
#[derive(Default)]
struct Run {
    start: usize,
    end: usize,
    /// The line of the other text that pairs with the one at the end of the run.
    beside: usize,
}

impl Run {
    /// Moves to the next run. Returns false if there is none.
    fn find(&mut self, own: &[bool], other: &[bool]) -> bool {
        self.pass_changes(other);
        while own.get(self.end) == Some(&false) {
            (self.end, self.beside) = (self.end + 1, self.beside + 1);
            self.pass_changes(other);
        }
        self.start = self.end;
        self.end += own[self.start..]
            .iter()
            .take_while(|changed| **changed)
            .count();
        self.end > self.start
    }

    fn pass_changes(&mut self, other: &[bool]) {
        while other.get(self.beside) == Some(&true) {
            self.beside += 1;
        }
    }

    /// Returns true if the other text changes at the same position.
    fn is_aligned(&self, other: &[bool]) -> bool {
        self.beside > 0 && other[self.beside - 1]
    }

    /// Shifts the run up by one line, and merges it with the run above if they meet.
    fn up(&mut self, own: &mut [bool], other: &[bool]) {
        (self.start, self.end) = (self.start - 1, self.end - 1);
        (own[self.start], own[self.end]) = (true, false);
        while self.start > 0 && own[self.start - 1] {
            self.start -= 1;
        }
        self.beside -= 1;
        while other[self.beside] {
            self.beside -= 1;
        }
    }

    /// Shifts the run down by one line, and merges it with the run below if they meet.
    fn down(&mut self, own: &mut [bool], other: &[bool]) {
        (own[self.start], own[self.end]) = (false, true);
        (self.start, self.end) = (self.start + 1, self.end + 1);
        while own.get(self.end) == Some(&true) {
            self.end += 1;
        }
        self.beside += 1;
        self.pass_changes(other);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns the length of a longest common subsequence, computed with a quadratic table.
    fn most_kept(a: &[&str], b: &[&str]) -> usize {
        let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
        for (i, x) in a.iter().enumerate() {
            for (j, y) in b.iter().enumerate() {
                table[i + 1][j + 1] = match x == y {
                    true => table[i][j] + 1,
                    false => table[i][j + 1].max(table[i + 1][j]),
                };
            }
        }
        table[a.len()][b.len()]
    }

    fn kept<'t>(lines: &[&'t str], changed: &[bool]) -> Vec<&'t str> {
        let both = lines.iter().zip(changed);
        both.filter_map(|(line, changed)| (!changed).then_some(*line))
            .collect()
    }

    proptest! {
        #[test]
        fn diff_is_minimal(
            a in prop::collection::vec("[a-e]", 0..60), b in prop::collection::vec("[a-e]", 0..60),
        ) {
            let (a, b): (Vec<&str>, Vec<&str>) =
                (a.iter().map(String::as_str).collect(), b.iter().map(String::as_str).collect());
            let found = changes(&a, &b);
            prop_assert_eq!(kept(&a, &found.removed), kept(&b, &found.added));
            prop_assert_eq!(kept(&a, &found.removed).len(), most_kept(&a, &b));
        }
    }

    #[test]
    fn an_inserted_block_stays_within_the_searched_lines() {
        let rule = |host: &'static str, port: &'static str, path: &'static str| {
            let head = ["- host:", host, "  http:", "    paths:", "    - backend:"];
            let service = [
                "service:",
                "  name: s",
                "  port:",
                port,
                path,
                "type: Prefix",
            ];
            [&head[..], &service[..]].concat()
        };
        let live = [vec!["g: 2"], rule("x", "80", "/a")].concat();
        let first = rule("x", "81", "/");
        let merged = [
            vec!["g: 3"],
            first,
            rule("c", "80", "/a"),
            rule("e", "80", "/a"),
        ]
        .concat();
        let added = changes(&live, &merged).added;
        // As in `diff -u`, the common lines at the end begin with `http:`, and three of them take part in the search.
        let runs: Vec<usize> = (0..added.len()).filter(|at| added[*at]).collect();
        assert_eq!(runs, [&[0][..], &(6..28).collect::<Vec<_>>()[..]].concat());
    }

    #[test]
    fn expensive_search_still_finds_a_valid_diff() {
        let text = |seed: usize| -> Vec<String> {
            let line = |n: usize| (n * n * seed + n / 3) % 7;
            (0..3000).map(|n| line(n).to_string()).collect()
        };
        let (a, b) = (text(3), text(5));
        let (a, b): (Vec<&str>, Vec<&str>) = (
            a.iter().map(String::as_str).collect(),
            b.iter().map(String::as_str).collect(),
        );
        let (numbers_a, numbers_b) = numbered(&a, &b);
        for effort in [1, 2, 10, 100] {
            let mut search = Search::new(6000);
            search.effort = effort;
            let (x, y) = search.middle(&numbers_a, &numbers_b);
            assert!(x + y > 0 && x + y < 6000, "{effort}: {x} {y}");
        }
        let found = changes(&a, &b);
        assert_eq!(kept(&a, &found.removed), kept(&b, &found.added));
    }
}
