//! The requests for the objects of one kind. A request panics unless it succeeds; those whose names begin with `try`
//! return the response.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::client::{Answer, Watch};
use crate::cluster::Api;

/// The time after which the server ends the watch of a wait, in seconds. After 90 seconds it would also close the idle
/// connection for the other requests of the test.
const LIMIT: u32 = 80;

/// The objects of a kind.
#[derive(Clone)]
pub struct Resource<'a> {
    pub api: &'a Api,
    version: String,
    kind: String,
    pub path: String,
}

/// Returns the name of a kind's resource.
pub fn plural(kind: &str) -> String {
    let lower = kind.to_lowercase();
    match lower.as_str() {
        _ if lower.ends_with("endpoints") => lower,
        _ if lower.ends_with("ss") => format!("{lower}es"),
        _ => match lower.strip_suffix('y') {
            Some(stem) => format!("{stem}ies"),
            None => format!("{lower}s"),
        },
    }
}

/// Returns a text as part of a query.
pub fn encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' | b'_' => out.push(byte.into()),
            _ => write!(out, "%{byte:02X}").unwrap(),
        }
    }
    out
}

/// Returns the name of an object.
pub fn name(object: &Value) -> &str {
    object["metadata"]["name"].as_str().unwrap_or_default()
}

/// Returns the revision of an object or a list.
pub fn revision(object: &Value) -> &str {
    object["metadata"]["resourceVersion"].as_str().unwrap()
}

/// Returns the names of objects, sorted.
pub fn names(objects: &[Value]) -> Vec<String> {
    let mut names: Vec<String> = objects.iter().map(|o| name(o).to_owned()).collect();
    names.sort();
    names
}

/// Returns the condition of a type in the status of an object.
pub fn condition<'a>(object: &'a Value, kind: &str) -> Option<&'a Value> {
    let conditions = object["status"]["conditions"].as_array()?;
    conditions.iter().find(|c| c["type"] == kind)
}

/// Returns true if an object has a condition of a type with the status `True`.
pub fn is_true(object: &Value, kind: &str) -> bool {
    condition(object, kind).is_some_and(|c| c["status"] == "True")
}

impl<'a> Resource<'a> {
    pub fn new(api: &'a Api, version: &str, kind: &str, namespace: Option<&str>) -> Self {
        let root = if version == "v1" { "/api" } else { "/apis" };
        let place = namespace
            .map(|n| format!("/namespaces/{n}"))
            .unwrap_or_default();
        Self {
            api,
            version: version.to_owned(),
            kind: kind.to_owned(),
            path: format!("{root}/{version}{place}/{}", plural(kind)),
        }
    }

    fn at(&self, name: &str, part: &str) -> String {
        match part {
            "" => format!("{}/{name}", self.path),
            _ => format!("{}/{name}/{part}", self.path),
        }
    }

    fn typed(&self, mut object: Value) -> String {
        object["apiVersion"] = json!(self.version);
        object["kind"] = json!(self.kind);
        object.to_string()
    }

    pub fn try_create(&self, object: Value) -> Answer {
        let body = self.typed(object);
        self.api.ask("POST", &self.path, "application/json", &body)
    }

    #[track_caller]
    pub fn create(&self, object: Value) -> Value {
        self.try_create(object).ok()
    }

    pub fn try_get(&self, name: &str) -> Answer {
        self.api.get(&self.at(name, ""))
    }

    #[track_caller]
    pub fn get(&self, name: &str) -> Value {
        self.try_get(name).ok()
    }

    /// Returns a subresource.
    #[track_caller]
    pub fn part(&self, name: &str, part: &str) -> Value {
        self.api.get(&self.at(name, part)).ok()
    }

    /// Replaces an object, or its subresource.
    pub fn try_update(&self, object: &Value, part: &str) -> Answer {
        let path = self.at(name(object), part);
        self.api
            .ask("PUT", &path, "application/json", &object.to_string())
    }

    /// Reads, changes and replaces an object or its subresource until no other writer comes between.
    #[track_caller]
    pub fn try_edit(&self, name: &str, part: &str, change: impl Fn(&mut Value)) -> Answer {
        for _ in 0..50 {
            let mut object = self.part(name, part);
            change(&mut object);
            let answer = self.try_update(&object, part);
            if answer.code != 409 {
                return answer;
            }
        }
        panic!("{name} is always in conflict");
    }

    #[track_caller]
    pub fn edit(&self, name: &str, part: &str, change: impl Fn(&mut Value)) -> Value {
        self.try_edit(name, part, change).ok()
    }

    /// Patches an object or its subresource. The kind of the patch is `merge`, `strategic-merge` or `json`.
    pub fn try_patch(&self, name: &str, part: &str, kind: &str, patch: &Value) -> Answer {
        let media = format!("application/{kind}-patch+json");
        let path = self.at(name, part);
        self.api.ask("PATCH", &path, &media, &patch.to_string())
    }

    #[track_caller]
    pub fn merge(&self, name: &str, part: &str, patch: Value) -> Value {
        self.try_patch(name, part, "merge", &patch).ok()
    }

