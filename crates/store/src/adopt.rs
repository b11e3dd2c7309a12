//! Hand edits: a changed, new or missing file becomes a commit, or is rejected.
//!
//! An edit is judged first (read, parsed, merged three ways with later changes, admitted) and then either committed
//! with the writer `hand-edit`, or moved next to its file as `NAME.rejected` with the reason. A file that a process is
//! still writing is not touched.

use std::collections::{BTreeMap, HashSet};
use std::io::ErrorKind;
use std::time::Duration;

use jiff::Timestamp;

use super::comments;
use super::edit_reports::{changes_words, edits_between};
use super::error::{StoreError, one_line};
use super::exclusive::Exclusive;
use super::import_reports::{HAND_EDIT, Imported};
use super::interface::{Batch, Cause, ChangeReason, Op, Result};
use super::journal::Journal;
use super::judge::{Change, REMOVE, RESTORE, Saved, Verdict, parse_stored, read_saved};
use super::key::Key;
use super::layout::MAX_FILE;
use super::prepare::SETTLED;
use super::revision::{MAX_FILE_REVISION, Revision};
use super::rules::{MAX_BATCH, MAX_BATCH_OBJECTS};
use super::scan::{self, Suspect};
use super::seen::{Slot, compare, fingerprint};
use super::tree::{DisplacedFile, KnownTexts, Out, Version, is_ours};
use crate::sys::fs::{self, FileKind, Stat};

/// A broken file younger than this may still be incomplete.
const YOUNG: Duration = Duration::from_millis(1000);

/// The number of edits that are read before their writers are determined.
const AT_ONCE: usize = 128;

/// The number of files, or a tenth of all, that may be missing before a confirmation is required.
const MASS_LOSS: usize = 20;

/// A suspect as found, with its content if needed for the decision.
struct SuspectFile {
    suspect: Suspect,
    stat: Option<Stat>,
    content: std::result::Result<Vec<u8>, Verdict>,
}

/// A suspect with its verdict.
struct JudgedFile {
    suspect: Suspect,
    key: Option<Key>,
    stat: Option<Stat>,
    /// The fingerprint of the text that was read.
    text: Option<u64>,
    /// True if it is ctl's own file of an earlier revision.
    is_behind: bool,
    verdict: Verdict,
    /// The revision that the file shows, if its stamp proves that ctl wrote it so.
    proven: Option<Revision>,
}

