//! Commands whose flags are made only where the command may be meant: to make those of all commands takes longer
//! than most commands do.

use std::cell::RefCell;
use std::ffi::OsString;

use clap::{ArgMatches, Args, Command, CommandFactory as _, FromArgMatches};

use super::args::Cli;

/// Words that ask for something about other commands, or about all of them.
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

thread_local! {
    /// The commands that may be meant; none says that all are.
    static MEANT: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// The flags of a command if it may be the one that runs; otherwise only its name.
#[derive(Debug)]
pub(crate) struct Lazy<T>(pub(crate) T);

impl<T: Args> Args for Lazy<T> {
    fn group_id() -> Option<clap::Id> {
        T::group_id()
    }

    fn augment_args(command: Command) -> Command {
        match is_meant(command.get_name()) {
            true => T::augment_args(command),
            false => command,
        }
    }

    fn augment_args_for_update(command: Command) -> Command {
        T::augment_args_for_update(command)
    }
}

impl<T: FromArgMatches> FromArgMatches for Lazy<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        T::from_arg_matches(matches).map(Self)
    }

    fn from_arg_matches_mut(matches: &mut ArgMatches) -> Result<Self, clap::Error> {
        T::from_arg_matches_mut(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.update_from_arg_matches(matches)
    }
}

fn is_meant(name: &str) -> bool {
    MEANT.with_borrow(|meant| {
        meant
            .as_ref()
            .is_none_or(|meant| meant.iter().any(|m| m == name))
    })
}

/// The program with those commands whole that one of these words names. All of them are where none does, and where a
/// word asks about commands.
pub(crate) fn program(words: &[OsString]) -> Command {
    let words: Vec<String> = words
        .iter()
        .filter_map(|w| w.to_str().map(str::to_owned))
        .collect();
    if words.is_empty() || words.iter().any(|word| ABOUT_ALL.contains(&word.as_str())) {
        return Cli::command();
    }
    MEANT.set(Some(words.clone()));
    let some = Cli::command();
    MEANT.set(None);
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

    fn of(words: &[&str]) -> Command {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        program(&words)
    }

    fn help(root: &Command, name: &str) -> String {
        let command = root.find_subcommand(name).unwrap();
        command.clone().render_long_help().to_string()
    }

    #[test]
    fn a_command_that_is_named_is_the_same_as_among_all() {
        let all = Cli::command();
        for command in all.get_subcommands() {
            let name = command.get_name();
            let one = of(&["-n", "default", name, "a", "--b"]);
            assert_eq!(help(&one, name), help(&all, name));
            assert_eq!(one.get_subcommands().count(), all.get_subcommands().count());
        }
    }

    #[test]
    fn the_others_are_there_by_name_alone() {
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
    fn all_are_whole_where_somebody_asks_about_them_or_names_none() {
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
