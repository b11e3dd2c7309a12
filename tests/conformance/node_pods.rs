//! SIG Node: the lifecycle of Pods.

use serde_json::{Value, json};

use crate::cluster::{Api, Server, namespace};
use crate::objects::{
    BUSYBOX, HTTPD, NEW_HTTPD, PAUSE, pod, script, service, spec, until_phase, until_ready,
};
use crate::resource::{Resource, condition, is_true, name};

fn space(name: &str) -> Api {
    namespace("pods", name)
}

#[test]
fn pod_is_submitted_and_removed() {
    let api = space("submit");
    let pods = api.of("v1", "Pod");
    let mut made = pod("submitted", spec(PAUSE));
    made["metadata"]["labels"] = json!({"time": "unique"});
    let query = pods.query("labelSelector=time%3Dunique");
    assert_eq!(query["items"], json!([]));
    let from = crate::resource::revision(&query);
    let mut watch = pods.watch(&format!(
        "labelSelector=time%3Dunique&resourceVersion={from}"
    ));
    pods.create(made);
    assert_eq!(pods.list("time=unique").len(), 1);
    assert_eq!(name(&watch.expect("ADDED")), "submitted");
    watch.find("MODIFIED", |pod| pod["status"]["phase"] == "Running");
    pods.try_delete("submitted", &json!({"gracePeriodSeconds": 30}))
        .ok();
    let last = watch.find("DELETED", |_| true);
    assert!(last["metadata"]["deletionTimestamp"].is_string(), "{last}");
    assert!(pods.list("time=unique").is_empty());
}

#[test]
fn pod_label_is_updated() {
    let api = space("update");
    let pods = api.of("v1", "Pod");
    let mut made = pod("updated", spec(PAUSE));
    made["metadata"]["labels"] = json!({"time": "first"});
    pods.create(made);
    until_ready(&pods, "updated");
    assert_eq!(pods.list("time=first").len(), 1);
    pods.edit("updated", "", |pod| {
        pod["metadata"]["labels"]["time"] = json!("second")
    });
    assert_eq!(pods.list("time=second").len(), 1);
    assert!(pods.list("time=first").is_empty());
}

#[test]
fn deadline_of_a_pod_is_updated() {
    let server = Server::on_virtual_clock();
    let api = server.namespace("deadline");
    let pods = api.of("v1", "Pod");
    pods.create(pod("ends", spec(PAUSE)));
    until_ready(&pods, "ends");
    pods.edit("ends", "", |pod| {
        pod["spec"]["activeDeadlineSeconds"] = json!(5)
    });
    let ended = until_phase(&pods, "ends", "Failed");
    assert_eq!(ended["status"]["reason"], "DeadlineExceeded");
}

#[test]
fn pod_has_a_host_address() {
    let api = space("hostip");
    let pods = api.of("v1", "Pod");
    pods.create(pod("host", spec(PAUSE)));
    let running = until_ready(&pods, "host");
    let address = running["status"]["hostIP"].as_str().unwrap();
    assert!(address.parse::<std::net::IpAddr>().is_ok(), "{address}");
}

#[test]
fn pods_are_deleted_together() {
    let api = space("pods-all");
    let pods = api.of("v1", "Pod");
    for number in 1..=3 {
        let mut made = pod(&format!("test-pod-{number}"), spec(PAUSE));
        made["metadata"]["labels"] = json!({"type": "Testing"});
        pods.create(made);
    }
    assert_eq!(pods.list("type=Testing").len(), 3);
    pods.delete_all("type=Testing");
    pods.until_all("type=Testing", "are gone", <[Value]>::is_empty);
}

#[test]
fn pod_status_is_patched() {
    let api = space("pod-status");
    let pods = api.of("v1", "Pod");
    pods.create(pod("patched", spec(PAUSE)));
    until_ready(&pods, "patched");
    let patch = json!({"status": {"message": "Patched by e2e test", "reason": "E2E"}});
    let patched = pods.merge("patched", "status", patch);
    assert_eq!(patched["status"]["message"], "Patched by e2e test");
    assert_eq!(patched["status"]["reason"], "E2E");
}

