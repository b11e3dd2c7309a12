//! ResourceQuotas: the usage of objects, and the checks of new usage.

use std::collections::BTreeSet;

use crate::api::json::{Map, Value, json};
use crate::api::quantity::Quantity;
use crate::kind::Kind;
use crate::pod::qos;
use crate::pod::resources::{Amounts, amounts};
use crate::tree::{field, has, list, text, texts};

/// The resources that a quota limits under two names, such as `cpu` and `requests.cpu`.
pub(crate) const COMPUTE: [&str; 3] = ["cpu", "memory", "ephemeral-storage"];

/// Returns the usage of an object, by the resource names of quotas.
///
/// Pods that have ended use no compute resources and count only as objects.
pub fn usage(kind: &Kind, object: &Value) -> Amounts {
    let mut used = Amounts::new();
    count(&mut used, &format!("count/{}", kind.qualified_resource()));
    if let Some(usage) = kind.hooks.usage {
        usage(object, &mut used);
    }
    used
}

/// Counts one object of a resource.
pub(crate) fn count(used: &mut Amounts, name: &str) {
    used.insert(name.to_owned(), Quantity::from_int(1));
}

/// Returns true if a quota's scopes cover an object. Only Pods have scopes.
pub fn covers(quota: &Value, kind: &Kind, object: &Value) -> bool {
    let spec = field(quota, "spec");
    let scopes: Vec<&str> = texts(spec, "scopes").collect();
    let expressions = list(field(spec, "scopeSelector"), "matchExpressions");
    if scopes.is_empty() && expressions.is_empty() {
        return true;
    }
    // A quota with scopes counts Pods only.
    if !kind.is_pod() {
        return false;
    }
    scopes.iter().all(|scope| in_scope(scope, object))
        && expressions.iter().all(|e| match text(e, "scopeName") {
            "PriorityClass" => {
                let class = text(field(object, "spec"), "priorityClassName");
                let listed = texts(e, "values").any(|value| value == class);
                match text(e, "operator") {
                    "In" => listed,
                    "NotIn" => !listed,
                    "Exists" => !class.is_empty(),
                    _ => class.is_empty(),
                }
            }
            scope => in_scope(scope, object),
        })
}

fn in_scope(scope: &str, pod: &Value) -> bool {
    let spec = field(pod, "spec");
    match scope {
        "Terminating" => has(spec, "activeDeadlineSeconds"),
        "NotTerminating" => !has(spec, "activeDeadlineSeconds"),
        "BestEffort" => qos::class(pod) == "BestEffort",
        "NotBestEffort" => qos::class(pod) != "BestEffort",
        "PriorityClass" => !text(spec, "priorityClassName").is_empty(),
        "CrossNamespacePodAffinity" => crosses_namespaces(spec),
        _ => false,
    }
}

/// Returns true if a term of the affinity to Pods selects namespaces.
fn crosses_namespaces(spec: &Value) -> bool {
    let affinity = field(spec, "affinity");
    let crosses =
        |term: &Value| !list(term, "namespaces").is_empty() || has(term, "namespaceSelector");
    ["podAffinity", "podAntiAffinity"].iter().any(|name| {
        let terms = field(affinity, name);
        list(terms, "requiredDuringSchedulingIgnoredDuringExecution")
            .iter()
            .any(crosses)
            || list(terms, "preferredDuringSchedulingIgnoredDuringExecution")
                .iter()
                .any(|preferred| crosses(field(preferred, "podAffinityTerm")))
    })
}

