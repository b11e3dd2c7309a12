//! Tests thousands of saves while controllers run and another process commits: the last save of each file is in the
//! cluster, or is kept aside with a reason.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Stdio;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use ctl::api::json::json;
use ctl::cluster::{Cluster, Expect, Key, Range, RawOp};
use ctl::sys::clock::Stopwatch;
use rustix::process::Signal;

use crate::support::edits::{self, Saved, Style};
use crate::support::race::{Random, eventually, open, seed, signal, write_file};
use crate::support::{World, collect, config_map, count, finish, in_time, key, quiet};

/// The styles in which the writers save, one per writer.
const WRITERS: [Style; 5] = [
    Style::RenameOver,
    Style::TruncateAndTwoWrites,
    Style::VimBackup,
    Style::Sed,
    Style::GitCheckout,
];

fn object(name: &str) -> RawOp {
    let object = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "data": {"t": "none"}, "zzz": "end",
    });
    RawOp {
        key: Key::parse(&key(name)).unwrap(),
        object: Some(object),
        expect: Expect::Any,
    }
}

/// The saves that reached the journal.
#[derive(Default)]
struct Seen {
    tokens: Mutex<BTreeSet<String>>,
    stop: AtomicBool,
}

impl Seen {
    fn follow(&self, cluster: &Cluster, mut at: u64) {
        let all = Range::all();
        loop {
            let last = self.stop.load(Ordering::Relaxed);
            let (events, now) = cluster.stored().events(&all, at).unwrap();
            at = now;
            for event in events.iter().filter_map(|event| event.after.as_ref()) {
                let text = String::from_utf8_lossy(event);
                let words = text.split('"').filter(|word| word.starts_with("tok-"));
                self.tokens.lock().unwrap().extend(words.map(str::to_owned));
            }
            if last {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Returns true if a save is in the history or kept aside.
    fn found(&self, world: &World, token: &str) -> bool {
        let kept = || {
            let holds = |text: &[u8]| text.windows(token.len()).any(|w| w == token.as_bytes());
            edits::kept_aside(world).iter().any(|(_, text)| holds(text))
        };
        self.tokens.lock().unwrap().contains(token) || kept()
    }
}

/// Saves one file after the other in one style. Returns the last token of each file.
fn save(world: &World, seen: &Seen, style: Style, (files, saves): (usize, usize)) -> Vec<String> {
    let mut random = Random::new(seed(style as u64));
    let mut last = vec![String::new(); files];
    for number in 0..saves {
        let file = random.below(files);
        let name = format!("{style:?}-{file}").to_lowercase();
        let path = edits::file_of(world, &name);
        let token = format!("tok-{name}-{number}-x");
        last[file].clone_from(&token);
        let text = || edits::with_token(&edits::read_whole(&path), &token);
        loop {
            let saved = match style {
                Style::RenameOver => {
                    edits::rename_over(&path, text().as_bytes());
                    Saved::Yes
                }
                Style::TruncateAndTwoWrites => {
                    edits::truncate_and_write(&path, &text(), Duration::from_millis(1))
                }
                Style::VimBackup => edits::vim_backup(&path, &text()),
                Style::Sed => {
                    edits::sed(&path, &token);
                    Saved::Yes
                }
                _ => {
                    edits::git_checkout(world, &path, &text());
                    Saved::Yes
                }
            };
            // If the file has been imported and replaced, the save is found; otherwise the editor saves again.
            let taken = || eventually(Duration::from_millis(500), || seen.found(world, &token));
            if saved == Saved::Yes || taken() {
                break;
            }
        }
        random.pause(Duration::from_millis(10));
    }
    last
}

#[test]
fn saves_survive_running_controllers_and_concurrent_commits() {
    quiet::alone();
    let (files, saves) = (count(3, 20), count(12, 1800));
    let world = World::cluster();
    let mut git = world.command_for(Path::new("git"));
    git.args(["init", "-q"]).current_dir(world.state());
    let _ = finish(git, "").ok();
    let cluster = open(&world, "committer");
    let writers = || {
        WRITERS
            .iter()
            .map(|style| format!("{style:?}").to_lowercase())
    };
    let names: Vec<String> = writers()
        .flat_map(|writer| (0..files).map(move |file| format!("{writer}-{file}")))
        .collect();
    let others = (0..200).map(|n| format!("other{n}"));
    let ops: Vec<RawOp> = names
        .iter()
        .cloned()
        .chain(others)
        .map(|n| object(&n))
        .collect();
    cluster.stored().commit(&ops, None, "begin").unwrap();
    let start = cluster.stored().revision().unwrap();
    let mut controllers = world.command();
    controllers.arg("controllers").stdin(Stdio::null());
    let controllers = controllers.stdout(Stdio::null()).stderr(Stdio::null());
    let controllers = controllers.spawn().unwrap();
    let (seen, stop, commits) = (Seen::default(), AtomicBool::new(false), AtomicUsize::new(0));
    let took = Stopwatch::start();
    std::thread::scope(|scope| {
        let follower = scope.spawn(|| seen.follow(&open(&world, "follower"), start));
        let committer = scope.spawn(|| {
            let mut random = Random::new(9);
            while !stop.load(Ordering::Relaxed) {
                let key = Key::parse(&key(&names[random.below(names.len())])).unwrap();
                let n = commits.fetch_add(1, Ordering::Relaxed);
                let patch = json!({"status": {"n": n}});
                cluster.stored().merge(&key, &patch).unwrap();
                random.pause(Duration::from_millis(10));
            }
        });
        let (world, seen) = (&world, &seen);
        let writers: Vec<_> = WRITERS
            .iter()
            .map(|style| scope.spawn(move || save(world, seen, *style, (files, saves))))
            .collect();
        let last: Vec<String> = writers
            .into_iter()
            .flat_map(|w| w.join().unwrap())
            .collect();
        for token in last.iter().filter(|token| !token.is_empty()) {
            let found = eventually(in_time(Duration::from_secs(10)), || {
                seen.found(world, token)
            });
            assert!(found, "lost: {token}");
        }
        stop.store(true, Ordering::Relaxed);
        committer.join().unwrap();
        seen.stop.store(true, Ordering::Relaxed);
        follower.join().unwrap();
    });
    signal(&controllers, Signal::TERM);
    assert_eq!(collect(controllers).code, 0);
    eprintln!(
        "{} saves, {} commits of others, {} saves committed, {} kept, in {:?}",
        WRITERS.len() * saves,
        commits.into_inner(),
        seen.tokens.lock().unwrap().len(),
        edits::kept_aside(&world).len(),
        took.elapsed()
    );
    let _ = world.run(&["raw", "list"]).ok();
    let text = world.fsck();
    assert_eq!(text.lines().count(), 1, "{text}");
}

/// Commits small objects one after the other. Returns the duration of the slowest commit.
fn slowest_commit(cluster: &Cluster, stop: &AtomicBool) -> Duration {
    let mut slowest = Duration::ZERO;
    for n in 0.. {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let op = RawOp {
            key: Key::parse(&key("small")).unwrap(),
            object: Some(serde_json::from_str(&config_map(&n.to_string())).unwrap()),
            expect: Expect::Any,
        };
        let took = Stopwatch::start();
        cluster.stored().commit(&[op], None, "small").unwrap();
        slowest = slowest.max(took.elapsed());
        std::thread::sleep(Duration::from_millis(1));
    }
    slowest
}

#[test]
fn a_large_file_is_parsed_while_others_commit() {
    quiet::alone();
    let world = World::cluster();
    let _ = world.put("large", "x").ok();
    // The text has 2.5 MB with an error in the last line, so that all of it is parsed.
    let mut text = String::from("apiVersion: v1\nkind: ConfigMap\ndata:\n");
    (0..50_000)
        .for_each(|n| text.push_str(&format!("  key-{n:06}: a value that is as long as it is\n")));
    text.push_str("metadata: [\n");
    let path = edits::file_of(&world, "large");
    let (stop, cluster) = (AtomicBool::new(false), open(&world, "committer"));
    let took = Stopwatch::start();
    let (slowest, parsed) = std::thread::scope(|scope| {
        let committer = scope.spawn(|| slowest_commit(&cluster, &stop));
        write_file(&path, &text);
        // A recent broken file may still be incomplete, so it is not rejected at once.
        let kept = || {
            let _ = world.run(&["raw", "get", &key("large")]).ok();
            !edits::kept_aside(&world).is_empty()
        };
        assert!(eventually(Duration::from_secs(60), kept));
        let parsed = took.elapsed();
        // A writer that changes this object takes part now.
        write_file(&path, &text);
        std::thread::sleep(Duration::from_millis(1100));
        let put = world.put("large", "y");
        assert!(put.err.contains("is kept as"), "{put:?}");
        stop.store(true, Ordering::Relaxed);
        (committer.join().unwrap(), parsed)
    });
    eprintln!("kept aside after {parsed:?}, slowest commit of another writer {slowest:?}");
    let limit = match cfg!(debug_assertions) {
        // Without optimization a parse takes seconds, and writing the current state takes longer, too. On a busy
        // machine both take even longer, and a commit that waited for the parse would take about as long as the parse.
        true => in_time(Duration::from_millis(200)).max(parsed / 2),
        false => Duration::from_millis(200),
    };
    assert!(slowest < limit, "{slowest:?} of {limit:?}");
    let _ = world.fsck();
}
