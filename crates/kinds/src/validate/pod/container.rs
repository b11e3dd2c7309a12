//! Containers, init containers and ephemeral containers.

use std::collections::BTreeSet;

use super::super::common::{
    container_resource_name, listed, may_overcommit, one_of, optional_name, port_number,
    required_name, required_one_of, required_text, resource_amount, shown_amount,
};
use super::super::errors::Errors;
use super::super::path::Path;
use super::super::{go, names};
use super::{Pod, env, mounts, probe, security};
use crate::api::json::Value;
use crate::api::quantity::Quantity;
use crate::pod::resources::{quantity, resource_list};
use crate::tree::{entries, field, flag, has, int, len, list, text};

const RESTART: &[&str] = &["Always", "Never", "OnFailure"];
const SIDECAR_ONLY: &str = "may not be set for init containers without restartPolicy=Always";
const PROTOCOLS: &[&str] = &["SCTP", "TCP", "UDP"];

/// Validates the containers of a pod spec at `path`.
pub(crate) fn containers(path: &Path<'_>, pod: &Pod<'_>, errors: &mut Errors) {
    let path = path.child("containers");
    let all = list(pod.spec, "containers");
    if all.is_empty() {
        return errors.required(&path, "");
    }
    let mut names = BTreeSet::new();
    for (index, container) in all.iter().enumerate() {
        let path = path.index(index);
        common(&path, container, pod, errors);
        unique_name(&path, container, &mut names, errors);
        running(&path, container, pod, errors);
        required_policy(&path, container, errors);
        restart_rules(&path, container, errors);
    }
    // All containers run at once, so their host ports must differ. Init containers run one after another and are
    // checked separately.
    host_port_conflicts(&path, all, errors);
}

/// Validates init containers. Only sidecars, which have `restartPolicy: Always`, may have hooks and probes.
pub(crate) fn init_containers(path: &Path<'_>, pod: &Pod<'_>, errors: &mut Errors) {
    let path = path.child("initContainers");
    // Names are unique across both lists because logs and statuses refer to containers by name alone.
    let mut names: BTreeSet<&str> = list(pod.spec, "containers")
        .iter()
        .map(|c| text(c, "name"))
        .collect();
    for (index, container) in list(pod.spec, "initContainers").iter().enumerate() {
        let at = path.index(index);
        common(&at, container, pod, errors);
        // Upstream does not look at the rules of an init container without a policy.
        if required_policy(&at, container, errors) {
            restart_rules(&at, container, errors);
        }
        unique_name(&at, container, &mut names, errors);
        // The path is that of the first init container, whichever it is.
        host_port_conflicts(&path, std::slice::from_ref(container), errors);
        if text(container, "restartPolicy") == "Always" {
            running(&at, container, pod, errors);
            continue;
        }
        for name in [
            "lifecycle",
            "livenessProbe",
            "readinessProbe",
            "startupProbe",
        ] {
            if has(container, name) {
                errors.forbidden(&at.child(name), SIDECAR_ONLY);
            }
        }
        let policies = at.child("resizePolicy");
        for (index, policy) in list(container, "resizePolicy").iter().enumerate() {
            // Such a container has run to its end before a resize could restart it.
            if text(policy, "restartPolicy") == "RestartContainer" {
                let path = policies.index(index);
                let detail = "must not be set to 'RestartContainer' for non-sidecar initContainers";
                errors.invalid(
                    &path.child("restartPolicy"),
                    field(policy, "restartPolicy"),
                    detail,
                );
            }
        }
    }
}