    /// Creates a subresource, such as an eviction.
    pub fn try_post(&self, name: &str, part: &str, body: &Value) -> Answer {
        let path = self.at(name, part);
        self.api
            .ask("POST", &path, "application/json", &body.to_string())
    }

    pub fn try_delete(&self, name: &str, options: &Value) -> Answer {
        let body = options.to_string();
        self.api
            .ask("DELETE", &self.at(name, ""), "application/json", &body)
    }

    #[track_caller]
    pub fn delete(&self, name: &str) {
        self.try_delete(name, &json!({})).ok();
    }

    /// Deletes an object and says what happens to its dependents.
    #[track_caller]
    pub fn delete_as(&self, name: &str, policy: &str) {
        self.try_delete(name, &json!({"propagationPolicy": policy}))
            .ok();
    }

    /// Deletes the objects with these labels.
    #[track_caller]
    pub fn delete_all(&self, labels: &str) {
        let path = format!("{}?labelSelector={}", self.path, encoded(labels));
        self.api.ask("DELETE", &path, "", "").ok();
    }

    /// Returns a list with a query.
    #[track_caller]
    pub fn query(&self, query: &str) -> Value {
        self.api.get(&format!("{}?{query}", self.path)).ok()
    }

    /// Returns the objects with these labels.
    #[track_caller]
    pub fn list(&self, labels: &str) -> Vec<Value> {
        let list = self.query(&format!("labelSelector={}", encoded(labels)));
        list["items"].as_array().unwrap().clone()
    }

    /// Begins a watch with a query: at its revision, or else now.
    #[track_caller]
    pub fn watch(&self, query: &str) -> Watch {
        if query.contains("resourceVersion=") {
            return self.watch_for(LIMIT, query);
        }
        // Without a revision, a watch begins with the state at a time that the client does not know.
        let now = self.query("limit=1");
        self.watch_for(
            LIMIT,
            &format!("{query}&resourceVersion={}", revision(&now)),
        )
    }

    #[track_caller]
    fn watch_for(&self, limit: u32, query: &str) -> Watch {
        let path = format!("{}?watch=1&timeoutSeconds={limit}&{query}", self.path);
        Watch::open(&self.api.address, &path, &self.api.fields)
    }

    /// Waits until a condition holds for an object, which is null as long as it does not exist.
    #[track_caller]
    pub fn until(&self, name: &str, what: &str, holds: impl Fn(&Value) -> bool) -> Value {
        let query = format!("fieldSelector=metadata.name%3D{name}");
        let found = self.follow(&query, LIMIT, &|objects| match objects {
            [] => holds(&Value::Null),
            [object, ..] => holds(object),
        });
        match found {
            Ok(mut objects) => objects.pop().unwrap_or_default(),
            Err(last) => panic!("{} {name} never: {what}\n{last:#?}", self.kind),
        }
    }

    /// Returns true if a condition holds for an object now or within a second.
    pub fn soon(&self, name: &str, holds: impl Fn(&Value) -> bool) -> bool {
        let query = format!("fieldSelector=metadata.name%3D{name}");
        self.follow(&query, 1, &|objects| objects.iter().all(&holds))
            .is_ok()
    }

    /// Waits until an object does not exist.
    #[track_caller]
    pub fn until_gone(&self, name: &str) {
        self.until(name, "is gone", Value::is_null);
    }

    /// Waits until a condition holds for the objects with these labels.
    #[track_caller]
    pub fn until_all(
        &self,
        labels: &str,
        what: &str,
        holds: impl Fn(&[Value]) -> bool,
    ) -> Vec<Value> {
        let query = format!("labelSelector={}", encoded(labels));
        match self.follow(&query, LIMIT, &holds) {
            Ok(objects) => objects,
            Err(last) => panic!("{} with {labels} never: {what}\n{last:#?}", self.kind),
        }
    }

    /// Lists and watches until a condition holds. Returns the last objects as an error if the watch ends.
    fn follow(
        &self,
        query: &str,
        limit: u32,
        holds: &dyn Fn(&[Value]) -> bool,
    ) -> Result<Vec<Value>, Vec<Value>> {
        let list = self.query(query);
        let mut known = BTreeMap::new();
        let key = |o: &Value| (o["metadata"]["namespace"].to_string(), name(o).to_owned());
        for item in list["items"].as_array().unwrap() {
            known.insert(key(item), item.clone());
        }
        let now = |known: &BTreeMap<_, Value>| known.values().cloned().collect::<Vec<_>>();
        if holds(&now(&known)) {
            return Ok(now(&known));
        }
        let query = format!("{query}&resourceVersion={}", revision(&list));
        for event in self.watch_for(limit, &query) {
            let object = &event["object"];
            match event["type"].as_str() {
                Some("DELETED") => drop(known.remove(&key(object))),
                Some("ADDED" | "MODIFIED") => drop(known.insert(key(object), object.clone())),
                _ => panic!("{event}"),
            }
            if holds(&now(&known)) {
                return Ok(now(&known));
            }
        }
        Err(now(&known))
    }
}
