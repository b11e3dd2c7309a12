//! Pods counted by what they have in common: most of many are alike in all that their controller asks of
//! them, and then it need not ask each.
//!
//! Must not know: what the counts are for.

use std::collections::HashMap;

use super::watched;
use super::workload::{Life, facts};
use crate::api::json::Value;
use crate::api::selector::LabelSelector;
use crate::kinds::Kind;
use crate::runtime::{Cache, Change, Object, Tally};

/// The properties by which Pods are grouped.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sort {
    labels: Value,
    /// How far they have come.
    pub life: Life,
}

impl Sort {
    fn of(pod: &Object) -> Self {
        Self {
            labels: pod["metadata"]["labels"].clone(),
            life: facts(pod).life,
        }
    }

    /// Returns true if a selector matches them.
    pub fn is_selected(&self, selector: &LabelSelector) -> bool {
        selector.matches(|key| self.labels.get(key)?.as_str())
    }

    /// Returns true if they have all of these labels.
    pub fn has_labels(&self, wanted: &Value) -> bool {
        let mut wanted = wanted.as_object().into_iter().flatten();
        wanted.all(|(key, value)| &self.labels[key] == value)
    }
}

/// How many Pods of each sort there are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Crowd(HashMap<Sort, usize>);

impl Crowd {
    /// The sorts of some Pods.
    pub fn of<'a>(pods: impl IntoIterator<Item = &'a Object>) -> Self {
        let mut crowd = Self::default();
        pods.into_iter().for_each(|pod| crowd.add(pod));
        crowd
    }

    /// The sorts that there are, in no order.
    pub fn sorts(&self) -> impl Iterator<Item = &Sort> {
        self.0.keys()
    }

    /// How many Pods are of sorts of which this holds.
    pub fn count(&self, is: impl Fn(&Sort) -> bool) -> usize {
        let counted = self.0.iter().filter(|(sort, _)| is(sort));
        counted.map(|(_, count)| count).sum()
    }

    fn add(&mut self, pod: &Object) {
        *self.0.entry(Sort::of(pod)).or_default() += 1;
    }

    fn remove(&mut self, pod: &Object) {
        let sort = Sort::of(pod);
        match self.0.get_mut(&sort) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(self.0.remove(&sort)),
        }
    }
}

/// The Pods of each controller.
#[derive(Clone, Debug, Default)]
pub struct Controlled(HashMap<Box<str>, Crowd>);

impl Controlled {
    /// The Pods that the object with a uid controls.
    pub fn by(&self, uid: &str) -> Crowd {
        self.0.get(uid).cloned().unwrap_or_default()
    }
}

impl Tally for Controlled {
    fn kinds(&self) -> Vec<&'static Kind> {
        vec![watched::pods()]
    }

    fn change(&mut self, change: &Change, _: &Cache) {
        let owner = |pod: &Object| Some(pod.controller()?["uid"].as_str()?.to_owned());
        for (pod, comes) in [(&change.before, false), (&change.after, true)] {
            let Some((uid, pod)) = pod.as_ref().and_then(|pod| Some((owner(pod)?, pod))) else {
                continue;
            };
            match (self.0.get_mut(&*uid), comes) {
                (Some(crowd), true) => crowd.add(pod),
                (None, true) => drop(self.0.insert(uid.into(), Crowd::of([pod]))),
                (Some(crowd), false) => {
                    crowd.remove(pod);
                    if crowd.0.is_empty() {
                        self.0.remove(&*uid);
                    }
                }
                (None, false) => {}
            }
        }
    }
}
