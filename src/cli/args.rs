//! The command line: the global flags and the commands.

use std::ffi::OsString;

use clap::{CommandFactory as _, Parser};

use super::commands::Command;
use super::global_args::GlobalArgs;
use super::lazy;

/// A Kubernetes cluster in a directory
#[derive(Debug, Parser)]
#[command(
    version,
    disable_help_subcommand = true,
    propagate_version = false,
    args_override_self = true
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Words that need the flags of other commands or of all commands.
const ABOUT_ALL: [&str; 9] = [
    "-h",
    "--help",
    "help",
    "completion",
    "__complete",
    "__completeNoDesc",
    "man",
    "options",
    "plugin",
];

/// Returns the program with the flags of only the commands that these arguments name. If no word names a command, or if
/// one asks about commands, every command has its flags.
pub(crate) fn program(words: &[OsString]) -> clap::Command {
    let words: Vec<String> = words
        .iter()
        .filter_map(|w| w.to_str().map(str::to_owned))
        .collect();
    // Help, completion and the manual list every flag, so they need the whole program.
    if words.is_empty() || words.iter().any(|word| ABOUT_ALL.contains(&word.as_str())) {
        return Cli::command();
    }
    // Building the flags of all commands took a third of the time of a short command (docs/performance.md).
    let some = lazy::with_commands(&words, Cli::command);
    match words
        .iter()
        .any(|word| some.find_subcommand(word).is_some())
    {
        true => some,
        false => Cli::command(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: &[&str]) -> clap::Command {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        program(&words)
    }

    fn help(root: &clap::Command, name: &str) -> String {
        let command = root.find_subcommand(name).unwrap();
        command.clone().render_long_help().to_string()
    }

    #[test]
    fn named_command_has_its_help_of_the_full_tree() {
        let all = Cli::command();
        for command in all.get_subcommands() {
            let name = command.get_name();
            let one = of(&["-n", "default", name, "a", "--b"]);
            assert_eq!(help(&one, name), help(&all, name));
            assert_eq!(one.get_subcommands().count(), all.get_subcommands().count());
        }
    }

    #[test]
    fn other_commands_are_built_without_flags() {
        let one = of(&["get", "pods"]);
        let flags = |name: &str| one.find_subcommand(name).unwrap().get_arguments().count();
        assert!(flags("get") > 5);
        assert_eq!(flags("apply"), 0);
        let two = of(&["-n", "apply", "get", "pods"]);
        assert!(
            two.find_subcommand("apply")
                .unwrap()
                .get_arguments()
                .count()
                > 5
        );
    }

    #[test]
    fn help_and_unknown_commands_build_the_full_tree() {
        let all = help(&Cli::command(), "apply");
        for words in [
            &["help", "get"][..],
            &["get", "--help"],
            &["gte", "pods"],
            &[],
            &["__complete", "get"],
        ] {
            assert_eq!(help(&of(words), "apply"), all, "{words:?}");
        }
    }
}