/// Returns the usage of a quota after an object is created, or changed from `old`; `None` if the quota does not count
/// it.
///
/// The limits of the quota's status apply: without a status, a quota limits nothing.
///
/// # Errors
/// Returns the text after `is forbidden: ` in the API server's 403.
pub fn charge(
    quota: &Value,
    kind: &Kind,
    object: &Value,
    old: Option<&Value>,
) -> Result<Option<Map>, String> {
    if !covers(quota, kind, object) {
        return Ok(None);
    }
    let name = text(field(quota, "metadata"), "name");
    let status = field(quota, "status");
    let hard = amounts(status, "hard");
    // A quota on a compute resource makes its request mandatory; usage could not be counted otherwise.
    if let Some(missing) = unsaid(kind, object, &hard) {
        return Err(format!("failed quota: {name}: must specify {missing}"));
    }
    let asked = additional(kind, object, old, &hard);
    if asked.is_empty() {
        return Ok(None);
    }
    let used = amounts(status, "used");
    let unknown: Vec<&str> = asked
        .keys()
        .filter(|r| !used.contains_key(*r))
        .map(|r| &**r)
        .collect();
    // The controller has not counted this resource yet. Admitting the object could exceed the quota unnoticed.
    if !unknown.is_empty() {
        let resources = unknown.join(",");
        return Err(format!(
            "status unknown for quota: {name}, resources: {resources}"
        ));
    }
    let (mut requested, mut before, mut limited) = (Vec::new(), Vec::new(), Vec::new());
    let mut after = field(status, "used")
        .as_object()
        .cloned()
        .unwrap_or_default();
    for (resource, amount) in &asked {
        let (now, most) = (used[resource], hard[resource]);
        let mut next = now;
        next.add(amount);
        // Reducing the usage is always allowed, even if the rest still exceeds a lowered limit.
        if next > most && amount.signum() > 0 {
            requested.push(format!("{resource}={amount}"));
            before.push(format!("{resource}={now}"));
            limited.push(format!("{resource}={most}"));
        }
        after.insert(resource.clone(), json!(next.to_string()));
    }
    if requested.is_empty() {
        return Ok(Some(after));
    }
    Err(format!(
        "exceeded quota: {name}, requested: {}, used: {}, limited: {}",
        requested.join(","),
        before.join(","),
        limited.join(",")
    ))
}

/// Returns the additional usage of resources that the quota limits.
fn additional(kind: &Kind, object: &Value, old: Option<&Value>, hard: &Amounts) -> Amounts {
    let mut asked = usage(kind, object);
    for (resource, amount) in old.map(|old| usage(kind, old)).unwrap_or_default() {
        let left = asked.entry(resource).or_insert(Quantity::ZERO);
        left.subtract(&amount);
    }
    asked.retain(|resource, amount| hard.contains_key(resource) && amount.signum() != 0);
    asked
}