/// Validates ephemeral containers.
pub(crate) fn ephemeral_containers(path: &Path<'_>, pod: &Pod<'_>, errors: &mut Errors) {
    // An ephemeral container joins a running Pod: it has no guaranteed resources and does not affect readiness.
    const FORBIDDEN: &[&str] = &[
        "ports",
        "resources",
        "resizePolicy",
        "restartPolicy",
        "restartPolicyRules",
        "livenessProbe",
        "readinessProbe",
        "startupProbe",
        "lifecycle",
    ];
    const DETAIL: &str = "cannot be set for an Ephemeral Container";
    let path = path.child("ephemeralContainers");
    let others = ["containers", "initContainers"];
    let mut names: BTreeSet<&str> = others
        .iter()
        .flat_map(|name| list(pod.spec, name))
        .map(|c| text(c, "name"))
        .collect();
    // An ephemeral container cannot target another ephemeral container, so keep only the names of the others.
    let targets: BTreeSet<&str> = names.clone();
    for (index, container) in list(pod.spec, "ephemeralContainers").iter().enumerate() {
        let path = path.index(index);
        common(&path, container, pod, errors);
        trimmed_image(&path, container, errors);
        unique_name(&path, container, &mut names, errors);
        let target = text(container, "targetContainerName");
        if !target.is_empty() && !targets.contains(target) {
            errors.not_found(&path.child("targetContainerName"), target, "");
        }
        let resources = field(container, "resources");
        let mut amounts = ["limits", "requests", "claims"].iter();
        let needs_resources = amounts.any(|name| has(resources, name));
        let set = |name: &&&str| match **name {
            "resources" => needs_resources,
            name => has(container, name),
        };
        for name in FORBIDDEN.iter().filter(set) {
            errors.forbidden(&path.child(name), DETAIL);
        }
        // Mounts of single paths are cleaned up only when the Pod ends.
        let mounts = path.child("volumeMounts");
        for (index, mount) in list(container, "volumeMounts").iter().enumerate() {
            for name in ["subPath", "subPathExpr"] {
                if !text(mount, name).is_empty() {
                    errors.forbidden(&mounts.index(index).child(name), DETAIL);
                }
            }
        }
    }
}

/// Rejects images with leading or trailing whitespace in Pods. Stored templates may have them, so templates are not
/// checked.
pub(crate) fn trimmed_images(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    for kind in ["containers", "initContainers"] {
        let path = path.child(kind);
        for (index, container) in list(spec, kind).iter().enumerate() {
            trimmed_image(&path.index(index), container, errors);
        }
    }
}

/// Rejects an image with leading or trailing whitespace.
pub(crate) fn trimmed_image(path: &Path<'_>, container: &Value, errors: &mut Errors) {
    let image = text(container, "image");
    if image.trim() != image {
        let detail = "must not have leading or trailing whitespace";
        errors.invalid_shown(&path.child("image"), &go::quoted(image), detail);
    }
}

fn unique_name<'a>(
    path: &Path<'_>,
    container: &'a Value,
    names: &mut BTreeSet<&'a str>,
    errors: &mut Errors,
) {
    let name = text(container, "name");
    if !names.insert(name) {
        errors.duplicate(&path.child("name"), &go::quoted(name));
    }
}

/// Validates the fields of long-running containers: lifecycle hooks and probes.
fn running(path: &Path<'_>, container: &Value, pod: &Pod<'_>, errors: &mut Errors) {
    probe::lifecycle(
        &path.child("lifecycle"),
        field(container, "lifecycle"),
        pod.grace_period(),
        errors,
    );
    probe::probes(path, container, pod.grace_period(), errors);
}

fn common(path: &Path<'_>, container: &Value, pod: &Pod<'_>, errors: &mut Errors) {
    required_name(path, container, "name", names::dns1123_label, errors);
    required_text(path, container, "image", errors);
    required_one_of(
        path,
        container,
        "terminationMessagePolicy",
        &["File", "FallbackToLogsOnError"],
        errors,
    );
    ports(&path.child("ports"), container, errors);
    env::variables(&path.child("env"), container, errors);
    env::sources(&path.child("envFrom"), container, errors);
    mounts::volume_mounts(path, container, pod, errors);
    mounts::volume_devices(path, container, pod, errors);
    required_one_of(
        path,
        container,
        "imagePullPolicy",
        &["Always", "IfNotPresent", "Never"],
        errors,
    );
    let resources = field(container, "resources");
    requirements(
        &path.child("resources"),
        resources,
        container_resource_name,
        errors,
    );
    claims(
        &path.child("resources").child("claims"),
        resources,
        pod,
        errors,
    );
    resize_policy(&path.child("resizePolicy"), container, pod, errors);
    security::container(
        &path.child("securityContext"),
        field(container, "securityContext"),
        pod,
        errors,
    );
}

fn ports(path: &Path<'_>, container: &Value, errors: &mut Errors) {
    let mut seen = BTreeSet::new();
    for (index, port) in list(container, "ports").iter().enumerate() {
        let path = path.index(index);
        let name = text(port, "name");
        if !name.is_empty() {
            let wrong = names::port_name(name);
            // Upstream reports a duplicate only if the name is valid.
            if wrong.is_empty() && !seen.insert(name) {
                errors.duplicate(&path.child("name"), &go::quoted(name));
            }
            errors.invalid_each(&path.child("name"), name, wrong);
        }
        match int(port, "containerPort") {
            // A missing number decodes to 0 in Go, so report 0 as missing rather than as out of range.
            0 => errors.required(&path.child("containerPort"), ""),
            number => port_number(&path.child("containerPort"), number, errors),
        }
        match int(port, "hostPort") {
            0 => {}
            number => port_number(&path.child("hostPort"), number, errors),
        }
        required_one_of(&path, port, "protocol", PROTOCOLS, errors);
    }
}

