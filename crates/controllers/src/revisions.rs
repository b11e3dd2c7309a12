//! The ControllerRevisions of a set: the Pod templates that it has had.

use std::collections::BTreeSet;

use super::workload::{adopt, claim, fnv1, letters, selector_of};
use super::{views, watched};
use crate::api::json::{Value, json};
use crate::cluster::Place;
use crate::kinds::tree::{at, int};
use crate::runtime::{Cache, Object, PlannedWrite};

/// The longest part of a name before the hash.
// Upstream leaves room for a dash and a hash in the 253 characters of a name.
const NAME_LENGTH: usize = 223;

/// A revision that exists or is about to be created.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Revision {
    /// Its name.
    pub(super) name: String,
    /// The hash in its name.
    pub(super) hash: String,
    /// Its number.
    pub(super) number: i64,
    /// The template that it stores, as a patch.
    pub(super) data: Value,
}

/// The part of the revisions of existing Pods in a history limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LiveRevisions {
    /// They count, as for a DaemonSet.
    Counted,
    /// They are kept beyond the limit, as for a StatefulSet.
    Extra,
}

/// The revisions of a set.
pub(super) struct History<'a> {
    /// The existing revisions, by number.
    known: Vec<&'a Object>,
    /// The revision of the current template.
    pub(super) update: Revision,
    /// How often the name of a revision belonged to another object.
    pub(super) collisions: i64,
    /// The writes that this requires.
    pub(super) writes: Vec<PlannedWrite>,
}

/// Returns the data that a revision stores of a set.
fn data(set: &Object) -> Value {
    let mut template = views::workload(set).template().clone();
    // The data is a strategic patch: a rollback replaces the whole template.
    template["$patch"] = json!("replace");
    json!({"spec": {"template": template}})
}

/// Returns the hash of a template and of its number of collisions so far.
fn hash(data: &Value, collisions: i64) -> String {
    letters(fnv1(format!("{data}{collisions}").as_bytes()))
}

impl Revision {
    /// Returns the revision to create for a template.
    fn new(set: &Object, data: &Value, number: i64, collisions: i64) -> Self {
        let hash = hash(data, collisions);
        let mut name = set.name().to_owned();
        name.truncate(NAME_LENGTH);
        Self {
            name: format!("{name}-{hash}"),
            hash,
            number,
            data: data.clone(),
        }
    }

    fn from_object(object: &Object, label: &str) -> Self {
        Self {
            name: object.name().to_owned(),
            hash: object.label(label).to_owned(),
            number: int(object, "revision"),
            data: object["data"].clone(),
        }
    }

    /// Returns the template that it stores.
    pub(super) fn template(&self) -> Value {
        let mut template = at(&self.data, &["spec", "template"]).clone();
        if let Some(template) = template.as_object_mut() {
            template.remove("$patch");
        }
        template
    }
}

impl<'a> History<'a> {
    /// Returns the revisions of a set; `label` is the name of the label with their hash.
    pub(super) fn read(set: &Object, label: &'static str, cache: &'a Cache) -> Self {
        // A set of an earlier one's name continues with the history that a deletion without its dependents has left.
        let selector = selector_of(set);
        let claim = match set.kind() == watched::stateful_sets() {
            // A StatefulSet ignores a revision that it owns and does not select.
            true => adopt,
            false => claim,
        };
        let claimed = claim(set, watched::revisions(), &selector, cache);
        let mut known = claimed.own;
        // Revisions may share a number after a race; the name decides then.
        known.sort_by_key(|r| (int(r, "revision"), r.name().to_owned()));
        let data = data(set);
        let next = known.last().map_or(0, |r| int(r, "revision")) + 1;
        let mut writes = claimed.writes;
        let mut collisions = views::meta(set).collision_count().unwrap_or(0);
        let equal = known.iter().rev().find(|r| r["data"] == data);
        let update = match equal {
            Some(found) => {
                let mut revision = Revision::from_object(found, label);
                // A template that is used again gets a new number and keeps its name, so its Pods are up to date at
                // once.
                if revision.number + 1 < next {
                    revision.number = next;
                    let rule = "revision: the template equals an earlier revision";
                    writes.push(PlannedWrite::merge(found, json!({"revision": next}), rule));
                }
                revision
            }
            None => loop {
                let revision = Revision::new(set, &data, next, collisions);
                let taken = cache.get(watched::revisions(), set.namespace(), &revision.name);
                match taken {
                    None => {
                        writes.push(creation(set, &revision, label));
                        break revision;
                    }
                    Some(other) => {
                        let other = Revision::from_object(other, label);
                        // Another owner's revision with this template serves as well.
                        if other.data == data {
                            break other;
                        }
                        // The count is part of the hash, so the next name differs.
                        collisions += 1;
                    }
                }
            },
        };
        Self {
            known,
            update,
            collisions,
            writes,
        }
    }

