//! `ctl auth can-i`.

use std::process::ExitCode;

use clap::Args;

use crate::api::json::{Value, json};
use crate::cli::commands::Outcome;
use crate::cli::context::Context;
use crate::cli::error::{CliError, FAILURE};
use crate::cli::resource::Kinds;
use crate::cluster::{Cluster, Place};
use crate::kinds::{self, Kind};
use crate::print::describe::rule_rows;
use crate::print::tabwriter::TABLE;

/// The known verbs on resources.
const VERBS: &[&str] = &[
    "get",
    "list",
    "watch",
    "create",
    "update",
    "patch",
    "delete",
    "deletecollection",
    "use",
    "bind",
    "impersonate",
    "*",
    "approve",
    "sign",
    "escalate",
    "attest",
];

/// The known verbs on paths.
const PATH_VERBS: &[&str] = &[
    "get", "put", "post", "head", "options", "delete", "patch", "*",
];

/// Check whether an action is allowed
///
/// Examples:
///   ctl auth can-i create pods --all-namespaces
///   ctl auth can-i list pods --as=system:serviceaccount:dev:robot -n prod
///   ctl auth can-i get pods --subresource=log
///   ctl auth can-i get /healthz
///   ctl auth can-i --list
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(super) struct CanIArgs {
    /// VERB and TYPE, TYPE/NAME or a path
    words: Vec<String>,
    /// Check the action in all namespaces
    #[arg(short = 'A', long)]
    all_namespaces: bool,
    /// Print nothing and return the result as the exit code
    #[arg(short, long)]
    quiet: bool,
    /// Subresource, such as log or scale
    #[arg(long, value_name = "NAME", default_value = "")]
    subresource: String,
    /// List all allowed actions
    #[arg(long)]
    list: bool,
    /// Do not print headers, with --list
    #[arg(long)]
    no_headers: bool,
}

/// The action to check.
#[derive(Debug, Default)]
struct AccessQuery {
    group: String,
    resource: String,
    name: String,
    path: String,
    kind: Option<&'static Kind>,
}

pub(super) fn run(args: &CanIArgs, context: &Context) -> Outcome {
    if args.list {
        return list(args, context);
    }
    let [verb, what] = args.words.as_slice() else {
        let program = &context.program;
        return Err(CliError::text(format!(
            "you must specify two arguments: verb resource or verb resource/resourceName.\n\
             See '{program} auth can-i -h' for help and examples."
        )));
    };
    let cluster = context.api()?;
    let asked = asked(what, &cluster, context)?;
    check(args, verb, &asked, context)?;
    // An empty namespace in an access review means all namespaces.
    let namespace = match args.all_namespaces {
        true => String::new(),
        false => context.namespace()?,
    };
    let spec = match asked.path.as_str() {
        "" => json!({"resourceAttributes": {
            "namespace": namespace, "verb": verb, "group": asked.group,
            "resource": asked.resource, "subresource": args.subresource, "name": asked.name,
        }}),
        path => json!({"nonResourceAttributes": {"verb": verb, "path": path}}),
    };
    // An unknown verb or resource is still reviewed, because a rule with `*` may allow it.
    let review = review(&cluster, "SelfSubjectAccessReview", &spec, context)?;
    let allowed = review["status"]["allowed"] == true;
    if !args.quiet {
        let said = match review["status"]["reason"].as_str() {
            // The reason names the rule that allowed the action; kubectl prints it only for a "no".
            _ if allowed => "yes".to_owned(),
            Some(reason) if !reason.is_empty() => format!("no - {reason}"),
            _ => "no".to_owned(),
        };
        context.ui.line(said)?;
    }
    match allowed {
        true => Ok(ExitCode::SUCCESS),
        // The "no" is already on standard output, so kubectl exits with 1 and prints no error.
        false => Err(CliError::Exit(FAILURE)),
    }
}

