//! SIG Network: Services, Endpoints, EndpointSlices, Ingresses and the ranges of Services, as far as they need no
//! network.

use serde_json::{Value, json};

use crate::cluster::{Api, Server, namespace};
use crate::objects::{PAUSE, pod, service, spec, until_ready};
use crate::operations::{discovered, supported};
use crate::resource::{Resource, name, names};

fn space(name: &str) -> Api {
    namespace("network", name)
}

fn http() -> Value {
    json!([{"name": "http", "port": 80, "protocol": "TCP", "targetPort": 80}])
}

#[test]
fn kubernetes_service_exists() {
    let api = space("kubernetes");
    let listed = api.global("v1", "Service").list("");
    let found = listed.iter().find(|s| name(s) == "kubernetes").unwrap();
    assert_eq!(found["metadata"]["namespace"], "default");
    assert_eq!(found["spec"]["ports"][0]["name"], "https");
    assert_eq!(found["spec"]["ports"][0]["port"], 443);
}

#[test]
fn api_server_has_endpoints() {
    let api = space("api-endpoints");
    let path = "/api/v1/namespaces/default/endpoints/kubernetes";
    let endpoints = api.get(path).ok();
    let addresses = endpoints["subsets"][0]["addresses"].as_array().unwrap();
    assert!(!addresses.is_empty(), "{endpoints}");
    let version = "discovery.k8s.io/v1";
    discovered(&api, version, &["endpointslices"]);
    let slices = api
        .global(version, "EndpointSlice")
        .list("kubernetes.io/service-name=kubernetes");
    assert!(!slices.is_empty());
    let found = slices
        .iter()
        .flat_map(|slice| slice["endpoints"].as_array().unwrap());
    let found: Vec<&Value> = found.map(|endpoint| &endpoint["addresses"][0]).collect();
    for address in addresses {
        assert!(found.contains(&&address["ip"]), "{slices:?}");
    }
}

/// Creates a Service of one type, changes it to another type, and returns both.
fn changed(services: &Resource<'_>, from: &Value, to: &Value) -> (Value, Value) {
    let made = services.create(service("changes", from.clone()));
    let updated = services.edit("changes", "", |service| {
        for (field, value) in to.as_object().unwrap() {
            service["spec"][field] = value.clone();
        }
    });
    (made, updated)
}

fn external() -> Value {
    json!({"type": "ExternalName", "externalName": "foo.example.com"})
}

/// Returns the fields of a Service that gets an external name.
fn to_external() -> Value {
    json!({
        "type": "ExternalName", "externalName": "foo.example.com", "clusterIP": null, "clusterIPs": null,
    })
}

#[test]
fn external_name_becomes_a_cluster_address() {
    let api = space("svc-external-ip");
    let to = json!({"type": "ClusterIP", "externalName": null, "ports": http()});
    let (made, updated) = changed(&api.of("v1", "Service"), &external(), &to);
    assert!(made["spec"]["clusterIP"].is_null(), "{made}");
    assert!(
        updated["spec"]["clusterIP"]
            .as_str()
            .unwrap()
            .starts_with("10."),
        "{updated}"
    );
}

#[test]
fn external_name_becomes_a_node_port() {
    let api = space("svc-external-port");
    let to = json!({"type": "NodePort", "externalName": null, "ports": http()});
    let (_, updated) = changed(&api.of("v1", "Service"), &external(), &to);
    assert!(updated["spec"]["clusterIP"].is_string(), "{updated}");
    let port = updated["spec"]["ports"][0]["nodePort"].as_u64().unwrap();
    assert!((30000..32768).contains(&port), "{updated}");
}

#[test]
fn cluster_address_becomes_an_external_name() {
    let api = space("svc-ip-external");
    let from = json!({"type": "ClusterIP", "ports": http()});
    let (made, updated) = changed(&api.of("v1", "Service"), &from, &to_external());
    assert!(made["spec"]["clusterIP"].is_string(), "{made}");
    assert!(updated["spec"]["clusterIP"].is_null(), "{updated}");
    assert_eq!(updated["spec"]["externalName"], "foo.example.com");
}

#[test]
fn node_port_becomes_an_external_name() {
    let api = space("svc-port-external");
    let services = api.of("v1", "Service");
    let from = json!({"type": "NodePort", "ports": http()});
    let (made, updated) = changed(&services, &from, &to_external());
    let port = made["spec"]["ports"][0]["nodePort"].clone();
    assert!(port.is_u64(), "{made}");
    assert!(updated["spec"]["clusterIP"].is_null(), "{updated}");
    assert!(
        updated["spec"]["ports"][0]["nodePort"].is_null(),
        "{updated}"
    );
    // The port is released.
    let mut ports = http();
    ports[0]["nodePort"] = port;
    services.create(service("next", json!({"type": "NodePort", "ports": ports})));
}

