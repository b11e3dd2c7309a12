//! Plans an undo: the requests that revert a command's changes, or the later writes that conflict.

use crate::api::json::{Value, from_bytes};
use crate::cluster::{
    Cluster, DeleteOptions, HistoryQuery, Key, Part, Place, Propagation, Range, Request, Revision,
    StoreError, Verb,
};
use crate::fields::FieldPath;
use crate::kinds::custom::kinds_of;
use crate::kinds::tree::{field, list, text};
use crate::kinds::{Catalogue, Kind, find, shape};
use crate::merge::{renewed, set_back};
use crate::origin::Origin;
use crate::read::{Change, ChangeKind, History};
use crate::words::Names;

/// The rule of the commit that creates the initial objects of a cluster.
const BOOTSTRAP: &str = "bootstrap";

/// The resource of custom resource definitions.
const DEFINITIONS: &str = "customresourcedefinitions.apiextensions.k8s.io";

/// The requests that revert a commit.
///
/// ```
/// use ctl_history::{History, ConflictingWrite, UndoError, Undo, last_user_commit, undo};
///
/// # let cluster = ctl_cluster::testing::in_memory();
/// let history = History::read(&cluster)?;
/// let Some(revision) = last_user_commit(&history) else {
///     return Ok(());
/// };
/// match undo(&cluster, &history, revision) {
///     Ok(Undo { requests, .. }) => drop(cluster.all(&requests)?),
///     Err(UndoError::Conflict(changes)) => {
///         for ConflictingWrite { key, writer, .. } in changes {
///             println!("{writer} changed {key} since");
///         }
///     }
///     Err(UndoError::Nothing(reason)) => println!("{reason}"),
///     Err(UndoError::Failed(error)) => return Err(error),
/// }
/// # Ok::<(), ctl_cluster::StoreError>(())
/// ```
#[derive(Debug)]
pub struct Undo {
    /// The last revision of the commit, which the log shows.
    pub revision: Revision,
    /// The command line to revert, or `hand-edit`.
    pub writer: String,
    /// The keys of the objects, with what happened to each.
    pub actions: Vec<(String, ChangeKind)>,
    /// The requests, without options.
    pub requests: Vec<Request>,
    /// The revisions of the command line's other commits, next to this one, which are not reverted.
    pub others: Vec<Revision>,
}

/// The reason for not reverting a commit.
#[derive(Debug)]
pub enum UndoError {
    /// There is nothing to revert.
    Nothing(String),
    /// Later writes conflict.
    Conflict(Vec<ConflictingWrite>),
    /// The cluster cannot be read.
    Failed(StoreError),
}

/// A later, conflicting write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConflictingWrite {
    /// The revision of the write.
    pub revision: Revision,
    /// The key of the object.
    pub key: String,
    /// The kind of change to the object.
    pub action: ChangeKind,
    /// The command line, the controller, or `hand-edit`.
    pub writer: String,
    /// The fields that both writes changed.
    pub fields: Vec<String>,
}

impl From<StoreError> for UndoError {
    fn from(error: StoreError) -> Self {
        Self::Failed(error)
    }
}

/// A change, with versions of its object.
struct Versions<'h> {
    change: Change<'h>,
    before: Option<Value>,
    after: Option<Value>,
    now: Option<Value>,
}

/// Returns the last revision that a person or a hand edit wrote.
pub fn last_user_commit(history: &History) -> Option<Revision> {
    // A command also writes the initial objects of a cluster, but these must not be undone.
    let by_people = |change: &Change<'_>| is_by_people(change) && change.rule != BOOTSTRAP;
    history.changes().rev().find(by_people).map(|c| c.revision)
}

fn is_by_people(change: &Change<'_>) -> bool {
    matches!(change.origin(), Origin::Person | Origin::File)
}

