//! `ctl completion`: small scripts that ask the program for completions.

use std::process::ExitCode;

use clap::Args;

use super::Outcome;
use crate::cli::context::Context;

/// Print the completion script for a shell: bash, zsh, fish or powershell
///
/// Examples:
///   source <(ctl completion bash)
///   ctl completion zsh > _ctl
///   ctl completion fish | source
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct CompletionArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Vec<String>,
}

pub(crate) fn run(args: &CompletionArgs, context: &Context) -> Outcome {
    let shell = match args.shell.as_slice() {
        [] => return Err(context.usage("Shell not specified.")),
        [shell] => shell.as_str(),
        _ => return Err(context.usage("Too many arguments. Expected only the shell type.")),
    };
    // The scripts call `__complete` at run time, so new flags and names need no new script.
    let script = match shell {
        "bash" => include_str!("bash.txt"),
        "zsh" => include_str!("zsh.txt"),
        "fish" => include_str!("fish.txt"),
        "powershell" => include_str!("powershell.txt"),
        other => {
            let text = format!("Unsupported shell type {other:?}.");
            return Err(context.usage(text));
        }
    };
    context.ui.out(&named(script, &context.program))?;
    Ok(ExitCode::SUCCESS)
}

/// Returns a script for a program whose name is part of the function names.
fn named(script: &str, program: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = program.chars().map(plain).collect();
    script
        .replace("@PROGRAM@", program)
        .replace("@NAME@", &name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::testing::Shell;

    #[test]
    fn completion_script_uses_the_invoked_program_name() {
        let script = named(include_str!("bash.txt"), "kubectl");
        assert!(script.contains("complete -o default -F __start_kubectl kubectl\n"));
        assert!(!script.contains('@') || !script.contains("@NAME@"));
        assert!(named("@NAME@ @PROGRAM@", "ctl-1.2") == "ctl_1_2 ctl-1.2");
    }

    #[test]
    fn missing_or_unsupported_shell_is_rejected() {
        let shell = Shell::empty();
        assert!(
            shell
                .out("completion zsh")
                .starts_with("#compdef kubectl\n")
        );
        let help = "\nSee 'kubectl completion -h' for help and examples";
        for (line, why) in [
            ("completion", "Shell not specified."),
            (
                "completion bash zsh",
                "Too many arguments. Expected only the shell type.",
            ),
            ("completion tcsh", "Unsupported shell type \"tcsh\"."),
        ] {
            shell.refuses(&[(line, &format!("{why}{help}"))]);
        }
    }
}
