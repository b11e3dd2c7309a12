//! Runs random sequences of commands on workloads, and checks the properties that every cluster has afterwards.
//!
//! A sequence depends only on its seed. `CTL_TEST_SEED=N` repeats one sequence and prints its commands,
//! `CTL_TEST_SEQUENCES=N` runs that many, beginning at `CTL_TEST_FROM=N`, and `CTL_TEST_FULL=1` runs the nightly number
//! of sequences. Must not know: how any command works; the properties hold on every Kubernetes cluster.

mod custom;
mod draw;
mod edits;
mod manifests;
mod properties;
mod saved;
mod wild;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::fork;
use super::testing::{CommandOutput, Shell};
use crate::api::json::Value;
use crate::cluster::{Cluster, Place, Revision};
use crate::kinds::Kind;
use crate::runtime::{Config, Manager, Outcome, Until};
use draw::Random;
use manifests::{KINDS, Manifest};

/// The number of commands in a sequence.
const STEPS: usize = 30;

/// The number of sequences in an ordinary test run.
const SEQUENCES: u64 = 200;

/// The number of sequences in a nightly run.
const NIGHTLY: u64 = 10_000;

/// The kinds that the properties check.
const LOOKED_AT: &[&str] = &[
    "configmaps",
    "controllerrevisions.apps",
    "crops.farm.example.org",
    "cronjobs.batch",
    "daemonsets.apps",
    "deployments.apps",
    "endpoints",
    "endpointslices.discovery.k8s.io",
    "fields.farm.example.org",
    "horizontalpodautoscalers.autoscaling",
    "ingresses.networking.k8s.io",
    "jobs.batch",
    "namespaces",
    "nodes",
    "persistentvolumeclaims",
    "poddisruptionbudgets.policy",
    "pods",
    "replicasets.apps",
    "replicationcontrollers",
    "secrets",
    "serviceaccounts",
    "services",
    "statefulsets.apps",
];

/// The objects of the checked kinds at a revision.
struct ObservedObjects {
    kinds: Vec<&'static Kind>,
    revision: Revision,
    objects: BTreeMap<(&'static str, String, String), Value>,
}

impl ObservedObjects {
    fn new(cluster: &Cluster) -> Self {
        let kinds = LOOKED_AT.iter().map(|r| cluster.kind(r).unwrap());
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

    /// Reads and returns the changes since the last call.
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

/// A cluster, its random source, and the commands run so far.
struct Sequence<'s> {
    shell: &'s Shell,
    /// Controllers that run during the whole sequence; none if each `settle` starts new ones.
    lasting: Option<Manager<'s>>,
    random: Random,
    seen: ObservedObjects,
    done: Vec<String>,
}

impl<'s> Sequence<'s> {
    fn new(shell: &'s Shell, seed: u64) -> Self {
        let lasting = || {
            let mut manager =
                Manager::new(shell.cluster(), fork::everything(), &|_| Config::default());
            manager.load().unwrap();
            manager
        };
        Self {
            seen: ObservedObjects::new(shell.cluster()),
            shell,
            // Every third sequence has them, because the memory of controllers must not affect the result.
            lasting: seed.is_multiple_of(3).then(lasting),
            random: Random::new(seed),
            done: Vec::new(),
        }
    }

