//! Evicts or deletes Pods and waits until they are gone.

use std::collections::BTreeMap;
use std::time::Duration;

use super::DrainArgs;
use super::filter::{is_given_up, shown};
use crate::api::json::Value;
use crate::api::status::{CauseReason, Status};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::flags::Span;
use crate::cli::options::{DryRun, ResultPrinter};
use crate::cli::resource::Info;
use crate::cli::waiting::{self, A_WEEK, Completed, Progress};
use crate::cluster::{Cluster, DeleteOptions};
use crate::kinds::Kind;
use crate::kinds::tree::{field, has, text};
use crate::runtime::Stuck;
use crate::sys::clock::Stopwatch;

/// The pause after a rejected eviction.
const AGAIN_AFTER: Duration = Duration::from_secs(5);

/// Go's text for an expired wait.
const EXPIRED: &str = "context deadline exceeded";

/// The progress of one Pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// To be evicted, but not before this time.
    Due(Duration),
    /// Evicted and now terminating.
    Going,
    /// Gone, skipped after a timeout, or failed.
    Done,
}

/// Evicts Pods and waits for them.
pub(super) struct Eviction<'a, 't> {
    pub(super) printer: &'a mut ResultPrinter<'t>,
    pub(super) args: &'a DrainArgs,
    pub(super) cluster: &'a Cluster,
    pub(super) context: &'a Context,
    pub(super) dry_run: DryRun,
    pub(super) options: DeleteOptions,
    /// The last rejection of each Pod's eviction, by namespace and name.
    pub(super) rejected: BTreeMap<(String, String), Rejection>,
}

/// A rejected eviction.
pub(super) struct Rejection {
    text: String,
    /// The rejection with the budget that causes it, which kubectl does not print.
    cause: String,
}

impl Rejection {
    fn of(error: &CliError, status: &Status) -> Self {
        let text = error.to_string();
        let causes = status.causes().iter();
        let causes: Vec<&str> = causes.map(|cause| cause.message.as_str()).collect();
        Self {
            cause: match causes.is_empty() {
                true => text.clone(),
                false => format!("{text} {}", causes.join("; ")),
            },
            text,
        }
    }
}

impl Eviction<'_, '_> {
    /// Evicts each Pod as soon as its disruption budget allows it.
    pub(super) fn evict(&mut self, pods: &[Info]) -> Result<(), CliError> {
        let stopwatch = Stopwatch::start();
        let mut stages = vec![Stage::Due(Duration::ZERO); pods.len()];
        let mut errors = Vec::new();
        let progress = Progress::new(&self.context.ui);
        let ended = waiting::until(self.cluster, self.context, A_WEEK, &mut || {
            // The progress bar shares the terminal with the lines about the Pods.
            progress.hide();
            for (stage, pod) in stages.iter_mut().zip(pods) {
                let elapsed = stopwatch.elapsed();
                let next = match *stage {
                    // A Pod that waits for its budget must not delay the others, because kubectl evicts each Pod in a
                    // goroutine.
                    Stage::Due(at) if at <= elapsed => self.try_evict(pod, elapsed),
                    Stage::Going => self.look_after(pod, elapsed, "evicted"),
                    other => Ok(other),
                };
                *stage = next.unwrap_or_else(|e| {
                    errors.push(e);
                    Stage::Done
                });
            }
            let completed = completed(&stages);
            progress.show(completed, "waiting for evicted Pods to end");
            Ok((completed.done == completed.all).then_some(()))
        })?;
        drop(progress);
        if ended.is_none() {
            return Err(self.stuck(&stages, pods));
        }
        match errors.is_empty() {
            true => Ok(()),
            false => Err(CliError::Many(errors)),
        }
    }

