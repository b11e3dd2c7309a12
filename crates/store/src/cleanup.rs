//! Leftovers of dead writers in the staging directory: parts of ctl's own files, and edits that were swapped out of the
//! tree. The content distinguishes them; no foreign text is discarded.

use super::exclusive::Exclusive;
use super::interface::Result;
use super::key::Key;
use super::layout::{MAX_FILE, STAGING, parse_staged, place_of};
use super::past::RetainedVersions;
use super::recover::Opened;
use super::revision::Revision;
use super::seen::fingerprint;
use super::tree::DisplacedFile;
use super::writers::is_written;
use crate::sys::fs::{self, FileKind};

/// The number of leftovers after which the staging directory is made small again.
const MANY: usize = 1000;

impl Exclusive<'_> {
    /// Removes the leftovers of a dead writer: generations that were never begun, and everything in the staging
    /// directory, where a file is either ctl's or an edit that was swapped out of the tree.
    pub(crate) fn sweep(&mut self, opened: Opened) -> Result<()> {
        self.journal.sweep_journal()?;
        let staged = match self.fs().list(STAGING) {
            Ok(staged) => staged,
            // The directory was removed, and the next commit needs it.
            Err(e) if e.is_not_found() => return Ok(self.fs().make_dir(STAGING)?),
            Err(e) => return Err(e.into()),
        };
        // A file may be removed because the journal has its text, which must be durable then.
        if !staged.is_empty() {
            self.settle_group()?;
        }
        let mut past = None;
        let are_many = staged.len() > MANY;
        for entry in staged {
            let out = DisplacedFile {
                staged: format!("{STAGING}/{}", entry.name),
                stat: entry.stat,
                shown: None,
            };
            let Some(revision) = parse_staged(&entry.name) else {
                // Not named after a revision: a temporary file of ctl's caches, or one that is staged ahead, which its
                // process may remove at any time.
                match self.fs().unlink(&out.staged) {
                    Err(e) if !e.is_not_found() => return Err(e.into()),
                    _ => continue,
                }
            };
            // Reading the whole history takes long, and usually nothing is staged.
            let past = match &mut past {
                Some(past) => past,
                none => none.insert(RetainedVersions::read(&self.journal, self.tree())?),
            };
            let place = place_of(&entry.name);
            let named = place.as_deref().and_then(|p| Key::from_path(p).ok()?);
            let key = match named {
                Some(key) => Some(key),
                None => past.key_at(revision).map(Key::parse).transpose()?,
            };
            let place = match (place, &key) {
                (Some(place), _) => place,
                (None, Some(key)) => key.path(),
                (None, None) => "lost".to_owned(),
            };
            // An editor may continue to write to it, so it waits in `.ctl/held`.
            if entry.stat.kind == FileKind::File && is_written(self.fs(), &out.staged) {
                let read = fs::read_all(self.fs(), &out.staged, MAX_FILE).ok();
                let ours =
                    read.filter(|b| key.as_ref().is_some_and(|k| past.has_text(k.as_str(), b)));
                let text = ours.map_or(0, |bytes| fingerprint(&bytes));
                self.hold(&out, text, &place)?;
            } else if self.is_leftover(&out, key.as_ref(), revision, past, opened)? {
                self.fs().unlink(&out.staged)?;
            } else {
                self.keep_aside(&out, &place, "the file was edited while a writer died")?;
            }
        }
        if are_many {
            self.shrink_staging();
        }
        Ok(())
    }

    /// Returns true if the journal has everything that a staged file has.
    fn is_leftover(
        &self,
        out: &DisplacedFile,
        key: Option<&Key>,
        revision: Revision,
        past: &RetainedVersions,
        opened: Opened,
    ) -> Result<bool> {
        if out.stat.kind != FileKind::File {
            return Ok(false);
        }
        let Ok(bytes) = fs::read_all(self.fs(), &out.staged, MAX_FILE) else {
            return Ok(false);
        };
        let Some(key) = key else {
            return Ok(bytes.iter().all(|b| *b == 0));
        };
        // Only a power cut tears files. Otherwise a text that merely starts like ctl's belongs to a user.
        let rebooted = !matches!(opened, Opened::Clean | Opened::Adopted);
        let name = key.as_str();
        // All zeros: the name reached the disk, the text did not.
        Ok(bytes.iter().all(|b| *b == 0)
            || past.is_part_of(name, revision, &bytes)
            || past.has_text(name, &bytes)
            || rebooted && past.is_torn(name, &out.stat, &bytes)
            || self.is_taken(key, &out.staged)?)
    }
}
