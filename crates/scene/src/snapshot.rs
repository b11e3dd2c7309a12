//! The objects of a scene, all at one revision.
//!
//! Must not know: how objects are arranged and drawn.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::api::json::{Value, from_bytes};
use crate::cluster::{ApiError, Cluster, HistoryQuery, Key, Place, Range, Revision, Stored};
use crate::kinds::convert::{convert, stored_as};
use crate::kinds::{self, Kind};

/// The built-in kinds between a root and its Pods, and the nodes of the Pods.
const KINDS: &[(&str, &str)] = &[
    ("apps", "Deployment"),
    ("apps", "ReplicaSet"),
    ("apps", "StatefulSet"),
    ("apps", "DaemonSet"),
    ("batch", "CronJob"),
    ("batch", "Job"),
    ("", "ReplicationController"),
    ("", "Pod"),
    ("", "Node"),
];

/// The part of a cluster to display.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// The namespace; empty for all namespaces.
    pub namespace: String,
    /// The root object, by kind and name.
    pub root: Option<(&'static Kind, String)>,
}

impl Scope {
    /// Returns the scope of a namespace; empty means all namespaces.
    pub fn namespace(namespace: &str) -> Self {
        Self {
            namespace: namespace.to_owned(),
            root: None,
        }
    }

    /// Returns the scope of an object and its descendants.
    pub fn object(kind: &'static Kind, namespace: &str, name: &str) -> Self {
        Self {
            namespace: Place::new(kind, namespace).namespace,
            root: Some((kind, name.to_owned())),
        }
    }

    /// Returns the kinds to read: the built-in ones, the custom ones, which may own Pods, and the root's.
    fn kinds(&self, cluster: &Cluster) -> Result<Vec<&'static Kind>, ApiError> {
        let catalogue = cluster.kinds()?;
        let own = |kind: &&'static Kind| kind.served && kind.custom.is_some();
        let mut all: Vec<&'static Kind> = KINDS
            .iter()
            .filter_map(|(group, kind)| kinds::find(group, "v1", kind))
            .chain(catalogue.preferred().filter(own))
            .collect();
        if let Some((kind, _)) = self.root
            && !all.iter().any(|known| std::ptr::eq(*known, kind))
        {
            all.push(kind);
        }
        Ok(all)
    }
}

/// An object and its kind.
///
/// ```
/// use ctl_cluster::testing::{in_memory, place, pod};
/// use ctl_scene::{Item, Scope, Snapshot};
///
/// let cluster = in_memory();
/// cluster.create(&place("pods"), &pod("web"), &Default::default())?;
/// let snapshot = Snapshot::read(&cluster, &Scope::namespace("default"), None)?;
/// let is_pod = |item: &&Item| item.kind.kind == "Pod";
/// assert_eq!(snapshot.items().filter(is_pod).count(), 1);
/// # Ok::<(), ctl_cluster::ApiError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Item {
    /// The kind.
    pub kind: &'static Kind,
    /// The object.
    pub object: Value,
}

/// The objects of a scope at one revision.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The revision.
    pub revision: Revision,
    /// The cluster's time at the revision.
    pub time: Timestamp,
    pub(crate) items: BTreeMap<Key, Item>,
}

impl Snapshot {
    /// Reads the objects of a scope, at the current revision or an earlier one.
    ///
    /// # Errors
    /// Returns Kubernetes' 403, or an error if the revision is no longer retained.
    pub fn read(cluster: &Cluster, scope: &Scope, at: Option<Revision>) -> Result<Self, ApiError> {
        match at {
            None => Self::current(cluster, scope),
            Some(revision) => Self::past(cluster, scope, revision),
        }
    }

    fn current(cluster: &Cluster, scope: &Scope) -> Result<Self, ApiError> {
        let (revision, time) = cluster.stored().moment()?;
        let mut items = BTreeMap::new();
        for kind in scope.kinds(cluster)? {
            let place = Place::new(kind, &scope.namespace);
            // All lists are read at one revision: a Pod must not appear next to a former owner.
            for object in cluster.list(&place, &|_| true, Some(revision))?.items {
                if let Some(key) = key(kind, &object) {
                    items.insert(key, Item { kind, object });
                }
            }
        }
        Ok(Self {
            revision,
            time,
            items,
        })
    }

