//! `ctl apply --prune`: deletes objects that were applied earlier and are no longer in the files.

use super::Apply;
use crate::api::go::quoted;
use crate::api::json::Value;
use crate::cli::error::CliError;
use crate::cli::options::{DryRun, ResultPrinter};
use crate::cli::resource::{Info, Kinds};
use crate::cli::ui::Ui;
use crate::cluster::{Cluster, DeleteOptions, Place, Selection};
use crate::kinds::{Kind, last_applied, warnings};

/// The kinds that are pruned unless `--prune-allowlist` names others.
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

/// The filters of `--prune`.
pub(crate) struct Prunable<'a> {
    pub(crate) cluster: &'a Cluster,
    /// The kinds to prune, as given by the flag; empty for kubectl's defaults.
    pub(crate) allowlist: &'a [String],
    pub(crate) labels: &'a str,
    /// The value of `--namespace`. That namespace is pruned even if nothing was applied to it.
    pub(crate) namespace: Option<&'a str>,
    pub(crate) ui: &'a Ui,
}

impl Apply<'_> {
    /// Deletes objects that have the annotation and were not applied by this command.
    pub(super) fn prune(
        &self,
        applied: &[Info],
        printer: &mut ResultPrinter<'_>,
    ) -> Result<(), CliError> {
        let Some(cluster) = self.cluster else {
            return Ok(());
        };
        let prunable = Prunable {
            cluster,
            allowlist: &self.args.prune_allowlist,
            labels: self.args.selector.as_deref().unwrap_or_default(),
            namespace: self.context.explicit_namespace(),
            ui: &self.context.ui,
        };
        let failed = |info: &Info| pruning(info.kind);
        // Kind by kind, as in kubectl: the warning about a list follows the report of the kinds before.
        for place in prunable.places(applied)? {
            let infos = prunable.of_kind(&place, applied)?;
            self.delete(cluster, infos, &failed, printer)?;
        }
        Ok(())
    }

    /// Deletes the objects to prune. `failed` begins the error message.
    pub(super) fn delete(
        &self,
        cluster: &Cluster,
        infos: Vec<Info>,
        failed: &dyn Fn(&Info) -> String,
        printer: &mut ResultPrinter<'_>,
    ) -> Result<(), CliError> {
        let mut gone = Vec::new();
        for info in infos {
            // A client-side dry run reports the objects but deletes nothing.
            if self.dry_run != DryRun::Client {
                let grace = self.args.deletion.grace_period;
                let options = DeleteOptions {
                    write: self.options.clone(),
                    grace_period: (grace >= 0).then_some(grace),
                    propagation: Some(self.args.deletion.cascade.get()?),
                    ..DeleteOptions::default()
                };
                let answer = cluster.delete(&info.place(), &info.name, &options);
                let refused = |e| CliError::text(format!("{}{}", failed(&info), CliError::from(e)));
                let answer = answer.map_err(refused)?;
                self.context.ui.warn_of(&answer);
                gone.push(info.with(answer.object));
            }
            printer.print_result(&info, "pruned")?;
        }
        if self.args.deletion.wait && self.dry_run == DryRun::None {
            self.recreate(cluster).wait(gone.iter())?;
        }
        Ok(())
    }
}

/// Returns the beginning of an error about the pruning of a kind.
fn pruning(kind: &Kind) -> String {
    let scope = if kind.namespaced {
        "namespaced"
    } else {
        "nonNamespaced"
    };
    format!("error pruning {scope} object {}: ", typed(kind))
}

/// Returns a kind in Go's notation, as in `apps/v1, Kind=Deployment`.
pub(crate) fn typed(kind: &Kind) -> String {
    format!("{}/{}, Kind={}", kind.group, kind.version, kind.kind)
}

