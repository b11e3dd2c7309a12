//! Helpers for tests of races: a seeded random generator, signals, the library on a world's directory, and plain writes
//! of files.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStderr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ctl::cluster::{Cluster, Open};
use ctl::sys::clock::Stopwatch;
use rustix::process::{Pid, Signal, kill_process};

use super::{Deadline, World};

/// A random generator that depends only on its seed (splitmix64).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).unwrap()
    }

    /// Sleeps for up to `most`.
    pub fn pause(&mut self, most: Duration) {
        let micros = self.next() % u64::try_from(most.as_micros().max(1)).unwrap();
        std::thread::sleep(Duration::from_micros(micros));
    }
}

/// Returns the seed of a test: `CTL_TEST_SEED` to repeat a run, or else `default`.
pub fn seed(default: u64) -> u64 {
    let given = std::env::var("CTL_TEST_SEED").ok();
    let seed = given.map_or(default, |text| text.parse().unwrap());
    eprintln!("seed {seed}");
    seed
}

/// The messages of a store.
pub type Said = Arc<Mutex<Vec<String>>>;

/// Opens the world's cluster through the library, in this process.
pub fn open(world: &World, command: &str) -> Cluster {
    open_listening(world, command).0
}

/// Opens the world's cluster as [`open`] does. Also returns its messages.
pub fn open_listening(world: &World, command: &str) -> (Cluster, Said) {
    let said = Said::default();
    let mut open = Open::default();
    open.options.command = command.to_owned();
    let notes = Arc::clone(&said);
    open.options.notice = Arc::new(move |text| notes.lock().unwrap().push(text.to_owned()));
    (Cluster::open(&world.state(), open).unwrap(), said)
}

/// Sends a signal to a child of this test.
pub fn signal(child: &Child, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    kill_process(pid, signal).unwrap();
}

/// Waits until a child is stopped.
pub fn wait_until_stopped(child: &Child) {
    let stat = format!("/proc/{}/stat", child.id());
    let stopped = || {
        let text = std::fs::read_to_string(&stat).unwrap();
        text.rsplit_once(") ").unwrap().1.starts_with('T')
    };
    assert!(
        eventually(Duration::from_secs(10), stopped),
        "it never stops"
    );
}

/// Repeats a check until it succeeds, for at most `patience`. Returns true if it succeeded.
pub fn eventually(patience: Duration, mut done: impl FnMut() -> bool) -> bool {
    let watch = Stopwatch::start();
    while !done() {
        if watch.elapsed() > patience {
            return false;
        }
        std::thread::sleep(Duration::from_millis(3));
    }
    true
}

/// The standard error of a child, for a test that waits for a message before it continues.
pub struct Messages {
    pipe: BufReader<ChildStderr>,
    text: String,
    _limit: Deadline,
}

impl Messages {
    pub fn from_child(child: &mut Child) -> Self {
        Self {
            pipe: BufReader::new(child.stderr.take().unwrap()),
            text: String::new(),
            _limit: Deadline::of(child),
        }
    }

    /// Waits until the child has written a line with this text.
    #[track_caller]
    pub fn until(&mut self, wanted: &str) {
        while !self.text.contains(wanted) {
            let count = self.pipe.read_line(&mut self.text).unwrap();
            assert!(count > 0, "{wanted:?} is not in {:?}", self.text);
        }
    }

    /// Returns everything that the child writes until its end.
    pub fn all(mut self) -> String {
        self.pipe.read_to_string(&mut self.text).unwrap();
        self.text
    }
}

/// Returns the number of times that a process became the leader.
pub fn leads(world: &World) -> usize {
    let log = world.run(&["raw", "log"]).ok();
    log.matches("\tlead\t").count()
}

/// Writes a file in place, as a careless editor does.
pub fn write_file(path: &Path, content: impl AsRef<[u8]>) {
    let mut file = File::create(path).unwrap();
    file.write_all(content.as_ref()).unwrap();
}

/// Gives a file an old modification time, so that no reader waits for its writer.
pub fn make_old(path: &Path) {
    let old = std::time::UNIX_EPOCH + Duration::from_secs(1_500_000_000);
    File::open(path).unwrap().set_modified(old).unwrap();
}

/// Returns the 99th percentile.
pub fn p99(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[(times.len() - 1) * 99 / 100]
}

/// Returns the revisions of all retained changes in order, from the program's own log.
pub fn logged_revisions(world: &World) -> Vec<u64> {
    let log = world.run(&["raw", "log"]).ok();
    let changes = log
        .lines()
        .flat_map(|l| l.rsplit('\t').next().unwrap().split(' '));
    changes
        .filter_map(|c| c.rsplit_once('@'))
        .map(|(_, r)| r.parse().unwrap())
        .collect()
}

/// Checks that revisions have no gap. Returns the first and the last.
#[track_caller]
pub fn assert_gap_free(revisions: &[u64]) -> (u64, u64) {
    for pair in revisions.windows(2) {
        assert_eq!(pair[0] + 1, pair[1], "a gap or a revision used twice");
    }
    (revisions[0], revisions[revisions.len() - 1])
}
