//! The warnings about a NetworkPolicy.

use crate::api::json::Value;
use crate::tree::{as_text, field, list, text};
use crate::validate::Path;
use crate::warnings::range;

/// Adds the warnings for CIDRs that are not in canonical form.
pub(super) fn collect(object: &Value, warnings: &mut Vec<String>) {
    let (path, spec) = (Path::root("spec"), field(object, "spec"));
    for (name, peers) in [("ingress", "from"), ("egress", "to")] {
        let path = path.child(name);
        for (index, rule) in list(spec, name).iter().enumerate() {
            let path = path.index(index);
            let path = path.child(peers);
            for (index, peer) in list(rule, peers).iter().enumerate() {
                let path = path.index(index);
                block(&path.child("ipBlock"), field(peer, "ipBlock"), warnings);
            }
        }
    }
}

fn block(path: &Path<'_>, block: &Value, warnings: &mut Vec<String>) {
    // Most peers are selectors and have no IP block.
    if block.is_null() {
        return;
    }
    range(&path.child("cidr"), text(block, "cidr"), warnings);
    let path = path.child("except");
    for (index, value) in list(block, "except").iter().enumerate() {
        range(&path.index(index), as_text(value), warnings);
    }
}