/// Creates a review and returns the server's response.
fn review(
    cluster: &Cluster,
    kind: &str,
    spec: &Value,
    context: &Context,
) -> Result<Value, CliError> {
    let group = "authorization.k8s.io";
    let kind = kinds::find(group, "v1", kind)
        .ok_or_else(|| CliError::text(format!("there is no kind {kind:?}")))?;
    let object = json!({"apiVersion": kind.api_version(), "kind": kind.kind, "spec": spec});
    Ok(cluster
        .rights()
        .review(&Place::new(kind, ""), &object, &context.user())?)
}

fn asked(what: &str, cluster: &Cluster, context: &Context) -> Result<AccessQuery, CliError> {
    if what.starts_with('/') {
        return Ok(AccessQuery {
            path: what.to_owned(),
            ..AccessQuery::default()
        });
    }
    let (word, name) = what.split_once('/').unwrap_or((what, ""));
    let mut asked = AccessQuery {
        resource: word.to_owned(),
        name: name.to_owned(),
        ..AccessQuery::default()
    };
    // `*` means all resources in a review, and discovery has no such type.
    if word == "*" {
        return Ok(asked);
    }
    let lower = word.to_lowercase();
    let kinds = Kinds::from_cluster(Some(cluster))?;
    if let Ok(kind) = kinds.find(&lower) {
        kind.group.clone_into(&mut asked.group);
        kind.plural.clone_into(&mut asked.resource);
        asked.kind = Some(kind);
    // Users and groups are no API resources, but they are targets of the verb `impersonate`.
    } else if !["users", "groups"].contains(&lower.as_str()) {
        warn(
            context,
            &match lower.split_once('.') {
                Some((resource, group)) => format!(
                    "the server doesn't have a resource type '{resource}' in group '{group}'"
                ),
                None => format!("the server doesn't have a resource type '{lower}'"),
            },
        );
        kinds.hint(&lower).iter().for_each(|h| context.ui.hint(h));
    }
    Ok(asked)
}

fn check(
    args: &CanIArgs,
    verb: &str,
    asked: &AccessQuery,
    context: &Context,
) -> Result<(), CliError> {
    let unknown = || warn(context, &format!("verb '{verb}' is not a known verb"));
    if !asked.path.is_empty() {
        if !args.subresource.is_empty() {
            let text = "--subresource can not be used with NonResourceURL";
            return Err(CliError::text(text));
        }
        if !PATH_VERBS.contains(&verb) {
            unknown();
        }
    // kubectl skips both warnings with `-A`.
    } else if !args.all_namespaces {
        if let Some(kind) = asked.kind.filter(|kind| !kind.namespaced) {
            let (resource, group) = (kind.plural, kind.group);
            let mut text = format!("resource '{resource}' is not namespace scoped");
            if !group.is_empty() {
                text.push_str(&format!(" in group '{group}'"));
            }
            warn(context, &text);
        }
        if !VERBS.contains(&verb) {
            unknown();
        }
    }
    match args.no_headers {
        // kubectl validates this flag last, after it has printed the warnings.
        true => Err(CliError::text(
            "--no-headers cannot be set without --list specified",
        )),
        false => Ok(()),
    }
}

/// Prints a warning with the empty line that kubectl prints after it.
fn warn(context: &Context, text: &str) {
    context.ui.note(&format!("Warning: {text}\n"));
}

