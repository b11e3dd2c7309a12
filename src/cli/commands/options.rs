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
pub(crate) struct OptionsArgs {
    /// kubectl ignores words.
    #[arg(id = "words", value_name = "WORDS", hide = true)]
    _words: Vec<String>,
}

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
        assert_eq!(shell.out("options get"), out);
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

    #[test]
    fn deprecated_dry_runs_are_lines_of_the_log() {
        let shell = Shell::new();
        for (flag, told) in [
            (
                "--dry-run",
                "helpers.go:719] --dry-run is deprecated and can be replaced with --dry-run=client.\n",
            ),
            (
                "--dry-run=false",
                "helpers.go:736] --dry-run=false is deprecated (boolean value) and can be replaced with --dry-run=none.\n",
            ),
        ] {
            let said = shell.run(&format!("create cm a {flag}"));
            let (header, text) = said.err.split_at(said.err.find("helpers").unwrap());
            assert_eq!((said.code, text), (0, told));
            // The header has the date, the time with microseconds, and the process ID in seven columns.
            let times: Vec<char> = header
                .chars()
                .map(|c| if c.is_ascii_digit() { '9' } else { c })
                .collect();
            let times: String = times.into_iter().collect();
            assert!(times.starts_with("W9999 99:99:99.999999 "), "{header}");
            assert_eq!(
                header.len(),
                "W1126 21:12:48.235075   29060 ".len(),
                "{header}"
            );
        }
    }
}
