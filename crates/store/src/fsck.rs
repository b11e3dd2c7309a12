//! Checking and mending a state directory.

use std::collections::{BTreeMap, BTreeSet};

use super::compact::BaseNote;
use super::error::{StoreError, one_line};
use super::files::FileStore;
use super::history::oldest_kept;
use super::index::Index;
use super::interface::Result;
use super::journal::{Journal, bodies};
use super::judge::parse_stored;
use super::key::{Key, Range};
use super::layout::{COMMENTS, HEAD, JOURNAL, MAX_FILE, SEEN, generation_path};
use super::record::RecordKind;
use super::revision::Revision;
use super::scan;
use super::segment::{FoundRecord, Segment, Step, Walk};
use super::tree::{Tree, Version};
use crate::api::json::Value;
use crate::sys::fs::{self, Access};

/// The result of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The number of commits that were read.
    pub commits: u64,
    /// The number of changes in them.
    pub changes: u64,
    /// The number of objects.
    pub objects: usize,
    /// The current revision.
    pub revision: Revision,
    /// The oldest revision of the history: all later changes are retained.
    pub oldest: Revision,
    /// The problems, one line each.
    pub problems: Vec<String>,
    /// Remarks that are not problems, one line each.
    pub remarks: Vec<String>,
}

/// One object while its history is replayed.
#[derive(Clone, Debug)]
struct Live {
    revision: Revision,
    uid: Option<String>,
    /// The position of its newest version in the generation that is read.
    place: Option<(u64, u32)>,
}

/// The state while the history is replayed.
#[derive(Debug, Default)]
struct Replay {
    live: BTreeMap<String, Live>,
    revision: Revision,
    epoch: u64,
    seq: u64,
    report: Report,
}

impl FileStore {
    /// Reads everything and reports problems.
    pub(crate) fn check_all(&self, history: bool) -> Result<Report> {
        let mut report = Report::default();
        let reading = match self.reading() {
            Ok(reading) => reading,
            // The check is there to find damage.
            Err(e @ StoreError::Corrupt { .. }) => {
                report.problems.push(e.to_string());
                return Ok(report);
            }
            Err(e) => return Err(e),
        };
        report.revision = reading.head.revision;
        report.objects = reading.journal.index.count;
        report.oldest = oldest_kept(&reading.journal)?;
        check_bodies(&reading.journal, &reading.segment, &mut report);
        let mut replay = Replay {
            report,
            ..Replay::default()
        };
        let generations = reading.journal.generations()?;
        let current = reading.head.generation;
        // A repair leaves a gap: generations before it are not connected.
        let joined = |g: &u64| generations.contains(g);
        // From the newest backwards as long as the numbers are contiguous.
        let first = (0..=current).rev().take_while(joined).last();
        let first = first.filter(|_| history).unwrap_or(current);
        let wanted = |g: &u64| *g >= first && (history || *g == current);
        for generation in generations.iter().copied().filter(wanted) {
            // In the current generation only up to the head, because a writer may be appending after it.
            let limit = (generation == current).then_some(reading.head.offset);
            replay.generation(&reading.journal, generation, limit);
        }
        replay.compare(&reading.journal.index, reading.head.revision);
        let mut report = replay.report;
        // The files after the journal, because edits are judged against an intact journal.
        let suspects = scan::suspects(&*self.fs, reading.journal.expected(), &Range::all())?;
        drop(reading);
        let told = suspects.iter().map(|s| s.path.clone()).collect();
        self.compare_files(&told, &mut report)?;
        for suspect in suspects {
            let stat = self.fs.stat(&suspect.path)?;
            let proven =
                stat.and_then(|stat| scan::proven_revision(&*self.fs, &suspect.path, &stat));
            // A stamp above the journal's end proves that this `.ctl` is an older one.
            if let Some(shown) = proven.filter(|shown| *shown > report.revision) {
                report.problems.push(format!(
                    "{}: the file has revision {shown}, but the journal ends at {}: .ctl is older than \
                     the files. `ctl fsck --repair` imports them and continues above their revisions",
                    suspect.path, report.revision
                ));
                continue;
            }
            let what = if suspect.missing {
                "its file is missing"
            } else {
                "the file was changed"
            };
            report.remarks.push(format!(
                "{}: {what}; the next command imports the change",
                suspect.path
            ));
        }
        Ok(report)
    }

