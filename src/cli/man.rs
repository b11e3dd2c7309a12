//! Formats the text of `--help` as manual pages in roff.
//!
//! Must not know: what commands do.

use std::fmt::Write as _;

use clap::{ArgAction, Command};

use super::flags::full_path;
use super::help::{default_of, own_flags, split_about, usage};

/// The additional sections of the program's own manual page.
const ABOUT_THE_PROGRAM: &[(&str, &[(&str, &str)])] = &[
    (
        "ENVIRONMENT",
        &[
            (
                "CTL_STATE",
                "The directory of the cluster, if --state is not given.",
            ),
            (
                "CTL_CONFIG",
                "The configuration file, if --kubeconfig is not given.",
            ),
            ("NO_COLOR", "If set and not empty, output has no colors."),
            ("KUBE_EDITOR, EDITOR", "The editor that edit starts."),
            ("TMPDIR", "The directory for temporary files."),
        ],
    ),
    (
        "FILES",
        &[
            ("~/.local/share/ctl/clusters/NAME", "Named clusters."),
            ("~/.config/ctl/config", "Contexts, in kubeconfig format."),
        ],
    ),
    (
        "EXIT STATUS",
        &[
            ("0", "Success."),
            ("1", "Failure."),
            (
                "4, 5, 6, 7",
                "With --exit-codes: not found, conflict, invalid, timed out.",
            ),
        ],
    ),
];

/// Returns the pages of the program and of each of its commands, with their file names.
pub(crate) fn pages(root: &Command, program: &str) -> Vec<(String, String)> {
    let mut all = Vec::new();
    add(root, program, &[], root, &mut all);
    all
}

fn add(
    root: &Command,
    program: &str,
    path: &[String],
    command: &Command,
    all: &mut Vec<(String, String)>,
) {
    let name = full_path(program, path).replace(' ', "-");
    all.push((format!("{name}.1"), page(root, program, path, command)));
    for below in visible(command) {
        let path = [path, &[below.get_name().to_owned()]].concat();
        add(root, program, &path, below, all);
    }
}

fn visible(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|c| !c.is_hide_set())
}

fn page(root: &Command, program: &str, path: &[String], command: &Command) -> String {
    let spaced = full_path(program, path);
    let name = spaced.replace(' ', "-");
    let short = command.get_about().map(ToString::to_string);
    let short = short.unwrap_or_default();
    let (about, examples) = split_about(command, program);
    let mut page = format!(
        ".TH \"{}\" \"1\" \"\" \"{program} {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n",
        escaped(&name.to_uppercase()),
        env!("CARGO_PKG_VERSION"),
        escaped(&name),
        escaped(short.lines().next().unwrap_or_default()),
    );
    let _ = writeln!(
        page,
        ".SH SYNOPSIS\n.na\n.B {}\n.ad",
        escaped(&usage(command, program, path)).replace('"', "\\(dq")
    );
    page += ".SH DESCRIPTION\n";
    page += &paragraphs(&about);
    let commands: Vec<_> = visible(command).collect();
    if !commands.is_empty() {
        page += ".SH COMMANDS\n";
        for below in &commands {
            let about = below.get_about().map(ToString::to_string);
            page += &item(below.get_name(), &about.unwrap_or_default());
        }
    }
    page += &options(path, root, command);
    if !examples.is_empty() {
        let lines: Vec<String> = examples.lines().map(|l| escaped(l.trim_start())).collect();
        let _ = writeln!(page, ".SH EXAMPLES\n.nf\n{}\n.fi", lines.join("\n"));
    }
    if path.is_empty() {
        for (title, items) in ABOUT_THE_PROGRAM {
            let _ = writeln!(page, ".SH {title}");
            page.extend(items.iter().map(|(name, text)| item(name, text)));
        }
    }
    page + &see_also(program, path, &commands)
}

