//! The differences between a cluster and its fork, object by object.
//!
//! Must not know: keys or widgets.

use std::collections::HashMap;

use crate::app::App;
use crate::scene::{Entry, Present};

/// How an object differs from the object of the same name on the other side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Difference {
    #[default]
    None,
    /// The object does not exist on the other side.
    Alone,
    /// The number of ready Pods and of all Pods that this side has in excess; negative if it has fewer.
    Count { ready: i64, total: i64 },
    /// The counts are the same, but the status differs.
    Status,
}

/// The role of a screen in a comparison of two.
#[derive(Clone, Debug, Default)]
pub(crate) struct SplitSide {
    /// True if this is the fork.
    pub(crate) is_fork: bool,
    /// True if keys act on this side.
    pub(crate) is_active: bool,
    /// The difference of each object, in the order of the entries.
    pub(crate) differences: Vec<Difference>,
    /// The number of ready Pods and of all Pods that this side has in excess; negative if it has fewer.
    pub(crate) pods: (i64, i64),
}

impl SplitSide {
    /// Compares this side with the other one.
    pub(crate) fn compare(&mut self, own: &Present, other: &Present) {
        let others = other.entries.iter().map(|entry| (name(entry), entry));
        // Matched by name: an object that both sides have created again has two uids, but a user sees the same object.
        let others: HashMap<_, _> = others.collect();
        let of = |entry: &Entry| difference(entry, others.get(&name(entry)).copied());
        self.differences = own.entries.iter().map(of).collect();
        let (mine, theirs) = (own.pods(), other.pods());
        self.pods = (more(mine.0, theirs.0), more(mine.1, theirs.1));
    }

    /// Describes the difference of the entry at a position; empty if there is none.
    pub(crate) fn words(&self, place: usize) -> String {
        let difference = self.differences.get(place).copied().unwrap_or_default();
        // Only one side shows the counts, because the same numbers with the opposite sign would add nothing.
        match (difference, self.is_fork) {
            (Difference::Alone, true) => "new".to_owned(),
            (Difference::Alone, false) => "gone".to_owned(),
            (Difference::Count { ready, total }, true) => counts(ready, total),
            (Difference::Status, true) => "≠".to_owned(),
            _ => String::new(),
        }
    }
}

impl App {
    /// Returns true if keys act on this screen.
    pub(crate) fn is_active(&self) -> bool {
        self.beside.as_ref().is_none_or(|beside| beside.is_active)
    }

    /// Returns true if this screen shows a fork.
    pub(crate) fn is_fork(&self) -> bool {
        self.beside.as_ref().is_some_and(|beside| beside.is_fork)
    }
}

/// Returns what identifies the object on both sides.
pub(crate) fn name(entry: &Entry) -> (&str, &str, &str) {
    (&entry.resource, &entry.namespace, &entry.name)
}

/// Formats the differences of two counts with their signs.
pub(crate) fn counts(ready: i64, total: i64) -> String {
    format!("{ready:+}/{total:+}")
}

fn difference(own: &Entry, other: Option<&Entry>) -> Difference {
    let Some(other) = other else {
        return Difference::Alone;
    };
    let (mine, theirs) = (own.status.ready, other.status.ready);
    // Counts come first: a workload that scales has a different status, too, and the numbers say more.
    if mine != theirs {
        let ((ready, total), (before, all)) =
            (mine.unwrap_or_default(), theirs.unwrap_or_default());
        return Difference::Count {
            ready: ready - before,
            total: total - all,
        };
    }
    match own.status.word == other.status.word {
        true => Difference::None,
        false => Difference::Status,
    }
}

fn more(own: usize, other: usize) -> i64 {
    let signed = |count| i64::try_from(count).unwrap_or(i64::MAX);
    signed(own) - signed(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::present;

    #[test]
    fn comparison_shows_counts_states_and_missing_objects() {
        let (cluster, mut fork) = (present(9), present(12));
        fork.entries[0].status.ready = Some((4, 6));
        fork.entries[2].status.word = "Terminating".to_owned();
        fork.entries[6].name = "another".to_owned();
        let mut beside = SplitSide {
            is_fork: true,
            ..SplitSide::default()
        };
        beside.compare(&fork, &cluster);
        let words: Vec<String> = (0..7).map(|place| beside.words(place)).collect();
        assert_eq!(words, ["+3/+4", "", "≠", "", "", "", "new"]);
        beside.is_fork = false;
        beside.compare(&cluster, &fork);
        assert_eq!(beside.words(0), "");
        assert_eq!(beside.words(6), "gone");
        assert_eq!(counts(-1, 0), "-1/+0");
    }
}