/// Plans to revert the commit that contains a revision.
///
/// # Errors
/// Returns an error if the commit is not retained, was made by a controller, or conflicts with later writes.
pub fn undo(cluster: &Cluster, history: &History, revision: Revision) -> Result<Undo, UndoError> {
    let all = history.commit_of(revision);
    let Some(first) = all.first().copied() else {
        let text = format!("the history has no commit with revision {revision}");
        return Err(UndoError::Nothing(text));
    };
    if !is_by_people(&first) {
        return Err(UndoError::Nothing(not_by_people(history, &first)));
    }
    if first.rule == BOOTSTRAP {
        let text = format!("revision {revision} created the cluster and cannot be undone");
        return Err(UndoError::Nothing(text));
    }
    let mut changes = versions(cluster, &all)?;
    changes.sort_by_key(Versions::turn);
    let kinds = cluster.kinds()?.with(&restored_kinds(&changes));
    let mut undo = Undo {
        revision: all.last().map_or(revision, |last| last.revision),
        writer: first.writer.to_owned(),
        actions: Vec::new(),
        requests: Vec::new(),
        others: history.same_command(revision),
    };
    // Collects all conflicts; otherwise, resolving the first would only reveal the next one.
    let mut in_the_way = Vec::new();
    for versions in changes {
        // Undoing the change of the other object has this same consequence, which must not happen twice.
        if versions.is_consequence(&all) {
            continue;
        }
        match revert(cluster, history, &kinds, &versions) {
            Ok(Some((action, request))) => {
                undo.actions.push((versions.change.key.to_owned(), action));
                undo.requests.push(request);
            }
            Ok(None) => {}
            Err(UndoError::Conflict(writes)) => in_the_way.extend(writes),
            Err(other) => return Err(other),
        }
    }
    match (in_the_way.is_empty(), undo.requests.is_empty()) {
        (false, _) => Err(UndoError::Conflict(in_the_way)),
        (true, true) => Err(UndoError::Nothing(format!(
            "nothing of revision {revision} is left to revert"
        ))),
        (true, false) => Ok(undo),
    }
}

/// Suggests the command to undo in place of a controller's write, which the controller would repeat.
fn not_by_people(history: &History, change: &Change<'_>) -> String {
    let (revision, writer) = (change.revision, change.writer);
    let text = format!("revision {revision} was written by {writer}, which would repeat the write");
    match history.why_at(revision, change.key).steps.last() {
        Some(origin) if matches!(origin.origin, Origin::Person | Origin::File) => format!(
            "{text}; undo revision {}, which led to it: {}",
            origin.revision, origin.writer
        ),
        _ => text,
    }
}

/// Reads the versions of the object of each change in a commit.
fn versions<'h>(cluster: &Cluster, all: &[Change<'h>]) -> Result<Vec<Versions<'h>>, StoreError> {
    let (Some(first), Some(last)) = (all.first(), all.last()) else {
        return Ok(Vec::new());
    };
    let past = HistoryQuery {
        after: first.revision - 1,
        until: last.revision,
        ..HistoryQuery::default()
    };
    let mut found = Vec::new();
    cluster.stored().visit(&past, &mut |commit| {
        for change in &commit.changes {
            let Some(own) = all
                .iter()
                .find(|own| own.revision == change.revision && own.key == change.key)
            else {
                continue;
            };
            let parsed = |json: &[u8]| from_bytes(json, &[]).unwrap_or_default();
            found.push(Versions {
                change: *own,
                before: change.read_before()?.as_deref().map(parsed),
                after: change.after.map(parsed),
                now: None,
            });
        }
        Ok(true)
    })?;
    for versions in &mut found {
        let key = Key::parse(versions.change.key);
        let key = key.map_err(|e| StoreError::Refused(e.to_string()))?;
        // In the stored form like the other versions, because a conversion would show up as a difference.
        let Some(stored) = cluster.stored().get(&key)? else {
            continue;
        };
        versions.now = from_bytes(&stored.json, &[]).ok();
        // Makes the request fail if another write happens in between.
        if let Some(now) = &mut versions.now {
            now["metadata"]["resourceVersion"] = stored.revision.to_string().into();
        }
    }
    Ok(found)
}

