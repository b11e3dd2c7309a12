//! A custom controller: creates a Deployment for each `Application` (`testdata/custom`).
//!
//! Rules:
//! - `create`: an application has no Deployment.
//! - `update`: its Deployment differs from it in the image, port or number of replicas.
//! - `status`: the state of its Deployment.
//!
//! `docs/custom-controller.md` walks through it.

use std::error::Error;
use std::path::PathBuf;

use ctl::api::json::{Value, json};
use ctl::cluster::{ApiError, Cluster, Kind, Open};
use ctl::runtime::{
    self, Cache, Controller, EventNote, Object, Plan, PlannedWrite, ReconcileContext, Watch,
};

/// The controller. It holds only its kinds.
pub(crate) struct Applications {
    applications: &'static Kind,
    deployments: &'static Kind,
}

impl Applications {
    /// Returns the controller for a cluster that defines applications.
    pub(crate) fn new(cluster: &Cluster) -> Result<Self, ApiError> {
        Ok(Self {
            applications: cluster.kind("applications.example.com")?,
            deployments: cluster.kind("deployments.apps")?,
        })
    }

    fn deployment_of<'c>(&self, app: &Object, cache: &'c Cache) -> Option<&'c Object> {
        cache.controlled_by(self.deployments, app.uid()).next()
    }
}

impl Controller for Applications {
    fn name(&self) -> &'static str {
        "application"
    }

    fn watches(&self) -> Vec<Watch> {
        vec![
            Watch::own(self.applications),
            Watch::controlled(self.deployments, self.applications),
        ]
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        let mut plan = Plan::done();
        let app = context.cache.by_key(self.applications, context.key);
        // The garbage collector removes the dependents of an application.
        let Some(app) = app.filter(|app| !app.is_terminating()) else {
            return plan;
        };
        let deployment = self.deployment_of(app, context.cache);
        if let Some(deployment) = deployment {
            let wanted = fill(app, deployment.to_value());
            if wanted != *deployment.value() {
                let rule = "update: the application changed";
                plan.changes
                    .push(PlannedWrite::update(deployment, wanted, rule));
            }
        } else {
            let new = fill(app, blank(app));
            let told = EventNote::normal(app, "Created", "Created Deployment {name}");
            let create =
                PlannedWrite::create_for(app, self.deployments, new, "create: no Deployment yet");
            plan.changes.push(create.with_event(told));
        }
        let status = status(app, deployment);
        let rule = format!("status: {}", status["phase"]);
        plan.status.extend(PlannedWrite::status(app, status, rule));
        plan
    }

    fn stuck(&self, app: &Object, cache: &Cache) -> Option<String> {
        let status = status(app, self.deployment_of(app, cache));
        (status["phase"] != "Ready").then(|| format!("replicas ready: {}", status["readyReplicas"]))
    }
}

/// Returns the common part of every application's Deployment.
fn blank(app: &Object) -> Value {
    let labels = json!({"app": app.name()});
    let container = json!({"name": "app", "ports": [{}]});
    json!({"metadata": {"name": app.name()}, "spec": {
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
    }})
}

/// Returns a Deployment with the values of its application.
fn fill(app: &Object, mut deployment: Value) -> Value {
    deployment["spec"]["replicas"] = app["spec"]["replicas"].clone();
    let container = &mut deployment["spec"]["template"]["spec"]["containers"][0];
    container["image"] = app["spec"]["image"].clone();
    container["ports"][0]["containerPort"] = app["spec"]["port"].clone();
    deployment
}

fn status(app: &Object, deployment: Option<&Object>) -> Value {
    let count = |field| deployment.and_then(|d| d["status"][field].as_u64());
    let (updated, ready) = (count("updatedReplicas"), count("readyReplicas"));
    let wanted = app["spec"]["replicas"].as_u64().unwrap_or(0);
    let is_seen = |d: &Object| d["status"]["observedGeneration"] == d["metadata"]["generation"];
    let phase = match deployment {
        None => "Pending",
        Some(d) if is_seen(d) && updated.min(ready).unwrap_or(0) == wanted => "Ready",
        Some(_) => "Progressing",
    };
    json!({"phase": phase, "readyReplicas": ready.unwrap_or(0)})
}

fn main() -> Result<(), Box<dyn Error>> {
    let directory = std::env::args_os().nth(1).map(PathBuf::from);
    let directory = directory.ok_or("which directory is the cluster in?")?;
    let cluster = Cluster::open(&directory, Open::as_writer("application-controller"))?;
    let controller = Applications::new(&cluster)?;
    Ok(runtime::run(&cluster, vec![Box::new(controller)])?)
}
