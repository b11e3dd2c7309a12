//! The garbage collector: deletes or releases the dependents of owners that are deleted.
//!
//! A key is the uid of an object, which may exist or not.
//!
//! Rules:
//! - `absent-owner`: none of the owners exists any longer; the object is deleted.
//! - `dangling-owner`: one of several owners no longer exists or is being deleted; the reference to it is removed.
//! - `owner-waits`: the owner is deleted in the foreground and waits for the object; it is deleted.
//! - `orphan`: the owner is deleted without its dependents; the reference to it is removed.
//! - `circle`: objects in foreground deletion block each other; one of them no longer blocks its owners.
//! - `finalize`: no dependent blocks the owner any longer; its finalizer is removed.
//!
//! Must not know: the kinds of the objects.

use std::collections::BTreeSet;

use crate::api::json::{Value, json};
use crate::cluster::{DeleteOptions, Propagation};
use crate::kinds::custom::is_established;
use crate::kinds::find_by_api_version;
use crate::kinds::kind::split_api_version;
use crate::kinds::tree::{field, flag, list, text};
use crate::runtime::{
    Cache, Change, Controller, EventNote, Key, Object, Plan, PlannedWrite, ReconcileContext, Watch,
    events_about,
};
use crate::{views, watched};

const FOREGROUND: &str = "foregroundDeletion";
const ORPHAN: &str = "orphan";

/// The reason of the event about an owner in another namespace.
const ELSEWHERE: &str = "OwnerRefInvalidNamespace";

/// Collects objects without owners.
#[derive(Debug, Default)]
pub(crate) struct GarbageCollector {
    /// The uids of custom resources whose deletion was seen: they are absent even if their kind is gone as well.
    gone: BTreeSet<String>,
    /// The reported references to owners in other namespaces: the uids of the dependent and of the owner.
    reported: BTreeSet<(String, String)>,
}

impl Controller for GarbageCollector {
    fn name(&self) -> &'static str {
        "garbage-collector"
    }

    fn component(&self) -> &'static str {
        "garbage-collector-controller"
    }

    fn watches(&self) -> Vec<Watch> {
        vec![
            Watch::every(keys),
            Watch::new(watched::definitions(), owned_by_kinds),
        ]
    }

    fn observe(&mut self, change: &Change, cache: &Cache) {
        let (Some(object), None) = (&change.before, &change.after) else {
            return;
        };
        if object.kind().custom.is_some() && cache.owned_by(object.uid()).next().is_some() {
            self.gone.insert(object.uid().to_owned());
        }
        // There are hardly any, and most deletions are of other objects.
        self.reported
            .retain(|(dependent, _)| dependent != object.uid());
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        let mut plan = Plan::done();
        let uid = &*context.key.name;
        let cache = context.cache;
        let Some(object) = cache.by_uid(uid) else {
            // The owner is gone with its kind and name: only the uid still leads to its dependents.
            for dependent in cache.owned_by(uid) {
                self.collect(dependent, cache, &mut plan);
            }
            return plan;
        };
        if object.is_terminating() && object.has_finalizer(ORPHAN) {
            release(object, cache, &mut plan);
        } else if object.is_terminating() && object.has_finalizer(FOREGROUND) {
            self.foreground(object, cache, &mut plan);
        } else {
            self.collect(object, cache, &mut plan);
        }
        plan
    }
}

/// Returns true if the API serves the kind of an owner.
fn is_served(reference: &Value, cache: &Cache) -> bool {
    let owner = views::owner(reference);
    find_by_api_version(owner.api_version(), owner.kind()).is_some() || {
        let mut definitions = cache.list(watched::definitions(), "");
        definitions.any(|definition| defines(definition, reference))
    }
}

/// Returns true if a definition serves the kind of an owner.
fn defines(definition: &Object, reference: &Value) -> bool {
    let (group, version) = split_api_version(text(reference, "apiVersion"));
    let spec = field(definition, "spec");
    let serves = |v: &Value| text(v, "name") == version && flag(v, "served");
    text(spec, "group") == group
        && text(field(spec, "names"), "kind") == text(reference, "kind")
        && is_established(definition)
        && list(spec, "versions").iter().any(serves)
}

