//! Imports objects of another cluster with their identity: uids, creation times, owners, status and field owners.

mod record;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use super::raw::StoredObjects;
use crate::api::json::{Value, json};
use crate::cluster::Cluster;
use crate::entry::only_administrator;
use crate::hand_edit::KubernetesAdmit;
use crate::kinds::pod::qos;
use crate::kinds::{Catalogue, Kind, find_by_api_version, find_resource, shape};
use crate::objects::{self, meta};
use crate::request::Place;
use crate::request::response::ApiError;
use crate::rules::managed::rebuild_owners;
use crate::store::{
    Admit as _, Batch, Cause, Expect, HandEdit, Intent, Key, MAX_BATCH, Op, Range, Revision,
    Splits, View,
};
use crate::sys::threads::{WORTH_A_THREAD, locked, map};
pub use record::LiveChange;

/// The objects in one commit: a batch of more than 5,000 is rejected.
const MOST_OBJECTS: usize = 2000;

/// The objects that are prepared before their bytes are counted. Those that do not fit are prepared again.
const TOGETHER: usize = 250;

/// The outcome of an import.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_cluster::{DroppedOwner, Import};
///
/// # let cluster = ctl_cluster::Cluster::in_memory(
/// #     &ctl_cluster::Open::as_writer("example"),
/// #     ctl_cluster::Settings::new(ctl_sys::entropy::Seed(1)),
/// # );
/// # cluster.bootstrap()?;
/// // Objects of another cluster keep their status; an owner that did not come along is dropped.
/// let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "namespace": "default",
///     "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "gone", "uid": "9"}]},
///     "spec": {"containers": [{"name": "c", "image": "nginx"}]}, "status": {"phase": "Running"}});
/// let Import { dropped, refused, .. } = cluster.stored().import(vec![pod])?;
/// assert!(refused.is_empty(), "{refused:?}");
/// let lost: &DroppedOwner = &dropped[0];
/// assert!(lost.owner.contains("gone"), "{}", lost.owner);
/// # Ok::<(), ctl_cluster::ApiError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Import {
    /// The number of objects of each kind that were written, by `RESOURCE.GROUP`.
    pub written: BTreeMap<String, usize>,
    /// Existing objects with another uid, which are kept.
    pub kept: Vec<String>,
    /// Owner references that were dropped because their owner is neither imported nor in the cluster. The garbage
    /// collector would delete their objects.
    pub dropped: Vec<DroppedOwner>,
    /// Nodes of Pods that were not imported. Fake nodes replace them.
    pub nodes: Vec<String>,
    /// Namespaces that were created because objects are in them.
    pub namespaces: Vec<String>,
    /// Objects that cannot be stored, each with the reason.
    pub refused: Vec<(String, String)>,
    /// Fields that this version does not support, as `RESOURCE/NAME in namespace NAMESPACE: field`.
    pub unknown_fields: Vec<String>,
    /// The revision after the import.
    pub revision: Revision,
}

impl Import {
    fn count(&mut self, kind: &Kind) {
        *self.written.entry(kind.qualified_resource()).or_default() += 1;
    }
}

/// An owner reference that an import dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DroppedOwner {
    /// The object, as `RESOURCE/NAME`, with ` in namespace NAMESPACE` if it is in one.
    pub object: String,
    /// The missing owner, as `KIND/NAME`.
    pub owner: String,
}

/// An object as it was read.
struct Incoming {
    kind: &'static Kind,
    key: Key,
    object: Value,
}

impl Incoming {
    fn label(&self) -> String {
        label(self.kind, &self.object)
    }

    fn uid(&self) -> &str {
        meta(&self.object, "uid")
    }
}

/// The import of one object.
#[derive(Default)]
struct Step {
    /// The operation that writes it, if that is needed and possible.
    op: Option<Op>,
    is_written: bool,
    /// True if another object has its name, which is kept.
    is_kept: bool,
    /// The reason why it cannot be stored.
    refused: Option<String>,
    dropped: Vec<DroppedOwner>,
}

impl Step {
    fn write(&mut self, op: Op) {
        (self.op, self.is_written) = (Some(op), true);
    }

