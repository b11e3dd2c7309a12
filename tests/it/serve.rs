//! Tests `ctl serve`: the cluster over HTTP, through the real binary.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use ctl::sys::clock::Stopwatch;

use crate::support::http::{Client, Server, told};
use crate::support::race::{eventually, write_file};
use crate::support::{World, count, in_time, quiet};
use ctl::api::json::{Value, json};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

fn map(name: &str, label: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": name, "labels": {"app": label}}, "data": {"v": "1"}})
}

fn merge(client: &mut Client, name: &str, patch: &Value) -> Value {
    client.patch(&format!("{MAPS}/{name}"), "merge", patch).ok()
}

#[test]
fn http_and_commands_share_one_cluster() {
    let world = World::fresh();
    let server = Server::start(&world, &[]);
    let mut client = server.client();
    for (path, text) in [("/healthz", "ok"), ("/readyz", "ok"), ("/livez/ping", "ok")] {
        assert_eq!(client.get(path).body, text);
    }
    assert_eq!(client.get("/version").ok()["gitVersion"], "v1.36.2");
    let made = client.post(MAPS, &map("a", "web")).ok();
    assert_eq!(made["metadata"]["managedFields"][0]["manager"], "tests");
    assert_eq!(
        client.post(MAPS, &map("a", "web")).refused(409)["reason"],
        "AlreadyExists"
    );
    let shown = world
        .run(&["get", "configmap", "a", "-o", "jsonpath={.data.v}"])
        .ok();
    assert_eq!(shown, "1");
    let edited = world.path("default/configmaps/a.yaml");
    let text = std::fs::read_to_string(&edited).unwrap();
    crate::support::race::write_file(&edited, text.replace("v: \"1\"", "v: \"2\""));
    assert_eq!(client.get(&format!("{MAPS}/a")).ok()["data"]["v"], "2");
    let yaml = client.ask(
        "GET",
        &format!("{MAPS}/a"),
        "Accept: application/yaml\r\n",
        "",
    );
    assert!(yaml.head.contains("\r\nContent-Type: application/yaml\r\n"));
    assert!(
        yaml.body.starts_with("apiVersion: v1\ndata:\n  v: \"2\"\n"),
        "{yaml:?}"
    );
    let _ = world.run(&["delete", "configmap", "a"]).ok();
    assert_eq!(
        client.get(&format!("{MAPS}/a")).refused(404)["details"]["name"],
        "a"
    );
    let ran = server.stop();
    // The first request imports the edit and reports it.
    let told = "warning: --plain-http: not encrypted, and open to every user of this machine\n\
                memory limit for requests and watches: 512 MiB (--memory-budget)\n\
                ctl: default/configmaps/a.yaml: edited: data.v 1 -> 2\n";
    assert_eq!((ran.code, ran.err.as_str()), (0, told), "{ran:?}");
    world.fsck_without_remarks();
}

#[test]
fn missing_default_roles_are_added_at_the_start() {
    let world = World::fresh();
    let role = "system:controller:job-controller";
    let _ = world.run(&["delete", "clusterrole", "view"]).ok();
    let delegator = "system:auth-delegator";
    let patch = r#"[{"op": "remove", "path": "/rules/1"}]"#;
    let _ = world
        .run(&[
            "patch",
            "clusterrole",
            delegator,
            "--type=json",
            "-p",
            patch,
        ])
        .ok();
    let server = Server::start(&world, &[]);
    let rules = |name: &str| {
        let rules = "jsonpath={.rules[*].resources[*]}";
        world.run(&["get", "clusterrole", name, "-o", rules]).ok()
    };
    assert_eq!(rules(role), "jobs jobs/status jobs/finalizers pods events");
    assert!(rules("view").contains("deployments"));
    assert_eq!(rules(delegator), "tokenreviews subjectaccessreviews");
    let named = |name: &str| world.run(&["get", name]).ok();
    assert!(named("apiservice/v1.apps").contains("v1.apps   Local     True"));
    let catch_all =
        "catch-all   catch-all       10000                ByUser                0s    False";
    assert!(
        named("flowschema/catch-all").contains(catch_all),
        "{}",
        named("flowschema/catch-all")
    );
    let level = "exempt   Exempt";
    assert!(named("prioritylevelconfiguration/exempt").contains(level));
    let revision = || world.run(&["get", "--raw", "/api/v1/nodes?limit=1"]).ok();
    let before = revision();
    assert_eq!(server.stop().code, 0);
    let _server = Server::start(&world, &[]);
    assert_eq!(revision(), before, "a second start writes nothing");
}

