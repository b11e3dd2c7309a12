//! The rules for updates of a Pod.

use std::collections::HashSet;
use std::net::IpAddr;

use crate::api::json::Value;
use crate::core::pod::scheduling_gates;
use crate::core::pod::validate::metadata_and_spec;
use crate::pod::restart_rule;
use crate::tree::{at, field, has, int, items, list, opt_int, set, set_or_remove, text};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::pod::security::identity;
use crate::validate::pod::{annotations, container, scheduling};
use crate::validate::{addresses, go, meta, names};

const UPDATABLE: &str = "pod updates may not change fields other than `spec.containers[*].image`,\
    `spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to \
    existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was \
    previously negative)";

/// The lists of a Pod's status that describe containers.
const STATUSES: [&str; 3] = [
    "containerStatuses",
    "initContainerStatuses",
    "ephemeralContainerStatuses",
];

/// Validates an update of a Pod.
pub(crate) fn update(pod: &Value, old: &Value, errors: &mut Errors) {
    meta::update(pod, old, errors);
    metadata_and_spec(pod, errors);
    let notes = |pod| field(field(pod, "metadata"), "annotations");
    let path = Path::root("metadata");
    let path = path.child("annotations");
    annotations::changes(&path, notes(pod), notes(old), errors);
    // Upstream validates the annotations a second time here.
    annotations::annotations(&path, notes(pod), field(pod, "spec"), errors);
    let path = Path::root("spec");
    let (spec, before) = (field(pod, "spec"), field(old, "spec"));
    for name in ["containers", "initContainers"] {
        let (new, old) = (list(spec, name), list(before, name));
        // The comparison below pairs containers by index, so both lists must have the same length.
        if new.len() != old.len() {
            let detail = "pod updates may not add or remove containers";
            return errors.forbidden(&path.child(name), detail);
        }
        for (index, container) in new.iter().enumerate() {
            // The rules of the spec report both errors too.
            let path = path.child(name);
            if text(container, "image").is_empty() {
                errors.required(&path.index(index).child("image"), "");
            }
            container::trimmed_image(&path.index(index), container, errors);
        }
    }
    if !deadline(&path.child("activeDeadlineSeconds"), spec, before, errors) {
        return;
    }
    tolerations(&path.child("tolerations"), spec, before, errors);
    let gates = path.child("schedulingGates");
    let known: HashSet<&Value> = list(before, "schedulingGates").iter().collect();
    for (index, gate) in list(spec, "schedulingGates").iter().enumerate() {
        if !known.contains(gate) {
            let name = text(gate, "name");
            let detail =
                format!("only deletion is allowed, but found new scheduling gate '{name}'");
            errors.forbidden(&gates.index(index).child("name"), &detail);
        }
    }
    if has(before, "schedulingGates") {
        scheduling_gates::changes(&path, spec, before, errors);
    }
    // Upstream resets the mutable fields and compares the rest, so any new field is immutable by default.
    if munged(spec, before) != *before {
        errors.forbidden(&path, UPDATABLE);
    }
}

/// Validates a change of the deadline; returns false if upstream skips the remaining checks.
fn deadline(path: &Path<'_>, spec: &Value, before: &Value, errors: &mut Errors) -> bool {
    let name = "activeDeadlineSeconds";
    let max = i64::from(i32::MAX);
    let (detail, goes_on) = match (opt_int(spec, name), opt_int(before, name)) {
        (Some(new), _) if !(0..=max).contains(&new) => (names::range(0, max), false),
        (Some(new), Some(old)) if new > old => {
            let detail = "must be less than or equal to previous value";
            (detail.to_owned(), false)
        }
        (None, Some(_)) => {
            let detail = "must not update from a positive integer to nil value";
            (detail.to_owned(), true)
        }
        _ => return true,
    };
    errors.invalid(path, field(spec, name), &detail);
    goes_on
}

