//! Runs the commands behind the keys, as if they had been typed.

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

/// The way of a command to the cluster.
#[derive(Clone)]
pub(super) enum Runner {
    /// The program with the flags that every command gets.
    Directory {
        program: String,
        line: Vec<OsString>,
    },
    /// A cluster in memory, which no flag can name.
    Memory(Arc<Fork>),
}

/// Makes the way of commands to a cluster in memory.
pub(super) type MakeRunner = Box<dyn Fn(&Cluster) -> Runner + Send + Sync>;

/// The end of a command.
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

    /// Returns what runs commands on the cluster in a directory.
    pub(super) fn for_program(program: &str, directory: &Path) -> Self {
        Self::Directory {
            program: program.to_owned(),
            line: named(program, directory),
        }
    }

    /// Returns what runs commands on a cluster in memory.
    pub(super) fn in_memory(cluster: &Cluster, context: &Context) -> Result<Self, CliError> {
        Ok(Self::maker(context)?(cluster))
    }

    /// Returns what makes [`Runner::in_memory`] of each cluster, after the command has begun too.
    pub(super) fn maker(context: &Context) -> Result<MakeRunner, CliError> {
        let make = context.forks(run_on_fork, None)?;
        Ok(Box::new(move |cluster| {
            // One store with another writer: the history shows each command by its own line.
            let shared = cluster.stored().written_by("");
            Self::Memory(Arc::new(make(shared)))
        }))
    }

    /// Runs a command and returns its messages.
    pub(super) fn run(&self, words: Vec<String>) -> CommandEnd {
        let words = words.into_iter().map(OsString::from);
        let (ui, heard) = Ui::heard();
        let ended = match self {
            Self::Directory { program, line } => {
                let line: Vec<OsString> = line.iter().cloned().chain(words).collect();
                run_within(program, &line, &ui)
            }
            Self::Memory(fork) => run_on_fork(fork, &words.collect::<Vec<_>>(), &ui),
        };
        let is_done = matches!(&ended, Ok(code) if *code == ExitCode::SUCCESS);
        if let Err(error) = &ended {
            ui.tell(error);
        }
        let heard = heard.lock().map(|heard| heard.clone()).unwrap_or_default();
        let text = format!("{}{}", heard.out, heard.err);
        let text = match text.trim() {
            "" => "done".to_owned(),
            text => text.to_owned(),
        };
        CommandEnd { is_done, text }
    }
}

/// Returns the beginning of a command line on the cluster in a directory, which is named: the command must reach the
/// cluster that is shown, whatever the environment says.
fn named(program: &str, directory: &Path) -> Vec<OsString> {
    vec![program.into(), "--state".into(), directory.into()]
}