#[test]
fn session_affinity_switches() {
    let api = space("svc-affinity");
    let services = api.of("v1", "Service");
    for kind in ["ClusterIP", "NodePort"] {
        let name = kind.to_lowercase();
        let spec = json!({"type": kind, "ports": http(), "sessionAffinity": "ClientIP"});
        let made = services.create(service(&name, spec));
        assert_eq!(
            made["spec"]["sessionAffinityConfig"]["clientIP"]["timeoutSeconds"],
            10800
        );
        let none = json!({"spec": {"sessionAffinity": "None", "sessionAffinityConfig": null}});
        assert_eq!(
            services.merge(&name, "", none)["spec"]["sessionAffinity"],
            "None"
        );
        let back = services.merge(&name, "", json!({"spec": {"sessionAffinity": "ClientIP"}}));
        assert_eq!(back["spec"]["sessionAffinity"], "ClientIP");
        assert_eq!(back["spec"]["clusterIP"], made["spec"]["clusterIP"]);
    }
}

#[test]
fn service_status_has_a_lifecycle() {
    let api = space("svc-status");
    let services = api.of("v1", "Service");
    let mut made = service(
        "test-service",
        json!({"type": "LoadBalancer", "ports": http()}),
    );
    made["metadata"]["labels"] = json!({"test-service-static": "true"});
    services.create(made);
    let read = services.part("test-service", "status");
    assert!(read["status"]["loadBalancer"].is_object(), "{read}");
    let ingress = json!({"loadBalancer": {"ingress": [{"ip": "203.0.113.1"}]}});
    let patch = json!({"metadata": {"annotations": {"patchedstatus": "true"}}, "status": ingress});
    let patched = services.merge("test-service", "status", patch);
    assert_eq!(
        patched["status"]["loadBalancer"]["ingress"][0]["ip"],
        "203.0.113.1"
    );
    assert_eq!(patched["metadata"]["annotations"]["patchedstatus"], "true");
    let new = json!({"type": "StatusUpdate", "status": "True", "reason": "E2E", "message": "m",
        "lastTransitionTime": "2026-01-01T00:00:00Z"});
    let updated = services.edit("test-service", "status", |service| {
        service["status"]["conditions"] = json!([new]);
    });
    assert_eq!(updated["status"]["conditions"][0]["type"], "StatusUpdate");
    let patch = json!({"metadata": {"labels": {"test-service": "patched"}}});
    services
        .try_patch("test-service", "", "strategic-merge", &patch)
        .ok();
    let mut watch = services.watch("labelSelector=test-service-static%3Dtrue&resourceVersion=0");
    let seen = watch.find("ADDED", |_| true);
    assert_eq!(seen["metadata"]["labels"]["test-service"], "patched");
    services.delete("test-service");
    watch.find("DELETED", |_| true);
}

#[test]
fn services_are_deleted_together() {
    let api = space("svc-all");
    let services = api.of("v1", "Service");
    for (name, app) in [("one", "a"), ("two", "b"), ("three", "a")] {
        let mut made = service(name, json!({"ports": http()}));
        made["metadata"]["labels"] = json!({"e2e": app});
        services.create(made);
    }
    assert_eq!(services.list("").len(), 3);
    services.delete_all("e2e=a");
    services.until_all("", "one is left", |list| list.len() == 1);
}

/// Returns the ports of each Pod that an Endpoints object contains.
fn ports_of(endpoints: &Value) -> Vec<(String, Vec<u64>)> {
    let mut found = Vec::new();
    for subset in endpoints["subsets"].as_array().into_iter().flatten() {
        let ports = subset["ports"].as_array().into_iter().flatten();
        let ports: Vec<u64> = ports.map(|port| port["port"].as_u64().unwrap()).collect();
        for address in subset["addresses"].as_array().into_iter().flatten() {
            found.push((
                address["targetRef"]["name"].as_str().unwrap().to_owned(),
                ports.clone(),
            ));
        }
    }
    found.sort();
    found
}

fn open(name: &str, app: &str, port: u32, port_name: &str) -> Value {
    let mut made = pod(name, spec(PAUSE));
    made["metadata"]["labels"] = json!({"app": app});
    made["spec"]["containers"][0]["ports"] = json!([{"containerPort": port, "name": port_name}]);
    made
}