    /// Runs a command that may be rejected. A panic fails the test.
    fn run(&mut self, line: &str) -> CommandOutput {
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

    /// Returns every stored object of the checked kinds.
    #[track_caller]
    fn all(&mut self) -> Vec<Value> {
        self.seen.follow(self.shell.cluster());
        self.seen.objects.values().cloned().collect()
    }

    /// Writes a manifest for commands that read a file. Keeps its text in the record.
    fn write(&mut self, manifest: &str) {
        self.done.push(format!("# m.yaml:\n{manifest}"));
        self.shell.write("m.yaml", manifest);
    }

    /// Runs the controllers until nothing is left to do, although some Pods may find no node. Returns false if retries
    /// may still be pending: controllers that have failed often enough give up earlier than new ones, and two cases
    /// never settle, a CronJob whose Jobs fail for longer than its period and a Deployment with two autoscalers.
    #[track_caller]
    fn settle(&mut self) -> bool {
        if let Some(manager) = &mut self.lasting {
            self.done
                .push("# settled by lasting controllers".to_owned());
            let until = Until {
                pass: None,
                timeout: None,
            };
            let outcome = manager.settle(&until, &|| false).unwrap();
            let rests = matches!(outcome, Outcome::Settled | Outcome::Stuck(_));
            assert!(rests, "lasting controllers: {outcome:?}");
            return matches!(outcome, Outcome::Settled);
        }
        self.settle_afresh()
    }

    /// Runs new controllers until nothing is left to do. Returns false if there still was something after an hour of
    /// simulated time, when `settle` ends.
    #[track_caller]
    fn settle_afresh(&mut self) -> bool {
        let before = self.shell.cluster().now().unwrap();
        let said = self.run("settle");
        assert!(said.code < 2, "settle: {}", said.err);
        let after = self.shell.cluster().now().unwrap();
        // The limit is below the hour, because the next step of a retry may lie beyond it.
        after.duration_since(before).as_mins() < 50
    }

    /// Applies a manifest on the client. A second apply changes nothing, and a diff afterwards is empty.
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

    /// Applies a manifest on the server. A second apply writes nothing.
    fn apply_on_server(&mut self) {
        let manifest = Manifest::draw(&mut self.random);
        self.write(&manifest.yaml);
        let manager = self.random.pick(&["one", "two", "kubectl"]);
        let force = self.random.pick(&["true", "false"]);
        let line = format!(
            "apply --server-side --field-manager={manager} --force-conflicts={force} -f @/m.yaml"
        );
        let said = self.run(&line);
        // After a migration whose second half is rejected, the next apply is rejected, too, as with kubectl.
        if said.code != 0 || said.err.contains("failed to re-apply configuration") {
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
            "replace --force -f @/m.yaml --timeout=10ms",
            "apply --force -f @/m.yaml --timeout=10ms",
            "create -f @/m.yaml --dry-run=server",
            "apply -f @/m.yaml --dry-run=server",
        ]);
        let _ = self.run(line);
    }

    /// Changes an image and undoes the change. The template must be restored.
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
        if self.has_lost_revision(name, &before.out) {
            return;
        }
        if self.run(&format!("rollout undo {name}/{name}")).code == 0 {
            assert_eq!(before.out, self.shell.run(&get).out, "undone {name}");
        }
    }

    /// Returns true if a DaemonSet no longer has the revision of a template. Revisions of old Pods count against the
    /// limit of its history but are never deleted, so with a limit of 1 the latest unused one is (seed 9072).
    fn has_lost_revision(&mut self, name: &str, template: &str) -> bool {
        if name != "daemonset"
            || self.json("get daemonset daemonset")["spec"]["revisionHistoryLimit"] != 1
        {
            return false;
        }
        let mut template: Value = serde_json::from_str(template).unwrap();
        template["$patch"] = "replace".into();
        let revisions = self.json("get controllerrevisions");
        let mut kept = revisions["items"].as_array().unwrap().iter();
        !kept.any(|revision| revision["data"]["spec"]["template"] == template)
    }

    /// Applies a set of objects, and then a part of it with `--prune`. Exactly the rest must be deleted.
    fn prune(&mut self) {
        let of = |n: usize| {
            let labels = "{set: pruned}";
            format!(
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: set-{n}, labels: {labels}}}\ndata: {{n: \"{n}\"}}\n---\n"
            )
        };
        let all: String = (0..3).map(of).collect();
        self.write(&all);
        self.succeeds("apply -f @/m.yaml");
        let kept = self.random.below(3);
        self.write(&of(kept));
        self.succeeds("apply -f @/m.yaml --prune -l set=pruned");
        let left = self.succeeds("get configmaps -l set=pruned -o name");
        assert_eq!(left, format!("configmap/set-{kept}\n"), "pruned");
    }

    /// Adds a label or an annotation and removes it. The object's own fields must be restored.
    fn mark(&mut self) {
        let kind = self.random.pick(KINDS);
        let verb = self.random.pick(&["label", "annotate"]);
        let get = format!("get {kind} {kind}");
        if self.shell.run(&get).code != 0 {
            return;
        }
        let own = |object: &Value| {
            let meta = &object["metadata"];
            [
                meta["labels"].clone(),
                meta["annotations"].clone(),
                object["spec"].clone(),
            ]
        };
        let before = self.json(&get);
        if self.run(&format!("{verb} {kind} {kind} marked=yes")).code != 0 {
            return;
        }
        let generation = |object: &Value| object["metadata"]["generation"].clone();
        let between = self.json(&get);
        // A change of annotations increments the generation of a Deployment.
        let counts = (kind, verb) == ("deployment", "annotate");
        let same = generation(&between) == generation(&before);
        assert_eq!(same, !counts, "a mark and the generation");
        self.succeeds(&format!("{verb} {kind} {kind} marked-"));
        let after = self.json(&get);
        assert_eq!(own(&after), own(&before), "{verb} and its removal");
    }

