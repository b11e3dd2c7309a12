//! The whole tree at once: a new directory, `rm -rf .ctl`, a reboot, a copied directory.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;

use super::admit::Intent;
use super::comments::{self, ObjectComments};
use super::compact::BaseNote;
use super::error::{StoreError, one_line};
use super::exclusive::Exclusive;
use super::interface::Result;
use super::journal::Journal;
use super::judge::{Saved, read_saved, stored_form};
use super::key::{Key, Range};
use super::layout::{COPIED, MAX_FILE};
use super::past::RetainedVersions;
use super::prepared::Parsed;
use super::revision::{MAX_FILE_REVISION, Revision};
use super::scan::{self, Suspect};
use super::seen::{Mark, Slot, compare, fingerprint};
use super::settings::ClockMode;
use super::tree::{KnownTexts, Version, is_ours, revision_in};
use super::writers::is_written;
use crate::api::json::Value;
use crate::api::yaml::{self, Mode};
use crate::sys::clock::virtual_epoch;
use crate::sys::fs::{self, FileKind, Stat};

/// An object of the journal that is begun: its key, its revision and its JSON.
type Numbered = (String, Revision, Arc<[u8]>);

/// An object found in the tree: the revision in its file, and its JSON.
type FoundObject = (Option<Revision>, Vec<u8>);

/// The largest revision that a cluster can have assigned: larger ones leave no room for the epochs that are counted
/// from them.
const MAX_REVISION: Revision = MAX_FILE_REVISION;

/// The fields with times of past events, never of future ones.
const MOMENTS: &[&str] = &[
    "acquireTime",
    "completionTime",
    "creationTimestamp",
    "eventTime",
    "finishedAt",
    "firstTimestamp",
    "lastHeartbeatTime",
    "lastObservedTime",
    "lastProbeTime",
    "lastScaleTime",
    "lastScheduleTime",
    "lastSuccessfulTime",
    "lastTimestamp",
    "lastTransitionTime",
    "lastUpdateTime",
    "renewTime",
    "startTime",
    "startedAt",
];

/// The parts of an object in which moments are the system's own, and not data of its user.
const TOLD_BY_SYSTEM: &[&str] = &["metadata", "series", "status"];

