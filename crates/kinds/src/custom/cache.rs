//! The kinds of CustomResourceDefinitions, each created once and kept.
//!
//! A [`Kind`] is a `&'static`, so that custom kinds can be used like built-in ones. Their memory is never freed; it
//! is bounded by the number of different definitions that the process sees.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::definition::CustomKind;
use crate::api::json::{Value, json};
use crate::hooks::Hooks;
use crate::kind::{Column, Kind, Subresource};
use crate::tree::{at, field, has, list, text};
use crate::versions::by_version;

/// The kinds created so far. The key is the text of everything that a kind depends on.
static KIND_CACHE: Mutex<BTreeMap<String, &'static [Kind]>> = Mutex::new(BTreeMap::new());

/// The verbs that remain while the definition is deleted.
const LAST_VERBS: &[&str] = &["delete", "deletecollection", "get", "list", "watch"];

const STATUS_VERBS: &[&str] = &["get", "patch", "update"];

/// Returns true if the names of a definition are accepted, so that its kinds are served.
pub fn is_established(definition: &Value) -> bool {
    list(field(definition, "status"), "conditions")
        .iter()
        .any(|c| text(c, "type") == "Established" && text(c, "status") == "True")
}

/// Returns the kinds of a definition, one for each version. The defaults of the definition must be set.
///
/// Returns the same slice for equal content.
pub fn kinds_of(definition: &Value) -> &'static [Kind] {
    // Revisions and timestamps of the definition change often. They are not part of the key, because each new key
    // creates kinds that are never freed.
    let content = json!([
        field(definition, "spec"),
        at(definition, &["status", "acceptedNames"]),
        has(field(definition, "metadata"), "deletionTimestamp"),
    ])
    .to_string();
    // A panic in `make` leaves the map unchanged, so a poisoned lock may be used.
    let mut made = KIND_CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    made.entry(content).or_insert_with(|| make(definition))
}

fn make(definition: &Value) -> &'static [Kind] {
    let versions: Vec<&'static CustomKind> = CustomKind::from_definition(definition)
        .into_iter()
        .map(|custom| &*Box::leak(Box::new(custom)))
        .collect();
    let served = versions.iter().filter(|v| v.served).map(|v| &*v.version);
    let preferred = served.min_by(|a, b| by_version(a, b)).unwrap_or_default();
    let kinds = versions.iter().map(|custom| kind(custom, preferred));
    let kinds: &'static [Kind] = kinds.collect::<Vec<_>>().leak();
    for custom in versions {
        // The versions refer to each other, so link them only once all exist.
        custom.family.0.get_or_init(|| kinds);
    }
    kinds
}

fn kind(custom: &'static CustomKind, preferred: &str) -> Kind {
    Kind {
        group: &custom.group,
        version: &custom.version,
        kind: &custom.kind,
        plural: &custom.plural,
        singular: &custom.singular,
        short_names: texts(&custom.short_names),
        categories: texts(&custom.categories),
        namespaced: custom.namespaced,
        verbs: match custom.terminating {
            // The objects of a terminating definition are deleted as well, so only the verbs that help to remove them
            // remain.
            true => LAST_VERBS,
            false => Kind::ALL_VERBS,
        },
        subresources: subresources(custom).leak(),
        columns: columns(&custom.columns).leak(),
        field_selectors: selectors(&custom.selectable_fields).leak(),
        preferred: custom.version == preferred,
        served: custom.served,
        custom: Some(custom),
        hooks: Hooks::NONE,
    }
}

fn texts(owned: &'static [String]) -> &'static [&'static str] {
    owned.iter().map(String::as_str).collect::<Vec<_>>().leak()
}

fn subresources(custom: &'static CustomKind) -> Vec<Subresource> {
    let verbs = if custom.terminating {
        &["get"]
    } else {
        STATUS_VERBS
    };
    let scale = Subresource::new("scale", "autoscaling", "v1", "Scale", verbs);
    let (group, version) = (&*custom.group, &*custom.version);
    let status = Subresource::new("status", group, version, &custom.kind, verbs);
    let has = [(custom.scale.is_some(), scale), (custom.has_status, status)];
    let there = has.into_iter().filter(|(there, _)| *there);
    there.map(|(_, subresource)| subresource).collect()
}

fn columns(own: &'static [Value]) -> Vec<Column> {
    let mut columns = vec![Column::new("Name", "string", "name", 0)];
    // Upstream adds the age only if the definition has no columns of its own.
    if own.is_empty() {
        columns.push(Column::new("Age", "date", "", 0));
    }
    columns.extend(own.iter().map(|column| {
        let priority = field(column, "priority").as_u64().unwrap_or(0);
        Column::new(
            text(column, "name"),
            text(column, "type"),
            text(column, "format"),
            u8::try_from(priority).unwrap_or(u8::MAX),
        )
    }));
    columns
}

fn selectors(own: &'static [String]) -> Vec<&'static str> {
    let every = ["metadata.name", "metadata.namespace"].into_iter();
    every.chain(own.iter().map(String::as_str)).collect()
}
