//! The texts of the server's `Warning` headers.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::hooks::WarnedUpdates;
use super::kind::Kind;
use super::pod::resources::quantity;
use super::pod::warnings::pod_template;
use super::tree::{at, field, has, int, text, texts};
use crate::api::json::Value;
use crate::api::names;
use crate::validate::path::Path;

const SURPRISE: &str = "which can result in surprising behavior; a DNS label is recommended";

/// The start of each warning about a name.
const NAME: &str = "metadata.name: ";

/// The finalizers that the API itself defines: those of the garbage collector and of namespaces.
const META_FINALIZERS: &[&str] = &["orphan", "foregroundDeletion", "kubernetes"];

/// Returns the warning for a deprecated version. Every request gets it, including reads.
pub fn deprecation(kind: &Kind) -> Option<&str> {
    if let Some(custom) = kind.custom {
        return custom.deprecation.as_deref();
    }
    kind.hooks.deprecation
}

/// Returns the warnings for new finalizers of a custom resource; those of other kinds are rejected.
pub fn of_finalizers(kind: &Kind, new: &Value, old: Option<&Value>) -> Vec<String> {
    if kind.custom.is_none() {
        return Vec::new();
    }
    let of =
        |object| -> BTreeSet<&str> { texts(field(object, "metadata"), "finalizers").collect() };
    let mut added = of(new);
    // Warn about additions only: controllers rewrite objects with old finalizers again and again.
    for known in old.map(of).unwrap_or_default() {
        added.remove(known);
    }
    added.retain(|name| !name.contains('/') && !META_FINALIZERS.contains(name));
    let said = added.into_iter().map(|name| {
        format!(
            "metadata.finalizers: {name:?}: prefer a domain-qualified finalizer name including a path (/) to avoid \
             accidental conflicts with other finalizer writers"
        )
    });
    said.collect()
}

/// Returns the warnings for an object whose defaults are set.
pub fn of(kind: &Kind, object: &Value) -> Vec<String> {
    let mut warnings = of_request(kind);
    // For custom resources, upstream warns only about the version and the finalizers.
    if kind.custom.is_some() {
        return warnings;
    }
    if let Some(own) = kind.hooks.warnings {
        own(object, &mut warnings);
    }
    warnings
}

/// Returns the warnings for an update of an object. None of them is about the name, which cannot change.
pub fn of_update(kind: &Kind, new: &Value, old: &Value) -> Vec<String> {
    let generation = |object| int(field(object, "metadata"), "generation");
    let tells = match kind.hooks.warned_updates {
        WarnedUpdates::Always | WarnedUpdates::NewWarnings => true,
        WarnedUpdates::NewGeneration => generation(new) != generation(old),
        WarnedUpdates::If(tells) => tells(new, old),
        WarnedUpdates::Never => false,
    };
    if !tells {
        return of_request(kind);
    }
    let mut warnings = of(kind, new);
    warnings.retain(|text| !text.starts_with(NAME));
    if let WarnedUpdates::NewWarnings = kind.hooks.warned_updates {
        let known = of(kind, old);
        warnings.retain(|text| !known.contains(text));
    }
    warnings
}

/// Returns the warnings for a request that touches only a part of an object, such as its status.
pub fn of_request(kind: &Kind) -> Vec<String> {
    deprecation(kind).map(str::to_owned).into_iter().collect()
}

/// Adds the warnings for the Pod template of a workload.
pub(crate) fn of_template(object: &Value, warnings: &mut Vec<String>) {
    let spec = field(object, "spec");
    if has(spec, "template") {
        let path = Path::root("spec.template");
        pod_template(&path, field(spec, "template"), warnings);
    }
}

/// Adds the warnings for a workload whose name becomes part of the names of its Pods.
pub(crate) fn of_named_template(object: &Value, warnings: &mut Vec<String>) {
    name(object, "Pod names and hostnames", warnings);
    of_template(object, warnings);
}

/// Adds the warning for a name that is not a DNS label although it is used as one.
pub(crate) fn name(object: &Value, used_in: &str, warnings: &mut Vec<String>) {
    let metadata = field(object, "metadata");
    let generated;
    let name = match text(metadata, "name") {
        "" => {
            // The API server appends five characters to the prefix; zeros stand in for them.
            let prefix = text(metadata, "generateName").chars().take(58);
            generated = prefix.chain("00000".chars()).collect::<String>();
            &generated
        }
        name => name,
    };
    let wrong = names::dns1123_label(name);
    if !wrong.is_empty() {
        let wrong = wrong.join(" ");
        warnings.push(format!(
            "{NAME}this is used in {used_in}, {SURPRISE}: [{wrong}]"
        ));
    }
}