#[test]
fn pod_and_its_status_have_a_lifecycle() {
    let api = space("pod-life");
    let pods = api.of("v1", "Pod");
    let mut watch = pods.watch("labelSelector=test-pod-static%3Dtrue");
    let mut made = pod("pod-test", spec(PAUSE));
    made["metadata"]["labels"]["test-pod-static"] = json!("true");
    pods.create(made);
    watch.expect("ADDED");
    watch.find("MODIFIED", |pod| is_true(pod, "Ready"));
    let container = json!({"name": "main", "image": "registry.k8s.io/pause:3.9"});
    let patch = json!({"metadata": {"labels": {"test-pod": "patched"}}, "spec": {"containers": [container]}});
    pods.try_patch("pod-test", "", "strategic-merge", &patch)
        .ok();
    let read = pods.get("pod-test");
    assert_eq!(read["metadata"]["labels"]["test-pod"], "patched");
    assert_eq!(
        read["spec"]["containers"][0]["image"],
        "registry.k8s.io/pause:3.9"
    );
    let replaced = pods.edit("pod-test", "status", |pod| {
        for condition in pod["status"]["conditions"].as_array_mut().unwrap() {
            if condition["type"] == "Ready" {
                condition["status"] = json!("False");
            }
        }
    });
    assert!(!is_true(&replaced, "Ready"), "{replaced}");
    pods.until("pod-test", "is ready again", |pod| is_true(pod, "Ready"));
    pods.delete_all("test-pod-static=true");
    watch.find("DELETED", |_| true);
}

#[test]
fn quality_of_service_follows_resources() {
    let api = space("qos");
    let pods = api.of("v1", "Pod");
    let amounts = json!({"cpu": "100m", "memory": "100Mi"});
    for (name, resources, class) in [
        (
            "guaranteed",
            json!({"requests": amounts, "limits": amounts}),
            "Guaranteed",
        ),
        ("burstable", json!({"requests": amounts}), "Burstable"),
        ("best-effort", json!({}), "BestEffort"),
    ] {
        let mut made = pod(name, spec(PAUSE));
        made["spec"]["containers"][0]["resources"] = resources;
        pods.create(made);
        assert_eq!(pods.get(name)["status"]["qosClass"], class);
    }
}

#[test]
fn pod_sees_services() {
    let api = space("service-env");
    let pods = api.of("v1", "Pod");
    let ports = json!([{"port": 8765, "targetPort": 8080}]);
    let made = api
        .of("v1", "Service")
        .create(service("fooservice", json!({"ports": ports})));
    let address = made["spec"]["clusterIP"].as_str().unwrap();
    pods.create(pod("client", script("sleep 3600")));
    until_ready(&pods, "client");
    let log = crate::exec::run(&api, "client", "main", &["env"]);
    for line in [
        format!("FOOSERVICE_SERVICE_HOST={address}"),
        "FOOSERVICE_SERVICE_PORT=8765".to_owned(),
        format!("FOOSERVICE_PORT=tcp://{address}:8765"),
        "FOOSERVICE_PORT_8765_TCP_PORT=8765".to_owned(),
        "FOOSERVICE_PORT_8765_TCP_PROTO=tcp".to_owned(),
        format!("FOOSERVICE_PORT_8765_TCP=tcp://{address}:8765"),
        format!("FOOSERVICE_PORT_8765_TCP_ADDR={address}"),
    ] {
        assert!(log.lines().any(|l| l == line), "{line} is missing:\n{log}");
    }
}

#[test]
fn command_runs_over_a_websocket() {
    let api = space("exec");
    let pods = api.of("v1", "Pod");
    pods.create(pod("exec", spec(BUSYBOX)));
    until_ready(&pods, "exec");
    let out = crate::exec::run(&api, "exec", "main", &["echo", "remote execution test"]);
    assert_eq!(out, "remote execution test\n");
}

#[test]
fn log_comes_over_a_websocket() {
    let api = space("logs");
    let pods = api.of("v1", "Pod");
    pods.create(pod("logs", script("echo container is alive; sleep 10000")));
    until_ready(&pods, "logs");
    let path = format!("{}/logs/log?container=main", pods.path);
    let messages = crate::client::messages(&api.address, &path, "binary.k8s.io");
    assert_eq!(
        String::from_utf8_lossy(&messages.concat()),
        "container is alive\n"
    );
}

