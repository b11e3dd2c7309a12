//! Builds the flags of a command only if the command may run, because building those of all commands takes longer than
//! most commands do.

use std::cell::RefCell;

use clap::{ArgMatches, Args, Command, FromArgMatches};

thread_local! {
    /// The commands that the line may name; none if it may be any of them. This is a thread-local, because clap calls
    /// `augment_args` without a value that could hold them.
    static MEANT: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// The flags of a command if it may run; otherwise only its name.
#[derive(Debug)]
pub(crate) struct Lazy<T>(pub(crate) T);

impl<T: Args> Args for Lazy<T> {
    fn group_id() -> Option<clap::Id> {
        T::group_id()
    }

    fn augment_args(command: Command) -> Command {
        // A word may also be the value of a flag, so rather one command too many is built than one too few.
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

/// Builds the program with the flags of only the commands that one of these words names.
pub(crate) fn with_commands<T>(words: &[String], make: impl FnOnce() -> T) -> T {
    MEANT.set(Some(words.to_vec()));
    let made = make();
    // The filter is reset, because help and completion build the whole program later in the same process.
    MEANT.set(None);
    made
}
