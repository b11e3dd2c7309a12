//! The rules of a ResourceClaim.

use std::collections::BTreeSet;

use super::strategy::{allocated, identity};
use crate::api::json::Value;
use crate::resource::formats::{driver_data, network_data, share_id};
use crate::resource::validate::{
    binding_conditions, claim_spec, configuration, driver, limited, names_of_requests, pool_name,
    request_name, request_names, unique,
};
use crate::tree::{field, has, len, list, text};
use crate::validate::common::{required_one_of, required_text};
use crate::validate::condition::conditions;
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::pod::affinity::node_selector;
use crate::validate::{go, meta, names};

const MOST_USERS: usize = 256;
/// The maximum number of conditions of a device.
const MOST_CONDITIONS: usize = 8;
const MOST_RESULTS: usize = 32;
/// The maximum number of configurations of an allocation: those of the claim and those of its classes.
const MOST_CONFIGURATIONS: usize = 64;

/// Validates a new ResourceClaim.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
    claim_spec(&Path::root("spec"), field(object, "spec"), errors);
}

/// Validates an update of a ResourceClaim.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    let spec = field(object, "spec");
    if spec != field(old, "spec") {
        let shown = go::shown_as("ResourceClaimSpec", spec);
        errors.invalid_shown(&Path::root("spec"), &shown, "field is immutable");
    }
}

/// Validates an update of the status of a ResourceClaim.
pub(crate) fn status(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    let path = Path::root("status");
    let (status, before) = (field(object, "status"), field(old, "status"));
    let (at, users) = (path.child("reservedFor"), list(status, "reservedFor"));
    let limited_users = limited(&at, status, "reservedFor", MOST_USERS, errors);
    for (index, user) in limited_users.iter().enumerate() {
        for name in ["resource", "name", "uid"] {
            required_text(&at.index(index), user, name, errors);
        }
    }
    unique(
        &at,
        limited_users.iter().map(|user| text(user, "uid")),
        errors,
    );
    devices(&path.child("devices"), status, errors);
    let is_new = |user: &Value| !list(before, "reservedFor").contains(user);
    if !users.is_empty() && !has(status, "allocation") {
        errors.forbidden(&at, "may not be specified when `allocated` is not set");
    } else if has(field(object, "metadata"), "deletionTimestamp") && users.iter().any(is_new) {
        let detail = "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set";
        errors.forbidden(&at, detail);
    }
    let (path, new) = (path.child("allocation"), field(status, "allocation"));
    // An allocation that was stored earlier may follow older rules, so only a new one is validated.
    match field(before, "allocation") {
        _ if new.is_null() => {}
        Value::Null => allocation(&path, new, field(object, "spec"), errors),
        old if old != new => {
            let shown = go::shown_as("AllocationResult", new);
            errors.invalid_shown(&path, &shown, "field is immutable");
        }
        _ => {}
    }
}

/// Validates the status of devices, which drivers report.
fn devices(path: &Path<'_>, status: &Value, errors: &mut Errors) {
    let allocated = allocated(status);
    let all = list(status, "devices");
    for (index, item) in all.iter().enumerate() {
        let path = path.index(index);
        device(&path, item, errors);
        share_id(&path, item, errors);
        let id = identity(item);
        if !allocated.contains(&id) {
            errors.invalid_shown(&path, &id, "must be an allocated device in the claim");
        }
        let count = len(item, "conditions");
        if count > MOST_CONDITIONS {
            errors.too_many(&path.child("conditions"), count, MOST_CONDITIONS);
        }
        conditions(&path, item, errors);
        if has(item, "data") {
            driver_data(&path, item, "data", errors);
        }
        network_data(&path, item, errors);
    }
    let mut seen = BTreeSet::new();
    for (index, id) in all.iter().map(identity).enumerate() {
        if seen.contains(&id) {
            errors.duplicate(&path.index(index), &id);
        }
        seen.insert(id);
    }
}

/// Validates the names of a device, its pool and its driver.
fn device(path: &Path<'_>, device: &Value, errors: &mut Errors) {
    driver(path, device, errors);
    pool_name(path, device, "pool", errors);
    let name = text(device, "device");
    errors.invalid_each(&path.child("device"), name, names::dns1123_label(name));
}

