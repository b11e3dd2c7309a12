//! Tests the guarantees of `Store` with every implementation.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod linearizable;
#[path = "../../etcd/tests/server/mod.rs"]
#[expect(
    clippy::print_stderr,
    dead_code,
    unreachable_pub,
    reason = "the tests of the client use more of it, and have no other voice"
)]
mod server;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ctl_store::{
    Batch, Candidate, Cause, CausingChange, Change, ChangeReason, ClockMode, EtcdStore, Event,
    Expect, FileStore, HistoryQuery, Key, Members, MemoryStore, Op, Options, Range, Retention,
    Revision, Settings, Share, Store, StoreError,
};
use ctl_sys::clock::{Clock, Stopwatch};
use ctl_sys::entropy::Seed;
use ctl_sys::real_fs::RealFs;
use ctl_sys::sim_fs::Dice;
use jiff::Timestamp;

fn settings() -> Settings {
    Settings {
        clock: ClockMode::Virtual,
        history: Retention::Size(0),
        ..Settings::new(Seed(3))
    }
}

/// Runs a check on a new store of each kind.
fn on_every_store(check: impl Fn(&dyn Store)) {
    let directory = tempfile::tempdir().unwrap();
    let fs = Arc::new(RealFs::open(directory.path()).unwrap());
    let options = Options {
        path: Some(directory.path().to_path_buf()),
        ..Options::default()
    };
    check(&FileStore::open_or_create(fs, options, settings()).unwrap());
    check(&MemoryStore::new(Clock::System, settings()));
    check(&MemoryStore::with_shared_revisions(
        Clock::System,
        settings(),
    ));
    // A fork is a store like any other, with something in it already.
    let parent = MemoryStore::new(Clock::System, settings());
    put(&parent, "before", "1");
    let fork = parent.fork(None).unwrap();
    fork.commit(
        &cause(),
        Batch::new(vec![Op::delete(key("before"), Expect::Present)]),
    )
    .unwrap();
    check(&*fork);
    // A server for each test, because revisions are etcd's, and other writers would affect them.
    if let Some((etcd, _client)) = server::Etcd::plain() {
        check(&on_etcd(&etcd));
    }
}

fn on_etcd(etcd: &server::Etcd) -> EtcdStore {
    let members = Members {
        addresses: vec![etcd.address.clone()],
        prefix: "registry".to_owned(),
        tls: None,
    };
    EtcdStore::open_or_create(&members, &Options::default(), &settings()).unwrap()
}

fn cause() -> Cause {
    Cause::new("test", "rule")
}

fn key(name: &str) -> Key {
    Key::new("configmaps", Some("default"), name).unwrap()
}

fn json(name: &str, value: &str) -> Vec<u8> {
    format!(
        r#"{{"apiVersion":"v1","data":{{"v":"{value}"}},"kind":"ConfigMap","metadata":{{"name":"{name}","namespace":"default","uid":"uid-{name}"}}}}"#
    )
    .into_bytes()
}

fn put_op(name: &str, value: &str, expect: Expect) -> Op {
    Op::put(key(name), json(name, value), expect)
}

fn put(store: &dyn Store, name: &str, value: &str) -> Revision {
    let batch = Batch::new(vec![put_op(name, value, Expect::Any)]);
    store.commit(&cause(), batch).unwrap().revision
}