    fn bytes(&self) -> usize {
        let json = self.op.as_ref().and_then(|op| op.json.as_ref());
        json.map_or(0, |json| json.len())
    }

    fn report(self, incoming: &Incoming, report: &mut Import) {
        if self.is_written {
            report.count(incoming.kind);
        }
        if self.is_kept {
            report.kept.push(incoming.label());
        }
        let refused = self.refused.map(|reason| (incoming.label(), reason));
        report.refused.extend(refused);
        report.dropped.extend(self.dropped);
    }
}

/// The number of stored objects, and the callback for progress.
struct Count<'t> {
    done: usize,
    tell: &'t mut dyn FnMut(usize),
}

impl StoredObjects<'_> {
    /// Writes objects of another cluster unchanged: with uids, owners, status and times. A cluster without objects also
    /// gets those of a fresh cluster, unless the import contains them. Repeating an interrupted import completes it.
    ///
    /// # Errors
    /// Fails if nothing can be written. An object that cannot be stored does not stop the others.
    pub fn import(&self, objects: Vec<Value>) -> Result<Import, ApiError> {
        self.import_with_progress(objects, &mut |_| {})
    }

    /// Imports objects as [`Self::import`] does, and calls a function after each commit with the number of objects that
    /// are done.
    ///
    /// # Errors
    /// Fails as [`Self::import`] does.
    pub fn import_with_progress(
        &self,
        objects: Vec<Value>,
        tell: &mut dyn FnMut(usize),
    ) -> Result<Import, ApiError> {
        let mut count = Count { done: 0, tell };
        only_administrator(&self.0.context)?;
        let mut report = Import::default();
        let mut needed = ReferencedNames::default();
        // First and by themselves: the kinds of the other objects are known only when they are stored.
        let (definitions, others): (Vec<Value>, Vec<Value>) =
            objects.into_iter().partition(is_definition);
        let (known, new) = others.into_iter().partition(|o| !meta(o, "uid").is_empty());
        for part in [definitions, known] {
            let kinds = self.0.kinds()?;
            let incoming = read(part, &kinds, &mut report);
            incoming.iter().for_each(|i| needed.note(i));
            self.write(incoming, &kinds, &mut report, &mut count)?;
        }
        self.complete(&needed, &mut report)?;
        // Last: objects without a uid are created by requests, so their namespaces must exist.
        let kinds = self.0.kinds()?;
        let incoming = read(new, &kinds, &mut report);
        self.write(incoming, &kinds, &mut report, &mut count)?;
        report.revision = self.revision()?;
        Ok(report)
    }

    fn write(
        &self,
        mut incoming: Vec<Incoming>,
        kinds: &Catalogue,
        report: &mut Import,
        count: &mut Count<'_>,
    ) -> Result<(), ApiError> {
        // A dump of all types contains objects that are served in two groups, such as Events, twice.
        let mut seen = BTreeSet::new();
        incoming.retain(|i| seen.insert(i.key.clone()));
        // Owners before their dependents, because a garbage collector may run between two commits.
        incoming.sort_by_cached_key(|i| usize::from(!owners(&i.object).is_empty()));
        let mut uids = BTreeSet::new();
        for one in &incoming {
            // An object whose name another one has is not imported, so its dependents would have no owner.
            let old = self.0.context.store.get(&one.key)?;
            let old = old.as_ref().map(objects::shown).transpose()?;
            if old.is_none_or(|old| meta(&old, "uid") == one.uid()) {
                uids.insert(one.uid().to_owned());
            }
        }
        let mut rest = incoming.as_slice();
        while !rest.is_empty() {
            let done = self.commit_import(rest, ImportScope { uids: &uids, kinds }, report)?;
            count.done += done;
            (count.tell)(count.done);
            rest = &rest[done..];
        }
        Ok(())
    }

    /// Commits the first of these objects, as many as one commit may have; returns their number.
    fn commit_import(
        &self,
        rest: &[Incoming],
        known: ImportScope<'_>,
        report: &mut Import,
    ) -> Result<usize, ApiError> {
        let cluster = self.0;
        let cause = Cause::new(cluster.context.writer.clone(), "import");
        let mut done: Vec<Step> = Vec::new();
        cluster.context.store.transact(&cause, &mut |view| {
            // The transaction may run again after a conflict.
            done.clear();
            let ops = steps(cluster, view, rest, known, &mut done)?;
            Ok((!ops.is_empty()).then(|| Batch {
                splits: Splits::InOrder,
                ..Batch::new(ops)
            }))
        })?;
        let count = done.len();
        for (incoming, step) in rest.iter().zip(done) {
            step.report(incoming, report);
        }
        Ok(count)
    }

    /// Creates missing requirements of the imported objects: namespaces, nodes, and the objects of a fresh cluster.
    fn complete(&self, needed: &ReferencedNames, report: &mut Import) -> Result<(), ApiError> {
        let cluster = self.0;
        let cause = Cause::new(cluster.context.writer.clone(), "import");
        let mut failure = None;
        cluster.context.store.transact(&cause, &mut |view| {
            (report.namespaces, report.nodes) = (Vec::new(), Vec::new());
            match missing(cluster, view, needed, report) {
                Ok(ops) => Ok((!ops.is_empty()).then(|| Batch {
                    splits: Splits::InOrder,
                    ..Batch::new(ops)
                })),
                Err(e) => {
                    failure = Some(e);
                    Ok(None)
                }
            }
        })?;
        failure.map_or(Ok(()), Err)
    }
}

