//! Tests sixteen clients on eight keys, some of which are killed: their results fit into a single order, that of the
//! revisions.

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use ctl::cluster::{self, Cluster, Key, Range, RawOp, StoreError};
use ctl::sys::clock::Stopwatch;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use crate::support::linear::{Answer, Expect, Log, Operation, What, Write, check};
use crate::support::race::{Random, open, seed};
use crate::support::{CommandOutput, World, collect, config_map, count, key};

fn value(json: &[u8]) -> String {
    let json: ctl::api::json::Value = serde_json::from_slice(json).unwrap();
    json["data"]["v"].as_str().unwrap().to_owned()
}

/// The next request of a client.
pub enum Question {
    Get(String),
    List,
    Put(String, Expect, Option<String>),
    Merge(String, String),
}

/// Draws a request. `known` is the last revision of each key that the client saw.
pub fn draw(random: &mut Random, token: String, known: &BTreeMap<String, u64>) -> Question {
    let key = key(&format!("k{}", random.below(8)));
    let at = Expect::At(known.get(&key).copied().unwrap_or(1));
    match random.below(12) {
        0..=2 => Question::Get(key),
        3 | 4 => Question::List,
        5 | 6 => Question::Put(key, Expect::Absent, Some(token)),
        7 => Question::Put(key, at, Some(token)),
        8 => Question::Put(key, Expect::Any, Some(token)),
        9 => Question::Put(key, Expect::Any, None),
        10 => Question::Put(key, at, None),
        _ => Question::Merge(key, token),
    }
}

pub fn write(key: &str, expect: Expect, value: Option<String>, answer: Answer) -> What {
    What::Write(Write {
        key: key.to_owned(),
        expect,
        value,
        answer,
    })
}

/// Sends the request through the library.
fn ask(cluster: &Cluster, question: Question) -> What {
    let parse = |key: &str| Key::parse(key).unwrap();
    let answer = |done: Result<Option<u64>, StoreError>| match done {
        Ok(Some(revision)) => Answer::Done(revision),
        Ok(None) => Answer::Unchanged,
        Err(
            StoreError::Conflict { .. } | StoreError::AlreadyExists(_) | StoreError::NotFound(_),
        ) => Answer::Refused,
        Err(e) => panic!("{e}"),
    };
    match question {
        Question::Get(key) => {
            let found = cluster.stored().get(&parse(&key)).unwrap();
            What::Get {
                found: found.map(|s| (s.revision, value(&s.json))),
                key,
            }
        }
        Question::List => {
            let list = cluster.stored().list(&Range::all(), None).unwrap();
            let item = |s: cluster::Stored| (s.key.to_string(), (s.revision, value(&s.json)));
            What::List {
                revision: list.revision,
                items: list.items.into_iter().map(item).collect(),
            }
        }
        Question::Put(key, expect, value) => {
            let op = RawOp {
                key: parse(&key),
                object: value
                    .as_ref()
                    .map(|v| serde_json::from_str(&config_map(v)).unwrap()),
                expect: match expect {
                    Expect::Any => cluster::Expect::Any,
                    Expect::Absent => cluster::Expect::Absent,
                    Expect::Present => cluster::Expect::Present,
                    Expect::At(revision) => cluster::Expect::At(revision),
                },
            };
            let done = cluster.stored().commit(&[op], None, "test");
            write(
                &key,
                expect,
                value,
                answer(done.map(|revisions| revisions[0])),
            )
        }
        Question::Merge(key, value) => {
            let patch = ctl::api::json::json!({"data": {"v": value}});
            let done = answer(cluster.stored().merge(&parse(&key), &patch));
            write(&key, Expect::Present, Some(value), done)
        }
    }
}

/// Returns the result of a command that writes.
fn told(ran: &CommandOutput) -> Answer {
    let refusals = ["already exists", "is at revision", "not found"];
    match ran.out.trim() {
        "unchanged" => Answer::Unchanged,
        "" if ran.code == 137 => Answer::Unknown,
        "" if refusals.iter().any(|text| ran.err.contains(text)) => Answer::Refused,
        revision => Answer::Done(revision.parse().unwrap_or_else(|_| panic!("{ran:?}"))),
    }
}

