//! `--help`: prints the purpose of a command, its examples, flags and usage.

use std::any::TypeId;

use clap::{Arg, ArgAction, Command};

use super::flags::{full_path, stages};
use super::groups::GROUPS;

/// Returns the help of the command at the end of a path.
pub(crate) fn of(root: &Command, program: &str, path: &[String]) -> String {
    let stages = stages(root, path);
    let command = stages[stages.len() - 1];
    let name = full_path(program, path);
    let (about, examples) = split_about(command, program);
    let mut parts = vec![about];
    let aliases: Vec<&str> = command.get_visible_aliases().collect();
    if !aliases.is_empty() {
        let (own, aliases) = (command.get_name(), aliases.join(", "));
        parts.push(format!("Aliases:\n  {own}, {aliases}"));
    }
    if !examples.is_empty() {
        parts.push(format!("Examples:\n{examples}"));
    }
    parts.extend(command_lists(command, path.is_empty()));
    let options: String = own_flags(command)
        .map(|flag| option(flag, &path.join(" ")))
        .collect();
    if !options.is_empty() && !path.is_empty() {
        parts.push(format!("Options:\n{}", options.trim_end()));
    }
    parts.push(format!("Usage:\n  {}", usage(command, program, path)));
    if command.has_subcommands() {
        parts.push(format!(
            "Use \"{name} <command> --help\" for more about a command."
        ));
    }
    parts.join("\n\n")
        + &format!("\nUse \"{program} options\" for the flags that every command takes.\n")
}

/// Returns the help of the global flags.
pub(crate) fn global_options(root: &Command) -> String {
    let flags = root.get_arguments().filter(|a| a.is_global_set());
    let flags = flags
        .filter(|a| !a.is_hide_set())
        .map(|flag| option(flag, ""));
    let options: String = flags.collect();
    format!(
        "The following options can be passed to any command:\n\n{}\n",
        options.trim_end()
    )
}

/// Returns the purpose of a command, and its examples.
pub(super) fn split_about(command: &Command, program: &str) -> (String, String) {
    let long = command.get_long_about().or(command.get_about());
    let long = long.map(ToString::to_string).unwrap_or_default();
    // One doc comment holds both, so that the help of a command is in one place.
    let cut = ["\nExamples:", "\nExample:"].iter().find_map(|mark| {
        let at = long.find(mark)?;
        Some((at, at + mark.len()))
    });
    let (about, examples) = match cut {
        Some((end, begin)) => (&long[..end], &long[begin..]),
        None => (&long[..], ""),
    };
    let mut about = about.trim().to_owned();
    if !about.is_empty() && !about.ends_with('.') {
        about.push('.');
    }
    let lines = examples
        .lines()
        .map(str::trim_end)
        .filter(|l| !l.is_empty());
    // Only examples are renamed, because in the text `ctl` is the product.
    let named = |line: &str| format!("  {}", replace_program(line.trim_start(), program));
    (about, lines.map(named).collect::<Vec<_>>().join("\n"))
}

/// Replaces the name of the program in an example by the name it was started under.
fn replace_program(line: &str, program: &str) -> String {
    let words = line.split(' ').map(|word| match word {
        "ctl" => program,
        // A process substitution has no space before the program, so the two form one word.
        "<(ctl" => "<(kubectl",
        other => other,
    });
    words.collect::<Vec<_>>().join(" ")
}

fn command_lists(command: &Command, grouped: bool) -> Vec<String> {
    let mut rest: Vec<&Command> = command
        .get_subcommands()
        .filter(|c| !c.is_hide_set())
        .collect();
    // Commands are declared in the order of the source, but readers search a list by name.
    rest.sort_by_cached_key(|c| c.get_name().to_owned());
    if !grouped {
        return list("Available Commands", &rest).into_iter().collect();
    }
    let mut lists = Vec::new();
    for (title, names) in GROUPS {
        let named = |name: &&str| rest.iter().find(|c| c.get_name() == *name).copied();
        let members: Vec<&Command> = names.iter().filter_map(named).collect();
        rest.retain(|c| !names.contains(&c.get_name()));
        lists.extend(list(title, &members));
    }
    // A new command appears here until a group names it, so it is never missing from the help.
    lists.extend(list("Cluster Commands", &rest));
    lists
}

