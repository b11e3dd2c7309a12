//! Tests the commands for running Pods through the real binary: their effects, their output, and the requests that they
//! reject.

use std::io::{BufRead as _, BufReader, Read as _};
use std::net::TcpStream;
use std::process::Stdio;

use crate::support::http::Server;
use crate::support::{World, collect};

/// Returns the output, the errors and the exit code of a command as a single text.
fn said(world: &World, words: &[&str]) -> String {
    let ran = world.run(words);
    format!("{}{}[{}]", ran.out, ran.err, ran.code)
}

fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

fn say(world: &World, line: &str) -> String {
    said(world, &words(line))
}

fn settled(world: &World) {
    let _ = world.run(&["settle"]).ok();
}

/// Returns a cluster with a Deployment of two Pods.
fn with_web() -> World {
    let world = World::fresh();
    let line = "create deployment web --image=nginx --replicas=2 --port=80";
    let _ = world.run(&words(line)).ok();
    settled(&world);
    world
}

#[test]
fn run_makes_a_pod_and_its_service() {
    let world = World::fresh();
    assert_eq!(
        say(
            &world,
            "run web --image=nginx --port=80 --expose --env=A=b --labels=app=x"
        ),
        "service/web created\npod/web created\n[0]"
    );
    assert_eq!(
        say(
            &world,
            "get svc web -o jsonpath={.spec.selector}{.spec.ports[0].targetPort}"
        ),
        "{\"app\":\"x\"}80[0]"
    );
    assert_eq!(
        say(&world, "get pod web -o jsonpath={.spec.containers[0].env}"),
        "[{\"name\":\"A\",\"value\":\"b\"}][0]"
    );
    assert_eq!(
        say(&world, "run web --image=nginx"),
        "Error from server (AlreadyExists): pods \"web\" already exists\n[1]"
    );
    assert_eq!(
        say(&world, "run x --image=nginx --restart=Sometimes"),
        "error: invalid restart policy: Sometimes\nSee 'ctl run -h' for help and examples\n[1]"
    );
}

#[test]
fn pods_wait_for_missing_config_maps_and_secrets() {
    let world = World::fresh();
    let volume =
        r#"--overrides={"spec":{"volumes":[{"name":"conf","configMap":{"name":"site"}}]}}"#;
    let _ = world.run(&["run", "mounts", "--image=nginx", volume]).ok();
    let from = r#"--overrides={"spec":{"containers":[{"name":"reads","image":"nginx","envFrom":[{"secretRef":{"name":"key"}}]}]}}"#;
    let _ = world.run(&["run", "reads", "--image=nginx", from]).ok();
    let ran = world.run(&["settle"]);
    assert_eq!(
        (ran.code, ran.err.as_str()),
        (
            1,
            "stuck: volume conf: configmap \"site\" not found (Pod default/mounts)\n\
             stuck: container reads: CreateContainerConfigError: secret \"key\" not found (Pod default/reads)\n"
        )
    );
    let columns = "get pods --no-headers -o custom-columns=N:.metadata.name,P:.status.phase,IP:.status.podIP,\
                   W:.status.containerStatuses[0].state.waiting.reason";
    let shown = world.run(&words(columns)).ok().to_owned();
    let rows: Vec<Vec<&str>> = shown
        .lines()
        .map(|l| l.split_whitespace().collect())
        .collect();
    assert_eq!(
        rows[0],
        ["mounts", "Pending", "<none>", "ContainerCreating"]
    );
    assert_eq!(rows[1][3], "CreateContainerConfigError", "{shown}");
    let events =
        "get events -o jsonpath={range.items[?(@.type==\"Warning\")]}{.reason}:{.message};{end}";
    let told = say(&world, events);
    for event in [
        "FailedMount:MountVolume.SetUp failed for volume \"conf\" : configmap \"site\" not found;",
        "Failed:Error: secret \"key\" not found;",
    ] {
        assert_eq!(told.matches(event).count(), 1, "{told}");
    }
    let _ = world
        .run(&words("create configmap site --from-literal=a=1"))
        .ok();
    let _ = world
        .run(&words("create secret generic key --from-literal=a=1"))
        .ok();
    settled(&world);
    let ready = "get pods -o jsonpath={.items[*].status.containerStatuses[0].ready}";
    assert_eq!(say(&world, ready), "true true[0]");
}

