//! What somebody may have meant who typed a command that is none.

use clap::Command;

/// How many letters may differ.
const DISTANCE: usize = 2;

/// Other words for commands.
const ALSO_CALLED: &[(&str, &str)] = &[("list", "get"), ("ps", "get"), ("rm", "delete")];

/// The text about a command that is none.
pub(super) fn unknown(root: &Command, program: &str, word: &str) -> String {
    let mut text = format!("unknown command {word:?} for {program:?}");
    let near = near(root, word);
    if !near.is_empty() {
        text.push_str("\n\nDid you mean this?\n");
        text.extend(near.iter().map(|name| format!("\t{name}\n")));
    }
    text
}

fn near<'a>(root: &'a Command, word: &str) -> Vec<&'a str> {
    let typed = word.to_lowercase();
    let mut near: Vec<&str> = root
        .get_subcommands()
        .filter(|c| !c.is_hide_set())
        .map(Command::get_name)
        .filter(|name| {
            let also = ALSO_CALLED.contains(&(typed.as_str(), name));
            also || name.starts_with(&typed) || distance(&typed, name) <= DISTANCE
        })
        .collect();
    near.sort_unstable();
    near
}

/// How many letters to add, take away or replace to make one word the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
