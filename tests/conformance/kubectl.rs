//! SIG CLI: kubectl's commands on the served cluster, by `ctl`.

use serde_json::{Value, json};

use crate::cluster::{Api, Server};
use crate::objects::{
    HTTPD, controller, pod, script, spec, until_ready, until_ready_pods, workload,
};
use crate::resource::name;

/// Runs a command, which must succeed, in the namespace of a client.
#[track_caller]
fn ctl(server: &Server, api: &Api, args: &[&str]) -> String {
    let ran = server.ctl(&[&["--namespace", &api.namespace], args].concat());
    assert!(ran.status.success(), "{args:?}: {ran:?}");
    String::from_utf8(ran.stdout).unwrap()
}

#[test]
fn kubectl_manages_controllers() {
    let server = Server::on_virtual_clock();
    let api = server.namespace("cli-rc");
    let pods = api.of("v1", "Pod");
    api.of("v1", "ReplicationController")
        .create(controller("demo", 2, HTTPD));
    until_ready_pods(&pods, "demo", 2);
    for count in [1, 2] {
        ctl(
            &server,
            &api,
            &["scale", "rc", "demo", &format!("--replicas={count}")],
        );
        let running = until_ready_pods(&pods, "demo", count);
        let listed = ctl(
            &server,
            &api,
            &["get", "pods", "-l", "app=demo", "-o", "name"],
        );
        assert_eq!(listed.lines().count(), running.len());
    }
    let one = name(&pods.list("app=demo")[0]).to_owned();
    ctl(
        &server,
        &api,
        &[
            "patch",
            "pod",
            &one,
            "-p",
            r#"{"metadata":{"annotations":{"x":"y"}}}"#,
        ],
    );
    assert_eq!(pods.get(&one)["metadata"]["annotations"]["x"], "y");
    for (name, port) in [("rm2", "1234"), ("rm3", "2345")] {
        ctl(
            &server,
            &api,
            &[
                "expose",
                "rc",
                "demo",
                "--name",
                name,
                "--port",
                port,
                "--target-port=6379",
            ],
        );
        let made = api.of("v1", "Service").get(name);
        let port: u64 = port.parse().unwrap();
        assert_eq!(made["spec"]["ports"][0]["port"], port);
        assert_eq!(made["spec"]["ports"][0]["targetPort"], 6379);
    }
    ctl(&server, &api, &["delete", "rc", "demo"]);
    pods.until_all("app=demo", "are gone", <[Value]>::is_empty);
}

#[test]
fn kubectl_describes_objects() {
    let server = Server::on_virtual_clock();
    let api = server.namespace("cli-describe");
    api.of("v1", "ReplicationController")
        .create(controller("demo", 1, HTTPD));
    let one = name(&until_ready_pods(&api.of("v1", "Pod"), "demo", 1)[0]).to_owned();
    let expose = ["expose", "rc", "demo", "--name", "rm2", "--port", "1234"];
    ctl(&server, &api, &expose);
    let text = ctl(&server, &api, &["describe", "rc", "demo"]);
    for part in [
        "Name:",
        "Namespace:",
        "Selector:",
        "Labels:",
        "Replicas:",
        "Pods Status:",
        "Pod Template:",
        "Image:",
    ] {
        assert!(text.contains(part), "{part} is missing: {text}");
    }
    let text = ctl(&server, &api, &["describe", "pod", &one]);
    for part in [
        "Name:",
        "Namespace:",
        "Node:",
        "Labels:",
        "Status:",
        "Running",
        "IP:",
        "Image:",
        "State:",
        "QoS Class:",
    ] {
        assert!(text.contains(part), "{part} is missing: {text}");
    }
    let text = ctl(&server, &api, &["describe", "service", "rm2"]);
    for part in [
        "Name:",
        "Labels:",
        "Selector:",
        "Type:",
        "IP:",
        "Port:",
        "Endpoints:",
        "Session Affinity:",
    ] {
        assert!(text.contains(part), "{part} is missing: {text}");
    }
    let text = ctl(&server, &api, &["describe", "namespace", "cli-describe"]);
    assert!(
        text.contains("Status:") && text.contains("Active"),
        "{text}"
    );
}

