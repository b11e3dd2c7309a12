//! ResourceQuotas: the usage of objects, and the check of additional usage.

use std::collections::BTreeSet;

use super::scope::Scope;
use crate::api::json::{Map, Value, json};
use crate::api::quantity::Quantity;
use crate::kind::Kind;
use crate::pod::resources::{ResourceList, resource_list};
use crate::tree::{field, has, list, text};
use crate::validate::common::is_native;

/// The resources that a quota limits under two names, such as `cpu` and `requests.cpu`.
pub(crate) const COMPUTE: [&str; 3] = ["cpu", "memory", "ephemeral-storage"];

/// The names under which a quota limits Pods.
pub(crate) const POD_NAMES: &[&str] = &[
    "pods",
    "cpu",
    "memory",
    "ephemeral-storage",
    "requests.cpu",
    "requests.memory",
    "requests.ephemeral-storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
];

/// The names under which a quota limits other objects.
const OBJECT_NAMES: &[&str] = &[
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "persistentvolumeclaims",
    "configmaps",
    "requests.storage",
    "services.nodeports",
    "services.loadbalancers",
];

/// The suffixes of names that begin with the name of a class.
const OF_CLASSES: [&str; 3] = [
    ".storageclass.storage.k8s.io/requests.storage",
    ".storageclass.storage.k8s.io/persistentvolumeclaims",
    ".deviceclass.resource.k8s.io/devices",
];

/// Returns true if `name` is a standard resource, which has no domain and which every quota may limit.
pub(crate) fn is_standard(name: &str) -> bool {
    POD_NAMES.contains(&name)
        || OBJECT_NAMES.contains(&name)
        || name.starts_with("hugepages-")
        || name.starts_with("requests.hugepages-")
}

/// Returns true if quotas count the objects of a kind.
pub fn counts(kind: &Kind) -> bool {
    kind.namespaced && !kind.hooks.uncounted
}

/// Returns true if a quota can count anything under a name. It may limit other names, but they have no usage.
/// `is_resource` returns true for resources whose objects can be counted.
///
/// ```
/// use ctl_kinds::admission::quota::is_counted;
///
/// let is_resource = |name: &str| name == "deployments.apps";
/// assert!(is_counted("count/deployments.apps", is_resource));
/// assert!(!is_counted("count/boats.example.com", is_resource));
/// assert!(is_counted("requests.example.com/gpu", is_resource));
/// assert!(!is_counted("example.com/gpu", is_resource));
/// ```
pub fn is_counted(name: &str, is_resource: impl Fn(&str) -> bool) -> bool {
    // Names that match none of upstream's evaluators have no usage at all, rather than a usage of zero.
    match name.strip_prefix("count/") {
        Some(resource) => is_resource(resource),
        None => {
            is_standard(name)
                || name.starts_with("requests.") && !is_native(name)
                || OF_CLASSES.iter().any(|end| name.ends_with(end))
        }
    }
}

/// Returns the usage of an object, by the resource names that quotas use.
///
/// Terminated Pods use no compute resources and count only as objects.
pub fn usage(kind: &Kind, object: &Value) -> ResourceList {
    let mut used = ResourceList::new();
    // An event that reports an exceeded quota would use up the quota.
    if kind.hooks.uncounted {
        return used;
    }
    count(&mut used, &format!("count/{}", kind.qualified_resource()));
    if let Some(usage) = kind.hooks.usage {
        usage(object, &mut used);
    }
    used
}

/// Counts one object of a resource.
pub(crate) fn count(used: &mut ResourceList, name: &str) {
    used.insert(name.to_owned(), Quantity::from_int(1));
}

/// Returns true if the scopes of a quota cover an object.
pub fn covers(quota: &Value, kind: &Kind, object: &Value) -> bool {
    let scopes = Scope::all_of(quota);
    // A quota with scopes does not count kinds that have no scopes.
    let is_in = |scope| kind.hooks.scopes.is_some_and(|is_in| is_in(scope, object));
    scopes.iter().all(is_in)
}

/// A test of names in quotas.
type NameTest = fn(&str) -> bool;

/// The names under which quotas count the objects of some resources, besides their own.
const TRACKED: &[(&str, NameTest)] = &[
    ("pods", |name| {
        POD_NAMES.contains(&name)
            || name.starts_with("hugepages-")
            || name.starts_with("requests.hugepages-")
            || name.starts_with("requests.") && !is_native(name)
    }),
    ("services", |name| {
        matches!(
            name,
            "services" | "services.nodeports" | "services.loadbalancers"
        )
    }),
    ("persistentvolumeclaims", |name| {
        matches!(name, "persistentvolumeclaims" | "requests.storage")
            || OF_CLASSES[..2].iter().any(|end| name.ends_with(end))
    }),
    ("resourceclaims.resource.k8s.io", |name| {
        OF_CLASSES[2..].iter().any(|end| name.ends_with(end))
    }),
];

