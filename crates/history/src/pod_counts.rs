//! Counts the Pods of each workload while commits are read.

use std::collections::HashMap;
use std::ops::{AddAssign, SubAssign};
use std::sync::Arc;

use crate::api::json::{Value, from_bytes};
use crate::cluster::{Cluster, Range, Result, Revision};
use crate::kinds::Catalogue;
use crate::kinds::condition::is_true;
use crate::kinds::convert::stored_as;
use crate::kinds::tree::{field, flag, has, list, text};

/// The maximum number of owners to follow from a Pod. Owner references may form a cycle.
const MAX_OWNERS: usize = 8;

/// The prefix of the keys of Pods.
pub(crate) const PODS: &str = "pods/";

/// The Pods of a workload at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// The number of Pods that are ready and not being deleted.
    pub ready: u64,
    /// The number of Pods that have not ended, including those being deleted.
    pub total: u64,
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Self) {
        self.ready += other.ready;
        self.total += other.total;
    }
}

impl SubAssign for Count {
    fn sub_assign(&mut self, other: Self) {
        self.ready -= other.ready;
        self.total -= other.total;
    }
}

#[derive(Debug)]
struct Owner {
    uid: String,
    key: Arc<str>,
}

#[derive(Debug)]
struct Member {
    workload: Arc<str>,
    count: Count,
}

/// Counts the Pods of each workload: the topmost owner of the Pod, or the Pod itself.
///
/// ```
/// use ctl_history::{PodCounts, Count};
///
/// # let cluster = ctl_cluster::testing::in_memory();
/// let mut pod_counts = PodCounts::at(&cluster, cluster.stored().revision()?)?;
/// let pod = br#"{"metadata": {"name": "p", "namespace": "default", "uid": "p"}, "status": {"phase": "Pending"}}"#;
/// pod_counts.take("pods/default/p", Some(pod));
/// let workload = pod_counts.workload_of("pods/default/p").unwrap_or_else(|| "pods/default/p".into());
/// let Count { ready, total } = pod_counts.count(&workload);
/// assert!(ready <= total);
/// # Ok::<(), ctl_cluster::StoreError>(())
/// ```
#[derive(Debug)]
pub struct PodCounts {
    kinds: Arc<Catalogue>,
    pods: HashMap<String, Member>,
    owners: HashMap<String, Owner>,
    counts: HashMap<Arc<str>, Count>,
}

impl PodCounts {
    /// Counts the Pods at a revision.
    ///
    /// # Errors
    /// Returns an error if the cluster cannot be read or the revision is no longer retained.
    pub fn at(cluster: &Cluster, revision: Revision) -> Result<Self> {
        let mut pod_counts = Self {
            kinds: cluster.kinds()?,
            pods: HashMap::new(),
            owners: HashMap::new(),
            counts: HashMap::new(),
        };
        let now = cluster.stored().revision()?;
        let at = (revision != now).then_some(revision);
        let (pods, others): (Vec<_>, Vec<_>) = cluster
            .stored()
            .list(&Range::all(), at)?
            .items
            .into_iter()
            .partition(|item| item.key.as_str().starts_with(PODS));
        // Owners come first, because a Pod counts toward its topmost owner.
        for item in others.iter().chain(&pods) {
            let _ = pod_counts.take(item.key.as_str(), Some(&item.json));
        }
        Ok(pod_counts)
    }

    /// Applies a change, and returns the workloads whose counts changed.
    pub fn take(&mut self, key: &str, after: Option<&[u8]>) -> Vec<Arc<str>> {
        if !key.starts_with(PODS) {
            // Most objects have no owner, and parsing all of them would take longer than everything else.
            if let Some(json) = after.filter(|json| has_owners(json)) {
                self.own(&without_managers(json));
            }
            return Vec::new();
        }
        let mut affected = Vec::new();
        if let Some(member) = self.pods.remove(key) {
            if let Some(count) = self.counts.get_mut(&member.workload) {
                *count -= member.count;
            }
            affected.push(member.workload);
        }
        if let Some(json) = after {
            let pod = without_managers(json);
            let (workload, count) = (self.workload(key, &pod), count_of(&pod));
            *self.counts.entry(Arc::clone(&workload)).or_default() += count;
            if affected.first() != Some(&workload) {
                affected.push(Arc::clone(&workload));
            }
            let _ = self.pods.insert(key.to_owned(), Member { workload, count });
        }
        affected
    }

    /// Returns the count of a workload.
    pub fn count(&self, workload: &str) -> Count {
        self.counts.get(workload).copied().unwrap_or_default()
    }

    /// Returns the counts of all workloads.
    pub fn counts(&self) -> &HashMap<Arc<str>, Count> {
        &self.counts
    }