fn init(name: &str, text: &str) -> Value {
    json!({"name": name, "image": BUSYBOX, "command": ["sh", "-c", text]})
}

#[test]
fn init_containers_run_before_containers() {
    let api = space("init");
    let pods = api.of("v1", "Pod");
    for (name, policy) in [("never", "Never"), ("always", "Always")] {
        let mut made = match policy {
            "Never" => pod(name, script("exit 0")),
            _ => pod(name, spec(PAUSE)),
        };
        made["spec"]["restartPolicy"] = json!(policy);
        made["spec"]["initContainers"] = json!([init("init1", "true"), init("init2", "true")]);
        pods.create(made);
        let done = match policy {
            "Never" => until_phase(&pods, name, "Succeeded"),
            _ => until_ready(&pods, name),
        };
        assert!(is_true(&done, "Initialized"), "{done}");
        let statuses = done["status"]["initContainerStatuses"].as_array().unwrap();
        assert_eq!(statuses.len(), 2);
        for status in statuses {
            assert_eq!(status["ready"], true, "{done}");
            assert_eq!(status["state"]["terminated"]["exitCode"], 0, "{done}");
        }
    }
}

#[test]
fn failed_init_container_fails_the_pod() {
    let api = space("init-never");
    let pods = api.of("v1", "Pod");
    let mut made = pod("never", script("exit 0"));
    made["spec"]["initContainers"] = json!([init("init1", "true"), init("init2", "false")]);
    pods.create(made);
    let failed = until_phase(&pods, "never", "Failed");
    let initialized = condition(&failed, "Initialized").unwrap();
    assert_eq!(initialized["status"], "False");
    assert_eq!(initialized["reason"], "ContainersNotInitialized");
    let statuses = &failed["status"]["initContainerStatuses"];
    assert_eq!(statuses[0]["state"]["terminated"]["exitCode"], 0);
    assert_eq!(statuses[1]["state"]["terminated"]["exitCode"], 1);
    let main = &failed["status"]["containerStatuses"][0];
    assert!(main["state"]["waiting"].is_object(), "{failed}");
}

#[test]
fn failed_init_container_is_restarted() {
    let api = space("init-always");
    let pods = api.of("v1", "Pod");
    let mut made = pod("always", spec(PAUSE));
    made["spec"]["initContainers"] = json!([init("init1", "false"), init("init2", "true")]);
    pods.create(made);
    let restarted = pods.until("always", "its init container restarted", |pod| {
        pod["status"]["initContainerStatuses"][0]["restartCount"]
            .as_u64()
            .unwrap_or(0)
            >= 1
    });
    assert_eq!(restarted["status"]["phase"], "Pending");
    assert!(restarted["status"]["initContainerStatuses"][1]["state"]["waiting"].is_object());
    assert_eq!(
        restarted["status"]["containerStatuses"][0]["state"]["waiting"]["reason"],
        "PodInitializing"
    );
}

fn debugger(name: &str) -> Value {
    let container = json!({
        "name": name, "image": BUSYBOX, "command": ["sh", "-c", "sleep 10000"],
        "terminationMessagePolicy": "File",
    });
    json!({"spec": {"ephemeralContainers": [container]}})
}

fn until_debugger(pods: &Resource<'_>, number: usize) {
    pods.until("target", "its ephemeral container runs", |pod| {
        pod["status"]["ephemeralContainerStatuses"][number]["state"]["running"].is_object()
    });
}

