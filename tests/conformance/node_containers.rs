//! SIG Node and SIG Storage: what a container sees, as far as the fake containers show it: its variables, arguments,
//! files and termination messages.

use serde_json::{Value, json};

use crate::cluster::{Api, eventually, namespace};
use crate::exec::{run, try_run};
use crate::objects::{BUSYBOX, data, log_of, pod, script, until_phase, until_ready};
use crate::resource::Resource;

fn space(name: &str) -> Api {
    namespace("containers", name)
}

/// Starts a Pod with these variables, and returns those that a command sees in it.
#[track_caller]
fn variables(api: &Api, name: &str, env: Value, from: Value) -> String {
    let mut made = pod(name, script("sleep 3600"));
    let container = &mut made["spec"]["containers"][0];
    container["env"] = env;
    container["envFrom"] = from;
    if name != "defaults" {
        container["resources"] = json!({
            "requests": {"cpu": "250m", "memory": "32Mi"}, "limits": {"cpu": "1250m", "memory": "64Mi"},
        });
    }
    started(api, made);
    run(api, name, "main", &["env"])
}

#[track_caller]
fn has_line(log: &str, line: &str) {
    assert!(log.lines().any(|l| l == line), "{line} is missing:\n{log}");
}

#[test]
fn config_map_gives_variables() {
    let api = space("env-map");
    api.of("v1", "ConfigMap").create(data(
        "map",
        json!({"data_1": "value-1", "data_2": "value-2"}),
    ));
    let key = json!([{"name": "CONFIG", "valueFrom": {"configMapKeyRef": {"name": "map", "key": "data_1"}}}]);
    let from = json!([{"configMapRef": {"name": "map"}}, {"prefix": "p_", "configMapRef": {"name": "map"}}]);
    let log = variables(&api, "reads", key, from);
    has_line(&log, "CONFIG=value-1");
    for line in [
        "data_1=value-1",
        "data_2=value-2",
        "p_data_1=value-1",
        "p_data_2=value-2",
    ] {
        has_line(&log, line);
    }
}

#[test]
fn secret_gives_variables() {
    let api = space("env-secret");
    api.of("v1", "Secret")
        .create(data("secret", json!({"data_1": "dmFsdWUtMQ=="})));
    let key = json!([{"name": "SECRET", "valueFrom": {"secretKeyRef": {"name": "secret", "key": "data_1"}}}]);
    let from = json!([
        {"secretRef": {"name": "secret"}}, {"prefix": "p-", "secretRef": {"name": "secret"}},
        {"prefix": "1$", "secretRef": {"name": "secret"}},
    ]);
    let log = variables(&api, "reads", key, from);
    for line in [
        "SECRET=value-1",
        "data_1=value-1",
        "p-data_1=value-1",
        "1$data_1=value-1",
    ] {
        has_line(&log, line);
    }
}

fn field(name: &str, path: &str) -> Value {
    json!({"name": name, "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": path}}})
}

fn amount(name: &str, resource: &str) -> Value {
    json!({"name": name, "valueFrom": {"resourceFieldRef": {"resource": resource}}})
}

#[test]
fn pod_fields_give_variables() {
    let api = space("env-fields");
    let fields = json!([
        field("POD_NAME", "metadata.name"),
        field("POD_NAMESPACE", "metadata.namespace"),
        field("POD_IP", "status.podIP"),
        field("HOST_IP", "status.hostIP"),
        field("POD_UID", "metadata.uid"),
    ]);
    let log = variables(&api, "reads", fields, json!([]));
    has_line(&log, "POD_NAME=reads");
    has_line(&log, "POD_NAMESPACE=env-fields");
    for name in ["POD_IP", "HOST_IP"] {
        let value = log
            .lines()
            .find_map(|l| l.strip_prefix(&format!("{name}=")));
        assert!(value.unwrap().parse::<std::net::IpAddr>().is_ok(), "{log}");
    }
    let uid = log
        .lines()
        .find_map(|l| l.strip_prefix("POD_UID="))
        .unwrap();
    assert_eq!(uid.len(), 36, "{log}");
}

