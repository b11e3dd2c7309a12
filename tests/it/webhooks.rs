//! Tests our own webhooks over TLS, called by commands, controllers and the server.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use crate::support::World;
use crate::support::http::Server;
use crate::support::race::write_file;
use crate::support::webhook::Webhook;
use ctl::api::json::{Value, json};

/// Applies a configuration.
fn apply(world: &World, configuration: &Value) {
    let file = world.outside("hook.yaml");
    write_file(&file, configuration.to_string());
    world.run(&["apply", "-f", file.to_str().unwrap()]).ok();
}

#[test]
fn controllers_commands_and_the_server_ask_the_same_webhook() {
    let world = World::fresh();
    let (hook, log) = Webhook::logged("127.0.0.1");
    apply(
        &world,
        &hook.configuration("Mutating", "image", "pods", "image/1.27"),
    );
    let deployment = [
        "create",
        "deployment",
        "web",
        "--image=nginx:1.25",
        "--replicas=3",
    ];
    world.run(&deployment).ok();
    world.run(&["settle"]).ok();
    let images = "jsonpath={.items[*].spec.containers[0].image}";
    let shown = world.run(&["get", "pods", "-o", images]).ok();
    assert_eq!(shown, "nginx:1.27 nginx:1.27 nginx:1.27");
    // The lines of the log have no names, because a ReplicaSet leaves the names of its Pods to the server.
    let creations = |dry: &str| {
        let line = format!("/image/1.27 CREATE pods -{dry}");
        log.lock()
            .unwrap()
            .iter()
            .filter(|own| **own == line)
            .count()
    };
    assert_eq!((creations(""), creations(" dry")), (3, 0));
    // A plan runs on a copy of the cluster, so webhooks receive dry runs.
    let plan = ["plan", "--", "scale", "deployment", "web", "--replicas=5"];
    assert_eq!(world.run(&plan).code, 1);
    assert_eq!((creations(""), creations(" dry")), (3, 2));
    let server = Server::start(&world, &[]);
    let mut client = server.client();
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
        "spec": {"containers": [{"name": "c", "image": "nginx:1.25"}]}});
    let path = "/api/v1/namespaces/default/pods";
    let made = client.post(path, &pod).ok();
    assert_eq!(made["spec"]["containers"][0]["image"], "nginx:1.27");
}

#[test]
fn webhook_service_certificate_must_name_the_service() {
    let world = World::fresh();
    let (hook, log) = Webhook::logged("guard.hooks.svc");
    world.run(&["create", "namespace", "hooks"]).ok();
    world
        .run(&[
            "create",
            "service",
            "clusterip",
            "guard",
            "-n",
            "hooks",
            "--tcp=443",
        ])
        .ok();
    let forward = format!("ctl.dev/forward=127.0.0.1:{}", hook.port);
    world
        .run(&["annotate", "service", "guard", "-n", "hooks", &forward])
        .ok();
    let mut configuration = hook.configuration("Validating", "guard", "configmaps", "");
    let bundle = configuration["webhooks"][0]["clientConfig"]["caBundle"].clone();
    let service = json!({"name": "guard", "namespace": "hooks", "path": "/deny/403/not-here"});
    configuration["webhooks"][0]["clientConfig"] = json!({"service": service, "caBundle": bundle});
    apply(&world, &configuration);
    let create = ["create", "configmap", "a"];
    assert_eq!(
        world.run(&create).fails(),
        "error: failed to create configmap: admission webhook \"guard.hooks.example.com\" denied the request: not-here\n"
    );
    assert_eq!(
        *log.lock().unwrap(),
        ["/deny/403/not-here CREATE configmaps a"]
    );
    // The webhook is behind another Service, whose name is not in its certificate.
    for args in [
        vec![
            "create",
            "service",
            "clusterip",
            "other",
            "-n",
            "hooks",
            "--tcp=443",
        ],
        vec!["annotate", "service", "other", "-n", "hooks", &forward],
    ] {
        world.run(&args).ok();
    }
    configuration["webhooks"][0]["clientConfig"]["service"]["name"] = json!("other");
    apply(&world, &configuration);
    let misnamed = world.run(&create).fails();
    let why = "tls: failed to verify certificate: x509: certificate is valid for ";
    assert!(misnamed.contains(why), "{misnamed}");
    assert!(
        misnamed.ends_with(
            ", not other.hooks.svc
"
        ),
        "{misnamed}"
    );
}

