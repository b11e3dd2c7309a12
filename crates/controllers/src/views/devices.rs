//! Claims for devices, and the Pods that name them.

use crate::api::json::{Value, json};
use crate::kinds::tree::{at, entries, field, flag, has, int, list, text, texts};
use crate::runtime::{Cache, Object};
use crate::watched;

/// An entry of a Pod's `spec.resourceClaims`.
#[derive(Clone, Copy)]
pub(crate) struct PodClaim<'a> {
    entry: &'a Value,
    pod: &'a Value,
}

/// Reads the claims for devices of a Pod.
pub(crate) fn pod_claims(pod: &Value) -> impl Iterator<Item = PodClaim<'_>> {
    let entries = list(field(pod, "spec"), "resourceClaims").iter();
    entries.map(move |entry| PodClaim { entry, pod })
}

impl<'a> PodClaim<'a> {
    /// Returns the name within the Pod.
    pub(crate) fn name(self) -> &'a str {
        text(self.entry, "name")
    }

    /// Returns the template that the claim is created from; empty for a claim that exists by itself.
    pub(crate) fn template(self) -> &'a str {
        text(self.entry, "resourceClaimTemplateName")
    }

    /// Returns the name of the claim; empty until it is made from its template.
    pub(crate) fn claim_name(self) -> &'a str {
        let statuses = list(field(self.pod, "status"), "resourceClaimStatuses");
        // The claim of a template has a generated name, which only the Pod's status contains.
        let made = statuses.iter().find(|s| text(s, "name") == self.name());
        match self.template() {
            "" => text(self.entry, "resourceClaimName"),
            _ => made.map_or("", |status| text(status, "resourceClaimName")),
        }
    }

    /// Returns the claim, if it exists and the Pod may use it: one made from a template belongs to one Pod.
    pub(crate) fn claim(self, pod: &Object, cache: &'a Cache) -> Option<&'a Object> {
        let claim = cache.get(
            watched::resource_claims(),
            pod.namespace(),
            self.claim_name(),
        )?;
        // A leftover of an earlier Pod of the same name must not be used: its devices belong to that Pod.
        let own = self.template().is_empty() || is_owned(claim, pod);
        own.then_some(claim)
    }
}

/// Returns true if a Pod controls a claim.
pub(crate) fn is_owned(claim: &Object, pod: &Object) -> bool {
    claim
        .controller()
        .is_some_and(|owner| text(owner, "uid") == pod.uid())
}

/// Keeps a claim while devices are allocated for it.
pub(crate) const CLAIM_FINALIZER: &str = "resource.kubernetes.io/delete-protection";

/// Returns the reference to a Pod in a claim's `status.reservedFor`.
pub(crate) fn consumer(pod: &Object) -> Value {
    json!({"resource": "pods", "name": pod.name(), "uid": pod.uid()})
}

/// Returns the Pod that an entry of `status.reservedFor` names, by name and uid. Nothing is known about the end of
/// other consumers.
pub(crate) fn consuming_pod(consumer: &Value) -> Option<(&str, &str)> {
    // `reservedFor` may name any resource; only for Pods is it known when they no longer need the claim.
    let is_pod = text(consumer, "resource") == "pods" && text(consumer, "apiGroup").is_empty();
    is_pod.then(|| (text(consumer, "name"), text(consumer, "uid")))
}

/// A ResourceClaim.
#[derive(Clone, Copy)]
pub(crate) struct DeviceClaim<'a>(&'a Value);

/// Reads a ResourceClaim.
pub(crate) fn device_claim(object: &Value) -> DeviceClaim<'_> {
    DeviceClaim(object)
}

impl<'a> DeviceClaim<'a> {
    fn devices(self) -> &'a Value {
        at(self.0, &["spec", "devices"])
    }

    /// Returns the requests.
    pub(crate) fn requests(self) -> impl Iterator<Item = DeviceRequest<'a>> {
        list(self.devices(), "requests").iter().map(DeviceRequest)
    }

    /// Returns the constraints between devices.
    pub(crate) fn constraints(self) -> impl Iterator<Item = DeviceConstraint<'a>> {
        let all = list(self.devices(), "constraints").iter();
        all.map(DeviceConstraint)
    }

    /// Returns the configuration for the driver.
    pub(crate) fn config(self) -> &'a [Value] {
        list(self.devices(), "config")
    }

    /// Returns true if devices are allocated for it.
    pub(crate) fn is_allocated(self) -> bool {
        !self.allocation().is_null()
    }

    /// Returns the allocation, or null.
    pub(crate) fn allocation(self) -> &'a Value {
        field(field(self.0, "status"), "allocation")
    }

    /// Returns the Pods that it is reserved for.
    pub(crate) fn reserved_for(self) -> &'a [Value] {
        list(field(self.0, "status"), "reservedFor")
    }
}