fn host_port_conflicts(path: &Path<'_>, containers: &[Value], errors: &mut Errors) {
    let mut seen = BTreeSet::new();
    for (index, container) in containers.iter().enumerate() {
        let container_path = path.index(index);
        let ports_path = container_path.child("ports");
        for (index, port) in list(container, "ports").iter().enumerate() {
            let number = int(port, "hostPort");
            if number == 0 {
                continue;
            }
            // A port number may be bound once per protocol and address.
            let key = format!(
                "{}/{}/{number}",
                text(port, "protocol"),
                text(port, "hostIP")
            );
            if seen.contains(&key) {
                errors.duplicate(
                    &ports_path.index(index).child("hostPort"),
                    &go::quoted(&key),
                );
            }
            seen.insert(key);
        }
    }
}

/// Requires the host port to equal the container port on the host network.
pub(crate) fn host_network_ports(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    if !flag(spec, "hostNetwork") {
        return;
    }
    let containers = path.child("containers");
    for (index, container) in list(spec, "containers").iter().enumerate() {
        let container_path = containers.index(index);
        let ports = container_path.child("ports");
        for (index, port) in list(container, "ports").iter().enumerate() {
            let host = int(port, "hostPort");
            if host != int(port, "containerPort") && host != 0 {
                errors.invalid(
                    &ports.index(index).child("hostPort"),
                    &host.into(),
                    "must match `containerPort` when `hostNetwork` is true",
                );
            }
        }
    }
}