/// Names that imported objects refer to.
#[derive(Default)]
struct ReferencedNames {
    namespaces: BTreeSet<String>,
    nodes: BTreeSet<String>,
}

impl ReferencedNames {
    fn note(&mut self, incoming: &Incoming) {
        let namespace = incoming.key.namespace().map(str::to_owned);
        self.namespaces.extend(namespace);
        let object = &incoming.object;
        let ended = ["Succeeded", "Failed"]
            .iter()
            .any(|phase| object["status"]["phase"] == *phase);
        if incoming.kind.is_pod()
            && !ended
            && let Some(node) = object["spec"]["nodeName"]
                .as_str()
                .filter(|n| !n.is_empty())
        {
            self.nodes.insert(node.to_owned());
        }
    }
}

fn is_definition(object: &Value) -> bool {
    // Among the built-in kinds: those of the cluster are only known after the definitions are stored.
    let text = |field: &str| object[field].as_str().unwrap_or_default();
    let kind = find_by_api_version(text("apiVersion"), text("kind"));
    kind.is_some_and(Kind::defines_kinds)
}

/// The objects that an import brings, and the kinds of the cluster.
#[derive(Clone, Copy)]
struct ImportScope<'a> {
    uids: &'a BTreeSet<String>,
    kinds: &'a Catalogue,
}

/// Reads objects of any version; adds their errors to the report.
fn read(objects: Vec<Value>, kinds: &Catalogue, report: &mut Import) -> Vec<Incoming> {
    // Each is taken out by the thread that reads it: a copy would take as long as the reading.
    let objects: Vec<Mutex<Value>> = objects.into_iter().map(Mutex::new).collect();
    let read = map(&objects, WORTH_A_THREAD, &|_, object| {
        read_any(locked(object).take(), kinds)
    });
    let mut incoming = Vec::with_capacity(objects.len());
    for one in read {
        match one {
            Ok((one, unknown)) => {
                let label = one.label();
                let fields = unknown.iter().map(|field| format!("{label}: {field}"));
                report.unknown_fields.extend(fields);
                incoming.push(one);
            }
            Err(refused) => report.refused.push(refused),
        }
    }
    incoming
}

/// Reads an object of any kind; returns it with its unknown fields, or its name with the reason why it cannot be stored.
fn read_any(object: Value, kinds: &Catalogue) -> Result<(Incoming, Vec<String>), (String, String)> {
    let text = |field: &str| object[field].as_str().unwrap_or_default();
    let (version, kind) = (text("apiVersion"), text("kind"));
    let Some(kind) = kinds.find_by_api_version(version, kind) else {
        let reason = format!("no matches for kind {kind:?} in version {version:?}");
        let name = meta(&object, "name");
        return Err((format!("{kind}/{name}"), reason));
    };
    let name = label(kind, &object);
    read_one(kind, object).map_err(|e| (name, e.to_string()))
}

