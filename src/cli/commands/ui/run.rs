//! Runs the commands behind the keys, as if they had been typed.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::run_within;
use crate::cli::ui::Ui;

/// The program and the flags that every command gets.
#[derive(Clone, Debug)]
pub(super) struct Runner {
    program: String,
    line: Vec<OsString>,
}

/// The end of a command.
pub(super) struct Said {
    pub(super) is_done: bool,
    pub(super) text: String,
}

impl Runner {
    pub(super) fn new(context: &Context) -> Result<Self, CliError> {
        let mut runner = Self::of(&context.program, &context.directory()?);
        let acting = context.act_as_flags().into_iter();
        runner.line.extend(acting.map(Into::into));
        Ok(runner)
    }

    /// Returns what runs commands on the cluster in a directory.
    pub(super) fn of(program: &str, directory: &Path) -> Self {
        // The directory is named: the command must reach the cluster that is shown, whatever the environment says.
        let line = vec![program.into(), "--state".into(), directory.into()];
        Self {
            program: program.to_owned(),
            line,
        }
    }

    /// Runs a command and returns its messages.
    pub(super) fn run(&self, words: Vec<String>) -> Said {
        let mut line = self.line.clone();
        line.extend(words.into_iter().map(Into::into));
        let (ui, heard) = Ui::heard();
        let ended = run_within(&self.program, &line, &ui);
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
        Said { is_done, text }
    }
}