#[track_caller]
fn until_ports(api: &Api, service: &str, wanted: &[(&str, &[u64])]) {
    let wanted: Vec<(String, Vec<u64>)> = wanted
        .iter()
        .map(|(pod, ports)| ((*pod).to_owned(), ports.to_vec()))
        .collect();
    let endpoints = api.of("v1", "Endpoints");
    endpoints.until(service, &format!("{wanted:?}"), |e| {
        !e.is_null() && ports_of(e) == wanted
    });
    let slices = api.of("discovery.k8s.io/v1", "EndpointSlice");
    slices.until_all(
        &format!("kubernetes.io/service-name={service}"),
        "the same Pods",
        |slices| {
            let all = slices
                .iter()
                .flat_map(|s| s["endpoints"].as_array().into_iter().flatten());
            let mut pods: Vec<&str> = all
                .filter_map(|e| e["targetRef"]["name"].as_str())
                .collect();
            pods.sort_unstable();
            pods.iter().eq(wanted.iter().map(|(pod, _)| pod))
        },
    );
}

#[test]
fn endpoints_follow_pods() {
    let api = space("endpoints-basic");
    let pods = api.of("v1", "Pod");
    let ports = json!([{"port": 80, "targetPort": 80}]);
    api.of("v1", "Service").create(service(
        "svc",
        json!({"selector": {"app": "e"}, "ports": ports}),
    ));
    until_ports(&api, "svc", &[]);
    pods.create(open("pod1", "e", 80, "http"));
    until_ports(&api, "svc", &[("pod1", &[80])]);
    pods.create(open("pod2", "e", 80, "http"));
    until_ports(&api, "svc", &[("pod1", &[80]), ("pod2", &[80])]);
    pods.delete("pod1");
    until_ports(&api, "svc", &[("pod2", &[80])]);
    pods.delete("pod2");
    until_ports(&api, "svc", &[]);
}

#[test]
fn endpoints_have_several_ports() {
    let api = space("endpoints-ports");
    let pods = api.of("v1", "Pod");
    let ports = json!([
        {"name": "portname1", "port": 80, "targetPort": "svc1"},
        {"name": "portname2", "port": 81, "targetPort": "svc2"},
    ]);
    api.of("v1", "Service").create(service(
        "svc",
        json!({"selector": {"app": "e"}, "ports": ports}),
    ));
    until_ports(&api, "svc", &[]);
    pods.create(open("pod1", "e", 100, "svc1"));
    until_ports(&api, "svc", &[("pod1", &[100])]);
    pods.create(open("pod2", "e", 101, "svc2"));
    until_ports(&api, "svc", &[("pod1", &[100]), ("pod2", &[101])]);
    pods.delete("pod1");
    until_ports(&api, "svc", &[("pod2", &[101])]);
    pods.delete("pod2");
    until_ports(&api, "svc", &[]);
}

#[test]
fn slices_are_made_and_deleted_with_their_service() {
    let api = space("slices-svc");
    let services = api.of("v1", "Service");
    let slices = api.of("discovery.k8s.io/v1", "EndpointSlice");
    discovered(&api, "discovery.k8s.io/v1", &["endpointslices"]);
    services.create(service(
        "empty",
        json!({"selector": {"does-not": "match"}, "ports": http()}),
    ));
    api.of("v1", "Endpoints")
        .until("empty", "exists", |endpoints| !endpoints.is_null());
    let label = "kubernetes.io/service-name=empty";
    slices.until_all(label, "exist", |slices| !slices.is_empty());
    services.delete("empty");
    api.of("v1", "Endpoints").until_gone("empty");
    slices.until_all(label, "are deleted", <[Value]>::is_empty);
}

#[test]
fn slices_match_the_pods_of_services() {
    let api = space("slices-pods");
    let pods = api.of("v1", "Pod");
    let mut first = open("pod1", "s", 3000, "example-name");
    first["metadata"]["labels"] = json!({"foo": "bar", "one": "yes"});
    pods.create(first);
    let mut second = open("pod2", "s", 3001, "example-name");
    second["metadata"]["labels"] = json!({"foo": "bar"});
    second["spec"]["containers"][0]["ports"][0]["containerPort"] = json!(3001);
    pods.create(second);
    let services = api.of("v1", "Service");
    let named =
        json!([{"name": "example", "port": 80, "targetPort": "example-name", "protocol": "TCP"}]);
    services.create(service(
        "example-named",
        json!({"selector": {"foo": "bar"}, "ports": named}),
    ));
    let number = json!([{"name": "example", "port": 80, "targetPort": 3000, "protocol": "TCP"}]);
    services.create(service(
        "example-int",
        json!({"selector": {"one": "yes"}, "ports": number}),
    ));
    until_ports(&api, "example-int", &[("pod1", &[3000])]);
    until_ports(
        &api,
        "example-named",
        &[("pod1", &[3000]), ("pod2", &[3001])],
    );
    let slices = api.of("discovery.k8s.io/v1", "EndpointSlice");
    for slice in slices.list("kubernetes.io/service-name=example-named") {
        assert_eq!(slice["ports"][0]["name"], "example");
        let endpoint = &slice["endpoints"][0];
        assert_eq!(endpoint["conditions"]["ready"], true);
        assert_eq!(
            endpoint["nodeName"],
            pods.get(endpoint["targetRef"]["name"].as_str().unwrap())["spec"]["nodeName"]
        );
    }
}