/// Adds the warnings for fractional byte amounts in `resources`.
pub(crate) fn fractions(path: &Path<'_>, holder: &Value, warnings: &mut Vec<String>) {
    let path = path.child("resources");
    let resources = field(holder, "resources");
    for resource in ["memory", "ephemeral-storage"] {
        for which in ["limits", "requests"] {
            fraction(
                &path.child(which),
                field(resources, which),
                resource,
                warnings,
            );
        }
    }
}

/// Adds the warnings for fractional amounts of storage in a claim.
pub(crate) fn claim_fractions(path: &Path<'_>, claim: &Value, warnings: &mut Vec<String>) {
    let path = path.child("resources");
    for which in ["requests", "limits"] {
        let amounts = at(claim, &["resources", which]);
        fraction(&path.child(which), amounts, "storage", warnings);
    }
}

/// Adds the warning for a fractional amount of one resource.
pub(crate) fn fraction(
    path: &Path<'_>,
    amounts: &Value,
    resource: &str,
    warnings: &mut Vec<String>,
) {
    if !has(amounts, resource) {
        return;
    }
    let amount = quantity(field(amounts, resource));
    if !amount.is_whole() {
        let path = path.key(resource);
        warnings.push(format!(
            "{path}: fractional byte value \"{amount}\" is invalid, must be an integer"
        ));
    }
}

/// Adds the warning for an IP address that is not in canonical form.
pub(crate) fn address(path: &Path<'_>, value: &str, warnings: &mut Vec<String>) {
    match value.parse() {
        Ok(IpAddr::V6(v6)) => match v6.to_ipv4_mapped() {
            Some(v4) => warnings.push(format!(
                "{path}: non-standard IP address {value:?} will be considered invalid in a future Kubernetes \
                 release: use \"{v4}\""
            )),
            None if v6.to_string() != value => warnings.push(format!(
                "{path}: IPv6 address {value:?} should be in RFC 5952 canonical format (\"{v6}\")"
            )),
            None => {}
        },
        // A malformed address is an error, not a warning.
        Ok(IpAddr::V4(_)) | Err(_) => {}
    }
}

/// Adds the warning for a CIDR that is not in canonical form.
pub(crate) fn range(path: &Path<'_>, value: &str, warnings: &mut Vec<String>) {
    let Some((base, length)) = value.split_once('/') else {
        return;
    };
    let (Ok(base), Ok(length)) = (base.parse::<IpAddr>(), length.parse::<u32>()) else {
        return;
    };
    let first = match base {
        IpAddr::V4(v4) => {
            let rest = u32::MAX.checked_shr(length).unwrap_or(0);
            IpAddr::from(Ipv4Addr::from_bits(v4.to_bits() & !rest))
        }
        IpAddr::V6(v6) => {
            let rest = u128::MAX.checked_shr(length).unwrap_or(0);
            IpAddr::from(Ipv6Addr::from_bits(v6.to_bits() & !rest))
        }
    };
    // With bits set beyond the prefix, it could mean the whole range or the one address.
    if first != base {
        let all = if base.is_ipv4() { 32 } else { 128 };
        warnings.push(format!(
            "{path}: CIDR value {value:?} is ambiguous in this context (should be \"{first}/{length}\" or \
             \"{base}/{all}\"?)"
        ));
        return;
    }
    let canonical = format!("{base}/{length}");
    if base.is_ipv6() && canonical != value {
        warnings.push(format!(
            "{path}: IPv6 CIDR value {value:?} should be in RFC 5952 canonical format ({canonical:?})"
        ));
    }
}

/// Adds the warning for the annotation that preceded the field `storageClassName`.
pub(crate) fn old_class(object: &Value, warnings: &mut Vec<String>) {
    let annotation = "volume.beta.kubernetes.io/storage-class";
    old_annotation(
        object,
        annotation,
        "v1.8; use \"storageClassName\"",
        warnings,
    );
}

