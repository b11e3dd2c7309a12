use ctl_shell::{Captured, NotFound};

use super::FakeContainer;
use crate::api::json::{Value, json};

fn find(resource: &str, _: &str, name: &str) -> Option<Value> {
    match (resource, name) {
        ("configmaps", "settings") => {
            Some(json!({"kind": "ConfigMap", "data": {"mode": "fast", "app.conf": "x=1\n"}}))
        }
        ("secrets", "keys") => Some(json!({"kind": "Secret", "data": {"token": "czNjcjN0"}})),
        ("services", "kubernetes") => Some(json!({"metadata": {"name": "kubernetes"}, "spec": {
            "clusterIP": "10.96.0.1", "ports": [{"name": "https", "port": 443, "protocol": "TCP"}]}})),
        ("services", "") => Some(json!({"items": [
            service("db-main", "2026-01-02T03:00:00Z", "10.96.0.7"),
            service("later", "2026-01-02T03:02:00Z", "10.96.0.8"),
            service("headless", "2026-01-02T03:00:00Z", "None"),
        ]})),
        ("nodes", "node-1") => {
            Some(json!({"status": {"allocatable": {"cpu": "3500m", "memory": "8Gi"}}}))
        }
        _ => None,
    }
}

fn service(name: &str, created: &str, address: &str) -> Value {
    json!({"metadata": {"name": name, "creationTimestamp": created},
        "spec": {"clusterIP": address, "ports": [{"port": 5432}]}})
}