#[test]
fn slices_support_all_operations() {
    let api = space("slices-api");
    supported(
        &api,
        "discovery.k8s.io/v1",
        "EndpointSlice",
        false,
        &|number| {
            json!({"metadata": {"name": format!("e2e-{number}")}, "addressType": "IPv4",
            "endpoints": [{"addresses": ["1.2.3.4", "5.6.7.8"]}]})
        },
    );
}

#[test]
fn endpoints_are_mirrored() {
    let api = space("mirror");
    api.of("v1", "Service")
        .create(service("custom", json!({"ports": http()})));
    let endpoints = api.of("v1", "Endpoints");
    let slices = api.of("discovery.k8s.io/v1", "EndpointSlice");
    let label = "kubernetes.io/service-name=custom";
    let ports = json!([{"port": 80, "name": "http", "protocol": "TCP"}]);
    endpoints.create(json!({
        "metadata": {"name": "custom"},
        "subsets": [{"ports": ports, "addresses": [{"ip": "10.1.2.3"}]}],
    }));
    let mirrored = |ip: &'static str| {
        slices.until_all(label, ip, |slices| {
            slices.len() == 1 && slices[0]["endpoints"][0]["addresses"] == json!([ip])
        })
    };
    let slice = &mirrored("10.1.2.3")[0];
    assert_eq!(slice["ports"][0]["port"], 80);
    let by = &slice["metadata"]["labels"]["endpointslice.kubernetes.io/managed-by"];
    assert_eq!(by, "endpointslicemirroring-controller.k8s.io");
    endpoints.edit("custom", "", |e| {
        e["subsets"][0]["addresses"][0]["ip"] = json!("10.2.3.4")
    });
    mirrored("10.2.3.4");
    endpoints.delete("custom");
    slices.until_all(label, "are deleted", <[Value]>::is_empty);
}

#[test]
fn endpoints_have_a_lifecycle() {
    let api = space("endpoints-life");
    let endpoints = api.of("v1", "Endpoints");
    let mut watch = endpoints.watch("labelSelector=test-endpoint-static%3Dtrue");
    let ports = json!([{"name": "http", "port": 80, "protocol": "TCP"}]);
    endpoints.create(json!({
        "metadata": {"name": "testservice", "labels": {"test-endpoint-static": "true"}},
        "subsets": [{"addresses": [{"ip": "10.0.0.24"}], "ports": ports}],
    }));
    watch.expect("ADDED");
    let listed = api
        .global("v1", "Endpoints")
        .list("test-endpoint-static=true");
    assert_eq!(names(&listed), ["testservice"]);
    endpoints.edit("testservice", "", |e| {
        e["metadata"]["labels"]["test-service"] = json!("updated")
    });
    watch.find("MODIFIED", |e| {
        e["metadata"]["labels"]["test-service"] == "updated"
    });
    let ports = json!([{"name": "http-test", "port": 8080, "protocol": "TCP"}]);
    let patch = json!({"metadata": {"labels": {"test-service": "patched"}}, "subsets": [
        {"addresses": [{"ip": "10.0.0.25"}], "ports": ports},
    ]});
    endpoints.merge("testservice", "", patch);
    let read = endpoints.get("testservice");
    assert_eq!(read["subsets"][0]["addresses"][0]["ip"], "10.0.0.25");
    assert_eq!(read["subsets"][0]["ports"], ports);
    endpoints.delete_all("test-endpoint-static=true");
    watch.find("DELETED", |_| true);
    assert_eq!(endpoints.try_get("testservice").code, 404);
}