fn value(json: &[u8]) -> String {
    let text = std::str::from_utf8(json).unwrap();
    let (_, rest) = text.split_once(r#""v":""#).unwrap();
    rest.split_once('"').unwrap().0.to_owned()
}

fn values(store: &dyn Store) -> BTreeMap<String, String> {
    let items = store.list(&Range::all()).unwrap().items;
    let pair = |s: ctl_store::Stored| (s.key.name().to_owned(), value(&s.json));
    items.into_iter().map(pair).collect()
}

#[test]
fn batch_is_committed_atomically() {
    on_every_store(|store| {
        let first = put(store, "a", "1");
        let before = (store.revision().unwrap(), values(store));
        let ops = vec![
            put_op("a", "2", Expect::At(first)),
            put_op("b", "1", Expect::Absent),
            put_op("c", "1", Expect::Present),
        ];
        let refused = store.commit(&cause(), Batch::new(ops.clone())).unwrap_err();
        assert!(matches!(refused, StoreError::NotFound(k) if k == key("c")));
        assert_eq!((store.revision().unwrap(), values(store)), before);
        let done = store
            .commit(&cause(), Batch::new(ops[..2].to_vec()))
            .unwrap();
        let revisions: Vec<_> = done.revisions.iter().map(|r| r.unwrap()).collect();
        assert!(revisions[0] > first && revisions.is_sorted(), "{done:?}");
        assert_eq!(revisions[1], done.revision);
        for (name, revision) in ["a", "b"].into_iter().zip(revisions) {
            let stored = store.get(&key(name)).unwrap().unwrap();
            assert_eq!(stored.revision, revision);
        }
        let twice = vec![
            put_op("a", "3", Expect::Any),
            Op::delete(key("a"), Expect::Any),
        ];
        let refused = store.commit(&cause(), Batch::new(twice)).unwrap_err();
        assert!(
            refused.to_string().contains("changed twice in one batch"),
            "{refused}"
        );
        assert_eq!(store.revision().unwrap(), done.revision);
    });
}

#[test]
fn failed_preconditions_name_the_current_state() {
    on_every_store(|store| {
        let at = put(store, "a", "1");
        let run = |op: Op| store.commit(&cause(), Batch::new(vec![op]));
        let there = run(put_op("a", "2", Expect::Absent)).unwrap_err();
        assert!(matches!(there, StoreError::AlreadyExists(_)), "{there}");
        let older = run(put_op("a", "2", Expect::At(at - 1))).unwrap_err();
        assert!(
            matches!(older, StoreError::Conflict { expected, found: Some(found), .. }
            if expected == at - 1 && found == at)
        );
        let missing = run(Op::delete(key("b"), Expect::At(at))).unwrap_err();
        assert!(matches!(missing, StoreError::Conflict { found: None, .. }));
        // A check on an object that is not changed.
        let batch = Batch {
            checks: vec![(key("a"), Expect::Absent)],
            ..Batch::new(vec![put_op("b", "1", Expect::Any)])
        };
        assert!(store.commit(&cause(), batch).is_err());
        // Equal content is not a change: no revision, no watch event.
        let same = run(put_op("a", "1", Expect::At(at))).unwrap();
        assert_eq!((same.revision, same.revisions), (at, vec![None]));
        let gone = run(Op::delete(key("a"), Expect::Present)).unwrap();
        assert_eq!(gone.revisions, [Some(at + 1)]);
        assert_eq!(store.get(&key("a")).unwrap(), None);
        // A new object with the same name gets a new revision.
        assert_eq!(put(store, "a", "1"), at + 2);
    });
}

#[test]
fn transaction_reads_the_state_it_commits_on() {
    on_every_store(|store| {
        put(store, "n", "0");
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..25 {
                        let done = store.transact(&cause(), &mut |view| {
                            let old = view.get(&key("n"))?.unwrap();
                            assert_eq!(view.revision_of(&key("n"))?, Some(old.revision));
                            assert_eq!(view.list(&Range::all())?, std::slice::from_ref(&old));
                            let next: u32 = value(&old.json).parse().unwrap();
                            let op = put_op("n", &(next + 1).to_string(), Expect::Any);
                            Ok(Some(Batch::new(vec![op])))
                        });
                        assert!(done.unwrap().is_some());
                    }
                });
            }
        });
        assert_eq!(values(store)["n"], "100");
        assert!(
            store
                .transact(&cause(), &mut |_| Ok(None))
                .unwrap()
                .is_none()
        );
        let failed = store.transact(&cause(), &mut |_| Err(StoreError::Refused("no".to_owned())));
        assert_eq!(failed.unwrap_err().to_string(), "no");
        put(store, "n", "still open");
    });
}

#[test]
fn a_list_shows_one_revision() {
    on_every_store(|store| {
        let pair = |n: usize| {
            let n = n.to_string();
            Batch::new(vec![
                put_op("left", &n, Expect::Any),
                put_op("right", &n, Expect::Any),
            ])
        };
        store.commit(&cause(), pair(0)).unwrap();
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !over.load(Ordering::Relaxed) {
                        let list = store.list(&Range::all()).unwrap();
                        let [left, right] = &list.items[..] else {
                            panic!("{list:?}")
                        };
                        assert_eq!(value(&left.json), value(&right.json));
                        assert!(left.revision <= right.revision);
                        assert_eq!(list.revision, right.revision);
                    }
                });
            }
            for n in 1..150 {
                store.commit(&cause(), pair(n)).unwrap();
            }
            over.store(true, Ordering::Relaxed);
        });
    });
}

