//! Admission with a real cluster: rejections, and the content of one commit.

use crate::api::json::{Value, json};
use crate::cluster::Cluster;
use crate::request::Place;
use crate::request::options::{DeleteOptions, WriteOptions};
use crate::request::part::Part;
use crate::request::response::ApiError;
use crate::request::{PatchType, Request};
use crate::store::{HistoryQuery, Range};
use crate::testing::{Scratch, fresh, open, place, pod};

fn create(cluster: &Scratch, resource: &str, object: &Value) -> Result<Value, ApiError> {
    let answer = cluster.create(&place(resource), object, &WriteOptions::default())?;
    Ok(answer.object)
}

fn refused(cluster: &Scratch, resource: &str, object: &Value) -> String {
    create(cluster, resource, object).unwrap_err().to_string()
}

fn sized(name: &str, cpu: &str) -> Value {
    let mut object = pod(name);
    object["spec"]["containers"][0]["resources"] = json!({"requests": {"cpu": cpu}});
    object
}

/// Returns a namespace with a quota whose status is known.
fn with_quota(hard: &Value) -> Scratch {
    let cluster = fresh();
    let quota = json!({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"},
        "spec": {"hard": hard}});
    let mut quota = create(&cluster, "quota", &quota).unwrap();
    let used: Value = hard
        .as_object()
        .unwrap()
        .keys()
        .map(|k| (k.clone(), json!("0")))
        .collect();
    quota["status"] = json!({"hard": hard, "used": used});
    let options = WriteOptions::default();
    cluster
        .replace(&place("quota"), "q", &quota, Part::Status, &options)
        .unwrap();
    cluster
}

fn used(cluster: &Scratch) -> Value {
    cluster.get(&place("quota"), "q").unwrap()["status"]["used"].clone()
}

#[test]
fn quota_usage_changes_in_the_object_commit() {
    let cluster = with_quota(&json!({"pods": "2", "requests.cpu": "1"}));
    let before = cluster.stored().revision().unwrap();
    create(&cluster, "pods", &sized("a", "600m")).unwrap();
    assert_eq!(used(&cluster), json!({"pods": "1", "requests.cpu": "600m"}));
    let past = HistoryQuery {
        after: before,
        range: Range::all(),
        ..HistoryQuery::default()
    };
    let history = cluster.stored().history(&past).unwrap();
    let keys: Vec<&str> = history[0]
        .events
        .iter()
        .map(|event| event.key.as_str())
        .collect();
    assert_eq!(keys, ["pods/default/a", "resourcequotas/default/q"]);
    assert_eq!(
        refused(&cluster, "pods", &sized("b", "600m")),
        "pods \"b\" is forbidden: exceeded quota: q, requested: requests.cpu=600m, used: \
         requests.cpu=600m, limited: requests.cpu=1"
    );
    // Rejected requests, dry runs and existing objects do not count.
    let dry = WriteOptions {
        dry_run: true,
        ..WriteOptions::default()
    };
    cluster
        .create(&place("pods"), &sized("b", "400m"), &dry)
        .unwrap();
    assert!(refused(&cluster, "pods", &sized("a", "100m")).contains("already exists"));
    assert_eq!(used(&cluster), json!({"pods": "1", "requests.cpu": "600m"}));
}

#[test]
fn a_full_quota_is_reported_before_a_taken_name_and_with_the_warnings() {
    let cluster = with_quota(&json!({"pods": "1"}));
    let mut old = pod("a");
    old["spec"]["nodeSelector"] = json!({"beta.kubernetes.io/os": "linux"});
    create(&cluster, "pods", &old).unwrap();
    let refused = create(&cluster, "pods", &old).unwrap_err();
    let quota = "pods \"a\" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1";
    assert_eq!(refused.to_string(), quota);
    assert_eq!(refused.warnings().len(), 1);
    let free = with_quota(&json!({"pods": "2"}));
    create(&free, "pods", &old).unwrap();
    let refused = create(&free, "pods", &old).unwrap_err();
    assert_eq!(refused.to_string(), "pods \"a\" already exists");
    assert_eq!(refused.warnings().len(), 1);
}

