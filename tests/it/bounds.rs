//! Tests that very large inputs need linear time and memory or are rejected. The limits are generous, because they only
//! have to detect quadratic behavior.

use std::fmt::Write as _;
use std::time::Duration;

use ctl::sys::clock::Stopwatch;

use crate::support::World;
use crate::support::http::Server;
use crate::support::race::write_file;
use ctl::api::json::{Value, json};

/// A linear command takes far less than this, even in a slow build on a busy machine.
const LONG: Duration = Duration::from_secs(60);

fn config_map(name: &str, data: &Value) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data})
}

/// Returns the text of an object with many keys in descending order, which a tree would sort.
fn reversed(name: &str, keys: usize) -> String {
    let mut data = String::new();
    for key in (0..keys).rev() {
        let comma = if key > 0 { "," } else { "" };
        write!(data, "\"{key:06}\":\"\"{comma}").unwrap();
    }
    format!(
        "{{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{{\"name\":\"{name}\"}},\"data\":{{{data}}}}}"
    )
}

/// Returns the peak memory of a command in kB, and its output; the shell that runs it reports the memory.
fn measured(world: &World, args: &str) -> (u64, String) {
    let script = format!(
        "\"$CTL\" {args} & pid=$!; most=0; \
         while now=$(sed -n 's/^VmHWM:[^0-9]*\\([0-9]*\\).*/\\1/p' /proc/$pid/status 2>/dev/null) && [ -n \"$now\" ]; \
         do most=$now; sleep 0.01; done; wait $pid; echo \"code $? most $most\""
    );
    let mut command = std::process::Command::new("sh");
    command
        .arg("-c")
        .arg(&script)
        .env("CTL", env!("CARGO_BIN_EXE_ctl"));
    for (name, value) in world.command().get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.current_dir(
        world
            .command()
            .get_current_dir()
            .unwrap_or(world.path("").as_path()),
    );
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let said = text.clone() + &String::from_utf8_lossy(&output.stderr);
    let most = text.trim_end().rsplit(' ').next().unwrap();
    (most.parse().unwrap(), said)
}

#[test]
fn a_diff_of_unrelated_objects_takes_linear_memory() {
    let world = World::fresh();
    let lines = |word: &str| {
        let data = (0..20_000).map(|n| (format!("{word}{n:05}"), json!("v")));
        config_map("large", &Value::Object(data.collect()))
    };
    let file = |name: &str, object: &Value| {
        let path = world.path(name);
        write_file(&path, object.to_string());
        path.display().to_string()
    };
    let (one, two) = (file("one.json", &lines("a")), file("two.json", &lines("b")));
    let _ = world.run(&["create", "-f", &one]).ok();
    let (kilobytes, said) = measured(&world, &format!("diff -f {two} | tail -c 300"));
    assert!(said.contains("+  b19999: v"), "{said}");
    let watch = Stopwatch::start();
    assert_eq!(world.run(&["diff", "-f", &two]).code, 1);
    assert!(watch.elapsed() < LONG);
    assert!(kilobytes < 200_000, "{kilobytes} kB");
}

#[test]
fn many_keys_parse_linearly_and_hit_the_size_limit() {
    let world = World::fresh();
    let watch = Stopwatch::start();
    write_file(&world.path("fits.json"), reversed("fits", 60_000));
    let fits = world.path("fits.json").display().to_string();
    let _ = world.run(&["create", "-f", &fits]).ok();
    let mut more = json!({"data": {}});
    for key in 0..60_000 {
        more["data"][format!("{key:06}").as_str()] = Value::Null;
    }
    write_file(&world.path("gone.json"), more.to_string());
    let gone = world.path("gone.json").display().to_string();
    let patch = [
        "patch",
        "configmap",
        "fits",
        "--type=merge",
        "--patch-file",
        &gone,
    ];
    let _ = world.run(&patch).ok();
    let keys = world.run(&["get", "configmap", "fits", "-o", "jsonpath={.data}"]);
    assert_eq!(keys.ok(), "");
    let server = Server::start(&world, &[]);
    let mut client = server.client();
    let body = reversed("large", 200_000);
    let path = "/api/v1/namespaces/default/configmaps";
    let refused = client.ask("POST", path, "Content-Type: application/json\r\n", &body);
    let refused = refused.refused(413);
    assert_eq!(refused["reason"], "RequestEntityTooLarge");
    let message = refused["message"].as_str().unwrap();
    assert!(
        message.starts_with("etcdserver: request is too large"),
        "{message}"
    );
    assert!(watch.elapsed() < LONG);
}

#[test]
fn lists_of_many_items_are_validated_in_linear_time() {
    let world = World::fresh();
    let many = |item: &dyn Fn(usize) -> Value| (0..20_000).map(item).collect::<Vec<_>>();
    let constraint = |n: usize| json!({"maxSkew": 1, "topologyKey": format!("k{n}"), "whenUnsatisfiable": "ScheduleAnyway"});
    let spec = json!({
        "containers": [{"name": "c", "image": "i",
            "volumeMounts": many(&|n| json!({"name": format!("v{n}"), "mountPath": format!("/m{n}")})),
            "env": many(&|n| json!({"name": format!("E {n}\u{1}"), "value": "v"}))}],
        "volumes": many(&|n| json!({"name": format!("v{n}"), "emptyDir": {}})),
        "topologySpreadConstraints": many(&constraint),
    });
    let pod =
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "many"}, "spec": spec});
    write_file(&world.path("pod.json"), pod.to_string());
    let watch = Stopwatch::start();
    let file = world.path("pod.json").display().to_string();
    let said = world.run(&["create", "-f", &file]);
    assert!(said.fails().contains("The Pod \"many\" is invalid"));
    assert!(watch.elapsed() < LONG, "{:?}", watch.elapsed());
}

#[test]
fn endless_files_are_rejected_by_every_flag() {
    let world = World::fresh();
    for args in [
        "create configmap x --from-file=/dev/zero",
        "create configmap x --from-env-file=/dev/zero",
        "create secret generic x --from-file=k=/dev/zero",
        "create secret tls x --cert=/dev/zero --key=/dev/zero",
        "patch configmap x --patch-file=/dev/zero",
        "get pods --kubeconfig=/dev/zero",
        "get pods --kuberc=/dev/zero",
        "get pods -o go-template-file=/dev/zero",
        "controllers --once --config=/dev/zero",
        "config set-credentials me --client-key=/dev/zero --embed-certs",
        "create -f /dev/zero",
        "apply -f - </dev/zero",
        "create --raw /api/v1/namespaces -f /dev/zero",
        "set env deploy/x - </dev/zero",
    ] {
        let (kilobytes, said) = measured(&world, args);
        assert!(said.contains("larger than "), "{args}: {said}");
        assert!(said.contains("code 1 "), "{args}: {said}");
        assert!(kilobytes < 700_000, "{args}: {kilobytes} kB");
    }
}
