//! `ctl demo`.

use std::ffi::OsString;
use std::fs::{DirBuilder, File};
use std::io::{self, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;

use ctl_scene::Scope;

use super::{Outcome, ui};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::run_within;
use crate::cli::ui::Ui;
use crate::cluster::{Cluster, Place};
use crate::kinds;
use crate::sys::signal;

/// Demonstrate a cluster in a directory: roll out, scale, update and heal a Deployment
///
/// On a terminal, the demo plays on the screen of `ctl ui`: space pauses it, the arrow keys go back and
/// forward, `[` and `]` jump between its parts. With --plain it prints its commands, each after a $, with their
/// output. The cluster stays in a new directory in TMPDIR (/tmp) for you to explore.
///
/// Examples:
///   ctl demo           the demo on the screen
///   ctl demo --plain   the commands and their output, in a second
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct DemoArgs {
    /// Print the commands and their output, as in a pipe
    #[arg(long)]
    plain: bool,
}

/// An nginx Deployment with a probe, so that its Pods take a moment to become ready.
const MANIFEST: &str = include_str!("demo.yaml");

/// The exit code of a command that Ctrl-C ends.
const INTERRUPTED: u8 = 130;

/// The name of the manifest in the demo's directory.
const FILE: &str = "nginx.yaml";

/// A remark with the name of the part that it begins, or a command.
enum Step {
    Say(&'static str, &'static str),
    Run(&'static str),
}
use Step::{Run, Say};

/// The steps of the demo. `POD` stands for the name of one of the Pods.
const STEPS: &[Step] = &[
    Say(
        "cluster",
        "A cluster is a directory, with simulated nodes and, here, a virtual clock.",
    ),
    Run("cluster init --nodes 3 --clock virtual --seed 7"),
    Say(
        "create",
        "Create a Deployment. settle runs the controllers until nothing is left to do.",
    ),
    Run("create -f nginx.yaml"),
    Run("settle"),
    Run("get deployments,replicasets,pods"),
    Say("scale", "Scale it."),
    Run("scale deployment nginx --replicas 5"),
    Run("settle"),
    Run("get pods"),
    Say(
        "rollout",
        "Roll out a new image, second by second, from one ReplicaSet to the other.",
    ),
    Run("set image deployment/nginx nginx=nginx:1.28"),
    // Controllers reconcile without moving the clock, so that the steps show the rollout in progress.
    Run("settle --for 0s"),
    Run("get replicasets"),
    Run("settle --for 1s"),
    Run("get replicasets"),
    Run("settle --for 1s"),
    Run("get replicasets"),
    Say("rollback", "Roll back."),
    Run("rollout undo deployment/nginx"),
    Run("settle"),
    Run("get replicasets"),
    Say("heal", "Delete a Pod; its ReplicaSet replaces it."),
    Run("delete pod POD --wait=false"),
    Run("settle"),
    Run("get pods"),
];

pub(crate) fn run(args: &DemoArgs, context: &Context) -> Outcome {
    if context.given("state") {
        // The demo must never write to an existing cluster.
        let text = "the demo creates its own directory in TMPDIR: omit --state";
        return Err(context.usage(text));
    }
    let plays = !args.plain && context.ui.can_ask();
    // The signal handler is installed before a directory exists that could be left behind.
    let stop = plays.then(signal::stop_flag).transpose()?;
    let directory = new_directory()?;
    let file = directory.join(FILE);
    write(&file, MANIFEST).map_err(|e| CliError::text(format!("{}: {e}", file.display())))?;
    let demo = Demo {
        context,
        cluster: directory.join("demo"),
        ui: context.ui.painting(),
        file,
    };
    if let Some(stop) = stop {
        demo.play(&directory, &stop)?;
        demo.what_next(&directory)?;
        let program = &context.program;
        demo.ui.out(&format!(
            "\n# Seven lessons show how controllers work, each in five minutes:\n$ {program} learn\n"
        ))?;
        return Ok(ExitCode::SUCCESS);
    }
    demo.ui.out(&format!(
        "$ cd {0}\n$ export CTL_STATE={0}/demo\n",
        directory.display()
    ))?;
    for step in STEPS {
        match step {
            Say(_, text) => demo.ui.out(&format!("\n# {text}\n"))?,
            Run(line) => demo.command(line)?,
        }
    }
    demo.what_next(&directory)?;
    Ok(ExitCode::SUCCESS)
}

/// A running demo.
struct Demo<'c> {
    context: &'c Context,
    cluster: PathBuf,
    ui: Ui,
    file: PathBuf,
}

impl Demo<'_> {
    /// Runs all commands and then plays the history that they made.
    fn play(&self, directory: &Path, stop: &AtomicBool) -> Result<(), CliError> {
        let (ui, _) = Ui::captured();
        let unheard = Demo {
            ui,
            cluster: self.cluster.clone(),
            file: self.file.clone(),
            context: self.context,
        };
        for step in STEPS {
            let done = match step {
                // The cluster does not exist before the first command of the first part.
                Say(name, _) if self.cluster.exists() => unheard.command(&format!("mark {name}")),
                Say(..) => Ok(()),
                Run(line) => unheard.command(line),
            };
            if stop.load(Ordering::Relaxed) {
                // Nothing has been shown yet, and half of the demo is useless.
                std::fs::remove_dir_all(directory)?;
                return Err(CliError::Exit(INTERRUPTED));
            }
            done?;
        }
        let cluster = Cluster::open(&self.cluster, self.context.open()?)?;
        ui::play(
            cluster,
            Scope::namespace("default"),
            &self.cluster,
            self.context,
            stop,
        )
    }

    /// Prints a command and runs it.
    fn command(&self, line: &str) -> Result<(), CliError> {
        let mut words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        for word in words.iter_mut().filter(|word| *word == "POD") {
            *word = self.a_pod()?;
        }
        let program = &self.context.program;
        self.ui
            .line(format_args!("$ {program} {}", words.join(" ")))?;
        let mut args: Vec<OsString> = vec![program.into(), "--state".into()];
        // The directory is passed as a flag, because changing the environment of a running process is not thread-safe.
        args.push(self.cluster.clone().into());
        args.extend(words.into_iter().map(|word| match word.as_str() {
            FILE => self.file.clone().into(),
            _ => word.into(),
        }));
        run_within(program, &args, &self.ui)?;
        Ok(())
    }

    /// Returns the name of the first Pod.
    fn a_pod(&self) -> Result<String, CliError> {
        let kind = kinds::find_by_api_version("v1", "Pod");
        let kind = kind.ok_or_else(|| CliError::text("there are no Pods"))?;
        // Names of Pods follow from the seed, but a table of them in the source would break with any change.
        let cluster = Cluster::open(&self.cluster, self.context.open()?)?;
        let pods = cluster.list(&Place::new(kind, "default"), &|_| true, None)?;
        let name = pods
            .items
            .first()
            .and_then(|pod| pod["metadata"]["name"].as_str());
        let name = name.ok_or_else(|| CliError::text("there is no Pod"))?;
        Ok(name.to_owned())
    }

    /// Prints where the cluster is and how to explore it.
    fn what_next(&self, directory: &Path) -> Result<(), CliError> {
        let program = as_started().unwrap_or_else(|| self.context.program.clone());
        let (directory, cluster) = (directory.display(), self.cluster.display());
        self.ui.out(&format!(
            "\n# The cluster stays in {directory}. To explore it:\n\
             $ export CTL_STATE={cluster}\n\
             $ {program} describe deployment nginx\n\
             $ cat {cluster}/default/deployments.apps/nginx.yaml\n"
        ))
    }
}

