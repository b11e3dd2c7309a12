//! Finds the Pods of each node.

use crate::cluster::find_kind;
use crate::kinds::tree::{field, text};
use crate::runtime::{Cache, Index, Object};

const BY_NODE: &str = "node";

/// Returns the index of Pods by node.
pub(super) fn by_node() -> Option<Index> {
    Some(Index {
        kind: find_kind("v1", "Pod")?,
        name: BY_NODE,
        reads: &["/spec/nodeName"],
        values: |pod| {
            let node = text(field(pod, "spec"), "nodeName");
            // An entry for all Pods without a node would be long, and nobody asks for it.
            if node.is_empty() {
                Vec::new()
            } else {
                vec![node.to_owned()]
            }
        },
    })
}

/// Returns the Pods on a node.
pub(super) fn pods_on<'c>(node: &Object, cache: &'c Cache) -> impl Iterator<Item = &'c Object> {
    let pods = find_kind("v1", "Pod").into_iter();
    pods.flat_map(|pods| cache.indexed(pods, BY_NODE, node.name()))
}
