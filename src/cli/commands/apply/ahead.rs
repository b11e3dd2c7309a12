//! Objects that are not there yet are made together: one commit for a manifest of many, with the
//! same words for each as if they had been made one by one.

use super::Apply;
use crate::cli::error::CliError;
use crate::cli::options::{DryRun, Teller};
use crate::cli::resource::{Info, to_create};
use crate::cluster::{Answer, ApiError, Request};
use crate::kinds::last_applied;

/// The result for one object.
pub(super) type Made = Result<Answer, ApiError>;

impl Apply<'_> {
    /// Makes the objects at the beginning of `infos` that are not there, up to the first that is;
    /// none of them where there is no more than one, or anything keeps it from being done so.
    pub(super) fn ahead(&self, infos: &[Info]) -> Vec<Made> {
        let Some(cluster) = self.cluster else {
            return Vec::new();
        };
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
            // A review is returned and not stored.
            let kept = !info.kind.is_reviewed();
            let found = || {
                cluster
                    .get(&info.place(), &info.name)
                    .map_err(CliError::from)
            };
            kept && !info.name.is_empty()
                && named.insert(key)
                && found().is_err_and(|e| e.is_not_found())
        };
        let request = |info: &Info| {
            let mut object = last_applied::annotated(&info.object);
            last_applied::without_nulls(&mut object);
            let object = to_create(&object).into_owned();
            Request::create(info.place(), object).with(self.options.clone())
        };
        let requests: Vec<Request> = infos
            .iter()
            .take_while(|info| is_new(info))
            .map(request)
            .collect();
        if requests.len() < 2 {
            return Vec::new();
        }
        cluster.all(&requests).unwrap_or_default()
    }

    /// Says what became of an object that was to be made. One that came meanwhile (from somebody else, or
    /// from an apply that was killed in the middle of its commit) is changed.
    pub(super) fn told(
        &self,
        info: &Info,
        made: Made,
        teller: &Teller<'_>,
    ) -> Result<(&'static str, Info), CliError> {
        let answer = match (made, self.cluster) {
            (Err(e), Some(cluster)) if is_there(&e) && !info.name.is_empty() => {
                let modified = last_applied::annotated(&info.object);
                let live = cluster.get(&info.place(), &info.name)?;
                return self.changed(cluster, info, &modified, live, teller);
            }
            (made, _) => made.map_err(|e| CliError::while_doing(e, "creating", &info.source))?,
        };
        teller.warn(&answer);
        Ok(("created", info.with(answer.object)))
    }
}

fn is_there(error: &ApiError) -> bool {
    error.status().is_some_and(|s| s.reason == "AlreadyExists")
}
