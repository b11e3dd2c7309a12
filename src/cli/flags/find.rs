//! Finds the command in a command line: its first words that are neither flags nor their values.

use std::ffi::OsString;

use clap::{Arg, ArgAction, Command};

use super::value::Type;

/// The command, and the remaining arguments.
pub(super) struct CommandWords {
    pub(super) path: Vec<String>,
    pub(super) rest: Vec<OsString>,
    /// The position of each remaining argument in the command line.
    pub(super) places: Vec<usize>,
}

/// Follows the words of a command line as long as they name commands.
pub(super) fn command(root: &Command, args: &[OsString]) -> CommandWords {
    let mut found = CommandWords {
        path: Vec::new(),
        rest: args.to_vec(),
        places: (0..args.len()).collect(),
    };
    let mut stages = vec![root];
    loop {
        let Some(index) = word_positions(&stages, &found.rest).first().copied() else {
            return found;
        };
        let word = found.rest[index].to_string_lossy();
        let last = stages[stages.len() - 1];
        let Some(next) = last.find_subcommand(word.as_ref()) else {
            return found;
        };
        found.path.push(next.get_name().to_owned());
        // Flags may come before and between the words of a command, so only the word is removed.
        found.rest.remove(index);
        found.places.remove(index);
        stages.push(next);
    }
}

/// Returns the words that are neither flags nor, as far as is known, their values.
pub(super) fn words(stages: &[&Command], args: &[OsString]) -> Vec<String> {
    let positions = word_positions(stages, args);
    let word = |i: usize| args[i].to_string_lossy().into_owned();
    positions.into_iter().map(word).collect()
}

fn word_positions(stages: &[&Command], args: &[OsString]) -> Vec<usize> {
    let mut positions = Vec::new();
    let mut at = 0;
    while at < args.len() {
        let arg = args[at].to_string_lossy();
        // After `--` there are no flags, and no word selects a command.
        if arg == "--" {
            break;
        }
        let takes_next = if let Some(name) = arg.strip_prefix("--") {
            // Like cobra, assumes that an unknown flag takes a value: `--unknown get` names no command.
            !name.contains('=') && !by_name(stages, name).is_some_and(is_complete)
        } else if let Some(name) = arg.strip_prefix('-') {
            let mut chars = name.chars();
            match (chars.next(), chars.next()) {
                (Some(short), None) => !by_short(stages, short).is_some_and(is_complete),
                _ => false,
            }
        } else {
            if !arg.is_empty() {
                positions.push(at);
            }
            false
        };
        at += 1 + usize::from(takes_next);
    }
    positions
}

/// Returns true if a flag needs no value.
pub(super) fn is_complete(flag: &Arg) -> bool {
    Type::from_flag(flag) == Type::Bool || flag.get_num_args().is_some_and(|n| n.min_values() == 0)
}

/// Finds a flag by its long name: the command's own, or a global flag of its parents.
pub(super) fn by_name<'a>(stages: &[&'a Command], name: &str) -> Option<&'a Arg> {
    // kubectl normalizes underscores in the names of flags to dashes.
    let name = name.replace('_', "-");
    let named = |arg: &&Arg| {
        let aliases = arg.get_all_aliases().unwrap_or_default();
        arg.get_long() == Some(name.as_str()) || aliases.contains(&name.as_str())
    };
    visible(stages, named)
}

/// Finds a flag by its letter.
pub(super) fn by_short<'a>(stages: &[&'a Command], short: char) -> Option<&'a Arg> {
    let found = visible(stages, |arg| arg.get_short() == Some(short))?;
    // A command's own flag also hides the letter of the global flag: `config set-cluster` has no -s.
    let named = by_name(stages, found.get_long().unwrap_or_default());
    let is_hidden = named.is_some_and(|flag| flag.get_short() != Some(short));
    (!is_hidden).then_some(found)
}

/// Returns the long names of the flags in the help, including their dashes.
pub(super) fn long_names(stages: &[&Command]) -> Vec<String> {
    let (last, above) = match stages.split_last() {
        Some((last, above)) => (*last, above),
        None => return Vec::new(),
    };
    let handed = above.iter().flat_map(|c| c.get_arguments());
    let all = last
        .get_arguments()
        .chain(handed.filter(|a| a.is_global_set()));
    let shown = all.filter(|a| !a.is_hide_set());
    let names = shown.filter_map(Arg::get_long);
    names.map(|name| format!("--{name}")).collect()
}

fn visible<'a>(stages: &[&'a Command], wanted: impl Fn(&&'a Arg) -> bool) -> Option<&'a Arg> {
    let (last, above) = stages.split_last()?;
    let flags = |command: &&'a Command| {
        command
            .get_arguments()
            .filter(|a| a.get_long().is_some() || a.get_short().is_some())
    };
    // A command's own flag hides the global one: `create rolebinding --user` is no user of the kubeconfig.
    let own = flags(last).find(|a| wanted(a));
    own.or_else(|| {
        let mut handed = above.iter().rev().flat_map(flags);
        handed.find(|a| a.is_global_set() && wanted(a))
    })
}

/// Returns true if repeated values of a flag accumulate.
pub(super) fn adds_up(flag: &Arg) -> bool {
    matches!(flag.get_action(), ArgAction::Append)
}
