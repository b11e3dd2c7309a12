//! A fork of the cluster in memory. Commands run on it as on the cluster itself.

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::SignedDuration;

use super::error::{CliError, FAILURE};
use super::flags::Line;
use super::global_args::GlobalArgs;
use super::state_dir::Target;
use super::ui::Ui;
use crate::cluster::Cluster;
use crate::runtime::explore::{Make, Shared};
use crate::runtime::{self, Config, Controller, Manager, Stop, Stuck, Until};

/// The commands that work on a fork, because they need only the API: a plan of `cluster delete` must not delete
/// anything.
const COMMANDS: &[&str] = &[
    "annotate",
    "api-resources",
    "apply",
    "assert",
    "auth",
    "autoscale",
    "certificate",
    "clock",
    "cordon",
    "create",
    "delete",
    "describe",
    "diff",
    "drain",
    "events",
    "expose",
    "fault",
    "get",
    "label",
    "log",
    "logs",
    "mark",
    "patch",
    "replace",
    "rollout",
    "run",
    "scale",
    "set",
    "settle",
    "taint",
    "top",
    "tree",
    "uncordon",
    "undo",
    "validate",
    "version",
    "wait",
    "why",
];

/// Runs a command with its arguments on a fork. Its messages go to the output.
pub(crate) type Runner = fn(&Arc<Fork>, &[OsString], &Ui) -> Result<ExitCode, CliError>;

/// A fork, with the settings that its commands inherit from the command that created it.
pub(crate) struct Fork {
    pub(crate) cluster: Cluster,
    pub(super) program: String,
    pub(super) global: GlobalArgs,
    pub(super) target: Target,
    pub(super) ui: Ui,
    pub(super) runner: Runner,
    /// The limit on the real time of each settling.
    pub(super) timeout: Option<Duration>,
    /// The standard input of commands on the fork, which replaces that of the process.
    pub(super) input: Mutex<Option<String>>,
    /// The objects that commands on the fork waited for in vain, with the rejections by the API server.
    pub(super) refused: Mutex<Vec<Stuck>>,
    /// The editor of commands on the fork, as in `KUBE_EDITOR`. Without one, `edit` does not work on the fork.
    pub(crate) editor: Option<String>,
    /// The schedule of the controllers; without one, they run in the order of `ctl settle`.
    pub(crate) schedule: Option<Shared>,
}