/// The running client processes, each held by a descriptor, because at the time of a kill its process ID could belong
/// to another process.
#[derive(Default)]
pub struct Victims {
    running: Mutex<BTreeMap<usize, OwnedFd>>,
    killed: AtomicUsize,
}

impl Victims {
    /// Runs a command to its end, unless it is killed.
    pub fn run(&self, client: usize, mut command: Command, input: &str) -> CommandOutput {
        use std::io::Write as _;
        let child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = child.spawn().unwrap();
        let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
        let handle = pidfd_open(pid, PidfdFlags::empty()).unwrap();
        self.running.lock().unwrap().insert(client, handle);
        // A killed program closes the pipe.
        drop(child.stdin.take().unwrap().write_all(input.as_bytes()));
        let ran = collect(child);
        self.running.lock().unwrap().remove(&client);
        ran
    }

    /// Kills a random process three times per second while there are clients.
    fn kill_some(&self, clients: &AtomicUsize, mut random: Random) {
        let (watch, mut due) = (Stopwatch::start(), Duration::ZERO);
        while clients.load(Ordering::Relaxed) > 0 {
            std::thread::sleep(Duration::from_millis(1));
            if watch.elapsed() < due {
                continue;
            }
            let running = self.running.lock().unwrap();
            if running.is_empty() {
                continue;
            }
            let victim = running.values().nth(random.below(running.len())).unwrap();
            // A process that has just ended by itself does not count as killed.
            if pidfd_send_signal(victim, Signal::KILL).is_ok() {
                self.killed.fetch_add(1, Ordering::Relaxed);
                due += Duration::from_millis(333);
            }
        }
    }
}