fn pod() -> Value {
    json!({
        "metadata": {"name": "web-0", "namespace": "shop", "labels": {"app": "web"}},
        "spec": {
            "nodeName": "node-1",
            "containers": [{
                "name": "app", "workingDir": "/srv",
                "env": [
                    {"name": "MODE", "valueFrom": {"configMapKeyRef": {"name": "settings", "key": "mode"}}},
                    {"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "keys", "key": "token"}}},
                    {"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
                    {"name": "APP", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['app']"}}},
                    {"name": "URL", "value": "http://$(APP).$(NONE)/$$(APP)"},
                ],
                "volumeMounts": [
                    {"name": "conf", "mountPath": "/etc/app"},
                    {"name": "conf", "mountPath": "/srv/one.conf", "subPath": "app.conf"},
                    {"name": "keys", "mountPath": "/run/keys"},
                    {"name": "empty", "mountPath": "/data"},
                ],
            }],
            "volumes": [
                {"name": "conf", "configMap": {"name": "settings"}},
                {"name": "keys", "secret": {"secretName": "keys", "items": [{"key": "token", "path": "a/b"}]}},
                {"name": "empty", "emptyDir": {}},
            ],
        },
    })
}

fn fake_container(pod: &Value) -> FakeContainer {
    let now = "2026-01-02T03:04:05Z".parse().unwrap();
    FakeContainer::new(pod, "app", &find, &find, now).unwrap()
}

fn run(fake_container: &mut FakeContainer, words: &[&str]) -> (i32, String, String) {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let mut terminal = Captured::default();
    let code = fake_container.run(&words, &mut terminal).unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (code, text(terminal.out), text(terminal.err))
}

#[test]
fn exec_uses_variables_and_volumes_of_the_container() {
    let mut fake_container = fake_container(&pod());
    let script = "echo $MODE $TOKEN $NODE $APP $URL $KUBERNETES_SERVICE_HOST; hostname; pwd; cat one.conf; \
                  ls /etc/app /run/keys; cat /run/keys/a/b";
    let (code, out, err) = run(&mut fake_container, &["sh", "-c", script]);
    assert_eq!((code, err.as_str()), (0, ""));
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(
        lines,
        [
            "fast s3cr3t node-1 web http://web.$(NONE)/$(APP) 10.96.0.1",
            "web-0",
            "/srv",
            "x=1",
            "/etc/app:",
            "app.conf",
            "mode",
            "/run/keys:",
            "a",
            "s3cr3t"
        ]
    );
    assert_eq!(
        fake_container.changed(&pod()),
        Ok(None),
        "reading changes nothing"
    );
}

#[test]
fn hosts_file_has_the_address_and_the_aliases() {
    let mut pod = pod();
    pod["status"] = json!({"podIP": "10.1.2.3"});
    pod["spec"]["hostAliases"] = json!([{"ip": "10.9.9.9", "hostnames": ["db", "db.example.com"]}]);
    let (code, out, _) = run(&mut fake_container(&pod), &["cat", "/etc/hosts"]);
    assert_eq!(code, 0);
    assert!(
        out.starts_with("# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n::1\t"),
        "{out}"
    );
    let end = "10.1.2.3\tweb-0\n\n# Entries added by HostAliases.\n10.9.9.9\tdb\tdb.example.com\n";
    assert!(out.ends_with(end), "{out}");
}

#[test]
fn the_next_command_reads_files_of_the_previous_one() {
    let mut pod = pod();
    let mut first = fake_container(&pod);
    run(
        &mut first,
        &["sh", "-c", "echo hi > /data/f; printf x > /tmp/y"],
    );
    let (annotation, value) = first.changed(&pod).unwrap().unwrap();
    assert_eq!(annotation, "ctl.dev/files.app");
    assert_eq!(value, r#"{"/data/f":"hi\n","/tmp/y":"x"}"#);
    pod["metadata"]["annotations"] = json!({annotation: value});
    let mut second = fake_container(&pod);
    assert_eq!(run(&mut second, &["cat", "/data/f"]).1, "hi\n");
    run(&mut second, &["rm", "/data/f", "/tmp/y"]);
    assert_eq!(second.changed(&pod).unwrap().unwrap().1, "{}");
    // Another command has written in the meantime.
    pod["metadata"]["annotations"] = json!({annotation: r#"{"/data/f":"hi\n","/tmp/z":"z"}"#});
    assert_eq!(
        second.changed(&pod).unwrap().unwrap().1,
        r#"{"/tmp/z":"z"}"#
    );
}

#[test]
fn an_annotation_defines_the_output_of_a_command() {
    let mut pod = pod();
    let answers = "- command: redis-cli ping\n  output: |\n    PONG\n- command: curl * http://*\n  error: no route\n  exitCode: 7\n  delay: 2s\n";
    pod["metadata"]["annotations"] = json!({"ctl.dev/exec": answers});
    let mut fake_container = fake_container(&pod);
    assert_eq!(run(&mut fake_container, &["redis-cli", "ping"]).1, "PONG\n");
    assert_eq!(
        run(&mut fake_container, &["sh", "-c", "redis-cli ping"]).1,
        "PONG\n"
    );
    let script = "redis-cli ping > /tmp/p; cat /tmp/p; curl -s http://x 2>/dev/null || echo $?; \
                  redis-cli pong";
    assert_eq!(
        run(&mut fake_container, &["sh", "-c", script]),
        (
            127,
            "PONG\n7\n".to_owned(),
            "sh: redis-cli: not found\n".to_owned()
        )
    );
    let (code, _, err) = run(&mut fake_container, &["curl", "-s", "http://x"]);
    assert_eq!((code, err.as_str()), (7, "no route"));
    let unknown = fake_container.run(&["redis-server".to_owned()], &mut Captured::default());
    assert_eq!(unknown, Err(NotFound("redis-server".to_owned())));
    pod["metadata"]["annotations"] = json!({"ctl.dev/exec": "- {kommand: x}"});
    let now = "2026-01-02T03:04:05Z".parse().unwrap();
    let wrong = FakeContainer::new(&pod, "app", &find, &find, now).unwrap_err();
    assert!(wrong.starts_with("annotation ctl.dev/exec: "), "{wrong}");
    pod["metadata"]["annotations"] = json!({"ctl.dev/exec.app": "{}", "ctl.dev/exec": "[]"});
    let wrong = FakeContainer::new(&pod, "app", &find, &find, now).unwrap_err();
    assert!(
        wrong.starts_with("annotation ctl.dev/exec.app: "),
        "{wrong}"
    );
}

#[test]
fn shell_containers_are_recognized_by_command_or_image() {
    for (container, is_shell) in [
        (json!({"image": "busybox:1.36"}), true),
        (json!({"image": "nginx"}), false),
        (json!({"image": "nginx", "command": ["/bin/sh"]}), true),
        (json!({"image": "busybox", "args": ["bash", "-i"]}), true),
        (
            json!({"image": "busybox", "args": ["sh", "-c", "ls"]}),
            false,
        ),
        (json!({"image": "busybox", "args": ["sh", "script"]}), false),
        (json!({"image": "busybox", "args": ["sleep", "9"]}), false),
    ] {
        assert_eq!(
            crate::outcome::is_shell(&container),
            is_shell,
            "{container}"
        );
    }
}

#[test]
fn projected_tokens_are_files_of_the_container() {
    let mut pod = pod();
    let own = json!({"name": "access", "projected": {"sources": [
        {"serviceAccountToken": {"path": "token", "expirationSeconds": 3607}},
        {"serviceAccountToken": {"path": "vault/token", "audience": "vault"}}]}});
    pod["spec"]["volumes"].as_array_mut().unwrap().push(own);
    let mounts = &mut pod["spec"]["containers"][0]["volumeMounts"];
    let mount = json!({"name": "access", "mountPath": "/var/run/secrets"});
    mounts.as_array_mut().unwrap().push(mount);
    let token = |source: &Value| match source["audience"].as_str() {
        None => Some(format!("for {}", source["expirationSeconds"])),
        audience => audience.map(str::to_owned),
    };
    let mut fake_container = fake_container(&pod).with_tokens(&pod, &token);
    let shown = run(&mut fake_container, &["cat", "/var/run/secrets/token"]);
    assert_eq!(shown, (0, "for 3607".to_owned(), String::new()));
    let shown = run(
        &mut fake_container,
        &["cat", "/var/run/secrets/vault/token"],
    );
    assert_eq!(shown, (0, "vault".to_owned(), String::new()));
    // The Pod stores only files that commands have written.
    run(&mut fake_container, &["sh", "-c", "echo 1 > /tmp/a"]);
    let (_, kept) = fake_container.changed(&pod).unwrap().unwrap();
    assert_eq!(kept, "{\"/tmp/a\":\"1\\n\"}");
}

#[test]
fn a_container_finds_the_api_by_the_variables_of_its_service() {
    let (_, out, _) = run(&mut fake_container(&pod()), &["env"]);
    let lines: Vec<&str> = out
        .lines()
        .filter(|line| line.starts_with("KUBERNETES_"))
        .collect();
    assert_eq!(
        lines,
        [
            "KUBERNETES_PORT=tcp://10.96.0.1:443",
            "KUBERNETES_PORT_443_TCP=tcp://10.96.0.1:443",
            "KUBERNETES_PORT_443_TCP_ADDR=10.96.0.1",
            "KUBERNETES_PORT_443_TCP_PORT=443",
            "KUBERNETES_PORT_443_TCP_PROTO=tcp",
            "KUBERNETES_SERVICE_HOST=10.96.0.1",
            "KUBERNETES_SERVICE_PORT=443",
            "KUBERNETES_SERVICE_PORT_HTTPS=443",
        ]
    );
}

#[test]
fn a_container_finds_the_services_that_existed_when_it_started() {
    let started =
        json!([{"name": "app", "state": {"running": {"startedAt": "2026-01-02T03:01:00Z"}}}]);
    let mut pod = pod();
    pod["status"] = json!({"containerStatuses": started});
    let links = |pod: &Value| {
        let (_, out, _) = run(&mut fake_container(pod), &["env"]);
        let own = |line: &&str| {
            ["DB_", "LATER_", "HEADLESS_"]
                .iter()
                .any(|name| line.starts_with(name))
        };
        out.lines()
            .filter(own)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        links(&pod),
        [
            "DB_MAIN_PORT=tcp://10.96.0.7:5432",
            "DB_MAIN_PORT_5432_TCP=tcp://10.96.0.7:5432",
            "DB_MAIN_PORT_5432_TCP_ADDR=10.96.0.7",
            "DB_MAIN_PORT_5432_TCP_PORT=5432",
            "DB_MAIN_PORT_5432_TCP_PROTO=tcp",
            "DB_MAIN_SERVICE_HOST=10.96.0.7",
            "DB_MAIN_SERVICE_PORT=5432",
        ]
    );
    pod["spec"]["enableServiceLinks"] = json!(false);
    assert_eq!(links(&pod), [""; 0]);
    // The variables for the API server remain.
    let (_, out, _) = run(
        &mut fake_container(&pod),
        &["sh", "-c", "echo $KUBERNETES_SERVICE_PORT"],
    );
    assert_eq!(out, "443\n");
}

#[test]
fn resources_are_shown_by_the_downward_api() {
    let mut pod = pod();
    let container = &mut pod["spec"]["containers"][0];
    container["resources"] = json!({"requests": {"cpu": "250m"}, "limits": {"memory": "64Mi"}});
    let reference =
        |resource: &str, divisor: &str| json!({"resource": resource, "divisor": divisor});
    let variables: Vec<Value> = [
        ("A", "requests.cpu", "1m"),
        ("B", "requests.cpu", "0"),
        ("C", "limits.memory", "1Mi"),
        ("D", "limits.memory", ""),
        // Without a limit, the node's amount counts.
        ("E", "limits.cpu", "1"),
        ("F", "requests.memory", "1"),
    ]
    .map(|(name, resource, divisor)| {
        json!({"name": name, "valueFrom": {"resourceFieldRef": reference(resource, divisor)}})
    })
    .into();
    container["env"] = json!(variables);
    pod["spec"]["volumes"][2] = json!({"name": "empty", "downwardAPI": {"items": [
        {"path": "cpu", "resourceFieldRef": {"containerName": "app", "resource": "requests.cpu", "divisor": "1m"}}]}});
    let script = "echo $A $B $C $D $E $F; cat /data/cpu";
    let (_, out, _) = run(&mut fake_container(&pod), &["sh", "-c", script]);
    assert_eq!(out, "250 1 64 67108864 4 0\n250");
}
