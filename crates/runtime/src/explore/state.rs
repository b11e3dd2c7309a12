//! The final state of a run, without the values that differ between runs of equal meaning: uids, generated names, times, revisions,
//! addresses, the node of a Pod, and the order in which controllers added items to a list.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::IpAddr;
use std::sync::Arc;

use crate::api::changes::{differences, shown};
use crate::api::json::{Map, Value, from_bytes};
use crate::api::status::Status;
use crate::cluster::{ApiError, Cluster, Range, Revision, Stored};
use crate::settle::Outcome;

/// Resources whose objects report events or heartbeats and are not part of a final state.
const NOISE: &[&str] = &[
    "events",
    "events.events.k8s.io",
    "leases.coordination.k8s.io",
];

/// The letters of a generated suffix, and its length.
const SUFFIX: (&str, usize) = ("bcdfghjklmnpqrstvwxz2456789", 5);

/// The prefix of the volumes with tokens, whose names are generated without `generateName`.
const TOKENS: &str = "kube-api-access-";

/// The length of a uid.
const UID: usize = 36;

/// The number of fields shown of one object.
const FIELDS: usize = 4;

/// The number of differences shown.
const LINES: usize = 12;

/// An object without the parts that may differ: its name, and its body as JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Body {
    name: Arc<str>,
    text: Arc<str>,
}

/// The state before a scenario: unchanged objects need not be compared again.
#[derive(Debug)]
pub struct Baseline {
    revision: Revision,
    bodies: HashMap<String, Body>,
    names: HashMap<String, String>,
}

/// The final state of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// By name, the number of objects with each body.
    objects: BTreeMap<Arc<str>, BTreeMap<Arc<str>, usize>>,
}

impl Baseline {
    /// Reads the state of a cluster.
    ///
    /// # Errors
    /// Fails if the cluster cannot be read.
    pub fn of(cluster: &Cluster) -> Result<Self, ApiError> {
        let nothing = Self {
            revision: 0,
            bodies: HashMap::new(),
            names: HashMap::new(),
        };
        let (revision, bodies, names) = read(cluster, &nothing)?;
        Ok(Self {
            revision,
            bodies: bodies.into_iter().collect(),
            names,
        })
    }
}

impl State {
    /// Reads the state of a cluster in which a scenario has ended.
    ///
    /// # Errors
    /// Fails if the cluster cannot be read.
    pub fn of(cluster: &Cluster, before: &Baseline, end: &Outcome) -> Result<Self, ApiError> {
        let mut state = Self::default();
        let (_, bodies, _) = read(cluster, before)?;
        for (_, body) in bodies {
            state.add(body);
        }
        let unmet: Vec<(String, &str)> = match end {
            Outcome::Settled | Outcome::Stopped => Vec::new(),
            Outcome::Stuck(all) => all
                .iter()
                .map(|one| ("stuck".to_owned(), one.alike.as_str()))
                .collect(),
            Outcome::Oscillating(_) => vec![("the controllers oscillate".to_owned(), "")],
        };
        for (name, why) in unmet {
            state.add(Body {
                name: match why.is_empty() {
                    true => name.as_str().into(),
                    false => format!("{name}: {why}").into(),
                },
                text: "null".into(),
            });
        }
        Ok(state)
    }

    fn add(&mut self, body: Body) {
        let bodies = self.objects.entry(body.name).or_default();
        *bodies.entry(body.text).or_default() += 1;
    }

    /// Returns the differences from a reference, one line each.
    pub fn differences_from(&self, reference: &Self) -> Vec<String> {
        let names: BTreeSet<&Arc<str>> = self
            .objects
            .keys()
            .chain(reference.objects.keys())
            .collect();
        let nothing = BTreeMap::new();
        let mut lines = Vec::new();
        for name in names {
            let (own, other) = (
                self.objects.get(name).unwrap_or(&nothing),
                reference.objects.get(name).unwrap_or(&nothing),
            );
            if own != other {
                lines.extend(compared(name, own, other));
            }
        }
        let rest = lines.len().saturating_sub(LINES);
        lines.truncate(LINES);
        if rest > 0 {
            lines.push(format!("and {rest} more differences"));
        }
        lines
    }
}

/// Returns the differences of the objects with one name.
fn compared(
    name: &str,
    own: &BTreeMap<Arc<str>, usize>,
    other: &BTreeMap<Arc<str>, usize>,
) -> Vec<String> {
    let count = |bodies: &BTreeMap<Arc<str>, usize>| bodies.values().sum::<usize>();
    match (count(own), count(other)) {
        (0, _) => return vec![format!("{name} is missing")],
        (1, 0) => return vec![format!("{name} exists only in this outcome")],
        (a, b) if a != b => return vec![format!("{name}: {a} instead of {b}")],
        _ => {}
    }
    let only = |these: &BTreeMap<Arc<str>, usize>, those: &BTreeMap<Arc<str>, usize>| {
        let rare = these
            .iter()
            .find(|(body, count)| those.get(*body) != Some(count));
        let text = rare.map_or("null", |(body, _)| body);
        from_bytes(text.as_bytes(), &[]).unwrap_or_default()
    };
    let (own, other) = (only(own, other), only(other, own));
    let found = differences(&other, &own);
    let lines = found.iter().take(FIELDS).map(|field| {
        let (now, was) = (shown(field.after.as_ref()), shown(field.before.as_ref()));
        format!("{name}: {} is {now} instead of {was}", field.path)
    });
    lines.collect()
}