/// Validates a new allocation against the requests of its claim.
fn allocation(path: &Path<'_>, allocation: &Value, spec: &Value, errors: &mut Errors) {
    let requests = names_of_requests(field(spec, "devices"));
    let (devices, at) = (field(allocation, "devices"), path.child("devices"));
    let results_path = at.child("results");
    let results = limited(&results_path, devices, "results", MOST_RESULTS, errors);
    for (index, result) in results.iter().enumerate() {
        let path = results_path.index(index);
        let name = text(result, "request");
        request_name(&path.child("request"), name, &requests, errors);
        device(&path, result, errors);
        binding_conditions(&path, result, errors);
        share_id(&path, result, errors);
    }
    let at = at.child("config");
    let configs = limited(&at, devices, "config", MOST_CONFIGURATIONS, errors);
    for (index, config) in configs.iter().enumerate() {
        let path = at.index(index);
        required_one_of(&path, config, "source", &["FromClaim", "FromClass"], errors);
        request_names(&path.child("requests"), config, &requests, errors);
        configuration(&path, config, errors);
    }
    if has(allocation, "nodeSelector") {
        let selector = field(allocation, "nodeSelector");
        node_selector(&path.child("nodeSelector"), selector, errors);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    fn told(before: Value, now: Value) -> Vec<String> {
        let claim = |status: Value| {
            json!({"metadata": {"name": "c", "namespace": "n", "uid": "u", "resourceVersion": "1"},
                "spec": {"devices": {"requests": [{"name": "gpu", "firstAvailable": [{"name": "big"}]}]}},
                "status": status})
        };
        let mut errors = Errors::default();
        status(&claim(now), &claim(before), &mut errors);
        let causes = errors.into_causes();
        causes.iter().map(ToString::to_string).collect()
    }

    fn result(request: &str, device: &str) -> Value {
        json!({"request": request, "driver": "a.b", "pool": "p", "device": device})
    }

    fn allocation(results: Value) -> Value {
        json!({"devices": {"results": results}})
    }

    #[test]
    fn users_need_an_allocation_and_are_complete() {
        let path = "status.reservedFor";
        let now =
            json!({"reservedFor": [{"resource": "pods", "name": "a", "uid": "1"}, {"uid": "1"}]});
        assert_eq!(
            told(json!({}), now),
            [
                format!("{path}[1].resource: Required value"),
                format!("{path}[1].name: Required value"),
                format!("{path}[1]: Duplicate value: \"1\""),
                format!("{path}: Forbidden: may not be specified when `allocated` is not set"),
            ]
        );
    }

    #[test]
    fn an_allocation_follows_the_claim_and_stays() {
        let fine = allocation(json!([result("gpu/big", "x"), result("gpu", "y")]));
        assert_eq!(told(json!({}), json!({"allocation": fine})), [""; 0]);
        let other = allocation(json!([result("gpu", "z")]));
        assert_eq!(
            told(json!({"allocation": fine}), json!({"allocation": other})),
            [
                "status.allocation: Invalid value: {\"Devices\":{\"Results\":[{\"Request\":\"gpu\",\"Driver\":\"a.b\",\
                 \"Pool\":\"p\",\"Device\":\"z\",\"AdminAccess\":null,\"Tolerations\":null,\"BindingConditions\":null,\
                 \"BindingFailureConditions\":null,\"ShareID\":null,\"ConsumedCapacity\":null}],\"Config\":null},\
                 \"NodeSelector\":null,\"AllocationTimestamp\":null}: field is immutable"
            ]
        );
        assert_eq!(told(json!({"allocation": fine}), json!({})), [""; 0]);
        let mut wrong = allocation(json!([result("cpu", "x")]));
        wrong["devices"]["config"] = json!([{"requests": ["gpu"]}]);
        let path = "status.allocation.devices";
        assert_eq!(
            told(json!({}), json!({"allocation": wrong})),
            [
                format!(
                    "{path}.results[0].request: Invalid value: \"cpu\": must be the name of a request in the claim or \
                    the name of a request and a subrequest separated by '/'"
                ),
                format!("{path}.config[0].source: Required value"),
                format!("{path}.config[0].opaque: Required value"),
            ]
        );
    }

    #[test]
    fn only_allocated_devices_have_a_status() {
        let given = json!({"allocation": allocation(json!([result("gpu", "x")]))});
        let mut now = given.clone();
        let device = |name: &str| json!({"driver": "a.b", "pool": "p", "device": name});
        now["devices"] = json!([device("x"), device("y"), device("x")]);
        let id = |name: &str| {
            format!("{{\"Driver\":\"a.b\",\"Pool\":\"p\",\"Device\":\"{name}\",\"ShareID\":\"\"}}")
        };
        assert_eq!(
            told(given, now),
            [
                format!(
                    "status.devices[1]: Invalid value: {}: must be an allocated device in the claim",
                    id("y")
                ),
                format!("status.devices[2]: Duplicate value: {}", id("x")),
            ]
        );
    }
}
