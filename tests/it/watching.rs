//! Tests watches under load: eight watchers, eight writers, compactions, and one watcher that pauses. The events must
//! have the properties that etcd checks for its own watches, under the same names.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ctl::cluster::{Cluster, Event, Expect, Key, Range, RawOp, StoreError};

use crate::support::http::{Client, Server};
use crate::support::race::{Random, assert_gap_free, open};
use crate::support::{World, config_map, count, in_time, key};
use ctl::api::json::{Value, json};

const SEED: u64 = 16;

/// The result of each change: the key and the value, which is `None` if the change removed the object.
type Changes = BTreeMap<u64, (String, Option<String>)>;

/// The events of a watcher.
#[derive(Default)]
struct Watched {
    /// The changes, by their revision.
    changes: Changes,
    /// The ranges that were too old and were replaced by a list: from (exclusive) and to.
    relisted: Vec<(u64, u64)>,
    last: u64,
}

fn value(json: &[u8]) -> String {
    let json: ctl::api::json::Value = serde_json::from_slice(json).unwrap();
    json["data"]["v"].as_str().unwrap().to_owned()
}

impl Watched {
    /// Ordered and Unique: checks that a change comes after all earlier ones.
    fn take(&mut self, revision: u64, key: &str, value: Option<String>) {
        assert!(
            revision > self.last,
            "Ordered: {revision} came behind {}",
            self.last
        );
        self.last = revision;
        assert!(
            self.changes
                .insert(revision, (key.to_owned(), value))
                .is_none(),
            "Unique"
        );
    }

    /// Reliable: checks that no change is missing except those that a list replaced.
    fn check(&self, who: &str, truth: &Changes, after: u64) {
        let skipped = |r: u64| self.relisted.iter().any(|(from, to)| *from < r && r <= *to);
        for (revision, change) in truth.range(after + 1..) {
            match self.changes.get(revision) {
                Some(seen) => assert_eq!(seen, change, "{who} at {revision}"),
                None => assert!(skipped(*revision), "Reliable: {who} missed {revision}"),
            }
        }
        assert!(
            self.changes.keys().all(|r| truth.contains_key(r)),
            "{who} saw what never was"
        );
    }
}

/// Writes until there are enough commits. Every tenth commit is a pair, and every fifteenth a removal.
fn write(cluster: &Cluster, who: usize, commits: usize, made: &AtomicU64) {
    let mut random = Random::new(SEED + who as u64);
    for n in 0..commits {
        let op = |name: String, value: Option<String>| {
            RawOp {
            key: Key::parse(&key(&name)).unwrap(),
            object: value.map(|value| {
                let metadata = json!({"name": name, "namespace": "default"});
                json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"v": value}})
            }),
            expect: Expect::Any,
        }
        };
        let (name, text) = (format!("w{who}-{}", random.below(6)), format!("{who}-{n}"));
        let ops = match n % 30 {
            0 | 10 | 20 => vec![
                op(format!("left{who}"), Some(text.clone())),
                op(format!("right{who}"), Some(text)),
            ],
            14 | 29 => vec![op(name, None)],
            _ => vec![op(name, Some(text))],
        };
        cluster.stored().commit(&ops, None, "write").unwrap();
        made.fetch_add(1, Ordering::Relaxed);
    }
}

/// Atomic: checks that both halves of a pair are in the same response.
fn check_atomic(events: &[Event]) {
    for pair in events.iter().filter(|e| e.key.name().starts_with("left")) {
        let right = pair.key.as_str().replace("left", "right");
        let value = pair.after.as_deref().map(value);
        let other = events
            .iter()
            .find(|e| e.key.as_str() == right && e.revision == pair.revision + 1);
        let other = other.and_then(|e| e.after.as_deref().map(self::value));
        assert_eq!(value, other, "Atomic: {} came without its pair", pair.key);
    }
}

/// PrevKV and IsCreate: checks that the previous state in an event equals the result of the earlier events.
fn check_previous(state: &mut BTreeMap<String, (u64, Vec<u8>)>, event: &Event, known: bool) {
    let before = event.before.as_ref().map(|(r, json)| (*r, json.to_vec()));
    if known {
        let had = state.get(event.key.as_str()).cloned();
        assert_eq!(before.is_none(), had.is_none(), "IsCreate: {event:?}");
        assert_eq!(before, had, "PrevKV: {event:?}");
    }
    match &event.after {
        Some(json) => state.insert(event.key.to_string(), (event.revision, json.to_vec())),
        None => state.remove(event.key.as_str()),
    };
}