/// Returns the limited compute resources that containers do not specify: `a for: c1,c2; b for: c1`.
fn unsaid(kind: &Kind, object: &Value, hard: &Amounts) -> Option<String> {
    if !kind.is_pod() {
        return None;
    }
    let spec = field(object, "spec");
    let own = field(spec, "resources");
    // The requests of the whole Pod count instead of those of its containers.
    if !field(own, "requests").is_null() || !field(own, "limits").is_null() {
        return None;
    }
    let mut missing = Vec::new();
    for resource in hard.keys() {
        let (which, name) = match resource.split_once('.') {
            Some(("limits", name)) => ("limits", name),
            Some(("requests", name)) => ("requests", name),
            _ => ("requests", resource.as_str()),
        };
        // Storage may be limited without being requested by each Pod.
        if !["cpu", "memory"].contains(&name) {
            continue;
        }
        let all = list(spec, "containers")
            .iter()
            .chain(list(spec, "initContainers"));
        let silent: BTreeSet<&str> = all
            .filter(|c| !has(field(field(c, "resources"), which), name))
            .map(|c| text(c, "name"))
            .collect();
        if !silent.is_empty() {
            let silent: Vec<&str> = silent.into_iter().collect();
            missing.push(format!("{resource} for: {}", silent.join(",")));
        }
    }
    (!missing.is_empty()).then(|| missing.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find;

    fn quota(hard: Value, used: Value) -> Value {
        json!({"metadata": {"name": "q"}, "status": {"hard": hard, "used": used}})
    }

    #[test]
    fn quota_errors_match_the_api_server() {
        let kind = find("", "v1", "Pod").unwrap();
        let hard = json!({"pods": "1", "requests.cpu": "1", "limits.memory": "1Gi"});
        let used = json!({"pods": "1", "requests.cpu": "500m", "limits.memory": "512Mi"});
        let quota = quota(hard, used);
        let silent = json!({"spec": {"containers": [{"name": "c"}]}});
        assert_eq!(
            charge(&quota, kind, &silent, None).unwrap_err(),
            "failed quota: q: must specify limits.memory for: c; requests.cpu for: c"
        );
        let two =
            json!({"spec": {"containers": [{"name": "b"}], "initContainers": [{"name": "a"}]}});
        assert_eq!(
            charge(&quota, kind, &two, None).unwrap_err(),
            "failed quota: q: must specify limits.memory for: a,b; requests.cpu for: a,b"
        );
        let whole = json!({"spec": {"containers": [{"name": "c"}], "resources": {"requests": {"cpu": "100m"}}}});
        let refused = charge(&quota, kind, &whole, None).unwrap_err();
        assert!(
            refused.starts_with("exceeded quota: q, requested: pods=1"),
            "{refused}"
        );
        let resources = json!({"requests": {"cpu": "600m"}, "limits": {"memory": "600Mi"}});
        let second = json!({"spec": {"containers": [{"name": "c", "resources": resources}]}});
        assert_eq!(
            charge(&quota, kind, &second, None).unwrap_err(),
            "exceeded quota: q, requested: limits.memory=600Mi,pods=1,requests.cpu=600m, used: \
             limits.memory=512Mi,pods=1,requests.cpu=500m, limited: limits.memory=1Gi,pods=1,requests.cpu=1"
        );
    }

    #[test]
    fn huge_pages_count_by_both_names() {
        let kind = find("", "v1", "Pod").unwrap();
        let limits =
            json!({"limits": {"hugepages-2Mi": "2Mi"}, "requests": {"hugepages-2Mi": "2Mi"}});
        let pod = json!({"spec": {"containers": [{"name": "c", "resources": limits}]}});
        let used = usage(kind, &pod);
        for name in ["hugepages-2Mi", "requests.hugepages-2Mi"] {
            assert_eq!(used[name].to_string(), "2Mi");
        }
    }

    #[test]
    fn objects_count_by_their_kind() {
        let deployment = find("apps", "v1", "Deployment").unwrap();
        let zero = json!({"count/deployments.apps": "0"});
        let quota = quota(zero.clone(), zero);
        assert_eq!(
            charge(&quota, deployment, &json!({}), None).unwrap_err(),
            "exceeded quota: q, requested: count/deployments.apps=1, used: count/deployments.apps=0, \
             limited: count/deployments.apps=0"
        );
        let service = find("", "v1", "Service").unwrap();
        let object = json!({"spec": {"type": "NodePort", "ports": [{"port": 80}]}});
        assert_eq!(
            usage(service, &object)["services.nodeports"].to_string(),
            "1"
        );
    }

    #[test]
    fn create_adds_usage_and_update_adds_the_difference() {
        let kind = find("", "v1", "Pod").unwrap();
        let quota = quota(
            json!({"pods": "2", "requests.cpu": "1"}),
            json!({"pods": "1", "requests.cpu": "500m"}),
        );
        let pod = |cpu: &str| {
            let resources = json!({"requests": {"cpu": cpu}});
            json!({"spec": {"containers": [{"name": "c", "resources": resources}]}})
        };
        let used = charge(&quota, kind, &pod("200m"), None).unwrap().unwrap();
        assert_eq!(json!(used), json!({"pods": "2", "requests.cpu": "700m"}));
        let used = charge(&quota, kind, &pod("900m"), Some(&pod("500m"))).unwrap();
        assert_eq!(json!(used), json!({"pods": "1", "requests.cpu": "900m"}));
        assert_eq!(charge(&quota, kind, &pod("1"), Some(&pod("1"))), Ok(None));
        // Storage is limited without being mandatory.
        let amount = json!({"requests.ephemeral-storage": "1Gi"});
        let storage = json!({"metadata": {"name": "q"}, "status": {"hard": amount, "used": {}}});
        assert_eq!(charge(&storage, kind, &pod("1"), None), Ok(None));
        let fresh = json!({"metadata": {"name": "q"}, "spec": {"hard": {"pods": "0"}}});
        assert_eq!(charge(&fresh, kind, &pod("1"), None), Ok(None));
        let unread = json!({"metadata": {"name": "q"}, "status": {"hard": {"pods": "0"}}});
        assert_eq!(
            charge(&unread, kind, &pod("1"), None).unwrap_err(),
            "status unknown for quota: q, resources: pods"
        );
    }

    #[test]
    fn quota_scopes_select_pods() {
        let kind = find("", "v1", "Pod").unwrap();
        let quota = json!({"spec": {"scopes": ["BestEffort", "NotTerminating"]}});
        assert!(covers(&quota, kind, &json!({"spec": {"containers": []}})));
        let ending = json!({"spec": {"containers": [], "activeDeadlineSeconds": 5}});
        assert!(!covers(&quota, kind, &ending));
        let expression = json!({"scopeName": "CrossNamespacePodAffinity", "operator": "Exists"});
        let quota = json!({"spec": {"scopeSelector": {"matchExpressions": [expression]}}});
        let near = |term: Value| {
            let terms = json!({"requiredDuringSchedulingIgnoredDuringExecution": [term]});
            json!({"spec": {"affinity": {"podAffinity": terms}}})
        };
        assert!(covers(
            &quota,
            kind,
            &near(json!({"namespaceSelector": {}}))
        ));
        assert!(!covers(&quota, kind, &near(json!({"topologyKey": "zone"}))));
    }
}