    /// Returns the objects whose files look like files of ctl and have another content.
    fn other_contents(
        &self,
        journal: &Journal,
        segment: &Segment,
        told: &BTreeSet<String>,
    ) -> Result<Vec<(String, Revision)>> {
        let tree = Tree {
            fs: &*self.fs,
            commented: self.fs.stat(COMMENTS)?.is_some(),
            fine_times: &self.fine_times,
        };
        let mut found = Vec::new();
        for (name, entry) in journal.index.range("") {
            let (Ok(key), Ok(json)) = (Key::parse(name), Journal::body(segment, &entry)) else {
                continue;
            };
            let path = key.path();
            if told.contains(&path) || journal.unprojected.contains_key(name) {
                continue;
            }
            let text = tree.render(&key, Version::from_entry(&entry, &json))?;
            if !fs::read_all(&*self.fs, &path, MAX_FILE).is_ok_and(|found| found == text) {
                found.push((path, entry.revision));
            }
        }
        Ok(found)
    }

    /// Compares the content of every file with its object: regardless of the file's times, it must equal the journal's
    /// state.
    fn compare_files(&self, told: &BTreeSet<String>, report: &mut Report) -> Result<()> {
        let mut found = {
            let reading = self.reading()?;
            self.other_contents(&reading.journal, &reading.segment, told)?
        };
        if !found.is_empty() {
            // A writer may be active; under the lock there is none.
            let _ = self.under_lock_if_free(|exclusive| {
                found = self.other_contents(&exclusive.journal, &*exclusive.segment()?, told)?;
                Ok(true)
            })?;
        }
        for (path, revision) in found {
            report.problems.push(format!(
                "{path}: the file differs from revision {revision}; `ctl fsck --repair` compares them"
            ));
        }
        Ok(())
    }

    /// Salvages the longest valid prefix of a damaged journal into a new generation, keeps the
    /// original file, and takes newer states of objects from the YAML tree.
    pub(crate) fn mend(&self) -> Result<Vec<String>> {
        self.check_writable()?;
        // Under the lock from the first read on: a writer would recover the same damage its own
        // way.
        let lock = self.take_lock(self.options.patience)?;
        let mut done = Vec::new();
        let mut journal = Journal::new(std::sync::Arc::clone(&self.fs));
        let healthy = journal.recover(false, false, &mut |found| {
            scan::refuse_newer_tree(&*self.fs, found)
        });
        match healthy {
            Ok(_) => {}
            Err(StoreError::Corrupt { .. }) => self.salvage(&mut journal, &mut done)?,
            Err(e) => return Err(e),
        }
        // Every file is compared with its object again, because the facts may be wrong; they are rebuilt from the
        // contents.
        match self.fs.unlink(SEEN) {
            Err(e) if !e.is_not_found() => return Err(e.into()),
            _ => {}
        }
        // Released and taken again, so that `begin` runs as for every writer.
        drop(lock);
        drop(journal);
        let mut exclusive = self.exclusive(self.options.patience)?;
        let lost: Vec<_> = scan::suspects(&*self.fs, exclusive.journal.expected(), &Range::all())?
            .into_iter()
            .filter(|s| s.missing)
            .collect();
        for suspect in &lost {
            let Some(key) = &suspect.key else { continue };
            // No known text: any file in that place is checked before it is replaced.
            exclusive.journal.unprojected.insert(key.to_string(), None);
            done.push(format!("{}: rewritten", suspect.path));
        }
        exclusive.show_pending();
        drop(exclusive);
        self.import_edits(&Range::all())?;
        Ok(done)
    }

    fn salvage(&self, journal: &mut Journal, done: &mut Vec<String>) -> Result<()> {
        // From the newest: an older generation has less, and only helps if the newer ones have no complete base.
        for generation in journal.generations()?.into_iter().rev() {
            journal.forget();
            let segment = Segment::open(&*self.fs, generation, Access::Read)?;
            let Some(base) = read_prefix(journal, &segment)? else {
                self.keep_damaged(&segment, done)?;
                continue;
            };
            let entries: Vec<_> = journal
                .index
                .range("")
                .map(|(key, entry)| (key.to_owned(), entry))
                .collect();
            let places: Vec<_> = entries.iter().map(|(_, entry)| *entry).collect();
            let read = bodies(&segment, &places)?;
            let objects: Vec<_> = entries
                .into_iter()
                .zip(read)
                .map(|((key, entry), body)| (key, entry.revision, body))
                .collect();
            let count = objects.len();
            // The original stays under another name, also after a wrong repair.
            self.keep_damaged(&segment, done)?;
            let next = generation + 1;
            // Zero shown: after a salvage every file is compared with its object.
            journal.begin_generation(next, base, &mut objects.into_iter().map(Ok), false)?;
            done.push(format!(
                "{count} objects salvaged, up to revision {}",
                base.revision
            ));
            return Ok(());
        }
        // A head without a journal would be refused as lost data.
        match self.fs.unlink(HEAD) {
            Err(e) if !e.is_not_found() => return Err(e.into()),
            _ => {}
        }
        done.push(
            "no generation could be read: the objects are imported from the YAML files".into(),
        );
        Ok(())
    }

