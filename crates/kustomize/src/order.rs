//! Sorts the result.

use std::cmp::Ordering;

use super::id::{Gvk, Id};
use super::kustomization::SortOptions;
use super::resources::Resources;
use super::{KustomizeError, Result};

// kustomize's legacy order: kinds on which others depend come first, so that a plain `kubectl apply` works.
const FIRST: [&str; 22] = [
    "Namespace",
    "ResourceQuota",
    "StorageClass",
    "CustomResourceDefinition",
    "ServiceAccount",
    "PodSecurityPolicy",
    "Role",
    "ClusterRole",
    "RoleBinding",
    "ClusterRoleBinding",
    "ConfigMap",
    "Secret",
    "Endpoints",
    "Service",
    "LimitRange",
    "PriorityClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Deployment",
    "StatefulSet",
    "CronJob",
    "PodDisruptionBudget",
];
// Webhooks come last, because a registered webhook could reject the objects before its server runs.
const LAST: [&str; 2] = [
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
];

/// Sorts the objects by `sortOptions`.
pub(super) fn sort(resources: &mut Resources, options: &SortOptions) -> Result<()> {
    let own = options.legacy_sort_options.as_ref();
    match options.order.as_str() {
        "legacy" => match own {
            Some(own) => by_kind(resources, &own.order_first, &own.order_last),
            None => legacy(resources),
        },
        "fifo" if own.is_some() => {
            return Err(KustomizeError::new(
                "the field 'sortOptions.legacySortOptions' is set but the selected sort order is 'fifo', not 'legacy'",
            ));
        }
        "fifo" => {}
        _ => {
            return Err(KustomizeError::new(
                "the field 'sortOptions.order' must be one of [fifo, legacy]",
            ));
        }
    }
    Ok(())
}

/// Sorts the kinds on which others depend to the front.
pub(super) fn legacy(resources: &mut Resources) {
    let owned = |list: &[&str]| {
        list.iter()
            .map(|kind| (*kind).to_owned())
            .collect::<Vec<_>>()
    };
    by_kind(resources, &owned(&FIRST), &owned(&LAST));
}

fn by_kind(resources: &mut Resources, first: &[String], last: &[String]) {
    let rank = |kind: &str| {
        let place = |list: &[String]| list.iter().position(|k| k == kind);
        // `orderLast` takes precedence for a kind in both lists. Kinds in neither list are in between, with rank zero.
        match (place(last), place(first)) {
            (Some(at), _) => (1, at + 1),
            (None, Some(at)) => (-1, at),
            (None, None) => (0, 0),
        }
    };
    let compare = |a: &Id, b: &Id| -> Ordering {
        if a.gvk == b.gvk {
            return id_text(a).cmp(&id_text(b));
        }
        rank(&a.gvk.kind)
            .cmp(&rank(&b.gvk.kind))
            .then_with(|| kind_text(&a.gvk).cmp(&kind_text(&b.gvk)))
    };
    // The sort is stable, so equal identities keep their order.
    resources.list.sort_by(|a, b| compare(&a.id(), &b.id()));
}

fn or<'a>(text: &'a str, none: &'a str) -> &'a str {
    if text.is_empty() { none } else { text }
}

// As in kustomize, the core group comes after the named ones, because `~` sorts after every letter.
fn kind_text(gvk: &Gvk) -> String {
    let (group, version) = (or(&gvk.group, "~G"), or(&gvk.version, "~V"));
    format!("{group}_{version}_{}", or(&gvk.kind, "~K"))
}

fn id_text(id: &Id) -> String {
    format!(
        "{}|{}|{}",
        id.gvk,
        or(&id.namespace, "~X"),
        or(&id.name, "~N")
    )
}