/// Returns true if quotas count objects of a kind under a name, whether or not an object uses anything of it.
fn is_tracked(kind: &Kind, name: &str) -> bool {
    if let Some(resource) = name.strip_prefix("count/") {
        return !kind.hooks.uncounted && resource == kind.qualified_resource();
    }
    let own = kind.qualified_resource();
    match TRACKED.iter().find(|(resource, _)| *resource == own) {
        Some((_, tracks)) => tracks(name),
        None => kind.group.is_empty() && name == kind.plural,
    }
}

/// Returns the usage of each quota after an object is created or changed from `old`; `None` for a quota that does not
/// count it.
///
/// The limits in the status of a quota apply, so a quota without a status limits nothing.
///
/// # Errors
/// Returns the text that follows `is forbidden: ` in the API server's 403.
pub fn check_and_add_usage(
    quotas: &[Value],
    kind: &Kind,
    object: &Value,
    old: Option<&Value>,
) -> Result<Vec<Option<Map>>, String> {
    let charges = quotas.iter().map(|quota| charge(quota, kind, object, old));
    // A quota that cannot count the object precedes one that the object exceeds, whatever their order.
    let charges: Vec<Option<Charge<'_>>> = charges.collect::<Result<_, _>>()?;
    let after = charges
        .iter()
        .map(|charge| charge.as_ref().map(Charge::usage_after).transpose());
    after.collect()
}

/// The usage that a write adds to a quota.
struct Charge<'a> {
    quota: &'a Value,
    hard: ResourceList,
    used: ResourceList,
    asked: ResourceList,
}

/// Returns the charge of a write to a quota, if the quota counts it.
fn charge<'a>(
    quota: &'a Value,
    kind: &Kind,
    object: &Value,
    old: Option<&Value>,
) -> Result<Option<Charge<'a>>, String> {
    if !covers(quota, kind, object) {
        return Ok(None);
    }
    let name = text(field(quota, "metadata"), "name");
    let status = field(quota, "status");
    let hard = resource_list(status, "hard");
    // If a quota limits a compute resource, Pods must request it; otherwise, their usage could not be counted.
    if let Some(missing) = missing_requests(kind, object, &hard) {
        return Err(format!("failed quota: {name}: must specify {missing}"));
    }
    let asked = additional(kind, object, old, &hard);
    if asked.is_empty() && old.is_some() {
        return Ok(None);
    }
    let used = resource_list(status, "used");
    let tracked = hard.keys().map(String::as_str);
    let tracked: Vec<&str> = tracked
        .filter(|name| is_tracked(kind, name) || asked.contains_key(*name))
        .collect();
    // The controller has not counted a resource yet, so admitting the object could exceed the quota unnoticed. The
    // server does not look at what the object uses, and lists all resources.
    if tracked.iter().any(|name| !used.contains_key(*name)) {
        let resources = tracked.join(",");
        return Err(format!(
            "status unknown for quota: {name}, resources: {resources}"
        ));
    }
    if asked.is_empty() {
        return Ok(None);
    }
    Ok(Some(Charge {
        quota,
        hard,
        used,
        asked,
    }))
}

impl Charge<'_> {
    /// Returns the usage with the charge, unless it exceeds a limit.
    fn usage_after(&self) -> Result<Map, String> {
        let (mut requested, mut before, mut limited) = (Vec::new(), Vec::new(), Vec::new());
        let mut after = field(field(self.quota, "status"), "used")
            .as_object()
            .cloned()
            .unwrap_or_default();
        for (resource, amount) in &self.asked {
            let (now, most) = (self.used[resource], self.hard[resource]);
            let mut next = now;
            next.add(amount);
            // Lower usage is always allowed, even if the rest still exceeds a lowered limit.
            if next > most && amount.signum() > 0 {
                requested.push(format!("{resource}={amount}"));
                before.push(format!("{resource}={now}"));
                limited.push(format!("{resource}={most}"));
            }
            after.insert(resource.clone(), json!(next.to_string()));
        }
        if requested.is_empty() {
            return Ok(after);
        }
        Err(format!(
            "exceeded quota: {}, requested: {}, used: {}, limited: {}",
            text(field(self.quota, "metadata"), "name"),
            requested.join(","),
            before.join(","),
            limited.join(",")
        ))
    }
}

