//! Entry points for fuzzers, and their counterparts in `cargo test`: no input causes a panic, and acknowledged commits
//! survive.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;

use super::append::{Change, Note};
use super::compact::BaseNote;
use super::head::Head;
use super::index::Index;
use super::interface::Result;
use super::journal::Journal;
use super::key::{CLUSTER_SCOPE, Key};
use super::layout::{DOT, JOURNAL, STAGING, generation_path};
use super::record::RecordKind;
use super::recover::Opened;
use super::retention::Retention;
use super::revision::Revision;
use super::segment::{Segment, Step, Walk};
use crate::sys::fs::{Access, Fs as _};
use crate::sys::sim_fs::{Dice, Disk, SimFs};

/// The content of a cluster: its revision and its objects.
pub(super) type State = (Revision, BTreeMap<String, String>);

/// Reads bytes as a journal, a head and an index; returns the number of valid records.
pub fn journal(bytes: &[u8]) -> usize {
    let _ = Head::decode(bytes);
    if let Some((index, _)) = Index::decode(bytes) {
        assert_eq!(index.range("").count(), index.count);
    }
    let fs = SimFs::new();
    let path = generation_path(1);
    let write = || -> crate::sys::fs::Result<()> {
        fs.make_dir(JOURNAL)?;
        fs.create(&path)?.write_at(bytes, 0)
    };
    if write().is_err() {
        return 0;
    }
    let Ok(segment) = Segment::open(&fs, 1, Access::Read) else {
        return 0;
    };
    let mut walk = Walk::whole(segment.file.as_ref(), bytes.len() as u64);
    let mut records = 0;
    while let Ok(Step::Record(found)) = walk.step() {
        assert!(found.kind != RecordKind::Delta || found.revision_after() + 1 >= found.meta.rev);
        assert_eq!(found.each().count(), found.meta.ops.len());
        records += 1;
    }
    let _ = open(&fs);
    records
}

/// Makes a key of two parts of the bytes: refused, or its file stays beneath its directory.
pub fn name(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let (namespace, name) = text.split_once('\n').unwrap_or(("default", text));
    let _ = Key::parse(text);
    let _ = Key::from_path(text);
    for namespace in [Some(namespace), None] {
        let Ok(key) = Key::new("pods", namespace, name) else {
            continue;
        };
        let path = key.path();
        let parts: Vec<&str> = path.split('/').collect();
        let [first, "pods", file] = parts[..] else {
            panic!("{path} leaves its directory")
        };
        assert_eq!(first, namespace.unwrap_or(CLUSTER_SCOPE));
        assert!(!file.starts_with(['.', '-']) && file.len() <= 240 && !file.contains('\0'));
        if let Ok(Some(back)) = Key::from_path(&path) {
            assert_eq!(back, key);
        }
    }
}

/// Runs bytes as a program of commits, compactions, failed syncs, kills and power cuts, against a model: acknowledged
/// commits exist, unfinished ones are whole or absent.
pub fn machine(bytes: &[u8]) {
    let mut fs = SimFs::new();
    let Ok(opened) = open(&fs) else {
        panic!("a new directory cannot be opened")
    };
    let mut model: State = state(&opened);
    let mut dice = Dice(u64::from(bytes.len() as u32) + 1);
    let mut program = bytes.iter().copied();
    while let Some(op) = program.next() {
        let argument = program.next().unwrap_or(0);
        fs.record();
        let mut allowed = vec![model.clone()];
        let acknowledged = match op % 8 {
            0..4 => {
                let after = planned(&model, op, argument);
                let done = commit(&fs, &after.1);
                allowed.push(after.0.clone());
                if done.is_ok() {
                    model = after.0;
                }
                done.is_ok()
            }
            4 => open(&fs)
                .and_then(|mut journal| journal.compact(Retention::Size(0)))
                .is_ok(),
            5 => {
                fs.fail_sync(Some(fs.syncs() + 1 + u64::from(argument % 3)));
                false
            }
            _ => crash(&mut fs, argument, &mut dice, &allowed, &mut model),
        };
        if !acknowledged {
            // Killed, refused or interrupted: the next process decides which of the two it is.
            model = settle(&fs, &allowed);
        }
        let _ = fs.take_recording();
    }
    let Ok(journal) = open(&fs) else {
        panic!("the journal cannot be opened at the end")
    };
    assert_eq!(state(&journal), model);
}

/// Cuts the power, at the end or in the middle of a last commit.
fn crash(
    fs: &mut SimFs,
    argument: u8,
    dice: &mut Dice,
    allowed: &[State],
    model: &mut State,
) -> bool {
    let mut allowed = allowed.to_vec();
    let mut disk = fs.disk();
    if argument.is_multiple_of(2) {
        let after = planned(model, argument, argument / 2);
        let _ = commit(fs, &after.1);
        allowed.push(after.0);
        let points: Vec<Disk> = fs.take_recording();
        if !points.is_empty() {
            disk = points[dice.roll(points.len())].clone();
        }
    }
    let images = if argument.is_multiple_of(3) {
        vec![disk]
    } else {
        disk.power_images(4, dice)
    };
    if let Some(image) = images.into_iter().next() {
        *fs = SimFs::on(image);
    }
    *model = settle(fs, &allowed);
    true
}

