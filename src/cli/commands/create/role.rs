//! `ctl create role` and `ctl create clusterrole`.

use clap::Args;

use super::common::{NewArgs, name, require};
use crate::api::json::{Value, json};
use crate::cli::commands::Outcome;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::flags::StringMap;
use crate::cli::resource::Kinds;

// kubectl's `validResourceVerbs`. Other verbs only cause a warning, because other components define their own.
const VERBS: [&str; 14] = [
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
];
const URL_VERBS: [&str; 8] = [
    "*", "get", "post", "put", "delete", "patch", "head", "options",
];

/// The verbs that only some resources have.
const SPECIAL: [(&str, &[(&str, &str)]); 4] = [
    // Kubernetes no longer has these kinds.
    (
        "use",
        &[
            ("policy", "podsecuritypolicies"),
            ("extensions", "podsecuritypolicies"),
        ],
    ),
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

/// Create a Role
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

/// Create a ClusterRole
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
    /// Non-resource URL paths that the role applies to
    #[arg(long, value_name = "PATH", value_delimiter = ',')]
    non_resource_url: Vec<String>,
    /// Label selector of the roles to aggregate: KEY=VALUE
    #[arg(long, value_name = "LABELS")]
    aggregation_rule: Vec<StringMap>,
    #[command(flatten)]
    new: NewArgs,
}

#[derive(Args, Debug)]
struct RuleArgs {
    /// Verbs that the role allows
    #[arg(long, value_name = "VERB", value_delimiter = ',')]
    verb: Vec<String>,
    /// Resources that the role applies to: RESOURCE, RESOURCE.GROUP or RESOURCE/SUBRESOURCE
    #[arg(long, value_name = "RESOURCE", value_delimiter = ',')]
    resource: Vec<String>,
    /// Restrict the role to the resource with this name
    #[arg(long, value_name = "NAME")]
    resource_name: Vec<String>,
}

pub(super) fn run(args: &RoleArgs, context: &Context) -> Outcome {
    let name = name(&args.words, context)?;
    args.new.check()?;
    require(name)?;
    let verbs = verbs(&args.rule.verb);
    if verbs.is_empty() {
        return Err(CliError::text("at least one verb must be specified"));
    }
    tell_odd(&verbs, context);
    // As in kubectl, resources are checked after the verbs, so that the warning comes first.
    if args.rule.resource.is_empty() {
        return Err(CliError::text("at least one resource must be specified"));
    }
    let rules = args.rule.rules(&verbs, context)?;
    args.new
        .create(role("Role", name, json!(rules)), "", context)
}