/// Returns the keys of the objects whose owners are of the kinds that a new or changed definition serves.
fn owned_by_kinds(change: &Change, cache: &Cache) -> Vec<Key> {
    let mut keys = Vec::new();
    let Some(definition) = &change.after else {
        return keys;
    };
    for kind in cache.kinds() {
        for object in cache.list(kind, "") {
            if object.owners().iter().any(|o| defines(definition, o)) {
                keys.push(key(object.uid()));
            }
        }
    }
    keys
}

fn key(uid: &str) -> Key {
    Key::new("", uid)
}

/// Returns the keys that a change affects: a deleted object with dependents, an object that waits
/// for deletion, or one with missing owners.
fn keys(change: &Change, cache: &Cache) -> Vec<Key> {
    let mut keys = Vec::new();
    let Some(object) = change.object() else {
        return keys;
    };
    match &change.after {
        None => {
            // Most objects own nothing, so most deletions cause no work here.
            if cache.owned_by(object.uid()).next().is_some() {
                keys.push(key(object.uid()));
            }
        }
        Some(object) => {
            let waits = object.is_terminating()
                && (object.has_finalizer(ORPHAN) || object.has_finalizer(FOREGROUND));
            // An object whose owners all exist needs no reconcile, which is true of almost every change.
            let solid = |owner: &Value| matches!(state(owner, object, cache), Owner::Solid);
            if waits || !object.owners().iter().all(solid) {
                keys.push(key(object.uid()));
            }
        }
    }
    // An owner in foreground deletion may have waited for this object alone.
    for version in change.versions() {
        for owner in version.owners() {
            let uid = views::owner(owner).uid();
            let waiting = cache.by_uid(uid).is_some_and(|o| o.is_terminating());
            if waiting && !keys.contains(&key(uid)) {
                keys.push(key(uid));
            }
        }
    }
    keys
}

/// The state of an owner.
enum Owner {
    /// It exists.
    Solid,
    /// It exists, and its foreground deletion waits for its dependents.
    Waiting,
    /// It does not exist.
    Absent,
    /// It exists in another namespace, from which it cannot own the dependent.
    Elsewhere,
}

fn state(reference: &Value, dependent: &Object, cache: &Cache) -> Owner {
    let Some(owner) = cache.by_uid(text(reference, "uid")) else {
        return Owner::Absent;
    };
    let (group, _) = split_api_version(text(reference, "apiVersion"));
    // An owner with the uid but another name or kind is a forged or mangled reference, and counts as absent.
    let is_it = owner.name() == text(reference, "name")
        && owner.kind().kind == text(reference, "kind")
        && owner.kind().group == group;
    // A namespaced owner in another namespace never counts: `OwnerRefInvalidNamespace`.
    let reachable = owner.namespace().is_empty() || owner.namespace() == dependent.namespace();
    match () {
        () if !reachable => Owner::Elsewhere,
        () if !is_it => Owner::Absent,
        () if owner.is_terminating() && owner.has_finalizer(FOREGROUND) => Owner::Waiting,
        () => Owner::Solid,
    }
}