#[test]
fn a_batch_never_gets_past_a_quota() {
    let cluster = with_quota(&json!({"pods": "3", "requests.cpu": "10"}));
    let request = |i: usize| Request::create(place("pods"), sized(&format!("p{i}"), "1"));
    let requests: Vec<Request> = (0..5).map(request).collect();
    let answers = cluster.batch("tester", None, &requests).unwrap();
    let done: Vec<bool> = answers.iter().map(Result::is_ok).collect();
    assert_eq!(done, [true, true, true, false, false]);
    assert_eq!(used(&cluster), json!({"pods": "3", "requests.cpu": "3"}));
}

#[test]
fn update_of_a_service_type_changes_the_quota_usage() {
    let cluster = with_quota(&json!({"services": "5", "services.nodeports": "1"}));
    let service = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"},
        "spec": {"ports": [{"port": 80}]}});
    let mut service = create(&cluster, "services", &service).unwrap();
    assert_eq!(used(&cluster)["services.nodeports"], "0");
    service["spec"]["type"] = json!("NodePort");
    let options = WriteOptions::default();
    cluster
        .update(&place("services"), "s", &service, &options)
        .unwrap();
    assert_eq!(
        used(&cluster),
        json!({"services": "1", "services.nodeports": "1"})
    );
}

#[test]
fn ip_address_object_exists_as_long_as_its_service() {
    let cluster = fresh();
    let service = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"},
        "spec": {"ports": [{"port": 80}]}});
    let made = create(&cluster, "services", &service).unwrap();
    let address = made["spec"]["clusterIP"].as_str().unwrap();
    let addresses = place("ipaddresses");
    let object = cluster.get(&addresses, address).unwrap();
    assert_eq!(object["spec"]["parentRef"]["name"], "s");
    let metadata = &object["metadata"];
    assert_eq!(metadata["managedFields"][0]["manager"], "kube-apiserver");
    // The strategies of addresses and their ranges set no generation.
    assert!(metadata["generation"].is_null());
    cluster
        .delete(&place("services"), "s", &DeleteOptions::default())
        .unwrap();
    assert!(cluster.get(&addresses, address).is_err());
}

#[test]
fn endpoints_of_a_service_end_with_it() {
    let cluster = fresh();
    let named = |kind: &str, name: &str| json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": name}});
    let endpoints = place("endpoints");
    for (name, finalizers) in [("s", json!([])), ("t", json!(["a.b/c"]))] {
        let mut service = named("Service", name);
        service["spec"] = json!({"ports": [{"port": 80}]});
        create(&cluster, "services", &service).unwrap();
        let mut own = named("Endpoints", name);
        own["metadata"]["finalizers"] = finalizers;
        create(&cluster, "endpoints", &own).unwrap();
    }
    create(&cluster, "endpoints", &named("Endpoints", "other")).unwrap();
    let dry = DeleteOptions {
        write: WriteOptions {
            dry_run: true,
            ..WriteOptions::default()
        },
        ..DeleteOptions::default()
    };
    cluster.delete(&place("services"), "s", &dry).unwrap();
    assert!(cluster.get(&endpoints, "s").is_ok());
    for name in ["s", "t"] {
        let options = DeleteOptions::default();
        cluster.delete(&place("services"), name, &options).unwrap();
    }
    assert!(cluster.get(&endpoints, "s").is_err());
    let waits = cluster.get(&endpoints, "t").unwrap();
    assert!(waits["metadata"]["deletionTimestamp"].is_string());
    assert!(cluster.get(&endpoints, "other").is_ok());
}