/// Adds the warning for an annotation that preceded a field, with its last version and the field.
pub(crate) fn old_annotation(
    object: &Value,
    annotation: &str,
    since: &str,
    warnings: &mut Vec<String>,
) {
    if has(field(field(object, "metadata"), "annotations"), annotation) {
        warnings.push(format!(
            "metadata.annotations[{annotation}]: deprecated since {since} attribute instead"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::find;

    #[test]
    fn updates_of_workloads_warn_about_changes_of_the_desired_state() {
        let object = |labels: Value, generation: i64, kind: &str| {
            let spec =
                json!({"containers": [{"name": "c", "env": [{"name": "A"}, {"name": "A"}]}]});
            let metadata = json!({"name": "a.b", "generation": generation, "labels": labels});
            match kind {
                "Pod" => json!({"metadata": metadata, "spec": spec}),
                _ => json!({"metadata": metadata, "spec": {"template": {"spec": spec}}}),
            }
        };
        for (group, kind, created, same, changed) in [
            ("apps", "Deployment", 2, 0, 1),
            ("apps", "DaemonSet", 1, 0, 1),
            ("batch", "Job", 2, 0, 1),
            ("", "Pod", 2, 0, 0),
        ] {
            let known = find(group, "v1", kind).unwrap();
            let old = object(json!({}), 1, kind);
            assert_eq!(of(known, &old).len(), created, "{kind}");
            let new = |generation| object(json!({"a": "b"}), generation, kind);
            assert_eq!(of_update(known, &new(1), &old).len(), same, "{kind}");
            assert_eq!(of_update(known, &new(2), &old).len(), changed, "{kind}");
        }
    }

    #[test]
    fn each_kind_has_the_warnings_of_its_strategy() {
        let crt = "-----BEGIN CERTIFICATE-----";
        let os = "beta.kubernetes.io/os";
        let advice = "deprecated since v1.14; use \"kubernetes.io/os\" instead";
        let twice = json!({"containers": [{"name": "c", "env": [{"name": "A"}, {"name": "A"}]}]});
        let hides =
            "[0].env[1]: hides previous definition of \"A\", which may be dropped when using apply";
        let enforce = "kubernetes.io/enforce-mountable-secrets";
        let indexed =
            json!({"completionMode": "Indexed", "completions": 100_001, "parallelism": 10_001});
        let indexed_told = "In Indexed Jobs with a number of completions higher than 10^5 and a parallelism \
             higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of \
             indexes fail";
        let managed = json!({"labels": {"endpointslice.kubernetes.io/managed-by":
            "endpointslice-controller.k8s.io"}});
        let canonical = |what: &str, wrong: &str, right: &str| {
            format!("{what} \"{wrong}\" should be in RFC 5952 canonical format (\"{right}\")")
        };
        let address = canonical("IPv6 address", "2001:DB8::1", "2001:db8::1");
        let range = canonical("IPv6 CIDR value", "2001:DB8::/32", "2001:db8::/32");
        for (group, kind, object, told) in [
            ("", "Secret", json!({"type": "kubernetes.io/tls", "data": {"tls.crt": "Zm9v", "tls.key": crt}}),
                vec!["tls: failed to find any PEM data in certificate input".to_owned()]),
            ("", "Secret", json!({"type": "Opaque", "data": {"tls.crt": "Zm9v"}}), vec![]),
            ("", "ServiceAccount", json!({"metadata": {"annotations": {enforce: "true"}}}), vec![format!(
                "metadata.annotations[{enforce}]: deprecated in v1.32+; prefer separate namespaces to isolate \
                 access to mounted secrets")]),
            ("", "PersistentVolume", json!({"metadata": {"annotations": {
                "volume.beta.kubernetes.io/mount-options": "ro", "volume.beta.kubernetes.io/storage-class": "a"}}}), vec![
                "metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use \
                 \"storageClassName\" attribute instead".to_owned(),
                "metadata.annotations[volume.beta.kubernetes.io/mount-options]: deprecated since v1.31; use \
                 \"mountOptions\" attribute instead".to_owned()]),
            ("", "ReplicationController", json!({"metadata": {"name": "a.c"}}), vec![
                "metadata.name: this is used in Pod names and hostnames, which can result in surprising \
                 behavior; a DNS label is recommended: [must not contain dots]".to_owned()]),
            ("", "PodTemplate", json!({"template": {"spec": twice}}),
                vec![format!("template.spec.containers{hides}")]),
            ("batch", "Job", json!({"spec": indexed}), vec![format!("spec: {indexed_told}")]),
            ("batch", "CronJob", json!({"spec": {"jobTemplate": {"spec": indexed}}}),
                vec![format!("spec.jobTemplate.spec: {indexed_told}")]),
            ("node.k8s.io", "RuntimeClass", json!({"scheduling": {"nodeSelector": {os: "linux"}}}),
                vec![format!("scheduling.nodeSelector: {advice}")]),
            ("storage.k8s.io", "StorageClass",
                json!({"allowedTopologies": [{"matchLabelExpressions": [{"key": os}]}]}),
                vec![format!("allowedTopologies[0].matchLabelExpressions[0].key: {advice}")]),
            ("storage.k8s.io", "CSIStorageCapacity",
                json!({"nodeTopology": {"matchExpressions": [{"key": os}], "matchLabels": {os: "linux"}}}),
                vec![format!("nodeTopology.matchExpressions[0].key: {os} is {advice}"),
                    format!("nodeTopology.matchLabels.{os}: {advice}")]),
            ("", "Node", json!({"spec": {"configSource": {}, "externalID": "x"}}), vec![
                "spec.externalID: this field is deprecated, and is unused by Kubernetes".to_owned()]),
            ("", "Service", json!({"spec": {"type": "LoadBalancer", "sessionAffinity": "None",
                "loadBalancerIP": "2001:DB8::1", "loadBalancerSourceRanges": ["2001:DB8::/32", "10.0.0.1/8"]}}),
                vec![format!("spec.loadBalancerIP: {address}"),
                    format!("spec.loadBalancerSourceRanges[0]: {range}"),
                    "spec.loadBalancerSourceRanges[1]: CIDR value \"10.0.0.1/8\" is ambiguous in this context \
                     (should be \"10.0.0.0/8\" or \"10.0.0.1/32\"?)".to_owned()]),
            ("", "Endpoints", json!({"subsets": [{"notReadyAddresses": [{"ip": "2001:DB8::1"}]}]}), vec![
                "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice".to_owned(),
                format!("subsets[0].notReadyAddresses[0].ip: {address}")]),
            ("discovery.k8s.io", "EndpointSlice", json!({"addressType": "FQDN", "endpoints": []}),
                vec!["spec.addressType: FQDN endpoints are deprecated".to_owned()]),
            ("discovery.k8s.io", "EndpointSlice",
                json!({"endpoints": [{"addresses": ["::ffff:10.0.0.1"]}, {"addresses": ["2001:DB8::1"]}]}),
                vec!["endpoints[0].addresses[0]: non-standard IP address \"::ffff:10.0.0.1\" will be \
                     considered invalid in a future Kubernetes release: use \"10.0.0.1\"".to_owned(),
                    format!("endpoints[1].addresses[0]: {address}")]),
            ("discovery.k8s.io", "EndpointSlice",
                json!({"metadata": managed, "endpoints": [{"addresses": ["2001:DB8::1"]}]}), vec![]),
            ("networking.k8s.io", "NetworkPolicy", json!({"spec": {"egress": [{"to": [
                {"ipBlock": {"cidr": "2001:DB8::/32", "except": ["10.0.0.0/8"]}}]}]}}),
                vec![format!("spec.egress[0].to[0].ipBlock.cidr: {range}")]),
        ] {
            let mut object = object;
            if !has(field(&object, "metadata"), "name") {
                crate::tree::set(crate::tree::ensure(&mut object, "metadata"), "name", "a");
            }
            assert_eq!(of(find(group, "v1", kind).unwrap(), &object), told, "{kind}");
        }
    }

    #[test]
    fn an_account_warns_when_the_annotation_is_new() {
        let kind = find("", "v1", "ServiceAccount").unwrap();
        let plain = json!({"metadata": {"name": "a"}});
        let noted = json!({"metadata": {"name": "a", "annotations":
            {"kubernetes.io/enforce-mountable-secrets": "true"}}});
        assert_eq!(of_update(kind, &noted, &plain).len(), 1);
        assert_eq!(of_update(kind, &noted, &noted).len(), 0);
    }

    #[test]
    fn a_generated_name_is_checked_by_its_prefix() {
        let kind = find("", "v1", "Pod").unwrap();
        let told = |metadata: Value| of(kind, &json!({"metadata": metadata, "spec": {}})).len();
        let long = "a".repeat(80) + "-";
        for metadata in [
            json!({"generateName": "web-"}),
            json!({"generateName": long}),
            json!({"name": "web-1"}),
        ] {
            assert_eq!(told(metadata.clone()), 0, "{metadata}");
        }
        assert_eq!(told(json!({"generateName": "web.a-"})), 1);
        assert_eq!(told(json!({"name": "web.a"})), 1);
    }
}
