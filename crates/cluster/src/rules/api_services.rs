//! The APIServices of CustomResourceDefinitions: one for each served version of a group, which the API server creates
//! and deletes with the definitions.

use std::collections::BTreeSet;

use crate::api::json::{Value, json};
use crate::discovery::DEFINITIONS;
use crate::kinds::strategy::{self, WriteContext};
use crate::kinds::tree::{field, flag, list, text};
use crate::kinds::{Kind, find};
use crate::objects;
use crate::objects::seconds;
use crate::request::response::ApiError;
use crate::rules::managed::{self, FieldWriter};
use crate::store::{Expect, Key, Op, Range, StoreError, View};
use crate::sys::entropy::Seed;

const RESOURCE: &str = "apiservices.apiregistration.k8s.io";

/// The APIService of the core group, which a cluster has from the first start of a server on.
const CORE: &str = "v1.";

/// The label of an APIService that the server maintains, and its value while there is a definition.
const MANAGED: &str = "kube-aggregator.kubernetes.io/automanaged";

/// Returns the APIService of a version of a custom group, without the fields that every object has.
///
/// ```
/// let service = ctl_cluster::custom_api_service("example.com", "v1");
/// assert_eq!(service["metadata"]["name"], "v1.example.com");
/// ```
pub fn custom_api_service(group: &str, version: &str) -> Value {
    json!({
        "apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService",
        "metadata": {"name": format!("{version}.{group}"), "labels": {MANAGED: "true"}},
        "spec": {
            "group": group, "groupPriorityMinimum": 1000, "version": version, "versionPriority": 100,
        },
    })
}

/// Returns the operations that add and remove the APIServices of a definition; none for other kinds, or if no server
/// has registered itself yet.
pub(crate) fn changes(
    view: &dyn View,
    kind: &Kind,
    old: Option<&Value>,
    new: Option<&Value>,
    seed: Seed,
) -> Result<Vec<Op>, ApiError> {
    if !kind.defines_kinds() || view.get(&key(CORE)?)?.is_none() {
        return Ok(Vec::new());
    }
    let after = new.map(served).unwrap_or_default();
    let mut ops = match old {
        Some(old) => unserved(view, old, &after)?,
        None => Vec::new(),
    };
    let group = new.map_or("", |new| text(field(new, "spec"), "group"));
    for version in after {
        let key = key(&format!("{version}.{group}"))?;
        if view.get(&key)?.is_none() {
            let object = created(view, group, &version, seed);
            if let Some((kind, object)) = object {
                ops.push(Op::put(key, objects::bytes(kind, &object), Expect::Absent));
            }
        }
    }
    Ok(ops)
}

/// Returns the operations that remove the APIServices of a definition that is gone.
pub(crate) fn gone(view: &dyn View, definition: &Value) -> Result<Vec<Op>, ApiError> {
    unserved(view, definition, &BTreeSet::new())
}

/// Returns the operations that remove the APIServices of a definition's versions except those in `kept` and those that
/// other definitions of the group serve.
fn unserved(
    view: &dyn View,
    definition: &Value,
    kept: &BTreeSet<String>,
) -> Result<Vec<Op>, ApiError> {
    let group = text(field(definition, "spec"), "group");
    let mut served_by_others = BTreeSet::new();
    for stored in view.list(&Range::resource(DEFINITIONS, None))? {
        let other = objects::shown(&stored)?;
        let is_other = stored.key.name() != objects::meta(definition, "name");
        if is_other && text(field(&other, "spec"), "group") == group {
            served_by_others.extend(served(&other));
        }
    }
    let mut ops = Vec::new();
    for version in served(definition) {
        if kept.contains(&version) || served_by_others.contains(&version) {
            continue;
        }
        let key = key(&format!("{version}.{group}"))?;
        let Some(stored) = view.get(&key)? else {
            continue;
        };
        // A user may have replaced it by that of an aggregated server.
        let service = objects::shown(&stored)?;
        let labels = field(field(&service, "metadata"), "labels");
        if text(labels, MANAGED) == "true" {
            ops.push(Op::delete(key, Expect::At(stored.revision)));
        }
    }
    Ok(ops)
}

fn served(definition: &Value) -> BTreeSet<String> {
    let versions = list(field(definition, "spec"), "versions").iter();
    let served = versions.filter(|version| flag(version, "served"));
    served
        .map(|version| text(version, "name").to_owned())
        .collect()
}