#[test]
fn service_is_allocated_before_it_is_validated() {
    let cluster = fresh();
    let service = |spec: Value| json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}, "spec": spec});
    for (spec, why) in [
        (
            json!({"type": "NodePort", "ports": [{"port": 0, "nodePort": 80}]}),
            "spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid \
             ports is 30000-32767",
        ),
        (
            json!({"clusterIP": "x", "ports": [{"port": 0}]}),
            "spec.clusterIPs[0]: Invalid value: \"x\": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
        ),
    ] {
        let told = refused(&cluster, "services", &service(spec));
        assert_eq!(told, format!("Service \"s\" is invalid: {why}"));
    }
    let valid = json!({"ports": [{"port": 80}]});
    let mut made = create(&cluster, "services", &service(valid)).unwrap();
    made["spec"]["type"] = json!("NodePort");
    made["spec"]["ports"][0] = json!({"port": 0, "nodePort": 80});
    let options = WriteOptions::default();
    let told = cluster.update(&place("services"), "s", &made, &options);
    let told = told.unwrap_err().to_string();
    assert!(
        told.starts_with(
            "Service \"s\" is invalid: spec.ports[0].nodePort: Invalid value: 80: provided"
        ),
        "{told}"
    );
}

#[test]
fn a_dry_run_of_a_service_assigns_dummies() {
    let cluster = fresh();
    let dry = WriteOptions {
        dry_run: true,
        ..WriteOptions::default()
    };
    let service = |spec: Value| json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}, "spec": spec});
    let ports = json!([{"name": "a", "port": 80}, {"name": "b", "port": 81}]);
    let node_ports = service(json!({"type": "NodePort", "ports": ports}));
    let taken = service(json!({"clusterIP": "10.96.0.9", "ports": [{"port": 80}]}));
    let low = service(json!({"type": "NodePort", "ports": [{"port": 80, "nodePort": 10}]}));
    let mut other = taken.clone();
    other["metadata"]["name"] = json!("other");
    create(&cluster, "services", &other).unwrap();
    let run = |object: &Value| {
        cluster
            .create(&place("services"), object, &dry)
            .unwrap()
            .object["spec"]
            .clone()
    };
    let spec = run(&node_ports);
    assert_eq!(spec["clusterIP"], "10.96.0.0");
    assert_eq!(spec["ports"][0]["nodePort"], 32_769);
    assert_eq!(spec["ports"][1]["nodePort"], 32_770);
    assert_eq!(run(&taken)["clusterIP"], "10.96.0.9");
    assert_eq!(run(&low)["ports"][0]["nodePort"], 10);
}

#[test]
fn hand_made_ip_address_reserves_the_address() {
    let cluster = fresh();
    let reserved = json!({"apiVersion": "networking.k8s.io/v1", "kind": "IPAddress", "metadata": {"name": "10.96.5.5"},
        "spec": {"parentRef": {"resource": "services", "namespace": "default", "name": "s"}}});
    create(&cluster, "ipaddresses", &reserved).unwrap();
    let service = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"},
        "spec": {"clusterIP": "10.96.5.5", "ports": [{"port": 80}]}});
    let refused = create(&cluster, "services", &service)
        .unwrap_err()
        .to_string();
    let why = "failed to allocate IP 10.96.5.5: provided IP is already allocated";
    assert!(refused.ends_with(why), "{refused}");
}

