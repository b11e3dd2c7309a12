//! Objects as they were when a container started: a running process keeps its variables, and a file that is mounted by
//! `subPath` keeps its content.

use std::cell::OnceCell;

use crate::api::json::{Value, from_bytes};
use crate::cluster::{Cluster, HistoryQuery, Key, Revision, StoreError};
use crate::container_status;
use crate::kinds::tree::{field, text};

/// The start of a container's current run.
pub(super) struct Start<'c> {
    cluster: &'c Cluster,
    pod: &'c Value,
    container: &'c str,
    revision: OnceCell<Option<Revision>>,
}

impl<'c> Start<'c> {
    pub(super) fn new(cluster: &'c Cluster, pod: &'c Value, container: &'c str) -> Self {
        Self {
            cluster,
            pod,
            container,
            revision: OnceCell::new(),
        }
    }

    /// Returns an object as it was at the start; `current` is the object now. If the history has forgotten the start,
    /// the object has not changed for long.
    pub(super) fn object(
        &self,
        resource: &str,
        namespace: &str,
        name: &str,
        current: Option<Value>,
    ) -> Option<Value> {
        let Ok(key) = Key::new(resource, Some(namespace), name) else {
            return current;
        };
        let start = self.revision.get_or_init(|| self.find().ok().flatten());
        let before = start.map(|start| self.before(key, start));
        match before {
            Some(Ok(Some(before))) => before,
            _ => current,
        }
    }

    /// Returns the revision of the status that reported the start.
    fn find(&self) -> Result<Option<Revision>, StoreError> {
        let id = |pod: &Value| {
            let status = container_status::find(pod, self.container);
            text(status.unwrap_or(&Value::Null), "containerID").to_owned()
        };
        let own = id(self.pod);
        let metadata = field(self.pod, "metadata");
        let (namespace, name) = (text(metadata, "namespace"), text(metadata, "name"));
        let (Ok(key), false) = (Key::new("pods", Some(namespace), name), own.is_empty()) else {
            return Ok(None);
        };
        let mut found = None;
        let past = self.changes(key, self.cluster.stored().oldest()?);
        self.cluster.stored().visit_back(&past, &mut |commit| {
            for change in commit.changes.iter().rev() {
                if change.after.is_none_or(|json| id(&parsed(json)) != own) {
                    return Ok(false);
                }
                found = Some(change.revision);
            }
            Ok(true)
        })?;
        Ok(found)
    }

    /// Returns an object before its first change after a revision, or `None` if it has not changed since.
    fn before(&self, key: Key, start: Revision) -> Result<Option<Option<Value>>, StoreError> {
        let mut before = None;
        let past = self.changes(key, start);
        self.cluster.stored().visit_back(&past, &mut |commit| {
            for change in commit.changes.iter().rev() {
                let is_oldest = change.before().is_some_and(|at| at <= start);
                before = Some(match is_oldest {
                    true => change.read_before()?.as_deref().map(parsed),
                    // Created after the start.
                    false => None,
                });
            }
            Ok(true)
        })?;
        Ok(before)
    }

    fn changes(&self, key: Key, after: Revision) -> HistoryQuery {
        HistoryQuery {
            after,
            object: Some(key),
            ..HistoryQuery::default()
        }
    }
}

fn parsed(json: &[u8]) -> Value {
    from_bytes(json, &[]).unwrap_or_default()
}