/// Returns the kinds that this undo serves again, whose objects were deleted in the same commit.
fn restored_kinds(changes: &[Versions<'_>]) -> Vec<&'static Kind> {
    let definitions = changes
        .iter()
        .filter(|versions| versions.is_of_definition() && versions.is_deletion());
    let mut restored = Vec::new();
    for versions in definitions {
        let Some(mut definition) = versions.before.clone() else {
            continue;
        };
        if let Some(kind) = find("apiextensions.k8s.io", "v1", "CustomResourceDefinition") {
            shape::normalize(kind, &mut definition);
        }
        // With a deletion timestamp, the definition would accept no new objects.
        if let Some(metadata) = definition["metadata"].as_object_mut() {
            let _ = metadata.remove("deletionTimestamp");
        }
        restored.extend(kinds_of(&definition));
    }
    restored
}

impl Versions<'_> {
    fn is_of_definition(&self) -> bool {
        self.change.key.split('/').next() == Some(DEFINITIONS)
    }

    /// Returns the rank of the request: a definition is created before its objects and deleted after them.
    fn turn(&self) -> u8 {
        match (self.is_of_definition(), self.is_deletion()) {
            (true, true) => 0,
            (false, _) => 1,
            (true, false) => 2,
        }
    }

    /// Returns true if another change in the commit made the cluster write this one: the allocated IP address or the
    /// Endpoints of a Service, or the usage of a quota.
    fn is_consequence(&self, all: &[Change<'_>]) -> bool {
        let Some(some) = self.before.as_ref().or(self.after.as_ref()) else {
            return false;
        };
        match self.change.key.split('/').next() {
            Some("ipaddresses.networking.k8s.io") => {
                let parent = field(field(some, "spec"), "parentRef");
                let [resource, namespace, name] =
                    ["resource", "namespace", "name"].map(|name| text(parent, name));
                let parent = format!("{resource}/{namespace}/{name}");
                all.iter().any(|other| other.key == parent)
            }
            // The controller writes its Endpoints again. Those of a user come back with the Service.
            Some("endpoints") if self.is_deletion() => {
                let labels = field(field(some, "metadata"), "labels");
                let service = self.change.key.replacen("endpoints", "services", 1);
                text(labels, "endpoints.kubernetes.io/managed-by") == "endpoint-controller"
                    && all.iter().any(|other| other.key == service)
            }
            Some("resourcequotas") if all.len() > 1 => {
                let spec = |object: Option<&Value>| object.map(|object| object["spec"].clone());
                self.change.action == ChangeKind::Updated
                    && spec(self.before.as_ref()) == spec(self.after.as_ref())
            }
            _ => false,
        }
    }

    /// Returns true if the change deletes the object. A graceful deletion starts with an update.
    fn is_deletion(&self) -> bool {
        self.change.action == ChangeKind::Deleted || (ends(&self.after) && !ends(&self.before))
    }
}

fn ends(object: &Option<Value>) -> bool {
    let metadata = object.as_ref().map(|object| field(object, "metadata"));
    metadata.is_some_and(|metadata| !text(metadata, "deletionTimestamp").is_empty())
}

/// Returns the request that reverts a change, `None` if nothing is left to revert, or the conflicting writes.
fn revert(
    cluster: &Cluster,
    history: &History,
    kinds: &Catalogue,
    versions: &Versions<'_>,
) -> Result<Option<(ChangeKind, Request)>, UndoError> {
    let change = &versions.change;
    let some = versions.before.as_ref().or(versions.after.as_ref());
    let Some((place, name)) = some.and_then(|object| place_of(kinds, object)) else {
        let text = format!("{} is of a kind that is no longer served", change.key);
        return Err(UndoError::Nothing(text));
    };
    if versions.is_deletion() {
        return match (&versions.before, &versions.now) {
            (Some(before), None) => Ok(Some((
                ChangeKind::Created,
                Request::create(place, renewed(before)),
            ))),
            (_, Some(_)) if ends(&versions.now) => Err(UndoError::Nothing(still_there(
                kinds,
                change,
                versions.now.as_ref(),
            ))),
            (_, Some(_)) => Err(UndoError::Conflict(later_writes(history, change))),
            (None, None) => Ok(None),
        };
    }
    match (&versions.before, &versions.now) {
        // The created object has been deleted since.
        (None, None) => Ok(None),
        (Some(_), None) => Err(UndoError::Conflict(later_writes(history, change))),
        (None, Some(now)) => match later_writes(history, change) {
            later if later.is_empty() => {
                Ok(Some((ChangeKind::Deleted, deletion(place, name, now))))
            }
            later => Err(UndoError::Conflict(later)),
        },
        (Some(before), Some(now)) => {
            let after = versions.after.as_ref().unwrap_or(&Value::Null);
            let merged = set_back(now, before, after);
            let merged = match merged {
                Ok(merged) => merged,
                Err(fields) => {
                    let writes = clash(cluster, history, change, &fields)?;
                    return Err(UndoError::Conflict(writes));
                }
            };
            // An update of the main resource ignores the status, and an update of the status ignores everything else.
            let part = match merged["spec"] == now["spec"] && merged["status"] != now["status"] {
                true => Part::Status,
                false => Part::Whole,
            };
            let is_same = merged == *now;
            let request = Request::new(place, name, Verb::Update(part, merged));
            Ok((!is_same).then_some((ChangeKind::Updated, request)))
        }
    }
}

/// Explains why an object whose deletion has begun still exists.
fn still_there(kinds: &Catalogue, change: &Change<'_>, now: Option<&Value>) -> String {
    let namespace = change.key.split('/').nth(1).unwrap_or_default();
    let shown = Names::new(kinds, namespace).object(change.key);
    let metadata = now.map(|now| field(now, "metadata"));
    let finalizers = metadata.map_or(&[][..], |metadata| list(metadata, "finalizers"));
    let finalizers: Vec<&str> = finalizers.iter().filter_map(Value::as_str).collect();
    match finalizers.is_empty() {
        true => format!("{shown} is still being deleted: run `ctl settle` first"),
        false => format!(
            "{shown} is still being deleted: it waits for {}",
            finalizers.join(", ")
        ),
    }
}

/// Returns the deletion of an object that a commit created. It fails for another object of the same name.
fn deletion(place: Place, name: String, now: &Value) -> Request {
    let options = DeleteOptions {
        uid: Some(text(field(now, "metadata"), "uid").to_owned()),
        propagation: Some(Propagation::Background),
        ..DeleteOptions::default()
    };
    Request::new(place, name, Verb::Delete(Box::new(options)))
}

/// Returns the later, conflicting writes to an object.
fn later_writes(history: &History, change: &Change<'_>) -> Vec<ConflictingWrite> {
    let is_later = |other: &Change<'_>| {
        // Controllers update the status of every object, which is not a conflict.
        other.revision > change.revision
            && other.key == change.key
            && (is_by_people(other) || other.action != ChangeKind::Updated)
    };
    let later = history.changes().filter(is_later);
    later.map(|other| in_the_way(&other, &[])).collect()
}

/// Returns the later writes to an object that changed the same fields: those of people, or else the last one of a
/// controller.
fn clash(
    cluster: &Cluster,
    history: &History,
    change: &Change<'_>,
    fields: &[String],
) -> Result<Vec<ConflictingWrite>, StoreError> {
    let paths: Vec<(&String, FieldPath)> = fields
        .iter()
        .filter_map(|field| Some((field, field.parse().ok()?)))
        .collect();
    let past = HistoryQuery {
        after: change.revision,
        range: Range::prefix(change.key),
        ..HistoryQuery::default()
    };
    let mut found = Vec::new();
    cluster.stored().visit(&past, &mut |commit| {
        for other in commit.changes.iter().filter(|c| c.key == change.key) {
            let parsed = |json: &[u8]| from_bytes(json, &[]).unwrap_or_default();
            let before = other.read_before()?.as_deref().map(parsed);
            let after = other.after.map(parsed);
            let is_changed = |named: &&(&String, FieldPath)| {
                let value = |object: Option<&Value>| named.1.find(object?).cloned();
                value(before.as_ref()) != value(after.as_ref())
            };
            let changed = paths.iter().filter(is_changed);
            let changed: Vec<String> = changed.map(|(field, _)| (*field).clone()).collect();
            let own = history.at_key(other.revision, change.key);
            if let (Some(own), false) = (own, changed.is_empty()) {
                found.push((is_by_people(&own), in_the_way(&own, &changed)));
            }
        }
        Ok(true)
    })?;
    // Controllers react to the writes of people, so these are the ones that the user can undo first.
    let last = found.last().map(|(_, write)| write.clone());
    let people: Vec<ConflictingWrite> = found
        .into_iter()
        .filter_map(|(is_by_people, write)| is_by_people.then_some(write))
        .collect();
    Ok(match people.is_empty() {
        true => last.into_iter().collect(),
        false => people,
    })
}

fn in_the_way(change: &Change<'_>, fields: &[String]) -> ConflictingWrite {
    ConflictingWrite {
        revision: change.revision,
        key: change.key.to_owned(),
        action: change.action,
        writer: change.writer.to_owned(),
        fields: fields.to_vec(),
    }
}

/// Returns the place and name of an object.
fn place_of(kinds: &Catalogue, object: &Value) -> Option<(Place, String)> {
    let kind = kinds.find_by_api_version(text(object, "apiVersion"), text(object, "kind"))?;
    let metadata = field(object, "metadata");
    let place = Place::new(kind, text(metadata, "namespace"));
    Some((place, text(metadata, "name").to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::cluster::testing::{in_memory, with_shared_revisions};
    use crate::cluster::{Expect, RawOp};

    fn op(name: &str, value: Option<&str>) -> RawOp {
        let object = |value| {
            json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"v": value},
                "metadata": {"name": name, "namespace": "default", "uid": format!("uid-{name}")}})
        };
        RawOp {
            key: Key::new("configmaps", Some("default"), name).unwrap(),
            object: value.map(object),
            expect: Expect::Any,
        }
    }

    #[test]
    fn undo_reverts_every_object_of_a_commit() {
        for cluster in [in_memory(), with_shared_revisions()] {
            let commit = |ops: &[RawOp]| cluster.stored().commit(ops, None, "test").unwrap();
            commit(&[op("a", Some("1")), op("b", Some("1"))]);
            let last = [op("a", Some("2")), op("b", None), op("c", Some("1"))];
            let revision = commit(&last)[2].unwrap();
            let history = History::read(&cluster).unwrap();
            let keys: Vec<&str> = history.commit_of(revision).iter().map(|c| c.key).collect();
            let [a, b, c] = ["a", "b", "c"].map(|name| format!("configmaps/default/{name}"));
            assert_eq!(keys, [&a, &b, &c]);
            let undo = undo(&cluster, &history, revision).unwrap();
            let actions = [
                (a, ChangeKind::Updated),
                (b, ChangeKind::Created),
                (c, ChangeKind::Deleted),
            ];
            assert_eq!(undo.actions, actions);
        }
    }

    #[test]
    fn undo_leaves_managed_endpoints_to_their_controller() {
        let cluster = in_memory();
        let ops = |exist: bool| {
            let op = |kind: &str, resource: &str, name: &str, labels: Value| {
                let object = json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": name,
                    "namespace": "default", "uid": format!("{kind}-{name}"), "labels": labels}});
                RawOp {
                    key: Key::new(resource, Some("default"), name).unwrap(),
                    object: exist.then_some(object),
                    expect: Expect::Any,
                }
            };
            let managed = json!({"endpoints.kubernetes.io/managed-by": "endpoint-controller"});
            [
                op("Service", "services", "a", json!({})),
                op("Endpoints", "endpoints", "a", managed),
                op("Service", "services", "b", json!({})),
                op("Endpoints", "endpoints", "b", json!({})),
            ]
        };
        let commit = |exist| cluster.stored().commit(&ops(exist), None, "test").unwrap();
        commit(true);
        let revision = commit(false)[0].unwrap();
        let history = History::read(&cluster).unwrap();
        let undo = undo(&cluster, &history, revision).unwrap();
        let mut keys: Vec<&str> = undo.actions.iter().map(|(key, _)| key.as_str()).collect();
        keys.sort_unstable();
        let wanted = [
            "endpoints/default/b",
            "services/default/a",
            "services/default/b",
        ];
        assert_eq!(keys, wanted);
    }
}
