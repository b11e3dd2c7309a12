//! Tests kube-rs against `ctl serve --controllers`, as a Rust operator uses it: derived kinds, a Controller, streaming
//! lists, server-side apply, and commands in containers. Connections use TLS, with the kubeconfig that the server
//! writes.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use futures::{StreamExt as _, TryStreamExt as _};
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{AttachParams, DeleteParams, Patch, PatchParams, PostParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::runtime::controller::Action;
use kube::runtime::wait::{await_condition, conditions};
use kube::runtime::{Controller, watcher};
use kube::{
    Api, Client, Config, CustomResource, CustomResourceExt as _, Resource as _, ResourceExt as _,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::io::AsyncReadExt as _;

/// The limit on any wait.
const PATIENCE: Duration = Duration::from_secs(30);

#[derive(CustomResource, Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[kube(
    group = "example.com",
    version = "v1",
    kind = "Boat",
    namespaced,
    status = "BoatStatus"
)]
struct BoatSpec {
    color: String,
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
struct BoatStatus {
    painted: Option<String>,
}

/// Returns the program to test: the one in the variable CTL, or the debug build of this repository.
fn program() -> PathBuf {
    let built = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/debug/ctl");
    std::env::var_os("CTL").map_or_else(|| built.into(), PathBuf::from)
}

/// A server that is stopped when the value is dropped.
struct Server {
    child: Child,
    dir: tempfile::TempDir,
}

impl Server {
    fn start() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let kubeconfig = dir.path().join("kubeconfig");
        let mut command = Command::new(program());
        let serve = [
            "serve",
            "--controllers",
            "--store",
            "memory:",
            "--listen",
            "127.0.0.1:0",
        ];
        command.args(serve).arg("--kubeconfig").arg(kubeconfig);
        command.env_clear().env("HOME", dir.path());
        let piped = command.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = piped.spawn().unwrap();
        // The kubeconfig is written before the first line.
        let mut first = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut first).unwrap();
        Self { child, dir }
    }

    async fn client(&self) -> Client {
        client(&self.dir.path().join("kubeconfig")).await
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

async fn client(kubeconfig: &Path) -> Client {
    let read = Kubeconfig::read_from(kubeconfig).unwrap();
    let options = KubeConfigOptions::default();
    let config = Config::from_custom_kubeconfig(read, &options).await;
    Client::try_from(config.unwrap()).unwrap()
}

/// Runs a test on a separate server, with a time limit.
fn with_server<F: Future<Output = ()>>(test: impl FnOnce(Client) -> F) {
    let server = Server::start();
    let runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = { runtime }.worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let client = server.client().await;
        tokio::time::timeout(PATIENCE, test(client)).await.unwrap();
    });
}

fn by(manager: &str) -> PatchParams {
    PatchParams::apply(manager)
}

fn map(name: &str, value: &str) -> serde_json::Value {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"color": value},
    })
}

async fn define(client: &Client) {
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let definition = Patch::Apply(Boat::crd());
    let applied = definitions
        .patch("boats.example.com", &by("tests"), &definition)
        .await;
    applied.unwrap();
    let established = conditions::is_crd_established();
    let waits = await_condition(definitions, "boats.example.com", established);
    waits.await.unwrap();
}

