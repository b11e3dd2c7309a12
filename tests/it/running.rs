//! Tests `ctl controllers`, `ctl settle` and `ctl fault` from the outside: flags, exit codes, and messages.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::Stdio;
use std::time::Duration;

use rustix::process::Signal;

use crate::support::race::{eventually, signal};
use crate::support::{CommandOutput, World, collect};
use crate::terminal::on_terminal;
use ctl::api::json::Value;

fn apply(world: &World, manifest: &str) {
    let _ = world.run_with(&["apply", "-f", "-"], manifest).ok();
}

fn deployment(name: &str, replicas: u32, pod: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}}}\nspec:\n  replicas: {replicas}\n  \
         selector: {{matchLabels: {{app: {name}}}}}\n  template:\n    metadata: {{labels: {{app: {name}}}}}\n    \
         spec: {pod}\n"
    )
}

fn plain(name: &str, replicas: u32) -> String {
    deployment(
        name,
        replicas,
        "{containers: [{name: c, image: \"shop:1\"}]}",
    )
}

fn pod(name: &str, spec: &str) -> String {
    format!("apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec: {spec}\n")
}

fn field(world: &World, object: &str, path: &str) -> String {
    let output = format!("jsonpath={path}");
    world.run(&["get", object, "-o", &output]).ok()
}

