//! The YAML tree: each object as a file, and the distinction between ctl's files and users' edits.
//!
//! Inode and change time (`seen.rs`), or the content, identify ctl's files. A new version is put in place by exchanging
//! names. The swapped-out file is read before it is discarded, and kept while a process can still write to it: an edit
//! made at that moment, or by an editor that opened the file before, is found and not lost.
//!
//! A file that ctl wrote also has its revision in the nanoseconds of its modification time, which identifies a torn
//! file of ctl after a power cut.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use jiff::Timestamp;

use super::comments;
use super::index::Entry;
use super::key::Key;
use super::layout::{MAX_FILE, STAGING, staged_path};
use super::mutant::{self, Mutant};
pub(crate) use super::render::{plain, shown};
use super::revision::Revision;
use super::seen::{Mark, fingerprint};
use super::writers::is_written;
use crate::api::json::Value;
use crate::api::yaml;
use crate::sys::fs::{self, Access, File, FileKind, Fs, FsError, Result, Stat};

/// The start of the line with the reason why a file was rejected.
pub(crate) const REASON: &str = "# ctl rejected this edit: ";

/// The number of attempts for a name that keeps changing.
const ATTEMPTS: usize = 8;

/// Returns the modification time of the file that shows `revision`.
pub(crate) fn stamp(time: Timestamp, revision: Revision) -> Timestamp {
    // The minute is the commit's, because users read modification times. The nanoseconds contain the revision; the
    // seconds differ between neighboring revisions, because git compares whole seconds, and on a stopped clock a
    // version of equal size in a reused inode would pass for the previous one. Times are ahead, never behind: git reads
    // files that are newer than its index.
    let ahead = i64::try_from(revision % STAMP_SECONDS).unwrap_or(0);
    let second = time.as_second().saturating_add(ahead);
    Timestamp::new(second, stamp_nanos(revision)).unwrap_or(time)
}

/// The seconds by which a modification time may be ahead of the commit. A prime, so that commits in regular batches do
/// not coincide.
const STAMP_SECONDS: u64 = 61;

fn stamp_nanos(revision: Revision) -> i32 {
    // A multiplicative hash (the golden ratio): neighboring revisions get distant nanoseconds, so
    // that a rounded or copied time rarely matches by chance.
    let mixed = revision.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 34;
    // Never zero, which tools with a resolution of seconds write.
    1 + i32::try_from(mixed % 999_999_999).unwrap_or(0)
}

/// Returns true if a file has the modification time that ctl sets for `revision`. Any program can set that, so alone it
/// proves nothing about the content.
pub(crate) fn is_ours(stat: &Stat, revision: Revision) -> bool {
    stat.kind == FileKind::File && stat.modified.subsec_nanosecond() == stamp_nanos(revision)
}

/// Returns the revision in an object that was read from a file.
pub(crate) fn revision_in(value: &Value) -> Option<Revision> {
    value
        .pointer("/metadata/resourceVersion")?
        .as_str()?
        .parse()
        .ok()
}

/// A version of an object: the revision of its last change, and its JSON.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Version<'a> {
    pub(crate) revision: Revision,
    pub(crate) json: &'a [u8],
}

impl<'a> Version<'a> {
    /// Returns the version whose place is `entry` and whose JSON was read from there.
    pub(crate) fn from_entry(entry: &Entry, json: &'a [u8]) -> Self {
        Self {
            revision: entry.revision,
            json,
        }
    }
}

/// Something in the place of ctl's file, taken out and waiting in the staging directory.
#[derive(Clone, Debug)]
pub(crate) struct DisplacedFile {
    pub(crate) staged: String,
    pub(crate) stat: Stat,
    /// The revision of ctl's earlier file, if it is known.
    pub(crate) shown: Option<Revision>,
}

/// The texts that may be discarded when they are swapped out of the tree, by fingerprint.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct KnownTexts {
    /// Our own file of the version that was shown.
    pub(crate) shown: Option<u64>,
    /// An edit that was read and dealt with.
    pub(crate) judged: Option<u64>,
    /// The revision that was shown.
    pub(crate) revision: Option<Revision>,
}

