//! `ctl create role` and `ctl create clusterrole`.

use clap::Args;

use super::new::{NewArgs, name};
use crate::api::json::{Value, json};
use crate::cli::commands::Outcome;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::resource::Kinds;

const VERBS: [&str; 15] = [
    "*",
    "get",
    "delete",
    "list",
    "create",
    "update",
    "patch",
    "watch",
    "proxy",
    "deletecollection",
    "use",
    "bind",
    "escalate",
    "impersonate",
    "approve",
];
const URL_VERBS: [&str; 8] = [
    "*", "get", "post", "put", "delete", "patch", "head", "options",
];

/// Verbs that only some resources know.
const SPECIAL: [(&str, &[(&str, &str)]); 3] = [
    (
        "bind",
        &[
            ("rbac.authorization.k8s.io", "roles"),
            ("rbac.authorization.k8s.io", "clusterroles"),
        ],
    ),
    (
        "escalate",
        &[
            ("rbac.authorization.k8s.io", "roles"),
            ("rbac.authorization.k8s.io", "clusterroles"),
        ],
    ),
    (
        "impersonate",
        &[
            ("", "users"),
            ("", "serviceaccounts"),
            ("", "groups"),
            ("authentication.k8s.io", "userextras"),
        ],
    ),
];

/// Create a role of a namespace
///
/// Example: ctl create role reader --verb=get,list --resource=pods,deployments.apps
#[derive(Args, Debug)]
pub(super) struct RoleArgs {
    /// NAME
    words: Vec<String>,
    #[command(flatten)]
    rule: RuleArgs,
    #[command(flatten)]
    new: NewArgs,
}

/// Create a role of the cluster
///
/// Examples:
///   ctl create clusterrole nodes --verb=get --resource=nodes,nodes/status
///   ctl create clusterrole logs --verb=get --non-resource-url='/logs/*'
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(super) struct ClusterroleArgs {
    /// NAME
    words: Vec<String>,
    #[command(flatten)]
    rule: RuleArgs,
    /// Paths that are no resources
    #[arg(long, value_name = "PATH", value_delimiter = ',')]
    non_resource_url: Vec<String>,
    /// The labels of the roles that it is put together from: KEY=VALUE
    #[arg(long, value_name = "LABELS", value_delimiter = ',')]
    aggregation_rule: Vec<String>,
    #[command(flatten)]
    new: NewArgs,
}

#[derive(Args, Debug)]
struct RuleArgs {
    /// What is allowed
    #[arg(long, value_name = "VERB", value_delimiter = ',')]
    verb: Vec<String>,
    /// On what: RESOURCE, RESOURCE.GROUP or RESOURCE/SUBRESOURCE
    #[arg(long, value_name = "RESOURCE", value_delimiter = ',')]
    resource: Vec<String>,
    /// Only on the one with this name
    #[arg(long, value_name = "NAME")]
    resource_name: Vec<String>,
}

pub(super) fn run(args: &RoleArgs, context: &Context) -> Outcome {
    let name = name(&args.words, context)?;
    let verbs = verbs(&args.rule.verb);
    if verbs.is_empty() {
        return Err(CliError::text("at least one verb must be specified"));
    }
    if args.rule.resource.is_empty() {
        return Err(CliError::text("at least one resource must be specified"));
    }
    let rules = args.rule.rules(&verbs, context)?;
    args.new
        .create(role("Role", name, json!(rules)), "", context)
}

pub(super) fn run_cluster(args: &ClusterroleArgs, context: &Context) -> Outcome {
    let (name, rule) = (name(&args.words, context)?, &args.rule);
    let (verbs, urls) = (verbs(&rule.verb), &args.non_resource_url);
    if !args.aggregation_rule.is_empty() {
        let others = [&verbs, &rule.resource, &rule.resource_name, urls];
        if others.iter().any(|list| !list.is_empty()) {
            return Err(CliError::text(
                "aggregation rule must be specified without nonResourceURLs, verbs, resources or \
                 resourceNames",
            ));
        }
        let mut object = role("ClusterRole", name, Value::Null);
        let labels = aggregated(&args.aggregation_rule)?;
        object["aggregationRule"] = json!({"clusterRoleSelectors": [{"matchLabels": labels}]});
        return args.new.create(object, "", context);
    }
    if verbs.is_empty() {
        return Err(CliError::text("at least one verb must be specified"));
    }
    if rule.resource.is_empty() && urls.is_empty() {
        let text = "one of resource or nonResourceURL must be specified";
        return Err(CliError::text(text));
    }
    let mut rules = match rule.resource.is_empty() {
        true => Vec::new(),
        false => rule.rules(&verbs, context)?,
    };
    if !urls.is_empty() {
        check_urls(&verbs, urls)?;
        rules.push(json!({"verbs": verbs, "nonResourceURLs": urls}));
    }
    args.new
        .create(role("ClusterRole", name, json!(rules)), "", context)
}

