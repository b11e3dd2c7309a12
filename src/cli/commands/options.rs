//! `ctl options`.

use std::process::ExitCode;

use clap::{Args, CommandFactory as _};

use super::Outcome;
use crate::cli::args::Cli;
use crate::cli::context::Context;
use crate::cli::help;

/// List the flags that every command takes
///
/// Example: ctl options
#[derive(Args, Debug)]
pub(crate) struct OptionsArgs {}

pub(crate) fn run(_args: &OptionsArgs, context: &Context) -> Outcome {
    context.ui.out(&help::global_options(&Cli::command()))?;
    Ok(ExitCode::SUCCESS)
}