fn tolerations(path: &Path<'_>, spec: &Value, before: &Value, errors: &mut Errors) {
    let without_seconds = |toleration: &Value| {
        let mut same = toleration.clone();
        set_or_remove(&mut same, "tolerationSeconds", None);
        same
    };
    let new = list(spec, "tolerations").iter();
    let new: HashSet<Value> = new.map(without_seconds).collect();
    let mut old = list(before, "tolerations").iter().map(without_seconds);
    // Tolerations may be added but not removed, because a removal could evict the Pod.
    if !old.all(|toleration| new.contains(&toleration)) {
        return errors.forbidden(
            path,
            "existing toleration can not be modified except its tolerationSeconds",
        );
    }
    // The rules of the spec have reported these errors already.
    scheduling::tolerations(path, spec, errors);
}

/// Returns the new spec with all mutable fields reset to their old values.
fn munged(spec: &Value, before: &Value) -> Value {
    let mut munged = spec.clone();
    for name in ["containers", "initContainers"] {
        for (container, old) in items(&mut munged, name).zip(list(before, name)) {
            set(container, "image", field(old, "image").clone());
        }
    }
    for name in ["activeDeadlineSeconds", "tolerations", "schedulingGates"] {
        set_or_remove(&mut munged, name, before.get(name).cloned());
    }
    // While a gate blocks the Pod, the scheduler has not used these fields yet.
    if has(before, "schedulingGates") {
        set_or_remove(
            &mut munged,
            "nodeSelector",
            before.get("nodeSelector").cloned(),
        );
        scheduling_gates::keep_node_affinity(&mut munged, before);
    }
    let grace = "terminationGracePeriodSeconds";
    // Negative values predate the validation rule. The kubelet treats them as 1.
    if int(before, grace) < 0 && int(spec, grace) == 1 {
        set(&mut munged, grace, int(before, grace));
    }
    munged
}

/// Validates an update of a Pod's status.
pub(crate) fn status(pod: &Value, old: &Value, errors: &mut Errors) {
    meta::update(pod, old, errors);
    let notes = |pod| field(field(pod, "metadata"), "annotations");
    let path = Path::root("metadata");
    annotations::changes(&path.child("annotations"), notes(pod), notes(old), errors);
    annotations::annotations(
        &path.child("annotations"),
        notes(pod),
        field(pod, "spec"),
        errors,
    );
    let path = Path::root("status");
    let (status, before) = (field(pod, "status"), field(old, "status"));
    conditions(&path.child("conditions"), status, errors);
    let nominated = text(status, "nominatedNodeName");
    if nominated != text(before, "nominatedNodeName") && !nominated.is_empty() {
        errors.invalid_each(
            &path.child("nominatedNodeName"),
            nominated,
            names::dns1123_subdomain(nominated),
        );
        if !text(field(pod, "spec"), "nodeName").is_empty() {
            let detail = "may not be set on pods that are already bound to a node";
            errors.forbidden(&path.child("nominatedNodeName"), detail);
        }
    }
    observed(&path, status, errors);
    meta::immutable(
        &path.child("qosClass"),
        field(status, "qosClass"),
        field(before, "qosClass"),
        errors,
    );
    let containers = ["containers", "initContainers", "ephemeralContainers"];
    for (name, containers) in STATUSES.into_iter().zip(containers) {
        let states = States {
            new: list(status, name),
            old: list(before, name),
            spec: field(old, "spec"),
            containers,
        };
        states.check(&path.child(name), errors);
    }
    claim_statuses(
        &path.child("resourceClaimStatuses"),
        status,
        field(pod, "spec"),
        errors,
    );
    addresses(&path.child("podIPs"), status, "podIPs", "PodIP", errors);
    let (hosts, host_ips) = (path.child("hostIPs"), list(status, "hostIPs"));
    if let Some(first) = host_ips
        .first()
        .filter(|first| text(first, "ip") != text(status, "hostIP"))
    {
        let path = hosts.index(0);
        let shown = go::quoted(text(first, "ip"));
        errors.invalid_shown(&path.child("ip"), &shown, "must be equal to `hostIP`");
    }
    addresses(&hosts, status, "hostIPs", "HostIP", errors);
    for name in STATUSES {
        users(&path.child(name), list(status, name), pod, errors);
    }
}

