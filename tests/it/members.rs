//! Tests an etcd of three members with failures: no acknowledged write is lost, and no action happens twice.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use ctl::store::{
    Batch, Cause, ClockMode, EtcdStore, Expect, HistoryQuery, Key, Members, Op, Options, Range,
    Settings, Store, StoreError, View,
};
use ctl::sys::entropy::Seed;

use crate::support::race::{Random, eventually, seed};
use crate::support::ring::{MEMBERS, Ring, Trouble};
use crate::support::{count, note};

const PATIENCE: Duration = Duration::from_secs(120);

const WRITERS: usize = 3;

/// The number of writes that must succeed during and after a failure.
const PROGRESS: usize = 20;

fn key(name: &str) -> Key {
    Key::new("configmaps", Some("default"), name).unwrap()
}

fn json(name: &str, value: u64) -> Vec<u8> {
    // The value is long, so that the database grows and a full disk is noticed.
    let fill = "x".repeat(2000);
    format!(
        r#"{{"apiVersion":"v1","data":{{"fill":"{fill}","v":"{value}"}},"kind":"ConfigMap","metadata":{{"name":"{name}","namespace":"default","uid":"{name}"}}}}"#
    )
    .into_bytes()
}

fn value(json: &[u8]) -> u64 {
    let text = std::str::from_utf8(json).unwrap();
    let (_, rest) = text.split_once(r#""v":""#).unwrap();
    rest.split_once('"').unwrap().0.parse().unwrap()
}

fn open(addresses: Vec<String>) -> EtcdStore {
    let members = Members {
        addresses,
        prefix: "registry".to_owned(),
        tls: None,
    };
    let settings = Settings {
        clock: ClockMode::System,
        ..Settings::new(Seed(1))
    };
    EtcdStore::open_or_create(&members, &Options::default(), &settings).unwrap()
}

/// Increments a counter and creates an object with its number, in one commit.
fn act(store: &EtcdStore, action: &str) -> Result<(), StoreError> {
    let cause = Cause::new(action, "act");
    let done = store.transact(&cause, &mut |view: &(dyn View + Sync)| {
        let counter = view.get(&key("counter"))?;
        let next = counter.as_ref().map_or(0, |c| value(&c.json)) + 1;
        let expect = counter.map_or(Expect::Absent, |c| Expect::At(c.revision));
        Ok(Some(Batch::new(vec![
            Op::put(key("counter"), json("counter", next), expect),
            Op::put(key(action), json(action, next), Expect::Absent),
        ])))
    });
    done.map(drop)
}

/// The outcomes of a writer's actions.
#[derive(Default)]
struct Told {
    acknowledged: BTreeSet<String>,
    unknown: BTreeSet<String>,
}

fn write(store: &EtcdStore, number: usize, stop: &AtomicBool, acted: &[AtomicUsize]) -> Told {
    let mut told = Told::default();
    for turn in 0.. {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let action = format!("action-{number}-{turn}");
        match act(store, &action) {
            Ok(()) => {
                told.acknowledged.insert(action);
                acted[number].fetch_add(1, Ordering::Relaxed);
            }
            Err(error) => {
                assert!(error.is_passing(), "{action}: {error}");
                told.unknown.insert(action);
                thread::sleep(Duration::from_millis(50));
            }
        }
    }
    told
}

/// Stops the writers when it is dropped. After a failed assertion, the scope of their threads would otherwise wait
/// forever.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[track_caller]
fn until_progress(ring: &Ring, acted: &[AtomicUsize], trouble: &str) {
    let now = || {
        acted
            .iter()
            .map(|n| n.load(Ordering::Relaxed))
            .sum::<usize>()
    };
    let goal = now() + PROGRESS;
    assert!(
        eventually(PATIENCE, || now() >= goal),
        "no progress: {trouble}; {}",
        ring.copies("/registry/configmaps/default/counter")
    );
}

/// Compares the state and history of a member with the results that the writers received.
fn check(store: &EtcdStore, told: &[Told], place: &str) {
    let items = store
        .list(&Range::resource("configmaps", None))
        .unwrap()
        .items;
    let mut found: BTreeMap<String, u64> = BTreeMap::new();
    for item in &items {
        assert!(
            found
                .insert(item.key.name().to_owned(), value(&item.json))
                .is_none()
        );
    }
    let counted = found.remove("counter").unwrap();
    let acknowledged = told.iter().flat_map(|t| &t.acknowledged);
    let lost: Vec<&String> = acknowledged.filter(|a| !found.contains_key(*a)).collect();
    assert!(lost.is_empty(), "{place}: acknowledged and lost: {lost:?}");
    let is_known = |action: &String| {
        told.iter()
            .any(|t| t.acknowledged.contains(action) || t.unknown.contains(action))
    };
    assert!(found.keys().all(is_known), "{place}: nobody's action");
    let numbers: BTreeSet<u64> = found.values().copied().collect();
    assert_eq!(numbers.len(), found.len(), "{place}: a number twice");
    assert_eq!(
        counted,
        found.len() as u64,
        "{place}: an action counted twice"
    );
    // The history contains each action once, and the counter increases by one each time.
    let (mut last, mut actions) = (0, BTreeSet::new());
    let past = HistoryQuery {
        after: 1,
        ..HistoryQuery::default()
    };
    for change in store.history(&past).unwrap() {
        for event in &change.events {
            let now = value(event.after.as_ref().unwrap());
            if event.key.name() == "counter" {
                assert_eq!(now, last + 1, "{place}");
                last = now;
            } else {
                let name = event.key.name().to_owned();
                assert!(actions.insert(name), "{place}: twice in the history");
            }
        }
    }
    assert_eq!(actions.len(), found.len(), "{place}");
}

fn run(seed: u64) -> Option<()> {
    let mut ring = Ring::start()?;
    let mut random = Random::new(seed);
    let stores: Vec<EtcdStore> = (0..WRITERS).map(|n| open(ring.addresses(n))).collect();
    let stop = AtomicBool::new(false);
    let acted: Vec<AtomicUsize> = (0..WRITERS).map(|_| AtomicUsize::new(0)).collect();
    let told: Vec<Told> = thread::scope(|scope| {
        let (stop, acted) = (&stop, &acted);
        let writer = |(number, store)| scope.spawn(move || write(store, number, stop, acted));
        let writers: Vec<_> = stores.iter().enumerate().map(writer).collect();
        let stop_writers = Stop(stop);
        let mut troubles = Trouble::ALL.to_vec();
        while !troubles.is_empty() {
            let trouble = troubles.swap_remove(random.below(troubles.len()));
            let member = match trouble {
                // Only this member has its own disk.
                Trouble::DiskFull => 0,
                _ => random.below(MEMBERS),
            };
            if trouble == Trouble::DiskFull && !ring.can_fill(member) {
                continue;
            }
            let text = format!("seed {seed}, member {member} {trouble:?}");
            until_progress(&ring, acted, &text);
            ring.strike(member, trouble);
            random.pause(Duration::from_secs(1));
            until_progress(&ring, acted, &text);
            ring.heal(member, trouble);
            until_progress(&ring, acted, &format!("after {text}"));
        }
        drop(stop_writers);
        writers.into_iter().map(|w| w.join().unwrap()).collect()
    });
    for member in 0..MEMBERS {
        let store = open(ring.addresses(member)[..1].to_vec());
        check(&store, &told, &format!("seed {seed}, member {member}"));
    }
    let acknowledged: usize = told.iter().map(|t| t.acknowledged.len()).sum();
    let unknown: usize = told.iter().map(|t| t.unknown.len()).sum();
    note(&format!(
        "seed {seed}: {acknowledged} actions acknowledged, {unknown} unknown"
    ));
    Some(())
}

#[test]
fn etcd_member_failures_lose_and_repeat_no_write() {
    let first = seed(1);
    for seed in first..first + count(2, 30) as u64 {
        if run(seed).is_none() {
            return;
        }
    }
}

#[test]
fn a_watch_leaves_a_member_that_is_cut_off() {
    let Some(mut ring) = Ring::start() else {
        return;
    };
    let (watcher, writer) = (open(ring.addresses(2)), open(ring.addresses(0)));
    act(&writer, "before").unwrap();
    assert!(eventually(PATIENCE, || watcher.revision().unwrap() > 1));
    ring.strike(2, Trouble::CutOff);
    // The writer's member may first have to elect a leader.
    assert!(eventually(PATIENCE, || act(&writer, "during").is_ok()));
    let last = writer.revision().unwrap();
    // The watcher makes no call, which would lead it to another member; it only waits for its watch.
    assert!(
        eventually(PATIENCE, || watcher
            .wait(last - 1, Duration::from_secs(1))
            .unwrap()
            >= last),
        "{}",
        ring.copies("/registry/configmaps/default/counter")
    );
}
