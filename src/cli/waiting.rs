//! Waits for changes by other processes. On a terminal, a hint follows if no controllers run.

use std::time::Duration;

use super::context::Context;
use super::error::CliError;
use super::fork;
use super::resource::Info;
use super::ui::Ui;
use crate::cluster::Cluster;
use crate::runtime::Until;
use crate::sys::clock::Stopwatch;

/// The longest sleep between two checks without a change, because the progress line and the hint also depend on time.
const LONGEST_SLEEP: Duration = Duration::from_secs(1);

/// Waits shorter than this show no progress.
const A_SECOND: Duration = Duration::from_secs(1);

/// The wait after which a message says that no controllers run.
const PATIENCE: Duration = Duration::from_secs(2);

/// The time without a heartbeat after which the leader of the controllers counts as dead.
const SILENCE: Duration = Duration::from_secs(20);

/// kubectl's maximum timeout, which stands for "forever".
pub(crate) const A_WEEK: Duration = Duration::from_secs(7 * 24 * 3600);

/// Runs `check` after each change of the cluster until it returns a value; `None` after the timeout.
pub(crate) fn until<T>(
    cluster: &Cluster,
    context: &Context,
    timeout: Duration,
    check: &mut dyn FnMut() -> Result<Option<T>, CliError>,
) -> Result<Option<T>, CliError> {
    let stopwatch = Stopwatch::start();
    let mut hint = Hint::new(cluster, context)?;
    loop {
        // The revision is read before the check, so that a change before the wait is not missed.
        let seen = cluster.stored().revision()?;
        if let Some(answer) = check()? {
            return Ok(Some(answer));
        }
        let elapsed = stopwatch.elapsed();
        let left = timeout.saturating_sub(elapsed);
        if left.is_zero() {
            return Ok(None);
        }
        if let Some(fork) = context.fork() {
            // No other process writes to a fork, so if the controllers change nothing, nothing will ever change.
            let _ = fork.settle(None)?;
            if cluster.stored().revision()? == seen {
                return Ok(None);
            }
            continue;
        }
        if runs_controllers() {
            let until = Until {
                pass: None,
                timeout: Some(left),
            };
            let _ = fork::settle(cluster, &until, &|| false)?;
            if cluster.stored().revision()? == seen {
                return Ok(None);
            }
            continue;
        }
        hint.look(cluster, context, elapsed)?;
        cluster.wait(seen, left.min(LONGEST_SLEEP))?;
    }
}

/// Returns true if commands that wait run the controllers themselves. They do in scripts of `ctl test`, for which no
/// other process runs controllers.
fn runs_controllers() -> bool {
    std::env::var_os("CTL_WAIT").is_some_and(|how| how == "settle")
}

/// Reports on a terminal that no controllers are running.
struct Hint {
    /// The leader's heartbeat at the beginning of the wait.
    first: Option<(u64, u64)>,
    done: bool,
}

impl Hint {
    fn new(cluster: &Cluster, context: &Context) -> Result<Self, CliError> {
        // Scripts may compare standard error with kubectl's, so only a terminal shows the hint.
        let done = !context.ui.is_terminal();
        let first = if done {
            None
        } else {
            cluster.election().heartbeat()?
        };
        Ok(Self { first, done })
    }

    fn look(
        &mut self,
        cluster: &Cluster,
        context: &Context,
        elapsed: Duration,
    ) -> Result<(), CliError> {
        if self.done || elapsed <= PATIENCE {
            return Ok(());
        }
        let now = cluster.election().heartbeat()?;
        let alive = now.is_some() && now != self.first;
        // A leader that existed at the beginning may be between two heartbeats.
        self.done = alive || now.is_none() || elapsed > SILENCE;
        if self.done && !alive {
            context.ui.note(
                "No controllers are running on this cluster: run `ctl controllers` or `ctl settle` to reconcile it",
            );
        }
        Ok(())
    }
}

/// The completed part of a command's work.
#[derive(Clone, Copy)]
pub(crate) struct Completed {
    pub(crate) done: usize,
    pub(crate) all: usize,
}

/// Shows the progress of a wait on a terminal. Nothing is shown in the first second, and the line is removed at the
/// end.
pub(crate) struct Progress<'a> {
    ui: &'a Ui,
    since: Stopwatch,
}

impl<'a> Progress<'a> {
    /// Starts the clock without showing anything.
    pub(crate) fn new(ui: &'a Ui) -> Self {
        Self {
            ui,
            since: Stopwatch::start(),
        }
    }

    /// Shows the awaited condition, after a bar if there are several things to wait for.
    pub(crate) fn show(&self, completed: Completed, what: &str) {
        let Completed { done, all } = completed;
        let elapsed = self.since.elapsed();
        if elapsed >= A_SECOND {
            let bar = if all > 1 {
                bar(done, all)
            } else {
                String::new()
            };
            let text = format!("{bar} {what} {}s", elapsed.as_secs());
            self.ui.show_progress(Some(text.trim_start()));
        }
    }

    /// Removes the line, so that other output can follow.
    pub(crate) fn hide(&self) {
        self.ui.show_progress(None);
    }
}

impl Drop for Progress<'_> {
    fn drop(&mut self) {
        self.hide();
    }
}

/// Returns a bar such as `[====    ] 5/10`.
fn bar(done: usize, all: usize) -> String {
    const WIDTH: usize = 30;
    let full = (WIDTH * done.min(all)).checked_div(all).unwrap_or(WIDTH);
    let (full, rest) = ("=".repeat(full), " ".repeat(WIDTH - full));
    format!("[{full}{rest}] {done}/{all}")
}

/// Waits until an object is deleted or another object has its name.
pub(crate) fn until_gone(
    cluster: &Cluster,
    context: &Context,
    info: &Info,
    timeout: Duration,
    progress: &Progress<'_>,
    completed: Completed,
) -> Result<(), CliError> {
    let uid = info.object["metadata"]["uid"].as_str();
    let what = format!("waiting for the end of {}", info.shown());
    let gone = until(cluster, context, timeout, &mut || {
        progress.show(completed, &what);
        let found = cluster.get(&info.place(), &info.name);
        match found.map_err(CliError::from) {
            Err(e) if e.is_not_found() => Ok(Some(())),
            Err(e) => Err(e),
            Ok(object) => {
                // A controller may immediately create an object with this name, but the deleted one is gone.
                let other = uid.is_some_and(|uid| object["metadata"]["uid"] != uid);
                Ok(other.then_some(()))
            }
        }
    })?;
    gone.ok_or_else(|| timed_out(info))
}

/// Returns the error about an expired timeout.
pub(crate) fn timed_out(info: &Info) -> CliError {
    CliError::TimedOut(format!(
        "timed out waiting for the condition on {}/{}",
        info.kind.plural, info.name
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_bar_fills_in_proportion() {
        assert!(bar(1, 2).starts_with("[===============               ] 1/2"));
        assert!(bar(9, 2).starts_with("[=============================="));
        assert!(bar(0, 0).ends_with("0/0"));
    }
}
