//! The informer cache: the objects for the controllers, indexed, as of one revision.
//!
//! Guarantees: lists are ordered by namespace and name; the cost of a look-up by owner, label or a declared index
//! depends on the number of objects found, not on the size of the cluster; the writes of a tick are in the cache before
//! the next tick.

use std::any::Any;
use std::borrow::Cow;

pub use super::change::Change;
use super::change::differs;
use super::fast_map::FastMap;
use super::index::{self, Index, Keys, Postings};
use super::object::{Key, Object};
use super::objects::Objects;
use super::tally::Tally;
use crate::api::json::{Text, Value};
use crate::api::selector::{LabelSelector, Operator};
use crate::cluster::{Kind, Revision};
use crate::sys::threads::{WORTH_A_THREAD, map};

/// The objects of the kinds that the controllers of this process watch.
#[derive(Debug, Default)]
pub struct Cache {
    tables: FastMap<Name, Table>,
    uids: FastMap<Text, Object>,
    /// The objects that name a uid among their owners, by kind in the order of the kinds.
    owned: FastMap<Text, Vec<(Name, Keys)>>,
    tallies: Vec<(Vec<Name>, Box<dyn Tally>)>,
    revision: Revision,
    #[cfg(any(test, feature = "testing"))]
    looked: std::sync::atomic::AtomicU64,
}

/// A kind without its version: all versions of a kind are the same objects.
type Name = (&'static str, &'static str);

/// The objects of a kind.
#[derive(Debug, Default)]
struct Table {
    objects: Objects,
    /// The last inserted object, to share memory with: the next is often a Pod of the same template.
    last: Option<Object>,
    /// The projection of an object that is stored instead of the whole.
    brief: Option<fn(&Value) -> Value>,
    labels: Postings,
    controllers: Postings,
    declared: Vec<(Index, Postings)>,
}

fn name(kind: &Kind) -> Name {
    (kind.group, kind.kind)
}

impl Cache {
    /// Creates an empty cache with these indexes.
    pub fn new(indexes: impl IntoIterator<Item = Index>) -> Self {
        let mut cache = Self::default();
        for index in indexes {
            let table = cache.tables.entry(name(index.kind)).or_default();
            if !table.declared.iter().any(|(old, _)| old.name == index.name) {
                table.declared.push((index, Postings::default()));
            }
        }
        cache
    }

    /// Adds tallies, one of each type. The cache must be empty.
    #[must_use]
    pub fn with_tallies(mut self, tallies: impl IntoIterator<Item = Box<dyn Tally>>) -> Self {
        for tally in tallies {
            let type_id = |t: &dyn Tally| (t as &dyn Any).type_id();
            // One tally of a type serves all controllers: each of its changes is then computed once.
            if !self
                .tallies
                .iter()
                .any(|(_, t)| type_id(&**t) == type_id(&*tally))
            {
                let kinds = tally.kinds().into_iter().map(name).collect();
                self.tallies.push((kinds, tally));
            }
        }
        self
    }

    /// Returns the revision up to which it is complete.
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// Caches a projection of each object of a kind instead of the whole.
    #[must_use]
    pub(super) fn with_projection(mut self, kind: &Kind, brief: fn(&Value) -> Value) -> Self {
        self.tables.entry(name(kind)).or_default().brief = Some(brief);
        self
    }

    /// Returns true if it stores whole objects of a kind.
    pub(super) fn keeps_whole_objects(&self, kind: &Kind) -> bool {
        let table = self.tables.get(&name(kind));
        table.is_none_or(|table| table.brief.is_none())
    }

    /// Says up to which revision it is complete.
    pub fn set_revision(&mut self, revision: Revision) {
        // Never moves back, whichever order a list and the process' own writes are counted in.
        self.revision = self.revision.max(revision);
    }

    /// Returns the number of objects returned by lists and look-ups by owner, label or index: the cost of plans,
    /// independent of the machine.
    #[cfg(any(test, feature = "testing"))]
    #[doc(hidden)]
    pub fn looked(&self) -> u64 {
        self.looked.load(std::sync::atomic::Ordering::Relaxed)
    }

    fn look(&self, _: &Object) {
        #[cfg(any(test, feature = "testing"))]
        self.looked
            .fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    }

