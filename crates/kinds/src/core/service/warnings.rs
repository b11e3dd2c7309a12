//! The warnings about a Service.

use crate::api::json::Value;
use crate::tree::{as_text, field, has, list, text};
use crate::validate::Path;
use crate::warnings::{address, range};

/// Adds the warnings for deprecated fields and for fields that the type of the Service ignores.
pub(super) fn collect(object: &Value, warnings: &mut Vec<String>) {
    let annotations = field(field(object, "metadata"), "annotations");
    if has(annotations, "service.kubernetes.io/topology-aware-hints") {
        warnings.push(
            "annotation service.kubernetes.io/topology-aware-hints is deprecated, please use \
             service.kubernetes.io/topology-mode instead"
                .to_owned(),
        );
    }
    let spec = field(object, "spec");
    let kind = text(spec, "type");
    // A headless Service only provides DNS records: kube-proxy never handles its traffic.
    let headless = kind == "ClusterIP" && text(spec, "clusterIP") == "None";
    let (named, external) = (
        kind == "ExternalName",
        !list(spec, "externalIPs").is_empty(),
    );
    let affinity = text(spec, "sessionAffinity") != "None";
    let near = text(spec, "trafficDistribution");
    let path = Path::root("spec");
    let addresses = |name: &str, warnings: &mut Vec<String>| {
        let path = path.child(name);
        for (index, value) in list(spec, name).iter().enumerate() {
            address(&path.index(index), as_text(value), warnings);
        }
    };
    if !headless {
        addresses("clusterIPs", warnings);
    }
    // In the order of upstream, which may give several warnings about one field.
    add_warnings(
        &[
            (
                headless && !text(spec, "loadBalancerIP").is_empty(),
                "spec.loadBalancerIP is ignored for headless services",
            ),
            (
                headless && external,
                "spec.externalIPs is ignored for headless services",
            ),
            (
                headless && affinity,
                "spec.SessionAffinity is ignored for headless services",
            ),
        ],
        warnings,
    );
    addresses("externalIPs", warnings);
    add_warnings(
        &[(
            external && !headless && !named,
            "spec.externalIPs is deprecated and may no longer be implemented in some clusters",
        )],
        warnings,
    );
    let single = text(spec, "loadBalancerIP");
    if !single.is_empty() {
        address(&path.child("loadBalancerIP"), single, warnings);
    }
    let sources = path.child("loadBalancerSourceRanges");
    for (index, value) in list(spec, "loadBalancerSourceRanges").iter().enumerate() {
        range(&sources.index(index), as_text(value), warnings);
    }
    add_warnings(
        &[
            (
                named && external,
                "spec.externalIPs is ignored when spec.type is \"ExternalName\"",
            ),
            (
                !named && !text(spec, "externalName").is_empty(),
                "spec.externalName is ignored when spec.type is not \"ExternalName\"",
            ),
            (
                near == "PreferClose",
                "spec.trafficDistribution: \"PreferClose\" is deprecated; use \"PreferSameZone\"",
            ),
        ],
        warnings,
    );
}

/// Adds the warnings whose conditions hold.
fn add_warnings(all: &[(bool, &str)], warnings: &mut Vec<String>) {
    let told = all.iter().filter(|(holds, _)| *holds);
    warnings.extend(told.map(|(_, warning)| (*warning).to_owned()));
}

#[cfg(test)]
mod tests {
    use super::collect;
    use crate::api::json::{Value, json};

    #[test]
    fn fields_that_are_deprecated_or_ignored_are_warned_about() {
        let told = |spec: Value| {
            let mut warnings = Vec::new();
            collect(&json!({"spec": spec}), &mut warnings);
            warnings.join("; ")
        };
        let plain =
            json!({"type": "ClusterIP", "clusterIP": "10.96.0.9", "sessionAffinity": "None"});
        assert_eq!(told(plain.clone()), "");
        let mut external = plain.clone();
        external["externalIPs"] = json!(["192.0.2.1"]);
        let wanted =
            "spec.externalIPs is deprecated and may no longer be implemented in some clusters";
        assert_eq!(told(external.clone()), wanted);
        external["clusterIP"] = json!("None");
        external["sessionAffinity"] = json!("ClientIP");
        let wanted = "spec.externalIPs is ignored for headless services; \
                      spec.SessionAffinity is ignored for headless services";
        assert_eq!(told(external), wanted);
        let mut near = plain;
        near["trafficDistribution"] = json!("PreferClose");
        let wanted =
            "spec.trafficDistribution: \"PreferClose\" is deprecated; use \"PreferSameZone\"";
        assert_eq!(told(near), wanted);
    }
}
