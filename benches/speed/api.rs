//! Measures the API server in-process: patches, new objects, and lists.

use std::path::Path;
use std::time::Duration;

use ctl::api::patch::apply::{Writer, apply, capture};
use ctl::api::patch::strategic;
use ctl::api::yaml;
use ctl::cluster::{
    Cluster, FieldValidation, ListOptions, Open, Place, Request, Settings, WriteOptions,
};
use ctl::kinds::schema::{self, patch_shape};
use ctl::kinds::strategy::reset_fields;
use ctl::kinds::{Kind, find, shape, validate};
use ctl::store::{Batch, Expect, Op};
use ctl::sys::clock::Stopwatch;
use ctl::sys::entropy::Seed;

use crate::Size;
use crate::sample;
use crate::scratch::Scratch;
use crate::table::{Table, median, ms, us};
use ctl::api::json::{Value, json};
/// Returns the median time of a run.
fn each<T>(rounds: usize, mut work: impl FnMut() -> T) -> Duration {
    let run = |_| {
        let stopwatch = Stopwatch::start();
        std::hint::black_box(work());
        stopwatch.elapsed()
    };
    median((0..rounds.max(3)).map(run).collect())
}

fn container(n: usize) -> Value {
    let env = |i: usize| json!({"name": format!("VARIABLE_{i}"), "value": format!("value-{i}")});
    let probe = |path: &str| json!({"httpGet": {"path": path, "port": 8080}, "periodSeconds": 5});
    json!({
        "name": format!("c{n}"), "image": format!("registry.example/team/image-{n}:1.0"),
        "command": ["/bin/server", "--verbose"],
        "env": (0..8).map(env).collect::<Vec<_>>(),
        "ports": [{"containerPort": 8080 + n, "name": format!("http{n}")}],
        "resources": {"limits": {"cpu": "500m", "memory": "256Mi"},
            "requests": {"cpu": "100m", "memory": "64Mi"}},
        "livenessProbe": probe("/live"), "readinessProbe": probe("/ready"),
        "volumeMounts": [{"name": "config", "mountPath": "/etc/config"},
            {"name": "data", "mountPath": "/data"}],
    })
}

/// Returns a Deployment whose stored form is 300 lines of YAML.
fn deployment() -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "default", "labels": {"app": "web", "tier": "front"},
            "annotations": {"note": "a Deployment of some size"}},
        "spec": {"replicas": 3, "selector": {"matchLabels": {"app": "web"}},
            "template": {"metadata": {"labels": {"app": "web", "tier": "front"}},
                "spec": {"containers": (0..4).map(container).collect::<Vec<_>>(),
                    "volumes": [{"name": "config", "configMap": {"name": "web"}},
                        {"name": "data", "emptyDir": {}}],
                    "tolerations": [{"key": "dedicated", "operator": "Exists"}]}}},
    })
}

fn writer<'a>(kind: &Kind, manager: &'a str, api_version: &'a str) -> Writer<'a> {
    let schema = schema::of_kind(kind.group, kind.version, kind.kind).unwrap();
    Writer {
        manager,
        api_version,
        subresource: "",
        time: "2026-01-01T00:00:00Z",
        reset: reset_fields(kind, ""),
        empty: schema.empty(),
    }
}

/// Measures strategic merge and server-side apply of a 300-line Deployment, and the recording of its owners.
pub(crate) fn patches(table: &mut Table, size: Size) {
    let kind = find("apps", "v1", "Deployment").unwrap();
    let shape = patch_shape(kind).unwrap();
    let config = deployment();
    let mut stored = shape::read(kind, &config).unwrap().object;
    stored["metadata"]["uid"] = json!("u");
    let lines = yaml::to_string(&stored).lines().count();
    assert!((280..330).contains(&lines), "{lines} lines");
    let rounds = size.rounds * 5;
    let limit = Duration::from_micros(150);
    let mut row = |what: &str, time: Duration| {
        table.row(what, &us(time), "", "150 us", time <= limit);
    };

    let change = json!({"spec": {"template": {"spec": {"containers": [
        {"name": "c2", "image": "registry.example/team/image-2:1.1"}]}}}});
    let merged = each(rounds, || {
        strategic::apply(stored.clone(), &change, &shape).unwrap()
    });
    row("strategic merge into a 300-line Deployment", merged);
    let full = each(rounds, || {
        strategic::apply(stored.clone(), &config, &shape).unwrap()
    });
    row("strategic merge of a 300-line Deployment", full);

    let by = writer(kind, "bench", "apps/v1");
    let live = apply(by.empty, &config, &shape, &by, false).unwrap();
    let mut live = shape::read(kind, &live).unwrap().object;
    live["metadata"]["uid"] = json!("u");
    let mut next = config.clone();
    next["spec"]["template"]["spec"]["containers"][2]["image"] = json!("other:2");
    let applied = each(rounds, || apply(&live, &next, &shape, &by, false).unwrap());
    row("server-side apply of a 300-line Deployment", applied);
    next["spec"]["template"]["spec"]["containers"][1]["env"] = json!([]);
    let pruned = each(rounds, || apply(&live, &next, &shape, &by, false).unwrap());
    row("server-side apply that removes fields", pruned);
    let captured = each(rounds, || {
        let mut new = stored.clone();
        capture(by.empty, &mut new, &shape, &by);
        new
    });
    row("field owners of a new 300-line Deployment", captured);
}