/// Returns true if a list of consumers contains the Pod with a uid.
pub(crate) fn is_consumer(consumers: &[Value], uid: &str) -> bool {
    let mut all = consumers.iter();
    all.any(|consumer| text(consumer, "uid") == uid)
}

/// A request, or one of the alternatives of a request.
#[derive(Clone, Copy)]
pub(crate) struct DeviceRequest<'a>(&'a Value);

impl<'a> DeviceRequest<'a> {
    /// Returns the name.
    pub(crate) fn name(self) -> &'a str {
        text(self.0, "name")
    }

    /// Returns the alternatives of the request in order, each with its name in a result; the request itself if it has
    /// none.
    pub(crate) fn ways(self) -> Vec<(String, Self)> {
        let mut ways = Vec::new();
        // The result of a subrequest is named `request/subrequest`, which is how a driver and a constraint refer to
        // it.
        if has(self.0, "exactly") {
            ways.push((self.name().to_owned(), Self(field(self.0, "exactly"))));
        }
        for inner in list(self.0, "firstAvailable").iter().map(Self) {
            ways.push((format!("{}/{}", self.name(), inner.name()), inner));
        }
        ways
    }

    /// Returns the class of the devices.
    pub(crate) fn class(self) -> &'a str {
        text(self.0, "deviceClassName")
    }

    /// Returns the number of devices; `None` for all.
    pub(crate) fn count(self) -> Option<usize> {
        // An absent count means one device.
        let count = usize::try_from(int(self.0, "count")).unwrap_or(0).max(1);
        (text(self.0, "allocationMode") != "All").then_some(count)
    }

    /// Returns true if the devices may be in use by others.
    pub(crate) fn is_admin(self) -> bool {
        flag(self.0, "adminAccess")
    }

    /// Returns the taints of devices that are tolerated.
    pub(crate) fn tolerations(self) -> &'a [Value] {
        list(self.0, "tolerations")
    }

    /// Returns the expressions that select devices.
    pub(crate) fn selectors(self) -> impl Iterator<Item = &'a str> {
        selectors(self.0)
    }
}

fn selectors(holder: &Value) -> impl Iterator<Item = &str> {
    let all = list(holder, "selectors").iter();
    all.map(|selector| text(field(selector, "cel"), "expression"))
}

/// Devices of some requests must agree on an attribute, or differ in it.
#[derive(Clone, Copy)]
pub(crate) struct DeviceConstraint<'a>(&'a Value);

impl<'a> DeviceConstraint<'a> {
    /// Returns the requests; none is all.
    pub(crate) fn requests(self) -> impl Iterator<Item = &'a str> {
        texts(self.0, "requests")
    }

    /// Returns true if the devices must differ.
    pub(crate) fn is_distinct(self) -> bool {
        has(self.0, "distinctAttribute")
    }

    /// Returns the attribute.
    pub(crate) fn attribute(self) -> &'a str {
        match self.is_distinct() {
            true => text(self.0, "distinctAttribute"),
            false => text(self.0, "matchAttribute"),
        }
    }
}

/// A DeviceClass.
#[derive(Clone, Copy)]
pub(crate) struct DeviceClass<'a>(&'a Value);

/// Reads a DeviceClass.
pub(crate) fn device_class(object: &Value) -> DeviceClass<'_> {
    DeviceClass(field(object, "spec"))
}

impl<'a> DeviceClass<'a> {
    /// Returns the expressions that select its devices.
    pub(crate) fn selectors(self) -> impl Iterator<Item = &'a str> {
        selectors(self.0)
    }

    /// Returns the configuration for the driver.
    pub(crate) fn config(self) -> &'a [Value] {
        list(self.0, "config")
    }
}

/// A ResourceSlice.
#[derive(Clone, Copy)]
pub(crate) struct Slice<'a>(&'a Value);

/// Reads a ResourceSlice.
pub(crate) fn slice(object: &Value) -> Slice<'_> {
    Slice(field(object, "spec"))
}

