//! Compares commands and flags with a recording of kubectl: names, shorthands, defaults, and which flags take a value.

use std::collections::BTreeSet;

use clap::{Arg, ArgAction, Command, CommandFactory as _};

use super::{default_of, full_path, usage};
use crate::cli::args::Cli;

const RECORDED: &str = include_str!("../../../testdata/facts/kubectl-commands.tsv");

/// The commands and flags of kubectl that are absent, each with its reason.
const ABSENT: &[(&str, &str, &str)] = &[
    ("alpha", "", "a group without commands"),
    ("help", "", "`ctl help` is built without being listed"),
    ("", "help", "`--help` is read before the flags of a command"),
];

/// A row of the recording.
struct Row<'a> {
    /// The command, without the name of kubectl.
    path: &'a str,
    is_command: bool,
    flag: &'a str,
    short: &'a str,
    kind: &'a str,
    default: &'a str,
    takes_value: bool,
    usage: &'a str,
}

fn rows() -> impl Iterator<Item = Row<'static>> {
    RECORDED.lines().skip(1).map(|line| {
        let cells: Vec<&str> = line.split('\t').collect();
        Row {
            path: cells[0].trim_start_matches("kubectl").trim(),
            is_command: cells[1] == "command",
            flag: cells[2],
            short: cells[3],
            kind: cells[4],
            default: cells[5],
            takes_value: cells[7] == "yes",
            usage: cells[11],
        }
    })
}

fn find<'c>(root: &'c Command, path: &str) -> Option<&'c Command> {
    let mut words = path.split_whitespace();
    words.try_fold(root, |command, word| {
        let is = |c: &&Command| c.get_name() == word;
        command.get_subcommands().find(is)
    })
}

/// Returns the differences of a flag.
fn differences(row: &Row<'_>, flag: &Arg) -> Vec<String> {
    let mut all = Vec::new();
    let short = flag.get_short().map(String::from).unwrap_or_default();
    if short != row.short {
        all.push(format!("shorthand {short:?} instead of {:?}", row.short));
    }
    let own = default_of(flag, row.path);
    let own = own.trim_matches('\'');
    // An absent optional number differs from a given one, and the help says what its absence means.
    let is_unset = own.is_empty() && (row.kind, row.default) == ("int", "0");
    let is_list = own == "[]" && row.default.is_empty();
    if own != row.default && !is_unset && !is_list {
        all.push(format!("default {own:?} instead of {:?}", row.default));
    }
    let takes_value = !matches!(flag.get_action(), ArgAction::SetTrue);
    // Every boolean accepts `--flag=false`, so only a flag that needs a value can differ.
    if row.takes_value && !takes_value {
        all.push("takes no value".to_owned());
    }
    all
}

#[test]
fn commands_and_flags_match_kubectl() {
    let root = Cli::command();
    let mut absent = BTreeSet::new();
    let (mut commands, mut flags, mut problems) = (0, 0, Vec::new());
    for row in rows() {
        let of_row = |(path, flag, _): &(&str, &str, &str)| (*path, *flag) == (row.path, row.flag);
        let known_absent = ABSENT.iter().any(of_row);
        let command = find(&root, row.path);
        if row.is_command {
            commands += 1;
            match command {
                Some(_) => {}
                None if known_absent => drop(absent.insert((row.path, row.flag))),
                None => problems.push(format!("kubectl {}: absent", row.path)),
            }
            continue;
        }
        flags += 1;
        let named = |a: &&Arg| a.get_long() == Some(row.flag);
        let flag = command.and_then(|c| c.get_arguments().find(named));
        let Some(flag) = flag.or_else(|| root.get_arguments().find(named)) else {
            match known_absent {
                true => drop(absent.insert((row.path, row.flag))),
                false => problems.push(format!("kubectl {} --{}: absent", row.path, row.flag)),
            }
            continue;
        };
        let found = differences(&row, flag);
        if !found.is_empty() {
            let found = found.join(", ");
            problems.push(format!("kubectl {} --{}: {found}", row.path, row.flag));
        }
    }
    let count = absent.len();
    println!("{commands} commands and {flags} flags of kubectl, {count} absent");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    // An outdated exception would hide the next difference.
    assert_eq!(count, ABSENT.len());
}

/// The commands to whose recorded usage kubectl adds `[flags]`.
const WITH_FLAGS: &[&str] = &[
    "api-resources",
    "auth",
    "cluster-info",
    "cluster-info dump",
    "config current-context",
    "config get-clusters",
    "config get-users",
    "config view",
    "create cronjob",
    "create service",
    "kustomize",
    "plugin list",
    "top",
    "version",
];

#[test]
fn usages_are_those_of_kubectl() {
    let root = Cli::command();
    let is_absent = |path: &str| ABSENT.iter().any(|a| (a.0, a.1) == (path, ""));
    for row in rows().filter(|row| row.is_command && !row.path.is_empty() && !is_absent(row.path)) {
        let path: Vec<String> = row.path.split(' ').map(Into::into).collect();
        let mut expected = full_path("kubectl", &path[..path.len() - 1]);
        expected = format!("{expected} {}", row.usage);
        if WITH_FLAGS.contains(&row.path) {
            expected += " [flags]";
        }
        if !expected.contains("[options]") {
            expected += " [options]";
        }
        let command = find(&root, row.path).unwrap();
        assert_eq!(usage(command, "kubectl", &path), expected);
    }
}
