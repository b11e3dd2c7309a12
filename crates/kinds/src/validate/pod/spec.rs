//! The pod spec as a whole.

use std::collections::BTreeSet;

use super::super::common::{
    container_resource_name, one_of, optional_name, required_one_of, required_text, resource_name,
    shown_amount,
};
use super::super::errors::Errors;
use super::super::path::Path;
use super::super::{addresses, go, meta, names};
use super::operating_system::{each_container, operating_system};
use super::{Pod, affinity, container, env, scheduling, security, volume};
use crate::api::json::{Value, json};
use crate::pod::resources::{of_pod, resource_list};
use crate::tree::{field, flag, has, len, list, opt_int, set_or_remove, text, texts};

/// Validates the pod spec of a template.
pub(crate) fn template_spec(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    pod_spec(path, "", spec, errors);
}

/// Validates the spec of the Pod called `name`; an empty name means a template.
pub(crate) fn pod_spec(path: &Path<'_>, name: &str, spec: &Value, errors: &mut Errors) {
    let volumes = volume::volumes(&path.child("volumes"), name, spec, errors);
    let pod = Pod::new(spec, volumes);
    resource_claims(&path.child("resourceClaims"), spec, errors);
    container::containers(path, &pod, errors);
    container::init_containers(path, &pod, errors);
    container::ephemeral_containers(path, &pod, errors);
    pod_resources(&path.child("resources"), spec, errors);
    container::host_network_ports(path, spec, errors);
    let policies = &["Always", "OnFailure", "Never"];
    required_one_of(path, spec, "restartPolicy", policies, errors);
    let policies = &["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
    required_one_of(path, spec, "dnsPolicy", policies, errors);
    meta::labels(&path.child("nodeSelector"), spec, "nodeSelector", errors);
    security::pod(&path.child("securityContext"), &pod, errors);
    let rules = field(spec, "affinity");
    affinity::affinity(&path.child("affinity"), rules, errors);
    dns_config(&path.child("dnsConfig"), spec, errors);
    scheduling::gates(path, spec, errors);
    let constraints = path.child("topologySpreadConstraints");
    scheduling::spread(&constraints, spec, errors);
    host_processes(path, spec, errors);
    host_users(path, spec, errors);
    hostname_override(&path.child("hostnameOverride"), spec, errors);
    // The checks keep upstream's order, which determines the order of the errors.
    names_of_others(path, spec, errors);
    scheduling::tolerations(&path.child("tolerations"), spec, errors);
    host_aliases(&path.child("hostAliases"), spec, errors);
    optional_name(
        path,
        spec,
        "priorityClassName",
        names::dns1123_subdomain,
        errors,
    );
    optional_name(
        path,
        spec,
        "runtimeClassName",
        names::dns1123_subdomain,
        errors,
    );
    let policies = &["Never", "PreemptLowerPriority"];
    one_of(path, spec, "preemptionPolicy", policies, errors);
    if has(spec, "overhead") {
        // Upstream validates the overhead like the limits of a container, and its error paths show it.
        let overhead = json!({"limits": field(spec, "overhead")});
        let rule = container_resource_name;
        container::requirements(&path.child("overhead"), &overhead, rule, errors);
    }
    operating_system(path, spec, errors);
    env::file_volumes(path, spec, errors);
}

fn names_of_others(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    optional_name(
        path,
        spec,
        "serviceAccountName",
        names::dns1123_subdomain,
        errors,
    );
    optional_name(path, spec, "nodeName", names::dns1123_subdomain, errors);
    if let Some(seconds) = opt_int(spec, "activeDeadlineSeconds") {
        // The field is an int64, but upstream accepts only positive 32-bit values.
        let max = i64::from(i32::MAX);
        if !(1..=max).contains(&seconds) {
            let path = path.child("activeDeadlineSeconds");
            errors.invalid(&path, &json!(seconds), &names::range(1, max));
        }
    }
    optional_name(path, spec, "hostname", names::dns1123_label, errors);
    optional_name(path, spec, "subdomain", names::dns1123_label, errors);
}

/// Validates a host name that replaces the name of the Pod.
fn hostname_override(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    // The kernel limits host names to 64 characters.
    const MAX: usize = 64;
    let name = "hostnameOverride";
    if !has(spec, name) {
        return;
    }
    for other in ["setHostnameAsFQDN", "hostNetwork"] {
        if flag(spec, other) {
            let detail = format!("may not be specified when {other} is true");
            errors.forbidden(path, &detail);
        }
    }
    let name = text(spec, name);
    if name.len() > MAX {
        errors.too_long(path, MAX);
    }
    errors.invalid_each(path, name, names::dns1123_subdomain(name));
}

/// Validates the Pod-level resources.
fn pod_resources(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    if !has(spec, "resources") {
        return;
    }
    if text(field(spec, "os"), "name") == "windows" {
        return errors.forbidden(path, "may not be set for a windows pod");
    }
    let resources = field(spec, "resources");
    if has(resources, "claims") {
        let detail = "claims may not be set for Resources at pod-level";
        errors.forbidden(&path.child("claims"), detail);
    }
    container::requirements(path, resources, pod_resource_name, errors);
    // The Pod's own amounts would replace the sum of the containers, so leave them out.
    let mut parts = spec.clone();
    for name in ["resources", "overhead"] {
        set_or_remove(&mut parts, name, None);
    }
    for which in ["requests", "limits"] {
        let (path, own) = (path.child(which), resource_list(resources, which));
        for (name, sum) in of_pod(&parts, which) {
            // Huge pages cannot be overcommitted, so that only their limits are compared as sums.
            let counts = which == "requests" || name.starts_with("hugepages-");
            if let Some(own) = own.get(&name).filter(|own| counts && sum > **own) {
                let detail = format!(
                    "must be greater than or equal to aggregate container {which} of {sum}"
                );
                errors.invalid_shown(&path.key(&name), &shown_amount(own), &detail);
            }
        }
    }
    let own = resource_list(resources, "limits");
    let containers = path.child("containers");
    for (index, container) in list(spec, "containers").iter().enumerate() {
        let path = containers.index(index);
        for (name, limit) in resource_list(field(container, "resources"), "limits") {
            if let Some(own) = own.get(&name).filter(|own| limit > **own) {
                let detail = format!("must be less than or equal to pod limits of {own}");
                let path = path.key(&name);
                errors.invalid_shown(&path.child("limits"), &shown_amount(&limit), &detail);
            }
        }
    }
}

fn pod_resource_name(path: &Path<'_>, name: &str, errors: &mut Errors) {
    let before = errors.len();
    resource_name(path, name, errors);
    let known = matches!(name, "cpu" | "memory") || name.starts_with("hugepages-");
    if errors.len() == before && !known {
        let supported = &["cpu", "hugepages-", "memory"];
        errors.not_supported_shown(path, &go::quoted(name), supported);
    }
}

fn resource_claims(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    let mut seen = BTreeSet::new();
    for (index, claim) in list(spec, "resourceClaims").iter().enumerate() {
        let path = path.index(index);
        let name = text(claim, "name");
        if required_text(&path, claim, "name", errors) {
            if seen.insert(name) {
                optional_name(&path, claim, "name", names::dns1123_label, errors);
            } else {
                errors.duplicate(&path.child("name"), &go::quoted(name));
            }
        }
        let wrong = match (
            has(claim, "resourceClaimName"),
            has(claim, "resourceClaimTemplateName"),
        ) {
            (false, false) => {
                "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
            }
            (true, true) => {
                "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
            }
            _ => "",
        };
        if !wrong.is_empty() {
            errors.invalid_shown(&path, &go::shown_as("PodResourceClaim", claim), wrong);
        }
        for name in ["resourceClaimName", "resourceClaimTemplateName"] {
            // The names are pointers upstream, so an empty one is set and invalid.
            if has(claim, name) {
                let called = text(claim, name);
                let wrong = names::dns1123_subdomain(called);
                errors.invalid_each(&path.child(name), called, wrong);
            }
        }
    }
}

fn dns_config(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    const SERVERS: usize = 3;
    const SEARCHES: usize = 32;
    const SEARCH_CHARACTERS: usize = 2048;
    let config = field(spec, "dnsConfig");
    let servers = path.child("nameservers");
    // `None` ignores the node's resolver. Without a configuration, the Pod would have no DNS at all.
    if text(spec, "dnsPolicy") == "None" {
        if config.is_null() {
            return errors.required(path, "must provide `dnsConfig` when `dnsPolicy` is None");
        }
        if len(config, "nameservers") == 0 {
            let detail = "must provide at least one DNS nameserver when `dnsPolicy` is None";
            return errors.required(&servers, detail);
        }
    }
    if len(config, "nameservers") > SERVERS {
        let detail = format!("must not have more than {SERVERS} nameservers");
        errors.invalid(&servers, field(config, "nameservers"), &detail);
    }
    for (index, server) in texts(config, "nameservers").enumerate() {
        errors.invalid_each(&servers.index(index), server, addresses::ip(server, true));
    }
    let searches = path.child("searches");
    if len(config, "searches") > SEARCHES {
        let detail = format!("must not have more than {SEARCHES} search paths");
        errors.invalid(&searches, field(config, "searches"), &detail);
    }
    let spaces = len(config, "searches").saturating_sub(1);
    let characters = texts(config, "searches").map(str::len).sum::<usize>() + spaces;
    if characters > SEARCH_CHARACTERS {
        let detail = format!(
            "must not have more than {SEARCH_CHARACTERS} characters (including spaces) in the search list"
        );
        errors.invalid(&searches, field(config, "searches"), &detail);
    }
    for (index, search) in texts(config, "searches").enumerate() {
        // A single dot stands for the root domain. It is no valid name, but resolv.conf accepts it.
        if search != "." {
            let name = search.strip_suffix('.').unwrap_or(search);
            errors.invalid_each(&searches.index(index), search, names::search_domain(name));
        }
    }
    for (index, option) in list(config, "options").iter().enumerate() {
        if text(option, "name").is_empty() {
            errors.required(&path.child("options").index(index), "must not be empty");
        }
    }
}

fn host_aliases(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    for (index, alias) in list(spec, "hostAliases").iter().enumerate() {
        let path = path.index(index);
        let ip = text(alias, "ip");
        errors.invalid_each(&path.child("ip"), ip, addresses::ip(ip, true));
        let hostnames = path.child("hostnames");
        for (index, name) in texts(alias, "hostnames").enumerate() {
            let wrong = names::dns1123_subdomain(name);
            errors.invalid_each(&hostnames.index(index), name, wrong);
        }
    }
}

/// Allows Windows containers that run directly on the host only in Pods with the host network and without other
/// containers.
fn host_processes(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    let setting = |holder: &Value| {
        let context = field(holder, "securityContext");
        field(field(context, "windowsOptions"), "hostProcess").as_bool()
    };
    let of_pod = setting(spec);
    let (mut all, mut on_host) = (0, 0);
    each_container(path, spec, &mut |path, container| {
        let own = setting(container);
        if let (Some(of_pod), Some(own)) = (of_pod, own)
            && of_pod != own
        {
            let path = path.child("securityContext");
            let path = path.child("windowsOptions");
            let detail = format!(
                "pod hostProcess value must be identical if both are specified, was {of_pod}"
            );
            errors.invalid(&path.child("hostProcess"), &json!(own), &detail);
        }
        all += 1;
        // A container without a value inherits the Pod's.
        if own.or(of_pod) == Some(true) {
            on_host += 1;
        }
    });
    if on_host == 0 {
        return;
    }
    if on_host != all {
        let detail = "If pod contains any hostProcess containers then all containers must be HostProcess containers";
        errors.invalid_shown(path, "\"\"", detail);
    }
    if !flag(spec, "hostNetwork") {
        errors.invalid(
            &path.child("hostNetwork"),
            &json!(false),
            "hostNetwork must be true if pod contains any hostProcess containers",
        );
    }
}

/// Rejects the use of host namespaces by a Pod that has its own user namespace.
fn host_users(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    const DETAIL: &str = "when `hostUsers` is false";
    // An unset field means true: the Pod shares the user namespace of the host.
    if field(spec, "hostUsers") != &json!(false) {
        return;
    }
    // Upstream's paths have these names.
    for (name, shown) in [
        ("hostNetwork", "hostNetwork"),
        ("hostPID", "HostPID"),
        ("hostIPC", "HostIPC"),
    ] {
        if flag(spec, name) {
            errors.forbidden(&path.child(shown), DETAIL);
        }
    }
    // Block devices do not support the mapping of users.
    each_container(path, spec, &mut |path, container| {
        if len(container, "volumeDevices") > 0 {
            errors.forbidden(&path.child("volumeDevices"), DETAIL);
        }
    });
}
