//! The Secrets that a Pod may use: a ServiceAccount can limit them to its own, and a mirror Pod may use none.

use crate::api::json::Value;
use crate::tree::{at, field, has, list, text};

/// The annotation of a ServiceAccount that limits the Secrets of its Pods.
const ENFORCED: &str = "kubernetes.io/enforce-mountable-secrets";

/// The values that Go's `strconv.ParseBool` reads as true.
const TRUE: [&str; 6] = ["1", "t", "T", "true", "TRUE", "True"];

/// The fields in which volume sources name a Secret.
const REFERENCES: [&str; 4] = ["secret", "secretRef", "secretName", "nodePublishSecretRef"];

/// Rejects a mirror Pod that refers to objects in the API.
///
/// # Errors
/// Returns the reason if the Pod uses a ServiceAccount, a Secret or a token.
pub(super) fn check_mirror(spec: &Value) -> Result<(), String> {
    // A static Pod starts without the API server, so its mirror must not refer to anything that only the API server
    // has.
    if !text(spec, "serviceAccountName").is_empty() {
        return Err("a mirror pod may not reference service accounts".to_owned());
    }
    let volumes = || list(spec, "volumes").iter();
    let sources = || volumes().flat_map(|v| list(field(v, "projected"), "sources"));
    let names_secret = |source: &Value| REFERENCES.iter().any(|name| has(source, name));
    let in_volume = |volume: &Value| {
        let mut values = volume.as_object().into_iter().flatten();
        names_secret(volume) || values.any(|(_, source)| names_secret(source))
    };
    let mut containers = ["initContainers", "containers"]
        .iter()
        .flat_map(|name| list(spec, name));
    let has_secrets = !list(spec, "imagePullSecrets").is_empty()
        || volumes().any(in_volume)
        || sources().any(names_secret)
        || containers.any(|c| variables(c).next().is_some() || sets(c).next().is_some());
    if has_secrets {
        return Err("a mirror pod may not reference secrets".to_owned());
    }
    match sources().any(|source| has(source, "serviceAccountToken")) {
        true => Err("a mirror pod may not use ServiceAccountToken volume projections".to_owned()),
        false => Ok(()),
    }
}

/// Rejects a Pod that uses Secrets which its ServiceAccount does not list, if the account limits them.
///
/// # Errors
/// Returns the reason with the first of these Secrets.
pub(super) fn check_account(spec: &Value, account: &Value) -> Result<(), String> {
    let metadata = field(account, "metadata");
    if !TRUE.contains(&text(field(metadata, "annotations"), ENFORCED)) {
        return Ok(());
    }
    let own = |of: &str, name: &str| {
        list(account, of)
            .iter()
            .any(|own| text(own, "name") == name)
    };
    let refused = |what: String, kind: &str| {
        let account = text(metadata, "name");
        format!(
            "{what} is not allowed because service account {account} does not reference that {kind}"
        )
    };
    // Upstream checks only Secret volumes, so a projected volume evades the limit.
    for volume in list(spec, "volumes").iter().filter(|v| has(v, "secret")) {
        let name = text(field(volume, "secret"), "secretName");
        if !own("secrets", name) {
            return Err(refused(
                format!("volume with secret.secretName=\"{name}\""),
                "secret",
            ));
        }
    }
    for (list_name, role) in [
        ("initContainers", "init container"),
        ("containers", "container"),
    ] {
        for container in list(spec, list_name) {
            let of = text(container, "name");
            let by_variable = variables(container).map(|(v, name)| (format!("envVar {v}"), name));
            let by_set = sets(container).map(|name| ("envFrom".to_owned(), name));
            for (what, name) in by_variable.chain(by_set) {
                if !own("secrets", name) {
                    let what =
                        format!("{role} {of} with {what} referencing secret.secretName=\"{name}\"");
                    return Err(refused(what, "secret"));
                }
            }
        }
    }
    for (index, secret) in list(spec, "imagePullSecrets").iter().enumerate() {
        let name = text(secret, "name");
        if !own("imagePullSecrets", name) {
            let what = format!("imagePullSecrets[{index}].name=\"{name}\"");
            return Err(refused(what, "imagePullSecret"));
        }
    }
    Ok(())
}

