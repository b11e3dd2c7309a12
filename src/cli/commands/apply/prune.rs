//! `ctl apply --prune`: what was applied before and is in the files no longer.

use super::Apply;
use crate::api::go::quoted;
use crate::api::json::Value;
use crate::cli::error::CliError;
use crate::cli::options::{DryRun, Teller};
use crate::cli::resource::{Info, Kinds};
use crate::cluster::{Cluster, DeleteOptions, Place, Selection};
use crate::kinds::{Kind, last_applied};

/// The kinds that are looked at unless `--prune-allowlist` names others.
const USUAL: &[(&str, &str)] = &[
    ("v1", "ConfigMap"),
    ("v1", "Endpoints"),
    ("v1", "PersistentVolumeClaim"),
    ("v1", "Pod"),
    ("v1", "ReplicationController"),
    ("v1", "Secret"),
    ("v1", "Service"),
    ("batch/v1", "Job"),
    ("batch/v1", "CronJob"),
    ("networking.k8s.io/v1", "Ingress"),
    ("apps/v1", "DaemonSet"),
    ("apps/v1", "Deployment"),
    ("apps/v1", "ReplicaSet"),
    ("apps/v1", "StatefulSet"),
    ("v1", "Namespace"),
    ("v1", "PersistentVolume"),
];

/// What `--prune` looks for.
pub(crate) struct Prunable<'a> {
    pub(crate) cluster: &'a Cluster,
    /// The kinds that are looked at, as the flag names them; the usual ones where it names none.
    pub(crate) allowlist: &'a [String],
    pub(crate) labels: &'a str,
}

impl Apply<'_> {
    /// Deletes what carries the annotation and was not applied now.
    pub(super) fn prune(&self, applied: &[Info], teller: &mut Teller<'_>) -> Result<(), CliError> {
        let Some(cluster) = self.cluster else {
            return Ok(());
        };
        let prunable = Prunable {
            cluster,
            allowlist: &self.args.prune_allowlist,
            labels: self.args.selector.as_deref().unwrap_or_default(),
        };
        let mut gone = Vec::new();
        for info in prunable.find(applied)? {
            if self.dry_run != DryRun::Client {
                let grace = self.args.grace_period;
                let options = DeleteOptions {
                    write: self.options.clone(),
                    grace_period: (grace >= 0).then_some(grace),
                    propagation: Some(self.args.cascade.get()?),
                    ..DeleteOptions::default()
                };
                let answer = cluster.delete(&info.place(), &info.name, &options)?;
                gone.push(info.with(answer.object));
            }
            teller.tell(&info, "pruned")?;
        }
        if self.args.wait && self.dry_run == DryRun::None {
            gone.iter().try_for_each(|info| self.wait(cluster, info))?;
        }
        Ok(())
    }
}

impl Prunable<'_> {
    /// The objects that carry the annotation and are none of those that were applied.
    pub(crate) fn find(&self, applied: &[Info]) -> Result<Vec<Info>, CliError> {
        let mut namespaces: Vec<&str> = Vec::new();
        for info in applied.iter().filter(|i| i.kind.namespaced) {
            if !namespaces.contains(&info.namespace.as_str()) {
                namespaces.push(&info.namespace);
            }
        }
        namespaces.sort_unstable();
        let mut found = Vec::new();
        let kinds = self.kinds()?;
        let (inside, outside): (Vec<_>, Vec<_>) = kinds.into_iter().partition(|k| k.namespaced);
        for namespace in namespaces {
            for kind in &inside {
                found.extend(self.of_kind(&Place::new(kind, namespace), applied)?);
            }
        }
        for kind in &outside {
            found.extend(self.of_kind(&Place::new(kind, ""), applied)?);
        }
        Ok(found)
    }

    fn kinds(&self) -> Result<Vec<&'static Kind>, CliError> {
        let kinds = Kinds::of(Some(self.cluster))?;
        let listed = self.allowlist;
        if listed.is_empty() {
            let usual = USUAL.iter().filter_map(|(v, k)| kinds.of_object(v, k));
            return Ok(usual.collect());
        }
        listed
            .iter()
            .map(|text| {
                let parts: Vec<&str> = text.split('/').collect();
                let [group, version, kind] = parts.as_slice() else {
                    return Err(CliError::text(format!(
                        "invalid GroupVersionKind format: {text}, please follow <group/version/kind>"
                    )));
                };
                let api_version = match *group {
                    "core" | "" => (*version).to_owned(),
                    group => format!("{group}/{version}"),
                };
                kinds.of_object(&api_version, kind).ok_or_else(|| {
                    let (kind, version) = (quoted(kind), quoted(&api_version));
                    CliError::text(format!("no matches for kind {kind} in version {version}"))
                })
            })
            .collect()
    }

    fn of_kind(&self, place: &Place, applied: &[Info]) -> Result<Vec<Info>, CliError> {
        let selection = Selection::parse(place.kind, self.labels, "")?;
        let uid = |object: &Value| object["metadata"]["uid"].clone();
        let kept = |object: &Value| applied.iter().any(|i| uid(&i.object) == uid(object));
        let goes = |object: &Value| {
            selection.matches(object) && last_applied::of(object).is_some() && !kept(object)
        };
        let found = self.cluster.list(place, &goes, None)?.items;
        let info = |object: Value| Info {
            kind: place.kind,
            namespace: place.namespace.clone(),
            name: object["metadata"]["name"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
            source: String::new(),
            object,
        };
        Ok(found.into_iter().map(info).collect())
    }
}