#[test]
fn resources_give_variables() {
    let api = space("env-resources");
    let amounts = json!([
        amount("CPU_LIMIT", "limits.cpu"),
        amount("MEMORY_LIMIT", "limits.memory"),
        amount("CPU_REQUEST", "requests.cpu"),
        amount("MEMORY_REQUEST", "requests.memory"),
    ]);
    let log = variables(&api, "reads", amounts, json!([]));
    for line in [
        "CPU_LIMIT=2",
        "MEMORY_LIMIT=67108864",
        "CPU_REQUEST=1",
        "MEMORY_REQUEST=33554432",
    ] {
        has_line(&log, line);
    }
}

#[test]
fn resources_of_the_node_are_the_default() {
    let api = space("env-allocatable");
    let amounts = json!([
        amount("CPU", "limits.cpu"),
        amount("MEMORY", "limits.memory")
    ]);
    let log = variables(&api, "defaults", amounts, json!([]));
    for name in ["CPU", "MEMORY"] {
        let value = log
            .lines()
            .find_map(|l| l.strip_prefix(&format!("{name}=")));
        assert!(value.unwrap().parse::<u64>().unwrap() > 0, "{log}");
    }
}

#[test]
fn variables_expand() {
    let api = space("expand");
    let composed = json!([
        {"name": "FOO", "value": "foo-value"}, {"name": "BAR", "value": "bar-value"},
        {"name": "FOOBAR", "value": "$(FOO);;$(BAR)"},
    ]);
    has_line(
        &variables(&api, "reads", composed, json!([])),
        "FOOBAR=foo-value;;bar-value",
    );
    let variable = json!([{"name": "TEST_VAR", "value": "test-value"}]);
    let text = "TEST_VAR=wrong echo \"$(TEST_VAR)\"";
    for (name, command, args) in [
        ("command", json!(["sh", "-c", text]), json!(null)),
        ("args", json!(["sh", "-c"]), json!([text])),
    ] {
        let mut made = pod(name, script(""));
        made["spec"]["containers"][0]["command"] = command;
        made["spec"]["containers"][0]["args"] = args;
        made["spec"]["containers"][0]["env"] = variable.clone();
        assert_eq!(log_of(&api.of("v1", "Pod"), made), "test-value\n");
    }
}

#[test]
fn output_is_the_log() {
    let api = space("log");
    let pods = api.of("v1", "Pod");
    assert_eq!(
        log_of(&pods, pod("hello", script("echo 'Hello World'; sleep 0"))),
        "Hello World\n"
    );
}

#[test]
fn command_and_arguments_override_the_image() {
    let api = space("command");
    let pods = api.of("v1", "Pod");
    for (name, command, args, log) in [
        (
            "command",
            json!(["echo", "override"]),
            json!(null),
            "override\n",
        ),
        (
            "both",
            json!(["echo"]),
            json!(["override", "arguments"]),
            "override arguments\n",
        ),
    ] {
        let mut made = pod(name, script(""));
        made["spec"]["containers"][0]["command"] = command;
        made["spec"]["containers"][0]["args"] = args;
        assert_eq!(log_of(&pods, made), log);
    }
}

#[test]
fn host_aliases_are_in_the_hosts_file() {
    let api = space("aliases");
    let mut made = pod("aliases", script("sleep 3600"));
    made["spec"]["hostAliases"] = json!([{"ip": "123.45.67.89", "hostnames": ["foo", "bar"]}]);
    api.of("v1", "Pod").create(made);
    until_ready(&api.of("v1", "Pod"), "aliases");
    let hosts = run(&api, "aliases", "main", &["cat", "/etc/hosts"]);
    assert!(
        hosts.starts_with("# Kubernetes-managed hosts file."),
        "{hosts}"
    );
    assert!(hosts.contains("123.45.67.89\tfoo\tbar"), "{hosts}");
}