fn role(kind: &str, name: &str, rules: Value) -> Value {
    json!({
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": kind,
        "metadata": {"name": name},
        "rules": rules,
    })
}

/// Each verb once; a star stands for all.
fn verbs(given: &[String]) -> Vec<String> {
    if given.iter().any(|v| v == "*") {
        return vec!["*".to_owned()];
    }
    unique(given)
}

fn unique(words: &[String]) -> Vec<String> {
    let mut unique: Vec<String> = Vec::new();
    for word in words {
        if !unique.contains(word) {
            unique.push(word.clone());
        }
    }
    unique
}

fn aggregated(labels: &[String]) -> Result<Value, CliError> {
    let mut map = json!({});
    for label in labels {
        let Some((key, value)) = label.split_once('=') else {
            let text = format!("{label} must be formatted as key=value");
            return Err(CliError::text(text));
        };
        map[key] = json!(value);
    }
    Ok(map)
}

fn check_urls(verbs: &[String], urls: &[String]) -> Result<(), CliError> {
    if let Some(verb) = verbs.iter().find(|v| !URL_VERBS.contains(&v.as_str())) {
        let text = format!("invalid verb: '{verb}' for nonResourceURL");
        return Err(CliError::text(text));
    }
    for url in urls.iter().filter(|url| *url != "*") {
        if !url.starts_with('/') {
            return Err(CliError::text("nonResourceURL should start with /"));
        }
        if url.strip_suffix('*').unwrap_or(url).contains('*') {
            return Err(CliError::text(
                "nonResourceURL only supports wildcard matches when '*' is at the end",
            ));
        }
    }
    Ok(())
}

impl RuleArgs {
    /// The rules, one for each group of resources.
    fn rules(&self, verbs: &[String], context: &Context) -> Result<Vec<Value>, CliError> {
        for verb in verbs.iter().filter(|v| !VERBS.contains(&v.as_str())) {
            context
                .ui
                .warn(&format!("'{verb}' is not a standard resource verb"));
        }
        let kinds = Kinds::of(context.api_if_there()?.as_ref())?;
        let mut groups: Vec<(String, Vec<String>)> = Vec::new();
        let all = self.resource.iter().any(|r| r == "*");
        let star = ["*".to_owned()];
        for text in if all { &star[..] } else { &self.resource } {
            let (group, resource) = resolved(text, verbs, &kinds)?;
            match groups.iter_mut().find(|(g, _)| *g == group) {
                Some((_, resources)) if resources.contains(&resource) => {}
                Some((_, resources)) => resources.push(resource),
                None => groups.push((group, vec![resource])),
            }
        }
        groups.sort();
        let names = unique(&self.resource_name);
        let rule = |(group, resources): (String, Vec<String>)| {
            let mut rule = json!({"apiGroups": [group], "resources": resources, "verbs": verbs});
            if !names.is_empty() {
                rule["resourceNames"] = json!(names);
            }
            rule
        };
        Ok(groups.into_iter().map(rule).collect())
    }
}

/// The group and the resource that a word means.
fn resolved(text: &str, verbs: &[String], kinds: &Kinds) -> Result<(String, String), CliError> {
    let (word, sub) = text.split_once('/').map_or((text, ""), |(w, s)| (w, s));
    let (plain, group) = word.split_once('.').unwrap_or((word, ""));
    if plain.is_empty() {
        let text = "resource must be specified if apiGroup/subresource specified";
        return Err(CliError::text(text));
    }
    let found = kinds.find(word);
    let (group, resource) = match &found {
        Ok(kind) => (kind.group, kind.plural),
        Err(_) => (group, plain),
    };
    let mut known = plain == "*";
    for (verb, resources) in SPECIAL.iter().filter(|(v, _)| verbs.iter().any(|o| o == v)) {
        known = known || resources.contains(&(group, resource));
        if !known {
            return Err(CliError::text(format!(
                "can not perform '{verb}' on '{resource}' in group '{group}'"
            )));
        }
    }
    if let (false, Err(e)) = (known, &found) {
        return Err(CliError::Bare(e.to_string()));
    }
    let resource = match sub {
        "" => resource.to_owned(),
        sub => format!("{resource}/{sub}"),
    };
    Ok((group.to_owned(), resource))
}
