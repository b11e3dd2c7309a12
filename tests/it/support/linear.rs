//! Checks linearizability without a search, because the store's own log is the order.
//!
//! The requests and results of the clients, with their begin and end times, are compared with the log. An operation
//! must fit somewhere after everything that had ended before it began, and before everything that began after it had
//! ended.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound::{Excluded, Included};

/// A requested write.
#[derive(Clone, Debug)]
pub struct Write {
    pub key: String,
    /// The precondition.
    pub expect: Expect,
    /// The new value, which is never used twice; `None` removes the object.
    pub value: Option<String>,
    pub answer: Answer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    Any,
    Absent,
    Present,
    At(u64),
}

/// The result of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    Done(u64),
    /// The write was done at an unknown revision.
    Sometime,
    /// There was nothing to do.
    Unchanged,
    /// The precondition failed.
    Refused,
    /// The outcome is unknown, because the client was killed.
    Unknown,
}

#[derive(Clone, Debug)]
pub enum What {
    Write(Write),
    Get {
        key: String,
        found: Option<(u64, String)>,
    },
    List {
        revision: u64,
        items: BTreeMap<String, (u64, String)>,
    },
}

/// An operation of a client. All times are of one clock.
#[derive(Clone, Debug)]
pub struct Operation {
    pub start: u64,
    /// The end, or `u64::MAX` if the operation never ended.
    pub end: u64,
    pub what: What,
}

/// The log: the change of every revision, beginning with the first.
pub type Log = BTreeMap<u64, (String, Option<String>)>;

/// The history that operations are compared with.
struct Truth<'a> {
    log: &'a Log,
    first: u64,
    last: u64,
    /// The revisions that changed each key, and the value after each.
    versions: BTreeMap<&'a str, BTreeMap<u64, Option<&'a str>>>,
    /// For each revision, the latest begin time of the writes up to it.
    began: BTreeMap<u64, u64>,
}

/// Checks a history. The error names the violated rule.
pub fn check(log: &Log, operations: &[Operation]) -> Result<(), String> {
    let truth = Truth::new(log, operations)?;
    let mut order: Vec<&Operation> = operations.iter().collect();
    order.sort_by_key(|o| o.start);
    let mut ended: BTreeSet<(u64, u64)> = BTreeSet::new();
    let mut floor = truth.first - 1;
    for operation in order {
        // This is the highest revision that any client had received before the operation began.
        while let Some(known) = ended
            .first()
            .copied()
            .filter(|(end, _)| *end < operation.start)
        {
            floor = floor.max(known.1);
            ended.remove(&known);
        }
        truth
            .fits(operation, floor)
            .map_err(|rule| format!("{rule}: {operation:?}"))?;
        if let Some(point) = point(operation) {
            ended.insert((operation.end, point));
        }
    }
    Ok(())
}

/// Returns the revision that an operation has certainly seen or made.
fn point(operation: &Operation) -> Option<u64> {
    match &operation.what {
        What::Write(Write {
            answer: Answer::Done(revision),
            ..
        }) => Some(*revision),
        What::Get {
            found: Some((revision, _)),
            ..
        } => Some(*revision),
        What::List { revision, .. } => Some(*revision),
        _ => None,
    }
}

impl<'a> Truth<'a> {
    fn new(log: &'a Log, operations: &[Operation]) -> Result<Self, String> {
        let first = *log.keys().next().ok_or("an empty log")?;
        let last = *log.keys().next_back().ok_or("an empty log")?;
        if log.len() as u64 != last - first + 1 {
            return Err("gap in the revisions".to_owned());
        }
        let mut versions: BTreeMap<&str, BTreeMap<u64, Option<&str>>> = BTreeMap::new();
        for (revision, (key, value)) in log {
            versions
                .entry(key)
                .or_default()
                .insert(*revision, value.as_deref());
        }
        let mut began = BTreeMap::new();
        let starts = begins(log, operations)?;
        let mut latest = 0;
        for revision in first..=last {
            let start = starts.get(&revision);
            latest = latest.max(*start.ok_or(format!("write of nobody at {revision}"))?);
            began.insert(revision, latest);
        }
        Ok(Self {
            log,
            first,
            last,
            versions,
            began,
        })
    }