fn read_one(kind: &'static Kind, object: Value) -> Result<(Incoming, Vec<String>), ApiError> {
    let decoded = shape::read_own(kind, object)?;
    let place = Place::new(kind, meta(&decoded.object, "namespace"));
    let key = objects::key(&place, meta(&decoded.object, "name"))?;
    let incoming = Incoming {
        kind,
        key,
        object: decoded.object,
    };
    Ok((incoming, decoded.unknown))
}

/// Prepares the first of these objects, as many as one commit may have, and returns the operations.
fn steps(
    cluster: &Cluster,
    view: &(dyn View + Sync),
    rest: &[Incoming],
    known: ImportScope<'_>,
    done: &mut Vec<Step>,
) -> crate::cluster::Result<Vec<Op>> {
    let (mut ops, mut bytes) = (Vec::new(), 0);
    let most = &rest[..rest.len().min(MOST_OBJECTS)];
    for part in most.chunks(TOGETHER) {
        let prepare = |_: usize, incoming: &Incoming| step(cluster, view, incoming, known);
        for step in map(part, WORTH_A_THREAD, &prepare) {
            let mut step = step?;
            bytes += step.bytes();
            if bytes > MAX_BATCH && !done.is_empty() {
                return Ok(ops);
            }
            ops.extend(step.op.take());
            done.push(step);
        }
    }
    Ok(ops)
}

/// Prepares the import of one object.
fn step(
    cluster: &Cluster,
    view: &dyn View,
    incoming: &Incoming,
    known: ImportScope<'_>,
) -> crate::cluster::Result<Step> {
    let mut step = Step::default();
    let mut object = incoming.object.clone();
    drop_missing_owners(view, incoming, &mut object, known, &mut step)?;
    put(cluster, view, incoming, object, &mut step)?;
    Ok(step)
}

/// Drops the owner references that lead nowhere.
fn drop_missing_owners(
    view: &dyn View,
    incoming: &Incoming,
    object: &mut Value,
    known: ImportScope<'_>,
    step: &mut Step,
) -> crate::cluster::Result<()> {
    let mut kept = Vec::new();
    let references = owners(&incoming.object);
    for reference in references {
        let uid = reference["uid"].as_str().unwrap_or_default();
        if known.uids.contains(uid) || exists(view, incoming, reference, known.kinds)? {
            kept.push(reference.clone());
            continue;
        }
        let text = |field: &str| reference[field].as_str().unwrap_or_default();
        step.dropped.push(DroppedOwner {
            object: incoming.label(),
            owner: format!("{}/{}", text("kind"), text("name")),
        });
    }
    if kept.len() == references.len() {
        return Ok(());
    }
    if let Some(metadata) = object["metadata"].as_object_mut() {
        match kept.is_empty() {
            true => drop(metadata.remove("ownerReferences")),
            false => drop(metadata.insert("ownerReferences", kept.into())),
        }
    }
    Ok(())
}

/// Returns true if the cluster has the owner of a reference, with its uid.
fn exists(
    view: &dyn View,
    dependent: &Incoming,
    reference: &Value,
    kinds: &Catalogue,
) -> crate::cluster::Result<bool> {
    let text = |field: &str| reference[field].as_str().unwrap_or_default();
    let Some(kind) = kinds.find_by_api_version(text("apiVersion"), text("kind")) else {
        return Ok(false);
    };
    let place = Place::new(kind, meta(&dependent.object, "namespace"));
    let Ok(key) = objects::key(&place, text("name")) else {
        return Ok(false);
    };
    let Some(stored) = view.get(&key)? else {
        return Ok(false);
    };
    Ok(meta(&objects::shown(&stored)?, "uid") == text("uid"))
}

fn owners(object: &Value) -> &[Value] {
    let owners = object["metadata"]["ownerReferences"].as_array();
    owners.map_or(&[], |list| list)
}