fn list(args: &CanIArgs, context: &Context) -> Outcome {
    if !args.words.is_empty() {
        let text = "list option must be specified with no arguments";
        return Err(CliError::text(text));
    }
    // The double negation is kubectl's text.
    if args.quiet || args.all_namespaces || !args.subresource.is_empty() {
        let text = "list option can't be specified with neither quiet, all-namespaces nor \
                    subresource options";
        return Err(CliError::text(text));
    }
    let cluster = context.api()?;
    let spec = json!({"namespace": context.namespace()?});
    let review = review(&cluster, "SelfSubjectRulesReview", &spec, context)?;
    let status = &review["status"];
    let rules = ["resourceRules", "nonResourceRules"]
        .iter()
        .flat_map(|name| status[name].as_array().into_iter().flatten().cloned());
    let mut text = String::new();
    if !args.no_headers {
        text.push_str("Resources\tNon-Resource URLs\tResource Names\tVerbs\n");
    }
    for row in rule_rows(&rules.collect::<Vec<_>>()) {
        text.push_str(&row.join("\t"));
        text.push('\n');
    }
    context.ui.out(&TABLE.apply(&text))?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    fn shell() -> Shell {
        let shell = Shell::new();
        shell.all(&[
            "create role reader --verb=get,list --resource=pods,pods/log",
            "create rolebinding reads --role=reader --user=ann",
        ]);
        shell
    }

    #[test]
    fn can_i_prints_yes_or_no_with_exit_code() {
        let shell = shell();
        assert_eq!(shell.out("auth can-i create deployments"), "yes\n");
        assert_eq!(shell.out("auth can-i get pods --as=ann"), "yes\n");
        assert_eq!(
            shell.out("auth can-i get pods/web --as=ann --subresource=log"),
            "yes\n"
        );
        for line in [
            "auth can-i delete pods --as=ann",
            "auth can-i get pods --as=ann -n kube-system",
            "auth can-i get pods --as=ann -A",
            "auth can-i get /metrics --as=ann",
        ] {
            let said = shell.run(line);
            assert_eq!(
                (said.code, said.out.as_str(), said.err.as_str()),
                (1, "no\n", ""),
                "{line}"
            );
        }
        let _ = shell.out("create clusterrolebinding lost --clusterrole=gone --user=ann");
        assert_eq!(
            shell.run("auth can-i delete pods --as=ann").out,
            "no - RBAC: clusterrole.rbac.authorization.k8s.io \"gone\" not found\n"
        );
        let said = shell.run("auth can-i delete pods --as=ann --quiet");
        assert_eq!((said.code, said.out.as_str()), (1, ""));
        assert_eq!(shell.out("auth can-i get pods --quiet"), "");
    }

    #[test]
    fn unknown_verb_or_resource_warns_and_is_still_checked() {
        let shell = shell();
        for (question, warning) in [
            ("fly pods", "verb 'fly' is not a known verb"),
            ("list get", "the server doesn't have a resource type 'get'"),
            (
                "get rockets.moon.io",
                "the server doesn't have a resource type 'rockets' in group 'moon.io'",
            ),
            ("get nodes", "resource 'nodes' is not namespace scoped"),
            (
                "get clusterroles",
                "resource 'clusterroles' is not namespace scoped in group 'rbac.authorization.k8s.io'",
            ),
            ("list /healthz", "verb 'list' is not a known verb"),
        ] {
            let said = shell.run(&format!("auth can-i {question}"));
            assert_eq!((said.code, said.out.as_str()), (0, "yes\n"), "{question}");
            assert_eq!(said.err, format!("Warning: {warning}\n\n"), "{question}");
        }
        assert_eq!(shell.out("auth can-i get nodes -A"), "yes\n");
    }

    #[test]
    fn the_list_shows_each_rule_in_a_row() {
        let shell = shell();
        let out = shell.out("auth can-i --list --as=ann");
        assert!(out.starts_with("Resources "), "{out}");
        assert!(
            out.lines().any(|l| l
                .split_whitespace()
                .eq(["pods/log", "[]", "[]", "[get", "list]"])),
            "{out}"
        );
        assert!(
            !shell
                .out("auth can-i --list --no-headers")
                .contains("Non-Resource")
        );
    }

    #[test]
    fn flags_that_make_no_sense_together_are_refused() {
        let shell = shell();
        let two = "you must specify two arguments: verb resource or verb resource/resourceName.\n\
                   See 'kubectl auth can-i -h' for help and examples.";
        let list = "list option can't be specified with neither quiet, all-namespaces nor subresource options";
        shell.refuses(&[
            ("auth can-i", two),
            ("auth can-i get", two),
            (
                "auth can-i --list get pods",
                "list option must be specified with no arguments",
            ),
            ("auth can-i --list -A", list),
            ("auth can-i --list -q", list),
            (
                "auth can-i get pods --no-headers",
                "--no-headers cannot be set without --list specified",
            ),
            (
                "auth can-i get /healthz --subresource=log",
                "--subresource can not be used with NonResourceURL",
            ),
        ]);
    }
}
