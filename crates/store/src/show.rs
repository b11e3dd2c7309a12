//! Writes commits to the YAML tree: each object's last version, and handles the files that are swapped out.

use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;

use super::comments;
use super::error::StoreError;
use super::exclusive::Exclusive;
use super::index::Entry;
use super::interface::Result;
use super::journal::Journal;
use super::key::Key;
use super::layout::STAGING;
use super::seen::{Slot, fingerprint};
use super::segment::Segment;
use super::stage_ahead::StageAhead;
use super::tree::{DisplacedFile, KnownTexts, Out, Tree, Version};
use crate::sys::fs::Stat;
use crate::sys::threads::each;

/// The number of files that one thread writes before it takes more; a second thread takes others.
const TOGETHER: usize = 32;

/// The number of objects of which more than the key is in memory. For all 200,000 of a Deployment of 100,000 Pods, this
/// would be 66 MB.
const PART: usize = 8192;

/// An object whose file is to be written, or removed where it has no entry any more.
pub(crate) struct ToShow {
    key: Key,
    entry: Option<Entry>,
    /// The version in the tree, and the fingerprint of its file if that is known.
    shown: Option<(Entry, Option<u64>)>,
    /// The fingerprint of an edit that was dealt with.
    judged: Option<u64>,
    /// Its JSON, if that is still at hand.
    body: Option<Arc<[u8]>>,
    /// The fingerprint of its file, if that is staged already.
    ahead: Option<u64>,
}

impl ToShow {
    /// An object whose file does not exist yet.
    pub(crate) fn new(key: Key, entry: Entry) -> Self {
        Self {
            key,
            entry: Some(entry),
            shown: None,
            judged: None,
            // A fork has thousands of objects, and their JSON is in the journal.
            body: None,
            ahead: None,
        }
    }

    /// Returns the texts that may be discarded when they come out of the tree.
    fn known(&self, tree: Tree<'_>, segment: &Segment) -> Result<KnownTexts> {
        // The fingerprint of the last write is cached; without it the old text is rendered again, so that an untouched
        // file does not count as an edit.
        let shown = match &self.shown {
            Some((_, Some(text))) => Some(*text),
            Some((entry, None)) => {
                let body = Journal::body(segment, entry)?;
                Some(fingerprint(
                    &tree.render(&self.key, Version::from_entry(entry, &body))?,
                ))
            }
            None => None,
        };
        Ok(KnownTexts {
            shown,
            judged: self.judged,
            revision: self.shown.map(|(entry, _)| entry.revision),
        })
    }
}

/// The result of writing objects' files.
#[derive(Default)]
pub(crate) struct ShownFiles {
    pub(crate) facts: Vec<Slot>,
    /// Objects whose files were changed as soon as they were there.
    pub(crate) unknown: Vec<Key>,
    pub(crate) outs: Vec<(Key, Out)>,
}

/// Writes the files of objects one after another.
fn show_part(
    tree: Tree<'_>,
    segment: &Segment,
    time: Timestamp,
    ahead: &StageAhead,
    part: &[ToShow],
) -> Result<ShownFiles> {
    let mut done = ShownFiles::default();
    for object in part {
        let Some(entry) = &object.entry else { continue };
        let key = &object.key;
        let staged = object
            .ahead
            .and_then(|text| ahead.open(tree.fs, entry.revision, text, time));
        let known = object.known(tree, segment)?;
        let put = match staged {
            Some(staged) => tree.place(key, staged, known)?,
            None => {
                let body = match &object.body {
                    Some(body) => Arc::clone(body),
                    None => Journal::body(segment, entry)?,
                };
                tree.show(key, Version::from_entry(entry, &body), known, time)?
            }
        };
        match put.mark {
            Some(mark) => done.facts.push(Slot::new(key.as_str(), entry, mark)),
            // The file changed between its write and the check, so the next reader must compare its content.
            None if put.is_there => done.unknown.push(key.clone()),
            None => {}
        }
        done.outs.extend(put.out.map(|out| (key.clone(), out)));
    }
    Ok(done)
}

