//! A server with one object that records the result of each write.

mod merging;
mod owners;
mod refusals;
mod table;

pub(in crate::patch) use table::{CASES, TABLE};

use super::server_side::LAST_APPLIED;
use super::*;
use crate::json::{List, Value, json};
use crate::patch::fieldset::FieldSet;
use crate::patch::shape::{Shape, Untyped};
use crate::patch::testing::{FactShape, kind};

const T0: &str = "2026-11-20T22:00:00Z";

/// An object on a server that knows its schema.
struct Server<S> {
    shape: S,
    api_version: &'static str,
    empty: Value,
    reset: FieldSet,
    live: Value,
    minute: u32,
}

impl Server<FactShape> {
    fn configmaps() -> Self {
        let empty = json!({"metadata": {"creationTimestamp": null}});
        Self::new(kind("core.v1.ConfigMap"), "v1", empty)
    }

    fn deployments() -> Self {
        let empty = json!({
            "metadata": {"creationTimestamp": null},
            "spec": {"selector": null, "strategy": {}, "template": {
                "metadata": {"creationTimestamp": null}, "spec": {"containers": null}}},
            "status": {}});
        let mut server = Self::new(kind("apps.v1.Deployment"), "apps/v1", empty);
        server.reset = FieldSet::of_fields([&["status"][..]]);
        server
    }
}

impl Server<Untyped> {
    fn custom() -> Self {
        Self::new(Untyped, "example.com/v1", json!({}))
    }
}

impl<S: Shape> Server<S> {
    fn new(shape: S, api_version: &'static str, empty: Value) -> Self {
        Self {
            shape,
            api_version,
            live: empty.clone(),
            empty,
            reset: FieldSet::default(),
            minute: 0,
        }
    }

    fn writing<T>(&mut self, manager: &str, f: impl FnOnce(&mut Self, &Writer<'_>) -> T) -> T {
        self.minute += 1;
        let time = format!("2026-11-20T22:{:02}:00Z", self.minute);
        let (manager, subresource) = manager.split_once('/').unwrap_or((manager, ""));
        let (reset, empty) = (self.reset.clone(), self.empty.clone());
        let writer = Writer {
            manager,
            api_version: self.api_version,
            subresource,
            time: &time,
            reset: &reset,
            empty: &empty,
        };
        f(self, &writer)
    }

    fn exists(&mut self) {
        if let Some(metadata) = self.live.pointer_mut("/metadata") {
            metadata["uid"] = "u".into();
        }
    }

    fn try_apply(&mut self, manager: &str, config: Value, force: bool) -> Result<(), String> {
        let config = self.complete(config);
        self.writing(manager, |server, writer| {
            let live = server.live.clone();
            server.live =
                apply(&live, &config, &server.shape, writer, force).map_err(|e| e.to_string())?;
            server.exists();
            Ok(())
        })
    }

    #[track_caller]
    fn apply(&mut self, manager: &str, config: Value) {
        self.try_apply(manager, config, false).unwrap();
    }

    #[track_caller]
    fn force(&mut self, manager: &str, config: Value) {
        self.try_apply(manager, config, true).unwrap();
    }

    #[track_caller]
    fn fails(&mut self, manager: &str, config: Value, message: &str) {
        let before = self.live.clone();
        assert_eq!(self.try_apply(manager, config, false), Err(message.into()));
        assert_eq!(self.live, before);
    }

    fn complete(&self, mut config: Value) -> Value {
        config["apiVersion"] = self.api_version.into();
        config["kind"] = "K".into();
        config["metadata"]["name"] = "x".into();
        config
    }

    fn put(&mut self, manager: &str, object: Value) {
        let mut new = self.complete(object);
        self.writing(manager, |server, writer| {
            capture(&server.live, &mut new, &server.shape, writer);
            server.live = new;
            server.exists();
        });
    }

    /// Sends a merge patch.
    fn patch(&mut self, manager: &str, patch: Value) {
        self.writing(manager, |server, writer| {
            let mut new = server.live.clone();
            crate::patch::merge::apply(&mut new, &patch);
            capture(&server.live, &mut new, &server.shape, writer);
            server.live = new;
            server.exists();
        });
    }

    /// Returns the managers and their fields, in the order of the list.
    fn owners(&self) -> Vec<(String, Value)> {
        let list = &self.live["metadata"]["managedFields"];
        let entries = list.as_array().map(List::as_slice).unwrap_or_default();
        let owner = |e: &Value| {
            let mut name = format!("{} {}", e["manager"], e["operation"]).replace('"', "");
            if let Some(subresource) = e["subresource"].as_str() {
                name.push('/');
                name.push_str(subresource);
            }
            (name, e["fieldsV1"].clone())
        };
        entries.iter().map(owner).collect()
    }

    #[track_caller]
    fn owned(&self, expected: &[(&str, Value)]) {
        let expected: Vec<_> = expected
            .iter()
            .map(|(m, f)| ((*m).to_owned(), f.clone()))
            .collect();
        assert_eq!(self.owners(), expected);
    }

    fn at(&self, pointer: &str) -> Value {
        self.live.pointer(pointer).cloned().unwrap_or(Value::Null)
    }
}

fn deployment(containers: Value) -> Value {
    json!({"spec": {
        "replicas": 1,
        "selector": {"matchLabels": {"app": "a"}},
        "template": {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": containers}}}})
}
