//! Linearizability, by the checker that the integration tests of the program use.

#[path = "../../../../tests/it/support/linear.rs"]
#[expect(
    dead_code,
    unreachable_pub,
    reason = "the checker is shared, and no process is killed here"
)]
mod linear;

use std::collections::BTreeMap;
use std::sync::Mutex;

use ctl_store::{Batch, Event, Expect, Op, Range, Store, StoreError};
use ctl_sys::clock::Stopwatch;
use ctl_sys::sim_fs::Dice;

use super::{cause, key, on_every_store, put_op, value};

/// Draws a request and executes it; no process is killed, so every result is known.
fn ask(
    store: &dyn Store,
    dice: &mut Dice,
    token: &str,
    known: &mut BTreeMap<String, u64>,
) -> linear::What {
    use linear::{Answer, What, Write};
    let key = key(&format!("k{}", dice.roll(8)));
    let text = key.to_string();
    let at = known.get(&text).copied().unwrap_or(1);
    let (expect, told, new) = match dice.roll(10) {
        0..=2 => {
            let found = store
                .get(&key)
                .unwrap()
                .map(|s| (s.revision, value(&s.json)));
            known.extend(found.iter().map(|(revision, _)| (text.clone(), *revision)));
            return What::Get { key: text, found };
        }
        3 => {
            let list = store.list(&Range::all()).unwrap();
            let items = list
                .items
                .iter()
                .map(|s| (s.key.to_string(), (s.revision, value(&s.json))));
            return What::List {
                revision: list.revision,
                items: items.collect(),
            };
        }
        4 | 5 => (Expect::Absent, linear::Expect::Absent, true),
        6 | 7 => (Expect::At(at), linear::Expect::At(at), true),
        8 => (Expect::Any, linear::Expect::Any, true),
        _ => (Expect::Any, linear::Expect::Any, false),
    };
    let name = key.name().to_owned();
    let op = match new {
        true => put_op(&name, token, expect),
        false => Op::delete(key, expect),
    };
    let answer = match store.commit(&cause(), Batch::new(vec![op])) {
        Ok(done) => done.revisions[0].map_or(Answer::Unchanged, Answer::Done),
        Err(
            StoreError::Conflict { .. } | StoreError::AlreadyExists(_) | StoreError::NotFound(_),
        ) => Answer::Refused,
        Err(e) => panic!("{e}"),
    };
    if let Answer::Done(revision) = answer {
        known.insert(text.clone(), revision);
    }
    let value = new.then(|| token.to_owned());
    What::Write(Write {
        key: text,
        expect: told,
        value,
        answer,
    })
}

#[test]
fn client_results_are_linearizable() {
    on_every_store(|store| {
        let start = store.revision().unwrap();
        let watch = Stopwatch::start();
        let now = || u64::try_from(watch.elapsed().as_nanos()).unwrap();
        let done = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for client in 0..8_u64 {
                let (done, now) = (&done, &now);
                scope.spawn(move || {
                    let (mut dice, mut known) = (Dice(client + 1), BTreeMap::new());
                    for n in 0..60 {
                        let begin = now();
                        let what = ask(store, &mut dice, &format!("c{client}-{n}"), &mut known);
                        done.lock().unwrap().push(linear::Operation {
                            start: begin,
                            end: now(),
                            what,
                        });
                    }
                });
            }
        });
        let (events, _) = store.events(&Range::all(), start).unwrap();
        let entry = |e: Event| {
            (
                e.revision,
                (e.key.to_string(), e.after.as_deref().map(value)),
            )
        };
        let log: linear::Log = events.into_iter().map(entry).collect();
        assert!(log.len() > 100);
        linear::check(&log, &done.into_inner().unwrap()).unwrap();
    });
}