#[test]
fn kubectl_manages_pods() {
    let server = Server::on_virtual_clock();
    let api = server.namespace("cli-pods");
    let pods = api.of("v1", "Pod");
    ctl(
        &server,
        &api,
        &[
            "run",
            "e2e",
            &format!("--image={HTTPD}"),
            "--restart=Never",
            "--labels=run=e2e",
        ],
    );
    let running = until_ready(&pods, "e2e");
    assert_eq!(running["spec"]["containers"][0]["image"], HTTPD);
    assert_eq!(running["spec"]["restartPolicy"], "Never");
    ctl(
        &server,
        &api,
        &["label", "pods", "e2e", "testing-label=testing-label-value"],
    );
    let found = ctl(&server, &api, &["get", "pod", "e2e", "-L", "testing-label"]);
    assert!(found.contains("testing-label-value"), "{found}");
    ctl(&server, &api, &["label", "pods", "e2e", "testing-label-"]);
    let found = ctl(&server, &api, &["get", "pod", "e2e", "-L", "testing-label"]);
    assert!(!found.contains("testing-label-value"), "{found}");
    let image = r#"{"spec":{"containers":[{"name":"e2e","image":"busybox:1.29"}]}}"#;
    ctl(
        &server,
        &api,
        &["patch", "pod", "e2e", "-p", image, "--dry-run=server"],
    );
    assert_eq!(pods.get("e2e")["spec"]["containers"][0]["image"], HTTPD);
    let mut replaced = pods.get("e2e");
    replaced["spec"]["containers"][0]["image"] = json!("busybox:1.29");
    let file = server.file("pod.json", &replaced.to_string());
    ctl(&server, &api, &["replace", "-f", &file]);
    assert_eq!(
        pods.get("e2e")["spec"]["containers"][0]["image"],
        "busybox:1.29"
    );
}

#[test]
fn kubectl_filters_logs() {
    let server = Server::on_virtual_clock();
    let api = server.namespace("cli-logs");
    let pods = api.of("v1", "Pod");
    // Endless: the virtual clock moves to the end of a shorter sleep as soon as the controllers are idle.
    pods.create(pod(
        "logs",
        script("for i in 1 2 3 4 5; do echo line $i; done; sleep infinity"),
    ));
    until_ready(&pods, "logs");
    assert_eq!(ctl(&server, &api, &["logs", "logs"]).lines().count(), 5);
    assert_eq!(
        ctl(&server, &api, &["logs", "logs", "--tail=1"]),
        "line 5\n"
    );
    assert_eq!(
        ctl(&server, &api, &["logs", "logs", "--limit-bytes=1"]),
        "l"
    );
    let stamped = ctl(&server, &api, &["logs", "logs", "--tail=1", "--timestamps"]);
    let (time, line) = stamped.split_once(' ').unwrap();
    assert_eq!(line, "line 5\n");
    assert!(time.contains('T') && time.ends_with('Z'), "{time}");
    assert_eq!(
        ctl(&server, &api, &["logs", "logs", "--since=24h"])
            .lines()
            .count(),
        5
    );
    server.advance("1m");
    assert_eq!(ctl(&server, &api, &["logs", "logs", "--since=1s"]), "");
}

#[test]
fn kubectl_shows_the_cluster() {
    let server = Server::on_virtual_clock();
    let api = server.namespace("cli-cluster");
    let versions = ctl(&server, &api, &["api-versions"]);
    assert!(versions.lines().any(|line| line == "v1"), "{versions}");
    let info = ctl(&server, &api, &["cluster-info"]);
    assert!(info.contains("Kubernetes control plane"), "{info}");
    let version = ctl(&server, &api, &["version"]);
    for part in [
        "Client Version: v",
        "Kustomize Version: v",
        "Server Version: v",
    ] {
        assert!(version.contains(part), "{part} is missing: {version}");
    }
    let deployments = api.of("apps/v1", "Deployment");
    let made = deployments.create(workload("diffed", 1, HTTPD));
    let mut other = made.clone();
    other["spec"]["template"]["spec"] = spec("busybox:1.29");
    other["metadata"] = json!({"name": "diffed", "labels": made["metadata"]["labels"]});
    let file = server.file("deployment.json", &other.to_string());
    let ran = server.ctl(&["--namespace", "cli-cluster", "diff", "-f", &file]);
    assert_eq!(ran.status.code(), Some(1), "{ran:?}");
    let text = String::from_utf8(ran.stdout).unwrap();
    assert!(text.contains(&format!("-      - image: {HTTPD}")), "{text}");
    assert!(text.contains("+      - image: busybox:1.29"), "{text}");
}