#[test]
fn unsupported_media_types_are_rejected() {
    let world = World::fresh();
    let server = Server::start(&world, &[]);
    let mut client = server.client();
    let proto = "application/vnd.kubernetes.protobuf";
    let answer = client.ask("GET", MAPS, "Accept: text/html\r\n", "");
    assert_eq!(answer.refused(406)["reason"], "NotAcceptable");
    let answer = client.ask("POST", MAPS, "Content-Type: text/plain\r\n", "x");
    assert_eq!(answer.refused(415)["reason"], "UnsupportedMediaType");
    // The encoding has its own tests; a truncated body is a bad request.
    let answer = client.ask("POST", MAPS, &format!("Content-Type: {proto}\r\n"), "k8s\0");
    assert_eq!(answer.refused(400)["reason"], "BadRequest");
}

#[test]
fn watch_reports_selector_changes_and_resumes_from_a_revision() {
    let world = World::fresh();
    let server = Server::start(&world, &[]);
    let mut client = server.client();
    let a = client.post(MAPS, &map("a", "web")).ok();
    client.post(MAPS, &map("b", "db")).ok();
    let path = format!("{MAPS}?watch=1&labelSelector=app%3Dweb");
    let mut watch = Client::watch(&server.address, &path);
    assert_eq!(told(&watch.next().unwrap()), "+a");
    merge(
        &mut client,
        "b",
        &json!({"metadata": {"labels": {"app": "web"}}}),
    );
    assert_eq!(told(&watch.next().unwrap()), "+b");
    // The watch also shows changes by commands and by hand edits.
    let _ = world.run(&["label", "configmap", "a", "x=y"]).ok();
    assert_eq!(told(&watch.next().unwrap()), "~a");
    let file = world.path("default/configmaps/b.yaml");
    let text = std::fs::read_to_string(&file).unwrap();
    crate::support::race::write_file(&file, text.replace("v: \"1\"", "v: hand"));
    let event = watch.next().unwrap();
    assert_eq!(
        (told(&event).as_str(), &event["object"]["data"]["v"]),
        ("~b", &json!("hand"))
    );
    merge(
        &mut client,
        "a",
        &json!({"metadata": {"labels": {"app": "db"}}}),
    );
    assert_eq!(told(&watch.next().unwrap()), "-a");
    client.ask("DELETE", &format!("{MAPS}/b"), "", "").ok();
    assert_eq!(told(&watch.next().unwrap()), "-b");
    // After the first revision, the watch repeats the events, and then its timeout expires.
    let from = a["metadata"]["resourceVersion"].as_str().unwrap();
    let again = format!("{path}&resourceVersion={from}&timeoutSeconds=3&allowWatchBookmarks=true");
    let events: Vec<Value> = Client::watch(&server.address, &again).collect();
    let all: Vec<String> = events.iter().map(told).collect();
    assert_eq!(all, ["+b", "~a", "~b", "-a", "-b", "|"]);
    // Initial events come first and end with a bookmark.
    client.post(MAPS, &map("c", "web")).ok();
    let listed = format!(
        "{path}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
    );
    let mut watch = Client::watch(&server.address, &listed);
    assert_eq!(told(&watch.next().unwrap()), "+c");
    let mark = watch.next().unwrap();
    assert_eq!(
        mark["object"]["metadata"]["annotations"]["k8s.io/initial-events-end"],
        "true"
    );
    // A server that stops ends its watches cleanly.
    assert_eq!(server.stop().code, 0);
    assert!(watch.next().is_none());
}