/// A file that was swapped out of the tree.
#[derive(Clone, Debug)]
pub(crate) enum Out {
    /// An unknown edit.
    Edit(DisplacedFile),
    /// A file that a process has open for writing; zero if its text is an edit already.
    Written(DisplacedFile, u64),
    /// A file that may be open for writing: only a walk over all processes can tell.
    Unsure(DisplacedFile, [Option<u64>; 3]),
}

/// The result of putting a file into the tree.
#[derive(Debug, Default)]
pub(crate) struct Put {
    /// True if the file is in its place: the old one had not been removed at that moment.
    pub(crate) is_there: bool,
    /// The facts that identify it; `None` if it was changed at once or not written.
    pub(crate) mark: Option<Mark>,
    pub(crate) out: Option<Out>,
}

/// A file in the staging directory, before it moves into the tree.
pub(crate) struct Staged {
    pub(crate) path: String,
    pub(crate) file: Box<dyn File>,
    pub(crate) revision: Revision,
    /// From before its name changes.
    pub(crate) stat: Stat,
    pub(crate) text: u64,
    /// True if its name must not become that of a swapped-out file.
    pub(crate) is_temporary: bool,
}

/// The YAML tree of a state directory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tree<'f> {
    pub(crate) fs: &'f dyn Fs,
    /// True if any object's file has comments.
    pub(crate) commented: bool,
    /// True once two changes of a file were seen to get times that only a fine clock distinguishes.
    pub(crate) fine_times: &'f AtomicBool,
}