impl<'a> Slice<'a> {
    /// Returns the driver.
    pub(crate) fn driver(self) -> &'a str {
        text(self.0, "driver")
    }

    /// Returns the pool.
    pub(crate) fn pool(self) -> &'a str {
        text(field(self.0, "pool"), "name")
    }

    /// Returns the generation of the pool.
    pub(crate) fn generation(self) -> i64 {
        int(field(self.0, "pool"), "generation")
    }

    /// Returns the number of slices of the pool.
    pub(crate) fn count(self) -> i64 {
        int(field(self.0, "pool"), "resourceSliceCount")
    }

    /// Returns the devices.
    pub(crate) fn devices(self) -> &'a [Value] {
        list(self.0, "devices")
    }

    /// Returns the object that defines the nodes of one of its devices: the device or the slice.
    pub(crate) fn holder(self, device: &'a Value) -> &'a Value {
        match flag(self.0, "perDeviceNodeSelection") {
            // With `perDeviceNodeSelection` each device names its own nodes; without it the slice does for all of
            // them.
            true => device,
            false => self.0,
        }
    }
}

/// A device of a slice.
#[derive(Clone, Copy)]
pub(crate) struct Device<'a>(&'a Value);

/// Reads a device of a slice.
pub(crate) fn device(entry: &Value) -> Device<'_> {
    Device(entry)
}

impl<'a> Device<'a> {
    /// Returns the name.
    pub(crate) fn name(self) -> &'a str {
        text(self.0, "name")
    }

    /// Returns the taints.
    pub(crate) fn taints(self) -> &'a [Value] {
        list(self.0, "taints")
    }

    /// Returns the value of an attribute by its full name; the driver may publish its own attribute domain
    /// without the domain.
    pub(crate) fn attribute(self, driver: &str, name: &str) -> Option<&'a Value> {
        // Drivers may publish `model` for `DRIVER/model`, while constraints always use the full name.
        let short = name.split_once('/').filter(|(domain, _)| *domain == driver);
        let short = short.map_or("", |(_, id)| id);
        let mut all = entries(self.0, "attributes");
        let found = all.find(|(own, _)| *own == name || *own == short);
        found.map(|(_, value)| value)
    }
}

/// The nodes that can use a device.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum DevicePlace {
    /// Every node.
    Everywhere,
    /// One node.
    Node(String),
    /// The nodes of a selector, by its terms.
    Nodes(Vec<Value>),
}

/// Reads the nodes on which devices can be used.
pub(crate) fn device_place(holder: &Value) -> DevicePlace {
    match text(holder, "nodeName") {
        "" if flag(holder, "allNodes") => DevicePlace::Everywhere,
        "" => DevicePlace::Nodes(selector_terms(holder).unwrap_or_default().to_vec()),
        name => DevicePlace::Node(name.to_owned()),
    }
}

/// Returns the terms of the node selector of an allocation or a slice, if it has one.
pub(crate) fn selector_terms(holder: &Value) -> Option<&[Value]> {
    let selector = field(holder, "nodeSelector");
    has(selector, "nodeSelectorTerms").then(|| list(selector, "nodeSelectorTerms"))
}

/// Returns the requirements of several terms as one term.
pub(crate) fn merged_terms(terms: &[Value]) -> Value {
    let mut merged = json!({});
    for name in ["matchExpressions", "matchFields"] {
        let mut all: Vec<Value> = Vec::new();
        for requirement in terms.iter().flat_map(|term| list(term, name)) {
            // Devices of one pool tend to repeat the same requirement.
            if !all.contains(requirement) {
                all.push(requirement.clone());
            }
        }
        if !all.is_empty() {
            merged[name] = json!(all);
        }
    }
    merged
}

/// The name of a device within the cluster.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct DeviceId {
    /// The driver.
    pub(crate) driver: String,
    /// The pool.
    pub(crate) pool: String,
    /// The name in the pool.
    pub(crate) device: String,
}

/// Returns the devices of an allocation that no other claim may use: administrators may share devices that are in
/// use.
pub(crate) fn held_devices(allocation: &Value) -> impl Iterator<Item = DeviceId> {
    let results = list(field(allocation, "devices"), "results").iter();
    // `adminAccess` is for monitoring and does not reserve the device.
    let held = results.filter(|result| !flag(result, "adminAccess"));
    held.map(|result| DeviceId {
        driver: text(result, "driver").to_owned(),
        pool: text(result, "pool").to_owned(),
        device: text(result, "device").to_owned(),
    })
}