impl GarbageCollector {
    /// Deletes an object without remaining owners, or removes its references to deleted ones.
    fn collect(&mut self, object: &Object, cache: &Cache, plan: &mut Plan) {
        let (mut solid, mut waiting, mut gone) = (0, Vec::new(), Vec::new());
        for owner in object.owners() {
            match state(owner, object, cache) {
                Owner::Solid => solid += 1,
                Owner::Waiting => waiting.push(views::owner(owner).uid().to_owned()),
                // Without the kind, it is unknown if the owner is gone: a definition may be installed later, and a
                // backup may bring back the dependents first. Upstream retries, and leaves all references alone.
                Owner::Absent
                    if !self.gone.contains(views::owner(owner).uid())
                        && !is_served(owner, cache) =>
                {
                    return;
                }
                Owner::Absent => gone.push(views::owner(owner).uid().to_owned()),
                Owner::Elsewhere => {
                    let owner_uid = views::owner(owner).uid().to_owned();
                    // A reference is reported once, and not with each change of the dependent or by each process.
                    let is_new = self.reported.insert((object.uid().to_owned(), owner_uid));
                    if is_new && !is_told(object, cache) {
                        plan.events.push(elsewhere(object, owner));
                    }
                    match object.namespace().is_empty() {
                        // For a cluster-scoped object the reference does not identify the owner, so the object is kept.
                        true => solid += 1,
                        false => gone.push(views::owner(owner).uid().to_owned()),
                    }
                }
            }
        }
        if object.is_terminating() || gone.is_empty() && waiting.is_empty() {
            return;
        }
        if solid > 0 {
            // One owner is enough to stay: the references to owners that are going are removed, so they need not wait for
            // it.
            gone.extend(waiting);
            let rule = format!(
                "dangling-owner: {solid} of {} owners remain",
                object.owners().len()
            );
            plan.changes.push(without_owners(object, &gone, rule));
            return;
        }
        let has_dependents = cache.owned_by(object.uid()).next().is_some();
        let (propagation, rule) = match () {
            // Its own dependents must be deleted first; otherwise the owner would be removed while they exist.
            () if !waiting.is_empty() && has_dependents => (Propagation::Foreground, "owner-waits"),
            () if object.has_finalizer(ORPHAN) => (Propagation::Orphan, "absent-owner"),
            () if object.has_finalizer(FOREGROUND) => (Propagation::Foreground, "absent-owner"),
            () if !waiting.is_empty() => (Propagation::Background, "owner-waits"),
            () => (Propagation::Background, "absent-owner"),
        };
        let names: Vec<String> = object.owners().iter().map(shown).collect();
        let options = DeleteOptions {
            propagation: Some(propagation),
            ..DeleteOptions::default()
        };
        plan.changes.push(PlannedWrite::delete_with(
            object,
            options,
            format!("{rule}: {}", names.join(", ")),
        ));
    }
}

fn shown(owner: &Value) -> String {
    format!(
        "{}/{}",
        views::owner(owner).kind(),
        views::owner(owner).name()
    )
}

/// Returns the event that reports an owner in another namespace.
fn elsewhere(object: &Object, owner: &Value) -> EventNote {
    let namespace = object.namespace();
    let message = format!(
        "ownerRef [{}/{}, namespace: {namespace}, name: {}, uid: {}] does not exist in namespace \"{namespace}\"",
        views::owner(owner).api_version(),
        views::owner(owner).kind(),
        views::owner(owner).name(),
        views::owner(owner).uid(),
    );
    EventNote::warning(object, ELSEWHERE, message)
}

/// Returns true if an event about an owner of an object in another namespace exists.
fn is_told(object: &Object, cache: &Cache) -> bool {
    events_about(object, cache).any(|event| text(event, "reason") == ELSEWHERE)
}

/// Removes references to owners.
fn without_owners(object: &Object, uids: &[String], rule: String) -> PlannedWrite {
    let left: Vec<&Value> = object
        .owners()
        .iter()
        .filter(|o| !uids.iter().any(|uid| uid == views::owner(o).uid()))
        .collect();
    let owners = match left.is_empty() {
        true => Value::Null,
        false => json!(left),
    };
    let patch = json!({"metadata": {
        "uid": object.uid(), "resourceVersion": object.revision().to_string(), "ownerReferences": owners,
    }});
    PlannedWrite::merge(object, patch, rule)
}

/// Removes a finalizer.
fn without_finalizer(object: &Object, name: &str, rule: &str) -> PlannedWrite {
    let finalizers = views::meta(object).finalizers_without(name);
    let patch = json!({"metadata": {
        "resourceVersion": object.revision().to_string(), "finalizers": finalizers,
    }});
    PlannedWrite::merge(object, patch, rule.to_owned())
}

/// Orphans the dependents of an owner that is being deleted.
fn release(object: &Object, cache: &Cache, plan: &mut Plan) {
    let uids = [object.uid().to_owned()];
    let rule = format!("orphan: {}/{}", object.kind().kind, object.name());
    for dependent in cache.owned_by(object.uid()) {
        plan.changes
            // Before the finalizer is removed: after a crash in between, the dependents must not be deleted.
            .push(without_owners(dependent, &uids, rule.clone()).in_wave(1));
    }
    plan.changes.push(
        without_finalizer(object, ORPHAN, "finalize: its dependents are orphaned").in_wave(2),
    );
}