#[test]
fn run_overrides_flag_replaces_generated_fields() {
    let world = World::fresh();
    let overrides = r#"--overrides={"spec":{"containers":[{"name":"side","image":"b"}]}}"#;
    let line = "run p --image=a --override-type=strategic -o";
    let output = "jsonpath={.spec.containers[*].image}";
    let mut all = words(line);
    all.extend([output, overrides]);
    assert_eq!(said(&world, &all), "b a[0]");
    assert_eq!(
        say(&world, "run q --image=a --overrides={"),
        "error: Invalid JSON Patch\n[1]"
    );
}

#[test]
fn expose_and_autoscale_use_the_existing_object() {
    let world = with_web();
    assert_eq!(say(&world, "expose deploy web"), "service/web exposed\n[0]");
    assert_eq!(
        say(
            &world,
            "expose deploy/web --name=out --port=8080 --target-port=http --type=NodePort"
        ),
        "service/out exposed\n[0]"
    );
    assert_eq!(
        say(
            &world,
            "get svc out -o jsonpath={.spec.selector}{.spec.ports[0].targetPort}"
        ),
        "{\"app\":\"web\"}http[0]"
    );
    assert_eq!(
        say(&world, "expose ns default --port=1"),
        "error: cannot expose a Namespace\n[1]"
    );
    assert_eq!(
        say(
            &world,
            "autoscale deploy web --min=2 --max=5 --cpu=80% --memory=100"
        ),
        "horizontalpodautoscaler.autoscaling/web autoscaled\n[0]"
    );
    assert_eq!(
        say(
            &world,
            "get hpa web -o jsonpath={.spec.metrics[*].resource.target}"
        ),
        "{\"averageUtilization\":80,\"type\":\"Utilization\"} \
         {\"averageValue\":\"100Mi\",\"type\":\"AverageValue\"}[0]"
    );
    assert_eq!(
        say(&world, "autoscale deploy web --max=5 --cpu=80%"),
        "Error from server (AlreadyExists): horizontalpodautoscalers.autoscaling \"web\" already \
         exists\n[1]"
    );
}

#[test]
fn drain_refuses_unmanaged_pods_without_force() {
    let world = World::fresh();
    let alone = r#"--overrides={"spec":{"nodeName":"node-0"}}"#;
    let _ = world.run(&["run", "alone", "--image=nginx", alone]).ok();
    settled(&world);
    assert_eq!(
        say(&world, "drain node-0"),
        "node/node-0 cordoned\n\
         error: unable to drain node \"node-0\" due to error: cannot delete Pods that declare no \
         controller (use --force to override): default/alone, continuing command...\n\
         There are pending nodes to be drained:\n node-0\n\
         cannot delete Pods that declare no controller (use --force to override): default/alone\n[1]"
    );
    let said = say(&world, "drain node-0 --force --dry-run=client");
    assert_eq!(
        said,
        "node/node-0 already cordoned (dry run)\n\
         evicting pod default/alone (dry run)\n\
         node/node-0 drained (dry run)\n\
         Warning: deleting Pods that declare no controller: default/alone\n[0]"
    );
    // No kubelet is running that would end the Pod, so the timeout expires.
    let said = say(&world, "drain node-0 --force --timeout=1s");
    assert!(
        said.contains(
            "error when waiting for pod \"alone\" in namespace \"default\" to terminate: context \
             deadline exceeded"
        ),
        "{said}"
    );
    settled(&world);
    assert_eq!(say(&world, "get pods -o name"), "[0]");
    assert_eq!(
        say(&world, "drain node-0"),
        "node/node-0 already cordoned\nnode/node-0 drained\n[0]"
    );
    assert!(say(&world, "drain").starts_with("error: USAGE: drain NODE [flags]\n"));
}

