//! The final state of a run, without the values that differ between runs of equal meaning: uids, generated names,
//! times, revisions, addresses, the node of a Pod, and the order in which controllers added items to a list.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::canonical::{Canonical, Names, generated};
use crate::api::changes::differences;
use crate::api::json::{from_bytes, to_bytes};
use crate::api::status::Status;
use crate::cluster::{ApiError, Cluster, Range, Revision, Stored};
use crate::fast_map::FastMap;
use crate::settle::Outcome;

/// Resources whose objects report events or heartbeats and are not part of a final state.
const NOISE: &[&str] = &[
    "events",
    "events.events.k8s.io",
    "leases.coordination.k8s.io",
];

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
    bodies: FastMap<String, Body>,
    names: Names,
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
    pub fn read(cluster: &Cluster) -> Result<Self, ApiError> {
        let nothing = Self {
            revision: 0,
            bodies: FastMap::default(),
            names: Names::default(),
        };
        let mut bodies = FastMap::default();
        let (revision, names) = read(cluster, &nothing, &mut |key, body| {
            bodies.insert(key.to_owned(), body);
        })?;
        Ok(Self {
            revision,
            bodies,
            names,
        })
    }
}

impl State {
    /// Reads the state of a cluster in which a scenario has ended.
    ///
    /// # Errors
    /// Fails if the cluster cannot be read.
    pub fn read(cluster: &Cluster, before: &Baseline, end: &Outcome) -> Result<Self, ApiError> {
        let mut state = Self::default();
        read(cluster, before, &mut |_, body| state.add(body))?;
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
        let [was, now] = field.texts();
        format!("{name}: {} is {now} instead of {was}", field.path)
    });
    lines.collect()
}

/// Reads all objects, each with its key; those that did not change since `before` are taken from there.
fn read(
    cluster: &Cluster,
    before: &Baseline,
    take: &mut dyn FnMut(&str, Body),
) -> Result<(Revision, Names), ApiError> {
    let all = cluster.stored().list(&Range::all(), None)?;
    let mut fresh = Vec::new();
    for stored in &all.items {
        if NOISE.contains(&stored.key.resource()) {
            continue;
        }
        let known = before.bodies.get(stored.key.as_str());
        match known.filter(|_| stored.revision <= before.revision) {
            Some(body) => take(stored.key.as_str(), body.clone()),
            None => fresh.push(stored),
        }
    }
    // All generated names first: an object may refer to one that is read after it.
    let mut names = before.names.clone();
    for stored in &fresh {
        if let Some(general) = generated(stored.key.name(), &stored.json) {
            names.insert(stored.key.name().to_owned(), general);
        }
    }
    let writer = Canonical { names: &names };
    for stored in fresh {
        let text = match writer.text(&stored.json) {
            Some(text) => text,
            None => writer
                .text(&compact(stored)?)
                .ok_or_else(|| unread(stored, "its names"))?,
        };
        let namespace = stored.key.namespace();
        let namespace = namespace.map_or_else(String::new, |own| format!("{own}/"));
        let name = writer.general(stored.key.name());
        let name = format!("{} {namespace}{name}", stored.key.resource()).into();
        let text = text.into();
        take(stored.key.as_str(), Body { name, text });
    }
    Ok((all.revision, names))
}

/// Returns an object of another writer in the form in which a cluster stores it.
fn compact(stored: &Stored) -> Result<Vec<u8>, ApiError> {
    let value = from_bytes(&stored.json, &[]).map_err(|e| unread(stored, &e.to_string()))?;
    Ok(to_bytes(&value, &[]))
}

fn unread(stored: &Stored, why: &str) -> ApiError {
    Status::internal(format!("{}: {why}", stored.key.as_str())).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::{Value, json};
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
        let before = Baseline::read(&base).unwrap();
        let state = |change: &dyn Fn(&Cluster)| {
            let fork = base.fork(None).unwrap();
            change(&fork);
            State::read(&fork, &before, &Outcome::Settled).unwrap()
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
}
