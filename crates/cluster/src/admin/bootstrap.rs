//! The objects of a new cluster.

use crate::api::json::{Value, json};
use crate::cluster::Cluster;
use crate::kinds::{Kind, find};
use crate::objects;
use crate::objects::seconds;
use crate::request::Place;
use crate::request::response::ApiError;
use crate::rules::managed::{FieldWriter, note};
use crate::store::{Batch, Cause, Expect, Op, Splits, View};

/// The field manager of the objects that kube-apiserver creates when it starts.
const API_SERVER: &str = "kube-apiserver";

/// The field manager of nodes and their leases.
const KUBELET: &str = "kubelet";

const NAMESPACES: &[&str] = &["default", "kube-system", "kube-public", "kube-node-lease"];

/// The namespace in which the API server publishes itself.
const PUBLISHED: &str = "default";

/// The capacity of a fake node.
const CAPACITY: &[(&str, &str)] = &[
    ("cpu", "64"),
    ("ephemeral-storage", "1Ti"),
    ("hugepages-1Gi", "0"),
    ("hugepages-2Mi", "0"),
    ("memory", "256Gi"),
    ("pods", "1000"),
];

impl Cluster {
    /// Creates the objects of a fresh cluster in an empty one. Returns true if it was empty.
    ///
    /// # Errors
    /// Fails if nothing can be written.
    pub fn bootstrap(&self) -> Result<bool, ApiError> {
        let cause = Cause::new(self.context.writer.clone(), "bootstrap");
        let mut failure = None;
        // A transaction, because two processes may open an empty directory at once: the second one then finds the
        // namespace.
        let done = self.context.store.transact(&cause, &mut |view| {
            if view
                .get(&crate::Key::new("namespaces", None, "default")?)?
                .is_some()
            {
                return Ok(None);
            }
            match self.fresh_objects(view, true) {
                Ok(fresh) => Ok(Some(Batch {
                    splits: Splits::FirstLast,
                    ..Batch::new(fresh.ops)
                })),
                Err(e) => {
                    failure = Some(e);
                    Ok(None)
                }
            }
        })?;
        failure.map_or(Ok(done.is_some()), Err)
    }

    /// Returns the objects of a fresh cluster, with or without its nodes.
    pub(super) fn fresh_objects(
        &self,
        view: &dyn View,
        nodes: bool,
    ) -> Result<Fresh<'_>, ApiError> {
        let mut fresh = Fresh::none(self, view);
        for name in NAMESPACES {
            fresh.namespace(name)?;
        }
        // kube-controller-manager creates both in every namespace. Here they exist from the first revision, so that
        // Pods can be created before a controller runs.
        fresh.manager = "kube-controller-manager";
        for name in NAMESPACES {
            fresh.add(
                "",
                "v1",
                "ServiceAccount",
                name,
                json!({"metadata": {"name": "default"}}),
            )?;
            fresh.add("", "v1", "ConfigMap", name, root_certificate())?;
        }
        fresh.manager = API_SERVER;
        fresh.service()?;
        // kube-apiserver creates these two in a hook after its start; admission of system Pods uses them.
        for (name, value, text) in [
            (
                "system-cluster-critical",
                2_000_000_000,
                "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
            ),
            (
                "system-node-critical",
                2_000_001_000,
                "Used for system critical pods that must not be moved from their current node.",
            ),
        ] {
            fresh.add("scheduling.k8s.io", "v1", "PriorityClass", "", json!({
                "metadata": {"name": name, "generation": 1}, "value": value, "description": text,
                "globalDefault": false, "preemptionPolicy": "PreemptLowerPriority",
            }))?;
        }
        fresh.roles()?;
        let nodes = if nodes { self.settings().nodes } else { 0 };
        for number in 0..nodes {
            let name = format!("node-{number}");
            let address = format!("172.18.{}.{}", 1 + number / 250, 1 + number % 250);
            let addresses = json!([
                {"type": "InternalIP", "address": address},
                {"type": "Hostname", "address": name},
            ]);
            fresh.node(&name, &addresses)?;
        }
        Ok(fresh)
    }
}

