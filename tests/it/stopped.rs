//! Tests a writer that is stopped while it holds the lock: readers continue, writers wait and name the holder, and the
//! end of the process lets them continue at once.

use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use ctl::cluster::Key;
use ctl::sys::clock::Stopwatch;
use rustix::process::Signal;

use crate::support::race::{open, p99, signal, wait_until_stopped};
use crate::support::{World, collect, config_map, count, finish, in_time, key, quiet};

/// Starts a writer of `name` that stops itself at a call while it holds the lock.
fn stopped_writer(world: &World, name: &str, at: &str) -> Child {
    static ROUND: AtomicUsize = AtomicUsize::new(0);
    let round = ROUND.fetch_add(1, Ordering::Relaxed);
    let patch = &format!(r#"{{"data":{{"w":"{round}"}}}}"#);
    let mut command = world.command();
    command
        .args(["raw", "merge", &key(name), patch])
        .env("CTL_FAULT", format!("stop:{at}"));
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let child = child.spawn().unwrap();
    wait_until_stopped(&child);
    child
}

#[test]
fn stopped_writer_does_not_block_readers() {
    quiet::alone();
    let world = World::cluster();
    for name in ["a", "b"] {
        let _ = world.put(name, "1").ok();
    }
    // One call is before the sync; the other is after the commit is published but before its file is written.
    for at in ["fdatasync:1", "exchange:1"] {
        let child = stopped_writer(&world, "a", at);
        let cluster = open(&world, "reader");
        let key = Key::parse(&key("a")).unwrap();
        let mut times = Vec::new();
        for _ in 0..count(200, 2000) {
            let watch = Stopwatch::start();
            assert!(cluster.stored().get(&key).unwrap().is_some());
            times.push(watch.elapsed());
        }
        let slow = p99(times);
        assert!(
            slow <= in_time(Duration::from_millis(50)),
            "99 % of reads took up to {slow:?}"
        );
        assert_eq!(world.value("b").as_deref(), Some("1"));
        signal(&child, Signal::CONT);
        let _ = collect(child).ok();
    }
    let _ = world.fsck();
}

#[test]
fn waiting_writer_thread_does_not_block_reader_threads() {
    quiet::alone();
    let world = World::cluster();
    let _ = world.put("a", "1").ok();
    let cluster = open(&world, "server");
    let key = Key::parse(&key("a")).unwrap();
    let child = stopped_writer(&world, "a", "fdatasync:1");
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let patch = ctl::api::json::json!({"data": {"x": "2"}});
            cluster.stored().merge(&key, &patch).unwrap().unwrap()
        });
        std::thread::sleep(Duration::from_millis(100));
        let mut times = Vec::new();
        for _ in 0..count(200, 2000) {
            let watch = Stopwatch::start();
            assert!(cluster.stored().get(&key).unwrap().is_some());
            times.push(watch.elapsed());
            assert!(
                times[times.len() - 1] < Duration::from_secs(2),
                "a reader waits"
            );
            if times.len() == 100 {
                assert!(!writer.is_finished());
            }
        }
        let slow = p99(times);
        signal(&child, Signal::CONT);
        assert!(
            slow <= in_time(Duration::from_millis(50)),
            "99 % of reads took up to {slow:?}"
        );
        assert!(writer.join().unwrap() > 2);
    });
    let _ = collect(child).ok();
    let _ = world.fsck();
}

#[test]
fn lock_timeout_names_the_holder() {
    quiet::alone();
    let world = World::cluster();
    let _ = world.put("a", "1").ok();
    let child = stopped_writer(&world, "a", "fdatasync:1");
    let watch = Stopwatch::start();
    let mut command = world.command();
    command.args(["--lock-timeout", "6", "raw", "put", &key("b")]);
    let text = finish(command, &config_map("x")).fails();
    let took = watch.elapsed();
    let (pid, lines) = (child.id(), text.lines().collect::<Vec<_>>());
    assert_eq!(lines.len(), 2, "{text}");
    let waiting = format!("waiting for process {pid} ctl raw merge configmaps/default/a");
    assert!(
        lines[0].contains(&waiting) && lines[0].ends_with(" s so far)"),
        "{text}"
    );
    let given_up = format!("error: the state directory is locked by process {pid} ctl raw merge");
    assert!(lines[1].starts_with(&given_up), "{text}");
    assert!(lines[1].ends_with("gave up after 6 s"), "{text}");
    let limits =
        Duration::from_secs(6)..Duration::from_secs(6) + in_time(Duration::from_millis(1500));
    assert!(limits.contains(&took), "it took {took:?}");
    signal(&child, Signal::CONT);
    let _ = collect(child).ok();
    assert_eq!(world.value("b"), None);
    let _ = world.fsck();
}

#[test]
fn waiter_continues_when_the_lock_holder_is_killed() {
    quiet::alone();
    let world = World::cluster();
    let _ = world.put("a", "1").ok();
    let mut times = Vec::new();
    for round in 0..count(9, 41) {
        let child = stopped_writer(&world, "a", "fdatasync:1");
        let mut command = world.command();
        command.args([
            "raw",
            "merge",
            &key("a"),
            &format!(r#"{{"data":{{"x":"{round}"}}}}"#),
        ]);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut waiter = command.spawn().unwrap();
        std::thread::sleep(Duration::from_millis(100));
        assert!(
            waiter.try_wait().unwrap().is_none(),
            "nobody may break the lock"
        );
        let watch = Stopwatch::start();
        signal(&child, Signal::KILL);
        let done = collect(waiter);
        times.push(watch.elapsed());
        let _ = done.ok();
        assert_eq!(collect(child).code, 137);
    }
    times.sort_unstable();
    let (middle, slowest) = (times[times.len() / 2], times[times.len() - 1]);
    eprintln!(
        "T18: {} holders killed, the next writer was done after {middle:?}, at most {slowest:?}",
        times.len()
    );
    // The time runs from the kill to the end of the waiting process, including its commit and a sync. On a busy
    // machine, one of ten may be late.
    let most = times[(times.len() - 1) * 9 / 10];
    assert!(
        most <= in_time(Duration::from_millis(100)),
        "it took {most:?}"
    );
    assert!(
        slowest <= in_time(Duration::from_millis(400)),
        "it took {slowest:?}"
    );
    assert_eq!(world.value("a").as_deref(), Some("1"));
    let _ = world.fsck();
}