/// Sends the request through the program, which is killed at a call if `fault` names one, and at random by `kill_some`.
/// A killed read returns no result.
fn ask_process(
    world: &World,
    (victims, client): (&Victims, usize),
    question: Question,
    fault: Option<usize>,
) -> Option<What> {
    let run = |args: &[&str], input: &str| {
        let mut command = world.command();
        command.arg("raw").args(args);
        if let Some(at) = fault {
            command.env("CTL_FAULT", format!("kill:any:{at}"));
        }
        victims.run(client, command, input)
    };
    Some(match question {
        Question::Get(key) => {
            let ran = run(&["get", &key], "");
            if ran.code == 137 {
                return None;
            }
            assert!(ran.code == 0 || ran.err.contains("not found"), "{ran:?}");
            let found = ran.out.split_once('\t');
            let found = found.map(|(r, json)| (r.parse().unwrap(), value(json.as_bytes())));
            What::Get { key, found }
        }
        Question::List => {
            let ran = run(&["list"], "");
            if ran.code == 137 {
                return None;
            }
            let text = ran.ok();
            let item = |line: &str| {
                let words: Vec<&str> = line.splitn(3, '\t').collect();
                (
                    words[1].to_owned(),
                    (words[0].parse().unwrap(), value(words[2].as_bytes())),
                )
            };
            let revision = text.lines().next().unwrap()[2..].parse().unwrap();
            What::List {
                revision,
                items: text.lines().skip(1).map(item).collect(),
            }
        }
        Question::Put(key, expect, value) => {
            let verb = if value.is_some() { "put" } else { "delete" };
            let mut args = vec![verb.to_owned(), key.clone()];
            match expect {
                Expect::Absent => args.push("--absent".to_owned()),
                Expect::At(revision) => {
                    args.extend(["--revision".to_owned(), revision.to_string()])
                }
                Expect::Any | Expect::Present => {}
            }
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let input = value.as_deref().map(config_map).unwrap_or_default();
            let answer = told(&run(&args, &input));
            write(&key, expect, value, answer)
        }
        Question::Merge(key, value) => {
            let patch = format!(r#"{{"data":{{"v":"{value}"}}}}"#);
            let answer = told(&run(&["merge", &key, &patch], ""));
            write(&key, Expect::Present, Some(value), answer)
        }
    })
}

fn remember(known: &mut BTreeMap<String, u64>, what: &What) {
    match what {
        What::Get {
            key,
            found: Some((revision, _)),
        } => drop(known.insert(key.clone(), *revision)),
        What::Write(Write {
            key,
            answer: Answer::Done(revision),
            ..
        }) => {
            known.insert(key.clone(), *revision);
        }
        What::List { items, .. } => {
            known.extend(
                items
                    .iter()
                    .map(|(key, (revision, _))| (key.clone(), *revision)),
            );
        }
        _ => {}
    }
}

/// The outcome of a race: the log, the operations of the clients, the number of kills, and the duration.
pub struct Race {
    pub log: Log,
    pub done: Vec<Operation>,
    pub signaled: usize,
    pub took: Duration,
}

/// The function that sends a client's request, given the client's number, the processes that may be killed, its random
/// numbers, and the request. Returns `None` if there is no result.
pub type Ask<'a> = dyn Fn(usize, &Victims, &mut Random, Question) -> Option<What> + Sync + 'a;

/// Runs clients of the store itself. Three of four are threads, and three threads share one store; the rest are
/// processes.
fn race(seed: u64, each: usize) -> Race {
    let world = World::cluster();
    let shared: Vec<Cluster> = (0..4).map(|_| open(&world, "thread")).collect();
    race_through(
        &world,
        (seed, each),
        &|client, victims, random, question| {
            if client < 12 {
                return Some(ask(&shared[client % 4], question));
            }
            let fault = (random.below(3) == 0).then(|| 1 + random.below(70));
            ask_process(&world, (victims, client), question, fault)
        },
    )
}

/// Runs sixteen clients, each with its own way of sending requests.
pub fn race_through(world: &World, (seed, each): (u64, usize), ask: &Ask<'_>) -> Race {
    let reader = open(world, "reader");
    let before = reader.stored().revision().unwrap();
    let watch = Stopwatch::start();
    let now = || u64::try_from(watch.elapsed().as_nanos()).unwrap();
    let done: Mutex<Vec<Operation>> = Mutex::default();
    let (victims, clients) = (&Victims::default(), &AtomicUsize::new(16));
    std::thread::scope(|scope| {
        scope.spawn(|| victims.kill_some(clients, Random::new(seed)));
        for client in 0..16 {
            let done = &done;
            scope.spawn(move || {
                let _ends = Ends(clients);
                let mut random = Random::new(seed * 100 + client as u64);
                let mut known = BTreeMap::new();
                for n in 0..each {
                    let question = draw(&mut random, format!("c{client}-{n}"), &known);
                    let start = now();
                    let what = ask(client, victims, &mut random, question);
                    let Some(what) = what else { continue };
                    remember(&mut known, &what);
                    let unknown = matches!(&what, What::Write(w) if w.answer == Answer::Unknown);
                    let end = if unknown { u64::MAX } else { now() };
                    done.lock().unwrap().push(Operation { start, end, what });
                }
            });
        }
    });
    let took = watch.elapsed();
    // Completes or discards the work of a killed client before the log is read.
    let _ = world.run(&["raw", "lead"]).ok();
    let (events, _) = reader.stored().events(&Range::all(), before).unwrap();
    let entry = |e: cluster::Event| {
        (
            e.revision,
            (e.key.to_string(), e.after.as_deref().map(value)),
        )
    };
    let log = events.into_iter().map(entry).collect();
    let _ = world.fsck();
    Race {
        log,
        done: done.into_inner().unwrap(),
        signaled: victims.killed.load(Ordering::Relaxed),
        took,
    }
}

/// Counts a client as finished, even one that panics.
struct Ends<'a>(&'a AtomicUsize);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Runs and checks a race for each seed, and prints a summary.
pub fn check_races(name: &str, seeds: usize, race: impl Fn(u64) -> Race) {
    let first = seed(14);
    let (mut operations, mut killed, mut signaled) = (0, 0, 0);
    let mut took = Duration::ZERO;
    for seed in first..first + seeds as u64 {
        let race = race(seed);
        let (log, done) = (race.log, race.done);
        signaled += race.signaled;
        took += race.took;
        check(&log, &done).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        operations += done.len();
        let unknown = |o: &&Operation| o.end == u64::MAX;
        killed += done.iter().filter(unknown).count();
    }
    eprintln!(
        "{name}: {seeds} seeds, {operations} operations, {killed} writers killed, {signaled} \
         processes by a signal at {:.1}/s, 0 violations",
        signaled as f64 / took.as_secs_f64()
    );
    assert!(killed > seeds, "hardly anybody was killed");
    assert!(signaled >= seeds, "hardly anybody got a signal");
}