#[test]
fn services_take_addresses_of_every_ready_range() {
    let cluster = fresh();
    let service = |name: &str, address: &str| {
        json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": name},
            "spec": {"clusterIP": address, "ports": [{"port": 80}]}})
    };
    let wanted = |name: &str, address: &str| create(&cluster, "services", &service(name, address));
    assert!(wanted("a", "10.100.0.5").is_err());
    let range = json!({"apiVersion": "networking.k8s.io/v1", "kind": "ServiceCIDR",
        "metadata": {"name": "extra"}, "spec": {"cidrs": ["10.100.0.0/24"]}});
    create(&cluster, "servicecidrs", &range).unwrap();
    let made = wanted("a", "10.100.0.5").unwrap();
    assert_eq!(made["spec"]["clusterIPs"], json!(["10.100.0.5"]));
    let again = wanted("b", "10.100.0.5").unwrap_err().to_string();
    assert!(
        again.ends_with("provided IP is already allocated"),
        "{again}"
    );
    let own = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "c"},
        "spec": {"ports": [{"port": 80}]}});
    let made = create(&cluster, "services", &own).unwrap();
    let address = made["spec"]["clusterIP"].as_str().unwrap();
    assert!(address.starts_with("10.96."), "{address}");
    let ends = json!({"status": {"conditions": [{"type": "Ready", "status": "False",
        "reason": "Terminating", "message": "m", "lastTransitionTime": "2026-01-02T12:00:00Z"}]}});
    let patch = (PatchType::Merge, &ends);
    let options = WriteOptions::default();
    cluster
        .patch(&place("servicecidrs"), "extra", patch, true, &options)
        .unwrap();
    let refused = wanted("d", "10.100.0.6").unwrap_err().to_string();
    assert!(
        refused.ends_with("the provided network does not match the current range"),
        "{refused}"
    );
}

#[test]
fn ip_address_object_exists_until_the_last_service_finalizer() {
    let cluster = fresh();
    let service = json!({"apiVersion": "v1", "kind": "Service",
        "metadata": {"name": "s", "finalizers": ["example.com/a"]}, "spec": {"ports": [{"port": 80}]}});
    let made = create(&cluster, "services", &service).unwrap();
    let address = made["spec"]["clusterIP"].as_str().unwrap();
    let services = place("services");
    cluster
        .delete(&services, "s", &DeleteOptions::default())
        .unwrap();
    let addresses = place("ipaddresses");
    assert!(cluster.get(&addresses, address).is_ok());
    let last = json!({"metadata": {"finalizers": null}});
    let options = WriteOptions::default();
    let gone = cluster
        .patch(&services, "s", (PatchType::Merge, &last), false, &options)
        .unwrap();
    assert!(gone.gone);
    assert!(cluster.get(&addresses, address).is_err());
    let mut again = service.clone();
    again["spec"]["clusterIP"] = json!(address);
    assert!(create(&cluster, "services", &again).is_ok());
}

#[test]
fn update_reverted_by_admission_keeps_the_generation() {
    let cluster = fresh();
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
        "spec": {"containers": [{"name": "c", "image": "nginx"}],
            "tolerations": [{"key": "a", "operator": "Exists"}]}});
    let made = create(&cluster, "pods", &pod).unwrap();
    let patch = json!({"spec": {"tolerations": [{"key": "a", "operator": "Exists"}]}});
    let options = WriteOptions::default();
    let patched = cluster
        .patch(
            &place("pods"),
            "p",
            (PatchType::Merge, &patch),
            false,
            &options,
        )
        .unwrap();
    assert_eq!(patched.object["spec"], made["spec"]);
    assert_eq!(patched.object["metadata"]["generation"], 1);
}

#[test]
fn namespace_terminates_until_it_is_finalized() {
    let cluster = fresh();
    let namespaces = place("namespaces");
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "n"}});
    create(&cluster, "namespaces", &namespace).unwrap();
    let options = DeleteOptions::default();
    let going = cluster.delete(&namespaces, "n", &options).unwrap();
    assert_eq!(
        (going.gone, &going.object["status"]["phase"]),
        (false, &json!("Terminating"))
    );
    assert!(!cluster.delete(&namespaces, "n", &options).unwrap().changed);
    let inside = Place::new(place("configmaps").kind, "n");
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "c-"}});
    let e = cluster
        .create(&inside, &map, &WriteOptions::default())
        .unwrap_err();
    assert_eq!(
        e.to_string(),
        "configmaps \"c-\" is forbidden: unable to create new content in namespace n because it is \
         being terminated"
    );
    assert_eq!(
        e.status().unwrap().causes()[0].reason.as_str(),
        "NamespaceTerminating"
    );
    let mut finalized = going.object;
    finalized["spec"] = json!({});
    let write = WriteOptions::default();
    // An ordinary update does not touch the finalizers.
    let kept = cluster
        .update(&namespaces, "n", &finalized, &write)
        .unwrap();
    assert_eq!(kept.object["spec"]["finalizers"], json!(["kubernetes"]));
    finalized["metadata"]["resourceVersion"] = Value::Null;
    assert!(
        cluster
            .replace(&namespaces, "n", &finalized, Part::Finalize, &write)
            .unwrap()
            .gone
    );
    for name in ["default", "kube-system", "kube-public"] {
        let e = cluster.delete(&namespaces, name, &options).unwrap_err();
        assert!(
            e.to_string().ends_with("this namespace may not be deleted"),
            "{e}"
        );
    }
}

