//! Explores a user's controller through the library: planted bugs are found, with short schedules.

use std::sync::Arc;

use ctl::api::json::{Value, json};
use ctl::cluster::{ApiError, ClockMode, Cluster, Kind, Open, Place, Settings, WriteOptions};
use ctl::runtime::explore::{Act, Fixture, Kinds, Make, Options, Problem, Report, explore};
use ctl::runtime::{Controller, Key, Object, Plan, PlannedWrite, ReconcileContext, Seed, Watch};

/// The state by which a controller decides that a ConfigMap has no copy yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Looks {
    /// The copies themselves.
    Copies,
    /// A note that it writes after the copy: a crash in between leads to a second copy.
    Note,
    /// Its memory, which a crash clears.
    Memory,
}

/// Makes a copy of each ConfigMap with the label `wanted`.
struct Copier {
    looks: Looks,
    done: Vec<Key>,
    maps: &'static Kind,
}

impl Controller for Copier {
    fn name(&self) -> &'static str {
        "copier"
    }

    fn watches(&self) -> Vec<Watch> {
        vec![Watch::own(self.maps)]
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        let mut plan = Plan::done();
        let label = |map: &Object, name: &str| map.to_value()["metadata"]["labels"][name].clone();
        let map = context.cache.by_key(self.maps, context.key);
        let Some(map) = map.filter(|map| !label(map, "wanted").is_null()) else {
            return plan;
        };
        let copies = context.cache.list(self.maps, map.namespace());
        let has_copy = match self.looks {
            Looks::Copies => copies
                .into_iter()
                .any(|other| label(other, "copy-of") == map.name()),
            Looks::Note => !label(map, "copied").is_null(),
            Looks::Memory => self.done.contains(map.key()),
        };
        if has_copy {
            return plan;
        }
        let copy = json!({"metadata": {"generateName": format!("{}-", map.name()), "labels": {"copy-of": map.name()}}});
        plan.changes.push(PlannedWrite::create(
            map.place(),
            copy,
            "copy: there is none",
        ));
        match self.looks {
            Looks::Copies => {}
            Looks::Note => {
                let note = json!({"metadata": {"labels": {"copied": "yes"}}});
                plan.changes
                    .push(PlannedWrite::merge(map, note, "note: there is a copy"));
            }
            Looks::Memory => self.done.push(map.key().clone()),
        }
        plan
    }
}

/// Explores how a copier and the cluster's own controllers react to two ConfigMaps.
fn explored(looks: Looks, kinds: Kinds) -> Report {
    let settings = Settings {
        clock: ClockMode::Virtual,
        ..Settings::new(Seed(1))
    };
    let cluster = Cluster::in_memory(&Open::default(), settings);
    cluster.bootstrap().unwrap();
    let make: Make = Arc::new(move |cluster| {
        let copier: Box<dyn Controller> = Box::new(Copier {
            looks,
            done: Vec::new(),
            maps: cluster.kind("configmaps")?,
        });
        let mut all = ctl::controllers::wanted(&|_| true);
        all.push(copier);
        Ok(all)
    });
    let change = |cluster: &Cluster| -> Result<(), ApiError> {
        let place = Place::new(cluster.kind("configmaps")?, "default");
        for name in ["a", "b"] {
            let map = json!({"metadata": {"name": name, "labels": {"wanted": "yes"}}});
            cluster.create(&place, &map, &WriteOptions::default())?;
        }
        Ok(())
    };
    let check = |_: &Cluster| -> Result<Option<String>, ApiError> { Ok(None) };
    let fixture = Fixture::new(&cluster, make, &change, &check).unwrap();
    let options = Options {
        seeds: 1..61,
        kinds,
        threads: 2,
    };
    explore(&fixture, &options, &|_, _| true).unwrap()
}

const CRASH: Kinds = Kinds {
    crash: true,
    faults: false,
};

#[test]
fn level_triggered_controller_survives_crashes_and_faults() {
    let both = Kinds {
        crash: true,
        faults: true,
    };
    let report = explored(Looks::Copies, both);
    assert_eq!((report.runs, report.found.len()), (60, 0), "{report:?}");
}

#[test]
fn crash_between_two_writes_is_found_and_shortened() {
    let report = explored(Looks::Note, CRASH);
    let found = &report.found[0];
    let Problem::Differs(lines) = &found.problem else {
        panic!("{report:?}");
    };
    assert!(
        lines
            .iter()
            .all(|line| line.ends_with("-*: 2 instead of 1")),
        "{lines:?}"
    );
    let [decision] = &found.shortest[..] else {
        panic!("{report:?}");
    };
    assert_eq!(decision.controller, "copier");
    // The order is: copy a, note a, copy b, note b. The crash comes after the first or the third step.
    assert!(
        matches!(decision.act, Act::Crash { after: 1 | 3 }),
        "{decision}"
    );
    assert!(
        found.drawn > 1,
        "the seed has nothing to shorten: {report:?}"
    );
}

#[test]
fn dependence_on_in_memory_state_is_found() {
    let report = explored(Looks::Memory, CRASH);
    assert!(!report.found.is_empty());
    for found in report.found.iter().filter(|found| found.shortened) {
        // The schedule has the crash and at most the steps that lead to the commit it hits.
        assert!(found.shortest.len() < 5, "{report:?}");
        let crashes = |act: Act| matches!(act, Act::Crash { .. });
        assert!(found.shortest.iter().any(|decision| crashes(decision.act)));
    }
    // The controller fails only if it crashes.
    assert!(explored(Looks::Memory, Kinds::default()).found.is_empty());
}

#[test]
fn duplicate_after_an_api_fault_is_found() {
    let faults = Kinds {
        crash: false,
        faults: true,
    };
    let report = explored(Looks::Note, faults);
    let act = |report: &Report| report.found.first().map(|found| found.shortest[0].act);
    assert!(
        matches!(
            act(&report),
            Some(Act::Refuse { .. } | Act::Conflict { .. } | Act::Lose { .. })
        ),
        "{report:?}"
    );
}

#[test]
fn exploration_is_deterministic() {
    let shown = |report: Report| {
        let found: Vec<Value> = report
            .found
            .iter()
            .map(|found| json!({"seeds": found.seeds.clone(), "shortest": found.shortest.iter().map(ToString::to_string).collect::<Vec<_>>()}))
            .collect();
        json!(found).to_string()
    };
    assert_eq!(
        shown(explored(Looks::Note, CRASH)),
        shown(explored(Looks::Note, CRASH))
    );
}