impl Exclusive<'_> {
    /// Creates the journal from the content of the tree. Objects keep their uids and, if they have one, their
    /// revisions; the store's revision is above all of them. A virtual clock continues at the newest time in an object.
    pub(crate) fn adopt_whole_tree(&mut self) -> Result<()> {
        // Read completely before any decision, because revisions are assigned above the highest one found.
        let mut files = Vec::new();
        for file in scan::all_files(self.fs())? {
            match self.read_file(&file) {
                Ok(bytes) => files.push((file.path, bytes)),
                Err(reason) => self.set_aside(&file.path, &reason)?,
            }
        }
        let mut read = Vec::new();
        for (path, bytes) in &files {
            match read_saved(path, bytes, parsed(bytes), None) {
                Ok(saved) => read.push(saved),
                Err(reason) => self.set_aside(path, &reason)?,
            }
        }
        let time = match self.store.settings.get().clock {
            // Time never runs backwards for the objects: their ages are counted from it.
            ClockMode::Virtual => {
                let newest = read.iter().filter_map(|saved| newest_moment(&saved.value));
                newest.fold(virtual_epoch(), std::cmp::max)
            }
            ClockMode::System => self.store.options.clock.now(),
        };
        self.beginning = Some(time);
        let mut found = Vec::new();
        for saved in read {
            match self.adopt_file(&saved)? {
                Ok((revision, json)) => found.push((saved.key, revision, json)),
                Err(reason) => self.set_aside(&saved.path, &reason)?,
            }
        }
        // Sorted, so that the journal does not depend on the order in which the directory lists the files.
        found.sort_by(|(a, ..), (b, ..)| a.cmp(b));
        let (objects, next) = give_revisions(found);
        let adopted = !objects.is_empty();
        let base = BaseNote {
            revision: next + 1,
            // Above every epoch that an earlier journal can have had.
            epoch: if adopted { (next + 1) * 1024 } else { 0 },
            time,
            seq: 0,
        };
        self.journal
            .begin_generation(1, base, &mut objects.into_iter().map(Ok), !adopted)?;
        self.beginning = None;
        if adopted {
            self.make_tree_whole()?;
        }
        Ok(())
    }

    fn read_file(&self, file: &Suspect) -> std::result::Result<Vec<u8>, String> {
        let path = &file.path;
        let stat = self.fs().stat(path).map_err(|e| one_line(&e))?;
        if stat.is_none_or(|s| s.kind != FileKind::File) {
            return Err(format!("{path}: it is not a regular file"));
        }
        fs::read_all(self.fs(), path, MAX_FILE).map_err(|e| one_line(&e))
    }

    /// Takes a file that cannot be an object out of the tree.
    fn set_aside(&self, path: &str, reason: &str) -> Result<()> {
        match self.tree().take_out(path, 0)? {
            Some(out) => self.keep_aside(&out, path, reason),
            None => Ok(()),
        }
    }

    fn adopt_file(
        &mut self,
        saved: &Saved<'_>,
    ) -> Result<std::result::Result<FoundObject, String>> {
        let path = &saved.path;
        // A typo in a revision must not use up the numbers of the cluster.
        let revision = saved.revision.filter(|revision| *revision <= MAX_REVISION);
        if let (None, Some(absurd)) = (revision, saved.revision) {
            self.store.say(&format!(
                "{path}: revision {absurd} is out of range; the object gets a new one"
            ));
        }
        let admitted = self.admitted(saved, None, Intent::Restore, None)?;
        let value = match admitted {
            Err(reason) => return Ok(Err(format!("{path}: {reason}"))),
            Ok(None) => return Ok(Err(format!("{path}: the object is being deleted"))),
            Ok(Some(value)) => value,
        };
        if !saved.comments.is_empty() {
            // The tree alone has them, and it is never synced.
            let kept = ObjectComments {
                uid: comments::uid_of(&value).to_owned(),
                since: revision.unwrap_or(0),
                comments: saved.comments.clone(),
            };
            comments::keep(self.fs(), &saved.key, &kept)?;
            self.commented = true;
        }
        Ok(Ok((revision, stored_form(value))))
    }

    /// Shows everything, or reports why that must wait: a full disk or a bad file in the tree must not block access to
    /// the journal.
    pub(crate) fn make_tree_whole(&mut self) -> Result<()> {
        match self.show_everything() {
            Err(StoreError::Fs(e)) if !e.is_read_only() => {
                // The journal is whole, which is enough for a command.
                self.say_not_shown(&e);
                Ok(())
            }
            answer => answer,
        }
    }

    /// Returns true if files may be missing without a user's removal: then no missing file is an edit.
    pub(crate) fn tree_is_whole(&self) -> Result<bool> {
        // Zero until the files were compared: recovery and a rebuilt journal start there.
        Ok(self.head()?.projected > 0)
    }

    /// Writes the tree from the journal again if unsynced files may be lost.
    ///
    /// A correct file is kept; one that is missing, empty or an older version of ctl is written again; anything else is
    /// a hand edit.
    fn show_everything(&mut self) -> Result<()> {
        // Everything is compared, so no list of changes is needed.
        self.journal.unprojected.clear();
        self.remove_unfinished_tree()?;
        let entries: Vec<(String, super::index::Entry)> = self
            .journal
            .index
            .range("")
            .map(|(k, e)| (k.to_owned(), e))
            .collect();
        if scan::all_files(self.fs())?.is_empty() {
            return self.show_into_empty_tree(entries);
        }
        let segment = self.segment()?;
        let time = self.head()?.time;
        // Read once for all files: each comparison may need an earlier version.
        let past = RetainedVersions::read(&self.journal, self.tree())?;
        // The files of a copied directory may be of a moment before its journal's, and have lost
        // their times: an earlier version is not a restore there.
        let copied = self.fs().stat(COPIED)?.is_some();
        // First the files that use space and are no longer needed.
        self.remove_ghosts(&past, copied)?;
        let (mut edits, mut racing, mut facts) = (Vec::new(), Vec::new(), Vec::new());
        let mut room_is_kept = false;
        for (key, entry) in entries {
            let key = Key::parse(&key)?;
            let json = Journal::body(&segment, &entry)?;
            let version = Version::from_entry(&entry, &json);
            match self.look_again(&key, version, &past, copied)? {
                Look::Right(mark) => {
                    facts.extend(mark.map(|mark| Slot::new(key.as_str(), &entry, mark)));
                }
                Look::Stale(known) => {
                    if !std::mem::replace(&mut room_is_kept, true) {
                        self.keep_reserve()?;
                    }
                    let put = self.tree().show(&key, version, known, time)?;
                    let mark = put.mark.map(|mark| Slot::new(key.as_str(), &entry, mark));
                    facts.extend(mark);
                    racing.extend(put.out.map(|out| (key, out)));
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
        // Facts are true as soon as the files exist, even if a later step fails.
        self.note(&facts, &[]);
        let strangers = scan::suspects(self.fs(), self.journal.expected(), &Range::all())?;
        edits.extend(strangers.into_iter().filter(|s| !s.missing));
        edits.sort_by(|a, b| a.path.cmp(&b.path));
        edits.dedup();
        // Only now, because afterwards a missing file counts as a removal and a ghost as a new file.
        self.journal.publish_projected()?;
        // After the head: until then a second attempt must still find that this is a copy.
        if copied {
            self.fs().unlink(COPIED)?;
        }
        for (key, out) in self.edits_among(racing)? {
            self.import_racing(&key, &out)?;
        }
        self.import(&edits)?;
        Ok(())
    }

    /// Compares a file with its object if unsynced data may be lost.
    fn look_again(
        &self,
        key: &Key,
        version: Version<'_>,
        past: &RetainedVersions,
        copied: bool,
    ) -> Result<Look> {
        let path = key.path();
        let Some(stat) = self.fs().stat(&path)? else {
            return Ok(Look::Stale(KnownTexts::default()));
        };
        if stat.kind != FileKind::File || stat.size > MAX_FILE {
            return Ok(Look::Edited);
        }
        let bytes = fs::read_all(self.fs(), &path, MAX_FILE)?;
        let text = self.tree().render(key, version)?;
        if bytes == text {
            // The stamp is for the next power cut. `restamp` leaves the content alone.
            if !is_ours(&stat, version.revision) {
                self.tree()
                    .restamp(key, version.revision, self.head()?.time)?;
            }
            return Ok(Look::Right(compare(self.fs(), &path, |found| {
                found == text
            })));
        }
        // ext4 and XFS may keep the name and the size of a file and lose its blocks.
        let torn = bytes.iter().all(|b| *b == 0)
            || past.is_torn(key.as_str(), &stat, &bytes)
            || self.says_it_is_ours(key, &stat, &bytes, past)?
            || (copied && self.is_earlier_version(&path, &bytes, key)?);
        let known = KnownTexts {
            shown: None,
            judged: Some(fingerprint(&bytes)),
            revision: None,
        };
        Ok(if torn {
            Look::Stale(known)
        } else {
            Look::Edited
        })
    }

    /// Returns true if a file equals its object at the revision that it names.
    fn is_earlier_version(&self, path: &str, bytes: &[u8], key: &Key) -> Result<bool> {
        match read_saved(path, bytes, parsed(bytes), Some(key.clone())) {
            Ok(saved) => self.is_as_shown(&saved),
            Err(_) => Ok(false),
        }
    }

    /// Returns true if a file of ctl has the stamp of the revision in it, and that is before the retained history. A
    /// later revision that the history does not contain belongs to a user.
    fn says_it_is_ours(
        &self,
        key: &Key,
        stat: &Stat,
        bytes: &[u8],
        past: &RetainedVersions,
    ) -> Result<bool> {
        let value = yaml::parse_one(bytes, Mode::Lenient).ok().flatten();
        // Within the retained history the versions themselves identify ctl's files: an unknown one is from another
        // history (a `.ctl` that was replaced), and a user's work.
        let oldest = super::history::oldest_kept(&self.journal)?;
        let unknown = |r: &Revision| *r <= oldest && !past.knows(key.as_str(), *r);
        Ok(value
            .as_ref()
            .and_then(revision_in)
            .filter(unknown)
            .is_some_and(|r| is_ours(stat, r)))
    }

    /// Removes files of deleted objects that a power cut restored: ctl's own files of past revisions.
    fn remove_ghosts(&self, past: &RetainedVersions, copied: bool) -> Result<()> {
        for suspect in scan::suspects(self.fs(), self.journal.expected(), &Range::all())? {
            let Some(key) = &suspect.key else { continue };
            let live = self.journal.index.get(key.as_str()).is_some();
            let Some(stat) = self.fs().stat(&suspect.path)? else {
                continue;
            };
            if live || stat.kind != FileKind::File || stat.size > MAX_FILE {
                continue;
            }
            let bytes = fs::read_all(self.fs(), &suspect.path, MAX_FILE)?;
            // An object that the history made and never removed, yet does not have, is of another
            // history, such as a `.ctl` that was put back: its file is all that is left of it.
            let removed = past.is_removed(key.as_str());
            let ours = (removed && past.is_torn(key.as_str(), &stat, &bytes))
                || self.says_it_is_ours(key, &stat, &bytes, past)?
                || (copied && self.is_earlier_version(&suspect.path, &bytes, key)?);
            // A file that a process has open belongs to a user.
            if ours && !is_written(self.fs(), &suspect.path) {
                self.fs().unlink(&suspect.path)?;
            }
        }
        Ok(())
    }
}

fn parsed(bytes: &[u8]) -> Parsed {
    yaml::parse_one(bytes, Mode::Strict)
}

/// Assigns revisions above all others to objects without one. Returns the highest.
fn give_revisions(found: Vec<(Key, Option<Revision>, Vec<u8>)>) -> (Vec<Numbered>, Revision) {
    let mut next = found.iter().filter_map(|(_, r, _)| *r).max().unwrap_or(0);
    let mut taken = BTreeSet::new();
    let mut objects = Vec::new();
    for (key, revision, json) in found {
        // Two files with one revision cannot both keep it: the second is a copy of the first.
        let own = revision.filter(|r| *r > 0 && taken.insert(*r));
        let revision = own.unwrap_or_else(|| {
            next += 1;
            next
        });
        objects.push((key.to_string(), revision, json.into()));
    }
    (objects, next)
}

/// Returns the newest plausible time in an object.
fn newest_moment(object: &Value) -> Option<Timestamp> {
    // Users control the text of an object; a date in the far future would stop the clock permanently.
    let end: Option<Timestamp> = "9000-01-01T00:00:00Z".parse().ok();
    let mut newest = None;
    let mut note = |value: &Value| {
        let moment: Option<Timestamp> = value.as_str().and_then(|text| text.parse().ok());
        newest = newest.max(moment.filter(|moment| Some(*moment) < end));
    };
    for (name, value) in object.as_object()? {
        if MOMENTS.contains(&name.as_str()) {
            note(value);
        } else if TOLD_BY_SYSTEM.contains(&name.as_str()) {
            each_moment(value, &mut note);
        } else if name.as_str() == "spec" {
            // Fields of a Lease; other kinds do not define them.
            for name in ["acquireTime", "renewTime"] {
                value.get(name).into_iter().for_each(&mut note);
            }
        }
    }
    newest
}

fn each_moment(value: &Value, note: &mut dyn FnMut(&Value)) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| each_moment(item, note)),
        Value::Object(fields) => {
            for (name, value) in fields {
                match MOMENTS.contains(&name.as_str()) {
                    true => note(value),
                    false => each_moment(value, note),
                }
            }
        }
        _ => {}
    }
}