/// Bodies by the keys of their objects.
type Bodies = Vec<(String, Body)>;

/// Reads all objects; those that did not change since `before` are taken from there.
fn read(
    cluster: &Cluster,
    before: &Baseline,
) -> Result<(Revision, Bodies, HashMap<String, String>), ApiError> {
    let all = cluster.stored().list(&Range::all(), None)?;
    let (mut bodies, mut fresh) = (Vec::with_capacity(all.items.len()), Vec::new());
    for stored in &all.items {
        if NOISE.contains(&stored.key.resource()) {
            continue;
        }
        let known = before.bodies.get(stored.key.as_str());
        match known.filter(|_| stored.revision <= before.revision) {
            Some(body) => bodies.push((stored.key.as_str().to_owned(), body.clone())),
            None => fresh.push((stored, value_of(stored)?)),
        }
    }
    let mut names = before.names.clone();
    for (stored, value) in &fresh {
        if let Some(general) = generated(stored.key.name(), value) {
            names.insert(stored.key.name().to_owned(), general);
        }
    }
    let writer = Canonical { names: &names };
    for (stored, value) in &fresh {
        let mut text = String::new();
        writer.write(value, Part::Top, &mut text);
        let namespace = stored.key.namespace();
        let namespace = namespace.map_or_else(String::new, |own| format!("{own}/"));
        let name = writer.general(stored.key.name());
        let name = format!("{} {namespace}{name}", stored.key.resource()).into();
        let text = text.into();
        bodies.push((stored.key.as_str().to_owned(), Body { name, text }));
    }
    Ok((all.revision, bodies, names))
}

fn value_of(stored: &Stored) -> Result<Value, ApiError> {
    // The largest part of an object, and it describes the history instead of the state.
    let value = from_bytes(&stored.json, &["metadata", "managedFields"]);
    value.map_err(|e| Status::internal(format!("{}: {e}", stored.key.as_str())).into())
}

/// Returns the general name of an object whose name was generated.
fn generated(name: &str, value: &Value) -> Option<String> {
    let prefix = value["metadata"]["generateName"].as_str()?;
    is_suffix(name.strip_prefix(prefix)?).then(|| format!("{prefix}*"))
}

/// Returns true for a suffix as the API generates it. The ordinal of a StatefulSet's Pod is none.
fn is_suffix(text: &str) -> bool {
    text.len() == SUFFIX.1 && text.chars().all(|c| SUFFIX.0.contains(c))
}

fn is_uid(text: &str) -> bool {
    text.len() == UID
        && text.bytes().enumerate().all(|(at, b)| match at {
            8 | 13 | 18 | 23 => b == b'-',
            _ => b.is_ascii_hexdigit(),
        })
}

fn is_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 20
        && bytes[4] == b'-'
        && bytes[10] == b'T'
        && text.parse::<jiff::Timestamp>().is_ok()
}

fn is_address(text: &str) -> bool {
    let first = text.bytes().next();
    // Most texts are no address, and parsing fails more slowly than this.
    first.is_some_and(|b| b.is_ascii_hexdigit() || b == b':')
        && text.bytes().any(|b| b == b'.' || b == b':')
        && text.parse::<IpAddr>().is_ok()
}

/// The part of an object that a value is in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Top,
    Status,
    Other,
}

/// Writes values without the parts that may differ.
struct Canonical<'n> {
    names: &'n HashMap<String, String>,
}

impl Canonical<'_> {
    fn write(&self, value: &Value, part: Part, out: &mut String) {
        match value {
            Value::Object(map) => self.object(map, part, out),
            Value::Array(list) => {
                let mut items: Vec<String> = Vec::with_capacity(list.len());
                for item in list.iter() {
                    let mut text = String::new();
                    self.write(item, part, &mut text);
                    items.push(text);
                }
                // The order of conditions and endpoints depends on the order of the writers.
                if list.iter().all(|item| matches!(item, Value::Object(_))) {
                    items.sort_unstable();
                }
                out.push('[');
                out.push_str(&items.join(","));
                out.push(']');
            }
            Value::String(text) => quote(&self.general(text), out),
            other => out.push_str(&other.to_string()),
        }
    }

    fn object(&self, map: &Map, part: Part, out: &mut String) {
        out.push('{');
        let begin = out.len();
        for (name, value) in map.iter() {
            if is_dropped(name, value, part) {
                continue;
            }
            if out.len() > begin {
                out.push(',');
            }
            quote(name, out);
            out.push(':');
            let below = match part {
                Part::Top if *name == "status" => Part::Status,
                Part::Top => Part::Other,
                other => other,
            };
            self.write(value, below, out);
        }
        out.push('}');
    }

    /// Returns a text without the parts that differ between runs.
    fn general<'t>(&'t self, text: &'t str) -> Cow<'t, str> {
        if let Some(general) = self.names.get(text) {
            return general.into();
        }
        if is_time(text) {
            return "<time>".into();
        }
        if is_address(text) {
            return "<address>".into();
        }
        if let Some(suffix) = text.strip_prefix(TOKENS)
            && is_suffix(suffix)
        {
            return format!("{TOKENS}*").into();
        }
        // The volume of a claim is named after the uid of the claim.
        let at = text.len().saturating_sub(UID);
        match text.get(at..).filter(|end| is_uid(end)) {
            Some(_) => format!("{}<uid>", &text[..at]).into(),
            None => text.into(),
        }
    }
}