    /// Returns an object by namespace and name.
    pub fn get(&self, kind: &Kind, namespace: &str, name_: &str) -> Option<&Object> {
        self.by_key(kind, &Key::new(namespace, name_))
    }

    /// Returns an object by key.
    pub fn by_key(&self, kind: &Kind, key: &Key) -> Option<&Object> {
        self.tables.get(&name(kind))?.objects.get(key)
    }

    /// Returns the object with a uid, of any kind.
    pub fn by_uid(&self, uid: &str) -> Option<&Object> {
        self.uids.get(uid)
    }

    /// Returns the objects of a kind in a namespace, or in all namespaces if that is empty.
    pub fn list<'a>(
        &'a self,
        kind: &Kind,
        namespace: &str,
    ) -> impl Iterator<Item = &'a Object> + use<'a> {
        let objects = self.tables.get(&name(kind)).map(|t| &t.objects);
        // The empty name sorts before every object of the namespace.
        let first = Key::new(namespace, "");
        let all = namespace.is_empty();
        let range = objects.into_iter().flat_map(move |o| o.from(first.clone()));
        let namespace = namespace.to_owned();
        range
            .take_while(move |object| all || *object.key().namespace == *namespace)
            .inspect(move |object| self.look(object))
    }

    /// Returns the objects of a kind that an object controls.
    pub fn controlled_by<'a>(
        &'a self,
        kind: &Kind,
        uid: &str,
    ) -> impl Iterator<Item = &'a Object> + use<'a> {
        self.posted(kind, |t| &t.controllers, uid)
    }

    /// Returns the objects of a kind in a namespace that have no controller.
    pub fn orphans<'a>(
        &'a self,
        kind: &Kind,
        namespace: &str,
    ) -> impl Iterator<Item = &'a Object> + use<'a> {
        self.posted(kind, |t| &t.controllers, &index::orphans_of(namespace))
    }

    /// Returns the objects of any kind that name a uid among their owners.
    pub fn owned_by<'a>(&'a self, uid: &str) -> impl Iterator<Item = &'a Object> + use<'a> {
        let owned = self.owned.get(uid).into_iter().flatten();
        owned
            .filter_map(|(kind, keys)| Some((self.tables.get(kind)?, keys)))
            .flat_map(|(table, keys)| keys.iter().filter_map(|key| table.objects.get(key)))
            .inspect(move |object| self.look(object))
    }

    /// Returns the objects of a kind in a namespace whose labels a selector matches.
    pub fn selected<'a>(
        &'a self,
        kind: &Kind,
        namespace: &str,
        selector: &LabelSelector,
    ) -> Vec<&'a Object> {
        let Some(table) = self.tables.get(&name(kind)) else {
            return Vec::new();
        };
        let matches = |o: &&Object| selector.matches_object(o);
        let equal = [Operator::Equals, Operator::DoubleEquals, Operator::In];
        // Of several equalities the one with the fewest objects is iterated, and the others are checked for each
        // object.
        let requirements = selector.requirements();
        let postings = requirements
            .iter()
            .filter(|r| r.values().len() == 1 && equal.contains(&r.operator()))
            .map(|r| index::label_value(namespace, r.key(), &r.values()[0]))
            .min_by_key(|value| table.labels.count(value));
        match postings {
            Some(value) => {
                let keys = table.labels.get(&value).into_iter().flat_map(Keys::iter);
                let found = keys.filter_map(|key| table.objects.get(key));
                let found = found.inspect(move |object| self.look(object));
                match requirements {
                    // The index decided the only requirement, so that no object needs a second check.
                    [_] => found.collect(),
                    _ => found.filter(matches).collect(),
                }
            }
            None => self.list(kind, namespace).filter(matches).collect(),
        }
    }

    /// Returns the objects of a kind with a value in a declared index.
    pub fn indexed<'a>(
        &'a self,
        kind: &Kind,
        index: &str,
        value: &str,
    ) -> impl Iterator<Item = &'a Object> + use<'a> {
        let table = self.tables.get(&name(kind));
        let declared = table.and_then(|t| t.declared.iter().find(|(i, _)| i.name == index));
        let keys = declared.and_then(|(_, postings)| postings.get(value));
        keys.into_iter()
            .flat_map(Keys::iter)
            .filter_map(move |key| table?.objects.get(key))
            .inspect(move |object| self.look(object))
    }

    fn posted<'a>(
        &'a self,
        kind: &Kind,
        of: fn(&Table) -> &Postings,
        value: &str,
    ) -> impl Iterator<Item = &'a Object> + use<'a> {
        let table = self.tables.get(&name(kind));
        let keys = table.and_then(|t| of(t).get(value));
        keys.into_iter()
            .flat_map(Keys::iter)
            .filter_map(move |key| table?.objects.get(key))
            .inspect(move |object| self.look(object))
    }

    /// Returns a tally: the maintained one, or one computed from all objects.
    pub fn tally<T: Tally + Clone + Default>(&self) -> Cow<'_, T> {
        let kept = self.tallies.iter().map(|(_, tally)| &**tally as &dyn Any);
        if let Some(tally) = kept.filter_map(|tally| tally.downcast_ref()).next() {
            return Cow::Borrowed(tally);
        }
        let mut tally = T::default();
        for object in tally.kinds().into_iter().flat_map(|k| self.list(k, "")) {
            let change = Change {
                before: None,
                after: Some(object.clone()),
            };
            tally.change(&change, self);
        }
        Cow::Owned(tally)
    }

    /// Stores the current version of an object. Returns the change, or `None` if it was known.
    pub fn put(&mut self, object: Object) -> Option<Change> {
        let table = self.tables.entry(name(object.kind())).or_default();
        // Equal parts are shared with the last object: 10,000 Pods of one template store its tree once.
        let object = table.kept(object.kind(), &object, table.last.as_ref());
        self.take(object)
    }

    /// Prepares objects for [`Cache::take`], many of them on two threads. The objects of a kind share equal subtrees
    /// with the first of them, and that one with the last object in the cache.
    pub(super) fn ready(&self, objects: &[Option<(&'static Kind, &Value)>]) -> Vec<Option<Object>> {
        let nothing = Table::default();
        let table = |kind| self.tables.get(&name(kind)).unwrap_or(&nothing);
        let mut first: Vec<Object> = Vec::new();
        for (kind, value) in objects.iter().flatten() {
            if !first.iter().any(|o| name(o.kind()) == name(kind)) {
                let table = table(kind);
                first.push(table.kept(kind, value, table.last.as_ref()));
            }
        }
        // Shared with prepared objects and not with the requests' bodies, because the cache may store projections.
        map(objects, WORTH_A_THREAD, &|_, object| {
            let (kind, value) = (*object)?;
            let like = first.iter().find(|o| name(o.kind()) == name(kind));
            Some(table(kind).kept(kind, value, like))
        })
    }

    /// Stores a prepared object; see [`Cache::put`].
    pub(super) fn take(&mut self, object: Object) -> Option<Change> {
        let kind = name(object.kind());
        let table = self.tables.entry(kind).or_default();
        let before = table.objects.get(object.key()).cloned();
        // Equal revisions may differ in kind: a changed definition reads the same object again.
        let same_kind = |b: &Object| std::ptr::eq(b.kind(), object.kind());
        if before.as_ref().is_some_and(|b| {
            b.revision() > object.revision() || b.revision() == object.revision() && same_kind(b)
        }) {
            return None;
        }
        table.last = Some(object.clone());
        table.reindex(before.as_ref(), Some(&object));
        table.objects.insert(object.clone());
        self.register(kind, before.as_ref(), Some(&object));
        let change = Change {
            before,
            after: Some(object),
        };
        self.count(kind, &change);
        Some(change)
    }

    /// Removes an object as of a revision. Returns `None` if the cache contains a later version.
    pub fn remove(&mut self, kind: &Kind, key: &Key, revision: Revision) -> Option<Change> {
        let kind = name(kind);
        let table = self.tables.get_mut(&kind)?;
        // Changes may arrive out of order: a deletion that is older than the object belongs to its predecessor.
        table.objects.get(key).filter(|o| o.revision() < revision)?;
        let before = table.objects.remove(key)?;
        table.reindex(Some(&before), None);
        self.register(kind, Some(&before), None);
        let change = Change {
            before: Some(before),
            after: None,
        };
        self.count(kind, &change);
        Some(change)
    }

    fn count(&mut self, kind: Name, change: &Change) {
        // Taken out, because a tally reads the cache that owns it.
        let mut tallies = std::mem::take(&mut self.tallies);
        for (kinds, tally) in &mut tallies {
            if kinds.contains(&kind) {
                tally.change(change, self);
            }
        }
        self.tallies = tallies;
    }

    /// Returns the kinds that have objects.
    pub fn kinds(&self) -> Vec<&'static Kind> {
        let first = |table: &Table| table.objects.any().map(Object::kind);
        let mut kinds: Vec<_> = self.tables.values().filter_map(first).collect();
        // The tables are a hash map; controllers that visit all kinds need the same order in every
        // run.
        kinds.sort_by_cached_key(|kind| name(kind));
        kinds
    }

    /// Returns the keys of a kind's objects, for a comparison with a fresh list.
    pub fn keys(&self, kind: &Kind) -> Vec<Key> {
        let table = self.tables.get(&name(kind));
        table.map_or_else(Vec::new, |t| t.objects.keys().cloned().collect())
    }

    /// Updates the indexes by uid and by owner.
    fn register(&mut self, kind: Name, before: Option<&Object>, after: Option<&Object>) {
        let (old, new) = (
            before.and_then(Object::uid_text),
            after.and_then(Object::uid_text),
        );
        // An object that was deleted and created again under its name has another uid.
        if let Some(uid) = old.filter(|_| old != new) {
            self.uids.remove(uid);
        }
        if let (Some(uid), Some(object)) = (new, after) {
            match self.uids.get_mut(uid) {
                Some(known) => *known = object.clone(),
                None => drop(self.uids.insert(uid.clone(), object.clone())),
            }
        }
        // Owners change rarely, so that most updates stop here.
        let (old, new) = (before.map(Object::owners), after.map(Object::owners));
        let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());
        let Some(object) = after.or(before).filter(|_| old != new) else {
            return;
        };
        let uids = |owners: &[Value]| {
            let mut uids: Vec<Text> = owners.iter().filter_map(uid_of).cloned().collect();
            uids.sort();
            uids.dedup();
            uids
        };
        let (old, new) = (uids(old), uids(new));
        for uid in old.iter().filter(|uid| !new.contains(uid)) {
            self.disown(uid, kind, object.key());
        }
        for uid in new.into_iter().filter(|uid| !old.contains(uid)) {
            let owned = self.owned.entry(uid).or_default();
            match owned.binary_search_by_key(&kind, |(kind, _)| *kind) {
                Ok(at) => owned[at].1.add(object.key()),
                Err(at) => owned.insert(at, (kind, Keys::One(object.key().clone()))),
            }
        }
    }

    fn disown(&mut self, uid: &Text, kind: Name, key: &Key) {
        let Some(owned) = self.owned.get_mut(uid) else {
            return;
        };
        // An owner without dependents has no entry: uids are never reused, and the map would grow forever.
        owned.retain_mut(|(own, keys)| *own != kind || !keys.remove(key));
        if owned.is_empty() {
            self.owned.remove(uid);
        }
    }
}

