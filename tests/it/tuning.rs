//! Tests the settings of `--config`: each key must have an effect.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

use ctl::cluster::{
    ApiFault, ClockMode, Cluster, HistoryQuery, Open, Place, PodMode, Revision, WriteOptions,
};
use ctl::runtime::{
    Config, Configs, Controller, Manager, Outcome, Plan, PlannedWrite, ReconcileContext, Until,
    Watch,
};
use ctl::sys::clock::Stopwatch;
use jiff::{SignedDuration, Timestamp};

use crate::self_running::new_cluster;
use crate::support::World;
use ctl::api::json::json;

/// A controller that labels ConfigMaps, but fails on those called `bad`.
struct Labeller;

impl Controller for Labeller {
    fn name(&self) -> &'static str {
        "labeller"
    }

    fn watches(&self) -> Vec<Watch> {
        vec![Watch::own(config_maps())]
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        let mut plan = Plan::done();
        let Some(map) = context.cache.by_key(config_maps(), context.key) else {
            return plan;
        };
        if map.name() == "bad" {
            plan.error = Some("it is bad".to_owned());
        } else if map.label("seen").is_empty() {
            let patch = json!({"metadata": {"labels": {"seen": "yes"}}});
            plan.changes
                .push(PlannedWrite::merge(map, patch, "label: it has none"));
        }
        plan
    }
}

fn config_maps() -> &'static ctl::cluster::Kind {
    ctl::kinds::find("", "v1", "ConfigMap").unwrap()
}

fn config(text: &str) -> Config {
    let text = format!("controllers: {{labeller: {{{text}}}}}");
    Configs::read(&text).unwrap().of("labeller")
}

fn make(cluster: &Cluster, namespace: &str, name: &str) {
    let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}});
    let place = Place::new(config_maps(), namespace);
    cluster
        .create(&place, &object, &WriteOptions::default())
        .unwrap();
}

/// Returns the times at which the labeller reconciled keys with a name until it settled.
fn looks(cluster: &Cluster, config: Config, name: &str, pass: Option<i64>) -> Vec<Timestamp> {
    let mut manager = Manager::new(cluster, vec![Box::new(Labeller)], &|_| config);
    let seen = Rc::new(RefCell::new(Vec::new()));
    let (into, name) = (Rc::clone(&seen), name.to_owned());
    manager.observe(Box::new(move |look| {
        if *look.key.name == *name {
            into.borrow_mut().push(look.now);
        }
    }));
    manager.load().unwrap();
    let until = Until {
        pass: pass.map(SignedDuration::from_secs),
        timeout: Some(Duration::from_secs(60)),
    };
    let outcome = manager.settle(&until, &|| false).unwrap();
    assert!(!matches!(outcome, Outcome::Oscillating(_)), "{outcome:?}");
    drop(manager);
    seen.take()
}

/// Returns the number of the labeller's commits after a revision.
fn commits(cluster: &Cluster, after: Revision) -> usize {
    let past = HistoryQuery {
        after,
        ..HistoryQuery::default()
    };
    let history = cluster.stored().history(&past).unwrap();
    history
        .iter()
        .filter(|c| c.cause.writer == "labeller")
        .count()
}

#[test]
fn the_example_loads_and_has_every_key() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/controllers.yaml");
    let text = std::fs::read_to_string(path).unwrap();
    let configs = Configs::read(&text).unwrap();
    // The defaults in the example equal those of the program.
    assert_eq!(configs.of("replicaset"), Config::default());
    assert_eq!(configs.of("kubelet").qps, Some(50.0));
    assert_eq!(configs.of("endpointslice").shard, Some((0, 2)));
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/controllers.md");
    let docs = std::fs::read_to_string(docs).unwrap();
    for key in [
        "workers",
        "queueSize",
        "clientQPS",
        "clientBurst",
        "maxRetries",
        "retryBackoff",
        "resyncPeriod",
        "shard",
    ] {
        assert!(
            text.contains(&format!("  {key}: ")),
            "{key} is not in the example"
        );
        assert!(
            docs.contains(&format!("`{key}`")),
            "{key} is not in the docs"
        );
    }
    let world = World::fresh();
    let _ = world.run(&["controllers", "--once", "--config", path]).ok();
    let wrong = world.outside("wrong.yaml");
    for (text, words) in [
        (
            "controllers: {deploymint: {workers: 1}}",
            "unknown controller \"deploymint\"",
        ),
        (
            "defaults: {retryBackoff: often}",
            "must be two durations like 1s-5m",
        ),
        ("defaults: {wokers: 1}", "unknown field"),
    ] {
        crate::support::race::write_file(&wrong, text);
        let ran = world.run(&["controllers", "--once", "--config", wrong.to_str().unwrap()]);
        let error = ran.fails();
        assert!(
            error.contains(words) && error.contains("wrong.yaml"),
            "{error}"
        );
    }
}

