//! A rollout test without sleeps: a CronJob and a Deployment on a virtual clock, where a day takes milliseconds.
//!
//! `cargo run --example virtual_clock -- EMPTY_DIRECTORY`

use std::error::Error;
use std::path::{Path, PathBuf};

use ctl::api::json::{Value, json};
use ctl::cluster::{
    ClockMode, Cluster, ListOptions, Open, PatchType, Place, Settings, WriteOptions,
};
use ctl::runtime::{Config, Manager, Outcome, Until};
use ctl::sys::entropy::Seed;
use jiff::SignedDuration;

/// Runs all controllers until nothing is left to do and, if `pass` is set, that much simulated time has passed.
fn settle(cluster: &Cluster, pass: Option<SignedDuration>) -> Result<Outcome, Box<dyn Error>> {
    let mut controllers = ctl::controllers::wanted(&|_| true);
    controllers.extend(ctl::kubelet::controllers());
    let mut manager = Manager::new(cluster, controllers, &|_| Config::default());
    manager.load()?;
    let until = Until {
        pass,
        timeout: None,
    };
    Ok(manager.settle(&until, &|| false)?)
}

fn deployment(image: &str) -> Value {
    let labels = json!({"app": "web"});
    json!({"metadata": {"name": "web"}, "spec": {
        "replicas": 3,
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels},
            "spec": {"containers": [{"name": "web", "image": image}]}},
    }})
}

fn hourly() -> Value {
    let container = json!({"name": "report", "image": "busybox", "command": ["true"]});
    json!({"metadata": {"name": "report"}, "spec": {
        "schedule": "0 * * * *",
        "jobTemplate": {"spec": {"template": {"spec": {
            "restartPolicy": "Never", "containers": [container],
        }}}},
    }})
}

/// Runs the scenario in a new cluster. Returns the numbers of available replicas and of completed Jobs.
pub(crate) fn scenario(directory: &Path) -> Result<(u64, usize), Box<dyn Error>> {
    let settings = Settings {
        clock: ClockMode::Virtual,
        ..Settings::new(Seed(1))
    };
    let (cluster, _) = Cluster::init(directory, Open::as_writer("virtual-clock"), settings)?;
    cluster.bootstrap()?;
    let deployments = Place::new(cluster.kind("deployments.apps")?, "default");
    let options = WriteOptions::default();
    cluster.create(&deployments, &deployment("nginx:1.27"), &options)?;
    if settle(&cluster, None)? != Outcome::Settled {
        return Err("the first rollout is stuck".into());
    }
    // An image that does not exist: the rollout must get stuck while the old Pods keep serving.
    let image = json!({"spec": {"template": {"spec": {"containers": [
        {"name": "web", "image": "nginx:does-not-exist"},
    ]}}}});
    cluster.patch(
        &deployments,
        "web",
        (PatchType::Strategic, &image),
        false,
        &options,
    )?;
    if !matches!(settle(&cluster, None)?, Outcome::Stuck(_)) {
        return Err("a rollout to a missing image must not succeed".into());
    }
    let web = cluster.get(&deployments, "web")?;
    let available = web["status"]["availableReplicas"].as_u64().unwrap_or(0);
    // A day of an hourly CronJob passes in milliseconds.
    let cron_jobs = Place::new(cluster.kind("cronjobs.batch")?, "default");
    cluster.create(&cron_jobs, &hourly(), &options)?;
    let _outcome = settle(&cluster, Some(SignedDuration::from_hours(24)))?;
    let report = cluster.get(&cron_jobs, "report")?;
    if report["status"]["lastSuccessfulTime"].is_null() {
        return Err("no Job has completed".into());
    }
    let jobs = Place::new(cluster.kind("jobs.batch")?, "default");
    let completed = cluster.select(&jobs, &ListOptions::default())?;
    Ok((available, completed.items.len()))
}

fn main() -> Result<(), Box<dyn Error>> {
    let directory = std::env::args_os().nth(1).map(PathBuf::from);
    let directory = directory.ok_or("name an empty directory for the cluster")?;
    let (available, jobs) = scenario(&directory)?;
    assert_eq!(available, 3, "old Pods stay while the new image is missing");
    assert_eq!(jobs, 3, "successfulJobsHistoryLimit keeps three Jobs");
    Ok(())
}