/// Validates requests and limits; `name_rule` validates the resource names.
pub(crate) fn requirements(
    path: &Path<'_>,
    resources: &Value,
    name_rule: fn(&Path<'_>, &str, &mut Errors),
    errors: &mut Errors,
) {
    let (limits_path, requests_path) = (path.child("limits"), path.child("requests"));
    for (which, path) in [("limits", &limits_path)] {
        for (name, amount) in entries(resources, which) {
            name_rule(&path.key(name), name, errors);
            resource_amount(&path.key(name), name, amount, errors);
            whole_pages(&path.key(name), name, &quantity(amount), errors);
        }
    }
    let limits = resource_list(resources, "limits");
    for (name, amount) in entries(resources, "requests") {
        name_rule(&requests_path.key(name), name, errors);
        resource_amount(&requests_path.key(name), name, amount, errors);
        let request = quantity(amount);
        // Extended resources and huge pages cannot be overcommitted, so request and limit must be equal.
        let over = may_overcommit(name);
        match limits.get(name) {
            Some(limit) if !over && request != *limit => errors.invalid_shown(
                &requests_path,
                &shown_amount(&request),
                &format!("must be equal to {name} limit of {limit}"),
            ),
            Some(limit) if request > *limit => errors.invalid_shown(
                &requests_path,
                &shown_amount(&request),
                &format!("must be less than or equal to {name} limit of {limit}"),
            ),
            None if !over => errors.required(
                &limits_path,
                "Limit must be set for non overcommitable resources",
            ),
            _ => {}
        }
        whole_pages(&requests_path.key(name), name, &request, errors);
    }
    let named = |wanted: fn(&str) -> bool| {
        ["limits", "requests"]
            .iter()
            .any(|which| entries(resources, which).any(|(name, _)| wanted(name)))
    };
    // Without CPU or memory, a Pod with huge pages would be BestEffort, the class that is evicted first.
    if named(|name| name.starts_with("hugepages-")) && !named(|n| matches!(n, "cpu" | "memory")) {
        errors.forbidden(path, "HugePages require cpu or memory");
    }
}

/// Requires an amount of huge pages to be a multiple of the page size, which is part of the resource name.
fn whole_pages(path: &Path<'_>, name: &str, amount: &Quantity, errors: &mut Errors) {
    let Some(size) = name.strip_prefix("hugepages-") else {
        return;
    };
    let size = Quantity::parse(size).ok().filter(Quantity::is_whole);
    let size = size.map(|size| size.ceil()).filter(|size| *size > 0);
    // Part of a page cannot be mapped.
    if size.is_none_or(|size| amount.ceil() % size != 0) {
        let detail = format!("{amount} is not positive integer multiple of {name}");
        errors.invalid_shown(path, &shown_amount(amount), &detail);
    }
}

/// Requires the claims that a container uses to be claims of the Pod.
fn claims(path: &Path<'_>, resources: &Value, pod: &Pod<'_>, errors: &mut Errors) {
    let known: Vec<&str> = list(pod.spec, "resourceClaims")
        .iter()
        .map(|c| text(c, "name"))
        .collect();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for (index, claim) in list(resources, "claims").iter().enumerate() {
        let (name, request) = (text(claim, "name"), text(claim, "request"));
        if name.is_empty() {
            errors.required(&path.index(index), "");
            continue;
        }
        // A container uses either a whole claim or single requests of it.
        if seen.contains(name) {
            errors.duplicate(&path.index(index), &go::quoted(name));
        } else {
            let path = path.index(index);
            optional_name(&path, claim, "request", names::dns1123_label, errors);
            let key = match request {
                "" => name.to_owned(),
                request => format!("{name}/{request}"),
            };
            if seen.contains(&key) {
                errors.duplicate(&path, &go::quoted(&key));
            } else if request.is_empty() {
                let is_part = |known: &&String| {
                    known
                        .split_once('/')
                        .is_some_and(|(claim, _)| claim == name)
                };
                for _ in seen.iter().filter(is_part) {
                    errors.duplicate(&path, &go::quoted(name));
                }
            }
            seen.insert(key);
        }
        if known.is_empty() {
            let detail = "must be one of the names in pod.spec.resourceClaims which is empty";
            errors.not_found(&path.index(index), name, detail);
        } else if !known.contains(&name) {
            // The error lists each name once, in sorted order.
            let listed = known.iter().copied().collect::<BTreeSet<_>>();
            let listed = listed.into_iter().collect::<Vec<_>>().join(", ");
            let detail = format!("must be one of the names in pod.spec.resourceClaims: {listed}");
            errors.not_found(&path.index(index), name, &detail);
        }
    }
}

fn resize_policy(path: &Path<'_>, container: &Value, pod: &Pod<'_>, errors: &mut Errors) {
    let mut seen = BTreeSet::new();
    for (index, policy) in list(container, "resizePolicy").iter().enumerate() {
        let resource = text(policy, "resourceName");
        if !seen.insert(resource) {
            errors.duplicate(&path.index(index), &go::quoted(resource));
        }
        match resource {
            "" => errors.required(path, ""),
            "cpu" | "memory" => {}
            _ => errors.not_supported(path, field(policy, "resourceName"), &["cpu", "memory"]),
        }
        match text(policy, "restartPolicy") {
            "" => errors.required(path, ""),
            "NotRequired" | "RestartContainer" => {}
            _ => errors.not_supported(
                path,
                field(policy, "restartPolicy"),
                &["NotRequired", "RestartContainer"],
            ),
        }
        let restart = text(policy, "restartPolicy");
        // A resize that restarts the container contradicts a Pod whose containers never restart.
        if text(pod.spec, "restartPolicy") == "Never" && restart != "NotRequired" {
            let detail = "must be 'NotRequired' when pod `restartPolicy` is 'Never'";
            errors.invalid_shown(path, &go::quoted(restart), detail);
        }
    }
}

/// Requires a restart policy beside restart rules; returns true if there is one.
fn required_policy(path: &Path<'_>, container: &Value, errors: &mut Errors) -> bool {
    let set = has(container, "restartPolicy");
    if !set && len(container, "restartPolicyRules") > 0 {
        errors.required(
            &path.child("restartPolicy"),
            "must specify restartPolicy when restart rules are used",
        );
    }
    set
}

/// Validates the restart policy of a container and the rules that precede it.
fn restart_rules(path: &Path<'_>, container: &Value, errors: &mut Errors) {
    one_of(path, container, "restartPolicy", RESTART, errors);
    let (path, rules) = (
        path.child("restartPolicyRules"),
        list(container, "restartPolicyRules"),
    );
    if rules.len() > 20 {
        errors.too_many(&path, rules.len(), 20);
    }
    for (index, rule) in rules.iter().enumerate() {
        let path = path.index(index);
        let actions = &["Restart", "RestartAllContainers"];
        listed(&path, rule, "action", actions, errors);
        let codes_path = path.child("exitCodes");
        if !has(rule, "exitCodes") {
            errors.required(&codes_path, "must be specified");
            continue;
        }
        let codes = field(rule, "exitCodes");
        listed(&codes_path, codes, "operator", &["In", "NotIn"], errors);
        let count = len(codes, "values");
        if count > 255 {
            errors.too_many(&codes_path.child("values"), count, 255);
        }
    }
}