#[test]
fn accept_header_selects_table_or_partial_metadata() {
    let world = World::fresh();
    let server = Server::start(&world, &[]);
    let mut client = server.client();
    client.post(MAPS, &map("a", "web")).ok();
    let table = "Accept: application/json;as=Table;v=v1;g=meta.k8s.io,application/json\r\n";
    let list = client.ask("GET", MAPS, table, "").ok();
    let names: Vec<&str> = list["columnDefinitions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["Name", "Data", "Age"]);
    let row = list["rows"]
        .as_array()
        .unwrap()
        .iter()
        .find(|r| r["cells"][0] == "a")
        .unwrap();
    assert_eq!(
        (&row["cells"][1], &row["object"]["kind"]),
        (&json!(1), &json!("PartialObjectMetadata"))
    );
    let whole = client
        .ask("GET", &format!("{MAPS}/a?includeObject=Object"), table, "")
        .ok();
    assert_eq!(whole["rows"][0]["object"]["data"]["v"], "1");
    let bare = client
        .ask("GET", &format!("{MAPS}/a?includeObject=None"), table, "")
        .ok();
    assert!(bare["rows"][0].get("object").is_none());
    let odd = client.ask("GET", &format!("{MAPS}/a?includeObject=Some"), table, "");
    assert_eq!(odd.code, 400);
    let partial = "Accept: application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io\r\n";
    let one = client.ask("GET", &format!("{MAPS}/a"), partial, "").ok();
    assert!(one.get("data").is_none() && one["metadata"]["name"] == "a");
}

/// Checks that the definition's kind is discovered and described.
fn check_discovery(client: &mut Client) {
    let groups = client.get("/apis/example.com/v1").ok();
    let names: Vec<&str> = groups["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r["name"].as_str().unwrap())
        .collect();
    assert!(
        names.contains(&"applications") && names.contains(&"applications/status"),
        "{names:?}"
    );
    let document = client.get("/openapi/v3/apis/example.com/v1").ok();
    let schema = &document["components"]["schemas"]["com.example.v1.Application"];
    assert_eq!(
        schema["properties"]["spec"]["properties"]["replicas"]["type"],
        "integer"
    );
}

#[test]
fn new_crd_is_served_immediately_with_watch_and_status() {
    let world = World::fresh();
    let server = Server::start(&world, &[]);
    let mut client = server.client();
    let text = include_str!("../../testdata/custom/applications-crd.yaml");
    let definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let yaml = "Content-Type: application/yaml\r\n";
    client.ask("POST", definitions, yaml, text).ok();
    let path = "/apis/example.com/v1/namespaces/default/applications";
    let mut watch = Client::watch(&server.address, &format!("{path}?watch=1"));
    let app = json!({"apiVersion": "example.com/v1", "kind": "Application",
        "metadata": {"name": "shop"}, "spec": {"image": "nginx", "replicas": 2, "port": 80}});
    client.post(path, &app).ok();
    let event = watch.next().unwrap();
    assert_eq!(
        (
            told(&event).as_str(),
            &event["object"]["metadata"]["generation"]
        ),
        ("+shop", &json!(1))
    );
    let mut wrong = app.clone();
    wrong["metadata"]["name"] = json!("wrong");
    wrong["spec"]["replicas"] = json!("many");
    assert_eq!(client.post(path, &wrong).refused(422)["reason"], "Invalid");
    // The status has a path of its own; a write to the object's path does not change it.
    let status = json!({"status": {"phase": "Ready", "readyReplicas": 2}});
    let shop = format!("{path}/shop");
    client
        .patch(&format!("{shop}/status"), "merge", &status)
        .ok();
    assert_eq!(watch.next().unwrap()["object"]["status"]["phase"], "Ready");
    let other = json!({"spec": {"replicas": 3}, "status": {"phase": "Degraded"}});
    let changed = client.patch(&shop, "merge", &other).ok();
    assert_eq!(changed["status"]["phase"], "Ready");
    assert_eq!(changed["metadata"]["generation"], 2);
    assert_eq!(told(&watch.next().unwrap()), "~shop");
    let strategic = client.patch(&shop, "strategic-merge", &other);
    assert_eq!(strategic.code, 415, "{strategic:?}");
    let applied = "apiVersion: example.com/v1\nkind: Application\nspec:\n  port: 81\n";
    let apply = "Content-Type: application/apply-patch+yaml\r\n";
    let conflict = client.ask("PATCH", &format!("{shop}?fieldManager=me"), apply, applied);
    assert_eq!(conflict.refused(409)["reason"], "Conflict");
    let forced = client.ask(
        "PATCH",
        &format!("{shop}?fieldManager=me&force=true"),
        apply,
        applied,
    );
    assert_eq!(forced.ok()["spec"]["port"], 81);
    assert_eq!(told(&watch.next().unwrap()), "~shop");
    check_discovery(&mut client);
    let shown = world
        .run(&["get", "applications", "shop", "-o", "jsonpath={.spec.port}"])
        .ok();
    assert_eq!(shown, "81");
    // Deleting the definition deletes its objects.
    client
        .ask(
            "DELETE",
            &format!("{definitions}/applications.example.com"),
            "",
            "",
        )
        .ok();
    assert_eq!(told(&watch.next().unwrap()), "-shop");
    assert_eq!(client.get(path).code, 404);
    assert_eq!(server.stop().code, 0);
    world.fsck_without_remarks();
}

#[test]
fn serve_rejects_non_loopback_addresses_by_default() {
    let world = World::fresh();
    let refused = world.run(&["serve", "--listen", "0.0.0.0:0"]).fails();
    assert!(refused.contains("is not a loopback address"), "{refused}");
    let server = Server::start(&world, &[]);
    let taken = world.run(&["serve", "--listen", &server.address]).fails();
    assert!(
        taken.contains(&format!("cannot listen at {}", server.address)),
        "{taken}"
    );
}

#[test]
fn slow_and_silent_clients_do_not_block_others() {
    quiet::alone();
    let world = World::fresh();
    let server = Server::start(&world, &[]);
    let fds = || {
        let path = format!("/proc/{}/fd", server.process().id());
        std::fs::read_dir(path).unwrap().count()
    };
    let mut client = server.client();
    client.get("/readyz");
    // The store keeps its files open after the first write.
    client.post(MAPS, &map("first", "x")).ok();
    let before = fds();
    let mut held = Vec::new();
    for n in 0..count(60, 300) {
        let mut stream = TcpStream::connect(&server.address).unwrap();
        let begun = match n % 3 {
            0 => "",
            1 => "GET / HTTP/1.1\r\nHost: loc",
            _ => {
                "POST /api/v1/namespaces HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{"
            }
        };
        stream.write_all(begun.as_bytes()).unwrap();
        held.push(stream);
    }
    let mut endless = TcpStream::connect(&server.address).unwrap();
    let head =
        "POST /api/v1/namespaces HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
    endless.write_all(head.as_bytes()).unwrap();
    let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
    while endless.write_all(chunk.as_bytes()).is_ok() {}
    let mut times = Vec::new();
    for n in 0..40 {
        let watch = Stopwatch::start();
        let name = format!("n{n}");
        client.post(MAPS, &map(&name, "x")).ok();
        client.get(&format!("{MAPS}/{name}")).ok();
        times.push(watch.elapsed());
    }
    let slow = crate::support::race::p99(times);
    assert!(slow < in_time(Duration::from_millis(1500)), "{slow:?}");
    drop((held, endless));
    assert!(
        eventually(in_time(Duration::from_secs(10)), || fds() <= before + 1),
        "{} of {before}",
        fds()
    );
}

#[test]
fn malformed_http_requests_are_rejected() {
    let world = World::fresh();
    let server = Server::start(&world, &[]);
    let raw = |text: &str| {
        let mut stream = TcpStream::connect(&server.address).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        let mut answer = String::new();
        drop(stream.read_to_string(&mut answer));
        answer.get(9..12).unwrap_or_default().to_owned()
    };
    // As in Go's server, chunked encoding takes precedence (RFC 9112, 6.3), and the bytes that follow are not read as a
    // request.
    let both = "POST /nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    let differ =
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n";
    let large = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3145729\r\n\r\n";
    let header = format!(
        "GET / HTTP/1.1\r\nHost: localhost\r\nX: {}\r\n\r\n",
        "x".repeat(70_000)
    );
    for (text, code) in [
        (both, "404"),
        (differ, "400"),
        (large, "413"),
        (header.as_str(), "431"),
        ("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", "403"),
        (
            "GET / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\n\r\n",
            "403",
        ),
        ("\x16\x03\x01\x02\n\n", "400"),
        (
            "GET /nothing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
            "404",
        ),
    ] {
        assert_eq!(raw(text), code, "{}", &text[..text.len().min(80)]);
    }
    let mut client = server.client();
    let deep = "[".repeat(100_000);
    let body = format!("{{\"data\":{deep}");
    assert_eq!(
        client
            .ask("POST", MAPS, "Content-Type: application/json\r\n", &body)
            .code,
        400
    );
    let operation = json!({"op": "test", "path": "/data/v", "value": "1"});
    let many = Value::from(vec![operation; 10_001]);
    client.post(MAPS, &map("a", "x")).ok();
    let patched = client.patch(&format!("{MAPS}/a"), "json", &many);
    assert_eq!(patched.code, 413, "{}", patched.body);
}

#[test]
fn serve_with_controllers_flag_runs_controllers() {
    let world = World::fresh();
    let server = Server::start(&world, &["--controllers"]);
    let mut client = server.client();
    let deployment = json!({"apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "web"}, "spec": {"replicas": 2, "selector": {"matchLabels": {"a": "b"}},
        "template": {"metadata": {"labels": {"a": "b"}},
            "spec": {"containers": [{"name": "c", "image": "nginx"}]}}}});
    let path = "/apis/apps/v1/namespaces/default/deployments";
    client.post(path, &deployment).ok();
    let name = format!("{path}?watch=1&fieldSelector=metadata.name%3Dweb&timeoutSeconds=60");
    let mut watch = Client::watch(&server.address, &name);
    let ready = watch.find(|event| event["object"]["status"]["readyReplicas"] == 2);
    assert!(ready.is_some());
    drop(watch);
    let pods = "/api/v1/namespaces/default/pods";
    let told = json!({"apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": "told", "annotations": {"ctl.dev/logs": "one\ntwo"}},
        "spec": {"containers": [{"name": "c", "image": "nginx"}]}});
    client.post(pods, &told).ok();
    let path = format!("{pods}?watch=1&fieldSelector=metadata.name%3Dtold&timeoutSeconds=60");
    let mut watch = Client::watch(&server.address, &path);
    let runs = watch.find(|event| event["object"]["status"]["phase"] == "Running");
    assert!(runs.is_some());
    assert_eq!(
        client.get(&format!("{pods}/told/log?tailLines=1")).body,
        "two\n"
    );
    let of = |path: &str| world.run(&["get", "--raw", path]).ok();
    assert_eq!(of("/readyz"), "ok");
    assert!(of(&format!("{pods}/told")).contains("\"phase\":\"Running\""));
    let missing = world.run(&["get", "--raw", "/nothing"]).fails();
    assert!(
        missing.contains("the server could not find the requested resource"),
        "{missing}"
    );
    assert_eq!(server.stop().code, 0);
}