#[test]
fn concurrent_client_histories_are_linearizable() {
    let (seeds, each) = (count(2, 30), count(60, 200));
    check_races("T14", seeds, |seed| race(seed, each));
}

/// Returns a small correct history. Each planted mistake changes one part of it.
fn sound() -> (Log, Vec<Operation>) {
    let log = [
        (2, "a", Some("1")),
        (3, "b", Some("2")),
        (4, "a", Some("3")),
        (5, "b", None),
    ];
    let log = log.map(|(r, k, v)| (r, (k.to_owned(), v.map(str::to_owned))));
    let put = |start, end, key: &str, expect, value: Option<&str>, revision| Operation {
        start,
        end,
        what: write(
            key,
            expect,
            value.map(str::to_owned),
            Answer::Done(revision),
        ),
    };
    let item = |key: &str, revision, value: &str| (key.to_owned(), (revision, value.to_owned()));
    let operations = vec![
        put(0, 10, "a", Expect::Absent, Some("1"), 2),
        put(5, 20, "b", Expect::Absent, Some("2"), 3),
        put(30, 40, "a", Expect::At(2), Some("3"), 4),
        Operation {
            start: 45,
            end: 50,
            what: What::Get {
                key: "a".to_owned(),
                found: Some((4, "3".to_owned())),
            },
        },
        Operation {
            start: 46,
            end: 55,
            what: What::List {
                revision: 4,
                items: [item("a", 4, "3"), item("b", 3, "2")].into_iter().collect(),
            },
        },
        put(60, 70, "b", Expect::Present, None, 5),
        Operation {
            start: 80,
            end: 90,
            what: What::Get {
                key: "b".to_owned(),
                found: None,
            },
        },
    ];
    (log.into(), operations)
}

#[test]
fn the_checker_passes_a_sound_history_and_flags_six_planted_ones() {
    let (log, sound) = sound();
    check(&log, &sound).unwrap();
    let flags = |rule: &str, log: &Log, operations: &[Operation]| {
        let found = check(log, operations).unwrap_err();
        assert!(found.starts_with(rule), "{rule}: {found}");
    };
    let with = |at: usize, what: What| {
        let mut operations = sound.clone();
        operations[at].what = what;
        operations
    };
    let get = |revision, value: &str| What::Get {
        key: "a".to_owned(),
        found: Some((revision, value.to_owned())),
    };
    flags("stale read", &log, &with(3, get(2, "1")));
    // Two writers start from the same revision and both report success.
    let mut twice = log.clone();
    twice.insert(6, ("a".to_owned(), Some("4".to_owned())));
    let mut operations = sound.clone();
    let late = write("a", Expect::At(2), Some("4".to_owned()), Answer::Done(6));
    operations.push(Operation {
        start: 31,
        end: 95,
        what: late,
    });
    flags("lost update", &twice, &operations);
    let again = write("b", Expect::Absent, Some("2".to_owned()), Answer::Done(2));
    flags("revision used twice", &log, &with(1, again));
    let torn = What::List {
        revision: 4,
        items: [("a".to_owned(), (4, "3".to_owned()))]
            .into_iter()
            .collect(),
    };
    flags("torn list", &log, &with(4, torn));
    let create = write("a", Expect::Absent, Some("3".to_owned()), Answer::Done(4));
    flags("double create", &log, &with(2, create));
    // A read ends before the write of the value it saw begins.
    let mut operations = sound.clone();
    (operations[3].start, operations[3].end) = (22, 25);
    flags("time travel", &log, &operations);
}

#[test]
fn checker_flags_modified_results_of_a_real_race() {
    let Race { log, done, .. } = race(seed(99), count(20, 60));
    check(&log, &done).unwrap();
    let mut flagged = 0;
    for at in 0..done.len() {
        let mut changed = done.clone();
        match &mut changed[at].what {
            What::List { items, .. } if !items.is_empty() => drop(items.pop_first()),
            What::Get {
                found: Some((revision, _)),
                ..
            } => *revision += 1,
            What::Write(Write {
                answer: Answer::Done(revision),
                ..
            }) => *revision += 1,
            _ => continue,
        }
        assert!(check(&log, &changed).is_err(), "{:?}", changed[at]);
        flagged += 1;
    }
    assert!(flagged > 20);
}