#[test]
fn default_classes_are_set_if_none_is_named() {
    let cluster = fresh();
    let class = json!({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "provisioner": "x",
        "metadata": {"name": "fast", "annotations": {
            "storageclass.kubernetes.io/is-default-class": "true"}}});
    create(&cluster, "storageclasses", &class).unwrap();
    let claim = json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "c"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}});
    assert_eq!(
        create(&cluster, "pvc", &claim).unwrap()["spec"]["storageClassName"],
        "fast"
    );
    let priority = |name: &str| {
        json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
        "metadata": {"name": name}, "value": 5, "globalDefault": true})
    };
    create(&cluster, "priorityclasses", &priority("usual")).unwrap();
    assert!(refused(&cluster, "priorityclasses", &priority("other")).contains("Only one default"));
    let made = create(&cluster, "pods", &pod("p")).unwrap();
    assert_eq!(
        (
            &made["spec"]["priorityClassName"],
            &made["spec"]["priority"]
        ),
        (&json!("usual"), &json!(5))
    );
}

#[test]
fn labels_of_the_namespace_set_the_pod_security_level() {
    let cluster = fresh();
    let options = WriteOptions::default();
    let mut namespace = cluster.get(&place("namespaces"), "default").unwrap();
    namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] = json!("baseline");
    namespace["metadata"]["labels"]["pod-security.kubernetes.io/warn"] = json!("restricted");
    cluster
        .update(&place("namespaces"), "default", &namespace, &options)
        .unwrap();
    let mut host = pod("p");
    host["spec"]["hostNetwork"] = json!(true);
    assert_eq!(
        refused(&cluster, "pods", &host),
        "pods \"p\" is forbidden: violates PodSecurity \"baseline:latest\": host namespaces \
         (hostNetwork=true)"
    );
    let answer = cluster.create(&place("pods"), &pod("p"), &options).unwrap();
    assert!(answer.warnings[0].starts_with("would violate PodSecurity \"restricted:latest\""));
    let mut debugged = answer.object;
    debugged["spec"]["ephemeralContainers"] = json!([{"name": "e", "image": "i",
        "securityContext": {"privileged": true}}]);
    let part = Part::EphemeralContainers;
    let e = cluster
        .replace(&place("pods"), "p", &debugged, part, &options)
        .unwrap_err();
    assert!(
        e.to_string()
            .contains("privileged (container \"e\" must not set"),
        "{e}"
    );
}