#[test]
fn ranges_hold_their_objects_in_order() {
    on_every_store(|store| {
        let place = |resource, namespace, name| Key::new(resource, namespace, name).unwrap();
        let keys = [
            place("pods", Some("a"), "x"),
            place("pods", Some("a-b"), "x"),
            place("pods", Some("b"), "a"),
            place("pods", Some("b"), "a.b"),
            place("podss", Some("a"), "x"),
            place("nodes", None, "n"),
        ];
        let put = |key: &Key| {
            let object = format!(
                r#"{{"apiVersion":"v1","data":{{"v":"1"}},"kind":"X","metadata":{{"name":"{}","uid":"u"}}}}"#,
                key.name()
            );
            Op::put(key.clone(), object.into_bytes(), Expect::Absent)
        };
        let ops = keys.iter().map(put).collect();
        store.commit(&cause(), Batch::new(ops)).unwrap();
        let listed = |range: Range| -> Vec<Key> {
            let mut shown = Vec::new();
            let items = store.list(&range).unwrap().items;
            store
                .visit(&range, &mut |item| match item {
                    ctl_store::VisitEvent::Object(key, ..) => shown.push(key.clone()),
                    ctl_store::VisitEvent::Again => shown.clear(),
                })
                .unwrap();
            shown.sort();
            let keys: Vec<Key> = items.into_iter().map(|s| s.key).collect();
            assert_eq!(keys, shown);
            keys
        };
        let mut all = keys.to_vec();
        all.sort();
        assert_eq!(listed(Range::all()), all);
        let pods = &all[1..5];
        assert_eq!(listed(Range::resource("pods", None)), pods);
        assert_eq!(listed(Range::resource("pods", Some("b"))), keys[2..4]);
        assert_eq!(listed(Range::resource("pods", Some("c"))), []);
    });
}

/// Returns every change after a revision, from the events of a watcher.
fn watch(store: &dyn Store, from: Revision, until: Revision) -> Vec<Event> {
    let (mut seen, mut all) = (from, Vec::new());
    while seen < until {
        store.wait(seen, Duration::from_secs(20)).unwrap();
        let (events, complete) = store.events(&Range::all(), seen).unwrap();
        all.extend(events);
        seen = complete;
    }
    all
}

#[test]
fn a_watch_has_no_gap_and_returns_previous_values() {
    on_every_store(|store| {
        let start = store.revision().unwrap();
        let end = start + 400;
        std::thread::scope(|scope| {
            let watchers: Vec<_> = (0..3)
                .map(|_| scope.spawn(|| watch(store, start, end)))
                .collect();
            for writer in 0..4 {
                scope.spawn(move || {
                    for n in 0..100 {
                        let name = format!("w{writer}-{}", n % 7);
                        put(store, &name, &n.to_string());
                    }
                });
            }
            for watcher in watchers {
                let events = watcher.join().unwrap();
                let revisions: Vec<_> = events.iter().map(|e| e.revision).collect();
                assert_eq!(revisions, (start + 1..=end).collect::<Vec<_>>());
                let mut state: BTreeMap<Key, (Revision, Arc<[u8]>)> = BTreeMap::new();
                for event in events {
                    assert_eq!(event.before, state.get(&event.key).cloned());
                    state.insert(event.key, (event.revision, event.after.unwrap()));
                }
            }
        });
        let future = store.events(&Range::all(), end + 1).unwrap_err();
        assert!(
            matches!(future, StoreError::Future { asked, current } if asked == end + 1 && current == end)
        );
        // A wait ends by itself.
        let watch = Stopwatch::start();
        assert_eq!(store.wait(end, Duration::from_millis(20)).unwrap(), end);
        assert!(watch.elapsed() < Duration::from_secs(10));
    });
}