/// Runs a script with a policy for its termination message, and returns the message.
#[track_caller]
fn message(pods: &Resource<'_>, name: &str, text: &str, policy: &str, phase: &str) -> String {
    let mut made = pod(name, script(text));
    let container = &mut made["spec"]["containers"][0];
    container["terminationMessagePolicy"] = json!(policy);
    if name == "other-path" {
        container["terminationMessagePath"] = json!("/dev/termination-custom-log");
        container["securityContext"] = json!({"runAsUser": 10000});
    }
    pods.create(made);
    let done = until_phase(pods, name, phase);
    let ended = &done["status"]["containerStatuses"][0]["state"]["terminated"];
    ended["message"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn message_of_a_success_is_empty() {
    let api = space("no-message");
    let pods = api.of("v1", "Pod");
    let text = "echo -n DONE; exit 0";
    assert_eq!(
        message(&pods, "empty", text, "FallbackToLogsOnError", "Succeeded"),
        ""
    );
}

#[test]
fn messages_come_from_files_and_logs() {
    let api = space("messages");
    let pods = api.of("v1", "Pod");
    let fallback = "FallbackToLogsOnError";
    let text = "echo -n DONE; exit 1";
    assert_eq!(message(&pods, "failed", text, fallback, "Failed"), "DONE");
    let text = "echo -n DONE > /dev/termination-custom-log";
    assert_eq!(
        message(&pods, "other-path", text, "File", "Succeeded"),
        "DONE"
    );
    let text = "echo -n OK > /dev/termination-log; exit 0";
    assert_eq!(message(&pods, "file", text, fallback, "Succeeded"), "OK");
}

/// Returns a Pod that mounts a volume and waits.
fn mounting(name: &str, volumes: Value, mounts: Value) -> Value {
    let mut made = pod(name, script("sleep 3600"));
    made["spec"]["volumes"] = volumes;
    made["spec"]["containers"][0]["volumeMounts"] = mounts;
    made["spec"]["containers"][0]["resources"] = json!({
        "requests": {"cpu": "250m", "memory": "32Mi"}, "limits": {"cpu": "1250m", "memory": "64Mi"},
    });
    made
}

fn at(name: &str, path: &str) -> Value {
    json!({"name": name, "mountPath": path})
}

fn started(api: &Api, made: Value) {
    let pods = api.of("v1", "Pod");
    let made = pods.create(made);
    until_ready(&pods, crate::resource::name(&made));
}

fn cat(api: &Api, pod: &str, path: &str) -> String {
    run(api, pod, "main", &["cat", path])
}

/// Returns the sources of a volume of a ConfigMap or Secret, direct and projected.
fn sources(kind: &str, name: &str, items: &Value) -> [Value; 2] {
    let (field, own) = match kind {
        "ConfigMap" => ("configMap", json!({"name": name, "items": items})),
        _ => ("secret", json!({"secretName": name, "items": items})),
    };
    let projected = json!({"sources": [{field: {"name": name, "items": items}}]});
    [
        json!({"name": "v", field: own}),
        json!({"name": "v", "projected": projected}),
    ]
}

#[test]
fn config_maps_and_secrets_are_mounted() {
    let api = space("mounts");
    api.of("v1", "ConfigMap")
        .create(data("source", json!({"data-1": "value-1"})));
    api.of("v1", "Secret")
        .create(data("source", json!({"data-1": "dmFsdWUtMQ=="})));
    let items = json!([{"key": "data-1", "path": "path/to/data-2"}]);
    for kind in ["ConfigMap", "Secret"] {
        for (number, (items, path)) in [(json!(null), "data-1"), (items.clone(), "path/to/data-2")]
            .into_iter()
            .enumerate()
        {
            for (form, volume) in ["own", "projected"]
                .iter()
                .zip(sources(kind, "source", &items))
            {
                let name = format!("{}-{form}-{number}", kind.to_lowercase());
                let mounts = json!([at("v", "/etc/one"), at("v", "/etc/two")]);
                started(&api, mounting(&name, json!([volume]), mounts));
                for place in ["/etc/one", "/etc/two"] {
                    assert_eq!(
                        cat(&api, &name, &format!("{place}/{path}")),
                        "value-1",
                        "{name}"
                    );
                }
            }
        }
    }
}

#[test]
fn secret_of_its_own_namespace_is_mounted() {
    let (api, other) = (space("own-secret"), space("other-secret"));
    other
        .of("v1", "Secret")
        .create(data("secret", json!({"data-1": "b3RoZXI="})));
    api.of("v1", "Secret")
        .create(data("secret", json!({"data-1": "b3du"})));
    let volume = json!({"name": "v", "secret": {"secretName": "secret"}});
    started(
        &api,
        mounting("reads", json!([volume]), json!([at("v", "/etc/secret")])),
    );
    assert_eq!(cat(&api, "reads", "/etc/secret/data-1"), "own");
}

#[test]
fn binary_data_is_mounted() {
    let api = space("binary");
    let map = json!({
        "metadata": {"name": "map"}, "data": {"data-1": "value-1"}, "binaryData": {"dump.bin": "YmluYXJ5"},
    });
    api.of("v1", "ConfigMap").create(map);
    let volume = json!({"name": "v", "configMap": {"name": "map"}});
    started(
        &api,
        mounting("reads", json!([volume]), json!([at("v", "/etc/map")])),
    );
    assert_eq!(cat(&api, "reads", "/etc/map/data-1"), "value-1");
    assert_eq!(cat(&api, "reads", "/etc/map/dump.bin"), "binary");
}

#[test]
fn updates_are_reflected_in_volumes() {
    let api = space("updates");
    for kind in ["ConfigMap", "Secret"] {
        let value = |text: &str| match kind {
            "ConfigMap" => json!(text),
            _ => json!(base64::Engine::encode(
                &base64::prelude::BASE64_STANDARD,
                text
            )),
        };
        let all = api.of("v1", kind);
        let prefix = kind.to_lowercase();
        let name = |what: &str| format!("{prefix}-{what}");
        for what in ["del", "upd"] {
            all.create(data(&name(what), json!({"data-1": value("value-1")})));
        }
        let (mut volumes, mut mounts) = (Vec::new(), Vec::new());
        for what in ["create", "del", "upd"] {
            let field = if kind == "ConfigMap" {
                "configMap"
            } else {
                "secret"
            };
            let own = if kind == "ConfigMap" {
                "name"
            } else {
                "secretName"
            };
            volumes.push(json!({"name": what, field: {own: name(what), "optional": true}}));
            let projected = json!({"sources": [{field: {"name": name(what), "optional": true}}]});
            volumes.push(json!({"name": format!("p-{what}"), "projected": projected}));
            mounts.push(at(what, &format!("/etc/{what}")));
            mounts.push(at(&format!("p-{what}"), &format!("/etc/p-{what}")));
        }
        let pod = name("pod");
        started(&api, mounting(&pod, json!(volumes), json!(mounts)));
        for place in ["/etc/upd", "/etc/p-upd", "/etc/del", "/etc/p-del"] {
            assert_eq!(cat(&api, &pod, &format!("{place}/data-1")), "value-1");
        }
        assert_ne!(
            try_run(&api, &pod, "main", &["cat", "/etc/create/data-1"]).status["status"],
            "Success"
        );
        all.delete(&name("del"));
        all.merge(
            &name("upd"),
            "",
            json!({"data": {"data-1": null, "data-3": value("value-3")}}),
        );
        all.create(data(&name("create"), json!({"data-1": value("value-1")})));
        for (place, wanted) in [("create/data-1", "value-1"), ("upd/data-3", "value-3")] {
            for form in ["", "p-"] {
                let path = format!("/etc/{form}{place}");
                eventually(&path, || {
                    let ran = try_run(&api, &pod, "main", &["cat", &path]);
                    (ran.out == wanted).then_some(())
                });
            }
        }
        for form in ["", "p-"] {
            let path = format!("/etc/{form}del/data-1");
            eventually(&path, || {
                let ran = try_run(&api, &pod, "main", &["cat", &path]);
                (ran.status["status"] != "Success").then_some(())
            });
        }
    }
}

/// Returns the items of a downward volume for the fields and resources of the container.
fn downward() -> Value {
    let mut items = Vec::new();
    for (path, field) in [
        ("podname", "metadata.name"),
        ("labels", "metadata.labels"),
        ("annotations", "metadata.annotations"),
    ] {
        items.push(json!({"path": path, "fieldRef": {"fieldPath": field}}));
    }
    for (path, resource) in [
        ("cpu_limit", "limits.cpu"),
        ("cpu_request", "requests.cpu"),
        ("memory_limit", "limits.memory"),
        ("memory_request", "requests.memory"),
    ] {
        let divisor = if path.starts_with("cpu") { "1m" } else { "1Mi" };
        let source = json!({"containerName": "main", "resource": resource, "divisor": divisor});
        items.push(json!({"path": path, "resourceFieldRef": source}));
    }
    json!(items)
}

#[test]
fn downward_volume_shows_the_pod() {
    let api = space("downward");
    let pods = api.of("v1", "Pod");
    let forms = [
        (
            "own",
            json!({"name": "podinfo", "downwardAPI": {"items": downward()}}),
        ),
        (
            "projected",
            json!({"name": "podinfo", "projected": {"sources": [{"downwardAPI": {"items": downward()}}]}}),
        ),
    ];
    for (name, volume) in forms {
        let mut made = mounting(
            name,
            json!([volume]),
            json!([at("podinfo", "/etc/podinfo")]),
        );
        made["metadata"]["annotations"] = json!({"builder": "bar"});
        started(&api, made);
        for (path, wanted) in [
            ("podname", name),
            ("cpu_limit", "1250"),
            ("cpu_request", "250"),
            ("memory_limit", "64"),
            ("memory_request", "32"),
        ] {
            assert_eq!(
                cat(&api, name, &format!("/etc/podinfo/{path}")).trim_end(),
                wanted,
                "{path}"
            );
        }
        assert!(cat(&api, name, "/etc/podinfo/annotations").contains("builder=\"bar\""));
        let patch =
            json!({"metadata": {"labels": {"key3": "value3"}, "annotations": {"builder": "foo"}}});
        pods.merge(name, "", patch);
        for (path, wanted) in [
            ("labels", "key3=\"value3\""),
            ("annotations", "builder=\"foo\""),
        ] {
            eventually(wanted, || {
                cat(&api, name, &format!("/etc/podinfo/{path}"))
                    .contains(wanted)
                    .then_some(())
            });
        }
    }
}

#[test]
fn downward_volume_has_the_resources_of_the_node() {
    let api = space("downward-node");
    let items = |field: &str| {
        json!([{"path": field, "resourceFieldRef": {
            "containerName": "main", "resource": format!("limits.{field}"),
        }}])
    };
    let mut all = items("cpu").as_array().unwrap().clone();
    all.extend(items("memory").as_array().unwrap().clone());
    let volumes = json!([
        {"name": "own", "downwardAPI": {"items": all}},
        {"name": "projected", "projected": {"sources": [{"downwardAPI": {"items": all}}]}},
    ]);
    let mut made = mounting(
        "reads",
        volumes,
        json!([at("own", "/etc/own"), at("projected", "/etc/projected")]),
    );
    made["spec"]["containers"][0]
        .as_object_mut()
        .unwrap()
        .remove("resources");
    started(&api, made);
    for path in [
        "/etc/own/cpu",
        "/etc/own/memory",
        "/etc/projected/cpu",
        "/etc/projected/memory",
    ] {
        assert!(
            cat(&api, "reads", path).trim_end().parse::<u64>().unwrap() > 0,
            "{path}"
        );
    }
}

#[test]
fn projected_volume_combines_its_sources() {
    let api = space("combined");
    api.of("v1", "ConfigMap")
        .create(data("map", json!({"configmap-data": "configmap-value-1"})));
    api.of("v1", "Secret").create(data(
        "secret",
        json!({"secret-data": "c2VjcmV0LXZhbHVlLTE="}),
    ));
    let volume = json!({"name": "all", "projected": {"sources": [
        {"secret": {"name": "secret"}}, {"configMap": {"name": "map"}}, {"downwardAPI": {"items": downward()}},
    ]}});
    started(
        &api,
        mounting("reads", json!([volume]), json!([at("all", "/all")])),
    );
    for (path, wanted) in [
        ("configmap-data", "configmap-value-1"),
        ("secret-data", "secret-value-1"),
        ("podname", "reads"),
    ] {
        assert_eq!(cat(&api, "reads", &format!("/all/{path}")), wanted);
    }
}

#[test]
fn volumes_of_secrets_and_maps_do_not_conflict() {
    let api = space("wrapper");
    api.of("v1", "Secret")
        .create(data("secret", json!({"data-1": "dmFsdWUtMQ=="})));
    api.of("v1", "ConfigMap")
        .create(data("map", json!({"data-1": "value-1"})));
    let volumes = json!([
        {"name": "s", "secret": {"secretName": "secret"}}, {"name": "c", "configMap": {"name": "map"}},
    ]);
    started(
        &api,
        mounting(
            "wraps",
            volumes,
            json!([at("s", "/etc/s"), at("c", "/etc/c")]),
        ),
    );
}

#[test]
fn many_config_map_volumes_start() {
    let api = space("race");
    let maps = api.of("v1", "ConfigMap");
    let (mut volumes, mut mounts) = (Vec::new(), Vec::new());
    for number in 0..50 {
        let name = format!("racey-configmap-{number}");
        maps.create(data(&name, json!({"data-1": "value-1"})));
        let items = json!([{"key": "data-1", "path": "data-1"}]);
        volumes.push(json!({"name": name, "configMap": {"name": name, "items": items}}));
        mounts.push(at(&name, &format!("/etc/config-{number}")));
    }
    let mut made = crate::objects::controller("wrapped", 5, BUSYBOX);
    let template = &mut made["spec"]["template"]["spec"];
    template["volumes"] = json!(volumes);
    template["containers"][0]["volumeMounts"] = json!(mounts);
    template["containers"][0]["command"] = json!(["sleep", "10000"]);
    api.of("v1", "ReplicationController").create(made);
    crate::objects::until_ready_pods(&api.of("v1", "Pod"), "wrapped", 5);
}

#[test]
fn sub_paths_of_volumes_are_mounted() {
    let api = space("subpath");
    api.of("v1", "ConfigMap")
        .create(data("map", json!({"config": "mount-tester"})));
    api.of("v1", "Secret")
        .create(data("secret", json!({"config": "bW91bnQtdGVzdGVy"})));
    let name = json!({"path": "config", "fieldRef": {"fieldPath": "metadata.namespace"}});
    let volumes = json!([
        {"name": "c", "configMap": {"name": "map"}}, {"name": "s", "secret": {"secretName": "secret"}},
        {"name": "d", "downwardAPI": {"items": [name]}},
        {"name": "p", "projected": {"sources": [{"configMap": {"name": "map"}}]}},
    ]);
    let sub = |name: &str| json!({"name": name, "mountPath": format!("/test/{name}"), "subPath": "config"});
    started(
        &api,
        mounting(
            "reads",
            volumes,
            json!([sub("c"), sub("s"), sub("d"), sub("p")]),
        ),
    );
    for (path, wanted) in [
        ("c", "mount-tester"),
        ("s", "mount-tester"),
        ("d", "subpath"),
        ("p", "mount-tester"),
    ] {
        assert_eq!(cat(&api, "reads", &format!("/test/{path}")), wanted);
    }
}