/// Writes an object, unless another one has its name.
fn put(
    cluster: &Cluster,
    view: &dyn View,
    incoming: &Incoming,
    mut object: Value,
    step: &mut Step,
) -> crate::cluster::Result<()> {
    let old = view.get(&incoming.key)?;
    let shown = old.as_ref().map(objects::shown).transpose()?;
    if let Some(shown) = &shown {
        if meta(shown, "uid") != incoming.uid() {
            step.is_kept = true;
            return Ok(());
        }
        let owners = &shown["metadata"]["managedFields"];
        let metadata = &mut object["metadata"];
        if owners.is_array() && !metadata["managedFields"].is_array() {
            metadata["managedFields"] = owners.clone();
        }
    }
    if incoming.uid().is_empty() {
        make(cluster, view, incoming, object, step);
        return Ok(());
    }
    let metadata = &mut object["metadata"];
    if !metadata["creationTimestamp"].is_string() {
        metadata["creationTimestamp"] = json!(objects::seconds(view));
    }
    // Set at creation and immutable, so an update of a Pod's status without it would be rejected.
    if incoming.kind.is_pod() && !object["status"]["qosClass"].is_string() {
        object["status"]["qosClass"] = json!(qos::class(&object));
    }
    if old.is_none() {
        // `kubectl get -o yaml` hides field owners; apply needs them.
        rebuild_owners(incoming.kind, &mut object);
    }
    let bytes = objects::bytes(incoming.kind, &object);
    if old.is_none_or(|old| *old.json != *bytes) {
        step.write(Op::put(incoming.key.clone(), bytes, Expect::Any));
    }
    Ok(())
}

/// Creates an object without a uid as a request does.
fn make(cluster: &Cluster, view: &dyn View, incoming: &Incoming, object: Value, step: &mut Step) {
    let edit = HandEdit {
        key: &incoming.key,
        current: None,
        proposed: Some(object),
        intent: Intent::Edit,
        past: None,
        revision: view.draws_from() + 1,
        now: view.now(),
        seed: cluster.context.seed(),
        view,
    };
    match KubernetesAdmit.admit(edit) {
        Ok(Some(object)) => {
            let bytes = objects::bytes(incoming.kind, &object);
            step.write(Op::put(incoming.key.clone(), bytes, Expect::Absent));
        }
        // Only the end of a deletion leaves no object.
        Ok(None) => {}
        Err(reason) => step.refused = Some(reason),
    }
}

/// Returns the operations that create the missing objects.
fn missing(
    cluster: &Cluster,
    view: &dyn View,
    needed: &ReferencedNames,
    report: &mut Import,
) -> Result<Vec<Op>, ApiError> {
    // A fresh cluster's own nodes would take Pods away from those that the import brought.
    let has_nodes =
        !needed.nodes.is_empty() || !view.list(&Range::resource("nodes", None))?.is_empty();
    // kube-apiserver restores its objects at each start, so a cluster that lacks some of them gets them too.
    let mut fresh = cluster.fresh_objects(view, !has_nodes)?;
    for name in &needed.nodes {
        fresh.node(name, &json!([]))?;
    }
    let own: BTreeSet<Key> = fresh.ops.iter().map(|op| op.key.clone()).collect();
    for name in &needed.namespaces {
        fresh.namespace(name)?;
    }
    let mut ops = Vec::new();
    let mut added = BTreeSet::new();
    for op in fresh.ops {
        if !added.insert(op.key.clone()) || view.get(&op.key)?.is_some() {
            continue;
        }
        let name = op.key.name();
        // The other objects are those of every cluster, which a report would only lengthen.
        match find_resource("", "v1", op.key.resource()) {
            Some(kind) if kind.hosts_pods() && needed.nodes.contains(name) => {
                report.nodes.push(name.to_owned());
            }
            Some(kind) if kind.is_namespace() && !own.contains(&op.key) => {
                report.namespaces.push(name.to_owned());
            }
            _ => {}
        }
        ops.push(op);
    }
    Ok(ops)
}

fn label(kind: &Kind, object: &Value) -> String {
    let (resource, name) = (kind.qualified_resource(), meta(object, "name"));
    match meta(object, "namespace") {
        "" => format!("{resource}/{name}"),
        namespace => format!("{resource}/{name} in namespace {namespace}"),
    }
}