    /// Returns the revision of a name, if it exists.
    pub(super) fn named(&self, name: &str, label: &str) -> Option<Revision> {
        let found = self.known.iter().find(|r| r.name() == name)?;
        Some(Revision::from_object(found, label))
    }

    /// Deletes the oldest unused revisions beyond the history limit. Those of existing Pods are never deleted; `counted`
    /// determines if they count against the limit.
    pub(super) fn clean_up(
        &self,
        limit: i64,
        live: &BTreeSet<String>,
        counted: LiveRevisions,
    ) -> Vec<PlannedWrite> {
        let limit = usize::try_from(limit).unwrap_or(0);
        let old = self.known.iter().filter(|r| r.name() != self.update.name);
        let (live, idle): (Vec<&&Object>, Vec<&&Object>) =
            old.partition(|r| live.contains(r.name()));
        let all = match counted {
            LiveRevisions::Counted => live.len() + idle.len(),
            LiveRevisions::Extra => idle.len(),
        };
        let excess = all.saturating_sub(limit);
        let rule = format!("history: revisionHistoryLimit is {limit}");
        idle.into_iter()
            .take(excess)
            .map(|r| PlannedWrite::delete(r, rule.clone()))
            .collect()
    }
}

fn creation(set: &Object, revision: &Revision, label: &str) -> PlannedWrite {
    let mut metadata = json!({
        "name": revision.name,
        "namespace": set.namespace(),
        "labels": at(set, &["spec", "template", "metadata", "labels"]),
        "ownerReferences": [set.controller_reference()],
    });
    metadata["labels"][label] = json!(revision.hash);
    if let Some(annotations) = set["metadata"].get("annotations") {
        metadata["annotations"] = annotations.clone();
    }
    let object = json!({
        "apiVersion": "apps/v1",
        "kind": "ControllerRevision",
        "metadata": metadata,
        "data": revision.data,
        "revision": revision.number,
    });
    let place = Place::new(watched::revisions(), set.namespace());
    PlannedWrite::create(
        place,
        object,
        "revision: no ControllerRevision has this template",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn live_revisions_stay_and_count_for_daemon_sets_only() {
        let revision = |name: &str, number: i64| {
            let object =
                json!({"metadata": {"name": name, "namespace": "default"}, "revision": number});
            Object::new(watched::revisions(), object)
        };
        let all = [revision("a", 1), revision("b", 2), revision("c", 3)];
        let history = History {
            known: all.iter().collect(),
            update: Revision::from_object(&all[2], "hash"),
            collisions: 0,
            writes: Vec::new(),
        };
        let live = BTreeSet::from(["a".to_owned()]);
        let deleted = |counted: LiveRevisions| -> Vec<String> {
            let writes = history.clean_up(1, &live, counted);
            writes.into_iter().map(|write| write.name).collect()
        };
        assert_eq!(deleted(LiveRevisions::Counted), ["b"]);
        assert_eq!(deleted(LiveRevisions::Extra), Vec::<String>::new());
    }

    #[test]
    fn revision_hash_depends_on_template_and_collision_count() {
        let data = json!({"spec": {"template": {"$patch": "replace"}}});
        assert_eq!(hash(&data, 0), hash(&data, 0));
        assert_ne!(hash(&data, 0), hash(&data, 1));
    }
}