/// Returns the objects of a place that match the labels, are `wanted`, and were not applied by this command.
pub(super) fn left(
    cluster: &Cluster,
    place: &Place,
    labels: &str,
    wanted: fn(&Value) -> bool,
    applied: &[Info],
) -> Result<Vec<Info>, CliError> {
    let selection = Selection::parse(place.kind, labels, "")?;
    let uid = |object: &Value| object["metadata"]["uid"].clone();
    // As in kubectl, uids are compared: an object that was recreated under the same name was not applied by this
    // command.
    let kept = |object: &Value| applied.iter().any(|i| uid(&i.object) == uid(object));
    let goes = |object: &Value| selection.matches(object) && wanted(object) && !kept(object);
    let found = cluster.list(place, &goes, None)?.items;
    Ok(found
        .into_iter()
        .map(|object| Info::at(place, object))
        .collect())
}

/// Returns the kinds that `--prune-allowlist` names.
pub(super) fn listed(
    allowlist: &[String],
    cluster: Option<&Cluster>,
) -> Result<Vec<&'static Kind>, CliError> {
    if allowlist.is_empty() {
        return Ok(Vec::new());
    }
    let kinds = Kinds::from_cluster(cluster)?;
    let kind = |text: &String| {
        let parts: Vec<&str> = text.split('/').collect();
        let [group, version, kind] = parts.as_slice() else {
            return Err(CliError::text(format!(
                "invalid GroupVersionKind format: {text}, please follow <group/version/kind>"
            )));
        };
        let api_version = match *group {
            // The allowlist calls the core group `core`, but no `apiVersion` does.
            "core" | "" => (*version).to_owned(),
            group => format!("{group}/{version}"),
        };
        kinds.of_object(&api_version, kind).ok_or_else(|| {
            let (kind, version) = (quoted(kind), quoted(&api_version));
            CliError::text(format!("no matches for kind {kind} in version {version}"))
        })
    };
    allowlist.iter().map(kind).collect()
}

impl Prunable<'_> {
    /// Rejects an invalid list of kinds.
    pub(crate) fn check(&self) -> Result<(), CliError> {
        listed(self.allowlist, Some(self.cluster)).map(drop)
    }

    /// Returns the objects that have the annotation and were not applied by this command.
    pub(crate) fn find(&self, applied: &[Info]) -> Result<Vec<Info>, CliError> {
        let mut found = Vec::new();
        for place in self.places(applied)? {
            found.extend(self.of_kind(&place, applied)?);
        }
        Ok(found)
    }

    /// Returns the places to search, in order.
    fn places(&self, applied: &[Info]) -> Result<Vec<Place>, CliError> {
        let mut namespaces: Vec<&str> = self.namespace.into_iter().collect();
        for info in applied.iter().filter(|i| i.kind.namespaced) {
            if !namespaces.contains(&info.namespace.as_str()) {
                namespaces.push(&info.namespace);
            }
        }
        // kubectl keeps the namespaces in an unordered set; sorting makes the output deterministic.
        namespaces.sort_unstable();
        let kinds = self.kinds()?;
        let (inside, outside): (Vec<_>, Vec<_>) = kinds.into_iter().partition(|k| k.namespaced);
        let inside = namespaces.iter().flat_map(|namespace| {
            let of_kind = move |kind: &&'static Kind| Place::new(kind, namespace);
            inside.iter().map(of_kind)
        });
        // Namespaces come last, as in kubectl: deleted first, they would take their objects along without a report.
        Ok(inside
            .chain(outside.iter().map(|kind| Place::new(kind, "")))
            .collect())
    }

    fn kinds(&self) -> Result<Vec<&'static Kind>, CliError> {
        let listed = listed(self.allowlist, Some(self.cluster))?;
        if !listed.is_empty() {
            return Ok(listed);
        }
        let kinds = Kinds::from_cluster(Some(self.cluster))?;
        // The default kinds include cluster-scoped ones, which the warning is about.
        self.ui.log(
            "prune.go:71",
            "Deprecated: kubectl apply will no longer prune non-namespaced resources by default when used with the \
             --namespace flag in a future release. To preserve the current behaviour, list the resources you want to \
             target explicitly in the --prune-allowlist flag.",
        );
        let usual = USUAL.iter().filter_map(|(v, k)| kinds.of_object(v, k));
        Ok(usual.collect())
    }

    fn of_kind(&self, place: &Place, applied: &[Info]) -> Result<Vec<Info>, CliError> {
        let wanted = |object: &Value| last_applied::of(object).is_some();
        // The server warns about a request for such a list, even if the list is empty.
        if let Some(text) = warnings::deprecation(place.kind) {
            self.ui.warn(text);
        }
        left(self.cluster, place, self.labels, wanted, applied)
            .map_err(|e| CliError::text(format!("{}{e}", pruning(place.kind))))
    }
}

