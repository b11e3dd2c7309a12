//! `ctl completion`.

use std::process::ExitCode;

use clap::{Args, CommandFactory as _, ValueEnum};
use clap_complete::Shell;

use super::Outcome;
use crate::cli::args::Cli;
use crate::cli::context::Context;

/// Print the completion script of a shell
///
/// Examples:
///   source <(ctl completion bash)
///   ctl completion zsh > _ctl
///   ctl completion fish | source
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct CompletionArgs {
    /// Which shell
    shell: ShellArg,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ShellArg {
    Bash,
    Zsh,
    Fish,
    Powershell,
}

pub(crate) fn run(args: &CompletionArgs, context: &Context) -> Outcome {
    let shell = match args.shell {
        ShellArg::Bash => Shell::Bash,
        ShellArg::Zsh => Shell::Zsh,
        ShellArg::Fish => Shell::Fish,
        ShellArg::Powershell => Shell::PowerShell,
    };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "ctl", &mut script);
    context.ui.out(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}