/// Opens the store as the next process would; the state must be one of the allowed ones.
fn settle(fs: &SimFs, allowed: &[State]) -> State {
    fs.fail_sync(None);
    match open(fs) {
        Ok(journal) => {
            let found = state(&journal);
            assert!(allowed.contains(&found), "{found:?} is none of {allowed:?}");
            found
        }
        Err(e) => panic!("refused: {e:?}"),
    }
}

/// One commit: keys with their new content, or none for removals.
pub(super) type Plan = Vec<(String, Option<String>)>;

/// Returns a commit and the state after it.
fn planned(model: &State, op: u8, argument: u8) -> (State, Plan) {
    let (mut revision, mut objects) = model.clone();
    let mut plan = Plan::new();
    for slot in 0..=(op % 4) {
        let key = format!("c/d/{}", (argument.wrapping_add(slot * 5)) % 20);
        if plan.iter().any(|(k, _)| *k == key) {
            continue;
        }
        let value = if argument.is_multiple_of(5) && objects.contains_key(&key) {
            objects.remove(&key);
            None
        } else {
            let value = format!("{{\"r\":{revision}}}");
            objects.insert(key.clone(), value.clone());
            Some(value)
        };
        revision += 1;
        plan.push((key, value));
    }
    ((revision, objects), plan)
}

/// Opens the journal as the next process would, and creates the first generation if it is missing.
pub(super) fn open(fs: &SimFs) -> Result<Journal> {
    let mut journal = Journal::new(Arc::new(fs.clone()));
    if journal.recover(false, false, &mut |_| Ok(()))? == Opened::Nothing {
        for dir in [DOT, JOURNAL, STAGING] {
            fs.make_dir(dir)?;
        }
        let base = BaseNote {
            revision: 1,
            epoch: 0,
            time: Timestamp::UNIX_EPOCH,
            seq: 0,
        };
        journal.begin_generation(1, base, &mut std::iter::empty(), true)?;
        fs.sync_dir(DOT)?;
    }
    Ok(journal)
}

/// Returns the content of an open journal with every object read and checked.
pub(super) fn read_state(journal: &Journal) -> Result<State> {
    let Some(head) = &journal.head else {
        return Ok((0, BTreeMap::new()));
    };
    let segment = Segment::open(&*journal.fs, head.generation, Access::Read)?;
    let mut found = BTreeMap::new();
    for (key, entry) in journal.index.range("") {
        let body = Journal::body(&segment, &entry)?;
        found.insert(key.to_owned(), String::from_utf8_lossy(&body).into_owned());
    }
    Ok((head.revision, found))
}

fn state(journal: &Journal) -> State {
    read_state(journal).unwrap_or_else(|e| panic!("an opened journal cannot be read: {e}"))
}

/// Makes one commit as a separate process.
pub(super) fn commit(fs: &SimFs, plan: &Plan) -> Result<()> {
    commit_together(fs, std::slice::from_ref(plan))
}

/// Makes commits that share a sync, as a separate process.
pub(super) fn commit_together(fs: &SimFs, plans: &[Plan]) -> Result<()> {
    let mut journal = open(fs)?;
    for plan in plans {
        write(&mut journal, plan)?;
    }
    journal.settle()?;
    journal.publish_projected()
}

/// Writes one commit, which is not durable yet.
pub(super) fn write(journal: &mut Journal, plan: &Plan) -> Result<()> {
    let note = Note {
        time: Timestamp::UNIX_EPOCH,
        writer: "w",
        trigger: None,
        rule: "r",
        epoch: 0,
    };
    let changes: Vec<Change<'_>> = plan
        .iter()
        .map(|(key, value)| Change {
            key,
            json: value.as_ref().map(String::as_bytes),
            why: None,
        })
        .collect();
    journal.write(&note, &changes).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the bytes of a real journal with some commits.
    fn real() -> Vec<u8> {
        let fs = SimFs::new();
        let mut model = state(&open(&fs).unwrap());
        for n in 0..12 {
            let (after, plan) = planned(&model, n, n * 7);
            commit(&fs, &plan).unwrap();
            model = after;
        }
        fs.disk().bytes(&generation_path(1)).unwrap()
    }

    #[test]
    fn a_real_journal_is_read_whole() {
        assert_eq!(journal(&real()), 13);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn arbitrary_bytes_never_panic_the_journal_reader(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
            journal(&bytes);
        }

        #[test]
        fn damaged_journals_are_read_up_to_the_damage(
            edits in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
            cut in any::<prop::sample::Index>(),
        ) {
            let mut bytes = real();
            let length = bytes.len();
            for (at, byte) in edits {
                bytes[at.index(length)] = byte;
            }
            prop_assert!(journal(&bytes) <= 13);
            bytes.truncate(cut.index(length));
            prop_assert!(journal(&bytes) <= 13);
        }

        #[test]
        fn arbitrary_name_is_rejected_or_stays_below_its_directory(text in "(\\PC|[./%~\\\\\n-]){0,300}") {
            name(text.as_bytes());
        }

        #[test]
        fn random_commits_and_crashes_keep_acknowledged_writes(
            bytes in proptest::collection::vec(any::<u8>(), 0..48),
        ) {
            machine(&bytes);
        }
    }
}
