//! Reads the tables: cases, with objects in a short form.
//!
//! An object is written as in a manifest and gets the API server's defaults. In addition, `like` names an entry of
//! `base` to merge it onto, `name`, `names` or `count` make one object or several, `owner: KIND/NAME` sets its
//! controller, and a text `now`, `now-90s` or `now+2m` is a time.
//!
//! A case may contain `past_writes`, the controller's own past writes, and `looked`, the time at which it last
//! reconciled the key.

use ctl::api::json::{Value, json};
use ctl::api::patch::merge;
use ctl::api::status::Status;
use ctl::cluster::{Open, PodMode, Settings};
use ctl::kinds::{Kind, find_by_api_version, moment, registry, shape};
use ctl::runtime::{
    Cache, CompletedWrite, Controller, Failure, Key, Object, Plan, ReconcileContext, Seed,
};
use jiff::{SignedDuration, Timestamp};

/// The table of one controller.
pub(super) struct File {
    /// The paths that are shown of new objects, by kind.
    pub(super) show: Value,
    pub(super) cases: Vec<Case>,
}

/// The input of a controller, and the expected plan.
pub(super) struct Case {
    pub(super) name: String,
    pub(super) said: Vec<String>,
    case: Value,
    objects: Vec<Object>,
    past_writes: Vec<(Timestamp, String, Object)>,
    now: Timestamp,
}

/// The state that a controller has seen.
pub(super) struct Stand {
    pub(super) cache: Cache,
    pub(super) now: Timestamp,
}

const CASE: &[&str] = &[
    "name",
    "now",
    "key",
    "seed",
    "pods",
    "failures",
    "refused",
    "past_writes",
    "looked",
    "objects",
    "plan",
];

impl File {
    pub(super) fn read(controller: &str, mut file: Value) -> Self {
        let mut base = file["base"].take();
        let names: Vec<String> = base
            .as_object()
            .into_iter()
            .flat_map(|b| b.keys())
            .map(|k| k.to_string())
            .collect();
        // An entry of the base may refer to another one.
        for name in &names {
            base[name.as_str()] = like(&base, base[name.as_str()].clone());
        }
        let cases = file["cases"].as_array().unwrap().iter();
        let read = |case: &Value| {
            let name = case["name"].as_str().unwrap();
            for member in case.as_object().unwrap().keys() {
                assert!(CASE.contains(&&**member), "{controller}: {name}: {member}?");
            }
            Case::read(&format!("{controller}: {name}"), &base, case)
        };
        Self {
            cases: cases.map(read).collect(),
            show: file["show"].take(),
        }
    }
}

impl Case {
    fn read(called: &str, base: &Value, case: &Value) -> Self {
        let now = case["now"].as_str().unwrap_or("2026-01-02T12:00:00Z");
        let now: Timestamp = now.parse().unwrap();
        let mut revision = 0;
        let mut objects = |from: &Value| -> Vec<Object> {
            let all = from.as_array().into_iter().flat_map(|list| list.iter());
            let all = all.flat_map(|short| each(like(base, short.clone())));
            let read = |mut value: Value| {
                times(&mut value, now);
                revision += 1;
                object(called, value, now, revision)
            };
            all.map(read).collect()
        };
        let before = objects(&case["objects"]);
        let done = case["past_writes"]
            .as_array()
            .into_iter()
            .flat_map(|list| list.iter());
        let past_writes = done.map(|write| {
            let at = time(write["at"].as_str().unwrap(), now).unwrap();
            let object = objects(&Value::from(vec![write["object"].clone()])).remove(0);
            (at, write["rule"].as_str().unwrap().to_owned(), object)
        });
        let past_writes = past_writes.collect();
        let said = case["plan"].as_str().unwrap_or_default();
        Self {
            name: case["name"].as_str().unwrap().to_owned(),
            said: said.lines().map(str::to_owned).collect(),
            case: case.clone(),
            objects: before,
            past_writes,
            now,
        }
    }

    /// Returns the plan that a controller makes, and the state that it has seen.
    pub(super) fn plan(&self, mut controller: Box<dyn Controller>) -> (Plan, Stand) {
        let mut cache = Cache::new(controller.indexes()).with_tallies(controller.tallies());
        for object in &self.objects {
            if let Some(change) = cache.put(object.clone()) {
                controller.observe(&change, &cache);
            }
        }
        for (at, rule, object) in &self.past_writes {
            controller.on_written(&CompletedWrite {
                at: *at,
                rule,
                object,
            });
        }
        let key = match self.case["key"].as_str() {
            Some(key) => {
                let (namespace, name) = key.split_once('/').unwrap_or(("default", key));
                Key::new(namespace, name)
            }
            None => Key::all(),
        };
        let refused = self.case["refused"].as_array().into_iter();
        let refused: Vec<Failure> = refused.flat_map(|list| list.iter()).map(failure).collect();
        let seed = Seed(self.case["seed"].as_u64().unwrap_or(7));
        let failures = u32::try_from(self.case["failures"].as_i64().unwrap_or(0)).unwrap();
        let pods = match self.case["pods"].as_str() {
            None => PodMode::Default,
            Some("running") => PodMode::Running,
            Some(other) => panic!("{}: pods: {other}?", self.name),
        };
        let identity = ctl::cluster::Cluster::in_memory(&Open::default(), Settings::new(seed));
        let identity = identity.rights().keys();
        let context = |now, refused| ReconcileContext {
            key: &key,
            cache: &cache,
            now,
            failures,
            refused,
            seed,
            pods,
            identity,
        };
        for at in self.case["looked"]
            .as_array()
            .into_iter()
            .flat_map(|list| list.iter())
        {
            let _ = controller.plan(&context(time(at.as_str().unwrap(), self.now).unwrap(), &[]));
        }
        let plan = controller.plan(&context(self.now, &refused));
        if let Some(planner) = controller.planner(&[&key], &cache) {
            let other = planner(&context(self.now, &refused));
            assert_eq!(other, plan, "{}: as two threads plan it", self.name);
        }
        (
            plan,
            Stand {
                cache,
                now: self.now,
            },
        )
    }
}