    fn try_evict(&mut self, pod: &Info, elapsed: Duration) -> Result<Stage, CliError> {
        let (name, namespace) = (&pod.name, &pod.namespace);
        let suffix = match self.dry_run {
            DryRun::Server => self.dry_run.suffix(),
            _ => "",
        };
        let line = format!("evicting pod {namespace}/{name}{suffix}");
        self.printer.sentence(&line)?;
        let what = format!("error when evicting pods/{name:?} -n {namespace:?}");
        if self.is_over(elapsed) {
            let timeout = self.args.timeout;
            let text = format!("{what}: global timeout reached: {timeout}");
            return Err(CliError::text(text));
        }
        let evicted = self
            .cluster
            .subresources()
            .evict(&pod.place(), name, &self.options);
        let e = match evicted.map_err(CliError::from) {
            Err(e) => e,
            Ok(answer) => {
                self.context.ui.warn_of(&answer);
                return Ok(match self.dry_run {
                    DryRun::Server => Stage::Done,
                    _ => Stage::Going,
                });
            }
        };
        // On a fork no time passes; the controllers run between two attempts.
        let pause = match self.context.fork() {
            Some(_) => Duration::ZERO,
            None => AGAIN_AFTER,
        };
        let again = Stage::Due(elapsed + pause);
        let retry = |what: &str| {
            self.context
                .ui
                .note(&format!("{what} (will retry after 5s): {e}"));
        };
        let status = e.status();
        if e.is_not_found() {
            return Ok(Stage::Done);
        }
        // A PodDisruptionBudget rejects an eviction with 429, but its Pods may become healthy while the drain waits.
        if let Some(status) = status.filter(|status| status.code == 429) {
            retry(&what);
            let place = (namespace.clone(), name.clone());
            self.rejected.insert(place, Rejection::of(&e, status));
            return Ok(again);
        }
        // The namespace controller deletes the Pod anyway, so the rejection is no failure of the drain.
        if status.is_some_and(is_of_ending_namespace) {
            if has(field(&pod.object, "metadata"), "deletionTimestamp") {
                return Ok(Stage::Going);
            }
            retry(&format!(
                "error when evicting pod {name:?} from terminating namespace {namespace:?}"
            ));
            return Ok(again);
        }
        Err(CliError::text(format!("{what}: {e}")))
    }

    fn look_after(&mut self, pod: &Info, elapsed: Duration, done: &str) -> Result<Stage, CliError> {
        let stage = self.look(pod, done)?;
        if stage != Stage::Going || !self.is_over(elapsed) {
            return Ok(stage);
        }
        Err(CliError::text(format!(
            "error when waiting for pod {:?} in namespace {:?} to terminate: {EXPIRED}",
            pod.name, pod.namespace
        )))
    }

    /// Returns the stage of a terminating Pod. Reports a Pod that is gone or skipped.
    fn look(&mut self, pod: &Info, done: &str) -> Result<Stage, CliError> {
        let found = self.cluster.get(&pod.place(), &pod.name);
        let now = match found.map_err(CliError::from) {
            Err(e) if e.is_not_found() => None,
            other => Some(other?),
        };
        let uid = |pod: &Value| text(field(pod, "metadata"), "uid").to_owned();
        // A StatefulSet recreates its Pod under the same name, so only the uid distinguishes the two.
        match now.filter(|now| uid(now) == uid(&pod.object)) {
            None => {
                self.printer.print_result(pod, done)?;
                Ok(Stage::Done)
            }
            Some(now) if is_given_up(&now, self.args, self.cluster) => {
                let (name, after) = (&pod.name, self.args.skip_wait_for_delete_timeout);
                self.printer.sentence(&format!(
                    "pod {name:?} has DeletionTimestamp older than {after} seconds, skipping"
                ))?;
                Ok(Stage::Done)
            }
            Some(_) => Ok(Stage::Going),
        }
    }