/// Returns the uid in a reference to an owner.
fn uid_of(owner: &Value) -> Option<&Text> {
    match &owner["uid"] {
        Value::String(uid) => Some(uid),
        _ => None,
    }
}

impl Table {
    /// Returns the object in the form that the cache stores. Pods of one template differ in a few fields; equal
    /// subtrees share their memory.
    fn kept(&self, kind: &'static Kind, value: &Value, like: Option<&Object>) -> Object {
        let brief = self.brief.map(|brief| brief(value));
        let value = brief.as_ref().unwrap_or(value);
        let shared = like.and_then(|like| {
            let text = |name: &str| value["metadata"][name].as_str().unwrap_or_default();
            let known = self.objects.get(&Key::new(text("namespace"), text("name")));
            value.sharing_anew(like.value(), known.map(Object::value))
        });
        Object::new(kind, shared.unwrap_or_else(|| value.clone()))
    }

    fn reindex(&mut self, before: Option<&Object>, after: Option<&Object>) {
        // Most updates change the status alone: comparing two subtrees is cheaper than reindexing.
        let same =
            |path: &str| before.is_some() && after.is_some() && !differs(before, after, path);
        if !same("/metadata/labels") {
            move_posts(&mut self.labels, before, after, index::labels);
        }
        if !same("/metadata/ownerReferences") {
            move_posts(&mut self.controllers, before, after, index::controller);
        }
        for (index, postings) in &mut self.declared {
            // Computing the values of both versions was 4 % of a rolling update.
            let one = before.is_none() || after.is_none();
            if one || !index.reads.iter().all(|path| same(path)) {
                move_posts(postings, before, after, |o| (index.values)(o));
            }
            debug_assert!(
                after.is_none_or(|object| {
                    let has = |keys: &Keys| keys.contains(object.key());
                    let values = (index.values)(object);
                    values
                        .iter()
                        .all(|value| postings.get(value).is_some_and(has))
                }),
                "index {} reads more than {:?}",
                index.name,
                index.reads
            );
        }
    }
}

