//! Caches made by hand, for tests of plans of controllers that look at several kinds and namespaces.

use jiff::Timestamp;

use super::watched::known;
use crate::api::json::{Value, json};
use crate::cluster::PodMode;
use crate::runtime::{Action, Cache, Controller, Deed, Key, Object, Plan, Sync, Write};

/// A controller with the cluster that it sees.
pub(crate) struct Stand<C> {
    pub(crate) cache: Cache,
    pub(crate) controller: C,
    pub(crate) now: Timestamp,
    pub(crate) mode: PodMode,
    revision: u64,
}

impl<C: Controller> Stand<C> {
    pub(crate) fn new(controller: C) -> Self {
        Self {
            cache: Cache::new(controller.indexes()).keeping(controller.tallies()),
            controller,
            now: "2026-01-02T12:00:00Z".parse().unwrap(),
            mode: PodMode::Default,
            revision: 0,
        }
    }

    /// Puts an object; what it does not say of its metadata is made up.
    pub(crate) fn put(&mut self, api_version: &str, kind: &str, mut object: Value) -> Object {
        let kind = known(api_version, kind);
        assert_ne!(kind.kind, "Scale", "there is no such kind");
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

    /// The plan for a key.
    pub(crate) fn plan(&mut self, namespace: &str, name: &str) -> Plan {
        self.controller.plan(&Sync {
            key: &Key::new(namespace, name),
            cache: &self.cache,
            now: self.now,
            failures: 0,
            refused: &[],
            seed: crate::runtime::Seed(7),
            pods: self.mode,
        })
    }

    /// The plan of a controller that has only seen what there is now.
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

    /// The status writes of a plan are done: the controller sees the objects, and remembers.
    pub(crate) fn done(&mut self, plan: &Plan) {
        for write in &plan.status {
            let kind = write.place.kind;
            let object = self.put(&kind.api_version(), kind.kind, content(write).clone());
            self.controller.remember(&Deed {
                at: self.now,
                rule: &write.rule,
                object: &object,
            });
        }
    }

    /// The keys that a change of an object leads to, as if it had just come.
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

/// Returns the action of a write, its target, and its rule without the detail.
pub(crate) fn line(write: &Write) -> String {
    let verb = match &write.action {
        Action::Create(_) => "create",
        Action::Update(_) => "update",
        Action::UpdateStatus(_) => "status",
        Action::Patch { status: true, .. } => "patch-status",
        Action::Patch { .. } => "patch",
        Action::Delete { .. } => "delete",
        Action::Finalize(_) => "finalize",
        Action::Bind { .. } => "bind",
    };
    let rule = write.rule.split(':').next().unwrap_or_default();
    format!("{verb} {} {}: {rule}", write.place.kind.plural, write.name)
}

/// The writes of a plan as text.
pub(crate) fn lines(plan: &Plan) -> Vec<String> {
    plan.changes.iter().chain(&plan.status).map(line).collect()
}

/// The object or patch that a write carries.
pub(crate) fn content(write: &Write) -> &Value {
    match &write.action {
        Action::Create(v) | Action::Update(v) | Action::UpdateStatus(v) | Action::Finalize(v) => v,
        Action::Patch { patch, .. } => patch,
        Action::Delete { .. } | Action::Bind { .. } => &Value::Null,
    }
}
