//! The YAML tree: each object as a file, and how to tell our own file from somebody's edit.
//!
//! A file that we wrote carries its revision in the nanoseconds of its modification time. Whoever
//! edits it changes that, so one stat tells a hand edit, without any bookkeeping that could be
//! lost. A new version goes in by exchanging names: what comes out is looked at before it is
//! thrown away, so an edit made in that very moment is found and not lost.

use std::io;

use jiff::Timestamp;

use super::comments;
use super::interface::{MAX_FILE_REVISION, Revision};
use super::key::Key;
use super::layout::{STAGING, staged_path};
use crate::api::json::{Value, from_bytes};
use crate::api::yaml;
use crate::sys::fs::{self, FileKind, Fs, FsError, Result, Stat};

/// How the line begins that tells why a file was kept aside.
pub(crate) const REASON: &str = "# ctl did not take this: ";

/// The largest file that is read as an object.
pub(crate) const MAX_FILE: u64 = 8 << 20;

/// How often a name that keeps changing under us is tried again.
const ATTEMPTS: usize = 8;

/// The modification time of the file that shows `revision`.
pub(crate) fn stamp(time: Timestamp, revision: Revision) -> Timestamp {
    Timestamp::new(time.as_second(), stamp_nanos(revision)).unwrap_or(time)
}

fn stamp_nanos(revision: Revision) -> i32 {
    let mixed = revision.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 34;
    1 + i32::try_from(mixed % 999_999_999).unwrap_or(0)
}

/// Whether a file is, by its stat, the one that we wrote for `revision`.
pub(crate) fn is_ours(stat: &Stat, revision: Revision) -> bool {
    stat.kind == FileKind::File && stat.modified.subsec_nanosecond() == stamp_nanos(revision)
}

/// An object as its file shows it: without managed fields, with its revision.
fn shown(json: &[u8], revision: Revision) -> Value {
    let mut value = from_bytes(json, &["metadata", "managedFields"]).unwrap_or_default();
    if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.insert("resourceVersion", revision.to_string().into());
    }
    value
}

/// The revision that an object read from a file says it is.
pub(crate) fn revision_in(value: &Value) -> Option<Revision> {
    value
        .pointer("/metadata/resourceVersion")?
        .as_str()?
        .parse()
        .ok()
        .filter(|revision| *revision <= MAX_FILE_REVISION)
}

/// Something that stood where our file should have been, taken out and waiting in the staging
/// directory.
#[derive(Clone, Debug)]
pub(crate) struct CameOut {
    pub(crate) staged: String,
    pub(crate) stat: Stat,
    /// The revision that our file showed there before, if it is known.
    pub(crate) shown: Option<Revision>,
}

/// What may be thrown away when it comes out of the tree.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Known {
    /// Our own file of this revision.
    pub(crate) shown: Option<Revision>,
    /// An edit that was read and dealt with.
    pub(crate) judged: Option<Stat>,
}

/// The YAML tree of a state directory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tree<'f> {
    pub(crate) fs: &'f dyn Fs,
    /// Whether any object's file has comments.
    pub(crate) commented: bool,
}