#[cfg(test)]
mod tests {
    use crate::api::json::json;
    use crate::cli::testing::Shell;

    fn map(name: &str) -> String {
        let meta = json!({"name": name, "labels": {"app": "x"}});
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta}).to_string()
    }

    fn shell() -> Shell {
        let shell = Shell::new();
        shell.write("a.yaml", map("a"));
        shell.write("b.yaml", map("b"));
        shell.all(&["create ns shop"]);
        shell
    }

    #[test]
    fn flags_incompatible_with_prune_are_rejected_before_any_write() {
        let shell = shell();
        shell.refuses(&[
            ("apply -f @/a.yaml more --force-conflicts", "Unexpected args: [more]\nSee 'kubectl apply -h' for help and examples"),
            ("apply --force-conflicts", "must specify one of -f and -k"),
            (
                "apply -f @/a.yaml --prune --all --force",
                "--force cannot be used with --prune",
            ),
            (
                "apply -f @/a.yaml --prune --all --server-side",
                "--prune is in alpha and doesn't currently work on objects created by server-side apply",
            ),
            (
                "apply -f @/a.yaml --prune --all --prune-allowlist=v1/Pod",
                "invalid GroupVersionKind format: v1/Pod, please follow <group/version/kind>",
            ),
            (
                "apply -f @/a.yaml --prune --prune-allowlist=v1/Pod --subresource=status",
                "invalid GroupVersionKind format: v1/Pod, please follow <group/version/kind>",
            ),
            (
                "apply -f @/a.yaml --prune --all -l app=x --subresource=status",
                "cannot set --all and --selector at the same time",
            ),
            (
                "apply -f @/a.yaml --prune --all --prune-allowlist=apps/v1/Pod",
                "no matches for kind \"Pod\" in version \"apps/v1\"",
            ),
        ]);
        assert_eq!(shell.run("get cm a").code, 1);
    }

    #[test]
    fn prune_searches_the_requested_namespace() {
        let shell = shell();
        shell.write("ns.yaml", r#"{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "n", "labels": {"app": "x"}}}"#);
        shell.all(&["apply -n shop -f @/a.yaml", "apply -f @/b.yaml"]);
        let prune = "apply -f @/ns.yaml --prune -l app=x";
        assert_eq!(shell.run(prune).out, "namespace/n created\n");
        let out = shell.run(&format!("{prune} -n shop")).out;
        assert_eq!(out, "namespace/n unchanged\nconfigmap/a pruned\n");
    }

    #[test]
    fn forbidden_prune_names_the_object() {
        let shell = shell();
        shell.all(&[
            "apply -f @/a.yaml",
            "create clusterrole some --verb=get,list,create,patch --resource=configmaps",
            "create clusterrolebinding some --clusterrole=some --user=bob",
        ]);
        let said = shell
            .run("apply -f @/b.yaml --prune -l app=x --prune-allowlist=core/v1/ConfigMap --as=bob");
        assert_eq!(said.out, "configmap/b created\n");
        let listed = shell.fails(
            "apply -f @/b.yaml --prune -l app=x --prune-allowlist=core/v1/Namespace --as=bob",
        );
        assert_eq!(
            listed,
            "error: error pruning nonNamespaced object /v1, Kind=Namespace: namespaces is forbidden: User \"bob\" cannot \
             list resource \"namespaces\" in API group \"\" at the cluster scope"
        );
        assert_eq!(
            said.err,
            "error: error pruning namespaced object /v1, Kind=ConfigMap: configmaps \"a\" is \
             forbidden: User \"bob\" cannot delete resource \"configmaps\" in API group \"\" in \
             the namespace \"default\"\n"
        );
    }
}
