//! Hand edits in a crash: text that an editor saved and synced must be found again afterwards, in the file, in the
//! journal or as a rejected file, wherever a process was killed or the power was cut. The editor saves before the
//! command, and before every call of a commit to the same object.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::count;
use super::files::{contents, key, object, store};
use crate::contract::Store as _;
use crate::interface::{Batch, Cause, Expect, Op};
use crate::layout::{HELD, JOURNAL, STAGING};
use crate::mutant::{Mutant, plant};
use crate::sys::fs::{self, Access, Fs as _};
use crate::sys::sim_fs::{Dice, Disk, SimFs};

/// The text that the editor types.
const TOKEN: &str = "typed-by-hand";

const DIRECTORY: &str = "default/configmaps";
const FILE: &str = "default/configmaps/a.yaml";

/// A way to save a file.
#[derive(Clone, Copy, Debug)]
enum Save {
    InPlace,
    RenameOver,
    /// In place, with the old modification time put back.
    KeepingTheTime,
}

const SAVES: [Save; 3] = [Save::InPlace, Save::RenameOver, Save::KeepingTheTime];

/// The text that a person writes.
#[derive(Clone, Copy, Debug)]
enum Text {
    /// It is imported.
    Good,
    /// It is rejected.
    Bad,
}

/// The command that runs after the edit.
#[derive(Clone, Copy, Debug)]
enum Command {
    List,
    Put,
    Delete,
}

fn text(old: &[u8], how: Text) -> Vec<u8> {
    let old = String::from_utf8_lossy(old);
    match how {
        Text::Good => old.replace("  v: ", &format!("  w: {TOKEN}\n  v: ")),
        Text::Bad => format!("{old}\n: {TOKEN}\n\tbad"),
    }
    .into_bytes()
}

/// Saves the file of object `a` and makes that durable, as a careful editor does.
fn save(fs: &SimFs, how: Save, what: Text) {
    let old = fs::read_all(fs, FILE, 1 << 20);
    let new = text(old.as_deref().unwrap_or(b"data:\n  v: none\n"), what);
    let stat = fs.stat(FILE).unwrap();
    let (Some(stat), false) = (stat, matches!(how, Save::RenameOver)) else {
        fs.make_dir("default").unwrap();
        fs.make_dir(DIRECTORY).unwrap();
        let swap = format!("{DIRECTORY}/.a.swp");
        let file = fs.create(&swap).unwrap();
        file.write_at(&new, 0).unwrap();
        file.sync_data().unwrap();
        drop(file);
        fs.rename(&swap, FILE).unwrap();
        return fs.sync_dir(DIRECTORY).unwrap();
    };
    let file = fs.open(FILE, Access::Write).unwrap();
    file.truncate(0).unwrap();
    file.write_at(&new, 0).unwrap();
    if matches!(how, Save::KeepingTheTime) {
        file.set_modified(stat.modified).unwrap();
    }
    file.sync_data().unwrap();
    fs.sync_dir(DIRECTORY).unwrap();
}

fn run(fs: &SimFs, command: Command) {
    let store = store(fs).unwrap();
    let op = match command {
        Command::List => return drop(contents(fs).unwrap()),
        Command::Put => Op::put(key("a"), object("a", "2"), Expect::Any),
        Command::Delete => Op::delete(key("a"), Expect::Any),
    };
    let _ = store
        .commit(&Cause::new("w", "r"), Batch::new(vec![op]))
        .unwrap();
}

fn is_below(disk: &Disk, directory: &str) -> bool {
    let holds = |name: &String| {
        let bytes = disk
            .bytes(&format!("{directory}/{name}"))
            .unwrap_or_default();
        String::from_utf8_lossy(&bytes).contains(TOKEN)
    };
    disk.names(directory).iter().any(holds)
}

/// Returns true if the token is in a file visible to users.
fn is_in_a_file(disk: &Disk) -> bool {
    is_below(disk, DIRECTORY)
}

