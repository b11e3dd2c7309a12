//! The groups of commands in kubectl's help. Must not know: which of the commands exist here.

/// kubectl's groups of commands. The program's help lists other commands after them.
pub(super) const GROUPS: &[(&str, &[&str])] = &[
    (
        "Basic Commands (Beginner)",
        &["create", "expose", "run", "set"],
    ),
    (
        "Basic Commands (Intermediate)",
        &["explain", "get", "edit", "delete"],
    ),
    ("Deploy Commands", &["rollout", "scale", "autoscale"]),
    (
        "Cluster Management Commands",
        &[
            "certificate",
            "cluster-info",
            "top",
            "cordon",
            "uncordon",
            "drain",
            "taint",
        ],
    ),
    (
        "Troubleshooting and Debugging Commands",
        &[
            "describe",
            "logs",
            "attach",
            "exec",
            "port-forward",
            "proxy",
            "cp",
            "auth",
            "debug",
            "events",
        ],
    ),
    (
        "Advanced Commands",
        &["diff", "apply", "patch", "replace", "wait", "kustomize"],
    ),
    ("Settings Commands", &["label", "annotate", "completion"]),
    (
        "Other Commands",
        &[
            "api-resources",
            "api-versions",
            "config",
            "kuberc",
            "plugin",
            "version",
        ],
    ),
];

/// Returns kubectl's commands in the order of its help.
pub(super) fn kubectl_commands() -> impl Iterator<Item = &'static str> {
    GROUPS.iter().flat_map(|(_, names)| names.iter().copied())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::args::Cli;

    #[test]
    fn every_command_of_the_groups_exists() {
        let root = Cli::command();
        for name in kubectl_commands() {
            assert!(root.find_subcommand(name).is_some(), "{name}");
        }
    }
}
