//! Random sequences of commands on workloads, and the properties that every cluster has after them.
//!
//! A sequence depends on its seed alone. `CTL_TEST_SEED=N` runs one sequence again and prints its commands,
//! `CTL_TEST_SEQUENCES=N` runs that many; with `CTL_TEST_FULL=1` the nightly number of sequences runs. Must not know: how any command works; the properties hold on every
//! Kubernetes cluster.

mod draw;
mod manifests;
mod properties;
mod saved;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::testing::{Said, Shell};
use crate::api::json::Value;
use crate::cluster::{Cluster, Place, Revision};
use crate::kinds::{Catalogue, Kind};
use draw::Random;
use manifests::{KINDS, Manifest};

/// Commands of one sequence.
const STEPS: usize = 30;

/// Sequences of an ordinary test run.
const SEQUENCES: u64 = 200;

/// Sequences of a nightly run.
const NIGHTLY: u64 = 10_000;

/// Kinds that the properties look at.
const LOOKED_AT: &[&str] = &[
    "configmaps",
    "controllerrevisions.apps",
    "cronjobs.batch",
    "daemonsets.apps",
    "deployments.apps",
    "endpoints",
    "endpointslices.discovery.k8s.io",
    "horizontalpodautoscalers.autoscaling",
    "jobs.batch",
    "namespaces",
    "nodes",
    "persistentvolumeclaims",
    "poddisruptionbudgets.policy",
    "pods",
    "replicasets.apps",
    "serviceaccounts",
    "services",
    "statefulsets.apps",
];

/// The objects of the kinds that are looked at, as of a revision.
struct Seen {
    kinds: Vec<&'static Kind>,
    revision: Revision,
    objects: BTreeMap<(&'static str, String, String), Value>,
}

impl Seen {
    fn new(cluster: &Cluster) -> Self {
        let catalogue = Catalogue::default();
        let kinds = LOOKED_AT.iter().map(|r| catalogue.resolve(r).unwrap());
        let mut seen = Self {
            kinds: kinds.collect(),
            revision: cluster.stored().moment().unwrap().0,
            objects: BTreeMap::new(),
        };
        for kind in &seen.kinds {
            let all = cluster
                .list(&Place::new(kind, ""), &|_| true, None)
                .unwrap();
            for object in all.items {
                let part = |name: &str| {
                    object["metadata"][name]
                        .as_str()
                        .unwrap_or_default()
                        .to_owned()
                };
                let key = (kind.kind, part("namespace"), part("name"));
                seen.objects.insert(key, object);
            }
        }
        seen
    }

    /// Takes up what has changed since the last look, and returns it.
    fn follow(&mut self, cluster: &Cluster) -> Vec<Value> {
        let (changes, revision) = cluster
            .feed()
            .changes_of(&self.kinds, self.revision)
            .unwrap();
        self.revision = revision;
        let mut changed = BTreeMap::new();
        for change in changes {
            let key = (change.kind.kind, change.namespace, change.name);
            changed.insert(key, change.object);
        }
        for (key, object) in &changed {
            match object {
                Some(object) => drop(self.objects.insert(key.clone(), object.clone())),
                None => drop(self.objects.remove(key)),
            }
        }
        changed.into_values().flatten().collect()
    }
}

/// A cluster, the numbers that decide what happens to it, and the commands so far.
struct Sequence {
    shell: Shell,
    random: Random,
    seen: Seen,
    done: Vec<String>,
}

impl Sequence {
    fn new(seed: u64) -> Self {
        let shell = Shell::in_memory();
        Self {
            seen: Seen::new(shell.cluster()),
            shell,
            random: Random::new(seed),
            done: Vec::new(),
        }
    }

    /// Runs a command that may be rejected. A panic fails the test by itself.
    fn run(&mut self, line: &str) -> Said {
        self.done.push(line.to_owned());
        self.shell.run(line)
    }

    /// Runs a command that must succeed.
    #[track_caller]
    fn succeeds(&mut self, line: &str) -> String {
        let said = self.run(line);
        assert_eq!(said.code, 0, "{line}: {}", said.err);
        said.out
    }

    #[track_caller]
    fn json(&mut self, line: &str) -> Value {
        let out = self.shell.run(&format!("{line} -o json"));
        serde_json::from_str(&out.out).unwrap_or_else(|e| panic!("{line}: {e}: {out:?}"))
    }

    /// Returns every object of the kinds that are looked at, as it is stored.
    #[track_caller]
    fn all(&mut self) -> Vec<Value> {
        self.seen.follow(self.shell.cluster());
        self.seen.objects.values().cloned().collect()
    }

    /// Writes a manifest for the commands that read a file; keeps its text in the record.
    fn write(&mut self, manifest: &str) {
        self.done.push(format!("# m.yaml:\n{manifest}"));
        self.shell.write("m.yaml", manifest);
    }

    /// Runs the controllers until nothing is left to do. Some Pods may not have found a node.
    #[track_caller]
    fn settle(&mut self) {
        let said = self.run("settle");
        assert!(said.code < 2, "settle: {}", said.err);
    }

    /// Client-side apply: a second one changes nothing, and a diff after it is empty.
    fn apply(&mut self) {
        let manifest = Manifest::draw(&mut self.random);
        self.write(&manifest.yaml);
        if self.run("apply -f @/m.yaml").code != 0 {
            return;
        }
        let diff = self.run("diff -f @/m.yaml");
        assert_eq!(diff.code, 0, "diff after apply: {diff:?}");
        let version = |object: &Value| object["metadata"]["resourceVersion"].clone();
        let first = self.json("get -f @/m.yaml");
        let second = self.json("apply -f @/m.yaml");
        assert_eq!(version(&first), version(&second), "applied twice");
    }