/// Returns the Service through which Pods would find the API server, its Endpoints and its EndpointSlice.
fn published() -> [Value; 3] {
    // kube-apiserver publishes itself with these labels.
    let labels = json!({"component": "apiserver", "provider": "kubernetes"});
    let port = json!({"name": "https", "port": 443, "protocol": "TCP", "targetPort": 6443});
    // An address in the network of a `kind` cluster; no process listens there.
    let address = "172.18.0.2";
    let endpoint_port = json!({"name": "https", "port": 6443, "protocol": "TCP"});
    [
        json!({
            "metadata": {"name": "kubernetes", "labels": labels},
            "spec": {
                "clusterIP": "10.96.0.1", "clusterIPs": ["10.96.0.1"], "ipFamilies": ["IPv4"],
                "ipFamilyPolicy": "SingleStack", "internalTrafficPolicy": "Cluster",
                "ports": [port], "sessionAffinity": "None", "type": "ClusterIP",
            },
            "status": {"loadBalancer": {}},
        }),
        // Without the label, the mirroring controller would write a second slice.
        json!({
            "metadata": {"name": "kubernetes", "labels": {
                "endpointslice.kubernetes.io/skip-mirror": "true",
            }},
            "subsets": [{"addresses": [{"ip": address}], "ports": [endpoint_port]}],
        }),
        json!({
            "metadata": {"name": "kubernetes", "generation": 1, "labels": {
                "kubernetes.io/service-name": "kubernetes",
            }},
            "addressType": "IPv4",
            "endpoints": [{"addresses": [address], "conditions": {
                "ready": true, "serving": true, "terminating": false,
            }}],
            "ports": [endpoint_port],
        }),
    ]
}

/// Returns the objects that the API server keeps, with their places: those through which Pods would find it, and the
/// namespaces of the system.
///
/// ```
/// let kept = ctl_cluster::kept_objects();
/// assert!(kept.iter().any(|(place, object)| {
///     place.kind.kind == "Service" && object["spec"]["clusterIP"] == "10.96.0.1"
/// }));
/// ```
pub fn kept_objects() -> Vec<(Place, Value)> {
    let [service, endpoints, slice] = published();
    let published = [
        ("", "Service", service),
        ("", "Endpoints", endpoints),
        ("discovery.k8s.io", "EndpointSlice", slice),
    ]
    .map(|(group, kind, object)| (group, kind, PUBLISHED, object));
    let namespaces = NAMESPACES
        .iter()
        .map(|name| ("", "Namespace", "", json!({"metadata": {"name": name}})));
    let all = namespaces.chain(published);
    all.filter_map(|(group, kind, namespace, mut object)| {
        let kind = find(group, "v1", kind)?;
        object["apiVersion"] = json!(kind.api_version());
        object["kind"] = json!(kind.kind);
        Some((Place::new(kind, namespace), object))
    })
    .collect()
}

fn root_certificate() -> Value {
    json!({
        "metadata": {"name": "kube-root-ca.crt", "annotations": {
            "kubernetes.io/description": "Contains a CA bundle that can be used to verify the \
                kube-apiserver when using internal endpoints such as the internal service IP or \
                kubernetes.default.svc. No other usage is guaranteed across distributions of \
                Kubernetes clusters.",
        }},
        "data": {"ca.crt": ""},
    })
}

/// Objects that no request creates, while they are assembled.
pub(super) struct Fresh<'a> {
    cluster: &'a Cluster,
    pub(super) ops: Vec<Op>,
    now: String,
    /// The component that would create the next objects.
    manager: &'static str,
    /// The fields that the API server fills in for the next objects: a part and a field, or the whole part.
    filled: &'static [(&'static str, &'static str)],
}

impl<'a> Fresh<'a> {
    /// Starts without objects. Uses operations instead of requests, because admission would require namespaces and
    /// accounts that do not exist yet.
    pub(super) fn none(cluster: &'a Cluster, view: &dyn View) -> Self {
        Self {
            cluster,
            ops: Vec::new(),
            now: seconds(view),
            manager: API_SERVER,
            filled: &[],
        }
    }

