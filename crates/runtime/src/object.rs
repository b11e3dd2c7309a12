//! Objects of the cache: parsed once, shared, never changed in place.

use std::any::Any;
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use crate::api::json::{List, Text, Value, json};
use crate::cluster::{Kind, Place, Revision};

/// The name of an object of some kind; the item of a controller's queue.
///
/// ```
/// use ctl_runtime::Key;
///
/// let key = Key::new("default", "web");
/// assert_eq!(key.to_string(), "default/web");
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// The namespace; empty for cluster-scoped objects.
    pub namespace: Text,
    /// The name.
    pub name: Text,
}

impl Key {
    /// Returns the key of an object.
    pub fn new(namespace: &str, name: &str) -> Self {
        Self {
            namespace: namespace.into(),
            name: name.into(),
        }
    }

    /// Returns the only key of a controller that reconciles the whole cluster at once.
    pub fn all() -> Self {
        Self::new("", "")
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.namespace {
            "" => f.write_str(&self.name),
            namespace => write!(f, "{namespace}/{}", self.name),
        }
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// An object of the cache: reads as its JSON tree, and cheap to clone.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_runtime::Object;
///
/// # let cluster = ctl_cluster::testing::in_memory();
/// let pod = json!({"metadata": {"namespace": "default", "name": "web-0", "uid": "2",
///     "ownerReferences": [{"kind": "ReplicaSet", "name": "web", "uid": "1", "controller": true}]}});
/// let pod = Object::new(cluster.kind("pods")?, pod);
/// assert_eq!(pod.controller().unwrap()["uid"], "1");
/// assert!(!pod.is_terminating());
/// # Ok::<(), ctl_cluster::ApiError>(())
/// ```
#[derive(Clone)]
pub struct Object(Arc<Inner>);

/// The number of types of results that an object remembers.
const REMEMBERED: usize = 3;

/// Results of different types.
type Results = [OnceLock<Box<dyn Any + Send + Sync>>; REMEMBERED];

struct Inner {
    kind: &'static Kind,
    key: Key,
    revision: Revision,
    value: Value,
    // Every change asks each controller about these: looked up in the tree, they were 3 % of a rolling update.
    uid: Text,
    owners: List,
    /// The index of the owner that controls the object.
    controller: Option<u32>,
    terminating: bool,
    derived: OnceLock<Box<dyn Any + Send + Sync>>,
    /// Boxed, because most objects remember nothing.
    remembered: OnceLock<Box<Results>>,
}

impl Object {
    /// Wraps an object of a kind that the cluster returned.
    pub fn new(kind: &'static Kind, value: Value) -> Self {
        let metadata = &value["metadata"];
        let text = |field: &str| match &metadata[field] {
            Value::String(text) => text.clone(),
            _ => Text::new(),
        };
        // A manifest may name a namespace for a cluster-scoped object; its key must not, or look-ups would miss it.
        let key = Key {
            namespace: match kind.namespaced {
                true => text("namespace"),
                false => Text::new(),
            },
            name: text("name"),
        };
        // Objects that are not stored yet have no version; 0 makes every stored version newer.
        let revision = text("resourceVersion").parse().unwrap_or(0);
        let owners = metadata["ownerReferences"].as_array();
        let owners = owners.cloned().unwrap_or_default();
        let controller = owners.iter().position(|o| o["controller"] == true);
        Self(Arc::new(Inner {
            kind,
            key,
            revision,
            uid: text("uid"),
            controller: controller.and_then(|at| u32::try_from(at).ok()),
            owners,
            terminating: metadata["deletionTimestamp"].is_string(),
            value,
            derived: OnceLock::new(),
            remembered: OnceLock::new(),
        }))
    }

    /// Returns its kind.
    pub fn kind(&self) -> &'static Kind {
        self.0.kind
    }

    /// Returns its namespace and name.
    pub fn key(&self) -> &Key {
        &self.0.key
    }

    /// Returns its name.
    pub fn name(&self) -> &str {
        &self.0.key.name
    }

    /// Returns its namespace; empty if it has none.
    pub fn namespace(&self) -> &str {
        &self.0.key.namespace
    }

    /// Returns its kind and namespace.
    pub fn place(&self) -> Place {
        Place::new(self.0.kind, &self.0.key.namespace)
    }

    /// Returns the revision of its last change.
    pub fn revision(&self) -> Revision {
        self.0.revision
    }

    /// Returns its uid.
    pub fn uid(&self) -> &str {
        &self.0.uid
    }

    /// Returns its uid as the text in its tree, if it has one.
    pub fn uid_text(&self) -> Option<&Text> {
        Some(&self.0.uid).filter(|uid| !uid.is_empty())
    }

    /// Returns a field of the metadata as text; empty if it is absent.
    pub fn meta(&self, field: &str) -> &str {
        self.0.value["metadata"][field].as_str().unwrap_or_default()
    }

    /// Returns the value of a label; empty if it is absent.
    pub fn label(&self, name: &str) -> &str {
        self.0.value["metadata"]["labels"][name]
            .as_str()
            .unwrap_or_default()
    }

    /// Returns the value of an annotation, if it is set.
    pub fn annotation(&self, name: &str) -> Option<&str> {
        self.0.value["metadata"]["annotations"][name].as_str()
    }

    /// Returns true if its deletion was requested.
    pub fn is_terminating(&self) -> bool {
        self.0.terminating
    }

    /// Returns all references to owners.
    pub fn owners(&self) -> &[Value] {
        &self.0.owners
    }

    /// Returns the reference to the owner that controls it.
    pub fn controller(&self) -> Option<&Value> {
        let at = usize::try_from(self.0.controller?).ok()?;
        self.0.owners.get(at)
    }

    /// Returns true if it is controlled by this object.
    pub fn is_controlled_by(&self, owner: &Self) -> bool {
        self.controller()
            .is_some_and(|o| o["uid"].as_str() == Some(owner.uid()))
    }

    /// Returns true if it has a finalizer.
    pub fn has_finalizer(&self, name: &str) -> bool {
        let list = self.0.value["metadata"]["finalizers"].as_array();
        list.is_some_and(|list| list.iter().any(|f| f == name))
    }

    /// Returns the reference that makes this object the controller of another one.
    pub fn controller_reference(&self) -> Value {
        json!({
            "apiVersion": self.kind().api_version(),
            "kind": self.kind().kind,
            "name": self.name(),
            "uid": self.uid(),
            "controller": true,
            // As in the references that kube-controller-manager writes: foreground deletion waits for these
            // dependents.
            "blockOwnerDeletion": true,
        })
    }

    /// Returns the reference for an event about it. The events about one version share it, so that comparing what they
    /// are about takes no time.
    pub fn reference(&self) -> Value {
        struct Reference(Value);
        let known = self.remembered().map(|known: &Reference| known.0.clone());
        known.unwrap_or_else(|| {
            let made = self.new_reference();
            self.remember(Reference(made.clone()));
            made
        })
    }

    fn new_reference(&self) -> Value {
        let mut reference = json!({
            "apiVersion": self.kind().api_version(),
            "kind": self.kind().kind,
            "name": self.key().name,
            "uid": self.uid_text().cloned().unwrap_or_default(),
            // As in client-go's `GetReference`: it identifies the state of the object that the event is about.
            "resourceVersion": self.revision().to_string(),
        });
        if !self.namespace().is_empty() {
            reference["namespace"] = json!(self.key().namespace);
        }
        reference
    }

    /// Returns a value derived from the object, and caches it, because an object never changes. The cache has room for
    /// one value; a second type is recomputed on each call.
    pub fn derived<T: Copy + Send + Sync + 'static>(&self, work_out: fn(&Self) -> T) -> T {
        let kept = self.0.derived.get_or_init(|| Box::new(work_out(self)));
        let kept = kept.downcast_ref::<T>().copied();
        kept.unwrap_or_else(|| work_out(self))
    }