    /// Server-side apply: repeated, it writes nothing.
    fn apply_on_server(&mut self) {
        let manifest = Manifest::draw(&mut self.random);
        self.write(&manifest.yaml);
        let manager = self.random.pick(&["one", "two", "kubectl"]);
        let force = self.random.pick(&["true", "false"]);
        let line = format!(
            "apply --server-side --field-manager={manager} --force-conflicts={force} -f @/m.yaml"
        );
        if self.run(&line).code != 0 {
            return;
        }
        let first = self.json(&line);
        let second = self.json(&line);
        let version = |object: &Value| object["metadata"]["resourceVersion"].clone();
        assert_eq!(
            version(&first),
            version(&second),
            "applied again by {manager}"
        );
        let diff = self.run(&format!(
            "diff --server-side --field-manager={manager} --force-conflicts={force} -f @/m.yaml"
        ));
        assert_eq!(diff.code, 0, "diff after apply: {diff:?}");
    }

    fn create_or_replace(&mut self) {
        let manifest = Manifest::draw(&mut self.random);
        self.write(&manifest.yaml);
        let line = self.random.pick(&[
            "create -f @/m.yaml",
            "create -f @/m.yaml --save-config",
            "replace -f @/m.yaml",
            "replace -f @/m.yaml --save-config",
            "create -f @/m.yaml --dry-run=server",
            "apply -f @/m.yaml --dry-run=server",
        ]);
        let _ = self.run(line);
    }

    /// Changes an image and undoes the change: the template is as before.
    fn undo(&mut self) {
        let name = self
            .random
            .pick(&["deployment", "daemonset", "statefulset"]);
        let get = format!("get {name} {name} -o jsonpath={{.spec.template}}");
        self.settle();
        let before = self.shell.run(&get);
        if before.code != 0
            || self.shell.json(&format!("get {name} {name}"))["spec"]["paused"] == true
        {
            return;
        }
        let image = self.random.pick(&["main=undone:1", "main=undone:2"]);
        self.succeeds(&format!("set image {name}/{name} {image}"));
        if before == self.shell.run(&get) {
            return;
        }
        self.settle();
        if self.run(&format!("rollout undo {name}/{name}")).code == 0 {
            assert_eq!(before.out, self.shell.run(&get).out, "undone {name}");
        }
    }

    fn delete(&mut self) {
        let kind = self.random.pick(KINDS);
        let cascade = self.random.pick(&["background", "foreground", "orphan"]);
        let all = self.random.pick(&["--wait=false", "--wait=false --now"]);
        let line = format!("delete {kind} {kind} --cascade={cascade} {all}");
        if self.run(&line).code == 0 {
            self.settle();
            let left = self.shell.run(&format!("get {kind} {kind}"));
            assert_eq!(left.code, 1, "deleted and still there: {left:?}");
        }
    }

    fn step(&mut self) {
        let number = self.random.below(5);
        match self.random.below(24) {
            0..=3 => self.apply(),
            4 | 5 => self.apply_on_server(),
            6 | 7 => self.create_or_replace(),
            8 => self.undo(),
            9 => self.delete(),
            10..=19 => {
                let line = manifests::command(&mut self.random);
                let _ = self.run(&line);
            }
            20 => {
                let line = format!("settle --for {}", ["1s", "30s", "2m", "10m", "1h"][number]);
                let said = self.run(&line);
                assert!(said.code < 2, "{line}: {}", said.err);
            }
            _ => self.settle(),
        }
        let changed = self.seen.follow(self.shell.cluster());
        properties::of_each(&changed);
    }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Returns the number of sequences unless one is asked for.
fn usual() -> u64 {
    match number("CTL_TEST_FULL") {
        Some(1) => NIGHTLY,
        _ => SEQUENCES,
    }
}

/// Runs a sequence; fails with its commands.
fn sequence(seed: u64) {
    let mut sequence = Sequence::new(seed);
    let result = catch_unwind(AssertUnwindSafe(|| {
        for _ in 0..STEPS {
            sequence.step();
        }
        sequence.settle();
        let all = sequence.all();
        sequence.settle();
        properties::unchanged(&all, &sequence.all());
        properties::settled(&all);
        saved::restores(&mut sequence);
    }));
    if let Err(panic) = result {
        let commands = sequence.done.join("\n");
        let text = format!("# CTL_TEST_SEED={seed}\n{commands}\n");
        match std::env::var_os("CTL_TEST_LOG") {
            Some(path) => std::fs::File::create(path)
                .and_then(|mut file| std::io::Write::write_all(&mut file, text.as_bytes()))
                .unwrap(),
            None => println!("{text}"),
        }
        resume_unwind(panic);
    }
}

#[test]
fn every_cluster_keeps_the_properties_of_kubernetes_after_random_commands() {
    let seeds = match number("CTL_TEST_SEED") {
        Some(seed) => seed..seed + 1,
        None => 1..1 + number("CTL_TEST_SEQUENCES").unwrap_or_else(usual),
    };
    let next = std::sync::atomic::AtomicU64::new(seeds.start);
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    if !seeds.contains(&seed) {
                        return;
                    }
                    sequence(seed);
                }
            });
        }
    });
}