#[test]
fn ingresses_support_all_operations() {
    let api = space("ingress");
    let version = "networking.k8s.io/v1";
    discovered(&api, version, &["ingresses", "ingresses/status"]);
    let make = |number: u32| {
        let backend = json!({"service": {"name": "default-backend", "port": {"number": 80}}});
        let path = json!({"path": "/", "pathType": "ImplementationSpecific", "backend": backend});
        json!({"metadata": {"name": format!("e2e-{number}")}, "spec": {
            "defaultBackend": backend, "rules": [{"host": "foo.bar.com", "http": {"paths": [path]}}],
        }})
    };
    supported(&api, version, "Ingress", false, &make);
    let ingresses = api.of(version, "Ingress");
    ingresses.create(make(9));
    let address = json!({"loadBalancer": {"ingress": [{"ip": "169.1.1.1"}]}});
    let patch = json!({"metadata": {"annotations": {"patchedstatus": "true"}}, "status": address});
    let patched = ingresses.merge("e2e-9", "status", patch);
    assert_eq!(patched["status"], address);
    let updated = ingresses.edit("e2e-9", "status", |ingress| {
        ingress["status"]["loadBalancer"]["ingress"] = json!([{"ip": "169.1.1.2"}]);
    });
    assert_eq!(
        updated["status"]["loadBalancer"]["ingress"][0]["ip"],
        "169.1.1.2"
    );
    assert_eq!(
        ingresses.part("e2e-9", "status")["metadata"]["annotations"]["patchedstatus"],
        "true"
    );
}

#[test]
fn ingress_classes_support_all_operations() {
    let api = space("ingress-class");
    supported(
        &api,
        "networking.k8s.io/v1",
        "IngressClass",
        true,
        &|number| json!({"metadata": {"name": format!("ingressclass{number}")}, "spec": {"controller": "example.com/controller"}}),
    );
}

#[test]
fn service_ranges_support_all_operations() {
    // The controller keeps a range for ten seconds; a virtual clock jumps to their end.
    let server = Server::on_virtual_clock();
    let api = server.namespace("cidrs");
    let version = "networking.k8s.io/v1";
    discovered(&api, version, &["servicecidrs", "servicecidrs/status"]);
    supported(
        &api,
        version,
        "ServiceCIDR",
        true,
        &|number| json!({"metadata": {"name": format!("cidr-{number}")}, "spec": {"cidrs": [format!("10.2{number}.0.0/24")]}}),
    );
    let ranges = api.global(version, "ServiceCIDR");
    ranges.create(json!({"metadata": {"name": "status"}, "spec": {"cidrs": ["10.30.0.0/24"]}}));
    ranges.until("status", "is ready", |range| {
        crate::resource::is_true(range, "Ready")
    });
    // The status keeps the metadata, so this test shows only the conditions.
    let condition = |kind: &str| {
        json!({"type": kind, "status": "True", "reason": "E2E", "message": "m",
            "lastTransitionTime": "2026-01-01T00:00:00Z"})
    };
    let updated = ranges.edit("status", "status", |range| {
        range["status"]["conditions"]
            .as_array_mut()
            .unwrap()
            .push(condition("StatusUpdate"));
    });
    assert!(
        crate::resource::is_true(&updated, "StatusUpdate"),
        "{updated}"
    );
    let patch = json!({"status": {"conditions": [condition("StatusPatched")]}});
    let patched = ranges.merge("status", "status", patch);
    assert!(
        crate::resource::is_true(&patched, "StatusPatched"),
        "{patched}"
    );
    assert_eq!(
        ranges.part("status", "status")["metadata"]["name"],
        "status"
    );
}

#[test]
fn service_addresses_support_all_operations() {
    let server = Server::start();
    let api = server.namespace("addresses");
    let parent =
        json!({"group": "", "resource": "services", "namespace": "addresses", "name": "a"});
    supported(
        &api,
        "networking.k8s.io/v1",
        "IPAddress",
        true,
        &|number| json!({"metadata": {"name": format!("192.168.0.{number}"), "labels": {}}, "spec": {"parentRef": parent}}),
    );
}

#[test]
fn host_ports_differ_by_address_and_protocol() {
    let api = space("hostport");
    let pods = api.of("v1", "Pod");
    let node = api.global("v1", "Node").list("")[0]["metadata"]["name"].clone();
    for (number, (address, protocol)) in [
        ("127.0.0.1", "TCP"),
        ("127.0.0.2", "TCP"),
        ("127.0.0.2", "UDP"),
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("pod{number}");
        let mut made = pod(&name, spec(PAUSE));
        made["spec"]["nodeSelector"] = json!({"kubernetes.io/hostname": node});
        made["spec"]["containers"][0]["ports"] = json!([
            {"hostPort": 54323, "containerPort": 8080, "protocol": protocol, "hostIP": address},
        ]);
        pods.create(made);
        assert_eq!(until_ready(&pods, &name)["spec"]["nodeName"], node);
    }
}