#[derive(Debug, thiserror::Error)]
#[error(transparent)]
struct Failure(#[from] kube::Error);

/// Creates the ConfigMap of a boat, and reports it in the boat's status.
async fn paint(boat: Arc<Boat>, client: Arc<Client>) -> Result<Action, Failure> {
    let name = boat.name_any();
    let namespace = boat.namespace().unwrap();
    let maps: Api<ConfigMap> = Api::namespaced(Client::clone(&client), &namespace);
    let mut wanted = map(&name, &boat.spec.color);
    wanted["metadata"]["ownerReferences"] = json!([boat.controller_owner_ref(&())]);
    maps.patch(&name, &by("painter").force(), &Patch::Apply(wanted))
        .await?;
    let boats: Api<Boat> = Api::namespaced(Client::clone(&client), &namespace);
    let status = json!({"status": {"painted": boat.spec.color}});
    boats
        .patch_status(&name, &PatchParams::default(), &Patch::Merge(status))
        .await?;
    Ok(Action::await_change())
}

fn retry(_: Arc<Boat>, _: &Failure, _: Arc<Client>) -> Action {
    Action::requeue(Duration::from_millis(100))
}

fn is_painted(color: &'static str) -> impl Fn(Option<&Boat>) -> bool {
    move |boat| {
        let status = boat.and_then(|boat| boat.status.as_ref());
        status.and_then(|status| status.painted.as_deref()) == Some(color)
    }
}

#[test]
fn a_controller_reconciles_a_derived_kind() {
    with_server(|client| async move {
        define(&client).await;
        let boats: Api<Boat> = Api::default_namespaced(client.clone());
        let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
        let streaming = watcher::Config::default().streaming_lists();
        let controller = Controller::new(boats.clone(), streaming.clone())
            .owns(maps.clone(), streaming)
            .run(paint, retry, Arc::new(client.clone()))
            // Errors are expected: a boat may be deleted in the meantime and is then not found.
            .for_each(|_| async {});
        let running = tokio::spawn(controller);

        let boat = Boat::new(
            "ann",
            BoatSpec {
                color: "red".to_owned(),
            },
        );
        boats.create(&PostParams::default(), &boat).await.unwrap();
        let waits = await_condition(boats.clone(), "ann", is_painted("red"));
        waits.await.unwrap();
        let made = maps.get("ann").await.unwrap();
        assert_eq!(made.data.unwrap()["color"], "red");
        assert_eq!(made.metadata.owner_references.unwrap()[0].kind, "Boat");

        let blue = Patch::Merge(json!({"spec": {"color": "blue"}}));
        let patched = boats.patch("ann", &PatchParams::default(), &blue).await;
        assert_eq!(patched.unwrap().spec.color, "blue");
        let waits = await_condition(boats.clone(), "ann", is_painted("blue"));
        waits.await.unwrap();

        // The ConfigMap is recreated, and later deleted with its owner.
        maps.delete("ann", &DeleteParams::default()).await.unwrap();
        let exists = |map: Option<&ConfigMap>| map.is_some();
        await_condition(maps.clone(), "ann", exists).await.unwrap();
        boats.delete("ann", &DeleteParams::default()).await.unwrap();
        let gone = |map: Option<&ConfigMap>| map.is_none();
        await_condition(maps, "ann", gone).await.unwrap();
        assert!(!running.is_finished());
        running.abort();
    });
}

#[test]
fn streaming_list_returns_initial_objects_and_then_changes() {
    with_server(|client| async move {
        let maps: Api<ConfigMap> = Api::default_namespaced(client);
        for name in ["a", "b"] {
            let map = serde_json::from_value(map(name, "red")).unwrap();
            maps.create(&PostParams::default(), &map).await.unwrap();
        }
        let named = watcher::Config::default().fields("metadata.name!=kube-root-ca.crt");
        let mut events = watcher(maps.clone(), named.streaming_lists()).boxed();
        let mut seen = Vec::new();
        while let Some(event) = events.try_next().await.unwrap() {
            let done = matches!(event, watcher::Event::Delete(_));
            seen.push(match event {
                watcher::Event::Init => "init".to_owned(),
                watcher::Event::InitApply(map) => format!("found {}", map.name_any()),
                watcher::Event::Apply(map) => format!("applied {}", map.name_any()),
                watcher::Event::Delete(map) => format!("deleted {}", map.name_any()),
                watcher::Event::InitDone => {
                    maps.delete("b", &DeleteParams::default()).await.unwrap();
                    "all".to_owned()
                }
            });
            if done {
                break;
            }
        }
        assert_eq!(seen, ["init", "found a", "found b", "all", "deleted b"]);
    });
}

#[test]
fn server_side_apply_refuses_conflicts_and_frees_fields() {
    with_server(|client| async move {
        let maps: Api<ConfigMap> = Api::default_namespaced(client);
        let apply = async |manager: PatchParams, value: &str| {
            maps.patch("paint", &manager, &Patch::Apply(map("paint", value)))
                .await
        };
        apply(by("ann"), "red").await.unwrap();
        let Err(kube::Error::Api(refused)) = apply(by("ben"), "blue").await else {
            panic!("no conflict");
        };
        assert_eq!((refused.code, &*refused.reason), (409, "Conflict"));
        assert!(
            refused
                .message
                .contains("conflict with \"ann\": .data.color"),
            "{refused:?}"
        );
        let forced = apply(by("ben").force(), "blue").await.unwrap();
        assert_eq!(forced.data.unwrap()["color"], "blue");
        // An apply without a field gives up the ownership of that field.
        let mut nothing = map("paint", "");
        nothing["data"] = json!({});
        let freed = maps
            .patch("paint", &by("ben"), &Patch::Apply(nothing))
            .await
            .unwrap();
        assert_eq!(freed.data.unwrap_or_default().len(), 0);
    });
}

#[test]
fn commands_run_in_containers() {
    with_server(|client| async move {
        let pods: Api<Pod> = Api::default_namespaced(client);
        let pod = json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "inside"},
            "spec": {"containers": [{"name": "web", "image": "nginx"}]},
        });
        let pod = serde_json::from_value(pod).unwrap();
        pods.create(&PostParams::default(), &pod).await.unwrap();
        let running = conditions::is_pod_running();
        await_condition(pods.clone(), "inside", running)
            .await
            .unwrap();
        let command = ["sh", "-c", "echo $HOSTNAME; exit 4"];
        let streams = AttachParams::default().stderr(false);
        let mut process = pods.exec("inside", command, &streams).await.unwrap();
        let mut out = String::new();
        let mut stdout = process.stdout().unwrap();
        stdout.read_to_string(&mut out).await.unwrap();
        assert_eq!(out, "inside\n");
        let status = process.take_status().unwrap().await.unwrap();
        assert_eq!(status.reason.as_deref(), Some("NonZeroExitCode"));
        let causes = status.details.unwrap().causes.unwrap();
        assert_eq!(causes[0].message.as_deref(), Some("4"));
    });
}
