//! A stage of the fake kubelet: containers of Pods with the label `flaky=yes` exit with code 9 after five seconds.
//!
//! `cargo run --example stage -- EMPTY_DIRECTORY`

use std::error::Error;
use std::path::{Path, PathBuf};

use ctl::api::json::json;
use ctl::cluster::{ClockMode, Cluster, Open, Place, Settings, WriteOptions};
use ctl::runtime::{Config, Manager, Until};
use ctl::sys::entropy::Seed;
use jiff::SignedDuration;

const FLAKY: &str = "\
name: flaky
for: container
when: {state: running, label.flaky: 'yes'}
delay: {seconds: 5}
next:
  state: {terminated: {exitCode: 9}}
";

/// Runs the scenario in a new cluster. Returns how often the container restarted within 30 simulated seconds.
pub(crate) fn scenario(directory: &Path) -> Result<u64, Box<dyn Error>> {
    let settings = Settings {
        clock: ClockMode::Virtual,
        ..Settings::new(Seed(1))
    };
    let (cluster, _) = Cluster::init(directory, Open::as_writer("stage"), settings)?;
    cluster.bootstrap()?;
    let options = WriteOptions::default();
    let stages = json!({"metadata": {"name": "ctl-stages"}, "data": {"flaky.yaml": FLAKY}});
    let place = Place::new(cluster.kind("configmaps")?, "kube-system");
    cluster.create(&place, &stages, &options)?;
    let pods = Place::new(cluster.kind("pods")?, "default");
    let pod = json!({"metadata": {"name": "moody", "labels": {"flaky": "yes"}},
        "spec": {"containers": [{"name": "main", "image": "nginx"}]}});
    // The admission of Pods needs the namespace's default service account, which a controller creates.
    let pass = Until {
        pass: Some(SignedDuration::from_secs(30)),
        timeout: None,
    };
    let mut controllers = ctl::controllers::wanted(&|_| true);
    controllers.extend(ctl::kubelet::controllers());
    let mut manager = Manager::new(&cluster, controllers, &|_| Config::default());
    manager.load()?;
    cluster.create(&pods, &pod, &options)?;
    let _outcome = manager.settle(&pass, &|| false)?;
    let pod = cluster.get(&pods, "moody")?;
    let restarts = pod["status"]["containerStatuses"][0]["restartCount"].as_u64();
    Ok(restarts.unwrap_or(0))
}

fn main() -> Result<(), Box<dyn Error>> {
    let directory = std::env::args_os().nth(1).map(PathBuf::from);
    let directory = directory.ok_or("name an empty directory for the cluster")?;
    let restarts = scenario(&directory)?;
    assert!(restarts >= 2, "the container restarted {restarts} times");
    Ok(())
}