fn created(
    view: &dyn View,
    group: &str,
    version: &str,
    seed: Seed,
) -> Option<(&'static Kind, Value)> {
    let kind = find("apiregistration.k8s.io", "v1", "APIService")?;
    let mut object = custom_api_service(group, version);
    let now = seconds(view);
    let revision = (view.draws_from() + 1).to_string();
    let uid = seed.uid(&["uid", RESOURCE, version, group, &revision]);
    let context = WriteContext {
        now: &now,
        uid: &uid,
        labeled: false,
    };
    strategy::prepare_create(kind, &mut object, &context);
    object["metadata"]["uid"] = json!(uid);
    object["metadata"]["creationTimestamp"] = json!(now);
    let by = FieldWriter {
        manager: "kube-apiserver",
        subresource: "",
        time: &now,
    };
    managed::note(kind, None, &mut object, by);
    Some((kind, object))
}

fn key(name: &str) -> Result<Key, StoreError> {
    Key::new(RESOURCE, None, name).map_err(|e| StoreError::Refused(e.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::options::{DeleteOptions, WriteOptions};
    use crate::request::part::Part;
    use crate::testing::{Scratch, fresh, place};

    fn definition(plural: &str, versions: &[(&str, bool)]) -> Value {
        let schema = json!({"openAPIV3Schema": {"type": "object"}});
        let versions = versions.iter().enumerate().map(|(at, (name, served))| {
            json!({"name": name, "served": served, "storage": at == 0, "schema": schema})
        });
        json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": format!("{plural}.example.com")},
            "spec": {
                "group": "example.com", "scope": "Namespaced",
                "names": {"plural": plural, "kind": plural.to_uppercase()},
                "versions": versions.collect::<Vec<_>>(),
            },
        })
    }

    fn names(cluster: &Scratch) -> Vec<String> {
        let all = cluster
            .list(&place("apiservices"), &|_| true, None)
            .unwrap();
        let items = all.items.iter();
        items
            .map(|item| objects::meta(item, "name").to_owned())
            .collect()
    }

    fn create(cluster: &Scratch, resource: &str, object: &Value) -> Value {
        let options = WriteOptions::default();
        let answer = cluster.create(&place(resource), object, &options);
        answer.unwrap().object
    }

    #[test]
    fn served_versions_of_custom_groups_have_api_services() {
        let cluster = fresh();
        let crds = place("customresourcedefinitions");
        create(&cluster, "crd", &definition("early", &[("v1", true)]));
        assert_eq!(names(&cluster), [""; 0], "no server has registered itself");

        let core = json!({"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": {"name": CORE},
            "spec": {"version": "v1", "groupPriorityMinimum": 18000, "versionPriority": 1}});
        create(&cluster, "apiservices", &core);
        create(
            &cluster,
            "crd",
            &definition("as", &[("v1", true), ("v2", true), ("v3", false)]),
        );
        assert_eq!(names(&cluster), ["v1.", "v1.example.com", "v2.example.com"]);
        let service = cluster
            .get(&place("apiservices"), "v2.example.com")
            .unwrap();
        assert_eq!(service["status"]["conditions"][0]["reason"], "Local");
        let owner = &service["metadata"]["managedFields"][0];
        assert_eq!(owner["manager"], "kube-apiserver");
        assert!(owner["fieldsV1"].get("f:status").is_none(), "{owner}");

        let options = WriteOptions::default();
        let mut next = cluster.get(&crds, "as.example.com").unwrap();
        next["spec"]["versions"][1]["served"] = json!(false);
        next["spec"]["versions"][2]["served"] = json!(true);
        cluster
            .replace(&crds, "as.example.com", &next, Part::Whole, &options)
            .unwrap();
        assert_eq!(names(&cluster), ["v1.", "v1.example.com", "v3.example.com"]);

        let delete = DeleteOptions::default();
        cluster.delete(&crds, "as.example.com", &delete).unwrap();
        assert_eq!(
            names(&cluster),
            ["v1.", "v1.example.com"],
            "another definition serves v1"
        );
        cluster.delete(&crds, "early.example.com", &delete).unwrap();
        assert_eq!(names(&cluster), ["v1."]);
    }
}