    fn keep_damaged(&self, segment: &Segment, done: &mut Vec<String>) -> Result<()> {
        let name = format!(
            "{}.damaged-{:08x}",
            segment.path,
            self.fs.fresh() & 0xffff_ffff
        );
        self.fs.rename(&segment.path, &name)?;
        self.fs.sync_dir(JOURNAL)?;
        done.push(format!("the damaged file is kept as {name}"));
        Ok(())
    }
}

/// Reads the valid prefix of a generation; `None` if not even its base is complete.
fn read_prefix(journal: &mut Journal, segment: &Segment) -> Result<Option<BaseNote>> {
    let size = segment.file.stat()?.size;
    let mut walk = Walk::whole(segment.file.as_ref(), size);
    let (mut base, mut whole) = (None, false);
    while let Step::Record(found) = walk.step()? {
        // A commit after the base proves that the base was complete, regardless of its flag.
        whole |= found.kind == RecordKind::Delta || found.meta.more != Some(true);
        base = Some(BaseNote {
            revision: found.revision_after(),
            epoch: found.meta.epoch,
            time: found.meta.time,
            seq: found.chain.seq,
        });
        journal.apply(&found, u64::MAX);
    }
    Ok(base.filter(|_| whole))
}

/// Reads every live object and checks its form.
fn check_bodies(journal: &Journal, segment: &Segment, report: &mut Report) {
    for (key, entry) in journal.index.range("") {
        match Journal::body(segment, &entry) {
            Err(e) => report.problems.push(format!("{key}: {}", one_line(&e))),
            Ok(json) if parse_stored(&json).is_null() => {
                report.problems.push(format!("{key}: is not JSON"));
            }
            Ok(_) => {}
        }
        if let Err(e) = Key::parse(key) {
            report.problems.push(e.to_string());
        }
    }
}

impl Replay {
    fn wrong(&mut self, path: &str, at: u64, what: impl std::fmt::Display) {
        self.report
            .problems
            .push(format!("{path} at byte {at}: {what}"));
    }

    // A generation at a time with memory for the live objects alone, however long the history is.
    fn generation(&mut self, journal: &Journal, generation: u64, limit: Option<u64>) {
        let path = generation_path(generation);
        let segment = match Segment::open(&*journal.fs, generation, Access::Read) {
            Ok(segment) => segment,
            Err(e) => return self.wrong(&path, 0, one_line(&e)),
        };
        let size = segment.file.stat().map_or(0, |s| s.size);
        let mut walk = Walk::whole(segment.file.as_ref(), limit.unwrap_or(size));
        let mut base: BTreeMap<String, Live> = BTreeMap::new();
        let mut in_base = true;
        loop {
            let at = walk.at;
            match walk.step() {
                Ok(Step::Record(found)) if found.kind == RecordKind::Base => {
                    if !in_base {
                        self.wrong(&path, at, "a base record after commits");
                    }
                    collect_base(&found, &mut base);
                    if found.meta.more != Some(true) {
                        self.take_base(&path, &found, std::mem::take(&mut base));
                        in_base = false;
                    }
                }
                Ok(Step::Record(found)) => {
                    if in_base {
                        self.wrong(&path, at, "a commit before the end of the base");
                    }
                    self.commit(&segment, &found);
                }
                Ok(Step::End) => return,
                Ok(Step::Broken) => return self.wrong(&path, at, "no valid record here"),
                Err(e) => return self.wrong(&path, at, one_line(&e)),
            }
        }
    }

    /// Checks that a base equals the state after the commits before it.
    fn take_base(&mut self, path: &str, found: &FoundRecord<'_>, base: BTreeMap<String, Live>) {
        if self.revision > 0 {
            let (base_at, last) = (found.meta.rev, self.revision);
            // A gap is legal: after a repair or an older `.ctl`, the revisions that others had observed are skipped.
            if base_at < last {
                self.wrong(path, 0, format!("the base is at {base_at}, not {last}"));
            } else if base_at > last {
                let text =
                    format!("{path}: the revisions between {last} and {base_at} were skipped");
                self.report.remarks.push(text);
            }
            let same = base.len() == self.live.len()
                && base
                    .iter()
                    .zip(&self.live)
                    .all(|((k, b), (j, l))| k == j && b.revision == l.revision && b.uid == l.uid);
            if !same {
                self.wrong(
                    path,
                    0,
                    "the base differs from the state after the commits before it",
                );
            }
        }
        self.live = base;
        self.revision = found.meta.rev;
        self.epoch = self.epoch.max(found.meta.epoch);
        self.seq = found.chain.seq;
    }