/// Validates the users that containers run as, which only Linux identifies by numbers.
fn users(path: &Path<'_>, statuses: &[Value], pod: &Value, errors: &mut Errors) {
    for (index, status) in statuses.iter().enumerate() {
        let user = field(field(status, "user"), "linux");
        let path = path.index(index);
        let path = path.child("user");
        let path = path.child("linux");
        if at(pod, &["spec", "os", "name"]) != "windows" {
            identity(&path, user, &["uid", "gid"], errors);
        } else if !user.is_null() {
            errors.forbidden(&path, "cannot be set for a windows pod");
        }
    }
}

fn observed(path: &Path<'_>, of: &Value, errors: &mut Errors) {
    let generation = int(of, "observedGeneration");
    if generation < 0 {
        let path = path.child("observedGeneration");
        errors.invalid(&path, &generation.into(), "must be a non-negative integer");
    }
}

fn conditions(path: &Path<'_>, status: &Value, errors: &mut Errors) {
    for (index, condition) in list(status, "conditions").iter().enumerate() {
        let kind = text(condition, "type");
        observed(&path.index(index), condition, errors);
        // The conditions of the system itself predate the rule.
        if !matches!(kind, "PodScheduled" | "Ready" | "Initialized") {
            let wrong = names::qualified_name(kind);
            errors.invalid_each(&path.index(index).child("Type"), kind, wrong);
        }
    }
}

/// Validates the statuses of the resource claims in `spec.resourceClaims`.
fn claim_statuses(path: &Path<'_>, status: &Value, spec: &Value, errors: &mut Errors) {
    let mut seen = HashSet::new();
    for (index, status) in list(status, "resourceClaimStatuses").iter().enumerate() {
        let entry = path.index(index);
        let (path, name) = (entry.child("name"), text(status, "name"));
        // The kubelet looks up claims by these names.
        let claims = list(spec, "resourceClaims");
        if !claims.iter().any(|claim| text(claim, "name") == name) {
            let detail = "must match the name of an entry in `spec.resourceClaims`";
            errors.invalid_shown(&path, &go::quoted(name), detail);
        }
        if !seen.insert(name) {
            errors.duplicate(&path, &go::quoted(name));
        }
        if has(status, "resourceClaimName") {
            let claim = text(status, "resourceClaimName");
            let path = entry.child("resourceClaimName");
            errors.invalid_each(&path, claim, names::dns1123_subdomain(claim));
        }
    }
}

/// The container statuses before and after a status update.
struct States<'a> {
    new: &'a [Value],
    old: &'a [Value],
    spec: &'a Value,
    /// The list in the spec that contains these containers.
    containers: &'static str,
}

impl States<'_> {
    /// Returns the `terminated` state of a container, or null.
    fn end(status: &Value) -> &Value {
        field(field(status, "state"), "terminated")
    }

    /// Rejects a restart of containers that never restart.
    fn check(&self, path: &Path<'_>, errors: &mut Errors) {
        for (index, old) in self.old.iter().enumerate() {
            let name = text(old, "name");
            if Self::end(old).is_null() || self.restarts(name, Self::end(old)) {
                continue;
            }
            let runs = |new: &&Value| text(new, "name") == name && Self::end(new).is_null();
            for _ in self.new.iter().filter(runs) {
                errors.forbidden(
                    &path.index(index).child("state"),
                    "may not be transitioned to non-terminated state",
                );
            }
        }
    }

    /// Returns true if a container may restart after it has terminated with `end`.
    fn restarts(&self, name: &str, end: &Value) -> bool {
        let mut containers = list(self.spec, self.containers).iter();
        let container = containers.find(|container| text(container, "name") == name);
        let own = container.map_or("", |container| text(container, "restartPolicy"));
        let code = int(end, "exitCode");
        // Rules precede the policies, and each of their actions is a restart.
        if container.is_some_and(|container| restart_rule(container, code).is_some()) {
            return true;
        }
        let policy = match (self.containers, own) {
            // Ephemeral containers never restart, whatever the policy of the Pod.
            ("ephemeralContainers", _) => "Never",
            (_, "") => text(self.spec, "restartPolicy"),
            (_, own) => own,
        };
        match policy {
            "Always" => true,
            "OnFailure" => code != 0,
            _ => false,
        }
    }
}