#[test]
fn earlier_revisions_are_readable_until_compaction() {
    on_every_store(|store| {
        let first = put(store, "a", "1");
        put(store, "a", "2");
        put(store, "b", "1");
        let then = store.list_at(&Range::all(), first).unwrap();
        assert_eq!(then.revision, first);
        assert_eq!(then.items.len(), 1);
        assert_eq!(
            (then.items[0].revision, value(&then.items[0].json)),
            (first, "1".to_owned())
        );
        let fork = store.fork(Some(first)).unwrap();
        assert_eq!(
            (fork.revision().unwrap(), &values(&*fork)["a"]),
            (first, &"1".to_owned())
        );
        let oldest = store.oldest().unwrap();
        assert!(oldest <= first);
        // A directory keeps the previous generation for watchers, so the second time counts.
        store.compact().unwrap();
        put(store, "b", "2");
        store.compact().unwrap();
        let now = store.oldest().unwrap();
        assert!(now > first && now <= store.revision().unwrap(), "{now}");
        let gone = |e: StoreError| matches!(e, StoreError::Gone { asked, oldest } if asked == first && oldest == now);
        assert!(gone(store.events(&Range::all(), first).unwrap_err()));
        assert!(gone(store.list_at(&Range::all(), first).unwrap_err()));
        let past = HistoryQuery {
            after: first,
            ..HistoryQuery::default()
        };
        assert!(gone(store.history(&past).unwrap_err()));
        assert_eq!(values(store).len(), 2);
        let next = put(store, "c", "1");
        assert_eq!(store.events(&Range::all(), next - 1).unwrap().0.len(), 1);
    });
}

fn at(second: i64) -> Timestamp {
    Timestamp::new(1_800_000_000 + second, 0).unwrap()
}

/// Commits at 0, 10, 20 and 30 seconds, each of `a` and `b`; returns the revision before and those of the changes.
fn commit_at_times(store: &dyn Store) -> (Revision, Vec<Revision>) {
    let start = store.revision().unwrap();
    let mut revisions = Vec::new();
    for n in 0..4 {
        let change = |name: &str| CausingChange {
            revision: store.get(&key(name)).unwrap().map_or(0, |s| s.revision),
            object: Some(key(name)),
        };
        let why = ChangeReason {
            trigger: Some(change("b")),
            rule: "own".to_owned(),
        };
        let ops = vec![
            put_op("a", &n.to_string(), Expect::Any),
            put_op("b", &n.to_string(), Expect::Any).because(why),
        ];
        let cause = Cause {
            writer: format!("w{}", n % 2),
            trigger: Some(change("a")),
            rule: "scale-up".to_owned(),
        };
        let batch = Batch {
            at: Some(at(10 * n as i64)),
            ..Batch::new(ops)
        };
        let done = store.commit(&cause, batch).unwrap();
        assert_eq!(done.time, at(10 * n as i64));
        revisions.extend(done.revisions.iter().map(|r| r.unwrap()));
    }
    (start, revisions)
}

#[test]
fn the_history_names_causes_times_and_epochs() {
    on_every_store(|store| {
        let (start, expected) = commit_at_times(store);
        // The clock never goes back, and a commit may only move the clock.
        let back = Batch {
            at: Some(at(5)),
            ..Batch::default()
        };
        assert_eq!(store.commit(&cause(), back).unwrap().time, at(30));
        let later = Batch {
            at: Some(at(99)),
            ..Batch::default()
        };
        // It has a separate revision on etcd and none in a directory.
        let moved = store.commit(&cause(), later).unwrap();
        assert!(moved.revision >= expected[7] && moved.revisions.is_empty());
        assert_eq!(store.moment().unwrap(), (moved.revision, at(99)));
        let past = |past: HistoryQuery| {
            store
                .history(&HistoryQuery {
                    after: start.max(past.after),
                    ..past
                })
                .unwrap()
        };
        let all = past(HistoryQuery::default());
        let revisions: Vec<u64> = all
            .iter()
            .flat_map(|c| &c.events)
            .map(|e| e.revision)
            .collect();
        assert_eq!(revisions, expected);
        let last: &Change = all.last().unwrap();
        assert_eq!((last.time, last.events.len()), (at(99), 0));
        assert_eq!(all[1].cause.writer, "w1");
        assert_eq!(all[1].events[0].why, None);
        let own = all[1].events[1].why.as_ref().unwrap();
        assert_eq!(own.rule, "own");
        // Only a directory has a revision for each object of the first commit.
        for (cause, at) in [(&all[1].cause.trigger, 0), (&own.trigger, 1)] {
            let (cause, first) = (cause.as_ref().unwrap(), &all[0].events[at]);
            assert_eq!(cause.revision, first.revision);
            let name = (expected[0] == expected[1]).then(|| first.key.clone());
            assert_eq!(cause.object, name);
        }
    });
}