/// The state of a file after a power cut.
enum Look {
    /// It equals the object; `None` if it is changing right now.
    Right(Option<Mark>),
    Stale(KnownTexts),
    Edited,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    #[test]
    fn newest_time_ignores_user_fields_and_future_times() {
        let at = |object: Value| newest_moment(&object).map(|at| at.to_string());
        let day = |n: u8| format!("2026-01-0{n}T00:00:00Z");
        let object = json!({
            "metadata": {"creationTimestamp": day(1), "deletionTimestamp": day(9)},
            "status": {"conditions": [{"lastTransitionTime": day(3)}], "notAfter": day(8)},
            "data": {"startTime": day(7)},
        });
        assert_eq!(at(object), Some(day(3)));
        assert_eq!(at(json!({"spec": {"renewTime": day(2)}})), Some(day(2)));
        assert_eq!(at(json!({"lastTimestamp": day(4), "x": 1})), Some(day(4)));
        assert_eq!(at(json!({"eventTime": "9999-12-31T00:00:00Z"})), None);
        assert_eq!(at(json!({"eventTime": null, "status": "x"})), None);
    }

    #[test]
    fn objects_without_a_unique_revision_get_a_new_one() {
        let key = |name: &str| Key::new("pods", Some("default"), name).unwrap();
        let found = vec![
            (key("a"), Some(7), Vec::new()),
            (key("b"), None, Vec::new()),
            (key("c"), Some(7), Vec::new()),
            (key("d"), Some(MAX_REVISION), Vec::new()),
        ];
        let (objects, next) = give_revisions(found);
        let revisions: Vec<Revision> = objects.iter().map(|(_, r, _)| *r).collect();
        let top = MAX_REVISION;
        assert_eq!(revisions, [7, top + 1, top + 2, top]);
        assert_eq!(next, top + 2);
        assert!((next + 1).checked_mul(1024).is_some(), "room for epochs");
    }
}
