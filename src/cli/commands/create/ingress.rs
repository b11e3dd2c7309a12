//! `ctl create ingress`.

use clap::Args;
use regex::Regex;

use super::common::{NewArgs, name};
use crate::api::json::{Value, json};
use crate::cli::commands::Outcome;
use crate::cli::context::Context;
use crate::cli::error::CliError;

/// Matches the host, path, Service and port of a rule.
const RULE: &str =
    r"^(?-u:(?<host>[\w*\-.]*))(?<path>/.*)=(?-u:(?<service>[\w\-]+):(?<port>[\w\-]+))";

/// Create an Ingress
///
/// Examples:
///   ctl create ingress site --rule='shop.example.com/=web:80'
///   ctl create ingress site --rule='shop.example.com/cart*=web:http,tls=shop-tls'
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(super) struct IngressArgs {
    /// NAME
    words: Vec<String>,
    /// Rule, as HOST/PATH=SERVICE:PORT[,tls[=SECRET]]
    #[arg(long, value_name = "RULE")]
    rule: Vec<String>,
    /// Default backend, as SERVICE:PORT
    #[arg(long, value_name = "SERVICE:PORT")]
    default_backend: Option<String>,
    /// Ingress class
    #[arg(long, value_name = "CLASS")]
    class: Option<String>,
    /// Annotation, as KEY=VALUE
    #[arg(long, value_name = "KEY=VALUE")]
    annotation: Vec<String>,
    #[command(flatten)]
    new: NewArgs,
}

pub(super) fn run(args: &IngressArgs, context: &Context) -> Outcome {
    let name = name(&args.words, context)?;
    args.new.check()?;
    let object = ingress(name, args)?;
    args.new
        .create(object, "failed to create ingress: ", context)
}

fn ingress(name: &str, args: &IngressArgs) -> Result<Value, CliError> {
    let default = args.default_backend.as_deref().filter(|b| !b.is_empty());
    if default.is_none() && args.rule.is_empty() {
        return Err(CliError::text(
            "not enough information provided: every ingress has to either specify a \
             default-backend (which catches all traffic) or a list of rules (which catch specific \
             paths)",
        ));
    }
    let rules = parse(&args.rule)?;
    let mut metadata = json!({"name": name});
    for annotation in &args.annotation {
        let Some((key, value)) = annotation.split_once('=') else {
            return Err(CliError::text(format!(
                "annotation {annotation} is invalid and should be in format key=[value]"
            )));
        };
        metadata["annotations"][key] = json!(value);
    }
    let mut spec = json!({});
    if let Some(text) = default {
        let Some((service, port)) = text.split_once(':').filter(|(_, port)| !port.contains(':'))
        else {
            let text = "default-backend should be in format servicename:serviceport";
            return Err(CliError::text(text));
        };
        spec["defaultBackend"] = backend(service, port);
    }
    if let Some(class) = args.class.as_deref().filter(|c| !c.is_empty()) {
        spec["ingressClassName"] = json!(class);
    }
    if !rules.is_empty() {
        spec["rules"] = json!(by_host(&rules));
    }
    // kubectl omits an empty list from the manifest.
    let tls = secrets(&rules);
    if !tls.is_empty() {
        spec["tls"] = json!(tls);
    }
    Ok(json!({
        "apiVersion": "networking.k8s.io/v1",
        "kind": "Ingress",
        "metadata": metadata,
        "spec": spec,
        "status": {"loadBalancer": {}},
    }))
}

struct Rule<'a> {
    host: &'a str,
    path: &'a str,
    service: &'a str,
    port: &'a str,
    /// The name of the TLS Secret, empty for the default one; `None` without TLS.
    tls: Option<&'a str>,
}

fn parse(rules: &[String]) -> Result<Vec<Rule<'_>>, CliError> {
    let rule = Regex::new(RULE).map_err(|e| CliError::text(e.to_string()))?;
    let parsed = rules.iter().map(|text| {
        let found = rule.captures(text).ok_or_else(|| {
            CliError::text(format!(
                "rule {text} is invalid and should be in format \
                 host/path=svcname:svcport[,tls[=secret]]"
            ))
        })?;
        let group = |name: &str| found.name(name).map_or("", |m| m.as_str());
        // In kubectl, exactly one comma asks for TLS, whatever word follows it.
        let tls = match text.split(',').collect::<Vec<_>>().as_slice() {
            [_, tls] => Some(tls.split('=').nth(1).unwrap_or_default()),
            _ => None,
        };
        Ok(Rule {
            host: group("host"),
            path: group("path"),
            service: group("service"),
            port: group("port"),
            tls,
        })
    });
    parsed.collect()
}

fn backend(service: &str, port: &str) -> Value {
    // `IngressServiceBackend.port` has either a name or a number.
    let port = match port.parse::<i32>() {
        // Go omits a zero and an empty text.
        Ok(0) => json!({}),
        Ok(number) => json!({"number": number}),
        Err(_) => match port {
            "" => json!({}),
            name => json!({"name": name}),
        },
    };
    json!({"service": {"name": service, "port": port}})
}