impl GarbageCollector {
    /// Removes an owner's finalizer once no dependent blocks its deletion.
    fn foreground(&mut self, object: &Object, cache: &Cache, plan: &mut Plan) {
        let mut blocked = false;
        for dependent in cache.owned_by(object.uid()) {
            let own = dependent
                .owners()
                .iter()
                .find(|o| views::owner(o).uid() == object.uid());
            // Only dependents with `blockOwnerDeletion` keep the owner; the others are deleted without waiting.
            blocked |= own.is_some_and(|o| views::owner(o).blocks_deletion());
            self.collect(dependent, cache, plan);
        }
        if !blocked {
            let rule = "finalize: no dependent blocks its deletion";
            plan.changes
                .push(without_finalizer(object, FOREGROUND, rule));
        } else if waits_for_itself(object, cache) {
            plan.changes.push(unblocking(object));
        }
    }
}

/// Returns the owners whose deletion waits for an object.
fn waiting_owners<'c>(object: &Object, cache: &'c Cache) -> Vec<&'c Object> {
    let blocks = |owner: &&Value| {
        views::owner(owner).blocks_deletion()
            && matches!(state(owner, object, cache), Owner::Waiting)
    };
    let owners = object.owners().iter().filter(blocks);
    owners
        .filter_map(|owner| cache.by_uid(views::owner(owner).uid()))
        .collect()
}

/// Returns true if an object is part of a cycle of owners that block each other, and was written last of them. Unblocking
/// one object is enough, and the write that closed the cycle triggers a reconcile.
fn waits_for_itself(object: &Object, cache: &Cache) -> bool {
    let mut seen: Vec<&str> = Vec::new();
    let mut next = waiting_owners(object, cache);
    while let Some(owner) = next.pop() {
        if owner.uid() == object.uid() {
            return true;
        }
        // The object written last breaks the circle, so that exactly one does.
        if owner.revision() <= object.revision() && !seen.contains(&owner.uid()) {
            seen.push(owner.uid());
            next.extend(waiting_owners(owner, cache));
        }
    }
    false
}