#[test]
fn workers_limit_the_keys_of_a_commit() {
    for (workers, most) in [(1, 12), (4, 5), (5000, 3)] {
        let (cluster, _directory) = new_cluster(PodMode::Default);
        for number in 0..8 {
            make(&cluster, "default", &format!("m{number}"));
        }
        let start = cluster.stored().revision().unwrap();
        let _ = looks(&cluster, config(&format!("workers: {workers}")), "m0", None);
        let commits = commits(&cluster, start);
        assert!(
            commits <= most && commits > most / 2 - 1,
            "{workers}: {commits} commits"
        );
    }
}

#[test]
fn shards_divide_the_namespaces() {
    let (cluster, _directory) = new_cluster(PodMode::Default);
    let namespaces = ctl::kinds::find("", "v1", "Namespace").unwrap();
    for number in 0..8 {
        let name = format!("n{number}");
        let object = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
        let place = Place::new(namespaces, "");
        cluster
            .create(&place, &object, &WriteOptions::default())
            .unwrap();
        make(&cluster, &name, "m");
    }
    let labeled = || -> BTreeSet<String> {
        let list = cluster
            .list(&Place::new(config_maps(), ""), &|_| true, None)
            .unwrap();
        let seen = list
            .items
            .into_iter()
            .filter(|o| o["metadata"]["labels"]["seen"] == "yes");
        let of_test = seen.filter(|o| o["metadata"]["name"] == "m");
        of_test
            .map(|o| o["metadata"]["namespace"].to_string())
            .collect()
    };
    let _ = looks(&cluster, config("shard: 0/2"), "m", None);
    let half = labeled();
    assert!((1..8).contains(&half.len()), "{half:?}");
    let _ = looks(&cluster, config("shard: 1/2"), "m", None);
    assert_eq!(labeled().len(), 8);
    assert!(labeled().is_superset(&half));
}

#[test]
fn failures_are_retried_by_max_retries_and_backoff() {
    let (cluster, _directory) = new_cluster(PodMode::Default);
    make(&cluster, "default", "bad");
    let tries = looks(
        &cluster,
        config("maxRetries: 3, retryBackoff: 7s-10s"),
        "bad",
        Some(100),
    );
    let seconds = |looks: &[Timestamp]| -> Vec<i64> {
        let gaps = looks
            .windows(2)
            .map(|pair| pair[1].duration_since(pair[0]).as_secs());
        gaps.collect()
    };
    // The first try is immediate, the second comes after the base, and the third after the maximum.
    assert_eq!(seconds(&tries), [0, 7, 10]);
    let tries = looks(&cluster, config("retryBackoff: 7s-10s"), "bad", Some(100));
    assert_eq!(seconds(&tries)[..5], [0, 7, 10, 10, 10]);
    assert!(tries.len() > 9);
}

/// Returns the seconds between reconciles of a ConfigMap whose write the API always rejects with this code.
fn gaps_of(code: u16) -> Vec<i64> {
    let (mut cluster, _directory) = new_cluster(PodMode::Default);
    make(&cluster, "default", "m");
    let fault = ApiFault {
        verbs: vec!["patch".to_owned()],
        resources: vec!["configmaps".to_owned()],
        rate: 1.0,
        code: Some(code),
        ..ApiFault::default()
    };
    cluster.configure().set_fault(fault).unwrap();
    let tries = looks(&cluster, Config::default(), "m", Some(1500));
    let gaps = tries.windows(2).map(|pair| pair[1].duration_since(pair[0]));
    gaps.map(|gap| gap.as_secs()).collect()
}