    /// Remembers a result about this version of the object for all who share it, such as the runs of an exploration.
    /// The first result of a type stays; there is room for a few types.
    pub fn remember<T: Send + Sync + 'static>(&self, result: T) {
        let mut result: Box<dyn Any + Send + Sync> = Box::new(result);
        for room in self.0.remembered.get_or_init(Box::default).iter() {
            match room.set(result) {
                Ok(()) => return,
                Err(back) => result = back,
            }
            if room.get().is_some_and(|known| known.is::<T>()) {
                return;
            }
        }
    }

    /// Returns the remembered result of a type.
    pub fn remembered<T: 'static>(&self) -> Option<&T> {
        let results = self.0.remembered.get()?;
        let mut known = results.iter().map_while(OnceLock::get);
        known.find_map(|known| known.downcast_ref())
    }

    /// Returns the tree.
    pub fn value(&self) -> &Value {
        &self.0.value
    }

    /// Returns a copy of the tree to change.
    pub fn to_value(&self) -> Value {
        self.0.value.clone()
    }

    /// Returns a copy of the tree without one of its fields, for a replacement.
    pub fn to_value_without(&self, field: &str) -> Value {
        let mut value = self.to_value();
        if let Some(fields) = value.as_object_mut() {
            fields.remove(field);
        }
        value
    }
}

impl Deref for Object {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.0.value
    }
}

impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.value == other.0.value
    }
}

impl fmt::Debug for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}@{}", self.0.kind.kind, self.0.key, self.0.revision)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::cluster::find_kind;

    fn pod() -> Object {
        let value = json!({"metadata": {"name": "a"}, "spec": {"x": 1}, "status": {"y": 2}});
        Object::new(find_kind("v1", "Pod").unwrap(), value)
    }

    #[test]
    fn derived_values_are_computed_once_and_shared_by_clones() {
        static TIMES: AtomicUsize = AtomicUsize::new(0);
        let length = |o: &Object| {
            TIMES.fetch_add(1, Ordering::Relaxed);
            o.name().len()
        };
        let pod = pod();
        assert_eq!((pod.derived(length), pod.clone().derived(length)), (1, 1));
        assert_eq!(TIMES.load(Ordering::Relaxed), 1);
        assert!(pod.derived(|o| o.meta("name") == "a"));
        assert_eq!(pod.derived(length), 1);
    }

    #[test]
    fn a_remembered_result_is_shared_by_clones() {
        let pod = pod();
        pod.clone().remember(7_u8);
        pod.remember(8_u8);
        assert_eq!(pod.remembered::<u16>(), None);
        pod.remember(9_u16);
        let about = pod.reference();
        assert!(pod.clone().reference().is_shared_with(&about));
        pod.remember(10_u32);
        assert_eq!(pod.remembered::<u8>(), Some(&7));
        assert_eq!(pod.remembered::<u16>(), Some(&9));
        assert_eq!(pod.remembered::<u32>(), None);
    }

    #[test]
    fn to_value_without_omits_the_field() {
        let without = pod().to_value_without("status");
        assert_eq!(
            without,
            json!({"metadata": {"name": "a"}, "spec": {"x": 1}})
        );
    }
}