#[test]
fn history_is_filtered_by_time_revision_and_object() {
    on_every_store(|store| {
        let (start, expected) = commit_at_times(store);
        let times = |past: HistoryQuery| -> Vec<i64> {
            let all = store.history(&past).unwrap();
            all.iter()
                .filter(|c| !c.events.is_empty())
                .map(|c| c.time.as_second() - at(0).as_second())
                .collect()
        };
        let some = HistoryQuery {
            after: start,
            since: Some(at(10)),
            before: Some(at(20)),
            ..HistoryQuery::default()
        };
        assert_eq!(times(some), [10, 20]);
        let some = HistoryQuery {
            after: start,
            until: expected[3],
            range: Range::prefix("configmaps/default/b"),
            ..HistoryQuery::default()
        };
        let found = store.history(&some).unwrap();
        let found: Vec<u64> = found
            .iter()
            .flat_map(|c| &c.events)
            .map(|e| e.revision)
            .collect();
        assert_eq!(found, [expected[1], expected[3]]);
        let later = HistoryQuery {
            after: expected[1],
            ..some
        };
        let later = store.history(&later).unwrap();
        assert_eq!(later.len(), 1, "a commit is complete behind its revision");
        // A visitor may stop early.
        let mut count = 0;
        let all = HistoryQuery {
            after: start,
            ..HistoryQuery::default()
        };
        store
            .visit_history(&all, &mut |_| {
                count += 1;
                std::ops::ControlFlow::Break(())
            })
            .unwrap();
        assert_eq!(count, 1);
    });
}

#[test]
fn only_one_process_leads_and_earlier_epochs_are_fenced() {
    on_every_store(|store| {
        let lead = || {
            let batch = Batch {
                lead: true,
                ..Batch::default()
            };
            store.commit(&cause(), batch).unwrap().epoch
        };
        let first = lead();
        let under = |epoch| Batch {
            epoch: Some(epoch),
            ..Batch::new(vec![put_op("a", &epoch.to_string(), Expect::Any)])
        };
        store.commit(&cause(), under(first)).unwrap();
        let second = lead();
        assert!(second > first);
        let fenced = store.commit(&cause(), under(first)).unwrap_err();
        assert!(
            matches!(fenced, StoreError::Fenced { writer, current } if writer == first && current == second)
        );
        store.commit(&cause(), under(second)).unwrap();
        assert_eq!(values(store)["a"], second.to_string());
        let election = store.election();
        let lease = Duration::from_secs(30);
        let share = |own, of| Candidate::new(lease, Share::part(own, of));
        let one = election.try_lead(&mut share(0, 2)).unwrap().unwrap();
        let two = election.try_lead(&mut share(1, 2)).unwrap().unwrap();
        assert!(election.try_lead(&mut share(0, 2)).unwrap().is_none());
        assert!(election.try_lead(&mut share(0, 3)).unwrap().is_none());
        two.writes_under(second);
        let watch = Stopwatch::start();
        while !one.shares(second).unwrap() && watch.elapsed() < Duration::from_secs(20) {
            std::thread::yield_now();
        }
        assert!(one.shares(second).unwrap() && election.heartbeat().unwrap().is_some());
        drop((one, two));
        assert_eq!(election.heartbeat().unwrap(), None);
        let turn = election.try_settle_lock().unwrap().unwrap();
        assert!(election.try_settle_lock().unwrap().is_none());
        drop(turn);
        assert!(election.try_settle_lock().unwrap().is_some());
    });
}

