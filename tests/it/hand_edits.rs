//! Tests hand edits while the cluster changes the same objects: each edit is merged or kept aside, and none is lost.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use ctl::cluster::{Cluster, Expect, Key, Range, RawOp};

use crate::support::edits::{self, STYLES, Saved, Style};
use crate::support::race::{assert_gap_free, eventually, logged_revisions, open};
use crate::support::{World, count, in_time, key};
use ctl::api::json::json;

/// The traces of the edits in the history.
#[derive(Default)]
struct Seen {
    tokens: Mutex<BTreeSet<String>>,
    deletes: Mutex<BTreeMap<String, usize>>,
    stop: AtomicBool,
}

/// The outcomes of the edits.
#[derive(Default)]
struct Tally {
    merged: AtomicUsize,
    kept: AtomicUsize,
    repeated: AtomicUsize,
}

fn object(name: &str) -> RawOp {
    // These are the first and the last line of the file: an object that lacks one of them was half-written.
    let object = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "data": {"first": "keep", "t": "none"},
        "zzz": "end",
    });
    RawOp {
        key: Key::parse(&key(name)).unwrap(),
        object: Some(object),
        expect: Expect::Any,
    }
}

/// Reads all changes as they arrive, until the test stops it.
fn follow(cluster: &Cluster, seen: &Seen, mut at: u64) {
    let all = Range::all();
    loop {
        let last = seen.stop.load(Ordering::Relaxed);
        let _ = cluster.stored().list(&all, None).unwrap();
        let (events, now) = cluster.stored().events(&all, at).unwrap();
        at = now;
        for event in events {
            let Some(after) = event.after else {
                let mut deletes = seen.deletes.lock().unwrap();
                *deletes.entry(event.key.to_string()).or_default() += 1;
                continue;
            };
            let text = String::from_utf8(after.to_vec()).unwrap();
            let whole = text.contains(r#""first":"keep""#) && text.contains(r#""zzz":"end""#);
            assert!(whole, "a half-written file was applied: {text}");
            let mut tokens = seen.tokens.lock().unwrap();
            let words = text.split('"').filter(|word| word.starts_with("tok-"));
            tokens.extend(words.map(str::to_owned));
        }
        if last {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Changes an object every 10 ms, like a controller that writes its status.
fn keep_changing(cluster: &Cluster, name: &str, stop: &AtomicBool) {
    let key = Key::parse(&key(name)).unwrap();
    for n in 0.. {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let patch = json!({"status": {"n": n}});
        match cluster.stored().merge(&key, &patch) {
            Ok(_) => {}
            Err(e) if e.to_string().contains("not found") => {}
            Err(e) => panic!("{e}"),
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The outcome of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Merged,
    Kept,
}

/// A user who edits one object.
struct Editor<'a> {
    world: &'a World,
    cluster: &'a Cluster,
    seen: &'a Seen,
    tally: &'a Tally,
    name: String,
}

impl Editor<'_> {
    fn path(&self) -> std::path::PathBuf {
        edits::file_of(self.world, &self.name)
    }

    fn edit(&self, style: Style, number: usize) {
        let token = format!("tok-{}-{number}-x", self.name);
        match style {
            Style::Delete => return self.delete(),
            Style::Chmod => return self.chmod(),
            _ => {}
        }
        while self.save(style, &token) == Saved::IntoTheOldFile {
            // If the file has been imported and replaced, the edit is found; otherwise the editor saves again.
            if eventually(Duration::from_millis(500), || self.found(&token).is_some()) {
                break;
            }
            self.tally.repeated.fetch_add(1, Ordering::Relaxed);
        }
        self.find(style, &token);
        if style == Style::CopyUnderNewName {
            let key = Key::parse(&key(&format!("{token}-copy"))).unwrap();
            let op = RawOp {
                key,
                object: None,
                expect: Expect::Any,
            };
            self.cluster.stored().commit(&[op], None, "tidy").unwrap();
        }
    }

    fn save(&self, style: Style, token: &str) -> Saved {
        let path = self.path();
        let text = edits::with_token(&edits::read_whole(&path), token);
        match style {
            Style::TruncateAndTwoWrites => {
                return edits::truncate_and_write(&path, &text, Duration::from_millis(200));
            }
            Style::Append => {
                let field = token.replace("tok-", "a-");
                return edits::append(&path, &format!("{field}: {token}\n"));
            }
            Style::VimBackup => return edits::vim_backup(&path, &text),
            Style::RenameOver => edits::rename_over(&path, text.as_bytes()),
            Style::Crlf => edits::rename_over(&path, text.replace('\n', "\r\n").as_bytes()),
            Style::Bom => edits::rename_over(&path, format!("\u{feff}{text}").as_bytes()),
            Style::Sed => edits::sed(&path, token),
            Style::GitCheckout => edits::git_checkout(self.world, &path, &text),
            Style::CopyUnderNewName => {
                let copy = edits::file_of(self.world, &format!("{token}-copy"));
                let name = format!("\n  name: {}\n", self.name);
                let text = text.replace(&name, &format!("\n  name: {token}-copy\n"));
                edits::rename_over(&copy, text.as_bytes());
            }
            Style::WrongDirectory => {
                let directory = self.world.path("elsewhere/configmaps");
                std::fs::create_dir_all(&directory).unwrap();
                edits::rename_over(&directory.join(format!("{token}.yaml")), text.as_bytes());
            }
            Style::Delete | Style::Chmod => {}
        }
        Saved::Yes
    }

    /// Returns where the edit is: in the history (merged), or in a file next to it (kept aside).
    fn found(&self, token: &str) -> Option<Fate> {
        if self.seen.tokens.lock().unwrap().contains(token) {
            return Some(Fate::Merged);
        }
        let holds = |text: &[u8]| text.windows(token.len()).any(|w| w == token.as_bytes());
        let kept = edits::kept_aside(self.world)
            .iter()
            .any(|(_, text)| holds(text));
        kept.then_some(Fate::Kept)
    }

    fn find(&self, style: Style, token: &str) {
        let mut fate = None;
        eventually(in_time(Duration::from_secs(10)), || {
            fate = self.found(token);
            fate.is_some()
        });
        let counter = match fate {
            Some(Fate::Merged) => &self.tally.merged,
            Some(Fate::Kept) => &self.tally.kept,
            None => panic!("lost: {style:?} of {token}"),
        };
        counter.fetch_add(1, Ordering::Relaxed);
        let merged = fate == Some(Fate::Merged);
        assert!(
            merged || style != Style::RenameOver,
            "{style:?} clashes with nothing"
        );
        assert!(
            !merged || style != Style::WrongDirectory,
            "{style:?} must not be taken"
        );
    }

    fn delete(&self) {
        let key = key(&self.name);
        let deletes = || {
            self.seen
                .deletes
                .lock()
                .unwrap()
                .get(&key)
                .copied()
                .unwrap_or(0)
        };
        let before = deletes();
        // The name may be missing briefly while git or an editor replaces the file.
        assert!(eventually(in_time(Duration::from_secs(5)), || {
            std::fs::remove_file(self.path()).is_ok()
        }));
        let gone = eventually(in_time(Duration::from_secs(10)), || deletes() > before);
        assert!(gone, "lost: the removal of {}", self.name);
        assert_eq!(deletes(), before + 1);
        self.tally.merged.fetch_add(1, Ordering::Relaxed);
        self.cluster
            .stored()
            .commit(&[object(&self.name)], None, "again")
            .unwrap();
    }

    fn chmod(&self) {
        let path = self.path();
        edits::chmod(&path);
        let mode = |path: &Path| path.metadata().map(|m| m.permissions().mode() & 0o777);
        let back = eventually(in_time(Duration::from_secs(10)), || {
            mode(&path).is_ok_and(|m| m == 0o600)
        });
        assert!(back, "the next version of a file is for its owner alone");
        self.tally.merged.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn concurrent_hand_edits_are_merged_or_kept() {
    let (editors, edits) = (count(3, 8), count(192, 7008));
    let world = World::cluster();
    let mut git = world.command_for(Path::new("git"));
    git.args(["init", "-q"]).current_dir(world.state());
    let _ = crate::support::finish(git, "").ok();
    let cluster = open(&world, "editor's shell");
    // There are enough files that removing one is not a mass loss.
    let names: Vec<String> = (0..editors).map(|n| format!("e{n}")).collect();
    let others = (0..12 * editors).map(|n| format!("other{n}"));
    let ops: Vec<RawOp> = names
        .iter()
        .cloned()
        .chain(others)
        .map(|n| object(&n))
        .collect();
    cluster.stored().commit(&ops, None, "begin").unwrap();
    let start = cluster.stored().revision().unwrap();
    let (seen, tally, stop) = (Seen::default(), Tally::default(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let follower = scope.spawn(|| follow(&open(&world, "follower"), &seen, start));
        for name in &names {
            let (world, stop) = (&world, &stop);
            scope.spawn(move || keep_changing(&open(world, "controller"), name, stop));
        }
        let people: Vec<_> = names
            .iter()
            .map(|name| {
                let (world, cluster, seen, tally) = (&world, &cluster, &seen, &tally);
                let editor = Editor {
                    world,
                    cluster,
                    seen,
                    tally,
                    name: name.clone(),
                };
                scope.spawn(move || {
                    for number in 0..edits / editors {
                        editor.edit(STYLES[number % STYLES.len()], number);
                    }
                })
            })
            .collect();
        let failed = people
            .into_iter()
            .map(|p| p.join())
            .filter(Result::is_err)
            .count();
        stop.store(true, Ordering::Relaxed);
        seen.stop.store(true, Ordering::Relaxed);
        follower.join().unwrap();
        assert_eq!(failed, 0);
    });
    let counted = |n: &AtomicUsize| n.load(Ordering::Relaxed);
    let (merged, kept) = (counted(&tally.merged), counted(&tally.kept));
    eprintln!(
        "{merged} merged, {kept} kept, {} saved again",
        counted(&tally.repeated)
    );
    assert_eq!(merged + kept, edits / editors * editors);
    let _ = world.run(&["raw", "list"]).ok();
    let text = world.fsck();
    assert_eq!(
        text.lines().count(),
        1,
        "the files show what the cluster has: {text}"
    );
    assert_eq!(world.path(".ctl/tmp").read_dir().unwrap().count(), 0);
    assert_gap_free(&logged_revisions(&world));
}

/// Returns the stored object and the number of its changes.
fn stored(world: &World, name: &str) -> (String, String) {
    let list = world.list();
    let line = list.lines().find(|l| l.contains(&key(name)));
    (
        line.unwrap_or_default().to_owned(),
        list.lines().next().unwrap().to_owned(),
    )
}

/// Runs a shell command on the file of an object; a separate process leaves no open descriptor.
fn shell(world: &World, script: &str, name: &str) {
    let mut command = world.command_for(Path::new("sh"));
    command.args(["-e", "-c", script, "sh"]);
    command.arg(edits::file_of(world, name));
    let _ = crate::support::finish(command, "").ok();
}

#[test]
fn save_through_an_old_file_descriptor_is_imported() {
    use std::io::Write as _;
    for commits in 1..4 {
        let world = World::cluster();
        let _ = world.put("a", "1").ok();
        let path = edits::file_of(&world, "a");
        let mut editor = std::fs::File::options().append(true).open(path).unwrap();
        for n in 0..commits {
            let patch = format!(r#"{{"metadata":{{"labels":{{"n":"{n}"}}}}}}"#);
            let _ = world.run(&["raw", "merge", &key("a"), &patch]).ok();
        }
        let _ = world.list();
        editor.write_all(b"zz: my edit\n").unwrap();
        drop(editor);
        let held = |world: &World| world.path(".ctl/held").exists();
        assert!(held(&world));
        // The child of another test may briefly hold a descriptor of this process.
        assert!(eventually(in_time(Duration::from_secs(5)), || {
            stored(&world, "a").0.contains("my edit")
        }));
        assert!(
            stored(&world, "a")
                .0
                .contains(&format!(r#""n":"{}""#, commits - 1))
        );
        assert!(eventually(in_time(Duration::from_secs(5)), || !held(
            &world
        )));
        assert_eq!(edits::kept_aside(&world), []);
        world.fsck_without_remarks();
    }
}

#[test]
fn open_descriptor_without_a_write_changes_nothing() {
    let world = World::cluster();
    let _ = world.put("a", "1").ok();
    let path = edits::file_of(&world, "a");
    let editor = std::fs::File::options().append(true).open(path).unwrap();
    let _ = world.put("a", "2").ok();
    assert!(world.path(".ctl/held").exists());
    let before = stored(&world, "a");
    drop(editor);
    assert!(eventually(in_time(Duration::from_secs(5)), || {
        assert_eq!(stored(&world, "a"), before);
        !world.path(".ctl/held").exists()
    }));
    assert_eq!(edits::kept_aside(&world), []);
}

#[test]
fn an_edit_that_keeps_size_and_time_is_imported() {
    let ways = [
        "touch -r $1 $1.ref; sed -i 's/v: old/v: new/' $1; touch -r $1.ref $1; rm $1.ref",
        "touch -r $1 $1.ref; sed 's/v: old/v: new/' $1 > $1.new; cat $1.new > $1; \
         touch -r $1.ref $1; rm $1.ref $1.new",
        "sed 's/v: old/v: new/' $1 > $1.new; touch -r $1 $1.new; mv $1.new $1",
    ];
    for way in ways {
        let world = World::cluster();
        let _ = world.put("a", "old").ok();
        let path = edits::file_of(&world, "a");
        let before = path.metadata().unwrap();
        shell(&world, way, "a");
        let after = path.metadata().unwrap();
        assert_eq!(before.modified().unwrap(), after.modified().unwrap());
        assert_eq!(before.len(), after.len());
        let checked = world.run(&["fsck"]);
        assert!(checked.out.contains("was changed"), "{way}: {checked:?}");
        assert_eq!(world.value("a").as_deref(), Some("new"), "{way}");
        let _ = world.put("a", "next").ok();
        world.fsck_without_remarks();
    }
}

#[test]
fn hand_edit_immediately_after_a_commit_is_imported() {
    use std::io::Write as _;
    let world = World::cluster();
    let cluster = open(&world, "writer");
    for n in 0..count(50, 1000) {
        let mut op = object("a");
        op.object.as_mut().unwrap()["data"]["t"] = json!(format!("{n:04}"));
        cluster.stored().commit(&[op], None, "write").unwrap();
        let path = edits::file_of(&world, "a");
        let time = path.metadata().unwrap().modified().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let mut file = std::fs::File::options().write(true).open(&path).unwrap();
        let new = text.replace(&format!("{n:04}"), "edit");
        file.write_all(new.as_bytes()).unwrap();
        file.set_modified(time).unwrap();
        drop(file);
        let key = Key::parse(&key("a")).unwrap();
        assert!(eventually(in_time(Duration::from_secs(5)), || {
            let found = cluster.stored().get(&key).unwrap().unwrap();
            String::from_utf8_lossy(&found.json).contains("edit")
        }));
    }
}

#[test]
fn file_with_equal_content_is_no_hand_edit() {
    let ways = [
        "ln $1 $1.link; rm $1.link",
        "ln $1 $1.link",
        "chmod 400 $1; chmod 600 $1",
        "cp -p $1 $1.copy; mv $1.copy $1",
        "cp $1 $1.copy; mv $1.copy $1",
        "cp -p $1 $1.copy; cp -p $1.copy $1; rm $1.copy",
        "touch $1",
        "rm $(dirname $1)/../../.ctl/seen",
        "printf garbage > $(dirname $1)/../../.ctl/seen",
    ];
    for way in ways {
        let world = World::cluster();
        for name in ["a", "b", "c"] {
            let _ = world.put(name, "1").ok();
        }
        let before = stored(&world, "a");
        shell(&world, way, "a");
        assert_eq!(stored(&world, "a"), before, "{way}");
        let _ = world.put("a", "2").ok();
        assert_eq!(world.value("a").as_deref(), Some("2"), "{way}");
        assert_eq!(edits::kept_aside(&world), [], "{way}");
        world.fsck_without_remarks();
    }
}
