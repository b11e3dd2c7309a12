//! Records the changes of a live cluster, one commit each.

use super::{Incoming, read_one, rebuild_owners};
use crate::admin::raw::StoredObjects;
use crate::api::json::Value;
use crate::entry::only_administrator;
use crate::objects::{self, meta};
use crate::request::Place;
use crate::request::response::ApiError;
use crate::store::{Batch, Cause, Expect, Key, Op};

/// The rule of recorded commits.
const RULE: &str = "recorded";

/// The author of a change without a field owner.
const UNKNOWN: &str = "live-cluster";

/// A change of an object in a live cluster.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_cluster::LiveChange;
///
/// let added = LiveChange::changed(json!({
///     "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "shop", "uid": "u-1"},
/// }));
/// let deleted = LiveChange::deleted("v1", "ConfigMap", "shop", "c");
/// assert_ne!(added, deleted);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LiveChange {
    object: Value,
    is_deletion: bool,
}

impl LiveChange {
    /// Creates a change that added or modified an object; `object` is its current state.
    pub fn changed(object: Value) -> Self {
        Self {
            object,
            is_deletion: false,
        }
    }

    /// Creates a change that deleted an object. The namespace is empty for a cluster-scoped object.
    pub fn deleted(api_version: &str, kind: &str, namespace: &str, name: &str) -> Self {
        let object = crate::api::json::json!({
            "apiVersion": api_version, "kind": kind,
            "metadata": {"namespace": namespace, "name": name},
        });
        Self {
            object,
            is_deletion: true,
        }
    }
}

impl StoredObjects<'_> {
    /// Writes a change of a live cluster unchanged: without defaults, admission and checks. Returns false if the
    /// cluster has that state already, and the reason if the object cannot be stored. The writer of the commit is the
    /// last manager of the object.
    ///
    /// # Errors
    /// Fails if nothing can be written.
    pub fn record(&self, change: LiveChange) -> Result<Result<bool, String>, ApiError> {
        only_administrator(&self.0.context)?;
        let kinds = self.0.kinds()?;
        let object = change.object;
        let text = |field: &str| object[field].as_str().unwrap_or_default();
        let (version, kind) = (text("apiVersion"), text("kind"));
        let name = meta(&object, "name");
        let Some(found) = kinds.find_by_api_version(version, kind) else {
            let why = format!("no matches for kind {kind:?} in version {version:?}");
            return Ok(Err(format!("{kind}/{name}: {why}")));
        };
        if change.is_deletion {
            let place = Place::new(found, meta(&object, "namespace"));
            return match objects::key(&place, name) {
                Ok(key) => self
                    .recorded(&Cause::new(UNKNOWN, RULE), &key, None)
                    .map(Ok),
                Err(why) => Ok(Err(format!("{kind}/{name}: {why}"))),
            };
        }
        let mut incoming = match read_one(found, object.clone()) {
            Ok((incoming, _)) => incoming,
            Err(why) => return Ok(Err(format!("{kind}/{name}: {why}"))),
        };
        let cause = Cause::new(author(&incoming.object).unwrap_or(UNKNOWN), RULE);
        if !incoming.object["metadata"]["managedFields"].is_array() {
            rebuild_owners(incoming.kind, &mut incoming.object);
        }
        let Incoming { kind, key, object } = &incoming;
        let bytes = objects::bytes(kind, object);
        self.recorded(&cause, key, Some(bytes)).map(Ok)
    }

    /// Commits the new content of an object, or its deletion; returns false if it is so already.
    fn recorded(&self, cause: &Cause, key: &Key, bytes: Option<Vec<u8>>) -> Result<bool, ApiError> {
        let mut changes = false;
        self.0.context.store.transact(cause, &mut |view| {
            let old = view.get(key)?;
            let op = match (&bytes, old) {
                (None, None) => None,
                (None, Some(_)) => Some(Op::delete(key.clone(), Expect::Any)),
                // Bookmarks and repeated lists contain unchanged objects.
                (Some(new), Some(old)) if *old.json == **new => None,
                (Some(new), _) => Some(Op::put(key.clone(), new.clone(), Expect::Any)),
            };
            changes = op.is_some();
            Ok(op.map(|op| Batch::new(vec![op])))
        })?;
        Ok(changes)
    }
}

/// Returns the manager that changed an object last.
fn author(object: &Value) -> Option<&str> {
    let managers = object["metadata"]["managedFields"].as_array()?;
    let latest = managers.iter().max_by_key(|m| m["time"].as_str())?;
    latest["manager"].as_str().filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::store::{HistoryQuery, Range};
    use crate::testing::in_memory;

    fn pod(phase: &str, manager: &str) -> LiveChange {
        LiveChange::changed(json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {
                "name": "p", "namespace": "default", "uid": "u-1", "resourceVersion": "77",
                "creationTimestamp": "2025-05-05T05:05:05Z",
                "managedFields": [
                    {"manager": "first", "operation": "Update", "time": "2025-05-05T05:05:05Z"},
                    {"manager": manager, "operation": "Update", "time": "2025-05-05T05:05:06Z"},
                ],
            },
            "spec": {"containers": [{"name": "c", "image": "i"}]},
            "status": {"phase": phase},
        }))
    }

    #[test]
    fn each_change_is_a_commit_of_the_manager_that_made_it() {
        let cluster = in_memory();
        let stored = cluster.stored();
        let before = stored.revision().unwrap();
        for (change, writes) in [
            (pod("Pending", "kube-scheduler"), true),
            (pod("Running", "kubelet"), true),
            (pod("Running", "kubelet"), false),
            (LiveChange::deleted("v1", "Pod", "default", "p"), true),
            (LiveChange::deleted("v1", "Pod", "default", "p"), false),
        ] {
            assert_eq!(stored.record(change).unwrap(), Ok(writes));
        }
        let past = HistoryQuery {
            after: before,
            ..HistoryQuery::default()
        };
        let changes = stored.history(&past).unwrap();
        let writers: Vec<_> = changes.iter().map(|c| c.cause.writer.as_str()).collect();
        assert_eq!(writers, ["kube-scheduler", "kubelet", UNKNOWN]);
        let left = stored.list(&Range::resource("pods", None), None).unwrap();
        assert_eq!(left.items.len(), 0);
    }

    #[test]
    fn recreated_object_is_replaced_and_unknown_kind_rejected() {
        let cluster = in_memory();
        let stored = cluster.stored();
        let map = |uid: &str| {
            LiveChange::changed(json!({
                "apiVersion": "v1", "kind": "ConfigMap",
                "metadata": {"name": "c", "namespace": "default", "uid": uid},
            }))
        };
        assert_eq!(stored.record(map("u-1")).unwrap(), Ok(true));
        assert_eq!(stored.record(map("u-2")).unwrap(), Ok(true));
        let strange = LiveChange::deleted("y.io/v1", "Other", "", "o");
        let why = "Other/o: no matches for kind \"Other\" in version \"y.io/v1\"";
        assert_eq!(stored.record(strange).unwrap(), Err(why.to_owned()));
    }
}