/// The result of a command on a fork.
#[derive(Debug)]
pub(crate) struct ForkOutput {
    pub(crate) code: u8,
    /// True if the command failed because it waited for something that does not happen on the fork.
    pub(crate) timed_out: bool,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Fork {
    /// Rejects a command that does not work on a fork.
    pub(super) fn check(&self, line: &Line) -> Result<(), CliError> {
        let name = line.path.first().map(String::as_str).unwrap_or_default();
        // Nothing changes a fork while a command watches it, so the command would never end. `rollout status` is
        // allowed because it runs the controllers itself.
        let is_watch = |(flag, value): &&(String, Option<String>)| {
            ["follow", "watch", "watch-only"].contains(&flag.as_str())
                && value.as_deref() != Some("false")
        };
        if let Some((flag, _)) = line
            .typed
            .iter()
            .find(is_watch)
            .filter(|_| name != "rollout")
        {
            return Err(CliError::text(format!(
                "`{} {name} --{flag}` does not work on a fork of the cluster in memory",
                self.program
            )));
        }
        // A fork may have no terminal, so it never takes an editor from the environment.
        let edits = name == "edit" && self.editor.is_some();
        match COMMANDS.contains(&name) || edits {
            true => Ok(()),
            false => Err(CliError::text(format!(
                "`{} {name}` does not work on a fork of the cluster in memory",
                self.program
            ))),
        }
    }

    /// Returns true if a command works on a fork.
    pub(crate) fn supports(words: &[String]) -> bool {
        let name = match words {
            [first, name, ..] if is_program(first) => name,
            [name, ..] => name,
            [] => return false,
        };
        COMMANDS.contains(&name.as_str())
    }

    /// Runs a command, with or without the name of the program. Returns its exit code and its output.
    pub(crate) fn run(self: &Arc<Self>, words: &[String]) -> ForkOutput {
        // Messages are kept, because the report of a plan decides where to show them.
        let (ui, captured) = self.ui.capture();
        let words = match words {
            // A line from a script begins with the name of the program.
            [first, rest @ ..] if is_program(first) || *first == self.program => rest,
            all => all,
        };
        let args: Vec<OsString> = words.iter().map(OsString::from).collect();
        let outcome = match args.is_empty() {
            true => Err(CliError::text(
                "expected a command, such as scale deployment/web --replicas=5",
            )),
            false => (self.runner)(self, &args, &ui),
        };
        let timed_out = outcome.as_ref().is_err_and(CliError::is_timeout);
        let code = outcome.unwrap_or_else(|e| ui.fail(&e));
        let captured = captured.lock().unwrap_or_else(PoisonError::into_inner);
        ForkOutput {
            // The number of an ExitCode cannot be read, but ExitCodes can be compared.
            code: (0..=u8::MAX)
                .find(|c| ExitCode::from(*c) == code)
                .unwrap_or(FAILURE),
            timed_out,
            out: captured.out.clone(),
            err: captured.err.clone(),
        }
    }

    /// Runs a command as [`Fork::run`] does, with a text as its standard input.
    pub(crate) fn run_with(self: &Arc<Self>, words: &[String], input: String) -> ForkOutput {
        self.set_input(Some(input));
        let ran = self.run(words);
        self.set_input(None);
        ran
    }

    fn set_input(&self, input: Option<String>) {
        *self.input.lock().unwrap_or_else(PoisonError::into_inner) = input;
    }

    /// Returns the standard input of commands, if the caller has set one.
    pub(crate) fn input(&self) -> Option<String> {
        let input = self.input.lock().unwrap_or_else(PoisonError::into_inner);
        input.clone()
    }

    /// Records an object that a command waited for in vain, for the report of a plan.
    pub(crate) fn note_refused(&self, stuck: Stuck) {
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        refused.push(stuck);
    }

    /// Returns the objects that commands waited for in vain.
    pub(crate) fn refused(&self) -> Vec<Stuck> {
        let refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        refused.clone()
    }

    /// Runs the controllers until nothing is left to do or a simulated time has passed.
    pub(crate) fn settle(
        &self,
        pass: Option<SignedDuration>,
    ) -> Result<runtime::Outcome, CliError> {
        self.settle_until(pass, &|| false)
    }

    /// Runs the controllers as [`Fork::settle`] does, but stops when `stop` returns true. `stop` is called after every
    /// pass of the controllers and every jump of the clock.
    pub(crate) fn settle_until(
        &self,
        pass: Option<SignedDuration>,
        stop: Stop<'_>,
    ) -> Result<runtime::Outcome, CliError> {
        let until = Until {
            pass,
            timeout: self.timeout,
        };
        let Some(schedule) = &self.schedule else {
            return settle(&self.cluster, &until, stop);
        };
        let make: Make = Arc::new(|_| Ok(everything()));
        let mut manager = Manager::under(&self.cluster, make, schedule.clone())?;
        manager.load_scheduled()?;
        Ok(manager.settle(&until, stop)?)
    }
}

/// Returns all controllers, for a cluster on which no other process runs any.
pub(crate) fn everything() -> Vec<Box<dyn Controller>> {
    let mut controllers = crate::controllers::wanted(&|_| true);
    // The fake kubelets are included, because without them no Pod would become ready and no rollout would end.
    controllers.extend(crate::kubelet::controllers());
    controllers
}

/// Runs all controllers of a cluster on which no other process runs any.
pub(crate) fn settle(
    cluster: &Cluster,
    until: &Until,
    stop: Stop<'_>,
) -> Result<runtime::Outcome, CliError> {
    // The configuration of `ctl controllers` does not apply, because the result must not depend on another process.
    let mut manager = Manager::new(cluster, everything(), &|_| Config::default());
    manager.load()?;
    Ok(manager.settle(until, stop)?)
}

/// Returns true if a word names the program. Scripts are often written for kubectl.
fn is_program(word: &str) -> bool {
    matches!(word, "ctl" | "kubectl")
}
