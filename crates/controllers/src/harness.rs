//! A controller with a cache that a test fills, for controllers that watch several kinds and namespaces.

use std::sync::{Arc, LazyLock};

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::cluster::{Cluster, Identity, Open, Part, PodMode, Settings, Verb};
use crate::kinds::find_by_api_version;
use crate::runtime::{
    Cache, CompletedWrite, Controller, Key, Object, Plan, PlannedWrite, ReconcileContext,
};

/// Returns the keys of a cluster in memory, made once for all tests.
pub(crate) fn identity() -> &'static Identity {
    static IDENTITY: LazyLock<Arc<Identity>> = LazyLock::new(|| {
        let settings = Settings::new(crate::runtime::Seed(7));
        Arc::clone(
            Cluster::in_memory(&Open::default(), settings)
                .rights()
                .keys(),
        )
    });
    &IDENTITY
}

/// A controller with its cache.
pub(crate) struct ControllerHarness<C> {
    pub(crate) cache: Cache,
    pub(crate) controller: C,
    pub(crate) now: Timestamp,
    pub(crate) mode: PodMode,
    revision: u64,
}

impl<C: Controller> ControllerHarness<C> {
    pub(crate) fn new(controller: C) -> Self {
        Self {
            cache: Cache::new(controller.indexes()).with_tallies(controller.tallies()),
            controller,
            now: "2026-01-02T12:00:00Z".parse().unwrap(),
            mode: PodMode::Default,
            revision: 0,
        }
    }

    /// Puts an object, with generated metadata for absent fields.
    pub(crate) fn put(&mut self, api_version: &str, kind: &str, mut object: Value) -> Object {
        let kind = find_by_api_version(api_version, kind).unwrap();
        self.revision += 1;
        object["apiVersion"] = json!(api_version);
        object["kind"] = json!(kind.kind);
        let name = object["metadata"]["name"].as_str().unwrap().to_owned();
        let metadata = &mut object["metadata"];
        metadata["resourceVersion"] = json!(self.revision.to_string());
        if metadata["uid"].is_null() {
            metadata["uid"] = json!(format!("uid-{name}"));
        }
        if metadata["creationTimestamp"].is_null() {
            metadata["creationTimestamp"] = json!("2026-01-02T12:00:00Z");
        }
        if kind.namespaced && metadata["namespace"].is_null() {
            metadata["namespace"] = json!("default");
        }
        let object = Object::new(kind, object);
        if let Some(change) = self.cache.put(object.clone()) {
            self.controller.observe(&change, &self.cache);
        }
        object
    }

    /// Removes an object.
    pub(crate) fn remove(&mut self, object: &Object) {
        self.revision += 1;
        let gone = self
            .cache
            .remove(object.kind(), object.key(), self.revision);
        self.controller.observe(&gone.unwrap(), &self.cache);
    }

    /// Returns the plan for a key.
    pub(crate) fn plan(&mut self, namespace: &str, name: &str) -> Plan {
        self.controller.plan(&ReconcileContext {
            key: &Key::new(namespace, name),
            cache: &self.cache,
            now: self.now,
            failures: 0,
            refused: &[],
            seed: crate::runtime::Seed(7),
            pods: self.mode,
            identity: crate::harness::identity(),
        })
    }

    /// Returns the plan of a controller that has seen only the current objects.
    pub(crate) fn plan_of(&mut self, mut new: C, namespace: &str, name: &str) -> Plan {
        for kind in self.cache.kinds() {
            for object in self.cache.list(kind, "") {
                let change = crate::runtime::Change {
                    before: None,
                    after: Some(object.clone()),
                };
                new.observe(&change, &self.cache);
            }
        }
        let old = std::mem::replace(&mut self.controller, new);
        let plan = self.plan(namespace, name);
        self.controller = old;
        plan
    }

    /// Completes the status writes of a plan: the controller observes the objects and the writes.
    pub(crate) fn done(&mut self, plan: &Plan) {
        for write in &plan.status {
            let kind = write.place.kind;
            let object = self.put(&kind.api_version(), kind.kind, content(write).clone());
            self.controller.on_written(&CompletedWrite {
                at: self.now,
                rule: &write.rule,
                object: &object,
            });
        }
    }

    /// Returns the keys that the creation of an object enqueues.
    pub(crate) fn keys(&self, object: &Object) -> Vec<Key> {
        let change = crate::runtime::Change {
            before: None,
            after: Some(object.clone()),
        };
        let watches = self.controller.watches();
        let of = watches
            .iter()
            .filter(|w| w.kind.is_none_or(|k| std::ptr::eq(k, object.kind())));
        let mut keys: Vec<Key> = of.flat_map(|w| (w.keys)(&change, &self.cache)).collect();
        keys.sort();
        keys.dedup();
        keys
    }
}

/// Returns the verb of a write, its target, and its rule without the detail.
pub(crate) fn line(write: &PlannedWrite) -> String {
    let verb = match &write.verb {
        Verb::Create(_) => "create",
        Verb::Update(Part::Status, _) => "status",
        Verb::Update(Part::Finalize, _) => "finalize",
        Verb::Update(..) => "update",
        Verb::Patch {
            part: Part::Status, ..
        } => "patch-status",
        Verb::Patch { .. } => "patch",
        Verb::Apply { .. } => "apply",
        Verb::Delete(_) => "delete",
        Verb::Bind(_) => "bind",
        other => panic!("no controller plans {other:?}"),
    };
    let rule = write.rule.split(':').next().unwrap_or_default();
    format!("{verb} {} {}: {rule}", write.place.kind.plural, write.name)
}

/// Returns the writes of a plan as text.
pub(crate) fn lines(plan: &Plan) -> Vec<String> {
    plan.changes.iter().chain(&plan.status).map(line).collect()
}

/// Returns the object or patch that a write carries.
pub(crate) fn content(write: &PlannedWrite) -> &Value {
    match &write.verb {
        Verb::Create(v) | Verb::Update(_, v) => v,
        Verb::Patch { patch, .. } => patch,
        Verb::Apply { config, .. } => config,
        _ => &Value::Null,
    }
}
