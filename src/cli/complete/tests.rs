use clap::CommandFactory as _;

use super::*;
use crate::cli::args::Cli;

/// Returns the completions of an unfinished line, without a cluster.
fn complete(line: &str) -> (Vec<String>, u8) {
    let root = Cli::command();
    let mut words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
    let partial = words.pop().unwrap().to_string_lossy().into_owned();
    let mut args = vec![OsString::from("--state=/nowhere/at/all")];
    args.extend(words);
    let command_line = PartialCommandLine::at(&root, &args);
    let answer = answer(&command_line, &Live::new(&command_line, "ctl"), &partial);
    let text = text(&answer, &partial, false);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.pop();
    (lines, answer.directive)
}

#[test]
fn commands_flags_and_values_are_known_without_a_cluster() {
    let words = |line: &str| complete(line).0;
    assert_eq!(words("api-v"), ["api-versions"]);
    assert!(words("").contains(&"get".to_owned()));
    assert_eq!(words("config use"), ["use-context"]);
    assert_eq!(words("get --watch-"), ["--watch-only"]);
    assert!(words("get -").contains(&"--namespace".to_owned()));
    assert_eq!(
        words("get -o js"),
        ["json", "jsonpath", "jsonpath-as-json", "jsonpath-file"]
    );
    assert_eq!(
        words("create cm x --dry-run="),
        ["--dry-run=client", "--dry-run=none", "--dry-run=server"]
    );
    assert_eq!(words("completion f"), ["fish"]);
    assert_eq!(words("rollout status d"), ["deployment", "daemonset"]);
    assert_eq!(words("rollout pause "), ["deployment"]);
    assert_eq!(words("get deploym"), ["deployments.apps"]);
    assert_eq!(words("get pods,deploym"), ["pods,deployments.apps"]);
    assert_eq!(
        words("get po"),
        ["pods", "podtemplates", "poddisruptionbudgets.policy"]
    );
    assert_eq!(
        directives(0),
        "Completion ended with directive: ShellCompDirectiveDefault"
    );
    assert_eq!(
        directives(NO_FILES | NO_SPACE),
        "Completion ended with directive: ShellCompDirectiveNoSpace, ShellCompDirectiveNoFileComp"
    );
    assert_eq!(words("--color al"), ["always"]);
}

#[test]
fn file_names_are_for_flags_that_name_files() {
    assert_eq!(complete("apply -f "), (Vec::new(), 0));
    assert_eq!(complete("get pods -l "), (Vec::new(), NO_FILES));
    assert_eq!(complete("get pods x"), (Vec::new(), NO_FILES));
}

#[test]
fn second_resource_pair_is_completed_with_a_slash() {
    let (words, directive) = complete("delete pods/a deploym");
    assert_eq!(words, ["deployments.apps/"]);
    assert_eq!(directive, NO_FILES | NO_SPACE);
}

#[test]
fn every_command_with_completions_exists() {
    let root = Cli::command();
    for (path, _) in super::words::commands() {
        let mut command = &root;
        for name in path.split(' ') {
            command = command
                .find_subcommand(name)
                .unwrap_or_else(|| panic!("{path}"));
        }
    }
}