/// Opens an image as the next commands do: the token must be found.
fn check(image: &Disk) -> Result<(), String> {
    let fs = SimFs::on(image.clone());
    let read = || contents(&fs).map_err(|e| format!("refused: {e}"));
    let _ = read()?;
    // After one more write, files that a dead writer had taken out are back.
    for _ in 0..2 {
        let opened = store(&fs).and_then(|s| s.exclusive(None).map(drop));
        opened.map_err(|e| format!("refused: {e}"))?;
        let found = read()?;
        // The command itself may have changed the object after the edit: then the history has it.
        if !is_below(&fs.disk(), JOURNAL) && !is_in_a_file(&fs.disk()) {
            let names = fs.disk().names(DIRECTORY);
            return Err(format!("lost: {names:?}, {found:?}"));
        }
    }
    for left in [STAGING, HELD] {
        let names = fs.disk().names(left);
        if !names.is_empty() {
            return Err(format!("left over in {left}: {names:?}"));
        }
    }
    Ok(())
}

#[derive(Default)]
struct EditCounts {
    edits: usize,
    kills: usize,
    cuts: usize,
}

/// Runs one edit and one command, and dies at every call after the edit. `at` is the call of the command before which
/// the editor saves, or `None` for before the command. Returns false if it has fewer calls.
fn explore(
    how: Save,
    what: Text,
    command: Command,
    at: Option<usize>,
    images: usize,
    counts: &mut EditCounts,
) -> Result<bool, String> {
    let fs = SimFs::new();
    let put = |name: &str| Op::put(key(name), object(name, "1"), Expect::Any);
    let first = Batch::new(vec![put("a"), put("b"), put("c")]);
    let _ = store(&fs)
        .unwrap()
        .commit(&Cause::new("w", "r"), first)
        .unwrap();
    let saved = Arc::new(AtomicUsize::new(0));
    fs.record();
    match at {
        None => {
            save(&fs, how, what);
            saved.store(fs.recorded(), Ordering::Relaxed);
        }
        Some(call) => {
            let note = Arc::clone(&saved);
            fs.interleave(
                call,
                Box::new(move |fs| {
                    save(fs, how, what);
                    note.store(fs.recorded(), Ordering::Relaxed);
                }),
            );
        }
    }
    run(&fs, command);
    if fs.call_off() {
        return Ok(false);
    }
    counts.edits += 1;
    // A second command continues from the state of the first one.
    run(&fs, Command::List);
    let last = fs.disk();
    let mut disks = fs.take_recording();
    disks.push(last);
    let mut dice = Dice(5 + at.unwrap_or(99) as u64);
    for (call, disk) in disks.iter().enumerate().skip(saved.load(Ordering::Relaxed)) {
        let place = |e: String| {
            format!("{how:?} {what:?}, {command:?}, saved before {at:?}, died at {call}: {e}")
        };
        counts.kills += 1;
        check(disk).map_err(|e| place(format!("killed: {e}")))?;
        for image in disk.power_images(images, &mut dice) {
            counts.cuts += 1;
            check(&image).map_err(|e| place(format!("power cut: {e}")))?;
        }
    }
    Ok(true)
}

/// Some ways to save, some texts and every command.
fn sweep(
    saves: &[Save],
    texts: &[Text],
    images: usize,
    step: usize,
    counts: &mut EditCounts,
) -> Result<(), String> {
    for how in saves.iter().copied() {
        for what in texts.iter().copied() {
            let _ = explore(how, what, Command::List, None, images, counts)?;
            for command in [Command::Put, Command::Delete] {
                for call in (0..).step_by(step) {
                    if !explore(how, what, command, Some(call), images, counts)? {
                        break;
                    }
                }
            }
        }
    }
    Ok(())
}

#[test]
fn t01_text_that_an_editor_synced_survives_every_crash() {
    let mut counts = EditCounts::default();
    sweep(
        &SAVES,
        &[Text::Good, Text::Bad],
        count(3, 120),
        1,
        &mut counts,
    )
    .unwrap();
    let EditCounts { edits, kills, cuts } = counts;
    eprintln!("T01 (hand edits): {edits} edits, {kills} kills, {cuts} power cuts");
    assert!(edits > 80 && kills > 1200 && cuts > 2000);
}

#[test]
fn t02_every_planted_hand_edit_bug_is_caught() {
    for mutant in [
        Mutant::NoSyncOfRejected,
        Mutant::NoDirSyncOfRejected,
        Mutant::UnlinkBeforeKept,
        Mutant::TrustWhatCameOut,
    ] {
        plant(Some(mutant));
        let found = sweep(&SAVES[..1], &[Text::Bad], 40, 1, &mut EditCounts::default());
        plant(None);
        let violation = found.expect_err(&format!("{mutant:?} was not caught"));
        eprintln!("T02: {mutant:?} caught: {violation}");
    }
}