impl Tree<'_> {
    /// Returns an object's file, with the comments that users wrote into it.
    pub(crate) fn render(&self, key: &Key, version: Version<'_>) -> super::Result<Vec<u8>> {
        let text = plain(version.json, version.revision);
        // Without comments no file is opened here: this runs for every object that is shown.
        if self.commented
            && let Some(kept) = comments::read(self.fs, key)?
            // Comments belong to one object. Another one with the same name starts without them.
            && kept.uid == comments::uid_of(&shown(version.json, version.revision))
            // Weaving parses its own result; a text with a different meaning is written without comments.
            && let Some(woven) = yaml::insert_comments(&text, &kept.comments)
        {
            return Ok(woven);
        }
        Ok(text)
    }

    /// Writes the file of an object.
    ///
    /// A file that existed and was removed at this very moment is not written again: a user removed it, or is about to
    /// replace it, and the next check of the object decides.
    pub(crate) fn show(
        &self,
        key: &Key,
        version: Version<'_>,
        known: KnownTexts,
        time: Timestamp,
    ) -> super::Result<Put> {
        let text = self.render(key, version)?;
        // Staged once and renamed, so that readers and editors never get half a file.
        let at = stamp(time, version.revision);
        let staged = self.stage(version.revision, &key.path(), &text, at)?;
        Ok(self.place(key, staged, known)?)
    }

    /// Moves a staged file into its place, as [`Tree::show`] describes.
    pub(crate) fn place(&self, key: &Key, mut staged: Staged, known: KnownTexts) -> Result<Put> {
        let path = key.path();
        // A plain rename would replace an edit unread. The exchange keeps both files.
        let mut exchange = known.shown.is_some() || known.judged.is_some();
        for _ in 0..ATTEMPTS {
            let tried = if exchange {
                staged.prepare_exchange(self.fs, &path)?;
                self.fs.exchange(&staged.path, &path)
            } else {
                self.fs.rename_new(&staged.path, &path)
            };
            match tried {
                Ok(()) => {
                    let mark = self.mark_of(&staged);
                    let own = Some(staged.text);
                    let Staged { path, .. } = staged;
                    // Any file in that place may be an unread edit.
                    let out = match exchange {
                        true => self.look_at(path, known, own)?,
                        false => None,
                    };
                    return Ok(Put {
                        is_there: true,
                        mark,
                        out,
                    });
                }
                // Another process created the file after the last check: it is swapped out by the exchange and checked.
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => exchange = true,
                // A link in the place of the directory does not affect the file: it is shown later; otherwise an old
                // file that returns with its directory would count as a restore.
                Err(e) if exchange && e.kind() == io::ErrorKind::NotADirectory => {
                    let _ = self.fs.unlink(&staged.path);
                    return Err(e);
                }
                Err(e) if exchange && e.is_not_found() => {
                    // The directory exists and the file does not: an editor has just removed it, or is between its two
                    // renames.
                    if known.shown.is_some() && self.fs.stat(&key.directory())?.is_some() {
                        self.fs.unlink(&staged.path)?;
                        return Ok(Put::default());
                    }
                    exchange = false;
                }
                Err(e) if e.is_not_found() => match self.make_directories(&key.directory()) {
                    // Another process removes them as fast as they are created.
                    Err(e) if e.is_not_found() => {}
                    made => made?,
                },
                Err(e) => {
                    let _ = self.fs.unlink(&staged.path);
                    return Err(e);
                }
            }
        }
        // Staged files are named after their content, so the next writer recognizes and sweeps leftovers.
        let _ = self.fs.unlink(&staged.path);
        let moving = io::Error::other("the file keeps appearing and disappearing");
        Err(FsError::new("rename", &path, moving))
    }

    /// Removes an object's file. Returns the removed file if its text was not known.
    pub(crate) fn hide(
        &self,
        key: &Key,
        revision: Revision,
        known: KnownTexts,
    ) -> Result<Option<Out>> {
        let path = key.path();
        // Moved out first, checked second: a file that is unlinked by its name may differ from the one that was read.
        let staged = staged_path(revision, self.fs.fresh(), &path);
        match self.fs.rename_new(&path, &staged) {
            Ok(()) => self.look_at(staged, known, None),
            Err(e) if e.is_not_found() => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// Removes an object's directories if they are empty.
    pub(crate) fn tidy(&self, key: &Key) {
        let directory = key.directory();
        // The kernel refuses to remove a directory with files in it, so no check can go stale in
        // between.
        if self.fs.remove_dir(&directory).is_ok()
            && let Some((parent, _)) = directory.split_once('/')
        {
            let _ = self.fs.remove_dir(parent);
        }
    }

    /// Gives an unchanged file the stamp of its revision again.
    pub(crate) fn restamp(&self, key: &Key, revision: Revision, time: Timestamp) -> Result<()> {
        self.fs
            .open(&key.path(), Access::Write)?
            .set_modified(stamp(time, revision))
    }

    /// Returns the mark of a file that was put in its place, if it has not changed since: it is read after its stat, so a
    /// change in between shows in the text and a later one in the change time.
    fn mark_of(&self, staged: &Staged) -> Option<Mark> {
        // Through the open file instead of by name, because the name may refer to a user's file already.
        let stat = staged.file.stat().ok()?;
        let is_same = stat.size == staged.stat.size;
        if !is_same || text_of(staged.file.as_ref(), &stat).ok()? != staged.text {
            return None;
        }
        Some(self.settled(Mark::put(&staged.stat, &stat, staged.text)))
    }

    /// Marks a file as settled if the clock is known to be fine.
    pub(crate) fn settled(&self, mut mark: Mark) -> Mark {
        // A fine clock is a property of the kernel and the file system. Once proven, it holds for every file whose stat
        // was read, which saves the next writer five calls that compare the text.
        mark.settled |= self.fine_times.fetch_or(mark.settled, Ordering::Relaxed);
        mark
    }

    fn stage(&self, revision: Revision, path: &str, text: &[u8], at: Timestamp) -> Result<Staged> {
        let staged = staged_path(revision, self.fs.fresh(), path);
        let file = match self.fs.create(&staged) {
            // Removed by a clean-up that took `.ctl/tmp` for garbage.
            Err(e) if e.is_not_found() => {
                self.fs.make_dir(STAGING)?;
                self.fs.create(&staged)?
            }
            answer => answer?,
        };
        // The first of two change times: `Mark::put` learns from their distance if the clock is fine.
        let stat = file
            .write_at(text, 0)
            .and_then(|()| file.stat())
            .and_then(|stat| file.set_modified(at).map(|()| stat));
        match stat {
            Ok(stat) => Ok(Staged {
                path: staged,
                file,
                revision,
                stat,
                text: fingerprint(text),
                is_temporary: false,
            }),
            Err(e) => {
                drop(file);
                // A full disk is the usual reason; a partly written file would keep its blocks.
                let _ = self.fs.unlink(&staged);
                Err(e)
            }
        }
    }

    /// Makes a directory `NAMESPACE/RESOURCE` with its parent.
    fn make_directories(&self, directory: &str) -> Result<()> {
        if let Some((namespace, _)) = directory.split_once('/') {
            self.fs.make_dir(namespace)?;
        }
        self.fs.make_dir(directory)
    }

    /// Discards a swapped-out file if its text is known and no process can write to it any more: it has left the tree,
    /// so none can open it again.
    fn look_at(&self, staged: String, known: KnownTexts, own: Option<u64>) -> Result<Option<Out>> {
        let shown = known.revision;
        let known = [known.shown, known.judged, own];
        if mutant::is(Mutant::TrustWhatCameOut) {
            self.fs.unlink(&staged)?;
            return Ok(None);
        }
        // Not readable as one of ctl's files, so it belongs to a user and is kept.
        let Some((file, stat)) = self.look_into(&staged)? else {
            let stat = self.fs.stat(&staged)?;
            return Ok(stat.map(|stat| {
                Out::Edit(DisplacedFile {
                    staged,
                    stat,
                    shown,
                })
            }));
        };
        // Checked before the text is read: the file has left the tree, so if no process can write to it now, none ever
        // will, and the text below is final.
        let written = file.is_written();
        let text = text_of(file.as_ref(), &stat)?;
        drop(file);
        let is_known = known.contains(&Some(text));
        let out = DisplacedFile {
            staged,
            stat,
            shown,
        };
        // Only a known text that no process can change any more may be discarded. Everything else is a user's work.
        match written {
            Some(false) if is_known => {
                self.fs.unlink(&out.staged)?;
                Ok(None)
            }
            Some(false) => Ok(Some(Out::Edit(out))),
            Some(true) => Ok(Some(Out::Written(out, if is_known { text } else { 0 }))),
            None => Ok(Some(Out::Unsure(out, known))),
        }
    }

    /// Opens a staged file if it can be one of ctl's.
    fn look_into(&self, staged: &str) -> Result<Option<(Box<dyn File>, Stat)>> {
        let file = match self.fs.open(staged, Access::Read) {
            Ok(file) => file,
            // A link is never followed, because it may lead outside the state directory. The same applies to a socket,
            // or a mode that its owner cannot read.
            Err(e) if e.is_link() || e.is_special() => return Ok(None),
            Err(e) if e.is_not_found() || e.is_read_only() => return Ok(None),
            Err(e) => return Err(e),
        };
        let stat = file.stat()?;
        let plain = stat.kind == FileKind::File && stat.size <= MAX_FILE;
        Ok(plain.then_some((file, stat)))
    }

    /// Decides on a file after all processes were checked for write access to it.
    pub(crate) fn settle(
        &self,
        out: DisplacedFile,
        known: [Option<u64>; 3],
        written: Option<bool>,
    ) -> Result<Option<Out>> {
        let Some((file, stat)) = self.look_into(&out.staged)? else {
            return Ok(Some(Out::Edit(out)));
        };
        let text = text_of(file.as_ref(), &stat)?;
        let is_known = known.contains(&Some(text));
        match (written, is_known) {
            // The walk over all processes preceded this read, so a known text stays known.
            (Some(true), _) => Ok(Some(Out::Written(out, if is_known { text } else { 0 }))),
            (_, true) => {
                self.fs.unlink(&out.staged)?;
                Ok(None)
            }
            (_, false) => Ok(Some(Out::Edit(out))),
        }
    }

    /// Moves a file from the staging directory next to its object's file, with the reason on top. Returns its new name.
    ///
    /// The copy and its name are durable before the original is removed: its author may have made it durable, and a
    /// power cut must not undo that.
    pub(crate) fn reject(&self, out: &DisplacedFile, path: &str, reason: &str) -> Result<String> {
        let plain = out.stat.kind == FileKind::File && out.stat.size <= MAX_FILE;
        // Copying a file that is still being written would keep only a part of it.
        if !plain || is_written(self.fs, &out.staged) {
            return self.keep_beside(&out.staged, path);
        }
        let content = fs::read_all(self.fs, &out.staged, MAX_FILE)?;
        // One line, because the reason is a YAML comment: its second line would be content.
        let reason = reason.replace(['\n', '\r'], " ");
        let mut text = format!("{REASON}{reason}\n").into_bytes();
        text.extend(content);
        let copy = format!("{STAGING}/rejected-{:016x}", self.fs.fresh());
        match self.write_durably(&copy, &text) {
            // A rename needs no space: better without the reason than not at all.
            Err(e) if e.is_full() => {
                let _ = self.fs.unlink(&copy);
                return self.keep_beside(&out.staged, path);
            }
            written => written?,
        }
        if mutant::is(Mutant::UnlinkBeforeKept) {
            self.fs.unlink(&out.staged)?;
            return self.keep_beside(&copy, path);
        }
        // The copy has its name before the original is removed, so at least one always exists.
        let name = self.keep_beside(&copy, path)?;
        self.fs.unlink(&out.staged)?;
        Ok(name)
    }

    fn write_durably(&self, path: &str, text: &[u8]) -> Result<()> {
        let file = self.fs.create(path)?;
        file.write_at(text, 0)?;
        if mutant::is(Mutant::NoSyncOfRejected) {
            return Ok(());
        }
        file.sync_data()
    }

    /// Moves a file to `PATH.rejected`, or the first free `PATH.rejected.N`, permanently.
    fn keep_beside(&self, staged: &str, path: &str) -> Result<String> {
        let (directory, _) = path.rsplit_once('/').unwrap_or((".", path));
        let mut number = 1;
        let mut made = false;
        // Never over an earlier rejected file, which is a user's text too.
        let name = loop {
            let name = match number {
                1 => format!("{path}.rejected"),
                n => format!("{path}.rejected.{n}"),
            };
            match self.fs.rename_new(staged, &name) {
                Ok(()) => break name,
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists && number < 10_000 => {
                    number += 1
                }
                // The directory was removed with its last object.
                Err(e) if e.is_not_found() && !made => {
                    self.make_directories(directory)?;
                    made = true;
                }
                Err(e) => return Err(e),
            }
        };
        if mutant::is(Mutant::NoDirSyncOfRejected) {
            return Ok(name);
        }
        // From the inside out: a new directory is only as durable as its own name.
        self.fs.sync_dir(directory)?;
        if made {
            let (parent, _) = directory.rsplit_once('/').unwrap_or((".", ""));
            self.fs.sync_dir(parent)?;
            self.fs.sync_dir(".")?;
        }
        Ok(name)
    }

    /// Moves the file at `path` out of the tree, into the staging directory.
    pub(crate) fn take_out(&self, path: &str, revision: Revision) -> Result<Option<DisplacedFile>> {
        let staged = staged_path(revision, self.fs.fresh(), path);
        match self.fs.rename_new(path, &staged) {
            Ok(()) => Ok(self.fs.stat(&staged)?.map(|stat| DisplacedFile {
                staged,
                stat,
                shown: None,
            })),
            Err(e) if e.is_not_found() => Ok(None),
            Err(e) => Err(e),
        }
    }
}

fn text_of(file: &dyn File, stat: &Stat) -> Result<u64> {
    let length = usize::try_from(stat.size).unwrap_or(0);
    Ok(fingerprint(&fs::read_range(file, 0, length)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::DOT;
    use crate::sys::real_fs::RealFs;

    fn scratch() -> (tempfile::TempDir, RealFs) {
        let dir = tempfile::tempdir().unwrap();
        let fs = RealFs::open(dir.path()).unwrap();
        fs.make_dir(".ctl").unwrap();
        (dir, fs)
    }

    fn tree<'f>(fs: &'f RealFs, fine_times: &'f AtomicBool) -> Tree<'f> {
        Tree {
            fs,
            commented: false,
            fine_times,
        }
    }

    fn key() -> Key {
        Key::new("pods", Some("default"), "web").unwrap()
    }

    fn version(revision: Revision) -> Version<'static> {
        Version {
            revision,
            json: JSON,
        }
    }

    fn shown(revision: Revision) -> KnownTexts {
        KnownTexts {
            shown: Some(fingerprint(&plain(JSON, revision))),
            judged: None,
            revision: Some(revision),
        }
    }

    const JSON: &[u8] = br#"{"metadata":{"managedFields":[{}],"name":"web"},"spec":{}}"#;

    #[test]
    fn a_swapped_out_file_is_discarded_unless_it_was_edited() {
        let (dir, fs) = scratch();
        let fine_times = AtomicBool::new(false);
        let tree = tree(&fs, &fine_times);
        let now = Timestamp::UNIX_EPOCH;
        let put = tree
            .show(&key(), version(3), KnownTexts::default(), now)
            .unwrap();
        assert!(put.mark.is_some() && put.out.is_none());
        let text = fs::read_all(&fs, &key().path(), MAX_FILE).unwrap();
        assert_eq!(
            text,
            b"metadata:\n  name: web\n  resourceVersion: \"3\"\nspec: {}\n"
        );
        let stat = fs.stat(&key().path()).unwrap().unwrap();
        assert!(is_ours(&stat, 3) && !is_ours(&stat, 4));
        let put = tree.show(&key(), version(4), shown(3), now).unwrap();
        assert!(put.mark.is_some() && put.out.is_none());
        let file = dir.path().join(key().path());
        std::fs::File::options()
            .append(true)
            .open(&file)
            .unwrap()
            .set_len(5)
            .unwrap();
        let put = tree.show(&key(), version(5), shown(4), now).unwrap();
        let Some(Out::Edit(came_out)) = put.out else {
            panic!("{put:?}")
        };
        let name = tree.reject(&came_out, &key().path(), "because").unwrap();
        assert_eq!(name, "default/pods/web.yaml.rejected");
        let kept = std::fs::read_to_string(dir.path().join(name)).unwrap();
        assert_eq!(kept, "# ctl rejected this edit: because\nmetad");
        assert_eq!(fs.list(STAGING).unwrap().len(), 0);
    }

    #[test]
    fn a_file_that_is_open_for_writing_is_not_discarded() {
        let (dir, fs) = scratch();
        let fine_times = AtomicBool::new(false);
        let tree = tree(&fs, &fine_times);
        let now = Timestamp::UNIX_EPOCH;
        let _ = tree
            .show(&key(), version(3), KnownTexts::default(), now)
            .unwrap();
        let path = dir.path().join(key().path());
        let editor = std::fs::File::options().append(true).open(path).unwrap();
        let put = tree.show(&key(), version(4), shown(3), now).unwrap();
        let Some(Out::Written(out, text)) = put.out else {
            panic!("{put:?}")
        };
        assert_eq!(Some(text), shown(3).shown);
        assert!(fs.stat(&out.staged).unwrap().is_some());
        drop(editor);
        assert!(
            tree.settle(out, [Some(text), None, None], Some(false))
                .unwrap()
                .is_none()
        );
        assert_eq!(fs.list(STAGING).unwrap().len(), 0);
    }

    #[test]
    fn a_rejected_file_gets_its_directory_back() {
        let (dir, fs) = scratch();
        let fine_times = AtomicBool::new(false);
        let tree = tree(&fs, &fine_times);
        let file = fs.create(&format!("{DOT}/edit")).unwrap();
        file.write_at(b"x: 1\n", 0).unwrap();
        drop(file);
        let out = DisplacedFile {
            staged: format!("{DOT}/edit"),
            stat: fs.stat(&format!("{DOT}/edit")).unwrap().unwrap(),
            shown: None,
        };
        fs.make_dir(STAGING).unwrap();
        let name = tree.reject(&out, &key().path(), "because").unwrap();
        assert!(dir.path().join(name).exists());
    }

    #[test]
    fn a_hidden_object_leaves_no_file_and_no_empty_directory() {
        let (dir, fs) = scratch();
        let fine_times = AtomicBool::new(false);
        let tree = tree(&fs, &fine_times);
        tree.show(
            &key(),
            version(3),
            KnownTexts::default(),
            Timestamp::UNIX_EPOCH,
        )
        .unwrap();
        assert!(tree.hide(&key(), 4, shown(3)).unwrap().is_none());
        tree.tidy(&key());
        assert!(!dir.path().join("default").exists());
        assert!(tree.hide(&key(), 5, shown(3)).unwrap().is_none());
    }

    #[test]
    fn stamps_of_neighboring_revisions_differ() {
        let nanos: std::collections::HashSet<i32> = (0..100_000).map(stamp_nanos).collect();
        assert!(nanos.len() > 99_990);
        assert!((0..1000).all(|r| (1..1_000_000_000).contains(&stamp_nanos(r))));
    }
}