fn list(title: &str, commands: &[&Command]) -> Option<String> {
    if commands.is_empty() {
        return None;
    }
    let names = commands.iter().map(|c| c.get_name().len());
    // This is cobra's minimum width; longer names widen the column.
    let width = names.max().unwrap_or(0).max(11);
    let lines = commands.iter().map(|c| {
        let about = c.get_about().map(ToString::to_string).unwrap_or_default();
        format!("\n  {:width$}   {about}", c.get_name())
    });
    Some(format!("{title}:{}", lines.collect::<String>()))
}

pub(super) fn own_flags(command: &Command) -> impl Iterator<Item = &Arg> {
    let flags = command.get_arguments().filter(|a| !a.is_positional());
    flags.filter(|a| !a.is_hide_set())
}

/// Defaults that apply when a command runs, because an absent flag differs from a given one.
const APPLIED_LATER: &[(&str, &str, &str)] = &[
    // These are kubectl's defaults of flags without effect here, for readers who compare the two lists.
    ("", "cache-dir", "'$HOME/.kube/cache'"),
    ("", "log-flush-frequency", "5s"),
    ("", "profile", "'none'"),
    ("", "profile-output", "'profile.pprof'"),
    ("api-resources", "namespaced", "true"),
    ("cluster-info dump", "output", "'json'"),
    ("config view", "merge", "true"),
    ("config view", "output", "'yaml'"),
    ("describe", "show-events", "true"),
    ("kuberc view", "output", "'yaml'"),
    ("kustomize", "helm-command", "'helm'"),
    ("kustomize", "network-name", "'bridge'"),
    ("kustomize", "reorder", "'legacy'"),
    ("port-forward", "address", "[localhost]"),
    ("run", "cascade", "'background'"),
    ("run", "grace-period", "-1"),
    ("run", "timeout", "0s"),
    ("scale", "replicas", "0"),
    ("set selector", "recursive", "true"),
];

/// Returns a flag of a command, with its default and its description.
fn option(flag: &Arg, path: &str) -> String {
    let long = flag.get_long().unwrap_or_default();
    let name = match flag.get_short() {
        Some(short) => format!("-{short}, --{long}"),
        None => format!("--{long}"),
    };
    let help = flag.get_help().map(ToString::to_string).unwrap_or_default();
    format!("    {name}={}:\n        {help}\n\n", default_of(flag, path))
}

/// Returns the default of a command's flag, in the form of the help.
pub(super) fn default_of(flag: &Arg, path: &str) -> String {
    let long = flag.get_long().unwrap_or_default();
    let mut later = APPLIED_LATER.iter();
    if let Some((.., default)) = later.find(|(own, name, _)| (*own, *name) == (path, long)) {
        return (*default).to_owned();
    }
    if long == "field-manager" {
        // kubectl's managers are named after its commands, except for those of `apply` and `diff`.
        return match path.split(' ').next().unwrap_or_default() {
            "apply" | "diff" => "'kubectl-client-side-apply'".to_owned(),
            command => format!("'kubectl-{command}'"),
        };
    }
    if matches!(flag.get_action(), ArgAction::SetTrue) {
        return "false".to_owned();
    }
    let values = flag.get_default_values().iter();
    let values: Vec<String> = values.map(|v| v.to_string_lossy().into_owned()).collect();
    let is_text = flag.get_value_parser().type_id() == TypeId::of::<String>();
    match flag.get_action() {
        ArgAction::Append => "[]".to_owned(),
        _ if is_text || values.is_empty() => format!("'{}'", values.join(",")),
        _ => values.join(","),
    }
}

/// Returns the usage of a command, in kubectl's notation if kubectl has the command.
pub(super) fn usage(command: &Command, program: &str, path: &[String]) -> String {
    let name = full_path(program, path);
    let usage = match words::of(&path.join(" ")) {
        Some(words) => format!("{name} {words}"),
        // A mere group cannot run, so its usage requires a command. Other commands take words only to reject them.
        None if command.has_subcommands() && command.get_positionals().next().is_none() => {
            format!("{name} COMMAND")
        }
        None if command.has_subcommands() => format!("{name} [COMMAND]"),
        None => {
            let words: Vec<String> = positionals(command).map(word).collect();
            format!("{name} {}", words.join(" "))
        }
    };
    let usage = usage.trim_end();
    // The usage of `port-forward` already contains it between two words.
    match usage.contains("[options]") {
        true => usage.to_owned(),
        false => format!("{usage} [options]"),
    }
}

