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

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    #[test]
    fn options_lists_only_global_flags() {
        let shell = Shell::empty();
        let out = shell.out("options");
        for flag in ["--namespace", "--as-group", "--state", "--exit-codes"] {
            assert!(out.contains(flag), "{flag}: {out}");
        }
        assert!(
            !out.contains("--all-namespaces") && !out.contains("--lock-timeout"),
            "{out}"
        );
        shell.refuses(&[(
            "options get",
            "unknown command \"get\" for \"kubectl options\"",
        )]);
    }
}