/// Watches in this process until the end. Lists again if the start is too old.
fn watch_here(cluster: &Cluster, after: u64, end: &AtomicU64, pause: Duration) -> Watched {
    let (all, mut at) = (Range::all(), after);
    let mut seen = Watched {
        last: after,
        ..Watched::default()
    };
    let (mut state, mut known) = (BTreeMap::new(), true);
    while at < end.load(Ordering::Relaxed) {
        match cluster.stored().events(&all, at) {
            Ok((events, now)) => {
                check_atomic(&events);
                for event in &events {
                    check_previous(&mut state, event, known);
                    let after = event.after.as_deref().map(value);
                    seen.take(event.revision, event.key.as_str(), after);
                }
                // Bookmarkable: the watch can continue from the revision of the response.
                assert!(now >= seen.last && now >= at, "Bookmarkable: {now}");
                at = now;
            }
            Err(StoreError::Gone { asked, oldest }) => {
                assert!(asked == at && oldest > at);
                let list = cluster.stored().list(&all, None).unwrap();
                state = list
                    .items
                    .iter()
                    .map(|i| (i.key.to_string(), (i.revision, i.json.to_vec())))
                    .collect();
                known = true;
                seen.relisted.push((at, list.revision));
                (seen.last, at) = (list.revision, list.revision);
            }
            Err(e) => panic!("{e}"),
        }
        std::thread::sleep(pause);
        cluster
            .stored()
            .wait(at, Duration::from_millis(200))
            .unwrap();
    }
    seen
}

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

fn version(object: &Value) -> u64 {
    let version = object["metadata"]["resourceVersion"].as_str();
    version.unwrap().parse().unwrap()
}

fn name(object: &Value) -> String {
    key(object["metadata"]["name"].as_str().unwrap())
}

/// Watches over HTTP until the end. Lists again if the start is too old. One watcher pauses for a while in the middle
/// of a watch.
fn watch_there(address: &str, end: &AtomicU64, pauses: bool) -> Watched {
    let mut seen = Watched {
        last: 1,
        ..Watched::default()
    };
    let (mut at, mut there, mut pause) = (1, BTreeSet::new(), pauses);
    while at < end.load(Ordering::Relaxed) {
        let path = format!(
            "{MAPS}?watch=1&resourceVersion={at}&timeoutSeconds=3&allowWatchBookmarks=true"
        );
        for event in Client::watch(address, &path) {
            let object = &event["object"];
            if event["type"] == "ERROR" {
                assert_eq!(
                    (&object["code"], &object["reason"]),
                    (&json!(410), &json!("Expired"))
                );
                let list = Client::new(address).get(MAPS).ok();
                let items = list["items"].as_array().unwrap();
                there = items.iter().map(name).collect();
                let now = version(&list);
                assert!(now > at, "a list behind an answer that came too late");
                seen.relisted.push((at, now));
                (seen.last, at) = (now, now);
                break;
            }
            if event["type"] == "BOOKMARK" {
                assert!(version(object) >= at, "Bookmarkable: {object}");
            } else {
                take_event(&mut seen, &mut there, &event);
            }
            at = version(object);
            if at >= end.load(Ordering::Relaxed) {
                break;
            }
            if std::mem::take(&mut pause) {
                std::thread::sleep(Duration::from_secs(count(2, 5) as u64));
            }
        }
    }
    seen
}

/// Records a change. IsCreate: an addition names a missing object, and any other event an existing one.
fn take_event(seen: &mut Watched, there: &mut BTreeSet<String>, event: &Value) {
    let object = &event["object"];
    let name = name(object);
    let value = object["data"]["v"].as_str().unwrap().to_owned();
    let (new, value) = match event["type"].as_str().unwrap() {
        "ADDED" => (there.insert(name.clone()), Some(value)),
        "MODIFIED" => (!there.contains(&name), Some(value)),
        "DELETED" => (!there.remove(&name), None),
        other => panic!("{other}: {event}"),
    };
    assert_eq!(new, event["type"] == "ADDED", "IsCreate: {event}");
    seen.take(version(object), &name, value);
}

/// Resumable and Filter: from any revision and with any prefix, a watch returns the remaining events or a clear error.
fn check_resumes(cluster: &Cluster, truth: &Changes, how_many: usize) -> usize {
    let mut random = Random::new(SEED);
    let (last, mut gone) = (*truth.keys().next_back().unwrap(), 0);
    for n in 0..how_many {
        let after = 1 + random.next() % last;
        let range = match n % 3 {
            0 => Range::all(),
            1 => Range::prefix(&key("left")),
            _ => Range::prefix(&key(&format!("w{}-", random.below(8)))),
        };
        match cluster.stored().events(&range, after) {
            Ok((events, now)) => {
                assert_eq!(now, last);
                let seen: Vec<_> = events
                    .iter()
                    .map(|e| (e.revision, e.key.to_string()))
                    .collect();
                let rest = truth
                    .range(after + 1..)
                    .filter(|(_, (key, _))| range.contains(key));
                let rest: Vec<_> = rest.map(|(r, (key, _))| (*r, key.clone())).collect();
                assert_eq!(seen, rest, "Resumable or Filter: {range:?} after {after}");
            }
            Err(StoreError::Gone { oldest, .. }) => {
                assert!(oldest > after);
                gone += 1;
            }
            Err(e) => panic!("{e}"),
        }
    }
    gone
}