fn failure(value: &Value) -> Failure {
    let text = |name: &str| value[name].as_str().unwrap_or_default();
    Failure {
        rule: text("rule").to_owned(),
        index: value["index"].as_u64().map(|i| usize::try_from(i).unwrap()),
        status: Status::forbidden(text("resource"), text("name"), text("why")),
    }
}

/// Returns an object merged onto the entry of the base that it is like.
fn like(base: &Value, mut short: Value) -> Value {
    let Some(name) = short.as_object_mut().and_then(|o| o.remove("like")) else {
        return short;
    };
    let name = name.as_str().unwrap();
    let from = base
        .get(name)
        .unwrap_or_else(|| panic!("the base has no {name}"));
    let mut whole = like(base, from.clone());
    merge::apply(&mut whole, &short);
    whole
}

/// Returns the objects that one short form describes.
fn each(mut short: Value) -> Vec<Value> {
    let members = short.as_object_mut().unwrap();
    let (names, count) = (members.remove("names"), members.remove("count"));
    let one = members.remove("name");
    if let Some(owner) = members.remove("owner") {
        let (kind, name) = owner.as_str().unwrap().split_once('/').unwrap();
        let known = registry::all().find(|k| k.kind == kind).unwrap();
        short["metadata"]["ownerReferences"] = json!([{"apiVersion": known.api_version(),
            "kind": kind, "name": name, "uid": format!("uid-{name}"), "controller": true,
            "blockOwnerDeletion": true}]);
    }
    let named = |name: &str| {
        let mut object = short.clone();
        object["metadata"]["name"] = json!(name);
        object
    };
    let text = |v: &Value| v.as_str().unwrap().to_owned();
    match (names, count, one) {
        (Some(names), ..) => names
            .as_array()
            .unwrap()
            .iter()
            .map(|n| named(&text(n)))
            .collect(),
        (_, Some(count), Some(name)) => {
            let count = count.as_i64().unwrap();
            (0..count)
                .map(|i| named(&format!("{}{i}", text(&name))))
                .collect()
        }
        (_, _, Some(name)) => vec![named(&text(&name))],
        _ => vec![short],
    }
}

/// Returns the time that a text like `now-90s` describes.
fn time(text: &str, now: Timestamp) -> Option<Timestamp> {
    let rest = text.strip_prefix("now")?;
    if rest.is_empty() {
        return Some(now);
    }
    let (unit, number) = (rest.chars().last()?, &rest[..rest.len() - 1]);
    let number: i64 = number
        .parse()
        .ok()
        .filter(|_| rest.starts_with(['-', '+']))?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        'd' => 86400,
        _ => return None,
    };
    Some(now + SignedDuration::from_secs(number * seconds))
}

fn times(value: &mut Value, now: Timestamp) {
    if let Some(at) = value.as_str().and_then(|text| time(text, now)) {
        *value = json!(moment::text(at));
    }
    for inner in value
        .as_object_mut()
        .into_iter()
        .flat_map(|o| o.values_mut())
    {
        times(inner, now);
    }
    if let Some(list) = value.as_array_mut() {
        for inner in list.iter_mut() {
            times(inner, now);
        }
    }
}

/// Returns the object of a manifest as the API server would store it.
fn object(called: &str, mut value: Value, now: Timestamp, revision: u64) -> Object {
    let text = |name: &str| value[name].as_str().unwrap_or_default();
    let kind: &'static Kind = find_by_api_version(text("apiVersion"), text("kind"))
        .unwrap_or_else(|| panic!("{called}: no such kind: {value}"));
    let name = value["metadata"]["name"].as_str();
    let name = name
        .unwrap_or_else(|| panic!("{called}: no name: {value}"))
        .to_owned();
    let metadata = &mut value["metadata"];
    let mut lacks = |member: &str, made: Value| {
        if metadata[member].is_null() {
            metadata[member] = made;
        }
    };
    lacks("uid", json!(format!("uid-{name}")));
    lacks(
        "creationTimestamp",
        json!(moment::text(now - SignedDuration::from_hours(1))),
    );
    lacks("generation", json!(1));
    if kind.namespaced {
        lacks("namespace", json!("default"));
    }
    metadata["resourceVersion"] = json!(revision.to_string());
    let decoded = shape::read(kind, &value).unwrap_or_else(|e| panic!("{called}: {name}: {e}"));
    assert_eq!(decoded.unknown, [""; 0], "{called}: {name}");
    Object::new(kind, decoded.object)
}
