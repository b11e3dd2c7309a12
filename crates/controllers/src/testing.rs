//! Clusters with controllers for the tests of this layer, and a minimal kubelet.

use jiff::Timestamp;

use super::watched;
use super::workload::{is_over, phase, stamp};
use crate::api::json::{Value, json};
use crate::cluster::testing::{Scratch, fresh};
use crate::cluster::{DeleteOptions, Part, PatchType, Place, Propagation, Verb, WriteOptions};
use crate::kinds::Kind;
use crate::runtime::{
    Cache, Config, Controller, Key, Manager, Object, Outcome, Plan, PlannedWrite, ReconcileContext,
    Until, Watch,
};

/// A cluster with all controllers and a minimal kubelet.
pub(crate) struct World {
    pub(crate) scratch: Scratch,
    /// The behavior of the Pods' containers.
    pub(crate) habit: Habit,
}

/// The behavior of Pods once they exist.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Habit {
    /// They run and are ready.
    Ready,
    /// As `Ready`, and with addresses.
    Served,
    /// They run and never get ready.
    Unready,
    /// They succeed, at least those of Jobs.
    Succeed,
    /// They end badly.
    Fail,
    /// Nothing.
    Nothing,
}

impl World {
    pub(crate) fn new() -> Self {
        Self {
            scratch: fresh(),
            habit: Habit::Ready,
        }
    }

    pub(crate) fn create(&self, kind: &'static Kind, object: &Value) -> Value {
        let place = Place::new(kind, "default");
        let options = WriteOptions::default();
        self.scratch
            .create(&place, object, &options)
            .unwrap()
            .object
    }

    pub(crate) fn patch(&self, kind: &'static Kind, name: &str, patch: Value) {
        let place = Place::new(kind, "default");
        let patch = (PatchType::Merge, &patch);
        let options = WriteOptions::default();
        self.scratch
            .patch(&place, name, patch, false, &options)
            .unwrap();
    }

    pub(crate) fn delete(&self, kind: &'static Kind, name: &str) {
        let place = Place::new(kind, "default");
        let options = DeleteOptions {
            propagation: Some(Propagation::Background),
            ..DeleteOptions::default()
        };
        self.scratch.delete(&place, name, &options).unwrap();
    }

    pub(crate) fn get(&self, kind: &'static Kind, name: &str) -> Value {
        self.scratch
            .get(&Place::new(kind, "default"), name)
            .unwrap()
    }

    pub(crate) fn list(&self, kind: &'static Kind) -> Vec<Value> {
        let place = Place::new(kind, "default");
        self.scratch.list(&place, &|_| true, None).unwrap().items
    }

    /// Names of the objects of a kind.
    pub(crate) fn names(&self, kind: &'static Kind) -> Vec<String> {
        let name = |o: &Value| o["metadata"]["name"].as_str().unwrap().to_owned();
        self.list(kind).iter().map(name).collect()
    }

    /// Runs the controllers until the cluster is settled.
    pub(crate) fn settle(&self) -> Outcome {
        self.run(None)
    }

    /// Lets time pass with the controllers at work.
    pub(crate) fn pass(&self, seconds: i64) -> Outcome {
        self.run(Some(jiff::SignedDuration::from_secs(seconds)))
    }

    /// Runs the controllers until the cluster is settled, and fails if an object is stuck.
    #[track_caller]
    pub(crate) fn settled(&self) {
        assert_eq!(self.settle(), Outcome::Settled);
    }

    /// Advances the clock, and fails if an object is stuck afterwards.
    #[track_caller]
    pub(crate) fn passed(&self, seconds: i64) {
        assert_eq!(self.pass(seconds), Outcome::Settled);
    }

    fn run(&self, pass: Option<jiff::SignedDuration>) -> Outcome {
        self.run_with(pass, Config::default()).0
    }

    /// Runs with a configuration for all controllers; returns the number of objects that the cache returned.
    pub(crate) fn run_with(
        &self,
        pass: Option<jiff::SignedDuration>,
        config: Config,
    ) -> (Outcome, u64) {
        let mut controllers = super::wanted(&|_| true);
        controllers.push(Box::new(TestKubelet(self.habit)));
        let mut manager = Manager::new(&self.scratch, controllers, &|_| config);
        manager.load().unwrap();
        let until = Until {
            pass,
            timeout: Some(std::time::Duration::from_secs(60)),
        };
        let outcome = manager.settle(&until, &|| false).unwrap();
        (outcome, manager.cache().looked())
    }
}

/// A kubelet for these tests: Pods get a node and reach their final phase at once.
struct TestKubelet(Habit);

