//! Discovery documents with their fields in Go's order, because some clients print them unchanged.

use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use crate::api::json::Value;

/// The fields of a document and of all objects in it, in Go's order.
const DOCUMENT: &[&str] = &[
    "kind",
    "apiVersion",
    "metadata",
    "groupVersion",
    "name",
    "versions",
    "preferredVersion",
    "serverAddressByClientCIDRs",
];

const PART: &[&str] = &[
    "metadata",
    "groupVersion",
    "resource",
    "subresource",
    "responseKind",
    "scope",
    "singularResource",
    "name",
    "singularName",
    "namespaced",
    "group",
    "version",
    "kind",
    "verbs",
    "shortNames",
    "categories",
    "storageVersionHash",
    "subresources",
    "resources",
    "freshness",
    "versions",
    "preferredVersion",
    "clientCIDR",
    "serverAddress",
];

/// The kinds of discovery documents.
const KINDS: [&str; 5] = [
    "APIVersions",
    "APIGroupList",
    "APIGroup",
    "APIResourceList",
    "APIGroupDiscoveryList",
];

/// A document that is serialized in Go's order.
pub(super) struct Ordered<'v> {
    value: &'v Value,
    order: &'static [&'static str],
}

/// Returns the object in Go's order; `None` if it is no discovery document.
pub(super) fn in_order(object: &Value) -> Option<Ordered<'_>> {
    let kind = object.get("kind")?.as_str()?;
    KINDS.contains(&kind).then_some(Ordered {
        value: object,
        order: DOCUMENT,
    })
}

impl Serialize for Ordered<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let inner = |value| Ordered { value, order: PART };
        match self.value {
            Value::Object(map) => {
                // `Value` sorts fields by name, so Go's order is restored during serialization.
                let mut fields: Vec<_> = map.iter().collect();
                let place = |name: &str| self.order.iter().position(|own| *own == name);
                // Fields that are not listed come last, sorted by name.
                fields.sort_by_key(|(name, _)| place(name).unwrap_or(usize::MAX));
                let mut out = serializer.serialize_map(Some(fields.len()))?;
                for (name, value) in fields {
                    out.serialize_entry(&**name, &inner(value))?;
                }
                out.end()
            }
            Value::Array(items) => {
                // JSON does not need the length in advance.
                let mut out = serializer.serialize_seq(None)?;
                for item in items.iter() {
                    out.serialize_element(&inner(item))?;
                }
                out.end()
            }
            other => other.serialize(serializer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    fn text(object: &Value) -> String {
        serde_json::to_string(&in_order(object).unwrap()).unwrap()
    }

    #[test]
    fn discovery_is_written_as_the_server_writes_it() {
        // The order of a recorded response of kube-apiserver.
        let resources = json!({
            "apiVersion": "v1", "groupVersion": "apps/v1", "kind": "APIResourceList", "resources": [{
                "categories": ["all"], "kind": "Scale", "name": "deployments", "namespaced": true, "group": "autoscaling",
                "shortNames": ["deploy"], "singularName": "deployment", "storageVersionHash": "8aSe+NMegvE=",
                "verbs": ["get"], "version": "v1",
            }],
        });
        assert_eq!(
            text(&resources),
            "{\"kind\":\"APIResourceList\",\"apiVersion\":\"v1\",\"groupVersion\":\"apps/v1\",\"resources\":[{\
             \"name\":\"deployments\",\"singularName\":\"deployment\",\"namespaced\":true,\"group\":\"autoscaling\",\
             \"version\":\"v1\",\"kind\":\"Scale\",\"verbs\":[\"get\"],\"shortNames\":[\"deploy\"],\
             \"categories\":[\"all\"],\"storageVersionHash\":\"8aSe+NMegvE=\"}]}"
        );
        let group = json!({
            "apiVersion": "v1", "kind": "APIGroup", "name": "apps",
            "preferredVersion": {"groupVersion": "apps/v1", "version": "v1"},
            "versions": [{"version": "v1", "groupVersion": "apps/v1"}],
        });
        assert_eq!(
            text(&group),
            "{\"kind\":\"APIGroup\",\"apiVersion\":\"v1\",\"name\":\"apps\",\"versions\":[{\
             \"groupVersion\":\"apps/v1\",\"version\":\"v1\"}],\"preferredVersion\":{\"groupVersion\":\"apps/v1\",\
             \"version\":\"v1\"}}"
        );
        assert!(in_order(&json!({"kind": "Pod"})).is_none());
    }
}