/// Returns true for a field that counts writes, or that depends on which of several equal objects was first.
fn is_dropped(name: &str, value: &Value, part: Part) -> bool {
    match (name, value) {
        ("generation" | "observedGeneration" | "nodePort", Value::Number(_)) => true,
        ("resourceVersion" | "nodeName" | "containerID" | "generateName", Value::String(_)) => true,
        ("uid", Value::String(text)) => is_uid(text),
        // Messages contain names and numbers that other fields contain as well.
        ("message", Value::String(_)) => part == Part::Status,
        _ => false,
    }
}

/// Writes a text as JSON does. Most need no escape.
fn quote(text: &str, out: &mut String) {
    match text.bytes().any(|b| matches!(b, b'"' | b'\\' | 0..0x20)) {
        true => out.push_str(&serde_json::Value::from(text).to_string()),
        false => {
            out.push('"');
            out.push_str(text);
            out.push('"');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::cluster::testing::{in_memory, place, pod};
    use crate::cluster::{Place, WriteOptions};

    fn create(cluster: &Cluster, place: &Place, object: &Value) {
        let _ = cluster
            .create(place, object, &WriteOptions::default())
            .unwrap();
    }

    fn named(generate: &str) -> Value {
        let mut object = pod("x");
        object["metadata"] = json!({"generateName": generate});
        object
    }

    /// Returns the differences of two clusters with the same initial state.
    fn between(one: &dyn Fn(&Cluster), other: &dyn Fn(&Cluster)) -> Vec<String> {
        let base = in_memory();
        let before = Baseline::of(&base).unwrap();
        let state = |change: &dyn Fn(&Cluster)| {
            let fork = base.fork(None).unwrap();
            change(&fork);
            State::of(&fork, &before, &Outcome::Settled).unwrap()
        };
        state(other).differences_from(&state(one))
    }

    #[test]
    fn generated_names_and_revisions_are_not_compared() {
        let pods = place("pods");
        let one = |cluster: &Cluster| {
            create(cluster, &pods, &named("web-"));
            create(cluster, &pods, &named("api-"));
        };
        let other = |cluster: &Cluster| {
            create(
                cluster,
                &place("configmaps"),
                &json!({"metadata": {"name": "a"}}),
            );
            create(cluster, &pods, &named("api-"));
            create(cluster, &pods, &named("web-"));
            let delete = crate::cluster::DeleteOptions::default();
            let _ = cluster.delete(&place("configmaps"), "a", &delete).unwrap();
        };
        assert_eq!(between(&one, &other), Vec::<String>::new());
    }

    #[test]
    fn object_counts_and_field_values_are_compared() {
        let (pods, maps) = (place("pods"), place("configmaps"));
        let map = |value: &str| json!({"metadata": {"name": "a"}, "data": {"k": value}});
        let one = |cluster: &Cluster| {
            create(cluster, &pods, &named("web-"));
            create(cluster, &maps, &map("1"));
        };
        let other = |cluster: &Cluster| {
            create(cluster, &pods, &named("web-"));
            create(cluster, &pods, &named("web-"));
            create(cluster, &maps, &map("2"));
        };
        assert_eq!(
            between(&one, &other),
            [
                "configmaps default/a: data.k is 2 instead of 1",
                "pods default/web-*: 2 instead of 1"
            ]
        );
        assert_eq!(
            between(&one, &|_| {}),
            [
                "configmaps default/a is missing",
                "pods default/web-* is missing"
            ]
        );
    }

    #[test]
    fn only_generated_strings_are_replaced_by_placeholders() {
        let names = HashMap::from([("web-bcdfg".to_owned(), "web-*".to_owned())]);
        let canonical = Canonical { names: &names };
        let uid = "5f8a7b1c-1111-4222-8333-123456789abc";
        for (text, general) in [
            ("web-bcdfg", "web-*"),
            ("web-bcdfh", "web-bcdfh"),
            ("2026-01-02T12:00:00Z", "<time>"),
            ("10.0.0.1", "<address>"),
            ("1.27", "1.27"),
            ("nginx:1", "nginx:1"),
            ("kube-api-access-bcdfg", "kube-api-access-*"),
            ("web-0", "web-0"),
        ] {
            assert_eq!(canonical.general(text), general);
        }
        assert_eq!(canonical.general(&format!("pvc-{uid}")), "pvc-<uid>");
        assert!(!is_suffix("0") && !is_suffix("00000") && is_uid(uid));
    }
}