/// Returns the words that a command takes. Words without a name exist only to be ignored or rejected as kubectl does.
fn positionals(command: &Command) -> impl Iterator<Item = &Arg> {
    command
        .get_positionals()
        .filter(|word| name_of(word) != "WORDS")
}

fn name_of(word: &Arg) -> String {
    let values = word.get_value_names().unwrap_or_default();
    match values.first() {
        Some(text) => text.to_string(),
        None => word.get_id().as_str().to_uppercase(),
    }
}

fn word(word: &Arg) -> String {
    let text = name_of(word);
    // Words that a command checks itself have their brackets in the name.
    if word.get_id() == "words" {
        return text;
    }
    // An object is a list for clap, because `TYPE NAME` also names one.
    let several = matches!(word.get_action(), ArgAction::Append) && text != "TYPE/NAME";
    let text = if several { format!("{text} ...") } else { text };
    if word.is_required_set() {
        text
    } else {
        format!("[{text}]")
    }
}

mod words;

#[cfg(test)]
mod kubectl;
#[cfg(test)]
mod reference;

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::args::Cli;

    fn paths(command: &Command, above: &[String]) -> Vec<Vec<String>> {
        let mut all = vec![above.to_vec()];
        for sub in command.get_subcommands().filter(|c| !c.is_hide_set()) {
            let path = [above, &[sub.get_name().to_owned()]].concat();
            all.extend(paths(sub, &path));
        }
        all
    }

    #[test]
    fn every_command_has_usage_and_an_example() {
        let root = Cli::command();
        for path in paths(&root, &[]).iter().filter(|p| !p.is_empty()) {
            let text = of(&root, "kubectl", path);
            assert!(!text.starts_with('\n'), "{path:?}: {text}");
            assert!(text.contains("\nUsage:\n  kubectl "), "{path:?}: {text}");
            // An example must be one of the command itself.
            let (_, examples) = text.split_once("Examples:\n").unwrap_or_default();
            let called = full_path("kubectl", path);
            let shown = examples.lines().take_while(|line| line.starts_with("  "));
            let own = shown.filter(|line| line.contains(&called)).count();
            assert!(own > 0, "{path:?}: {text}");
        }
    }

    #[test]
    fn defaults_that_are_texts_are_in_quotes_and_aliases_are_listed() {
        let root = Cli::command();
        let help = |path: &str| {
            let path: Vec<String> = path.split(' ').map(str::to_owned).collect();
            of(&root, "kubectl", &path)
        };
        for (path, part) in [
            ("scale", "    --dry-run='none':\n"),
            ("scale", "    --replicas=0:\n"),
            ("scale", "    --timeout=0s:\n"),
            ("auth can-i", "    --subresource='':\n"),
            ("proxy", "    -p, --port=8001:\n"),
            (
                "create configmap",
                ".\n\nAliases:\n  configmap, cm\n\nExamples:\n",
            ),
            ("config use-context", "\nAliases:\n  use-context, use\n"),
            ("top node", "\nAliases:\n  node, nodes, no\n"),
        ] {
            let text = help(path);
            assert!(text.contains(part), "{path}: {text}");
        }
        assert!(global_options(&root).contains("    --request-timeout='0':\n"));
    }

    #[test]
    fn the_programs_help_lists_every_command_in_its_group() {
        let root = Cli::command();
        let text = of(&root, "ctl", &[]);
        for command in root.get_subcommands().filter(|c| !c.is_hide_set()) {
            assert!(
                text.contains(&format!("\n  {} ", command.get_name())),
                "{text}"
            );
        }
        assert!(
            text.contains("Basic Commands (Beginner):\n  create "),
            "{text}"
        );
        assert!(global_options(&root).contains("    -n, --namespace='':\n"));
    }
}