pub(super) fn run_cluster(args: &ClusterroleArgs, context: &Context) -> Outcome {
    let (name, rule) = (name(&args.words, context)?, &args.rule);
    args.new.check()?;
    require(name)?;
    let (verbs, urls) = (verbs(&rule.verb), &args.non_resource_url);
    let aggregated = StringMap::joined(&args.aggregation_rule);
    if !aggregated.is_empty() {
        let others = [&verbs, &rule.resource, &rule.resource_name, urls];
        // The controller overwrites the rules of an aggregated role, so rules next to the selector would be lost.
        if others.iter().any(|list| !list.is_empty()) {
            return Err(CliError::text(
                "aggregation rule must be specified without nonResourceURLs, verbs, resources or \
                 resourceNames",
            ));
        }
        let mut object = role("ClusterRole", name, Value::Null);
        object["aggregationRule"] = json!({"clusterRoleSelectors": [{"matchLabels": aggregated}]});
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
        false => {
            tell_odd(&verbs, context);
            rule.rules(&verbs, context)?
        }
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

/// Returns each verb once; a star replaces all others.
fn verbs(given: &[String]) -> Vec<String> {
    if given.iter().any(|v| v == "*") {
        // RBAC treats a star as all verbs, so the others would have no effect.
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

/// Warns about verbs that are not Kubernetes' own.
fn tell_odd(verbs: &[String], context: &Context) {
    for verb in verbs.iter().filter(|v| !VERBS.contains(&v.as_str())) {
        let text = format!("'{verb}' is not a standard resource verb");
        context.ui.warn(&text);
    }
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
        // The RBAC authorizer treats a trailing star as a wildcard; anywhere else a star is a literal character.
        if url.strip_suffix('*').unwrap_or(url).contains('*') {
            return Err(CliError::text(
                "nonResourceURL only supports wildcard matches when '*' is at the end",
            ));
        }
    }
    Ok(())
}

impl RuleArgs {
    /// Returns the rules, one for each API group.
    fn rules(&self, verbs: &[String], context: &Context) -> Result<Vec<Value>, CliError> {
        let kinds = Kinds::from_cluster(context.api_if_exists()?.as_ref())?;
        let mut groups: Vec<(String, Vec<String>)> = Vec::new();
        // kubectl drops the other resources next to a star, which stands for the core group only.
        let all = self.resource.iter().any(|r| r == "*");
        let star = ["*".to_owned()];
        let mut checked = true;
        for text in if all { &star[..] } else { &self.resource } {
            // As in kubectl, a star ends the checks of the resources.
            checked = checked && text.split(['.', '/']).next() != Some("*");
            let (group, resource) = resolved(text, checked.then_some(verbs), &kinds)?;
            match groups.iter_mut().find(|(g, _)| *g == group) {
                Some((_, resources)) if resources.contains(&resource) => {}
                Some((_, resources)) => resources.push(resource),
                None => groups.push((group, vec![resource])),
            }
        }
        // kubectl sorts the groups, because its map has no order, so the rules are reproducible.
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

/// Resolves an argument to a group and a resource, and checks it for the verbs, if any are given.
fn resolved(
    text: &str,
    verbs: Option<&[String]>,
    kinds: &Kinds,
) -> Result<(String, String), CliError> {
    let (word, sub) = text.split_once('/').map_or((text, ""), |(w, s)| (w, s));
    let (plain, group) = word.split_once('.').unwrap_or((word, ""));
    if plain.is_empty() && verbs.is_some() {
        let text = "resource must be specified if apiGroup/subresource specified";
        return Err(CliError::text(text));
    }
    // A short name or a singular becomes the plural, the only form that authorization compares.
    let found = kinds.find_in_group(word);
    let (group, resource) = match &found {
        Ok(kind) => (kind.group, kind.plural),
        Err(_) => (group, plain),
    };
    let mut known = verbs.is_none();
    for verb in verbs.unwrap_or_default() {
        let Some((_, resources)) = SPECIAL.iter().find(|(special, _)| special == verb) else {
            continue;
        };
        if !resources.contains(&(group, resource)) {
            return Err(CliError::text(format!(
                "can not perform '{verb}' on '{resource}' in group '{group}'"
            )));
        }
        // Users and groups are not kinds, but they are valid for `impersonate`.
        known = true;
    }
    let resource = match sub {
        "" => resource.to_owned(),
        sub => format!("{resource}/{sub}"),
    };
    let group = group.to_owned();
    match (known, found) {
        (false, Err(unknown)) => Err(unknown),
        _ => Ok((group, resource)),
    }
}

#[cfg(test)]
mod tests {
    use crate::api::json::json;
    use crate::cli::testing::Shell;

    #[test]
    fn role_has_one_rule_per_group_with_resource_plurals() {
        let shell = Shell::new();
        let made = shell.made(
            "create role reader --verb=get,list --verb=get --resource=po,deploy,rs.apps,pods/log,pods \
             --resource-name=a --resource-name=b --resource-name=a",
        );
        let rule = |group: &str, resources: &[&str]| json!({"apiGroups": [group], "resourceNames": ["a", "b"], "resources": resources, "verbs": ["get", "list"]});
        assert_eq!(
            made["rules"],
            json!([
                rule("", &["pods", "pods/log"]),
                rule("apps", &["deployments", "replicasets"])
            ])
        );
        let made = shell.made("create role all --verb=use --resource=*.apps,secrets,,odd");
        let rules = made["rules"].as_array().unwrap();
        assert_eq!(rules[0]["resources"], json!(["secrets", "", "odd"]));
        assert_eq!(rules[1]["resources"], json!(["*"]));
        let made = shell.made("create role all --verb=get,*,list --resource=pods,*");
        assert_eq!(
            made["rules"],
            json!([{"apiGroups": [""], "resources": ["*"], "verbs": ["*"]}])
        );
    }

    #[test]
    fn a_group_that_does_not_have_the_resource_is_named() {
        let shell = Shell::new();
        let refused = |resource: &str| {
            shell.fails(&format!("create role r --verb=get --resource={resource}"))
        };
        let text = "the server doesn't have a resource type \"deployments\"";
        assert_eq!(
            refused("deployments.batch"),
            format!("{text} in group \"batch\"")
        );
        assert_eq!(
            refused("deployments.v1.apps"),
            format!("{text} in group \"v1.apps\"")
        );
        assert_eq!(
            refused("nopes"),
            "the server doesn't have a resource type \"nopes\""
        );
    }

    #[test]
    fn clusterrole_accepts_non_resource_urls_and_aggregation() {
        let shell = Shell::new();
        let made = shell.made(
            "create clusterrole logs --verb=get --resource=nodes --non-resource-url=/logs/*,/x",
        );
        assert_eq!(
            made["rules"][1],
            json!({"nonResourceURLs": ["/logs/*", "/x"], "verbs": ["get"]})
        );
        let made = shell
            .made("create clusterrole sum --aggregation-rule=a=b,,c=' d' --aggregation-rule=f=1=2");
        assert_eq!(made["rules"], json!(null));
        assert_eq!(
            made["aggregationRule"],
            json!({"clusterRoleSelectors": [{"matchLabels": {"a": "b", "c": "d", "f": "1=2"}}]})
        );
    }

    #[test]
    fn nonstandard_verb_prints_a_warning() {
        let shell = Shell::new();
        let said = shell.run("create role r --verb=fly --resource=pods");
        assert_eq!(said.code, 0);
        assert_eq!(said.err, "Warning: 'fly' is not a standard resource verb\n");
        let said = shell.run("create role r --verb=fly");
        assert_eq!(
            said.err,
            "Warning: 'fly' is not a standard resource verb\nerror: at least one resource must be specified\n"
        );
    }

    #[test]
    fn invalid_rules_are_rejected() {
        let shell = Shell::new();
        let role = |flags: &str| format!("create role r {flags}");
        let cluster = |flags: &str| format!("create clusterrole r {flags}");
        for (line, why) in [
            (
                role("--resource=pods"),
                "at least one verb must be specified",
            ),
            (
                role("--verb=get --resource=.apps"),
                "resource must be specified if apiGroup/subresource specified",
            ),
            (
                role("--verb=bind --resource=pods"),
                "can not perform 'bind' on 'pods' in group ''",
            ),
            (
                role("--verb=bind,impersonate --resource=roles"),
                "can not perform 'impersonate' on 'roles' in group 'rbac.authorization.k8s.io'",
            ),
            (
                role("--verb=bind,use --resource=roles.rbac.authorization.k8s.io"),
                "can not perform 'use' on 'roles' in group 'rbac.authorization.k8s.io'",
            ),
            (
                cluster("--aggregation-rule="),
                "at least one verb must be specified",
            ),
            (
                cluster("--aggregation-rule=a=b,c"),
                "invalid argument \"a=b,c\" for \"--aggregation-rule\" flag: malformed pair, expect string=string\n\
                 See 'kubectl create clusterrole --help' for usage.",
            ),
            (
                cluster("--verb=get"),
                "one of resource or nonResourceURL must be specified",
            ),
            (
                cluster("--verb=list --non-resource-url=/a"),
                "invalid verb: 'list' for nonResourceURL",
            ),
            (
                cluster("--verb=get --non-resource-url=a"),
                "nonResourceURL should start with /",
            ),
            (
                cluster("--verb=get --non-resource-url=/a*/b"),
                "nonResourceURL only supports wildcard matches when '*' is at the end",
            ),
            (
                cluster("--aggregation-rule=a=b --verb=get"),
                "aggregation rule must be specified without nonResourceURLs, verbs, resources or \
                 resourceNames",
            ),
        ] {
            shell.refuses(&[(&line, why)]);
        }
        let odd = shell.fails("create role r --verb=get --resource=odd");
        assert_eq!(odd, "the server doesn't have a resource type \"odd\"");
        let made = shell.made("create clusterrole r --verb=impersonate --resource=users,groups");
        assert_eq!(made["rules"][0]["resources"], json!(["users", "groups"]));
    }
}