    fn past(cluster: &Cluster, scope: &Scope, revision: Revision) -> Result<Self, ApiError> {
        // A single list of everything, because a list per kind would read the history as many times.
        let listing = cluster.stored().list(&Range::all(), Some(revision))?;
        let mut snapshot = Self {
            revision,
            time: time_of(cluster, revision)?,
            items: BTreeMap::new(),
        };
        let resources = Resources::read(cluster, scope)?;
        for stored in listing.items {
            if let Some(kind) = resources.kind(&stored.key) {
                let item = read(kind, &stored)?;
                snapshot.items.insert(stored.key, item);
            }
        }
        Ok(snapshot)
    }

    /// Returns the objects, sorted by key.
    pub fn items(&self) -> impl Iterator<Item = &Item> {
        self.items.values()
    }
}

/// The kinds of a scope, by the resource names in keys.
pub(crate) struct Resources {
    kinds: BTreeMap<String, &'static Kind>,
    namespace: String,
}

impl Resources {
    pub(crate) fn read(cluster: &Cluster, scope: &Scope) -> Result<Self, ApiError> {
        let kinds = scope.kinds(cluster)?;
        let named = |kind: &'static Kind| (stored_as(kind).qualified_resource(), kind);
        Ok(Self {
            kinds: kinds.into_iter().map(named).collect(),
            namespace: scope.namespace.clone(),
        })
    }

    /// Returns the kind of a key if the key is in the scope.
    pub(crate) fn kind(&self, key: &Key) -> Option<&'static Kind> {
        // Cluster-scoped objects such as nodes are in the scope of every namespace.
        let elsewhere = key
            .namespace()
            .is_some_and(|own| !self.namespace.is_empty() && own != self.namespace);
        let kind = self.kinds.get(key.resource()).copied();
        kind.filter(|_| !elsewhere)
    }
}

/// Returns a stored object in the version of this kind.
pub(crate) fn read(kind: &'static Kind, stored: &Stored) -> Result<Item, ApiError> {
    let mut object = from_bytes(&stored.json, &[]).map_err(|e| {
        let text = format!("{} cannot be read: {e}", stored.key);
        crate::api::status::Status::bad_request(text)
    })?;
    convert(&mut object, kind);
    Ok(Item { kind, object })
}

fn key(kind: &'static Kind, object: &Value) -> Option<Key> {
    let text = |field: &str| object["metadata"][field].as_str();
    let namespace = text("namespace").filter(|_| kind.namespaced);
    // Keys contain the storage version, which all versions of a kind share.
    let resource = stored_as(kind).qualified_resource();
    Key::new(&resource, namespace, text("name")?).ok()
}

/// Returns the time of the commit that contains a revision.
fn time_of(cluster: &Cluster, revision: Revision) -> Result<Timestamp, ApiError> {
    // Reads only the commit of the revision rather than the history before it.
    let past = HistoryQuery {
        after: revision.saturating_sub(1),
        until: revision,
        ..HistoryQuery::default()
    };
    let commits = cluster.stored().history(&past);
    match commits.ok().and_then(|commits| Some(commits.first()?.time)) {
        Some(time) => Ok(time),
        // The commit of the oldest retained revision is no longer available.
        None => Ok(cluster.now()?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::DeleteOptions;
    use crate::cluster::testing::place;
    use crate::testing::small;

    fn names(snapshot: &Snapshot) -> Vec<String> {
        let pods = snapshot.items().filter(|item| item.kind.kind == "Pod");
        let name = |item: &Item| item.object["metadata"]["name"].as_str().unwrap().to_owned();
        pods.map(name).collect()
    }

    #[test]
    fn snapshot_reads_the_present_and_an_earlier_revision() {
        let cluster = small();
        let scope = Scope::namespace("default");
        let before = Snapshot::read(&cluster, &scope, None).unwrap();
        assert_eq!(names(&before), ["alone", "web-a", "web-b"]);
        let gone = DeleteOptions {
            grace_period: Some(0),
            ..DeleteOptions::default()
        };
        cluster.delete(&place("pods"), "alone", &gone).unwrap();
        assert_eq!(
            names(&Snapshot::read(&cluster, &scope, None).unwrap()),
            ["web-a", "web-b"]
        );
        let again = Snapshot::read(&cluster, &scope, Some(before.revision)).unwrap();
        assert_eq!(names(&again), names(&before));
        let elsewhere = Snapshot::read(
            &cluster,
            &Scope::namespace("kube-system"),
            Some(before.revision),
        );
        assert!(names(&elsewhere.unwrap()).is_empty());
    }
}
