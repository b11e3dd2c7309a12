//! Applies one object, on the client or on the server.

use std::slice;

use super::Apply;
use super::patch_errors::patch_error;
use crate::api::json::Value;
use crate::api::status::Status;
use crate::api::yaml;
use crate::cli::api_path::SubresourceTarget;
use crate::cli::commands::patch::merged;
use crate::cli::commands::recreate::Recreate;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::{DryRun, ResultPrinter};
use crate::cli::resource::{Info, to_create};
use crate::cluster::{ApiError, ApplyOptions, Cluster, PatchType, Response};
use crate::kinds::last_applied::{self, Patch};
use crate::print::json::one_line;

/// kubectl's message about fields that other managers own.
const CONFLICT_HELP: &str = "\
Please review the fields above--they currently have other managers. Here
are the ways you can resolve this warning:
* If you intend to manage all of these fields, please re-run the apply
  command with the `--force-conflicts` flag.
* If you do not intend to manage all of the fields, please edit your
  manifest to remove references to the fields that should keep their
  current managers.
* You may co-own fields by updating your manifest to match the existing
  value; in this case, you'll become the manager if the other manager(s)
  stop managing the field (remove it from their configuration).
See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts";

/// The outcome in a word, and the object afterwards.
type Applied = (&'static str, Info);

impl Apply<'_> {
    /// Applies one object.
    pub(super) fn one(
        &self,
        info: &Info,
        printer: &ResultPrinter<'_>,
    ) -> Result<Applied, CliError> {
        let prefix = info.object["metadata"]["generateName"].as_str();
        // Apply must find the object again in the next run, which a generated name prevents.
        if let Some(prefix) = prefix.filter(|p| info.name.is_empty() && !p.is_empty()) {
            return Err(CliError::text(format!(
                "from {prefix}: cannot use generate name with apply"
            )));
        }
        if self.args.server_side {
            return self.server_side(info, printer);
        }
        let modified = last_applied::annotated(&info.object);
        let Some(cluster) = self.cluster else {
            return Ok(("created", info.with(without_nulls(modified))));
        };
        let live = live(cluster, info);
        // The first request is the read, so its warning comes before any other.
        printer.warn_of_kind(info.kind);
        match live {
            Ok(live) => self.changed(cluster, info, &modified, live, printer),
            Err(e) if e.is_not_found() => self.created(cluster, info, modified, printer),
            // Any other failure, such as a forbidden read, must not lead to a create, which would hide it.
            Err(e) => Err(unread(info, e)),
        }
    }

    fn created(
        &self,
        cluster: &Cluster,
        info: &Info,
        modified: Value,
        printer: &ResultPrinter<'_>,
    ) -> Result<Applied, CliError> {
        let modified = without_nulls(modified);
        if self.dry_run == DryRun::Client {
            return Ok(("created", info.with(modified)));
        }
        let made = cluster.create(&info.place(), &to_create(&modified), &self.options);
        self.batch_outcome(info, made, printer)
    }

    pub(super) fn changed(
        &self,
        cluster: &Cluster,
        info: &Info,
        modified: &Value,
        live: Value,
        printer: &ResultPrinter<'_>,
    ) -> Result<Applied, CliError> {
        // Without the annotation, fields that the manifest no longer names are unknown, so they stay.
        if last_applied::of(&live).is_none() {
            let program = &self.context.program;
            self.context.ui.warn(&format!(
                "resource {}/{} is missing the {} annotation which is required by {program} apply. \
                 {program} apply should only be used on resources created declaratively by either \
                 {program} create --save-config or {program} apply. The missing annotation will be \
                 patched automatically.",
                info.kind.plural,
                info.name,
                last_applied::LAST_APPLIED
            ));
        }
        let patch = last_applied::three_way(info.kind, modified, &live)
            .map_err(|why| patch_error(self.context, info, modified, &live, &why))
            .map_err(|e| unpatched(info, "", e))?;
        if !self.args.overwrite
            && let Some(changed) = last_applied::overwritten(info.kind, &patch, &live)
        {
            let why = format!(
                "patch:\n{}\nconflicts with changes made from original to current:\n{}\n",
                yaml::to_string(patch.value()),
                yaml::to_string(&changed)
            );
            let e = patch_error(self.context, info, modified, &live, &why);
            return Err(unpatched(info, "", e));
        }
        // No request is sent, so an unchanged manifest causes neither a revision nor admission.
        if patch.is_empty() {
            self.warn_if_terminating(&live, info);
            return Ok(("unchanged", info.with(live)));
        }
        let text = || one_line(patch.value());
        if self.dry_run == DryRun::Client {
            // Nothing is sent, so nothing is defaulted or converted, for example the `stringData` of a Secret.
            let (how, value) = with_type(&patch);
            if how == PatchType::Strategic && !info.kind.has_go_struct() {
                let why = "applying patch locally: expected a struct, but received a nil";
                return Err(CliError::text(why).with_context(&failed(info, "")));
            }
            let merged = merged(info.kind, &live, how, value);
            let merged = merged.map_err(|e| unpatched(info, &text(), e))?;
            self.warn_if_terminating(&merged, info);
            return Ok(("configured", info.with(merged)));
        }
        let answer = match self.patched(cluster, info, &patch) {
            // `--force` deletes and recreates the object, but only after rejections that a new object can avoid.
            Err(e) if self.args.force && may_replace(&e) => {
                let applied = failed(info, &(one_line(modified) + "\n"));
                let replaced = self.replaced(cluster, info, modified);
                replaced.map_err(|e| e.with_context(&applied))?
            }
            Err(e) => return Err(unpatched(info, &text(), e.into())),
            Ok(answer) => answer,
        };
        printer.warn(&answer);
        self.warn_if_terminating(&answer.object, info);
        Ok(("configured", info.with(answer.object)))
    }

    fn patched(&self, cluster: &Cluster, info: &Info, patch: &Patch) -> Result<Response, ApiError> {
        let how = with_type(patch);
        cluster.patch(&info.place(), &info.name, how, false, &self.options)
    }

    /// Deletes the object and creates it again.
    fn replaced(
        &self,
        cluster: &Cluster,
        info: &Info,
        modified: &Value,
    ) -> Result<Response, CliError> {
        let info = info.with(modified.clone());
        let recreate = self.recreate(cluster);
        // The new object is checked before the deletion, because an object that cannot be recreated must not be lost.
        for refused in recreate.check(slice::from_ref(&info))? {
            refused?;
        }
        let old = recreate.delete(&info)?;
        recreate.wait(old.iter().map(|(_, going)| going))?;
        recreate.create(&info, old.as_ref().map(|(old, _)| old))
    }

    /// Returns the settings for deleting and recreating objects.
    pub(super) fn recreate<'a>(&'a self, cluster: &'a Cluster) -> Recreate<'a> {
        Recreate {
            context: self.context,
            cluster,
            flags: &self.args.deletion,
            options: &self.options,
        }
    }

    fn server_side(&self, info: &Info, printer: &ResultPrinter<'_>) -> Result<Applied, CliError> {
        let Some(cluster) = self.cluster else {
            return Err(CliError::text("there is no cluster to apply to"));
        };
        let options = ApplyOptions {
            write: self.options.clone(),
            force: self.args.force_conflicts,
            subresource: self.args.subresource.clone().unwrap_or_default(),
        };
        info.require_name()?;
        let place = info.place();
        let answer = match options.subresource.as_str() {
            "" => cluster
                .apply(&place, &info.name, &info.object, &options)
                .map_err(CliError::from),
            subresource => SubresourceTarget {
                context: self.context,
                cluster,
                place: &place,
                name: &info.name,
                subresource,
            }
            .apply(&info.object, &self.options, options.force),
        };
        let answer = answer.map_err(|e| match e.status() {
            // kubectl adds its advice only to ownership conflicts, which `--force-conflicts` resolves.
            Some(status) if status.reason == "Conflict" => conflict(status),
            _ => e,
        })?;
        printer.warn(&answer);
        let object = self.migrated(cluster, info, answer.object, &options)?;
        self.warn_if_terminating(&object, info);
        Ok(("serverside-applied", info.with(object)))
    }

    fn warn_if_terminating(&self, object: &Value, info: &Info) {
        warn_if_terminating(self.context, object, info);
    }
}