/// Returns the path that the program was started with, if it was one, because the program may not be in PATH.
fn as_started() -> Option<String> {
    let program = std::env::args_os().next()?.into_string().ok()?;
    program.contains('/').then_some(program)
}

/// Creates a new directory for temporary files.
fn new_directory() -> Result<PathBuf, CliError> {
    let parent = std::env::temp_dir();
    for number in 1.. {
        let path = parent.join(format!("ctl-demo-{number}"));
        // `create` fails if the name exists, so nobody can prepare the directory in a shared /tmp.
        match DirBuilder::new().mode(0o700).create(&path) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(CliError::text(format!("{}: {e}", path.display()))),
            Ok(()) => return Ok(path),
        }
    }
    Err(CliError::text("no unused directory name found"))
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    // `create_new` never follows a link and never overwrites a file.
    File::create_new(path)?.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::args::Cli;
    use crate::cli::flags;
    use crate::cli::testing::Shell;

    #[test]
    fn each_demo_step_parses_as_a_command() {
        let root = Cli::command();
        let mut count = 0;
        for step in STEPS {
            let Run(line) = step else { continue };
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let parsed = flags::parse(&root, "ctl", &words).map_err(|e| e.to_string());
            assert!(!parsed.unwrap().path.is_empty(), "{line}");
            count += 1;
        }
        assert!(count > 10);
    }

    #[test]
    fn demo_rejects_an_explicit_state_directory() {
        let shell = Shell::new();
        shell.refuses(&[(
            "demo",
            "the demo creates its own directory in TMPDIR: omit --state\n\
             See 'kubectl demo -h' for help and examples",
        )]);
    }
}