impl Controller for TestKubelet {
    fn name(&self) -> &'static str {
        "test-kubelet"
    }

    fn component(&self) -> &'static str {
        "kubelet"
    }

    fn watches(&self) -> Vec<Watch> {
        vec![Watch::own(watched::pods())]
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        let Some(pod) = context.cache.by_key(watched::pods(), context.key) else {
            return Plan::done();
        };
        let mut plan = Plan::done();
        if pod.is_terminating() {
            plan.changes
                .push(PlannedWrite::delete_now(pod, "kubelet: it has ended"));
            return plan;
        }
        if is_over(pod) || self.0 == Habit::Nothing || !phase_is_due(pod) {
            return plan;
        }
        let in_job = !pod.label("batch.kubernetes.io/job-name").is_empty();
        let (phase, ready) = match self.0 {
            Habit::Unready => ("Running", false),
            Habit::Succeed if in_job => ("Succeeded", false),
            Habit::Fail => ("Failed", false),
            _ => ("Running", true),
        };
        let mut status = pod["status"].clone();
        status["phase"] = json!(phase);
        status["startTime"] = json!(stamp(context.now));
        status["conditions"] = json!([{"type": "Ready",
            "status": if ready { "True" } else { "False" },
            "lastTransitionTime": stamp(context.now)}]);
        if self.0 == Habit::Served {
            let number = pod.revision();
            let address = format!("10.{}.{}.1", number / 250, number % 250);
            status["podIP"] = json!(address);
            status["podIPs"] = json!([{"ip": address}]);
        }
        if is_over(&json!({"status": {"phase": phase}})) {
            let code = i64::from(phase == "Failed");
            status["containerStatuses"] = json!([{"name": "c", "image": "x", "imageID": "",
                "ready": false, "restartCount": 0,
                "state": {"terminated": {"exitCode": code, "finishedAt": stamp(context.now)}}}]);
        }
        plan.status
            .extend(PlannedWrite::status(pod, status, "kubelet: it runs"));
        plan
    }
}

fn phase_is_due(pod: &Object) -> bool {
    phase(pod) == "Pending"
}

/// A cache with objects created from their spec, for tests of plans.
pub(crate) struct Table {
    pub(crate) cache: Cache,
    revision: u64,
}

/// Returns the time in tests of plans.
pub(crate) fn noon() -> Timestamp {
    "2026-01-02T12:00:00Z".parse().unwrap()
}

impl Table {
    pub(crate) fn new(controller: &dyn Controller) -> Self {
        Self {
            cache: Cache::new(controller.indexes()).with_tallies(controller.tallies()),
            revision: 0,
        }
    }

    /// Puts an object of the namespace `default` with this name; `extra` is merged in.
    pub(crate) fn put(&mut self, kind: &'static Kind, name: &str, extra: &Value) -> Object {
        self.revision += 1;
        let mut value = json!({
            "apiVersion": kind.api_version(), "kind": kind.kind,
            "metadata": {"name": name, "namespace": "default", "uid": format!("uid-{name}"),
                "resourceVersion": self.revision.to_string(), "generation": 1,
                "creationTimestamp": stamp(noon())},
        });
        crate::api::patch::merge::apply(&mut value, extra);
        let object = Object::new(kind, value);
        self.cache.put(object.clone());
        object
    }

    pub(crate) fn plan(&self, controller: &mut dyn Controller, name: &str) -> Plan {
        self.plan_at(controller, name, noon())
    }

    pub(crate) fn plan_at(
        &self,
        controller: &mut dyn Controller,
        name: &str,
        now: Timestamp,
    ) -> Plan {
        controller.plan(&ReconcileContext {
            key: &Key::new("default", name),
            cache: &self.cache,
            now,
            failures: 0,
            refused: &[],
            seed: crate::runtime::Seed(7),
            pods: crate::cluster::PodMode::Default,
            identity: crate::harness::identity(),
        })
    }
}

/// Returns a plan as text: one line for each write.
pub(crate) fn lines(plan: &Plan) -> Vec<String> {
    let verb = |w: &PlannedWrite| match &w.verb {
        Verb::Create(_) => "create",
        Verb::Update(Part::Status, _) => "status",
        Verb::Update(Part::Finalize, _) => "finalize",
        Verb::Update(..) => "update",
        Verb::Patch { .. } => "patch",
        Verb::Apply { .. } => "apply",
        Verb::Delete(_) => "delete",
        Verb::Bind(_) => "bind",
        other => panic!("no controller plans {other:?}"),
    };
    let line = |w: &PlannedWrite| format!("{} {}: {}", verb(w), w.name, w.rule);
    plan.changes.iter().chain(&plan.status).map(line).collect()
}