/// An editor opens the file before a commit and saves after it, with the machine's processes
/// dying, or not, in between.
#[test]
fn editor_with_open_file_during_commit_loses_no_text() {
    for commits in 0..3 {
        for (what, command) in [
            (Text::Good, Command::Put),
            (Text::Bad, Command::Put),
            (Text::Good, Command::Delete),
        ] {
            let fs = SimFs::new();
            let put = |name: &str, v: &str| Op::put(key(name), object(name, v), Expect::Any);
            let commit = |op: Op| {
                let batch = Batch::new(vec![op]);
                let _ = store(&fs)
                    .unwrap()
                    .commit(&Cause::new("w", "r"), batch)
                    .unwrap();
            };
            commit(put("a", "1"));
            commit(put("b", "1"));
            let new = text(&fs::read_all(&fs, FILE, 1 << 20).unwrap(), what);
            let editor = fs.open(FILE, Access::Write).unwrap();
            for n in 0..commits {
                commit(put("a", &format!("before {n}")));
            }
            run(&fs, command);
            assert_eq!(
                fs.disk().names(HELD).len(),
                1,
                "{commits} {what:?} {command:?}"
            );
            editor.truncate(0).unwrap();
            editor.write_at(&new, 0).unwrap();
            assert!(!is_in_a_file(&fs.disk()));
            let held = fs.disk();
            drop(editor);
            let found = contents(&fs).unwrap();
            let imported = found.values().any(|v| v.contains(TOKEN));
            let good = matches!((what, command), (Text::Good, Command::Put));
            assert_eq!(imported, good, "{commits} {what:?} {command:?}: {found:?}");
            assert!(is_in_a_file(&fs.disk()));
            assert!(fs.disk().names(HELD).is_empty());
            // The editor is killed with everything else, or the power is cut after it has synced.
            check(&held).unwrap();
            check(&held.rebooted()).unwrap();
        }
    }
}

#[test]
fn an_editor_that_writes_nothing_leaves_no_file() {
    let fs = SimFs::new();
    let put = |v: &str| Op::put(key("a"), object("a", v), Expect::Any);
    for value in ["1", "2"] {
        let editor = fs.open(FILE, Access::Write).ok();
        let batch = Batch::new(vec![put(value)]);
        let _ = store(&fs)
            .unwrap()
            .commit(&Cause::new("w", "r"), batch)
            .unwrap();
        drop(editor);
    }
    assert_eq!(fs.disk().names(HELD).len(), 1);
    let before = contents(&fs).unwrap();
    assert!(before.values().all(|v| v.contains(r#""v":"2""#)));
    assert!(fs.disk().names(HELD).is_empty());
    assert_eq!(fs.disk().names(DIRECTORY), ["a.yaml"]);
}

/// A save that restores size and modification time is detected, and so is one that replaces the file.
#[test]
fn a_save_that_keeps_size_and_time_is_seen() {
    for replace in [false, true] {
        let fs = SimFs::new();
        run(&fs, Command::Put);
        assert_eq!(contents(&fs).unwrap().len(), 1);
        let old = fs::read_all(&fs, FILE, 1 << 20).unwrap();
        let new = String::from_utf8(old)
            .unwrap()
            .replace("v: \"2\"", "v: \"3\"");
        let stat = fs.stat(FILE).unwrap().unwrap();
        let swap = format!("{DIRECTORY}/.a.swp");
        let file = match replace {
            true => fs.create(&swap).unwrap(),
            false => fs.open(FILE, Access::Write).unwrap(),
        };
        file.write_at(new.as_bytes(), 0).unwrap();
        file.set_modified(stat.modified).unwrap();
        drop(file);
        if replace {
            fs.rename(&swap, FILE).unwrap();
        }
        let now = fs.stat(FILE).unwrap().unwrap();
        assert_eq!((now.size, now.modified), (stat.size, stat.modified));
        let report = store(&fs).unwrap().check_all(false).unwrap();
        assert_eq!(report.remarks.len(), 1, "{report:?}");
        let found = contents(&fs).unwrap();
        assert!(
            found.values().all(|v| v.contains(r#""v":"3""#)),
            "{found:?}"
        );
    }
}