    /// Evicts the Pods of a workload. No disruption budget may be exceeded.
    fn evict(&mut self) {
        self.settle();
        let healthy = |budget: &Value| {
            let part = |name: &str| budget["status"][name].as_i64().unwrap_or_default();
            (part("currentHealthy"), part("desiredHealthy"))
        };
        let get = "get poddisruptionbudget poddisruptionbudget";
        let before = (self.shell.run(get).code == 0).then(|| self.json(get));
        let node = self.random.pick(&["node-0", "node-1", "node-2"]);
        let _ = self.run(&format!(
            "drain {node} --ignore-daemonsets --delete-emptydir-data --force --timeout=10ms"
        ));
        if let Some(before) = before {
            let (healthy, desired) = healthy(&before);
            let pods = self.shell.json("get pods");
            let selector = before["spec"]["selector"]["matchLabels"]["app"].as_str();
            let ready = pods["items"].as_array().unwrap().iter().filter(|pod| {
                pod["metadata"]["labels"]["app"].as_str() == selector
                    && pod["metadata"]["deletionTimestamp"].is_null()
                    && properties::is_ready(pod)
            });
            let ready = i64::try_from(ready.count()).unwrap();
            assert!(
                ready >= healthy.min(desired),
                "a budget of {desired} left {ready}"
            );
        }
        self.succeeds(&format!("uncordon {node}"));
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
        match self.random.below(32) {
            0..=3 => self.apply(),
            4 | 5 => self.apply_on_server(),
            6 | 7 => self.create_or_replace(),
            8 => self.undo(),
            9 => self.delete(),
            10..=19 => {
                let line = manifests::command(&mut self.random);
                let _ = self.run(&line);
            }
            20 => self.prune(),
            21 => self.mark(),
            22 => self.evict(),
            28 | 29 => edits::edit(self),
            30 => edits::edit_status(self),
            31 => custom::scale(self),
            23 => {
                let line = format!("settle --for {}", ["1s", "30s", "2m", "10m", "1h"][number]);
                let said = self.run(&line);
                assert!(said.code < 2, "{line}: {}", said.err);
            }
            _ => {
                self.settle();
            }
        }
        let changed = self.seen.follow(self.shell.cluster());
        properties::of_each(&changed);
    }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Returns the default number of sequences.
fn usual() -> u64 {
    match number("CTL_TEST_FULL") {
        Some(1) => NIGHTLY,
        _ => SEQUENCES,
    }
}

/// Runs a sequence. A failure prints its commands.
fn sequence(seed: u64) {
    let shell = Shell::on_fork_of(custom::cluster());
    let mut sequence = Sequence::new(&shell, seed);
    let result = catch_unwind(AssertUnwindSafe(|| {
        for _ in 0..STEPS {
            sequence.step();
        }
        // Lasting controllers start a Job a tenth of a second after its scheduled time, and fresh ones at the time itself
        // (seed 4461).
        let _ = sequence.run("clock advance 1s");
        let rests = sequence.settle();
        let all = sequence.all();
        let rests = sequence.settle_afresh() && rests;
        if rests {
            properties::unchanged(&all, &sequence.all());
        }
        // Two autoscalers of one Deployment scale it again and again, so its counts are always on their way.
        if !properties::has_rival_autoscalers(&all) {
            properties::settled(&all);
        }
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
fn random_commands_keep_kubernetes_invariants() {
    let seeds = match number("CTL_TEST_SEED") {
        Some(seed) => seed..seed + 1,
        None => {
            let from = number("CTL_TEST_FROM").unwrap_or(1);
            from..from + number("CTL_TEST_SEQUENCES").unwrap_or_else(usual)
        }
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
    println!(
        "{} sequences of {STEPS} commands on workloads of {} kinds keep the properties",
        seeds.end - seeds.start,
        KINDS.len()
    );
}

#[test]
fn lasting_controllers_retry_after_others_moved_the_clock() {
    let shell = Shell::on_fork_of(custom::cluster());
    // Every third seed has controllers that run during the whole sequence.
    let mut sequence = Sequence::new(&shell, 3);
    let _ = sequence.settle();
    let _ = sequence.succeeds("settle --for 1h");
    let _ = sequence.succeeds("create job job --image=busybox -- false");
    let _ = sequence.settle();
    let job = sequence.json("get job job");
    assert_eq!(job["status"]["failed"].as_u64(), Some(7), "{job}");
}