    /// Deletes Pods regardless of their disruption budgets.
    pub(super) fn delete(&mut self, pods: &[Info]) -> Result<(), CliError> {
        for pod in pods {
            let deleted = self.cluster.delete(&pod.place(), &pod.name, &self.options);
            match deleted.map_err(CliError::from) {
                Err(e) if e.is_not_found() => {}
                deleted => self.context.ui.warn_of(&deleted?),
            }
        }
        // Nothing was deleted, so a wait would last until the timeout.
        if self.dry_run == DryRun::Server {
            return Ok(());
        }
        let stopwatch = Stopwatch::start();
        let mut stages = vec![Stage::Going; pods.len()];
        let progress = Progress::new(&self.context.ui);
        let ended = waiting::until(self.cluster, self.context, A_WEEK, &mut || {
            progress.hide();
            for (stage, pod) in stages.iter_mut().zip(pods) {
                if *stage == Stage::Going {
                    *stage = self.look(pod, "deleted")?;
                }
            }
            let completed = completed(&stages);
            progress.show(completed, "waiting for deleted Pods to end");
            let done = completed.done == completed.all;
            if !done && self.is_over(stopwatch.elapsed()) {
                return Err(CliError::text(EXPIRED));
            }
            Ok(done.then_some(()))
        })?;
        drop(progress);
        match ended {
            Some(()) => Ok(()),
            None => Err(self.stuck(&stages, pods)),
        }
    }

    /// Returns the error about Pods that remain although no controller has anything left to do.
    fn stuck(&self, stages: &[Stage], pods: &[Info]) -> CliError {
        let left = stages.iter().zip(pods);
        let left = left.filter(|(stage, _)| **stage != Stage::Done);
        let lines = left.map(|(stage, pod)| {
            let (name, namespace) = (&pod.name, &pod.namespace);
            let rejected = self.rejected.get(&(namespace.clone(), name.clone()));
            match rejected.filter(|_| matches!(stage, Stage::Due(_))) {
                Some(rejected) => {
                    self.note_refused(pod, rejected);
                    let text = &rejected.text;
                    format!("error when evicting pods/{name:?} -n {namespace:?}: {text}")
                }
                None => format!(
                    "error when waiting for pod {name:?} in namespace {namespace:?} to terminate"
                ),
            }
        });
        CliError::TimedOut(lines.collect::<Vec<_>>().join("\n"))
    }

    /// Records in a plan which budget keeps which Pod.
    fn note_refused(&self, pod: &Info, rejected: &Rejection) {
        let Some(fork) = self.context.fork() else {
            return;
        };
        fork.note_refused(Stuck {
            object: format!("Pod {}/{}", pod.namespace, pod.name),
            reason: rejected.cause.clone(),
            alike: rejected.cause.clone(),
            uid: text(field(&pod.object, "metadata"), "uid").to_owned(),
            owners: Vec::new(),
        });
    }

    /// Returns true if the timeout has expired.
    fn is_over(&self, elapsed: Duration) -> bool {
        let timeout: Span = self.args.timeout;
        !timeout.is_zero() && elapsed >= timeout.duration()
    }

    /// Returns a Pod as an object for the output.
    pub(super) fn info(&self, kind: &'static Kind, pod: Value) -> Info {
        let shown = shown(&pod);
        let (namespace, name) = shown.split_once('/').unwrap_or_default();
        Info {
            kind,
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            source: String::new(),
            object: pod,
        }
    }
}

fn completed(stages: &[Stage]) -> Completed {
    let done = stages.iter().filter(|stage| **stage == Stage::Done);
    Completed {
        done: done.count(),
        all: stages.len(),
    }
}

/// Returns true if an eviction was rejected because the namespace is terminating.
fn is_of_ending_namespace(status: &Status) -> bool {
    let causes = status.details.iter().flat_map(|details| &details.causes);
    let mut reasons = causes.map(|cause| cause.reason);
    // A 403 without this cause is a missing permission, which a retry cannot fix.
    status.code == 403 && reasons.any(|reason| reason == CauseReason::NamespaceTerminating)
}