#[test]
fn rejected_writes_are_retried_by_status_code() {
    let passing = [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300];
    for code in [429, 500, 503, 504] {
        assert_eq!(gaps_of(code), passing, "{code}");
    }
    assert_eq!(gaps_of(409)[..12], [0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64]);
    // The controller cannot resolve these errors itself, so they have the back-off of client-go's queues: 5 ms, doubled
    // each time. Less than a second counts as 0 here.
    let refused = [
        0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 5, 10, 20, 40, 81, 163, 327, 655,
    ];
    for code in [403, 404] {
        assert_eq!(gaps_of(code), refused, "{code}");
    }
}

#[test]
fn resync_period_reconciles_without_changes() {
    let (cluster, _directory) = new_cluster(PodMode::Default);
    make(&cluster, "default", "m");
    assert_eq!(
        looks(&cluster, config("resyncPeriod: 0s"), "m", Some(600)).len(),
        2
    );
    let often = looks(&cluster, config("resyncPeriod: 1m"), "m", Some(600));
    assert!((10..=12).contains(&often.len()), "{often:?}");
}

#[test]
fn client_qps_limits_the_write_rate() {
    let run = |text: &str| {
        let (mut cluster, directory) = new_cluster(PodMode::Default);
        cluster.configure().set_clock(ClockMode::System).unwrap();
        let cluster = Cluster::open(directory.path(), Open::as_writer("test")).unwrap();
        for number in 0..6 {
            make(&cluster, "default", &format!("m{number}"));
        }
        let watch = Stopwatch::start();
        let _ = looks(&cluster, config(text), "m0", None);
        watch.elapsed()
    };
    let slow = run("workers: 1, clientQPS: 5, clientBurst: 1");
    assert!(slow > Duration::from_secs(1), "{slow:?}");
    let full = run("workers: 1, clientQPS: 5, clientBurst: 1, queueSize: 2");
    assert!(full > Duration::from_secs(1), "{full:?}");
    // A busy machine may keep one run waiting for a second.
    assert!((0..5).any(|_| run("workers: 1, clientQPS: 0") < slow));
}

/// A controller that changes a ConfigMap again and again.
struct Restless(u64);

impl Controller for Restless {
    fn name(&self) -> &'static str {
        "restless"
    }

    fn watches(&self) -> Vec<Watch> {
        vec![Watch::own(config_maps())]
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        let mut plan = Plan::done();
        if let Some(map) = context.cache.by_key(config_maps(), context.key)
            && map.name() == "m"
        {
            self.0 += 1;
            let patch = json!({"data": {"count": self.0.to_string()}});
            plan.changes
                .push(PlannedWrite::merge(map, patch, "count: one more"));
        }
        plan
    }
}

#[test]
fn busy_controllers_report_metrics() {
    let (cluster, _directory) = new_cluster(PodMode::Default);
    make(&cluster, "default", "m");
    let mut manager = Manager::new(&cluster, vec![Box::new(Restless(0))], &|_| {
        Config::default()
    });
    manager.load().unwrap();
    let spent = Stopwatch::start();
    let told = RefCell::new(Vec::new());
    let stop = || told.borrow().len() > 1 || spent.elapsed() > Duration::from_secs(60);
    manager
        .run(&stop, &mut |manager| {
            told.borrow_mut().push(manager.metrics())
        })
        .unwrap();
    let told = told.take();
    assert_eq!(told.len(), 2);
    let looks = "workqueue_work_duration_seconds_count{name=\"restless\"}";
    let of = |text: &String| {
        text.lines()
            .find(|l| l.starts_with(looks))
            .map(str::to_owned)
    };
    assert!(
        of(&told[0]).is_some() && of(&told[0]) != of(&told[1]),
        "{told:?}"
    );
}