#[track_caller]
fn stuck(world: &World, words: &[&str]) -> String {
    let ran = world.run(&["settle"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    for word in words {
        assert!(ran.err.contains(word), "{word:?} is not in {}", ran.err);
    }
    ran.err
}

#[test]
fn settle_lists_stuck_objects_with_reasons() {
    let world = World::fresh();
    apply(&world, &plain("good", 1));
    assert_eq!(world.run(&["settle"]).ok(), "");
    apply(
        &world,
        &pod(
            "picky",
            "{nodeSelector: {disk: ssd}, containers: [{name: c, image: a}]}",
        ),
    );
    apply(
        &world,
        &pod("nowhere", "{containers: [{name: c, image: \"a:404\"}]}"),
    );
    let dies = "{containers: [{name: c, image: a, command: [sh, -c, exit 3]}]}";
    apply(&world, &pod("dies", dies));
    let said = stuck(
        &world,
        &[
            " (Pod default/picky)",
            "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector",
            "stuck: container c: ImagePullBackOff",
            "stuck: container c: CrashLoopBackOff",
        ],
    );
    assert!(!said.contains("good"), "{said}");
    for name in ["picky", "nowhere", "dies"] {
        let _ = world.run(&["delete", "pod", name, "--wait=false"]).ok();
    }
    assert_eq!(world.run(&["settle"]).code, 0);
}

#[test]
fn settle_stops_at_its_timeout() {
    let world = World::new();
    let _ = world.run(&["cluster", "init", "--clock", "system"]).ok();
    let ran = world.run(&["settle", "--for", "1h", "--timeout", "100ms"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    // On a slow machine not even the first work is done by then.
    let texts = ["waiting", "busy"]
        .map(|how| format!("stuck: controllers: still {how} at the time limit\n"));
    assert!(texts.contains(&ran.err), "{ran:?}");
    let ran = world.run(&["settle", "--for=-5s"]);
    assert!(
        ran.code == 1 && ran.err.contains("must not be negative"),
        "{ran:?}"
    );
}

#[test]
fn settle_prints_an_oscillation_and_exits_with_2() {
    let world = World::fresh();
    let stages = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ctl-stages, namespace: kube-system}\ndata:\n  \
        tick: |\n    name: tick\n    for: pod\n    when: {pod.status.message: null, label.app: restless}\n    \
        next: {status: {message: tick}}\n  \
        tock: |\n    name: tock\n    for: pod\n    when: {pod.status.message: tick, label.app: restless}\n    \
        next: {status: {message: null}}\n";
    apply(&world, stages);
    apply(&world, &plain("restless", 1));
    let ran = world.run(&["settle"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.err.contains("these changes repeat"), "{ran:?}");
    // The output has a single round and no earlier changes.
    let round: Vec<&str> = ran.err.lines().skip(1).collect();
    for stage in ["tick", "tock"] {
        let end = format!(": kubelet: {stage}");
        let line = round.iter().find(|l| l.ends_with(&end));
        let is_pod = line.is_some_and(|l| l.starts_with("  Pod default/restless-"));
        assert!(is_pod, "{ran:?}");
    }
    assert_eq!(round.len(), 2, "{ran:?}");
}

#[test]
fn settle_reports_a_namespace_with_finalizers_as_stuck() {
    let world = World::fresh();
    let held = "apiVersion: v1\nkind: Namespace\nmetadata: {name: held}\n---\napiVersion: v1\nkind: ConfigMap\n\
        metadata: {name: c, namespace: held, finalizers: [shop.io/keep]}\n";
    apply(&world, held);
    let _ = world.run(&["delete", "ns", "held", "--wait=false"]).ok();
    let why = "stuck: Terminating: Some content in the namespace has finalizers remaining: \
        shop.io/keep in 1 resource instances";
    let _ = stuck(&world, &[why]);
    let free = ["patch", "cm", "c", "-n", "held", "--type=merge"];
    let free = [&free[..], &["-p", "{\"metadata\":{\"finalizers\":null}}"]].concat();
    let _ = world.run(&free).ok();
    assert_eq!(world.run(&["settle"]).ok(), "");
}

#[test]
fn invalid_stages_are_reported_as_stuck_and_in_events() {
    let world = World::fresh();
    let stages = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ctl-stages, namespace: kube-system}\ndata:\n  \
        odd.yaml: |\n    name: odd\n    for: planet\n    next: {}\n";
    apply(&world, stages);
    let why =
        "invalid stages are ignored: odd.yaml: for: unknown variant `planet`, expected one of";
    let _ = stuck(&world, &["(ConfigMap kube-system/ctl-stages)", why]);
    let told = || {
        let events = "events -n kube-system --for configmap/ctl-stages --no-headers";
        world.run(&events.split(' ').collect::<Vec<_>>()).ok()
    };
    let once = told();
    assert!(
        once.contains("InvalidStages") && once.contains(why),
        "{once}"
    );
    let _ = stuck(&world, &[why]);
    assert!(!told().contains("(x2"), "{}", told());
    apply(&world, &stages.replace("planet", "pod"));
    assert_eq!(world.run(&["settle"]).ok(), "");
}

#[test]
fn only_and_except_flags_select_controllers() {
    let world = World::fresh();
    apply(&world, &plain("web", 2));
    let only = ["controllers", "--once", "--only", "deployment,replicaset"];
    let _ = world.run(&only).ok();
    let nodes = "{.items[*].spec.nodeName}";
    assert_eq!(
        field(&world, "pods", "{.items[*].status.phase}"),
        "Pending Pending"
    );
    assert_eq!(field(&world, "pods", nodes), "");
    let except = ["controllers", "--once", "--except", "scheduler"];
    let _ = world.run(&except).ok();
    assert_eq!(field(&world, "pods", nodes), "");
    let _ = world.run(&["controllers", "--once", "--no-kubelet"]).ok();
    assert_eq!(field(&world, "pods", nodes).split(' ').count(), 2);
    assert_eq!(
        field(&world, "pods", "{.items[*].status.phase}"),
        "Pending Pending"
    );
    let _ = world.run(&["settle"]).ok();
    assert_eq!(
        field(&world, "pods", "{.items[*].status.phase}"),
        "Running Running"
    );
    let unknown = world.run(&["controllers", "--only", "deploymint"]).fails();
    assert!(
        unknown.contains("unknown controller \"deploymint\"; choose from resourcequota, "),
        "{unknown}"
    );
}

#[test]
fn each_reconcile_is_logged_as_one_line() {
    let world = World::fresh();
    apply(&world, &plain("web", 1));
    let once = |level: &str, format: &str| -> CommandOutput {
        let format = format!("--log-format={format}");
        world.run(&["controllers", "--once", level, &format])
    };
    let ran = once("-v=2", "json");
    assert_eq!(ran.code, 0, "{ran:?}");
    let lines: Vec<Value> = ran
        .err
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    let of_web = |l: &&Value| l["controller"] == "deployment" && l["key"] == "default/web";
    let first = lines.iter().find(of_web).unwrap();
    let rule = first["plan"][0].as_str().unwrap();
    assert!(rule.contains(':') && first["trigger"].is_u64(), "{first}");
    assert!(first["time"].as_str().unwrap().ends_with('Z'), "{first}");
    let is_idle = |l: &Value| l["plan"].as_array().is_some_and(|plan| plan.is_empty());
    assert!(lines.iter().any(is_idle), "idle looks count");
    let _ = world.run(&["scale", "deploy", "web", "--replicas=2"]).ok();
    let ran = once("-v=1", "text");
    let line = ran
        .err
        .lines()
        .find(|l| l.contains(" replicaset default/web-"))
        .unwrap();
    assert!(
        line.contains(" trigger=") && line.contains("scale-up: desired 2, current 1"),
        "{line}"
    );
    assert!(!ran.err.contains("nothing to do"), "{}", ran.err);
}

/// Starts the controllers. Returns the process and the address of its metrics.
fn serving(world: &World) -> (std::process::Child, String) {
    let mut command = world.command();
    command.args(["controllers", "--metrics", "127.0.0.1:0"]);
    let child = command.stdin(Stdio::null()).stdout(Stdio::null());
    let mut child = child.stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let _ = said.read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("metrics: http://").unwrap();
    (child, address.strip_suffix("/metrics").unwrap().to_owned())
}

fn metrics(address: &str) -> String {
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    stream
        .write_all(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        .unwrap();
    let mut text = String::new();
    drop(stream.read_to_string(&mut text));
    text
}

/// Returns the CPU time of a process in hundredths of a second.
fn ticks(pid: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let after = stat.rsplit_once(") ").unwrap().1;
    let words: Vec<&str> = after.split(' ').collect();
    words[11].parse::<u64>().unwrap() + words[12].parse::<u64>().unwrap()
}

#[test]
fn running_controllers_serve_metrics_and_idle_without_cpu_use() {
    let world = World::fresh();
    let (child, address) = serving(&world);
    apply(&world, &plain("web", 2));
    let patience = Duration::from_secs(60);
    let ready = || field(&world, "deploy/web", "{.status.readyReplicas}") == "2";
    assert!(eventually(patience, ready));
    let told = || metrics(&address).contains("{name=\"deployment\"}");
    assert!(eventually(patience, told), "{}", metrics(&address));
    // An idle process uses almost no CPU time in two seconds.
    std::thread::sleep(Duration::from_millis(500));
    let rests = || {
        let before = ticks(child.id());
        std::thread::sleep(Duration::from_secs(2));
        let used = ticks(child.id()) - before;
        eprintln!("{used} hundredths of a second in two seconds");
        used <= 2
    };
    // A slow machine may still be completing the work.
    assert!((0..10).any(|_| rests()));
    signal(&child, Signal::INT);
    assert_eq!(collect(child).code, 0);
    let refused = world.run(&["controllers", "--once", "--metrics", "0.0.0.0:0"]);
    assert!(refused.fails().contains("not a loopback address"));
    let _ = world.fsck();
}

#[test]
fn settle_shows_progress_and_a_summary_on_a_terminal() {
    // On the system clock this takes a while on any machine.
    let mut world = World::new();
    world.set("CTL_TEST_BARE", "");
    let _ = world.run(&["cluster", "init", "--seed", "7"]).ok();
    apply(&world, &plain("web", 3));
    let slow = ["fault", "api", "slow", "--verb", "create", "--kind", "pods"];
    let _ = world
        .run(&[&slow[..], &["--latency", "700ms"]].concat())
        .ok();
    let (seen, code) = on_terminal(&world, &["settle"]);
    assert_eq!(code, 0, "{seen}");
    assert!(seen.contains(" of 3 Pods ready, "), "{seen:?}");
    assert!(seen.contains("elapsed 00:00:0"), "{seen:?}");
    // The summary replaces the progress line.
    let (_, summary) = seen.rsplit_once("\r\u{1b}[K").unwrap();
    assert!(summary.starts_with("settled: "), "{seen:?}");
    assert!(
        summary.contains(" changes, 3 of 3 Pods ready, "),
        "{seen:?}"
    );
}

#[test]
fn controllers_print_their_changes_on_a_terminal() {
    let mut world = World::fresh();
    world.set("NO_COLOR", "1");
    apply(&world, &plain("web", 3));
    let (seen, code) = on_terminal(&world, &["controllers", "--once"]);
    assert_eq!(code, 0, "{seen}");
    let line = seen
        .lines()
        .find(|l| l.contains(" deployment default/web: "));
    let line = line.unwrap_or_else(|| panic!("{seen:?}"));
    assert!(line.contains("new-replica-set"), "{line:?}");
    assert!(
        !seen.contains(" kubelet"),
        "one line per significant change: {seen:?}"
    );
    // A pipe still gets no progress.
    assert_eq!(world.run(&["controllers", "--once"]).err, "");
}

#[test]
fn every_pod_fault_takes_effect_and_can_be_cleared() {
    let world = World::fresh();
    apply(&world, &pod("p", "{containers: [{name: c, image: a}]}"));
    let _ = world.run(&["settle"]).ok();
    let fault = |args: &[&str]| {
        let _ = world.run(&[&["fault", "pod", "p"], args].concat()).ok();
    };
    let clear = || {
        let _ = world.run(&["fault", "clear", "pod", "p"]).ok();
        // The longest back-off ends after five minutes.
        let _ = world.run(&["settle", "--for", "6m"]).ok();
        let listed = world.run(&["fault", "list"]).ok();
        assert_eq!(listed, "no faults are injected\n");
    };
    let status = |path: &str| field(&world, "pod/p", &format!("{{.status.{path}}}"));
    let container = |path: &str| status(&format!("containerStatuses[0].{path}"));
    fault(&["--crash", "7"]);
    assert!(
        world
            .run(&["fault", "list"])
            .ok()
            .starts_with("pod/p: crash = 7@0")
    );
    let _ = world.run(&["settle"]).ok();
    assert_eq!(container("restartCount"), "1");
    assert_eq!(container("lastState.terminated.exitCode"), "7");
    clear();
    fault(&["--not-ready"]);
    let _ = world.run(&["settle"]).ok();
    assert_eq!(container("ready"), "false");
    clear();
    assert_eq!(container("ready"), "true");
    fault(&["--oom-after", "5s"]);
    let _ = world.run(&["settle", "--for", "8s"]).fails();
    assert_eq!(container("lastState.terminated.reason"), "OOMKilled");
    clear();
    fault(&["--exit-code", "9", "--exit-after", "1s"]);
    let _ = stuck(&world, &["CrashLoopBackOff"]);
    assert_eq!(container("lastState.terminated.exitCode"), "9");
    clear();
    fault(&["--evict", "no room"]);
    let _ = world.run(&["settle"]).ok();
    assert_eq!(
        (status("phase"), status("message")),
        ("Failed".into(), "no room".into())
    );
    // These faults apply to Pods that start later.
    apply(&world, &pod("q", "{containers: [{name: c, image: a}]}"));
    for (args, words) in [
        (["--image", "not-found"], "ImagePullBackOff"),
        (["--image", "invalid"], "InvalidImageName"),
        (["--image", "never"], "ErrImageNeverPull"),
    ] {
        let _ = world
            .run(&[&["fault", "pod", "q"], &args[..]].concat())
            .ok();
        let _ = stuck(&world, &["Pod default/q", words]);
    }
    let _ = world.run(&["fault", "clear", "pod", "q"]).ok();
    let _ = world
        .run(&[
            "fault",
            "pod",
            "q",
            "--start-delay",
            "20s",
            "--ready-delay",
            "30s",
        ])
        .ok();
    let _ = world.run(&["delete", "pod", "q", "--wait=false"]).ok();
    let _ = world.run(&["settle"]).ok();
    let wrong = world
        .run(&["fault", "pod", "p", "--start-delay", "soon"])
        .fails();
    assert!(wrong.contains("\"soon\" is not a duration"), "{wrong}");
}

#[test]
fn pod_delays_advance_the_virtual_clock() {
    let world = World::fresh();
    let slow = pod("slow", "{containers: [{name: c, image: a}]}").replace(
        "{name: slow}",
        "{name: slow, annotations: {ctl.dev/start-delay: 20s, ctl.dev/ready-delay: 30s, \
         ctl.dev/stop-delay: 5s}}",
    );
    apply(&world, &slow);
    let _ = world.run(&["settle"]).ok();
    assert_eq!(world.run(&["clock", "show"]).ok(), "2026-01-01T00:00:50Z\n");
    let _ = world.run(&["delete", "pod", "slow", "--wait=false"]).ok();
    let _ = world.run(&["settle"]).ok();
    assert_eq!(world.run(&["clock", "show"]).ok(), "2026-01-01T00:00:55Z\n");
}

#[test]
fn every_node_fault_takes_effect() {
    let world = World::fresh();
    let ready = "{.status.conditions[?(@.type==\"Ready\")].status}";
    let _ = world.run(&["settle"]).ok();
    let _ = world.run(&["fault", "node", "node-0", "--down"]).ok();
    let _ = world.run(&["settle"]).ok();
    assert_eq!(field(&world, "node/node-0", ready), "Unknown");
    let _ = world.run(&["fault", "node", "node-0", "--up"]).ok();
    let _ = world.run(&["settle"]).ok();
    assert_eq!(field(&world, "node/node-0", ready), "True");
    let _ = world
        .run(&["fault", "node", "node-0", "--not-ready=no disk"])
        .ok();
    let _ = world.run(&["settle"]).ok();
    let message = "{.status.conditions[?(@.type==\"Ready\")].message}";
    assert_eq!(field(&world, "node/node-0", ready), "False");
    assert_eq!(field(&world, "node/node-0", message), "no disk");
    let _ = world.run(&["fault", "clear", "node", "node-0"]).ok();
    let _ = world.run(&["settle"]).ok();
    for node in ["node-0", "node-1"] {
        let _ = world.run(&["fault", "node", node, "--slow", "40s"]).ok();
    }
    let before = world.run(&["clock", "show"]).ok();
    apply(&world, &plain("web", 1));
    let _ = world.run(&["settle"]).ok();
    let seconds = |text: &str| text.trim().parse::<jiff::Timestamp>().unwrap().as_second();
    let after = world.run(&["clock", "show"]).ok();
    assert_eq!(seconds(&after) - seconds(&before), 40);
}

/// Returns the names of the Pods on a node, and for each whether it is ready.
fn pods_on(world: &World, node: &str) -> Vec<(String, String)> {
    let columns = "{range .items[*]}{.spec.nodeName} {.metadata.name} {.status.conditions[?(@.type==\"Ready\")].status}{\"\\n\"}{end}";
    let output = format!("jsonpath={columns}");
    let all = world.run(&["get", "pods", "-o", &output]).ok();
    let lines = all.lines().filter_map(|line| {
        let mut words = line.split(' ').map(str::to_owned);
        let (on, name, ready) = (words.next()?, words.next()?, words.next()?);
        (on == node).then_some((name, ready))
    });
    lines.collect()
}

#[test]
fn pods_of_unready_node_are_evicted_after_toleration_seconds() {
    for mode in ["default", "running"] {
        let mut world = World::new();
        world.set("CTL_TEST_BARE", "");
        let flags = [
            "--clock", "virtual", "--seed", "7", "--nodes", "2", "--pods", mode,
        ];
        let _ = world.run(&[&["cluster", "init"], &flags[..]].concat()).ok();
        apply(&world, &plain("web", 4));
        let _ = world.run(&["settle"]).ok();
        let before = pods_on(&world, "node-0");
        assert!(!before.is_empty() && before.iter().all(|(_, ready)| ready == "True"));
        let _ = world
            .run(&["fault", "node", "node-0", "--not-ready=no disk"])
            .ok();
        let _ = world.run(&["settle", "--for", "1m"]).ok();
        let waiting = pods_on(&world, "node-0");
        let unready = before
            .iter()
            .map(|(name, _)| (name.clone(), "False".to_owned()));
        assert_eq!(waiting, unready.collect::<Vec<_>>(), "{mode}");
        // A Pod that tolerates the taint is not ready before its node.
        let bears = "{nodeName: node-0, tolerations: [{operator: Exists}], containers: [{name: c, image: a}]}";
        apply(&world, &pod("bears", bears));
        let _ = world.run(&["settle"]).ok();
        assert_eq!(
            world.run(&["clock", "show"]).ok(),
            "2026-01-01T00:05:00Z\n",
            "{mode}"
        );
        let bearing = |ready: &str| vec![("bears".to_owned(), ready.to_owned())];
        assert_eq!(pods_on(&world, "node-0"), bearing("False"), "{mode}");
        assert_eq!(pods_on(&world, "node-1").len(), 4, "{mode}");
        let _ = world.run(&["fault", "node", "node-0", "--up"]).ok();
        let _ = world.run(&["settle"]).ok();
        assert_eq!(pods_on(&world, "node-0"), bearing("True"), "{mode}");
    }
}

/// Checks a race: both claims match the volume and are created in one batch.
#[test]
fn volume_is_bound_to_only_one_claim() {
    let world = World::fresh();
    let claim = |name: &str| {
        format!(
            "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: {name}}}\nspec: {{storageClassName: slow, \
             accessModes: [ReadWriteOnce], resources: {{requests: {{storage: 1Gi}}}}}}\n"
        )
    };
    let volume = "---\napiVersion: v1\nkind: PersistentVolume\nmetadata: {name: one}\nspec: {storageClassName: slow, \
                  accessModes: [ReadWriteOnce], capacity: {storage: 2Gi}, hostPath: {path: /one}}\n";
    apply(&world, &(claim("a") + &claim("b") + volume));
    let _ = world.run(&["settle"]).ok();
    let said = |claim: &str| {
        field(
            &world,
            &format!("pvc/{claim}"),
            "{.status.phase} {.spec.volumeName}",
        )
    };
    let mut both = [said("a"), said("b")];
    both.sort();
    assert_eq!(both, ["Bound one", "Pending "]);
}

#[test]
fn endpoints_without_a_selector_are_mirrored_to_slices() {
    let world = World::fresh();
    apply(
        &world,
        "apiVersion: v1\nkind: Service\nmetadata: {name: far}\nspec: {ports: [{port: 80}]}\n---\n\
         apiVersion: v1\nkind: Endpoints\nmetadata: {name: far}\nsubsets: [{addresses: [{ip: 1.2.3.4}], ports: [{port: 80}]}]\n",
    );
    let _ = world.run(&["settle"]).ok();
    let slices = || {
        let label = "kubernetes.io/service-name=far";
        let path = "jsonpath={.items[*].endpoints[*].addresses}";
        world
            .run(&["get", "endpointslices", "-l", label, "-o", path])
            .ok()
    };
    assert_eq!(slices(), r#"["1.2.3.4"]"#);
    let _ = world.run(&["delete", "endpoints", "far"]).ok();
    let _ = world.run(&["settle"]).ok();
    assert_eq!(slices(), "");
}

/// Checks Services that no longer select Pods or that have become an external name: they keep their EndpointSlices.
#[test]
fn slices_exist_until_their_service_is_deleted() {
    let world = World::fresh();
    let _ = world
        .run(&["create", "service", "clusterip", "web", "--tcp=80"])
        .ok();
    let _ = world.run(&["settle"]).ok();
    let patch = r#"{"spec":{"type":"ExternalName","externalName":"a.b","clusterIP":null,"clusterIPs":null}}"#;
    let _ = world.run(&["patch", "svc", "web", "-p", patch]).ok();
    let _ = world.run(&["settle"]).ok();
    let count = || {
        world
            .run(&["get", "endpointslices", "-l", "app=web", "-o", "name"])
            .ok()
            .lines()
            .count()
    };
    assert_eq!(count(), 1);
    let _ = world.run(&["delete", "svc", "web"]).ok();
    let _ = world.run(&["settle"]).ok();
    assert_eq!(count(), 0);
}

#[test]
fn budget_without_pods_records_its_event_twice() {
    let world = World::fresh();
    let _ = world
        .run(&[
            "create",
            "pdb",
            "none",
            "--selector=app=none",
            "--min-available=1",
        ])
        .ok();
    let _ = world.run(&["settle"]).ok();
    let events = || {
        let path = "jsonpath={range .items[*]}{.reason} {.count};{end}";
        let budget = "involvedObject.kind=PodDisruptionBudget";
        world
            .run(&["get", "events", "--field-selector", budget, "-o", path])
            .ok()
    };
    assert_eq!(events(), "NoPods 2;");
    let _ = world.run(&["settle"]).ok();
    assert_eq!(events(), "NoPods 2;");
}