/// Returns the flags of the command itself; for the program's page the global flags.
fn options(path: &[String], root: &Command, command: &Command) -> String {
    let mut text = String::new();
    // Flags without effect are hidden, as in the short help.
    for flag in own_flags(command).filter(|f| !f.is_hide_short_help_set()) {
        let long = flag.get_long().unwrap_or_default();
        let mut name = match flag.get_short() {
            Some(short) => format!("-{short}, --{long}"),
            None => format!("--{long}"),
        };
        if !matches!(flag.get_action(), ArgAction::SetTrue) {
            let values = flag.get_value_names().unwrap_or_default();
            let value = values.first().map_or("VALUE", |v| v.as_str());
            let _ = write!(name, "={value}");
        }
        let mut help = flag.get_help().map(ToString::to_string).unwrap_or_default();
        let default = default_of(flag, &path.join(" "));
        // Empty defaults are omitted; the others are part of the meaning of the flag.
        if !["''", "[]", "false"].contains(&default.as_str()) {
            let _ = write!(help, " (default {default})");
        }
        text += &item(&name, &help);
    }
    match (text.is_empty(), path.is_empty()) {
        (true, _) => String::new(),
        (false, true) => format!(".SH OPTIONS OF EVERY COMMAND\n{text}"),
        (false, false) => format!(
            ".SH OPTIONS\n{text}.PP\nFlags that every command takes: see {}(1).\n",
            escaped(root.get_name())
        ),
    }
}

fn see_also(program: &str, path: &[String], commands: &[&Command]) -> String {
    let name = full_path(program, path).replace(' ', "-");
    let mut pages: Vec<String> = commands
        .iter()
        .map(|c| format!("{name}-{}", c.get_name()))
        .collect();
    if let Some((_, above)) = path.split_last() {
        // The parent comes first, because its page lists the siblings.
        pages.insert(0, full_path(program, above).replace(' ', "-"));
    }
    let pages: Vec<String> = pages
        .iter()
        .map(|p| format!(".BR {} (1)", escaped(p)))
        .collect();
    format!(".SH SEE ALSO\n{}\n", pages.join(",\n"))
}

fn item(name: &str, text: &str) -> String {
    format!(".TP\n.B {}\n{}\n", escaped(name), escaped(text.trim()))
}

/// Formats text as roff. An empty line separates paragraphs, and indented lines are kept as they are.
fn paragraphs(text: &str) -> String {
    let mut roff = String::new();
    for line in text.lines() {
        let _ = match line {
            "" => writeln!(roff, ".PP"),
            _ if line.starts_with(' ') => writeln!(roff, ".br\n{}", escaped(line)),
            _ => writeln!(roff, "{}", escaped(line)),
        };
    }
    roff
}

/// Returns text escaped for roff.
fn escaped(text: &str) -> String {
    // Some roffs print an unescaped hyphen as a typographic one, which cannot be pasted into a shell.
    let text = text.replace('\\', "\\e").replace('-', "\\-");
    // roff would treat a line that begins with one of these as a request and drop it.
    let line = |line: &str| match line.starts_with(['.', '\'']) {
        true => format!("\\&{line}"),
        false => line.to_owned(),
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::args::Cli;

    #[test]
    fn every_command_has_a_page_with_its_flags() {
        let root = Cli::command();
        let pages = pages(&root, "ctl");
        let page = |name: &str| {
            let found = pages.iter().find(|(file, _)| file == name);
            found.map(|(_, text)| text.as_str()).unwrap_or_default()
        };
        for command in visible(&root) {
            let text = page(&format!("ctl-{}.1", command.get_name()));
            assert!(
                text.contains("\n.SH EXAMPLES\n"),
                "{}: {text}",
                command.get_name()
            );
            let told = own_flags(command).filter(|f| !f.is_hide_short_help_set());
            for flag in told.filter_map(|f| f.get_long()) {
                assert!(
                    text.contains(&escaped(&format!("--{flag}"))),
                    "{flag}: {text}"
                );
            }
        }
        let own = page("ctl.1");
        assert!(
            own.contains(".B \\-n, \\-\\-namespace=NAMESPACE\n"),
            "{own}"
        );
        assert!(own.contains("\n.SH ENVIRONMENT\n"), "{own}");
        let undo = page("ctl-rollout-undo.1");
        assert!(
            undo.starts_with(".TH \"CTL\\-ROLLOUT\\-UNDO\" \"1\""),
            "{undo}"
        );
        assert!(undo.contains(".BR ctl\\-rollout (1)"), "{undo}");
    }

    #[test]
    fn roff_special_characters_are_escaped() {
        assert_eq!(escaped(".a\n'b\\n -c"), "\\&.a\n\\&'b\\en \\-c");
        assert_eq!(paragraphs("a\n\n  b"), "a\n.PP\n.br\n  b\n");
    }
}
