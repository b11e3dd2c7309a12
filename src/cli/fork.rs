//! A fork of the cluster in memory, on which commands run as they do on the cluster itself.

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use jiff::SignedDuration;

use super::error::CliError;
use super::global_args::GlobalArgs;
use super::state_dir::Target;
use super::ui::Ui;
use crate::cluster::Cluster;
use crate::runtime::{self, Config, Manager, Until};

/// The commands that work on a fork, because they need nothing but the API: a plan of `cluster delete` must not delete
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

/// Runs the arguments of a command on a fork; its messages go to the output.
pub(crate) type Runner = fn(&Arc<Fork>, &[OsString], &Ui) -> Result<ExitCode, CliError>;

/// A fork, with the settings that commands on it inherit from the one that created it.
pub(crate) struct Fork {
    pub(crate) cluster: Cluster,
    pub(super) program: String,
    pub(super) global: GlobalArgs,
    pub(super) target: Target,
    pub(super) ui: Ui,
    pub(super) runner: Runner,
    /// The limit of real time for one settling.
    pub(super) timeout: Option<Duration>,
}

/// The result of a command on a fork.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: ExitCode,
    pub(crate) err: String,
}

impl Fork {
    /// Rejects a command that does not work on a fork.
    pub(super) fn check(&self, path: &[String]) -> Result<(), CliError> {
        let name = path.first().map(String::as_str).unwrap_or_default();
        match COMMANDS.contains(&name) {
            true => Ok(()),
            false => Err(CliError::text(format!(
                "`{} {name}` does not work on a fork of the cluster in memory",
                self.program
            ))),
        }
    }

    /// Runs a command, with or without the name of the program, and returns its exit code and its messages.
    pub(crate) fn run(self: &Arc<Self>, words: &[String]) -> Ran {
        // Messages are kept, because the report of a plan decides if and where to show them.
        let (ui, heard) = self.ui.kept();
        let words = match words {
            // A line pasted from a script begins with the program's name.
            [first, rest @ ..] if is_program(first) || *first == self.program => rest,
            all => all,
        };
        let args: Vec<OsString> = words.iter().map(OsString::from).collect();
        let outcome = match args.is_empty() {
            true => Err(CliError::text(
                "a command is needed, such as scale deployment/web --replicas=5",
            )),
            false => (self.runner)(self, &args, &ui),
        };
        let code = outcome.unwrap_or_else(|e| ui.fail(&e));
        let heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
        Ran {
            code,
            err: heard.err.clone(),
        }
    }

    /// Runs the controllers until nothing is left to do, or until this much of the cluster's time has passed.
    pub(crate) fn settle(
        &self,
        pass: Option<SignedDuration>,
    ) -> Result<runtime::Outcome, CliError> {
        let mut controllers = crate::controllers::wanted(&|_| true);
        // With the fake kubelets: without them no Pod would become ready, and a rollout would never end.
        controllers.extend(crate::kubelet::controllers());
        // The configuration of `ctl controllers` does not apply: a plan must not depend on another process.
        let mut manager = Manager::new(&self.cluster, controllers, &|_| Config::default());
        manager.load()?;
        let until = Until {
            pass,
            timeout: self.timeout,
        };
        Ok(manager.settle(&until, &|| false)?)
    }
}

/// Returns true if a word names the program: scripts are written for kubectl.
fn is_program(word: &str) -> bool {
    matches!(word, "ctl" | "kubectl")
}