fn move_posts(
    postings: &mut Postings,
    before: Option<&Object>,
    after: Option<&Object>,
    values: impl Fn(&Object) -> Vec<String>,
) {
    let (old, new) = (
        before.map(&values).unwrap_or_default(),
        after.map(&values).unwrap_or_default(),
    );
    if old == new {
        return;
    }
    for value in old.iter().filter(|v| !new.contains(v)) {
        if let Some(object) = before {
            postings.remove(value, object.key());
        }
    }
    for value in new.iter().filter(|v| !old.contains(v)) {
        if let Some(object) = after {
            postings.add(value, object.key());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::cluster::Kind;

    fn kind(name: &str) -> &'static Kind {
        crate::cluster::find_kind("v1", name).unwrap()
    }

    fn pod(name: &str, revision: u64, extra: crate::api::json::Value) -> Object {
        let mut value = json!({"metadata": {
            "namespace": "a", "name": name, "uid": format!("uid-{name}"),
            "resourceVersion": revision.to_string(),
        }});
        crate::api::patch::merge::apply(&mut value, &extra);
        Object::new(kind("Pod"), value)
    }

    fn labeled(name: &str, revision: u64, app: &str) -> Object {
        pod(
            name,
            revision,
            json!({"metadata": {"labels": {"app": app}}}),
        )
    }

    fn owned(name: &str, revision: u64, uid: &str) -> Object {
        let owner = json!({"uid": uid, "controller": true, "kind": "X", "name": "x"});
        pod(
            name,
            revision,
            json!({"metadata": {"ownerReferences": [owner]}}),
        )
    }

    fn names<'a>(objects: impl IntoIterator<Item = &'a Object>) -> Vec<&'a str> {
        objects.into_iter().map(Object::name).collect()
    }

    fn selector(text: &str) -> LabelSelector {
        LabelSelector::parse(text).unwrap()
    }

    #[test]
    fn objects_are_indexed_by_label_owner_and_uid() {
        let by_node = Index {
            kind: kind("Pod"),
            name: "node",
            reads: &["/spec/nodeName"],
            values: |o| {
                vec![
                    o["spec"]["nodeName"]
                        .as_str()
                        .unwrap_or_default()
                        .to_owned(),
                ]
            },
        };
        let mut cache = Cache::new([by_node]);
        cache.put(labeled("b", 1, "web"));
        cache.put(labeled("a", 2, "web"));
        cache.put(owned("c", 3, "u1"));
        cache.put(pod("d", 4, json!({"spec": {"nodeName": "n1"}})));
        let pods = kind("Pod");
        assert_eq!(
            names(cache.selected(pods, "a", &selector("app=web"))),
            ["a", "b"]
        );
        assert_eq!(
            names(cache.selected(pods, "a", &selector("!app"))),
            ["c", "d"]
        );
        assert_eq!(
            names(cache.selected(pods, "b", &selector("app=web"))),
            [""; 0]
        );
        assert_eq!(names(cache.controlled_by(pods, "u1")), ["c"]);
        assert_eq!(names(cache.owned_by("u1")), ["c"]);
        assert_eq!(names(cache.orphans(pods, "a")), ["a", "b", "d"]);
        assert_eq!(names(cache.indexed(pods, "node", "n1")), ["d"]);
        assert_eq!(cache.by_uid("uid-d").map(Object::name), Some("d"));
    }

    #[test]
    fn indexes_follow_changes_and_removals() {
        let mut cache = Cache::default();
        let pods = kind("Pod");
        cache.put(labeled("a", 1, "web"));
        cache.put(labeled("a", 2, "api"));
        assert!(cache.selected(pods, "a", &selector("app=web")).is_empty());
        assert_eq!(
            names(cache.selected(pods, "a", &selector("app=api"))),
            ["a"]
        );
        cache.put(owned("a", 3, "u1"));
        assert_eq!(names(cache.orphans(pods, "a")), [""; 0]);
        cache.remove(pods, &Key::new("a", "a"), 4);
        assert_eq!(names(cache.owned_by("u1")), [""; 0]);
        assert!(cache.by_uid("uid-a").is_none());
    }

    #[test]
    fn an_older_version_than_the_cached_one_changes_nothing() {
        let mut cache = Cache::default();
        assert!(cache.put(labeled("a", 5, "new")).is_some());
        assert!(cache.put(labeled("a", 4, "old")).is_none());
        assert!(cache.put(labeled("a", 5, "same")).is_none());
        assert!(cache.remove(kind("Pod"), &Key::new("a", "a"), 5).is_none());
        assert!(cache.remove(kind("Pod"), &Key::new("a", "a"), 6).is_some());
    }

    /// Returns a Pod of a template that shares no memory with others.
    fn of_template(name: &str, revision: u64) -> Object {
        let value = pod(
            name,
            revision,
            json!({
                "metadata": {"labels": {"app": "web"}, "creationTimestamp": "2026-01-01T00:00:00Z"},
                "spec": {"nodeName": name, "tolerations": [{"key": "a"}]},
                "status": {"podIP": name, "conditions": [{"type": "Ready"}]},
            }),
        );
        let text = value.value().to_string();
        Object::new(kind("Pod"), serde_json::from_str(&text).unwrap())
    }

    #[test]
    fn pods_of_a_template_share_memory() {
        let mut cache = Cache::default();
        for (revision, name) in (1..).zip(["a", "b", "c", "b"]) {
            cache.put(of_template(name, revision));
        }
        let pods: Vec<&Object> = cache.list(kind("Pod"), "").collect();
        assert_eq!(names(pods.iter().copied()), ["a", "b", "c"]);
        for part in [
            "/metadata/labels",
            "/spec/tolerations",
            "/status/conditions",
        ] {
            let part = |pod: &Object| pod.pointer(part).unwrap().clone();
            assert!(
                pods[1..]
                    .iter()
                    .all(|pod| part(pod).is_shared_with(&part(pods[0])))
            );
        }
        let times = pods
            .iter()
            .map(|pod| pod.meta("creationTimestamp").as_ptr());
        assert_eq!(times.collect::<std::collections::BTreeSet<_>>().len(), 1);
        assert_eq!(*pods[1], of_template("b", 4));
        // A look-up by uid returns the same object.
        let found = cache.by_uid("uid-b").unwrap();
        assert!(std::ptr::eq(found.value(), pods[1].value()));
    }

    #[test]
    fn projected_kinds_keep_only_a_part() {
        let pods = kind("Pod");
        let brief = |o: &Value| json!({"metadata": o["metadata"]});
        let mut cache = Cache::default().with_projection(pods, brief);
        let change = cache.put(of_template("a", 1)).unwrap();
        assert_eq!(change.after.unwrap()["spec"], Value::Null);
        assert_eq!(cache.by_uid("uid-a").unwrap().label("app"), "web");
        assert_eq!(
            (
                cache.keeps_whole_objects(pods),
                cache.keeps_whole_objects(kind("Node"))
            ),
            (false, true)
        );
    }

    #[test]
    fn dependents_are_sorted_by_kind_and_name() {
        let mut cache = Cache::default();
        let node = json!({"metadata": {"name": "n", "uid": "uid-n", "resourceVersion": "1",
            "ownerReferences": [{"uid": "u1"}, {"uid": "u2"}]}});
        for (revision, name) in (1..).zip(["c", "a", "b"]) {
            cache.put(owned(name, revision, "u1"));
        }
        cache.put(Object::new(kind("Node"), node));
        assert_eq!(names(cache.owned_by("u1")), ["n", "a", "b", "c"]);
        cache.remove(kind("Node"), &Key::new("", "n"), 9);
        cache.put(owned("a", 5, "u2"));
        assert_eq!(names(cache.owned_by("u1")), ["b", "c"]);
        assert_eq!(names(cache.owned_by("u2")), ["a"]);
        assert_eq!(names(cache.controlled_by(kind("Pod"), "u2")), ["a"]);
    }
}