    /// Adds an active namespace.
    pub(super) fn namespace(&mut self, name: &str) -> Result<(), ApiError> {
        let labels = json!({"kubernetes.io/metadata.name": name});
        let namespace = json!({
            "metadata": {"name": name, "labels": labels},
            "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"},
        });
        self.filled = &[("spec", "")];
        let added = self.add("", "v1", "Namespace", "", namespace);
        self.filled = &[];
        added
    }

    fn add(
        &mut self,
        group: &str,
        version: &str,
        kind: &str,
        namespace: &str,
        mut object: Value,
    ) -> Result<(), ApiError> {
        let Some(kind) = find(group, version, kind) else {
            return Ok(());
        };
        let place = Place::new(kind, namespace);
        let name = objects::meta(&object, "name").to_owned();
        let key = objects::key(&place, &name)?;
        object["apiVersion"] = json!(kind.api_version());
        object["kind"] = json!(kind.kind);
        object["metadata"]["uid"] = json!(self.uid(&key));
        object["metadata"]["creationTimestamp"] = json!(self.now);
        if kind.namespaced {
            object["metadata"]["namespace"] = json!(namespace);
        }
        self.normalize(kind, &mut object);
        self.own(kind, &mut object);
        self.ops
            .push(Op::put(key, objects::bytes(kind, &object), Expect::Absent));
        Ok(())
    }

    /// Returns the uid of an object.
    fn uid(&self, key: &crate::Key) -> String {
        let seed = self.cluster.context.seed();
        seed.uid(&["uid", key.as_str(), "bootstrap"])
    }

    /// Records the component as the owner of the fields in its request. Fields that the API server sets on creation
    /// have no owner; of the status, only the kubelet's is written in a request.
    fn own(&self, kind: &Kind, object: &mut Value) {
        let by = |subresource| FieldWriter {
            manager: self.manager,
            subresource,
            time: &self.now,
        };
        let mut created = object.clone();
        if let Some(map) = created.as_object_mut() {
            map.remove("status");
        }
        for (part, field) in self.filled {
            let inner = match field.is_empty() {
                true => created.as_object_mut().map(|map| (map, part)),
                false => created[*part].as_object_mut().map(|map| (map, field)),
            };
            if let Some((map, name)) = inner {
                map.remove(name);
            }
        }
        note(kind, None, &mut created, by(""));
        // An object without fields of its own has no entry.
        if let Some(entries) = created["metadata"].get("managedFields") {
            object["metadata"]["managedFields"] = entries.clone();
        }
        if self.manager == KUBELET {
            note(kind, Some(&created), object, by("status"));
        }
    }

    fn normalize(&self, kind: &Kind, object: &mut Value) {
        crate::kinds::shape::normalize(kind, object);
    }

    /// Adds the Service through which Pods would find the API server.
    fn service(&mut self) -> Result<(), ApiError> {
        let [service, endpoints, slice] = published();
        self.filled = &[("spec", "clusterIPs"), ("spec", "ipFamilies")];
        self.add("", "v1", "Service", PUBLISHED, service)?;
        self.filled = &[];
        self.range()?;
        self.add("", "v1", "Endpoints", PUBLISHED, endpoints)?;
        self.add("discovery.k8s.io", "v1", "EndpointSlice", PUBLISHED, slice)
    }

    /// Adds the roles of the administrators, of users and of components, and their bindings.
    fn roles(&mut self) -> Result<(), ApiError> {
        const GROUP: &str = "rbac.authorization.k8s.io";
        for (kind, namespace, object) in super::roles::objects() {
            self.add(GROUP, "v1", kind, namespace, object)?;
        }
        Ok(())
    }

    /// Adds the range of the Services' addresses, and the one address in use.
    fn range(&mut self) -> Result<(), ApiError> {
        // As the controller of service ranges does: addresses are only assigned from a range that is ready.
        let ready = json!({
            "type": "Ready", "status": "True", "reason": "", "lastTransitionTime": self.now,
            "message": "Kubernetes default Service CIDR is ready",
        });
        self.add(
            "networking.k8s.io",
            "v1",
            "ServiceCIDR",
            "",
            json!({
                "metadata": {
                    "name": "kubernetes",
                    "finalizers": ["networking.k8s.io/service-cidr-finalizer"],
                },
                "spec": {"cidrs": [crate::rules::addresses::ADDRESSES]},
                "status": {"conditions": [ready]},
            }),
        )?;
        // Every cluster address has an `IPAddress`, that of the first Service too.
        let service = json!({"metadata": {"name": "kubernetes", "namespace": "default"}});
        let address = crate::rules::admission::address_record(&service, "10.96.0.1");
        self.add("networking.k8s.io", "v1", "IPAddress", "", address)
    }

    /// Adds a fake node that is ready, with its lease. The fake kubelet chooses the addresses if there are none.
    pub(super) fn node(&mut self, name: &str, addresses: &Value) -> Result<(), ApiError> {
        let capacity: Value = CAPACITY
            .iter()
            .map(|(k, v)| ((*k).to_owned(), json!(v)))
            .collect::<crate::api::json::Map>()
            .into();
        let condition = |kind: &str, status: &str, reason: &str, message: &str| {
            json!({
                "type": kind, "status": status, "reason": reason, "message": message,
                "lastHeartbeatTime": self.now, "lastTransitionTime": self.now,
            })
        };
        let conditions = json!([
            condition(
                "MemoryPressure",
                "False",
                "KubeletHasSufficientMemory",
                "kubelet has sufficient memory available"
            ),
            condition(
                "DiskPressure",
                "False",
                "KubeletHasNoDiskPressure",
                "kubelet has no disk pressure"
            ),
            condition(
                "PIDPressure",
                "False",
                "KubeletHasSufficientPID",
                "kubelet has sufficient PID available"
            ),
            condition(
                "Ready",
                "True",
                "KubeletReady",
                "kubelet is posting ready status"
            ),
        ]);
        // The beta labels are deprecated, but kubelet still sets them and older manifests select by them.
        let labels = json!({
            "beta.kubernetes.io/arch": "amd64", "beta.kubernetes.io/os": "linux",
            "kubernetes.io/arch": "amd64", "kubernetes.io/hostname": name, "kubernetes.io/os": "linux",
        });
        let now = self.now.clone();
        self.manager = KUBELET;
        self.add("", "v1", "Node", "", json!({
            "metadata": {"name": name, "labels": labels},
            "spec": {},
            "status": {
                "addresses": addresses, "allocatable": capacity, "capacity": capacity,
                "conditions": conditions, "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
                "nodeInfo": {
                    "architecture": "amd64", "bootID": "", "containerRuntimeVersion": "ctl://1.36.2",
                    "kernelVersion": "", "kubeProxyVersion": "v1.36.2", "kubeletVersion": "v1.36.2",
                    "machineID": "", "operatingSystem": "linux", "osImage": "", "systemUUID": "",
                },
            },
        }))?;
        // A kubelet keeps such a lease for each node; times in leases have microseconds. By its owner, the garbage
        // collector removes it with the node.
        let kind = find("", "v1", "Node").map(|kind| Place::new(kind, ""));
        let key = kind.map(|place| objects::key(&place, name)).transpose()?;
        let uid = key.map(|key| self.uid(&key));
        self.add(
            "coordination.k8s.io",
            "v1",
            "Lease",
            "kube-node-lease",
            json!({
                "metadata": {"name": name, "ownerReferences": [
                    {"apiVersion": "v1", "kind": "Node", "name": name, "uid": uid},
                ]},
                "spec": {
                    "holderIdentity": name, "leaseDurationSeconds": 40,
                    "renewTime": now.replace('Z', ".000000Z"),
                },
            }),
        )
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{fresh, place};

    #[test]
    fn objects_without_fields_of_their_own_have_no_managed_fields() {
        let cluster = fresh();
        let account = cluster.get(&place("serviceaccounts"), "default").unwrap();
        let metadata = account["metadata"].as_object().unwrap();
        assert!(!metadata.contains_key("managedFields"), "{metadata:?}");
    }
}