#[test]
fn ephemeral_containers_are_added() {
    let api = space("ephemeral");
    let pods = api.of("v1", "Pod");
    pods.create(pod("target", spec(HTTPD)));
    until_ready(&pods, "target");
    pods.try_patch(
        "target",
        "ephemeralcontainers",
        "strategic-merge",
        &debugger("debugger"),
    )
    .ok();
    until_debugger(&pods, 0);
    let out = crate::exec::run(&api, "target", "debugger", &["echo", "marco"]);
    assert_eq!(out, "marco\n");
    let read = pods.part("target", "ephemeralcontainers");
    assert_eq!(
        read["spec"]["ephemeralContainers"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    let second = debugger("debugger2")["spec"]["ephemeralContainers"][0].clone();
    pods.edit("target", "ephemeralcontainers", |pod| {
        pod["spec"]["ephemeralContainers"]
            .as_array_mut()
            .unwrap()
            .push(second.clone());
    });
    until_debugger(&pods, 1);
    let read = pods.part("target", "ephemeralcontainers");
    assert_eq!(
        read["spec"]["ephemeralContainers"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
}

#[test]
fn pod_is_resized() {
    let api = space("resize");
    let pods = api.of("v1", "Pod");
    let resources = |cpu: &str| {
        let amounts = json!({"cpu": cpu, "memory": "100Mi"});
        json!({"requests": amounts, "limits": amounts})
    };
    let mut made = pod("resized", spec(PAUSE));
    made["spec"]["containers"][0]["resources"] = resources("100m");
    pods.create(made);
    until_ready(&pods, "resized");
    pods.edit("resized", "resize", |pod| {
        pod["spec"]["containers"][0]["resources"] = resources("200m");
    });
    let resized = pods.until("resized", "has its new resources", |pod| {
        pod["status"]["containerStatuses"][0]["resources"] == resources("200m")
    });
    assert_eq!(
        resized["spec"]["containers"][0]["resources"],
        resources("200m")
    );
    assert_eq!(resized["status"]["containerStatuses"][0]["restartCount"], 0);
    let part = pods.part("resized", "resize");
    assert_eq!(part["spec"], pods.get("resized")["spec"]);
    let patch = json!({"spec": {"containers": [{"name": "main", "resources": resources("150m")}]}});
    pods.try_patch("resized", "resize", "strategic-merge", &patch)
        .ok();
    pods.until("resized", "has its last resources", |pod| {
        pod["status"]["containerStatuses"][0]["resources"] == resources("150m")
    });
}

#[test]
fn generation_of_a_pod_counts_updates() {
    let api = space("generation");
    let pods = api.of("v1", "Pod");
    let mut made = pod("counts", spec(HTTPD));
    made["metadata"]["generation"] = json!(100);
    assert_eq!(pods.create(made)["metadata"]["generation"], 1);
    until_ready(&pods, "counts");
    let labeled = pods.merge("counts", "", json!({"metadata": {"labels": {"a": "b"}}}));
    assert_eq!(
        labeled["metadata"]["generation"], 1,
        "labels are not part of the spec"
    );
    let container = json!({"spec": {"containers": [{"name": "main", "image": NEW_HTTPD}]}});
    let patched = pods
        .try_patch("counts", "", "strategic-merge", &container)
        .ok();
    assert_eq!(patched["metadata"]["generation"], 2);
    pods.until("counts", "is observed", |pod| {
        pod["status"]["observedGeneration"] == 2
    });
    for seconds in 1..=20 {
        let patch = json!({"spec": {"activeDeadlineSeconds": 10_000 - seconds}});
        pods.merge("counts", "", patch);
    }
    pods.until("counts", "is observed", |pod| {
        pod["metadata"]["generation"] == 22
            && pod["status"]["observedGeneration"] == 22
            && condition(pod, "Ready").is_some_and(|c| c["observedGeneration"] == 22)
    });
    let held = json!({"metadata": {"finalizers": ["e2e.example.com/held"]}});
    pods.merge("counts", "", held);
    pods.delete("counts");
    pods.until("counts", "its deletion counts", |pod| {
        pod["metadata"]["generation"] == 23
    });
    pods.merge("counts", "", json!({"metadata": {"finalizers": null}}));
    pods.until_gone("counts");
}

#[test]
fn rejected_pod_has_its_generation() {
    let api = space("rejected");
    let pods = api.of("v1", "Pod");
    let mut made = pod("rejected", spec(PAUSE));
    made["spec"]["nodeName"] = api.global("v1", "Node").list("")[0]["metadata"]["name"].clone();
    made["spec"]["containers"][0]["resources"] = json!({"requests": {"cpu": "1000000000000"}});
    pods.create(made);
    let failed = until_phase(&pods, "rejected", "Failed");
    assert_eq!(failed["metadata"]["generation"], 1);
    assert_eq!(failed["status"]["observedGeneration"], 1);
}

#[test]
fn readiness_needs_its_probe() {
    let api = space("readiness");
    let pods = api.of("v1", "Pod");
    let mut made = pod("fails", spec(BUSYBOX));
    made["spec"]["containers"][0]["command"] = json!(["sleep", "3600"]);
    made["spec"]["containers"][0]["readinessProbe"] = json!({"exec": {"command": ["/bin/false"]}});
    pods.create(made);
    until_phase(&pods, "fails", "Running");
    let events = api.of("v1", "Event");
    events.until_all("", "the probe failed", |events| {
        events.iter().any(|event| event["reason"] == "Unhealthy")
    });
    let running = pods.get("fails");
    assert!(!is_true(&running, "Ready"), "{running}");
    assert_eq!(running["status"]["containerStatuses"][0]["restartCount"], 0);
}

#[test]
fn readiness_waits_for_the_initial_delay() {
    let server = Server::on_virtual_clock();
    let api = server.namespace("delay");
    let pods = api.of("v1", "Pod");
    let mut made = pod("delayed", spec(HTTPD));
    made["spec"]["containers"][0]["readinessProbe"] =
        json!({"httpGet": {"path": "/", "port": 80}, "initialDelaySeconds": 30});
    pods.create(made);
    let ready = until_ready(&pods, "delayed");
    let status = &ready["status"]["containerStatuses"][0];
    assert_eq!(status["restartCount"], 0);
    // The clock of this cluster jumps to the next time at which something is due.
    let second = |time: &Value| time.as_str().unwrap()[17..19].parse::<u32>().unwrap();
    let from = second(&status["state"]["running"]["startedAt"]);
    let until = second(&condition(&ready, "Ready").unwrap()["lastTransitionTime"]);
    assert!((until + 60 - from) % 60 >= 30, "{ready}");
}

#[test]
fn liveness_restarts_a_container() {
    let server = Server::on_virtual_clock();
    let api = server.namespace("liveness");
    let pods = api.of("v1", "Pod");
    let probed = |name: &str, text: &str, probe: Value| {
        let mut made = pod(name, spec(BUSYBOX));
        made["spec"]["containers"][0]["command"] = json!(["sh", "-c", text]);
        made["spec"]["containers"][0]["livenessProbe"] = probe;
        pods.create(made);
        until_phase(&pods, name, "Running");
    };
    let exec = json!({"exec": {"command": ["cat", "/tmp/health"]}, "initialDelaySeconds": 15, "failureThreshold": 1});
    let fails = "echo ok >/tmp/health; sleep 10; rm -rf /tmp/health; sleep 600";
    probed("exec-fails", fails, exec.clone());
    probed("exec-passes", "echo ok >/tmp/health; sleep 600", exec);
    let restarts = |pod: &Value| {
        pod["status"]["containerStatuses"][0]["restartCount"]
            .as_u64()
            .unwrap_or(0)
    };
    let mut counts = Vec::new();
    for round in 1..=3 {
        // A virtual clock does not wait for the restarts of a container that fails again and again.
        while !pods.soon("exec-fails", |pod| restarts(pod) >= round) {
            server.advance("20s");
        }
        counts.push(restarts(&pods.get("exec-fails")));
    }
    assert!(counts.is_sorted(), "{counts:?}");
    assert_eq!(restarts(&pods.get("exec-passes")), 0);
}

#[test]
fn liveness_probes_of_ports_decide() {
    let server = Server::on_virtual_clock();
    let api = server.namespace("liveness-ports");
    let pods = api.of("v1", "Pod");
    for (name, probe) in [
        (
            "http",
            json!({"httpGet": {"path": "/healthz", "port": 8080}}),
        ),
        ("tcp", json!({"tcpSocket": {"port": 8080}})),
        ("grpc", json!({"grpc": {"port": 8080}})),
        (
            "http-fails",
            json!({"httpGet": {"path": "/healthz", "port": 2333}}),
        ),
        ("grpc-fails", json!({"grpc": {"port": 2333}})),
    ] {
        let mut made = pod(name, spec(PAUSE));
        made["spec"]["containers"][0]["ports"] = json!([{"containerPort": 8080}]);
        made["spec"]["containers"][0]["livenessProbe"] = probe;
        made["spec"]["containers"][0]["livenessProbe"]["failureThreshold"] = json!(1);
        if name.ends_with("fails") {
            made["metadata"]["annotations"] = json!({"ctl.dev/liveness": "fail"});
        }
        pods.create(made);
        until_phase(&pods, name, "Running");
    }
    let restarts = |pod: &Value| {
        pod["status"]["containerStatuses"][0]["restartCount"]
            .as_u64()
            .unwrap_or(0)
    };
    for name in ["http-fails", "grpc-fails"] {
        pods.until(name, "is restarted", |pod| restarts(pod) >= 1);
    }
    for name in ["http", "tcp", "grpc"] {
        assert_eq!(restarts(&pods.get(name)), 0, "{name}");
    }
}

#[test]
fn exit_codes_and_restart_policies_give_phases() {
    let api = space("phases");
    let pods = api.of("v1", "Pod");
    for (name, policy, text, phase) in [
        ("never-fails", "Never", "exit 1", "Failed"),
        ("never-succeeds", "Never", "exit 0", "Succeeded"),
        ("on-failure-succeeds", "OnFailure", "exit 0", "Succeeded"),
    ] {
        let mut made = pod(name, script(text));
        made["spec"]["restartPolicy"] = json!(policy);
        pods.create(made);
        let done = until_phase(&pods, name, phase);
        assert_eq!(done["status"]["containerStatuses"][0]["restartCount"], 0);
    }
    for (name, policy) in [("always", "Always"), ("on-failure-fails", "OnFailure")] {
        let mut made = pod(name, script("exit 1"));
        made["spec"]["restartPolicy"] = json!(policy);
        pods.create(made);
        let restarted = pods.until(name, "is restarted", |pod| {
            pod["status"]["containerStatuses"][0]["restartCount"]
                .as_u64()
                .unwrap_or(0)
                >= 1
        });
        assert_eq!(restarted["status"]["phase"], "Running");
    }
}

#[test]
fn failed_command_has_a_reason_and_is_deleted() {
    let api = space("failing");
    let pods = api.of("v1", "Pod");
    let mut made = pod("fails", script("/bin/false"));
    made["spec"]["restartPolicy"] = json!("Always");
    pods.create(made);
    let failed = pods.until("fails", "its container ended", |pod| {
        let status = &pod["status"]["containerStatuses"][0];
        ["state", "lastState"]
            .iter()
            .any(|state| status[state]["terminated"].is_object())
    });
    let statuses = failed["status"]["containerStatuses"].as_array().unwrap();
    assert_eq!(statuses.len(), 1);
    let ended =
        ["state", "lastState"].map(|state| statuses[0][state]["terminated"]["reason"].clone());
    assert!(ended.contains(&json!("Error")), "{failed}");
    pods.delete("fails");
    pods.until_gone("fails");
}

#[test]
fn unsafe_sysctls_are_rejected() {
    let api = space("sysctls");
    let pods = api.of("v1", "Pod");
    let mut made = pod("invalid", spec(PAUSE));
    made["spec"]["securityContext"] = json!({"sysctls": [
        {"name": "foo-", "value": "bar"}, {"name": "kernel.shmmax", "value": "100000000"},
        {"name": "safe-and-unsafe", "value": "100000000"}, {"name": "bar..", "value": "42"},
    ]});
    let refused = pods.try_create(made);
    let message = refused.refused(422);
    for name in ["foo-", "bar.."] {
        assert!(
            message.contains(&format!("Invalid value: \"{name}\"")),
            "{message}"
        );
    }
    for name in ["kernel.shmmax", "safe-and-unsafe"] {
        assert!(
            !message.contains(&format!("Invalid value: \"{name}\"")),
            "{message}"
        );
    }
}