#[test]
fn settings_are_updated_and_draws_continue() {
    on_every_store(|store| {
        let new = store
            .update_settings(&mut |s| s.name = "other".to_owned())
            .unwrap();
        assert_eq!(
            (new.name.as_str(), store.settings().name.as_str()),
            ("other", "other")
        );
        assert_eq!((store.draw(3), store.draw(1)), (0, 3));
        assert_eq!(store.faults().len(), 0);
        let big = vec![b'x'; ctl_store::MAX_OBJECT + 1];
        let batch = Batch::new(vec![Op::put(key("big"), big, Expect::Any)]);
        assert!(matches!(
            store.commit(&cause(), batch).unwrap_err(),
            StoreError::TooLarge { .. }
        ));
    });
}

#[test]
fn a_fork_changes_independently() {
    on_every_store(|store| {
        put(store, "a", "1");
        let moment = store.moment().unwrap();
        let fork = store.fork(None).unwrap();
        assert_eq!(
            (fork.moment().unwrap(), values(&*fork)),
            (moment, values(store))
        );
        assert!(fork.directory().is_none());
        put(&*fork, "a", "fork");
        put(store, "b", "original");
        let again = fork.fork(None).unwrap();
        put(&*again, "c", "2");
        assert_eq!(
            values(store).into_iter().collect::<Vec<_>>(),
            [("a".into(), "1".into()), ("b".into(), "original".into())]
        );
        assert_eq!(
            values(&*fork).into_iter().collect::<Vec<_>>(),
            [("a".into(), "fork".into())]
        );
        assert_eq!(values(&*again).len(), 2);
    });
}

#[test]
fn the_same_calls_leave_the_same_history_in_every_store() {
    let told = Mutex::new(Vec::new());
    on_every_store(|store| {
        let start = store.revision().unwrap();
        let mut dice = Dice(9);
        for n in 0..200 {
            let name = format!("k{}", dice.roll(12));
            let op = match dice.roll(4) {
                0 => Op::delete(key(&name), Expect::Any),
                _ => put_op(&name, &dice.roll(3).to_string(), Expect::Any),
            };
            let batch = Batch {
                at: Some(at(n)),
                ..Batch::new(vec![op])
            };
            store.commit(&cause(), batch).unwrap();
        }
        let past = HistoryQuery {
            after: start,
            ..HistoryQuery::default()
        };
        let changes = store.history(&past).unwrap();
        // Counted, because a fork has an earlier revision and etcd one for each move of the clock.
        let mut revisions = vec![0; 1 + (store.revision().unwrap() - start) as usize];
        for (number, event) in (1..).zip(changes.iter().flat_map(|c| &c.events)) {
            revisions[(event.revision - start) as usize] = number;
        }
        let number = |revision: Revision| revisions[(revision - start) as usize];
        let told_here: Vec<_> = changes
            .into_iter()
            .map(|c| {
                let events = c.events.into_iter();
                let events = events.map(|e| {
                    (
                        e.key,
                        number(e.revision),
                        e.after,
                        e.before.map(|(r, j)| (number(r), j)),
                    )
                });
                (c.time, c.cause, events.collect::<Vec<_>>())
            })
            .collect();
        told.lock().unwrap().push(told_here);
    });
    let told = told.into_inner().unwrap();
    assert!(told[0].len() > 150);
    assert!(told.iter().all(|other| *other == told[0]));
}

#[test]
fn a_secret_is_made_once() {
    on_every_store(|store| {
        let refused = store.secret("key", &mut || {
            Err(StoreError::Refused("no bytes".to_owned()))
        });
        assert!(refused.unwrap_err().to_string().contains("no bytes"));
        let made = &Mutex::new(0);
        let texts: Vec<String> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|thread| {
                    let make = move || {
                        *made.lock().unwrap() += 1;
                        Ok(format!("secret of {thread}"))
                    };
                    scope.spawn(move || store.secret("key", &mut { make }).unwrap())
                })
                .collect();
            threads.into_iter().map(|t| t.join().unwrap()).collect()
        });
        assert!(*made.lock().unwrap() > 0);
        assert!(texts.iter().all(|text| *text == texts[0]), "{texts:?}");
        let again = store.secret("key", &mut || unreachable!()).unwrap();
        assert_eq!(again, texts[0]);
        let other = store.secret("other", &mut || Ok("x".to_owned())).unwrap();
        assert_eq!(other, "x");
    });
}
