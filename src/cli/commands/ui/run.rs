//! Runs the commands behind the keys, as if the user had typed them.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::fork::Fork;
use crate::cli::ui::Ui;
use crate::cli::{run_on_fork, run_within};
use crate::cluster::Cluster;

/// A way to run commands on a cluster.
#[derive(Clone)]
pub(super) enum Runner {
    /// The program, with the flags that lead to the directory of the cluster.
    Directory {
        program: String,
        line: Vec<OsString>,
    },
    /// A cluster in memory, which no flag can refer to.
    Memory(Arc<Fork>),
}

/// A function that returns the runner for a cluster in memory.
pub(super) type MakeRunner = Box<dyn Fn(&Cluster) -> Runner + Send + Sync>;

/// The result of a command.
pub(super) struct CommandEnd {
    pub(super) is_done: bool,
    pub(super) text: String,
}

impl Runner {
    pub(super) fn new(context: &Context) -> Result<Self, CliError> {
        let mut line = named(&context.program, &context.directory()?);
        line.extend(context.act_as_flags().into_iter().map(Into::into));
        let program = context.program.clone();
        Ok(Self::Directory { program, line })
    }

    /// Returns a runner for the cluster in a directory.
    pub(super) fn for_program(program: &str, directory: &Path) -> Self {
        Self::Directory {
            program: program.to_owned(),
            line: named(program, directory),
        }
    }

    /// Returns a runner for a cluster in memory.
    pub(super) fn in_memory(cluster: &Cluster, context: &Context) -> Result<Self, CliError> {
        Ok(Self::runner_factory(context)?(cluster))
    }

    /// Returns a function that makes a [`Runner::in_memory`] for any cluster, even after the command has begun.
    pub(super) fn runner_factory(context: &Context) -> Result<MakeRunner, CliError> {
        let make = context.forks(run_on_fork, None)?;
        Ok(Box::new(move |cluster| {
            // The store is shared, but each command is its own writer in the history.
            let shared = cluster.stored().written_by("");
            Self::Memory(Arc::new(make(shared)))
        }))
    }

    /// Runs a command and returns its messages.
    pub(super) fn run(&self, words: Vec<String>) -> CommandEnd {
        let words = words.into_iter().map(OsString::from);
        let (ui, captured) = Ui::captured();
        let ended = match self {
            Self::Directory { program, line } => {
                let line: Vec<OsString> = line.iter().cloned().chain(words).collect();
                run_within(program, &line, &ui)
            }
            Self::Memory(fork) => run_on_fork(fork, &words.collect::<Vec<_>>(), &ui),
        };
        let is_done = matches!(&ended, Ok(code) if *code == ExitCode::SUCCESS);
        if let Err(error) = &ended {
            ui.print_error(error);
        }
        let captured = captured
            .lock()
            .map(|captured| captured.clone())
            .unwrap_or_default();
        let text = format!("{}{}", captured.out, captured.err);
        let text = match text.trim() {
            "" => "done".to_owned(),
            text => text.to_owned(),
        };
        CommandEnd { is_done, text }
    }
}

/// Returns the beginning of a command line with an explicit directory, so that the command reaches the displayed
/// cluster whatever the environment says.
fn named(program: &str, directory: &Path) -> Vec<OsString> {
    vec![program.into(), "--state".into(), directory.into()]
}