    /// Returns the last revision that can have existed at a time.
    fn ceiling(&self, end: u64) -> u64 {
        let mut ceiling = self.first - 1;
        let (mut low, mut high) = (self.first, self.last + 1);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.began[&middle] <= end {
                ceiling = middle;
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        ceiling
    }

    /// Returns the version of a key at a revision.
    fn at(&self, key: &str, revision: u64) -> Option<(u64, &str)> {
        let (found, value) = self.versions.get(key)?.range(..=revision).next_back()?;
        value.map(|value| (*found, value))
    }

    /// Returns true if a key had a version that `wanted` accepts, at some revision from `low` to `high`.
    fn ever(
        &self,
        key: &str,
        (low, high): (u64, u64),
        wanted: impl Fn(Option<u64>) -> bool,
    ) -> bool {
        if low > high {
            return false;
        }
        let changes = self
            .versions
            .get(key)
            .into_iter()
            .flat_map(|v| v.range((Excluded(low), Included(high))));
        wanted(self.at(key, low).map(|(r, _)| r))
            || changes.map(|(r, value)| value.map(|_| *r)).any(wanted)
    }

    fn fits(&self, operation: &Operation, floor: u64) -> Result<(), &'static str> {
        let ceiling = self.ceiling(operation.end);
        match &operation.what {
            What::Write(write) => self.write_fits(write, (floor, ceiling)),
            What::Get { key, found: None } => {
                let absent = self.ever(key, (floor, ceiling), |version| version.is_none());
                absent.then_some(()).ok_or("stale read")
            }
            What::Get {
                key,
                found: Some((revision, value)),
            } => {
                if self.log.get(revision) != Some(&(key.clone(), Some(value.clone()))) {
                    return Err("value of nobody");
                }
                if *revision > ceiling {
                    return Err("time travel");
                }
                let there = self.ever(key, (floor, ceiling), |v| v == Some(*revision));
                there.then_some(()).ok_or("stale read")
            }
            What::List { revision, items } => {
                if *revision < floor {
                    return Err("stale read");
                }
                if *revision > ceiling {
                    return Err("time travel");
                }
                let known = self.versions.keys().filter_map(|key| {
                    let (found, value) = self.at(key, *revision)?;
                    Some(((*key).to_owned(), (found, value.to_owned())))
                });
                let same = known.collect::<BTreeMap<_, _>>() == *items;
                same.then_some(()).ok_or("torn list")
            }
        }
    }

    fn write_fits(&self, write: &Write, span: (u64, u64)) -> Result<(), &'static str> {
        let holds = |version: Option<u64>| match write.expect {
            Expect::Any => true,
            Expect::Absent => version.is_none(),
            Expect::Present => version.is_some(),
            Expect::At(revision) => version == Some(revision),
        };
        match write.answer {
            Answer::Unknown => Ok(()),
            Answer::Refused => {
                let refused = self.ever(&write.key, span, |version| !holds(version));
                refused.then_some(()).ok_or("refused for nothing")
            }
            Answer::Sometime => {
                let versions = self.versions.get(write.key.as_str());
                let mut made = versions
                    .into_iter()
                    .flat_map(|v| v.range((Excluded(span.0), Included(span.1))));
                let done = made.any(|(revision, value)| {
                    let before = self.at(&write.key, revision - 1).map(|(r, _)| r);
                    *value == write.value.as_deref() && holds(before)
                });
                done.then_some(()).ok_or("lost update")
            }
            Answer::Unchanged => {
                let absent = write.value.is_none()
                    && self.ever(&write.key, span, |version| version.is_none());
                absent.then_some(()).ok_or("unchanged for nothing")
            }
            Answer::Done(revision) => {
                if self.log.get(&revision) != Some(&(write.key.clone(), write.value.clone())) {
                    return Err("lost update");
                }
                if revision <= span.0 {
                    return Err("time travel");
                }
                let before = self.at(&write.key, revision - 1).map(|(r, _)| r);
                if !holds(before) {
                    return Err(match write.expect {
                        Expect::Absent => "double create",
                        _ => "lost update",
                    });
                }
                Ok(())
            }
        }
    }
}

/// Returns the time at which the write of each revision began. Writes without a known revision are identified by their
/// value, removals by their key.
fn begins(log: &Log, operations: &[Operation]) -> Result<BTreeMap<u64, u64>, String> {
    let mut begins = BTreeMap::new();
    let mut unknown: BTreeMap<(&str, Option<&str>), u64> = BTreeMap::new();
    for operation in operations {
        let What::Write(write) = &operation.what else {
            continue;
        };
        match write.answer {
            Answer::Done(revision) => {
                if begins.insert(revision, operation.start).is_some() {
                    return Err(format!("revision used twice: {revision}"));
                }
            }
            Answer::Unknown | Answer::Sometime => {
                let start = unknown
                    .entry((&write.key, write.value.as_deref()))
                    .or_insert(u64::MAX);
                *start = operation.start.min(*start);
            }
            Answer::Unchanged | Answer::Refused => {}
        }
    }
    for (revision, (key, value)) in log {
        if !begins.contains_key(revision)
            && let Some(start) = unknown.get(&(key.as_str(), value.as_deref()))
        {
            begins.insert(*revision, *start);
        }
    }
    Ok(begins)
}