/// Groups the rules by host, in the order in which the hosts first appear.
fn by_host(rules: &[Rule<'_>]) -> Vec<Value> {
    let mut hosts: Vec<(&str, Vec<Value>)> = Vec::new();
    for rule in rules {
        let (path, path_type) = match rule.path.strip_suffix('*') {
            // The star exists only in the flag: the API matches a path according to its `pathType`.
            Some(path) => (path, "Prefix"),
            None => (rule.path, "Exact"),
        };
        let path = json!({
            "backend": backend(rule.service, rule.port),
            "path": path,
            "pathType": path_type,
        });
        match hosts.iter_mut().find(|(host, _)| *host == rule.host) {
            Some((_, paths)) => paths.push(path),
            None => hosts.push((rule.host, vec![path])),
        }
    }
    let rule = |(host, paths): (&str, Vec<Value>)| {
        let mut rule = json!({"http": {"paths": paths}});
        if !host.is_empty() {
            rule["host"] = json!(host);
        }
        rule
    };
    hosts.into_iter().map(rule).collect()
}

/// Returns the hosts with TLS, grouped by Secret. A host belongs to the first Secret that names it.
fn secrets(rules: &[Rule<'_>]) -> Vec<Value> {
    let mut secrets: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for rule in rules {
        let Some(secret) = rule.tls else { continue };
        // kubectl ignores a second Secret for a host, because two certificates would be ambiguous.
        if seen.contains(&rule.host) {
            continue;
        }
        seen.push(rule.host);
        match secrets.iter_mut().find(|(name, _)| *name == secret) {
            Some((_, hosts)) => hosts.push(rule.host),
            // An entry with neither hosts nor a secret has no effect.
            None if rule.host.is_empty() && secret.is_empty() => {}
            None if rule.host.is_empty() => secrets.push((secret, Vec::new())),
            None => secrets.push((secret, vec![rule.host])),
        }
    }
    let entry = |(secret, hosts): (&str, Vec<&str>)| {
        let mut entry = json!({});
        if !hosts.is_empty() {
            entry["hosts"] = json!(hosts);
        }
        if !secret.is_empty() {
            entry["secretName"] = json!(secret);
        }
        entry
    };
    secrets.into_iter().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::testing::Shell;

    #[test]
    fn ingress_groups_rules_by_host_and_tls_by_secret() {
        let texts = [
            "a/x=s:80,tls=one",
            "b/=s:http,tls=one",
            "a/y*=t:1,tls=two",
            "/z=u:2",
        ];
        let texts = texts.map(str::to_owned);
        let rules = parse(&texts).unwrap();
        let hosts = by_host(&rules);
        assert_eq!(hosts.len(), 3);
        assert_eq!(hosts[0]["http"]["paths"][1]["pathType"], "Prefix");
        assert_eq!(hosts[0]["http"]["paths"][1]["path"], "/y");
        assert!(hosts[2]["host"].is_null());
        assert_eq!(
            secrets(&rules),
            [json!({"hosts": ["a", "b"], "secretName": "one"})]
        );
        assert!(parse(&["justahost".to_owned()]).is_err());
        let texts = ["a/=s:80,x", "b/=s:80,x=one=two", "c/=s:80,tls,", "d/=s:80,"];
        let texts = texts.map(str::to_owned);
        let rules = parse(&texts).unwrap();
        assert_eq!(
            secrets(&rules),
            [
                json!({"hosts": ["a", "d"]}),
                json!({"hosts": ["b"], "secretName": "one"})
            ]
        );
    }

    #[test]
    fn ingress_requires_a_rule_or_a_default_backend() {
        let shell = Shell::empty();
        let made = shell.made(
            "create ing site --rule=shop.example.com/=web:80,tls=front --default-backend=other:http --class=nginx \
             --annotation=a=b --annotation=c=",
        );
        assert_eq!(made["metadata"]["annotations"], json!({"a": "b", "c": ""}));
        assert_eq!(
            made["spec"],
            json!({
                "defaultBackend": {"service": {"name": "other", "port": {"name": "http"}}},
                "ingressClassName": "nginx",
                "rules": [{"host": "shop.example.com", "http": {"paths": [{
                    "path": "/", "pathType": "Exact",
                    "backend": {"service": {"name": "web", "port": {"number": 80}}},
                }]}}],
                "tls": [{"hosts": ["shop.example.com"], "secretName": "front"}],
            })
        );
        shell.refuses(&[
            (
                "create ingress site",
                "not enough information provided: every ingress has to either specify a default-backend \
                 (which catches all traffic) or a list of rules (which catch specific paths)",
            ),
            (
                "create ingress site --rule=host=svc:80",
                "rule host=svc:80 is invalid and should be in format host/path=svcname:svcport[,tls[=secret]]",
            ),
            (
                "create ingress site --default-backend=web",
                "default-backend should be in format servicename:serviceport",
            ),
            (
                "create ingress site --default-backend=web:80 --annotation=a",
                "annotation a is invalid and should be in format key=[value]",
            ),
        ]);
    }
}