impl Exclusive<'_> {
    /// Shows unshown commits in the tree; returns true if that succeeded. A failure does not fail the commit: the next
    /// writer continues from here.
    pub(crate) fn show_pending(&mut self) -> bool {
        let mut shown = self.try_show_pending();
        let gave_back = self.store.ahead.discard(self.fs());
        if let (true, Err(StoreError::Fs(e))) = (gave_back, &shown)
            && e.is_full()
        {
            // The files that were staged ahead took the space.
            shown = self.try_show_pending();
        }
        match shown {
            Ok(came_out) => {
                // Swapped-out files wait in the staging directory.
                self.is_tidy &= came_out.is_empty();
                for (key, edit) in came_out {
                    // One file that cannot be imported must not prevent the others from being shown; it stays in the
                    // staging directory and is swept later.
                    if let Err(e) = self.import_racing(&key, &edit) {
                        self.store.say(&format!("{}: {e}", edit.staged));
                    }
                }
                true
            }
            Err(e) => {
                self.is_tidy = false;
                self.say_not_shown(&e);
                false
            }
        }
    }

    fn try_show_pending(&mut self) -> Result<Vec<(Key, DisplacedFile)>> {
        if !self.tree_is_whole()? {
            // After a reboot or in a copy, files may differ without an edit. Only the comparison of the whole tree can
            // distinguish these cases.
            self.make_tree_whole()?;
            return Ok(Vec::new());
        }
        let (there, removed) = self.unshown()?;
        // Removals first: on a full disk they free the space that the other files need.
        let mut done = ShownFiles::default();
        let segment = self.segment()?;
        for key in &removed {
            let revision = self.head()?.revision;
            if self.commented {
                comments::forget(self.fs(), key)?;
            }
            let known = self.to_show(key)?.known(self.tree(), &segment)?;
            let out = self.tree().hide(key, revision, known)?;
            // Only an empty directory can be removed, so a file that a user added meanwhile keeps it.
            self.tree().tidy(key);
            self.is_shown(key);
            done.outs.extend(out.map(|out| (key.clone(), out)));
        }
        if !there.is_empty() {
            // Space for a deletion on a full disk, set aside while there still is some.
            self.keep_reserve()?;
        }
        let mut rest = &there[..];
        while !rest.is_empty() {
            // From both ends, because the two threads that write a part should work in different directories.
            let (front, others) = rest.split_at(rest.len().min(PART).div_ceil(2));
            let (others, back) = others.split_at(others.len().saturating_sub(PART / 2));
            let part = front.iter().chain(back).map(|key| self.to_show(key));
            let part = part.collect::<Result<Vec<ToShow>>>()?;
            self.show_all(&segment, &part, &mut done)?;
            rest = others;
        }
        let unknown = removed.iter().chain(&done.unknown);
        let forgotten: Vec<&str> = unknown.map(Key::as_str).collect();
        // Facts before the head: if the process dies in between, the next writer shows the files again, which only
        // costs time.
        self.note(&done.facts, &forgotten);
        self.journal.publish_projected()?;
        self.edits_among(done.outs)
    }

    /// Returns the objects whose files are to be written, and those whose files are to be removed.
    fn unshown(&self) -> Result<(Vec<Key>, Vec<Key>)> {
        let (mut there, mut removed): (Vec<Key>, Vec<Key>) = Default::default();
        for name in self.journal.unprojected.keys() {
            match self.journal.index.get(name) {
                Some(_) => there.push(Key::parse(name)?),
                None => removed.push(Key::parse(name)?),
            }
        }
        // The order of the keys decides the order of the system calls, which recorded sessions and
        // the crash explorer replay.
        there.sort_unstable();
        removed.sort_unstable();
        Ok((there, removed))
    }

    /// Returns an object with everything that is known about its file.
    fn to_show(&self, key: &Key) -> Result<ToShow> {
        let (name, mut seen) = (key.as_str(), self.seen());
        let shown = self.journal.unprojected.get(name).copied().flatten();
        // A file that was found missing has no earlier text, so any file in its place belongs to a user.
        let shown = shown.filter(|_| !self.gone.contains(name));
        let entry = self.journal.index.get(name);
        let generation = self.head()?.generation;
        let place = entry.map(|entry| (generation, entry.offset));
        let last = self.journal.last_body.as_ref();
        // By place, because the object may have changed again since.
        let body = last.filter(|last| Some(last.place) == place);
        Ok(ToShow {
            key: key.clone(),
            entry,
            body: body.map(|last| Arc::clone(&last.json)),
            // The thread that stages ahead knows no comments.
            ahead: entry
                .filter(|_| !self.commented)
                .and_then(|entry| self.store.ahead.take(&entry)),
            shown: shown.map(|entry| (entry, seen.text_of(name, &entry))),
            judged: match self.judged.get(name) {
                Some(text) => Some(*text),
                // A directory that was moved away may be back with old versions.
                None => seen.text_shown_last(name),
            },
        })
    }

    /// Makes the staging directory small again, which every writer lists: that of ext4 only grows, by 40 bytes for each
    /// file.
    pub(crate) fn shrink_staging(&self) {
        if self.fs().remove_dir(STAGING).is_ok() {
            // A failure leaves it to the next writer.
            let _ = self.fs().make_dir(STAGING);
        }
    }

    /// Drops the facts about a file that was replaced.
    fn is_shown(&mut self, key: &Key) {
        self.judged.remove(key.as_str());
        self.gone.remove(key.as_str());
    }

    /// Writes the files of objects, of many by two threads.
    pub(crate) fn show_all(
        &mut self,
        segment: &Segment,
        there: &[ToShow],
        done: &mut ShownFiles,
    ) -> Result<()> {
        let (tree, time) = (self.tree(), self.head()?.time);
        let ahead = &self.store.ahead;
        let all = Mutex::new(ShownFiles::default());
        let show = |part: &[ToShow]| -> Result<()> {
            let shown = show_part(tree, segment, time, ahead, part)?;
            // A thread that panicked has left only whole entries: each `extend` adds finished facts.
            let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
            all.facts.extend(shown.facts);
            all.unknown.extend(shown.unknown);
            all.outs.extend(shown.outs);
            Ok(())
        };
        if there.len() <= TOGETHER {
            show(there)?;
        } else {
            // Chunks from both ends: each thread mostly works in different directories, because a directory admits one
            // writer at a time (`docs/design/0007-second-thread.md`).
            each(there.chunks(TOGETHER), show)?;
        }
        there.iter().for_each(|object| self.is_shown(&object.key));
        let mut all = all.into_inner().unwrap_or_else(PoisonError::into_inner);
        // Two threads finish in any order; the following steps may commit, and the same commands must give the same
        // history.
        all.outs.sort_by(|(one, _), (two, _)| one.cmp(two));
        done.facts.append(&mut all.facts);
        done.unknown.append(&mut all.unknown);
        done.outs.append(&mut all.outs);
        Ok(())
    }

    /// Holds the files that processes are still writing, and returns the edits.
    pub(crate) fn edits_among(&self, outs: Vec<(Key, Out)>) -> Result<Vec<(Key, DisplacedFile)>> {
        let (mut edits, mut unsure) = (Vec::new(), Vec::new());
        for (key, out) in outs {
            match out {
                Out::Unsure(out, known) => unsure.push((key, out, known)),
                out => edits.extend(self.edit_in(key, out)?),
            }
        }
        // One walk over all processes, however many files there are.
        let stats: Vec<Stat> = unsure.iter().map(|(_, out, _)| out.stat).collect();
        let written = self.fs().each_open_for_writing(&stats);
        for ((key, out, known), written) in unsure.into_iter().zip(written) {
            if let Some(out) = self.tree().settle(out, known, written)? {
                edits.extend(self.edit_in(key, out)?);
            }
        }
        Ok(edits)
    }

    fn edit_in(&self, key: Key, out: Out) -> Result<Option<(Key, DisplacedFile)>> {
        match out {
            Out::Edit(out) | Out::Unsure(out, _) => Ok(Some((key, out))),
            // Editors that still have the file open keep writing to this inode. Deleting it would lose their next save.
            Out::Written(out, text) => {
                self.hold(&out, text, &key.path())?;
                Ok(None)
            }
        }
    }
}
