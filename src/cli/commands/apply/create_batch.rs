//! Creates missing objects together: a manifest of many objects needs one commit, with the messages of single
//! creations.

use super::Apply;
use super::object::without_nulls;
use crate::cli::error::CliError;
use crate::cli::options::{DryRun, ResultPrinter};
use crate::cli::resource::{Info, to_create};
use crate::cluster::{ApiError, Request, Response};
use crate::kinds::last_applied;

/// The result for one object.
pub(super) type CreateResult = Result<Response, ApiError>;

impl Apply<'_> {
    /// Creates the leading objects of `infos` that do not exist, up to the first that does. Creates none if there is
    /// only one, or if the flags exclude a batch.
    pub(super) fn create_leading(&self, infos: &[Info]) -> Vec<CreateResult> {
        let Some(cluster) = self.cluster else {
            return Vec::new();
        };
        // Server-side apply creates and patches in one request, and a dry run commits nothing that could be batched.
        if self.args.server_side || self.dry_run != DryRun::None {
            return Vec::new();
        }
        let mut named = std::collections::BTreeSet::new();
        let mut is_new = |info: &Info| {
            let key = (
                info.kind.qualified_resource(),
                info.namespace.clone(),
                info.name.clone(),
            );
            // The server returns a review instead of storing it.
            let kept = info.kind.reviews().is_none();
            let found = || {
                cluster
                    .get(&info.place(), &info.name)
                    .map_err(CliError::from)
            };
            // A later manifest of the same object must patch what the first one created, so the batch ends before it.
            kept && !info.name.is_empty()
                && named.insert(key)
                && found().is_err_and(|e| e.is_not_found())
        };
        let request = |info: &Info| {
            let object = without_nulls(last_applied::annotated(&info.object));
            let object = to_create(&object).into_owned();
            Request::create(info.place(), object).with(self.options.clone())
        };
        let requests: Vec<Request> = infos
            .iter()
            // An object after an existing one waits for its turn, because kubectl applies objects in the order of the
            // files.
            .take_while(|info| is_new(info))
            .map(request)
            .collect();
        // A batch of one object gains nothing, and the usual path also reports its errors.
        if requests.len() < 2 {
            return Vec::new();
        }
        // If the commit as a whole fails, no object is created. Each object is then applied alone and reports its own
        // error.
        cluster.all(&requests).unwrap_or_default()
    }

    /// Returns the outcome for an object of the batch. If another writer has created it in the meantime, or an apply
    /// that was killed after its commit, it is patched.
    pub(super) fn batch_outcome(
        &self,
        info: &Info,
        made: CreateResult,
        printer: &ResultPrinter<'_>,
    ) -> Result<(&'static str, Info), CliError> {
        let answer = match (made, self.cluster) {
            (Err(e), Some(cluster)) if is_there(&e) && !info.name.is_empty() => {
                let modified = last_applied::annotated(&info.object);
                let live = cluster.get(&info.place(), &info.name)?;
                return self.changed(cluster, info, &modified, live, printer);
            }
            (made, _) => made.map_err(|e| CliError::while_doing(e, "creating", &info.source))?,
        };
        printer.warn(&answer);
        Ok(("created", info.with(answer.object)))
    }
}

fn is_there(error: &ApiError) -> bool {
    error.status().is_some_and(|s| s.reason == "AlreadyExists")
}