pub(crate) fn open(dir: &Path) -> Cluster {
    let (cluster, _) = Cluster::init(dir, Open::default(), Settings::new(Seed(1))).unwrap();
    cluster.bootstrap().unwrap();
    cluster
}

fn pod(n: usize) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": format!("web-{n:06}"),
            "labels": {"app": "web", "pod-template-hash": "7d8f9c6b5d"}},
        "spec": {"containers": [{
            "name": "web", "image": "nginx:1.25", "ports": [{"containerPort": 80, "name": "http"}],
            "resources": {"limits": {"cpu": "500m", "memory": "128Mi"},
                "requests": {"cpu": "250m"}},
        }]},
    })
}

/// Measures the creation of Pods without the commit.
pub(crate) fn creates(table: &mut Table, size: Size) {
    let dir = Scratch::new();
    let cluster = open(dir.path());
    let kind = find("", "v1", "Pod").unwrap();
    let request = |n: usize| {
        let options = WriteOptions {
            dry_run: true,
            field_validation: FieldValidation::Strict,
            ..WriteOptions::default()
        };
        Request::create(Place::new(kind, "default"), pod(n)).with(options)
    };
    let count = size.objects.min(1000);
    let requests: Vec<_> = (0..count).map(request).collect();
    let all = each(7, || {
        let answers = cluster.batch("bench", None, &requests).unwrap();
        assert!(answers.iter().all(Result::is_ok));
    });
    let one = all / u32::try_from(count).unwrap();
    let limit = Duration::from_micros(60);
    table.row(
        "create a Pod, before the commit",
        &us(one),
        "",
        "60 us",
        one <= limit,
    );
    let objects: Vec<Value> = (0..size.objects).map(pod).collect();
    let all = each(3, || {
        for object in &objects {
            let mut object = shape::read(kind, object).unwrap().object;
            object["metadata"]["namespace"] = json!("default");
            assert_eq!(validate::create(kind, &object), []);
        }
    });
    let what = format!("default and validate {} Pods", size.objects);
    let limit = Duration::from_millis(600);
    table.row(&what, &ms(all), "", "600 ms", all <= limit);
}

/// Measures a list by label in a cluster of many Pods, of which the label selects one percent.
pub(crate) fn lists(table: &mut Table, size: Size) {
    let dir = Scratch::new();
    let state = dir.path().join("state");
    std::fs::create_dir(&state).unwrap();
    let cluster = open(&state);
    fill(&state, size.objects);
    let place = Place::new(find("", "v1", "Pod").unwrap(), "default");
    let options = ListOptions {
        labels: "slice=7".to_owned(),
        ..ListOptions::default()
    };
    let list = || {
        let page = cluster.select(&place, &options).unwrap();
        assert_eq!(page.items.len(), size.objects.div_ceil(100));
    };
    list();
    let time = each(9, list);
    let what = format!("list by a label in {} Pods, warm", size.objects);
    let limit = Duration::from_millis(20);
    table.row(&what, &ms(time), "", "20 ms", time <= limit);
}

fn fill(state: &Path, count: usize) {
    use ctl::store::Store as _;
    let store = sample::store(state);
    let names: Vec<usize> = (0..count).collect();
    for part in names.chunks(1000) {
        let op = |n: &usize| {
            let mut pod: Value =
                serde_json::from_slice(&sample::pod(&format!("web-{n:06}"), 0)).unwrap();
            pod["metadata"]["labels"]["slice"] = json!((n % 100).to_string());
            let json = serde_json::to_vec(&pod).unwrap();
            Op::put(sample::key(&format!("web-{n:06}")), json, Expect::Any)
        };
        let ops = part.iter().map(op).collect();
        store.commit(&sample::cause(), Batch::new(ops)).unwrap();
    }
}