#[test]
fn writes_to_ephemeral_containers_and_resize_change_nothing_else() {
    let cluster = fresh();
    let options = |manager: &str| WriteOptions {
        field_manager: manager.to_owned(),
        ..WriteOptions::default()
    };
    let pods = place("pods");
    let created = cluster
        .create(&pods, &pod("p"), &options("creator"))
        .unwrap();
    let mut sent = created.object.clone();
    sent["metadata"]["labels"] = json!({"x": "y"});
    sent["metadata"]["annotations"] = json!({"q": "r"});
    sent["metadata"]["finalizers"] = json!(["a.b/c"]);
    sent["spec"]["containers"][0]["image"] = json!("zz");
    sent["spec"]["containers"][0]["resources"] = json!({"limits": {"memory": "30Mi"}});
    sent["spec"]["ephemeralContainers"] = json!([{"name": "e", "image": "i"}]);
    for (part, owned) in [
        (Part::EphemeralContainers, "f:ephemeralContainers"),
        (Part::Resize, "f:containers"),
    ] {
        let mut sent = sent.clone();
        // The version of the first write is not that of the second.
        sent["metadata"]["resourceVersion"] = json!(null);
        if part == Part::Resize {
            sent["spec"]["containers"][0]["resources"] = json!({});
        }
        let written = cluster.replace(&pods, "p", &sent, part, &options("other"));
        let written = written.unwrap().object;
        for name in ["labels", "annotations", "finalizers"] {
            assert_eq!(
                written["metadata"].get(name),
                created.object["metadata"].get(name)
            );
        }
        let managed = written["metadata"]["managedFields"].as_array().unwrap();
        let creators = managed.iter().find(|entry| entry["manager"] == "creator");
        let creators = creators.unwrap().to_string();
        assert!(creators.contains("f:image"), "{creators}");
        for entry in managed.iter().filter(|entry| entry["manager"] == "other") {
            assert_eq!(entry["fieldsV1"].get("f:metadata"), None, "{owned}");
            assert_eq!(
                entry["fieldsV1"]["f:spec"].as_object().unwrap().len(),
                1,
                "{entry}"
            );
        }
    }
}

#[test]
fn an_object_that_was_saved_while_terminating_comes_back_without_its_marks() {
    let cluster = fresh();
    let metadata = json!({"name": "u", "finalizers": ["a.b/c"], "deletionGracePeriodSeconds": 5,
        "deletionTimestamp": "2020-01-01T00:00:00Z"});
    let saved = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata});
    let created = create(&cluster, "configmaps", &saved).unwrap();
    assert_eq!(created["metadata"].get("deletionTimestamp"), None);
    let managed = created["metadata"]["managedFields"].to_string();
    assert!(managed.contains("f:finalizers"), "{managed}");
    assert!(!managed.contains("f:deletion"), "{managed}");
}

#[test]
fn limit_ranges_bound_a_resize() {
    let cluster = fresh();
    let limits = json!([{"type": "Container", "max": {"cpu": "1"}, "default": {"cpu": "200m"}}]);
    let range = json!({"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "l"},
        "spec": {"limits": limits}});
    create(&cluster, "limitranges", &range).unwrap();
    let created = create(&cluster, "pods", &pod("p")).unwrap();
    let resize = |limits: Value| {
        let mut sent = created.clone();
        sent["metadata"]["resourceVersion"] = json!(null);
        sent["spec"]["containers"][0]["resources"] =
            json!({"requests": {"cpu": "100m"}, "limits": limits});
        let options = WriteOptions::default();
        let written = cluster.replace(&place("pods"), "p", &sent, Part::Resize, &options)?;
        Ok::<_, ApiError>(written.object)
    };
    let told = resize(json!({"cpu": "3"})).unwrap_err().to_string();
    let why = "pods \"p\" is forbidden: maximum cpu usage per Container is 1, but limit is 3";
    assert!(told.ends_with(why), "{told}");
    // A limit that the writer leaves out is the default one again, and nothing but the resources changes.
    let written = resize(json!({})).unwrap();
    assert_eq!(
        written["spec"]["containers"][0]["resources"],
        json!({"requests": {"cpu": "100m"}, "limits": {"cpu": "200m"}})
    );
    let annotations = |pod: &Value| pod["metadata"]["annotations"].clone();
    assert_eq!(annotations(&written), annotations(&created));
}