#[test]
fn drain_retries_evictions_blocked_by_a_budget_until_timeout() {
    let world = World::fresh();
    let _ = world
        .run(&words("create deployment web --image=nginx"))
        .ok();
    let _ = world
        .run(&words(
            "create pdb web --selector=app=web --min-available=1",
        ))
        .ok();
    settled(&world);
    let field = |path: &str| {
        let line = format!("get pods -o jsonpath={{.items[0].{path}}}");
        say(&world, &line).trim_end_matches("[0]").to_owned()
    };
    let (pod, node) = (field("metadata.name"), field("spec.nodeName"));
    let ran = world.run(&["drain", &node, "--timeout=1s"]);
    let evicting = format!("evicting pod default/{pod}\n");
    assert_eq!(
        ran.out,
        format!("node/{node} cordoned\n{evicting}{evicting}")
    );
    let what = format!("error when evicting pods/\"{pod}\" -n \"default\"");
    let budget = "Cannot evict pod as it would violate the pod's disruption budget.";
    let over = format!("{what}: global timeout reached: 1s");
    assert_eq!(
        ran.err,
        format!(
            "{what} (will retry after 5s): {budget}\n\
             There are pending pods in node \"{node}\" when an error occurred: {over}\n\
             pod/{pod}\n\
             error: unable to drain node \"{node}\" due to error: {over}, continuing command...\n\
             There are pending nodes to be drained:\n {node}\n{over}\n"
        )
    );
    // The Pod is deleted, because the budget is not checked.
    let said = say(
        &world,
        &format!("drain {node} --disable-eviction --timeout=1s"),
    );
    assert!(
        said.contains("error: context deadline exceeded\n"),
        "{said}"
    );
}

#[test]
fn logs_print_the_output_of_the_container_command() {
    let world = World::fresh();
    let line = "run once --image=busybox --restart=Never -- sh -c";
    let mut all = words(line);
    all.push("echo one; echo two");
    let _ = world.run(&all).ok();
    settled(&world);
    for (line, answer) in [
        ("logs once", "one\ntwo\n[0]"),
        ("logs once --tail=1 --prefix", "[pod/once/once] two\n[0]"),
        ("logs pod/once -f", "one\ntwo\n[0]"),
        ("logs -l run=once --limit-bytes=2", "on[0]"),
        (
            "logs -l run=none",
            "No resources found in default namespace.\n[0]",
        ),
        (
            "logs once -c side",
            "error: container side is not valid for pod once out of: once\n[1]",
        ),
        (
            "logs once -p",
            "Error from server (BadRequest): previous terminated container \"once\" in pod \
             \"once\" not found\n[1]",
        ),
        (
            "exec once -- date",
            "error: cannot exec into a container in a completed pod; current phase is Succeeded\n[1]",
        ),
    ] {
        assert_eq!(say(&world, line), answer, "{line}");
    }
    assert!(say(&world, "logs").starts_with("error: expected 'logs [-f] [-p] (POD | TYPE/NAME)"));
}

#[test]
fn top_shows_annotated_pod_usage() {
    let world = with_web();
    assert_eq!(
        say(&world, "top pod"),
        "error: Metrics API not available\n[1]"
    );
    let first = say(&world, "get pods -o jsonpath={.items[0].metadata.name}");
    let first = first.trim_end_matches("[0]");
    let pod = format!("pod/{first}");
    let _ = world
        .run(&[
            "annotate",
            &pod,
            "ctl.dev/cpu-usage=250m",
            "ctl.dev/memory-usage=64Mi",
        ])
        .ok();
    assert_eq!(
        say(&world, "top pod --no-headers"),
        format!("{first}   250m   64Mi   \n[0]")
    );
    let nodes = say(&world, "top node --sort-by=cpu --no-headers");
    assert!(nodes.contains("250m"), "{nodes}");
    assert_eq!(
        say(&world, "top pod nope"),
        "Error from server (NotFound): podmetrics.metrics.k8s.io \"default/nope\" not found\n[1]"
    );
}