impl Exclusive<'_> {
    /// Imports the edits among `suspects`; returns the number of changed objects.
    pub(crate) fn import(&mut self, suspects: &[Suspect]) -> Result<usize> {
        // Rejected edits pass through the staging directory.
        self.is_tidy = false;
        // While files are compared with their objects, a missing file is not a removal.
        if !self.tree_is_whole()? {
            return Ok(0);
        }
        let (mut changes, mut behind) = (Vec::new(), Vec::new());
        let mut newer = scan::Newest::default();
        for part in suspects.chunks(AT_ONCE) {
            for judged in self.judge(part)? {
                // The newest proof is kept with its path, so that the message can name the file.
                if let Some(revision) = judged.proven.filter(|revision| *revision > newer.revision)
                {
                    newer = scan::Newest {
                        revision,
                        path: judged.suspect.path.clone(),
                    };
                }
                match judged.verdict {
                    Verdict::Nothing if judged.is_behind => {
                        behind.extend(judged.key.zip(judged.text));
                    }
                    Verdict::Nothing | Verdict::Pending => {}
                    Verdict::Restamp(revision) => {
                        if let Some(key) = &judged.key {
                            self.know_again(key, revision)?;
                        }
                    }
                    Verdict::Reject(ref reason) => self.reject(&judged, reason)?,
                    Verdict::Change(change) => changes.push((*change, judged.text)),
                }
            }
        }
        // Before any commit: these edits must get revisions above those in the files.
        if newer.revision > self.head()?.revision {
            self.raise_above_tree(newer)?;
        }
        // Files that are merely old go first, or each would be merged as an edit.
        self.show_again(&behind);
        self.hold_back_mass_loss(&mut changes)?;
        self.commit_edits(changes)
    }

    /// Continues above every revision in a file, if a stamp proves that the file is newer than the journal: an older
    /// `.ctl` was put back. Watchers and files have those revisions with other contents, so none may be used again.
    fn raise_above_tree(&mut self, sign: scan::Newest) -> Result<()> {
        let last = self.head()?.revision;
        // One scan finds the newest revision of all files; the file that caused the scan need not have it.
        let scan::Newest {
            revision: newest,
            path,
        } = scan::newest(self.fs())?.max(sign);
        self.store.say(&format!(
            "{path} has revision {newest}, but the journal ends at {last}: .ctl is older than the files; they are imported as they are, and revisions continue above {newest}"
        ));
        let head = self.head()?;
        // A new generation is only begun when the tree shows everything, or the projection would be
        // forgotten.
        if head.projected != head.offset {
            self.show_pending();
        }
        let keep = self.store.settings.get().history;
        self.journal.rebase(newest + 1, keep)
    }

    /// Returns true if a file is the last one written for its object and has an earlier revision: its directory was
    /// moved away while the object changed, and moved back. That is not an edit.
    fn is_behind(&self, key: Option<&Key>, text: u64) -> bool {
        let live = key.filter(|key| self.journal.index.get(key.as_str()).is_some());
        live.is_some_and(|key| self.seen().text_shown_last(key.as_str()) == Some(text))
    }

    /// Writes the outdated files of objects again.
    fn show_again(&mut self, behind: &[(Key, u64)]) {
        for (key, text) in behind {
            let entry = self.journal.index.get(key.as_str());
            // The old file is known and may be discarded when it is swapped out.
            self.judged.insert(key.to_string(), *text);
            self.journal.unprojected.insert(key.to_string(), entry);
        }
        if !behind.is_empty() {
            self.show_pending();
        }
    }

    /// Reads edits and decides on them.
    ///
    /// After a file was read, the processes that have it open are determined, and then checked that it is still the
    /// same file: so no process can have written into the text that was read.
    fn judge(&self, suspects: &[Suspect]) -> Result<Vec<JudgedFile>> {
        let mut looked = suspects
            .iter()
            .map(|s| self.look_at(s))
            .collect::<Result<Vec<_>>>()?;
        // Once for all suspects, because each wait would hold the lock.
        self.wait_for_names_to_settle(&mut looked)?;
        let stats: Vec<Stat> = looked
            .iter()
            .filter(|l| l.content.is_ok())
            .filter_map(|l| l.stat)
            .collect();
        // One walk over all processes for up to 128 files, instead of one for each.
        let mut in_use = self.fs().each_open_for_writing(&stats).into_iter();
        let (mut judged, mut read) = (Vec::new(), Vec::new());
        for looked in &mut looked {
            let key = looked.suspect.key.clone();
            let content = std::mem::replace(&mut looked.content, Err(Verdict::Nothing));
            let text = content.as_ref().ok().map(|bytes| fingerprint(bytes));
            // The empty content of a missing file must not pass for an empty file.
            let text = text.filter(|_| looked.stat.is_some());
            let is_behind = text.is_some_and(|text| self.is_behind(key.as_ref(), text));
            let verdict = match (content, &looked.stat, &key) {
                (Ok(bytes), Some(stat), _) => {
                    let in_use = in_use.next().flatten();
                    // It changed after it was parsed; the next attempt parses it again, without the lock.
                    let unparsed = self.prepared.is_unparsed(&looked.suspect.path, &bytes);
                    match !unparsed && self.is_finished(&looked.suspect, stat, in_use)? {
                        false => Verdict::Pending,
                        true if is_behind => Verdict::Nothing,
                        true => {
                            read.push((judged.len(), bytes));
                            Verdict::Nothing
                        }
                    }
                }
                (Ok(_), None, Some(key)) => self.judge_removal(key)?,
                (Ok(_), None, None) => Verdict::Nothing,
                (Err(verdict), ..) => verdict,
            };
            judged.push(JudgedFile {
                suspect: looked.suspect.clone(),
                key,
                stat: looked.stat,
                text,
                is_behind,
                verdict,
                proven: None,
            });
        }
        self.judge_contents(&mut judged, &read)?;
        Ok(judged)
    }

    /// Decides on the contents of files, each at its place in `judged`.
    fn judge_contents(&self, judged: &mut [JudgedFile], read: &[(usize, Vec<u8>)]) -> Result<()> {
        let (mut saved, mut at): (Vec<Saved<'_>>, Vec<usize>) = Default::default();
        // Parsed first and judged together: the history is walked once for all files.
        for (place, bytes) in read {
            let judged = &mut judged[*place];
            let path = &judged.suspect.path;
            let parsed = self.prepared.parse(path, bytes);
            match read_saved(path, bytes, parsed, judged.key.clone()) {
                Ok(read) => {
                    judged.key = Some(read.key.clone());
                    let is_proven = |r: &Revision| {
                        *r <= MAX_FILE_REVISION
                            && judged.stat.is_some_and(|stat| is_ours(&stat, *r))
                    };
                    judged.proven = read.revision.filter(is_proven);
                    saved.push(read);
                    at.push(*place);
                }
                Err(reason) => judged.verdict = Verdict::Reject(reason),
            }
        }
        for (verdict, place) in self.judge_saved(saved)?.into_iter().zip(at) {
            judged[place].verdict = verdict;
        }
        for (place, bytes) in read {
            let judged = &mut judged[*place];
            // Editors truncate and then write, so a broken young file is read again before it is rejected.
            let young = judged.stat.is_some_and(|stat| self.age(&stat) < YOUNG);
            if matches!(judged.verdict, Verdict::Reject(_)) && young && looks_unfinished(bytes) {
                judged.verdict = Verdict::Pending;
            }
        }
        Ok(())
    }

    fn look_at(&self, suspect: &Suspect) -> Result<SuspectFile> {
        let stat = self.fs().stat(&suspect.path)?;
        let content = match &stat {
            Some(stat) => self.read_edit(suspect, stat),
            None => Ok(Vec::new()),
        };
        Ok(SuspectFile {
            suspect: suspect.clone(),
            stat,
            content,
        })
    }

    fn read_edit(&self, suspect: &Suspect, stat: &Stat) -> std::result::Result<Vec<u8>, Verdict> {
        let entry = |key: &Key| self.journal.index.get(key.as_str());
        let entry = suspect.key.as_ref().and_then(entry);
        if let (Some(entry), Some(key)) = (&entry, &suspect.key) {
            let path = || suspect.path.clone();
            // The cheap check first: most suspects are files of ctl that only lost their facts.
            if self.seen().is_ours(key.as_str(), entry, &path, stat) {
                return Err(Verdict::Nothing);
            }
        }
        if stat.kind != FileKind::File {
            let text = format!("{}: it is not a regular file", suspect.path);
            return Err(Verdict::Reject(text));
        }
        if stat.size > MAX_FILE {
            let text = format!(
                "{}: it has {} bytes, the limit is {MAX_FILE}",
                suspect.path, stat.size
            );
            return Err(Verdict::Reject(text));
        }
        fs::read_all(self.fs(), &suspect.path, MAX_FILE).map_err(|e| {
            if e.is_not_found() {
                return Verdict::Pending;
            }
            if e.is_read_only() || e.is_link() || e.kind() == ErrorKind::FileTooLarge {
                return Verdict::Reject(one_line(&e));
            }
            // A failure of the machine is not a reason to move a user's file.
            let text = format!("{}; retrying later", one_line(&e));
            self.store.say(&text);
            Verdict::Pending
        })
    }

    /// Editors and git replace a file by removing its name and creating it again: a name that is
    /// missing in a directory that has just changed is looked at again a moment later.
    fn wait_for_names_to_settle(&self, looked: &mut [SuspectFile]) -> Result<()> {
        let mut young = false;
        for looked in looked.iter() {
            let (directory, _) = looked.suspect.path.rsplit_once('/').unwrap_or((".", ""));
            // A file that was missing before the lock was taken is gone, so there is no need to wait a second time.
            if looked.stat.is_none()
                && !self.prepared.was_missing(&looked.suspect.path)
                && let Some(stat) = self.fs().stat(directory)?
                && self.age(&stat) < SETTLED
            {
                young = true;
            }
        }
        if young {
            self.fs().pause(SETTLED);
        }
        // One listing for each directory. A listing shows a name that was replaced between two
        // calls, `stat` may miss it.
        let mut listings = BTreeMap::new();
        for looked in looked.iter_mut().filter(|l| l.stat.is_none()) {
            let (directory, name) = looked.suspect.path.rsplit_once('/').unwrap_or_default();
            if !listings.contains_key(directory) {
                listings.insert(directory.to_owned(), self.names_in(directory)?);
            }
            match &listings[directory] {
                None => looked.content = Err(Verdict::Nothing),
                Some(names) if names.contains(name) => looked.content = Err(Verdict::Pending),
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// Returns the names in a directory, none if it is missing; `None` behind a link, which is never followed.
    fn names_in(&self, directory: &str) -> Result<Option<HashSet<String>>> {
        match self.fs().list(directory) {
            Ok(entries) => Ok(Some(entries.into_iter().map(|e| e.name).collect())),
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(Some(HashSet::new())),
            Err(e) if e.is_link() || e.is_not_found() => Ok(None),
            Err(e) => Err(e.into()),
        }
    }

    fn age(&self, stat: &Stat) -> Duration {
        let now = self.fs().wall_clock();
        now.duration_since(stat.modified).unsigned_abs()
    }

    /// Returns true if no process can have written into a file since it was read.
    fn is_finished(&self, suspect: &Suspect, stat: &Stat, in_use: Option<bool>) -> Result<bool> {
        Ok(match in_use {
            Some(true) => false,
            // If the processes that have it open are unknown, only its age counts.
            None if self.age(stat) < SETTLED => false,
            _ => self.fs().stat(&suspect.path)? == Some(*stat),
        })
    }

    /// Cancels removals if too many files are missing for an intentional change.
    fn hold_back_mass_loss(&mut self, changes: &mut Vec<(Change, Option<u64>)>) -> Result<()> {
        let is_removal = |(change, _): &(Change, Option<u64>)| change.rule == REMOVE;
        if self.store.options.accept_deletes || !changes.iter().any(is_removal) {
            return Ok(());
        }
        let missing = scan::count_missing(self.fs(), self.journal.expected())?;
        let total = self.journal.index.count;
        // A tenth, but at least one: deleting the only object by hand must work.
        if missing <= (total / 10).clamp(1, MASS_LOSS) {
            return Ok(());
        }
        // Held back and not refused: the other edits of this import are committed.
        let held = changes.extract_if(.., |change| is_removal(change));
        self.gone
            .extend(held.map(|(change, _)| change.op.key.to_string()));
        self.store.say_once(format!(
            "{missing} of {total} objects have lost their files; none of them is deleted: put the \
             files back, let `ctl fsck --repair` write them again, or delete the objects with \
             `ctl fsck --accept-deletes`"
        ));
        Ok(())
    }

    fn commit_edits(&mut self, changes: Vec<(Change, Option<u64>)>) -> Result<usize> {
        let count = changes.len();
        let (mut batch, mut size) = (Vec::new(), 0);
        for (change, text) in changes {
            let op = &change.op;
            let bytes = op.json.as_ref().map_or(0, |json| json.len());
            // A batch is one record with a size limit; a checkout of thousands of files takes
            // several.
            if size + bytes > MAX_BATCH || batch.len() == MAX_BATCH_OBJECTS {
                self.commit_edit_batch(std::mem::take(&mut batch))?;
                size = 0;
            }
            if let Some(text) = text {
                self.judged.insert(op.key.as_str().to_owned(), text);
            } else if change.rule == REMOVE {
                self.gone.insert(op.key.to_string());
            }
            size += bytes;
            batch.push(change);
        }
        self.commit_edit_batch(batch)?;
        Ok(count)
    }

    fn commit_edit_batch(&mut self, changes: Vec<Change>) -> Result<()> {
        let Some(first) = changes.first() else {
            return Ok(());
        };
        // `ctl log` shows the rule of the commit; single changes keep their own.
        let is = |rule: &str| changes.iter().all(|change| change.rule == rule);
        let rule = match first.rule {
            first if is(first) => first,
            _ if changes.iter().any(|change| change.rule == RESTORE) => RESTORE,
            _ => "edit",
        };
        let reports = changes.iter().map(|change| self.report_of(change));
        let reports = reports.collect::<Result<Vec<_>>>()?;
        let (mut ops, mut told) = (Vec::new(), Vec::new());
        let mut rewritten = HashSet::new();
        for mut change in changes {
            // Before the commit, so that every later writer of the file includes them.
            if let Some(kept) = &change.comments {
                comments::keep(self.fs(), &change.op.key, kept)?;
                self.commented = true;
                rewritten.insert(change.op.key.to_string());
            }
            // Each change keeps its own reason if it differs from the batch's.
            if rule == RESTORE && change.rule != RESTORE {
                change.op.why = Some(ChangeReason {
                    trigger: None,
                    rule: change.rule.to_owned(),
                });
            }
            ops.push(change.op);
            told.push(change.told);
        }
        let keys: Vec<Key> = ops.iter().map(|op: &Op| op.key.clone()).collect();
        let done = self.commit(&Cause::new(HAND_EDIT, rule), &Batch::new(ops))?;
        for ((mut report, told), revision) in reports.into_iter().zip(told).zip(done.revisions) {
            // No revision: the content was the same, so there is nothing to report.
            if let Some(revision) = revision {
                (report.revision, report.time) = (revision, done.time);
                self.reports.push(report);
            }
            told.into_iter().for_each(|told| self.reports.remark(told));
        }
        // Files with the same content in another form, or with other comments, made no commit; they are rewritten too.
        for key in keys {
            if (self.judged.contains_key(key.as_str()) || rewritten.contains(key.as_str()))
                && let Some(entry) = self.journal.index.get(key.as_str())
            {
                self.journal
                    .unprojected
                    .insert(key.to_string(), Some(entry));
            }
        }
        self.show_pending();
        Ok(())
    }

    /// Returns the report of an edit that is about to be committed.
    fn report_of(&self, change: &Change) -> Result<Imported> {
        let key = &change.op.key;
        let (action, changes) = match (&change.restored, change.rule) {
            (Some((action, changes)), _) => (action.clone(), changes.clone()),
            (None, REMOVE) => ("removed".to_owned(), String::new()),
            (None, "create") => ("created".to_owned(), String::new()),
            (None, _) => ("edited".to_owned(), self.changes_of(&change.op)?),
        };
        Ok(Imported {
            time: Timestamp::UNIX_EPOCH,
            revision: 0,
            path: key.path(),
            action,
            changes,
        })
    }

    /// Returns the fields that an edit changes, as text.
    fn changes_of(&self, op: &Op) -> Result<String> {
        let entry = self.journal.index.get(op.key.as_str());
        let (Some(entry), Some(json)) = (entry, &op.json) else {
            return Ok(String::new());
        };
        let before = parse_stored(&Journal::body(&*self.segment()?, &entry)?);
        let edits = edits_between(&before, &parse_stored(json));
        Ok(changes_words(&edits, &op.key))
    }

    /// Writes down which file shows a version whose content it has.
    fn know_again(&self, key: &Key, revision: Revision) -> Result<()> {
        let (path, time) = (key.path(), self.head()?.time);
        let Some(entry) = self.journal.index.get(key.as_str()) else {
            return Ok(());
        };
        let stamped = |stat: &Stat| is_ours(stat, revision);
        if !self.fs().stat(&path)?.as_ref().is_some_and(stamped) {
            match self.tree().restamp(key, revision, time) {
                // The time matters after a power cut only; a file without the right to write it
                // shows the object nevertheless.
                Err(e) if e.is_read_only() || e.is_not_found() => {}
                stamped => stamped?,
            }
        }
        let json = Journal::body(&*self.segment()?, &entry)?;
        let text = self.tree().render(
            key,
            Version {
                revision,
                json: &json,
            },
        )?;
        // The text is compared rather than assumed, because a user may have saved since the verdict.
        if let Some(mark) = compare(self.fs(), &path, |found| found == text) {
            self.note(&[Slot::new(key.as_str(), &entry, mark)], &[]);
        }
        Ok(())
    }

    /// Rejects a file and writes the object of the cluster in its place.
    fn reject(&mut self, judged: &JudgedFile, reason: &str) -> Result<()> {
        let path = &judged.suspect.path;
        let entry = judged
            .key
            .as_ref()
            .and_then(|k| self.journal.index.get(k.as_str()));
        let revision = self.head()?.revision;
        // A file whose name does not match its object has no place: it is only removed.
        let (Some(entry), Some(key)) = (entry, judged.key.as_ref().filter(|k| k.path() == *path))
        else {
            return match self.tree().take_out(path, revision)? {
                Some(out) => self.keep_aside(&out, path, reason),
                None => Ok(()),
            };
        };
        let json = Journal::body(&*self.segment()?, &entry)?;
        let version = Version::from_entry(&entry, &json);
        let known = KnownTexts {
            shown: Some(fingerprint(&self.tree().render(key, version)?)),
            judged: None,
            revision: Some(entry.revision),
        };
        let time = self.head()?.time;
        let put = match self.tree().show(key, version, known, time) {
            // A link replaced the directory since the file was read: the file is judged again when its directory is
            // back, and the commit that triggered this must not fail because of it.
            Err(StoreError::Fs(e)) if e.is_not_found() => return Ok(()),
            put => put?,
        };
        let facts = put.mark.map(|mark| Slot::new(key.as_str(), &entry, mark));
        self.note(facts.as_slice(), &[]);
        match put.out {
            // If an editor continues to write, its text so far is rejected with the rest once it is complete.
            Some(Out::Edit(out)) => self.keep_aside(&out, path, reason),
            Some(out) => {
                for (key, out) in self.edits_among(vec![(key.clone(), out)])? {
                    self.keep_aside(&out, &key.path(), reason)?;
                }
                Ok(())
            }
            None => Ok(()),
        }
    }

    pub(crate) fn keep_aside(&self, out: &DisplacedFile, path: &str, reason: &str) -> Result<()> {
        let reason = reason.lines().map(str::trim).collect::<Vec<_>>().join(" ");
        let name = self.tree().reject(out, path, &reason)?;
        self.store
            .say(&format!("{reason}; the file is kept as {name}"));
        Ok(())
    }

    /// Handles an edit that was swapped out by a new version; no process can write to it any more.
    pub(crate) fn import_racing(&mut self, key: &Key, out: &DisplacedFile) -> Result<()> {
        self.is_tidy = false;
        let path = key.path();
        if out.stat.kind != FileKind::File || out.stat.size > MAX_FILE {
            return self.keep_aside(
                out,
                &path,
                "the file was being written while the cluster changed",
            );
        }
        // A file that was saved while its object was deleted does not restore the object: Kubernetes would reject the
        // update as well.
        if self.journal.index.get(key.as_str()).is_none() {
            return self.keep_aside(out, &path, "the object was deleted during the edit");
        }
        let bytes = fs::read_all(self.fs(), &out.staged, MAX_FILE)?;
        // A file that was touched but not edited; one that a writer wrote before it died without recording that; or,
        // for an object that was deleted and created again at once, the file of the deleted one.
        let ours = |revision| match out.shown {
            Some(shown) if revision <= shown => revision == shown,
            _ => is_ours(&out.stat, revision),
        };
        match self.judge_content(&path, &bytes, key.clone(), &ours)? {
            // The edit is in the journal before its only file is removed.
            Verdict::Change(change) => {
                self.commit_edits(vec![(*change, None)])?;
                self.fs().unlink(&out.staged)?;
            }
            Verdict::Reject(reason) => self.keep_aside(out, &path, &reason)?,
            Verdict::Nothing | Verdict::Pending | Verdict::Restamp(_) => {
                self.fs().unlink(&out.staged)?;
            }
        }
        Ok(())
    }
}

/// Returns true for a file that is empty or ends in the middle, which may be incomplete.
fn looks_unfinished(bytes: &[u8]) -> bool {
    bytes.last() != Some(&b'\n') || bytes.iter().all(u8::is_ascii_whitespace)
}
