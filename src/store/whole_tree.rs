//! The whole tree at once: a new directory, `rm -rf .ctl`, a reboot, a copied directory.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::admit::{HandEdit, Intent};
use super::compact::BaseNote;
use super::error::StoreError;
use super::exclusive::{Exclusive, one_line};
use super::history::Revisions;
use super::interface::{Result, Revision};
use super::journal::Journal;
use super::judge::{forget_revision, key_of};
use super::key::{Key, Range};
use super::layout::{STAGING, parse_staged};
use super::recover::Opened;
use super::scan::{self, Suspect};
use super::settings::ClockMode;
use super::tree::{CameOut, Known, MAX_FILE, is_ours, render, revision_in};
use crate::api::yaml::{self, Mode};
use crate::sys::clock::virtual_epoch;
use crate::sys::fs::{self, FileKind, Stat};

/// An object found in the tree: the revision its file says, and its JSON.
type FoundObject = (Option<Revision>, Vec<u8>);

impl Exclusive<'_> {
    /// Begins the journal with what the tree shows. Objects keep their uids and, where they have
    /// one of their own, their revisions; the store's revision is above all of them.
    pub(crate) fn adopt_whole_tree(&mut self) -> Result<()> {
        let mut found: BTreeMap<Key, FoundObject> = BTreeMap::new();
        for file in scan::all_files(self.fs())? {
            match self.adopt_file(&file) {
                Ok((key, object)) => drop(found.insert(key, object)),
                Err(reason) => {
                    if let Some(out) = self.tree().take_out(&file.path, 0)? {
                        self.keep_aside(&out, &file.path, &reason)?;
                    }
                }
            }
        }
        let highest = found.values().filter_map(|(r, _)| *r).max().unwrap_or(0);
        let mut taken = BTreeSet::new();
        let mut next = highest;
        let objects: Vec<(String, Revision, Arc<[u8]>)> = found
            .into_iter()
            .map(|(key, (revision, json))| {
                let own = revision.filter(|r| *r > 0 && taken.insert(*r));
                let revision = own.unwrap_or_else(|| {
                    next += 1;
                    next
                });
                (key.to_string(), revision, json.into())
            })
            .collect();
        let adopted = !objects.is_empty();
        let base = BaseNote {
            revision: next + 1,
            // Above every epoch that an earlier journal can have had.
            epoch: if adopted { (next + 1) * 1024 } else { 0 },
            time: match self.store.settings.clock {
                ClockMode::Virtual => virtual_epoch(),
                ClockMode::System => self.store.options.clock.now(),
            },
            seq: 0,
        };
        self.journal
            .begin_generation(1, base, &mut objects.into_iter().map(Ok), !adopted)?;
        if adopted {
            self.make_tree_whole()?;
        }
        Ok(())
    }

    fn adopt_file(&self, file: &Suspect) -> std::result::Result<(Key, FoundObject), String> {
        let path = &file.path;
        let stat = self.fs().stat(path).map_err(|e| one_line(&e))?;
        if stat.is_none_or(|s| s.kind != FileKind::File) {
            return Err(format!("{path}: it is not a regular file"));
        }
        let bytes = fs::read_all(self.fs(), path, MAX_FILE).map_err(|e| one_line(&e))?;
        let mut value = yaml::parse_one(&bytes, Mode::Strict)
            .map_err(|e| format!("{path}:{}:{}: {}", e.line, e.column, e.message))?
            .ok_or_else(|| format!("{path}:1:1: the file is empty"))?;
        let revision = revision_in(&value);
        forget_revision(&mut value);
        let key = key_of(path, &value).map_err(|reason| format!("{path}: {reason}"))?;
        let edit = HandEdit {
            key: &key,
            current: None,
            proposed: Some(value),
            intent: Intent::Restore,
            past: None,
            revision: revision.unwrap_or(0),
            now: self.store.options.clock.now(),
            seed: self.store.settings.seed(),
            view: self,
        };
        let admitted = self.store.options.admit.admit(edit);
        let value = admitted.map_err(|reason| format!("{path}: {reason}"))?;
        let value = value.ok_or_else(|| format!("{path}: the object is being deleted"))?;
        let json = serde_json::to_vec(&value).map_err(|e| e.to_string())?;
        Ok((key, (revision, json)))
    }

    /// Shows everything, or says why that must wait: a full disk or a bad file in the tree keeps
    /// nobody from the journal.
    pub(crate) fn make_tree_whole(&mut self) -> Result<()> {
        match self.show_everything() {
            Err(StoreError::Fs(e)) if !e.is_read_only() => {
                self.say_not_shown(&e);
                Ok(())
            }
            answer => answer,
        }
    }

    /// Whether files may be missing that nobody removed: then none is an edit.
    pub(crate) fn tree_is_whole(&self) -> Result<bool> {
        Ok(self.head()?.projected > 0)
    }

    /// Makes the tree show the journal again where it may have lost what was never synced.
    ///
    /// A file that says what it should is left; one that is missing, empty or an older state of
    /// ours is written again; anything else is a hand edit.
    fn show_everything(&mut self) -> Result<()> {
        self.journal.unprojected.clear();
        let entries: Vec<(String, super::index::Entry)> = self
            .journal
            .index
            .range("")
            .map(|(k, e)| (k.to_owned(), e))
            .collect();
        let segment = self.segment()?;
        let time = self.head()?.time;
        let past = super::history::revisions(&self.journal)?;
        // First what takes room and is no longer needed.
        self.remove_ghosts(&past)?;
        let (mut edits, mut racing) = (Vec::new(), Vec::new());
        let mut room_is_kept = false;
        for (key, entry) in entries {
            let key = Key::parse(&key)?;
            let json = Journal::body(&segment, &entry)?;
            match self.look_again(&key, (entry.revision, &json), &past)? {
                Look::Right => {}
                Look::Stale(known) => {
                    if !std::mem::replace(&mut room_is_kept, true) {
                        self.keep_reserve()?;
                    }
                    let version = (entry.revision, &*json);
                    let out = self.tree().show(&key, version, known, time)?;
                    racing.extend(out.map(|out| (key, out)));
                }
                Look::Edited => {
                    edits.push(Suspect {
                        path: key.path(),
                        key: Some(key),
                        missing: false,
                    });
                }
            }
        }
        let strangers = scan::suspects(self.fs(), self.journal.expected(), &Range::all())?;
        edits.extend(strangers.into_iter().filter(|s| !s.missing));
        edits.sort_by(|a, b| a.path.cmp(&b.path));
        edits.dedup();
        // Only now: whoever sees this takes a missing file for a removal and a ghost for a new one.
        self.journal.publish_projected()?;
        for (key, out) in racing {
            self.import_racing(&key, &out)?;
        }
        self.import(&edits)?;
        Ok(())
    }

    /// Compares a file with its object when what was never synced may be lost.
    fn look_again(
        &self,
        key: &Key,
        (revision, json): (Revision, &[u8]),
        past: &Revisions,
    ) -> Result<Look> {
        let path = key.path();
        let Some(stat) = self.fs().stat(&path)? else {
            return Ok(Look::Stale(Known::default()));
        };
        if stat.kind != FileKind::File || stat.size > MAX_FILE {
            return Ok(Look::Edited);
        }
        let bytes = fs::read_all(self.fs(), &path, MAX_FILE)?;
        if bytes == render(json, revision) {
            if !is_ours(&stat, revision) {
                self.tree().restamp(key, revision, self.head()?.time)?;
            }
            return Ok(Look::Right);
        }
        let torn = bytes.iter().all(|b| *b == 0)
            || is_of_the_past(&stat, key, past)
            || self.says_it_is_ours(&path, &stat)?;
        let known = Known {
            shown: None,
            judged: Some(stat),
        };
        Ok(if torn {
            Look::Stale(known)
        } else {
            Look::Edited
        })
    }

    /// Whether a file has the stamp of the revision that it says it is, and that is before all that
    /// is kept: one of ours. A later one that the history does not know is somebody else's.
    fn says_it_is_ours(&self, path: &str, stat: &Stat) -> Result<bool> {
        if stat.kind != FileKind::File || stat.size > MAX_FILE {
            return Ok(false);
        }
        let Ok(bytes) = fs::read_all(self.fs(), path, MAX_FILE) else {
            return Ok(false);
        };
        let value = yaml::parse_one(&bytes, Mode::Lenient).ok().flatten();
        // What is kept of the past tells by itself whose file it is: one that it does not know
        // is of another history (a `.ctl` that came and went), and somebody's work.
        let oldest = super::history::oldest_kept(&self.journal)?;
        Ok(value
            .as_ref()
            .and_then(revision_in)
            .is_some_and(|r| r <= oldest && is_ours(stat, r)))
    }

    /// Files of objects that were deleted, come back with the power: our own files of revisions
    /// that are over.
    fn remove_ghosts(&self, past: &Revisions) -> Result<()> {
        for suspect in scan::suspects(self.fs(), self.journal.expected(), &Range::all())? {
            let Some(key) = &suspect.key else { continue };
            let live = self.journal.index.get(key.as_str()).is_some();
            let Some(stat) = self.fs().stat(&suspect.path)? else {
                continue;
            };
            if !live
                && (is_of_the_past(&stat, key, past)
                    || self.says_it_is_ours(&suspect.path, &stat)?)
            {
                self.fs().unlink(&suspect.path)?;
            }
        }
        Ok(())
    }

    /// Removes what a dead writer left: generations that were never begun, and everything in the
    /// staging directory, where a file is either ours or an edit that came out of the tree.
    pub(crate) fn sweep(&mut self, opened: Opened) -> Result<()> {
        self.journal.sweep_journal()?;
        let staged = match self.fs().list(STAGING) {
            Ok(staged) => staged,
            Err(e) if e.is_not_found() => return Ok(self.fs().make_dir(STAGING)?),
            Err(e) => return Err(e.into()),
        };
        for entry in staged {
            let path = format!("{STAGING}/{}", entry.name);
            let Some(revision) = parse_staged(&entry.name) else {
                self.fs().unlink(&path)?;
                continue;
            };
            let past = super::history::revisions(&self.journal)?;
            // Our own file of any revision: the name alone does not tell which one came out.
            let ours = past.values().flatten().any(|r| is_ours(&entry.stat, *r));
            let key = past
                .iter()
                .find(|(_, all)| all.contains(&revision))
                .map(|(key, _)| key);
            let key = key.map(|key| Key::parse(key)).transpose()?;
            if ours || self.is_own_leftover(&path, revision, key.as_ref(), opened)? {
                self.fs().unlink(&path)?;
                continue;
            }
            if let Some(key) = &key
                && entry.stat.kind == FileKind::File
                && self.fs().open_for_writing(&entry.stat) != Some(true)
                && self.is_taken(key, &path)?
            {
                self.fs().unlink(&path)?;
                continue;
            }
            let out = CameOut {
                staged: path,
                stat: entry.stat,
                shown: None,
            };
            let place = key.map_or_else(|| "lost".to_owned(), |key| key.path());
            let reason = "the file was edited while a writer died";
            self.keep_aside(&out, &place, reason)?;
        }
        Ok(())
    }

    /// Whether a staged file is a part of what a dead writer was writing.
    fn is_own_leftover(
        &self,
        path: &str,
        revision: Revision,
        key: Option<&Key>,
        opened: Opened,
    ) -> Result<bool> {
        let Ok(bytes) = fs::read_all(self.fs(), path, MAX_FILE) else {
            return Ok(false);
        };
        if opened == Opened::Rebooted && bytes.contains(&0) {
            return Ok(true);
        }
        let Some(entry) = key.and_then(|key| self.journal.index.get(key.as_str())) else {
            return Ok(bytes.is_empty());
        };
        let json = Journal::body(&self.segment()?, &entry)?;
        Ok(entry.revision == revision && render(&json, revision).starts_with(&bytes))
    }
}

/// Whether a file is, by its stat, one that we wrote for some revision of the object. Names and
/// stamps reach the medium in order, content may not: it can be torn in any way.
fn is_of_the_past(stat: &Stat, key: &Key, past: &Revisions) -> bool {
    past.get(key.as_str())
        .is_some_and(|all| all.iter().any(|revision| is_ours(stat, *revision)))
}

/// What a file turns out to be after a power cut.
enum Look {
    Right,
    Stale(Known),
    Edited,
}