#[test]
fn busy_webhook_is_called_again() {
    let create = ["create", "configmap", "a", "--dry-run=server"];
    for (path, calls) in [("busy/2", 3), ("busy/10", 11), ("http/404", 1)] {
        let world = World::fresh();
        let (hook, log) = Webhook::logged("127.0.0.1");
        apply(
            &world,
            &hook.configuration("Validating", "guard", "configmaps", path),
        );
        let ran = world.run(&create);
        assert_eq!(ran.code, i32::from(path == "http/404"), "{path}");
        assert_eq!(log.lock().unwrap().len(), calls, "{path}");
    }
    // It stays busy for longer than clients are patient.
    let world = World::fresh();
    let (hook, log) = Webhook::logged("127.0.0.1");
    apply(
        &world,
        &hook.configuration("Validating", "guard", "configmaps", "busy/20"),
    );
    let said = world.run(&create).fails();
    assert!(
        said.contains("the server has received too many requests"),
        "{said}"
    );
    assert_eq!(log.lock().unwrap().len(), 11);
}

#[test]
fn webhook_certificate_must_match_the_ca_bundle() {
    let world = World::fresh();
    let (hook, _) = Webhook::logged("127.0.0.1");
    let (other, _) = Webhook::logged("127.0.0.1");
    let create = ["create", "configmap", "a", "--dry-run=server"];
    let mut configuration = hook.configuration("Validating", "guard", "configmaps", "allow");
    for (bundle, error) in [
        (&hook.authority, None),
        // Some webhooks use a self-signed certificate, which is then the server's own.
        (&hook.certificate, None),
        (
            &other.authority,
            Some("x509: certificate signed by unknown authority"),
        ),
        (
            &other.certificate,
            Some("x509: certificate signed by unknown authority"),
        ),
    ] {
        let bundle = BASE64_STANDARD.encode(bundle);
        configuration["webhooks"][0]["clientConfig"]["caBundle"] = json!(bundle);
        apply(&world, &configuration);
        let ran = world.run(&create);
        match error {
            None => drop(ran.ok()),
            Some(error) => {
                let found = ran.fails();
                assert!(found.contains(error), "{found}");
            }
        }
    }
}

#[test]
fn commands_and_the_server_have_custom_resources_converted() {
    let world = World::fresh();
    let (hook, log) = Webhook::logged("127.0.0.1");
    let version = |name: &str, field: &str| {
        json!({
            "name": name, "served": true, "storage": name == "v2",
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                "spec": {"type": "object", "properties": {field: {"type": "string"}}},
            }}},
        })
    };
    let url = format!("https://127.0.0.1:{}/convert/size/length", hook.port);
    let bundle = BASE64_STANDARD.encode(&hook.authority);
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "boats.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced", "names": {"kind": "Boat", "plural": "boats"},
            "versions": [version("v1", "size"), version("v2", "length")],
            "conversion": {"strategy": "Webhook", "webhook": {
                "conversionReviewVersions": ["v1"], "clientConfig": {"url": url, "caBundle": bundle},
            }},
        },
    });
    apply(&world, &definition);
    let boat = json!({"apiVersion": "example.com/v1", "kind": "Boat", "metadata": {"name": "b"},
        "spec": {"size": "12m"}});
    let file = world.outside("boat.yaml");
    write_file(&file, boat.to_string());
    world.run(&["create", "-f", file.to_str().unwrap()]).ok();
    let calls = || std::mem::take(&mut *log.lock().unwrap());
    let call = |version: &str| format!("/convert/size/length example.com/{version} 1");
    assert_eq!(calls(), [call("v2")]);
    let get = |version: &str, path: &str| {
        let kind = format!("boats.{version}.example.com");
        world.run(&["get", &kind, "b", "-o", &format!("jsonpath={path}")])
    };
    assert_eq!(get("v2", "{.spec}").ok(), r#"{"length":"12m"}"#);
    assert!(calls().is_empty());
    assert_eq!(get("v1", "{.spec}").ok(), r#"{"size":"12m"}"#);
    assert_eq!(calls(), [call("v1")]);
    let server = Server::start(&world, &[]);
    let mut client = server.client();
    let list = |version: &str| format!("/apis/example.com/{version}/namespaces/default/boats");
    assert_eq!(
        client.get(&list("v1")).ok()["items"][0]["spec"]["size"],
        "12m"
    );
    assert_eq!(
        client.get(&list("v2")).ok()["items"][0]["spec"]["length"],
        "12m"
    );
    assert_eq!(calls(), [call("v1")]);
    drop(hook);
    let refused = client.get(&list("v1")).refused(500);
    let message = refused["message"].as_str().unwrap();
    let words = format!(
        "conversion webhook for example.com/v2, Kind=Boat failed: Post \"{url}?timeout=30s\": dial tcp"
    );
    assert!(message.starts_with(&words), "{message}");
    // Stored objects can still be read.
    assert_eq!(get("v2", "{.spec.length}").ok(), "12m");
}