/// Returns the additional usage of the resources that the quota limits.
fn additional(
    kind: &Kind,
    object: &Value,
    old: Option<&Value>,
    hard: &ResourceList,
) -> ResourceList {
    let mut asked = usage(kind, object);
    for (resource, amount) in old.map(|old| usage(kind, old)).unwrap_or_default() {
        let left = asked.entry(resource).or_insert(Quantity::ZERO);
        left.subtract(&amount);
    }
    asked.retain(|resource, amount| hard.contains_key(resource) && amount.signum() != 0);
    asked
}

/// Returns the limited compute resources that containers do not specify, as `a for: c1,c2; b for: c1`.
fn missing_requests(kind: &Kind, object: &Value, hard: &ResourceList) -> Option<String> {
    if !kind.is_pod() {
        return None;
    }
    let spec = field(object, "spec");
    let own = field(spec, "resources");
    // Pod-level resources count instead of those of the containers.
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
        // Storage may be limited without a request by each Pod.
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

    /// Returns the usage of one quota after a write.
    fn added(
        quota: &Value,
        kind: &Kind,
        object: &Value,
        old: Option<&Value>,
    ) -> Result<Option<Map>, String> {
        let all = check_and_add_usage(std::slice::from_ref(quota), kind, object, old)?;
        Ok(all.into_iter().next().flatten())
    }

    #[test]
    fn a_quota_that_cannot_count_precedes_one_that_is_exceeded() {
        let kind = find("", "v1", "Pod").unwrap();
        let named = |name: &str, hard: Value, used: Value| json!({"metadata": {"name": name}, "status": {"hard": hard, "used": used}});
        let full = named("a", json!({"pods": "1"}), json!({"pods": "1"}));
        let pod = json!({"spec": {"containers": [{"name": "c"}]}});
        let cpu = json!({"requests.cpu": "1"});
        let told = |second: Value| {
            check_and_add_usage(&[full.clone(), second], kind, &pod, None).unwrap_err()
        };
        assert_eq!(
            told(named("b", cpu.clone(), cpu)),
            "failed quota: b: must specify requests.cpu for: c"
        );
        let pods = json!({"pods": "5"});
        assert_eq!(
            told(named("b", pods.clone(), json!({}))),
            "status unknown for quota: b, resources: pods"
        );
        assert_eq!(
            told(named("b", pods.clone(), pods)),
            "exceeded quota: a, requested: pods=1, used: pods=1, limited: pods=1"
        );
    }

    #[test]
    fn quota_errors_match_the_api_server() {
        let kind = find("", "v1", "Pod").unwrap();
        let hard = json!({"pods": "1", "requests.cpu": "1", "limits.memory": "1Gi"});
        let used = json!({"pods": "1", "requests.cpu": "500m", "limits.memory": "512Mi"});
        let quota = quota(hard, used);
        let silent = json!({"spec": {"containers": [{"name": "c"}]}});
        assert_eq!(
            added(&quota, kind, &silent, None).unwrap_err(),
            "failed quota: q: must specify limits.memory for: c; requests.cpu for: c"
        );
        let two =
            json!({"spec": {"containers": [{"name": "b"}], "initContainers": [{"name": "a"}]}});
        assert_eq!(
            added(&quota, kind, &two, None).unwrap_err(),
            "failed quota: q: must specify limits.memory for: a,b; requests.cpu for: a,b"
        );
        let whole = json!({"spec": {"containers": [{"name": "c"}], "resources": {"requests": {"cpu": "100m"}}}});
        let refused = added(&quota, kind, &whole, None).unwrap_err();
        assert!(
            refused.starts_with("exceeded quota: q, requested: pods=1"),
            "{refused}"
        );
        let resources = json!({"requests": {"cpu": "600m"}, "limits": {"memory": "600Mi"}});
        let second = json!({"spec": {"containers": [{"name": "c", "resources": resources}]}});
        assert_eq!(
            added(&quota, kind, &second, None).unwrap_err(),
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
            added(&quota, deployment, &json!({}), None).unwrap_err(),
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
        let used = added(&quota, kind, &pod("200m"), None).unwrap().unwrap();
        assert_eq!(json!(used), json!({"pods": "2", "requests.cpu": "700m"}));
        let used = added(&quota, kind, &pod("900m"), Some(&pod("500m"))).unwrap();
        assert_eq!(json!(used), json!({"pods": "1", "requests.cpu": "900m"}));
        assert_eq!(added(&quota, kind, &pod("1"), Some(&pod("1"))), Ok(None));
        // A limit on storage does not make requests mandatory.
        let amount = json!({"requests.ephemeral-storage": "1Gi"});
        let storage = |used: Value| json!({"metadata": {"name": "q"}, "status": {"hard": amount, "used": used}});
        let none = json!({"requests.ephemeral-storage": "0"});
        assert_eq!(added(&storage(none), kind, &pod("1"), None), Ok(None));
        // Before the controller has counted, nothing is created, even if it uses none of it.
        assert_eq!(
            added(&storage(json!({})), kind, &pod("1"), None).unwrap_err(),
            "status unknown for quota: q, resources: requests.ephemeral-storage"
        );
        let map = find("", "v1", "ConfigMap").unwrap();
        assert_eq!(added(&storage(json!({})), map, &json!({}), None), Ok(None));
        let fresh = json!({"metadata": {"name": "q"}, "spec": {"hard": {"pods": "0"}}});
        assert_eq!(added(&fresh, kind, &pod("1"), None), Ok(None));
        let unread = json!({"metadata": {"name": "q"}, "status": {"hard": {"pods": "0"}}});
        assert_eq!(
            added(&unread, kind, &pod("1"), None).unwrap_err(),
            "status unknown for quota: q, resources: pods"
        );
    }

    #[test]
    fn events_are_never_limited() {
        let hard = json!({"count/events": "0"});
        let quota = quota(hard.clone(), hard);
        for group in ["", "events.k8s.io"] {
            let kind = find(group, "v1", "Event").unwrap();
            assert_eq!(added(&quota, kind, &json!({}), None), Ok(None));
        }
    }

    #[test]
    fn other_resources_than_compute_count_by_their_requests() {
        let kind = find("", "v1", "Pod").unwrap();
        let amounts = json!({"example.com/gpu": "1", "cpu": "1"});
        let resources = json!({"limits": amounts, "requests": amounts});
        let used = usage(
            kind,
            &json!({"spec": {"containers": [{"name": "c", "resources": resources}]}}),
        );
        let names: Vec<&str> = used.keys().map(String::as_str).collect();
        let all = [
            "count/pods",
            "cpu",
            "limits.cpu",
            "pods",
            "requests.cpu",
            "requests.example.com/gpu",
        ];
        assert_eq!(names, all);
        assert!(
            all.iter()
                .all(|name| name.starts_with("count/") || is_counted(name, |_| false))
        );
    }

    #[test]
    fn devices_count_by_their_class() {
        let kind = find("resource.k8s.io", "v1", "ResourceClaim").unwrap();
        let exactly = |class: &str, mode: &str, count: i64| json!({"deviceClassName": class, "allocationMode": mode, "count": count});
        let claim = json!({"spec": {"devices": {"requests": [
            {"name": "a", "exactly": exactly("gpu", "ExactCount", 2)},
            {"name": "b", "firstAvailable": [
                exactly("gpu", "ExactCount", 1), exactly("gpu", "ExactCount", 4), exactly("cam", "All", 1),
            ]},
        ]}}});
        let used = usage(kind, &claim);
        let used: Vec<_> = used
            .iter()
            .map(|(name, amount)| format!("{name}={amount}"))
            .collect();
        assert_eq!(
            used,
            [
                "cam.deviceclass.resource.k8s.io/devices=32",
                "count/resourceclaims.resource.k8s.io=1",
                "gpu.deviceclass.resource.k8s.io/devices=6",
            ]
        );
    }

    #[test]
    fn claims_are_in_the_scope_of_their_attributes_classes() {
        let kind = find("", "v1", "PersistentVolumeClaim").unwrap();
        let quota = |operator: &str, values: Value| {
            let expression = json!({"scopeName": "VolumeAttributesClass", "operator": operator, "values": values});
            json!({"spec": {"scopeSelector": {"matchExpressions": [expression]}}})
        };
        let plain = json!({"spec": {}});
        let gold = json!({"spec": {"volumeAttributesClassName": "gold"}});
        // While its class changes, a claim is also in the scope of its old class.
        let changing = json!({"spec": {"volumeAttributesClassName": "gold"},
            "status": {"currentVolumeAttributesClassName": "tin"}});
        for (operator, values, covered) in [
            ("In", json!(["gold"]), [false, true, true]),
            ("In", json!(["tin"]), [false, false, true]),
            ("NotIn", json!(["gold"]), [true, false, true]),
            ("Exists", json!([]), [false, true, true]),
            ("DoesNotExist", json!([]), [true, false, false]),
        ] {
            let quota = quota(operator, values);
            let found = [&plain, &gold, &changing].map(|claim| covers(&quota, kind, claim));
            assert_eq!(found, covered, "{quota}");
        }
        let terminating = json!({"spec": {"scopes": ["Terminating"]}});
        assert!(!covers(&terminating, kind, &gold));
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