fn addresses(path: &Path<'_>, status: &Value, name: &str, shown: &str, errors: &mut Errors) {
    let all = list(status, name);
    for (index, address) in all.iter().enumerate() {
        let ip = text(address, "ip");
        errors.invalid_each(&path.index(index), ip, addresses::ip(ip, true));
    }
    let versions: Vec<bool> = all
        .iter()
        // Invalid addresses were reported above and belong to no family.
        .filter_map(|a| text(a, "ip").parse::<IpAddr>().ok())
        .map(|ip| ip.is_ipv4())
        .collect();
    let one_each = matches!(
        versions.as_slice(),
        [] | [_] | [true, false] | [false, true]
    );
    if all.len() > 1 && !one_each && versions.len() == all.len() {
        errors.invalid_shown(
            path,
            &go::shown_list(shown, all),
            "may specify no more than one IP for each IP family",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    fn texts(errors: &Errors) -> Vec<String> {
        let told = errors.iter().map(|e| format!("{}: {}", e.field, e.message));
        told.collect()
    }

    #[test]
    fn a_gated_pod_is_placed_more_narrowly_only() {
        let pod = |selector: Value, affinity: Value| {
            let mut spec = json!({"restartPolicy": "Always", "dnsPolicy": "ClusterFirst",
                "schedulingGates": [{"name": "a.b/c"}], "nodeSelector": selector, "containers": [{"name": "c",
                "image": "i", "imagePullPolicy": "Always", "terminationMessagePolicy": "File"}]});
            if !affinity.is_null() {
                set(&mut spec, "affinity", affinity);
            }
            json!({"metadata": {"name": "a", "namespace": "b", "uid": "u", "resourceVersion": "1"}, "spec": spec})
        };
        let told = |new: &Value, old: &Value| {
            let mut errors = Errors::default();
            update(new, old, &mut errors);
            texts(&errors)
        };
        let term = |values: Value| json!({"matchExpressions": [{"key": "a", "operator": "In", "values": values}]});
        let terms = |terms: Value| json!({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}});
        let old = pod(json!({"a": "b"}), Value::Null);
        assert_eq!(
            told(&pod(json!({"a": "b", "c": "d"}), Value::Null), &old),
            [""; 0]
        );
        assert_eq!(
            told(&pod(json!({"a": "c"}), Value::Null), &old),
            [
                "spec.nodeSelector: Invalid value: {\"a\":\"c\"}: only additions to spec.nodeSelector are allowed \
              (no mutations or deletions)"
            ]
        );
        let one = pod(json!({"a": "b"}), terms(json!([term(json!(["x"]))])));
        assert_eq!(told(&one, &old), [""; 0]);
        let two = pod(
            json!({"a": "b"}),
            terms(json!([term(json!(["x"])), term(json!(["y"]))])),
        );
        let path = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
        let shown = |value: &str| {
            format!(
                "{{\"MatchExpressions\":[{{\"Key\":\"a\",\"Operator\":\"In\",\"Values\":[\"{value}\"]}}],\
                 \"MatchFields\":null}}"
            )
        };
        assert_eq!(
            told(&two, &one),
            [format!(
                "{path}: Invalid value: [{},{}]: no additions/deletions to non-empty NodeSelectorTerms list are \
                 allowed",
                shown("x"),
                shown("y")
            )]
        );
        let other = pod(json!({"a": "b"}), terms(json!([term(json!(["y"]))])));
        assert_eq!(
            told(&other, &one),
            [format!(
                "{path}[0]: Invalid value: {}: only additions are allowed (no mutations or deletions)",
                shown("y")
            )]
        );
        let others = json!({"podAffinity": {}});
        let immutable = told(&pod(json!({"a": "b"}), others), &old);
        assert_eq!(immutable, [format!("spec: Forbidden: {UPDATABLE}")]);
    }

    #[test]
    fn some_errors_of_an_update_are_reported_twice() {
        let pod = |fields: Value| {
            let mut spec = json!({"restartPolicy": "Always", "dnsPolicy": "ClusterFirst",
                "activeDeadlineSeconds": 10, "containers": [{"name": "c", "image": "i",
                "imagePullPolicy": "Always", "terminationMessagePolicy": "File"}]});
            crate::api::patch::merge::apply(&mut spec, &fields);
            json!({"metadata": {"name": "a", "namespace": "b", "uid": "u", "resourceVersion": "1"}, "spec": spec})
        };
        let told = |new: Value| {
            let mut errors = Errors::default();
            update(&new, &pod(json!({})), &mut errors);
            texts(&errors)
        };
        let mut padded = pod(json!({}));
        padded["spec"]["containers"][0]["image"] = json!("i ");
        let image = "spec.containers[0].image: Invalid value: \"i \": must not have leading or trailing whitespace";
        assert_eq!(told(padded), [image, image]);
        let effect = "spec.tolerations[0].effect: Invalid value: \"\": effect must be 'NoExecute' when \
            `tolerationSeconds` is set";
        let toleration = json!({"operator": "Exists", "tolerationSeconds": 1});
        assert_eq!(
            told(pod(json!({"tolerations": [toleration]}))),
            [effect, effect]
        );
        let deadline = "spec.activeDeadlineSeconds: Invalid value";
        assert_eq!(
            told(pod(json!({"activeDeadlineSeconds": -5}))),
            [
                format!("{deadline}: -5: must be between 1 and 2147483647, inclusive"),
                format!("{deadline}: -5: must be between 0 and 2147483647, inclusive"),
            ]
        );
        // A deadline that is removed does not hide the other errors.
        let removed = json!({"activeDeadlineSeconds": null, "hostname": "h"});
        assert_eq!(
            told(pod(removed)),
            [
                format!("{deadline}: null: must not update from a positive integer to nil value"),
                format!("spec: Forbidden: {UPDATABLE}"),
            ]
        );
    }

    #[test]
    fn a_bound_pod_is_not_nominated_and_generations_are_not_negative() {
        let old = json!({"metadata": {"name": "a", "namespace": "b", "uid": "u", "resourceVersion": "1"},
            "spec": {"nodeName": "n", "resourceClaims": [{"name": "gpu"}]}});
        let mut new = old.clone();
        new["status"] = json!({"nominatedNodeName": "m", "observedGeneration": -1,
            "conditions": [{"type": "Ready", "observedGeneration": -1}],
            "resourceClaimStatuses": [{"name": "gpu", "resourceClaimName": "B_"}]});
        let mut errors = Errors::default();
        status(&new, &old, &mut errors);
        let told = texts(&errors);
        let negative = "observedGeneration: Invalid value: -1: must be a non-negative integer";
        assert_eq!(
            told[..3],
            [
                format!("status.conditions[0].{negative}"),
                "status.nominatedNodeName: Forbidden: may not be set on pods that are already bound to a node".to_owned(),
                format!("status.{negative}"),
            ]
        );
        assert!(told[3].starts_with(
            "status.resourceClaimStatuses[0].resourceClaimName: Invalid value: \"B_\""
        ));
    }

    #[test]
    fn users_of_containers_are_numbers_of_linux() {
        let linux = json!({"uid": -1, "gid": 1, "supplementalGroups": [1, -1]});
        let path = "status.initContainerStatuses[0].user.linux";
        let range = "Invalid value: -1: must be between 0 and 2147483647, inclusive";
        for (os, wanted) in [
            (
                "linux",
                vec![
                    format!("{path}.uid: {range}"),
                    format!("{path}.supplementalGroups[1]: {range}"),
                ],
            ),
            (
                "windows",
                vec![format!(
                    "{path}: Forbidden: cannot be set for a windows pod"
                )],
            ),
        ] {
            let old = json!({"metadata": {"name": "a", "namespace": "b", "uid": "u", "resourceVersion": "1"},
                "spec": {"os": {"name": os}}});
            let mut new = old.clone();
            new["status"] =
                json!({"initContainerStatuses": [{"name": "c", "user": {"linux": linux}}]});
            let mut errors = Errors::default();
            status(&new, &old, &mut errors);
            assert_eq!(texts(&errors), wanted);
        }
    }

    #[test]
    fn a_status_has_the_addresses_and_claims_of_its_pod() {
        let old = json!({"metadata": {"name": "a", "namespace": "b", "uid": "u", "resourceVersion": "1"},
            "spec": {"resourceClaims": [{"name": "gpu"}]}});
        let mut new = old.clone();
        new["status"] = json!({"hostIP": "1.2.3.4", "hostIPs": [{"ip": "1.2.3.5"}],
            "podIPs": [{"ip": "10.0.0.1"}, {"ip": "10.0.0.1"}], "conditions": [{"type": "a b"}],
            "resourceClaimStatuses": [{"name": "gpu"}, {"name": "gpu"}, {"name": "x"}]});
        let mut errors = Errors::default();
        status(&new, &old, &mut errors);
        let told = texts(&errors);
        assert!(told[0].starts_with(
            "status.conditions[0].Type: Invalid value: \"a b\": name part must consist"
        ));
        let claims = "status.resourceClaimStatuses";
        assert_eq!(
            told[1..],
            [
                format!("{claims}[1].name: Duplicate value: \"gpu\""),
                format!(
                    "{claims}[2].name: Invalid value: \"x\": must match the name of an entry in `spec.resourceClaims`"
                ),
                "status.podIPs: Invalid value: [{\"IP\":\"10.0.0.1\"},{\"IP\":\"10.0.0.1\"}]: may specify no more than \
                 one IP for each IP family"
                    .to_owned(),
                "status.hostIPs[0].ip: Invalid value: \"1.2.3.5\": must be equal to `hostIP`".to_owned(),
            ]
        );
    }

    #[test]
    fn containers_that_never_restart_stay_ended() {
        let pod = |policy: &str, statuses: &str, state: Value| {
            json!({"metadata": {"name": "a", "namespace": "b", "uid": "u", "resourceVersion": "1"},
                "spec": {"restartPolicy": policy, "containers": [{"name": "c"}],
                    "initContainers": [{"name": "c", "restartPolicy": "Always"}]},
                "status": {statuses: [{"name": "c", "state": state}]}})
        };
        let ended = |code: i64| json!({"terminated": {"exitCode": code}});
        for (policy, statuses, code, wrong) in [
            ("Never", "containerStatuses", 1, true),
            ("OnFailure", "containerStatuses", 0, true),
            ("OnFailure", "containerStatuses", 1, false),
            ("Always", "containerStatuses", 0, false),
            ("Never", "initContainerStatuses", 1, false),
            ("Always", "ephemeralContainerStatuses", 0, true),
        ] {
            let (old, mut errors) = (pod(policy, statuses, ended(code)), Errors::default());
            status(
                &pod(policy, statuses, json!({"running": {}})),
                &old,
                &mut errors,
            );
            let wanted = format!(
                "status.{statuses}[0].state: Forbidden: may not be transitioned to non-terminated state"
            );
            let wanted: Vec<_> = wrong.then_some(wanted).into_iter().collect();
            assert_eq!(texts(&errors), wanted, "{policy} {statuses} {code}");
        }
        let rule = json!({"action": "Restart", "exitCodes": {"operator": "In", "values": [42]}});
        for (code, wrong) in [(42, 0), (1, 1)] {
            let mut old = pod("Never", "containerStatuses", ended(code));
            old["spec"]["containers"][0]["restartPolicyRules"] = json!([rule]);
            let mut new = old.clone();
            new["status"]["containerStatuses"][0]["state"] = json!({"waiting": {}});
            let mut errors = Errors::default();
            status(&new, &old, &mut errors);
            assert_eq!(errors.len(), wrong, "{code}");
        }
    }
}