#[test]
fn a_namespace_that_enforces_more_warns_about_its_pods_and_templates() {
    let cluster = fresh();
    let options = WriteOptions::default();
    let mut host = pod("p");
    host["spec"]["hostNetwork"] = json!(true);
    cluster.create(&place("pods"), &host, &options).unwrap();
    let mut namespace = cluster.get(&place("namespaces"), "default").unwrap();
    for mode in ["enforce", "warn"] {
        let label = format!("pod-security.kubernetes.io/{mode}");
        namespace["metadata"]["labels"][label.as_str()] = json!("baseline");
    }
    let labeled = cluster
        .update(&place("namespaces"), "default", &namespace, &options)
        .unwrap();
    assert_eq!(
        labeled.warnings,
        [
            "existing pods in namespace \"default\" violate the new PodSecurity enforce level \"baseline:latest\"",
            "p: host namespaces",
        ]
    );
    let mut stored = cluster.get(&place("pods"), "p").unwrap();
    stored["metadata"]["labels"] = json!({"a": "b"});
    let relabeled = cluster.update(&place("pods"), "p", &stored, &options);
    stored = relabeled.unwrap().object;
    stored["spec"]["containers"][0]["image"] = json!("other");
    let e = cluster
        .update(&place("pods"), "p", &stored, &options)
        .unwrap_err();
    assert!(e.to_string().contains("violates PodSecurity"), "{e}");
    let template = json!({"metadata": {"labels": {"a": "b"}}, "spec": host["spec"]});
    let set = json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "r"},
        "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": template}});
    let made = cluster
        .create(&place("replicasets.apps"), &set, &options)
        .unwrap();
    let mut scaled = made.object;
    scaled["spec"]["replicas"] = json!(0);
    let scaled = cluster
        .update(&place("replicasets.apps"), "r", &scaled, &options)
        .unwrap();
    assert_eq!(made.warnings, scaled.warnings);
    assert!(scaled.warnings[0].starts_with("would violate PodSecurity \"baseline:latest\""));
}

#[test]
fn pod_with_a_missing_service_account_is_rejected() {
    let cluster = fresh();
    let mut object = pod("");
    object["metadata"] = json!({"generateName": "web-"});
    object["spec"]["serviceAccountName"] = json!("robot");
    assert_eq!(
        refused(&cluster, "pods", &object),
        "pods \"web-\" is forbidden: error looking up service account default/robot: serviceaccount \
         \"robot\" not found"
    );
}

#[test]
fn pod_creation_waits_for_the_default_service_account() {
    let cluster = fresh();
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "new"}});
    create(&cluster, "namespaces", &namespace).unwrap();
    let account = json!({"apiVersion": "v1", "kind": "ServiceAccount",
        "metadata": {"name": "default"}});
    let there = |resource: &str| Place::new(place(resource).kind, "new");
    let options = WriteOptions::default();
    let path = cluster.directory.path();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(std::time::Duration::from_millis(50));
            let other = Cluster::open(path, open()).unwrap();
            let answer = other.create(&there("serviceaccounts"), &account, &options);
            assert!(answer.unwrap().changed);
        });
        cluster.create(&there("pods"), &pod("p"), &options).unwrap();
    });
}

#[test]
fn a_finalizer_keeps_an_object_until_it_is_removed() {
    let cluster = fresh();
    let maps = place("configmaps");
    let held = json!({"apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "c", "finalizers": ["a.b/c"]}});
    create(&cluster, "configmaps", &held).unwrap();
    let going = cluster
        .delete(&maps, "c", &DeleteOptions::default())
        .unwrap();
    assert!(!going.gone);
    assert_eq!(going.object["metadata"]["deletionGracePeriodSeconds"], 0);
    let options = WriteOptions::default();
    let mut change = going.object;
    change["metadata"]["finalizers"] = json!(["a.b/c", "a.b/d"]);
    let e = cluster.update(&maps, "c", &change, &options).unwrap_err();
    assert!(
        e.to_string().contains("no new finalizers can be added"),
        "{e}"
    );
    change["metadata"]["finalizers"] = json!(["a.b/c"]);
    change["metadata"]["deletionTimestamp"] = json!("2020-01-01T00:00:00Z");
    let e = cluster.update(&maps, "c", &change, &options).unwrap_err();
    assert!(e.to_string().contains("metadata.deletionTimestamp"), "{e}");
    change["metadata"] = json!({"name": "c"});
    assert!(cluster.update(&maps, "c", &change, &options).unwrap().gone);
}
