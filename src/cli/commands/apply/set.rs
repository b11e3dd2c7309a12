//! `ctl apply --prune --applyset`: deletes members of a set that are no longer in the files. The parent records new
//! kinds and namespaces before their members are applied, and drops old ones after their members are deleted, so that
//! no member is ever lost.

#[cfg(test)]
mod tests;

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

use super::Apply;
use super::prune::{left, typed};
use crate::cli::commands::version::KUBERNETES;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::{DryRun, ResultPrinter, write_options};
use crate::cli::resource::{Info, Kinds};
use crate::cluster::{ApiError, ApplyOptions, Cluster, Place};
use crate::kinds::applyset::{self, Extent, Parent};
use crate::kinds::validate::names::path_segment;

/// The flag's name.
const FLAG: &str = "applyset";

/// The flag `--applyset`, which exists only if the environment enables it.
#[derive(Clone, Debug, Default)]
pub(super) struct SetArg(Option<String>);

impl SetArg {
    /// Returns the reference of the set, if one is named.
    pub(super) fn reference(&self) -> Option<&str> {
        self.0.as_deref().filter(|text| !text.is_empty())
    }
}

impl FromArgMatches for SetArg {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = matches.try_get_one::<String>(FLAG).ok().flatten();
        Ok(Self(given.cloned()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for SetArg {
    fn augment_args(command: Command) -> Command {
        // kubectl's alpha feature gate: while it is off, the flag is an unknown one.
        let asked = std::env::var("KUBECTL_APPLYSET").unwrap_or_default();
        match asked.to_lowercase().as_str() {
            "true" => with_flag(command),
            _ => command,
        }
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// Returns the command with the flag.
fn with_flag(command: Command) -> Command {
    command.arg(Arg::new(FLAG).long(FLAG).value_name("NAME").help(
        "Apply set of the objects, as [RESOURCE[.GROUP]/]NAME; a Secret without RESOURCE. With --prune, \
         members that are not in the files are deleted",
    ))
}

/// A set with its extent before and after the command.
#[derive(Debug)]
pub(super) struct ApplySet {
    parent: Parent,
    kinds: Kinds,
    /// The kinds and namespaces of the members at the start of the command.
    before: Extent,
    /// The kinds and namespaces of the members at its end.
    after: Extent,
}

impl ApplySet {
    /// Parses the reference of a set.
    pub(super) fn new(
        text: &str,
        context: &Context,
        cluster: Option<&Cluster>,
    ) -> Result<Self, CliError> {
        let kinds = Kinds::from_cluster(cluster)?;
        let mut parent = Parent::parse(text, kinds.catalogue())
            .map_err(|why| CliError::text(format!("invalid parent reference {text:?}: {why}")))?;
        // As in kubectl, the context's default namespace does not apply to the parent.
        if let Some(asked) = context
            .explicit_namespace()
            .filter(|_| parent.kind.namespaced)
        {
            asked.clone_into(&mut parent.namespace);
        }
        Ok(Self {
            parent,
            kinds,
            before: Extent::default(),
            after: Extent::default(),
        })
    }

    /// Rejects an invalid parent.
    pub(super) fn check(&self, cluster: Option<&Cluster>) -> Result<(), CliError> {
        // kubectl reports all mistakes of the parent at once, so no check returns early.
        let mut wrong = Vec::new();
        if self.parent.kind.namespaced && self.parent.namespace.is_empty() {
            let text = "namespace is required to use namespace-scoped ApplySet";
            wrong.push(CliError::text(text));
        }
        if !self.parent.is_built_in() {
            let definitions = definitions(&self.kinds, cluster);
            let definitions = definitions.unwrap_or_else(|e| {
                let text = format!("identifying allowed custom resource parent types: {e}");
                wrong.push(CliError::text(text));
                Vec::new()
            });
            let checked = self.parent.check_definitions(&definitions);
            wrong.extend(checked.map_err(CliError::text).err());
        }
        CliError::all(wrong)
    }

    /// Labels the objects as members.
    pub(super) fn mark(&self, infos: &mut [Info]) -> Result<(), CliError> {
        let id = self.parent.id();
        let mut marked = infos.iter_mut().map(|i| applyset::mark(&mut i.object, &id));
        marked.try_for_each(|one| one.map_err(CliError::text))
    }

    fn place(&self) -> Place {
        Place::new(self.parent.kind, &self.parent.namespace)
    }

    /// Returns the extent that the live parent records, if it exists.
    fn read(&self, cluster: Option<&Cluster>) -> Result<Extent, CliError> {
        let (parent, name) = (&self.parent, &self.parent.name);
        let failed = |why: String| {
            let text = format!("failed to fetch ApplySet parent object \"{parent}\": {why}");
            CliError::text(text)
        };
        let wrong = path_segment(name);
        if !wrong.is_empty() {
            let why = format!("invalid resource name {name:?}: [{}]", wrong.join(" "));
            return Err(failed(why));
        }
        let live = cluster.map(|c| c.get(&self.place(), name).map_err(CliError::from));
        match live {
            Some(Ok(live)) => parent
                .read(&live, self.kinds.catalogue())
                .map_err(CliError::text),
            Some(Err(e)) if !e.is_not_found() => Err(failed(e.to_string())),
            // The first apply creates a Secret or a ConfigMap; a custom parent has fields that ctl cannot make up.
            _ if parent.is_built_in() => Ok(Extent::default()),
            _ => Err(CliError::text(
                "custom resource ApplySet parents cannot be created automatically",
            )),
        }
    }
}

/// The definitions of custom resources.
fn definitions(
    kinds: &Kinds,
    cluster: Option<&Cluster>,
) -> Result<Vec<crate::api::json::Value>, CliError> {
    let kind = kinds.of_object("apiextensions.k8s.io/v1", "CustomResourceDefinition");
    let Some((kind, cluster)) = kind.zip(cluster) else {
        return Ok(Vec::new());
    };
    Ok(cluster.list(&Place::new(kind, ""), &|_| true, None)?.items)
}

impl Apply<'_> {
    /// Records the kinds and namespaces of old and new members in the parent, before any member is applied.
    pub(super) fn extend(&self, set: &mut ApplySet, infos: &[Info]) -> Result<(), CliError> {
        set.before = set.read(self.cluster)?;
        for info in infos {
            set.after.add(info.kind, &info.namespace);
        }
        // The union of both, because members of earlier runs and of this one coexist until the prune has ended.
        self.write(set, &set.before.and(&set.after))
    }

    /// Deletes the members that were not applied by this command, and removes their kinds and namespaces from the
    /// parent.
    pub(super) fn prune_set(
        &self,
        set: &ApplySet,
        applied: &[Info],
        printer: &mut ResultPrinter<'_>,
    ) -> Result<(), CliError> {
        let Some(cluster) = self.cluster else {
            return Ok(());
        };
        // Members are found by their label, so no list of names is stored that could become stale.
        let labels = format!("{}={}", applyset::PART_OF, set.parent.id());
        let mut infos = Vec::new();
        // Only the earlier kinds and namespaces are searched, because everything that this run applied would be skipped
        // anyway.
        for (kind, namespace) in set.before.places().map_err(CliError::text)? {
            let place = Place::new(kind, namespace);
            let found = left(cluster, &place, &labels, |_| true, applied).map_err(|e| {
                CliError::text(format!("listing {} objects for pruning: {e}", typed(kind)))
            })?;
            infos.extend(found);
        }
        let failed = |info: &Info| {
            let kind = info.kind.qualified_kind();
            match info.namespace.as_str() {
                "" => format!("pruning {kind} {}: ", info.name),
                namespace => format!("pruning {kind} {namespace}/{}: ", info.name),
            }
        };
        self.delete(cluster, infos, &failed, printer)?;
        self.write(set, &set.after)
            .map_err(|e| e.with_context("apply and prune succeeded, but ApplySet update failed: "))
    }

    /// Applies the parent with server-side apply, even if the members use client-side apply.
    fn write(&self, set: &ApplySet, extent: &Extent) -> Result<(), CliError> {
        let Some(cluster) = self.cluster.filter(|_| self.dry_run != DryRun::Client) else {
            return Ok(());
        };
        let manager = applyset::FIELD_MANAGER;
        let validation = self.options.field_validation;
        let mut options = ApplyOptions {
            write: write_options(self.context, self.dry_run, manager.to_owned(), validation),
            ..ApplyOptions::default()
        };
        let object = set.parent.with(extent, KUBERNETES);
        let apply = |options: &ApplyOptions| {
            let done = cluster.apply(&set.place(), &set.parent.name, &object, options);
            done.map(|answer| self.context.ui.warn_of(&answer))
        };
        // The first attempt does not force, so that a foreign manager of the fields is at least reported.
        let mut done = apply(&options);
        if let Err(ApiError::Status(status)) = &done
            && status.reason == "Conflict"
        {
            self.context.ui.note(&format!(
                "WARNING: failed to update ApplySet: {}\nApplySet field manager {manager} should \
                 own these fields. Retrying with conflicts forced.",
                status.message
            ));
            options.force = true;
            done = apply(&options);
        }
        done.map_err(|e| {
            let why = CliError::from(e);
            CliError::text(format!("failed to update ApplySet: {why}"))
        })
    }
}
