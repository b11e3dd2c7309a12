//! The words and flag values that complete a command.

use clap::Arg;

use super::Completions;
use super::live::Live;
use crate::cli::flags::PartialCommandLine;

/// The kind of words that a command takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    /// A type and then names of its objects; an empty list stands for any type.
    Type(&'static [&'static str]),
    /// Names of one type, or `TYPE/NAME` with a type in the list.
    Name(&'static str, &'static [&'static str]),
    /// A type without names.
    TypeAlone,
    /// Contexts, clusters or users in the kubeconfig.
    Config(&'static str),
    /// One of these words.
    One(&'static [&'static str]),
    /// One of these words, followed by a type.
    VerbAndType(&'static [&'static str]),
}

/// The types whose objects have Pods.
const WITH_PODS: &[&str] = &[
    "deployments",
    "daemonsets",
    "statefulsets",
    "replicasets",
    "jobs",
    "services",
];

// These have kubectl's words and order.
const EXPOSED: &[&str] = &[
    "pod",
    "service",
    "replicationcontroller",
    "deployment",
    "replicaset",
];

const ROLLED: &[&str] = &["deployment", "daemonset", "statefulset"];

const PAUSED: &[&str] = &["deployment"];

const SCALED: &[&str] = &[
    "deployment",
    "replicaset",
    "replicationcontroller",
    "statefulset",
];

const VERBS: &[&str] = &[
    "create",
    "delete",
    "deletecollection",
    "get",
    "list",
    "patch",
    "update",
    "watch",
];

/// The commands that take words, with the kind of those words.
const COMMANDS: &[(&str, Word)] = &[
    ("annotate", Word::Type(&[])),
    ("assert", Word::Type(&[])),
    ("attach", Word::Name("pods", WITH_PODS)),
    ("auth can-i", Word::VerbAndType(VERBS)),
    ("autoscale", Word::Type(SCALED)),
    ("certificate", Word::Name("certificatesigningrequests", &[])),
    (
        "completion",
        Word::One(&["bash", "fish", "powershell", "zsh"]),
    ),
    ("config delete-cluster", Word::Config("clusters")),
    ("config delete-context", Word::Config("contexts")),
    ("config delete-user", Word::Config("users")),
    ("config get-contexts", Word::Config("contexts")),
    ("config rename-context", Word::Config("contexts")),
    ("config set-cluster", Word::Config("clusters")),
    ("config set-context", Word::Config("contexts")),
    ("config set-credentials", Word::Config("users")),
    ("config use-context", Word::Config("contexts")),
    ("blame", Word::Type(&[])),
    ("cordon", Word::Name("nodes", &[])),
    ("create token", Word::Name("serviceaccounts", &[])),
    ("delete", Word::Type(&[])),
    ("describe", Word::Type(&[])),
    ("drain", Word::Name("nodes", &[])),
    ("edit", Word::Type(&[])),
    ("exec", Word::Name("pods", WITH_PODS)),
    ("explain", Word::TypeAlone),
    ("expose", Word::Type(EXPOSED)),
    ("get", Word::Type(&[])),
    ("label", Word::Type(&[])),
    ("log", Word::Type(&[])),
    ("logs", Word::Name("pods", WITH_PODS)),
    ("patch", Word::Type(&[])),
    ("plot", Word::Type(&[])),
    ("render", Word::Type(&[])),
    ("rollout", Word::Type(ROLLED)),
    ("rollout pause", Word::Type(PAUSED)),
    ("rollout resume", Word::Type(PAUSED)),
    ("port-forward", Word::Name("pods", WITH_PODS)),
    ("scale", Word::Type(SCALED)),
    ("set", Word::Type(&[])),
    ("taint", Word::Type(&["node"])),
    ("top node", Word::Name("nodes", &[])),
    ("top pod", Word::Name("pods", &[])),
    ("tree", Word::Type(&[])),
    ("ui", Word::Type(&[])),
    ("uncordon", Word::Name("nodes", &[])),
    ("wait", Word::Type(&[])),
    ("why", Word::Type(&[])),
];

