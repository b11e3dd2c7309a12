//! `ctl apply --prune`: what was applied before and is in the files no longer.

use serde_json::Value;

use super::Apply;
use crate::api::go::quoted;
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

impl Apply<'_> {
    /// Deletes what carries the annotation and was not applied now.
    pub(super) fn prune(&self, applied: &[Info], teller: &mut Teller<'_>) -> Result<(), CliError> {
        let Some(cluster) = self.cluster else {
            return Ok(());
        };
        let mut namespaces: Vec<&str> = Vec::new();
        for info in applied.iter().filter(|i| i.kind.namespaced) {
            if !namespaces.contains(&info.namespace.as_str()) {
                namespaces.push(&info.namespace);
            }
        }
        namespaces.sort_unstable();
        let kinds = self.kinds(cluster)?;
        let (inside, outside): (Vec<_>, Vec<_>) = kinds.into_iter().partition(|k| k.namespaced);
        for namespace in namespaces {
            for kind in &inside {
                self.prune_kind(cluster, &Place::new(kind, namespace), applied, teller)?;
            }
        }
        for kind in &outside {
            self.prune_kind(cluster, &Place::new(kind, ""), applied, teller)?;
        }
        Ok(())
    }

    fn kinds(&self, cluster: &Cluster) -> Result<Vec<&'static Kind>, CliError> {
        let kinds = Kinds::of(Some(cluster))?;
        let listed = &self.args.prune_allowlist;
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

    fn prune_kind(
        &self,
        cluster: &Cluster,
        place: &Place,
        applied: &[Info],
        teller: &mut Teller<'_>,
    ) -> Result<(), CliError> {
        let labels = self.args.selector.as_deref().unwrap_or_default();
        let selection = Selection::parse(place.kind, labels, "")?;
        let uid = |object: &Value| object["metadata"]["uid"].clone();
        let kept = |object: &Value| applied.iter().any(|i| uid(&i.object) == uid(object));
        let goes = |object: &Value| {
            selection.matches(object) && last_applied::of(object).is_some() && !kept(object)
        };
        for object in cluster.list(place, &goes, None)?.items {
            let name = object["metadata"]["name"].as_str().unwrap_or_default();
            let info = Info {
                kind: place.kind,
                namespace: place.namespace.clone(),
                name: name.to_owned(),
                source: String::new(),
                object: object.clone(),
            };
            if self.dry_run != DryRun::Client {
                let grace = self.args.grace_period;
                let options = DeleteOptions {
                    write: self.options.clone(),
                    grace_period: (grace >= 0).then_some(grace),
                    propagation: Some(self.args.cascade.get()?),
                    ..DeleteOptions::default()
                };
                cluster.delete(place, &info.name, &options)?;
            }
            teller.tell(&info, "pruned")?;
        }
        Ok(())
    }
}