#[test]
fn http_and_command_requests_are_audited_and_logged() {
    let world = World::fresh();
    let log = world.path("requests.log");
    let log_flag = log.display().to_string();
    let flags = [
        "--audit-log",
        &log_flag,
        "--audit-level",
        "Request",
        "-v",
        "7",
        "--log-format",
        "json",
    ];
    let server = Server::start(&world, &flags);
    let mut client = server.client();
    client.post(MAPS, &map("a", "web")).ok();
    let heard = server.stop().err;
    let lines = |path: &std::path::Path| -> Vec<Value> {
        let text = std::fs::read_to_string(path).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };
    let made = lines(&log).pop().unwrap();
    assert_eq!(
        (&made["stage"], &made["verb"]),
        (&json!("ResponseComplete"), &json!("create"))
    );
    assert_eq!(made["sourceIPs"], json!(["127.0.0.1"]));
    assert_eq!(made["requestObject"]["data"]["v"], "1");
    let heard: Vec<Value> = heard
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let request = heard.iter().find(|line| line["message"] == "HTTP").unwrap();
    assert_eq!(
        (&request["code"], &request["auditID"]),
        (&json!(201), &made["auditID"])
    );
    assert!(request["headers"]["user-agent"].is_array() && request.get("body").is_none());
    // Without the flag, only a cluster whose settings enable it has a log, which then also covers commands.
    let own = world.path(".ctl/audit.log");
    let _ = world.run(&["create", "configmap", "b"]).ok();
    assert!(!own.exists());
    let settings = world.path("cluster.yaml");
    let text = std::fs::read_to_string(&settings).unwrap();
    write_file(&settings, text + "audit: Metadata\n");
    let refused = world.run(&["create", "configmap", "b"]);
    assert!(refused.err.contains("already exists"), "{refused:?}");
    let _ = world.run(&["get", "configmaps"]).ok();
    let events = lines(&own);
    let line = |event: &Value| {
        let code = &event["responseStatus"]["code"];
        format!(
            "{} {} {code}",
            event["verb"].as_str().unwrap(),
            event["requestURI"].as_str().unwrap()
        )
    };
    let ends = events
        .iter()
        .filter(|event| event["stage"] == "ResponseComplete");
    let ends: Vec<String> = ends.map(line).collect();
    assert_eq!(
        ends,
        [format!("create {MAPS} 409"), format!("list {MAPS} 200")]
    );
    assert!(
        events[0]["userAgent"]
            .as_str()
            .unwrap()
            .ends_with("create configmap b")
    );
    world.fsck_without_remarks();
}