/// Warns that an object is being deleted.
pub(in crate::cli::commands) fn warn_if_terminating(
    context: &Context,
    object: &Value,
    info: &Info,
) {
    if object["metadata"]["deletionTimestamp"].is_string() {
        context.ui.warn(&format!(
            "Detected changes to resource {} which is currently being deleted.",
            info.name
        ));
    }
}

fn with_type(patch: &Patch) -> (PatchType, &Value) {
    match patch {
        Patch::Strategic(value) => (PatchType::Strategic, value),
        Patch::Merge(value) => (PatchType::Merge, value),
    }
}

/// Returns an object without its null fields. A later apply removes such fields, so they are not created either.
pub(super) fn without_nulls(mut object: Value) -> Value {
    object.drop_nulls();
    object
}

fn conflict(status: &Status) -> CliError {
    CliError::text(format!("{}\n{CONFLICT_HELP}", status.message))
}

/// Returns the error about a live object that exists but cannot be read.
pub(super) fn unread(info: &Info, error: CliError) -> CliError {
    error.with_context(&format!(
        "error when retrieving current configuration of:\n{}\nfrom server for: \"{}\": ",
        described(info),
        info.source
    ))
}

/// Returns the live object.
pub(super) fn live(cluster: &Cluster, info: &Info) -> Result<Value, CliError> {
    info.require_name()?;
    Ok(cluster.get(&info.place(), &info.name)?)
}

fn may_replace(error: &ApiError) -> bool {
    let reason = error.status().map(|s| s.reason);
    matches!(reason, Some("Conflict" | "Invalid"))
}

/// Returns the description of an object in kubectl's longer messages.
fn described(info: &Info) -> String {
    let kind = info.kind;
    let (group, version) = (kind.group, kind.version);
    format!(
        "Resource: \"{group}/{version}, Resource={}\", GroupVersionKind: \"{group}/{version}, Kind={}\"\n\
         Name: \"{}\", Namespace: \"{}\"",
        kind.plural, kind.kind, info.name, info.namespace
    )
}

/// Returns the error about a patch that cannot be made or that the server rejects.
fn unpatched(info: &Info, patch: &str, error: CliError) -> CliError {
    let doing = format!("error when patching \"{}\": ", info.source);
    error
        .with_context(&doing)
        .with_context(&failed(info, patch))
}

fn failed(info: &Info, patch: &str) -> String {
    format!(
        "error when applying patch:\n{patch}\nto:\n{}\nfor: \"{}\": ",
        described(info),
        info.source
    )
}
