//! Tests the web view: `ctl ui --web`, and `/ui` of `ctl serve`. `.ci/page` checks the page itself in a browser.

use crate::support::World;
use crate::support::http::{Answer, Client, Server};
use ctl::api::json::json;

/// Opens a new page. Returns the path of its link, and the cookie that replaces the link.
fn page(world: &World) -> (Server, String, String) {
    let (server, link) = Server::linked(world, &["ui", "--web"]);
    let path = link[link.find("/ui?").unwrap()..].to_owned();
    let entered = server.client().get(&path);
    assert_eq!(entered.code, 303, "{entered:?}");
    assert_eq!(field(&entered, "Location"), "/ui");
    let cookie = field(&entered, "Set-Cookie");
    let (pair, attributes) = cookie.split_once("; ").unwrap();
    assert_eq!(attributes, "Path=/ui; HttpOnly; SameSite=Strict");
    let cookie = format!("Cookie: {pair}\r\n");
    (server, path, cookie)
}

fn field<'a>(answer: &'a Answer, name: &str) -> &'a str {
    let lines = answer.head.lines();
    let mut values = lines.filter_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    values.next().unwrap_or_default()
}

#[test]
fn web_page_needs_its_token_and_same_origin() {
    let world = World::fresh();
    let (server, link, cookie) = page(&world);
    let asked =
        |method: &str, path: &str, fields: &str| server.client().ask(method, path, fields, "").code;
    for (method, path, fields, code) in [
        ("GET", "/ui", "", 401),
        ("GET", "/ui?token=guess", "", 401),
        ("GET", &link[..link.len() - 1], "", 401),
        ("GET", "/ui/state", "", 401),
        ("GET", "/ui/events", "", 401),
        ("POST", "/ui/run", "", 401),
        ("GET", "/", "", 401),
        ("GET", "/ui", &cookie, 200),
        ("GET", "/ui/state", &cookie, 200),
        ("GET", "/ui/none", &cookie, 404),
        ("POST", "/ui", &cookie, 404),
        ("GET", "/ui/state?at=x", &cookie, 400),
        // No other path is served, and the cookie opens none.
        ("GET", "/api", &cookie, 401),
        ("GET", "/uid", &cookie, 401),
        // These are pages of other sites, with their own name, their own address, or their own requests.
        (
            "GET",
            "/ui",
            &format!("{cookie}Origin: http://evil.example\r\n"),
            403,
        ),
        (
            "POST",
            "/ui/run",
            &format!("{cookie}Origin: http://127.0.0.1\r\n"),
            403,
        ),
        (
            "GET",
            "/ui/state",
            &format!("{cookie}Sec-Fetch-Site: cross-site\r\n"),
            403,
        ),
        (
            "GET",
            "/ui/state",
            &format!("{cookie}Sec-Fetch-Site: same-origin\r\n"),
            200,
        ),
    ] {
        let found = asked(method, path, fields);
        assert_eq!(found, code, "{method} {path} {fields}");
    }
    let answer = server.client().ask("GET", "/ui", &cookie, "");
    let policy = field(&answer, "Content-Security-Policy");
    assert!(
        policy.starts_with("default-src 'none'; style-src 'sha256-"),
        "{policy}"
    );
    assert!(policy.ends_with("frame-ancestors 'none'"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    assert_eq!(field(&answer, "Referrer-Policy"), "no-referrer");
    assert_eq!(field(&answer, "Cache-Control"), "no-store");
    assert_eq!(field(&answer, "X-Content-Type-Options"), "nosniff");
    // Two pages on one host have separate cookies.
    let (_other, _, another) = page(&world);
    assert_ne!(cookie.split('=').next(), another.split('=').next());
    assert_eq!(asked("GET", "/ui", &another), 401);
}

#[test]
fn the_page_runs_the_commands_of_its_keys_and_no_others() {
    let world = World::fresh();
    world
        .run(&["create", "deployment", "web", "--image=i"])
        .ok();
    let (server, _, cookie) = page(&world);
    let state = server.client().ask("GET", "/ui/state", &cookie, "").ok();
    let row = &state["rows"][0];
    assert_eq!(row["label"], "deployment/web");
    let uid = row["u"].as_str().unwrap();
    let path = format!("/ui/prompt?key=s&uid={uid}");
    let prompt = server.client().ask("GET", &path, &cookie, "").ok();
    assert_eq!(prompt["line"], "scale deployment/web");
    assert_eq!(prompt["last"], "--replicas=");
    let run = |key: &str, input: &str, fields: &str| {
        let body = json!({"key": key, "uid": uid, "input": input});
        let fields = format!("{cookie}{fields}");
        server
            .client()
            .ask("POST", "/ui/run", &fields, &body.to_string())
    };
    let typed = "Content-Type: application/json\r\n";
    let own = format!("{typed}Origin: http://localhost\r\nSec-Fetch-Site: same-origin\r\n");
    let done = run("s", "3", &own).ok();
    assert_eq!(
        done,
        json!({"done": true, "text": "deployment.apps/web scaled"})
    );
    assert!(
        world
            .run(&["log"])
            .ok()
            .contains("scale deployment/web --replicas=3")
    );
    let failed = run("s", "many", typed).ok();
    assert_eq!(failed["done"], false);
    for (key, input, fields) in [
        // A form on any page could send this content type.
        ("s", "4", "Content-Type: text/plain\r\n"),
        ("s", "4 --all", typed),
        ("s", "", typed),
        ("delete", "web", typed),
        ("q", "", typed),
        ("", "", typed),
    ] {
        let refused = run(key, input, fields);
        assert_eq!(refused.code, 400, "{key} {input}: {refused:?}");
    }
    assert_eq!(world.replicas("web"), "3");
}

#[test]
fn serve_streams_changes_to_the_web_view() {
    let world = World::fresh();
    let server = Server::start(&world, &[]);
    let mut events = Client::watch(&server.address, "/ui/events");
    let first = events.until("event: state\n");
    assert!(
        first.starts_with("event: stops\ndata: {\"first\":true,"),
        "{first}"
    );
    world
        .run(&["create", "deployment", "web", "--image=i"])
        .ok();
    let more = events.until("deployment/web");
    assert!(more.contains("create deployment web --image=i"), "{more}");
    let queue = events.until("event: queue\n");
    assert!(
        queue.contains("deployment") || queue.contains("event: queue"),
        "{queue}"
    );
    let why = server.client().get("/ui/why?uid=none").ok();
    assert_eq!(why, json!({"lines": []}));
    assert_eq!(server.client().get("/api").code, 200);
    let all = server.client().get("/ui?namespace=");
    assert!(all.body.contains("<h1>all namespaces</h1>"), "{all:?}");
    // The view reads with the administrator's rights, so no other user may open it.
    let bob = "Impersonate-User: bob\r\n";
    let refused = server.client().ask("GET", "/ui/state", bob, "");
    assert_eq!(refused.code, 403, "{refused:?}");
    let ran = server.stop();
    assert_eq!(ran.code, 0, "{ran:?}");
    // With TLS a link contains a key, which must not appear in a log.
    let args = ["serve", "--listen", "127.0.0.1:0"];
    let ran = Server::run(&world, &args).stop();
    assert!(!ran.err.contains("/ui"), "{ran:?}");
}

#[test]
fn a_fork_has_the_keys_of_the_page_and_leaves_the_cluster_alone() {
    let world = World::fresh();
    let web = ["create", "deployment", "web", "--image=i"];
    world.run(&web).ok();
    let (server, _, cookie) = page(&world);
    let get = |path: &str| server.client().ask("GET", path, &cookie, "");
    let post = |path: &str, body: &str| {
        let fields = format!("{cookie}Content-Type: application/json\r\n");
        server.client().ask("POST", path, &fields, body)
    };
    assert_eq!(post("/ui/fork", "{}").ok(), json!({"fork": 1}));
    let state = get("/ui/state?fork=1").ok();
    // Time passes on a fork only when a key says so.
    assert_eq!(state["virtual"], true);
    let uid = state["rows"][0]["u"].as_str().unwrap();
    let press = |fork: &str, key: &str, input: &str| {
        let body = json!({"key": key, "uid": uid, "input": input});
        post(&format!("/ui/run?fork={fork}"), &body.to_string())
    };
    assert_eq!(press("1", "s", "3").ok()["done"], true);
    assert_eq!(press("1", "x", "").ok()["done"], true);
    let settled = get("/ui/state?fork=1").ok();
    assert_eq!(settled["rows"][0]["c"], "3/3");
    let why = get(&format!("/ui/why?fork=1&uid={uid}")).ok();
    assert!(why["lines"].to_string().contains("scale"), "{why}");
    assert_eq!(world.replicas("web"), "1");
    assert!(!world.run(&["log"]).ok().contains("scale"));
    // Another page has a fork of its own, made of an earlier revision.
    let at = json!({"at": state["revision"]}).to_string();
    assert_eq!(post("/ui/fork", &at).ok(), json!({"fork": 2}));
    assert_eq!(
        get("/ui/state?fork=2").ok()["rows"][0]["c"],
        state["rows"][0]["c"]
    );
    assert_eq!(post("/ui/discard", "{\"fork\":1}").code, 200);
    for path in [
        "/ui/state?fork=1",
        "/ui/events?fork=1",
        "/ui/why?fork=1",
        "/ui/state?fork=x",
    ] {
        assert_eq!(get(path).code, 404, "{path}");
    }
    assert_eq!(press("1", "s", "3").code, 404);
    // A form on another site cannot send this content type.
    let form = server.client().ask("POST", "/ui/fork", &cookie, "{}");
    assert_eq!(form.code, 400);
}

#[test]
fn ui_port_flag_needs_web_flag() {
    let world = World::fresh();
    let refused = world.run(&["ui", "--port", "8080"]);
    assert_ne!(refused.code, 0);
    assert!(refused.err.contains("--web"), "{refused:?}");
}

#[test]
fn the_keys_act_on_a_cluster_in_memory() {
    let world = World::fresh();
    let server = Server::start(&world, &["--store", "memory:"]);
    let ask = |method: &str, path: &str, body: &str| {
        let fields = "Content-Type: application/json\r\n";
        server.client().ask(method, path, fields, body)
    };
    let labels = json!({"app": "web"});
    let web = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
        "spec": {"replicas": 1, "selector": {"matchLabels": labels.clone()}, "template": {"metadata": {"labels": labels},
            "spec": {"containers": [{"name": "web", "image": "i"}]}}}});
    let deployments = "/apis/apps/v1/namespaces/default/deployments";
    assert_eq!(ask("POST", deployments, &web.to_string()).code, 201);
    let uid = |label: &str| {
        let state = ask("GET", "/ui/state", "").ok();
        let rows = state["rows"].as_array().unwrap().to_vec();
        let row = rows
            .iter()
            .find(|row| row["label"].as_str().unwrap().starts_with(label));
        let row = row.unwrap_or_else(|| panic!("{label}: {state}"));
        row["u"].as_str().unwrap().to_owned()
    };
    let press = |key: &str, uid: &str, node: &str, input: &str| {
        let body = json!({"key": key, "uid": uid, "node": node, "input": input});
        let said = ask("POST", "/ui/run", &body.to_string()).ok();
        assert_eq!(said["done"], true, "{key}: {said}");
        said["text"].as_str().unwrap().to_owned()
    };
    let web = uid("deployment/web");
    assert_eq!(press("s", &web, "", "2"), "deployment.apps/web scaled");
    assert_eq!(press("r", &web, "", ""), "deployment.apps/web restarted");
    press("u", "", "", "");
    press("m", "", "", "here");
    press("x", "", "", "");
    press("c", &uid("pod/web-"), "", "1");
    press("d", "", "node-0", "");
    press("d", "", "node-0", "");
    let found = ask("GET", &format!("{deployments}/web"), "").ok();
    assert_eq!(found["spec"]["replicas"], 2);
    // None of this has changed the directory in the environment.
    assert!(!world.run(&["log"]).ok().contains("replicas=2"));
}