impl Tree<'_> {
    /// An object's file, with the comments that people wrote into it.
    pub(crate) fn render(
        &self,
        key: &Key,
        (revision, json): (Revision, &[u8]),
    ) -> super::Result<Vec<u8>> {
        let value = shown(json, revision);
        let mut text = Vec::with_capacity(json.len() * 2);
        yaml::emit(&value, &mut text);
        if self.commented
            && let Some(kept) = comments::read(self.fs, key)?
            && kept.uid == comments::uid_of(&value)
            && let Some(woven) = yaml::weave(&text, &kept.comments)
        {
            return Ok(woven);
        }
        Ok(text)
    }

    /// Shows an object. Answers what came out where that was not known.
    ///
    /// A file that was there and has gone this very moment is not written again: somebody removed
    /// it, or is about to put another one in its place, and the next look at the object tells.
    pub(crate) fn show(
        &self,
        key: &Key,
        (revision, json): (Revision, &[u8]),
        known: Known,
        time: Timestamp,
    ) -> super::Result<Option<CameOut>> {
        let text = self.render(key, (revision, json))?;
        Ok(self.show_text(key, (revision, &text), known, time)?)
    }

    /// The same with the file's content at hand.
    pub(crate) fn show_text(
        &self,
        key: &Key,
        (revision, text): (Revision, &[u8]),
        known: Known,
        time: Timestamp,
    ) -> Result<Option<CameOut>> {
        let staged = self.stage(revision, text, stamp(time, revision))?;
        let path = key.path();
        let mut exchange = known.shown.is_some() || known.judged.is_some();
        for _ in 0..ATTEMPTS {
            let tried = if exchange {
                self.fs.exchange(&staged, &path)
            } else {
                self.fs.rename_new(&staged, &path)
            };
            match tried {
                Ok(()) if exchange => return self.look_at(staged, known, revision),
                Ok(()) => return Ok(None),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => exchange = true,
                // A link in the place of the directory says nothing about the file: it is shown
                // later, or an old file that comes back with its directory would pass for a restore.
                Err(e) if exchange && e.kind() == io::ErrorKind::NotADirectory => {
                    let _ = self.fs.unlink(&staged);
                    return Err(e);
                }
                Err(e) if exchange && e.is_not_found() => {
                    if known.shown.is_some() && self.fs.stat(&key.directory())?.is_some() {
                        self.fs.unlink(&staged)?;
                        return Ok(None);
                    }
                    exchange = false;
                }
                Err(e) if e.is_not_found() => match self.make_directories(key) {
                    // Somebody removes them as fast as they are made.
                    Err(e) if e.is_not_found() => {}
                    made => made?,
                },
                Err(e) => {
                    let _ = self.fs.unlink(&staged);
                    return Err(e);
                }
            }
        }
        let _ = self.fs.unlink(&staged);
        let moving = io::Error::other("the file keeps appearing and disappearing");
        Err(FsError::new("rename", &path, moving))
    }

    /// Removes an object's file. Answers what came out where that was not known.
    pub(crate) fn hide(
        &self,
        key: &Key,
        revision: Revision,
        known: Known,
    ) -> Result<Option<CameOut>> {
        let staged = staged_path(revision, self.fs.fresh());
        match self.fs.rename_new(&key.path(), &staged) {
            Ok(()) => self.look_at(staged, known, revision),
            Err(e) if e.is_not_found() => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// Removes an object's directories where they are empty.
    pub(crate) fn tidy(&self, key: &Key) {
        let directory = key.directory();
        if self.fs.remove_dir(&directory).is_ok()
            && let Some((parent, _)) = directory.split_once('/')
        {
            let _ = self.fs.remove_dir(parent);
        }
    }

    /// Gives an unchanged file the stamp of its revision again.
    pub(crate) fn restamp(&self, key: &Key, revision: Revision, time: Timestamp) -> Result<()> {
        self.fs
            .open(&key.path(), fs::Access::Write)?
            .set_modified(stamp(time, revision))
    }

    fn stage(&self, revision: Revision, text: &[u8], at: Timestamp) -> Result<String> {
        let staged = staged_path(revision, self.fs.fresh());
        let file = match self.fs.create(&staged) {
            Err(e) if e.is_not_found() => {
                self.fs.make_dir(STAGING)?;
                self.fs.create(&staged)?
            }
            answer => answer?,
        };
        let written = file.write_at(text, 0).and_then(|()| file.set_modified(at));
        drop(file);
        match written {
            Ok(()) => Ok(staged),
            Err(e) => {
                let _ = self.fs.unlink(&staged);
                Err(e)
            }
        }
    }

    fn make_directories(&self, key: &Key) -> Result<()> {
        let directory = key.directory();
        if let Some((namespace, _)) = directory.split_once('/') {
            self.fs.make_dir(namespace)?;
        }
        self.fs.make_dir(&directory)
    }

    /// Throws away what came out where it is known.
    fn look_at(&self, staged: String, known: Known, new: Revision) -> Result<Option<CameOut>> {
        let Some(stat) = self.fs.stat(&staged)? else {
            return Ok(None);
        };
        let ours = known.shown.is_some_and(|shown| is_ours(&stat, shown)) || is_ours(&stat, new);
        if ours || known.judged == Some(stat) {
            self.fs.unlink(&staged)?;
            return Ok(None);
        }
        Ok(Some(CameOut {
            staged,
            stat,
            shown: known.shown,
        }))
    }

    /// Keeps a file from the staging directory beside its object's file, with the reason on top.
    /// Answers the name it has now.
    pub(crate) fn reject(&self, came_out: &CameOut, path: &str, reason: &str) -> Result<String> {
        let in_use = self.fs.open_for_writing(&came_out.stat) == Some(true);
        let plain =
            came_out.stat.kind == FileKind::File && came_out.stat.size <= MAX_FILE && !in_use;
        if !plain {
            return self.keep_beside(&came_out.staged, path);
        }
        let content = fs::read_all(self.fs, &came_out.staged, MAX_FILE)?;
        let reason = reason.replace(['\n', '\r'], " ");
        let mut text = format!("{REASON}{reason}\n").into_bytes();
        text.extend(content);
        let copy = format!("{STAGING}/rejected-{:016x}", self.fs.fresh());
        self.fs.create(&copy)?.write_at(&text, 0)?;
        let name = self.keep_beside(&copy, path)?;
        self.fs.unlink(&came_out.staged)?;
        Ok(name)
    }

    /// Moves a file to `PATH.rejected`, or the first free `PATH.rejected.N`.
    fn keep_beside(&self, staged: &str, path: &str) -> Result<String> {
        let mut number = 1;
        loop {
            let name = match number {
                1 => format!("{path}.rejected"),
                n => format!("{path}.rejected.{n}"),
            };
            match self.fs.rename_new(staged, &name) {
                Ok(()) => return Ok(name),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists && number < 10_000 => {
                    number += 1
                }
                Err(e) => return Err(e),
            }
        }
    }

    /// Takes whatever is at `path` out of the tree, into the staging directory.
    pub(crate) fn take_out(&self, path: &str, revision: Revision) -> Result<Option<CameOut>> {
        let staged = staged_path(revision, self.fs.fresh());
        match self.fs.rename_new(path, &staged) {
            Ok(()) => Ok(self.fs.stat(&staged)?.map(|stat| CameOut {
                staged,
                stat,
                shown: None,
            })),
            Err(e) if e.is_not_found() => Ok(None),
            Err(e) => Err(e),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::real_fs::RealFs;

    fn scratch() -> (tempfile::TempDir, RealFs) {
        let dir = tempfile::tempdir().unwrap();
        let fs = RealFs::open(dir.path()).unwrap();
        fs.make_dir(".ctl").unwrap();
        (dir, fs)
    }

    fn key() -> Key {
        Key::new("pods", Some("default"), "web").unwrap()
    }

    fn shown(revision: Revision) -> Known {
        Known {
            shown: Some(revision),
            judged: None,
        }
    }

    const JSON: &[u8] = br#"{"metadata":{"managedFields":[{}],"name":"web"},"spec":{}}"#;

    #[test]
    fn a_shown_object_is_ours_until_somebody_touches_it() {
        let (dir, fs) = scratch();
        let tree = Tree {
            fs: &fs,
            commented: false,
        };
        let now = Timestamp::UNIX_EPOCH;
        assert!(
            tree.show(&key(), (3, JSON), Known::default(), now)
                .unwrap()
                .is_none()
        );
        let text = fs::read_all(&fs, &key().path(), MAX_FILE).unwrap();
        assert_eq!(
            text,
            b"metadata:\n  name: web\n  resourceVersion: \"3\"\nspec: {}\n"
        );
        let stat = fs.stat(&key().path()).unwrap().unwrap();
        assert!(is_ours(&stat, 3) && !is_ours(&stat, 4));
        assert!(
            tree.show(&key(), (4, JSON), shown(3), now)
                .unwrap()
                .is_none()
        );
        let file = dir.path().join(key().path());
        std::fs::File::options()
            .append(true)
            .open(&file)
            .unwrap()
            .set_len(5)
            .unwrap();
        let came_out = tree
            .show(&key(), (5, JSON), shown(4), now)
            .unwrap()
            .unwrap();
        let name = tree.reject(&came_out, &key().path(), "because").unwrap();
        assert_eq!(name, "default/pods/web.yaml.rejected");
        let kept = std::fs::read_to_string(dir.path().join(name)).unwrap();
        assert_eq!(kept, "# ctl did not take this: because\nmetad");
        assert_eq!(fs.list(STAGING).unwrap().len(), 0);
    }

    #[test]
    fn a_hidden_object_leaves_no_file_and_no_empty_directory() {
        let (dir, fs) = scratch();
        let tree = Tree {
            fs: &fs,
            commented: false,
        };
        tree.show(&key(), (3, JSON), Known::default(), Timestamp::UNIX_EPOCH)
            .unwrap();
        assert!(tree.hide(&key(), 4, shown(3)).unwrap().is_none());
        tree.tidy(&key());
        assert!(!dir.path().join("default").exists());
        assert!(tree.hide(&key(), 5, shown(3)).unwrap().is_none());
    }

    #[test]
    fn stamps_of_neighbouring_revisions_differ() {
        let nanos: std::collections::HashSet<i32> = (0..100_000).map(stamp_nanos).collect();
        assert!(nanos.len() > 99_990);
        assert!((0..1000).all(|r| (1..1_000_000_000).contains(&stamp_nanos(r))));
    }
}