#[test]
fn events_are_listed_for_one_object() {
    let world = with_web();
    let said = say(&world, "events --for deploy/web --no-headers");
    assert!(
        said.contains("ScalingReplicaSet   Deployment/web   Scaled up"),
        "{said}"
    );
    assert_eq!(
        say(&world, "events --types=Warning"),
        "No events found in default namespace.\n[0]"
    );
    assert_eq!(
        say(&world, "events --types=Odd"),
        "error: valid --types are Normal or Warning\n[1]"
    );
}

#[test]
fn a_connection_tells_that_nobody_listens_at_a_forwarded_port() {
    let world = with_web();
    let mut command = world.command();
    command.args(["port-forward", "deploy/web", "--address=127.0.0.1", ":80"]);
    let piped = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().unwrap();
    let mut first = String::new();
    let mut out = BufReader::new(child.stdout.as_mut().unwrap());
    out.read_line(&mut first).unwrap();
    let local = first.trim().strip_prefix("Forwarding from ").unwrap();
    let local = local.strip_suffix(" -> 80").unwrap();
    let mut client = TcpStream::connect(local).unwrap();
    assert_eq!(client.read(&mut [0]).unwrap_or(0), 0);
    let ran = collect(child);
    assert_eq!(ran.code, 1, "{ran:?}");
    let port = local.rsplit(':').next().unwrap();
    let told =
        format!("an error occurred forwarding {port} -> 80: error forwarding port 80 to pod web-");
    assert!(ran.err.starts_with(&told), "{ran:?}");
    assert!(ran.err.contains(": connect: connection refused"), "{ran:?}");
    assert!(
        ran.err.ends_with("\nerror: lost connection to pod\n"),
        "{ran:?}"
    );
}

#[test]
fn exec_runs_commands() {
    let world = with_web();
    assert_eq!(say(&world, "exec deploy/web -- echo hi"), "hi\n[0]");
    for (line, answer) in [
        (
            "exec nope -- date",
            "Error from server (NotFound): pods \"nope\" not found\n[1]",
        ),
        (
            "exec deploy/web date",
            "error: exec [POD] [COMMAND] is not supported anymore. Use exec [POD] -- [COMMAND] \
             instead\nSee 'ctl exec -h' for help and examples\n[1]",
        ),
        (
            "cp a b",
            "error: one of src or dest must be a remote file specification\n[1]",
        ),
        (
            "exec ns/default -- date",
            "error: cannot attach to *v1.Namespace: selector for *v1.Namespace not implemented\n[1]",
        ),
    ] {
        assert_eq!(say(&world, line), answer, "{line}");
    }
}

#[test]
fn proxy_listens_only_on_loopback() {
    let world = World::fresh();
    for (line, answer) in [
        (
            "proxy --port=1 --unix-socket=s",
            "error: cannot set --unix-socket and --port at the same time\n[1]",
        ),
        (
            "proxy --www=.",
            "error: --www: cannot be served from a directory; use a port\n[1]",
        ),
        (
            "proxy --port=70000",
            "error: listen tcp: address 70000: invalid port\n[1]",
        ),
    ] {
        assert_eq!(say(&world, line), answer, "{line}");
    }
    let said = say(&world, "proxy --address=0.0.0.0 --port=0");
    assert!(said.starts_with("error: listen tcp 0.0.0.0:0: "), "{said}");
    let proxy = Server::run(&world, &["proxy", "--port=0"]);
    let answer = proxy.client().get("/api/v1/namespaces/default");
    assert_eq!(answer.ok()["metadata"]["name"], "default");
    let ran = proxy.stop();
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{ran:?}");
}