/// Returns the candidates for the next word.
pub(super) fn word(
    command_line: &PartialCommandLine<'_>,
    live: &Live,
    partial: &str,
) -> Completions {
    let path = command_line.path.join(" ");
    let group = command_line.path.first().map_or("", String::as_str);
    let of = |wanted: &str| COMMANDS.iter().find(|(name, _)| *name == wanted);
    // The commands of most groups, such as `rollout`, take the same words.
    let Some((_, word)) = of(&path).or_else(|| of(group)) else {
        return Completions::files();
    };
    if command_line
        .stages
        .last()
        .is_some_and(|c| c.get_positionals().next().is_none())
    {
        return Completions::nothing();
    }
    let words = &command_line.words;
    match (*word, words.as_slice()) {
        (Word::Type(_), [first, ..]) if !first.contains('/') && !partial.contains('/') => {
            // Only names of the type make sense after it.
            names(live, first, words)
        }
        (Word::Type(only), _) => type_or_pair(live, only, words, partial),
        (Word::Name(kind, _), _) if !partial.contains('/') => names(live, kind, words),
        (Word::Name(_, others), _) => type_or_pair(live, others, words, partial),
        (Word::TypeAlone, []) => types(live, &[]),
        (Word::Config(list), []) => Completions::plain(live.configured(list)),
        (Word::One(all), []) => Completions::plain(all.iter().copied()),
        (Word::VerbAndType(verbs), []) => Completions::plain(verbs.iter().copied()),
        (Word::VerbAndType(_), [_]) => types(live, &[]),
        _ => Completions::nothing(),
    }
}

/// Returns the names of a type's objects that are not on the line yet.
fn names(live: &Live, kind: &str, words: &[String]) -> Completions {
    // Repeating a name would be an error or have no effect.
    let fresh = |name: &String| !words.contains(name);
    Completions::plain(live.names(kind).into_iter().filter(fresh))
}

fn types(live: &Live, only: &[&str]) -> Completions {
    match only {
        [] => Completions::plain(live.types()),
        // A fixed list needs no cluster.
        only => Completions::plain(only.iter().copied()),
    }
}

/// Completes a type, several types separated by commas, or `TYPE/NAME`.
fn type_or_pair(live: &Live, only: &[&str], words: &[String], partial: &str) -> Completions {
    if let Some((kind, _)) = partial.split_once('/') {
        return names(live, kind, &[]).behind(&format!("{kind}/"));
    }
    let all = types(live, only);
    if words.iter().any(|word| word.contains('/')) {
        // After a `TYPE/NAME`, kubectl accepts only more pairs, and a space would end the word too early.
        let mut pairs = all.without_space();
        pairs
            .candidates
            .iter_mut()
            .for_each(|(text, _)| text.push('/'));
        return pairs;
    }
    match partial.rsplit_once(',') {
        // The shell replaces the whole word, so the types before the comma are repeated.
        Some((before, _)) => all.behind(&format!("{before},")),
        None => all,
    }
}

/// Returns the candidates for the value of a flag.
pub(super) fn value(command_line: &PartialCommandLine<'_>, live: &Live, flag: &Arg) -> Completions {
    // Values that clap knows need no entry in the table below.
    let possible = flag.get_possible_values();
    if !possible.is_empty() {
        let name = |value: &clap::builder::PossibleValue| value.get_name().to_owned();
        return Completions::plain(possible.iter().map(name));
    }
    let command = command_line.path.first().map_or("", String::as_str);
    let fixed: &[&str] = match (flag.get_long().unwrap_or_default(), command) {
        ("namespace", _) => return Completions::plain(live.names("namespaces")),
        ("context" | "cluster" | "user", _) if flag.is_global_set() => {
            let list = format!("{}s", flag.get_long().unwrap_or_default());
            return Completions::plain(live.configured(&list));
        }
        ("container", _) => return Completions::plain(live.containers(&command_line.words)),
        ("serviceaccount", _) => return Completions::plain(live.names("serviceaccounts")),
        ("output", "get") => &[
            "json",
            "yaml",
            "kyaml",
            "name",
            "go-template",
            "go-template-file",
            "template",
            "templatefile",
            "jsonpath",
            "jsonpath-as-json",
            "jsonpath-file",
            "custom-columns",
            "custom-columns-file",
            "wide",
        ],
        ("metric", "plot") => &["cpu", "desired", "memory", "ready", "total"],
        ("output", "plot") => &["svg"],
        ("output", "tree") => &["dot", "json", "mermaid", "svg"],
        ("output", "delete") => &["name"],
        ("output", "version") => &["json", "yaml"],
        ("output", _) => &["json", "kyaml", "name", "yaml"],
        ("dry-run", _) => &["client", "none", "server"],
        ("cascade", _) => &["background", "foreground", "orphan"],
        ("validate", _) => &["ignore", "strict", "warn"],
        ("type", "patch") => &["json", "merge", "strategic"],
        ("subresource", _) => &["resize", "scale", "status"],
        ("for", _) => &["condition=", "create", "delete", "jsonpath="],
        _ => {
            let values = flag.get_value_names().unwrap_or_default();
            let files = ["FILE", "DIR", "SOURCE"];
            return match values.iter().any(|name| files.contains(&name.as_str())) {
                true => Completions::files(),
                false => Completions::nothing(),
            };
        }
    };
    Completions::plain(fixed.iter().copied())
}

/// Returns the names of the commands in the table.
#[cfg(test)]
pub(super) fn commands() -> impl Iterator<Item = (&'static str, ())> {
    COMMANDS.iter().map(|(name, _)| (*name, ()))
}
