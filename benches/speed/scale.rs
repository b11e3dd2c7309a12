//! Measures scale: a simulated day, many Pods in memory, and the largest cluster that Kubernetes supports.

use std::time::Duration;

use ctl::cluster::{ClockMode, Cluster, Open, Settings};
use ctl::sys::clock::Stopwatch;
use ctl::sys::entropy::Seed;

use crate::commands::{ctl, run, time};
use crate::controllers::{create, deployment, deployment_row, settle};
use crate::raw;
use crate::scratch::Scratch;
use crate::table::{Table, ms};

/// The target CPU time of a simulated day.
const DAY: Duration = Duration::from_secs(5);

/// Measures hours of the virtual clock on 100 nodes with 200 Pods, in which two Jobs start each minute.
pub(crate) fn day(table: &mut Table, hours: u32) {
    let dir = Scratch::new();
    let state = dir.path().join("state");
    let does = |args: &[&str]| run(ctl(&state, args));
    let init = "cluster init --nodes 100 --clock virtual --seed 1";
    let create = "create deployment web --image=nginx:1 --replicas=200";
    for line in [init, create, "settle"] {
        does(&line.split(' ').collect::<Vec<_>>());
    }
    for name in ["one", "two"] {
        let job = ["create", "cronjob", name, "--image=busybox"];
        does(&[&job[..], &["--schedule=*/1 * * * *", "--", "true"]].concat());
    }
    let cpu = raw::children_cpu();
    let passed = format!("{hours}h");
    let wall = time(1, |_| ctl(&state, &["settle", "--for", &passed]));
    let cpu = raw::children_cpu() - cpu;
    let target = DAY.mul_f64(f64::from(hours) / 24.0);
    let what = format!(
        "CPU of {hours} simulated hours: 100 nodes, 200 Pods, {} Jobs",
        hours * 120
    );
    let said = format!("{} (wall {})", ms(cpu), ms(wall));
    table.row(&what, &said, "", &ms(target), cpu <= target);
}

/// Measures a Deployment of many Pods in memory, from the controllers' first read until all Pods are ready.
pub(crate) fn in_memory(table: &mut Table, pods: u32) {
    let settings = Settings {
        clock: ClockMode::Virtual,
        nodes: (pods / 100).max(5),
        ..Settings::new(Seed(1))
    };
    let cluster = Cluster::in_memory(&Open::default(), settings);
    cluster.bootstrap().unwrap();
    create(&cluster, &deployment("web", usize::try_from(pods).unwrap()));
    let stopwatch = Stopwatch::start();
    settle(&cluster);
    let wall = stopwatch.elapsed();
    let target = Duration::from_secs(1).mul_f64(f64::from(pods) / 10_000.0);
    let what = format!("a Deployment of {pods} Pods in memory to ready");
    table.row(&what, &ms(wall), "", &ms(target), wall <= target);
}

/// Measures 150,000 Pods on 5,000 nodes, which takes minutes on a slow disk.
pub(crate) fn largest(table: &mut Table) {
    deployment_row(table, 5_000, (150_000, 30_000, 1_000.0));
}
