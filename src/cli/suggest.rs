//! Suggests corrections of misspelled words.

use clap::Command;

use super::groups;

/// The maximum number of letters that may differ.
const DISTANCE: usize = 2;

/// In words of at most this length, only one letter may differ.
const SHORT: usize = 4;

/// The maximum number of names in a hint.
const MOST: usize = 3;

/// Words that other programs use for these commands.
const ALSO_CALLED: &[(&str, &str)] = &[("list", "get"), ("ps", "get"), ("rm", "delete")];

/// Returns the error about an unknown command. As in kubectl, the suggestions are printed even in a pipe.
pub(crate) fn unknown(root: &Command, program: &str, word: &str) -> String {
    let mut text = format!("unknown command {word:?} for {program:?}");
    let typed = word.to_lowercase();
    let also = |name: &str| ALSO_CALLED.contains(&(typed.as_str(), name));
    let close =
        |name: &&str| also(name) || name.starts_with(&typed) || edits(&typed, name) <= DISTANCE;
    // kubectl's commands come in the order of its help, because the text is part of kubectl's error.
    let shown: Vec<&str> = names_below(root).collect();
    let theirs = groups::kubectl_commands().filter(|name| shown.contains(name));
    let mut near: Vec<&str> = theirs.filter(close).collect();
    if near.is_empty() {
        near = shown.into_iter().filter(close).collect();
        near.sort_unstable();
    }
    if !near.is_empty() {
        text.push_str("\n\nDid you mean this?\n");
        text.extend(near.iter().map(|name| format!("\t{name}\n")));
    }
    text
}

/// Suggests the known words that are similar; `None` if no word is.
pub(crate) fn hint(word: &str, known: impl IntoIterator<Item = impl AsRef<str>>) -> Option<String> {
    let near = near(word, known);
    let (last, others) = near.split_last()?;
    Some(match others {
        [] => format!("Did you mean {last:?}?"),
        others => {
            let others: Vec<String> = others.iter().map(|name| format!("{name:?}")).collect();
            format!("Did you mean {} or {last:?}?", others.join(", "))
        }
    })
}

/// Returns a suggestion for a word in the position of a subcommand of this command.
pub(crate) fn subcommand(command: &Command, word: &str) -> Option<String> {
    hint(word, names_below(command))
}

fn names_below(command: &Command) -> impl Iterator<Item = &str> {
    let shown = command.get_subcommands().filter(|c| !c.is_hide_set());
    shown.map(Command::get_name)
}

/// Returns the known words with the smallest distance from a word.
fn near(word: &str, known: impl IntoIterator<Item = impl AsRef<str>>) -> Vec<String> {
    let typed = word.to_lowercase();
    let letters = typed.chars().count();
    let allowed = match letters {
        0 | 1 => return Vec::new(),
        ..=SHORT => 1,
        _ => DISTANCE,
    };
    let away = |name: &str| {
        let begins = letters >= 3 && name.starts_with(&typed);
        // A prefix counts as more distant than a typing error.
        match (distance(&typed, name), begins) {
            (letters, _) if letters <= allowed => Some(letters),
            (_, true) => Some(DISTANCE + 1),
            _ => None,
        }
    };
    let found = known.into_iter().filter_map(|name| {
        let name = name.as_ref();
        Some((away(name)?, name.to_owned()))
    });
    let mut found: Vec<(usize, String)> = found.collect();
    found.sort_unstable();
    found.dedup();
    let least = found.first().map_or(0, |(away, _)| *away);
    let nearest = found.into_iter().take_while(|(away, _)| *away == least);
    nearest.map(|(_, name)| name).take(MOST).collect()
}

/// Returns the number of letters to add, remove or replace to turn one word into the other.
fn edits(a: &str, b: &str) -> usize {
    counted(a, b, false)
}

/// Returns the number of letters to add, remove, replace or swap with their neighbor to turn one word into the other.
fn distance(a: &str, b: &str) -> usize {
    counted(a, b, true)
}

fn counted(a: &str, b: &str, swaps: bool) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let first: Vec<usize> = (0..=b.len()).collect();
    let mut rows = vec![first];
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let replaced = rows[i][j] + usize::from(x != y);
            let mut least = replaced.min(row[j] + 1).min(rows[i][j + 1] + 1);
            // Swapped neighbors are the most common typing error, so they count as one difference instead of two.
            if swaps && i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                least = least.min(rows[i - 1][j - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::args::Cli;

    const TYPES: &[&str] = &[
        "pods",
        "pod",
        "po",
        "pv",
        "pvc",
        "nodes",
        "deployments",
        "deploy",
        "daemonsets",
        "podtemplates",
        "jobs",
        "cronjobs",
    ];

    #[test]
    fn closest_names_are_suggested() {
        for (typed, expected) in [
            ("pdos", Some("Did you mean \"pods\"?")),
            ("Deploymnt", Some("Did you mean \"deployments\"?")),
            ("deployment", Some("Did you mean \"deployments\"?")),
            ("depl", Some("Did you mean \"deploy\" or \"deployments\"?")),
            ("pvd", Some("Did you mean \"pod\", \"pv\" or \"pvc\"?")),
            ("job", Some("Did you mean \"jobs\"?")),
            ("x", None),
            ("", None),
            ("rockets", None),
        ] {
            assert_eq!(hint(typed, TYPES).as_deref(), expected, "{typed}");
        }
    }

    #[test]
    fn unknown_commands_get_the_suggestions_of_kubectl() {
        let near = |word| {
            let text = unknown(&Cli::command(), "kubectl", word);
            let words: Vec<String> = text.lines().skip(3).map(|l| l.trim().to_owned()).collect();
            words.join(" ")
        };
        for (word, expected) in [
            ("foo", "top"),
            ("lgo", "logs"),
            ("lo", "top logs cp"),
            ("ge", "set get cp"),
            ("ran", "run drain"),
            ("exposed", "expose"),
            ("rewind", ""),
            // ctl's own commands are suggested if none of kubectl's is similar.
            ("settel", "settle"),
        ] {
            assert_eq!(near(word), expected, "{word}");
        }
    }

    #[test]
    fn swapped_adjacent_letters_count_as_one_edit() {
        assert_eq!(distance("stauts", "status"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
        // cobra counts a swap as two differences.
        assert_eq!(edits("stauts", "status"), 2);
        assert_eq!(edits("gte", "set"), 3);
    }

    #[test]
    fn subcommands_are_suggested() {
        let root = Cli::command();
        let hint = |name, word| subcommand(root.find_subcommand(name).unwrap(), word);
        assert_eq!(
            hint("rollout", "stauts").unwrap(),
            "Did you mean \"status\"?"
        );
        assert_eq!(
            hint("create", "deploymet").unwrap(),
            "Did you mean \"deployment\"?"
        );
        assert_eq!(hint("get", "stauts"), None);
    }
}
