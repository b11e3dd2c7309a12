//! Pods counted by class. Most Pods of a controller are equal in all fields that it reads, so counting classes saves a
//! visit to each Pod.
//!
//! Must not know: the purpose of the counts.

use std::collections::HashMap;

use super::workload::{Life, facts};
use super::{views, watched};
use crate::api::json::Value;
use crate::api::selector::LabelSelector;
use crate::kinds::Kind;
use crate::runtime::{Cache, Change, Object, Tally};

/// The properties by which Pods are grouped.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PodClass {
    labels: Value,
    /// The stage of their life.
    pub life: Life,
}

impl PodClass {
    fn from_pod(pod: &Object) -> Self {
        Self {
            labels: views::meta(pod).labels().clone(),
            life: facts(pod).life,
        }
    }

    /// Returns true if two Pods are of the same class. Most changes are within a class, so this builds neither of them.
    fn is_shared(a: &Object, b: &Object) -> bool {
        facts(a).life == facts(b).life && views::meta(a).labels() == views::meta(b).labels()
    }

    /// Returns true if a selector matches them.
    pub(crate) fn is_selected(&self, selector: &LabelSelector) -> bool {
        selector.matches(|key| self.labels.get(key)?.as_str())
    }

    /// Returns true if they have all of the desired labels.
    pub(crate) fn has_labels(&self, desired: &Value) -> bool {
        let mut desired = desired.as_object().into_iter().flatten();
        desired.all(|(key, value)| &self.labels[key] == value)
    }
}

/// The number of Pods of each class.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PodCounts(HashMap<PodClass, usize>);

impl PodCounts {
    /// Counts Pods.
    pub(crate) fn from_pods<'a>(pods: impl IntoIterator<Item = &'a Object>) -> Self {
        let mut pod_counts = Self::default();
        pods.into_iter().for_each(|pod| pod_counts.add(pod));
        pod_counts
    }

    /// Returns the classes, in no order.
    pub(crate) fn classes(&self) -> impl Iterator<Item = &PodClass> {
        self.0.keys()
    }

    /// Returns the number of Pods whose class matches.
    pub(crate) fn count(&self, is: impl Fn(&PodClass) -> bool) -> usize {
        let counted = self.0.iter().filter(|(class, _)| is(class));
        counted.map(|(_, count)| count).sum()
    }

    fn add(&mut self, pod: &Object) {
        *self.0.entry(PodClass::from_pod(pod)).or_default() += 1;
    }

    fn remove(&mut self, pod: &Object) {
        let class = PodClass::from_pod(pod);
        match self.0.get_mut(&class) {
            Some(count) if *count > 1 => *count -= 1,
            // Classes without Pods must not pile up: labels such as revision hashes change all the time.
            _ => drop(self.0.remove(&class)),
        }
    }
}

/// The Pods of each controller, by its uid.
#[derive(Clone, Debug, Default)]
pub(crate) struct Controlled(HashMap<Box<str>, PodCounts>);

impl Controlled {
    /// Returns the Pods that the object with a uid controls.
    pub(crate) fn by(&self, uid: &str) -> PodCounts {
        // A clone of a few classes, whatever the number of Pods.
        self.0.get(uid).cloned().unwrap_or_default()
    }
}

/// Returns the uid of the object that controls a Pod.
fn owner(pod: &Object) -> Option<&str> {
    pod.controller()?["uid"].as_str()
}

impl Tally for Controlled {
    fn kinds(&self) -> Vec<&'static Kind> {
        vec![watched::pods()]
    }

    fn change(&mut self, change: &Change, _: &Cache) {
        if let (Some(before), Some(after)) = (&change.before, &change.after)
            && owner(before) == owner(after)
            && PodClass::is_shared(before, after)
        {
            return;
        }
        // The old version leaves its class before the new one is counted, so a change within a class has no net effect.
        for (pod, comes) in [(&change.before, false), (&change.after, true)] {
            let Some((uid, pod)) = pod.as_ref().and_then(|pod| Some((owner(pod)?, pod))) else {
                continue;
            };
            match (self.0.get_mut(uid), comes) {
                (Some(pod_counts), true) => pod_counts.add(pod),
                (None, true) => drop(self.0.insert(uid.into(), PodCounts::from_pods([pod]))),
                (Some(pod_counts), false) => {
                    pod_counts.remove(pod);
                    if pod_counts.0.is_empty() {
                        self.0.remove(uid);
                    }
                }
                (None, false) => {}
            }
        }
    }
}
