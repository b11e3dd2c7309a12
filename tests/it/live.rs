//! Tests `ctl import --kubeconfig`: imports the objects of a live cluster, which is a `ctl serve` of another directory
//! here.

use std::process::{Child, Stdio};
use std::time::Duration;

use ctl::sys::clock::Stopwatch;
use rustix::process::Signal;

use crate::support::http::Server;
use crate::support::race::{Messages, signal, write_file};
use crate::support::{CommandOutput, World, collect};

/// Returns a cluster with three Pods, a custom resource and a Secret, and one for the copy.
fn worlds() -> (World, World) {
    let (source, copy) = (World::fresh(), World::new());
    let definition = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: tools.x.io}
spec:
  group: x.io
  scope: Namespaced
  names: {plural: tools, singular: tool, kind: Tool, listKind: ToolList}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
";
    let file = source.outside("crd.yaml");
    write_file(&file, definition);
    let tool = source.outside("tool.yaml");
    write_file(
        &tool,
        "{apiVersion: x.io/v1, kind: Tool, metadata: {name: saw}, size: 3}",
    );
    for args in [
        &["create", "deployment", "web", "--image=i", "--replicas=3"][..],
        &[
            "create",
            "secret",
            "generic",
            "s",
            "--from-literal=key=hidden",
        ],
        &["apply", "-f", file.to_str().unwrap()],
        &["settle"],
        &["apply", "-f", tool.to_str().unwrap()],
    ] {
        let _ = source.run(args).ok();
    }
    (source, copy)
}

/// Serves the cluster with TLS at an address, and writes the kubeconfig.
fn serve(source: &World, listen: &str) -> Server {
    let file = source.outside("live");
    let file = file.to_str().unwrap();
    Server::run(source, &["serve", "--listen", listen, "--kubeconfig", file])
}

/// A running recording, which is stopped when the value is dropped, even in a failed test.
struct Recording(Option<Child>);

impl Drop for Recording {
    fn drop(&mut self) {
        if let Some(mut child) = self.0.take() {
            drop(child.kill());
            drop(child.wait());
        }
    }
}

fn watch(source: &World, copy: &World) -> Recording {
    let file = source.outside("live");
    let mut command = copy.command();
    command
        .args(["import", "--watch", "--kubeconfig"])
        .arg(file);
    let piped = command.stdin(Stdio::null()).stdout(Stdio::piped());
    Recording(Some(piped.stderr(Stdio::piped()).spawn().unwrap()))
}

/// Runs a command on the copy until it prints the text.
#[track_caller]
fn until(copy: &World, args: &[&str], text: &str) {
    let begin = Stopwatch::start();
    loop {
        let ran = copy.run(args);
        if ran.out.contains(text) {
            return;
        }
        assert!(begin.elapsed() < Duration::from_secs(60), "{text}: {ran:?}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn stop(mut recording: Recording) -> CommandOutput {
    let child = recording.0.take().unwrap();
    signal(&child, Signal::INT);
    collect(child)
}

#[test]
fn a_live_cluster_is_copied_over_tls_without_its_secrets() {
    let (source, copy) = worlds();
    let server = serve(&source, "127.0.0.1:0");
    let file = source.outside("live");
    let file = file.to_str().unwrap();
    let before = source.run(&["log", "-o", "json"]).ok();
    let told = copy.run(&["import", "--kubeconfig", file]).ok();
    assert!(told.starts_with("imported "), "{told}");
    for args in [
        &["get", "pods", "-o", "jsonpath={.items[*].metadata.uid}"][..],
        &["get", "tools", "-o", "jsonpath={.items[*].size}"],
        &["get", "nodes", "-o", "jsonpath={.items[*].status.capacity}"],
        &[
            "get",
            "rs",
            "-o",
            "jsonpath={.items[*].metadata.ownerReferences}",
        ],
    ] {
        assert_eq!(copy.run(args).ok(), source.run(args).ok(), "{args:?}");
    }
    let value = ["get", "secret", "s", "-o", "jsonpath={.data.key}"];
    assert_eq!(copy.run(&value).ok(), "UkVEQUNURUQ=");
    // The import wrote nothing to the source, and the copy is settled like the original.
    assert_eq!(source.run(&["log", "-o", "json"]).ok(), before);
    let whole = World::new();
    let _ = whole
        .run(&["import", "--kubeconfig", file, "--secrets"])
        .ok();
    assert_eq!(whole.run(&value).ok(), "aGlkZGVu");
    let away = copy.run(&["import", "--kubeconfig", file, "--context", "none"]);
    assert!(away.fails().contains("context \"none\" does not exist"));
    drop(server);
    let away = copy.run(&["import", "--kubeconfig", file]).fails();
    assert!(away.contains("connect: connection refused"), "{away}");
}

#[test]
fn recording_continues_across_a_server_restart() {
    let (source, copy) = worlds();
    let server = serve(&source, "127.0.0.1:0");
    let address = server.address.clone();
    let mut child = watch(&source, &copy);
    let mut messages = Messages::from_child(child.0.as_mut().unwrap());
    until(&copy, &["get", "deployments"], "web");
    let label = ["label", "deployment", "web", "seen=yes"];
    let _ = source.run(&label).ok();
    until(&copy, &["get", "deployments", "--show-labels"], "seen=yes");
    let _ = source.run(&["delete", "secret", "s"]).ok();
    until(&copy, &["log", "secret/s"], "recorded");
    // Changes during the absence of the server appear in the next list or watch.
    server.stop().must_not_crash();
    let _ = source.run(&["label", "deployment", "web", "away=yes"]).ok();
    // A recorder that is late would not notice the absence.
    messages.until("trying again\n");
    let server = serve(&source, &address);
    until(&copy, &["get", "deployments", "--show-labels"], "away=yes");
    // Each change is a commit with the manager that made it.
    let log = copy.run(&["log", "deployment/web"]).ok();
    assert!(log.contains("label"), "{log}");
    let ran = stop(child);
    let text = messages.all();
    assert_eq!(ran.code, 0, "{ran:?}: {text}");
    assert!(text.contains("recording the changes of "), "{text}");
    assert!(
        ran.out.contains("recorded ") && ran.out.contains(" up to revision "),
        "{ran:?}"
    );
    drop(server);
}