/// Lets the owners of an object go before it.
fn unblocking(object: &Object) -> PlannedWrite {
    let mut owners = object.owners().to_vec();
    for owner in owners
        .iter_mut()
        .filter(|o| views::owner(o).blocks_deletion())
    {
        // Upstream unblocks the same way (`unblockOwnerReferencesPatch`) and keeps the references themselves.
        owner["blockOwnerDeletion"] = json!(false);
    }
    let patch = json!({"metadata": {
        "uid": object.uid(), "resourceVersion": object.revision().to_string(), "ownerReferences": owners,
    }});
    let rule = format!(
        "circle: {}/{} blocks its own deletion",
        object.kind().kind,
        object.name()
    );
    PlannedWrite::merge(object, patch, rule)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::Verb;
    use crate::harness::{ControllerHarness, content, lines};

    fn owner(name: &str) -> Value {
        json!({"apiVersion": "v1", "kind": "ConfigMap", "name": name, "uid": format!("uid-{name}"),
            "blockOwnerDeletion": true})
    }

    fn owned(name: &str, owners: &[&str]) -> Value {
        let owners: Vec<Value> = owners.iter().map(|o| owner(o)).collect();
        json!({"metadata": {"name": name, "ownerReferences": owners}})
    }

    fn going(name: &str, finalizer: &str) -> Value {
        json!({"metadata": {"name": name, "finalizers": [finalizer],
            "deletionTimestamp": "2026-01-02T12:00:00Z"}})
    }

    /// Returns a cluster of ConfigMaps.
    fn harness(maps: &[Value]) -> ControllerHarness<GarbageCollector> {
        let mut harness = ControllerHarness::new(GarbageCollector::default());
        maps.iter()
            .for_each(|map| drop(harness.put("v1", "ConfigMap", map.clone())));
        harness
    }

    #[test]
    fn dependents_are_deleted_or_patched_according_to_their_owners() {
        let solid = json!({"metadata": {"name": "solid"}});
        let cases: Vec<(&str, Vec<Value>, &str, Vec<&str>)> = vec![
            (
                "an owner that is there",
                vec![solid.clone(), owned("c", &["solid"])],
                "c",
                vec![],
            ),
            (
                "no owner left",
                vec![owned("c", &["gone"])],
                "gone",
                vec!["delete configmaps c: absent-owner"],
            ),
            (
                "the same, seen from the dependent",
                vec![owned("c", &["gone", "lost"])],
                "c",
                vec!["delete configmaps c: absent-owner"],
            ),
            (
                "one of two owners left",
                vec![solid.clone(), owned("c", &["solid", "gone"])],
                "c",
                vec!["patch configmaps c: dangling-owner"],
            ),
            (
                "an owner that waits",
                vec![going("w", FOREGROUND), owned("c", &["w"])],
                "w",
                vec!["delete configmaps c: owner-waits"],
            ),
            (
                "an owner that has waited long enough",
                vec![going("w", FOREGROUND)],
                "w",
                vec!["patch configmaps w: finalize"],
            ),
            (
                "an owner that leaves things behind",
                vec![going("w", ORPHAN), owned("c", &["w"])],
                "w",
                vec!["patch configmaps c: orphan", "patch configmaps w: finalize"],
            ),
        ];
        for (name, maps, looked_at, want) in cases {
            let plan = harness(&maps).plan("", &format!("uid-{looked_at}"));
            assert_eq!(lines(&plan), want, "{name}");
        }
    }

    #[test]
    fn dependents_of_unknown_kinds_stay() {
        let of = |api_version: &str, kind: &str| {
            json!({"metadata": {"name": "c", "ownerReferences": [
                {"apiVersion": api_version, "kind": kind, "name": "x", "uid": "uid-x"}]}})
        };
        for (api_version, kind, known) in [
            ("apps/v1", "Deployment", true),
            ("apps/v1", "Boat", false),
            ("apps/v1beta9", "Deployment", false),
            ("example.com/v1", "Boat", false),
        ] {
            let mut harness = harness(&[of(api_version, kind)]);
            let deletions = lines(&harness.plan("", "uid-c")).len();
            assert_eq!(deletions, usize::from(known), "{api_version} {kind}");
        }
        let mut harness = harness(&[of("example.com/v1", "Boat")]);
        let definition = json!({
            "metadata": {"name": "boats.example.com"},
            "spec": {"group": "example.com", "names": {"kind": "Boat"},
                "versions": [{"name": "v1", "served": true}]},
            "status": {"conditions": [{"type": "Established", "status": "True"}]},
        });
        let group = "apiextensions.k8s.io/v1";
        let definition = harness.put(group, "CustomResourceDefinition", definition);
        assert_eq!(harness.keys(&definition), [key("uid-c")]);
        assert_eq!(
            lines(&harness.plan("", "uid-c")),
            ["delete configmaps c: absent-owner"]
        );
    }

    /// ConfigMaps that are deleted in the foreground, each with its owners.
    fn waiting(all: &[(&str, &[&str])]) -> ControllerHarness<GarbageCollector> {
        let map = |(name, owners): &(&str, &[&str])| {
            let mut map = owned(name, owners);
            map["metadata"]["uid"] = json!(format!("uid-{name}"));
            map["metadata"]["finalizers"] = json!([FOREGROUND]);
            map["metadata"]["deletionTimestamp"] = json!("2026-01-02T12:00:00Z");
            map
        };
        harness(&all.iter().map(map).collect::<Vec<_>>())
    }

    #[test]
    fn last_written_object_of_an_owner_cycle_unblocks_it() {
        let circle = "patch configmaps";
        for (all, unblocked) in [
            (&[("a", &["a"][..])][..], &["a"][..]),
            (&[("a", &["b"]), ("b", &["a"])], &["b"]),
            (&[("a", &["c"]), ("b", &["a"]), ("c", &["b"])], &["c"]),
            // Two circles that share an object.
            (
                &[("a", &["b", "c"]), ("b", &["a"]), ("c", &["a"])],
                &["b", "c"],
            ),
            // An object that only depends on a circle.
            (
                &[("a", &["b"]), ("b", &["a"]), ("c", &["b"]), ("d", &["c"])],
                &["b"],
            ),
            (&[("a", &[]), ("b", &["a"]), ("c", &["a", "b"])], &[]),
        ] {
            let mut harness = waiting(all);
            for (name, _) in all {
                let plan = harness.plan("", &format!("uid-{name}"));
                let is = lines(&plan)
                    .iter()
                    .any(|line| *line == format!("{circle} {name}: circle"));
                assert_eq!(is, unblocked.contains(name), "{name} of {all:?}: {plan:?}");
            }
        }
    }

    #[test]
    fn unblocked_object_keeps_its_owner_references() {
        let mut harness = waiting(&[("a", &["b"]), ("b", &["a"])]);
        let plan = harness.plan("", "uid-b");
        let mut reference = owner("a");
        reference["blockOwnerDeletion"] = json!(false);
        assert_eq!(
            content(&plan.changes[0])["metadata"]["ownerReferences"],
            json!([reference])
        );
    }

    #[test]
    fn foreground_deletion_reaches_the_whole_tree() {
        let mut middle = owned("m", &["top"]);
        middle["metadata"]["uid"] = json!("uid-m");
        let plan =
            harness(&[going("top", FOREGROUND), middle, owned("leaf", &["m"])]).plan("", "uid-top");
        let Verb::Delete(options) = &plan.changes[0].verb else {
            panic!()
        };
        assert_eq!(options.propagation, Some(Propagation::Foreground));
    }

    #[test]
    fn an_owner_in_another_namespace_is_absent_and_reported() {
        let mut harness = harness(&[owned("c", &["far"])]);
        harness.put(
            "v1",
            "ConfigMap",
            json!({"metadata": {"name": "far", "namespace": "other"}}),
        );
        let plan = harness.plan("", "uid-c");
        assert_eq!(lines(&plan), ["delete configmaps c: absent-owner"]);
        assert_eq!(
            plan.events[0].message,
            "ownerRef [v1/ConfigMap, namespace: default, name: far, uid: uid-far] does not exist in \
             namespace \"default\""
        );
        assert_eq!(harness.plan("", "uid-c").events.len(), 0);
    }

    #[test]
    fn a_restart_does_not_repeat_the_report_about_an_owner_elsewhere() {
        let world = crate::testing::World::new();
        let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "own"}});
        let uid = world.create(watched::config_maps(), &map)["metadata"]["uid"].clone();
        let owner = json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "own", "uid": uid});
        let volume = json!({"apiVersion": "v1", "kind": "PersistentVolume",
            "metadata": {"name": "v", "ownerReferences": [owner]},
            "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"],
                "hostPath": {"path": "/tmp/v"}}});
        let place = crate::cluster::Place::new(watched::persistent_volumes(), "");
        let options = crate::cluster::WriteOptions::default();
        let _ = world.scratch.create(&place, &volume, &options).unwrap();
        world.settled();
        // Each run has new controllers.
        world.settled();
        let events = world.list(watched::events());
        let told = events.iter().filter(|event| event["reason"] == ELSEWHERE);
        let counts: Vec<_> = told.map(|event| event["count"].as_i64()).collect();
        assert_eq!(counts, [Some(1)]);
    }

    #[test]
    fn only_changes_with_missing_or_waiting_owners_are_queued() {
        let mut harness = harness(&[json!({"metadata": {"name": "solid"}})]);
        let well = harness.put("v1", "ConfigMap", owned("c", &["solid"]));
        assert_eq!(harness.keys(&well), []);
        let lost = harness.put("v1", "ConfigMap", owned("d", &["gone"]));
        assert_eq!(harness.keys(&lost), [key("uid-d")]);
        let waits = harness.put("v1", "ConfigMap", going("w", FOREGROUND));
        let part = harness.put("v1", "ConfigMap", owned("p", &["w"]));
        assert_eq!(harness.keys(&waits), [key("uid-w")]);
        assert_eq!(harness.keys(&part), [key("uid-p"), key("uid-w")]);
    }

    #[test]
    fn other_owners_and_finalizers_are_kept() {
        let mut harness = harness(&[
            json!({"metadata": {"name": "solid"}}),
            owned("c", &["solid", "gone"]),
        ]);
        let plan = harness.plan("", "uid-c");
        assert_eq!(
            content(&plan.changes[0])["metadata"]["ownerReferences"],
            json!([owner("solid")])
        );
        let mut held = going("h", FOREGROUND);
        held["metadata"]["finalizers"] = json!(["mine", FOREGROUND]);
        harness.put("v1", "ConfigMap", held);
        let plan = harness.plan("", "uid-h");
        assert_eq!(
            content(&plan.changes[0])["metadata"]["finalizers"],
            json!(["mine"])
        );
    }
}
