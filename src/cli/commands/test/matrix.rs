//! `--matrix faults`: runs each case again, with a different fault each time.

use std::collections::BTreeMap;

use jiff::SignedDuration;

use super::world::World;
use crate::api::json::Value;
use crate::cli::error::CliError;
use crate::cluster::Place;

/// The duration of a node failure: longer than the time after which its Pods are evicted.
const DOWN: SignedDuration = SignedDuration::from_mins(10);

/// The duration for which an image is missing: long enough for several attempts to pull it.
const MISSING: SignedDuration = SignedDuration::from_mins(5);

/// A fault that is injected into a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum InjectedFault {
    /// A node is down for a while.
    Node(String),
    /// The containers of a Pod crash once.
    Pod { namespace: String, name: String },
    /// No Pod can pull an image for a while.
    Image(String),
    /// Writes of the controllers fail at random.
    Api,
}

/// A fault, and the number of steps before it.
#[derive(Clone, Debug)]
pub(super) struct PlannedFault {
    pub(super) fault: InjectedFault,
    before: usize,
}

impl InjectedFault {
    /// Returns a description of the fault.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Node(name) => format!("node/{name} down"),
            Self::Pod { name, .. } => format!("pod/{name} crashes"),
            Self::Image(image) => format!("image {image} missing"),
            Self::Api => "API errors".to_owned(),
        }
    }
}

/// The observations of a run without faults: the nodes, and the number of steps before each Pod existed.
#[derive(Clone, Debug, Default)]
pub(super) struct RunObservations {
    nodes: Vec<String>,
    pods: BTreeMap<(String, String), usize>,
    images: Vec<String>,
}

impl RunObservations {
    /// Records the nodes, Pods and images that exist after a number of steps.
    pub(super) fn observe(&mut self, world: &World, steps: usize) -> Result<(), CliError> {
        let cluster = &world.fork.cluster;
        let list = |kind: &str| -> Result<Vec<Value>, CliError> {
            let place = Place::new(cluster.kind(kind)?, "");
            Ok(cluster.list(&place, &|_| true, None)?.items)
        };
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        if steps == 0 {
            let nodes = list("nodes")?;
            self.nodes = nodes.iter().map(|n| text(&n["metadata"]["name"])).collect();
        }
        for pod in list("pods")? {
            let metadata = &pod["metadata"];
            let key = (text(&metadata["namespace"]), text(&metadata["name"]));
            self.pods.entry(key).or_insert(steps);
            for container in pod["spec"]["containers"].as_array().into_iter().flatten() {
                let image = text(&container["image"]);
                if !self.images.contains(&image) {
                    self.images.push(image);
                }
            }
        }
        Ok(())
    }

    /// Returns all faults that a run can have; each run gets one.
    pub(super) fn faults(&self) -> Vec<PlannedFault> {
        // A node failure matters only once Pods run on the node.
        let first = self.pods.values().min().copied().unwrap_or_default();
        let at = |before: usize| move |fault| PlannedFault { fault, before };
        let nodes = self
            .nodes
            .iter()
            .cloned()
            .map(InjectedFault::Node)
            .map(at(first));
        let pods = self
            .pods
            .iter()
            .map(|((namespace, name), before)| PlannedFault {
                fault: InjectedFault::Pod {
                    namespace: namespace.clone(),
                    name: name.clone(),
                },
                before: *before,
            });
        // An image is pulled when a Pod starts, so it must be missing before that.
        let images = self
            .images
            .iter()
            .cloned()
            .map(InjectedFault::Image)
            .map(at(0));
        let api = std::iter::once(InjectedFault::Api).map(at(0));
        nodes.chain(pods).chain(images).chain(api).collect()
    }
}

impl PlannedFault {
    /// Injects the fault if this many steps are done.
    pub(super) fn make(&self, world: &mut World, steps: usize) -> Result<(), CliError> {
        if steps != self.before {
            return Ok(());
        }
        let words =
            |line: &[&str]| -> Vec<String> { line.iter().map(|w| (*w).to_owned()).collect() };
        match &self.fault {
            InjectedFault::Node(name) => {
                world.command(&words(&["fault", "node", name, "--down"]))?;
                world.later(DOWN, words(&["fault", "clear", "node", name]))
            }
            InjectedFault::Pod { namespace, name } => world.command(&words(&[
                "fault",
                "pod",
                name,
                "--crash=1",
                "--namespace",
                namespace,
            ])),
            InjectedFault::Image(image) => {
                // An admission policy covers Pods that do not exist yet, which a fault of a Pod cannot.
                world.apply(&policy(image))?;
                for kind in ["mutatingadmissionpolicybinding", "mutatingadmissionpolicy"] {
                    world.later(MISSING, words(&["delete", kind, NAME]))?;
                }
                let flags = ["--all", "--all-namespaces", "ctl.dev/image-"];
                world.later(
                    MISSING,
                    [words(&["annotate", "pods"]), words(&flags)].concat(),
                )
            }
            InjectedFault::Api => {
                world.trouble_controllers(
                    words(&[
                        "fault",
                        "api",
                        NAME,
                        "--verb",
                        "create,update,patch,delete",
                        "--rate",
                        "10%",
                        "--code",
                        "500",
                    ]),
                    words(&["fault", "clear", "api", NAME]),
                );
                Ok(())
            }
        }
    }
}

/// The name of the objects and rules that inject faults.
const NAME: &str = "ctl-test-matrix";

/// Returns an admission policy that makes an image missing for every new Pod.
fn policy(image: &str) -> String {
    // A valid image name contains no quotes, but a wrong one in a case may.
    let image = image.replace('\\', "\\\\").replace('\'', "\\'");
    format!(
        "apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingAdmissionPolicy\nmetadata: {{name: {NAME}}}\nspec:\n  \
         failurePolicy: Ignore\n  reinvocationPolicy: Never\n  matchConstraints:\n    resourceRules:\n    - {{apiGroups: [''], apiVersions: [v1], \
         operations: [CREATE], resources: [pods]}}\n  matchConditions:\n  - name: image\n    expression: |-\n      \
         object.spec.containers.exists(c, c.image == '{image}')\n  mutations:\n  - patchType: ApplyConfiguration\n    applyConfiguration:\n      \
         expression: |-\n        Object{{metadata: Object.metadata{{annotations: {{'ctl.dev/image': 'not-found'}}}}}}\n---\n\
         apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingAdmissionPolicyBinding\nmetadata: {{name: {NAME}}}\nspec: \
         {{policyName: {NAME}}}\n"
    )
}