    fn commit(&mut self, segment: &Segment, found: &FoundRecord<'_>) {
        let (path, at) = (segment.path.clone(), found.start);
        self.report.commits += 1;
        // The walk checks this too; here it is checked across generations.
        if found.chain.seq != self.seq + 1 {
            self.wrong(
                &path,
                at,
                format!("sequence number {} follows {}", found.chain.seq, self.seq),
            );
        }
        self.seq = found.chain.seq;
        if found.meta.rev != self.revision + 1 {
            self.wrong(
                &path,
                at,
                format!("revision {} follows {}", found.meta.rev, self.revision),
            );
        }
        // A falling epoch would let a fenced leader write again.
        if found.meta.epoch < self.epoch {
            self.wrong(
                &path,
                at,
                format!("epoch {} follows {}", found.meta.epoch, self.epoch),
            );
        }
        self.epoch = found.meta.epoch;
        if found.meta.writer.is_empty() || found.meta.rule.is_empty() {
            self.wrong(&path, at, "a commit without a writer or a rule");
        }
        // A trigger is a change that the writer had observed.
        if found.meta.cause.is_some_and(|cause| cause > self.revision) {
            self.wrong(&path, at, "a commit whose cause is a later revision");
        }
        for (index, offset, body) in found.each() {
            self.change(segment, found, index, offset, body);
        }
        self.revision = found.revision_after();
    }

    fn change(
        &mut self,
        segment: &Segment,
        found: &FoundRecord<'_>,
        index: usize,
        offset: u64,
        body: &[u8],
    ) {
        let (path, op) = (&segment.path, &found.meta.ops[index]);
        let key = op.key().to_owned();
        self.report.changes += 1;
        if let Err(e) = Key::parse(&key) {
            self.wrong(path, found.start, e);
        }
        let old = self.live.remove(&key);
        // Checked against the previous state, because undo and time travel follow `prev`.
        let told = op.prev.map(|(revision, ..)| revision);
        if told != old.as_ref().map(|o| o.revision) {
            let had = old.as_ref().map(|o| o.revision);
            self.wrong(
                path,
                found.start,
                format!(
                    "{key}: the record names the previous revision {told:?}, but it was {had:?}"
                ),
            );
        }
        if let (Some((_, at, length)), Some(Some(place))) = (op.prev, old.as_ref().map(|o| o.place))
            && (at, length) != place
        {
            self.wrong(
                path,
                found.start,
                format!("{key} refers to the wrong earlier version"),
            );
        }
        if op.delete.is_some() {
            if old.is_none() {
                self.wrong(
                    path,
                    found.start,
                    format!("{key} is deleted but did not exist"),
                );
            }
            return;
        }
        let value = parse_stored(body);
        if !value.is_object() {
            self.wrong(path, found.start, format!("{key} is not a JSON object"));
        }
        let uid = uid_of(&value);
        // A uid is unique to an object; another one means that the deletion is missing in the history.
        if let Some(old) = old.as_ref().and_then(|o| o.uid.as_ref())
            && uid.as_ref() != Some(old)
        {
            self.wrong(path, found.start, format!("{key} changes its uid"));
        }
        let live = Live {
            revision: found.revision_of(index),
            uid,
            place: Some((offset, op.len)),
        };
        self.live.insert(key, live);
    }

    /// Compares the replayed state with that of readers.
    fn compare(&mut self, index: &Index, revision: Revision) {
        if self.revision != revision {
            let text = format!(
                "the last commit has revision {}, but the head has {revision}",
                self.revision
            );
            self.wrong(HEAD, 0, text);
        }
        // In order and completely: a reader lists the index without looking at the journal.
        let same = index.count == self.live.len()
            && index
                .range("")
                .zip(&self.live)
                .all(|((key, entry), (other, live))| {
                    key == other && entry.revision == live.revision
                });
        if !same {
            self.wrong(
                HEAD,
                0,
                "the index differs from the state after the commits",
            );
        }
    }
}

fn collect_base(found: &FoundRecord<'_>, base: &mut BTreeMap<String, Live>) {
    for (index, offset, body) in found.each() {
        let op = &found.meta.ops[index];
        let live = Live {
            revision: found.revision_of(index),
            uid: uid_of(&parse_stored(body)),
            place: Some((offset, op.len)),
        };
        base.insert(op.key().to_owned(), live);
    }
}

fn uid_of(value: &Value) -> Option<String> {
    value
        .pointer("/metadata/uid")
        .and_then(Value::as_str)
        .map(str::to_owned)
}
