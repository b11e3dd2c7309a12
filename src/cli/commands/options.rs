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

    #[test]
    fn flags_without_a_value_are_judged_as_kubectl_does() {
        let shell = Shell::new();
        shell.all(&["create cm c", "create deployment web --image=nginx"]);
        let dry_run = "Invalid dry-run value (). Must be \"none\", \"server\", or \"client\".";
        shell.refuses(&[
            (
                "options --bogus",
                "unknown flag: --bogus\nRun 'kubectl options' without flags.",
            ),
            ("debug nope --image=x --profile=", "unknown profile:"),
            ("set env deploy/web --list --dry-run=", dry_run),
            ("set subject rolebinding x --user=a --dry-run=", dry_run),
            (
                "auth reconcile -f @/none --dry-run=",
                &format!("error accessing --dry-run flag for command reconcile: {dry_run}"),
            ),
        ]);
        for (line, out) in [
            (
                "run z --image=x --dry-run=client --annotations= --env=",
                "pod/z created (dry run)\n",
            ),
            (
                "patch cm c -p {} --patch-file=",
                "configmap/c patched (no change)\n",
            ),
        ] {
            assert_eq!(shell.out(line), out);
        }
    }
}
