//! Deletes objects and creates them again, for `replace --force` and `apply --force`.
//!
//! A rejected object does not cost the user the old one: the new object is checked before the deletion, and if the
//! cluster still rejects it afterwards, the old object is created again.

use clap::Args;

use super::delete::CascadeArgs;
use crate::api::json::Value;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::flags::Span;
use crate::cli::resource::{Info, to_create};
use crate::cli::waiting::{self, Completed, Progress};
use crate::cluster::{
    ApiError, Cluster, DeleteOptions, Recreated, Response, WriteOptions, check_recreation,
};

/// The flags of a deletion by a command that creates objects again.
#[derive(Args, Debug)]
pub(super) struct DeletionArgs {
    /// Seconds until a deleted object must end; negative for the object's own grace period
    #[arg(long, value_name = "SECONDS", default_value_t = -1)]
    pub(super) grace_period: i64,
    #[command(flatten)]
    pub(super) cascade: CascadeArgs,
    /// Time to wait for a deletion
    #[arg(long, value_name = "TIME", default_value = "0s")]
    pub(super) timeout: Span,
    /// Wait until deleted objects are removed
    #[arg(long)]
    pub(super) wait: bool,
}

/// Deletes objects and creates them again.
pub(super) struct Recreate<'a> {
    pub(super) context: &'a Context,
    pub(super) cluster: &'a Cluster,
    /// A negative grace period counts as 0 here; a timeout of zero means no timeout.
    pub(super) flags: &'a DeletionArgs,
    pub(super) options: &'a WriteOptions,
}

impl Recreate<'_> {
    /// Checks the new objects with a dry run that assumes the old ones are gone.
    pub(super) fn check(
        &self,
        infos: &[Info],
    ) -> Result<Vec<Result<Response, ApiError>>, CliError> {
        let recreated = |info: &Info| Recreated {
            place: info.place(),
            name: info.name.clone(),
            // A manifest that was read from the cluster has a resourceVersion, which the server rejects on creation.
            object: to_create(&info.object).into_owned(),
        };
        let all: Vec<_> = infos.iter().map(recreated).collect();
        Ok(check_recreation(self.cluster, &all, self.options)?)
    }

    /// Deletes an object. Returns its last state and the object to wait for, or nothing if it did not exist.
    pub(super) fn delete(&self, info: &Info) -> Result<Option<(Value, Info)>, CliError> {
        let options = DeleteOptions {
            write: self.options.clone(),
            grace_period: Some(self.flags.grace_period.max(0)),
            propagation: Some(self.flags.cascade.get()?),
            ..DeleteOptions::default()
        };
        let place = info.place();
        let deleted = self.cluster.get(&place, &info.name).and_then(|old| {
            let answer = self.cluster.delete(&place, &info.name, &options)?;
            self.context.ui.warn_of(&answer);
            Ok((old, info.with(answer.object)))
        });
        match deleted.map_err(CliError::from) {
            // kubectl's `replace --force` creates an object that does not exist.
            Err(e) if e.is_not_found() => Ok(None),
            deleted => deleted.map(Some),
        }
    }

    /// Waits until the deleted objects are gone.
    pub(super) fn wait<'i>(
        &self,
        gone: impl ExactSizeIterator<Item = &'i Info>,
    ) -> Result<(), CliError> {
        let timeout = match self.flags.timeout.is_zero() {
            true => waiting::A_WEEK,
            false => self.flags.timeout.duration(),
        };
        let progress = Progress::new(&self.context.ui);
        let all = gone.len();
        for (done, info) in gone.enumerate() {
            waiting::until_gone(
                self.cluster,
                self.context,
                info,
                timeout,
                &progress,
                Completed { done, all },
            )?;
        }
        Ok(())
    }

    /// Creates the new object, or the old one again if the server rejects the new one.
    pub(super) fn create(&self, info: &Info, old: Option<&Value>) -> Result<Response, CliError> {
        let place = info.place();
        let create = |object: &Value| {
            self.cluster
                .create(&place, &to_create(object), self.options)
        };
        let refused = match create(&info.object) {
            Ok(answer) => return Ok(answer),
            Err(e) => CliError::from(e),
        };
        // The namespace or the quota may have changed since the check.
        match old.map(create) {
            None | Some(Ok(_)) => Err(refused),
            Some(Err(e)) => Err(CliError::text(format!(
                "An error occurred force-replacing the existing object with the newly provided \
                 one:\n\n{}.\n\nAdditionally, an error occurred attempting to restore the original \
                 object:\n\n{}",
                refused.in_one_line(),
                CliError::from(e).in_one_line()
            ))),
        }
    }
}