/// Stops the watchers when it is dropped. After a failed assertion, the scope of their threads would otherwise wait
/// forever.
struct Ends<'a>(&'a AtomicU64);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(0, Ordering::Relaxed);
    }
}

#[test]
fn watchers_stay_consistent_across_compactions() {
    let (writers, commits) = (8, count(1600, 10_000));
    let world = World::cluster();
    // The history is so short that a watcher may come too late.
    let settings = world.path("cluster.yaml");
    let text = std::fs::read_to_string(&settings)
        .unwrap()
        .replace("history: 64", "history: 0");
    crate::support::race::write_file(&settings, text);
    let (made, end) = (AtomicU64::new(0), AtomicU64::new(u64::MAX));
    let shared = open(&world, "shared");
    let server = Server::start(&world, &[]);
    let truth: std::sync::Mutex<Changes> = std::sync::Mutex::default();
    let watched = std::thread::scope(|scope| {
        let (world, end, shared, made, truth) = (&world, &end, &shared, &made, &truth);
        let address = server.address.as_str();
        let _ends = Ends(end);
        let mut watchers = Vec::new();
        for n in 0..4 {
            let pause = Duration::from_millis(if n == 3 { 300 } else { 0 });
            watchers.push(scope.spawn(move || watch_here(shared, 1, end, pause)));
            watchers.push(scope.spawn(move || watch_there(address, end, n == 0)));
        }
        let hands: Vec<_> = (0..writers)
            .map(|who| {
                scope.spawn(move || write(&open(world, "writer"), who, commits / writers, made))
            })
            .collect();
        let cluster = open(world, "compactor");
        let (mut at, mut next, every) = (1, commits as u64 / 10, commits as u64 / 10);
        loop {
            let finished = hands.iter().all(std::thread::ScopedJoinHandle::is_finished);
            // Nothing is compacted before the history has been read.
            let (events, now) = cluster.stored().events(&Range::all(), at).unwrap();
            at = now;
            let change = |e: Event| {
                (
                    e.revision,
                    (e.key.to_string(), e.after.as_deref().map(value)),
                )
            };
            truth.lock().unwrap().extend(events.into_iter().map(change));
            if finished {
                break;
            }
            let written = made.load(Ordering::Relaxed);
            // Two late compactions in a row after the last write would leave nothing to resume from.
            if written >= next && written + every / 2 < commits as u64 {
                cluster.stored().compact().unwrap();
                next += every;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        end.store(at, Ordering::Relaxed);
        // The last commit wakes the watchers that wait for one.
        cluster.stored().lead().unwrap();
        watchers
            .into_iter()
            .map(|w| w.join().unwrap())
            .collect::<Vec<_>>()
    });
    let truth = truth.into_inner().unwrap();
    let revisions: Vec<u64> = truth.keys().copied().collect();
    assert_eq!(assert_gap_free(&revisions).0, 2);
    let mut relists = 0;
    for (n, watched) in watched.iter().enumerate() {
        watched.check(&format!("watcher {n}"), &truth, 1);
        relists += watched.relisted.len();
    }
    let gone = check_resumes(&shared, &truth, 200);
    eprintln!(
        "T16: 8 watchers, {} changes, {relists} lists after too-old errors, {gone} of 200 too old",
        truth.len()
    );
    assert!(gone > 0 && gone < 200, "both answers must have been tried");
    assert_eq!(server.stop().code, 0);
    let _ = world.fsck();
}

#[test]
fn commit_wakes_all_waiting_threads() {
    let world = World::cluster();
    let cluster = open(&world, "server");
    let rounds = count(20, 100);
    let watch = ctl::sys::clock::Stopwatch::start();
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                for at in 1..=rounds as u64 {
                    while cluster.stored().wait(at, Duration::from_secs(30)).unwrap() <= at {}
                }
            });
        }
        let writer = open(&world, "writer");
        for n in 0..rounds {
            std::thread::sleep(Duration::from_millis(10));
            let op = RawOp {
                key: Key::parse(&key("a")).unwrap(),
                object: Some(serde_json::from_str(&config_map(&n.to_string())).unwrap()),
                expect: Expect::Any,
            };
            writer.stored().commit(&[op], None, "write").unwrap();
        }
    });
    let each = watch.elapsed() / u32::try_from(rounds).unwrap();
    assert!(
        each < in_time(Duration::from_millis(300)),
        "a commit needs {each:?} to be heard by all"
    );
    let _ = world.fsck();
}
