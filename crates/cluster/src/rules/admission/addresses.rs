//! The `IPAddress` object of every cluster address: it is created and deleted with the Service's address, in the same
//! commit.

use crate::api::json::{Value, json};
use crate::kinds::{Kind, find};
use crate::objects;
use crate::objects::seconds;
use crate::request::Place;
use crate::request::response::ApiError;
use crate::rules::addresses::{ALLOCATOR, MANAGED_BY};
use crate::rules::managed::{self, FieldWriter};
use crate::store::{Expect, Op, View};
use crate::sys::entropy::Seed;

const RESOURCE: &str = "ipaddresses.networking.k8s.io";

/// Returns the address records that a change of a Service adds and removes; none for other kinds.
pub(super) fn records(
    view: &dyn View,
    kind: &Kind,
    old: Option<&Value>,
    new: Option<&Value>,
    seed: Seed,
) -> Result<Vec<Op>, ApiError> {
    if !kind.is_addressed() {
        return Ok(Vec::new());
    }
    let before = old.map(addresses).unwrap_or_default();
    let after = new.map(addresses).unwrap_or_default();
    // Since 1.33 kube-apiserver keeps an `IPAddress` for each cluster address, and clients may list
    // them.
    let Some(kind) = find("networking.k8s.io", "v1", "IPAddress") else {
        return Ok(Vec::new());
    };
    let place = Place::new(kind, "");
    let mut ops = Vec::new();
    for address in before.iter().filter(|a| !after.contains(a)) {
        let key = objects::key(&place, address)?;
        if view.get(&key)?.is_some() {
            ops.push(Op::delete(key, Expect::Any));
        }
    }
    for address in after {
        let key = objects::key(&place, &address)?;
        let (Some(service), stored) = (new, view.get(&key)?) else {
            continue;
        };
        // One that remained after the file of its Service was removed is taken over.
        let expect = match &stored {
            None => Expect::Absent,
            Some(stored) if is_of(&objects::shown(stored)?, service) => continue,
            Some(stored) => Expect::At(stored.revision),
        };
        let object = record(view, kind, service, &address, seed);
        ops.push(Op::put(key, objects::bytes(kind, &object), expect));
    }
    Ok(ops)
}

fn is_of(record: &Value, service: &Value) -> bool {
    let parent = &record["spec"]["parentRef"];
    ["namespace", "name"]
        .iter()
        .all(|name| parent[*name] == service["metadata"][*name])
}

/// Returns the addresses of a Service, without the `None` of a headless one.
fn addresses(service: &Value) -> Vec<String> {
    let all = service["spec"]["clusterIPs"].as_array();
    let texts = all.into_iter().flatten().filter_map(Value::as_str);
    texts.filter(|a| *a != "None").map(str::to_owned).collect()
}

/// Returns the `IPAddress` object for an address of a Service, without the metadata that the server sets.
pub fn address_record(service: &Value, address: &str) -> Value {
    let family = if address.contains(':') {
        "IPv6"
    } else {
        "IPv4"
    };
    json!({
        "apiVersion": "networking.k8s.io/v1",
        "kind": "IPAddress",
        "metadata": {
            "name": address,
            "labels": {
                "ipaddress.kubernetes.io/ip-family": family,
                MANAGED_BY: ALLOCATOR,
            },
        },
        "spec": {"parentRef": {
            "resource": "services", "namespace": objects::meta(service, "namespace"),
            "name": objects::meta(service, "name"),
        }},
    })
}

fn record(view: &dyn View, kind: &Kind, service: &Value, address: &str, seed: Seed) -> Value {
    let revision = (view.draws_from() + 1).to_string();
    let mut object = address_record(service, address);
    object["metadata"]["uid"] = json!(seed.uid(&["uid", RESOURCE, address, &revision]));
    let time = seconds(view);
    object["metadata"]["creationTimestamp"] = json!(time);
    // The API server allocates addresses with a client of its own.
    let by = FieldWriter {
        manager: "kube-apiserver",
        subresource: "",
        time: &time,
    };
    managed::note(kind, None, &mut object, by);
    object
}