/// Returns the environment variables of a container that come from Secrets, each with the name of its Secret.
fn variables(container: &Value) -> impl Iterator<Item = (&str, &str)> {
    let variables = list(container, "env").iter();
    variables.filter_map(|variable| {
        let source = at(variable, &["valueFrom", "secretKeyRef"]);
        (!source.is_null()).then(|| (text(variable, "name"), text(source, "name")))
    })
}

/// Returns the Secrets in the `envFrom` of a container.
fn sets(container: &Value) -> impl Iterator<Item = &str> {
    let sets = list(container, "envFrom").iter();
    let secrets = sets.filter(|set| has(set, "secretRef"));
    secrets.map(|set| text(field(set, "secretRef"), "name"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    #[test]
    fn an_account_limits_the_secrets_of_its_pods() {
        let account = |enforced: &str| {
            json!({
                "metadata": {"name": "m", "annotations": {ENFORCED: enforced}},
                "secrets": [{"name": "own"}], "imagePullSecrets": [{"name": "own"}],
            })
        };
        let variable = |name: &str| json!([{"name": "A", "valueFrom": {"secretKeyRef": {"name": name, "key": "k"}}}]);
        let spec = |name: &str| {
            json!({
                "volumes": [{"name": "v", "secret": {"secretName": name}}],
                "containers": [{"name": "c", "env": variable(name), "envFrom": [{"secretRef": {"name": name}}]}],
                "initContainers": [{"name": "i", "env": variable(name)}],
                "imagePullSecrets": [{"name": name}],
            })
        };
        assert_eq!(check_account(&spec("own"), &account("true")), Ok(()));
        assert_eq!(check_account(&spec("s1"), &account("false")), Ok(()));
        let mut bad = spec("s1");
        for (part, what) in [
            ("volumes", "volume with secret.secretName=\"s1\""),
            (
                "initContainers",
                "init container i with envVar A referencing secret.secretName=\"s1\"",
            ),
            (
                "containers",
                "container c with envVar A referencing secret.secretName=\"s1\"",
            ),
            ("imagePullSecrets", "imagePullSecrets[0].name=\"s1\""),
        ] {
            let last = if part == "imagePullSecrets" {
                part.trim_end_matches('s')
            } else {
                "secret"
            };
            let rest =
                format!("is not allowed because service account m does not reference that {last}");
            assert_eq!(
                check_account(&bad, &account("1")),
                Err(format!("{what} {rest}"))
            );
            bad[part] = json!([]);
        }
        let by_set =
            json!({"containers": [{"name": "c", "envFrom": [{"secretRef": {"name": "s1"}}]}]});
        let error = check_account(&by_set, &account("true")).unwrap_err();
        assert!(
            error.starts_with("container c with envFrom referencing secret.secretName=\"s1\""),
            "{error}"
        );
    }

    #[test]
    fn a_mirror_pod_refers_to_no_account_and_no_secret() {
        let container = |part: Value| json!({"containers": [part]});
        let projected =
            |source: Value| json!({"volumes": [{"name": "v", "projected": {"sources": [source]}}]});
        assert_eq!(
            check_mirror(&projected(json!({"configMap": {"name": "c"}}))),
            Ok(())
        );
        for (spec, why) in [
            (
                json!({"serviceAccountName": "default"}),
                "reference service accounts",
            ),
            (
                json!({"volumes": [{"name": "v", "secret": {"secretName": "s"}}]}),
                "reference secrets",
            ),
            (
                json!({"volumes": [{"name": "v", "rbd": {"secretRef": {"name": "s"}}}]}),
                "reference secrets",
            ),
            (
                projected(json!({"secret": {"name": "s"}})),
                "reference secrets",
            ),
            (
                container(json!({"envFrom": [{"secretRef": {"name": "s"}}]})),
                "reference secrets",
            ),
            (
                projected(json!({"serviceAccountToken": {"path": "t"}})),
                "use ServiceAccountToken volume projections",
            ),
        ] {
            assert_eq!(
                check_mirror(&spec),
                Err(format!("a mirror pod may not {why}")),
                "{spec}"
            );
        }
    }
}
