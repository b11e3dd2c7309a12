//! Measures exploring: a rolling update under many schedules.

use std::sync::Arc;
use std::time::Duration;

use ctl::api::json::json;
use ctl::cluster::{ApiError, ClockMode, Cluster, Open, PatchType, Settings, WriteOptions};
use ctl::runtime::explore::{Fixture, Kinds, Make, Options, explore};
use ctl::sys::clock::Stopwatch;
use ctl::sys::entropy::Seed;

use crate::controllers::{create, deployment, every, place, settle};
use crate::table::{Table, ms};

/// The target time of 1,000 schedules.
const TARGET: Duration = Duration::from_secs(20);

/// Measures the schedules of a rolling update of 100 Pods, with crashes and failing writes.
pub(crate) fn rollout(table: &mut Table, quick: bool) {
    let settings = Settings {
        clock: ClockMode::Virtual,
        ..Settings::new(Seed(1))
    };
    let cluster = Cluster::in_memory(&Open::default(), settings);
    cluster.bootstrap().unwrap();
    create(&cluster, &deployment("web", 100));
    settle(&cluster);
    let make: Make = Arc::new(|_| Ok(every()));
    let change = |cluster: &Cluster| -> Result<(), ApiError> {
        let patch = json!({"spec": {"template": {"spec": {"containers": [{"name": "web", "image": "nginx:1.26"}]}}}});
        let place = place("apps", "Deployment");
        let change = (PatchType::Strategic, &patch);
        cluster.patch(&place, "web", change, false, &WriteOptions::default())?;
        Ok(())
    };
    let check = |_: &Cluster| -> Result<Option<String>, ApiError> { Ok(None) };
    let fixture = Fixture::new(&cluster, make, &change, &check).unwrap();
    let count = if quick { 100 } else { 1000 };
    let options = Options {
        seeds: 1..count + 1,
        kinds: Kinds {
            crash: true,
            faults: true,
        },
        threads: std::thread::available_parallelism().map_or(1, usize::from),
    };
    let stopwatch = Stopwatch::start();
    let report = explore(&fixture, &options, &|_, _| true).unwrap();
    let wall = stopwatch.elapsed();
    assert!(report.found.is_empty(), "{report:?}");
    let target = TARGET.mul_f64(f64::from(u32::try_from(count).unwrap()) / 1000.0);
    let what =
        format!("{count} schedules of a rolling update of 100 Pods, with crashes and faults");
    table.row(&what, &ms(wall), "-", &ms(target), wall <= target);
}
