//! The rules of a NetworkPolicy.

use crate::api::json::Value;
use crate::tree::{as_text, field, has, len, list, text, texts};
use crate::validate::common::{label_selector, one_of, port_number, port_or_name, required_text};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{addresses, go, meta, names};

/// Validates a new NetworkPolicy.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
    policy_spec(&Path::root("spec"), field(object, "spec"), errors);
}

/// Validates an update of a NetworkPolicy.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    policy_spec(&Path::root("spec"), field(object, "spec"), errors);
}

fn policy_spec(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    label_selector(
        &path.child("podSelector"),
        field(spec, "podSelector"),
        errors,
    );
    for (name, peers) in [("ingress", "from"), ("egress", "to")] {
        let rules = path.child(name);
        for (index, rule) in list(spec, name).iter().enumerate() {
            let rule_path = rules.index(index);
            let ports = rule_path.child("ports");
            for (index, port) in list(rule, "ports").iter().enumerate() {
                policy_port(&ports.index(index), port, errors);
            }
            let peers_path = rule_path.child(peers);
            for (index, peer) in list(rule, peers).iter().enumerate() {
                policy_peer(&peers_path.index(index), peer, errors);
            }
        }
    }
    let types = path.child("policyTypes");
    if len(spec, "policyTypes") > 2 {
        let detail = "may not specify more than two policyTypes";
        // Upstream does not check the items of a list that is too long.
        return errors.invalid(&types, field(spec, "policyTypes"), detail);
    }
    for (index, kind) in list(spec, "policyTypes").iter().enumerate() {
        if !matches!(as_text(kind), "Ingress" | "Egress") {
            errors.not_supported(&types.index(index), kind, &["Ingress", "Egress"]);
        }
    }
}

fn policy_port(path: &Path<'_>, port: &Value, errors: &mut Errors) {
    one_of(path, port, "protocol", &["TCP", "UDP", "SCTP"], errors);
    let (number, end) = (field(port, "port"), field(port, "endPort"));
    let end_path = path.child("endPort");
    if number.is_null() {
        if !end.is_null() {
            errors.invalid(
                &end_path,
                end,
                "may not be specified when `port` is not specified",
            );
        }
        return;
    }
    // Upstream checks the name of a port after `endPort`, but a number before it.
    if number.as_i64().is_none() && !end.is_null() {
        let detail = "may not be specified when `port` is non-numeric";
        errors.invalid(&end_path, end, detail);
    }
    port_or_name(&path.child("port"), number, errors);
    match number.as_i64().filter(|_| !end.is_null()) {
        None => {}
        Some(first) => {
            let last = end.as_i64().unwrap_or(0);
            if last < first {
                // Upstream shows the value of `port` here, with the path of `endPort`.
                errors.invalid(&end_path, number, "must be greater than or equal to `port`");
            }
            port_number(&end_path, last, errors);
        }
    }
}

fn policy_peer(path: &Path<'_>, peer: &Value, errors: &mut Errors) {
    let mut count = 0;
    for name in ["podSelector", "namespaceSelector"] {
        if has(peer, name) {
            count += 1;
            label_selector(&path.child(name), field(peer, name), errors);
        }
    }
    if has(peer, "ipBlock") {
        count += 1;
        ip_block(&path.child("ipBlock"), field(peer, "ipBlock"), errors);
    }
    if count == 0 {
        errors.required(path, "must specify a peer");
    // The two selectors may be combined: Pods with these labels in namespaces with those labels.
    } else if count > 1 && has(peer, "ipBlock") {
        errors.forbidden(path, "may not specify both ipBlock and another peer");
    }
}

fn ip_block(path: &Path<'_>, block: &Value, errors: &mut Errors) {
    if !required_text(path, block, "cidr", errors) {
        return;
    }
    let whole = text(block, "cidr");
    errors.invalid_each(&path.child("cidr"), whole, addresses::cidr(whole, true));
    // A range that is only misspelled still has parts.
    if !addresses::cidr(whole, false).is_empty() {
        return;
    }
    let except = path.child("except");
    for (index, part) in texts(block, "except").enumerate() {
        errors.invalid_each(&except.index(index), part, addresses::cidr(part, true));
        // Compare only ranges; any other text has its own error.
        if addresses::cidr(part, false).is_empty() && !is_strict_subset(part, whole) {
            let detail = "must be a strict subset of `cidr`";
            errors.invalid_shown(&except.index(index), &go::quoted(part), detail);
        }
    }
}

fn is_strict_subset(part: &str, whole: &str) -> bool {
    let (Some((inner, inner_len)), Some((outer, outer_len))) =
        (addresses::parse_cidr(part), addresses::parse_cidr(whole))
    else {
        return true;
    };
    let same = !addresses::host_mask(outer_len);
    let bits = |address| addresses::address_bits(address) & same;
    inner.is_ipv4() == outer.is_ipv4() && inner_len > outer_len && bits(inner) == bits(outer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    #[test]
    fn invalid_parts_hide_the_rules_that_depend_on_them() {
        let mut errors = Errors::default();
        let path = Path::root("port");
        policy_port(
            &path,
            &json!({"protocol": "TCP", "port": "A b", "endPort": 9}),
            &mut errors,
        );
        let block = json!({"cidr": "x", "except": ["y"]});
        ip_block(&Path::root("ipBlock"), &block, &mut errors);
        let mut fields: Vec<String> = errors.into_causes().into_iter().map(|c| c.field).collect();
        fields.dedup();
        assert_eq!(fields, ["port.endPort", "port.port", "ipBlock.cidr"]);
    }

    #[test]
    fn misspelled_ranges_have_parts() {
        let block = json!({"cidr": "10.0.0.1/8", "except": ["10.1.0.1/16", "11.0.0.1/16"]});
        let mut errors = Errors::default();
        ip_block(&Path::root("ipBlock"), &block, &mut errors);
        let causes = errors.into_causes();
        let told: Vec<String> = causes.iter().map(ToString::to_string).collect();
        let bits = "must not have bits set beyond the prefix length";
        assert_eq!(
            told,
            [
                format!("ipBlock.cidr: Invalid value: \"10.0.0.1/8\": {bits}"),
                format!("ipBlock.except[0]: Invalid value: \"10.1.0.1/16\": {bits}"),
                format!("ipBlock.except[1]: Invalid value: \"11.0.0.1/16\": {bits}"),
                "ipBlock.except[1]: Invalid value: \"11.0.0.1/16\": must be a strict subset of `cidr`".to_owned(),
            ]
        );
    }
}