    /// Returns the workload toward which a Pod counts.
    pub fn workload_of(&self, pod: &str) -> Option<Arc<str>> {
        self.pods.get(pod).map(|own| Arc::clone(&own.workload))
    }

    fn own(&mut self, object: &Value) {
        if let Some(owner) = self.controller(object) {
            let uid = text(field(object, "metadata"), "uid").to_owned();
            let _ = self.owners.insert(uid, owner);
        }
    }

    fn controller(&self, object: &Value) -> Option<Owner> {
        let metadata = field(object, "metadata");
        let owners = list(metadata, "ownerReferences");
        let owner = owners.iter().find(|owner| flag(owner, "controller"))?;
        let kind = self
            .kinds
            .find_by_api_version(text(owner, "apiVersion"), text(owner, "kind"))?;
        let namespace = match kind.namespaced {
            true => text(metadata, "namespace"),
            false => "_cluster",
        };
        let resource = stored_as(kind).qualified_resource();
        let key = format!("{resource}/{namespace}/{}", text(owner, "name"));
        Some(Owner {
            uid: text(owner, "uid").to_owned(),
            key: key.into(),
        })
    }

    fn workload(&self, key: &str, pod: &Value) -> Arc<str> {
        let Some(mut top) = self.controller(pod) else {
            return key.into();
        };
        for _ in 0..MAX_OWNERS {
            match self.owners.get(&top.uid) {
                None => break,
                Some(above) => {
                    top = Owner {
                        uid: above.uid.clone(),
                        key: Arc::clone(&above.key),
                    };
                }
            }
        }
        top.key
    }
}

/// Parses an object without its managed fields, which are its largest part and are not needed here.
fn without_managers(json: &[u8]) -> Value {
    from_bytes(json, &["metadata", "managedFields"]).unwrap_or_default()
}

fn has_owners(json: &[u8]) -> bool {
    const NAME: &[u8] = b"\"ownerReferences\"";
    json.windows(NAME.len()).any(|window| window == NAME)
}

fn count_of(pod: &Value) -> Count {
    let is_alive = !matches!(text(field(pod, "status"), "phase"), "Succeeded" | "Failed");
    // A Pod that is being deleted receives no traffic from Services, and its workload does not count it either.
    let is_ready =
        is_alive && is_true(pod, "Ready") && !has(field(pod, "metadata"), "deletionTimestamp");
    Count {
        ready: is_ready.into(),
        total: is_alive.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::cluster::testing::in_memory;

    fn bytes(value: &Value) -> Vec<u8> {
        value.to_string().into_bytes()
    }

    fn pod(ready: bool, more: &Value) -> Vec<u8> {
        let status = if ready { "True" } else { "False" };
        let mut pod = json!({"metadata": {"name": "p", "namespace": "default", "uid": "p",
                "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r", "uid": "r",
                    "controller": true}]},
            "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": status}]}});
        for (name, value) in more.as_object().unwrap() {
            pod["metadata"][name.as_str()] = value.clone();
        }
        bytes(&pod)
    }

    #[test]
    fn pods_are_counted_under_their_top_level_owner() {
        let cluster = in_memory();
        let mut pod_counts = PodCounts::at(&cluster, cluster.stored().revision().unwrap()).unwrap();
        let set = json!({"metadata": {"name": "r", "namespace": "default", "uid": "r",
            "ownerReferences": [{"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "d",
                "controller": true}]}});
        let affected = pod_counts.take("replicasets.apps/default/r", Some(&bytes(&set)));
        assert!(affected.is_empty());
        let web = "deployments.apps/default/web";
        let mut take = |key: &str, after: Option<Vec<u8>>| {
            let affected = pod_counts.take(key, after.as_deref());
            let all: Vec<(String, u64, u64)> = affected
                .iter()
                .map(|own| {
                    (
                        own.to_string(),
                        pod_counts.count(own).ready,
                        pod_counts.count(own).total,
                    )
                })
                .collect();
            all
        };
        let web_is = |ready, total| vec![(web.to_owned(), ready, total)];
        let nothing = json!({});
        assert_eq!(
            take("pods/default/a", Some(pod(true, &nothing))),
            web_is(1, 1)
        );
        assert_eq!(
            take("pods/default/b", Some(pod(false, &nothing))),
            web_is(1, 2)
        );
        let ending = json!({"deletionTimestamp": "2027-01-01T00:00:00Z"});
        assert_eq!(
            take("pods/default/a", Some(pod(true, &ending))),
            web_is(0, 2)
        );
        assert_eq!(take("pods/default/a", None), web_is(0, 1));
        let alone = json!({"ownerReferences": []});
        let own = take("pods/default/c", Some(pod(true, &alone)));
        assert_eq!(own, [("pods/default/c".to_owned(), 1, 1)]);
    }
}
